"""Narrow the answers of an application that implements the newest version, as they are sent."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, getincrementaldecoder
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from .codings import CODINGS, decode, encode
from .contracts import Contracts, MisfitError, Validator
from .items import Items
from .plain import UNREADABLE, read_json, read_quickly, write_json, write_quickly
from .results import STANDARD, Results
from .runtime import etag
from .runtime.asgi import BODILESS, Headers, Message
from .runtime.media_types import essence, is_json, split_list
from .runtime.narrowing import Narrowing, Reliance, UnfitError, identity
from .runtime.problems import is_bare_message
from .runtime.sequences import is_sequential
from .runtime.statuses import find_covering

# Headers that describe the bytes of the body, which has been replaced.
_OF_BYTES: Final = frozenset(
    {b"content-length", b"content-md5", b"digest", b"content-digest", b"repr-digest"}
    | {b"accept-ranges", b"transfer-encoding", b"trailer", b"signature", b"signature-input"}
)

_OF_BODY: Final = frozenset({b"content-type", b"content-encoding", b"content-language"})

# Headers of an answer that do not stay with another body in its place.
_OF_CONTENT: Final = (
    _OF_BYTES
    | _OF_BODY
    | {b"content-disposition", b"content-location", b"content-range", b"etag", b"last-modified"}
)

_NOTED: Final = _OF_BYTES | {b"content-type", b"content-encoding", b"etag"}

# Blanks, marks of byte order, separators of records, and the zeros of UTF-16 and UTF-32.
_BEFORE: Final = b" \t\r\n\x1e\0\xef\xbb\xbf\xff\xfe"

# Formats that clients read like JSON, and types of text that may contain it.
_DATA: Final = re.compile(
    r"(?!image/svg\+|application/xhtml\+)[^/]+/(?:.*[+.-])?"
    r"(?:json|xml|ya?ml|cbor|msgpack|bson|ubjson|smile|ion|avro|toml|protobuf)(?:-seq)?"
)
_TEXT: Final = re.compile(r"(?:text|multipart|message)/.*|[^/]*/.*(?:java|ecma)script")

# How much of a body shows whether it is text, and what text does not have.
_MUCH: Final = 1024
_BINARY: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")

# The number of bytes of an error that are read.
_LONGEST: Final = 1024 * 1024

_UNREADABLE: Final[tuple[type[Exception], ...]] = (*UNREADABLE, UnfitError)

Change = Callable[[Any], Any]


class Treatment(NamedTuple):
    """How a response is narrowed: its status, headers and body."""

    status: int
    key: str | None = None
    body: Body | None = None
    """the change of the body, if any"""
    items: Items | None = None
    """the change of a stream, item by item, if any"""
    is_replaced: bool = False
    """whether an error of the definitions replaces it"""
    keeps_headers: bool = False
    """whether all headers stay, except those that describe the bytes of the body"""
    media_type: str | None = None
    """the media type that takes the place of the application's, if it is another one"""
    has_no_body: bool = False
    """whether only the newest version has a body there"""


class Prepared(NamedTuple):
    """How the body of an answer is changed; ``coding`` is its content coding, empty for none."""

    status: int
    body: Body
    coding: str


