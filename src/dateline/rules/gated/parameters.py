"""Changes of parameters that need a new version."""

from __future__ import annotations

from dateline.model import Change, Kind
from dateline.rules.predicates import in_parameters, is_flag
from dateline.rules.rule import gated


@gated
def required_parameter_added(change: Change) -> bool:
    """A request gains no required parameter.

    Callers of older versions don't send it, and each of their requests would be refused.

    Make it optional, or give it `x-added: next` and a `default` for those who don't send it.

    Callers: Send it with every request.
    Breaks: code that does not send the parameter.

    In an operation, before:
        responses: {'200': {description: loans}}
    After:
        parameters: [{name: branch, in: query, required: true, schema: {type: string}}]
        responses: {'200': {description: loans}}
    """
    return change.kind is Kind.PARAMETER_ADDED


@gated
def parameter_removed(change: Change) -> bool:
    """A parameter stays.

    Callers send it and rely on its effect; if it is silently ignored, they get another result than
    they requested.

    Put it back, with `x-removed: next` if newer versions do without it.

    Callers: Stop sending the parameter.
    Breaks: code that sends the parameter.

    In an operation, before:
        parameters: [{name: page, in: query, schema: {type: integer}}]
        responses: {'200': {description: loans}}
    After:
        responses: {'200': {description: loans}}
    """
    return change.kind is Kind.PARAMETER_REMOVED


@gated
def path_parameter_renamed(change: Change) -> bool:
    """A path parameter keeps its name in generated clients.

    The URLs are the same and no request is affected, but generated clients name an argument after
    it.

    Put the old name back: a path, and each name in it, is the same in all versions. Where nobody
    generates a client, waive it (`dateline waive`), or change the policy that lets it pass,
    `policy: {rules: …}`, in a change of its own.

    Callers: Calls stay the same; a generated client may rename its argument.
    Breaks: code that passes the argument of a generated client by its old name.

    In a document, before:
        paths:
          /loans/{id}:
            parameters: [{name: id, in: path, required: true, schema: {type: string}}]
            get: {responses: {'200': {description: a loan}}}
    After:
        paths:
          /loans/{loan}:
            parameters: [{name: loan, in: path, required: true, schema: {type: string}}]
            get: {responses: {'200': {description: a loan}}}
    """
    return change.kind is Kind.PARAMETER_RENAMED and change.carriers == ("path",)


@gated
def parameter_renamed(change: Change) -> bool:
    """A parameter keeps its name.

    Callers send it by that name.

    Put the old name back, or keep it for older versions: `x-was: {next: {name: old}}`.

    Callers: Send the parameter under its new name.
    Breaks: code that sends the parameter under its old name.

    In an operation, before:
        parameters: [{name: page, in: query, schema: {type: integer}}]
        responses: {'200': {description: loans}}
    After:
        parameters:
          - {name: offset, in: query, schema: {type: integer}, x-was: {next: {name: page}}}
        responses: {'200': {description: loans}}
    """
    return change.kind is Kind.PARAMETER_RENAMED


@gated
def parameter_required(change: Change) -> bool:
    """An optional parameter stays optional.

    Callers that leave it out are suddenly refused.

    Keep it optional; or give it a `default` for those who don't send it and run `dateline gate`,
    which keeps it optional and without a default in older versions.

    Callers: Send it with every request.
    Breaks: code that leaves the parameter out.

    In an operation, before:
        parameters: [{name: page, in: query, schema: {type: integer}}]
        responses: {'200': {description: loans}}
    After:
        parameters: [{name: page, in: query, required: true, schema: {type: integer}}]
        responses: {'200': {description: loans}}
    """
    return is_flag(change) and in_parameters(change)


@gated
def parameter_value_added(change: Change) -> bool:
    """A parameter's enum gains no value.

    Clients generated from an older version can't send it, so the value is a new request shape.

    Give the value `x-added: next`, or make the parameter open-ended by documenting it as
    `x-extensible-enum` in a new version.

    Callers: Nothing has to be done. The new value may be sent.

    In a parameter, before:
        State: {type: string, enum: [active]}
    After:
        State: {type: string, enum: [active, returned]}
    """
    return change.kind is Kind.VALUE_ADDED and in_parameters(change)
