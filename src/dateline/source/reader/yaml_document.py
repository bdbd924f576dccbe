"""Read the text of a YAML file."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple, NoReturn

import yaml

from dateline.collector import collection_off
from dateline.model import Map, Place, Problem, Seq, pack
from dateline.source.problems import (
    EMPTY,
    EQUAL_TWICE,
    Log,
    are_same,
    duplicate,
    line_and_column,
    short,
    word_at,
)
from dateline.source.reader.characters import HALF_CHARACTER, text_refusals
from dateline.source.reader.expansion import (
    MERGE,
    STANDARD_TAGS,
    Expansion,
    apply_merges,
    place_of,
    read_tag,
)
from dateline.source.reader.limits import Limits, too_deep, too_many
from dateline.source.scalars import RefusedError, adopted_value, authored_value, key_refusal

# The reader in C, many times faster, if PyYAML was built with it.
LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# Escapes in double quotes that can stand for a forbidden character.
RISKY_ESCAPE: Final = re.compile(r"\\[0abefvNLPxuU]")

# Each handle is compared with all before it: a file of nothing else would take minutes.
_TAG_DIRECTIVE: Final = re.compile("^%TAG", re.MULTILINE)

_UNKNOWN: Final = object()

_NOT_A_KEY: Final = "a mapping or list can't be a key; put a text with {{ }} in quotes"
_NOT_A_MAPPING: Final = "the file must contain a mapping; write `key: value` lines"
_UNCLOSED: Final = (
    "the text in quotes that begins here goes on over lines that begin further left; close it "
    "with the same quote, or indent what belongs to it"
)
_SEVERAL: Final = "a second document begins here; put it into a file of its own"


class _Complaint(NamedTuple):
    """A part of a message of PyYAML's parsers, and our message for it."""

    part: str
    message: str
    kind: str = "yaml-syntax"
    at_opening: bool = False


_COMPLAINTS: Final = (
    _Complaint(
        "mapping values are not allowed",
        "':' can't be here; quote text that contains ': ', and align keys",
    ),
    _Complaint("tab character", "a tab can't indent; use spaces"),
    _Complaint("cannot start any token", "{found} can't begin a text; put the text in quotes"),
    _Complaint("alphabetic or numeric", "* and & can't begin a text; put the text in quotes"),
    _Complaint(
        "quoted scalar: found unexpected",
        "the text in quotes that begins here never ends; close it with the same quote",
        at_opening=True,
    ),
    _Complaint("unknown escape", "no such escape; double the backslash, or use single quotes"),
    _Complaint("Unicode character escape", HALF_CHARACTER, "lone-surrogate", at_opening=True),
    _Complaint("document start", _SEVERAL, "several-documents"),
    _Complaint(
        "could not find expected ':'",
        "the key that begins here has no ':'; write `key: value`",
        at_opening=True,
    ),
    _Complaint("node content", "{found} can't be here; write a value, or text in quotes"),
    _Complaint(
        "directive",
        "no directive but %YAML is known; delete this line",
        at_opening=True,
    ),
    _Complaint(
        "parsing a flow ",
        "{found} can't follow in the brackets that open at {opening}; look for a missing , or "
        "closing bracket",
    ),
    _Complaint(
        "parsing a block ",
        "{found} can't follow in what begins at {opening}; align it, or put the text in quotes",
    ),
    _Complaint("", "{found} can't be here; put the text in quotes"),
)


