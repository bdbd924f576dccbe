"""Write `requirements.lock` beside this file: the pinned packages that `dateline` itself needs.

    python integrations/lock.py

It is the part of the project's lock that its dependencies, those of its extra `generate`, and
hatchling to build it lead to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import requires
from pathlib import Path

HERE = Path(__file__).parent
_OURS = re.compile(r"extra == .generate.")


def find_needed(name: str) -> Iterator[str]:
    """Yield the normalized names of all packages that *name* needs on some platform."""
    for requirement in requires(name) or []:
        if "extra ==" not in requirement or _OURS.search(requirement):
            yield re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", requirement)[0]).lower()


def write_subset(lock: str) -> str:
    """Return the entries of *lock* for dateline's dependencies, hatchling, and what they need."""
    entries = {
        match["name"]: match[0]
        for match in re.finditer(r"^(?P<name>[\w.-]+)==.*\n(?:[ ]+.*\n)*", lock, re.M)
    }
    needed: set[str] = set()
    found = {"hatchling", *find_needed("dateline")} & entries.keys()
    while found:
        needed |= found
        found = {each for name in found for each in find_needed(name)} & entries.keys() - needed
    head = "# Written by integrations/lock.py from the requirements.lock of the project.\n"
    return head + "".join(entries[name] for name in sorted(needed))


if __name__ == "__main__":
    whole = (HERE.parent / "requirements.lock").read_text(encoding="utf-8")
    (HERE / "requirements.lock").write_text(write_subset(whole), encoding="utf-8")
