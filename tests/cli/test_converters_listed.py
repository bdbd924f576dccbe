"""Converters on the command line: those that a draft needs, and `dateline try`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema_rs import Draft202012Validator
from support.commands import dateline

from dateline.answers import schema
from dateline.fresh import NO_FINDINGS

VERSIONS = """\
header: X-API-Version
default: 2024-01-15
versions:
  - { date: 2024-01-15, title: The first version. }
DRAFT
environments:
  production: { servers: [{ url: https://api.example.com/v1 }] }
"""
API = """\
openapi: 3.1.0
info: { title: Shop, version: '1' }
tags: [{ name: People, description: Those who are known. }]
paths:
  /people:
    put:
      operationId: putPerson
      tags: [People]
      summary: Stores a person.
      parameters: [{ $ref: '#/components/parameters/Version' }]
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/Person' } } }
      responses:
        '200':
          description: The person.
          content: { application/json: { schema: { $ref: '#/components/schemas/Person' } } }
components:
  parameters:
    Version: { name: X-API-Version, in: header, schema: { type: string } }
  schemas:
    Person:
      type: object
PERSON
"""
BEFORE = """\
      required: [name, rank, age]
      properties:
        name: { type: string }
        rank: { type: number, multipleOf: 1 }
        age: { type: string }
"""
SPLIT = """\
      required: [first, last, place, age]
      properties:
        first: { type: string }
        last: { type: string }
        place: { type: integer }
        age: { type: string }
      x-was:
        next:
          in-place-of: [first, last, place]
          properties: { name: { type: string }, rank: { type: number, multipleOf: 1 } }
"""
DRAFT = "  - { date: next, title: Names in two parts., draft: true }"
SIGNATURES = [
    "older_person(value: converted.PersonNewer) -> converted.PersonOlderFields",
    "newer_person(value: converted.PersonOlder) -> converted.PersonNewerFields",
]
RIGHT = """
from asyncio import get_running_loop
from decimal import Decimal


class Converters:
    def older_person(self, value):
        last = value["last"]
        return {"name": value["first"] + (last and f"\\n{last}"), "rank": value["place"] / 1}

    loop = None

    async def newer_person(self, value, context):
        assert context.version == "2024-01-15"
        self.loop = self.loop or get_running_loop()
        assert get_running_loop() is self.loop
        first, _, last = value["name"].partition("\\n")
        return {"first": first, "last": last, "place": value["rank"] * 1.0}


class Lossy(Converters):
    def older_person(self, value):
        return {"name": value["last"], "rank": value["place"]}

    def newer_person(self, value):
        return {"first": "", "last": value["name"], "place": value["rank"]}


class Wrong(Converters):
    def older_person(self, value):
        return {"name": 3, "rank": 1}

    def newer_person(self, value):
        raise KeyError("lost")


class Foreign(Converters):
    def older_person(self, value):
        return {**super().older_person(value), "rank": Decimal(value["place"])}


class Refusing(Converters):
    def newer_person(self, value):
        raise ValueError("no such name")


class Picky(Lossy):
    def newer_person(self, value):
        if len(value["name"]) % 2:
            raise ValueError("no such name")
        return super().newer_person(value)


class Lacking:
    older_person = Converters.older_person
"""


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.com")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def write(folder: Path, person: str, draft: str = "") -> None:
    (folder / "schemas" / "versions.yaml").write_text(VERSIONS.replace("DRAFT\n", draft))
    (folder / "schemas" / "api.yaml").write_text(API.replace("PERSON\n", person))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project whose published version has no converters, and whose draft needs one."""
    folder = tmp_path_factory.mktemp("listed")
    (folder / "schemas").mkdir()
    write(folder, BEFORE)
    git(folder, "init", "-q")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert dateline("generate").status == 0
    write(folder, SPLIT, f"{DRAFT}\n")
    (folder / "people.py").write_text(RIGHT)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "split names")
    return folder


@pytest.fixture
def project(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the same as the current folder."""
    monkeypatch.chdir(made)
    return made


@pytest.mark.usefixtures("project")
def test_check_lists_converters_as_information() -> None:
    found = dateline("check")
    assert found.status == 0
    assert "information [converter-demanded] Person before next: write older_person(" in found.out
    [row] = json.loads(dateline("check", "--format", "json").out)["changes"]
    assert (row["rule"], row["verdict"]) == ("converter-demanded", "information")
    assert row["message"] == f"Person before next: write {' and '.join(SIGNATURES)}"
    assert row["after_source"]["file"].endswith("schemas/api.yaml")


@pytest.mark.usefixtures("project")
def test_status_and_cut_list_converters() -> None:
    text = dateline("status").out
    assert "\n".join(["  Person before next", *(f"    {each}" for each in SIGNATURES)]) in text
    state = json.loads(dateline("status", "--format", "json").out)
    [one] = state["projects"][0]["converters"]
    assert (one["name"], one["before"], one["signatures"]) == ("Person", "next", SIGNATURES)
    Draft202012Validator(json.loads(schema("status"))).validate(state)
    plan = dateline("cut", "2025-01-01", "--dry-run")
    assert all(f"      {each}\n" in plan.out for each in SIGNATURES), plan
    answer = dateline("cut", "2025-01-01", "--dry-run", "--format", "json").out
    Draft202012Validator(json.loads(schema("cut"))).validate(json.loads(answer))
    [one] = json.loads(answer)["converters"]
    assert (one["before"], one["signatures"]) == ("2025-01-01", SIGNATURES)
    assert "+        2025-01-01:\n           in-place-of" in json.loads(answer)["patch"]


def test_gate_lists_converters_of_its_gates(project: Path) -> None:
    other = SPLIT.replace("age: { type: string }", "age: { type: integer }")
    write(project, other, f"{DRAFT}\n")
    try:
        answer = json.loads(dateline("gate", "--dry-run", "--format", "json").out)
        Draft202012Validator(json.loads(schema("gate"))).validate(answer)
        found = [(each["name"], each["signatures"]) for each in answer["converters"]]
        assert ("Person.age", ["older_person_age(value: int) -> str"]) in [
            (name, signatures[:1]) for name, signatures in found
        ]
        text = dateline("gate", "--dry-run")
        assert "    older_person_age(value: int) -> str\n" in text.err
    finally:
        write(project, SPLIT, f"{DRAFT}\n")


def test_converters_are_tried_with_generated_values(project: Path) -> None:
    def tried(name: str, *more: str) -> tuple[int, str]:
        outcome = dateline("try", "--converters", f"people:{name}", *more)
        return outcome.status, outcome.out + outcome.err

    assert tried("Converters") == (
        0,
        "Person before next: older_person, newer_person\n"
        "  100 values: all results fit, and all values come back\n"
        "1 converter tried: no faults\n",
    )
    status, out = tried("Lossy", "newer_person")
    assert (status, "does not come back: " in out) == (1, True)
    status, out = tried("Lossy", "--format", "json")
    answer = json.loads(out)
    Draft202012Validator(json.loads(schema("try"))).validate(answer)
    [one] = answer["converters"]
    faults = {(each["kind"], each["call"][:13]) for each in one.pop("faults")}
    assert (status, faults) == (1, {("does not come back", "newer_person(")})
    assert one == {
        "name": "Person",
        "before": "next",
        "methods": ["older_person", "newer_person"],
        "values": 100,
        "refused": 0,
    }
    for name in ("Person", "person", "older_person", "newer_person"):
        assert tried("Lossy", "--lossy", name, "--values", "2")[0] == 0
    status, out = tried("Wrong", "--values", "5")
    assert status == 1
    assert "does not fit: 5 of 10 values" in out
    assert '/name: 3 is not of type "string"' in out
    status, foreign = tried("Foreign", "--values", "5")
    assert (status, "does not fit: 10 of 10 values" in foreign) == (1, True)
    assert "/rank: the converter older_person makes a value of the type Decimal for" in foreign
    assert "fails: 5 of 10 values" in out
    assert "KeyError: 'lost'" in out
    status, out = tried("Lacking")
    assert (status, "missing\n    newer_person(value" in out) == (1, True)
    lossy = ("--lossy", "person", "--values", "9")
    status, out = tried("Refusing", *lossy)
    assert (status, "refused: 9 of 18 values" in out, "no such name" in out) == (1, True, True)
    status, out = tried("Picky", *lossy)
    assert (status, " refused: all results fit" in out) == (0, True)
    for name in ("None", ""):
        assert tried(name)[0] == 2
    status, out = tried("Converters", "older_persn")
    assert status == 2
    assert "no converter 'older_persn' is demanded; did you mean 'older_person'?" in out
    assert dateline("try").status == 2
    (project / "dateline.toml").write_text('converters = "people:Converters"\n')
    try:
        assert dateline("try").status == 0
    finally:
        (project / "dateline.toml").unlink()


OPTIONAL = """\
      required: [first]
      properties:
        first: { type: string, pattern: '^[a-z]+$' }
        last: { type: [string, 'null'], pattern: '^[a-z]+$' }
        titles: { type: array, maxItems: 1, items: { type: string, pattern: '^[a-z]+$' } }
        home: { type: object, properties: { town: { type: string, pattern: '^[a-z]+$' } } }
        cents: { type: integer, minimum: -999, maximum: 999, x-was: { next: PRICE } }
      x-was:
        next:
          in-place-of: [first, last, titles, home]
          required: [name]
          properties: { name: { type: string, pattern: '^[a-z]+,[a-z]*,[a-z]*,[a-z]*$' } }
""".replace(
    "PRICE", "{ type: string, minimum: null, maximum: null, pattern: '^(AMOUNT)$' }"
).replace("AMOUNT", "-?[1-9][.][0-9]{2}|0[.][0-9]{2}|-0[.]0[1-9]|-0[.][1-9][0-9]")
CAREFUL = """
class Careful:
    def older_person(self, value):
        home = value.get("home", {}).get("town", "")
        titles = " ".join(value.get("titles", []))
        return {"name": ",".join([value["first"], value.get("last") or "", titles, home])}

    def newer_person(self, value):
        first, last, titles, town = value["name"].split(",")
        newer = {"first": first, "titles": titles.split()}
        newer |= {"last": last} if last else {}
        return newer | ({"home": {"town": town}} if town else {})

    def older_person_cents(self, value):
        return f"{'-' if value < 0 else ''}{abs(value) // 100}.{abs(value) % 100:02}"

    def newer_person_cents(self, value):
        return int(value.replace(".", ""))
"""


@pytest.mark.parametrize(
    ("right", "wrong", "fault"),
    [
        ('value.get("titles", [])', 'value["titles"]', "KeyError: 'titles'"),
        ('value.get("titles", [])', '[value.get("titles", ["a"])[0]]', "IndexError"),
        ('value.get("last") or ""', 'value.get("last", "")', "TypeError"),
        ('value.get("last") or ""', 'value["last"] or ""', "KeyError: 'last'"),
        ('value.get("home", {}).get("town", "")', 'value["home"]["town"]', "KeyError: 'town'"),
        ("abs(value) // 100", "value // 100", "does not fit"),
        (
            "return f\"{'-' if value < 0 else ''}",
            "return f\"{'-' if 100 / value < 0 else ''}",
            "Zero",
        ),
        ("titles.split()}", "titles.split() if town else []}", 'name was "'),
    ],
)
def test_converters_are_tried_with_rare_values(
    project: Path, monkeypatch: pytest.MonkeyPatch, right: str, wrong: str, fault: str
) -> None:
    write(project, OPTIONAL, f"{DRAFT}\n")
    monkeypatch.delitem(sys.modules, "careful", raising=False)
    assert right in CAREFUL
    broken = CAREFUL.replace("Careful", "Broken").replace(right, wrong)
    (project / "careful.py").write_text(CAREFUL + broken)
    try:
        lossy = ("--lossy", "person", "--lossy", "person_cents")
        kept = dateline("try", "--converters", "careful:Careful", *lossy)
        assert (kept.status, kept.out.count("all values come back")) == (0, 2)
        tried = dateline("try", "--converters", "careful:Broken", *lossy)
        assert (tried.status, fault in tried.out) == (1, True)
    finally:
        write(project, SPLIT, f"{DRAFT}\n")


CONTENT = {
    "application/x-www-form-urlencoded": "",
    "application/xml": "",
    "multipart/form-data": "",
    "text/csv": "example: 'age,9', ",
    "text/tab-separated-values": "",
}
BODY = """\
      required: [id, tags, home, age]
      xml: { name: person, prefix: s, namespace: 'urn:shop' }
      properties:
        id: { type: string, enum: ['a&b"<'], xml: { attribute: true } }
        tags:
          { type: array, minItems: 2, maxItems: 2, items: { const: x }, xml: { wrapped: true } }
        home: { type: object, required: [town], properties: { town: { const: 'R m' } } }
        age: { type: integer, const: 7, x-was: { next: { type: string, const: '8' } } }
"""
HOME = '{"town": "R m"}'
KEPT = """
CALLS = {}


class Bodies:
    def older_person_age(self, value):
        return "8"

    def newer_person_age(self, value):
        return 7

    def __getattr__(self, name):
        if not name.startswith(("newer_put", "older_put")):
            raise AttributeError(name)

        def keep(value, context):
            CALLS.setdefault(name, {}).setdefault(context.version, value)
            return self.result or value

        return keep

    result = None


class Broken(Bodies):
    result = "<a>"


class Wrong(Bodies):
    result = 1


class Refusing(Bodies):
    @property
    def result(self):
        raise ValueError("no")
"""


def test_converters_of_bodies_get_what_is_served(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = "schema: { $ref: '#/components/schemas/Person' }"
    content = ", ".join(f"{name}: {{ {more}{schema} }}" for name, more in CONTENT.items())
    json_only = f"{{ application/json: {{ {schema} }} }}"
    write(project, BODY, f"{DRAFT}\n")
    api = project / "schemas" / "api.yaml"
    text = api.read_text().replace(json_only, f"{{ {content} }}", 1)
    api.write_text(text.replace(json_only, f"{{ application/xml: {{ {schema} }} }}", 1))
    (project / "bodies.py").write_text(KEPT)
    monkeypatch.delitem(sys.modules, "bodies", raising=False)
    values = ("--values", "1")
    try:
        tried = dateline("try", "--converters", "bodies:Bodies", *values)
        broken = dateline("try", "--converters", "bodies:Broken", "older_put_person_200", *values)
        wrong = dateline("try", "--converters", "bodies:Wrong", "newer_put_person_request", *values)
        refusing = dateline("try", "--converters", "bodies:Refusing", *values)
    finally:
        write(project, SPLIT, f"{DRAFT}\n")
    assert (tried.status, broken.status, wrong.status) == (1, 1, 1)
    assert refusing.out.count("  refused: 1 of 1 values\n") == 5
    # what can't be generated, and has no example, is reported
    assert tried.out.count("  1 values: all results fit\n") == 5
    assert "text/tab-separated-values can't be generated: write an `example`" in tried.out
    assert "7 converters tried, 1 with faults" in tried.out
    assert "it is no XML" in broken.out
    assert "it is no text" in wrong.out
    xml = (
        '<s:person xmlns:s="urn:shop" id=\'a&amp;b"&lt;\'><tags><tags>x</tags><tags>x</tags></tags>'
        "<home><town>R m</town></home><age>AGE</age></s:person>"
    )
    fields = [("id", 'a&b"<'), ("tags", "x"), ("tags", "x"), ("home", HOME), ("age", "8")]
    parts = [
        f'--dateline\r\nContent-Disposition: form-data; name="{name}"\r\n'
        + "Content-Type: application/json\r\n" * (text is HOME)
        + f"\r\n{text}\r\n"
        for name, text in fields
    ]
    request = "newer_put_person_request"
    calls = sys.modules["bodies"].CALLS
    assert {name: each.pop("2024-01-15") for name, each in calls.items()} == {
        "older_put_person_200": xml.replace("AGE", "7"),
        request: "id=a%26b%22%3C&tags=x&tags=x&town=R%20m&age=8",
        f"{request}_again_2": xml.replace("AGE", "8"),
        f"{request}_again_3": "".join(parts) + "--dateline--\r\n",
        f"{request}_again_4": "age,9",
    }


@pytest.mark.usefixtures("project")
def test_check_counts_information_when_nothing_has_changed() -> None:
    assert dateline("generate").status == 0
    short = f"{NO_FINDINGS} (1 information: see --format text)\n"
    # the plain command takes a shortcut without parsing
    for arguments in ([], ["--output", "generated"]):
        assert dateline("check", *arguments).out == short
    for arguments in (["--format", "text"], ["--waived"]):
        assert dateline("check", *arguments).out.splitlines()[-1] == "1 information"
