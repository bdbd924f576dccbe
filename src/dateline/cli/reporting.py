"""Write the reports of a run, and what `generate` did, to a terminal or to files."""

from __future__ import annotations

import os
import posixpath
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Literal

import click

from dateline import __version__, fresh
from dateline.generate import BreachError, Generated
from dateline.model import DatelineError, Finding
from dateline.paths import name_folder
from dateline.report import FORMATS, Context, list_problems, report, step_summary
from dateline.settings import Workspace
from dateline.wording import group_notes

CLEAN, FINDINGS, MISUSE, INVALID, STALE = 0, 1, 2, 3, 4


REPORTED = "dateline.reported"
"""What a run notes that has written its reports, with what is wrong in them."""


def _read_formats(
    _: click.Context, __: click.Parameter, given: tuple[str, ...]
) -> list[tuple[str, str]]:
    """Return the name and the file of each format; without a file it is standard output."""
    split = [one.partition("=") for one in given]
    for name, equals, file in split:
        if name not in FORMATS:
            raise click.BadParameter(f"no format {name!r}; there are {', '.join(FORMATS)}.")
        if equals and not file:
            raise click.BadParameter(f"{name}= names no file.")
    if sum(not file for _, _, file in split) > 1:
        raise click.BadParameter("one format goes to standard output; write NAME=FILE for others.")
    return [(name, file) for name, _, file in split]


FORMAT = click.option(
    "--format",
    "formats",
    multiple=True,
    metavar="NAME[=FILE]",
    callback=_read_formats,
    help=f"{', '.join(FORMATS)}; repeatable, all but one to a file.",
)


FORM = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Output for people or for programs.",
)


QUIET = click.option("-q", "--quiet", is_flag=True, help="Print problems only.")


AGAINST = click.option(
    "--against",
    metavar="REF|PATH",
    help="Published contracts to compare with: a git revision, a folder or a document. "
    "By default, the documents in the output folder, as committed.",
)


@dataclass(frozen=True)
class RunReports:
    """The common context of the reports of one run: the projects, and the baseline."""

    workspaces: Sequence[Workspace]
    baseline: str
    command: Literal["check", "diff"] = "check"
    against: str | None = None
    errors: Sequence[DatelineError] = ()

    def write(
        self,
        findings: Sequence[Finding],
        formats: list[tuple[str, str]],
        *,
        waived: bool = False,
        quiet: bool = False,
        err: bool = False,
    ) -> None:
        """Write a report in each of *formats*: one to standard output, others to their files."""
        click.get_current_context().meta[REPORTED] = True
        context = self._create_context(waived=waived, quiet=quiet)
        for name, file in formats or [("text", "")]:
            if file:
                _write(Path(file), report(findings, name, context=context))
            elif name != "text":
                click.echo(report(findings, name, context=context), nl=False, err=err)
            elif findings or not self.errors:
                # on a terminal, problems are printed once: as errors
                settled = replace(context, problems=())
                text = report(findings, name, context=settled)
                click.echo(text, nl=False, err=err, color=context.colour)
            summary = os.environ.get("GITHUB_STEP_SUMMARY")
            if name == "github" and summary:
                with Path(summary).open("a", encoding="utf-8") as steps:
                    steps.write(step_summary(findings, context))

    def _create_context(self, *, waived: bool, quiet: bool) -> Context:
        folders = {name_folder(one.schemas): one for one in self.workspaces}
        fallback = f"{next(iter(folders))}/versions.yaml"
        return Context(
            version=__version__,
            baseline=self.baseline,
            command=self.command,
            against=self.against,
            colour=_has_colour(),
            width=shutil.get_terminal_size().columns,
            show_waived=waived,
            quiet=quiet,
            projects={folder: one.name for folder, one in folders.items() if one.name},
            fallback=fallback,
            rule_pages=self.workspaces[0].rule_pages,
            problems=tuple(list_problems(self.errors, fallback)),
            source=partial(_read_source, folders),
        )


def _read_source(folders: Mapping[str, Workspace], name: str) -> str | None:
    """Return the text of the source called *name*; None if it has disappeared since it was read."""
    for folder, workspace in folders.items():
        # a shared file is not below
        path = workspace.schemas / posixpath.relpath(name, folder)
        try:
            if path.is_file():
                return path.read_text(encoding="utf-8")
        except (OSError, ValueError):
            return None
    return None


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise click.UsageError(f"{path} can't be written: {error.strerror}.") from error


def _has_colour() -> bool:
    """Return whether standard output is coloured (no-color.org, force-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return bool(os.environ.get("FORCE_COLOR")) or terminal


@contextmanager
def reporting_breaches(workspace: Workspace, form: str) -> Iterator[None]:
    """Report the findings of a breach, except in JSON, and exit with its status."""
    try:
        yield
    except BreachError as broken:
        if form == "json":
            raise
        print_outcome(workspace, broken)
        sys.exit(broken.exit_code)


def print_outcome(workspace: Workspace, outcome: Generated | DatelineError) -> None:
    if isinstance(outcome, BreachError):
        RunReports([workspace], outcome.baseline).write(outcome.findings, [], err=True)
        return
    if isinstance(outcome, DatelineError):
        click.echo(str(outcome), err=True)
        return
    for note in group_notes(outcome.notes):
        click.echo(f"note: {note}", err=True)
    output, written = workspace.output, outcome.written
    if written is None or not (written.added or written.changed or written.removed):
        click.echo(fresh.UP_TO_DATE.format(output))
        return
    present = (*written.changed, *written.unchanged)
    for name, paths, others in (
        ("added", written.added, present),
        ("changed", written.changed, written.unchanged),
        ("removed", written.removed, (*present, *written.added)),
    ):
        for line in _list_paths(paths, others):
            click.echo(f"{name} {output}/{line}")
    click.echo(
        f"{output}: {len(written.added)} added, {len(written.changed)} changed, "
        f"{len(written.removed)} removed, {len(written.unchanged)} unchanged"
    )


def _list_paths(paths: Sequence[str], others: Iterable[str]) -> Iterator[str]:
    """Yield *paths*, but folders with none of the *others* once, with their number of files."""
    holding = {other.rpartition("/")[0] for other in others} if paths else ()
    kept = {folder for each in holding for folder in _list_folders(each)}
    found: dict[str, list[str]] = {}
    for path in paths:
        around = _list_folders(path.rpartition("/")[0])
        whole = next((folder for folder in around if folder not in kept), path)
        found.setdefault(whole or path, []).append(path)
    for whole, within in found.items():
        yield f"{whole}/ ({len(within)} files)" if len(within) > 1 else within[0]


def _list_folders(folder: str) -> Iterator[str]:
    """Return *folder* and those that contain it, the outermost first."""
    return accumulate(folder.split("/"), "{}/{}".format)
