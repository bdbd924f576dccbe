"""Adopt documents of real APIs, and check that every answer of their mock fits its version.

`mocked.py pair HOME` adopts the two documents of a folder, `mocked.py chain HOME...` the newer ones
of all as versions of one API. Every GET is requested at every version. `mocked.py random COUNT`
takes random chains, and checks that narrowed samples fit each version.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import httpx

# when run as a script, modules beside it are found from the folder of the tests
sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.adopting import packed

_CREDENTIALS: Final = {"authorization": "Basic eDp4"}


def documents(job: str, *homes: str) -> dict[str, tuple[str, bytes]]:
    """Return the documents to adopt, suffix and content by date."""
    if job == "pair":
        [home] = map(Path, homes)
        return {"2024-01-01": packed(home, "base"), "2025-01-01": packed(home, "head")}
    return {Path(home).name[-10:]: packed(Path(home), "head") for home in sorted(homes)}


def outcomes(root: Path, found: dict[str, tuple[str, bytes]]) -> Iterator[str]:
    """Yield the result of each request to the mock of the documents *found*."""
    from dateline.adopt import adopt
    from dateline.generate import Workspace
    from dateline.load import load
    from dateline.project import Projector
    from dateline.serve.mock import Mock
    from dateline.serve.package import open_server

    for date, (suffix, content) in found.items():
        (root / f"{date}{suffix}").write_bytes(content)
    adopt(tuple(f"{date}={root / date}{suffix}" for date, (suffix, _) in found.items()), root / "s")
    api = load(root / "s")
    projector = Projector(api)
    with open_server(Workspace(schemas=root / "s", output=root / "generated"), api) as server:
        mock = Mock(api, server, api.table.environments[0].name, seed=0)
        for date in found:
            document = projector.contract(date, mock.environment).document
            yield from asyncio.run(_asked(mock.app, document, {api.table.header: date}))


async def _asked(app: Any, document: dict[str, Any], headers: dict[str, str]) -> list[str]:
    from dateline.addresses import read_path
    from dateline.openapi import chain
    from dateline.sample import Sampler
    from dateline.server.mounting import read_prefixes

    sampler = Sampler(document)
    prefixes, usual = read_prefixes(document), read_path(document.get("servers"))
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    made = []
    async with httpx.AsyncClient(transport=transport, base_url="http://mock") as client:
        for path, node in document["paths"].items():
            item = chain(document, node)[-1]
            if "get" not in item:
                continue
            url, query = _request(document, path, item, sampler)
            given = headers | _CREDENTIALS
            own = prefixes[path, "get"]
            answer = await client.get(
                (usual if own is None else own) + url, params=query, headers=given
            )
            responses = item["get"]["responses"]
            made.append(_outcome(document, responses, answer, sampler, path))
    return made


def _request(
    document: dict[str, Any], path: str, item: dict[str, Any], sampler: Any
) -> tuple[str, dict[str, str]]:
    from dateline.openapi import chain

    query: dict[str, str] = {}
    for each in (*item.get("parameters", ()), *item["get"].get("parameters", ())):
        parameter = chain(document, each)[-1]
        if not parameter.get("required"):
            continue
        holder = next(iter(parameter.get("content", {}).values()), parameter)
        value = sampler.value(holder.get("schema", {}), parameter["name"])
        text = value if isinstance(value, str) else json.dumps(value)
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", quote(text, safe=""))
        elif parameter["in"] == "query":
            query[parameter["name"]] = text
    return path, query


def _outcome(
    document: dict[str, Any],
    responses: dict[str, Any],
    answer: httpx.Response,
    sampler: Any,
    path: str,
) -> str:
    from dateline.openapi import chain

    status = str(answer.status_code)
    if status[0] in "45":
        return "unread" if status == "400" else f"REFUSED {path}: {answer.text[:200]}"
    found = chain(document, responses.get(status, responses.get("default")))
    content = found[-1].get("content", {}) if found else {}
    media_type = answer.headers.get("content-type", "").partition(";")[0]
    if "json" not in media_type:
        return "fits"
    schemas = [each.get("schema", {}) for name, each in content.items() if media_type in name]
    # without a sample: `value` reads the schema, and says what is impossible
    sampler.value(schemas[0], path)
    return "fits" if sampler.fits(schemas[0], answer.json()) else f"MISFIT {path}"


def random(root: Path, count: str) -> Iterator[str]:
    """Yield the results of narrowing values to callers of *count* random chains."""
    from support.chains_shown import ChainNarrower, adopt_chain
    from support.random_chains import chains

    for number, chain in enumerate(chains(1, int(count))):
        shown = ChainNarrower(adopt_chain(chain, root / str(number)))
        breaches = [f"BREACH {number}: {each}" for each in shown.breaches(6)]
        yield from breaches
        yield from ["fits"] * (shown.times - len(breaches))


def main() -> None:
    begun = time.process_time()
    job, *given = sys.argv[1:]
    with tempfile.TemporaryDirectory() as made:
        root = Path(made)
        outcome = (
            random(root, *given) if job == "random" else outcomes(root, documents(job, *given))
        )
        found = Counter(outcome)
    wrong = [each for each in found if each[0].isupper()]
    said = ", ".join(
        f"{count} {what}" for what, count in sorted(found.items()) if what[0].islower()
    )
    print(json.dumps({"phases": {"mock": time.process_time() - begun}, "said": said}))
    if wrong:
        sys.exit("\n".join(wrong[:20]))


if __name__ == "__main__":
    main()
