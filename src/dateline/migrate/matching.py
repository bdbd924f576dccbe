"""Match the classes of a version with those of an older version."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from dateline.migrate.package import VersionModule
from dateline.python.names import class_name


def match_classes(
    older: VersionModule,
    newer: VersionModule,
    changes: Sequence[Mapping[str, Any]],
    renamed: Mapping[tuple[str, str], str],
) -> dict[str, str]:
    """Return the new names of classes and aliases of *older* that are different in *newer*.

    They are derived from the types that methods take and return, from equal names and renamed
    components, and through the fields; *renamed* are the new names of fields in JSON by class and
    old name. A class has a new name only if all places with it have the same one, and no other
    class is there.
    """
    found: dict[str, set[str]] = defaultdict(set)
    waiting: list[tuple[str, str]] = [(name, name) for name in older.names & newer.names]
    for change in changes:
        if change["rule"] == "component-renamed":
            pair = class_name(str(change["before"])), class_name(str(change["after"]))
            if pair[0] in older.names and pair[1] in newer.names:
                waiting.append(pair)
    for operation in older.types.keys() & newer.types.keys():
        types = older.types[operation], newer.types[operation]
        for part in types[0].keys() & types[1].keys():
            waiting += _pair(older, newer, types[0][part], types[1][part])
    while waiting:
        before, after = waiting.pop()
        if after in found[before]:
            continue
        found[before].add(after)
        if before in older.aliases and after in newer.aliases:
            waiting += _pair(older, newer, older.aliases[before], newer.aliases[after])
        elif before in older.classes and after in newer.classes:
            old, new = older.classes[before], newer.classes[after]
            for name, field in old.wire.items():
                called = renamed.get((before, name), name)
                if called in new.wire:
                    annotations = old.fields[field], new.fields[new.wire[called]]
                    waiting += _pair(older, newer, *annotations)
    one = {
        before: next(iter(each))
        for before, each in found.items()
        if before not in newer.names and len(each) == 1 and not each & older.names
    }
    count = Counter(one.values())
    return {before: after for before, after in one.items() if count[after] == 1}


def _pair(
    older: VersionModule, newer: VersionModule, before: ast.expr, after: ast.expr
) -> list[tuple[str, str]]:
    """Return the names in two annotations of one place, if each has just one."""
    pairs = [*older.list_named(before)], [*newer.list_named(after)]
    return [(pairs[0][0], pairs[1][0])] if len(pairs[0]) == len(pairs[1]) == 1 else []
