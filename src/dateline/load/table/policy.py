"""Read the policy: a preset, and the verdicts that differ from it."""

from __future__ import annotations

from dateline.load.table import valid
from dateline.load.table.reading import TableReading
from dateline.load.table.vocabulary import VERDICTS
from dateline.model import NOTICE_DAYS, Map
from dateline.presets import DEFAULT_POLICY, PRESETS


def read_policy(reading: TableReading, node: Map) -> tuple[str, dict[str, str], int]:
    """Return the preset, the verdicts by rule id that differ from it, and the days of notice."""
    written = node.get("policy", DEFAULT_POLICY)
    if not isinstance(written, Map):
        preset = reading.value(node, "policy", valid.one_of(*PRESETS), DEFAULT_POLICY)
        return preset, {}, NOTICE_DAYS
    reading.known_keys(written, "policy")
    preset = reading.required(
        written, "preset", valid.one_of(*PRESETS), "name the rules to start from"
    )
    rules = reading.value(written, "rules", valid.mapping, {})
    for rule in rules:
        if complaint := valid.rule(rule):
            reading.note(rules.place(rule), *complaint)
    verdicts = {rule: reading.value(rules, rule, valid.one_of(*VERDICTS), "") for rule in rules}
    notice = reading.value(written, "notice-days", valid.count, NOTICE_DAYS)
    return preset or DEFAULT_POLICY, verdicts, notice
