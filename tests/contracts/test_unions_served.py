"""Adopted unions that differ between versions, in the server and the mock."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner
from support.chains_shown import ChainNarrower, adopt_chain
from support.generated_server import Generated, ask
from support.mocks import list_misfits
from support.narrowed import Law, Places
from support.random_chains import DATES, chains
from support.random_unions import make_union_versions
from support.seeds import seeds
from support.tables import cases
from support.unions_api import NEW, OLD, documents

from dateline.adopt import adopt
from dateline.cli import main
from dateline.load import load
from dateline.sample import Sampler

# Canonical values of a field, each with what callers of the older version are shown.
SHOWN: Final[dict[str, list[tuple[Any, Any]]]] = {
    "customer": [
        ({"id": "c", "name": "Ann", "email": "a@b"}, {"id": "c", "name": "Ann"}),
        ({"id": "c", "deleted": True}, {"id": "c", "deleted": True}),
        # fits both members: open objects may have any field
        (
            {"id": "c", "name": "Ann", "email": "a@b", "deleted": True},
            {"id": "c", "name": "Ann", "deleted": True},
        ),
    ],
    "expandable": [
        ("c", "c"),
        ({"id": "c", "name": "Ann", "email": "a@b"}, {"id": "c", "name": "Ann"}),
        ({"id": "c", "deleted": True}, {"id": "c", "deleted": True}),
    ],
    "starred": [
        (
            [{"at": 1, "customer": {"id": "c", "name": "Ann", "email": "a@b"}}],
            [{"at": 1, "customer": {"id": "c", "name": "Ann"}}],
        ),
        ([{"id": "c", "name": "Ann", "email": "a@b"}], [{"id": "c", "name": "Ann"}]),
        ([], []),
    ],
    "closed": [({"one": 1, "new": 2}, {"one": 1}), ({"other": 1}, {"other": 1})],
    # without `new`, the second one would fit both members
    "ambiguous": [
        ({"a": 1, "new": 1}, {"a": 1}),
        ({"a": 12, "new": 1}, None),
        ({"a": 1}, {"a": 1}),
    ],
    "optional_tag": [
        ({"lives": 7, "new": 1}, {"lives": 7}),
        ({"kind": "dog", "new": "n"}, {"kind": "dog"}),
        ({"new": "n"}, {}),
    ],
    "wider": [({"a": 1}, {"a": 1}), ({"b": 1}, None), ({"b": 1, "a": 1}, {"a": 1})],
    "related": [
        ({"name": "Ann", "card": "c"}, {"name": "Ann", "card": "c"}),
        ({"card": {}}, {}),
        # the name alone would not suffice
        ({"name": "Ann", "card": {}}, None),
    ],
    "twice": [({"a": 1, "b": 2, "new": 3}, {"a": 1, "b": 2})],
    "beside": [({"a": 1, "b": 2}, {"a": 1}), ({"a": 1}, {"a": 1})],
    "patterned": [({"xa": {"a": 1, "new": 2}}, {"xa": {"a": 3}}), ({}, {"xa": {"a": 3}})],
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a project adopted from the documents and generated."""
    root = tmp_path_factory.mktemp("unions")
    arguments = ["adopt", "--into", str(root / "schemas"), "--package", "unions"]
    for version, document in documents().items():
        (root / f"{version}.json").write_text(json.dumps(document))
        arguments.append(f"{version}={root / f'{version}.json'}")
    schemas, output = ["--schemas", str(root / "schemas")], ["--output", str(root / "generated")]
    for command in (arguments, ["generate", *schemas, *output]):
        ran = CliRunner().invoke(main, command, catch_exceptions=False)
        assert (ran.exit_code, "no server" in ran.stderr) == (0, False), ran.output
    return root


@pytest.fixture(scope="module")
def package(project: Path) -> Generated:
    return Generated(project / "copy", load(project / "schemas"))


class Things:
    """Handlers that return what a test sets, and record what they are sent."""

    given: Any = None
    sent: Any = None

    async def get_thing(self, _: Any) -> Any:
        return self.given

    async def put_thing(self, _: Any, *, body: Any) -> Any:
        self.sent = body.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return {}


class Converters:
    """Converters that return what a test sets."""

    older: Any = None

    def older_patterned(self, _: Any, context: Any, /) -> Any:
        assert context.version == OLD
        return self.older

    def newer_patterned(self, _: Any, context: Any, /) -> Any:
        assert context.version == OLD
        return {"xb": {"a": 1, "new": 1}}


def serve(package: Generated, things: Things, converters: Any) -> Any:
    server = package.module("server")
    return server.create_app(
        server.Handlers(default=things), environment="production", converters=converters
    )


@cases("field", SHOWN)
def test_callers_of_each_version_get_valid_values(field: str, package: Generated) -> None:
    things, converters = Things(), Converters()
    converters.older = {"xa": {"a": 3}}
    app = serve(package, things, converters)
    for value, older in SHOWN[field]:
        things.given = {field: value}
        for version, shown in ((NEW, value), (OLD, older)):
            answer = ask(app, "GET", "/thing", headers={"X-API-Version": version})
            expected = {} if shown is None else {field: shown}
            assert (answer.status_code, answer.json()) == (200, expected), (version, value)


