"""Components of a draft keep the names that they have in the version before."""

from __future__ import annotations

import json
from typing import Any

from support.tables import cases

from dateline.adopt.component_names import find_known_names, rename_components

Document = dict[str, Any]


def refer(name: str) -> Document:
    return {"$ref": f"#/components/schemas/{name}"}


def item(*fields: str, **more: Any) -> Document:
    """Return a schema with an id, a name, a price and other *fields*; those in *more* computed."""
    names = ["id", "name", "price", *fields]
    computed = {name: {"type": "string", "readOnly": True} for name in more.pop("computed", ())}
    properties = {name: {"type": "string"} for name in names} | computed
    return {"type": "object", "properties": properties, "required": [*properties], **more}


def document(places: str, **schemas: Document) -> Document:
    """Return a document whose operations refer to the schemas with the names in *places*."""
    return {
        "openapi": "3.1.0",
        "paths": {f"/{at}": refer(each) for at, each in enumerate(places.split())},
        "components": {"schemas": schemas},
    }


LISTED = {"type": "object", "properties": {"items": {"type": "array", "items": refer("Item")}}}


def list_of(name: str) -> Document:
    return json.loads(json.dumps(LISTED).replace("/Item", f"/{name}"))  # type: ignore[no-any-return]


IN, OUT = "Item-Input", "Item-Output"
PAGE_IN, PAGE_OUT = "Page-Input", "Page-Output"
ENUM = {"enum": ["open", "lost"]}


def union(name: str, mapped: str) -> Document:
    discriminator = {"propertyName": "kind", "mapping": {"cat": mapped}, "defaultMapping": mapped}
    return {"oneOf": [refer(name)], "discriminator": discriminator}


def union_of(*names: str, **mapping: str) -> Document:
    discriminator = {"propertyName": "id"} | ({"mapping": mapping} if mapping else {})
    return {"oneOf": [refer(name) for name in names], "discriminator": discriminator}


def heir(name: str) -> Document:
    return {"allOf": [refer(name), {"properties": {"lives": {"type": "integer"}}}]}


PET = {**item(), "discriminator": {"propertyName": "id"}}


