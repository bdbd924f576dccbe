"""Read the arguments of a handler from a request, by the contract of the caller's version."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any, Final, get_args, get_origin
from urllib.parse import unquote_to_bytes
from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from .contracts import Contract, Validator, name_place
from .converters import Make
from .forms import FormReader
from .nested import STYLE, Nested
from .nouns import Operation, Parameter
from .objects import Either, Spread, is_either, parameter_reader
from .runtime import bodies, query
from .runtime.asgi import Message, Scope, field
from .runtime.errors import Fault, RequestError, encode, quote
from .runtime.lifting import ConversionError, Lifting, UnfitError, identity
from .runtime.media_types import check_charset, essence, find_essence, is_json
from .runtime.sequences import Frame, Framing, SequenceError, find_framing, is_sequential
from .runtime.values import pointer
from .uploads import Upload

Change = Callable[[Any], Any]

PLACES: Final = ("path", "header", "query", "querystring", "cookie")

BodyReaders = Mapping[str, Callable[[bytes], Any] | FormReader]
"""What reads a body, by media type."""


class Reader:
    """Reads the requests of one operation by callers of one version.

    ``headers`` are those that are parameters: their names for callers, by their canonical names in
    lower case.
    """

    def __init__(
        self,
        operation: Operation,
        contract: Contract,
        newest: Contract | None,
        lifting: Lifting,
        *,
        most: int,
    ) -> None:
        self.security: Sequence[Sequence[str]] = contract.request.get(
            "security", operation.security
        )
        self._places = [
            Fields(operation.id, place, listed, contract, lifting, operation.parameters)
            for place in PLACES
            if (listed := [each for each in contract.request["parameters"] if each["in"] == place])
        ]
        self._arguments = [(each, _choose_conversion(each.type)) for each in operation.parameters]
        self._added = dict(_list_added(operation.id, contract, newest, lifting))
        renamed = lifting.names(operation.id, "header")
        self.headers = {
            renamed.get(each["name"], each["name"]).lower(): each["name"]
            for each in contract.request["parameters"]
            if each["in"] == "header"
        }
        self.awaits = lifting.awaits(operation.id)
        """whether a converter has to be awaited; None where none is needed"""
        self._body = None
        if operation.body is not None and contract.request["body"] is not None:
            self._body = _Body(operation, contract, newest, lifting, most=most)

    @property
    def takes_body(self) -> bool:
        return self._body is not None

    def arguments(self, scope: Scope) -> dict[str, Any]:
        """Return the arguments from the parameters. Raises RequestError."""
        found = {**self._added}
        for fields in self._places:
            for name, value in fields.read(scope).items():
                found[fields.place, name] = value
        return {
            parameter.keyword: _argument(parameter, read, found)
            for parameter, read in self._arguments
        }

    def body(self, content: bytes, content_type: str | None) -> Any:
        """Return the argument from the body; None for none. Raises RequestError."""
        return None if self._body is None else self._body.read(content, content_type)

    def find_media_type(self, content_type: str | None) -> str | None:
        """Return the media type that a body of *content_type* has for handlers."""
        return None if self._body is None else self._body.find_media_type(content_type)

    def opens(self, content_type: str | None) -> bool:
        """Return whether a body of *content_type* is passed on as it arrives."""
        opened = self._body.opened if self._body is not None else {}
        return find_essence(opened, content_type) in opened

    def open(self, upload: Upload, make: Make) -> Any:
        """Return the argument from a body that is passed on: itself, or its items.

        *make* calls functions that call converters.
        """
        assert self._body is not None
        opened = self._body.opened
        return opened[find_essence(opened, upload.content_type)](upload, make)


def _argument(
    parameter: Parameter, read: Callable[[Any], Any], found: Mapping[tuple[str, str], Any]
) -> Any:
    key = (parameter.place, parameter.name)
    if key not in found:
        if parameter.required:
            raise LookupError(f"callers of this version can't give {parameter.name!r}")
        return parameter.default
    if found[key] is None:
        return None
    try:
        return read(found[key])
    except RequestError as error:
        raise RequestError(f"the parameter {quote(parameter.name)} {error}") from None
    except ValidationError:
        raise RequestError(f"the parameter {quote(parameter.name)} can't be read") from None


def _choose_conversion(kind: Any) -> Callable[[Any], Any]:
    """Return a function that turns a plain valid value into one of the type *kind*."""
    if kind in (str, int, bool):
        return identity
    if kind is UUID:
        return query.uuid
    if kind is Decimal:
        return Decimal
    if kind is datetime:
        return query.instant
    if get_origin(kind) is list:
        item = _choose_conversion(get_args(kind)[0])
        return lambda values: [item(value) for value in values]
    return TypeAdapter(kind).validate_python


class Fields:
    """The parameters of an operation in one place of the request.

    *listed* are those of the caller's version; *parameters* those of a handler.
    """

    def __init__(
        self,
        operation: str,
        place: str,
        listed: Sequence[Mapping[str, Any]],
        contract: Contract,
        lifting: Lifting,
        parameters: Sequence[Parameter] = (),
    ) -> None:
        self.place = place
        self._lift = lifting.parameters(operation, place)
        self._read = _READ[place]
        flat = [each for each in listed if each["style"] != STYLE]
        self._parameters = {
            each["name"]: read
            for each in flat
            if (read := parameter_reader(each, contract)) is not None
        }
        self._either = {
            each["name"]: Either(each, contract) for each in flat if is_either(each, contract)
        }
        spread = Spread(listed, contract)
        self._spread = spread if spread.objects else None
        nested = {each["name"]: each["schema"] for each in listed if each["style"] == STYLE}
        self._nested = Nested(nested, contract) if nested else None
        self._names = {each["name"] for each in listed}
        self._required = [each["name"] for each in listed if each["required"]]
        self._defaults = {
            each["name"]: each["default"] for each in listed if _has_default(each, contract)
        }
        # a parameter without a default at the caller's version does not get that of a newer one
        names = lifting.names(operation, place)
        optional = {
            names.get(each["name"], each["name"])
            for each in listed
            if not each["required"] and each["name"] not in self._defaults
        }
        self._absent = {
            each.name: None
            for each in parameters
            if each.place == place and each.default is not None and each.name in optional
        }
        self._validator = contract.validator(
            {"properties": {each["name"]: each["schema"] for each in listed}}
        )

    @property
    def names(self) -> set[str]:
        """Return the names that requests have them by."""
        return {*self._names, *(self._spread.names if self._spread is not None else ())}

    def list_sent(self, names: Iterable[str], sent: Mapping[str, Any]) -> Iterator[str]:
        """Yield the names of the parameters *names* in a request that *sent* was read from."""
        for name in names:
            yield name
            if self._spread is not None and name in self._spread.objects:
                yield from sent.get(name, ())

    def read(self, scope: Scope) -> dict[str, Any]:
        """Return the plain values by their canonical names. Raises RequestError."""
        values = self.read_sent(scope)
        if self._defaults:
            values = {**self._defaults, **values}
        lifted = self.lift(values)
        return {**self._absent, **lifted} if self._absent else lifted

    def lift(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return *values*, as sent, by their canonical names. Raises RequestError."""
        lifted: dict[str, Any] = _lift_value(self._lift, values, "the parameters")
        return lifted

    def read_sent(self, scope: Scope) -> dict[str, Any]:
        """Return the values that were sent, by the names that callers know; they are valid.

        Raises RequestError.
        """
        values = self._read(scope, self._parameters)
        for name, either in self._either.items():
            if name in values:
                values[name] = either.read(values[name])
        if self._nested is not None:
            values |= self._nested.read(scope.get("query_string", b""))
        if self._spread is not None:
            values |= self._spread.read(_GIVEN[self.place](scope), values)
        for name in self._required:
            if name not in values:
                raise RequestError(f"the {self.place} parameter {quote(name)} is missing")
        self._validator.check(values, "the parameter", depth=1)
        return values


