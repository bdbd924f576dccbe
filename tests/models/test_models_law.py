"""The law of the models: the same verdict as the document for every instance, and no lost data."""

from __future__ import annotations

from pathlib import Path

from support.model_documents import DOCUMENTS, compare_model
from support.modelling import Package
from support.sampling import Judge, reading
from support.tables import cases

_REQUEST_ONLY = {"requests": frozenset({"Order", "Item", "Left", "Right", "Lenient"})}


_BEST_FIT = "models ignore that only one member of `oneOf` fits: the best fit is taken"


def _unknown(name: str, keyword: str = "oneOf") -> str:
    fact = f"that `{keyword}` allows no other tags: they are read as a class `Unknown…`"
    return f"components.{name}: models ignore {fact}"


_NOTES = {
    "unions": [
        _unknown("Rail"),
        _unknown("Inferred", "anyOf"),
        _unknown("Nested"),
        _unknown("Keyworded"),
        f"components.Based: {_BEST_FIT}",
    ]
}


@cases("title", DOCUMENTS)
def test_models_agree_with_the_document(title: str, tmp_path: Path) -> None:
    made = DOCUMENTS[title]
    package = Package(tmp_path, {"2024-01-01": made})
    assert package.notes == _NOTES.get(title, [])
    module = package.version("2024-01-01")
    schemas = reading(made, _REQUEST_ONLY.get(title, frozenset()))
    judge = Judge(schemas)
    assert [
        difference
        for component in schemas
        for difference in compare_model(made, judge, component, getattr(module, component), 120)
    ] == []
