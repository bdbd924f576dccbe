"""Under the preset `wire`, demanding less of callers or promising them more is additive."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final, NamedTuple

import pytest
from support.tables import cases

from dateline.diff import diff
from dateline.model import Verdict
from dateline.rules import CHANGE_RULES, judge
from dateline.rules.routes import operation_removed, path_parameters_swapped

JSON: Final = "application/json"
TEXT: Final = {"type": "string"}


def content(schema: Any, *more: str) -> dict[str, Any]:
    return {media_type: {"schema": schema} for media_type in (JSON, *more)}


class Edit(NamedTuple):
    """The strict and the relaxed form, as parts of an operation or as a schema."""

    strict: Any
    eased: Any


def part(**header: Any) -> dict[str, Any]:
    encoding = {"scan": {"headers": {"X-Page": {"schema": TEXT, **header}}}}
    return {"requestBody": {"content": {"multipart/form-data": {"encoding": encoding}}}}


def form(types: str) -> dict[str, Any]:
    encoding = {"scan": {"contentType": types}}
    return {"requestBody": {"content": {"multipart/form-data": {"encoding": encoding}}}}


def parameter(**keys: Any) -> dict[str, Any]:
    return {"parameters": [{"name": "page", "in": "query", "schema": TEXT, **keys}]}


def body(**keys: Any) -> dict[str, Any]:
    return {"requestBody": {"content": content(TEXT), **keys}}


def header(**keys: Any) -> dict[str, Any]:
    answer = {"description": "a", "headers": {"X-Total": {"schema": TEXT, **keys}}}
    return {"responses": {"200": answer}}


def answers(*statuses: str) -> dict[str, Any]:
    return {"responses": {status: {"description": "a"} for status in statuses}}


KEY: Final[dict[str, list[str]]] = {"key": []}
READ: Final = {"token": ["read"]}
BOTH: Final = {"token": ["read", "write"]}

SENT: Final = {
    "body required": Edit(body(required=True), body()),
    "body": Edit({}, body()),
    "parameter": Edit({}, parameter()),
    "media type": Edit(body(), body(content=content(TEXT, "text/csv"))),
    "parameter required": Edit(parameter(required=True), parameter()),
    "types of a part": Edit(form("image/png"), form("image/png, application/pdf")),
    "range of types of a part": Edit(form("image/png"), form("image/*")),
    "part's header required": Edit(part(required=True), part()),
    "part's header": Edit(
        {"requestBody": {"content": {"multipart/form-data": {"encoding": {"scan": {}}}}}}, part()
    ),
    "no credentials": Edit({"security": [KEY]}, {"security": []}),
    "credentials left out": Edit({"security": [KEY]}, {}),
    "credentials optional": Edit({"security": [KEY]}, {"security": [KEY, {}]}),
    "other credentials": Edit({"security": [KEY]}, {"security": [KEY, READ]}),
    "one credential": Edit({"security": [KEY | READ]}, {"security": [READ]}),
    "fewer scopes": Edit({"security": [BOTH]}, {"security": [READ]}),
    "fewer of several": Edit({"security": [KEY | READ, BOTH]}, {"security": [READ]}),
}
"""What operations demand of callers."""

READ_BACK: Final = {
    "header required": Edit(header(), header(required=True)),
    "header": Edit(answers("200"), header()),
    "error": Edit(answers("200"), answers("200", "404")),
}
"""What operations promise callers, from less to more."""

SCHEMAS: Final = {
    "maximum": Edit({"maximum": 5}, {"maximum": 9}),
    "no maximum": Edit({"maximum": 5}, {}),
    "step": Edit({"type": "integer", "multipleOf": 4}, {"type": "integer", "multipleOf": 2}),
    "format": Edit({"type": "string", "format": "uuid"}, TEXT),
    "longer format": Edit({"format": "int32"}, {"format": "int64"}),
    "pattern": Edit(TEXT | {"pattern": "a"}, TEXT),
    "type": Edit(TEXT, {"type": ["string", "integer"]}),
    "null": Edit(TEXT, {"type": ["string", "null"]}),
    "number": Edit({"type": "integer"}, {"type": "number"}),
    "no type": Edit(TEXT, {}),
    "value": Edit({"enum": ["a", "b"]}, {"enum": ["a", "b", "c"]}),
    "no values": Edit(TEXT | {"enum": ["a", "b"]}, TEXT),
    "no constant": Edit(TEXT | {"const": "a"}, TEXT),
    "constant and value": Edit({"const": "a"}, {"enum": ["a", "b"]}),
    "variant": Edit(
        {"anyOf": [{"type": "object", "required": ["a"]}, {"type": "array", "minItems": 1}]},
        {
            "anyOf": [
                {"type": "object", "required": ["a"]},
                {"type": "array", "minItems": 1},
                {"type": "string", "minLength": 1},
            ]
        },
    ),
    "not": Edit({"not": {"type": "string"}}, {}),
    "items": Edit({"type": "array", "items": TEXT}, {"type": "array"}),
    "unique": Edit({"type": "array", "uniqueItems": True}, {"type": "array"}),
    "required field": Edit(
        {"properties": {"a": TEXT}, "required": ["a"]}, {"properties": {"a": TEXT}}
    ),
    "undeclared field": Edit({"required": ["a"]}, {}),
    "names": Edit({"propertyNames": {"maxLength": 5}}, {}),
    "depends": Edit({"dependentRequired": {"a": ["b"]}}, {}),
}
"""Schemas with fewer values, and with more."""


def document(operation: dict[str, Any], *, webhook: bool = False) -> dict[str, Any]:
    whole = {"responses": {"200": {"description": "a"}}} | operation
    schemes = {
        "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "token": {"type": "openIdConnect", "openIdConnectUrl": "https://a.example"},
    }
    section = (
        {"webhooks": {"due": {"post": whole}}} if webhook else {"paths": {"/a": {"post": whole}}}
    )
    return {
        "openapi": "3.1.0",
        "info": {"title": "a", "version": "1"},
        "paths": {},
        "components": {"securitySchemes": schemes},
        **section,
    }


def verdicts(before: dict[str, Any], after: dict[str, Any]) -> set[Verdict]:
    found = diff(before, after)
    assert found
    return {judge(change, "wire", {}).verdict for change in found}


def schema_in(place: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return an operation with *schema* in its request or its response."""
    field = {"type": "object", "properties": {"field": schema}}
    if place == "sent":
        return body(content=content(field))
    return {"responses": {"200": {"description": "a", "content": content(field)}}}


