"""The command line, one file as commands share options: parse, call one room, print, exit."""

from __future__ import annotations

import os
import posixpath
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from dateline import __version__, completion, fresh, progress
from dateline.answers import ANSWERS, format_answer
from dateline.answers import schema as answer_schema
from dateline.generate import BreachError, Generated
from dateline.model import DatelineError, Finding, Place, join_errors
from dateline.options import (
    FOLDER,
    all_projects,
    directory,
    one_project,
    schemas_only,
)
from dateline.paths import name_folder
from dateline.report import FORMATS
from dateline.settings import Workspace
from dateline.versions import DATE_FORM, FORMS
from dateline.wording import group_notes

if TYPE_CHECKING:
    from dateline.adopt.renames import Proposal
    from dateline.demands import DemandedConverter
    from dateline.edit.renames import Rename
    from dateline.edit.revision import Revision

CLEAN, FINDINGS, MISUSE, INVALID, STALE = 0, 1, 2, 3, 4

_REPORTED = "dateline.reported"
"""What a run notes that has written its reports, with what is wrong in them."""


class _AnsweringCommand(click.Command):
    """A command that says in the format of its answer, too, why it can't do its work."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except DatelineError as error:
            formats = ctx.params.get("formats")
            if ctx.params.get("form") == "json":
                from dateline.answers.describing import describe_problems

                click.echo(format_answer(describe_problems(error)))
            elif formats and not ctx.meta.get(_REPORTED):
                workspace = Workspace(schemas=Path(fresh.SCHEMAS), output=Path(fresh.OUTPUT))
                command: Any = self.name
                _Report([workspace], "", command, errors=[error]).write([], formats)
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


_QUIET = click.option("-q", "--quiet", is_flag=True, help="Print only what is wrong.")


@main.command()
@all_projects
@click.option("--check", is_flag=True, help="Write nothing; exit 4 and list what is stale.")
@click.option("--watch", is_flag=True, help="Generate again whenever a source changes.")
@_QUIET
def generate(workspaces: list[Workspace], check: bool, watch: bool, quiet: bool) -> None:
    """Check the definitions and bring every output up to date."""
    from dateline import generate as room

    if check and watch:
        raise click.UsageError("--check and --watch exclude each other.")
    if check:
        with progress.show_progress(quiet=quiet):
            stale = [(each, file) for each in workspaces for file in room.stale(each)]
        for workspace, file in stale:
            click.echo(workspace.output / str(file))
        sys.exit(STALE if stale else CLEAN)
    if watch:
        if len(workspaces) > 1:
            raise click.UsageError("--watch is for one project; name it with -p.")
        for outcome in room.watch(workspaces[0]):
            _say(workspaces[0], outcome)
        return
    errors = []
    for number, workspace in enumerate(workspaces, 1):
        try:
            with progress.show_progress(quiet=quiet):
                progress.enter_project(workspace.name, number, len(workspaces))
                outcome = room.generate(workspace)
        except DatelineError as error:
            errors.append(error)
            _say(workspace, error)
        else:
            if not quiet:
                _say(workspace, outcome)
    sys.exit(max((error.exit_code for error in errors), default=CLEAN))


@contextmanager
def _reporting_breaches(workspace: Workspace, form: str) -> Iterator[None]:
    """Report the findings of a breach as findings are, unless in JSON; and end with its status."""
    try:
        yield
    except BreachError as broken:
        if form == "json":
            raise
        _say(workspace, broken)
        sys.exit(broken.exit_code)


def _say(workspace: Workspace, outcome: Generated | DatelineError) -> None:
    if isinstance(outcome, BreachError):
        _Report([workspace], outcome.baseline).write(outcome.findings, [], err=True)
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
    for name in ("added", "changed", "removed"):
        for path in getattr(written, name):
            click.echo(f"{name} {output / path}")
    click.echo(
        f"{output}: {len(written.added)} added, {len(written.changed)} changed, "
        f"{len(written.removed)} removed, {written.unchanged} unchanged"
    )


_AGAINST = click.option(
    "--against",
    metavar="REF|PATH",
    help="What callers have: a git revision, a folder or a document. "
    "Without it, the documents in the output folder, as they are committed.",
)


def _read_formats(
    _: click.Context, __: click.Parameter, given: tuple[str, ...]
) -> list[tuple[str, str]]:
    """Return the name and the file of each format; no file is standard output."""
    split = [one.partition("=") for one in given]
    for name, equals, file in split:
        if name not in FORMATS:
            raise click.BadParameter(f"no format {name!r}; there are {', '.join(FORMATS)}.")
        if equals and not file:
            raise click.BadParameter(f"{name}= names no file.")
    if sum(not file for _, _, file in split) > 1:
        raise click.BadParameter("one format goes to standard output; write NAME=FILE for others.")
    return [(name, file) for name, _, file in split]


_FORMAT = click.option(
    "--format",
    "formats",
    multiple=True,
    metavar="NAME[=FILE]",
    callback=_read_formats,
    help=f"{', '.join(FORMATS)}; repeatable, all but one to a file.",
)
_FORM = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="For people, or for programs.",
)
_WAIVED = click.option("--waived", is_flag=True, help="Write out waived findings, too.")


@main.command()
@all_projects
@_AGAINST
@_FORMAT
@_WAIVED
@click.option(
    "--app",
    metavar="MODULE:NAME",
    help="Compare with the code of an application instead: what its OpenAPI document says.",
)
@_QUIET
def check(
    workspaces: list[Workspace],
    against: str | None,
    app: str | None,
    formats: list[tuple[str, str]],
    waived: bool,
    quiet: bool,
) -> None:
    """Check the definitions against the versioning rules."""
    from dateline import generate as room

    if app is not None:
        if len(workspaces) > 1 or against is not None or formats:
            raise click.UsageError("--app is for one project, without --against and --format.")
        _check_code(workspaces[0], app, quiet=quiet)
        return
    if against is None and not formats and all(map(room.is_untouched, workspaces)):
        if not quiet:
            click.echo(fresh.NO_FINDINGS)
        return
    from dateline.check import breaches

    with progress.show_progress(quiet=quiet):
        checked = room.check_projects(workspaces, against)
    report = _Report(workspaces, baseline=checked.baseline, against=against, errors=checked.errors)
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
        count = "1 difference" if len(found) == 1 else f"{len(found)} differences"
        click.echo(f"{count} between the definitions ({newest}) and {app}", err=True)
    elif not quiet:
        click.echo(f"no differences between the definitions ({newest}) and {app}")
    sys.exit(FINDINGS if found else CLEAN)


@main.command()
@one_project
@_AGAINST
@click.option("--dry-run", is_flag=True, help="Show the patch, write nothing.")
@click.option("--yes", is_flag=True, help="Take what looks renamed for renamed, without asking.")
@_FORM
def gate(workspace: Workspace, against: str | None, dry_run: bool, yes: bool, form: str) -> None:
    """Gate every ungated breaking change in the definitions themselves.

    What a published contract needs comes back or is kept for older versions; the newest shape
    stays as you wrote it. Exit 1 where something is left: what can't be gated, and what a gate
    needs beside it (`x-shown-as`, a `default`) that only you can say.
    """
    from dateline import generate as room
    from dateline.edit.gate import apply

    def confirm_rename(place: Place, question: Rename) -> bool:
        prompt = f"{place}: was {question.before} renamed to {question.after}?"
        with progress.pause_progress():
            return yes or (not dry_run and sys.stdin.isatty() and click.confirm(prompt, err=True))

    with progress.show_progress():
        plan = room.gates(workspace, against, confirm_rename)
    status = FINDINGS if plan.left or plan.incomplete else CLEAN
    demands = room.list_gate_demands(workspace, plan)
    if not dry_run:
        apply(plan)
    if form == "json":
        from dateline.answers.describing import describe_gates

        written = bool(plan.replacements) and not dry_run
        click.echo(format_answer(describe_gates(plan, demands, written=written)))
        sys.exit(status)
    if dry_run:
        click.echo(plan.patch(), nl=False)
    else:
        for edit in plan.edits:
            click.echo(f"{edit.place}: {edit.message}")
    for question in plan.questions:
        click.echo(f"{question.before} was not taken for renamed to {question.after}", err=True)
    for left in plan.left:
        click.echo(f"{left.place}: {left.message}: {left.reason}", err=True)
    for remark in plan.remarks:
        click.echo(remark, err=True)
    _show_demands("converters that the gates demand", demands, err=True)
    if not plan.edits and not plan.left:
        click.echo("nothing to gate", err=True)
    sys.exit(status)


@main.command()
@one_project
@click.argument("day", metavar="DATE")
@click.option("--title", help="What callers will notice, in one sentence.")
@click.option(
    "--draft",
    "drafts",
    multiple=True,
    metavar="DRAFT",
    shell_complete=completion.drafts,
    help="A draft that becomes the version; repeatable, to fold several into one.",
)
@click.option("--undisclosed", is_flag=True, help="Mark a version that shows no change.")
@click.option("--dry-run", is_flag=True, help="Show the patch and the changes, write nothing.")
@_FORM
def cut(
    workspace: Workspace,
    day: str,
    title: str | None,
    drafts: tuple[str, ...],
    undisclosed: bool,
    dry_run: bool,
    form: str,
) -> None:
    """Cut the version being prepared: DATE takes the place of `next`.

    What was added to all versions since the last cut is recorded beside the definitions. Sources
    and outputs change together or not at all. Refused where the version changes nothing, the date
    is not newer than every version that is cut, a check fails, or git knows of changes that are
    not committed.
    """
    from dateline import generate as room
    from dateline.demands import list_of_version
    from dateline.edit.cut import CutRequest
    from dateline.status import format_changes

    request = CutRequest(day=day, title=title, drafts=drafts, undisclosed=undisclosed)
    with _reporting_breaches(workspace, form), progress.show_progress():
        plan, outcome = room.cut(workspace, request, dry_run=dry_run)
    demands = list_of_version(plan.api, plan.version.date)
    if form == "json":
        from dateline.answers.describing import describe_cut

        click.echo(format_answer(describe_cut(plan, demands, outcome)))
        return
    click.echo(f"{plan.version.date}: {plan.version.title}")
    for line in format_changes(entry.data for entry in plan.page().entries):
        click.echo(f"  {line}")
    _show_demands("  converters that it demands", demands)
    if plan.closed:
        click.echo(f"  added to all versions {plan.closed.words}")
        for entry in plan.closed.entries:
            click.echo(f"    {entry.message}")
    _show_edits(workspace, plan, outcome)


def _show_demands(title: str, demands: Sequence[DemandedConverter], *, err: bool = False) -> None:
    """Show the converters that are demanded, each with the signatures of its methods."""
    if demands:
        click.echo(title, err=err)
    indent = " " * (len(title) - len(title.lstrip()) + 2)
    for demand in demands:
        for line in demand.format_lines():
            click.echo(indent + line, err=err)


@main.command()
@partial(one_project, required=False)
@click.argument(
    "paths",
    metavar="PATH...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, path_type=Path),
)
@click.option("--from", "older", required=True, metavar="VERSION", help="What the code uses.")
@click.option("--to", "newer", required=True, metavar="VERSION", help="What it is to use.")
@click.option(
    "--generated",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder with `python/` and `changes/`; the output of the project unless given.",
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

    Imports, classes, fields, methods and arguments with another name are rewritten where it is
    certain what they are; what is gone or needed now is marked with a comment that has the reason.
    All else that may be concerned is listed with its place: exit status 1 says that something is
    marked or listed.
    """
    from dateline.migrate import migrate as find_migration

    found = find_migration(paths, generated or workspace.output, older, newer)
    if dry_run:
        click.echo(found.patch, nl=False)
    else:
        found.write()
        for path in found.files:
            click.echo(f"changed {path}")
    for title, lines in (
        ("marked in the code:", found.marked),
        ("not certain, and left as it is:", found.uncertain),
        ("changed as well, and no name in Python:", found.left),
    ):
        if lines:
            click.echo(title, err=True)
        for line in lines:
            click.echo(f"  {line}", err=True)
    if not (found.files or found.marked or found.uncertain):
        click.echo(f"nothing uses {older}", err=True)
    sys.exit(1 if found.marked or found.uncertain else 0)


