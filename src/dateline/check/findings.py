"""Findings about the definitions, and the fingerprints of all findings."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from dateline.gates import order
from dateline.model import EVERYWHERE, Combination, Finding, Policy
from dateline.rules import RULES


def fingerprint(rule: str, *key: Any) -> str:
    """Return the identity of a finding: a hash of its rule, place and values, not its message."""
    text = json.dumps([rule, *key], sort_keys=True, default=str)
    return sha256(text.encode()).hexdigest()[:32]


def list_concerned(combinations: Iterable[Combination]) -> dict[str, tuple[str, ...]]:
    """Return the versions and environments of *combinations*, in the form of a finding."""
    found = list(combinations)
    versions = {one.version for one in found if one.version}
    environments = {one.environment for one in found} - {EVERYWHERE}
    return {
        "versions": tuple(sorted(versions, key=order)),
        "environments": tuple(sorted(environments)),
    }


def create_finding(
    rule: str, policy: Policy, message: str, *, key: tuple[Any, ...], **details: Any
) -> Finding:
    """Return a finding of the rule about definitions with the id *rule*.

    *key* distinguishes it from other findings of the rule.
    """
    return Finding(
        rule=rule,
        verdict=RULES[rule].verdict,
        policy=policy,
        message=message,
        help=RULES[rule].help,
        fingerprint=fingerprint(rule, *key),
        **details,
    )
