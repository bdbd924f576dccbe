"""Mocks of the versions of an API, and requests to them."""

from __future__ import annotations

import json
import subprocess
from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import httpx

from dateline.addresses import read_path
from dateline.generate import Workspace
from dateline.load import load
from dateline.model import Api, Combination
from dateline.openapi import METHODS, chain, value_schema
from dateline.project import Projector
from dateline.sample import Sampler, UnsatisfiedError
from dateline.serve.mock import Mock
from dateline.serve.package import import_server, open_server
from dateline.server.mounting import read_prefixes
from support.exchanges import run
from support.launched import launch_folder
from support.narrowed import Body, Places

Json = Any


class MockRequest(NamedTuple):
    """A request to a mock, with the operation that it calls."""

    operation: Json
    method: str
    url: str
    headers: dict[str, str]
    body: Json
    template: str = ""
    prefix: str = "/api"


def requests(
    document: dict[str, Any],
    version: str,
    header: str,
    secret: str,
    methods: Collection[str] = METHODS,
) -> Iterator[MockRequest]:
    """Yield a valid request for each operation of *document*, with all parameters.

    Optional parameters without a possible value are omitted, and so are operations that can't be
    called, because a required parameter or the body has no possible value.
    """
    sampler = Sampler(document)
    prefixes, usual = read_prefixes(document), read_path(document.get("servers"))
    for template, referring in document.get("paths", {}).items():
        item = chain(document, referring)[-1]
        for method in methods:
            node = item.get(method)
            if node is None or template.startswith("/spec"):
                continue
            path, body = template, None
            placed: dict[str, list[tuple[str, str]]] = defaultdict(list)
            for place, *credential in list_credentials(document, node):
                placed[place].append((credential[0], credential[1]))
            headers = {header: version, secret: "any"}
            try:
                for (place, name), parameter in _list_parameters(document, item, node).items():
                    if name.lower() in (header.lower(), "idempotency-key", "authorization"):
                        continue
                    if name in dict(placed[place]):
                        continue
                    pairs = _sample_parameter(sampler, parameter)
                    if pairs and place == "path":
                        path = path.replace(f"{{{name}}}", quote(pairs[0][1], safe=""))
                    placed[place] += pairs
                if "requestBody" in node:
                    media_type, content = next(
                        iter(chain(document, node["requestBody"])[-1]["content"].items())
                    )
                    body = sampler.value(content.get("schema", {}), f"{method} {template}")
                    schemas = chain(document, content.get("schema"))
                    is_text = bool(schemas) and schemas[-1].get("type") == "string"
                    any_type = "text/plain" if is_text else "application/json"
                    headers["content-type"] = any_type if "*" in media_type else media_type
            except UnsatisfiedError:
                continue
            headers |= {
                name: text.encode("ascii", "replace").decode() for name, text in placed["header"]
            }
            if placed["cookie"]:
                headers["cookie"] = "; ".join(f"{key}={text}" for key, text in placed["cookie"])
            operation = {"operationId": f"{method.upper()} {template}", **node}
            url = f"{path}?{urlencode(placed['query'])}"
            own = prefixes[template, method]
            prefix = usual if own is None else own
            yield MockRequest(operation, method, url, headers, body, template, prefix)


def _list_parameters(
    document: dict[str, Any], *holders: dict[str, Any]
) -> dict[tuple[str, str], dict[str, Any]]:
    """Return parameters by place and name; those of later *holders* override earlier ones."""
    found = [
        chain(document, each)[-1] for holder in holders for each in holder.get("parameters", ())
    ]
    return {(each["in"], each["name"]): each for each in found}


def _sample_parameter(sampler: Sampler, parameter: dict[str, Any]) -> list[tuple[str, str]]:
    """Return names and texts for *parameter*; none if it is optional and has no possible value."""
    try:
        value = sampler.value(value_schema(parameter, {}), parameter["name"])
    except UnsatisfiedError:
        if parameter.get("required"):
            raise
        return []
    return list(write_parameter(parameter, value))


