"""Completion of words on the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from dateline.model import Table
from dateline.options import find_schemas

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem


def rules(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """Offer the ids of the rules, each with its summary."""
    from dateline.rules import RULES

    return _complete(((rule.id, rule.summary) for rule in RULES.values()), begun)


def _of_table(
    words: Callable[[Table], Iterable[tuple[str, str]]],
) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """Offer *words* of the version table, or nothing if it can't be read."""

    def offer(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
        from dateline.load import read_known_table

        table = read_known_table(find_schemas(context))
        return _complete(words(table), begun) if table else []

    return offer


versions = _of_table(lambda table: [(one.date, one.title) for one in table.versions])
"""Offer the versions, each with its title."""

drafts = _of_table(lambda table: [(one.date, one.title) for one in table.versions if one.draft])
"""Offer the versions that are not cut yet, each with its title."""

environments = _of_table(lambda table: [(name, "") for name in table.environment_names])
"""Offer the names of the environments."""


def _complete(words: Iterable[tuple[str, str]], begun: str) -> list[CompletionItem]:
    # imported only while a shell completes a word
    from click.shell_completion import CompletionItem

    return [
        CompletionItem(word, help=description)
        for word, description in words
        if word.startswith(begun)
    ]
