"""What is read from the version before holds only where nothing that it refers to has changed."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

from support.sources import folder, loaded
from support.tables import cases

from dateline.load import load
from dateline.model import EVERYWHERE, Api, Contract
from dateline.project import Projector
from dateline.python.operations import CalledReader, read_operations
from dateline.schema.continuity import Continuity
from dateline.server.messages import Messages

SCHEMAS = Path(__file__).parents[2] / "schemas"
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "paths": {
        "/plain": {"get": {"responses": {"204": {"description": "done"}}}},
        "/pets": {
            "parameters": [{"$ref": "#/components/parameters/Limit"}],
            "get": {"responses": {"200": {"$ref": "#/components/responses/Pets"}}},
        },
        "/owners": {
            "get": {"responses": {"200": {"content": {"application/json": {"schema": {}}}}}}
        },
        "/shared": {"$ref": "#/components/pathItems/Shared"},
        "/anchored": {"get": {"parameters": [{"schema": {"$ref": "#cat"}}]}},
        "/dangling": {"get": {"parameters": [{"$ref": "#/components/parameters/None"}]}},
        "/deep": {"get": {"parameters": [{"schema": {"$ref": "#/components/schemas/Cat/not"}}]}},
    },
    "components": {
        "parameters": {"Limit": {"schema": {"$ref": "#/components/schemas/Number"}}},
        "responses": {"Pets": {"content": {"application/json": {"schema": {"anyOf": []}}}}},
        "pathItems": {"Shared": {"get": {"parameters": [{"$ref": "#/components/headers/H"}]}}},
        "headers": {"H": {"schema": {"type": "string"}}},
        "schemas": {
            "Pet": {"discriminator": {"mapping": {"cat": "Cat"}}},
            "Cat": {"$anchor": "cat", "not": {"$ref": "#/components/schemas/Leaf"}},
            "Dog": {"items": {"$ref": "#/components/schemas/Dog"}},
            "Number": {"type": "integer"},
            "Leaf": {"type": "string"},
        },
    },
}
PETS = DOCUMENT["components"]["responses"]["Pets"]["content"]["application/json"]["schema"]
PETS["anyOf"] = [{"$ref": f"#/components/schemas/{name}"} for name in ("Pet", "Dog")]
KEPT = {"/plain", "/pets", "/owners", "/shared", "/deep"}


def put(path: tuple[str, ...], node: Any) -> dict[str, Any]:
    """Return DOCUMENT with *node* at *path*; all objects beside the path are the same."""
    changed: dict[str, Any] = {**DOCUMENT}
    at = changed
    for key in path[:-1]:
        at[key] = {**at[key]}
        at = at[key]
    at[path[-1]] = node
    return changed


@cases(
    "document, lost",
    [
        (DOCUMENT, set()),
        ({**DOCUMENT, "info": {"title": "Other"}}, set()),
        (put(("components", "schemas", "New"), {}), set()),
        ({**DOCUMENT, "openapi": "3.0.3"}, KEPT),
        ({**DOCUMENT, "jsonSchemaDialect": "https://example.com"}, KEPT),
        (copy.deepcopy(DOCUMENT), KEPT),
        (put(("paths", "/plain"), {**DOCUMENT["paths"]["/plain"]}), {"/plain"}),
        (put(("components", "schemas", "Number"), {"type": "number"}), {"/pets"}),
        (put(("components", "parameters", "Limit"), {"schema": {}}), {"/pets"}),
        (put(("components", "responses", "Pets"), {"description": "pets"}), {"/pets"}),
        (put(("components", "schemas", "Dog"), {}), {"/pets"}),
        (put(("components", "schemas", "Cat"), {"not": {}}), {"/pets", "/deep"}),
        (put(("components", "schemas", "Leaf"), {"type": "null"}), {"/pets", "/deep"}),
        (put(("components", "headers", "H"), {}), {"/shared"}),
        (put(("components", "headers"), {}), {"/shared"}),
        (put(("components",), {}), KEPT - {"/plain", "/owners"}),
    ],
)
def test_a_path_is_kept_with_all_that_it_refers_to(
    document: dict[str, Any], lost: set[str]
) -> None:
    follow = Continuity().follow
    assert follow(DOCUMENT) == set()
    assert follow(DOCUMENT) == KEPT
    assert follow(document) == KEPT - lost
    assert follow(DOCUMENT) == KEPT - lost - ({"/shared"} & lost)


VERSIONS = """\
header: X-API-Version
default: 2024-01-01
versions:
  - { date: 2024-01-01, title: The first. }
  - { date: 2024-02-01, title: The second. }
  - { date: 2024-03-01, title: The third. }
  - { date: 2024-04-01, title: The fourth. }
