"""Definitions from the code of an application, and where the two differ."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dateline.cli import main

CODE = """\
from fastapi import FastAPI
from pydantic import BaseModel

print("noise")
app = FastAPI(title="Shop")


class Order(BaseModel):
    id: str
    note: str | None = None


@app.get("/orders/{id}")
def get_order(id: str, wide: bool = False) -> Order:
    return Order(id=id)


@app.post("/orders")
def create_order(order: Order) -> Order:
    return order
"""


@pytest.fixture(scope="module")
def adopted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Definitions that the application was adopted into, to be copied."""
    folder = tmp_path_factory.mktemp("adopted")
    (folder / "shop.py").write_text(CODE)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run("adopt", "2025-01-01=shop:app").exit_code == 0
    return folder


@pytest.fixture
def project(adopted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copied = shutil.copytree(adopted, tmp_path / "project")
    monkeypatch.chdir(copied)
    return copied


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="dateline")


def edit(project: Path, before: str, after: str) -> None:
    assert before in CODE
    (project / "shop.py").write_text(CODE.replace(before, after))


def test_definitions_come_from_the_code_and_do_not_differ_from_it(project: Path) -> None:
    assert (project / "schemas" / "versions.yaml").exists()
    checked = run("check", "--app", "shop:app")
    assert (checked.exit_code, checked.output) == (
        0,
        "no differences between the definitions (2025-01-01) and shop:app\n",
    )


OTHERS = """

class Wrapped:
    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        await self.app(scope, receive, send)


class Schema:
    def to_schema(self):
        return app.openapi()


class Litestar:
    openapi_schema = Schema()

    async def __call__(self, scope, receive, send): ...


wrapped = Wrapped(Wrapped(app))
litestar = Wrapped(Litestar())
document = app.openapi()


def describe():
    return document
"""


@pytest.mark.parametrize("name", ["wrapped", "litestar", "document", "describe", "app.openapi"])
def test_documents_are_found_in_other_objects(project: Path, name: str) -> None:
    (project / "shop.py").write_text(CODE + OTHERS)
    checked = run("check", "--app", f"shop:{name}")
    assert (checked.exit_code, checked.output.partition(" and ")[0]) == (
        0,
        "no differences between the definitions (2025-01-01)",
    )


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        ("    note: str", "    price: int\n    note: str", "price"),
        ("    note: str | None = None\n", "", "note"),
        ("wide: bool = False", "wide: bool", "wide"),
        ('@app.post("/orders")', '@app.post("/sales")', "/sales"),
    ],
)
def test_a_change_of_the_code_is_a_difference(
    project: Path, before: str, after: str, rule: str
) -> None:
    edit(project, before, after)
    checked = run("check", "--app", "shop:app")
    assert checked.exit_code == 1
    assert rule in checked.output


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('title="Shop"', 'title="Our shop", version="2"'),
        ("def get_order(", "def read_order("),
        ("    id: str\n", '    """What was ordered."""\n\n    id: str\n'),
        ("Order", "Sale"),
    ],
)
def test_names_and_words_are_no_difference(project: Path, before: str, after: str) -> None:
    edit(project, before, after)
    checked = run("check", "--app", "shop:app")
    assert (checked.exit_code, checked.output) == (
        0,
        "no differences between the definitions (2025-01-01) and shop:app\n",
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("shop:nothing", "AttributeError"),
        ("nowhere:app", "ModuleNotFoundError"),
        ("shop:Order", "no OpenAPI document"),
        ("shop", "write MODULE:NAME"),
    ],
)
def test_what_is_no_application_is_said_in_one_line(project: Path, name: str, said: str) -> None:
    assert project.exists()
    with pytest.raises(Exception, match=said) as error:
        CliRunner().invoke(main, ["check", "--app", name], catch_exceptions=False)
    assert getattr(error.value, "exit_code", None) == 2
