"""A retired version leaves the table, and its gates leave the definitions; all others stay."""

from __future__ import annotations

import json
import os
import shutil
from datetime import date
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from support import gated_apis
from support.commands import Outcome, dateline, read_files
from support.kills import kill_everywhere, require_old_or_new
from support.random_chains import DATES, chains
from support.repositories import changed_lines, commit, edit, enter_copy, git, repository
from support.seeds import seeds
from support.sources import LIBRARY, NOTE, VERSIONS, folder
from support.tables import cases

from dateline import fresh
from dateline.adopt import adopt
from dateline.demands import list_demands
from dateline.edit.retire import RetireError, retire
from dateline.gates import Timeline
from dateline.load import load
from dateline.model import EVERYWHERE, Api
from dateline.project import Projector

CLEAN, FOUND, MISUSE = 0, 1, 2

TODAY: Final = date(2026, 1, 1)
FIRST, SECOND, LATEST = "2024-01-15", "2024-09-01", "2025-06-01"

ENDS: Final = """\
announcements:
  # told by letter
  - { ends: 2024-01-15, from: 2025-12-01, announced: 2025-06-01 }
  - { default: 2025-06-01, from: 2025-11-01, announced: 2025-05-01 }
  - { ends: 2024-09-01, from: 2025-12-31, announced: 2025-06-01 } # and by mail
"""

RETIRED: Final = "  - { date: 2024-01-15, title: Initial version, ended: 2025-12-01 }\n"

TABLE: Final = VERSIONS.replace(f"default: {FIRST}", f"default: {LATEST}") + ENDS


def documents(api: Api) -> dict[tuple[str, str], str]:
    """Return the text of each contract, including the order of its keys."""
    projector = Projector(api)
    names = [*(environment.name for environment in api.table.environments), EVERYWHERE]
    return {
        (version, name): json.dumps(projector.contract(version, name).document)
        for version in api.table.dates
        for name in names
    }


def retire_in_turn(schemas: Path, *versions: str, today: date = TODAY) -> None:
    """Retire *versions* in turn, and check that the remaining contracts are unchanged."""
    for version in versions:
        before = documents(load(schemas))
        for one in retire(schemas, version, today).replacements:
            (schemas / one.name).write_bytes(one.after or b"")
        assert documents(load(schemas)) == {
            which: text for which, text in before.items() if which[0] != version
        }


# The effect on gates

ANSWER: Final = """\
openapi: 3.1.0
info: { title: Library, version: canonical }
tags: [{ name: Loans }]
paths:
  /loans:
    get:
      operationId: listLoans
      tags: [Loans]
      parameters:
        - { name: page, in: query, schema: { type: integer } }
@parameters@
      responses:
        '200':
          description: loans
          headers:
            X-Page: { schema: { type: integer } }
@headers@
          content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
components:
@sections@
  schemas:
    Loan:
      type: object
      required: [id, other]
      properties:
        id: { type: string }
        other: { type: string }
@properties@
"""

