"""Two contracts in, a list of `Change` out. Observes; never judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from dateline.collector import collection_off
from dateline.diff.compare import SchemaComparison
from dateline.diff.documents import ChangeSurvey, DocumentIndex, Texts
from dateline.diff.graph import CARRIERS, Graph, NodePair, Seen, reachable
from dateline.diff.keywords import changed
from dateline.diff.leads import Leads
from dateline.diff.leaves import leaves
from dateline.diff.messages import MessageComparison
from dateline.diff.naming import name
from dateline.diff.operations import OperationComparison
from dateline.diff.schemas import Schemas
from dateline.diff.switches import fold
from dateline.diff.tags import fold_tags
from dateline.model import Change, Contract, Direction, Kind
from dateline.openapi import COMPONENTS
from dateline.schema.dialect import Dialect, is_old
from dateline.schema.memo import Memo
from dateline.schema.references import component, escape
from dateline.schema.values import text

# Kinds that say nothing about what is inside the values: there the leaves are told.
_UNKNOWN_INSIDE: Final = (
    Kind.KEYWORD_CHANGED,
    Kind.DOCUMENTATION_CHANGED,
    Kind.EXTENSION_CHANGED,
    Kind.LINK_CHANGED,
    Kind.OTHER,
)

# Kinds that concern those who import components, whatever operations use them.
_NAMED: Final = (Kind.COMPONENT_ADDED, Kind.COMPONENT_REMOVED, Kind.COMPONENT_RENAMED)

_VARIANTS: Final = (Kind.VARIANT_ADDED, Kind.VARIANT_REMOVED)

_OPENED: Final = {
    Kind.VALUE_ADDED: Kind.OPEN_VALUE_ADDED,
    Kind.VALUE_REMOVED: Kind.OPEN_VALUE_REMOVED,
}

_SILENT: Final = (Kind.DOCUMENTATION_CHANGED, Kind.EXTENSION_CHANGED, *_NAMED)


class DiffReadings:
    """What was read of documents, for several comparisons of documents that share nodes.

    No document may be changed while they last.
    """

    def __init__(self) -> None:
        self._texts = Texts()
        self.leads = Leads(self._texts)
        self._schemas = Memo(DiffReadings._read, owner=self)

    def of(self, root: dict[str, Any], *, across: bool = False) -> Schemas:
        """Return the schemas of the document *root*, and its index.

        With *across*, it is to be compared with a document of another dialect.
        """
        return self._schemas(root, across)

    def _read(self, root: dict[str, Any], across: bool) -> Schemas:
        # within one dialect, equal texts say the same, and schemas are read where they are met
        read = Dialect(root).align("document", root) if across else root
        return Schemas(DocumentIndex(read, self._texts))


def diff(
    before: dict[str, Any] | Contract,
    after: dict[str, Any] | Contract,
    renames: Mapping[str, str] | None = None,
    readings: DiffReadings | None = None,
) -> list[Change]:
    """Return every difference a caller could see, sorted by pointers, kind and keyword.

    Both are plain OpenAPI 3.0 or 3.1 documents, not changed here. Schemas are compared by what
    they mean in their own dialect; that it is another one is a change of its own. What is
    written once is one change, whatever number of paths lead to it. *renames* gives the old
    name of a property, parameter or header by its pointer in *after*; without it, a renamed one
    is removed and added. With *readings* nothing is read again that an earlier comparison read.
    """
    ours, theirs = _plain(before), _plain(after)
    if ours is theirs:
        return []
    with collection_off():
        return _Comparison(ours, theirs, renames or {}, readings or DiffReadings()).changes()


def _plain(contract: dict[str, Any] | Contract) -> dict[str, Any]:
    return contract.document if isinstance(contract, Contract) else contract


class _Label:
    """All that reaches one difference."""

    __slots__ = ("carried", "closed", "exclusive", "other", "request", "response", "wider")

    def __init__(self) -> None:
        self.request = 0
        self.response = 0
        self.carried = 0
        self.closed = False
        self.exclusive = False
        self.wider = False
        self.other = False


class _Comparison:
    def __init__(
        self,
        before: dict[str, Any],
        after: dict[str, Any],
        renames: Mapping[str, str],
        readings: DiffReadings,
    ) -> None:
        across = is_old(before) != is_old(after)
        ours, theirs = readings.of(before, across=across), readings.of(after, across=across)
        self._before = ours.document
        self._after = theirs.document
        self._graph = Graph()
        self._survey = ChangeSurvey(self._before, self._after)
        self._schemas = SchemaComparison(self._graph, self._survey, ours, theirs, renames)
        self._messages = MessageComparison(self._graph, self._survey, self._schemas, renames)
        self._operations = OperationComparison(
            self._graph, self._survey, self._messages, renames, readings.leads
        )
        self._named: dict[int, tuple[str, ...]] = {}

    def changes(self) -> list[Change]:
        self._operations.compare()
        for pair in self._graph.waiting():
            (self._schemas if pair.kind == "schema" else self._messages).compare(pair)
        self._tell_opaque()
        fold_tags(self._graph, self._survey, self._schemas.retagged)
        fold(self._graph, self._before, self._after)
        renamed = self._components()
        self._graph.spread()
        return sorted(self._told(renamed), key=_order)

    def _tell_opaque(self) -> None:
        """Note that a keyword changed where anything below it did: what, is not judged there."""
        for pair in list(self._graph.pairs):
            for keyword, before, after, below in pair.opaque:
                told = [seen for inner in reachable(below) for seen in inner.seen]
                judged = any(
                    seen.kind not in _SILENT and seen.keyword != "deprecated" for seen in told
                )
                if judged or any(seen.kind not in _NAMED for seen in told):
                    kind = Kind.KEYWORD_CHANGED if judged else Kind.DOCUMENTATION_CHANGED
                    changed(pair, kind, keyword, before, after)

    def _components(self) -> dict[str, str]:
        """Note which components came, went or have another name; return the new references."""
        root = self._graph.root((), ())
        references: dict[str, str] = {}
        made, came_made = self._before.made, self._after.made
        called = {address: pointer for pointer, address in came_made.items()}
        # what nobody named, and has another name now
        moved = {at: called[to] for at, to in made.items() if called.get(to, at) != at}
        references |= {f"#{at}": f"#{now}" for at, now in moved.items()}
        for section in COMPONENTS:
            at = f"/components/{section}/"
            ours, theirs = (
                {
                    name: node
                    for name, node in side.section(section).items()
                    if at + escape(name) not in left
                }
                for side, left in ((self._before, moved.keys()), (self._after, {*moved.values()}))
            )
            gone = [found for found in ours if found not in theirs]
            came = [found for found in theirs if found not in ours]
            renamed = _one_to_one(
                {old: self._partners.get((section, old), set()) & set(came) for old in gone if came}
            )
            renamed |= _equal(
                ours, theirs, set(gone) - set(renamed), set(came) - set(renamed.values())
            )
            if section == "securitySchemes":
                renamed |= self._operations.schemes
            # nobody knows by its name what nobody named
            ours_made = {name for name in gone if at + escape(name) in made}
            theirs_made = {name for name in came if at + escape(name) in came_made}
            for old, new in renamed.items():
                references[f"#{at}{escape(old)}"] = f"#{at}{escape(new)}"
                if old in ours_made or new in theirs_made:
                    continue
                is_word = self._operations.is_word(section, old)
                root.add(
                    Kind.DOCUMENTATION_CHANGED if is_word else Kind.COMPONENT_RENAMED,
                    section,
                    before_pointer=at + escape(old),
                    after_pointer=at + escape(new),
                    before=old,
                    after=new,
                )
            for old in gone:
                if old not in renamed and old not in ours_made:
                    is_word = self._operations.is_word(section, old)
                    kind = Kind.DOCUMENTATION_CHANGED if is_word else Kind.COMPONENT_REMOVED
                    root.add(kind, section, before_pointer=at + escape(old), before=old)
            for new in came:
                if new not in renamed.values() and new not in theirs_made:
                    pointer = at + escape(new)
                    root.add(Kind.COMPONENT_ADDED, section, after_pointer=pointer, after=new)
        return references

    @cached_property
    def _partners(self) -> dict[tuple[str, str], set[str]]:
        """Return the names of the components that each was compared with, by section and name."""
        found: dict[tuple[str, str], set[str]] = {}
        for pair in self._graph.pairs:
            ours = [known for part in pair.before if (known := component(part.pointer))]
            theirs = [known for part in pair.after if (known := component(part.pointer))]
            if len(ours) == len(theirs):
                for (section, old), (_, new) in zip(ours, theirs, strict=True):
                    found.setdefault((section, old), set()).add(new)
        return found

    def _told(self, references: dict[str, str]) -> Iterator[Change]:
        """Yield one change for each difference, with all that reaches it."""
        told: dict[tuple[Any, ...], Seen] = {}
        labels: dict[tuple[Any, ...], _Label] = {}
        for pair in self._graph.pairs:
            if not pair.carried:
                continue
            for seen in pair.seen:
                told.setdefault(seen.identity, seen)
                _join(labels.setdefault(seen.identity, _Label()), pair, seen)
        opened = {(seen.before_pointer, seen.after_pointer): seen.kind for seen in told.values()}
        for identity, seen in told.items():
            label = labels[identity]
            kind = opened[seen.before_pointer, seen.after_pointer]
            if _OPENED.get(seen.kind) is kind and not (label.request or label.response):
                continue  # a list of values that stands only where any value may stand
            if not _follows(seen, references):
                yield self._change(seen, labels[identity])

    def _change(self, seen: Seen, label: _Label) -> Change:
        before, after = seen.before, seen.after
        if seen.kind in _UNKNOWN_INSIDE and _is_nested(before, after):
            before, after = leaves(before, after)
        at_before = seen.after_pointer is None or seen.kind is Kind.FIELD_OPTIONAL
        side = self._before if at_before else self._after
        pointer = (seen.before_pointer if at_before else seen.after_pointer) or ""
        schema, field = name(side.root, pointer, seen.keyword)
        if seen.kind in _VARIANTS and seen.keyword == "discriminator":
            # the variant itself says nothing of what it is one of
            other = self._after if at_before else self._before
            schema, field = name(other.root, seen.holder or "", seen.keyword)
        if seen.kind in _NAMED:
            label = _Label()
        return Change(
            kind=seen.kind,
            direction=_direction(label),
            before_pointer=seen.before_pointer,
            after_pointer=seen.after_pointer,
            schema=schema,
            field=seen.field or field,
            keyword=seen.keyword,
            operations=self._operation_names(label.request | label.response),
            before=before,
            after=after,
            holder_pointer=seen.holder,
            within=tuple(sorted((self._change(inner, label) for inner in seen.within), key=_order)),
            carriers=tuple(
                carrier for carrier, bit in sorted(CARRIERS.items()) if label.carried & bit
            ),
            closed=seen.kind is Kind.FIELD_ADDED and (label.closed or seen.closed),
            exclusive=label.exclusive,
            wider=label.wider and not label.other,
        )

    def _operation_names(self, bits: int) -> tuple[str, ...]:
        if bits not in self._named:
            known = self._operations.names
            self._named[bits] = tuple(
                sorted({known[index] for index in range(bits.bit_length()) if bits >> index & 1})
            )
        return self._named[bits]


def _join(label: _Label, pair: NodePair, seen: Seen) -> None:
    label.request |= 0 if seen.access == "readOnly" else pair.request
    label.response |= 0 if seen.access == "writeOnly" else pair.response
    label.carried |= seen.carrier or pair.carried
    label.closed |= seen.closed or pair.closed
    label.exclusive |= seen.exclusive or pair.exclusive
    label.wider |= seen.wider
    label.other |= bool(pair.request or pair.response) and not seen.wider


def _direction(label: _Label) -> Direction:
    if label.request and label.response:
        return Direction.BOTH
    if label.request:
        return Direction.REQUEST
    return Direction.RESPONSE if label.response else Direction.MODEL


def _is_nested(before: Any, after: Any) -> bool:
    """Tell whether two unequal values are large enough for a look at where they differ."""
    both = (before, after)
    if all(isinstance(value, list) for value in both):
        return any(isinstance(item, dict | list) for value in both for item in value)
    return all(isinstance(value, dict) for value in both) and text(before) != text(after)


def _one_to_one(partners: dict[str, set[str]]) -> dict[str, str]:
    """Return those who have one partner that has no other."""
    taken = [new for news in partners.values() for new in news]
    return {
        old: new
        for old, news in partners.items()
        if len(news) == 1 and taken.count(new := next(iter(news))) == 1
    }


def _equal(
    before: dict[str, Any], after: dict[str, Any], gone: set[str], came: set[str]
) -> dict[str, str]:
    """Return which of those that no comparison met have the same text under another name."""
    texts: dict[str, list[str]] = {}
    for new in sorted(came):
        texts.setdefault(text(after[new]), []).append(new)
    return {old: found.pop(0) for old in sorted(gone) if (found := texts.get(text(before[old])))}


def _follows(seen: Seen, references: dict[str, str]) -> bool:
    """Tell whether two unjudged values differ only in the new names of components."""
    if not references or seen.kind is not Kind.EXTENSION_CHANGED:
        return False
    followed = text(seen.before)
    for old, new in references.items():
        followed = followed.replace(f'"{old}"', f'"{new}"')
    return followed == text(seen.after)


def _order(change: Change) -> tuple[str, ...]:
    return (
        change.before_pointer or "",
        change.after_pointer or "",
        change.kind.value,
        change.keyword,
        change.field,
    )