class AnswerNarrowing:
    """Narrows the answers of one operation to one version."""

    def __init__(
        self,
        operation: str,
        results: Results,
        contracts: Contracts,
        narrowings: Mapping[str, Narrowing],
        version: str,
        *,
        is_strict: bool,
        renders_errors: bool,
        most: int,
    ) -> None:
        self._operation = operation
        self._renders_errors = renders_errors
        self._is_strict = is_strict
        self._results = results
        self._narrowing = narrowings[version]
        self._known = contracts.statuses(operation, version)
        self._newest = contracts.statuses(operation, contracts.newest)
        self._successes = [each for each in self._newest if each[0] == "2"]
        self._version = version
        self._contracts = contracts
        self._most = most
        self._treatments: dict[tuple[int, str], Treatment] = {}
        self._prepared: dict[tuple[int, bytes, bytes], Prepared] = {}
        self.is_plain: Final = (
            self._known == self._newest
            and not self._narrowing.changes(operation)
            and not results.respells(version)
        )
        """whether all answers are those of the newest version"""
        self.awaits: Final = self._narrowing.awaits(operation)
        """whether a converter has to be awaited; None where none is needed"""
        self.converts: Final = self.awaits is not None

    @cached_property
    def media_types(self) -> dict[str, list[str]]:
        """The media types of all answers, each with those that callers get as it.

        The application sends those. There are none for what callers don't get.
        """
        found: dict[str, list[str]] = {
            essence(each): [] for each in self._results.list_media_types()
        }
        for status, media_type in self._results.list_sent():
            name = essence(media_type)
            with suppress(MisfitError):
                treatment = self.treat(status, media_type)
                if name and not treatment.is_replaced:
                    found[name].append(name)
                    found[essence(treatment.media_type or name)].append(name)
        # the application decides between others by what its callers accept
        return {
            name: [name] if name in sent else [*dict.fromkeys(sent)] for name, sent in found.items()
        }

    def treat(self, status: int, content_type: str) -> Treatment:
        """Return how an answer is narrowed. Raises MisfitError for one that can't be sent."""
        key = status, content_type
        if key not in self._treatments:
            if len(self._treatments) > 64:
                self._treatments.clear()
            self._treatments[key] = self._treat(status, content_type)
        return self._treatments[key]

    def prepare(self, message: Message) -> tuple[Message, Prepared] | None:
        """Return the start of an answer without its length, if only its body changes, and how.

        None if more changes, and for the first answer with its status and type.
        """
        content_type = coding = b""
        headers: Headers = []
        for field in message.get("headers", ()):
            name = field[0].lower()
            if name not in _NOTED:
                headers.append(field)
            elif name == b"content-type" and not content_type:
                content_type = bytes(field[1])
                headers.append(field)
            elif name == b"content-encoding" and not coding:
                coding = bytes(field[1])
                headers.append(field)
            elif name not in _OF_BYTES:
                # an entity-tag, or a header that may not be repeated
                return None
        key = message["status"], content_type, coding
        prepared = self._prepared.get(key)
        if prepared is None:
            treatment = self._treatments.get((key[0], content_type.decode("latin-1")))
            if treatment is None or treatment.body is None or not treatment.keeps_headers:
                return None
            if len(self._prepared) > 64:
                self._prepared.clear()
            named = coding.decode("latin-1").strip().lower()
            prepared = Prepared(treatment.status, treatment.body, named)
            self._prepared[key] = prepared
        return {
            **message,
            "status": prepared.status,
            "headers": headers,
            "trailers": False,
        }, prepared

    def find_error(self, status: int, content_type: str) -> ErrorBody | None:
        """Return what knows whether an error fits; None if it need not, or can't be rendered."""
        if not self._renders_errors or status < HTTPStatus.BAD_REQUEST:
            return None
        own = self._results.response(status, self._version)
        if own is None or own.schema is None:
            return None
        content_type = _unite(content_type)
        sent_as = self._results.find_declared(own.key, content_type or own.media_type or "")
        validator = self._contracts.answer_validator(self._operation, own.key, sent_as)
        if is_sequential(sent_as):
            return None
        if validator is None and self._results.declares(own.key, sent_as):
            # another format than JSON
            return None
        return ErrorBody(validator, _SAME)

    @property
    def describes_errors(self) -> bool:
        """Whether there are errors that can be rendered by the definitions."""
        if not self._renders_errors:
            return False
        return any(each.schema is not None for each in self._results.errors(self._version))

    def _treat(self, status: int, content_type: str) -> Treatment:
        is_error = status >= HTTPStatus.BAD_REQUEST
        key = self._results.find_key(status, self._version)
        declared = find_covering(str(status), self._newest)
        if declared == "default" and status // 100 == 2 and self._successes:
            # it is for errors
            return self._treat_undeclared(status, content_type)
        sent_in = declared or key
        if key is None:
            if declared is None:
                return self._treat_undeclared(status, content_type)
            usual = self._results.response(status, self._version)
            if usual is None:
                if is_error:
                    return Treatment(status, is_replaced=True)
                raise MisfitError(f"status {status} is none of {self._version}")
            if not usual.key:
                # no success is declared at this version
                return Treatment(usual.status)
            status, key = usual.status, usual.key
        # servers may leave the type out, and clients read what is there all the same
        content_type = _unite(content_type)
        is_named = bool(content_type)
        content_type = content_type or self._results.find_media_type(sent_in or key) or ""
        if status in BODILESS:
            return Treatment(status, key)
        if not content_type:
            reason = f"status {status} has no body in {self._operation}"
            treatment = self._treat_undescribed(status, key, reason)
            return self._allow_message(treatment) if is_error else treatment
        try:
            if is_json(content_type) or not _is_data(content_type):
                content_type = self._results.find_declared(sent_in or key, content_type)
            sent_as = self._results.find_counterpart(key, content_type, self._version, sent_in)
        except UnfitError as error:
            if is_error and not _is_data(content_type):
                treatment = self._treat_undescribed(status, key, str(error))
                return self._render(treatment, content_type)
            if is_error and is_json(content_type) and not self._results.describes_body(key):
                return self._allow_message(self._treat_undescribed(status, key, str(error)))
            raise MisfitError(str(error)) from None
        if sent_as is None:
            if is_error and is_named:
                return Treatment(status, is_replaced=True)
            if not self._results.has_body(key, self._version):
                return Treatment(status, key, has_no_body=True)
            raise MisfitError(f"{content_type} is not declared at {self._version}")
        media_type = None if sent_as == content_type else sent_as
        content_type = sent_as
        change = self._narrowing.body(self._operation, key, content_type)
        if change is identity and media_type is None:
            return self._render(Treatment(status, key), content_type if is_named else "")
        treatment = self._treat_declared(status, key, content_type, change, is_named=is_named)
        if media_type is None:
            return treatment
        return treatment._replace(media_type=media_type, keeps_headers=False)

    @staticmethod
    def _allow_message(treatment: Treatment) -> Treatment:
        """Return *treatment* for an error without a declared body, which may have a message."""
        assert isinstance(treatment.body, Undescribed)
        return treatment._replace(body=_Message(treatment.body))

    def _render(self, treatment: Treatment, content_type: str) -> Treatment:
        """Return *treatment* for a body that is rendered by the definitions if it does not fit."""
        found = self.find_error(treatment.status, content_type)
        if found is None or treatment.key is None:
            return treatment
        body = found.otherwise(treatment.body or _SAME)
        keeps_headers = not self._results.changes_headers(treatment.key, self._version)
        return treatment._replace(body=body, keeps_headers=keeps_headers)

    def _treat_declared(
        self, status: int, key: str, content_type: str, change: Change, *, is_named: bool
    ) -> Treatment:
        """Return how a body of the declared *content_type* is narrowed by *change*.

        It *is_named* if the answer says what its type is.
        """
        validator = self._contracts.answer_validator(self._operation, key, content_type)
        if not is_sequential(content_type):
            if validator is None:
                body: Body = _Text(change)
            elif status >= HTTPStatus.BAD_REQUEST or self._is_strict:
                body = _Validated(change, validator)
            elif relies := self._narrowing.find_reliance(self._operation, key, content_type):
                body = _Validated(change, validator, relies)
            else:
                body = _Json(change)
            if not is_named:
                body = _Untyped(body)
            keeps_headers = not self._results.changes_headers(key, self._version)
            return Treatment(status, key, body, keeps_headers=keeps_headers)
        found = self._contracts.event_data(self._operation, key, content_type)
        items = Items(content_type, change, validator, data=found, most=self._most)
        return Treatment(status, key, items=items)

    def explain_unserved(self) -> str:
        """Return why no success of the application has a form at this version; empty if one has."""
        reason = ""
        for status, content_type in self._results.list_sent():
            if status // 100 != 2:
                continue
            try:
                self.treat(status, content_type)
            except MisfitError as error:
                reason = f"a response with status {status} can't be sent: {error}"
            else:
                return ""
        return reason

    def _treat_undeclared(self, status: int, content_type: str) -> Treatment:
        """Return how an answer that no version declares is narrowed: it stays as it is.

        Data may be of a newer version, unless they are an error: they have to fit the only success,
        and are narrowed like it, since many applications set a status without declaring it.
        """
        reason = f"status {status} is not declared by {self._operation}"
        if status >= HTTPStatus.BAD_REQUEST or status in BODILESS:
            return Treatment(status)
        content_type = _unite(content_type)
        name = essence(content_type)
        if status < HTTPStatus.MULTIPLE_CHOICES and _is_data(name):
            key, *others = self._successes or [""]
            validator = self._contracts.answer_validator(self._operation, key, content_type)
            if others or validator is None or is_sequential(name):
                raise MisfitError(reason)
            change = self._narrowing.body(self._operation, key, content_type)
            return Treatment(status, key, _Validated(change, validator))
        is_text = not name or "," in name or _TEXT.fullmatch(name) is not None
        return self._treat_undescribed(status, None, reason, is_message=is_text)

    def _treat_undescribed(
        self, status: int, key: str | None, reason: str, *, is_message: bool = True
    ) -> Treatment:
        """Return how an undeclared body is narrowed: it stays as it is.

        JSON, whatever its declared type, may be of a newer version: *reason* says why it can't be
        sent.
        """
        is_message = is_message or status >= HTTPStatus.MULTIPLE_CHOICES
        body = Undescribed(reason, is_message=is_message)
        keeps_headers = key is None or not self._results.changes_headers(key, self._version)
        return Treatment(status, key, body, keeps_headers=keeps_headers)

    def headers(self, given: Headers, treatment: Treatment) -> Headers:
        """Return the headers of an answer, narrowed, with the entity-tags of the version.

        An invalid entity-tag is left out: it would be the same for all versions.
        """
        if treatment.key is not None:
            given = self._results.narrow_headers(
                given, treatment.key, self._version, is_strict=self._is_strict
            )
        narrowed: Headers = []
        if treatment.media_type is not None:
            given = [each for each in given if each[0].lower() != b"content-type"]
            narrowed.append((b"content-type", treatment.media_type.encode("latin-1")))
        elif treatment.has_no_body or treatment.status == HTTPStatus.NO_CONTENT:
            given = [each for each in given if each[0].lower() not in _OF_BODY]
        for name, value in given:
            if name.lower() == b"etag":
                with suppress(ValueError):
                    tag = etag.tag_version(value.decode("latin-1"), self._version)
                    narrowed.append((name, tag.encode("latin-1")))
            else:
                narrowed.append((name, value))
        return narrowed

    def list_general_headers(self, given: Headers) -> Headers:
        """Return the headers of an answer that stay with an error in its place.

        Headers that a version declares don't, unless they are standard ones, such as `Retry-After`.
        """
        declared = {name.encode("latin-1") for name in self._contracts.headers - STANDARD}
        return [each for each in given if each[0].lower() not in _OF_CONTENT | declared]


