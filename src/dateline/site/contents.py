"""The contents of one version: operations and schemas with references resolved, and their pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import takewhile
from typing import Any, Final

from dateline.openapi import method_name, operation_steps, operations, path_items, pointer
from dateline.schema.references import Located, Resolver
from dateline.schema.values import list_items

_UNTAGGED: Final = "Other operations"
_WEBHOOKS: Final = "Webhooks"

_MOST_UNTAGGED: Final = 30
"""So many operations without tags are listed in one group."""

_LONGEST: Final = 100
"""The longest name of a page: file systems take 255 bytes."""


@dataclass(frozen=True, kw_only=True)
class OperationPlace:
    """An operation of one version, its references resolved, and its place.

    ``node`` includes the parameters of its path. A webhook has its name as ``path``, and the
    ``method`` `WEBHOOK`.
    """

    section: str
    method: str
    path: str
    pointer: str
    node: dict[str, Any]
    parameters: tuple[Located, ...]
    body: Located | None
    responses: tuple[tuple[str, Located], ...]

    @property
    def name(self) -> str:
        """`METHOD /path`, as change pages name it."""
        return f"{self.method} {self.path}"

    @property
    def is_webhook(self) -> bool:
        """Whether the API sends it."""
        return self.section == "webhooks"

    @property
    def around(self) -> str:
        """The pointer of its path item."""
        return pointer((self.section, self.path))

    @property
    def title(self) -> str:
        """Its title for people."""
        return str(self.node.get("summary") or self.name)

    @property
    def tag(self) -> str:
        """The first of its tags."""
        untagged = _WEBHOOKS if self.is_webhook else _UNTAGGED
        return str(next(iter(self.node.get("tags", ())), untagged))


def list_operations(document: dict[str, Any], section: str = "paths") -> Iterator[OperationPlace]:
    """Yield the operations in a *section* of *document*, in its order."""
    resolver = Resolver(document)
    for path, item in path_items(document, section):
        around = follow_object(resolver, Located(item, pointer((section, path))))
        for method, node in operations(around.value):
            yield _read(resolver, (section, path), around, method, node)


def _read(
    resolver: Resolver,
    place: tuple[str, str],
    around: Located,
    method: str,
    node: dict[str, Any],
) -> OperationPlace:
    section, path = place
    at = around.pointer + pointer(operation_steps(method))
    known: dict[tuple[Any, Any], Located] = {}
    for owner in (around, Located(node, at)):
        for index, each in enumerate(list_items(owner.value, "parameters")):
            located = Located(each, f"{owner.pointer}/parameters/{index}")
            goal = follow_object(resolver, located).value
            known[goal.get("in"), goal.get("name")] = located
    body = node.get("requestBody")
    return OperationPlace(
        section=section,
        method="WEBHOOK" if section == "webhooks" else method_name(method),
        path=path,
        pointer=at,
        node={
            **node,
            "parameters": [follow_object(resolver, each).value for each in known.values()],
        },
        parameters=tuple(known.values()),
        body=follow_object(resolver, Located(body, f"{at}/requestBody")) if body else None,
        responses=tuple(
            (
                status,
                follow_object(resolver, Located(each, f"{at}{pointer(('responses', status))}")),
            )
            for status, each in node.get("responses", {}).items()
            if not status.startswith("x-")
        ),
    )


def follow_object(resolver: Resolver, located: Located) -> Located:
    """Return the target of a reference object, or an empty object."""
    goal = resolver.follow(located)
    return goal if isinstance(goal.value, dict) else Located({}, goal.pointer)


def group_operations(operations: Iterable[OperationPlace]) -> dict[str, list[OperationPlace]]:
    """Return *operations* by their first tag, in their order.

    If none has one, and they are many, they are grouped by what distinguishes their paths.
    """
    groups: dict[str, list[OperationPlace]] = {}
    for each in operations:
        groups.setdefault(each.tag, []).append(each)
    untagged = groups.get(_UNTAGGED, [])
    if len(untagged) <= _MOST_UNTAGGED or groups.keys() - {_UNTAGGED, _WEBHOOKS}:
        return groups
    steps = [each.path.strip("/").split("/") for each in untagged]
    shared = len([*takewhile(lambda each: len({*each}) == 1, zip(*steps, strict=False))])
    found: dict[str, list[OperationPlace]] = {}
    for each, path in zip(untagged, steps, strict=True):
        found.setdefault(path[shared] if len(path) > shared else _UNTAGGED, []).append(each)
    del groups[_UNTAGGED]
    return {**found, **groups}


def list_schemas(document: dict[str, Any]) -> dict[str, Any]:
    """Return the schemas among the components of *document*, by name."""
    return Resolver(document).section("schemas")


def name_pages(versions: Iterable[Iterable[str]]) -> dict[str, str]:
    """Return the page name for each of the names in *versions*, which are in order.

    It only has characters that every file system and address allows. It contains a digest if it
    would be too long, or equal to the page name of something else that is older: what a later
    version adds renames no page. Paths that differ only in a slash at their end share a page name
    if no version has both.
    """
    dates: dict[str, set[int]] = {}
    for index, names in enumerate(versions):
        for name in sorted(names):
            dates.setdefault(name, set()).add(index)
    pages: dict[str, str] = {}
    owners: dict[str, tuple[str, set[int]]] = {}
    for name, at in dates.items():
        page, bare = _simplify(name), name.rstrip("/")
        owner, others = owners.setdefault(page.lower(), (bare, set()))
        if len(page) > _LONGEST or owner != bare or others & at:
            page = f"{page[:_LONGEST]}-{sha256(name.encode()).hexdigest()[:8]}"
        else:
            others |= at
        pages[name] = page
    return pages


def _simplify(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-") or "page"
