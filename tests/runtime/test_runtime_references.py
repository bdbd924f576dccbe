"""References in responses name the version that the request named in its path or query."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from support.exchanges import ask, request
from support.header_cases import OLDEST, SUPPORTED
from support.tables import cases

from dateline_runtime.asgi import Scope
from dateline_runtime.documents import Documents
from dateline_runtime.versioned import Handling, Versioned

IN_PATH, IN_QUERY = f"/api/{OLDEST}", f"v={OLDEST}"

# What the application says at `/api/loans/1`, and what callers get who named a version in the path,
# and in the query.
LED = [
    ("/api/loans/2", f"{IN_PATH}/loans/2", f"/api/loans/2?{IN_QUERY}"),
    ("/api/loans/2/", f"{IN_PATH}/loans/2/", f"/api/loans/2/?{IN_QUERY}"),
    ("/api/loans?a=b#c", f"{IN_PATH}/loans?a=b#c", f"/api/loans?a=b&{IN_QUERY}#c"),
    (
        "http://shop.example/api/b%2Fc?a",
        f"http://shop.example{IN_PATH}/b%2Fc?a",
        f"http://shop.example/api/b%2Fc?a&{IN_QUERY}",
    ),
    ("//shop.example/api/a", f"//shop.example{IN_PATH}/a", f"//shop.example/api/a?{IN_QUERY}"),
    ("2", "2", f"/api/loans/2?{IN_QUERY}"),
    ("?page=2", "?page=2", f"/api/loans/1?page=2&{IN_QUERY}"),
    ("../../api/loans", f"{IN_PATH}/loans", f"/api/loans?{IN_QUERY}"),
    ("2;a", "2;a", f"/api/loans/2;a?{IN_QUERY}"),
    # the version is named, is not that of the path, or needs no name
    (f"{IN_PATH}/loans", f"{IN_PATH}/loans", f"{IN_PATH}/loans?{IN_QUERY}"),
    (
        "/api/loans?v=2025-01-01&a",
        f"{IN_PATH}/loans?v=2025-01-01&a",
        "/api/loans?v=2025-01-01&a",
    ),
    *(
        (each, each, each)
        for each in ("/spec/x.json", "/apis/1", "/", "", "#top", "https://other.example/api/loans")
    ),
]


class Routed(dict[str, Handling]):
    """An operation, by version."""

    ignores_version = False

    def list_hidden(self, _: str) -> frozenset[bytes]:
        return frozenset()


def refer(
    place: str,
    target: str,
    reference: str,
    passing: str = "",
    prefix: str = "/api",
    forwarded: tuple[bytes, str] = (b"x-forwarded-host", ""),
) -> str:
    """Return what *reference* is in the headers of the response to a request for *target*.

    The path *passing*, if given, is not versioned. *forwarded* is the header of a proxy.
    """

    async def app(_: Scope, __: Any, send: Any) -> None:
        link = f'<{reference}>; rel="next"; title="</api/loans>"'
        named = {"location": reference, "content-location": reference, "link": link}
        headers = [(name.encode(), value.encode()) for name, value in named.items()]
        await send({"type": "http.response.start", "status": 201, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    supported = replace(SUPPORTED, place=place, header="v")
    documents = Documents({"/spec/x.json": b"{}"})
    routed = Routed({OLDEST: Handling(app, None)})
    find = (lambda _, path: None if path == passing else routed) if passing else None
    whole = Versioned(app, supported, documents=documents, find=find, prefixes=(prefix,))
    hosts = [(b"host", b"shop.example"), (forwarded[0], forwarded[1].encode())]
    response = ask(whole, request("GET", target, hosts))
    [location], [content], [link] = map(response.header, ("location", "content-location", "link"))
    assert (content, link) == (location, f'<{location}>; rel="next"; title="</api/loans>"')
    return location


@cases(("reference", "in_path", "in_query"), LED, ids=lambda text: text)
def test_references_name_the_version_where_the_request_did(
    reference: str, in_path: str, in_query: str
) -> None:
    assert refer("path", f"{IN_PATH}/loans/1", reference) == in_path
    assert refer("query", f"/api/loans/1?a=b&{IN_QUERY}", reference) == in_query
    for place, target in (
        *(("path", "/api/loans/1"), ("query", "/api/loans/1")),
        *(("header", "/api/loans/1"), ("media-type", "/api/loans/1")),
    ):
        assert refer(place, target, reference) == reference


def test_references_to_what_is_not_versioned_stay() -> None:
    for reference, led in (("/api/loans", f"{IN_PATH}/loans"), ("/api/health", "/api/health")):
        assert refer("path", f"{IN_PATH}/loans/1", reference, passing="/api/health") == led


# References, and where they lead, if everything is versioned, for requests to `//other.example/a`.
SLASHES = [
    ("b", "/.//other.example/b"),
    ("?page=2", "/.//other.example/a?page=2"),
    ("../b", "/.//b"),
    ("/b", "/b"),
    ("/b/..//other.example", "/.//other.example"),
    ("/..//other.example", "/.//other.example"),
    ("/%2e//other.example", "/.//other.example"),
    ("/\\other.example", "/./\\other.example"),
    ("/\t/[", "/./\t/["),
    ("//shop.example//b", "//shop.example//b"),
]


@cases(("reference", "led"), SLASHES)
def test_no_path_becomes_the_name_of_a_host(reference: str, led: str) -> None:
    path, mark, query = led.partition("?")
    expected = f"{path}?{query}{'&' if mark else ''}{IN_QUERY}"
    assert refer("query", f"//other.example/a?{IN_QUERY}", reference, prefix="") == expected


# Headers by which proxies name the hosts that they were asked for.
HOSTS = [
    (b"x-forwarded-host", "public.example"),
    (b"x-forwarded-host", "public.example, inner.example"),
    (b"x-forwarded-host", "a.example,public.example"),
    (b"forwarded", "host=Public.Example"),
    (b"forwarded", 'for=10.0.0.1; Host="public.example";proto=https'),
    (b"forwarded", 'for="[::1]:4", for=10.0.0.1;host=public.example , host=inner.example'),
]


@cases(("header", "hosts"), HOSTS)
def test_hosts_of_all_proxies_are_known(header: bytes, hosts: str) -> None:
    for host, before in (("public.example", IN_PATH), ("example", "/api")):
        led = refer("path", f"{IN_PATH}/a", f"https://{host}/api/b", forwarded=(header, hosts))
        assert led == f"https://{host}{before}/b"


@cases("written", ["/caf%C3%A9", "/caf%c3%a9", "/c%61f%C3%A9"])
def test_prefix_is_known_with_any_escapes(written: str) -> None:
    def lead(reference: str) -> str:
        target = f"/café/{OLDEST}/loans"
        return refer("path", target, reference, prefix="/caf%C3%A9")

    assert lead(f"{written}/a?b") == f"{written}/{OLDEST}/a?b"
    for other in (f"{written}s/a", "/caf/a", "/caf%25C3%25A9/a", "/%63af%2FC3"):
        assert lead(other) == other
