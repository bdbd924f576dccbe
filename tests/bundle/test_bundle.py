"""Documents of several files are read as one, or refused at the reference that can't be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.adopted_apis import read_back
from support.seeds import scale
from support.tables import cases

from dateline.adopt import adopt
from dateline.bundle import Readings, open_document
from dateline.check.comparison import compare
from dateline.load.foreign import find_wrong_types
from dateline.model import DatelineError, SourceError
from dateline.openapi import chain

HEAD = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}}
JSON = "application/json"


# A value of each kind, and the same after an edit that a caller could notice.
def answering(kind: str) -> dict[str, Any]:
    content = {JSON: {"schema": {"type": kind}}}
    return {"responses": {"200": {"description": "d", "content": content}}}


KINDS: dict[str, tuple[Any, Any]] = {
    "schema": ({"type": "string"}, {"type": "integer"}),
    "property": ({"properties": {"a": {"type": "string"}}}, {"properties": {"a": {}}}),
    "parameter": (
        {"name": "p", "in": "query", "schema": {"type": "string"}},
        {"name": "p", "in": "query", "required": True, "schema": {"type": "string"}},
    ),
    "header": ({"schema": {"type": "string"}}, {"schema": {"type": "integer"}}),
    "response": (
        {"description": "d", "content": {JSON: {"schema": {"type": "string"}}}},
        {"description": "d", "content": {JSON: {"schema": {"type": "integer"}}}},
    ),
    "request-body": (
        {"content": {JSON: {"schema": {"type": "string"}}}},
        {"content": {JSON: {"schema": {"type": "integer"}}}},
    ),
    "example": ({"value": 1}, {"value": 2}),
    "link": ({"operationId": "op"}, {"operationId": "other"}),
    "callback": (
        {"{$request.body#/u}": {"post": answering("string")}},
        {"{$request.body#/u}": {"post": answering("integer")}},
    ),
    "path-item": (
        {"get": answering("string")},
        {"get": answering("integer")},
    ),
    "operation": (
        answering("string"),
        answering("integer"),
    ),
    "security-scheme": (
        {"type": "http", "scheme": "bearer"},
        {"type": "http", "scheme": "basic"},
    ),
    "text": ("words", "other words"),
    "parameters": (
        [{"name": "p", "in": "query", "schema": {"type": "string"}}],
        [{"name": "q", "in": "query", "schema": {"type": "string"}}],
    ),
    "properties": ({"a": {"type": "string"}}, {"a": {"type": "integer"}}),
    "schemas": ({"S": {"type": "string"}}, {"S": {"type": "integer"}}),
    "paths": (
        {"/x": {"get": answering("string")}},
        {"/x": {"get": answering("integer")}},
    ),
}


def operation(**keys: Any) -> dict[str, Any]:
    return {"paths": {"/x": {"post": {"responses": {"200": {"description": "d"}}, **keys}}}}


def response(**keys: Any) -> dict[str, Any]:
    return operation(responses={"200": {"description": "d", **keys}})


def body(schema: Any) -> dict[str, Any]:
    return response(content={JSON: {"schema": schema}})


def positions(ref: dict[str, str]) -> dict[str, tuple[str, Any]]:
    """Return every position of a reference, with the kind of its target."""
    address = ref["$ref"]
    schemas = {
        **dict.fromkeys(("items", "additionalProperties", "propertyNames", "contains"), ref),
        **dict.fromkeys(("not", "if", "then", "else", "unevaluatedItems"), ref),
        **dict.fromkeys(("unevaluatedProperties", "contentSchema"), ref),
        **{key: [ref] for key in ("allOf", "oneOf", "anyOf", "prefixItems")},
        **{key: {"a": ref} for key in ("patternProperties", "dependentSchemas", "$defs")},
    }
    beside: dict[str, Any] = {"then": {"if": {}}, "else": {"if": {}}}
    components = {
        "schemas": "schema",
        "responses": "response",
        "parameters": "parameter",
        "examples": "example",
        "requestBodies": "request-body",
        "headers": "header",
        "securitySchemes": "security-scheme",
        "links": "link",
        "callbacks": "callback",
        "pathItems": "path-item",
    }
    tagged = {"oneOf": [{"$ref": "#/components/schemas/A"}]}
    return {
        **{
            f"schema {key}": ("schema", body({key: below, **beside.get(key, {})}))
            for key, below in schemas.items()
        },
        **{
            f"components {section}": (kind, {"components": {section: {"C": ref}}})
            for section, kind in components.items()
        },
        "media type": ("schema", body(ref)),
        "property": ("schema", body({"properties": {"a": ref}})),
        "with siblings": ("schema", body({**ref, "minLength": 1})),
        "parameter": ("parameter", operation(parameters=[ref])),
        "path parameter": ("parameter", {"paths": {"/x": {"parameters": [ref], "get": {}}}}),
        "parameter schema": (
            "schema",
            operation(parameters=[{"name": "p", "in": "query", "schema": ref}]),
        ),
        "parameter content": (
            "schema",
            operation(
                parameters=[{"name": "p", "in": "query", "content": {JSON: {"schema": ref}}}]
            ),
        ),
        "request body": ("request-body", operation(requestBody=ref)),
        "response": ("response", operation(responses={"200": ref})),
        "default response": ("response", operation(responses={"default": ref})),
        "header": ("header", response(headers={"H": ref})),
        "header schema": ("schema", response(headers={"H": {"schema": ref}})),
        "encoding header": (
            "header",
            response(content={JSON: {"encoding": {"a": {"headers": {"H": ref}}}}}),
        ),
        "example": ("example", response(content={JSON: {"examples": {"e": ref}}})),
        "link": ("link", response(links={"l": ref})),
        "callback": ("callback", operation(callbacks={"c": ref})),
        "callback path": ("path-item", operation(callbacks={"c": {"{$url}": ref}})),
        "path": ("path-item", {"paths": {"/x": ref}}),
        "path with siblings": ("path-item", {"paths": {"/x": {**ref, "summary": "s"}}}),
        "webhook": ("path-item", {"webhooks": {"w": ref}}),
        "x-webhook": ("path-item", {"x-webhooks": {"w": ref}}),
        "mapping": (
            "schema",
            {
                "components": {
                    "schemas": {
                        "A": {"type": "object"},
                        "B": {
                            **tagged,
                            "discriminator": {"propertyName": "k", "mapping": {"a": address}},
                        },
                    }
                }
            },
        ),
        # not places for references in OpenAPI, but other tools follow them there
        "operation": ("operation", {"paths": {"/x": {"get": ref}}}),
        "description": ("text", operation(description=ref)),
        "extension": ("properties", operation(**{"x-code": [ref]})),
        "example value": ("text", response(content={JSON: {"example": ref}})),
        "list": ("parameters", operation(parameters=ref)),
        "map": ("properties", body({"properties": ref})),
        "section": ("schemas", {"components": {"schemas": ref}}),
        "paths": ("paths", {"paths": ref}),
    }


POSITIONS = tuple(positions({"$ref": ""}))


def write_files(folder: Path, files: dict[str, Any]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=1) if name.endswith(".json") else content)
    return folder / next(iter(files))


def bundle_files(path: Path) -> dict[str, Any]:
    return open_document(path, path.name, Readings()).content


def differences(tmp_path: Path, before: Path, after: Path) -> list[tuple[str, str]]:
    """Return the rule of each difference, and the file in *tmp_path* with it."""
    found, _ = compare(tmp_path / "none", tmp_path / "none", str(before), str(after))
    places = [one.after_source or one.before_source for one in found]
    return [
        (one.rule, Path(place.file).relative_to(tmp_path).as_posix() if place else "")
        for one, place in zip(found, places, strict=True)
    ]


@cases(("number", "position"), [*enumerate(POSITIONS)])
def test_difference_in_another_file_is_found_behind_every_reference(
    tmp_path: Path, number: int, position: str
) -> None:
    # the reader of the other file doesn't know the position
    form, root = ("json", "yaml")[number % 2], ("mapping", "list")[number // 2 % 2]
    path = "/1/%63" if root == "list" else "/a~1b/%63"
    kind, parts = positions({"$ref": f"parts/there.{form}#{path}"})[position]
    sides = []
    for side, value in zip(
        ("before", "same", "after"), (*KINDS[kind][:1], *KINDS[kind]), strict=True
    ):
        there = ["", {"c": value}] if root == "list" else {"a/b": {"c": value}}
        text = yaml.safe_dump(there) if form == "yaml" else there
        files = {"openapi.json": {**HEAD, **parts}, f"parts/there.{form}": text}
        sides.append(write_files(tmp_path / side, files))
    before, same, after = sides
    assert differences(tmp_path, before, same) == []
    found = differences(tmp_path, before, after)
    # a value that is not compared inside is reported at the reference
    unjudged = position in ("link", "extension")
    assert f"after/{'openapi.json' if unjudged else f'parts/there.{form}'}" in {
        file for _, file in found
    }


# The schemas of bodies with lists in separate files, and the content of the lists.
LISTS: dict[str, tuple[Any, list[Any]]] = {
    "enum": ({"enum": {"$ref": "list.json"}}, ["a", "b"]),
    "allOf": ({"allOf": {"$ref": "list.json"}}, [{"type": "string"}, {"maxLength": 5}]),
    "required": ({"required": {"$ref": "list.json"}}, ["a"]),
    "a part of a list": ({"oneOf": [{"$ref": "list.json#/0"}, {}]}, [{"type": "string"}]),
    "a list in a list": ({"enum": {"$ref": "list.json#/0"}}, [["a", "b"]]),
}


@cases("form", ["json", "flow", "block"])
@cases("name", LISTS)
def test_file_may_contain_a_list(tmp_path: Path, name: str, form: str) -> None:
    schema, listed = LISTS[name]
    text = yaml.safe_dump(listed, default_flow_style=form == "flow")
    other = {"list.json" if form == "json" else "list.yaml": listed if form == "json" else text}
    document = json.dumps({**HEAD, **body(schema)})
    path = write_files(
        tmp_path,
        {
            "openapi.yaml": document.replace("list.json", next(iter(other))),
            **other,
        },
    )
    for readings in (None, Readings()):
        content = open_document(path, path.name, readings).content
        found = content["paths"]["/x"]["post"]["responses"]["200"]["content"][JSON]["schema"]
        (key,) = schema
        expected = listed[0] if name == "a list in a list" else listed
        if name == "a part of a list":
            (component,) = content["components"]["schemas"].values()
            assert (len(found["oneOf"]), component) == (2, listed[0])
        else:
            assert found[key] == expected


def test_lists_of_parameters_become_parameters_of_each_operation(tmp_path: Path) -> None:
    listed = [{"name": name, "in": "query", "schema": {"$ref": "schemas.yaml#/0"}} for name in "ab"]
    files = {
        "parameters.json": listed,
        "schemas.yaml": "- { type: string }\n- { type: integer }\n",
    }
    alone = operation(parameters=[{"$ref": "parameters.json#/1"}, {"$ref": "parameters.json#/0"}])
    whole = operation(parameters={"$ref": "parameters.json"})
    for number, parts in enumerate((alone, whole)):
        path = write_files(tmp_path / str(number), {"openapi.json": {**HEAD, **parts}, **files})
        api = tmp_path / f"schemas{number}"
        adopt((f"2025-01-01={path}",), api)
        (contract,) = read_back(api)
        operation_of = contract["paths"]["/x"]["post"]
        names = [chain(contract, each)[-1]["name"] for each in operation_of["parameters"]]
        assert sorted(names) == ["a", "b"]


ADDRESSES = {
    "https://example.com/a.json": "reference-remote",
    "file:///etc/hosts.json": "reference-remote",
    "ftp://example.com/a.json": "reference-remote",
    "//example.com/a.json": "reference-remote",
    "urn:example:a": "reference-remote",
    "there.json?v=1": "reference-remote",
    "/etc/a.json": "reference-outside",
    "%2Fetc/a.json": "reference-outside",
    "../outside.json": "reference-outside",
    "parts/../../outside.json": "reference-outside",
    "%2e%2e/outside.json": "reference-outside",
    "missing.json": "reference-unreadable",
    "parts": "reference-unreadable",
    "folder.json": "reference-unreadable",
    "linked.json": "reference-unreadable",
    "circular.json": "reference-unreadable",
    "a%00b.json": "reference-unreadable",
    "there.json#/nowhere": "reference-dangling",
    "there.json#/list/7": "reference-dangling",
    "there.json#anchor": "reference-dangling",
    "there.json#/round": "reference-circular",
    "there.json#/text/deeper": "reference-dangling",
}


# References that matter to no value, because nothing uses these components.
DECIDES_NOTHING = frozenset(
    {
        *(position for position in POSITIONS if position.startswith("components ")),
        *("example", "example value", "link", "mapping", "description", "extension", "section"),
    }
)


@cases(("number", "address"), [*enumerate(ADDRESSES)])
def test_unreadable_reference_is_refused_if_a_value_depends_on_it(
    tmp_path: Path, number: int, address: str
) -> None:
    home = tmp_path / "api"
    there = {"list": [], "round": {"$ref": "#/round"}, "text": "t"}
    write_files(home, {"there.json": there, "folder.json/a.json": {}})
    write_files(tmp_path, {"outside.json": {"type": "string"}})
    (home / "parts").mkdir()
    (home / "linked.json").symlink_to(tmp_path / "outside.json")
    (home / "circular.json").symlink_to("circular.json")
    # each address at every fourth position, or at all
    step = 4 // scale(4)
    for position, (_, parts) in [*positions({"$ref": address}).items()][number % step :: step]:
        path = write_files(home, {"openapi.json": {**HEAD, **parts}})
        if position in DECIDES_NOTHING:
            assert bundle_files(path) == {**HEAD, **parts}, position
            continue
        lines = path.read_text().splitlines()
        with pytest.raises(SourceError) as refused:
            bundle_files(path)
        found = [
            (one.id, lines[one.place.line - 1].count(address)) for one in refused.value.problems
        ]
        assert found == [(ADDRESSES[address], 1)], position


def test_data_of_an_api_may_look_like_a_reference(tmp_path: Path) -> None:
    parts = response(content={JSON: {"example": {"$ref": "https://example.com/a.json"}}})
    document = {**HEAD, **parts}
    assert bundle_files(write_files(tmp_path, {"openapi.json": document})) == document


FILES = {
    "openapi.yaml": """\
