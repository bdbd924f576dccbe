"""An API of three versions whose names change, and programs that use its generated package."""

from __future__ import annotations

import contextlib
import gc
import json
import tempfile
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from support.commands import Outcome, dateline
from support.forks import run_beforehand, run_forked

VERSIONS: Final = ("2025-01-01", "2025-06-01", "2026-01-01")

SOURCES: Final = {
    "versions.yaml": """\
header: X-API-Version
default: 2025-01-01
versions:
  - { date: 2025-01-01, title: First }
  - { date: 2025-06-01, title: Words of librarians }
  - { date: 2026-01-01, title: Whole names }
environments:
  production: { servers: [{ url: https://api.library.example }] }
python: { package: library }
""",
    "api.yaml": """\
openapi: 3.1.0
info: { title: Library, version: canonical }
paths:
  /loans:
    get:
      operationId: listLoans
      parameters:
        - name: state
          in: query
          schema: { $ref: '#/components/schemas/LoanState' }
          x-was: { 2025-06-01: { name: status } }
      responses:
        '200':
          description: loans
          content: { application/json: { schema: { $ref: '#/components/schemas/LoanPage' } } }
    post:
      operationId: createLoan
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/NewLoan' } } }
      responses:
        '201':
          description: a loan
          content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
  /loans/{id}:
    get:
      operationId: getLoan
      x-was: { 2026-01-01: { operationId: fetchLoan } }
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses:
        '200':
          description: a loan
          content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
  /books:
    get:
      operationId: listBooks
      x-was: { 2026-01-01: { operationId: listTomes } }
      parameters:
        - { name: cursor, in: query, schema: { type: string } }
        - name: shelf
          in: query
          schema: { type: string }
          x-was: { 2025-06-01: { name: rack } }
      responses:
        '200':
          description: books
          content:
            application/json:
              schema:
                type: object
                required: [items]
                properties:
                  items: { type: array, items: { type: string } }
                  next_cursor: { type: string }
            text/event-stream: {}
  /fees:
    get:
      operationId: getFees
      responses:
        '200':
          description: fees
          content:
            application/json:
              schema:
                type: object
                required: [total, level, entries]
                properties:
                  total: { type: integer, x-was: { 2025-06-01: { name: sum } } }
                  level:
                    type: string
                    enum: [low, high]
                    x-was: { 2026-01-01: { name: grade } }
                  entries:
                    type: array
                    minItems: 1
                    items:
                      type: object
                      required: [cents]
                      properties:
                        cents: { type: integer, x-was: { 2026-01-01: { name: amount } } }
                        note: { type: string, x-removed: 2026-01-01, x-why: Nobody read it. }
    post:
      operationId: payFees
      requestBody: { $ref: '#/components/requestBodies/Rest' }
      responses:
        '200':
          description: what is left to pay
          content:
            application/json:
              schema:
                $ref: '#/components/schemas/Rest'
                x-was: { 2026-01-01: { $ref: '#/components/schemas/Remainder' } }
components:
  requestBodies:
    # called like a schema that is something else
    Rest:
      required: true
      content:
        application/json:
          schema:
            type: object
            required: [cents]
            properties:
              cents: { type: integer, x-was: { 2025-06-01: { name: amount } } }
              payer:
                type: object
                required: [full_name]
                properties: { full_name: { type: string, x-was: { 2026-01-01: { name: name } } } }
  schemas:
    Rest:
      type: object
      x-added: 2026-01-01
      required: [amount, kind]
      properties:
        amount: { type: integer, minimum: 7, maximum: 7 }
        kind: { type: string, enum: [cash, card] }
    Remainder:
      type: object
      x-removed: 2026-01-01
      required: [amount, kind]
      properties:
        amount: { type: integer, minimum: 7, maximum: 7 }
        kind: { type: string, enum: [cash, card] }
    LoanPage:
      type: object
      required: [items]
      properties: { items: { type: array, items: { $ref: '#/components/schemas/Loan' } } }
    Loan:
      type: object
      required: [id, borrower, state, owner]
      properties:
        id: { type: string }
        borrower:
          type: string
          x-was: { 2025-06-01: { name: reader } }
          x-why: The word that librarians use.
        fine_cents: { type: integer, x-removed: 2026-01-01, x-why: Fines are gone. }
        kind: { $ref: '#/components/schemas/Kind' }
        owner: { $ref: '#/components/schemas/Person' }
        state: { $ref: '#/components/schemas/LoanState' }
    Person:
      type: object
      required: [full_name]
      properties: { full_name: { type: string, x-was: { 2026-01-01: { name: name } } } }
    LoanState:
      type: string
      enum: [active, returned]
    Kind:
      type: string
      oneOf:
        - const: book
        - const: tape
          x-removed: 2026-01-01
          x-why: Tapes are sold.
    NewLoan:
      type: object
      required: [borrower]
      properties:
        borrower: { type: string, x-was: { 2025-06-01: { name: reader } } }
        branch: { type: string }
""",
}

