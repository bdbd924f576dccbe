"""Check the rules of the version table against what is published."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from dateline.check.announcements import check_announcements, find_announcement, find_moves
from dateline.check.baseline import Published
from dateline.check.findings import create_finding
from dateline.check.lone_documents import is_unknown
from dateline.gates import order
from dateline.model import Finding, Place, Policy, Table, Version
from dateline.rules import CHANGE_RULES
from dateline.wording import did_you_mean


def check_table(table: Table, published: Published, today: date) -> Iterator[Finding]:
    """Yield each violation: a version withdrawn, re-dated or backdated, the default moved.

    What was announced may happen from its day on.
    """
    rows = {version.date: version for version in table.versions}
    for day in published.versions:
        end = find_announcement(table, published, "ends", day)
        if day not in rows and not (end and end.day <= today.isoformat()):
            message = _withdrawn(table, published, day)
            if end is not None:
                message = f"{day} is not in the table, and ends on {end.day} only"
            yield _breach("version-withdrawn", day, message, _nearest(table, day))
        elif day in rows and rows[day].draft:
            message = f"{day} is published, and the table calls it a draft"
            yield _breach("version-drafted", day, message, rows[day].place)
    yield from _find_backdated(table, published)
    yield from _check_default(table, published, today.isoformat())
    yield from check_announcements(table, published, today)
    for rule in table.overrides:
        if rule not in CHANGE_RULES:
            hint = did_you_mean(rule, CHANGE_RULES)
            message = f"the policy names {rule}, which is not a rule{hint}"
            yield _breach("policy-rule-unknown", rule, message, table.place(rule))
    for name in published.environments:
        if name and name not in table.environment_names:
            message = f"the environment {name} is published and not in the table"
            yield _breach("environment-withdrawn", name, message, table.place("environments"))
    yield from _check_first_environment(table, published)


def _check_first_environment(table: Table, published: Published) -> Iterator[Finding]:
    recorded = published.policy.environments if published.policy is not None else None
    before, now = (recorded or ("",))[0], (table.environment_names or ("",))[0]
    if before != now and before in table.environment_names:
        yield create_finding(
            "default-environment-changed",
            Policy.FROZEN,
            f"the first environment is {now}, and was {before}",
            key=(before, now),
            after_pointer="/environments",
            before=before,
            after=now,
            after_source=table.place("environments"),
        )


def _check_default(table: Table, published: Published, today: str) -> Iterator[Finding]:
    """Report a move of the default that differs from the last announcement."""
    before, now = published.default, table.default
    moves = find_moves(table, published, today)
    if before is None or before == now or now in moves:
        return
    end = find_announcement(table, published, "ends", before)
    if before not in {version.date for version in table.versions} and not end:
        return  # its withdrawal is a finding of its own
    announced = find_announcement(table, published, "default", now)
    how = "unannounced"
    if announced and announced.day > today:
        how = f"before {announced.day}, the announced day"
    elif announced:
        others = " or ".join(f"{version} on {day}" for version, day in moves.items())
        how = f"as announced for {announced.day}, and it was announced to move to {others}"
    message = f"the default moves from {before} to {now} {how}"
    yield _breach("default-moved", now, message, table.place("default"))


def _withdrawn(table: Table, published: Published, day: str) -> str:
    """Return what happened: a new version in place of a missing one was re-dated."""
    fresh = [
        version.date
        for version in table.versions
        if not version.draft and version.date not in published.versions
    ]
    if len(fresh) == 1:
        return f"{day} is published and not in the table, which has {fresh[0]} instead"
    return f"{day} is published and not in the table"


def _find_backdated(table: Table, published: Published) -> Iterator[Finding]:
    newest = max(published.versions, key=order, default="")
    for version in table.versions:
        fresh = not (version.date in published.versions or is_unknown(published, version.date))
        if fresh and newest and order(version.date) < order(newest):
            message = f"{version.date} is new, and {newest} is cut already"
            yield _breach("version-backdated", version.date, message, version.place)


def create_unchanged_finding(version: Version, older: str) -> Finding:
    """Return the finding that *version* promises the same as *older*."""
    message = f"{version.date} promises the same as {older} does"
    return _breach("version-without-change", version.date, message, version.place)


def _nearest(table: Table, day: str) -> Place:
    """Return the row before that of *day*, or the first row if it comes before all."""
    older = [version for version in table.versions if order(version.date) < order(day)]
    return (older[-1] if older else table.versions[0]).place


def _breach(rule: str, subject: str, message: str, place: Place) -> Finding:
    return create_finding(rule, Policy.TABLE, message, key=(subject,), after_source=place)
