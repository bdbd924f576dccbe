"""What is compared with what: each pair once, with its differences and the pairs below it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from dateline.diff.documents import Node
from dateline.model import Kind

NOTHING: Final[frozenset[str]] = frozenset()


# What carries a value in a message, one bit each.
CARRIERS: Final = {"path": 1, "query": 2, "header": 4, "cookie": 8, "body": 16}
# An operation itself, which nothing carries; a component, which consumers may import.
OPERATION: Final = 32
MODEL: Final = 64


class Part(NamedTuple):
    """A node that has a say in a compared thing, and where it stands.

    ``skip`` holds the keys not to read, ``above`` the nodes that lead to it; ``null`` leads to
    what lets null pass there, if anything does.
    """

    node: Any
    pointer: str
    skip: frozenset[str] = NOTHING
    above: tuple[Any, ...] = ()
    null: str = ""


Parts = tuple[Part, ...]


class Seen(NamedTuple):
    """A difference as it was met: a `Change` without direction, names and operations."""

    kind: Kind
    keyword: str = ""
    before_pointer: str | None = None
    after_pointer: str | None = None
    before: Any = None
    after: Any = None
    holder: str | None = None
    field: str = ""
    carrier: int = 0
    within: tuple[Seen, ...] = ()

    @property
    def identity(self) -> tuple[Any, ...]:
        """What one written edit has in common, whatever number of paths lead to it."""
        return self.kind, self.keyword, self.before_pointer, self.after_pointer, self.field


class Opaque(NamedTuple):
    """A keyword below which more can mean less (`not`): what differs there is one difference."""

    keyword: str
    before: Node
    after: Node
    pair: Pair


class Pair:
    """Two things that are compared with each other.

    ``request`` and ``response`` hold a bit for each operation that reaches the pair in that
    direction; ``carried`` the carriers.
    """

    __slots__ = (
        "after",
        "before",
        "carried",
        "edges",
        "kind",
        "opaque",
        "request",
        "response",
        "seen",
    )

    def __init__(self, kind: str, before: Parts, after: Parts) -> None:
        self.kind = kind
        self.before = before
        self.after = after
        self.seen: list[Seen] = []
        self.edges: list[Edge] = []
        self.opaque: list[Opaque] = []
        self.request = 0
        self.response = 0
        self.carried = 0

    def add(self, kind: Kind, keyword: str = "", **told: Any) -> None:
        """Note a difference; what would hold it on the other side is the pair's own thing."""
        sides = told.get("before_pointer"), told.get("after_pointer")
        if None in sides and told.get("holder") is None:
            other = self.before if sides[0] is None else self.after
            told["holder"] = _counterpart(sides[0] or sides[1] or "", other)
        self.seen.append(Seen(kind, keyword, **told))

    def reach(self, below: Pair, before: Node, after: Node, carrier: int = 0) -> None:
        """Let all that reaches this pair reach *below*, there carried by *carrier* if given."""
        self.edges.append(Edge(below, carrier, before.pointer, after.pointer))


class Edge(NamedTuple):
    """What leads from a pair to one below it, and the two places that lead there."""

    pair: Pair
    carrier: int
    before: str
    after: str


class Graph:
    """Every pair, in the order in which they were met."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], Pair] = {}
        self._waiting: deque[Pair] = deque()
        self._roots: list[Pair] = []

    def pair(self, kind: str, before: Parts, after: Parts) -> Pair:
        """Return the pair of *before* and *after*; a new one waits for its comparison."""
        key = (kind, identity(before), identity(after))
        pair = self._known.get(key)
        if pair is None:
            pair = self._known[key] = Pair(kind, before, after)
            self._waiting.append(pair)
        return pair

    def root(self, before: Parts, after: Parts, *, request: int = 0, response: int = 0) -> Pair:
        """Return a new pair for what is met at an operation, or at the document itself."""
        pair = Pair("root", before, after)
        pair.request, pair.response = request, response
        pair.carried = OPERATION if request or response else MODEL
        self._roots.append(pair)
        return pair

    def waiting(self) -> Iterator[Pair]:
        """Yield the pairs not yet compared, until there are none."""
        while self._waiting:
            yield self._waiting.popleft()

    @property
    def pairs(self) -> Iterator[Pair]:
        yield from self._roots
        yield from self._known.values()

    def spread(self) -> None:
        """Let each pair know all that reaches it."""
        order = self._downwards()
        news = {id(pair) for pair in order if pair.carried}
        while news:
            # what a circle leads back up waits for the next round
            for pair in order:
                if id(pair) not in news:
                    continue
                news.remove(id(pair))
                for below, carrier, _, _ in pair.edges:
                    carried = carrier | (pair.carried & MODEL) if carrier else pair.carried
                    request = below.request | pair.request
                    response = below.response | pair.response
                    carried |= below.carried
                    if (request, response, carried) != (
                        below.request,
                        below.response,
                        below.carried,
                    ):
                        below.request, below.response, below.carried = request, response, carried
                        news.add(id(below))

    def _downwards(self) -> list[Pair]:
        """Return the pairs, each before those below it as far as there are no circles."""
        found: list[Pair] = []
        met: set[int] = set()
        stack = [(pair, False) for pair in self.pairs]
        while stack:
            pair, done = stack.pop()
            if done:
                found.append(pair)
            elif id(pair) not in met:
                met.add(id(pair))
                stack.append((pair, True))
                stack += [(edge.pair, False) for edge in pair.edges if id(edge.pair) not in met]
        return found[::-1]


def _counterpart(pointer: str, other: Parts) -> str | None:
    """Return what would hold a thing of the other side: the same node, if it stands there."""
    known = {part.pointer for part in other}
    home = pointer
    while home:
        home = home.rpartition("/")[0]
        if home in known:
            return home
    return other[0].pointer if other else None


def identity(parts: Parts) -> tuple[Any, ...]:
    """Return what two equal lists of parts have in common."""
    return tuple((id(part.node), part.skip, bool(part.null)) for part in parts)


def reachable(pair: Pair) -> Iterator[Pair]:
    """Yield *pair* and all pairs below it, opaque ones included."""
    met = {id(pair)}
    stack = [pair]
    while stack:
        current = stack.pop()
        yield current
        for below in (
            *(edge.pair for edge in current.edges),
            *(opaque.pair for opaque in current.opaque),
        ):
            if id(below) not in met:
                met.add(id(below))
                stack.append(below)
