"""Changes of operations, webhooks, security, servers and links that need a new version."""

from __future__ import annotations

from dateline.model import Change, Kind
from dateline.rules.predicates import KEYWORD, is_call
from dateline.rules.rule import gated


@gated
def operation_id_changed(change: Change) -> bool:
    """An operation keeps its operationId.

    Generated clients name their methods after it.

    Put the old one back, or keep it for older versions: `x-was: {next: {operationId: old}}`.

    Callers: Calls stay the same; a generated client may rename its method.
    Breaks: code that calls the method of a generated client by its old name.

    In an operation, before:
        operationId: listLoans
        responses: {'200': {description: loans}}
    After:
        operationId: getLoans
        responses: {'200': {description: loans}}
    """
    return change.kind in KEYWORD and change.keyword == "operationId"


@gated
def webhook_added(change: Change) -> bool:
    """A new webhook or callback waits for a new version.

    It sends requests to callers, who may have no handler for them yet.

    Give it `x-added: next`.

    Callers: Answer the new call with a success status, or it may be repeated.
    Breaks: code that rejects calls it does not know.

    In a document, before:
        paths: {}
        webhooks:
          loanDue: {post: {responses: {'204': {description: received}}}}
    After:
        paths: {}
        webhooks:
          loanDue: {post: {responses: {'204': {description: received}}}}
          loanLost: {post: {responses: {'204': {description: received}}}}
    """
    return change.kind is Kind.OPERATION_ADDED


@gated
def webhook_removed(change: Change) -> bool:
    """A webhook or callback stays.

    Callers rely on being notified by it.

    Put it back with `x-removed: next`.

    Callers: Stop waiting for the call; fetch the data that it carried instead.
    Breaks: code that waits for the call.

    In a document, before:
        paths: {}
        webhooks:
          loanDue: {post: {responses: {'204': {description: received}}}}
          loanLost: {post: {responses: {'204': {description: received}}}}
    After:
        paths: {}
        webhooks:
          loanDue: {post: {responses: {'204': {description: received}}}}
    """
    return change.kind is Kind.OPERATION_REMOVED and not is_call(change)


@gated
def security_changed(change: Change) -> bool:
    """An operation demands the same credentials as before.

    Callers that send the old credentials are refused; if fewer are demanded, they keep sending a
    secret that nobody needs.

    Restore the old requirement, or keep it for older versions with `x-was: {next: {security: …}}`.

    Callers: Send the credentials that the newer version demands.
    Breaks: code that sends only the old credentials.

    In an operation, before:
        responses: {'200': {description: loans}}
    After:
        security: [{Key: []}]
        responses: {'200': {description: loans}}
    """
    return change.kind is Kind.SECURITY_CHANGED


@gated
def servers_changed(change: Change) -> bool:
    """An API keeps its addresses.

    Callers have configured them.

    Put the old addresses back: all versions share them. Where no caller is left at one of them,
    waive it (`dateline waive`).

    Callers: Send requests to the new address.
    Breaks: code that sends requests to the old address.

    In a document, before:
        servers: [{url: 'https://api.library.example'}]
        paths: {/loans: {get: {responses: {'200': {description: loans}}}}}
    After:
        servers: [{url: 'https://library.example/api'}]
        paths: {/loans: {get: {responses: {'200': {description: loans}}}}}
    """
    return change.kind is Kind.SERVERS_CHANGED


@gated
def link_changed(change: Change) -> bool:
    """A response keeps its links to other operations.

    Generated clients follow them by name.

    Put the old link back, or gate what has changed.

    Callers: Check how you follow the links of the response.
    Breaks: code that follows the links of the response.

    In an operation, before:
        responses: {'200': {description: loans, links: {next: {operationId: listLoans}}}}
    After:
        responses: {'200': {description: loans}}
    """
    return change.kind is Kind.LINK_CHANGED
