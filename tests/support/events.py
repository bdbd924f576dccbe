"""A small API that sends events: gates of every kind in what its subscribers receive."""

from __future__ import annotations

from typing import Final

from support.sources import API, LOANS, VERSIONS

WEBHOOKS: Final = """\
webhooks:
  loan.started:
    post:
      requestBody:
        content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
      responses: { '204': { description: received } }
  loan.paused:
    x-added: 2025-06-01
    post:
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [loan, until]
              properties:
                loan: { $ref: '#/components/schemas/Loan' }
                until: { type: string, format: date, x-was: { next: { name: end } } }
                by: { type: string, x-added: next }
                test: { type: boolean, x-environments: [sandbox] }
      responses: { '204': { description: received } }
"""

EVENTS: Final = {
    "versions.yaml": VERSIONS,
    "api.yaml": API,
    "loans.yaml": LOANS,
    "events.yaml": WEBHOOKS,
}
