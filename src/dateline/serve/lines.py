"""The lines that `dateline serve` prints: address, versions, example requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from shlex import quote as quoted
from typing import Final
from urllib.parse import quote

from dateline.model import Environment, Table
from dateline.openapi import QUERYSTRING
from dateline.project import Projector
from dateline.sample import UnsatisfiedError
from dateline.serve.mock import Mock
from dateline.server.mounting import read_prefixes, read_usual_prefixes
from dateline.server.operations import Operation

_SECRET: Final = "any"


def format_lines(mock: Mock, environment: Environment, address: str) -> Iterator[str]:
    """Yield the lines about *mock* before it runs at *address*: the last ones are commands."""
    table = mock.api.table
    usual = read_usual_prefixes(mock.api)[environment.name]
    marks = {table.default: "default", table.latest: "latest"}
    if table.default == table.latest:
        marks = {table.default: "default and latest"}
    versions = ", ".join(
        f"{each.date} ({marks[each.date]})" if each.date in marks else each.date
        for each in table.supported
    )
    yield f"{table.package}, {environment.name}: {address}{usual[table.latest]}"
    yield f"versions, by the {table.choice}: {versions}"
    yield f"answers are made up (seed {mock.seed}); any credentials will do"
    yield "Ctrl-C ends it. Try:"
    for line in _tries(mock, usual, address):
        yield f"  {line}"


def _tries(mock: Mock, usual: Mapping[str, str], address: str) -> list[str]:
    """Return three commands: one thing in two versions if there is one, and its documents."""
    table = mock.api.table
    listed = (
        [
            _name_version(request, address + path, table, version)
            for version, path in paths.items()
            if (request := _request(mock, operation, address + path)) is not None
        ]
        for operation, paths in _list_common(mock, usual)
    )
    tries = next((each for each in listed if each), [])
    tries += [f"curl {address}/spec{name}" for name in (f"/{table.latest}", "/versions", "")]
    return tries[:3]


def _name_version(command: str, base: str, table: Table, version: str) -> str:
    """Return *command*, a request to an address below *base*, for *version*."""
    if table.place_of_version == "path":
        return command.replace(base, f"{base}/{version}", 1)
    if table.place_of_version == "query":
        return f"{command} -G -d {quoted(f'{table.header}={version}')}"
    header = f"{table.header}: {version}"
    if table.place_of_version == "media-type":
        header = f"Accept: application/json; {table.header}={version}"
    return f"{command} -H {quoted(header)}"


def _list_common(
    mock: Mock, usual: Mapping[str, str]
) -> Iterator[tuple[Operation, dict[str, str]]]:
    """Yield the operations that read something in the oldest and in the newest version.

    Those that read a single thing come first. With each comes the path of its servers in these
    versions, that of *usual* unless it has servers of its own.
    """
    table, projector = mock.api.table, Projector(mock.api)
    prefixes = {
        version: read_prefixes(projector.contract(version, mock.environment).document)
        for version in (table.supported[0].date, table.latest)
    }
    known = [
        each
        for each in mock.operations
        if each.method == "GET"
        and any(content is not None for content in islice(each.successes.values(), 1))
    ]
    for operation in sorted(known, key=lambda each: not each.path.endswith("}")):
        key = operation.path, "get"
        if all(key in found for found in prefixes.values()):
            own = {version: found[key] for version, found in prefixes.items()}
            paths = {each: usual[each] if path is None else path for each, path in own.items()}
            yield operation, paths


def _request(mock: Mock, operation: Operation, address: str) -> str | None:
    """Return the command that calls *operation*; None if a parameter can't be written."""
    path = operation.address
    pairs: dict[str, list[str]] = {"query": [], "header": [], "cookie": []}
    for each in operation.parameters:
        if not each.required:
            continue
        if each.place == QUERYSTRING:
            return None
        try:
            written = mock.write_parameter(operation, each)
        except UnsatisfiedError:
            return None
        if each.place == "path":
            path = path.replace(f"{{{each.name}}}", written[0][1])
        else:
            pairs[each.place] += map((": " if each.place == "header" else "=").join, written)
    for name in next(iter(operation.security), ()):
        scheme = mock.server.routes.SCHEMES[name]
        sign = ": " if scheme.place == "header" else "="
        called = quote(scheme.name) if scheme.place == "query" else scheme.name
        pairs[scheme.place].append(f"{called}{sign}{scheme.prefix}{_SECRET}")
    headers = pairs["header"]
    if pairs["cookie"]:
        headers.append(f"Cookie: {'; '.join(pairs['cookie'])}")
    query = pairs["query"]
    # the path of an operation may have a query
    mark = "&" if "?" in path else "?"
    url = mark.join([address + path, *(["&".join(query)] if query else [])])
    return " ".join(["curl", quoted(url), *(f"-H {quoted(header)}" for header in headers)])
