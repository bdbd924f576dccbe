"""Published changes of real APIs: which the differ finds, and how often the rules agree.

A change is found where one is told at its place that is of its kind: a field that is listed as
removed and told as documentation is missed.

`published.py FOLDER` reads `FOLDER/*/changes.tsv` beside `base` and `head` and prints a table;
`--rows` names every row that was missed or judged otherwise. A row says where it can be seen:

    schema:NAME.a.b  op:METHOD /p  req:METHOD /p # a.b  resp:METHOD /p@code # a.b
    param:METHOD /p # name  status:METHOD /p # code  ptr:/json/pointer

with a suffix such as `=enum:V` or `=required`, `!` for what is not there, ` && ` between several.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from dateline.diff import diff
from dateline.model import Change, Kind, Verdict
from dateline.rules import judge

# when run as a script, modules beside it are found from the folder of the tests
sys.path.insert(0, str(Path(__file__).parents[1]))

_THROUGH: Final = ("allOf", "oneOf", "anyOf")
_SUFFIX: Final = re.compile(r"=(enum|type|ref|format|required|nullable|deprecated)(:.*)?$")
_GATED: Final = frozenset({Verdict.GATED, Verdict.NEVER})


_REMOVED: Final = {(Kind.FIELD_REMOVED, ""), (Kind.FIELD_RENAMED, "")}
_ADDED: Final = {(Kind.FIELD_ADDED, ""), (Kind.FIELD_RENAMED, "")}
_STATUS: Final = {(Kind.RESPONSE_ADDED, ""), (Kind.RESPONSE_REMOVED, "")}
_TYPE: Final = {
    (Kind.TYPE_ADDED, ""),
    (Kind.TYPE_REMOVED, ""),
    *((kind, "type") for kind in (Kind.KEYWORD_ADDED, Kind.KEYWORD_REMOVED, Kind.KEYWORD_CHANGED)),
}

# The required kind of change for a row of each kind, and the keyword if one is named. A row of a
# kind that is missing here is an error.
_KINDS: Final[dict[str, set[tuple[Kind, str]]]] = {
    "enum-value-removed": {(Kind.VALUE_REMOVED, "")},
    "error-status-changed": _STATUS,
    "operation-added": {(Kind.OPERATION_ADDED, "")},
    "operation-moved": {(Kind.OPERATION_ADDED, ""), (Kind.OPERATION_REMOVED, "")},
    "operation-removed": {(Kind.OPERATION_REMOVED, "")},
    "parameter-removed": {(Kind.PARAMETER_REMOVED, "")},
    "ref-changed": {(Kind.KEYWORD_CHANGED, "$ref")},
    "request-field-added": _ADDED,
    # also one that is added as required
    "request-field-became-required": {(Kind.FIELD_REQUIRED, ""), (Kind.FIELD_ADDED, "required")},
    "request-field-removed": _REMOVED,
    "request-field-renamed": _REMOVED | _ADDED,
    "response-field-added": _ADDED,
    "response-field-no-longer-always-present": _TYPE
    | {(Kind.KEYWORD_ADDED, "nullable"), (Kind.KEYWORD_REMOVED, "nullable")},
    "response-field-removed": _REMOVED,
    "response-field-renamed": _REMOVED | _ADDED,
    "status-removed": _STATUS,
    "success-status-changed": _STATUS,
    "type-changed": _TYPE,
}


class Row(NamedTuple):
    """One published change; ``breaking`` is what the provider calls it."""

    id: str
    kind: str
    breaking: str
    visible: bool
    checks: tuple[str, str]
    note: str

    def fits(self, change: Change) -> bool:
        """Return whether *change*, or one within it, is of a kind that matches this row."""
        if any(check.endswith("/examples") for check in self.checks):
            # a field that a provider lists as removed may only occur in examples
            return change.kind is Kind.DOCUMENTATION_CHANGED
        kinds = _KINDS[self.kind.removesuffix(" (unpublished)")]
        known = (change.kind, "") in kinds or (change.kind, change.keyword) in kinds
        return known or any(map(self.fits, change.within))

    def fits_whole(self, change: Change) -> bool:
        """Return whether what was added or removed as a whole matches the row."""
        sides = {"added": change.before_pointer, "removed": change.after_pointer}
        words = self.kind.removesuffix(" (unpublished)").split("-")
        return all(pointer is None for word, pointer in sides.items() if word in words)


class Outcome(NamedTuple):
    """The result for a row: the changes that match it, or those that contain it.

    ``otherwise`` are changes at its place of a kind that doesn't match.
    """

    row: Row
    reported: list[Change]
    within: list[Change]
    otherwise: list[Change]

    def verdict(self, preset: str) -> Verdict | None:
        found = self.reported or self.within
        verdicts = {judge(change, preset, {}).verdict for change in found}
        return Verdict.GATED if verdicts & _GATED else next(iter(verdicts), None)


def rows(file: Path) -> list[Row]:
    with file.open(encoding="utf-8", newline="") as lines:
        return [
            Row(
                reported["id"],
                reported["kind"],
                reported["breaking_by_provider"],
                reported["visible"] == "yes",
                (reported["base_check"], reported["head_check"]),
                reported["note"] or "",
            )
            for reported in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]


class Places:
    """Resolves selectors to pointers in a document, behind all references."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document

    def find(self, selector: str) -> set[str]:
        scheme, _, rest = selector.partition(":")
        if scheme == "schema":
            names = self._document["components"]["schemas"]
            # names may contain dots: the longest existing one
            known = [name for name in names if rest == name or rest.startswith(f"{name}.")]
            if not known:
                return set()
            name = max(known, key=len)
            at = f"/components/schemas/{_escape(name)}"
            return self._below([(names[name], at)], rest[len(name) :].lstrip("."))
        if scheme == "ptr":
            return self._pointer(rest)
        operation, _, field = rest.partition(" # ")
        return self._operation(scheme, operation.strip(), field.strip())

    def _operation(self, scheme: str, operation: str, field: str) -> set[str]:
        method, _, rest = operation.partition(" ")
        path, _, code = rest.partition("@")
        item = self._document["paths"].get(path, {})
        node = item.get(method.lower())
        if node is None:
            return set()
        at = f"/paths/{_escape(path)}/{method.lower()}"
        if scheme == "op":
            return {at}
        if scheme == "param":
            listed = [(item, f"/paths/{_escape(path)}"), (node, at)]
            return {
                pointer
                for holder, home in listed
                for index, each in enumerate(holder.get("parameters", []))
                for reported, pointer in self._seen_through(each, f"{home}/parameters/{index}")
                if reported.get("name") == field
            }
        if scheme == "status":
            return {f"{at}/responses/{field}"} if field in node.get("responses", {}) else set()
        if scheme == "req":
            holders = [(node.get("requestBody", {}), f"{at}/requestBody")]
        else:
            holders = [
                (response, f"{at}/responses/{status}")
                for status, response in node.get("responses", {}).items()
                if not code or status == code
            ]
        schemas = [
            (media["schema"], f"{pointer}/content/{_escape(name)}/schema")
            for holder, home in holders
            for reported, pointer in self._seen_through(holder, home)
            for name, media in reported.get("content", {}).items()
            if "schema" in media
        ]
        return self._below(schemas, field)

    def _pointer(self, pointer: str) -> set[str]:
        located = [(self._document, "")]
        for token in pointer.split("/")[1:]:
            key = token.replace("~1", "/").replace("~0", "~")
            located = [
                (below, f"{at}/{token}")
                for reported, home in located
                for node, at in self._seen_through(reported, home)
                if (below := _child(node, key)) is not None
            ]
        return {at for _, at in located}

    def _seen_through(self, node: Any, at: str) -> Iterator[tuple[Any, str]]:
        """Yield a node, or the target of its reference."""
        while isinstance(node, dict) and isinstance(node.get("$ref"), str):
            at = node["$ref"].removeprefix("#")
            node = self._document
            for token in at.split("/")[1:]:
                node = node[token.replace("~1", "/").replace("~0", "~")]
        yield node, at

    def _below(self, schemas: Iterable[tuple[Any, str]], path: str) -> set[str]:
        located = list(schemas)
        for name in path.split(".") if path else []:
            located = [
                (node["properties"][name], f"{at}/properties/{_escape(name)}")
                for node, at in self._parts(located)
                if name in node.get("properties", {})
            ]
        return {at for _, at in located}

    def _parts(self, located: list[tuple[Any, str]]) -> Iterator[tuple[dict[str, Any], str]]:
        """Yield every schema that applies: behind references, in lists, in unions."""
        met: set[str] = set()
        stack = list(located)
        while stack:
            for node, at in self._seen_through(*stack.pop()):
                if at in met or not isinstance(node, dict):
                    continue
                met.add(at)
                yield node, at
                for key in _THROUGH:
                    stack += [
                        (each, f"{at}/{key}/{index}")
                        for index, each in enumerate(node.get(key, []))
                    ]
                if isinstance(node.get("items"), dict):
                    stack.append((node["items"], f"{at}/items"))


