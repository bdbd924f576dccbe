"""Additions to a response, media type or schema that is gated as a whole pass a check."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from operator import contains
from pathlib import Path
from typing import Any, Final

import pytest
from support.gating import publish_cut
from support.sources import loaded
from support.tables import cases

from dateline.check import breaches, check
from dateline.edit.gate import apply, gate
from dateline.load import load
from dateline.model import Policy

Document = dict[str, Any]

TODAY: Final = date(2026, 1, 1)
TABLE: Final = """\
header: X-API-Version
default: 2024-01-15
versions:
  - { date: 2024-01-15, title: Initial version }
  - { date: next, title: What comes next, draft: true }
environments:
  production: { servers: [{ url: https://api.library.example }] }
policy: dated-contract
lint: adopted
python: { package: library }
"""
NO_COUNTERPART: Final = "application/json has no counterpart with the same schema in 2024-01-15"
ERROR: Final = "#/components/schemas/Error"
NEW: Final[dict[str, Document]] = {
    "another component": {"$ref": "#/components/schemas/Loan"},
    "a schema of its own": {"type": "object", "properties": {"title": {"type": "string"}}},
    "one more field": {
        "type": "object",
        "properties": {"message": {"type": "string"}, "title": {"type": "string"}},
    },
}
COVERED: Final = [*(("default", status) for status in ("304", "409", "4XX")), ("4XX", "409")]
SUCCESSES: Final = [("default", "202"), ("default", "2XX"), ("2XX", "202")]


def _response(schema: Document, media_type: str = "application/json") -> Document:
    return {"description": "it", "content": {media_type: {"schema": schema}}}


def _files(responses: Document) -> dict[str, str]:
    field = {"type": "string"}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Library", "version": "1"},
        "paths": {"/loans": {"get": {"operationId": "listLoans", "responses": responses}}},
        "components": {
            "schemas": {
                "Error": {"type": "object", "properties": {"message": field}},
                "Loan": {"type": "object", "properties": {"title": field}},
            }
        },
    }
    return {"versions.yaml": TABLE, "api.json": json.dumps(document)}


def _edit_responses(root: Path, before: Document, edit: Callable[[Document], None]) -> list[str]:
    """Return what a check finds after *edit*, gated as `gate` advises."""
    known = publish_cut(loaded(root / "before", _files(before)))
    after = json.loads(json.dumps(before))
    edit(after)
    plan = gate(loaded(root, _files(after)), known, today=TODAY)
    apply(plan)
    found = check(load(root / "schemas"), known, today=TODAY)
    messages = [one.message for one in breaches(found)]
    assert (plan.left, len(plan.remarks)) == ((), len(messages))
    assert all(map(contains, plan.remarks, messages))
    return messages


@cases("new", NEW)
@cases(("known", "status"), COVERED)
def test_new_status_may_replace_a_range_or_default(
    known: str, status: str, new: str, tmp_path: Path
) -> None:
    before = {"200": _response(NEW["another component"]), known: _response({"$ref": ERROR})}
    edit = {status: _response(NEW[new])}
    assert _edit_responses(tmp_path, before, lambda responses: responses.update(edit)) == []


@cases("new", NEW)
@cases(("known", "status"), SUCCESSES)
def test_new_success_may_replace_a_range_or_default_without_a_form(
    known: str, status: str, new: str, tmp_path: Path
) -> None:
    before = {"200": _response(NEW["another component"]), known: _response({"$ref": ERROR})}
    edit = {status: _response(NEW[new])}
    assert _edit_responses(tmp_path, before, lambda responses: responses.update(edit)) == [
        f"GET /loans: {status} {NO_COUNTERPART}"
    ]


@pytest.mark.parametrize("new", NEW)
def test_new_media_type_may_replace_a_media_range(new: str, tmp_path: Path) -> None:
    before = {"200": _response({"$ref": ERROR}, "*/*")}

    def edit(responses: Document) -> None:
        responses["200"]["content"] |= _response(NEW[new])["content"]

    assert [one for one in _edit_responses(tmp_path, before, edit) if "converter" not in one] == []


@pytest.mark.parametrize("new", NEW)
def test_schema_may_replace_a_reference(new: str, tmp_path: Path) -> None:
    before = {"200": _response({"$ref": ERROR})}
    edit = {"200": _response(NEW[new])}
    assert _edit_responses(tmp_path, before, lambda responses: responses.update(edit)) == []


@pytest.mark.parametrize("old", ["a schema of its own", "one more field"])
def test_reference_may_replace_a_schema(old: str, tmp_path: Path) -> None:
    before = {"200": _response(NEW[old])}
    edit = {"200": _response({"$ref": ERROR})}
    assert _edit_responses(tmp_path, before, lambda responses: responses.update(edit)) == []


def test_reference_that_only_adds_is_found(tmp_path: Path) -> None:
    before = {"200": _response({"type": "object"}), "default": _response({"$ref": ERROR})}
    known = publish_cut(loaded(tmp_path / "before", _files(before)))
    history = {"next": {"$ref": None, "type": "object"}}
    after = {**before, "200": _response({"$ref": ERROR, "x-was": history})}

    found = breaches(check(loaded(tmp_path, _files(after)), known, today=TODAY))

    assert [(one.policy, one.rule) for one in found] == [(Policy.MINTED, "response-field-added")]


@pytest.mark.parametrize("status", ["200", "202", "409"])
def test_field_gated_alone_is_found(status: str, tmp_path: Path) -> None:
    """The field has a gate of its own in a part that all versions have."""
    before = {"200": _response(NEW["one more field"]), "default": _response({"$ref": ERROR})}
    before[status] = _response(NEW["one more field"])
    known = publish_cut(loaded(tmp_path / "before", _files(before)))
    after = json.loads(json.dumps(before))
    fields = after[status]["content"]["application/json"]["schema"]["properties"]
    fields["pages"] = {"type": "integer", "x-added": "next"}
    # with a gated response in the same operation
    after["207"] = {**_response(NEW["a schema of its own"]), "x-added": "next"}

    found = breaches(check(loaded(tmp_path, _files(after)), known, today=TODAY))

    assert [(one.policy, one.message) for one in found] == [
        (Policy.MINTED, "GET /loans, pages: field added"),
        (Policy.SERVABLE, f"GET /loans: 207 {NO_COUNTERPART}"),
    ]


SWITCHED: Final = {
    "$ref": "#/components/schemas/Newer",
    "x-was": {"2024-09-01": {"$ref": "#/components/schemas/Loan"}},
}
HOLDERS: Final[dict[str, Document]] = {
    "response": SWITCHED,
    "items": {"type": "array", "items": SWITCHED},
    "component": {"$ref": "#/components/schemas/Holder"},
}


def _files_switched(holder: str, second: str, *added: str) -> dict[str, str]:
    """Return definitions whose *second* version refers to a schema with more fields."""
    text = {"type": "string"}
    files = _files({"200": _response(HOLDERS[holder])})
    document = json.loads(files["api.json"])
    document["components"]["schemas"] |= {
        "Newer": {"type": "object", "properties": dict.fromkeys(["title", "isbn", *added], text)},
        "Holder": {"type": "object", "properties": {"it": SWITCHED}},
    }
    table = TABLE.replace("date: next, title: What comes next, draft: true", second)
    return {"versions.yaml": table, "api.json": json.dumps(document)}


@cases("holder", HOLDERS)
def test_additions_to_a_component_reach_only_versions_that_refer_to_it(
    holder: str, tmp_path: Path
) -> None:
    cut = "date: 2024-09-01, title: Second version"
    known = publish_cut(loaded(tmp_path / "before", _files_switched(holder, cut)))
    after = loaded(tmp_path / "after", _files_switched(holder, cut, "note"))
    assert breaches(check(after, known, today=TODAY)) == []
    draft = loaded(tmp_path / "draft", _files_switched(holder, f"{cut}, draft: true"))
    found = breaches(check(draft, publish_cut(draft), today=TODAY))
    assert {(one.rule, one.policy) for one in found} == {("response-field-added", Policy.MINTED)}


ALLOWING: Final = {
    "additional fields": {"additionalProperties": {"type": ["string", "null"]}},
    "of another type": {"additionalProperties": {"type": "number"}},
    "a pattern": {"patternProperties": {"^pages$": {"type": ["string", "null"]}}},
    "unevaluated fields": {"unevaluatedProperties": {"type": ["string", "null"]}},
}


@cases("allowed", ALLOWING.values())
@cases("gate", [{"x-added": "next"}, {}])
def test_field_that_was_allowed_without_being_declared_may_be_gated(
    allowed: Document, gate: Document, tmp_path: Path
) -> None:
    """In older versions, its declaration would narrow what the field may contain."""
    before = {"200": _response({**NEW["a schema of its own"], **allowed})}

    def edit(responses: Document) -> None:
        schema = responses["200"]["content"]["application/json"]["schema"]
        schema["properties"]["pages"] = {"type": "string", **gate}

    assert _edit_responses(tmp_path, before, edit) == []
