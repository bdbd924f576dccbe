"""Compare two references to contracts: versions, revisions, folders or documents."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from dateline.bundle import Document, Readings, read_contents
from dateline.check.baseline import BaselineError, Published, read_baseline
from dateline.check.merge import ChangeGroup, ChangeGroups, identify_edit, place_at_cause, sort_key
from dateline.diff import DiffReadings, diff
from dateline.diff.published import read_meanings
from dateline.load import TABLE, load
from dateline.load.foreign import wrong_types_refused
from dateline.load.table import read_policy_rules
from dateline.model import (
    Api,
    Change,
    Combination,
    DatelineError,
    Finding,
    Place,
    Policy,
    Problem,
    SourceError,
    Verdict,
    join_errors,
)
from dateline.openapi import VERSION
from dateline.presets import DEFAULT_POLICY, PRESETS
from dateline.project import Projector
from dateline.rules import CHANGE_RULES, RULES
from dateline.source.reader import read
from dateline.wording import did_you_mean

_VERSION: Final = re.compile(r"(\d{4}-\d{1,2}(?:[.-][0-9a-z.-]+)?|next)(?:@(.+))?")
_ALONE: Final = Combination("", "")  # a document without a version


class UnknownError(DatelineError):
    """The table does not have the named version or environment."""

    exit_code = 2


@dataclass(frozen=True, kw_only=True)
class _Side:
    """What a name stands for: documents by version and environment.

    ``version`` is set if it names one version of the definitions; otherwise ``texts`` are the
    documents as they were read.
    """

    label: str
    documents: Mapping[Combination, dict[str, Any]]
    version: str | None = None
    texts: Mapping[Combination, Document] = field(default_factory=dict)

    def text(self, shown: Combination) -> Document | None:
        """Return the original text of the document at *shown*; None for that of definitions."""
        return self.texts.get(shown, next(iter(self.texts.values()), None))

    def is_published(self, shown: Combination) -> bool:
        """Return whether the document at *shown* is as its author published it."""
        text = self.text(shown)
        return text is not None and not text.is_meant

    def find_pointer(self, pointer: str | None, shown: Combination, other: _Side) -> str | None:
        """Return the pointer in the original document for *pointer*, where *other* differs."""
        text = self.text(shown)
        if pointer is None or text is None:
            return pointer
        return text.find_pointer(pointer, other.text(shown))


def compare(
    schemas: Path,
    output: Path,
    before: str,
    after: str,
    policy: str | None = None,
    *,
    respelled: bool = False,
) -> tuple[list[Finding], str]:
    """Return all differences between *before* and *after*, and a phrase for *before*.

    A *policy*, the name of a preset or of a file with the content of `policy` in the version table,
    replaces the one of the definitions. With *respelled*, other spellings of the same schema count
    as equal, as in documents of different releases of OpenAPI.

    *before* and *after* each name a version of the definitions in *schemas* (``2026-07-01``, with
    ``@sandbox`` one environment of it), a git revision, a folder of outputs, or an OpenAPI
    document. Raises BaselineError for an unknown name, and if the two have nothing in common;
    UnknownError and SourceError for an invalid policy.
    """
    sides = _Sides(schemas, output, policy)
    older, newer = sides.both(before, after)
    pairs = _pairs(older, newer)
    if not pairs:
        raise BaselineError(
            f"{older.label} and {newer.label} have no version and environment in common; "
            f"name documents, or one version on each side"
        )
    with wrong_types_refused(*older.texts.values(), *newer.texts.values()):
        merged = ChangeGroups(*sides.policy)
        for shown, (one, other) in pairs.items():
            renames = sides.renames(older, newer, shown.environment)
            readings = DiffReadings()
            are_published = (older.is_published(shown), newer.is_published(shown))
            meanings = read_meanings(one, other, readings, are_published=are_published)
            for change in map(
                place_at_cause, diff(*meanings, renames, readings, respelled=respelled)
            ):
                # the name of a version is not one of its changes
                if not (older.version and newer.version and change.after_pointer == VERSION):
                    written = sides.find_pointers(older, newer, change, shown)
                    merged.add(change, shown, identify_edit(change, written) if written else "")
        findings = [
            group.finding(
                Policy.COMPARISON,
                **sides.advice(older, newer, group),
                before_source=sides.place(
                    older, group.change.before_pointer, group.combinations[0], newer
                ),
                after_source=sides.place(
                    newer, group.change.after_pointer, group.combinations[0], older
                ),
                **sides.find_pointers(older, newer, group.change, group.combinations[0]),
            )
            for group in merged
        ]
    return sorted(findings, key=sort_key), older.label


class _Sides:
    """Resolves names; reads the definitions once, and only if necessary."""

    def __init__(self, schemas: Path, output: Path, policy: str | None) -> None:
        self._schemas = schemas
        self._output = output
        self._readings = Readings()
        self._policy = policy
        self._has_definitions = (schemas / TABLE).exists()

    def advice(self, older: _Side, newer: _Side, group: ChangeGroup) -> dict[str, str]:
        """Return the help for callers, unless the author can still gate the change."""
        if self._has_definitions and not (older.version and newer.version):
            return {}
        return {"help": RULES[group.judgement.rule].callers}

    @property
    def policy(self) -> tuple[str, dict[str, Verdict]]:
        """The requested policy; else that of the definitions, or the built-in one."""
        if self._policy is not None:
            return _named_policy(self._policy)
        if not self._has_definitions:
            return DEFAULT_POLICY, {}
        table = self._definitions.table
        return table.policy, table.verdicts

    def renames(self, older: _Side, newer: _Side, environment: str) -> dict[str, str]:
        """Return the renames in the definitions between two of their versions."""
        if older.version is None or newer.version is None:
            return {}
        return self._projector.renames(older.version, newer.version, environment)

    def find_pointers(
        self, older: _Side, newer: _Side, change: Change, shown: Combination
    ) -> dict[str, str | None]:
        """Return the pointers of *change* in the original documents.

        Empty if these are the pointers that it has.
        """
        found = {
            "before_pointer": older.find_pointer(change.before_pointer, shown, newer),
            "after_pointer": newer.find_pointer(change.after_pointer, shown, older),
        }
        known = {"before_pointer": change.before_pointer, "after_pointer": change.after_pointer}
        return {} if found == known else found

    def place(
        self, side: _Side, pointer: str | None, shown: Combination, other: _Side
    ) -> Place | None:
        """Return the place of *pointer* in the source of *side*, where that of *other* differs."""
        if pointer is None:
            return None
        if (text := side.text(shown)) is not None:
            return text.place(pointer, other.text(shown))
        assert side.version is not None
        return self._definitions.locate(
            self._projector.origin(pointer, side.version, shown.environment)
        )

    @cached_property
    def _definitions(self) -> Api:
        return load(self._schemas)

    @cached_property
    def _projector(self) -> Projector:
        return Projector(self._definitions)

    def both(self, before: str, after: str) -> tuple[_Side, _Side]:
        """Return what both names stand for; raises every problem with either."""
        found: list[_Side] = []
        errors: list[DatelineError] = []
        for name in (before, after):
            try:
                found.append(self._side(name))
            except DatelineError as error:
                errors.append(error)
        if errors:
            raise join_errors(errors)
        older, newer = found
        return older, newer

    def _side(self, name: str) -> _Side:
        path = Path(name)
        if not path.exists() and (found := self._parse_version(name)):
            return self._version(*found)
        published = self._read_published(name)
        return _Side(
            label=published.label,
            documents=read_contents(published.documents),
            texts=published.documents,
        )

    def _parse_version(self, name: str) -> tuple[str, str | None] | None:
        """Return the version and the environment in *name*; None if it is another kind of name."""
        if found := _VERSION.fullmatch(name):
            return found[1], found[2]
        version, _, environment = name.partition("@")
        is_known = self._has_definitions and version in self._definitions.table.dates
        return (version, environment or None) if is_known else None

    def _read_published(self, name: str) -> Published:
        published = read_baseline(name, self._output, self._readings)
        if not published.documents:
            raise BaselineError(f"{published.label}: baseline-empty: there is nothing to compare")
        document, *others = published.documents.items()
        if not others and not document[0].environment:
            return Published(label=published.label, documents={_ALONE: document[1]})
        return published

    def _version(self, version: str, environment: str | None) -> _Side:
        api = self._definitions
        names = api.table.environment_names
        for retired in api.table.retired:
            if retired.date == version:
                raise UnknownError(
                    f"{version} ended on {retired.ended}, and is not in the definitions any more; "
                    f"name its document in an earlier commit: REVISION:PATH/{version}.json"
                )
        for word, given, known in (
            ("version", version, api.table.dates),
            ("environment", environment, names),
        ):
            if given is not None and given not in known:
                hint = did_you_mean(given, known)
                raise UnknownError(f"no {word} {given} in the version table{hint}")
        shown = [environment] if environment else names
        return _Side(
            label=version if environment is None else f"{version} ({environment})",
            documents={
                Combination(version, name): self._projector.contract(version, name).document
                for name in shown
            },
            version=version,
        )


def _named_policy(name: str) -> tuple[str, dict[str, Verdict]]:
    """Return the policy of the preset *name*, or in the file of that name."""
    path = Path(name)
    if name in PRESETS:
        return name, {}
    if not path.is_file():
        hint = did_you_mean(name, PRESETS)
        raise UnknownError(f"{name} is neither a preset nor a file{hint}")
    problems: list[Problem] = []
    document = read(path, name, adopted=False, problems=problems)
    if document is None or problems:
        raise SourceError(problems)
    preset, rules, _ = read_policy_rules(document, problems)
    problems += [
        Problem(
            place=document["rules"].place(rule),
            id="policy-rule-unknown",
            message=f"{rule} is not a rule{did_you_mean(rule, CHANGE_RULES)}",
        )
        for rule in rules
        if rule not in CHANGE_RULES
    ]
    if problems:
        raise SourceError(problems)
    return preset, {rule: Verdict(verdict) for rule, verdict in rules.items()}


def _pairs(older: _Side, newer: _Side) -> dict[Combination, tuple[dict[str, Any], dict[str, Any]]]:
    """Return what is to be compared, by combination."""
    before, both = older.documents, older.version and newer.version
    is_one = len(before) == len(newer.documents) == 1
    if _ALONE in before or _ALONE in newer.documents or (both and is_one):
        one, other = next(iter(before)), next(iter(newer.documents))
        return {other if other != _ALONE else one: (before[one], newer.documents[other])}
    if both:
        before = {key._replace(version=both): document for key, document in before.items()}
    return {
        key: (before[key], document) for key, document in newer.documents.items() if key in before
    }
