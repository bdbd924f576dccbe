"""Every kind of change between two documents is reported once, at its place."""

from __future__ import annotations

import copy
import gc
import json
import subprocess
import sys
from dataclasses import fields
from enum import Enum
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from support.tables import cases

from dateline.diff import diff
from dateline.model import Change, Contract, Direction, Kind

Document = dict[str, Any]
Case = dict[str, Any]

CASES: Final[list[Case]] = yaml.load(
    (Path(__file__).parent / "test_diff_cases.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader
)
SIDES: Final = ("before", "after")
USES: Final = {"response": ("get",), "request": ("post",), "both": ("get", "post"), "model": ()}


def document(parts: Document) -> Document:
    """Return a complete document with *parts*."""
    return {"openapi": "3.1.0", "info": {"title": "A", "version": "1"}, **parts}


def using(schemas: Document, use: str) -> Document:
    """Return a document whose operations return, or take, the first of *schemas*."""
    reference = f"#/components/schemas/{next(iter(schemas))}"
    body = {"content": {"application/json": {"schema": {"$ref": reference}}}}
    operations = {
        "get": {"responses": {"200": {"description": "", **body}}},
        "post": {"requestBody": body, "responses": {}},
    }
    paths = {"/x": {method: operations[method] for method in USES[use]}}
    return {"paths": paths, "components": {"schemas": schemas}}


def documents(case: Case) -> tuple[Document, Document]:
    said = case.get("openapi", "3.1.0")
    versions = [said, said] if isinstance(said, str) else said
    before, after = (
        {"openapi": version, **(using(case[side], case["in"]) if "in" in case else case[side])}
        for side, version in zip(SIDES, versions, strict=True)
    )
    return document(before), document(after)


def plain(change: Change) -> Document:
    """Return the fields of *change* that have a value."""
    found = {}
    for field in fields(change):
        value = getattr(change, field.name)
        if isinstance(value, Enum):
            value = value.value
        elif field.name == "within":
            value = [plain(inner) for inner in value]
        elif isinstance(value, tuple):
            value = list(value)
        if value is not None and (field.name in SIDES or value not in ([], "", False)):
            found[field.name] = value
    return found


each_case = cases("case", CASES, ids=[case["it"] for case in CASES])


@each_case
def test_every_change_is_reported(case: Case) -> None:
    changes = diff(*documents(case), case.get("renames"))
    # as text, because in Python 1, true and 1.0 are equal
    reported = [json.dumps(plain(change), sort_keys=True) for change in changes]
    assert reported == [json.dumps(change, sort_keys=True) for change in case["told"]]


def test_every_kind_of_change_has_a_case() -> None:
    reported = {change["kind"] for case in CASES for change in case["told"]}
    assert reported == {kind.value for kind in Kind}


@each_case
def test_equal_documents_have_no_changes(case: Case) -> None:
    for side in documents(case):
        assert diff(side, copy.deepcopy(side)) == []
        assert diff(side, side) == []


def sharing(before: Any, after: Any) -> Any:
    """Return *after* with the parts that equal those of *before* as shared objects."""
    if json.dumps(before) == json.dumps(after):
        return before
    if isinstance(before, dict) and isinstance(after, dict):
        return {key: sharing(before.get(key), value) for key, value in after.items()}
    if isinstance(before, list) and isinstance(after, list):
        pairs = zip_longest(before[: len(after)], after)
        return [sharing(old, new) for old, new in pairs]
    return after


@each_case
def test_documents_with_shared_parts_have_the_same_changes(case: Case) -> None:
    before, after = documents(case)
    reported = [plain(change) for change in diff(before, after, case.get("renames"))]
    shared = diff(before, sharing(before, after), case.get("renames"))
    assert [plain(change) for change in shared] == reported


PET: Final = {"$ref": "#/components/schemas/Pet"}
PET_HEADER: Final = {"$ref": "#/components/headers/Pet"}
LINK: Final = "#/components/links/Pet"
BODY: Final = {"content": {"a/b": {"schema": PET}}}
ENCODED: Final = {
    "a/b": {"schema": PET, "encoding": {"tag": {"headers": {"X-E": {"schema": PET}}}}}
}
REACHING: Final = {
    "a parameter of the query": {"parameters": [{"name": "p", "in": "query", "schema": PET}]},
    "a header": {"parameters": [{"name": "p", "in": "header", "schema": PET}]},
    "a cookie": {"parameters": [{"name": "p", "in": "cookie", "schema": PET}]},
    "a parameter's content": {"parameters": [{"name": "p", "in": "query", **BODY}]},
    "a parameter by reference": {"parameters": [{"$ref": "#/components/parameters/Pet"}]},
    "a body": {"requestBody": BODY},
    "a body with headers of its parts": {"requestBody": {"content": ENCODED}},
    "a body by reference": {"requestBody": {"$ref": "#/components/requestBodies/Pet"}},
    "a list in a body": {"requestBody": {"content": {"a/b": {"schema": {"items": PET}}}}},
    "an answer": {"responses": {"200": {"description": "", **BODY}}},
    "an answer's header": {
        "responses": {"404": {"description": "", "headers": {"X-P": {"schema": PET}}}}
    },
    "an answer's header by reference": {
        "responses": {"404": {"description": "", "headers": {"X-P": PET_HEADER}}}
    },
    "an answer's header of content": {
        "responses": {"404": {"description": "", "headers": {"X-P": BODY}}}
    },
    "an answer by reference": {"responses": {"200": {"$ref": "#/components/responses/Pet"}}},
    "an answer beside a link": {
        "responses": {"200": {"description": "", **BODY, "links": {"L": {"operationId": "l"}}}}
    },
    "links alone": {
        "responses": {"200": {"description": "", "links": {"L": {"$ref": LINK}}}},
        "requestBody": BODY,
    },
    "a callback": {"callbacks": {"on": {"/on": {"post": {"requestBody": BODY}}}}},
    "a callback by reference": {"callbacks": {"on": {"$ref": "#/components/callbacks/Pet"}}},
    "an extension": {"responses": {"x-answer": BODY}},
}


@cases("webhook", [False, True])
@cases("reaching", REACHING)
def test_change_in_a_shared_part_lists_its_operations(reaching: str, webhook: bool) -> None:
    def pets(maximum: int) -> Document:
        components: Document = {
            "schemas": {"Pet": {"properties": {"tag": {"type": "string", "maxLength": maximum}}}},
            "parameters": {"Pet": {"name": "p", "in": "query", "schema": PET}},
            "requestBodies": {"Pet": BODY},
            "responses": {"Pet": {"description": "", **BODY}},
            "headers": {"Pet": {"schema": PET}},
            "links": {"Pet": {"operationId": "l", "parameters": {"p": maximum}}},
            "callbacks": {"Pet": {"/on": {"post": {"requestBody": BODY}}}},
        }
        item = {"get": REACHING[reaching], "post": {"responses": {}}}
        section = "webhooks" if webhook else "paths"
        return document({section: {"/a": item, "/b": item}, "components": components})

    before, after = pets(5), pets(6)
    reported = [plain(change) for change in diff(before, copy.deepcopy(after))]
    *links, bound = reported
    used = [link for link in links if link["direction"] != "model"]
    assert bool(used) is (reaching == "links alone")
    assert (bound["direction"] == "model") is (reaching == "an extension")
    assert [plain(change) for change in diff(before, sharing(before, after))] == reported


HOOKED: Final[dict[str, tuple[str, list[str], str, list[str], list[str]]]] = {
    # versions and sections of both sides, and the kinds of the changes
    "3.0 to 3.1": ("3.0.3", ["x-webhooks"], "3.1.0", ["webhooks"], []),
    "3.1 to 3.0": ("3.1.0", ["webhooks"], "3.0.3", ["x-webhooks"], []),
    "within 3.0": ("3.0.3", ["x-webhooks"], "3.0.3", ["x-webhooks"], []),
    "hidden in 3.1": ("3.1.0", ["webhooks"], "3.1.0", ["x-webhooks"], ["added", "removed"]),
    "removed with 3.0": ("3.0.3", ["x-webhooks"], "3.1.0", [], ["removed"]),
    "one of two": ("3.0.3", ["webhooks", "x-webhooks"], "3.1.0", ["webhooks"], ["removed"]),
}


@cases("bound", [5, 6])
@cases("case", HOOKED)
def test_webhooks_of_3_0_are_compared_with_webhooks_of_3_1(case: str, bound: int) -> None:
    first, ours, second, theirs, expected = HOOKED[case]

    def hooked(openapi: str, sections: list[str], maximum: int) -> Document:
        schema = {"type": "string", "maxLength": maximum}
        body = {"requestBody": {"content": {"application/json": {"schema": schema}}}}
        item = {"w": {"post": {**body, "responses": {"200": {"description": ""}}}}}
        return {**document({}), "openapi": openapi, **dict.fromkeys(sections, item)}

    changes = diff(hooked(first, ours, 5), hooked(second, theirs, bound))
    shown = [change for change in changes if change.operations == ("WEBHOOK w",)]
    compared = bound != 5 and set(expected) != {"added", "removed"} and bool(theirs)
    kinds = [change.kind.value.rsplit("-", 1)[1] for change in shown]
    assert sorted(kinds) == sorted([*expected, *["changed"] * compared])


def test_garbage_collector_is_restored_after_a_comparison() -> None:
    assert gc.isenabled()
    diff(*documents(CASES[0]))
    assert gc.isenabled()


@each_case
def test_comparison_does_not_modify_documents(case: Case) -> None:
    pair = documents(case)
    kept = copy.deepcopy(pair)
    diff(*pair, case.get("renames"))
    assert pair == kept


MIRRORED: Final = {
    "added": "removed",
    "removed": "added",
    "required": "optional",
    "optional": "required",
}


def mirror(change: Change) -> tuple[Any, ...]:
    """Return *change* as seen from the other side."""
    *subject, event = change.kind.value.split("-")
    return (
        "-".join([*subject, MIRRORED.get(event, event)]),
        change.keyword,
        change.after_pointer,
        change.before_pointer,
        repr(change.after),
        repr(change.before),
        change.direction,
        change.carriers,
        sorted(mirror(inner) for inner in change.within),
    )


def list_seen(change: Change) -> tuple[Any, ...]:
    return (
        change.kind.value,
        change.keyword,
        change.before_pointer,
        change.after_pointer,
        repr(change.before),
        repr(change.after),
        change.direction,
        change.carriers,
        sorted(list_seen(inner) for inner in change.within),
    )


@each_case
def test_reverse_comparison_has_mirrored_changes(case: Case) -> None:
    before, after = documents(case)
    there = [mirror(change) for change in diff(before, after)]
    back = [list_seen(change) for change in diff(after, before)]
    assert sorted(map(repr, there)) == sorted(map(repr, back))


def test_contracts_are_compared_like_their_documents() -> None:
    before, after = (
        using({"Pet": {"type": "object", "properties": properties}}, "response")
        for properties in ({}, {"tag": {"type": "string"}})
    )
    published, projected = (
        Contract(version="2024-01-01", environment="production", document=side)
        for side in (before, after)
    )
    assert diff(published, projected) == diff(before, after)
    assert diff(published, after) == diff(before, projected)


def test_change_lists_every_operation_that_can_show_it() -> None:
    def pets(maximum: int) -> Document:
        schemas: Document = {"Pet": {"properties": {"tag": {"maxLength": maximum}}}}
        schemas |= {
            f"Link{index}": {"properties": {"next": {"$ref": f"#/components/schemas/{name}"}}}
            for index, name in enumerate(["Pet", *(f"Link{index}" for index in range(40))])
        }
        body = {"content": {"a/b": {"schema": {"$ref": "#/components/schemas/Link40"}}}}
        answer = {"responses": {"200": {"description": "", **body}}}
        paths = {f"/{index}": {"get": answer} for index in range(300)}
        return document({"paths": paths, "components": {"schemas": schemas}})

    pointer = "/components/schemas/Pet/properties/tag/maxLength"
    assert diff(pets(5), pets(6)) == [
        Change(
            kind=Kind.KEYWORD_CHANGED,
            direction=Direction.RESPONSE,
            before_pointer=pointer,
            after_pointer=pointer,
            schema="Pet",
            field="tag",
            keyword="maxLength",
            operations=tuple(sorted(f"GET /{index}" for index in range(300))),
            before=5,
            after=6,
            carriers=("body",),
        )
    ]


def test_mutually_recursive_schemas_are_compared_once() -> None:
    def ring(size: int, maximum: int) -> Document:
        return {
            f"R{index}": {
                "properties": {
                    "text": {"maxLength": maximum},
                    **{
                        f"to{other}": {"$ref": f"#/components/schemas/R{other}"}
                        for other in range(size)
                    },
                }
            }
            for index in range(size)
        }

    before, after = using(ring(25, 1), "both"), using(ring(25, 2), "both")
    pointers = [f"/components/schemas/R{index}/properties/text/maxLength" for index in range(25)]
    changes = diff(before, after)
    assert [change.before_pointer for change in changes] == sorted(pointers)
    assert {change.direction for change in changes} == {Direction.BOTH}


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/components/schemas/Pet"},
        {"allOf": [{"$ref": "#/components/schemas/Pet"}]},
        {"anyOf": [{"$ref": "#/components/schemas/Pet"}, {"type": "null"}]},
        {"oneOf": [{"$ref": "#/components/schemas/Pet"}, {"$ref": "#/components/schemas/Pet"}]},
        {
            "items": {"$ref": "#/components/schemas/Pet"},
            "not": {"$ref": "#/components/schemas/Pet"},
        },
    ],
)
def test_schema_that_contains_itself_in_all_of_can_be_compared(schema: Document) -> None:
    before = using({"Pet": schema}, "response")
    after = using({"Pet": {**schema, "maxLength": 5}}, "response")
    assert [str(change.kind) for change in diff(before, after)][:1] == ["keyword-added"]


