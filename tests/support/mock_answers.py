"""Send every GET of every version to a mock, and list the faults in its answers."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx
from jsonschema_rs import Draft202012Validator

from dateline.addresses import read_path
from dateline.generate import Workspace
from dateline.load import load
from dateline.openapi import chain, value_schema
from dateline.project import Projector
from dateline.regex.supported import find_supported
from dateline.sample import Sampler
from dateline.schema.access import WRITE_ONLY, Hidden, OneWay
from dateline.schema.constraints import Constraints
from dateline.serve.mock import Mock
from dateline.serve.package import open_server
from dateline.server.mounting import read_prefixes
from support.exchanges import run
from support.mocks import write_parameter

Json = Any


class Get(NamedTuple):
    """A request, and the responses that its operation declares."""

    path: str
    query: list[tuple[str, str]]
    headers: dict[str, str]
    responses: dict[str, Json]


class Judged(NamedTuple):
    """The answer to a GET, and what is wrong with it."""

    version: str
    path: str
    status: int
    fault: str | None


def judge_gets(schemas: Path) -> tuple[Counter[int], list[str]]:
    """Return how often each status occurs, and a line for each wrong answer."""
    judged = list(judge_each_get(schemas))
    wrong = [f"{each.version} GET {each.path}: {each.fault}" for each in judged if each.fault]
    return Counter(each.status for each in judged), wrong


def judge_each_get(schemas: Path) -> Iterator[Judged]:
    """Yield the answer to each GET.

    An answer is right if it is a success that the document of its version declares, with a body
    that fits, or 501 with a reason.
    """
    api = load(schemas)
    with open_server(Workspace(schemas=schemas, output=schemas / "none"), api) as server:
        for environment in api.table.environments:
            app = Mock(api, server, environment.name, 0).app
            for version in api.table.supported:
                document = Projector(api).contract(version.date, environment.name).document
                requests = list(_list_gets(document, {api.table.header: version.date}))
                answers = run(_send(app, requests))
                bodies = _Bodies(document)
                for request, answer in zip(requests, answers, strict=True):
                    fault = bodies.judge(request, answer)
                    yield Judged(version.date, request.path, answer.status_code, fault)


async def _send(app: Any, requests: list[Get]) -> list[httpx.Response]:
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://mock") as client:
        return [
            await client.get(
                each.path, params=httpx.QueryParams(tuple(each.query)), headers=each.headers
            )
            for each in requests
        ]


def _list_gets(document: dict[str, Any], headers: dict[str, str]) -> Iterator[Get]:
    """Yield a request for each GET, with credentials and all required parameters."""
    sampler = Sampler(document)
    secrets = dict(_list_secrets(document))
    prefixes, usual = read_prefixes(document), read_path(document.get("servers"))
    for key, node in document["paths"].items():
        path, item = key, chain(document, node)[-1]
        if "get" not in item:
            continue
        query: list[tuple[str, str]] = []
        sent = {**headers, **secrets}
        for each in (*item.get("parameters", ()), *item["get"].get("parameters", ())):
            known = chain(document, each)
            if not known:
                continue
            parameter = known[-1]
            name = parameter["name"]
            if not parameter.get("required") or name.lower() in map(str.lower, headers):
                continue
            value = sampler.value(value_schema(parameter, {}), name)
            pairs = list(write_parameter(parameter, value))
            if parameter["in"] == "query":
                query += pairs
            elif parameter["in"] == "path":
                path = path.replace(f"{{{name}}}", quote(pairs[0][1], safe=""))
            elif pairs:
                sent[name] = pairs[0][1]
        own = prefixes[key, "get"]
        path = (usual if own is None else own) + path
        yield Get(re.sub(r"[{}]", "", path), query, sent, item["get"].get("responses", {}))


def _list_secrets(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for scheme in document.get("components", {}).get("securitySchemes", {}).values():
        if scheme.get("type") == "apiKey" and scheme["in"] == "header":
            yield scheme["name"], "key"
        elif scheme.get("type") != "apiKey":
            yield "Authorization", f"{scheme.get('scheme', 'Bearer')} key"


class _Bodies:
    """Validates answers of one version against its document."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self._constraints = Constraints(document, find_supported)
        self._direction = OneWay(document, WRITE_ONLY, Hidden.ANY)
        schemas = document.get("components", {}).get("schemas", {})
        self._schemas = {name: self._read(schema) for name, schema in schemas.items()}

    def _read(self, schema: Json) -> Json:
        return json.loads(json.dumps(self._constraints.of(self._direction.of(schema))))

    def judge(self, request: Get, answer: httpx.Response) -> str | None:
        """Return what is wrong with *answer*, or None."""
        status = str(answer.status_code)
        if status == "501":
            return None if answer.text else "501 without a reason"
        keys = [each for each in (status, f"{status[0]}XX", "default") if each in request.responses]
        if not keys or status[0] not in "23":
            return f"{status}: {answer.text[:200]}"
        content = chain(self._document, request.responses[keys[0]])[-1].get("content", {})
        media_type = answer.headers.get("content-type", "").partition(";")[0]
        held = [
            each for name, each in content.items() if name.partition(";")[0].strip() == media_type
        ]
        if not held:
            return f"{status} with {media_type}, which is not declared" if answer.content else None
        if "json" not in media_type:
            return None
        schema = {
            "allOf": [self._read(held[0].get("schema", {}))],
            "components": {"schemas": self._schemas},
        }
        error = next(Draft202012Validator(schema).iter_errors(answer.json()), None)
        return None if error is None else str(error)[:300]