def _list_added(
    operation: str, contract: Contract, newest: Contract | None, lifting: Lifting
) -> Iterator[tuple[tuple[str, str], Any]]:
    """Yield place, name and default of each parameter that only *newest* has, not *contract*."""
    if newest is None:
        return
    for place in PLACES:
        names = lifting.names(operation, place)
        known = {names.get(name, name) for name in contract.parameters(place)}
        for name, each in newest.parameters(place).items():
            if name not in known and _has_default(each, newest):
                yield (place, name), each["default"]


def _has_default(declared: Mapping[str, Any], contract: Contract) -> bool:
    """Return whether a parameter has a default; null is not one if the schema refuses it."""
    if "default" not in declared:
        return False
    return declared["default"] is not None or contract.validator(declared["schema"]).fits(None)


_Parameters = Mapping[str, query.Parameter]


def _in_path(scope: Scope, parameters: _Parameters) -> dict[str, Any]:
    # some put the query string there, too
    raw = (scope.get("raw_path") or b"").partition(b"?")[0]
    if b"%" in raw:
        _require_utf8(unquote_to_bytes(raw))
    given = scope["path_params"]
    found = {name: [given[name]] for name in parameters if name in given}
    for [text] in found.values():
        if not text.isascii():
            # a server may have decoded something that is not UTF-8
            _require_utf8(text.encode("utf-8", "surrogateescape"))
        if "\0" in text:
            raise RequestError("the path contains NUL")
    return query.values(found, parameters)


