"""The presets of versioning policies: verdicts that replace those of the rules."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from dateline.model import Verdict


class Preset(NamedTuple):
    """A policy to start from: its purpose, and its verdicts that differ from those of the rules."""

    purpose: str
    verdicts: Mapping[str, Verdict]


CODE_NAMES: Final = (
    *("operation-id-changed", "path-parameter-renamed"),
    *("component-removed", "component-renamed"),
)
"""Rules about names that only generated code has: no request and no response shows them."""

DEFAULT_POLICY: Final = "dated-contract"

PRESETS: Final[Mapping[str, Preset]] = MappingProxyType(
    {
        DEFAULT_POLICY: Preset(
            "A cut version is a contract to the letter: what no rule calls additive needs a new "
            "version.",
            {},
        ),
        # https://docs.github.com/en/rest/about-the-rest-api/breaking-changes: an operation may go
        # with a new version; response fields and enum values are additive, and so is all that is
        # optional in a request, a body's fields counting as parameters. Version 2026-03-10 lists
        # the status 451 among its breaking changes.
        "github": Preset(
            "The promises of GitHub's REST API: an operation may be removed in a new version, and "
            "new enum values and optional request fields are additive.",
            {
                "operation-removed": Verdict.GATED,
                "error-response-added": Verdict.GATED,
                "parameter-value-added": Verdict.ADDITIVE,
                "required-response-field-added": Verdict.ADDITIVE,
                "request-field-added": Verdict.ADDITIVE,
                "value-added": Verdict.ADDITIVE,
                "request-loosened": Verdict.ADDITIVE,
            },
        ),
        "wire": Preset(
            "Only what can break a message on the wire: names that only generated code knows are "
            "free, and so is every change that promises callers more or demands less of them.",
            dict.fromkeys(
                (
                    *CODE_NAMES,
                    "dialect-changed",
                    *("required-response-field-added", "response-narrowed", "open-value-removed"),
                    *("request-field-added", "request-loosened", "parameter-value-added"),
                ),
                Verdict.ADDITIVE,
            ),
        ),
    }
)
"""The presets by name."""
