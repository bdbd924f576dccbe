"""The root command, which reports errors in the requested format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from dateline import __version__, fresh
from dateline.answers import format_answer
from dateline.cli.reporting import REPORTED, RunReports
from dateline.model import DatelineError
from dateline.options import directory
from dateline.settings import Workspace


class _AnsweringCommand(click.Command):
    """A command that reports errors in the format of its output, too."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except DatelineError as error:
            formats = ctx.params.get("formats")
            if ctx.params.get("form") == "json":
                from dateline.answers.describing import describe_problems

                click.echo(format_answer(describe_problems(error)))
            elif formats and not ctx.meta.get(REPORTED):
                workspace = Workspace(schemas=Path(fresh.SCHEMAS), output=Path(fresh.OUTPUT))
                command: Any = self.name
                RunReports([workspace], "", command, errors=[error]).write([], formats)
            raise


class _AnsweringGroup(click.Group):
    command_class = _AnsweringCommand


@click.group(cls=_AnsweringGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dateline", message="%(prog)s %(version)s")
@directory
def main() -> None:
    """Code generator and versioned schema toolkit for APIs whose versions are dates.

    Reads the definitions in schemas/ and keeps generated/ in step with them. Exit status: 0
    clean, 1 findings, 2 usage, 3 unreadable or invalid input, 4 stale generated files.
    """
