"""Exactly the request bodies that the published document allows reach the handler."""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Iterator
from typing import Any

import pytest
from support.generated_server import Generated, ask
from support.served_values import Served, served
from support.sources import API, VERSIONS, loaded

OLD, NEW = "2024-01-15", "2025-06-01"

# Names that a JSON pointer escapes, longer than what messages quote.
KEY = "a/b~c" + "k" * 1000
CUT = "/a~1b~0c" + "k" * 32 + "..."

_POST = """\
  /{name}:
    post:
      operationId: {name}
      tags: [Loans]
      requestBody: {{ content: {{ application/json: {{ schema: {schema} }} }} }}
      responses: {{ '204': {{ description: done }} }}
"""


def referring(name: str) -> str:
    return f"{{ $ref: '#/components/schemas/{name}' }}"


INNER = "{ type: object, properties: { text: { type: string } } }"
BODIES = {
    **{name: referring(name) for name in ("Silent", "Closed", "Both", "Composed", "Tagged")},
    "Prices": f"{{ type: object, additionalProperties: {referring('Price')} }}",
    "Inline": f"{{ type: object, properties: {{ inner: {INNER} }} }}",
}

THINGS = f"""
paths:
{"".join(_POST.format(name=name, schema=schema) for name, schema in BODIES.items())}
  /shown:
    get:
      operationId: show
      tags: [Loans]
      responses:
        '200':
          description: it
          content: {{ application/json: {{ schema: {referring("Both")} }} }}
components:
  schemas:
    Silent: {{ type: object, properties: {{ closed: {referring("Closed")} }} }}
    Closed:
      type: object
      additionalProperties: false
      required: [text]
      properties: {{ text: {{ type: string }}, listed: {referring("Listed")} }}
    Listed: {{ type: array, items: {{ type: string }} }}
    Both:
      type: object
      properties: {{ text: {{ type: string }}, late: {{ type: string, x-added: {NEW} }} }}
    Base: {{ type: object, properties: {{ text: {{ type: string }} }} }}
    More: {{ type: object, properties: {{ more: {{ type: integer }} }} }}
    Composed: {{ allOf: [{referring("Base")}, {referring("More")}] }}
    Price:
      type: object
      properties: {{ cents: {{ type: integer, x-was: {{ {NEW}: {{ type: string }} }} }} }}
    Tagged:
      type: object
      properties: {{ first: {referring("Either")} }}
      additionalProperties: {referring("Either")}
    Either:
      oneOf: [{referring("One")}, {referring("Two")}]
      discriminator: {{ propertyName: kind }}
    One:
      type: object
      required: [kind, a]
      properties: {{ kind: {{ type: string }}, a: {{ type: integer }} }}
    Two:
      type: object
      required: [kind, b]
      properties: {{ kind: {{ type: string }}, b: {{ type: integer }} }}
"""


class Keeping:
    """Handlers that record the bodies they get."""

    def __init__(self) -> None:
        self.bodies: list[Any] = []

    def __getattr__(self, _: str) -> Any:
        async def handle(_: Any, *, body: Any) -> None:
            self.bodies.append(body)

        return handle


class Converting:
    """Converts a string to a number."""

    def newer_price_cents(self, value: str, /) -> int:
        return int(value)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    folder = tmp_path_factory.mktemp("bodies")
    files = {"versions.yaml": VERSIONS, "api.yaml": API + THINGS}
    return Generated(folder, loaded(folder, files))


def send(
    package: Generated, name: str, body: Any, version: str = NEW
) -> tuple[int, Any, list[Any]]:
    """Return the status, the error if any, and what the handler got."""
    server = package.module("server")
    handlers = Keeping()
    app = server.create_app(
        server.Handlers(loans=handlers), environment="production", converters=Converting()
    )
    answer = ask(app, "POST", f"/api/{name}", json=body, headers={"X-API-Version": version})
    given = [each.model_dump(mode="json", by_alias=True) for each in handlers.bodies]
    return answer.status_code, answer.json()["detail"] if answer.content else None, given