class _Text:
    """Changes a body that is not JSON, as text with other bytes escaped in it (PEP 383)."""

    def __init__(self, change: Change) -> None:
        self._change = change

    def narrow(self, content: bytes, coding: str) -> bytes:
        """Return *content* narrowed, in its *coding*. Raises MisfitError."""
        plain = decode(content, coding)
        try:
            text = self._change(plain.decode(errors="surrogateescape"))
            return encode(text.encode(errors="surrogateescape"), coding)
        except (ValueError, UnfitError) as error:
            raise MisfitError(str(error)) from error


class _Json:
    """Changes a JSON body where its changes find invalid values themselves."""

    def __init__(self, change: Change) -> None:
        self._change = change

    def narrow(self, content: bytes, coding: str) -> bytes:
        """Return *content* narrowed, in its *coding*. Raises MisfitError."""
        plain = decode(content, coding) if coding else content
        try:
            # also what has not changed: a member that it has twice has been read once
            value = read_quickly(plain.removeprefix(BOM_UTF8))
            written = write_quickly(self._change(value))
        except _UNREADABLE as error:
            raise MisfitError(str(error)) from error
        return encode(written, coding) if coding else written


class _Validated:
    """Changes a JSON body after validating it.

    If *relies* is given, the body may be invalid where its change does not rely on it.
    """

    def __init__(
        self, change: Change, validator: Validator, relies: Reliance | None = None
    ) -> None:
        self._change = change
        self._validator = validator
        self._relies = relies

    def narrow(self, content: bytes, coding: str) -> bytes:
        """Return *content* narrowed, in its *coding*. Raises MisfitError."""
        plain = decode(content, coding)
        try:
            value = read_json(plain.removeprefix(BOM_UTF8))
            misfit = self._validator.misfit(value)
            if misfit is not None and not self._is_elsewhere(value):
                raise MisfitError(misfit)
            return encode(write_json(self._change(value)), coding)
        except (ValueError, UnfitError) as error:
            raise MisfitError(str(error)) from error

    def _is_elsewhere(self, value: Any) -> bool:
        """Return whether *value* is invalid only where its change does not rely on it."""
        if self._relies is None:
            return False
        # alike for all items of a list
        places = {
            tuple(0 if isinstance(step, int) else step for step in steps)
            for steps, _ in self._validator.list_misfits(value)
        }
        return not any(map(self._relies, places))


