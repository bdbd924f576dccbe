"""Lay out the first file of handlers, for its owner to fill in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from dateline.filters import Code
from dateline.model import Table
from dateline.python.code import Text, lay_out, literal
from dateline.python.docstrings import docstring
from dateline.python.names import class_name
from dateline.server.converters import Converter
from dateline.server.operations import OperationGroup
from dateline.server.protocols import Protocols, standard
from dateline.server.types import Types

_ACCOUNT: Final = "Account"
_METHOD: Final = 4
_YOURS: Final = "It is yours: nothing generates it again. Run it with `uvicorn server:app`."

# What the file always imports, and what it imports if it is used.
_ALWAYS: Final = frozenset({"Handlers", "Refusal", "create_app"})
_OPTIONAL: Final = frozenset(
    {"Bytes", "Call", "ConversionContext", "Credentials", "Items", "Reply", "Result", "Upload"}
    | {"converted", "models"}
)


def lay_out_first_file(
    table: Table, groups: Sequence[OperationGroup], types: Types, converters: Sequence[Converter]
) -> dict[str, Any]:
    """Return the data for the template of the first file of handlers."""
    protocols = Protocols(types, table.environment_names, _ACCOUNT)
    view = {
        "docstring": docstring([f"The server of the {table.package} API.", _YOURS], 0),
        "groups": [_group(group, protocols) for group in groups],
        "converters": [protocols.converter(each) for each in converters],
        "environment": Code(literal(table.environments[0].name)),
    }
    has_accounts = any(each.is_secured for group in groups for each in group.operations)
    used = protocols.used | ({"Credentials"} if has_accounts else set())
    imported = standard(protocols.used - {"Generic", "Protocol", "TypeVar"})
    return {
        **view,
        "has_accounts": has_accounts,
        "standard": [line for line in imported if line < "from pathlib"],
        "later": [line for line in imported if line > "from pathlib"],
        "imports": list(_imports(table.package, used)),
    }


def _group(group: OperationGroup, protocols: Protocols) -> dict[str, Any]:
    return {
        "name": Code(class_name(f"{group.tag} operations")),
        "field": Code(group.field),
        "docstring": docstring([f"Do the operations of {group.tag}."], _METHOD),
        "methods": [
            {
                "signature": protocols.method(operation, is_async=True)["signature"],
                "message": lay_out(Text(f"{operation.id} is not written yet"), 8, 20),
            }
            for operation in group.served
        ],
    }


def _imports(package: str, used: frozenset[str]) -> list[Code]:
    """Return the imports of the generated package, whose names are known only now."""
    names = sorted(_ALWAYS | (_OPTIONAL & used), key=lambda name: (name.islower(), name))
    lines = [f"from {package} import types as t"] if "t" in used else []
    listed = [f"    {name}," for name in names]
    lines += [f"from {package}.server import (", *listed, ")"]
    return [Code(line) for line in lines]
