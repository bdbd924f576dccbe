"""Anchors, aliases and merge keys have the meaning that other readers give them."""

from __future__ import annotations

from random import Random
from typing import Any

import yaml
from support.seeds import seeds
from support.tables import cases

from dateline.bundle import Readings, read_source
from dateline.model import Problem


class _Writer:
    """Writes a random text whose aliases all refer to complete nodes."""

    def __init__(self, seed: int) -> None:
        self._dice = Random(seed)
        self._anchors: dict[str, str] = {}

    def document(self) -> str:
        lines = [f"k{number}: {self.node(3)}" for number in range(6)]
        return "\n".join(lines) + "\n"

    def node(self, depth: int) -> str:
        dice = self._dice
        if self._anchors and dice.random() < 0.3:
            return "*" + dice.choice([*self._anchors])
        kind = dice.choice(("text", "map", "map", "list")) if depth else "text"
        text: str = getattr(self, kind)(depth - 1)
        if dice.random() < 0.5:
            return text
        # PyYAML refuses a duplicate anchor
        name = f"a{len(self._anchors)}"
        self._anchors[name] = kind
        return f"&{name} {text}"

    def text(self, _: int) -> str:
        return self._dice.choice(("x", "'y'", "!!str 5", "! z", '"w"'))

    def list(self, depth: int) -> str:
        return f"[{', '.join(self.node(depth) for _ in range(self._dice.randrange(4)))}]"

    def map(self, depth: int) -> str:
        # aliases within this mapping may follow its merge key
        maps = [f"*{name}" for name, kind in self._anchors.items() if kind == "map"]
        keys = self._dice.sample("pqrstu", self._dice.randrange(5))
        entries = [f"{key}: {self.node(depth)}" for key in keys]
        if maps and self._dice.random() < 0.5:
            some = self._dice.sample(maps, self._dice.randrange(1, len(maps) + 1))
            merged = some[0] if len(some) == 1 else f"[{', '.join(some)}]"
            entries.insert(self._dice.randrange(len(entries) + 1), f"<<: {merged}")
        return "{" + ", ".join(entries) + "}"


def read(text: str, readings: Readings | None = None) -> tuple[Any, list[str]]:
    problems: list[Problem] = []
    source = read_source(text.encode(), "a.yaml", problems, readings)
    return (source.root if source else None), list(map(str, problems))


@cases("seed", seeds(100))
def test_random_text_is_read_like_by_pyyaml(seed: int) -> None:
    text = _Writer(seed).document()
    expected = yaml.safe_load(text)
    for readings in (None, Readings()):
        assert read(text, readings) == (expected, [])


def test_alias_refers_to_the_last_node_with_its_anchor() -> None:
    assert read("a: &a 1\nb: &a { c: 2 }\nd: *a\n")[0] == {
        "a": 1,
        "b": {"c": 2},
        "d": {"c": 2},
    }


def test_aliases_are_copies_with_the_places_of_their_targets() -> None:
    problems: list[Problem] = []
    text = "a: &a\n  x: {}\nb: *a\nc:\n  <<: *a\n  y: 1\n"
    source = read_source(text.encode(), "a.yaml", problems, None)
    assert source is not None
    root = source.root
    assert root["a"] is not root["b"]
    assert root["a"]["x"] is not root["c"]["x"]
    assert str(source.locate(("b",))) == "a.yaml:3:1"
    assert str(source.locate(("b", "x"))) == "a.yaml:2:3"
    assert str(source.locate(("c", "x"))) == "a.yaml:2:3"
    assert str(source.locate(("c", "y"))) == "a.yaml:6:3"


def test_problem_in_an_aliased_node_is_reported_once() -> None:
    _, problems = read("a: &a { x: !Ref 1, y: 1, y: 2 }\nb: *a\nc: { <<: *a }\n")
    assert [problem.partition(": ")[0] for problem in problems] == ["a.yaml:1:12", "a.yaml:1:26"]
