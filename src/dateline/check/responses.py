"""Find responses of the newest version that can't be sent to callers of an older one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from dateline.gates import order
from dateline.model import Api, Combination, Trail
from dateline.openapi import (
    chain,
    follow,
    is_json,
    method_name,
    operation_steps,
    operations,
    path_items,
    pointer,
    preferred_media_type,
    resolve,
    value_at,
)
from dateline.project import Projector
from dateline_runtime.statuses import BODILESS, find_counterpart, list_covering


class Unsendable(NamedTuple):
    """A response of a handler that callers in *combinations* can't be sent."""

    path: Trail
    fact: str
    operations: tuple[str, ...]
    combinations: tuple[Combination, ...]


def find_unsendable(api: Api, projector: Projector) -> Iterator[Unsendable]:
    """Yield each response, or media type of one, without a counterpart in an older version.

    A counterpart of a status is itself, its range or `default`. A result without a status is
    answered with the first success status of the caller's version, so that one stands for the
    first of the newest version, and a body is sent in the first media type that its version has;
    both then need the same schema. A refusal without a body can be sent with any status.
    """
    found: dict[tuple[Trail, str], set[tuple[str, Combination]]] = defaultdict(set)
    newest = api.table.dates[-1]
    for environment in api.table.environment_names:
        there = _Responses(api, projector, Combination(newest, environment))
        for version in api.table.dates[:-1]:
            older = _Responses(api, projector, Combination(version, environment))
            for operation, path, fact in _find_differences(there, older):
                found[path, fact].add((operation, older.shown))
    for (path, fact), uses in found.items():
        operations = sorted({operation for operation, _ in uses})
        combinations = sorted(
            {shown for _, shown in uses}, key=lambda each: (order(each.version), each.environment)
        )
        yield Unsendable(path, fact, tuple(operations), tuple(combinations))


class _Responses:
    """The responses of one contract."""

    def __init__(self, api: Api, projector: Projector, shown: Combination) -> None:
        self.shown = shown
        self._api = api
        self._projector = projector
        self._document = projector.contract(*shown).document

    @cached_property
    def paths(self) -> dict[str, Any]:
        return dict(path_items(self._document))

    def item(self, path: str) -> tuple[Trail, dict[str, Any]]:
        """Return the path item of *path* after references, and its place in the document."""
        return self._resolve(("paths", path), self.paths.get(path))

    def _resolve(self, path: Trail, node: Any) -> tuple[Trail, dict[str, Any]]:
        nodes = chain(self._document, node)
        for referring in nodes[:-1]:
            path = follow(self._document, referring["$ref"].removeprefix("#"))
        return path, nodes[-1] if nodes else {}

    def content(self, operation: dict[str, Any], status: str) -> dict[str, Any]:
        """Return the content of a response by media type; nothing if it has none."""
        response = resolve(self._document, operation["responses"][status])
        return {} if status in BODILESS else response.get("content", {})

    def origin(self, path: Trail) -> Trail:
        """Return the path in the definitions of what is at *path* in the contract."""
        return self._projector.origin(pointer(path), *self.shown)

    def schema(self, path: Trail, media_type: str) -> Any:
        """Return the schema in the definitions for a body of the response at *path*."""
        response, _ = self._resolve(path, value_at(self._document, path))
        origin = self.origin((*response, "content", media_type, "schema"))
        return value_at(self._api.document, origin)


def _find_differences(newest: _Responses, older: _Responses) -> Iterator[tuple[str, Trail, str]]:
    """Yield responses of *newest* that *older* lacks: operation, path in the definitions, fact."""
    for path in newest.paths:
        # an equal `$ref` may lead to another path item or response in each version
        (was_at, before), (at, now) = older.item(path), newest.item(path)
        known = dict(operations(before))
        for method, operation in operations(now):
            if method in known:
                steps = operation_steps(method)
                old, new = ((*was_at, *steps), known[method]), ((*at, *steps), operation)
                for place, fact in _compare_responses(newest, older, old, new):
                    yield f"{method_name(method)} {path}", place, fact


def _compare_responses(
    newest: _Responses,
    older: _Responses,
    old: tuple[Trail, dict[str, Any]],
    new: tuple[Trail, dict[str, Any]],
) -> Iterator[tuple[Trail, str]]:
    before, now = old[1], new[1]
    statuses = _list_statuses(before)
    for status in _list_statuses(now):
        place = (*new[0], "responses", status)
        counterpart = find_counterpart(status, _list_statuses(now), statuses)
        if counterpart is None:
            # a refusal without a body can be sent with any status
            if status[0] in "12" or newest.content(now, status):
                yield newest.origin(place), f"{status} is not declared"
        elif counterpart == status or counterpart not in list_covering(status) or status[0] == "2":
            # an error that does not fit gets the error body of the other version
            there = (*old[0], "responses", counterpart)
            sent, known = newest.content(now, status), older.content(before, counterpart)
            if counterpart == status and not sent.keys().isdisjoint(known):
                shared = preferred_media_type(sent)
                if shared in known and preferred_media_type(known) == shared:
                    continue  # gates within the schema have checks of their own
            if _is_sendable(newest, older, (place, sent), (there, known)):
                continue
            media_type = preferred_media_type(sent)
            fact = f"{status} {media_type} has no counterpart with the same schema"
            yield newest.origin((*place, "content", media_type)), fact


def _is_sendable(
    newest: _Responses,
    older: _Responses,
    sent: tuple[Trail, dict[str, Any]],
    known: tuple[Trail, dict[str, Any]],
) -> bool:
    """Return whether a body of one response can be sent as that of its counterpart."""
    if not known[1] or not sent[1]:
        # a body that only older versions have is provided by the handler, and not sent to others
        return True
    names = preferred_media_type(sent[1]), preferred_media_type(known[1])
    return is_json(names[0]) == is_json(names[1]) and newest.schema(
        sent[0], names[0]
    ) == older.schema(known[0], names[1])


def _list_statuses(operation: dict[str, Any]) -> list[str]:
    return [status for status in operation.get("responses", {}) if not status.startswith("x-")]