class _Untyped:
    """Changes a body without a media type, if there is one."""

    def __init__(self, body: Body) -> None:
        self._body = body

    def narrow(self, content: bytes, coding: str) -> bytes:
        """Return *content* narrowed, in its *coding*. Raises MisfitError."""
        return self._body.narrow(content, coding) if content else content


class Undescribed:
    """Refuses a body that may be JSON; *reason* says why.

    It may be if it begins like an object or a list or, if it is text, contains one. It is text if
    it *is_message*, or if its beginning has nothing that only files have.
    """

    def __init__(self, reason: str, *, is_message: bool) -> None:
        self._reason = reason
        self._is_message = is_message

    def narrow(self, content: bytes, coding: str) -> bytes:
        """Return *content*. Raises MisfitError."""
        # some clients read invalid JSON: with other encodings, numbers, ends
        plain = decode(content, coding)
        is_text = self._is_message or not _is_binary(plain)
        place = plain if is_text else plain.lstrip(_BEFORE)[:1]
        if b"{" in place or b"[" in place:
            raise MisfitError(self._reason)
        return content

    def is_certain(self, content: bytearray, coding: str) -> bool:
        """Return whether a body that begins with *content* stays as it is, whatever follows."""
        if self._is_message or coding:
            return False
        begin = bytes(content[:_MUCH])
        return _is_binary(begin) and begin.lstrip(_BEFORE)[:1] not in (b"", b"{", b"[")


