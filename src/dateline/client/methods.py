"""Lay out the methods of clients: a description of each operation, and a method for each kind."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from dateline.client.known import ClientMethod, KnownMethods, WrittenMethod
from dateline.client.method_names import OtherNames, name_others
from dateline.client.paging import PagingForm, find_paging
from dateline.filters import Code
from dateline.openapi import essence, is_json
from dateline.python.called import Argument, Called, CalledBody, StreamedBody
from dateline.python.code import (
    Brackets,
    DefinitionName,
    Node,
    Pair,
    Text,
    call,
    either,
    lay_out,
    mapping,
    references,
    subscript,
    value,
    words,
)
from dateline.python.docstrings import describe_argument, describe_operation, docstring
from dateline.python.forms import FormPart
from dateline.python.types import (
    CalledTypes,
    Inline,
    allow_none,
    qualify_names,
    simplify_type,
)
from dateline.schema.parts import PartReader

_METHOD: Final = 4
_BODY: Final = 8
_ABSENT: Final = "t.Omittable"


class _Listing(NamedTuple):
    """How pages are requested, and the type of their items."""

    form: PagingForm
    node: Node
    item: Node


class MethodWriter:
    """Writes the methods of one version; *document* is its document, *types* those of callers.

    *known* has what was written for other versions. Equal operations are written once.
    """

    def __init__(
        self,
        version: str,
        document: dict[str, Any],
        types: CalledTypes,
        known: KnownMethods,
    ) -> None:
        self._reader = PartReader(document)
        self._inlines = types.inlines[version]
        self._homes = types.homes[version]
        self._members = types.members
        self._words: set[str] = set()
        self._modules: set[str] = set()
        self._known = known
        self.paged: list[str] = []

    def write_all(self, operations: Sequence[Called]) -> list[ClientMethod]:
        """Return the source of each of *operations*, which are all that the version has."""
        keys = [self._create_key(each) for each in operations]
        forms = {
            each.method_name: self._known.forms.find(*key, partial(find_paging, self._reader, each))
            for each, key in zip(operations, keys, strict=True)
        }
        paged = {name for name, form in forms.items() if form is not None}
        others = name_others(operations, paged)
        methods = []
        for each, (subject, homes) in zip(operations, keys, strict=True):
            other, form = others[each.method_name], forms[each.method_name]
            write = partial(self._write, each, other, form)
            method = self._known.methods.find(subject, (*other, *homes), write)
            if other.iterating in method.names:
                self.paged.append(f"{each.method} {each.path}")
            methods.append(method)
        return methods

    def _create_key(self, operation: Called) -> tuple[tuple[Any, ...], tuple[str, ...]]:
        """Return *operation* with the types of its parts, and the homes of what they refer to."""
        types = [self._inlines[each.key] for each in operation.inlines]
        names = (name for each in types for name in self._known.list_references(each))
        return (operation, *types), tuple(self._homes[name] for name in names)

    def _write(
        self, operation: Called, others: OtherNames, form: PagingForm | None
    ) -> ClientMethod:
        """Return the source of *operation*; *others* are its methods beside the one it names."""
        self._words, self._modules = {"AsynchronousClient", "Operation", "SyncClient"}, set()
        constant = _name_constant(operation.method_name)
        result = self._result(operation)
        pages = None if form is None else self._find_pages(operation, form)
        constants = [self._describe(constant, operation, result)]
        written: list[WrittenMethod] = []
        if operation.stream is None or not operation.stream.is_only:
            written.append(self._write_sending(constant, operation, result))
        if operation.stream is not None:
            name = others.opening or operation.method_name
            written.append(self._write_opening(constant, operation, operation.stream, name))
        if pages is not None:
            name = others.iterating
            constants.append(self._describe_pages(_name_constant(name), operation, pages))
            written.append(self._write_iterating(constant, operation, pages, name))
        return ClientMethod(
            names=tuple(each.name for each in written),
            constants=tuple(constants),
            methods=tuple(each.method for each in written),
            awaited=tuple(each.awaited for each in written),
            words=frozenset(self._words),
            modules=frozenset(self._modules),
        )

    # Methods.

    def _write_sending(self, constant: str, operation: Called, result: Node) -> WrittenMethod:
        """Return the method that sends a request and reads its response."""
        arguments = list(self._arguments(operation))
        sent = self._write_call(constant, operation)
        paragraphs = list(_describe_operation(operation))
        return _write_both(operation.method_name, arguments, (result, result), sent, paragraphs)

    def _write_opening(
        self, constant: str, operation: Called, stream: StreamedBody, name: str
    ) -> WrittenMethod:
        """Return the method *name* that opens a response, to be read while it arrives."""
        paragraphs = list(_describe_operation(operation))
        if not stream.is_only:
            refers = _refer_to(operation.method_name)
            paragraphs = ["Open the response, to be read while it arrives.", refers]
        item, decoder = self._choose_decoder(stream)
        opened = self._write_call(constant, operation, "self._open", decoder)
        arguments = list(self._arguments(operation))
        self._words |= {"AsyncStream", "Stream"}
        results = subscript("Stream", item), subscript("AsyncStream", item)
        return _write_both(name, arguments, results, opened, paragraphs)

    def _write_iterating(
        self, constant: str, operation: Called, pages: _Listing, name: str
    ) -> WrittenMethod:
        """Return the method *name* that iterates over the items of all pages."""
        self._words |= {"AsyncIterator", "Iterator", "Paging"}
        without = pages.form.backwards
        arguments = list(self._arguments(operation, without=without))
        values = tuple(
            "None" if each.keyword in without else each.keyword for each in operation.arguments
        )
        items = (constant, _name_constant(name), Brackets("", values, "()"))
        iterated = lay_out(call("self._iterate", *items), _BODY, _BODY + len("return "))
        paragraphs = [
            "Yield the items of all pages, which are requested as they are needed.",
            _refer_to(operation.method_name),
        ]
        results = subscript("Iterator", pages.item), subscript("AsyncIterator", pages.item)
        return _write_both(name, arguments, results, iterated, paragraphs, is_awaited=False)

    # Types.

    def _qualify(self, node: Node) -> Node:
        """Return *node* with the modules of its definitions."""
        return qualify_names(node, lambda name: f"{self._name_module(name)}.{name}")

    def _name_module(self, name: str) -> str:
        return self._homes[name].rpartition(".")[2]

    def _read(self, node: Node) -> Node:
        """Return *node* as above, and record what it uses."""
        type_ = self._qualify(node)
        self._modules |= {self._name_module(name) for name in references(node)}
        self._words |= {word.partition(".")[0] for word in words(type_)} - self._modules
        return type_

    def _find_type(self, inline: Inline) -> Node:
        return self._inlines[inline.key].type.whole

    def _spell(self, inline: Inline) -> Node:
        """Return the type of *inline* as people write it, and record what it uses."""
        return self._read(simplify_type(self._find_type(inline)))

    def _of_payload(self, payload: CalledBody | None) -> Node:
        """Return the type that a body is read with."""
        if payload is None:
            return "None"
        if payload.inline is None:
            is_text = payload.media_type.lower().startswith("text/")
            self._words |= {"Text"} if is_text else set()
            return "Text" if is_text else "bytes"
        return self._read(self._find_type(payload.inline))

    def _result(self, operation: Called) -> Node:
        """Return the result type of a call."""
        found = [self._of_result(each) for each in operation.results.values()]
        return either(found) if found else "None"

    def _of_result(self, payload: CalledBody | None) -> Node:
        if payload is None:
            return "None"
        if payload.inline is None:
            return "str" if payload.media_type.lower().startswith("text/") else "bytes"
        return self._spell(payload.inline)

    # Source.

    def _describe(self, constant: str, operation: Called, result: Node) -> Code:
        pairs = [
            Pair("name", Text(operation.method_name)),
            Pair("method", Text(operation.method)),
            Pair("path", Text(operation.address)),
        ]
        if operation.arguments:
            self._words.add("Parameter")
            parameters = tuple(map(_describe_parameter, operation.arguments))
            pairs.append(Pair("parameters", Brackets("", parameters, "()")))
        if operation.body is not None:
            pairs.append(Pair("body", Text(operation.body.media_type)))
            if self._may_be_null(operation.body):
                pairs.append(Pair("null_body", "True"))
            if operation.body.parts:
                pairs.append(Pair("form", self._describe_form(operation.body.parts)))
        accept = _accept(operation)
        if accept != "application/json":
            pairs.append(Pair("accept", Text(accept)))
        if operation.stream is not None:
            pairs.append(Pair("stream", Text(operation.stream.media_type)))
        for name, payloads in (("results", operation.results), ("errors", operation.errors)):
            if payloads:
                types = {status: self._of_payload(each) for status, each in payloads.items()}
                pairs.append(Pair(name, mapping(types)))
        if operation.security:
            pairs.append(Pair("security", value(operation.security)))
        if operation.idempotency:
            pairs.append(Pair("idempotency", Text(operation.idempotency)))
        if operation.echoes:
            pairs.append(Pair("echoes", "True"))
        if operation.ignores_version:
            pairs.append(Pair("ignores_version", "True"))
        if operation.servers:
            pairs.append(Pair("addresses", value(operation.servers)))
        head = lay_out(subscript("Operation", result), 0, len(f"{constant} = ("))
        code = lay_out(call(head, *pairs), 0, len(constant) + 3)
        return Code(f"{constant} = {code}")

    def _may_be_null(self, body: CalledBody) -> bool:
        """Return whether *body*, which has to be there, may be null."""
        if not body.required or body.inline is None or not is_json(body.media_type):
            return False
        return self._reader.dialect.admits_null(body.inline.schema)

    def _describe_form(self, form: Mapping[str, FormPart]) -> Node:
        described: dict[str, Node] = {}
        for name, each in form.items():
            if each.style is None:
                self._words.add("Part")
                described[name] = _describe_part(each)
                continue
            self._words.add("Parameter")
            style = each.style.get("style", "form")
            parts: list[Node] = [Text(name), Text("query"), Text(style)]
            if "explode" in each.style:
                parts.append(Pair("explode", repr(each.style["explode"] is True)))
            if each.style.get("allowReserved") is True:
                parts.append(Pair("allow_reserved", "True"))
            described[name] = call("Parameter", *parts)
        return mapping(described)

    def _describe_pages(self, constant: str, operation: Called, pages: _Listing) -> Code:
        form = pages.form
        at = operation.arguments.index(form.argument)
        pairs = [Pair("kind", Text(form.kind)), Pair("parameter", str(at))]
        page = pages.node
        path = "page" if form.items is None else f"page.{self._field(page, form.items)}"
        pairs.append(Pair("items", f"lambda page: {path}"))
        if form.kind == "cursor" and form.following is not None:
            pairs.append(
                Pair("following", f"lambda page: page.{self._field(page, form.following)}")
            )
        if form.kind == "last-item" and form.more is not None:
            field = self._field(pages.item, str(form.following))
            # an empty page has no last item
            found = f"[None, *({path} or [])][-1]"
            pairs.append(Pair("following", f'lambda page: getattr({found}, "{field}", None)'))
            pairs.append(Pair("more", f"lambda page: page.{self._field(page, form.more)}"))
        if form.first:
            pairs.append(Pair("first", str(form.first)))
        head = lay_out(subscript("Paging", page, pages.item), 0, len(f"{constant} = ("))
        return Code(f"{constant} = {lay_out(call(head, *pairs), 0, len(constant) + 3)}")

    def _choose_decoder(self, stream: StreamedBody) -> tuple[Node, Node]:
        """Return the type of the items of a stream, and their decoder."""
        if stream.kind == "bytes":
            self._words.add("Chunks")
            return "bytes", call("Chunks")
        if stream.kind == "events":
            self._words |= {"Events", "ServerEvent"}
            return "ServerEvent", call("Events")
        decoder = "Lines" if stream.kind == "lines" else "Records"
        self._words.add(decoder)
        if stream.inline is None:
            self._words.add("t")
            return "t.JsonValue", call(f"{decoder}[t.JsonValue]", "t.JsonValue")
        item = self._spell(stream.inline)
        whole = self._read(self._find_type(stream.inline))
        return item, call(lay_out(subscript(decoder, item)), whole)

    def _write_call(
        self,
        constant: str,
        operation: Called,
        method: str = "self._send",
        decoder: Node | None = None,
    ) -> Code:
        items: list[Node] = [constant, *([] if decoder is None else [decoder])]
        values = tuple(each.keyword for each in operation.arguments)
        if values or operation.body is not None or operation.idempotency:
            items.append(Brackets("", values, "()"))
        if operation.body is not None:
            items.append("body")
        if operation.idempotency:
            items.append(Pair("key", "idempotency_key"))
        return lay_out(call(method, *items), _BODY, _BODY + len("return await "))

    def _arguments(self, operation: Called, without: Collection[str] = ()) -> Iterator[Node]:
        """Yield the arguments: those of the path may be positional, all others are keywords."""
        is_keyword = False
        for each in operation.arguments:
            if each.keyword in without:
                continue
            if each.place != "path" and not is_keyword:
                is_keyword = True
                yield "*"
            type_ = self._spell(each.inline)
            yield self._argument(each.keyword, type_, required=each.required)
        if operation.body is not None:
            if not is_keyword:
                is_keyword = True
                yield "*"
            type_ = "bytes"
            if operation.body.inline is not None:
                type_ = self._spell(operation.body.inline)
                if operation.body.is_multipart:
                    # a form that somebody else wrote
                    type_ = either([type_, "bytes"])
            yield self._argument("body", type_, required=operation.body.required)
        if operation.idempotency:
            if not is_keyword:
                yield "*"
            yield self._argument("idempotency_key", "str", required=False)

    def _argument(self, name: str, type_: Node, *, required: bool) -> Node:
        end = "" if required else " = None"
        node = type_ if required else allow_none(type_)
        # one text: what follows the annotation belongs to its line
        return f"{name}: {lay_out(node, _BODY, _BODY + len(f'{name}: {end},'))}{end}"

    # Pages.

    def _find_pages(self, operation: Called, form: PagingForm) -> _Listing | None:
        page = self._result(operation)
        listed = self._read_listing(operation)
        if form.items is not None:
            found = self._member(page, form.items)
            if found is None:
                return None
            if form.kind == "cursor" and self._member(page, str(form.following)) is None:
                return None
            listed = _strip(found)
        if not isinstance(listed, Brackets) or listed.head != "list":
            return None
        item = self._read(simplify_type(listed.items[0]))
        if form.kind == "last-item" and (
            self._member(item, str(form.following)) is None
            or self._member(page, str(form.more)) is None
        ):
            return None
        return _Listing(form, page, item)

    def _read_listing(self, operation: Called) -> Node:
        """Return the type of a listing's body in the models."""
        [payload] = [each for each in operation.results.values() if each is not None]
        assert payload.inline is not None
        return simplify_type(self._find_type(payload.inline))

    def _member(self, model: Node, name: str) -> Node | None:
        found = self._members_of(model).get(name)
        return None if found is None else found[1]

    def _field(self, model: Node, name: str) -> str:
        return self._members_of(model)[name][0]

    def _members_of(self, model: Node) -> Mapping[str, tuple[str, Node]]:
        if not isinstance(model, DefinitionName):
            return {}
        module, _, name = model.name.rpartition(".")
        return self._members.get(f"models.{module}", {}).get(name, {})