@pytest.mark.parametrize("version", [OLD, NEW])
@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("Silent", {"x": 1, "closed": {"text": "t"}}),
        ("Both", {"text": "t", "x": {"y": 1}}),
        ("Inline", {"x": 1, "inner": {"text": "t", "y": None}}),
        ("Composed", {"text": "t", "more": 1, "x": [1]}),
        ("Tagged", {"first": {"kind": "One", "a": 1, "x": 1}, "x": {"kind": "Two", "b": 2}}),
    ],
)
def test_fields_that_the_document_does_not_forbid_reach_the_handler(
    name: str, body: Any, version: str, package: Generated
) -> None:
    assert send(package, name, body, version) == (204, None, [body])


def test_fields_of_newer_versions_are_ignored(package: Generated) -> None:
    body = {"text": "t", "late": 1, "x": 2}
    assert send(package, "Both", body, OLD) == (204, None, [{"text": "t", "x": 2}])
    refused = "the body at /late has to be a string, not 1"
    assert send(package, "Both", body, NEW) == (400, refused, [])


@pytest.mark.parametrize(
    ("name", "body", "where"),
    [
        ("Closed", {"text": "t", "x": 1}, "the body"),
        ("Silent", {"closed": {"text": "t", "x": 1}}, "the body at /closed"),
    ],
)
def test_fields_that_the_document_forbids_are_refused(
    name: str, body: Any, where: str, package: Generated
) -> None:
    refused = f'{where} has a field that is not known, "x"'
    assert send(package, name, body) == (400, refused, [])


def test_versions_with_equal_schemas_share_a_model(package: Generated) -> None:
    models, version = package.module("server.models"), package.module("v2025_06_01")
    known = {*version.__all__} - {"API_VERSION"}
    own = {name for name in known if getattr(models, name) is not getattr(version, name)}
    assert own == set()
    # a document that doesn't close an object allows fields that it doesn't name
    assert version.Silent(x=1).model_dump() == {"x": 1}


def test_keys_are_quoted_as_briefly_as_other_text(package: Generated) -> None:
    # nothing in the schemas limits the tag, so an unknown one is no reason to refuse
    body = {KEY: {"kind": "Three", "a": 1}}
    assert send(package, "Tagged", body) == (204, None, [body])
    reported = f"the body at {CUT} fits none of the alternatives"
    assert send(package, "Tagged", {KEY: {"kind": 1}}) == (400, reported, [])
    # a refusal by a converter is not based on a schema
    reported = f"the body at {CUT} can't be read"
    assert send(package, "Prices", {KEY: {"cents": "one"}}, OLD) == (400, reported, [])


def enlarge(body: Any) -> Iterator[Any]:
    """Yield *body* with an additional field in each of its objects."""
    for steps in objects(body):
        made = copy.deepcopy(body)
        functools.reduce(lambda node, step: node[step], steps, made)[KEY] = None
        yield made


def objects(node: Any) -> Iterator[list[Any]]:
    if isinstance(node, dict):
        yield []
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for step, below in items:
        if isinstance(below, dict | list):
            yield from ([step, *steps] for steps in objects(below))


def verdicts(api: Served) -> Iterator[tuple[str, bool, bool]]:
    """Yield each body, whether its document allows it, and whether a handler got it."""
    reached = api.server.Refusal(400, "reached")
    for (version, environment, operation), asked in api.asked.items():
        shown = api.law.shown[version, environment]
        for body in shown.bodies:
            if body.operation != operation or body.status:
                continue
            for value in enlarge(asked.body):
                answer = api.ask(environment, asked._replace(body=value), reached)
                assert answer.status == 400
                allowed = shown.defect(body.schema, value) is None
                yield (
                    f"{asked.url} {version}: {json.dumps(value)}",
                    allowed,
                    answer.json == "reached",
                )


@pytest.mark.parametrize("name", ["payment", "3"])
def test_document_alone_decides_which_fields_a_body_may_have(name: str) -> None:
    found = list(verdicts(served(name)))
    assert [said for said, allowed, got in found if allowed != got] == []
    assert any(allowed for _, allowed, _ in found)
