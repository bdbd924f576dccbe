"""Rules for all operations: authentication, versions, errors, limits, documents."""

from __future__ import annotations

from pathlib import Path

from paynet import VERSIONS
from support.clusters import Cluster
from support.sandboxes import Caller, Sandbox, sandbox
from support.tables import cases

SPECIFICATION = Path(__file__).parents[2] / "generated" / "spec"
ID = "6f9619ff-8b86-d011-b42d-00cf4fc964ff"
OPERATIONS = [
    ("PUT", f"/customers/{ID}"),
    ("GET", f"/customers/{ID}/spending-limit"),
    ("GET", "/autoramp-transactions"),
    ("POST", "/addresses/fiat/address/retry-auth"),
    ("POST", "/autoramps"),
    ("GET", "/autoramps"),
    ("GET", f"/autoramps/{ID}"),
    ("PATCH", f"/autoramps/{ID}"),
    ("GET", "/autoramps/theirs/external"),
    ("POST", f"/autoramps/{ID}/quotes"),
    ("POST", f"/sandbox/autoramps/{ID}/deposits"),
    ("POST", f"/sandbox/autoramp-transactions/{ID}/advance"),
]


@cases(("method", "path"), OPERATIONS)
@cases("key", [None, "", "unknown", "paynet_unknown", "schlüssel", "x" * 10_000])
def test_every_operation_answers_401_without_a_valid_key(
    environments: dict[str, Sandbox], method: str, path: str, key: str | None
) -> None:
    headers = [] if key is None else [(b"X-API-Key", key.encode("latin-1"))]
    response = environments["sandbox"].client.request(method, f"/api{path}", headers=headers)
    assert (response.status_code, response.json()) == (401, "unauthorized")


@cases(
    ("version", "reason"),
    [
        ("2026-07-02", "version_unknown"),
        ("2026-7-1", "version_malformed"),
        ("2026-02-30", "version_malformed"),
    ],
)
def test_unsupported_versions_are_rejected_before_the_key_is_checked(
    environments: dict[str, Sandbox], version: str, reason: str
) -> None:
    headers = {"X-API-Version": version}
    response = environments["sandbox"].client.get("/api/autoramps", headers=headers)
    rejection = {
        "error": "unsupported_api_version",
        "reason": reason,
        "requested": version,
        "supported": list(VERSIONS),
    }
    assert (response.status_code, response.json()) == (400, rejection)


@cases("environment", ["sandbox", "production"])
@cases("name", ["versions", *VERSIONS])
def test_documents_of_the_environment_are_public(
    environments: dict[str, Sandbox], environment: str, name: str
) -> None:
    response = environments[environment].client.get(f"/spec/{name}")
    published = SPECIFICATION / environment / f"{name}.json"
    assert (response.status_code, response.content) == (200, published.read_bytes())


def test_health_is_public(environments: dict[str, Sandbox]) -> None:
    response = environments["production"].client.get("/health")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})
    assert "X-API-Version" not in response.headers


@cases(
    "body",
    [b"{", b'{"a": 1, "a": 2}', b'{"a": NaN}', b'{"a": "\\ud800"}', b'{"a": "\\u0000"}', b"\xff"],
)
def test_values_that_databases_and_parsers_treat_differently_are_refused(
    partner: Caller, body: bytes
) -> None:
    headers = {"X-API-Key": partner.key, "Content-Type": "application/json"}
    response = partner.sandbox.client.post("/api/autoramps", content=body, headers=headers)
    assert (response.status_code, type(response.json())) == (400, str)


def test_health_reports_a_missing_database(postgresql: Cluster) -> None:
    address = postgresql.database()
    with sandbox(address) as failing:
        assert failing.client.get("/health").status_code == 200
        postgresql.drop(address)
        response = failing.client.get("/health")
    assert response.status_code == 503
    assert response.json() == {"status": "the database does not answer"}
