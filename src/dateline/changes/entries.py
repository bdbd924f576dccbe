"""One difference between two versions, for programs and for people."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from dataclasses import field as data_field
from functools import cached_property
from typing import Any, Final, NamedTuple

from dateline.changes.fragments import FragmentLine
from dateline.changes.reasons import Reason
from dateline.check.merge import ChangeGroup
from dateline.model import EXTENSIBLE, Direction, Verdict
from dateline.presets import CODE_NAMES
from dateline.rules import RULES, describe

MOST_OPERATIONS: Final = 10
"""So many operations of an entry are named to people, and the others counted; JSON has all."""

DOCUMENTATION: Final = frozenset({"documentation-changed", "extension-changed"})
"""Rules about what promises nothing to a program."""

_MOST_VALUES: Final = 20
"""So many values of an enumeration are named in a sentence, and the others counted."""

_EXPLAINING: Final = frozenset({"effect", "lines", "description"})

_VALUE: Final = re.compile(
    r"(?P<head>.* can (?:also|no longer) be )(?P<value>.*)(?P<tail> in [a-z ]+\.)", re.DOTALL
)
"""The effect of a value that is added to an enumeration, or removed."""

_write: Final = json.JSONEncoder(ensure_ascii=False).encode

_CONCERNED: Final = {
    Direction.REQUEST: "You send it in",
    Direction.RESPONSE: "You receive it in",
    Direction.BOTH: "You send and receive it in",
    Direction.MODEL: "Generated code has it in",
}

Calls = tuple[tuple[str, str], ...]
"""Operations, each with its summary."""


class Explanation(NamedTuple):
    """The description of a change for people, in addition to that for programs.

    ``effect`` is the consequence, as a sentence. ``calls`` are the first operations, each with its
    summary, ``lines`` show the change in a message, and ``description`` is that of something new in
    the definitions; all three may be empty.
    """

    effect: str
    calls: Calls = ()
    lines: tuple[FragmentLine, ...] = ()
    description: str = ""

    @property
    def data(self) -> dict[str, Any]:
        """What `changes.schema.json` describes of it: the documents may be gone later."""
        lines = [each.marked for each in self.lines]
        optional = {"lines": lines, "description": self.description}
        return {"effect": self.effect, **{name: each for name, each in optional.items() if each}}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One difference between two versions, as plain values.

    ``versions`` are those whose gates made the change, oldest first, ``why`` is their `x-why`.
    ``upgrade`` says what a caller does about it, and ``explanation`` is for people only. The others
    are those of ``Finding``.
    """

    rule: str
    verdict: Verdict
    message: str
    direction: Direction
    schema: str | None
    field: str
    before_pointer: str | None
    after_pointer: str | None
    before: Any
    after: Any
    operations: tuple[str, ...]
    environments: tuple[str, ...]
    versions: tuple[str, ...]
    why: str | None
    upgrade: str
    # what is shown to people follows from the rest
    explanation: Explanation = data_field(compare=False)

    @classmethod
    def of(cls, group: ChangeGroup, reason: Reason, explanation: Explanation) -> Entry:
        """Return the entry for *group*, with its *reason* and *explanation*."""
        change, judgement = group.change, group.judgement
        return cls(
            rule=judgement.rule,
            verdict=judgement.verdict,
            message=describe(change),
            direction=change.direction,
            schema=change.schema,
            field=change.field,
            before_pointer=change.before_pointer,
            after_pointer=change.after_pointer,
            before=change.before,
            after=change.after,
            operations=change.operations,
            environments=tuple(sorted({shown.environment for shown in group.combinations})),
            versions=reason.versions,
            why=reason.why,
            upgrade=RULES[judgement.rule].callers,
            explanation=explanation,
        )

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Entry:
        """Return the entry with this ``data``.

        Its ``effect``, ``lines`` and ``description`` explain it, or else its message: records of
        earlier releases have none of them.
        """
        lines = tuple(FragmentLine(each[:1], each[2:]) for each in data.get("lines", ()))
        explanation = Explanation(
            data.get("effect", f"{data['message']}."),
            lines=lines,
            description=data.get("description", ""),
        )
        lists = ("operations", "environments", "versions")
        return cls(
            **{
                **{name: data[name] for name in data.keys() - _EXPLAINING},
                "verdict": Verdict(data["verdict"]),
                "direction": Direction(data["direction"]),
                **{name: tuple(data[name]) for name in lists},
                "explanation": explanation,
            }
        )

    @cached_property
    def data(self) -> dict[str, Any]:
        """The entry as `changes.schema.json` describes it."""
        names = (each.name for each in fields(self) if each.name != "explanation")
        plain = {name: getattr(self, name) for name in names}
        return {
            **plain,
            "verdict": str(self.verdict),
            "direction": str(self.direction),
            "operations": list(self.operations),
            "environments": list(self.environments),
            "versions": list(self.versions),
        }

    def only_in(self, environments: Iterable[str]) -> tuple[str, ...]:
        """Return the affected environments, unless they are all of *environments*."""
        return () if set(environments) <= set(self.environments) else self.environments

    @property
    def breaks(self) -> str:
        """The code of callers that stops working: `code that reads the field.`; empty for none."""
        known = RULES.get(self.rule)
        return known.breaks(self.direction) if known else ""

    @property
    def concerned(self) -> str:
        """What precedes the operations: whether callers send or receive the value in them."""
        if self.is_only_in_code:
            return _CONCERNED[Direction.MODEL]
        # only operations as a whole are in both directions without a component
        is_whole = self.direction is Direction.BOTH and self.schema is None
        return "This concerns" if is_whole else _CONCERNED[self.direction]

    @property
    def is_only_in_code(self) -> bool:
        """Whether only generated code shows it: an unused model, or a name that is not sent."""
        return self.direction is Direction.MODEL or self.rule in CODE_NAMES

    @property
    def is_documentation(self) -> bool:
        """Whether it promises nothing to a program."""
        return self.rule in DOCUMENTATION

    @property
    def where(self) -> str:
        """The pointer into the newer document, or into the older one if it was removed."""
        return self.after_pointer or self.before_pointer or ""

    @property
    def values(self) -> list[tuple[str, str]]:
        """The values before and after, as JSON, without those that are parts of a document.

        They are texts, numbers, and lists of them.
        """
        return [
            (name, _write(value))
            for name, value in (("before", self.before), ("after", self.after))
            if value is not None and _is_plain(value)
        ]

    @property
    def calls(self) -> Calls:
        """The operations to name to people with their summaries; ``unnamed`` counts the others."""
        if self.explanation.calls:
            return self.explanation.calls
        return tuple((name, "") for name in self.operations[:MOST_OPERATIONS])

    @property
    def unnamed(self) -> int:
        return len(self.operations) - len(self.calls)


