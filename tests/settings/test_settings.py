"""Projects are found from any folder in them, with their settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from dateline.model import DatelineError
from dateline.settings import Workspace, find_projects

TREE = {
    ".git/HEAD": "",
    "dateline.toml": 'projects = ["apis/*", "old/books"]\n',
    "apis/cards/schemas/versions.yaml": "",
    "apis/cards/src/deep/file": "",
    "apis/lending/pyproject.toml": '[tool.dateline]\nname = "loans"\nschemas = "definitions"\n',
    "apis/notes/README": "no project",
    "old/books/dateline.toml": 'output = "../out"\ntemplates = "layout"\nstrict = true\n'
    'rule-pages = "https://docs.example/{rule}"\n',
    "old/books/layout/README": "",
    "tools/pyproject.toml": '[project]\nname = "dateline-tools"\n',
}


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """The top of a repository with three projects."""
    for name, text in TREE.items():
        path = tmp_path / "top" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "top"


def projects(top: Path) -> list[Workspace]:
    cards, loans, books = top / "apis/cards", top / "apis/lending", top / "old/books"
    return [
        Workspace(name="cards", schemas=cards / "schemas", output=cards / "generated"),
        Workspace(name="loans", schemas=loans / "definitions", output=loans / "generated"),
        Workspace(
            name="books",
            schemas=books / "schemas",
            output=books / "../out",
            templates=books / "layout",
            strict=True,
            rule_pages="https://docs.example/{rule}",
        ),
    ]


@pytest.mark.parametrize("here", [".", "apis", "apis/notes", "tools", "old"])
def test_folder_above_the_projects_stands_for_all_of_them(
    top: Path, monkeypatch: pytest.MonkeyPatch, here: str
) -> None:
    monkeypatch.chdir(top / here)
    found = [(one.name, one.schemas.resolve(), one.output.resolve()) for one in find_projects()]
    assert found == [
        (one.name, one.schemas.resolve(), one.output.resolve()) for one in projects(top)
    ]
    names = [one.name for one in find_projects(["books", "cards"])]
    assert names == ["books", "cards"]


@pytest.mark.parametrize(
    ("here", "index"),
    [("apis/cards", 0), ("apis/cards/schemas", 0), ("apis/cards/src/deep", 0), ("old/books", 2)],
)
def test_folder_in_a_project_stands_for_it(
    top: Path, monkeypatch: pytest.MonkeyPatch, here: str, index: int
) -> None:
    monkeypatch.chdir(top / here)
    (found,) = find_projects()
    wanted = projects(top)[index]
    assert found.schemas.resolve() == wanted.schemas.resolve()
    assert (found.output.resolve(), found.strict) == (wanted.output.resolve(), wanted.strict)
    # with a name, it is one of the list
    assert [one.name for one in find_projects(["loans"])] == ["loans"]


def test_search_ends_at_the_top_of_the_repository(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = top / "apis" / "cards" / "vendor"
    (inner / ".git").mkdir(parents=True)
    monkeypatch.chdir(inner)
    assert find_projects() == []
    (inner / ".git").rmdir()
    assert [one.schemas.resolve() for one in find_projects()] == [inner.parent / "schemas"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('schemas = "a\n', "dateline.toml:1:13: settings-invalid: Illegal character '\\n'"),
        ("schemas = 3\n", "dateline.toml:1:1: settings-invalid: `schemas` has to be a text"),
        (
            '\nshemas = "a"\n',
            "dateline.toml:2:1: settings-invalid: 'shemas' is not a setting; "
            "did you mean 'schemas'?",
        ),
        (
            'strict = "no"\n',
            "dateline.toml:1:1: settings-invalid: `strict` has to be true or false",
        ),
        (
            'projects = "apis"\n',
            "dateline.toml:1:1: settings-invalid: `projects` is a list of folders",
        ),
        (
            'projects = ["../a"]\n',
            "dateline.toml:1:1: settings-invalid: `projects` are folders below this one",
        ),
        (
            'projects = ["api/*"]\n',
            "dateline.toml:1:14: settings-invalid: there is no project in 'api/*'",
        ),
        (
            'templates = "layuot"\n',
            "dateline.toml:1:14: settings-invalid: there is no folder 'layuot'",
        ),
        (
            'rule-pages = "https://docs.example"\n',
            "dateline.toml:1:1: settings-invalid: `rule-pages` is an address with {rule} in it",
        ),
    ],
)
def test_mistake_in_the_settings_is_reported_at_its_place(
    top: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    (top / "dateline.toml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(top / "tools")
    with pytest.raises(DatelineError) as refused:
        find_projects()
    assert str(refused.value).startswith(said)
    assert refused.value.exit_code == 3


def test_two_projects_with_one_name_are_refused(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (top / "apis/lending/pyproject.toml").write_text('[tool.dateline]\nname = "cards"\n')
    monkeypatch.chdir(top)
    with pytest.raises(DatelineError, match="are both called 'cards'; give one of them a `name`"):
        find_projects()


@pytest.mark.parametrize(
    ("cards", "books", "is_refused"),
    [
        ("../../out", "../../out", True),
        ("../../out/cards", "../../out", True),
        ("../../out", "../../out/books", True),
        ("../../out/cards", "../../out/cards-2", False),
    ],
)
def test_projects_that_write_to_one_folder_are_refused(
    top: Path, monkeypatch: pytest.MonkeyPatch, cards: str, books: str, is_refused: bool
) -> None:
    (top / "apis/cards/dateline.toml").write_text(f'output = "{cards}"\n')
    (top / "old/books/dateline.toml").write_text(f'output = "{books}"\n')
    monkeypatch.chdir(top)
    if not is_refused:
        assert [one.name for one in find_projects()] == ["cards", "loans", "books"]
        return
    with pytest.raises(DatelineError) as refused:
        find_projects()
    assert str(refused.value).startswith(
        "dateline.toml:1:24: settings-invalid: 'cards' and 'books' both write to out; give"
    )


def test_project_that_is_listed_twice_is_one(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (top / "dateline.toml").write_text('projects = ["apis/*", "old/books", "apis/cards"]\n')
    monkeypatch.chdir(top)
    assert [one.name for one in find_projects()] == ["cards", "loans", "books"]


def test_unknown_name_suggests_the_intended_one(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(top)
    with pytest.raises(DatelineError, match="no project 'card'; did you mean 'cards'") as refused:
        find_projects(["card"])
    assert refused.value.exit_code == 2
