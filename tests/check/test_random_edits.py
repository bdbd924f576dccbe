"""Edits of cut versions are refused whatever they are; other words for the same never are.

`make bench` makes a thousand of each.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from support.random_sources import Project, Sources
from support.sources import LIBRARY, folder

from dateline.check import breaches

PAYMENTS: Final = Path(__file__).parents[2] / "schemas"


@pytest.fixture(params=["library", "payments"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Project:
    origin = PAYMENTS if request.param == "payments" else folder(tmp_path, LIBRARY)
    return Project(Sources.read(origin), tmp_path / "edited")


@pytest.fixture
def some(project: Project) -> int:
    """Return how many edits of a kind are made: fewer where each takes long."""
    return 30 if project.size < 10_000 else 8


def test_what_the_list_does_not_name_additive_is_refused(project: Project, some: int) -> None:
    made = list(project.edits(seed=3, count=2 * some))
    assert [str(case) for case in made if not case.listed and not case.refused] == []
    assert sum(not case.listed for case in made) > 0.7 * some


def test_additive_edits_pass(project: Project, some: int) -> None:
    made = [case for case in project.edits(seed=2, count=some) if case.clearly_additive]
    assert [str(case) for case in made if breaches(case.findings)] == []
    assert len(made) > some / 8


def test_other_words_for_the_same_pass(project: Project, some: int) -> None:
    made = list(project.rewritings(seed=3, count=some))
    assert [str(case) for case in made if breaches(case.findings)] == []
    assert len({case.done for case in made}) > 0.7 * some