def _write_both(
    name: str,
    arguments: list[Node],
    results: tuple[Node, Node],
    body: Code,
    paragraphs: list[str],
    *,
    is_awaited: bool = True,
) -> WrittenMethod:
    """Return a method that returns *body*, with a result type for each kind of client."""

    def write(result: Node, *, is_async: bool) -> Code:
        end = f" -> {lay_out(result, _METHOD, len(') -> :'))}:"
        head = Brackets(f"{'async ' if is_async else ''}def {name}", ("self", *arguments), "()")
        signature = lay_out(head, _METHOD, _METHOD + len(end.partition("\n")[0]))
        returned = f"return {'await ' if is_async else ''}{body}"
        return Code(f"    {signature}{end}\n        {text}\n        {returned}")

    text = docstring(paragraphs, _BODY)
    plain, awaited = results
    return WrittenMethod(name, write(plain, is_async=False), write(awaited, is_async=is_awaited))


def _strip(node: Node) -> Node:
    """Return the type of a model's field without what narrows it, and without absence."""
    if isinstance(node, Brackets) and node.head in ("Annotated", _ABSENT):
        return _strip(node.items[0])
    return node


def _refer_to(name: str) -> str:
    return f"Arguments and errors are those of `{name}`."


def _name_constant(method: str) -> str:
    return f"_{method.upper()}"


