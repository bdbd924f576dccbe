"""What survives regeneration: hand-written files, handlers, announced ends of versions."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.commands import Outcome, dateline, read_files
from support.generated_server import Generated, ask
from support.sources import LIBRARY, LOANS, VERSIONS, folder, loaded

import dateline_runtime

ROOT = Path(__file__).parents[2]
RUNTIME = Path(dateline_runtime.__file__).parent
SERVER = Path("python", "library", "server")
ID = "6f9619ff-8b86-d011-b42d-00cf4fc964ff"
OLD, MIDDLE, NEW = "2024-01-15", "2024-09-01", "2025-06-01"
LOAN: dict[str, Any] = {
    "id": ID,
    "item": {"kind": "AudioBook", "title": "Emma", "minutes": 900},
    "author_name": "Austen",
    "due": "2026-05-06T07:08:09Z",
    "state": "active",
}


class Loans:
    def __init__(self, **changes: Any) -> None:
        self._loan = {**LOAN, **changes}

    async def get_loan(self, _: Any, **__: Any) -> Any:
        return self._loan


class Converters:
    def older_loan_due(self, value: str, /) -> str:
        return value[:10]


def served(package: Generated, loans: Loans) -> Any:
    server = package.module("server")
    return server.create_app(
        server.Handlers(loans=loans), environment="production", converters=Converters()
    )


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    root = tmp_path_factory.mktemp("library")
    ends = "announcements: [{ ends: 2024-01-15, from: 2027-01-15, announced: 2026-01-01 }]\n"
    return Generated(root, loaded(root, {**LIBRARY, "versions.yaml": VERSIONS + ends}))


# The files


def test_published_runtime_is_the_tested_one() -> None:
    copied = ROOT / "generated" / "python" / "paynet" / "server" / "runtime"
    found = {path.name: path.read_bytes() for path in copied.glob("*.py")}
    assert found == {path.name: path.read_bytes() for path in RUNTIME.glob("*.py")}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an up-to-date project of the library in the current folder."""
    folder(tmp_path, LIBRARY)
    monkeypatch.chdir(tmp_path)
    assert dateline("generate").status == 0
    return tmp_path


@pytest.mark.parametrize("name", ["runtime/narrowing.py", "contracts.json"])
def test_edit_of_a_generated_file_is_reported_and_reverted(project: Path, name: str) -> None:
    path = project / "generated" / SERVER / name
    before = path.read_bytes()
    path.write_bytes(before + b"\n")
    found = dateline("generate", "--check")
    assert found.status == 4
    assert f"generated/{SERVER.as_posix()}/{name}" in found.out + found.err
    assert dateline("generate").status == 0
    assert path.read_bytes() == before
    assert dateline("generate", "--check") == Outcome(0, "", "")


def test_hand_written_files_are_never_changed(project: Path) -> None:
    assert dateline("init", "--server").status == 0
    mine = project / "server.py"
    mine.write_text(mine.read_text("utf-8") + "\n# mine\n", "utf-8")
    (project / "handlers").mkdir()
    (project / "handlers" / "loans.py").write_text("# mine, too\n", "utf-8")
    before = {name: text for name, text in read_files(project).items() if "generated" not in name}
    changed = LOANS.replace("note: { type: string }", "note: { type: string, description: A note }")
    (project / "schemas" / "loans.yaml").write_text(changed, "utf-8")
    assert dateline("generate").status == 0
    shutil.rmtree(project / "generated")
    assert dateline("generate").status == 0
    after = {name: text for name, text in read_files(project).items() if "generated" not in name}
    assert after == {**before, "schemas/loans.yaml": changed}


# The handlers


