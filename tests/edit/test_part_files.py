"""Definitions in many files are gated, cut and retired like those in one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from support.divided import divide
from support.gating import APIS, TODAY, batch_cases, edit_for, require_law
from support.sources import LIBRARY, loaded

from dateline.check import Published
from dateline.edit.cut import CutRequest, cut
from dateline.edit.gate import gate
from dateline.edit.retire import retire
from dateline.edit.revision import Revision
from dateline.load import load
from dateline.model import EVERYWHERE, Api
from dateline.project import Projector

BATCHES = [batch_cases("library")[0], *batch_cases("pets")]


def documents(api: Api) -> dict[tuple[str, str], Any]:
    projector = Projector(api)
    names = [*(environment.name for environment in api.table.environments), EVERYWHERE]
    return {
        (version, name): json.loads(json.dumps(projector.contract(version, name).document))
        for version in api.table.dates
        for name in names
    }


@pytest.mark.parametrize("name", ["library", "pets"])
def test_split_api_is_the_same_api(name: str, tmp_path: Path) -> None:
    whole = loaded(tmp_path / "whole", dict(APIS[name]))
    divided = loaded(tmp_path / "divided", divide(APIS[name]))
    assert documents(divided) == documents(whole)
    assert (divided.table.dates, divided.visible) == (whole.table.dates, whole.visible)
    assert len(divided.parts) > 4


@pytest.mark.parametrize("batch", BATCHES, ids=lambda batch: batch[0]["it"])
def test_edits_of_parts_are_gated_in_their_files(
    batch: list[Any], tmp_path: Path, callers_have: Mapping[str, Published]
) -> None:
    edited, before = edit_for(batch), callers_have[batch[0]["api"]]
    divided = loaded(tmp_path / "divided", divide(edited))
    plan = gate(divided, before, today=TODAY)
    assert (plan.left, plan.questions) == ((), ())
    require_law(divided, plan, before)
    whole = loaded(tmp_path / "whole", edited)
    gated = require_law(whole, gate(whole, before, today=TODAY), before)
    assert documents(load(divided.folder)) == documents(gated)


def revise(api: Api) -> Iterator[Any]:
    """Yield the documents of *api*, those after a cut, and those after a retirement."""
    yield documents(api)
    asked = CutRequest(day="2025-07-20", title="Loans can be paused.")
    write(cut(api.folder, asked, Published(label="nothing", documents={})))
    yield documents(load(api.folder))
    write(retire(api.folder, "2024-01-15", date(2025, 9, 1)))
    yield documents(load(api.folder))


def write(revision: Revision) -> None:
    for one in revision.replacements:
        (revision.folder / one.name).write_bytes(one.after or b"")
        if one.after is None:
            (revision.folder / one.name).unlink()


def test_versions_of_split_definitions_are_cut_and_retired(tmp_path: Path) -> None:
    ended = "announcements: [{ ends: %s, from: 2025-08-01, announced: 2025-06-01 }]\n"
    table = LIBRARY["versions.yaml"].replace("default: 2024-01-15", "default: 2025-06-01")
    files = {**LIBRARY, "versions.yaml": table + ended % "2024-01-15"}
    reached = [
        list(revise(loaded(tmp_path / "whole", files))),
        list(revise(loaded(tmp_path / "divided", divide(files)))),
    ]
    assert reached[1] == reached[0]
    assert [len(one) for one in reached[0]] == [12, 12, 9]
