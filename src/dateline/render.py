"""Render all artifacts of an API: relative paths and their bytes. Writes no files."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache as cached
from functools import cached_property, partial
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import dateline
from dateline import progress
from dateline.cache import Cache, Recollection
from dateline.collector import cycles_freed, free_cycles, return_memory
from dateline.documents import list_judges, publish, require_valid
from dateline.kept_documents import RecordFiles, Resized, recall_documents
from dateline.model import (
    EVERYWHERE,
    Api,
    Artifact,
    Contract,
    Keep,
    Table,
    in_memory,
)
from dateline.project import Projector
from dateline.schema.dialect import BEYOND_LETTER, departures
from dateline.wording import phrase_count

if TYPE_CHECKING:
    from dateline.changes import Changes
    from dateline.changes.record import Period, Record
    from dateline.changes.words import Row
    from dateline.kept_outputs import HiddenWords
    from dateline.models import Models
    from dateline.python.types import Inline
    from dateline.server import Server
    from dateline.site import Marker

CHANGES, SITE = "changes", "site"
"""The folders of pages."""

_LAYING_OUT_SITES: Final = ("jinja2", "markupsafe", "jsonschema-rs", "markdown-it-py", "nh3")
_LAYING_OUT_PACKAGES: Final = ("jinja2", "datamodel-code-generator")
_RUN_TIME: Final = Path(dateline.__file__).parents[1] / "dateline_runtime"

_SPECIFICATION: Final = "spec/"
_SUFFIX = ".jinja"
_PLACEHOLDER: Final = re.compile(r"\{\w+\}")
_MODELS = ("python", "datamodel")  # laid out by `models`, not by iterating over templates


FanOut = Callable[[str], Iterator[tuple[str, dict[str, Any]]]]
"""Yields the path and context of each file that the template of a name generates."""


@dataclass(frozen=True, kw_only=True)
class Rendered:
    """The artifacts, sorted by path, and what the models can't express."""

    artifacts: tuple[Artifact, ...]
    notes: tuple[str, ...]


UNRECORDED: Final = RecordFiles("", lambda: None)
"""An empty record."""


def builtin_templates() -> Path:
    """Return the folder of the templates that are shipped with dateline."""
    package = Path(dateline.__file__).parent
    installed = package / "templates"
    # an editable installation uses the templates of the repository
    return installed if installed.is_dir() else package.parents[1] / "templates"


def render(
    api: Api,
    templates: Path | None = None,
    *,
    recorded: RecordFiles = UNRECORDED,
    models: bool = True,
    changes: bool = True,
    validate: bool = True,
    cache: Cache | None = None,
    resized: Resized | None = None,
    keep: Keep = in_memory,
) -> Rendered:
    """Return everything that *api* generates; *models* and *changes* only on request.

    *recorded*, if given, is the record of since when versions have what was added to all of them.
    The *cache* has what earlier runs laid out; documents in it that are known to be *resized* may
    come without content. *keep* is called with each artifact as soon as it is there, so that not
    all of them have to be in memory at once.

    *templates* overrides the built-in templates file by file; templates are code, so it may only
    come from the command line. With *validate*, each distinct document must pass
    openapi-spec-validator. Raises SourceError if one does not, and TemplateError for a template
    that can't be laid out.
    """
    folders = [folder for folder in (templates, builtin_templates()) if folder is not None]
    rendering = _Rendering(api, folders, cache, keep)
    notes = list(rendering.list_notes(validate=validate))
    with cycles_freed():
        artifacts = rendering.recall_documents(recorded, resized)
    # one after the other: each reads data that the others don't need, and that takes memory
    if changes:
        with cycles_freed():
            artifacts += rendering.recall_pages(recorded.read())
            recorded.forget()
    if models:
        python, remarks = rendering.recall_package()
        return_memory()
        artifacts += [*python, *_list_served_documents(api.table, artifacts)]
        notes += remarks
    return Rendered(
        artifacts=tuple(sorted(artifacts, key=lambda artifact: artifact.path)), notes=tuple(notes)
    )


