"""Adopted documents are rendered again unchanged, with few gates; others are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from support.adopted_apis import (
    ANSWER,
    Document,
    adopt_all,
    api,
    definitions,
    extend_all,
    loans,
    loans_with,
    read_back,
    store,
)
from support.random_chains import DATES, chains, plain
from support.seeds import seeds
from support.tables import cases

from dateline.adopt import Remark, UsageError, adopt
from dateline.diff import diff
from dateline.load import load
from dateline.model import Kind, Place
from dateline.schema.dialect import Dialect


@pytest.mark.parametrize("seed", seeds(4))
def test_random_chains_round_trip(tmp_path: Path, seed: int) -> None:
    for number, chain in enumerate(chains(seed, 10, odd=True)):
        folder = tmp_path / str(number)
        folder.mkdir()
        adopt_all(folder, chain)


# The forms of a schema in 2020, 2021, ..., and the definition written for them.
SCHEMAS: dict[str, tuple[tuple[str, ...], str]] = {
    "a new field": (
        ("{properties: {a: {}}}", "{properties: {a: {}, b: {type: string}}}"),
        "{properties: {a: {}, b: {type: string, x-added: '2021-02-03'}}}",
    ),
    "a removed field": (
        ("{properties: {a: {}, b: {type: string}}}", "{properties: {a: {}}}"),
        "{properties: {a: {}, b: {type: string, x-removed: '2021-02-03'}}}",
    ),
    "an added and removed field": (
        ("{properties: {a: {}}}", "{properties: {a: {}, b: {}}}", "{properties: {a: {}}}"),
        "{properties: {a: {}, b: {x-added: '2021-02-03', x-removed: '2022-05-06'}}}",
    ),
    "a restored field": (
        ("{properties: {a: {}, b: {}}}", "{properties: {a: {}}}", "{properties: {a: {}, b: {}}}"),
        "{properties: {a: {}, b: {x-added: '2022-05-06', "
        "x-was: {'2022-05-06': {x-added: null, x-removed: '2021-02-03'}}}}}",
    ),
    "a changed, removed and restored field": (
        (
            "{properties: {a: {}, b: {maxLength: 1}}}",
            "{properties: {a: {}, b: {maxLength: 2}}}",
            "{properties: {a: {}}}",
            "{properties: {a: {}, b: {maxLength: 2}}}",
        ),
        "{properties: {a: {}, b: {maxLength: 2, x-added: '2023-08-09', x-was: {"
        "'2021-02-03': {maxLength: 1}, "
        "'2023-08-09': {x-added: null, x-removed: '2022-05-06'}}}}}",
    ),
    "required, which follows": (
        (
            "{required: [a, b], properties: {a: {}, b: {}}}",
            "{required: [a, c], properties: {a: {}, c: {type: string}}}",
        ),
        "{required: [a, b, c], properties: {a: {}, c: {type: string, x-added: '2021-02-03'}, "
        "b: {x-removed: '2021-02-03'}}}",
    ),
    "required, which changed": (
        ("{required: [a], properties: {a: {}}}", "{properties: {a: {}}}"),
        "{properties: {a: {}}, x-was: {'2021-02-03': {required: [a]}}}",
    ),
    "a renamed field": (
        (
            "{required: [writer_name], properties: {writer_name: {type: string}, b: {}}}",
            "{required: [author_name], properties: {author_name: {type: string}, b: {}}}",
        ),
        "{required: [author_name], properties: {author_name: {type: string, "
        "x-was: {'2021-02-03': {name: writer_name}}}, b: {}}}",
    ),
    "two fields that need not be one": (
        ("{properties: {paid: {type: boolean}}}", "{properties: {open: {type: boolean}}}"),
        "{properties: {open: {type: boolean, x-added: '2021-02-03'}, "
        "paid: {type: boolean, x-removed: '2021-02-03'}}}",
    ),
    "one of two fields, but which": (
        (
            "{properties: {loan_a: {type: string}, loan_b: {type: string}}}",
            "{properties: {loan_c: {type: string}}}",
        ),
        "{properties: {loan_c: {type: string, x-added: '2021-02-03'}, "
        "loan_a: {type: string, x-removed: '2021-02-03'}, "
        "loan_b: {type: string, x-removed: '2021-02-03'}}}",
    ),
    "keywords": (
        ("{type: string, format: date, minLength: 1}", "{type: string, format: date-time}"),
        "{type: string, format: date-time, x-was: {'2021-02-03': {format: date, minLength: 1}}}",
    ),
    "an added keyword": (
        ("{type: string}", "{type: string, format: date}", "{type: string, format: uuid}"),
        "{type: string, format: uuid, x-was: "
        "{'2022-05-06': {format: date}, '2021-02-03': {format: null}}}",
    ),
    "a keyword that was null": (
        ("{type: string, default: null}", "{type: string, default: a}"),
        "{type: string, default: a, x-was: {'2021-02-03': {set: {default: null}}}}",
    ),
    "an enumeration with a history": (
        ("{enum: [a, b, null]}", "{enum: [a, c, null]}"),
        "{oneOf: [{const: a}, {const: c, x-added: '2021-02-03'}, "
        "{const: b, x-removed: '2021-02-03'}, {const: null}]}",
    ),
    "an enumeration in another order": (
        ("{enum: [a, b]}", "{enum: [b, a]}"),
        "{oneOf: [{const: a, x-removed: '2021-02-03'}, {const: b}, "
        "{const: a, x-added: '2021-02-03'}]}",
    ),
    "a type that became an enumeration": (
        ("{type: string}", "{type: string, enum: [a]}"),
        "{type: string, enum: [a], x-was: {'2021-02-03': {enum: null}}}",
    ),
    "constants that were no enumeration": (
        ("{oneOf: [{const: a}]}", "{oneOf: [{const: a}, {const: b}]}"),
        "{oneOf: [{const: a}, {const: b}], x-was: {'2021-02-03': {oneOf: [{const: a}]}}}",
    ),
    "members of a union": (
        (
            "{anyOf: [{$ref: '#/components/schemas/A'}, {type: string}]}",
            "{anyOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}, "
            "{type: string, maxLength: 3}]}",
        ),
        "{anyOf: [{$ref: '#/components/schemas/A'}, "
        "{$ref: '#/components/schemas/B', x-added: '2021-02-03'}, "
        "{type: string, maxLength: 3, x-was: {'2021-02-03': {maxLength: null}}}]}",
    ),
    "a mapping, which follows": (
        (
            "{oneOf: [{$ref: '#/components/schemas/A'}], discriminator: {propertyName: k, "
            "mapping: {a: '#/components/schemas/A'}}}",
            "{oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}], "
            "discriminator: {propertyName: k, "
            "mapping: {a: '#/components/schemas/A', b: '#/components/schemas/B'}}}",
        ),
        "{oneOf: [{$ref: '#/components/schemas/A'}, "
        "{$ref: '#/components/schemas/B', x-added: '2021-02-03'}], "
        "discriminator: {propertyName: k, "
        "mapping: {a: '#/components/schemas/A', b: '#/components/schemas/B'}}}",
    ),
    "a mapping that does not follow": (
        (
            "{oneOf: [{$ref: '#/components/schemas/A'}], discriminator: {propertyName: k, "
            "mapping: {a: '#/components/schemas/A', b: '#/components/schemas/B'}}}",
            "{oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}], "
            "discriminator: {propertyName: k, "
            "mapping: {a: '#/components/schemas/A', b: '#/components/schemas/B'}}}",
        ),
        "{oneOf: [{$ref: '#/components/schemas/A'}, "
        "{$ref: '#/components/schemas/B', x-added: '2021-02-03'}], "
        "discriminator: {propertyName: k, "
        "mapping: {a: '#/components/schemas/A', b: '#/components/schemas/B'}}, "
        "x-was: {'2021-02-03': {x-published-dangling: ['#/components/schemas/B']}}}",
    ),
    "items that changed below": (
        ("{items: {type: array, items: {maximum: 1}}}", "{items: {type: array, items: {}}}"),
        "{items: {type: array, items: {x-was: {'2021-02-03': {maximum: 1}}}}}",
    ),
    "added items": (
        ("{type: array}", "{type: array, items: {type: string}}"),
        "{type: array, items: {type: string}, x-was: {'2021-02-03': {items: null}}}",
    ),
    "a schema that was true": (
        ("{additionalProperties: true}", "{additionalProperties: {type: string}}"),
        "{additionalProperties: {type: string}, "
        "x-was: {'2021-02-03': {additionalProperties: true}}}",
    ),
    "words": (
        ("{description: One}", "{description: Two, title: T}"),
        "{description: Two, title: T, x-was: {'2021-02-03': {title: null}}}",
    ),
    "keywords of the names that entries have": (
        ("{unset: 1, set: [2]}", "{}"),
        "{x-was: {'2021-02-03': {set: {unset: 1, set: [2]}}}}",
    ),
}


@cases("case", SCHEMAS)
def test_smallest_gates_are_written(tmp_path: Path, case: str) -> None:
    each, written = SCHEMAS[case]
    others = {"A": {"type": "object"}, "B": {"type": "object"}}
    content = {f"a/{name}": {"schema": {"$ref": f"#/components/schemas/{name}"}} for name in others}
    answer = {"200": {"description": "all", "content": content}}
    uses = {"/all": {"get": {"responses": answer}}}
    documents = [api(loan=yaml.safe_load(one), schemas=others, paths=uses) for one in each]
    adopt_all(tmp_path, documents, accept=True)
    # all versions at once, and one after another, when what follows is not known
    extended = extend_all(tmp_path, documents, accept=True)
    for schemas in (tmp_path / "schemas", *([] if "dangling" in written else [extended])):
        assert definitions(schemas)["components"]["schemas"] == {
            "Loan": yaml.safe_load(written),
            **others,
        }


ADDED = {"x-added": "2021-02-03"}
REMOVED = {"x-removed": "2021-02-03"}
LATER: dict[str, tuple[list[Document], tuple[str | int, ...], Any]] = {
    "a parameter": (
        loans_with(parameters=[{"name": "b", "in": "query", "schema": {}}]),
        ("paths", "/loan", "get", "parameters"),
        [
            {"name": "b", "in": "query", "schema": {}, **ADDED},
            {"name": "a", "in": "query", "schema": {}, **REMOVED},
        ],
    ),
    "a parameter that was required": (
        loans_with(parameters=[{"name": "a", "in": "query", "required": True, "schema": {}}]),
        ("paths", "/loan", "get", "parameters", 0, "x-was"),
        {"2021-02-03": {"required": None}},
    ),
    "a response": (
        loans_with(also={"404": {"description": "none"}}),
        ("paths", "/loan", "get", "responses", "404"),
        {"description": "none", **ADDED},
    ),
    "a path": (
        loans_with(paths={"/new": {"get": {"responses": {"200": {"description": "new"}}}}}),
        ("paths", "/new"),
        {"get": {"responses": {"200": {"description": "new"}}}, **ADDED},
    ),
    "a word about a response": (
        loans_with(also={"200": {"description": "ok"}}),
        ("paths", "/loan", "get", "responses", "200"),
        {
            "description": "ok",
            "content": {
                "application/json": {
                    "schema": {"$ref": "#/components/schemas/Loan"},
                    **REMOVED,
                }
            },
        },
    ),
    "a renamed parameter": (
        [
            api(parameters=[{"name": "a", "in": "query", "schema": {"enum": ["x"]}}]),
            api(parameters=[{"name": "b", "in": "query", "schema": {"enum": ["x"]}}]),
        ],
        ("paths", "/loan", "get", "parameters"),
        [
            {
                "name": "b",
                "in": "query",
                "schema": {"enum": ["x"]},
                "x-was": {"2021-02-03": {"name": "a"}},
            }
        ],
    ),
    "the version": (
        loans_with(info={"version": "2"}),
        ("info",),
        {"title": "Library", "version": "2", "x-was": {"2021-02-03": {"version": "1"}}},
    ),
    "the version of OpenAPI": (
        loans_with(root={"openapi": "3.1.1"}),
        ("x-was",),
        {"2021-02-03": {"openapi": "3.1.0"}},
    ),
    "tags": (
        loans_with(root={"tags": [{"name": "A"}]}),
        ("tags",),
        [{"name": "A", **ADDED}],
    ),
    "a webhook": (
        loans_with(root={"webhooks": {"w": {"post": {"responses": ANSWER}}}}),
        ("webhooks", "w"),
        {"post": {"responses": ANSWER}, **ADDED},
    ),
    "a component that only something new refers to": (
        loans_with(
            loan={"type": "object", "properties": {"b": {"$ref": "#/components/schemas/B"}}},
            schemas={"B": {"type": "string"}},
        ),
        ("components", "schemas", "B"),
        {"type": "string"},
    ),
    "an unused component": (
        loans_with(schemas={"B": {"type": "string"}}),
        ("components", "schemas", "B"),
        {"type": "string", **ADDED},
    ),
    "a component that existed before anything referred to it": (
        [
            api(schemas={"B": {"type": "string"}}),
            api(
                loan={"type": "object", "properties": {"b": {"$ref": "#/components/schemas/B"}}},
                schemas={"B": {"type": "string"}},
            ),
        ],
        ("components", "schemas", "B"),
        {"type": "string", "x-added": "2020-01-01"},
    ),
    "a restored component": (
        [api(schemas={"B": {}}), api(), api(schemas={"B": {}}), api()],
        ("components", "schemas", "B"),
        {
            "x-added": "2022-05-06",
            "x-removed": "2023-08-09",
            "x-was": {"2022-05-06": {"x-added": None, "x-removed": "2021-02-03"}},
        },
    ),
}


@cases("case", LATER)
def test_gates_are_on_the_nearest_object(tmp_path: Path, case: str) -> None:
    documents, path, written = LATER[case]
    adopt_all(tmp_path, documents, accept=True)
    for schemas in (tmp_path / "schemas", extend_all(tmp_path, documents, accept=True)):
        found: Any = definitions(schemas)
        for step in path:
            found = found[step]
        assert found == written


def test_assumed_rename_is_reported(tmp_path: Path) -> None:
    adoption = adopt_all(tmp_path, LATER["a renamed parameter"][0], accept=True)
    place = Place((tmp_path / "schemas" / "loan.yaml").as_posix(), 6, 11)
    assert adoption.renamed == (Remark("a -> b", 1, place),)


CREATED: Final = loans(
    "{properties: {created_at: {type: string, format: date-time}}}",
    "{properties: {expires_at: {type: string, format: date-time}}}",
)
"""A field that goes beside one that comes, with a word in common."""

APART: Final = {
    "expires_at": {"type": "string", "format": "date-time", "x-added": "2021-02-03"},
    "created_at": {"type": "string", "format": "date-time", "x-removed": "2021-02-03"},
}
ONE: Final = {
    "expires_at": {
        "type": "string",
        "format": "date-time",
        "x-was": {"2021-02-03": {"name": "created_at"}},
    }
}


@cases(
    ("renames", "accept", "written", "proposed"),
    [
        ((), False, APART, ["Loan.created_at=expires_at"]),
        ((), True, ONE, []),
        (("created_at=expires_at",), False, ONE, []),
        (("Loan.created_at=expires_at",), False, ONE, []),
    ],
)
def test_possible_rename_is_proposed_and_not_assumed(
    tmp_path: Path, renames: tuple[str, ...], accept: bool, written: Any, proposed: list[str]
) -> None:
    arguments = store(tmp_path, CREATED)
    adoption = adopt(arguments, tmp_path / "schemas", renames=renames, accept=lambda _: accept)
    found = definitions(tmp_path / "schemas")["components"]["schemas"]["Loan"]["properties"]
    assert found == written
    assert [each.option for each in adoption.proposals] == proposed
    assert [plain(each) for each in read_back(tmp_path / "schemas")] == CREATED


def test_possible_rename_of_a_parameter_is_proposed_with_its_operation(tmp_path: Path) -> None:
    documents, path, _ = LATER["a renamed parameter"]
    adoption = adopt_all(tmp_path, documents)
    assert [each.option for each in adoption.proposals] == ["GET /loan.a=b"]
    found: Any = definitions(tmp_path / "schemas")
    for step in path:
        found = found[step]
    assert [(each["name"], *(each.keys() & {"x-added", "x-removed"})) for each in found] == [
        ("b", "x-added"),
        ("a", "x-removed"),
    ]


def test_unlikely_rename_is_accepted_from_users(tmp_path: Path) -> None:
    documents = loans(
        "{properties: {paid: {type: boolean}}}", "{properties: {open: {type: string}}}"
    )
    adopt(store(tmp_path, documents), tmp_path / "schemas", renames=("paid=open",))
    found = definitions(tmp_path / "schemas")["components"]["schemas"]["Loan"]["properties"]
    assert found == {
        "open": {"type": "string", "x-was": {"2021-02-03": {"type": "boolean", "name": "paid"}}}
    }


def test_renames_are_listed_in_the_order_of_versions_whose_names_have_suffixes(
    tmp_path: Path,
) -> None:
    # a preview is older than its date, although its name is longer
    dates = ("2024-06-01", "2025-01-01-preview", "2025-01-01")
    names = ("a", "b", "c")
    documents = loans(*(f"{{properties: {{{name}: {{enum: [x]}}}}}}" for name in names))
    arguments = [
        argument.replace(f"{old}=", f"{date}=", 1)
        for argument, old, date in zip(store(tmp_path, documents), DATES, dates, strict=False)
    ]
    schemas = tmp_path / "schemas"
    adoption = adopt(tuple(arguments), schemas, renames=("a=b", "b=c"))
    assert sorted(each.what for each in adoption.renamed) == ["a -> b", "b -> c"]
    field = definitions(schemas)["components"]["schemas"]["Loan"]["properties"]["c"]
    assert list(field["x-was"]) == list(dates[1:])


@pytest.mark.parametrize(
    ("rename", "said"),
    [
        ("created_at", "--rename created_at: write OLD=NEW, or SCHEMA.OLD=NEW"),
        (
            "created=expires_at",
            "--rename created=expires_at: no field, header or parameter of the old name is removed "
            "between two neighbouring versions while one of the new name is added",
        ),
    ],
)
def test_rename_of_a_missing_thing_is_refused(tmp_path: Path, rename: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        adopt(store(tmp_path, CREATED), tmp_path / "schemas", renames=(rename,))
    assert str(refused.value) == said
    assert not (tmp_path / "schemas").exists()


def test_equal_documents_need_no_gates(tmp_path: Path) -> None:
    adoption = adopt_all(tmp_path, [api()] * 3)
    assert adoption.gates == {"x-added": 0, "x-removed": 0, "x-was": 0}
    assert definitions(tmp_path / "schemas") == api()


def test_history_starts_at_the_oldest_date(tmp_path: Path) -> None:
    adopt_all(tmp_path, loans("{title: A}", "{title: B}", "{title: C}"))
    loan = definitions(tmp_path / "schemas")["components"]["schemas"]["Loan"]
    assert list(loan["x-was"]) == ["2021-02-03", "2022-05-06"]


def test_dates_of_dateline_are_plain_and_those_of_the_api_quoted(tmp_path: Path) -> None:
    date = "2021-02-03"
    adopt_all(
        tmp_path,
        loans(
            f"{{properties: {{a: {{default: '{date}', title: A}}}}}}",
            f"{{properties: {{a: {{default: '{date}'}}, '{date}': {{type: string}}}}}}",
        ),
    )
    written = (tmp_path / "schemas" / "loan.yaml").read_text()
    assert [line.strip() for line in written.splitlines() if date in line] == [
        f'default: "{date}"',
        f"{date}:",
        f'"{date}":',
        f"x-added: {date}",
    ]
    table = (tmp_path / "schemas" / "versions.yaml").read_text()
    assert [line for line in table.splitlines() if "20" in line and "title" not in line] == [
        "default: 2020-01-01",
        "  - date: 2020-01-01",
        "  - date: 2021-02-03",
    ]


def test_single_document_is_the_first_version(tmp_path: Path) -> None:
    adopt_all(tmp_path, [api()])
    assert [version.date for version in load(tmp_path / "schemas").table.versions] == [DATES[0]]


def test_true_differs_from_1_and_1_equals_1_0(tmp_path: Path) -> None:
    one, true, float_one = loans("{const: 1}", "{const: true}", "{const: 1.0}")
    adopt_all(tmp_path, [one, true, float_one, one])
    assert definitions(tmp_path / "schemas")["components"]["schemas"]["Loan"] == {
        "const": 1,
        "x-was": {"2022-05-06": {"const": True}, "2021-02-03": {"const": 1}},
    }


def test_fragments_are_split_by_tag(tmp_path: Path) -> None:
    def path(tag: str | None, *schemas: str) -> Document:
        content = {
            f"a/{name}": {"schema": {"$ref": f"#/components/schemas/{name}"}} for name in schemas
        }
        answer = {"200": {"description": "ok", "content": content}}
        return {"get": {"responses": answer, **({"tags": [tag, "Other"]} if tag else {})}}

    document = api(
        paths={
            "/loans": path("Loans", "Own", "Both", "LoanState", "Loanable", "other.loan"),
            "/readers": path("Readers & more", "Both", "LoanState", "Loanable", "other.loan"),
            "/versions": path("Versions"),
            "/readers/2": path("readers-more"),
        },
        schemas={
            "Own": {"properties": {"a": {"$ref": "#/components/schemas/Below"}}},
            "Below": {},
            **{name: {} for name in ("Both", "LoanState", "Loanable", "other.loan")},
            "Unused": {},
        },
    )
    adopt_all(tmp_path, [document])
    found = {
        path.name: sorted(
            [*content.get("paths", {}), *content.get("components", {}).get("schemas", {})]
        )
        for path in sorted((tmp_path / "schemas").glob("*.yaml"))
        if (content := yaml.safe_load(path.read_text()))
    }
    assert found == {
        "common.yaml": ["Both", "Loanable", "Unused", "other.loan"],
        "loan.yaml": ["/loan", "Loan"],
        "loans.yaml": ["/loans", "Below", "LoanState", "Own"],
        "readers-more-2.yaml": ["/readers/2"],
        "readers-more.yaml": ["/readers"],
        "versions-2.yaml": ["/versions"],
        "versions.yaml": [],
    }


def test_untagged_operations_are_split_by_the_distinguishing_path_segment(tmp_path: Path) -> None:
    item = {"get": {"responses": {"200": {"description": "ok"}}}}
    tagged = {"get": {**item["get"], "tags": ["Loans"]}}
    hook = {"post": {"responses": {"200": {"description": "ok"}}}}
    names = ["/v1/{a}", "/v1/{a}/loans", "/v1/{a}/loans/all", "/v1/Readers", "/v1/versions"]
    variable = [{"name": "a", "in": "path", "required": True, "schema": {"type": "string"}}]
    items = {name: {"parameters": variable * ("{" in name), **item} for name in names}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Library", "version": "1"},
        "paths": {**items, "/other": tagged},
        "webhooks": {"returned": hook},
    }
    adopt_all(tmp_path, [document])
    found = {
        path.name: [*content.get("paths", {}), *content.get("webhooks", {})]
        for path in sorted((tmp_path / "schemas").glob("*.yaml"))
        if path.name not in ("common.yaml", "versions.yaml")
        and (content := yaml.safe_load(path.read_text()))
    }
    assert found == {
        "loans.yaml": ["/v1/{a}/loans", "/v1/{a}/loans/all", "/other"],
        "readers.yaml": ["/v1/Readers"],
        "v1.yaml": ["/v1/{a}"],
        "versions-2.yaml": ["/v1/versions"],
        "webhooks.yaml": ["returned"],
    }


def test_document_that_names_another_date_is_reported(tmp_path: Path) -> None:
    adoption = adopt_all(
        tmp_path, [api(info={"version": "2019-05-05"}), api(info={"version": "7"})]
    )
    assert [words for _, _, words in adoption.documents] == [
        "equal, though it calls itself 2019-05-05",
        "equal",
    ]


def test_schema_that_is_replaced_as_a_whole_is_reported_with_its_reason(tmp_path: Path) -> None:
    adoption = adopt_all(
        tmp_path,
        loans(
            "{items: {properties: {a: {}}}, not: {type: object}, additionalProperties: {}}",
            "{items: {properties: {}}, additionalProperties: {}}",
            "{items: {properties: {}}, additionalProperties: false}",
        ),
    )
    file = (tmp_path / "schemas" / "loan.yaml").as_posix()
    assert adoption.restated == (
        Remark(
            "true, false or an empty list or mapping were in place of parts",
            2,
            Place(file, 30, 9),
        ),
        Remark("a part was removed that can't be gated by itself", 1, Place(file, 27, 9)),
    )


# Numbers


@cases("keyword", ["maxLength", "minItems", "maxProperties"])
@cases(("floating", "whole"), [(0, 1), (1, 0), (1, 2), (2, 1)])
def test_number_equal_to_a_count_does_not_change_its_spelling(
    tmp_path: Path, keyword: str, floating: int, whole: int
) -> None:
    fields = ["", "", ""]
    fields[floating] += "x-order: 1.0, maximum: 1.0, "
    fields[whole] += f"{keyword}: 1, "
    documents = loans(*(f"{{properties: {{note: {{{each}title: a}}}}}}" for each in fields))
    adopt_all(tmp_path, documents)
    shown = [each["components"]["schemas"]["Loan"] for each in read_back(tmp_path / "schemas")]
    assert type(shown[whole]["properties"]["note"][keyword]) is int


def test_numbers_in_different_spellings_are_no_change(tmp_path: Path) -> None:
    adoption = adopt_all(
        tmp_path,
        loans(
            "{maxLength: 1, minimum: 1.0, maximum: 2.0}", "{maxLength: 1, minimum: 1, maximum: 2.0}"
        ),
    )
    assert sum(adoption.gates.values()) == 0
    assert definitions(tmp_path / "schemas")["components"]["schemas"]["Loan"] == {
        "maxLength": 1,
        "minimum": 1,
        "maximum": 2.0,
    }


# OpenAPI 3.0

OLD: dict[str, Any] = yaml.safe_load("""
openapi: 3.0.3
info: { title: Library, version: '1' }
paths:
  /loan:
    get:
      responses:
        '200':
          description: a loan
          content: { application/json: { schema: { $ref: '#/components/schemas/Loan' } } }
