"""Sample numbers within bounds and steps, with exact fractions."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from dateline.sample.dice import Dice
from dateline.sample.texts import moment, words

_WIDTH: Final = 1000
_CENT: Final = Fraction(1, 100)
_LARGEST: Final = Fraction(sys.float_info.max)

_MOMENTS: Final = frozenset({"at", "created", "updated", "timestamp"})
_RANGES: Final[dict[str, tuple[int, int]]] = {
    "latitude": (-60, 60),
    "longitude": (-150, 150),
    "percent": (0, 100),
    "percentage": (0, 100),
    "port": (8000, 8999),
    "year": (2024, 2030),
    "month": (1, 12),
    "day": (1, 28),
    "count": (0, 20),
    "page": (1, 5),
}


def number(
    parts: Sequence[dict[str, Any]], *, whole: bool, name: str, dice: Dice
) -> int | float | None:
    """Return a number within the bounds and steps of all *parts*, or None if there is none."""
    lows, highs = _list_bounds(parts)
    low, high = max(lows, default=None), min(highs, default=None)
    steps = [_exact(part["multipleOf"]) for part in parts if "multipleOf" in part]
    step = _least_common([*steps, Fraction(1)] if whole else steps)
    first, last = _choose_bounds(parts, name, dice)
    fine = step or _finest(low, high)
    for least, most in ((max([first, *lows]), min([last, *highs])), (low, high)):
        value = _within(least, most, fine, dice)
        if value is not None:
            return _write_number(value, whole)
    if step is None and low is not None and high is not None and low < high:
        return _write_number((low + high) / 2, whole)
    return None


def _list_bounds(parts: Sequence[dict[str, Any]]) -> tuple[list[Fraction], list[Fraction]]:
    """Return the bounds; an exclusive one is moved inwards by less than any step."""

    def list_values(keyword: str, margin: int | Fraction) -> list[Fraction]:
        return [_exact(part[keyword]) + margin for part in parts if keyword in part]

    lows = list_values("minimum", 0) + list_values("exclusiveMinimum", _BARELY)
    return lows, list_values("maximum", 0) + list_values("exclusiveMaximum", -_BARELY)


_BARELY: Final = Fraction(1, 10**12)


def _exact(value: Any) -> Fraction:
    return Fraction(Decimal(str(value)))


def _choose_bounds(
    parts: Iterable[dict[str, Any]], name: str, dice: Dice
) -> tuple[Fraction, Fraction]:
    """Return bounds within which a number looks plausible for its name."""
    last = words(name)[-1:] or ("",)
    formats = {part.get("format") for part in parts}
    if formats & {"unix-time", "timestamp"} or last[0] in _MOMENTS:
        then = Fraction(int(moment(dice).timestamp()))
        return then, then + _WIDTH
    low, high = _RANGES.get(last[0], (1, _WIDTH))
    return Fraction(low), Fraction(high)


def _least_common(steps: Sequence[Fraction]) -> Fraction | None:
    """Return the least common multiple of all *steps*."""
    if not steps:
        return None
    below = math.lcm(*(step.denominator for step in steps))
    return Fraction(math.lcm(*(int(step * below) for step in steps)), below)


def _finest(low: Fraction | None, high: Fraction | None) -> Fraction:
    """Return a hundredth, or the smallest difference of floats as large as the bounds."""
    largest = max(abs(bound) for bound in (low or Fraction(0), high or Fraction(0)))
    return max(_CENT, Fraction(math.ulp(float(min(largest, _LARGEST)))))


def _within(
    low: Fraction | None, high: Fraction | None, step: Fraction, dice: Dice
) -> Fraction | None:
    """Return a multiple of *step* between two bounds."""
    if low is None:
        low = Fraction(1) if high is None else high - _WIDTH * step
    if high is None:
        high = low + _WIDTH * step
    low, high = max(low, -_LARGEST), min(high, _LARGEST)
    first, last = math.ceil(low / step), math.floor(high / step)
    return None if first > last else dice.between(first, last) * step


def _write_number(value: Fraction, whole: bool) -> int | float:
    return int(value) if whole else float(value)
