"""Lay out the Protocols of handlers and of converters."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Any, Final

from dateline.filters import Code
from dateline.python.code import Brackets, Node, import_used, lay_out, subscript, words
from dateline.python.docstrings import describe_argument, describe_operation, docstring
from dateline.python.types import allow_none
from dateline.server.converted import MODULE
from dateline.server.converters import Converter
from dateline.server.operations import Operation, OperationGroup
from dateline.server.types import Types

ACCOUNT: Final = "A_contra"
"""The type variable of accounts in the Protocols, which is contravariant."""

_METHOD: Final = 4
_BODY: Final = 8

_STANDARD: Final = {
    "collections.abc": ("AsyncIterator",),
    "datetime": ("date", "datetime"),
    "decimal": ("Decimal",),
    "typing": ("Annotated", "Final", "Generic", "Literal", "Protocol", "TypeVar"),
    "uuid": ("UUID",),
}
_NOUNS: Final = (
    *("Account", "Bytes", "Call", "Convert", "Handled", "Items", "Reply", "Result", "Upload"),
)


def lay_out_protocols(
    groups: Sequence[OperationGroup],
    types: Types,
    converters: Sequence[Converter],
    environments: Sequence[str],
    *,
    has_accounts: bool,
) -> dict[str, Any]:
    """Return the data for the template of the Protocols.

    An API that *has_accounts* has them even if no operation that needs one can be served.
    """
    protocols = Protocols(types, environments, ACCOUNT)
    if has_accounts:
        protocols.use_accounts()
    view = {
        "groups": [protocols.group(group) for group in groups],
        "converters": [protocols.converter(each) for each in converters],
    }
    return {**view, **protocols.imports()}


class Protocols:
    """Lays out methods, and collects the names in them; *account* is the type of accounts."""

    def __init__(self, types: Types, environments: Sequence[str], account: str) -> None:
        self._types = types
        self._environments = environments
        self._account = account
        self._used: set[str] = set()

    @property
    def used(self) -> frozenset[str]:
        """The names used so far."""
        return frozenset(self._used)

    def use_accounts(self) -> None:
        """Import what is generic in the type of accounts."""
        self._used |= {"Account", "Generic", "TypeVar"}

    def group(self, group: OperationGroup) -> dict[str, Any]:
        found = {name for each in group.served for name in each.environments}
        is_generic = any(operation.is_secured for operation in group.served)
        if is_generic:
            self.use_accounts()
        where = [name for name in self._environments if name in found]
        only = f"Needed in {' and '.join(where)} only." if where else "Needed nowhere yet."
        return {
            "name": Code(group.handlers),
            "field": Code(group.field),
            "docstring": docstring(
                [group.description or f"Operations of the group `{group.tag}`."], _METHOD
            ),
            "is_generic": is_generic,
            "only": docstring([only], _METHOD) if len(where) < len(self._environments) else "",
            "methods": [self.method(operation) for operation in group.served],
        }

    def converter(self, converter: Converter) -> dict[str, Code]:
        """Return the property of a Protocol for *converter*, and the method that it can be."""
        head = f"def {converter.method}"
        arguments: list[Node] = ["self", f"value: {self._code(converter.takes, _BODY)}"]
        arguments += ["context: ConversionContext", "/"] if converter.needs_version else ["/"]
        self._used |= {"Convert"} | ({"ConversionContext"} if converter.needs_version else set())
        convert = subscript("Convert", converter.takes, converter.gives)
        return {
            "property": self._signature(head, ["self"], convert),
            "signature": self._signature(head, arguments, converter.gives),
            "docstring": docstring([converter.description], _BODY),
        }

    def imports(self) -> dict[str, Any]:
        """Return the imports; call it after everything is laid out."""
        used = self._used | {"Protocol"}
        nouns = [name for name in _NOUNS if name in used]
        return {
            "standard": sorted([Code("from dataclasses import dataclass"), *standard(used)]),
            "siblings": siblings(used),
            "nouns": Code(", ".join(nouns)),
        }

    def method(self, operation: Operation, *, is_async: bool = False) -> dict[str, Code]:
        """Return the definition of the handler of *operation*.

        Unless it *is_async*, its type allows functions that can be awaited as well as others.
        """
        call = _call(operation, self._account)
        arguments: list[Node] = ["self", f"call: {self._code(call, _BODY)}"]
        keywords = [*self._keywords(operation)]
        if keywords:
            arguments += ["*", *keywords]
        result = self._types.result(operation)
        head = "async def" if is_async else "def"
        result = result if is_async else subscript("Handled", result)
        return {
            "signature": self._signature(f"{head} {operation.handler}", arguments, result),
            "docstring": docstring(
                describe_operation(operation, map(describe_argument, operation.parameters)), _BODY
            ),
        }

    def _signature(self, head: str, arguments: Sequence[Node], result: Node) -> Code:
        end = f" -> {self._code(result, _METHOD, len(') -> :'))}:"
        used = _METHOD + len(end.partition("\n")[0])
        return Code(lay_out(Brackets(head, tuple(arguments), "()"), _METHOD, used) + end)

    def _keywords(self, operation: Operation) -> Iterator[str]:
        for parameter in operation.parameters:
            default = self._types.default(operation, parameter)
            type_ = self._types.parameter(operation, parameter)
            if parameter.may_lack_default and default is not None:
                type_ = allow_none(type_)
            yield self._keyword(parameter.keyword, type_, default)
        if operation.body is not None:
            default = None if operation.body_required else "None"
            yield self._keyword("body", self._types.body(operation, operation.body), default)

    def _keyword(self, name: str, type_: Node, default: Node | None) -> str:
        if default == "None":
            type_ = allow_none(type_)
        # the handler could change a list: a new one is passed each time
        shown = None if isinstance(default, Brackets) else default
        end = "" if shown is None else f" = {self._code(shown, _BODY)}"
        return f"{name}: {self._code(type_, _BODY, len(f'{name}: {end},'))}{end}"

    def _code(self, node: Node, indent: int, used: int = 0) -> Code:
        self._used |= {word.partition(".")[0] for word in words(node)}
        return lay_out(node, indent, indent + used)


def _call(operation: Operation, account: str) -> Node:
    if not operation.is_secured:
        return subscript("Call", "None")
    return subscript("Call", account if operation.is_always_secured else allow_none(account))


def standard(used: Container[str]) -> list[Code]:
    """Return the imports of the standard library for the names in *used*."""
    return import_used(_STANDARD, used)


def siblings(used: Container[str]) -> list[Code]:
    """Return the imports of the generated modules for the names in *used*."""
    here = [name for name in (MODULE, "models") if name in used]
    lines = ["from .. import types as t"] if "t" in used else []
    lines += [f"from . import {', '.join(here)}"] if here else []
    return list(map(Code, lines))
