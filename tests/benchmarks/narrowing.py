"""Measure the cost of narrowing with contract data."""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from benchmarks import synthetic
from dateline.contracts import contract_data
from dateline.load import load
from dateline_runtime.lifting import liftings
from dateline_runtime.narrowing import narrowings

_SCHEMAS: Final = Path(__file__).parents[2] / "schemas"
_MEDIA_TYPE: Final = "application/json; charset=utf-8"


def page(size: int = 100) -> dict[str, Any]:
    """Return a page of autoramps; every second one has a rail that the oldest version lacks."""
    rails = [{"type": "Iban", "iban": "DE00"}, {"type": "Swift", "bic": "AAAA"}]
    return {
        "items": [
            {
                "id": f"00000000-0000-4000-8000-{at:012}",
                "customer_id": f"00000000-0000-4000-8000-{at:012}",
                "external_id": f"external-{at}",
                "ramp_type": "Onramp",
                "deposit_rails": [*rails, {"type": "FedNow"}] if at % 2 else rails,
                "created_at": "2026-07-01T00:00:00Z",
                "updated_at": "2026-07-01T00:00:00Z",
            }
            for at in range(size)
        ]
    }


def costs() -> Iterator[tuple[str, float]]:
    """Yield the cost of a page of 100 autoramps in microseconds, at each version and as JSON."""
    contracts = contract_data(load(_SCHEMAS)).data
    value = page()
    yield "json.dumps of the page", _microseconds(json.dumps, value)
    for version, narrowing in narrowings(contracts, "production", {}).items():
        narrow = narrowing.body("listAutoramps", 200, _MEDIA_TYPE)
        yield f"narrowing it for {version}", _microseconds(narrow, value)


def start_up(versions: int) -> Iterator[tuple[str, float]]:
    """Yield the cost of compiling conversions of 200 operations at start, in microseconds."""
    with tempfile.TemporaryDirectory() as folder:
        synthetic.write(Path(folder, "schemas"), versions)
        api = load(Path(folder, "schemas"))
    contracts = contract_data(api).data
    yield f"contract data of {versions} versions", _microseconds(contract_data, api, runs=1)
    for name, compiled in (("down", narrowings), ("up", liftings)):
        yield (
            f"{name} for each of them",
            _microseconds(compiled, contracts, "production", {}, runs=3),
        )


def _microseconds(call: Callable[..., Any], *arguments: Any, runs: int = 500) -> float:
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        for _ in range(runs):
            call(*arguments)
        best = min(best, (time.process_time() - start) / runs)
    return best * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--versions", type=int, default=50, help="versions at start-up (50)")
    options = parser.parse_args()
    for name, cost in (*costs(), *start_up(options.versions)):
        print(f"{name:40} {cost:12.1f} µs")


if __name__ == "__main__":
    main()
