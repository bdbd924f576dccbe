"""Names: functions are a verb and what they return, and a class name stands for one thing."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Final

from support.source_trees import parse_file, walk_statements
from support.tables import cases

SOURCE = Path(__file__).parents[2] / "src"

PARTICIPLES: Final = """
added aligned allowed anchored annotated announced answered applied asked assembled authored
backdated beaten begun brought built called carried changed checked chosen claimed closed
collected committed compared completed concerned continued converted copied counted dated
declared decoded demanded dereferenced described disputed documented done drawn dropped echoed
edited encoded ended enumerated escaped expected explained failed filled filtered fitted fixed
flattened folded followed forbidden found frozen gated given gone grouped grown guarded happened
heard held hidden hyphened imported inherited inlined inserted issued joined judged kept keyed
known lacking laid led left lifted limited listed loaded located loosened made mapped marked
matched meant mended merged met minted misplaced misshapen modernized moved named narrowed
needed noted offered omitted opened ordered owned painted parsed parted placed planned pointed
preferred projected proven pruned published quantified quoted reached received recorded
recovered referenced referred refined refused rejected remembered removed renamed rendered
repaired replaced required reserved resolved restated restored retagged rewritten rooted said
sampled searched seen selected sent served settled shaped shared shown shuffled sorted spelled
spoken staged stated stored stripped tagged taken told touched traced tried turned typed
unchanged uncommitted undeclared undone unhidden unindexed unordered unpainted unpublished
unquoted unrecorded unseen unserved unset unsupported untold untouched unwrapped used waived
wanted watched widened wished withheld without worded wrapped written
"""


FILES: Final = [
    path
    for folder in (SOURCE, SOURCE.parent / "templates")
    for path in folder.rglob("*.py")
    if "generated" not in path.parts
]


@cache
def list_statements(path: Path) -> list[ast.stmt]:
    return list(walk_statements(parse_file(path)))


def functions() -> set[str]:
    """Return the names of all functions, without the underscore of private ones.

    A name of a property is that of a value, and may be any; a decorator is named for what it
    makes of a function.
    """
    nodes = [
        node
        for path in FILES
        for node in list_statements(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    decorators = {
        each.id for node in nodes for each in node.decorator_list if isinstance(each, ast.Name)
    }
    return {
        node.name.lstrip("_")
        for node in nodes
        if not any("property" in ast.unparse(each) for each in node.decorator_list)
    } - decorators


def classes() -> Counter[str]:
    """Return how many classes of the package `dateline` have each name."""
    return Counter(
        node.name.lstrip("_")
        for path in FILES
        if path.is_relative_to(SOURCE / "dateline")
        for node in list_statements(path)
        if isinstance(node, ast.ClassDef)
    )


def test_new_function_names_are_not_bare_participles() -> None:
    new = functions() & {*PARTICIPLES.split()}
    assert sorted(new) == [], "name it with a verb and what it returns"


def test_new_class_names_are_unique() -> None:
    twice = {name for name, count in classes().items() if count > 1}
    assert sorted(twice) == [], "a class name stands for one thing"


# Words of a house dialect. A docstring returns, yields, finds or does something.
DIALECT: Final = re.compile(
    r"^Tells? |\b(untold|in its clothes|looked up once|told of|ha(s|ve) a say|lets? (\w+ )?through"
    r"|comes? and goe?s?|is asked of|speaks? of|lets? go)\b"
)


@cases("path", FILES, ids=lambda path: str(path.relative_to(SOURCE.parent)))
def test_docstrings_use_the_words_of_the_field(path: Path) -> None:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module
    found = [
        docstring
        for node in (parse_file(path), *list_statements(path))
        if isinstance(node, kinds) and (docstring := ast.get_docstring(node))
    ]
    assert [each for each in found if DIALECT.search(each)] == []
