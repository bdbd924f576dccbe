"""Mocks of the versions of an API, and requests to them."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx

from dateline.generate import Workspace
from dateline.load import load
from dateline.model import Combination
from dateline.openapi import METHODS, chain
from dateline.project import Projector
from dateline.sample import Sampler
from dateline.serve.mock import Mock
from dateline.serve.package import package
from dateline.server.operations import prefix
from support.narrowed import Body, Places

Json = Any


class Asked(NamedTuple):
    """A request to a mock: what it is for, and all that it is made of."""

    operation: Json
    method: str
    url: str
    headers: dict[str, str]
    body: Json


def requests(document: dict[str, Any], version: str, header: str, secret: str) -> Iterator[Asked]:
    """Yield a request that *document* allows for each of its operations, with all parameters."""
    sampler = Sampler(document)
    for template, item in document["paths"].items():
        for method in METHODS:
            node = item.get(method)
            if node is None or template.startswith("/spec"):
                continue
            path, headers = template, {header: version, secret: "any"}
            query: dict[str, Any] = {}
            for each in (*item.get("parameters", ()), *node.get("parameters", ())):
                parameter = chain(document, each)[-1]
                name = parameter["name"]
                if name.lower() in (header.lower(), "idempotency-key"):
                    continue
                value = sampler.value(parameter["schema"], name)
                if parameter["in"] == "path":
                    path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
                elif parameter["in"] == "query":
                    query[name] = value
                else:
                    headers[name] = str(value)
            body = None
            if "requestBody" in node:
                media_type, content = next(
                    iter(chain(document, node["requestBody"])[-1]["content"].items())
                )
                body = sampler.value(content["schema"], f"{method} {template}")
                headers["content-type"] = media_type
            yield Asked(node, method, f"{path}?{httpx.QueryParams(query)}", headers, body)


def send_all(app: Any, asked: list[Asked], prefix: str = "/api") -> list[httpx.Response]:
    """Return what *app* answers below *prefix*, in order."""

    async def answered() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(
            transport=transport, base_url=f"http://mock{prefix}"
        ) as client:
            return [
                await client.request(
                    each.method,
                    each.url,
                    headers=each.headers,
                    content=None if each.body is None else json.dumps(each.body),
                )
                for each in asked
            ]

    return asyncio.run(answered())


def list_misfits(schemas: Path, seed: int = 0) -> list[tuple[Any, ...]]:
    """Return the answers of mocks of *schemas* that the document of their version forbids."""
    api = load(schemas)
    found: list[tuple[Any, ...]] = []
    with package(Workspace(schemas=schemas, output=schemas.parent / "generated"), api) as server:
        for environment in api.table.environments:
            mock = Mock(api, server, environment.name, seed)
            for version in api.table.supported:
                at = Combination(version.date, environment.name)
                document = Projector(api).contract(*at).document
                asked = [*requests(document, version.date, api.table.header, "X-API-Key")]
                places = Places(document)
                answered = send_all(mock.app, asked, prefix(environment))
                for each, answer in zip(asked, answered, strict=True):
                    if wrong := misfit(places, each, answer):
                        found.append((*at, each.method, each.url, wrong))
    return found


def misfit(places: Places, asked: Asked, answer: httpx.Response) -> str | None:
    """Return what is wrong with an answer, None where nothing is."""
    responses = asked.operation["responses"]
    success = min((status for status in responses if status[0] in "23"), default="204")
    if str(answer.status_code) != success:
        return f"{answer.status_code} in place of {success}: {answer.text}"
    media_type = answer.headers.get("content-type", "")
    path = places.found(Body(asked.operation["operationId"], success, media_type, ()))
    if path is None:
        return answer.text or None
    return places.defect(path, answer.json())


@contextmanager
def serving(root: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run `dateline serve` in *root* on a free port."""
    code = "from dateline.entry import main; main()"
    command = [sys.executable, "-W", "error", "-c", code, "serve", "--port", "0", *arguments]
    with subprocess.Popen(
        command,
        cwd=root,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()
