"""`readOnly` fields exist only in responses, `writeOnly` ones in requests: server, mock, models."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
from pydantic import TypeAdapter
from support.adopted_projects import VERSION, adopt_project
from support.generated_server import Generated, ask
from support.tables import cases

from dateline.check.servable import check_servable
from dateline.generate import Workspace
from dateline.load import load
from dateline.schema.access import READ_ONLY, WRITE_ONLY, Hidden, OneWay
from dateline.serve.mock import Mock
from dateline.serve.package import open_server
from dateline.server.canonical import read_forms

_ID: Final = {"type": "string", "readOnly": True}
_SECRET: Final = {"type": "string", "writeOnly": True}
_NAME: Final = {"type": "string", "minLength": 1}
_REQUIRED: Final = ["id", "name", "secret"]
_FIELDS: Final = {"id": _ID, "name": _NAME, "secret": _SECRET}
_OBJECT: Final = {"type": "object", "required": _REQUIRED, "properties": _FIELDS}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


COMPONENTS: Final[dict[str, Any]] = {
    "Id": _ID,
    "Secret": _SECRET,
    "Thing": _OBJECT,
    "Closed": {**_OBJECT, "additionalProperties": False},
    "Marked": {"type": "object", "properties": {"id": _ID, "secret": _SECRET}},
    "Demanding": {"type": "object", "required": _REQUIRED},
    "Node": {**_OBJECT, "properties": {**_FIELDS, "next": _ref("Node")}},
    "Holder": {"type": "object", "properties": {"thing": _OBJECT}},
    "Other": {
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": {"type": "string", "enum": ["other"]}},
    },
    "Tagged": {
        "type": "object",
        "required": ["kind", *_REQUIRED],
        "properties": {"kind": {"type": "string", "enum": ["thing"]}, **_FIELDS},
    },
}

# References to schemas outside of components
_REFERENCE: Final = {"$ref": "#/paths/~1inline/put/requestBody/content/application~1json/schema"}
_MARKED: Final = {
    "$ref": "#/paths/~1required_beside_base/put/requestBody"
    "/content/application~1json/schema/allOf/0"
}

# For each position, the schema of a body, and how to embed a value in it.
POSITIONS: Final[dict[str, tuple[Any, Any]]] = {
    "inline": (_OBJECT, lambda thing: thing),
    "component": (_ref("Thing"), lambda thing: thing),
    "closed": (_ref("Closed"), lambda thing: thing),
    "marked_by_reference": (
        {**_OBJECT, "properties": {"id": _ref("Id"), "name": _NAME, "secret": _ref("Secret")}},
        lambda thing: thing,
    ),
    "marked_in_all_of": (
        {
            **_OBJECT,
            "properties": {
                "id": {"allOf": [_ref("Id")]},
                "name": _NAME,
                "secret": {"allOf": [_ref("Secret")]},
            },
        },
        lambda thing: thing,
    ),
    "required_beside_base": (
        {"allOf": [_ref("Marked"), {"required": _REQUIRED, "properties": {"name": _NAME}}]},
        lambda thing: thing,
    ),
    "required_by_base": (
        {"allOf": [_ref("Demanding")], "type": "object", "properties": _FIELDS},
        lambda thing: thing,
    ),
    "union": (
        {"oneOf": [_ref("Other"), _ref("Tagged")]},
        lambda thing: {"kind": "thing", **thing},
    ),
    "refusing": (
        {**_OBJECT, "not": {"required": ["id", "bad"]}},
        lambda thing: thing,
    ),
    "list": (
        {
            "type": "object",
            "properties": {"all": {"type": "array", "items": _ref("Thing")}},
        },
        lambda thing: {"all": [thing, thing]},
    ),
    "map": (
        {"type": "object", "additionalProperties": _ref("Thing")},
        lambda thing: {"a": thing},
    ),
    "recursive": (_ref("Node"), lambda thing: {**thing, "next": thing}),
    "body_of_another": (_REFERENCE, lambda thing: thing),
    "list_of_others": (
        {"type": "object", "properties": {"all": {"type": "array", "items": _REFERENCE}}},
        lambda thing: {"all": [thing, thing]},
    ),
    "base_from_another": (
        {"allOf": [_MARKED, {"required": _REQUIRED, "properties": {"name": _NAME}}]},
        lambda thing: thing,
    ),
    "property_of_component": (
        {"$ref": "#/components/schemas/Holder/properties/thing"},
        lambda thing: thing,
    ),
}

SENT: Final = {"name": "a", "secret": "s"}
SHOWN: Final = {"id": "1", "name": "a"}


def body(schema: Any) -> Any:
    return {"content": {"application/json": {"schema": schema}}}


DOCUMENT: Final[dict[str, Any]] = {
    "openapi": "3.0.3",
    "info": {"title": "Access", "version": VERSION},
    "paths": {
        f"/{name}": {
            "put": {
                "operationId": f"put_{name}",
                "requestBody": {**body(schema), "required": True},
                "responses": {"200": {"description": "", **body(schema)}},
            }
        }
        for name, (schema, _) in POSITIONS.items()
    },
    "components": {"schemas": COMPONENTS},
}


class Handlers:
    """Handlers that return what a test sets, and record what they are sent."""

    given: Any = None
    sent: Any = None

    def __getattr__(self, name: str) -> Any:
        async def put(_: Any, *, body: Any) -> Any:
            self.sent = body
            return self.given

        return put


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("access")
    return adopt_project(root, DOCUMENT, "access_served")


@pytest.fixture(scope="module")
def generated(project: Path) -> Generated:
    return Generated(project / "copy", load(project / "schemas"))


@pytest.fixture(scope="module")
def served(generated: Generated) -> tuple[Any, Handlers]:
    handlers = Handlers()
    server = generated.module("server")
    app = server.create_app(server.Handlers(default=handlers), environment="production")
    return app, handlers


def _plain(adapted: Any) -> Any:
    return TypeAdapter(Any).dump_python(adapted, mode="json", by_alias=True, exclude_unset=True)


@cases("position", POSITIONS)
def test_server_hides_fields_of_the_other_direction(
    position: str, served: tuple[Any, Handlers]
) -> None:
    app, handlers = served
    _, put = POSITIONS[position]
    handlers.given = put({**SHOWN, "secret": "s"})
    answer = ask(app, "PUT", f"/{position}", json=put(SENT))
    assert (answer.status_code, answer.json()) == (200, put(SHOWN))
    assert _plain(handlers.sent) == put(SENT)
    # a field of responses is ignored in requests, whatever its value
    for known in (1, None):
        answer = ask(app, "PUT", f"/{position}", json=put({**SENT, "id": known}))
        assert answer.status_code == 200, answer.text
        assert _plain(handlers.sent) == put(SENT)
    # a response has to have it, and may lack fields of requests
    handlers.given = put({"name": "a"})
    assert ask(app, "PUT", f"/{position}", json=put(SENT)).status_code == 500
    handlers.given = put(SHOWN)
    assert ask(app, "PUT", f"/{position}", json=put(SENT)).json() == put(SHOWN)


@cases("position", POSITIONS)
@cases("lacking", ["name", "secret"])
def test_server_requires_all_other_fields(
    position: str, lacking: str, served: tuple[Any, Handlers]
) -> None:
    app, handlers = served
    _, put = POSITIONS[position]
    handlers.given = put(SHOWN)
    sent = put({name: value for name, value in SENT.items() if name != lacking})
    assert ask(app, "PUT", f"/{position}", json=sent).status_code == 400


def test_mock_hides_fields_of_the_other_direction(project: Path) -> None:
    schemas = project / "schemas"
    api = load(schemas)
    with open_server(Workspace(schemas=schemas, output=project / "generated"), api) as server:
        for seed in range(3):
            app = Mock(api, server, api.table.environments[0].name, seed).app
            for position, (_, put) in POSITIONS.items():
                answer = ask(app, "PUT", f"/{position}", json=put(SENT))
                assert answer.status_code == 200, (position, answer.text)
                assert '"secret"' not in answer.text


def test_models_contain_both_directions(project: Path, generated: Generated) -> None:
    module = generated.module("v2024_01_15")
    for name in ("Thing", "Closed", "Node"):
        adapter: TypeAdapter[Any] = TypeAdapter(getattr(module, name))
        for value in (SENT, SHOWN):
            assert _plain(adapter.validate_python(value)) == value
    said = (project / "generate.txt").read_text()
    assert said.count("components.Thing: fields that are `readOnly` are optional") == 1
    assert said.count("components.Thing: fields that are `writeOnly` are optional") == 1
    assert "components.Other" not in said


_GATED: Final = """\
openapi: 3.1.0
info: {{ title: Access, version: canonical }}
paths:
  /things:
    put:
      operationId: putThing
      requestBody:
        content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Thing' }} }} }}
      responses:
        '200':
          description: the thing
          content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Thing' }} }} }}
