"""Sample values are valid, deterministic and plausible."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from support import gated_apis
from support.modelling import document
from support.random_documents import Maker
from support.sampling import Judge, reading
from support.sampling import Sampler as Plausible
from support.seeds import seeds
from support.sources import LIBRARY, loaded, plain
from support.tables import cases

from dateline.canonical import canonical_document
from dateline.load import load
from dateline.project import Projector
from dateline.sample import Sampler, UnsatisfiedError

SCHEMAS = Path(__file__).parents[2] / "schemas"
SEEDS = seeds(5)

Json = Any


def value(schema: Json, seed: int = 0, **others: Json) -> Json:
    """Return a sample for a component with this *schema*."""
    return sampled(Sampler(document({"It": schema, **others}), seed))


def sampled(sampler: Sampler, component: str = "It", name: str = "it") -> Json:
    return sampler.value({"$ref": f"#/components/schemas/{component}"}, name)


def misfits(described: dict[str, Any], judged: dict[str, Any]) -> list[tuple[str, Json]]:
    """Return the invalid samples for the components of a document, by component."""
    judge = Judge(judged)
    return [
        (name, made)
        for seed in SEEDS
        for sampler in [Sampler(described, seed)]
        for name in described["components"]["schemas"]
        for made in [sampled(sampler, name)]
        if not judge.validator(name).is_valid(made)
    ]


def assert_every_value_fits(described: dict[str, Any]) -> None:
    judged = plain(described["components"]["schemas"])
    assert misfits(described, judged) == []


def test_values_of_the_payment_api_fit() -> None:
    assert_every_value_fits(canonical_document(load(SCHEMAS)))


def test_values_of_every_version_of_the_payment_api_fit() -> None:
    api = load(SCHEMAS)
    for version in api.table.dates:
        for environment in api.table.environments:
            contract = Projector(api).contract(version, environment.name)
            assert_every_value_fits(contract.document)


@pytest.mark.parametrize("seed", seeds(8))
def test_values_of_generated_apis_fit(seed: int, tmp_path: Path) -> None:
    assert_every_value_fits(canonical_document(loaded(tmp_path, gated_apis.sources(seed))))


def test_values_of_the_library_fit(tmp_path: Path) -> None:
    assert_every_value_fits(canonical_document(loaded(tmp_path, LIBRARY)))


@cases("seed", seeds(40))
def test_values_of_random_documents_fit_if_any_does(seed: int) -> None:
    made = Maker(Random(seed)).document()
    judge = Judge(reading(made))
    for name, schema in made["components"]["schemas"].items():
        validator = judge.validator(name)
        try:
            assert validator.is_valid(sampled(Sampler(made, seed), name))
        except UnsatisfiedError:
            plausible = Plausible(made, seed)
            found = [plausible.plausible(schema) for _ in range(500)]
            assert [each for each in found if validator.is_valid(each)] == []


KEYWORDS: dict[str, Json] = {
    "anything": {},
    "true": True,
    "const": {"const": {"a": [1, None]}},
    "enum": {"enum": [3, "a", None]},
    "enum of another type": {"type": "string", "enum": [1, "one"]},
    "type list": {"type": ["integer", "null"], "minimum": 7},
    "pattern": {"type": "string", "pattern": r"^(?:[A-Z]{2}\d{2}|x-\w+)(?:\.[^a-y]{3})?$"},
    "pattern within": {"type": "string", "pattern": "b[ao]b", "minLength": 6, "maxLength": 9},
    "two patterns": {
        "allOf": [{"type": "string", "pattern": "^[a-f]{1,8}$"}, {"pattern": "^[d-z]*$"}]
    },
    "look-ahead": {"type": "string", "pattern": r"^(?=.*\d)[a-z\d]{8,}$"},
    "property of characters": {"type": "string", "pattern": r"^\p{L}[\p{L}\p{N}-]{2,5}$"},
    "empty text": {"type": "string", "maxLength": 0},
    "long text": {"type": "string", "minLength": 300, "maxLength": 300},
    "formats": {
        "type": "object",
        "required": ["a", "b"],
        "properties": {
            name: {"type": "string", "format": name}
            for name in (
                *("date-time", "date", "time", "duration", "email", "idn-email", "hostname"),
                *("idn-hostname", "ipv4", "ipv6", "uri", "uri-reference", "iri", "uuid"),
                *("iri-reference", "uri-template", "json-pointer", "relative-json-pointer"),
                *("regex", "unheard-of"),
            )
        },
    },
    "bounds": {"type": "integer", "exclusiveMinimum": 4, "exclusiveMaximum": 6},
    "narrow bounds": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.001},
    "negative": {"type": "number", "maximum": -12.5},
    "steps": {"allOf": [{"type": "integer", "multipleOf": 6}, {"multipleOf": 4, "minimum": 5000}]},
    "a large bound": {"type": "number", "minimum": 1e308},
    "a large bound below": {"type": "number", "maximum": -1e308},
    "a large bound that is excluded": {"type": "number", "exclusiveMinimum": 1e18},
    "a large bound below that is excluded": {"type": "number", "exclusiveMaximum": -1e22},
    "large steps": {"type": "number", "multipleOf": 1e308},
    "steps of cents": {"type": "number", "multipleOf": 0.01, "minimum": 0.015, "maximum": 0.02},
    "int32": {"type": "integer", "format": "int32", "minimum": 2147483647},
    "distinct": {
        "type": "array",
        "items": {"enum": ["a", "b", "c", "d"]},
        "minItems": 4,
        "uniqueItems": True,
    },
    "contains": {
        "type": "array",
        "items": {"type": "integer", "maximum": 50},
        "contains": {"minimum": 40},
        "minContains": 2,
        "maxItems": 3,
    },
    "tuple": {
        "type": "array",
        "prefixItems": [{"type": "integer"}, {"type": "string"}],
        "items": False,
        "minItems": 2,
    },
    "map": {
        "type": "object",
        "additionalProperties": {"type": "integer"},
        "propertyNames": {"pattern": "^[A-Z]{3}$"},
        "minProperties": 4,
    },
    "patterns of names": {
        "type": "object",
        "patternProperties": {"^x-": {"type": "integer"}, "-y$": {"minimum": 10}},
        "additionalProperties": False,
        "minProperties": 1,
    },
    "fewest fields": {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "minProperties": 3,
    },
    "most fields": {
        "type": "object",
        "properties": {"a": {}, "b": {}, "c": {}, "d": False},
        "required": ["c"],
        "maxProperties": 2,
    },
    "dependent fields": {
        "type": "object",
        "properties": {"card": {"type": "string"}},
        "required": ["card"],
        "dependentRequired": {"card": ["address"], "address": ["city"]},
        "dependentSchemas": {"city": {"properties": {"zip": {"const": "1"}}, "required": ["zip"]}},
    },
    "closed by parts": {
        "allOf": [
            {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
            {"properties": {"a": {"minimum": 990}, "b": {"type": "string"}}},
        ],
        "unevaluatedProperties": False,
    },
    "closed against the other part": {
        "allOf": [
            {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
            {"properties": {"b": {"type": "string"}}},
        ]
    },
    "exactly one": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
    },
    "one that overlaps": {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 10}]},
    "one of objects all of whose fields are optional": {
        "oneOf": [
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "boolean"}}},
            {"type": "object", "properties": {"b": {"type": "boolean"}, "c": {"type": "integer"}}},
        ],
    },
    "not": {"type": "integer", "minimum": 1, "maximum": 3, "not": {"enum": [1, 3]}},
    "neither": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "not": {"required": ["a", "b"]},
    },
    "if": {
        "type": "object",
        "required": ["kind", "size"],
        "properties": {"kind": {"enum": ["big", "small"]}, "size": {"type": "integer"}},
        "if": {"properties": {"kind": {"const": "big"}}},
        "then": {"properties": {"size": {"minimum": 100}}},
        "else": {"properties": {"size": {"maximum": 9}}},
    },
    "misfit among examples": {"type": "integer", "examples": ["no", 4.5, 17], "minimum": 17},
}


def _in_field(schema: Json) -> Json:
    return {"type": "object", "properties": {"it": schema}}


def _in_list(schema: Json) -> Json:
    return {"type": "array", "items": schema}


OPTIONAL: Final = {"type": "object", "properties": {"a": {"type": "string"}}}
EXTENDED: Final = {"allOf": [OPTIONAL, {"properties": {"b": {"type": "boolean"}}}]}

# members of a `oneOf` that differ only in optional fields
NESTED: Final[dict[str, Callable[[Json], Json]]] = {
    "themselves": lambda schema: schema,
    "fields": _in_field,
    "fields of fields": lambda schema: _in_field(_in_field(schema)),
    "items": _in_list,
    "items of items": lambda schema: _in_list(_in_list(schema)),
    "items of fields": lambda schema: _in_field(_in_list(schema)),
    "fields of items": lambda schema: _in_list(_in_field(schema)),
    "a base": lambda schema: {"allOf": [{"properties": {"c": {}}}, _in_field(schema)]},
}


@cases("name", NESTED)
@cases("other", [EXTENDED, {**OPTIONAL, "properties": {"c": {}, "b": {}}}])
def test_value_of_a_union_fits_one_member(name: str, other: Json) -> None:
    nest = NESTED[name]
    for members in ([OPTIONAL, other], [other, OPTIONAL], [OPTIONAL, other, {"type": "null"}]):
        assert_every_value_fits(document({"It": {"oneOf": [nest(each) for each in members]}}))


@cases("name", KEYWORDS)
def test_every_keyword_is_satisfied(name: str) -> None:
    assert_every_value_fits(document({"It": KEYWORDS[name]}))


@cases("name", sorted(KEYWORDS))
def test_rest_of_the_document_does_not_matter(name: str) -> None:
    within = {"type": "object", "required": ["it"], "properties": {"it": KEYWORDS[name]}}
    assert_every_value_fits(document({"It": within, "Many": {"type": "array", "items": within}}))


def test_document_of_3_0_is_read_as_such() -> None:
    schemas = {
        "Price": {
            "type": "number",
            "minimum": 0,
            "exclusiveMinimum": True,
            "maximum": 1,
            "exclusiveMaximum": False,
        },
        "Old": {"type": "string", "nullable": True, "example": "a word"},
        "Both": {
            "type": "object",
            "required": ["old"],
            "properties": {"old": {"$ref": "#/components/schemas/Old", "enum": ["ignored"]}},
        },
    }
    described = document(schemas, "3.0.3")
    assert sampled(Sampler(described), "Both") == {"old": "a word"}
    # the validator reads siblings of a reference
    del schemas["Both"]
    assert misfits(described, reading(described)) == []


def test_values_by_the_authors_take_precedence() -> None:
    schema = {
        "type": "object",
        "properties": {
            "sent": {"type": "string", "examples": ["by hand"]},
            "never": {"type": ["string", "null"], "examples": [None]},
            "rarely": {"type": ["string", "null"], "examples": [None, "once"]},
            "wrongly": {"type": "boolean", "examples": [None], "const": True},
            "kept": {"type": "string", "default": "a week"},
            "made": {"type": "integer", "example": 1869},
            "channel": {"type": "string", "x-extensible-enum": ["desk"]},
            "misfit": {
                "type": "string",
                "format": "date",
                "examples": ["May"],
                "default": "2020-01-02",
            },
        },
    }
    assert value(schema) == {
        "sent": "by hand",
        "never": None,
        "rarely": "once",
        "wrongly": True,
        "kept": "a week",
        "made": 1869,
        "channel": "desk",
        "misfit": "2020-01-02",
    }


def member(name: str, value: int) -> Json:
    properties = {"kind": {"type": "string"}, name: {"const": value}}
    return {"type": "object", "required": [name], "properties": properties}


def test_discriminator_selects_the_member() -> None:
    schemas: dict[str, Json] = {
        "It": {
            "oneOf": [{"$ref": "#/components/schemas/Book"}, {"$ref": "#/components/schemas/Map"}],
            "discriminator": {
                "propertyName": "kind",
                "mapping": {"b": "#/components/schemas/Book"},
            },
        },
        "Book": member("pages", 1),
        "Map": member("scale", 2),
    }
    sampler = Sampler(document(schemas))
    made = [sampled(sampler, name=str(count)) for count in range(20)]
    book, map_ = {"kind": "b", "pages": 1}, {"kind": "Map", "scale": 2}
    assert book in made
    assert map_ in made
    assert [each for each in made if each not in (book, map_)] == []


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"properties": {"it": {"$ref": "#/components/schemas/It"}}}, {}),
        (
            {
                "required": ["all"],
                "properties": {
                    "all": {"type": "array", "items": {"$ref": "#/components/schemas/It"}}
                },
            },
            {"all": []},
        ),
        (
            {
                "required": ["it"],
                "properties": {
                    "it": {"oneOf": [{"$ref": "#/components/schemas/It"}, {"const": "end"}]}
                },
            },
            {"it": "end"},
        ),
        (
            {
                "required": ["it"],
                "properties": {
                    "it": {"anyOf": [{"$ref": "#/components/schemas/It"}, {"type": "null"}]}
                },
            },
            {"it": None},
        ),
        (
            {
                "required": ["some"],
                "properties": {
                    "some": {"additionalProperties": {"$ref": "#/components/schemas/It"}}
                },
            },
            {"some": {}},
        ),
    ],
)
def test_recursion_ends_as_early_as_possible(schema: Json, expected: Json) -> None:
    assert value({"type": "object", **schema}) == expected


UNSATISFIABLE: dict[str, tuple[Json, str, str]] = {
    "bounds": (
        {"type": "integer", "minimum": 3, "maximum": 2},
        "/0/a",
        "there is no number within its bounds and steps",
    ),
    "types": (
        {"allOf": [{"type": "integer"}, {"type": "string"}]},
        "/0/a",
        "its constraints allow no type in common",
    ),
    "false": (False, "/0/a", "no value is valid for the schema `false`"),
    "values": (
        {"type": "string", "enum": [1, 2]},
        "/0/a",
        "none of the listed values is valid",
    ),
    "endless": (
        {"$ref": "#/components/schemas/Endless"},
        "/0/a/it",
        "each value must contain another one, without end",
    ),
    "nowhere": ({"$ref": "#/components/schemas/Nowhere"}, "/0/a", "leads nowhere"),
    "one of two": (
        {"oneOf": [{"type": "integer"}, {"type": "integer"}]},
        "/0/a",
        "is valid under more than one of the schemas listed in the 'oneOf' keyword",
    ),
    "too few": (
        {"type": "array", "items": {"enum": [1, 2]}, "minItems": 3, "uniqueItems": True},
        "/0/a/2",
        "no further item was found that differs from those before",
    ),
    "fields": (
        {"type": "object", "minProperties": 1, "additionalProperties": False},
        "/0/a",
        "no 1 fields were found that it may have",
    ),
}


@cases("name", UNSATISFIABLE)
def test_impossible_value_is_reported_with_its_place(name: str) -> None:
    schema, place, reason = UNSATISFIABLE[name]
    around = {
        "type": "array",
        "minItems": 1,
        "items": {"type": "object", "required": ["a"], "properties": {"a": schema}},
    }
    endless = {
        "type": "object",
        "required": ["it"],
        "properties": {"it": {"$ref": "#/components/schemas/Endless"}},
    }
    with pytest.raises(UnsatisfiedError) as refused:
        value(around, Endless=endless)
    assert (refused.value.name, refused.value.place) == ("it", place)
    assert reason in refused.value.reason
    assert str(refused.value).startswith(
        f"it: no value was found that fits its schema at {place}: "
    )


def test_impossible_optional_part_is_left_out() -> None:
    assert value({"type": "object", "properties": {"a": False, "b": {"const": 1}}}) == {"b": 1}


def test_write_only_field_is_left_out() -> None:
    properties = {"password": {"type": "string", "writeOnly": True}, "id": {"const": 1}}
    assert value({"type": "object", "properties": properties}) == {"id": 1}


PERSON: dict[str, Json] = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "format": "uuid"},
        "createdAt": {"type": "string"},
        "name": {"type": "string"},
        "email": {"type": "string", "format": "email"},
        "balance": {
            "type": "object",
            "properties": {
                "amount": {"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?$"},
                "currency": {"type": "object", "properties": {"code": {"type": "string"}}},
            },
        },
        "visits": {"type": "integer", "minimum": 0},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
}


def test_values_are_plausible_and_the_same_on_all_platforms() -> None:
    assert value(PERSON, seed=1) == {
        "id": "1ba81307-6851-49be-9303-3bc0c5d6ad8e",
        "createdAt": "2025-09-06T02:14:00Z",
        "name": "Emmy Pascal",
        "email": "sofia.hopper@example.com",
        "balance": {"amount": "750.08", "currency": {"code": "EUR"}},
        "visits": 677,
        "tags": ["pebble"],
    }


def test_another_seed_makes_other_values() -> None:
    assert value(PERSON, seed=1) != value(PERSON, seed=2)


def test_additions_elsewhere_change_no_value() -> None:
    more: dict[str, Json] = {"Aaa": {"type": "string"}, "Zzz": {"type": "integer"}}
    wider = {**PERSON, "properties": {"aaa": {"type": "string"}, **PERSON["properties"]}}
    made = value(wider, **more)
    del made["aaa"]
    assert made == value(PERSON)


def test_values_do_not_depend_on_earlier_ones() -> None:
    schemas = {"One": PERSON, "Two": PERSON}
    one, other = Sampler(document(schemas)), Sampler(document(schemas))
    assert [sampled(one, "One"), sampled(one, "Two")] == [
        *[sampled(other, name) for name in ("Two", "One")][::-1]
    ]


def test_each_name_has_its_own_values() -> None:
    sampler = Sampler(document({"It": PERSON}))
    assert sampled(sampler, name="getPerson") == sampled(sampler, name="getPerson")
    assert sampled(sampler, name="getPerson") != sampled(sampler, name="findPerson")


def test_schema_may_refer_to_an_otherwise_unused_component() -> None:
    held = {"type": "object", "required": ["a"], "properties": {"a": {"type": "object"}}}
    document = {"openapi": "3.1.0", "paths": {}, "components": {"schemas": {"Held": held}}}
    made = Sampler(document).value({"$ref": "#/components/schemas/Held"}, "held", room=0)
    assert made == {"a": {}}


# Schemas that extend a discriminated one


def _family(mapping: dict[str, str] | None = None) -> dict[str, Any]:
    reported = {"propertyName": "kind", **({"mapping": mapping} if mapping else {})}
    pet = {
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": {"type": "string"}},
        "discriminator": reported,
    }

    def child(base: str, name: str) -> dict[str, Any]:
        own = {"type": "object", "required": [name], "properties": {name: {"type": "integer"}}}
        return {"allOf": [{"$ref": f"#/components/schemas/{base}"}, own]}

    schemas = {
        "Pet": pet,
        "Cat": child("Pet", "claws"),
        "Kitten": child("Cat", "weeks"),
        "Dog": child("Pet", "tricks"),
    }
    return {"openapi": "3.1.0", "components": {"schemas": schemas}}


def _shapes(document: dict[str, Any], name: str) -> set[tuple[str, ...]]:
    """Return the tag and the other fields of many values of the component *name*."""
    sampler = Sampler(document)
    made = [
        sampler.value({"$ref": f"#/components/schemas/{name}"}, str(each)) for each in range(40)
    ]
    return {(each["kind"], *sorted(each.keys() - {"kind"})) for each in made}


CAT: Final = ("Cat", "claws")
KITTEN: Final = ("Kitten", "claws", "weeks")
DOG: Final = ("Dog", "tricks")


@pytest.mark.parametrize(
    ("name", "shapes"),
    [("Pet", {CAT, KITTEN, DOG}), ("Cat", {CAT, KITTEN}), ("Kitten", {KITTEN}), ("Dog", {DOG})],
)
def test_discriminated_schema_is_shown_as_its_heirs(
    name: str, shapes: set[tuple[str, ...]]
) -> None:
    assert _shapes(_family(), name) == shapes


def test_tags_are_those_of_the_mapping() -> None:
    mapping = {"cat": "Cat", "dog": "#/components/schemas/Dog"}
    assert _shapes(_family(mapping), "Pet") == {("cat", "claws"), KITTEN, ("dog", "tricks")}


def test_tag_that_the_schema_fixes_itself_stays() -> None:
    document = _family()
    document["components"]["schemas"]["Dog"]["allOf"][1]["properties"]["kind"] = {"const": "d"}
    assert _shapes(document, "Dog") == {("d", "tricks")}


def test_discriminated_schema_without_heirs_is_shown_itself() -> None:
    document = _family()
    document["components"]["schemas"] = {"Pet": document["components"]["schemas"]["Pet"]}
    assert {len(shape) for shape in _shapes(document, "Pet")} == {1}
    assert ("Pet",) not in _shapes(document, "Pet")


def test_recursive_heir_comes_to_an_end() -> None:
    document = _family()
    pet = document["components"]["schemas"]["Pet"]
    parent = {
        "allOf": [
            {"$ref": "#/components/schemas/Pet"},
            {"required": ["child"], "properties": {"child": {"$ref": "#/components/schemas/Pet"}}},
        ]
    }
    document["components"]["schemas"] = {"Pet": pet, "Parent": parent}
    made = Sampler(document).value({"$ref": "#/components/schemas/Pet"}, "pet")
    while "child" in made:
        assert made["kind"] == "Parent"
        made = made["child"]
    assert made == {"kind": "Pet"}


def test_field_with_a_dangling_reference_is_left_out() -> None:
    nowhere = {"$ref": "#/components/schemas/Nowhere"}
    properties = {"a": {"type": "integer"}, "b": nowhere, "c": {"const": nowhere}}
    described = {"type": "object", "required": ["a", "c"], "properties": properties}
    made = value({"type": "array", "minItems": 3, "items": described})
    assert [each.keys() - {"a"} for each in made] == [{"c"}] * len(made)
    assert [each["c"] for each in made] == [nowhere] * len(made)


@cases(
    ("odd", "fitting"),
    [
        ({"type": "datetime"}, True),
        ({"type": ["string", "datetime"]}, {"type": "string"}),
        ({"type": "string", "pattern": "[a"}, {"type": "string"}),
        ({"allOf": [], "type": "string"}, {"type": "string"}),
        ({"type": "array", "items": "text", "minItems": 1}, {"type": "array", "minItems": 1}),
        ({"allOf": [None, {"type": "integer"}]}, {"type": "integer"}),
        ({"type": "object", "required": ["a"], "properties": {"a": None}}, {"required": ["a"]}),
    ],
)
def test_unconstrained_schema_accepts_any_value(odd: Json, fitting: Json) -> None:
    assert Judge({"It": fitting}).validator("It").is_valid(value(odd))


@pytest.mark.parametrize("least", [10, 5_000, 200_000])
def test_reasons_do_not_quote_long_values_completely(least: int) -> None:
    schema = {"type": "string", "pattern": "^a$", "minLength": least}
    with pytest.raises(UnsatisfiedError) as refused:
        Sampler({"openapi": "3.1.0"}).value(schema, "x")
    assert len(refused.value.reason) <= 301
    assert refused.value.reason.endswith('does not match "^a$"')


JSON_TEXT: Final = {"type": "string", "contentMediaType": "application/json"}
DATED: Final = {
    "type": "object",
    "properties": {"day": {"const": "2025-01-01"}},
    "required": ["day"],
}


@cases(
    ("schema", "is_json"),
    [
        ({**JSON_TEXT, "contentSchema": DATED}, True),
        ({"allOf": [JSON_TEXT, {"contentMediaType": "application/a+json"}]}, True),
        ({"$ref": "#/components/schemas/Nested"}, True),
        ({**JSON_TEXT, "contentSchema": DATED, "maxLength": 9}, False),
        ({**JSON_TEXT, "contentSchema": DATED, "contentEncoding": "base64"}, False),
        ({**JSON_TEXT, "contentSchema": False}, False),
        ({**JSON_TEXT, "contentMediaType": "text/plain", "contentSchema": DATED}, False),
        ({"type": "string", "contentSchema": DATED}, False),
    ],
)
def test_text_that_contains_json_is_json(schema: Json, is_json: bool) -> None:
    nested = {**JSON_TEXT, "contentSchema": {"$ref": "#/components/schemas/Nested"}}
    text = value(schema, Nested=nested)
    assert text.startswith(("{", '"')) == is_json
    if is_json:
        content = json.loads(text)
        assert "contentSchema" not in schema or content == {"day": "2025-01-01"}