def _accept(operation: Called) -> str:
    media_types = [
        essence(each.media_type)
        for each in (*operation.results.values(), *operation.errors.values())
        if each is not None
    ]
    found = list(dict.fromkeys(media_types)) or ["application/json"]
    return ", ".join(found)


def _describe_parameter(argument: Argument) -> Node:
    parts: list[Node] = [Text(argument.name), Text(argument.place)]
    if argument.style:
        parts.append(Text(argument.style))
    if argument.explode is not None:
        parts.append(Pair("explode", repr(argument.explode)))
    if argument.allow_reserved:
        parts.append(Pair("allow_reserved", "True"))
    return call("Parameter", *parts)


def _describe_part(part: FormPart) -> Node:
    parts: list[Node] = [Text(part.content_type)] if part.content_type else []
    if part.headers:
        parts.append(Pair("headers", value(part.headers)))
    if part.required:
        parts.append(Pair("required", value(part.required)))
    return call("Part", *parts)


def _describe_operation(operation: Called) -> Iterator[str]:
    key = (
        "- `idempotency_key`: Makes it safe to send the request again; a new one is made for each "
        "call if it is not given."
    )
    arguments = [describe_argument(each, each.limits) for each in operation.arguments]
    return describe_operation(
        operation,
        [*arguments, key if operation.idempotency else ""],
        *([f"Only in the environment {' and '.join(operation.only)}."] if operation.only else ()),
    )
