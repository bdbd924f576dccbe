"""References within one document: the target of a `$ref`, and the component that it is.

Sources: RFC 6901 sections 4 and 6 (JSON Pointer, its fragment form); JSON Schema 2020-12, core,
section 8.2.2 (anchors); OpenAPI Specification 3.1.1 section 4.8.23.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any, Final, NamedTuple

from dateline.openapi import COMPONENTS, is_old, locate, target
from dateline.openapi import escape as escape
from dateline.openapi import unescape as unescape

ANCHORS: Final = ("$anchor", "$dynamicAnchor")
"""Keywords that give a schema a name for references."""

REFERENCES: Final = ("$ref", "$dynamicRef")
"""Keywords that refer to another schema for which the value must be valid as well."""


class Located(NamedTuple):
    """A value of a document and the JSON pointer to it."""

    value: Any
    pointer: str


@cache
def component(pointer: str) -> tuple[str, str] | None:
    """Return (section, name) if *pointer* leads to a component itself, else None."""
    return target("#" + pointer)


class Resolver:
    """Resolves the local references of one document, each once.

    The document must not change meanwhile. A reference to another document, a dangling one and one
    that is not text resolve to None. A *scoped* resolver ignores the anchors of schemas below that
    have an address of their own (JSON Schema 2020-12, core, section 8.2.1).
    """

    def __init__(self, document: dict[str, Any], *, scoped: bool = False) -> None:
        self.root = document
        self._is_scoped = scoped
        self._found: dict[str, Located | None] = {}

    def locate(self, reference: Any) -> Located | None:
        """Return the target of *reference* with its pointer, without following references there.

        Pointers and anchors are supported.
        """
        if not isinstance(reference, str) or not reference.startswith("#"):
            return None
        if reference not in self._found:
            self._found[reference] = self._find(reference)
        return self._found[reference]

    def locate_by(self, keyword: str, reference: Any) -> Located | None:
        """Return the target of *reference*, the value of one of `REFERENCES`, for every value.

        A `$dynamicRef` leads to the schema with its anchor that is entered first, which is known
        only if one schema has it (JSON Schema 2020-12, core, section 8.2.3.2). OpenAPI 3.0 has no
        such keyword.
        """
        is_unknown = keyword == "$dynamicRef" and (
            is_old(self.root) or len(self.list_anchored(reference)) > 1
        )
        return None if is_unknown else self.locate(reference)

    def list_anchored(self, reference: Any) -> list[Located]:
        """Return all schemas with the anchor that *reference* names, in the order of pointers."""
        if not isinstance(reference, str) or not reference.startswith("#"):
            return []
        return self._anchors.get(reference[1:], [])

    def list_possible(self, schema: dict[str, Any]) -> list[Located]:
        """Return the schemas to which the `$dynamicRef` of *schema* may lead, if several."""
        found = self.list_anchored(schema["$dynamicRef"]) if "$dynamicRef" in schema else []
        return found if len(found) > 1 else []

    def list_referred(self, schema: dict[str, Any]) -> list[Located]:
        """Return the targets of the references of *schema*, its keywords read, for every value."""
        goals = (self.locate_by(key, schema[key]) for key in REFERENCES if key in schema)
        return [goal for goal in goals if goal is not None]

    def follow(self, located: Located) -> Located:
        """Return the final target of *located*, which may be a reference.

        A circle ends where it closes, a dangling reference at itself.
        """
        seen: set[str] = set()
        while isinstance(located.value, dict) and located.pointer not in seen:
            seen.add(located.pointer)
            located = self.locate(located.value.get("$ref")) or located
        return located

    def resolve(self, reference: Any) -> Any:
        """Return the target of *reference*, or None."""
        found = self.locate(reference)
        return None if found is None else found.value

    def section(self, name: str) -> dict[str, Any]:
        """Return a section of the components, or a mapping at the root; empty if absent."""
        home = self.root.get("components") if name in COMPONENTS else self.root
        found = home.get(name) if isinstance(home, dict) else None
        return found if isinstance(found, dict) else {}

    def schema_name(self, schema: Any) -> str | None:
        """Return the name of the component that the `$ref` of *schema* leads to, or None."""
        reference = schema.get("$ref") if isinstance(schema, dict) else None
        goal = target(reference) if isinstance(reference, str) else None
        if goal is None and (found := self.locate(reference)) is not None:
            goal = component(found.pointer)
        is_known = goal is not None and goal[0] == "schemas" and goal[1] in self.section("schemas")
        return goal[1] if goal is not None and is_known else None

    def find_variant(self, schema: Any) -> str | None:
        """Return the pointer that identifies *schema*, a member of a union, for discriminators.

        This is the first component that its references lead to, else their final target. None if it
        is not a reference, or a dangling one.
        """
        found = None
        seen: set[str] = set()
        while (reference := _reference_of(schema)) is not None:
            found = self.locate(reference)
            if found is None or component(found.pointer) or found.pointer in seen:
                break
            seen.add(found.pointer)
            schema = found.value
        return None if found is None else found.pointer

    def find_mapped(self, named: Any) -> str | None:
        """Return the target of an entry of a discriminator's mapping, as `find_variant` does.

        What may be a name or an address is a name (OpenAPI 3.1.1, section 4.8.25.4).
        """
        if isinstance(named, str) and named in self.section("schemas"):
            return f"/components/schemas/{escape(named)}"
        return self.find_variant({"$ref": named})

    def mapped_name(self, named: Any) -> str | None:
        """Return the component that an entry of a discriminator's mapping names, or None."""
        return _find_schema_name(self.find_mapped(named))

    def variant_name(self, schema: Any) -> str | None:
        """Return the component that identifies *schema* for discriminators, or None."""
        return _find_schema_name(self.find_variant(schema))

    def _find(self, reference: str) -> Located | None:
        if reference != "#" and not reference.startswith("#/"):
            return next(iter(self._anchors.get(reference[1:], ())), None)
        found = locate(self.root, reference)
        return None if found is None else Located(*found)

    @cached_property
    def _anchors(self) -> dict[str, list[Located]]:
        found: dict[str, list[Located]] = {}
        anchored = _find_anchored(self.root, scoped=self._is_scoped)
        for located in sorted(anchored, key=lambda each: each.pointer):
            names = (located.value.get(key) for key in ANCHORS)
            for name in dict.fromkeys(name for name in names if isinstance(name, str)):
                found.setdefault(name, []).append(located)
        return found


