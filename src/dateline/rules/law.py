"""A documented predicate in, a ``Rule`` out."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from textwrap import dedent
from typing import Final, NamedTuple

from dateline.model import Change, Verdict

Predicate = Callable[[Change], bool]

_BEFORE: Final = ", before:"
_AFTER: Final = "After:"


class Example(NamedTuple):
    """A change that the rule speaks of, in YAML.

    ``where`` says where the schemas stand (``response``, ``request``, ``request and response``,
    ``parameter``, ``model``), or that the text is an ``operation`` or a ``document``.
    """

    where: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A law that a change can break or keep, and what follows if it is this one that applies.

    ``verdict`` is that of the preset ``dated-contract``. ``law`` is one sentence in the present
    tense, ``reason`` says why it holds, ``way_out`` what to write instead.
    """

    id: str
    verdict: Verdict
    law: str
    reason: str
    way_out: str
    example: Example
    applies: Predicate = field(repr=False, compare=False)

    @property
    def text(self) -> str:
        """The law and the way out: what a finding says to help."""
        return f"{self.law} {self.way_out}"


def additive(predicate: Predicate) -> Rule:
    """Make a rule of *predicate*: what it applies to goes to all versions."""
    return _rule(predicate, Verdict.ADDITIVE)


def gated(predicate: Predicate) -> Rule:
    """Make a rule of *predicate*: what it applies to needs a new version."""
    return _rule(predicate, Verdict.GATED)


def never(predicate: Predicate) -> Rule:
    """Make a rule of *predicate*: what it applies to may not happen in any version."""
    return _rule(predicate, Verdict.NEVER)


def _rule(predicate: Predicate, verdict: Verdict) -> Rule:
    """Read the documentation: law, reason, way out and example, a paragraph each."""
    # `python -OO` strips docstrings: the rules then judge as ever and have nothing to say
    written = inspect.cleandoc(predicate.__doc__ or "").split("\n\n", 3)
    law, reason, way_out, example = (written + [""] * 4)[:4]
    return Rule(
        id=predicate.__name__.replace("_", "-"),
        verdict=verdict,
        law=_line(law),
        reason=_line(reason),
        way_out=_line(way_out),
        example=_example(example),
        applies=predicate,
    )


def _line(paragraph: str) -> str:
    return " ".join(paragraph.split())


def _example(paragraph: str) -> Example:
    head, _, rest = paragraph.partition("\n")
    before, _, after = rest.partition(f"\n{_AFTER}\n")
    where = head.removesuffix(_BEFORE).split(" ", 2)[-1]
    return Example(where, dedent(before), dedent(after))