# The place of a part, its text with gates, and its text after FIRST is retired.
PARTS: Final[dict[str, tuple[str, str, str]]] = {
    "added": (
        "properties",
        "a: { type: string, x-added: 2024-09-01 } # new",
        "a: { type: string } # new",
    ),
    "added, with a reason": (
        "properties",
        "a: { x-why: 'It was asked for.', type: string, x-added: '2024-09-01' }",
        "a: { type: string }",
    ),
    "added later": (
        "properties",
        "a: {type: string, x-added: 2025-06-01}",
        "a: {type: string, x-added: 2025-06-01}",
    ),
    "added and removed": (
        "properties",
        'a: { type: string, x-added: "2024-09-01", x-removed: next, x-why: No use. }',
        "a: { type: string, x-removed: next, x-why: No use. }",
    ),
    "removed": ("properties", "a: { type: string, x-removed: 2024-09-01 }\n# stays", "# stays"),
    "removed later": (
        "properties",
        "a: { type: string, x-removed: 2025-06-01 }",
        "a: { type: string, x-removed: 2025-06-01 }",
    ),
    "renamed": (
        "properties",
        "a: { type: string, x-was: { 2024-09-01: { name: b } } }",
        "a: { type: string }",
    ),
    "renamed twice": (
        "properties",
        "a: { type: string, x-was: { 2025-06-01: { name: b }, 2024-09-01: { name: c } } }",
        "a: { type: string, x-was: { 2025-06-01: { name: b } } }",
    ),
    "changed, line by line": (
        "properties",
        "a:\n  type: string # always\n  x-was:\n    2024-09-01: # at last\n      format: date\n"
        "    2025-06-01:\n      maxLength: 4\n  maxLength: 9",
        "a:\n  type: string # always\n  x-was:\n"
        "    2025-06-01:\n      maxLength: 4\n"
        "      converter: loan_a_before_2025_06_01\n  maxLength: 9",
    ),
    "in the sandbox": (
        "properties",
        "a: { type: string, x-environments: [sandbox], x-added: 2024-09-01, x-why: To try. }",
        "a: { type: string, x-environments: [sandbox], x-why: To try. }",
    ),
    "with a reason for each gate": (
        "properties",
        "a:\n  type: integer\n  x-was: { 2025-06-01: { maximum: 4 }, 2024-09-01: { maximum: 3 } }\n"
        "  x-why: { 2024-09-01: It was three., 2025-06-01: It was four. }\n"
        "b: { type: string, x-was: { 2024-09-01: { name: c } }, x-why: { 2024-09-01: A word. } }",
        "a:\n  type: integer\n"
        "  x-was: { 2025-06-01: { maximum: 4, converter: loan_a_before_2025_06_01 } }\n"
        "  x-why: { 2025-06-01: It was four. }\n"
        "b: { type: string }",
    ),
    "within another": (
        "properties",
        "a:\n  type: object\n  required: [b, c]\n  x-added: 2024-09-01\n  properties:\n"
        "    b: { type: string, x-removed: 2024-09-01 }\n"
        "    c: { type: string, x-added: 2025-06-01 }",
        "a:\n  type: object\n  required: [c]\n  properties:\n"
        "    c: { type: string, x-added: 2025-06-01 }",
    ),
    "all that an object had": (
        "properties",
        "a:\n  type: object\n  required: [b]\n  properties:\n"
        "    b: { type: string, x-removed: 2024-09-01 }",
        "a:\n  type: object",
    ),
    "values": (
        "properties",
        "a:\n  oneOf:\n    - const: one\n    # the second\n"
        "    - { const: two, x-added: 2024-09-01, x-shown-as: one, x-why: Two came. } # !\n"
        "    - { const: three, x-added: 2025-06-01, x-shown-as: one }\n"
        "    - { const: four, x-removed: 2024-09-01 }\n    - { const: 'five' }",
        "a:\n  oneOf:\n    - const: one\n    # the second\n    - { const: two } # !\n"
        "    - { const: three, x-added: 2025-06-01, x-shown-as: one }\n    - { const: 'five' }",
    ),
    "members of a union": (
        "properties",
        "a:\n  oneOf:\n    - { $ref: '#/components/schemas/Book', x-removed: 2024-09-01 }\n"
        "    - $ref: '#/components/schemas/Map'\n"
        "    - { $ref: '#/components/schemas/Disc', x-added: 2024-09-01, "
        "x-shown-as: { kind: Map } }\n"
        "  discriminator:\n    propertyName: kind\n    mapping:\n"
        "      Book: '#/components/schemas/Book'\n      Map: '#/components/schemas/Map'\n"
        "      Disc: '#/components/schemas/Disc'",
        "a:\n  oneOf:\n    - $ref: '#/components/schemas/Map'\n"
        "    - { $ref: '#/components/schemas/Disc' }\n"
        "  discriminator:\n    propertyName: kind\n    mapping:\n"
        "      Map: '#/components/schemas/Map'\n      Disc: '#/components/schemas/Disc'",
    ),
    "parameters": (
        "parameters",
        "- { name: a, in: query, schema: { type: string }, x-removed: 2024-09-01 }\n"
        "- { name: b, in: query, schema: { type: string }, x-added: 2024-09-01 }\n"
        "- { name: c, in: query, schema: { type: string }, "
        "x-was: { 2024-09-01: { name: d, required: true } } }",
        "- { name: b, in: query, schema: { type: string } }\n"
        "- { name: c, in: query, schema: { type: string } }",
    ),
    "headers": (
        "headers",
        "X-A: { schema: { type: string }, x-was: { 2024-09-01: { name: X-B } } }\n"
        "X-C: { schema: { type: string }, x-removed: 2024-09-01 }",
        "X-A: { schema: { type: string } }",
    ),
    "a section of components": (
        "sections",
        "headers:\n  X-A: { schema: { type: string }, x-removed: 2024-09-01 }",
        "",
    ),
}

