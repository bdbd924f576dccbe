"""Published documents that lack required parts, or refer to missing ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.adopted_apis import adopt_all, api, store
from support.mock_answers import judge_gets

from dateline.adopt import adopt
from dateline.load import load
from dateline.model import SourceError
from dateline.render import render

TAGS = {
    "a file": "models/gone.yml",
    "a part of a file": "models/gone.yml#/a",
    "a file of a folder above": "../gone.json",
    "a component": "#/components/schemas/Gone",
    "a name": "Gone",
}


def without_info(**parts: Any) -> dict[str, Any]:
    document = api(**parts)
    del document["info"]
    return document


def union(openapi: str, tagged: str) -> dict[str, Any]:
    members = [{"$ref": f"#/components/schemas/{name}"} for name in ("A", "B")]
    mapping = {"a": tagged, "b": "#/components/schemas/B"}
    schema = {"oneOf": members, "discriminator": {"propertyName": "kind", "mapping": mapping}}
    schemas = {
        name: {
            "type": "object",
            "required": ["kind", name],
            "properties": {"kind": {"type": "string"}, name: {"type": "integer"}},
        }
        for name in ("A", "B")
    }
    return {**api(loan=schema, schemas=schemas), "openapi": openapi}


@pytest.mark.parametrize("count", [1, 2])
def test_document_without_info_is_published_unchanged(count: int, tmp_path: Path) -> None:
    documents = [without_info(), without_info(loan={"type": "object", "properties": {"a": {}}})]
    adopt_all(tmp_path, documents[:count])
    assert judge_gets(tmp_path / "schemas") == ({200: count}, [])
    rendered = render(load(tmp_path / "schemas"), validate=False)
    shown = {each.path: each.content for each in rendered.artifacts}
    (latest,) = [shown[path] for path in shown if path.endswith("latest.json")]
    assert "info" not in json.loads(latest)


def test_authored_definitions_need_info(tmp_path: Path) -> None:
    adopt_all(tmp_path, [without_info()])
    table = tmp_path / "schemas/versions.yaml"
    table.write_text(table.read_text().replace("lint: adopted\n", ""))
    with pytest.raises(SourceError) as refused:
        load(tmp_path / "schemas")
    assert "missing-key" in {each.id for each in refused.value.problems}


@pytest.mark.parametrize("openapi", ["3.0.3", "3.1.0"])
def test_tag_may_name_a_missing_schema(openapi: str, tmp_path: Path) -> None:
    documents = {name: union(openapi, tagged) for name, tagged in TAGS.items()}
    joined = union(openapi, "A")
    for number, each in enumerate(documents.values()):
        joined["components"]["schemas"][f"Loan{number}"] = each["components"]["schemas"]["Loan"]
    loans = [{"$ref": f"#/components/schemas/Loan{number}"} for number in range(len(documents))]
    joined["components"]["schemas"]["Loan"] = {"allOf": loans}
    adopt_all(tmp_path, [joined])
    assert judge_gets(tmp_path / "schemas") == ({200: 1}, [])


def test_union_member_must_exist(tmp_path: Path) -> None:
    document = union("3.0.3", "#/components/schemas/A")
    document["components"]["schemas"]["Loan"]["oneOf"][0]["$ref"] = "models/gone.yml"
    with pytest.raises(SourceError) as refused:
        adopt(store(tmp_path, [document]), tmp_path / "schemas")
    assert {each.id for each in refused.value.problems} == {"reference-unreadable"}
