"""Forms without the parts that the caller's version lacks; all parsers find the same parts."""

from __future__ import annotations

import asyncio
import email
import email.utils
import io
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import parse_qsl

import aiohttp
import httpx
import pytest
from support.generated_server import generate_payments
from support.tables import cases
from werkzeug.formparser import FormDataParser

B: Final = "multipart/form-data; boundary=b"
PAIRS: Final = "application/x-www-form-urlencoded"
GONE: Final = ["later"]


def read(content_type: str | None, content: bytes, names: tuple[str, ...] = ("here",)) -> bytes:
    forms = generate_payments().module("server.forms")
    found: bytes = forms.FormReader(GONE, names).of_type(content_type)(content)
    return found


def refused() -> type[Exception]:
    error: type[Exception] = generate_payments().module("server.runtime.errors").RequestError
    return error


def part(disposition: str, value: str = "x", *, end: str = "\r\n") -> str:
    return f"--b{end}Content-Disposition: form-data; {disposition}{end}{end}{value}{end}"


HERE: Final = part('name="here"')
LATER: Final = part('name="later"')
END: Final = "--b--\r\n"


def list_names(content_type: str, content: bytes) -> Iterator[str]:
    """Yield the names of the parts that several parsers find, however lenient they are."""
    if content_type.startswith("multipart"):
        head = f"Content-Type: {content_type}\r\n\r\n".encode()
        for each in email.message_from_bytes(head + content).walk():
            name = each.get_param("name", header="content-disposition")
            yield email.utils.collapse_rfc2231_value(name) if name else ""
        kind, _, rest = content_type.partition(";")
        options = {"boundary": rest.rpartition("=")[2].strip('"')}
        _, form, files = FormDataParser().parse(io.BytesIO(content), kind, len(content), options)
        for file in files.values():
            file.close()
        yield from (*form, *files)
    else:
        for separator in "&;":
            pairs = parse_qsl(content.decode(), keep_blank_values=True, separator=separator)
            yield from (name for name, _ in pairs)


KEPT: Final[list[tuple[str, str]]] = [
    (B, HERE + END),
    (B, "\r\n" + HERE + END),
    (B, part('name="here"; filename="later.txt"') + END),
    (B, part("name=here") + END),
    (B, part('name="here"', value='form-data; name="later"') + END),
    (B, part('name="laters"') + END),
    (B, END),
    (PAIRS, "here=a&more=later"),
    (PAIRS, "here[later]=a;b&laters=1"),
    (PAIRS, ""),
    (f"{PAIRS}; charset=UTF-8", "here=later%3D1"),
    ('Multipart/Form-Data; charset=utf-8; boundary="b"', HERE + END),
]


@cases(("content_type", "content"), KEPT)
def test_form_without_newer_parts_is_unchanged(content_type: str, content: str) -> None:
    assert read(content_type, content.encode()) == content.encode()


LEFT_OUT: Final[list[tuple[str, str, str]]] = [
    (B, HERE + LATER + END, HERE + END),
    (B, LATER + HERE + LATER + END, HERE + END),
    (B, LATER + END, END),
    (B, HERE + part("name=later") + END, HERE + END),
    (B, HERE + part('filename="a"; name="later"') + END, HERE + END),
    *[
        (B, HERE + part(f'name="{name}"') + END, HERE + END)
        for name in (
            *("later[]", "later[a][b]", "later.a", " later ", "%6Cater", "l%61ter[0]"),
            *("LATER", "Later[]", "[later]", "[Later][0]", "laTer.a"),
        )
    ],
    *[
        (PAIRS, f"here=1&{name}=2&here=3", "here=1&here=3")
        for name in (
            *("later", "%6cater", "later[]", "later%5B%5D", "later.a", "+later", "later%00"),
            *("LATER", "l%41ter[]", "[later]", "%5BLater%5D", "later]"),
        )
    ],
    (PAIRS, "later=1&later", ""),
]


@cases(("content_type", "content", "left"), LEFT_OUT)
def test_newer_parts_are_removed_in_any_spelling(
    content_type: str, content: str, left: str
) -> None:
    assert read(content_type, content.encode()) == left.encode()


def test_part_that_the_version_has_stays() -> None:
    assert read(PAIRS, b"Later=1&later=2&LATER=3", ("Later",)) == b"Later=1"
    names = ("here", "later[]")
    assert read(PAIRS, b"later[]=1&later=2&later[0]=3", names) == b"later[]=1"
    content = part('name="later[]"') + LATER + END
    assert read(B, content.encode(), names) == (part('name="later[]"') + END).encode()


