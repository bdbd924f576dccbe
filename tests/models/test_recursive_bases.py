"""Inline schemas that add something to a component they are part of: by name, or as a model."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
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


def generate(tmp_path: Path, bases: list[Any], holder: str, openapi: str) -> Generated:
    child = HOLDERS[holder][0]({"allOf": bases})
    schema = {"type": "object", "properties": {"x": {"type": "string"}, "child": child}}
    content = {"application/json": {"schema": NODE}}
    answer = {"200": {"description": "fine", "content": content}}
    document = {
        "openapi": openapi,
        "info": {"title": "Nodes", "version": "1"},
        "paths": {"/a": {"get": {"operationId": "getA", "responses": answer}}},
        "components": {"schemas": {"Node": schema}},
    }
    (tmp_path / "api.json").write_text(json.dumps(document), encoding="utf-8")
    adopt((f"2025-01-01={tmp_path / 'api.json'}",), tmp_path / "schemas")
    return Generated(tmp_path, load(tmp_path / "schemas"))


@pytest.mark.parametrize("openapi", ["3.0.3", "3.1.0"])
@pytest.mark.parametrize("spelling", SILENT)
def test_bases_that_only_describe_leave_the_name_of_the_component(
    spelling: str, openapi: str, tmp_path: Path
) -> None:
    generated = generate(tmp_path, SILENT[spelling], "itself", openapi)
    (text,) = [
        content.decode() for content in generated.files.values() if b"class Node(" in content
    ]
    (line,) = [each for each in text.splitlines() if each.lstrip().startswith("child:")]
    assert line.strip() == (
        'child: Annotated[t.Omittable[Node], t.Field(description="A child.")] = t.ABSENT'
    )


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("spelling", SAYING)
def test_constraints_beside_a_recursive_reference_apply_at_every_depth(
    spelling: str, holder: str, tmp_path: Path
) -> None:
    generated = generate(tmp_path, SAYING[spelling], holder, "3.1.0")
    generated.module("models")
    models = importlib.import_module(f"{generated.name}.v2025_01_01")
    nest = HOLDERS[holder][1]
    deep: Any = {"x": "c"}
    for _ in range(5):
        deep = {"x": "b", "child": nest(deep)}
    whole = {"child": nest(deep)}
    assert models.Node.model_validate(whole).model_dump(mode="json", by_alias=True) == whole
    wrong: Any = {}
    for _ in range(5):
        wrong = {"x": "b", "child": nest(wrong)}
    with pytest.raises(ValidationError):
        models.Node.model_validate(wrong)
