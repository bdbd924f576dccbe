"""Serve two versions of an application from the package index, of which no line is changed.

`existing` is a job of `promises.py`. `older FILE` and `ask` run where the application is installed:
the one writes the document of an older version with other names, the other compares answers.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

_PACKAGE: Final = "titiler.application"
_VERSION: Final = "2.4.0"
_APP: Final = "titiler.application.main:app"
_OLD, _NEW = "2025-01-01", "2026-01-01"

# The fields of components that had another name, and that name.
_FIELDS: Final = {
    "TileMatrixSetList": ("tileMatrixSets", "sets"),
    "ColorMapRef": ("id", "name"),
    "AlgorithmtList": ("algorithms", "items"),
    "rio_tiler__models__Info": ("dtype", "data_type"),
}
_PARAMETER: Final = ("/cog/info", "url", "src")
_FILE: Final = "image.tif"

_Older = Callable[[Any], Any]


def _rename(component: str) -> _Older:
    """Return a function that gives an object of *component* its older name."""
    newer, older = _FIELDS[component]
    return lambda value: {older if name == newer else name: each for name, each in value.items()}


def _rename_each(value: Any) -> Any:
    return {"colormaps": [*map(_rename("ColorMapRef"), value["colormaps"])]}


# What callers of the older version ask for in place of what the newest one does, and what they get.
_CHANGED: Final[dict[str, tuple[str, _Older]]] = {
    "/tileMatrixSets": ("/tileMatrixSets", _rename("TileMatrixSetList")),
    "/colorMaps": ("/colorMaps", _rename_each),
    "/algorithms": ("/algorithms", _rename("AlgorithmtList")),
    f"/cog/info?url={_FILE}": (f"/cog/info?src={_FILE}", _rename("rio_tiler__models__Info")),
}

# What is the same at both versions.
_SAME: Final = (
    *("/", "/healthz", "/nothing", "/tileMatrixSets/WebMercatorQuad", "/tileMatrixSets/none"),
    *("/colorMaps/viridis", "/colorMaps?f=html", "/algorithms/hillshade"),
    *(f"/cog/statistics?url={_FILE}", f"/cog/preview.png?url={_FILE}", "/cog/preview.png"),
    f"/cog/WebMercatorQuad/tilejson.json?url={_FILE}",
    f"/cog/tiles/WebMercatorQuad/7/68/44?url={_FILE}",
)


def try_existing() -> tuple[str, list[str]]:
    """Install, adopt and wrap the application; return what was tried, and what differs."""
    with tempfile.TemporaryDirectory() as folder:
        home, project = Path(folder, "environment"), Path(folder, "project")
        project.mkdir()
        repository = Path(__file__).parents[2]
        python = str(home / "bin/python")

        def run(*command: str) -> str:
            done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(
                    f"{' '.join(command)}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
                )
            return done.stdout

        def dateline(*command: str) -> str:
            return run(str(home / "bin/dateline"), *command)

        run(sys.executable, "-m", "venv", str(home))
        wanted = (f"{_PACKAGE}=={_VERSION}", "httpx", f"{repository}[serve]")
        run(str(home / "bin/pip"), "install", "--quiet", *wanted)
        run(python, __file__, "older", "older.json")
        dateline("adopt", f"{_OLD}=older.json")
        dateline("generate")
        renames = [f"{name}.{older}={newer}" for name, (newer, older) in _FIELDS.items()]
        path, newer, older = _PARAMETER
        renames.append(f"GET {path}.{older}={newer}")
        options = [word for each in renames for word in ("--rename", each)]
        dateline("adopt", f"next={_APP}", *options)
        dateline("check")
        dateline("check", "--app", _APP)
        dateline("cut", _NEW, "--title", "Clear names")
        found = json.loads(run(python, __file__, "ask").splitlines()[-1])
    reported = (
        f"{_PACKAGE} {_VERSION}, {found['operations']} operations, {len(renames)} gates: "
        f"{found['asked']} requests at 2 versions, {len(found['differing'])} answered otherwise"
    )
    return reported, found["differing"]


def _write_older(goal: str) -> None:
    """Write the document of the application with the names of the older version."""
    document = import_module("titiler.application.main").app.openapi()
    for component, (newer, older) in _FIELDS.items():
        schema = document["components"]["schemas"][component]
        schema["properties"][older] = schema["properties"].pop(newer)
        required = schema.get("required", [])
        schema["required"] = [older if name == newer else name for name in required]
    path, newer, older = _PARAMETER
    for parameter in document["paths"][path]["get"]["parameters"]:
        if parameter["name"] == newer:
            parameter["name"] = older
    Path(goal).write_text(json.dumps(document), encoding="utf-8")


async def _ask() -> dict[str, Any]:
    """Ask the application, plain and wrapped; return the number of requests, and differences."""
    httpx = import_module("httpx")
    sys.path.append("generated/python")
    _write_image()
    plain = import_module("titiler.application.main").app
    server = import_module("api_models.server")
    wrapped = server.versioned(plain, environment="production")

    async def ask(app: Any, path: str, version: str = _NEW) -> Any:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://tiles") as client:
            return await client.get(path, headers={"X-API-Version": version})

    def compare(path: str, got: Any, expected: Any) -> Iterator[str]:
        if (got.status_code, got.content) != (expected.status_code, expected.content):
            yield f"{path}: {got.status_code} {got.text[:200]}, not {expected.text[:200]}"

    differing: list[str] = []
    for path in (*_SAME, *_CHANGED):
        expected = await ask(plain, path)
        differing += compare(path, await ask(wrapped, path), expected)
        if path in _SAME:
            differing += compare(path, await ask(wrapped, path, _OLD), expected)
            continue
        sent, older = _CHANGED[path]
        got = await ask(wrapped, sent, _OLD)
        if (got.status_code, got.json()) != (200, older(expected.json())):
            differing.append(f"{sent}: {got.status_code} {got.text[:200]}")
    # names of the other version are unknown
    for version, name in ((_OLD, _PARAMETER[1]), (_NEW, _PARAMETER[2])):
        got = await ask(wrapped, f"{_PARAMETER[0]}?{name}={_FILE}", version)
        if got.status_code != 422:
            differing.append(f"{name} at {version}: {got.status_code}")
    operations = sum(map(len, plain.openapi()["paths"].values()))
    asked = 2 * (len(_SAME) + len(_CHANGED) + 1)
    return {"operations": operations, "asked": asked, "differing": differing}


def _write_image() -> None:
    numpy, rasterio = import_module("numpy"), import_module("rasterio")
    image = {"driver": "GTiff", "width": 512, "height": 512, "count": 1, "dtype": "uint8"}
    place = import_module("rasterio.transform").from_origin(10, 50, 0.01, 0.01)
    with rasterio.open(_FILE, "w", crs="EPSG:4326", transform=place, **image) as file:
        file.write((numpy.arange(512 * 512) % 255).astype("uint8").reshape(1, 512, 512))


def main() -> None:
    job, *given = sys.argv[1:]
    if job == "older":
        _write_older(*given)
    else:
        print(json.dumps(asyncio.run(_ask())))


if __name__ == "__main__":
    main()
