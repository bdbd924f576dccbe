"""Convert the requests of a version's callers to requests of the newest version."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, TypeVar

from .contracts import Contract, Contracts
from .converters import Make, call
from .forms import FormReader
from .objects import Spread, is_marked
from .paths import PathTemplate
from .reading import (
    PLACES,
    Fields,
    ItemReader,
    add_ranges,
    choose_reader,
    list_types,
    read_json,
    read_raw,
    split_items,
)
from .rewriting import (
    Parameters,
    write_cookies,
    write_headers,
    write_path,
    write_query,
    write_whole_query,
)
from .runtime import bodies
from .runtime.asgi import (
    ENCODING,
    Headers,
    Message,
    Receive,
    Scope,
    field,
    read_body,
    repeat,
    route,
)
from .runtime.conversion import ConversionContext
from .runtime.errors import Fault, RequestError, encode, quote
from .runtime.lifting import ConversionError, Lifting, UnfitError, identity
from .runtime.media_types import choose_media_type, essence, find_essence, is_json
from .runtime.sequences import Framing, is_sequential
from .spellings import Foreign

_REWRITE: Final = {
    "query": write_query,
    "querystring": write_whole_query,
    "header": write_headers,
    "cookie": write_cookies,
}

# They describe the bytes of a body that has been replaced.
_OF_BYTES: Final = frozenset(
    {b"content-length", b"transfer-encoding", b"content-md5", b"digest", b"content-digest"}
    | {b"repr-digest", b"content-encoding"}
)

_OF_BODY: Final = _OF_BYTES | {b"content-type", b"content-language", b"content-location", b"expect"}

Change = Callable[[Any], Any]
T = TypeVar("T")


class RequestLift:
    """Converts the requests of one operation from one version to the newest.

    What is the same in both is neither read nor validated, unless it *is_strict*. The rest of a
    request must be valid for its caller's version. What the newest version lacks is left out.
    *templates* are the paths of the version and of the newest one, which differ in their beginning.
    """

    def __init__(
        self,
        operation: str,
        templates: tuple[PathTemplate, PathTemplate],
        contracts: Contracts,
        liftings: Mapping[str, Lifting],
        version: str,
        *,
        is_strict: bool = False,
        most: int,
    ) -> None:
        template, goal = templates
        self._moved = templates if template.text != goal.text else None
        newest = contracts.newest
        older = contracts.at(operation, version)
        newer = contracts.at(operation, newest)
        self._places: list[_Place] = []
        self._body: _Body | None = None
        self._lacks_body = False
        self._awaits: bool | None = None
        is_same = older is newer and liftings[version] is liftings[newest]
        if older is None or (is_same and not is_strict):
            return
        up, strip = liftings[version], liftings[newest]
        found = [
            each for each in (up.awaits(operation), strip.awaits(operation)) if each is not None
        ]
        self._awaits = any(found) if found else None
        for place in PLACES:
            parameters = older.parameters(place)
            known = newer.parameters(place) if newer is not None else {}
            lifts = up.parameters(operation, place), strip.parameters(operation, place)
            is_same = lifts[0] is lifts[1] and older.resolve(parameters) == _resolve(newer, known)
            if not is_same or (is_strict and parameters):
                fields = Fields(operation, place, [*parameters.values()], older, up)
                spread = Spread(known.values(), newer or older)
                names = {*known, *spread.names} - fields.names
                if place == "querystring" and older.parameters("query"):
                    names = set()  # what callers have there is not the newest version's
                elif place != "querystring":
                    names |= {
                        name
                        for name, each in parameters.items()
                        if older.resolve(each) != _resolve(newer, known.get(name))
                    }
                foreign = Foreign(fields.names, names, is_header=place == "header")
                self._places.append(
                    _Place(fields, goal, lifts[1], parameters, known, foreign, spread)
                )
        if older.request["body"] is not None:
            body = _Body(operation, older, newer, up, strip, most=most)
            body.is_read |= is_strict
            self._body = body if body.is_read or body.newer else None
        else:
            self._lacks_body = newer is not None and newer.request["body"] is not None

    @property
    def is_plain(self) -> bool:
        """Whether requests are unchanged."""
        return not (
            self._places or self._body is not None or self._lacks_body or self._moved is not None
        )

    @property
    def converts(self) -> bool:
        """Whether a converter may be called."""
        return self._awaits is not None

    @property
    def reads_body(self) -> bool:
        return self._body is not None and self._body.is_read

    async def lift(
        self, scope: Scope, receive: Receive, context: ConversionContext | None
    ) -> tuple[Scope, Receive] | None:
        """Return the request in the form of the newest version; None if the caller has left.

        *context* is that of converters, if there are any. Raises RequestError for a request that is
        not valid for its caller's version.
        """
        if self._moved is not None:
            template, goal = self._moved
            scope = write_path(scope, goal, template.read(route(scope)), {})
        for place in self._places:
            scope = await self._make(partial(place.lift, scope), context)
        if self._lacks_body:
            # what callers send there is not the newest version's
            return _without_body(scope), repeat(b"", receive)
        if self._body is None:
            return scope, receive
        content_type = choose_media_type(field(scope, "content-type"))
        items = self._body.find_items(content_type)
        if items is not None or self._body.is_plain(content_type):
            make = partial(self._make, context=context)
            return await self._open(items, content_type, scope, receive, make)
        content = await read_body(receive)
        if content is None:
            return None
        if content and ENCODING in scope["state"]:
            bodies.check_encoding(scope["state"][ENCODING])
        lifting = partial(self._body.lift, content, content_type)
        lifted = await self._make(lifting, context)
        scope = self._body.rename(scope, content_type)
        if lifted is not content:
            headers: Headers = [each for each in scope["headers"] if each[0] not in _OF_BYTES]
            headers.append((b"content-length", str(len(lifted)).encode()))
            scope = {**scope, "headers": headers}
        return scope, repeat(lifted, receive)

    async def _make(self, make: Callable[[], T], context: ConversionContext | None) -> T:
        if context is None or self._awaits is None:
            return make()
        return await call(make, context, awaits=self._awaits)

    async def _open(
        self,
        items: tuple[ItemReader, Change] | None,
        content_type: str | None,
        scope: Scope,
        receive: Receive,
        make: Make,
    ) -> tuple[Scope, Receive] | None:
        """Return the request with a body whose *items*, if any, are lifted as they arrive."""
        assert self._body is not None
        message = await receive()
        while message["type"] == "http.request" and not message.get("body"):
            if not message.get("more_body", False):
                break
            message = await receive()
        if message["type"] != "http.request":
            return None
        self._body.check_presence(bool(message.get("body")))
        if message.get("body"):
            self._body.check_type(content_type)
        if items is not None:
            if ENCODING in scope["state"]:
                bodies.check_encoding(scope["state"][ENCODING])
            headers = [each for each in scope["headers"] if each[0] not in _OF_BYTES]
            if scope["http_version"].startswith("1") and message.get("body"):
                headers.append((b"transfer-encoding", b"chunked"))
            scope = {**scope, "headers": headers}
        return scope, Lifted(message, items, receive, make)


def _without_body(scope: Scope) -> Scope:
    """Return *scope* as that of a request without a body."""
    headers: Headers = [each for each in scope["headers"] if each[0] not in _OF_BODY]
    if len(headers) < len(scope["headers"]):
        headers.append((b"content-length", b"0"))
    return {**scope, "headers": headers}


class Lifted:
    """A body whose *items*, if any, are lifted as they arrive: *message* is the first of it.

    ``refused`` is why it is not valid for the caller's version, as soon as that is known, and
    ``is_answered`` whether the caller has been told so.
    """

    def __init__(
        self,
        message: Message,
        items: tuple[ItemReader, Change] | None,
        receive: Receive,
        make: Make,
    ) -> None:
        self._first: Message | None = message
        self._items = items
        self._framing = items[0].frame() if items is not None else None
        self._receive = receive
        self._make = make
        self._is_over = False
        self.refused: RequestError | None = None
        self.is_answered = False

    async def __call__(self) -> Message:
        if self.refused is not None:
            raise self.refused
        message, self._first = self._first, None
        if message is None:
            message = await self._receive()
        if message["type"] != "http.request" or self._is_over or self._framing is None:
            return message
        more = message.get("more_body", False)
        self._is_over = not more
        try:
            body = await self._lift(self._framing, message.get("body", b""), is_last=not more)
        except RequestError as error:
            self.refused = error
            raise
        return {**message, "body": body}

    async def _lift(self, framing: Framing, piece: bytes, *, is_last: bool) -> bytes:
        lifted = bytearray()
        for frame in split_items(framing, piece, is_last=is_last):
            if isinstance(frame, bytes):
                lifted += frame
            else:
                lifted += frame.write(await self._make(partial(self._take, frame.item)))
        return bytes(lifted)

    def _take(self, item: Any) -> list[Any]:
        assert self._items is not None
        items, away = self._items
        return [after for each in items.lift(item) for after in _strip(away, [each])]


class _Place:
    """The parameters in one place of a request."""

    def __init__(
        self,
        fields: Fields,
        template: PathTemplate,
        strip: Change,
        parameters: Parameters,
        known: Parameters,
        foreign: Foreign,
        spread: Spread,
    ) -> None:
        self._spread = spread
        self._fields = fields
        self._template = template
        self._strip = strip
        self._known = known
        self._foreign = foreign
        self._respelled = {
            name
            for name, each in parameters.items()
            if name in known and _find_spelling(each) != _find_spelling(known[name])
        }
        # an absent one means what the caller's version says
        self._defaults = {
            name: each["default"]
            for name, each in parameters.items()
            if "default" in each and each["default"] != known.get(name, {}).get("default")
        }

    def lift(self, scope: Scope) -> Scope:
        place = self._fields.place
        texts = self._template.read(route(scope)) if place == "path" else {}
        sent = self._fields.read_sent({**scope, "path_params": texts} if place == "path" else scope)
        values = {**self._defaults, **sent}
        lifted = _strip(self._strip, self._fields.lift(values))
        changed = {
            name: value
            for name, value in lifted.items()
            if name not in sent or name in self._respelled or not _is_same(sent[name], value)
        }
        for name, each in self._known.items():
            if each["required"] and "default" in each and name not in lifted:
                changed[name] = each["default"]
        for name in changed.keys() & self._spread.objects:
            changed[name] = self._spread.select(name, changed[name])
        gone = {*changed, *(name for name in sent if name not in lifted)}
        gone = {*self._fields.list_sent(gone, sent)}
        if place != "path":
            if place == "querystring" and not (gone or self._foreign):
                return scope
            return _REWRITE[place](scope, self._find_gone(gone), changed, self._known)
        # the names of parameters in paths are not sent
        if all(texts.get(name) == value for name, value in changed.items()):
            return scope
        known = self._known
        marked = {name: lifted[name] for name in known if is_marked(known[name]) and name in lifted}
        return write_path(scope, self._template, {**texts, **marked, **changed}, known)

    def _find_gone(self, names: set[str]) -> Callable[[str], bool]:
        """Return what says whether a parameter is one of *names*, or is not its caller's."""
        if self._fields.place == "header":
            names = {name.lower() for name in names}

        def is_gone(name: str) -> bool:
            return name in names or name.partition("[")[0] in names or self._foreign.has(name)

        return is_gone


