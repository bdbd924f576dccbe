"""The documents of the payment API, and what its specification lists for them."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.facts import RAMP_TYPES, TRANSACTION_STATUSES

SPEC = Path(__file__).parents[2] / "generated" / "spec"


ENVIRONMENTS = ("production", "sandbox")


VERSIONS = ("2025-03-13", "2026-07-01", "2026-08-01")
OLDEST, FEDNOW_CAME, LATEST = VERSIONS
VERSION, SUB_PARTNER, IDEMPOTENCY = "X-API-Version", "X-SUB-PARTNER-ID", "IDEMPOTENCY-KEY"


JSON = "application/json; charset=utf-8"


Document = dict[str, Any]


Schema = dict[str, Any]


@functools.cache
def read(environment: str, name: str) -> Any:
    return json.loads((SPEC / environment / f"{name}.json").read_text(encoding="utf-8"))


every_document = pytest.mark.parametrize(
    ("environment", "version"),
    [(environment, version) for environment in ENVIRONMENTS for version in VERSIONS],
)


# The specification's names of types as JSON Schema.

STRING: Schema = {"type": "string"}


UUID: Schema = {"type": "string", "format": "uuid"}


TIME: Schema = {"type": "string", "format": "date-time"}


BOOLEAN: Schema = {"type": "boolean"}


def observed(*values: str) -> Schema:
    """A string for which the specification shows some values, but not the complete set."""
    return {"type": "string", "x-extensible-enum": list(values), "examples": list(values)}


def enum(*values: str) -> Schema:
    return {"type": "string", "enum": list(values)}


def array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def record(**properties: Schema) -> Schema:
    """An object without required fields that may have more fields."""
    return {"type": "object", "properties": properties}


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def rail(name: str) -> Schema:
    return {
        "type": "object",
        "required": ["type"],
        "properties": {"type": {"const": name, "type": "string"}},
    }


AMOUNT = ref("Amount")


OPEN_OBJECT: Schema = {"type": "object", "additionalProperties": True}


# Every schema of the production documents since 2026-07-01, without its descriptions.
SCHEMAS: dict[str, Schema] = {
    "Customer": {
        "type": "object",
        "required": [
            "id",
            "customer_type",
            "identification_ids",
            "signing_ids",
            "created_at",
            "updated_at",
            "status",
            "name",
            "email",
            "partner_id",
        ],
        "properties": {
            "id": UUID,
            "customer_type": ref("CustomerType"),
            "identification_ids": array(UUID),
            "signing_ids": array(UUID),
            "created_at": TIME,
            "updated_at": TIME,
            "status": ref("CustomerStatus"),
            "name": STRING,
            "email": STRING,
            "partner_id": UUID,
            "active_email": STRING,
            "external_id": STRING,
            "identification_status": ref("IdentificationStatus"),
            "spending_limit_euro": {
                "type": ["string", "null"],
                "deprecated": True,
                "examples": [None],
            },
        },
    },
    "CustomerType": enum("Business", "Person"),
    "CustomerStatus": enum(
        "UserRequired",
        "SigningsRequired",
        "IdentificationRequired",
        "Active",
        "Suspended",
        "Archived",
    ),
    "IdentificationStatus": enum(
        "Pending", "Processed", "PendingReview", "Approved", "Declined", "Expired", "Archived"
    ),
    "UpdateCustomerParams": {
        "type": "object",
        "additionalProperties": False,
        "required": ["email"],
        "properties": {"email": STRING, "external_id": STRING},
    },
    # the specification doesn't show the value's type
    "SpendingLimit": {
        "type": "object",
        "required": ["threshold_eur"],
        "properties": {"threshold_eur": {}},
    },
    "ApiError": {
        "type": "object",
        "required": ["message", "trace_id"],
        "properties": {"message": STRING, "trace_id": STRING},
    },
    "VersionRejection": {
        "type": "object",
        "required": ["error", "reason", "requested", "supported"],
        "properties": {
            "error": {"const": "unsupported_api_version", "type": "string"},
            "reason": enum("version_unknown", "version_malformed"),
            "requested": STRING,
            "supported": array(STRING),
        },
        "examples": [
            {
                "error": "unsupported_api_version",
                "reason": "version_malformed",
                "requested": "2026-7-1",
                "supported": ["2025-03-13", "2026-07-01"],
            }
        ],
    },
    # the content of the generated index isn't shown, so more fields are allowed
    "VersionIndex": {
        "type": "object",
        "required": ["default", "latest", "versions"],
        "properties": {
            "default": STRING,
            "latest": STRING,
            "versions": array(
                {
                    "type": "object",
                    "required": ["version", "summary", "state", "location"],
                    "properties": {
                        "version": STRING,
                        "summary": STRING,
                        "state": observed("supported"),
                        "location": STRING,
                    },
                }
            ),
        },
    },
    "Autoramp": {
        "type": "object",
        "required": ["id", "deposit_rails"],
        "properties": {
            "id": UUID,
            "customer_id": UUID,
            "external_id": STRING,
            "ramp_type": ref("RampType"),
            "deposit_rails": array(ref("DepositRail")),
            "created_at": TIME,
            "updated_at": TIME,
        },
    },
    "AutorampList": record(items=array(ref("Autoramp"))),
    "RampType": enum(*RAMP_TYPES),
    "DepositRail": {
        "oneOf": [ref("Iban"), ref("AchWire"), ref("Swift"), ref("FedNow")],
        "discriminator": {
            "propertyName": "type",
            "mapping": {
                "Iban": "#/components/schemas/Iban",
                "AchWire": "#/components/schemas/AchWire",
                "Swift": "#/components/schemas/Swift",
                "FedNow": "#/components/schemas/FedNow",
            },
        },
    },
    "Iban": rail("Iban"),
    "AchWire": rail("AchWire"),
    "Swift": rail("Swift"),
    "FedNow": rail("FedNow"),
    "SortOrder": enum("asc", "desc"),
    "AutorampTransactionPage": {
        "type": "object",
        "required": ["items"],
        "properties": {
            "items": array(ref("AutorampTransaction")),
            "cursor": UUID,
            "prev_cursor": {"type": ["string", "null"], "format": "uuid"},
        },
    },
    "AutorampTransaction": record(
        id=UUID,
        autoramp_id=UUID,
        customer_id=UUID,
        batch_id=UUID,
        created_at=TIME,
        kind=observed("Onramp"),
        state=observed("Pending"),
        status=ref("AutorampTransactionStatus"),
        source_amount=AMOUNT,
        destination_amount=AMOUNT,
        exchange_rate=STRING,
        fee=STRING,
        fee_settlement=observed("deductedImmediately"),
        is_third_party=BOOLEAN,
        third_party_classification=observed("FirstParty"),
        source=record(blockchain=observed("Solana"), wallet_address=STRING),
        recipient=ref("Recipient"),
        fee_breakdown=ref("FeeBreakdown"),
        payment_tracking=record(
            ach_payment_reference=STRING,
            ach_trace_number=STRING,
            imad=STRING,
            omad=STRING,
            sepa_payment_reference=STRING,
            swift_payment_reference=STRING,
            wire_message=STRING,
        ),
        payout_crypto_transaction=record(transaction_hash=STRING),
    ),
    "AutorampTransactionStatus": enum(*TRANSACTION_STATUSES),
    "Amount": record(
        amount={"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?$"},
        currency=record(code=STRING, type=STRING),
    ),
    "Recipient": record(
        account_identifier=record(type=observed("SEPA"), iban=STRING),
        address=record(
            city=STRING,
            postal_code=STRING,
            state=STRING,
            street=STRING,
            country=record(code=STRING),
        ),
        bank_address={"type": ["object", "null"]},
        email_address=record(email=STRING),
        is_third_party=BOOLEAN,
        phone_number=STRING,
        provider_country=record(code=STRING),
        provider_name=STRING,
        recipient=record(name=STRING, type=observed("Business")),
    ),
    "FeeBreakdown": record(
        banking_fee=AMOUNT,
        banking_fee_network=observed("Sepa"),
        service_fee=AMOUNT,
        service_fee_settlement=observed("deductedImmediately"),
        network_fee=AMOUNT,
        network_fees=array(AMOUNT),
        network_fees_with_settlement=array(
            record(fee_amount=AMOUNT, fee_type=observed("SepaIn"), settlement=STRING)
        ),
        partner_fee=AMOUNT,
        partner_fees=array(record(fee=AMOUNT, label=STRING, settlement=STRING)),
        transaction_fee=AMOUNT,
        deducted_fee=AMOUNT,
        total_fee=AMOUNT,
    ),
}


SANDBOX_SCHEMAS: dict[str, Schema] = {
    "SimulateDepositParams": {
        "type": "object",
        "additionalProperties": True,
        "properties": {"amount": AMOUNT},
    },
    "AdvanceTransactionParams": {
        "type": "object",
        "additionalProperties": False,
        "required": ["status"],
        "properties": {"status": ref("AutorampTransactionStatus")},
    },
}


NOT_IN_THE_OLDEST = {"FedNow", "DepositRail"}
"""The schemas that FedNow's arrival changed."""


