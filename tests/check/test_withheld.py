"""Constraints that values may break after parts are left out for older callers."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
import yaml
from support.narrowed import Law
from support.parts import load_parts
from support.seeds import scale
from support.sources import API, VERSIONS, loaded

from dateline.check.servable import check_servable
from dateline.model import Finding, Verdict
from dateline.openapi import follow, value_at, walk

Schema = dict[str, Any]

ADOPTED: Final = f"{VERSIONS}lint: adopted\n"
HEAD: Final = {**yaml.safe_load(API), "paths": {}}

ADDED: Final = {"x-added": "2024-09-01"}
TEXT: Final = {"type": "string"}
STATE: Final = {
    "type": "string",
    "oneOf": [{"const": "x"}, {"const": "y"}, {"const": "zz", **ADDED, "x-shown-as": "x"}],
}
PET: Final = {
    "oneOf": [
        {"$ref": "#/components/schemas/A"},
        {"$ref": "#/components/schemas/B", **ADDED, "x-shown-as": {"k": "A", "v": "q"}},
    ],
    "discriminator": {
        "propertyName": "k",
        "mapping": {"A": "#/components/schemas/A", "B": "#/components/schemas/B"},
    },
}
COMPONENTS: Final = {
    "A": {"type": "object", "required": ["k"], "properties": {"k": {"const": "A"}, "v": TEXT}},
    "B": {"type": "object", "required": ["k"], "properties": {"k": {"const": "B"}, "w": TEXT}},
    "State": STATE,
    "Pet": PET,
    "Long": {"type": "string", "minLength": 2},
    "Two": {"minProperties": 2},
    "Set": {"uniqueItems": True, "minItems": 2},
}
STATES: Final = ["x", "y", "zz"]
PETS: Final = [
    *({"k": "A"}, {"k": "A", "v": "q"}, {"k": "A", "v": "1"}, {"k": "B"}, {"k": "B", "w": "1"}),
    *({"k": "B", "v": "1"}, {"k": "B", "v": "1", "w": "1"}),
]


def requires(*names: str) -> Schema:
    return {"required": [*names]}


def b_is(*values: str) -> Schema:
    return {"properties": {"b": {"enum": [*values]}}}


FIELDS: Final[dict[str, tuple[Schema, dict[str, list[Any]]]]] = {
    "added": ({"a": TEXT, "c": {**TEXT, **ADDED}}, {"a": ["1", "2"], "c": ["1", "2"]}),
    "replaced": ({"a": TEXT, "b": STATE}, {"a": ["1", "2"], "b": STATES}),
    "left out": (
        {"a": TEXT, "b": {"type": "string", "oneOf": [{"const": "x"}, {"const": "zz", **ADDED}]}},
        {"a": ["1", "2"], "b": STATES},
    ),
    "renamed": (
        {"a": TEXT, "d": {**TEXT, "x-was": {"2024-09-01": {"name": "old"}}}},
        {"a": ["1", "2"], "d": ["1"]},
    ),
    "of a union": ({"a": TEXT, "u": PET}, {"a": ["1"], "u": PETS}),
}
"""Fields of an object, and their values. Each object has an undeclared field, too, or none."""

OF_OBJECTS: Final[list[Schema]] = [
    *({"minProperties": 1}, {"minProperties": 2}, {"maxProperties": 2}),
    *({"dependentRequired": {one: [other]}} for one, other in product("abcd", repeat=2)),
    {"dependentRequired": {"old": ["a"]}},
    *({"dependentSchemas": {"a": below}} for below in (requires("c"), requires("b"))),
    *({"dependentSchemas": {"a": below}} for below in (b_is("zz"), {"minProperties": 2})),
    *({"not": below} for below in (requires("a", "b"), {"maxProperties": 1}, b_is("x"))),
    {"not": {**b_is("x"), **requires("b")}},
    *({"if": requires(name), "then": requires("a")} for name in ("b", "c", "d", "old")),
    *({"if": requires(name), "else": requires("a")} for name in ("b", "c", "d", "old")),
    *({"if": below, "then": requires("a")} for below in (b_is("zz"), b_is("x"))),
    {"if": requires("a"), "then": requires("d")},
    *({"not": {"properties": {name: {"type": "integer"}}}} for name in "bcd"),
    *({"if": {"properties": {name: {"type": "integer"}}}, "then": False} for name in "bcd"),
    *({"patternProperties": {"^o": {"type": kind}}} for kind in ("string", "integer")),
    {"if": {"minProperties": 2}, "else": requires("a")},
    {"propertyNames": {"maxLength": 1}},
    {"propertyNames": {"enum": ["a", "b", "c", "d", "u"]}},
    {"patternProperties": {"^o": {"maxLength": 1}}},
    {"patternProperties": {"^[abcdu]$": True, "^o": False}},
    {"patternProperties": {"^b$": {"minLength": 2}}},
    *({keyword: {"type": "integer"}} for keyword in ("additionalProperties",)),
    *({"additionalProperties": False}, {"unevaluatedProperties": False}),
    *({key: [requires("a"), requires(name)]} for key in ("anyOf", "oneOf") for name in "bcd"),
    {"oneOf": [{**b_is("x"), **requires("b")}, {**b_is("y", "zz"), **requires("a", "b")}]},
    {"anyOf": [b_is("y", "zz"), requires("a")]},
    {"oneOf": [{"minProperties": 2}, {"maxProperties": 1, **requires("a")}]},
    *({"allOf": [each]} for each in ({"minProperties": 2}, {"not": requires("a", "b")})),
    *({"allOf": [{"dependentRequired": {"a": [name]}}]} for name in "bc"),
    *({"allOf": [requires(name)]} for name in "bcd"),
    {"allOf": [{"properties": dict.fromkeys("abcdu", True), "additionalProperties": False}]},
    *({"allOf": [{"properties": {"b": each}}]} for each in ({"minLength": 2}, {"enum": ["zz"]})),
    {"allOf": [{"properties": {"b": {"not": {"const": "x"}}}}]},
    {"enum": [{"a": "1"}, {"a": "1", "b": "zz"}, {"a": "2", "c": "1"}, {"d": "1"}]},
    {"const": {"a": "1", "b": "zz"}},
    {"$ref": "#/components/schemas/Two"},
]

ITEMS: Final[dict[str, tuple[Schema, list[Any]]]] = {
    "replaced": (STATE, STATES),
    "left out": (FIELDS["left out"][0]["b"], STATES),
    "of objects": (
        {"type": "object", "properties": {"a": TEXT, "c": {**TEXT, **ADDED}}},
        [{}, {"a": "1"}, {"c": "1"}, {"a": "1", "c": "1"}, {"a": "1", "c": "2"}],
    ),
    "of a union": (PET, PETS[:5]),
    "of lists": ({"type": "array", "items": STATE}, [[], ["x"], ["y"], ["zz"], ["x", "zz"]]),
}

OF_LISTS: Final[list[Schema]] = [
    *({"minItems": 1}, {"minItems": 2}, {"uniqueItems": True}, {"maxItems": 2}),
    *({"uniqueItems": True, "minItems": least} for least in (1, 2)),
    {"uniqueItems": True, "contains": True, "minContains": 2},
    {"allOf": [{"uniqueItems": True, "minItems": 2}]},
    *({"contains": {"const": value}} for value in ("y", "zz")),
    *({"contains": below} for below in (requires("c"), {"not": {"const": "x"}})),
    {"contains": {"const": "x"}, "minContains": 0, "maxContains": 1},
    {"contains": {"type": ["string", "object", "array"]}, "minContains": 2},
    *({"not": below} for below in ({"contains": {"const": "x"}}, {"uniqueItems": True})),
    *({"not": {"maxItems": 1}}, {"if": {"uniqueItems": True}, "else": {"minItems": 3}}),
    {"anyOf": [{"minItems": 2}, {"contains": {"const": "y"}}]},
    {"oneOf": [{"minItems": 2}, {"maxItems": 1}]},
    *({"prefixItems": [each]} for each in ({"enum": ["y", "zz"]}, {"minLength": 2})),
    {"enum": [["zz", "y"], ["x"], ["zz"], [{"c": "1"}], [{"a": "1"}], [["zz"]]]},
    {"$ref": "#/components/schemas/Set"},
]

OF_TEXTS: Final[list[Schema]] = [
    *({"pattern": "^[yz]"}, {"minLength": 2}, {"maxLength": 1}, {"maxLength": 2}),
    *({"enum": ["y", "zz"]}, {"const": "zz"}, {"not": {"const": "x"}}, {"format": "email"}),
    *({"if": {"const": "x"}, "then": False}, {"anyOf": [{"const": "y"}, {"minLength": 2}]}),
    {"$ref": "#/components/schemas/Long"},
]

OF_UNIONS: Final[list[Schema]] = [
    *({"not": requires("v")}, {"properties": {"v": {"const": "1"}}}, requires("w"), requires("v")),
    *({"minProperties": 2}, {"maxProperties": 1}, {"properties": {"k": {"enum": ["B"]}}}),
    *({"propertyNames": {"enum": ["k", "w"]}}, {"dependentRequired": {"v": ["zz"]}}),
    {"if": {"properties": {"k": {"const": "A"}}}, "then": {"maxProperties": 1}},
    {"unevaluatedProperties": False},
]

OF_MAPS: Final[list[Schema]] = [
    *({"minProperties": 1}, {"minProperties": 2}, {"propertyNames": {"maxLength": 1}}),
    *({"not": {"maxProperties": 1}}, {"dependentRequired": {"m": ["n"]}}, requires("m")),
    *({"if": requires("m"), "then": requires("n")}, {"oneOf": [requires("m"), requires("n")]}),
    {"patternProperties": {"^m": {"minLength": 2}}},
]


Outcome = tuple[list[str] | None, list[Finding]]
"""How responses fail for older callers (None if values need a converter), and the findings."""


def judge(cases: Iterable[tuple[Schema, list[Any]]]) -> list[Outcome | None]:
    """Return the outcome of each schema and its values; None if the schema is invalid.

    All are operations of one API. The field with the value is required.
    """
    pools = {f"Loan{number}": case for number, case in enumerate(cases)}
    parts = {name: define_operation(name, schema) for name, (schema, _) in pools.items()}
    head = json.dumps({**HEAD, "components": {"schemas": COMPONENTS}})
    api, law, refused, part = load_parts(ADOPTED, head, parts, Law)
    findings = defaultdict[str, list[Finding]](list)
    for finding in check_servable(api):
        assert finding.after_source is not None
        findings[part(finding.after_source)].append(finding)
    converted = {re.split(r"[.@#\[{]", name)[0] for name in law.contracts["converters"]}
    assert converted <= pools.keys()
    outcomes: dict[str, Outcome | None] = dict.fromkeys(pools)
    for body in law.canonical.bodies:
        name = body.operation
        values = ((body, {"in": value}) for value in pools[name][1])
        fitting = [each for each in values if law.canonical.defect(body.schema, each[1]) is None]
        breaches = None if name in converted else [*law.find_breaches(fitting)]
        outcomes[name] = (breaches, findings[name])
    assert {name for name, outcome in outcomes.items() if outcome is None} == refused.keys()
    return [*outcomes.values()]


def judge_one(schema: Schema, values: list[Any]) -> Outcome:
    """Return the outcome of a valid *schema* and *values*."""
    (outcome,) = judge([(schema, values)])
    assert outcome is not None
    return outcome


def define_operation(name: str, schema: Schema) -> Schema:
    """Return an operation that responds with the component *name*, and the component."""
    loan = {"type": "object", "required": ["in"], "properties": {"in": schema}}
    media = {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}
    responses = {"200": {"description": "loans", "content": media}}
    operation = {"operationId": name, "tags": ["Loans"], "responses": responses}
    return {
        "paths": {f"/{name}": {"get": operation}},
        "components": {"schemas": {name: loan}},
    }


def objects(pools: dict[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """Yield every object with any of the fields *pools*."""
    for values in product(*([None, *pool] for pool in pools.values())):
        made = {name: each for name, each in zip(pools, values, strict=True) if each is not None}
        yield from (made, {**made, "old": "22"})


def cases() -> Iterator[tuple[str, Schema, list[Any]]]:
    """Yield each kind of schema, with keywords, and values."""
    for keywords in OF_OBJECTS:
        for kind, (properties, pools) in FIELDS.items():
            listed = [*objects(pools)]
            yield kind, {"type": "object", "properties": properties, **keywords}, listed
    for kind, (items, pool) in ITEMS.items():
        most = 3 if len(pool) == len(STATES) else 2
        lists = [[*each] for size in range(most + 1) for each in product(pool, repeat=size)]
        for keywords in OF_LISTS:
            yield f"list {kind}", {"type": "array", "items": items, **keywords}, lists
        least = {"allOf": [{"type": "array", "items": items}, {"minItems": 1}]}
        yield f"list {kind}", least, lists
        for keywords in OF_MAPS:
            maps = [*objects({"m": pool, "n": pool})]
            yield f"map {kind}", {"type": "object", "additionalProperties": items, **keywords}, maps
    for keywords in OF_TEXTS:
        both: Schema = {"allOf": [{"$ref": "#/components/schemas/State"}, keywords]}
        for schema in ({**STATE, **keywords}, both, {"anyOf": [both, {"type": "null"}]}):
            yield "text", schema, [*STATES, None]
    for keywords in OF_UNIONS:
        yield "union", {"allOf": [{"$ref": "#/components/schemas/Pet"}, keywords]}, PETS
        yield "union", {**PET, **keywords}, PETS


def group_cases() -> Iterator[list[tuple[Schema, list[Any]]]]:
    """Yield cases whose schemas have the same words: no case declares what another leaves out."""
    groups = defaultdict[tuple[str, bool], list[tuple[Schema, list[Any]]]](list)
    every = list(cases())
    some = Random(1).sample(every, scale(len(every)))
    for kind, schema, values in some:
        groups[kind, names_newer(schema)].append((schema, values))
    yield from groups.values()


def names_newer(schema: Schema) -> bool:
    """Return whether keywords of *schema* name a value that only newer versions have."""
    return any(
        newer in each.get("enum", ()) or (newer == each.get("const") and "x-added" not in each)
        for _, _, each in walk("schema", schema)
        for newer in ("zz", "B")
    )


def test_response_without_an_older_form_is_found() -> None:
    wrong, tried, broken, alarms = [], 0, 0, 0
    for group in group_cases():
        for (schema, _), outcome in zip(group, judge(group), strict=True):
            if outcome is None:
                continue  # such as a substitute that doesn't satisfy the other keywords
            breaches, findings = outcome
            tried += 1
            failing = [each for each in breaches or () if "was copied" not in each]
            broken += bool(failing)
            alarms += bool(findings) and not failing
            # an invalid value is never sent
            if any("UnfitError" not in each for each in failing) or (failing and not findings):
                wrong.append((schema, failing[0]))
            assert all(one.rule in RULES and one.verdict is not Verdict.NEVER for one in findings)
    assert wrong == []
    assert broken > 0.2 * tried
    # safe constraints usually have no finding, but may have: any item is considered possible
    assert alarms < 2 * broken


RULES: Final = ("response-without-way-down", "member-without-substitute")

HARMLESS: Final[list[tuple[str, Schema]]] = [
    ("added", {"not": requires("a", "b")}),
    ("added", {"dependentRequired": {"c": ["a"]}}),
    ("added", {"propertyNames": {"maxLength": 1}}),
    ("added", {"patternProperties": {"^x": {"maxLength": 1}}}),
    ("added", {"unevaluatedProperties": False}),
    ("added", {"maxProperties": 2}),
    ("replaced", {"not": requires("a", "c")}),
    ("replaced", {"minProperties": 1, **requires("a")}),
    ("renamed", {"dependentRequired": {"d": ["a"]}}),
    ("renamed", {"unevaluatedProperties": False}),
    ("of a union", {"minProperties": 2}),
    ("of a union", {"unevaluatedProperties": False}),
]


def test_constraints_that_always_hold_are_not_found() -> None:
    listed = [
        ({"type": "object", "properties": FIELDS[kind][0], **keywords}, [*objects(FIELDS[kind][1])])
        for kind, keywords in HARMLESS
    ]
    for case, outcome in zip(HARMLESS, judge(listed), strict=True):
        assert outcome == ([], []), case


def test_finding_names_the_schema_the_keywords_and_the_versions() -> None:
    schema = {"type": "array", "uniqueItems": True, "minItems": 2, "items": STATE}
    _, (finding,) = judge_one(schema, [])
    assert finding.message == (
        "Loan0.in: values may not fit `uniqueItems` in 2024-01-15, and can't be left out"
    )
    assert finding.after_pointer == "/components/schemas/Loan0/properties/in/uniqueItems"
    assert (finding.rule, finding.versions) == ("response-without-way-down", ("2024-01-15",))
    assert finding.environments == ("production", "sandbox")


SENT: Final[list[tuple[str, Schema, str | None]]] = [
    ("renamed", {"dependentRequired": {"d": ["a"]}}, "dependentRequired"),
    ("renamed", {"if": requires("d"), "then": requires("a")}, "if"),
    ("renamed", {"not": requires("a", "d")}, "not"),
    ("renamed", {"oneOf": [requires("a"), requires("d")]}, "oneOf"),
    ("renamed", {"oneOf": [requires("a"), requires("zz")]}, None),
    ("renamed", {"anyOf": [requires("a"), requires("d")]}, None),
    ("defaulted", {"oneOf": [requires("a"), requires("c")]}, "oneOf"),
    ("renamed", {"dependentRequired": {"a": ["d"]}}, None),
    ("renamed", {"unevaluatedProperties": False}, None),
    ("renamed", {"minProperties": 2}, None),
    ("added", {"minProperties": 1}, None),
    ("added", {"not": requires("a", "c")}, None),
    ("defaulted", {"not": requires("a", "c")}, "not"),
    ("defaulted", {"maxProperties": 1}, "maxProperties"),
    ("defaulted", {"dependentRequired": {"c": ["a"]}}, "dependentRequired"),
    ("defaulted", {"minProperties": 1}, None),
]


@pytest.mark.parametrize("case", SENT, ids=str)
def test_request_that_is_invalid_after_conversion_is_found(
    tmp_path: Path, case: tuple[str, Schema, str | None]
) -> None:
    name, keywords, keyword = case
    defaulted = {"a": TEXT, "c": {**TEXT, "default": "1"}}
    properties = defaulted if name == "defaulted" else FIELDS[name][0]
    was = {"required": ["c"], "x-was": {"2024-09-01": {"required": None}}}
    required = was if name == "defaulted" else {}
    loan = {"type": "object", "properties": properties, **required, **keywords}
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Loan"}}}}
    operation = {"operationId": "addLoan", "tags": ["Loans"], "requestBody": body}
    responses = {"responses": {"204": {"description": "added"}}}
    document = {
        "paths": {"/loans": {"post": {**operation, **responses}}},
        "components": {"schemas": {"Loan": loan}},
    }
    files = {"versions.yaml": ADOPTED, "api.yaml": API}
    api = loaded(tmp_path, {**files, "loans.json": json.dumps(document)})
    found = [(one.rule, one.message) for one in check_servable(api)]
    said = f"Loan: requests of 2024-01-15 may not fit `{keyword}`"
    assert found == ([("request-without-way-up", said)] if keyword else [])


WITHIN: Final[dict[str, dict[str, Schema]]] = {
    "with more beside it": {
        "Loan": {"properties": {"up": {"$ref": "#/components/schemas/Loan", **requires("c")}}}
    },
    "in allOf": {
        "Loan": {
            "properties": {"up": {"allOf": [{"$ref": "#/components/schemas/Loan"}, requires("c")]}}
        }
    },
    "declared again": {
        "Base": {
            "properties": {
                "up": {"allOf": [{"$ref": "#/components/schemas/Loan"}]},
                "down": {"allOf": [{"$ref": "#/components/schemas/Loan"}]},
                "c": {**TEXT, **ADDED},
            }
        },
        "Loan": {
            "properties": {key: {"$ref": "#/components/schemas/Base"} for key in ("up", "down")},
            "allOf": [{"$ref": "#/components/schemas/Base"}],
        },
    },
}


@pytest.mark.parametrize("name", WITHIN)
def test_recursive_schema_is_checked(tmp_path: Path, name: str) -> None:
    schemas = {key: {"type": "object", **each} for key, each in WITHIN[name].items()}
    schemas["Loan"]["properties"] = {**schemas["Loan"]["properties"], "c": {**TEXT, **ADDED}}
    media = {"application/json": {"schema": {"$ref": "#/components/schemas/Loan"}}}
    responses = {"200": {"description": "a loan", "content": media}}
    operation = {"operationId": "getLoan", "tags": ["Loans"], "responses": responses}
    document = {"paths": {"/loan": {"get": operation}}, "components": {"schemas": schemas}}
    files = {"versions.yaml": ADOPTED, "api.yaml": API}
    api = loaded(tmp_path, {**files, "loans.json": json.dumps(document)})
    assert list(check_servable(api)) == []


REST: Final[list[tuple[Schema, Any]]] = [
    ({"type": "array", "prefixItems": [TEXT], "items": ITEMS["of objects"][0]}, ["1", {"c": "1"}]),
    (
        {
            "type": "object",
            "patternProperties": {"^n": TEXT},
            "additionalProperties": ITEMS["of objects"][0],
        },
        {"name": "1", "m": {"c": "1"}},
    ),
]


@pytest.mark.parametrize("case", REST, ids=("items", "additionalProperties"))
def test_rest_of_items_or_fields_needs_a_converter(
    case: tuple[Schema, Any],
) -> None:
    schema, value = case
    assert judge_one(schema, [value])[0] is None


def define_withheld(date: str, **gate: Any) -> dict[str, Schema]:
    """Return components with a list whose items become equal at *date*, directly or nested."""
    states = [
        {"const": "x"},
        {"const": "y", "x-shown-as": "x", **{gate.get("key", "x-added"): date}},
    ]
    state = {"type": "string", "oneOf": states}
    items = {
        "within": state,
        "referred to": {"$ref": "#/components/schemas/Kind"},
        "referred to twice": {"$ref": "#/components/schemas/Holder"},
    }
    unique = {"type": "array", "uniqueItems": True, "minItems": 2, "items": items[gate["at"]]}
    return {
        "Loan": {"type": "object", "required": ["in"], "properties": {"in": unique}},
        "Holder": {
            "type": "object",
            "required": ["kind"],
            "properties": {"kind": {"$ref": "#/components/schemas/Kind"}},
        },
        "Kind": state,
    }


@pytest.mark.parametrize("at", ["within", "referred to", "referred to twice"])
@pytest.mark.parametrize(
    ("key", "date", "verdict"),
    [
        ("x-added", "2024-09-01", Verdict.INFORMATION),
        # callers of the latest cut version are affected, although no draft changed it
        ("x-removed", "2025-06-01", Verdict.INFORMATION),
        ("x-added", "next", Verdict.GATED),
        ("x-removed", "next", Verdict.GATED),
    ],
)
def test_only_changes_of_a_draft_are_found_in_adopted_definitions(
    tmp_path: Path, at: str, key: str, date: str, verdict: Verdict
) -> None:
    media = {"application/json": {"schema": {"$ref": "#/components/schemas/Loan"}}}
    operation = {"operationId": "listLoans", "tags": ["Loans"]}
    responses = {"200": {"description": "loans", "content": media}}
    document = {
        "paths": {"/loans": {"get": {**operation, "responses": responses}}},
        "components": {"schemas": define_withheld(date, key=key, at=at)},
    }
    files = {"versions.yaml": ADOPTED, "api.yaml": API, "loans.json": json.dumps(document)}
    findings = [
        finding
        for finding in check_servable(loaded(tmp_path, files))
        if finding.rule == "response-without-way-down"
    ]
    assert [finding.verdict for finding in findings] == [verdict]


@pytest.mark.parametrize("pattern", ["^b", "^z"])
@pytest.mark.parametrize("at", ["first", "last"])
def test_fields_that_a_closed_part_with_patterns_forbids_are_left_out(
    pattern: str, at: str
) -> None:
    closed = {
        "type": "object",
        "additionalProperties": False,
        "patternProperties": {pattern: TEXT},
        "properties": {"a": TEXT, "b": {**TEXT, **ADDED}},
    }
    other = {"type": "object", "properties": {"b": TEXT}}
    parts = [closed, other] if at == "first" else [other, closed]
    breaches, findings = judge_one({"allOf": parts}, [{"a": "1", "b": "2"}, {"a": "1"}, {}])
    assert (breaches, findings) == ([], [])


def respond(media_type: str) -> Schema:
    content = {media_type: {"schema": {"$ref": "#/components/schemas/Loan"}}}
    return {"operationId": "l", "responses": {"200": {"description": "l", "content": content}}}


def notify(schema: Schema) -> dict[str, Schema]:
    """Return a webhook with a payload of *schema*."""
    content = {"application/json": {"schema": schema}}
    done = {"responses": {"204": {"description": "done"}}}
    return {"returned": {"post": {"requestBody": {"content": content}, **done}}}


TWICE: Final = {"type": "array", "uniqueItems": True, "minItems": 2, "items": STATE}
HOLDERS: Final[dict[str, Schema]] = {
    "application/json": {"paths": {"/loans": {"get": respond("application/json")}}},
    "*/*": {"paths": {"/loans": {"get": respond("*/*")}}},
    "application/*": {"paths": {"/loans": {"get": respond("application/*")}}},
    "a range beside text": {
        "paths": {
            "/loans": {
                "get": {
                    **respond("application/*"),
                    "x-was": {"2024-09-01": {"summary": "all loans"}},
                }
            }
        }
    },
    "a former operation": {
        "paths": {
            "/loans": {
                "head": {**respond("application/json"), "operationId": "h"},
                "x-was": {"2025-06-01": {"get": respond("*/*")}},
            }
        }
    },
    "a webhook": {"webhooks": notify({"$ref": "#/components/schemas/Loan"})},
    "an inline webhook": {"webhooks": notify(TWICE)},
    "a list in a webhook": {
        "webhooks": notify(
            {"type": "array", "minItems": 1, "items": {"$ref": "#/components/schemas/Loan"}}
        )
    },
}
"""What contains a value that has no form for older callers, in every form that servers read."""


@pytest.mark.parametrize("holder", HOLDERS)
def test_constraints_are_checked_wherever_the_server_sends_values(
    tmp_path: Path, holder: str
) -> None:
    paths = {"/other": {"get": {"operationId": "o", "responses": {"204": {"description": "o"}}}}}
    document = {"paths": paths, **HOLDERS[holder], "components": {"schemas": {"Loan": TWICE}}}
    files = {"versions.yaml": ADOPTED, "api.yaml": API}
    api = loaded(tmp_path, {**files, "loans.json": json.dumps(document)})
    (finding,) = check_servable(api)
    assert finding.rule == "response-without-way-down"
    assert finding.after_pointer is not None
    assert finding.after_pointer.endswith("/uniqueItems")
    assert value_at(api.document, follow(api.document, finding.after_pointer)) is True
