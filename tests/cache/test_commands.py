"""Commands print and write the same, whatever is in the cache."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from support.cached_commands import try_edits
from support.sources import LIBRARY, folder

from dateline.cache import Cache
from dateline.demands import list_pending
from dateline.load import load

# the bench tries a thousand
EDITS: Final = 2


def test_commands_are_the_same_with_any_cache(tmp_path: Path) -> None:
    tried = try_edits(tmp_path, EDITS)
    assert tried.differing == []
    # some edits break a contract, and some don't
    assert tried.statuses == {
        "check --format json --against generated": {0, 1},
        "status": {0},
        "generate": {0, 1},
    }


def test_places_of_converters_follow_edits_of_descriptions(tmp_path: Path) -> None:
    schemas = folder(tmp_path, LIBRARY, "schemas")
    # a draft that needs a converter, because a value has another type, and a description before it
    # in the same line
    (schemas / "counted.json").write_text(
        '{"paths": {"/counted": {"get": {"operationId": "getCounted", "responses": {"200": '
        '{"description": "One", "content": {"text/plain": {"schema": {"type": "string", '
        '"x-was": {"next": {"type": "integer"}}}}}}}}}}}'
    )
    cache = Cache(None)
    columns = []
    for word in ("One", "One more word"):
        path = schemas / "counted.json"
        path.write_text(path.read_text().replace('"One"', f'"{word}"'))
        kept = [each.source for each in list_pending(load(schemas, cache=cache), cache)]
        assert kept == [each.source for each in list_pending(load(schemas))]
        columns += [place.column for place in kept if place.file.endswith("counted.json")]
    assert len(columns) == 2
    assert columns[1] == columns[0] + len(" more word")
