"""Read the OpenAPI document that an application generates from its code."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from dateline.model import DatelineError

_NAME: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_SECONDS: Final = 120

# The application's own output is discarded: the document has a file of its own, and so has what
# prevents it, with the last line of the application's code that was reached.
_SCRIPT: Final = """\
import dataclasses, enum, importlib, json, os, sys, traceback
target, failure, name = sys.argv[1:]
sys.path.insert(0, os.getcwd())

def plain(value):
    # a default or an example: as the encoders of Litestar and Django write them
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    if hasattr(value, "__struct_fields__"):
        return {each: getattr(value, each) for each in value.__struct_fields__}
    return str(value)

def read():
    module, _, path = name.partition(":")
    found = importlib.import_module(module)
    for step in path.split("."):
        found = getattr(found, step)
    sources = ("openapi", "openapi_schema", "get_openapi_schema")
    while not any(hasattr(found, each) for each in sources) and hasattr(found, "app"):
        found = found.app
    if not hasattr(found, "openapi") and hasattr(found, "openapi_schema"):
        found = found.openapi_schema.to_schema
    found = getattr(found, "get_openapi_schema", getattr(found, "openapi", found))
    document = found() if callable(found) else found
    return json.dumps(document, ensure_ascii=False, default=plain)

try:
    document = read()
except BaseException as error:
    lines = "".join(traceback.format_exception_only(error)).split("\\n")
    reason = "; ".join(filter(None, map(str.strip, lines)))
    own = [
        f"{os.path.relpath(frame.filename)}:{frame.lineno}: "
        for frame in traceback.extract_tb(error.__traceback__)
        if os.path.abspath(frame.filename).startswith(os.getcwd() + os.sep)
        and os.path.exists(frame.filename) and "site-packages" not in frame.filename
    ]
    with open(failure, "w", encoding="utf-8") as file:
        file.write("".join(own[-1:]) + reason)
    raise
with open(target, "w", encoding="utf-8") as file:
    file.write(document)
"""


class ApplicationError(DatelineError):
    """An application can't be imported, or has no OpenAPI document."""

    exit_code = 2


def is_application(name: str) -> bool:
    """Return whether *name* has the form of an application: `MODULE:NAME`."""
    return _NAME.fullmatch(name) is not None


def read_application(name: str) -> dict[str, Any]:
    """Return the document of the application *name*, `MODULE:NAME`, found from this folder.

    That is the result of its method `openapi`, as in FastAPI, or `get_openapi_schema`, as in Django
    Ninja, or that of its `openapi_schema`, as in Litestar; middleware is what it wraps. Any other
    object is the document, or a function that returns it. The code runs in a process of its own.
    Raises ApplicationError if it can't be imported or has no document.
    """
    if not is_application(name):
        raise ApplicationError(
            f"{name!r} is no application; write MODULE:NAME, such as app:app, or name a document"
        )
    with tempfile.TemporaryDirectory() as folder:
        target, failure = Path(folder, "openapi.json"), Path(folder, "failure.txt")
        try:
            run = subprocess.run(
                [sys.executable, "-c", _SCRIPT, str(target), str(failure), name],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
                # pydantic names and orders some schemas by the hashes of their classes
                env={**os.environ, "PYTHONHASHSEED": "0"},
            )
        except subprocess.TimeoutExpired:
            raise ApplicationError(
                f"{name} gave no OpenAPI document in {_SECONDS} seconds; does importing it end?"
            ) from None
        if run.returncode != 0 or not target.exists():
            reason = f"exit status {run.returncode}"
            if failure.exists():
                reason = failure.read_text(encoding="utf-8")
            raise _refuse(name, reason)
        document = json.loads(target.read_bytes())
    if not isinstance(document, dict):
        raise _refuse(name, "it gives something else")
    return document


def _refuse(name: str, reason: str) -> ApplicationError:
    return ApplicationError(
        f"{name} gives no OpenAPI document: {reason}; name an application of FastAPI or Litestar, "
        "a NinjaAPI, or a function that returns a document, as MODULE:NAME that can be imported "
        "from here; or write its document to a file, and name that"
    )
