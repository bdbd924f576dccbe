"""Resolve a name in a document: to a component, field, value, union member or operation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from dateline.diff.naming import Name, name
from dateline.model import EXTENSIBLE
from dateline.openapi import (
    COMPONENTS,
    method_name,
    operation_steps,
    operations,
    parts,
    path_items,
    pointer,
    step_into,
    target,
)
from dateline.schema.parts import list_members
from dateline.schema.references import Located, Resolver, escape
from dateline.schema.types import UNIONS
from dateline.wording import did_you_mean

_GROUPS: Final = ("allOf", *UNIONS)

# What a step of a path leads into, besides properties.
_STEPS: Final = {"[]": "items", "{}": "additionalProperties"}


class Subject(NamedTuple):
    """A thing with a history: the node at a pointer, or one value or member of it.

    ``operation`` is the `METHOD /path` if it is one.
    """

    at: str
    member: str | None = None
    operation: str = ""

    def name_in(self, document: dict[str, Any]) -> str:
        """Return its name in *document*."""
        if self.operation:
            return self.operation
        schema, field = name(document, self.at)
        link = "." if field and field[0] not in "[{" else ""
        whole = f"{schema}{link}{field}"
        return whole if self.member is None else f"{whole}.{self.member}"


def find_subject(document: dict[str, Any], called: str) -> Subject:
    """Return the thing in *document* with the name *called*.

    A component, `Customer`; a field below it, `Customer.status`, `Page.items[].id`, through
    references, too; a value of an enum or a member of a union, `DepositRail.FedNow`; an operation,
    `GET /customers` or its id. Raises LookupError, with the nearest name, for others.
    """
    operations = dict(_operations(document))
    if called in operations:
        return operations[called]
    components = dict(_components(document))
    # component names may contain dots: the longest match counts
    fitting = [known for known in components if is_step(called, known)]
    if not fitting:
        unknown = called if " " in called else called.partition(".")[0]
        raise _unknown("component or operation", unknown, [*components, *operations])
    component = max(fitting, key=len)
    rest = called.removeprefix(component)
    return _find_below(Resolver(document), components[component], rest, component)


def is_present(document: dict[str, Any], subject: Subject) -> bool:
    """Return whether *document* has the thing."""
    node = _at(document, parts(subject.at))
    return node is not None and (subject.member is None or subject.member in _members(node))


def list_referred(document: dict[str, Any], subject: Subject) -> list[Name]:
    """Return the component that a field or its items refer to; nothing for others."""
    node = _at(document, parts(subject.at))
    if not isinstance(node, dict):
        return []
    references = [node.get("$ref")]
    if isinstance(node.get("items"), dict):
        references.append(node["items"].get("$ref"))
    found = [target(reference) for reference in references if isinstance(reference, str)]
    return [Name(known[1], "") for known in found if known is not None]


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, Subject]]:
    for section, called in (("paths", "{1} {0}"), ("webhooks", "WEBHOOK {0}")):
        for path, item in path_items(document, section):
            for method, node in operations(item):
                operation = called.format(path, method_name(method))
                at = pointer((section, path, *operation_steps(method)))
                subject = Subject(at, operation=operation)
                yield operation, subject
                if "operationId" in node:
                    yield node["operationId"], subject


def _components(document: dict[str, Any]) -> Iterator[tuple[str, Located]]:
    # the schemas last: of two components with one name, the schema has a history
    for section in sorted(COMPONENTS, key=lambda section: section == "schemas"):
        for known, node in document.get("components", {}).get(section, {}).items():
            yield known, Located(node, pointer(("components", section, known)))


def _find_below(resolver: Resolver, located: Located, rest: str, whole: str) -> Subject:
    """Follow the steps of *rest* from *located*, which is called *whole*."""
    while rest:
        children = dict(_children(resolver, located))
        fitting = [step for step in children if is_step(rest, step)]
        if not fitting:
            goal = resolver.follow(located)
            members = _members(goal.value)
            if rest.removeprefix(".") in members:
                return Subject(goal.pointer, member=rest.removeprefix("."))
            known = [step.removeprefix(".") for step in (*children, *members)]
            raise _unknown(f"field or value of {whole}", rest.removeprefix("."), known)
        step = max(fitting, key=len)
        located, rest, whole = children[step], rest.removeprefix(step), whole + step
    return Subject(located.pointer)


def _children(resolver: Resolver, located: Located) -> Iterator[tuple[str, Located]]:
    """Yield each step that continues from *located*, and its target."""
    node, at = resolver.follow(located)
    if not isinstance(node, dict):
        return
    for group in _GROUPS:
        for member in list_members(node, at, group) if group in node else ():
            yield from _children(resolver, member)
    for step, keyword in _STEPS.items():
        if isinstance(node.get(keyword), dict):
            yield step, Located(node[keyword], f"{at}/{keyword}")
    for known, child in node.get("properties", {}).items():
        yield f".{known}", Located(child, f"{at}/properties/{escape(known)}")


def _members(node: Any) -> list[str]:
    """Return the values of an enum and the members of a union, by name."""
    if not isinstance(node, dict):
        return []
    found = [value for key in ("enum", EXTENSIBLE) for value in node.get(key, ())]
    for union in UNIONS:
        for member in node.get(union, ()):
            reference = target(member.get("$ref", "")) if isinstance(member, dict) else None
            if reference is not None:
                found.append(reference[1])
    return [value for value in found if isinstance(value, str)]


def _at(document: dict[str, Any], path: tuple[str, ...]) -> Any:
    node: Any = document
    for step in path:
        found = step_into(node, step)
        if found is None:
            return None
        node = node[found]
    return node


def is_step(text: str, step: str) -> bool:
    """Return whether *text* is *step*, or begins with it, followed by another step."""
    rest = text.removeprefix(step)
    return text == step or (rest != text and rest[0] in ".[{")


def _unknown(what: str, word: str, known: list[str]) -> LookupError:
    return LookupError(f"No {what} is called {word!r}{did_you_mean(word, sorted(set(known)))}")
