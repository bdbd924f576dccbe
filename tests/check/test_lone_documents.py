"""A published document is compared with the version that it belongs to, whatever it calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import dateline

DATES = ("2024-01-15", "2025-06-01")
HINT = "name the file after its version, such as 2025-06-01.json"


def write(name: str, release: str, longest: int, paths: tuple[str, ...]) -> None:
    """Write a document as frameworks produce it, with their own release as its version."""
    loan = {"type": "object", "properties": {"id": {"type": "string", "maxLength": longest}}}
    body = {"required": True, "content": {"application/json": {"schema": loan}}}
    operations = {
        path: {"post": {"requestBody": body, "responses": {"204": {"description": "Done"}}}}
        for path in paths
    }
    info = {"title": "Library", "version": release}
    Path(name).write_text(json.dumps({"openapi": "3.1.0", "info": info, "paths": operations}))


def adopt(*releases: str) -> None:
    """Adopt two versions; the newer one has another path, and a longer field."""
    write("older.json", releases[0], 10, ("/loans",))
    write("newer.json", releases[1], 20, ("/loans", "/books"))
    both = (f"{DATES[0]}=older.json", f"{DATES[1]}=newer.json")
    assert dateline("adopt", *both).status == 0


def check(name: str) -> list[str]:
    """Return the rules that are broken, or what is unclear."""
    outcome = dateline("check", "--against", name, "--format", "json")
    if outcome.status == 3:
        return [outcome.err.strip()]
    found = json.loads(outcome.out)["changes"]
    return sorted(each["rule"] for each in found if each["verdict"] != "information")


def narrow() -> None:
    """Break the contract of both versions."""
    for path in Path("schemas").glob("*.yaml"):
        text = path.read_text().replace("maxLength: 10", "maxLength: 8")
        path.write_text(text.replace("maxLength: 20", "maxLength: 15"))


# the releases of both versions, how the newer document is called, and whether that is enough
CASES = [
    (("v0", "v1"), "newer.json", True),
    (("1.2.0", "1.3.0"), "newer.json", True),
    (("1.2.0", "1.2.0"), "newer.json", False),
    (("1.2.0", "1.2.0"), "2025-06-01.json", True),
    (("", ""), "2025-06-01.json", True),
    (DATES, "newer.json", True),
    (("2023-11-30", "2025-05-31"), "newer.json", True),
]


@pytest.mark.parametrize(("releases", "name", "is_clear"), CASES)
def test_document_belongs_to_the_version_of_its_release_or_its_name(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    releases: tuple[str, str],
    name: str,
    is_clear: bool,
) -> None:
    monkeypatch.chdir(tmp_path)
    adopt(*releases)
    Path("newer.json").rename(name)
    unclear = [
        f"{name}:1:1: baseline-version-unknown: its `info.version`, {releases[1]!r}, is not in the "
        f"version table, and the documents of 2024-01-15 and 2025-06-01 have it; {HINT}"
    ]
    # nothing is known of the older version, which may be published as well
    assert check(name) == ([] if is_clear else unclear)
    narrow()
    assert check(name) == (["request-narrowed"] * 2 if is_clear else unclear)


def test_unknown_release_is_refused_and_a_missing_version_was_withdrawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    adopt("1.2.0", "1.3.0")
    write("other.json", "1.4.0", 20, ("/loans", "/books"))
    assert check("other.json") == [
        "other.json:1:1: baseline-version-unknown: its `info.version`, '1.4.0', is not in the "
        f"version table; {HINT}"
    ]
    write("2025-06-01.json", "2025-03-01", 20, ("/loans", "/books"))
    assert "version-withdrawn" in check("2025-06-01.json")
    # what is newer than the only document known is new
    write("older.json", "1.2.0", 12, ("/loans",))
    assert check("older.json") == ["operation-added", "request-narrowed"]
