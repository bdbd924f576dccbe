"""The commands for reference: rules, explain, history, schema."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from dateline import completion
from dateline.answers import ANSWERS, format_answer
from dateline.answers import schema as answer_schema
from dateline.cli.group import main
from dateline.cli.reporting import FORM
from dateline.options import schemas_only


@main.command()
@FORM
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
@FORM
def explain(rule: str, form: str) -> None:
    """Explain RULE, or a preset of the policy: reason, example, fix."""
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
@schemas_only
@click.argument("name")
@FORM
def history(schemas: Path, name: str, form: str) -> None:
    """Show when NAME was introduced, how it has changed, and why.

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
    """Print a JSON Schema: of sources, JSON output or change pages.

    `source` and `versions` are for editors. The others describe JSON: `report` that of `check` and
    `diff`, `changes` that of change pages, `problems` that of invalid input, and the rest that of
    the command with the same name.
    """
    from dateline import changes, report
    from dateline.changes import history
    from dateline.load.editor import editor_schema

    if which in ANSWERS:
        text = answer_schema(which)
    elif which in ("source", "versions"):
        text = editor_schema(which, schemas)
    else:
        text = {"changes": changes, "history": history, "report": report}[which].schema()
    click.echo(text, nl=False)
