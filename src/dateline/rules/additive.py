"""The rules for additive changes, which go to all versions; everything else is gated."""

from __future__ import annotations

from dateline.model import EXTENSIBLE, Change, Direction, Kind
from dateline.rules.predicates import (
    ALLOWING,
    CONSTRAINTS,
    KEYWORD,
    ONLY_READ,
    Extent,
    extent,
    in_parameters_only,
    is_call,
    is_error,
    is_required,
)
from dateline.rules.rule import additive

# What no path shows, so that a request can do without it.
_BESIDE_THE_PATH = frozenset({"query", "querystring", "header", "cookie"})

_WORDS = frozenset({"deprecated", "tags"})


@additive
def operation_added(change: Change) -> bool:
    """A new endpoint goes to all versions.

    No caller of any version uses it yet.

    Write it without `x-added`.

    Callers: Nothing has to be done. The operation can be called in this version.

    In a document, before:
        paths:
          /loans: {get: {operationId: listLoans, responses: {'200': {description: loans}}}}
    After:
        paths:
          /loans: {get: {operationId: listLoans, responses: {'200': {description: loans}}}}
          /fines: {get: {operationId: listFines, responses: {'200': {description: fines}}}}
    """
    return change.kind is Kind.OPERATION_ADDED and is_call(change)


@additive
def response_field_added(change: Change) -> bool:
    """A new optional field of a response goes to all versions.

    Callers ignore fields that they don't know, unless the contract excludes such fields.

    Write it without `x-added`, and leave it out of `required`.

    Callers: Nothing has to be done. A field that you don't know may be ignored.

    In a response, before:
        Loan: {type: object, properties: {id: {type: string}}}
    After:
        Loan: {type: object, properties: {id: {type: string}, shelf: {type: string}}}
    """
    return (
        change.kind is Kind.FIELD_ADDED
        and change.direction in ONLY_READ
        and not (is_required(change) or change.closed)
    )


@additive
def open_value_added(change: Change) -> bool:
    """An open-ended field may get new values in all versions.

    It is documented as open-ended, so callers are ready for a value that they don't know.

    Add the value to `x-extensible-enum`, without `x-added`.

    Callers: Nothing has to be done. Handle it like any value that you don't know.

    In a response, before:
        Channel: {type: string, x-extensible-enum: [desk]}
    After:
        Channel: {type: string, x-extensible-enum: [desk, app]}
    """
    listed = change.kind is Kind.KEYWORD_ADDED and change.keyword == EXTENSIBLE
    return change.kind is Kind.OPEN_VALUE_ADDED or listed


@additive
def optional_parameter_added(change: Change) -> bool:
    """A new optional query, header or cookie parameter goes to all versions.

    Requests that leave it out are answered as before.

    Write it without `x-added` and without `required: true`; leaving it out must change nothing.

    Callers: Nothing has to be done. The parameter may be left out.

    In an operation, before:
        responses: {'200': {description: loans}}
    After:
        parameters: [{name: state, in: query, schema: {type: string}}]
        responses: {'200': {description: loans}}
    """
    return (
        change.kind is Kind.PARAMETER_ADDED
        and not is_required(change)
        and change.carriers != ()
        and _BESIDE_THE_PATH.issuperset(change.carriers)
    )


@additive
def parameter_loosened(change: Change) -> bool:
    """A constraint on a parameter may be loosened in all versions.

    Every request that was valid stays valid.

    Write the looser constraint without `x-was`. Values of a parameter's `enum` don't count as a
    constraint: a new one is gated.

    Callers: Nothing has to be done. What you send now is accepted as before.

    In a parameter, before:
        PageSize: {type: integer, maximum: 100}
    After:
        PageSize: {type: integer, maximum: 500}
    """
    constraint = change.keyword in (*CONSTRAINTS, ALLOWING) or change.kind is Kind.FIELD_OPTIONAL
    looser = extent(change) is Extent.WIDER and not change.exclusive
    return constraint and looser and in_parameters_only(change)


@additive
def error_response_added(change: Change) -> bool:
    """A newly documented error response goes to all versions.

    Callers must handle undocumented errors anyway.

    Write the status (4xx, 5xx or `default`) without `x-added`.

    Callers: Nothing has to be done. Handle the status like any error.

    In an operation, before:
        responses: {'200': {description: loans}}
    After:
        responses: {'200': {description: loans}, '429': {description: too many requests}}
    """
    return change.kind is Kind.RESPONSE_ADDED and is_error(change)


@additive
def response_header_added(change: Change) -> bool:
    """A new header of a response goes to all versions.

    Callers ignore headers that they don't know.

    Write it without `x-added`.

    Callers: Nothing has to be done. The header may be ignored.

    In an operation, before:
        responses: {'200': {description: loans}}
    After:
        responses: {'200': {description: loans, headers: {X-Total: {schema: {type: integer}}}}}
    """
    return change.kind is Kind.HEADER_ADDED and change.direction is Direction.RESPONSE


@additive
def server_added(change: Change) -> bool:
    """An API may get more addresses, after its first one.

    Callers keep sending requests to the address that they have configured.

    Add the address below the others: operations are below the path of the first one.

    Callers: Nothing has to be done. Requests may be sent to the new address, too.

    In a document, before:
        servers: [{url: 'https://api.library.example'}]
        paths: {/loans: {get: {responses: {'200': {description: loans}}}}}
    After:
        servers: [{url: 'https://api.library.example'}, {url: 'https://eu.library.example'}]
        paths: {/loans: {get: {responses: {'200': {description: loans}}}}}
    """
    return change.kind is Kind.SERVERS_CHANGED and change.wider


@additive
def component_added(change: Change) -> bool:
    """A new component goes to all versions.

    Nobody can have imported it yet. Its uses are judged by themselves.

    Write it without `x-added`.

    Callers: Nothing has to be done. Only generated code sees the component.

    In a model, before:
        Loan: {type: object}
    After:
        Loan: {type: object}
        Fine: {type: object}
    """
    return change.kind is Kind.COMPONENT_ADDED


@additive
def documentation_changed(change: Change) -> bool:
    """Documentation may change in all versions.

    Titles, descriptions, summaries, examples, tags, links to more documentation and `deprecated`
    promise nothing about values.

    Write them without any key of ours.

    Callers: Nothing has to be done. Only documentation has changed.

    In a response, before:
        Loan: {type: object, description: A loan.}
    After:
        Loan: {type: object, description: A book that somebody has taken home.}
    """
    return change.kind is Kind.DOCUMENTATION_CHANGED or (
        change.kind in KEYWORD and change.keyword in _WORDS
    )


@additive
def extension_changed(change: Change) -> bool:
    """Extensions of other tools may change in all versions.

    An `x-` key that is not ours says nothing about requests and responses.

    Write it as the other tool requires it.

    Callers: Nothing has to be done. Only extensions for other tools have changed.

    In a response, before:
        Loan: {type: object, x-owner: desk}
    After:
        Loan: {type: object, x-owner: lending}
    """
    return change.kind is Kind.EXTENSION_CHANGED
