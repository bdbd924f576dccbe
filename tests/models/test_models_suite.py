"""Models and JSON Schema 2020-12: no valid value is refused, and notes name unchecked parts."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import jsonschema_rs
import pytest
from pydantic import TypeAdapter, ValidationError
from support.modelling import Package, document

from dateline.model import SourceError
from dateline.sample import Sampler

VERSION: Final = "2024-01-01"
SUITE: Final = Path(__file__).parents[3] / "shared" / "data" / "json-schema-test-suite.tar.gz"

# Groups about keywords or places that no component of a document can have.
_ELSEWHERE: Final = ("$id", "$anchor", "$dynamic", "http", "$vocabulary")

EXAMPLES: Final[dict[str, tuple[Any, list[Any], list[Any]]]] = {
    "Length": ({"minLength": 2}, ["ab", 1, None, [], {}, True], ["a"]),
    "Pattern": ({"pattern": "^a+$"}, ["a", 1.5, None, [], {}, False], ["b"]),
    "Bound": ({"minimum": 2}, [2, 2.5, "a", None, [], {}, True], [1]),
    "Exclusive": ({"exclusiveMaximum": 2}, [1, "a", None, [], {}, True], [2]),
    "Multiple": ({"multipleOf": 2}, [4, "a", None, [], {}, True], [3]),
    "Items": ({"items": {"type": "integer"}}, [[1], "a", 1, None, {}, True], [["a"]]),
    "Count": ({"maxItems": 1}, [[1], "ab", 11, None, {"a": 1, "b": 2}], [[1, 2]]),
    "Map": ({"maxProperties": 1}, [{"a": 1}, "ab", 11, None, [1, 2]], [{"a": 1, "b": 2}]),
    "Keys": ({"propertyNames": {"maxLength": 1}}, [{"a": 1}, "ab", 1, None, []], [{"ab": 1}]),
    "Finite": ({"type": "number", "multipleOf": 0.123456789}, [0.123456789], [1e308, 1]),
    "Whole": ({"type": "integer", "multipleOf": 0.123456789}, [123456789], [10**307, 1]),
    "IsFalse": ({"const": False}, [False], [0, 0.0, None, "", [], {}]),
    "IsTrue": ({"enum": [True]}, [True], [1, 1.0, "true"]),
    "Mixed": ({"enum": ["a", True]}, ["a", True], [1, 1.0, False, "true"]),
    "Evaluated": (
        {
            "type": "object",
            "properties": {"a": {}},
            "anyOf": [{"properties": {"b": {}}}, {"properties": {"c": {}}}],
            "unevaluatedProperties": False,
        },
        [{"a": 1, "b": 1, "c": 1}],
        [],
    ),
    "Condition": (
        {
            "type": "object",
            "properties": {"a": {}},
            "if": {"required": ["a"]},
            "then": {"properties": {"b": {}}},
            "unevaluatedProperties": False,
        },
        [{"a": 1, "b": 1}],
        [],
    ),
    "Closed": (
        {"type": "object", "properties": {"a": {}}, "unevaluatedProperties": False},
        [{"a": 1}],
        [{"b": 1}],
    ),
    "Patterns": (
        {
            "type": "object",
            "properties": {"a": {}},
            "patternProperties": {"^x": {}},
            "additionalProperties": {"type": "integer"},
        },
        [{"a": "a", "xb": "a", "c": 1}],
        [],
    ),
}


class Verdict(NamedTuple):
    """The verdict of a model on a value: whether it accepts it, and the notes on the model."""

    takes: bool
    notes: list[str]


class Models:
    def __init__(self, folder: Path, schemas: dict[str, Any]) -> None:
        self._package = Package(folder, {VERSION: document(schemas)})
        self._module = self._package.version(VERSION)

    def notes(self, name: str) -> list[str]:
        start = f"components.{name}"
        return [
            note
            for note in self._package.notes
            if note.startswith(start) and not note.removeprefix(start)[0].isalnum()
        ]

    def takes(self, name: str, value: Any) -> bool:
        adapter: TypeAdapter[Any] = TypeAdapter(getattr(self._module, name))
        try:
            adapter.validate_json(json.dumps(value))
        except ValidationError:
            return False
        return True


def test_values_of_every_type_agree(tmp_path: Path) -> None:
    schemas = {name: schema for name, (schema, _, _) in EXAMPLES.items()}
    models, sampler = Models(tmp_path, schemas), Sampler(document(schemas))
    for name, (schema, valid, invalid) in EXAMPLES.items():
        for values, is_valid in ((valid, True), (invalid, False)):
            for value in values:
                sampler.value(schema, name)
                assert (name, value, sampler.fits(schema, value)) == (name, value, is_valid)
                assert (name, value, models.takes(name, value)) == (name, value, is_valid)
    noted = {name for name in EXAMPLES if models.notes(name)}
    assert noted == {"Evaluated", "Condition", "Patterns"}


def groups() -> Iterator[tuple[str, Any, list[Any]]]:
    """Yield the description, schema and instances of each group of the suite."""
    with tarfile.open(SUITE) as suite:
        for member in suite.getmembers():
            if Path(member.name).parent != Path("tests/draft2020-12") or not member.isfile():
                continue
            file = suite.extractfile(member)
            assert file is not None
            for group in json.loads(file.read()):
                schema = group["schema"]
                if isinstance(schema, dict):
                    schema.pop("$schema", None)
                if not any(each in json.dumps(schema) for each in _ELSEWHERE):
                    yield f"{member.name}: {group['description']}", schema, group["tests"]


def _move(node: Any, name: str) -> Any:
    """Return *node* with its references redirected into the component *name*."""
    if isinstance(node, list):
        return [_move(each, name) for each in node]
    if not isinstance(node, dict):
        return node
    return {
        key: f"#/components/schemas/{name}{value[1:]}"
        if key == "$ref" and isinstance(value, str) and value.startswith("#")
        else value
        if key in ("enum", "const")
        else _move(value, name)
        for key, value in node.items()
    }


def _failing(errors: Iterable[Any]) -> set[str]:
    """Return the keywords on the paths of *errors*."""
    found: set[str] = set()
    for error in errors:
        found |= {str(step) for step in error.evaluation_path}
        for member in getattr(error.kind, "context", None) or ():
            found |= _failing(member)
    return found


def disagreements(
    models: Models, schemas: dict[str, Any], instances: dict[str, list[Any]]
) -> list[str]:
    """Return where a model refuses a valid value, or accepts an invalid one without a note."""
    registry = jsonschema_rs.Registry([("urn:all", {"components": {"schemas": schemas}})])
    found = []
    for name, values in instances.items():
        validator = jsonschema_rs.Draft202012Validator(
            {"$ref": f"urn:all#/components/schemas/{name}"},
            validate_formats=True,
            registry=registry,
        )
        notes = " ".join(models.notes(name))
        for value in values:
            failing = _failing(validator.iter_errors(value))
            takes = models.takes(name, value)
            # tests/schema/test_one_reading.py covers the formats that models check
            is_noted = "format" in failing or any(f"`{each}`" in notes for each in failing)
            if takes is bool(failing) and not (takes and is_noted):
                verb = "takes" if takes else "refuses"
                found.append(
                    f"{name} {verb} {json.dumps(value)}: {json.dumps(schemas[name])[:200]}"
                )
    return found


OBJECT: Final[dict[str, Any]] = {"type": "object"}
FIELDS: Final[dict[str, Any]] = {"properties": {"a": {"type": "integer"}}}
KINDS: Final[dict[str, Any]] = {
    "Cat": {
        "properties": {"kind": {"const": "cat"}, "a": {"type": "string"}},
        "required": ["kind"],
    },
    "Dog": {
        "properties": {"kind": {"const": "dog"}, "b": {"type": "string"}},
        "required": ["kind"],
    },
    "Bird": {"properties": {"kind": {"type": "string"}, "c": {"type": "integer"}}},
}
KIND: Final[dict[str, Any]] = {"discriminator": {"propertyName": "kind"}}


def _refer(*names: str) -> list[dict[str, str]]:
    return [{"$ref": f"#/components/schemas/{name}"} for name in names]


COMBINED: Final[dict[str, Any]] = {
    **KINDS,
    "Fields": FIELDS,
    "Required": {"required": ["a"]},
    "Tree": {"properties": {"a": {"$ref": "#/components/schemas/Tree"}}},
    "ClosedTree": {
        "properties": {"a": {"$ref": "#/components/schemas/ClosedTree"}},
        "additionalProperties": False,
    },
    "Unnamed": {"required": ["a"], "additionalProperties": False},
    "Pick": {"oneOf": _refer("Cat", "Dog"), **KIND},
    "AnyPick": {"anyOf": _refer("Cat", "Dog"), **KIND},
    "Half": {"oneOf": [*_refer("Cat"), {**OBJECT, **KINDS["Dog"]}], **KIND},
    "Hinted": {"oneOf": _refer("Cat", "Bird"), **KIND},
    "AnyHinted": {"anyOf": [{**OBJECT, **each} for each in KINDS.values()], **KIND},
    "Both": {
        "anyOf": [
            {**OBJECT, "properties": {"a": {"type": "string"}}, "required": ["a"]},
            {**OBJECT, "properties": {"b": {"type": "string"}}, "required": ["b"]},
        ]
    },
    "Nulls": {"oneOf": [{"type": ["null", "string"]}, {"type": "null"}]},
    "Closed": {"allOf": [{**FIELDS, "additionalProperties": False}, {"properties": {"b": {}}}]},
    "Typed": {"allOf": [{"additionalProperties": {"type": "string"}}, FIELDS]},
    "Around": {**OBJECT, **FIELDS, "additionalProperties": False, "oneOf": _refer("Cat", "Dog")},
    "Evaluated": {"allOf": [FIELDS, {"properties": {"b": {}}}], "unevaluatedProperties": False},
    "Patterned": {"patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": False},
    "Mapped": {"patternProperties": {"^a": {}}, "additionalProperties": {"type": "string"}},
    "Pairs": {"allOf": [{"prefixItems": [{"type": "string"}]}, {"items": {"minLength": 2}}]},
    "Bounded": {"enum": [1, 2, 3, "a"], "minimum": 2, "multipleOf": 2},
    "Listed": {"enum": [{"a": 1}, {"a": "b"}], **FIELDS},
    "Chosen": {"enum": [1, "a"], "anyOf": [{"type": "string"}]},
    "Nothing": {"properties": {"a": False}},
    "Several": {"minLength": 2, "minimum": 2, "maxItems": 1},
    "Impossible": {"allOf": [{"type": "null"}, {"type": "string"}]},
    "Inner": {"anyOf": [{"oneOf": [{"maxLength": 1}, {"minLength": 1}]}, {"type": "integer"}]},
    "NotNull": {"type": "integer", "oneOf": [{"$ref": "#/components/schemas/Null"}, {}]},
    "Null": {"type": "null"},
}


def test_combinations_of_keywords_agree(tmp_path: Path) -> None:
    listed: list[Any] = [
        None,
        True,
        0,
        1,
        2,
        2.0,
        3,
        1.5,
        "",
        "a",
        "ab",
        [],
        ["a"],
        ["ab", "a"],
        [1],
    ]
    fields = {
        "a": (1, "b", {}, {"a": 5}),
        "b": (1, "b"),
        "c": (1, "b"),
        "kind": ("cat", "dog", "x", 1),
    }
    listed += [{}, *({name: value} for name, values in fields.items() for value in values)]
    listed += [
        {"kind": kind, name: value}
        for kind in ("cat", "dog", "x", 1)
        for name in ("a", "b", "c")
        for value in (1, "b")
    ]
    listed += [{"a": "x", "b": "x"}, {"a": 1, "b": 1}, {"a": {"a": {"a": 1}}}]
    # a class can't include null: references to it do
    values = [value for value in listed if value is not None]
    instances = {name: listed if "null" in name.lower() else values for name in COMBINED}
    assert disagreements(Models(tmp_path, COMBINED), COMBINED, instances) == []


@pytest.mark.skipif(not SUITE.is_file(), reason="the JSON Schema Test Suite is not here")
def test_json_schema_test_suite(tmp_path: Path) -> None:
    found = {f"G{at}": group for at, group in enumerate(groups())}
    schemas = {name: _move(schema, name) for name, (_, schema, _) in found.items()}
    # two names that would become one field are refused by name, as in any document
    for name in [name for name, (_, schema, _) in found.items() if "foo\\\\bar" in str(schema)]:
        with pytest.raises(SourceError, match="field-name-taken"):
            Package(tmp_path / name, {VERSION: document({name: schemas.pop(name)})})
    instances = {name: [test["data"] for test in found[name][2]] for name in schemas}
    assert disagreements(Models(tmp_path, schemas), schemas, instances) == []
