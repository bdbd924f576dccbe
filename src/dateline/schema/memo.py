"""Values computed once per object, for objects that cannot be hashed; and closures."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache
from typing import Any, Generic, ParamSpec, TypeVar, cast
from weakref import WeakMethod, ref

T = TypeVar("T")
H = TypeVar("H", bound=Hashable)
P = ParamSpec("P")


class Memo(Generic[T]):
    """Calls a function once for each object, by identity, and for the arguments after it.

    A tuple as the first argument is known by the objects in it. The objects are kept alive: an id
    is unique only as long as its object lives.
    """

    __slots__ = ("_compute", "_known", "_owner", "_start")

    def __init__(
        self,
        compute: Callable[..., T],
        *,
        start: Callable[..., T] | None = None,
        owner: Any = None,
    ) -> None:
        """Remember what *compute* returns.

        *start* returns what a recursive call gets that leads back to the same object. *owner*, if
        given, is passed to *compute* first, and is not kept alive: what an object remembers for
        itself then goes when the object goes, without the garbage collector.
        """
        self._compute = compute
        self._start = start
        self._owner = None if owner is None else ref(owner)
        self._known: dict[tuple[Any, ...], tuple[Any, T]] = {}

    def __call__(self, node: Any, *others: Hashable) -> T:
        """Return the value of *node*, computed at the first call."""
        identity: Any = tuple(map(id, node)) if type(node) is tuple else id(node)
        key = (identity, *others)
        known = self._known.get(key)
        if known is None:
            if self._start is not None:
                self._known[key] = node, self._start(node, *others)
            owner = () if self._owner is None else (self._owner(),)
            known = self._known[key] = node, self._compute(*owner, node, *others)
        return known[1]


def memoize(method: Callable[P, T], most: int | None = None) -> Callable[P, T]:
    """Return what calls *method*, bound to an object, once for each of its hashable arguments.

    It keeps *most* results, the last that were used, and does not keep the object alive: an
    object that has it goes without the garbage collector.
    """
    weak: WeakMethod[Any] = WeakMethod(method)

    def compute(*arguments: Any) -> T:
        bound = weak()
        assert bound is not None, "whoever calls it has the object"
        made: T = bound(*arguments)
        return made

    return cast("Callable[P, T]", lru_cache(maxsize=most)(compute))


def closure(starts: Iterable[H], edges: Callable[[H], Iterable[H]]) -> dict[H, None]:
    """Return *starts* and all that *edges* lead to from them, in the order in which they are met.

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
