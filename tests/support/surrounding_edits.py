"""Edits of everything around the schemas of a document, and refactorings of a contract.

Each edit knows whether the list of additive changes includes it. Edits work in place.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from random import Random
from typing import Final, NamedTuple

from support.mutations import NOTES, examples_follow, is_text, require, scalar
from support.schema_sites import METHODS, Document, Schema, sites


class DocumentEdit(NamedTuple):
    """A change of a document outside of its schemas; it returns whether it was applicable."""

    name: str
    change: Callable[[Random, Document], bool]
    listed: bool


DOCUMENT_EDITS: Final[list[DocumentEdit]] = []
"""Every edit around the schemas that callers may notice."""

DocumentChange = Callable[[Random, Document], bool]


def _document_edit(*, listed: bool) -> Callable[[DocumentChange], DocumentChange]:
    def register(change: DocumentChange) -> DocumentChange:
        name = change.__name__.strip("_").replace("_", " ")
        DOCUMENT_EDITS.append(DocumentEdit(name, change, listed))
        return change

    return register


def _operations(document: Document, *, called: bool = True) -> Iterator[tuple[str, str, Schema]]:
    for path, item in document.get("paths" if called else "webhooks", {}).items():
        for method in METHODS:
            if method in item:
                yield path, method, item[method]


def _operation(random: Random, document: Document) -> Schema | None:
    found = list(_operations(document))
    return random.choice(found)[2] if found else None


def _own_parameters(random: Random, document: Document) -> list[Schema] | None:
    """Return the parameters of an operation that has inline ones."""
    found = [
        operation["parameters"]
        for _, _, operation in _operations(document)
        if any("$ref" not in each for each in operation.get("parameters", []))
    ]
    return random.choice(found) if found else None


def _parameter(
    random: Random, document: Document, *, required: bool | None = None
) -> Schema | None:
    """Return a parameter that isn't part of the path."""
    listed = [
        each
        for _, _, operation in _operations(document)
        for each in operation.get("parameters", [])
    ]
    listed += document.get("components", {}).get("parameters", {}).values()
    used = str(document.get("paths"))
    known = document.get("components", {}).get("parameters", {})
    found = [
        each
        for each in listed
        if each.get("in") in ("query", "header")
        and (required is None or each.get("required", False) is required)
        and (
            not any(
                each is one and f"parameters/{name}'" not in used for name, one in known.items()
            )
        )
    ]
    return random.choice(found) if found else None


def _response(random: Random, document: Document) -> Schema | None:
    found = [
        response
        for _, _, operation in _operations(document)
        for response in operation.get("responses", {}).values()
        if "$ref" not in response
    ]
    return random.choice(found) if found else None


@_document_edit(listed=True)
def _operation_added(_random: Random, document: Document) -> bool:
    made = {"operationId": "listShelves", "responses": {"200": {"description": "shelves"}}}
    document.setdefault("paths", {})["/shelves"] = {"get": made}
    return True


@_document_edit(listed=False)
def _operation_removed(random: Random, document: Document) -> bool:
    found = list(_operations(document))
    if not found:
        return False
    path, method, _ = random.choice(found)
    del document["paths"][path][method]
    return True


@_document_edit(listed=False)
def _webhook_added(_random: Random, document: Document) -> bool:
    schema = {"type": "object", "properties": {"id": {"type": "string"}}}
    made = {
        "operationId": "onShelf",
        "requestBody": {"content": {"application/json": {"schema": schema}}},
        "responses": {"200": {"description": "taken"}},
    }
    document.setdefault("webhooks", {})["shelf"] = {"post": made}
    return True


@_document_edit(listed=False)
def _callback_added(random: Random, document: Document) -> bool:
    operation = _operation(random, document)
    if operation is None:
        return False
    made = {"post": {"responses": {"204": {"description": "taken"}}}}
    operation.setdefault("callbacks", {})["done"] = {"{$request.query.url}": made}
    return True


@_document_edit(listed=False)
def _operation_id_changed(random: Random, document: Document) -> bool:
    operation = _operation(random, document)
    if operation is None or "operationId" not in operation:
        return False
    operation["operationId"] += "Again"
    return True


@_document_edit(listed=True)
def _optional_parameter_added(random: Random, document: Document) -> bool:
    operation = _operation(random, document)
    if operation is None:
        return False
    made = {"name": "shelf", "in": random.choice(("query", "header")), "schema": scalar(random)}
    operation["parameters"] = [*operation.get("parameters", []), made]
    return True


@_document_edit(listed=False)
def _required_parameter_added(random: Random, document: Document) -> bool:
    if not _optional_parameter_added(random, document):
        return False
    for _, _, operation in _operations(document):
        for each in operation.get("parameters", []):
            if each.get("name") == "shelf":
                each["required"] = True
    return True