KINDS: Final = {
    kind: f"    {kind}:\n      type: object\n      required: [kind]\n"
    f"      properties: {{ kind: {{ const: {kind} }} }}\n"
    for kind in ("Book", "Map", "Disc")
}

INDENTS: Final = {"properties": 8, "parameters": 8, "headers": 12, "sections": 2}


def answering(which: int, *names: str) -> str:
    """Return the API with the parts of these *names*, with gates (1) or without them (2)."""
    text = ANSWER
    for slot, indent in INDENTS.items():
        lines = [
            " " * indent + line
            for name in names
            if PARTS[name][0] == slot
            for line in PARTS[name][which].splitlines()
        ]
        text = text.replace(f"@{slot}@\n", "".join(f"{line}\n" for line in lines))
    if "members of a union" in names:
        text += KINDS["Book"] * (which == 1) + KINDS["Map"] + KINDS["Disc"]
    return text


@cases("name", PARTS)
def test_superfluous_gate_is_removed(name: str, tmp_path: Path) -> None:
    schemas = folder(tmp_path, {"versions.yaml": TABLE, "api.yaml": answering(1, name)})
    retire_in_turn(schemas, FIRST)
    assert (schemas / "api.yaml").read_text() == answering(2, name)


WEIGHT: Final = """\
        weight:
          type: string
          x-was:
            next: { type: object, required: [grams], properties: { grams: { type: integer } } }
            2025-06-01: { type: integer }
            2024-09-01: { type: array, items: { type: integer } }
"""


def test_converters_of_remaining_parts_keep_their_names(tmp_path: Path) -> None:
    loans = LIBRARY["loans.yaml"].replace("        due:", f"{WEIGHT}        due:", 1)
    schemas = folder(tmp_path, {**LIBRARY, "versions.yaml": TABLE, "loans.yaml": loans})

    def list_methods() -> dict[str, str]:
        found = list_demands(load(schemas))
        return {each.before: each.method for each in found if each.method.startswith("loan_weight")}

    names = {
        "2024-09-01": "loan_weight",
        "2025-06-01": "loan_weight_before_2025_06_01",
        "next": "loan_weight_before_next",
    }
    assert list_methods() == names
    retire_in_turn(schemas, FIRST)
    del names["2024-09-01"]
    assert list_methods() == names
    retire_in_turn(schemas, SECOND)
    del names["2025-06-01"]
    assert list_methods() == names
    assert "converter: loan_weight_before_next" in (schemas / "loans.yaml").read_text()


def test_all_gates_are_removed_together(tmp_path: Path) -> None:
    names = [name for name in PARTS if PARTS[name][0] != "properties" or name == "values"]
    schemas = folder(tmp_path, {"versions.yaml": TABLE, "api.yaml": answering(1, *names)})
    retire_in_turn(schemas, FIRST)
    assert (schemas / "api.yaml").read_text() == answering(2, *names)
    assert (schemas / "versions.yaml").read_text() == (
        TABLE.replace("  - { date: 2024-01-15, title: Initial version }\n", "")
        .replace("  # told by letter\n", "")
        .replace("  - { ends: 2024-01-15, from: 2025-12-01, announced: 2025-06-01 }\n", "")
        .replace("  - { default: 2025-06-01, from: 2025-11-01, announced: 2025-05-01 }\n", "")
        + f"retired:\n{RETIRED}"
    )


