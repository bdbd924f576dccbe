"""Fixtures that the tests of this room share."""

from __future__ import annotations

from support.published_projects import project

__all__ = ["project"]
