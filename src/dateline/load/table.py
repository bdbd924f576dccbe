"""``versions.yaml`` in, the ``Table`` out; what is wrong with it becomes problems with places."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any, Final, NamedTuple

from dateline.gates import order
from dateline.load.checks.wording import did_you_mean, shown
from dateline.model import KEYS as OUR_KEYS
from dateline.model import (
    NEXT,
    NOTICE_DAYS,
    Announcement,
    Environment,
    Map,
    Place,
    Problem,
    Seq,
    Table,
    Version,
)
from dateline.openapi import OBJECTS

PRESETS: Final = ("dated-contract", "github", "wire")
"""The policies that come with the toolkit."""

VERDICTS: Final = ("additive", "gated", "never")
"""What a rule may say of a change."""

DEFAULT_HEADER: Final = "X-API-Version"
DEFAULT_POLICY: Final = "dated-contract"
DEFAULT_PACKAGE: Final = "api_models"

# Each mapping of the file: what it is called in a message, and its keys.
KEYS: Final[dict[str, tuple[str, ...]]] = {
    "the version table": (
        *("header", "default", "annotation", "versions", "environments"),
        *("announcements", "ignores-header", "policy", "require-why", "python", "lint"),
    ),
    "an announcement": ("default", "ends", "from", "announced"),
    "a version": ("date", "title", "draft", "undisclosed"),
    "an environment": ("servers",),
    "a server": tuple(OBJECTS["server"]),
    "a server variable": tuple(OBJECTS["server-variable"]),
    "policy": ("preset", "rules", "notice-days"),
    "python": ("package",),
}

# The mappings that are OpenAPI's own: there a foreign `x-` key is none of our business.
_OPENAPI: Final = frozenset({"a server", "a server variable"})

_TYPES: Final[dict[type, str]] = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    Map: "a mapping",
    Seq: "a list",
}

# Grammars, in the dialect that Python and JSON Schema (ECMA-262) share: an editor reads them too.
HEADER_NAME: Final = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # a token: RFC 9110 section 5.6.2
ENVIRONMENT_NAME: Final = r"[a-z][a-z0-9-]{0,63}"
PACKAGE_NAME: Final = r"[a-z][a-z0-9_]{0,63}"
RULE_ID: Final = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*"

# RFC 3986 section 3 without user information, query and fragment, which a server address can't
# have (OpenAPI 3.1.1 section 4.8.5), and without quotes; `{name}` stands for a server variable.
_VARIABLE: Final = r"\{([A-Za-z0-9_.-]+)\}"
_HOST: Final = r"(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~-]|\{[A-Za-z0-9_.-]+\})+)"
_PORT: Final = r"(?::(?:[0-9]{1,5}|\{[A-Za-z0-9_.-]+\}))?"
_PATH: Final = r"/(?:[A-Za-z0-9._~!$&()*+,;=:@/%-]|\{[A-Za-z0-9_.-]+\})*"
SERVER_URL: Final = rf"(?:https?://{_HOST}{_PORT}(?:{_PATH})?|(?!//){_PATH})"

_DATE: Final = re.compile(r"([0-9]{4})-?([0-9]{1,2})-?([0-9]{1,2})")

# Names that some file systems keep for devices: an environment or a package becomes a folder.
_DEVICES: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)
# What the generated package imports: under such a name it would import itself.
_IMPORTED: Final = frozenset(
    {"annotated_types", "dateline", "dateline_runtime", "pydantic", "pydantic_core"}
    | {"typing_extensions", "typing_inspection"}
)


class Complaint(NamedTuple):
    """What is wrong with a value: the id of the problem and its message."""

    id: str
    message: str


Check = Callable[[Any], Complaint | None]


def read_table(document: Map, problems: list[Problem]) -> Table | None:
    """Return the version table that *document*, the content of ``versions.yaml``, describes.

    Every problem found is appended to *problems*; None is returned when there is one.
    """
    reading = _Reading()
    table = reading.table(document)
    problems += reading.problems
    return None if reading.problems else table


def canonical_date(text: str) -> bool:
    """Tell whether *text* is a day of the calendar, spelled ``YYYY-MM-DD``."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


