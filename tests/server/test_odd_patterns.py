"""Patterns that validators refuse, or that need too much memory, only lose their check."""

from __future__ import annotations

import random
from functools import cache
from typing import Any, Final

import httpx
import jsonschema_rs
from support.generated_server import Generated, ask, generate_adopted
from support.seeds import seeds
from support.tables import cases

from dateline.regex.engines import matches
from dateline.regex.supported import find_supported, is_supported
from dateline.schema.constraints import replace_patterns

# A pattern, a text that matches, and one that doesn't.
CHECKED = {
    r"^[\w-.]+$": ("a-b.c", "a b"),
    r"^[a-z-\d]+$": ("a-1", "A"),
    r"^a{,3}$": ("a{,3}", "aa"),
    r"^\d{4}\h$": ("1234h", "1234x"),
    "^[a-z]{1,64}$": ("abc", "A"),
    r"^(?!X)[A-Z]{2}$": ("AB", "XB"),
    r"(?<=a)b$": ("ab", "b"),
    r"^(a|b)\1$": ("aa", "ab"),
    "^.{1000}$": ("a" * 1000, "a"),
    "^(" + "|".join(f"w{number}" for number in range(5_000)) + ")$": ("w4999", "w5000"),
}
LEFT_OUT = [
    "^.{0,65536}$",
    "^[a-z]{1,5000000000}$",
    "^([a-z]{1,1000}){1,1000}$",
    "^((a{1,99}){1,99}){1,99}$",
    "^" + r"[^\s]{0,99}" * 60 + "$",
    r"^(?>a)$",
    r"^\p{Foo}$",
    r"(?i)^(?P<a>x)\Z",
]
MEANINGLESS = ["^[a-z", "^a**$", "{1}"]


@cases("pattern", CHECKED)
def test_rewritten_pattern_has_the_same_meaning(pattern: str) -> None:
    written = find_supported(pattern)
    assert written is not None
    validator = jsonschema_rs.Draft202012Validator({"pattern": written})
    fine, wrong = CHECKED[pattern]
    assert [validator.is_valid(fine), validator.is_valid(wrong)] == [True, False]
    assert [matches(pattern, fine), matches(pattern, wrong)] == [True, False]


@cases("seed", seeds(8))
def test_unmodified_pattern_is_accepted_by_validators(seed: int) -> None:
    lots = random.Random(seed)
    pieces = [
        "a",
        "^",
        "$",
        "|",
        r"\d",
        r"\.",
        r"\-",
        "[a-z]",
        r"[^\w.]",
        "[a-z0-9_.]",
        "(b)",
        "([^\\s]{2})",
        "(?:b)",
        ".",
    ]
    for _ in range(50):
        drawn = [
            (piece, lots.choice(["", "", "+", "*", "?", "{2}", "{1,64}", "{3,}", "{99}"]))
            if piece not in "^$|"
            else (piece, "")
            for piece in lots.choices(pieces, k=6)
        ]
        # in validators, `.` matches line ends
        spelled = (
            (r"[^\n\r\u2028\u2029]" if piece == "." else piece, rest) for piece, rest in drawn
        )
        pattern, written = ("".join(map("".join, each)) for each in (drawn, spelled))
        assert find_supported(pattern) == written
        assert is_supported(written), pattern


@cases("pattern", LEFT_OUT)
def test_pattern_that_validators_refuse_is_left_out(pattern: str) -> None:
    assert find_supported(pattern) is None


def test_two_spellings_of_one_pattern_both_apply() -> None:
    named = {r"^a{,3}$": {"maxLength": 3}, r"^a\{,3\}$": {"type": "string"}}
    made = replace_patterns({"patternProperties": named}, find_supported)
    validator = jsonschema_rs.Draft202012Validator(made)
    found = [validator.is_valid({"a{,3}": value}) for value in ("abc", "abcd", 1)]
    assert found == [True, False, False]


PATTERNS: Final = [*CHECKED, *LEFT_OUT, *MEANINGLESS, "^.+$"]


def document() -> dict[str, Any]:
    """Return operations with each pattern, of values and of names of properties."""
    paths: dict[str, Any] = {}
    schemas: dict[str, Any] = {}
    for number, pattern in enumerate(PATTERNS):
        text = {"type": "string", "pattern": pattern}
        schemas[f"Value{number}"] = {"type": "object", "properties": {"a": text}}
        named = {pattern: {"type": "integer"}}
        schemas[f"Name{number}"] = {"type": "object", "patternProperties": named}
        query = {"name": "q", "in": "query", "schema": text}
        paths[f"/Value{number}"] = {
            "get": {
                "operationId": f"get{number}",
                "parameters": [query],
                "responses": {"200": {"description": "one"}},
            }
        }
    for name in schemas:
        content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}
        responses = {"200": {"description": "one", "content": content}}
        body = {"required": True, "content": content}
        paths.setdefault(f"/{name}", {})["post"] = {
            "operationId": f"post{name}",
            "requestBody": body,
            "responses": responses,
        }
    return {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": paths,
        "components": {"schemas": schemas},
    }


class Handlers:
    """Handlers of everything, which return their arguments."""

    def __getattr__(self, _: str) -> Handlers:
        return self

    async def __call__(self, *_: Any, **given: Any) -> Any:
        return given.get("body", {})


@cache
def served() -> tuple[Generated, Any]:
    made = generate_adopted(document())
    return made, made.module("server").create_app(Handlers(), environment="production")


def post(name: str, pattern: str, value: Any) -> httpx.Response:
    _, app = served()
    return ask(app, "POST", f"/{name}{PATTERNS.index(pattern)}", json=value)


@cases("pattern", PATTERNS)
def test_operations_are_served_whatever_patterns_they_have(pattern: str) -> None:
    _, app = served()
    path = f"/Value{PATTERNS.index(pattern)}"
    assert ask(app, "GET", path).status_code == 200
    # models may check what the server doesn't
    texts = CHECKED.get(pattern, ("x" if "x" in pattern else "a", None))
    for text, status in zip(texts, (200, 400), strict=True):
        if text is not None:
            assert ask(app, "GET", path, params={"q": text}).status_code == status
            assert post("Value", pattern, {"a": text}).status_code == status


def test_note_counts_patterns_that_are_not_checked() -> None:
    [note] = [note for note in served()[0].notes if "not checked by the server" in note]
    assert note.startswith(f"{len(LEFT_OUT)} patterns are not checked by the server")
    assert note.endswith(f"(first {LEFT_OUT[0]!r})")


@cases("text", ["a\rb", "a\u2028b", "a\u2029b", "a\nb", ""])
def test_messages_show_dots_as_written(text: str) -> None:
    answer = post("Value", "^.+$", {"a": text})
    assert answer.status_code == 400
    assert "has to match ^.+$" in answer.text


@cases("pattern", [r"^[\w-.]+$", *LEFT_OUT, *MEANINGLESS])
def test_names_of_properties_may_have_any_pattern(pattern: str) -> None:
    is_checked = find_supported(pattern) is not None and pattern not in MEANINGLESS
    assert post("Name", pattern, {"a-b": 1}).status_code == 200
    assert post("Name", pattern, {"a-b": "x"}).status_code == (400 if is_checked else 200)
