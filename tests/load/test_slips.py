"""The most common mistakes: the message names the cause, its place, and the way out."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from support.commands import dateline
from support.sources import LIBRARY, LOANS, folder, problems
from support.tables import cases

from dateline.load.checks.right_places import _list_trails, find_right_place
from dateline.openapi import ANY, OBJECTS

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
        "misspelt-key: 'propertes' is not a key of a schema; did you mean 'properties'?",
    ),
    "required names without properties": (
        "{ type: object, required: [a] }",
        "required-unknown: 'a' is required but is not a property; describe it, or leave it out",
    ),
}


@cases("name", SLIPS)
def test_message_names_the_cause(tmp_path: Path, name: str) -> None:
    schema, message = SLIPS[name]
    api = LIBRARY | {"slips.yaml": f"components:\n  schemas:\n    Slip:\n      {schema}\n"}
    [problem] = problems(tmp_path, api)
    assert problem.partition(": ")[0].rpartition(":")[0] == "schemas/slips.yaml:4"
    assert problem.partition(": ")[2] == message


def test_unterminated_text_is_reported_where_it_begins(tmp_path: Path) -> None:
    text = "components:\n  schemas:\n    A:\n      description: 'It never ends.\n    B: {}\n"
    assert problems(tmp_path, LIBRARY | {"slips.yaml": text}) == [
        "schemas/slips.yaml:4:20: yaml-syntax: the text in quotes that begins here never ends; "
        "close it with the same quote"
    ]


@pytest.mark.parametrize(
    "against", [(), ("--against", "nowhere")], ids=["no options", "a missing baseline"]
)
def test_check_reports_a_mistake_without_a_baseline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, against: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    folder(tmp_path, LIBRARY | {"slips.yaml": "components: { schemas: { A: { typ: string } } }\n"})
    checked = dateline("check", *against)
    assert (checked.status, checked.err) == (
        3,
        "schemas/slips.yaml:1:31: misspelt-key: 'typ' is not a key of a schema; "
        "did you mean 'type'?\n",
    )
    folder(tmp_path, {"slips.yaml": "components: { schemas: { A: { type: string } } }\n"})
    checked = dateline("check", *against)
    assert (checked.status, "slips.yaml" in checked.err, checked.err != "") == (3, False, True)


def test_merge_conflicts_are_named(tmp_path: Path) -> None:
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


def test_text_that_looks_like_a_conflict_is_text(tmp_path: Path) -> None:
    text = "components:\n  schemas:\n    A:\n      description: |\n        <<<<<<< HEAD\n"
    assert problems(tmp_path, LIBRARY | {"slips.yaml": text}) == []


RIGHT_PLACES = {
    ("parameter", "type"): "it belongs into `schema`",
    ("header", "pattern"): "it belongs into `schema`",
    ("media-type", "type"): "it belongs into `schema`",
    ("request-body", "schema"): "it belongs to a media type in `content`",
    ("path-item", "responses"): "it belongs to an operation, such as `get`",
    ("path-item", "operationId"): "it belongs to an operation, such as `get`",
    ("document", "schemas"): "it belongs into `components`",
    ("document", "get"): "it belongs to a path item in `paths`",
    ("paths", "get"): "it belongs to a path item in it",
    ("components", "paths"): "it belongs to the document around it",
    ("schema", "in"): "it belongs to a parameter around it",
    ("schema", "content"): "it belongs to a parameter around it or to a header around it",
    ("response", "requestBody"): "it belongs to an operation around it",
    ("document", "loans"): None,
}


@cases(("kind", "key"), RIGHT_PLACES)
def test_key_in_a_wrong_place_names_the_right_one(kind: str, key: str) -> None:
    assert find_right_place(kind, key) == RIGHT_PLACES[kind, key]


def test_right_place_has_the_key() -> None:
    """Checks every key of OpenAPI on every object that doesn't have it."""
    every = {key for keys in OBJECTS.values() for key in keys if key != ANY}
    for kind, key in product(OBJECTS, sorted(every)):
        trails = [trail for trail in _list_trails(kind) if key in OBJECTS[trail[-1].kind]]
        said = find_right_place(kind, key)
        assert (said is None) == (trails == [] or key == "definitions")
        assert said is None or said.startswith("it belongs ")


def test_right_place_is_in_the_message(tmp_path: Path) -> None:
    wrong = LIBRARY | {"slips.yaml": "components: { headers: { A: { type: string } } }\n"}
    assert [one for one in problems(tmp_path, wrong) if "unknown-key" in one] == [
        "schemas/slips.yaml:1:31: unknown-key: 'type' is not a key of a header; it belongs into "
        "`schema`"
    ]


def test_key_of_versions_yaml_in_a_wrong_place_names_the_right_one(tmp_path: Path) -> None:
    files = LIBRARY | {"versions.yaml": f"{LIBRARY['versions.yaml']}notice-days: 3\nservers: []\n"}
    assert [one.partition(": ")[2] for one in problems(tmp_path, files)] == [
        "unknown-key: 'notice-days' is not a key of the version table; it is a key of policy",
        "unknown-key: 'servers' is not a key of the version table; it is a key of an environment",
    ]


UNCLOSED = "components:\n  schemas:\n    A:\n      description: {}\n      type: string{}\n"


@pytest.mark.parametrize("quote", ["'", '"'])
def test_quote_closed_by_a_later_one_is_reported_where_it_opens(tmp_path: Path, quote: str) -> None:
    text = UNCLOSED.format(f"{quote}It goes on.", f"\n      title: {quote}A")
    found = problems(tmp_path, LIBRARY | {"slips.yaml": text})
    assert found[0] == (
        "schemas/slips.yaml:4:20: quote-unclosed: the text in quotes that begins here goes on over "
        "lines that begin further left; close it with the same quote, or indent what belongs to it"
    )


@cases(
    "value",
    [
        "'One line.'",
        "'Two lines,\n        the second deeper.'",
        "'Two lines,\n\n        and an empty one.\n      '",
        "\n        'On a line of its own,\n        and one more.'",
        "|\n        It's a block.\n        'Quoted: in it",
    ],
)
def test_indented_texts_of_several_lines_pass(tmp_path: Path, value: str) -> None:
    text = UNCLOSED.format(value, "")
    assert problems(tmp_path, LIBRARY | {"slips.yaml": text}) == []
