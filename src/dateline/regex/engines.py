r"""Translate regular expressions of ECMA-262 for the engines of Rust and of Python.

The Rust engine, which pydantic uses, matches in linear time; Python's is used for what it lacks,
look-around, back references and a correct `\B`. Both search, as JSON Schema requires (2020-12,
validation, section 6.3.3).
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import count
from typing import Final

from dateline.regex import tree
from dateline.regex.dialect import find_flaw

# ECMA-262 section 22.2.2.9: digits and word characters are ASCII, white space is not
_DIGIT: Final = "0-9"
_WORD: Final = "A-Za-z0-9_"
_SPACE: Final = r"\t\n\x0b\x0c\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_NO_SPACE: Final = (
    r"\x00-\x08\x0e-\x1f!-\x9f\xa1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e"
    r"\u2060-\u2fff\u3001-\ufefe\uff00-" + "\U0010ffff"
)
_SETS: Final = {"d": _DIGIT, "w": _WORD, "s": _SPACE, "S": _NO_SPACE}
# the Rust engine has its own white space, which is nearly that of ECMA-262
_NATIVE_SETS: Final = {
    **{"d": _DIGIT, "D": f"[^{_DIGIT}]", "w": _WORD, "W": f"[^{_WORD}]"},
    **{"s": r"[\s\ufeff&&[^\x85]]", "S": r"[\S\x85&&[^\ufeff]]"},
}
# All that is spelled out, for engines whose letters and digits are those of Unicode.
_SPELLED_SETS: Final = {
    **_SETS,
    "D": r"\x00-/:-" + "\U0010ffff",
    "W": r"\x00-/:-@\[-\^`{-" + "\U0010ffff",
}
_BOUNDARIES: Final = {
    r"\b": f"(?:(?<=[{_WORD}])(?![{_WORD}])|(?<![{_WORD}])(?=[{_WORD}]))",
    r"\B": f"(?:(?<=[{_WORD}])(?=[{_WORD}])|(?<![{_WORD}])(?![{_WORD}]))",
}
_LINE_ENDS: Final = r"\n\r\u2028\u2029"
# A dot; or an escape or a class, in which there may be dots.
_DOT: Final = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\.", re.DOTALL)
# A flag with which a dot matches the ends of lines, too, in most dialects.
_DOT_ALL: Final = re.compile(r"(?<!\\)\(\?[a-z]*s[a-z]*(?:-[a-z]+)?[:)]")
_CONTROLS: Final = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}

_SPECIAL: Final = frozenset(r"\^$.|?*+()[]{}")
_SPECIAL_IN_SET: Final = frozenset(r"\^-[]&~|")
_NOT_IN_RUST: Final = r"needs look-around, `\B` or a back reference"


_Skips = tuple[tuple[int, bool], ...]
"""What may be skipped around a node, by number, and whether that is within a repetition."""

_Groups = dict[int | str, _Skips]
"""What may be skipped around the groups that have ended."""


class UntranslatableError(Exception):
    """An expression that neither engine supports; the message says why."""


@lru_cache(maxsize=4096)
def translate(pattern: str) -> tuple[bool, str]:
    """Return (whether the Rust engine supports it, the expression in the engine's syntax).

    Raises UntranslatableError if neither engine supports it.
    """
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        native = _Translation(tree.parse(pattern), native=True).translate()
        SchemaValidator(core_schema.str_schema(pattern=native))
    except (UntranslatableError, SchemaError):
        pass
    except tree.RegexError as error:
        raise UntranslatableError(f"has {error}") from None
    else:
        return True, native
    text = _Translation(tree.parse(pattern), native=False).translate()
    try:
        re.compile(text, re.ASCII)
    except (re.error, OverflowError) as error:
        raise UntranslatableError(f"is not a regular expression here: {error}") from None
    return False, text


def matches(pattern: str, text: str) -> bool:
    """Return whether *text* has a match of *pattern*; True if no engine can decide."""
    from pydantic_core import SchemaValidator, ValidationError, core_schema

    try:
        native, expression = translate(pattern)
    except UntranslatableError:
        return True
    if not native:
        return re.search(expression, text, re.ASCII) is not None
    try:
        SchemaValidator(core_schema.str_schema(pattern=expression)).validate_python(text)
    except ValidationError:
        return False
    return True


@lru_cache(maxsize=4096)
def compile_portable(pattern: str) -> re.Pattern[str] | None:
    """Return *pattern* compiled for Python's search; None unless all engines agree on it."""
    flaw = find_flaw(pattern)
    if flaw is not None and flaw.id != "pattern-loose":
        return None
    return re.compile(_Translation(tree.parse(pattern), native=False).translate(), re.ASCII)


def matches_portably(pattern: str, text: str, *, unknown: bool) -> bool:
    """Return whether *text* has a match of *pattern*; *unknown* unless all engines agree on it."""
    expression = compile_portable(pattern)
    return unknown if expression is None else expression.search(text) is not None


def may_refer_to_nothing(pattern: str) -> bool:
    """Return whether *pattern* may refer back to a group that has matched nothing.

    In ECMA-262, it is empty then; for most engines, nothing matches.
    """
    try:
        return bool(_find_missing(tree.parse(pattern)))
    except tree.RegexError:
        return False


def write_portable(pattern: str) -> str | None:
    """Return *pattern* without what engines read differently; None if that is impossible."""
    try:
        return _Translation(tree.parse(pattern), native=False, spelled=True).translate()
    except (UntranslatableError, tree.RegexError):
        return None


def spell_dots(pattern: str) -> str:
    """Return *pattern* with the characters that each `.` matches: others than the ends of lines.

    With a flag that changes them, it is unchanged: such a *pattern* is of another dialect.
    """
    if _DOT_ALL.search(pattern) is not None:
        return pattern
    return _DOT.sub(lambda found: found[0] if found[0] != "." else f"[^{_LINE_ENDS}]", pattern)


class _Translation:
    """One visit of a tree, for the Rust engine (*native*) or for Python's.

    What is *spelled* out is for any engine that searches, such as that of validators.
    """

    def __init__(self, root: tree.Choice, *, native: bool, spelled: bool = False) -> None:
        self._root = root
        self._native = native
        self._spelled = spelled
        self._missing = _find_missing(root)
        self._numbers: dict[int | str, int | None] = {}

    def translate(self) -> str:
        """Return the tree in the engine's syntax. Raises UntranslatableError."""
        return self._choice(self._root)

    def _choice(self, choice: tree.Choice) -> str:
        return "|".join("".join(map(self._translate, branch)) for branch in choice.branches)

    def _translate(self, node: tree.Node) -> str:
        if isinstance(node, tree.Literal):
            return _literal(node.character, _SPECIAL)
        if isinstance(node, tree.Repeat):
            lazy = "?" if node.lazy else ""
            return f"{self._translate(node.body)}{node.source}{lazy}"
        if isinstance(node, tree.Group):
            return f"{self._opening(node)}{self._choice(node.body)})"
        if isinstance(node, tree.Class):
            return self._class(node)
        if isinstance(node, tree.Dot):
            return f"[^{_LINE_ENDS}]"
        if isinstance(node, tree.Assertion):
            return self._assertion(node.source)
        if isinstance(node, tree.Reference):
            return self._reference(node.group)
        members = self._member(node)
        if members.startswith("[") or isinstance(node, tree.Property):
            return members
        if node.letter in _SETS or self._native:
            return f"[{members}]"
        return f"[^{_SETS[node.letter.lower()]}]"

    def _opening(self, group: tree.Group) -> str:
        if group.name is not None:
            self._numbers[group.name] = group.number
            return "(" if self._spelled else f"(?P<{group.name}>"
        if group.opening in ("(", "(?:"):
            return group.opening
        if group.opening in ("(?=", "(?!", "(?<=", "(?<!"):
            return self._only_python(group.opening)
        raise UntranslatableError(f"has the group {group.opening}, which ECMA-262 does not know")

    def _assertion(self, source: str) -> str:
        if self._spelled:
            return _BOUNDARIES.get(source, source)
        if source == r"\B":
            # in Rust, it hides other matches around characters beyond ASCII; in Python, it matches
            # nothing in an empty text
            return self._only_python(r"(?!\b)")
        if self._native:
            return r"(?-u:\b)" if source == r"\b" else source
        return r"\Z" if source == "$" else source

    def _reference(self, group: int | str) -> str:
        number = self._numbers.get(group, group) if self._spelled else group
        text = rf"\{number}" if isinstance(number, int) else f"(?P={group})"
        if self._missing.get(group):
            raise UntranslatableError("refers to a group that one of its repetitions may skip")
        # what is empty in ECMA-262 matches nothing in Python
        is_missing = group in self._missing
        return self._only_python(f"(?({group}){text})" if is_missing else f"(?:{text})")

    def _class(self, node: tree.Class) -> str:
        negated = "^" if node.negated else ""
        if not node.members:
            # `[]` matches nothing, `[^]` anything
            return rf"[{'' if node.negated else '^'}\x00-\U0010ffff]"
        return f"[{negated}{''.join(map(self._member, node.members))}]"

    def _member(self, member: tree.Member) -> str:
        """Return *member* as it is written within the brackets of a class."""
        if isinstance(member, tree.Range):
            low, high = self._member(member.low), self._member(member.high)
            both = isinstance(member.low, tree.Literal) and isinstance(member.high, tree.Literal)
            # ECMA-262 annex B: next to a class a hyphen is literal
            return f"{low}-{high}" if both else rf"{low}\-{high}"
        if isinstance(member, tree.Literal):
            return _literal(member.character, _SPECIAL_IN_SET)
        if isinstance(member, tree.Property):
            if not self._native and not self._spelled:
                raise UntranslatableError(r"needs both look-around and \p")
            name = member.name.replace("Script=", "").replace("sc=", "")
            return f"\\{'P' if member.negated else 'p'}{{{name}}}"
        if self._spelled:
            return _SPELLED_SETS[member.letter]
        # Python has no nested sets, but under re.ASCII its own `\D` and `\W` mean the same
        sets = _NATIVE_SETS if self._native else _SETS
        return sets.get(member.letter, f"\\{member.letter}")

    def _only_python(self, text: str) -> str:
        if self._native:
            raise UntranslatableError(_NOT_IN_RUST)
        return text


def _find_missing(root: tree.Choice) -> dict[int | str, bool]:
    """Return the groups that have perhaps not matched when *root* refers back to them.

    True is for those that a repetition skips: ECMA-262 forgets what they matched before, and Python
    does not.
    """
    missing: dict[int | str, bool] = {}
    groups: _Groups = {}
    numbers = count()

    def visit(choice: tree.Choice, skips: _Skips, is_repeated: bool, known: _Groups) -> None:
        for branch in choice.branches:
            is_only = len(choice.branches) == 1
            within = skips if is_only else (*skips, (next(numbers), is_repeated))
            for each in branch:
                visit_node(each, within, is_repeated, known)

    def visit_node(node: tree.Node, skips: _Skips, is_repeated: bool, known: _Groups) -> None:
        if isinstance(node, tree.Repeat):
            within = (*skips, (next(numbers), is_repeated)) if node.least == 0 else skips
            is_again = is_repeated or node.most is None or node.most > 1
            visit_node(node.body, within, is_again, known)
        elif isinstance(node, tree.Group):
            is_negative = node.opening in ("(?!", "(?<!")
            within = (*skips, (next(numbers), is_repeated)) if is_negative else skips
            # what looks behind is matched from its end: its groups are known after it
            inside = dict(known) if node.opening.startswith("(?<") and not node.name else known
            visit(node.body, within, is_repeated, inside)
            groups.update((name, within) for name in (node.number, node.name) if name is not None)
        elif isinstance(node, tree.Reference):
            # a reference before the end of its group is one to nothing
            skipped = {*known.get(node.group, ((-1, True),))}.difference(skips)
            if skipped:
                is_kept = any(is_repeated for _, is_repeated in skipped)
                missing[node.group] = missing.get(node.group, False) or is_kept

    visit(root, (), False, groups)
    return missing


def _literal(character: str, special: frozenset[str]) -> str:
    if character in special:
        return "\\" + character
    if character.isprintable():
        return character
    if character in _CONTROLS:
        return _CONTROLS[character]
    return rf"\u{ord(character):04x}" if ord(character) < 0x10000 else character
