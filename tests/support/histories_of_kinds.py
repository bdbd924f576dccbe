"""Definitions with `x-was` on every kind of object other than schemas, and its effect."""

from __future__ import annotations

from typing import Any, Final

from support.histories import I, S, api, was

Json = Any
Case = tuple[str, str, int]
"""A kind, a keyword, and a number."""

UNSEEN: Final = frozenset(
    {"server", "external-docs", "tag", "link", "example", "callback", "encoding", "security"}
)
"""Kinds that no value passes through: documents alone hold what they were."""

Q: Final = {"name": "q", "in": "query", "schema": S}
LIST: Final = {**Q, "schema": {"type": "array", "items": S}}


def json_of(schema: Json) -> Json:
    return {"application/json": {"schema": schema}}


def operation(name: str, **more: Any) -> Json:
    answers = {"200": {"description": "one", "content": json_of(S)}}
    return {"operationId": name, "tags": ["All"], "responses": answers, **more}


def _parameter(name: str, node: Json) -> Json:
    return {"paths": {f"/{name}": {"post": operation(name, parameters=[node])}}}


def _response(name: str, node: Json) -> Json:
    return {"paths": {f"/{name}": {"post": operation(name, responses={"200": node})}}}


def _header(name: str, node: Json) -> Json:
    return _response(name, {"description": "one", "headers": {"X-H": node}, "content": json_of(S)})


def _body(name: str, node: Json) -> Json:
    return {"paths": {f"/{name}": {"post": operation(name, requestBody=node)}}}


def _media_type(name: str, node: Json, media_type: str = "application/json") -> Json:
    content = {"content": {media_type: node}}
    responses = {"200": {"description": "one", **content}}
    return {
        "paths": {f"/{name}": {"post": operation(name, requestBody=content, responses=responses)}}
    }


def _text(name: str, node: Json) -> Json:
    return _media_type(name, node, "text/plain")


def _operation(name: str, node: Json) -> Json:
    return {"paths": {f"/{name}": {"post": {**operation(name), **node}}}}


def _path_item(name: str, node: Json) -> Json:
    return {"paths": {f"/{name}": {"post": operation(name), "parameters": [Q], **node}}}


def _scheme(name: str, node: Json) -> Json:
    return {
        **_operation(name, {"security": [{name: []}]}),
        "components": {"securitySchemes": {name: node}},
    }


_MAKE: Final = {
    "parameter": _parameter,
    "header": _header,
    "response": _response,
    "request-body": _body,
    "media-type": _media_type,
    "text": _text,
    "operation": _operation,
    "path-item": _path_item,
    "security-scheme": _scheme,
}

_KEY: Final = {"type": "apiKey", "in": "header", "name": "X-Key"}
_FLOWS: Final = {
    "clientCredentials": {"tokenUrl": "https://a.example/token", "scopes": {"read": "Read."}}
}
_H: Final = {"schema": S}
_R: Final = {"description": "one", "headers": {"X-H": _H}, "content": json_of(S)}
_B: Final = {"content": json_of(S)}
_O: Final = {"parameters": [Q], "requestBody": _B, "security": [{"One": []}]}

_UP, _DOWN, _FAR = "converted up", "converted down", "gate-out-of-reach"
_BOTH = f"{_DOWN}, {_UP}"
_NO_UP = "request-without-way-up"

