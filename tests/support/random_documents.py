"""Small random documents, each with its result after random edits."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from random import Random
from typing import Final, NamedTuple

from support.copies import copy_plain
from support.inheritance import change_family, inherit
from support.mutations import (
    EDITS,
    NAMES,
    NOTES,
    PATTERNS,
    Edit,
    default_changed,
    odd_constraint_made,
    require,
    scalar,
)
from support.schema_sites import MODEL, Document, Schema, sites
from support.surrounding_edits import DOCUMENT_EDITS, REFACTORINGS, DocumentEdit

_COMPONENTS: Final = ("Loan", "Reader", "Branch")


def _without_unused(document: Document) -> None:
    """Remove the components that no operation reaches."""
    used = {id(site.node) for site in sites(document) if MODEL not in site.roles}
    schemas = document["components"]["schemas"]
    for name in [name for name, node in schemas.items() if id(node) not in used]:
        del schemas[name]


class Maker:
    """Generates small random documents, the same for the same seed."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._old = random.random() < 0.15
        self._known: tuple[str, ...] = _COMPONENTS

    def document(self) -> Document:
        """Return a document with one path, whose schemas are random."""
        pick = self._random
        schemas: Schema = {name: self.component(name) for name in _COMPONENTS}
        for kind in ("Book", "Map"):
            schemas[kind] = {
                "type": "object",
                "required": ["kind"],
                "properties": {"kind": self._constant(kind), "size": self._scalar(0)},
            }
        document: Document = {
            "openapi": "3.0.3" if self._old else "3.1.0",
            "info": {"title": "Library", "version": "1"},
            "paths": {},
            "components": {"schemas": schemas},
        }
        shape = pick.choice(("response", "response", "body", "both", "parameter", "all", "webhook"))
        operation: Schema = {
            "operationId": "doLoan",
            "responses": {"200": {"description": "done"}},
        }
        if shape in ("response", "both", "all"):
            operation["responses"]["200"]["content"] = {
                "application/json": {"schema": self._outer()}
            }
        if shape in ("body", "both", "all"):
            operation["requestBody"] = {
                "required": pick.random() < 0.5,
                "content": {"application/json": {"schema": self._outer()}},
            }
        if shape in ("parameter", "all"):
            operation["parameters"] = [
                {
                    "name": name,
                    "in": pick.choice(("query", "header")),
                    "required": pick.random() < 0.3,
                    "schema": self._schema(2),
                }
                for name in pick.sample(NAMES, 2)
            ]
        if shape == "all":
            self._surround(operation)
        path = pick.choice(("/loans", "/loans/{id}"))
        if shape == "webhook" and not self._old:
            hook = {
                "requestBody": {"content": {"application/json": {"schema": self._outer()}}},
                "responses": {
                    "200": {
                        "description": "taken",
                        "content": {"application/json": {"schema": self._schema(2)}},
                    }
                },
            }
            document["webhooks"] = {"loan": {"post": hook}}
        document["paths"][path] = {"post": operation}
        return document

    def component(self, name: str) -> Schema:
        """Return a component that *name* may reference, without an endless cycle."""
        self._known = _COMPONENTS[_COMPONENTS.index(name) + 1 :]
        made = self._object(1) if self._random.random() < 0.7 else self._schema(2)
        self._known = _COMPONENTS
        return made

    def _surround(self, operation: Schema) -> None:
        pick = self._random
        error = {
            "description": "an error",
            "content": {"application/json": {"schema": self._scalar(0)}},
        }
        for status in ("400", "default", "5XX"):
            if pick.random() < 0.4:
                operation["responses"][status] = error
        if pick.random() < 0.5:
            operation["responses"]["200"]["headers"] = {
                "X-Total": {"required": pick.random() < 0.5, "schema": self._scalar(0)}
            }

    def _constant(self, value: str) -> Schema:
        return {"type": "string", "enum": [value]} if self._old else {"const": value}

    def _outer(self) -> Schema:
        pick = self._random
        if pick.random() < 0.6:
            return {"$ref": f"#/components/schemas/{pick.choice(_COMPONENTS)}"}
        if pick.random() < 0.5:
            return {"type": "array", "items": self._schema(2)}
        return self._schema(3)

    def _schema(self, depth: int) -> Schema:
        pick = self._random
        kinds = {"scalar": 40, "array": 8, "object": 16, "ref": 12, "tagged": 4, "union": 7}
        kinds |= {"null": 7, "all": 5, "map": 8, "odd": 5, "any": 1, "overlap": 2}
        if depth <= 0:
            kinds = {"scalar": 40, "ref": 8, "null": 5}
        kind = pick.choices(list(kinds), list(kinds.values()))[0]
        made: Schema = getattr(self, f"_{kind}")(depth)
        return made

    def _scalar(self, _depth: int) -> Schema:
        pick = self._random
        made = scalar(pick)
        kind = made["type"]
        if kind in ("integer", "number") and pick.random() < 0.1:
            made["multipleOf"] = pick.choice((2, 3, 4, 6))
        if kind == "integer" and len(made) == 1 and pick.random() < 0.2:
            made["format"] = pick.choice(("int32", "int64"))
        if kind == "string" and len(made) == 1 and pick.random() < 0.2:
            made["pattern"] = pick.choice(PATTERNS)
        if self._old:
            for bound in ("Minimum", "Maximum"):
                if f"exclusive{bound}" in made:
                    # in 3.0, a boolean makes the adjacent bound exclusive
                    made[bound.lower()] = made[f"exclusive{bound}"]
                    made[f"exclusive{bound}"] = True
        if pick.random() < 0.08:
            default_changed(pick, made)
        return made

    def _any(self, _depth: int) -> Schema:
        return {}

    def _ref(self, _depth: int) -> Schema:
        if not self._known:
            return scalar(self._random)
        return {"$ref": f"#/components/schemas/{self._random.choice(self._known)}"}

    def _tagged(self, _depth: int) -> Schema:
        members = [{"$ref": f"#/components/schemas/{name}"} for name in ("Book", "Map")]
        made: Schema = {"oneOf": members, "discriminator": {"propertyName": "kind"}}
        if self._random.random() < 0.6:
            made["discriminator"]["mapping"] = {
                name: f"#/components/schemas/{name}" for name in ("Book", "Map")
            }
        return made

    def _union(self, depth: int) -> Schema:
        pick = self._random
        members: dict[str, Schema] = {}
        for _ in range(3):
            made = self._schema(depth - 1)
            # exclusive members: no value fits two of them
            members.setdefault(str(made.get("type")), made)
        return {pick.choice(("oneOf", "anyOf")): list(members.values())}

    def _overlap(self, depth: int) -> Schema:
        members = [self._object(depth - 1) for _ in range(2)]
        return {"oneOf": members}

    def _null(self, depth: int) -> Schema:
        made = self._schema(depth - 1)
        if self._old:
            if "$ref" in made:
                return {"allOf": [made], "nullable": True}
            return {**made, "nullable": True}
        if self._random.random() < 0.5 and isinstance(made.get("type"), str):
            if "enum" in made:
                return {**made, "type": [made["type"], "null"], "enum": [*made["enum"], None]}
            return {**made, "type": [made["type"], "null"]}
        return {self._random.choice(("anyOf", "oneOf")): [made, {"type": "null"}]}

    def _all(self, depth: int) -> Schema:
        name = self._random.choice(("Book", "Map"))
        parts = [{"$ref": f"#/components/schemas/{name}"}, self._object(depth - 1)]
        # other parts must not name fields that a closed part doesn't allow
        parts[1].pop("additionalProperties", None)
        parts[1].pop("unevaluatedProperties", None)
        made: Schema = {"allOf": parts[: self._random.choice((1, 2, 2))]}
        if self._random.random() < 0.25 and not self._old:
            made["unevaluatedProperties"] = False
        return made

    def _map(self, depth: int) -> Schema:
        made: Schema = {"type": "object", "additionalProperties": self._schema(depth - 1)}
        if self._random.random() < 0.4:
            made["properties"] = {self._random.choice(NAMES): self._schema(depth - 1)}
        return made

    def _array(self, depth: int) -> Schema:
        pick = self._random
        made: Schema = {"type": "array", "items": self._schema(depth - 1)}
        if pick.random() < 0.3:
            made[pick.choice(("minItems", "maxItems"))] = pick.choice((1, 2, 3))
        if pick.random() < 0.1:
            made["uniqueItems"] = True
        return made

    def _object(self, depth: int) -> Schema:
        pick = self._random
        names = pick.sample(NAMES, pick.randint(1, 4))
        made: Schema = {
            "type": "object",
            "properties": {name: self._schema(depth - 1) for name in names},
        }
        require(made, [name for name in names if pick.random() < 0.4])
        for name in names:
            if name not in made.get("required", []) and pick.random() < 0.06:
                goal = pick.choice(_COMPONENTS)
                made["properties"][name] = {"$ref": f"#/components/schemas/{goal}"}
        for child in made["properties"].values():
            # the member of a `oneOf` that a value fits must not depend on who writes it
            if depth == 1 and "$ref" not in child and pick.random() < 0.15:
                child[pick.choice(("readOnly", "writeOnly"))] = True
        if pick.random() < 0.12:
            made["additionalProperties"] = False
        elif pick.random() < 0.04 and not self._old:
            made["unevaluatedProperties"] = False
        return made

    def _odd(self, depth: int) -> Schema:
        pick = self._random
        made = self._object(depth - 1)
        for _ in range(3):
            if odd_constraint_made(pick, made):
                break
        return made