class _Rendering:
    """Renders the outputs of *api*, or recalls them from the *cache* if there is one."""

    def __init__(self, api: Api, folders: list[Path], cache: Cache | None, keep: Keep) -> None:
        self._api = api
        self._projector = api.derive(Projector)
        self._folders = folders
        self._cache = cache
        self._keep = keep
        self._known = Recollection(cache, api.meaning)

    @cached_property
    def _hidden(self) -> HiddenWords:
        # slow to import, and not needed if only documents are rendered
        from dateline.kept_outputs import HiddenWords

        return HiddenWords(self._api)

    def _project(self, api: Api) -> Projector:
        """Return the projector of *api*: the definitions, or those with hidden words."""
        return self._projector if api is self._api else self._hidden.projector

    @property
    def _has_only_builtin_templates(self) -> bool:
        """Whether all templates are built in; those of users may do anything with words."""
        return len(self._folders) == 1

    def list_notes(self, *, validate: bool) -> Iterator[str]:
        """Yield the notes on the documents. Raises SourceError as `require_valid` does."""
        if validate:
            yield from self._known.recall("valid documents", self._require_valid, *list_judges())
        count, *first = self._known.recall("departures", lambda: _count_departures(self._api))
        if count:
            place = self._api.locate(tuple(*first))
            schemas = phrase_count(count, "schema", "schemas")
            yield f"{BEYOND_LETTER} ({schemas}, first at {place})"

    def _require_valid(self) -> list[str]:
        contracts = _list_contracts(self._api, self._projector)
        return require_valid(self._api, contracts, self._cache or Cache(None))

    def recall_documents(self, recorded: RecordFiles, resized: Resized | None) -> list[Artifact]:
        """Return what the templates make of each contract."""

        def render(api: Api) -> Iterator[Artifact]:
            record = recorded.read()
            words = record.words if record else {}
            projector = self._projector if api is self._api else Projector(api)
            contracts = _list_contracts(api, projector)
            fan_out = partial(_fan_out, api=api, contracts=contracts, words=words)
            return _render_templates(api, self._folders, fan_out)

        if self._cache is None or not self._has_only_builtin_templates:
            return [*map(self._keep, render(self._api))]
        return recall_documents(
            self._api, recorded.digest, self._folders, self._cache, render, resized, self._keep
        )

    def recall_package(self) -> tuple[list[Artifact], list[str]]:
        """Return what `render_package` does."""

        def render(api: Api) -> tuple[list[Artifact], list[str]]:
            projector = self._project(api)
            return render_package(api, projector, self._folders, self._cache, self._keep, self._api)

        inputs = (*self._folders, _RUN_TIME), _LAYING_OUT_PACKAGES
        return self._recall_outputs("package", inputs, render)

    def recall_pages(self, record: Record | None) -> list[Artifact]:
        """Return the change pages, and those of the site if there is one."""
        # slow to import, and not needed if only documents are rendered
        from dateline.changes import Changes
        from dateline.changes.additions import list_periods
        from dateline.changes.kept import recall_pages
        from dateline.changes.pages import Differences

        pending = [Differences(self._api, self._projector, shown=True, known=self._known)]
        periods = [*list_periods(self._api, self._projector, record, pending[0])] if record else []

        @cached
        def compare() -> Changes:
            changes = Changes(self._api, self._projector, periods, pending.pop())
            # comparisons take more memory than their results, and are not needed any more
            free_cycles()
            return changes

        def lay_out() -> Iterator[Artifact]:
            return _render_pages(self._api, self._folders, CHANGES, compare().fan_out)

        if self._cache is None:
            pages = [*map(self._keep, lay_out())]
        else:
            pages = recall_pages(
                self._api, periods, self._folders, self._cache, compare, lay_out, self._keep
            )
        if self._api.table.site:
            pages += self._recall_site(compare, periods)
        return pages

    def _recall_site(
        self, compare: Callable[[], Changes], periods: Sequence[Period]
    ) -> list[Artifact]:
        @cached
        def mark() -> Marker:
            # slow to import, and an optional dependency
            from dateline.site import Marker

            return Marker(self._api)

        def render(api: Api) -> tuple[list[Artifact], list[str]]:
            projector = self._project(api)
            return render_site(api, projector, self._folders, compare(), mark(), self._keep)

        if not self._has_only_builtin_templates:
            return render(self._api)[0]
        return self._recall_outputs(
            # what was added to all versions also depends on the record
            f"site {sha256(repr(periods).encode()).hexdigest()}",
            (self._folders, _LAYING_OUT_SITES),
            render,
            list_quoted=lambda: compare().texts | mark().texts,
        )[0]

    def _recall_outputs(
        self,
        kind: str,
        inputs: tuple[Iterable[Path], Iterable[str]],
        render: Callable[[Api], tuple[list[Artifact], list[str]]],
        *,
        list_quoted: Callable[[], Collection[str]] = tuple,
    ) -> tuple[list[Artifact], list[str]]:
        if self._cache is None:
            return render(self._api)
        from dateline.kept_outputs import recall_outputs

        return recall_outputs(
            kind, self._hidden, inputs, self._cache, render, self._keep, list_quoted=list_quoted
        )


