"""Names in published documents that equal keys of definitions remain names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.adopted_apis import adopt_all, api
from support.tables import cases

from dateline.load import load
from dateline.model import KEYS, SourceError

SCHEMAS: tuple[Any, ...] = (
    {},
    True,
    {"type": "string"},
    {"$ref": "#/components/schemas/Other"},
    {"type": "object", "properties": {"x-was": {"type": "string"}}},
)
OTHER = {"type": "object", "properties": {"t": {"type": "string"}}, "required": ["t"]}


def name_in_place(place: str, *names: str) -> dict[str, Any]:
    """Return a document in which an author uses *names* in *place*."""
    text = {"type": "string"}
    loan: dict[str, Any] = {"type": "object"}
    parts: dict[str, Any] = {"loan": loan, "schemas": {"Other": OTHER}}
    other = "#/components/schemas/Other"
    match place:
        case "component":
            parts["schemas"] |= {name: {"type": "object"} for name in names}
            loan["properties"] = {
                f"a{at}": {"$ref": f"#/components/schemas/{name}"} for at, name in enumerate(names)
            }
        case "header":
            headers = {name: {"schema": text} for name in names}
            parts["also"] = {"404": {"description": "d", "headers": headers}}
        case "parameter":
            parts["parameters"] = [{"name": name, "in": "query", "schema": text} for name in names]
        case "mapping" | "bare mapping":
            tags = dict.fromkeys(names, other if place == "mapping" else "Other")
            loan |= {
                "oneOf": [{"$ref": other}],
                "discriminator": {"propertyName": "t", "mapping": tags},
            }
        case "dependentRequired":
            loan[place] = {name: ["a"] for name in names}
        case "$defs" | "patternProperties" | "dependentSchemas":
            loan[place] = dict.fromkeys(names, text)
    found = api(**parts)
    if place in ("scope", "scheme"):
        scopes = dict.fromkeys(names, "Read all.")
        flow = {"tokenUrl": "https://a.example", "scopes": {**scopes, "read": ""}}
        scheme = {"type": "oauth2", "flows": {"clientCredentials": flow}}
        called = names if place == "scheme" else ("login",)
        found["components"]["securitySchemes"] = dict.fromkeys(called, scheme)
        found["security"] = [{each: [*names]} for each in called] + [{called[0]: []}]
        for item in found["paths"].values():
            for operation in item.values():
                operation["security"] = [{each: ["read"]} for each in called]
    return found


PLACES = (
    "component",
    "header",
    "parameter",
    "mapping",
    "bare mapping",
    "scope",
    "scheme",
    "dependentRequired",
    "$defs",
    "patternProperties",
    "dependentSchemas",
)


def with_fields(schema: Any, *names: str) -> dict[str, Any]:
    fields = {"a": {}, **dict.fromkeys(names, schema)}
    loan = {"type": "object", "properties": fields, "required": [*names]}
    return api(loan=loan, schemas={"Other": OTHER})


def adopt_each(folder: Path, *chains: list[dict[str, Any]]) -> None:
    for number, documents in enumerate(chains):
        (folder / str(number)).mkdir()
        adopt_all(folder / str(number), documents, accept=True)


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_properties_named_like_keys_in_one_version_or_in_both(schema: Any, tmp_path: Path) -> None:
    named, without = with_fields(schema, *KEYS), api(schemas={"Other": OTHER})
    changed = with_fields({"type": "integer"}, *KEYS)
    adopt_each(tmp_path, [named], [without, named], [named, without], [changed, named])


def test_single_property_named_like_a_key(tmp_path: Path) -> None:
    without = api(schemas={"Other": OTHER})
    adopt_each(tmp_path, *([without, with_fields({"type": "string"}, name)] for name in KEYS))


@cases("place", PLACES)
def test_names_like_keys_in_any_place(place: str, tmp_path: Path) -> None:
    named = name_in_place(place, *sorted(KEYS))
    adopt_each(tmp_path, [named], [api(), named])


@cases(
    ("key", "value"),
    [
        ("x-added", "2024-01-15"),
        ("x-removed", "next"),
        ("x-was", "{ 2024-01-15: { type: string } }"),
        ("x-environments", "[production]"),
        ("x-why", "a reason"),
        ("x-why", "{ 2024-01-15: a reason }"),
    ],
)
def test_annotation_among_properties_is_refused(key: str, value: str, tmp_path: Path) -> None:
    adopt_all(tmp_path, [with_fields({"type": "string"}, "marker")])
    (path,) = (
        path for path in (tmp_path / "schemas").glob("*.yaml") if "marker:" in path.read_text()
    )
    lines = path.read_text().split("\n")
    (number,) = (number for number, line in enumerate(lines) if line.strip() == "marker:")
    margin = " " * (len(lines[number]) - len("marker:"))
    lines.insert(number, f"{margin}{key}: {value}")
    path.write_text("\n".join(lines))
    with pytest.raises(SourceError) as refused:
        load(tmp_path / "schemas")
    assert [problem.id for problem in refused.value.problems] == ["misplaced-annotation"]


@pytest.mark.parametrize("key", ["x-added", "x-removed"])
def test_gate_among_scopes_is_refused(key: str, tmp_path: Path) -> None:
    adopt_all(tmp_path, [name_in_place("scope", "marker")])
    (path,) = (
        path for path in (tmp_path / "schemas").glob("*.yaml") if "marker:" in path.read_text()
    )
    path.write_text(path.read_text().replace("marker: Read all.", f"{key}: next"))
    with pytest.raises(SourceError) as refused:
        load(tmp_path / "schemas")
    assert {problem.id for problem in refused.value.problems} == {"misplaced-annotation"}
