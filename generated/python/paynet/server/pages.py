"""The specification documents, and a page at `/docs` that shows them."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from typing import Final

from .runtime import etag
from .runtime.asgi import Answering, Documents, Headers, Receive, Scope, Send, field, respond, route
from .runtime.idempotency import Answer
from .runtime.problems import Problem

PATH: Final = "/docs"
"""Where the page is, beside `/spec`."""

_FOLDER: Final = __name__.rpartition(".")[0]


class DocumentsPage(Documents):
    """Specification documents beside a page that shows them, a version at a time.

    The page asks this server for documents, and nothing of any other.
    """

    def __init__(self, contents: Mapping[str, bytes], *, answer: Answering) -> None:
        super().__init__(contents, answer=answer)
        self.prefixes += (PATH,)
        content = files(_FOLDER).joinpath("docs.html").read_bytes()
        policy = "; ".join(
            [
                *("default-src 'none'", "connect-src 'self'", "base-uri 'none'"),
                *("form-action 'none'", "frame-ancestors 'none'"),
                f"script-src {_hash(content, b'script')}",
                f"style-src {_hash(content, b'style')}",
            ]
        )
        self._page = Answer(200, "text/html; charset=utf-8", content)
        self._tag = etag.strong(content)
        self._headers: Headers = [
            (b"etag", self._tag.encode()),
            (b"cache-control", b"no-cache"),
            (b"content-security-policy", policy.encode()),
            (b"x-content-type-options", b"nosniff"),
        ]

    def serves(self, path: str) -> bool:
        return path == PATH or super().serves(path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if route(scope) != PATH:
            await super().__call__(scope, receive, send)
        elif scope["method"] not in ("GET", "HEAD"):
            problem = Problem(status=405, message="the page can only be read")
            await respond(scope, send, self._answer(scope, problem), [(b"allow", b"GET, HEAD")])
        elif etag.none_match(field(scope, "If-None-Match"), self._tag):
            await respond(scope, send, self._page, self._headers)
        else:
            await respond(scope, send, Answer(304, None, b""), self._headers)


def _hash(page: bytes, element: bytes) -> str:
    """Return the source (CSP 3, section 2.3.1) that allows the one *element* of the page."""
    found = re.search(b"<%b>(.*?)</%b>" % (element, element), page, re.DOTALL)
    assert found is not None
    return f"'sha256-{base64.b64encode(sha256(found[1]).digest()).decode()}'"
