"""JSON Schemas of single values, with what an editor says of a slip."""

from __future__ import annotations

from typing import Any, Final

from dateline.load.table import ENVIRONMENT_NAME, SERVER_URL
from dateline.model import NEXT

JsonSchema = dict[str, Any]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

ANYTHING: Final[JsonSchema] = {}
TEXT: Final = {"type": "string"}
LINE: Final = {"type": "string", "pattern": r"^[^\r\n]*[^\s][^\r\n]*$"}
FLAG: Final = {"type": "boolean"}
NUMBER: Final = {"type": "number"}
# In OpenAPI 3.0 these say whether the neighbouring bound is exclusive.
EXCLUSIVE: Final = {"type": ["number", "boolean"]}
COUNT: Final = {"type": "integer", "minimum": 0}
TEXTS: Final = {"type": "array", "items": TEXT, "uniqueItems": True}
TEXT_MAP: Final = {"type": "object", "additionalProperties": TEXT}
TYPES: Final = {"enum": ["string", "number", "integer", "boolean", "object", "array", "null"]}
_DAY: Final = "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"


def matching(grammar: str, otherwise: str) -> JsonSchema:
    """Return the schema of texts of *grammar*; editors say *otherwise* of any other text."""
    return {"type": "string", "pattern": f"^(?:{grammar})$", "patternErrorMessage": otherwise}


CUT: Final = matching(_DAY, "Write a date as YYYY-MM-DD.")
DATE: Final = {
    **matching(f"{NEXT}|{_DAY}", "Write a date as YYYY-MM-DD, or `next`."),
    "examples": [NEXT],
}
URL: Final = matching(SERVER_URL, "Write http://..., https://... or a path from /.")
NAME: Final = matching(ENVIRONMENT_NAME, "Use lower-case letters, digits and hyphens.")


def closed_object(properties: JsonSchema, required: tuple[str, ...] = ()) -> JsonSchema:
    """Return the schema of objects with these *properties* and no others."""
    closed = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**closed, "required": list(required)} if required else closed
