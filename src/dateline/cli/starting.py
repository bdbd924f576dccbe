"""The commands that start a project: init, adopt, demo."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dateline import progress
from dateline.fresh import VARIABLES
from dateline.options import FOLDER
from dateline.settings import name_definitions
from dateline.versions import DATE_FORM, FORMS

if TYPE_CHECKING:
    from dateline.adopt import Words
    from dateline.adopt.renames import Proposal

from dateline.cli.group import main


@main.command()
@click.argument("folder", type=FOLDER, default=Path())
@click.option(
    "--server", is_flag=True, help="Write a first server.py; in an existing project, only that."
)
@click.option(
    "--form",
    type=click.Choice(FORMS),
    default=DATE_FORM,
    metavar="FORM",
    help=f"Form of version names: {DATE_FORM} (the default), YYYY-MM, YYYYMMDD or YYYYMM, each also"
    " with `-suffix` or `.suffix`.",
)
def init(folder: Path, server: bool, form: str) -> None:
    """Set up a starter project in an empty FOLDER (default: here)."""
    from dateline.edit import init as set_up
    from dateline.edit import init_server

    added = [] if server and (folder / "schemas").is_dir() else set_up(folder, form)
    if server:
        added.append(init_server(folder))
    for path in added:
        click.echo(f"added {path}")
    steps = [] if folder.resolve() == Path.cwd() else [f"cd {folder}"]
    steps += ["dateline generate", *(["uvicorn server:app"] if server else [])]
    click.echo(f"now run: {'; '.join(steps)}")


@main.command()
@click.argument("documents", nargs=-1, required=True, metavar="DATE=FILE...")
@click.option(
    "--into",
    type=FOLDER,
    envvar=VARIABLES["schemas"],
    help="Folder of the definitions, or an empty one; by default that of the project.",
)
@click.option("--header", help="Request header that names the version.")
@click.option(
    "--default",
    metavar="DATE",
    help="Version of requests without that header; by default the oldest.",
)
@click.option("--package", help="Name of the generated Python package.")
@click.option(
    "--rename",
    "renames",
    multiple=True,
    metavar="OLD=NEW",
    help="A field, header or parameter that was renamed, everywhere or, as SCHEMA.OLD=NEW or "
    "'METHOD /path.OLD=NEW', in one place; repeatable.",
)
@click.option("--yes", is_flag=True, help="Treat likely renames as renames, without asking.")
@click.option(
    "--newest-words",
    is_flag=True,
    help="Give all versions the newest descriptions and examples.",
)
@click.option(
    "--gate-words",
    is_flag=True,
    help="Write a gate for each description and example that changed.",
)
@click.option(
    "--dry-run", is_flag=True, help="Show the patch of existing definitions, write nothing."
)
def adopt(
    documents: tuple[str, ...],
    into: Path | None,
    header: str | None,
    default: str | None,
    package: str | None,
    renames: tuple[str, ...],
    yes: bool,
    newest_words: bool,
    gate_words: bool,
    dry_run: bool,
) -> None:
    """Create definitions from documents, or add versions to them.

    If the definitions exist, only what a document changes is written, and what was written by hand
    stays; DATE is newer than their versions, or the draft being prepared, such as `next`.

    Instead of a file, MODULE:NAME names an application, such as FastAPI's, that produces its own
    document. The definitions reproduce every document exactly, apart from the order of keys;
    otherwise nothing is written. On a terminal, you are asked to confirm likely renames; elsewhere
    they are written as a removal and an addition, with the option that makes it a rename.
    """
    from dateline.adopt import Words
    from dateline.adopt import adopt as take_over
    from dateline.adopt.summary import format_adoption
    from dateline.load import TABLE

    def confirm_rename(proposal: Proposal) -> bool:
        where = f"{proposal.holder}: " if proposal.holder else ""
        prompt = f"{where}was {proposal.older} renamed to {proposal.newer}?"
        with progress.pause_progress():
            return yes or (sys.stdin.isatty() and click.confirm(prompt, err=True))

    folder = into or name_definitions()
    how = Words.GATED if gate_words else Words.NEWEST if newest_words else Words.KEPT
    if (folder / TABLE).is_file():
        options = {"--header": header, "--default": default, "--package": package}
        _extend(folder, documents, options, renames, confirm_rename, how, dry_run=dry_run)
        return
    if dry_run:
        raise click.UsageError(f"--dry-run: {folder} has no definitions that would be edited")
    with progress.show_progress():
        adoption = take_over(
            documents,
            folder,
            header=header,
            default=default,
            package=package,
            renames=renames,
            accept=confirm_rename,
            words=how,
        )
    for path in adoption.files:
        click.echo(f"added {path}")
    for line in format_adoption(adoption):
        click.echo(line)


def _extend(
    folder: Path,
    documents: tuple[str, ...],
    options: dict[str, str | None],
    renames: tuple[str, ...],
    accept: Callable[[Proposal], bool],
    words: Words,
    *,
    dry_run: bool,
) -> None:
    """Take *documents* over as the next versions of the definitions in *folder*."""
    from dateline.adopt.extending import extend
    from dateline.adopt.summary import format_extension
    from dateline.files.sources import write
    from dateline.load import TABLE
    from dateline.project_checks import read_known

    for option, value in options.items():
        if value is not None:
            raise click.UsageError(f"{option} is for new definitions; edit {folder / TABLE}")
    with progress.show_progress():
        published = read_known(folder)
        plan = extend(
            documents, folder, renames=renames, accept=accept, words=words, published=published
        )
    replacements = (*plan.replacements, *plan.recorded)
    if dry_run:
        click.echo(plan.patch(), nl=False)
    else:
        write(folder, replacements)
        for one in replacements:
            click.echo(f"{one.verb} {os.path.normpath(folder / one.name)}")
    for line in format_extension(plan):
        click.echo(line, err=dry_run)


@main.command()
def demo() -> None:
    """Show in ten seconds what dateline does, in a temporary folder."""
    from dateline.demo import run_demo

    run_demo(click.echo)
