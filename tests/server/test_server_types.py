"""Strict type checkers on generated packages, with correct and incorrect code of their users."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from shutil import which
from zipfile import ZipFile

import pytest
from support import odd_api
from support.adopted_apis import store
from support.archive_api import ARCHIVE
from support.converting import load_project, read_blocks
from support.events import EVENTS
from support.generated_server import Generated
from support.model_documents import DOCUMENTS
from support.modelling import files
from support.seeds import IN_CI
from support.sources import loaded
from support.unions_api import documents
from support.uploads_api import UPLOADS

from dateline.adopt import adopt
from dateline.edit import init, init_server
from dateline.load import load

SCHEMAS = Path(__file__).parents[2] / "schemas"

# The files generated for the API; the other files of a server are the same for all.
_LAW = [f"law_{title}" for title in DOCUMENTS]
_OWN = ("__init__", "app", "handlers", "models", "routes")

RIGHT = """
from collections.abc import AsyncIterator
from dataclasses import dataclass
from uuid import UUID

from odd.server import Call, Credentials, Handlers, Refusal, Reply, Upload, create_app, models


@dataclass(frozen=True)
class Partner:
    identity: str
    name: str


class Default:
    async def get_things(
        self,
        call: Call[Partner],
        *,
        class_: models.ClassParameter = models.ClassParameter.X,
        list: object,
        **others: object,
    ) -> Reply[list[models.Thing]]:
        if call.account.name == "x":
            raise Refusal(404, "no such thing")
        return Reply([], headers={"X-Total": 0})

    async def post_things(
        self, call: Call[None], *, class_: object = None, body: models.PostThingsBodyValue
    ) -> dict[str, str] | None:
        return {"id": body.part.kind}


class Class:
    async def import_(
        self,
        call: Call[Partner | None],
        *,
        id: UUID,
        class_: str,
        id_query: int | None = None,
        body: Upload | None = None,
    ) -> AsyncIterator[bytes] | bytes:
        return b"" if body is None else aiter(body)

    def list_(self, call: Call[Partner], *, id: UUID, class_: str) -> None:
        return None


class Convert:
    def older_thing_due(self, value: str, /) -> str:
        return value[:10]


async def authenticate(credentials: Credentials) -> Partner | None:
    return Partner(credentials.values["Key"], credentials.header("X-Name") or "")


app = create_app(
    Handlers(default=Default(), class_=Class()),
    environment="production",
    authenticate=authenticate,
    converters=Convert(),
)
"""

# Each of the last four statements is wrong.
WRONG = """
from odd.server import Handlers, create_app
from right import Class, Convert, Default, Partner, authenticate


class WithoutList:
    import_ = Class.import_


class Anonymous:
    async def import_(self, call: object, *, id: object, class_: str, **others: object) -> bytes:
        return b""

    async def list_(self, call: object, *, id: int, class_: str) -> None:
        return None


handlers = Handlers[Partner](default=Default(), class_=Class())
a = Handlers[Partner](default=Default(), class_=WithoutList())
b = Handlers[Partner](default=Default(), class_=Anonymous())
c = create_app(handlers, environment="prod", authenticate=authenticate, converters=Convert())
d = create_app(handlers, environment="production", authenticate=authenticate, converters=object())
"""
_WRONG = [("wrong.py", line) for line in (19, 20, 21, 22)]

SENDING = """
from typing import Any

from library import events, v2024_01_15, v2025_06_01
from library.components import lift, narrow
from library.server import models


class Convert:
    def older_loan_due(self, value: str, /) -> str:
        return value[:10]


def send(loan: models.Loan, stored: dict[str, Any], version: events.Version) -> Any:
    if version not in events.versions("loan.started", environment="sandbox"):
        return narrow(lift(stored, "Loan", version), "Loan", version, converters=Convert())
    events.render("loan.started", stored, version, converters=Convert())
    return events.render("loan.started", loan, version, converters=Convert())


def receive(body: bytes) -> None:
    old: v2024_01_15.Loan = events.parse("loan.started", body, "2024-01-15")
    new: v2025_06_01.LoanPaused = events.parse("loan.paused", body, "2025-06-01")
    print(old.writer, new.end, new.loan.author_name)
