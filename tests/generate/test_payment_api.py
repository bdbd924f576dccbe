"""The generated documents of the payment API say what its specification says, fact by fact."""

from __future__ import annotations

import copy
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


# How the specification's words for types are written in JSON Schema.

STRING: Schema = {"type": "string"}
UUID: Schema = {"type": "string", "format": "uuid"}
TIME: Schema = {"type": "string", "format": "date-time"}
BOOLEAN: Schema = {"type": "boolean"}


def observed(*values: str) -> Schema:
    """A string of which the specification shows some values and no complete set."""
    return {"type": "string", "x-extensible-enum": list(values), "examples": list(values)}


def enum(*values: str) -> Schema:
    return {"type": "string", "enum": list(values)}


def array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def record(**properties: Schema) -> Schema:
    """An object of which no field is required, open to more."""
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


# Every schema of the production documents from 2026-07-01 on, without its descriptions.
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
            "spending_limit_euro": {"type": ["string", "null"], "deprecated": True},
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
    # the value's type is not shown, hence none
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
    # not shown: what the generated index holds, and open to more
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


def undescribed(node: Any) -> Any:
    """Return *node* without its descriptions."""
    if isinstance(node, list):
        return [undescribed(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: undescribed(value)
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


# Resources and their fields


@every_document
@pytest.mark.parametrize("name", sorted(SCHEMAS.keys() - NOT_IN_THE_OLDEST))
def test_a_resource_has_the_fields_of_its_table(environment: str, version: str, name: str) -> None:
    assert undescribed(schemas_of(environment, version)[name]) == SCHEMAS[name]


@pytest.mark.parametrize("version", [FEDNOW_CAME, LATEST])
def test_there_are_no_other_schemas(version: str) -> None:
    assert schemas_of("production", version).keys() == SCHEMAS.keys()
    assert schemas_of("sandbox", version).keys() == SCHEMAS.keys() | SANDBOX_SCHEMAS.keys()


@every_document
def test_every_field_is_described(environment: str, version: str) -> None:
    undescribed_fields = [
        (*path, name)
        for path, node in nodes(schemas_of(environment, version))
        if isinstance(node.get("properties"), dict)
        for name, field in node["properties"].items()
        if not field.get("description", "").strip()
    ]
    assert undescribed_fields == []


# What the specification says of a field beyond its type, where losing it would mislead.
MEANINGS = [
    ("ApiError", "trace_id", "to be quoted when reporting issues"),
    ("Customer", "active_email", "if different from the primary email"),
    ("Customer", "spending_limit_euro", "always null"),
    ("Customer", "spending_limit_euro", "`threshold_eur` of `GET /customers/{id}/spending-limit`"),
    ("UpdateCustomerParams", "external_id", "when omitted, it is left unchanged"),
    ("AutorampTransactionPage", "prev_cursor", "null when there is none"),
    ("FeeBreakdown", "service_fee", "operator of the service"),
    ("Recipient", "bank_address", "may be null"),
    ("VersionRejection", "requested", "as sent"),
    ("VersionRejection", "reason", "a valid date that is not a supported version"),
    ("VersionRejection", "reason", "not a canonical `YYYY-MM-DD` date"),
]


@pytest.mark.parametrize(("name", "field", "meaning"), MEANINGS)
def test_a_field_says_what_its_type_cannot(name: str, field: str, meaning: str) -> None:
    described = schemas_of("production", OLDEST)[name]["properties"][field]["description"]
    assert meaning in " ".join(described.split())


# The places of every value set that the specification gives only as observed.
OBSERVED = {
    ("VersionIndex", "versions", "state"): ["supported"],
    ("AutorampTransaction", "kind"): ["Onramp"],
    ("AutorampTransaction", "state"): ["Pending"],
    ("AutorampTransaction", "fee_settlement"): ["deductedImmediately"],
    ("AutorampTransaction", "third_party_classification"): ["FirstParty"],
    ("AutorampTransaction", "source", "blockchain"): ["Solana"],
    ("Recipient", "account_identifier", "type"): ["SEPA"],
    ("Recipient", "recipient", "type"): ["Business"],
    ("FeeBreakdown", "banking_fee_network"): ["Sepa"],
    ("FeeBreakdown", "service_fee_settlement"): ["deductedImmediately"],
    ("FeeBreakdown", "network_fees_with_settlement", "fee_type"): ["SepaIn"],
}

# The places of every value set that the specification lists in full.
CLOSED = {
    ("CustomerType",),
    ("CustomerStatus",),
    ("IdentificationStatus",),
    ("AutorampTransactionStatus",),
    ("RampType",),
    ("SortOrder",),
    ("VersionRejection", "reason"),
}


def fields_with(key: str, document: Document) -> dict[tuple[str, ...], Any]:
    """Return the value of *key* by the schema and the fields that lead to it."""
    between = ("components", "schemas", "properties", "items")
    return {
        tuple(part for part in path if part not in between): node[key]
        for path, node in nodes(document)
        if key in node
    }


@every_document
def test_observed_values_are_open_ended(environment: str, version: str) -> None:
    assert fields_with("x-extensible-enum", read(environment, version)) == OBSERVED


@every_document
def test_only_the_sets_listed_in_full_are_closed(environment: str, version: str) -> None:
    assert fields_with("enum", read(environment, version)).keys() == CLOSED


@every_document
def test_only_requests_are_closed_to_further_fields(environment: str, version: str) -> None:
    closed = {
        path[0]
        for path, node in nodes(schemas_of(environment, version))
        if node.get("additionalProperties") is False
    }
    ours = {"AdvanceTransactionParams"} if environment == "sandbox" else set()
    assert closed == {"UpdateCustomerParams"} | ours


# States and transitions


@every_document
@pytest.mark.parametrize(
    "name", ["CustomerStatus", "IdentificationStatus", "AutorampTransactionStatus"]
)
def test_states_say_that_their_transitions_are_not_shown(
    environment: str, version: str, name: str
) -> None:
    assert "Transitions: not shown." in schemas_of(environment, version)[name]["description"]


# Endpoints

VERSION, SUB_PARTNER, IDEMPOTENCY = "X-API-Version", "X-SUB-PARTNER-ID", "IDEMPOTENCY-KEY"

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
        ["204", "400", "401", "500"],
    ),
    ("GET", "/autoramp-transactions"): (
        "listAutorampTransactions",
        ["Autoramp"],
        [SUB_PARTNER, VERSION, *LISTING_QUERY],
        False,
        ["200", "400", "500"],
    ),
    ("POST", "/addresses/fiat/{id}/retry-auth"): (
        "retryFiatAddressAuth",
        ["Addresses"],
        ["id", VERSION, IDEMPOTENCY],
        False,
        ["400", "401", "500"],
    ),
    ("POST", "/autoramps"): (
        "createAutoramp",
        ["Autoramp"],
        [VERSION, IDEMPOTENCY],
        True,
        ["200", "400", "500"],
    ),
    ("GET", "/autoramps"): (
        "listAutoramps",
        ["Autoramp"],
        [VERSION],
        False,
        ["200", "400", "500"],
    ),
    ("GET", "/autoramps/{autoramp_id}"): (
        "getAutoramp",
        ["Autoramp"],
        ["autoramp_id", VERSION],
        False,
        ["200", "400", "500"],
    ),
    ("PATCH", "/autoramps/{autoramp_id}"): (
        "updateAutoramp",
        ["Autoramp"],
        ["autoramp_id", VERSION],
        True,
        ["200", "400", "500"],
    ),
    ("GET", "/autoramps/{external_id}/external"): (
        "getAutorampByExternalId",
        ["Autoramp"],
        ["external_id", VERSION],
        False,
        ["200", "400", "500"],
    ),
    ("POST", "/autoramps/{autoramp_id}/quotes"): (
        "createAutorampQuote",
        ["Autoramp"],
        ["autoramp_id", VERSION, IDEMPOTENCY],
        True,
        ["200", "400", "500"],
    ),
    ("GET", "/customers/{id}/spending-limit"): (
        "getCustomerSpendingLimit",
        ["Customer"],
        ["id", VERSION],
        False,
        ["200", "400", "500"],
    ),
    ("GET", "/spec/versions"): ("listVersions", [], [], False, ["200"]),
    ("GET", "/spec/{version}"): ("getVersionDocument", [], ["version"], False, ["200"]),
    ("GET", "/spec"): ("getLatestDocument", [], [], False, ["200"]),
}