# The version before, the next document, and which of its names are which.
NAMES: list[tuple[Document, Document, dict[str, str]]] = [
    (document("Item", Item=item()), document("Good", Good=item()), {"Good": "Item"}),
    (document("Item", Item=item()), document("Good", Good=item("due")), {"Good": "Item"}),
    (document("Item", Item=item()), document("Good", Good=item(*"abcd")), {"Good": "Item"}),
    (
        document("Item State", Item=item(), State=ENUM),
        document("Good Mode", Good=item(), Mode={"enum": ["open", "lost", "sold"]}),
        {"Good": "Item", "Mode": "State"},
    ),
    (
        document("Page_Item_", Page_Item_=list_of("Item"), Item=item()),
        document("Page_Good_", Page_Good_=list_of("Good"), Good=item()),
        {"Page_Good_": "Page_Item_", "Good": "Item"},
    ),
    (
        document("Item", Item=item()),
        document("a__Item b__Item", a__Item=item(), b__Item=item()),
        {"a__Item": "Item"},
    ),
    # FastAPI's models for requests and responses
    (
        document("Item Item", Item=item()),
        document(f"{IN} {OUT}", **{IN: item(), OUT: item(computed=["slug"])}),
        {IN: "Item", OUT: "Item"},
    ),
    (
        document("Page Page Item", Page=list_of("Item"), Item=item()),
        document(
            f"{PAGE_IN} {PAGE_OUT} {OUT}",
            **{PAGE_IN: list_of(IN), PAGE_OUT: list_of(OUT)},
            **{IN: item(), OUT: item(computed=["slug"])},
        ),
        {PAGE_IN: "Page", PAGE_OUT: "Page", IN: "Item", OUT: "Item"},
    ),
    (
        document("Item Item Item", Item=item()),
        document(f"{IN} {OUT} {OUT}", **{IN: item(), OUT: item("slug")}),
        {OUT: "Item"},
    ),
    (
        document("Item Item", Item=item()),
        document(f"{OUT} {IN}", **{IN: item(), OUT: item("slug")}),
        {IN: "Item"},
    ),
    (
        document(f"{IN} {OUT} {OUT}", **{IN: item(), OUT: item(computed=["slug"])}),
        document("Item Item Item", Item=item()),
        {"Item": OUT},
    ),
    # other components
    (document("Item", Item=item()), document("Good", Good=list_of("Item"), Item=item()), {}),
    (document("Item", Item=item()), document("Good", Good=list_of("Good")), {}),
    (
        document("Item", Item=item()),
        document("Good", Good={"properties": {"id": {}, "x": {}, "y": {}}}),
        {},
    ),
    (document("State", State=ENUM), document("Mode", Mode={"enum": ["a", "b", "c"]}), {}),
    (document("Item", Item=item()), document("Item Good", Item=item(), Good=item()), {}),
    (document("Item Item", Item=item()), document("Good Item", Good=item(), Item=item()), {}),
    (document("Gone", Item=item()), document("Nowhere", Good=item()), {}),
    # names that are tags in messages
    (
        document("Pet Cat", Pet=union_of("Cat", "Dog", dog="Dog"), Cat=item(), Dog=item()),
        document("Pet Lion", Pet=union_of("Lion", "Wolf", dog="Wolf"), Lion=item(), Wolf=item()),
        {"Wolf": "Dog"},
    ),
    (
        document("Owner Cat", Owner={"items": union_of("Cat")}, Cat=item()),
        document("Owner Lion", Owner={"items": union_of("Lion", cat="Lion")}, Lion=item()),
        {},
    ),
    (
        document("Owner Lion", Owner={"items": union_of("Lion", cat="Lion")}, Lion=item()),
        document("Owner Cat", Owner={"items": union_of("Cat")}, Cat=item()),
        {},
    ),
    (
        document("Pet Cat", Pet=PET, Cat=heir("Pet")),
        document("Pet Lion", Pet=PET, Lion=heir("Pet")),
        {},
    ),
    (
        document("Pet Cat", Pet=PET, Cat=heir("Pet")),
        document("Beast Cat", Beast=PET, Cat=heir("Beast")),
        {},
    ),
]


@cases("known, new, names", NAMES)
def test_components_are_recognized_where_references_to_them_are(
    known: Document, new: Document, names: dict[str, str]
) -> None:
    found = find_known_names(new, known)
    assert found == {("schemas", name): old for name, old in names.items()}
    renamed = rename_components(new, known, found)
    assert find_known_names(renamed, known) == {}
    referred = {each["$ref"].rpartition("/")[2] for each in renamed["paths"].values()}
    assert referred - {"Nowhere"} <= renamed["components"]["schemas"].keys()


def test_computed_fields_stay_where_two_components_become_one() -> None:
    for order in ([IN, OUT], [OUT, IN]):
        divided = {IN: item(), OUT: item(computed=["slug"])}
        new = document(f"{IN} {OUT}", **{name: divided[name] for name in order})
        known = document("Item Item", Item=item())
        renamed = rename_components(new, known, find_known_names(new, known))
        assert renamed["components"]["schemas"] == {"Item": divided[OUT]}


@cases("mapped", ["Cat", "#/components/schemas/Cat"])
def test_tags_and_pointers_lead_to_the_renamed_component(mapped: str) -> None:
    def describe(name: str, mapped: str) -> Document:
        part = {"$ref": f"#/components/schemas/{name}/properties/id"}
        cat = item(title=name, examples=[name])
        return document("Pet", **{"Pet": union(name, mapped), name: cat, "Id": part})

    known = describe("Cat", mapped)
    new = describe("Lion", mapped.replace("Cat", "Lion"))
    renamed = rename_components(new, known, find_known_names(new, known))
    known["components"]["schemas"]["Cat"]["examples"] = ["Lion"]
    assert renamed == known
