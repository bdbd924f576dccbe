"""Definitions adopted from the code of an application, and comparisons of the two."""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support.copies import copy_plain

from dateline.adopt.applications import ApplicationError, read_application
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
    """Definitions adopted from the application, to be copied."""
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


def edit(before: str, after: str) -> str:
    assert before in CODE
    return CODE.replace(before, after)


def edit_namesakes(before: str, after: str) -> str:
    assert before in NAMESAKES
    return NAMESAKES.replace(before, after, 1)


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """The documents of all edited applications, by their code; one process reads them."""
    folder = tmp_path_factory.mktemp("edited")
    codes = [CODE, *(edit(*each) for each in (*((old, new) for old, new, _ in CHANGES), *SAME))]
    codes += [NAMESAKES, *(edit_namesakes(old, new) for old, new, _ in CHANGES_OF_NAMESAKES)]
    for number, code in enumerate(codes):
        (folder / str(number)).mkdir()
        (folder / str(number) / "shop.py").write_text(code)
    (folder / "all.py").write_text(ALL)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        found = read_application("all:describe")
    return {code: found[str(number)] for number, code in enumerate(codes)}


# the modules have the same name, which is a part of the names of some schemas
ALL = """\
import importlib, os, sys

def describe():
    return {name: read(name) for name in os.listdir() if name.isdigit()}

def read(name):
    sys.path.insert(0, os.path.abspath(name))
    sys.modules.pop("shop", None)
    return importlib.import_module("shop").app.openapi()
"""


def check_document(project: Path, document: dict[str, Any]) -> Result:
    (project / "openapi.json").write_text(json.dumps(document))
    return run("check", "--app", "openapi.json")


def test_adopted_definitions_do_not_differ_from_the_code(project: Path) -> None:
    assert (project / "schemas" / "versions.yaml").exists()
    checked = run("check", "--app", "shop:app")
    assert (checked.exit_code, checked.output) == (
        0,
        "no differences between the definitions (2025-01-01) and shop:app\n",
    )


# an object with the method of FastAPI, which takes long to import
OTHERS = """\
import json


class App:
    def openapi(self):
        with open("openapi.json") as file:
            return json.load(file)


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


class Ninja:
    def get_openapi_schema(self):
        return app.openapi()


app = App()
ninja = Ninja()
wrapped = Wrapped(Wrapped(app))
litestar = Wrapped(Litestar())
document = app.openapi()


def describe():
    return document
"""


@pytest.mark.parametrize(
    "name", ["wrapped", "litestar", "ninja", "document", "describe", "app.openapi"]
)
def test_documents_are_found_in_other_objects(
    project: Path, documents: dict[str, dict[str, Any]], name: str
) -> None:
    (project / "openapi.json").write_text(json.dumps(documents[CODE]))
    (project / "shop.py").write_text(OTHERS)
    checked = run("check", "--app", f"shop:{name}")
    assert (checked.exit_code, checked.output.partition(" and ")[0]) == (
        0,
        "no differences between the definitions (2025-01-01)",
    )


VALUES = """
import dataclasses, datetime, decimal, enum, uuid
import pydantic


class State(enum.Enum):
    OPEN = "open"


@dataclasses.dataclass
class Item:
    made: datetime.date


class Order(pydantic.BaseModel):
    made: datetime.date


day = datetime.date(2025, 1, 2)
document = {
    "day": day,
    "moment": datetime.datetime(2025, 1, 2, 3, 4, tzinfo=datetime.timezone.utc),
    "state": State.OPEN,
    "price": decimal.Decimal("1.50"),
    "id": uuid.UUID(int=7),
    "states": {"b", "a"},
    "item": Item(day),
    "order": Order(made=day),
}
"""


def test_defaults_are_written_as_frameworks_do(project: Path) -> None:
    (project / "shop.py").write_text(VALUES)
    assert read_application("shop:document") == {
        "day": "2025-01-02",
        "moment": "2025-01-02T03:04:00+00:00",
        "state": "open",
        "price": "1.50",
        "id": "00000000-0000-0000-0000-000000000007",
        "states": ["a", "b"],
        "item": {"made": "2025-01-02"},
        "order": {"made": "2025-01-02"},
    }


