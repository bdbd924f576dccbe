"""The files that every generated server has, for tests that write its tables by hand."""

from __future__ import annotations

import atexit
import functools
import importlib
import json
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dateline_runtime
from dateline.contracts import contract_data
from dateline.render import builtin_templates
from dateline.server.messages import describe_messages
from dateline_runtime.asgi import App
from support.sources import VERSIONS, loaded

_NAME = "assembled_server"


@functools.cache
def serving() -> Any:
    """Return the module `serving` of a server without a table of its own."""
    root = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, root)
    package = root / _NAME
    package.mkdir()
    (package / "__init__.py").touch()
    for file in (builtin_templates() / "python" / "{package}" / "server").glob("*.py"):
        shutil.copy(file, package)
    shutil.copytree(Path(dateline_runtime.__file__).parent, package / "runtime")
    sys.path.insert(0, str(root))
    try:
        return importlib.import_module(f"{_NAME}.serving")
    finally:
        sys.path.remove(str(root))


def operation(id: str, method: str, path: str, **said: Any) -> Any:
    """Return an operation whose handler is the method *id* of the group `things`."""
    parameters = tuple(serving().Parameter(**each) for each in said.pop("parameters", ()))
    return serving().Operation(
        id=id,
        group="things",
        handler=id,
        method=method,
        path=path,
        environments=said.pop("environments", ()),
        parameters=parameters,
        **said,
    )


def memory_store() -> Any:
    """Return an in-memory store of idempotency keys, from the runtime of `serving`."""
    return importlib.import_module(f"{serving().__package__}.runtime.idempotency").MemoryStore()


def contracts(source: str, versions: str = VERSIONS) -> dict[str, Any]:
    """Return the contract data of the API in *source*, a complete YAML document."""
    with tempfile.TemporaryDirectory() as root:
        api = loaded(Path(root), {"versions.yaml": versions, "api.yaml": source})
    read: dict[str, Any] = json.loads(
        json.dumps({**contract_data(api).data, **describe_messages(api)})
    )
    return read


def app(data: dict[str, Any], operations: Iterable[Any], handlers: object, **said: Any) -> App:
    """Return an application that serves *operations* with contract data *data*, without keys."""
    made: App = serving().build(
        tuple(operations),
        said.pop("schemes", {}),
        data,
        SimpleNamespace(things=handlers),
        **{
            "environment": "production",
            "prefix": "/api",
            "authenticate": _nobody,
            "idempotency": None,
            "converters": {"down": {}, "up": {}},
            "documents": {},
            "settings": serving().Settings(),
            **said,
        },
    )
    return made


async def _nobody(_: Any) -> None:
    return None


def fields(**headers: str) -> list[tuple[bytes, bytes]]:
    """Return header fields; each `_` in a name becomes `-`."""
    return [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