class _Message:
    """Lets messages in JSON pass, which are the same at all versions; *other* changes the rest."""

    def __init__(self, other: Undescribed) -> None:
        self._other = other

    def narrow(self, content: bytes, coding: str) -> bytes:
        """Return *content*. Raises MisfitError."""
        if is_bare_message(decode(content, coding).removeprefix(BOM_UTF8)):
            return content
        return self._other.narrow(content, coding)


class ErrorBody:
    """Knows whether an error fits; without a *validator*, none does.

    One that does not is rendered by the definitions; where that is impossible, *other* changes it
    or, without that, another error replaces it.
    """

    def __init__(self, validator: Validator | None, other: Body | None = None) -> None:
        self._validator = validator
        self.other: Final = other

    def otherwise(self, other: Body) -> ErrorBody:
        """Return this for errors that are treated as *other* does if they can't be rendered."""
        return ErrorBody(self._validator, other)

    def fits(self, content: bytes, coding: str) -> bool:
        """Return whether *content* fits, or can't be read because of its *coding*."""
        if coding and coding not in CODINGS:
            return True
        try:
            value = read_json(decode(content, coding).removeprefix(BOM_UTF8))
        except (ValueError, MisfitError):
            return False
        return self._validator is not None and self._validator.fits(value)

    def narrow(self, content: bytes, coding: str) -> bytes:
        """Return *content*. Raises MisfitError."""
        if self.fits(content, coding):
            return content
        raise MisfitError("it is an error that the definitions don't describe")

    def is_certain(self, content: bytearray, _: str) -> bool:
        """Return whether a body that begins with *content* stays as it is: it is very long."""
        return self.other is _SAME and len(content) > _LONGEST