def _count_departures(api: Api) -> list[Any]:
    departing = departures(api.document)
    return [len(departing), *departing[:1]]


def _list_contracts(api: Api, projector: Projector) -> list[Contract]:
    return [
        projector.contract(version, environment)
        for environment in api.table.environment_names
        for version in api.table.dates
    ]


def render_package(
    api: Api,
    projector: Projector,
    folders: list[Path],
    cache: Cache | None = None,
    keep: Keep = in_memory,
    checked: Api | None = None,
) -> tuple[list[Artifact], list[str]]:
    """Return the files of the package without the documents of its server, and notes.

    *keep* is that of `render`; *checked* may differ from *api* in words. Raises SourceError if
    authored definitions can't be served; for adopted ones, notes list what can't be served.
    """
    # slow to import, and not needed without models
    from dateline.client import Clients
    from dateline.templating import keep_compiled

    clients = Clients(api, projector)
    server, models = _prepare_server(api, projector, folders, cache, clients.inlines, checked)
    return_memory()
    progress.describe("laying out the server")
    artifacts = [
        *map(keep, models.artifacts),
        *map(keep, server.artifacts(models.types, folders)),
        *map(keep, server.component_artifacts(models.classes, models.homes, folders)),
    ]
    notes = [*models.notes, *server.notes]
    del server  # it has the contract data, which take memory
    return_memory()
    artifacts += map(keep, clients.artifacts(models.called, folders))
    keep_compiled()
    return artifacts, [*notes, *clients.notes]


def _list_served_documents(table: Table, artifacts: Iterable[Artifact]) -> Iterator[Artifact]:
    """Yield the files that a server has of the specification documents among *artifacts*."""
    known = {"versions", *(version.date for version in table.supported)}
    for artifact in artifacts:
        name, _, suffix = artifact.path.rpartition("/")[2].rpartition(".")
        if artifact.path.startswith(_SPECIFICATION) and suffix == "json" and name in known:
            path = artifact.path.removeprefix(_SPECIFICATION)
            yield artifact.move(f"python/{table.package}/server/documents/{path}")


def first_server(api: Api) -> bytes:
    """Return the first file of handlers for the server of *api*, which its owner fills in.

    Raises SourceError for definitions from which no server can be generated.
    """
    folders = [builtin_templates()]
    server, models = _prepare_server(api, Projector(api), folders)
    return server.first_file(models.types, folders)


def _prepare_server(
    api: Api,
    projector: Projector,
    folders: list[Path],
    cache: Cache | None = None,
    inlines: Mapping[str, Sequence[Inline]] | None = None,
    checked: Api | None = None,
) -> tuple[Server, Models]:
    """Return the server of *api*, and its models, as `render_package` needs them."""
    # slow to import, and not needed without models
    from dateline.canonical import prepare_serving
    from dateline.contracts import all_contract_data
    from dateline.models import generate_models
    from dateline.server import Server

    progress.describe("reading how versions are served")
    serving = prepare_serving(api)
    projector = projector if serving is api else Projector(serving)
    data = all_contract_data(serving, projector, checked if serving is api else None)
    server = Server(serving, projector, *data)
    models = generate_models(
        [projector.contract(date, EVERYWHERE) for date in api.table.dates],
        api.table,
        folders,
        server.canonical,
        cache=cache,
        inlines=inlines,
    )
    return server, models


