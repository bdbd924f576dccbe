"""Discriminators may name schemas that exist, or are members, only in other versions."""

from __future__ import annotations

import copy
import itertools
import json
import re
import shutil
from collections.abc import Iterable
from datetime import date as day
from pathlib import Path
from typing import Any

import pytest
from support.adopted_apis import read_back, store
from support.commands import dateline
from support.mocks import list_misfits
from support.random_chains import DATES
from support.repositories import commit, git
from support.tables import cases

from dateline.adopt import adopt
from dateline.demands import list_demands
from dateline.edit.retire import retire
from dateline.load import load

Document = dict[str, Any]

ORDERS = [
    order for length in (2, 3) for order in itertools.product((True, False), repeat=length)
    if len({*order}) == 2
]  # fmt: skip

SPELLINGS = {
    "name": "Dog",
    "pointer": "#/components/schemas/Dog",
    "escaped": "#/components/schemas/D%6Fg",
    "anchor": "#dog",
}

ENTRIES: dict[str, tuple[str, Document]] = {
    "mapping, 3.0": ("3.0.3", {"mapping": {k: v for k, v in SPELLINGS.items() if k != "anchor"}}),
    "mapping, 3.1": ("3.1.0", {"mapping": SPELLINGS}),
    "mapping of numbers": ("3.0.3", {"mapping": {"seven": 7, "dog": "Dog", "odd": None}}),
    "default and mapping": ("3.2.0", {"mapping": SPELLINGS, "defaultMapping": "Dog"}),
    **{f"default, {name}": ("3.2.0", {"defaultMapping": SPELLINGS[name]}) for name in SPELLINGS},
}

SEVERAL = "default and mapping"

GAPS = ("absent", "absent and extended", "no member")


def document(version: str, named: Document, gap: str, *, has_dog: bool) -> Document:
    """Return a document whose discriminator names `Dog`, which may be missing."""
    pet: Document = {
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": {"type": "string"}},
    }
    tags = {"discriminator": {"propertyName": "kind", **named}}
    own: Document = {"$anchor": "dog"} if version > "3.1" else {}
    if gap == "absent and extended":
        base = {"allOf": [{"$ref": "#/components/schemas/Pet"}]}
        schemas: Document = {"Pet": {**pet, **tags}, "Cat": base}
        if has_dog:
            schemas["Dog"] = {**base, **own}
    else:
        members = ["Cat", *(["Dog"] if has_dog else [])]
        union = [{"$ref": f"#/components/schemas/{name}"} for name in members]
        cat, dog = (
            {
                **pet,
                "required": ["kind", voice],
                "properties": {"kind": {"enum": kinds}, voice: {"type": "integer"}},
            }
            for voice, kinds in (("meow", ["Cat"]), ("bark", ["Dog", *named.get("mapping", {})]))
        )
        schemas = {"Pet": {"oneOf": union, **tags}, "Cat": cat}
        if has_dog or gap == "no member":
            schemas["Dog"] = {**dog, **own}
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}
    age = {"parameters": [{"name": "age", "in": "query", "schema": {"type": "integer"}}]}
    responses = {"200": {"description": "a pet", "content": content}}
    return {
        "openapi": version,
        "info": {"title": "Pets", "version": "1"},
        "paths": {"/pet": {"get": {"operationId": "getPet", **age, "responses": responses}}},
        "components": {"schemas": schemas},
    }


def read_documents(schemas: Path) -> dict[str, str]:
    """Return the documents that the definitions in *schemas* render, by version."""
    shown = read_back(schemas)
    dates = load(schemas).table.dates
    return {date: json.dumps(each) for date, each in zip(dates, shown, strict=True)}


def number_names(document: Document, number: int) -> Document:
    """Return the *document* with a number in the names of all its parts."""
    numbered: Document = json.loads(NAMES.sub(rf"\g<0>{number}", json.dumps(document)))
    return numbered


NAMES = re.compile(r"(?:getPet|\b(?:Pet|Cat|Dog|D%6Fg|dog|pet))\b")


