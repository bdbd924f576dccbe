"""All readers of a schema agree on the validity of each instance."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

import jsonschema_rs
import pytest
from support.json_schema_suite import SUITE, components, groups, left_out
from support.mixed_schemas import mixed_instances, mixed_schemas
from support.null_spellings import COMPONENTS, POSITIONS, SPELLINGS, instances
from support.random_schemas import odd_instances, random_schemas
from support.readers import Readers, document
from support.sampling import Sampler
from support.seeds import scale

Schema = dict[str, Any]

# Formats, with valid and invalid values.


def misspell(text: str) -> list[str]:
    """Return *text* with each digit replaced by another character, which some engines accept."""
    return [
        text[:at] + other + text[at + 1 :]
        for at, digit in enumerate(text)
        if digit.isdigit()
        for other in "*+-./:\u0661"
    ]


DATE_TIMES: Final = [
    "2024-05-06T07:08:09Z",
    "2016-12-31t23:59:60.5+00:00",
    "2024-05-06T07:08:09-11:30",
]
TEXTS: Final = {
    "date": (["2024-02-29"], [*misspell("2024-02-28"), "2024-02-30", "x"]),
    "date-time": (
        DATE_TIMES,
        [*chain.from_iterable(map(misspell, DATE_TIMES[1:])), "2024-05-06T07:08:09", "x"],
    ),
    "decimal": (
        ["12.50", "-0", "+1", "007.5", ".5", "1.", "9" * 40 + "." + "1" * 40, "0.0000001"],
        ["", ".", "-", "1e5", "NaN", "Infinity", "-inf", "1_000", "1,5", " 1", "1\n", "\u0661"],
    ),
    "uuid": (["00000000-0000-4000-8000-00000000000a"], ["0"]),
}
NARROWED: Final = ("12.50", ".0", "12.5", "112.50", "1e0", "x0", "", None, 10)
"""Two decimal numbers that end in 0 and have five characters at most, and what is none."""

ANNOTATED: Final = {
    "email": (["a@b.ch"], ["x"]),
    "hostname": (["a.ch"], ["-a"]),
    "ipv4": (["1.2.3.4"], ["1"]),
    "uri": (["http://a.ch"], ["x"]),
    "time": (["10:00:00Z", "10:00:00.5+01:00"], [*misspell("10:00:00.5+01:00"), "x"]),
    "regex": (["a"], ["("]),
    "byte": (["YQ==", "?"], []),
    "unheard": (["a"], []),
}
"""Formats that generated models don't check: Python has no type for them."""

INTEGERS: Final = {
    f"{sign}int{bits}": ([least, most, float(2 ** (bits - 2))], [least - 1, most + 1, 1.5])
    for bits in (8, 16, 32, 64)
    for sign, least, most in (
        ("", -(2 ** (bits - 1)), 2 ** (bits - 1) - 1),
        ("u", 0, 2**bits - 1),
    )
}


@dataclass(frozen=True)
class Corpus:
    """Readers of one document, and instances with their validity, by component."""

    readers: Readers
    instances: dict[str, list[tuple[Any, bool]]]
    called: dict[str, str]

    def disagreements(self, *which: str) -> list[str]:
        """Return where one of the readers *which* is wrong without a note."""
        found = []
        for name, value, valid in self._each():
            for reader in which:
                taken = self.readers.readers[reader](name, value)
                if taken is not valid and not (taken and self.readers.notes_of(name)):
                    verb = "takes" if taken else "refuses"
                    text = json.dumps(value)[:80]
                    found.append(f"{reader} {verb} {text} for {self.called.get(name, name)}")
        return found

    def _each(self) -> Iterator[tuple[str, Any, bool]]:
        for name, values in self.instances.items():
            for value, valid in values:
                yield name, value, valid


def corpus(
    schemas: Schema,
    openapi: str,
    found: dict[str, list[tuple[Any, bool]]],
    called: dict[str, str] | None = None,
) -> Corpus:
    return Corpus(Readers(Path(mkdtemp()), schemas, openapi), found, called or {})


