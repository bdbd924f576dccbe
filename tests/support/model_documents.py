"""Documents with every schema keyword, and a comparison of models with their document."""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter, ValidationError

from support.modelling import document
from support.sampling import Judge, Sampler

_REF = "#/components/schemas/"


def ref(name: str) -> dict[str, Any]:
    return {"$ref": _REF + name}


SCALARS = document(
    {
        "Scalars": {
            "type": "object",
            "required": ["id", "count", "ratio", "flag", "name"],
            "properties": {
                "id": {"type": "string", "format": "uuid"},
                "at": {"type": "string", "format": "date-time"},
                "on": {"type": "string", "format": "date"},
                "count": {"type": "integer", "minimum": 1, "exclusiveMaximum": 9},
                "ratio": {"type": "number", "minimum": -1.5, "maximum": 7.25},
                "above": {"type": "number", "exclusiveMinimum": 0},
                "half": {"type": "integer", "minimum": 0.5, "maximum": 3.5},
                "step": {"type": "number", "multipleOf": 0.1},
                "dozen": {"type": "integer", "multipleOf": 12},
                "flag": {"type": "boolean"},
                "name": {"type": "string", "minLength": 1, "maxLength": 5},
                "code": {"type": "string", "pattern": "[A-Z]{2}\\d", "examples": ["AB1", "xAB1x"]},
                "exact": {"type": "string", "pattern": "^a.c$", "examples": ["abc", "a\nc"]},
                "other": {"type": "string", "pattern": "^(?!no).+$", "examples": ["yes", "no"]},
                "short": {"type": "string", "format": "date", "maxLength": 9},
                "nothing": {"type": "null"},
                "anything": {},
                "maybe": {"type": ["string", "null"]},
                "either": {"type": ["string", "integer", "null"]},
                "mail": {"type": "string", "format": "email"},
            },
        },
        "Text": {"type": "string", "maxLength": 3},
        "Amount": {"type": "number"},
        "Many": {"type": "array", "items": {"type": "integer"}},
        "Anything": {},
        "Free": {"type": "object"},
    }
)


LISTS = document(
    {
        "Lists": {
            "type": "object",
            "properties": {
                "tags": {"type": "array", "items": {"type": "string", "maxLength": 3}},
                "few": {
                    "type": "array",
                    "items": {"type": "boolean"},
                    "minItems": 1,
                    "maxItems": 2,
                },
                "unique": {"type": "array", "items": {"type": "number"}, "uniqueItems": True},
                "distinct": {
                    "type": "array",
                    "uniqueItems": True,
                    "items": {"type": "object", "properties": {"a": {"type": "number"}}},
                },
                "times": {
                    "type": "array",
                    "uniqueItems": True,
                    "items": {"type": "string", "format": "date-time"},
                },
                "nested": {
                    "type": "array",
                    "items": {"type": "array", "items": {"type": ["integer", "null"]}},
                },
                "pair": {
                    "type": "array",
                    "prefixItems": [{"type": "string"}, {"type": "integer"}],
                    "items": False,
                    "minItems": 2,
                },
                "empty": {"type": "array", "maxItems": 0},
            },
        },
        "Maps": {
            "type": "object",
            "properties": {
                "prices": {"type": "object", "additionalProperties": {"type": "number"}},
                "named": {
                    "type": "object",
                    "propertyNames": {"pattern": "^[a-z]+$"},
                    "additionalProperties": {"type": "integer"},
                },
                "sized": {"type": "object", "minProperties": 1, "maxProperties": 1},
                "patterned": {
                    "type": "object",
                    "patternProperties": {"^x-": {"type": "integer"}},
                    "additionalProperties": False,
                },
            },
        },
    }
)


