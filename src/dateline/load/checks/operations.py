"""Check paths, parameters, operations, security and servers, and the version header."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Final
from urllib.parse import unquote

from dateline.load.checks.schema_parts import resolve_schema
from dateline.load.checks.scope import LinkedTrail, Scope, Site, Violation, on
from dateline.load.checks.structure import is_annotation
from dateline.model import WAS
from dateline.openapi import (
    ADJACENT,
    NEWEST,
    QUERYSTRING,
    VALUES,
    operation_steps,
    operations,
    parts,
    path_items,
)
from dateline.wording import (
    did_you_mean,
    find_nearest,
    join_quoted,
    name_kind,
    quote,
    suggest,
)

# RFC 3986 section 3.3 without quotes and escapes: segments of such characters and `{name}`
_PATH: Final = re.compile(
    r"/|(?:/(?!\.{1,2}(?:/|$))(?:[A-Za-z0-9._~!$&()*+,;=:@-]|\{[A-Za-z0-9_.-]+\})+)+/?"
)
_TEMPLATE: Final = re.compile(r"\{([^{}]*)\}")
_SERVER_URL: Final = re.compile(r"(?:https?://[^/]|/|\{)[^\s\"'`<>\\^|?#]*")

# OpenAPI 3.1.1 section 4.8.12.6
_STYLES: Final[dict[str, tuple[str, ...]]] = {
    "path": ("simple", "label", "matrix"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "header": ("simple",),
    "cookie": ("form",),
}
# OpenAPI 3.2.0, Parameter Object, Style Values: as it is, without percent-encoding
_COOKIE_STYLE: Final = "cookie"

_GATE_OF_SECURITY: Final = f"put `{WAS}: {{DATE: {{security: ...}}}}` on the operation"

_SECURITY: Final[dict[str, tuple[str, ...]]] = {
    "apiKey": ("name", "in"),
    "http": ("scheme",),
    "mutualTLS": (),
    "oauth2": ("flows",),
    "openIdConnect": ("openIdConnectUrl",),
}
"""What each type of security scheme needs (OpenAPI 3.1.1 section 4.8.27)."""

_FLOWS: Final[dict[str, tuple[str, ...]]] = {
    "implicit": ("authorizationUrl",),
    "password": ("tokenUrl",),
    "clientCredentials": ("tokenUrl",),
    "authorizationCode": ("authorizationUrl", "tokenUrl"),
    "deviceAuthorization": ("deviceAuthorizationUrl", "tokenUrl"),
}


# Paths


@on("document.paths", finds=("path-grammar",))
def path_grammar(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    for path in site.node[key]:
        if not path.startswith("x-") and _PATH.fullmatch(path) is None:
            message = (
                f"{quote(path)} is not a path; write segments of letters, digits, hyphens and "
                "{parameters}, each after a `/`"
            )
            yield Violation(site.at(key, path), "path-grammar", message)
        elif adjacent := ADJACENT.search(path):
            message = f"nothing separates {adjacent[1]} from {adjacent[2]}; write a text between"
            yield Violation(site.at(key, path), "path-grammar", message)


@on("document.paths", finds=("path-twice",))
def paths_differ(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    seen: dict[str, str] = {}
    for path in site.node[key]:
        form = _TEMPLATE.sub("{}", path)
        if seen.setdefault(form, path) != path:
            message = (
                f"{quote(path)} is the path {quote(seen[form])} with other names; "
                "put their operations together"
            )
            yield Violation(site.at(key, path), "path-twice", message)


@on("document.paths", finds=("path-parameter-undeclared", "path-parameter-unknown"))
def path_parameters(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    """The parameters that a path names are those declared for it."""
    for path, written in site.node[key].items():
        item = scope.resolve("path-item", written)
        if path.startswith("x-") or not isinstance(item, dict):
            continue
        named = _TEMPLATE.findall(path)
        trail = site.at(key, path)
        shared = _list_path_parameters(scope, item, trail)
        for method, operation in operations(item):
            at = site.at(key, path, *operation_steps(method))
            own = _list_path_parameters(scope, operation, at)
            for name in named:
                if name not in shared and name not in own:
                    message = (
                        f"{{{name}}} of the path is not a parameter of this operation; "
                        f"declare it with `in: path`{suggest(name, [*shared, *own])}"
                    )
                    yield Violation(at, "path-parameter-undeclared", message)
            yield from _find_unnamed(own, named, path)
        yield from _find_unnamed(shared, named, path)


def _list_path_parameters(
    scope: Scope, node: dict[str, Any], trail: LinkedTrail
) -> dict[str, LinkedTrail]:
    """Return the path parameters that *node*, a path item or an operation, declares itself."""
    found: dict[str, LinkedTrail] = {}
    for index, written in enumerate(node.get("parameters", ())):
        parameter = scope.resolve("parameter", written)
        if isinstance(parameter, dict) and parameter.get("in") == "path":
            found[parameter.get("name", "")] = ((trail, "parameters"), index)
    return found


def _find_unnamed(
    declared: dict[str, LinkedTrail], named: list[str], path: str
) -> Iterator[Violation]:
    for name, trail in declared.items():
        if name not in named:
            message = f"the path {quote(path)} has no {{{name}}}{did_you_mean(name, named)}"
            yield Violation(trail, "path-parameter-unknown", message)


@on("document.paths", finds=("path-parameter-twice",))
def named_once_in_a_path(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    for path in site.node[key]:
        named = _TEMPLATE.findall(path)
        for index, name in enumerate(named):
            if name in named[:index]:
                message = f"{{{name}}} is in the path twice; give each place its own name"
                yield Violation(site.at(key, path), "path-parameter-twice", message)


# Parameters


@on("path-item.parameters", "operation.parameters", finds=("parameter-twice",))
def parameters_differ(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    seen: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for index, written in enumerate(site.node[key]):
        parameter = scope.resolve("parameter", written)
        if not isinstance(parameter, dict) or "name" not in parameter:
            continue
        name, where = parameter["name"], parameter.get("in", "")
        # RFC 9110 section 5.1: case does not count in header names
        mark = (where, name.casefold() if where == "header" else name)
        present = scope.find_shown(written)
        twin = next((other for mask, other in seen.get(mark, ()) if mask & present), None)
        if twin is not None:
            message = (
                f"there is a {where} parameter {quote(twin)} in the list already; leave one out"
            )
            yield Violation(site.at(key, index), "parameter-twice", message)
        seen.setdefault(mark, []).append((present, name))


# The name of a closed list of values in messages, and the id of the problem.
_CLOSED: Final = {
    ("parameter", "in"): ("place of a parameter", "parameter-location"),
    ("security-scheme", "in"): ("place of a key", "parameter-location"),
    ("security-scheme", "type"): ("type of a security scheme", "security-type"),
}


@on(*(".".join(place) for place in _CLOSED), finds=("parameter-location", "security-type"))
def closed_values(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    value, known = site.node[key], VALUES[site.kind, key]
    if scope.openapi != NEWEST:
        known = tuple(one for one in known if one != QUERYSTRING)
    if value not in known:
        what, id = _CLOSED[site.kind, key]
        message = f"{quote(value)} is no {what}{did_you_mean(value, known)}"
        yield Violation(site.at(key), id, message, value=True)


@on("parameter.in", finds=("path-parameter-optional",))
def path_parameters_required(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    if site.node[key] == "path" and site.node.get("required") is not True:
        message = "a path parameter is always there; write `required: true`"
        yield Violation(site.trail, "path-parameter-optional", message)


@on("parameter.style", finds=("parameter-style",))
def style(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    where = site.node.get("in", "")
    known = _STYLES.get(where, (site.node[key],))
    if where == "cookie" and scope.openapi == NEWEST:
        known = (*known, _COOKIE_STYLE)
    if site.node[key] not in known:
        message = f"{quote(site.node[key])} is not a style of a {where} parameter"
        message += did_you_mean(site.node[key], known)
        yield Violation(site.at(key), "parameter-style", message, value=True)


@on("parameter", "header", finds=("missing-key", "parameter-content"))
def described_once(scope: Scope, site: Site, _: str) -> Iterator[Violation]:
    if not scope.authored:
        return
    if "schema" not in site.node and "content" not in site.node:
        message = f"{name_kind(site.kind)} needs `schema` or `content`; write one of them"
        yield Violation(site.trail, "missing-key", message)
    elif "schema" in site.node and "content" in site.node:
        message = "`schema` and `content` both describe the value; leave one out"
        yield Violation(site.at("content"), "parameter-content", message)
    elif "content" in site.node and len(site.node["content"]) != 1:
        message = "`content` of a parameter has exactly one media type; write one"
        yield Violation(site.at("content"), "parameter-content", message)


# Operations


@on("operation", finds=("operation-unnamed",))
def operation_has_a_name(_: Scope, site: Site, __: str) -> Iterator[Violation]:
    # operations of webhooks and callbacks are not served, so they need no name for a handler
    holder = site.parent and site.parent.parent
    if "operationId" not in site.node and holder is not None and holder.kind == "paths":
        message = "an operation needs `operationId`, by which its handler is called; write it"
        yield Violation(site.trail, "operation-unnamed", message)


@on("operation.responses", finds=("no-response",))
def responses_listed(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    if not any(not status.startswith("x-") for status in site.node[key]):
        message = "no response is listed; list what callers can get"
        yield Violation(site.at(key), "no-response", message)


@on("operation.tags", finds=("undeclared-tag",))
def tags_declared(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    known = [tag.get("name", "") for tag in scope.document.get("tags", ())]
    for index, name in enumerate(site.node[key]):
        if name not in known:
            message = f"{quote(name)} is not among the `tags` of the document"
            message += did_you_mean(name, known) or "; declare it there"
            yield Violation(site.at(key, index), "undeclared-tag", message)


@on("link.operationId", finds=("unknown-operation",))
def linked_operation_exists(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    known = [
        operation["operationId"]
        for _, item in path_items(scope.document)
        for _, operation in operations(scope.resolve("path-item", item) or {})
        if "operationId" in operation
    ]
    if site.node[key] not in known:
        message = (
            f"there is no operation {quote(site.node[key])}{did_you_mean(site.node[key], known)}"
        )
        yield Violation(site.at(key), "unknown-operation", message, value=True)


@on("link.operationRef", finds=("reference-outside", "unknown-operation"))
def linked_operation_inside(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    # an operation of another API need not be read
    if not scope.authored:
        return
    reference = site.node[key]
    if not reference.startswith("#"):
        message = f"{quote(reference)} leads out of the document; write `operationId`"
        yield Violation(site.at(key), "reference-outside", message, value=True)
    elif not _has_operation(scope, parts(unquote(reference))):
        message = f"there is no operation at {quote(reference)}; write `operationId`"
        yield Violation(site.at(key), "unknown-operation", message, value=True)


def _has_operation(scope: Scope, steps: Sequence[str]) -> bool:
    """Return whether *steps* lead to an operation, perhaps through references of path items."""
    node: Any = scope.document
    for step in steps:
        if isinstance(node, dict) and isinstance(node.get("$ref"), str):
            node = scope.resolve("path-item", node)
        node = node.get(step) if isinstance(node, dict) else None
    return isinstance(node, dict)


# Security


@on(
    *("document.security", "operation.security"),
    finds=("undefined-security-scheme", "misplaced-annotation"),
)
def security_defined(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    known = scope.list_components("security-scheme")
    for index, requirement in enumerate(site.node[key]):
        for name, scopes in requirement.items():
            if is_annotation(name, scopes, is_authored=scope.authored, in_data=True):
                message = f"`{name}` is among the names in `security`; {_GATE_OF_SECURITY}"
                yield Violation(site.at(key, index, name), "misplaced-annotation", message)
            elif name not in known:
                message = f"there is no security scheme {quote(name)}"
                message += did_you_mean(name, known) or "; define it in the components"
                yield Violation(site.at(key, index, name), "undefined-security-scheme", message)


@on("document.security", "operation.security", finds=("wrong-type",))
def security_scopes(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    for index, requirement in enumerate(site.node[key]):
        for name, scopes in requirement.items():
            is_ours = is_annotation(name, scopes, is_authored=scope.authored, in_data=True)
            if is_ours or (scopes is None and not scope.authored):
                continue
            if not isinstance(scopes, list) or not all(isinstance(s, str) for s in scopes):
                message = f"{quote(scopes)} where a list of scopes belongs; write []"
                yield Violation(site.at(key, index, name), "wrong-type", message, value=True)


@on("security-scheme.type", finds=("missing-key",))
def security_type(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    kind = site.node[key]
    for needed in _SECURITY.get(kind, ()) if scope.authored else ():
        if needed not in site.node:
            message = f"a security scheme of type {kind!r} needs `{needed}`; write it"
            yield Violation(site.trail, "missing-key", message)


@on("oauth-flow", finds=("missing-key",))
def flow_addresses(scope: Scope, site: Site, _: str) -> Iterator[Violation]:
    for needed in _FLOWS.get(site.slot, ()) if scope.authored else ():
        if needed not in site.node:
            message = f"the flow {site.slot!r} needs `{needed}`; write it"
            yield Violation(site.trail, "missing-key", message)


# Servers


@on("server.url", finds=("server-url", "server-variable-missing"))
def server_url(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    url = site.node[key]
    if _SERVER_URL.fullmatch(url) is None:
        message = (
            f"{quote(url)} is not an address to serve from; write http://..., https://... or a "
            "path from /, without a query or a fragment"
        )
        yield Violation(site.at(key), "server-url", message, value=True)
    variables = site.node.get("variables", {})
    for name in dict.fromkeys(_TEMPLATE.findall(url)):
        if name not in variables:
            message = f"{{{name}}} is not among the server's variables{suggest(name, variables)}"
            yield Violation(site.at(key), "server-variable-missing", message, value=True)


@on("server-variable.default", finds=("server-variable-default",))
def server_variable(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    known = site.node.get("enum")
    if known is not None and site.node[key] not in known:
        message = f"{quote(site.node[key])} is not in the variable's `enum`"
        message += did_you_mean(site.node[key], known)
        yield Violation(site.at(key), "server-variable-default", message, value=True)


# The version header

# The name in messages of the parameter that selects a version, by its place.
_PLACES: Final = {"header": "header", "query": "query parameter"}


@on(
    "document.paths",
    finds=("version-header-missing", "version-header-ignored", "version-header-unknown"),
)
def version_header(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    """Operations declare the parameter that selects the version, except those that ignore it.

    That is a header or a query parameter; in other places it is not declared. Operations with
    `servers` of their own are not served at the API's address and are skipped.
    """
    header, what = scope.table.header, _PLACES.get(scope.table.place_of_version)
    if what is None:
        return
    rows = list(_list_operations(scope, site, key))
    if not any(trail is not None for *_, trail in rows):
        names = _list_header_names(scope, *chain.from_iterable(row[:2] for row in rows))
        yield from _find_other_header(scope, site.at(key), names)
        return
    for _, node, trail, declared in rows:
        ignoring = [tag for tag in node.get("tags", ()) if tag in scope.table.ignoring_tags]
        if ignoring and declared is not None:
            message = (
                f"operations under {join_quoted(ignoring[:1])} ignore {header}; leave it out here"
            )
            yield Violation(declared, "version-header-ignored", message)
        elif not ignoring and declared is None:
            message = f"this operation does not declare the {what} {header}; add the parameter"
            yield Violation(trail, "version-header-missing", message)


def _find_other_header(scope: Scope, trail: LinkedTrail, declared: set[str]) -> Iterator[Violation]:
    """Report that no operation declares the version header, if operations declare a similar one.

    A similar one has a similar name, or a name that contains a word for versions. Without one, the
    header is simply not documented. *declared* holds the names of all headers of operations.
    """
    header, what = scope.table.header, _PLACES[scope.table.place_of_version]
    known = sorted(declared)
    if find_nearest(header, known) or any("version" in name.casefold() for name in known):
        message = (
            f"no operation declares the {what} {header} that selects the version"
            f"{did_you_mean(header, known)}"
        )
        yield Violation(trail, "version-header-unknown", message, table_key="header")


def _list_header_names(scope: Scope, *nodes: dict[str, Any]) -> set[str]:
    """Return the names of the headers that *nodes*, path items or operations, declare."""
    parameters = chain.from_iterable(node.get("parameters", ()) for node in nodes)
    return {
        str(parameter.get("name", ""))
        for parameter in (scope.resolve("parameter", one) for one in parameters)
        if isinstance(parameter, dict) and parameter.get("in") == scope.table.place_of_version
    }


def _list_operations(
    scope: Scope, site: Site, key: str
) -> Iterator[tuple[dict[str, Any], dict[str, Any], LinkedTrail, LinkedTrail]]:
    """Yield each operation at the API's address after its path item, and two places.

    These are the place of the operation and that of its version header.
    """
    for path, written in site.node[key].items():
        item = scope.resolve("path-item", written)
        if path.startswith("x-") or not isinstance(item, dict) or "servers" in item:
            continue
        trail = site.at(key, path)
        shared = _find_header(scope, item, trail)
        for method, operation in operations(item):
            if "servers" not in operation:
                at = site.at(key, path, *operation_steps(method))
                yield item, operation, at, _find_header(scope, operation, at) or shared


def _find_header(scope: Scope, node: dict[str, Any], trail: LinkedTrail) -> LinkedTrail:
    for index, written in enumerate(node.get("parameters", ())):
        if _is_version_header(scope, scope.resolve("parameter", written)):
            return ((trail, "parameters"), index)
    return None


def _is_version_header(scope: Scope, parameter: Any) -> bool:
    name, place = scope.table.header, scope.table.place_of_version
    if not isinstance(parameter, dict) or parameter.get("in") != place:
        return False
    written: str = parameter.get("name", "")
    return written == name or (place == "header" and written.casefold() == name.casefold())


@on("parameter.name", finds=("version-header-default", "version-header-required"))
def version_header_shape(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    if not _is_version_header(scope, site.node):
        return
    if site.node.get("required"):
        message = f"{site.node[key]} is never required: {scope.table.default} is served without it"
        yield Violation(site.at("required"), "version-header-required", message)
    schema = site.node.get("schema", {})
    written, wanted = resolve_schema(scope, schema).get("default"), scope.table.annotation
    if written == wanted:
        return
    if wanted is None:
        message = (
            f"a default of {quote(written)}, but the version table has no `annotation`; "
            "write it there, or leave it out here"
        )
    elif written is None:
        message = f"the version table's `annotation` is {wanted}; write `default: {wanted}`"
    else:
        message = f"{quote(written)} is not {wanted}, the version table's `annotation`"
    trail = site.at("schema", "default") if "default" in schema else site.at("schema")
    yield Violation(trail, "version-header-default", message, value=True)