def merge_values(entries: Iterable[Entry]) -> list[Entry]:
    """Return *entries*, those that differ only in the value of an enumeration as one entry.

    It names the values, and is at the place of the first of them.
    """
    found: dict[Hashable, list[Entry]] = {}
    for index, entry in enumerate(entries):
        found.setdefault(_name_enumeration(entry) or index, []).append(entry)
    return [each[0] if len(each) == 1 else _merge(each) for each in found.values()]


def _name_enumeration(entry: Entry) -> Hashable | None:
    """Return what the values have in common that are merged; None for another entry."""
    at, _, last = entry.where.rpartition("/")
    effect = _VALUE.fullmatch(entry.explanation.effect)
    if effect is None or not last.isdecimal() or at.rpartition("/")[2] not in ("enum", EXTENSIBLE):
        return None
    alike = "rule", "verdict", "direction", "operations", "environments", "versions", "why"
    return at, effect["head"], effect["tail"], *(getattr(entry, name) for name in alike)


def _merge(entries: list[Entry]) -> Entry:
    """Return one entry for the values of an enumeration in *entries*."""
    effects = [*filter(None, (_VALUE.fullmatch(each.explanation.effect) for each in entries))]
    named = [effect["value"] for effect in effects][:_MOST_VALUES]
    more = len(effects) - len(named)
    *others, last = [*named, f"{more} more"] if more else named
    effect = f"{effects[0]['head']}{', '.join(others)} or {last}{effects[0]['tail']}"
    return replace(
        entries[0],
        before=[each.before for each in entries if each.before is not None] or None,
        after=[each.after for each in entries if each.after is not None] or None,
        explanation=entries[0].explanation._replace(effect=effect),
    )


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return not isinstance(value, dict)