OBJECTS = document(
    {
        "Closed": {
            "type": "object",
            "properties": {"a": {"type": "string"}},
            "additionalProperties": False,
        },
        "Nothing": {"type": "object", "additionalProperties": False},
        "Typed": {
            "type": "object",
            "properties": {"a": {"type": "string"}},
            "additionalProperties": {"type": "integer"},
        },
        "Counted": {
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "minProperties": 1,
            "maxProperties": 2,
        },
        "Dependent": {
            "type": "object",
            "properties": {"a": {"type": "string"}, "class": {"type": "string"}},
            "dependentRequired": {"a": ["class"]},
        },
        "Either": {
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
        },
        "Exactly": {
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
        },
        "Unlisted": {"type": "object", "required": ["a"]},
        "Named": {
            "type": "object",
            "required": ["class"],
            "properties": {
                name: {"type": "string"}
                for name in (
                    *("class", "str", "int", "list", "Field", "BaseModel", "model_config", "json"),
                    *("copy", "schema", "validate", "date", "UUID", "t", "ABSENT", "Annotated"),
                    *("@id", "$ref", "1", "+1", "-1", "_links", "foo-bar", "a b", "ünï", "self"),
                    *("model_fields", "dict", "None", "Omittable", "type", "match", "cls", "data"),
                )
            },
        },
        "Parent": {
            "type": "object",
            "required": ["id"],
            "properties": {"id": {"type": "integer"}, "kind": {"type": "string"}},
        },
        "Child": {
            "allOf": [
                ref("Parent"),
                {
                    "type": "object",
                    "required": ["name", "kind"],
                    "properties": {
                        "name": {"type": "string"},
                        "id": {"minimum": 1},
                        "kind": {"maxLength": 3},
                    },
                },
            ],
        },
        "Siblings": {
            "type": "object",
            "required": ["str", "Parent"],
            "properties": {
                "str": {"type": "integer"},
                "name": {"type": "string", "default": "x"},
                "list": {"type": "array", "items": {"type": "string"}},
                "tags": {"type": "array", "items": {"type": "integer", "minimum": 1}},
                "int": {"type": "string"},
                "dict": {"type": "object", "additionalProperties": {"type": "number"}},
                "date": {"type": "string", "format": "date"},
                "datetime": {"type": "string", "format": "date-time"},
                "UUID": {"type": "string", "format": "uuid"},
                "Parent": ref("Parent"),
                "parent": ref("Parent"),
                "Colour": {"type": "string", "enum": ["red", "blue"]},
                "SiblingsColour": ref("Parent"),
            },
        },
        "Alias": ref("Parent"),
        "Also": {"allOf": [ref("Parent")], "description": "The parent."},
        "Tree": {
            "type": "object",
            "required": ["value"],
            "properties": {
                "value": {"type": "integer"},
                "left": ref("Tree"),
                "children": {"type": "array", "items": ref("Tree")},
            },
        },
        "Ping": {"type": "object", "properties": {"pong": ref("Pong")}},
        "Pong": {
            "type": "object",
            "properties": {"ping": {"anyOf": [ref("Ping"), {"type": "null"}]}},
        },
        "Forest": {"type": "array", "items": ref("Forest")},
        "Json": {
            "anyOf": [
                {"type": "string"},
                {"type": "array", "items": ref("Json")},
                {"type": "object", "additionalProperties": ref("Json")},
            ]
        },
    }
)


VALUES = document(
    {
        "Colour": {"type": "string", "enum": ["red", "dark red", "", "RED"]},
        "Status": {"type": "string", "enum": ["Active", "on hold", "1st", "mro", "name"]},
        "Level": {"type": "integer", "enum": [1, 2, 3]},
        "Mixed": {"enum": [1, "1", True, None]},
        "Odd": {"enum": [1.5, {"a": [1]}, [], "x"]},
        "Maybe": {"type": ["string", "null"], "enum": ["a", "b", None]},
        "Values": {
            "type": "object",
            "properties": {
                "status": ref("Status"),
                "maybe": ref("Maybe"),
                "inline": {"type": "string", "enum": ["up", "down"]},
                "fixed": {"const": "yes"},
                "one": {"const": 1},
                "truth": {"const": True},
                "rate": {"type": "number", "enum": [0.5, 1, 2.0]},
                "list": {"type": "array", "items": {"type": "string", "enum": ["p", "q"]}},
                "open": {"type": "string", "x-extensible-enum": ["Onramp"], "examples": ["Onramp"]},
                "short": {"type": "string", "x-extensible-enum": ["On"], "maxLength": 4},
                "single": {"type": "string", "enum": ["only"]},
            },
        },
    }
)


