"""Edited sources have the intended value, and all other text is unchanged."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.readings import part, trails
from support.seeds import scale, seeds
from support.sources import parsed, plain
from support.tables import cases
from support.yaml_styles import Writer, scalar, value

from dateline.source.spans import Span, spans
from dateline.source.splice import EditableSource

SCHEMAS = sorted((Path(__file__).parents[2] / "schemas").glob("*.yaml"))

Trail = tuple[str | int, ...]

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def reading(content: bytes, folder: Path, name: str = "a.yaml") -> Any:
    """Return the value of *content* without its positions."""
    return plain(parsed(folder, content, name))


def exactly(one: Any) -> Any:
    """Return *one* in a form in which `==` distinguishes types and the order of keys."""
    if isinstance(one, dict):
        return ("map", [(key, exactly(below)) for key, below in one.items()])
    if isinstance(one, list):
        return ("list", [exactly(below) for below in one])
    return (type(one).__name__, one)


def put_at(node: dict[str, Any], key: str, new: Any, index: int) -> None:
    entries = list(node.items())
    entries.insert(index, (key, new))
    node.clear()
    node.update(entries)


NEW = ("x-added", "fresh key", "200", "$ref", "ключ")


def random_edit(random: Random, source: EditableSource, wanted: Any) -> str:
    """Apply a random edit to *source* and to the plain value *wanted*."""
    places = [(path, part(wanted, path)) for path in trails(wanted)]
    maps = [path for path, node in places if isinstance(node, dict)]
    lists = [path for path, node in places if isinstance(node, list)]
    below = [path for path, _ in places if path]
    new = random.choice((scalar(random), value(random, 1), [scalar(random)], [{"const": "a"}]))
    kind = random.choice(("put", "put", "insert", "replace", "remove", "rename"))
    if kind == "insert" and lists:
        path = random.choice(lists)
        index = random.randint(0, len(part(wanted, path)))
        source.insert((*path, index), new)
        part(wanted, path).insert(index, copy.deepcopy(new))
        return f"insert {(*path, index)}"
    if kind == "replace" and below:
        path = random.choice(below)
        source.replace(path, new)
        part(wanted, path[:-1])[path[-1]] = copy.deepcopy(new)
        return f"replace {path}"
    if kind == "remove" and len(below) > 1:
        path = random.choice(below)
        source.remove(path)
        del part(wanted, path[:-1])[path[-1]]
        return f"remove {path}"
    path = random.choice(maps)
    node = part(wanted, path)
    free = [name for name in NEW if name not in node]
    if not free:
        return "nothing"
    name = random.choice(free)
    if kind == "rename" and node:
        old = random.choice(list(node))
        source.rename((*path, old), name)
        entries = [(name if key == old else key, below) for key, below in node.items()]
        node.clear()
        node.update(entries)
        return f"rename {(*path, old)}"
    index = random.randint(0, len(node))
    source.put((*path, name), new, index)
    put_at(node, name, copy.deepcopy(new), index)
    return f"put {(*path, name)} at {index}"


def variants(text: str) -> Iterator[bytes]:
    yield text.encode()
    yield text.replace("\n", "\r\n").encode()
    yield BYTE_ORDER_MARK + text.encode()


@cases("seed", seeds(40))
def test_file_has_the_intended_value_after_any_edits(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    for round_ in range(8):
        document = value(random)
        text = Writer(random).text(document)
        for content in variants(text):
            before = reading(content, tmp_path)
            # without a line end at the end of the file, block text has none either
            assert exactly(before) == exactly(document) or not text.endswith("\n"), text
            again = Random(seed * 1000 + round_)
            source, wanted = EditableSource(content), before
            done = [random_edit(again, source, wanted) for _ in range(again.choice((1, 1, 2, 5)))]
            after = source.content()
            if wanted:
                assert exactly(reading(after, tmp_path)) == exactly(wanted), (
                    f"{done}\n{text}\n-----\n{after.decode()}"
                )


def test_json_file_has_the_intended_value_after_any_edits(tmp_path: Path) -> None:
    for seed in range(60):
        random = Random(seed)
        document = value(random)
        indent = random.choice((None, 2, 4))
        content = json.dumps(document, ensure_ascii=random.random() < 0.5, indent=indent).encode()
        source, wanted = EditableSource(content, json=True), copy.deepcopy(document)
        done = [random_edit(random, source, wanted) for _ in range(random.choice((1, 2, 5)))]
        after = source.content()
        assert exactly(reading(after, tmp_path, "a.json")) == exactly(wanted), f"{done}\n{after!r}"


# Examples


def text_after(text: str, *edits: tuple[Any, ...]) -> str:
    source = EditableSource(text.encode())
    for kind, *given in edits:
        getattr(source, kind)(*given)
    return source.content().decode()


@cases(
    ("text", "edits", "after"),
    [
        ("a: { b: 1 } # c\n", [("put", ("a", "d"), 2)], "a: { b: 1, d: 2 } # c\n"),
        ("a: {b: 1, e: 3}\n", [("put", ("a", "d"), 2, 1)], "a: {b: 1, d: 2, e: 3}\n"),
        ("a: {}\n", [("put", ("a", "d"), 2)], "a:\n  d: 2\n"),
        ("a: {}\nb: [1]\n", [("put", ("a", "d"), 2)], "a: { d: 2 }\nb: [1]\n"),
        (
            "a: { b: 1, # one\n     c: 2 } # two\n",
            [("put", ("a", "d"), 3, 1)],
            "a: { b: 1, # one\n     d: 3,\n     c: 2 } # two\n",
        ),
        (
            "a: [\n  1, # one\n  2 # two\n]\n",
            [("insert", ("a", 2), 3)],
            "a: [\n  1, # one\n  2, # two\n  3\n]\n",
        ),
        (
            "a: [\n  1, # one\n  2, # two\n]\n",
            [("insert", ("a", 2), 3)],
            "a: [\n  1, # one\n  2, # two\n  3,\n]\n",
        ),
        (
            "a: {\n  b: 1,\n  c: 2\n}\n",
            [("remove", ("a", "c")), ("put", ("a", "d"), 3)],
            "a: {\n  b: 1, d: 3\n}\n",
        ),
        (
            "a:\n  # about b\n  b: 1\n\n  # about c\n  c: 2\n",
            [("put", ("a", "x"), {"z": 1}, 1)],
            "a:\n  # about b\n  b: 1\n\n  x:\n    z: 1\n\n  # about c\n  c: 2\n",
        ),
        (
            "a:\n- b: 1 # one\n  # about c\n  c: 2\n",
            [("put", ("a", 0, "x"), 0, 0)],
            "a:\n- x: 0\n  b: 1 # one\n  # about c\n  c: 2\n",
        ),
        (
            "a:\n- b: 1 # one\n  # about c\n  c: 2\n",
            [("remove", ("a", 0, "b"))],
            "a:\n- \n  # about c\n  c: 2\n",
        ),
        (
            "a:\n  b: 1\n\n  # about c,\n  # and c alone\n  c: 2\n\n  # about d\n  d: 3\n",
            [("remove", ("a", "c"))],
            "a:\n  b: 1\n\n  # about d\n  d: 3\n",
        ),
        (
            "a:\n  # about the first\n  - 1\n  # about another\n  - 2\n",
            [("remove", ("a", 0))],
            "a:\n  # about another\n  - 2\n",
        ),
        (
            "a:\n  b: |\n    # text\n  c: 2\n # in another column\n  d: 3\n",
            [("remove", ("a", "c"))],
            "a:\n  b: |\n    # text\n # in another column\n  d: 3\n",
        ),
        (
            "a:\n  b: 1\n  # apart\n\n  c: 2\n  # too\n\n  d: 3\n",
            [("remove", ("a", "c")), ("remove", ("a", "d"))],
            "a:\n  b: 1\n  # apart\n",
        ),
        ("# about the file\na: 1\nb: 2\n", [("remove", ("a",))], "# about the file\nb: 2\n"),
        ("a: 1 # one", [("put", ("b",), "two words")], "a: 1 # one\nb: two words"),
        ("a: |\n  text", [("put", ("b",), 2)], "a: |-\n  text\nb: 2"),
        ("a: |\n  x", [("replace", ("a",), [1]), ("put", ("b",), 2)], "a:\n  - 1\nb: 2"),
        ("a: |+\n  text\n\nb: 1\n", [("put", ("x",), 2, 1)], "a: |+\n  text\n\nx: 2\nb: 1\n"),
        ("a: old # why\n", [("replace", ("a",), [{"b": 1}])], "a: # why\n  - b: 1\n"),
        ("a: # why\n  - b: 1\n  - c: 2 # no\n", [("replace", ("a",), "x")], "a: x # why\n"),
        (
            "a: { security: [k: []] }\n",
            [("put", ("a", "security", 0, "l"), [])],
            "a: { security: [{ k: [], l: [] }] }\n",
        ),
        ("'a': 1\n", [("rename", ("a",), "200")], "'200': 1\n"),
    ],
)
def test_edit_of_a_text(text: str, edits: list[tuple[Any, ...]], after: str) -> None:
    assert text_after(text, *edits) == after


@cases(
    ("value", "written"),
    [
        ("plain words", "plain words"),
        ("it's", "it's"),
        ("'tis", '"\'tis"'),
        ("yes", "'yes'"),
        ("2024-01-15", "'2024-01-15'"),
        ("12:30", "'12:30'"),
        ("a: b", "'a: b'"),
        ("a #b", "'a #b'"),
        ("#/components", "'#/components'"),
        ("", "''"),
        ("größe", "größe"),
        ("no\u00a0break", '"no\\u00a0break"'),
        ("/loans/{id}", "/loans/{id}"),
        (1e20, "1.0e+20"),
        (None, "null"),
        (True, "true"),
        ("one\ntwo\n", "|\n  one\n  two"),
        ("word " * 30 + "end", ">-\n  " + "word " * 14 + "word\n  " + "word " * 15 + "end"),
    ],
)
def test_value_is_written_unambiguously(value: Any, written: str, tmp_path: Path) -> None:
    after = text_after("a: 'quoted'\n", ("put", ("b",), value))
    assert after == f"a: 'quoted'\nb: {written}\n"
    assert exactly(reading(after.encode(), tmp_path)["b"]) == exactly(value)


def test_long_text_is_not_folded_where_other_long_text_is_not() -> None:
    long = "word " * 30 + "end"
    assert text_after(f"a: {long}\n", ("put", ("b",), long)) == f"a: {long}\nb: {long}\n"


# Lines that an edit doesn't concern


def span_at(root: Span, trail: Trail) -> Span:
    for step in trail:
        root = root.below[root.names.index(step) if isinstance(step, str) else int(step)]
    return root


def lines_of(text: str, start: int, end: int) -> int:
    return text.count("\n", start, end) + 1


def count_concerned(text: str, root: Span, kind: str, trail: Trail) -> int:
    """Return how many lines of *text* an edit may change."""
    holder = span_at(root, trail[:-1])
    if holder.style in ("{", "["):
        return lines_of(text, holder.start, holder.end)
    # the first part may follow the dash of the item around it
    line = text.rfind("\n", 0, holder.start) + 1
    behind = trail[-1] in (0, *holder.names[:1]) and text[line : holder.start].strip() != ""
    if kind in ("put", "insert"):
        return int(behind)
    span = span_at(root, trail)
    last = trail[-1]
    number = last if isinstance(last, int) else holder.names.index(last)
    start = holder.keys[number].start if holder.is_map else span.start
    if kind == "remove" and len(holder.below) == 1:
        # the key above gets an empty collection
        above = span_at(root, trail[:-2])
        start = above.keys[above.names.index(str(trail[-2]))].start if above.is_map else above.start
    with_it = lines_above(text, start) if kind == "remove" else 0
    return lines_of(text, start, span.end) + with_it + (kind == "remove" and behind)


def lines_above(text: str, start: int) -> int:
    """Return the number of comments directly above *start*, and of blank lines above them."""
    *lines, margin = text[:start].split("\n")
    comments = list(takewhile(lambda line: line.startswith(f"{margin}#"), reversed(lines)))
    rest = lines[: len(lines) - len(comments)]
    return len(comments) + len(list(takewhile(lambda line: not line.strip(), reversed(rest))))


def count_unchanged(before: list[bytes], after: list[bytes]) -> int:
    """Return how many lines at the beginning and at the end of *before* are in *after* as well."""
    most = min(len(before), len(after))
    first = next((i for i in range(most) if before[i] != after[i]), most)
    last = next((i for i in range(most - first) if before[-1 - i] != after[-1 - i]), most - first)
    return first + last


def single_edits(document: Any) -> Iterator[tuple[str, Trail]]:
    for trail in trails(document):
        node = part(document, trail)
        if trail:
            yield "replace", trail
            yield "remove", trail
            if isinstance(trail[-1], str):
                yield "rename", trail
        if isinstance(node, list):
            yield from (("insert", (*trail, index)) for index in range(len(node) + 1))
        elif isinstance(node, dict):
            yield from (("put", (*trail, index)) for index in range(len(node) + 1))


def do(source: EditableSource, document: Any, kind: str, trail: Trail, new: Any) -> Any:
    """Apply an edit to *source*; return the resulting value of *document*."""
    wanted = copy.deepcopy(document)
    holder = part(wanted, trail[:-1])
    if kind == "put":
        source.put((*trail[:-1], "x-new"), new, int(trail[-1]))
        put_at(holder, "x-new", new, int(trail[-1]))
    elif kind == "insert":
        source.insert(trail, new)
        holder.insert(trail[-1], new)
    elif kind == "replace":
        source.replace(trail, new)
        holder[trail[-1]] = new
    elif kind == "remove":
        source.remove(trail)
        del holder[trail[-1]]
    else:
        source.rename(trail, "x-new")
        entries = [("x-new" if key == trail[-1] else key, below) for key, below in holder.items()]
        holder.clear()
        holder.update(entries)
    return wanted


def check_edit(content: bytes, document: Any, kind: str, trail: Trail, folder: Path) -> None:
    text = content.decode().removeprefix("\ufeff")
    root = spans(text)
    new: Any = {"next": {"format": "date"}} if kind != "replace" else "new"
    source = EditableSource(content)
    wanted = do(source, document, kind, trail, new)
    after = source.content()
    assert exactly(reading(after, folder)) == exactly(wanted)
    assert content.startswith(BYTE_ORDER_MARK) == after.startswith(BYTE_ORDER_MARK)
    before = content.removeprefix(BYTE_ORDER_MARK).splitlines(keepends=True)
    lines = after.removeprefix(BYTE_ORDER_MARK).splitlines(keepends=True)
    most = count_concerned(text, root, kind, trail)
    kept = count_unchanged(before, lines)
    assert kept >= len(before) - most, f"{kind} {trail}\n{text}\n-----\n{after.decode()}"


@pytest.mark.parametrize("seed", seeds(8))
def test_lines_that_an_edit_does_not_concern_are_unchanged(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    text = Writer(random).text(value(random))
    for content in variants(text):
        if content.endswith(b"\n"):
            document = reading(content, tmp_path)
            for kind, trail in single_edits(document):
                if document.keys() != {trail[0]} or kind != "remove":
                    check_edit(content, document, kind, trail, tmp_path)


@cases("path", SCHEMAS, ids=lambda path: path.name)
def test_real_sources_keep_everything_that_no_edit_concerns(path: Path, tmp_path: Path) -> None:
    content = path.read_bytes()
    document = reading(content, tmp_path)
    edits = list(single_edits(document))
    for kind, trail in Random(7).sample(edits, min(scale(40), len(edits))):
        check_edit(content, document, kind, trail, tmp_path)
