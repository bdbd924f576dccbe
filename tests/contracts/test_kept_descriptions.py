"""Contract data that a check caches equal those that are computed afresh."""

from __future__ import annotations

import json
from dataclasses import replace

from support.other_words import adopted_apis, with_other_words
from support.thing_sources import SCHEMAS

from dateline.canonical import prepare_serving
from dateline.canonical.contract_data import ContractData, Description
from dateline.canonical.payloads import list_events
from dateline.contracts import all_contract_data, find_withheld
from dateline.load import load
from dateline.project import Projector


def write(described: tuple[ContractData, ...]) -> list[tuple[str, ContractData]]:
    """Return contract data with their text, which shows the order of all keys."""
    return [(json.dumps(one.data), one) for one in described]


def test_cached_contract_data_do_not_depend_on_descriptions() -> None:
    for each in (load(SCHEMAS), *adopted_apis()):
        kept = each.derive(Description)
        other = replace(each, document=with_other_words(each.document))
        kept.is_needed = True
        withheld = find_withheld(each, each.derive(Projector))
        is_plain = prepare_serving(each) is each and not list_events(each.document)
        assert (kept.compressed is not None) == is_plain
        found = all_contract_data(other, Projector(other), each)
        assert write(found) == write(all_contract_data(other, Projector(other)))
        kept.is_needed, kept.compressed = False, None
        assert find_withheld(each, each.derive(Projector)) == withheld
        assert kept.compressed is None
