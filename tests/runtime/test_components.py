"""Convert values of components between versions outside of requests, and events as well."""

from __future__ import annotations

import functools
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from support import gated_apis
from support.events import EVENTS, list_sources
from support.narrowed_components import ComponentLaw
from support.seeds import seeds
from support.sources import API, VERSIONS, loaded
from support.tables import cases

from dateline_runtime.components import Components
from dateline_runtime.events import AbsentEventError
from dateline_runtime.narrowing import MissingConverterError, UnfitError

SEEDS = seeds(4)


@functools.cache
def library() -> ComponentLaw:
    with tempfile.TemporaryDirectory() as folder:
        return ComponentLaw(loaded(Path(folder), EVENTS))


def sending(seed: int) -> ComponentLaw:
    """Return the law of a random API that sends each of its schemas, alone and in others."""
    files = gated_apis.sources(seed)
    document = json.loads(files["api.yaml"])
    # a payload can't be left out as a whole
    schemas = document["components"]["schemas"]
    names = [name for name, schema in schemas.items() if schema.get("type") == "object"]
    payloads: dict[str, Any] = {f"{name}.sent": gated_apis.ref(name) for name in names}
    fields = {"it": gated_apis.ref(names[-1]), "since": {"type": "string", "x-added": "2025-06-01"}}
    payloads["all.sent"] = {
        "type": "array",
        "items": {"type": "object", "required": ["it"], "properties": fields},
    }
    document["webhooks"] = {
        name: {
            "post": {
                "requestBody": {"content": {"application/json": {"schema": schema}}},
                "responses": {"204": {"description": "received"}},
            },
        }
        for name, schema in payloads.items()
    }
    document["webhooks"]["all.sent"]["x-added"] = "2024-09-01"
    files["api.yaml"] = json.dumps(document)
    with tempfile.TemporaryDirectory() as folder:
        return ComponentLaw(loaded(Path(folder), files))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_converted_value_is_valid_at_its_version(seed: int) -> None:
    law = sending(seed)
    assert list(law.component_breaches(20)) == []
    assert list(law.event_breaches(100)) == []
    assert law.times_shown > 200


def test_missing_gate_in_the_contract_data_is_noticed() -> None:
    law = library()
    data = json.loads(json.dumps(law.data))
    for entry in data["down"]["shapes"]["Loan"]:
        del entry["shape"]["fields"]["state"]
    broken = ComponentLaw(law.api, data)
    assert any("shows ['paused']" in breach for breach in broken.event_breaches(60))
    assert list(law.event_breaches(60)) == []


def test_request_components_are_narrowed_and_response_components_lifted() -> None:
    found = library().components["production"]
    old = {"id": "x", "writer": "Austen", "due": "2024-05-06"}
    assert found.lift(old, "Loan", "2024-01-15") == {
        "id": "x",
        "author_name": "Austen",
        "due": "2024-05-06T00:00:00Z",
    }


def test_component_or_version_that_does_not_exist_is_refused() -> None:
    found = library().components["production"]
    for take in (found.narrow, found.lift):
        with pytest.raises(UnfitError, match="nothing of it may be shown"):
            take({"kind": "AudioBook"}, "AudioBook", "2024-01-15")
        with pytest.raises(ValueError, match="unknown component 'Lone'"):
            take({}, "Lone", "2024-01-15")
        with pytest.raises(ValueError, match="unknown version '2024-01-16'"):
            take({}, "Loan", "2024-01-16")


NEW = "{ type: string, oneOf: [{ const: old }, { const: new, x-added: next }] }"
STATE = f"type: object, required: [state], properties: {{ state: {NEW} }}"
WITHHELD: dict[str, tuple[str, Any, str]] = {
    "of the value": (STATE, {"state": "new"}, "/state"),
    "within a field": (
        f"type: object, required: [in], properties: {{ in: {{ {STATE} }}, more: {{ {STATE} }} }}",
        {"more": {"state": "new"}, "in": {"state": "new"}},
        "/in/state",
    ),
    "of several": (
        f"type: object, required: [a/b, c], properties: {{ c: {NEW}, a/b: {{ {STATE} }} }}",
        {"c": "old", "a/b": {"state": "new"}},
        "/a~1b/state",
    ),
    "beside a name": (
        f"{STATE[:-1]}, x: {{ type: string, x-was: {{ next: {{ name: y }} }} }} }}",
        {"x": "x", "state": "new"},
        "/state",
    ),
    "of all parts": (f"allOf: [{{ {STATE} }}]", {"state": "new"}, "/state"),
    "in a list that may not be empty": (
        "type: object, required: [few], properties: "
        f"{{ few: {{ type: array, minItems: 1, items: {{ {STATE} }} }} }}",
        {"few": [{"state": "new"}]},
        "/few",
    ),
    "in a map that may not be empty": (
        f"type: object, minProperties: 1, additionalProperties: {NEW}",
        {"a": "new"},
        "",
    ),
    "the value": (NEW[2:-2], "new", ""),
}


@cases("case", WITHHELD)
def test_value_that_can_not_be_shown_is_reported_with_the_place_of_the_reason(
    case: str, tmp_path: Path
) -> None:
    schema, value, place = WITHHELD[case]
    files = {
        "versions.yaml": VERSIONS.replace("policy:", "lint: adopted\npolicy:"),
        "api.yaml": API,
        "things.yaml": f"components: {{ schemas: {{ T: {{ x-added: 2024-01-15, {schema} }} }} }}",
    }
    found = ComponentLaw(loaded(tmp_path, files)).components["production"]
    assert found.narrow(value, "T", "next") == value
    with pytest.raises(UnfitError) as caught:
        found.narrow(value, "T", "2025-06-01")
    assert (caught.value.reason, caught.value.place) == (
        "nothing of it may be shown at this version",
        place,
    )


def test_converter_is_required_only_if_a_value_needs_it() -> None:
    found = Components(library().data, "production", {"down": {}, "up": {}})
    assert found.narrow({"due": "2024-05-06T00:00:00Z"}, "Loan", "2024-09-01")
    with pytest.raises(MissingConverterError) as caught:
        found.narrow({}, "Loan", "2024-01-15")
    assert caught.value.names == ("Loan.due",)


def test_event_that_a_version_lacks_is_an_error_that_names_versions_with_it() -> None:
    events = library().events["sandbox"]
    assert events.versions("loan.paused") == ("2025-06-01",)
    assert events.versions("loan.gone") == ()
    with pytest.raises(AbsentEventError) as caught:
        events.render("loan.paused", {}, "2024-01-15")
    error = caught.value
    assert (error.name, error.version, error.environment, error.versions) == (
        *("loan.paused", "2024-01-15", "sandbox"),
        ("2025-06-01",),
    )
    assert str(error) == (
        "2024-01-15 has no event 'loan.paused' in sandbox; these have it: 2025-06-01"
    )
    with pytest.raises(ValueError, match=r"unknown event 'loan\.gone'"):
        events.render("loan.gone", {}, "2024-01-15")
    with pytest.raises(ValueError, match="unknown version '2020-01-01'"):
        events.render("loan.paused", {}, "2020-01-01")


def test_events_never_show_newer_parts(tmp_path: Path) -> None:
    law = ComponentLaw(loaded(tmp_path, list_sources(25)))
    assert list(law.event_breaches(200)) == []
    assert law.times_shown > 150