def test_recursive_union_can_become_one_of_its_members() -> None:
    pet = {"type": "object", "properties": {"name": {"type": "string"}}}
    union = {"oneOf": [pet, {"type": "boolean"}, {"$ref": "#/components/schemas/Pet"}]}
    changes = diff(using({"Pet": union}, "response"), using({"Pet": pet}, "response"))
    assert [(change.kind, change.before_pointer) for change in changes] == [
        (Kind.VARIANT_REMOVED, "/components/schemas/Pet/oneOf/1"),
        (Kind.VARIANT_REMOVED, "/components/schemas/Pet/oneOf/2"),
    ]


def test_changes_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    script = tmp_path / "told.py"
    script.write_text(
        "import json, sys\n"
        "from dateline.diff import diff\n"
        "for before, after in json.load(sys.stdin):\n"
        "    print(*diff(before, after), sep='\\n')\n",
        encoding="utf-8",
    )
    pairs = [documents(case) for case in CASES]
    reported = subprocess.run(
        [sys.executable, script],
        input=json.dumps(pairs),
        env={"PYTHONHASHSEED": "1", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    here = [diff(*json.loads(json.dumps(pair))) for pair in pairs]
    assert reported == "".join("\n".join(map(str, changes)) + "\n" for changes in here)


def test_method_of_a_later_openapi_is_no_operation_in_an_older_document() -> None:
    """`query` is new in 3.2; before, it is an unknown key."""
    answer = {"responses": {"200": {"description": "d"}}}
    item = {"get": answer, "query": answer}
    for version, kinds in (("3.0.3", [Kind.KEYWORD_REMOVED]), ("3.2.0", [Kind.OPERATION_REMOVED])):
        head = {"openapi": version, "info": {"title": "T", "version": "1"}}
        before = {**head, "paths": {"/a": item}}
        after = {**head, "paths": {"/a": {"get": answer}}}
        assert [change.kind for change in diff(before, after)] == kinds
        assert diff(before, before) == []
