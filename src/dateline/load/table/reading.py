"""Read the mappings of `versions.yaml` as their keys are declared, and report problems."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dateline.load.table.contents import TableValue, check_version
from dateline.load.table.keys import KEYS, OPENAPI, SUBJECTS
from dateline.model import KEYS as OUR_KEYS
from dateline.model import Map, Place, Problem, Seq
from dateline.versions import DATE_FORM, FORMS, MOVING, RESERVED
from dateline.wording import did_you_mean


@dataclass(frozen=True)
class Row:
    """A mapping of the file as it is written, and its values.

    A value that is absent or wrong is replaced by the default of its key.
    """

    node: Map
    values: dict[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def place(self, key: str) -> Place:
        """Return the place of the value of *key*."""
        return self.node.place(key, value=True)


def _is_word(name: Any) -> bool:
    """Return whether *name* may be that of a moving version."""
    return isinstance(name, str) and bool(re.fullmatch(MOVING, name)) and name not in RESERVED


class TableReading:
    """One reading of the file, which collects problems."""

    def __init__(self, document: Map | None = None) -> None:
        """Read what *document*, the whole file, declares about the names of its versions."""
        self.problems: list[Problem] = []
        document = document or Map()
        form, rows = document.get("form"), document.get("versions")
        self.form: str = form if form in FORMS else DATE_FORM
        self._moving = {
            row["date"]
            for row in (rows if isinstance(rows, list) else ())
            if isinstance(row, dict) and row.get("moving") is True and _is_word(row.get("date"))
        }

    def note(self, place: Place, id: str, message: str) -> None:
        """Add a problem at *place*."""
        self.problems.append(Problem(place=place, id=id, message=message))

    def row(self, node: Map, what: str) -> Row:
        """Return the values of *node*, which is *what*, a name in ``KEYS``."""
        fields = KEYS[what]
        for key in node:
            foreign = what in OPENAPI and key.startswith("x-") and key not in OUR_KEYS
            if not foreign and key not in fields:
                others = [name for name, known in KEYS.items() if key in known]
                hint = f"; it is a key of {' or '.join(others)}" if others else ""
                message = f"{key!r} is not a key of {what}{hint or did_you_mean(key, fields)}"
                self.note(node.place(key), "unknown-key", message)
        subjects, refusal = SUBJECTS.get(what, ((), None))
        is_one = refusal is None or len(node.keys() & {*subjects}) == 1
        if refusal is not None and not is_one:
            self.note(node.place(), *refusal)
        values = {}
        for key, field in fields.items():
            values[key] = field.default
            if key in node:
                found = self._value(field.content, node[key], node.place(key, value=True))
                values[key] = field.default if found is None else found
            elif field.missing and is_one:
                self.require(node, key, field.missing)
        return Row(node, values)

    def require(self, node: Map, key: str, way_out: str) -> None:
        """Report that *node* has no *key*."""
        self.note(node.place(), "missing-key", f"`{key}` is missing; {way_out}")

    def _value(self, content: TableValue, value: Any, place: Place) -> Any:
        """Return *value*, read as *content*; report it and return None if it is something else."""
        if content.object and isinstance(value, Map):
            return self.row(value, content.object)
        refusal = content.check(value)
        if content.version:
            is_cut = content.version == "cut"
            is_moving = isinstance(value, str) and value in self._moving
            refusal = None if is_moving else check_version(value, self.form, cut=is_cut)
        if refusal is not None:
            self.note(place, *refusal)
            return None
        if content.each is None:
            return value
        if isinstance(value, Seq):
            return list(self._items(content, content.each, value))
        for name in value:
            if content.name is not None and (refusal := content.name.check(name)):
                self.note(value.place(name), *refusal)
        return {
            name: self._value(content.each, below, value.place(name, value=True))
            for name, below in value.items()
        }

    def _items(self, content: TableValue, each: TableValue, rows: Seq) -> Iterator[Any]:
        """Yield the items of a list, None for each that is wrong; repeated ones are left out."""
        seen: set[str] = set()
        for index, item in enumerate(rows):
            found = self._value(each, item, rows.place(index))
            if content.unique and found in seen:
                self.note(rows.place(index), "item-twice", f"{item!r} is in the list already")
                continue
            if content.unique and found is not None:
                seen.add(found)
            yield found
