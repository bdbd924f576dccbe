"""The class of a rule, and the decorators that read one from a documented function."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from textwrap import dedent
from typing import Any, Final, NamedTuple

from dateline.model import Change, Direction, Verdict

_PARAGRAPHS: Final = ("summary", "reason", "way out", "callers", "example")
_CALLERS: Final = "Callers: "
_BREAKS: Final = re.compile(r"^Breaks(?: (readers|senders))?: ", re.MULTILINE)
_BEFORE: Final = ", before:"
_AFTER: Final = "After:"


class Example(NamedTuple):
    """A change that the rule applies to, in YAML.

    ``where`` says where the schemas are used (``response``, ``request``, ``request and response``,
    ``parameter``, ``model``), or that the text is an ``operation`` or a ``document``.
    """

    where: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A versioning rule: what must hold, and the verdict on what breaks or keeps it.

    ``verdict`` is that of the preset ``dated-contract``. ``summary`` is one sentence in the present
    tense, ``reason`` says why it holds, ``way_out`` what the author writes instead. A rule about
    changes has a predicate ``applies``, an ``example``, in ``callers`` what a caller does when
    moving to the newer version, and in ``breaks_readers`` and ``breaks_senders`` which code
    stops working where callers read or send what changed; empty where none does. A rule about
    the definitions has none of these.
    """

    id: str
    verdict: Verdict
    summary: str
    reason: str
    way_out: str
    callers: str = ""
    breaks_readers: str = ""
    breaks_senders: str = ""
    example: Example = field(default_factory=Example)
    applies: Callable[[Change], bool] | None = field(default=None, repr=False, compare=False)

    @property
    def help(self) -> str:
        """The summary and the way out: the help of a finding."""
        return f"{self.summary} {self.way_out}"

    def breaks(self, direction: Direction) -> str:
        """Return which code of callers a change in *direction* breaks; empty where none."""
        if direction is Direction.REQUEST:
            return self.breaks_senders
        return self.breaks_readers or (self.breaks_senders if direction is Direction.BOTH else "")


def additive(predicate: Callable[[Change], bool]) -> Rule:
    """Make a rule of *predicate*: a change that it applies to goes to all versions."""
    return _read_rule(predicate, Verdict.ADDITIVE)


def gated(predicate: Callable[[Change], bool]) -> Rule:
    """Make a rule of *predicate*: a change that it applies to needs a new version."""
    return _read_rule(predicate, Verdict.GATED)


def never(predicate: Callable[[Change], bool]) -> Rule:
    """Make a rule of *predicate*: a change that it applies to is forbidden in every version."""
    return _read_rule(predicate, Verdict.NEVER)


def about_definitions(verdict: Verdict) -> Callable[[Callable[[], None]], Rule]:
    """Make a rule of a function that only documents it: `dateline.check` finds where it is broken.

    The docstring has neither `Callers:` and `Breaks:` nor an example.
    """
    return lambda function: _read_rule(function, verdict, about_changes=False)


def _read_rule(
    function: Callable[..., Any], verdict: Verdict, *, about_changes: bool = True
) -> Rule:
    """Return the rule that the docstring of *function* describes, one paragraph for each field.

    Raises TypeError where a paragraph is missing.
    """
    name = function.__name__.replace("_", "-")
    applies = function if about_changes else None
    if sys.flags.optimize > 1:  # `python -OO` strips docstrings: rules still judge
        return Rule(id=name, verdict=verdict, summary="", reason="", way_out="", applies=applies)
    expected = _PARAGRAPHS if about_changes else _PARAGRAPHS[:3]
    paragraphs = inspect.cleandoc(function.__doc__ or "").split("\n\n", len(expected) - 1)
    texts = dict(zip(expected, paragraphs, strict=False))
    callers, *breaks = _BREAKS.split(texts.get("callers", ""))
    example = texts.get("example", "")
    # the pattern has one group: sides and texts alternate
    broken = dict(zip(breaks[::2], map(_join_lines, breaks[1::2]), strict=True))
    if (
        len(texts) < len(expected)
        or (about_changes and not callers.startswith(_CALLERS))
        or (about_changes and f"\n{_AFTER}\n" not in example)
    ):
        raise TypeError(
            f"the docstring of the rule {name} needs these paragraphs: {', '.join(expected)}; "
            f"see CONTRIBUTING.md, 'A rule'"
        )
    return Rule(
        id=name,
        verdict=verdict,
        summary=_join_lines(texts["summary"]),
        reason=_join_lines(texts["reason"]),
        way_out=_join_lines(texts["way out"]),
        callers=_join_lines(callers.removeprefix(_CALLERS)),
        breaks_readers=broken.get("readers", broken.get(None, "")),
        breaks_senders=broken.get("senders", broken.get(None, "")),
        example=_read_example(example),
        applies=applies,
    )


def _join_lines(paragraph: str) -> str:
    return " ".join(paragraph.split())


def _read_example(paragraph: str) -> Example:
    head, _, rest = paragraph.partition("\n")
    before, _, after = rest.partition(f"\n{_AFTER}\n")
    where = head.removesuffix(_BEFORE).split(" ", 2)[-1]
    return Example(where, dedent(before), dedent(after))
