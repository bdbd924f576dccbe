"""Keys too long for an implicit key are written after a question mark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from ruamel.yaml import YAML
from support.sources import parsed, plain
from support.tables import cases

from dateline.source.spans import spans
from dateline.source.splice import EditableSource
from dateline.source.text import yaml_key, yaml_text
from dateline.source.writing import in_brackets, laid_out, style_of

# Characters that are written plainly, only in quotes, and as escapes of several characters.
KINDS = {
    "plain": "k",
    "quoted": "a: ",
    "escaped": "\n\u00a0",
    "wide": "\U0001f600",
    "quotes": "'\"",
}
LENGTHS = (340, 1022, 1023, 1024, 1025, 2050)

VALUES: list[Any] = [
    1,
    "word",
    "a\nb\n",
    "word " * 60,
    {},
    [],
    {"b": [1]},
    [{"b": 1, "c": 2}],
    [[1]],
]

STYLES = ("a: 1\n", "a: {b: [1]}\n", 'a: "q"\nb:\n    c: "d"\n')


def style(text: str) -> Any:
    return style_of(text, spans(text))


def documents(key: str, values: list[Any]) -> list[Any]:
    return [
        node
        for value in values
        for node in (
            {key: value},
            {"a": {key: value, "z": 1}},
            {"a": [{key: value}, {"z": 1, key: 2}]},
        )
    ]


def check(text: str, wanted: Any, folder: Path) -> None:
    assert plain(parsed(folder, text.encode(), "a.yaml")) == wanted, text
    assert yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)) == wanted, text


@cases("kind", KINDS)
@cases("length", LENGTHS)
def test_every_writer_supports_keys_of_any_length(kind: str, length: int, tmp_path: Path) -> None:
    key = (KINDS[kind] * length)[:length]
    # where the key is written doesn't depend on the value, but on the kind of its node
    is_usual = (kind, length) == ("plain", 1024)
    for wanted in documents(key, VALUES if is_usual else VALUES[2:7:2]):
        for width in (0, 90):
            check(yaml_text(wanted, width=width).lstrip("\n") + "\n", wanted, tmp_path)
        for text in STYLES:
            check(laid_out(wanted, style(text), 0) + "\n", wanted, tmp_path)
            check(in_brackets(wanted, style(text)) + "\n", wanted, tmp_path)
        check(f"a:\n  {yaml_key(key, 2)} 1\n", {"a": {key: 1}}, tmp_path)


def test_question_mark_is_only_written_where_needed() -> None:
    assert yaml_text({"k" * 1024: 1}) == f"\n{'k' * 1024}: 1"
    written = yaml_text({"a": [{"k" * 1025: {"b": 1}}]}, 0)
    assert written == f"\na:\n  - ? {'k' * 1025}\n    :\n      b: 1"
    assert YAML(typ="safe", pure=True).load(written) == {"a": [{"k" * 1025: {"b": 1}}]}
    assert in_brackets({"k" * 1025: 1}, style("a: {b: 1}\n")) == f"{{? {'k' * 1025} : 1}}"


LONG, OTHER = "k" * 1025, "o: " * 500

SOURCES = (
    f"a:\n  x: 1\n  # about it\n  ? {LONG}\n  : 2\n  w: 3\n",
    f"a:\n  x: 1\n\n  ? {LONG}\n  :\n    - b: 1\n\n  w: 3\n",
    f"a:\n  ? {LONG}\n  : |-\n    text\n    more\n  w: 3\n",
    f"a:\n  - ? {LONG}\n    : {{ b: 1 }}\n    w: 3\n  - z: 1\n",
    f"a:\n  - x: 2\n    ? {LONG}\n    :\n      b: 1\n",
    f"a: {{ x: 1, ? {LONG} : 2, w: 3 }}\n",
    f"a: {{ ? {LONG} : [2], w: 3 }}\n",
    f"a: {{\n  x: 1, # why?\n  ? {LONG} : 2,\n  w: 3\n}}\n",
    "a:\n  x: 1\n  # why?\n  w: 2\n",
    "a:\n  x : 1\n  w:\n    - 2\n",
    "a: { # why?\n  x: 1, w: { b: 1 } }\n",
)


def maps(node: Any, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Any]]:
    pairs = node.items() if isinstance(node, dict) else enumerate(node)
    below = [
        each
        for key, child in pairs
        if isinstance(child, dict | list)
        for each in maps(child, (*path, key))
    ]
    return [(path, node), *below] if isinstance(node, dict) else below


def edited(text: str, wanted: Any, folder: Path, *edit: Any) -> None:
    source = EditableSource(text.encode())
    getattr(source, edit[0])(*edit[1:])
    assert plain(parsed(folder, source.content(), "a.yaml")) == wanted, (text, edit)


def replaced(node: Any, path: tuple[str | int, ...], new: dict[str, Any]) -> Any:
    if not path:
        return new
    below = replaced(node[path[0]], path[1:], new)
    if isinstance(node, list):
        return [below if i == path[0] else each for i, each in enumerate(node)]
    return node | {path[0]: below}


@cases("number", range(len(SOURCES)))
def test_long_keys_and_their_neighbours_can_be_edited(number: int, tmp_path: Path) -> None:
    text = SOURCES[number]
    content = plain(parsed(tmp_path, text.encode(), "a.yaml"))
    for path, node in maps(content):
        for place, name in enumerate(node):
            # each place is tried with some values, the next one with others
            values = VALUES[(number + place) % 3 :: 3]
            rest = {key: each for key, each in node.items() if key != name}
            if rest:
                edited(text, replaced(content, path, rest), tmp_path, "remove", (*path, name))
            for value in values:
                new = replaced(content, path, node | {name: value})
                edited(text, new, tmp_path, "replace", (*path, name), value)
            for other in ("short", OTHER):
                renamed = {other if key == name else key: each for key, each in node.items()}
                new = replaced(content, path, renamed)
                edited(text, new, tmp_path, "rename", (*path, name), other)
                for value in values:
                    entries = list(node.items())
                    entries.insert(place, (other, value))
                    new = replaced(content, path, dict(entries))
                    edited(text, new, tmp_path, "put", (*path, other), value, place)
