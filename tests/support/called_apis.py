"""Call every operation of an API with sample values, and list what is wrong with the results."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import typing
from collections.abc import Iterator
from typing import Any

import httpx
from pydantic import TypeAdapter

from dateline.addresses import read_path
from dateline.model import Api
from dateline.project import Projector
from dateline.python.called import Called
from dateline.python.names import package_name
from dateline.python.operations import read_operations
from dateline.sample import Sampler, UnsatisfiedError
from dateline.schema.access import READ_ONLY, Hidden, OneWay
from dateline.serve.mock import Mock


def read_called(api: Api, version: str, environment: str) -> list[Called]:
    """Return the operations of *environment* at *version*, except those that serve documents."""
    document = Projector(api).contract(version, environment).document
    found = read_operations(api.table, document, {environment: document})
    return [each for each in found if not each.path.startswith("/spec")]


def make_arguments(method: Any, operation: Called, sampler: Sampler) -> dict[str, Any]:
    """Return a value of the right type for each argument of *method*."""
    hints = typing.get_type_hints(method, include_extras=True)
    made: dict[str, Any] = {}
    for argument in operation.arguments:
        value = sampler.value(argument.inline.schema, argument.keyword)
        if argument.place == "path" and isinstance(value, str):
            # a segment of a path can't be empty
            value = value.strip("./") or "a"
        text = json.dumps(value)
        made[argument.keyword] = TypeAdapter(hints[argument.keyword]).validate_json(text)
    if operation.body is not None:
        made["body"] = b"bytes"
        if operation.body.inline is not None:
            value = sampler.value(operation.body.inline.schema, "body")
            made["body"] = TypeAdapter(hints["body"]).validate_json(json.dumps(value))
    return made


def list_misfits(api: Api, server: Any, seed: int = 0) -> Iterator[str]:
    """Call all operations of all versions on mocks of *api*, and yield what is wrong."""
    root = server.__name__.rpartition(".")[0]
    errors = importlib.import_module(f"{root}.client")
    for environment in api.table.environments:
        mock = Mock(api, server, environment.name, seed)
        for version in api.table.supported:
            found = importlib.import_module(f"{root}.{package_name(version.date)}.client")
            document = Projector(api).contract(version.date, environment.name).document
            document = OneWay(document, READ_ONLY, Hidden.ABSENT).document(document)
            sampler = Sampler(document, seed)
            keywords = inspect.signature(found.AsyncClient).parameters
            settings: dict[str, Any] = {
                name: ("name", "word") if "Login" in str(each.annotation) else "any"
                for name, each in keywords.items()
                if str(each.annotation) in ("Secret | None", "Login | None")
            }
            operations = read_called(api, version.date, environment.name)
            path = read_path(document.get("servers"))
            client = found.AsyncClient(
                **settings,
                base_url=f"http://mock{path}",
                transport=httpx.ASGITransport(mock.app),
                max_retries=0,
            )
            for each in asyncio.run(_call_all(client, operations, sampler, errors)):
                yield f"{version.date} {environment.name} {each}"


async def _call_all(
    client: Any, operations: list[Called], sampler: Sampler, errors: Any
) -> list[str]:
    wrong: list[str] = []
    async with client:
        for operation in operations:
            method = getattr(client, operation.method_name)
            try:
                arguments = make_arguments(method, operation, sampler)
            except UnsatisfiedError:
                # no value satisfies the schemas
                continue
            try:
                await method(**arguments)
            except (errors.ClientError, ValueError) as error:
                wrong.append(f"{operation.method_name}: {error!r}")
    return wrong