def _is_data(media_type: str) -> bool:
    """Return whether clients read *media_type* like JSON."""
    name = essence(media_type)
    return _DATA.fullmatch(name) is not None or is_sequential(name)


def _is_binary(content: bytes) -> bool:
    """Return whether *content* begins as no text does."""
    begin = content[:_MUCH]
    if _BINARY.search(begin.lstrip(_BEFORE)) is not None:
        return True
    try:
        getincrementaldecoder("utf-8")().decode(begin)
    except UnicodeDecodeError:
        return True
    return False


class _Same:
    """Changes nothing."""

    def narrow(self, content: bytes, _: str) -> bytes:
        return content


_SAME: Final = _Same()

Body = _Text | _Json | _Validated | _Untyped | Undescribed | _Message | ErrorBody | _Same


def _unite(content_type: str) -> str:
    """Return the media type that a `Content-Type` names, if it names only one.

    It may be repeated, for example because two servers add it. Clients differ in which of several
    types they use: together they count as an undeclared one.
    """
    if "," not in content_type:
        return content_type
    types = split_list(content_type)
    return types[0] if len({*map(essence, types)}) == 1 else content_type


def replace_length(headers: Headers, length: int | None) -> Headers:
    """Return *headers* for another body, of *length* bytes if that is known."""
    kept = [field for field in headers if field[0].lower() not in _OF_BYTES]
    if length is not None:
        kept.append((b"content-length", str(length).encode()))
    return kept


def list_error_headers(given: Headers) -> Headers:
    """Return the headers that stay with another body of an error."""
    return [each for each in given if each[0].lower() not in _OF_CONTENT]


def accept_types(value: bytes, known: Mapping[str, list[str]]) -> bytes:
    """Return an `Accept` with what the application sends in place of *known* media types.

    A range that covers one which is replaced, or that callers don't get, is replaced by the types
    in it.
    """
    accepted = []
    for each in split_list(value.decode("latin-1")):
        covered = [name for name in known if _covers(essence(each), name)]
        if all(known[name] == [name] for name in covered):
            accepted.append(each)
            continue
        weights = [part for part in each.split(";")[1:] if part.strip()[:2].lower() == "q="]
        sent = dict.fromkeys(other for name in covered for other in known[name])
        accepted += [";".join([other, *weights]) for other in sent]
    sent = dict.fromkeys(other for found in known.values() for other in found)
    # a range may be sent many times, and stands for several types
    return ", ".join(dict.fromkeys(accepted) or sent).encode("latin-1") or value


def _covers(accepted: str, media_type: str) -> bool:
    """Return whether the media range *accepted* covers *media_type*."""
    kind = media_type.partition("/")[0]
    return accepted in (media_type, f"{kind}/*", "*/*", "*")
