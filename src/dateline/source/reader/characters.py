"""Decode the text of a file, with one kind of line end and no invisible characters."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from dateline.source.problems import Log, ReadError, line_and_column, short

HALF_CHARACTER: Final = "this escape is half of a character; write the character itself"

_WIDE_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")

# The first bytes of compressed files.
_COMPRESSED: Final = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip"}

# Control and bidi characters, line separators that YAML readers disagree on, characters that
# YAML forbids, and halves of surrogate pairs.
_FORBIDDEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ufeff\ufffe\uffff\ud800-\udfff]"
)

_HALVES: Final = re.compile("[\ud800-\udfff]")

# What readers of YAML disagree on, or refuse.
_NOT_YAML: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]"
)


class UnreadableFileError(ReadError):
    """A file can't be read."""


def text_of(content: bytes, log: Log) -> str:
    """Return *content* as text: LF for every line end, no byte order mark.

    Raises StoppedError if it is not in UTF-8. A forbidden character is reported and replaced by a
    blank.
    """
    text = decode(content, log)
    if "\r" in text:
        text = _with_line_feeds(text, log)
    if _FORBIDDEN.search(text):
        text = _without_invisible(text, log, _FORBIDDEN)
    return text


def published_text(content: bytes, log: Log) -> str:
    """Return *content*, a third-party file, as text without its byte order mark.

    It may be in UTF-8, UTF-16 or UTF-32 (YAML 1.2.2, section 5.2). Raises StoppedError if not.
    """
    encoding = json.detect_encoding(content)
    if encoding.startswith("utf-8"):
        return decode(content, log)
    try:
        return content.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError:
        log.stop(1, 1, "not-utf-8", "the file is in no UTF-8, UTF-16 or UTF-32; save it as UTF-8")


def yaml_of(text: str, log: Log) -> str:
    """Return *text* of a third-party file with LF for every line end.

    Characters that are not in YAML are reported, and replaced by blanks.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _without_invisible(text, log, _NOT_YAML) if _NOT_YAML.search(text) else text


def file_content(path: Path, most_bytes: int, *, inside: Path | None = None) -> bytes:
    """Return the content of the regular file at *path*.

    Raises UnreadableFileError if there is none, if it has more than *most_bytes*, and if a link
    leads out of the folder *inside*; without one, links may lead anywhere.
    """
    try:
        real = path.resolve(strict=True)
        if inside is not None and not real.is_relative_to(inside.resolve()):
            message = f"the link leads to {short(_from_here(real), 80)}"
            raise UnreadableFileError(
                "symlink-outside", message + ", outside its folder; copy the file here"
            )
        if not real.is_file():
            # a pipe would block its reader
            raise UnreadableFileError(
                "unreadable-file", "this is not a regular file; put a file here"
            )
        with real.open("rb") as file:
            content = file.read(most_bytes + 1)
    except (OSError, RuntimeError, ValueError) as error:
        # a loop of links is a RuntimeError to `resolve` until Python 3.12, ELOOP from 3.13 on; a
        # NUL in a name is a ValueError
        if isinstance(error, RuntimeError) or getattr(error, "errno", 0) == errno.ELOOP:
            reason = "the links lead in a circle"
        else:
            reason = getattr(error, "strerror", "") or "it can not be opened"
        message = f"{reason}; make it a file that can be read"
        raise UnreadableFileError("unreadable-file", message) from error
    if len(content) > most_bytes:
        message = f"the file has more than {most_bytes:,} bytes; split it by resource"
        raise UnreadableFileError("too-large", message)
    return content


def _from_here(path: Path) -> str:
    """Return *path* relative to the working folder; unchanged if it is on another drive."""
    with suppress(OSError):  # the working folder may have been removed
        if path.anchor == Path.cwd().anchor:
            return os.path.relpath(path)
    return os.fspath(path)


def decode(content: bytes, log: Log) -> str:
    """Return *content* as text without its byte order mark; raises StoppedError unless UTF-8."""
    for mark, way in _COMPRESSED.items():
        if content.startswith(mark):
            log.stop(1, 1, "not-utf-8", f"the file is compressed by {way}; unpack it")
    if content.startswith(_WIDE_MARKS) or b"\0" in content[:4]:
        log.stop(1, 1, "not-utf-8", "the file is in UTF-16 or UTF-32; save it as UTF-8")
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8").removeprefix("\ufeff")
        place = line_and_column(before, len(before))
        message = f"the byte 0x{content[error.start]:02x} is not UTF-8; save the file as UTF-8"
        log.stop(*place, "not-utf-8", message)


def _with_line_feeds(text: str, log: Log) -> str:
    text = text.replace("\r\n", "\n")
    if "\r" in text:
        place = line_and_column(text, text.index("\r"))
        message = "this carriage return has no line feed after it; end lines with LF or CRLF"
        log.note(*place, "control-character", message)
    return text.replace("\r", "\n")


def _without_invisible(text: str, log: Log, forbidden: re.Pattern[str]) -> str:
    for number, line in enumerate(text.split("\n"), 1):
        if found := forbidden.search(line):
            message = _invisible(found.group()) + "; delete it"
            log.note(number, found.start() + 1, "control-character", message)
    # a blank preserves all positions, so that the other problems are found as well
    return forbidden.sub(" ", text)


def _invisible(character: str) -> str:
    return f"the invisible character U+{ord(character):04X} is here"


def text_refusals(text: str, most_bytes: int, *, adopted: bool) -> Iterator[tuple[str, str]]:
    """Yield id and message for everything that is wrong with a text, its escapes decoded.

    In an *adopted* one, invisible characters may be written as escapes.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > most_bytes:
        message = f"this text has {size:,} bytes, of at most {most_bytes:,}; shorten it"
        yield "too-large", message
    if found := (_HALVES if adopted else _FORBIDDEN).search(text):
        if "\ud800" <= found.group() <= "\udfff":
            yield "lone-surrogate", HALF_CHARACTER
        else:
            yield "control-character", _invisible(found.group()) + ", as an escape; delete it"
