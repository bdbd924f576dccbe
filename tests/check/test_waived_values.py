"""A waiver covers the value that it was given for, and no other one of the same place."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from support.commands import dateline
from support.published_projects import LOANS, SOURCES, Project
from support.sources import folder
from support.tables import cases

from dateline.check import read_waivers

NOTE: Final = "note: { type: string }"
MORE: Final = "more: { type: string }"
FINE: Final = "        fine_cents: { type: integer }\n"
BOOK: Final = "        book: { $ref: '#/components/schemas/Book' }\n"
BASE: Final = LOANS.replace(NOTE, f"{NOTE}\n        {MORE}").replace(FINE, FINE + BOOK)
MADE: Final = "'201':\n          description: loan"
STATE: Final = (
    "- { name: state, in: query, schema: { $ref: '#/components/schemas/State' } }\n        "
)
REQUIRED: Final = STATE.replace("schema:", "required: true, schema:")
SIZE: Final = "- { name: size, in: query, "


def take(name: str) -> str:
    return f"parameters:\n        - {{ name: {name}, in: query, required: true, schema: {{}} }}"


def accept(header: str) -> str:
    headers = f"headers: {{ {header}: {{ schema: {{}} }} }}"
    return f"'202': {{ description: accepted, {headers} }}\n        {MADE}"


def members(name: str) -> str:
    values = f"{{ const: active }}, {{ const: {name}, x-added: next }}"
    return f"State: {{ type: string, oneOf: [{values}] }}"


class Waived(NamedTuple):
    """A finding of ``rule`` once a text is edited from ``before`` to ``after``.

    Its waiver has the ``value``, and does not cover the finding with ``other`` as the text; None if
    the place alone says what happened.
    """

    rule: str
    before: str
    after: str
    value: str | None
    other: str | None


CASES: Final = [
    Waived("request-narrowed", "maxLength: 20", "maxLength: 5", "20 -> 5", "maxLength: 7"),
    Waived("request-narrowed", "20 }", "20, minLength: 1 }", "absent -> 1", "20, minLength: 2 }"),
    Waived("format-changed", "format: uuid", "format: date", '"uuid" -> "date"', "format: time"),
    Waived("operation-id-changed", "makeLoan", "lend", '"makeLoan" -> "lend"', "borrow"),
    # parameters have an index
    Waived("default-changed", ", default: 10", "", "size: 10 -> absent", ", default: 9"),
    Waived("default-changed", "default: 10", "default: 20", "size: 10 -> 20", "default: 30"),
    Waived("required-parameter-added", "parameters:", take("a"), "query a", take("b")),
    Waived(
        "parameter-required",
        STATE + SIZE,
        f"{STATE}{SIZE}required: true, ",
        "size: absent -> true",
        f"- {{ name: other, in: query, schema: {{}} }}\n        {REQUIRED}{SIZE}",
    ),
    # and so have required fields, variants and values
    Waived("field-required", "[book]", "[note, book]", "note", "[more, book]"),
    Waived(
        "member-without-substitute",
        "State: { type: string, enum: [active, returned] }",
        members("lost"),
        "lost",
        members("burnt"),
    ),
    # a schema, and what is longer than anybody reads
    Waived(
        "request-narrowed",
        MORE,
        f"{MORE}\n      additionalProperties: {{ type: string }}",
        'absent -> {"type": "string"}',
        f"{MORE}\n      additionalProperties: {{ type: integer }}",
    ),
    Waived(
        "request-narrowed",
        MORE,
        f"more: {{ type: string, pattern: '{'a' * 99}' }}",
        f'absent -> "{"a" * 59}… d4232aae7a5aa632',
        f"more: {{ type: string, pattern: '{'a' * 98}b' }}",
    ),
    # what was added, without its documentation
    Waived(
        "request-field-added",
        MORE,
        f"{MORE}\n        extra: {{ type: string, description: More. }}",
        'absent -> {"type": "string"}',
        f"{MORE}\n        extra: {{ type: integer }}",
    ),
    Waived(
        "success-response-added",
        MADE,
        accept("A"),
        'absent -> {"headers": {"A": {"schema": {}}}}',
        accept("B"),
    ),
    # a reference, and what is different behind it
    Waived(
        "reference-switched",
        BOOK,
        BOOK.replace("Book", "AudioBook"),
        '"Book" -> "AudioBook" a32652aee3732c36',
        BOOK.replace("Book", "Film"),
    ),
    Waived("response-field-removed", FINE, "", None, None),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("waived")
    published = Project(folder(root, {**SOURCES, "loans.yaml": BASE}), root / "generated")
    published.publish()
    return published


@cases("case", CASES)
def test_waiver_covers_no_other_change_of_its_place(made: Project, case: Waived) -> None:
    source, waivers = made.schemas / "loans.yaml", made.schemas / "waivers.yaml"
    waivers.unlink(missing_ok=True)
    source.write_text(BASE.replace(case.before, case.after, 1))
    [found] = [one for one in made.findings() if one.rule == case.rule]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made.schemas.parent)
        given = ("--reason", "Agreed.", "--expires", "2999-01-01")
        assert dateline("waive", case.rule, found.fingerprint, *given).status == 0
    [waiver] = read_waivers(made.schemas)
    value = waiver.details.get("value")
    assert (value, case.rule in list_unwaived(made)) == (case.value, False)
    if case.other is None:
        return
    source.write_text(BASE.replace(case.before, case.other, 1))
    again = {one.rule: one.help for one in made.findings() if one.waived is None}
    assert {case.rule, "waiver-unused"} <= again.keys()
    assert f"The waiver at {waiver.place} is about {value}, and not about " in again[case.rule]
    # those of former releases have no value, and cover any
    waivers.write_text(re.sub(r"(?s)\n *value:.*", "\n", waivers.read_text()))
    assert case.rule not in list_unwaived(made)


TOME: Final = BASE.replace(BOOK, BOOK.replace("Book", "Tome"))


def write_tome(more: str, words: str = "") -> str:
    """Return the sources with a reference to a new schema, which nobody has seen yet."""
    kind = f"kind: {{ type: string, const: Book{words} }}"
    schema = f"    Tome: {{ type: object, required: [kind], properties: {{ {kind}{more} }} }}\n"
    return TOME.replace("    Film:", f"{schema}    Film:")


def test_waiver_of_a_reference_covers_what_was_different_behind_it(
    made: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, waivers = made.schemas / "loans.yaml", made.schemas / "waivers.yaml"
    waivers.unlink(missing_ok=True)
    source.write_text(write_tome(""))
    monkeypatch.chdir(made.schemas.parent)
    given = ("reference-switched", "Loan.book", "--reason", "Agreed.", "--expires", "2999-01-01")
    assert dateline("waive", *given).status == 0
    assert list_unwaived(made) == []
    source.write_text(write_tome("", ", description: It is always a book."))
    assert list_unwaived(made) == []
    source.write_text(
        write_tome("").replace("required: [kind], properties: { kind", "properties: { kind")
    )
    assert list_unwaived(made) == ["reference-switched", "waiver-unused"]


def test_what_a_version_withholds_may_go_on_changing(
    made: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, waivers = made.schemas / "loans.yaml", made.schemas / "waivers.yaml"
    waivers.unlink(missing_ok=True)
    later = FINE + "        later: { type: string, x-added: next }\n"
    source.write_text(BASE.replace(FINE, later))
    monkeypatch.chdir(made.schemas.parent)
    given = ("response-field-added", "Loan.later", "--reason", "Agreed.", "--expires", "2999-01-01")
    assert dateline("waive", *given).status == 0
    for type_ in ("string", "integer"):
        source.write_text(BASE.replace(FINE, later.replace("string", type_)))
        assert list_unwaived(made) == []


def test_waiver_of_several_values_names_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    was = BASE.replace("maxLength: 20", "maxLength: 20, x-was: { 2024-09-01: { maxLength: 30 } }")
    made = Project(folder(tmp_path, {**SOURCES, "loans.yaml": was}), tmp_path / "generated")
    made.publish()
    monkeypatch.chdir(tmp_path)
    source = made.schemas / "loans.yaml"
    source.write_text(BASE.replace("maxLength: 20", "maxLength: 5"))
    given = (
        "request-narrowed",
        "LoanParams.book",
        "--reason",
        "Agreed.",
        "--expires",
        "2999-01-01",
    )
    assert dateline("waive", *given).status == 0
    [waiver] = read_waivers(made.schemas)
    assert (waiver.details["value"], list_unwaived(made)) == (["20 -> 5", "30 -> 5"], [])
    source.write_text(BASE.replace("maxLength: 20", "maxLength: 6"))
    assert list_unwaived(made) == ["request-narrowed", "request-narrowed", "waiver-unused"]


def list_unwaived(made: Project) -> list[str]:
    return sorted(one.rule for one in made.findings() if one.waived is None)