def render_site(
    api: Api,
    projector: Projector,
    folders: list[Path],
    changes: Changes,
    marks: Marker,
    keep: Keep = in_memory,
) -> tuple[list[Artifact], list[str]]:
    """Return the pages of the site, and no notes; *keep* is that of `render`."""
    # slow to import, and an optional dependency
    from dateline.changes import list_news
    from dateline.site import ReferenceSite, SiteNews

    feed = list_news(api, changes.pages, changes.periods)
    news = SiteNews(changes.pages, changes.periods, changes.announced, feed)
    site = ReferenceSite(api, projector, marks, news)
    return [*map(keep, _render_pages(api, folders, SITE, site.fan_out))], []


def _render_pages(
    api: Api, folders: list[Path], folder: str, fan_out: FanOut
) -> Iterator[Artifact]:
    """Yield the pages of a *folder* of templates."""
    progress.describe("laying out the pages")
    return _render_templates(
        api, folders, lambda name: fan_out(name) if name.split("/")[0] == folder else iter(())
    )


def _render_templates(api: Api, folders: list[Path], fan_out: FanOut) -> Iterator[Artifact]:
    """Lay out every template once for each path and context that *fan_out* yields for it."""
    # slow to import, and not needed if all documents are in the cache
    from dateline.templating import (
        TemplateError,
        environment,
        keep_compiled,
        list_folders,
        locate_error,
    )

    jinja = environment(folders)
    for name in sorted(jinja.list_templates(extensions=["jinja"])):
        parts = name.split("/")
        if parts[0] in _MODELS or parts[-1].startswith("_"):
            continue
        for path, context in fan_out(name.removesuffix(_SUFFIX)):
            if unknown := next((each for each in _PLACEHOLDER.findall(name) if each in path), None):
                raise TemplateError(f"template {name}: {unknown} has no value here")
            # large pages are not in memory as text and as bytes at once
            buffer = BytesIO()
            try:
                for text in jinja.get_template(name).generate(table=api.table, **context):
                    buffer.write(text.encode())
            except Exception as error:  # a template is code, and may raise anything
                raise locate_error(list_folders(jinja), name, error) from error
            yield Artifact(path=path, content=buffer.getvalue())
    keep_compiled()


def _fan_out(
    name: str,
    *,
    api: Api,
    contracts: list[Contract],
    words: Mapping[str, Iterable[Row]],
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (path, context) for each value of `{environment}` and `{version}` in *name*.

    *words* replace those of the newest version in documents, by version. Folders with pages of
    their own get no documents.
    """
    from dateline.changes.words import restore_contract
    from dateline.templating import TemplateError

    if name.split("/")[0] in (CHANGES, SITE):
        return
    if "{environment}" not in name:
        if "{version}" in name:
            raise TemplateError(f"template {name}: {{version}} needs {{environment}} in its path")
        yield name, {"versions": _index(api)}
        return
    latest, versions = api.table.latest, _index(api)
    announcements = [each.data for each in api.table.announcements]
    for contract in progress.count("laying out the documents", contracts):
        if "{version}" in name or contract.version == latest:
            path = name.replace("{environment}", contract.environment)
            yield (
                path.replace("{version}", contract.version),
                {
                    "version": contract.version,
                    "environment": contract.environment,
                    "document": publish(restore_contract(contract, words), api.table),
                    "versions": versions,
                    "announcements": announcements,
                },
            )


def _index(api: Api) -> list[dict[str, Any]]:
    """Return the rows of `/spec/versions`, oldest first."""
    supported = {"state": "supported"}
    ends = {
        version: {"state": "deprecated", "deprecated": end.announced, "sunset": end.day}
        for version, end in api.table.ends.items()
    }
    return [
        {
            "version": version.date,
            "summary": version.title,
            **ends.get(version.date, supported),
            "location": f"/spec/{version.date}",
        }
        for version in api.table.supported
    ]
