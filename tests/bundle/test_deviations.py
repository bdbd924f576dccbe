"""Deviations from JSON and YAML in published documents are handled equally by all commands.

A deviation with one meaning is read: the result is that of an equivalent without it. Any other is
refused by name, with file, line and column.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support.adopted_apis import read_back
from support.commands import dateline
from support.tables import cases

from dateline.bundle import Readings, open_document

Document = dict[str, Any]

A = {"type": "integer"}


def make_document(description: str = "d", schema: Any = None) -> Document:
    return {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1", "description": description},
        "paths": {"/a": {"get": {"responses": {"200": {"description": "x"}}}}},
        "components": {"schemas": {"A": A if schema is None else schema}},
    }


def in_json(description: str = "d", schema: str = '{"type": "integer"}') -> bytes:
    text = json.dumps(make_document("DESCRIPTION", "SCHEMA"))
    text = text.replace("DESCRIPTION", description).replace('"SCHEMA"', schema)
    return text.encode()


def in_yaml(description: str = "d", schema: str = "{ type: integer }") -> bytes:
    return f"""openapi: 3.1.0
info:
  title: T
  version: "1"
  description: {description}
paths:
  /a:
    get:
      responses:
        "200":
          description: x
components:
  schemas:
    A: {schema}
""".encode()


JSON = in_json().decode()
YAML = in_yaml().decode()
MARK = b"\xef\xbb\xbf"
INVISIBLE = "\x7f\x85\u061c\u200e\u2028\u202e\u2066\ufeff\uffff"
BOMB = "x-0: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"x-{one}: &{one} [{', '.join([f'*{below}'] * 9)}]\n" for below, one in pairwise("abcdefghi")
)
CONTROLS = "".join(map(chr, range(0x20)))

READ: dict[str, tuple[str, bytes, Document]] = {
    "a byte order mark": (".json", MARK + in_json(), make_document()),
    "a byte order mark in YAML": (".yaml", MARK + in_yaml(), make_document()),
    **{
        f"{encoding} in {suffix}{' with a mark' if mark else ''}": (
            suffix,
            mark + text.encode(encoding),
            make_document(),
        )
        for suffix, text in ((".json", JSON), (".yaml", YAML))
        for encoding, mark in (
            ("utf-16", b""),
            ("utf-16-le", b""),
            ("utf-16-be", b""),
            ("utf-16-be", b"\xfe\xff"),
            ("utf-32", b""),
            ("utf-32-le", b""),
        )
    },
    "invisible characters": (".json", in_json(f"a{INVISIBLE}b"), make_document(f"a{INVISIBLE}b")),
    "bidi characters in YAML": (
        ".yaml",
        in_yaml("a\u202eb\u200ec"),
        make_document("a\u202eb\u200ec"),
    ),
    "escapes of control characters": (
        ".json",
        in_json(json.dumps(CONTROLS)[1:-1]),
        make_document(CONTROLS),
    ),
    "escapes of invisible characters": (
        ".json",
        in_json(json.dumps(INVISIBLE)[1:-1]),
        make_document(INVISIBLE),
    ),
    "escapes of control characters in YAML": (
        ".yaml",
        in_yaml(r'"a\0\a\x1b\u202e\Nb"'),
        make_document("a\0\a\x1b\u202e\x85b"),
    ),
    "a control character in a name": (
        ".json",
        in_json(schema=r'{"properties": {"a\u0001b": {"const": "\u0002"}}}'),
        make_document(schema={"properties": {"a\x01b": {"const": "\x02"}}}),
    ),
    "a pair of escapes": (".json", in_json(r"\ud83d\ude00"), make_document("\U0001f600")),
    "JSON that is called YAML": (".yaml", in_json(r"\ud83d\ude00\/"), make_document("\U0001f600/")),
    "carriage returns": (".json", in_json(schema='{\r"type":\r"integer"\r}'), make_document()),
    "carriage returns in YAML": (".yaml", in_yaml().replace(b"\n", b"\r"), make_document()),
    "line ends of Windows": (".yaml", in_yaml().replace(b"\n", b"\r\n"), make_document()),
    "equal values twice": (
        ".json",
        in_json(schema='{"type": "integer", "type": "integer"}'),
        make_document(),
    ),
    "equal mappings twice": (
        ".json",
        in_json(schema='{"not": {"a": 1, "b": [2]}, "not": {"b": [2], "a": 1}}'),
        make_document(schema={"not": {"a": 1, "b": [2]}}),
    ),
    "equal values twice in YAML": (
        ".yaml",
        in_yaml(schema="{ type: integer, type: integer }"),
        make_document(),
    ),
    "equal mappings twice in YAML": (
        ".yaml",
        in_yaml(schema="\n      not: { a: 1 }\n      not:\n        a: 1"),
        make_document(schema={"not": {"a": 1}}),
    ),
    "tabs between tokens of YAML": (
        ".yaml",
        in_yaml(schema="{ type:\tinteger }\t"),
        make_document(),
    ),
    "comments in YAML": (
        ".yaml",
        b"# c\n" + in_yaml(schema="{ type: integer } # c"),
        make_document(),
    ),
    "marks of a YAML document": (
        ".yaml",
        b"%YAML 1.2\n---\n" + in_yaml() + b"...\n",
        make_document(),
    ),
    "an alias": (
        ".yaml",
        in_yaml("&d x", "{ type: &t integer, title: *d, enum: [*t] }"),
        make_document("x", {"type": "integer", "title": "x", "enum": ["integer"]}),
    ),
    "an alias as a key": (
        ".yaml",
        in_yaml(schema="{ type: &t object, properties: { *t : { *t : *t } } }"),
        make_document(schema={"type": "object", "properties": {"object": {"object": "object"}}}),
    ),
    "an anchor of the document": (".yaml", b"--- &all\n" + in_yaml(), make_document()),
    "a merge key": (
        ".yaml",
        in_yaml(schema="{ x-a: &a { type: string, title: A }, <<: *a, type: integer }"),
        make_document(
            schema={"x-a": {"type": "string", "title": "A"}, "type": "integer", "title": "A"}
        ),
    ),
    "a merge key with several mappings": (
        ".yaml",
        in_yaml(schema="{ <<: [{ type: integer }, { type: string, title: A }], <<: { not: {} } }"),
        make_document(schema={"type": "integer", "title": "A", "not": {}}),
    ),
    "a merge key in quotes": (
        ".yaml",
        in_yaml(schema="{ '<<': 1 }"),
        make_document(schema={"<<": 1}),
    ),
    "a reference of an alias": (
        ".yaml",
        in_yaml(schema="{ x-a: &r '#/components/schemas/A', items: { $ref: *r } }"),
        make_document(
            schema={
                "x-a": "#/components/schemas/A",
                "items": {"$ref": "#/components/schemas/A"},
            }
        ),
    ),
    "tags of YAML": (
        ".yaml",
        in_yaml(
            "!!str 5",
            "!!map { enum: !!seq [!!int '5', !!float 5, !!bool yes, !!null '', ! 5, "
            "!!timestamp 2001-12-14, !!binary aGk=, !<tag:yaml.org,2002:str> 5, !!int 0x1F]}",
        ),
        make_document("5", {"enum": [5, 5.0, True, None, "5", "2001-12-14", "aGk=", "5", 31]}),
    ),
    "a tag of a key": (".yaml", in_yaml().replace(b'"200"', b"!!str 200"), make_document()),
    "numbers as keys in YAML": (".yaml", in_yaml().replace(b'"200"', b"200"), make_document()),
}

REFUSED: dict[str, tuple[str, bytes, str]] = {
    "Latin-1": (".json", in_json("gr\u00fcn").decode().encode("latin-1"), "1:79: not-utf-8: "),
    "half of UTF-16": (".json", JSON.encode("utf-16")[:-1], "1:1: not-utf-8: "),
    "a tab in a text": (".json", in_json("a\tb"), "1:78: json-syntax: the character U+0009 "),
    "a line end in a text": (".json", in_json("a\nb"), "1:78: json-syntax: "),
    "a control character": (".json", in_json("a\x01b"), "1:78: json-syntax: the character U+0001 "),
    "NUL": (".json", in_json("a\x00b"), "1:78: json-syntax: the character U+0000 "),
    "half of a pair": (".json", in_json(r"\ud83d"), "1:76: lone-surrogate: "),
    "other values twice": (
        ".json",
        in_json(schema='{"type": "integer", "type": "string"}'),
        "1:206: duplicate-key: ",
    ),
    "1 and 1.0 twice": (
        ".json",
        in_json(schema='{"const": 1, "const": 1.0}'),
        "1:199: duplicate-key: ",
    ),
    "NaN": (".json", in_json(schema='{"const": NaN}'), "1:196: json-syntax: NaN "),
    "Infinity": (".json", in_json(schema='{"const": -Infinity}'), "1:196: json-syntax: -Infinity "),
    "a number out of range": (
        ".json",
        in_json(schema='{"const": 1e400}'),
        "1:196: number-out-of-range: ",
    ),
    "a comma too many": (".json", in_json(schema='{"const": 1,}'), "1:197: json-syntax: "),
    "a comma too many in a list": (
        ".json",
        in_json(schema='{"enum": [1,]}'),
        "1:197: json-syntax: ",
    ),
    "a comment": (
        ".json",
        in_json(schema="{ // c\n}"),
        "1:188: json-syntax: '//' can't be here; there are no",
    ),
    "a comment in signs": (
        ".json",
        in_json(schema="{ /* c */ }"),
        "1:188: json-syntax: '/*' can't be ",
    ),
    "single quotes": (".json", in_json(schema="{'a': 1}"), "1:187: json-syntax: "),
    "a leading zero": (".json", in_json(schema='{"const": 01}'), "1:197: json-syntax: "),
    "an invalid blank": (
        ".json",
        in_json(schema='{"const":\u00a01}'),
        "1:195: json-syntax: the character U+00A0 ",
    ),
    "two values": (".json", in_json() + b"{}", f"1:{len(JSON) + 1}: json-syntax: "),
    "YAML that is called JSON": (".json", in_yaml(), "1:1: json-syntax: "),
    "tabs that indent": (
        ".yaml",
        in_yaml(schema="\n\t\ttype: integer"),
        "15:1: yaml-syntax: a tab ",
    ),
    "a control character in YAML": (".yaml", in_yaml("a\x01b"), "5:17: control-character: "),
    "a line separator in YAML": (".yaml", in_yaml("a\u2028b"), "5:17: control-character: "),
    "other values twice in YAML": (
        ".yaml",
        in_yaml(schema="{ type: integer, type: string }"),
        "14:25: duplicate-key: ",
    ),
    "half of a pair in YAML": (".yaml", in_yaml(r'"\ud83d"'), "5:16: lone-surrogate: "),
    "an alias within its own anchor": (
        ".yaml",
        in_yaml(schema="&a { not: *a }"),
        "14:18: anchor-used: *a is within the value that &a names",
    ),
    "an alias of the document": (
        ".yaml",
        b"--- &a\n" + in_yaml(schema="{ not: { not: *a } }"),
        "15:22: anchor-used: *a is within the value that &a names",
    ),
    "an alias without an anchor": (".yaml", in_yaml(schema="*a"), "14:8: anchor-used: "),
    "aliases of aliases of aliases": (
        ".yaml",
        in_yaml().replace(b"info:", BOMB.encode() + b"info:"),
        "8:10: anchor-used: with *f, aliases stand for more keys, values or text ",
    ),
    "a long text many times": (
        ".yaml",
        in_yaml("&d " + "x" * 100_000, f"{{ enum: [{', '.join(['*d'] * 700)}] }}"),
        "14:2701: anchor-used: with *d, aliases stand for more keys, values or text ",
    ),
    "a merge of a text": (".yaml", in_yaml(schema="{ <<: a }"), "14:10: merge-invalid: "),
    "a merge of a list of texts": (
        ".yaml",
        in_yaml(schema="{ <<: [a] }"),
        "14:10: merge-invalid: ",
    ),
    "merges that disagree": (
        ".yaml",
        in_yaml(schema="{ <<: { type: integer }, <<: { type: string } }"),
        "14:10: duplicate-key: ",
    ),
    "a tag of a program": (
        ".yaml",
        in_yaml(schema="!Ref A"),
        "14:8: tag-used: the tag !Ref has no counterpart in JSON",
    ),
    "a set": (".yaml", in_yaml(schema="!!set { a }"), "14:8: tag-used: the tag !!set "),
    "a tag of another kind": (".yaml", in_yaml(schema="!!map [a]"), "14:8: tag-used: "),
    "an invalid number": (".yaml", in_yaml(schema="{ const: !!int a }"), "14:17: tag-used: "),
    "an integer of YAML 1.1": (
        ".yaml",
        in_yaml(schema="{ const: !!int 010 }"),
        "14:17: tag-used: ",
    ),
    "a number that JSON lacks": (
        ".yaml",
        in_yaml(schema="{ const: !!float .inf }"),
        "14:17: tag-used: ",
    ),
    "a word that is no boolean": (
        ".yaml",
        in_yaml(schema="{ not: !!bool y }"),
        "14:15: tag-used: ",
    ),
    "invalid bytes": (".yaml", in_yaml(schema="{ const: !!binary a }"), "14:17: tag-used: "),
    "several documents": (".yaml", in_yaml() + b"---\na: 1\n", "15:1: several-documents: "),
    "a list as a key": (".yaml", in_yaml(schema="{ ? [a] : 1 }"), "14:12: key-not-text: "),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with one version, and its document."""
    home = tmp_path_factory.mktemp("project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        (home / "sound.json").write_bytes(in_json())
        assert dateline("adopt", "2024-01-01=sound.json").status == 0
        assert dateline("generate").status == 0
    return home


def findings(*command: str) -> list[tuple[str, str, str]]:
    """Return the rules, messages and verdicts of the findings of *command*."""
    outcome = dateline(*command, "--format", "json")
    assert outcome.status in (0, 1)
    found = json.loads(outcome.out)["changes"]
    return sorted((each["rule"], each["message"], each["verdict"]) for each in found)


@cases(("number", "case"), [*enumerate(READ)])
def test_deviation_with_one_meaning_is_read(
    project: Path, number: int, case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suffix, content, document = READ[case]
    monkeypatch.chdir(project)
    odd, twin = project / f"odd{suffix}", project / "twin.json"
    odd.write_bytes(content)
    twin.write_text(json.dumps(document))
    read = open_document(odd, odd.name, Readings()).content
    assert json.dumps(read, sort_keys=True) == json.dumps(document, sort_keys=True)
    # all commands read documents in this way: each case tries another one
    command = (["diff", "sound.json"], ["check", "--against"], ["adopt"])[number % 3]
    if command != ["adopt"]:
        assert findings(*command, odd.name) == findings(*command, twin.name)
        return
    adopted = dateline("adopt", f"2024-01-01={odd}", "--into", str(tmp_path / "schemas"))
    assert (adopted.status, adopted.err) == (0, "")
    assert read_back(tmp_path / "schemas") == [document]


@cases(("number", "case"), [*enumerate(REFUSED)])
def test_deviation_without_a_meaning_is_refused_by_name(
    project: Path, number: int, case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suffix, content, said = REFUSED[case]
    monkeypatch.chdir(project)
    odd = f"odd{suffix}"
    (project / odd).write_bytes(content)
    commands = (
        ("diff", "sound.json", odd),
        ("diff", odd, "sound.json"),
        ("check", "--against", odd),
        ("adopt", f"2024-01-01={odd}", "--into", str(tmp_path / "schemas")),
    )
    # all commands read documents in the same way: each case tries another one
    outcome = dateline(*commands[number % 4])
    assert (outcome.status, outcome.out) == (3, "")
    assert outcome.err.startswith(f"{odd}:{said}")
    assert not (tmp_path / "schemas").exists()


@cases("case", [case for case in READ if case.startswith("equal ")])
def test_note_has_the_place_of_a_duplicate(case: str, tmp_path: Path) -> None:
    suffix, content, _ = READ[case]
    (tmp_path / f"odd{suffix}").write_bytes(content)
    adopted = dateline(
        "adopt", f"2024-01-01={tmp_path / f'odd{suffix}'}", "--into", str(tmp_path / "a")
    )
    assert "keys that are there twice with equal values are read once" in adopted.out


def test_referenced_files_may_have_anchors(tmp_path: Path) -> None:
    reference = "{ $ref: &part 'part.yaml#/a', x-b: *part }"
    (tmp_path / "odd.yaml").write_bytes(in_yaml(schema=reference))
    (tmp_path / "part.yaml").write_text("b: &b { type: !!str integer }\na: { <<: *b, title: A }\n")
    into = tmp_path / "schemas"
    adopted = dateline("adopt", f"2024-01-01={tmp_path / 'odd.yaml'}", "--into", str(into))
    assert (adopted.status, adopted.err) == (0, "")
    (document,) = read_back(into)
    assert document["components"]["schemas"] == {
        "A": {"$ref": "#/components/schemas/a", "x-b": "part.yaml#/a"},
        "a": {"type": "integer", "title": "A"},
    }


def test_reference_under_a_key_that_is_an_alias_is_followed(tmp_path: Path) -> None:
    (tmp_path / "odd.yaml").write_bytes(in_yaml("&r $ref", "{ *r : part.yaml }"))
    (tmp_path / "part.yaml").write_text("type: integer\n")
    into = tmp_path / "schemas"
    adopted = dateline("adopt", f"2024-01-01={tmp_path / 'odd.yaml'}", "--into", str(into))
    assert (adopted.status, adopted.err) == (0, "")
    assert read_back(into) == [make_document("$ref")]