def test_another_handler_needs_no_generation(library: Generated) -> None:
    def titles(loans: Loans) -> list[str]:
        app = served(library, loans)
        return [
            ask(app, "GET", f"/api/loans/{ID}", headers={"X-API-Version": version}).json()["item"][
                "title"
            ]
            for version in (OLD, MIDDLE, NEW)
        ]

    assert titles(Loans()) == ["audio book", "Emma", "Emma"]
    book = {"kind": "Book", "title": "Persuasion"}
    assert titles(Loans(item=book)) == ["Persuasion"] * 3
    kept = {path: (library.folder.parent / path).read_bytes() for path in library.files}
    assert kept == library.files


# Announcements


def test_every_response_of_a_version_that_ends_announces_it(library: Generated) -> None:
    app = served(library, Loans())
    reported = {
        "deprecation": "@1767225600",
        "sunset": "Fri, 15 Jan 2027 00:00:00 GMT",
        "link": '</spec/2024-09-01>; rel="successor-version"',
    }

    def said(method: str, path: str, **headers: str) -> tuple[int, dict[str, str]]:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        response = ask(app, method, path, headers=sent)
        ends = {name: value for name, value in response.headers.items() if name in reported}
        return response.status_code, ends

    loan = f"/api/loans/{ID}"
    assert said("GET", loan) == (200, reported)
    assert said("GET", loan, x_api_version=OLD) == (200, reported)
    assert said("GET", "/api/nothing") == (404, reported)
    assert said("DELETE", loan) == (405, reported)
    assert said("GET", loan, x_api_version=MIDDLE) == (200, {})
    assert said("GET", loan, x_api_version=NEW) == (200, {})
    # the requested version ends, and no operation was found
    assert said("GET", loan, x_api_version="2024-1-15") == (400, {})
    assert said("GET", "/spec/2024-01-15") == (200, {})
    successor = ask(app, "GET", "/spec/2024-09-01").json()
    assert successor["info"]["version"] == MIDDLE
    assert json.loads(library.text("server/contracts.json"))["ends"].keys() == {OLD}


@pytest.mark.parametrize("required", [True, False])
def test_removed_field_that_older_versions_require_is_noted(tmp_path: Path, required: bool) -> None:
    files = {}
    for name, text in LIBRARY.items():
        removed = f"        pages: {{ type: integer, x-removed: {NEW} }}\n"
        text = text.replace("        state: {", f"{removed}        state: {{", 1)
        if required:
            text = text.replace("required: [id, item,", "required: [pages, id, item,", 1)
        files[name] = text
    notes = Generated(tmp_path, loaded(tmp_path / "schemas", files)).notes
    noted = [note for note in notes if "required by older versions" in note]
    assert [note[-18:] for note in noted] == (["(first Loan.pages)"] if required else [])


@pytest.mark.parametrize(
    ("gate", "is_required"),
    [
        ("x-added: 2025-06-01", True),
        ("x-added: next", False),
        ("x-removed: 2025-06-01", False),
        ("x-environments: [sandbox]", False),
        ("x-was: { 2025-06-01: { name: old } }", True),
        ("x-was: { 2025-06-01: { readOnly: true } }", True),
        ("writeOnly: true, x-was: { 2025-06-01: { writeOnly: null } }", False),
    ],
)
def test_application_returns_the_required_fields_of_the_newest_version_only(
    tmp_path: Path, gate: str, is_required: bool
) -> None:
    loans = LIBRARY["loans.yaml"].replace("author_name, state]", "author_name, state, shelf]")
    shelf = f"        shelf: {{ type: string, {gate} }}\n        fine_cents:"
    files = {**LIBRARY, "loans.yaml": loans.replace("        fine_cents:", shelf)}
    made = Generated(tmp_path, loaded(tmp_path / "schemas", files))
    contracts = json.loads(made.text("server/contracts.json"))
    answered = contracts["answered"]["canonical"].get("Loan", contracts["canonical"]["Loan"])
    assert ("shelf" in answered["required"]) is is_required
    # noted only if handlers have to return what the newest version doesn't show
    noted = [note for note in made.notes if "required by older versions" in note]
    assert bool(noted) is gate.startswith(("x-removed", "writeOnly"))
