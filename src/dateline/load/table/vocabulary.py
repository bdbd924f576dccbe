"""The vocabulary of `versions.yaml`: its keys, its policies, and how names are spelled."""

from __future__ import annotations

from typing import Final

from dateline.openapi import OBJECTS

VERDICTS: Final = ("additive", "gated", "never")
"""What a rule may say of a change."""

DEFAULT_HEADER: Final = "X-API-Version"
DEFAULT_PACKAGE: Final = "api_models"

# Each mapping of the file: what it is called in a message, and its keys.
KEYS: Final[dict[str, tuple[str, ...]]] = {
    "the version table": (
        *("header", "default", "annotation", "versions", "environments"),
        *("announcements", "ignores-header", "policy", "require-why", "python", "lint"),
    ),
    "an announcement": ("default", "ends", "from", "announced"),
    "a version": ("date", "title", "draft", "undisclosed"),
    "an environment": ("servers",),
    "a server": tuple(OBJECTS["server"]),
    "a server variable": tuple(OBJECTS["server-variable"]),
    "policy": ("preset", "rules", "notice-days"),
    "python": ("package",),
}

# The mappings that are OpenAPI's own: there a foreign `x-` key is none of our business.
OPENAPI: Final = frozenset({"a server", "a server variable"})

# Grammars, in the dialect that Python and JSON Schema (ECMA-262) share: an editor reads them too.
HEADER_NAME: Final = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # a token: RFC 9110 section 5.6.2
ENVIRONMENT_NAME: Final = r"[a-z][a-z0-9-]{0,63}"
PACKAGE_NAME: Final = r"[a-z][a-z0-9_]{0,63}"
RULE_ID: Final = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*"

# RFC 3986 section 3 without user information, query and fragment, which a server address can't
# have (OpenAPI 3.1.1 section 4.8.5), and without quotes; `{name}` stands for a server variable.
VARIABLE: Final = r"\{([A-Za-z0-9_.-]+)\}"
_HOST: Final = r"(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~-]|\{[A-Za-z0-9_.-]+\})+)"
_PORT: Final = r"(?::(?:[0-9]{1,5}|\{[A-Za-z0-9_.-]+\}))?"
_PATH: Final = r"/(?:[A-Za-z0-9._~!$&()*+,;=:@/%-]|\{[A-Za-z0-9_.-]+\})*"
SERVER_URL: Final = rf"(?:https?://{_HOST}{_PORT}(?:{_PATH})?|(?!//){_PATH})"
