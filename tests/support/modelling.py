"""Generate packages of models from documents, and import them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from dateline.model import Contract, Environment, Place, Table, Version
from dateline.models import generate_models
from dateline.render import builtin_templates
from support.imported import import_from

NOWHERE = Place("versions.yaml", 1, 1)
_COUNT = itertools.count(1)

TEXT: dict[str, Any] = {"type": "string"}


def ref(name: str) -> dict[str, Any]:
    """Return a reference to the schema *name*."""
    return {"$ref": f"#/components/schemas/{name}"}


def record(*required: str, **properties: Any) -> dict[str, Any]:
    """Return the schema of an object."""
    return {
        "type": "object",
        **({"required": list(required)} if required else {}),
        "properties": properties,
    }


def table(dates: Sequence[str], package: str, drafts: Sequence[str] = ()) -> Table:
    """Return a version table with *dates*; the first is the default."""
    return Table(
        header="X-API-Version",
        default=dates[0],
        annotation=None,
        versions=tuple(
            Version(date=date, title=f"What came on {date}", draft=date in drafts, place=NOWHERE)
            for date in dates
        ),
        environments=(Environment(name="production", servers=(), place=NOWHERE),),
        ignoring_tags=(),
        policy="dated-contract",
        overrides={},
        package=package,
        adopted=False,
    )


def document(schemas: dict[str, Any], openapi: str = "3.1.0", **rest: Any) -> dict[str, Any]:
    """Return an OpenAPI document with component *schemas*."""
    return {
        "openapi": openapi,
        "info": {"title": "Test", "version": "1"},
        "paths": {},
        **rest,
        "components": {"schemas": schemas},
    }


def files(
    documents: dict[str, dict[str, Any]], package: str = "example", drafts: Sequence[str] = ()
) -> tuple[dict[str, str], list[str]]:
    """Return the text of each generated file by path, and the notes."""
    contracts = [
        Contract(version=date, environment="", document=each) for date, each in documents.items()
    ]
    made = generate_models(
        contracts, table(list(documents), package, drafts), [builtin_templates()]
    )
    return {artifact.path: artifact.content.decode() for artifact in made.artifacts}, made.notes


class Package:
    """The models of some versions, written to a folder and imported."""

    def __init__(self, folder: Path, documents: dict[str, dict[str, Any]]) -> None:
        self.name = f"generated_{next(_COUNT)}"
        self.files, self.notes = files(documents, self.name)
        self.folder = folder / "python"
        for path, text in self.files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")

    def version(self, date: str) -> ModuleType:
        """Return the package of version *date*."""
        return self._imported(f"{self.name}.v{date.replace('-', '_')}")

    @property
    def types(self) -> ModuleType:
        return self._imported(f"{self.name}.types")

    @property
    def root(self) -> ModuleType:
        return self._imported(self.name)

    def _imported(self, name: str) -> ModuleType:
        return import_from(self.folder, name)


def generate_single(folder: Path, schemas: dict[str, Any], **rest: Any) -> ModuleType:
    """Return the models of a single version with *schemas*."""
    return Package(folder, {"2024-01-01": document(schemas, **rest)}).version("2024-01-01")