def join_documents(documents: Iterable[Document]) -> Document:
    """Return one document with the paths and schemas of all."""
    numbered = [number_names(each, number) for number, each in enumerate(documents)]
    joined = copy.deepcopy(numbered[0])
    for each in numbered[1:]:
        joined["paths"] |= each["paths"]
        joined["components"]["schemas"] |= each["components"]["schemas"]
    return joined


def list_documents(entry: str, order: tuple[bool, ...]) -> list[Document]:
    """Return a document for each version, with all gaps."""
    version, named = ENTRIES[entry]
    return [
        join_documents(document(version, named, gap, has_dog=has_dog) for gap in GAPS)
        for has_dog in order
    ]


@cases(
    ("order", "entry"),
    [
        *((order, entry) for order in ORDERS for entry in ("mapping of numbers", SEVERAL)),
        *((order, entry) for order in ORDERS[:1] for entry in ENTRIES),
    ],
    ids=str,
)
def test_mapping_without_a_schema_in_a_version_round_trips(
    order: tuple[bool, ...], entry: str, tmp_path: Path
) -> None:
    documents = list_documents(entry, order)
    adoption = adopt(store(tmp_path, documents), tmp_path / "schemas", accept=lambda _: False)
    assert {words for *_, words in adoption.documents} == {"equal"}
    # the order of keys may differ
    assert [json.dumps(each, sort_keys=True) for each in read_back(tmp_path / "schemas")] == [
        json.dumps(each, sort_keys=True) for each in documents
    ]
    named = ENTRIES[entry][1]
    goals = [*named.get("mapping", {}).values(), named.get("defaultMapping")]
    times = sum(isinstance(goal, str) for goal in goals)
    # a union that is replaced as a whole leaves nothing out
    is_replaced = order == (True, False, True)
    odd = [date for date, has_dog in zip(DATES, order, strict=False) if not has_dog]
    assert [Path(each.what).stem for each in adoption.dangling] == odd
    for each, date in zip(adoption.dangling, odd, strict=True):
        assert each.times in ({2 * times, 3 * times} if is_replaced else {3 * times})
        assert each.place.file.endswith(f"{date}.json")


