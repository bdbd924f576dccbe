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


def list_defined(node: cst.ClassDef) -> list[cst.Name]:
    """Return the names that the body of a class defines itself."""
    found: list[cst.BaseExpression] = []
    for statement in node.body.body:
        lines = statement.body if isinstance(statement, cst.SimpleStatementLine) else [statement]
        for line in lines:
            if isinstance(line, cst.AnnAssign):
                found.append(line.target)
            elif isinstance(line, cst.Assign):
                found += [each.target for each in line.targets]
            elif isinstance(line, cst.FunctionDef):
                found.append(line.name)
    return [each for each in found if isinstance(each, cst.Name)]


def list_functions(node: cst.ClassDef) -> list[cst.FunctionDef]:
    return [each for each in node.body.body if isinstance(each, cst.FunctionDef)]


def find_last(node: cst.CSTNode) -> cst.Name | None:
    """Return the last name in the dotted name *node*; None if it is none."""
    if isinstance(node, cst.Attribute):
        return node.attr
    return node if isinstance(node, cst.Name) else None


def is_literal(node: cst.BaseExpression) -> bool:
    """Return whether all names in *node* are written there: they are listed one by one."""
    if isinstance(node, cst.Dict):
        return all(
            isinstance(each, cst.DictElement) and isinstance(each.key, cst.SimpleString)
            for each in node.elements
        )
    if not isinstance(node, cst.Call) or name_dotted(node.func) != "dict":
        return False
    return all(each.keyword is not None for each in node.args)