def _require_utf8(path: bytes) -> None:
    try:
        path.decode("utf-8")
    except UnicodeDecodeError:
        raise RequestError("the path is not UTF-8") from None


def _in_query(scope: Scope, parameters: _Parameters) -> dict[str, Any]:
    return query.read(scope.get("query_string", b""), parameters)


def _in_querystring(scope: Scope, parameters: _Parameters) -> dict[str, Any]:
    sent = scope.get("query_string", b"")
    given = {name: [query.decode(sent, plus=False)] for name in parameters} if sent else {}
    return query.values(given, parameters)


def _in_header(scope: Scope, parameters: _Parameters) -> dict[str, Any]:
    given = {}
    for name in parameters:
        value = field(scope, name)
        if value is None:
            continue
        if "\0" in value:
            raise RequestError(f"the header {name} contains NUL")
        given[name] = [value]
    return query.values(given, parameters)


def cookies(scope: Scope) -> dict[str, list[str]]:
    """Return the cookies of a request (RFC 6265, section 4.2), each as often as sent."""
    given: dict[str, list[str]] = {}
    for pair in (field(scope, "cookie") or "").replace(", ", "; ").split(";"):
        name, equals, value = pair.strip(" \t").partition("=")
        if equals:
            given.setdefault(name, []).append(value)
    return given


def _in_cookie(scope: Scope, parameters: _Parameters) -> dict[str, Any]:
    given = {name: texts for name, texts in cookies(scope).items() if name in parameters}
    return query.values(given, parameters)


def _list_given(scope: Scope) -> dict[str, list[str]]:
    given: dict[str, list[str]] = {}
    for name, text in query.pairs(scope.get("query_string", b"")):
        given.setdefault(name, []).append(text)
    return given


# The places in which a field of an object may be a parameter of its own.
_GIVEN: Final[dict[str, Callable[[Scope], dict[str, list[str]]]]] = {
    "query": _list_given,
    "querystring": _list_given,
    "cookie": cookies,
}

_READ: Final[dict[str, Callable[[Scope, _Parameters], dict[str, Any]]]] = {
    "path": _in_path,
    "query": _in_query,
    "querystring": _in_querystring,
    "header": _in_header,
    "cookie": _in_cookie,
}


class _Body:
    """The body of a request: a reader for each media type."""

    def __init__(
        self,
        operation: Operation,
        contract: Contract,
        newest: Contract | None,
        lifting: Lifting,
        *,
        most: int,
    ) -> None:
        body = contract.request["body"]
        types = {essence(media_type): kind for media_type, kind in (operation.body or {}).items()}
        self._required = body["required"]
        self._readers: dict[str, Callable[[bytes], Any] | FormReader] = {}
        self.opened: dict[str, Callable[[Upload, Make], Any]] = {}
        self._names: dict[str, str] = {}
        for media_type, schema in body["content"].items():
            name = essence(media_type)
            counterpart = contract.find_counterpart(media_type, newest)
            if counterpart is not None and essence(counterpart) in types:
                # its values are those of the newest version
                self._names[name] = essence(counterpart)
                read_type = types[self._names[name]]
                self._readers[name] = _Json(read_type, contract.validator(schema), identity).read
                continue
            if name not in types or lifting.lacks(operation.id, media_type):
                continue
            lift = lifting.body(operation.id, media_type)
            gone = lifting.left_out(operation.id, media_type)
            if is_json(name):
                self._readers[name] = _Json(types[name], contract.validator(schema), lift).read
            elif is_sequential(name):
                items = ItemReader(name, contract.validator(schema), lift, most)
                self._readers[name] = bytes
                self.opened[name] = partial(_read_items, items, TypeAdapter(types[name]))
            else:
                names = contract.fields(schema)[0]
                self._readers[name] = FormReader(gone, names) if gone else read_raw(lift)
                if types[name] is Upload:
                    self.opened[name] = (
                        _take_upload if lift is identity else partial(_lift_upload, self._readers)
                    )
        for each in (self._readers, self.opened):
            add_ranges(each, body)

    def read(self, content: bytes, content_type: str | None) -> Any:
        if not content:
            if self._required:
                raise RequestError("a body is required")
            return None
        return choose_reader(self._readers, content_type)(content)

    def find_media_type(self, content_type: str | None) -> str:
        name = find_essence(self._readers, content_type)
        return self._names.get(name, name)


def list_types(body: Mapping[str, Any]) -> set[str]:
    """Return the media types and the ranges of *body*, without parameters."""
    return {*map(essence, body["content"]), *body.get("ranges", ())}


def add_ranges(known: dict[str, Any], body: Mapping[str, Any]) -> None:
    """Add the ranges of *body* to what is *known* by media type."""
    for name, media_type in body.get("ranges", {}).items():
        if media_type in known:
            known.setdefault(name, known[media_type])


