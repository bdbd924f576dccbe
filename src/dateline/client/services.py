"""Lay out what is the same for all operations of one version: addresses, credentials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dateline.model import Api
from dateline.openapi import resolve
from dateline.python.code import Brackets, Node, Pair, Text, call, lay_out, literal, subscript
from dateline.python.operations import name_credentials, read_address
from dateline.templating import Code


def lay_out_service(api: Api, version: str, document: dict[str, Any]) -> dict[str, Any]:
    """Return what the template of one version's clients says of its service."""
    table = api.table
    environments = {
        each.name: address
        for each in table.environments
        if "://" in (address := read_address(each.servers))
    }
    schemes = list(_read_schemes(document))
    names = [Text(each.name) for each in table.environments]
    service = call(
        "Service",
        Pair("package", Text(table.package)),
        Pair("version", Text(version)),
        Pair("place", Text(table.place_of_version)),
        Pair("selector", Text(table.header)),
        Pair("addresses", _mapping({name: Text(each) for name, each in environments.items()})),
        Pair("schemes", _mapping({name: scheme for name, _, _, scheme, _ in schemes})),
    )
    arguments = [
        {
            "name": Code(keyword),
            "type": Code("Login" if is_login else "Secret"),
            "described": " ".join(description.split()),
        }
        for _, keyword, description, _, is_login in schemes
        if keyword
    ]
    return {
        "service": lay_out(service, 0, len("_SERVICE: Final = ")),
        "arguments": arguments,
        "credentials": lay_out(
            _mapping({name: keyword for name, keyword, _, _, _ in schemes if keyword}),
            12,
            len("            credentials=,"),
        ),
        "environments": lay_out(subscript("Literal", *names) if names else "str"),
        "environment": Code(literal(next(iter([each.name for each in table.environments]), ""))),
        "needs_address": not environments,
        "nouns": Code(
            ", ".join(
                sorted(
                    {"Scheme"} & ({"Scheme"} if schemes else set())
                    | {"Service", "Timeout"}
                    | {str(each["type"]) for each in arguments}
                )
            )
        ),
    }


def _read_schemes(document: dict[str, Any]) -> Iterator[tuple[str, str, str, Node, bool]]:
    """Yield each security scheme.

    That is its name, the keyword of its secret (none for one of the connection), what is said of
    it, where a request has the secret, and whether that is a name with a password.
    """
    defined = document.get("components", {}).get("securitySchemes", {})
    for name, keyword in name_credentials(document).items():
        scheme = resolve(document, defined.get(name, {}))
        if not keyword:
            made = call("Scheme", Text(""), Text(""), Text("connection"))
            yield name, "", "", made, False
            continue
        kind, http = scheme.get("type"), str(scheme.get("scheme", "")).lower()
        field, place, before = "Authorization", "header", "Bearer "
        if kind == "apiKey":
            field, place, before = scheme.get("name", field), scheme.get("in", place), ""
        elif kind == "http":
            before = f"{http.capitalize()} "
        elif kind is None:
            # used and not defined: the whole header
            before = ""
        parts: list[Node] = [Text(keyword), Text(str(field)), Text(str(place))]
        made = call("Scheme", *parts, *([Text(before)] if before else []))
        yield name, keyword, str(scheme.get("description", "")), made, http == "basic"


def _mapping(values: Mapping[str, Node]) -> Node:
    return Brackets("", tuple(Pair(literal(key), each, ": ") for key, each in values.items()), "{}")
