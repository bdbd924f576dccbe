"""Serve, break and repair three versions of a small API in a temporary folder."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Final

from dateline.model import DatelineError

OLDEST, NEWEST, UNKNOWN = "2025-01-15", "2026-03-01", "2019-01-01"
SEED: Final = "3"
"""With it, the order is in a state that the oldest version does not have."""

_TIMEOUT: Final = 30
"""Seconds for one answer of the mock, which runs on this machine."""

_NEXT: Final = """\
What next:
  dateline init my-api                         start from a small API
  dateline adopt 2026-01-01=openapi.yaml       start from the documents that you have
  dateline diff before.yaml after.yaml         judge what changed between two documents
"""


class DemoError(DatelineError):
    """A step of the demo failed."""

    exit_code = 2


def run_demo(say: Callable[[str], None]) -> None:
    """Run the demo; *say* is called with each line for people.

    The commands that it shows are run, as processes, in a temporary folder. Nothing is left.

    Raises:
        DemoError: If one of them ends with another status than it should.
    """
    with tempfile.TemporaryDirectory(prefix="dateline-demo-") as name:
        folder = Path(name)
        shutil.copytree(Path(__file__).parent / "schemas", folder / "schemas")
        say("A café's API has three versions. They are defined once, in their newest form; fields")
        say("that had another name say so:\n")
        definitions = folder / "schemas" / "api.yaml"
        for line in _find_lines(definitions.read_text("utf-8"), "customer:", 9):
            say(f"    {line}")

        say(
            "\nOne command makes the documents, models and a server of all versions; another serves"
        )
        say("a mock of it. Two callers ask for the same order:\n")
        _run_command(["generate"], folder, say, lines=1)
        with _open_mock(folder) as address:
            _show_answers(address, say)

        say("\nSomebody renames a field that callers read:\n")
        text = definitions.read_text("utf-8")
        definitions.write_text(re.sub(r"\bdrink\b", "beverage", text), "utf-8", newline="\n")
        say("$ sed -i s/drink/beverage/ schemas/api.yaml")
        _run_command(["check"], folder, say, status=1)
        say("\nThe rename becomes part of the next version. Callers of the others keep `drink`:\n")
        _run_command(["gate", "--yes"], folder, say)
        _run_command(["check"], folder, say)
    say(f"\n{_NEXT}")


def _find_lines(text: str, start: str, count: int) -> list[str]:
    lines = text.splitlines()
    first = next(number for number, line in enumerate(lines) if start in line)
    return lines[first : first + count]


def _run_command(
    arguments: Sequence[str],
    folder: Path,
    say: Callable[[str], None],
    *,
    status: int = 0,
    lines: int | None = None,
) -> None:
    """Run `dateline` with *arguments* and show its output, or only the last *lines*."""
    say(f"$ dateline {' '.join(arguments)}")
    done = subprocess.run(
        [sys.executable, "-m", "dateline", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    printed = (done.stdout + done.stderr).rstrip()
    if done.returncode != status:
        raise DemoError(f"dateline {' '.join(arguments)}: exit status {done.returncode}\n{printed}")
    for line in printed.splitlines()[-lines if lines else None :]:
        say(line)


@contextmanager
def _open_mock(folder: Path) -> Iterator[str]:
    """Yield the address of a mock of the project in *folder*."""
    command = [sys.executable, "-m", "dateline", "serve", "--port", "0", "--seed", SEED]
    with subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    ) as process:
        try:
            assert process.stdout is not None
            first = process.stdout.readline()
            found = re.search(r"http://\S+", first)
            if found is None:
                raise DemoError((first + process.stdout.read()).rstrip())
            yield found[0]
        finally:
            process.kill()


def _show_answers(address: str, say: Callable[[str], None]) -> None:
    path = f"{address}/orders/o_81"
    left, right = (_ask(path, version) for version in (OLDEST, NEWEST))
    commands = [f"$ curl -H 'API-Version: {version}' …" for version in (OLDEST, NEWEST)]
    for first, second in (commands, *zip_longest(left, right, fillvalue="")):
        say(f"{first:<42}{second}".rstrip())
    say("\nA third one asks for a version that there never was:\n")
    say(f"$ curl -H 'API-Version: {UNKNOWN}' …")
    for line in _ask(path, UNKNOWN):
        say(line)


def _ask(url: str, version: str) -> list[str]:
    """Return the status unless it is a success, and the body, as lines."""
    request = urllib.request.Request(url, headers={"API-Version": version})
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer:
            head, body = [], json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            head, body = [f"{error.code} {error.reason}"], json.load(error)
    return head + json.dumps(body, indent=2, ensure_ascii=False).splitlines()