# Kind, keyword, object, its `x-was`, and the effect: empty if no value differs.
_ROWS: Final[list[tuple[str, str, Json, dict[str, Any], str]]] = [
    ("parameter", "name", Q, {"name": "p"}, "served up"),
    ("parameter", "in", Q, {"in": "header"}, _FAR),
    ("parameter", "description", Q, {"description": "old"}, ""),
    ("parameter", "required", {**Q, "required": True}, {"required": None}, _NO_UP),
    ("parameter", "required", Q, {"required": True}, ""),
    ("parameter", "deprecated", Q, {"deprecated": True}, ""),
    ("parameter", "allowEmptyValue", Q, {"allowEmptyValue": True}, ""),
    ("parameter", "style", {**LIST, "style": "form", "explode": False}, {"explode": True}, ""),
    ("parameter", "explode", LIST, {"explode": False}, ""),
    ("parameter", "allowReserved", Q, {"allowReserved": True}, ""),
    ("parameter", "example", Q, {"example": "a"}, ""),
    ("parameter", "examples", Q, {"examples": {"a": {"value": "a"}}}, ""),
    ("parameter", "schema", Q, {"schema": I}, _UP),
    ("parameter", "schema", Q, {"schema": {**S, "maxLength": 3}}, ""),
    ("parameter", "content", Q, {"schema": None, "content": json_of(I)}, _UP),
    ("header", "description", _H, {"description": "old"}, ""),
    ("header", "name", _H, {"name": "X-Old"}, "served down"),
    ("header", "required", _H, {"required": True}, _FAR),
    ("header", "required", {**_H, "required": True}, {"required": None}, ""),
    ("header", "deprecated", _H, {"deprecated": True}, ""),
    ("header", "allowEmptyValue", _H, {"allowEmptyValue": True}, ""),
    ("header", "style", _H, {"style": "simple"}, ""),
    ("header", "explode", _H, {"explode": True}, ""),
    ("header", "allowReserved", _H, {"allowReserved": True}, ""),
    ("header", "example", _H, {"example": "a"}, ""),
    ("header", "examples", _H, {"examples": {"a": {"value": "a"}}}, ""),
    ("header", "schema", _H, {"schema": I}, _DOWN),
    ("header", "content", _H, {"schema": None, "content": json_of(I)}, _DOWN),
    ("response", "description", _R, {"description": "old"}, ""),
    ("response", "headers", _R, {"headers": {"X-H": {"schema": I}}}, _DOWN),
    ("response", "headers", _R, {"headers": {"X-Old": _H}}, _DOWN),
    ("response", "headers", _R, {"headers": None}, "served down"),
    ("response", "content", _R, {"content": json_of(I)}, _DOWN),
    ("response", "content", _R, {"content": {"application/problem+json": {"schema": S}}}, _FAR),
    ("response", "content", _R, {"content": None}, _FAR),
    ("response", "links", _R, {"links": {"a": {"operationId": "getOther"}}}, ""),
    ("request-body", "description", _B, {"description": "old"}, ""),
    ("request-body", "required", {**_B, "required": True}, {"required": None}, _NO_UP),
    ("request-body", "required", _B, {"required": True}, ""),
    ("request-body", "content", _B, {"content": json_of(I)}, _UP),
    ("request-body", "content", _B, {"content": {"application/problem+json": {}}}, _FAR),
    ("media-type", "schema", {"schema": S}, {"schema": I}, _BOTH),
    ("media-type", "schema", {"schema": S}, {"schema": None}, _BOTH),
    ("media-type", "example", {"schema": S}, {"example": "a"}, ""),
    ("media-type", "examples", {"schema": S}, {"examples": {"a": {"value": "a"}}}, ""),
    ("media-type", "encoding", {"schema": S}, {"encoding": {"a": {"style": "form"}}}, ""),
    ("text", "schema", {"schema": S}, {"schema": I}, _BOTH),
    ("text", "schema", {"schema": {**S, "x-was": was(maxLength=3)["x-was"]}}, {}, _DOWN),
    ("operation", "tags", _O, {"tags": ["Other"]}, ""),
    ("operation", "summary", _O, {"summary": "old"}, ""),
    ("operation", "description", _O, {"description": "old"}, ""),
    ("operation", "operationId", _O, {"operationId": "old"}, ""),
    ("operation", "deprecated", _O, {"deprecated": True}, ""),
    ("operation", "security", _O, {"security": [{"Two": []}]}, ""),
    ("operation", "externalDocs", _O, {"externalDocs": {"url": "https://a.example"}}, ""),
    ("operation", "parameters", _O, {"parameters": [{**Q, "schema": I}]}, _UP),
    ("operation", "parameters", _O, {"parameters": [{**Q, "in": "header"}]}, _FAR),
    ("operation", "parameters", _O, {"parameters": None}, _UP),
    ("operation", "requestBody", _O, {"requestBody": {"content": json_of(I)}}, _UP),
    ("operation", "requestBody", {}, {"requestBody": _B}, _FAR),
    ("operation", "requestBody", _O, {"requestBody": None}, "served up"),
    ("operation", "responses", _O, {"responses": {"200": {**_R, "content": json_of(I)}}}, _DOWN),
    ("operation", "responses", _O, {"responses": {"201": _R}}, _FAR),
    ("operation", "callbacks", _O, {"callbacks": {"a": {"{$url}": {"post": operation("cb")}}}}, ""),
    ("operation", "servers", _O, {"servers": [{"url": "https://old.example"}]}, ""),
    ("path-item", "summary", {}, {"summary": "old"}, ""),
    ("path-item", "description", {}, {"description": "old"}, ""),
    ("path-item", "servers", {}, {"servers": [{"url": "https://old.example"}]}, ""),
    ("path-item", "parameters", {}, {"parameters": [{**Q, "schema": I}]}, _UP),
    *(
        ("path-item", method, {}, {method: operation(f"{method}Old")}, _FAR)
        for method in ("get", "put", "post", "delete", "options", "head", "patch", "trace")
    ),
    ("security-scheme", "type", _KEY, {"type": "http", "scheme": "bearer"}, _FAR),
    ("security-scheme", "description", _KEY, {"description": "old"}, ""),
    ("security-scheme", "name", _KEY, {"name": "X-Old"}, _FAR),
    ("security-scheme", "in", _KEY, {"in": "query"}, _FAR),
    (
        "security-scheme",
        "scheme",
        {"type": "http", "scheme": "bearer"},
        {"scheme": "basic"},
        _FAR,
    ),
    (
        "security-scheme",
        "bearerFormat",
        {"type": "http", "scheme": "bearer"},
        {"bearerFormat": "JWT"},
        "",
    ),
    (
        "security-scheme",
        "openIdConnectUrl",
        {"type": "openIdConnect", "openIdConnectUrl": "https://a.example"},
        {"openIdConnectUrl": "https://b.example"},
        "",
    ),
    (
        "security-scheme",
        "flows",
        {"type": "oauth2", "flows": _FLOWS},
        {"flows": {"clientCredentials": {"tokenUrl": "https://b.example", "scopes": {}}}},
        "",
    ),
]

