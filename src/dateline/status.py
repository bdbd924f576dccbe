"""A project's state in lines for people: versions, what is pending, stale outputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dateline import emit
from dateline.generate import Workspace, rendered
from dateline.load import load
from dateline.model import ADDED, GATES, NEXT, REMOVED, WAS, WHY, Api
from dateline.openapi import pointer, walk


def status(workspace: Workspace) -> Iterator[str]:
    """Yield the lines of the project's state. Raises SourceError for invalid definitions."""
    api = load(workspace.schemas)
    table = api.table
    yield "versions"
    for version in table.versions:
        marks = [
            mark
            for mark, holds in (
                ("default", version.date == table.default),
                ("latest", version.date == table.latest),
                ("draft", version.draft),
                ("undisclosed", version.undisclosed),
            )
            if holds
        ]
        yield f"  {version.date:10}  {', '.join(marks):19}  {version.title}".rstrip()
    yield "environments"
    for environment in table.environments:
        servers = ", ".join(str(server["url"]) for server in environment.servers)
        yield f"  {environment.name:10}  {servers}".rstrip()
    yield "pending for the next version"
    yield from [f"  {line}" for line in _pending(api)] or ["  nothing"]
    yield "outputs"
    artifacts, _ = rendered(workspace, api)
    stale = emit.stale(artifacts, workspace.output)
    yield from [f"  {workspace.output / str(path)}" for path in stale] or [
        f"  {workspace.output}/ is up to date: {len(artifacts)} files"
    ]
    if not stale:
        yield from (f"    {line}" for line in _landmarks(workspace, api))


def _pending(api: Api) -> Iterator[str]:
    """Yield each gate of the version being prepared: place, node, key and reason."""
    for path, _, node in walk("document", api.document):
        for key in sorted(GATES & node.keys()):
            if _is_pending(key, node[key]):
                why = f": {node[WHY]}" if WHY in node else ""
                yield f"{api.locate((*path, key))}: {key}: {NEXT} at {pointer(path)}{why}"


def _is_pending(key: str, value: Any) -> bool:
    return (key in (ADDED, REMOVED) and value == NEXT) or (key == WAS and NEXT in value)


def _landmarks(workspace: Workspace, api: Api) -> Iterator[str]:
    """Yield where a newcomer finds what was generated."""
    for environment in api.table.environments:
        folder = workspace.output / "spec" / environment.name
        yield f"{folder}/  one OpenAPI document for each version, versions.json, latest"
    package = workspace.output / "python" / api.table.package
    yield f"{package}/  the models, one module for each version"
