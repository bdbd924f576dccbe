"""Changes of components as a whole that need a new version."""

from __future__ import annotations

from dateline.model import Change, Kind
from dateline.rules.rule import gated


@gated
def component_removed(change: Change) -> bool:
    """A component stays, even one that no operation uses.

    Its model may be imported by name.

    Put it back, with `x-removed: next` if newer versions do without it.

    Callers: Regenerate your client, and stop importing the component.
    Breaks: code that imports the component from a generated client.

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

    Put the old name back, or keep it beside the new one: `Old: { $ref:
    '#/components/schemas/New' }`. Where nobody imports the models, waive it (`dateline waive`), or
    give this rule another verdict under `policy: {rules: …}` in a change of its own.

    Callers: Regenerate your client, and import the component by its new name.
    Breaks: code that imports the component by its old name.

    In a response, before:
        Loan: {type: object, properties: {id: {type: string}}}
    After:
        Lending: {type: object, properties: {id: {type: string}}}
    """
    return change.kind is Kind.COMPONENT_RENAMED


@gated
def dialect_changed(change: Change) -> bool:
    """A published document keeps the dialect of its schemas.

    Swagger 2.0 and OpenAPI 3.0 have dialects of their own, 3.1 and later take JSON Schema 2020-12.
    Nothing changes on the wire: the meaning of schemas in their own dialect is judged separately.
    But tools that support one version may not support the other, and generate different code from
    it.

    Write `openapi` as it was published. Where all consumers read both, waive it
    (`dateline waive`), or give this rule another verdict under `policy: {rules: …}` in a change of
    its own.

    Callers: Regenerate your client, with tools that read the new version of OpenAPI.
    Breaks: tools that read only the old version of OpenAPI.

    In a document, before:
        openapi: 3.0.3
        paths: {/loans: {get: {responses: {'200': {description: loans}}}}}
    After:
        openapi: 3.1.0
        paths: {/loans: {get: {responses: {'200': {description: loans}}}}}
    """
    return change.kind is Kind.DIALECT_CHANGED
