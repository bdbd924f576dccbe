"""The generated documents of the payment API agree with its specification in every fact."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from support.payment_documents import (
    ENVIRONMENTS,
    FEDNOW_CAME,
    IDEMPOTENCY,
    JSON,
    LATEST,
    NOT_IN_THE_OLDEST,
    OLDEST,
    OPEN_OBJECT,
    OPERATIONS,
    SANDBOX_OPERATIONS,
    SANDBOX_SCHEMAS,
    SCHEMAS,
    STRING,
    SUB_PARTNER,
    TIME,
    UUID,
    VERSION,
    VERSIONS,
    Document,
    Schema,
    api_operations,
    array,
    drop_descriptions,
    every_document,
    nodes,
    operations,
    read,
    ref,
    resolved,
    schemas_of,
)
from support.tables import cases

# Resources and their fields


@every_document
@cases("name", sorted(SCHEMAS.keys() - NOT_IN_THE_OLDEST))
def test_resource_has_the_fields_of_its_table(environment: str, version: str, name: str) -> None:
    assert drop_descriptions(schemas_of(environment, version)[name]) == SCHEMAS[name]


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


# What the specification says about a field beyond its type, and must not be lost.
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


@cases(("name", "field", "meaning"), MEANINGS)
def test_description_of_a_field_has_facts_beyond_its_type(
    name: str, field: str, meaning: str
) -> None:
    described = schemas_of("production", OLDEST)[name]["properties"][field]["description"]
    assert meaning in " ".join(described.split())


# The places of value sets for which the specification only shows observed values.
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

# The places of value sets that the specification lists completely.
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
    """Return the value of *key* by schema and field path."""
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
def test_only_complete_sets_are_closed(environment: str, version: str) -> None:
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
@cases("name", ["CustomerStatus", "IdentificationStatus", "AutorampTransactionStatus"])
def test_states_mention_that_their_transitions_are_not_shown(
    environment: str, version: str, name: str
) -> None:
    assert "Transitions: not shown." in schemas_of(environment, version)[name]["description"]


# Endpoints


@every_document
def test_operations_are_those_of_the_specification(environment: str, version: str) -> None:
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
def test_listing_has_eleven_optional_query_parameters(environment: str, version: str) -> None:
    listing = operations(read(environment, version))["GET", "/autoramp-transactions"]
    query = [drop_descriptions(each) for each in listing["parameters"] if each.get("in") == "query"]
    comma_separated = {"status": {"style": "form", "explode": False}}
    assert query == [
        {"name": name, "in": "query", "schema": schema, **comma_separated.get(name, {})}
        for name, schema in LISTING_PARAMETERS
    ]


@every_document
def test_path_parameters_are_uuids_where_specified(environment: str, version: str) -> None:
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
def test_header_parameters_are_optional_strings(environment: str, version: str) -> None:
    parameters = read(environment, version)["components"]["parameters"].values()
    assert {each["name"]: drop_descriptions(each) for each in parameters} == {
        VERSION: {
            "name": VERSION,
            "in": "header",
            "schema": {"type": "string", "default": "2026-07-01"},
        },
        SUB_PARTNER: {"name": SUB_PARTNER, "in": "header", "schema": UUID},
        IDEMPOTENCY: {
            "name": IDEMPOTENCY,
            "in": "header",
            "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]*$"},
        },
    }


ANYTHING = {
    "required": False,
    "content": {JSON: {"schema": OPEN_OBJECT}},
}


@every_document
def test_request_bodies_are_as_specified_and_open_if_unspecified(
    environment: str, version: str
) -> None:
    document = read(environment, version)
    bodies = {
        operation["operationId"]: drop_descriptions(resolved(document, operation["requestBody"]))
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
FAILED = ref("ApiError")

# operation: schema of the body of its success, if the specification lists one. Errors are strings
# everywhere, except for an unsupported version
SUCCESSES: dict[str, dict[str, Schema]] = {
    "updateCustomer": {"204": ref("Customer")},
    "listAutorampTransactions": {"200": ref("AutorampTransactionPage")},
    "retryFiatAddressAuth": {},
    "createAutoramp": {"200": ref("Autoramp")},
    "listAutoramps": {"200": ref("AutorampList")},
    "getAutoramp": {"200": ref("Autoramp")},
    "updateAutoramp": {"200": ref("Autoramp")},
    "getAutorampByExternalId": {"200": ref("Autoramp")},
    "createAutorampQuote": {"200": ref("Autoramp")},
    "getCustomerSpendingLimit": {"200": ref("SpendingLimit")},
    "listVersions": {"200": ref("VersionIndex")},
    "getVersionDocument": {"200": OPEN_OBJECT},
    "getLatestDocument": {"200": OPEN_OBJECT},
    "simulateDeposit": {"201": ref("AutorampTransaction")},
    "advanceTransaction": {"200": ref("AutorampTransaction")},
}


@every_document
def test_each_status_has_its_body_in_json_with_a_charset(environment: str, version: str) -> None:
    document = read(environment, version)
    bodies = {
        operation["operationId"]: {
            status: drop_descriptions(resolved(document, response)["content"])
            for status, response in operation["responses"].items()
        }
        for operation in operations(document).values()
    }
    expected = {**OPERATIONS, **(SANDBOX_OPERATIONS if environment == "sandbox" else {})}
    failures = {"400": BAD_REQUEST, "500": FAILED}
    assert bodies == {
        operation_id: {
            status: {JSON: {"schema": {**failures, **SUCCESSES[operation_id]}.get(status, STRING)}}
            for status in statuses
        }
        for operation_id, *_, statuses in expected.values()
    }


SERVERS_OWN = {"404", "408", "409", "412", "413", "415", "422"}


@every_document
def test_unspecified_responses_are_marked(environment: str, version: str) -> None:
    document = read(environment, version)
    marked = {
        (operation["operationId"], status)
        for operation in operations(document).values()
        for status, response in operation["responses"].items()
        if "it is what the reference server answers" in resolved(document, response)["description"]
    }
    rows = {**OPERATIONS, **(SANDBOX_OPERATIONS if environment == "sandbox" else {})}
    assert marked == {
        (operation_id, status)
        for operation_id, *_, statuses in rows.values()
        for status in statuses
        if status in SERVERS_OWN
        or (status == "401" and operation_id not in ("updateCustomer", "retryFiatAddressAuth"))
    }


@every_document
def test_gaps_are_mentioned_at_their_places(environment: str, version: str) -> None:
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
def test_every_operation_except_the_documents_requires_the_key(
    environment: str, version: str
) -> None:
    document = read(environment, version)
    assert drop_descriptions(document["components"]["securitySchemes"]) == {
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
def test_groups_are_in_the_order_of_the_specification(environment: str, version: str) -> None:
    assert [tag["name"] for tag in read(environment, version)["tags"]] == GROUPS


@every_document
@cases(
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
def test_group_without_detail_says_so(environment: str, version: str, group: str) -> None:
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
@cases(("group", "knowledge"), KNOWLEDGE)
def test_overview_is_reproduced(
    environment: str, version: str, group: str | None, knowledge: str
) -> None:
    document = read(environment, version)
    texts = {tag["name"]: tag["description"] for tag in document["tags"]}
    text = texts[group] if group else document["info"]["description"]
    assert knowledge in " ".join(text.lower().split())


# Versioning


@every_document
def test_document_is_openapi_3_1_and_named_after_its_version(
    environment: str, version: str
) -> None:
    document = read(environment, version)
    assert (document["openapi"], document["info"]["version"]) == ("3.1.0", version)


@every_document
def test_version_header_lists_three_versions_and_names_the_default(
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
            name: drop_descriptions(resolved(document, header))
            for name, header in resolved(document, response)["headers"].items()
        }
        for operation in api_operations(document).values()
        for status, response in operation["responses"].items()
    }
    # neither is required: an idempotent replay has no response headers
    headers = {VERSION: {"schema": STRING}, "Vary": {"schema": STRING, "example": VERSION}}
    assert responses == dict.fromkeys(responses, headers)


@every_document
def test_documents_of_versions_are_unversioned(environment: str, version: str) -> None:
    document = read(environment, version)
    headers = [
        resolved(document, response).get("headers", {})
        for (_, path), operation in operations(document).items()
        if path.startswith("/spec")
        for response in operation["responses"].values()
    ]
    assert headers == [{}] * 7


@cases("environment", ENVIRONMENTS)
@cases("version", [FEDNOW_CAME, LATEST])
def test_callers_of_newer_versions_may_see_fednow(environment: str, version: str) -> None:
    schemas = schemas_of(environment, version)
    assert drop_descriptions(schemas["DepositRail"]) == SCHEMAS["DepositRail"]
    assert drop_descriptions(schemas["FedNow"]) == SCHEMAS["FedNow"]
    assert "whose deposit account supports it" in schemas["FedNow"]["description"]


def at_version(document: Document, version: str) -> Document:
    return {**document, "info": {**document["info"], "version": version}}


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_fednow_is_the_only_change_in_2026_07_01(environment: str) -> None:
    without = at_version(copy.deepcopy(read(environment, FEDNOW_CAME)), OLDEST)
    schemas = without["components"]["schemas"]
    del schemas["FedNow"]
    del schemas["DepositRail"]["discriminator"]["mapping"]["FedNow"]
    schemas["DepositRail"]["oneOf"].remove(ref("FedNow"))
    assert without == read(environment, OLDEST)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_no_change_is_known_in_2026_08_01(environment: str) -> None:
    assert at_version(read(environment, LATEST), FEDNOW_CAME) == read(environment, FEDNOW_CAME)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_latest_document_is_that_of_the_newest_version(environment: str) -> None:
    assert read(environment, "latest") == read(environment, LATEST)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_index_lists_versions_default_and_documents(environment: str) -> None:
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
def test_documents_are_served_on_the_host(environment: str, version: str) -> None:
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
def test_sandbox_only_adds_its_simulation(version: str) -> None:
    sandbox = copy.deepcopy(read("sandbox", version))
    production = copy.deepcopy(read("production", version))
    simulation = {
        path: sandbox["paths"].pop(path)
        for path in list(sandbox["paths"])
        if path.startswith("/sandbox/")
    }
    parameters = {
        name: drop_descriptions(sandbox["components"]["schemas"].pop(name))
        for name in SANDBOX_SCHEMAS
    }
    for document in (sandbox, production):
        del document["servers"]
        for item in document["paths"].values():
            item.pop("servers", None)
    assert simulation.keys() == {path for _, path in SANDBOX_OPERATIONS}
    assert parameters == SANDBOX_SCHEMAS
    assert sandbox == production


@every_document
def test_no_annotation_of_dateline_remains(environment: str, version: str) -> None:
    keys = {key for _, node in nodes(read(environment, version)) for key in node}
    assert {key for key in keys if key.startswith("x-")} == {"x-extensible-enum"}
