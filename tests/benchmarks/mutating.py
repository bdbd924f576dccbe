"""Mutants of a module: single faults that a test should notice, applied to its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

KINDS: Final = ("comparison", "boolean", "boundary", "constant", "removed statement")

_OPPOSITE: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_NEIGHBOUR: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
# code that no program runs, or that only matters to readers and type checkers
_SKIPPED: Final = frozenset({"annotation", "returns", "decorator_list", "type_params", "bases"})


class Mutation(NamedTuple):
    """A fault: its kind, its function and node, and a function that applies it.

    *function* is a qualified name, empty for code that runs on import.
    """

    kind: str
    function: str
    node: ast.stmt | ast.expr
    apply: Callable[[], None]


def mutations(tree: ast.Module) -> list[Mutation]:
    """Return every mutation of *tree*, in the order of the text."""
    return list(_in_body(tree.body, "", ""))


def _in_body(body: list[ast.stmt], function: str, scope: str) -> Iterator[Mutation]:
    for index, statement in enumerate(body):
        if isinstance(statement, ast.Import | ast.ImportFrom) or _is_for_readers(statement):
            continue
        if function and _is_removable(statement):
            yield Mutation(
                "removed statement", function, statement, _replacing(body, index, ast.Pass())
            )
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield from _in_fields(statement, f"{scope}{name}", f"{scope}{name}.")
            case ast.ClassDef(name=name):
                yield from _in_fields(statement, function, f"{scope}{name}.")
            case _:
                yield from _in_fields(statement, function, scope)


def _is_for_readers(statement: ast.stmt) -> bool:
    """Return whether *statement* is a docstring, an `__all__` or imports for type checkers."""
    match statement:
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
    return False


def _is_removable(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break():
            return True
        case ast.Return(value=value):
            return value is not None
        case ast.Assign(targets=[target]):
            # without a name that is needed later, any test fails
            return not isinstance(target, ast.Name | ast.Tuple)
    return False


def _in_fields(node: ast.AST, function: str, scope: str) -> Iterator[Mutation]:
    for name, value in ast.iter_fields(node):
        if name in _SKIPPED:
            continue
        if isinstance(value, ast.expr):
            yield from _of_expression(value, _setting(node, name), function)
            yield from _in_fields(value, function, scope)
        elif isinstance(value, ast.AST):
            yield from _in_fields(value, function, scope)
        elif isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield from _in_body(value, function, scope)
        elif isinstance(value, list):
            for index, each in enumerate(value):
                if isinstance(each, ast.expr):
                    yield from _of_expression(each, _placing(value, index), function)
                if isinstance(each, ast.AST):
                    yield from _in_fields(each, function, scope)


def _of_expression(
    node: ast.expr, put: Callable[[ast.expr], None], function: str
) -> Iterator[Mutation]:
    match node:
        case ast.Compare(ops=ops):
            for index, operator in enumerate(ops):
                opposite = _OPPOSITE[type(operator)]()
                yield Mutation("comparison", function, node, _replacing(ops, index, opposite))
                if type(operator) in _NEIGHBOUR:
                    neighbour = _NEIGHBOUR[type(operator)]()
                    yield Mutation("boundary", function, node, _replacing(ops, index, neighbour))
        case ast.BoolOp(op=operator):
            other: ast.boolop = ast.Or() if isinstance(operator, ast.And) else ast.And()
            yield Mutation("boolean", function, node, lambda: setattr(node, "op", other))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield Mutation("boolean", function, node, lambda: put(operand))
        case ast.Constant(value=bool() as value):
            yield Mutation("constant", function, node, lambda: setattr(node, "value", not value))
        case ast.Constant(value=int() as number):
            yield Mutation("boundary", function, node, lambda: setattr(node, "value", number + 1))
        case ast.Constant(value=str() as text):
            yield Mutation("constant", function, node, lambda: setattr(node, "value", f"{text}?"))


def _replacing(items: list[Any], index: int, item: ast.AST) -> Callable[[], None]:
    return lambda: items.__setitem__(index, item)


def _placing(items: list[ast.expr], index: int) -> Callable[[ast.expr], None]:
    return lambda item: items.__setitem__(index, item)


def _setting(node: ast.AST, name: str) -> Callable[[ast.expr], None]:
    return lambda value: setattr(node, name, value)
