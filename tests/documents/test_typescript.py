"""TypeScript types generated from the published documents compile."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from support.hostile_site import EVIL, HOSTILE
from support.sources import folder

from dateline.load import load
from dateline.render import render

HERE = Path(__file__).parent
TOP = HERE.parents[1]
DOCUMENTS = sorted((TOP / "generated" / "spec").glob("*/20*.json"))

# One process for all documents: starting one costs more than reading ten.
_GENERATE = """
import openapiTS, { astToString } from "openapi-typescript";
import { readFileSync, writeFileSync } from "node:fs";
const warned = [];
console.warn = (...words) => warned.push(words.join(" "));
for (const [source, target] of JSON.parse(readFileSync(0, "utf8"))) {
  const ast = await openapiTS(new URL(`file://${source}`), { silent: true });
  writeFileSync(target, astToString(ast));
}
process.stdout.write(JSON.stringify(warned));
"""

_SHOWN: Final = re.compile(
    r"<summary>A typed call in TypeScript</summary>\n(?:<p>The types .*</p>\n)?"
    r"<pre[^>]*><code>(.*?)</code></pre>\n<pre[^>]*><code>(.*?)</code></pre>",
    re.S,
)

_PLACES: Final = {
    "header: X-API-Version": '"X-API-Version": "{date}"',
    "query: v": "?v={date}",
    "path: true": "https://api.example/{date}/",
    "media-type: v": '"Accept": "application/json; v={date}"',
}
"""Where requests name their version, and what of a call does it."""


@pytest.fixture(scope="module")
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not installed, which reads the documents as TypeScript")
    if not (HERE / "node_modules" / "typescript").is_dir():
        pytest.skip("run `npm ci --prefix tests/documents`, which installs openapi-typescript")
    return found


def write_types(node: str, at: Path, pairs: Iterable[tuple[Path, Path]]) -> None:
    """Write the types of documents into the files that are paired with them."""
    script = at / "generate.mjs"
    script.write_text(_GENERATE)
    (at / "node_modules").symlink_to(HERE / "node_modules")
    given = json.dumps([[*map(str, pair)] for pair in pairs])
    made = subprocess.run(
        [node, str(script)], input=given, capture_output=True, text=True, check=False
    )
    assert (made.stdout, made.stderr) == ("[]", "")


def find_errors(node: str, at: Path, files: Iterable[str]) -> list[tuple[str, str, str]]:
    """Return the file, line and code of each error of the compiler."""
    compiler = HERE / "node_modules" / "typescript" / "bin" / "tsc"
    found = subprocess.run(
        [
            *(node, str(compiler), "--noEmit", "--strict", "--target", "es2022"),
            *("--module", "nodenext", *files),
        ],
        cwd=at,
        capture_output=True,
        text=True,
        check=False,
    )
    return re.findall(r"^(\S+?)\((\d+),\d+\): error (TS\d+)", found.stdout, re.M)


def test_types_of_every_document_and_the_example_compile(node: str, tmp_path: Path) -> None:
    targets = [tmp_path / f"{path.parent.name}-{path.stem}.d.ts" for path in DOCUMENTS]
    assert len(targets) == 6
    write_types(node, tmp_path, zip(DOCUMENTS, targets, strict=True))
    page = (TOP / "docs" / "client.md").read_text("utf-8")
    [example] = re.findall(r"^```ts\n(.*?)^```$", page, re.M | re.S)
    (tmp_path / "paynet.d.ts").write_text((tmp_path / "production-2026-07-01.d.ts").read_text())
    (tmp_path / "example.ts").write_text(example)
    # each of the last two lines is wrong
    wrong = example + 'const a: Autoramp = { id: "x" };\nconst b: Query = { sort_order: "up" };\n'
    (tmp_path / "wrong.ts").write_text(wrong)
    errors = find_errors(
        node, tmp_path, [*(target.name for target in targets), "example.ts", "wrong.ts"]
    )
    last = len(wrong.splitlines())
    assert errors == [("wrong.ts", str(last - 1), "TS2741"), ("wrong.ts", str(last), "TS2322")]


def write_hostile(at: Path, place: str) -> Path:
    """Write definitions with hostile names and one POST, with versions named at *place*."""
    definitions = json.loads(HOSTILE["api.yaml"])
    item = definitions["paths"]["/a"]
    example = {"schema": {"type": "object"}, "example": dict(zip(EVIL, EVIL, strict=True))}
    body = {"content": {"application/json": example}}
    definitions["paths"] = {
        "/`$(a)\"'\\;</script>*//é": {"post": {**item["get"], "requestBody": body}}
    }
    key = {"type": "apiKey", "in": "header", "name": EVIL[1]}
    definitions["components"]["securitySchemes"] = {"Key": key}
    definitions["security"] = [{"Key": []}]
    table = HOSTILE["versions.yaml"].replace("header: X-API-Version", place)
    return folder(at, {"versions.yaml": table, "api.yaml": json.dumps(definitions)})


def test_typescript_call_on_the_site_compiles_with_the_types_of_its_version(
    node: str, tmp_path: Path
) -> None:
    named = "header: X-API-Version"
    sources = [
        (TOP / "schemas", named, "api.paynet.example"),
        (TOP / "src" / "dateline" / "starter" / "schemas", named, "api.library.example"),
        *((write_hostile(tmp_path / place[:4], place), place, "api.example") for place in _PLACES),
    ]
    pairs, files, expected = [], [], []
    for schemas, place, host in sources:
        api = load(schemas)
        api = replace(api, table=replace(api.table, site=True))
        written = {each.path: each.content for each in render(api, models=False).artifacts}
        for date in api.table.dates:
            at = tmp_path / f"{host}-{place[:4]}-{date}"
            at.mkdir()
            (at / "document.json").write_bytes(written[f"spec/production/{date}.json"])
            pairs.append((at / "document.json", at / "api.d.ts"))
            [(command, shown)] = _SHOWN.findall(written[f"site/{date}/index.html"].decode())
            document = f"{date}.json"
            if host == "api.paynet.example":
                document = f"https://{host}/spec/{date}"
            assert command == f"npx openapi-typescript {document} -o api.d.ts"
            call = html.unescape(shown)
            assert _PLACES[place].format(date=date) in call
            (at / "call.ts").write_text(call)
            # a field that only one version of the starter project has
            (at / "wrong.ts").write_text(f"{call}\ncall().then((answer) => answer.reader);\n")
            files += [f"{at.name}/call.ts", f"{at.name}/wrong.ts"]
            if (host, date) != ("api.library.example", "2025-01-15"):
                expected.append((files[-1], str(len(call.splitlines()) + 1), "TS2339"))
    write_types(node, tmp_path, pairs)
    assert len(files) == 2 * (3 + 2 + 2 * len(_PLACES))
    assert sorted(find_errors(node, tmp_path, files)) == sorted(expected)
