"""Describe the operations of an API for the wrapper around an existing application.

Plain JSON values, beside the contract data::

    {"operations": {ID: {"method": METHOD, "path": PATH, "environments": [...],
                         "ignores_version": true, "responses": {STATUS: [MEDIA TYPE, ...]}}},
     "prefixes": {ENVIRONMENT: PATH},
     "methods": {"down": {NAME: METHOD}, "up": {NAME: METHOD}},
     "credentials": [HEADER, ...]}

``ignores_version`` is there where it is true. ``methods`` are those of `Converters`, by the names
of converters in the contract data. ``credentials`` are the headers that hold a caller's secret.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dateline.model import Api
from dateline.server.converters import Converter, name_methods
from dateline.server.mounting import find_usual_prefixes
from dateline.server.operations import Operation
from dateline.server.table import read_schemes


def describe_operations(
    api: Api, operations: Sequence[Operation], converters: Iterable[Converter]
) -> dict[str, Any]:
    """Return what a layer must know about *operations* to find and to answer them."""
    used = (name for each in operations for name in sorted(each.schemes))
    secrets = [each for _, each in read_schemes(api, used) if each.place != "query"]
    headers = {each.field if each.place == "header" else "Cookie" for each in secrets}
    return {
        "operations": {each.id: _describe_operation(each) for each in operations},
        "prefixes": find_usual_prefixes(api),
        "methods": name_methods(converters),
        "credentials": sorted(headers),
    }


def _describe_operation(operation: Operation) -> dict[str, Any]:
    return {
        "method": operation.method,
        "path": operation.address,
        "environments": list(operation.environments),
        **({"ignores_version": True} if operation.ignores_version else {}),
        "responses": list_media_types(operation),
    }


def list_media_types(operation: Operation) -> dict[str, list[str]]:
    """Return the media types of the responses of *operation* by status, JSON first."""
    return {
        status: [each.media_type for each in content or ()]
        for status, content in operation.responses.items()
    }
