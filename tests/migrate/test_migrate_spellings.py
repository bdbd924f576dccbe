"""In all spellings of code, each changed name is rewritten, marked or listed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from support.migrating import VERSIONS, migrate
from support.tables import cases

OLD: Final = "library.v2025_01_01"
NEW: Final = "library.v2026_01_01"

# Certain uses, before and after.
CERTAIN: Final = {
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

REWRITTEN: Final = CERTAIN | {
    "methods": (
        """\
from library.v2025_01_01 import Client, Loan

client = Client()
fetch, listed = client.fetch_loan, client.list_loans
listed(status=None)
fetch("1").reader
Client.fetch_loan(client, "1").owner.name
books = [*client.iter_tomes(rack="x")], client.list_tomes(rack="x"), client.iter_tomes
with client.stream_list_tomes(rack="x") as stream:
    pass


def show(**loans: Loan) -> str:
    return loans["a"].reader
""",
        """\
from library.v2026_01_01 import Client, Loan

client = Client()
fetch, listed = client.get_loan, client.list_loans
listed(state=None)
fetch("1").borrower
Client.get_loan(client, "1").owner.full_name
books = [*client.iter_books(shelf="x")], client.list_books(shelf="x"), client.iter_books
with client.stream_list_books(shelf="x") as stream:
    pass


def show(**loans: Loan) -> str:
    return loans["a"].borrower
""",
    ),
    "patterns": (
        """\
import library.v2025_01_01 as api
from library.v2025_01_01 import Loan, Remainder, RemainderKind


def show(value: object) -> object:
    try:
        match value:
            case {"loan": Loan(reader=who)} | [Loan(reader=who), *_]:
                return who
            case Loan(owner=api.Person(name=who), reader="x" | "y"):
                return who
            case Remainder(kind=RemainderKind.CARD) | api.RemainderKind.CASH:
                return 1
    except api.Remainder as error:
        return error.kind
    return None
""",
        """\
import library.v2026_01_01 as api
from library.v2026_01_01 import Loan, Rest, RestKind


def show(value: object) -> object:
    try:
        match value:
            case {"loan": Loan(borrower=who)} | [Loan(borrower=who), *_]:
                return who
            case Loan(owner=api.Person(full_name=who), borrower="x" | "y"):
                return who
            case Rest(kind=RestKind.CARD) | api.RestKind.CASH:
                return 1
    except api.Rest as error:
        return error.kind
    return None
""",
    ),
    "assigned known": (
        """\
from library.v2025_01_01 import Client, Loan


def show(client: Client, loan: Loan | None = None) -> object:
    first = None
    if loan is None:
        first = loan = client.fetch_loan("1")
    second = loan or client.fetch_loan("1")
    third = client.fetch_loan("1") if loan else None
    for third in [loan]:
        pass
    print(find(client).reader, (third or find(client, loan)).reader)
    return loan.reader, first and first.reader, second.reader, third.reader


def find(client, loan=None):
    if loan is None:
        return client.fetch_loan("1")
    return loan or find(client, loan)


class Holder:
    def __init__(self, loan: Loan, client: Client) -> None:
        self.loan, self.client, self.other = loan, client, None

    def load(self) -> object:
        self.loan = self.other = self.client.fetch_loan("1")
        return self.loan.reader, self.other.reader
""",
        """\
from library.v2026_01_01 import Client, Loan


def show(client: Client, loan: Loan | None = None) -> object:
    first = None
    if loan is None:
        first = loan = client.get_loan("1")
    second = loan or client.get_loan("1")
    third = client.get_loan("1") if loan else None
    for third in [loan]:
        pass
    print(find(client).borrower, (third or find(client, loan)).borrower)
    return loan.borrower, first and first.borrower, second.borrower, third.borrower


def find(client, loan=None):
    if loan is None:
        return client.get_loan("1")
    return loan or find(client, loan)


class Holder:
    def __init__(self, loan: Loan, client: Client) -> None:
        self.loan, self.client, self.other = loan, client, None

    def load(self) -> object:
        self.loan = self.other = self.client.get_loan("1")
        return self.loan.borrower, self.other.borrower
""",
    ),
    "shadowed": (
        """\
from library.v2025_01_01 import Loan


def show(loan: Loan, loans: list[Loan], reader: str, name: str) -> object:
    own = [reader for reader in loans], {name: 1 for name in "ab"}, lambda reader: reader
    for loan.reader in "ab":
        (loans[0]).reader, loans[0] . reader
    *loans[0].reader, last = "ab"
    return own, reader, name, last, [each.owner.name for each in loans]
""",
        """\
from library.v2026_01_01 import Loan


def show(loan: Loan, loans: list[Loan], reader: str, name: str) -> object:
    own = [reader for reader in loans], {name: 1 for name in "ab"}, lambda reader: reader
    for loan.borrower in "ab":
        (loans[0]).borrower, loans[0] . borrower
    *loans[0].borrower, last = "ab"
    return own, reader, name, last, [each.owner.full_name for each in loans]
""",
    ),
}

# Uncertain uses: what is listed is between two markers.
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
    return NewLoan(«**more»)


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
    "open": """\
from typing import TypeVar, cast
from library.v2025_01_01 import Client, NewLoan, Remainder

More = TypeVar("More", bound=«"Remainder"»)


def make(client: Client, more: dict[str, str]) -> object:
    client.list_loans(«**more»), client.list_loans(state=None, **{«"status"»: None})
    NewLoan(«**more»), NewLoan(branch="x", «**more»)
    NewLoan.model_validate(«more»), NewLoan.model_validate_json(«more["x"]»)
    NewLoan.model_validate({"branch": "x", «**more»})
    return cast(«"list[Remainder]"», more)


