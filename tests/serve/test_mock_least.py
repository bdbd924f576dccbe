"""If older callers can't be shown any sampled value, the mock leaves out optional parts."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.adopted_apis import store
from support.mock_answers import judge_gets

from dateline.adopt import adopt

API: dict[str, Any] = yaml.safe_load("""
openapi: 3.0.3
info: { title: Flows, version: '1' }
paths:
  /flows/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get:
      operationId: getFlow
      responses:
        '200':
          description: the flow
          content: { application/json: { schema: { $ref: '#/components/schemas/Flow' } } }
components:
  schemas:
    Flow:
      type: object
      required: [id, tags]
      properties:
        id: { type: string }
        tags: { type: array, items: { $ref: '#/components/schemas/Tracked' } }
        tracked: { $ref: '#/components/schemas/Tracked' }
    Tracked: { type: object, required: [a, b], properties: { a: { type: boolean }, b: {} } }
""")


@pytest.mark.parametrize("kept", ["tracked", "tags"])
def test_optional_part_that_fits_no_older_version_is_left_out(tmp_path: Path, kept: str) -> None:
    older, newer = deepcopy(API), deepcopy(API)
    del newer["components"]["schemas"]["Flow"]["properties"][kept]
    fields = newer["components"]["schemas"]["Flow"]
    fields["required"] = [name for name in fields["required"] if name != kept]
    older["components"]["schemas"] = deepcopy(newer["components"]["schemas"])
    # everything that the newer version allows fits both members
    members = [{"type": "object", "properties": {name: {}}} for name in ("a", "b")]
    older["components"]["schemas"]["Tracked"] = {"oneOf": members}
    adopt(store(tmp_path, [older, newer]), tmp_path / "schemas", accept=lambda _: True)
    statuses, wrong = judge_gets(tmp_path / "schemas")
    assert (statuses, wrong) == ({200: 2}, [])
