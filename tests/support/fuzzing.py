"""Damaged inputs of every kind: dateline reads them, or refuses them with its own error."""

from __future__ import annotations

import json
import shutil
import traceback
from collections.abc import Callable, Iterator
from copy import deepcopy
from datetime import date
from pathlib import Path
from random import Random
from typing import Any, Final

import yaml

from dateline import fresh
from dateline.changes.additions import begin_record
from dateline.changes.record import read_record
from dateline.check import check, read_waivers
from dateline.check.baseline import read_baseline, read_tree
from dateline.check.comparison import compare
from dateline.files import write
from dateline.files.sources import recover
from dateline.load import load, read_known_table
from dateline.model import Api, DatelineError
from dateline.project import Projector
from dateline.render import render
from support.sources import API, LIBRARY, LOANS, VERSIONS, folder

_ODD: Final[tuple[Any, ...]] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        5,
        1.5,
        2**64,
        10**40,
        1e300,
        "",
        "x",
        "#/",
        "#/components",
        "\u202e",
    ),
    *([], {}, [[]], [{}], {"": {}}, {"$ref": "#"}, {"$ref": 5}, {"$ref": "a.yaml"}, ["a", "a"]),
    *({"x-added": "next"}, {"x-was": {"2024-09-01": {}}}, {"allOf": []}, {"type": ["null"]}),
    *("2024-09-01", "next", "object", "string", "#/components/schemas/Loan", "application/json"),
)
_BYTES: Final = (
    *(b"\x00", b"\xff", b"\xef\xbb\xbf", b"{", b"}", b"[", b"]", b'"', b"'", b":", b": ", b"- "),
    *(
        b"\n",
        b"\r",
        b"\t",
        b"#",
        b"&a ",
        b"*a",
        b"!!x ",
        b"<<: ",
        b"|\n",
        b">\n",
        b"%TAG",
        b"---\n",
    ),
    *(
        b"...",
        b"? ",
        b"\\",
        b"\\u0000",
        b"\\ud800",
        b"\xe2\x80\xae",
        b"\xc2\x85",
        b"1e999",
        b"," * 9,
    ),
    *(b"[" * 300, b'{"a":' * 300, b"null", b"9" * 400, b"$ref", b"x-added"),
)


