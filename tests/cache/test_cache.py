"""A cache returns what was stored, or nothing."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import cycle
from pathlib import Path

import pytest
from support.seeds import scale
from support.tables import cases

from dateline.cache import OWN_LIMIT, Cache, open_cache, read_own, write_own
from dateline.model import MANIFEST

ENTRIES = {f"entry {number}": bytes([number]) * 50 * number for number in range(40)}


def put(
    path: Path, entries: dict[str, bytes], secret: bytes = b"ours", limit: int = 1 << 20
) -> None:
    cache = Cache(path, secret, limit=limit)
    for name, content in entries.items():
        cache.put(cache.key("test", name), content)
    cache.close()


def find_entries(path: Path, secret: bytes = b"ours") -> dict[str, bytes]:
    """Return the ENTRIES that a new cache at *path* has."""
    cache = Cache(path, secret)
    made = {name: cache.get(cache.key("test", name)) for name in ENTRIES}
    cache.close()
    return {name: content for name, content in made.items() if content is not None}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def test_stored_entry_is_found_by_later_runs(path: Path) -> None:
    assert find_entries(path) == {}
    put(path, ENTRIES)
    assert find_entries(path) == ENTRIES


def test_stored_entry_is_found_before_it_is_written(path: Path) -> None:
    for cache in (Cache(path, b"ours"), Cache(None)):
        cache.put(b"key", b"content")
        assert cache.get(b"key") == b"content"
        assert cache.get(b"other") is None
    assert not path.exists()


def test_nothing_is_stored_without_a_file(tmp_path: Path) -> None:
    put(tmp_path / "absent" / "cache", ENTRIES)
    assert [*tmp_path.iterdir()] == []


@cases(
    ("one", "other"),
    [
        (("a", "b"), ("a", "c")),
        (("a", "b"), ("b", "b")),
        (("a", "b", "c"), ("a", "bc")),
        (("a", "b", "c"), ("a", "b c")),
        (("a", "b", ""), ("a", "b")),
        (("a", "1 b"), ("a", "1", "b")),
        (("a", "\ud800"), ("a", "?")),
    ],
)
def test_keys_of_different_contents_differ(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    cache = Cache(None)
    assert cache.key(*one) != cache.key(*other)
    assert cache.key(*one) == Cache(None).key(*one)


def execute_statement(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "no database": lambda path: path.write_bytes(b"no database" * 1000),
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:6000]),
    "header lost": lambda path: path.write_bytes(bytes(100) + path.read_bytes()[100:]),
    "pages lost": lambda path: path.write_bytes(path.read_bytes()[:4096] + bytes(50000)),
    "another table": lambda path: execute_statement(path, "ALTER TABLE entries RENAME TO others"),
    "another column": lambda path: execute_statement(
        path, "ALTER TABLE entries DROP COLUMN content"
    ),
    "other contents": lambda path: execute_statement(path, "UPDATE entries SET content = x'00'"),
    "text": lambda path: execute_statement(
        path, "UPDATE entries SET content = 'text', seal = 'seal'"
    ),
    "nothing": lambda path: execute_statement(path, "UPDATE entries SET content = NULL"),
    "of another user": lambda path: put(path, ENTRIES, secret=b"theirs"),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damaged_entry_is_not_found_and_replaced(
    path: Path, damage: Callable[[Path], object]
) -> None:
    put(path, ENTRIES)
    damage(path)
    assert find_entries(path) == {}
    put(path, ENTRIES)
    put(path, ENTRIES)
    assert find_entries(path) == ENTRIES


def test_damage_of_one_byte_changes_no_entry(path: Path) -> None:
    put(path, ENTRIES)
    whole = path.read_bytes()
    for offset in range(0, len(whole), 997):
        path.write_bytes(whole[:offset] + bytes([whole[offset] ^ 1]) + whole[offset + 1 :])
        assert find_entries(path).items() <= ENTRIES.items()


def test_damage_to_the_schema_of_tables_is_no_error(path: Path) -> None:
    put(path, {"entry 1": ENTRIES["entry 1"]})
    page = 4096
    whole = path.read_bytes()
    described = [at for at in range(page) if at < 100 or whole[at]]
    assert len(described) > 300
    for at, flipped in zip(described[:: 4 // scale(4)], cycle([0x01, 0x80, 0xFF]), strict=False):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ flipped]) + whole[at + 1 :])
        assert find_entries(path).items() <= ENTRIES.items()
        put(path, {"entry 2": ENTRIES["entry 2"]})
        assert find_entries(path).items() <= ENTRIES.items()


def test_content_of_another_key_is_not_accepted(path: Path) -> None:
    put(path, ENTRIES)
    execute_statement(
        path,
        "UPDATE entries SET (seal, content) = (SELECT seal, content FROM entries LIMIT 1)",
    )
    ((name, content),) = find_entries(path).items()
    assert ENTRIES[name] == content


def test_symbolic_link_is_not_followed(path: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    put(theirs, {"entry 1": b"theirs"})
    before = theirs.read_bytes()
    path.symlink_to(theirs)
    assert find_entries(path) == {}
    put(path, ENTRIES)
    assert (theirs.read_bytes(), find_entries(path)) == (before, ENTRIES)


def test_folder_in_place_of_the_cache_is_left_alone(path: Path) -> None:
    path.mkdir()
    put(path, ENTRIES)
    assert (find_entries(path), path.is_dir()) == ({}, True)


def test_file_in_use_is_neither_read_nor_damaged(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dateline.cache._WAIT_SECONDS", 0)
    put(path, ENTRIES)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        assert find_entries(path) == {}
        put(path, {"entry 1": b"another"})
    assert find_entries(path) == ENTRIES


def test_least_recently_used_entries_are_removed_first(path: Path) -> None:
    put(path, {"entry 1": b"1" * 100, "entry 2": b"2" * 100})
    cache = Cache(path, b"ours")
    cache.get(cache.key("test", "entry 1"))
    cache.put(cache.key("test", "entry 3"), b"3" * 100)
    cache.close()
    put(path, {"entry 4": b"4" * 100}, limit=300)
    assert {*find_entries(path)} == {"entry 1", "entry 3", "entry 4"}


@pytest.fixture
def output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    made = tmp_path / "project" / "out"
    made.mkdir(parents=True)
    return made


def recall_output(output: Path) -> bytes | None:
    """Return the cached *output* of an earlier call, and store it."""
    with open_cache(output) as cache:
        content = cache.get(b"key")
        cache.put(b"key", b"content")
    return content


def test_project_without_outputs_has_no_cache(output: Path) -> None:
    assert [recall_output(output), recall_output(output)] == [None, None]
    assert [path.name for path in output.parent.iterdir()] == ["out"]


def test_project_has_its_cache_beside_its_outputs(output: Path) -> None:
    (output / MANIFEST).write_text("{}")
    assert [recall_output(output), recall_output(output)] == [None, b"content"]
    beside = output.parent / ".out.dateline"
    assert {path.name for path in beside.iterdir()} == {".gitignore", "cache"}
    assert (beside / ".gitignore").read_text() == "*\n"


def test_cache_that_comes_with_a_checkout_is_not_used(
    output: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (output / MANIFEST).write_text("{}")
    recall_output(output)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other home"))
    assert [recall_output(output), recall_output(output)] == [None, b"content"]


def test_nothing_is_cached_without_a_secret(output: Path, tmp_path: Path) -> None:
    (output / MANIFEST).write_text("{}")
    (tmp_path / "home").write_text("in the way")
    assert [recall_output(output), recall_output(output)] == [None, None]


@pytest.mark.parametrize("size", [0, 31, 33])
def test_truncated_secret_is_replaced(output: Path, tmp_path: Path, size: int) -> None:
    (output / MANIFEST).write_text("{}")
    secret = tmp_path / "home" / "dateline" / "secret"
    recall_output(output)
    assert (len(secret.read_bytes()), secret.stat().st_mode & 0o777) == (32, 0o600)
    secret.write_bytes(bytes(size))
    assert [recall_output(output), recall_output(output)] == [None, b"content"]


def test_cache_of_the_user_is_found_by_name() -> None:
    assert read_own("one", "1") is None
    write_own("one", "1", b"content")
    write_own("two", "1", b"other")
    assert (read_own("one", "1"), read_own("two", "1")) == (b"content", b"other")
    write_own("one", "1", b"newer")
    assert read_own("one", "1") == b"newer"


def test_releases_that_are_used_in_turn_have_a_user_cache_each(user_caches: Path) -> None:
    releases = [str(number) for number in range(OWN_LIMIT + 2)]
    write_own("another", "0", b"content")
    for release in releases:
        write_own("one", release, release.encode())
        for path in (user_caches / "dateline").glob("one-*"):
            os.utime(path, ns=(0, path.stat().st_mtime_ns // 2))
    kept = [read_own("one", release) for release in releases]
    assert kept == [None, None, *map(str.encode, releases[2:])]
    assert read_own("another", "0") == b"content"
    assert len([*(user_caches / "dateline").iterdir()]) == OWN_LIMIT + 2  # and the secret


@pytest.mark.parametrize("spoil", ["damaged", "cut off", "of another name", "unsealed"])
def test_user_cache_written_by_others_is_not_used(user_caches: Path, spoil: str) -> None:
    write_own("one", "1", b"content")
    write_own("two", "1", b"content")
    (path,) = (user_caches / "dateline").glob("one-*")
    (other,) = (user_caches / "dateline").glob("two-*")
    content = path.read_bytes()
    others = {
        "damaged": content[:-1] + b"!",
        "cut off": content[:20],
        "of another name": other.read_bytes(),
        "unsealed": b"content",
    }
    path.write_bytes(others[spoil])
    assert read_own("one", "1") is None


def test_nothing_is_cached_if_the_users_folder_is_a_file(user_caches: Path) -> None:
    user_caches.write_text("")
    write_own("one", "1", b"content")
    assert read_own("one", "1") is None


@pytest.fixture(autouse=True)
def user_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "user-caches"
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    return home
