"""Assemble definitions into modules, and render the other files of the distribution."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from dateline.filters import Code
from dateline.model import Artifact, Contract, Table
from dateline.models.order import Order
from dateline.python.code import (
    HEADER,
    call,
    import_names,
    lay_out,
    literal,
    value,
    words,
)
from dateline.python.docstrings import docstring
from dateline.python.names import CANONICAL, SERVER, SUPPORT, package_name
from dateline.templating import SUFFIX, environment, render_file

_OTHERS: Final = (
    *(f"{{package}}/{name}" for name in (f"{CANONICAL}/", "client/", "components", "events")),
    "{package}/{version}/client",
)
"""The server, the clients, and modules that belong to them, which are rendered separately."""

CLIENTS: Final = ("AsyncClient", "Client")
"""The exports of the package of a version, unless a model has the name."""

# The import that the head of an expression needs.
_TYPING: Final = ("Annotated", "Literal")


def render_module(
    module: str, order: Order, blocks: Mapping[str, str], homes: Mapping[str, str]
) -> bytes:
    """Return the source of *module*, which has the definitions of *order*.

    *homes* maps each name that the module may use to the module that defines it. The module of
    servers has all names: they are written against it, and against nothing older.
    """
    imports = "\n".join(_list_imports(module, order, blocks, homes)).rstrip()
    summary = "Models that the same versions have, equal in all of them."
    if module == SERVER:
        summary = "The models that handlers are written against: all that any version shows."
    parts = [f'{HEADER}\n"""{summary}"""\n\n{imports}\n']
    previous = ""
    for each in order.definitions:
        # one blank line between aliases without a docstring, and between imports and anything but a
        # class, two around everything else
        kind = "line" if each.alias is not None and not each.description else "block"
        close = kind == previous == "line" or (each.alias is not None and not previous)
        parts.append(("\n" if close else "\n\n") + blocks[each.name] + "\n")
        previous = kind
    if order.incomplete:
        completed = call("t.complete", *order.incomplete)
        parts.append(f"\n\n# these refer to each other\n{lay_out(completed)}\n")
    if module == SERVER:
        names = "".join(f'    "{name}",\n' for name in sorted(homes))
        gap = "\n\n" if order.definitions else "\n"
        parts.append(gap + (f"__all__ = [\n{names}]\n" if names else "__all__: list[str] = []\n"))
    return "".join(parts).encode()


def _list_imports(
    module: str, order: Order, blocks: Mapping[str, str], homes: Mapping[str, str]
) -> list[str]:
    definitions = order.definitions
    used = {word for each in definitions for node in each.nodes for word in words(node)}
    used |= {base for each in definitions for base in each.bases}
    recursive = [each for each in definitions if each.alias is not None and order.ahead[each.name]]
    # annotations that are evaluated at once cost a third less than those that are kept as text
    is_put_off = any(each.is_model and each.name in each.references for each in definitions)
    lines = ["from __future__ import annotations", ""] if is_put_off or order.incomplete else []
    standard = []
    if any(each.members for each in definitions):
        standard.append("from enum import StrEnum")
    typing: list[str] = [name for name in _TYPING if name in used]
    if recursive or any(each.extras is not None for each in definitions):
        typing.insert(0, "TYPE_CHECKING")
    if any(each.alias is not None for each in definitions):
        typing.append("TypeAlias")
    if any("Union[" in blocks[each.name] for each in recursive):
        typing.append("Union")
    if typing:
        standard.append(f"from typing import {', '.join(typing)}")
    if standard:
        lines += [*standard, ""]
    if recursive:
        lines += ["from typing_extensions import TypeAliasType", ""]
    elsewhere: dict[str, list[str]] = {}
    used_names = {name for each in definitions for name in each.references}
    for name in sorted(homes if module == SERVER else used_names):
        if homes[name] != module:
            elsewhere.setdefault(homes[name], []).append(name)
    if order.incomplete or any(word.startswith(f"{SUPPORT}.") for word in used):
        lines.append(f"from .. import types as {SUPPORT}")
    lines += [import_names(f"..{home}", names) for home, names in elsewhere.items()]
    return lines


def render_files(
    contracts: Sequence[Contract],
    table: Table,
    homes: Mapping[str, Mapping[str, str]],
    templates: Sequence[Path],
    *,
    called: Container[str],
) -> list[Artifact]:
    """Return the files of the distribution from *templates*, the first folder first.

    Versions that are *called* have clients. `{package}` and `{version}` in a path fan out; files
    that do not end in `.jinja` are copied.
    """
    jinja = environment(list(templates))
    artifacts: list[Artifact] = []
    for name in jinja.list_templates():
        if "__pycache__" in name or name.startswith(_OTHERS):
            continue
        for contract in contracts if "{version}" in name else contracts[:1]:
            target = name.replace("{package}", table.package)
            target = "python/" + target.replace("{version}", package_name(contract.version))
            content = render_file(
                jinja,
                name,
                header=HEADER,
                table=table,
                **_package_view(table, homes),
                **_version_view(table, contract.version, homes[contract.version]),
                **_client_view(homes[contract.version], has_clients=contract.version in called),
            )
            artifacts.append(Artifact(path=target.removesuffix(SUFFIX), content=content))
    return artifacts


def _package_view(table: Table, homes: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Return the data about the whole distribution for templates."""
    is_taken = any(name in homes[table.latest] for name in CLIENTS)
    dates = tuple(version.date for version in table.supported)
    quoted = json.dumps(table.header) if table.header else ""
    return {
        "release": _release(table.latest),
        "choice": Code(table.choice.removesuffix(table.header) + quoted),
        "serves": CANONICAL in homes,
        "versions": lay_out(value(dates), 0, len("VERSIONS: Final = ")),
        "default": Code(literal(table.default)),
        "latest": Code(literal(table.latest)),
        "oldest_package": Code(package_name(table.supported[0].date)),
        "latest_package": Code(package_name(table.latest)),
        "clients_package": Code(package_name(table.latest) + (".client" if is_taken else "")),
    }


def _version_view(table: Table, version: str, homes: Mapping[str, str]) -> dict[str, Any]:
    """Return the data about one version for templates."""
    title = table.version(version).title
    by_home: dict[str, list[str]] = {}
    for name in sorted(homes):
        by_home.setdefault(homes[name], []).append(name)
    imports = [import_names(f"..{home}", names) for home, names in sorted(by_home.items())]
    return {
        "docstring": docstring([f"Version {version}: {title}"], 0),
        "api_version": Code(literal(version)),
        "imports": imports,
        "exports": [Code(literal(each)) for each in ("API_VERSION", *sorted(homes))],
    }


def _client_view(homes: Mapping[str, str], *, has_clients: bool) -> dict[str, Any]:
    """Return the data about the clients of one version for templates."""
    names = [name for name in CLIENTS if has_clients and name not in homes]
    return {
        "clients": list(map(Code, names)),
        "clients_literal": lay_out(value(tuple(names))),
    }


def _release(date: str) -> str:
    """Return the name of a version as a version of PEP 440: 2026.7.1, 2024.9.30+acacia."""
    numbers: list[str] = []
    words: list[str] = []
    for part in re.split("[.-]", date):
        (numbers if part.isdigit() and not words else words).append(part)
    release = ".".join(str(int(number)) for number in numbers)
    return "+".join(filter(None, (release, ".".join(words))))
