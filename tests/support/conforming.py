"""Run schemathesis against a mock of the payment API at one version."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import schemathesis
from schemathesis import engine
from schemathesis.config import SchemathesisConfig
from schemathesis.core.failures import Failure
from schemathesis.core.transport import Response
from schemathesis.engine import Status, events
from schemathesis.hooks import HookContext

from dateline.load import load
from dateline.serve.mock import Mock
from dateline_runtime.asgi import App, Receive, Scope, Send
from support.mocks import payments_server

SCHEMAS: Final = Path(__file__).parents[2] / "schemas"

PHASES: Final = ("examples", "coverage", "fuzzing", "stateful")
KEY: Final = "a-key"
_SEED: Final = 1


class ExpectedFailure(NamedTuple):
    """An expected failure: the definitions cause it, for the reason `why`.

    It covers failures of *checks* where the answer has *status* and contains *said*, and *asked*
    matches the operation and URL: `PUT /customers/{id} http://...`.
    """

    why: str
    checks: frozenset[str]
    status: int
    said: str = ""
    asked: str = ""


_STATUS: Final = frozenset({"UndefinedStatusCode"})
_ACCEPTED: Final = frozenset({"RejectedPositiveData"})

EXPECTED: Final = (
    ExpectedFailure(
        "the specification lists no success of this operation",
        _STATUS,
        204,
        asked=r"POST /addresses/fiat/\{id\}/retry-auth ",
    ),
    ExpectedFailure(
        "the specification declares a body of 204, and in HTTP it has none",
        frozenset({"MissingContentType", "MalformedJson"}),
        204,
        asked=r"PUT /customers/\{id\} ",
    ),
    ExpectedFailure(
        "no document can say that a key is for one request",
        _ACCEPTED,
        422,
        said="this idempotency key was used for another request",
    ),
    ExpectedFailure(
        "NUL is refused in every text, whatever its schema", _ACCEPTED, 400, said="contains NUL"
    ),
    ExpectedFailure(
        "a query has no empty list: `status=` is one empty text",
        _ACCEPTED,
        400,
        said='the parameter \\"status\\" at /0 has to be one of',
        asked=r"GET /autoramp-transactions .*[?&]status=(&|$)",
    ),
)


@dataclass
class Found:
    """The result of a run: counts of requests and checks, failures, expected ones by reason."""

    requests: int = 0
    checks: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    expected: Counter[str] = field(default_factory=Counter)

    def add(self, other: Found) -> None:
        self.requests += other.requests
        self.checks += other.checks
        self.failures += other.failures
        self.expected += other.expected

    def read(self, event: events.EngineEvent) -> None:
        """Record *event*; a run that ended early counts as a failure."""
        if isinstance(event, events.ScenarioFinished):
            self.requests += len(event.recorder.interactions)
            for case, checks in event.recorder.checks.items():
                for check in checks:
                    self.checks[check.name] += 1
                    if check.status is not Status.SUCCESS:
                        asked = event.recorder.interactions[case]
                        info = check.failure_info
                        self.failures.append(
                            f"{asked.request.method} {asked.request.uri}: {check.name}: "
                            f"{info.failure.message if info else 'the check itself failed'}: "
                            f"{asked.response.content[:200] if asked.response else b''!r}"
                        )
        elif isinstance(event, events.NonFatalError):
            self.failures.append(str(event.value))
        elif isinstance(event, events.FatalError):
            self.failures.append(repr(event.exception))


class KeyedApplication:
    """An application with one valid key: it removes any other key from requests."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            kept = [
                (name, value)
                for name, value in scope["headers"]
                if name != b"x-api-key" or value == KEY.encode()
            ]
            scope = {**scope, "headers": kept}
        await self._app(scope, receive, send)


def create_mock(environment: str) -> App:
    """Return a mock of the payment API of *environment* with sampled answers for `KEY`."""
    return KeyedApplication(Mock(load(SCHEMAS), payments_server(), environment, 0).app)


def run_schemathesis(
    app: App | int, version: str, phases: Collection[str], examples: int, only: str = ""
) -> Found:
    """Run schemathesis against *app*, with the document of *version* that *app* serves.

    A number is the port of an application.

    Each of the *phases* with random requests makes *examples* requests to an operation; *only* is a
    pattern of paths.
    """
    found = Found()
    # documents are served outside the prefix; schemathesis ignores the `servers` of a path
    host = f"http://127.0.0.1:{app}" if isinstance(app, int) else "http://testserver"
    for base, chosen in (("/api", {"exclude": "^/spec"}), ("", {"include": "^/spec"})):
        config = SchemathesisConfig.from_dict(
            {
                "seed": _SEED,
                "base-url": f"{host}{base}",
                "headers": {"X-API-Key": KEY, "X-API-Version": version},
                "generation": {
                    "deterministic": True,
                    "database": "none",
                    "max-examples": examples,
                },
                "continue-on-failure": True,
                "phases": {each: {"enabled": each in phases} for each in PHASES},
            }
        )
        schema: Any
        if isinstance(app, int):
            schema = schemathesis.openapi.from_url(f"{host}/spec/{version}", config=config)
        else:
            schema = schemathesis.openapi.from_asgi(f"/spec/{version}", app, config=config)
        for way, paths in chosen.items():
            schema = getattr(schema, way)(path_regex=paths)
        if only:
            schema = schema.include(path_regex=only)
        schema.hook(_drop_expected(found.expected))
        if schema.statistic.operations.selected:
            for event in engine.from_schema(schema).execute():
                found.read(event)
    return found


def _drop_expected(expected: Counter[str]) -> Any:
    def filter_failure(_: HookContext, failure: Failure, case: Any, response: Response) -> bool:
        """Return whether to keep *failure*."""
        asked = f"{case.operation.label} {response.request.url}"
        for each in EXPECTED:
            if (
                type(failure).__name__ in each.checks
                and response.status_code == each.status
                and each.said.encode() in response.content
                and re.match(each.asked, asked)
            ):
                expected[each.why] += 1
                return False
        return True

    return filter_failure
