"""Write trees of generated files, and read the result from disk."""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import dateline
from dateline.model import Artifact

SOURCE = Path(dateline.__file__).parents[1]


OLD = {"a.txt": b"a", "deep/er/b.txt": b"b", "deep/c.txt": b"c", "gone/d.txt": b"d"}


NEW = {"a.txt": b"a", "deep/er/b.txt": b"B", "deep/c.txt": b"c", "come/e.txt": b"e"}


def artifacts(files: dict[str, bytes]) -> list[Artifact]:
    return [Artifact(path=path, content=content) for path, content in files.items()]


def manifest(files: dict[str, bytes]) -> bytes:
    lines = [
        f'    {{"path": "{path}", "size": {len(content)}, "sha256": "{digest}"}}'
        for path, content in sorted(files.items())
        for digest in [sha256(content).hexdigest()]
    ]
    return ('{\n  "files": [\n' + ",\n".join(lines) + "\n  ]\n}\n").encode()


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def with_manifest(files: dict[str, bytes]) -> dict[str, bytes]:
    return {**files, "manifest.json": manifest(files)}


def list_metadata(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder.parent / f".{folder.name}.dateline").iterdir())


def read_inodes(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_ino, path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


def python(script: str, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), **options.pop("env", {})}
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


def decoded(files: dict[str, bytes]) -> dict[str, str]:
    return {path: content.decode() for path, content in files.items()}


def text(files: dict[str, bytes]) -> dict[str, str]:
    return decoded(with_manifest(files))
