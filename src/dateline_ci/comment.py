"""Keep one comment of a pull request, or one note of a merge request, up to date.

    python -m dateline_ci.comment github|gitlab REPORT STATUS

REPORT is what `dateline check --format markdown=REPORT` wrote, STATUS its exit status. Where there
is something to say, the comment is written or updated; where all is clean, it is deleted. Where
the token may not write (a pull request from a fork), that is said and the exit status is 0: the
report is in the log and the summary. Standard library only.
"""

from __future__ import annotations

import json
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

PAGE: Final = 100
"""Comments for each request: the most that both hosts give."""

NOT_ALLOWED: Final = (401, 403, 404)
"""What a host answers to a token that may not do something, or may not know of it."""

TIMEOUT: Final = 30
"""Seconds for one request."""


@dataclass(frozen=True)
class Host:
    """Where the comments of one pull request are.

    ``collection`` is the URL that lists and takes them, ``item`` that of a comment, with ``{}``
    for its id; ``change`` the method that replaces a comment.
    """

    collection: str
    item: str
    change: str
    headers: dict[str, str]


def find_host(name: str) -> Host | None:
    """Return where to comment, from the variables of the CI job, or None outside a pull request."""
    if name == "github":
        event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
        if not (pull := event.get("pull_request")):
            return None
        api = os.environ.get("GITHUB_API_URL", "https://api.github.com")
        issues = f"{api}/repos/{os.environ['GITHUB_REPOSITORY']}/issues"
        return Host(
            f"{issues}/{int(pull['number'])}/comments",
            f"{issues}/comments/{{}}",
            "PATCH",
            {
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {os.environ.get('GITHUB_TOKEN', '')}",
                "X-GitHub-Api-Version": "2022-11-28",
            },
        )
    if not (number := os.environ.get("CI_MERGE_REQUEST_IID")):
        return None
    project = urllib.parse.quote(os.environ["CI_PROJECT_ID"], safe="")
    notes = f"{os.environ['CI_API_V4_URL']}/projects/{project}/merge_requests/{int(number)}/notes"
    token = os.environ.get("DATELINE_TOKEN", "")
    return Host(notes, f"{notes}/{{}}", "PUT", {"PRIVATE-TOKEN": token})


def main() -> None:
    """Write, update or delete the comment."""
    name, report, status = sys.argv[1:]
    host = find_host(name)
    if host is None:
        print("No pull request, so no comment.")
        return
    project = re.sub(r"[^\w./]", "_", os.environ.get("DATELINE_NAME") or ".")
    marker = f"<!-- dateline of {project} -->"
    try:
        print(keep_comment(host, marker, write_body(marker, report, status)))
    except urllib.error.HTTPError as error:
        if error.code not in NOT_ALLOWED:
            raise SystemExit(f"The comment can't be written: HTTP {error.code}.") from None
        print(f"The token may not comment here (HTTP {error.code}); the log has the report.")
    except OSError as error:
        raise SystemExit(f"The comment can't be written: {error}.") from None


def write_body(marker: str, report: str, status: str) -> str | None:
    """Return the text of the comment, or None where there is nothing to say."""
    if status == "0":
        return None
    if report and Path(report).is_file():
        return f"{marker}\n{Path(report).read_text(encoding='utf-8')}"
    return (
        f"{marker}\n### dateline check: no verdict\n\n"
        f"The definitions or the baseline can't be read (exit status {status}); the log of the job "
        "names every place.\n"
    )


def keep_comment(host: Host, marker: str, body: str | None) -> str:
    """Bring the comment with *marker* to *body*, delete it for None; return what was done."""
    found = [each for each in list_comments(host) if each["body"].startswith(marker)]
    for stale in found if body is None else found[1:]:
        send(host, "DELETE", host.item.format(stale["id"]))
    if body is None:
        return "Comment deleted." if found else "Nothing to say."
    if not found:
        send(host, "POST", host.collection, {"body": body})
        return "Comment written."
    if found[0]["body"] == body:
        return "Comment is up to date."
    send(host, host.change, host.item.format(found[0]["id"]), {"body": body})
    return "Comment updated."


def list_comments(host: Host) -> Iterator[dict[str, Any]]:
    """Yield all comments of the pull request, the oldest first."""
    page = 1
    while True:
        comments = send(host, "GET", f"{host.collection}?per_page={PAGE}&page={page}&sort=asc")
        yield from comments
        if len(comments) < PAGE:
            return
        page += 1


def send(host: Host, method: str, url: str, body: object = None) -> Any:
    """Send one request; return the JSON of the answer, or None where it is empty.

    Raises:
        urllib.error.HTTPError: For an answer that is no success.
        OSError: Where the host can't be reached.
    """
    data = None if body is None else json.dumps(body).encode()
    headers = host.headers | {"Content-Type": "application/json", "User-Agent": "dateline"}
    request = urllib.request.Request(url, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
        content = response.read()
    return json.loads(content) if content else None


if __name__ == "__main__":
    main()
