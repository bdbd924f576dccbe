"""What the processes that run tests report to the one that prints."""

from __future__ import annotations

from typing import Any, Final

import pytest

_UNREAD: Final = "unread"
_STEPS: Final = frozenset({"logstart", "logfinish"})


class ShortReports:
    """Keeps a process that xdist started from reporting each step of a test that went well.

    Six messages a test cost both processes more than most tests do. One says that it passed, and
    one that it has ended. *interactor* sends them.
    """

    def __init__(self, interactor: Any) -> None:
        self._send = interactor.sendevent
        interactor.sendevent = self.send

    def send(self, name: str, **values: Any) -> None:
        """Send an event, if it is one that is printed."""
        if name not in _STEPS and _UNREAD not in values.get("data", ()):
            self._send(name, **values)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_to_serializable(
        self, report: pytest.CollectReport | pytest.TestReport
    ) -> dict[str, Any] | None:
        """Return the replacement of a report that is not sent; None for any other."""
        went_well = report.passed and not report.sections
        return {_UNREAD: True} if went_well and report.when in ("setup", "teardown") else None


def shorten_reports(config: pytest.Config) -> None:
    """Let this process report less, if xdist started it and no times of steps are wanted."""
    options = config.option
    if options.verbose > 0 or options.durations is not None or options.xmlpath:
        return
    for plugin in config.pluginmanager.get_plugins():
        if type(plugin).__name__ == "WorkerInteractor":
            config.pluginmanager.register(ShortReports(plugin))
