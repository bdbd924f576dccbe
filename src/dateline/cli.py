"""The command line: parse, call one room, print, set the exit status."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import click

from dateline import __version__
from dateline.model import DatelineError

P = ParamSpec("P")

CLEAN, FINDINGS, MISUSE, INVALID, STALE = 0, 1, 2, 3, 4


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dateline", message="%(prog)s %(version)s")
def main() -> None:
    """Code generator and versioned schema toolkit for APIs whose versions are dates.

    Reads the definitions in schemas/ and keeps generated/ in step with them. Exit status: 0
    clean, 1 findings, 2 usage, 3 unreadable or invalid input, 4 stale generated files.
    """


_FOLDER = click.Path(path_type=Path)


def _workspace(command: Callable[P, None]) -> Callable[P, None]:
    """Give *command* the options that say where a project's files stand."""
    options = [
        click.option(
            "--schemas",
            type=_FOLDER,
            default=Path("schemas"),
            show_default=True,
            help="Folder of the definitions.",
        ),
        click.option(
            "--output",
            type=_FOLDER,
            default=Path("generated"),
            show_default=True,
            help="Folder of the outputs.",
        ),
        click.option(
            "--templates",
            type=_FOLDER,
            default=None,
            help="Folder of templates that override the built-in ones file by file. "
            "Templates are code: use only your own.",
        ),
        click.option(
            "--strict",
            is_flag=True,
            help="Put adopted documents, too, before openapi-spec-validator.",
        ),
    ]

    @wraps(command)
    def with_workspace(*args: P.args, **kwargs: P.kwargs) -> None:
        from dateline.generate import Workspace

        given: dict[str, Any] = kwargs
        names = ("schemas", "output", "templates", "strict")
        given["workspace"] = Workspace(**{name: given.pop(name) for name in names})
        command(*args, **kwargs)

    for option in reversed(options):
        with_workspace = option(with_workspace)
    return with_workspace


@main.command()
@_workspace
@click.option("--check", is_flag=True, help="Write nothing; exit 4 and list what is stale.")
@click.option("--watch", is_flag=True, help="Generate again whenever a source changes.")
def generate(workspace: Any, check: bool, watch: bool) -> None:
    """Check the definitions and bring every output up to date."""
    from dateline import generate as room

    if check and watch:
        raise click.UsageError("--check and --watch exclude each other.")
    if check:
        stale = room.stale(workspace)
        for path in stale:
            click.echo(path)
        sys.exit(STALE if stale else CLEAN)
    if watch:
        for outcome in room.watch(workspace):
            _say(workspace.output, outcome)
    else:
        _say(workspace.output, room.generate(workspace))


def _say(output: Path, outcome: Any) -> None:
    if isinstance(outcome, DatelineError):
        click.echo(str(outcome), err=True)
        return
    for note in outcome.notes:
        click.echo(f"note: {note}", err=True)
    written = outcome.written
    if written is None or not (written.added or written.changed or written.removed):
        click.echo(f"{output}: up to date")
        return
    for name in ("added", "changed", "removed"):
        for path in getattr(written, name):
            click.echo(f"{name} {output / path}")
    click.echo(
        f"{output}: {len(written.added)} added, {len(written.changed)} changed, "
        f"{len(written.removed)} removed, {written.unchanged} unchanged"
    )


@main.command()
@_workspace
def status(workspace: Any) -> None:
    """Show the versions, what is pending, and which outputs are stale."""
    from dateline.status import status as lines

    for line in lines(workspace):
        click.echo(line)


@main.command()
@click.argument("which", type=click.Choice(["source", "versions"]), default="source")
@click.option(
    "--schemas",
    type=_FOLDER,
    default=Path("schemas"),
    show_default=True,
    help="Folder whose version table gives the dates to complete.",
)
def schema(which: str, schemas: Path) -> None:
    """Print the JSON Schema of the source format, or of versions.yaml, for your editor."""
    from dateline.load.editor import editor_schema

    click.echo(editor_schema(which, schemas), nl=False)


@main.command()
@click.argument("folder", type=_FOLDER, default=Path())
def init(folder: Path) -> None:
    """Set up a starter project in an empty FOLDER (here, unless given)."""
    from dateline.edit import init as set_up

    for path in set_up(folder):
        click.echo(f"added {path}")
    here = folder.resolve() == Path.cwd()
    click.echo("now run: dateline generate" if here else f"now run: cd {folder}; dateline generate")
