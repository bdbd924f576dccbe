"""Changes of a schema's other keywords that need a new version."""

from __future__ import annotations

from dateline.model import Change
from dateline.rules.predicates import KEYWORD, READ, SENT, Extent, extent
from dateline.rules.rule import gated

# How a value is written down, where no schema says it.
WRITTEN = frozenset(
    {
        *("style", "explode", "allowReserved", "allowEmptyValue", "schema", "content"),
        *("itemSchema", "encoding", "itemEncoding", "prefixEncoding"),
        *("contentType", "contentEncoding", "contentMediaType", "contentSchema"),
        *("xml", "name", "namespace", "prefix", "attribute", "wrapped"),
    }
)
_ACCESS = frozenset({"readOnly", "writeOnly"})
_CLOSING = frozenset({"additionalProperties", "unevaluatedProperties"})


@gated
def format_changed(change: Change) -> bool:
    """A value keeps its format.

    Clients parse by it, and generated types follow it. One that only promises callers more, or
    asks less of them, is a constraint like any other.

    Put the old format back, or keep it for older versions: `x-was: {next: {format: old}}`.

    Callers: Read and write the value in its new format.
    Breaks: code that reads or writes the value in its old format.

    In a response, before:
        Loan: {type: object, properties: {id: {type: string, format: uuid}}}
    After:
        Loan: {type: object, properties: {id: {type: string}}}
    """
    return change.kind in KEYWORD and change.keyword == "format"


@gated
def default_changed(change: Change) -> bool:
    """A default stays.

    Callers that leave the value out mean the one that was documented.

    Put the old default back, or keep it for older versions: `x-was: {next: {default: old}}`.

    Callers: Check what a missing value means now.
    Breaks: code that relies on what a missing value meant.

    In a parameter, before:
        PageSize: {type: integer, default: 10}
    After:
        PageSize: {type: integer, default: 20}
    """
    return change.kind in KEYWORD and change.keyword == "default"


@gated
def access_changed(change: Change) -> bool:
    """A field stays readable or writable by callers as it was.

    The marks `readOnly` and `writeOnly` decide whether it belongs into a request or a response.

    Put the old mark back, or keep it for older versions: `x-was: {next: {readOnly: …}}`.

    Callers: Check whether you read or send the field.
    Breaks: code that reads or sends the field as before.

    In a response, before:
        Loan: {type: object, properties: {id: {type: string}}}
    After:
        Loan: {type: object, properties: {id: {type: string, readOnly: true}}}
    """
    return change.kind in KEYWORD and change.keyword in _ACCESS


@gated
def representation_changed(change: Change) -> bool:
    """A value keeps its representation on the wire.

    Style, encoding and the like decide how the same value is spelled; the other side reads the
    spelling it knows.

    Put the old one back, or keep it for older versions with `x-was`.

    Callers: Read and write the value in its new representation.
    Breaks: code that reads or writes the value in its old representation.

    In an operation, before:
        parameters: [{name: ids, in: query, schema: {type: array, items: {type: string}}}]
        responses: {'200': {description: loans}}
    After:
        parameters: [{name: ids, in: query, explode: false,
          schema: {type: array, items: {type: string}}}]
        responses: {'200': {description: loans}}
    """
    return change.kind in KEYWORD and change.keyword in WRITTEN


@gated
def request_narrowed(change: Change) -> bool:
    """A request that was valid stays valid.

    Callers send values that only the old constraint allowed.

    Put the old constraint back, or keep it for older versions: `x-was: {next: {keyword: old}}`
    (`dateline gate` writes it).

    Callers: Keep what you send within the new bounds.
    Breaks senders: code that sends values beyond the new bounds.

    In a request, before:
        NewLoan: {type: object, properties: {note: {type: string, maxLength: 100}}}
    After:
        NewLoan: {type: object, properties: {note: {type: string, maxLength: 50}}}
    """
    return extent(change) is Extent.NARROWER and change.direction in SENT


@gated
def response_opened(change: Change) -> bool:
    """A response that allows no undeclared fields keeps refusing them.

    Callers ignore fields that they don't know, but the contract says that there are none.

    Declare the new fields, which needs no new version, or keep the object closed for older
    versions: `x-was: {next: {additionalProperties: false}}`.

    Callers: Be ready for fields that are not documented.
    Breaks readers: code that rejects fields it does not know.

    In a response, before:
        Loan: {type: object, additionalProperties: false}
    After:
        Loan: {type: object}
    """
    closed = change.keyword in _CLOSING and change.before is False
    opened = closed and change.after is not False
    return change.kind in KEYWORD and opened and change.direction in READ


@gated
def response_loosened(change: Change) -> bool:
    """A response keeps within the bounds it promised.

    Callers have made room for what the old bounds allow: a column, a buffer, a number type.

    Put the old bound back, or keep it for older versions: `x-was: {next: {keyword: old}}`
    (`dateline gate` writes it).

    Callers: Be ready for values beyond the old bounds.
    Breaks readers: code that relies on the old bounds.

    In a response, before:
        Loan: {type: object, properties: {note: {type: string, maxLength: 100}}}
    After:
        Loan: {type: object, properties: {note: {type: string, maxLength: 500}}}
    """
    return extent(change) is Extent.WIDER and change.direction in READ


@gated
def constraint_changed(change: Change) -> bool:
    """A constraint stays unchanged if it is undecidable whether another one allows more.

    Two patterns, for instance, can't be compared automatically.

    Put the old one back, or keep it for older versions: `x-was: {next: {pattern: old}}`
    (`dateline gate` writes it).

    Callers: Check what you send and read against the new constraint.
    Breaks: code that relies on the old constraint.

    In a response, before:
        Loan: {type: object, properties: {id: {type: string, pattern: '^L[0-9]+$'}}}
    After:
        Loan: {type: object, properties: {id: {type: string, pattern: '^LN-[0-9]+$'}}}
    """
    return change.kind in KEYWORD
