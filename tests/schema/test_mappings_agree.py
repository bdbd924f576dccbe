"""However a discriminator refers to members of its union, every reader selects the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import date
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

import pytest
from pydantic import TypeAdapter
from support.adopted_apis import adopt_all
from support.generated_server import Generated
from support.narrowed import Law
from support.sources import folder, problems

from dateline.diff import diff
from dateline.edit.retire import retire
from dateline.load import load
from dateline.model import Api, Direction
from dateline.project import Projector
from dateline.sample import Sampler

Schema = dict[str, Any]

OLD, NEW = "2023-01-15", "2024-01-15"
TABLE: Final = f"""\
header: X-API-Version
default: {NEW}
versions:
  - {{ date: {OLD}, title: First }}
  - {{ date: {NEW}, title: Second }}
announcements: [{{ ends: {OLD}, from: 2024-12-01, announced: {NEW} }}]
environments: {{ production: {{ servers: [{{ url: https://api.example/ }}] }} }}
policy: dated-contract
python: {{ package: mapped }}
"""
_AT: Final = "#/components/schemas/"

# Ways to refer to a component: those of a member, and those of a mapping, which include names.
REFERENCES: Final[dict[str, Callable[[str], str]]] = {
    "a reference": lambda name: _AT + name,
    "an escaped reference": lambda name: f"{_AT}{name[:-1]}%{ord(name[-1]):02X}",
    "an anchor": lambda name: f"#at{name}",
    "a property that refers": lambda name: f"{_AT}Zoo/properties/{name}",
    "a base that refers": lambda name: f"{_AT}Of{name}/allOf/0",
}
NAMES: Final = {"a name": lambda name: name, **REFERENCES}
PLAIN: Final = ("a reference", "a reference")
PAIRS: Final = [(mapped, member) for mapped in NAMES for member in REFERENCES]

# The members of the unions, and the field that each has beside its tag.
FIELDS: Final = {"Cat": "meow", "Dog": "bark", "Fox": "yelp"}
GATES: Final[dict[str, Schema]] = {
    "Cat": {},
    "Dog": {"x-added": NEW, "x-shown-as": {"t": "m-cat", "meow": "x"}},
    "Fox": {"x-removed": NEW, "x-shown-as": {"t": "m-cat", "meow": "x"}},
}


def prefix(pair: tuple[str, str]) -> str:
    at = PAIRS.index(pair)
    return f"K{chr(97 + at // 26)}{chr(97 + at % 26)}"


def definitions(pairs: Iterable[tuple[str, str]], *, is_gated: bool, **more: Any) -> Schema:
    """Return a document with a union and an operation for each of *pairs*."""
    schemas: dict[str, Schema] = {"Zoo": {"type": "object", "properties": {}}}
    paths = {}
    for pair in pairs:
        names = {kind: prefix(pair) + kind for kind in FIELDS}
        for kind, name in names.items():
            schemas[name] = {
                "$anchor": f"at{name}",
                "type": "object",
                "required": ["t", FIELDS[kind]],
                "properties": {"t": {"type": "string"}, FIELDS[kind]: {"type": "string"}},
            }
            schemas["Zoo"]["properties"][name] = {"$ref": _AT + name}
            schemas[f"Of{name}"] = {"allOf": [{"$ref": _AT + name}, {"type": "object"}]}
        mapped, member = NAMES[pair[0]], REFERENCES[pair[1]]
        schemas[f"{prefix(pair)}Pet"] = {
            "oneOf": [
                {"$ref": member(name), **(GATES[kind] if is_gated else {})}
                for kind, name in names.items()
            ],
            "discriminator": {
                "propertyName": "t",
                "mapping": {f"m-{kind.lower()}": mapped(name) for kind, name in names.items()},
            },
            **more,
        }
        held = {"application/json": {"schema": {"$ref": f"{_AT}{prefix(pair)}Pet"}}}
        paths[f"/{prefix(pair)}"] = {
            "get": {
                "operationId": f"get{prefix(pair)}",
                "responses": {"200": {"description": "", "content": held}},
            }
        }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Mapped", "version": "1"},
        "paths": paths,
        "components": {"schemas": schemas},
    }


@cache
def project() -> tuple[Path, Api]:
    root = folder(Path(mkdtemp()), sources(definitions(PAIRS, is_gated=True)))
    return root, load(root)


def sources(document: Schema) -> dict[str, str]:
    table = TABLE.replace("policy", "lint: adopted\npolicy")
    return {"versions.yaml": table, "api.json": json.dumps(document)}


def disagreeing(found: dict[tuple[str, str], Any]) -> dict[tuple[str, str], Any]:
    """Return the results for other pairs that differ from those of the plain one."""
    assert found.keys() == set(PAIRS)
    return {pair: each for pair, each in found.items() if each != found[PLAIN]}


def read_tags(document: Schema, pair: tuple[str, str]) -> list[str]:
    pet = document["components"]["schemas"][f"{prefix(pair)}Pet"]
    return sorted(pet["discriminator"]["mapping"])


def test_version_has_the_tags_of_its_members() -> None:
    projector = Projector(project()[1])
    for version, tags in ((OLD, ("m-cat", "m-fox")), (NEW, ("m-cat", "m-dog"))):
        document = projector.contract(version, "production").document
        assert {tuple(read_tags(document, pair)) for pair in PAIRS} == {tags}


def test_tag_is_removed_with_the_last_version_of_its_member() -> None:
    revision = retire(project()[0], OLD, date(2026, 1, 1))
    document = revision.api.document
    assert {tuple(read_tags(document, pair)) for pair in PAIRS} == {("m-cat", "m-dog")}


def test_values_are_narrowed_by_their_tags() -> None:
    law = Law(project()[1])
    values = [{"t": f"m-{kind.lower()}", field: "y"} for kind, field in FIELDS.items()]
    found = {
        body.operation.removeprefix("get"): {
            version: [law.narrow(version, "production", body)(value) for value in values]
            for version in (OLD, NEW)
        }
        for body in law.canonical.bodies
    }
    cat, dog, fox = values
    other = {"t": "m-cat", "meow": "x"}
    expected = {OLD: [cat, other, fox], NEW: [cat, dog, other]}
    assert found == {prefix(pair): expected for pair in PAIRS}


def test_changes_of_members_are_reported_alike() -> None:
    document = definitions(PAIRS, is_gated=False)
    swapped = json.loads(json.dumps(document))
    for pair in PAIRS:
        said = swapped["components"]["schemas"][f"{prefix(pair)}Pet"]["discriminator"]
        said["mapping"] = dict(
            zip(said["mapping"], reversed(said["mapping"].values()), strict=True)
        )
    found: dict[tuple[str, str], list[str]] = {pair: [] for pair in PAIRS}
    for change in diff(document, swapped):
        for pair in PAIRS:
            if f"GET /{prefix(pair)}" in change.operations:
                said = change.kind, change.keyword, change.direction, change.before, change.after
                found[pair].append(repr(said))
    assert found[PLAIN]
    assert disagreeing(found) == {}


def test_another_reference_to_a_member_is_no_change() -> None:
    def with_names(mapped: str, member: str) -> Schema:
        text = json.dumps(definitions([(mapped, member)], is_gated=False))
        found: Schema = json.loads(text.replace(prefix((mapped, member)), "Kzz"))
        return found

    plain = with_names(*PLAIN)
    found = {
        pair: [*diff(plain, with_names(*pair)), *diff(with_names(*pair), plain)] for pair in PAIRS
    }
    assert found == {pair: [] for pair in PAIRS}


@pytest.mark.parametrize("member", REFERENCES)
def test_default_of_a_discriminator_is_its_target(member: str) -> None:
    def with_default(mapped: str, kind: str) -> Schema:
        found = {**definitions([(PLAIN[0], member)], is_gated=False), "openapi": "3.2.0"}
        name = prefix((PLAIN[0], member))
        said = found["components"]["schemas"][f"{name}Pet"]["discriminator"]
        said["defaultMapping"] = NAMES[mapped](name + kind)
        return found

    plain = with_default(PLAIN[0], "Cat")
    for mapped in NAMES:
        assert diff(plain, with_default(mapped, "Cat")) == []
        changes = diff(plain, with_default(mapped, "Dog"))
        assert [(change.keyword, change.direction) for change in changes] == [
            ("defaultMapping", Direction.RESPONSE)
        ]


def test_models_have_the_same_tags() -> None:
    root, api = project()
    generated = Generated(root.parent, api)
    module = generated.module(f"v{NEW.replace('-', '_')}")
    values: list[Schema] = [
        {"t": "m-cat", "meow": "q"},
        {"t": "m-dog", "bark": "q"},
        {"t": "m-dog", "meow": "q"},
        {"t": "m-fox", "yelp": "q"},
    ]
    found = {}
    for pair in PAIRS:
        union: TypeAdapter[Any] = TypeAdapter(getattr(module, f"{prefix(pair)}Pet"))
        read = [type(union.validate_python(value)).__name__ for value in values]
        notes = sorted(note for note in generated.notes if prefix(pair) in note)
        found[pair] = [text.replace(prefix(pair), "") for text in (*read, *notes)]
    assert found[PLAIN][:2] == ["Cat", "Dog"]
    assert disagreeing(found) == {}


def test_samples_have_the_tags_of_their_members() -> None:
    sampler = Sampler(definitions(PAIRS, is_gated=False))
    tags = {field: f"m-{kind.lower()}" for kind, field in FIELDS.items()}
    for pair in PAIRS:
        schema = {"$ref": f"{_AT}{prefix(pair)}Pet"}
        found = [sampler.value(schema, f"pet {at}") for at in range(12)]
        assert {tags[field] == one["t"] for one in found for field in one if field != "t"} == {True}


# authored definitions have no anchors
@pytest.mark.parametrize("mapped", sorted(NAMES.keys() - {"an anchor"}))
def test_values_are_checked_by_the_member_of_their_tag(mapped: str, tmp_path: Path) -> None:
    pair = mapped, "a reference"

    def found(example: Schema) -> list[str]:
        document = definitions([pair], is_gated=False, examples=[example])
        text = json.dumps(document)
        for kind in FIELDS:
            text = text.replace(f'"$anchor": "at{prefix(pair)}{kind}", ', "")
        files = {"versions.yaml": TABLE, "api.json": text}
        return [one for one in problems(tmp_path, files) if "example-invalid" in one]

    assert found({"t": "m-dog", "bark": "x"}) == []
    assert "bark" in "".join(found({"t": "m-dog", "meow": "x"}))


def test_adopted_union_has_the_tags_of_its_members(tmp_path: Path) -> None:
    documents = []
    for gone in ("Dog", "Fox"):
        document = definitions(PAIRS, is_gated=False)
        for pair in PAIRS:
            pet = document["components"]["schemas"][f"{prefix(pair)}Pet"]
            at = list(FIELDS).index(gone)
            del pet["oneOf"][at], pet["discriminator"]["mapping"][f"m-{gone.lower()}"]
        documents.append(document)
    adopt_all(tmp_path, documents)
    adopted = load(tmp_path / "schemas").document["components"]["schemas"]
    pets = {pair: adopted[f"{prefix(pair)}Pet"] for pair in PAIRS}
    # the change pages list names and components without the rest of the documents
    known = ("a name", "a reference", "an escaped reference")
    found = {pair: "x-was" in pet for pair, pet in pets.items() if {*pair} <= {*known}}
    assert len(found) == 6
    assert not any(found.values())
