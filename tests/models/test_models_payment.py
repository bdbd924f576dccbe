"""The models of the payment API, compared with the documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.model_documents import compare_model
from support.modelling import Package
from support.sampling import Judge, reading

from dateline.load import load
from dateline.model import EVERYWHERE, Contract
from dateline.project import Projector
from dateline.schema.usage import Ways


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


def test_payment_models_agree_with_the_documents(
    contracts: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    package = Package(tmp_path, contracts)
    unknown = "models ignore that `oneOf` allows no other tags: they are read as a class `Unknown…`"
    assert package.notes == [f"components.DepositRail: {unknown}"]
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
