"""Resolve references in schemas that have an address of their own.

A schema with `$id` is a resource: fragments in it are relative to it, and its address leads to it
(JSON Schema 2020-12, core, sections 8.2.1 and 9.1.2). All later stages know only references from
the root of the document. A fragment that is dangling from the root, as generators of JSON Schemas
write it (`#/$defs/Item` in a component), is relative to its component.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple
from urllib.parse import urldefrag, urljoin

from dateline.model import Trail
from dateline.openapi import ResolvedReference, children, find_replaced, is_old, pointer
from dateline.schema.references import REFERENCES, Resolver

_ADDRESS: Final = "$id"
# One search for all three, since documents are large.
_RELATIVE: Final = re.compile(r"#/(?:\$defs|definitions|properties)/")


class _Resource(NamedTuple):
    """A schema that fragments are relative to, its pointer, its address, and its resolver."""

    pointer: str
    address: str
    resolver: Resolver

    def find(self, fragment: str) -> str | None:
        """Return the pointer, from the root of the document, that *fragment* leads to."""
        found = self.resolver.locate("#" + fragment)
        return None if found is None else self.pointer + found.pointer


class Identity(NamedTuple):
    """A schema with an `$id`: its path in a file, and the address that this gives it."""

    path: Trail
    address: str


def find_resource(root: Any, path: Trail) -> Identity | None:
    """Return the innermost schema with an `$id` around what is at *path* in a file; or None."""
    found = None
    node, base = root, ""
    for number, step in enumerate(path):
        if (address := _read_address(node, base)) is not None:
            base = address
            found = Identity(path[:number], base)
        node = node[step]
    return found


def list_identities(root: Any) -> dict[str, Trail]:
    """Return the path in a file to each schema with an `$id`, by its address."""
    found: dict[str, Trail] = {}
    pending: list[tuple[Trail, Any, str]] = [((), root, "")]
    while pending:
        path, node, base = pending.pop()
        own = _read_address(node, base)
        if own is not None:
            found.setdefault(own, path)
        below = node.items() if isinstance(node, dict) else enumerate(node)
        pending += [
            ((*path, step), child, base if own is None else own)
            for step, child in below
            if isinstance(child, dict | list)
        ]
    return found


def _read_address(node: Any, base: str) -> str | None:
    """Return the address that *node* has by its own `$id`, below one with the address *base*."""
    own = node.get("$id") if isinstance(node, dict) else None
    is_address = isinstance(own, str) and not own.startswith("#")
    return urldefrag(urljoin(base, own)).url if is_address else None


def may_have_identities(text: str) -> bool:
    """Return whether the document with this *text* may have references relative to other places."""
    return _ADDRESS in text or _RELATIVE.search(text) is not None


def resolve_identities(document: dict[str, Any]) -> dict[str, Any]:
    """Return *document* with references that all begin at its root; itself if they do.

    Rewritten references are `ResolvedReference`.
    """
    return document if is_old(document) else _Identities(document).resolve()


class _Identities:
    """The resources of one document."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self._root = Resolver(document, scoped=True)
        self._anywhere = Resolver(document)
        self._by_address: dict[str, _Resource] = {}
        self._resources: dict[int, _Resource] = {}

    def resolve(self) -> dict[str, Any]:
        self._collect("document", self._document, (), "")
        found: dict[str, Any] = self._rewrite("document", self._document, None)
        return found

    def _collect(self, kind: str, node: Any, path: Trail, base: str) -> None:
        if not isinstance(node, dict):
            return
        address = _read_address(node, base) if kind == "schema" else None
        is_component = kind == "schema" and path[:2] == ("components", "schemas") and len(path) == 3
        if address is not None:
            base = address
            resource = _Resource(pointer(path), base, Resolver(node, scoped=True))
            self._by_address.setdefault(base, resource)
            self._resources[id(node)] = resource
        elif is_component:
            self._resources[id(node)] = _Resource(pointer(path), "", Resolver(node, scoped=True))
        for below, child_kind, child in children(kind, node):
            self._collect(child_kind, child, path + below, base)

    def _rewrite(self, kind: str, node: Any, around: _Resource | None) -> Any:
        if not isinstance(node, dict):
            return node
        around = self._resources.get(id(node), around) if kind == "schema" else around
        replaced = find_replaced(
            kind, node, lambda _, below, child: self._rewrite(below, child, around)
        )
        if kind == "schema":
            for keyword in REFERENCES:
                if (found := self._find(node.get(keyword), around)) is not None:
                    is_dynamic = keyword == "$dynamicRef" and self._is_dynamic(found, node[keyword])
                    goal = urldefrag(node[keyword]).fragment if is_dynamic else found
                    replaced[keyword] = ResolvedReference(f"#{goal}", node[keyword])
        return {**node, **replaced} if replaced else node

    def _is_dynamic(self, found: str, reference: str) -> bool:
        """Return whether what was *found* for a dynamic *reference* is only one of its targets.

        Then its anchor says which those are (JSON Schema 2020-12, core, section 8.2.3.2).
        """
        goal = self._root.resolve(f"#{found}")
        name = urldefrag(reference).fragment
        is_dynamic = isinstance(goal, dict) and goal.get("$dynamicAnchor") == name
        return is_dynamic and len(self._anywhere.list_anchored(f"#{name}")) > 1

    def _find(self, reference: Any, around: _Resource | None) -> str | None:
        """Return the pointer to the target of *reference*, if it does not begin at the root."""
        if not isinstance(reference, str):
            return None
        if reference.startswith("#"):
            here = None if around is not None and around.address else self._root.locate(reference)
            if here is not None:
                # elsewhere another schema may have the same anchor
                is_plain = reference.startswith("#/") or not self._by_address
                return None if is_plain else here.pointer
            return None if around is None else around.find(reference[1:])
        address, fragment = urldefrag(urljoin(around.address if around else "", reference))
        resource = self._by_address.get(address)
        return None if resource is None else resource.find(fragment)
