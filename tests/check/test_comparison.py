"""Any two sides can be compared: versions, environments, revisions, folders, documents."""

from __future__ import annotations

from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from support.repositories import commit, git
from support.sources import LIBRARY, folder

from dateline.check.baseline import BaselineError
from dateline.check.comparison import compare
from dateline.files import write
from dateline.load import load
from dateline.model import DatelineError
from dateline.render import render


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    schemas = folder(tmp_path, LIBRARY)
    write(
        render(load(schemas), models=False, changes=False, validate=False).artifacts,
        tmp_path / "generated",
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(before: str, after: str) -> list[str]:
    findings, label = compare(Path("schemas"), Path("generated"), before, after)
    return [f"compared with {label}"] + [
        f"{found.after_source or found.before_source}: {found.verdict} [{found.rule}] "
        f"{found.message} ({', '.join(found.environments)})"
        for found in findings
    ]


DUE = "Loan.due: format changed ('date' -> 'date-time')"
AUDIO = "Item: variant AudioBook added"


def test_versions_are_compared_in_every_environment(project: Path) -> None:
    assert project.is_dir()
    assert said("2024-01-15", "2024-09-01") == [
        "compared with 2024-01-15",
        f"schemas/loans.yaml:30:30: gated [format-changed] {DUE} (production, sandbox)",
        f"schemas/loans.yaml:43:11: gated [variant-added] {AUDIO} (production, sandbox)",
        "schemas/loans.yaml:53:5: additive [component-added] AudioBook: component added "
        "(production, sandbox)",
    ]


def test_rename_between_versions_is_one_change(project: Path) -> None:
    assert project.is_dir()
    renamed = "Loan.author_name: field renamed ('writer' -> 'author_name') (sandbox)"
    assert said("2024-09-01@sandbox", "2025-06-01@sandbox") == [
        "compared with 2024-09-01 (sandbox)",
        f"schemas/loans.yaml:26:9: gated [field-renamed] {renamed}",
        "schemas/loans.yaml:29:9: gated [response-field-removed] Loan.fine_cents: field removed "
        "(sandbox)",
    ]


def test_version_equals_the_document_generated_from_it(project: Path) -> None:
    assert project.is_dir()
    document = "generated/spec/sandbox/2024-09-01.json"
    assert said("2024-09-01@sandbox", document) == ["compared with 2024-09-01 (sandbox)"]
    assert said(document, document) == [f"compared with {document}"]


def test_document_may_be_a_file_of_a_revision_or_come_from_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = '{"type": "object", "properties": {"a": {"type": "string"}}}'
    text = (
        '{"openapi": "3.1.0", "info": {"title": "A", "version": "1"}, "paths": {"/a": {"get": '
        '{"responses": {"200": {"description": "a", "content": {"application/json": {"schema": '
        '{"$ref": "../a.json"}}}}}}}}}'
    )
    monkeypatch.chdir(folder(tmp_path, {"a.json": schema, "docs/api.json": text}, "."))
    git("init", "--quiet", "--initial-branch=main")
    commit()
    whole = text.replace('{"$ref": "../a.json"}', schema)
    changed = text.replace('{"$ref": "../a.json"}', schema.replace("string", "integer"))
    folder(tmp_path, {"a.json": "{}", "same.json": whole, "changed.json": changed}, ".")
    Path("sub").mkdir()
    (short,) = git("rev-parse", "--short=7", "HEAD").split()
    for name in ("main:docs/api.json", "HEAD~0:./docs/api.json"):
        label = f"compared with git {name.replace('./', '')} ({short})"
        assert said(name, "same.json") == [label]
        assert [text.partition("[")[0] for text in said(name, "changed.json")] == [
            label,
            "changed.json:1:212: gated ",
        ]
    for where, name in ((".", "HEAD:api.json"), ("sub", "HEAD:./docs/api.json")):
        monkeypatch.chdir(tmp_path / where)
        with pytest.raises(
            DatelineError, match="unreadable-file: the commit has no such file; name"
        ):
            said(name, "same.json")
    with pytest.raises(DatelineError, match=r"^other: revision-unknown"):
        said("other:docs/api.json", "../same.json")
    with pytest.raises(DatelineError, match="url-refused: nothing is read from the network"):
        said("https://example.com/api.json", "../same.json")
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(whole.encode())))
    assert said("-", "../same.json") == ["compared with standard input"]


def test_folders_are_compared_document_by_document(project: Path) -> None:
    (project / "generated").rename(project / "released")
    assert said("released", "released/spec") == ["compared with released"]


def test_changes_between_documents_have_places(project: Path) -> None:
    assert project.is_dir()
    production = "generated/spec/production/2024-01-15.json"
    sandbox = "generated/spec/sandbox/2024-01-15.json"
    found = said(production, sandbox)
    assert [text.split(" (")[0] for text in found] == [
        f"compared with {production}",
        f"{sandbox}:7:3: gated [servers-changed] GET /loans/{{id}}: servers changed",
        f"{sandbox}:52:7: additive [operation-added] POST /sandbox/loans/{{id}}/expire: operation "
        "added",
    ]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("2024-01-15", "2024-9-1", "no version 2024-9-1 in the version table; did you mean"),
        ("2024-01-15@sandbx", "next", "no environment sandbx in the version table; did you mean"),
        ("schemas", "next", "baseline-empty"),
    ],
)
def test_unknown_side_is_an_error(project: Path, before: str, after: str, said: str) -> None:
    with pytest.raises(DatelineError, match=said):
        compare(project / "schemas", project / "generated", before, after)


def test_environments_are_compared(project: Path) -> None:
    assert project.is_dir()
    assert [text.split(" (")[0] for text in said("next@production", "next@sandbox")] == [
        "compared with next",
        "schemas/api.yaml:1:1: gated [servers-changed] GET /loans/{id}: servers changed",
        "schemas/loans.yaml:13:5: additive [operation-added] POST /sandbox/loans/{id}/expire: "
        "operation added",
    ]


def test_document_may_be_yaml(project: Path) -> None:
    assert project.is_dir()
    spec = "generated/spec/sandbox"
    assert said(f"{spec}/next.json", f"{spec}/next.yaml") == [f"compared with {spec}/next.json"]
    texts = said(f"{spec}/2025-06-01.yaml", f"{spec}/next.yaml")
    assert [text.split(": ", 1)[1] for text in texts[1:]] == [
        "additive [documentation-changed] the document: version changed ()",
        "gated [value-added] LoanState: value paused added ()",
    ]
    assert [text.startswith(f"{spec}/next.yaml:") for text in texts[1:]] == [True, True]


def test_sides_without_anything_in_common_are_an_error(project: Path) -> None:
    with pytest.raises(BaselineError) as caught:
        compare(project / "schemas", project / "generated", "next", "generated")
    assert str(caught.value) == (
        "next and generated have no version and environment in common; name documents, or one "
        "version on each side"
    )
