"""An heir of a discriminated parent is judged like a member of a union that lists it."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any, Final

from support.mutations import EDITS
from support.random_documents import Maker
from support.seeds import scale

from dateline.diff import diff
from dateline.model import Kind
from dateline.rules import judge

Document = dict[str, Any]

UNION: Final = "#/components/schemas/Noun"
MEMBERS: Final = ("Book", "Map")
DOCUMENTS: Final = scale(600)


def documents() -> Iterator[tuple[Random, Document]]:
    """Yield random documents in which `Noun` is a union of two members, each with its tag."""
    for seed in range(DOCUMENTS):
        random = Random(seed)
        document = Maker(random).document()
        schemas = document["components"]["schemas"]
        if list_noun_members(document):
            for name in MEMBERS:
                schemas[name]["properties"]["kind"] = {"type": "string"}
            schemas["Noun"] = {
                "anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in MEMBERS],
                "discriminator": {"propertyName": "kind"},
            }
            yield random, document


def list_noun_members(node: Any) -> int:
    """Turn every discriminated union in *node* into `Noun`; return how many there were."""
    found = 0
    for key, below in list(node.items() if isinstance(node, dict) else enumerate(node)):
        if isinstance(below, dict) and "discriminator" in below:
            node[key] = {"$ref": UNION}
            found += 1
        elif isinstance(below, dict | list):
            found += list_noun_members(below)
    return found


def replace_union_by_parent(document: Document) -> Document:
    """Return *document* with a parent and its heirs in place of the union."""
    made = copy.deepcopy(document)
    schemas = made["components"]["schemas"]
    noun = schemas["Noun"]
    del noun["anyOf"]
    for name in MEMBERS:
        if name in schemas:
            schemas[name] = {"allOf": [{"$ref": UNION}, schemas[name]]}
    return made


def list_verdicts(before: Document, after: Document) -> Counter[tuple[str, ...]]:
    """Return the changes of operations, and their verdicts."""
    return Counter(
        (
            str(change.kind),
            "" if change.kind in (Kind.VARIANT_ADDED, Kind.VARIANT_REMOVED) else change.keyword,
            str(change.direction),
            *change.operations,
            str(judge(change, "dated-contract", {}).verdict),
        )
        for change in diff(before, after)
        if change.operations
    )


def drop_directions(reported: Counter[tuple[str, ...]]) -> set[tuple[str, ...]]:
    """Return the changes without their directions."""
    return {(kind, keyword, *rest) for kind, keyword, _, *rest in reported}


def edit_document(random: Random, document: Document) -> Document | None:
    """Return *document* after an edit of a member or the tags; None if it isn't applicable."""
    after = copy.deepcopy(document)
    schemas = after["components"]["schemas"]
    member = schemas[random.choice(MEMBERS)]
    choice = random.random()
    if choice < 0.15:
        gone = random.choice(MEMBERS)
        schemas["Noun"]["discriminator"]["mapping"] = {"other": f"#/components/schemas/{gone}"}
        return after
    if choice < 0.25:
        schemas["Noun"]["discriminator"]["propertyName"] = "sort"
        return after
    site = random.choice([member, *member["properties"].values()])
    edit = random.choice(EDITS)
    return after if edit.change(random, site) and after != document else None


def test_edited_variant_is_judged_alike_as_member_and_heir() -> None:
    compared = 0
    for random, before in documents():
        for _ in range(4):
            after = edit_document(random, before)
            if after is None:
                continue
            compared += 1
            ours, theirs = (
                list_verdicts(before, after),
                list_verdicts(replace_union_by_parent(before), replace_union_by_parent(after)),
            )
            nouns = [each["components"]["schemas"]["Noun"] for each in (before, after)]
            if nouns[0] == nouns[1]:
                assert ours == theirs
            else:
                # an heir has its tag also where it is used alone, a member hasn't
                assert drop_directions(ours) <= drop_directions(theirs)
    assert compared > DOCUMENTS / 10


def test_added_variant_is_judged_alike_as_member_and_heir() -> None:
    for _, after in documents():
        before = copy.deepcopy(after)
        before["components"]["schemas"]["Noun"]["anyOf"].pop()
        new = replace_union_by_parent(after)
        old = copy.deepcopy(new)
        last = old["components"]["schemas"]["Map"]
        old["components"]["schemas"]["Map"] = last["allOf"][1]
        kinds = {Kind.VARIANT_ADDED.value, Kind.VARIANT_REMOVED.value}
        for ours, theirs in (((before, after), (old, new)), ((after, before), (new, old))):
            expected = {reported for reported in list_verdicts(*ours) if reported[0] in kinds}
            assert expected <= {
                reported for reported in list_verdicts(*theirs) if reported[0] in kinds
            }
