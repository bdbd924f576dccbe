"""The clients of an API: one for each version, with a typed method for each operation.

Two steps, with the models between: `Clients` lists the types it needs beside those of the
components, and is laid out when they exist. A method that is equal in several versions is defined
once, in a module of what the same versions have.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from dateline import progress
from dateline.addresses import read_addresses
from dateline.client.known import ClientMethod, KnownMethods
from dateline.client.methods import MethodWriter
from dateline.client.services import lay_out_service, lay_out_settings
from dateline.filters import Code
from dateline.model import EVERYWHERE, Api, Artifact
from dateline.project import Projector
from dateline.python.called import Called, list_inlines
from dateline.python.code import HEADER, call, import_names, import_used, lay_out, literal, value
from dateline.python.docstrings import docstring
from dateline.python.names import join_turns, list_turns, package_name
from dateline.python.operations import CalledReader
from dateline.python.types import CalledTypes, Inline
from dateline.templating import SUFFIX, environment, render_file
from dateline.wording import phrase_count

_SHARED: Final = "python/{package}/client"
_VERSIONED: Final = "python/{package}/{version}/client.py.jinja"
_METHODS: Final = f"{_SHARED}/_methods.py.jinja"
_SETTINGS: Final = f"{_SHARED}/_settings.py.jinja"

_KINDS: Final = (
    ("Client", "wait for the response", "Methods", "Settings"),
    ("AsyncClient", "are awaited", "AsyncMethods", "AsyncSettings"),
)
_SETTLED: Final = [
    {
        key: Code(text)
        for key, text in zip(("name", "base", "http_client", "transport"), kind, strict=True)
    }
    for kind in (
        ("Settings", "SyncClient", "httpx.Client", "httpx.BaseTransport"),
        ("AsyncSettings", "AsynchronousClient", "httpx.AsyncClient", "httpx.AsyncBaseTransport"),
    )
]


class Clients:
    """The clients of one API, whose contracts *projector* provides; drafts have none."""

    def __init__(self, api: Api, projector: Projector) -> None:
        self._api = api
        self._versions = [version.date for version in api.table.supported]
        self._operations: dict[str, list[Called]] = {}
        self._documents: dict[str, dict[str, Any]] = {}
        self._addresses: dict[str, dict[str, str]] = {}
        reader = CalledReader(api.table)
        for version in self._versions:
            document = projector.contract(version, EVERYWHERE).document
            environments = projector.documents(version)
            self._documents[version] = document
            self._addresses[version] = read_addresses(environments)
            self._operations[version] = reader.read(document, environments)
        self._written = KnownMethods()
        self._pagings = 0
        self._first_paging = ""

    @property
    def inlines(self) -> dict[str, list[Inline]]:
        """The schemas of the operations of each version for which a type is needed."""
        return {version: list_inlines(found) for version, found in self._operations.items()}

    @property
    def notes(self) -> list[str]:
        """What was derived from the form of operations; known when the clients are laid out."""
        if not self._pagings:
            return []
        count = phrase_count(self._pagings, "listing has", "listings have")
        return [
            f"{count} an iterator over all pages in the clients, found by the form of parameters "
            f"and responses (first {self._first_paging})"
        ]

    def artifacts(
        self,
        types: CalledTypes,
        templates: Sequence[Path],
    ) -> Iterator[Artifact]:
        """Yield the files of the clients; *templates* are folders, the first one first."""
        counted = progress.count("writing the clients", self._versions)
        written = {version: self._write_methods(version, types) for version in counted}
        having: dict[ClientMethod, list[str]] = {}
        for version, methods in written.items():
            for method in methods:
                having.setdefault(method, []).append(version)
        modules: dict[str, list[ClientMethod]] = {}
        used: dict[str, list[str]] = {version: [] for version in self._versions}
        for method, versions in having.items():
            module = join_turns(list_turns(versions, self._versions))
            modules.setdefault(module, []).append(method)
            for version in versions:
                if module not in used[version]:
                    used[version].append(module)
        package = f"python/{self._api.table.package}"
        jinja = environment(list(templates))
        settings = self._share_settings()
        for module, view in dict(settings.values()).items():
            text = render_file(jinja, _SETTINGS, header=HEADER, **view)
            yield Artifact(path=f"{package}/client/{module}.py", content=text)
        for module, methods in modules.items():
            text = render_file(jinja, _METHODS, header=HEADER, **_view_module(methods))
            yield Artifact(path=f"{package}/client/{module}.py", content=text)
        for version in self._versions:
            view = self._view(version, used[version], settings[version][0])
            text = render_file(jinja, _VERSIONED, header=HEADER, **view)
            yield Artifact(path=f"{package}/{package_name(version)}/client.py", content=text)
        yield from self._shared_files(jinja, having)

    def _write_methods(self, version: str, types: CalledTypes) -> list[ClientMethod]:
        writer = MethodWriter(version, self._documents[version], types, self._written)
        written = writer.write_all(self._operations[version])
        if version == self._versions[-1]:
            self._pagings = len(writer.paged)
            self._first_paging = next(iter(writer.paged), "")
        return written

    def _shared_files(
        self, jinja: Any, having: Mapping[ClientMethod, list[str]]
    ) -> Iterator[Artifact]:
        view = {
            "header": HEADER,
            "table": self._api.table,
            "latest_package": Code(package_name(self._api.table.latest)),
            "turns": self._lay_out_turns(having),
        }
        for name in sorted(jinja.list_templates()):
            folder, _, file = name.rpartition("/")
            if folder != _SHARED or (file.startswith("_") and not file.startswith("__init__")):
                continue
            path = f"python/{self._api.table.package}/client/{file.removesuffix(SUFFIX)}"
            yield Artifact(path=path, content=render_file(jinja, name, **view))

    def _lay_out_turns(self, having: Mapping[ClientMethod, list[str]]) -> Code:
        """Return the versions that added and removed each method that some versions lack."""
        by_name: dict[str, set[str]] = {}
        for method, versions in having.items():
            for name in method.names:
                by_name.setdefault(name, set()).update(versions)
        turns = {
            name: tuple(list_turns(found, self._versions))
            for name, found in sorted(by_name.items())
            if len(found) < len(self._versions)
        }
        return lay_out(value(turns), 0, 52)

    def _share_settings(self) -> dict[str, tuple[str, dict[str, Any]]]:
        """Return the module with the settings of each version, and its template data."""
        views = {
            version: lay_out_settings(self._api, self._documents[version], self._addresses[version])
            for version in self._versions
        }
        having: dict[str, list[str]] = {}
        for version, view in views.items():
            having.setdefault(json.dumps(view), []).append(version)
        shared: dict[str, tuple[str, dict[str, Any]]] = {}
        for versions in having.values():
            module = f"settings_{join_turns(list_turns(versions, self._versions))}"
            view = {**views[versions[0]], "kinds": _SETTLED}
            shared |= dict.fromkeys(versions, (module, view))
        return shared

    def _view(self, version: str, modules: Iterable[str], settings: str) -> dict[str, Any]:
        """Return the template data of one version's clients."""
        # newest first: what is defined there comes first in the order of bases, too
        ordered = sorted(modules, reverse=True)
        return {
            "docstring": docstring([f"The clients of version {version}."], 0),
            "version": Code(literal(version)),
            "modules": list(map(Code, ordered)),
            "kinds": [
                {
                    "about": Code(f"A client of version {version}, whose methods {about}."),
                    "head": lay_out(
                        call(
                            f"class {name}",
                            *(f"{each}.{own}" for each in ordered),
                            f"{settings}.{title}",
                        ),
                        0,
                        1,
                    ),
                }
                for name, about, own, title in _KINDS
            ],
            "imports": [import_names("..client", sorted([*ordered, settings]))],
            **lay_out_service(
                self._api, version, self._documents[version], self._addresses[version]
            ),
        }


def _view_module(methods: Sequence[ClientMethod]) -> dict[str, Any]:
    """Return the template data of shared methods."""
    words = set[str]().union(*(method.words for method in methods))
    models = sorted(set[str]().union(*(method.modules for method in methods)))
    siblings = [Code("from .. import types as t")] if "t" in words else []
    siblings += [import_names("..models", models)] if models else []
    return {
        "methods": methods,
        "standard": import_used(_STANDARD, words),
        "siblings": siblings,
        "nouns": import_used(_NOUNS, words, "."),
    }


_STANDARD: Final = {
    "collections.abc": ("AsyncIterator", "Iterator"),
    "datetime": ("date", "datetime"),
    "decimal": ("Decimal",),
    "typing": ("Annotated", "Any", "Literal"),
    "uuid": ("UUID",),
}
_NOUNS: Final = {
    "calling": ("Operation", "Text"),
    "forms": ("Part",),
    "paging": ("Paging",),
    "parameters": ("Parameter",),
    "sending": ("AsynchronousClient", "SyncClient"),
    "streams": ("AsyncStream", "Chunks", "Events", "Lines", "Records", "ServerEvent", "Stream"),
}
