"""The keys of `versions.yaml`: their values, for the reader and for editors."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from dateline.load.table.contents import (
    COUNT,
    CUT,
    DAY,
    DOCUMENTS,
    ENVIRONMENT,
    FLAG,
    HEADER,
    LINE,
    MOMENT,
    PACKAGE,
    RULE,
    SHARED,
    TEXT,
    URL,
    VERSION,
    Refusal,
    TableValue,
    list_of,
    map_of,
    one,
    one_of,
)
from dateline.model import NOTICE_DAYS
from dateline.presets import DEFAULT_POLICY, PRESETS
from dateline.versions import DATE_FORM, FORMS

VERDICTS: Final = ("additive", "gated", "never")
"""The verdicts that a policy may give a rule."""


class TableKey(NamedTuple):
    """A key of a mapping: its content, its description for editors, and its default.

    A key with a text ``missing`` is required; the text is the way out if the key is missing.
    """

    content: TableValue
    about: str = ""
    default: Any = None
    missing: str = ""


KEYS: Final[dict[str, dict[str, TableKey]]] = {
    "the version table": {
        "header": TableKey(HEADER, "The request header that selects a version.", "X-API-Version"),
        "default": TableKey(
            CUT._replace(version="any"),
            "The version served without the header; the oldest supported one if left out.",
        ),
        "annotation": TableKey(
            VERSION,
            "The schema default written on the header parameter. It changes nothing that is "
            "served.",
        ),
        "versions": TableKey(
            list_of(one("a version", "write { date: 2026-07-01, title: ... }"), empty=False),
            "Every version, oldest first, drafts last.",
            missing="list the versions, oldest first",
        ),
        "environments": TableKey(
            map_of(
                ENVIRONMENT,
                one("an environment", "write { servers: [{ url: https://... }] }"),
                empty="there is no environment; name one, such as `production`",
            ),
            "Each deployment by name, with the addresses it is served from.",
        ),
        "announcements": TableKey(
            list_of(
                one(
                    "an announcement",
                    "write { ends: 2026-07-01, from: 2027-07-01, announced: 2027-01-01 }",
                )
            ),
            "What was announced to callers, and when it happens.",
            default=[],
        ),
        "retired": TableKey(
            list_of(
                one(
                    "a retired version", "write { date: 2025-01-15, title: ..., ended: 2027-07-01 }"
                )
            ),
            "Versions that have ended; `dateline retire` adds them.",
            default=[],
        ),
        "ignores-header": TableKey(
            list_of(LINE, unique=True),
            "Tags whose operations look the same in every version.",
            default=[],
        ),
        "policy": TableKey(
            one_of(*PRESETS)._replace(object="policy"),
            "What each kind of change demands.",
            DEFAULT_POLICY,
        ),
        "require-why": TableKey(
            FLAG,
            "Let `check` demand `x-why` beside each gate of a version that is not cut yet.",
            default=False,
        ),
        "python": TableKey(one("python")),
        "site": TableKey(
            FLAG._replace(object="site"),
            "Generate a site: a reference of every version, as static pages.",
            default=False,
        ),
        "shared": TableKey(
            list_of(SHARED, unique=True),
            "Folders outside this one, shared with other APIs, whose files references may lead to.",
            default=[],
        ),
        "lint": TableKey(
            one_of("authored", "adopted"),
            "`adopted` relaxes the rules of style, for an OpenAPI document that was written "
            "elsewhere.",
            "authored",
        ),
        "oddities": TableKey(
            one_of("none", "kept"),
            "With `kept`, documents of an adopted API show the value of `x-published-KEY` in "
            "place of KEY.",
            "none",
        ),
        "query": TableKey(HEADER, "The query parameter that selects a version, not a header."),
        "path": TableKey(
            FLAG,
            "The first segment of the path selects a version, not a header.",
            default=False,
        ),
        "media-type": TableKey(
            HEADER, "The media type parameter in `Accept` that selects a version."
        ),
        "form": TableKey(one_of(*FORMS), "How versions are named.", DATE_FORM),
        "unknown": TableKey(
            one_of("refused", "nearest"),
            "What happens to a well-formed but unknown version: it is refused, or the "
            "nearest earlier one is served.",
            "refused",
        ),
    },
    "an announcement": {
        "default": TableKey(CUT, "The version that becomes the default."),
        "ends": TableKey(CUT, "The version that is no longer served."),
        "from": TableKey(
            DAY,
            "The day on which it takes effect.",
            missing="write the day on which it takes effect",
        ),
        "announced": TableKey(
            DAY, "The day of the announcement.", missing="write the day of the announcement"
        ),
        "elsewhere": TableKey(
            LINE, "Where an adopted API announced it before its definitions recorded it."
        ),
        "brownouts": TableKey(
            list_of(
                one("a brownout", "write { from: 2027-06-01T14:00Z, to: 2027-06-01T15:00Z }"),
            ),
            "Times before its end in which the version is refused, so that callers notice.",
            default=[],
        ),
    },
    "a brownout": {
        "from": TableKey(MOMENT, "When it begins.", missing="write when it begins"),
        "to": TableKey(MOMENT, "When it is over.", missing="write when it is over"),
    },
    "a retired version": {
        "date": TableKey(CUT, "The name that it had.", missing="write the name that it had"),
        "title": TableKey(LINE, "Its sentence for callers.", default=""),
        "ended": TableKey(
            DAY, "The day of its end.", missing="write the day from which on it was not served"
        ),
    },
    "a version": {
        "date": TableKey(
            VERSION._replace(schema={"type": "string"}),
            "The day it is cut, or `next` for the one being prepared.",
            missing="write `date: YYYY-MM-DD`",
        ),
        "title": TableKey(
            LINE,
            "One sentence for callers.",
            missing="say in one sentence what callers will notice",
        ),
        "draft": TableKey(FLAG, "Not cut yet.", default=False),
        "moving": TableKey(
            FLAG, "Changes at any time, is never cut, and has a word as its name.", default=False
        ),
        "undisclosed": TableKey(FLAG, "Supported, but its changes are not shown.", default=False),
        "adopted": TableKey(FLAG, "Published elsewhere, and then adopted.", default=False),
    },
    "an environment": {
        "servers": TableKey(list_of(one("a server", "write { url: https://... }"), empty=False)),
    },
    "a server": {
        "url": TableKey(URL, missing="write `url: https://...`"),
        "description": TableKey(TEXT),
        "variables": TableKey(
            map_of(TEXT, one("a server variable", "write { default: ... }")), default={}
        ),
    },
    "a server variable": {
        "enum": TableKey(list_of(TEXT, unique=True), default=[]),
        "default": TableKey(TEXT, missing="write the value that is used by default"),
        "description": TableKey(TEXT),
    },
    "policy": {
        "preset": TableKey(
            one_of(*PRESETS), missing="name the rules to start from", default=DEFAULT_POLICY
        ),
        "rules": TableKey(
            map_of(RULE, one_of(*VERDICTS)),
            "Rules whose verdict differs from the preset's.",
            default={},
        ),
        "approvals": TableKey(
            list_of(LINE, empty=False, unique=True),
            "Who may approve waivers: names of teams or people, or CODEOWNERS for the owners that "
            "this file gives to waivers.yaml. Without it, anybody may.",
            default=[],
        ),
        "notice-days": TableKey(
            COUNT, "How long before its day an announcement is made, at least.", NOTICE_DAYS
        ),
    },
    "site": {
        "documents": TableKey(
            DOCUMENTS,
            "The address at which you publish the OpenAPI document of each {version}.",
            missing="write `documents: https://...{version}...`, or `site: true`",
        ),
    },
    "python": {
        "package": TableKey(
            PACKAGE, "The name that the generated package is imported by.", "api_models"
        ),
    },
}
"""The mappings of the file: their names in messages, and their keys."""

SUBJECTS: Final = {
    "an announcement": (
        ("default", "ends"),
        Refusal(
            "announcement-kind",
            "an announcement has one subject: `default: DATE`, the version that becomes "
            "the default, or `ends: DATE`, the version that is no longer served",
        ),
    ),
}
"""Keys of which a mapping has exactly one, and the message otherwise."""

OPENAPI: Final = frozenset({"a server", "a server variable"})
"""Mappings that are OpenAPI's own: other `x-` keys are allowed there."""

DEFAULT_HEADER: Final[str] = KEYS["the version table"]["header"].default
DEFAULT_PACKAGE: Final[str] = KEYS["python"]["package"].default