components:
  schemas:
    Loan:
      type: object
      properties:
        a: { type: string, nullable: true }
        b: { type: string, nullable: true, enum: [x, y] }
        c: { nullable: true, allOf: [{ $ref: '#/components/schemas/Book' }] }
        d: { type: integer, minimum: 1, exclusiveMinimum: true, maximum: 5 }
        e: { type: integer, maximum: 5, exclusiveMaximum: false, nullable: false }
    Book: { type: object, example: { a: 1 } }
""")
NEW: dict[str, Any] = yaml.safe_load("""
Loan:
  type: object
  properties:
    a: { type: [string, 'null'] }
    b: { type: [string, 'null'], enum: [x, y, null] }
    c: { anyOf: [{ allOf: [{ $ref: '#/components/schemas/Book' }] }, { type: 'null' }] }
    d: { type: integer, exclusiveMinimum: 1, maximum: 5 }
    e: { type: integer, maximum: 5 }
Book: { type: object, example: { a: 1 } }
""")


def test_documents_of_openapi_3_0_round_trip(tmp_path: Path) -> None:
    adopt_all(tmp_path, [OLD, {**OLD, "openapi": "3.0.0"}])


def test_openapi_3_0_documents_are_converted_to_3_1_among_others(tmp_path: Path) -> None:
    later = {**OLD, "openapi": "3.1.0", "components": {"schemas": NEW}}
    adoption = adopt(store(tmp_path, [OLD, later]), tmp_path / "schemas")
    assert read_back(tmp_path / "schemas") == [later, later]
    assert [words for *_, words in adoption.documents] == [
        "equal, in the words of OpenAPI 3.1",
        "equal",
    ]
    assert sum(adoption.gates.values()) == 0


def test_conversion_to_3_1_preserves_the_meaning() -> None:
    changes = diff(OLD, {**Dialect(OLD).modernize("document", OLD), "openapi": "3.1.0"})
    assert [(change.kind, change.keyword) for change in changes] == [
        (Kind.DIALECT_CHANGED, "openapi")
    ]
