"""Cached places equal those in the files."""

from __future__ import annotations

import json
from pathlib import Path

from support.sources import LIBRARY, folder
from support.thing_sources import SCHEMAS

from dateline.cache import Cache
from dateline.load import load
from dateline.model import Api, Place
from dateline.openapi import walk


def list_places(api: Api) -> list[Place]:
    return [api.locate(path) for path, _, _ in walk("document", api.document)]


def test_places_are_the_same_whether_files_are_read_again_or_not(tmp_path: Path) -> None:
    api = load(folder(tmp_path, LIBRARY, "library"))
    as_json = {"versions.yaml": LIBRARY["versions.yaml"], "api.json": json.dumps(api.document)}
    for schemas in (SCHEMAS, api.folder, folder(tmp_path, as_json, "json")):
        wanted = list_places(load(schemas))
        assert len(set(wanted)) > 20
        path = tmp_path / f"cache-{len(wanted)}-{schemas.name}"
        # read; known without places; known with places
        for _ in range(3):
            cache = Cache(path, b"secret")
            assert list_places(load(schemas, cache=cache)) == wanted
            cache.close()


def test_places_follow_the_name_of_the_folder(tmp_path: Path) -> None:
    cache = Cache(None)
    for name in ("one", "other", "one"):
        schemas = folder(tmp_path / name, LIBRARY) if not (tmp_path / name).exists() else None
        schemas = schemas or next((tmp_path / name).iterdir())
        assert list_places(load(schemas, cache=cache)) == list_places(load(schemas))
