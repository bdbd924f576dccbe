"""Random edits of cut versions are found, random rewritings are not.

`make bench` makes a thousand of each.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from support.random_sources import Project, Sources
from support.seeds import scale
from support.sources import LIBRARY, folder

from dateline.check import breaches

PAYMENTS: Final = Path(__file__).parents[2] / "schemas"


@pytest.fixture(scope="module", params=["library", "payments"])
def project(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp(request.param)
    origin = PAYMENTS if request.param == "payments" else folder(root, LIBRARY)
    return Project(Sources.read(origin), root / "edited")


def test_random_edits_are_found_unless_they_are_additive(project: Project) -> None:
    some = scale(60 if project.size < 10_000 else 20)
    made = list(project.edits(seed=3, count=some))
    assert [str(case) for case in made if not case.listed and not case.refused] == []
    assert sum(not case.listed for case in made) > 0.3 * some
    additive = [case for case in made if case.clearly_additive]
    assert [str(case) for case in additive if breaches(case.findings)] == []
    assert len(additive) > some / 8


def test_rewritings_with_the_same_meaning_pass(project: Project) -> None:
    some = scale(30 if project.size < 10_000 else 10)
    made = list(project.rewritings(seed=3, count=some))
    assert [str(case) for case in made if breaches(case.findings)] == []
    assert len({case.done for case in made}) > 0.6 * some
