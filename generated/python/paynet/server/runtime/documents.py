"""Serve the specification documents of one environment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from . import etag
from .asgi import (
    MEDIA_TYPE,
    Answering,
    Headers,
    Receive,
    Scope,
    Send,
    field,
    plain,
    respond,
    route,
)
from .idempotency import Answer
from .mounting import MOST_ROOTS, add_root
from .problems import Problem

# A path in the list of versions. In the texts there, quotation marks are escaped.
_LOCATION: Final = re.compile(rb'("location":\s*")([^"\\]*)')


class Documents:
    """The specification documents of one environment, by path: a separate ASGI application.

    Each has a strong entity-tag, and is sent again only if it has changed. There is no
    authentication, and the version header is ignored.
    """

    def __init__(
        self, contents: Mapping[str, bytes], prefix: str = "/spec", *, answer: Answering = plain
    ) -> None:
        self.prefixes: tuple[str, ...] = (prefix,)
        """what the paths of all that it serves begin with"""
        self._index = f"{prefix}/versions"
        self._index_below = lru_cache(MOST_ROOTS)(self._make_index)
        self._answer = answer
        self._found = {
            path: (Answer(200, MEDIA_TYPE, content), etag.strong(content))
            for path, content in contents.items()
        }

    def serves(self, path: str) -> bool:
        """Return whether the path is below the prefix, a document or not."""
        prefix = self.prefixes[0]
        return path.startswith(prefix) and path[len(prefix) :][:1] in ("", "/")

    async def __call__(self, scope: Scope, _: Receive, send: Send) -> None:
        headers: Headers = []
        path = route(scope)
        if path not in self._found:
            answer = self._refuse(scope, 404, "there is no such specification document")
        elif scope["method"] not in ("GET", "HEAD"):
            answer = self._refuse(scope, 405, "specification documents can only be read")
            headers = [(b"allow", b"GET, HEAD")]
        else:
            answer, tag = self._found[path]
            if path == self._index and (root := scope.get("root_path")):
                answer, tag = self._index_below(root)
            headers = [(b"etag", tag.encode()), (b"cache-control", b"no-cache")]
            if not etag.match(field(scope, "If-Match"), tag):
                answer = self._refuse(scope, 412, "the document has changed")
            elif not etag.none_match(field(scope, "If-None-Match"), tag):
                answer = Answer(304, None, b"")
        await respond(scope, send, answer, headers)

    def _make_index(self, root: str) -> tuple[Answer, str]:
        """Return the list of versions with the documents' paths below *root*, and its tag."""

        def add(found: re.Match[bytes]) -> bytes:
            return found[1] + add_root(found[2].decode(), root).encode()

        content = _LOCATION.sub(add, self._found[self._index][0].body)
        return Answer(200, MEDIA_TYPE, content), etag.strong(content)

    def _refuse(self, scope: Scope, status: int, message: str) -> Answer:
        return self._answer(scope, Problem(status=status, message=message))
