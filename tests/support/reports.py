"""Reduce what the worker processes of pytest-xdist report to the controller."""

from __future__ import annotations

from typing import Any, Final

import pytest

_UNREAD: Final = "unread"
_STEPS: Final = frozenset({"logstart", "logfinish"})


class ShortReports:
    """Keeps an xdist worker from reporting each step of a passing test.

    Six messages for each test cost both processes more than most tests do. Two remain: that the
    test passed, and that it ended. *interactor* sends them.
    """

    def __init__(self, interactor: Any) -> None:
        self._send = interactor.sendevent
        interactor.sendevent = self.send

    def send(self, name: str, **values: Any) -> None:
        """Send an event if the controller prints it."""
        if name not in _STEPS and _UNREAD not in values.get("data", ()):
            self._send(name, **values)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_to_serializable(
        self, report: pytest.CollectReport | pytest.TestReport
    ) -> dict[str, Any] | None:
        """Return the serialized report of a step that isn't sent; None for any other."""
        went_well = report.passed and not report.sections
        return {_UNREAD: True} if went_well and report.when in ("setup", "teardown") else None


def shorten_reports(config: pytest.Config) -> None:
    """Reduce the reports of this process if it is an xdist worker and no durations are wanted."""
    options = config.option
    if options.verbose > 0 or options.durations is not None or options.xmlpath:
        return
    for plugin in config.pluginmanager.get_plugins():
        if type(plugin).__name__ == "WorkerInteractor":
            config.pluginmanager.register(ShortReports(plugin))