def _show_edits(workspace: Workspace, plan: Revision, outcome: Generated | None) -> None:
    """Show the patch of *plan*; where it was carried out, what came of it."""
    if outcome is None:
        if plan.recorded:
            # whole documents would bury the patch
            recorded = ", ".join(f"{one.verb} {one.name}" for one in plan.recorded)
            click.echo(f"{workspace.schemas}: {recorded}")
        click.echo(plan.patch(), nl=False)
        return
    folder = str(workspace.schemas)
    changed = [folder]
    for replacement in (*plan.replacements, *plan.recorded):
        path = os.path.normpath(workspace.schemas / replacement.name)
        click.echo(f"{replacement.verb} {path}")
        # what is shared is not in that folder
        changed += [path] if replacement.name.startswith("../") else []
    _say(workspace, outcome)
    click.echo(f"now commit {', '.join(changed)} and {workspace.output}", err=True)


@main.command("try")
@one_project
@click.argument("converter", required=False)
@click.option(
    "--converters",
    metavar="MODULE:NAME",
    help="An object with the methods of the converters, or its class; else the setting.",
)
@click.option("--values", default=50, show_default=True, help="How many values on each way.")
@click.option("--seed", default=0, show_default=True, help="Other values for another number.")
@click.option(
    "--lossy",
    multiple=True,
    metavar="CONVERTER",
    help="A converter whose values need not come back once they went down; repeatable.",
)
@_FORM
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

    CONVERTER is one of them, by its name or method; all without it. Shows what fails, what does not
    fit the versions, and what does not come back; exit 1 where there is any.
    """
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
    tried = [trial.try_converter(name) for name in trial.find_names(converter)]
    faulty = sum(1 for each in tried if each.faults)
    if form == "json":
        click.echo(format_answer({"converters": [each.describe() for each in tried]}))
        sys.exit(FINDINGS if faulty else CLEAN)
    for each in tried:
        for line in each.format_lines():
            click.echo(line)
    count = "1 converter" if len(tried) == 1 else f"{len(tried)} converters"
    click.echo(f"{count} tried, {faulty} with faults" if faulty else f"{count} tried: no faults")
    sys.exit(FINDINGS if faulty else CLEAN)


@main.command()
@one_project
@click.argument("version", shell_complete=completion.versions)
@click.option("--dry-run", is_flag=True, help="Show the patch, write nothing.")
@_FORM
def retire(workspace: Workspace, version: str, dry_run: bool, form: str) -> None:
    """Remove VERSION, whose announced end has come.

    Gates that no other version needs are folded away; the documents of all others stay byte for
    byte. Sources and outputs change together or not at all. Refused before the announced day, for
    the default and the newest version, where a check fails, or where git knows of changes that
    are not committed.
    """
    from dateline import generate as room

    with _reporting_breaches(workspace, form), progress.show_progress():
        plan, outcome = room.retire(workspace, version, dry_run=dry_run)
    if form == "json":
        from dateline.answers.describing import describe_retired

        click.echo(format_answer(describe_retired(plan, outcome)))
        return
    click.echo(f"{plan.version.date}: {plan.version.title}")
    _show_edits(workspace, plan, outcome)


@main.command()
@one_project
@_AGAINST
@click.argument("rule", shell_complete=completion.rules)
@click.argument("place")
@click.option(
    "--version",
    "versions",
    multiple=True,
    shell_complete=completion.versions,
    help="A version; repeatable. Without it, all versions of the finding.",
)
@click.option("--reason", required=True, help="Why it may pass.")
@click.option("--expires", required=True, metavar="DATE", help="The last day on which it may.")
@click.option(
    "--class",
    "kind",
    type=click.Choice(["bug-fix", "security", "no-callers"]),
    help="What kind of reason it is.",
)
@click.option("--usage", help="What shows that there are no callers, such as a report's address.")
@click.option("--owner", help="Who sees to it until then: a person or a team.")
@click.option("--approved-by", help="Who has let it pass.")
def waive(
    workspace: Workspace,
    against: str | None,
    rule: str,
    place: str,
    versions: tuple[str, ...],
    reason: str,
    expires: str,
    kind: str | None,
    usage: str | None,
    owner: str | None,
    approved_by: str | None,
) -> None:
    """Let a finding of RULE pass until a day.

    PLACE is what `dateline check` prints of it: the file, line and column, or the name before the
    colon, such as Loan.fine_cents; or its pointer or fingerprint in `--format json`.
    """
    from dateline import generate
    from dateline.edit.waive import waive as room
    from dateline.rules.explanation import find_rule

    try:
        find_rule(rule)
    except LookupError as error:
        raise click.UsageError(str(error)) from error
    details = {"class": kind, "usage": usage, "owner": owner, "approved-by": approved_by}
    pointer, named = generate.waiver_target(
        workspace, against, rule=rule, given=place, versions=versions
    )
    path = room(
        workspace.schemas,
        rule=rule,
        pointer=pointer,
        versions=named,
        reason=reason,
        expires=expires,
        today=date.today(),
        details={key: text for key, text in details.items() if text},
    )
    click.echo(f"added a waiver to {path}")


@main.command()
@partial(one_project, required=False)
@click.argument("before", shell_complete=completion.versions)
@click.argument("after", shell_complete=completion.versions)
@_FORMAT
@click.option(
    "--policy",
    metavar="PRESET|FILE",
    help="The policy that judges: a preset, or a YAML file with the value of `policy` in "
    "versions.yaml. Without it, the policy of the definitions.",
)
@click.option("--exit-code", is_flag=True, help="Exit 1 where a change is gated or never.")
@_QUIET
def diff(
    workspace: Workspace,
    before: str,
    after: str,
    formats: list[tuple[str, str]],
    policy: str | None,
    exit_code: bool,
    quiet: bool,
) -> None:
    """Show what differs between BEFORE and AFTER, judged.

    Each is a version of the definitions, VERSION@ENVIRONMENT, a git revision, a folder of
    outputs or an OpenAPI document.
    """
    from dateline.check.comparison import compare
    from dateline.collector import collection_off
    from dateline.model import Verdict

    with collection_off():
        with progress.show_progress(quiet=quiet):
            findings, label = compare(workspace.schemas, workspace.output, before, after, policy)
        _Report([workspace], label, command="diff").write(findings, formats, quiet=quiet)
    weighty = any(found.verdict in (Verdict.GATED, Verdict.NEVER) for found in findings)
    sys.exit(FINDINGS if exit_code and weighty else CLEAN)


@dataclass(frozen=True)
class _Report:
    """What all reports of one run say: of which projects, compared with what."""

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
        from dateline.report import Context, list_problems, report, step_summary

        click.get_current_context().meta[_REPORTED] = True
        folders = {name_folder(one.schemas): one for one in self.workspaces}

        def source(name: str) -> str | None:
            for folder, workspace in folders.items():
                # a file that is shared is not below
                path = workspace.schemas / posixpath.relpath(name, folder)
                try:
                    if path.is_file():
                        return path.read_text(encoding="utf-8")
                except (OSError, ValueError):
                    return None  # read without trouble before, so it went meanwhile
            return None

        named = {folder: one.name for folder, one in folders.items() if one.name}
        fallback = f"{next(iter(folders))}/versions.yaml"
        context = Context(
            version=__version__,
            baseline=self.baseline,
            command=self.command,
            against=self.against,
            colour=_has_colour(),
            width=shutil.get_terminal_size().columns,
            show_waived=waived,
            quiet=quiet,
            projects=named,
            fallback=fallback,
            rule_pages=self.workspaces[0].rule_pages,
            problems=tuple(list_problems(self.errors, fallback)),
            source=source,
        )
        for name, file in formats or [("text", "")]:
            if file:
                _write(Path(file), report(findings, name, context=context))
            elif name != "text":
                click.echo(report(findings, name, context=context), nl=False, err=err)
            elif findings or not self.errors:
                # at a terminal, problems are printed once: as errors
                settled = replace(context, problems=())
                text = report(findings, name, context=settled)
                click.echo(text, nl=False, err=err, color=context.colour)
            summary = os.environ.get("GITHUB_STEP_SUMMARY")
            if name == "github" and summary:
                with Path(summary).open("a", encoding="utf-8") as steps:
                    steps.write(step_summary(findings, context))


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise click.UsageError(f"{path} can't be written: {error.strerror}.") from error


def _has_colour() -> bool:
    """Return whether standard output is to be coloured (no-color.org, force-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return bool(os.environ.get("FORCE_COLOR")) or terminal


@main.command()
@_FORM
def rules(form: str) -> None:
    """List the rules: id, verdict, summary."""
    from dateline.rules.explanation import list_rules

    if form == "json":
        from dateline.answers.describing import describe_rules

        click.echo(format_answer(describe_rules()))
        return
    for line in list_rules():
        click.echo(line)


@main.command()
@click.argument("rule", shell_complete=completion.rules)
@_FORM
def explain(rule: str, form: str) -> None:
    """Explain RULE, or a preset of the policy: reason, example, way out."""
    from dateline.answers.describing import describe_explained
    from dateline.rules.explanation import explain as explain_rule

    try:
        if form == "json":
            click.echo(format_answer(describe_explained(rule)))
        else:
            click.echo(explain_rule(rule))
    except LookupError as error:
        raise click.UsageError(str(error)) from error


@main.command()
@all_projects
@_FORM
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


@main.command()
@one_project
@click.option(
    "--environment",
    metavar="NAME",
    shell_complete=completion.environments,
    help="Which one; else the first in versions.yaml.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Where to listen; 0 is any that is free.",
)
@click.option("--seed", default=0, show_default=True, help="Other seeds make other values.")
def serve(workspace: Workspace, environment: str | None, host: str, port: int, seed: int) -> None:
    """Serve a mock of every version of the definitions, until Ctrl-C.

    Its answers are made up: they fit the schemas, and are the same for the same request and seed.
    It writes nothing, and needs what `pip install 'dateline[serve]'` installs.
    """
    from dateline.serve import serve as room

    room(workspace, environment=environment, host=host, port=port, seed=seed, say=click.echo)


@main.command()
@click.option("--upstream", metavar="URL", required=True, help="The server behind the proxy.")
@click.option(
    "--generated",
    type=click.Path(path_type=Path),
    default=Path("generated"),
    show_default=True,
    help="Folder of the outputs, or of a generated package; read again when it changes.",
)
@click.option("--environment", metavar="NAME", help="Which one, if the API has several.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Where to listen; 0 is any that is free.",
)
@click.option(
    "--only",
    metavar="OPERATION",
    multiple=True,
    help="Version this operation; all others pass as they are. Several times for several.",
)
@click.option(
    "--converters", metavar="MODULE:NAME", help="An object with the methods of the converters."
)
@click.option(
    "--account-header",
    metavar="NAME",
    help="The header that says whom a request is done for: the account of converters.",
)
@click.option(
    "--limit",
    metavar="OPERATION=BYTES",
    multiple=True,
    help="How many bytes a body sent to this operation may have.",
)
@click.option(
    "--trust",
    metavar="NETWORK",
    multiple=True,
    help="Believe X-Forwarded-Proto and -Host of callers in this network.",
)
@click.option("--keep-host", is_flag=True, help="Pass the header Host on as it was sent.")
@click.option(
    "--connect", type=float, default=5.0, show_default=True, help="Seconds to wait to connect."
)
@click.option(
    "--read",
    type=float,
    default=60.0,
    show_default=True,
    help="Seconds to wait for the next bytes of an answer.",
)
@click.option(
    "--grace",
    type=int,
    default=30,
    show_default=True,
    help="Seconds that running requests have after SIGTERM.",
)
@click.option("--quiet", is_flag=True, help="Log no requests.")
def proxy(host: str, port: int, only: Sequence[str], limit: Sequence[str], **given: Any) -> None:
    """Serve every version in front of a server that speaks the newest.

    That server may be written in any language. The proxy writes nothing, and needs what
    `pip install 'dateline[proxy]'` installs. SIGTERM and Ctrl-C end it once the running requests
    are answered.
    """
    from dateline.proxy import Proxy
    from dateline.proxy import proxy as room

    settings = Proxy(
        upstream={
            "url": given["upstream"],
            "connect": given["connect"],
            "read": given["read"],
            "trusted": given["trust"],
            "keeps_host": given["keep_host"],
        },
        generated=given["generated"],
        environment=given["environment"],
        only=only,
        limits=limit,
        converters=given["converters"],
        account_header=given["account_header"],
        grace=given["grace"],
        logs_requests=not given["quiet"],
    )
    room(settings, host=host, port=port, say=click.echo)


@main.command()
def demo() -> None:
    """Show in a minute what dateline does; nothing is left behind."""
    from dateline.demo import run_demo

    run_demo(click.echo)


@main.command()
@schemas_only
@click.argument("name")
@_FORM
def history(schemas: Path, name: str, form: str) -> None:
    """Show since when there is a NAME, what it was before, and why.

    NAME is a component (Customer), a field (Customer.status), a value of an enum or member of a
    union (DepositRail.Iban), or an operation (its id, or "GET /customers").
    """
    from dateline.changes.history import trace_history
    from dateline.changes.record import read_record
    from dateline.load import load

    api = load(schemas)
    try:
        found = trace_history(api, name, read_record(schemas, api.table))
    except LookupError as error:
        raise click.UsageError(str(error)) from error
    click.echo(found.text() if form == "json" else "\n".join(found.lines()))


@main.command()
@partial(schemas_only, required=False)
@click.argument(
    "which",
    type=click.Choice(["source", "versions", "report", "changes", "history", *ANSWERS]),
    default="source",
)
def schema(which: str, schemas: Path) -> None:
    """Print a JSON Schema: of the sources, versions.yaml, `--format json`, or change pages.

    `report` is what `check` and `diff` give in JSON. The others have the names of commands, and are
    what these give.
    """
    if which in ANSWERS:
        click.echo(answer_schema(which), nl=False)
        return
    if which == "changes":
        from dateline.changes import schema as changes_schema

        click.echo(changes_schema(), nl=False)
        return
    if which == "history":
        from dateline.changes.history import schema as history_schema

        click.echo(history_schema(), nl=False)
        return
    if which == "report":
        from dateline.report import schema as report_schema

        click.echo(report_schema(), nl=False)
        return
    from dateline.load.editor import editor_schema

    click.echo(editor_schema(which, schemas), nl=False)


@main.command()
@click.argument("documents", nargs=-1, required=True, metavar="DATE=FILE...")
@click.option(
    "--into", type=FOLDER, default=Path("schemas"), show_default=True, help="An empty folder."
)
@click.option("--header", help="The header that callers name a version in.")
@click.option("--default", metavar="DATE", help="The version without a header; else the oldest.")
@click.option("--package", help="What the generated Python package is called.")
@click.option(
    "--rename",
    "renames",
    multiple=True,
    metavar="OLD=NEW",
    help="A field, header or parameter that was renamed, everywhere or, as SCHEMA.OLD=NEW or "
    "'METHOD /path.OLD=NEW', in one place; repeatable.",
)
@click.option("--yes", is_flag=True, help="Take what looks renamed for renamed, without asking.")
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
def adopt(
    documents: tuple[str, ...],
    into: Path,
    header: str | None,
    default: str | None,
    package: str | None,
    renames: tuple[str, ...],
    yes: bool,
    newest_words: bool,
    gate_words: bool,
) -> None:
    """Make definitions of the OpenAPI documents that each version has.

    MODULE:NAME in place of a file is an application, such as FastAPI's, that makes its document.
    Each document comes back out of the definitions equal, the order of keys aside; else nothing
    is written. On a terminal, you confirm what looks renamed; otherwise it is written as removed
    and added, with the option that makes it a rename.
    """
    from dateline.adopt import Words
    from dateline.adopt import adopt as take_over
    from dateline.adopt.summary import format_adoption

    def confirm_rename(proposal: Proposal) -> bool:
        where = f"{proposal.holder}: " if proposal.holder else ""
        prompt = f"{where}was {proposal.older} renamed to {proposal.newer}?"
        with progress.pause_progress():
            return yes or (sys.stdin.isatty() and click.confirm(prompt, err=True))

    with progress.show_progress():
        adoption = take_over(
            documents,
            into,
            header=header,
            default=default,
            package=package,
            renames=renames,
            accept=confirm_rename,
            words=Words.GATED if gate_words else Words.NEWEST if newest_words else Words.KEPT,
        )
    for path in adoption.files:
        click.echo(f"added {path}")
    for line in format_adoption(adoption):
        click.echo(line)


@main.command()
@click.argument("folder", type=FOLDER, default=Path())
@click.option("--server", is_flag=True, help="Write a first server.py; in a project, that alone.")
@click.option(
    "--form",
    type=click.Choice(FORMS),
    default=DATE_FORM,
    metavar="FORM",
    help=f"How versions are named: {', '.join(FORMS)}.",
)
def init(folder: Path, server: bool, form: str) -> None:
    """Set up a starter project in an empty FOLDER (here, unless given)."""
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