_AROUND: Final = frozenset(edit.name for edit in DOCUMENT_EDITS)
_ADDITIVE: Final = [edit for edit in EDITS if edit.listed]


class Pair(NamedTuple):
    """A document, and its result after edits.

    ``listed`` if the list of additive changes includes all of them; ``schemas_only`` if only
    schemas changed.
    """

    before: Document
    after: Document
    edits: tuple[str, ...]
    listed: bool
    schemas_only: bool = True


def pairs(seed: int, count: int) -> Iterator[Pair]:
    """Yield *count* random pairs: most differ in one edit, some in several, some in all."""
    for number in range(count):
        random = Random(f"{seed} {number}")
        before = Maker(random).document()
        kind = random.random()
        if kind < 0.12:
            yield _apart(random, before)
            continue
        inherits = kind > 0.85
        if inherits:
            inherit(random, before)
        if random.random() < 0.9:
            _without_unused(before)
        after = copy_plain(before)
        edits: list[str] = []
        listed = True
        # a component is a variant here, and so no longer what the refactorings expect
        if random.random() < 0.3 and not inherits:
            for _ in range(random.randint(1, 3)):
                edits += refactor_randomly(random, after)
        if inherits and random.random() < 0.4 and (related := change_family(random, after)):
            yield Pair(before, after, (related,), listed=False, schemas_only=False)
            continue
        for _ in range(random.choice((0, 1, 1, 1, 1, 1, 2, 3))):
            name, named = edit_randomly(random, after)
            edits.append(name)
            listed = listed and named
        yield Pair(before, after, tuple(edits), listed, _AROUND.isdisjoint(edits))


