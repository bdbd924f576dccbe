"""Run servers written in JavaScript as processes of Node, each of which prints its port."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def run_node(script: str, *arguments: str) -> Iterator[int]:
    """Run *script*, a file in this folder, for the length of the context; yield its port."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node runs the server behind the proxy, and is not installed")
    command = [node, str(Path(__file__).parent / script), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline())
        finally:
            process.kill()
