"""Find gated members and request fields that the server can't convert without help."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from support.narrowed import Law
from support.sources import API, VERSIONS, loaded
from support.tables import cases

from dateline.check.servable import check_servable
from dateline.contracts import contract_data
from dateline.model import Verdict

PATHS = """\
paths:
  /loans:
    get:
      operationId: listLoans
      tags: [Loans]
      responses:
        '200':
          description: loans
          content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
components:
  schemas:
"""
STATE = """\
    State:
      type: string
      oneOf: [{ const: active }, { const: paused, x-added: 2024-09-01 }]
"""
REFERENCE = "{ $ref: '#/components/schemas/State' }"
EXPECTED = ["State: paused is absent in 2024-01-15, and Loan.state is required and single-valued"]


def servable(root: Path, schemas: str) -> list[str]:
    """Return what the server can't convert in *schemas*, which a response refers to as `Loan`."""
    adopted = f"{VERSIONS}lint: adopted\n"
    sources = {"versions.yaml": adopted, "api.yaml": API, "loans.yaml": PATHS + schemas}
    return [finding.message for finding in check_servable(loaded(root, sources))]


@cases(
    ("keywords", "expected"),
    [
        (f"required: [state], properties: {{ state: {REFERENCE} }}", EXPECTED),
        (f"required: [other], properties: {{ state: {REFERENCE} }}", []),
        (f"required: [state], properties: {{ state: {{ type: array, items: {REFERENCE} }} }}", []),
        (f"required: [state], patternProperties: {{ state: {REFERENCE} }}", []),
        # patterns spelled like a keyword
        (f"required: [schema], patternProperties: {{ schema: {REFERENCE} }}", []),
        (f"required: [allOf], patternProperties: {{ allOf: {REFERENCE} }}", []),
    ],
)
def test_member_in_a_required_value_needs_a_substitute(
    tmp_path: Path, keywords: str, expected: list[str]
) -> None:
    loan = f"    Loan: {{ type: object, {keywords} }}\n"
    assert servable(tmp_path, loan + STATE) == expected


GATED: Final = "x-added: 2024-09-01"


def lasting(keywords: str, missing: str, *, keyword: str = "minProperties") -> tuple[str, str]:
    """Return the findings for an object of *keywords* in a required field."""
    loan = f"    Loan: {{ type: object, required: [in], properties: {{ in: {{ {keywords} }} }} }}\n"
    return loan, f"{missing}, and Loan.in has `{keyword}`"


STATE_MISSES: Final = "State: paused is absent in 2024-01-15"
FIELDS_MISS: Final = (
    "Loan.in: `minProperties` may count fields that are absent in 2024-01-15, and Loan.in is "
    "required and single-valued"
)

