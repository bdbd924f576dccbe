"""Clients of an API with each form of paging, credentials, parameters and streams."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from decimal import Decimal
from types import ModuleType, SimpleNamespace
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from support.archive_api import ARCHIVE
from support.calls import Cut, Scripted
from support.generated_server import Generated
from support.sources import loaded

VERSION = "2024-09-01"
SECRET = "secret+/="


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The package with the modules of its two versions."""
    folder = tmp_path_factory.mktemp("archive")
    made = Generated(folder, loaded(folder, ARCHIVE), "archive")
    names = ("v2024_01_15", "v2024_09_01", "client")
    return SimpleNamespace(
        notes=made.notes, text=made.text, **{name: made.module(name) for name in names}
    )


def make(module: ModuleType, *answers: Any, **settings: Any) -> tuple[Any, list[httpx.Request]]:
    """Return a client that gets *answers*, and the requests that it makes."""
    transport = Scripted(answers)
    return module.Client(transport=transport, **{"key": "k", **settings}), transport.requests


def reply(body: Any = None, **more: Any) -> httpx.Response:
    return httpx.Response(200, json=body, headers={"X-API-Version": VERSION}, **more)


def queries(requests: list[httpx.Request]) -> list[str]:
    return [each.url.query.decode().removesuffix("key=k").strip("&") for each in requests]


RECORDS = [{"id": number} for number in range(1, 6)]


@pytest.mark.parametrize(
    ("name", "pages", "asked"),
    [
        (
            "iter_tokens",
            [{"data": RECORDS[:2], "next_page_token": "a b"}, {"data": RECORDS[2:]}],
            ["", "page_token=a%20b"],
        ),
        ("iter_pages", [RECORDS[:2], RECORDS[2:], []], ["", "page=2", "page=3"]),
        (
            "iter_zeros",
            [{"data": RECORDS[:2]}, {"data": RECORDS[2:]}, {"data": []}],
            ["", "page=1", "page=2"],
        ),
        (
            "iter_offsets",
            [{"data": RECORDS[:2]}, {"data": RECORDS[2:]}, {"data": []}],
            ["", "offset=2", "offset=5"],
        ),
        (
            "iter_lasts",
            [{"data": RECORDS[:2], "has_more": True}, {"data": RECORDS[2:], "has_more": False}],
            ["", "starting_after=2"],
        ),
    ],
)
def test_each_form_of_paging_reads_all_items(
    archive: Any, name: str, pages: list[Any], asked: list[str]
) -> None:
    client, requests = make(archive.v2024_09_01, *map(reply, pages))
    found = list(getattr(client, name)())
    assert [each.id for each in found] == [1, 2, 3, 4, 5]
    assert queries(requests) == asked


@pytest.mark.parametrize(
    ("name", "page"), [("iter_pages", RECORDS[:2]), ("iter_offsets", {"data": RECORDS[:2]})]
)
def test_listing_ends_if_a_page_repeats(archive: Any, name: str, page: Any) -> None:
    client, requests = make(archive.v2024_09_01, *[reply(page)] * 5)
    found: list[int] = []
    repeats = pytest.raises(archive.client.PagingError, match="the items of the page before")
    with repeats:
        found.extend(each.id for each in getattr(client, name)())
    assert (found, len(requests)) == ([1, 2], 2)

    async def read() -> None:
        async with archive.v2024_09_01.AsyncClient(
            key="k", transport=Scripted([reply(page)] * 5)
        ) as client:
            async for each in getattr(client, name)():
                found.append(each.id)

    with repeats:
        asyncio.run(read())
    assert found == [1, 2, 1, 2]


def test_listing_without_a_form_of_paging_has_no_iterator(archive: Any) -> None:
    names = {name for name in dir(archive.v2024_09_01.Client) if name.startswith("iter_")}
    assert names == {"iter_tokens", "iter_pages", "iter_zeros", "iter_offsets", "iter_lasts"}
    [note] = [each for each in archive.notes if "iterator" in each]
    assert note.startswith("5 listings have an iterator over all pages in the clients")


