"""Changes that break no caller: a contract to the letter needs a new version even for these."""

from __future__ import annotations

from dateline.model import Change, Direction, Kind
from dateline.rules.predicates import (
    ONLY_READ,
    SENT,
    Extent,
    extent,
    in_parameters,
    is_required,
    keeps_credentials,
)
from dateline.rules.rule import gated

_BODY = ("body",)


@gated
def request_loosened(change: Change) -> bool:
    """A request is accepted in no more forms than before.

    Any change of a request's shape is a new contract, although no old request is affected:
    what an older version accepts would otherwise depend on the day. That goes for values, media
    types and optional bodies, for credentials that are no longer demanded, and for what callers
    may respond to a webhook.

    Gate what is new (`x-added: next`), or keep the old constraint for older versions with
    `x-was`.

    Callers: Nothing has to be done. What you send now is accepted as before.

    In a request, before:
        NewLoan: {type: object, properties: {note: {type: string, maxLength: 100}}}
    After:
        NewLoan: {type: object, properties: {note: {type: string, maxLength: 500}}}
    """
    match change.kind:
        case Kind.VALUE_ADDED:
            # a new value of a parameter has a rule of its own
            return change.direction is Direction.REQUEST and not in_parameters(change)
        case Kind.HEADER_ADDED:
            return change.direction in SENT and not is_required(change)
        case Kind.BODY_ADDED:
            return change.direction is Direction.REQUEST and not is_required(change)
        case Kind.MEDIA_TYPE_ADDED:
            # a body without any may have had each of them
            is_another = change.carriers == _BODY and change.keyword != "content"
            return change.direction is Direction.REQUEST and is_another
        case Kind.SECURITY_CHANGED:
            return change.direction is Direction.REQUEST and keeps_credentials(change)
    wider = extent(change) is Extent.WIDER or change.kind in (
        Kind.VARIANT_ADDED,
        Kind.RESPONSE_ADDED,
    )
    return wider and change.direction is Direction.REQUEST


@gated
def response_narrowed(change: Change) -> bool:
    """A response may still contain everything it could contain.

    No caller breaks, but the contract changes: the removal of a documented value, variant or bound
    belongs in a new version, and so does the promise that a header is always sent, or a parameter
    to a webhook.

    Put it back: `x-removed: next` for a value or variant, and `x-shown-as` where it can't be left
    out (what callers of newer versions get); `x-was` for a constraint.

    Callers: Nothing has to be done. What you receive stays within what you can read already.

    In a response, before:
        State: {type: string, enum: [active, paused, returned]}
    After:
        State: {type: string, enum: [active, returned]}
    """
    if change.kind is Kind.PARAMETER_ADDED:
        return change.direction is Direction.RESPONSE
    fewer = extent(change) is Extent.NARROWER or change.kind in (
        Kind.VALUE_REMOVED,
        Kind.VARIANT_REMOVED,
    )
    return fewer and change.direction in ONLY_READ
