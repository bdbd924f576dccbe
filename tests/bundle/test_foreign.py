"""Files that are no supported OpenAPI document are refused by name, by every command."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from support.commands import dateline
from support.sources import LIBRARY, folder

DOCUMENT = {"openapi": "3.0.3", "info": {"title": "T", "version": "1"}, "paths": {}}
SOUND = json.dumps(DOCUMENT).encode()
WHOLE = "the whole version in quotes, such as '3.1.0'"

# The content of a file, and the message without the name of the file. YAML can express all of it.
FOREIGN = {
    "swagger": (b'{"swagger": "1.2", "paths": {}}', "1:13: openapi-version: this is Swagger 1.2;"),
    "asyncapi": (b'{"asyncapi": "3.0.0"}', "1:14: openapi-version: this is AsyncAPI 3.0.0,"),
    "openapi 4": (b'{"openapi": "4.0.0"}', "1:13: openapi-version: '4.0.0' is not OpenAPI 3.0, 3"),
    "openapi 2": (b'{"openapi": "2.0"}', "1:13: openapi-version: '2.0' is not OpenAPI 3.0, 3.1"),
    "openapi 3.3": (
        b'{"openapi": "3.3.0"}',
        "1:13: openapi-version: '3.3.0' is not OpenAPI 3.0, 3",
    ),
    "openapi 30": (b'{"openapi": "3.10.0"}', "1:13: openapi-version: '3.10.0' is not OpenAPI 3.0"),
    "number": (
        b'{"openapi": 3.5}',
        f"1:13: openapi-version: the number 3.5 is not text; write {WHOLE}",
    ),
    "null": (b'{"openapi": null}', "1:13: openapi-version: null is not text; write"),
    "other": (
        b'{"foo": 1}',
        "1:1: openapi-version: this is not an OpenAPI document: it has no `openapi`;",
    ),
    "list": (b"[]", "1:1: not-a-mapping: the file must contain"),
    "scalar": (b"5", "1:1: not-a-mapping: the file must contain"),
    "empty": (b"", "1:1: empty-file: this file has no content;"),
    "latin-1": (b'{"openapi": "3.0.3", "\xe4": 1}', "1:23: not-utf-8: the byte 0xe4 is not UTF-8;"),
    "gzip": (b"\x1f\x8b\x08", "1:1: not-utf-8: the file is compressed by gzip;"),
    "twice": (
        b'{"openapi": "3.0.3", "openapi": "3.1.0"}',
        "1:22: duplicate-key: 'openapi' is already at",
    ),
    "deep": (b'{"openapi": "3.0.3", "a": ' + b"[" * 5_000 + b"]" * 5_000 + b"}", ":90: too-deep:"),
    "deeper": (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "too-deep: more than 64 mappings and"),
    "unclosed": (b'{"a": ' + b"[" * 100_000, "too-deep: more than 64 mappings and"),
    "broken": (b'{"openapi": "3.0.3"', "syntax: "),
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with up-to-date outputs."""
    project = tmp_path_factory.mktemp("project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project)
        folder(project, LIBRARY)
        assert dateline("generate").status == 0
    return project


@pytest.fixture
def project(home: Path, generated: Path) -> Path:
    shutil.copytree(generated, home, dirs_exist_ok=True)
    return home


def read_refusal(said: str, *arguments: str) -> None:
    outcome = dateline(*arguments)
    assert (outcome.status, outcome.out) == (3, "")
    assert said in outcome.err
    assert len(outcome.err.splitlines()) == 1


@pytest.mark.parametrize("name", ["a.json", "a.yaml"])
@pytest.mark.parametrize("case", FOREIGN)
def test_diff_and_adopt_refuse_a_foreign_file_by_name(home: Path, case: str, name: str) -> None:
    content, said = FOREIGN[case]
    if (case, name) == ("deep", "a.yaml"):
        said = "too-deep:"
    (home / name).write_bytes(content)
    (home / "sound.json").write_bytes(SOUND)
    assert {path.name for path in home.iterdir()} == {name, "sound.json"}
    read_refusal(f"{name}:", "diff", name, "sound.json")
    read_refusal(said, "diff", "sound.json", name)
    if case != "broken" or name == "a.json":
        read_refusal(said, "adopt", f"2024-01-01={name}")


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_byte_order_mark_is_accepted(home: Path, form: str) -> None:
    marked = home / f"marked.{form}"
    marked.write_bytes(b"\xef\xbb\xbf" + SOUND)
    (home / "sound.json").write_bytes(SOUND)
    for sides in (("sound.json", marked.name), (marked.name, "sound.json")):
        assert dateline("diff", *sides).out == f"compared with {sides[0]}\nno changes\n"


def in_folder(home: Path, content: bytes) -> list[str]:
    shutil.copytree(home / "generated", home / "released")
    (home / "released/spec/sandbox/2024-09-01.json").write_bytes(content)
    return ["--against", "released"]


def in_document(home: Path, content: bytes) -> list[str]:
    (home / "alone.json").write_bytes(content)
    return ["--against", "alone.json"]


def in_revision(home: Path, content: bytes) -> list[str]:
    path = home / "generated/spec/sandbox/2024-09-01.json"
    sound = path.read_bytes()
    path.write_bytes(content)
    for words in ("init -q", "add generated", "commit -q -m one"):
        identity = ["-c", "user.name=T", "-c", "user.email=t@example.com"]
        subprocess.run(["git", *identity, *words.split()], cwd=home, check=True)
    path.write_bytes(sound)
    return ["--against", "HEAD"]


def in_tree(home: Path, content: bytes) -> list[str]:
    (home / "generated/spec/sandbox/2024-09-01.json").write_bytes(content)
    # nothing shows that it was edited
    (home / "generated/manifest.json").unlink(missing_ok=True)
    return []


@pytest.mark.parametrize("place", [in_folder, in_document, in_revision, in_tree])
def test_check_refuses_a_foreign_file_in_any_baseline(
    project: Path, place: Callable[[Path, bytes], list[str]]
) -> None:
    outside = {"/x": {"$ref": "https://example.com/a.json"}}
    missing = json.dumps({**DOCUMENT, "paths": outside}, indent=1).encode()
    cases = {
        **FOREIGN,
        "remote": (missing, ":9:12: reference-remote: 'https://example.com/a.json'"),
    }
    for case in ("swagger", "other", "deeper", "latin-1", "remote"):
        content, said = cases[case]
        for made in ("released", ".git"):
            shutil.rmtree(project / made, ignore_errors=True)
        read_refusal(said, "check", *place(project, content))


def test_files_of_a_published_document_are_read_from_its_commit(project: Path) -> None:
    spec = project / "generated/spec/sandbox"
    published = json.loads((spec / "2024-09-01.json").read_bytes())
    (spec / "parts").mkdir()
    (spec / "parts/book.yaml").write_text(json.dumps(published["components"]["schemas"]["Book"]))
    published["components"]["schemas"]["Book"] = {"$ref": "parts/book.yaml"}
    content = json.dumps(published).encode()
    options = in_revision(project, content)
    assert dateline("check", *options).status == 0
    # the current content of the work tree does not matter
    (spec / "parts/book.yaml").write_text("type: string")
    assert dateline("check", *options).status == 0
    shutil.rmtree(project / ".git")
    assert (
        "generated/spec/sandbox/parts/book.yaml"
        in dateline("check", *in_revision(project, content)).out
    )
