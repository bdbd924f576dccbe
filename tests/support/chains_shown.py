"""Find values shown to callers of a random chain that break the document of their version."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from jsonschema_rs import ReferencingError, ValidationError

from dateline.adopt import adopt
from dateline.load import load
from dateline.sample import Sampler, UnsatisfiedError
from dateline_runtime.conversion import ConversionContext, convert_within
from dateline_runtime.narrowing import UnfitError, narrowings
from support.narrowed import Body, Law, Places
from support.random_chains import DATES
from support.schema_sites import Document

_OTHER = 599
"""A status that only `default` has."""


def adopt_chain(chain: list[Document], folder: Path) -> Law:
    """Adopt *chain* in *folder*, and return the law of its versions."""
    folder.mkdir()
    for date, document in zip(DATES, chain, strict=True):
        (folder / f"{date}.json").write_text(json.dumps(document))
    adopt(tuple(f"{date}={folder / date}.json" for date in DATES), folder / "schemas")
    return Law(load(folder / "schemas"))


class ChainNarrower:
    """Narrows sampled values as a server does; ``times`` counts the values shown."""

    def __init__(self, law: Law) -> None:
        self.times = 0
        self._law = law
        [self._environment] = law.contracts["environments"]
        self._samplers: dict[str, Sampler] = {"": Sampler(law.canonical.document)}
        self._down = narrowings(
            law.contracts, self._environment, self._converters(), judge=self._judge
        )

    def _judge(self, schema: Any, version: str | None) -> Callable[[Any], bool]:
        """# blind edits can leave invalid schemas, against which nothing can be validated"""
        try:
            return self._law.judge(self._environment)(schema, version)
        except (ValidationError, ReferencingError):
            # blind edits leave schemas that are none: nothing can be held to them
            return lambda _: False

    def breaches(self, count: int) -> Iterator[str]:
        """Yield the faults of narrowed bodies, from *count* values for each body."""
        bodies = [body for body in self._law.canonical.bodies if body.status]
        # an id that several operations share identifies none of them
        ids = Counter((body.operation, body.status, body.media_type) for body in bodies)
        for body in bodies:
            if ids[body[:3]] == 1:
                for each in range(count):
                    yield from self._of(body, str(each))

    def _of(self, body: Body, name: str) -> Iterator[str]:
        canonical = self._law.canonical
        try:
            value = self._samplers[""].value(canonical.at(body.schema), name)
        except UnsatisfiedError:
            return
        for version, narrowing in self._down.items():
            places = self._law.shown[version, self._environment]
            at = places.found(body)
            if at is None:
                continue
            try:
                change = narrowing.body(body.operation, _status(body.status), body.media_type)
                context = ConversionContext(environment=self._environment, version=version)
                narrowed = convert_within(partial(change, value), context)
            except UnfitError:
                continue
            self.times += 1
            if defect := _defect(places, at, narrowed):
                yield f"{version} {body.operation} {body.status}: {value} -> {narrowed}: {defect}"

    def _converters(self) -> dict[str, Callable[..., Any]]:
        """Return converters that return any valid value of the older contract."""

        def made(name: str, said: dict[str, Any]) -> Callable[..., Any]:
            def converted(value: Any, context: ConversionContext, /) -> Any:
                version = context.version if "reason" in said else ""
                schema = _era(said, version)
                called = f"{name} {json.dumps(value, sort_keys=True)}"
                # the result may contain values that are converted in turn: the size has to shrink
                return self._sampler(version).value(schema, called, len(called) / 60)

            return converted

        return {
            name: made(name, said)
            for name, said in self._law.contracts["converters"].items()
            if said["down"]
        }

    def _sampler(self, version: str) -> Sampler:
        if version not in self._samplers:
            places = self._law.shown[version, self._environment]
            self._samplers[version] = Sampler(places.document)
        return self._samplers[version]


def _era(said: dict[str, Any], version: str) -> Any:
    """Return the schema of what the converter that *said* describes returns."""
    if version:
        return next(each["schema"] for each in reversed(said["older"]) if each["since"] <= version)
    return said["older"] if said["kind"] == "schema" else said["older"].get("schema", {})


def _status(key: str) -> int:
    return _OTHER if key == "default" else int(key.replace("XX", "00"))


def _defect(places: Places, at: tuple[str | int, ...], value: Any) -> str | None:
    try:
        return places.defect(at, value)
    except (ValidationError, ReferencingError):
        return None
