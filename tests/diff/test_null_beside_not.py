"""A change of null in OpenAPI 3.0 is reported whatever keywords surround `nullable`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Final

import jsonschema_rs
import pytest

from dateline.diff import diff
from dateline.model import Verdict
from dateline.rules import judge
from dateline.schema.dialect import Dialect

_ABSENT: Final = object()
_SPELLINGS: Final[dict[str, tuple[Any, ...]]] = {
    "type": (_ABSENT, "string"),
    "enum": (_ABSENT, ["a", None], [None]),
    "nullable": (_ABSENT, True),
    "not": (_ABSENT, {"enum": ["a", None]}, {"$ref": "#/components/schemas/Null"}, {}),
    "allOf": (_ABSENT, [{"type": "string", "nullable": True}]),
}
_VALUES: Final = (None, "a", "b", 1)


def schemas() -> Iterator[dict[str, Any]]:
    for said in product(*_SPELLINGS.values()):
        keywords = zip(_SPELLINGS, said, strict=True)
        yield {keyword: value for keyword, value in keywords if value is not _ABSENT}


def neighbours() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield the pairs of schemas that differ in one keyword."""
    for first, second in product(schemas(), repeat=2):
        if sum(first.get(key) != second.get(key) for key in _SPELLINGS) == 1:
            yield first, second


def document(*schemas: dict[str, Any], sent: bool) -> dict[str, Any]:
    """Return a document with an operation for each of *schemas*, by its number."""
    return {
        "openapi": "3.0.3",
        "info": {"title": "Null", "version": "1"},
        "paths": {f"/{at}": {"post": operate(each, sent=sent)} for at, each in enumerate(schemas)},
        "components": {"schemas": {"Null": {"type": "string", "enum": ["a", None]}}},
    }


def operate(schema: dict[str, Any], *, sent: bool) -> dict[str, Any]:
    content = {"content": {"application/json": {"schema": schema}}}
    return {
        **({"requestBody": {**content, "required": True}} if sent else {}),
        "responses": {"200": {"description": "", **({} if sent else content)}},
    }


def list_accepted(schema: dict[str, Any]) -> set[int]:
    """Return which of the values fit *schema*."""
    whole = document(schema, sent=True)
    modern = Dialect(whole).modernize("document", whole)
    body = modern["paths"]["/0"]["post"]["requestBody"]["content"]["application/json"]
    validator = jsonschema_rs.Draft202012Validator(
        {**body["schema"], "components": modern["components"]}
    )
    return {at for at, value in enumerate(_VALUES) if validator.is_valid(value)}


@pytest.mark.parametrize("sent", [True, False])
def test_change_of_null_is_always_reported(sent: bool) -> None:
    fits = {str(schema): list_accepted(schema) for schema in schemas()}
    pairs = list(neighbours())
    changes = diff(
        document(*(before for before, _ in pairs), sent=sent),
        document(*(after for _, after in pairs), sent=sent),
    )
    gated = {
        operation
        for change in changes
        if judge(change, "wire", {}).verdict is not Verdict.ADDITIVE
        for operation in change.operations
    }
    wrong = []
    for at, pair in enumerate(pairs):
        ours, theirs = (fits[str(schema)] for schema in pair)
        allowed = ours <= theirs if sent else ours >= theirs
        if not allowed and f"POST /{at}" not in gated:
            wrong.append(pair)
    assert wrong == []


@pytest.mark.parametrize("sent", [True, False])
def test_explicitly_refused_null_is_no_change(sent: bool) -> None:
    for schema in schemas():
        if "nullable" not in schema:
            after = {**schema, "nullable": False}
            assert diff(document(schema, sent=sent), document(after, sent=sent)) == []