GATED: Final = {Verdict.GATED}
FREE: Final = {Verdict.ADDITIVE}


@cases("name", SENT)
def test_operation_may_demand_less_and_not_more(name: str) -> None:
    strict, eased = map(document, SENT[name])
    assert verdicts(strict, eased) == FREE
    assert verdicts(eased, strict) == GATED


@pytest.mark.parametrize("name", READ_BACK)
def test_operation_may_promise_more_and_not_less(name: str) -> None:
    less, more = map(document, READ_BACK[name])
    assert verdicts(less, more) == FREE
    assert verdicts(more, less) == GATED


@cases("name", SCHEMAS)
def test_requests_may_accept_more_and_responses_contain_less(name: str) -> None:
    for place, is_sent in (("sent", True), ("read", False)):
        # callers send requests and read responses; with webhooks it is the reverse
        for webhook in (False, True):
            few, many = (
                document(schema_in(place, schema), webhook=webhook) for schema in SCHEMAS[name]
            )
            widening, narrowing = verdicts(few, many), verdicts(many, few)
            expected = (FREE, GATED) if is_sent is not webhook else (GATED, FREE)
            assert (widening, narrowing) == expected


@cases(
    ("less", "more", "forward", "backward"),
    [
        # the server calls: it promises what it always sends
        (parameter(), parameter(required=True), FREE, GATED),
        ({}, parameter(required=True), FREE, GATED),
        ({}, parameter(), FREE, GATED),
        (body(), body(required=True), FREE, GATED),
        # whether callers can read them is unknown
        ({}, body(), GATED, GATED),
        (body(), body(content=content(TEXT, "text/csv")), GATED, GATED),
        # callers may answer in more ways
        (answers("200"), answers("200", "202"), FREE, GATED),
        (answers("200"), header(), FREE, GATED),
        (header(required=True), header(), FREE, GATED),
        (answers("200"), header(required=True), GATED, GATED),
        # callers verify the credentials of the server
        ({"security": [KEY]}, {"security": []}, GATED, GATED),
        ({"security": [KEY]}, {"security": [KEY, READ]}, GATED, GATED),
    ],
)
def test_webhook_promises_in_requests_and_demands_in_responses(
    less: dict[str, Any],
    more: dict[str, Any],
    forward: set[Verdict],
    backward: set[Verdict],
) -> None:
    before, after = document(less, webhook=True), document(more, webhook=True)
    assert verdicts(before, after) == forward
    assert verdicts(after, before) == backward


