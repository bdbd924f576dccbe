"""However a reference is spelled, every reader answers as if its target were inline."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest
from pydantic import ValidationError
from support.adopted_apis import adopt_all, api
from support.generated_server import Generated
from support.narrowed import Law
from support.readers import Readers
from support.reference_spellings import MODERN, OLD, Schema, document, spell_all
from support.sources import loaded
from support.tables import cases

from dateline.bundle import Document
from dateline.changes.pages import compare_versions
from dateline.check import Published, check
from dateline.diff import diff
from dateline.load import load
from dateline.model import Direction, Kind, Policy, SourceError
from dateline.project import Projector
from dateline.rules import judge

TEXT: Final = {"type": "string"}


def record(fields: dict[str, Any], **keys: Any) -> Schema:
    return {"type": "object", "properties": fields, "required": ["k"], **keys}


# Schemas, with valid and invalid values.
JUDGED: Final[dict[str, tuple[Schema, list[Any]]]] = {
    "values": ({"type": "string", "enum": ["a", "b"]}, ["a", "c", 1, None]),
    "one value": ({"type": "string", "enum": ["a"]}, ["a", "b", None]),
    "fields": (
        record({"k": {"type": "string", "maxLength": 2}}),
        [{"k": "x"}, {"k": "xxx"}, {}, None, 1],
    ),
    "a bound": ({"type": "integer", "minimum": 3}, [3, 2, "3", None]),
    "items": (
        {"type": "array", "items": TEXT, "maxItems": 1},
        [[], ["a"], ["a", "b"], [1], None],
    ),
}

# Edits that add or remove a field called `zq`.
EDITED: Final[dict[str, tuple[Schema, Schema]]] = {
    "field added": (record({"k": TEXT}), record({"k": TEXT, "zq": TEXT})),
    "field removed": (record({"k": TEXT, "zq": TEXT}), record({"k": TEXT})),
    "closed field added": (
        record({"k": TEXT}, additionalProperties=False),
        record({"k": TEXT, "zq": TEXT}, additionalProperties=False),
    ),
    "field below added": (
        record({"k": TEXT, "a": {"type": "array", "items": record({"k": TEXT})}}),
        record({"k": TEXT, "a": {"type": "array", "items": record({"k": TEXT, "zq": TEXT})}}),
    ),
}
COMPARED: Final[dict[str, tuple[Schema, Schema]]] = {
    **EDITED,
    "field required": (
        {"type": "object", "properties": {"k": TEXT}},
        record({"k": TEXT}),
    ),
    "value removed": ({"type": "string", "enum": ["a", "b"]}, {"type": "string", "enum": ["a"]}),
    "value added": ({"type": "string", "enum": ["a"]}, {"type": "string", "enum": ["a", "b"]}),
    "bound tightened": ({"type": "string", "maxLength": 5}, {"type": "string", "maxLength": 4}),
    "bound loosened": ({"type": "string", "maxLength": 4}, {"type": "string", "maxLength": 5}),
    "type": (TEXT, {"type": "integer"}),
    "words": ({**TEXT, "description": "a"}, {**TEXT, "description": "b"}),
    "nothing": (TEXT, TEXT),
}
VERSIONS: Final = ("3.0.3", "3.1.0")


def read(written: Schema) -> Schema:
    """Return *written* as read from a file."""
    return Document(name="x.json", data=json.dumps(written).encode()).content


@cases("openapi", VERSIONS)
@cases("edit", COMPARED)
def test_changes_behind_a_reference_are_the_same(openapi: str, edit: str) -> None:
    before, after = (read(document(openapi, each)) for each in COMPARED[edit])
    found: dict[str, set[tuple[str, str, str]]] = {f"PUT {path}": set() for path in before["paths"]}
    for change in diff(before, after):
        verdict = judge(change, "dated-contract", {})
        for operation in change.operations if change.direction is not Direction.MODEL else ():
            said = (verdict.rule, str(verdict.verdict), str(change.direction))
            found[operation].add(said)
    # a schema inlined twice has two changes, one in the request and one in the response
    in_place = found.pop("PUT /InPlace")
    assert found.pop("PUT /SiblingsThatRepeat", in_place) == in_place
    expected = found["PUT /AComponent"]
    assert bool(expected) is bool(in_place) is (edit != "nothing")
    assert ("gated" in str(expected)) is ("gated" in str(in_place))
    assert {name: said for name, said in found.items() if said != expected} == {}


# Giving a schema a name is a change of its own.
_NAMES: Final = ("$anchor", "$dynamicAnchor", "$id")
_NAMED: Final = ("an address", "a fragment of its resource", "a resource within its resource")


@cases("openapi", VERSIONS)
@cases("kind", JUDGED)
def test_another_spelling_is_no_change(openapi: str, kind: str) -> None:
    components, uses = spell_all(openapi, JUDGED[kind][0])

    def with_use(use: Schema) -> Schema:
        held = {"content": {"application/json": {"schema": use}}}
        return read(
            {
                "openapi": openapi,
                "info": {"title": "", "version": "1"},
                "paths": {"/x": {"get": {"responses": {"200": {"description": "", **held}}}}},
                "components": {"schemas": components},
            }
        )

    plain = with_use(uses["in place"])

    def reported(before: Schema, after: Schema) -> Iterator[str]:
        for change in diff(before, after):
            words = change.kind in (Kind.DOCUMENTATION_CHANGED, Kind.EXTENSION_CHANGED)
            if not words and change.keyword not in _NAMES:
                yield f"{change.kind} {change.keyword}"

    found = {
        name: [*reported(plain, spelled), *reported(spelled, plain)]
        for name, use in uses.items()
        if name not in _NAMED and (spelled := with_use(use))
    }
    assert {name: said for name, said in found.items() if said} == {}


@pytest.mark.parametrize(
    ("openapi", "kinds"),
    [
        ("3.0.3", ("values",)),
        ("3.1.0", ("one value", "fields", "items")),
    ],
)
def test_values_are_validated_alike(openapi: str, kinds: tuple[str, ...], tmp_path: Path) -> None:
    schemas: dict[str, Schema] = {}
    named: dict[str, tuple[str, str]] = {}
    for number, kind in enumerate(kinds):
        components, uses = spell_all(openapi, JUDGED[kind][0])
        prefix = f"K{chr(97 + number)}"
        text = json.dumps([components, uses])
        for name in components:
            for end in '"/%':
                text = text.replace(f"schemas/{name}{end}", f"schemas/{prefix}{name}{end}")
        text = text.replace('%54"', 'T"').replace("names.example/", f"names.example/{prefix}")
        for sign in ('"#S', 'nchor": "S'):
            text = text.replace(sign, f"{sign[:-1]}{prefix}S")
        components, uses = json.loads(text)
        schemas |= {f"{prefix}{name}": each for name, each in components.items()}
        for at, (name, use) in enumerate(uses.items()):
            schemas[f"{prefix}U{chr(97 + at)}"] = use
            named[f"{prefix}U{chr(97 + at)}"] = kind, name
    readers = Readers(tmp_path, schemas, openapi)
    plain = {kind: name for name, (kind, called) in named.items() if called == "in place"}
    wrong = [
        f"{reader}: {kind}, {called}, {value!r}"
        for name, (kind, called) in named.items()
        if not readers.notes_of(name)
        for value in JUDGED[kind][1]
        for reader, fits in readers.readers.items()
        if fits(name, value) is not readers.readers["server, request"](plain[kind], value)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("edit", "openapi"), [*((edit, "3.1.0") for edit in EDITED), ("field below added", "3.0.3")]
)
def test_values_are_narrowed_and_change_pages_written_alike(
    edit: str, openapi: str, tmp_path: Path
) -> None:
    # the document is rendered as it was written
    adopt_all(tmp_path, [document(openapi, each) for each in EDITED[edit]])
    adopted = load(tmp_path / "schemas")
    law = Law(adopted)
    older, newer = adopted.table.versions
    before, after = ("removed" in edit, "added" in edit)
    both: dict[str, Any] = {"k": "x", **({"a": [{"k": "y", "zq": "z"}]} if "below" in edit else {})}
    both |= {} if "below" in edit else {"zq": "z"}
    for version, is_there in ((older.date, before), (newer.date, after)):
        shown = {
            body.operation: law.narrow(version, "production", body)({"it": both})
            for body in law.canonical.bodies
            if body.status
        }
        assert set(map(json.dumps, shown.values())) == {
            json.dumps({"it": both if is_there else _without(both)})
        }
    page = compare_versions(adopted, Projector(adopted), older, newer)
    reported = {operation for entry in page.entries for operation in entry.operations}
    assert len(reported) == len(adopted.document["paths"])


def with_holders(openapi: str, schema: Schema) -> tuple[Schema, dict[str, str]]:
    """Return a document with a component for each spelling, and the names of the components."""
    components, uses = spell_all(openapi, schema)
    names = {name: f"Holder{chr(97 + at)}" for at, name in enumerate(uses)}
    holders = {
        names[name]: {"type": "object", "properties": {"it": use}} for name, use in uses.items()
    }
    every = {name: {"$ref": f"#/components/schemas/{name}"} for name in holders}
    return {
        **api(loan={"type": "object", "properties": every}, schemas={**components, **holders}),
        "openapi": openapi,
    }, names


@pytest.mark.parametrize("openapi", VERSIONS)
def test_each_version_has_its_own_models(openapi: str, tmp_path: Path) -> None:
    short, long = (record({"k": {"type": "string", "maxLength": most}}) for most in (3, 5))
    documents = [with_holders(openapi, each)[0] for each in (short, long)]
    names = with_holders(openapi, short)[1]
    adopt_all(tmp_path, documents)
    adopted = load(tmp_path / "schemas")
    generated = Generated(tmp_path, adopted)
    older, newer = (generated.module(f"v{day.replace('-', '_')}") for day in adopted.table.dates)
    value = {"it": {"k": "abcd"}}
    for name in names.values():
        getattr(newer, name).model_validate(value)
        with pytest.raises(ValidationError):
            getattr(older, name).model_validate(value)


# Definitions express these differently.
PUBLISHED_ONLY: Final = (
    *("a dynamic anchor", "a definition of its own component", "an address"),
    *("a fragment of its resource", "an anchor of a resource"),
    *("an anchor that a resource below has, too", "a resource within its resource"),
)
TABLE: Final = """\
header: X-API-Version
default: 2024-01-15
versions:
  - { date: 2024-01-15, title: Initial version }
  - { date: next, title: What comes, draft: true }