"""

# Each of the last seven statements is wrong.
MISUSING = """
from library import events, v2024_01_15
from library.components import narrow
from library.server import models
from sending import Convert

loan = models.Loan.model_validate({})
a = events.render("loan.paused", loan, "2025-06-01", converters=Convert())
b = events.render("loan.lost", {}, "2025-06-01", converters=Convert())
c = events.render("loan.started", loan, "2025-06-02", converters=Convert())
d = events.render("loan.started", loan, "2025-06-01", converters=object())
e = events.parse("loan.paused", b"", "2024-01-15")
f: v2024_01_15.Loan = events.parse("loan.started", b"", "2024-09-01")
g = narrow({}, "Lone", "2024-01-15")
"""
_MISUSED = [("misusing.py", line) for line in range(8, 15)]


# Wrong: a field, methods of another type, values, a missing method, fields of another version.
MISCONVERTING = """
from converters import Converters
from people.components import narrow
from people.server import ConversionContext, converted, versioned


class Misspelt(Converters):
    def older_person(self, value: converted.PersonNewer) -> converted.PersonOlderFields:
        return {"name": value["frst_name"]}


class Lacking:
    older_person = Converters.older_person


class Other(Converters):
    async def newer_fee(self, value: converted.FeeNewer) -> converted.FeeNewerFields:
        return {"cents": "3"}

    def older_address(
        self, value: converted.AddressNewer, context: ConversionContext, more: int
    ) -> converted.AddressOlderFields:
        return {"road": context.version, "number": context.account}


def serve(app: object) -> None:
    narrow({}, "Person", "2025-01-15", converters=Converters())
    versioned(app, environment="production", converters=Lacking())
    a = converted.PersonNewerFields(first_name="", last_name="")
    b: converted.PersonOlderFields = a
    Converters().newer_fee({"currency": "EUR"})
"""
_MISCONVERTED = [("misconverting.py", line) for line in (9, 17, 18, 20, 23, 28, 30, 31)]


CALLING = """
from collections.abc import AsyncIterator
from uuid import UUID

import httpx
from paynet.client import BadRequestError, Backoff
from paynet.v2026_07_01 import (
    ApiError,
    AsyncClient,
    Autoramp,
    AutorampTransaction,
    AutorampTransactionPage,
    Client,
    RampType,
    UpdateCustomerParams,
    VersionRejection,
)


def call(client: Client, id: UUID) -> list[AutorampTransaction]:
    client.update_customer(id, body=UpdateCustomerParams(email="a@b.example"))
    made: Autoramp = client.create_autoramp(body={"a": [1, None]}, idempotency_key="key")
    page: AutorampTransactionPage = client.list_autoramp_transactions(ramp_type=RampType.SWAP)
    try:
        client.with_options(timeout=3, max_retries=0).get_autoramp(made.id)
    except BadRequestError as error:
        if isinstance(error.body, VersionRejection):
            print(error.body.supported, error.code)
        elif isinstance(error.body, ApiError):
            print(error.body.trace_id)
    return [*page.items, *client.iter_autoramp_transactions(customer_id=id)]


async def stream(client: AsyncClient) -> AsyncIterator[AutorampTransaction]:
    made: Autoramp = await client.create_autoramp()
    async for each in client.iter_autoramp_transactions(autoramp_id=made.id):
        yield each


with Client(api_key=lambda: "key", environment="sandbox", backoff=Backoff(initial=1)) as found:
    print(call(found, UUID(int=1)))
    with httpx.Client() as given:
        Client(http_client=given, base_url="http://localhost", timeout=httpx.Timeout(1))
"""

# Each of the last eight statements is wrong.
MISCALLING = """
import httpx
from archive import v2024_01_15 as old, v2024_09_01 as new