BETWEEN: Final = """\
        a: { type: string, x-added: 2024-09-01 }
        b: { type: string, x-removed: 2024-09-01 }
        c:
          type: string
          x-was:
            2024-09-01: { name: d, maxLength: 3 } # once
            2025-06-01: { maxLength: 4 }
        e: { type: string, x-was: { 2024-09-01: { format: date } } }
        f: { type: string, x-added: 2024-09-01, x-removed: 2025-06-01 }
        g: { type: string, x-was: { 2025-06-01: { format: date }, 2024-09-01: { format: null } } }
"""
# From the version in the middle, gates move on to the next one.
BETWEEN_LEFT: Final = """\
        a: { type: string, x-added: 2025-06-01 }
        b: { type: string, x-removed: 2025-06-01 }
        c:
          type: string
          x-was:
            2025-06-01: { maxLength: 3, name: d }
        e: { type: string, x-was: { 2025-06-01: { format: date } } }
        g: { type: string }
"""


LEFT_OF_TWO: Final = ("e: { type: string }", "g: { type: string }")


def test_version_between_two_others_can_be_retired(tmp_path: Path) -> None:
    text = answering(1)
    schemas = folder(tmp_path, {"versions.yaml": TABLE, "api.yaml": text + BETWEEN})
    retire_in_turn(schemas, SECOND)
    assert (schemas / "api.yaml").read_text() == text + BETWEEN_LEFT
    retire_in_turn(schemas, FIRST)
    assert (schemas / "api.yaml").read_text() == text + "".join(
        f"        {line}\n"
        for line in ("a: { type: string }", "c:", "  type: string", *LEFT_OF_TWO)
    )
    assert "announcements" not in (schemas / "versions.yaml").read_text()


# Substitutes of a member: the text, the version to retire, and the remaining text.
SUBSTITUTES: Final[dict[str, tuple[str, str, str]]] = {
    "by date": (
        "- { const: a, x-added: 2025-06-01, x-shown-as: { '2024-09-01': one, 2025-06-01: two } } #",
        FIRST,
        "- { const: a, x-added: 2025-06-01, x-shown-as: { 2025-06-01: two } } #",
    ),
    "by the date of a retired version": (
        "- { const: a, x-added: 2025-06-01, x-shown-as: { '2024-09-01': one, 2025-06-01: two } } #",
        SECOND,
        "- { const: a, x-added: 2025-06-01, x-shown-as: { '2025-06-01': one } } #",
    ),
    "before its addition and after its removal": (
        "- { const: a, x-added: 2024-09-01, x-removed: next, "
        "x-shown-as: { 2024-09-01: one, 2025-06-01: two } }",
        SECOND,
        "- { const: a, x-added: 2025-06-01, x-removed: next, "
        "x-shown-as: { 2025-06-01: one, next: two } }",
    ),
    "after its removal": (
        "- { const: a, x-removed: 2025-06-01, x-shown-as: two } # still",
        SECOND,
        "- { const: a, x-removed: 2025-06-01, x-shown-as: two } # still",
    ),
    "a removed value": (
        "- { const: a, x-added: 2025-06-01, x-shown-as: b } # new\n"
        "- { const: b, x-added: 2024-09-01, x-removed: 2025-06-01, x-shown-as: one }",
        SECOND,
        "- { const: a, x-added: 2025-06-01, x-shown-as: one } # new",
    ),
    "a value removed with its successor": (
        "- { const: c, x-added: 2024-09-01, x-removed: 2025-06-01, x-shown-as: two }\n"
        "- { const: a, x-added: 2025-06-01, x-shown-as: { 2024-09-01: b, 2025-06-01: c } }\n"
        "- { const: b, x-added: 2024-09-01, x-removed: 2025-06-01, x-shown-as: c }",
        SECOND,
        "- { const: a, x-added: 2025-06-01, x-shown-as: two }",
    ),
    "a removed value, by date": (
        "- { const: a, x-added: 2025-06-01, x-shown-as: { 2024-09-01: b, 2025-06-01: one } }\n"
        "- { const: b, x-removed: 2024-09-01, x-shown-as: one }",
        FIRST,
        "- { const: a, x-added: 2025-06-01, x-shown-as: { 2025-06-01: one } }",
    ),
    "one that stays": (
        "- { const: a, x-added: 2025-06-01, x-shown-as: b }\n"
        "- { const: b, x-added: 2024-09-01, x-shown-as: one }",
        SECOND,
        "- { const: a, x-added: 2025-06-01, x-shown-as: b }\n"
        "- { const: b, x-added: 2025-06-01, x-shown-as: one }",
    ),
}


