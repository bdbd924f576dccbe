"""Check the other keys of an `x-was` date: `in-place-of`, and the name of a converter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from dateline.load.checks.scope import LinkedTrail, Scope, Site, Violation, extend, list_past, on
from dateline.model import CONVERTER, IN_PLACE_OF, WAS
from dateline.wording import did_you_mean, name_kind, quote

_NAME: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


@on(
    f"*.{WAS}",
    finds=("misplaced-annotation", "replaced-unknown", "replaced-by-nothing", "rename-collision"),
)
def what_was_replaced_is_known(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    """`in-place-of` names existing properties, and `properties` those that they replaced."""
    if not scope.ranks.keys() >= site.node[key].keys():
        return
    now: dict[str, Any] = dict(site.node)
    for past in list_past(site):
        entry = site.node[key][past.date]
        if IN_PLACE_OF in entry:
            trail = (past.at, IN_PLACE_OF)
            if site.kind != "schema":
                message = f"only an object has properties, {name_kind(site.kind)} has none"
                yield Violation(trail, "misplaced-annotation", f"{message}; leave it out")
            else:
                written = entry.get("set", entry).get("properties")
                yield from _compare(now.get("properties", {}), entry[IN_PLACE_OF], written, past.at)
        now |= past.setting
        now = {name: each for name, each in now.items() if name not in past.unset}


def _compare(
    now: dict[str, Any], gone: list[str], came: Any, at: LinkedTrail
) -> Iterator[Violation]:
    for index, name in enumerate(gone):
        if name not in now:
            message = f"there is no property {quote(name)} that took the place of another"
            message += did_you_mean(name, now) or "; leave it out"
            yield Violation(extend(at, IN_PLACE_OF, index), "replaced-unknown", message)
    if not came or not gone:
        message = (
            f"`{IN_PLACE_OF}` names the properties that took the place of those in `properties` "
            "beside it: write both"
        )
        yield Violation((at, IN_PLACE_OF), "replaced-by-nothing", message)
        return
    for name in came:
        if name in now and name not in gone:
            message = (
                f"{quote(name)} is a property after that, too; name it in `{IN_PLACE_OF}` if it "
                "is another one, or leave it out"
            )
            yield Violation(extend(at, "properties", name), "rename-collision", message)


@on(f"*.{WAS}", finds=("converter-name",))
def converters_have_names(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    """The name of a converter can be the name of a method."""
    for date, entry in site.node[key].items():
        name = entry.get(CONVERTER)
        if name is not None and not _NAME.fullmatch(name):
            message = (
                f"{quote(name)} is not a name for a method; write it in lower case: `full_name`"
            )
            yield Violation((site.at(key, date), CONVERTER), "converter-name", message, value=True)
