"""The constraints of a model on several of its fields together."""

from __future__ import annotations

from collections.abc import Iterator

from dateline.models.constructs import groups
from dateline.models.flat import Flat
from dateline.python.code import Node, Text, call, value


def list_rules(flat: Flat) -> Iterator[Node]:
    """Yield the arguments of `t.WithRules` for the constraints of *flat* on several fields."""
    keywords = flat.keywords
    for keyword, rule in (("minProperties", "t.AtLeast"), ("maxProperties", "t.AtMost")):
        if keyword in keywords:
            yield call(rule, repr(int(keywords[keyword])))
    if keywords.get("dependentRequired"):
        yield call("t.Dependent", value(keywords["dependentRequired"]))
    for keyword, required in groups(flat) or []:
        yield call("t.Requires", Text(keyword), value(required))