def shown_as(api: Api) -> dict[tuple[str, str], Any]:
    """Return what callers of each version get for each value that only other versions have."""
    timeline = Timeline(api.table)
    members = api.document["components"]["schemas"]["Loan"]["properties"]["a"]["oneOf"]
    found = {}
    for at, (version, _) in enumerate(api.combinations):
        there = {one["const"] for one in members if timeline.of(one) >> at & 1}
        for member in members:
            value = member["const"]
            while value not in there:
                own = next(one for one in members if one["const"] == value)
                (value,) = timeline.substitute(own, at)
            found[version, member["const"]] = value
    return found


@cases("name", SUBSTITUTES)
def test_substitutes_of_remaining_versions_stay_the_same(name: str, tmp_path: Path) -> None:
    written, version, left = SUBSTITUTES[name]

    def text(members: str) -> str:
        lines = ["a:", "  oneOf:", "    - const: one", "    - const: two"]
        lines += [f"    {line}" for line in members.splitlines()]
        return answering(1) + "".join(f"        {line}\n" for line in lines)

    schemas = folder(tmp_path, {"versions.yaml": TABLE, "api.yaml": text(written)})
    before = shown_as(load(schemas))
    retire_in_turn(schemas, version)
    assert (schemas / "api.yaml").read_text() == text(left)
    after = shown_as(load(schemas))
    assert after == {key: before[key] for key in after}
    assert {key[0] for key in after} == {key[0] for key in before} - {version}


def test_substitute_of_the_retired_version_is_followed(tmp_path: Path) -> None:
    union = """\
        a:
          oneOf:
            - $ref: '#/components/schemas/Book'
            - $ref: '#/components/schemas/Map'
              x-added: 2024-09-01
              x-removed: 2025-06-01
              x-shown-as: { kind: Book }
            - $ref: '#/components/schemas/Disc'
              x-added: 2025-06-01
              x-shown-as: { kind: Map }
          discriminator: { propertyName: kind }
"""
    kinds = "".join(
        f"    {name}:\n      type: object\n      required: [kind]\n      properties:\n"
        f"        kind: {{ type: string, const: {name} }}\n"
        for name in ("Book", "Map", "Disc")
    )
    schemas = folder(tmp_path, {"versions.yaml": TABLE, "api.yaml": answering(1) + union + kinds})
    retire_in_turn(schemas, SECOND)
    properties = load(schemas).document["components"]["schemas"]["Loan"]["properties"]
    assert properties["a"]["oneOf"] == [
        {"$ref": "#/components/schemas/Book"},
        {
            "$ref": "#/components/schemas/Disc",
            "x-added": "2025-06-01",
            "x-shown-as": {"kind": "Book"},
        },
    ]


def test_values_that_were_adopted_are_published_as_before(tmp_path: Path) -> None:
    api = """\
openapi: 3.1.0
info: { title: Library, version: '1' }
paths: {}
components:
  schemas:
    State:
      type: string
      oneOf: # all of them
        - { const: open, description: to all }
        - { const: closed, x-added: 2024-09-01 }
        - { const: lost, x-removed: 2024-09-01 }
      title: State
"""
    schemas = folder(tmp_path, {"versions.yaml": TABLE + "lint: adopted\n", "api.yaml": api})
    retire_in_turn(schemas, FIRST)
    left = load(schemas).document["components"]["schemas"]["State"]
    assert left == {
        "type": "string",
        "enum": ["open", "closed"],
        "title": "State",
        "x-enum-descriptions": {"open": "to all"},
    }


def test_waivers_no_longer_name_the_version(tmp_path: Path) -> None:
    waivers = """\
waivers:
  - { rule: value-added, pointer: /a, versions: [2024-01-15], reason: old, expires: 2026-06-30 }
  - rule: value-added # kept
    pointer: /b
    versions: [2024-01-15, 2024-09-01]
    reason: both
    expires: 2026-06-30
"""
    schemas = folder(tmp_path, {**LIBRARY, "versions.yaml": TABLE, "waivers.yaml": waivers})
    retire_in_turn(schemas, FIRST)
    kept = waivers.splitlines(keepends=True)
    assert (schemas / "waivers.yaml").read_text() == "".join([kept[0], *kept[2:]]).replace(
        "[2024-01-15, 2024-09-01]", "[2024-09-01]"
    )


