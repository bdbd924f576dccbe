"""What people write in many ways: each name that changed is rewritten, marked or listed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from support.migrating import VERSIONS, migrate

OLD: Final = "library.v2025_01_01"
NEW: Final = "library.v2026_01_01"

# What is certain, before and after.
REWRITTEN: Final = {
    "star": (
        """\
from library.v2025_01_01 import *

made = NewLoan(reader="x"), Remainder


def show(loan: Loan) -> str:
    match loan:
        case Loan(reader="x"):
            return loan.owner.name
    return loan.reader
""",
        """\
from library.v2026_01_01 import *

made = NewLoan(borrower="x"), Rest


def show(loan: Loan) -> str:
    match loan:
        case Loan(borrower="x"):
            return loan.owner.full_name
    return loan.borrower
""",
    ),
    "alias": (
        """\
import library.v2025_01_01 as api
from library import v2025_01_01 as v
from library.v2025_01_01 import NewLoan as Wanted

Own = Wanted
made = Own(reader="a"), Wanted(reader="b"), v.NewLoan(reader="c"), api.NewLoan(reader="d")


def pay() -> api.Remainder | v.Remainder: ...
""",
        """\
import library.v2026_01_01 as api
from library import v2026_01_01 as v
from library.v2026_01_01 import NewLoan as Wanted

Own = Wanted
made = Own(borrower="a"), Wanted(borrower="b"), v.NewLoan(borrower="c"), api.NewLoan(borrower="d")


def pay() -> api.Rest | v.Rest: ...
""",
    ),
    "taken": (
        """\
from library.v2025_01_01 import Remainder

Rest = 3


def pay() -> "Remainder": ...


kept: Remainder
""",
        """\
from library.v2026_01_01 import Rest as Remainder

Rest = 3


def pay() -> "Remainder": ...


kept: Remainder
""",
    ),
    "expressions": (
        """\
from library.v2025_01_01 import Loan


def show(loan: Loan, others: list[Loan]) -> object:
    names = {each.reader: each for each in others}
    if (first := others[0]).reader and (lambda: loan.reader)():
        pass
    loan.reader = loan.reader + "x"
    others[0].reader = "y"
    return f"{loan.reader!r:>{len(loan.reader)}} {loan.owner.name=} {names}"
""",
        """\
from library.v2026_01_01 import Loan


def show(loan: Loan, others: list[Loan]) -> object:
    names = {each.borrower: each for each in others}
    if (first := others[0]).borrower and (lambda: loan.borrower)():
        pass
    loan.borrower = loan.borrower + "x"
    others[0].borrower = "y"
    return f"{loan.borrower!r:>{len(loan.borrower)}} {loan.owner.full_name=} {names}"
""",
    ),
    "wrapped": (
        """\
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast

import library

if TYPE_CHECKING:
    from library.v2025_01_01 import AsyncClient, Loan


class Pair(NamedTuple):
    loan: Loan
    reader: int


@dataclass
class Wrapped:
    loan: Loan

    @property
    def name(self) -> str:
        return self.loan.reader


def show(pair: Pair, wrapped: Wrapped, other: object) -> object:
    pair.reader, pair.loan.reader, wrapped.loan.reader, wrapped.name
    return cast(library.v2025_01_01.Loan, other).reader


async def read(client: AsyncClient) -> str:
    page = await client.list_loans(status=None)
    return page.items[0].reader + (await client.fetch_loan("1")).reader
""",
        """\
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast

import library

if TYPE_CHECKING:
    from library.v2026_01_01 import AsyncClient, Loan


class Pair(NamedTuple):
    loan: Loan
    reader: int


@dataclass
class Wrapped:
    loan: Loan

    @property
    def name(self) -> str:
        return self.loan.borrower


def show(pair: Pair, wrapped: Wrapped, other: object) -> object:
    pair.reader, pair.loan.borrower, wrapped.loan.borrower, wrapped.name
    return cast(library.v2026_01_01.Loan, other).borrower


async def read(client: AsyncClient) -> str:
    page = await client.list_loans(state=None)
    return page.items[0].borrower + (await client.get_loan("1")).borrower
""",
    ),
    "own": (
        """\
from library.v2025_01_01 import Loan


def name(reader: str, *, status: int = 0) -> str:
    return reader


class Own:
    def __init__(self, reader: str) -> None:
        self.reader = reader


name(reader="of something else", status=1)
own = Own(reader="mine")
own.reader = "mine"
""",
        """\
from library.v2026_01_01 import Loan


def name(reader: str, *, status: int = 0) -> str:
    return reader


class Own:
    def __init__(self, reader: str) -> None:
        self.reader = reader


name(reader="of something else", status=1)
own = Own(reader="mine")
own.reader = "mine"
""",
    ),
}

# What is not certain: what is listed is between two signs.
LISTED: Final = {
    "keywords": """\