# After parts are left out for older callers, the rest may be too little to be valid.
LEAST: Final = {
    "items": lasting(
        f"type: array, minItems: 1, items: {REFERENCE}", STATE_MISSES, keyword="minItems"
    ),
    "items of no least": (lasting(f"type: array, items: {REFERENCE}", "")[0], None),
    "a map": lasting(
        f"type: object, minProperties: 1, additionalProperties: {REFERENCE}", STATE_MISSES
    ),
    # a converter decides
    "a map of patterns": (
        lasting(
            f"type: object, minProperties: 1, patternProperties: {{ '.': {REFERENCE} }}", ""
        )[0],
        None,
    ),
    "an optional field": lasting(
        f"type: object, minProperties: 1, properties: {{ s: {REFERENCE} }}", STATE_MISSES
    ),
    "an optional field beside enough": (
        lasting(
            "type: object, minProperties: 1, required: [a], "
            f"properties: {{ a: {{ type: string }}, s: {REFERENCE} }}",
            "",
        )[0],
        None,
    ),
    "items in items": lasting(
        f"type: array, minItems: 1, items: {{ type: array, minItems: 1, items: {REFERENCE} }}",
        STATE_MISSES,
        keyword="minItems",
    ),
    "items in optional items": (
        lasting(f"type: array, items: {{ type: array, minItems: 1, items: {REFERENCE} }}", "")[0],
        None,
    ),
    "a gated field": (
        lasting(
            "type: object, minProperties: 1, required: [b], "
            f"properties: {{ a: {{ type: string }}, b: {{ type: string, {GATED} }} }}",
            "",
        )[0],
        FIELDS_MISS,
    ),
    "a gated field beside enough": (
        lasting(
            "type: object, minProperties: 1, required: [a, b], "
            f"properties: {{ a: {{ type: string }}, b: {{ type: string, {GATED} }} }}",
            "",
        )[0],
        None,
    ),
    "a gated field beside too few": (
        lasting(
            "type: object, minProperties: 2, required: [a, b], properties: "
            f"{{ a: {{ type: string }}, b: {{ type: string, {GATED} }}, c: {{ type: string }} }}",
            "",
        )[0],
        FIELDS_MISS,
    ),
    "a gated field in optional items": (
        lasting(
            "type: array, items: { type: object, minProperties: 1, required: [b], "
            f"properties: {{ a: {{ type: string }}, b: {{ type: string, {GATED} }} }} }}",
            "",
        )[0],
        None,
    ),
}  # fmt: skip


@cases("case", LEAST)
def test_rest_that_may_be_invalid_is_found(tmp_path: Path, case: str) -> None:
    loan, said = LEAST[case]
    schemas = loan + (STATE if REFERENCE in loan else "")
    assert servable(tmp_path, schemas) == ([said] if said else [])
    # and it is invalid at run time
    adopted = f"{VERSIONS}lint: adopted\n"
    sources = {"versions.yaml": adopted, "api.yaml": API, "loans.yaml": PATHS + schemas}
    breaches = [one for one in Law(loaded(tmp_path, sources)).breaches(200) if "Unfit" in one]
    assert bool(breaches) == (said is not None)


PETS = """\
paths:
  /pets:
    post:
      operationId: addPet
      tags: [Loans]
      requestBody: { content: { application/json: { schema: SENT } } }
      responses: { '204': { description: done } }
components:
  schemas:
    Pet:
      type: object
      required: [kind]
      properties: { kind: { type: string } }
      discriminator: { propertyName: kind }
    Owner:
      type: object
      properties: { pets: { type: array, items: { $ref: '#/components/schemas/Pet' } } }
    Cat: { allOf: [{ $ref: '#/components/schemas/BASE' }, OWN] }
    Animal: { allOf: [{ $ref: '#/components/schemas/Pet' }] }
    Lives: OWN
"""
OWN = f"""\
{{ type: object, required: [lives, name],
   properties: {{ lives: {{ type: integer, {GATED} }}, name: {{ type: string }} }},
   x-was: {{ 2024-09-01: {{ required: [lives] }} }} }}"""
NEEDED: Final = {
    "{}.lives: required in requests, and absent in 2024-01-15",
    "{}.name: required in requests, and optional in 2024-01-15",
}


@cases("sent", ["Pet", "Owner", "Animal", "Cat", "Lives"])
@cases("base", ["Pet", "Animal"])
def test_subtypes_are_sent_wherever_their_parent_is(tmp_path: Path, sent: str, base: str) -> None:
    paths = PETS.replace("SENT", f"{{ $ref: '#/components/schemas/{sent}' }}").replace("BASE", base)
    sources = {
        "versions.yaml": VERSIONS,
        "api.yaml": API,
        "pets.yaml": paths.replace("OWN", OWN.replace("\n", "")),
    }
    found = {finding.message for finding in check_servable(loaded(tmp_path, sources))}
    names = ["Lives"] if sent == "Lives" else ["Cat.allOf.1"]
    is_other = sent == "Animal" and base == "Pet"  # without it, a cat is no animal
    assert found == {text.format(name) for name in names for text in NEEDED if not is_other}