components:
  schemas:
    Thing:
      type: object
      required: [added]
      properties:
        added: {{ type: string, {gate} }}
"""


_NEW: Final = "x-added: 2025-01-15"


def _was(keyword: str, value: str) -> str:
    return f"x-was: {{ 2025-01-15: {{ {keyword}: {value} }} }}"


# Whether handlers have to return the field, and get it: required, optional or not at all
@cases(
    ("gate", "rules", "received", "sent"),
    [
        (f"{_NEW}, readOnly: true", 0, "required", "absent"),
        (f"{_NEW}, readOnly: false", 1, "required", "optional"),
        (f"{_NEW}, writeOnly: true", 1, "absent", "optional"),
        (_was("readOnly", "true"), 1, "required", "optional"),
        (f"default: a, {_was('readOnly', 'true')}", 0, "required", "optional"),
        (f"readOnly: true, {_was('readOnly', 'null')}", 0, "required", "optional"),
        (f"readOnly: true, {_was('maxLength', '9')}", 0, "required", "absent"),
        (_was("writeOnly", "true"), 0, "required", "required"),
        (f"writeOnly: true, {_was('writeOnly', 'null')}", 0, "required", "required"),
    ],
)
def test_fields_have_the_directions_of_all_versions(
    gate: str, rules: int, received: str, sent: str, tmp_path: Path
) -> None:
    (tmp_path / "api.yaml").write_text(_GATED.format(gate=gate))
    (tmp_path / "versions.yaml").write_text(
        "header: X-Version\ndefault: 2024-01-15\nversions:\n"
        "  - { date: 2024-01-15, title: First }\n  - { date: 2025-01-15, title: Second }\n"
        "environments: { production: { servers: [{ url: https://a.example }] } }\n"
        "python: { package: things }\n"
    )
    api = load(tmp_path)
    assert [each.rule for each in check_servable(api)] == ["request-without-way-up"] * rules
    forms = read_forms(api)
    schemas = forms.contract.document["components"]["schemas"]
    found = [schemas[name] for name in ("Thing", forms.sent.get("Thing", "Thing"))]
    assert [_describe_presence(each) for each in found] == [received, sent]


def _describe_presence(schema: dict[str, Any]) -> str:
    if "added" not in schema["properties"]:
        return "absent"
    return "required" if "added" in schema["required"] else "optional"


@cases("length", [1, 2, 3, 7])
@cases("link", ["allOf", "$ref"])
@cases("place", ["components", "bodies"])
def test_recursive_schemas_hide_their_fields(place: str, link: str, length: int) -> None:
    address = {
        "components": "#/components/schemas/S{}",
        "bodies": "#/paths/~1p{}/post/requestBody/content/application~1json/schema",
    }[place]
    schemas: list[dict[str, Any]] = []
    for number in range(length):
        onward = {"$ref": address.format((number + 1) % length)}
        schemas.append(
            {
                "required": ["shown", *(f"hidden{each}" for each in range(length))],
                "properties": {f"hidden{number}": {"readOnly": True}, "shown": {}},
                **(onward if link == "$ref" else {"allOf": [onward]}),
            }
        )
    named = {f"S{number}": schema for number, schema in enumerate(schemas)}
    document: dict[str, Any] = {"openapi": "3.1.0", "components": {"schemas": named}}
    if place == "bodies":
        document["components"] = {}
        document["paths"] = {
            f"/p{number}": {
                "post": {"requestBody": {"content": {"application/json": {"schema": schema}}}}
            }
            for number, schema in enumerate(schemas)
        }
    for order in (schemas, schemas[::-1]):
        requests = OneWay(document, READ_ONLY, Hidden.OPTIONAL)
        for schema in order:
            assert requests.names(schema) == {f"hidden{each}" for each in range(length)}
            assert requests.of(schema)["required"] == ["shown"]
    answers = OneWay(document, WRITE_ONLY, Hidden.OPTIONAL)
    assert all(answers.of(schema) is schema for schema in schemas)