@cache
def suite() -> Corpus:
    every = list(groups())
    found = {f"G{at}": every[at] for at in range(0, len(every), len(every) // scale(len(every)))}
    schemas = {
        key: each
        for name, group in found.items()
        for key, each in components(name, group.schema).items()
    }
    # formats are no annotations here: documents mean them as constraints
    valid = {
        name: [
            (value, is_valid if not group.called.startswith("format:") else _oracle(group, value))
            for value, is_valid in group.instances
        ]
        for name, group in found.items()
    }
    return corpus(schemas, "3.1.0", valid, {name: group.called for name, group in found.items()})


def _oracle(group: Any, value: Any) -> bool:
    validator = jsonschema_rs.Draft202012Validator(group.schema, validate_formats=True)
    return bool(validator.is_valid(value))


def _pascal(name: str) -> str:
    return name.title().replace("_", "").replace("-", "")


@cache
def nulls() -> Corpus:
    schemas: Schema = {}
    found: dict[str, list[tuple[Any, bool]]] = {}
    for name, spelling in SPELLINGS.items():
        for position, (place, hold) in POSITIONS.items():
            called = _pascal(f"{name}_{position}")
            schemas[called] = place(spelling.schema)
            found[called] = [(hold(value), valid) for value, valid in instances(spelling)]
    return corpus({**COMPONENTS, **schemas}, "3.0.3", found)


@cache
def formats(openapi: str) -> Corpus:
    is_old = openapi.startswith("3.0")
    schemas: Schema = {}
    found: dict[str, list[tuple[Any, bool]]] = {}
    kinds: dict[str, Any] = {"string": {**TEXTS, **ANNOTATED}, "integer": INTEGERS}
    for kind, listed in kinds.items():
        for name, (valid, invalid) in listed.items():
            values = [(value, True) for value in valid] + [(value, False) for value in invalid]
            # how a value is misspelled is independent of the position of the format
            few = values[:1] + values[-3:]
            typed = {"type": kind, "format": name}
            nullable = {**typed, "nullable": True} if is_old else {**typed, "type": [kind, "null"]}
            called = _pascal(name)
            reference = {"$ref": f"#/components/schemas/Typed{called}"}
            schemas |= {
                f"Typed{called}": typed,
                f"Based{called}": {"allOf": [reference]},
                f"Listed{called}": {"type": "array", "items": typed},
                f"Nullable{called}": nullable,
            }
            found |= {
                f"Typed{called}": [*values, (None, False)],
                f"Based{called}": [*few, (None, False)],
                f"Listed{called}": [([value], is_valid) for value, is_valid in few],
                f"Nullable{called}": [*few, (None, True)],
            }
    for name, (valid, invalid) in TEXTS.items():
        called, said = _pascal(name), {"format": name}
        values = [(valid[0], True), *((value, False) for value in invalid[-3:])]
        listed = {"enum": [valid[0], invalid[-1], 1], **said}
        schemas |= {
            f"Untyped{called}": said,
            f"Chosen{called}": listed,
            f"Merged{called}": {"allOf": [{"$ref": "#/components/schemas/Text"}], **said},
            f"Known{called}": {"type": "string", "x-extensible-enum": [valid[0]], **said},
            f"Twice{called}": {"allOf": [said, {"format": "uuid" if name != "uuid" else "date"}]},
        }
        found |= {
            f"Untyped{called}": [*values, (1, True), ([], True)],
            f"Chosen{called}": [(valid[0], True), (invalid[-1], False), (1, True), (2, False)],
            **{f"{how}{called}": [*values, (1, False)] for how in ("Merged", "Known")},
            f"Twice{called}": [*((value, False) for value, _ in values), (1, True)],
        }
    schemas["Text"] = {"type": "string"}
    narrow = {"type": "string", "format": "decimal", "pattern": "0$", "maxLength": 5}
    schemas |= {"NarrowDecimal": narrow, "NumberDecimal": {"type": "number", "format": "decimal"}}
    found["NarrowDecimal"] = [(text, text in ("12.50", ".0")) for text in NARROWED]
    found["NumberDecimal"] = [(1.5, True), (2, True), ("1.5", False)]
    return corpus(schemas, openapi, found)


@cache
def randomly(openapi: str) -> Corpus:
    schemas = random_schemas(7, scale(24), old=openapi.startswith("3.0"))
    sampler = Sampler(document(schemas, openapi), 11)
    readers = Readers(Path(mkdtemp()), schemas, openapi)
    adopted = readers.readers["adopted"]
    found = {
        name: [
            (value, adopted(name, value))
            for value in (*sampler.instances(name, 12), *odd_instances())
        ]
        for name in schemas
    }
    return Corpus(readers, found, {name: json.dumps(each) for name, each in schemas.items()})


@cache
def mixed(openapi: str) -> Corpus:
    schemas = mixed_schemas(23, scale(36), old=openapi.startswith("3.0"))
    readers = Readers(Path(mkdtemp()), schemas, openapi)
    adopted = readers.readers["adopted"]
    found = {
        name: [(value, adopted(name, value)) for value in mixed_instances(at)]
        for at, name in enumerate(schemas)
    }
    return Corpus(readers, found, {name: json.dumps(each) for name, each in schemas.items()})


CORPORA: Final[dict[str, Callable[[], Corpus]]] = {
    "suite": suite,
    "null in 3.0": nulls,
    "formats in 3.0": lambda: formats("3.0.3"),
    "formats in 3.1": lambda: formats("3.1.0"),
    "random in 3.0": lambda: randomly("3.0.3"),
    "random in 3.1": lambda: randomly("3.1.0"),
    "mixed in 3.0": lambda: mixed("3.0.3"),
    "mixed in 3.1": lambda: mixed("3.1.0"),
}
HERE: Final = [
    pytest.param(name, marks=pytest.mark.skipif(not SUITE.is_file(), reason="no suite is here"))
    if name == "suite"
    else name
    for name in CORPORA
]
LEFT_OUT: Final = {
    "refused by name": 18,
    "several goals of a dynamic reference": 18,
    "another dialect": 2,
    "refers to the metaschema": 2,
}
"""How many groups of the suite no definitions can have, by the reason.

Empty enumerations, fractions in counts, vocabularies and names with control characters are
problems with a name of their own. Which schema a dynamic reference with several goals leads to
depends on the way to it; dateline reads it as all of them together. The metaschema is no file of
a folder.
"""
JUDGES: Final = ("server, request", "server, result", "mock", "differ", "adopted", "modernized")


@pytest.mark.skipif(not SUITE.is_file(), reason="no suite is here")
def test_groups_of_the_suite_that_are_left_out() -> None:
    assert {reason: len(names) for reason, names in left_out().items()} == LEFT_OUT


@pytest.mark.parametrize("name", HERE)
def test_all_validating_readers_agree(name: str) -> None:
    assert CORPORA[name]().disagreements(*JUDGES) == []


@pytest.mark.parametrize("name", HERE)
def test_models_agree_or_a_note_names_the_place(name: str) -> None:
    found = CORPORA[name]()
    unchecked = tuple(
        f"{how}{_pascal(each)}"
        for each in ANNOTATED
        for how in ("Typed", "Based", "Listed", "Nullable")
    )
    kept = {
        key: values
        for key, values in found.instances.items()
        if key not in unchecked and not found.called.get(key, "").startswith("format:")
    }
    assert replace(found, instances=kept).disagreements("models") == []
