"""Read and write a transaction of the payment API: `WHOSE COUNT`.

WHOSE is `ours`, the generated models, or `theirs`, the models that datamodel-code-generator makes
of the same document. Prints the cost of each phase, that of the cheapest batch.
"""

from __future__ import annotations

import gc
import importlib
import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any, Final

_REPOSITORY: Final = Path(__file__).parents[2]
_VERSION: Final = "2026-07-01"
_BATCHES: Final = 20

_AMOUNT: Final = {"amount": "100.25", "currency": {"code": "USDC", "type": "Crypto"}}
_SETTLED: Final = "deductedImmediately"
TRANSACTION: Final[dict[str, Any]] = {
    "id": "7f3c1b8e-2f4a-4e0c-9a55-0c2d8c5b1a01",
    "autoramp_id": "7f3c1b8e-2f4a-4e0c-9a55-0c2d8c5b1a02",
    "customer_id": "7f3c1b8e-2f4a-4e0c-9a55-0c2d8c5b1a03",
    "batch_id": "7f3c1b8e-2f4a-4e0c-9a55-0c2d8c5b1a04",
    "created_at": "2026-07-01T12:34:56.123456Z",
    "kind": "Onramp",
    "state": "Pending",
    "status": "Completed",
    "source_amount": _AMOUNT,
    "destination_amount": _AMOUNT,
    "exchange_rate": "1.01",
    "fee": "0.5",
    "fee_settlement": _SETTLED,
    "is_third_party": False,
    "third_party_classification": "FirstParty",
    "source": {"blockchain": "Solana", "wallet_address": "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb"},
    "recipient": {
        "account_identifier": {"type": "SEPA", "iban": "DE89370400440532013000"},
        "address": {
            "city": "Berlin",
            "postal_code": "10115",
            "state": "BE",
            "street": "Chausseestr. 1",
            "country": {"code": "DE"},
        },
        "bank_address": None,
        "email_address": {"email": "a@example.com"},
        "is_third_party": False,
        "phone_number": "+4930123456",
        "provider_country": {"code": "DE"},
        "provider_name": "Bank",
        "recipient": {"name": "Acme", "type": "Business"},
    },
    "fee_breakdown": {
        "banking_fee": _AMOUNT,
        "banking_fee_network": "Sepa",
        "service_fee": _AMOUNT,
        "service_fee_settlement": _SETTLED,
        "network_fee": _AMOUNT,
        "network_fees": [_AMOUNT],
        "network_fees_with_settlement": [
            {"fee_amount": _AMOUNT, "fee_type": "SepaIn", "settlement": _SETTLED}
        ],
        "partner_fee": _AMOUNT,
        "partner_fees": [{"fee": _AMOUNT, "label": "share", "settlement": _SETTLED}],
        "transaction_fee": _AMOUNT,
        "deducted_fee": _AMOUNT,
        "total_fee": _AMOUNT,
    },
    "payment_tracking": {"imad": "a", "omad": "b", "sepa_payment_reference": "c"},
    "payout_crypto_transaction": {"transaction_hash": "0xabc"},
}


def _ours() -> Any:
    sys.path.insert(0, str(_REPOSITORY / "generated/python"))
    return importlib.import_module(f"paynet.v{_VERSION.replace('-', '_')}").AutorampTransaction


def _theirs() -> Any:
    from datamodel_code_generator import InputFileType, LiteralType, generate
    from datamodel_code_generator.enums import DataModelType

    made = Path.cwd() / "theirs.py"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        generate(
            _REPOSITORY / f"generated/spec/production/{_VERSION}.json",
            output=made,
            input_file_type=InputFileType.OpenAPI,
            output_model_type=DataModelType.PydanticV2BaseModel,
            enum_field_as_literal=LiteralType.One,
            allow_extra_fields=True,
            use_annotated=True,
            field_constraints=True,
            use_standard_collections=True,
            use_union_operator=True,
            formatters=[],
        )
    sys.path.insert(0, str(made.parent))
    return importlib.import_module("theirs").AutorampTransaction


def phases(model: Any, count: int) -> dict[str, float]:
    """Return the CPU seconds for reading and for writing *count* transactions with *model*."""
    text = json.dumps(TRANSACTION)
    read = model.model_validate(TRANSACTION)
    assert json.loads(read.model_dump_json(by_alias=True, exclude_unset=True)) == TRANSACTION
    jobs = {
        "read": lambda: model.model_validate(TRANSACTION),
        "read text": lambda: model.model_validate_json(text),
        "write": lambda: read.model_dump(mode="json"),
        "write text": read.model_dump_json,
    }
    spent = dict.fromkeys(jobs, float("inf"))
    gc.disable()
    for _ in range(_BATCHES):
        for phase, job in jobs.items():
            start = time.process_time()
            for _ in range(max(1, count // _BATCHES)):
                job()
            spent[phase] = min(spent[phase], time.process_time() - start)
    return {phase: seconds * _BATCHES for phase, seconds in spent.items()}


if __name__ == "__main__":
    whose, amount = sys.argv[1:]
    print(json.dumps({"phases": phases(_ours() if whose == "ours" else _theirs(), int(amount))}))
