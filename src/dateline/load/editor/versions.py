"""The JSON Schema of `versions.yaml`."""

from __future__ import annotations

import keyword

from dateline.load.editor.grammar import (
    CUT,
    DATE,
    DIALECT,
    FLAG,
    LINE,
    NAME,
    JsonSchema,
    closed_object,
    grammar,
    matching,
)
from dateline.load.table import (
    DEFAULT_HEADER,
    DEFAULT_PACKAGE,
    HEADER_NAME,
    PACKAGE_NAME,
    RULE_ID,
    VERDICTS,
)
from dateline.model import NEXT, NOTICE_DAYS
from dateline.presets import DEFAULT_POLICY, PRESETS


def versions_schema() -> JsonSchema:
    """Return the JSON Schema (2020-12) of `versions.yaml`."""
    servers = {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/server"}}
    authored = {
        "required": ["environments"],
        "properties": {"environments": {"additionalProperties": {"required": ["servers"]}}},
    }
    return {
        "$schema": DIALECT,
        "$comment": "the version table of an API",
        **closed_object(
            {
                "header": {
                    **matching(HEADER_NAME, "Use letters, digits and hyphens."),
                    "default": DEFAULT_HEADER,
                    "description": "The request header that selects a version.",
                },
                "default": {
                    **CUT,
                    "description": "The version served without the header; the oldest supported "
                    "one if left out.",
                },
                "annotation": {
                    "$ref": "#/$defs/date",
                    "description": "The schema default written on the header parameter. It changes "
                    "nothing that is served.",
                },
                "versions": {
                    "type": "array",
                    "minItems": 1,
                    "items": {"$ref": "#/$defs/version"},
                    "description": "Every version, oldest first, drafts last.",
                },
                "environments": {
                    "type": "object",
                    "minProperties": 1,
                    "propertyNames": NAME,
                    "additionalProperties": closed_object({"servers": servers}),
                    "description": "Each deployment by name, with the addresses it is served from.",
                },
                "announcements": {
                    "type": "array",
                    "items": {"$ref": "#/$defs/announcement"},
                    "description": "What was announced to callers, and when it happens.",
                },
                "ignores-header": {
                    "type": "array",
                    "items": LINE,
                    "uniqueItems": True,
                    "description": "Tags whose operations look the same in every version.",
                },
                "policy": {
                    "anyOf": [{"$ref": "#/$defs/preset"}, {"$ref": "#/$defs/policy"}],
                    "default": DEFAULT_POLICY,
                    "description": "What each kind of change demands.",
                },
                "require-why": {
                    **FLAG,
                    "default": False,
                    "description": "Let `check` demand `x-why` beside each gate of a version that "
                    "is not cut yet.",
                },
                "python": closed_object(
                    {
                        "package": {
                            **matching(PACKAGE_NAME, "Use lower-case letters, digits and _."),
                            "not": {"enum": keyword.kwlist},
                            "default": DEFAULT_PACKAGE,
                            "description": "The name that the generated package is imported by.",
                        }
                    }
                ),
                "lint": {
                    "enum": ["authored", "adopted"],
                    "default": "authored",
                    "description": "`adopted` relaxes the rules of style, for an OpenAPI document "
                    "that was written elsewhere.",
                },
            },
            required=("versions",),
        ),
        "if": {"properties": {"lint": {"const": "adopted"}}, "required": ["lint"]},
        "else": authored,
        "$defs": {
            "date": DATE,
            "version": {
                **closed_object(
                    {
                        "date": {
                            "$ref": "#/$defs/date",
                            "description": "The day it is cut, or `next` for the one being "
                            "prepared.",
                        },
                        "title": {**LINE, "description": "One sentence for callers."},
                        "draft": {**FLAG, "default": False, "description": "Not cut yet."},
                        "undisclosed": {
                            **FLAG,
                            "default": False,
                            "description": "Supported, but its changes are not shown.",
                        },
                    },
                    required=("date", "title"),
                ),
                "if": {"properties": {"date": {"const": NEXT}}, "required": ["date"]},
                "then": {"required": ["draft"], "properties": {"draft": {"const": True}}},
            },
            "announcement": {
                **closed_object(
                    {
                        "default": {**CUT, "description": "The version that becomes the default."},
                        "ends": {**CUT, "description": "The version that is served no longer."},
                        "from": {**CUT, "description": "The day from which it holds."},
                        "announced": {**CUT, "description": "The day of the announcement."},
                    },
                    required=("from", "announced"),
                ),
                "oneOf": [{"required": ["default"]}, {"required": ["ends"]}],
            },
            "server": grammar("server"),
            "server-variable": grammar("server-variable"),
            "preset": {"enum": list(PRESETS)},
            "policy": closed_object(
                {
                    "preset": {"$ref": "#/$defs/preset"},
                    "rules": {
                        "type": "object",
                        "propertyNames": matching(RULE_ID, "Ids look like variant-added."),
                        "additionalProperties": {"enum": list(VERDICTS)},
                        "description": "Rules whose verdict differs from the preset's.",
                    },
                    "notice-days": {
                        "type": "integer",
                        "minimum": 0,
                        "default": NOTICE_DAYS,
                        "description": "How long before its day an announcement is made, at least.",
                    },
                },
                required=("preset",),
            ),
        },
    }
