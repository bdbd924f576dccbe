"""The rows of the table about generating: documents, models, and what other tools need."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

from benchmarks import synthetic
from benchmarks.measure import Case
from benchmarks.rows import (
    DATELINE,
    PASS,
    REPOSITORY,
    SCHEMAS,
    Row,
    SkippedError,
    copy_project,
    data,
    scaled,
    script,
    unpack,
)

# An adopted document has no history: three versions and two environments show it alike.
_ADOPTED: Final = """\
header: X-API-Version
default: 2024-01-15
versions:
  - { date: 2024-01-15, title: The first. }
  - { date: 2024-09-01, title: The second. }
  - { date: 2025-06-01, title: The third. }
environments:
  production: { servers: [{ url: https://api.adopted.example }] }
  sandbox: { servers: [{ url: https://sandbox.adopted.example }] }
policy: dated-contract
lint: adopted
python: { package: adopted }
"""


def _job(name: str, schemas: Path, output: Path, *options: str) -> list[str]:
    return script("measured.py", name, str(schemas), str(output), *options)


def _against_reading(root: Path, schemas: Path, *options: str) -> Case:
    out = root / "out"
    return Case(
        root,
        _job("documents", schemas, out / "generated", *options),
        _job("read", schemas, out),
        cold=out,
    )


def _help(root: Path) -> Case:
    return Case(root, [DATELINE, "--help"], PASS)


def _nothing_to_do(root: Path) -> Case:
    copy_project(root)
    # the warm-up run is the one with something to do
    return Case(root, [DATELINE, "generate"], PASS)


def _payments(root: Path) -> Case:
    return _against_reading(root, REPOSITORY / "schemas")


def _payments_judged(root: Path) -> Case:
    out = root / "out"
    plain = _job("documents", REPOSITORY / "schemas", out / "generated")
    return Case(root, [*plain, "judged"], plain, cold=out)


def _payments_cold(root: Path) -> Case:
    out = root / "out"
    return Case(
        root,
        [DATELINE, "generate", "--schemas", SCHEMAS, "--output", str(out / "generated")],
        _job("documents", REPOSITORY / "schemas", out / "generated"),
        cold=out,
    )


def _adopted(provider: str, *options: str) -> Callable[[Path], Case]:
    def prepare(root: Path) -> Case:
        folder = data()
        found = sorted(Path(folder).glob(f"{provider}*/head.*.gz"))
        if not found:
            raise SkippedError(f"no {provider}*/head.*.gz in {folder}")
        schemas = root / "schemas"
        schemas.mkdir()
        (schemas / "versions.yaml").write_text(_ADOPTED)
        form = "json" if ".json" in found[-1].name else "yaml"
        unpack(found[-1], schemas / f"head.{form}")
        return _against_reading(root, schemas, *options)

    return prepare


def _synthetic(root: Path) -> Case:
    synthetic.write(root / "schemas", scaled(5))
    return _against_reading(root, root / "schemas")


def _growing(*options: str) -> Callable[[Path], Case]:
    def prepare(root: Path) -> Case:
        for versions in (25, 1):
            synthetic.write(root / str(versions), scaled(versions))
        return _many_against_one(root, *options)

    return prepare


def _gated(*options: str) -> Callable[[Path], Case]:
    def prepare(root: Path) -> Case:
        home = Path(data()) / "stripe-2022-11-15"
        if not home.is_dir():
            raise SkippedError(f"no {home.name} in {home.parent}")
        for versions in (25, 1):
            writing = script(
                "gated.py", str(home), str(root / str(versions)), str(scaled(versions))
            )
            subprocess.run(writing, check=True)
        return _many_against_one(root, *options)

    return prepare


def _many_against_one(root: Path, *options: str) -> Case:
    out = root / "out"
    many, one = (
        _job("documents", root / str(versions), out / "generated", *options) for versions in (25, 1)
    )
    return Case(root, many, one, cold=out)


def _defects(root: Path) -> Case:
    return Case(root, script("judging.py", "validator"), script("judging.py", "ours"))


_READ: Final = "reading the sources"

ROWS: Final = (
    Row(
        name="help",
        what="dateline --help",
        against="python -c pass",
        prepare=_help,
        ratio=3,
        about="The interpreter's own start is half of it. click is left out: what it would print "
        "stands ready in help.txt.",
    ),
    Row(
        name="nothing-to-do",
        what="dateline generate, payment API, nothing to do",
        against="python -c pass",
        prepare=_nothing_to_do,
        ratio=5,
        about="To read and digest every input and output. The plain command is answered before "
        "click is imported, which alone takes 3.5 times `pass`.",
    ),
    Row(
        name="payments",
        what="documents of the payment API, 3 versions x 2 environments, cold",
        against=_READ,
        prepare=_payments,
        cpu=0.5,
        memory=80,
        about="Half is imports: each heavy package is imported by the function that needs it, and "
        "the models' and the judge's not at all. One walk projects all versions, and what "
        "they share is laid out once.",
    ),
    Row(
        name="payments-judged",
        what="the same with openapi-spec-validator",
        against="without it",
        prepare=_payments_judged,
        about="The difference is the judge's own cost: to import it, to compile the schema of "
        "OpenAPI, then each distinct document once, four of the six.",
    ),
    Row(
        name="payments-cold",
        what="dateline generate, payment API, cold: documents, models, judged",
        against="documents alone",
        prepare=_payments_cold,
        about="The judge and datamodel-code-generator, their imports above all. The generator "
        "runs once for all versions.",
        runs=5,
    ),
    Row(
        name="stripe",
        what="documents of Stripe's API, 3 versions x 2 environments",
        against=_READ,
        prepare=_adopted("stripe"),
        cpu=2.0,
        memory=250,
        about="To read YAML with the place of every key: libyaml's events are taken as they come, "
        "with the garbage collector off, and nothing is composed twice. Six documents in two "
        "forms are put together from text that was laid out once.",
    ),
    Row(
        name="stripe-models",
        what="documents and models of Stripe's API",
        against=_READ,
        prepare=_adopted("stripe", "models"),
        about="Writing a type of each schema. datamodel-code-generator runs once for all versions, "
        "on three skeletons, without a formatter.",
        runs=2,
    ),
    Row(
        name="stripe-25",
        what="documents of Stripe's API, 25 versions that add five fields each",
        against="1 version",
        prepare=_gated(),
        about="To write fifty documents of four megabytes, and to digest them. Nothing is read, "
        "walked or laid out again but what holds a field that was added.",
        runs=3,
    ),
    Row(
        name="stripe-25-changes",
        what="the same with change pages",
        against="1 version, which has no pages",
        prepare=_gated("changes"),
        about="To follow references to each field that was added: nearly all of 400 operations "
        "reach it. So often they would be named that only neighbours have pages, and the ways "
        "to the latest version: 47 pairs.",
        runs=3,
    ),
    Row(
        name="stripe-judged",
        what="documents of Stripe's API with openapi-spec-validator",
        against=_READ,
        prepare=_adopted("stripe", "judged"),
        about="openapi-spec-validator, once: the three versions and two environments of an adopted "
        "document differ in nothing that it judges.",
        runs=2,
    ),
    Row(
        name="github",
        what="documents of GitHub's API, 3 versions x 2 environments",
        against=_READ,
        prepare=_adopted("github"),
        about="To put together and write twelve documents of ten megabytes, and of the latest "
        "again. What versions share is laid out once; joining, encoding and digesting is left.",
        runs=3,
    ),
    Row(
        name="github-models",
        what="documents and models of GitHub's API",
        against=_READ,
        prepare=_adopted("github", "models"),
        about="Writing six thousand definitions, and laying them out.",
        runs=1,
    ),
    Row(
        name="synthetic-5",
        what="documents of 200 operations and 400 models, 5 versions",
        against=_READ,
        prepare=_synthetic,
        cpu=1.4,
        about="To read and check the sources: libyaml's events are taken as they come, and the "
        "checks share one walk.",
    ),
    Row(
        name="synthetic-25",
        what="the same, 25 versions",
        against="1 version",
        prepare=_growing(),
        ratio=1.5,
        about="Each further version costs two files: nothing is read, checked or laid out again "
        "but what it changes.",
    ),
    Row(
        name="synthetic-25-models",
        what="the same with models, 25 versions",
        against="1 version",
        prepare=_growing("models"),
        ratio=2,
        about="Writing and laying out definitions. A type is generated "
        "again only where it, or something that it refers to, has changed: 24 times five "
        "edits make about as many definitions again as the first version has.",
        runs=3,
    ),
    Row(
        name="synthetic-25-changes",
        what="documents and change pages, 25 versions",
        against="1 version, which has no pages",
        prepare=_growing("changes"),
        about="Diffs: all 300 pairs have pages, 900 files of 28 megabytes, which tell of up to 120 "
        "changes each. What versions share is read once, and each change is laid out once.",
        runs=3,
    ),
    Row(
        name="defects",
        what="openapi-spec-validator on documents with one defect each",
        against="our own checks",
        prepare=_defects,
        about="What it misses is why the checks stand before it; that it is written by others is "
        "why it stands behind them.",
        runs=2,
    ),
)
