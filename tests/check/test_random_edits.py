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


@pytest.fixture(params=["library", "payments"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Project:
    origin = PAYMENTS if request.param == "payments" else folder(tmp_path, LIBRARY)
    return Project(Sources.read(origin), tmp_path / "edited")


@pytest.fixture
def some(project: Project) -> int:
    """Return the number of edits: fewer if each takes long."""
    return scale(60 if project.size < 10_000 else 24)


def test_edits_that_are_not_listed_as_additive_are_found(project: Project, some: int) -> None:
    made = list(project.edits(seed=3, count=some))
    assert [str(case) for case in made if not case.listed and not case.refused] == []
    assert sum(not case.listed for case in made) > 0.3 * some


def test_additive_edits_pass(project: Project, some: int) -> None:
    made = [case for case in project.edits(seed=2, count=some) if case.clearly_additive]
    assert [str(case) for case in made if breaches(case.findings)] == []
    assert len(made) > some / 8


def test_rewritings_with_the_same_meaning_pass(project: Project, some: int) -> None:
    made = list(project.rewritings(seed=3, count=some // 2))
    assert [str(case) for case in made if breaches(case.findings)] == []
    assert len({case.done for case in made}) > 0.3 * some
