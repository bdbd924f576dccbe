"""Components are used in some direction: an extension of a discriminated schema like its base."""

from __future__ import annotations

from typing import Any, Final

from support.tables import cases

from dateline.model import Contract
from dateline.schema.usage import Ways

PET: Final = {"$ref": "#/components/schemas/Pet"}
MAPPING: Final = {"cat": "#/components/schemas/Cat", "lion": "#/components/schemas/Lion"}


def contract(mapping: dict[str, str], operation: dict[str, Any], section: str) -> Contract:
    schemas = {
        "Pet": {"type": "object", "discriminator": {"propertyName": "k", **mapping}},
        "Cat": {"allOf": [PET, {"$ref": "#/components/schemas/Claws"}]},
        "Lion": {"allOf": [{"$ref": "#/components/schemas/Cat"}]},
        "Claws": {"type": "object"},
        "Other": {"type": "object"},
    }
    document = {section: {"/pets": {"post": operation}}, "components": {"schemas": schemas}}
    return Contract(version="2024-01-15", environment="production", document=document)


@cases("mapping", [{}, {"mapping": MAPPING}], ids=["implicit", "mapped"])
@cases(
    ("section", "key", "is_sent"),
    [
        ("paths", "requestBody", True),
        ("paths", "responses", False),
        ("webhooks", "requestBody", False),
    ],
)
def test_extension_is_used_in_the_directions_of_its_base(
    mapping: dict[str, Any], section: str, key: str, is_sent: bool
) -> None:
    message = {"content": {"application/json": {"schema": PET}}}
    operation = {key: message if key == "requestBody" else {"200": message}}
    found = Ways().both(contract(mapping, operation, section))
    everything = frozenset({"Pet", "Cat", "Lion", "Claws"})
    assert found == ((everything, frozenset()) if is_sent else (frozenset(), everything))
