"""Templates lay out every document; values reach them only through filters."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.sources import LIBRARY, LOANS, folder, loaded
from support.tables import cases

from dateline.cache import Cache
from dateline.documents import require_valid
from dateline.model import Api, SourceError
from dateline.project import project
from dateline.render import render
from dateline.templating import TemplateError

DATES = ("2024-01-15", "2024-09-01", "2025-06-01", "next")


@pytest.fixture
def library(tmp_path: Path) -> Api:
    return loaded(tmp_path, LIBRARY)


def files(api: Api, templates: Path | None = None) -> dict[str, str]:
    rendered = render(api, templates, models=False, changes=False, validate=False)
    return {artifact.path: artifact.content.decode() for artifact in rendered.artifacts}


def test_each_version_and_environment_has_one_document_in_both_forms(library: Api) -> None:
    names = [
        *(f"{date}.{form}" for date in (*DATES, "latest") for form in ("json", "yaml")),
        "versions.json",
    ]
    assert sorted(files(library)) == [
        ".gitattributes",
        *sorted(f"spec/{folder}/{name}" for folder in ("production", "sandbox") for name in names),
    ]


@cases("environment", ["production", "sandbox"])
@cases("date", DATES)
def test_document_equals_the_contract(library: Api, environment: str, date: str) -> None:
    made = files(library)
    contract = project(library, date, environment).document
    assert json.loads(made[f"spec/{environment}/{date}.json"]) == contract
    assert yaml.safe_load(made[f"spec/{environment}/{date}.yaml"]) == contract


def test_latest_is_the_newest_version_that_is_no_draft(library: Api) -> None:
    made = files(library)
    for form in ("json", "yaml"):
        assert made[f"spec/sandbox/latest.{form}"] == made[f"spec/sandbox/2025-06-01.{form}"]


def test_index_lists_the_supported_versions(library: Api) -> None:
    assert json.loads(files(library)["spec/production/versions.json"]) == {
        "default": "2024-01-15",
        "latest": "2025-06-01",
        "versions": [
            {
                "version": date,
                "summary": title,
                "state": "supported",
                "location": f"/spec/{date}",
            }
            for date, title in (
                ("2024-01-15", "Initial version"),
                ("2024-09-01", "Audio books"),
                ("2025-06-01", "Author names in one field"),
            )
        ],
    }


def test_every_text_file_ends_with_one_line_end(library: Api) -> None:
    ends = {text[-2:] == "\n\n" or text[-1:] != "\n" for text in files(library).values()}
    assert ends == {False}


def test_output_is_deterministic(tmp_path: Path) -> None:
    first = files(loaded(tmp_path / "one", LIBRARY))
    # the order in which fragments are read and named must not matter either
    second = files(loaded(tmp_path / "two", dict(reversed(LIBRARY.items()))))
    assert first == second


def test_template_of_the_user_overrides_the_built_in_one(tmp_path: Path, library: Api) -> None:
    own = tmp_path / "own" / "spec" / "{environment}"
    own.mkdir(parents=True)
    (own / "versions.json.jinja").write_text("{{ table.default | json }}\n")
    (own / "{version}.txt.jinja").write_text("{{ version | json }} {{ environment | json }}\n")
    made = files(library, tmp_path / "own")
    assert made["spec/sandbox/versions.json"] == '"2024-01-15"\n'
    assert made["spec/sandbox/2024-09-01.txt"] == '"2024-09-01" "sandbox"\n'
    assert json.loads(made["spec/sandbox/latest.json"])["info"]["version"] == "2025-06-01"


@pytest.mark.parametrize(
    ("name", "template", "said"),
    [
        ("x.txt", "{{ version }}", "x.txt.jinja:1: '.*' reaches the template without a filter"),
        ("x.txt", "\n{{ nothing | json }}", "x.txt.jinja:2: 'nothing' is undefined"),
        ("x.txt", "\n\n{% if %}", "x.txt.jinja:3: Expected an expression"),
        ("x.txt", "{{ (1 / 0) | json }}", "x.txt.jinja:1: division by zero"),
        ("x.txt", "{{ environment | upper }}", ":1: '.*' reaches the template without a filter"),
        ("x.txt", "{{ 'a b' | ident }}", "is not an identifier"),
        ("x.txt", "\n{% include '_gone.jinja' %}", "x.txt.jinja:2: '_gone.jinja' not found"),
        ("x.txt", "{% include 'spec/{environment}/_part.jinja' %}", "_part.jinja:2: 'gone' is"),
        ("x.txt", "{% import 'spec/{environment}/_bad.jinja' as b %}", "_bad.jinja:1: unexpected"),
        ("{verion}.txt", "", "{verion}.txt.jinja: {verion} has no value here"),
    ],
)
def test_template_that_fails_is_named_with_the_line(
    tmp_path: Path, library: Api, name: str, template: str, said: str
) -> None:
    own = tmp_path / "own" / "spec" / "{environment}"
    own.mkdir(parents=True)
    (own / f"{name}.jinja").write_text(template)
    (own / "_part.jinja").write_text("\n{{ gone | json }}")
    (own / "_bad.jinja").write_text("{{ }")
    with pytest.raises(TemplateError, match=f"^template spec/{{environment}}/.*{said}"):
        render(library, tmp_path / "own", models=False, validate=False)


def test_template_syntax_in_text_is_text(tmp_path: Path) -> None:
    hostile = "{{ 7 * 7 }} {% raw %} {{ cycler.__init__.__globals__ }} {0} %s"
    loans = LOANS.replace("description: a loan", f"description: '{hostile}'")
    made = files(loaded(tmp_path, {**LIBRARY, "loans.yaml": loans}))
    document = json.loads(made["spec/sandbox/2024-01-15.json"])
    assert document["paths"]["/loans/{id}"]["get"]["responses"]["200"]["description"] == hostile


def test_each_distinct_document_is_validated_independently(library: Api) -> None:
    contract = project(library, "2024-09-01", "sandbox")
    broken = {**contract.document, "paths": {"loans": {}}}
    with pytest.raises(SourceError) as caught:
        require_valid(library, [contract, replace(contract, document=broken)], Cache(None))
    problems = caught.value.problems
    assert [problem.id for problem in problems] == ["document-invalid"]
    said = "openapi-spec-validator refuses the document of 2024-09-01, sandbox: "
    assert problems[0].message.startswith(said)
    assert "'loans'" in problems[0].message


@pytest.mark.parametrize(
    "broken",
    [
        {"components": {"schemas": {"Loan": {"type": 1}}}},
        {"components": {"schemas": {"Loan": {"properties": {"due": {"minLength": "1"}}}}}},
        {"components": {"schemas": {"Loan": {"required": ["due"], "default": 1, "allOf": [{}]}}}},
        {"jsonSchemaDialect": "https://example.com/none"},
    ],
)
def test_shared_schema_is_validated_in_documents_with_defects(
    library: Api, broken: dict[str, Any]
) -> None:
    """Whatever was validated before, each document reports its own defects."""
    contract = project(library, "2024-09-01", "sandbox")
    both = {**contract.document, **broken}
    if "components" in broken:
        both["components"] = {
            "schemas": {**contract.document["components"]["schemas"]}
            | broken["components"]["schemas"]
        }
    info = both["info"]
    wrong = [
        replace(contract, environment=name, document={**both, "info": {**info, "title": name}})
        for name in ("sandbox", "production")
    ]
    found = []
    for contracts in (wrong[:1], wrong[1:], [contract, *wrong], [*wrong, contract]):
        with pytest.raises(SourceError) as caught:
            require_valid(library, contracts, Cache(None))
        found.append([problem.message for problem in caught.value.problems])
    alone, other, after, before = found
    assert [each.replace("sandbox", "production") for each in alone] == other
    assert after == before == sorted([*alone, *other])


def test_document_known_to_be_valid_is_not_validated_again(library: Api) -> None:
    """A defect in descriptions, data or keys is found with and without cached results."""
    contract = project(library, "2024-09-01", "sandbox")
    cache = Cache(None)
    assert require_valid(library, [contract], cache) == []
    info = contract.document["info"]
    renamed = {**contract.document, "info": {**info, "description": "Other words."}}
    assert require_valid(library, [replace(contract, document=renamed)], cache) == []
    for broken in (
        {**info, "title": 1},
        {**info, "description": 1},
        {**info, "contact": {"email": []}},
    ):
        wrong = replace(contract, document={**contract.document, "info": broken})
        for known in (cache, Cache(None), cache):
            with pytest.raises(SourceError) as caught:
                require_valid(library, [wrong], known)
            assert len(caught.value.problems) == 1


def test_folder_of_the_definitions_is_not_modified(tmp_path: Path) -> None:
    schemas = folder(tmp_path, LIBRARY)
    before = {path.name: path.read_bytes() for path in schemas.iterdir()}
    files(loaded(tmp_path, LIBRARY))
    assert {path.name: path.read_bytes() for path in schemas.iterdir()} == before
