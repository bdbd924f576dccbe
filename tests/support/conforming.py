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


class Owed(NamedTuple):
    """Failures that what the definitions say brings about, and `why`; no others are let pass.

    They are those of *checks* where the answer has *status* and *said* in its text, to an
    operation and URL that *asked* matches: `PUT /customers/{id} http://...`.
    """

    why: str
    checks: frozenset[str]
    status: int
    said: str = ""
    asked: str = ""


_STATUS: Final = frozenset({"UndefinedStatusCode"})
_ACCEPTED: Final = frozenset({"RejectedPositiveData"})

OWED: Final = (
    Owed(
        "the specification lists no success of this operation",
        _STATUS,
        204,
        asked=r"POST /addresses/fiat/\{id\}/retry-auth ",
    ),
    Owed(
        "the specification declares a body of 204, and in HTTP it has none",
        frozenset({"MissingContentType", "MalformedJson"}),
        204,
        asked=r"PUT /customers/\{id\} ",
    ),
    Owed(
        "no document can say that a key is for one request",
        _ACCEPTED,
        422,
        said="this idempotency key was used for another request",
    ),
    Owed("NUL is refused in every text, whatever its schema", _ACCEPTED, 400, said="contains NUL"),
    Owed(
        "a query has no empty list: `status=` is one empty text",
        _ACCEPTED,
        400,
        said='the parameter \\"status\\" at /0 has to be one of',
        asked=r"GET /autoramp-transactions .*[?&]status=(&|$)",
    ),
)


@dataclass
class Found:
    """What a run did: how many requests and checks, what failed, and what was owed how often."""

    requests: int = 0
    checks: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    owed: Counter[str] = field(default_factory=Counter)

    def add(self, other: Found) -> None:
        self.requests += other.requests
        self.checks += other.checks
        self.failures += other.failures
        self.owed += other.owed

    def read(self, event: events.EngineEvent) -> None:
        """Take in what *event* tells; a run that ended early is a failure."""
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


class Locked:
    """An application that knows one key: requests with another one come without."""

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


def mocked(environment: str) -> App:
    """Return the payment API of *environment*, as generated, with sampled answers, for `KEY`."""
    return Locked(Mock(load(SCHEMAS), payments_server(), environment, 0).app)


def conforming(
    app: App | int, version: str, phases: Collection[str], examples: int, only: str = ""
) -> Found:
    """Return what schemathesis finds in *app* by the document of *version* that it serves.

    A number is that of a port on which an application is served.

    There are as many requests to an operation as *examples*, for each of the *phases* that make
    them at random; *only* is a pattern of paths.
    """
    found = Found()
    # the documents stand beside the prefix; schemathesis knows no `servers` of a path
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
        schema.hook(_letting_pass(found.owed))
        if schema.statistic.operations.selected:
            for event in engine.from_schema(schema).execute():
                found.read(event)
    return found


def _letting_pass(owed: Counter[str]) -> Any:
    def filter_failure(_: HookContext, failure: Failure, case: Any, response: Response) -> bool:
        """Tell whether *failure* is kept."""
        asked = f"{case.operation.label} {response.request.url}"
        for each in OWED:
            if (
                type(failure).__name__ in each.checks
                and response.status_code == each.status
                and each.said.encode() in response.content
                and re.match(each.asked, asked)
            ):
                owed[each.why] += 1
                return False
        return True

    return filter_failure
