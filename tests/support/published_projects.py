"""A project of sources and published documents, and its findings after edits."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Final, NamedTuple

import pytest
import yaml

from dateline.check import check, read_waivers
from dateline.check.baseline import read_tree
from dateline.files import write
from dateline.load import load
from dateline.model import Artifact, Finding
from dateline.render import render
from support.sources import API, folder

TODAY: Final = date(2026, 1, 1)


VERSIONS: Final = """\
default: 2024-01-15
versions:
  - { date: 2024-01-15, title: Initial version }
  - { date: 2024-09-01, title: Audio books }
  - { date: next, title: What comes next, draft: true }
environments:
  production: { servers: [{ url: https://api.library.example }] }
  sandbox: { servers: [{ url: https://sandbox.library.example }] }
"""


LOANS: Final = """\
paths:
  /loans:
    get:
      operationId: listLoans
      tags: [Loans]
      parameters:
        - { name: state, in: query, schema: { $ref: '#/components/schemas/State' } }
        - { name: size, in: query, schema: { type: integer, maximum: 100, default: 10 } }
      responses:
        '200':
          description: loans
          content:
            application/json:
              schema: { type: array, items: { $ref: '#/components/schemas/Loan' } }
    post:
      operationId: makeLoan
      tags: [Loans]
      requestBody:
        content: { application/json: { schema: { $ref: '#/components/schemas/LoanParams' } } }
      responses:
        '201':
          description: loan
          content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
components:
  schemas:
    Loan:
      type: object
      required: [id, item, state]
      properties:
        id: { type: string, format: uuid }
        item: { $ref: '#/components/schemas/Item' }
        state: { $ref: '#/components/schemas/State' }
        channel: { type: string, x-extensible-enum: [desk, app] }
        fine_cents: { type: integer }
    LoanParams:
      type: object
      required: [book]
      properties:
        book: { type: string, maxLength: 20 }
        note: { type: string }
    State: { type: string, enum: [active, returned] }
    Item:
      oneOf:
        - $ref: '#/components/schemas/Book'
        - $ref: '#/components/schemas/AudioBook'
          x-added: 2024-09-01
          x-shown-as: { kind: Book, title: audio book }
      discriminator:
        propertyName: kind
        mapping: { Book: '#/components/schemas/Book', AudioBook: '#/components/schemas/AudioBook' }
    Book:
      type: object
      required: [kind, title]
      properties: { kind: { type: string, const: Book }, title: { type: string } }
    AudioBook:
      type: object
      required: [kind, minutes]
      properties: { kind: { type: string, const: AudioBook }, minutes: { type: integer } }
    Film:
      type: object
      required: [kind]
      properties: { kind: { type: string, const: Film } }
"""


SOURCES: Final = {"versions.yaml": VERSIONS, "api.yaml": API, "loans.yaml": LOANS}


_PUBLISHED: Final[dict[frozenset[tuple[str, bytes]], list[Artifact]]] = {}
"""What is published of sources that were published before."""


class Project(NamedTuple):
    """A project whose versions are cut: its sources, and its published documents."""

    schemas: Path
    output: Path

    def edit(self, *edits: tuple[str, str]) -> None:
        """Replace texts in the sources, each of which occurs in one file."""
        for old, new in edits:
            held = [path for path in self.schemas.iterdir() if old in path.read_text()]
            assert len(held) == 1, old
            held[0].write_text(held[0].read_text().replace(old, new, 1))

    def publish(self) -> None:
        sources = frozenset((path.name, path.read_bytes()) for path in self.schemas.iterdir())
        if sources not in _PUBLISHED:
            rendered = render(load(self.schemas), models=False, validate=False)
            # a draft is no contract: callers don't have it
            published = [made for made in rendered.artifacts if "next" not in made.path]
            _PUBLISHED[sources] = published
        write(_PUBLISHED[sources], self.output)

    def findings(self, today: date = TODAY) -> list[Finding]:
        waivers = read_waivers(self.schemas)
        return check(load(self.schemas), read_tree(self.output), waivers=waivers, today=today)

    def said(self, today: date = TODAY) -> list[str]:
        """Return a line for each finding: place, verdict, rule, message, versions."""
        return [line(finding) for finding in self.findings(today)]


def line(finding: Finding) -> str:
    concerned = ", ".join(finding.versions)
    return (
        f"{finding.after_source}: {finding.verdict} [{finding.rule}] {finding.message}"
        f"{' in ' + concerned if concerned else ''}"
    )


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(folder(tmp_path, SOURCES), tmp_path / "generated")
    made.publish()
    return made


MISTAKES: Final = {
    entry["mistake"]: ([(old, new) for old, new in entry["edits"]], entry["said"])
    for entry in yaml.load(
        (Path(__file__).parents[1] / "check" / "mistakes.yaml").read_text(), yaml.CSafeLoader
    )
}
"""What an author edits, and what is said of it: place, verdict, rule, fact and versions."""
