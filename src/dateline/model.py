"""The data types that all rooms share, in one file because they refer to each other."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from dateline.versions import DATE_FORM, is_moving
from dateline.versions import NEXT as NEXT

T = TypeVar("T")

Trail = tuple[str | int, ...]
"""The keys and indexes that lead from the root of a document to a place in it."""

NOTICE_DAYS: Final = 180
BROWNOUT_DAYS: Final = 14
"""The days between an announcement and its day, unless the policy has another number."""

EVERYWHERE: Final = ""
"""Stands for an environment's name: all environments together."""

MANIFEST: Final = "manifest.json"
"""The file beside the generated ones that lists each with its size and SHA-256."""

ADDITIONS: Final = "_additions"
"""The folder beside the definitions with the record of additions to all versions."""

ADDED: Final = "x-added"
REMOVED: Final = "x-removed"
WAS: Final = "x-was"
SHOWN_AS: Final = "x-shown-as"
ENVIRONMENTS: Final = "x-environments"
EXTENSIBLE: Final = "x-extensible-enum"
WHY: Final = "x-why"

# The keys of a date of `x-was` besides keywords.
IN_PLACE_OF: Final = "in-place-of"
"""The properties that replaced those of the date."""

CONVERTER: Final = "converter"
"""The name of the converter between the two."""

PLACES: Final = ("header", "query", "path", "media-type")
"""Where a request may name its version: a header, a query parameter, the first segment of its
path below the prefix, a parameter of the media type that it accepts."""

GATES: Final = frozenset({ADDED, REMOVED, WAS, ENVIRONMENTS})
"""The keys that make a node differ between versions or environments."""

KEYS: Final = GATES | {SHOWN_AS, EXTENSIBLE, WHY}
"""All keys of the source format that are not OpenAPI's."""

UNPUBLISHED: Final = KEYS - {EXTENSIBLE}
"""The keys that published documents don't have."""


def current_day() -> date:
    """Return the current day in UTC, in which all days of announcements and waivers are."""
    return datetime.now(UTC).date()


class Day(str):
    """The date of a version, written without quotes where other text like it would need them."""

    __slots__ = ()

    @property
    def is_plain(self) -> bool:
        """Whether YAML reads it as text, which it doesn't if all characters are digits."""
        return not self.isdigit()


class PendingText(str):
    """A text that is filled in later, with a placeholder in JSON and YAML until then.

    Comparing it raises ValueError, since its content is not known yet.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        raise ValueError("a text that is not known yet is compared")

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


class Place(NamedTuple):
    """A place in a source: a file, a line and a column, both from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


# A position is one integer: the line, from 1, in the upper bits, the column, from 1, in the lower.
# Two small integers for each key of a large document would cost twice the memory.
_COLUMN_BITS: Final = 12
_COLUMN_MASK: Final = (1 << _COLUMN_BITS) - 1


def pack(line: int, column: int) -> int:
    """Return *line* and *column*, both from 1, as one mark; columns past 4095 count as 4095."""
    return line << _COLUMN_BITS | min(column, _COLUMN_MASK)


class Map(dict[str, Any]):
    """A mapping that knows its own place and those of its keys and values.

    ``file`` is the name of the source, ``mark`` the packed position of the mapping (``pack``).
    ``marks`` runs along the keys in source order: key mark, value mark, key mark, ...
    """

    __slots__ = ("file", "mark", "marks")

    file: str
    mark: int
    marks: list[int]

    def place(self, key: str | None = None, *, value: bool = False) -> Place:
        """Return the place of *key* (or of its value); of the mapping itself without a key."""
        mark = self.mark
        if key is not None:
            for index, name in enumerate(self):
                if name == key:
                    # keys that were added after reading have no mark of their own
                    if 2 * index + 1 < len(self.marks):
                        mark = self.marks[2 * index + value]
                    break
        return Place(self.file, mark >> _COLUMN_BITS, mark & _COLUMN_MASK)