class YamlReader:
    """Builds the mappings and lists of one YAML text from its events."""

    def __init__(
        self, text: str, limits: Limits, adopted: bool, log: Log, *, published: bool = False
    ) -> None:
        self._text = text
        self._is_part = False
        self._is_published = published
        # in a published text, the values under keys that are there already, and under merge keys
        self._doubles: list[tuple[Map, str, tuple[int, int], Any]] = []
        self.notes: list[Problem] = []
        """equal values under equal keys, which are read once in a *published* text"""
        self.has_anchors = False
        """whether a *published* text has parts that belong to several places"""
        self._limits = limits
        self._adopted = adopted
        self._log = log
        # no character takes more than four bytes
        self._most_characters = limits.text // 4
        self._anchors: set[str] = set()
        # The values of the plain keys and values so far; equal texts become one object.
        self._keys: dict[str, str] = {}
        self._values: dict[str, Any] = {}

    def read(self) -> Map:
        """Return the content; raises StoppedError if the text is not YAML to its end."""
        root = self._read()
        assert isinstance(root, Map)  # anything else was refused
        return root

    def read_part(self) -> Map | Seq:
        """Return the content of a part of a document, which may be a list, as ``read`` does."""
        self._is_part = True
        return self._read()

    def _read(self) -> Map | Seq:
        if found := _TAG_DIRECTIVE.search(self._text):
            place = line_and_column(self._text, found.start())
            self._log.stop(*place, "tag-used", "tags are not read; delete the %TAG line")
        loader = LOADER(self._text.encode())
        try:
            with collection_off():
                return self._document(loader.get_event)
        except yaml.MarkedYAMLError as error:
            self._stop_at(error)
        finally:
            loader.dispose()

    def _document(self, get_event: Callable[[], Any]) -> Map | Seq:
        """Return the mapping or list that is the only document among the events."""
        get_event()
        if isinstance(get_event(), yaml.StreamEndEvent):
            self._log.stop(1, 1, *EMPTY)
        first = get_event()
        is_list = self._is_part and isinstance(first, yaml.SequenceStartEvent)
        if not is_list and not isinstance(first, yaml.MappingStartEvent):
            if isinstance(first, yaml.ScalarEvent) and not (first.style or first.value):
                self._log.stop(1, 1, *EMPTY)
            self._log.stop(*place_of(first), "not-a-mapping", _NOT_A_MAPPING)
        if first.anchor is not None:
            get_event = self._read_anchor(first, get_event)
        if first.tag is not None:
            self._read_tag(first, is_key=False)
        root: Map | Seq = Seq() if is_list else Map()
        root.file = self._log.file
        root.mark = pack(*place_of(first))
        root.marks = []
        self._fill(root, get_event)
        self._judge_doubles()
        get_event()
        after = get_event()
        if not isinstance(after, yaml.StreamEndEvent):
            self._log.stop(*place_of(after), "several-documents", _SEVERAL)
        return root

    def _fill(self, root: Map | Seq, get_event: Callable[[], Any]) -> None:
        """Fill *root* from the events up to its end.

        One loop without recursion and with few calls: it runs for every node of documents with
        hundreds of thousands of nodes, and nesting must not reach the interpreter's stack. Depth
        and number are checked for each event before an object is created.
        """
        scalar, alias = yaml.ScalarEvent, yaml.AliasEvent
        mapping, mapping_end = yaml.MappingStartEvent, yaml.MappingEndEvent
        sequence_end = yaml.SequenceEndEvent
        keys, values = self._keys, self._values
        most_nodes, most_around = self._limits.nodes, self._limits.depth - 1
        most_characters = self._most_characters
        risky = RISKY_ESCAPE.search(self._text) is not None
        nodes = 1
        # the containers around the current one, each with whether it is a mapping
        stack: list[tuple[Any, bool]] = []
        here: Any = root
        in_map = wants_key = isinstance(root, Map)
        key, key_mark, fresh, twice = "", 0, True, (0, 0)
        while True:
            event = get_event()
            kind = type(event)
            if kind is mapping_end or kind is sequence_end:
                if not stack:
                    return
                here, in_map = stack.pop()
                wants_key = in_map
                continue
            start = event.start_mark
            mark = pack(start.line + 1, start.column + 1)
            nodes += 1
            if nodes > most_nodes:
                self._log.stop(*place_of(event), *too_many(self._limits))
            if event.anchor is not None:
                get_event = self._read_anchor(event, get_event)
            if kind is alias:
                value = "*" + event.anchor
            elif event.tag is not None:
                event = self._read_tag(event, is_key=wants_key)
            if kind is scalar:
                value = event.value
                if event.style:
                    if event.end_mark.line != start.line and event.style in "'\"":
                        self._check_lines(event)
                    if len(value) > most_characters or (risky and event.style == '"'):
                        self._check_text(value, event)
                elif wants_key:
                    value = keys.get(value) or self._key(event)
                else:
                    value = values.get(value, _UNKNOWN)
                    if value is _UNKNOWN:
                        value = self._value(event)
            elif kind is not alias:
                if wants_key:
                    self._log.stop(*place_of(event), "key-not-text", _NOT_A_KEY)
                if len(stack) >= most_around:
                    self._log.stop(*place_of(event), *too_deep(self._limits))
                value = Map() if kind is mapping else Seq()
                value.file = root.file
                value.mark = mark
                value.marks = []
            if wants_key:
                key, key_mark = value, mark
                wants_key = False
                fresh = key not in here and key is not MERGE
                if not fresh:
                    twice = place_of(event)
                    if not self._is_published:
                        self._log.note(*twice, *duplicate(key, here.place(key)))
                continue
            if not in_map:
                here.append(value)
                here.marks.append(mark)
            elif fresh:
                here[key] = value
                here.marks += (key_mark, mark)
            elif self._is_published:
                self._doubles.append((here, key, twice, value))
            if kind is scalar or kind is alias:
                wants_key = in_map
            else:
                stack.append((here, in_map))
                here = value
                in_map = wants_key = kind is mapping

    # The rare cases, out of the loop.

    def _judge_doubles(self) -> None:
        doubles = self._doubles
        apply_merges((each for each in doubles if each[1] is MERGE), self._log)
        # what an alias stands for is read several times
        by_place = {each[2]: each for each in doubles if each[1] is not MERGE}
        for here, key, place, value in by_place.values():
            kind, message = duplicate(key, here.place(key))
            if are_same(here[key], value):
                at = Place(self._log.file, *place)
                self.notes.append(Problem(place=at, id=kind, message=EQUAL_TWICE))
            else:
                self._log.note(*place, kind, message)

    def _key(self, event: Any) -> str:
        """Return the value of a plain key: its own text, refused or not."""
        text: str = event.value
        if self._is_published and text == "<<":
            return MERGE
        if len(text) > self._most_characters:
            self._check_text(text, event)
        refusal = None if self._adopted else key_refusal(text)
        if refusal is None:
            self._keys[text] = text
        else:
            self._log.note(*place_of(event), *refusal)
        return text

    def _value(self, event: Any) -> Any:
        """Return the value of a plain scalar; its own text if it is refused."""
        text: str = event.value
        if len(text) > self._most_characters:
            self._check_text(text, event)
        try:
            value = adopted_value(text) if self._adopted else authored_value(text)
        except RefusedError as refused:
            self._log.note(*place_of(event), refused.kind, refused.message)
            return text
        if len(text) <= self._most_characters:
            self._values[text] = value
        return value

    def _check_text(self, text: str, event: Any) -> None:
        for refusal in text_refusals(text, self._limits.text, adopted=self._adopted):
            self._log.note(*place_of(event), *refusal)

    def _check_lines(self, event: Any) -> None:
        """Report quotes that continue on lines with too little indentation, as unclosed ones do.

        YAML 1.2.2, section 7.3, requires more indentation than that of the mapping; PyYAML doesn't.
        """
        begin = self._text.rfind("\n", 0, event.start_mark.index) + 1
        first, *lines = self._text[begin : event.end_mark.index].split("\n")
        indent = len(first) - len(first.lstrip())
        if self._adopted or first[indent:].startswith(event.style):
            return
        for line in lines:
            text = line.strip()
            if text and len(line) - len(line.lstrip()) <= indent and text != event.style:
                self._log.note(*place_of(event), "quote-unclosed", _UNCLOSED)
                return

    def _read_anchor(self, event: Any, get_event: Callable[[], Any]) -> Callable[[], Any]:
        """Return what yields the events after *event*, which has an anchor or is an alias.

        Outside of published texts, report an anchor; an alias only if nothing comes after it.
        """
        name = event.anchor
        if self._is_published:
            self.has_anchors = True
            return Expansion(get_event, self._limits, self._log).begin(event)
        if not isinstance(event, yaml.AliasEvent):
            self._anchors.add(name)
            message = f"&{name} can't be reused; write the value out in place of *{name}"
        elif name not in self._anchors:
            message = f"*{name} is an alias without an anchor; put the text in quotes"
        else:
            return get_event
        self._log.note(*place_of(event), "anchor-used", message)
        return get_event

    def _read_tag(self, event: Any, *, is_key: bool) -> Any:
        """Return *event* as it is without its tag; report the tag if it can't be read."""
        if self._is_published:
            try:
                return read_tag(event, is_key=is_key)
            except RefusedError as refused:
                # an alias of it need not say the same again
                event.tag = None
                self._log.note(*place_of(event), refused.kind, refused.message)
                return event
        tag = event.tag
        if tag.startswith(STANDARD_TAGS):
            tag = "!!" + tag.removeprefix(STANDARD_TAGS)
        message = f"the tag {short(tag)} is not read; delete it, or put the text in quotes"
        self._log.note(*place_of(event), "tag-used", message)
        return event

    def _stop_at(self, error: Any) -> NoReturn:
        mark = error.problem_mark
        problem = f"{error.context}: {error.problem}"
        if self._text.startswith("\t", mark.index):
            problem = "tab character"
        complaint = next(complaint for complaint in _COMPLAINTS if complaint.part in problem)
        opening = error.context_mark or mark
        message = complaint.message.format(
            found=word_at(self._text, mark.index),
            opening=Place(self._log.file, opening.line + 1, opening.column + 1),
        )
        if complaint.at_opening:
            mark = opening
        self._log.stop(mark.line + 1, mark.column + 1, complaint.kind, message)