scan: bytes = new.Client().get_scan("a")
old.Client().get_scan("a")
new.Client().get_skan("a")
new.Client().get_scan()
new.Client().list_pages(page="1")
new.Client(environment="staging")
new.Client(http_client=httpx.AsyncClient())
new.AsyncClient(login="name")
text: str = new.Client().get_scan("a")
"""
_MISCALLED = [("miscalling.py", line) for line in range(6, 14)]


UPLOADING = """
from pathlib import Path

from uploads.v2024_09_01 import AddEncodedForm, AsyncClient, Client, Place, ScanForm

with Client() as client, Path("a").open("rb") as file:
    form = ScanForm(title="t", scan=file, place=Place(shelf=1), pages=[b"", ("a", b"")])
    client.add_scan(body=form)
    client.add_scan(body=b"")
    client.add_encoded(body=AddEncodedForm(image=("a.png", file, "image/png", {"X-Checksum": ""})))
    client.add_free(body={"a": "b"})


async def send() -> None:
    async with AsyncClient() as client:
        print((await client.add_scan(body=ScanForm(title="t", scan=(None, b"")))).parts)
"""

# Each of the last five statements is wrong.
MISUPLOADING = """
from uploads.v2024_01_15 import Client
from uploads.v2024_09_01 import ScanForm

Client().add_scan(body=ScanForm(title="t", scan=b""))
ScanForm(title="t", scan="path.png")
ScanForm(title="t")
ScanForm(title="t", scan=b"", pages=b"")
Client().add_scan()
"""
_CALLING = ("calling.py", "miscalling.py", "uploading.py", "misuploading.py")
_MISUPLOADED = [("misuploading.py", line) for line in range(5, 10)]


CONSUMER = '''"""What a caller writes."""

from __future__ import annotations

from datetime import datetime
from typing import assert_never
from uuid import UUID

from paynet import DEFAULT, LATEST, VERSIONS
from paynet import v2025_03_13 as old
from paynet import v2026_07_01 as new
from paynet.types import ABSENT, Absent, Unrecognized


def rail(member: new.DepositRail) -> str:
    match member:
        case new.Iban():
            return member.type
        case new.AchWire() | new.Swift() | new.FedNow():
            return "rail"
        case new.UnknownDepositRail():
            return member.type.lower()
        case _:
            assert_never(member)


def kind(transaction: new.AutorampTransaction) -> str:
    match transaction.kind:
        case "Onramp":
            return "in"
        case Unrecognized():
            return transaction.kind.upper()
        case Absent.ABSENT:
            return "?"
        case _:
            assert_never(transaction.kind)


def email(customer: new.Customer) -> str:
    if customer.active_email is ABSENT:
        return customer.email
    return customer.active_email


def limit(customer: new.Customer) -> str | None:
    value = customer.spending_limit_euro
    return None if value is ABSENT else value


def is_business(customer: new.Customer) -> bool:
    match customer.customer_type:
        case new.CustomerType.BUSINESS:
            return True
        case new.CustomerType.PERSON:
            return False
        case _:
            assert_never(customer.customer_type)


def made(id_: UUID, at: datetime) -> new.Autoramp:
    return new.Autoramp(
        id=id_,
        deposit_rails=[new.Iban(type="Iban"), new.UnknownDepositRail(type="Sepa")],
        created_at=at,
        external_id=ABSENT,
    )


def shared(customer: old.Customer) -> new.Customer:
    return customer


versions: tuple[str, ...] = VERSIONS
chosen: str = DEFAULT or LATEST
dated: str = new.API_VERSION
text: str = new.UpdateCustomerParams(email="a@b.example").model_dump_json(by_alias=True)
'''

# Four lines are wrong, and must be reported.
MISTAKES = """
from paynet import v2025_03_13 as old
from paynet import v2026_07_01 as new


def upper(customer: new.Customer) -> str:
    return customer.active_email.upper()


def old_rail(rail: new.DepositRail) -> old.DepositRail:
    return rail


