"""The commands that compare contracts: generate, check, diff, status."""

from __future__ import annotations

import sys
from functools import partial

import click

from dateline import completion, fresh, progress
from dateline.answers import format_answer
from dateline.cli.group import main
from dateline.cli.reporting import (
    AGAINST,
    CLEAN,
    FINDINGS,
    FORM,
    FORMAT,
    QUIET,
    STALE,
    RunReports,
    print_outcome,
)
from dateline.model import DatelineError, join_errors
from dateline.options import all_projects, one_project
from dateline.settings import Workspace
from dateline.wording import phrase_count


@main.command()
@all_projects
@click.option("--check", is_flag=True, help="Write nothing; exit 4 and list what is stale.")
@click.option("--watch", is_flag=True, help="Generate again whenever a source changes.")
@QUIET
def generate(workspaces: list[Workspace], check: bool, watch: bool, quiet: bool) -> None:
    """Check the definitions and bring every output up to date.

    Writes nothing if the definitions are invalid, or if a published version would change in a way
    that the rules don't allow.
    """
    from dateline import generate as room

    if check and watch:
        raise click.UsageError("--check and --watch exclude each other.")
    if check:
        with progress.show_progress(quiet=quiet):
            stale = [(each, file) for each in workspaces for file in room.list_stale(each)]
        for workspace, file in stale:
            click.echo(workspace.output / str(file))
        if stale:
            count = phrase_count(len(stale), "output is", "outputs are")
            click.echo(f"{count} stale: run `dateline generate`, and commit the result", err=True)
        sys.exit(STALE if stale else CLEAN)
    if watch:
        if len(workspaces) > 1:
            raise click.UsageError("--watch is for one project; name it with -p.")
        for outcome in room.watch(workspaces[0]):
            print_outcome(workspaces[0], outcome)
        return
    errors = []
    for number, workspace in enumerate(workspaces, 1):
        try:
            with progress.show_progress(quiet=quiet):
                progress.enter_project(workspace.name, number, len(workspaces))
                outcome = room.generate(workspace)
        except DatelineError as error:
            errors.append(error)
            print_outcome(workspace, error)
        else:
            if not quiet:
                print_outcome(workspace, outcome)
    sys.exit(max((error.exit_code for error in errors), default=CLEAN))


WAIVED = click.option("--waived", is_flag=True, help="Include waived findings.")


@main.command()
@all_projects
@AGAINST
@FORMAT
@WAIVED
@click.option(
    "--app",
    metavar="MODULE:NAME|FILE",
    help="Compare with the OpenAPI document that an application generates, or with a FILE that it "
    "was written to, instead.",
)
@QUIET
def check(
    workspaces: list[Workspace],
    against: str | None,
    app: str | None,
    formats: list[tuple[str, str]],
    waived: bool,
    quiet: bool,
) -> None:
    """Check the definitions against the versioning rules.

    Compares them with what is published. Exit status 1 means that a change needs a new version or
    a waiver, or is never allowed; `dateline gate` moves changes to a new version.
    """
    from dateline import generate as room
    from dateline.project_checks import check_projects

    if app is not None:
        if len(workspaces) > 1 or against is not None or formats:
            raise click.UsageError("--app is for one project, without --against and --format.")
        _check_code(workspaces[0], app, quiet=quiet)
        return
    is_plain = against is None and not formats and not waived
    if is_plain and all(map(room.is_untouched, workspaces)):
        if not quiet:
            click.echo(fresh.phrase_no_findings(each.output for each in workspaces))
        return
    from dateline.check import breaches

    with progress.show_progress(quiet=quiet):
        checked = check_projects(workspaces, against)
    report = RunReports(
        workspaces, baseline=checked.baseline, against=against, errors=checked.errors
    )
    report.write(checked.findings, formats, waived=waived, quiet=quiet)
    for workspace in checked.uncompared:
        click.echo(
            f"nothing was compared: run `dateline generate`, and commit {workspace.output}",
            err=True,
        )
    if checked.errors:
        raise join_errors(checked.errors)
    sys.exit(FINDINGS if breaches(checked.findings) else CLEAN)


def _check_code(workspace: Workspace, app: str, *, quiet: bool) -> None:
    """Report how the code of *app* differs from the definitions, and set the exit status."""
    from dateline.adopt.code import compare_code

    found, newest = compare_code(workspace.schemas, workspace.output, app)
    for finding in found:
        place = finding.before_source or app
        click.echo(f"{place}: {finding.rule}: {finding.message}")
    if found:
        count = phrase_count(len(found), "difference", "differences")
        click.echo(f"{count} between the definitions ({newest}) and {app}", err=True)
    elif not quiet:
        click.echo(f"no differences between the definitions ({newest}) and {app}")
    sys.exit(FINDINGS if found else CLEAN)


@main.command()
@partial(one_project, required=False)
@click.argument("before", shell_complete=completion.versions)
@click.argument("after", shell_complete=completion.versions)
@FORMAT
@click.option(
    "--policy",
    metavar="PRESET|FILE",
    help="Policy to judge by: a preset, or a YAML file with the value of `policy` in "
    "versions.yaml. By default, the policy of the definitions.",
)
@click.option("--exit-code", is_flag=True, help="Exit 1 if a change is gated or never allowed.")
@QUIET
def diff(
    workspace: Workspace,
    before: str,
    after: str,
    formats: list[tuple[str, str]],
    policy: str | None,
    exit_code: bool,
    quiet: bool,
) -> None:
    """Compare BEFORE with AFTER, and judge each change.

    Each is a version of the definitions, VERSION@ENVIRONMENT, a git revision, a folder of
    outputs, or an OpenAPI document: a file, REVISION:PATH, or - for standard input.
    """
    from dateline.check.comparison import compare
    from dateline.collector import collection_off
    from dateline.model import Verdict

    with collection_off():
        with progress.show_progress(quiet=quiet):
            findings, label = compare(workspace.schemas, workspace.output, before, after, policy)
        RunReports([workspace], label, command="diff").write(findings, formats, quiet=quiet)
    weighty = any(found.verdict in (Verdict.GATED, Verdict.NEVER) for found in findings)
    sys.exit(FINDINGS if exit_code and weighty else CLEAN)


@main.command()
@all_projects
@FORM
def status(workspaces: list[Workspace], form: str) -> None:
    """Show the versions, what is pending, and which outputs are stale."""
    from dateline.status import format_status, read_status

    found, errors = [], []
    for workspace in workspaces:
        try:
            found.append((workspace, read_status(workspace)))
        except DatelineError as error:
            errors.append(error)
    if form == "json" and not errors:
        click.echo(format_answer({"projects": [state for _, state in found]}))
    elif form != "json":
        for workspace, state in found:
            if len(workspaces) > 1:
                click.echo(f"== {workspace.name}")
            for line in format_status(state, workspace):
                click.echo(line)
    if errors:
        raise join_errors(errors)
