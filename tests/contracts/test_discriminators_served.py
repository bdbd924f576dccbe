"""The generated server: older callers read and send the variants and tags that they know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.gating import list_broken, publish_cut
from support.generated_server import Generated, ask
from support.pets import PETS
from support.sources import loaded

OLD = {"X-V": "2024-01-15"}
NEW = {"X-V": "2025-01-15"}


def edit(*edits: tuple[str, str]) -> dict[str, str]:
    text = PETS["pets.yaml"]
    for old, new in edits:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return {
        "versions.yaml": PETS["versions.yaml"].replace(
            "{ date: next, title: Being prepared., draft: true }",
            "{ date: 2025-01-15, title: Second. }",
        ),
        "pets.yaml": text.replace("next", "2025-01-15"),
    }


DOG = """\
    Dog:
      x-added: next
      allOf:
        - $ref: '#/components/schemas/Pet'
        - type: object
          properties: { bark: { type: string } }
    Item:
"""

MAPPING = """\
        mapping: { book: '#/components/schemas/Book', disc: '#/components/schemas/Disc' }
"""

RETAGGED = """\
        mapping: { book: '#/components/schemas/Book', audio: '#/components/schemas/Disc' }
      x-was:
        next:
          discriminator:
            propertyName: kind
            mapping: { book: '#/components/schemas/Book', disc: '#/components/schemas/Disc' }
"""


@pytest.fixture(scope="module")
def pets(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("pets")
    edits = (("    Item:\n", DOG), (MAPPING, RETAGGED), ("oneOf", "anyOf"))
    generated = Generated(folder, loaded(folder, edit(*edits)))
    server = generated.module("server")
    models = generated.module("server.models")

    class Handlers:
        async def list_pets(self, _call: Any) -> list[Any]:
            return [
                models.Pet(kind="Hamster"),
                models.Pet.model_validate({"kind": "Cat", "claws": 18}),
                models.Pet.model_validate({"kind": "Dog", "bark": "loud"}),
                models.Cat(kind="Cat", claws=20),
                models.Dog(kind="Dog", bark="soft"),
            ]

        async def add_item(self, _call: Any, *, body: Any) -> Any:
            return body

    return server.create_app(server.Handlers(p=Handlers()), environment="production")


HAMSTER = {"kind": "Hamster"}
CATS = [{"kind": "Cat", "claws": 18}, {"kind": "Cat", "claws": 20}]


def test_gated_variant_is_shown_to_callers_of_its_versions_only(pets: Any) -> None:
    answer = ask(pets, "GET", "/pets", headers=NEW)
    dogs = [{"kind": "Dog", "bark": "loud"}, {"kind": "Dog", "bark": "soft"}]
    assert answer.json() == [HAMSTER, CATS[0], dogs[0], CATS[1], dogs[1]]
    assert ask(pets, "GET", "/pets", headers=OLD).json() == [HAMSTER, *CATS]


def test_tag_is_the_one_that_the_caller_knows(pets: Any) -> None:
    for headers, tag in ((OLD, "disc"), (NEW, "audio")):
        item = {"kind": tag, "minutes": 42}
        answer = ask(pets, "POST", "/pets", headers=headers, json=item)
        assert (answer.status_code, answer.json()) == (200, item)


def test_tag_of_a_newer_version_is_refused(pets: Any) -> None:
    item = {"kind": "audio", "minutes": 42}
    assert ask(pets, "POST", "/pets", headers=OLD, json=item).status_code == 400


def test_variants_removed_with_the_only_operation_of_their_parent_are_reported_with_it(
    tmp_path: Path,
) -> None:
    callers_have = publish_cut(loaded(tmp_path / "before", dict(PETS)))
    text = PETS["pets.yaml"]
    operation = text[text.index("    get:\n") : text.index("    post:\n")]
    schemas = text[text.index("    Pet:\n") : text.index("    Item:\n")]
    without = {**PETS, "pets.yaml": text.replace(operation, "").replace(schemas, "")}
    assert list_broken(loaded(tmp_path / "after", without), callers_have) == [
        "GET /pets: operation removed"
    ]


PUPPY = """\
    Dog:
      x-added: 2025-01-15
      x-shown-as: { kind: Cat }
      allOf: [{ $ref: '#/components/schemas/Pet' }]
    Puppy:
      x-added: 2025-09-01
      x-shown-as: { 2025-01-15: { kind: Cat, claws: 1 }, 2025-09-01: { kind: Dog } }
      allOf: [{ $ref: '#/components/schemas/Pet' }]
    Item:
"""


def later(sources: dict[str, str]) -> dict[str, str]:
    """Return *sources* with a third version."""
    second = "  - { date: 2025-01-15, title: Second. }\n"
    third = second.replace("2025-01-15", "2025-09-01").replace("Second", "Third")
    table = sources["versions.yaml"].replace(second, second + third)
    return {**sources, "versions.yaml": table}


def test_variant_is_shown_as_the_substitute_of_each_version(tmp_path: Path) -> None:
    one = "{ $ref: '#/components/schemas/Pet' }"
    listed = (f"{{ type: array, items: {one} }}", one)
    sources = later(edit(("    Item:\n", PUPPY), ("oneOf", "anyOf"), listed))
    generated = Generated(tmp_path, loaded(tmp_path, sources))
    server, models = generated.module("server"), generated.module("server.models")

    class Handlers:
        async def list_pets(self, _call: Any) -> Any:
            return models.Puppy(kind="Puppy")

        async def add_item(self, _call: Any, *, body: Any) -> Any:
            return body

    app = server.create_app(server.Handlers(p=Handlers()), environment="production")
    seen = {
        date: ask(app, "GET", "/pets", headers={"X-V": date}).json()
        for date in ("2024-01-15", "2025-01-15", "2025-09-01")
    }
    assert seen == {
        "2024-01-15": {"kind": "Cat", "claws": 1},
        "2025-01-15": {"kind": "Dog"},
        "2025-09-01": {"kind": "Puppy"},
    }
