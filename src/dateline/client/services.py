"""Write the source shared by all operations of one version: addresses, credentials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from dateline.addresses import find_secret
from dateline.filters import Code
from dateline.model import Api
from dateline.openapi import security_schemes
from dateline.python.code import Node, Pair, Text, call, lay_out, literal, mapping, subscript, value
from dateline.python.operations import name_credentials


def lay_out_service(
    api: Api, version: str, document: dict[str, Any], addresses: Mapping[str, str]
) -> dict[str, Any]:
    """Return the template data for the service of one version's clients, at *addresses*."""
    schemes = {each.name: each.code for each in _read_schemes(document)}
    service = call(
        "Service",
        Pair("package", Text(api.table.package)),
        Pair("version", Text(version)),
        Pair("place", Text(api.table.place_of_version)),
        Pair("selector", Text(api.table.header)),
        Pair("addresses", value(addresses)),
        Pair("schemes", mapping(schemes)),
    )
    return {
        "service": lay_out(service, 0, len("_SERVICE: Final = ")),
        "has_schemes": bool(schemes),
    }


def lay_out_settings(
    api: Api, document: dict[str, Any], addresses: Mapping[str, str]
) -> dict[str, Any]:
    """Return the template data for the arguments of clients of services at *addresses*."""
    schemes = [each for each in _read_schemes(document) if each.keyword]
    names = api.table.environment_names
    arguments = [
        {"name": Code(each.keyword), "type": Code("Login" if each.is_login else "Secret")}
        for each in schemes
    ]
    nouns = {"Session", "Timeout", *(str(each["type"]) for each in arguments)}
    return {
        "arguments": arguments,
        "credentials": lay_out(
            mapping({each.name: each.keyword for each in schemes}),
            12,
            len("            credentials=,"),
        ),
        "environments": lay_out(subscript("Literal", *map(Text, names)) if names else "str"),
        "environment": Code(literal(names[0] if names else "")),
        "needs_address": not addresses,
        "nouns": Code(", ".join(sorted(nouns))),
    }


class _Scheme(NamedTuple):
    """A security scheme, and the expression that describes it.

    ``keyword`` is the argument of clients for its secret, empty for a scheme of the connection.
    With ``is_login``, the secret is a name with a password.
    """

    name: str
    keyword: str
    code: Node
    is_login: bool = False


def _read_schemes(document: dict[str, Any]) -> Iterator[_Scheme]:
    """Yield each security scheme of *document*."""
    defined = security_schemes(document)
    for name, keyword in name_credentials(document).items():
        if not keyword:
            code = call("Scheme", Text(""), Text(""), Text("connection"))
            yield _Scheme(name, "", code)
            continue
        parts = [Text(each) for each in (keyword, *find_secret(document, name)) if each]
        is_login = str(defined.get(name, {}).get("scheme", "")).lower() == "basic"
        yield _Scheme(name, keyword, call("Scheme", *parts), is_login)
