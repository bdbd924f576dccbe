"""Values of the version header, and the expected answers."""

from __future__ import annotations

from typing import Literal, NamedTuple

from dateline_runtime.asgi import VERSION, Limits, Message, Receive, Scope, Send, respond
from dateline_runtime.idempotency import Answer
from dateline_runtime.negotiation import Supported
from dateline_runtime.versioned import Versioned

OLDEST, MIDDLE, NEWEST = "2025-03-13", "2026-07-01", "2026-08-01"

SUPPORTED = Supported(OLDEST, (OLDEST, MIDDLE, NEWEST))

UNKNOWN, MALFORMED = "version_unknown", "version_malformed"


class Case(NamedTuple):
    """A header in field ``lines``; ``requested`` is the version refused, None if served."""

    title: str
    lines: list[bytes]
    answer: str
    requested: str | None = None

    @property
    def may_be_sent(self) -> bool:
        """Tell whether HTTP allows these bytes in a header (RFC 9110, section 5.5)."""
        return all(byte == 0x09 or 0x20 <= byte != 0x7F for line in self.lines for byte in line)


def served(title: str, line: bytes, version: str) -> Case:
    return Case(title, [line], version)


def unknown(line: bytes) -> Case:
    text = line.decode()
    return Case(text, [line], UNKNOWN, text)


def malformed(title: str, line: bytes, requested: str | None = None) -> Case:
    reported = line.decode("latin-1") if requested is None else requested
    return Case(title, [line], MALFORMED, reported)


CASES = [
    Case("absent", [], OLDEST),
    served("empty", b"", OLDEST),
    served("one blank", b" ", OLDEST),
    served("blanks and tabs", b" \t  \t", OLDEST),
    served("100,000 blanks", b" " * 100_000, OLDEST),
    served("the oldest", b"2025-03-13", OLDEST),
    served("the middle one", b"2026-07-01", MIDDLE),
    served("the newest", b"2026-08-01", NEWEST),
    served("a blank before", b" 2026-07-01", MIDDLE),
    served("a blank after", b"2026-07-01 ", MIDDLE),
    served("blanks and tabs around", b"\t 2026-07-01 \t\t", MIDDLE),
    served("100,000 blanks after", b"2026-07-01" + b" " * 100_000, MIDDLE),
    unknown(b"2026-07-02"),
    unknown(b"2025-03-12"),
    unknown(b"2024-02-29"),
    unknown(b"0001-01-01"),
    unknown(b"9999-12-31"),
    malformed("no such day", b"2026-02-30"),
    malformed("no leap year", b"2026-02-29"),
    malformed("no such month", b"2026-13-01"),
    malformed("day 0", b"2026-07-00"),
    malformed("year 0", b"0000-01-01"),
    malformed("year of five digits", b"12026-07-01"),
    malformed("year of two digits", b"26-07-01"),
    malformed("unpadded", b"2026-7-1"),
    malformed("unpadded month", b"2026-7-01"),
    malformed("unpadded day", b"2026-07-1"),
    malformed("without hyphens", b"20260701"),
    malformed("half with hyphens", b"2026-0701"),
    malformed("a week and its day", b"2026-W27-3"),
    malformed("a week", b"2026-W27"),
    malformed("a day of the year", b"2026-182"),
    malformed("slashes", b"2026/07/01"),
    malformed("dots", b"01.07.2026"),
    malformed("a minus sign", b"-2026-07-01"),
    malformed("a plus sign", b"+2026-07-01"),
    malformed("with a time", b"2026-07-01T00:00:00Z"),
    malformed("in quotes", b'"2026-07-01"'),
    malformed("with a letter v", b"v2026-07-01"),
    malformed("with a parameter", b"2026-07-01; q=1"),
    malformed("with a comma after", b"2026-07-01,"),
    malformed("a name", b"latest"),
    malformed("next", b"next"),
    malformed("a number", b"1"),
    malformed("null", b"null"),
    malformed("an asterisk", b"*"),
    malformed("only a comma", b","),
    malformed("a tab inside", b"2026-07\t-01"),
    malformed("a blank inside", b"2026-07 -01"),
    malformed("two in one line", b"2026-07-01, 2026-08-01"),
    Case("two equal lines", [b"2026-07-01"] * 2, MALFORMED, "2026-07-01, 2026-07-01"),
    Case("two other lines", [b"2026-07-01", b"2026-08-01"], MALFORMED, "2026-07-01, 2026-08-01"),
    Case("two lines, one empty", [b"", b"2026-07-01"], MALFORMED, ", 2026-07-01"),
    Case("two empty lines", [b"", b""], MALFORMED, ","),
    Case("blanks around two lines", [b" a \t", b"\tb "], MALFORMED, "a, b"),
    malformed("full-width digits", "２０２６-０７-０１".encode()),
    malformed("Arabic digits", "٢٠٢٦-٠٧-٠١".encode()),
    malformed("a byte of Latin-1", b"2026-07-01\xe9"),
    malformed("blanks that HTTP has not", b"\xa02026-07-01\x85"),
    malformed("no UTF-8", b"\xff\xfe"),
    malformed("256 characters", b"2" * 256),
    malformed("257 characters", b"2" * 257, "2" * 256),
    malformed("100,000 characters", b"2026-07-01" * 10_000, ("2026-07-01" * 26)[:256]),
    malformed("100,000 blanks inside", b"a" + b" " * 100_000 + b"b", "a" + " " * 255),
    malformed("NUL", b"2026-07-01\x00"),
    malformed("BEL", b"2026-07-01\x07"),
    malformed("DEL", b"2026-07-01\x7f"),
    malformed("a vertical tab", b"2026-07-01\x0b"),
    malformed("a form feed", b"\x0c2026-07-01"),
    malformed("a separator", b"\x1c2026-07-01"),
    malformed("a bare CR", b"2026-07\r-01"),
    malformed("a bare LF", b"2026-07\n-01"),
    malformed("a line break at the end", b"2026-07-01\n"),
]


SERVERS: list[Literal["h11", "httptools"]] = ["h11", "httptools"]


async def tell_version_and_size(scope: Scope, receive: Receive, send: Send) -> None:
    size, more = 0, scope["method"] == "POST"
    while more:
        message: Message = await receive()
        size += len(message["body"])
        more = message["more_body"]
    text = f"{scope['state'][VERSION]} {size}"
    await respond(scope, send, Answer(200, "text/plain", text.encode()))


APP = Versioned(tell_version_and_size, SUPPORTED, limits=Limits(body=1000))


IMPATIENT = Versioned(tell_version_and_size, SUPPORTED, limits=Limits(seconds=0.1))
