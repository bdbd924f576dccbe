"""Fields that are replaced by fields of other parts, and stay in their own part."""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import Any, Final

from dateline.canonical.declarations import Declaration, Declarations, Moves, Schema, read_form
from dateline.canonical.eras import restore_history
from dateline.gates import drop_keys
from dateline.model import ADDED, ENVIRONMENTS, GATES, REMOVED, WAS, WHY, Api

_GATING: Final = (ADDED, REMOVED, ENVIRONMENTS)


class ReplacedFields:
    """The fields that newer versions declare elsewhere in another form.

    Handlers get them in that form, because they get both declarations: a member of a union that has
    the field as it was can't be copied without it where tags lead to the member. The field has a
    history in its own part then, for all values with this part.
    """

    def __init__(self, api: Api, declarations: Declarations) -> None:
        self._visible = api.visible
        self._declarations = declarations
        schemas = api.document.get("components", {}).get("schemas", {})
        self._names = {id(schema): name for name, schema in schemas.items()}
        self._newer: dict[int, tuple[str, int, list[Any]]] = {}

    def note(self, moves: Moves) -> bool:
        """Note the fields that *moves* replace, if they are gone wherever their part is.

        Return whether there are any.
        """
        found = [
            each
            for each in moves.list_replaced()
            if isinstance(each.declared.child, dict) and self._is_gone(each.declared, each.last)
        ]
        for each in found:
            child = each.declared.child
            *_, newer = self._newer.setdefault(id(child), (each.name, each.last, []))
            newer += [
                one
                for one in each.newer
                if all(read_form(one) != read_form(other) for other in newer)
            ]
        return bool(found)

    def restate(self, schema: Schema) -> Schema:
        """Return *schema* with a history that leads to what replaces it, if something does."""
        if id(schema) not in self._newer:
            return schema
        name, last, newer = self._newer[id(schema)]
        forms = [drop_keys(each, *GATES, WHY) for each in newer if isinstance(each, dict)]
        form = forms[0] if len(forms) == 1 else {"anyOf": forms} if forms else {}
        form |= {key: schema[key] for key in _GATING if key in schema}
        timeline = self._declarations.timeline
        eras = [
            {**(form if number < last else era), "name": timeline.name("schema", name, schema, at)}
            for number, (at, era) in enumerate(
                zip(self._declarations.versions, self._declarations.list_eras(schema), strict=True)
            )
        ]
        return restore_history(drop_keys(schema, WAS), self._declarations.dates, eras, name)

    def _is_gone(self, declared: Declaration, last: int) -> bool:
        """Return whether no version newer than the one with the number *last* has the field."""
        masks = [self._declarations.timeline.of(declared.child)]
        for schema in (declared.part.schema, *reversed(declared.part.above)):
            masks.append(self._declarations.timeline.of(schema))
            if id(schema) in self._names:
                masks.append(self._visible.get(("schemas", self._names[id(schema)]), -1))
                break
        mask = reduce(and_, masks)
        return not any(mask >> at & 1 for at in self._declarations.versions[:last])