SANDBOX_OPERATIONS: dict[Operation, Row] = {
    ("POST", "/sandbox/autoramps/{autoramp_id}/deposits"): (
        "simulateDeposit",
        ["Sandbox"],
        ["autoramp_id", VERSION, IDEMPOTENCY],
        True,
        ["201", "400", "500"],
    ),
    ("POST", "/sandbox/autoramp-transactions/{id}/advance"): (
        "advanceTransaction",
        ["Sandbox"],
        ["id", VERSION, IDEMPOTENCY],
        True,
        ["200", "400", "500"],
    ),
}


def api_operations(document: Document) -> dict[Operation, Any]:
    """Return the operations under /api: all but the specification documents."""
    return {
        (method, path): operation
        for (method, path), operation in operations(document).items()
        if not path.startswith("/spec")
    }


@every_document
def test_the_operations_are_those_of_the_specification(environment: str, version: str) -> None:
    document = read(environment, version)
    rows = {
        key: (
            operation["operationId"],
            operation.get("tags", []),
            [resolved(document, each)["name"] for each in operation.get("parameters", [])],
            "requestBody" in operation,
            sorted(operation["responses"]),
        )
        for key, operation in operations(document).items()
    }
    expected = {**OPERATIONS, **(SANDBOX_OPERATIONS if environment == "sandbox" else {})}
    assert rows == expected


