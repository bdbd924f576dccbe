"""Read environments, their servers, and the variables of these."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dateline.load.table import valid
from dateline.load.table.reading import TableReading
from dateline.load.table.vocabulary import VARIABLE
from dateline.load.wording import did_you_mean
from dateline.model import Environment, Map


def read_environments(reading: TableReading, node: Map, adopted: bool) -> Iterator[Environment]:
    """Yield the environments; an *adopted* API may do without them, and without servers."""
    if adopted and "environments" not in node:
        yield Environment(name="production", servers=(), place=node.place())
        return
    named = reading.required(
        node, "environments", valid.environments, "name one, with the servers it has"
    )
    for name, below in (named or {}).items():
        if complaint := valid.environment_name(name):
            reading.note(named.place(name), *complaint)
        place = named.place(name, value=True)
        if reading.holds(below, Map, place, "write { servers: [{ url: https://... }] }"):
            reading.known_keys(below, "an environment")
            servers = tuple(_servers(reading, below, adopted))
            at = below.place("servers") if servers else named.place(name)
            yield Environment(name=name, servers=servers, place=at)


def _servers(reading: TableReading, node: Map, adopted: bool) -> Iterator[Map]:
    if adopted and "servers" not in node:
        return
    servers = reading.required(node, "servers", valid.rows, "list where it is served")
    for index, server in enumerate(servers or ()):
        if reading.holds(server, Map, servers.place(index), "write { url: https://... }"):
            _server(reading, server)
            yield server


def _server(reading: TableReading, server: Map) -> None:
    reading.known_keys(server, "a server")
    url = reading.required(server, "url", valid.server_url, "write `url: https://...`")
    reading.value(server, "description", valid.text, "")
    variables = reading.value(server, "variables", valid.mapping, {})
    for name, variable in variables.items():
        place = variables.place(name, value=True)
        if reading.holds(variable, Map, place, "write { default: ... }"):
            _variable(reading, variable)
    used = dict.fromkeys(re.findall(VARIABLE, url or ""))
    for name in [name for name in used if name not in variables]:
        reading.note(
            server.place("url", value=True),
            "server-variable-missing",
            f"{{{name}}} is not among the server's variables; "
            f"write `variables: {{ {name}: {{ default: ... }} }}`",
        )
    for name in [name for name in variables if url and name not in used]:
        reading.note(
            variables.place(name),
            "server-variable-unused",
            f"the address {url!r} has no {{{name}}}{did_you_mean(name, used)}",
        )


def _variable(reading: TableReading, variable: Map) -> None:
    reading.known_keys(variable, "a server variable")
    reading.value(variable, "description", valid.text, "")
    default = reading.required(variable, "default", valid.text, "say what is used without a choice")
    values = list(reading.items(variable, "enum", valid.text))
    if default is not None and values and default not in values:
        reading.note(
            variable.place("default", value=True),
            "server-variable-default",
            f"{default!r} is not in the variable's `enum`{did_you_mean(default, values)}",
        )