@pytest.mark.parametrize(
    ("order", "entry"),
    [((True, False), "mapping, 3.0"), ((False, True, False), SEVERAL)],
    ids=str,
)
def test_mapping_without_a_schema_is_served_checked_cut_and_retired(
    order: tuple[bool, ...], entry: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = list_documents(entry, order)
    monkeypatch.chdir(tmp_path)
    arguments = store(tmp_path, documents)
    schemas = tmp_path / "schemas"
    adopt(arguments, schemas, default=DATES[len(order) - 1], accept=lambda _: False)
    git("init", "--quiet", "--initial-branch=main")
    assert dateline("generate").status == 0
    commit()
    assert list_misfits(schemas) == []
    shutil.copytree(tmp_path / "generated", tmp_path / "released")
    outcome = dateline("check", "--against", "released", "--format", "json")
    assert outcome.status == 0, outcome.out
    # a missing substitute is a fact about the published version
    rules = {each["rule"] for each in json.loads(outcome.out)["changes"]}
    assert rules <= {"member-without-substitute"}
    for argument in arguments:
        date, _, file = argument.partition("=")
        spec = tmp_path / f"generated/spec/production/{date}.json"
        assert dateline("diff", file, str(spec), "--format", "json").status == 0
    before = read_documents(schemas)
    table = schemas / "versions.yaml"
    last = f"  - date: {DATES[len(order) - 1]}\n"
    head, row, rest = table.read_text("utf-8").partition(last)
    prepared = "  - { date: next, title: Pets have no age., draft: true }\n"
    title, _, policy = rest.partition("policy:")
    table.write_text(f"{head}{row}{title}{prepared}policy:{policy}", "utf-8")
    paths = [each for each in schemas.glob("*.yaml") if PARAMETER in each.read_text("utf-8")]
    assert paths
    for path in paths:
        text = path.read_text("utf-8")
        path.write_text(text.replace(PARAMETER, PARAMETER + REMOVED), "utf-8")
    commit()
    outcome = dateline("cut", CUT, "--title", "Pets have no age.")
    assert outcome.status == 0, outcome.err
    after = read_documents(schemas)
    assert {date: after[date] for date in before} == before
    table.write_text(table.read_text("utf-8") + ENDS, "utf-8")
    for one in retire(schemas, DATES[0], day(2026, 1, 1)).replacements:
        (schemas / one.name).write_bytes(one.after or b"")
    assert read_documents(schemas) == {
        date: text for date, text in after.items() if date != DATES[0]
    }


CUT = "2026-12-01"

PARAMETER = "        - name: age\n"

REMOVED = "          x-removed: next\n"

ENDS = f"""\
announcements:
  - {{ ends: {DATES[0]}, from: 2025-12-01, announced: 2025-06-01 }}
"""


@cases("order", ORDERS, ids=str)
@cases("key", ["mapping", "defaultMapping"])
def test_file_that_lacks_a_schema_in_one_version(
    key: str, order: tuple[bool, ...], tmp_path: Path
) -> None:
    documents = []
    for at, has_dog in enumerate(order):
        goal = f"./pets{at}.json#/components/schemas/Dog"
        named = {key: goal if key == "defaultMapping" else {"dog": goal}}
        made = document("3.2.0", named, "absent", has_dog=False)
        schemas = {"Dog": {"type": "object"}} if has_dog else {}
        (tmp_path / f"pets{at}.json").write_text(json.dumps({"components": {"schemas": schemas}}))
        documents.append(made)
    adopt(store(tmp_path, documents), tmp_path / "schemas", accept=lambda _: False)
    for at, shown in enumerate(read_back(tmp_path / "schemas")):
        named = shown["components"]["schemas"]["Pet"]["discriminator"][key]
        found = named if key == "defaultMapping" else named["dog"]
        written = f"./pets{at}.json#/components/schemas/Dog"
        assert found == ("#/components/schemas/Dog" if order[at] else written)


@cases(
    ("older", "newer", "demanded"),
    [
        (("dog", "hound"), ("Dog",), True),
        (("dog",), ("hound", "cur"), True),
        (("dog", "hound"), ("cur", "Dog"), True),
        (("dog",), ("hound",), False),
        (("dog",), ("dog", "hound"), False),
        (("dog", "hound"), ("dog", "hound"), False),
    ],
)
@cases("gap", ["absent", "absent and extended"])
def test_ambiguous_tags_need_a_converter(
    gap: str,
    older: tuple[str, ...],
    newer: tuple[str, ...],
    demanded: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("tags")
    named = [{"mapping": dict.fromkeys(tags, "Dog")} for tags in (older, newer)]
    documents = [document("3.1.0", each, gap, has_dog=True) for each in named]
    for each in documents if gap == "absent" else ():
        each["components"]["schemas"]["Dog"]["properties"]["kind"] = {"type": "string"}
    adopt(store(folder, documents), folder / "schemas", accept=lambda _: False)
    assert read_back(folder / "schemas") == documents
    assert any(list_demands(load(folder / "schemas"))) == demanded


def test_schemas_that_refer_to_each_other_only_across_versions(tmp_path: Path) -> None:
    tags = {"discriminator": {"propertyName": "kind"}}
    mapped = {"discriminator": {"propertyName": "kind", "mapping": {"cat": "Cat"}}}
    cat = {"$ref": "#/components/schemas/Cat"}
    states: list[Document] = [
        {"Pet": {"type": "object"}, "Cat": {"allOf": [{"$ref": "#/components/schemas/Pet"}]}},
        {"Pet": {"anyOf": [{"type": "object"}], **tags}},
        {"Pet": {"anyOf": [cat], **mapped}, "Cat": {"type": "object"}},
    ]
    chain = [document("3.1.0", {}, "absent", has_dog=False) for _ in states]
    for each, schemas in zip(chain, states, strict=True):
        each["components"]["schemas"] = schemas
    adopt(store(tmp_path, chain), tmp_path / "schemas", accept=lambda _: False)
    assert read_back(tmp_path / "schemas") == chain
    assert list_demands(load(tmp_path / "schemas")) != []
