"""The graph of compared pairs: each pair once, with its differences and the pairs below it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeVar

from dateline.model import Kind
from dateline.schema.memo import closure
from dateline.schema.parts import ANYTHING, NEVER, Parts
from dateline.schema.references import Located
from dateline.schema.values import text

K = TypeVar("K", bound="str | tuple[str, str]")
T = TypeVar("T")

# The parts of messages that contain a value, one bit each.
CARRIERS: Final = {"path": 1, "query": 2, "header": 4, "cookie": 8, "body": 16, "querystring": 128}
# An operation itself, which no part of a message contains; a component, which can be imported.
OPERATION: Final = 32
MODEL: Final = 64


class Kinds(NamedTuple):
    """The kinds of changes for an addition, a removal, and a difference."""

    added: Kind
    removed: Kind
    changed: Kind = Kind.KEYWORD_CHANGED

    @classmethod
    def all(cls, kind: Kind) -> Kinds:
        """Return one kind for all three."""
        return cls(kind, kind, kind)

    def of(self, before: Located | None, after: Located | None) -> Kind:
        """Return the kind of a difference between *before* and *after*; None means absent."""
        if before is None:
            return self.added
        return self.removed if after is None else self.changed


class Difference(NamedTuple):
    """A `Change` without direction, names and operations.

    ``access`` is the keyword (`readOnly`, `writeOnly`) that limits it to one direction.
    """

    kind: Kind
    keyword: str = ""
    before: Located | None = None
    after: Located | None = None
    holder: str | None = None
    field: str = ""
    carrier: int = 0
    within: tuple[Difference, ...] = ()
    access: str = ""
    closed: bool = False
    exclusive: bool = False
    wider: bool = False
    shared: str = ""

    @property
    def before_pointer(self) -> str | None:
        return self.before and self.before.pointer

    @property
    def after_pointer(self) -> str | None:
        return self.after and self.after.pointer

    @property
    def identity(self) -> tuple[Any, ...]:
        """What all differences from one edit have in common, on whatever path."""
        return self.kind, self.keyword, self.before_pointer, self.after_pointer, self.field

    def join(self, other: Difference) -> Difference:
        """Return the difference with all that follows from the same edit on the path of *other*."""
        within = {each.identity: each for each in self.within}
        for each in other.within:
            known = within.get(each.identity)
            within[each.identity] = known.join(each) if known else each
        return self._replace(within=tuple(within.values()))


class Opaque(NamedTuple):
    """A keyword below which more can mean less (`not`): what differs there is one difference."""

    keyword: str
    before: Located
    after: Located
    pair: NodePair


@dataclass(slots=True, eq=False)
class NodePair:
    """Two things that are compared with each other.

    ``request`` and ``response`` have a bit for each operation that reaches the pair in that
    direction; ``carried`` are the carriers. ``closed`` and ``exclusive`` are those of ``Change``.
    """

    kind: str
    before: Parts
    after: Parts
    request: int = 0
    response: int = 0
    carried: int = 0
    closed: bool = False
    exclusive: bool = False
    differences: list[Difference] = field(default_factory=list)
    edges: list[PairEdge] = field(default_factory=list)
    opaque: list[Opaque] = field(default_factory=list)

    def add(
        self,
        kinds: Kinds | Kind,
        keyword: str = "",
        before: Located | None = None,
        after: Located | None = None,
        **more: Any,
    ) -> None:
        """Add a difference; on the side without the thing, the pair's own node is its holder."""
        kind = kinds if isinstance(kinds, Kind) else kinds.of(before, after)
        if more.get("holder") is None:
            if before is None and after is not None:
                more["holder"] = _counterpart(after.pointer, self.before)
            elif after is None and before is not None:
                more["holder"] = _counterpart(before.pointer, self.after)
        self.differences.append(Difference(kind, keyword, before, after, **more))

    def add_one(
        self, kinds: Kinds, keyword: str, node: Located, *, added: bool, **more: Any
    ) -> None:
        """Add the difference that *node* was *added*, or removed."""
        self.add(kinds, keyword, *((None, node) if added else (node, None)), **more)

    def compare(
        self, kinds: Kinds, keyword: str, before: Located | None, after: Located | None
    ) -> None:
        """Add the difference between two values of *keyword*; None means absent."""
        self.compare_all(kinds, keyword, before and [before], after and [after])

    def compare_all(
        self,
        kinds: Kinds,
        keyword: str,
        before: Iterable[Located] | None,
        after: Iterable[Located] | None,
    ) -> None:
        """Add the values of *keyword* that were added, removed or changed."""
        ours = {text(node.value): node for node in before or ()}
        theirs = {text(node.value): node for node in after or ()}
        gone = [node for key, node in ours.items() if key not in theirs]
        came = [node for key, node in theirs.items() if key not in ours]
        if len(gone) == len(came) == 1:
            self.add(kinds, keyword, gone[0], came[0])
            return
        for node in gone:
            self.add(kinds, keyword, node)
        for node in came:
            self.add(kinds, keyword, None, node)

    def reach(
        self,
        below: NodePair,
        before: Located,
        after: Located,
        carrier: int = 0,
        way: Passage | None = None,
    ) -> None:
        """Make everything that reaches this pair reach *below*, carried by *carrier* if given."""
        self.edges.append(PairEdge(below, carrier, before.pointer, after.pointer, way or _PLAIN))


