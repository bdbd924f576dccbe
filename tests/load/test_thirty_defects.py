"""Defects of OpenAPI documents, one at a time: each is found at its place, and nothing else is."""

from __future__ import annotations

from support.checked import check_document
from support.defects import CLEAN, DEFECTS, Defect
from support.tables import cases


def test_clean_document_has_no_problems() -> None:
    assert check_document(CLEAN) == []


@cases("defect", DEFECTS, ids=lambda defect: defect.name)
def test_defect_is_found_at_its_place(defect: Defect) -> None:
    assert check_document(defect.text) == list(defect.said)
