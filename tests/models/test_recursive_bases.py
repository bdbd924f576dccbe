"""Inline schemas that extend the component that contains them: by name, or as a model."""

from __future__ import annotations

import importlib
import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator
from pydantic import TypeAdapter, ValidationError
from support.generated_server import Generated

from dateline.adopt import adopt
from dateline.load import load

NODE = {"$ref": "#/components/schemas/Node"}

SILENT: dict[str, list[Any]] = {
    "after": [NODE, {"description": "A child."}],
    "before": [{"description": "A child."}, NODE],
    "several": [{"description": "A child."}, NODE, {"example": {}}, {}],
}

SAYING: dict[str, list[Any]] = {
    "a required field": [NODE, {"required": ["x"]}],
    "a number of fields": [{"minProperties": 1}, NODE],
    "a field": [NODE, {"required": ["x"], "properties": {"y": {"type": "integer"}}}],
    "a description too": [NODE, {"required": ["x"]}, {"description": "A child."}],
}

# The schema of a field, and how values are nested in it.
HOLDERS: dict[str, Any] = {
    "itself": (lambda schema: schema, lambda value: value),
    "list": (lambda schema: {"type": "array", "items": schema}, lambda value: [value]),
    "map": (
        lambda schema: {"type": "object", "additionalProperties": schema},
        lambda value: {"k": value},
    ),
    "object": (
        lambda schema: {"type": "object", "properties": {"in": schema}},
        lambda value: {"in": value},
    ),
}


def write_child(bases: list[Any], holder: str = "itself") -> Any:
    """Return the schema of a node with a child that extends it."""
    child = HOLDERS[holder][0]({"allOf": bases})
    return {"type": "object", "properties": {"x": {"type": "string"}, "child": child}}


def generate(folder: Path, openapi: str, *schemas: Any) -> Generated:
    """Return the package of a document with a component for each of *schemas*: Node0, Node1, ..."""
    components: dict[str, Any] = {}
    paths = {}
    for number, schema in enumerate(schemas):
        name = f"Node{number}"
        text = json.dumps(schema).replace(NODE["$ref"], f"#/components/schemas/{name}")
        components[name] = json.loads(text)
        content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}
        answer = {"200": {"description": "fine", "content": content}}
        paths[f"/{name}"] = {"get": {"operationId": f"get{name}", "responses": answer}}
    document = {
        "openapi": openapi,
        "info": {"title": "Nodes", "version": "1"},
        "paths": paths,
        "components": {"schemas": components},
    }
    (folder / "api.json").write_text(json.dumps(document), encoding="utf-8")
    adopt((f"2025-01-01={folder / 'api.json'}",), folder / "schemas")
    return Generated(folder, load(folder / "schemas"))


def list_models(folder: Path, openapi: str, *schemas: Any) -> list[Any]:
    """Return the model of each of *schemas*."""
    generated = generate(folder, openapi, *schemas)
    generated.module("models")
    module = importlib.import_module(f"{generated.name}.v2025_01_01")
    return [getattr(module, f"Node{number}") for number in range(len(schemas))]


@pytest.mark.parametrize("openapi", ["3.0.3", "3.1.0"])
def test_bases_with_annotations_only_keep_the_name_of_the_component(
    openapi: str, tmp_path: Path
) -> None:
    generated = generate(tmp_path, openapi, *map(write_child, SILENT.values()))
    texts = [each.decode() for path, each in generated.files.items() if "/models/" in path]
    lines = [line.strip() for text in texts for line in text.splitlines()]
    assert sorted(line for line in lines if line.startswith("child:")) == [
        f'child: Annotated[t.Omittable[Node{number}], t.Field(description="A child.")] = t.ABSENT'
        for number in range(len(SILENT))
    ]


def test_constraints_beside_a_recursive_reference_apply_at_every_depth(tmp_path: Path) -> None:
    every = [*product(SAYING, HOLDERS)]
    schemas = [write_child(SAYING[spelling], holder) for spelling, holder in every]
    models = list_models(tmp_path, "3.1.0", *schemas)
    for (spelling, holder), model in zip(every, models, strict=True):
        nest = HOLDERS[holder][1]
        deep: Any = {"x": "c"}
        wrong: Any = {}
        for _ in range(5):
            deep = {"x": "b", "child": nest(deep)}
            wrong = {"x": "b", "child": nest(wrong)}
        whole = {"child": nest(deep)}
        assert model.model_validate(whole).model_dump(mode="json", by_alias=True) == whole
        with pytest.raises(ValidationError):
            pytest.fail(f"{spelling}, {holder}: {model.model_validate(wrong)}")


STRING: dict[str, Any] = {"type": "string"}
REQUIRED: dict[str, Any] = {"required": ["x"]}
NARROWED: dict[str, Any] = {"allOf": [NODE, REQUIRED]}
NARROWED_LIST: dict[str, Any] = {"allOf": [NODE, {"maxItems": 1}]}