def list_credentials(
    document: dict[str, Any], operation: dict[str, Any]
) -> Iterator[tuple[str, str, str]]:
    """Yield place, name and text of credentials for the first alternative of *operation*."""
    schemes = document.get("components", {}).get("securitySchemes", {})
    alternatives = operation.get("security", document.get("security", []))
    for name in next(iter(alternatives), {}):
        scheme = schemes.get(name, {})
        if scheme.get("type") == "apiKey":
            yield scheme["in"], scheme["name"], "any"
        elif scheme.get("type") == "mutualTLS":
            yield "header", "Client-Cert", "any"
        else:
            kind = str(scheme.get("scheme", "bearer")).capitalize()
            yield "header", "Authorization", f"{kind} eDp4"


def write_parameter(parameter: dict[str, Any], value: Json) -> Iterator[tuple[str, str]]:
    """Yield the names and texts that encode *value* (OpenAPI 3.1.1, section 4.8.12.6)."""
    name = parameter["name"]
    style = parameter.get("style", "form" if parameter["in"] in ("query", "cookie") else "simple")
    explode = parameter.get("explode", style == "form")
    between = {"spaceDelimited": " ", "pipeDelimited": "|"}.get(style, ",")
    if "content" in parameter:
        yield name, json.dumps(value)
    elif value in (None, []):
        return  # undefined in RFC 6570, section 2.3
    elif style == "deepObject":
        yield from _write_deep(name, value)
    elif not isinstance(value, dict | list):
        yield name, _text(value)
    elif style != "simple" and explode:
        pairs = value.items() if isinstance(value, dict) else ((name, each) for each in value)
        yield from ((key, _text(each)) for key, each in pairs if not isinstance(each, dict | list))
    elif isinstance(value, list):
        yield name, between.join(map(_text, value))
    else:
        equals = "=" if explode else between
        yield name, between.join(f"{key}{equals}{_text(each)}" for key, each in value.items())


def _write_deep(name: str, value: Json) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict | list):
        for key, below in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _write_deep(f"{name}[{key}]", below)
    else:
        yield name, _text(value)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def send_all(app: Any, asked: list[MockRequest]) -> list[httpx.Response]:
    """Return the answers of *app*, in order."""

    async def answered() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport) as client:
            return [
                await client.request(
                    each.method,
                    # as a whole: a path that begins with // would be parsed as a host
                    f"http://mock{each.prefix}{each.url}",
                    headers=each.headers,
                    content=None if each.body is None else json.dumps(each.body),
                )
                for each in asked
            ]

    return run(answered())


def list_misfits(schemas: Path, seed: int = 0) -> list[tuple[Any, ...]]:
    """Return the answers of mocks of *schemas* that the document of their version forbids."""
    api = load(schemas)
    with open_server(
        Workspace(schemas=schemas, output=schemas.parent / "generated"), api
    ) as server:
        return list_misfits_of(api, server, seed)


def list_misfits_of(api: Api, server: Any, seed: int = 0) -> list[tuple[Any, ...]]:
    """Return the same for mocks of *api*, with its generated *server*."""
    found: list[tuple[Any, ...]] = []
    projector = Projector(api)
    for environment in api.table.environments:
        mock = Mock(api, server, environment.name, seed)
        for version in api.table.supported:
            at = Combination(version.date, environment.name)
            document = projector.contract(*at).document
            asked = [*requests(document, version.date, api.table.header, "X-API-Key")]
            places = Places(document)
            answered = send_all(mock.app, asked)
            for each, answer in zip(asked, answered, strict=True):
                if wrong := misfit(places, each, answer):
                    found.append((*at, each.method, each.url, wrong))
    return found


def misfit(places: Places, asked: MockRequest, answer: httpx.Response) -> str | None:
    """Return what is wrong with an answer, or None."""
    responses = asked.operation["responses"]
    success = min((status for status in responses if status[0] in "23"), default="204")
    if str(answer.status_code) != success:
        return f"{answer.status_code} in place of {success}: {answer.text}"
    media_type = answer.headers.get("content-type", "")
    path = places.found(Body(asked.operation["operationId"], success, media_type, ()))
    if path is None:
        return answer.text or None
    return places.defect(path, answer.json())


@cache
def payments_server() -> Any:
    """Return the generated server of the payment API in this repository."""
    return import_server(Path(__file__).parents[2] / "generated/python/paynet")


@contextmanager
def serving(root: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run `dateline serve` in *root* on a free port."""
    with subprocess.Popen(
        [launch_folder() / "dateline", "serve", "--port", "0", *arguments],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()
