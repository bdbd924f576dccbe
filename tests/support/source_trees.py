"""The syntax trees of Python files, and the statements in them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path


@cache
def parse_file(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())


def walk_statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield every statement in *node* without visiting expressions, of which there are many."""
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        for below in getattr(node, name, ()):
            if isinstance(below, ast.stmt):
                yield below
            yield from walk_statements(below)


def list_imports(tree: ast.AST) -> list[str]:
    """Return the names of all imports anywhere in *tree*: `package.module.name`."""
    found: list[str] = []
    for node in walk_statements(tree):
        if isinstance(node, ast.Import):
            found += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = "." * node.level + (node.module or "")
            found += (f"{start}.{alias.name}" for alias in node.names)
    return found


@cache
def list_imports_of(path: Path) -> list[str]:
    return list_imports(parse_file(path))