NewLoan(«reader»="x", borrower="y")
NewLoan.model_validate({«"reader"»: "x", "borrower": "y"})
NewLoan.model_validate_json(«'{"reader": "x"}'»)
texts = f"«library.v2025_01_01.»{make}", f"{make}«reader»", «b"2025-01-01"», «"X: 2025-01-01"»
sorted_by = «"-reader"», «"reader,id"», «"$.reader"», «"/loans/2025-01-01"», "a 2025-01-012"
""",
    "classes": """\
from typing import NamedTuple, Protocol, TypedDict
from library.v2025_01_01 import Client, Loan, NewLoan


class Base(NewLoan):
    extra: int = 1


class Mine(Base):
    «reader»: str = "me"
    def «borrower»(self) -> str: ...


class Called(Client):
    def «fetch_loan»(self, id: str) -> Loan: ...
    def list_loans(self, *, «status»: object = None) -> object: ...
    def «get_loan»(self) -> None: ...


class Fake:
    def «fetch_loan»(self, id: str) -> Loan: ...
    def list_loans(self, *, «status»: object = None) -> object: ...
    def reader(self) -> str: ...


class Shown(Protocol):
    «reader»: str
    def «fetch_loan»(self, id: str) -> Loan: ...


class Row(TypedDict, total=False):
    «reader»: str


class Pair(NamedTuple):
    reader: str


def fetch_loan(status: str) -> Row: ...


match Mine():
    case Mine(«reader»=one): fetch_loan(status="x")
""",
    "targets": """\
from library.v2025_01_01 import AsyncClient, Client, Loan


class Mine(Loan): ...
class Yours(Mine): ...
class Calling(Client): ...
class Awaiting(AsyncClient): ...


def show(mine: Mine, yours: Yours, calling: Calling, awaiting: Awaiting):
    for mine.«reader» in "ab":
        with open("c") as yours.«reader»:
            del mine.«reader», yours.«reader», mine.«fine_cents», yours.kind
    async def call():
        async for mine.«reader» in awaiting.list_loans_pages():
            async with awaiting as yours.«fine_cents»:
                del calling.«fetch_loan», awaiting.«fetch_loan», calling.create_loan
    return [0 for yours.«reader» in "ab" for mine.«fine_cents» in "cd"]
""",
    # classes and methods that another version has, too, may be its own
    "versions": """\
from library.v2025_01_01 import Kind
from library.v2025_06_01 import Client, Loan, NewLoan, Person


class Mine(Person):
    «name»: str


def show(client: Client, loan: Loan, person: Person, kind: Kind) -> object:
    NewLoan(borrower="x"), Person(«name»="x"), client.fetch_loan("x").borrower, loan.fine_cents
    person.«name» = client.list_tomes(shelf="x").items[0]
    match person:
        case Mine(«name»=who) | Person(«name»=who):
            return loan.owner.«name», client.get_fees().total, client.fetch_loan, kind.«TAPE»
""",
    # variables that other code may assign something else to
    "assigned": """\
from library.v2025_01_01 import Client, Loan, NewLoan
from other import kept, make


def fetch() -> Loan: ...


def find(is_new):
    return fetch() if is_new else make()


def show(is_new, thing, kind, loan=None) -> object:
    loan = loan or fetch()
    first = fetch()
    if is_new:
        first = make()
    second = thing or fetch()
    third = fetch() if is_new else make()
    if isinstance(thing, str):
        thing = fetch()
    create = NewLoan
    if is_new:
        create = kind
    fourth = make()
    try:
        fourth = fetch()
    except KeyError:
        pass
    names = loan.«reader», first.«reader», second.«reader», third.«reader», thing.«reader»
    first.«reader» = fourth.«reader»
    print(find(is_new).«reader», find(is_new).owner.«name», (fetch() or make()).«reader»)
    return names, create(«reader»="x"), (fifth := fetch() or kept), fifth.«reader»


class Holder:
    loan = None

    def __init__(self, loan, known: Loan) -> None:
        self.loan = loan
        self.known = known

    def load(self) -> object:
        self.loan = fetch()
        self.known = fetch()
        return self.loan.«reader»


def hold(holder: Holder) -> object:
    return holder.loan.«reader»


SHARED = Client()


def change() -> None:
    global SHARED
    SHARED = make()


def use() -> object:
    return SHARED.«fetch_loan»("1")
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
    """The texts of all programs after one run, and the uses listed as uncertain."""
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
def test_certain_uses_are_rewritten_and_nothing_else(
    outcome: tuple[dict[str, str], list[str]], name: str
) -> None:
    texts, uncertain = outcome
    assert texts[name] == REWRITTEN[name][1]
    assert [line for line in uncertain if line.startswith(f"{name}.py")] == []


@cases("name", LISTED)
def test_uncertain_uses_are_listed_at_their_places_and_unchanged(
    outcome: tuple[dict[str, str], list[str]], name: str
) -> None:
    texts, uncertain = outcome
    text = re.sub("[«»]", "", LISTED[name])
    statements = re.compile(rf"^( *(?:from|import) ){re.escape(OLD)}", re.M)
    # a name that another import binds as well is kept
    expected_text = (
        statements.sub(rf"\g<1>{NEW}", text)
        .replace(f"{NEW} import Loan, Remainder", f"{NEW} import Loan, Rest as Remainder")
        .replace("import Client, NewLoan, Remainder", "import Client, NewLoan, Rest")
    )
    assert texts[name] == expected_text
    expected = [
        (number, found.start() - 2 * count + 1)
        for number, line in enumerate(LISTED[name].splitlines(), 1)
        for count, found in enumerate(re.finditer("«", line))
    ]
    places = [re.match(rf"{name}\.py:(\d+):(\d+):", line) for line in uncertain]
    assert [(int(found[1]), int(found[2])) for found in places if found] == expected
