"""An API of three versions whose names change, and programs that use its generated package."""

from __future__ import annotations

from typing import Final

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
components:
  schemas:
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
    "untouched": '''\
"""Uses no version: loan.reader is a word here."""


async def main(client: object) -> list[object]:
    return [client is not None]
''',
}
"""Programs for the first version: each has a coroutine `main` that calls the API."""
