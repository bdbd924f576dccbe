"""Random chains of versions in which fields move between a schema and its bases or members.

Fields also get another type, become required or optional, get defaults, come and go; so do the
parts. Values are judged by jsonschema-rs and the documents alone.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

import jsonschema_rs

from support.generated_server import ask, generate_adopted
from support.random_chains import DATES

Json = Any
Schema = dict[str, Any]

_FORMS: Final[tuple[Schema, ...]] = (
    {"type": "string"},
    {"type": "string", "maxLength": 3},
    {"type": "integer"},
    {"type": "boolean"},
    {"type": "string", "enum": ["a", "b"]},
    {"type": ["string", "null"]},
    {"type": "array", "items": {"type": "integer"}},
    {"type": "object", "properties": {"k": {"type": "integer"}}, "required": ["k"]},
)
_VALUES: Final[tuple[Json, ...]] = (
    *("a", "b", "abcdef", 1, 20, True, None, [], [3], {}, {"k": 1}, {"k": "a"}),
)
_NAMES: Final = ("id", "note", "state", "size", "owner", "mark")
_DONE: Final = ("move", "move", "retype", "required", "optional", "drop", "add", "part")


def _list_valid(form: Schema) -> list[Json]:
    return [each for each in _VALUES if jsonschema_rs.is_valid(form, each)]


@dataclass
class MovingField:
    """A field of a family: the part that has it, and its form."""

    home: str
    form: Schema
    required: bool = False


@dataclass
class Family:
    """A schema at one version: its parts, each a base, inline or a member of a union."""

    name: str
    parts: dict[str, str]
    wrapped: str
    fields: dict[str, MovingField] = field(default_factory=dict)

    def list_components(self, known: frozenset[str] | None = None) -> dict[str, Schema]:
        """Return the schema and its parts; with *known*, other fields are not required."""
        own = self._describe("own", known)
        for part, how in self.parts.items():
            goal = self._describe(part, known) if how == "inline" else self._refer(part)
            own.setdefault(how if how in ("oneOf", "anyOf") else "allOf", []).append(goal)
        named = [part for part, how in self.parts.items() if how != "inline"]
        parts = {f"{part}{self.name}": self._describe(part, known) for part in named}
        return {f"T{self.name}": own, **parts}

    def _describe(self, home: str, known: frozenset[str] | None) -> Schema:
        found = {name: each for name, each in self.fields.items() if each.home == home}
        required = [n for n, e in found.items() if e.required and (known is None or n in known)]
        properties = {name: copy.deepcopy(each.form) for name, each in found.items()}
        return {
            "type": "object",
            **({"properties": properties} if properties else {}),
            **({"required": required} if required else {}),
        }

    def _refer(self, part: str) -> Schema:
        return {"$ref": f"#/components/schemas/{part}{self.name}"}

    def describe_body(self) -> Schema:
        goal = self._refer("T")
        bodies: dict[str, Schema] = {
            "list": {"type": "array", "items": goal},
            "field": {"type": "object", "properties": {"thing": goal}},
        }
        return bodies.get(self.wrapped, goal)

    def is_valid(self, value: Json, known: frozenset[str] | None = None) -> bool:
        components = {"schemas": self.list_components(known)}
        return jsonschema_rs.is_valid({**self.describe_body(), "components": components}, value)

    def sample(self, pick: Random) -> Iterator[Json]:
        """Yield a valid value, or nothing if none was found."""
        for _ in range(20):
            value = {
                name: copy.deepcopy(pick.choice(_list_valid(each.form)))
                for name, each in self.fields.items()
                if each.required or pick.random() < 0.6
            }
            value |= {"extra": 1} if pick.random() < 0.2 else {}
            found: dict[str, Json] = {"list": [value], "field": {"thing": value}}
            if self.is_valid(sent := found.get(self.wrapped, value)):
                yield sent
                return


def make_chain(seed: int, *, unions: bool, families: int = 4) -> list[list[Family]]:
    """Return the families of two to four versions, oldest first."""
    pick = Random(seed)
    now = [_start(pick, str(number), unions=unions) for number in range(families)]
    chain = [now]
    for _ in range(pick.choice((1, 1, 2, 3))):
        now = copy.deepcopy(now)
        for each in now:
            for _ in range(pick.choice((1, 1, 2))):
                _change(pick, each)
        chain.append(now)
    return chain


def _start(pick: Random, name: str, *, unions: bool) -> Family:
    how = pick.choice(("oneOf", "anyOf")) if unions else pick.choice(("base", "base", "inline"))
    parts = dict.fromkeys(("M", "N") if unions else ("M",), how)
    parts |= {"C": "base"} if pick.random() < 0.3 else {}
    family = Family(name, parts, pick.choice(("here", "here", "list", "field")))
    for each in pick.sample(_NAMES, pick.randint(2, 5)):
        family.fields[each] = _make_field(pick, family)
    return family


def _make_field(pick: Random, family: Family) -> MovingField:
    home = pick.choice(["own", *family.parts])
    return MovingField(home, _make_form(pick), pick.random() < 0.4)


def _make_form(pick: Random) -> Schema:
    form = copy.deepcopy(pick.choice(_FORMS))
    return {**form, "default": pick.choice(_list_valid(form))} if pick.random() < 0.15 else form


def _change(pick: Random, family: Family) -> None:
    name, done = pick.choice(sorted(family.fields)), pick.choice(_DONE)
    found = family.fields[name]
    if done in ("move", "retype"):
        found.home = pick.choice([each for each in ("own", *family.parts) if each != found.home])
    if done == "retype":
        found.form, found.required = _make_form(pick), pick.random() < 0.4
    elif done == "required":
        found.required = not found.required
    elif done == "optional":
        found.required = False
        found.form = {**found.form, "default": pick.choice(_list_valid(found.form))}
    elif done == "drop" and len(family.fields) > 2:
        del family.fields[name]
    elif done == "add":
        family.fields.setdefault(pick.choice(_NAMES), _make_field(pick, family))
    elif done == "part":
        unused = not any(each.home == "D" for each in family.fields.values())
        if "D" not in family.parts:
            family.parts["D"] = family.parts["M"]
        elif unused:
            del family.parts["D"]


def write_document(families: list[Family]) -> Schema:
    schemas = {name: each for family in families for name, each in family.list_components().items()}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "paths": {f"/{family.name}": {"put": _put(family)} for family in families},
        "components": {"schemas": schemas},
    }


def _put(family: Family) -> Schema:
    content = {"content": {"application/json": {"schema": family.describe_body()}}}
    return {
        "operationId": f"put{family.name}",
        "tags": ["Things"],
        "requestBody": {"required": True, **content},
        "responses": {"200": {"description": "done", **content}},
    }


class ThingHandlers:
    """Handlers that keep what they get, and return it."""

    found: Json = None

    def __getattr__(self, _: str) -> Any:
        def put(_: Any, *, body: Any) -> Any:
            self.found = _dump(body)
            return body

        return put


def _dump(body: Any) -> Json:
    if isinstance(body, list):
        return [_dump(each) for each in body]
    if isinstance(body, dict):
        return body
    return body.model_dump(mode="json", by_alias=True, exclude_unset=True)


class AnsweringBackend:
    """An application that answers what it is to."""

    answer: Json = None

    async def __call__(self, _: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(self.answer).encode()})


class ChainServer:
    """The server of a chain without converters, and an application behind `versioned`."""

    def __init__(self, chain: list[list[Family]]) -> None:
        package = generate_adopted(*map(write_document, chain))
        self.chain = chain
        self.notes = "\n".join(package.notes)
        self.times = 0
        self._handlers, self._backend = ThingHandlers(), AnsweringBackend()
        server = package.module("server")
        handlers = server.Handlers(things=self._handlers)
        self._app = server.create_app(handlers, environment="production")
        self._around = server.versioned(self._backend, environment="production")

    def breaches(self, pick: Random, count: int) -> Iterator[str]:
        """Yield the faults of *count* requests and answers of each schema and version."""
        for date, families in zip(DATES, self.chain, strict=False):
            for family, newest in zip(families, self.chain[-1], strict=True):
                for _ in range(count):
                    for sent in family.sample(pick):
                        yield from self._send(date, family, newest, sent)
                        for answer in newest.sample(pick):
                            yield from self._answer(date, family, sent, answer)

    def _send(self, date: str, family: Family, newest: Family, sent: Json) -> Iterator[str]:
        self._handlers.found = None
        headers = {"X-API-Version": date}
        response = ask(self._app, "PUT", f"/{family.name}", headers=headers, json=sent)
        found = self._handlers.found
        what = f"{date} /{family.name} {json.dumps(sent)}"
        if response.status_code == 501:
            yield from () if "converter" in self.notes else [f"{what}: 501 without a note"]
        elif found is None:
            yield f"{what}: {response.status_code} {response.text}"
        else:
            self.times += 1
            # what moves into another part of a union may be required of newer callers only
            known = frozenset(
                name
                for name, each in family.fields.items()
                if newest.fields.get(name, each).home == each.home
                or not {"oneOf", "anyOf"} & {*family.parts.values()}
            )
            if not newest.is_valid(found, known):
                yield f"{what}: handlers get {json.dumps(found)}"

    def _answer(self, date: str, family: Family, sent: Json, answer: Json) -> Iterator[str]:
        self._backend.answer = answer
        headers = {"X-API-Version": date}
        response = ask(self._around, "PUT", f"/{family.name}", headers=headers, json=sent)
        # what handlers still have to send for older callers is in a note
        is_named = "still have to send" in self.notes
        if response.status_code == 501 or (response.status_code == 500 and is_named):
            return
        self.times += 1
        known = frozenset[str]() if is_named else None
        if response.status_code != 200 or not family.is_valid(response.json(), known):
            yield f"{date} /{family.name} is sent {response.text} for {json.dumps(answer)}"
