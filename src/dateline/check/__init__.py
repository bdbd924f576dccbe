"""Check an API against the versioning rules and what is published."""

from __future__ import annotations

from dateline.check.baseline import BaselineError, Published
from dateline.check.judging import breaches, check, count_information, judge_waivers
from dateline.check.waivers import Waiver, read_waivers

__all__ = [
    "BaselineError",
    "Published",
    "Waiver",
    "breaches",
    "check",
    "count_information",
    "judge_waivers",
    "read_waivers",
]