CHANGES = [
    ("    note: str", "    price: int\n    note: str", "price"),
    ("    note: str | None = None\n", "", "note"),
    ("wide: bool = False", "wide: bool", "wide"),
    ('@app.post("/orders")', '@app.post("/sales")', "/sales"),
]


@pytest.mark.parametrize(("before", "after", "rule"), CHANGES)
def test_change_of_the_code_is_a_difference(
    project: Path, documents: dict[str, dict[str, Any]], before: str, after: str, rule: str
) -> None:
    checked = check_document(project, documents[edit(before, after)])
    assert checked.exit_code == 1
    assert rule in checked.output


def test_change_of_the_code_is_a_difference_from_the_application(project: Path) -> None:
    before, after, rule = CHANGES[0]
    (project / "shop.py").write_text(edit(before, after))
    checked = run("check", "--app", "shop:app")
    assert (checked.exit_code, rule in checked.output) == (1, True)


SAME = [
    ('title="Shop"', 'title="Our shop", version="2"'),
    ("def get_order(", "def read_order("),
    ("    id: str\n", '    """What was ordered."""\n\n    id: str\n'),
    ("Order", "Sale"),
    ('/{id}")\ndef get_order(id: str', '/{order_id}")\ndef get_order(order_id: str'),
]


@pytest.mark.parametrize(("before", "after"), SAME)
def test_names_and_descriptions_are_no_difference(
    project: Path, documents: dict[str, dict[str, Any]], before: str, after: str
) -> None:
    checked = check_document(project, documents[edit(before, after)])
    assert (checked.exit_code, checked.output) == (
        0,
        "no differences between the definitions (2025-01-01) and openapi.json\n",
    )


SPELLINGS = [
    ({"format": "binary"}, {"contentMediaType": "application/octet-stream"}),
    ({"format": "byte"}, {"contentEncoding": "base64"}),
]


def test_spellings_of_other_releases_are_no_difference(
    project: Path, documents: dict[str, dict[str, Any]]
) -> None:
    pairs = [*SPELLINGS, *(pair[::-1] for pair in SPELLINGS)]
    (definitions,) = project.glob("schemas/orders.*")
    fields = [
        f"        scan{number}: {json.dumps({'type': 'string', **older})}\n"
        for number, (older, _) in enumerate(pairs)
    ]
    note = "        note:\n"
    definitions.write_text(definitions.read_text().replace(note, "".join([*fields, note])))
    document = copy.deepcopy(documents[CODE])
    properties = document["components"]["schemas"]["Order"]["properties"]
    for number, (_, newer) in enumerate(pairs):
        properties[f"scan{number}"] = {"type": "string", **newer}
    assert check_document(project, document).exit_code == 0
    # without a type, it admits any value
    for other in ({"type": "string"}, SPELLINGS[0][1]):
        properties["scan0"] = other
        assert check_document(project, document).exit_code == 1


def test_path_parameter_of_one_method_has_another_name(
    project: Path, documents: dict[str, dict[str, Any]]
) -> None:
    document = copy.deepcopy(documents[CODE])
    document["paths"]["/orders/{id}"]["put"] = document["paths"]["/orders"]["post"]
    (project / "openapi.json").write_text(json.dumps(document))
    assert run("adopt", "2025-01-01=openapi.json", "--into", "other").exit_code == 0
    get = json.dumps(document["paths"]["/orders/{id}"].pop("get"))
    document["paths"]["/orders/{key}"] = {"get": json.loads(get.replace('"id"', '"key"'))}
    (project / "openapi.json").write_text(json.dumps(document))
    (project / "shop.py").write_text(OTHERS)
    checked = run("check", "--app", "shop:document", "--schemas", "other")
    assert (checked.exit_code, checked.output.partition(" and ")[0]) == (
        0,
        "no differences between the definitions (2025-01-01)",
    )


NAMESAKES = f"""\
from enum import Enum
{CODE}

class First:
    class State(str, Enum):
        open = "open"


class Second:
    class State(str, Enum):
        open = "open"
        shut = "shut"


@app.get("/first")
def get_first() -> First.State:
    return First.State.open


@app.get("/second")
def get_second() -> Second.State:
    return Second.State.open


@app.webhooks.post("changed")
def changed(order: Order) -> None: ...
"""


