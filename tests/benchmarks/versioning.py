"""The rows of the table about versioning: `check`, `diff`, and the promises of the rules."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from benchmarks.measure import Case, FailedError
from benchmarks.rows import (
    DATELINE,
    PASS,
    SCHEMAS,
    Row,
    SkippedError,
    copy_project,
    data,
    promise,
    scaled,
    script,
    unpack,
)

_OPERATIONS: Final = 1000
_DEEP: Final = 400


def _unpack(root: Path, name: str) -> tuple[str, str]:
    """Write both documents of a pair into *root*; return their names."""
    found = sorted(Path(data(), name).glob("*.gz"))
    if len(found) != 2:
        raise SkippedError(f"no {name}/base.*.gz and {name}/head.*.gz in {data()}")
    for path in found:
        unpack(path, root / path.stem)
    return found[0].stem, found[1].stem


def _diff(before: str, after: str) -> list[str]:
    return [DATELINE, "diff", before, after, "--format", "json"]


def _print_with_seed(root: Path, command: list[str], seed: int) -> bytes:
    """Return the output of *command* with the hash seed *seed*."""
    surroundings = {**os.environ, "PYTHONHASHSEED": str(seed)}
    done = subprocess.run(command, cwd=root, env=surroundings, capture_output=True, check=False)
    if done.returncode != 0:
        raise FailedError(f"{' '.join(command)}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def _pair(name: str) -> Callable[[Path], Case]:
    def prepare(root: Path) -> Case:
        before, after = _unpack(root, name)
        command = _diff(before, after)
        if _print_with_seed(root, command, 1) != _print_with_seed(root, command, 2):
            raise FailedError(f"{name}: two runs differ")
        return Case(root, command, _diff(after, after))

    return prepare


def _itself(name: str) -> Callable[[Path], Case]:
    def prepare(root: Path) -> Case:
        _, after = _unpack(root, name)
        return Case(root, _diff(after, after), PASS)

    return prepare


def _yaml(root: Path) -> Case:
    before, after = _unpack(root, "stripe-2022-11-15")
    reading = (
        "import sys, yaml\n"
        "for name in sys.argv[1:]:\n"
        "    with open(name, 'rb') as file:\n"
        "        yaml.load(file, Loader=yaml.CSafeLoader)\n"
    )
    return Case(root, _diff(before, after), [sys.executable, "-c", reading, before, after])


def _one_finding(root: Path, before: Any, after: Any) -> Case:
    """Compare two documents that differ in one thing; fail unless it has exactly one finding."""
    for name, document in (("before.json", before), ("after.json", after)):
        (root / name).write_text(json.dumps(document))
    command = _diff("before.json", "after.json")
    reported = json.loads(_print_with_seed(root, command, 1))["changes"]
    if len(reported) != 1:
        raise FailedError(f"one edit, {len(reported)} findings")
    return Case(root, command, _diff("after.json", "after.json"))


def _document(operations: int, schemas: dict[str, Any]) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Loan"}}}
    answer = {"200": {"description": "a loan", "content": content}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Library", "version": "1"},
        "paths": {
            f"/loans/{number}": {"get": {"operationId": f"loan{number}", "responses": answer}}
            for number in range(scaled(operations))
        },
        "components": {"schemas": schemas},
    }


def _many_operations(root: Path) -> Case:
    before, after = (
        _document(
            _OPERATIONS,
            {
                "Loan": {
                    "type": "object",
                    "properties": {"state": {"$ref": "#/components/schemas/State"}},
                },
                "State": {"type": "string", "enum": values},
            },
        )
        for values in (["active"], ["active", "paused"])
    )
    return _one_finding(root, before, after)


def _deep(root: Path) -> Case:
    """Let schemas form a long cycle, in which each also refers to the first."""
    documents = []
    for last in ("string", "integer"):
        names = ["Loan", *(f"Part{number}" for number in range(scaled(_DEEP)))]
        schemas: dict[str, Any] = {
            name: {
                "type": "object",
                "properties": {
                    "next": {"$ref": f"#/components/schemas/{names[(at + 1) % len(names)]}"},
                    "first": {"$ref": "#/components/schemas/Loan"},
                },
            }
            for at, name in enumerate(names)
        }
        schemas[names[-1]]["properties"]["note"] = {"type": last}
        documents.append(_document(10, schemas))
    return _one_finding(root, *documents)


def _unchanged(root: Path) -> Case:
    copy_project(root)
    # the outputs may be from another version of the code
    _print_with_seed(root, [DATELINE, "generate"], 0)
    return Case(root, [DATELINE, "check"], PASS)


def _edit_word(root: Path) -> Case:
    """Edit one word of the largest source of three versions that were adopted and published."""
    given = []
    for day, name in _ADOPTED.items():
        found = sorted(Path(data()).glob(name))
        if not found:
            raise SkippedError(f"no {name} in {data()}")
        path = root / f"{day}.{'json' if '.json' in found[0].name else 'yaml'}"
        unpack(found[0], path)
        given.append(f"{day}={path.name}")
    _print_with_seed(root, [DATELINE, "adopt", *given], 0)
    _print_with_seed(root, script("measured.py", "documents", "schemas", "generated"), 0)
    source = max((root / "schemas").rglob("*.yaml"), key=lambda path: path.stat().st_size)
    text = source.read_text("utf-8")
    source.write_text(text.replace("description: ", "description: Edited. ", 1), "utf-8")
    reading = (
        "import sys\n"
        "from pathlib import Path\n"
        "from dateline.source.reader import read\n"
        "read(Path(sys.argv[1]), 'source.yaml', adopted=True, problems=[])\n"
    )
    return Case(root, [DATELINE, "check"], [sys.executable, "-c", reading, str(source)])


def _published(root: Path) -> Case:
    return Case(root, script("published.py", data(), "--json"), PASS)


def _mutants(root: Path) -> Case:
    count = str(scaled(300))
    return Case(root, script("mutants.py", str(root / "mutants"), "--count", count, "--json"), PASS)


def _refactorings(root: Path) -> Case:
    return promise("refactorings", data())(root)


_ADOPTED: Final = {
    "2020-08-27": "stripe-2020-08-27/head.*.gz",
    "2022-08-01": "stripe-2022-11-15/base.*.gz",
    "2022-11-15": "stripe-2022-11-15/head.*.gz",
}
_ITSELF: Final = "head to itself"
_STRIPES: Final = ("stripe-2018-11-08", "stripe-2019-10-17", "stripe-2020-08-27")
_READING: Final = (
    "To parse JSON and to write each component as text takes most of it: what is equal as text "
    "and reaches nothing unequal is never looked at."
)

ROWS: Final = (
    Row(
        name="check-unchanged",
        what="dateline check, payment API, nothing changed",
        against="python -c pass",
        prepare=_unchanged,
        ratio=5,
        about="The digests of all inputs are those of the last run: nothing is loaded or compared.",
    ),
    Row(
        name="check-edited",
        what="dateline check, Stripe's API adopted as three versions, one word edited",
        against="reading the file",
        prepare=_edit_word,
        cpu=1.0,
        ratio=4,
        about="To read all definitions and to import are two thirds of it. Versions that differ in "
        "words alone from what is published are not compared.",
    ),
    Row(
        name="diff-github",
        what="dateline diff of GitHub's API, 2022-11-28 to 2026-03-10, JSON report",
        against=_ITSELF,
        prepare=_pair("github-2026-03-10"),
        cpu=1.0,
        memory=150,
        about=_READING,
    ),
    Row(
        name="diff-github-itself",
        what="the newer of the two against itself",
        against="python -c pass",
        prepare=_itself("github-2026-03-10"),
        cpu=0.5,
        memory=125,
        about="To parse JSON, once: the same bytes are the same document.",
    ),
    *(
        Row(
            name=f"diff-{name}",
            what=f"dateline diff of Stripe's API around {name.removeprefix('stripe-')}",
            against=_ITSELF,
            prepare=_pair(name),
            cpu=0.6,
            memory=120,
            about=_READING,
        )
        for name in _STRIPES
    ),
    Row(
        name="diff-stripe-itself",
        what="Stripe's API of 2020-08-27 against itself",
        against="python -c pass",
        prepare=_itself("stripe-2020-08-27"),
        cpu=0.3,
        memory=60,
        about="To parse JSON, once.",
    ),
    Row(
        name="diff-stripe-yaml",
        what="dateline diff of Stripe's API around 2022-11-15, in YAML",
        against="reading both with CSafeLoader",
        prepare=_yaml,
        ratio=1.3,
        about="To read YAML: libyaml's events, taken as they come. What both documents hold in the "
        "same words is read once, and places are looked up where a finding needs one.",
    ),
    Row(
        name="diff-operations",
        what=f"one changed schema that {_OPERATIONS:,} operations reach: one finding",
        against=_ITSELF,
        prepare=_many_operations,
        cpu=0.3,
        about="Each pair of schemas is compared once, and so are messages in the same words; a bit "
        "for each operation tells who reaches them. Against itself a document is read once and "
        "met no further: what is left is to read two, and to meet each operation.",
    ),
    Row(
        name="diff-deep",
        what=f"one change in a circle of {_DEEP} schemas: one finding",
        against=_ITSELF,
        prepare=_deep,
        ratio=1.5,
        about="Pairs wait in a queue, so depth costs no stack and a circle ends where it began.",
    ),
    Row(
        name="published",
        what="published changes of real APIs: which are found",
        against="python -c pass",
        prepare=_published,
        about="`python tests/benchmarks/published.py FOLDER --rows` shows each pair and row.",
        runs=1,
    ),
    Row(
        name="first-minute",
        what="an installation in an empty folder, and dateline demo: seconds that pass",
        against="python -c pass",
        prepare=promise("first_minute"),
        about="To fetch and unpack packages; the demo generates, serves, breaks and mends an API.",
        runs=1,
    ),
    Row(
        name="refactorings",
        what="real documents, refactored: which gated changes are reported",
        against="python -c pass",
        prepare=_refactorings,
        about="Extracted, inlined, renamed, wrapped in `allOf`, reordered: no caller can tell.",
        runs=1,
    ),
    Row(
        name="soundness",
        what="random pairs of documents: what passes without a version and should not",
        against="single edits of the payment API",
        prepare=promise("soundness", 20_000, then=("payments", SCHEMAS)),
        about="The oracle shares no code with the differ: jsonschema-rs proves containment, and "
        "instances on the bounds are tried where it can't.",
        runs=1,
    ),
    Row(
        name="random-edits",
        what="1,000 random edits of cut versions, all refused",
        against="1,000 other ways to write the same, none refused",
        prepare=promise("edits", 1000, SCHEMAS, then=("rewritings", 1000, SCHEMAS)),
        about="Each is written to files, loaded and checked as a user's would be.",
        runs=1,
    ),
    Row(
        name="mutants",
        what="300 single faults in what judges and converts: how many the tests notice",
        against="python -c pass",
        prepare=_mutants,
        about="To record which test runs which line, once; then for each fault the tests that run "
        "its line, the fastest first, until one fails. `equivalents.yaml` has the reason for each "
        "that no test can notice.",
        runs=0,
    ),
)