def test_first_available_alternative_of_credentials_is_used(archive: Any) -> None:
    for given, query, headers in (
        ({"key": SECRET}, "key=secret%2B%2F%3D", {}),
        ({"key": None, "login": ("a", "b")}, "", {"authorization": "Basic YTpi"}),
        (
            {"key": None, "cookie": SECRET, "token": SECRET},
            "",
            {"authorization": f"Bearer {SECRET}", "cookie": f"session={SECRET}"},
        ),
        (
            {"key": None, "cookie": "50% a;b", "token": SECRET},
            "",
            {"authorization": f"Bearer {SECRET}", "cookie": "session=50%%20a%3Bb"},
        ),
    ):
        client, requests = make(archive.v2024_09_01, reply([]), **given)
        client.list_pages()
        [request] = requests
        assert request.url.query.decode() == query
        assert {name: request.headers.get(name) for name in headers} == headers
    client, _ = make(archive.v2024_09_01, key=None, token="t")
    with pytest.raises(archive.client.MissingCredentialsError) as caught:
        client.list_pages()
    assert str(caught.value) == (
        "list_pages needs key or login or cookie and token, which the client was not given"
    )


def test_key_in_the_query_is_not_logged(archive: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    client, requests = make(archive.v2024_09_01, reply([]), key="nobody-sees-it")
    client.list_pages(page=3)
    assert requests[0].url.raw_path == b"/api/pages?page=3&key=nobody-sees-it"
    assert "HTTP Request: GET https://api.archive.example/api/pages?***" in caplog.text
    assert "nobody" not in caplog.text + repr(requests[0])


REPEATED = [
    ("/new?page=3&key=nobody-sees-it#top", b"/new?page=3&key=nobody-sees-it"),
    ("/new?key=nobody-sees-it", b"/new?key=nobody-sees-it"),
    ("/new#top", b"/new?key=nobody-sees-it"),
    ("#top", b"/api/pages?page=3&key=nobody-sees-it"),
    ("/new?page=3&key=theirs", b"/new?page=3&key=theirs&key=nobody-sees-it"),
    ("https://blobs.example/a?page=3&key=nobody-sees-it&b#top", b"/a?page=3&b"),
    ("https://blobs.example/a?key=nobody%2Dsees-it", b"/a"),
    ("https://blobs.example/a?key=theirs&sign=a%2Fb+c", b"/a?key=theirs&sign=a%2Fb+c"),
]


@pytest.mark.parametrize(("to", "sent"), REPEATED)
def test_key_in_the_query_stays_with_its_origin_when_redirected(
    archive: Any, caplog: pytest.LogCaptureFixture, to: str, sent: bytes
) -> None:
    caplog.set_level(logging.INFO)
    moved = httpx.Response(302, headers={"Location": to})
    client, requests = make(
        archive.v2024_09_01, moved, reply([]), key="nobody-sees-it", follow_redirects=True
    )
    client.list_pages(page=3)
    assert requests[1].url.raw_path == sent
    assert "nobody" not in caplog.text


def test_served_request_is_not_repeated_at_its_redirect(archive: Any) -> None:
    refused = httpx.ConnectError("refused")
    for status, sent in ((303, ["POST", "GET"]), (307, ["POST"] * 6)):
        moved = httpx.Response(status, headers={"Location": "/new"})
        client, requests = make(
            archive.v2024_09_01,
            *[moved, refused] * 3,
            follow_redirects=True,
            backoff=archive.client.Backoff(0.0, 0.0),
        )
        body = archive.v2024_09_01.Search.model_validate({"text": "a"})
        with pytest.raises(archive.client.ConnectionFailedError) as caught:
            client.search_records(body=body)
        assert [request.method for request in requests] == sent
        note = "Not sent again: it may have had its effect, and has no idempotency key."
        assert (note in getattr(caught.value, "__notes__", ())) == (status == 303)


def test_parameters_and_forms_are_written_as_defined(archive: Any) -> None:
    client, requests = make(
        archive.v2024_09_01, httpx.Response(204, headers={"X-API-Version": VERSION})
    )
    body = archive.v2024_09_01.Search.model_validate(
        {"text": "a&b", "words": ["x", "y z"], "within": {"year": 1999}}
    )
    client.search_records(
        filter={"a": {"b": [1, "c d"]}},
        ids=[1, 2],
        tags=["x", "&"],
        above=[Decimal("1.50"), Decimal("1e-7")],
        raw={"k": [None]},
        body=body,
    )
    [request] = requests
    assert request.url.query.decode() == (
        "filter[a][b][0]=1&filter[a][b][1]=c%20d&ids=1%7C2&tags=x&tags=%26"
        "&above=1.50&above=0.0000001"
        "&raw=%7B%22k%22%3A%20%5Bnull%5D%7D"
    )
    assert request.content == b"text=a%26b&words=x&words=y%20z&within[year]=1999"
    assert request.headers["content-type"] == "application/x-www-form-urlencoded"


RESERVED = "a:/?#[]@!$&'()*+,;=b%41 &c=d"


@pytest.mark.parametrize("value", [RESERVED, [RESERVED, "x"], {RESERVED: RESERVED}])
def test_reserved_characters_stay_within_their_value(archive: Any, value: Any) -> None:
    written = archive.client.parameters
    style = written.Parameter("f", "query", allow_reserved=True)
    pairs = (
        [*value.items()]
        if isinstance(value, dict)
        else [("f", each) for each in ([value] if isinstance(value, str) else value)]
    )
    query = "&".join(style.write_query(value))
    assert [*httpx.URL(f"http://h/?{query}").params.multi_items()] == pairs
    assert written.write_form({"f": value}, {"f": style}).decode() == query
    # unambiguous characters are not encoded
    assert ":/?" in query


def test_only_what_cookies_can_not_contain_is_encoded(archive: Any) -> None:
    parameter = archive.client.parameters.Parameter
    form, raw, content = (parameter("c", "cookie", style) for style in ("", "cookie", "content"))
    for value, written in (
        ("2024-02-29T01:02:03+01:00", "2024-02-29T01:02:03+01:00"),
        ('a,b;c "d"\\%é', "a%2Cb%3Bc%20%22d%22%5C%25%C3%A9"),
    ):
        assert form.write_cookie(value) == f"c={written}"
    assert content.write_cookie({"a": [1]}) == "c={%22a%22:%20[1]}"
    assert raw.write_cookie("a%20b+/=") == "c=a%20b+/="
    for value in ("a b", "a,b", "a;b", '"a"', "a\\", "é", "a\n"):
        with pytest.raises(ValueError, match="the cookie c can't have this value"):
            raw.write_cookie(value)
        with pytest.raises(ValueError, match="the cookie c can't have this value"):
            raw.write_cookie({value: 1})
    assert form.write_cookie({"a": 1, "b=1; c[]": 2}) == "a=1; b%3D1%3B%20c[]=2"
    assert raw.write_cookie({"a": 1, "b=1": 2}) == "a=1; b%3D1=2"


def test_null_is_written_in_json_only(archive: Any) -> None:
    parameter = archive.client.parameters.Parameter
    value = {"a": None, "b": [None, 1, None], "c": {"d": None, "e": 2}}
    for style, written in (
        ("deepObject", ["f[b][0]=1", "f[c][e]=2"]),
        ("content", [f"f={quote(json.dumps(value), safe='')}"]),
        # what is nested is JSON
        ("form", [f"{name}={quote(json.dumps(value[name]), safe='')}" for name in ("b", "c")]),
    ):
        assert [*parameter("f", "query", style).write_query(value)] == written
    flat = {"a": None, "b": 1}
    for place, style, written in (
        ("query", "form", ["b=1", "f=b,1"]),
        ("query", "pipeDelimited", ["b=1", "f=b%7C1"]),
        ("cookie", "form", ["b=1", "f=b,1"]),
        ("header", "simple", ["b=1", "b,1"]),
        ("path", "simple", ["b=1", "b,1"]),
        ("path", "label", [".b=1", ".b,1"]),
        ("path", "matrix", [";b=1", ";f=b,1"]),
    ):
        found = []
        for explode in (True, False):
            write = getattr(parameter("f", place, style, explode=explode), f"write_{place}")
            text = write(flat)
            found.append(text if isinstance(text, str) else "&".join(text))
        assert found == written
    for place in ("query", "header", "path", "cookie"):
        write = getattr(parameter("f", place, explode=False), f"write_{place}")
        text = write([None, 1, None, "x"])
        text = text if isinstance(text, str) else "&".join(text)
        assert text.removeprefix("f=") == "1,x"


def test_operation_that_a_version_lacks_says_since_when_it_exists(archive: Any) -> None:
    client, requests = make(archive.v2024_01_15)
    for name in ("get_scan", "stream_get_scan"):
        with pytest.raises(AttributeError) as caught:
            getattr(client, name)
        assert str(caught.value) == (
            f"version 2024-01-15 of the API has no {name}: it exists since 2024-09-01"
        )
    with pytest.raises(AttributeError, match="'Client' object has no attribute 'get_skan'"):
        _ = client.get_skan
    assert requests == []


# Streams

EVENTS = (
    b'\xef\xbb\xbf: a comment\nid: 1\nevent: added\ndata: {"a":\ndata: 1}\n\n'
    b"data:two\r\nretry: 5\r\n\r\nevent: none\n\ndata: \xe2\x80\xa8x\r\rdata: incomplete"
)


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_events_are_read_as_they_arrive(archive: Any, size: int) -> None:
    chunks = [EVENTS[at : at + size] for at in range(0, len(EVENTS), size)]
    client, requests = make(archive.v2024_09_01, lambda _: stream(chunks))
    event = archive.client.ServerEvent
    expected = [
        event("added", '{"a":\n1}', "1"),
        event("message", "two", "1", 5),
        event("message", "\u2028x", "1", 5),
    ]
    with client.watch_records() as events:
        assert list(events) == expected
    assert expected[0].json() == {"a": 1}
    assert requests[0].headers["accept"] == "text/event-stream"

    async def read() -> list[Any]:
        transport = Scripted([lambda _: stream(chunks)])
        async with archive.v2024_09_01.AsyncClient(transport=transport) as client:
            return [each async for each in await client.watch_records()]

    assert asyncio.run(read()) == expected


def stream(chunks: list[bytes], *, is_cut: bool = False) -> httpx.Response:
    """Return a response of *chunks* that ends or breaks off."""
    headers = {"X-API-Version": VERSION, "Transfer-Encoding": "chunked"}
    return httpx.Response(200, stream=Cut(*chunks, is_cut=is_cut), headers=headers)


def test_lines_are_models_and_bytes_are_bytes(archive: Any) -> None:
    lines = [b'{"id": 1}\n{"i', b'd": 2}\n\n', b'{"id": 3}']
    client, _ = make(archive.v2024_09_01, lambda _: stream(lines))
    assert [each.id for each in client.stream_export_records()] == [1, 2, 3]
    client, _ = make(archive.v2024_09_01, lambda _: stream([b"\x89PNG", b"..."]))
    with client.stream_get_scan("a") as chunks:
        assert list(chunks) == [b"\x89PNG", b"..."]
    assert client.get_scan("a") == b"\x89PNG..."
    client, _ = make(archive.v2024_09_01, reply([{"id": 1}]))
    assert [each.id for each in client.export_records()] == [1]


@pytest.mark.parametrize(
    ("status", "media_type", "body", "found"),
    [
        (404, "text/plain", b"no \xc3\xa9", "no é"),
        (404, "", b'{"a": 1}', '{"a": 1}'),
        (404, "application/problem+json", b'{"a": 1}', {"a": 1}),
        (410, "text/html", b"<p>gone</p>", "<p>gone</p>"),
        (422, "application/octet-stream", b"\x89PNG", b"\x89PNG"),
        (422, "", b'"a"', b'"a"'),
        (422, "", b"", b""),
        (422, "application/json", b'{"a": 1}', {"a": 1}),
        (422, "text/html", b"<p>no</p>", "<p>no</p>"),
        (503, "", b"[1]", [1]),
    ],
)
def test_error_that_is_not_json_has_the_type_of_its_definition(
    archive: Any, status: int, media_type: str, body: bytes, found: Any
) -> None:
    headers = {"Content-Type": media_type} if media_type else {}
    answered = httpx.Response(status, content=body, headers=headers)
    for name in ("get_scan", "stream_get_scan"):
        client, _ = make(archive.v2024_09_01, answered, max_retries=0)
        with pytest.raises(archive.client.StatusError) as caught:
            getattr(client, name)("a")
        assert (caught.value.status, caught.value.body) == (status, found)


def test_truncated_stream_raises_after_the_items_received(archive: Any) -> None:
    client, _ = make(archive.v2024_09_01, lambda _: stream([b'{"id": 1}\n{"id"'], is_cut=True))
    records = iter(client.stream_export_records())
    assert next(records).id == 1
    with pytest.raises(archive.client.StreamCutError, match="connection reset"):
        next(records)
    client, _ = make(archive.v2024_09_01, lambda _: stream([b'{"id": "x"}\n']))
    with pytest.raises(archive.client.UnreadableResponseError, match="an item of the stream"):
        list(client.stream_export_records())


async def watch(client: Any) -> Any:
    opened = client.watch_records()
    return await opened if inspect.isawaitable(opened) else opened


@pytest.mark.parametrize("kind", ["Client", "AsyncClient"])
def test_response_that_is_no_stream_is_refused_and_closed(archive: Any, kind: str) -> None:
    def serve(status: int, content_type: str, *chunks: bytes) -> Any:
        headers = {"X-API-Version": VERSION, "Content-Type": content_type}
        return httpx.Response(status, stream=Cut(*chunks), headers=headers)

    refused, failed = archive.client.UnreadableResponseError, archive.client.ServerFailedError
    for answered, error, text in (
        (serve(200, "application/json"), refused, "application/json instead of text/event-stream"),
        (serve(200, "text/HTML; charset=utf-8"), refused, "text/html instead of"),
        (serve(500, "text/event-stream", b"a"), failed, "status 500: a"),
    ):
        transport = Scripted([answered])
        client = getattr(archive.v2024_09_01, kind)(transport=transport, max_retries=0)
        with pytest.raises(error, match=text):
            asyncio.run(watch(client))
        assert answered.is_closed


def test_stream_is_retried_until_it_is_open(archive: Any) -> None:
    again = archive.client.Backoff(initial=0.0)
    client, requests = make(
        archive.v2024_09_01, httpx.Response(503), lambda _: stream([b"data: x\n\n"]), backoff=again
    )
    assert [each.data for each in client.watch_records()] == ["x"]
    assert len(requests) == 2
    failed = httpx.Response(500, json={"error": {"code": "broken"}})
    client, _ = make(archive.v2024_09_01, failed)
    with pytest.raises(archive.client.ServerFailedError) as caught:
        client.watch_records()
    assert caught.value.code == "broken"
    assert caught.value.body == archive.v2024_09_01.Failure.model_validate_json(failed.content)
    client, _ = make(archive.v2024_01_15, lambda _: stream([b"data: x\n\n"]))
    with pytest.raises(archive.client.VersionMismatchError):
        client.watch_records()