def rename(document: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """Return the *document* with other names for schemas."""
    text = json.dumps(document)
    for old, new in names.items():
        text = text.replace(f'{old}"', f'{new}"')
    renamed: dict[str, Any] = json.loads(text)
    return renamed


@pytest.fixture(scope="module")
def namesakes(
    documents: dict[str, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Definitions adopted from schemas with the same name."""
    folder = tmp_path_factory.mktemp("namesakes")
    (folder / "published.json").write_text(json.dumps(documents[NAMESAKES]))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run("adopt", "2025-01-01=published.json").exit_code == 0
    return folder


def test_schemas_that_swap_names_are_no_difference(
    namesakes: Path, documents: dict[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(namesakes)
    schemas = documents[NAMESAKES]["components"]["schemas"]
    first, second = (name for name, schema in schemas.items() if "enum" in schema)
    swapped = rename(documents[NAMESAKES], {first: "!", second: first, "!": second})
    assert swapped["components"]["schemas"][first] == schemas[second]
    checked = check_document(namesakes, swapped)
    assert (checked.exit_code, checked.output.partition(" and ")[0]) == (
        0,
        "no differences between the definitions (2025-01-01)",
    )


CHANGES_OF_NAMESAKES = [
    ('        shut = "shut"\n', "", "value shut removed"),
    ('        open = "open"\n', '        open = "open"\n        late = "late"\n', "late added"),
]


@pytest.mark.parametrize(("before", "after", "message"), CHANGES_OF_NAMESAKES)
def test_changes_of_schemas_with_swapped_names_are_differences(
    namesakes: Path,
    documents: dict[str, dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    before: str,
    after: str,
    message: str,
) -> None:
    monkeypatch.chdir(namesakes)
    checked = check_document(namesakes, documents[edit_namesakes(before, after)])
    assert (checked.exit_code, message in checked.output) == (1, True)


def test_documents_of_applications_do_not_depend_on_the_hash_seed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "shop.py").write_text("document = {'order': list({'a', 'b', 'c', 'd', 'e', 'f'})}")
    found = set()
    for seed in "123":
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        found.add(str(read_application("shop:document")))
    assert len(found) == 1


def test_code_is_compared_through_the_file_with_its_document(
    project: Path, documents: dict[str, dict[str, Any]]
) -> None:
    document = copy_plain(documents[CODE])
    checked = check_document(project, document)
    assert (checked.exit_code, checked.output) == (
        0,
        "no differences between the definitions (2025-01-01) and openapi.json\n",
    )
    del document["paths"]["/orders"]
    assert check_document(project, document).exit_code == 1


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise ValueError('no database\\nset DATABASE\\n')",
         "shop.py:1: ValueError: no database; set DATABASE"),
        ("import sys\n\nsys.exit('set DATABASE')", "shop.py:3: SystemExit: set DATABASE"),
        ("def app():\n    return {1j: 2}", "TypeError: keys must be str"),
        ("import os\n\nos._exit(7)", "exit status 7"),
    ],
)  # fmt: skip
def test_error_of_the_application_is_reported_with_its_place(
    project: Path, code: str, reason: str
) -> None:
    (project / "shop.py").write_text(code)
    with pytest.raises(ApplicationError) as error:
        read_application("shop:app")
    assert str(error.value).startswith(f"shop:app gives no OpenAPI document: {reason}")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("shop:nothing", "AttributeError"),
        ("nowhere:app", "ModuleNotFoundError"),
        ("shop:Order", "no OpenAPI document"),
        ("shop", "write MODULE:NAME"),
    ],
)
def test_object_that_is_no_application_is_reported_in_one_line(
    project: Path, name: str, said: str
) -> None:
    (project / "shop.py").write_text("class Order:\n    def __init__(self, id): ...\n")
    with pytest.raises(Exception, match=said) as error:
        CliRunner().invoke(main, ["check", "--app", name], catch_exceptions=False)
    assert getattr(error.value, "exit_code", None) == 2
