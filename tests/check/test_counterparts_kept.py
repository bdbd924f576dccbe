"""Changes of the values that older callers get are found, even if no document shows them."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from support import gated_apis
from support.commands import dateline
from support.policies import list_unwaived
from support.seeds import seeds
from support.sources import folder, loaded

from dateline.bundle import Document
from dateline.check import Published
from dateline.check.counterparts import check_counterparts, list_counterparts
from dateline.check.policy import PolicyRecord
from dateline.model import Combination
from dateline.project import Projector

Changes = tuple[tuple[str, str], ...]

TABLE: Final = """\
header: X-API-Version
default: 2024-01-15
versions:
  - { date: 2024-01-15, title: Initial version. }
  - { date: 2024-06-01, title: Other names. }
  - { date: 2024-09-01, title: Fewer fields. }
environments: { production: { servers: [{ url: https://api.library.example }] } }
python: { package: library }
"""

API: Final = """\
openapi: 3.1.0
info: { title: Library, version: canonical }
tags: [{ name: Loans }]
paths:
  /loans:
    put:
      operationId: putLoan
      tags: [Loans]
      parameters:
        - $ref: '#/components/parameters/Version'
        - { name: shelf, in: query, schema: {}, x-was: { 2024-06-01: { name: rack } } }
        - { name: room, in: query, schema: {}, x-was: { 2024-06-01: { name: hall } } }
      requestBody:
        content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
      responses:
        '200':
          description: loans
          headers:
            X-Total: { schema: { type: string }, x-was: { 2024-06-01: { name: X-Count } } }
            X-Left: { schema: { type: string }, x-was: { 2024-06-01: { name: X-Rest } } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
components:
  parameters:
    Version: { name: X-API-Version, in: header, schema: { type: string } }
  schemas:
    Loan:
      type: object
      properties:
        borrower: { type: string, x-was: { 2024-06-01: { name: reader } } }
        owner: { type: string, x-was: { 2024-06-01: { name: holder } } }
        shelf_mark: { type: string, x-removed: 2024-09-01, x-was: { 2024-06-01: { name: mark } } }
        room_mark: { type: string, x-removed: 2024-09-01, x-was: { 2024-06-01: { name: sign } } }
        stage: {
            type: string, x-was: { 2024-06-01: { name: phase } },
            oneOf: [{ const: a }, { const: b, x-removed: 2024-06-01, x-shown-as: a }] }
        here: { $ref: '#/components/schemas/Here' }
        there: { $ref: '#/components/schemas/There' }
        item: { $ref: '#/components/schemas/Item' }
        gift: { $ref: '#/components/schemas/Gift' }
    Here:
      type: string
      oneOf: [{ const: a }, { const: b }, { const: c, x-added: 2024-06-01, x-shown-as: a }]
    There:
      type: string
      oneOf: [{ const: a }, { const: b }, { const: c, x-added: 2024-06-01, x-shown-as: b }]
    Item:
      discriminator: { propertyName: kind }
      oneOf:
        - $ref: '#/components/schemas/Book'
        - { $ref: '#/components/schemas/Tape', x-added: 2024-06-01, x-shown-as: { kind: Book } }
    Gift:
      discriminator: { propertyName: kind }
      oneOf:
        - $ref: '#/components/schemas/Book'
        - $ref: '#/components/schemas/Tape'
          x-added: 2024-06-01
          x-shown-as: { kind: Book, title: a tape }
    Book:
      type: object
      required: [kind]
      properties:
        kind: { const: Book }
        title: { type: string }
        leaves:
          x-removed: 2024-09-01
          type: integer
          readOnly: true
          x-was: { 2024-06-01: { name: pages } }
        size:
          x-removed: 2024-09-01
          type: string
          readOnly: true
          oneOf: [{ const: big }, { const: huge, x-added: 2024-06-01, x-shown-as: big }]
    Tape:
      type: object
      required: [kind]
      properties:
        kind: { const: Tape }
        reel: { type: string, readOnly: true, x-was: { 2024-06-01: { name: spool } } }
        speed:
          type: string
          oneOf: [{ const: fast }, { const: slow, x-added: 2024-06-01, x-shown-as: fast }]
"""


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("published")
    folder(root, {"versions.yaml": TABLE, "api.yaml": API})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        outcome = dateline("generate")
        assert outcome.status == 0, outcome.err
        assert list_unwaived() == []
    return root


@pytest.fixture
def project(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(published, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def spell(text: str) -> str:
    """Replace the placeholders for references and a parameter in *text*."""
    shelf = "name: shelf, in: query, schema: {}, x-was: { 2024-06-01: { name: rack } }"
    text = text.replace("<shelf>", shelf)
    return re.sub("<([A-Z].*?)>", r"$ref: '#/components/schemas/\1'", text)


def edit(root: Path, changes: Changes) -> None:
    path = root / "schemas" / "api.yaml"
    text = path.read_text("utf-8")
    for old, new in changes:
        assert spell(old) in text
        text = text.replace(spell(old), spell(new))
    path.write_text(text, "utf-8")


def swap(first: str, second: str) -> Changes:
    return ((first, "%"), (second, first), ("%", second))


NAME: Final = "has another name in an older version"
SHOWN: Final = "is shown to older callers as another value"
RENAMED: Final = "older-name-changed"
REPLACED: Final = "shown-as-changed"

# Edits that no document shows
INVISIBLE: Final = {
    "names of fields": (
        swap("name: reader", "name: holder"),
        [
            (RENAMED, f"Loan.borrower {NAME} ('reader' -> 'holder')"),
            (RENAMED, f"Loan.owner {NAME} ('holder' -> 'reader')"),
        ],
    ),
    "names of removed fields": (
        swap("name: mark", "name: sign"),
        [
            (RENAMED, f"Loan.room_mark {NAME} ('sign' -> 'mark')"),
            (RENAMED, f"Loan.shelf_mark {NAME} ('mark' -> 'sign')"),
        ],
    ),
    "names of parameters": (
        swap("name: rack", "name: hall"),
        [
            (RENAMED, f"room {NAME} ('hall' -> 'rack')"),
            (RENAMED, f"shelf {NAME} ('rack' -> 'hall')"),
        ],
    ),
    "names of headers": (
        swap("name: X-Count", "name: X-Rest"),
        [
            (RENAMED, f"X-Left {NAME} ('X-Rest' -> 'X-Count')"),
            (RENAMED, f"X-Total {NAME} ('X-Count' -> 'X-Rest')"),
        ],
    ),
    "another field in place of a renamed one": (
        (
            (
                "borrower: { type: string, x-was: { 2024-06-01: { name: reader } } }",
                "borrower: { type: string, x-added: 2024-06-01 }\n"
                "        reader: { type: string, x-removed: 2024-06-01 }",
            ),
        ),
        [(RENAMED, f"Loan.borrower {NAME} ('reader' -> no other name)")],
    ),
    "references to enums": (
        swap("schemas/Here'", "schemas/There'"),
        [(REPLACED, f"c {SHOWN} ('a' -> 'b')"), (REPLACED, f"c {SHOWN} ('b' -> 'a')")],
    ),
    "a reference to an enum": (
        (("there: { <There> }", "there: { <Here> }"),),
        [(REPLACED, f"c {SHOWN} ('b' -> 'a')")],
    ),
    "a reference to a union": (
        (("gift: { <Gift> }", "gift: { <Item> }"),),
        [(REPLACED, f'Tape {SHOWN} ({{"kind": "Book", "title": "a tape"}} -> {{"kind": "Book"}})')],
    ),
    "an enum written in place of a reference": (
        (
            (
                "there: { <There> }",
                "there: { type: string, oneOf: [{ const: a }, { const: b }, "
                "{ const: c, x-added: 2024-06-01, x-shown-as: a }] }",
            ),
        ),
        [(REPLACED, f"c {SHOWN} ('b' -> 'a')")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", INVISIBLE)
def test_edit_that_no_document_shows_is_found(project: Path, case: str) -> None:
    changes, said = INVISIBLE[case]
    edit(project, changes)
    found = [(rule, message) for rule, _, message in list_unwaived()]
    assert sorted(one for one in found if one[0] in (RENAMED, REPLACED)) == sorted(said)
    assert {rule for rule, _ in found} <= {RENAMED, REPLACED, "component-removed"}


BORROWER: Final = "        borrower: { type: string, x-was: { 2024-06-01: { name: reader } } }\n"

# Rewritings with the same meaning
REWRITTEN: Final = {
    "a field by reference": (
        (
            "borrower: { type: string, x-was",
            "borrower: { $ref: '#/components/schemas/Person', x-was",
        ),
        ("    Book:\n", "    Person: { type: string }\n    Book:\n"),
    ),
    "all fields in a part": (
        (
            "    Loan:\n      type: object\n      properties:\n",
            "    Loan:\n      allOf:\n      - type: object\n        properties:\n",
        ),
        *(
            (f"        {name}: {{", f"          {name}: {{")
            for name in ("borrower", "owner", "shelf_mark", "room_mark")
        ),
        *(
            (f"        {name}: {{", f"          {name}: {{")
            for name in ("stage", "here", "there", "item", "gift")
        ),
    ),
    "fields in another order": (
        ("    Here:\n", f"{BORROWER}    Here:\n"),
        (f"{BORROWER}        owner", "        owner"),
    ),
    "an enum through another part": (
        ("there: { <There> }", "there: { allOf: [{ <There> }] }"),
    ),
    "enums where they are used": (
        (
            "there: { <There> }",
            "there: { type: string, oneOf: [{ const: a }, { const: b }, "
            "{ const: c, x-added: 2024-06-01, x-shown-as: b }] }",
        ),
        (
            "here: { <Here> }",
            "here: { type: string, oneOf: [{ const: a }, { const: b }, "
            "{ const: c, x-added: 2024-06-01, x-shown-as: a }] }",
        ),
        ("    Here:\n", "    Here:\n      x-added: 2024-01-15\n"),
        ("    There:\n", "    There:\n      x-added: 2024-01-15\n"),
    ),
    "values in another order": (("[{ const: a }, { const: b },", "[{ const: b }, { const: a },"),),
    "a value for each date": (
        ("x-shown-as: { kind: Book }", "x-shown-as: { 2024-06-01: { kind: Book } }"),
    ),
    "parameters of the path": (
        ("        - { <shelf> }\n", ""),
        (
            "    put:\n",
            "    parameters: [{ <shelf> }]\n    put:\n",
        ),
    ),
    "a parameter by reference": (
        (
            "        - { <shelf> }\n",
            "        - $ref: '#/components/parameters/Shelf'\n",
        ),
        (
            "  parameters:\n    Version:",
            "  parameters:\n    Shelf: { <shelf> }\n"
            "    Version:",
        ),
    ),
    "a description": (("    Loan:\n", "    Loan:\n      description: A loan.\n"),),
    "a new field": (
        ("        here:", "        note: { type: string, readOnly: true }\n        here:"),
    ),
    "gates older than what contains them": (
        (", x-was: { 2024-06-01: { name: spool } }", ""),
        (", x-added: 2024-06-01, x-shown-as: fast }", " }"),
    ),
    "fields brought back": (("          x-removed: 2024-09-01\n", ""),),
}  # fmt: skip


# Rewritings of different parts are made together.
TOGETHER: Final = (
    (
        "a field by reference",
        "an enum through another part",
        "a value for each date",
        "parameters of the path",
        "a description",
        "a new field",
    ),
    ("all fields in a part", "gates older than what contains them", "fields brought back"),
    (
        "fields in another order",
        "enums where they are used",
        "values in another order",
        "a parameter by reference",
    ),
)


def test_every_rewriting_is_made() -> None:
    assert sorted(REWRITTEN) == sorted(name for names in TOGETHER for name in names)


@pytest.mark.parametrize("names", TOGETHER, ids=lambda names: names[0])
def test_rewriting_with_the_same_meaning_has_no_finding(
    project: Path, names: tuple[str, ...]
) -> None:
    for name in names:
        edit(project, REWRITTEN[name])
    assert list_unwaived() == []
    outcome = dateline("generate")
    assert outcome.status == 0, outcome.err
    assert list_unwaived() == []


@pytest.mark.parametrize("seed", seeds(6))
def test_each_counterpart_is_compared_wherever_it_is(seed: int, tmp_path: Path) -> None:
    api = loaded(tmp_path, gated_apis.sources(seed))
    projector = Projector(api)
    documents = {
        Combination(version.date, environment.name): Document(
            name="published.json",
            data=json.dumps(projector.contract(version.date, environment.name).document).encode(),
        )
        for version in api.table.supported
        for environment in api.table.environments
    }
    rows = json.loads(json.dumps(list_counterparts(api)))

    def count_findings(known: dict[str, Any]) -> int:
        record = PolicyRecord.of(api.table, (), known)
        published = Published(label="published", documents=documents, policy=record)
        return len(list(check_counterparts(api, published, projector)))

    assert count_findings(rows) == 0
    assert rows
    for name, found in rows.items():
        for pointer in found:
            left = {at: row for at, row in found.items() if at != pointer}
            assert count_findings({**rows, name: left}), pointer


def test_changed_counterpart_before_a_retired_version_is_found(tmp_path: Path) -> None:
    published = loaded(tmp_path / "published", {"versions.yaml": TABLE, "api.yaml": API})
    rows = json.loads(json.dumps(list_counterparts(published)))
    text = API
    for old, new in swap("name: mark", "name: sign"):
        text = text.replace(old, new)
    api = loaded(tmp_path / "now", {"versions.yaml": TABLE, "api.yaml": text})
    shown = Combination("2024-06-01", "production")
    content = Projector(published).contract(*shown).document
    document = Document(name="published.json", data=json.dumps(content).encode())
    # a version between the last one with both fields and the first one without them
    versions = (*published.table.dates, "2024-07-01")

    def list_found(known: dict[str, Any]) -> list[str]:
        record = replace(PolicyRecord.of(api.table, (), known), versions=versions)
        before = Published(label="published", documents={shown: document}, policy=record)
        return sorted(each.message for each in check_counterparts(api, before, Projector(api)))

    assert list_found(rows) == [
        f"Loan.room_mark {NAME} ('sign' -> 'mark')",
        f"Loan.shelf_mark {NAME} ('mark' -> 'sign')",
    ]
    # the counterpart in that version
    assert list_found({}) == []


OPERATION: Final = """\
openapi: 3.1.0
info: { title: Library, version: canonical }
tags: [{ name: Loans }]
paths:
  /loans:
    put:
      operationId: putLoan
      tags: [Loans]
      parameters: [{ $ref: '#/components/parameters/Version' }]
      requestBody: { content: { application/json: { schema: <loan> } } }
      responses: { '204': { description: nothing } }
components:
  parameters:
    Version: { name: X-API-Version, in: header, schema: { type: string } }
"""


def test_changed_counterpart_is_found_in_definitions_without_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loan = "{ type: object, properties: { %s: { type: string%s } } }"
    before = loan % ("borrower", ", x-was: { 2024-06-01: { name: reader } }")
    versions = TABLE.replace("  - { date: 2024-09-01, title: Fewer fields. }\n", "")
    folder(tmp_path, {"versions.yaml": versions, "api.yaml": OPERATION.replace("<loan>", before)})
    monkeypatch.chdir(tmp_path)
    assert dateline("generate").status == 0
    body = "requestBody: { content: { application/json: { schema: <loan> } } }"
    history = f"      x-was: {{ 2024-06-01: {{ {body} }} }}\ncomponents:\n"
    after = (
        OPERATION.replace("<loan>", loan % ("borrower", ""))
        .replace("components:\n", history)
        .replace("<loan>", loan % ("reader", ""))
    )
    (tmp_path / "schemas" / "api.yaml").write_text(after, "utf-8")
    found = [(rule, message) for rule, _, message in list_unwaived()]
    assert found == [(RENAMED, f"borrower {NAME} ('reader' -> no other name)")]
