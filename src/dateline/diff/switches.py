"""Merge the differences that follow from a switched reference into one.

Without this, a `$ref` switched from one long component to another would look as if the first had
lost every field that the second lacks, though nobody has touched it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from dateline.diff.documents import DocumentIndex
from dateline.diff.graph import Difference, Graph, NodePair
from dateline.diff.keywords import KEYWORD
from dateline.model import Kind
from dateline.schema.memo import closure
from dateline.schema.parts import Parts
from dateline.schema.references import Located, component


class _Foreign(NamedTuple):
    """The components that one side refers to, and the other does not, though it could."""

    gone: set[str]
    came: set[str]


_NOTHING: Final = _Foreign(set(), set())


class _Switch(NamedTuple):
    """Where a reference leads elsewhere, and what is compared because of it."""

    pair: NodePair
    holder: NodePair
    carrier: int
    before: str | None
    after: str | None


def fold_switches(graph: Graph, before: DocumentIndex, after: DocumentIndex) -> None:
    """Move what follows from a switched reference into one difference at its place.

    A component that was added or removed with the switch is not another one: it was renamed,
    extracted or inlined, and its differences are reported as such. If the other side refers to a
    component that both documents have, it was none of these, and the switch explains the
    differences.
    """
    pairs = list(graph.pairs)
    known = {id(pair): _find_foreign(pair, before, after) for pair in pairs}
    foreign = {key: found for key, found in known.items() if found.gone or found.came}
    if not foreign:
        return
    inside = {id(below) for pair in pairs if id(pair) in foreign for below in _below(pair)}
    switches: list[tuple[_Switch, list[Difference]]] = []
    folded: set[int] = set()
    unexplained: set[int] = set()
    covered: set[int] = set()
    for switch in _switches(pairs, foreign, inside):
        around = [switch.pair, *_below(switch.pair)]
        found = [foreign[id(pair)] for pair in around if id(pair) in foreign]
        gone = {at for one in found for at in one.gone}
        came = {at for one in found for at in one.came}
        differences = [each for pair in around for each in pair.differences]
        follows = [
            each
            for each in differences
            if _is_within(each.before, gone) or _is_within(each.after, came)
        ]
        folded.update(map(id, follows))
        unexplained.update({*map(id, differences)}.difference(map(id, follows)))
        covered.update(map(id, around))
        switches.append((switch, follows))
    folded -= unexplained  # below another switch, whose operations don't show them otherwise
    elsewhere = _find_elsewhere(pairs, [switch for switch, _ in switches], covered)
    for pair in pairs:
        if id(pair) not in elsewhere:
            pair.differences = [each for each in pair.differences if id(each) not in folded]
    for switch, follows in switches:
        if follows:
            one = _join(switch, foreign[id(switch.pair)], follows)
            switch.holder.differences.append(one)


def _find_elsewhere(pairs: list[NodePair], switches: list[_Switch], covered: set[int]) -> set[int]:
    """Return which of the *covered* pairs, to which *switches* lead, are reached otherwise, too.

    There, the differences are reported by themselves, too: other operations show them.
    """
    switched = {(id(each.holder), id(each.pair)) for each in switches}
    found: set[int] = set()
    stack = [pair for pair in pairs if id(pair) not in covered]
    while stack:
        pair = stack.pop()
        for edge in pair.edges:
            below = id(edge.pair)
            is_switch = (id(pair), below) in switched or (below, below) in switched
            if below in covered and below not in found and not is_switch:
                found.add(below)
                stack.append(edge.pair)
    return found


def _find_foreign(pair: NodePair, before: DocumentIndex, after: DocumentIndex) -> _Foreign:
    """Return what only one side refers to though the other document has it, too."""
    pointers = [[part.pointer for part in side] for side in (pair.before, pair.after)]
    if pointers[0] == pointers[1] and not before.made and not after.made:
        return _NOTHING
    ours, theirs = (
        {side.made.get(at, at): at for at in _components(parts)}
        for parts, side in ((pair.before, before), (pair.after, after))
    )
    gone = {at for key, at in ours.items() if key not in theirs}
    came = {at for key, at in theirs.items() if key not in ours}
    in_both = _Foreign(
        {at for at in gone if _has(after, before.made.get(at, at))},
        {at for at in came if _has(before, after.made.get(at, at))},
    )
    if pair.before and pair.after:
        older, newer = pair.before[0].pointer, pair.after[0].pointer
        if older in gone and newer in came and (older in in_both.gone or newer in in_both.came):
            return _Foreign(gone, came)
    return in_both


def _has(document: DocumentIndex, key: str) -> bool:
    """Return whether a component has the pointer *key*; or that address, with a generated name."""
    if not key.startswith("/"):
        return key in document.made.values()
    return key not in document.made and document.locate(f"#{key}") is not None


def _components(parts: Parts) -> set[str]:
    return {part.pointer for part in parts if component(part.pointer)}


def _below(pair: NodePair) -> list[NodePair]:
    """Return what is compared because of *pair* alone, without components and themselves."""
    _, *found = closure(
        [pair], lambda one: [edge.pair for edge in one.edges if not _is_itself(edge.pair)]
    )
    return found


def _is_itself(pair: NodePair) -> bool:
    if not pair.before or not pair.after:
        return False
    own = pair.before[0].pointer
    return own == pair.after[0].pointer and component(own) is not None


def _switches(
    pairs: list[NodePair], foreign: dict[int, _Foreign], inside: set[int]
) -> Iterator[_Switch]:
    """Yield the switched references, each place once."""
    for pair in pairs:
        if id(pair) in inside:
            continue
        if id(pair) in foreign:
            if _stays(pair, foreign[id(pair)]):
                # the place itself stays, but refers to something else
                gone = _via(pair.before, foreign[id(pair)].gone)
                came = _via(pair.after, foreign[id(pair)].came)
                yield _Switch(pair, pair, 0, gone, came)
            else:
                continue
        for edge in pair.edges:
            found = foreign.get(id(edge.pair))
            if found and not _stays(edge.pair, found):
                yield _Switch(edge.pair, pair, edge.carrier, edge.before, edge.after)


def _via(parts: Parts, components: set[str]) -> str | None:
    """Return the reference that leads to the first of *components*, or None."""
    return next((part.via or part.pointer for part in parts if part.pointer in components), None)


def _stays(pair: NodePair, foreign: _Foreign) -> bool:
    return (
        bool(pair.before and pair.after)
        and pair.before[0].pointer not in foreign.gone
        and pair.after[0].pointer not in foreign.came
    )


def _is_within(node: Located | None, components: set[str]) -> bool:
    if node is None:
        return False
    return any(node.pointer == at or node.pointer.startswith(f"{at}/") for at in components)


def _join(switch: _Switch, foreign: _Foreign, follows: list[Difference]) -> Difference:
    """Return the one difference that *switch* makes, with everything that follows from it."""
    around = [switch.pair, *_below(switch.pair)]
    ways = [edge.way for pair in around for edge in pair.edges]
    judged = tuple(each for each in follows if each.kind is not Kind.DOCUMENTATION_CHANGED)
    before, after, pair, holder = switch.before, switch.after, switch.pair, switch.holder
    ours = _locate(before, foreign.gone or _components(pair.before))
    theirs = _locate(after, foreign.came or _components(pair.after))
    is_member = before is None or after is None  # added or removed beside others
    return Difference(
        KEYWORD.of(ours, theirs) if judged else Kind.DOCUMENTATION_CHANGED,
        _keyword(after or before or "") if is_member else "$ref",
        ours,
        theirs,
        # the holder of the reference on the side without one
        (holder.before if before is None else holder.after)[0].pointer if is_member else None,
        carrier=switch.carrier,
        within=judged,
        closed=any(way.closed for way in ways),
        exclusive=any(way.exclusive for way in ways)
        or any(pair.exclusive for pair in around)
        or any(each.exclusive for each in judged),
    )


def _keyword(pointer: str) -> str:
    """Return the keyword with the reference at *pointer*: a list of schemas, or its own."""
    *_, keyword, index = ("", *pointer.split("/"))
    return keyword if index.isdecimal() and keyword in ("allOf", "anyOf", "oneOf") else "$ref"


def _locate(pointer: str | None, components: set[str]) -> Located | None:
    """Return the reference at *pointer* with the names of the *components* that it leads to."""
    names = sorted(known[1] for at in components if (known := component(at)))
    return None if pointer is None else Located(", ".join(names) or None, pointer)
