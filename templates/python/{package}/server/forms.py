"""Leave parts out of forms: those that the version of their caller does not have."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Final
from urllib.parse import unquote, unquote_to_bytes

from .runtime.errors import Fault, RequestError, quote
from .spellings import Foreign

# Only what all parsers of forms read alike is accepted: another reading might have the parts.
_TYPE: Final = re.compile(
    r"""(?P<form>multipart/form-data|application/x-www-form-urlencoded)
    (?:\s*;\s*charset="?(?:utf-?8|us-ascii|iso-8859-1)"?)?
    (?:\s*;\s*boundary=(?:"(?P<quoted>[^"\\]+)"|(?P<boundary>[^\s;,"]+)))?
    (?:\s*;\s*charset="?(?:utf-?8|us-ascii|iso-8859-1)"?)?\s*""",
    re.IGNORECASE | re.VERBOSE,
)
_HEADER: Final = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[^\r\n\0]*")
_DISPOSITION: Final = re.compile(
    rb"""content-disposition:[ \t]*form-data
    (?:[ \t]*;[ \t]*(?:filename\*?|(name))=("[^"\\]*"|[^\s;"]+))*[ \t]*""",
    re.IGNORECASE | re.VERBOSE,
)
_NAME: Final = re.compile(rb"""(?<![a-z])name[*\d]*\s*=\s*("[^"\\]*"|[^\s;"]*)""", re.IGNORECASE)


class FormReader:
    """Reads forms without the parts *gone*, however their names are spelled.

    *names* are those of the caller's version, which stay.
    """

    def __init__(self, gone: Collection[str], names: Collection[str]) -> None:
        self._foreign = Foreign(names, gone)

    def of_type(self, content_type: str | None) -> Callable[[bytes], bytes]:
        """Return the reader of a body of *content_type*. It raises RequestError, as this does."""
        found = _TYPE.fullmatch((content_type or "").strip(" \t"))
        if found is None:
            reason = f"a form can't be read as {quote(content_type or '')}"
            raise RequestError(reason, Fault.UNSUPPORTED_MEDIA)
        if not found["form"].lower().startswith("multipart"):
            return self._read_pairs
        boundary = found["quoted"] or found["boundary"]
        if boundary is None:
            raise RequestError("the content type of the body names no boundary")
        return partial(self._read_parts, b"--" + boundary.encode("latin-1"))

    def _read_pairs(self, content: bytes) -> bytes:
        return b"&".join(keep_pairs(content, self._foreign.has, "the body"))

    def _read_parts(self, line: bytes, content: bytes) -> bytes:
        before, *parts = content.split(line)
        if not parts or before.strip(b"\r\n") or parts[-1].rstrip() != b"--":
            raise _unreadable()
        kept = [part for part in parts[:-1] if not any(map(self._foreign.has, _read_names(part)))]
        return line.join([before, *kept, parts[-1]])


def keep_pairs(pairs: bytes, is_gone: Callable[[str], bool], where: str) -> Iterator[bytes]:
    """Yield those of *pairs*, a query string or a form, whose name is not gone.

    Raises RequestError if one has such a name behind a semicolon, at which some parsers end a pair.
    *where* they are is named in its message.
    """
    for pair in pairs.split(b"&"):
        first, *others = [_decode_name(each) for each in pair.split(b";")]
        if any(map(is_gone, others)):
            raise RequestError(f"{where} has a semicolon that is not encoded")
        if not is_gone(first):
            yield pair


def _decode_name(pair: bytes) -> str:
    name = pair.partition(b"=")[0].replace(b"+", b" ")
    return unquote_to_bytes(name).decode(errors="surrogateescape")


def _read_names(part: bytes) -> tuple[str, str]:
    """Return the name of *part* as it is written, and decoded as some parsers do it."""
    head, blank, _ = part.partition(b"\r\n\r\n")
    if not (blank and head.startswith(b"\r\n") and part.endswith(b"\r\n")):
        raise _unreadable()
    lines = head[2:].split(b"\r\n")
    described = [each for each in lines if each.lower().startswith(b"content-disposition")]
    names = _NAME.findall(head)
    if (
        not all(map(_HEADER.fullmatch, lines))
        or [bool(_DISPOSITION.fullmatch(each)) for each in described] != [True]
        or len(names) != 1
        or b"=?" in names[0]
    ):
        raise _unreadable()
    name = names[0].strip(b'"').decode(errors="surrogateescape")
    return name, unquote(name)


def _unreadable() -> RequestError:
    return RequestError("the body is a form with a part that can't be read")
