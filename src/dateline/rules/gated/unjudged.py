"""Changes that nobody has judged: they need a new version, too."""

from __future__ import annotations

from dateline.model import Change
from dateline.rules.rule import gated


@gated
def unjudged_change(change: Change) -> bool:  # noqa: ARG001
    """A change that no rule calls additive needs a new version.

    No rule covers it, so its effect on callers is unknown.

    Put it back, or gate it. If it is harmless to the callers of your API, waive this one finding
    (`dateline waive`), or give this rule a verdict under `policy: {rules: …}` in a change of its
    own.

    Callers: Compare the old definition with the new one, and adapt your code.
    Breaks: code that relies on the old definition.

    In a response, before:
        Loan: {type: object}
    After:
        Loan: {type: object, sorted: true}
    """
    return True
