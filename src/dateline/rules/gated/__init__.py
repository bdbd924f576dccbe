"""The rules for gated changes. A change without a rule is gated as `unjudged-change`."""

from __future__ import annotations

from typing import Final

from dateline.rules.gated import (
    choices,
    components,
    eased,
    fields,
    keywords,
    messages,
    operations,
    overlaps,
    parameters,
    unjudged,
)

SUBJECTS: Final = (
    *(overlaps, eased, operations, parameters, messages, fields),
    *(choices, keywords, components, unjudged),
)
"""In the order in which they are tried, each from top to bottom: the last applies to everything."""
