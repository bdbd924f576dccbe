"""The marks beside a field, value or operation that show its history."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from dateline.gates import Timeline, changes, order, substitutes, why
from dateline.model import (
    ADDED,
    ENVIRONMENTS,
    EVERYWHERE,
    EXTENSIBLE,
    GATES,
    IN_PLACE_OF,
    REMOVED,
    WAS,
    Api,
    Combination,
    Trail,
)
from dateline.openapi import pointer, walk
from dateline.project.origins import ContractPaths
from dateline.schema.limits import FLAGS, describe_flag, describe_limits

_UNMARKED: Final = frozenset(
    {"description", "summary", "title", "example", "examples", "externalDocs", "operationId"}
    | {"tags"}
)
"""Keywords whose former values are of no use to callers of another version."""

_STRUCTURE: Final = frozenset(
    {"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "discriminator"}
    | {"items", "prefixItems", "contains", "properties", "patternProperties", "propertyNames"}
    | {"additionalProperties", "unevaluatedProperties", "unevaluatedItems", "dependentSchemas"}
    | {"schema", "content"}
)
"""Keywords whose values are parts of a description that the page of the other version shows."""

_ELSEWHERE: Final = "described differently"

_ABSENT: Final = {
    "type": "any type",
    "enum": "no list of values",
    "const": "no fixed value",
    "minLength": "no minimum length",
    "maxLength": "no maximum length",
    "minItems": "no minimum number of items",
    "maxItems": "no maximum number of items",
    "minProperties": "no minimum number of members",
    "maxProperties": "no maximum number of members",
}

_MOST_VALUES: Final = 10
"""At most so many values of a former enumeration are named."""

_MOST_SHOWN: Final = 80
"""At most so many characters of a former value are shown."""


class Mark(NamedTuple):
    """A remark about a node: a sentence, and its reason, if the API gives one.

    ``kind`` is ``since``, ``until``, ``was``, ``instead`` or ``only``.
    """

    kind: str
    text: str
    why: str | None = None


Marks = tuple[Mark, ...]

_PRESENCE: Final = frozenset({"since", "until", "only"})


def select_presence(marks: Marks) -> Marks:
    """Return those of *marks* that say where something is, for lists."""
    return tuple(each for each in marks if each.kind in _PRESENCE)


class Marker:
    """The marks of the nodes of each version, by their pointers in its document.

    A value of an enumeration is found at the pointer of its place in the published `enum`.
    """

    def __init__(self, api: Api) -> None:
        self._api = api
        self._timeline = Timeline(api.table)
        self._paths = ContractPaths(api, self._timeline)
        self.texts: set[str] = set()
        """All texts that marks may quote from what something was."""
        self._marks: dict[str, dict[str, Marks]] = {date: {} for date in api.table.dates}
        for path, _, node in walk("document", api.document):
            if not GATES.isdisjoint(node):
                self._add(path, node)

    def of(self, version: str) -> dict[str, Marks]:
        """Return the marks of all nodes of *version* that have any, by pointer."""
        return self._marks[version]

    def _add(self, path: Trail, node: dict[str, Any]) -> None:
        combinations = self._timeline.combinations
        for version in self._api.table.dates:
            at = combinations.index(Combination(version, EVERYWHERE))
            found = self._paths.find(path, at)
            if found is not None:
                marks = tuple(dict.fromkeys(self._read(path, node, version)))
                self._marks[version][pointer(found)] = marks

    def _read(self, path: Trail, node: dict[str, Any], version: str) -> Iterator[Mark]:
        if ADDED in node:
            yield Mark("since", f"Since {node[ADDED]}", why(node, [node[ADDED]]))
        if REMOVED in node:
            yield Mark("until", f"Removed in {node[REMOVED]}", why(node, [node[REMOVED]]))
        for shown in substitutes(node).values():
            since = node.get(ADDED)
            whom = f"Versions before {since}" if since else "Versions without it"
            yield Mark("instead", f"{whom} show {_quote(shown)} instead")
        if ENVIRONMENTS in node:
            yield Mark("only", f"Only in {' and '.join(node[ENVIRONMENTS])}")
        yield from self._read_former(str(path[-1]) if path else "", node, version)

    def _read_former(self, name: str, node: dict[str, Any], version: str) -> Iterator[Mark]:
        """Yield the marks from `x-was`, from the newest date to the oldest."""
        former = node.get(WAS, {})
        called, current = name, node
        for date in sorted(former, key=order, reverse=True):
            setting, unset = changes(former[date])
            reason = why(node, [date])
            older = order(version) < order(date)
            if "name" in setting and setting["name"] != called:
                text = (
                    f"Called `{called}` from {date} on"
                    if older
                    else f"Called `{setting['name']}` before {date}"
                )
                yield Mark("was", text, reason)
                called = setting["name"]
            partial = former[date].get(IN_PLACE_OF)
            if partial:
                came, gone = (setting.get("properties", {}), partial)
                text = f"Before {date}: {_list_names(came)} in place of {_list_names(gone)}"
                if older:
                    text = f"From {date} on: {_list_names(gone)} in place of {_list_names(came)}"
                yield Mark("was", text, reason)
            for keyword in (*setting, *unset):
                is_ours = keyword.startswith("x-") and keyword != EXTENSIBLE
                if keyword == "name" or keyword in _UNMARKED or is_ours:
                    continue
                if partial and keyword in ("properties", "required"):
                    continue
                then, now = setting.get(keyword), current.get(keyword)
                text = f"Before {date}: {self._describe(keyword, then, now)}"
                if older:
                    text = f"From {date} on: {self._describe(keyword, now, then)}"
                yield Mark("was", text, reason)
            current = {
                key: value for key, value in {**current, **setting}.items() if key not in unset
            }

    def _describe(self, keyword: str, value: Any, other: Any) -> str:
        """Return what *keyword* says with *value*, None for absent, instead of the *other* one."""
        if isinstance(other if value is None else value, bool) and keyword in FLAGS:
            return describe_flag(keyword, value)
        if keyword == "required":
            return _compare_required(value or (), other or ())
        if keyword == "$ref" and value is not None:
            return f"as {_quote(str(value).rpartition('/')[2])}"
        if keyword in _STRUCTURE:
            return _ELSEWHERE
        if value is None:
            return _ABSENT.get(keyword, f"no {keyword}")
        self.texts.update(_list_texts(value))
        if keyword == "enum":
            named, more = value[:_MOST_VALUES], len(value) - _MOST_VALUES
            return f"only {_list_names(named)}" + (f" and {more} more" if more > 0 else "")
        return next(describe_limits({keyword: value}), f"{keyword} {_quote(value)}")


def _list_names(names: Iterable[Any]) -> str:
    return ", ".join(map(_quote, names))


def _compare_required(value: Sequence[str], other: Sequence[str]) -> str:
    """Return which names are required in *value* only, and which in the *other* one only."""
    more, fewer = (
        [each for each in one if each not in two] for one, two in ((value, other), (other, value))
    )
    said = [(more, "required"), (fewer, "optional")]
    return ", ".join(f"{_list_names(names)} {word}" for names, word in said if names)


def _list_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _list_texts(each)


def _quote(value: Any) -> str:
    written = json.dumps(value, ensure_ascii=False)
    if isinstance(value, str):
        written = value
    if len(written) > _MOST_SHOWN:
        written = written[: _MOST_SHOWN - 1] + "…"
    return f"`{written}`"