@cases(
    ("narrow", "wide", "is_free"),
    [
        ("application/json", "application/*", True),
        ("application/json", "*/*", True),
        ("application/json; v=1", "application/json", True),
        ("application/json", "application/xml", False),
        ("text/*", "application/*", False),
    ],
)
def test_request_may_have_a_range_with_the_media_type(
    narrow: str, wide: str, *, is_free: bool
) -> None:
    older, newer = ({media_type: {"schema": TEXT}} for media_type in (narrow, wide))
    before, after = document(body(content=older)), document(body(content=newer))
    assert (verdicts(before, after) == FREE) is is_free
    assert Verdict.GATED in verdicts(after, before)
    # callers that read it may ask for the media type alone
    sides = [
        document({"responses": {"200": {"description": "a", "content": each}}})
        for each in (older, newer)
    ]
    assert verdicts(*sides) == verdicts(*sides[::-1]) == GATED
    hooks = [document(body(content=each), webhook=True) for each in (older, newer)]
    assert verdicts(*hooks) == verdicts(*hooks[::-1]) == GATED


@cases(
    ("before", "after"),
    [
        # a response that callers may be unable to read
        (answers("200"), answers("200", "201")),
        (
            {"responses": {"200": {"description": "a", "content": content(TEXT)}}},
            {"responses": {"200": {"description": "a", "content": content(TEXT, "text/csv")}}},
        ),
        # an undeclared body may have had any media type
        (body(content={}), body()),
        ({"requestBody": {}}, body()),
        # other credentials, or another place for them
        ({"security": [KEY]}, {"security": [READ]}),
        ({"security": [KEY]}, {"security": "none"}),
        ({"security": [{"key": "all"}]}, {"security": [{"key": "any"}]}),
        # a text may be read as another one
        (form("text/plain"), form("text/plain, application/json")),
        (form("image/png"), form("image/png, */*")),
        # one value in another representation
        (parameter(style="pipeDelimited"), parameter()),
        (parameter(), {"parameters": [{"name": "page", "in": "query", "content": content(TEXT)}]}),
        (
            {"parameters": [{"name": "a", "in": "query", "content": content(TEXT)}]},
            {"parameters": [{"name": "a", "in": "query", "content": content(TEXT, "text/csv")}]},
        ),
    ],
)
def test_change_that_may_break_a_caller_is_gated_in_both_directions(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    assert verdicts(document(before), document(after)) == GATED
    assert verdicts(document(after), document(before)) == GATED


HOLDERS: Final[dict[str, Any]] = {
    "a property": {"properties": {"a": TEXT}},
    "a pattern": {"patternProperties": {"^a": TEXT}},
    "other properties": {"additionalProperties": TEXT},
}
"""What an object says about a field."""

PARTS: Final[dict[str, Callable[[Any], Any]]] = {
    "a variant": lambda one: {"anyOf": [one, {"required": ["b"]}]},
    "the only variant": lambda one: {"oneOf": [one, {"type": "array"}]},
    "a variant of a variant": lambda one: {"anyOf": [{"anyOf": [one, {"required": ["b"]}]}, {}]},
    "a variant of a variant with fields": lambda one: {
        "anyOf": [{"properties": {"y": TEXT}, "anyOf": [one, {"required": ["b"]}]}, {}]
    },
    "what a field implies": lambda one: {"dependentSchemas": {"b": one}},
    "what an implied field implies": lambda one: {
        "dependentSchemas": {"b": {"dependentSchemas": {"c": one}}}
    },
    "a variant of what a field implies": lambda one: {
        "dependentSchemas": {"b": {"anyOf": [one, {"required": ["b"]}]}}
    },
}
"""Schemas that may apply to the same object."""

WITHIN: Final[dict[str, Callable[[Any], Any]]] = {
    "the object": lambda one: one,
    "its field": lambda one: {"properties": {"f": one}},
    "items of its field": lambda one: {"properties": {"f": {"items": one}}},
    "a field of its field": lambda one: {"properties": {"f": {"properties": {"g": one}}}},
}
"""Schemas that describe the object, or a value in it."""


REFINED: Final = [
    # holders and schemas take turns
    (part, within, [*HOLDERS][index % 3], schema, is_narrower)
    for index, (part, within) in enumerate(product(PARTS, WITHIN))
    for schema, is_narrower in (
        ([{}, TEXT][index % 2], False),
        ([{"enum": ["x"]}, {"type": "integer"}][index // 2 % 2], True),
    )
]


@cases(("part", "within", "holder", "schema", "is_narrower"), REFINED)
def test_requests_may_name_a_field_in_a_part_and_not_restrict_it(
    part: str, within: str, holder: str, schema: Any, is_narrower: bool
) -> None:
    def whole(**fields: Any) -> Any:
        below = WITHIN[within]({"properties": {"z": TEXT, **fields}})
        return {**WITHIN[within](HOLDERS[holder]), **PARTS[part]({"type": "object", **below})}

    before, after = (document(schema_in("sent", each)) for each in (whole(), whole(a=schema)))
    assert verdicts(before, after) == (FREE | GATED if is_narrower else FREE)
    before, after = (document(schema_in("read", each)) for each in (whole(), whole(a=schema)))
    assert verdicts(before, after) == FREE
    assert verdicts(after, before) >= GATED


def test_responses_may_not_restrict_a_field_in_a_part_of_an_overlapping_variant() -> None:
    def whole(part: str, **fields: Any) -> Any:
        below = {"type": "object", "properties": {"z": TEXT, **fields}}
        member = {"properties": {"y": TEXT}, **PARTS[part](below)}
        return {"properties": {"a": TEXT}, "oneOf": [member, {"properties": {"x": TEXT}}]}

    for part in PARTS:
        sides = whole(part), whole(part, a={"enum": ["x"]})
        assert verdicts(*(document(schema_in("read", each)) for each in sides)) == FREE | GATED


KNOWING: Final[dict[str, Callable[[Any], Any]]] = {
    **PARTS,
    "a pattern": lambda one: {"patternProperties": {"^a": one["properties"]["a"]}},
    "other properties": lambda one: {"additionalProperties": one["properties"]["a"]},
    "a consequence": lambda one: {"if": {"required": ["c"]}, "then": one},
    "its alternative": lambda one: {"if": {"required": ["c"]}, "then": {}, "else": one},
    "a condition": lambda one: {"if": one, "then": {"minProperties": 1}},
    "a refusal": lambda one: {"not": {**one, "required": ["c"]}},
}
"""Schemas within an object from which callers know a field."""


@cases("part", KNOWING)
@cases(("schema", "is_narrower"), [({}, False), ({"enum": ["x"]}, True)])
def test_requests_may_describe_a_field_that_a_part_knows_and_not_restrict_it(
    schema: Any, is_narrower: bool, part: str
) -> None:
    inner = KNOWING[part]({"type": "object", "properties": {"a": TEXT}})
    whole = {"type": "object", "properties": {"z": TEXT}, **inner}
    sides = whole, {**whole, "properties": {"z": TEXT, "a": schema}}
    before, after = (document(schema_in("sent", each)) for each in sides)
    assert verdicts(before, after) == (FREE | GATED if is_narrower else FREE)


def test_requests_may_restrict_a_field_in_one_variant_that_only_another_one_knows() -> None:
    def whole(**fields: Any) -> Any:
        members = [{"properties": {"x": TEXT, **fields}}, {"properties": {"a": TEXT}}]
        return {"type": "object", "anyOf": members}

    sides = whole(), whole(a={"enum": ["x"]})
    assert verdicts(*(document(schema_in("sent", each)) for each in sides)) == FREE


BOOK: Final = {"$ref": "#/components/schemas/Book"}

EXTENDING: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "a base": lambda base, own: {"allOf": [base, own]},
    "a base, last": lambda base, own: {"allOf": [own, base]},
    "a base beside fields": lambda base, own: {**own, "allOf": [base]},
    "a reference beside fields": lambda base, own: {**own, **base},
    "a field": lambda base, own: {"properties": {"f": {"allOf": [base, own]}}},
    "items": lambda base, own: {"items": {**base, **own}},
}
"""Schemas that refer to a component and describe a field themselves."""


@cases("form", EXTENDING)
@cases(
    ("own", "added", "is_narrower"),
    [
        (TEXT, TEXT, False),
        (TEXT, {"type": "string", "maxLength": 3}, True),
        ({"enum": ["x", "y"]}, {"enum": ["x"]}, True),
    ],
)
def test_new_base_of_a_component_is_judged_with_the_schemas_that_extend_it(
    own: Any, added: Any, is_narrower: bool, form: str
) -> None:
    def whole(where: str, *, extended: bool) -> dict[str, Any]:
        refer = "#/components/schemas/{}".format
        schema = EXTENDING[form]({"$ref": refer("Book")}, {"properties": {"a": own}})
        found = document(schema_in(where, schema))
        new = {"allOf": [{"$ref": refer("Base")}]} if extended else {}
        book = {"type": "object", "properties": {"id": TEXT}, **new}
        schemas = {"Book": book, "Base": {"type": "object", "properties": {"a": added}}}
        return found | {"components": {**found["components"], "schemas": schemas}}

    for where in ("sent", "read"):
        before, after = (whole(where, extended=each) for each in (False, True))
        is_gated = is_narrower and where == "sent"
        assert (Verdict.GATED in verdicts(before, after)) is is_gated
        assert Verdict.GATED in verdicts(after, before)


@cases(
    ("sent", "read", "expected"),
    [
        # each direction shows one of the differences: a bound that is higher now, a lower one
        ("b", "a", FREE),
        ("a", "b", GATED),
        ("b", "", GATED),
        ("", "a", GATED),
    ],
)
def test_each_consequence_of_a_switched_reference_has_its_own_direction(
    sent: str, read: str, expected: set[Verdict]
) -> None:
    def bound(**sizes: int) -> dict[str, Any]:
        return {"properties": {name: TEXT | {"maxLength": size} for name, size in sizes.items()}}

    def whole(base: str) -> dict[str, Any]:
        own = {
            name: {"allOf": [BOOK, bound(**{name: 1} if name else {})]} for name in ("", "a", "b")
        }
        found = document({**schema_in("sent", own[sent]), **schema_in("read", own[read])})
        schemas = {
            "Book": {"allOf": [{"$ref": f"#/components/schemas/{base}"}]},
            "First": bound(a=3, b=5),
            "Second": bound(a=5, b=3),
        }
        return found | {"components": {**found["components"], "schemas": schemas}}

    assert verdicts(whole("First"), whole("Second")) == expected


def test_schema_shared_by_operation_and_webhook_is_judged_for_both() -> None:
    def shared(**keys: Any) -> dict[str, Any]:
        reference = {"requestBody": {"$ref": "#/components/requestBodies/A"}}
        whole = document(reference) | {"webhooks": {"due": {"post": reference | answers("200")}}}
        bodies = {"A": {"content": content(TEXT), **keys}}
        return whole | {"components": {**whole["components"], "requestBodies": bodies}}

    assert verdicts(shared(), shared(required=True)) == GATED
    assert verdicts(shared(required=True), shared()) == GATED
    assert verdicts(shared(), shared(content=content(TEXT, "text/csv"))) == GATED


def test_inherited_credentials_are_judged_for_all_operations_that_inherit_them() -> None:
    before, after = document({}) | {"security": [KEY]}, document({}) | {"security": [KEY, READ]}
    assert verdicts(before, after) == FREE
    assert verdicts(after, before) == GATED
    webhook = {"webhooks": {"due": {"post": answers("200")}}}
    assert verdicts(before | webhook, after | webhook) == GATED


STAYS: Final = {
    # another kind of message, or a name on the wire
    *("webhook-added", "webhook-removed", "servers-changed", "security-changed", "link-changed"),
    *("parameter-removed", "parameter-renamed", "required-parameter-added", "parameter-required"),
    *("body-added", "body-removed", "body-required", "media-type-added", "media-type-removed"),
    *("success-response-added", "response-removed"),
    *("header-added", "header-removed", "header-renamed", "header-required"),
    # callers read more, or may send less
    *("closed-field-added", "required-request-field-added", "response-field-removed"),
    *("request-field-removed", "field-renamed", "field-required", "field-optional"),
    *("variant-added", "variant-removed", "value-added", "value-removed"),
    *("type-added", "type-removed", "request-narrowed", "response-opened", "response-loosened"),
    # undecidable, or decided by consequences
    *("overlap-changed", "union-changed", "type-changed", "constant-changed", "format-changed"),
    *("reference-switched", "default-changed", "access-changed", "representation-changed"),
    *("constraint-changed", "unjudged-change"),
    *(operation_removed.id, path_parameters_swapped.id),
}


def test_each_rule_is_relaxed_or_stays_gated_for_a_reason() -> None:
    from dateline.presets import PRESETS

    strict = {id for id, rule in CHANGE_RULES.items() if rule.verdict is not Verdict.ADDITIVE}
    assert strict - PRESETS["wire"].verdicts.keys() == STAYS