environments:
  production: { servers: [{ url: https://api.example.com/api }] }
  sandbox: { servers: [{ url: https://sandbox.example.com/api }] }
policy: dated-contract
lint: adopted
python: { package: kept }
"""
# each gate is somewhere that another operation is not
CHANGING = {
    "versions.yaml": VERSIONS,
    "api.yaml": """\
openapi: 3.1.0
info: { title: Kept, version: canonical }
security: [{ Key: [] }]
paths:
  /parameters:
    parameters: [{ $ref: '#/components/parameters/Limit' }]
    get: { operationId: listA, responses: { '204': { description: none } } }
  /bodies:
    post:
      operationId: sendB
      requestBody: { $ref: '#/components/requestBodies/Sent' }
      responses: { '200': { $ref: '#/components/responses/Received' } }
    get: { operationId: readB, responses: { '204': { description: none } } }
  /statuses:
    get:
      operationId: getC
      responses:
        '200': { description: ok }
        '410': { description: gone, x-added: 2024-03-01 }
  /sandbox:
    get:
      operationId: getD
      x-environments: [sandbox]
      responses: { '204': { description: none } }
    put: { operationId: putD, responses: { '204': { description: none } } }
  /servers:
    servers: [{ url: https://uploads.example.com/api }]
    get: { operationId: getE, responses: { '204': { description: none } } }
  /tags:
    get:
      operationId: getF
      responses:
        '200':
          description: ok
          content: { application/json: { schema: { $ref: '#/components/schemas/Kind' } } }
  /names:
    get: { operationId: getG, responses: { '204': { description: none } } }
  /later/names:
    x-added: 2024-02-01
    get: { operationId: get_g, responses: { '204': { description: none } } }
components:
  securitySchemes:
    Key: { type: apiKey, in: query, name: key }
  parameters:
    Limit:
      { name: limit, in: query, schema: { $ref: '#/components/schemas/Limit' } }
  requestBodies:
    Sent:
      required: true
      content: { application/json: { schema: { $ref: '#/components/schemas/Pair' } } }
  responses:
    Received:
      description: ok
      headers: { X-API-Version: { schema: { type: string } } }
      content: { application/json: { schema: { $ref: '#/components/schemas/Pair' } } }
  schemas:
    Limit: { type: integer, maximum: 50, x-was: { 2024-04-01: { maximum: 9 } } }
    Pair:
      type: object
      properties: { left: { $ref: '#/components/schemas/Half' }, right: { type: string } }
    Half:
      type: object
      properties:
        word: { type: string, readOnly: true }
        late: { type: string, x-added: 2024-02-01 }
    Kind:
      oneOf: [{ $ref: '#/components/schemas/One' }, { $ref: '#/components/schemas/Two' }]
      discriminator: { propertyName: kind, mapping: { one: One, two: Two } }
    One: { type: object, required: [kind], properties: { kind: { const: one } } }
    Two:
      type: object
      required: [kind]
      properties: { kind: { const: two }, size: { $ref: '#/components/schemas/Limit' } }
""",
}


def assert_same_as_alone(api: Api) -> None:
    """Assert that operations read one version after the other are those that are read alone."""
    projector, reader = Projector(api), CalledReader(api.table)
    for version in api.table.dates:
        document = projector.contract(version, EVERYWHERE).document
        environments = projector.documents(version)
        alone = read_operations(api.table, document, environments)
        found = reader.read(document, environments)
        assert found == alone
        # Inline leaves its schema out of its representation
        assert [each.schema for one in found for each in one.inlines] == [
            each.schema for one in alone for each in one.inlines
        ]


def test_operations_of_all_versions_are_those_of_each_alone(tmp_path: Path) -> None:
    assert_same_as_alone(load(SCHEMAS))
    assert_same_as_alone(loaded(tmp_path, CHANGING))


def test_operations_of_other_tables_are_read_again(tmp_path: Path) -> None:
    # what is around operations may change with the version, too
    for number, (old, new) in enumerate(
        [
            (
                "security: [{ Key: [] }]",
                "security: [{ Key: [] }]\nx-was: { 2024-03-01: { security: null } }",
            ),
            (
                "in: query, name: key }",
                "in: query, name: key, x-was: { 2024-03-01: { name: limit } } }",
            ),
        ]
    ):
        changed = {**CHANGING, "api.yaml": CHANGING["api.yaml"].replace(old, new)}
        assert_same_as_alone(load(folder(tmp_path / str(number), changed)))


class ApartProjector(Projector):
    """Contracts that share no objects."""

    def contract(self, version: str, environment: str) -> Contract:
        contract = super().contract(version, environment)
        return replace(contract, document=copy.deepcopy(contract.document))


def test_requests_of_versions_that_share_objects_are_those_of_versions_that_do_not(
    tmp_path: Path,
) -> None:
    for api in (load(SCHEMAS), loaded(tmp_path, CHANGING)):
        shared, apart = (
            Messages(api, projector).requests(())
            for projector in (Projector(api), ApartProjector(api))
        )
        assert shared == apart