class Passage(NamedTuple):
    """The effect of an edge on the changes below it.

    ``access`` is `readOnly` or `writeOnly` if only one direction passes. ``inplace`` edges lead to
    a schema of the same instance: an object that is closed above is closed there, too, and one that
    is ``closed`` here is closed from there on. ``exclusive`` edges lead to a member of a `oneOf`
    that may overlap with another one.
    """

    access: str = ""
    inplace: bool = False
    closed: bool = False
    exclusive: bool = False


_PLAIN: Final = Passage()


class PairEdge(NamedTuple):
    """An edge from a pair to one below it, and the two places of the reference."""

    pair: NodePair
    carrier: int
    before: str
    after: str
    way: Passage


class Graph:
    """Every pair, in the order of discovery."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], NodePair] = {}
        self._waiting: deque[NodePair] = deque()
        self._roots: list[NodePair] = []

    def pair(self, kind: str, before: Parts, after: Parts) -> NodePair:
        """Return the pair of *before* and *after*; a new one waits for its comparison."""
        key = (kind, identity(before), identity(after))
        pair = self._known.get(key)
        if pair is None:
            pair = self._known[key] = NodePair(kind, before, after)
            self._waiting.append(pair)
        return pair

    def root(self, before: Parts, after: Parts, *, request: int = 0, response: int = 0) -> NodePair:
        """Return a new pair for a part of an operation, or of the document itself."""
        carried = OPERATION if request or response else MODEL
        pair = NodePair("root", before, after, request, response, carried)
        self._roots.append(pair)
        return pair

    def waiting(self) -> Iterator[NodePair]:
        """Yield the pairs that are not compared yet, until there are none."""
        while self._waiting:
            yield self._waiting.popleft()

    @property
    def pairs(self) -> Iterator[NodePair]:
        yield from self._roots
        yield from self._known.values()

    def spread(self) -> None:
        """Propagate to each pair everything that reaches it."""
        order = self._downwards()
        news = {id(pair) for pair in order if pair.carried}
        while news:
            # what a circle leads back up waits for the next round
            for pair in order:
                if id(pair) not in news:
                    continue
                news.remove(id(pair))
                for edge in pair.edges:
                    if _spread(pair, edge):
                        news.add(id(edge.pair))

    def _downwards(self) -> list[NodePair]:
        """Return the pairs, each before those below it as far as there are no circles."""
        found: list[NodePair] = []
        met: set[int] = set()
        stack = [(pair, False) for pair in self.pairs]
        while stack:
            pair, done = stack.pop()
            if done:
                found.append(pair)
            elif id(pair) not in met:
                met.add(id(pair))
                stack.append((pair, True))
                stack += [(edge.pair, False) for edge in pair.edges]
        return found[::-1]


def _spread(pair: NodePair, edge: PairEdge) -> bool:
    """Propagate what reaches *pair* below *edge*; return whether anything is new."""
    below, carrier, way = edge.pair, edge.carrier, edge.way
    known = below.request, below.response, below.carried, below.closed, below.exclusive
    below.request |= 0 if way.access == "readOnly" else pair.request
    below.response |= 0 if way.access == "writeOnly" else pair.response
    below.carried |= carrier | (pair.carried & MODEL) if carrier else pair.carried
    below.closed |= way.inplace and (way.closed or pair.closed)
    below.exclusive |= way.exclusive or pair.exclusive
    return known != (below.request, below.response, below.carried, below.closed, below.exclusive)


def align(before: Mapping[K, T], after: Mapping[K, T]) -> Iterator[tuple[K, T | None, T | None]]:
    """Yield each name in two mappings, sorted, and its value in both; None if it is absent."""
    for name in sorted(before.keys() | after.keys()):
        yield name, before.get(name), after.get(name)


def _counterpart(pointer: str, other: Parts) -> str | None:
    """Return the holder of a node on the other side: the same place, if it exists."""
    known = {part.pointer for part in other}
    home = pointer
    while home:
        home = home.rpartition("/")[0]
        if home in known:
            return home
    return other[0].pointer if other else None


def identity(parts: Parts) -> tuple[Any, ...]:
    """Return what two equal lists of parts have in common.

    A schema that is `true` or `false` is one object wherever it is written, so it has its place.
    """
    return tuple(
        (
            part.pointer if part.node is NEVER or part.node is ANYTHING else id(part.node),
            part.skip,
            bool(part.null),
        )
        for part in parts
    )


def list_reachable(pair: NodePair) -> Iterable[NodePair]:
    """Return *pair* and all pairs below it, opaque ones included."""
    return closure(
        [pair],
        lambda one: [*(each.pair for each in one.edges), *(each.pair for each in one.opaque)],
    )