EVENT = f"""\
paths:
  /other:
    get: {{ operationId: o, tags: [Loans], responses: {{ '204': {{ description: o }} }} }}
SECTION:
  NAME:
    post:
      operationId: send
      tags: [Loans]
      parameters:
        - {{ name: x-sent, in: header, required: true, schema: {{ type: string }}, {GATED} }}
        - name: x-now
          in: header
          required: true
          schema: {{ type: string }}
          x-was: {{ 2024-09-01: {{ required: null }} }}
      requestBody:
        required: true
        x-was: {{ 2024-09-01: {{ required: null }} }}
        content: {{ application/json: {{ schema: {{ $ref: '#/components/schemas/Lives' }} }} }}
      responses: {{ '204': {{ description: done }} }}
components:
  schemas:
    Lives: OWN
"""


@pytest.mark.parametrize(
    ("section", "count"), [("paths", 5), ("webhooks", 0)], ids=["operation", "webhook"]
)
def test_older_requests_constrain_nothing_that_the_server_sends(
    tmp_path: Path, section: str, count: int
) -> None:
    text = EVENT.replace("OWN", OWN.replace("\n", ""))
    if section == "paths":
        text = text.replace("SECTION:\n", "").replace("NAME", "/lives")
    sources = {
        "versions.yaml": VERSIONS,
        "api.yaml": API,
        "events.yaml": text.replace("SECTION", section).replace("NAME", "returned"),
    }
    found = [finding.rule for finding in check_servable(loaded(tmp_path, sources))]
    assert found == ["request-without-way-up"] * count


ACCESS: Final = """paths:
  /loans:
    post:
      operationId: addLoan
      tags: [Loans]
      requestBody: BODY
      responses: { '200': { description: the loan, content: CONTENT } }
components:
  schemas:
    Loan: { type: object, required: [key], properties: { key: FIELD } }
    Key: { type: string }
"""
KEY: Final = "$ref: '#/components/schemas/Key'"
LIMITED: Final = "WORD: true, x-was: { 2024-09-01: { WORD: null } }"
ONCE_LIMITED: Final = "x-was: { 2024-09-01: { WORD: true } }"
LOAN: Final = "{ application/json: { schema: { $ref: '#/components/schemas/Loan' } } }"


@cases("word", ["readOnly", "writeOnly"])
@cases("history", [LIMITED, ONCE_LIMITED])
@cases(
    ("field", "is_found"),
    [
        (f"{{ {KEY} }}", True),
        (f"{{ allOf: [{{ {KEY} }}] }}", True),
        ("{ allOf: [{ type: string, HISTORY }] }", True),
        ("{ type: string, HISTORY, default: a }", False),
        (f"{{ allOf: [{{ {KEY} }}], HISTORY, default: a }}", False),
    ],
)
def test_only_a_field_itself_may_be_limited_in_some_versions(
    tmp_path: Path, field: str, is_found: bool, history: str, word: str
) -> None:
    text = ACCESS.replace("FIELD", field)
    if "HISTORY" not in field:
        text = text.replace("Key: { type: string", f"Key: {{ type: string, {history}")
    text = text.replace("HISTORY", history).replace("WORD", word).replace("CONTENT", LOAN)
    text = text.replace("BODY", f"{{ content: {LOAN} }}")
    sources = {"versions.yaml": VERSIONS, "api.yaml": API, "loans.yaml": text}
    found = [finding.rule for finding in check_servable(loaded(tmp_path, sources))]
    rule = "request-without-way-up" if word == "readOnly" else "response-without-way-down"
    assert found == [rule] * is_found


PARTS: Final = """    Base: { type: object, properties: { key: FIELD } }
"""
BASE: Final = "$ref: '#/components/schemas/Base'"
OBJECT: Final = "{ application/json: { schema: { type: object } } }"
RULE: Final = "request-without-way-up"


