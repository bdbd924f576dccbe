"""Fixtures that the tests of this room share."""

from __future__ import annotations

from support.gating import callers_have

__all__ = ["callers_have"]