@every_document
def test_only_the_retry_of_a_fiat_address_is_deprecated(environment: str, version: str) -> None:
    deprecated = {
        operation["operationId"]
        for operation in operations(read(environment, version)).values()
        if operation.get("deprecated")
    }
    assert deprecated == {"retryFiatAddressAuth"}


LISTING_PARAMETERS = [
    ("autoramp_id", UUID),
    ("customer_id", UUID),
    ("cursor", UUID),
    ("prev_cursor", UUID),
    (
        "page_size",
        {"type": "integer", "format": "uint32", "minimum": 0, "maximum": 100, "default": 10},
    ),
    ("search_term", {"type": "string", "maxLength": 256}),
    ("ramp_type", ref("RampType")),
    ("from_date", TIME),
    ("to_date", TIME),
    ("status", array(ref("AutorampTransactionStatus"))),
    ("sort_order", {"allOf": [ref("SortOrder")], "default": "desc"}),
]


@every_document
def test_the_listing_has_eleven_optional_query_parameters(environment: str, version: str) -> None:
    listing = operations(read(environment, version))["GET", "/autoramp-transactions"]
    query = [undescribed(each) for each in listing["parameters"] if each.get("in") == "query"]
    comma_separated = {"status": {"style": "form", "explode": False}}
    assert query == [
        {"name": name, "in": "query", "schema": schema, **comma_separated.get(name, {})}
        for name, schema in LISTING_PARAMETERS
    ]


@every_document
def test_path_parameters_are_uuids_where_the_specification_says_so(
    environment: str, version: str
) -> None:
    found = {
        (operation["operationId"], each["name"]): (each["required"], each["schema"])
        for operation in operations(read(environment, version)).values()
        for each in operation.get("parameters", [])
        if each.get("in") == "path"
    }
    expected = {
        ("updateCustomer", "id"): (True, UUID),
        ("getCustomerSpendingLimit", "id"): (True, UUID),
        ("retryFiatAddressAuth", "id"): (True, STRING),
        ("getAutoramp", "autoramp_id"): (True, UUID),
        ("updateAutoramp", "autoramp_id"): (True, UUID),
        ("createAutorampQuote", "autoramp_id"): (True, UUID),
        ("getAutorampByExternalId", "external_id"): (True, STRING),
        ("getVersionDocument", "version"): (True, STRING),
    }
    if environment == "sandbox":
        expected["simulateDeposit", "autoramp_id"] = (True, UUID)
        expected["advanceTransaction", "id"] = (True, UUID)
    assert found == expected


@every_document
def test_header_parameters_are_optional_plain_strings(environment: str, version: str) -> None:
    parameters = read(environment, version)["components"]["parameters"].values()
    assert {each["name"]: undescribed(each) for each in parameters} == {
        VERSION: {
            "name": VERSION,
            "in": "header",
            "schema": {"type": "string", "default": "2026-07-01"},
        },
        SUB_PARTNER: {"name": SUB_PARTNER, "in": "header", "schema": STRING},
        IDEMPOTENCY: {"name": IDEMPOTENCY, "in": "header", "schema": STRING},
    }