params = new.UpdateCustomerParams()
also = new.UpdateCustomerParams(email=None)
"""
_MISTAKEN = [("mistakes.py", line) for line in (7, 11, 14, 15)]
WRONG_LINES = [*_MISCALLED, *_MISCONVERTED, *_MISTAKEN, *_MISUPLOADED, *_MISUSED, *_WRONG]


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with generated packages and code that uses them."""
    folder = tmp_path_factory.mktemp("checked")
    shutil.copytree(SCHEMAS, folder / "payment" / "schemas")
    Generated(folder, load(folder / "payment" / "schemas"), "paynet")
    made = Generated(folder, loaded(folder, odd_api.ODD), "odd").folder
    (made / "right.py").write_text(RIGHT)
    (made / "wrong.py").write_text(WRONG)
    Generated(folder, load_project(folder / "people"), "people")
    Generated(folder, loaded(folder / "events", EVENTS), "library")
    adopt(store(folder, [*documents().values()]), folder / "unions" / "schemas", package="unions")
    Generated(folder, load(folder / "unions" / "schemas"), "unions")
    init(folder / "starter")
    Generated(folder, load(folder / "starter" / "schemas"), "starter")
    for name in ("payment", "events", "starter", "unions"):
        first = init_server(folder / name).read_text()
        first = first.replace("library", "starter") if name == "starter" else first
        (made / f"first_{name}.py").write_text(first)
    (made / "sending.py").write_text(SENDING)
    (made / "misusing.py").write_text(MISUSING)
    page = read_blocks()["converters.py"].replace("from library.", "from people.")
    (made / "converters.py").write_text(page)
    (made / "misconverting.py").write_text(MISCONVERTING)
    Generated(folder, loaded(folder / "uploads", UPLOADS), "uploads")
    (made / "uploading.py").write_text(UPLOADING)
    (made / "misuploading.py").write_text(MISUPLOADING)
    Generated(folder, loaded(folder / "archive", ARCHIVE), "archive")
    (made / "calling.py").write_text(CALLING)
    (made / "miscalling.py").write_text(MISCALLING)
    (made / "consumer.py").write_text(CONSUMER)
    (made / "mistakes.py").write_text(MISTAKES)
    for title, document in DOCUMENTS.items():
        for path, text in files({"2024-01-01": document}, f"law_{title}")[0].items():
            if "/law_" in path:
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8")
    for package in (*_LAW, "odd", "people", "library", "uploads", "archive", "starter", "unions"):
        import_shared_modules(made, package)
    (made / "mypy.ini").write_text("[mypy]\nstrict = True\npython_version = 3.11\n")
    settings = {"typeCheckingMode": "strict", "pythonVersion": "3.11"}
    (made / "pyrightconfig.json").write_text(json.dumps(settings))
    return made


def import_shared_modules(folder: Path, package: str) -> None:
    """Replace what *package* has in common with `paynet`: type checkers read it only once."""
    for path in (folder / package).rglob("*.py"):
        within = path.relative_to(folder / package)
        same = folder / "paynet" / within
        text = path.read_text()
        if path.name != "__init__.py" and same.exists() and same.read_text() == text:
            module = ".".join(("paynet", *within.with_suffix("").parts))
            names = {name for node in ast.parse(text).body for name in list_names(node)}
            path.write_text(
                "".join(f"from {module} import {name} as {name}\n" for name in sorted(names))
            )


