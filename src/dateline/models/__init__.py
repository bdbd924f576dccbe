"""Generate the models of all versions: an installable distribution of pydantic classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from dateline import progress
from dateline.cache import Cache
from dateline.model import Artifact, Contract, Problem, SourceError, Table
from dateline.models import assemble
from dateline.models.definitions import Definition
from dateline.models.layout import lay_out_definitions
from dateline.models.ledger import place_of
from dateline.models.order import order_definitions
from dateline.models.reading import Flattener
from dateline.models.sharing import find_homes
from dateline.models.writing import Scalars, Writer
from dateline.python import names
from dateline.python.code import Brackets, Node, Pair, Text
from dateline.python.names import CANONICAL, SERVER
from dateline.python.types import CalledTypes, Canonical, Inline, Typed, name_inlines
from dateline.schema.access import READ_ONLY, WRITE_ONLY, AccessUse, Hidden, OneWay
from dateline.schema.usage import Ways, schemas


class Models(NamedTuple):
    """The files of the models, what they can't express, and a type for each inline schema.

    ``classes`` are the class names of components; ``homes`` are, for each version, the modules that
    define the components: types with the same name and home are equal. ``called`` is what callers
    need.
    """

    artifacts: list[Artifact]
    notes: list[str]
    types: list[Typed]
    classes: dict[str, str]
    homes: dict[str, dict[str, str]]
    called: CalledTypes


def generate_models(
    contracts: Sequence[Contract],
    table: Table,
    templates: Sequence[Path],
    canonical: Canonical | None = None,
    *,
    cache: Cache | None = None,
    inlines: Mapping[str, Sequence[Inline]] | None = None,
) -> Models:
    """Return the files of the distribution, below ``python/``, and what it can't express.

    *contracts* are sorted, oldest first, one for each version, of all environments together. A type
    whose closure is equal in two of them is defined once, and both re-export it; *canonical* is the
    newest of all. *inlines* are the schemas of operations, by version, for which callers want a
    type; versions with such have clients. *templates* are folders, file by file the first one
    first, with ``datamodel/`` (the layout of one definition) and ``python/`` (the other files). The
    *cache* has what earlier runs laid out. Raises SourceError if two names of the document become
    one Python name.
    """
    ways = Ways()
    notes: list[str] = []
    use = AccessUse()
    contracts = [_merge_directions(contract, ways, use, notes) for contract in contracts]
    strict = {contract.version: ways.request_only(contract) for contract in contracts}
    versions = [*contracts, *([canonical.contract] if canonical is not None else ())]
    problems: list[Problem] = []
    classes = _name_classes(versions, notes, problems, adopted=table.adopted)
    if canonical is not None:
        strict[CANONICAL] = canonical.strict
    documents = {contract.version: contract.document for contract in contracts}
    named = name_inlines(documents, inlines or {})
    inlined = {**(inlines or {}), **({CANONICAL: canonical.inlines} if canonical else {})}
    components = find_homes(versions, strict, inlined)
    written = _write_definitions(
        versions, components, strict, inlined, named, classes, adopted=table.adopted
    )
    if problems or written.problems:
        raise SourceError([*problems, *written.problems])
    where = written.list_homes()
    defined, first = written.collect_by_home()
    orders = {home: order_definitions(found) for home, found in defined.items()}
    if canonical is not None and SERVER not in orders:
        orders[SERVER], first[SERVER] = order_definitions({}), CANONICAL
    progress.describe("laying out the models")
    blocks = lay_out_definitions(
        orders, [each / "datamodel" for each in templates], cache or Cache(None)
    )
    artifacts = assemble.render_files(
        contracts, table, where, [each / "python" for each in templates], called=inlines or ()
    )
    artifacts += [
        Artifact(
            path=f"python/{table.package}/{home.replace('.', '/')}.py",
            content=assemble.render_module(home, order, blocks[home], where[first[home]]),
        )
        for home, order in progress.count("laying out the models", [*orders.items()])
    ]
    artifacts.sort(key=lambda artifact: artifact.path)
    notes = [*dict.fromkeys(notes), *written.notes]
    types = written.list_types(inlined)
    members = {
        home: {name: _find_members(each) for name, each in found.items()}
        for home, found in defined.items()
    }
    sent = list(types.get(CANONICAL, {}).values())
    called = CalledTypes(types, where, members)
    return Models(artifacts, notes, sent, classes, components, called)


def _find_members(definition: Definition) -> dict[str, tuple[str, Node]]:
    """Return the fields of a model by their names in JSON: their Python names and types."""
    members: dict[str, tuple[str, Node]] = {}
    for field in definition.fields:
        marks = field.annotation.items[1:] if isinstance(field.annotation, Brackets) else ()
        found = [
            pair.value.value
            for mark in marks
            if isinstance(mark, Brackets)
            for pair in mark.items
            if isinstance(pair, Pair) and pair.key == "alias" and isinstance(pair.value, Text)
        ]
        members[found[0] if found else field.name] = field.name, field.annotation
    return members


def _merge_directions(contract: Contract, ways: Ways, use: AccessUse, notes: list[str]) -> Contract:
    """Return *contract* with components that one class can represent in both directions.

    A field that one direction does not have is optional there, and so in the one class.
    """
    document = contract.document
    sent, received = ways.both(contract)
    merged = dict(schemas(contract))
    for hidden, reached in ((READ_ONLY, sent), (WRITE_ONLY, received)):
        direction = OneWay(document, hidden, Hidden.OPTIONAL, use)
        concerned = use.names(merged, hidden)
        for name in sorted(reached & concerned):
            schema = direction.of(merged[name])
            if schema is not merged[name]:
                merged[name] = schema
                notes.append(
                    f"components.{name}: fields that are `{hidden}` are optional in its class, "
                    "which contains requests and responses"
                )
    if all(merged[name] is schema for name, schema in schemas(contract).items()):
        return contract
    components = {**document["components"], "schemas": merged}
    return replace(contract, document={**document, "components": components})


@dataclass(frozen=True)
class _Written:
    """The definitions and inline types by home and holder, what they can't express, problems.

    ``components`` are the homes of components and inline schemas, by version.
    """

    components: dict[str, dict[str, str]]
    definitions: dict[tuple[str, str], list[Definition]]
    notes: list[str]
    types: dict[tuple[str, str], Typed]
    problems: list[Problem]

    def list_homes(self) -> dict[str, dict[str, str]]:
        """Return the module of each definition, by version and name."""
        return {
            version: {
                each.name: home
                for name, home in known.items()
                for each in self.definitions[home, name]
            }
            for version, known in self.components.items()
        }

    def collect_by_home(self) -> tuple[dict[str, dict[str, Definition]], dict[str, str]]:
        """Return the definitions of each home by name, and the first version that uses it."""
        defined: dict[str, dict[str, Definition]] = {}
        first: dict[str, str] = {}
        for version, known in self.components.items():
            for name, home in known.items():
                if first.setdefault(home, version) == version:
                    found = self.definitions[home, name]
                    defined.setdefault(home, {}).update((each.name, each) for each in found)
        return defined, first

    def list_types(self, inlines: Mapping[str, Sequence[Inline]]) -> dict[str, dict[str, Typed]]:
        """Return the types of *inlines*, by version and key."""
        return {
            version: {
                each.key: self.types[self.components[version][each.key], each.key] for each in found
            }
            for version, found in inlines.items()
        }


def _write_definitions(
    contracts: Sequence[Contract],
    components: dict[str, dict[str, str]],
    strict: dict[str, frozenset[str]],
    inlines: Mapping[str, Sequence[Inline]],
    named: Mapping[str, Mapping[str, str]],
    classes: dict[str, str],
    *,
    adopted: bool,
) -> _Written:
    """Write the definitions of each version, its *inlines* after its components.

    No version of clients uses the names in *named*, those of inline types, for anything else.
    """
    reserved = {name for each in named.values() for name in each.values()}
    definitions: dict[tuple[str, str], list[Definition]] = {}
    types: dict[tuple[str, str], Typed] = {}
    notes: dict[str, None] = {}
    problems: list[Problem] = []
    scalars: Scalars = {}
    for contract in progress.count("writing the models", contracts):
        version = contract.version
        known = components[version]
        writer = Writer(
            Flattener(contract.document),
            strict=strict[version],
            classes={name: classes[name] for name in schemas(contract)},
            taken={
                each.name
                for name, home in known.items()
                for each in definitions.get((home, name), ())
            },
            named=named.get(version, {}),
            adopted=adopted,
            scalars=scalars,
        )
        if version != CANONICAL:
            writer.reserve(reserved)
        own = {inline.key for inline in inlines.get(version, ())}
        for name, home in known.items():
            if (home, name) not in definitions and name not in own:
                definitions[home, name] = writer.component(name)
        writer.reserve(classes.values())
        for inline in inlines.get(version, ()):
            # handlers have types of their own: these accept what any version sends
            home = known.setdefault(inline.key, SERVER)
            if (home, inline.key) not in types:
                types[home, inline.key], definitions[home, inline.key] = writer.inline(inline)
        notes |= dict.fromkeys(writer.notes)
        problems += writer.problems
    return _Written(components, definitions, list(notes), types, problems)


def _name_classes(
    contracts: Sequence[Contract], notes: list[str], problems: list[Problem], *, adopted: bool
) -> dict[str, str]:
    """Return the class name that each component has in all versions.

    If two would have the same name, the one with a dot in its name gets an underscore. Nobody can
    rename one in *adopted* definitions: the older keeps the name.
    """
    nodes: dict[str, Any] = {}
    for contract in contracts:
        own = schemas(contract)
        # the one with this name in the document keeps it
        ordered = sorted(own, key=lambda name: adopted and names.class_name(name) != name)
        nodes |= {name: own[name] for name in ordered if name not in nodes}
    named = {name: names.class_name(name) for name in nodes}
    count = Counter(named.values())
    for name, called in named.items():
        if count[called] > 1 and "." in name:
            named[name] = names.class_name(name, dots=True)
            notes.append(
                f"components.{name}: called {named[name]}, for another component is {called}"
            )
    if adopted:
        distinct = names.apart(named)
        notes += (
            f"components.{name}: called {called}, for another component is {named[name]}"
            for name, called in distinct.items()
            if called != named[name]
        )
        return distinct
    problems += (
        Problem(
            place=place_of(nodes[name]),
            id="model-name-taken",
            message=f"the components {first!r} and {name!r} would both be the model "
            f"{named[name]}: rename one",
        )
        for first, name in names.find_equal(named)
    )
    return named
