"""The server of an API: Protocols of handlers, a table of operations, contract data.

Two steps, with the models between: `Server` lists the types it needs beside those of the
versions, and is laid out when they exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import dateline
from dateline.canonical.contract_data import ContractData
from dateline.canonical.payloads import list_payloads
from dateline.filters import Code
from dateline.model import REMOVED, Api, Artifact, Place, printable
from dateline.openapi import find_media_type, method_name
from dateline.project import Projector
from dateline.python.code import HEADER, Text, lay_out, literal, subscript
from dateline.python.types import Canonical, Typed
from dateline.schema.access import WRITE_ONLY
from dateline.schema.emptiness import Emptiness
from dateline.server.around import describe_operations, list_media_types
from dateline.server.canonical import read_forms
from dateline.server.components import ComponentModules
from dateline.server.converted import MODULE, ConvertedTypes
from dateline.server.converters import list_converters
from dateline.server.first import lay_out_first_file
from dateline.server.messages import Messages, describe_components, describe_messages
from dateline.server.mounting import find_usual_prefixes, list_ambiguous, read_prefixes
from dateline.server.operations import Operation, read_groups
from dateline.server.protocols import lay_out_protocols
from dateline.server.table import lay_out_table
from dateline.server.types import Types
from dateline.server.unsent import Unsent, list_unsent
from dateline.source.problems import short
from dateline.source.text import compact_json
from dateline.templating import SUFFIX, environment, render_file
from dateline.wording import phrase_count

_FOLDER: Final = "python/{package}/server"
_FIRST: Final = "_server.py.jinja"
# The exports for handlers of any API.
_NOUNS: Final = (
    *("Account", "Bytes", "Call", "ConversionContext", "Credentials", "Handled", "Items"),
    *("Limits", "MemoryStore", "MissingConverterError", "MissingHandlerError", "Problem"),
    *("Refusal", "Reply", "Result", "ServerSentEvent", "Settings", "Store", "Upload"),
)
_MADE: Final = ("create_app", "problem_details", "versioned")


class Server:
    """The server of one API, whose contracts *projector* provides.

    *contracts* are the contract data of operations, *components* those of components. Raises
    SourceError if two names of authored definitions become one name in Python.
    """

    def __init__(
        self,
        api: Api,
        projector: Projector,
        contracts: ContractData,
        components: ContractData,
    ) -> None:
        self._api = api
        self._projector = projector
        self._contracts = contracts
        self._components = components
        self._forms = read_forms(api)
        self._converted = ConvertedTypes(self._forms)
        self._component_converters = list_converters(api, contracts, components, self._converted)
        self._converters = [each for each in self._component_converters if each.is_required]
        self._groups = read_groups(api)
        self._operations = [each for group in self._groups for each in group.operations]
        self._unserved = {each.id: each.unserved for each in self._operations if each.unserved}
        self._messages = describe_messages(api, contracts, self._described)
        self._types = Types(self._forms, self._operations)

    @cached_property
    def _described(self) -> Messages:
        return Messages(
            self._api,
            self._projector,
            self._contracts.unserved,
            self._unserved,
            self._forms.document,
        )

    @property
    def canonical(self) -> Canonical:
        """The contract that handlers are written against, for which models are needed."""
        return self._types.canonical

    @property
    def notes(self) -> list[str]:
        """What the server leaves out of the definitions, with the first place."""
        return [
            *self._note_unserved(),
            *self._note_unsent(),
            *self._note_ambiguous(),
            *self._note_empty(),
            *self._note_patterns(),
            *self._note_required(),
            *self._note_removed(),
            *self._note_absent_events(),
        ]

    def _note_absent_events(self) -> Iterator[str]:
        """Yield a note on webhooks that have another payload at some version."""
        shown = {name: each["versions"] for name, each in self._components.data["events"].items()}
        found = [
            (name, version.date)
            for version in self._api.table.supported
            for each in self._api.table.environments
            for name in list_payloads(self._projector.contract(version.date, each.name).document)
            if version.date not in shown.get(name, {}).get(each.name, ())
        ]
        if found:
            name, version = found[0]
            count = len({name for name, _ in found})
            each = phrase_count(count, "webhook has", "webhooks have")
            yield (
                f"{each} another payload at some version, in another method or media type: "
                f"`events` raises `AbsentEventError` there (first {name}, at {version})"
            )

    def _note_removed(self) -> Iterator[str]:
        """Yield a note on fields that older versions require and the newest doesn't show."""
        messages = self._messages
        schemas = self._api.document.get("components", {}).get("schemas", {})
        found = [
            f"{name}.{field}"
            for name, looser in messages["answered"]["canonical"].items()
            for unshown in [{*_list_unshown(schemas.get(name))}]
            for field in _list_looser(messages["canonical"][name], looser)
            if field in unshown
        ]
        if found:
            each = phrase_count(
                len(found), "removed or `writeOnly` field is", "removed or `writeOnly` fields are"
            )
            yield (
                f"{each} required by older versions: handlers, and applications behind `versioned` "
                f"or the proxy, still have to send what their callers are to get (first {found[0]})"
            )

    def _note_unserved(self) -> Iterator[str]:
        requests = self._messages["requests"]
        found = [
            (operation, reason)
            for operation in self._operations
            for reason in [next(_unserved_reasons(requests[operation.id]), "")]
            if reason
        ]
        if found:
            operation, reason = found[0]
            count = phrase_count(len(found), "operation", "operations")
            verb = "answers" if len(found) == 1 else "answer"
            yield (
                f"{count} can't be served at every version and {verb} 501 there (first at "
                f"{self._locate(operation)}: {reason})"
            )

    def _note_unsent(self) -> Iterator[str]:
        requests = self._messages["requests"]
        found = [
            (operation, unsent)
            for operation in self._operations
            if not any(_unserved_reasons(requests[operation.id]))
            for unsent in list_unsent(
                operation.id, list_media_types(operation), self._contracts.data, self._messages
            )
        ]
        for is_all in (True, False):
            first: dict[str, tuple[Operation, Unsent]] = {}
            for operation, unsent in found:
                if unsent.is_all is is_all:
                    first.setdefault(operation.id, (operation, unsent))
            if not first:
                continue
            operation, unsent = next(iter(first.values()))
            count = phrase_count(len(first), "operation", "operations")
            answer = "answers" if len(first) == 1 else "answer"
            what = f"any success at some version, and {answer} 501 there"
            if not is_all:
                what = (
                    "one of several successes at some version: a response with it is a 500, after "
                    "its effect"
                )
            yield (
                f"{count} can't send {what} (first at {self._locate(operation)}: {unsent.door}'s "
                f"{unsent.fact}, at {unsent.version})"
            )

    def _note_ambiguous(self) -> Iterator[str]:
        newest = self._api.table.dates[-1]
        usual = find_usual_prefixes(self._api) if newest != self._api.table.dates[0] else {}
        found = {
            (path, method_name(method)): next(other for other, _ in alike if other != path)
            for environment, prefix in usual.items()
            for document in [self._projector.contract(newest, environment).document]
            for alike in list_ambiguous(read_prefixes(document), prefix)
            for path, method in alike
        }
        first = next((each for each in self._operations if (each.path, each.method) in found), None)
        if first is not None:
            yield (
                f"{len(found)} operations have the path of another one: which of them an "
                "application behind `versioned` or the proxy performs is unknown, so that callers "
                f"of older versions get a 404 for both (first at {self._locate(first)}: "
                f"{first.path}, like {found[first.path, first.method]})"
            )

    def _note_empty(self) -> Iterator[str]:
        # commands that only list operations need no samples
        from dateline.sample.answers import Unsampled, list_unanswered

        if not Emptiness(self._api.document, Unsampled(self._api.document).has).is_possible:
            return
        empty: dict[tuple[str, str], str] = {}
        for version in self._api.table.supported:
            for each in self._api.table.environments:
                contract = self._projector.contract(version.date, each.name)
                for path, method, reason in list_unanswered(contract.document):
                    empty.setdefault((path, method), reason)
        found = [each for each in self._operations if (each.path, each.method) in empty]
        if found:
            count = phrase_count(len(found), "operation has", "operations have")
            first = found[0]
            yield (
                f"{count} a response that no value fits at some version, since the members of a "
                "`oneOf` say the same, keywords contradict each other or a value has no end, or "
                "for which none was found; the mock answers 501 there (first at "
                f"{self._locate(first)}: {printable(empty[first.path, first.method])})"
            )

    def _note_patterns(self) -> Iterator[str]:
        patterns = [*self._described.unsupported]
        if patterns:
            each = phrase_count(len(patterns), "pattern is", "patterns are")
            yield (
                f"{each} not checked by the server, as its validator can't read it or it takes too "
                f"much memory (first {short(patterns[0], 60)!r})"
            )

    def _note_required(self) -> Iterator[str]:
        count = len(self._converters)
        if count and self._api.table.adopted:
            each = phrase_count(count, "converter is", "converters are")
            places = (self._contracts.places[one.name] for one in self._converters)
            media_type = next(filter(None, map(find_media_type, places)), "")
            alone = f", or refuse only its media type (first {media_type})" if media_type else ""
            yield (
                f"{each} yours to write (`Converters` in the handlers, first "
                f"{self._converters[0].method}); without it, operations that need it answer "
                f"501{alone}"
            )

    def _locate(self, operation: Operation) -> Place:
        return self._api.locate(operation.place)

    def artifacts(self, types: Iterable[Typed], templates: Sequence[Path]) -> Iterator[Artifact]:
        """Yield the files of the server, but for the documents (see `render`).

        *types* are those of the inline schemas of `canonical`. *templates* are folders, the first
        one first.
        """
        self._types.take(types)
        target = f"python/{self._api.table.package}/server"
        described = describe_operations(self._api, self._operations, self._converters)
        data = {**self._contracts.data, **self._messages, **described}
        yield from self._laid_out(target, templates)
        yield Artifact(path=f"{target}/contracts.json", content=compact_json(data) + b"\n")
        for file in run_time():
            yield Artifact(path=f"{target}/runtime/{file.name}", content=file.read_bytes())

    def component_artifacts(
        self,
        classes: Mapping[str, str],
        homes: Mapping[str, Mapping[str, str]],
        templates: Sequence[Path],
    ) -> Iterator[Artifact]:
        """Yield the modules for values of components and for events.

        *classes* and *homes* are those of the models; *templates* are as above.
        """
        modules = ComponentModules(
            self._api, self._components, self._component_converters, self._types
        )
        described = describe_components(self._components, self._described)
        yield from modules.artifacts(described, classes, homes, templates)

    def first_file(self, types: Iterable[Typed], templates: Sequence[Path]) -> bytes:
        """Return the first file of handlers, which its owner fills in; arguments as above."""
        self._types.take(types)
        groups = [group for group in self._groups if group.served]
        view = lay_out_first_file(self._api.table, groups, self._types, self._converters)
        return render_file(environment(list(templates)), _FIRST, **view)

    def _views(self) -> dict[str, dict[str, Any]]:
        """Return the data of each template, by its file's name; under no name, the common data."""
        needed = self._converters
        names = self._api.table.environment_names
        groups = [group for group in self._groups if group.served]
        own = ["Handlers", *(group.handlers for group in groups)]
        own += ["Converters"] if needed else []
        has_accounts = any(each.is_secured for each in self._operations)
        return {
            "": {
                "header": HEADER,
                "has_accounts": has_accounts,
                "has_converters": bool(needed),
                "environments": lay_out(subscript("Literal", *map(Text, names))),
            },
            "__init__": {
                "handlers": list(map(Code, sorted(own))),
                "exports": [Code(literal(name)) for name in (*sorted([*own, *_NOUNS]), *_MADE)],
            },
            "handlers": lay_out_protocols(
                groups, self._types, needed, names, has_accounts=has_accounts
            ),
            MODULE: self._converted.lay_out(),
            "routes": lay_out_table(self._api, self._groups, self._types),
        }

    def _laid_out(self, target: str, templates: Sequence[Path]) -> Iterator[Artifact]:
        views = self._views()
        jinja = environment(list(templates))
        for name in sorted(jinja.list_templates()):
            folder, _, file = name.rpartition("/")
            if folder != _FOLDER:
                continue
            if file.partition(".")[0] == MODULE and not views[MODULE]["types"]:
                continue
            view = {**views[""], **views.get(file.partition(".")[0], {})}
            content = render_file(jinja, name, table=self._api.table, **view)
            yield Artifact(path=f"{target}/{file.removesuffix(SUFFIX)}", content=content)


