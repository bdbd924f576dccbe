"""The types of parameters, bodies and results, as expressions of Python source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from dateline.python.code import Brackets, Node, either
from dateline.python.names import pascal
from dateline.python.types import (
    Canonical,
    Inline,
    Typed,
    place_inline,
    qualify_names,
    simplify_type,
)
from dateline.server.canonical import Forms
from dateline.server.contents import Content
from dateline.server.operations import Operation, Parameter

_NOTHING: Final = "None"


class Types:
    """The types of all operations: first the requested ones, later their expressions.

    The table uses them as they are validated, signatures as people write them.
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
        """The canonical contract, with the schemas for which a type is requested."""
        return Canonical(
            contract=self._forms.contract,
            strict=self._forms.strict,
            inlines=tuple(self._wanted.values()),
        )

    def take(self, types: Iterable[Typed]) -> None:
        """Set the types that were generated for the requested ones."""
        self._made = dict(zip(self._wanted, types, strict=True))

    def parameter(self, operation: Operation, parameter: Parameter) -> Node:
        """Return the type of *parameter* in handlers if a request has it."""
        return _simplify(self._find_type(self._of_parameter(operation, parameter)).type.whole)

    def default(self, operation: Operation, parameter: Parameter) -> Node | None:
        """Return the value that a handler gets for a missing *parameter*.

        None if it is never missing, or if its default can't be written.
        """
        if parameter.required:
            return None
        found = self._find_type(self._of_parameter(operation, parameter))
        return _NOTHING if found.default is None else _read(found.default)

    def read_body(self, operation: Operation, body: Content) -> Node:
        """Return the type that the body of a request is read as."""
        return "Upload" if body.is_file else _read(self._of(self._of_body(operation, body), body))

    def body(self, operation: Operation, body: Content) -> Node:
        """Return the type of a request body in handlers, if there is one, in any media type."""
        return either([self._body(operation, each) for each in body])

    def _body(self, operation: Operation, body: Content) -> Node:
        if body.is_file:
            return "Upload"
        type_ = _simplify(self._of(self._of_body(operation, body), body))
        return Brackets("AsyncIterator", (type_,)) if body.is_sequence else type_

    def read_response(self, operation: Operation, status: str, response: Content) -> Node:
        """Return the type for which the body of a response must be valid."""
        return _read(self._of(self._of_response(operation, status, response), response))

    def result(self, operation: Operation) -> Node:
        """Return the type that a handler returns on success."""
        values: list[Node] = []
        others: list[Node] = []
        for status, each in operation.successes.items() or {"": None}.items():
            if each is None:
                others += [Brackets("Reply", (_NOTHING,)), _NOTHING]
                continue
            values += [self._response(operation, status, one) for one in each if one.is_json]
            for other in each:
                if not other.is_json:
                    type_ = self._pieces(operation, status, other)
                    others += [type_, Brackets("Reply", (type_,))]
        found = [Brackets("Result", (either(values),))] if values else []
        return either([*found, *others])

    def _pieces(self, operation: Operation, status: str, content: Content) -> Node:
        """Return the types for the body of a response that is not a JSON value."""
        if not content.is_sequence:
            return "Bytes"
        return Brackets("Items", (self._response(operation, status, content),))

    def _response(self, operation: Operation, status: str, content: Content) -> Node:
        return _simplify(self._of(self._of_response(operation, status, content), content))

    def _find_type(self, inline: Inline) -> Typed:
        return self._made[inline.holder, inline.part]

    def _of(self, inline: Inline, content: Content) -> Node:
        return self._find_type(inline).type.whole if content.is_typed else "bytes"

    def _inlines(self, operation: Operation) -> Iterator[Inline]:
        for parameter in operation.parameters:
            yield self._of_parameter(operation, parameter)
        for body in operation.body or ():
            if body.is_typed:
                yield self._of_body(operation, body)
        for status, responses in operation.responses.items():
            for response in responses or ():
                if response.is_typed:
                    yield self._of_response(operation, status, response)

    def _of_parameter(self, operation: Operation, parameter: Parameter) -> Inline:
        return place_inline(
            ("components.parameters", parameter.component, "Parameter"),
            (
                f"{operation.id}, parameter {parameter.name}",
                operation.called,
                pascal(parameter.keyword),
            ),
            self._forms.read_sent(parameter.schema),
            sent=True,
        )

    def _of_body(self, operation: Operation, body: Content) -> Inline:
        part = ("Item" if body.is_sequence else "Body") + body.suffix
        return place_inline(
            ("components.requestBodies", body.component, part),
            (f"{operation.id}, request{_separate(body)}", operation.called, part),
            self._forms.read_sent(body.schema),
            sent=True,
        )

    def _of_response(self, operation: Operation, status: str, response: Content) -> Inline:
        usual = status == next(iter(operation.successes), None)
        part, place = ("Item", f"{status} item") if response.is_sequence else ("Response", status)
        part, place = part + response.suffix, place + _separate(response)
        return place_inline(
            ("components.responses", response.component, part),
            (
                f"{operation.id}, {place}",
                operation.called,
                part if usual else f"{part}{pascal(status)}",
            ),
            self._forms.read_received(response.schema),
            sent=False,
        )


def _separate(content: Content) -> str:
    return f" {content.suffix}" if content.suffix else ""


def _read(node: Node) -> Node:
    """Return *node* as it is written in other modules."""
    return qualify_names(node, lambda name: f"models.{name}")


def _simplify(node: Node) -> Node:
    """Return *node* as people write it in other modules."""
    return _read(simplify_type(node))
