"""Measure time and memory against the targets, and print a table; `make bench` runs all of it."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Final

from benchmarks import adoption, daily, fuzzed, generating, modelling, sandbox, serving, versioning
from benchmarks.measure import FailedError, pair
from benchmarks.report import Outcome, as_json, text
from benchmarks.rows import DATA, SCALE, Row, SkippedError
from benchmarks.serving import CADWYN

ROWS: Final = (
    *daily.ROWS,
    *generating.ROWS,
    *versioning.ROWS,
    *adoption.ROWS,
    *modelling.ROWS,
    *serving.ROWS,
    *sandbox.ROWS,
    *fuzzed.ROWS,
)


def main() -> int:
    options = _options()
    if options.scale:
        os.environ[SCALE] = str(options.scale)
    if options.list:
        for row in ROWS:
            print(f"{row.name:20} {row.what}")
        return 0
    chosen = [row for row in ROWS if not options.only or row.name in options.only]
    outcomes = [_measure(row, options.runs) for row in chosen]
    print(text(outcomes), end="")
    if options.json:
        options.json.write_text(as_json(outcomes))
    refused = ("failed", "missed") if options.strict else ("failed",)
    return 1 if any(outcome.verdict in refused for outcome in outcomes) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=f"{DATA} names a folder of real specifications (NAME/head.json.gz or "
        "NAME/head.yml.gz); without it the rows that need them are skipped. "
        f"{CADWYN} names a Python that has Cadwyn, which stands beside ours in the rows cadwyn-*: "
        "`python3 -m venv FOLDER`, `FOLDER/bin/pip install cadwyn jsonschema-rs`, and then "
        f"{CADWYN}=FOLDER/bin/python, an absolute path.",
    )
    names = [row.name for row in ROWS]
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help="these rows")
    parser.add_argument("--runs", type=int, default=5, help="runs of each command (5)")
    parser.add_argument(
        "--scale",
        type=float,
        help="this part of all amounts, as 0.01; promises may fail for want of tries",
    )
    parser.add_argument("--list", action="store_true", help="name the rows and end")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to FILE, too")
    parser.add_argument("--strict", action="store_true", help="let a missed target fail, too")
    return parser.parse_args()


def _measure(row: Row, runs: int) -> Outcome:
    print(f"{row.name} ...", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="bench-") as root:
        try:
            case = row.prepare(Path(root))
            return Outcome(row, pair(case, min(runs, row.runs)))
        except SkippedError as reason:
            return Outcome(row, None, skipped=str(reason))
        except FailedError as error:
            print(error, file=sys.stderr)
            return Outcome(row, None)


if __name__ == "__main__":
    sys.exit(main())
