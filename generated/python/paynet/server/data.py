"""Read the data of the API from the files of this package."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

_FOLDER = __name__.rpartition(".")[0]


def read_contracts() -> dict[str, Any]:
    """Return the contract data."""
    read: dict[str, Any] = json.loads(files(_FOLDER).joinpath("contracts.json").read_bytes())
    return read


def read_documents(environment: str) -> dict[str, bytes]:
    """Return the specification documents of *environment*, by path; `/spec` is the newest."""
    documents = {
        f"/spec/{file.name.removesuffix('.json')}": file.read_bytes()
        for file in files(_FOLDER).joinpath("documents", environment).iterdir()
    }
    documents["/spec"] = documents["/spec/" + json.loads(documents["/spec/versions"])["latest"]]
    return documents
