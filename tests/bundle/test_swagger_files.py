"""Swagger 2.0 in several files equals a single file; places are those in the files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from support.swagger_documents import LIBRARY, Document
from support.tables import cases

from dateline.bundle import Readings, open_document
from dateline.check.comparison import compare
from dateline.model import SourceError

SECTIONS: Final = ("definitions", "parameters", "responses")


def lead(node: Any, to: str) -> Any:
    """Return *node* with references to entries replaced by addresses, as *to* returns them."""
    if isinstance(node, list):
        return [lead(below, to) for below in node]
    if not isinstance(node, dict):
        return node
    made = {key: lead(below, to) for key, below in node.items()}
    reference = node.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/"):
        section, name, *inside = reference.split("/")[1:]
        made["$ref"] = to.format(section, name) + "".join(["#", *(f"/{step}" for step in inside)])
    return made


def without_references_inside(node: Any) -> Any:
    """Return *node* without references into entries, whose targets get new names."""
    if isinstance(node, list):
        return [without_references_inside(below) for below in node]
    if not isinstance(node, dict):
        return node
    if str(node.get("$ref", "")).count("/") > 2:
        return {}
    return {key: without_references_inside(below) for key, below in node.items()}


PLAIN: Final = without_references_inside(LIBRARY)


def write(folder: Path, files: dict[str, Any]) -> Path:
    """Write *files* below *folder*, and return the path of the first."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=1))
    return folder / next(iter(files))


def divide(document: Document, *, aliases: bool, whole: bool) -> dict[str, Any]:
    """Split *document* into files: one for each entry of a section, and for each path.

    With *aliases*, the document lists them; with *whole*, all paths are in one file.
    """
    main = {key: value for key, value in document.items() if key not in (*SECTIONS, "paths")}
    files = {"api.json": main}
    for section in SECTIONS:
        for name, node in document[section].items():
            files[f"{section}/{name}.json"] = lead(node, "../{0}/{1}.json")
        if aliases:
            main[section] = {name: {"$ref": f"{section}/{name}.json"} for name in document[section]}
    paths = lead(document["paths"], "../{0}/{1}.json")
    if whole:
        files["paths/all.json"] = paths
        main["paths"] = {"$ref": "paths/all.json"}
    else:
        main["paths"] = {}
        for number, (path, item) in enumerate(paths.items()):
            named = f"paths/{number}.json"
            files[named] = item
            main["paths"][path] = item if path.startswith("x-") else {"$ref": named}
    return files


def read(path: Path) -> Any:
    return json.loads(json.dumps(open_document(path, path.name, Readings()).content))


@cases("whole", [False, True])
@cases("aliases", [False, True])
def test_files_that_refer_to_each_other_make_one_document(
    tmp_path: Path, aliases: bool, whole: bool
) -> None:
    one = write(tmp_path / "one", {"api.json": PLAIN})
    several = write(tmp_path / "several", divide(PLAIN, aliases=aliases, whole=whole))
    wanted, found = read(one), read(several)
    if aliases:
        assert compare(tmp_path, tmp_path, str(one), str(several))[0] == []
    else:
        # unreferenced entries are in no document
        for section, entries in wanted["components"].items():
            kept = found["components"].get(section, {})
            wanted["components"][section] = {
                name: node for name, node in entries.items() if name in kept
            }
        wanted["components"] = {key: below for key, below in wanted["components"].items() if below}
    assert found == wanted


SMALL: Final[dict[str, Any]] = {
    "api.json": {
        "swagger": "2.0",
        "info": {"title": "a", "version": "1"},
        "paths": {"/a": {"$ref": "parts/a.json#/items/a"}},
        "definitions": {"Own": {"type": "object", "properties": {"a": {"$ref": "more.json"}}}},
    },
    "more.json": {
        "properties": {"more": {"$ref": "#"}, "own": {"$ref": "api.json#/definitions/Own"}}
    },
    "parts/a.json": {
        "items": {
            "a": {
                "get": {
                    "responses": {
                        "200": {"description": "a", "schema": {"$ref": "#/A"}},
                        "400": {"description": "b", "schema": {"$ref": "b.json#/A"}},
                    }
                }
            }
        },
        "A": {"type": "array", "items": {"$ref": "../api.json#/definitions/Own"}},
    },
    "parts/b.json": {"A": {"type": "string"}},
}


def test_parts_get_names_of_their_own(tmp_path: Path) -> None:
    schemas = read(write(tmp_path, SMALL))["components"]["schemas"]
    own = {"$ref": "#/components/schemas/Own"}
    more = {"$ref": "#/components/schemas/more"}
    assert schemas == {
        "Own": {"type": "object", "properties": {"a": more}},
        "more": {"properties": {"more": more, "own": own}},
        "parts_a_A": {"type": "array", "items": own},
        "parts_b_A": {"type": "string"},
    }


def test_places_are_those_in_the_files(tmp_path: Path) -> None:
    document = open_document(write(tmp_path, SMALL), "api.json", Readings())
    places = {
        pointer: (document.place(pointer).file, document.find_pointer(pointer))
        for pointer in (
            "/components/schemas/parts_a_A/items",
            "/components/schemas/more/properties",
            "/components/schemas/Own",
        )
    }
    assert places == {
        "/components/schemas/parts_a_A/items": ("parts/a.json", "/A/items"),
        "/components/schemas/more/properties": ("more.json", "/properties"),
        "/components/schemas/Own": ("api.json", "/definitions/Own"),
    }
    assert document.place("/paths/~1a/get/responses/400").file == "parts/a.json"
    assert not document.is_alone


