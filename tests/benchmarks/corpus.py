"""Documents of any folder: which are read, adopted, given back and served, and what that costs.

`corpus.py FOLDER` takes every OpenAPI document below the folder, packed with gzip or not, and
prints a line for each. A file that only others refer to is none. Each has a process of its own.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

# run as a script: what is beside it is found from the tests' folder
sys.path.insert(0, str(Path(__file__).parents[1]))

import httpx
from support.mocks import Asked, requests, send_all
from support.narrowed import Body, Places
from support.random_chains import plain

from dateline.adopt import adopt
from dateline.bundle import Readings, open_document
from dateline.generate import Workspace
from dateline.load import load
from dateline.model import Api
from dateline.openapi import chain, is_json
from dateline.project import Projector
from dateline.serve.mock import Mock
from dateline.serve.package import package

_SUFFIXES: Final = (".json", ".yaml", ".yml")
_DATE: Final = "2025-01-01"
_BOUNDS: Final = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}
_COLUMNS: Final = ("read", "adopted", "equal", "served")


class Outcome(NamedTuple):
    """How far a document came, in words by column, and why no further; CPU seconds and MiB."""

    name: str
    columns: dict[str, str]
    reason: str
    seconds: float
    memory: float


def unpack(folder: Path, root: Path) -> None:
    """Copy *folder* to *root*, with the contents of what is packed."""
    for path in sorted(folder.rglob("*")):
        target = root / path.relative_to(folder)
        if path.name.endswith(".tar.gz"):
            with tarfile.open(path) as archive:
                archive.extractall(
                    target.with_name(path.name.removesuffix(".tar.gz")), filter="data"
                )
        elif path.is_file() and path.name.removesuffix(".gz").endswith(_SUFFIXES):
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".gz":
                target.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
            else:
                shutil.copyfile(path, target)


def list_documents(root: Path) -> Iterator[Path]:
    """Yield the files below *root* that say that they are a document."""
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.suffix in _SUFFIXES:
            head = path.read_bytes()
            if any(word in head for word in (b"openapi", b"swagger")) and _says_version(head):
                yield path


def _says_version(content: bytes) -> bool:
    lines = content.replace(b"{", b"\n").replace(b",", b"\n").splitlines()
    words = (line.strip().replace(b'"', b"").replace(b"'", b"") for line in lines)
    return any(word.startswith((b"openapi: ", b"openapi:3", b"swagger:")) for word in words)


def measure(path: Path, name: str) -> Outcome:
    """Return how far the document at *path* comes, tried in a copy of this process."""
    receiving, sending = os.pipe()
    child = os.fork()
    if not child:
        with os.fdopen(sending, "w") as answer, tempfile.TemporaryDirectory() as folder:
            columns: dict[str, str] = {}
            reason = _try_all(path, Path(folder), columns)
            json.dump([columns, reason], answer)
        os._exit(0)
    os.close(sending)
    with os.fdopen(receiving) as answered:
        said = answered.read()
    usage = os.wait4(child, 0)[2]
    columns, reason = json.loads(said) if said else ({}, "the process ended")
    seconds = usage.ru_utime + usage.ru_stime
    return Outcome(name, columns, reason, seconds, usage.ru_maxrss / 1024)


def _try_all(path: Path, folder: Path, columns: dict[str, str]) -> str:
    """Note in *columns* what could be done with the document; return why no more."""
    steps: dict[str, Callable[[], str]] = {
        "read": lambda: str(len(open_document(path, path.name, Readings()).content) and "yes"),
        "adopted": lambda: _adopt(path, folder),
        "equal": lambda: _compare(path, folder),
        "served": lambda: _serve(folder),
    }
    for column, step in steps.items():
        try:
            columns[column] = step()
        except BaseException as error:
            columns[column] = "no"
            lines = str(error).splitlines() or [type(error).__name__]
            more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
            return f"{lines[0].removeprefix(str(path.parent))[:200]}{more}"
    return ""


def _adopt(path: Path, folder: Path) -> str:
    adopt((f"{_DATE}={path}",), folder / "schemas", accept=lambda _: True)
    return "yes"


def _compare(path: Path, folder: Path) -> str:
    api = load(folder / "schemas")
    shown = Projector(api).contract(_DATE, api.table.environments[0].name).document
    return "yes" if plain(shown) == plain(open_document(path, path.name, None).content) else "no"


def _serve(folder: Path) -> str:
    api = load(folder / "schemas")
    with package(Workspace(schemas=folder / "schemas", output=folder / "out"), api) as server:
        return _count_answers(api, server)


def _count_answers(api: Api, server: Any) -> str:
    environment = api.table.environments[0].name
    document = Projector(api).contract(_DATE, environment).document
    asked = [*requests(document, _DATE, api.table.header, "X-API-Key", ("get",))]
    places = Places(_read_answers(document, is_3_0=document["openapi"] < "3.1"))
    answers = send_all(Mock(api, server, environment, 0).app, asked, "")
    fitting = sum(
        _fits(document, places, each, answer) for each, answer in zip(asked, answers, strict=True)
    )
    unserved = sum(answer.status_code == 501 for answer in answers)
    return f"{fitting}/{len(asked)}" + (f", {unserved} with 501" if unserved else "")


def _fits(document: dict[str, Any], places: Places, asked: Asked, answer: httpx.Response) -> bool:
    """Return whether *answer* is declared, and its body, if it is JSON, has the schema declared."""
    responses = asked.operation["responses"]
    status = str(answer.status_code)
    keys = [key for key in (status, f"{status[0]}XX", "default") if key in responses]
    if not keys or status[0] in "45":
        return False
    content = chain(document, responses[keys[0]])[-1].get("content") or {}
    sent = answer.headers.get("content-type", "")
    names = {sent.partition(";")[0], f"{sent.partition('/')[0]}/*", "*/*"}
    said = [each for each in content if each.partition(";")[0] in names]
    if not said or not is_json(said[0]):
        return bool(said) or not answer.content
    path = places.found(Body(asked.operation["operationId"], keys[0], said[0], ()))
    return path is None or places.defect(path, answer.json()) is None


def _read_answers(node: Any, *, is_3_0: bool) -> Any:
    """Return a document as its answers are: in the words of 3.1, without what only requests need.

    OpenAPI 3.0.4, section 4.7.24.1: where `writeOnly` fields are required, requests need them.
    """
    if isinstance(node, list):
        return [_read_answers(each, is_3_0=is_3_0) for each in node]
    if not isinstance(node, dict):
        return node
    made = {key: _read_answers(below, is_3_0=is_3_0) for key, below in node.items()}
    fields = made.get("properties")
    if isinstance(fields, dict) and isinstance(made.get("required"), list):
        sent = {name for name, each in fields.items() if _is_sent(each)}
        made["required"] = [name for name in made["required"] if name not in sent]
    return _read_3_0(made) if is_3_0 else made


def _is_sent(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("writeOnly") is True


def _read_3_0(node: dict[str, Any]) -> dict[str, Any]:
    for bound, exclusive in _BOUNDS.items():
        if isinstance(node.get(exclusive), bool) and node.pop(exclusive) and bound in node:
            node[exclusive] = node.pop(bound)
    values = node.get("enum")
    if node.get("nullable") is True or (isinstance(values, list) and None in values):
        return {"anyOf": [{"type": "null"}, node]}
    return node


def format_table(outcomes: list[Outcome]) -> str:
    """Return a line for each document, and the sums."""
    width = max((len(outcome.name) for outcome in outcomes), default=0)
    lines = []
    for outcome in outcomes:
        words = [f"{outcome.columns.get(column, '-'):8}" for column in _COLUMNS]
        cost = f"{outcome.seconds:7.2f} s {outcome.memory:6.0f} MiB"
        lines.append(f"{outcome.name:{width}}  {' '.join(words)} {cost}  {outcome.reason}".rstrip())
    sums = [
        f"{sum(outcome.columns.get(column, 'no') != 'no' for outcome in outcomes)} {column}"
        for column in _COLUMNS
    ]
    return "\n".join([*lines, f"{len(outcomes)} documents: {', '.join(sums)}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        unpack(options.folder, Path(root))
        outcomes = [
            measure(path, path.relative_to(root).as_posix()) for path in list_documents(Path(root))
        ]
    said = format_table(outcomes)
    print(json.dumps({"phases": {}, "said": said}) if options.json else said)


if __name__ == "__main__":
    main()
