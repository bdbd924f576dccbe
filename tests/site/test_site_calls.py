"""The calls in Python that the site shows are calls that the clients can make."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from paynet.client import ServerFailedError
from support.calls import Scripted
from support.sources import loaded
from support.uploads_api import UPLOADS

from dateline.model import EVERYWHERE
from dateline.project import Projector
from dateline.site.calls import PythonCalls
from dateline.site.samples import Samples

SITE = Path(__file__).parents[2] / "generated" / "site"
_SHOWN = re.compile(r"<summary>Python</summary>\s*<pre[^>]*><code>(.*?)</code></pre>", re.S)


def list_calls() -> Iterator[tuple[Path, str]]:
    for page in sorted(SITE.glob("*/operations/*.html")):
        for found in _SHOWN.findall(page.read_text("utf-8")):
            yield page, html.unescape(found)


def test_every_operation_of_every_version_has_a_call_that_can_be_made() -> None:
    calls = list(list_calls())
    assert [page for page, _ in calls] == sorted(SITE.glob("*/operations/*.html"))
    for page, code in calls:
        transport = Scripted([httpx.Response(500)])
        made = code.replace("with Client(", "with Client(transport=transport, ")
        with pytest.raises(ServerFailedError):
            exec(compile(made, str(page), "exec"), {"transport": transport})
        [request] = transport.requests
        [shown] = re.findall(r'class="method \w+">(\w+)<', page.read_text("utf-8"))
        assert request.method == shown
        assert request.headers["X-API-Version"] == page.parts[-3]


def test_calls_have_the_right_types(tmp_path: Path) -> None:
    for number, (page, code) in enumerate(list_calls()):
        if page.parts[-3] == "2026-07-01":
            (tmp_path / f"call_{number}.py").write_text(code)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", str(tmp_path)]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.stdout.startswith("Success: no issues found in 15"), found.stdout


def test_a_form_is_written_with_bytes_for_its_files(tmp_path: Path) -> None:
    api = loaded(tmp_path, UPLOADS)
    document = Projector(api).contract("2024-09-01", EVERYWHERE).document
    samples = Samples(document, api.table, "2024-09-01", lambda *_, **__: None)
    calls = PythonCalls(api.table, document, "2024-09-01", {"": document}, samples.parameter)
    for path, files in (("/scans", ["scan", "pages"]), ("/encoded", ["image"]), ("/free", [])):
        shown = calls.write("POST", path, "")
        found = re.findall(r'"(\w+)": \[?b"\.\.\."', shown)
        assert set(files) <= {*found}, shown
    assert '"pages": [b"..."]' in calls.write("POST", "/scans", "")
