"""The commands for converters and for the code of callers: try, migrate."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click

from dateline.answers import format_answer
from dateline.cli.group import main
from dateline.cli.reporting import CLEAN, FINDINGS, FORM
from dateline.options import one_project
from dateline.settings import Workspace
from dateline.wording import phrase_count


@main.command("try")
@one_project
@click.argument("converter", required=False)
@click.option(
    "--converters",
    metavar="MODULE:NAME",
    help="Object with the converter methods, or its class; by default `converters` in "
    "dateline.toml.",
)
@click.option(
    "--values", default=50, show_default=True, help="Number of values to convert in each direction."
)
@click.option("--seed", default=0, show_default=True, help="Seed of the generated values.")
@click.option(
    "--lossy",
    multiple=True,
    metavar="CONVERTER",
    help="Converter that may lose information on the way down; repeatable.",
)
@FORM
def try_converters(
    workspace: Workspace,
    converter: str | None,
    converters: str | None,
    values: int,
    seed: int,
    lossy: tuple[str, ...],
    form: str,
) -> None:
    """Try converters with generated values, down and up.

    CONVERTER is the name or a method of one of them, also without `older_` or `newer_`; by default
    all are tried. Reports converters that fail, results that don't fit their version, and values
    that don't survive the round trip; exit 1 if there are any.
    """
    # slow to import, and each command imports this module
    import asyncio

    from dateline.load import load
    from dateline.trial import ConverterTrial, import_object

    named = converters or workspace.converters
    if named is None:
        raise click.UsageError(
            "no converters: name them with --converters MODULE:NAME, or with `converters` in "
            "dateline.toml."
        )
    found = import_object(named, workspace.output / "python", workspace.schemas.parent)
    trial = ConverterTrial(load(workspace.schemas), found, count=values, seed=seed, lossy=lossy)
    tried = asyncio.run(trial.try_converters(converter))
    faulty = sum(1 for each in tried if each.faults)
    if form == "json":
        click.echo(format_answer({"converters": [each.describe() for each in tried]}))
        sys.exit(FINDINGS if faulty else CLEAN)
    for each in tried:
        for line in each.format_lines():
            click.echo(line)
    count = phrase_count(len(tried), "converter", "converters")
    click.echo(f"{count} tried, {faulty} with faults" if faulty else f"{count} tried: no faults")
    sys.exit(FINDINGS if faulty else CLEAN)


@main.command()
@partial(one_project, required=False)
@click.argument(
    "paths",
    metavar="PATH...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, path_type=Path),
)
@click.option(
    "--from", "older", required=True, metavar="VERSION", help="Version that the code uses now."
)
@click.option("--to", "newer", required=True, metavar="VERSION", help="Version to move to.")
@click.option(
    "--generated",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with `python/` and `changes/`; by default the output of the project.",
)
@click.option("--dry-run", is_flag=True, help="Show the patch, write nothing.")
def migrate(
    workspace: Workspace,
    paths: tuple[Path, ...],
    older: str,
    newer: str,
    generated: Path | None,
    dry_run: bool,
) -> None:
    """Move Python code in PATH to another version of the API.

    Renamed imports, classes, fields, methods and arguments are rewritten where they can be
    identified with certainty; uses of what was removed, and calls that need more now, are marked
    with a comment that gives the reason. Everything else that may be affected is listed with its
    place in the new text, or with --dry-run in the unchanged one. Exit status 1 means that
    something is marked or listed.
    """
    from dateline.migrate import migrate as find_migration

    found = find_migration(paths, generated or workspace.output, older, newer)
    if dry_run:
        click.echo(found.patch, nl=False)
    else:
        found.write()
        for path in found.files:
            click.echo(f"changed {path}")
    marked, uncertain = (
        [each.before if dry_run else each.after for each in listed]
        for listed in (found.marked, found.uncertain)
    )
    for title, lines in (
        ("marked in the code:", marked),
        ("not certain, and left as it is:", uncertain),
        ("other changes, without names to rewrite:", found.left),
    ):
        if lines:
            click.echo(title, err=True)
        for line in lines:
            click.echo(f"  {line}", err=True)
    if not (found.files or marked or uncertain):
        click.echo(f"nothing uses {older}", err=True)
    sys.exit(1 if marked or uncertain else 0)
