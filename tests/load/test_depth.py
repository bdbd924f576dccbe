"""How deep a source may be: every room supports the limit, and anything deeper is one problem."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from support.sources import loaded
from support.tables import cases

from dateline.model import SourceError
from dateline.project import project
from dateline.render import render
from dateline.source.reader import ADOPTED

VERSIONS = """\
lint: adopted
default: 2024-01-15
versions:
  - { date: 2024-01-15, title: Initial version }
  - { date: 2024-09-01, title: Audio books }
environments: { production: {} }
"""


class Nest(NamedTuple):
    """The path to a nested node, the steps it repeats, and the innermost node."""

    way: tuple[str | int, ...]
    repeated: tuple[str | int, ...]
    end: Any


SCHEMA = ("components", "schemas", "Loan")

NESTS = {
    "properties": Nest(SCHEMA, ("properties", "loan"), {}),
    "items": Nest(SCHEMA, ("items",), {}),
    "allOf": Nest(SCHEMA, ("allOf", 0), {}),
    "properties, items and allOf": Nest(SCHEMA, ("properties", "loan", "items", "allOf", 0), {}),
    "callbacks": Nest(("paths", "/loans", "post"), ("callbacks", "due", "/loans", "post"), {}),
    "an added property": Nest(SCHEMA, ("properties", "loan"), {"x-added": "2024-09-01"}),
    "mappings in an example": Nest((*SCHEMA, "example"), ("loan",), {}),
    "lists in an example": Nest((*SCHEMA, "example"), (0,), []),
    "lists in a default": Nest((*SCHEMA, "default"), (0,), []),
    "mappings in an x- value": Nest(("x-loans",), ("loan",), {}),
    "lists in an x- value": Nest(("x-loans",), (0,), []),
}


def document(nest: Nest, levels: int) -> dict[str, Any]:
    """Return a document whose innermost mapping or list is at *levels*."""
    way = [*nest.way, *islice(cycle(nest.repeated), levels - 1 - len(nest.way))]
    node = nest.end
    for step in reversed(way):
        node = [node] if step == 0 else {step: node}
    info = {"title": "Library", "version": "1"}
    return {"openapi": "3.1.0", "info": info, "paths": {}, **node}


@pytest.fixture
def half_the_stack() -> Iterator[None]:
    """Restrict the interpreter to half its stack, so that callers may use the other half."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit // 2)
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.usefixtures("half_the_stack")
@pytest.mark.parametrize("name", NESTS)
def test_source_at_the_limit_passes_through_every_room(tmp_path: Path, name: str) -> None:
    nest = NESTS[name]
    source = json.dumps(document(nest, ADOPTED.depth))
    # only dateline's keys are removed from the innermost node
    published = document(nest._replace(end=type(nest.end)()), ADOPTED.depth)
    api = loaded(tmp_path, {"versions.yaml": VERSIONS, "api.json": source})
    assert project(api, "2024-09-01", "production").document == published
    rendered = render(api, models=False, validate=False)
    files = {artifact.path: artifact.content for artifact in rendered.artifacts}
    assert json.loads(files["spec/production/2024-09-01.json"]) == published
    assert yaml.safe_load(files["spec/production/2024-09-01.yaml"]) == published


@cases("file", ["api.json", "api.yaml"])
@cases("name", NESTS)
def test_source_beyond_the_limit_is_one_problem(tmp_path: Path, name: str, file: str) -> None:
    source = json.dumps(document(NESTS[name], ADOPTED.depth + 1))
    with pytest.raises(SourceError) as refused:
        loaded(tmp_path, {"versions.yaml": VERSIONS, file: source})
    message = f"more than {ADOPTED.depth} mappings and lists are within each other; use $ref"
    assert [(p.id, p.message) for p in refused.value.problems] == [("too-deep", message)]


def test_independent_validator_supports_a_source_at_the_limit(tmp_path: Path) -> None:
    # the kind of nesting that needs the most stack for each level
    source = json.dumps(document(NESTS["items"], ADOPTED.depth))
    api = loaded(tmp_path, {"versions.yaml": VERSIONS, "api.json": source})
    assert render(api, models=False) == render(api, models=False, validate=False)
