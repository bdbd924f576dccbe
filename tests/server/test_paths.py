"""Which operations a request may mean by its method and path, however servers read the path."""

from __future__ import annotations

import itertools
import posixpath
import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import unquote

import pytest
from support.generated_server import generate_payments
from support.seeds import seeds
from support.tables import cases

SEGMENTS = ["a", "b", "{x}", "v{x}", "{x}.json", "{x}-{y}", "a.b", "a%62", "{x}:v", "A"]
SLASH = "\udc2f"
TEXTS = ["a", "b", "v1", "c.json", "c-d", "a.b", "axb", "", "v", SLASH, "é\n", "ab", "c:v"]
# characters that servers read in more than one way, inserted into a path
ODD = ["/", "/./", "/x/../", "/..", ";v=1", ";", "\\", SLASH, ".json", "/;a/", "..", ".", "\n"]
METHODS = ["GET", "HEAD", "POST"]

Row = tuple[str, str]


@pytest.fixture(scope="module")
def paths() -> Any:
    return generate_payments().module("server.paths")


def draw_rows(
    lots: random.Random, segments: list[str] = SEGMENTS, ends: Sequence[str] = ("",)
) -> list[Row]:
    """Return methods and templates; no two paths differ only in the names of parameters."""
    counts = [1] * 6 + [2] * 25 + [3] * 10
    templates = {
        "/" + "/".join(lots.choices(segments, k=count)) + lots.choice(ends) for count in counts
    }
    rows = sorted((lots.choice(METHODS), path) for path in sorted(templates))
    lots.shuffle(rows)
    return rows


@pytest.mark.parametrize("seed", seeds(5))
def test_all_matches_are_found_most_concrete_first(paths: Any, seed: int) -> None:
    lots = random.Random(seed)
    rows = draw_rows(lots)
    found = paths.Paths([(*row, row) for row in rows], list)
    ordered = sorted(rows, key=lambda row: paths.concrete_first(*row))
    texts = [each for count in (1, 2, 3) for each in itertools.product(TEXTS, repeat=count)]
    asked = ["/" + "/".join(each) for each in lots.sample(texts, 100)]
    asked += [re.sub(r"{.}", lambda _: lots.choice(TEXTS), each) for _, each in rows] * 2
    numbers = set()
    for method, path in itertools.product([*METHODS, "PUT"], asked):
        expected = tuple(
            (meant, template)
            for meant, template in ordered
            if method in paths.methods_of(meant)
            and paths.PathTemplate(template).match(path) is not None
        )
        readings = found.find(method, path) or [()]
        # the literal match of a path comes first
        assert not expected or readings[0] == expected
        numbers.add(len(expected))
    assert numbers >= {0, 1, 2}


# Models of servers, each with its own reading of paths, independent of the tested code


def strip_parameters(path: str) -> str:
    return "/".join(segment.partition(";")[0] for segment in path.split("/"))


def clean(path: str) -> str:
    """Return *path* as normalized by servers that merge slashes and remove dot segments at once."""
    made = posixpath.normpath(path)
    made = made.removeprefix("/") if made.startswith("//") else made
    return f"{made}/" if path.endswith(("/", "/.", "/..")) and made != "/" else made


def merge(path: str) -> str:
    while "//" in path:
        path = path.replace("//", "/")
    return path


READINGS: list[Callable[[str], str]] = [
    lambda path: path.removesuffix("\n"),
    lambda path: path.replace(SLASH, "/"),
    lambda path: path.replace("\\", "/"),
    strip_parameters,
    merge,
    clean,
    lambda path: path.removesuffix(".json"),
    # servers that do this also ignore a slash at the end of their routes
    lambda path: path.rstrip("/") or "/",
]


def servers() -> Iterator[tuple[Callable[[str], str], int, bool]]:
    """Yield each server's reading of a path, and whether it ignores case and a trailing slash."""
    for chosen in itertools.product([False, True], repeat=len(READINGS)):
        steps = [step for step, is_done in zip(READINGS, chosen, strict=True) if is_done]

        def read(path: str, steps: list[Callable[[str], str]] = steps) -> str:
            for step in steps:
                path = step(path)
            return path

        yield read, 0, chosen[-1]
        yield read, re.IGNORECASE, chosen[-1]


def pick(ordered: list[Row], method: str, path: str, flags: int, no_slash: bool) -> Row | None:
    """Return the operation that a server selects for *path*: its most concrete route."""
    for meant, template in ordered:
        pieces = re.split(r"\{.\}", unquote(template.rstrip("/") if no_slash else template))
        pattern = "[^/]+".join(map(re.escape, pieces))
        is_method = method == meant or (method, meant) == ("HEAD", "GET")
        if is_method and re.fullmatch(pattern, path, flags):
            return meant, template
    return None


def reduce(template: str, flags: int, no_slash: bool) -> str:
    """Return *template* without the differences that a server ignores."""
    shape = re.sub("{.}", "{}", template.rstrip("/") if no_slash else template)
    return shape.lower() if flags else shape


def spell(lots: random.Random, path: str) -> str:
    """Return a variation of *path* that servers may read as the same path or as another."""
    for _ in range(lots.choice([1, 1, 2, 3])):
        at = lots.choice([*(at for at, each in enumerate(path) if each == "/"), len(path)])
        path = path[:at] + lots.choice(ODD) + path[at:]
    if lots.random() < 0.3:
        path = "".join(lots.choice([each, each.upper(), each.lower()]) for each in path)
    return path if path.startswith("/") else f"/{path}"


