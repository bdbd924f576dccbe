"""Definitions in several files equal those in one, and other references are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from support.sources import VERSIONS, loaded, plain, problems
from support.tables import cases

from dateline.model import Api
from dateline.project import Projector

HEAD: Final = "openapi: 3.1.0\ninfo: { title: T, version: canonical }\ntags: [{ name: T }]\n"

GET: Final = """\
get:
  operationId: getLoan
  tags: [T]
  responses:
    '200':
      description: A loan.
      content: { application/json: { schema: %s } }
"""

LOAN: Final = "type: object\nproperties: { id: { type: string } }\n"


def path_item(schema: str) -> str:
    return "paths:\n  /loans:\n" + "".join(f"    {line}\n" for line in (GET % schema).splitlines())


def files(schema: str, **others: str) -> dict[str, str]:
    return {"versions.yaml": VERSIONS, "api.yaml": HEAD + path_item(schema), **others}


def document(api: Api) -> Any:
    """Return the document of the newest version."""
    projector = Projector(api)
    return json.loads(json.dumps(projector.contract(api.table.dates[-1], "production").document))


COMPONENT: Final = "components: { schemas: { Loan: { $ref: %s } } }\n"
REFERRED: Final = "{ $ref: '#/components/schemas/Loan' }"

# Other ways to write the single file of the control.
WAYS: Final[dict[str, dict[str, str]]] = {
    "a file": files("{ $ref: Loan.yaml }", **{"Loan.yaml": LOAN}),
    "a file of JSON": files(
        "{ $ref: Loan.json }",
        **{"Loan.json": '{"type": "object", "properties": {"id": {"type": "string"}}}'},
    ),
    "a file called .yml": files("{ $ref: Loan.yml }", **{"Loan.yml": LOAN}),
    "a folder below": files("{ $ref: ./models/Loan.yaml }", **{"models/Loan.yaml": LOAN}),
    "a detour": files("{ $ref: models/../a/Loan.yaml }", **{"a/Loan.yaml": LOAN}),
    "percent-encoding": files("{ $ref: 'mod%65ls/%4Coan%2Eyaml' }", **{"models/Loan.yaml": LOAN}),
    "a pointer": files(
        "{ $ref: 'all.yaml#/x/Loan' }",
        **{"all.yaml": "x:\n  Loan:\n" + "".join(f"    {one}\n" for one in LOAN.splitlines())},
    ),
    "a pointer with escapes": files(
        "{ $ref: 'all.yaml#/a~1b%20~0/Loan' }",
        **{"all.yaml": "a/b ~: { Loan: { type: object, properties: { id: { type: string } } } }\n"},
    ),
    "a file that refers on": files(
        "{ $ref: one.yaml }", **{"one.yaml": "$ref: a/Loan.yaml\n", "a/Loan.yaml": LOAN}
    ),
    "a component by name": files(
        REFERRED, **{"loan.yaml": COMPONENT % "x/y.yaml", "x/y.yaml": LOAN}
    ),
    "a component of another file": files(
        "{ $ref: 'a/loan.yaml#/components/schemas/Loan' }",
        **{"a/loan.yaml": COMPONENT % "../y.yaml", "y.yaml": LOAN},
    ),
    "a section": files(
        REFERRED,
        **{
            "loan.yaml": "components: { schemas: { $ref: all.yaml } }\n",
            "all.yaml": "Loan: { $ref: x/y.yaml }\n",
            "x/y.yaml": LOAN,
        },
    ),
    "a path": {
        "versions.yaml": VERSIONS,
        "api.yaml": HEAD + "paths: { /loans: { $ref: paths/loans.yaml } }\n",
        "paths/loans.yaml": GET % "{ $ref: ../Loan.yaml }",
        "Loan.yaml": LOAN,
    },
    "a path in a pointer": {
        "versions.yaml": VERSIONS,
        "api.yaml": HEAD + "paths: { /loans: { $ref: 'all.yaml#/~1loans' } }\n",
        "all.yaml": path_item("{ $ref: ./Loan.yaml }").removeprefix("paths:\n"),
        "Loan.yaml": LOAN,
    },
    "all paths": {
        "versions.yaml": VERSIONS,
        "api.yaml": HEAD + "paths: { $ref: all.yaml }\n",
        "all.yaml": "/loans: { $ref: item.yaml }\n",
        "item.yaml": GET % "{ $ref: ./Loan.yaml }",
        "Loan.yaml": LOAN,
    },
    "a response": {
        "versions.yaml": VERSIONS,
        "api.yaml": HEAD
        + "paths: { /loans: { get: { operationId: getLoan, tags: [T],"
        + " responses: { $ref: responses.yaml } } } }\n",
        "responses.yaml": "'200':\n  description: A loan.\n"
        + "  content: { application/json: { schema: { $ref: Loan.yaml } } }\n",
        "Loan.yaml": LOAN,
    },
}

ONE: Final = files(REFERRED, **{"loan.yaml": "components: { schemas: { Loan: %s } }\n"}) | {
    "loan.yaml": "components:\n  schemas:\n    Loan:\n"
    + "".join(f"      {line}\n" for line in LOAN.splitlines())
}


@cases("way", WAYS)
def test_definitions_in_several_files_equal_those_in_one(way: str, tmp_path: Path) -> None:
    whole = document(loaded(tmp_path / "whole", ONE))
    assert whole["components"] == {
        "schemas": {"Loan": {"type": "object", "properties": {"id": {"type": "string"}}}}
    }
    assert document(loaded(tmp_path / "parts", WAYS[way])) == whole


def test_mutually_recursive_files_become_components(tmp_path: Path) -> None:
    parts = {
        "person.yaml": "type: object\nproperties:\n  loans: { items: { $ref: loan.yaml } }\n"
        "  boss: { $ref: '#' }\n",
        "loan.yaml": "type: object\nproperties:\n  to: { $ref: person.yaml }\n"
        "  at: { $ref: desk/opening-time.json }\n",
        "desk/opening-time.json": '{"type": "string"}\n',
        "desk/loan.yaml": "type: string\n",
    }
    schema = "{ anyOf: [{ $ref: loan.yaml }, { $ref: desk/loan.yaml }] }"
    api = loaded(tmp_path, files(schema, **parts))
    names = ("Person", "Loan", "DeskLoan", "OpeningTime")
    refer = {name: {"$ref": f"#/components/schemas/{name}"} for name in names}
    assert plain(api.document["components"]["schemas"]) == {
        "Loan": {
            "type": "object",
            "properties": {"to": refer["Person"], "at": refer["OpeningTime"]},
        },
        "DeskLoan": {"type": "string"},
        "OpeningTime": {"type": "string"},
        "Person": {
            "type": "object",
            "properties": {"loans": {"items": refer["Loan"]}, "boss": refer["Person"]},
        },
    }
    assert api.parts == parts.keys()
    place = api.locate(("components", "schemas", "Loan", "properties", "at"))
    assert str(place) == "schemas/loan.yaml:4:3"


def test_history_may_be_in_another_file(tmp_path: Path) -> None:
    short = "{ type: object, x-was: { 2024-09-01: { %s } } }"
    for said in (
        "properties: { id: { $ref: a/old.yaml } }",
        "set: { properties: { id: { $ref: a/old.yaml } } }",
    ):
        api = loaded(tmp_path / said[:3], files(short % said, **{"a/old.yaml": "type: integer\n"}))
        projector = Projector(api)
        old, new = (
            json.dumps(projector.contract(date, "production").document)
            for date in (api.table.dates[0], api.table.dates[-1])
        )
        assert '"Old": {"type": "integer"}' in old
        assert "#/components/schemas/Old" in old
        assert "/Old" not in new


# The target of the reference, and the problem at its place.
REFUSED: Final = {
    "https://example.com/Loan.yaml": "reference-remote",
    "//example.com/Loan.yaml": "reference-remote",
    "file:///etc/Loan.yaml": "reference-remote",
    "/etc/Loan.yaml": "reference-outside",
    "%2Fetc/Loan.yaml": "reference-outside",
    "../Loan.yaml": "reference-outside",
    "models/../../Loan.yaml": "reference-outside",
    "%2e%2e/Loan.yaml": "reference-outside",
    "missing.yaml": "reference-unreadable",
    "models": "reference-unreadable",
    "Loan.txt": "reference-unreadable",
    "_draft.yaml": "reference-unreadable",
    "versions.yaml": "reference-unreadable",
    "Loan.yaml#/nowhere": "reference-dangling",
    "Loan.yaml#nowhere": "reference-dangling",
    "other.yaml#/components/schemas/Nowhere": "reference-dangling",
    "other.yaml#/paths/~1loans": "reference-dangling",
    "other.yaml": "reference-form",
    "other.yaml#/components/schemas": "reference-form",
    "round.yaml": "reference-circular",
}


@cases("address", REFUSED)
@cases("inside", [False, True])
def test_unreadable_reference_is_refused_where_it_is_written(
    address: str, inside: bool, tmp_path: Path
) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "Loan.yaml").write_text(LOAN)
    others = {
        "Loan.yaml": LOAN,
        "_draft.yaml": LOAN,
        "other.yaml": "components: { schemas: { Other: { type: string } } }\n",
        "round.yaml": "$ref: round.yaml\n",
    }
    if address != "round.yaml":
        del others["round.yaml"]
    written = f"{{ anyOf: [{{ $ref: Loan.yaml }}, {{ $ref: '{address}' }}] }}"
    if inside:
        others["part.yaml"] = f"anyOf:\n  - $ref: Loan.yaml\n  - $ref: '{address}'\n"
        written = "{ $ref: part.yaml }"
    found = problems(tmp_path, files(written, **others))
    where = "schemas/part.yaml:3:11: " if inside else "schemas/api.yaml:12:89: "
    assert [one[: len(one) and one.index(": '")] for one in found] == [where + REFUSED[address]]
    assert repr(address) in found[0]


def test_problems_of_a_part_have_their_place_in_its_file(tmp_path: Path) -> None:
    part = "type: object\nproperties:\n  id: { type: strin }\n  to: { x-aded: 2024-09-01 }\n"
    found = problems(tmp_path, files("{ $ref: a/b.yaml }", **{"a/b.yaml": part}))
    assert [one.split(": ")[:2] for one in found] == [
        ["schemas/a/b.yaml:3:15", "unknown-type"],
        ["schemas/a/b.yaml:4:9", "unknown-annotation"],
    ]


def test_unreferenced_file_is_reported(tmp_path: Path) -> None:
    alone = problems(tmp_path / "a", files("{ type: string }", **{"Loan.yaml": LOAN}))
    assert [one.split(": ")[:2] for one in alone] == [["schemas/Loan.yaml:1:1", "source-not-read"]]
    misspelt = problems(tmp_path / "b", files("{ type: string }", **{"a.yaml": "component: {}\n"}))
    assert [one.split(": ")[:2] for one in misspelt] == [["schemas/a.yaml:1:1", "misspelt-key"]]


def test_siblings_of_a_reference_to_all_components_are_kept(tmp_path: Path) -> None:
    sections = {
        "a.yaml": "components: { schemas: { $ref: all.yaml } }\n",
        "b.yaml": "components: { schemas: { Other: { type: string } } }\n",
        "all.yaml": "Loan: { type: string }\n",
    }
    assert [one.split(": ")[:2] for one in problems(tmp_path, files(REFERRED, **sections))] == [
        ["schemas/a.yaml:1:32", "reference-sibling"]
    ]
