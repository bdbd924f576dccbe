"""Components of all kinds that are renamed, inlined or extracted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from support.tables import cases

from dateline.diff import diff
from dateline.model import Kind
from dateline.openapi import COMPONENTS
from dateline.rules.wording import describe

Document = dict[str, Any]

_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "integer"}
_OK: Final = {"200": {"description": ""}}


def _answer(**keys: Any) -> Document:
    return {"responses": {"200": {"description": "", **keys}}}


def _content(**keys: Any) -> Document:
    return {"content": {"application/json": keys}}


# By section: an operation with an entry, an entry, and a different entry.
_USES: Final[dict[str, tuple[Callable[[Any], Document], Document, Document]]] = {
    "schemas": (lambda one: _answer(**_content(schema=one)), _TEXT, _NUMBER),
    "parameters": (
        lambda one: {"parameters": [one], "responses": _OK},
        {"name": "q", "in": "query", "schema": _TEXT},
        {"name": "q", "in": "query", "schema": _NUMBER},
    ),
    "responses": (
        lambda one: {"responses": {"200": one}},
        {"description": "", **_content(schema=_TEXT)},
        {"description": "", **_content(schema=_NUMBER)},
    ),
    "requestBodies": (
        lambda one: {"requestBody": one, "responses": _OK},
        _content(schema=_TEXT),
        _content(schema=_NUMBER),
    ),
    "headers": (
        lambda one: _answer(headers={"X-A": one}),
        {"schema": _TEXT},
        {"schema": _NUMBER},
    ),
    "examples": (
        lambda one: _answer(**_content(schema={}, examples={"one": one})),
        {"value": 1},
        {"value": 2},
    ),
    "links": (
        lambda one: _answer(links={"one": one}),
        {"operationId": "a", "parameters": {"q": 1}},
        {"operationId": "a", "parameters": {"q": 2}},
    ),
    "callbacks": (
        lambda one: {"callbacks": {"one": one}, "responses": _OK},
        {"{$url}": {"post": {"requestBody": _content(schema=_TEXT), "responses": _OK}}},
        {"{$url}": {"post": {"requestBody": _content(schema=_NUMBER), "responses": _OK}}},
    ),
    "mediaTypes": (
        lambda one: _answer(content={"application/json": one}),
        {"schema": _TEXT},
        {"schema": _NUMBER},
    ),
    "pathItems": (
        lambda one: one,
        {"get": {"parameters": [{"name": "q", "in": "query", "schema": _TEXT}], "responses": _OK}},
        {
            "get": {
                "parameters": [{"name": "q", "in": "query", "schema": _NUMBER}],
                "responses": _OK,
            }
        },
    ),
}
# for examples, next to bodies
_EXAMPLES: Final[dict[str, Callable[[Any], Document]]] = {
    "parameter": lambda one: {
        "parameters": [{"name": "q", "in": "query", "schema": {}, "examples": {"one": one}}],
        "responses": _OK,
    },
    "header": lambda one: _answer(headers={"X-A": {"schema": {}, "examples": {"one": one}}}),
    "request body": lambda one: {
        "requestBody": _content(schema={}, examples={"one": one}),
        "responses": _OK,
    },
}
# The names of the component before and after; None if it is inline.
_MOVES: Final = {"renamed": ("Old", "New"), "inlined": ("Old", None), "shared": (None, "New")}


def _build(section: str, name: str | None, entry: Document, use: Any = None) -> Document:
    use = use or _USES[section][0]
    used = use(entry if name is None else {"$ref": f"#/components/{section}/{name}"})
    is_item = section == "pathItems"
    return {
        "openapi": "3.2.0",
        "info": {"title": "Moves", "version": "1"},
        "paths": {path: used if is_item else {"get": used} for path in ("/a", "/b")},
        "components": {} if name is None else {section: {name: entry}},
    }


def _compare(before: Document, after: Document) -> tuple[list[Kind], list[str]]:
    """Return the kinds of the changes of components, and the texts of all other changes."""
    changes = diff(before, after)
    components = [each for each in changes if each.kind.value.startswith("component-")]
    return (
        [each.kind for each in components],
        [describe(each) for each in changes if each not in components],
    )


def test_every_kind_of_component_is_tested() -> None:
    # security schemes can't be inline, and are compared where operations demand them
    assert {*_USES} == {*COMPONENTS} - {"securitySchemes"}


@cases("move", _MOVES)
@cases("section", _USES)
def test_moved_component_with_equal_content_changes_nothing_else(section: str, move: str) -> None:
    old, new = _MOVES[move]
    entry = _USES[section][1]
    kinds, others = _compare(_build(section, old, entry), _build(section, new, entry))
    expected = {
        "renamed": Kind.COMPONENT_RENAMED,
        "inlined": Kind.COMPONENT_REMOVED,
        "shared": Kind.COMPONENT_ADDED,
    }
    assert kinds == [expected[move]]
    assert others == []


@cases("move", _MOVES)
@cases("section", _USES)
def test_moved_component_with_other_content_is_reported_at_each_place(
    section: str, move: str
) -> None:
    old, new = _MOVES[move]
    _, before, after = _USES[section]
    _, others = _compare(_build(section, old, before), _build(section, new, after))
    # a component on both sides is reported once, with all its operations
    assert 1 <= len(others) <= 2
    assert len({*others}) == len(others)


@cases("move", _MOVES)
@cases("place", _EXAMPLES)
def test_examples_may_be_inline_or_components(place: str, move: str) -> None:
    old, new = _MOVES[move]
    use, one, other = _EXAMPLES[place], {"value": 1, "summary": "s"}, {"value": 2}
    before = _build("examples", old, one, use)
    assert _compare(before, _build("examples", new, one, use))[1] == []
    (changed,) = _compare(before, _build("examples", new, other, use))[1]
    assert changed.endswith("examples changed")


@cases("section", _USES)
def test_messages_name_the_kind_of_a_component(section: str) -> None:
    entry = _USES[section][1]
    plain: Document = {"openapi": "3.2.0", "info": {"title": "", "version": ""}, "paths": {}}
    with_it = {**plain, "components": {section: {"One": entry}}}
    kind = COMPONENTS[section].replace("-", " ")
    called = "component" if kind == "schema" else f"{kind} component"
    for before, after, event in ((plain, with_it, "added"), (with_it, plain, "removed")):
        (change,) = diff(before, after)
        assert describe(change) == f"One: {called} {event}"
