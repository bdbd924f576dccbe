"""Operations in referenced path items are checked like those written in place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.sources import API, VERSIONS, loaded
from support.tables import cases

from dateline.bundle import Readings, open_document
from dateline.check import Published
from dateline.check.header import check_header
from dateline.check.policy import PolicyRecord
from dateline.model import Api, Combination, SourceError
from dateline.project import Projector

IN_PLACE = "paths: { /prices: ITEM }"
REFERRED = """\
paths: { /prices: { $ref: '#/components/pathItems/Prices' } }
components: { pathItems: { Prices: ITEM } }"""
ITEM = "{ get: { operationId: listPrices, tags: [Loans], responses: RESPONSES } }"
RESPONSES = "{ '200': { description: prices, links: { again: { operationId: OTHER } } } }"


def prices(folder: Path, paths: str, versions: str = VERSIONS, other: str = "listPrices") -> Api:
    text = paths.replace("ITEM", ITEM.replace("RESPONSES", RESPONSES)).replace("OTHER", other)
    return loaded(folder, {"versions.yaml": versions, "api.yaml": API, "prices.yaml": text})


@pytest.mark.parametrize("paths", [IN_PLACE, REFERRED])
def test_operation_that_starts_to_ignore_the_header_is_found(tmp_path: Path, paths: str) -> None:
    before = prices(tmp_path, paths)
    shown = Combination("2024-01-15", "production")
    file = tmp_path / "published.json"
    file.write_text(json.dumps(Projector(before).contract(*shown).document))
    published = Published(
        label="published",
        documents={shown: open_document(file, file.name, Readings())},
        policy=PolicyRecord.of(before.table, ()),
    )
    assert list(check_header(before, Projector(before), published)) == []
    after = prices(tmp_path, paths, f"{VERSIONS}ignores-header: [Loans]\n")
    (finding,) = check_header(after, Projector(after), published)
    assert (finding.rule, finding.operations) == ("ignored-header-changed", ("GET /prices",))


@pytest.mark.parametrize("paths", [IN_PLACE, REFERRED])
def test_links_must_lead_to_existing_operations(tmp_path: Path, paths: str) -> None:
    prices(tmp_path, paths)
    with pytest.raises(SourceError, match="unknown-operation"):
        prices(tmp_path, paths, other="listFines")


@cases("name", ["listPrices", "list_prices"])
@cases("paths", [IN_PLACE, REFERRED])
def test_operation_names_must_differ(tmp_path: Path, paths: str, name: str) -> None:
    responses = "{ '200': { description: prices } }"
    more = f"/fines: {{ get: {{ operationId: {name}, responses: {responses} }} }}"
    found = "operation-id-twice" if name == "listPrices" else "name-collision"
    with pytest.raises(SourceError, match=found):
        prices(tmp_path, paths.replace("paths: { ", f"paths: {{ {more}, "))


def test_paths_may_share_a_path_item(tmp_path: Path) -> None:
    more = "/fees: { $ref: '#/components/pathItems/Prices' }"
    prices(tmp_path, REFERRED.replace("paths: { ", f"paths: {{ {more}, "))