PROGRAMS: Final = {
    "annotated": """\
from library.v2025_01_01 import AsyncClient, Loan


def name(loan: Loan) -> tuple[str, str]:
    # the reader of a loan
    return loan.reader, loan.owner.name


async def main(client: AsyncClient) -> list[object]:
    return [name(await client.fetch_loan("7"))]
""",
    "inferred": """\
import library.v2025_01_01 as api


async def main(client: api.AsyncClient) -> list[object]:
    page = await client.list_loans(status=api.LoanState.ACTIVE)
    return [(each.reader, each.owner.name) for each in page.items]
""",
    "constructed": """\
from library import v2025_01_01
from library.v2025_01_01 import NewLoan as Wanted


async def main(client: v2025_01_01.AsyncClient) -> list[object]:
    made = await client.create_loan(body=Wanted(reader="Ann"))
    other = await client.create_loan(body=Wanted.model_validate({'reader': "Bob"}))
    return [made.reader, other.reader]
""",
    "qualified": """\
import library.v2025_01_01


class Reader:
    reader = "of something else"


async def main(client: library.v2025_01_01.AsyncClient) -> list[object]:
    loan = await client.fetch_loan("8")
    match loan:
        case library.v2025_01_01.Loan(reader=who):
            return [who, Reader().reader]
    return []
""",
    "inline": """\
from library.v2025_01_01 import AsyncClient, GetFeesResponse, GetFeesResponseGrade, RestBody
from library.v2025_01_01 import RestBodyPayer


def add(fees: GetFeesResponse) -> int:
    return fees.sum + sum(entry.amount for entry in fees.entries)


async def main(client: AsyncClient) -> list[object]:
    fees = await client.get_fees()
    low = fees.grade is GetFeesResponseGrade.LOW
    body = RestBody(amount=add(fees), payer=RestBodyPayer(name="Ann"))
    return [low, add(fees), (await client.pay_fees(body=body)).amount]
""",
    "renamed": """\
import library.v2025_01_01 as api
from library.v2025_01_01 import Remainder, RemainderKind as Kind


def show(rest: "Remainder | None") -> object:
    match rest:
        case api.Remainder(amount=amount):
            return amount, rest.kind in (Kind.CASH, api.RemainderKind.CARD)
    return None


async def main(client: api.AsyncClient) -> list[object]:
    rest: Remainder = await client.pay_fees(body=api.RestBody(amount=3))
    return [show(rest), isinstance(rest, (Remainder, str))]
""",
    "untouched": '''\
"""Uses no version: loan.reader is a word here."""


async def main(client: object) -> list[object]:
    return [client is not None]
''',
}
"""Programs for the first version: each has a coroutine `main` that calls the API."""


def migrate(
    project: Path, programs: Path, older: str, newer: str, *more: str
) -> tuple[int, str, str]:
    """Run the command in *project*; return its status and output.

    It runs in a fork of a fresh process, because jedi misses some names in a process that has run
    other tests. Importing libcst and jedi, and parsing what all programs import, takes longer than
    most migrations, so that process has done both.
    """
    with TemporaryDirectory() as scratch, contextlib.chdir(project):
        _parse_beforehand()
        arguments = ("migrate", str(programs), "--from", older, "--to", newer, *more)
        assert run_forked(partial(_write_outcome, Path(scratch), arguments)) == 0
        return Outcome(*json.loads(Path(scratch, "outcome.json").read_text("utf-8")))


@cache
def _parse_beforehand() -> None:
    with TemporaryDirectory() as programs:
        write_programs(Path(programs), PROGRAMS)
        run_beforehand(partial(_parse, programs))


def _parse(programs: str) -> None:
    """Let jedi parse the libraries, and what the project in the current folder generated."""
    from jedi.api import environment  # type: ignore[import-untyped]

    assert dateline("migrate", programs, "--from", VERSIONS[0], "--to", VERSIONS[-1]).status == 0
    # each fork has to ask an interpreter of its own
    environment._get_cached_default_environment.clear_cache()
    gc.collect()
    gc.freeze()


def _write_outcome(scratch: Path, arguments: tuple[str, ...]) -> None:
    """Write to *scratch* the result of the command, its output, and its temporary files."""
    # the process exits without removing them
    tempfile.tempdir = str(scratch)
    (scratch / "outcome.json").write_text(json.dumps(dateline(*arguments)), "utf-8")


def write_programs(root: Path, programs: dict[str, str]) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    for name, text in programs.items():
        (root / f"{name}.py").write_text(text, encoding="utf-8")
    return root


def read_programs(root: Path) -> dict[str, str]:
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(root.glob("*.py"))}