from functools import partial
from library.v2025_01_01 import Client, Loan, NewLoan

make = partial(NewLoan, «reader»="x")
made = NewLoan(**dict(«reader»="x")).model_copy(update=dict(«reader»="y"))
listed = partial(Client().list_loans, «status»=None)


class Mine(NewLoan):
    «reader»: str = "me"


    def rename(self) -> None:
        self.«reader» = "x"


Mine(«reader»="x")


def wrapped(**more: str) -> NewLoan:
    return NewLoan(**more)


wrapped(«reader»="x")
""",
    "texts": """\
import importlib
from operator import attrgetter
from typing import TypedDict
from unittest import mock
from library.v2025_01_01 import Client

get = attrgetter(«"owner.name"»), attrgetter(«"reader"»)
filled = «"{0.reader} {status}"», «"%(reader)s"», «"{loan.owner.name!r:>3}"»
module = importlib.import_module(«"library.v2025_01_01"»)
patched = mock.patch(«"library.v2025_01_01.Client.fetch_loan"»)
values = [«"tape"», «"TAPE"»]
method = getattr(Client(), «"fetch_loan"»)
Client().list_loans(**{«"status"»: None})
Row = TypedDict("Row", {«"reader"»: str})
match {}:
    case {«"reader"»: _}:
        pass
others = ["readers", "{readers}", "a reader", "owner.names", "%(readers)s", b"reader"]
""",
    "conditional": """\
try:
    from library.v2025_01_01 import NewLoan
except ImportError:
    NewLoan = None
if NewLoan:
    from library.v2025_01_01 import Loan, Remainder
else:
    from other import Loan, «Remainder»


def show(loan: Loan) -> Remainder:
    NewLoan(«reader»="x"), Loan(«reader»="y")
    return loan.«reader»
""",
    "stars": """\
from library.v2025_01_01 import *
from other import *


def show(loan: Loan) -> «Remainder»:
    return NewLoan(«reader»="x")
""",
    "unknown": """\
from library.v2025_01_01 import Loan


def show(loan, loans: list[Loan]):
    best = max(loans, key=lambda each: each.«reader»)
    loan.«reader» = best
    del best.«reader»
    return loan.«reader», [each.«reader» for each in loan], loan.«Remainder», best
""",
}


@pytest.fixture(scope="module")
def outcome(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, str], list[str]]:
    """The texts of all programs after one run, and what was listed as uncertain."""
    root = tmp_path_factory.mktemp("spellings")
    texts = {name: before for name, (before, _) in REWRITTEN.items()}
    texts |= {name: re.sub("[«»]", "", text) for name, text in LISTED.items()}
    for name, text in texts.items():
        (root / f"{name}.py").write_text(text, encoding="utf-8")
    status, _, err = migrate(project, root, VERSIONS[0], VERSIONS[-1])
    assert status == 1
    _, _, uncertain = err.partition("not certain, and left as it is:\n")
    lines = [line.strip().removeprefix(f"{root}/") for line in uncertain.splitlines()]
    return {name: (root / f"{name}.py").read_text(encoding="utf-8") for name in texts}, lines


@pytest.mark.parametrize("name", REWRITTEN)
def test_what_is_certain_is_rewritten_and_nothing_else(
    outcome: tuple[dict[str, str], list[str]], name: str
) -> None:
    texts, uncertain = outcome
    assert texts[name] == REWRITTEN[name][1]
    assert [line for line in uncertain if line.startswith(f"{name}.py")] == []


@pytest.mark.parametrize("name", LISTED)
def test_what_is_not_certain_is_listed_at_its_place_and_left(
    outcome: tuple[dict[str, str], list[str]], name: str
) -> None:
    texts, uncertain = outcome
    text = re.sub("[«»]", "", LISTED[name])
    statements = re.compile(rf"^( *(?:from|import) ){re.escape(OLD)}", re.M)
    # what another import binds as well keeps its name
    expected_text = statements.sub(rf"\g<1>{NEW}", text).replace(
        f"{NEW} import Loan, Remainder", f"{NEW} import Loan, Rest as Remainder"
    )
    assert texts[name] == expected_text
    expected = [
        (number, found.start() - 2 * count + 1)
        for number, line in enumerate(LISTED[name].splitlines(), 1)
        for count, found in enumerate(re.finditer("«", line))
    ]
    places = [re.match(rf"{name}\.py:(\d+):(\d+):", line) for line in uncertain]
    assert [(int(found[1]), int(found[2])) for found in places if found] == expected


# Files.

API: Final = {
    "shop/__init__.py": "",
    "shop/api.py": """\
from library.v2025_01_01 import Client, Loan, Remainder

client = Client()


def load(id: str) -> Loan:
    return client.fetch_loan(id)
