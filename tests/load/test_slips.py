"""The commonest slips: the message names the cause, where it is, and the way out."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import dateline
from support.sources import LIBRARY, LOANS, folder, problems

SLIPS = {
    "required on a property": (
        "{ type: string, required: true }",
        "wrong-type: true where a list of texts belongs; list what is required beside "
        "`properties`: `required: [NAME]`",
    ),
    "a number in quotes": (
        '{ type: string, minLength: "3" }',
        "wrong-type: '3' where a whole number from 0 belongs; write 3 without quotes",
    ),
    "a fraction in quotes": (
        "{ type: number, minimum: '-0.5' }",
        "wrong-type: '-0.5' where a number belongs; write -0.5 without quotes",
    ),
    "a text that is no number": (
        "{ type: string, minLength: three }",
        "wrong-type: 'three' where a whole number from 0 belongs",
    ),
    "an unclosed bracket": (
        "{ type: string, pattern: '^[a-z' }",
        "pattern-invalid: '^[a-z': a `[` that is not closed; write `\\[` for the character",
    ),
    "a misspelt keyword before what follows from it": (
        "{ type: object, required: [a, b], propertes: { a: {}, b: {} } }",
        "misspelt-key: 'propertes' is no key of a schema; did you mean 'properties'?",
    ),
    "required names without properties": (
        "{ type: object, required: [a] }",
        "required-unknown: 'a' is required but is no property; describe it, or leave it out",
    ),
}


@pytest.mark.parametrize("name", SLIPS)
def test_the_message_names_the_cause(tmp_path: Path, name: str) -> None:
    schema, message = SLIPS[name]
    api = LIBRARY | {"slips.yaml": f"components:\n  schemas:\n    Slip:\n      {schema}\n"}
    [problem] = problems(tmp_path, api)
    assert problem.partition(": ")[0].rpartition(":")[0] == "schemas/slips.yaml:4"
    assert problem.partition(": ")[2] == message


def test_a_text_that_never_ends_is_shown_where_it_begins(tmp_path: Path) -> None:
    text = "components:\n  schemas:\n    A:\n      description: 'It never ends.\n    B: {}\n"
    assert problems(tmp_path, LIBRARY | {"slips.yaml": text}) == [
        "schemas/slips.yaml:4:20: yaml-syntax: the text in quotes that begins here never ends; "
        "close it with the same quote"
    ]


@pytest.mark.parametrize("against", [(), ("--against", "nowhere")], ids=["nothing", "no baseline"])
def test_check_reports_a_slip_before_there_is_anything_to_compare_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, against: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    folder(tmp_path, LIBRARY | {"slips.yaml": "components: { schemas: { A: { typ: string } } }\n"})
    checked = dateline("check", *against)
    assert (checked.status, checked.err) == (
        3,
        "schemas/slips.yaml:1:31: misspelt-key: 'typ' is no key of a schema; "
        "did you mean 'type'?\n",
    )
    folder(tmp_path, {"slips.yaml": "components: { schemas: { A: { type: string } } }\n"})
    checked = dateline("check", *against)
    assert (checked.status, "slips.yaml" in checked.err, checked.err != "") == (3, False, True)


def test_conflicts_of_a_merge_are_named(tmp_path: Path) -> None:
    conflict = "<<<<<<< HEAD\n# ours\n=======\n# theirs\n>>>>>>> branch\n"
    text = conflict + LOANS + conflict
    line = (conflict + LOANS).count("\n") + 1
    message = (
        "merge-conflict: a merge left both sides here; keep one of them, and delete the lines that "
        "begin with <<<<<<<, ======= and >>>>>>>"
    )
    assert problems(tmp_path, LIBRARY | {"loans.yaml": text}) == [
        f"schemas/loans.yaml:1:1: {message}",
        f"schemas/loans.yaml:{line}:1: {message}",
    ]


def test_what_only_looks_like_a_conflict_is_text(tmp_path: Path) -> None:
    text = "components:\n  schemas:\n    A:\n      description: |\n        <<<<<<< HEAD\n"
    assert problems(tmp_path, LIBRARY | {"slips.yaml": text}) == []