def _unserved_reasons(requests: list[dict[str, Any]]) -> Iterator[str]:
    """Yield why some version of an operation can't be served, the newest first."""
    for entry in reversed(requests):
        if entry["request"] is not None and "unserved" in entry["request"]:
            yield entry["request"]["unserved"]


def _list_looser(strict: Any, looser: Any) -> Iterator[str]:
    """Yield the fields that *strict* requires and *looser*, which is otherwise equal, does not."""
    if isinstance(strict, dict) and isinstance(looser, dict):
        required = looser.get("required", ())
        if isinstance(required, list | tuple):
            yield from (name for name in strict.get("required", ()) if name not in required)
        for key, each in strict.items():
            yield from _list_looser(each, looser.get(key))
    elif isinstance(strict, list) and isinstance(looser, list):
        for one, other in zip(strict, looser, strict=False):
            yield from _list_looser(one, other)


def _list_unshown(node: Any) -> Iterator[str]:
    """Yield the fields that a later version lacks or doesn't show, anywhere in a schema."""
    if isinstance(node, dict):
        properties = node.get("properties")
        for name, each in (properties if isinstance(properties, dict) else {}).items():
            if isinstance(each, dict) and (REMOVED in each or each.get(WRITE_ONLY) is True):
                yield name
        for each in node.values():
            yield from _list_unshown(each)
    elif isinstance(node, list):
        for each in node:
            yield from _list_unshown(each)


def run_time() -> list[Path]:
    """Return the files of the run time, which is copied and never imported."""
    folder = Path(dateline.__file__).parents[1] / "dateline_runtime"
    return sorted(folder.glob("*.py"))
