"""Compare two contracts and return their differences as a list of `Change`, without verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from dateline.collector import collection_off
from dateline.diff.compare import SchemaComparison
from dateline.diff.documents import SECTIONS, ChangeSurvey, DocumentIndex, Texts
from dateline.diff.graph import CARRIERS, Difference, Graph, Kinds, NodePair, list_reachable
from dateline.diff.keywords import KEYWORD, NOTE
from dateline.diff.leaves import find_leaves
from dateline.diff.messages import MessageComparison
from dateline.diff.naming import name
from dateline.diff.operations import OperationComparison
from dateline.diff.schemas import Schemas
from dateline.diff.switches import fold_switches
from dateline.diff.tags import fold_tags
from dateline.model import Change, Contract, Direction, Kind
from dateline.openapi import COMPONENTS
from dateline.schema.dialect import Dialect, find_version, is_old
from dateline.schema.memo import Memo
from dateline.schema.references import Located, component, escape
from dateline.schema.values import text

# Kinds without meaning for values below: the exact places are reported.
_UNKNOWN_INSIDE: Final = (
    Kind.KEYWORD_CHANGED,
    Kind.DOCUMENTATION_CHANGED,
    Kind.EXTENSION_CHANGED,
    Kind.LINK_CHANGED,
    Kind.OTHER,
)

# Kinds that concern whoever imports components, whatever operations use them.
_COMPONENT: Final = Kinds(Kind.COMPONENT_ADDED, Kind.COMPONENT_REMOVED, Kind.COMPONENT_RENAMED)

_VARIANTS: Final = (Kind.VARIANT_ADDED, Kind.VARIANT_REMOVED)

_OPENED: Final = {
    Kind.VALUE_ADDED: Kind.OPEN_VALUE_ADDED,
    Kind.VALUE_REMOVED: Kind.OPEN_VALUE_REMOVED,
}

_SILENT: Final = (Kind.DOCUMENTATION_CHANGED, Kind.EXTENSION_CHANGED)


class DiffReadings:
    """Caches what is read of documents, for comparisons of documents that share nodes.

    The documents must not be changed as long as it is in use.
    """

    def __init__(self) -> None:
        self._texts: Texts | None = None
        self._schemas = Memo(DiffReadings._read, owner=self)
        self._surveys = Memo(_survey)

    def of(self, root: dict[str, Any], *, across: bool = False) -> Schemas:
        """Return the schemas of the document *root*, and its index.

        With *across*, what the dialects spell differently is equal, as in one of another dialect.
        """
        return self._schemas(root, across)

    def survey(self, before: Schemas, after: Schemas, *, words: bool = True) -> ChangeSurvey:
        """Return what is unequal in two documents; without *words*, in more than words."""
        return self._surveys((before.document, after.document), words)

    def _read(self, root: dict[str, Any], across: bool) -> Schemas:
        # within one dialect equal texts mean the same, and schemas are read when they are reached
        read = Dialect(root).align("document", root) if across else root
        self._texts = self._texts or Texts(read)
        return Schemas(DocumentIndex(read, self._texts))


def diff(
    before: dict[str, Any] | Contract,
    after: dict[str, Any] | Contract,
    renames: Mapping[str, str] | None = None,
    readings: DiffReadings | None = None,
    *,
    words: bool = True,
    respelled: bool = False,
) -> list[Change]:
    """Return every difference a caller could see, sorted by pointers, kind and keyword.

    Both are plain OpenAPI documents, and are not changed. Schemas are compared by their meaning in
    their own dialects; another dialect is a change of its own. An edit at one place is one change,
    however many paths lead there. *renames* gives the old name of a property, parameter or header
    by its pointer in *after*; without it, a renamed one is removed and added. With *readings*,
    nothing is read again that an earlier comparison read. Without *words*, changes of descriptions
    and summaries may be left out, since finding the operations that they concern takes a walk over
    everything that reaches them. With *respelled*, what OpenAPI 3.0 and 3.1 spell differently is
    equal within 3.1, too.
    """
    ours, theirs = _plain(before), _plain(after)
    if ours is theirs:
        return []
    with collection_off():
        known = readings or DiffReadings()
        across = respelled or is_old(ours) != is_old(theirs)
        sides = known.of(ours, across=across), known.of(theirs, across=across)
        versions = find_version(ours), find_version(theirs)
        survey = known.survey(*sides, words=words)
        return _Comparison(*sides, survey, versions, renames or {}).changes()


def are_reworded(before: dict[str, Any], after: dict[str, Any], readings: DiffReadings) -> bool:
    """Return whether two documents are equal except for their words.

    They must also be spelled alike: different spellings of the same meaning need `diff`.
    """
    sides = (before, after)
    if text(_outline(before)) != text(_outline(after)):
        return False
    ours, theirs = map(readings.of, sides)
    return not readings.survey(ours, theirs, words=False).unequal


def _survey(documents: tuple[DocumentIndex, DocumentIndex], words: bool) -> ChangeSurvey:
    return ChangeSurvey(*documents, words=words)


def _outline(document: dict[str, Any]) -> dict[str, Any]:
    """Return *document* without the entries that a survey compares."""
    found: dict[str, Any] = {}
    for key, value in document.items():
        if key == "components" and isinstance(value, dict):
            found[key] = {name: isinstance(one, dict) or [one] for name, one in value.items()}
        elif isinstance(value, dict) or (isinstance(value, list) and key not in SECTIONS):
            found[key] = True
        else:
            found[key] = [value]
    return found


def _plain(contract: dict[str, Any] | Contract) -> dict[str, Any]:
    return contract.document if isinstance(contract, Contract) else contract


@dataclass(slots=True)
class _Label:
    """The operations and carriers that reach one difference on any path, as bits; and its flags."""

    request: int = 0
    response: int = 0
    carried: int = 0
    closed: bool = False
    exclusive: bool = False
    wider: bool = False
    other: bool = False


_Labels = dict[tuple[Any, ...], _Label]
"""The label of each difference, by its identity after those of the differences it follows from."""


class _Comparison:
    def __init__(
        self,
        before: Schemas,
        after: Schemas,
        survey: ChangeSurvey,
        versions: tuple[str, str],
        renames: Mapping[str, str],
    ) -> None:
        self._before = before.document
        self._after = after.document
        self._graph = Graph()
        self._survey = survey
        self._schemas = SchemaComparison(self._graph, survey, before, after, renames)
        self._messages = MessageComparison(self._schemas)
        self._operations = OperationComparison(self._messages, versions)
        self._named: dict[int, tuple[str, ...]] = {}

    def changes(self) -> list[Change]:
        self._operations.compare()
        for pair in self._graph.waiting():
            (self._schemas if pair.kind == "schema" else self._messages).compare(pair)
        self._add_opaque()
        fold_tags(self._graph, self._survey, self._schemas.retaggings)
        fold_switches(self._graph, self._before, self._after)
        renamed = self._components()
        self._graph.spread()
        return sorted(self._changes(renamed), key=_order)

    def _add_opaque(self) -> None:
        """Report that a keyword changed if anything below it did, without the details."""
        for pair in list(self._graph.pairs):
            for keyword, before, after, below in pair.opaque:
                found = [each for inner in list_reachable(below) for each in inner.differences]
                judged = any(
                    each.kind not in _SILENT and each.keyword != "deprecated" for each in found
                )
                if found:
                    pair.add(KEYWORD if judged else NOTE, keyword, before, after)

    def _components(self) -> dict[str, str]:
        """Report added, removed and renamed components; return the new references."""
        root = self._graph.root((), ())
        references: dict[str, str] = {}
        made, came_made = self._before.made, self._after.made
        called = {address: pointer for pointer, address in came_made.items()}
        # components with generated names that are different now
        moved = {at: called[to] for at, to in made.items() if called.get(to, at) != at}
        references |= {f"#{at}": f"#{now}" for at, now in moved.items()}
        for section in COMPONENTS:
            if not (self._before.section(section) or self._after.section(section)):
                continue
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
            renamed = _pair_one_to_one(
                {old: self._partners.get((section, old), set()) & set(came) for old in gone if came}
            )
            renamed |= _match_texts(
                ours, theirs, set(gone) - set(renamed), set(came) - set(renamed.values())
            )
            if section == "securitySchemes":
                renamed |= self._operations.security.renamed
            new_names = [(None, new) for new in came if new not in renamed.values()]
            for old, new in (*((old, renamed.get(old)) for old in gone), *new_names):
                before = None if old is None else Located(old, at + escape(old))
                after = None if new is None else Located(new, at + escape(new))
                if before and after:
                    references[f"#{before.pointer}"] = f"#{after.pointer}"
                # generated names are unknown to callers
                if (before and before.pointer in made) or (after and after.pointer in came_made):
                    continue
                is_note = old is not None and self._operations.security.is_note(section, old)
                root.add(NOTE if is_note else _COMPONENT, section, before, after)
        return references

    @cached_property
    def _partners(self) -> dict[tuple[str, str], set[str]]:
        """Return the components that each one was compared with, by section and name."""
        found: dict[tuple[str, str], set[str]] = {}
        for pair in self._graph.pairs:
            ours = [known for part in pair.before if (known := component(part.pointer))]
            theirs = [known for part in pair.after if (known := component(part.pointer))]
            if len(ours) == len(theirs):
                for (section, old), (_, new) in zip(ours, theirs, strict=True):
                    found.setdefault((section, old), set()).add(new)
        return found

    def _changes(self, references: dict[str, str]) -> Iterator[Change]:
        """Yield one change for each difference, with everything that reaches it."""
        known: dict[tuple[Any, ...], Difference] = {}
        labels: _Labels = {}
        for pair in self._graph.pairs:
            if not pair.carried:
                continue
            for each in pair.differences:
                met = known.setdefault(each.identity, each)
                if each.within and met is not each:
                    known[each.identity] = met.join(each)
                _join_all(labels, (), pair, each)
        opened = {(each.before_pointer, each.after_pointer): each.kind for each in known.values()}
        for identity, each in known.items():
            label = labels[identity,]
            kind = opened[each.before_pointer, each.after_pointer]
            if _OPENED.get(each.kind) is kind and not (label.request or label.response):
                continue  # a list of values that is used only where any value is allowed
            if not (_follows_renames(each, references) or self._is_covered(each)):
                yield self._change(each, labels, (identity,))

    def _is_covered(self, each: Difference) -> bool:
        """Return whether an extension differs only in the targets of its references."""
        if each.kind is not Kind.EXTENSION_CHANGED or not (each.before and each.after):
            return False
        at = each.after.pointer
        goals = [goal.removeprefix(at) for goal in self._in_extensions if goal.startswith(f"{at}/")]
        if not goals or not _is_nested(each.before.value, each.after.value):
            return False
        gone, came = find_leaves(each.before.value, each.after.value)
        return all(any(place.startswith(goal) for goal in goals) for place in {**gone, **came})

    @cached_property
    def _in_extensions(self) -> list[str]:
        """The pointers to the targets of references in extensions, each followed by a slash."""
        pointers = {
            part.pointer for pair in self._graph.pairs if pair.carried for part in pair.after
        }
        return [f"{pointer}/" for pointer in sorted(pointers) if "/x-" in pointer]

    def _change(self, each: Difference, labels: _Labels, way: tuple[Any, ...]) -> Change:
        before, after = each.before and each.before.value, each.after and each.after.value
        if each.kind in _UNKNOWN_INSIDE and _is_nested(before, after):
            before, after = find_leaves(before, after)
        at_before = each.after_pointer is None or each.kind is Kind.FIELD_OPTIONAL
        side = self._before if at_before else self._after
        pointer = (each.before_pointer if at_before else each.after_pointer) or ""
        schema, field = name(side.root, pointer, each.keyword)
        if each.kind in _VARIANTS and each.keyword == "discriminator":
            # the variant itself does not name its union
            other = self._after if at_before else self._before
            schema, field = name(other.root, each.holder or "", each.keyword)
        label = _Label() if each.kind in _COMPONENT else labels[way]
        within = (self._change(inner, labels, (*way, inner.identity)) for inner in each.within)
        return Change(
            kind=each.kind,
            direction=_direction(label),
            before_pointer=each.before_pointer,
            after_pointer=each.after_pointer,
            schema=schema,
            field=each.field or field,
            keyword=each.keyword,
            operations=self._operation_names(label.request | label.response),
            before=before,
            after=after,
            holder_pointer=each.holder,
            within=tuple(sorted(within, key=_order)),
            carriers=tuple(
                carrier for carrier, bit in sorted(CARRIERS.items()) if label.carried & bit
            ),
            closed=each.kind is Kind.FIELD_ADDED and (label.closed or each.closed),
            exclusive=label.exclusive,
            wider=label.wider and not label.other,
            shared=each.shared,
        )

    def _operation_names(self, bits: int) -> tuple[str, ...]:
        if bits not in self._named:
            known = self._operations.names
            self._named[bits] = tuple(
                sorted({known[index] for index in range(bits.bit_length()) if bits >> index & 1})
            )
        return self._named[bits]


def _join_all(labels: _Labels, way: tuple[Any, ...], pair: NodePair, each: Difference) -> None:
    """Join the labels of a difference of *pair*, and of all that follows from it there."""
    way = (*way, each.identity)
    _join(labels.setdefault(way, _Label()), pair, each)
    for inner in each.within:
        inherited = inner._replace(
            carrier=inner.carrier or each.carrier,
            closed=inner.closed or each.closed,
            exclusive=inner.exclusive or each.exclusive,
        )
        _join_all(labels, way, pair, inherited)


def _join(label: _Label, pair: NodePair, each: Difference) -> None:
    label.request |= 0 if each.access == "readOnly" else pair.request
    label.response |= 0 if each.access == "writeOnly" else pair.response
    label.carried |= each.carrier or pair.carried
    label.closed |= each.closed or pair.closed
    label.exclusive |= each.exclusive or pair.exclusive
    label.wider |= each.wider
    label.other |= bool(pair.request or pair.response) and not each.wider


def _direction(label: _Label) -> Direction:
    if label.request and label.response:
        return Direction.BOTH
    if label.request:
        return Direction.REQUEST
    return Direction.RESPONSE if label.response else Direction.MODEL


def _is_nested(before: Any, after: Any) -> bool:
    """Return whether two unequal values are large enough to locate their differences."""
    both = (before, after)
    if all(isinstance(value, list) for value in both):
        return any(isinstance(item, dict | list) for value in both for item in value)
    return all(isinstance(value, dict) for value in both) and text(before) != text(after)


def _pair_one_to_one(partners: dict[str, set[str]]) -> dict[str, str]:
    """Return the partners that have each other only."""
    times = Counter(new for news in partners.values() for new in news)
    lone = {old: new for old, news in partners.items() if len(news) == 1 for new in news}
    return {old: new for old, new in lone.items() if times[new] == 1}


def _match_texts(
    before: dict[str, Any], after: dict[str, Any], gone: set[str], came: set[str]
) -> dict[str, str]:
    """Return which removed and added entries have the same text under different names."""
    texts: dict[str, list[str]] = {}
    for new in sorted(came):
        texts.setdefault(text(after[new]), []).append(new)
    return {old: found.pop(0) for old in sorted(gone) if (found := texts.get(text(before[old])))}


def _follows_renames(each: Difference, references: dict[str, str]) -> bool:
    """Return whether two values of unknown meaning differ only in the new names of components."""
    if not references or each.kind is not Kind.EXTENSION_CHANGED:
        return False
    followed = text(each.before and each.before.value)
    for old, new in references.items():
        followed = followed.replace(f'"{old}"', f'"{new}"')
    return followed == text(each.after and each.after.value)


def _order(change: Change) -> tuple[str, ...]:
    return (
        change.before_pointer or "",
        change.after_pointer or "",
        change.kind.value,
        change.keyword,
        change.field,
    )