def drop_descriptions(node: Any) -> Any:
    """Return *node* without its descriptions."""
    if isinstance(node, list):
        return [drop_descriptions(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: drop_descriptions(value)
        for key, value in node.items()
        if not (key == "description" and isinstance(value, str))
    }


def schemas_of(environment: str, version: str) -> dict[str, Schema]:
    schemas: dict[str, Schema] = read(environment, version)["components"]["schemas"]
    return schemas


def resolved(document: Document, node: Any) -> Any:
    while "$ref" in node:
        section, name = node["$ref"].removeprefix("#/components/").split("/")
        node = document["components"][section][name]
    return node


def nodes(node: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every mapping below *node* with its path."""
    if isinstance(node, dict):
        yield path, node
        for key, value in node.items():
            yield from nodes(value, (*path, key))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from nodes(value, (*path, str(index)))


Operation = tuple[str, str]


def operations(document: Document) -> dict[Operation, Any]:
    return {
        (method.upper(), path): operation
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method in ("get", "put", "post", "patch", "delete")
    }


LISTING_QUERY = [
    "autoramp_id",
    "customer_id",
    "cursor",
    "prev_cursor",
    "page_size",
    "search_term",
    "ramp_type",
    "from_date",
    "to_date",
    "status",
    "sort_order",
]


# operation: (operationId, groups, parameters, whether there is a body, statuses)
Row = tuple[str, list[str], list[str], bool, list[str]]


OPERATIONS: dict[Operation, Row] = {
    ("PUT", "/customers/{id}"): (
        "updateCustomer",
        ["Customer"],
        ["id", SUB_PARTNER, VERSION],
        True,
        ["204", "400", "401", "408", "413", "415", "500"],
    ),
    ("GET", "/autoramp-transactions"): (
        "listAutorampTransactions",
        ["Autoramp"],
        [SUB_PARTNER, VERSION, *LISTING_QUERY],
        False,
        ["200", "400", "401", "413", "500"],
    ),
    ("POST", "/addresses/fiat/{id}/retry-auth"): (
        "retryFiatAddressAuth",
        ["Addresses"],
        ["id", VERSION, IDEMPOTENCY],
        False,
        ["400", "401", "408", "409", "413", "422", "500"],
    ),
    ("POST", "/autoramps"): (
        "createAutoramp",
        ["Autoramp"],
        [VERSION, IDEMPOTENCY],
        True,
        ["200", "400", "401", "408", "409", "413", "415", "422", "500"],
    ),
    ("GET", "/autoramps"): (
        "listAutoramps",
        ["Autoramp"],
        [VERSION],
        False,
        ["200", "400", "401", "413", "500"],
    ),
    ("GET", "/autoramps/{autoramp_id}"): (
        "getAutoramp",
        ["Autoramp"],
        ["autoramp_id", VERSION],
        False,
        ["200", "400", "401", "413", "500"],
    ),
    ("PATCH", "/autoramps/{autoramp_id}"): (
        "updateAutoramp",
        ["Autoramp"],
        ["autoramp_id", VERSION],
        True,
        ["200", "400", "401", "408", "413", "415", "500"],
    ),
    ("GET", "/autoramps/{external_id}/external"): (
        "getAutorampByExternalId",
        ["Autoramp"],
        ["external_id", VERSION],
        False,
        ["200", "400", "401", "413", "500"],
    ),
    ("POST", "/autoramps/{autoramp_id}/quotes"): (
        "createAutorampQuote",
        ["Autoramp"],
        ["autoramp_id", VERSION, IDEMPOTENCY],
        True,
        ["200", "400", "401", "408", "409", "413", "415", "422", "500"],
    ),
    ("GET", "/customers/{id}/spending-limit"): (
        "getCustomerSpendingLimit",
        ["Customer"],
        ["id", VERSION],
        False,
        ["200", "400", "401", "413", "500"],
    ),
    ("GET", "/spec/versions"): ("listVersions", [], [], False, ["200", "412"]),
    ("GET", "/spec/{version}"): (
        "getVersionDocument",
        [],
        ["version"],
        False,
        ["200", "404", "412"],
    ),
    ("GET", "/spec"): ("getLatestDocument", [], [], False, ["200", "412"]),
}


SANDBOX_OPERATIONS: dict[Operation, Row] = {
    ("POST", "/sandbox/autoramps/{autoramp_id}/deposits"): (
        "simulateDeposit",
        ["Sandbox"],
        ["autoramp_id", VERSION, IDEMPOTENCY],
        True,
        ["201", "400", "401", "408", "409", "413", "415", "422", "500"],
    ),
    ("POST", "/sandbox/autoramp-transactions/{id}/advance"): (
        "advanceTransaction",
        ["Sandbox"],
        ["id", VERSION, IDEMPOTENCY],
        True,
        ["200", "400", "401", "408", "409", "413", "415", "422", "500"],
    ),
}


def api_operations(document: Document) -> dict[Operation, Any]:
    """Return the operations under /api, without those that serve documents."""
    return {
        (method, path): operation
        for (method, path), operation in operations(document).items()
        if not path.startswith("/spec")
    }
