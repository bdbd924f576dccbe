"""An operation that can't be served answers 501, and all others are served."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.adopted_apis import store
from support.generated_server import Generated, ask
from support.mock_answers import judge_gets
from support.random_chains import DATES

from dateline.adopt import adopt
from dateline.load import load

Document = dict[str, Any]

OLD, NEW = DATES[0], DATES[1]
DONE = {"responses": {"204": {"description": "done"}}}
FINE = {"/fine": {"get": {**DONE, "operationId": "fine", "tags": ["a"]}}}


def document(paths: Document, schemas: Document | None = None) -> Document:
    return {
        "openapi": "3.0.3",
        "info": {"title": "Things", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": {**FINE, **paths},
        "components": {"schemas": schemas or {}},
    }


def generate_server(folder: Path, *documents: Document) -> Generated:
    """Return the server adopted from *documents*, oldest first."""
    adopt(store(folder, list(documents)), folder / "schemas", accept=lambda _: True)
    return Generated(folder, load(folder / "schemas"))


class Anything:
    """Handlers of everything, which return nothing."""

    def __getattr__(self, _: str) -> Any:
        return self

    async def __call__(self, *_: Any, **__: Any) -> None:
        return None


def generate_unchecked(folder: Path, found: Document) -> Generated:
    """Return the server of definitions that the checks may refuse."""
    adopt(store(folder, [document({})]), folder / "schemas")
    return Generated(folder, replace(load(folder / "schemas"), document=found))


def app_of(made: Generated, **said: Any) -> Any:
    return made.module("server").create_app(Anything(), environment="production", **said)


def statuses(app: Any, version: str, *asked: str) -> list[int]:
    """Return the statuses of requests such as `GET /a`, and of one that is always valid."""
    header = {"X-API-Version": version}
    requests = [each.split() for each in (*asked, "GET /fine")]
    return [ask(app, method, path, headers=header).status_code for method, path in requests]


def query(*parameters: Document) -> Document:
    return {"parameters": [{"in": "query", **each} for each in parameters]}


TEXT = {"schema": {"type": "string"}}
OBJECTS = {"schema": {"type": "array", "items": {"type": "object"}}}

ONE_VERSION: dict[str, tuple[Document, str]] = {
    "three parameters of one name": (
        {"/a_b": {"get": {**DONE, **query(*({"name": f"c{each}d", **TEXT} for each in "-_."))}}},
        "the parameters 'c_d' and 'c.d' would both be the keyword c_d_query",
    ),
    "a list of objects in a query": (
        {"/a_b": {"get": {**DONE, **query({"name": "where", **OBJECTS})}}},
        "query parameter 'where': only texts, numbers and booleans can be read in a list without "
        "the style deepObject",
    ),
    "a response with a dangling reference": (
        {"/a_b": {"get": {"responses": {"201": {"$ref": "#/components/responses/Gone"}}}}},
        "its response 201 refers to nothing of its kind",
    ),
    "a response that refers to a schema": (
        {"/a_b": {"get": {"responses": {"201": {"$ref": "#/components/schemas/A"}}}}},
        "its response 201 refers to nothing of its kind",
    ),
    "content that is no JSON": (
        {"/a_b": {"get": {**DONE, **query({"name": "a", "content": {"text/csv": {}}})}}},
        "query parameter 'a': text/csv is not read, only JSON",
    ),
}


@pytest.mark.parametrize("name", ONE_VERSION)
def test_oddity_of_one_operation_affects_it_alone(name: str, tmp_path: Path) -> None:
    paths, reason = ONE_VERSION[name]
    made = generate_server(tmp_path, document(paths, {"A": {"type": "object"}}))
    [note] = [note for note in made.notes if "501" in note]
    assert note.startswith("1 operation can't be served at every version and answers 501 there")
    assert note.endswith(f": {reason})")
    app = app_of(made)
    assert statuses(app, OLD, "GET /a_b") == [501, 204]
    assert json.loads(ask(app, "GET", "/a_b").content)["detail"] == reason
    others = [f"GET {path}" for path in paths if path != "/a_b"]
    assert statuses(app, OLD, *others) == [204] * (len(others) + 1)


def test_component_that_is_no_object_affects_its_users(tmp_path: Path) -> None:
    odd = {f"Odd{number}": value for number, value in enumerate((7, "text", [1], True))}
    paths: Document = {}
    for name in odd:
        response, body, parameter = (
            {"$ref": f"#/components/{section}/{name}"}
            for section in ("responses", "requestBodies", "parameters")
        )
        paths[f"/a{name}"] = {"get": {"responses": {"200": response}}}
        paths[f"/b{name}"] = {"get": {**DONE, "requestBody": body}}
        paths[f"/c{name}"] = {"get": {**DONE, "parameters": [parameter]}}
        paths[f"/d{name}"] = {"get": {"responses": {**DONE["responses"], "404": response}}}
    found = document(paths)
    sections = ("responses", "requestBodies", "parameters", "headers")
    found["components"] |= dict.fromkeys(sections, odd)
    app = app_of(generate_server(tmp_path, found))
    asked = [f"GET {path}" for path in paths]
    assert statuses(app, OLD, *asked) == [*[501, 204, 204, 204] * len(odd), 204]


def test_response_that_no_value_fits_at_some_version_is_noted(tmp_path: Path) -> None:
    def answering(*members: Document) -> Document:
        content = {"application/json": {"schema": {"oneOf": list(members)}}}
        responses = {"200": {"description": "one", "content": content}}
        return document({"/a": {"get": {"operationId": "a", "responses": responses}}})

    text = {"type": "string"}
    made = generate_server(tmp_path, answering(text, text), answering(text, {"type": "integer"}))
    [note] = [note for note in made.notes if "501" in note]
    assert note.startswith("1 operation has a response that no value fits at some version, since")


def test_tags_that_become_one_name_share_a_group(tmp_path: Path) -> None:
    tagged = {
        f"/{number}": {"get": {**DONE, "operationId": f"op{number}", "tags": [tag]}}
        for number, tag in enumerate(("two words", "Two-Words", "two_words"))
    }
    made = generate_server(tmp_path, document(tagged))
    assert not [note for note in made.notes if "501" in note]
    handlers = made.text("server/handlers.py")
    assert (handlers.count("two_words: "), handlers.count("class TwoWords")) == (1, 1)
    assert statuses(app_of(made), OLD, "GET /0", "GET /1", "GET /2") == [204] * 4


def test_paths_with_one_name_in_one_version_have_separate_handlers(tmp_path: Path) -> None:
    paths = ("/a_b_also", "/a-b", "/a_b", "/a.b", "/jobs", "/jobs/")
    methods = ("get", "post")
    found = document({path: dict.fromkeys(methods, DONE) for path in paths})
    made = generate_server(tmp_path, found)
    assert not [note for note in made.notes if "501" in note]
    handlers = made.text("server/handlers.py")
    for name in (*("a_b_also", "a_b", "a_b_also_also", "a_b_also_also_also", "jobs", "jobs_also"),):
        for method in methods:
            assert handlers.count(f"def {method}_{name}(") == 1
    app = app_of(made)
    asked = [f"{method.upper()} {path}" for path in paths for method in methods]
    assert statuses(app, OLD, *asked) == [204] * (len(asked) + 1)
    routes = made.module("server.routes").OPERATIONS
    called = {each.path: each.handler for each in routes if each.method == "GET"}
    # names do not depend on later operations
    assert [called[path] for path in paths] == [
        *("get_a_b_also", "get_a_b", "get_a_b_also_also", "get_a_b_also_also_also"),
        *("get_jobs", "get_jobs_also"),
    ]


def test_paths_with_one_name_keep_it_in_all_versions(tmp_path: Path) -> None:
    older = {path: {"get": DONE} for path in ("/a", "/a-")}
    newer = {path: {"get": DONE} for path in ("/a/", "/a_")}
    made = generate_server(tmp_path, document(older), document(newer))
    assert not [note for note in made.notes if "501" in note]
    app = app_of(made)
    assert statuses(app, OLD, "GET /a", "GET /a-", "GET /a/", "GET /a_") == [
        204,
        204,
        404,
        404,
        204,
    ]
    assert statuses(app, NEW, "GET /a", "GET /a-", "GET /a/", "GET /a_") == [
        404,
        404,
        204,
        204,
        204,
    ]


def test_paths_with_one_name_in_different_versions_have_separate_handlers(tmp_path: Path) -> None:
    older, newer = ({path: {"get": DONE, "post": DONE}} for path in ("/a", "/a/"))
    made = generate_server(tmp_path, document(older), document(newer))
    assert not [note for note in made.notes if "501" in note]
    handlers = made.text("server/handlers.py")
    before = NEW.replace("-", "_")
    for method in ("get", "post"):
        assert f"def {method}_a(" in handlers
        assert f"def {method}_a_before_{before}(" in handlers
    app = app_of(made)
    assert statuses(app, OLD, "GET /a", "POST /a", "GET /a/") == [204, 204, 404, 204]
    assert statuses(app, NEW, "GET /a/", "POST /a/", "GET /a") == [204, 204, 404, 204]


def test_moved_parameter_answers_501_at_its_old_place(tmp_path: Path) -> None:
    def holding(place: str) -> Document:
        parameter = {"name": "n", "in": place, "schema": {"type": "string"}}
        found = document(
            {"/a": {"get": {**DONE, "parameters": [{"$ref": "#/components/parameters/n"}]}}}
        )
        found["components"]["parameters"] = {"n": parameter}
        return found

    made = generate_server(tmp_path, holding("header"), holding("query"))
    app = app_of(made)
    assert (statuses(app, OLD, "GET /a"), statuses(app, NEW, "GET /a")) == ([501, 204], [204, 204])


def restated(type_: str) -> Document:
    thing = {"type": "object", "required": ["due"], "properties": {"due": {"type": type_}}}
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}
    paths = {
        "/things": {
            "get": {"responses": {"200": {"description": "a thing", "content": content}}},
            "post": {**DONE, "requestBody": {"required": True, "content": content}},
        }
    }
    return document(paths, {"Thing": thing})


class Thing(Anything):
    async def __call__(self, *_: Any, **given: Any) -> Any:
        return None if "body" in given else {"due": 7}


class Convert:
    def older_thing_due(self, value: int, /) -> str:
        return str(value)


def test_operation_without_its_converter_answers_501_where_needed(tmp_path: Path) -> None:
    made = generate_server(tmp_path, restated("string"), restated("integer"))
    assert [note for note in made.notes if "501" in note] == [
        "2 converters are yours to write (`Converters` in the handlers, first older_thing_due); "
        "without it, operations that need it answer 501"
    ]
    server = made.module("server")

    def made_with(**said: Any) -> Any:
        class Handlers(Anything):
            def __getattr__(self, name: str) -> Any:
                return Thing() if name.endswith("things") else self

        return server.create_app(Handlers(), environment="production", **said)

    def answers(app: Any, version: str) -> list[int]:
        header = {"X-API-Version": version}
        body = {"due": "7" if version == OLD else 7}
        posted = ask(app, "POST", "/things", headers=header, json=body)
        return [*statuses(app, version, "GET /things"), posted.status_code]

    without, partly = made_with(), made_with(converters=Convert())
    assert answers(without, OLD) == [501, 204, 501]
    assert answers(without, NEW) == [200, 204, 204]
    assert answers(partly, OLD) == [200, 204, 501]
    reason = ask(without, "GET", "/things", headers={"X-API-Version": OLD}).json()["detail"]
    assert reason == "there is no converter Thing.due"


def test_names_in_other_alphabets_become_python_names(tmp_path: Path) -> None:
    parameters = [{"name": name, **TEXT} for name in ("Start", "Start<", "Start>", "名", "größe")]
    paths = {
        "/a": {"get": {**DONE, "tags": ["用户"], **query(*parameters)}},
        "/b": {"get": {**DONE, "tags": ["用户"]}},
    }
    made = generate_unchecked(tmp_path, document(paths))
    assert not [note for note in made.notes if "501" in note]
    keywords = [each.keyword for each in made.module("server.routes").OPERATIONS[-2].parameters]
    assert keywords == ["start", "start_less", "start_greater", "u540d", "gru00f6u00dfe"]
    assert statuses(app_of(made), OLD, "GET /a?Start<=1", "GET /b") == [204] * 3


def test_undefined_security_scheme_is_the_authorization_header(tmp_path: Path) -> None:
    made = generate_unchecked(
        tmp_path, document({"/a": {"get": {**DONE, "security": [{"lost": []}]}}})
    )
    seen = []

    async def authenticate(credentials: Any) -> Any:
        seen.append(credentials.values)
        return Anything()

    app = app_of(made, authenticate=authenticate)
    assert statuses(app, OLD, "GET /a") == [401, 204]
    assert ask(app, "GET", "/a", headers={"Authorization": "any thing"}).status_code == 204
    assert seen == [{"lost": "any thing"}]


def test_server_address_with_an_undefined_variable_is_supported(tmp_path: Path) -> None:
    adopt(store(tmp_path, [document({})]), tmp_path / "schemas")
    api = load(tmp_path / "schemas")
    servers = ({"url": "https://{region}.example.com/{stage}/v1"},)
    environments = tuple(replace(each, servers=servers) for each in api.table.environments)
    made = Generated(tmp_path, replace(api, table=replace(api.table, environments=environments)))
    assert ask(app_of(made), "GET", "/stage/v1/fine").status_code == 204


def test_accounts_are_known_where_no_secured_operation_is_served(tmp_path: Path) -> None:
    found = document({})
    del found["paths"]["/fine"]
    secured = {**DONE, "operationId": "act", "security": [{"key": []}]}
    found["paths"]["/#Target=Act"] = {"post": secured}
    found["components"]["securitySchemes"] = {
        "key": {"type": "apiKey", "in": "header", "name": "X-Key"}
    }
    made = generate_server(tmp_path, found)
    assert made.module("server.handlers").Handlers()


def answering(schema: Document) -> Document:
    content = {"application/json": {"schema": schema}}
    return {"get": {"responses": {"200": {"description": "one", "content": content}}}}


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        (("/a-b", "/a_b"), {200: 2, 204: 1}),
        (("/a/", "/a"), {200: 2, 204: 1}),
        (("/{a}{b}", "/{a}.{b}"), {200: 1, 204: 1, 501: 1}),
    ],
    ids=str,
)
def test_mock_answers_operations_with_one_name(
    others: tuple[str, str], expected: dict[int, int], tmp_path: Path
) -> None:
    schemas: list[Document] = [
        {"type": "integer"},
        {"type": "object", "required": ["a"], "properties": {"a": {}}},
    ]
    paths = {path: answering(each) for path, each in zip(others, schemas, strict=True)}
    adopt(store(tmp_path, [document(paths)]), tmp_path / "schemas")
    statuses, wrong = judge_gets(tmp_path / "schemas")
    assert (statuses, wrong) == (expected, [])


def test_undeclared_path_parameter_is_not_required(tmp_path: Path) -> None:
    unknown = {"name": "zz", "in": "path", "required": True, "schema": {"type": "string"}}
    item = answering({"type": "integer"})
    item["get"]["parameters"] = [{**unknown, "name": "id"}, unknown]
    item["parameters"] = [{**unknown, "name": "yy"}]
    adopt(store(tmp_path, [document({"/a/{id}": item})]), tmp_path / "schemas")
    statuses, wrong = judge_gets(tmp_path / "schemas")
    assert (statuses, wrong) == ({200: 1, 204: 1}, [])