ANYTHING = {
    "required": False,
    "content": {JSON: {"schema": OPEN_OBJECT}},
}


@every_document
def test_request_bodies_are_those_shown_and_open_where_none_is(
    environment: str, version: str
) -> None:
    document = read(environment, version)
    bodies = {
        operation["operationId"]: undescribed(resolved(document, operation["requestBody"]))
        for operation in operations(document).values()
        if "requestBody" in operation
    }
    expected = {
        "updateCustomer": {
            "required": True,
            "content": {JSON: {"schema": ref("UpdateCustomerParams")}},
        },
        "createAutoramp": ANYTHING,
        "updateAutoramp": ANYTHING,
        "createAutorampQuote": ANYTHING,
    }
    if environment == "sandbox":
        expected["simulateDeposit"] = {
            "required": False,
            "content": {JSON: {"schema": ref("SimulateDepositParams")}},
        }
        expected["advanceTransaction"] = {
            "required": True,
            "content": {JSON: {"schema": ref("AdvanceTransactionParams")}},
        }
    assert bodies == expected


BAD_REQUEST: Schema = {"oneOf": [STRING, ref("VersionRejection")]}
FAILED, UNAUTHORIZED = ref("ApiError"), STRING
ANY_OPERATION = {"400": BAD_REQUEST, "500": FAILED}

# operation: status: schema of the body
BODIES: dict[str, dict[str, Schema]] = {
    "updateCustomer": {
        "204": ref("Customer"),
        "401": UNAUTHORIZED,
        **ANY_OPERATION,
    },
    "listAutorampTransactions": {"200": ref("AutorampTransactionPage"), **ANY_OPERATION},
    "retryFiatAddressAuth": {"401": UNAUTHORIZED, **ANY_OPERATION},
    "createAutoramp": {"200": ref("Autoramp"), **ANY_OPERATION},
    "listAutoramps": {"200": ref("AutorampList"), **ANY_OPERATION},
    "getAutoramp": {"200": ref("Autoramp"), **ANY_OPERATION},
    "updateAutoramp": {"200": ref("Autoramp"), **ANY_OPERATION},
    "getAutorampByExternalId": {"200": ref("Autoramp"), **ANY_OPERATION},
    "createAutorampQuote": {"200": ref("Autoramp"), **ANY_OPERATION},
    "getCustomerSpendingLimit": {"200": ref("SpendingLimit"), **ANY_OPERATION},
    "listVersions": {"200": ref("VersionIndex")},
    "getVersionDocument": {"200": OPEN_OBJECT},
    "getLatestDocument": {"200": OPEN_OBJECT},
}
SANDBOX_BODIES: dict[str, dict[str, Schema]] = {
    "simulateDeposit": {"201": ref("AutorampTransaction"), **ANY_OPERATION},
    "advanceTransaction": {"200": ref("AutorampTransaction"), **ANY_OPERATION},
}


@every_document
def test_each_status_has_its_body_in_json_with_a_charset(environment: str, version: str) -> None:
    document = read(environment, version)
    bodies = {
        operation["operationId"]: {
            status: undescribed(resolved(document, response)["content"])
            for status, response in operation["responses"].items()
        }
        for operation in operations(document).values()
    }
    expected = {**BODIES, **(SANDBOX_BODIES if environment == "sandbox" else {})}
    assert bodies == {
        operation_id: {status: {JSON: {"schema": schema}} for status, schema in statuses.items()}
        for operation_id, statuses in expected.items()
    }


@every_document
def test_gaps_are_said_where_they_are(environment: str, version: str) -> None:
    document = read(environment, version)
    silent = [
        operation["operationId"]
        for (_, path), operation in operations(document).items()
        if path.startswith(("/autoramps", "/sandbox"))
        or path.endswith(("/spending-limit", "/retry-auth"))
        if "not show" not in operation["description"]
    ]
    assert silent == []
    no_content = operations(document)["PUT", "/customers/{id}"]["responses"]["204"]
    assert "not shown" in no_content["description"]


# Authentication


