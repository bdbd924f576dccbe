"""What a handler or an application gives is what callers of each version are shown."""

from __future__ import annotations

import pytest
from support.served_values import DOORS, served


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", ["payment", "library", "3", "7"])
def test_what_is_given_is_shown_as_each_version_promises(name: str, door: str) -> None:
    assert list(served(name, door).wrong(25)) == []


@pytest.mark.parametrize("name", ["payment", "3", "7"])
def test_what_callers_send_reaches_an_application_as_the_newest_version_has_it(
    name: str,
) -> None:
    assert list(served(name, "around").lift_breaches(25)) == []
