"""Names in published documents that equal keys of definitions remain names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.adopted_apis import adopt_all, api

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


def name_in_place(name: str, place: str) -> dict[str, Any]:
    """Return a document in which an author uses *name* in *place*."""
    text = {"type": "string"}
    loan: dict[str, Any] = {"type": "object"}
    parts: dict[str, Any] = {"loan": loan, "schemas": {"Other": OTHER}}
    match place:
        case "component":
            parts["schemas"][name] = {"type": "object"}
            loan["properties"] = {"a": {"$ref": f"#/components/schemas/{name}"}}
        case "header":
            answer = {"description": "d", "headers": {name: {"schema": text}}}
            parts["also"] = {"404": answer}
        case "parameter":
            parts["parameters"] = [{"name": name, "in": "query", "schema": text}]
        case "mapping":
            tags = {name: "#/components/schemas/Other"}
            loan |= {
                "oneOf": [{"$ref": tags[name]}],
                "discriminator": {"propertyName": "t", "mapping": tags},
            }
        case "bare mapping":
            loan |= {
                "oneOf": [{"$ref": "#/components/schemas/Other"}],
                "discriminator": {"propertyName": "t", "mapping": {name: "Other"}},
            }
        case "dependentRequired":
            loan[place] = {name: ["a"]}
        case "$defs" | "patternProperties" | "dependentSchemas":
            loan[place] = {name: text}
    found = api(**parts)
    if place in ("scope", "scheme"):
        flow = {"tokenUrl": "https://a.example", "scopes": {name: "Read all.", "read": ""}}
        scheme = {"type": "oauth2", "flows": {"clientCredentials": flow}}
        called = name if place == "scheme" else "login"
        found["components"]["securitySchemes"] = {called: scheme}
        found["security"] = [{called: [name]}, {called: []}]
        for item in found["paths"].values():
            for operation in item.values():
                operation["security"] = [{called: ["read"]}]
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


def with_field(name: str, schema: Any) -> dict[str, Any]:
    loan = {"type": "object", "properties": {"a": {}, name: schema}, "required": [name]}
    return api(loan=loan, schemas={"Other": OTHER})


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
@pytest.mark.parametrize("name", sorted(KEYS))
def test_property_named_like_a_key_in_one_version_or_in_both(
    name: str, schema: Any, tmp_path: Path
) -> None:
    without = api(schemas={"Other": OTHER})
    pairs = ([with_field(name, schema)], [without, with_field(name, schema)])
    changed = [with_field(name, {"type": "integer"}), with_field(name, schema)]
    for number, documents in enumerate((*pairs, [*reversed(pairs[1])], changed)):
        (tmp_path / str(number)).mkdir()
        adopt_all(tmp_path / str(number), documents, accept=True)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", sorted(KEYS))
def test_name_like_a_key_in_any_place(name: str, place: str, tmp_path: Path) -> None:
    for number, documents in enumerate(
        ([name_in_place(name, place)], [api(), name_in_place(name, place)])
    ):
        (tmp_path / str(number)).mkdir()
        adopt_all(tmp_path / str(number), documents, accept=True)


@pytest.mark.parametrize(
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
    adopt_all(tmp_path, [with_field("marker", {"type": "string"})])
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
    adopt_all(tmp_path, [name_in_place("marker", "scope")])
    (path,) = (
        path for path in (tmp_path / "schemas").glob("*.yaml") if "marker:" in path.read_text()
    )
    path.write_text(path.read_text().replace("marker: Read all.", f"{key}: next"))
    with pytest.raises(SourceError) as refused:
        load(tmp_path / "schemas")
    assert {problem.id for problem in refused.value.problems} == {"misplaced-annotation"}