class _Body:
    """The body of a request, for each media type of the caller's version."""

    def __init__(
        self,
        operation: str,
        older: Contract,
        newer: Contract | None,
        up: Lifting,
        strip: Lifting,
        *,
        most: int,
    ) -> None:
        body = older.request["body"]
        known = newer.request["body"] if newer is not None else None
        self._required = body["required"]
        self._readers: dict[str, Callable[[bytes], bytes] | FormReader] = {}
        self._items: dict[str, tuple[ItemReader, Change]] = {}
        self._plain: set[str] = set()
        self._renamed: dict[str, str] = {}
        self.is_read = known is None or body["required"] != known["required"]
        """whether it may have to be read"""
        self._newest = list_types(known) if known is not None else set()
        self.newer: Final = self._newest - list_types(body)
        """the media types and ranges that only the newest version has"""
        self._parsed = {
            essence(name)
            for name, each in (known["content"].items() if known is not None else ())
            if essence(name) in self.newer and _is_parsed(newer, name, each)
        }
        refused: set[str] = set()
        for media_type, schema in body["content"].items():
            lift, away = up.body(operation, media_type), _body(strip, operation, media_type)
            goal = known["content"].get(media_type) if known is not None else None
            is_same = known is not None and media_type in known["content"] and lift is away
            if not is_same or older.resolve(schema) != _resolve(newer, goal):
                self.is_read = True
            name = essence(media_type)
            counterpart = older.find_counterpart(media_type, newer)
            if counterpart is not None:
                self._renamed[name] = counterpart
                self._readers[name] = _json(read_json(older.validator(schema), identity), identity)
                continue
            if up.lacks(operation, media_type):
                if not is_same:
                    refused.add(name)
                lift = away = identity
            gone = up.left_out(operation, media_type)
            self._readers[name] = (
                _json(read_json(older.validator(schema), lift), away)
                if is_json(name)
                else FormReader(gone, older.fields(schema)[0])
                if gone
                else read_raw(lift)
            )
            if is_sequential(name):
                self._items[name] = ItemReader(name, older.validator(schema), lift, most), away
            elif is_same and not gone and not is_json(name):
                # it is neither read nor changed
                self._plain.add(name)
        for each in (self._readers, self._items, self._renamed):
            add_ranges(each, body)
        self._plain |= {
            name for name, each in body.get("ranges", {}).items() if each in self._plain
        }
        for name in refused:
            self._readers.pop(name, None)
            self._items.pop(name, None)
            self._plain.discard(name)

    def find_items(self, content_type: str | None) -> tuple[ItemReader, Change] | None:
        """Return the reader of the items of a body of *content_type*, if it has any.

        The second value removes from a list of items what the newest version lacks.
        """
        return self._items.get(find_essence(self._readers, content_type)) if self.is_read else None

    def is_plain(self, content_type: str | None) -> bool:
        """Return whether a body of *content_type* is unchanged, unless it is refused."""
        return not self.is_read or find_essence(self._readers, content_type) in self._plain

    def rename(self, scope: Scope, content_type: str | None) -> Scope:
        """Return a request with the newest version's name of the media type *content_type*."""
        renamed = self._renamed.get(find_essence(self._readers, content_type))
        if renamed is None:
            return scope
        headers = [each for each in scope["headers"] if each[0] != b"content-type"]
        return {**scope, "headers": [*headers, (b"content-type", renamed.encode("latin-1"))]}

    def check_presence(self, is_present: bool) -> None:
        """Raise RequestError if a body is required and there is none."""
        if self._required and not is_present:
            raise RequestError("a body is required")

    def check_type(self, content_type: str | None) -> None:
        """Raise RequestError if *content_type* is one of the newest version only.

        In a range of the caller's version, it is one if the application reads more from it than
        bytes or text. Some applications read JSON of any name, and without one.
        """
        name = essence(content_type or "")
        if name in self._readers:
            return
        is_maybe_json = not name or is_json(name)
        found = find_essence(self._newest, content_type)
        is_parsed = found in self._parsed or (is_maybe_json and any(map(is_json, self._parsed)))
        if is_parsed or found in self.newer:
            choose_reader(self._readers, content_type)
        if is_parsed:
            raise RequestError(f"a body of {quote(name)} is not read", Fault.UNSUPPORTED_MEDIA)

    def lift(self, content: bytes, content_type: str | None) -> bytes:
        """Return *content* in the form of the newest version. Raises RequestError."""
        self.check_presence(bool(content))
        if not content:
            return content
        self.check_type(content_type)
        lifted: bytes = choose_reader(self._readers, content_type)(content)
        return lifted


