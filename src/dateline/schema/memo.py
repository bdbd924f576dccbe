"""Values computed once for each object, for unhashable objects; closures, and other walks."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import lru_cache
from typing import Any, Generic, ParamSpec, TypeVar, cast
from weakref import WeakMethod, ref

T = TypeVar("T")
H = TypeVar("H", bound=Hashable)
P = ParamSpec("P")


class Memo(Generic[T]):
    """Calls a function once for each object, by identity, and for each combination of arguments.

    A tuple as the first argument is identified by the objects in it. The objects are kept alive: an
    id is unique only while its object lives.
    """

    __slots__ = ("_compute", "_known", "_owner", "_start")

    def __init__(
        self,
        compute: Callable[..., T],
        *,
        start: Callable[..., T] | None = None,
        owner: Any = None,
    ) -> None:
        """Cache the results of *compute*.

        *start* returns the preliminary result for a recursive call that leads back to the same
        object. *owner*, if given, is passed to *compute* first, and is not kept alive: a cache that
        an object holds for itself is then freed with the object, without the garbage collector.
        """
        self._compute = compute
        self._start = start
        self._owner = None if owner is None else ref(owner)
        self._known: dict[Any, tuple[Any, T]] = {}

    def __call__(self, node: Any, *others: Hashable) -> T:
        """Return the value of *node*, computed by the first call."""
        key: Any = (tuple(map(id, node)),) if type(node) is tuple else id(node)
        if others:
            key = (key, *others)
        known = self._known.get(key)
        if known is None:
            if self._start is not None:
                self._known[key] = node, self._start(node, *others)
            owner = () if self._owner is None else (self._owner(),)
            known = self._known[key] = node, self._compute(*owner, node, *others)
        return known[1]


def memoize(method: Callable[P, T], most: int | None = None) -> Callable[P, T]:
    """Return a function that calls *method*, bound to an object, once for each hashable argument.

    It keeps the *most* recently used results, and does not keep the object alive: an object that
    holds it is freed without the garbage collector.
    """
    weak: WeakMethod[Any] = WeakMethod(method)

    def compute(*arguments: Any) -> T:
        bound = weak()
        assert bound is not None, "whoever calls it has the object"
        result: T = bound(*arguments)
        return result

    return cast("Callable[P, T]", lru_cache(maxsize=most)(compute))


def closure(starts: Iterable[H], edges: Callable[[H], Iterable[H]]) -> dict[H, None]:
    """Return *starts* and everything that *edges* lead to from them, in the order of discovery.

    A dict serves as an ordered set.
    """
    reached = dict.fromkeys(starts)
    pending = list(reversed(reached))
    while pending:
        for goal in edges(pending.pop()):
            if goal not in reached:
                reached[goal] = None
                pending.append(goal)
    return reached


def each_once(
    starts: Iterable[Any], below: Callable[[dict[str, Any]], Iterable[Any]]
) -> Iterator[dict[str, Any]]:
    """Yield the objects among *starts*, the last one first, and what is *below* them, each once."""
    met: set[int] = set()
    pending = [*starts]
    while pending:
        node = pending.pop()
        if isinstance(node, dict) and id(node) not in met:
            met.add(id(node))
            yield node
            pending += below(node)


def objects_in(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects in *value*, at any depth, in no defined order."""
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, list):
            pending += each
        elif isinstance(each, dict):
            yield each
            pending += each.values()
