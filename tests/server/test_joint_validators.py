"""Responses are validated together, each against its own schema."""

from __future__ import annotations

from typing import Any, Final

from paynet.server.contracts import JointValidators, Validator
from support.tables import cases

COMPONENTS: Final[dict[str, Any]] = {
    "Loan": {
        "type": "object",
        "required": ["id"],
        "properties": {"id": {"type": "string"}, "next": {"$ref": "#/components/schemas/Loan"}},
    },
}
LOAN: Final = {"$ref": "#/components/schemas/Loan"}
LOANS: Final = {"type": "array", "items": LOAN}
EITHER: Final = {"oneOf": [LOAN, {"type": "null"}]}
BAD: Final = {"allOf": [LOAN], "minItems": "many"}
DANGLING: Final = {"allOf": [LOAN, {"$ref": "#/components/schemas/Gone"}]}
VALUES: Final[list[Any]] = [
    {"id": "a"},
    {"id": 1},
    {"id": "a", "next": {}},
    [{"id": 1}],
    [],
    None,
    1,
]


def list_misfits(validator: Validator) -> list[Any]:
    return [(validator.fits(value), validator.find_misfit(value)) for value in VALUES]


@cases("others", [[], [BAD], [DANGLING]])
@cases("schema", [LOAN, LOANS, EITHER, {"type": "string"}])
def test_each_is_validated_as_if_it_were_alone(schema: Any, others: list[Any]) -> None:
    listed = [LOAN, LOANS, EITHER, {"type": "string"}, *others]
    responses = [{"200": {"application/json": each}} for each in listed]
    validators = JointValidators(responses, COMPONENTS.get)
    assert (validators.compiled is None) == bool(others)
    alone = Validator(schema, COMPONENTS.get)
    assert list_misfits(validators.find(schema)) == list_misfits(alone)
    assert validators.find(dict(schema)) is validators.find(schema)


def test_a_schema_that_refers_to_nothing_is_compiled_by_itself() -> None:
    inline = {"type": "integer"}
    validators = JointValidators([{"200": {"application/json": inline}}], COMPONENTS.get)
    assert validators.find(inline).find_misfit("1") == ([], "has to be an integer")