def choose_reader(readers: BodyReaders, content_type: str | None) -> Callable[[bytes], Any]:
    """Return the reader of a body of *content_type*, from *readers* by media type.

    Raises RequestError if there is none.
    """
    name = find_essence(readers, content_type)
    if name not in readers:
        listed = " or ".join(readers)
        reason = (
            f"the body has to be {listed}" if listed else f"a body of {quote(name)} is not read"
        )
        raise RequestError(reason, Fault.UNSUPPORTED_MEDIA)
    if is_json(name):
        check_charset(content_type)
    reader = readers[name]
    return reader.of_type(content_type) if isinstance(reader, FormReader) else reader


class ItemReader:
    """Reads a stream of items: each is validated and lifted as soon as it is there.

    *validator* and *lift* are those of a list of items; *most* is the maximum size of one in bytes.
    """

    def __init__(self, media_type: str, validator: Validator, lift: Change, most: int) -> None:
        self._media_type = media_type
        self._validator = validator
        self._lift = lift
        self._most = most

    def lift(self, item: Any) -> tuple[Any, ...]:
        """Return the form of *item* at the newest version. Raises RequestError."""
        listed = [item]
        self._validator.check(listed, "an item of the body", within=1)
        after = _lift_value(self._lift, listed, "the body")
        return (item,) if after is listed else tuple(after)

    def frame(self) -> Framing:
        """Return the framing of one stream."""
        return find_framing(self._media_type, dump=encode, decode=bodies.read, most=self._most)


def split_items(framing: Framing, piece: bytes, *, is_last: bool) -> Iterator[Frame | bytes]:
    """Yield the items that *piece* of a body completes. Raises RequestError."""
    try:
        yield from framing.split(piece)
        if is_last:
            yield from framing.end()
    except SequenceError as error:
        raise RequestError(f"the body: {error}") from None


async def _read_items(
    items: ItemReader, kind: TypeAdapter[Any], upload: Upload, make: Make
) -> AsyncIterator[Any]:
    framing = items.frame()
    is_last = False
    pieces = aiter(upload)
    while not is_last:
        piece = await anext(pieces, None)
        is_last = piece is None
        for frame in split_items(framing, piece or b"", is_last=is_last):
            if not isinstance(frame, bytes):
                for item in await make(partial(items.lift, frame.item)):
                    yield _validate(kind, item)


def _take_upload(upload: Upload, _: Make) -> Upload:
    return upload


def _lift_upload(readers: BodyReaders, upload: Upload, make: Make) -> Upload:
    read = choose_reader(readers, upload.content_type)

    async def receive() -> Message:
        content = await make(partial(read, await upload.read()))
        return {"type": "http.request", "body": content, "more_body": False}

    return Upload(receive, upload.content_type)


def read_json(
    validator: Validator, lift: Callable[[Any], Any]
) -> Callable[[bytes], tuple[Any, Any]]:
    """Return a reader of JSON bodies: it returns the value that was sent, and the lifted one.

    The reader raises RequestError.
    """

    def read(content: bytes) -> tuple[Any, Any]:
        value = bodies.read(content)
        validator.check(value, "the body")
        return value, _lift_value(lift, value, "the body")

    return read


class _Json:
    def __init__(self, kind: Any, validator: Validator, lift: Callable[[Any], Any]) -> None:
        self._type: TypeAdapter[Any] = TypeAdapter(kind)
        self._read = read_json(validator, lift)

    def read(self, content: bytes) -> Any:
        _, value = self._read(content)
        return _validate(self._type, value)


def _validate(kind: TypeAdapter[Any], value: Any) -> Any:
    """Return *value* as one of *kind*. Raises RequestError."""
    try:
        return kind.validate_python(value)
    except ValidationError as error:
        # the contract allows it, and the canonical type can't represent it
        found = error.errors(include_url=False, include_input=False, include_context=False)[0]
        called = name_place("the body", pointer(found["loc"]))
        raise RequestError(f"{called}: {found['msg']}") from None


def read_raw(lift: Callable[[Any], Any]) -> Callable[[bytes], bytes]:
    """Return a reader of bodies other than JSON: bytes, which converters get as text.

    Bytes that are not UTF-8, such as a file in a form, are escaped in it (PEP 383).
    """
    if lift is identity:
        return bytes

    def read(content: bytes) -> bytes:
        text = content.decode(errors="surrogateescape")
        return str(_lift_value(lift, text, "the body")).encode(errors="surrogateescape")

    return read


def _lift_value(lift: Callable[[Any], Any], value: Any, what: str) -> Any:
    if lift is identity:
        return value
    try:
        lifted: Any = lift(value)
    except ConversionError:
        raise
    except UnfitError as error:
        # a converter refuses what the contract allows
        raise RequestError(f"{name_place(what, error.place)} can't be read") from error
    return lifted
