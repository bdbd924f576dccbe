"""Read environments, their servers, and the variables of these."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dateline.load.table.contents import VARIABLE
from dateline.load.table.reading import Row, TableReading
from dateline.model import Environment
from dateline.wording import did_you_mean


def read_environments(reading: TableReading, table: Row) -> Iterator[Environment]:
    """Yield the environments; an adopted API needs neither environments nor servers."""
    adopted = table["lint"] == "adopted"
    if "environments" not in table.node:
        if not adopted:
            reading.require(table.node, "environments", "name one, with the servers it has")
        yield Environment(name="production", servers=(), place=table.node.place())
        return
    for name, row in (table["environments"] or {}).items():
        if row is None:
            continue
        if not adopted and "servers" not in row.node:
            reading.require(row.node, "servers", "list where it is served")
        servers = [server for server in row["servers"] or () if server is not None]
        for server in servers:
            _check_variables(reading, server)
        place = table.node["environments"].place(name)
        yield Environment(
            name=name,
            servers=tuple(server.node for server in servers),
            place=row.node.place("servers") if servers else place,
        )


def _check_variables(reading: TableReading, server: Row) -> None:
    """Report differences between the address of *server* and its variables, and bad defaults."""
    url, variables = server["url"], server["variables"]
    used = dict.fromkeys(re.findall(VARIABLE, url or ""))
    for name in [name for name in used if name not in variables]:
        reading.note(
            server.place("url"),
            "server-variable-missing",
            f"{{{name}}} is not among the server's variables; "
            f"write `variables: {{ {name}: {{ default: ... }} }}`",
        )
    for name, variable in variables.items():
        if url and name not in used:
            reading.note(
                server.node["variables"].place(name),
                "server-variable-unused",
                f"the address {url!r} has no {{{name}}}{did_you_mean(name, used)}",
            )
        default, values = (variable["default"], variable["enum"]) if variable else (None, [])
        if default is not None and any(values) and default not in values:
            known = [value for value in values if value is not None]
            reading.note(
                variable.place("default"),
                "server-variable-default",
                f"{default!r} is not in the variable's `enum`{did_you_mean(default, known)}",
            )
