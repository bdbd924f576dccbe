"""The types of parameters, bodies and results, as expressions of Python source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from dateline.python.code import Brackets, Node, either
from dateline.python.names import class_name, pascal
from dateline.python.types import Canonical, Inline, Typed, qualify_names, simplify_type
from dateline.server.canonical import Forms
from dateline.server.operations import Content, Operation, Parameter

_NOTHING: Final = "None"


class Types:
    """The types of all operations: first those wanted and, once they exist, their expressions.

    The table has them as they are validated, signatures as people write them.
    """

    def __init__(self, forms: Forms, operations: Iterable[Operation]) -> None:
        self._forms = forms
        self._wanted: dict[tuple[str, str], Inline] = {}
        for operation in operations:
            for inline in self._inlines(operation):
                self._wanted[inline.holder, inline.part] = inline
        self._made: dict[tuple[str, str], Typed] = {}

    @property
    def canonical(self) -> Canonical:
        """The canonical contract, with the schemas for which a type is wanted."""
        return Canonical(
            contract=self._forms.contract,
            strict=self._forms.strict,
            inlines=tuple(self._wanted.values()),
        )

    def take(self, types: Iterable[Typed]) -> None:
        """Take the types that were made for those wanted."""
        self._made = dict(zip(self._wanted, types, strict=True))

    def parameter(self, operation: Operation, parameter: Parameter) -> Node:
        """Return the type of *parameter* in handlers if a request has it."""
        return _simplify(self._find_type(self._of_parameter(operation, parameter)).type.whole)

    def default(self, operation: Operation, parameter: Parameter) -> Node | None:
        """Return what a handler is given for *parameter* where it is not there.

        None where it is always there, or where its default can't be written.
        """
        if parameter.required:
            return None
        found = self._find_type(self._of_parameter(operation, parameter))
        return _NOTHING if found.default is None else _read(found.default)

    def read_body(self, operation: Operation, body: Content) -> Node:
        """Return what the body of a request is read as."""
        return _read(self._of(self._of_body(operation, body), body))

    def body(self, operation: Operation, body: Content) -> Node:
        """Return what a handler is given for the body of a request where it is there."""
        return _simplify(self._of(self._of_body(operation, body), body))

    def read_response(self, operation: Operation, status: str, response: Content) -> Node:
        """Return what the body of a response has to fit."""
        return _read(self._of(self._of_response(operation, status, response), response))

    def result(self, operation: Operation) -> Node:
        """Return what a handler gives where all went well."""
        values: list[Node] = []
        others: list[Node] = []
        for status, each in operation.successes.items() or {"": None}.items():
            if each is None:
                others += [Brackets("Reply", (_NOTHING,)), _NOTHING]
                continue
            made = _simplify(self._of(self._of_response(operation, status, each), each))
            if each.is_json:
                values.append(made)
            else:
                others += [made, Brackets("Reply", (made,))]
        found = [Brackets("Result", (either(values),))] if values else []
        return either([*found, *others])

    def _find_type(self, inline: Inline) -> Typed:
        return self._made[inline.holder, inline.part]

    def _of(self, inline: Inline, content: Content) -> Node:
        return self._find_type(inline).type.whole if content.is_json else "bytes"

    def _inlines(self, operation: Operation) -> Iterator[Inline]:
        for parameter in operation.parameters:
            yield self._of_parameter(operation, parameter)
        if operation.body is not None and operation.body.is_json:
            yield self._of_body(operation, operation.body)
        for status, response in operation.responses.items():
            if response is not None and response.is_json:
                yield self._of_response(operation, status, response)

    def _of_parameter(self, operation: Operation, parameter: Parameter) -> Inline:
        return self._inline(
            ("components.parameters", parameter.component, "Parameter"),
            (operation, f"parameter {parameter.name}", pascal(parameter.keyword)),
            self._forms.read_sent(parameter.schema),
            sent=True,
        )

    def _of_body(self, operation: Operation, body: Content) -> Inline:
        return self._inline(
            ("components.requestBodies", body.component, "Body"),
            (operation, "request", "Body"),
            self._forms.read_sent(body.schema),
            sent=True,
        )

    def _of_response(self, operation: Operation, status: str, response: Content) -> Inline:
        usual = status == next(iter(operation.successes), None)
        return self._inline(
            ("components.responses", response.component, "Response"),
            (operation, status, "Response" if usual else f"Response{pascal(status)}"),
            self._forms.read_received(response.schema),
            sent=False,
        )

    @staticmethod
    def _inline(
        shared: tuple[str, str | None, str],
        own: tuple[Operation, str, str],
        schema: object,
        *,
        sent: bool,
    ) -> Inline:
        section, component, part = shared
        operation, place, own_part = own
        if component is None:
            return Inline(
                holder=f"{operation.id}, {place}",
                called=operation.called,
                part=own_part,
                schema=schema,
                sent=sent,
            )
        called = class_name(component)
        return Inline(
            holder=f"{section}.{component}",
            called=called,
            part="" if called.endswith(part) else part,
            schema=schema,
            sent=sent,
        )


def _read(node: Node) -> Node:
    """Return *node* as it is written beside the module of models."""
    return qualify_names(node, lambda name: f"models.{name}")


def _simplify(node: Node) -> Node:
    """Return *node* as people write it, beside the module of models."""
    return _read(simplify_type(node))
