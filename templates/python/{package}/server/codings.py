"""Decode and encode the content codings of bodies that are narrowed (RFC 9110, section 8.4.1)."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from .contracts import MisfitError

CODINGS: Final = ("gzip", "x-gzip", "deflate", "identity")

# The header says whether it is gzip or zlib.
_ANY_HEADER: Final = 32 + zlib.MAX_WBITS
# What some servers send as deflate: without the header of zlib (RFC 9110, section 8.4.1.2).
_NO_HEADER: Final = -zlib.MAX_WBITS
_HEADER: Final = 2
_PIECE: Final = 64 * 1024


class Decoder:
    """Decodes a body with a content coding. Raises MisfitError for an unknown one."""

    def __init__(self, coding: str) -> None:
        if coding and coding not in CODINGS:
            raise MisfitError(f"a body with the content coding {coding} can't be narrowed")
        self._coding = coding
        self._found = None if coding in ("", "identity") else zlib.decompressobj(_ANY_HEADER)
        self._is_begun = False
        self._begin: bytes | None = b"" if coding == "deflate" else None

    def decode(self, piece: bytes) -> Iterator[bytes]:
        """Yield the decoded bytes of *piece*, the next one of the body. Raises MisfitError."""
        if self._found is None:
            yield piece
            return
        if piece and self._begin is not None:
            self._is_begun = True
            piece = self._begin + piece
            self._begin = piece if len(piece) < _HEADER else None
            if self._begin is not None:
                return
            if not _has_header(piece):
                self._found = zlib.decompressobj(_NO_HEADER)
        while piece:
            try:
                yield self._found.decompress(piece, _PIECE)
            except zlib.error as error:
                raise MisfitError(f"the body is not {self._coding}: {error}") from None
            self._is_begun = True
            piece = self._found.unconsumed_tail
            if self._found.eof:
                # gzip may have several members, and zeros behind them
                piece = self._found.unused_data.lstrip(b"\0")
                if piece:
                    self._found = zlib.decompressobj(_ANY_HEADER)

    def end(self) -> None:
        """Raise MisfitError if the body was cut off."""
        if self._found is not None and self._is_begun and not self._found.eof:
            raise MisfitError(f"the body is not {self._coding}: it is cut off")


def _has_header(content: bytes) -> bool:
    """Return whether *content* begins with the header of zlib (RFC 1950), or that of gzip."""
    is_zlib = content[0] & 0x0F == zlib.DEFLATED and int.from_bytes(content[:2]) % 31 == 0
    return is_zlib or content[:2] == b"\x1f\x8b"


def decode(content: bytes, coding: str) -> bytes:
    """Return *content* without its *coding*. Raises MisfitError."""
    decoder = Decoder(coding)
    decoded = b"".join(decoder.decode(content))
    decoder.end()
    return decoded


def encode(content: bytes, coding: str) -> bytes:
    """Return *content* in *coding*, a known one."""
    if coding in ("gzip", "x-gzip"):
        return gzip.compress(content, 6, mtime=0)
    return zlib.compress(content) if coding == "deflate" else content


@lru_cache(maxsize=64)  # callers send few
def accept_codings(value: bytes) -> bytes:
    """Return an `Accept-Encoding` without the codings that can't be read."""
    known = [
        each.strip()
        for each in value.decode("latin-1").split(",")
        if each.partition(";")[0].strip().lower() in CODINGS
    ]
    return ", ".join(known or ["identity"]).encode("latin-1")
