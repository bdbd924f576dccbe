"""Order the definitions of a module so that as few as possible refer to later ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from dateline.models.definitions import Definition


@dataclass(frozen=True)
class Order:
    """The definitions of one module, in order.

    ``ahead`` gives for each definition the names it refers to before they are defined.
    """

    definitions: tuple[Definition, ...]
    ahead: Mapping[str, frozenset[str]]

    @property
    def incomplete(self) -> list[str]:
        """The models whose annotations can't be evaluated where they are written."""
        return [each.name for each in self.definitions if each.is_model and self.ahead[each.name]]


def order_definitions(definitions: Mapping[str, Definition]) -> Order:
    """Return *definitions* of one module so that as few as possible refer to later ones.

    Within a circle models come first, because their annotations can be evaluated later, unlike
    aliases.
    """
    reach = {
        name: sorted(each.references & definitions.keys()) for name, each in definitions.items()
    }
    place = {name: at for at, name in enumerate(definitions)}
    ordered: list[str] = []
    for circle in _find_circles(reach):
        members = sorted(circle, key=place.__getitem__)
        models = [name for name in members if definitions[name].is_model]
        aliases = {
            name: [other for other in reach[name] if other in circle and other not in models]
            for name in members
            if name not in models
        }
        ordered += models
        ordered += _walk_depth_first(aliases)
    position = {name: at for at, name in enumerate(ordered)}
    ahead = {
        name: frozenset(
            goal
            for goal in reach[name]
            # a model may refer to itself: pydantic knows it by then
            if position[goal] > at or (goal == name and not definitions[name].is_model)
        )
        for name, at in position.items()
    }
    return Order(tuple(definitions[name] for name in ordered), ahead)


def _walk_depth_first(reach: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Yield the names of *reach*, each after those it reaches, except in circles."""
    done: set[str] = set()
    for start in reach:
        path = [(start, iter(reach[start]))] if start not in done else []
        done.add(start)
        while path:
            name, goals = path[-1]
            goal = next((goal for goal in goals if goal not in done), None)
            if goal is None:
                path.pop()
                yield name
            else:
                done.add(goal)
                path.append((goal, iter(reach[goal])))


def _find_circles(reach: Mapping[str, list[str]]) -> Iterator[set[str]]:
    """Yield the strongly connected components, those that are reached first (Tarjan)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_: list[str] = []
    closed: set[str] = set()
    for start in reach:
        path = [] if start in number else [(start, iter(reach[start]))]
        while path:
            name, goals = path[-1]
            if name not in number:
                number[name] = lowest[name] = len(number)
                open_.append(name)
            ahead = None
            for goal in goals:
                if goal not in number:
                    ahead = goal
                    break
                if goal not in closed:
                    lowest[name] = min(lowest[name], number[goal])
            if ahead is not None:
                path.append((ahead, iter(reach[ahead])))
                continue
            path.pop()
            if path:
                above = path[-1][0]
                lowest[above] = min(lowest[above], lowest[name])
            if lowest[name] == number[name]:
                at = open_.index(name)
                circle = set(open_[at:])
                del open_[at:]
                closed |= circle
                yield circle
