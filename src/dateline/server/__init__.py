"""The server of an API: Protocols of handlers, a table of operations, contract data.

Two steps, with the models between: `Server` lists the types it needs beside those of the
versions, and is laid out when they exist.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import dateline
from dateline.canonical import ContractData
from dateline.model import Api, Artifact
from dateline.project import Projector
from dateline.python.code import HEADER, Text, lay_out, literal, subscript
from dateline.python.types import Canonical, Typed
from dateline.server.canonical import read_forms
from dateline.server.converters import list_converters
from dateline.server.first import lay_out_first_file
from dateline.server.messages import describe_messages
from dateline.server.operations import read_groups
from dateline.server.protocols import lay_out_protocols
from dateline.server.table import lay_out_table
from dateline.server.types import Types
from dateline.templating import Code, TemplateError, environment

_FOLDER: Final = "python/{package}/server"
_FIRST: Final = "_server.py.jinja"
_SUFFIX: Final = ".jinja"
_SPECIFICATION: Final = "spec/"
# The exports for handlers of any API.
_NOUNS: Final = (
    *("Account", "Call", "Credentials", "MemoryStore", "MissingConverterError"),
    *("MissingHandlerError", "Problem", "Refusal", "Reply", "Result", "Settings", "Store"),
    "UnsupportedError",
)
_MADE: Final = ("create_app", "problem_details")


class Server:
    """The server of one API, whose contracts *projector* gives.

    Raises SourceError where two names become one name in Python, or where something differs
    between versions that can't be served.
    """

    def __init__(self, api: Api, projector: Projector) -> None:
        self._api = api
        self._projector = projector
        self._forms = read_forms(api)
        self._groups = read_groups(api)
        self._types = Types(
            self._forms, (each for group in self._groups for each in group.operations)
        )

    @property
    def canonical(self) -> Canonical:
        """The contract that handlers are written against, for which models have to be made."""
        return self._types.canonical

    @property
    def notes(self) -> list[str]:
        """What the server leaves out of the definitions, and where first."""
        found = [
            (operation, content)
            for group in self._groups
            for operation in group.operations
            for content in (operation.body, *operation.responses.values())
            if content is not None and content.others
        ]
        if not found:
            return []
        operation, content = found[0]
        place = self._api.locate(("paths", operation.path, operation.method.lower()))
        count = "1 body" if len(found) == 1 else f"{len(found)} bodies"
        return [
            f"of several media types of a body, one is served ({count}, first at "
            f"{place}: {content.media_type}, not {', '.join(content.others)})"
        ]

    def artifacts(
        self,
        types: Iterable[Typed],
        contracts: ContractData,
        documents: Iterable[Artifact],
        templates: Sequence[Path],
    ) -> Iterator[Artifact]:
        """Yield the files of the server.

        *types* are those of the inline schemas of `canonical`, *contracts* the data of how values
        differ between versions, *documents* the artifacts among which the specification documents
        are. *templates* are folders, the first one first.
        """
        self._types.take(types)
        target = f"python/{self._api.table.package}/server"
        data = {**contracts.data, **describe_messages(self._api, contracts, self._projector)}
        yield from self._laid_out(target, data, templates)
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        yield Artifact(path=f"{target}/contracts.json", content=f"{text}\n".encode())
        for document in documents:
            if document.path.startswith(_SPECIFICATION) and self._is_served(document.path):
                path = document.path.removeprefix(_SPECIFICATION)
                yield Artifact(path=f"{target}/documents/{path}", content=document.content)
        for file in run_time():
            yield Artifact(path=f"{target}/runtime/{file.name}", content=file.read_bytes())

    def first_file(
        self, types: Iterable[Typed], contracts: ContractData, templates: Sequence[Path]
    ) -> bytes:
        """Return the first file of handlers, which its owner fills in; arguments as above."""
        self._types.take(types)
        needed = list_converters(self._api, contracts.data, self._forms)
        view = lay_out_first_file(self._api.table, self._groups, self._types, needed)
        return environment(list(templates)).get_template(_FIRST).render(view).encode()

    def _is_served(self, path: str) -> bool:
        name, _, suffix = path.rpartition("/")[2].rpartition(".")
        known = {"versions", *(version.date for version in self._api.table.supported)}
        return suffix == "json" and name in known

    def _views(self, data: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """Return what each template lays out, by its file's name; under no name, what all may."""
        needed = list_converters(self._api, data, self._forms)
        names = [each.name for each in self._api.table.environments]
        own = ["Handlers", *(group.handlers for group in self._groups)]
        own += ["Converters"] if needed else []
        secured = (each.is_secured for group in self._groups for each in group.operations)
        return {
            "": {
                "header": HEADER,
                "has_accounts": any(secured),
                "has_converters": bool(needed),
                "environments": lay_out(subscript("Literal", *map(Text, names))),
            },
            "__init__": {
                "handlers": list(map(Code, sorted(own))),
                "exports": [Code(literal(name)) for name in (*sorted([*own, *_NOUNS]), *_MADE)],
            },
            "handlers": lay_out_protocols(self._groups, self._types, needed, names),
            "routes": lay_out_table(self._api, self._groups, self._types, needed),
        }

    def _laid_out(
        self, target: str, data: dict[str, Any], templates: Sequence[Path]
    ) -> Iterator[Artifact]:
        views = self._views(data)
        jinja = environment(list(templates))
        for name in sorted(jinja.list_templates()):
            folder, _, file = name.rpartition("/")
            if folder != _FOLDER:
                continue
            path = f"{target}/{file.removesuffix(_SUFFIX)}"
            if not file.endswith(_SUFFIX):
                found = next(each / name for each in templates if (each / name).is_file())
                yield Artifact(path=path, content=found.read_bytes())
                continue
            view = {**views[""], **views.get(file.partition(".")[0], {})}
            try:
                text = jinja.get_template(name).render(table=self._api.table, **view)
            except Exception as error:  # a template is code, and may fail like any
                raise TemplateError(f"template {name}: {error}") from error
            yield Artifact(path=path, content=text.encode())


def run_time() -> list[Path]:
    """Return the files of the run time, which is copied and never imported."""
    folder = Path(dateline.__file__).parents[1] / "dateline_runtime"
    return sorted(folder.glob("*.py"))
