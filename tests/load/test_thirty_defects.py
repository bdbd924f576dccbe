"""Defects of OpenAPI documents, one at a time: each is found, with its place, and nothing else."""

from __future__ import annotations

from support.checked import check_document
from support.defects import CLEAN, DEFECTS, Defect
from support.tables import cases


def test_nothing_is_said_of_a_clean_document() -> None:
    assert check_document(CLEAN) == []


@cases("defect", DEFECTS, ids=lambda defect: defect.name)
def test_a_defect_is_found_where_it_stands(defect: Defect) -> None:
    assert check_document(defect.text) == list(defect.said)