class _Undated(yaml.SafeLoader):
    """Loads dates as text, as JSON has them."""

    yaml_implicit_resolvers = {  # noqa: RUF012  # so PyYAML declares it
        first: [(tag, pattern) for tag, pattern in known if not tag.endswith(":timestamp")]
        for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every node below *node*."""
    pairs = node.items() if isinstance(node, dict) else enumerate(node)
    for key, below in pairs:
        yield (*path, key)
        if isinstance(below, dict | list):
            yield from places(below, (*path, key))


def damage_document(document: Any, random: Random) -> Any:
    """Return a copy of *document* with a node replaced, removed, repeated, moved or renamed."""
    document = json.loads(json.dumps(document, default=str))
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        known = list(places(document))
        if not known:
            return document
        *way, key = random.choice(known)
        holder = document
        for step in way:
            holder = holder[step]
        edit = random.randrange(6)
        if edit == 0:
            del holder[key]
        elif edit == 1:
            holder[key] = [holder[key]]
        elif edit == 2:
            *other, last = random.choice(known)
            found = document
            for step in other:
                found = found[step]
            # a copy: nothing may contain itself
            holder[key] = json.loads(json.dumps(found[last]))
        elif edit == 3 and isinstance(holder, dict):
            holder[str(random.choice(("", "x", "$ref", "x-added", "allOf", "a/b~", key)))] = (
                holder.pop(key)
            )
        else:
            # a copy: the next mutant chooses from the same values
            holder[key] = deepcopy(random.choice(_ODD))
    return document


def damage_bytes(content: bytes, random: Random) -> bytes:
    """Return *content* with some of its bytes changed, removed, repeated or inserted."""
    made = bytearray(content)
    for _ in range(random.choice((1, 1, 2, 5))):
        at = random.randrange(len(made) + 1)
        end = at + random.choice((1, 1, 5, 50))
        edit = random.randrange(4)
        if edit == 0:
            del made[at:end]
        elif edit == 1:
            made[at:at] = made[at:end]
        elif edit == 2:
            made[at:at] = random.choice(_BYTES)
        else:
            made[at:end] = random.randbytes(1)
    return bytes(made)


def mutate_file(name: str, content: bytes, random: Random) -> bytes:
    """Return a mutant of the file *name*, with damaged structure or damaged bytes."""
    if random.random() < 0.4:
        return damage_bytes(content, random)
    if name.endswith(".json"):
        return json.dumps(damage_document(json.loads(content), random)).encode()
    document = damage_document(yaml.load(content, _Undated), random)
    return (
        json.dumps(document).encode()
        if random.random() < 0.3
        else yaml.safe_dump(document).encode()
    )


DOCUMENT: Final[dict[str, Any]] = {
    "openapi": "3.1.0",
    "info": {"title": "T", "version": "1"},
    "servers": [{"url": "https://{a}.example", "variables": {"a": {"default": "b"}}}],
    "security": [{"key": []}],
    "tags": [{"name": "t"}],
    "paths": {
        "/x/{id}": {
            "parameters": [
                {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
            ],
            "post": {
                "operationId": "x",
                "tags": ["t"],
                "parameters": [{"$ref": "#/components/parameters/P"}],
                "requestBody": {
                    "content": {
                        "multipart/form-data": {
                            "schema": {"$ref": "#/components/schemas/A"},
                            "encoding": {"b": {"contentType": "text/plain"}},
                        }
                    }
                },
                "responses": {
                    "200": {
                        "description": "d",
                        "headers": {"H": {"schema": {"type": "integer"}}},
                        "content": {
                            "application/json": {
                                "schema": {"$ref": "#/components/schemas/U"},
                                "examples": {"e": {"value": {"k": "A"}}},
                            }
                        },
                        "links": {"l": {"operationId": "x", "parameters": {"id": "$url"}}},
                    },
                    "default": {"$ref": "#/components/responses/R"},
                },
                "callbacks": {"c": {"{$url}": {"post": {"responses": {}}}}},
                "security": [],
            },
        }
    },
    "webhooks": {"w": {"post": {"responses": {"200": {"description": "d"}}}}},
    "components": {
        "parameters": {
            "P": {"name": "p", "in": "query", "style": "form", "schema": {"default": 1}}
        },
        "responses": {"R": {"description": "d"}},
        "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "K"}},
        "schemas": {
            "A": {
                "type": "object",
                "required": ["k"],
                "properties": {
                    "k": {"const": "A"},
                    "b": {"type": ["string", "null"], "enum": ["a", None], "maxLength": 5},
                    "c": {
                        "type": "array",
                        "items": {"$ref": "#/components/schemas/A"},
                        "minItems": 1,
                    },
                    "d": {"not": {"type": "null"}, "if": {"minimum": 1}, "then": {"maximum": 5}},
                },
                "patternProperties": {"^x": {"type": "number", "multipleOf": 0.1}},
                "additionalProperties": False,
                "dependentRequired": {"b": ["c"]},
            },
            "B": {"allOf": [{"$ref": "#/components/schemas/A"}, {"properties": {"z": {}}}]},
            "U": {
                "oneOf": [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/B"}],
                "discriminator": {"propertyName": "k", "mapping": {"B": "#/components/schemas/B"}},
            },
        },
    },
}
PARTS: Final[dict[str, Any]] = {
    "api.json": {
        "openapi": "3.0.3",
        "info": {"title": "T", "version": "1"},
        "paths": {"/x": {"$ref": "parts/x.yaml"}, "/y": {"$ref": "parts/x.yaml#/y"}},
        "components": {"schemas": {"A": {"$ref": "parts/a.json#/A"}}},
    },
    "parts/x.yaml": {
        "get": {"responses": {"200": {"$ref": "#/r"}}},
        "y": {"$ref": "x.yaml"},
        "r": {"description": "d", "content": {"a/b": {"schema": {"$ref": "a.json#/A"}}}},
    },
    "parts/a.json": {
        "A": {
            "properties": {"b": {"$ref": "#/B"}, "a": {"$ref": "../api.json#/components/schemas/A"}}
        },
        "B": {"items": {"$ref": "#/A"}},
    },
}
_JUDGED: Final = 0.1
"""The share of baselines that definitions are held against, too: that takes longer."""

WAIVER: Final = """\
waivers:
  - { rule: type-changed, pointer: /x, versions: [2024-01-15], reason: R., expires: 2099-01-01 }
"""


class Fuzzer:
    """Makes mutants of one kind of input in the folder *root*, and reads them."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = Random(seed)

    def mutate(self, home: Path, files: dict[str, bytes]) -> None:
        """Write *files* below *home*, with one or two of them damaged."""
        names = self.random.sample(sorted(files), self.random.choice((1, 1, min(2, len(files)))))
        for name, content in files.items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_bytes(
                mutate_file(name, content, self.random) if name in names else content
            )

    def sources(self) -> Callable[[], object]:
        extra = "components: { schemas: { Extra: { type: string } } }\npaths: {}\n"
        files = {**LIBRARY, "extra.yaml": extra, "more.json": '{"components": {"headers": {}}}'}
        found = {name: text.encode() for name, text in files.items()}

        def once() -> None:
            self.mutate(self.root / "schemas", found)
            load(self.root / "schemas")

        return once

    def documents(self) -> Callable[[], object]:
        sound = self.root / "sound.json"
        sound.write_text(json.dumps(DOCUMENT))

        def once() -> None:
            self.mutate(self.root, {"api.json": sound.read_bytes()})
            sides = [str(sound), str(self.root / "api.json")]
            self.random.shuffle(sides)
            compare(self.root / "none", self.root / "none", *sides)

        return once

    def files(self) -> Callable[[], object]:
        home, sound = self.root / "api", self.root / "sound"
        files = {
            name: (json.dumps(part) if name.endswith(".json") else yaml.safe_dump(part)).encode()
            for name, part in PARTS.items()
        }
        for name, content in files.items():
            (sound / name).parent.mkdir(parents=True, exist_ok=True)
            (sound / name).write_bytes(content)

        def once() -> None:
            self.mutate(home, files)
            compare(home, home, str(sound / "api.json"), str(home / "api.json"))

        return once

    def baseline(self) -> Callable[[], object]:
        api = self._library()
        output = self.root / "generated"
        write(render(api, models=False, changes=False, validate=False).artifacts, output)
        files = {
            path.relative_to(output).as_posix(): path.read_bytes()
            for path in output.rglob("*.json")
            if "2024-09-01" in path.name or path.name.count("-") < 2
        }

        def once() -> None:
            self.mutate(output, files)
            published = read_baseline(str(output), output)
            for document in published.documents.values():
                assert document.content
            if self.random.random() < _JUDGED:
                check(api, published, today=date(2026, 1, 1))
            read_tree(output)

        return once

    def waivers(self) -> Callable[[], object]:
        def once() -> None:
            self.mutate(self.root, {"waivers.yaml": WAIVER.encode()})
            read_waivers(self.root)

        return once

    def table(self) -> Callable[[], object]:
        folder(self.root, {"api.yaml": API, "loans.yaml": LOANS})
        schemas = self.root / "schemas"

        def once() -> None:
            self.mutate(schemas, {"versions.yaml": VERSIONS.encode()})
            read_known_table(schemas)  # shell completion reads this table
            load(schemas)

        return once

    def record(self) -> Callable[[], object]:
        api = self._library()
        schemas = self.root / "schemas"
        files = begin_record(Projector(api), "2025-06-01").files
        period = {
            "since": "2024-09-01",
            "until": "2025-06-01",
            "environments": ["production"],
            "changes": [],
        }
        files["_additions/2024-09-01.json"] = json.dumps(period).encode()

        def once() -> None:
            self.mutate(schemas, files)
            read_record(schemas, api.table)

        return once

    def templates(self) -> Callable[[], object]:
        api = self._library()
        source = Path(__file__).parents[2] / "templates" / "spec"
        files = {
            f"spec/{path.relative_to(source).as_posix()}": path.read_bytes()
            for path in source.rglob("*")
            if path.is_file()
        }

        def once() -> None:
            name = self.random.choice(sorted(files))
            shutil.rmtree(self.root / "templates", ignore_errors=True)
            path = self.root / "templates" / name
            path.parent.mkdir(parents=True)
            path.write_bytes(damage_bytes(files[name], self.random))
            render(api, self.root / "templates", models=False, changes=False, validate=False)

        return once

    def shortcut(self) -> Callable[[], object]:
        schemas = folder(self.root, LIBRARY)
        output = self.root / "generated"
        write([], output, key=fresh.digest_inputs(schemas))
        kept = self.root / ".generated.dateline/record"
        content = kept.read_bytes()

        def once() -> None:
            kept.write_bytes(damage_bytes(content, self.random))
            (output / "manifest.json").write_bytes(self.random.randbytes(3))
            fresh.is_up_to_date(schemas, output)

        return once

    def journal(self) -> Callable[[], object]:
        schemas = folder(self.root, LIBRARY)
        row = {"name": "api.yaml", "before": "0", "after": "1"}
        journal = {"files": [row], "outputs": {"folder": "../generated", "manifest": "0"}}

        def once() -> None:
            shutil.rmtree(schemas / fresh.STAGED_EDIT, ignore_errors=True)
            self.mutate(schemas / fresh.STAGED_EDIT, {"journal.json": json.dumps(journal).encode()})
            (schemas / fresh.STAGED_EDIT / "journal.json").rename(
                schemas / fresh.STAGED_EDIT / "journal"
            )
            recover(schemas)

        return once

    def _library(self) -> Api:
        return load(folder(self.root, LIBRARY))


TARGETS: Final = (
    *("sources", "documents", "files", "baseline", "waivers", "table", "record", "templates"),
    *("shortcut", "journal"),
)


def require_printable(error: DatelineError) -> None:
    """Assert that *error* is printed in a few printable lines."""
    assert str(error).strip()
    assert all(len(line) < 2_000 for line in str(error).splitlines())


def list_crashes(target: str, root: Path, seed: int, count: int) -> list[str]:
    """Return the unexpected exceptions that *count* mutants of *target* cause."""
    once = getattr(Fuzzer(root, seed), target)()
    found: dict[str, str] = {}
    for number in range(count):
        try:
            once()
        except DatelineError as error:
            require_printable(error)
        except Exception:  # any exception other than DatelineError is a bug
            reported = traceback.format_exc(limit=-3)
            found.setdefault(reported, f"{target} {seed} #{number}: {reported}")
    return list(found.values())
