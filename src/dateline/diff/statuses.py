"""Find the response of an operation that covers a status without its own entry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dateline.diff.documents import DocumentIndex
from dateline.diff.messages import Thing
from dateline.schema.references import Located
from dateline_runtime.statuses import list_ranges

Responses = Mapping[str, Located]
"""The responses of an operation by status."""


def find_covering(document: DocumentIndex, status: str, responses: Responses) -> Located | None:
    """Return what covers *status*: its range, before `default` (OpenAPI 3.1.1, section 4.8.16).

    None if that only says that there is a response. A `default` covers errors only: callers don't
    treat other statuses as success because of it.
    """
    keys = [*list_ranges(status), *(["default"] if _is_error(status) else [])]
    found = next((responses[key] for key in keys if key in responses), None)
    thing = Thing(()) if found is None else Thing.at(document, found)
    return found if any(thing.entries(key) for key in ("content", "headers", "links")) else None


def find_declaring(status: str, before: Responses, after: Responses) -> str | None:
    """Return the key by which both sides declare *status*, though not by its own entry."""
    for key in list_ranges(status):
        if key in before or key in after:
            is_in_both = key in before and key in after
            return key if is_in_both and status != key else None
    is_in_both = "default" in before and "default" in after
    return "default" if is_in_both and _is_error(status) else None


def _is_error(status: str) -> bool:
    return status[:1] in ("4", "5")


def list_promises(response: Thing) -> dict[str, Any]:
    """Return what *response* itself promises: everything but its words and references."""
    keys = sorted(response.keys() - {"description"})
    return {key: found.value for key in keys if (found := response.get(key)) is not None}
