"""Media type ranges: the media types in which servers read and write their bodies."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import and_
from typing import Any, Final

from dateline.canonical.eras import with_eras
from dateline.gates import Timeline, changes, drop_keys
from dateline.model import UNPUBLISHED, WAS, Api, copy_items
from dateline.openapi import chain, find_replaced
from dateline.schema.parts import PartReader
from dateline.schema.types import EVERY_TYPE, declared_types

# The ranges of media types that include JSON, the narrowest first.
_RANGES: Final = ("application/*", "*/*")
_JSON: Final = "application/json"
_BYTES: Final = frozenset({"binary", "byte", "base64"})

_RANGE: Final = "x-served-range"
"""The key for the range in place of which a media type is served."""


def with_media_types(api: Api) -> Api:
    """Return *api* with the media types in which a server reads and writes bodies.

    A media type object is written in place of a reference to it (OpenAPI 3.2). A range such as
    `*/*` becomes JSON, or the usual media type of texts and bytes. If a version has both a range
    and a specific media type, the specific one counts (OpenAPI 3.1.1, sections 4.8.13.1 and
    4.8.17.1); what other versions have of either becomes one history.
    """
    document = api.document
    ranges = _Ranges(api)

    def place(kind: str, node: Any) -> Any:
        if kind == "schema" or not isinstance(node, dict):
            return node
        behind = chain(document, node) if kind == "media-type" else []
        replaced = behind[-1] if behind else node
        changed = find_replaced(kind, replaced, lambda _, below, child: place(below, child))
        if kind in ("request-body", "response"):
            changed |= ranges.replace_in({**replaced, **changed})
        return copy_items(replaced, [*{**replaced, **changed}.items()]) if changed else replaced

    placed = place("document", document)
    return api if placed is document else replace(api, document=placed)


class _Ranges:
    """Replaces media type ranges in the bodies of an API, in the present and in their histories."""

    def __init__(self, api: Api) -> None:
        self._reader = PartReader(api.document)
        self._timeline = Timeline(api.table)
        self._versions = api.table.dates[::-1]

    def replace_in(self, holder: dict[str, Any]) -> dict[str, Any]:
        """Return the changed keys of a body, with every media type range replaced."""
        changed: dict[str, Any] = {}
        if (content := self._replace(holder.get("content"))) is not holder.get("content"):
            changed["content"] = content
        was = holder.get(WAS, {})
        eras = {day: self._replace_in_era(entry) for day, entry in was.items()}
        if any(eras[day] is not was[day] for day in was):
            changed[WAS] = copy_items(was, [*eras.items()])
        return changed

    def _replace_in_era(self, entry: dict[str, Any]) -> dict[str, Any]:
        setting, _ = changes(entry)
        content = self._replace(setting.get("content"))
        if content is setting.get("content"):
            return entry
        replaced = {**setting, "content": content}
        return {**entry, "set": replaced} if "set" in entry else {**entry, **replaced}

    def _replace(self, given: Any) -> Any:
        """Return *given* with a specific media type in place of each range that includes JSON."""
        if not isinstance(given, dict) or given.keys().isdisjoint(_RANGES):
            return given
        there = [each for each in _RANGES if each in given]
        usual = {each: _find_usual(self._reader, given[each]) for each in there}
        # beside JSON, other media types of a range may be JSON, too
        is_alone = len(there) == 1 and _JSON not in given
        marked = usual if is_alone or _JSON not in usual.values() else {}
        content = {
            key: _mark(media, key) if key in marked else media for key, media in given.items()
        }
        replaced: dict[str, Any] = {}
        for name in dict.fromkeys(usual.get(str(key), str(key)) for key in content):
            ranges = [each for each in there if usual[each] == name]
            keys = [key for key in (name, *ranges) if key in content]
            one = self._unite([content[key] for key in keys])
            replaced |= {key: content[key] for key in keys} if one is None else {name: one}
        return copy_items(given, [*replaced.items()])

    def _unite(self, members: list[Any]) -> Any:
        """Return one media type with the history of *members*, the first of which counts.

        None if it can't be written: it differs between environments, or was absent for a while.
        """
        first = members[0]
        if len(members) == 1 or self._timeline.of(first) == self._timeline.all:
            return first
        states = []
        for version in self._versions:
            places = self._timeline.combinations
            found = [self._at(i, members) for i, one in enumerate(places) if one.version == version]
            if any(one != found[0] for one in found):
                return None
            states.append(found[0])
        there = [at for at, state in enumerate(states) if state is not None]
        if not there or there != [*range(there[0], there[-1] + 1)]:
            return None
        return with_eras([*self._versions[:-1]], states)

    def _at(self, at: int, members: list[dict[str, Any]]) -> dict[str, Any] | None:
        """Return the first of *members* that is visible at the combination *at*, as it is there."""
        for member in members:
            for mask, era in self._timeline.eras("media-type", member):
                if (mask & self._timeline.of(era)) >> at & 1:
                    return drop_keys(era, *UNPUBLISHED)
        return None


def _mark(media: Any, key: str) -> Any:
    is_object = isinstance(media, dict)
    return copy_items(media, [*media.items(), (_RANGE, key)]) if is_object else media


def find_ranges(message: dict[str, Any]) -> dict[str, str]:
    """Return the ranges in place of which a body or response has a media type, and that type."""
    content = message.get("content", {})
    return {each[_RANGE]: name for name, each in content.items() if _RANGE in each}


def name_range(
    reader: PartReader, content: dict[str, Any], *, only_json: bool = False
) -> dict[str, Any]:
    """Return *content*, of one version, with what servers read in place of a media type range.

    With *only_json*, it remains a range if that is not JSON.
    """
    found = next((each for each in _RANGES if each in content), None)
    usual = found and _find_usual(reader, content[found])
    if not usual or usual in content or (only_json and usual != _JSON):
        return content
    return {usual if key == found else key: media for key, media in content.items()}


def _find_usual(reader: PartReader, media: Any) -> str:
    """Return the usual media type of a body that *media* describes."""
    if not isinstance(media, dict) or "schema" not in media:
        return "application/octet-stream"
    found = [part.node for part in reader.parts_of(media["schema"])]
    types = reduce(and_, map(declared_types, found), EVERY_TYPE)
    if not types <= {"string", "null"}:
        return _JSON
    formats = {str(part.get("format")) for part in found}
    return "text/plain" if formats.isdisjoint(_BYTES) else "application/octet-stream"