@every_document
def test_every_operation_but_the_specification_documents_demands_the_key(
    environment: str, version: str
) -> None:
    document = read(environment, version)
    assert undescribed(document["components"]["securitySchemes"]) == {
        "ApiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"}
    }
    assert document["security"] == [{"ApiKey": []}]
    own = {
        operation["operationId"]: operation["security"]
        for operation in operations(document).values()
        if "security" in operation
    }
    assert own == {"listVersions": [], "getVersionDocument": [], "getLatestDocument": []}


# Events, and the other groups

GROUPS = [
    "Addresses",
    "Autoramp",
    "collateral",
    "Currencies",
    "Customer",
    "ExchangeRate",
    "FeeProfiles",
    "Sandbox",
    "Sse",
    "TermsAndConditions",
    "Webhooks",
]


@every_document
def test_the_eleven_groups_stand_in_the_order_of_the_specification(
    environment: str, version: str
) -> None:
    assert [tag["name"] for tag in read(environment, version)["tags"]] == GROUPS


@every_document
@pytest.mark.parametrize(
    "group",
    [
        "Addresses",
        "collateral",
        "Currencies",
        "ExchangeRate",
        "FeeProfiles",
        "Sse",
        "TermsAndConditions",
        "Webhooks",
    ],
)
def test_a_group_without_detail_says_so(environment: str, version: str, group: str) -> None:
    tags = {tag["name"]: tag["description"] for tag in read(environment, version)["tags"]}
    assert "not shown" in tags[group]


# (group, or None for the document's own text; what it has to mention)
KNOWLEDGE = [
    ("Addresses", "self-hosted wallet"),
    ("Addresses", "signed proof-of-ownership message"),
    ("Addresses", "hosted wallet"),
    ("Addresses", "decentralized identifier (did)"),
    (None, "travel rule"),
    (None, "offramp payouts"),
    (None, "natural persons"),
    (None, "funds review, conversion and payout"),
    (None, "`x-sub-partner-id`"),
    (None, "`/sandbox/`"),
    (None, "without the header, or with an empty one, version `2025-03-13` is served"),
    (None, "never falls back to a nearby version"),
    (None, "token and market data endpoints have no version-gated shapes and ignore it"),
    (None, "`vary: x-api-version`"),
    (None, "frozen contract"),
    (None, "may still be absent when the account is not configured"),
    (None, "a removed or renamed response field"),
    (None, "migration window"),
    (None, "returns the stored body and status, without the response headers"),
]


@every_document
@pytest.mark.parametrize(("group", "knowledge"), KNOWLEDGE)
def test_the_overview_is_told(
    environment: str, version: str, group: str | None, knowledge: str
) -> None:
    document = read(environment, version)
    texts = {tag["name"]: tag["description"] for tag in document["tags"]}
    text = texts[group] if group else document["info"]["description"]
    assert knowledge in " ".join(text.lower().split())


# Versioning


@every_document
def test_a_document_is_openapi_31_and_named_after_its_version(
    environment: str, version: str
) -> None:
    document = read(environment, version)
    assert (document["openapi"], document["info"]["version"]) == ("3.1.0", version)


@every_document
def test_the_version_header_lists_three_versions_and_says_which_is_served_without(
    environment: str, version: str
) -> None:
    parameter = read(environment, version)["components"]["parameters"]["ApiVersion"]
    text = " ".join(parameter["description"].split())
    assert "Supported are `2025-03-13`, `2026-07-01` and `2026-08-01`." in text
    assert "absent or empty, `2025-03-13` is served" in text
    assert parameter["schema"]["default"] == "2026-07-01"


@every_document
def test_every_response_under_api_names_the_version_served(environment: str, version: str) -> None:
    document = read(environment, version)
    responses = {
        (operation["operationId"], status): {
            name: undescribed(resolved(document, header))
            for name, header in resolved(document, response)["headers"].items()
        }
        for operation in api_operations(document).values()
        for status, response in operation["responses"].items()
    }
    # neither is required: an idempotent replay carries no response headers
    headers = {VERSION: {"schema": STRING}, "Vary": {"schema": STRING, "example": VERSION}}
    assert responses == dict.fromkeys(responses, headers)