policy: dated-contract
lint: adopted
environments: { production: { servers: [{ url: https://api.example/ }] } }
python: { package: spelled }
"""

UNSERVABLE: Final[dict[str, tuple[Schema, set[str]]]] = {
    "a required field": (
        record({"k": TEXT, "r": {**TEXT, "x-added": "next"}}, required=["k", "r"]),
        {"request-without-way-up"},
    ),
    "a value": (
        {"type": "string", "oneOf": [{"const": "a"}, {"const": "b", "x-added": "next"}]},
        {"member-without-substitute"},
    ),
    "nothing": (record({"k": TEXT, "o": {**TEXT, "x-added": "next"}}), set()),
}


@pytest.mark.parametrize(
    ("case", "openapi"), [*((case, "3.1.0") for case in UNSERVABLE), ("a value", "3.0.3")]
)
def test_unservable_parts_are_found_behind_every_spelling(
    case: str, openapi: str, tmp_path: Path
) -> None:
    schema, expected = UNSERVABLE[case]
    for name, spell in (OLD if openapi.startswith("3.0") else MODERN).items():
        if name in PUBLISHED_ONLY:
            continue
        components, use = spell("S", schema)
        held = {"type": "object", "properties": {"it": use}, "required": ["it"]}
        body = {"content": {"application/json": {"schema": held}}}
        answer = {"200": {"description": "", **body}}
        put = {"operationId": "put", "requestBody": body, "responses": answer}
        written = {
            **document(openapi, TEXT),
            "paths": {"/x": {"put": put}},
            "components": {"schemas": components},
        }
        files = {"versions.yaml": TABLE, "api.json": json.dumps(written)}
        found = check(
            loaded(tmp_path / name, files),
            Published(label="nothing"),
            today=date(2026, 1, 1),
        )
        servable = {each.rule for each in found if each.policy is Policy.SERVABLE}
        assert (name, servable) == (name, expected)


def _without(value: Any) -> Any:
    if isinstance(value, list):
        return [_without(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {key: _without(each) for key, each in value.items() if key != "zq"}


A: Final = "#/components/schemas/A"
CIRCLES: Final[dict[str, dict[str, Schema]]] = {
    "an anchor": {"A": {"$anchor": "a", "$ref": "#a"}},
    "a base": {"A": {"allOf": [{"$ref": f"{A}/allOf/0"}]}},
    "two bases": {
        "A": {"allOf": [{"$ref": "#/components/schemas/B/allOf/0"}]},
        "B": {"allOf": [{"$ref": f"{A}/allOf/0"}]},
    },
    "a definition": {"A": {"$ref": f"{A}/$defs/x", "$defs": {"x": {"$ref": A}}}},
    "a base beside": {"A": {"$ref": "#/components/schemas/B", "allOf": [{"$ref": A}]}, "B": {}},
    "an escape": {"A": {"oneOf": [{"$ref": "#/components/schemas/%41"}]}},
}


@cases("circle", CIRCLES)
def test_schema_that_refers_only_to_itself_is_refused(circle: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError) as error:
        adopt_all(tmp_path, [api(schemas=CIRCLES[circle])])
    assert {problem.id for problem in error.value.problems} == {"reference-cycle"}


def test_schema_that_refers_to_itself_below_a_value_is_no_cycle(tmp_path: Path) -> None:
    below = {"type": "object", "properties": {"x": {"items": {"$ref": f"{A}/properties/x"}}}}
    adopt_all(tmp_path, [api(schemas={"A": below})])


def generic(item: Schema) -> Schema:
    """Return a generic page, and a page of users that overrides its items."""
    anchor = {"$dynamicAnchor": "item"}
    return {
        "User": item,
        "Page": {
            "properties": {"items": {"$dynamicRef": "#item"}},
            "$defs": {"z": {**anchor, "not": {}}},
        },
        "Users": {
            "$ref": "#/components/schemas/Page",
            "$defs": {"i": {**anchor, "$ref": "#/components/schemas/User"}},
        },
    }


def with_addresses(schemas: dict[str, Schema]) -> dict[str, Schema]:
    """Return *schemas* as resources with addresses, which refer to each other by address."""
    text = json.dumps(schemas).replace("#/components/schemas/", "https://pages.example/")
    return {
        name: {"$id": f"https://pages.example/{name}", **schema}
        for name, schema in json.loads(text).items()
    }


@pytest.mark.parametrize("have_addresses", [False, True])
@pytest.mark.parametrize("used", ["Page", "Users"])
def test_dynamic_reference_concerns_all_its_targets(
    used: str, tmp_path: Path, *, have_addresses: bool
) -> None:
    answer = {"$ref": f"#/components/schemas/{used}"}
    address = with_addresses if have_addresses else dict
    before, after = (
        api(
            loan=answer,
            schemas=address(generic(record({"k": {"type": "string", "maxLength": size}}))),
        )
        for size in (5, 4)
    )
    found = [(change.keyword, change.operations) for change in diff(read(before), read(after))]
    assert found == [("maxLength", ("GET /loan",))]
    without = json.loads(json.dumps(before))
    del without["components"]["schemas"]["Users"]["$defs"]
    changes = diff(read(without), read(before))
    assert ("GET /loan",) in {change.operations for change in changes}
    adopt_all(tmp_path, [before, after])
