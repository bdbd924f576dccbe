"""Read one document for the server: operations, and schemas as constraints."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Any

from dateline.addresses import read_path
from dateline.model import Combination
from dateline.openapi import (
    is_sequential,
    operations,
    resolve,
)
from dateline.python.parts import list_parameters
from dateline.schema.access import ACCESS, AccessUse, Hidden, OneWay
from dateline.schema.constraints import Constraints
from dateline.schema.parts import PartReader
from dateline.schema.references import Resolver
from dateline.schema.sequences import event_data, list_schema
from dateline.server.mounting import Key, find_clashes, read_prefixes
from dateline.server.readable import explain_unreadable


class DocumentReader:
    """One document, and its schemas as constraints in either direction.

    *kept* are the paths that are as in the document of the version before.
    """

    def __init__(
        self,
        document: dict[str, Any],
        constraints: Constraints,
        use: AccessUse,
        combination: Combination | None = None,
        kept: Collection[str] = (),
    ) -> None:
        self.combination = combination
        self._kept = kept
        self.usual = read_path(document.get("servers"))
        self._document = document
        self._resolver = Resolver(document)
        self._constraints = constraints
        self._parts = PartReader(document)
        self._directions = {hidden: OneWay(document, hidden, Hidden.ANY, use) for hidden in ACCESS}

    def resolve(self, node: Any) -> dict[str, Any]:
        """Return the object that *node* is or refers to; empty if there is none."""
        return resolve(self._document, node)

    def item(self, path: str) -> dict[str, Any]:
        """Return the path item of *path*; empty if there is none."""
        return self.resolve(self._document.get("paths", {}).get(path))

    def operation(self, path: str, method: str) -> dict[str, Any] | None:
        """Return the operation of *method* at *path*, or None."""
        return dict(operations(self.item(path))).get(method)

    @cached_property
    def prefixes(self) -> dict[Key, str | None]:
        """The path of the servers that each operation has of its own; None without any."""
        return read_prefixes(self._document)

    @cached_property
    def clashes(self) -> dict[Key, Key]:
        """The operations whose requests are also those of another one, and that one."""
        return find_clashes(self.prefixes, self.usual)

    def is_as_in(self, before: DocumentReader, at: Key) -> bool:
        """Return whether the operation *at* is as in the document of the version *before*."""
        return (
            at[0] in self._kept
            and self.security({}) == before.security({})
            and self.usual == before.usual
            and self.prefixes.get(at) == before.prefixes.get(at)
            and self.clashes.get(at) == before.clashes.get(at)
        )

    def parameters(
        self, path: str, operation: dict[str, Any]
    ) -> dict[tuple[str, str], dict[str, Any]]:
        """Return the parameters of *operation* at *path*, by place and name."""
        found = list_parameters(self._document, path, self.item(path), operation)
        return {key: sites[-1] for key, sites in found.items()}

    def security(self, operation: dict[str, Any]) -> Any:
        """Return the security requirements of *operation*."""
        return operation.get("security", self._document.get("security", []))

    def responses(self, operation: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """Return the responses of *operation* by status; empty if a reference is dangling."""
        return {
            status: self.resolve(node)
            for status, node in operation.get("responses", {}).items()
            if not status.startswith("x-")
        }

    def constraints(self, schema: Any, *hidden: str) -> Any:
        """Return the constraints of *schema*, without the properties that are one of *hidden*."""
        for each in hidden:
            schema = self._directions[each].of(schema)
        return self._constraints.of(schema)

    def schema(self, media_type: str, media: dict[str, Any]) -> Any:
        """Return the schema of the content of *media*, the object of *media_type*."""
        if is_sequential(media_type):
            return list_schema(self._resolver, media)
        return media.get("schema", True)

    def event_data(self, media: dict[str, Any]) -> str:
        """Return the form of the items of the event stream *media*."""
        return event_data(self._resolver, media)

    def explain_unreadable(self, parameters: Iterable[dict[str, Any]]) -> str:
        """Return why a server can't read one of *parameters*; empty if it can."""
        return "; ".join(
            f"{each['in']} parameter {each['name']!r}: {reason}"
            for each in parameters
            if (reason := explain_unreadable(self._parts, each)) is not None
        )

    def component(self, name: str, *hidden: str) -> Any:
        """Return the constraints of the component *name*, as `constraints` does.

        The name may be the pointer to a schema anywhere in the document (see ``Constraints``).
        """
        schema = self._resolver.section("schemas").get(name)
        if schema is None and name.startswith("/"):
            schema = self._resolver.resolve(f"#{name}")
        return self.constraints(True if schema is None else schema, *hidden)