HOSTILE: Final[list[tuple[str | None, str]]] = [
    (None, HERE + END),
    ("multipart/form-data", HERE + END),
    ("multipart/form-data; boundary=a; boundary=b", HERE + LATER + END),
    ("multipart/form-data; boundary=b, multipart/form-data; boundary=a", HERE + END),
    ("multipart/form-data; boundary=b; charset=utf-16", HERE + END),
    (f"{PAIRS}; charset=utf-16", "here=1"),
    (PAIRS, "here=1;later=2"),
    (PAIRS, "here=1;[LATER]=2"),
    (PAIRS, "here=1;%6cater[0]=2&here=2"),
    (B, "later=2"),
    (B, ""),
    (B, HERE),
    (B, f"preamble\r\n{HERE}{END}"),
    (B, f"{HERE}{END}{LATER}{END}"),
    (B, f"{HERE}{END}epilogue"),
    (B, part('name="here"', end="\n") + part('name="later"', end="\n") + END),
    (B, part('name="here"', value=f"x\n{LATER}") + END),
    (B, part('name="here"', value=f"x{LATER}") + END),
    (B, f"{HERE}--b \r\n{LATER.removeprefix('--b')}{END}"),
    (B, f"--b\r\n\r\nx\r\n{END}"),
    (B, f"--b\r\nContent-Type: text/plain\r\n\r\nx\r\n{END}"),
    (B, f"--b\r\nContent-Disposition : form-data; name=later\r\n\r\nx\r\n{END}"),
    (B, f"--b\r\n Content-Disposition: form-data; name=later\r\n\r\nx\r\n{END}"),
    (B, f"--b\r\nContent-Disposition: form-data;\r\n name=later\r\n\r\nx\r\n{END}"),
    (B, f"--b\r\nX: a\nContent-Disposition: form-data; name=later\r\n\r\nx\r\n{END}"),
    (B, f"--b\r\nContent-Disposition: attachment; name=later\r\n\r\nx\r\n{END}"),
    *[
        (B, f"{part(disposition)}{END}")
        for disposition in (
            'name="here"; name="later"',
            'name="here"; filename="x; name=later"',
            'name="here"; filename="x\\"; name=\\"later"',
            'filename="x\\"; name="here"',
            "name=\"here\"; name*=utf-8''later",
            "name*=utf-8''later",
            'name*0="la"; name*1="ter"',
            'name="=?utf-8?b?bGF0ZXI=?="',
            'name="la\\ter"',
            "name='later",
            "filename=x",
            'name="here\0later"',
            'name="here"\r\nContent-Disposition: form-data; name="later"',
            'name="here"\r\nContent-Type: text/plain; name="later"',
        )
    ],
]


@cases(("content_type", "content"), HOSTILE)
def test_form_that_parsers_may_read_differently_is_refused(
    content_type: str | None, content: str
) -> None:
    try:
        found = read(content_type, content.encode())
    except refused():
        return
    # if it is accepted, no parser finds the newer parts in it
    assert content_type is not None
    names = {name.partition("[")[0].strip(" \0'") for name in list_names(content_type, found)}
    assert not names & {*GONE}
    assert content == part("name='later") + END


async def _write(form: aiohttp.FormData) -> tuple[str, bytes]:
    payload = form()
    return payload.headers["Content-Type"], await payload.as_bytes()


def _build(fields: dict[str, Any], files: dict[str, Any]) -> tuple[str, bytes]:
    request = httpx.Request("POST", "http://a", data=fields, files=files)
    return request.headers["content-type"], request.read()


@pytest.mark.parametrize(
    "files", [{}, {"here": ("a b.txt", b"\r\n--x\0")}, {"later": ('ä".t', b"-")}]
)
def test_forms_of_common_clients_are_read(files: dict[str, Any]) -> None:
    fields = {"one": "ö", "later": "2"}
    content_type, content = _build(fields, files)
    kept = {**fields, **files}.keys() - {*GONE}
    found = read(content_type, content)
    assert {*list_names(content_type, found)} - {""} == kept


def test_forms_of_aiohttp_are_read() -> None:
    form = aiohttp.FormData({"one": "ö", "later": "2"}, quote_fields=True)
    form.add_field("here", b"\0", filename='ä".txt', content_type="application/pdf")
    content_type, content = asyncio.run(_write(form))
    found = read(content_type, content)
    assert {*list_names(content_type, found)} - {""} == {"one", "here"}


@cases("kind", ["multipart/form-data", "text/plain", ""])
@cases("second", ["a", "B", '"b c"'])
def test_form_with_two_boundaries_is_refused_by_the_layer(kind: str, second: str) -> None:
    choose = generate_payments().module("server.runtime.media_types").choose_media_type
    named = f"{kind}; Boundary={second}"
    with pytest.raises(refused()):
        choose(f"{B}, {named}")
    assert choose(f"{B}, ") == B


@cases(
    ("sent", "kept"),
    [
        *[(f"a=1{sign}later=2", "") for sign in (", ", ",", " ", "\t")],
        *[
            (f"a=1; {name}=2", "a=1")
            for name in ("Later", '"later"', "%4cater", "later[0]", "later ")
        ],
        ("a=1, b=2; laters=3; b=later", "a=1, b=2; laters=3; b=later"),
    ],
)
def test_newer_cookies_are_removed_in_any_spelling(sent: str, kept: str) -> None:
    package = generate_payments()
    foreign = package.module("server.spellings").Foreign(["a"], GONE)
    scope = {"headers": [(b"cookie", sent.encode())]}
    left = package.module("server.rewriting").write_cookies(scope, foreign.has, {}, {})["headers"]
    assert left == ([(b"cookie", kept.encode())] if kept else [])


@cases("name", ["X-Later", "x-later", "x_later", "X_LATER"])
def test_newer_headers_are_removed_in_any_spelling(name: str) -> None:
    found = generate_payments().module("server.spellings").Foreign
    assert found(["X-Here"], ["X-Later"], is_header=True).has(name)
    # another one of the caller's, unless its values are converted
    assert not found([name], ["X-Later"], is_header=True).has(name.lower())
    assert not found([name], [], is_header=True).has("x_later")


def test_own_names_that_are_converted_stay_as_they_are_read() -> None:
    foreign = generate_payments().module("server.spellings").Foreign(["here"], ["here"])
    others = ("HERE", "here.a", "[here]", "[here][a]", " here", "Here[a]")
    assert [*map(foreign.has, ("here", "here[a]", "there", *others))] == [*[False] * 3, *[True] * 6]
