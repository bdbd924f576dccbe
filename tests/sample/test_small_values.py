"""Small values are validated without schemas for names that they lack, with the same result."""

from __future__ import annotations

from itertools import product
from typing import Any

import jsonschema_rs
from support.tables import cases

from dateline.sample import Sampler

PET: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 2},
        "old/er": {"$ref": "#/components/schemas/Pet"},
        "owner": {"$ref": "#/components/schemas/Owner"},
    },
}
OWNER: dict[str, Any] = {
    "properties": {
        "name": {"type": "integer"},
        "pets": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}},
    },
    "$defs": {
        "short": {"maxLength": 3},
        "name": {"$ref": "#/components/schemas/Owner/$defs/short"},
    },
}
REFERS = {"$ref": "#/components/schemas/Pet"}

SCHEMAS: dict[str, Any] = {
    "reference": REFERS,
    "with siblings": {**REFERS, "required": ["name"], "properties": {"name": {"const": "Rex"}}},
    "closed": {**PET, "additionalProperties": False},
    "other fields": {**PET, "additionalProperties": REFERS},
    "patterns": {**PET, "patternProperties": {"^n": {"maxLength": 3}}},
    "names": {**PET, "propertyNames": {"maxLength": 5}},
    "unevaluated": {**REFERS, "unevaluatedProperties": False},
    "unevaluated in branches": {
        "anyOf": [REFERS, {"$ref": "#/components/schemas/Owner"}],
        "unevaluatedProperties": {"type": "integer"},
    },
    "together": {"allOf": [REFERS, {"$ref": "#/components/schemas/Owner"}]},
    "one of both": {"oneOf": [REFERS, {"$ref": "#/components/schemas/Owner"}]},
    "negation": {"not": {**REFERS, "required": ["name"]}},
    "condition": {
        "if": {"required": ["name"]},
        "then": {"$ref": "#/components/schemas/Owner"},
        "else": REFERS,
    },
    "dependent": {
        **REFERS,
        "dependentRequired": {"name": ["owner"]},
        "dependentSchemas": {"owner": {"properties": {"name": {"maxLength": 3}}}},
    },
    "numbers of fields": {**REFERS, "minProperties": 1, "maxProperties": 1},
    "items": {"type": "array", "prefixItems": [REFERS], "items": {**REFERS, "maxProperties": 1}},
    "contains": {"contains": {**REFERS, "required": ["owner"]}, "minContains": 2},
    "escaped pointer": {"$ref": "#/components/schemas/Pet/properties/old~1er"},
    "encoded pointer": {"$ref": "#/components/schemas/Pet/properties/old~1%65r"},
    "place in a path": {"$ref": "#/paths/~1pets/get/responses/200/content/a~1b/schema"},
    "definition": {"properties": {"name": {"$ref": "#/components/schemas/Owner/$defs/name"}}},
    "names of keywords": {"properties": {"$defs": REFERS, "properties": REFERS}},
    "nowhere": {"properties": {"name": {"$ref": "#/components/schemas/None"}}},
    "data": {"enum": [{"$ref": "#/components/schemas/Pet"}, {"name": "Rex"}]},
    "everything": True,
    "nothing": {"allOf": [REFERS, False]},
}
ONES: list[Any] = [
    *({}, {"name": "Rex"}, {"name": "Rexar"}, {"name": "R"}, {"name": 1}, {"other": 1}),
    *({"other": {"name": "R"}}, {"old/er": {"name": "R"}}, {"old/er": {"old/er": {}}}),
    *({"$defs": {"name": "R"}}, {"properties": {"name": "R"}}, {"$defs": {"name": "Rex"}}),
    {"$ref": "#/components/schemas/Pet"},
]
OWNED = [{"owner": {"name": 1, "pets": [one]}} for one in ONES]
VALUES: list[Any] = [
    *ONES,
    *OWNED,
    *({**one, **other} for one, other in product(ONES[:4], OWNED[:4])),
    *([one, other] for one, other in product(ONES[:6], OWNED[:6])),
    # many names, none of which matters
    {**{f"x{number}": {} for number in range(60)}, "name": "R"},
    "text",
]
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": {
        "/pets": {
            "get": {
                "responses": {
                    "200": {
                        "description": "",
                        "content": {"a/b": {"schema": {**PET, "items": REFERS}}},
                    }
                }
            }
        }
    },
    "components": {"schemas": {"Pet": PET, "Owner": OWNER}},
}


def judge(schema: Any) -> Any:
    """Return a function that validates values of *schema* with the complete document."""
    whole = {**DOCUMENT, "components": {"schemas": {**DOCUMENT["components"]["schemas"]}}}
    whole["components"]["schemas"].setdefault("None", {"not": {}})
    registry = jsonschema_rs.Registry([("urn:all", {**whole, "schema": schema})])
    return jsonschema_rs.Draft202012Validator({"$ref": "urn:all#/schema"}, registry=registry)


@cases("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_small_values_are_valid_for_the_same_schemas_as_with_the_complete_document(
    schema: Any,
) -> None:
    sampler, whole = Sampler(DOCUMENT), judge(schema)
    fitting = [sampler.fits(schema, value) for value in VALUES]
    assert fitting == [whole.is_valid(value) for value in VALUES]
    assert [sampler.find_defect(schema, value) is None for value in VALUES] == fitting


def test_some_schemas_distinguish_values() -> None:
    found = [[judge(schema).is_valid(value) for value in VALUES] for schema in SCHEMAS.values()]
    assert sum(len({*verdicts}) > 1 for verdicts in found) >= len(SCHEMAS) - 2