def _child(node: Any, key: str) -> Any:
    if isinstance(node, list):
        return node[int(key)] if key.isdecimal() and int(key) < len(node) else None
    return node.get(key) if isinstance(node, dict) else None


def _escape(token: str) -> str:
    return token.replace("~", "~0").replace("/", "~1")


class Found:
    """The changes between two documents, to be searched for those that match a row."""

    def __init__(self, before: dict[str, Any], after: dict[str, Any]) -> None:
        self._documents = before, after
        self._places = Places(before), Places(after)
        self.changes = diff(before, after)
        self._at: list[tuple[str, Change]] = []
        for change in self.changes:
            for inner in (change, *change.within):
                self._at += [(pointer, change) for pointer in self._pointers(inner)]

    def _pointers(self, change: Change) -> Iterator[str]:
        sides = (change.before_pointer, change.after_pointer)
        for document, pointer in zip(self._documents, sides, strict=True):
            if pointer is None:
                continue
            yield pointer
            home, _, index = pointer.rpartition("/")
            if home.endswith("/required") and index.isdecimal():
                # an entry of `required` concerns the property that it names
                node: Any = document
                for token in pointer.split("/")[1:]:
                    node = _child(node, token.replace("~1", "/").replace("~0", "~"))
                yield f"{home.removesuffix('/required')}/properties/{_escape(str(node))}"

    def outcome(self, row: Row) -> Outcome:
        goals: set[str] = set()
        for places, check in zip(self._places, row.checks, strict=True):
            for part in check.split(" && "):
                if not part.startswith("!"):
                    goals |= places.find(_selector(part))
        reported = [
            change
            for pointer, change in self._at
            if any(pointer == goal or pointer.startswith(f"{goal}/") for goal in goals)
        ]
        within = [
            change
            for pointer, change in self._at
            if any(goal.startswith(f"{pointer}/") for goal in goals)
            and None in (change.before_pointer, change.after_pointer)
            and row.fits_whole(change)
        ]
        fitting = [change for change in reported if row.fits(change)]
        return Outcome(
            row, fitting, within, [change for change in reported if change not in fitting]
        )