@cases("loan", [f"allOf: [{{ {BASE} }}, {{ REQUIRES }}]", f"allOf: [{{ {BASE} }}], REQUIRES"])
@cases(
    ("field", "requires", "found"),
    [
        # what all versions require, and not all have
        ("x-added: 2024-09-01, default: a", "", [RULE]),
        ("x-removed: 2024-09-01", "", [RULE]),
        ("x-was: { 2024-09-01: { name: old } }", "", [RULE]),
        ("x-was: { 2024-09-01: { readOnly: true } }", "", [RULE]),
        ("readOnly: true, x-was: { 2024-09-01: { readOnly: null } }", "", [RULE]),
        ("x-was: { 2024-09-01: { maxLength: 5 } }", "", []),
        ("description: a", "", []),
        # what older versions did not require
        ("description: a", "x-was: { 2024-09-01: { required: null } }", [RULE]),
        ("default: a", "x-was: { 2024-09-01: { required: null } }", []),
        ("readOnly: true", "x-was: { 2024-09-01: { required: null } }", []),
        (
            "default: a, x-added: 2024-09-01",
            "x-was: { 2024-09-01: { required: null } }",
            [RULE],
        ),
    ],
)
def test_required_field_of_another_part_is_the_same_in_all_versions_or_not_needed(
    tmp_path: Path, field: str, requires: str, found: list[str], loan: str
) -> None:
    requires = ", ".join(filter(None, ["required: [key]", requires]))
    text = ACCESS.replace("BODY", f"{{ content: {LOAN} }}").replace("CONTENT", OBJECT)
    head, _, _ = text.partition("    Loan:")
    text = f"{head}    Loan: {{ {loan.replace('REQUIRES', requires)} }}\n{PARTS}"
    text = text.replace("FIELD", f"{{ type: string, {field} }}")
    api = loaded(tmp_path, {"versions.yaml": VERSIONS, "api.yaml": API, "loans.yaml": text})
    assert [finding.rule for finding in check_servable(api)] == found
    if requires.endswith("} }"):
        # without a finding, nothing has to be converted either
        assert bool(contract_data(api).data["converters"]) == bool(found)


@pytest.mark.parametrize("media_type", ["application/xml", "text/csv", "application/octet-stream"])
def test_member_in_a_body_that_the_server_does_not_read_is_found(
    tmp_path: Path, media_type: str
) -> None:
    # the contract data, which are the basis of other findings, do not contain such bodies
    said = f"{STATE_MISSES}, and Loan.in is required and single-valued"
    loan, _ = lasting(REFERENCE.strip("{} "), "")
    paths = PATHS.replace("application/json", media_type)
    assert paths != PATHS
    sources = {"versions.yaml": VERSIONS, "api.yaml": API, "loans.yaml": paths + loan + STATE}
    assert [one.message for one in check_servable(loaded(tmp_path, sources))] == [said]


@cases(
    ("keywords", "versions"),
    [
        (
            "required: [fee], properties: { fee: { x-removed: next } }",
            "2024-01-15, 2024-09-01, 2025-06-01",
        ),
        (
            "properties: { fee: { x-removed: next } }, x-was: { 2024-09-01: { required: [fee] } }",
            "2024-01-15",
        ),
        (
            "required: [fee], properties: { fee: { x-added: 2025-06-01, x-removed: next } }",
            "2025-06-01",
        ),
        ("properties: { fee: { x-removed: next } }", ""),
        ("required: [fee], properties: { fee: { x-removed: 2025-06-01 } }", ""),
        ("required: [fee], properties: { fee: { x-removed: next, writeOnly: true } }", ""),
    ],
)
def test_draft_lists_removed_fields_that_are_still_to_be_sent(
    tmp_path: Path, keywords: str, versions: str
) -> None:
    for adopted in ("", "lint: adopted\n"):
        loan = f"    Loan: {{ type: object, {keywords} }}\n"
        sources = {"versions.yaml": VERSIONS + adopted, "api.yaml": API, "loans.yaml": PATHS + loan}
        found = [
            (one.rule, one.verdict, one.message)
            for one in check_servable(loaded(tmp_path, sources))
        ]
        assert found == [
            (
                "removed-field-required",
                Verdict.INFORMATION,
                f"Loan.fee: required in responses of {versions}",
            )
        ] * bool(versions)


