"""Change pages explain a change to callers: its effect, the code that breaks, and an example."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.rule_cases import documents
from support.tables import cases

from dateline.changes.fragments import MessageFragments, MessageValues
from dateline.diff import diff
from dateline.rules import CHANGE_RULES
from dateline.rules.effects import describe_effect

EXPLAINED: dict[str, dict[str, str]] = yaml.load(
    Path(__file__).with_name("explanations.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader
)


def explain(where: str, before: dict[str, Any], after: dict[str, Any]) -> list[dict[str, str]]:
    """Return the explanation of each change on a page: its effect, and the lines of a message."""
    older, newer, names = documents(where, before, after)
    fragments = MessageFragments(MessageValues(older), MessageValues(newer))
    return [
        {
            "effect": describe_effect(change),
            "lines": "\n".join(line.marked for line in fragments.list_lines(change)),
        }
        for change in diff(older, newer, renames=names)
    ]


@cases("rule", CHANGE_RULES)
def test_example_of_each_rule_is_explained(rule: str) -> None:
    example = CHANGE_RULES[rule].example
    before, after = yaml.safe_load(example.before), yaml.safe_load(example.after)
    assert explain(example.where, before, after) == [{"lines": "", **EXPLAINED[rule]}]


@cases("rule", CHANGE_RULES)
def test_explanations_quote_no_part_of_a_document(rule: str) -> None:
    example = CHANGE_RULES[rule].example
    before, after = yaml.safe_load(example.before), yaml.safe_load(example.after)
    for sides in ((before, after), (after, before)):
        for each in explain(example.where, *sides):
            assert not re.search(r"[\[{][\"\[{]|[\"\]}][\]}]", each["effect"])
            assert re.fullmatch(r".*[^.]\.", each["effect"])
            assert each["effect"][0] not in "tT" or not each["effect"].startswith("the ")


SECURED = {"responses": {"200": {"description": "loans"}}}


@cases(
    ("before", "after", "effect"),
    [
        ([{"Key": []}], [], "GET /loans needs no credentials any more."),
        ([{"Key": []}], [{}], "GET /loans needs no credentials any more."),
        (
            [],
            [{"Key": []}, {"Me": [], "Key": []}],
            "GET /loans needs credentials now: Key or Key and Me.",
        ),
        ([{"Key": []}], [{"Key": []}, {}], "GET /loans needs Key or nothing now, not Key."),
        (
            [{"Key": ["a"]}],
            [{"Key": ["b"]}],
            "GET /loans: the scopes that callers need have changed.",
        ),
    ],
)
def test_credentials_are_named(before: Any, after: Any, effect: str) -> None:
    (found,) = explain("operation", *({**SECURED, "security": each} for each in (before, after)))
    assert found["effect"] == effect


@cases(
    ("before", "after", "effect"),
    [
        ({}, {"uniqueItems": True}, "Loan: no duplicates now."),
        ({"not": {"type": "null"}}, {}, "The not of Loan is gone."),
        ({}, {"dependentRequired": {"a": ["b"]}}, "The dependentRequired of Loan is new."),
        (
            {"propertyNames": {"maxLength": 3}},
            {"propertyNames": {"maxLength": 4}},
            "The maximum length of Loan was 3 and is 4 now.",
        ),
        ({"default": None}, {}, "Loan no longer has the default null."),
        ({}, {"default": {"a": 1}}, "The default of Loan is new."),
        ({"default": [1]}, {"default": [2]}, "The default of Loan has changed."),
        (
            {"type": "string"},
            {"type": ["array", "object"]},
            "The type of Loan was string and is array or object now.",
        ),
        (
            {"additionalProperties": True},
            {"additionalProperties": False},
            "Loan: no other members now.",
        ),
        (
            {},
            {"additionalProperties": {"type": "string"}},
            "The description of other members of Loan is new.",
        ),
        (
            {"contentEncoding": "base64"},
            {"contentEncoding": "base64url"},
            "How Loan is written has changed (contentEncoding: 'base64url', not 'base64').",
        ),
        (
            {"contentEncoding": "base64"},
            {},
            "How Loan is written has changed (contentEncoding: no longer 'base64').",
        ),
        ({}, {"enum": ["a"]}, "The list of values of Loan is new."),
        (
            {},
            {"oneOf": [{"type": "string"}, {"type": "null"}]},
            "Loan has the type string or null now.",
        ),
    ],
)
def test_plain_values_of_keywords_are_shown(
    before: dict[str, Any], after: dict[str, Any], effect: str
) -> None:
    found = explain("request", {"Loan": before}, {"Loan": after})
    assert [each["effect"] for each in found] == [effect]


@cases(
    ("variant", "words"),
    [
        ({"type": "string", "maxLength": 9}, "of the type string, at most 9 characters"),
        ({"type": "string", "enum": [""]}, "''"),
        ({"enum": ["auto", "never"]}, "auto or never"),
        ({"type": ["array", "object"]}, "of the type array or object"),
        ({"properties": {"a": {}, "b": {}}}, "an object with a, b"),
        ({"properties": {key: {} for key in "abcde"}}, "an object with a, b, c and 2 more"),
        ({"allOf": [{"type": "object"}]}, "a variant without a name"),
    ],
)
def test_variant_without_a_name_is_described(variant: dict[str, Any], words: str) -> None:
    members = [{"type": "integer"}, {"type": "boolean"}, variant]
    for shorter, words_of_event in ((2, "also"), (3, "no longer")):
        sides = ({"Loan": {"anyOf": members[:each]}} for each in (shorter, 5 - shorter))
        (found,) = explain("request", *sides)
        assert found["effect"] == f"Loan can {words_of_event} be {words} in requests."


NAMED: list[dict[str, Any]] = [{"tag": {}}, {}]


def body(field: dict[str, Any]) -> dict[str, Any]:
    properties = {"type": "object", "properties": field}
    return {"description": "", "content": {"application/json": {"schema": properties}}}


@cases(
    ("section", "part", "gone"),
    [
        ("webhooks", "requestBody", "tag of WEBHOOK /loans is gone from webhooks."),
        ("webhooks", "responses", "tag of WEBHOOK /loans is gone from answers to webhooks."),
        ("paths", "requestBody", "tag of POST /loans is gone from requests."),
        ("paths", "responses", "tag of POST /loans is gone from responses."),
    ],
)
def test_messages_of_webhooks_are_called_so(section: str, part: str, gone: str) -> None:
    sides = [
        {"requestBody": body({}), "responses": {"200": body({})}}
        | {part: body(field) if part == "requestBody" else {"200": body(field)}}
        for field in NAMED
    ]
    (found,) = explain("document", *({section: {"/loans": {"post": each}}} for each in sides))
    assert found["effect"] == gone


def test_message_of_calls_and_webhooks_is_called_both() -> None:
    answer = {"200": {"description": "", "content": {}}}
    loan = {"application/json": {"schema": {"$ref": "#/components/schemas/Loan"}}}
    sides = (
        {
            "paths": {
                "/loans": {"get": {"responses": {"200": {"description": "", "content": loan}}}}
            },
            "webhooks": {"lost": {"post": {"requestBody": {"content": loan}, "responses": answer}}},
            "components": {"schemas": {"Loan": each}},
        }
        for each in (TAG, {"type": "object"})
    )
    (found,) = explain("document", *sides)
    assert found["effect"] == "Loan.tag is gone from responses and webhooks."


@pytest.mark.parametrize(
    ("keyword", "values", "subject"),
    [
        ("tags", [["a"], ["b"]], "The tags of GET /loans"),
        ("summary", ["a", "b"], "The summary of GET /loans"),
        ("externalDocs", [{"url": "a"}, {"url": "b"}], "The externalDocs of GET /loans"),
    ],
)
def test_sentences_agree_with_the_number_of_their_subject(
    keyword: str, values: list[Any], subject: str
) -> None:
    sides = [{"responses": {}}, *({"responses": {}, keyword: each} for each in values)]
    are = ("is", "has") if keyword == "summary" else ("are", "have")
    for before, after, event in (
        (0, 1, f"{are[0]} new"),
        (1, 0, f"{are[0]} gone"),
        (1, 2, f"{are[1]} changed"),
    ):
        (found,) = explain("operation", sides[before], sides[after])
        assert found["effect"] == f"{subject} {event}."


def test_explained_rules_exist() -> None:
    assert [*EXPLAINED] == [*CHANGE_RULES]


TAG = {"type": "object", "properties": {"tag": {"const": "new"}}}


@cases(
    ("around", "lines"),
    [
        (lambda inner: inner, ["  {", '+   "tag": "new"', "  }"]),
        (
            lambda inner: {"type": "object", "properties": {"a.b/c": inner}},
            ["  {", '    "a.b/c": {', '+     "tag": "new"', "    }", "  }"],
        ),
        (
            lambda inner: {"type": "array", "items": inner},
            ["  [", "    {", '+     "tag": "new"', "    }", "  ]"],
        ),
        (
            lambda inner: {"type": "object", "additionalProperties": inner},
            ["  {", '    "…": {', '+     "tag": "new"', "    }", "  }"],
        ),
        (lambda inner: {"allOf": [inner]}, ["  {", '+   "tag": "new"', "  }"]),
        (
            lambda inner: {"type": "array", "prefixItems": [inner]},
            ["  [", "    {", '+     "tag": "new"', "    }", "  ]"],
        ),
    ],
    ids=["root", "field", "list", "map", "allOf", "prefixItems"],
)
@cases("where", ["response", "request"])
def test_message_shows_the_change_with_its_context(
    where: str, around: Any, lines: list[str]
) -> None:
    before, after = ({"Loan": around(inner)} for inner in ({"type": "object"}, TAG))
    (found,) = explain(where, before, after)
    assert found["lines"].split("\n") == lines
    # the other way round, the same lines are removed
    (gone,) = explain(where, after, before)
    assert gone["lines"].split("\n") == [line.replace("+", "-") for line in lines]


def test_message_omits_parts_that_no_operation_uses() -> None:
    (found,) = explain("model", {"Loan": {"type": "object"}}, {"Loan": TAG})
    assert found["lines"] == ""


def test_long_value_is_truncated_to_its_first_lines() -> None:
    many = {f"f{index}": {"const": index} for index in range(40)}
    whole = {"type": "object", "required": [*many], "properties": many}
    after = {"Loan": {"type": "object", "properties": {"all": whole}}}
    (found,) = explain("response", {"Loan": {"type": "object"}}, after)
    lines = found["lines"].split("\n")
    assert lines[:3] == ["  {", '+   "all": {', '+     "f0": 0,']
    assert lines[-2:] == ["  …", "  }"]
    assert len(lines) == 15


def test_field_in_a_body_without_a_name_is_named_with_its_operation() -> None:
    body = {"content": {"application/json": {"schema": {"type": "object"}}}}
    filled = {"content": {"application/json": {"schema": TAG}}}
    response = {"200": {"description": "loans"}}
    assert explain(
        "operation",
        {"requestBody": body, "responses": response},
        {"requestBody": filled, "responses": response},
    ) == [{"effect": "You can send tag of GET /loans.", "lines": '  {\n+   "tag": "new"\n  }'}]


@pytest.mark.parametrize(
    ("arrays", "field", "effect"),
    [
        (1, TAG, "You can send tag of each item of GET /loans."),
        (2, TAG, "You can send tag of each item of each item of GET /loans."),
        (1, {"minItems": 1}, "Each item of GET /loans has the minimum number of items 1 now."),
    ],
)
def test_items_of_a_body_are_named_in_words(arrays: int, field: Any, effect: str) -> None:
    before: Any = {"type": "object" if "properties" in field else "array"}
    after: Any = before | field
    for _ in range(arrays):
        before, after = ({"type": "array", "items": each} for each in (before, after))
    sides = (
        {
            "requestBody": {"content": {"application/json": {"schema": each}}},
            "responses": {"200": {"description": "loans"}},
        }
        for each in (before, after)
    )
    assert [each["effect"] for each in explain("operation", *sides)] == [effect]


BOOK = {"$ref": "#/components/schemas/Book"}
DISC = {"$ref": "#/components/schemas/Disc"}
PLAIN = {"type": "object"}


@cases(
    ("where", "ending"),
    [
        ("request", " requests"),
        ("response", " responses"),
        ("request-response", " requests and responses"),
        ("model", " models"),
    ],
)
@cases(
    ("before", "after", "fact"),
    [
        (BOOK, DISC, "is described by Disc now, not by Book: Disc.tag is new in"),
        (DISC, BOOK, "is described by Book now, not by Disc: Disc.tag is gone from"),
        (PLAIN, DISC, "is described by Disc now: Disc.tag is new in"),
        (DISC, PLAIN, "is no longer described by Disc: Disc.tag is gone from"),
        (
            {"allOf": [BOOK]},
            {"allOf": [BOOK, DISC]},
            "is described by Disc now: Disc.tag is new in",
        ),
        (
            {"allOf": [BOOK, DISC]},
            {"allOf": [BOOK]},
            "is no longer described by Disc: Disc.tag is gone from",
        ),
    ],
)
def test_switched_reference_is_explained_by_its_consequence(
    where: str, ending: str, before: dict[str, Any], after: dict[str, Any], fact: str
) -> None:
    older, newer = (
        {"Loan": {"type": "object", "properties": {"item": item}}, "Book": PLAIN, "Disc": TAG}
        for item in (before, after)
    )
    effect = f"Loan.item {fact}{ending}."
    if where == "request":
        effect = effect.replace("Disc.tag is new in requests", "You can send Disc.tag")
    assert [found["effect"] for found in explain(where, older, newer)] == [effect]
