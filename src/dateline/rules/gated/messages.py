"""Changes of bodies, media types, responses and headers that need a new version."""

from __future__ import annotations

from dateline.model import Change, Kind
from dateline.rules.predicates import SENT, is_flag
from dateline.rules.rule import gated


@gated
def body_added(change: Change) -> bool:
    """A request gains no required body, and a call to a webhook gains none at all.

    Callers of older versions send none, or do not read it.

    Give the `requestBody` `x-added: next`.

    Callers: Send the body where it is required.
    Breaks: code that sends no body, where one is required.

    In an operation, before:
        responses: {'200': {description: loans}}
    After:
        requestBody: {required: true, content: {application/json: {schema: {type: object}}}}
        responses: {'200': {description: loans}}
    """
    return change.kind is Kind.BODY_ADDED


@gated
def body_removed(change: Change) -> bool:
    """A request keeps its body.

    Callers send it and rely on its effect.

    Put it back, with `x-removed: next` if newer versions do without it.

    Callers: Send the request without a body.
    Breaks: code that sends a body.

    In an operation, before:
        requestBody: {content: {application/json: {schema: {type: object}}}}
        responses: {'200': {description: loans}}
    After:
        responses: {'200': {description: loans}}
    """
    return change.kind is Kind.BODY_REMOVED


@gated
def body_required(change: Change) -> bool:
    """A request's body, and each header of its parts, stays as optional or required as it is.

    Callers that send none are refused once it is required; once it is optional, older versions
    promise less than they did.

    Put `required` back as it was. A body that became optional can be kept for older versions,
    `x-was: {next: {required: true}}`; one that became required can't, since nothing can replace a
    body that their callers leave out.

    Callers: Send a body where one is required; otherwise it may be left out.
    Breaks: code that sends no body, where one is required.

    In an operation, before:
        requestBody: {content: {application/json: {schema: {type: object}}}}
        responses: {'200': {description: loans}}
    After:
        requestBody: {required: true, content: {application/json: {schema: {type: object}}}}
        responses: {'200': {description: loans}}
    """
    return is_flag(change) and change.direction in SENT


@gated
def media_type_added(change: Change) -> bool:
    """A body that callers read gains no media type.

    Callers that accept anything may be answered in one that they can't read.

    Give the new media type `x-added: next`.

    Callers: Name the media type that you read in `Accept`.
    Breaks readers: code that reads the response without naming a media type in `Accept`.

    In an operation, before:
        responses: {'200': {description: loans, content: {application/json: {}}}}
    After:
        responses: {'200': {description: loans, content: {application/json: {}, text/csv: {}}}}
    """
    return change.kind is Kind.MEDIA_TYPE_ADDED


@gated
def media_type_removed(change: Change) -> bool:
    """A media type stays.

    Callers send it or ask for it, and would get 415 or 406.

    Put it back, with `x-removed: next` if newer versions do without it.

    Callers: Send and request one of the remaining media types.
    Breaks: code that sends or requests the media type.

    In an operation, before:
        responses: {'200': {description: loans, content: {application/json: {}, text/csv: {}}}}
    After:
        responses: {'200': {description: loans, content: {application/json: {}}}}
    """
    return change.kind is Kind.MEDIA_TYPE_REMOVED


@gated
def success_response_added(change: Change) -> bool:
    """An operation succeeds with the same statuses as before.

    Callers compare the status with those they know; another one looks like a failure to them.

    Give the response `x-added: next`, and `x-removed: next` to the one whose place it takes: that
    is what older callers are sent. Only errors (4xx, 5xx, `default`) may be added to all versions.

    Callers: Treat the new status as a success.
    Breaks: code that expects one of the old statuses.

    In an operation, before:
        responses: {'200': {description: loans}}
    After:
        responses: {'200': {description: loans}, '202': {description: later}}
    """
    return change.kind is Kind.RESPONSE_ADDED


@gated
def response_removed(change: Change) -> bool:
    """A documented response stays.

    Callers have code for it, and none for what replaces it.

    Put it back, with `x-removed: next` if newer versions don't send it.

    Callers: Stop relying on the response; it is no longer documented.
    Breaks: code that relies on the response.

    In an operation, before:
        responses: {'200': {description: a loan}, '404': {description: no such loan}}
    After:
        responses: {'200': {description: a loan}}
    """
    return change.kind is Kind.RESPONSE_REMOVED


@gated
def header_added(change: Change) -> bool:
    """A message that callers send gains no required header.

    Callers of older versions send parts of multipart bodies, and responses to webhooks, without it.

    Give the header `x-added: next`. Only headers of responses to callers go to all versions.

    Callers: Send the header where it is required.
    Breaks: code that does not send the header, where it is required.

    In an operation, before:
        requestBody: {content: {multipart/form-data: {encoding: {scan: {}}}}}
        responses: {'204': {description: stored}}
    After:
        requestBody: {content: {multipart/form-data: {encoding: {scan:
          {headers: {X-Page: {required: true, schema: {type: integer}}}}}}}}
        responses: {'204': {description: stored}}
    """
    return change.kind is Kind.HEADER_ADDED


@gated
def header_removed(change: Change) -> bool:
    """A header stays.

    Callers read it.

    Put it back, with `x-removed: next` if newer versions don't send it.

    Callers: Stop relying on the header.
    Breaks: code that relies on the header.

    In an operation, before:
        responses: {'200': {description: loans, headers: {X-Total: {schema: {type: integer}}}}}
    After:
        responses: {'200': {description: loans}}
    """
    return change.kind is Kind.HEADER_REMOVED


@gated
def header_renamed(change: Change) -> bool:
    """A header keeps its name.

    Callers read it by that name.

    Put the old name back, or keep it for older versions: `x-was: {next: {name: old}}`.

    Callers: Read or send the header under its new name.
    Breaks: code that reads or sends the header under its old name.

    In an operation, before:
        responses: {'200': {description: loans, headers: {X-Total: {schema: {type: integer}}}}}
    After:
        responses: {'200': {description: loans, headers: {X-Count:
          {schema: {type: integer}, x-was: {next: {name: X-Total}}}}}}
    """
    return change.kind is Kind.HEADER_RENAMED


@gated
def header_required(change: Change) -> bool:
    """A header stays as required or as optional as it is.

    Callers count on one that is always sent, and generated types say which one that is.

    Put `required` back as it was, or keep it for older versions: `x-was: {next: {required: …}}`.

    Callers: Send the header where it is required; don't rely on receiving it where it is
    optional.
    Breaks: code that does not send the header, or relies on receiving it.

    In an operation, before:
        responses: {'200': {description: loans, headers: {X-Total:
          {required: true, schema: {type: integer}}}}}
    After:
        responses: {'200': {description: loans, headers: {X-Total:
          {schema: {type: integer}}}}}
    """
    return is_flag(change)
