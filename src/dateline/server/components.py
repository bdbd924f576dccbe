"""Lay out the modules for values of components, and for events, outside of any request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from dateline.canonical.contract_data import ContractData
from dateline.filters import Code
from dateline.model import Api, Artifact
from dateline.python.code import HEADER, Node, Text, lay_out, literal, subscript, value
from dateline.python.names import package_name
from dateline.server.converted import MODULE
from dateline.server.converters import Converter, name_methods
from dateline.server.protocols import Protocols
from dateline.server.types import Types
from dateline.source.text import compact_json
from dateline.templating import SUFFIX, environment, render_file

_FOLDER: Final = "python/{package}"


class ComponentModules:
    """The modules `components` and `events` of the package, and their data.

    *contracts* are the contract data of the components; *classes* are the names of their classes,
    *homes*, for each version, the module that defines each. *converters* are all converters that
    values of components need.
    """

    def __init__(
        self,
        api: Api,
        contracts: ContractData,
        converters: Sequence[Converter],
        types: Types,
    ) -> None:
        self._api = api
        self._contracts = contracts
        self._converters = converters
        self._types = types
        self._environments = api.table.environment_names
        self._supported = [each.date for each in api.table.supported]

    def artifacts(
        self,
        described: Mapping[str, Any],
        classes: Mapping[str, str],
        homes: Mapping[str, Mapping[str, str]],
        templates: Sequence[Path],
    ) -> Iterator[Artifact]:
        """Yield the modules and their data, of which the messages are already *described*."""
        package = f"python/{self._api.table.package}"
        data = {**self._contracts.data, **described}
        content = compact_json(data) + b"\n"
        yield Artifact(path=f"{package}/components.json", content=content)
        views = {"components": self._components()}
        if data["events"]:
            views["events"] = self._events(data["events"], classes, homes)
        jinja = environment(list(templates))
        for name, view in views.items():
            template = f"{_FOLDER}/{name}.py{SUFFIX}"
            content = render_file(jinja, template, table=self._api.table, header=HEADER, **view)
            yield Artifact(path=f"{package}/{name}.py", content=content)

    def _components(self) -> dict[str, Any]:
        return {
            "components": lay_out(_literals(self._contracts.data["components"]), 0, 24),
            "supported": lay_out(_literals(self._supported), 0, 22),
            "environments": lay_out(_literals(self._environments), 0, 26),
            "environment": Code(literal(self._environments[0])),
            "methods": lay_out(value(name_methods(self._converters)), 0, 31),
        }

    def _events(
        self,
        events: Mapping[str, Any],
        classes: Mapping[str, str],
        homes: Mapping[str, Mapping[str, str]],
    ) -> dict[str, Any]:
        protocols = Protocols(self._types, self._environments, "")
        needed = {name for event in events.values() for name in event["converters"]}
        converters = [
            protocols.converter(each)
            for each in self._converters
            if each.way == "down" and each.name in needed
        ]
        sent = [
            {
                "name": lay_out(_literals([name]), 4, 10),
                "type": Code(f"models.{classes[event['component']]}"),
            }
            for name, event in events.items()
        ]
        received = list(self._list_received(events, classes, homes))
        packages = {version: package_name(version) for version in self._supported}
        used = sorted({each["package"] for each in received})
        payloads = {each["component"]: classes[each["component"]] for each in events.values()}
        versions = {
            name: {where: tuple(dates) for where, dates in event["versions"].items()}
            for name, event in events.items()
        }
        return {
            "names": lay_out(_literals([*events]), 0, 19),
            "versions": lay_out(value(versions), 0, 73),
            "payloads": lay_out(value(payloads), 0, 40),
            "packages": lay_out(value(packages), 0, 40),
            "environment": Code(literal(self._environments[0])),
            "converters": converters,
            "sent": sent,
            "received": received,
            "typing": Code(
                ", ".join(
                    [
                        *("TYPE_CHECKING", "Any", "Final", "Literal"),
                        *(["Protocol"] if converters else []),
                        "TypeAlias",
                        *(["overload"] if len(sent) > 1 or len(received) > 1 else []),
                    ]
                )
            ),
            "imports": [
                *([Code(f"from . import {', '.join(used)}")] if used else []),
                *([Code("from . import types as t")] if "t" in protocols.used else []),
                Code(f"from .server import {MODULE}, models")
                if MODULE in protocols.used
                else Code("from .server import models"),
                *([Code("from .server.nouns import Convert")] if converters else []),
            ],
        }

    def _list_received(
        self,
        events: Mapping[str, Any],
        classes: Mapping[str, str],
        homes: Mapping[str, Mapping[str, str]],
    ) -> Iterator[dict[str, Any]]:
        """Yield the type of each event, once for all versions that read it alike."""
        for name, event in events.items():
            component = event["component"]
            shown = {version for versions in event["versions"].values() for version in versions}
            by_home: dict[str, list[str]] = {}
            for version in self._supported:
                if version in shown:
                    by_home.setdefault(homes[version][component], []).append(version)
            for versions in by_home.values():
                package = package_name(versions[0])
                yield {
                    "name": lay_out(_literals([name]), 4, 10),
                    "versions": lay_out(_literals(versions), 4, 14),
                    "type": Code(f"{package}.{classes[component]}"),
                    "package": package,
                }


def _literals(values: Sequence[str]) -> Node:
    return subscript("Literal", *map(Text, values)) if values else "str"