@cases(
    ("reference", "said"),
    [
        ("none.json", "api.json:9:12: reference-unreadable: "),
        ("https://a.example/b.json", "api.json:9:12: reference-remote: "),
        ("../b.json", "api.json:9:12: reference-outside: "),
        ("more.json#/none", "api.json:9:12: reference-dangling: "),
        ("circle.json", "api.json:9:12: reference-circular: "),
    ],
)
def test_unreadable_reference_is_refused_where_it_is_written(
    tmp_path: Path, reference: str, said: str
) -> None:
    api = {**SMALL["api.json"], "paths": {"/a": {"$ref": reference}}}
    path = write(tmp_path, {**SMALL, "api.json": api, "circle.json": {"$ref": "circle.json"}})
    with pytest.raises(SourceError) as refused:
        open_document(path, "api.json", Readings()).content  # noqa: B018
    assert [str(problem)[: len(said)] for problem in refused.value.problems] == [said]


HEAD: Final = {"swagger": "2.0", "info": {"title": "a", "version": "1"}}
ANSWER: Final[dict[str, Any]] = {"responses": {"200": {"description": "d"}}}
PARTS: Final = {
    "q": {"in": "query", "name": "q", "type": "string"},
    "b": {"in": "body", "name": "b", "schema": {"type": "string"}},
}

# The siblings of a reference to a path item with `get` and `x-a`, and the result.
BESIDE: Final[list[tuple[Any, Any]]] = [
    ({"post": ANSWER}, {"post": ANSWER}),
    ({"x-a": 2}, {"x-a": 2}),
    ({"x-b": {"$ref": "q.json#/no"}}, {"x-b": {"$ref": "q.json#/no"}}),
    (
        {"parameters": [{"$ref": "q.json#/q"}]},
        {"parameters": [{"$ref": "#/components/parameters/q"}]},
    ),
    (
        {"put": {**ANSWER, "parameters": [{"$ref": "q.json#/b"}]}},
        {"put": {**ANSWER, "requestBody": {"$ref": "#/components/requestBodies/b"}}},
    ),
]


@cases("is_first", [True, False])
@cases(("beside", "made"), BESIDE)
def test_siblings_of_a_reference_to_a_path_item_are_kept(
    tmp_path: Path, beside: Any, made: Any, is_first: bool
) -> None:
    reference = {"$ref": "parts/p.json"}
    item = {**reference, **beside} if is_first else {**beside, **reference}
    files = {
        "api.json": {**HEAD, "paths": {"/a": item}},
        "parts/p.json": {"get": ANSWER, "x-a": 1},
        "q.json": PARTS,
    }
    main = write(tmp_path, files)
    assert read(main)["paths"]["/a"] == {"get": ANSWER, "x-a": 1, **made}
    opened = open_document(main, main.name, Readings())
    assert opened.place("/paths/~1a/get").file.endswith("p.json")
    assert opened.place(f"/paths/~1a/{next(iter(beside))}").file.endswith("api.json")


def test_extensions_and_examples_may_refer_to_files(tmp_path: Path) -> None:
    ref = {"$ref": "x/e.json"}
    operation = {**ANSWER, "x-ms-examples": {"a": ref}, "x-b": ref, "x-c": {"$ref": "no.json"}}
    schema = {"type": "object", "example": ref, "default": {"a": ref}}
    files: dict[str, Any] = {
        "api.json": {
            **HEAD,
            "paths": {"/a": {"get": operation}},
            "definitions": {"A": schema},
        },
        "x/e.json": {"v": 1, "w": {"$ref": "w.json#/w"}, "self": {"$ref": "e.json"}},
        "x/w.json": {"w": [2]},
    }
    main = write(tmp_path / "before", files)
    inner = {"v": 1, "w": [2], "self": {"$ref": "e.json"}}
    content = read(main)
    operation = content["paths"]["/a"]["get"]
    assert operation == {
        **ANSWER,
        "x-ms-examples": {"a": inner},
        "x-b": inner,
        "x-c": {"$ref": "no.json"},
    }
    assert content["components"]["schemas"] == {
        "A": {"type": "object", "example": inner, "default": {"a": inner}}
    }
    opened = open_document(main, main.name, Readings())
    at = "/paths/~1a/get"
    for pointer, file, written in (
        (f"{at}/x-ms-examples/a/v", "e.json", "/v"),
        (f"{at}/x-b/w/0", "w.json", "/w/0"),
        ("/components/schemas/A/default/a/v", "e.json", "/v"),
        (f"{at}/x-c", "api.json", f"{at}/x-c"),
    ):
        assert opened.place(pointer).file.endswith(file)
        assert opened.find_pointer(pointer) == written


def test_extensions_can_not_be_nested_without_end(tmp_path: Path) -> None:
    files: dict[str, Any] = {"api.json": {**HEAD, "paths": {}, "x-a": {"$ref": "0.json"}}}
    for level in range(100):
        files[f"{level}.json"] = {"below": {"$ref": f"{level + 1}.json"}}
    with pytest.raises(SourceError, match="too-deep"):
        read(write(tmp_path, files))


def test_sections_are_joined_with_the_siblings_of_their_reference(tmp_path: Path) -> None:
    files = {
        "api.json": {
            **HEAD,
            "paths": {"$ref": "paths.json", "/b": {"get": ANSWER}},
            "definitions": {"$ref": "schemas.json", "B": {"type": "integer"}},
        },
        "paths.json": {"/a": {"get": ANSWER}},
        "schemas.json": {"A": {"type": "string"}},
    }
    content = read(write(tmp_path, files))
    assert content["paths"] == {"/a": {"get": ANSWER}, "/b": {"get": ANSWER}}
    assert content["components"]["schemas"] == {"A": {"type": "string"}, "B": {"type": "integer"}}