def test_result_of_a_converter_must_satisfy_the_callers_contract(
    package: Generated, caplog: pytest.LogCaptureFixture
) -> None:
    things, converters = Things(), Converters()
    things.given = {"patterned": {"xa": {"a": 1, "new": 1}}}
    converters.older = {"xa": {"a": "no integer"}}
    app = serve(package, things, converters)
    assert ask(app, "GET", "/thing", headers={"X-API-Version": NEW}).json() == things.given
    assert ask(app, "GET", "/thing", headers={"X-API-Version": OLD}).status_code == 500
    assert (
        "what the converter Patterned makes of it for callers of 2024-01-15 does not fit"
        in caplog.text
    )


@pytest.mark.parametrize(
    ("sent", "taken"),
    [
        ({"customer": {"id": "c", "deleted": True}}, {"customer": {"id": "c", "deleted": True}}),
        # the version doesn't know the field, so callers can't mean it
        (
            {"customer": {"id": "c", "name": "Ann", "email": 7}},
            {"customer": {"id": "c", "name": "Ann"}},
        ),
        ({"optional_tag": {"kind": "dog", "new": 7}}, {"optional_tag": {"kind": "dog"}}),
        ({"patterned": {"xb": {"a": 1}}}, {"patterned": {"xb": {"a": 1, "new": 1}}}),
    ],
)
def test_requests_of_an_older_version_are_lifted(sent: Any, taken: Any, package: Generated) -> None:
    things = Things()
    app = serve(package, things, Converters())
    headers = {"X-API-Version": OLD}
    assert ask(app, "PUT", "/thing", headers=headers, json=sent).status_code == 200
    assert things.sent == taken


def test_missing_converter_is_reported_by_place_and_method(
    package: Generated, caplog: pytest.LogCaptureFixture
) -> None:
    serve(package, Things(), object())
    assert (
        "no converter down or up for Patterned (the method newer_patterned), "
        "Patterned (the method older_patterned); operations that need one answer 501"
    ) in caplog.text
    assert (
        "Return `Patterned` as callers of `context.version` are shown it: what is below "
        "`patternProperties/^x` differs between versions."
    ) in " ".join(package.text("server/handlers.py").split())


def test_mock_answers_every_version_with_valid_values(project: Path) -> None:
    assert list_misfits(project / "schemas") == []


def law_of(folder: Path, seed: int) -> Law:
    for version, document in zip((OLD, NEW), make_union_versions(seed), strict=True):
        (folder / f"{version}.json").write_text(json.dumps(document))
    adopt(tuple(f"{version}={folder / version}.json" for version in (OLD, NEW)), folder / "schemas")
    return Law(load(folder / "schemas"))


@cases("seed", seeds(24))
def test_values_of_random_unions_are_valid_after_conversion(seed: int, tmp_path: Path) -> None:
    law = law_of(tmp_path, seed)
    if law.contracts["converters"]:
        return  # schemas that were replaced as a whole depend on the converter
    [sent, given] = law.canonical.bodies
    sampler = Sampler(law.canonical.document)
    values = [sampler.value(law.canonical.at(given.schema), str(each)) for each in range(30)]
    # fields that some callers can't send are not required, so several members may accept a value
    received = Places(json.loads(json.dumps(law.received.document).replace("oneOf", "anyOf")))
    for version in (OLD, NEW):
        shown = law.shown[version, "production"]
        narrow = law.narrow(version, "production", given)
        for value in values:
            assert shown.defect(given.schema, narrow(value)) is None, (version, value)
        lift = law.up["production"][version].body(sent.operation, sent.media_type)
        sampler = Sampler(shown.document)
        for each in range(30):
            request = sampler.value(shown.at(sent.schema), str(each))
            assert received.defect(sent.schema, lift(request)) is None, (version, request)


def test_random_unions_are_of_every_kind(tmp_path: Path) -> None:
    kinds = Counter[str]()
    for seed in seeds(24):
        (tmp_path / str(seed)).mkdir()
        written = json.dumps(law_of(tmp_path / str(seed), seed).contracts)
        kinds.update(word for word in ("tag", "tried", "fits", "convert") if f'"{word}"' in written)
    assert all(kinds[word] for word in ("tried", "fits", "convert")), kinds


@pytest.mark.parametrize("seed", seeds(4))
def test_values_of_random_chains_are_valid_at_their_version(seed: int, tmp_path: Path) -> None:
    times = 0
    for number, chain in enumerate(chains(seed, 5)):
        law = adopt_chain(chain, tmp_path / str(number))
        assert set(law.down["production"]) == set(law.up["production"]) == set(DATES)
        shown = ChainNarrower(law)
        assert list(shown.breaches(4)) == []
        times += shown.times
    assert times > 100
