"""Schemas that are moved into components, out of them, or renamed need no converters."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from support.adopted_apis import adopt_all
from support.narrowed import Law
from support.tables import cases

from dateline.load import load

Json = dict[str, Any]

CODE: Final[Json] = {
    "type": "object",
    "required": ["code", "text"],
    "properties": {"code": {"type": "integer"}, "text": {"type": "string"}},
}
REWORDED: Final[Json] = {
    "description": "An error.",
    "properties": {"text": {"type": "string", "title": "Text"}, "code": {"type": "integer"}},
    "required": ["text", "code"],
    "type": "object",
}
STATE: Final[Json] = {"type": "string", "enum": ["open", "closed"]}
MORE: Final[Json] = {**CODE, "properties": {**CODE["properties"], "more": {"type": "string"}}}
BASE: Final[Json] = {**CODE, "discriminator": {"propertyName": "text"}}


def refer(name: str, section: str = "schemas") -> Json:
    return {"$ref": f"#/components/{section}/{name}"}


def hold(schema: Json) -> Json:
    return {"type": "object", "properties": {"held": schema, "listed": {"items": schema}}}


def tree(name: str) -> Json:
    return {"type": "object", "properties": {"below": refer(name), "code": {"type": "integer"}}}


def document(
    schema: Json, section: str = "schemas", message: Json | None = None, **components: Json
) -> Json:
    """Return a document whose only request body and response have *schema*, or are *message*."""
    content = {"content": {"application/json": {"schema": schema}}}
    response = {"description": "done", **content}
    operation = {"requestBody": content, "responses": {"200": response}}
    if section == "requestBodies":
        operation["requestBody"] = message or content
    elif section == "responses":
        operation["responses"] = {"200": message or response}
        components = {
            name: {"description": "done", **each} if "$ref" not in each else each
            for name, each in components.items()
        }
    return {
        "openapi": "3.0.3",
        "info": {"title": "Codes", "version": "1"},
        "paths": {"/codes": {"post": {"operationId": "code", **operation}}},
        "components": {section: components},
    }


def message(schema: Json) -> Json:
    return {"content": {"application/json": {"schema": schema}}}


def moved(section: str) -> dict[str, tuple[Json, Json]]:
    """Return documents in which the messages of *section* move."""
    inline, one = document(CODE, section), message(CODE)
    old = document(CODE, section, refer("Old", section), Old=one)
    return {
        f"{section}: renamed": (
            old,
            document(CODE, section, refer("New", section), New=message(REWORDED)),
        ),
        f"{section}: another one": (
            old,
            document(CODE, section, refer("New", section), New=one, Old=one),
        ),
        f"{section}: moved in": (inline, old),
        f"{section}: moved out": (old, inline),
    }


COUNT: Final[Json] = {"description": "Pages.", "schema": {"type": "integer"}}


def headed(header: Json, **components: Json) -> Json:
    """Return a document whose only response has *header*."""
    made = document(CODE, "headers", **components)
    made["paths"]["/codes"]["post"]["responses"]["200"]["headers"] = {"X-Pages": header}
    return made


def counted(name: str) -> Json:
    return headed(refer(name, "headers"), **{name: COUNT})


def asking(*parameters: Json, shared: tuple[Json, ...] = (), **components: Json) -> Json:
    """Return a document whose only operation has *parameters*, and its path those *shared*."""
    made = document(CODE, "parameters", **components)
    made["paths"]["/codes"]["post"]["parameters"] = [*parameters]
    made["paths"]["/codes"] |= {"parameters": [*shared]} if shared else {}
    return made


PAGE: Final[Json] = {"name": "page", "in": "query", "schema": {"type": "integer", "minimum": 1}}
TRACE: Final[Json] = {"name": "X-Trace", "in": "header", "required": True, "schema": STATE}
MOVED: Final = asking(
    refer("Page", "parameters"), refer("Trace", "parameters"), Page=PAGE, Trace=TRACE
)
LOOSER: Final[Json] = {**PAGE, "description": "From 1 on.", "schema": {"type": "integer"}}


EQUAL: Final[dict[str, tuple[Json, Json]]] = {
    "renamed": (document(refer("Old"), Old=CODE), document(refer("New"), New=REWORDED)),
    "another": (document(refer("Old"), Old=CODE), document(refer("New"), New=CODE, Old=CODE)),
    "moved in": (document(CODE), document(refer("New"), New=CODE)),
    "moved out": (document(refer("New"), New=CODE), document(CODE)),
    "wrapped": (document(refer("Old"), Old=CODE), document({"allOf": [refer("Old")]}, Old=CODE)),
    "field": (document(hold(refer("Old")), Old=CODE), document(hold(refer("New")), New=CODE)),
    "field moved in": (document(hold(STATE)), document(hold(refer("New")), New=STATE)),
    "field moved out": (document(hold(refer("New")), New=STATE), document(hold(STATE))),
    "recursive": (
        document(refer("Old"), Old=tree("Old")),
        document(refer("New"), New=tree("New")),
    ),
    "alias of a response": (
        document(CODE, "responses", refer("Old", "responses"), Old=message(CODE)),
        document(
            CODE,
            "responses",
            refer("Old", "responses"),
            New=message(CODE),
            Old=refer("New", "responses"),
        ),
    ),
    "header moved in": (headed(COUNT), counted("Pages")),
    "header moved out": (counted("Pages"), headed(COUNT)),
    "header left": (counted("Pages"), headed({**COUNT, "description": "All."}, Pages=COUNT)),
    "header renamed": (counted("Pages"), counted("Count")),
    "parameters moved in": (asking(PAGE, TRACE), MOVED),
    "parameters moved out": (MOVED, asking(PAGE, TRACE)),
    "parameter moved in": (
        asking(PAGE, TRACE),
        asking(refer("Page", "parameters"), TRACE, Page=PAGE),
    ),
    "parameter moved in and loosened": (
        asking(PAGE, TRACE),
        asking(refer("Page", "parameters"), {**TRACE, "required": False}, Page=LOOSER),
    ),
    "parameter moved in beside one that was removed": (
        asking(TRACE, PAGE),
        asking(refer("Trace", "parameters"), Trace=TRACE),
    ),
    "parameter moved in beside one that was added": (
        asking(TRACE),
        asking(refer("Trace", "parameters"), PAGE, Trace=TRACE),
    ),
    "parameter renamed": (
        asking(refer("Old", "parameters"), Old=PAGE),
        asking(refer("New", "parameters"), New=LOOSER),
    ),
    "parameters moved to the path": (asking(PAGE, TRACE), asking(TRACE, shared=(PAGE,))),
    **moved("responses"),
    **moved("requestBodies"),
}


@cases("name", EQUAL)
def test_refactored_schemas_are_served_without_converters(tmp_path: Path, name: str) -> None:
    adopt_all(tmp_path, list(EQUAL[name]))
    law = Law(load(tmp_path / "schemas"))
    assert law.contracts["converters"] == {}
    assert [*law.breaches(5), *law.lift_breaches(5)] == []
    newest = [rows[-1]["shape"] for rows in law.contracts["up"]["shapes"].values()]
    left_out = [shape for shape in newest if shape is not None]
    assert left_out == ([{"left_out": ["page"]}] if "removed" in name else [])


DIFFERENT: Final[dict[str, tuple[Json, Json]]] = {
    "another type": (
        document(hold(refer("Old")), Old=CODE),
        document(hold(refer("New")), New=STATE),
    ),
    "tags": (document(refer("Old"), Old=BASE), document(refer("New"), New=BASE)),
    "tags of a base": (
        document(refer("Old"), Base=BASE, Old={"allOf": [refer("Base")], "minProperties": 1}),
        document(refer("New"), Base=BASE, New={"allOf": [refer("Base")], "minProperties": 1}),
    ),
    "header": (counted("Pages"), headed({"schema": {"type": "string"}})),
    "header moved in": (headed({"schema": {"type": "string"}}), counted("Pages")),
    "parameter": (
        asking(LOOSER, TRACE),
        asking(refer("Page", "parameters"), TRACE, Page=PAGE),
    ),
    "required parameter": (
        asking(PAGE, TRACE),
        asking(refer("Page", "parameters"), TRACE, Page={**PAGE, "required": True}),
    ),
    "parameter of another type": (
        asking(PAGE, TRACE),
        asking(refer("Page", "parameters"), TRACE, Page={**PAGE, "schema": STATE}),
    ),
    "response": (
        document(CODE, "responses", refer("Old", "responses"), Old=message(CODE)),
        document(CODE, "responses", refer("New", "responses"), New=message(MORE)),
    ),
}


@cases("name", DIFFERENT)
def test_schemas_with_other_values_need_converters(tmp_path: Path, name: str) -> None:
    adopt_all(tmp_path, list(DIFFERENT[name]))
    assert Law(load(tmp_path / "schemas")).contracts["converters"]