def _find_schema_name(pointer: str | None) -> str | None:
    """Return the name of the component at *pointer* if that is a schema, or None."""
    known = None if pointer is None else component(pointer)
    return known[1] if known is not None and known[0] == "schemas" else None


def _reference_of(schema: Any) -> Any:
    """Return the reference that *schema* or its only `allOf` member is, or None."""
    while isinstance(schema, dict) and "$ref" not in schema:
        bases = schema.get("allOf")
        is_alone = {key for key in schema if not key.startswith("x-")} == {"allOf"}
        if not is_alone or not isinstance(bases, list) or len(bases) != 1:
            return None
        [schema] = bases
    return schema.get("$ref") if isinstance(schema, dict) else None


def _find_anchored(root: dict[str, Any], *, scoped: bool) -> Iterator[Located]:
    """Yield the objects of a document that have anchors.

    If *scoped*, none below one with its own address.
    """
    # few objects have anchors: only theirs are worth a pointer
    stack: list[tuple[Any, Any]] = [(root, None)]
    while stack:
        value, trail = stack.pop()
        if isinstance(value, dict):
            if scoped and trail is not None and isinstance(value.get("$id"), str):
                continue
            if not value.keys().isdisjoint(ANCHORS):
                yield Located(value, _pointer(trail))
            stack += [(below, (trail, key)) for key, below in value.items()]
        elif isinstance(value, list):
            stack += [(below, (trail, index)) for index, below in enumerate(value)]


def _pointer(trail: Any) -> str:
    """Return the pointer for a *trail*: the one that leads to the parent, and a key; or None."""
    steps = []
    while trail is not None:
        trail, step = trail
        steps.append(f"/{escape(step)}")
    return "".join(reversed(steps))
