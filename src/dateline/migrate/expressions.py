"""Read names and texts in expressions of a file."""

from __future__ import annotations

import ast

import libcst as cst


def name_dotted(node: cst.CSTNode) -> str:
    """Return the dotted name that *node* is; empty if it is none."""
    if isinstance(node, cst.Attribute):
        return f"{name_dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""


def read_text(node: cst.SimpleString) -> str | None:
    """Return the text of a literal; None for bytes, and where it can't be read."""
    try:
        read = ast.literal_eval(node.value)
    except (SyntaxError, ValueError):
        return None
    return read if isinstance(read, str) else None


def list_objects(node: cst.BaseExpression) -> list[cst.Dict]:
    """Return the literals of objects that *node* is, or that are in it as a list."""
    if isinstance(node, cst.List):
        return [found for each in node.elements for found in list_objects(each.value)]
    return [node] if isinstance(node, cst.Dict) else []


def list_names(text: str) -> set[str]:
    """Return the names in *text*, if it is an expression."""
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return set()
    nodes = ast.walk(tree)
    return {
        node.id if isinstance(node, ast.Name) else node.attr
        for node in nodes
        if isinstance(node, ast.Name | ast.Attribute)
    }