def _json(read: Callable[[bytes], tuple[Any, Any]], strip: Change) -> Callable[[bytes], bytes]:
    def lift(content: bytes) -> bytes:
        value, lifted = read(content)
        after = _strip(strip, lifted)
        return content if after is value else encode(after)

    return lift


def _strip(strip: Change, value: Any) -> Any:
    """Return *value* without what the newest version lacks.

    A value that it lacks as a whole is unchanged: the application has to refuse it.
    """
    if strip is identity:
        return value
    try:
        return strip(value)
    except ConversionError:
        raise
    except UnfitError:
        return value


def _is_parsed(contract: Contract | None, media_type: str, schema: Any) -> bool:
    """Return whether applications read more from a body of *media_type* than bytes or text."""
    has_parts = contract is not None and bool(contract.fields(schema)[0])
    return has_parts or is_json(media_type) or is_sequential(media_type)


def _body(lifting: Lifting, operation: str, media_type: str) -> Change:
    try:
        return lifting.body(operation, media_type)
    except UnfitError:
        return identity


def _resolve(contract: Contract | None, node: Any) -> Any:
    return None if contract is None else contract.resolve(node)


def _find_spelling(parameter: Mapping[str, Any]) -> tuple[str, bool]:
    """Return what decides how a value of the parameter is written."""
    return parameter["style"], parameter["explode"]


def _is_same(one: Any, other: Any) -> bool:
    return one is other or (type(one) is type(other) and bool(one == other))