_SENT: Final = """\
paths:
  /loans:
    post:
      operationId: lend
      tags: [Loans]
      requestBody:
        content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
      responses: { '204': { description: lent } }
components:
  schemas:
"""
_BOOK: Final = "{ type: object, required: [book], properties: { book: { type: string } } }"
_MAP: Final = "type: object, properties: { scale: { type: integer } }"
_KINDS: Final = [
    f"type: object, required: [kind], properties: {{ kind: {{ const: {kind} }} }}"
    for kind in ("book", "map")
]


@cases(
    ("loan", "is_found"),
    [
        (f"oneOf: [{_BOOK}, {{ {_MAP}, {GATED} }}]", True),
        (f"type: object, oneOf: [{_BOOK}, {{ {_MAP}, {GATED} }}]", True),
        (f"oneOf: [{_BOOK}, {{ {_MAP}, {GATED}, x-removed: 2025-06-01 }}]", False),
        (f"oneOf: [{_BOOK}, {{ {_MAP}, x-removed: 2024-09-01 }}]", False),
        (
            f"oneOf: [{{ type: array }}, {{ {_MAP}, x-removed: 2024-09-01 }}, "
            f"{{ {_MAP}, {GATED} }}]",
            False,
        ),
        (f"anyOf: [{_BOOK}, {{ {_MAP}, {GATED} }}]", False),
        (f"oneOf: [{_BOOK}, {{ type: array, {GATED} }}]", False),
        (f"oneOf: [{{ {_KINDS[0]} }}, {{ {_KINDS[1]}, {GATED} }}]", False),
        (f"type: string, oneOf: [{{ const: a }}, {{ const: b, {GATED} }}]", False),
    ],
)
def test_older_requests_may_fit_a_new_member_as_well(
    tmp_path: Path, loan: str, *, is_found: bool
) -> None:
    sources = {
        "versions.yaml": f"{VERSIONS}lint: adopted\n",
        "api.yaml": API,
        "loans.yaml": f"{_SENT}    Loan: {{ {loan} }}\n",
    }
    found = [finding.message for finding in check_servable(loaded(tmp_path, sources))]
    expected = ["Loan: requests of 2024-01-15 may also fit a new member"]
    assert found == (expected if is_found else [])


@cases(
    "place", ["VALUE", "properties: { fee: VALUE }", "additionalProperties: VALUE", "items: VALUE"]
)
@cases(
    ("was", "is_found"),
    [
        ("type: integer", False),
        ("type: [string, 'null']", False),
        ("type: array, items: { type: integer }", False),
        ("type: 'null'", True),
        ("type: [integer, object]", True),
        ("type: [object, 'null']", True),
        ("type: null, enum: [1, 2]", True),
    ],
)
def test_object_in_place_of_another_value_is_made_by_a_converter(
    tmp_path: Path, place: str, was: str, *, is_found: bool
) -> None:
    older = f"x-was: {{ 2024-09-01: {{ {was}, required: null, properties: null }} }}"
    value = (
        f"type: object, required: [cents], properties: {{ cents: {{ type: integer }} }}, {older}"
    )
    loan = place.replace("VALUE", value if place == "VALUE" else f"{{ {value} }}")
    sources = {
        "versions.yaml": f"{VERSIONS}lint: adopted\n",
        "api.yaml": API,
        "loans.yaml": f"{_SENT}    Loan: {{ {loan} }}\n",
    }
    api = loaded(tmp_path, sources)
    found = [finding.message for finding in check_servable(api)]
    assert [each.rpartition(":")[2] for each in found] == [
        " required in requests, and optional in 2024-01-15"
    ] * is_found
    converters = [*contract_data(api).data["converters"].values()]
    assert [each["up"] for each in converters] == [True]
