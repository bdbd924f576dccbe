"""Find successes that have no form at older versions, as servers and layers do when they start.

A generated server, and a layer around an application, don't perform an operation if none of its
successes can be sent (501). If one of several can't be, they learn it from the response (500).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from dateline.canonical.contract_data import choose_entry
from dateline.openapi import essence, is_json
from dateline_runtime.statuses import (
    BODILESS,
    find_counterpart,
    find_covering,
    first_status,
    has_meaning,
    is_usual,
)

Data = Mapping[str, Any]


class Unsent(NamedTuple):
    """The first success of an operation without a form at a version: the fact, and its extent.

    With ``is_all``, no other success has a form. ``door`` is who sends it.
    """

    door: str
    version: str
    fact: str
    is_all: bool


def list_unsent(
    operation: str, media_types: Mapping[str, list[str]], contracts: Data, messages: Data
) -> Iterator[Unsent]:
    """Yield what can't be sent of *operation*, whose responses have *media_types*.

    *contracts* and *messages* are the data of the server.
    """
    down = contracts["down"]
    rows = [messages["statuses"][operation]]
    for response in down["operations"].get(operation, {}).values():
        shapes = filter(None, response.get("content", {}).values())
        rows += [down["shapes"][shape] for shape in shapes if shape in down["shapes"]]
    # between two changes, versions are equal
    changed = {entry["since"] for row in rows for entry in row}
    for environment in contracts["environments"] if any(row[1:] for row in rows) else ():
        newest = _VersionResponses(operation, media_types, contracts, messages, environment, -1)
        for at in (at for at, each in enumerate(contracts["versions"]) if each in changed):
            view = _VersionResponses(operation, media_types, contracts, messages, environment, at)
            if not view.keys:
                continue
            for door, found in (
                ("a handler", [*view.list_handled()]),
                ("the application", [*view.list_received(newest)]),
            ):
                facts = [fact for fact in found if fact]
                if facts:
                    yield Unsent(door, view.version, facts[0], len(facts) == len(found))


class _VersionResponses:
    """The responses of one operation at one version, by their keys."""

    def __init__(
        self,
        operation: str,
        media_types: Mapping[str, list[str]],
        contracts: Data,
        messages: Data,
        environment: str,
        at: int,
    ) -> None:
        self.version: str = contracts["versions"][at]
        self._environment = environment
        self._versions: list[str] = contracts["versions"]
        self._media_types = media_types
        self._contents = contracts["down"]["operations"].get(operation, {})
        self._shapes = contracts["down"]["shapes"]
        answered = messages["answered"]["results"].get(operation)
        self._schemas = answered or messages["results"].get(operation, {})
        statuses = self._entry(messages["statuses"][operation])["statuses"]
        self.keys = [key for key in media_types if key in statuses and has_meaning(key)]

    def _entry(self, entries: list[dict[str, Any]]) -> Mapping[str, Any]:
        return choose_entry(entries, self._versions, self.version, self._environment)

    def list_media_types(self, key: str) -> list[str]:
        """Return the media types of the response *key* that the version has."""
        content = self._contents.get(key, {}).get("content", {})
        return [each for each in self._media_types.get(key, ()) if self._has(content, each)]

    def _has(self, content: Mapping[str, str | None], media_type: str) -> bool:
        shape = content.get(media_type)
        entries = self._shapes.get(shape) if shape is not None else None
        return entries is None or self._entry(entries)["shape"] != {"absent": True}

    def list_handled(self) -> Iterator[str]:
        """Yield for each success at this version why a handler can't send it; empty if it can."""
        for key in self.keys:
            if key[0] == "2":
                listed, there = self._media_types[key], self.list_media_types(key)
                made = next(iter(listed), "")
                sent = (
                    made
                    if made in there
                    else min(there, key=lambda name: not is_json(name), default="")
                )
                is_alike = not made or not sent or _is_alike(made, sent)
                yield "" if is_alike else f"{key} is {made}, and not {sent}"

    def list_received(self, newest: _VersionResponses) -> Iterator[str]:
        """Yield for each success of an application why it can't be sent; empty if it can."""
        is_alone = not any(key[0] in "23" for key in newest.keys)
        for key in newest.keys:
            is_success = key[0] == "2" or (key == "default" and is_alone)
            for media_type in newest.list_media_types(key) or [""] if is_success else ():
                yield self._explain(str(first_status(key)), key, media_type, newest)
                # a range has other statuses, too, which decide nothing in advance
                other = self._explain(self._find_other_status(key, newest), key, media_type, newest)
                if other:
                    yield other

    def _explain(self, status: str, key: str, media_type: str, newest: _VersionResponses) -> str:
        goal = self._find_goal(status, newest)
        if goal is None:
            return f"{key} has no counterpart"
        # a response without a declaration, or without content, has a form
        has_form = not goal or not media_type or not BODILESS.isdisjoint((status, goal))
        if has_form or self._has_counterpart(key, media_type, goal, newest):
            return ""
        return f"{key} ({media_type}) has no counterpart"

    def _find_other_status(self, key: str, newest: _VersionResponses) -> str:
        """Return a status of *key* that no response is declared for alone."""
        if key.isdigit():
            return key
        known = {*self.keys, *newest.keys, *BODILESS, "200"}
        return next(each for each in map(str, range(202, 300)) if each not in known)

    def _find_goal(self, status: str, newest: _VersionResponses) -> str | None:
        """Return the response in which *status* is sent: empty for one without a declaration.

        None if there is none.
        """
        found = find_counterpart(status, newest.keys, self.keys)
        return "" if found is None and is_usual(status, newest.keys) else found

    def _has_counterpart(
        self, key: str, media_type: str, goal: str, newest: _VersionResponses
    ) -> bool:
        sent_in = find_covering(str(first_status(key)), newest.keys)
        there = self.list_media_types(goal)
        if goal == sent_in and media_type in there:
            return True
        schema = _find_schema(self._schemas.get(sent_in or key, {}), media_type)
        alike = [each for each in there if _is_alike(media_type, each)]
        equal = (
            each for each in alike if _find_schema(self._schemas.get(goal, {}), each) == schema
        )
        return any(equal) or not there


def _is_alike(one: str, other: str) -> bool:
    return essence(one) == essence(other) or (is_json(one) and is_json(other))


def _find_schema(schemas: Mapping[str, Any], media_type: str) -> Any:
    name = essence(media_type)
    return next((schemas[each] for each in schemas if essence(each) == name), None)