@_document_edit(listed=False)
def _path_parameter_declared(random: Random, document: Document) -> bool:
    """Declare a path variable that accepted any text before."""
    found = list(_operations(document))
    for path, _, operation in random.sample(found, len(found)):
        known = [*document["paths"][path].get("parameters", []), *operation.get("parameters", [])]
        if "{" in path and not any(each.get("in") == "path" or "$ref" in each for each in known):
            name = path.split("{")[1].split("}")[0]
            made = {"name": name, "in": "path", "schema": {"type": "integer"}}
            operation["parameters"] = [*operation.get("parameters", []), made]
            return True
    return False


@_document_edit(listed=False)
def _parameter_removed(random: Random, document: Document) -> bool:
    listed = _own_parameters(random, document)
    found = [each for each in listed or [] if each.get("in") in ("query", "header")]
    if listed is None or not found:
        return False
    listed.remove(random.choice(found))
    return True


@_document_edit(listed=False)
def _parameter_renamed(random: Random, document: Document) -> bool:
    found = _parameter(random, document)
    if found is None:
        return False
    found["name"] += "_2"
    return True


@_document_edit(listed=False)
def _parameter_made_required(random: Random, document: Document) -> bool:
    found = _parameter(random, document, required=False)
    if found is None:
        return False
    found["required"] = True
    return True


@_document_edit(listed=True)
def _parameter_made_optional(random: Random, document: Document) -> bool:
    found = _parameter(random, document, required=True)
    if found is None:
        return False
    del found["required"]
    return True


@_document_edit(listed=False)
def _parameter_written_otherwise(random: Random, document: Document) -> bool:
    found = _parameter(random, document)
    if found is None or found["in"] != "query" or found.get("schema", {}).get("type") != "array":
        return False
    found["explode"] = not found.get("explode", True)
    return True


@_document_edit(listed=True)
def _error_response_added(random: Random, document: Document) -> bool:
    operation = _operation(random, document)
    if operation is None:
        return False
    status = random.choice(("409", "503", "429"))
    if status in operation["responses"]:
        return False
    schema = {"type": "object", "required": ["odd"], "properties": {"odd": {"type": "integer"}}}
    made: Schema = {"description": "an error"}
    if random.random() < 0.5:
        made["content"] = {"application/json": {"schema": schema}}
    operation["responses"][status] = made
    return True


@_document_edit(listed=False)
def _success_response_added(random: Random, document: Document) -> bool:
    operation = _operation(random, document)
    if operation is None or "202" in operation["responses"]:
        return False
    operation["responses"]["202"] = {"description": "later"}
    return True


@_document_edit(listed=False)
def _response_removed(random: Random, document: Document) -> bool:
    operation = _operation(random, document)
    if operation is None or len(operation["responses"]) < 2:
        return False
    del operation["responses"][random.choice(sorted(operation["responses"]))]
    return True


@_document_edit(listed=True)
def _response_header_added(random: Random, document: Document) -> bool:
    response = _response(random, document)
    if response is None:
        return False
    response.setdefault("headers", {})["X-Shelf"] = {"schema": {"type": "string"}}
    return True


@_document_edit(listed=False)
def _answer_header_added(random: Random, document: Document) -> bool:
    """Add a header to the answers of callers."""
    found = [
        response
        for _, _, operation in _operations(document, called=False)
        for response in operation["responses"].values()
    ]
    if not found:
        return False
    header = {"required": True, "schema": {"type": "string"}}
    random.choice(found).setdefault("headers", {})["X-Shelf"] = header
    return True


@_document_edit(listed=False)
def _response_header_removed(random: Random, document: Document) -> bool:
    response = _response(random, document)
    if response is None or not response.get("headers"):
        return False
    del response["headers"][random.choice(sorted(response["headers"]))]
    return True


@_document_edit(listed=False)
def _media_type_added(random: Random, document: Document) -> bool:
    response = _response(random, document)
    if response is None or not response.get("content"):
        return False
    response["content"]["text/csv"] = {"schema": {"type": "string"}}
    return True


@_document_edit(listed=False)
def _media_type_replaced(random: Random, document: Document) -> bool:
    response = _response(random, document)
    if response is None or not response.get("content"):
        return False
    name = sorted(response["content"])[0]
    response["content"]["application/xml"] = response["content"].pop(name)
    return True


@_document_edit(listed=False)
def _body_added(random: Random, document: Document) -> bool:
    operation = _operation(random, document)
    if operation is None or "requestBody" in operation:
        return False
    schema = {"type": "object", "properties": {"note": {"type": "string"}}}
    operation["requestBody"] = {"content": {"application/json": {"schema": schema}}}
    return True


