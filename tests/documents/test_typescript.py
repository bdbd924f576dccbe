"""The types that callers in TypeScript make of the published documents compile."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TOP = HERE.parents[1]
DOCUMENTS = sorted((TOP / "generated" / "spec").glob("*/20*.json"))

# One process for all documents: to start one costs more than to read ten.
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


@pytest.fixture(scope="module")
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not installed, which reads the documents as TypeScript")
    if not (HERE / "node_modules" / "typescript").is_dir():
        pytest.skip("run `npm ci --prefix tests/documents`, which installs openapi-typescript")
    return found


def test_types_of_every_document_compile_and_so_does_the_example(node: str, tmp_path: Path) -> None:
    targets = [tmp_path / f"{path.parent.name}-{path.stem}.d.ts" for path in DOCUMENTS]
    assert len(targets) == 6
    pairs = [[str(path), str(target)] for path, target in zip(DOCUMENTS, targets, strict=True)]
    script = tmp_path / "generate.mjs"
    script.write_text(_GENERATE)
    (tmp_path / "node_modules").symlink_to(HERE / "node_modules")
    made = subprocess.run(
        [node, str(script)], input=json.dumps(pairs), capture_output=True, text=True, check=False
    )
    assert (made.stdout, made.stderr) == ("[]", "")
    page = (TOP / "docs" / "client.md").read_text("utf-8")
    [example] = re.findall(r"^```ts\n(.*?)^```$", page, re.M | re.S)
    (tmp_path / "paynet.d.ts").write_text((tmp_path / "production-2026-07-01.d.ts").read_text())
    (tmp_path / "example.ts").write_text(example)
    # each of the last two lines is wrong
    wrong = example + 'const a: Autoramp = { id: "x" };\nconst b: Query = { sort_order: "up" };\n'
    (tmp_path / "wrong.ts").write_text(wrong)
    compiler = HERE / "node_modules" / "typescript" / "bin" / "tsc"
    files = [target.name for target in targets]
    found = subprocess.run(
        [
            *(node, str(compiler), "--noEmit", "--strict", "--target", "es2022"),
            *("--module", "nodenext", *files, "example.ts", "wrong.ts"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    errors = re.findall(r"^(\S+?)\((\d+),\d+\): error (TS\d+)", found.stdout, re.M)
    last = len(wrong.splitlines())
    assert errors == [("wrong.ts", str(last - 1), "TS2741"), ("wrong.ts", str(last), "TS2322")]
