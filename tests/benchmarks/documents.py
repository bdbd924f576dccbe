"""Read the documents in a folder of real ones, packed or not."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any


def read(home: Path, side: str) -> dict[str, Any]:
    """Return `base` or `head` of the pair of documents in *home*."""
    path = next(iter(sorted(home.glob(f"{side}.*"))))
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    if ".json" in path.name:
        found: dict[str, Any] = json.loads(content)
        return found
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    document: dict[str, Any] = yaml.load(content, Loader=loader)
    return document
