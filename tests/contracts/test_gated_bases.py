"""Members of `allOf` that only some versions have, and the requests of callers of each version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from support.adopted_apis import adopt_all
from support.generated_server import Generated, ask, generate_adopted
from support.narrowed import Law
from support.random_chains import DATES
from support.tables import cases

from dateline.load import load

Json = dict[str, Any]

TEXT: Final[Json] = {"type": "string"}
OLD, NEW = DATES[:2]


def fields(*names: str, **more: Json) -> Json:
    """Return an object with the text fields *names*, of which the first is required."""
    properties = {**dict.fromkeys(names, TEXT), **more}
    return {"type": "object", "required": [*names[:1]], "properties": properties}


def all_of(*members: Json) -> Json:
    return {"allOf": [*members]}


def refer(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


SCHEMAS: Final[dict[str, Json]] = {
    "Due": fields("due"),
    "Dated": {**fields("at"), "allOf": [refer("Due")]},
    "Loan": fields("id"),
}

# Schemas, those that replaced them, and the least that callers of each send.
CHANGED: Final[dict[str, tuple[Json, Json, Json, Json]]] = {
    "gone": (
        all_of(refer("Loan"), refer("Due")),
        all_of(refer("Loan")),
        {"id": "1", "due": "2"},
        {"id": "1"},
    ),
    "new": (
        all_of(refer("Loan")),
        all_of(refer("Loan"), refer("Due")),
        {"id": "1"},
        {"id": "1", "due": "2"},
    ),
    "inline": (
        all_of(refer("Loan"), fields("due")),
        all_of(refer("Loan"), fields("at"), fields("by")),
        {"id": "1", "due": "2"},
        {"id": "1", "at": "3", "by": "4"},
    ),
    "nested": (
        all_of(fields("id"), refer("Dated")),
        all_of(fields("id")),
        {"id": "1", "at": "3", "due": "2"},
        {"id": "1"},
    ),
    "beside fields": (
        {**fields("by"), **all_of(refer("Loan"), refer("Due"))},
        {**fields("by", "due"), **all_of(refer("Loan"))},
        {"by": "4", "id": "1", "due": "2"},
        {"by": "4", "id": "1"},
    ),
}


@pytest.fixture(scope="module")
def package() -> Generated:
    return generate_adopted(*documents())


def documents() -> list[Json]:
    """Return documents of two versions, with one operation for each row of the table."""
    return [
        {
            "openapi": "3.0.3",
            "info": {"title": "Loans", "version": "1"},
            "paths": {
                f"/{index}": {"put": operation(f"put_{index}", row[at])}
                for index, row in enumerate(CHANGED.values())
            },
            "components": {"schemas": SCHEMAS},
        }
        for at in (0, 1)
    ]


def operation(name: str, schema: Json) -> Json:
    content = {"content": {"application/json": {"schema": schema}}}
    return {
        "operationId": name,
        "tags": ["Loans"],
        "requestBody": {"required": True, **content},
        "responses": {"204": {"description": "done"}},
    }


class Loans:
    """Handlers that accept everything."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


@cases("name", CHANGED)
def test_callers_send_what_their_version_demands(name: str, package: Generated) -> None:
    server = package.module("server")
    handlers = server.Handlers(loans=Loans())
    app = server.create_app(handlers, environment="production")
    _, _, *least = CHANGED[name]
    for version, fields_sent in zip((OLD, NEW), least, strict=True):
        without = [{k: v for k, v in fields_sent.items() if k != name} for name in fields_sent]
        for sent, status in ((fields_sent, 204), *((each, 400) for each in without)):
            headers, url = {"X-API-Version": version}, f"/{[*CHANGED].index(name)}"
            answer = ask(app, "PUT", url, headers=headers, json=sent)
            assert answer.status_code == status, (version, sent, answer.text)


def test_handlers_get_what_callers_of_each_version_may_send(tmp_path: Path) -> None:
    adopt_all(tmp_path, json.loads(json.dumps(documents())))
    law = Law(load(tmp_path / "schemas"))
    assert law.contracts["converters"] == {}
    assert [*law.breaches(60), *law.lift_breaches(60)] == []
