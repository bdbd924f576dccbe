"""The commands that edit the definitions: gate, cut, retire, waive."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from dateline import completion, progress
from dateline.answers import format_answer
from dateline.generate import Generated
from dateline.model import Place, current_day
from dateline.options import one_project
from dateline.settings import Workspace

if TYPE_CHECKING:
    from dateline.demands import DemandedConverter
    from dateline.edit.renames import Rename
    from dateline.edit.revision import Revision

from dateline.cli.group import main
from dateline.cli.reporting import AGAINST, CLEAN, FINDINGS, FORM, print_outcome, reporting_breaches


@main.command()
@one_project
@AGAINST
@click.option("--dry-run", is_flag=True, help="Show the patch, write nothing.")
@click.option("--yes", is_flag=True, help="Treat likely renames as renames, without asking.")
@FORM
def gate(workspace: Workspace, against: str | None, dry_run: bool, yes: bool, form: str) -> None:
    """Gate every ungated breaking change in the definitions themselves.

    What published contracts promise is restored or kept for older versions; the newest version
    stays as you wrote it. Exit 1 if something is left to do: changes that can't be gated, and
    values that only you can supply (`x-shown-as`, `x-why`, a `default`).
    """
    from dateline import generate as room
    from dateline.edit.gate import apply

    def confirm_rename(place: Place, question: Rename) -> bool:
        prompt = f"{place}: was {question.before} renamed to {question.after}?"
        with progress.pause_progress():
            return yes or (not dry_run and sys.stdin.isatty() and click.confirm(prompt, err=True))

    with progress.show_progress():
        plan = room.plan_gates(workspace, against, confirm_rename)
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
        declined = f"{question.before} was not taken for renamed to {question.after}"
        click.echo(f"{declined}; `--yes` takes all likely renames as such", err=True)
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
    help="Draft that becomes the version; repeat it to merge several into one.",
)
@click.option(
    "--undisclosed",
    is_flag=True,
    help="Allow a version without visible changes, and mark it as such.",
)
@click.option("--dry-run", is_flag=True, help="Show the patch and the changes, write nothing.")
@FORM
def cut(
    workspace: Workspace,
    day: str,
    title: str | None,
    drafts: tuple[str, ...],
    undisclosed: bool,
    dry_run: bool,
    form: str,
) -> None:
    """Cut the version being prepared: DATE replaces `next`.

    Everything added to all versions since the last cut is recorded beside the definitions. Sources
    and outputs change together or not at all. Refused if the version changes nothing, if the date
    is not newer than every cut version, if a check fails, or if there are uncommitted changes.
    """
    from dateline import generate as room
    from dateline.demands import list_of_version
    from dateline.edit.cut import CutRequest
    from dateline.status import format_changes

    request = CutRequest(day=day, title=title, drafts=drafts, undisclosed=undisclosed)
    with reporting_breaches(workspace, form), progress.show_progress():
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
    """Show the demanded converters, each with the signatures of its methods."""
    if demands:
        click.echo(title, err=err)
    indent = " " * (len(title) - len(title.lstrip()) + 2)
    for demand in demands:
        for line in demand.format_lines():
            click.echo(indent + line, err=err)


def _show_edits(workspace: Workspace, plan: Revision, outcome: Generated | None) -> None:
    """Show the patch of *plan* and, if it was carried out, the result for the outputs."""
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
        # shared files are not in that folder
        changed += [path] if replacement.name.startswith("../") else []
    print_outcome(workspace, outcome)
    click.echo(f"now commit {', '.join(changed)} and {workspace.output}", err=True)


@main.command()
@one_project
@click.argument("version", shell_complete=completion.versions)
@click.option("--dry-run", is_flag=True, help="Show the patch, write nothing.")
@FORM
def retire(workspace: Workspace, version: str, dry_run: bool, form: str) -> None:
    """Remove VERSION after its announced end.

    Gates that no other version needs are removed; the documents of all other versions stay byte
    for byte the same. Sources and outputs change together or not at all. Refused before the
    announced day, for the default and the newest version, if a check fails, or if there are
    uncommitted changes.
    """
    from dateline import generate as room

    with reporting_breaches(workspace, form), progress.show_progress():
        plan, outcome = room.retire(workspace, version, dry_run=dry_run)
    if form == "json":
        from dateline.answers.describing import describe_retired

        click.echo(format_answer(describe_retired(plan, outcome)))
        return
    click.echo(f"{plan.version.date}: {plan.version.title}")
    _show_edits(workspace, plan, outcome)


@main.command()
@one_project
@AGAINST
@click.argument("rule", shell_complete=completion.rules)
@click.argument("place")
@click.option(
    "--version",
    "versions",
    multiple=True,
    shell_complete=completion.versions,
    help="Version to waive it for; repeatable. By default, all versions of the finding.",
)
@click.option("--reason", required=True, help="Why it is waived.")
@click.option("--expires", required=True, metavar="DATE", help="Last day of the waiver.")
@click.option(
    "--class",
    "kind",
    type=click.Choice(["bug-fix", "security", "no-callers"]),
    help="Kind of reason.",
)
@click.option("--usage", help="Evidence that there are no callers, such as the URL of a report.")
@click.option("--owner", help="Person or team responsible for resolving it.")
@click.option("--approved-by", help="Person who approved it.")
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
    """Waive a finding of RULE until a given day.

    PLACE identifies the finding as `dateline check` prints it: by file, line and column, or by the
    name before the colon, such as Loan.fine_cents. The pointer or fingerprint of
    `--format json` works as well. An earlier waiver of the same finding is replaced.
    """
    from dateline import generate
    from dateline.edit.waive import waive as room
    from dateline.rules.explanation import find_rule

    try:
        find_rule(rule)
    except LookupError as error:
        raise click.UsageError(str(error)) from error
    pointer, named, value = generate.find_waiver_target(
        workspace, against, rule=rule, given=place, versions=versions
    )
    details = {
        "class": kind,
        "usage": usage,
        "owner": owner,
        "approved-by": approved_by,
        "value": value,
    }
    path = room(
        workspace.schemas,
        rule=rule,
        pointer=pointer,
        versions=named,
        reason=reason,
        expires=expires,
        today=current_day(),
        details={key: text for key, text in details.items() if text},
    )
    click.echo(f"wrote a waiver to {path}")
