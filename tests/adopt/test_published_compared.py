"""Comparisons read published documents in the same way as `adopt`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.adopted_apis import store
from support.copies import copy_plain
from support.odd_documents import CASES, EVERY_OBJECT, SOUND, edit
from support.seeds import scale
from support.tables import cases

from dateline.adopt import adopt
from dateline.check.comparison import compare
from dateline.diff import DiffReadings, diff
from dateline.diff.published import read_meanings
from dateline.load.checks import find_problems
from dateline.load.foreign import _FOREIGN
from dateline.model import Change, Finding, Kind, Place, SourceError
from dateline.oddities import find_published, keep_oddities, list_used
from dateline.openapi import OBJECTS, follow, walk

NOWHERE = Path("nowhere")


SAME = {"null in place of scopes", "null in place of scopes of an operation"}
"""Oddities that say the same as what the sound document says there."""


def compare_documents(folder: Path, before: Any, after: Any) -> list[Finding]:
    names = []
    for name, document in (("before", before), ("after", after)):
        (folder / f"{name}.json").write_text(json.dumps(document))
        names.append(str(folder / f"{name}.json"))
    return compare(NOWHERE, NOWHERE, *names)[0]


def list_changes(before: dict[str, Any], after: dict[str, Any]) -> list[Change]:
    readings = DiffReadings()
    meant = read_meanings(before, after, readings, are_published=(True, True))
    return diff(*meant, None, readings)


def judge(before: Any, after: Any, folder: Path) -> list[tuple[str, str, str]]:
    return [
        (found.rule, found.message, found.after_pointer or found.before_pointer or "")
        for found in compare_documents(folder, before, after)
    ]


@cases("case", CASES, ids=[case["oddity"] for case in CASES])
def test_each_oddity_is_compared(tmp_path: Path, case: dict[str, Any]) -> None:
    odd = edit(copy_plain(SOUND), case)
    assert compare_documents(tmp_path, odd, copy_plain(odd)) == []
    for pair in ((SOUND, odd), (odd, SOUND)):
        assert compare_documents(tmp_path, *pair) or case["oddity"] in SAME
    narrowed = copy_plain(odd)
    narrowed["components"]["schemas"]["Cat"]["properties"]["kind"] = {"type": "integer"}
    found = judge(odd, narrowed, tmp_path)
    assert [message for rule, message, _ in found if rule != "documentation-changed"] == [
        "Cat.kind: type changed ('string' -> 'integer')"
    ]


def test_equivalent_spellings_are_compared_by_their_meaning(tmp_path: Path) -> None:
    def said(**keywords: Any) -> dict[str, Any]:
        document = copy_plain(SOUND)
        twice = {"name": "q", "in": "query", "schema": {"type": "string"}}
        last = {"name": "n", "in": "query", "schema": {"type": "string", **keywords}}
        document["paths"]["/loans/{id}"]["get"]["parameters"] += [twice, last]
        return document

    at = "/paths/~1loans~1{id}/get/parameters/2/schema"
    found = judge(said(maxLength="255"), said(maxLength="100"), tmp_path)
    message = "GET /loans/{id}, n: maxLength changed (255 -> 100)"
    assert ("request-narrowed", message, f"{at}/maxLength") in found
    found = judge(said(maxLength="255"), said(maxLength=255), tmp_path)
    assert {rule for rule, *_ in found} == {"extension-changed"}
    found = judge(said(allOf={"maxLength": 255}), said(allOf={"maxLength": 100}), tmp_path)
    assert ("request-narrowed", message, f"{at}/allOf/maxLength") in found
    found = judge(said(enum=["x", "y"]), said(enum="x"), tmp_path)
    assert ("value-removed", "GET /loans/{id}, n: value y removed", f"{at}/enum") in found


@cases(
    ("beside", "rules"),
    [
        ({"x-extensible-enum": True}, ["open-value-added"]),
        ({"x-extensible-enum": False}, ["value-added"]),
        ({"x-extensible-enum": ["a", "b"]}, ["value-added"]),
        ({"x-extensible-enum": True, "type": ["string", "null"]}, ["open-value-added"]),
        ({"x-extensible-enum": True, "type": "integer"}, ["value-added"]),
    ],
    ids=str,
)
def test_value_is_added_to_an_enumeration_that_may_be_open_ended(
    tmp_path: Path, beside: dict[str, Any], rules: list[str]
) -> None:
    def said(*values: str) -> dict[str, Any]:
        document = copy_plain(SOUND)
        state = {"type": "string", "enum": [*values], **beside}
        document["components"]["schemas"]["Loan"]["properties"]["state"] = state
        return document

    assert {rule for rule, *_ in judge(said("a"), said("a", "b"), tmp_path)} == {*rules}


VALUES: tuple[Any, ...] = (None, True, 7, "text", "7", [], {}, ["text"], {"a": 7})
STEP = 1 if scale(4) == 4 else len(VALUES)
"""Each key is tried with one value, keys with the next one in turn, or with all."""


@pytest.mark.parametrize("kind", sorted(OBJECTS))
def test_any_value_of_any_key_is_read_or_refused(kind: str) -> None:
    for at, key in enumerate(OBJECTS[kind]):
        for value in VALUES[at % STEP :: STEP]:
            document = copy_plain(EVERY_OBJECT)
            for node in [node for _, found, node in walk("document", document) if found == kind]:
                node[key.replace("*", "/any")] = value
            kept = keep_oddities(document)
            is_taken = not [*find_problems(dict(kept), _FOREIGN, lambda *_, **__: Place("", 1, 1))]
            try:
                changes = list_changes(EVERY_OBJECT, document)
            except (TypeError, AttributeError, LookupError):
                assert not is_taken, (key, value)
                continue
            assert changes or is_taken, (key, value)
            for change in changes:
                if change.after_pointer is not None:
                    path = find_published(document, follow(kept, change.after_pointer))
                    held: Any = document
                    for step in path:
                        held = held[step]


BASE = {"$ref": "#/components/schemas/Base"}
DYNAMIC = {"$dynamicRef": "#base"}


@cases("discriminator", ["kind", {"propertyName": "kind"}], ids=str)
@cases("extends", [BASE, [BASE], DYNAMIC, [DYNAMIC]], ids=str)
@cases(
    "schema",
    [BASE, DYNAMIC, {"allOf": BASE}, {"type": "array", "items": {"allOf": [DYNAMIC]}}],
    ids=str,
)
def test_equal_parts_that_reach_a_change_are_read(
    schema: dict[str, Any], extends: Any, discriminator: Any
) -> None:
    def said(kind: str) -> dict[str, Any]:
        document = copy_plain(SOUND)
        answer = document["paths"]["/loans/{id}"]["get"]["responses"]["200"]
        answer["content"] = {"application/json": {"schema": schema}}
        document["components"]["schemas"] |= {
            "Base": {
                "$dynamicAnchor": "base",
                "type": "object",
                "properties": {"kind": {"type": "string"}},
                "discriminator": discriminator,
            },
            "Extending": {
                "allOf": extends,
                "properties": {"a": {"$ref": "#/components/schemas/Inner"}},
            },
            "Inner": {"type": kind},
        }
        return document

    [change] = list_changes(said("string"), said("integer"))
    assert change.operations == ("GET /loans/{id}",)
    assert ("schemas", "Inner") in list_used(said("string"))


UNREAD = "https://elsewhere.example/all.yaml#/Pet"
GONE = "#/components/schemas/Gone"


@pytest.mark.parametrize("reference", [UNREAD, GONE, "gone.yaml#/Pet"])
def test_unused_part_may_have_a_dangling_reference(tmp_path: Path, reference: str) -> None:
    lost = {"$ref": reference}
    document = copy_plain(SOUND)
    answer = document["paths"]["/loans/{id}"]["get"]["responses"]["200"]
    answer["content"]["application/json"]["examples"] = {"lost": lost}
    answer["links"] = {"lost": lost, "other": {"operationRef": "Other#/paths/~1a/get"}}
    document["x-logo"] = lost
    document["components"]["schemas"]["Loan"]["example"] = lost
    document["components"]["schemas"]["Unused"] = {
        "allOf": [lost, {"type": "object", "properties": {"a": lost, "b": {"items": lost}}}]
    }
    for section in ("responses", "headers", "requestBodies", "examples", "schemas"):
        document["components"].setdefault(section, {})["Lost"] = lost
    if not reference.startswith("#"):
        document["components"]["parameters"] = {"Lost": lost}
    assert compare_documents(tmp_path, document, copy_plain(document)) == []
    assert compare_documents(tmp_path, SOUND, document)
    other = json.loads(json.dumps(document).replace(reference, reference.replace("e", "o")))
    assert compare_documents(tmp_path, document, other)


@pytest.mark.parametrize("reference", [UNREAD, "gone.yaml#/Pet"])
def test_unsupported_keyword_is_refused_by_name(tmp_path: Path, reference: str) -> None:
    document = copy_plain(SOUND)
    document["components"]["schemas"]["Pet"] = {"$ref": reference}
    with pytest.raises(SourceError) as caught:
        compare_documents(tmp_path, document, copy_plain(document))
    assert all(reference in problem.message for problem in caught.value.problems)


@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef"])
def test_part_used_only_by_another_file_is_read(tmp_path: Path, keyword: str) -> None:
    document = copy_plain(SOUND)
    answer = document["paths"]["/loans/{id}"]["get"]["responses"]["200"]
    answer["content"]["application/json"]["schema"] = {"$ref": "other.json#/Page"}
    document["components"]["schemas"]["Back"] = {"properties": {"a": {keyword: "gone.json#/Pet"}}}
    main = tmp_path / "main.json"
    main.write_text(json.dumps(document))

    def refer_back(name: str) -> None:
        page = {"type": "array", "items": {"$ref": f"main.json#/components/schemas/{name}"}}
        (tmp_path / "other.json").write_text(json.dumps({"Page": page}))

    refer_back("Cat")
    assert compare(NOWHERE, NOWHERE, str(main), str(main))[0] == []
    refer_back("Back")
    with pytest.raises(SourceError) as caught:
        compare(NOWHERE, NOWHERE, str(main), str(main))
    assert {Path(problem.place.file).name for problem in caught.value.problems} == {"main.json"}


def test_reference_to_another_kind_of_object_has_no_meaning(tmp_path: Path) -> None:
    document = copy_plain(SOUND)
    parameter = {"$ref": "#/paths/~1loans~1{id}/parameters/0"}
    document["components"]["schemas"]["Loan"]["properties"]["odd"] = parameter
    document["paths"]["/loans"]["post"]["responses"]["400"] = {"$ref": "#/components/schemas/Cat"}
    adoption = adopt(store(tmp_path, [document]), tmp_path / "schemas")
    assert [words for *_, words in adoption.documents] == ["equal"]
    assert compare_documents(tmp_path, document, copy_plain(document)) == []
    found = {message for _, message, _ in judge(SOUND, document, tmp_path)}
    assert "Loan.odd: field added" in {message.split(" (")[0] for message in found}


def test_something_else_in_a_mapping_leaves_its_objects() -> None:
    document: dict[str, Any] = copy_plain(EVERY_OBJECT)
    item = document["paths"]["/loans"]
    item["additionalOperations"] = {"COPY": {"responses": {}}}
    document["webhooks"] = {"returned": {"post": {"responses": {}}}}
    body, answer = item["post"]["requestBody"], item["post"]["responses"]["200"]
    for holder, key in (
        (document["servers"][0], "variables"),
        (document, "webhooks"),
        (item, "additionalOperations"),
        (item["post"], "callbacks"),
        (body["content"]["application/json"], "encoding"),
        (answer, "headers"),
        (answer, "links"),
    ):
        sound = copy_plain(document)
        objects = holder[key]
        for odd in ("text", 7, ["a"]):
            holder[key] = {**objects, "x-odd": odd}
            changes = [*list_changes(sound, document), *list_changes(document, sound)]
            noted = {Kind.DOCUMENTATION_CHANGED, Kind.EXTENSION_CHANGED}
            assert {change.kind for change in changes} <= noted, (key, odd)
            holder[key] = dict.fromkeys(objects, odd)
            assert list_changes(sound, document), (key, odd)
        holder[key] = objects
