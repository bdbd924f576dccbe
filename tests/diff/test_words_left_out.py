"""A comparison without descriptions finds all other differences."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
from support.random_documents import pairs
from support.refactorings import DOCUMENTS, Document
from support.seeds import scale
from support.tables import cases

from dateline.diff import diff
from dateline.model import Change, Kind
from dateline.openapi import OBJECTS, walk

RANDOM_PAIRS = scale(100)

LOAN: dict[str, Any] = {"type": "object", "properties": {"id": {"type": "string"}}}

# Names in a schema that look like keywords for descriptions, and aren't.
NO_WORDS: dict[str, dict[str, Any]] = {
    "a field": {"properties": {"description": {"type": "integer"}}},
    "a constant": {"const": {"description": "a loan"}},
    "a value": {"enum": [{"description": "a loan"}]},
    "a default": {"default": {"description": "a loan"}},
    "an extension": {"x-owner": {"description": "a loan"}},
    "an unknown keyword": {"owner": {"description": "a loan"}},
    "a tag": {
        "oneOf": [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/B"}],
        "discriminator": {"propertyName": "kind", "mapping": {"summary": "A"}},
    },
    "no text": {"description": ["a loan"]},
}
OTHERWISE = {"a loan": "a book", "integer": "string", "A": "B"}


def reword(document: Document) -> Document:
    """Return *document* with another text in each object that may have a description."""
    found = copy.deepcopy(document)
    for number, (_, kind, node) in enumerate(walk("document", found)):
        # where a description is the only content, it matters; servers are identified by theirs
        is_server = kind.startswith("server")
        if "description" in OBJECTS[kind] and node and "$ref" not in node and not is_server:
            node["description"] = f"other words {number}"
    return found


def tell(changes: list[Change]) -> list[Change]:
    return [change for change in changes if change.kind is not Kind.DOCUMENTATION_CHANGED]


def change_values(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: change_values(value) for key, value in node.items()}
    if isinstance(node, list):
        return [*map(change_values, node)]
    return OTHERWISE.get(node, node) if isinstance(node, str) else node


def describe_loan(loan: dict[str, Any]) -> Document:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Loan"}}}
    answers = {"responses": {"200": {"description": "loans", "content": content}}}
    members = {name: {"type": "object", "required": [name.lower()]} for name in "AB"}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Library", "version": "1"},
        "paths": {"/loans": {"get": answers}},
        "components": {"schemas": {"Loan": {**LOAN, **loan}, **members}},
    }


@pytest.mark.parametrize("name", DOCUMENTS)
def test_other_descriptions_alone_are_no_change(name: str) -> None:
    document = DOCUMENTS[name]()
    other = reword(document)
    both = [diff(document, other), diff(other, document)]
    assert all(both)
    assert [*map(tell, both)] == [[], []]
    few = [diff(document, other, words=False), diff(other, document, words=False)]
    assert [*map(tell, few)] == [[], []]
    assert len(few[0]) < len(both[0])


@cases("spelling", NO_WORDS)
def test_names_that_look_like_description_keywords_are_compared(spelling: str) -> None:
    before = describe_loan(NO_WORDS[spelling])
    after = describe_loan(change_values(NO_WORDS[spelling]))
    found = diff(before, after, words=False)
    assert found
    assert found == diff(before, after)


def name_changes(changes: list[Change]) -> list[Change]:
    """Return *changes* without their values, which contain descriptions as well."""
    return [replace(change, before=None, after=None, within=()) for change in tell(changes)]


def test_other_differences_are_found_whatever_descriptions_say() -> None:
    for pair in pairs(7, RANDOM_PAIRS):
        plain = name_changes(diff(pair.before, pair.after))
        for before, after in (
            (pair.before, reword(pair.after)),
            (reword(pair.before), pair.after),
        ):
            found = name_changes(diff(before, after, words=False))
            # members of unions have no names, so they are also identified by their descriptions
            assert found in (plain, name_changes(diff(before, after)))
