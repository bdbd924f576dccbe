"""The models of the payment API: with strict type checkers, and compared with the documents."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from shutil import which
from typing import Any
from zipfile import ZipFile

import pytest
from support.model_documents import DOCUMENTS, compare_model
from support.modelling import Package, files
from support.sampling import Judge, reading

from dateline.load import load
from dateline.model import EVERYWHERE, Contract
from dateline.project import Projector
from dateline.schema.usage import Ways

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
_MISTAKEN = [7, 11, 14, 15]


@pytest.fixture(scope="module")
def contracts() -> dict[str, dict[str, Any]]:
    """The documents of the payment API by version, all environments merged."""
    api = load(Path(__file__).parents[2] / "schemas")
    projector = Projector(api)
    return {
        # plain mappings and lists, as the validator needs them
        date: json.loads(json.dumps(projector.contract(date, EVERYWHERE).document))
        for date in api.table.dates
    }


@pytest.fixture(scope="module")
def checked(contracts: dict[str, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the models of the payment API, those of the law, and a consumer's files."""
    folder = tmp_path_factory.mktemp("checked")
    packages = {"paynet": contracts} | {
        f"law_{title}": {"2024-01-01": made} for title, made in DOCUMENTS.items()
    }
    for name, documents in packages.items():
        for path, text in files(documents, name)[0].items():
            target = folder / path.removeprefix("python/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    (folder / "consumer.py").write_text(CONSUMER)
    (folder / "mistakes.py").write_text(MISTAKES)
    (folder / "mypy.ini").write_text("[mypy]\nstrict = True\npython_version = 3.11\n")
    settings = {"typeCheckingMode": "strict", "pythonVersion": "3.11"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    return folder


def test_mypy_accepts_the_models_and_a_consumer(checked: Path) -> None:
    packages = [f"law_{title}" for title in DOCUMENTS]
    ran = _ran(checked, sys.executable, "-m", "mypy", "consumer.py", "paynet", *packages)
    assert ran.startswith("Success: no issues found")
    assert _lines(_ran(checked, sys.executable, "-m", "mypy", "mistakes.py"), "error:") == _MISTAKEN


def test_pyright_accepts_the_models_and_a_consumer(checked: Path) -> None:
    beside = Path(sys.executable).with_name("basedpyright")
    pyright = str(beside) if beside.exists() else which("basedpyright")
    if pyright is None:
        pytest.skip("basedpyright is not installed")
    python = ("--pythonpath", sys.executable)
    found = _ran(checked, pyright, *python, "consumer.py", "mistakes.py", "paynet")
    assert [line for line in found.splitlines() if "error" in line and "mistakes" not in line] == [
        found.splitlines()[-1]
    ]
    assert sorted({*_lines(found, "error:")}) == _MISTAKEN


def test_ruff_accepts_the_models(checked: Path) -> None:
    packages = ["paynet", *(f"law_{title}" for title in DOCUMENTS)]
    ran = _ran(
        checked,
        *(sys.executable, "-m", "ruff", "check", "--isolated", "--quiet"),
        *("--line-length", "100", "--target-version", "py311", "--select", "E,F,I,N,UP,B,RUF"),
        # properties have the names of the document; only our own classes may look like ours
        *("--ignore", "N815,RUF001"),
        *packages,
    )
    assert ran == ""


def test_distribution_can_be_built(contracts: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    package = Package(tmp_path, contracts)
    build = (sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", "dist", ".")
    ran = subprocess.run(build, cwd=package.folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
    (wheel,) = (package.folder / "dist").glob("*.whl")
    with ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert {f"python/{name}" for name in names} == {
        path for path in package.files if path.startswith(f"python/{package.name}/")
    }


def _ran(folder: Path, *command: str) -> str:
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    return ran.stdout.strip()


def _lines(found: str, what: str) -> list[int]:
    """Return the lines of `mistakes.py` for which *found* contains *what*."""
    places = [line.split(":") for line in found.splitlines() if "mistakes.py:" in line]
    return [int(place[1]) for place in places if what.strip(":") in ":".join(place)]


def test_payment_models_agree_with_the_documents(
    contracts: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    package = Package(tmp_path, contracts)
    unknown = "unknown tags, which `oneOf` refuses and UnknownDepositRail reads"
    assert package.notes == [f"components.DepositRail: {unknown}; left to the document"]
    found: list[str] = []
    for date, document in contracts.items():
        module = package.version(date)
        contract = Contract(version=date, environment="", document=document)
        schemas = reading(document, Ways().request_only(contract))
        judge = Judge(schemas)
        for component in schemas:
            found += compare_model(document, judge, component, getattr(module, component), 60)
    assert found == []


def test_old_callers_never_see_fednow(contracts: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    package = Package(tmp_path, contracts)
    old, new = package.version("2025-03-13"), package.version("2026-07-01")
    instance = {
        "id": "00000000-0000-4000-8000-000000000000",
        "deposit_rails": [{"type": "FedNow"}, {"type": "Iban", "iban": "DE00"}],
    }
    for module, expected in ((old, "UnknownDepositRail"), (new, "FedNow")):
        read = module.Autoramp.model_validate(instance)
        assert [type(rail).__name__ for rail in read.deposit_rails] == [expected, "Iban"]
        assert json.loads(read.model_dump_json(by_alias=True)) == instance
    assert not hasattr(old, "FedNow")
    assert new.Customer is old.Customer
    assert new.Autoramp is not old.Autoramp
    assert new.Autoramp is package.version("2026-08-01").Autoramp
