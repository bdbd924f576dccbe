"""A small API that sends events, with every kind of gate in their bodies."""

from __future__ import annotations

import json
from typing import Any, Final

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


_PARTS: Final = 6
"""Over how many schemas what versions bring is spread."""


def list_sources(versions: int) -> dict[str, str]:
    """Return the files of an API with so many versions, each of which adds to every event."""
    dates = [f"{2000 + at}-01-01" for at in range(versions)]
    kinds: list[Any] = [{"$ref": "#/components/schemas/M0"}]
    states: list[Any] = [{"const": "s0"}]
    parts: list[dict[str, Any]] = [
        {"id": {"type": "string"}, "state": _refer("State")} for _ in range(_PARTS)
    ]
    schemas: dict[str, Any] = {"M0": _member("M0", {})}
    webhooks = {}
    for at, date in enumerate(dates):
        part = _refer(f"Part{at % _PARTS}")
        payload = {"part": part, "parts": {"type": "array", "items": part}}
        webhook = {"requestBody": _body(payload), "responses": {"204": {"description": "received"}}}
        webhooks[f"event{at}.sent"] = {
            "post": {**webhook, "x-added": date} if at % 5 == 1 else webhook
        }
        if at == 0:
            continue
        fields = parts[at % _PARTS]
        fields[f"added{at}"] = {"type": "integer", "x-added": date}
        fields[f"new{at}"] = {"type": "string", "x-was": {date: {"name": f"old{at}"}}}
        states.append({"const": f"s{at}", "x-added": date, "x-shown-as": f"s{at - 1}"})
        kinds.append({**_refer(f"M{at}"), "x-added": date})
        schemas[f"M{at}"] = _member(f"M{at}", {"part": part} if at % 8 == 0 else {})
    for at, fields in enumerate(parts):
        fields["items"] = {"type": "array", "items": _refer("Kind")}
        required = ["id", "state"]
        schemas[f"Part{at}"] = {"type": "object", "required": required, "properties": fields}
    schemas |= {
        "State": {"type": "string", "oneOf": states},
        "Kind": {"oneOf": kinds, "discriminator": {"propertyName": "kind"}},
    }
    rows = [{"date": date, "title": f"What came at {date}"} for date in dates]
    servers = {"servers": [{"url": "https://api.many.example"}]}
    table = {
        **{"header": "X-API-Version", "default": dates[0], "versions": rows},
        **{"environments": {"production": servers}, "policy": "dated-contract"},
        "python": {"package": "many"},
    }
    document = {
        **{"openapi": "3.1.0", "info": {"title": "Many", "version": "canonical"}, "paths": {}},
        **{"webhooks": webhooks, "components": {"schemas": schemas}},
    }
    return {"versions.yaml": json.dumps(table), "api.yaml": json.dumps(document)}


def _refer(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _body(fields: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "required": ["part"], "properties": fields}
    return {"content": {"application/json": {"schema": schema}}}


def _member(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    properties = {"kind": {"type": "string", "const": name}, **fields}
    return {"type": "object", "required": ["kind"], "properties": properties}