UNIONS = document(
    {
        "Iban": {
            "type": "object",
            "required": ["type", "iban"],
            "properties": {"type": {"const": "Iban"}, "iban": {"type": "string"}},
        },
        "Swift": {
            "type": "object",
            "required": ["type", "bic"],
            "properties": {
                "type": {"type": "string", "enum": ["Swift", "SwiftGpi"]},
                "bic": {"type": "string"},
            },
        },
        "Rail": {
            "oneOf": [ref("Iban"), ref("Swift")],
            "discriminator": {
                "propertyName": "type",
                "mapping": {"Iban": _REF + "Iban", "Swift": _REF + "Swift", "SwiftGpi": "Swift"},
            },
        },
        "Inferred": {"anyOf": [ref("Iban"), ref("Swift"), {"type": "null"}]},
        "Nested": {
            "oneOf": [ref("Rail"), ref("Wallet")],
            "discriminator": {"propertyName": "type"},
        },
        "Wallet": {
            "type": "object",
            "required": ["type"],
            "properties": {"type": {"const": "Wallet"}, "address": {"type": "string"}},
        },
        "Keyworded": {
            "oneOf": [
                {
                    "type": "object",
                    "required": ["class"],
                    "properties": {"class": {"const": "a"}, "x": {"type": "integer"}},
                },
                {
                    "type": "object",
                    "required": ["class"],
                    "properties": {"class": {"const": "b"}, "x": {"type": "string"}},
                },
            ]
        },
        "Loose": {
            "anyOf": [
                {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}},
                {"type": "object", "required": ["b"], "properties": {"b": {"type": "integer"}}},
                {"type": "string"},
                {"type": "array", "items": {"type": "integer"}},
            ]
        },
        "Based": {
            "type": "object",
            "required": ["id"],
            "properties": {"id": {"type": "integer"}},
            "oneOf": [
                {
                    "title": "WithName",
                    "required": ["name"],
                    "properties": {"name": {"type": "string"}},
                },
                {
                    "title": "WithCode",
                    "required": ["code"],
                    "properties": {"code": {"type": "integer"}},
                },
            ],
        },
        "Perhaps": {"type": ["object", "null"], "properties": {"a": {"type": "string"}}},
        "Certainly": {"type": "object", "allOf": [ref("Perhaps")]},
        "Holder": {
            "type": "object",
            "properties": {
                "perhaps": ref("Perhaps"),
                "certainly": ref("Certainly"),
                "object": {"type": "object", "anyOf": [ref("Perhaps"), ref("Wallet")]},
                "rail": ref("Rail"),
                "maybe": {"anyOf": [ref("Rail"), {"type": "null"}]},
                "rails": {"type": "array", "items": ref("Rail")},
                "inline": {"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "boolean"}]},
                "twice": {"anyOf": [ref("Iban"), ref("Iban"), ref("Wallet")]},
                "alone": {"oneOf": [ref("Iban")]},
            },
        },
    }
)


OLD = document(
    {
        "Old": {
            "type": "object",
            "required": ["a", "b"],
            "properties": {
                "a": {"type": "string", "nullable": True},
                "b": {"type": "integer", "minimum": 1, "exclusiveMinimum": True},
                "c": {"type": "number", "maximum": 2.5, "exclusiveMaximum": True},
                "d": {"type": "number", "maximum": 2.5, "exclusiveMaximum": False},
                "e": {"nullable": True, "allOf": [ref("Part")]},
                "f": {"type": "string", "enum": ["x", "y"], "nullable": True},
                "g": ref("Whole"),
            },
        },
        "Part": {"type": "object", "properties": {"x": {"type": "integer"}}},
        "Whole": {"type": "object", "nullable": True, "properties": {"x": {"type": "integer"}}},
    },
    openapi="3.0.3",
)


REQUESTS = document(
    {
        "Order": {
            "type": "object",
            "required": ["items"],
            "properties": {
                "items": {"type": "array", "items": ref("Item")},
                "note": {"type": "object", "properties": {"text": {"type": "string"}}},
                "either": {"oneOf": [ref("Left"), ref("Right")]},
                "shared": ref("Shared"),
            },
        },
        "Item": {"type": "object", "properties": {"sku": {"type": "string"}}},
        "Left": {"type": "object", "required": ["s"], "properties": {"s": {"const": "left"}}},
        "Right": {"type": "object", "required": ["s"], "properties": {"s": {"const": "right"}}},
        "Lenient": {
            "type": "object",
            "properties": {"a": {"type": "string"}},
            "additionalProperties": True,
        },
        "Shared": {"type": "object", "properties": {"a": {"type": "string"}}},
    },
    paths={
        "/orders": {
            "post": {
                "requestBody": {
                    "content": {
                        "application/json": {"schema": ref("Order")},
                        "application/x": {"schema": ref("Lenient")},
                    }
                },
                "responses": {
                    "200": {
                        "description": "ok",
                        "content": {"application/json": {"schema": ref("Shared")}},
                    }
                },
            }
        }
    },
)


DOCUMENTS = {
    "scalars": SCALARS,
    "lists": LISTS,
    "objects": OBJECTS,
    "values": VALUES,
    "unions": UNIONS,
    "old": OLD,
    "requests": REQUESTS,
}


def compare_model(
    made: dict[str, Any], judge: Judge, component: str, model: Any, count: int
) -> list[str]:
    """Return where *model* and the document disagree, and instances that don't round-trip."""
    validator = judge.validator(component)
    adapter: TypeAdapter[Any] = TypeAdapter(model)
    found = []
    for instance in Sampler(made, 7).instances(component, count):
        if instance is None and isinstance(model, type):
            continue  # a class can't include null: references to it do
        text = json.dumps(instance)
        valid = validator.is_valid(instance)
        for how, read in (("json", adapter.validate_json), ("python", adapter.validate_python)):
            try:
                value = read(text if how == "json" else instance)
            except ValidationError as error:
                if valid:
                    found.append(f"{component} refuses {text} ({how}): {error}")
                continue
            if not valid:
                found.append(f"{component} takes {text} ({how}) as {value!r}")
            elif json.loads(adapter.dump_json(value, by_alias=True)) != instance:
                back = adapter.dump_json(value, by_alias=True).decode()
                found.append(f"{component} makes {text} ({how}) {back}")
    return found