# Recursive schemas of Node with sibling constraints, in all constructs.
RECURSIVE: dict[str, Any] = {
    "a field that two bases declare": {
        "allOf": [
            {"type": "object", "properties": {"x": STRING, "child": NARROWED}},
            {"properties": {"child": {"minProperties": 1}}},
        ]
    },
    "a field that its constraints declare": {
        "type": "object",
        "properties": {
            "x": STRING,
            "child": {"allOf": [NODE, {"properties": {"child": REQUIRED}}]},
        },
    },
    "other fields": {
        "type": "object",
        "properties": {"x": STRING},
        "additionalProperties": {"allOf": [NODE, {"maxProperties": 2}]},
    },
    "a list of itself": {"type": "array", "items": NARROWED_LIST},
    "a map of itself": {
        "type": "object",
        "additionalProperties": {"allOf": [NODE, {"maxProperties": 2}]},
    },
    "a union": {
        "anyOf": [
            {"type": "object", "properties": {"x": STRING, "child": NARROWED}},
            {"type": "array", "items": NARROWED_LIST},
            STRING,
        ]
    },
    "constraints beside a union": {
        "type": "object",
        "properties": {
            "x": STRING,
            "child": {"oneOf": [NODE, STRING], "minProperties": 1, "minLength": 1},
        },
    },
    "a union within another one": {
        "type": "object",
        "properties": {
            "child": {
                "anyOf": [
                    {"allOf": [{"anyOf": [NODE, {"type": "integer"}]}, {"minProperties": 1}]},
                    STRING,
                ]
            }
        },
    },
}
ONLY_3_1: dict[str, Any] = {
    "several types": {
        "type": ["object", "array", "string"],
        "properties": {"x": STRING, "child": NARROWED},
        "items": NARROWED_LIST,
    },
    "keywords beside a reference": {
        "type": ["object", "null"],
        "properties": {"x": STRING, "child": {**NODE, **REQUIRED}},
    },
    "first items": {
        "type": "array",
        "prefixItems": [NARROWED_LIST, {}],
        "items": False,
    },
}


def list_valid(judge: Draft202012Validator) -> list[Any]:
    """Return valid values for a class, except null."""
    values: list[Any] = [{}, [], "", "s", 1, None, {"x": "a"}]
    for _ in range(5):
        values += [
            each
            for value in values[-30:]
            for each in ([value], {"child": value}, {"x": "a", "child": value}, {"k": value})
            if judge.is_valid(each)
        ]
    return [each for each in values if each is not None and judge.is_valid(each)]


@pytest.mark.parametrize(
    ("openapi", "schemas"), [("3.0.3", RECURSIVE), ("3.1.0", RECURSIVE | ONLY_3_1)]
)
def test_recursive_models_accept_what_the_schema_accepts(
    openapi: str, schemas: dict[str, Any], tmp_path: Path
) -> None:
    models = list_models(tmp_path, openapi, *schemas.values())
    for schema, model in zip(schemas.values(), models, strict=True):
        reader: TypeAdapter[Any] = TypeAdapter(model)
        judge = Draft202012Validator({**NODE, "components": {"schemas": {"Node": schema}}})
        valid = list_valid(judge)
        assert max(map(depth, valid)) > 4
        for value in valid:
            reader.validate_python(value)


def depth(value: Any) -> int:
    children = value.values() if isinstance(value, dict) else value
    return 1 + max(map(depth, children), default=0) if isinstance(value, dict | list) else 0


def test_number_of_definitions_is_linear_in_recursive_fields(
    tmp_path: Path,
) -> None:
    def count(size: int) -> int:
        fields = {
            f"c{at}": {"allOf": [NODE, {"required": [f"c{(at + 1) % size}"]}]} for at in range(size)
        }
        folder = tmp_path / str(size)
        folder.mkdir()
        generated = generate(folder, "3.1.0", {"type": "object", "properties": fields})
        texts = [each for path, each in generated.files.items() if "/models/" in path]
        return sum(each.count(b"\nclass Node") for each in texts)

    assert count(7) <= 2 * 7**2


def test_null_beside_a_union_within_another_one_is_kept(tmp_path: Path) -> None:
    inner = {"anyOf": [NODE, {"type": "integer"}], "nullable": True}
    schema = {"type": "object", "properties": {"child": {"oneOf": [inner, STRING]}}}
    [model] = list_models(tmp_path, "3.0.3", schema)
    for value in (None, 1, "s", {}, {"child": None}):
        whole = {"child": value}
        assert model.model_validate(whole).model_dump(mode="json", by_alias=True) == whole


def test_null_beside_a_base_is_kept_with_constraints_around_it(tmp_path: Path) -> None:
    inner = {"allOf": [NODE], "nullable": True}
    child = {"allOf": [{"anyOf": [inner, STRING]}], "properties": {"y": {"type": "integer"}}}
    schema = {"type": "object", "properties": {"child": child}}
    [model] = list_models(tmp_path, "3.0.3", schema)
    for value in (None, "s", {}, {"child": None}):
        whole = {"child": value}
        assert model.model_validate(whole).model_dump(mode="json", by_alias=True) == whole