def copy_items(node: dict[str, Any], items: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a mapping of *items*, which keep their places if *node* has the same keys."""
    if not isinstance(node, Map):
        return dict(items)
    copy = Map(items)
    copy.file, copy.mark = node.file, node.mark
    marks = dict(zip(node, zip(node.marks[::2], node.marks[1::2], strict=True), strict=False))
    own = (node.mark, node.mark)
    copy.marks = [mark for key, _ in items for mark in marks.get(key, own)]
    return copy


class Seq(list[Any]):
    """A list that knows its own place and those of its items.

    ``file`` and ``mark`` are as those of ``Map``; ``marks`` holds a mark for each item.
    """

    __slots__ = ("file", "mark", "marks")

    file: str
    mark: int
    marks: list[int]

    def place(self, index: int | None = None) -> Place:
        """Return the place of item *index*; of the list itself without one."""
        mark = self.mark if index is None or index >= len(self.marks) else self.marks[index]
        return Place(self.file, mark >> _COLUMN_BITS, mark & _COLUMN_MASK)


@dataclass(frozen=True, kw_only=True, order=True)
class Problem:
    """One reason why a source is invalid: its place, a message with the way out, and an id."""

    place: Place
    id: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.id}: {printable(self.message)}"


class DatelineError(Exception):
    """An error that the user can fix; ``exit_code`` is the exit status of the command."""

    exit_code = 3


class SourceError(DatelineError):
    """The definitions can't be read or are invalid; ``problems`` holds every one, sorted."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(map(str, self.problems)))


def join_errors(errors: Sequence[DatelineError]) -> DatelineError:
    """Return one error with the messages of all *errors*, without repetitions.

    Its exit status is the highest one: what can't be read outweighs what was misspelt.
    """
    if all(isinstance(error, SourceError) for error in errors):
        return SourceError(
            problem
            for error in errors
            if isinstance(error, SourceError)
            for problem in error.problems
        )
    error = DatelineError("\n".join(dict.fromkeys(map(str, errors))))
    error.exit_code = max(each.exit_code for each in errors)
    return error


_NOT_ASCII: Final = re.compile("[^ -~]")
"""A character that may need escaping."""


def printable(text: str, limit: int = 300) -> str:
    """Return *text* on one line, control and bidi characters escaped, cut at *limit* characters."""
    shown = text
    if not text.isprintable():
        shown = _NOT_ASCII.sub(
            lambda found: found[0] if found[0].isprintable() else ascii(found[0])[1:-1], text
        )
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


@dataclass(frozen=True, kw_only=True)
class Version:
    """One row of the version table.

    ``date`` is its name, in the form of the table, or ``next``; ``title`` one sentence for callers.
    A ``draft`` is not cut yet: no caller may ask for it. The changes of an ``undisclosed``
    version are not described anywhere, so its document may equal that of the version before. An
    ``adopted`` version was published elsewhere, so its differences can't follow rules.
    """

    date: str
    title: str
    draft: bool = False
    undisclosed: bool = False
    adopted: bool = False
    place: Place = field(compare=False)

    @property
    def moving(self) -> bool:
        """Whether its name is a word: it changes at any time and is never frozen."""
        return is_moving(self.date)


class Brownout(NamedTuple):
    """A time in which a version is refused, as it is after its end: `YYYY-MM-DDTHH:MMZ` each."""

    start: str
    end: str

    @property
    def length(self) -> timedelta:
        return datetime.fromisoformat(self.end) - datetime.fromisoformat(self.start)

    def __str__(self) -> str:
        """Return the time in words."""
        (day, since), (last, until) = (each.removesuffix("Z").split("T") for each in self)
        return f"{day} {since} to {'' if last == day else f'{last} '}{until} UTC"


@dataclass(frozen=True, kw_only=True)
class Announcement:
    """An announcement for ``day``: ``version`` becomes the default, or ends.

    ``kind`` is ``default`` or ``ends``. ``day`` and ``announced``, the day of the announcement,
    which is not later, are canonical dates. ``elsewhere`` says where an adopted API announced it
    before its definitions did. ``brownouts`` come before the end, in order.
    """

    kind: str
    version: str
    day: str
    announced: str
    elsewhere: str | None = None
    brownouts: tuple[Brownout, ...] = ()
    place: Place = field(compare=False)

    @property
    def refused(self) -> str:
        """The brownouts in words: `from 2027-06-01 14:00 to 15:00 UTC`."""
        return ", and ".join(f"from {one}" for one in self.brownouts)

    @property
    def data(self) -> dict[str, Any]:
        """The announcement as plain data."""
        brownouts = [{"from": one.start, "to": one.end} for one in self.brownouts]
        return {
            "kind": self.kind,
            "version": self.version,
            "day": self.day,
            "announced": self.announced,
            **({"brownouts": brownouts} if brownouts else {}),
        }


@dataclass(frozen=True, kw_only=True)
class Retired:
    """A version that is not served any more: its name, its title, and the day of its end."""

    date: str
    title: str
    ended: str
    place: Place = field(compare=False)


@dataclass(frozen=True, kw_only=True)
class Environment:
    """One deployment: its name and its servers; ``place`` is the place of the servers.

    ``servers`` are OpenAPI's Server Objects, as they are written; none in an adopted API that
    names none.
    """

    name: str
    servers: tuple[dict[str, Any], ...]
    place: Place = field(compare=False)


@dataclass(frozen=True, kw_only=True)
class Table:
    """``versions.yaml``: the versions, and how requests choose one.

    ``header`` is the name of what chooses a version, at the ``place_of_version``, one of
    ``PLACES``; a path segment has none. Names of versions have the ``form``, one of
    ``versions.FORMS``; with ``nearest``, an unknown name of that form is served the nearest earlier
    version. ``default`` is served without the header; ``annotation`` is the default in the schema
    of the header parameter, which may differ. ``versions`` are in order, oldest first, ``next``
    last. Operations with one of ``ignoring_tags`` are the same in all versions. ``policy`` names
    the preset, ``overrides`` the verdicts that differ from it, by rule id; ``package`` is the name
    of the generated Python package. ``retired`` are the versions that have ended, oldest first.

    ``adopted`` definitions were published elsewhere and need not follow rules of style; with
    ``oddities``, documents contain what was published instead of what it means. ``places`` are the
    places of keys of the file, and of rules of its policy by their ids. With ``require_why``, each
    gate of a version that is not cut yet needs its reason. At least ``notice_days`` pass between an
    announcement and its day. ``approvals`` names who may approve waivers; anybody may if it is
    empty. With ``site``, a site is generated; ``documents`` is the address at which the document of
    each `{version}` is published, if it is known. ``shared`` are the folders outside that
    references may lead to, as paths relative to the file.
    """

    header: str
    default: str
    annotation: str | None
    versions: tuple[Version, ...]
    environments: tuple[Environment, ...]
    ignoring_tags: tuple[str, ...]
    policy: str
    overrides: dict[str, str]
    package: str
    adopted: bool
    announcements: tuple[Announcement, ...] = ()
    retired: tuple[Retired, ...] = ()
    notice_days: int = NOTICE_DAYS
    require_why: bool = False
    approvals: tuple[str, ...] = ()
    place_of_version: str = "header"
    form: str = DATE_FORM
    nearest: bool = False
    oddities: bool = False
    site: bool = False
    documents: str = ""
    shared: tuple[str, ...] = ()
    places: Mapping[str, Place] = field(default_factory=dict, compare=False)

    def place(self, name: str) -> Place:
        """Return the place of *name* in ``places``; that of the first version if it has none."""
        return self.places.get(name, self.versions[0].place)

    @property
    def selector(self) -> str:
        """The name of the header that selects a version, or its place and name elsewhere."""
        if self.place_of_version == "header":
            return self.header
        return f"{self.place_of_version} {self.header or 'segment'}"

    @property
    def choice(self) -> str:
        """How requests choose a version, in words: `header X-API-Version`, `first path segment`."""
        words = {
            "header": f"header {self.header}",
            "query": f"query parameter {self.header}",
            "path": "first path segment",
            "media-type": f"media type parameter {self.header}",
        }
        return words[self.place_of_version]

    def version(self, date: str) -> Version:
        """Return the version of *date*, which the table has."""
        return next(version for version in self.versions if version.date == date)

    @property
    def newest(self) -> Version:
        """The newest version that is not named by a word; a draft, if there is one."""
        return [version for version in self.versions if not version.moving][-1]

    @property
    def dates(self) -> tuple[str, ...]:
        """The dates of all versions, drafts too, oldest first."""
        return tuple(version.date for version in self.versions)

    @property
    def drafts(self) -> tuple[str, ...]:
        """The dates of the versions that are not cut yet."""
        return tuple(version.date for version in self.versions if version.draft)

    @property
    def environment_names(self) -> tuple[str, ...]:
        return tuple(environment.name for environment in self.environments)

    @property
    def supported(self) -> tuple[Version, ...]:
        """The versions that callers may ask for: all but the drafts."""
        return tuple(version for version in self.versions if not version.draft)

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdicts that replace those of the preset, by rule id."""
        return {rule: Verdict(verdict) for rule, verdict in self.overrides.items()}

    @property
    def ends(self) -> dict[str, Announcement]:
        """The announced end of each version that has one."""
        return {one.version: one for one in self.announcements if one.kind == "ends"}

    @property
    def latest(self) -> str:
        """The newest dated version that callers may ask for."""
        return [version.date for version in self.supported if not version.moving][-1]


class Combination(NamedTuple):
    """A version in an environment; each has its contract."""

    version: str
    environment: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Api:
    """The canonical definitions: all versions, annotated, with source positions.

    ``name`` is the name of the ``folder`` in places. ``document`` is the union of the fragments;
    mappings and lists from YAML are ``Map`` and ``Seq``. ``visible`` says for each component, by
    (section, name), in which combinations it is part of the contract: bit *i* is
    ``combinations[i]``. ``locate`` returns the place in the sources of a path of the document.
    ``trace`` returns the file with the key or item at the end of a path, and the path in that file,
    which is empty if it is the whole file. ``parts`` are the files that are not fragments, to which
    only references lead.
    """

    folder: Path
    name: str
    document: dict[str, Any]
    table: Table
    combinations: tuple[Combination, ...]
    visible: dict[tuple[str, str], int]
    locate: Callable[[Trail], Place]
    trace: Callable[[Trail], tuple[str, Trail]]
    parts: frozenset[str] = frozenset()

    @property
    def meaning(self) -> bytes | None:
        """A digest of the definitions without their words; None if they changed after loading."""
        if not isinstance(self.document, Definitions):
            return None
        return self.document.meaning + repr(self.table).encode()

    @property
    def comparison(self) -> bytes | None:
        """The meaning, and which words are equal if versions differ; None without a meaning."""
        if not isinstance(self.document, Definitions) or self.meaning is None:
            return None
        return self.meaning + self.document.comparison

    def derive(self, make: Callable[[Api], T]) -> T:
        """Return the result of *make* for these definitions, the same object for all callers."""
        if make not in self._derived:
            self._derived[make] = make(self)
        made: T = self._derived[make]
        return made

    @cached_property
    def _derived(self) -> dict[Any, Any]:
        return {}


class Definitions(dict[str, Any]):
    """The document of an `Api` as it was loaded.

    ``meaning`` is a digest of everything but descriptions and summaries, and so a cache key for
    whatever depends on nothing else. ``words`` are digests of the descriptions and summaries, each
    once for each of the ``units`` (operations, components) that have it; ``find_words`` returns
    the texts for some of these digests. ``comparison`` is a digest of which of all words are equal:
    what compares versions depends on it, too. It is empty if versions have no differences.
    """

    __slots__ = ("comparison", "find_words", "meaning", "units", "words")

    meaning: bytes
    comparison: bytes
    words: tuple[str, ...]
    units: tuple[tuple[str, ...], ...]
    find_words: Callable[[Collection[str]], dict[str, str]]


@dataclass(frozen=True, kw_only=True)
class Contract:
    """The promise of one version in one environment: a plain OpenAPI document, no annotations.

    ``environment`` is a name of the version table, or ``EVERYWHERE``. Contracts of one API share
    what is equal in their documents: nobody may change one.
    """

    version: str
    environment: str
    document: dict[str, Any]


@dataclass(frozen=True, kw_only=True, order=True)
class Artifact:
    """A generated file: a relative path with forward slashes, and its bytes."""

    path: str
    content: bytes

    def move(self, path: str) -> Artifact:
        """Return the same bytes under another *path*."""
        return Artifact(path=path, content=self.content)


Keep = Callable[[Artifact], Artifact]
"""Returns an equal artifact that may be stored elsewhere than in memory."""


def in_memory(artifact: Artifact) -> Artifact:
    """Return *artifact* itself, with its bytes in memory."""
    return artifact


class Direction(Enum):
    """Who writes the changed thing, and who reads it."""

    REQUEST = "request"
    RESPONSE = "response"
    BOTH = "both"
    MODEL = "model"  # no operation reaches it; consumers may import it

    def __str__(self) -> str:
        return self.value


class Kind(Enum):
    """What happened, subject first; ``Change.keyword`` is the keyword concerned, if any."""

    OPERATION_ADDED = "operation-added"
    OPERATION_REMOVED = "operation-removed"
    PARAMETER_ADDED = "parameter-added"
    PARAMETER_REMOVED = "parameter-removed"
    PARAMETER_RENAMED = "parameter-renamed"
    PARAMETER_MOVED = "parameter-moved"
    BODY_ADDED = "body-added"
    BODY_REMOVED = "body-removed"
    MEDIA_TYPE_ADDED = "media-type-added"
    MEDIA_TYPE_REMOVED = "media-type-removed"
    RESPONSE_ADDED = "response-added"
    RESPONSE_REMOVED = "response-removed"
    HEADER_ADDED = "header-added"
    HEADER_REMOVED = "header-removed"
    HEADER_RENAMED = "header-renamed"
    LINK_CHANGED = "link-changed"
    SECURITY_CHANGED = "security-changed"
    SERVERS_CHANGED = "servers-changed"
    COMPONENT_ADDED = "component-added"
    COMPONENT_REMOVED = "component-removed"
    COMPONENT_RENAMED = "component-renamed"
    FIELD_ADDED = "field-added"
    FIELD_REMOVED = "field-removed"
    FIELD_RENAMED = "field-renamed"
    FIELD_REQUIRED = "field-required"
    FIELD_OPTIONAL = "field-optional"
    VARIANT_ADDED = "variant-added"
    VARIANT_REMOVED = "variant-removed"
    VALUE_ADDED = "value-added"
    VALUE_REMOVED = "value-removed"
    OPEN_VALUE_ADDED = "open-value-added"
    OPEN_VALUE_REMOVED = "open-value-removed"
    TYPE_ADDED = "type-added"
    TYPE_REMOVED = "type-removed"
    KEYWORD_ADDED = "keyword-added"
    KEYWORD_REMOVED = "keyword-removed"
    KEYWORD_CHANGED = "keyword-changed"
    DIALECT_CHANGED = "dialect-changed"
    DOCUMENTATION_CHANGED = "documentation-changed"
    EXTENSION_CHANGED = "extension-changed"
    OTHER = "other"  # none of the above: gated, since no rule covers it

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, kw_only=True)
class Change:
    """One difference between two contracts that a caller could see.

    Pointers (RFC 6901) lead into the document before and after; one is None if the thing does not
    exist there. ``schema`` is the component that contains it, None for inline schemas; ``field`` is
    the dotted path below the component or body (``items[].price``), empty for the component or body
    itself. ``operations`` are sorted ``METHOD /path`` (webhooks: ``WEBHOOK name``). ``before`` and
    ``after`` are the values, None if absent. ``holder_pointer`` leads, in the document that lacks
    the thing, to the object that would contain it. ``carriers`` lists the parts of messages that
    contain it: `body`, `cookie`, `header`, `path`, `query`.

    If a reference leads to another component now (keyword ``$ref``), ``within`` are the differences
    between the two: the change is as grave as the gravest of them. ``closed`` marks a field that
    could make the object invalid before, by `additionalProperties: false`, `maxProperties`,
    `propertyNames`, `not` and others. ``exclusive`` marks a change of a `oneOf` member that is not
    provably disjoint from the others: a value that fits two members is invalid, so allowing more in
    one can allow less in the whole. ``wider`` marks a parameter type that accepts every text that
    the former one accepted, as the same value. ``shared`` leads to the component in which a
    parameter got another name or place, which every operation that refers to it shows.
    """

    kind: Kind
    direction: Direction
    before_pointer: str | None
    after_pointer: str | None
    schema: str | None
    field: str
    keyword: str = ""
    operations: tuple[str, ...]
    before: Any = None
    after: Any = None
    holder_pointer: str | None = None
    carriers: tuple[str, ...] = ()
    within: tuple[Change, ...] = ()
    closed: bool = False
    exclusive: bool = False
    wider: bool = False
    shared: str = ""


class Verdict(Enum):
    """The decision of a rule about a change.

    ``additive`` applies to all versions; ``gated`` needs a new version; ``never`` is not allowed in
    any; ``information`` is worth knowing and breaks no rule. No rule decides ``invalid``, which is
    the verdict of a problem in reports.
    """

    INFORMATION = "information"
    ADDITIVE = "additive"
    GATED = "gated"
    NEVER = "never"
    INVALID = "invalid"

    def __str__(self) -> str:
        return self.value


class Policy(Enum):
    """What a finding was compared with."""

    FROZEN = "frozen"  # a published contract
    MINTED = "minted"  # the previous version
    SERVABLE = "servable"  # what the run time can serve
    TABLE = "table"  # the rules of the version table
    WAIVERS = "waivers"  # waivers.yaml itself
    INPUT = "input"  # whether sources can be read at all
    COMPARISON = "comparison"  # nothing: two documents were compared for people

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A change with a verdict, or a violation of a rule that no single change shows.

    There is one finding for each cause: ``versions``, ``environments`` and ``operations`` list all
    that are affected. ``message`` is the fact, ``help`` the rule and the way out. Pointers,
    ``schema``, ``field``, ``before`` and ``after`` are those of ``Change``. ``fingerprint`` is
    computed from rule, place and values, never from the message. ``waived`` is the reason of the
    waiver that covers it. ``within`` are the differences behind a reference, as in ``Change``.
    """

    rule: str
    verdict: Verdict
    policy: Policy
    message: str
    help: str
    fingerprint: str
    direction: Direction | None = None
    before_pointer: str | None = None
    after_pointer: str | None = None
    schema: str | None = None
    field: str = ""
    operations: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    environments: tuple[str, ...] = ()
    before: Any = None
    after: Any = None
    before_source: Place | None = None
    after_source: Place | None = None
    waived: str | None = None
    within: tuple[Change, ...] = ()
