"""A server with the comments of one pull request, with the API of GitHub and GitLab."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


@dataclass
class CommentHost:
    """The comments by id, the requests received, and whether the token may write."""

    comments: dict[int, str] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    writable: bool = True
    address: str = ""

    def answer(self, method: str, path: str, text: str) -> tuple[int, object]:
        """Return the status and the body of the response to a request."""
        self.requests.append(f"{method} {urlsplit(path).path}")
        if method == "GET":
            query = parse_qs(urlsplit(path).query)
            size, page = int(query["per_page"][0]), int(query["page"][0])
            listed = [{"id": key, "body": body} for key, body in sorted(self.comments.items())]
            return 200, listed[size * (page - 1) : size * page]
        if not self.writable:
            return 403, {"message": "Resource not accessible by integration"}
        if method == "POST":
            number = max(self.comments, default=0) + 1
            self.comments[number] = json.loads(text)["body"]
            return 201, {"id": number}
        number = int(urlsplit(path).path.rpartition("/")[2])
        if method == "DELETE":
            del self.comments[number]
            return 204, None
        self.comments[number] = json.loads(text)["body"]
        return 200, {"id": number}


@contextmanager
def served_comments() -> Iterator[CommentHost]:
    """Yield a comment host that listens on a free port."""
    host = CommentHost()

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            text = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            host.tokens.add(self.headers.get("Authorization") or self.headers["PRIVATE-TOKEN"])
            status, body = host.answer(self.command, self.path, text)
            content = b"" if body is None else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = handle_any  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        host.address = f"http://127.0.0.1:{server.server_port}"
        # each test waits for one interval when it shuts the host down
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield host
        server.shutdown()
        thread.join()