@pytest.mark.parametrize("seed", seeds(3))
def test_operation_that_any_server_selects_is_found(paths: Any, seed: int) -> None:
    lots = random.Random(seed)
    rows = draw_rows(lots, ends=["", "", "/"])
    found = paths.Paths([(*row, row) for row in rows], list)
    ordered = sorted(rows, key=lambda row: paths.concrete_first(*row))
    every = [*servers()]
    counts = [0, 0]
    for _ in range(120):
        method, template = lots.choice(rows)
        plain = re.sub(r"{.}", lambda _: lots.choice(["a", "b", "c1", "A"]), unquote(template))
        # servers with a route for the suffix are not expected to strip it
        is_plain = lots.random() < 0.2 and not plain.rstrip("/").endswith(".json")
        path = plain if is_plain else spell(lots, plain)
        readings = found.find(method, path) or []
        heads = {each[0] for each in readings}
        # a suffix that the definitions declare is part of the path, and no server strips it
        declared = pick(ordered, method, path, 0, False)
        is_declared = declared is not None and declared[1].rstrip("/").endswith(".json")
        for read, flags, no_slash in lots.sample(every, 25):
            taken = pick(ordered, method, read(path), flags, no_slash)
            if taken is None or (is_declared and not read(path).rstrip("/").endswith(".json")):
                continue
            counts[read(path) != path] += 1
            # a server has one of two routes that only differ in what it ignores
            alike = {reduce(each[1], flags, no_slash) for each in heads}
            is_alike = (flags or no_slash) and reduce(taken[1], flags, no_slash) in alike
            assert taken in heads or is_alike, (path, read(path), taken, readings)
    assert min(counts) > 60, counts


@pytest.mark.parametrize("seed", seeds(4))
def test_ordinary_path_has_one_reading(paths: Any, seed: int) -> None:
    lots = random.Random(seed)
    rows = draw_rows(lots, [each for each in SEGMENTS if each != "A"], ["", "/"])
    found = paths.Paths([(*row, row) for row in rows], list)
    for _ in range(300):
        method, template = lots.choice(rows)
        path = re.sub(r"{.}", lambda _: f"z{lots.randrange(99)}", unquote(template))
        assert len(found.find(method, path)) == 1


@cases(
    ("path", "expected"),
    [
        ("/things/me", [["me", "one"]]),
        ("/things/x", [["one"]]),
        ("/Things/x", [["One"]]),
        # literally it is a name; servers that ignore case or strip suffixes read another one
        ("/things/ME", [["one"], ["me", "one"]]),
        ("/things/me.json", [["one"], ["me", "one"]]),
        ("/THINGS/x", [["one"], ["One"]]),
        ("/things/x/", [["one"]]),
        ("/things/a;b", [["one"]]),
        (f"/things/a{SLASH}b", [["one"], ["two"]]),
        ("/things/a\\b", [["one"], ["two"]]),
        ("/things/a/../b", [["one"]]),
        ("/things/..", [["one"], ["root"]]),
        ("//things", [["all"]]),
        ("/things.json", [["all"]]),
        *((f"/things{end}", [["all"]]) for end in ("\n", "\r\n", "\0", "\u2028")),
        ("/things/\n", [["one"], ["all"]]),
        ("/things/me\n", [["one"], ["me", "one"]]),
        ("/things/a\nb", [["one"]]),
        ("/things\n/a", None),
        ("/" + "a/" * 300, []),
        ("/nothing", None),
        ("/things/x/y/z", None),
    ],
)
def test_readings_of_a_path(paths: Any, path: str, expected: Any) -> None:
    rows = {
        "all": "/things",
        "me": "/things/me",
        "one": "/things/{x}",
        "One": "/Things/{y}",
        "two": "/things/{x}/{y}",
        "root": "/",
    }
    found = paths.Paths([("GET", path, name) for name, path in rows.items()], list)
    assert found.find("GET", path) == (expected and [*map(tuple, expected)])


@cases(
    ("path", "expected"),
    [
        # servers that ignore a trailing slash read one of the others
        ("/things/me", [["one"], ["me"]]),
        ("/things/ME", [["one"], ["me"]]),
        ("/things/me.json", [["one"], ["me"]]),
        ("/things/me/", [["me"]]),
        ("/things/x", [["one"]]),
        ("/things/x/", [["one"]]),
        ("/users/me/", [["user"], ["own"]]),
        ("/users/me.json/", [["user"], ["own"]]),
        ("/users/me", [["own"]]),
        ("/users/x/", [["user"]]),
        ("/users/x.json/", [["user"]]),
        ("/pets/me/", [["me pet", "pet"]]),
        ("/pets/me.json/", [["pet"], ["me pet", "pet"]]),
        ("/both/x", [["both"]]),
        ("/both/x/", [["both/"]]),
        ("/x", [["name"]]),
        ("/x/a/", [["part"]]),
    ],
)
def test_readings_of_a_path_with_similar_paths_that_end_in_a_slash(
    paths: Any, path: str, expected: Any
) -> None:
    rows = {
        "one": "/things/{x}",
        "me": "/things/me/",
        "user": "/users/{x}/",
        "own": "/users/me",
        "pet": "/pets/{x}/",
        "me pet": "/pets/me/",
        "both": "/both/{x}",
        "both/": "/both/{x}/",
        "name": "/{x}",
        "part": "/x/{y}/",
    }
    found = paths.Paths([("GET", path, name) for name, path in rows.items()], list)
    assert found.find("GET", path) == [*map(tuple, expected)]


def test_both_of_two_methods_are_considered(paths: Any) -> None:
    rows = [("POST", "/things", "create"), ("PATCH", "/things", "change"), ("GET", "/a", "get")]
    found = paths.Paths(rows, list)
    assert found.find("POST patch", "/things") == [("create",), ("change",)]
    assert found.find("PUT PATCH", "/things") == [("change",)]
    assert found.find("get", "/a") == [("get",)]
    assert found.find("PUT", "/things") is None
