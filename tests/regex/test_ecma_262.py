"""Random patterns have their meaning in ECMA-262, according to Node.js."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from typing import Final

import jsonschema_rs
import pytest
from support.seeds import seeds
from support.tables import cases

from dateline.regex.engines import UntranslatableError, matches, matches_portably, translate
from dateline.regex.supported import find_supported

_SCRIPT: Final = """\
const cases = JSON.parse(require('fs').readFileSync(0))
const match = ([pattern, texts]) => {
  try { const found = new RegExp(pattern, 'u'); return texts.map(text => found.test(text)) }
  catch { return null }
}
console.log(JSON.stringify(cases.map(match)))
"""

# no characters beyond the BMP: V8 finds `\\B` between the halves of a surrogate pair
_CHARACTERS: Final = "abA0_- \u00a0\n\x85\ufeffé\u212aß\u2028\u180e٣"
_MEMBERS: Final = [
    *("a", "b", "0-9", "a-c", "_", r"\-", "é", r"\u00a0", r"\n", "&&", "~", "#"),
    *(r"\s", r"\S", r"\d", r"\D", r"\w", r"\W", r"\p{L}", r"\P{Lu}"),
]
_LOOKING: Final = ("(?=", "(?!", "(?<=", "(?<!")
_ATOMS: Final = [
    *"abA0_abA0_.",
    *(r"\d", r"\D", r"\s", r"\S", r"\w", r"\W", r"\p{L}", r"\P{L}", r"\p{Nd}", r"\1", r"\2"),
]
_ASSERTIONS: Final = (r"\b", r"\B", "^", "$")
_QUANTIFIERS: Final = ("", "", "", "*", "+", "?", "{2}", "{0,2}", "*?", "{1,}")


class Patterns:
    """Writes random patterns."""

    def __init__(self, seed: int) -> None:
        self._lots = random.Random(seed)

    def pattern(self) -> str:
        inside = self._choice(2)
        return self._lots.choice([inside, f"^{inside}$", f"^(?:{inside})$"])

    def text(self) -> str:
        return "".join(self._lots.choices(_CHARACTERS, k=self._lots.randrange(4)))

    def _choice(self, depth: int) -> str:
        count = self._lots.choice([1, 1, 2])
        return "|".join(self._sequence(depth) for _ in range(count))

    def _sequence(self, depth: int) -> str:
        return "".join(self._part(depth) for _ in range(self._lots.randrange(1, 4)))

    def _part(self, depth: int) -> str:
        kind, quantifier = self._lots.random(), self._lots.choice(_QUANTIFIERS)
        if kind < 0.1:
            return str(self._lots.choice(_ASSERTIONS))
        if kind < 0.2 and depth:
            return f"{self._lots.choice(_LOOKING)}{self._choice(depth - 1)})"
        if kind < 0.4 and depth:
            opening = self._lots.choice(["(", "(", "(?:"])
            return f"{opening}{self._choice(depth - 1)}){quantifier}"
        if kind < 0.6:
            members = self._lots.choices(_MEMBERS, k=self._lots.randrange(4))
            return f"[{self._lots.choice(['', '^'])}{''.join(members)}]{quantifier}"
        return f"{self._lots.choice(_ATOMS)}{quantifier}"


def read_with_node(cases: list[tuple[str, list[str]]]) -> list[list[bool] | None]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is not installed")
    ran = subprocess.run(
        [node, "-e", _SCRIPT], input=json.dumps(cases), capture_output=True, text=True, check=True
    )
    found: list[list[bool] | None] = json.loads(ran.stdout)
    return found


# Constructs that Python reads differently, in patterns that the engine of Rust doesn't support.
KNOWN: Final[dict[str, list[str]]] = {
    r"^(?!x)[\Sa]$": ["\u00a0", "\u2028", "\ufeff", "a", "b", " "],
    r"^(?!x)[^\Sa]$": ["\u00a0", "\u2028", "\ufeff", "a", "b", " "],
    r"^(?!x)\B": ["", "a", "-"],
    r"\B": ["", "a", "-", "aa"],
    r"é|\B": ["aéa", "a", "é"],
    r"^(?:(a)\1|b)+$": ["aab", "baa", "ab"],
    r"^(?!(a)b)\1a": ["a", "aa", "ab"],
    r"^(?:(a)|b)\1$": ["aa", "b", "ba", "a"],
    r"^(?:(a)|b)*\1$": ["ab", "aba", "aa", "b"],
    r"^(?:(?<n>a)?b)+\k<n>$": ["ab", "aba", "abba", "bab"],
    r"^(a)?\1$": ["", "a", "aa"],
    r"^(?:([a-c])(?!\1))+$": ["abc", "abb", "a"],
}


@pytest.mark.parametrize("seed", seeds(4))
def test_random_patterns_match_like_in_node(seed: int) -> None:
    patterns = Patterns(seed)
    cases = [(patterns.pattern(), [patterns.text() for _ in range(10)]) for _ in range(750)]
    cases += KNOWN.items() if seed == 0 else ()
    compared = validated = 0
    for (pattern, texts), expected in zip(cases, read_with_node(cases), strict=True):
        if expected is None:
            continue
        try:
            translate(pattern)
        except UntranslatableError:
            continue
        compared += 1
        assert [matches(pattern, text) for text in texts] == expected, pattern
        for text, is_match in zip(texts, expected, strict=True):
            assert matches_portably(pattern, text, unknown=is_match) == is_match, pattern
        supported = find_supported(pattern)
        if supported is not None:
            validated += 1
            assert list_valid(supported, texts) == expected, pattern
    assert min(compared, validated) > 400


def list_valid(supported: str, texts: list[str]) -> list[bool]:
    validator = jsonschema_rs.Draft202012Validator({"pattern": supported})
    return [validator.is_valid(text) for text in texts]


# Constructs that validators would read differently, or refuse, without translation.
OF_VALIDATORS: Final[dict[str, list[str]]] = {
    "^.$": ["\r", "\n", "\u2028", "\u2029", "a"],
    r"^[.]\..$": ["...", "..\r", ".ab", "...\n"],
    r"^a\b": ["a", "aé", "ab", "a-"],
    r"\bé": ["é", "aé", "-é"],
    r"\Bé\B": ["é", "aé", "-é-", "aéa"],
    r"^(?!x)\d$": ["1", "٣", "x"],
    r"^(?!x)[\d]\D$": ["1٣", "٣a", "1a", "11"],
    r"^(?!x)\w\W$": ["a-", "aé", "é-", "ab"],
    r"^(?!x)[\W\d]$": ["é", "a", "1", "٣"],
    r"^(?=[\s])[^\S]$": [" ", "\ufeff", "\x85", "\u180e"],
    r"^(a)\1\w$": ["aaé", "aab"],
    r"^(?<n>a)\k<n>\w$": ["aaé", "aab", "aa1"],
    "^[^]$": ["a", "\n", "^", ""],
    "[]": ["", "a", "]"],
    r"^\p{L}\b": ["a", "é", "a1", "1"],
    "^" + "".join(f"({letter})" for letter in "abcdefghij") + r"\10$": [
        "abcdefghijj",
        "abcdefghija0",
    ],
}


def test_validators_read_every_construct_like_node() -> None:
    cases = [*OF_VALIDATORS.items()]
    for (pattern, texts), expected in zip(cases, read_with_node(cases), strict=True):
        supported = find_supported(pattern)
        assert supported is not None, pattern
        assert list_valid(supported, texts) == expected, pattern


@cases("pattern", KNOWN)
def test_validators_skip_references_to_groups_that_may_be_empty(pattern: str) -> None:
    is_uncertain = pattern.endswith((r"\1$", r"\k<n>$", r"\1a"))
    assert (find_supported(pattern) is None) == is_uncertain


LOOKING_BEHIND: Final[dict[str, bool]] = {
    r"(?<=(a)\1)b": False,
    r"(?<=\1(a))b": False,
    r"(?<!(?:(?<n>a)\k<n>))b": False,
    r"(?<=(a))\1b": True,
    r"(?<n>a)(?<=\k<n>)b": True,
    r"(?<=(?<n>a))\k<n>b": True,
}


def test_lookbehind_is_matched_from_its_end() -> None:
    texts = ["ab", "aab", "b", "aa"]
    expected = read_with_node([(pattern, texts) for pattern in LOOKING_BEHIND])
    for (pattern, is_known), read in zip(LOOKING_BEHIND.items(), expected, strict=True):
        supported = find_supported(pattern)
        assert (supported is not None) == is_known, pattern
        assert supported is None or list_valid(supported, texts) == read, pattern


@cases("flag", ["(?s)", "(?is)", "(?s-i)", "(?s:", "(?-s)", ""])
def test_dots_are_unchanged_under_a_flag_for_them(flag: str) -> None:
    pattern = f"^{flag}a.b{')' if flag.endswith(':') else ''}$"
    supported = find_supported(pattern)
    assert supported is not None
    assert list_valid(supported, ["a\nb", "axb"]) == [flag not in ("", "(?-s)"), True]


@pytest.mark.parametrize("pattern", [r"^(a)\1$", r"^(?:x(a)\1)*$", r"^((a)|b)\1$"])
def test_validators_check_references_to_groups_that_matched(pattern: str) -> None:
    assert find_supported(pattern) is not None