openapi: 3.1.0
info: { title: T, version: '1' }
paths:
  /pets: { $ref: paths/pets.yaml }
  /owners:
    get:
      responses:
        '200': { $ref: 'paths/pets.yaml#/get/responses/200' }
components:
  schemas:
    Owner: { $ref: schemas/owner.json }
    Alias: { $ref: '#/components/schemas/Owner' }
    pet: { type: string }
""",
    "paths/pets.yaml": """\
get:
  responses:
    '200':
      description: Pets.
      content:
        application/json:
          schema: { $ref: '../schemas/pet.yaml#/' }
    '404':
      description: None.
      content:
        application/json:
          schema: { $ref: '../openapi.yaml#/components/schemas/pet' }
""",
    "schemas/pet.yaml": """\
type: object
properties:
  owner: { $ref: ./owner.json }
  toy: { $ref: '#/x-toy' }
  name: { $ref: '#/properties/toy/properties/name' }
  parent: { $ref: pet.yaml }
x-toy: { properties: { name: { type: string } } }
""",
    "schemas/owner.json": {
        "properties": {"pets": {"type": "array", "items": {"$ref": "pet.yaml"}}}
    },
}


def test_files_that_refer_to_each_other_make_one_document(tmp_path: Path) -> None:
    document = bundle_files(write_files(tmp_path, FILES))
    answer = {"description": "Pets.", "content": {JSON: {"schema": refers("schemas_pet")}}}
    none = {"description": "None.", "content": {JSON: {"schema": refers("pet")}}}
    toy = {"properties": {"name": {"type": "string"}}}
    assert document == {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {
            "/pets": {"get": {"responses": {"200": answer, "404": none}}},
            "/owners": {"get": {"responses": {"200": refers("200", "responses")}}},
        },
        "components": {
            "schemas": {
                "Owner": {
                    "properties": {"pets": {"type": "array", "items": refers("schemas_pet")}}
                },
                "Alias": refers("Owner"),
                "pet": {"type": "string"},
                "schemas_pet": {
                    "type": "object",
                    "properties": {
                        "owner": refers("Owner"),
                        "toy": refers("x-toy"),
                        "name": refers("name"),
                        "parent": refers("schemas_pet"),
                    },
                    "x-toy": toy,
                },
                "name": {"type": "string"},
                "x-toy": toy,
            },
            "responses": {"200": answer},
        },
    }


def refers(name: str, section: str = "schemas") -> dict[str, str]:
    return {"$ref": f"#/components/{section}/{name}"}


def test_places_are_those_in_the_files(tmp_path: Path) -> None:
    document = open_document(write_files(tmp_path, FILES), "api/openapi.yaml", Readings())
    assert [
        str(document.place(pointer))
        for pointer in (
            "/paths/~1pets",
            "/paths/~1pets/get/responses/404/description",
            "/paths/~1owners/get",
            "/components/schemas/Owner/properties/pets/type",
            "/components/schemas/schemas_pet/properties/toy/type",
            "/components/schemas/pet/type",
        )
    ] == [
        "api/paths/pets.yaml:1:1",
        "api/paths/pets.yaml:9:7",
        "api/openapi.yaml:6:5",
        "api/schemas/owner.json:4:4",
        "api/schemas/pet.yaml:4:3",
        "api/openapi.yaml:13:12",
    ]


def test_single_file_and_several_are_the_same_api(tmp_path: Path) -> None:
    several = write_files(tmp_path / "several", FILES)
    document = bundle_files(several)
    one = write_files(tmp_path / "one", {"openapi.json": document})
    assert differences(tmp_path, several, one) == []
    assert differences(tmp_path, one, several) == []


def test_link_may_refer_to_an_operation_in_another_file(tmp_path: Path) -> None:
    link = {"operationRef": "more.json#/paths/~1y/get"}
    more = {"paths": {"/y": {"get": answering("string")}}}
    files = {"openapi.json": {**HEAD, **response(links={"l": link})}, "more.json": more}
    document = bundle_files(write_files(tmp_path / "before", files))
    responses = document["paths"]["/x"]["post"]["responses"]
    assert responses["200"]["links"]["l"] == {"operationRef": "#/components/pathItems/_y/get"}
    more["paths"]["/y"]["get"]["responses"] = {"201": {"description": "d"}}
    write_files(tmp_path / "after", files)
    found = differences(tmp_path, tmp_path / "before/openapi.json", tmp_path / "after/openapi.json")
    assert "after/more.json" in {file for _, file in found}


def test_references_between_files_can_not_grow_exponentially(tmp_path: Path) -> None:
    files: dict[str, Any] = {"openapi.json": {**HEAD, "x-a": {"$ref": "0.json"}}}
    for level in range(20):
        files[f"{level}.json"] = {str(at): {"$ref": f"{level + 1}.json"} for at in range(10)}
    # many values in one file are counted faster than many references
    files["20.json"] = {str(at): at for at in range(50_000)}
    with pytest.raises(SourceError, match="too-large"):
        bundle_files(write_files(tmp_path, files))


def test_files_can_not_be_nested_endlessly(tmp_path: Path) -> None:
    files: dict[str, Any] = {"openapi.json": {**HEAD, "x-a": {"$ref": "0.json"}}}
    for level in range(100):
        files[f"{level}.json"] = {"below": {"$ref": f"{level + 1}.json"}}
    files["100.json"] = {"end": True}
    with pytest.raises(SourceError, match="too-deep"):
        bundle_files(write_files(tmp_path, files))


def test_extension_may_refer_to_its_container(tmp_path: Path) -> None:
    ref = {"$ref": "0.json"}
    files: dict[str, Any] = {"openapi.json": {**HEAD, "x-a": ref, "x-b": {"c": [ref]}}}
    files["0.json"] = {"below": {"$ref": "1.json"}, "x": 1}
    files["1.json"] = {"above": ref, "self": {"$ref": "1.json"}}
    write_files(tmp_path / "before", files)
    inner = {"below": {"above": ref, "self": {"$ref": "1.json"}}, "x": 1}
    content = bundle_files(tmp_path / "before/openapi.json")
    assert content == {**HEAD, "x-a": inner, "x-b": {"c": [inner]}}
    files["0.json"]["x"] = 2
    sides = tmp_path / "before/openapi.json", write_files(tmp_path / "after", files)
    assert [rule for rule, _ in differences(tmp_path, *sides)] == ["extension-changed"] * 2
    # each is written out once, however many lead to each other
    many = {f"{at}.json": {str(to): {"$ref": f"{to}.json"} for to in range(30)} for at in range(30)}
    content = bundle_files(
        write_files(tmp_path / "many", {"openapi.json": {**HEAD, "x-a": ref}, **many})
    )
    assert json.dumps(content).count('"29"') == 30


PET = {"type": "object", "properties": {"name": {"type": "string"}}}
TOY = {"type": "object", "properties": {"sound": {"type": "integer"}}}
TOYS = {"properties": {"toy": {"$ref": "toys.json#/Pet"}}}


def of_pets(address: str, **more: Any) -> dict[str, Any]:
    """Return a document in which `/x` answers with the schema at *address*."""
    return {**HEAD, **body({"$ref": address}), **more}


def changes(tmp_path: Path, before: dict[str, Any], after: dict[str, Any]) -> set[tuple[str, str]]:
    """Return the rules and fields of all differences between the files of two documents."""
    sides = [write_files(tmp_path / "before", before), write_files(tmp_path / "after", after)]
    found, _ = compare(tmp_path / "none", tmp_path / "none", *map(str, sides))
    return {(one.rule, one.field or "") for one in found}


# Ways in which a generated component name changes, or collides with another name.
SHIFTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "another file with the same stem": (
        {"openapi.json": of_pets("defs.json#/Pet"), "defs.json": {"Pet": PET}},
        {
            "openapi.json": of_pets("defs.json#/Pet", components={"schemas": {"Box": TOYS}}),
            "defs.json": {"Pet": PET},
            "toys.json": {"Pet": TOY},
        },
    ),
    "a file in another folder": (
        {"openapi.json": of_pets("Pet.json"), "Pet.json": PET},
        {"openapi.json": of_pets("schemas/Pet.json"), "schemas/Pet.json": PET},
    ),
    "another name in the file": (
        {"openapi.json": of_pets("defs.json#/Pet"), "defs.json": {"Pet": PET}},
        {"openapi.json": of_pets("defs.json#/Animal"), "defs.json": {"Animal": PET}},
    ),
}


def clashing() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return two equivalent files; in the second, another schema takes the generated name."""
    own = {"components": {"schemas": {"Pet": TOY}}}
    return (
        {"openapi.json": of_pets("defs.json#/Pet"), "defs.json": {"Pet": PET}},
        {"openapi.json": of_pets("defs.json#/Pet", **own), "defs.json": {"Pet": PET}},
    )


