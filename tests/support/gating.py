"""Gate an edit, and check the result for callers of older versions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from dateline.bundle import Document
from dateline.check import Published, check
from dateline.diff import diff
from dateline.edit.gate import Plan, apply, gate
from dateline.load import load
from dateline.model import EVERYWHERE, Api, Kind, Policy
from dateline.project import Projector
from support.pets import PETS
from support.sources import LIBRARY, loaded

TODAY = date(2025, 7, 1)


SCHEMAS = Path(__file__).parents[2] / "schemas"


APIS = {
    "library": LIBRARY,
    "pets": PETS,
    "payment": {path.name: path.read_text(encoding="utf-8") for path in SCHEMAS.glob("*.yaml")},
}


# The version that gates get when the table has no draft.
ROW = ["+  - date: next", "+    title: Being prepared.", "+    draft: true"]


def publish_cut(api: Api) -> Published:
    """Return the published documents of *api*: the contracts of all versions that are cut."""
    projector = Projector(api)
    cut = {version.date for version in api.table.supported}
    return Published(
        label="the documents of this test",
        documents={
            found: Document(
                name=f"{found.version}.json",
                data=json.dumps(projector.contract(*found).document).encode(),
            )
            for found in api.combinations
            if found.version in cut and found.environment != EVERYWHERE
        },
    )


@pytest.fixture(scope="module")
def callers_have(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Published]:
    """What each API has published before any edit."""
    return {
        name: publish_cut(loaded(tmp_path_factory.mktemp(name), files))
        for name, files in APIS.items()
    }


def edit_texts(files: Mapping[str, str], *edits: tuple[str, str]) -> dict[str, str]:
    """Return *files* with texts replaced, each of which occurs once in one of the files."""
    found = dict(files)
    for old, new in edits:
        (name,) = (name for name, text in found.items() if old in text)
        assert found[name].count(old) == 1
        found[name] = found[name].replace(old, new)
    return found


def batch_cases(api: str) -> list[list[Any]]:
    """Return the cases of `gates.yaml` for *api* in batches of cases that don't meet.

    Gating a batch costs little more than gating a case.
    """
    text = (Path(__file__).parents[1] / "edit" / "gates.yaml").read_text(encoding="utf-8")
    batches: list[list[Any]] = []
    for case in yaml.load(text, yaml.CSafeLoader):
        if case["api"] != api:
            continue
        for batch in batches:
            if _can_join(case, batch):
                batch.append(case)
                break
        else:
            batches.append([case])
    return batches


def _can_join(case: Any, batch: list[Any]) -> bool:
    if any("about" in case and case["about"] == each.get("about") for each in batch):
        return False
    try:
        return bool(edit_for([*batch, case]))
    except (AssertionError, ValueError):
        return False


def edit_for(batch: list[Any]) -> dict[str, str]:
    """Return the sources of the API of *batch* with the edits of all cases in it."""
    edits = [(edit["old"], edit["new"]) for case in batch for edit in case["edits"]]
    return edit_texts(APIS[batch[0]["api"]], *edits)


def changed_lines(plan: Plan) -> list[str]:
    return [
        line
        for line in plan.patch().split("\n")
        if line[:1] in ("+", "-") and line[:3] not in ("+++", "---")
    ]


def list_broken(api: Api, callers_have: Published) -> list[str]:
    findings = check(api, callers_have, today=TODAY)
    return [finding.message for finding in findings if finding.policy is Policy.FROZEN]


def compare_newest(written: Api, gated: Api) -> list[str]:
    """Return how the newest versions differ, except for their names.

    A component that nothing uses any more disappears with the older versions that need it.
    """
    names = [environment.name for environment in written.table.environments]
    before, after = Projector(written), Projector(gated)
    return [
        f"{name}: {change}"
        for name in (*names, EVERYWHERE)
        for change in diff(
            before.contract(written.table.dates[-1], name).document,
            after.contract(gated.table.dates[-1], name).document,
        )
        if change.after_pointer != "/info/version" and change.kind is not Kind.COMPONENT_REMOVED
    ]


def require_law(written: Api, plan: Plan, callers_have: Published) -> Api:
    """Write *plan* and check the promises of gating; return the gated API."""
    apply(plan)
    gated = load(written.folder)
    left = [one.message for one in plan.left]
    assert sorted(set(list_broken(gated, callers_have)) - set(left)) == []
    assert compare_newest(written, gated) == []
    if not left:
        assert gate(gated, callers_have, today=TODAY).edits == ()
    return gated
