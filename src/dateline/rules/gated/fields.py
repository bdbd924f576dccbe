"""Changes of an object's fields that need a new version."""

from __future__ import annotations

from dateline.model import Change, Kind
from dateline.rules.predicates import ONLY_READ, READ, SENT, is_required
from dateline.rules.rule import gated


@gated
def closed_field_added(change: Change) -> bool:
    """An object that a published contract closes gains no field.

    Code generated from it rejects a response with another field. `additionalProperties: false`
    closes an object; so do `unevaluatedProperties`, `maxProperties`, `propertyNames`,
    `patternProperties`, `not`, `if`, `dependentSchemas` and `oneOf`, where they refuse this field.

    Give the field `x-added: next` (`dateline gate` writes it): callers of older versions then get
    responses without it.

    Callers: Add the new field to your models; older ones reject it.
    Breaks readers: code that rejects fields it does not know.

    In a response, before:
        Loan: {type: object, properties: {id: {type: string}}, additionalProperties: false}
    After:
        Loan:
          type: object
          properties: {id: {type: string}, shelf: {type: string}}
          additionalProperties: false
    """
    return change.kind is Kind.FIELD_ADDED and change.closed and change.direction in READ


@gated
def required_response_field_added(change: Change) -> bool:
    """A response gains no required field.

    Its type in generated clients changes, and so does every test and every fake built on it.

    Leave it out of `required`, or give it `x-added: next`.

    Callers: Add the new field to your models; it is always there.
    Breaks: code that builds responses itself, such as fakes in tests.

    In a response, before:
        Loan: {type: object, required: [id], properties: {id: {type: string}}}
    After:
        Loan:
          type: object
          required: [id, shelf]
          properties: {id: {type: string}, shelf: {type: string}}
    """
    return change.kind is Kind.FIELD_ADDED and change.direction in ONLY_READ


@gated
def required_request_field_added(change: Change) -> bool:
    """A request gains no required field.

    Callers of older versions don't send it, and each of their requests would be refused.

    Give it `x-added: next`, and a `default` for callers that don't send it. If it replaced fields
    that they send, write `x-was: {next: {in-place-of: …}}` on the object, and a converter.

    Callers: Send it with every request.
    Breaks senders: code that does not send the field.

    In a request, before:
        NewLoan: {type: object, required: [item], properties: {item: {type: string}}}
    After:
        NewLoan:
          type: object
          required: [item, branch]
          properties: {item: {type: string}, branch: {type: string}}
    """
    return change.kind is Kind.FIELD_ADDED and is_required(change)


@gated
def request_field_added(change: Change) -> bool:
    """A request body gains no field, not even an optional one.

    Callers of a cut version may already send a field of that name with another meaning, and rely on
    its being ignored.

    Give it `x-added: next`.

    Callers: Nothing has to be done. The field may be sent.

    In a request, before:
        NewLoan: {type: object, properties: {item: {type: string}}}
    After:
        NewLoan: {type: object, properties: {item: {type: string}, note: {type: string}}}
    """
    return change.kind is Kind.FIELD_ADDED


@gated
def response_field_removed(change: Change) -> bool:
    """A response keeps its fields.

    Callers read them.

    Put the field back, with `x-removed: next` (`dateline gate` writes it).

    Callers: Stop relying on the field; you no longer receive it.
    Breaks readers: code that reads the field.

    In a response, before:
        Loan: {type: object, properties: {id: {type: string}, shelf: {type: string}}}
    After:
        Loan: {type: object, properties: {id: {type: string}}}
    """
    return change.kind is Kind.FIELD_REMOVED and change.direction in READ


@gated
def request_field_removed(change: Change) -> bool:
    """A request keeps its fields.

    Callers send them and rely on their effect; strict servers refuse unknown fields.

    Put the field back, with `x-removed: next` (`dateline gate` writes it).

    Callers: Stop sending the field.
    Breaks senders: code that sends the field.

    In a request, before:
        NewLoan: {type: object, properties: {item: {type: string}, note: {type: string}}}
    After:
        NewLoan: {type: object, properties: {item: {type: string}}}
    """
    return change.kind is Kind.FIELD_REMOVED


@gated
def field_renamed(change: Change) -> bool:
    """A field keeps its name.

    Callers read and write it by that name.

    Put the old name back, or keep it for older versions: `x-was: {next: {name: old}}`.

    Callers: Read and send the field under its new name.
    Breaks: code that reads or sends the field under its old name.

    In a response, before:
        Loan: {type: object, properties: {reader: {type: string}}}
    After:
        Loan: {type: object, properties: {borrower: {type: string, x-was: {next: {name: reader}}}}}
    """
    return change.kind is Kind.FIELD_RENAMED


@gated
def field_required(change: Change) -> bool:
    """An optional field of a request stays optional.

    Callers that leave it out are suddenly refused.

    Take it out of `required`; or give it a `default` for callers that don't send it and run
    `dateline gate`, which keeps it optional and without a default in older versions.

    Callers: Send it with every request.
    Breaks senders: code that leaves the field out.

    In a request, before:
        NewLoan: {type: object, properties: {item: {type: string}}}
    After:
        NewLoan: {type: object, required: [item], properties: {item: {type: string}}}
    """
    return change.kind is Kind.FIELD_REQUIRED and change.direction in SENT


@gated
def field_optional(change: Change) -> bool:
    """A field that every response has stays in every response.

    Callers read it without asking whether it is there.

    Put it back into `required`, or keep the old list for older versions with
    `x-was: {next: {required: […]}}`.

    Callers: Be ready for its absence.
    Breaks readers: code that reads the field without checking that it is there.

    In a response, before:
        Loan: {type: object, required: [id], properties: {id: {type: string}}}
    After:
        Loan: {type: object, properties: {id: {type: string}}}
    """
    return change.kind is Kind.FIELD_OPTIONAL and change.direction in READ