@pytest.mark.parametrize("shift", SHIFTS)
def test_change_of_a_generated_name_is_no_change(tmp_path: Path, shift: str) -> None:
    before, after = SHIFTS[shift]
    came, went = set(), set()
    if "toys.json" in after:
        came, went = {("component-added", "")}, {("component-removed", "")}
    assert changes(tmp_path / "there", before, after) == came
    assert changes(tmp_path / "back", after, before) == went


def test_component_may_have_the_generated_name(tmp_path: Path) -> None:
    before, after = clashing()
    assert changes(tmp_path / "there", before, after) == {("component-added", "")}
    assert changes(tmp_path / "back", after, before) == {("component-removed", "")}


@cases("shift", [*SHIFTS, "clash"])
def test_edit_is_reported_whatever_the_generated_name(tmp_path: Path, shift: str) -> None:
    before, after = clashing() if shift == "clash" else SHIFTS[shift]
    text = json.dumps(after).replace('"name": {"type": "string"}', '"name": {"type": "integer"}')
    assert ("type-changed", "name") in changes(tmp_path / "there", before, json.loads(text))
    assert ("type-changed", "name") in changes(tmp_path / "back", json.loads(text), before)


def test_problems_of_both_sides_are_reported_together(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text('{"swagger": "1.2"}')
    (tmp_path / "other.json").write_text('{"openapi": "4.0.0"}')
    sides = [str(tmp_path / f"{name}.json") for name in ("one", "other")]
    for before, after in (sides, reversed(sides)):
        with pytest.raises(SourceError) as refused:
            compare(tmp_path, tmp_path, before, after)
        assert [one.place.file for one in refused.value.problems] == sides
    with pytest.raises(DatelineError) as unknown:
        compare(tmp_path, tmp_path, str(tmp_path / "none"), sides[0])
    reported = str(unknown.value).splitlines()
    assert (unknown.value.exit_code, len(reported), reported[1].split(":")[0]) == (3, 2, sides[0])


def test_all_documents_of_a_baseline_are_read_before_any_is_compared(tmp_path: Path) -> None:
    names = [f"spec/{name}/2024-01-15.json" for name in ("production", "sandbox")]
    write_files(tmp_path / "old", {name: {"swagger": "1.2"} for name in names})
    with pytest.raises(SourceError) as refused:
        compare(tmp_path, tmp_path, str(tmp_path / "old"), str(tmp_path / "old"))
    assert [one.place.file for one in refused.value.problems] == [
        str(tmp_path / "old" / name) for name in names
    ]


SELF = "https://api.example.com/v1/openapi.yaml"


@pytest.mark.parametrize(
    ("reference", "meant"),
    [
        (f"{SELF}#/components/schemas/Pet", "Pet"),
        ("https://api.example.com/v1/more/parts.yaml#/Pet", "more_parts_Pet"),
        # by the address that the other file has by itself
        ("more/library.yaml#/Named", "more_library_Pet"),
        ("more/library.yaml#/Beside", "more_parts_Pet"),
    ],
)
def test_reference_with_the_address_of_the_document_is_local(
    tmp_path: Path, reference: str, meant: str
) -> None:
    library = """\
$self: https://library.example/v2/library.yaml
Named: { $ref: 'https://library.example/v2/library.yaml#/Pet' }
Beside: { $ref: 'https://library.example/v2/parts.yaml#/Pet' }
Pet: { type: string }
"""
    document = bundle_files(
        write_files(
            tmp_path,
            {
                "openapi.json": {
                    "openapi": "3.2.0",
                    "$self": SELF,
                    "info": {"title": "T", "version": "1"},
                    "components": {
                        "schemas": {"Pet": {"type": "object"}, "Any": {"not": {"$ref": reference}}}
                    },
                },
                "more/parts.yaml": "Pet: { type: string }",
                "more/library.yaml": library,
            },
        )
    )
    schemas = document["components"]["schemas"]
    assert schemas["Any"] == {"not": refers(meant)}
    assert schemas[meant]["type"] == ("object" if meant == "Pet" else "string")


@pytest.mark.parametrize(
    "reference", ["https://api.example.com/v2/openapi.yaml#/a", "https://other.example/v1/x.yaml"]
)
def test_reference_to_another_address_is_refused(tmp_path: Path, reference: str) -> None:
    found = {"openapi": "3.2.0", "$self": SELF, "info": {}, **body({"$ref": reference})}
    with pytest.raises(SourceError, match="reference-remote"):
        bundle_files(write_files(tmp_path, {"openapi.json": found}))


@cases("readings", [None, Readings()], ids=["adopted", "compared"])
@cases("file", ["value.json", "value.yaml"])
@cases("section", ["schema", "example", "media", "link", "server"])
def test_complete_file_may_be_a_value(
    tmp_path: Path, section: str, file: str, readings: Readings | None
) -> None:
    ref, value = {"$ref": file}, {"a": {"b": 1}}

    def document(of: Any) -> dict[str, Any]:
        schema = {"default": of, "const": of, "enum": [of], "examples": [of], "x-a": of}
        media = {"example": of, "examples": {"e": {"value": of}}}
        link = {"operationId": "o", "parameters": {"p": of}, "requestBody": of}
        return {
            "schema": {"components": {"schemas": {"A": schema}}},
            "example": {"components": {"examples": {"E": {"value": of, "x-a": of}}}},
            "media": response(content={JSON: {"schema": {}, **media}}),
            "link": {"components": {"links": {"L": link}}},
            "server": {"servers": [{"url": "/", "x-a": of}], "x-a": of},
        }[section]

    files = {file: value if file.endswith(".json") else json.dumps(value)}
    path = write_files(tmp_path, {"openapi.json": {**HEAD, **document(ref)}, **files})
    opened = open_document(path, path.name, readings)
    assert opened.content == {**HEAD, **document(value)}
    assert find_wrong_types(opened) == []
