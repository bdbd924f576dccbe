"""Anchors, aliases, merge keys and the tags of YAML itself, as values that JSON has.

Sources: YAML 1.2.2, sections 3.2.2.2 (anchors and aliases), 6.9.1 (tags) and 10 (schemas); the
types of YAML 1.1 at https://yaml.org/type/ (`merge`, `binary`, `timestamp`).
"""

from __future__ import annotations

import binascii
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

import yaml

from dateline.model import Map
from dateline.source.problems import Log, are_same, duplicate, short
from dateline.source.reader.limits import Limits
from dateline.source.scalars import RefusedError, adopted_value, format_number

MERGE: Final = "\ud800<<"
"""Stands for a merge key: no text that is accepted has half of a character."""

STANDARD_TAGS: Final = "tag:yaml.org,2002:"
"""The tag prefix that the parser expands `!!` to."""

_MOST_REPLAYED: Final = 1_000_000
"""How many keys and values aliases may stand for: they multiply where aliases are nested."""


@dataclass(slots=True)
class _Node:
    """An anchored node: its events are ``events[start:end]``; there is no end while it is open."""

    events: list[Any]
    start: int
    depth: int
    end: int | None = None
    characters: int = 0


class Expansion:
    """Replaces each alias among the events of a text by the events of the node that it names."""

    def __init__(self, get_event: Callable[[], Any], limits: Limits, log: Log) -> None:
        self._get_event = get_event
        self._log = log
        self._nodes_left = _MOST_REPLAYED
        self._characters_left = limits.size
        self._anchors: dict[str, _Node] = {}
        # the events since the outermost open node began, and the nodes that are open
        self._events: list[Any] = []
        self._open: list[_Node] = []
        self._depth = 0
        # the rest of the events that an alias stands for
        self._replayed: list[Any] = []

    def begin(self, event: Any) -> Callable[[], Any]:
        """Take *event*, the first with an anchor or alias; return what yields all later events."""
        if type(event) is yaml.AliasEvent:
            self._replay(event)
        self._take(event)
        return self.get_event

    def get_event(self) -> Any:
        """Return the next event: no alias, and without an anchor."""
        event = self._replayed.pop() if self._replayed else self._get_event()
        while type(event) is yaml.AliasEvent:
            self._replay(event)
            event = self._replayed.pop()
        self._take(event)
        return event

    def _take(self, event: Any) -> None:
        """Record *event* if it belongs to an anchored node."""
        name = getattr(event, "anchor", None)
        if name is not None:
            event.anchor = None
            node = _Node(self._events, len(self._events), self._depth)
            self._anchors[name] = node
            self._open.append(node)
        if not self._open:
            return
        self._events.append(event)
        if isinstance(event, yaml.CollectionStartEvent):
            self._depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            self._depth -= 1
        while self._open and self._open[-1].depth == self._depth:
            node = self._open.pop()
            node.end = len(node.events)
            node.characters = sum(len(getattr(e, "value", "")) for e in node.events[node.start :])
        if not self._open:
            self._events = []

    def _replay(self, alias: Any) -> None:
        """Let the events of the node that *alias* names come next; StoppedError if it can't be."""
        node = self._anchors.get(alias.anchor)
        name = short(alias.anchor)
        if node is None:
            message = f"*{name} is an alias without an anchor; put the text in quotes"
        elif node.end is None:
            message = f"*{name} is within the value that &{name} names, which would have no end"
        else:
            self._nodes_left -= node.end - node.start
            self._characters_left -= node.characters
            if self._nodes_left >= 0 and self._characters_left >= 0:
                self._replayed = node.events[node.start : node.end][::-1]
                return
            message = f"with *{name}, aliases stand for more keys, values or text than can be read"
        self._log.stop(*place_of(alias), "anchor-used", message)