# Kinds of references: the section of the components, the newer target and the older one.
_REFERENCES: Final = {
    "parameter": ("parameters", Q, {**Q, "schema": I}),
    "header": ("headers", _H, {"schema": I}),
    "response": ("responses", _R, {**_R, "content": json_of(I)}),
    "request-body": ("requestBodies", _B, {"content": json_of(I)}),
    "path-item": ("pathItems", {}, {}),
}

CASES: Final[dict[Case, tuple[Any, str]]] = {}


def _enter() -> None:
    for kind, keyword, now, before, reported in _ROWS:
        number = sum(case[:2] == (kind, keyword) for case in CASES)
        CASES[kind, keyword, number] = (
            (kind, {**now, **(was(**before) if before else {})}),
            reported,
        )
    for kind in _REFERENCES:
        reported = _FAR if kind == "path-item" else "misplaced-annotation, unknown-key"
        CASES[kind, "$ref", 0] = (kind, None), reported


_enter()


def kind_sources() -> tuple[str, dict[str, Json], dict[Case, str]]:
    """Return the fragment that all cases need, the definitions by name, and the case names."""
    schemes = {name: {**_KEY, "name": f"X-{name}"} for name in ("One", "Two")}
    other = {"get": operation("getOther", tags=["Other"], security=[{"One": []}, {"Two": []}])}
    head = api(paths={"/other": other}, components={"securitySchemes": schemes})
    names = {case: f"Case{number}" for number, case in enumerate(CASES)}
    parts = {
        names[case]: _referring(kind, names[case])
        if node is None
        else _MAKE[kind](names[case], node)
        for case, ((kind, node), _) in CASES.items()
    }
    return head, parts, names


def _referring(kind: str, name: str) -> Json:
    section, now, before = _REFERENCES[kind]
    older = f"{name}Older"
    if kind == "path-item":
        now, before = {"post": operation(name)}, {"post": operation(older)}
        node = {"$ref": f"#/components/{section}/{name}"}
        made: Json = {"paths": {f"/{name}": {**node, **was(**{"$ref": node["$ref"] + "Older"})}}}
    else:
        reference = f"#/components/{section}/{name}"
        made = _MAKE[kind](name, {"$ref": reference, **was(**{"$ref": f"{reference}Older"})})
    return {**made, "components": {section: {name: now, older: before}}}