@_document_edit(listed=False)
def _body_removed(random: Random, document: Document) -> bool:
    found = [each for _, _, each in _operations(document) if "requestBody" in each]
    if not found:
        return False
    del random.choice(found)["requestBody"]
    return True


@_document_edit(listed=False)
def _body_made_required(random: Random, document: Document) -> bool:
    found = [
        each["requestBody"]
        for _, _, each in _operations(document)
        if "requestBody" in each and "$ref" not in each["requestBody"]
    ]
    if not found:
        return False
    body = random.choice(found)
    body["required"] = not body.get("required", False)
    return True


@_document_edit(listed=False)
def _security_demanded(random: Random, document: Document) -> bool:
    operation = _operation(random, document)
    if operation is None:
        return False
    schemes = document.setdefault("components", {}).setdefault("securitySchemes", {})
    schemes["Shelf"] = {"type": "apiKey", "in": "header", "name": "X-Shelf-Key"}
    operation["security"] = [{"Shelf": []}]
    return True


@_document_edit(listed=True)
def _component_added(_random: Random, document: Document) -> bool:
    document.setdefault("components", {}).setdefault("schemas", {})["Shelf"] = {"type": "object"}
    return True


@_document_edit(listed=False)
def _reference_switched(random: Random, document: Document) -> bool:
    schemas = document.get("components", {}).get("schemas", {})
    found = [site.node for site in sites(document) if list(site.node) == ["$ref"]]
    if not found or len(schemas) < 2:
        return False
    node = random.choice(found)
    others = [name for name in sorted(schemas) if not node["$ref"].endswith(f"/{name}")]
    goal = random.choice(others)
    old = node["$ref"]
    node["$ref"] = f"#/components/schemas/{goal}"
    if schemas[goal] != schemas.get(old.rsplit("/", 1)[1]) and goal not in _circular(schemas):
        return True
    node["$ref"] = old
    return False


def _circular(schemas: Schema) -> set[str]:
    """Return the components that are recursive."""
    reached = {
        name: {other for other in schemas if f"/{other}'" in str(node)}
        for name, node in schemas.items()
    }
    for _ in schemas:
        for name, others in reached.items():
            reached[name] = others.union(*(reached[other] for other in others))
    return {name for name, others in reached.items() if name in others}


# Refactorings, which change no contract


REFACTORINGS: Final[list[DocumentEdit]] = []
"""Every edit that writes the same contract in another way."""


def _refactoring(change: DocumentChange) -> DocumentChange:
    REFACTORINGS.append(DocumentEdit(change.__name__.strip("_").replace("_", " "), change, True))
    return change


_GATES: Final = frozenset({"x-added", "x-removed", "x-was", "x-shown-as", "x-environments"})


def _some(random: Random, found: list[Schema]) -> Schema | None:
    """Return one of *found*; in sources, one that is the same in all versions."""
    left = [node for node in found if _GATES.isdisjoint(node)]
    return random.choice(left) if left else None


def _become(node: Schema, made: Schema) -> bool:
    node.clear()
    node.update(made)
    return True


@_refactoring
def _wrapped_in_all_of(random: Random, document: Document) -> bool:
    node = _some(random, [site.node for site in sites(document)])
    return node is not None and _become(node, {"allOf": [dict(node)]})


@_refactoring
def _wrapped_in_a_union_of_one(random: Random, document: Document) -> bool:
    node = _some(random, [site.node for site in sites(document) if list(site.node) == ["$ref"]])
    if node is None or "discriminator" in str(document):
        return False
    return _become(node, {"oneOf": [dict(node)]})


@_refactoring
def _extracted(random: Random, document: Document) -> bool:
    """Turn an inline schema into a component."""
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    node = _some(
        random,
        [
            site.node
            for site in sites(document)
            if not site.component and "$ref" not in site.node and "const" not in site.node
        ],
    )
    if node is None:
        return False
    name = f"Extracted{len(schemas)}"
    schemas[name] = dict(node)
    return _become(node, {"$ref": f"#/components/schemas/{name}"})


@_refactoring
def _inlined(random: Random, document: Document) -> bool:
    """Inline a component at one reference to it; it remains a component."""
    schemas = document.get("components", {}).get("schemas", {})
    tagged = {
        id(member)
        for site in sites(document)
        if "discriminator" in site.node
        for key in ("oneOf", "anyOf")
        for member in site.node.get(key, [])
    }
    node = _some(
        random,
        [
            site.node
            for site in sites(document)
            if list(site.node) == ["$ref"] and id(site.node) not in tagged
        ],
    )
    if node is None:
        return False
    name = node["$ref"].rsplit("/", 1)[1]
    if name not in schemas or str(document).count(f"/{name}'") < 2:
        return False  # no version shows a component without references
    return _become(node, copy.deepcopy(schemas[name]))