def read_tag(event: Any, *, is_key: bool) -> Any:
    """Return *event* as it is without its tag: one of YAML's own, or `!`.

    Raises RefusedError for other tags, and for a value that is not of the type.
    """
    full: str = event.tag
    tag = full.removeprefix(STANDARD_TAGS)
    if not isinstance(event, yaml.ScalarEvent):
        kind = "map" if isinstance(event, yaml.MappingStartEvent) else "seq"
        if tag not in (kind, "!"):
            raise _tag_error(full)
        return event
    text = event.value
    if tag == "merge" and is_key and text == "<<":
        return _scalar(event, text, is_plain=True)
    if tag not in _PLAIN and tag not in _TEXT:
        raise _tag_error(full)
    try:
        plain = _PLAIN[tag](text) if tag in _PLAIN else None
        if plain is not None and not is_key:
            return _scalar(event, plain, is_plain=True)
        return _scalar(event, _read_binary(text) if tag == "binary" else text, is_plain=False)
    except (KeyError, ValueError) as error:
        raise _tag_error(full, text) from error


def _scalar(event: Any, text: str, *, is_plain: bool) -> Any:
    style = None if is_plain else event.style or "'"
    implicit = (is_plain, not is_plain)
    return yaml.ScalarEvent(
        None, None, implicit, text, event.start_mark, event.end_mark, style=style
    )


def _read_integer(text: str) -> str:
    sign = text[: text.startswith(("+", "-"))]
    if text[len(sign) :].startswith("0x"):
        return str(int(text, 16))
    if type(adopted_value(text)) is not int:
        raise ValueError
    return text


def _read_float(text: str) -> str:
    value = adopted_value(text)
    if type(value) not in (int, float):
        raise ValueError
    return format_number(float(value))


def _read_null(text: str) -> str:
    if adopted_value(text) is not None:
        raise ValueError
    return text


def _read_binary(text: str) -> str:
    encoded = "".join(text.split())
    binascii.a2b_base64(encoded, strict_mode=True)
    return encoded


# YAML 1.1 has more words than 1.2, but no reader takes them for anything else if there is a tag.
_BOOLEANS: Final = {
    **dict.fromkeys(("true", "yes", "on"), "true"),
    **dict.fromkeys(("false", "no", "off"), "false"),
}
_PLAIN: Final[dict[str, Callable[[str], str]]] = {
    "int": _read_integer,
    "float": _read_float,
    "bool": lambda text: _BOOLEANS[text.lower()],
    "null": _read_null,
}
"""Functions that return a plain scalar that means the same as a text with the tag."""
_TEXT: Final = ("!", "str", "binary", "timestamp")


def _tag_error(tag: str, text: str | None = None) -> RefusedError:
    name = short("!!" + tag.removeprefix(STANDARD_TAGS) if tag.startswith(STANDARD_TAGS) else tag)
    message = f"the tag {name} has no counterpart in JSON here"
    if text is not None:
        message = (
            f"not every reader of YAML reads {short(text)!a} with the tag {name}, or all alike"
        )
    return RefusedError("tag-used", message)


def apply_merges(merges: Iterable[tuple[Map, str, tuple[int, int], Any]], log: Log) -> None:
    """Add to each mapping what one of its merge keys names: with the key, its place and its value.

    They are in the order of the text. Keys of the mapping itself win; in a list of mappings, the
    first that has a key. That is how PyYAML, go-yaml and js-yaml merge. They disagree about a key
    with two values of two merge keys, which is reported.
    """
    merged: dict[int, set[str]] = {}
    # what is within the value of a merge key comes after it
    for here, _, (line, column), value in reversed([*merges]):
        sources = value if isinstance(value, list) else [value]
        if not all(isinstance(source, Map) for source in sources):
            message = "<< merges one mapping or a list of mappings, and here is neither"
            log.note(line, column, "merge-invalid", message)
            continue
        others = merged.setdefault(id(here), set())
        added: set[str] = set()
        for source in sources:
            for index, (key, child) in enumerate(source.items()):
                if key not in here:
                    here[key] = child
                    here.marks += source.marks[2 * index : 2 * index + 2]
                    added.add(key)
                elif key in others - added and not are_same(here[key], child):
                    log.note(line, column, *duplicate(key, here.place(key)))
        others |= added


def place_of(event: Any) -> tuple[int, int]:
    """Return the line and the column at which *event* begins."""
    return event.start_mark.line + 1, event.start_mark.column + 1
