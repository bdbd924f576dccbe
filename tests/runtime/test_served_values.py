"""Values of handlers and applications are shown as callers of each version should see them."""

from __future__ import annotations

import pytest
from support.seeds import scale
from support.served_values import DOORS, served


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", ["payment", "library", "3", "7"])
def test_results_are_valid_for_each_version(name: str, door: str) -> None:
    assert list(served(name, door).wrong(scale(12))) == []


@pytest.mark.parametrize("name", ["payment", "3", "7"])
def test_requests_reach_an_application_in_the_newest_form(name: str) -> None:
    assert list(served(name, "around").lift_breaches(scale(12))) == []