# Random APIs


@pytest.mark.parametrize("seed", seeds(4))
def test_random_gates_are_removed(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    ended = random.choice(gated_apis.DATES[:3])
    default = f"default: {gated_apis.DATES[3]}"
    row = f"announcements: [{{ ends: {ended}, from: 2025-12-01, announced: 2025-06-01 }}]\n"
    files = gated_apis.sources(seed)
    files["versions.yaml"] = files["versions.yaml"].replace("default: 2024-01-15", default) + row
    retire_in_turn(folder(tmp_path, files), ended)


@pytest.mark.parametrize("seed", seeds(3))
def test_random_adopted_chains_keep_their_documents(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    for number, chain in enumerate(chains(seed, 6, 3)):
        root = folder(tmp_path, {}, str(number))
        for day, document in zip(DATES, chain, strict=False):
            (root / f"{day}.json").write_text(json.dumps(document))
        given = tuple(f"{day}={root / day}.json" for day, _ in zip(DATES, chain, strict=False))
        adopt(given, root / "schemas", default=DATES[2])
        ended = random.choice(DATES[:2])
        with (root / "schemas" / "versions.yaml").open("a") as table:
            table.write(f"announcements: [{{ ends: {ended}, from: 2025-12-01, ")
            table.write("announced: 2025-06-01 }]\n")
        retire_in_turn(root / "schemas", ended)


# Refusals


@cases(
    ("version", "edits", "said"),
    [
        ("2024-01-16", [], "the version table has no cut version 2024-01-16; did you mean "
         "'2024-01-15'?"),
        ("next", [], "the version table has no cut version next; known: 2024-01-15, "
         "2024-09-01, 2025-06-01"),
        (LATEST, [], "2025-06-01 is the default; announce a move of it, and write another "
         "`default` from its day on"),
        (LATEST, [("default: 2025-06-01\n", "default: 2024-09-01\n")],
         "2025-06-01 is the newest version that is cut; cut a newer one first"),
        (SECOND, [("ends: 2024-09-01", "default: 2024-09-01")],
         "no end of 2024-09-01 is announced; announce it: "
         "`announcements: [{ ends: 2024-09-01, from: DATE, announced: DATE }]`"),
        (SECOND, [("from: 2025-12-31", "from: 2026-01-02")],
         "2024-09-01 ends on 2026-01-02; retire it from that day on"),
        (SECOND, [("versions:\n", "annotation: 2024-09-01\nversions:\n")],
         "`annotation` in versions.yaml names 2024-09-01; name another version there"),
    ],
)  # fmt: skip
def test_version_that_is_needed_is_not_retired(
    version: str, edits: list[tuple[str, str]], said: str, tmp_path: Path
) -> None:
    table = TABLE
    for old, new in edits:
        assert table.count(old) == 1
        table = table.replace(old, new)
    schemas = folder(tmp_path, {**LIBRARY, "versions.yaml": table})
    with pytest.raises(RetireError) as refused:
        retire(schemas, version, TODAY)
    assert (str(refused.value), refused.value.exit_code) == (said, MISUSE)


def test_changed_document_stops_the_retirement(tmp_path: Path) -> None:
    # keys of a history are ordered by the dates that unset and set them
    was = "x-was: { 2025-06-01: { minLength: null }, 2024-09-01: { minLength: 3 } }"
    text = answering(1) + f"        a: {{ minLength: 2, type: string, {was} }}\n"
    schemas = folder(tmp_path, {"versions.yaml": TABLE, "api.yaml": text})
    with pytest.raises(RetireError) as refused:
        retire(schemas, SECOND, TODAY)
    assert str(refused.value) == (
        "the document of 2024-01-15 would change: the order of its keys; that gate can't be "
        "folded automatically, so fold it by hand or keep the version"
    )


# The command line


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository in which the library API is published, with two versions that have ended."""
    return repository(tmp_path_factory.mktemp("published"), {**LIBRARY, "versions.yaml": TABLE})


@pytest.fixture
def project(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the published API in the current folder."""
    return enter_copy(published, tmp_path, monkeypatch)


CHANGED_LINES: Final = [
    "-        due: { type: string, format: date-time, x-was: { 2024-09-01: { format: date } } }",
    "+        due: { type: string, format: date-time }",
    "-          x-added: 2024-09-01",
    "-          x-shown-as: { kind: Book, title: audio book }",
    "-  - { date: 2024-01-15, title: Initial version }",
    "-  # told by letter",
    "-  - { ends: 2024-01-15, from: 2025-12-01, announced: 2025-06-01 }",
    "-  - { default: 2025-06-01, from: 2025-11-01, announced: 2025-05-01 }",
    "+retired:",
    f"+{RETIRED.rstrip()}",
]


def test_ended_version_is_retired(project: Path) -> None:
    before = read_files(project)
    planned = dateline("retire", FIRST, "--dry-run")
    assert (planned.status, planned.err) == (CLEAN, "")
    assert planned.out.splitlines()[0] == f"{FIRST}: Initial version"
    assert changed_lines(planned.out) == CHANGED_LINES
    assert read_files(project) == before

    outcome = dateline("retire", FIRST)

    assert (outcome.status, outcome.err) == (CLEAN, f"{NOTE}now commit schemas and generated\n")
    assert outcome.out.splitlines()[:3] == [
        f"{FIRST}: Initial version",
        "changed schemas/loans.yaml",
        "changed schemas/versions.yaml",
    ]
    assert changed_lines(git("diff", "schemas")) == CHANGED_LINES
    after = read_files(project / "generated")
    documents = {
        name: text for name, text in read_files(project / "generated").items()
        if name.startswith("spec/") and "versions" not in name
    }  # fmt: skip
    assert documents == {
        name.removeprefix("generated/"): text
        for name, text in before.items()
        if name.startswith("generated/spec/") and "versions" not in name and FIRST not in name
    }
    assert not [name for name in after if FIRST in name or "v2024_01_15" in name]
    assert dateline("generate") == Outcome(CLEAN, "generated: up to date\n", "")
    assert dateline("check") == Outcome(CLEAN, f"{fresh.NO_FINDINGS}\n", "")
    # the end was announced, and is past
    assert dateline("check", "--against", "HEAD").out.splitlines()[-1] == "no findings"


@pytest.mark.parametrize("path", ["schemas/loans.yaml", "generated/spec/sandbox/versions.json"])
def test_uncommitted_edits_are_not_mixed_in(project: Path, path: str) -> None:
    with (project / path).open("a") as file:
        file.write("\n")
    before = read_files(project)
    said = f"{path} is not committed; commit first, or set it aside\n"
    assert dateline("retire", FIRST) == Outcome(MISUSE, "", said)
    assert read_files(project) == before


def test_failing_check_stops_the_retirement(project: Path) -> None:
    edit(("        note: { type: string }\n", ""))
    commit()
    before = read_files(project)
    outcome = dateline("retire", FIRST)
    assert (outcome.status, outcome.out) == (FOUND, "")
    assert "gated [response-field-removed] Loan.note: field removed" in outcome.err
    assert read_files(project) == before


def test_unannounced_end_does_not_allow_a_retirement(project: Path) -> None:
    table = project / "schemas" / "versions.yaml"
    announced = table.read_text()
    for name in (".git", "generated"):
        shutil.rmtree(project / name)
    table.write_text(announced.replace(ENDS, ""))
    assert dateline("generate").status == CLEAN
    table.write_text(announced)
    assert dateline("retire", FIRST) == Outcome(
        MISUSE,
        "",
        "the end of 2024-01-15 is announced in the sources, and not published; run `dateline "
        "generate`, commit, and let the notice of the policy pass\n",
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_killed_retirement_leaves_the_old_project_or_the_new_one(
    published: Path, tmp_path: Path
) -> None:
    prepared = tmp_path / "prepared"
    shutil.copytree(published, prepared, ignore=shutil.ignore_patterns(".git"))
    kills = kill_everywhere(prepared, tmp_path, "two renames", "retire", FIRST, every=31)
    require_old_or_new(kills)
    assert RETIRED in kills.new["schemas/versions.yaml"]
