"""Random edits of the sources of an API, and random rewritings of the same definitions."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from dateline.bundle import Document
from dateline.check import Published, check
from dateline.check.counterparts import list_counterparts
from dateline.check.policy import PolicyRecord
from dateline.load import load
from dateline.model import Combination, Finding, Policy, SourceError, Verdict
from dateline.project import Projector
from support.mutations import NOTES
from support.random_documents import edit_randomly
from support.schema_sites import Schema, sites
from support.surrounding_edits import REFACTORINGS

TODAY: Final = date(2026, 9, 1)
_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*( [A-Za-z0-9_]+)*")
_AMBIGUOUS: Final = frozenset(
    [
        "y",
        "n",
        "yes",
        "no",
        "on",
        "off",
        "true",
        "false",
        "null",
        "Y",
        "N",
        "Yes",
        "No",
        "On",
        "Off",
        "True",
        "False",
        "Null",
        "NO",
        "YES",
    ]
)

_CLEARLY: Final = frozenset(
    {
        *("optional field added", "open value added", "bound loosened", "bound dropped"),
        *("pattern dropped", "format dropped", "operation added", "optional parameter added"),
        *("parameter made optional", "error response added", "response header added"),
        *("component added", *(note.name for note in NOTES)),
    }
)

Contracts = dict[Combination, str]


class Sources(NamedTuple):
    """The definitions of an API as data: the version table as text, all other files joined."""

    table: str
    document: dict[str, Any]

    @classmethod
    def read(cls, folder: Path) -> Sources:
        document = json.loads(json.dumps(load(folder).document))
        return cls((folder / "versions.yaml").read_text(encoding="utf-8"), document)

    def copied(self) -> Sources:
        return Sources(self.table, copy.deepcopy(self.document))


class Case(NamedTuple):
    """The edits of sources, whether all are additive, and the findings of `check`."""

    done: tuple[str, ...]
    listed: bool
    findings: list[Finding]

    @property
    def refused(self) -> list[Finding]:
        """The findings that concern a cut version."""
        return [
            found
            for found in self.findings
            if found.policy is Policy.FROZEN and found.verdict in (Verdict.GATED, Verdict.NEVER)
        ]

    @property
    def clearly_additive(self) -> bool:
        """Whether it is an additive change that the list includes literally."""
        return self.listed and self.done[0] in _CLEARLY

    def __str__(self) -> str:
        reported = [f"{found.verdict} [{found.rule}] {found.message}" for found in self.findings]
        return f"{', '.join(self.done)}: {reported}"


class Project:
    """Sources with their cut versions published, and a folder for edited ones."""

    def __init__(self, sources: Sources, folder: Path) -> None:
        self._sources = sources
        self._folder = folder
        self._folder.mkdir()
        self._contracts = self._projected({"all.json": json.dumps(sources.document)})
        documents = {
            key: Document(name=f"{'-'.join(key)}.json", data=text.encode())
            for key, text in self._contracts.items()
        }
        record = PolicyRecord.of(self._api.table, (), list_counterparts(self._api))
        self._published = Published(label="what stands", documents=documents, policy=record)

    @property
    def size(self) -> int:
        """The length of the definitions as JSON."""
        return len(json.dumps(self._sources.document))

    def edits(self, seed: int, count: int) -> Iterator[Case]:
        """Yield the findings of `check` for *count* random edits that change a cut version."""
        for number in range(100 * count):
            random = Random(f"{seed} {number}")
            sources = self._sources.copied()
            name, listed = edit_randomly(random, sources.document)
            files = {"all.json": json.dumps(sources.document)}
            try:
                if self._projected(files) == self._contracts:
                    continue  # only the draft has changed, or nothing that documents show
                findings = self._findings()
            except SourceError:
                continue  # such definitions are invalid
            yield Case((name,), listed, findings)
            count -= 1
            if count == 0:
                return

    def rewritings(self, seed: int, count: int) -> Iterator[Case]:
        """Yield the findings of `check` for *count* rewritings of the same definitions."""
        for number in range(100 * count):
            random = Random(f"{seed} {number}")
            sources = self._sources.copied()
            done = list(_rewrite(random, sources.document))
            files = _files(random, sources.document)
            try:
                contracts = self._projected(files)
                findings = self._findings()
            except SourceError:
                continue  # such definitions are invalid
            if "inlined" in done and not _still_named(self._contracts, contracts):
                continue  # callers may import a component that nothing refers to any more
            yield Case((*done, *files), True, findings)
            count -= 1
            if count == 0:
                return

    def _projected(self, files: dict[str, str]) -> Contracts:
        """Write *files*, and return the contracts of all cut versions as text."""
        for stale in self._folder.iterdir():
            stale.unlink()
        for name, text in {"versions.yaml": self._sources.table, **files}.items():
            (self._folder / name).write_text(text, encoding="utf-8")
        self._api = load(self._folder)
        projector = Projector(self._api)
        return {
            Combination(version.date, environment.name): json.dumps(
                projector.contract(version.date, environment.name).document
            )
            for version in self._api.table.supported
            for environment in self._api.table.environments
        }

    def _findings(self) -> list[Finding]:
        return check(self._api, self._published, today=TODAY)


def _still_named(before: Contracts, after: Contracts) -> bool:
    """Return whether each contract still has all its components."""
    return all(_names(text) <= _names(after[shown]) for shown, text in before.items())


def _names(contract: str) -> set[str]:
    return set(json.loads(contract)["components"]["schemas"])


def _rewrite(random: Random, document: dict[str, Any]) -> Iterator[str]:
    """Rewrite *document* in a few random steps; yield their names."""
    for _ in range(random.randint(1, 3)):
        kind = random.random()
        if kind < 0.5:
            chosen = random.choice(REFACTORINGS)
            if chosen.change(random, document):
                yield chosen.name
        elif kind < 0.75:
            note = random.choice(NOTES)
            note.change(random, random.choice(sites(document)).node)
            yield note.name
        elif _unpublished_renamed(document):
            yield "unpublished component renamed"


def _unpublished_renamed(document: dict[str, Any]) -> bool:
    """Rename something that only the draft has."""
    schemas = document["components"]["schemas"]
    name = next(
        (
            member["$ref"].rsplit("/", 1)[1]
            for site in sites(document)
            for member in site.node.get("oneOf", [])
            if member.get("x-added") == "next" and "$ref" in member
        ),
        None,
    )
    if name is None or f"{name}Renamed" in schemas:
        return False
    text = json.dumps(document).replace(
        f'"#/components/schemas/{name}"', f'"#/components/schemas/{name}Renamed"'
    )
    made = json.loads(text)
    made["components"]["schemas"][f"{name}Renamed"] = made["components"]["schemas"].pop(name)
    document.clear()
    document.update(made)
    return True


# Different files, different YAML


def _files(random: Random, document: dict[str, Any]) -> dict[str, str]:
    """Return *document* split into files at random, each in a YAML style of its own."""
    parts: list[Schema] = [{} for _ in range(random.randint(1, 4))]
    for key, value in document.items():
        if key not in ("paths", "webhooks", "components"):
            parts[0][key] = value
            continue
        for name, below in value.items():
            if key != "components":
                random.choice(parts).setdefault(key, {})[name] = below
                continue
            for each, node in below.items():
                section = random.choice(parts).setdefault(key, {}).setdefault(name, {})
                section[each] = node
    made = {}
    for number, part in enumerate(parts):
        if part:
            as_json = random.random() < 0.2
            suffix = "json" if as_json else "yaml"
            text = json.dumps(part, indent=random.choice((None, 2))) if as_json else None
            made[f"part-{number}.{suffix}"] = text or "\n".join(_block(random, part, 0)) + "\n"
    return made


def _block(random: Random, node: Any, indent: int) -> Iterator[str]:
    """Yield the lines of a mapping or list in a random block style, with comments."""
    margin = " " * indent
    entries: list[tuple[str, Any]]
    if isinstance(node, dict):
        named = list(node.items())
        random.shuffle(named)
        entries = [(f"{_scalar(random, name, key=True)}:", below) for name, below in named]
    else:
        entries = [("-", below) for below in node]
    for head, below in entries:
        if random.random() < 0.1:
            yield random.choice(("", f"{margin}# about what follows"))
        if isinstance(below, dict | list) and below and random.random() < 0.7:
            yield f"{margin}{head}{random.choice(('', ' # a note'))}"
            yield from _block(random, below, indent + 2)
        else:
            yield f"{margin}{head} {_flow(random, below)}{random.choice(('', '', ' # a note'))}"


def _flow(random: Random, node: Any) -> str:
    if isinstance(node, dict):
        named = list(node.items())
        random.shuffle(named)
        pairs = (
            f"{_scalar(random, name, key=True)}: {_flow(random, each)}" for name, each in named
        )
        return "{ " + ", ".join(pairs) + " }" if named else "{}"
    if isinstance(node, list):
        return "[" + ", ".join(_flow(random, each) for each in node) + "]"
    return _scalar(random, node)


def _scalar(random: Random, value: Any, *, key: bool = False) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    plain = _PLAIN.fullmatch(value) and value not in _AMBIGUOUS and (not key or " " not in value)
    if plain and random.random() < 0.6:
        return value
    if value.isprintable() and random.random() < 0.5:
        return "'" + value.replace("'", "''") + "'"
    return json.dumps(value, ensure_ascii=False)
