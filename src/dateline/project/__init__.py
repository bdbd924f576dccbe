"""Compute the contract of a version in an environment from the canonical definitions.

One walk serves all versions: a node without keys of ours is published once, and all contracts share
the same object; a node with keys is published once for each distinct history.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any, Final

from dateline.gates import Timeline
from dateline.model import WAS, Api, Combination, Contract, Place, Trail
from dateline.openapi import COMPONENTS, parts, pointer, walk
from dateline.project.origins import (
    ContractPaths,
    Origin,
    find_similar_name,
    find_similar_path,
)
from dateline.project.publishing import Entries, Publisher, choose_at

# The order of the keys at the root of a published document.
_ROOT_ORDER: Final[tuple[str, ...]] = (
    "openapi",
    "info",
    "jsonSchemaDialect",
    "servers",
    "security",
    "tags",
    "externalDocs",
    "paths",
    "webhooks",
    "components",
)


class Projector:
    """The contracts of an API. Creating one is cheap; the walk takes place for the first one."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._timeline = Timeline(api.table)
        self._publisher = Publisher(api, self._timeline)

    @cached_property
    def _components(self) -> dict[str, Entries]:
        written = self._api.document.get("components", {})
        return {
            section: self._publisher.entries(
                kind, written.get(section, {}), shown=partial(self._visible, section)
            )
            for section, kind in COMPONENTS.items()
        }

    @cached_property
    def _around(self) -> Any:
        """The root without the components, whose visibility depends on what refers to them."""
        written = self._api.document
        around = {key: below for key, below in written.items() if key != "components"}
        return self._publisher.node("document", around)

    @cached_property
    def _beside(self) -> Any:
        written = self._api.document.get("components", {})
        beside = {key: below for key, below in written.items() if key not in COMPONENTS}
        return self._publisher.node("components", beside)

    def _visible(self, section: str, name: str) -> int:
        return self._api.visible[section, name]

    def contract(self, version: str, environment: str) -> Contract:
        """Return what *version* promises in *environment* (or `EVERYWHERE`).

        Raises ValueError for a version or environment that the table does not have.
        """
        combination = Combination(version, environment)
        if combination not in self._timeline.combinations:
            raise ValueError(
                f"{version} ({environment or 'everywhere'}) is not in the version table"
            )
        at = self._timeline.combinations.index(combination)
        document = self._at(at, 1 << at)
        if not self._api.table.adopted:
            document["info"] = {**document["info"], "version": version}
        for known in self._api.table.environments:
            if known.name == environment and known.servers:
                document["servers"] = list(known.servers)
        ordered = [key for key in _ROOT_ORDER if key in document]
        ordered += [key for key in document if key not in _ROOT_ORDER]
        return Contract(
            version=version,
            environment=environment,
            document={key: document[key] for key in ordered},
        )

    def documents(self, version: str) -> dict[str, dict[str, Any]]:
        """Return the documents of a version by the names of their environments."""
        names = self._api.table.environment_names
        return {name: self.contract(version, name).document for name in names}

    def node(self, kind: str, node: Any, at: Combination) -> Any:
        """Return the published form of a *node* of the definitions at the combination *at*."""
        return choose_at(self._publisher.node(kind, node), self._timeline.combinations.index(at))

    def origin(self, at: str, version: str, environment: str) -> Trail:
        """Return the canonical path of what is at the pointer *at* in a contract.

        *at* is a JSON pointer (RFC 6901); the path consists of the keys and indexes that lead from
        the root of the definitions. If these have nothing for the end of *at*, the path leads to
        the nearest ancestor. Raises ValueError as `contract` does.
        """
        index = self._timeline.combinations.index(Combination(version, environment))
        return Origin(self._timeline, index).path(self._api.document, parts(at))

    def place(self, at: str, version: str, environment: str) -> Place:
        """Return the place in the sources of what is at the pointer *at* in a contract.

        If the sources no longer have it, that is the place of its nearest ancestor or sibling.
        Raises ValueError as `contract` does.
        """
        steps = parts(at)
        if steps[:1] == ("servers",):
            for known in self._api.table.environments:
                if known.name == environment and known.servers:
                    return known.place
        path = self.origin(at, version, environment)
        if path == ("paths",) and len(steps) > 1:
            path += find_similar_path(self._api.document["paths"], steps[1])
        elif len(path) == 2 and path[0] == "components" and len(steps) > 2:
            path += find_similar_name(self._api.document["components"][path[1]], steps[2])
        return self._api.locate(path)

    def renames(self, older: str, newer: str, environment: str) -> dict[str, str]:
        """Return the renames between two versions: pointer in the newer one, older name.

        The result fits the *renames* of `diff`. Raises ValueError as `contract` does.
        """
        combinations = self._timeline.combinations
        then = combinations.index(Combination(older, environment))
        now = combinations.index(Combination(newer, environment))
        renames: dict[str, str] = {}
        for path, kind, node in self._renamed:
            names = self._timeline.names(kind, str(path[-1]), node)
            if kind == "parameter":
                names = [(era, one["name"]) for era, one in self._timeline.eras(kind, node)]
            shown = [next(name for mask, name in names if mask >> at & 1) for at in (then, now)]
            if shown[0] != shown[1]:
                found = self._paths.find(path, now)
                renames |= {} if found is None else {pointer(found): shown[0]}
        return renames

    @cached_property
    def _paths(self) -> ContractPaths:
        return ContractPaths(self._api, self._timeline)

    @cached_property
    def _renamed(self) -> list[tuple[Trail, str, dict[str, Any]]]:
        return [
            (path, kind, node)
            for path, kind, node in walk("document", self._api.document)
            if WAS in node and path
        ]

    def _at(self, at: int, bit: int) -> dict[str, Any]:
        document: dict[str, Any] = dict(choose_at(self._around, at))
        defined = self._api.document.get("components")
        if defined is not None:
            shown = {
                section: nodes
                for section, entries in self._components.items()
                # a section disappears with its last component; one that is written empty stays
                if (nodes := entries.at(at, bit)) or defined.get(section) == {}
            }
            components = {**shown, **choose_at(self._beside, at)}
            if components or not any(defined.values()):
                document["components"] = components
        return document


def project(api: Api, version: str, environment: str) -> Contract:
    """Return what *version* of *api* promises in *environment*.

    For more than one contract of the same API use one `Projector`: they share what is equal.
    Raises ValueError for a version or environment that the table does not have.
    """
    return Projector(api).contract(version, environment)
