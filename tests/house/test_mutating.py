"""The faults that the bench puts into a module, and the tests that it runs for each."""

from __future__ import annotations

import ast

import yaml
from benchmarks.mutants import EQUIVALENTS, TARGETS, Mutant, Recorded, select_tests
from benchmarks.mutating import mutations
from benchmarks.rows import REPOSITORY
from support.tables import cases

SOURCE = '''
"""A docstring."""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

__all__ = ["f"]
LIMIT: "int" = 3
NAMES = {"a": True}

@cache("never")
def f(x: "str") -> "int":
    """A docstring."""
    if x < 1 and not x:
        return 1
    x.y = f"{x} is"
    x += 1
    for each in x:
        if each in NAMES:
            continue
        yield each
    raise ValueError("no")
'''

EXPECTED = [
    ("boundary", "3", "4"),
    ("constant", "'a'", "'a?'"),
    ("constant", "True", "False"),
    ("boolean", "x < 1 and (not x)", "x < 1 or not x"),
    ("comparison", "x < 1", "x >= 1"),
    ("boundary", "x < 1", "x <= 1"),
    ("boundary", "1", "2"),
    ("boolean", "if x < 1 and (not x): return 1", "if x < 1 and x: return 1"),
    ("removed statement", "return 1", "pass"),
    ("boundary", "1", "2"),
    ("removed statement", "x.y = f'{x} is'", "pass"),
    ("constant", "' is'", "' is?'"),
    ("removed statement", "x += 1", "pass"),
    ("boundary", "1", "2"),
    ("comparison", "each in NAMES", "each not in NAMES"),
    ("removed statement", "continue", "pass"),
    ("removed statement", "yield each", "pass"),
    ("removed statement", "raise ValueError('no')", "pass"),
    ("constant", "'no'", "'no?'"),
]


def _describe_mutation(at: int) -> tuple[str, str, str]:
    """Return the kind of the mutation with index *at*, and the line of text before and after."""
    tree = ast.parse(SOURCE)
    kind, _, node, apply = mutations(tree)[at]
    before, was = ast.unparse(tree), ast.unparse(node)
    apply()
    if kind == "boolean" and was.startswith("not "):
        # the node is removed from its statement
        statement = ast.unparse(tree.body[-1]).splitlines()
        assert before != ast.unparse(tree)
        return (
            kind,
            "if x < 1 and (not x): return 1",
            " ".join(each.strip() for each in statement[3:5]),
        )
    return kind, was, "pass" if kind == "removed statement" else ast.unparse(node)


def test_every_kind_of_fault_is_found_in_the_order_of_the_text() -> None:
    count = len(mutations(ast.parse(SOURCE)))
    assert [_describe_mutation(at) for at in range(count)] == EXPECTED
    for at in range(count):
        tree = ast.parse(SOURCE)
        mutations(tree)[at].apply()
        assert ast.unparse(tree) != ast.unparse(ast.parse(SOURCE))
        compile(ast.fix_missing_locations(tree), "mutant", "exec")


NESTED = """
A = 1
class C:
    B = 2
    def g(self):
        def h(x):
            return 3
        return 4
"""


def test_fault_names_its_function() -> None:
    found = mutations(ast.parse(NESTED))
    assert [(each.function, ast.unparse(each.node)) for each in found] == [
        ("", "1"),
        ("", "2"),
        ("C.g.h", "return 3"),
        ("C.g.h", "3"),
        ("C.g", "return 4"),
        ("C.g", "4"),
    ]


def test_tests_of_a_mutant_run_its_line_and_start_with_the_fastest() -> None:
    tests = [
        Recorded("t::slow", 2.0, {"m.py": 0b1100}),
        Recorded("t::fast", 0.1, {"m.py": 0b0100}),
        Recorded("t::elsewhere", 0.1, {"m.py": 0b0001}),
        Recorded("t::other", 0.1, {"n.py": 0b1111}),
        Recorded("t::endless", 1e6, {"m.py": 0b1100}),
    ]

    def chosen(line: int, last: int, function: str = "f") -> list[str]:
        mutant = Mutant("m.py", function, line, last, "constant", 0, "a -> b")
        return [test.id for test in select_tests(mutant, tests)]

    assert chosen(2, 2) == ["t::fast", "t::slow"]
    assert chosen(3, 3) == ["t::slow"]
    assert chosen(2, 3) == ["t::fast", "t::slow"]
    assert chosen(9, 9) == []
    # whichever test imports a module first runs the code outside of functions
    assert chosen(2, 2, function="") == ["t::elsewhere", "t::fast", "t::slow"]


@cases("pattern", TARGETS)
def test_every_target_names_files(pattern: str) -> None:
    assert list(REPOSITORY.glob(pattern)) != []


def test_equivalent_mutants_are_in_existing_files() -> None:
    entries = yaml.safe_load(EQUIVALENTS.read_text("utf-8"))
    files = {entry["mutant"].split(":")[0] for entry in entries}
    assert sorted(file for file in files if not (REPOSITORY / file).is_file()) == []
