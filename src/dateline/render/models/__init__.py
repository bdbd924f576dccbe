"""The contracts of all versions in, an installable distribution of pydantic models out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from dateline.model import Artifact, Contract, Problem, SourceError, Table
from dateline.render.models import assemble, names
from dateline.render.models.generate import sources
from dateline.render.models.order import in_order
from dateline.render.models.reading import Reader
from dateline.render.models.sharing import homes, request_only, schemas
from dateline.render.models.writing import Definition, Writer, place_of


def models(
    contracts: Sequence[Contract], table: Table, templates: Path
) -> tuple[list[Artifact], list[str]]:
    """Return the files of the distribution, below ``python/``, and what it can't express.

    *contracts* stand oldest first, one for each version, of all environments together. A type
    whose closure is equal in two of them is defined in the older one and re-exported by the
    newer. *templates* holds ``datamodel/`` (the layout of one definition) and ``python/`` (the
    other files). Raises SourceError where two names of the document become one Python name.
    """
    strict = {contract.version: request_only(contract) for contract in contracts}
    components = homes(contracts, strict)
    definitions: dict[str, dict[str, Definition]] = {}
    where: dict[str, dict[str, str]] = {}
    notes: list[str] = []
    problems: list[Problem] = []
    for contract in contracts:
        version = contract.version
        inherited = {
            made.name: home
            for name, home in components[version].items()
            if home != version
            for made in definitions[home].values()
            if made.component == name
        }
        classes = _classes(contract, notes, problems)
        writer = Writer(
            Reader(contract.document),
            strict=strict[version],
            classes=classes,
            taken=set(inherited),
        )
        new = [
            made
            for name, home in components[version].items()
            if home == version
            for made in writer.component(name)
        ]
        definitions[version] = {made.name: made for made in new}
        where[version] = inherited | dict.fromkeys(definitions[version], version)
        notes += [note for note in writer.notes if note not in notes]
        problems += writer.problems
    if problems:
        raise SourceError(problems)
    orders = {version: in_order(made) for version, made in definitions.items()}
    blocks = sources(
        {names.package_name(version): made for version, made in orders.items()},
        {
            names.package_name(version): {
                name: names.package_name(home) for name, home in known.items()
            }
            for version, known in where.items()
        },
        templates / "datamodel",
    )
    artifacts = assemble.files(contracts, table, where, templates)
    artifacts += [
        Artifact(
            path=f"python/{table.package}/{names.package_name(version)}/models.py",
            content=assemble.module(
                version, order, blocks[names.package_name(version)], where[version]
            ),
        )
        for version, order in orders.items()
        if order.definitions
    ]
    return sorted(artifacts, key=lambda artifact: artifact.path), notes


def _classes(contract: Contract, notes: list[str], problems: list[Problem]) -> dict[str, str]:
    """Return the class name of each component.

    Of two that would be called the same, the one with a dot in its name keeps it, as an
    underscore.
    """
    made = {name: names.class_name(name) for name in schemas(contract)}
    count = Counter(made.values())
    for name, called in made.items():
        if count[called] > 1 and "." in name:
            made[name] = names.class_name(name, dots=True)
            notes.append(
                f"components.{name}: called {made[name]}, for another component is {called}"
            )
    first: dict[str, str] = {}
    for name, called in made.items():
        if called in first:
            problems.append(
                Problem(
                    place=place_of(schemas(contract)[name]),
                    id="model-name-taken",
                    message=f"the components {first[called]!r} and {name!r} would both be the "
                    f"model {called}: rename one",
                )
            )
        first[called] = name
    return made