@every_document
def test_the_specification_documents_stand_outside_the_versions(
    environment: str, version: str
) -> None:
    document = read(environment, version)
    headers = [
        resolved(document, response).get("headers", {})
        for (_, path), operation in operations(document).items()
        if path.startswith("/spec")
        for response in operation["responses"].values()
    ]
    assert headers == [{}, {}, {}]


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_callers_of_the_oldest_version_never_see_fednow(environment: str) -> None:
    schemas = schemas_of(environment, OLDEST)
    assert undescribed(schemas["DepositRail"]) == {
        "oneOf": [ref("Iban"), ref("AchWire"), ref("Swift")],
        "discriminator": {
            "propertyName": "type",
            "mapping": {
                "Iban": "#/components/schemas/Iban",
                "AchWire": "#/components/schemas/AchWire",
                "Swift": "#/components/schemas/Swift",
            },
        },
    }
    assert "fednow" not in json.dumps(read(environment, OLDEST)).lower()


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("version", [FEDNOW_CAME, LATEST])
def test_callers_of_newer_versions_may_see_fednow(environment: str, version: str) -> None:
    schemas = schemas_of(environment, version)
    assert undescribed(schemas["DepositRail"]) == SCHEMAS["DepositRail"]
    assert undescribed(schemas["FedNow"]) == SCHEMAS["FedNow"]
    assert "whose deposit account supports it" in schemas["FedNow"]["description"]


def at_version(document: Document, version: str) -> Document:
    return {**document, "info": {**document["info"], "version": version}}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_fednow_is_all_that_changes_in_2026_07_01(environment: str) -> None:
    without = at_version(copy.deepcopy(read(environment, FEDNOW_CAME)), OLDEST)
    schemas = without["components"]["schemas"]
    del schemas["FedNow"]
    del schemas["DepositRail"]["discriminator"]["mapping"]["FedNow"]
    schemas["DepositRail"]["oneOf"].remove(ref("FedNow"))
    assert without == read(environment, OLDEST)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_nothing_is_known_to_change_in_2026_08_01(environment: str) -> None:
    assert at_version(read(environment, LATEST), FEDNOW_CAME) == read(environment, FEDNOW_CAME)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_latest_document_is_that_of_the_newest_version(environment: str) -> None:
    assert read(environment, "latest") == read(environment, LATEST)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_index_lists_versions_default_and_where_each_document_is(environment: str) -> None:
    summaries = [
        "Initial version; served when a request names none.",
        "Adds the FedNow member to the deposit rails of every autoramp.",
        "Supported; what it changes is not shown.",
    ]
    assert read(environment, "versions") == {
        "default": OLDEST,
        "latest": LATEST,
        "versions": [
            {
                "version": version,
                "summary": summary,
                "state": "supported",
                "location": f"/spec/{version}",
            }
            for version, summary in zip(VERSIONS, summaries, strict=True)
        ],
    }


# Environments

SERVERS = {
    "production": "https://api.paynet.example/api",
    "sandbox": "https://api.sandbox.paynet.example/api",
}


@every_document
def test_each_environment_has_its_own_server(environment: str, version: str) -> None:
    servers = read(environment, version)["servers"]
    assert [server["url"] for server in servers] == [SERVERS[environment]]


@every_document
def test_the_specification_documents_are_served_on_the_host(environment: str, version: str) -> None:
    host = SERVERS[environment].removesuffix("/api")
    servers = {
        path: item["servers"]
        for path, item in read(environment, version)["paths"].items()
        if "servers" in item
    }
    assert servers == {
        path: [{"url": host}] for path in ("/spec/versions", "/spec/{version}", "/spec")
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_the_sandbox_adds_its_simulation_and_nothing_else(version: str) -> None:
    sandbox = copy.deepcopy(read("sandbox", version))
    production = copy.deepcopy(read("production", version))
    simulation = {
        path: sandbox["paths"].pop(path)
        for path in list(sandbox["paths"])
        if path.startswith("/sandbox/")
    }
    parameters = {
        name: undescribed(sandbox["components"]["schemas"].pop(name)) for name in SANDBOX_SCHEMAS
    }
    for document in (sandbox, production):
        del document["servers"]
        for item in document["paths"].values():
            item.pop("servers", None)
    assert simulation.keys() == {path for _, path in SANDBOX_OPERATIONS}
    assert parameters == SANDBOX_SCHEMAS
    assert sandbox == production


@every_document
def test_no_annotation_of_ours_is_left(environment: str, version: str) -> None:
    keys = {key for _, node in nodes(read(environment, version)) for key in node}
    assert {key for key in keys if key.startswith("x-")} == {"x-extensible-enum"}
