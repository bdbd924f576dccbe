"""The fragments in ``schemas/``, joined as they are, form one valid OpenAPI 3.1 document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from openapi_spec_validator import OpenAPIV31SpecValidator

SCHEMAS = Path(__file__).parents[2] / "schemas"


class _TextDates(yaml.CSafeLoader):
    """Loads dates as text, as OpenAPI wants them."""


_TextDates.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def fragments() -> dict[str, Any]:
    return {
        path.name: yaml.load(path.read_text(encoding="utf-8"), _TextDates)
        for path in sorted(SCHEMAS.glob("*.yaml"))
        if path.name not in ("versions.yaml", "waivers.yaml")
    }


def join_fragments(into: dict[str, Any], fragment: dict[str, Any], at: str = "") -> dict[str, Any]:
    """Join down to single paths and components; duplicates are an error."""
    for key, value in fragment.items():
        here = f"{at}/{key}"
        if key not in into:
            into[key] = value
        elif here in ("/paths", "/components") or at == "/components":
            join_fragments(into[key], value, here)
        else:
            raise AssertionError(f"{here} is defined in two files")
    return into


def union() -> dict[str, Any]:
    document: dict[str, Any] = {}
    for fragment in fragments().values():
        join_fragments(document, fragment)
    return document


def test_joined_fragments_are_a_valid_document() -> None:
    errors = OpenAPIV31SpecValidator(union()).iter_errors()
    assert [error.message for error in errors] == []


def test_only_one_file_has_more_than_paths_and_components() -> None:
    heads = [
        name
        for name, fragment in fragments().items()
        if not fragment.keys() <= {"paths", "components"}
    ]
    assert heads == ["api.yaml"]


def test_every_tag_of_an_operation_is_declared() -> None:
    document = union()
    declared = [tag["name"] for tag in document["tags"]]
    named = {
        tag
        for item in document["paths"].values()
        for operation in item.values()
        if isinstance(operation, dict)
        for tag in operation.get("tags", [])
    }
    assert named - set(declared) == set()


def test_every_component_is_used() -> None:
    document = union()
    text = str(document)
    unused = [
        f"{section}/{name}"
        for section, components in document["components"].items()
        for name in components
        if section != "securitySchemes" and f"'#/components/{section}/{name}'" not in text
    ]
    assert unused == []


def test_fednow_is_gated_once() -> None:
    rails = union()["components"]["schemas"]["DepositRail"]["oneOf"]
    assert [(rail["$ref"], rail["x-added"]) for rail in rails if "x-added" in rail] == [
        ("#/components/schemas/FedNow", "2026-07-01")
    ]
    assert str(union()).count("'x-added'") == 1
