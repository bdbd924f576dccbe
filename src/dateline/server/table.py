"""Lay out the table of operations that a server is built from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from dateline.addresses import SecretPlace, find_secret, is_bare
from dateline.filters import Code
from dateline.gates import Timeline
from dateline.model import EVERYWHERE, WAS, Api
from dateline.openapi import security_schemes
from dateline.python.code import Brackets, Node, Pair, Text, call, lay_out, mapping, value, words
from dateline.server.contents import Content
from dateline.server.mounting import find_usual_prefixes
from dateline.server.operations import Operation, OperationGroup, Parameter
from dateline.server.protocols import siblings, standard
from dateline.server.types import Types

_INDENT: Final = 4

# What precedes a mapping in the template.
_PREFIXES: Final = "PREFIXES: Final = "
_SCHEMES: Final = "SCHEMES: Final[Mapping[str, Scheme]] = "


def lay_out_table(api: Api, groups: Sequence[OperationGroup], types: Types) -> dict[str, Any]:
    """Return the data for the template of the table."""
    rows = [_row(each, types) for group in groups for each in group.operations]
    named = (name for group in groups for each in group.operations for name in sorted(each.schemes))
    defined = security_schemes(api.document).items()
    bare = {name: _list_bare(api, scheme) for name, scheme in defined if WAS in scheme}
    schemes = {name: _scheme(place, bare.get(name, ())) for name, place in read_schemes(api, named)}
    used = {word.partition(".")[0] for row in rows for word in words(row)} | {"Final"}
    # the table is annotated with two of them, whatever is in it
    nouns = ["Operation", *(["Parameter"] if "Parameter" in used else []), "Scheme"]
    nouns += [name for name in ("Upload",) if name in used]
    return {
        "operations": [lay_out(row, _INDENT, _INDENT + 1) for row in rows],
        "schemes": lay_out(mapping(schemes), 0, len(_SCHEMES)),
        "prefixes": lay_out(value(find_usual_prefixes(api)), 0, len(_PREFIXES)),
        "standard": standard(used),
        "siblings": siblings(used),
        "nouns": Code(", ".join(nouns)),
    }


def _row(operation: Operation, types: Types) -> Node:
    body = operation.body
    parameters = tuple(_parameter(operation, each, types) for each in operation.parameters)
    responses = {status: _response(operation, status, types) for status in operation.responses}
    return _record(
        "Operation",
        id=Text(operation.id),
        group=Text(operation.group),
        handler=Text(operation.handler),
        method=Text(operation.method),
        path=Text(operation.address),
        environments=value(operation.environments),
        unserved=operation.unserved and Text(operation.unserved),
        ignores_version=operation.ignores_version and "True",
        security=operation.security and value(operation.security),
        parameters=parameters and Brackets("", parameters, "()"),
        body=body and _contents((each, types.read_body(operation, each)) for each in body),
        responses=responses and mapping(responses),
    )


def _parameter(operation: Operation, parameter: Parameter, types: Types) -> Node:
    default = types.default(operation, parameter)
    return _record(
        "Parameter",
        keyword=Text(parameter.keyword),
        name=Text(parameter.name),
        place=Text(parameter.place),
        type=types.parameter(operation, parameter),
        default=None if default == "None" else default,
        required=parameter.required and "True",
    )


def _record(called: str, /, **fields: Any) -> Node:
    """Return a call of the class *called* with those of *fields* that have a node."""
    return call(called, *(Pair(key, node) for key, node in fields.items() if node))


def _response(operation: Operation, status: str, types: Types) -> Node:
    found = operation.responses[status]
    if found is None:
        return "None"
    return _contents((each, types.read_response(operation, status, each)) for each in found)


def _contents(contents: Iterable[tuple[Content, Node]]) -> Node:
    return mapping({content.media_type: type_ for content, type_ in contents})


def read_schemes(api: Api, used: Iterable[str]) -> Iterator[tuple[str, SecretPlace]]:
    """Yield the name of each security scheme, defined or *used*, and where its secret is."""
    defined = security_schemes(api.document)
    undefined = (name for name in used if name not in defined)
    for name in dict.fromkeys([*undefined, *defined]):
        yield name, find_secret(api.document, name)


def _list_bare(api: Api, scheme: dict[str, Any]) -> tuple[str, ...]:
    """Return the versions in which the secret of *scheme* may lack the text before it."""
    timeline = Timeline(api.table)
    return tuple(
        version
        for at, (version, environment) in enumerate(timeline.combinations)
        if environment == EVERYWHERE
        and is_bare(scheme, timeline.era("security-scheme", scheme, at))
    )


def _scheme(secret: SecretPlace, bare: tuple[str, ...]) -> Node:
    return _record(
        "Scheme",
        name=Text(secret.field),
        place=Text(secret.place),
        prefix=secret.prefix and Text(secret.prefix),
        bare=bare and value(bare),
    )