class _Reading:
    """One reading of the file: the problems so far, and a method for each part."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def table(self, node: Map) -> Table:
        self._known_keys(node, "the version table")
        adopted = self._value(node, "lint", _one_of("authored", "adopted"), "authored") == "adopted"
        versions = tuple(self._versions(node))
        preset, rules, notice = self._policy(node)
        return Table(
            header=self._value(node, "header", _header, DEFAULT_HEADER),
            default=self._default(node, versions),
            annotation=self._annotation(node, versions),
            versions=versions,
            environments=tuple(self._environments(node, adopted)),
            announcements=tuple(self._announcements(node)),
            ignoring_tags=tuple(self._items(node, "ignores-header", _line)),
            policy=preset,
            overrides=rules,
            notice_days=notice,
            require_why=self._value(node, "require-why", _flag, False),
            package=self._package(node),
            adopted=adopted,
            places=_places(node),
        )

    # versions

    def _versions(self, node: Map) -> list[Version]:
        rows = self._required(node, "versions", _rows, "list the versions, oldest first")
        if rows is None:
            return []
        versions = [
            version
            for index, row in enumerate(rows)
            if (version := self._version(row, rows.place(index))) is not None
        ]
        self._in_order(versions)
        if len(versions) < len(rows):
            # the date of the unreadable row must not be called unknown elsewhere
            return []
        if all(version.draft for version in versions):
            self._note(
                node.place("versions"),
                "no-supported-version",
                "every version is a draft; callers need one: drop its `draft: true`",
            )
        return versions

    def _version(self, row: Any, place: Place) -> Version | None:
        if not self._holds(row, Map, place, "write { date: 2026-07-01, title: ... }"):
            return None
        self._known_keys(row, "a version")
        day = self._required(row, "date", _date, "write `date: YYYY-MM-DD`")
        title = self._required(row, "title", _line, "say in one sentence what callers will notice")
        draft = self._value(row, "draft", _flag, False)
        undisclosed = self._value(row, "undisclosed", _flag, False)
        if day is None:
            return None
        return Version(
            date=day,
            title=title or "",
            draft=draft,
            undisclosed=undisclosed,
            place=row.place("date", value=True),
        )

    def _in_order(self, versions: list[Version]) -> None:
        seen: dict[str, Version] = {}
        newest: Version | None = None
        for version in versions:
            complaint = _misplaced(version, seen.get(version.date), newest)
            if complaint is None:
                newest = seen[version.date] = version
            else:
                self._note(version.place, *complaint)

    def _default(self, node: Map, versions: tuple[Version, ...]) -> str:
        supported = [version.date for version in versions if not version.draft]
        # the oldest: the one that doesn't move when a version is cut
        fallback = supported[0] if supported else ""
        day: str = self._value(node, "default", _date, fallback)
        if supported and day not in supported:
            self._note(
                node.place("default", value=True),
                "default-unsupported",
                f"{day} is a draft; only a version that is cut can be served without the header"
                if day in {version.date for version in versions}
                else f"no version {day} in the table{did_you_mean(day, supported)}",
            )
        return day

    def _annotation(self, node: Map, versions: tuple[Version, ...]) -> str | None:
        day: str | None = self._value(node, "annotation", _date, None)
        dates = [version.date for version in versions]
        if day is not None and dates and day not in dates:
            self._note(
                node.place("annotation", value=True),
                "annotation-unknown",
                f"no version {day} in the table{did_you_mean(day, dates)}",
            )
        return day

    # announcements

    def _announcements(self, node: Map) -> Iterator[Announcement]:
        rows = self._value(node, "announcements", _sequence, Seq())
        seen: dict[tuple[str, str], Place] = {}
        for index, row in enumerate(rows):
            way_out = "write { ends: 2026-07-01, from: 2027-07-01, announced: 2027-01-01 }"
            if not self._holds(row, Map, rows.place(index), way_out):
                continue
            self._known_keys(row, "an announcement")
            kinds = [kind for kind in ("default", "ends") if kind in row]
            if len(kinds) != 1:
                self._note(
                    row.place(),
                    "announcement-kind",
                    "an announcement says one thing: `default: DATE`, the version that becomes "
                    "the default, or `ends: DATE`, the version that is served no longer",
                )
                continue
            version = self._value(row, kinds[0], _day, None)
            day = self._required(row, "from", _day, "say from which day on")
            announced = self._required(row, "announced", _day, "say when callers are told")
            if version is None or day is None or announced is None:
                continue
            if announced > day:
                self._note(
                    row.place("announced", value=True),
                    "announced-late",
                    f"announced on {announced} and in force from {day}; callers are told before",
                )
            elif (twin := seen.setdefault((kinds[0], version), row.place())) != row.place():
                self._note(
                    row.place(),
                    "announcement-twice",
                    f"`{kinds[0]}: {version}` is announced at {twin} already; leave one out",
                )
            else:
                yield Announcement(
                    kind=kinds[0],
                    version=version,
                    day=day,
                    announced=announced,
                    place=row.place(),
                )

    # environments

    def _environments(self, node: Map, adopted: bool) -> Iterator[Environment]:
        if adopted and "environments" not in node:
            yield Environment(name="production", servers=(), place=node.place())
            return
        named = self._required(
            node, "environments", _environments, "name one, with the servers it has"
        )
        for name, below in (named or {}).items():
            if complaint := _environment_name(name):
                self._note(named.place(name), *complaint)
            place = named.place(name, value=True)
            if self._holds(below, Map, place, "write { servers: [{ url: https://... }] }"):
                self._known_keys(below, "an environment")
                servers = tuple(self._servers(below, adopted))
                at = below.place("servers") if servers else named.place(name)
                yield Environment(name=name, servers=servers, place=at)

    def _servers(self, node: Map, adopted: bool) -> Iterator[Map]:
        if adopted and "servers" not in node:
            return
        servers = self._required(node, "servers", _rows, "list where it is served")
        for index, server in enumerate(servers or ()):
            if self._holds(server, Map, servers.place(index), "write { url: https://... }"):
                self._server(server)
                yield server

    def _server(self, server: Map) -> None:
        self._known_keys(server, "a server")
        url = self._required(server, "url", _server_url, "write `url: https://...`")
        self._value(server, "description", _text, "")
        variables = self._value(server, "variables", _mapping, {})
        for name, variable in variables.items():
            place = variables.place(name, value=True)
            if self._holds(variable, Map, place, "write { default: ... }"):
                self._variable(variable)
        used = dict.fromkeys(re.findall(_VARIABLE, url or ""))
        for name in [name for name in used if name not in variables]:
            self._note(
                server.place("url", value=True),
                "server-variable-missing",
                f"{{{name}}} is not among the server's variables; "
                f"write `variables: {{ {name}: {{ default: ... }} }}`",
            )
        for name in [name for name in variables if url and name not in used]:
            self._note(
                variables.place(name),
                "server-variable-unused",
                f"the address {url!r} has no {{{name}}}{did_you_mean(name, used)}",
            )

    def _variable(self, variable: Map) -> None:
        self._known_keys(variable, "a server variable")
        self._value(variable, "description", _text, "")
        default = self._required(variable, "default", _text, "say what is used without a choice")
        values = list(self._items(variable, "enum", _text))
        if default is not None and values and default not in values:
            self._note(
                variable.place("default", value=True),
                "server-variable-default",
                f"{default!r} is not in the variable's `enum`{did_you_mean(default, values)}",
            )

    # the rest

    def _policy(self, node: Map) -> tuple[str, dict[str, str], int]:
        written = node.get("policy", DEFAULT_POLICY)
        if not isinstance(written, Map):
            preset = self._value(node, "policy", _one_of(*PRESETS), DEFAULT_POLICY)
            return preset, {}, NOTICE_DAYS
        self._known_keys(written, "policy")
        preset = self._required(
            written, "preset", _one_of(*PRESETS), "name the rules to start from"
        )
        rules = self._value(written, "rules", _mapping, {})
        for rule in rules:
            if complaint := _rule(rule):
                self._note(rules.place(rule), *complaint)
        verdicts = {rule: self._value(rules, rule, _one_of(*VERDICTS), "") for rule in rules}
        notice = self._value(written, "notice-days", _count, NOTICE_DAYS)
        return preset or DEFAULT_POLICY, verdicts, notice

    def _package(self, node: Map) -> str:
        python = self._value(node, "python", _mapping, Map())
        if not python:
            return DEFAULT_PACKAGE
        self._known_keys(python, "python")
        package: str = self._value(python, "package", _package, DEFAULT_PACKAGE)
        return package

    # taking values out of a mapping

    def _note(self, place: Place, id: str, message: str) -> None:
        self.problems.append(Problem(place=place, id=id, message=message))

    def _known_keys(self, node: Map, what: str) -> None:
        for key in node:
            foreign = what in _OPENAPI and key.startswith("x-") and key not in OUR_KEYS
            if foreign or key in KEYS[what]:
                continue
            self._note(
                node.place(key),
                "unknown-key",
                f"{key!r} is no key of {what}{did_you_mean(key, KEYS[what])}",
            )

    def _value(self, node: Map, key: str, check: Check, default: Any) -> Any:
        """Return what stands under *key*; *default* where nothing valid does."""
        if key not in node:
            return default
        complaint = check(node[key])
        if complaint is None:
            return node[key]
        self._note(node.place(key, value=True), *complaint)
        return default

    def _required(self, node: Map, key: str, check: Check, way_out: str) -> Any:
        if key not in node:
            self._note(node.place(), "missing-key", f"`{key}` is missing; {way_out}")
        return self._value(node, key, check, None)

    def _items(self, node: Map, key: str, check: Check) -> Iterator[str]:
        """Yield the valid items of the list under *key*, and note one that stands there twice."""
        rows = self._value(node, key, _sequence, Seq())
        seen: set[str] = set()
        for index, item in enumerate(rows):
            if complaint := check(item):
                self._note(rows.place(index), *complaint)
            elif item in seen:
                self._note(rows.place(index), "item-twice", f"{item!r} stands in the list already")
            else:
                seen.add(item)
                yield item

    def _holds(self, value: Any, expected: type, place: Place, way_out: str) -> bool:
        if isinstance(value, expected):
            return True
        self._note(
            place, "wrong-type", f"{shown(value)} where {_TYPES[expected]} belongs; {way_out}"
        )
        return False


def _places(node: Map) -> dict[str, Place]:
    """Return where the keys of the file are written, and the rules of its policy."""
    policy = node.get("policy")
    rules = policy.get("rules") if isinstance(policy, Map) else None
    return {
        **({rule: rules.place(rule) for rule in rules} if isinstance(rules, Map) else {}),
        **{key: node.place(key) for key in node},
    }


# What is wrong with a value; None where nothing is.


def _typed(expected: type) -> Check:
    def check(value: Any) -> Complaint | None:
        if type(value) is expected:
            return None
        return Complaint("wrong-type", f"{shown(value)} where {_TYPES[expected]} belongs")

    return check


_text: Final = _typed(str)
_flag: Final = _typed(bool)
_whole: Final = _typed(int)
_mapping: Final = _typed(Map)
_sequence: Final = _typed(Seq)


def _count(value: Any) -> Complaint | None:
    negative = Complaint("negative", f"{value!r} days are none; write 0 or more")
    return _whole(value) or (negative if value < 0 else None)


def _rows(value: Any) -> Complaint | None:
    return _sequence(value) or (None if value else Complaint("empty-list", "the list is empty"))


def _environments(value: Any) -> Complaint | None:
    empty = Complaint("no-environment", "there is no environment; name one, such as `production`")
    return _mapping(value) or (None if value else empty)


def _one_of(*known: str) -> Check:
    def check(value: Any) -> Complaint | None:
        if value in known:
            return None
        return _text(value) or Complaint(
            "unknown-value", f"{value!r} is none of the values here{did_you_mean(value, known)}"
        )

    return check


def _line(value: Any) -> Complaint | None:
    if complaint := _text(value):
        return complaint
    if not value.strip():
        return Complaint("blank-text", "the text is blank; write one line")
    if len(value.splitlines()) > 1:
        return Complaint("several-lines", f"{value!r} has several lines; write one")
    return None


def _matching(pattern: str, id: str, law: str) -> Check:
    def check(value: Any) -> Complaint | None:
        if complaint := _text(value):
            return complaint
        return (
            None if re.fullmatch(pattern, value) else Complaint(id, f"{shown(value)} is not {law}")
        )

    return check


_header: Final = _matching(
    HEADER_NAME,
    "header-name",
    "a header name; use letters, digits and hyphens (RFC 9110 section 5.6.2)",
)
_server_url: Final = _matching(
    SERVER_URL,
    "server-url",
    "an address to serve from; write http://..., https://... or a path from /, "
    "without a query or a fragment",
)
_rule: Final = _matching(RULE_ID, "rule-name", "the id of a rule; they look like `variant-added`")
_environment_word: Final = _matching(
    ENVIRONMENT_NAME,
    "environment-name",
    "an environment's name; use a lower-case letter, then such letters, digits and hyphens, "
    "64 at most",
)
_package_word: Final = _matching(
    PACKAGE_NAME,
    "package-name",
    "a package name; use a lower-case letter, then such letters, digits and `_`, 64 at most",
)


def _environment_name(value: Any) -> Complaint | None:
    return _environment_word(value) or _reserved(value, "environment-name")


def _package(value: Any) -> Complaint | None:
    if complaint := _package_word(value) or _reserved(value, "package-name"):
        return complaint
    if keyword.iskeyword(value):
        return Complaint("package-name", f"{value!r} is a word of Python; choose another name")
    if value in sys.stdlib_module_names or value in _IMPORTED:
        return Complaint(
            "package-name",
            f"{value!r} is a module that the generated code imports or Python brings; "
            "choose another name",
        )
    return None


def _reserved(value: str, id: str) -> Complaint | None:
    if value not in _DEVICES:
        return None
    return Complaint(id, f"{value!r} can't be a folder's name on every system; choose another")


def _date(value: Any) -> Complaint | None:
    if value == NEXT or (isinstance(value, str) and canonical_date(value)):
        return None
    shown = str(value) if type(value) in (str, int) else ""
    parts = _DATE.fullmatch(shown)
    padded = "-".join((parts[1], parts[2].zfill(2), parts[3].zfill(2))) if parts else ""
    if padded and canonical_date(padded):
        return Complaint("date", f"{value!r} is not a canonical YYYY-MM-DD date; write {padded}")
    if padded == value:
        return Complaint("date", f"{value!r} is not a day of the calendar; write one, or `next`")
    return _text(value) or Complaint(
        "date",
        f"{value!r} is not a canonical YYYY-MM-DD date; write one, or `next` for the version "
        f"being prepared",
    )


def _day(value: Any) -> Complaint | None:
    if value == NEXT:
        return Complaint("date", "'next' is no date yet; write a canonical YYYY-MM-DD date")
    return _date(value)


def _misplaced(version: Version, twin: Version | None, before: Version | None) -> Complaint | None:
    """Return what is wrong with *version* after *before*, which stands last of those in order."""
    if twin is not None:
        return Complaint(
            "version-twice",
            f"{version.date} stands at {twin.place} already; leave one of the two out",
        )
    if version.date == NEXT and not version.draft:
        return Complaint(
            "next-is-cut",
            "`next` is the version being prepared; give it `draft: true`, or a date",
        )
    if before is None:
        return None
    if order(version.date) < order(before.date):
        return Complaint(
            "version-order",
            f"{version.date} stands after {before.date} ({before.place}); write the versions "
            "oldest first, `next` last",
        )
    if before.draft and not version.draft:
        return Complaint(
            "draft-before-cut",
            f"{version.date} stands after the draft {before.date} ({before.place}); drafts stand "
            "at the end",
        )
    return None
