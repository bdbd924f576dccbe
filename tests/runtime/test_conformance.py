"""Run schemathesis with all checks against every version of the payment API at each door."""

from __future__ import annotations

import pytest
from support.conforming import create_mock, run_schemathesis
from support.doors import DOORS, open_door
from support.payments import ENVIRONMENTS, NEWEST, OLDEST, VERSIONS, server
from support.seeds import IN_CI

from dateline_runtime.asgi import App, Receive, Scope, Send

CHECKS = {
    *("not_a_server_error", "status_code_conformance", "content_type_conformance"),
    *("response_headers_conformance", "response_schema_conformance", "negative_data_rejection"),
    *("positive_data_acceptance", "missing_required_header", "unsupported_method"),
    *("allow_header_conformance", "use_after_free", "ensure_resource_availability"),
    *("ignored_auth", "object_level_authorization"),
}


@pytest.mark.parametrize(
    ("version", "environment"), [*zip(VERSIONS[1:], ENVIRONMENTS, strict=True)]
)
def test_every_version_conforms_to_its_document(version: str, environment: str) -> None:
    found = run_schemathesis(create_mock(environment), version, ["fuzzing"], 1)
    assert (found.failures, set(found.checks)) == ([], CHECKS)


@IN_CI
def test_every_documented_case_is_answered_as_documented() -> None:
    found = run_schemathesis(create_mock("sandbox"), OLDEST, ["coverage"], 1)
    assert (found.failures, set(found.checks)) == ([], CHECKS)
    assert found.requests > 400


@pytest.mark.parametrize("door", DOORS)
def test_other_doors_conform_to_the_documents_as_well(door: str) -> None:
    with open_door(door, server(), create_mock("sandbox"), "sandbox") as opened:
        found = run_schemathesis(opened, OLDEST, ["fuzzing"], 1)
    assert (found.failures, set(found.checks)) == ([], CHECKS)


class Mistaken:
    """Shows callers of the oldest version the newest values."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            kept = [pair for pair in scope["headers"] if pair[0] != b"x-api-version"]
            scope = {**scope, "headers": [*kept, (b"x-api-version", NEWEST.encode())]}
        await self._app(scope, receive, send)


def test_server_that_shows_newer_members_is_detected() -> None:
    app = Mistaken(create_mock("production"))
    found = run_schemathesis(app, OLDEST, ["fuzzing"], 5, only="^/autoramps$")
    assert any("FedNow" in failure for failure in found.failures)
