"""Changes of components as a whole that need a new version."""

from __future__ import annotations

from dateline.model import Change, Kind
from dateline.rules.law import gated


@gated
def component_removed(change: Change) -> bool:
    """A component stays, even one that no operation uses.

    Its model may be imported by name.

    Put it back, with `x-removed: next` if newer versions do without it.

    In a model, before:
        Loan: {type: object}
        Fine: {type: object}
    After:
        Loan: {type: object}
    """
    return change.kind is Kind.COMPONENT_REMOVED


@gated
def component_renamed(change: Change) -> bool:
    """A component keeps its name.

    Nothing changes on the wire, but models are imported by that name.

    Put the old name back, or let it stay beside the new one: `Old: { $ref:
    '#/components/schemas/New' }`. Where nobody imports the models, say `component-renamed:
    additive` under `policy: {rules: …}`.

    In a response, before:
        Loan: {type: object, properties: {id: {type: string}}}
    After:
        Lending: {type: object, properties: {id: {type: string}}}
    """
    return change.kind is Kind.COMPONENT_RENAMED