def once_each(seed: int, name: str, count: int) -> Iterator[Pair]:
    """Yield *count* random pairs that differ only in one edit, called *name*."""
    known: dict[str, Edit | DocumentEdit] = {}
    known.update((each.name, each) for each in EDITS)
    known.update((each.name, each) for each in DOCUMENT_EDITS)
    edit = known[name]
    made = 0
    for number in itertools.count():
        random = Random(f"{seed} {number}")
        before = Maker(random).document()
        _without_unused(before)
        after = copy_plain(before)
        listed = _once(random, edit, after)
        if listed is not None:
            yield Pair(before, after, (name,), listed, name not in _AROUND)
            made += 1
            if made == count:
                return


def refactor_pairs(seed: int, name: str, count: int) -> Iterator[Pair]:
    """Yield *count* random pairs with equal contracts that differ in the refactoring *name*."""
    change = next(each.change for each in REFACTORINGS if each.name == name)
    made = 0
    for number in itertools.count():
        random = Random(f"{seed} {number}")
        before = Maker(random).document()
        _without_unused(before)
        after = copy_plain(before)
        if change(random, after):
            yield Pair(before, after, (name,), listed=True)
            made += 1
            if made == count:
                return


def _once(random: Random, edit: Edit | DocumentEdit, document: Document) -> bool | None:
    """Apply *edit* somewhere; return whether it is listed as additive, None if inapplicable."""
    if isinstance(edit, DocumentEdit):
        return edit.listed if edit.change(random, document) else None
    found = sites(document)
    for site in random.sample(found, len(found)):
        if edit.change(random, site.node):
            return site.roles <= edit.listed
    return None


def single(document: Document, seed: int) -> Iterator[Pair]:
    """Yield *document* with each edit applied to each schema, one at a time.

    Each ``after`` is valid only until the next pair is requested.
    """
    after = copy_plain(document)
    for number, site in enumerate(sites(after)):
        for edit in EDITS:
            was = copy_plain(site.node)
            if edit.change(Random(f"{seed} {number} {edit.name}"), site.node):
                yield Pair(document, after, (edit.name,), site.roles <= edit.listed)
            site.node.clear()
            site.node.update(was)
    for whole in DOCUMENT_EDITS:
        after = copy_plain(document)
        if whole.change(Random(f"{seed} {whole.name}"), after):
            yield Pair(document, after, (whole.name,), whole.listed, schemas_only=False)


def _apart(random: Random, before: Document) -> Pair:
    """Return a pair in which a component was duplicated."""
    after = copy_plain(before)
    maker = Maker(random)
    maker._old = before["openapi"].startswith("3.0")
    name = random.choice(_COMPONENTS)
    for document in (before, after):
        document["components"]["schemas"][name] = maker.component(name)
        _without_unused(document)
    return Pair(before, after, ("made twice",), listed=True)


def edit_randomly(random: Random, document: Document) -> tuple[str, bool]:
    """Edit *document* at random; return the edits and whether all are listed as additive."""
    while True:
        if random.random() < 0.2:
            whole = random.choice(DOCUMENT_EDITS)
            if whole.change(random, document):
                return whole.name, whole.listed
            continue
        kinds = random.choices((NOTES, _ADDITIVE, EDITS), (1, 9, 10))[0]
        edit = random.choice(kinds)
        listed = _once(random, edit, document)
        if listed is not None:
            return edit.name, listed


def refactor_randomly(random: Random, document: Document) -> list[str]:
    """Refactor *document* at random; return what was done, empty if nothing was applicable."""
    chosen = random.choice(REFACTORINGS)
    return [chosen.name] if chosen.change(random, document) else []
