"""Messages that can't be served are found wherever they are written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from support.sources import VERSIONS, loaded
from support.tables import cases

from dateline.check.servable import check_servable

ADDED: Final = {"x-added": "2024-09-01"}
SCHEMAS: Final = {
    "Sent": {"type": "object", "required": ["a"], "properties": {"a": {"type": "string", **ADDED}}},
    "Received": {
        "type": "object",
        "required": ["state"],
        "properties": {"state": {"oneOf": [{"const": "on"}, {"const": "off", **ADDED}]}},
    },
}
FOUND: Final = ["member-without-substitute", "request-without-way-up"]


def use(name: str) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}}


OPERATION: Final = {
    "requestBody": use("Sent"),
    "responses": {"200": {"description": "done", **use("Received")}},
}
NAMED: Final = {**OPERATION, "operationId": "send"}
EMPTY: Final = {"operationId": "call", "responses": {"204": {"description": "done"}}}
CALLBACK: Final = {"{$request.query.url}": {"post": OPERATION}}


def refer(section: str, name: str) -> dict[str, str]:
    return {"$ref": f"#/components/{section}/{name}"}


SERVED: Final[dict[str, dict[str, Any]]] = {
    "in place": {"paths": {"/a": {"post": NAMED}}},
    "by another method": {"paths": {"/a": {"additionalOperations": {"COPY": NAMED}}}},
    "referred to": {
        "paths": {"/a": refer("pathItems", "A")},
        "components": {"pathItems": {"A": {"post": NAMED}}},
    },
    "referred to, by another method": {
        "paths": {"/a": refer("pathItems", "A")},
        "components": {"pathItems": {"A": {"additionalOperations": {"COPY": NAMED}}}},
    },
    "referred to in turn": {
        "paths": {"/a": refer("pathItems", "B")},
        "components": {"pathItems": {"A": {"post": NAMED}, "B": refer("pathItems", "A")}},
    },
    "also a webhook": {
        "paths": {"/a": refer("pathItems", "A")},
        "webhooks": {"a": refer("pathItems", "A")},
        "components": {"pathItems": {"A": {"post": NAMED}}},
    },
}

OTHERS: Final[dict[str, dict[str, Any]]] = {
    "a callback": {"paths": {"/a": {"post": {**EMPTY, "callbacks": {"sent": CALLBACK}}}}},
    "a callback of another method": {
        "paths": {
            "/a": {"additionalOperations": {"COPY": {**EMPTY, "callbacks": {"sent": CALLBACK}}}}
        }
    },
    "a callback that is referred to": {
        "paths": {"/a": {"post": {**EMPTY, "callbacks": {"sent": refer("callbacks", "Sent")}}}},
        "components": {"callbacks": {"Sent": CALLBACK}},
    },
    "a callback in a path item": {
        "paths": {"/a": refer("pathItems", "A")},
        "components": {
            "pathItems": {"A": {"post": {**EMPTY, "callbacks": {"sent": CALLBACK}}}},
        },
    },
    "a webhook": {"webhooks": {"sent": {"post": NAMED}}},
    "a webhook that is referred to": {
        "webhooks": {"sent": refer("pathItems", "A")},
        "components": {"pathItems": {"A": {"post": NAMED}}},
    },
}


def list_rules(folder: Path, parts: dict[str, Any]) -> list[str]:
    document = {
        "openapi": "3.2.0",
        "info": {"title": "Messages", "version": "canonical"},
        "paths": {},
        **parts,
        "components": {"schemas": SCHEMAS, **parts.get("components", {})},
    }
    api = loaded(folder, {"versions.yaml": VERSIONS, "api.yaml": json.dumps(document)})
    return sorted(finding.rule for finding in check_servable(api))


@cases("where", SERVED)
def test_messages_of_operations_are_served(where: str, tmp_path: Path) -> None:
    assert list_rules(tmp_path, SERVED[where]) == FOUND


@cases("where", OTHERS)
def test_callbacks_are_not_served_and_webhooks_can_be_sent(where: str, tmp_path: Path) -> None:
    assert list_rules(tmp_path, OTHERS[where]) == []
