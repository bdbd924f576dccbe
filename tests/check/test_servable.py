"""Which gated members and request fields the server can't do without help."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.sources import API, VERSIONS, loaded

from dateline.check.servable import check_servable

PATHS = """\
paths:
  /loans:
    get:
      operationId: listLoans
      tags: [Loans]
      responses:
        '200':
          description: loans
          content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
components:
  schemas:
"""
STATE = """\
    State:
      type: string
      oneOf: [{ const: active }, { const: paused, x-added: 2024-09-01 }]
"""
REFERENCE = "{ $ref: '#/components/schemas/State' }"
EXPECTED = ["State: paused is absent in 2024-01-15, and Loan.state is required and single-valued"]


def servable(root: Path, schemas: str) -> list[str]:
    """Return what the server can't do with *schemas*, which a response refers to as `Loan`."""
    adopted = f"{VERSIONS}lint: adopted\n"
    sources = {"versions.yaml": adopted, "api.yaml": API, "loans.yaml": PATHS + schemas}
    return [finding.message for finding in check_servable(loaded(root, sources))]


@pytest.mark.parametrize(
    ("keywords", "expected"),
    [
        (f"required: [state], properties: {{ state: {REFERENCE} }}", EXPECTED),
        (f"required: [other], properties: {{ state: {REFERENCE} }}", []),
        (f"required: [state], properties: {{ state: {{ type: array, items: {REFERENCE} }} }}", []),
        (f"required: [state], patternProperties: {{ state: {REFERENCE} }}", []),
        # patterns that are spelled as a keyword
        (f"required: [schema], patternProperties: {{ schema: {REFERENCE} }}", []),
        (f"required: [allOf], patternProperties: {{ allOf: {REFERENCE} }}", []),
    ],
)
def test_a_member_needs_a_substitute_where_its_value_can_not_be_left_out(
    tmp_path: Path, keywords: str, expected: list[str]
) -> None:
    loan = f"    Loan: {{ type: object, {keywords} }}\n"
    assert servable(tmp_path, loan + STATE) == expected
