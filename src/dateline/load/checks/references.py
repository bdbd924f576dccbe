"""Check that references lead to a component of the right kind, and not in a circle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from dateline.load.checks.scope import Scope, Site, Violation, extend, on
from dateline.model import EXTENSIBLE, GATES, KEYS, Trail
from dateline.openapi import COMPONENTS, SECTIONS, find_kind, follow, target
from dateline.schema.references import component
from dateline.schema.types import UNIONS
from dateline.wording import did_you_mean, name_kind, quote

# What is allowed beside a `$ref` in an authored schema: documentation and our keys, nothing that
# changes which values are valid.
_BESIDE: Final = frozenset({"description", "deprecated", "$ref"}) | (KEYS - {EXTENSIBLE})


_ESCAPE: Final = frozenset("~%")

# OpenAPI 3.1.1 section 4.8.23
_BESIDE_REFERENCE: Final = frozenset({"summary", "description"})


@on(
    *("reference.$ref", "schema.$ref", "path-item.$ref"),
    finds=("reference-outside", "reference-form", "reference-kind", "reference-dangling"),
)
def target_exists(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    reference = site.node[key]
    section, known = SECTIONS[site.kind], scope.list_components(site.kind)
    goal = target(reference)
    written = quote(reference)
    if not reference.startswith("#"):
        id = "reference-outside"
        message = f"{written} leads out of the document; refer to #/components/{section}/..."
    elif not scope.authored and goal is None and _leads_to(site.kind, scope, reference):
        return
    elif goal is None or goal[0] not in COMPONENTS or (scope.authored and _ESCAPE & {*reference}):
        id = "reference-form"
        message = f"{written} is not a component; refer to #/components/{section}/NAME"
    elif goal[0] != section:
        id = "reference-kind"
        message = (
            f"{written} is {name_kind(COMPONENTS[goal[0]])} where {name_kind(site.kind)} belongs; "
            f"refer to #/components/{section}/..."
        )
    elif goal[1] not in known:
        id = "reference-dangling"
        message = f"there is no {section}/{goal[1]}{did_you_mean(goal[1], known)}"
    else:
        return
    yield Violation(site.at(key), id, message, value=True)


def _leads_to(kind: str, scope: Scope, reference: str) -> bool:
    """Return whether *reference* leads to an object of *kind*, or to what can be read as one."""
    found = scope.references.locate(reference)
    if found is None or not isinstance(found.value, dict | bool if kind == "schema" else dict):
        return False
    return find_kind(found.pointer) in (kind, "")


@on("schema.$ref", finds=("reference-sibling",))
def alone_in_a_schema(_: Scope, site: Site, __: str) -> Iterator[Violation]:
    for key in site.node:
        if key not in _BESIDE and not key.startswith("x-"):
            message = (
                f"`{key}` beside `$ref`; only `description`, `deprecated` and our keys are "
                "allowed there, move it to the schema referred to"
            )
            yield Violation(site.at(key), "reference-sibling", message)


@on("reference.$ref", finds=("reference-sibling",))
def alone_elsewhere(scope: Scope, site: Site, _: str) -> Iterator[Violation]:
    for key in site.node:
        known = key == "$ref" or key in KEYS
        if not known and not (scope.modern and key in _BESIDE_REFERENCE):
            message = f"`{key}` beside `$ref` has no effect; move it to what is referred to"
            yield Violation(site.at(key), "reference-sibling", message)


@on("path-item.$ref", finds=("reference-sibling",))
def alone_in_a_path(_: Scope, site: Site, __: str) -> Iterator[Violation]:
    for key in site.node:
        if key != "$ref" and key not in KEYS:
            message = f"`{key}` beside `$ref` is read differently by every tool; write one of them"
            yield Violation(site.at(key), "reference-sibling", message)


@on("reference.$ref", finds=("misplaced-annotation",))
def without_our_keys(scope: Scope, site: Site, _: str) -> Iterator[Violation]:
    for key in site.node:
        # in adopted documents, the difference may be in the references
        if key in KEYS and (scope.authored or key not in GATES):
            message = (
                f"`{key}` is not allowed beside `$ref` here; annotate the component, "
                "or write it in place"
            )
            yield Violation(site.at(key), "misplaced-annotation", message)


@on(*(f"components.{section}" for section in COMPONENTS), finds=("reference-cycle",))
def no_circle(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    """A component is more than another name for itself.

    A schema that leads back to itself does so through a property or an item.
    """
    starts: dict[str, tuple[Any, Trail]] = {
        name: (node, ("components", key, name)) for name, node in site.node[key].items()
    }
    for circle, at in _list_circles(_follow_all(scope, key, starts)):
        yield _report_circle(circle, at)


@on("schema.$ref", finds=("reference-cycle",))
def no_circle_elsewhere(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    """The same holds for schemas to which only adopted definitions may refer.

    A circle is reported once, from the first of its addresses.
    """
    if scope.authored or target(site.node[key]) is not None:
        return
    goal = scope.references.locate(site.node[key])
    if goal is None or component(goal.pointer) is not None or goal.pointer in scope.searched:
        return
    scope.searched.add(goal.pointer)
    name = f"#{goal.pointer}"
    starts = {name: (goal.value, follow(scope.document, goal.pointer))}
    following = _follow_all(scope, "schemas", starts)
    for circle, at in _list_circles(following):
        if circle[0] == min(circle) == name:
            yield _report_circle(circle, at)


Edges = list[tuple[str, Trail]]


def _follow_all(
    scope: Scope, section: str, ahead: dict[str, tuple[Any, Trail]]
) -> dict[str, Edges]:
    """Return the edges of the nodes in *ahead*, and of the nodes that they lead to, by name."""
    following: dict[str, Edges] = {}
    while ahead:
        following |= {
            name: _list_edges(scope, node, section, path) for name, (node, path) in ahead.items()
        }
        goals = {name for edges in following.values() for name, _ in edges}
        elsewhere = {
            name: scope.references.locate(name)
            for name in sorted(goals - following.keys())
            if name.startswith("#")
        }
        ahead = {
            name: (goal.value, follow(scope.document, goal.pointer))
            for name, goal in elsewhere.items()
            if goal is not None
        }
    return following


def _list_edges(scope: Scope, node: Any, section: str, path: Trail) -> Edges:
    """Return the targets of references that apply to the same value as *node*.

    These are components, by name; and in adopted definitions other schemas, by their pointers.
    """
    edges: Edges = []
    pending: list[tuple[Any, Trail]] = [(node, path)]
    while pending:
        part, at = pending.pop()
        if not isinstance(part, dict):
            continue
        if "$ref" in part:
            goal = target(part["$ref"])
            if goal is not None and goal[0] == section:
                edges.append((goal[1], at))
            elif goal is None and not scope.authored:
                edges += _find_elsewhere(scope, part["$ref"], at)
        if section == "schemas" and ("$ref" not in part or scope.modern):
            for key in ("allOf", *UNIONS):
                for index, member in enumerate(part.get(key, ())):
                    pending.append((member, (*at, key, index)))
    return edges


def _find_elsewhere(scope: Scope, reference: str, at: Trail) -> Edges:
    """Return the target of *reference*, which is not a component by its name."""
    goal = scope.references.locate(reference)
    if goal is None:
        return []
    named = component(goal.pointer)
    return [(named[1] if named else f"#{goal.pointer}", at)]


def _report_circle(circle: list[str], at: Trail) -> Violation:
    shown_part = circle if len(circle) < 9 else [*circle[:4], "...", *circle[-3:]]
    message = (
        f"{' -> '.join(shown_part)} is a circle of references without a value in it; "
        "make one of them a property or an item"
    )
    return Violation(extend(None, *at), "reference-cycle", message)


def _list_circles(following: dict[str, Edges]) -> Iterator[tuple[list[str], Trail]]:
    """Yield each circle once, where a walk in source order closes it first."""
    done: set[str] = set()
    for start in following:
        if start in done:
            continue
        names = [start]
        walks = [iter(following[start])]
        while walks:
            edge = next(walks[-1], None)
            if edge is None:
                walks.pop()
                done.add(names.pop())
                continue
            name, path = edge
            if name in names:
                yield [*names[names.index(name) :], name], path
            elif name not in done and name in following:
                names.append(name)
                walks.append(iter(following[name]))