""",
    "shop/parts/__init__.py": "",
    "shop/parts/use.py": """\
from shop.api import (
    Remainder,
    client,
)
from ..api import load

client.list_loans(status=None)
print(load("1").reader)
""",
    "tests/conftest.py": """\
import pytest
from library.v2025_01_01 import Client


@pytest.fixture
def client():
    with Client() as made:
        yield made
""",
    "tests/deep/test_loans.py": """\
def test_loans(client, loan):
    assert client.fetch_loan("1").reader == loan.reader
""",
    "shop/stub.pyi": "from library.v2025_01_01 import Remainder\nx: Remainder\n",
    "shop/unconcerned.py": "def show(loan):\n    return loan.reader\n",
    "shop/newer.py": "from library.v2026_01_01 import Loan\n\nprint(Loan.reader)\n",
    "notes.ipynb": '{"cells": [{"source": ["from library.v2025_01_01 import Loan"]}]}\n',
    "other.ipynb": '{"cells": []}\n',
}

MIGRATED: Final = {
    "shop/api.py": """\
from library.v2026_01_01 import Client, Loan, Rest

client = Client()


def load(id: str) -> Loan:
    return client.get_loan(id)
""",
    "shop/parts/use.py": """\
from shop.api import (
    Remainder,
    client,
)
from ..api import load

client.list_loans(state=None)
print(load("1").borrower)
""",
    "tests/conftest.py": API["tests/conftest.py"].replace("v2025", "v2026"),
    "tests/deep/test_loans.py": """\
def test_loans(client, loan):
    assert client.get_loan("1").borrower == loan.reader
""",
    "shop/stub.pyi": "from library.v2026_01_01 import Rest\nx: Rest\n",
}


def test_files_that_use_others_of_the_project_are_migrated(project: Path, tmp_path: Path) -> None:
    for name, text in API.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    status, _, err = migrate(project, tmp_path, VERSIONS[0], VERSIONS[-1])
    found = {name: (tmp_path / name).read_text(encoding="utf-8") for name in API}
    assert found == {**API, **MIGRATED}
    places = re.findall(rf"^  {re.escape(str(tmp_path))}/(\S+):(\d+:\d+): ", err, re.M)
    assert status == 1
    assert sorted(places) == [
        ("notes.ipynb", "1:1"),
        ("shop/parts/use.py", "2:5"),
        ("tests/deep/test_loans.py", "2:50"),
    ]
    assert "notes.ipynb:1:1: a notebook, which is not read: export it as Python" in err


def test_files_keep_their_encodings_and_ends_of_lines(project: Path, tmp_path: Path) -> None:
    text = f"from {OLD} import Loan\n\n\ndef f(loan: Loan):\n    return loan.reader, 'é'\n"
    contents = {
        "latin": f"# -*- coding: latin-1 -*-\n{text}".encode("latin-1"),
        "mark": text.encode("utf-8-sig"),
        "returns": text.replace("\n", "\r\n").encode(),
        "endless": text.rstrip().encode(),
    }
    for name, content in contents.items():
        (tmp_path / f"{name}.py").write_bytes(content)
    assert migrate(project, tmp_path, VERSIONS[0], VERSIONS[-1])[0] == 0
    for name, content in contents.items():
        expected = content.replace(b"v2025", b"v2026").replace(b"loan.reader", b"loan.borrower")
        assert (tmp_path / f"{name}.py").read_bytes() == expected


@pytest.mark.parametrize(
    "content",
    [b"x = '\xe9'  # library.v2025_01_01\n", b"# coding: none-such\nlibrary.v2025_01_01\n"],
)
def test_a_file_of_another_encoding_than_it_says_is_refused(
    project: Path, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "wrong.py").write_bytes(content)
    (tmp_path / "right.py").write_text("import library.v2025_01_01\n")
    status, out, err = migrate(project, tmp_path, VERSIONS[0], VERSIONS[-1])
    assert (status, out) == (3, "")
    assert err.startswith(f"{tmp_path}/wrong.py:1:1: python-unreadable: this is no Python: its ")
    assert (tmp_path / "right.py").read_text() == "import library.v2025_01_01\n"


def test_what_has_nothing_to_do_with_the_version_is_passed_over(
    project: Path, tmp_path: Path
) -> None:
    contents = {
        "latin.py": b"x = '\xe9'\n",
        "other.py": b"# coding: none-such\n",
        "old.py": b"print 1",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "nowhere.py").symlink_to("nothing.py")
    (tmp_path / "right.py").write_text("import library.v2025_01_01\n")
    assert migrate(project, tmp_path, VERSIONS[0], VERSIONS[-1])[0] == 0
    assert (tmp_path / "right.py").read_text() == "import library.v2026_01_01\n"
    assert {name: (tmp_path / name).read_bytes() for name in contents} == contents