def list_names(node: ast.stmt) -> list[str]:
    """Return the names that a statement of a module defines or exports."""
    match node:
        case ast.ImportFrom():
            return [each.name for each in node.names if each.name == each.asname]
        case ast.If() | ast.Try():
            return [name for each in node.body for name in list_names(each)]
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            exported: list[str] = ast.literal_eval(node.value)
            return exported
        case ast.Assign():
            return [each.id for each in node.targets if isinstance(each, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [node.name]
    return []


def ran(folder: Path, *command: str) -> str:
    found = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert found.stderr == ""
    return found.stdout.strip()


def errors(found: str) -> list[tuple[str, int]]:
    """Return the file and line of each error."""
    places = re.findall(r"([\w./]+\.py):(\d+):(?:\d+)?.*\berror\b", found)
    assert places, found
    return sorted({(Path(file).name, int(line)) for file, line in places})


def list_clients(folder: Path) -> list[str]:
    """Return the modules that all clients share, and those specific to some APIs."""
    found = [*folder.glob("paynet/client/[!v]*.py")]
    for package in ("archive", "odd", "uploads"):
        found += [*folder.glob(f"{package}/*/client.py"), *folder.glob(f"{package}/client/v*.py")]
    return sorted({path.relative_to(folder).as_posix() for path in found})


def test_mypy_accepts_a_server_and_rejects_wrong_handlers(checked: Path) -> None:
    given = ["right.py", "wrong.py", "sending.py", "misusing.py", "odd", "paynet", "library"]
    given += ["converters.py", "misconverting.py", "people", "archive", "uploads", *_CALLING]
    given += ["first_payment.py", "first_events.py", "first_starter.py", "starter"]
    given += ["first_unions.py", "unions", "consumer.py", "mistakes.py", *_LAW]
    found = errors(ran(checked, sys.executable, "-m", "mypy", *given))
    assert found == WRONG_LINES


@IN_CI
def test_pyright_accepts_the_api_specific_modules(checked: Path) -> None:
    beside = Path(sys.executable).with_name("basedpyright")
    pyright = str(beside) if beside.exists() else which("basedpyright")
    if pyright is None:
        pytest.skip("basedpyright is not installed")
    own = [f"{name}/server/{file}.py" for name in ("odd", "paynet") for file in _OWN]
    own += ["library/events.py", "library/components.py", "sending.py", "misusing.py"]
    own += list_clients(checked)
    own += ["converters.py", "misconverting.py", "people/server/converted.py", *_CALLING]
    own += ["paynet/types.py", "consumer.py", "mistakes.py", "paynet/__init__.py", "paynet/models"]
    own += [path.relative_to(checked).as_posix() for path in checked.glob("paynet/v*/__init__.py")]
    command = (pyright, "--pythonpath", sys.executable, *own, "right.py", "wrong.py")
    found = errors(ran(checked, *command))
    assert found == WRONG_LINES


def test_ruff_accepts_the_api_specific_modules(checked: Path) -> None:
    own = [f"{name}/server/{file}.py" for name in ("odd", "paynet") for file in _OWN]
    own += ["library/events.py", "library/components.py", *list_clients(checked)]
    own += [f"people/server/{file}.py" for file in ("converted", "handlers")]
    command = (
        *(sys.executable, "-m", "ruff", "check", "--isolated", "--quiet"),
        *("--line-length", "100", "--target-version", "py311", "--select", "E,F,I,N,UP,B,RUF"),
        # properties have the names of the document; a name that is taken gets an underscore
        *("--ignore", "N801,N815,RUF001"),
    )
    assert ran(checked, *command, *own) == ""


def test_ruff_accepts_the_models(checked: Path) -> None:
    own = ["paynet/__init__.py", "paynet/types.py", "paynet/models"]
    own += [f"{package}/models" for package in _LAW]
    command = (
        *(sys.executable, "-m", "ruff", "check", "--isolated", "--quiet"),
        *("--line-length", "100", "--target-version", "py311", "--select", "E,F,I,N,UP,B,RUF"),
        # properties have the names of the document; only our own classes may look like ours
        *("--ignore", "N815,RUF001"),
    )
    assert ran(checked, *command, *own) == ""


def test_package_imports_without_a_warning(checked: Path) -> None:
    code = "import odd.server, paynet.server; print('imported')"
    assert ran(checked, sys.executable, "-W", "error", "-c", code) == "imported"


def test_distribution_includes_the_servers_data(checked: Path) -> None:
    build = (sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", "dist", ".")
    subprocess.run(build, cwd=checked, capture_output=True, check=True)
    # the last distribution was written last
    (wheel,) = (checked / "dist").glob("archive-*.whl")
    with ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        [metadata] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        extras = re.findall(r"^Provides-Extra: (.*)$", archive.read(metadata).decode(), re.M)
    own = {path for path in (checked / "archive").rglob("*") if path.is_file()}
    assert names == {
        path.relative_to(checked).as_posix() for path in own if "__pycache__" not in path.parts
    }
    assert sorted(extras) == ["client", "events", "postgresql", "proxy", "redis", "server"]
