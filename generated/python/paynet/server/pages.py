"""The specification documents, a page at `/docs` that shows them, and the site at `/site/`."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Final

from .nouns import Settings
from .paths import PathTemplate
from .runtime import etag
from .runtime.asgi import Answering, App, Headers, Receive, Scope, Send, field, respond, route
from .runtime.documents import Documents
from .runtime.idempotency import Answer
from .runtime.problems import Problem

PATH: Final = "/docs"
"""Where the page is, beside `/spec`."""

_FOLDER: Final = __name__.rpartition(".")[0]


SITE: Final = "/site"
"""Where the site is: its pages are below."""


def find_site() -> Path | None:
    """Return the folder of the site that was generated with this package.

    None if there is none, and if the package was installed without it.
    """
    outputs = Path(__file__).parents[3]
    folder = outputs / "site"
    is_beside = outputs / "python" == Path(__file__).parents[2]
    return folder if is_beside and (folder / "index.html").is_file() else None


def serve_documents(
    contents: Mapping[str, bytes], settings: Settings, paths: Iterable[str], answer: Answering
) -> Documents:
    """Return what serves the documents *contents*, with the pages that *settings* enable.

    There is no page where *paths*, those of the operations, lead. Raises ValueError for a folder
    without a site.
    """
    if not settings.docs:
        return Documents(contents, answer=answer)
    if settings.site is not None and not Path(settings.site, "index.html").is_file():
        raise ValueError(f"there is no site in {str(settings.site)!r}")
    templates = [*map(PathTemplate, paths)]
    site = settings.site or find_site()
    # its pages are at any depth
    first = (PathTemplate("/" + each.text.split("/")[1]) for each in templates)
    if any(each.match(SITE) is not None for each in first):
        site = None
    return DocumentsPage(
        contents,
        has_page=not any(each.match(PATH) is not None for each in templates),
        site=None if site is None else Path(site),
        answer=answer,
    )


class DocumentsPage(Documents):
    """Specification documents and a page that shows them, a version at a time, and the site.

    The page requests documents from this server, and nothing from any other. *site* is the folder
    of the site, which requests can only read.
    """

    def __init__(
        self,
        contents: Mapping[str, bytes],
        *,
        has_page: bool,
        site: Path | None,
        answer: Answering,
    ) -> None:
        super().__init__(contents, answer=answer)
        self._has_page = has_page
        self._site = None if site is None else _serve_folder(site)
        self.prefixes += (*([PATH] if has_page else []), *([SITE] if site is not None else []))
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
        return self._is_page(path) or self._is_site(path) or super().serves(path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = route(scope)
        if self._site is not None and self._is_site(path):
            await self._site(scope, receive, send)
        elif not self._is_page(path):
            await super().__call__(scope, receive, send)
        elif scope["method"] not in ("GET", "HEAD"):
            problem = Problem(status=405, message="the page can only be read")
            await respond(scope, send, self._answer(scope, problem), [(b"allow", b"GET, HEAD")])
        elif etag.none_match(field(scope, "If-None-Match"), self._tag):
            await respond(scope, send, self._page, self._headers)
        else:
            await respond(scope, send, Answer(304, None, b""), self._headers)

    def _is_page(self, path: str) -> bool:
        return self._has_page and path == PATH

    def _is_site(self, path: str) -> bool:
        return self._site is not None and (path == SITE or path.startswith(f"{SITE}/"))


def _serve_folder(folder: Path) -> App:
    # only servers with a site need file serving
    from starlette.applications import Starlette
    from starlette.routing import Mount
    from starlette.staticfiles import StaticFiles

    return Starlette(routes=[Mount(SITE, StaticFiles(directory=folder, html=True))])


def _hash(page: bytes, element: bytes) -> str:
    """Return the source (CSP 3, section 2.3.1) that allows the one *element* of the page."""
    found = re.search(b"<%b>(.*?)</%b>" % (element, element), page, re.DOTALL)
    assert found is not None
    return f"'sha256-{base64.b64encode(sha256(found[1]).digest()).decode()}'"
