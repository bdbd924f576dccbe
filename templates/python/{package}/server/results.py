"""Turn the result or refusal of a handler into the response for callers of a version."""

from __future__ import annotations

from collections.abc import (
    AsyncIterable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from pydantic_core import to_json, to_jsonable_python

from .contracts import Contracts, MisfitError, Validator
from .headers import Described, Header, encode_header, write_header
from .items import Items
from .nouns import Operation, Refusal, Reply, ServerSentEvent
from .runtime import media_types
from .runtime.asgi import BODILESS, Headers, Limits
from .runtime.errors import encode
from .runtime.idempotency import Answer
from .runtime.media_types import add_boundary, essence, find_essence, is_json, rank_accepted
from .runtime.narrowing import Narrowing, UnfitError, identity
from .runtime.sequences import is_sequential
from .runtime.statuses import (
    choose_successes,
    find_covering,
    find_declared,
    first_status,
    has_meaning,
    is_usual,
)
from .runtime.values import withheld

_HIGHEST: Final = 599

# What is known of a header that only a converter returns.
_UNDESCRIBED: Final[Described] = {"required": False, "in": "header"}

# Headers that mean the same in every API: they may be sent wherever they are declared.
STANDARD: Final = frozenset(
    {"accept-patch", "accept-post", "accept-ranges", "age", "allow", "alt-svc", "cache-control"}
    | {"clear-site-data", "content-disposition", "content-language", "content-location"}
    | {"content-range", "content-security-policy", "date", "deprecation", "etag", "expires"}
    | {"last-modified", "link", "location", "preference-applied", "proxy-authenticate", "ratelimit"}
    | {"ratelimit-policy", "referrer-policy", "refresh", "retry-after", "server-timing"}
    | {"set-cookie", "strict-transport-security", "sunset", "traceparent", "tracestate", "vary"}
    | {"www-authenticate", "x-content-type-options", "x-frame-options", "x-request-id"}
)

Dump = Callable[[Any], bytes]
Write = Callable[[Any, Dump], bytes]


class Response(NamedTuple):
    """A response of an operation, as callers of one version know it.

    ``key`` is that of the definitions, ``schema`` the canonical one of a body in JSON; without a
    media type there is no body.
    """

    status: int
    key: str
    media_type: str | None = None
    schema: Any = None
    write: Write | None = None

    def answer(self, body: Any, dump: Dump = to_json) -> Answer:
        """Return the response with *body*, JSON as *dump* writes it. Raises MisfitError."""
        if self.write is None or self.media_type is None:
            return Answer(self.status, None, b"")
        written = self.write(body, dump)
        return Answer(self.status, add_boundary(self.media_type, written), written)

    def write_piece(self, piece: Any) -> bytes:
        """Return *piece* of a body other than JSON, as it is sent. Raises MisfitError."""
        return b"" if self.write is None else self.write(piece, to_json)

    def text(self, body: str) -> Answer | None:
        """Return the response whose body is the text *body*; None if that is impossible."""
        try:
            return self.answer(body)
        except MisfitError:
            return None


class Stream(NamedTuple):
    """A response that is sent piece by piece: its content, and how a piece is written.

    ``headers`` and ``write`` may call converters.
    """

    status: int
    media_type: str
    headers: Callable[[], Headers]
    pieces: AsyncIterable[Any] | Iterator[Any]
    write: Callable[[Any], bytes]


class Results:
    """Creates the responses of one operation, for callers of any version."""

    def __init__(
        self,
        operation: Operation,
        contracts: Mapping[str, Any],
        narrowings: Mapping[str, Narrowing],
        declared: Contracts,
        *,
        most: int = Limits().item,
    ) -> None:
        self._name = operation.id
        self._most = most
        self._contracts = contracts
        self._narrowings = narrowings
        self._declared = declared
        self._contents = operation.responses
        self._media_types = {
            key: next(iter(content)) if content else None
            for key, content in operation.responses.items()
        }
        self.negotiates: Final = any(
            each is not None and len(each) > 1 for each in operation.responses.values()
        )
        """whether a response has several media types"""
        self._items: dict[tuple[str, str, str], Items] = {}
        self._responses: dict[tuple[str, int | None], Response | None] = {}
        self._forms: dict[tuple[str, int], dict[str, Response]] = {}
        self._headers_: dict[str, dict[str, Header]] = {}

    def awaits(self, version: str) -> bool | None:
        """Return whether responses to *version* need a converter that must be awaited.

        None if they need no converter.
        """
        return self._narrowings[version].awaits(self._name)

    def explain_unserved(self, version: str) -> str:
        """Return why no success of a handler has a form at *version*; empty if one has."""
        reason = ""
        for key in self._list_keys(version):
            if key[0] == "2":
                made = self._media_types[key]
                sent = made and self._narrowings[version].media_type(self._name, key, made)
                if not made or not sent or _is_alike(made, sent):
                    return ""
                reason = f"a response with status {key} can't be sent: it is {made}, not {sent}"
        return reason

    def find_media_type(self, key: str) -> str | None:
        """Return the media type of responses *key* of the newest version that don't name theirs.

        Of several, it is the first that is JSON; None if there is no body.
        """
        listed: Iterable[str] = self._contents.get(key) or ()
        if key in self._declared.statuses(self._name, self._declared.newest):
            listed = self._list_sent(key)
        return min(listed, key=lambda name: not is_json(name), default=None)

    def list_media_types(self) -> Iterator[str]:
        """Yield the media types of all responses, of any version."""
        for content in self._contents.values():
            yield from content or ()

    def list_sent(self) -> Iterator[tuple[int, str]]:
        """Yield the statuses and media types of the newest version's responses.

        The media type is empty if there is no body. Where no other response is a success, `default`
        is one, too.
        """
        listed = self._list_keys(self._declared.newest)
        for key in listed:
            statuses = [_error_status(key)]
            if key == "default" and not any(each[0] in "23" for each in listed):
                statuses.append(_usual(listed))
            for status in statuses:
                for media_type in self._list_sent(key) or [""]:
                    yield status, media_type

    def _list_sent(self, key: str) -> list[str]:
        """Return the media types of the response *key* of the newest version."""
        narrowing = self._narrowings[self._declared.newest]
        listed = self._contents[key] or ()
        return [each for each in listed if narrowing.body(self._name, key, each) is not withheld]

    def has_body(self, key: str, version: str) -> bool:
        """Return whether the response *key* has a body at *version*."""
        narrowing = self._narrowings[version]
        listed = self._contents.get(key) or ()
        return any(narrowing.body(self._name, key, each) is not withheld for each in listed)

    def describes_body(self, key: str) -> bool:
        """Return whether the response *key* has a body at any version."""
        return bool(self._contents.get(key))

    def find_declared(self, key: str, media_type: str) -> str:
        """Return the declared media type in whose place *media_type* is sent in the response *key*.

        It is itself if it is declared, or in no declared range. All JSON in a range is sent in the
        place of JSON, and nothing else is.
        """
        ranges = {name: name for name in self._contents.get(key) or ()}
        if media_types.find_declared(ranges, media_type) is None:
            ranges |= self._declared.ranges(self._name, key)
            found = ranges.get(find_essence(ranges, media_type), media_type)
            return found if is_json(found) == is_json(media_type) else media_type
        return media_type

    def declares(self, key: str, media_type: str) -> bool:
        """Return whether the response *key* has a body of *media_type*."""
        return media_types.find_declared(self._contents.get(key) or {}, media_type) is not None

    def find_counterpart(
        self, key: str, media_type: str, version: str, sent: str | None = None
    ) -> str | None:
        """Return the media type in which callers of *version* get a body of *media_type*.

        They get it in the response *key*; the application has sent it in the response *sent*, by
        default the same. Where a response or media type takes the place of another one, both have
        to be JSON, or have the same media type apart from parameters, and their schemas have to be
        equal. None if there is none. Raises UnfitError for an undeclared media type.
        """
        narrowing = self._narrowings[version]
        listed = self._contents.get(key) or {}
        is_same = sent is None or sent == key
        if is_same and narrowing.body(self._name, key, media_type) is not withheld:
            return media_type
        # it has to be declared there
        self._narrowings[self._declared.newest].body(self._name, sent or key, media_type)
        schema = self._declared.answer_schema(self._name, sent or key, media_type)
        name = essence(media_type)
        for other in sorted(listed, key=lambda each: essence(each) != name):
            if (
                _is_alike(media_type, other)
                and narrowing.body(self._name, key, other) is not withheld
            ):
                there = self._declared.answer_schema(self._name, key, other)
                if there == schema:
                    return other
        return None

    def answer(
        self, result: Any, version: str, accept: str | None = None
    ) -> tuple[Answer, Headers]:
        """Return the response for *result* to callers who *accept* it. Raises MisfitError."""
        if not self.negotiates and not isinstance(result, Reply):
            return self._defined(None, version).answer(result), []
        reply = result if isinstance(result, Reply) else Reply(result)
        response = self._defined(reply.status, version)
        if not 200 <= response.status <= _HIGHEST:
            raise MisfitError(f"{response.status} can't be the status of an answer")
        forms = self._choose_forms(response, reply, version, accept)
        return _write_first(forms, reply.body), self._head(reply, response, version)

    def open(self, result: Any, version: str, accept: str | None = None) -> Stream | None:
        """Return the stream for *result*; None if it is sent as a whole.

        Raises MisfitError.
        """
        pieces = result.body if isinstance(result, Reply) else result
        if not isinstance(pieces, AsyncIterable | Iterator):
            return None
        reply = result if isinstance(result, Reply) else Reply(result)
        response = self._defined(reply.status, version)
        headers = partial(self._head, reply, response, version)
        form = self._choose_forms(response, reply, version, accept)[0]
        if form.media_type is None or form.schema is not None:
            raise MisfitError(f"{self._name} answers with no stream")
        write: Callable[[Any], bytes] = form.write_piece
        if is_sequential(form.media_type):
            write = self._find_items(form.key, form.media_type, version).write
        return Stream(form.status, form.media_type, headers, pieces, write)

    def find_wanted(self, version: str, accept: str | None) -> str | None:
        """Return the media type of the usual success that callers who *accept* it prefer."""
        response = self.response(None, version)
        if response is None or accept is None:
            return None if response is None else response.media_type
        listed = self._list_forms(response, version)
        return rank_accepted(listed, accept)[0] if len(listed) > 1 else response.media_type

    def _choose_forms(
        self, response: Response, reply: Reply[Any], version: str, accept: str | None
    ) -> list[Response]:
        """Return *response* in each media type that the body of *reply* may have.

        Those that callers *accept* come first. Raises MisfitError if there is none.
        """
        listed = self._list_forms(response, version)
        if reply.media_type is not None:
            return [self._find_form(response, listed, reply.media_type, version)]
        if len(listed) < 2:
            return [response]
        found = [each for each in listed if _may_be(each, reply.body, listed)]
        if not found:
            raise MisfitError(
                f"a {type(reply.body).__name__} has none of the media types {', '.join(listed)}"
            )
        return [listed[each] for each in rank_accepted(found, accept)]

    def _list_forms(self, response: Response, version: str) -> dict[str, Response]:
        """Return *response* in each media type that *version* has, the preferred one first."""
        known_as = version, response.status
        if known_as not in self._forms:
            listed = self._contents.get(response.key) or () if response.media_type else ()
            narrowing = self._narrowings[version]
            self._forms[known_as] = {
                each: self._describe_form(response, each, version)
                for each in listed
                if narrowing.body(self._name, response.key, each) is not withheld
            }
        return self._forms[known_as]

    def _find_form(
        self, response: Response, listed: Mapping[str, Response], media_type: str, version: str
    ) -> Response:
        """Return *response* in *media_type*, or what *version* has in its place."""
        names = {essence(each): each for each in listed}
        name = media_types.find_declared(listed, media_type)
        name = name or names.get(find_essence(names, media_type))
        if name is None and self.declares(response.key, media_type):
            known = media_types.find_declared(self._contents[response.key] or (), media_type)
            name = self.find_counterpart(response.key, known or media_type, version)
        if name is None:
            raise MisfitError(
                f"{self._name} has no {media_type} with status {response.status} at {version}"
            )
        form = listed[name]
        return form._replace(media_type=media_type) if "*" in name else form

    def _head(self, reply: Reply[Any], response: Response, version: str) -> Headers:
        """Return the headers of *reply*, and `Vary` if its media type is negotiated."""
        fields = self.headers(reply.headers, response, version)
        if len(self._list_forms(response, version)) > 1:
            fields.append((b"vary", b"Accept"))
        return fields

    def _find_items(self, key: str, media_type: str, version: str) -> Items:
        known_as = key, media_type, version
        if known_as not in self._items:
            change = self._narrowings[version].body(self._name, key, media_type)
            if change is withheld:
                raise MisfitError(f"{media_type} is not declared at {version}")
            self._items[known_as] = Items(
                media_type,
                change,
                self._validator(key, media_type),
                data=self._declared.event_data(self._name, key, media_type),
                most=self._most,
            )
        return self._items[known_as]

    def render_refusal(self, refusal: Refusal, version: str) -> tuple[Answer | None, Headers]:
        """Return the response for *refusal*; None for a text that can't be sent as it is.

        A status that callers of *version* don't know may have a text as its body, and nothing else,
        since no declaration says what else they may be shown. Raises MisfitError.
        """
        status, body = refusal.status, refusal.body
        if not 300 <= status <= _HIGHEST:
            raise MisfitError(f"{status} can't be the status of a refusal")
        response = self.response(status, version)
        headers = self.headers(refusal.headers, response, version)
        if status in BODILESS or (body is None and response is None):
            return Answer(status, None, b""), headers
        if isinstance(body, str):
            return (None if response is None else response.text(body)), headers
        if response is None:
            raise MisfitError(
                f"{self._name} has no response with status {status} at {version}: its body can "
                f"only be a text, not {type(body).__name__}"
            )
        return response.answer(body), headers

    def response(self, status: int | None, version: str) -> Response | None:
        """Return the response of *version* with *status*, by default the usual one."""
        key = version, status
        if key not in self._responses:
            self._responses[key] = self._create_response(status, version)
        return self._responses[key]

    def list_forms(self, status: int, version: str) -> list[Response]:
        """Return the response of *version* with *status* in each media type, the usual one first.

        It is empty if there is no such response.
        """
        response = self.response(status, version)
        if response is None:
            return []
        others = self._list_forms(response, version)
        return [response, *(others[name] for name in others if name != response.media_type)]

    def find_key(self, status: int, version: str) -> str | None:
        """Return the key of the response of *version* with *status*, None if there is none.

        A `default` beside the successes of *version* is none for what replaced them.
        """
        newest = self._list_keys(self._declared.newest)
        return find_declared(str(status), newest, self._list_keys(version))

    def errors(self, version: str) -> Iterator[Response]:
        """Yield the responses for errors at *version*, each with its first status."""
        for key in self._list_keys(version):
            if key[0] in "45d":
                yield self._describe_response(_error_status(key), key, version)

    def headers(self, given: Mapping[str, Any], response: Response | None, version: str) -> Headers:
        """Return the fields of the headers *given*, without those that *version* lacks.

        Headers that only other responses have are left out, too, unless they are standard ones.
        Undeclared ones are sent if they are texts. Raises MisfitError.
        """
        if not given:
            return []
        declared = self._fields(response.key) if response is not None else {}
        known = {}
        fields = []
        for name, value in given.items():
            header = declared.get(name.lower())
            if header is not None:
                known[header.name] = header.read(value)
            elif not isinstance(value, str | int):
                raise MisfitError(f"{name!r} is not a declared header of {self._name}")
            elif name.lower() in STANDARD or name.lower() not in self._declared.headers:
                text = value if isinstance(value, str) else encode(value).decode()
                fields.append(encode_header(name, text))
        if known and response is not None:
            try:
                known = self._narrowings[version].headers(self._name, response.key)(known)
            except UnfitError as error:
                raise MisfitError(f"the headers: {error}") from error
        return [
            *(
                encode_header(name, line)
                for name, value in known.items()
                if response is not None
                for line in write_header(self._describe_header(response.key, version, name), value)
            ),
            *fields,
        ]

    def narrow_headers(
        self, given: Headers, key: str, version: str, *, is_strict: bool = False
    ) -> Headers:
        """Return the fields *given*, with those narrowed that the response *key* declares.

        All others are unchanged. Raises MisfitError for what can't be narrowed and, if it
        *is_strict*, for an invalid value of any of those.
        """
        if not self.changes_headers(key, version):
            return given
        declared = self._fields(key)
        fields: Headers = []
        sent: dict[str, list[str]] = {}
        for name, line in given:
            if (called := _lower(name)) in declared:
                sent.setdefault(called, []).append(line.decode("latin-1"))
            else:
                fields.append((name, line))
        # a header that is sent several times is narrowed as often, unless it is a list
        rounds: list[dict[str, list[str]]] = []
        for called, lines in sent.items():
            for at, group in enumerate(declared[called].group(lines)):
                rounds += [{}] if at == len(rounds) else []
                rounds[at][declared[called].name] = group
        try:
            for each in rounds:
                fields += self._narrow_lines(each, key, version, is_strict=is_strict)
            return fields
        except UnfitError as error:
            raise MisfitError(f"the headers: {error}") from error

    def _narrow_lines(
        self, sent: Mapping[str, list[str]], key: str, version: str, *, is_strict: bool
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield the fields of the headers *sent*, narrowed; those of equal values are unchanged."""
        declared = self._fields(key)
        values = {
            name: declared[name.lower()].read_lines(lines, is_strict=is_strict)
            for name, lines in sent.items()
        }
        names = {shown: name for name, shown in self._shape_headers(key, version)[0].items()}
        for name, value in self._narrowings[version].headers(self._name, key)(values).items():
            before = names.get(name, name)
            is_kept = before in values and value is values[before]
            if is_kept and not self._is_respelled(before, name, key, version):
                lines = sent[before]
            elif isinstance(value, str) and is_kept:
                # it is not valid, and no converter has read it
                lines = [value]
            else:
                lines = write_header(self._describe_header(key, version, name), value)
            yield from (encode_header(name, line, "latin-1") for line in lines)

    def changes_headers(self, key: str, version: str) -> bool:
        """Return whether a header of the response *key* is another one at *version*."""
        if self._narrowings[version].headers(self._name, key) is not identity:
            return True
        return any(
            self._is_respelled(each.name, each.name, key, version)
            for each in self._fields(key).values()
        )

    def respells(self, version: str) -> bool:
        """Return whether a header of any response is written in another style at *version*."""
        return any(
            self._is_respelled(each.name, names.get(each.name, each.name), key, version)
            for key in self._contracts["headers"].get(self._name, {})
            for names, left_out in [self._shape_headers(key, version)]
            for each in self._fields(key).values()
            if each.name not in left_out
        )

    def _is_respelled(self, name: str, shown: str, key: str, version: str) -> bool:
        notation = self._declared.notation(self._name, version, key, shown)
        return not self._fields(key)[name.lower()].has_notation(notation)

    def _describe_header(self, key: str, version: str, shown: str) -> Described:
        """Return how *version* describes the header that it calls *shown*."""
        names = {each: name for name, each in self._shape_headers(key, version)[0].items()}
        header = self._fields(key).get(names.get(shown, shown).lower())
        described = header.described if header is not None else _UNDESCRIBED
        notation = self._declared.notation(self._name, version, key, shown)
        return {**described, **notation, "name": shown}

    def _shape_headers(self, key: str, version: str) -> tuple[Mapping[str, str], Collection[str]]:
        """Return the names that headers have at *version*, and those that it lacks."""
        responses = self._contracts["down"]["operations"].get(self._name, {})
        shape = self._declared.shape(responses.get(key, {}).get("headers"), version) or {}
        return shape.get("names", {}), shape.get("left_out", ())

    def _defined(self, status: int | None, version: str) -> Response:
        response = self.response(status, version)
        if response is None:
            raise MisfitError(f"{self._name} has no response with status {status} at {version}")
        return response

    def _list_keys(self, version: str) -> list[str]:
        """Return the keys of the responses that *version* has; published ones may be no status."""
        statuses = self._declared.statuses(self._name, version)
        known = [key for key in self._media_types if key in statuses]
        return [*filter(has_meaning, known)]

    def _create_response(self, status: int | None, version: str) -> Response | None:
        known = self._list_keys(version)
        if status is None:
            status = _usual(known)
            if find_covering(str(status), known) is None:
                return Response(status, "")
        key = self.find_key(status, version)
        if key is None and is_usual(str(status), self._list_keys(self._declared.newest)):
            # the usual result of a handler has another status in this version
            return self._create_response(None, version)
        return None if key is None else self._describe_response(status, key, version)

    def _describe_response(self, status: int, key: str, version: str) -> Response:
        narrowing = self._narrowings[version]
        media_type = self._media_types[key]
        if media_type is not None:
            media_type = narrowing.media_type(self._name, key, media_type)
        if media_type is None or status in BODILESS:
            return Response(status, key)
        return self._describe_form(Response(status, key), media_type, version)

    def _describe_form(self, response: Response, media_type: str, version: str) -> Response:
        """Return *response* with a body of *media_type*."""
        status, key = response.status, response.key
        if is_sequential(media_type):
            items = self._find_items(key, media_type, version)
            return Response(status, key, media_type, None, _join(items))
        change = self._narrowings[version].body(self._name, key, media_type)
        validator = self._validator(key, media_type)
        if validator is None:
            return Response(status, key, media_type, None, _raw(change))
        schema = self._contracts["results"][self._name][key][media_type]
        return Response(status, key, media_type, schema, _json(validator, change))

    def _validator(self, key: str, media_type: str) -> Validator | None:
        return self._declared.result_validator(self._name, key, media_type)

    def _fields(self, key: str) -> dict[str, Header]:
        """Return the headers of a response by their names in lower case."""
        if key not in self._headers_:
            described = self._contracts["headers"].get(self._name, {}).get(key, {})
            canonical = self._contracts["canonical"]
            self._headers_[key] = {
                name.lower(): Header(name, each, canonical) for name, each in described.items()
            }
        return self._headers_[key]


def _may_be(media_type: str, body: Any, listed: Iterable[str]) -> bool:
    """Return whether *body* may be sent as *media_type*, one of those *listed*.

    Bytes are no JSON, and an iterator has the items of a sequence if there is one.
    """
    if isinstance(body, bytes):
        return not is_json(media_type) and not is_sequential(media_type)
    if isinstance(body, AsyncIterable | Iterator):
        is_any = any(map(is_sequential, listed))
        return is_sequential(media_type) if is_any else not is_json(media_type)
    kinds: list[Callable[[str], bool]] = [is_json]
    if isinstance(body, list | tuple):
        kinds.append(is_sequential)
    elif isinstance(body, str):
        kinds.append(lambda name: not is_json(name) and not is_sequential(name))
    return next((is_kind(media_type) for is_kind in kinds if any(map(is_kind, listed))), False)


def _write_first(forms: Sequence[Response], body: Any) -> Answer:
    """Return the first of *forms* that *body* is valid for.

    Raises the MisfitError of the first one if there is none.
    """
    for form in forms if len(forms) > 1 else ():
        with suppress(MisfitError):
            return form.answer(body)
    return forms[0].answer(body)


def _is_alike(one: str, other: str) -> bool:
    """Return whether a body of one media type can be sent as one of the *other*."""
    names = essence(one), essence(other)
    return names[0] == names[1] or all(map(is_json, names))


def _lower(name: bytes) -> str:
    return name.decode("latin-1").lower()


def make_repeatable(result: Any) -> Any:
    """Return *result* as plain JSON, if it may be an iterator that yields its items once.

    Raises MisfitError for values that are not JSON.
    """
    if isinstance(result, Reply):
        return replace(result, body=make_repeatable(result.body))
    if isinstance(result, ServerSentEvent):
        return replace(result, data=make_repeatable(result.data))
    if isinstance(result, bytes | str):
        return result
    try:
        return to_jsonable_python(result, inf_nan_mode="null")
    except ValueError as error:
        raise MisfitError(str(error)) from error


def _json(validator: Validator, change: Callable[[Any], Any]) -> Write:
    """Return a function that validates a value, applies *change* and writes it."""

    def write(body: Any, dump: Dump) -> bytes:
        try:
            plain = to_jsonable_python(body, inf_nan_mode="null")
            misfit = validator.misfit(plain)
            if misfit is not None:
                raise MisfitError(misfit)
            return dump(change(plain))
        except (ValueError, UnfitError) as error:
            raise MisfitError(str(error)) from error

    return write


def _join(items: Items) -> Write:
    """Return a function that writes a list of items as a whole."""

    def write(body: Any, _: Dump) -> bytes:
        if not isinstance(body, list | tuple):
            raise MisfitError(f"{type(body).__name__} where items belong")
        return b"".join(map(items.write, body))

    return write


def _usual(keys: list[str]) -> int:
    """Return the status of a result without one: the first success that is defined."""
    return next(map(first_status, choose_successes(keys)), 204)


def _error_status(key: str) -> int:
    """Return the first status of an error by the key of its response."""
    return 500 if key == "default" else first_status(key)


def _raw(change: Callable[[Any], Any]) -> Write:
    """Return a function that writes bytes or text after applying *change*.

    Bytes that are not UTF-8, such as a file in a form, are escaped in the text (PEP 383).
    """

    def write(body: Any, _: Dump) -> bytes:
        if isinstance(body, bytes) and change is identity:
            return body
        try:
            is_bytes = isinstance(body, bytes)
            text = change(body.decode(errors="surrogateescape") if is_bytes else body)
        except (ValueError, UnfitError) as error:
            raise MisfitError(str(error)) from error
        if not isinstance(text, str):
            raise MisfitError(f"{type(body).__name__} where bytes or text belong")
        return text.encode(errors="surrogateescape")

    return write
