"""Read, adopt, render and serve the documents in any folder; report how far each gets.

`corpus.py FOLDER` takes every OpenAPI document below the folder, gzipped or not, and prints a line
for each. Files that are only referenced by others don't count. Each document has its own process.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

# when run as a script, modules beside it are found from the folder of the tests
sys.path.insert(0, str(Path(__file__).parents[1]))

import httpx
from jsonschema_rs import Draft202012Validator, ValidationError
from support.adopted_apis import read_back
from support.mocks import MockRequest, requests, send_all
from support.narrowed import Body, Places

from dateline.adopt import adopt
from dateline.bundle import Readings, open_document
from dateline.generate import Workspace
from dateline.load import load
from dateline.model import Api
from dateline.openapi import ResolvedReference, chain, is_json, locate
from dateline.project import Projector
from dateline.serve.mock import Mock
from dateline.serve.package import open_server

_SUFFIXES: Final = (".json", ".yaml", ".yml")
_DATE: Final = "2025-01-01"
_BOUNDS: Final = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}
_VERSION: Final = re.compile(
    rb"""(?:^|[{,])\s*["']?(?:openapi|swagger)["']?\s*:\s*["']?[23]\.""", re.MULTILINE
)
_COLUMNS: Final = ("read", "adopted", "equal", "served")


class Outcome(NamedTuple):
    """How far a document got, as words by column, and why no further; CPU seconds and MiB."""

    name: str
    columns: dict[str, str]
    reason: str
    seconds: float
    memory: float


def unpack(folder: Path, root: Path) -> None:
    """Copy *folder* to *root* and unpack packed files."""
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
    """Yield the files below *root* that declare themselves documents."""
    for path in sorted(root.rglob("*")):
        is_file = path.is_file() and path.suffix in _SUFFIXES
        if is_file and _VERSION.search(path.read_bytes()):
            yield path


def measure(path: Path, name: str) -> Outcome:
    """Return how far the document at *path* gets, tried in a fork of this process."""
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
    """Record in *columns* what worked for the document; return why no more did."""
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
            columns[column] = error.count if isinstance(error, MisfitError) else "no"
            lines = str(error).splitlines() or [type(error).__name__]
            more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
            return f"{lines[0].removeprefix(str(path.parent))[:200]}{more}"
    return ""


def _adopt(path: Path, folder: Path) -> str:
    adopt((f"{_DATE}={path}",), folder / "schemas", accept=lambda _: True)
    return "yes"


def _compare(path: Path, folder: Path) -> str:
    published = _restore_references(open_document(path, path.name, None).content)
    (shown,) = read_back(folder / "schemas")
    is_equal = json.dumps(shown, sort_keys=True) == json.dumps(published, sort_keys=True)
    return "yes" if is_equal else "no"


def _restore_references(node: Any) -> Any:
    """Return *node* with the references that its author wrote."""
    if isinstance(node, dict):
        return {key: _restore_references(below) for key, below in node.items()}
    if isinstance(node, list):
        return [_restore_references(below) for below in node]
    return node.written if isinstance(node, ResolvedReference) else node


def _serve(folder: Path) -> str:
    api = load(folder / "schemas")
    with open_server(Workspace(schemas=folder / "schemas", output=folder / "out"), api) as server:
        return _count_answers(api, server)


def _count_answers(api: Api, server: Any) -> str:
    """Return how many answers to each GET are valid; raise MisfitError at the first that isn't."""
    environment = api.table.environments[0].name
    mock = Mock(api, server, environment, 0)
    total = unserved = 0
    misfits = []
    for version in api.table.supported:
        document = Projector(api).contract(version.date, environment).document
        routes = {template: _read_route(template) for template in document.get("paths", {})}
        asked = [
            each
            for each in requests(document, version.date, api.table.header, "X-API-Key", ("get",))
            if _is_clear(each, routes)
        ]
        places = Places(_read_answers(document, document))
        for each, answer in zip(asked, send_all(mock.app, asked), strict=True):
            total += 1
            unserved += answer.status_code == 501
            misfit = _find_misfit(document, places, each, answer)
            if misfit and answer.status_code != 501:
                misfits.append(f"{version.date} GET {each.url[:80]}: {misfit}")
    count = f"{total - unserved - len(misfits)}/{total}"
    if unserved:
        count += f", {unserved} with 501"
    if misfits:
        raise MisfitError(count, misfits)
    return count


def _is_clear(asked: MockRequest, routes: dict[str, re.Pattern[str]]) -> bool:
    """Return whether only the path of *asked* and more general ones match the request."""
    if not {"?", "#"}.isdisjoint(asked.template):
        return False  # no request matches it
    path = asked.url.rpartition("?")[0]
    own = routes[asked.template]
    matching = {template for template, route in routes.items() if route.fullmatch(path)}
    return all(
        routes[other].fullmatch(asked.template) and not own.fullmatch(other)
        for other in matching - {asked.template}
    )


def _read_route(template: str) -> re.Pattern[str]:
    """Return a regular expression for the paths that *template* matches."""
    pieces = re.split(r"\{[^{}]*\}", template)
    return re.compile("[^/]+".join(map(re.escape, pieces)))


class MisfitError(Exception):
    """Answers are invalid: the number of valid ones, and a line for each other one."""

    def __init__(self, count: str, misfits: list[str]) -> None:
        super().__init__("\n".join(misfits))
        self.count = count


def _find_misfit(
    document: dict[str, Any], places: Places, asked: MockRequest, answer: httpx.Response
) -> str | None:
    """Return why *answer* is undeclared, or why its JSON body is invalid."""
    responses = asked.operation.get("responses", {})
    status = str(answer.status_code)
    keys = [key for key in (status, f"{status[0]}XX", "default") if key in responses]
    has_success = any(str(key)[0] in "23d" for key in responses)
    if status[0] in "45" or (has_success and not keys):
        return f"{status} {answer.text[:200]}"
    if not keys:
        # if no success is declared, an empty one
        return answer.text[:200] or None
    content = chain(document, responses[keys[0]])[-1].get("content") or {}
    sent = answer.headers.get("content-type", "")
    names = {sent.partition(";")[0], f"{sent.partition('/')[0]}/*", "*/*"}
    said = [each for each in content if each.partition(";")[0] in names]
    if not said or not is_json(said[0]):
        return None if said or not answer.content else f"{status} with {sent!r}"
    path = places.found(Body(asked.operation["operationId"], keys[0], said[0], ()))
    return None if path is None else places.defect(path, answer.json())


def _read_answers(node: Any, document: dict[str, Any]) -> Any:
    """Return a document for validating answers: in 3.1, without requirements of requests only.

    OpenAPI 3.0.4, section 4.7.24.1: where `writeOnly` fields are required, only requests need them.
    A dangling reference constrains nothing, nor does a pattern that the validator can't read.
    """
    if isinstance(node, list):
        return [_read_answers(each, document) for each in node]
    if not isinstance(node, dict):
        return node
    made = {
        key: _read_answers(below, document)
        for key, below in node.items()
        if key != "$ref" or not isinstance(below, str) or locate(document, below)
    }
    fields = made.get("properties")
    if isinstance(fields, dict) and isinstance(made.get("required"), list):
        sent = {name for name, each in fields.items() if _is_sent(each)}
        made["required"] = [name for name in made["required"] if name not in sent]
    values = made.get("enum")
    if isinstance(values, list) and made.get("type") == "string":
        # values that YAML read as numbers and booleans stand for the strings
        made["enum"] = [json.dumps(one) if isinstance(one, bool | int) else one for one in values]
    if isinstance(made.get("pattern"), str) and not _is_readable(made["pattern"]):
        del made["pattern"]
    return _read_3_0(made) if document["openapi"] < "3.1" else made


def _is_sent(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("writeOnly") is True


def _read_3_0(node: dict[str, Any]) -> dict[str, Any]:
    if isinstance(node.get("$ref"), str):
        return {"$ref": node["$ref"]}  # other keys beside it are ignored
    for bound, exclusive in _BOUNDS.items():
        if isinstance(node.get(exclusive), bool) and node.pop(exclusive) and bound in node:
            node[exclusive] = node.pop(bound)
    values = node.get("enum")
    if node.get("nullable") is True or (isinstance(values, list) and None in values):
        return {"anyOf": [{"type": "null"}, node]}
    return node


@cache
def _is_readable(pattern: str) -> bool:
    """Return whether the validator can read *pattern*, which may be in another regex dialect."""
    try:
        Draft202012Validator({"pattern": pattern})
    except ValidationError:
        return False
    return True


def format_row(outcome: Outcome, width: int) -> str:
    """Return a line for a document, with its name in *width* columns."""
    words = [f"{outcome.columns.get(column, '-'):8}" for column in _COLUMNS]
    cost = f"{outcome.seconds:7.2f} s {outcome.memory:6.0f} MiB"
    return f"{outcome.name:{width}}  {' '.join(words)} {cost}  {outcome.reason}".rstrip()


def format_sums(outcomes: list[Outcome]) -> str:
    """Return how many documents there are, and how many got how far."""
    sums = [
        f"{sum(outcome.columns.get(column, 'no') != 'no' for outcome in outcomes)} {column}"
        for column in _COLUMNS
    ]
    refused = sum(outcome.columns.get("adopted") != "yes" for outcome in outcomes)
    return f"{len(outcomes)} documents: {', '.join([*sums, f'{refused} refused'])}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        unpack(options.folder, Path(root))
        names = [path.relative_to(root).as_posix() for path in list_documents(Path(root))]
        outcomes: list[Outcome] = []
        lines: list[str] = []
        for name in names:
            outcomes.append(measure(Path(root, name), name))
            lines.append(format_row(outcomes[-1], max(map(len, names))))
            if not options.json:
                print(lines[-1], flush=True)
    sums = format_sums(outcomes)
    print(json.dumps({"phases": {}, "said": "\n".join([*lines, sums])}) if options.json else sums)


if __name__ == "__main__":
    main()
