"""Which operations a request means by its method and path."""

from __future__ import annotations

import itertools
import random
import re
from typing import Any

import pytest
from support.generated_server import generate_payments

SEGMENTS = ["a", "b", "{x}", "v{x}", "{x}.json", "{x}-{y}", "a.b", "a%62", "{x}:v"]
TEXTS = ["a", "b", "v1", "c.json", "c-d", "a.b", "axb", "", "v", "\udc2f", "é\n", "ab", "c:v"]


@pytest.fixture(scope="module")
def paths() -> Any:
    return generate_payments().module("server.paths")


@pytest.mark.parametrize("seed", range(5))
def test_all_that_match_are_found_and_the_most_concrete_first(paths: Any, seed: int) -> None:
    lots = random.Random(seed)
    counts = [1] * 6 + [2] * 25 + [3] * 10
    templates = {"/" + "/".join(lots.choices(SEGMENTS, k=count)) for count in counts}
    rows = sorted((lots.choice(["GET", "HEAD", "POST"]), path) for path in templates)
    lots.shuffle(rows)
    found = paths.Paths([(*row, row) for row in rows], list)
    ordered = sorted(rows, key=lambda row: paths.concrete_first(*row))
    texts = [each for count in (1, 2, 3) for each in itertools.product(TEXTS, repeat=count)]
    asked = ["/" + "/".join(each) for each in lots.sample(texts, 100)]
    asked += [re.sub(r"{.}", lambda _: lots.choice(TEXTS), each) for each in templates] * 2
    numbers = set()
    for method, path in itertools.product(["GET", "HEAD", "POST", "PUT"], asked):
        expected = [
            (meant, template)
            for meant, template in ordered
            if method in paths.methods_of(meant)
            and paths.PathTemplate(template).match(path) is not None
        ]
        assert (found.find(method, path) or []) == expected
        numbers.add(len(expected))
    assert numbers >= {0, 1, 2}