_UNORDERED: Final = ("required", "enum", "oneOf", "anyOf", "allOf", "type", "x-extensible-enum")


@_refactoring
def _reordered(random: Random, document: Document) -> bool:
    for site in sites(document):
        entries = list(site.node.items())
        random.shuffle(entries)
        _become(site.node, dict(entries))
        for key in _UNORDERED:
            if isinstance(site.node.get(key), list):
                site.node[key] = random.sample(site.node[key], len(site.node[key]))
        if "x-extensible-enum" in site.node:
            examples_follow(site.node)
        if "properties" in site.node:
            fields = list(site.node["properties"].items())
            random.shuffle(fields)
            site.node["properties"] = dict(fields)
    return True


@_refactoring
def _split_into_parts(random: Random, document: Document) -> bool:
    """Move some fields of an object into another of its parts."""
    node = _some(
        random,
        [
            site.node
            for site in sites(document)
            if len(site.node.get("properties", {})) > 1
            and not {"additionalProperties", "$ref"} & site.node.keys()
        ],
    )
    if node is None:
        return False
    name = random.choice(sorted(node["properties"]))
    part: Schema = {"type": "object", "properties": {name: node["properties"].pop(name)}}
    if name in node.get("required", []):
        part["required"] = [name]
        require(node, [each for each in node["required"] if each != name])
    node["allOf"] = [*node.get("allOf", []), part]
    return True


@_refactoring
def _values_written_out(random: Random, document: Document) -> bool:
    node = _some(
        random,
        [
            site.node
            for site in sites(document)
            if isinstance(site.node.get("enum"), list)
            and is_text(site.node["enum"])
            and not {"oneOf", "nullable"} & site.node.keys()
        ],
    )
    if node is None:
        return False
    node["oneOf"] = [{"const": value} for value in node.pop("enum")]
    return True


@_refactoring
def _constant_written_as_values(random: Random, document: Document) -> bool:
    node = _some(
        random, [site.node for site in sites(document) if isinstance(site.node.get("const"), str)]
    )
    if node is None:
        return False
    node["enum"] = [node.pop("const")]
    return True


@_refactoring
def _type_written_as_list(random: Random, document: Document) -> bool:
    node = _some(
        random, [site.node for site in sites(document) if isinstance(site.node.get("type"), str)]
    )
    if node is None or document["openapi"].startswith("3.0"):
        return False
    node["type"] = [node["type"]]
    return True


@_refactoring
def _null_written_as_member(random: Random, document: Document) -> bool:
    node = _some(
        random,
        [
            site.node
            for site in sites(document)
            if isinstance(site.node.get("type"), list)
            and len(site.node["type"]) == 2
            and "null" in site.node["type"]
            # null matters in `not` and `if` as well
            and {"enum", "not", "if"}.isdisjoint(site.node)
        ],
    )
    if node is None:
        return False
    kind = next(each for each in node["type"] if each != "null")
    return _become(node, {"anyOf": [{**node, "type": kind}, {"type": "null"}]})


@_refactoring
def _raised_to_3_1(_random: Random, document: Document) -> bool:
    """Convert a 3.0 document to 3.1."""
    if not document["openapi"].startswith("3.0"):
        return False
    document["openapi"] = "3.1.0"
    for site in sites(document):
        node = site.node
        for bound in ("Minimum", "Maximum"):
            if node.get(f"exclusive{bound}") is True and bound.lower() in node:
                node[f"exclusive{bound}"] = node.pop(bound.lower())
        if node.pop("nullable", False):
            # inside of `not`, this would refuse null
            if isinstance(node.get("type"), str) and not {"enum", "not"} & node.keys():
                node["type"] = [node["type"], "null"]
            else:
                _become(node, {"anyOf": [dict(node), {"type": "null"}]})
    return True


@_refactoring
def _bound_written_as_fraction(random: Random, document: Document) -> bool:
    node = _some(random, [site.node for site in sites(document) if "maximum" in site.node])
    if node is None or not isinstance(node["maximum"], int):
        return False
    node["maximum"] = float(node["maximum"])
    return True


@_refactoring
def _parameters_written_once(random: Random, document: Document) -> bool:
    """Move a parameter of an operation to its path."""
    found = [
        (document["paths"][path], operation)
        for path, _, operation in _operations(document)
        if "parameters" in operation and sum(key in METHODS for key in document["paths"][path]) == 1
    ]
    if not found:
        return False
    item, operation = random.choice(found)
    if "parameters" in item:
        return False
    item["parameters"] = operation.pop("parameters")
    return True


@_refactoring
def _described(random: Random, document: Document) -> bool:
    for site in sites(document):
        if random.random() < 0.5:
            random.choice(NOTES).change(random, site.node)
    return True
