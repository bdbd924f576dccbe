"""Edit the files of a project: setting one up, gating, waiving."""

from __future__ import annotations

from dateline.edit.setup import NotEmptyError, init, init_server

__all__ = ["NotEmptyError", "init", "init_server"]
