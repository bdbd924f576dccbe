"""A field or parameter that callers omit has the default of their version."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

import pytest
from support.generated_server import Generated, ask
from support.histories import NEW, OLD, VERSIONS, I, S, api
from support.sources import loaded
from support.tables import cases

Json = Any

MIDDLE: Final = "2024-09-01"
_TABLE: Final = VERSIONS.replace(
    f"  - {{ date: {NEW}", f"  - {{ date: {MIDDLE}, title: Some }}\n  - {{ date: {NEW}"
)

_GATED: Final = {**I, "default": 3, "x-was": {MIDDLE: {"default": 1}, NEW: {"default": 2}}}
_EACH: Final = (1, 2, 3)
_ABSENT: Final = object()


def _fields(field: Json, **more: Json) -> Json:
    return {"type": "object", "properties": {"a": field}, **more}


def _history(node: Json, **was: Json) -> Json:
    return {**node, "x-was": {NEW: was}}


_STATE: Final = {
    **S,
    "oneOf": [_history({"const": "active"}, const="open"), {"const": "closed"}],
}
_TREE: Final = {
    **_fields(_GATED),
    "properties": {
        "a": _GATED,
        "below": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}},
    },
}

# For each position: the schema of a body, what callers send, where the handler finds the field, and
# the value that it finds there for callers of each version.
POSITIONS: Final[dict[str, tuple[Json, Json, tuple[str | int, ...], tuple[Any, ...]]]] = {
    "property": (_fields(_GATED), {}, ("a",), _EACH),
    "nested": (_fields(_fields(_GATED)), {"a": {}}, ("a", "a"), _EACH),
    "item": ({"type": "array", "items": _fields(_GATED)}, [{}], (0, "a"), _EACH),
    "map": (
        {"type": "object", "additionalProperties": _fields(_GATED)},
        {"k": {}},
        ("k", "a"),
        _EACH,
    ),
    "allOf": ({"allOf": [_fields(_GATED), {"properties": {"b": I}}]}, {}, ("a",), _EACH),
    "union": ({"oneOf": [_fields(_GATED), S]}, {}, ("a",), _EACH),
    "recursion": ({"$ref": "#/components/schemas/Tree"}, {"below": [{}]}, ("below", 0, "a"), _EACH),
    "reference": (
        _fields({"$ref": "#/components/schemas/Number"}),
        {},
        ("a",),
        # nothing fills in the default of a component in the newest version
        (1, 2, _ABSENT),
    ),
    "renamed": (
        _fields({**_GATED, "x-was": {MIDDLE: {"default": 1}, NEW: {"default": 2, "name": "b"}}}),
        {},
        ("a",),
        _EACH,
    ),
    "null": (
        _fields(
            {"type": ["integer", "null"], "default": 3, "x-was": {NEW: {"set": {"default": None}}}}
        ),
        {},
        ("a",),
        (None, None, 3),
    ),
    "added default": (
        _fields({**_GATED, "x-was": {MIDDLE: {"default": 1}, NEW: {"default": None}}}),
        {},
        ("a",),
        (1, _ABSENT, 3),
    ),
    "removed default": (_fields(_history(I, default=2)), {}, ("a",), (2, 2, _ABSENT)),
    "renamed value": (
        _fields(_history({**_STATE, "default": "closed"}, default="open")),
        {},
        ("a",),
        ("active", "active", "closed"),
    ),
    "renamed below": (
        _fields(
            _history(
                {"type": "object", "properties": {"n": _history(I, name="m")}, "default": {"n": 1}},
                default={"m": 2},
            )
        ),
        {},
        ("a", "n"),
        (2, 2, _ABSENT),
    ),
    # a field that became required gets the newest default
    "required": (
        {**_fields({**I, "default": 3}, required=["a"]), **_history({}, required=None)},
        {},
        ("a",),
        (3, 3, 400),
    ),
    # controls: no history, and a new field with the same default for all
    "constant": (_fields({**I, "default": 3}), {}, ("a",), (3, 3, 3)),
    "new": (_fields({**I, "default": 3, "x-added": NEW}), {}, ("a",), (3, 3, 3)),
}

_PLACES: Final = ("query", "header", "cookie")

PARAMETERS: Final[dict[str, tuple[Json, tuple[Any, ...]]]] = {
    "schema": ({"schema": _GATED}, _EACH),
    "schema, added default": (
        {"schema": {**_GATED, "x-was": {MIDDLE: {"default": 1}, NEW: {"default": None}}}},
        (1, None, 3),
    ),
    "parameter": (
        {
            "schema": {**I, "default": 3},
            "x-was": {MIDDLE: {"schema": {**I, "default": 1}}, NEW: {"schema": I}},
        },
        (1, None, 3),
    ),
    "required": (
        _history({"schema": {**I, "default": 3}, "required": True}, required=None),
        (3, 3, 400),
    ),
}


def _sources() -> dict[str, str]:
    answers = {"204": {"description": "done"}}
    paths: dict[str, Json] = {}
    for number, (schema, *_) in enumerate(POSITIONS.values()):
        content = {"application/json": {"schema": schema}}
        paths[f"/body{number}"] = {
            "put": {
                "operationId": f"body{number}",
                "tags": ["All"],
                "requestBody": {"required": True, "content": content},
                "responses": answers,
            }
        }
    for number, (said, _) in enumerate(PARAMETERS.values()):
        paths[f"/parameters{number}"] = {
            "get": {
                "operationId": f"parameters{number}",
                "tags": ["All"],
                "parameters": [{"name": place, "in": place, **said} for place in _PLACES],
                "responses": answers,
            }
        }
    schemas = {"Tree": _TREE, "Number": _GATED}
    return {
        "versions.yaml": _TABLE,
        "api.yaml": api(paths=paths, components={"schemas": schemas}),
    }


class Handlers:
    """Handlers that record their arguments."""

    def __init__(self) -> None:
        self.given: list[dict[str, Any]] = []

    def __getattr__(self, name: str) -> Any:
        if not name.startswith(("body", "parameters")):
            raise AttributeError(name)

        async def handle(_: Any, **given: Any) -> None:
            self.given.append(given)

        return handle


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    folder = tmp_path_factory.mktemp("defaults")
    server = Generated(folder, loaded(folder, _sources())).module("server")
    handlers = Handlers()
    app = server.create_app(server.Handlers(all=handlers), environment="production")
    return SimpleNamespace(app=app, handlers=handlers)


def _find_value(value: Any, steps: tuple[str | int, ...]) -> Any:
    for step in steps:
        if isinstance(step, str) and not isinstance(value, dict):
            value = getattr(value, step, value)
        else:
            value = value[step]
    return _ABSENT if type(value).__name__ == "Absent" else getattr(value, "value", value)


@cases("position", POSITIONS)
@cases("at", [0, 1, 2])
def test_omitted_field_has_the_default_of_the_callers_version(
    served: SimpleNamespace, position: str, at: int
) -> None:
    number = list(POSITIONS).index(position)
    _, sent, steps, wanted = POSITIONS[position]
    served.handlers.given.clear()
    headers = {"X-API-Version": (OLD, MIDDLE, NEW)[at]}
    answer = ask(served.app, "PUT", f"/body{number}", headers=headers, json=sent)
    if wanted[at] == 400:
        assert answer.status_code == 400
    else:
        assert answer.status_code == 204, answer.text
        [given] = served.handlers.given
        assert _find_value(given["body"], steps) == wanted[at]


@cases("position", PARAMETERS)
@cases("at", [0, 1, 2])
def test_omitted_parameter_has_the_default_of_the_callers_version(
    served: SimpleNamespace, position: str, at: int
) -> None:
    number = list(PARAMETERS).index(position)
    wanted = PARAMETERS[position][1][at]
    served.handlers.given.clear()
    headers = {"X-API-Version": (OLD, MIDDLE, NEW)[at]}
    answer = ask(served.app, "GET", f"/parameters{number}", headers=headers)
    if wanted == 400:
        assert answer.status_code == 400
    else:
        assert answer.status_code == 204, answer.text
        assert served.handlers.given == [dict.fromkeys(_PLACES, wanted)]
