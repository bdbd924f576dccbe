"""The rules for changes that no version may make."""

from __future__ import annotations

from dateline.model import Change, Kind
from dateline.rules.predicates import is_call
from dateline.rules.rule import never


@never
def path_parameters_swapped(change: Change) -> bool:
    """The parameters of a path stay in their order.

    The URLs look the same, but a caller who puts the old values in the old order requests another
    record, and nothing reveals the mistake.

    Put them back into their old order; a path with another order goes beside it.

    Callers: Put the values into the path in their new order.
    Breaks: code that puts the values into the path in their old order.

    In a document, before:
        paths:
          /loans/{branch}/{id}: {get: {responses: {'200': {description: a loan}}}}
    After:
        paths:
          /loans/{id}/{branch}: {get: {responses: {'200': {description: a loan}}}}
    """
    return change.kind is Kind.PARAMETER_MOVED


@never
def operation_removed(change: Change) -> bool:
    """A route stays: routes do not change between versions.

    The version is chosen by a header, so an address that only some versions have is a 404 that
    callers can't tell from a missing record.

    Put the operation back, with its old path and method. If nobody should use it any longer, mark
    it `deprecated: true`; a new path goes beside it.

    Callers: Stop calling the operation before you send the newer version.
    Breaks: code that calls the operation.

    In a document, before:
        paths:
          /loans: {get: {operationId: listLoans, responses: {'200': {description: loans}}}}
          /fines: {get: {operationId: listFines, responses: {'200': {description: fines}}}}
    After:
        paths:
          /loans: {get: {operationId: listLoans, responses: {'200': {description: loans}}}}
    """
    # a path item that no path refers to has operations, too, but nobody can call them
    reachable = change.operations != () and is_call(change)
    return change.kind is Kind.OPERATION_REMOVED and reachable
