"""One edit has one finding, however many environments and versions it affects."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest
from support.commands import dateline
from support.sources import folder
from support.tables import cases

from dateline.bundle import Document
from dateline.check import Published, check
from dateline.check.comparison import compare
from dateline.load import load
from dateline.model import Combination
from dateline.project import Projector

VERSIONS: Final = """\
header: X-API-Version
default: 2024-01-15
versions: [{ date: 2024-01-15, title: Initial version }]
environments:
  production: { servers: [{ url: https://api.library.example }] }
  sandbox: { servers: [{ url: https://sandbox.library.example }] }
policy: dated-contract
python: { package: library }
"""

# Only the sandbox takes an amount, and it has more operations that need a key.
FINES: Final = """\
openapi: 3.1.0
info: { title: Library, version: canonical }
tags: [{ name: Fines }]
security: [{ Key: [] }]
paths:
  /fines:
    get:
      operationId: listFines
      tags: [Fines]
      parameters: [{ $ref: '#/components/parameters/Page' }]
      responses:
        '200':
          description: fines
          headers: { X-Total: { description: how many, schema: { type: integer } } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Fine' } } }
  /sandbox/fines:
    x-environments: [sandbox]
    post:
      operationId: makeFine
      tags: [Fines]
      parameters: [{ $ref: '#/components/parameters/Page' }]
      requestBody:
        content: { application/json: { schema: { $ref: '#/components/schemas/Amount' } } }
      responses: { '204': { description: made } }
components:
  parameters: { Page: { name: page, in: query, schema: { type: integer } } }
  securitySchemes: { Key: { type: http, scheme: bearer }, Other: { type: http, scheme: basic } }
  schemas:
    Fine:
      type: object
      properties:
        amount: { $ref: '#/components/schemas/Amount' }
        reason:
          oneOf: [{ $ref: '#/components/schemas/Late' }, { $ref: '#/components/schemas/Lost' }]
          discriminator: { propertyName: kind }
    Amount: { type: object, properties: { cents: { type: integer } } }
    Late:
      type: object
      required: [kind]
      properties: { kind: { type: string, const: Late }, days: { type: integer } }
    Lost:
      type: object
      required: [kind]
      properties: { kind: { type: string, const: Lost } }
"""

PAGE: Final = "      parameters: [{ $ref: '#/components/parameters/Page' }]\n"
BOTH: Final = ("production", "sandbox")
USED: Final = ("GET /fines", "POST /sandbox/fines")


def publish_and_edit(tmp_path: Path, edits: dict[str, str]) -> tuple[Published, Path]:
    """Return what was published, and a folder with the sources after *edits*."""
    projector = Projector(load(folder(tmp_path / "before", sources({}))))
    documents = {
        Combination("2024-01-15", name): Document(
            name=f"{name}.json",
            data=json.dumps(projector.contract("2024-01-15", name).document).encode(),
        )
        for name in BOTH
    }
    return Published(label="published", documents=documents), folder(
        tmp_path / "after", sources(edits)
    )


def sources(edits: dict[str, str]) -> dict[str, str]:
    text = FINES
    for old, new in edits.items():
        assert old in text
        text = text.replace(old, new)
    return {"versions.yaml": VERSIONS, "fines.yaml": text}


@cases(
    ("edits", "printed"),
    [
        pytest.param(
            {"security: [{ Key": "security: [{ Other"},
            [("security-changed", "GET /fines and 1 more: security changed "
              '([{"Key": []}] -> [{"Other": []}])', "request", USED, BOTH)],
            id="other credentials are demanded",
        ),
        pytest.param(
            {"Amount: { type: object,": "Amount: { type: object, additionalProperties: false,"},
            [("request-narrowed", "Amount: additionalProperties added (false)",
              "both", USED, BOTH)],
            id="one environment opens a closed schema",
        ),
        pytest.param(
            {"cents: { type: integer }": "cents: { type: integer }, code: { type: string }"},
            [("request-field-added", "Amount.code: field added", "both", USED, BOTH)],
            id="additive in one environment and gated in the other",
        ),
        pytest.param(
            {"X-Total": "X-Count"},
            [("header-removed", "GET /fines: header X-Total removed",
              "response", ("GET /fines",), BOTH)],
            id="a renamed header",
        ),
        pytest.param(
            {"name: page": "name: offset"},
            [("parameter-removed", "GET /fines and 1 more: parameter page removed",
              "request", USED, BOTH)],
            id="a shared parameter of another name",
        ),
        pytest.param(
            {"in: query": "in: header"},
            [("parameter-removed", "GET /fines and 1 more: parameter page removed",
              "request", USED, BOTH)],
            id="a shared parameter in another place",
        ),
        pytest.param(
            {"name: page, in: query": "name: offset, in: header"},
            [("parameter-removed", "GET /fines and 1 more: parameter page removed",
              "request", USED, BOTH)],
            id="a shared parameter of another name and place",
        ),
        pytest.param(
            {PAGE: ""},
            [("parameter-removed", f"{one}: parameter page removed", "request", (one,), BOTH[at:])
             for at, one in enumerate(USED)],
            id="two operations that refer to a parameter no longer are two edits",
        ),
        pytest.param(
            {"kind": "cause"},
            [("union-changed", "Fine.reason: discriminator changed ('kind' -> 'cause')",
              "response", ("GET /fines",), BOTH)],
            id="a renamed discriminating property",
        ),
        pytest.param(
            {"Amount": "Sum"},
            [("component-renamed", "Sum: component renamed ('Amount' -> 'Sum')",
              "model", (), BOTH)],
            id="a renamed component",
        ),
    ],
)  # fmt: skip
def test_one_edit_is_one_finding(
    edits: dict[str, str], printed: list[tuple[Any, ...]], tmp_path: Path
) -> None:
    published, schemas = publish_and_edit(tmp_path, edits)
    found = check(load(schemas), published, today=date(2024, 2, 1))
    assert [
        (one.rule, one.message, str(one.direction), one.operations, one.environments)
        for one in found
    ] == printed


def test_comparison_merges_changes_of_all_environments(tmp_path: Path) -> None:
    published, schemas = publish_and_edit(
        tmp_path, {"cents: { type: integer }": "cents: { type: number }"}
    )
    for shown, document in published.documents.items():
        home = tmp_path / "published" / "spec" / shown.environment
        home.mkdir(parents=True)
        (home / f"{shown.version}.json").write_bytes(document.data)
    found, _ = compare(schemas, tmp_path / "none", str(tmp_path / "published"), "2024-01-15")
    assert [(one.rule, str(one.direction), one.environments) for one in found] == [
        ("type-added", "both", BOTH)
    ]


def test_renamed_shared_parameter_is_one_difference(tmp_path: Path) -> None:
    history = "{ name: offset, x-was: { 2025-01-15: { name: page } },"
    files = sources({"{ name: page,": history})
    newer = ", { date: 2025-01-15, title: Offsets }]\n"
    files["versions.yaml"] = VERSIONS.replace("]\n", newer, 1)
    found, _ = compare(folder(tmp_path, files), tmp_path / "none", "2024-01-15", "2025-01-15")
    assert [(one.rule, one.operations, one.after_pointer) for one in found] == [
        ("parameter-renamed", USED, "/components/parameters/Page")
    ]


def test_renamed_component_may_keep_its_old_name_as_well(tmp_path: Path) -> None:
    kept = "    Amount: { $ref: '#/components/schemas/Sum' }\n    Sum: { type"
    published, schemas = publish_and_edit(tmp_path, {"Amount": "Sum", "    Sum: { type": kept})
    assert check(load(schemas), published, today=date(2024, 2, 1)) == []


MAKING: Final = FINES[FINES.index("  /sandbox/fines:") : FINES.index("components:")]
SUM: Final = "    Sum: { type: object, properties: { cents: { type: integer } } }\n"
TAKES_SUM: Final = MAKING.replace("Amount", "Sum")
TO_SUM: Final = "$ref: '#/components/schemas/Sum'"
MADE: Final = "{ description: made }"
TEXT: Final = "application/json: { schema: { $ref: '#/components/schemas/Fine' } }"


@pytest.mark.parametrize(
    ("before", "after", "printed", "then"),
    [
        pytest.param(
            {MAKING: TAKES_SUM, "    Late:\n": SUM + "    Late:\n"},
            {MAKING: ""},
            [("operation-removed", "POST /sandbox/fines: operation removed")],
            [("component-removed", "Sum: component removed")],
            id="a component is removed with the only operation that used it",
        ),
        pytest.param(
            {MAKING: TAKES_SUM, "    Late:\n": SUM + "    Late:\n",
             "        amount: {": f"        most: {{ {TO_SUM} }}\n        amount: {{"},
            {MAKING: ""},
            [("operation-removed", "POST /sandbox/fines: operation removed"),
             ("component-removed", "Sum: component removed"),
             ("response-field-removed", "Fine.most: field removed")],
            [],
            id="a component with another user is reported separately",
        ),
        pytest.param(
            {"    Late:\n": SUM + "    Late:\n"},
            {MAKING: ""},
            [("operation-removed", "POST /sandbox/fines: operation removed"),
             ("component-removed", "Sum: component removed")],
            [],
            id="a component that the operation did not use is reported separately",
        ),
        pytest.param(
            {MAKING: TAKES_SUM,
             "    Late:\n": f"{SUM}    All: {{ type: array, items: {{ {TO_SUM} }} }}\n    Late:\n"},
            {MAKING: ""},
            [("operation-removed", "POST /sandbox/fines: operation removed"),
             ("component-removed", "All: component removed"),
             ("component-removed", "Sum: component removed")],
            [],
            id="a component removed where the operation never was is reported separately",
        ),
        pytest.param(
            {},
            {TEXT: TEXT.replace("json", "hal+json")},
            [("media-type-removed", "GET /fines: media type application/json removed")],
            [("media-type-added", "GET /fines: media type application/hal+json added")],
            id="a renamed media type",
        ),
        pytest.param(
            {},
            {TEXT: TEXT.replace("json", "hal+json").replace("Fine", "Late")},
            [("media-type-removed", "GET /fines: media type application/json removed"),
             ("media-type-added", "GET /fines: media type application/hal+json added")],
            [],
            id="another media type with another schema",
        ),
        pytest.param(
            {},
            {"'204'": "'201'"},
            [("response-removed", "POST /sandbox/fines: response 204 removed")],
            [("success-response-added", "POST /sandbox/fines: response 201 added")],
            id="another success status",
        ),
        pytest.param(
            {},
            {f"'204': {MADE}": f"'201': {MADE}, '202': {MADE}"},
            [("response-removed", "POST /sandbox/fines: response 204 removed"),
             ("success-response-added", "POST /sandbox/fines: response 201 added"),
             ("success-response-added", "POST /sandbox/fines: response 202 added")],
            [],
            id="two statuses that may replace the old one",
        ),
        pytest.param(
            {},
            {"schemas/Fine": "schemas/Bill",
             "    Late:\n": SUM.replace("Sum", "Bill") + "    Late:\n"},
            [("reference-switched", "GET /fines: $ref changed ('Fine' -> 'Bill'), so Bill.cents: "
              "field added, and 2 more")],
            [],
            id="a reference to a new component",
        ),
    ],
)  # fmt: skip
def test_consequences_of_an_edit_are_reported_with_it(
    before: dict[str, str],
    after: dict[str, str],
    printed: list[tuple[str, str]],
    then: list[tuple[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    folder(tmp_path, sources(before))
    assert dateline("generate").status == 0
    folder(tmp_path, sources(after))
    assert sorted(waive_all()) == sorted(printed)
    # a consequence is reported separately once the finding that included it is waived
    assert waive_all() == then
    assert dateline("check").status == 0


def waive_all() -> list[tuple[str, str]]:
    """Waive each finding; return their rules and messages."""
    changes = json.loads(dateline("check", "--format", "json").out)["changes"]
    reported = [one for one in changes if one["waived"] is None]
    for one in reported:
        pointer = one["before_pointer"] or one["after_pointer"]
        given = ("--reason", "Agreed.", "--expires", "2999-01-01", "--version", "2024-01-15")
        assert dateline("waive", one["rule"], pointer, *given).status == 0
    return [(one["rule"], one["message"]) for one in reported]
