"""Path parameters of a draft keep the names that they have in the version before."""

from __future__ import annotations

from typing import Any

from support.tables import cases

from dateline.adopt.path_names import rename_paths

Document = dict[str, Any]


def operation(*names: str) -> Document:
    schemas = [{"type": "integer", "title": f"The {name}"} for name in names]
    queried = {"name": names[0], "in": "query", "schema": {"title": "Another"}}
    listed = [
        {"name": name, "in": "path", "required": True, "schema": schema}
        for name, schema in zip(names, schemas, strict=True)
    ]
    return {"parameters": [*listed, queried]}


def paths(**items: Any) -> Document:
    """Return a document with the methods of *items* by path, such as `a_id_b="get put"`."""
    found: Document = {}
    for path, methods in items.items():
        names = [each for each in path.split("_") if len(each) > 1]
        steps = [f"{{{each}}}" if len(each) > 1 else each for each in path.split("_")]
        found["/" + "/".join(steps)] = {each: operation(*names) for each in methods.split()}
    return {"paths": found}


REFERRING: Document = {"get": {"parameters": [{"$ref": "#/components/parameters/Key"}]}}
SHARED = {"parameters": operation("key")["parameters"][:1], "put": {}}

# The version before, the next document, and the renamed paths.
PATHS: list[tuple[Document, Document, dict[str, str]]] = [
    (paths(a_id="get put"), paths(a_key="get put"), {"/a/{key}": "/a/{id}"}),
    (paths(a_id="get put"), paths(a_key="get", a_id="put"), {"/a/{key}": "/a/{id}"}),
    (paths(a_id="get put"), paths(a_id="put", a_key="get"), {"/a/{key}": "/a/{id}"}),
    (paths(a_id="get"), paths(a_key="get put"), {"/a/{key}": "/a/{id}"}),
    (
        paths(a_id_b="get", a_id="get"),
        paths(a_key_b="get", a_key="get"),
        {"/a/{key}/b": "/a/{id}/b", "/a/{key}": "/a/{id}"},
    ),
    (paths(id_key="get"), paths(key_id="get"), {"/{key}/{id}": "/{id}/{key}"}),
    (paths(a_id="get"), {"paths": {"/a/{key}": SHARED}}, {"/a/{key}": "/a/{id}"}),
    # several operations, or others
    (paths(a_id="get"), paths(a_key="get", a_id="get"), {}),
    (paths(a_id="get"), {"paths": {"/a/{key}": SHARED, **paths(a_id="get")["paths"]}}, {}),
    (paths(a_id="get", a_ref="put"), paths(a_key="get"), {}),
    (paths(a_id="get"), paths(b_key="get"), {}),
    (paths(a_id="get"), paths(a_id="get"), {}),
    (paths(a_id="get"), {"paths": {"/a/{key}": REFERRING}}, {}),
    (paths(a_id="get"), {"paths": {"/a/{key}": {"$ref": "#/x"}}}, {}),
    ({}, paths(a_key="get"), {}),
]


@cases("known, new, names", PATHS)
def test_paths_that_differ_in_names_alone_are_those_of_the_version_before(
    known: Document, new: Document, names: dict[str, str]
) -> None:
    renamed, found = rename_paths(new, known)
    assert found == names
    assert renamed["paths"].keys() == {names.get(path, path) for path in new["paths"]}


def test_parameters_and_their_titles_are_renamed_in_paths_alone() -> None:
    found, _ = rename_paths(paths(a_key="get put"), paths(a_id="get"))
    queried = {"name": "key", "in": "query", "schema": {"title": "Another"}}
    for each in found["paths"]["/a/{id}"].values():
        assert each["parameters"] == [*operation("id")["parameters"][:1], queried]