def _selector(part: str) -> str:
    """Return the place that a check concerns, without its condition."""
    return _SUFFIX.sub("", part)


class Tally(NamedTuple):
    """The results for one pair of documents."""

    name: str
    outcomes: list[Outcome]
    changes: int
    silent: bool
    """Whether nothing differs between each document and itself."""

    @property
    def missed(self) -> list[Outcome]:
        return [one for one in self.outcomes if not one.reported and not one.within]

    def line(self) -> str:
        found = len(self.outcomes) - len(self.missed)
        whole = sum(not one.reported and bool(one.within) for one in self.outcomes)
        agreed = [self.agreed(preset) for preset in ("dated-contract", "github")]
        return (
            f"{self.name:32} {len(self.outcomes):5} {found:6} {whole:7} {len(self.missed):7} "
            f"{self.changes:8}  {agreed[0]:>9} {agreed[1]:>9}  {'yes' if self.silent else 'NO'}"
        )

    def agreed(self, preset: str) -> str:
        """Return how often *preset* agrees with the provider: `12 of 13`."""
        judged = [one for one in self.outcomes if one.row.breaking in ("y", "n")]
        agreeing = [one for one in judged if not self.differs(one, preset)]
        return f"{len(agreeing)} of {len(judged)}"

    @staticmethod
    def differs(outcome: Outcome, preset: str) -> bool:
        breaking = outcome.verdict(preset) in _GATED
        return outcome.row.breaking in ("y", "n") and breaking != (outcome.row.breaking == "y")


def tallies(folder: Path) -> Iterator[Tally]:
    from benchmarks.documents import read

    for home in sorted(path.parent for path in folder.glob("*/changes.tsv")):
        before, after = read(home, "base"), read(home, "head")
        found = Found(before, after)
        seen = [row for row in rows(home / "changes.tsv") if row.visible]
        outcomes = [found.outcome(row) for row in seen]
        silent = not diff(before, read(home, "base")) and not diff(after, read(home, "head"))
        yield Tally(home.name, outcomes, len(found.changes), silent)


_HEAD: Final = (
    f"{'pair':32} {'rows':>5} {'found':>6} {'(whole)':>7} {'missed':>7} {'changes':>8}  "
    f"{'ours':>9} {'github':>9}  silent on itself"
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.json:
        print(_HEAD)
    done = []
    for tally in tallies(options.folder):
        done.append(tally)
        if not options.json:
            print(tally.line())
            for one in tally.outcomes if options.rows else ():
                if one in tally.missed or tally.differs(one, "github"):
                    word = "missed" if one in tally.missed else "judged otherwise"
                    row = one.row
                    print(f"    {word}: {row.id} {row.kind}, breaking: {row.breaking} {row.note}")
                    if one in tally.missed and one.otherwise:
                        kinds = sorted({str(change.kind) for change in one.otherwise})
                        print(f"        told as {', '.join(kinds)}")
    found = sum(len(tally.outcomes) - len(tally.missed) for tally in done)
    missed = [one.row.id for tally in done for one in tally.missed]
    noisy = [tally.name for tally in done if not tally.silent]
    said = f"{found} of {found + len(missed)} published changes found"
    if missed:
        said += f"; missed: {', '.join(missed)}"
    if noisy:
        said += f"; changes from a document to itself: {', '.join(noisy)}"
    print(json.dumps({"phases": {}, "said": said}) if options.json else said)
    if missed or noisy:
        sys.exit(said)


if __name__ == "__main__":
    main()
