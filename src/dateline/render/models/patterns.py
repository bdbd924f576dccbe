"""A regular expression of ECMA-262 in, one of the Rust engine or of Python's out.

The Rust engine, which pydantic uses, matches in linear time; Python's is for what it lacks,
look-around and back references. Both search, as JSON Schema wants (validation section 6.3.3).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

# ECMA-262 section 22.2.2.9: digits and word characters are ASCII, white space is not
_DIGIT: Final = "0-9"
_WORD: Final = "A-Za-z0-9_"
_SPACE: Final = r"\t\n\x0b\x0c\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_SETS: Final = {"d": _DIGIT, "w": _WORD, "s": _SPACE}
# the Rust engine has white space of its own, which is nearly that of ECMA-262
_NATIVE_SETS: Final = {
    **{"d": _DIGIT, "D": f"[^{_DIGIT}]", "w": _WORD, "W": f"[^{_WORD}]"},
    **{"s": r"[\s\ufeff&&[^\x85]]", "S": r"[\S\x85&&[^\ufeff]]"},
}
_CONTROLS: Final = {"n": r"\n", "r": r"\r", "t": r"\t", "v": r"\x0b", "f": r"\x0c", "0": r"\x00"}
_LINE_ENDS: Final = r"\n\r\u2028\u2029"

_SPECIAL: Final = frozenset(r"\^$.|?*+()[]{}")
_SPECIAL_IN_SET: Final = frozenset(r"\^-[]&~|")
_QUANTIFIER: Final = re.compile(r"\{[0-9]+(?:,[0-9]*)?\}")
_CODE: Final = re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}")
_PROPERTY: Final = re.compile(r"[pP]\{[A-Za-z0-9_=]+\}")
_NAME: Final = re.compile(r"<([A-Za-z_][A-Za-z0-9_]*)>")


class UntranslatableError(Exception):
    """An expression that neither engine can hold; the message says why."""


@lru_cache(maxsize=4096)
def translated(pattern: str) -> tuple[bool, str]:
    """Return (whether the Rust engine takes it, the expression in the syntax of the engine).

    Raises UntranslatableError where neither engine takes it.
    """
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        native = _Translation(pattern, native=True).text()
        SchemaValidator(core_schema.str_schema(pattern=native))
    except (UntranslatableError, SchemaError):
        pass
    else:
        return True, native
    text = _Translation(pattern, native=False).text()
    try:
        re.compile(text, re.ASCII)
    except (re.error, OverflowError) as error:
        raise UntranslatableError(f"can't be held by a regular expression: {error}") from None
    return False, text


def matches(pattern: str, text: str) -> bool:
    """Tell whether *text* holds a match of *pattern*; it does where no engine can tell."""
    from pydantic_core import SchemaValidator, ValidationError, core_schema

    try:
        native, expression = translated(pattern)
    except UntranslatableError:
        return True
    if not native:
        return re.search(expression, text, re.ASCII) is not None
    try:
        SchemaValidator(core_schema.str_schema(pattern=expression)).validate_python(text)
    except ValidationError:
        return False
    return True


class _Translation:
    """One pass over a pattern."""

    def __init__(self, pattern: str, *, native: bool) -> None:
        self._pattern = pattern
        self._native = native
        self._at = 0

    def text(self) -> str:
        made: list[str] = []
        while self._at < len(self._pattern):
            character = self._next()
            handle = _HANDLERS.get(character)
            made.append(handle(self) if handle else _literal(character, _SPECIAL))
        return "".join(made)

    def _next(self) -> str:
        if self._at >= len(self._pattern):
            raise UntranslatableError("ends too early")
        self._at += 1
        return self._pattern[self._at - 1]

    def _taken_text(self, text: str) -> bool:
        if self._at >= len(self._pattern):
            raise UntranslatableError("ends within a set")
        found = self._pattern.startswith(text, self._at)
        self._at += len(text) * found
        return found

    def _taken(self, expression: re.Pattern[str]) -> re.Match[str] | None:
        match = expression.match(self._pattern, self._at)
        if match is not None:
            self._at = match.end()
        return match

    def group(self) -> str:
        if not self._pattern.startswith("?", self._at):
            return "("
        self._at += 1
        kind = self._next()
        if kind == ":":
            return "(?:"
        if kind in "=!":
            return self._only_python(f"(?{kind}")
        if kind == "<":
            if self._pattern[self._at : self._at + 1] in ("=", "!"):
                return self._only_python(f"(?<{self._next()}")
            self._at -= 1
            name = self._taken(_NAME)
            if name is not None:
                return f"(?P<{name[1]}>"
        raise UntranslatableError(f"has the group (?{kind}, which ECMA-262 does not know")

    def escape(self) -> str:
        character = self._next()
        if character in "123456789":
            return self._only_python(f"(?:\\{character})")
        if character == "k":
            name = self._taken(_NAME)
            if name is None:
                raise UntranslatableError(r"has \k without a name")
            return self._only_python(f"(?P={name[1]})")
        if character in "bB":
            return f"(?-u:\\{character})" if self._native else f"\\{character}"
        members = self._members(character)
        if members is not None:
            return members if members.startswith("[") else f"[{members}]"
        if character.lower() in _SETS:
            return f"[^{_SETS[character.lower()]}]"
        return self._character(character, _SPECIAL)

    def _members(self, character: str) -> str | None:
        """Return what stands in a set for the escape *character*, if it names a set."""
        sets = _NATIVE_SETS if self._native else _SETS
        if character in sets:
            return sets[character]
        if character in "pP":
            self._at -= 1
            found = self._taken(_PROPERTY)
            if found is not None:
                if not self._native:
                    raise UntranslatableError(r"needs both look-around and \p")
                return "\\" + found.group().replace("Script=", "").replace("sc=", "")
            self._at += 1
        return None

    def _character(self, character: str, special: frozenset[str]) -> str:
        """Return the one character that an escape stands for."""
        if character in _CONTROLS:
            return _CONTROLS[character]
        if character == "c":
            return f"\\x{ord(self._next()) % 32:02x}"
        self._at -= 1
        code = self._taken(_CODE)
        if code is not None:
            return _literal(chr(int(code[1] or code[2] or code[3], 16)), special)
        self._at += 1
        return _literal(character, special)

    def set(self) -> str:
        negated = self._taken_text("^")
        members: list[str] = []
        while not self._taken_text("]"):
            start, is_character = self._member()
            if not (is_character and self._pattern.startswith("-", self._at)):
                members.append(start)
                continue
            self._at += 1
            if self._pattern.startswith("]", self._at):
                members += [start, r"\-"]
                continue
            end, is_character = self._member()
            # ECMA-262 annex B: next to a class a hyphen stands for itself
            members.append(f"{start}-{end}" if is_character else rf"{start}\-{end}")
        if not members:
            # `[]` matches nothing, `[^]` anything
            return rf"[{'' if negated else '^'}\x00-\U0010ffff]"
        return f"[{'^' if negated else ''}{''.join(members)}]"

    def _member(self) -> tuple[str, bool]:
        """Return what stands in a set, and whether it is one character."""
        character = self._next()
        if character != "\\":
            return _literal(character, _SPECIAL_IN_SET), True
        character = self._next()
        if character == "b":
            return r"\x08", True
        members = self._members(character)
        if members is not None:
            return members, False
        if character.lower() in _SETS:
            # Python has no set within a set, but under re.ASCII its own escapes mean the same
            return f"\\{character}", False
        return self._character(character, _SPECIAL_IN_SET), True

    def brace(self) -> str:
        self._at -= 1
        quantifier = self._taken(_QUANTIFIER)
        if quantifier is not None:
            return quantifier.group()
        self._at += 1
        return r"\{"

    def end(self) -> str:
        return "$" if self._native else r"\Z"

    def dot(self) -> str:
        return f"[^{_LINE_ENDS}]"

    def _only_python(self, text: str) -> str:
        if self._native:
            raise UntranslatableError("needs look-around or a back reference")
        return text

    def plain(self) -> str:
        return self._pattern[self._at - 1]


_HANDLERS: Final[dict[str, Callable[[_Translation], str]]] = {
    "\\": _Translation.escape,
    "[": _Translation.set,
    "(": _Translation.group,
    "{": _Translation.brace,
    "$": _Translation.end,
    ".": _Translation.dot,
    **dict.fromkeys("^|?*+)", _Translation.plain),
}


def _literal(character: str, special: frozenset[str]) -> str:
    if character in special:
        return "\\" + character
    if character.isprintable():
        return character
    return rf"\u{ord(character):04x}" if ord(character) < 0x10000 else character
