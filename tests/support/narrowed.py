"""Find sampled values that break the laws of narrowing and lifting."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import jsonschema_rs
import yaml

from dateline.canonical import canonical_document
from dateline.contracts import contract_data
from dateline.model import EVERYWHERE, REMOVED, SHOWN_AS, WAS, Api
from dateline.openapi import METHODS, Arrangement, follow, locate, pointer, slot, target, walk
from dateline.project import Projector
from dateline_runtime.lifting import Lifting, liftings
from dateline_runtime.narrowing import Narrowing, identity, narrowings
from support import gated_apis
from support.copies import copy_plain
from support.sampling import Sampler, with_pointers
from support.sources import loaded

Json = Any
Steps = tuple[str | int, ...]

# The name that `Sampler` gives to a field that no schema names.
_EXTRA: Final = ("extra", "other", "Zz")


class Body(NamedTuple):
    """The body of a request (without a status) or response, and the path of its schema."""

    operation: str
    status: str
    media_type: str
    schema: Steps


class Places:
    """A document whose bodies can be validated."""

    def __init__(self, document: dict[str, Any]) -> None:
        # without the source positions
        self.document: dict[str, Any] = with_pointers(json.loads(json.dumps(document)))
        self.bodies = list(self._bodies())
        self._at = {body[:3]: body.schema for body in self.bodies}
        self._known: dict[Steps, Any] = {}

    @cached_property
    def _registry(self) -> jsonschema_rs.Registry:
        return jsonschema_rs.Registry([("urn:document", self.document)])

    def defect(self, path: Steps, value: Json) -> str | None:
        """Return what is wrong with *value* according to the schema at *path*, or None."""
        if path not in self._known:
            self._known[path] = jsonschema_rs.Draft202012Validator(
                {"$ref": f"urn:document#{quote(pointer(path))}"},
                validate_formats=True,
                registry=self._registry,
            )
        validator = self._known[path]
        if validator.is_valid(value):
            return None
        # if a field is required twice, a validator may refuse it without an error
        return next((str(error.message) for error in validator.iter_errors(value)), None)

    def judge(self, schema: Any) -> Callable[[Json], bool]:
        """Return a predicate for values of *schema*, whose references lead into this document."""
        validator = jsonschema_rs.Draft202012Validator(
            _relocate(schema), validate_formats=True, registry=self._registry
        )
        return validator.is_valid

    def at(self, path: Steps) -> Any:
        node: Any = self.document
        for step in path:
            node = node[step]
        return node

    def found(self, body: Body) -> Steps | None:
        """Return the path of the schema of *body* in this document, or None."""
        return self._at.get(body[:3])

    def _bodies(self) -> Iterator[Body]:
        for template, item in self.document.get("paths", {}).items():
            for method in [method for method in METHODS if method in item]:
                here = ("paths", template, method)
                operation = {"operationId": f"{method.upper()} {template}", **item[method]}
                yield from self._contents(operation, "", (*here, "requestBody"))
                for status in operation.get("responses", {}):
                    yield from self._contents(operation, status, (*here, "responses", status))

    def _contents(self, operation: dict[str, Any], status: str, path: Steps) -> Iterator[Body]:
        held = operation["responses"].get(status) if status else operation.get("requestBody")
        if held is None:
            return
        if "$ref" in held:
            found = locate(self.document, held["$ref"])
            if found is None:
                return
            path = follow(self.document, found[1])
        for media_type, each in self.at(path).get("content", {}).items():
            if "schema" in each:
                schema = (*path, "content", media_type, "schema")
                yield Body(operation["operationId"], status, media_type, schema)


def _relocate(node: Any) -> Any:
    """Return a schema with its references redirected to the document of `Places`."""
    if isinstance(node, list):
        return [_relocate(each) for each in node]
    if not isinstance(node, dict):
        return node
    made = {key: _relocate(each) for key, each in node.items()}
    if str(node.get("$ref", "")).startswith("#"):
        made["$ref"] = f"urn:document{node['$ref']}"
    return made


def make_converters(contracts: dict[str, Any], way: str) -> dict[str, Callable[..., Json]]:
    """Return a converter for each name in *contracts*, made from the schemas before and after.

    A converter with a reason, which gets the version, changes nothing.
    """
    made: dict[str, Callable[..., Json]] = {}
    for name, said in contracts["converters"].items():
        if said[way] and "reason" in said:
            made[name] = lambda value, _: value
        elif said[way]:
            goal = said["older" if way == "down" else "newer"]
            made[name] = _converter(goal)
    return made


def _converter(goal: dict[str, Any]) -> Callable[[Json], Json]:
    if goal.get("format") == "date":
        return lambda value: value[:10]
    if goal.get("format") == "date-time":
        return lambda value: f"{value}T00:00:00Z"
    if "maxLength" in goal:
        return lambda value: value[: goal["maxLength"]]
    if "$ref" in goal:
        return lambda value: {"text": " ".join(value["words"])}
    if "properties" in goal:
        return lambda value: {"words": value["text"].split()}
    return len if "integer" in goal.get("type", ()) else str


class Law:
    """The laws of narrowing and lifting for an API, checked against its contract data.

    ``times_shown`` counts how often a value was narrowed for callers of a version.
    """

    def __init__(self, api: Api) -> None:
        self.times_shown = 0
        self.api = api
        self._projector = Projector(api)
        self._narrow: dict[tuple[str, str, Body], Callable[[Json], Json]] = {}

    @cached_property
    def contracts(self) -> dict[str, Any]:
        """The contract data after a JSON round trip."""
        made: dict[str, Any]
        made = json.loads(json.dumps(contract_data(self.api, self._projector).data))
        return made

    @cached_property
    def canonical(self) -> Places:
        return Places(canonical_document(self.api))

    @cached_property
    def received(self) -> Places:
        return Places(canonical_document(self.api, sent=True))

    @cached_property
    def shown(self) -> dict[tuple[str, str], Places]:
        """The document of each version and environment."""
        environments = [each.name for each in self.api.table.environments] or [EVERYWHERE]
        return {
            (version, environment): Places(self._projector.contract(version, environment).document)
            for environment in environments
            for version in self.api.table.dates
        }

    def having(self, contracts: dict[str, Any]) -> Law:
        """Return the law of the same API with different contract data."""
        other = copy.copy(self)
        other.contracts = contracts
        other._narrow = {}
        for made in ("down", "up"):
            other.__dict__.pop(made, None)
        return other

    @cached_property
    def _names(self) -> _Names:
        return _gated_names(self.api)

    @cached_property
    def down(self) -> dict[str, dict[str, Narrowing]]:
        known = make_converters(self.contracts, "down")
        return {
            each: narrowings(self.contracts, each, known, judge=self.judge(each))
            for each in self.contracts["environments"]
        }

    @cached_property
    def up(self) -> dict[str, dict[str, Lifting]]:
        known = make_converters(self.contracts, "up")
        return {
            each: liftings(self.contracts, each, known, judge=self.judge(each))
            for each in self.contracts["environments"]
        }

    def judge(self, environment: str) -> Callable[[Any, str | None], Callable[[Json], bool]]:
        def judge(schema: Any, version: str | None) -> Callable[[Json], bool]:
            places = self.canonical if version is None else self.shown[version, environment]
            return places.judge(schema)

        return judge

    # Narrowing

    def values(self, count: int, seed: int) -> Iterator[tuple[Body, Json]]:
        """Yield *count* canonical values, each with its body."""
        bodies = [body for body in self.canonical.bodies if body.status]
        yield from sample_bodies(self.canonical, bodies, count, seed, self._names.old)

    def breaches(self, count: int, seed: int = 1) -> Iterator[str]:
        """Yield how narrowing breaks a law for *count* canonical values."""
        yield from self.find_breaches(self.values(count, seed))

    def find_breaches(self, values: Iterable[tuple[Body, Json]]) -> Iterator[str]:
        """Yield how narrowing breaks a law for the given canonical *values*."""
        for body, value in values:
            before = copy_plain(value)
            for (version, environment), shown in self.shown.items():
                at = shown.found(body)
                if at is None:
                    continue
                self.times_shown += 1
                where = f"{version} ({environment}) {body.operation}"
                try:
                    narrowed = self.narrow(version, environment, body)(value)
                except Exception as error:
                    yield f"{where}: {json.dumps(before)}: {error!r}"
                    continue
                if value != before:
                    yield f"{where}: {json.dumps(before)}: changed what it was given"
                    value = copy_plain(before)
                for wrong in self._wrong(shown, at, value, narrowed):
                    yield f"{where}: {json.dumps(before)} -> {json.dumps(narrowed)}: {wrong}"

    def narrow(self, version: str, environment: str, body: Body) -> Callable[[Json], Json]:
        """Return the function that narrows *body*."""
        key = (version, environment, body)
        if key not in self._narrow:
            self._narrow[key] = self.down[environment][version].body(
                body.operation, int(body.status), body.media_type
            )
        return self._narrow[key]

    def _wrong(self, shown: Places, at: Steps, value: Json, narrowed: Json) -> Iterator[str]:
        defect = shown.defect(at, narrowed)
        if defect is not None:
            yield defect
        if narrowed is not value and are_same(narrowed, value):
            yield "was copied"
        hidden = self._names.hidden(shown)
        if hidden and (newer := hidden & set(_words(narrowed))):
            yield f"shows {sorted(newer)}"

    def unchanged(self, version: str, environment: str) -> list[str]:
        """Return the operations whose bodies *version* shows without any conversion."""
        shown = self.shown[version, environment]
        bodies = [body for body in self.canonical.bodies if body.status and shown.found(body)]
        changed = {
            body.operation
            for body in bodies
            if self.narrow(version, environment, body) is not identity
        }
        return sorted({body.operation for body in bodies} - changed)

    # Lifting

    def sent(
        self, version: str, environment: str, count: int, seed: int = 1
    ) -> Iterator[tuple[Body, Json]]:
        """Yield *count* request bodies that are valid at *version*."""
        shown = self.shown[version, environment]
        bodies = [body for body in shown.bodies if not body.status]
        yield from sample_bodies(shown, bodies, count, seed, self._names.now)

    def lift_breaches(self, count: int, seed: int = 1) -> Iterator[str]:
        """Yield how lifting breaks a law for *count* requests of each version."""
        for version, environment in self.shown:
            for body, value in self.sent(version, environment, count, seed):
                before = copy_plain(value)
                lift = self.up[environment][version].body(body.operation, body.media_type)
                where = f"{version} ({environment}) {body.operation}"
                try:
                    made = lift(value)
                except Exception as error:
                    yield f"{where}: {json.dumps(before)}: {error!r}"
                    continue
                if value != before:
                    yield f"{where}: {json.dumps(before)}: changed what it was given"
                at = self.received.found(body)
                assert at is not None
                defect = self.received.defect(at, made)
                if defect is not None:
                    yield f"{where}: {json.dumps(before)} -> {json.dumps(made)}: {defect}"
                if made is not value and are_same(made, before):
                    yield f"{where}: {json.dumps(before)}: was copied"


@cache
def generate_law(seed: int, *, removing: bool = True) -> Law:
    """Return the law of random definitions, generated once per process."""
    with TemporaryDirectory() as folder:
        return Law(loaded(Path(folder), gated_apis.sources(seed, removing=removing)))


_write: Final = json.JSONEncoder(sort_keys=True).encode


def are_same(one: Json, other: Json) -> bool:
    """Return whether two values are the same JSON; 1, 1.0 and true differ."""
    return one is other or (one == other and _write(one) == _write(other))


def sample_bodies(
    places: Places, bodies: list[Body], count: int, seed: int, names: list[str]
) -> Iterator[tuple[Body, Json]]:
    """Yield valid values, some with fields that have the name of another version's field."""
    pick = random.Random(seed)
    sampler = Sampler(places.document, seed)
    for _ in range(count if bodies else 0):
        body = pick.choice(bodies)
        while True:
            # steps below zero: lists and maps are still filled some levels down
            value = sampler.plausible(places.at(body.schema), -4)
            if names and pick.random() < 0.3:
                value = _renamed(value, {extra: pick.choice(names) for extra in _EXTRA})
            if places.defect(body.schema, value) is None:
                yield body, value
                break


def _renamed(value: Json, names: dict[str, str]) -> Json:
    if isinstance(value, list):
        return [_renamed(each, names) for each in value]
    if not isinstance(value, dict):
        return value
    made = {}
    for key, each in value.items():
        called = names.get(key, key)
        made[key if called in value else called] = _renamed(each, names)
    return made


def _words(value: Json) -> Iterator[str]:
    """Yield every key and string in *value*."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _words(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from _words(each)


class _Names:
    """The names of gated fields, values and tags, and the old and new names of renamed fields."""

    def __init__(self) -> None:
        self.gated: set[str] = set()
        self.old: list[str] = []
        self.now: list[str] = []
        self._hidden: dict[int, set[str]] = {}

    def hidden(self, shown: Places) -> set[str]:
        """Return the gated names that don't occur in the document *shown*."""
        if id(shown) not in self._hidden:
            words = {
                word
                for _, kind, node in walk("document", shown.document)
                if kind == "schema"
                for word in (*node.get("properties", ()), *node.get("enum", ()), node.get("const"))
                if isinstance(word, str)
            }
            # fields of components that only absent members reach are shown nowhere
            self._hidden[id(shown)] = self.gated - words
        return self._hidden[id(shown)]


def _gated_names(api: Api) -> _Names:
    names = _Names()
    for path, kind, node in walk("document", api.document):
        if kind != "schema" or len(path) < 2 or not isinstance(node, dict):
            continue
        gated = node.keys() & {"x-added", "x-removed", "x-environments"}
        if path[-2] == "properties":
            old = [
                entry.get("set", entry)["name"]
                for entry in node.get(WAS, {}).values()
                if "name" in entry.get("set", entry)
            ]
            if old or gated:
                names.gated.add(str(path[-1]))
                names.now.append(str(path[-1]))
            names.old += old
        elif gated and path[-2] == "allOf":
            names.gated.update(
                str(below[-1])
                for below, _, _ in walk("schema", node, path)
                if below[-2] == "properties"
            )
        elif gated and isinstance(node.get("const"), str):
            names.gated.add(node["const"])
        elif gated and path[-2] == "oneOf" and "$ref" in node:
            goal = target(node["$ref"])
            assert goal is not None
            names.gated.add(goal[1])
    return names


def find_detours(law: Law, table: str, folder: Path, count: int, seed: int = 1) -> Iterator[str]:
    """Yield values that are shown differently when they are narrowed by way of a newer version.

    The API of the newer version is made from the sources as of its cut, with the version *table*
    (in YAML). The sources must not remove anything at a later version.
    """
    rows = yaml.safe_load(table)
    values = list(law.values(count, seed))
    dates = law.contracts["versions"]
    for at, date in enumerate(dates[1:-1], 1):
        files = {
            "versions.yaml": json.dumps(
                {**rows, "versions": rows["versions"][: at + 1]}, default=str
            ),
            "api.yaml": json.dumps(rewind(law.api.document, date)),
        }
        then = Law(loaded(folder / date, files))
        for version in dates[:at]:
            for environment in law.contracts["environments"]:
                for body, value in values:
                    direct = law.narrow(version, environment, body)(value)
                    newer = law.narrow(date, environment, body)(value)
                    by_way = then.narrow(version, environment, body)(newer)
                    if not are_same(direct, by_way):
                        yield (
                            f"{version} by way of {date} ({environment}) {body.operation}: "
                            f"{json.dumps(value)} -> {json.dumps(direct)}, {json.dumps(by_way)}"
                        )


def rewind(document: dict[str, Any], date: str) -> dict[str, Any]:
    """Return the canonical *document* as it was when *date* was its newest version."""
    renames = {
        str(path[-1]): _name_at(str(path[-1]), node, date)
        for path, kind, node in walk("document", document)
        if kind == "schema" and path[-2:-1] == ("properties",)
    }
    made: dict[str, Any] = _rewind("document", document, date, renames)
    return made


def _name_at(name: str, node: Any, date: str) -> str:
    was: dict[str, Any]
    was = node.get(WAS, {}) if isinstance(node, dict) else {}
    for when in sorted(was, reverse=True):
        if when > date:
            name = was[when].get("set", was[when]).get("name", name)
    return name


def _is_at(node: Any, date: str) -> bool:
    if not isinstance(node, dict):
        return True
    return bool(node.get("x-added", date) <= date < node.get(REMOVED, date + "~"))


def _rewind(kind: str, node: Any, date: str, renames: dict[str, str]) -> Any:
    if not isinstance(node, dict):
        return node
    now = {key: value for key, value in node.items() if key != WAS}
    was = node.get(WAS, {})
    for when in sorted(was, reverse=True):
        if when > date:
            setting, unset = was[when].get("set", was[when]), was[when].get("unset", ())
            called = {"name"} if kind in ("schema", "header") else set()
            now |= {key: value for key, value in setting.items() if key not in called}
            now = {key: value for key, value in now.items() if key not in unset}
    older = {when: entry for when, entry in was.items() if when <= date}
    made = {
        key: _rewound_below(kind, key, value, date, renames)
        for key, value in now.items()
        if key != REMOVED or value <= date
    }
    if older:
        made[WAS] = older
    if SHOWN_AS in made:
        made[SHOWN_AS] = _called(made[SHOWN_AS], renames)
    if "required" in made and "properties" in made:
        known = {name: renames.get(name, name) for name in node["properties"]}
        there = [known.get(name, name) for name in made["required"]]
        made["required"] = [name for name in there if name in made["properties"]]
        if not made["required"]:
            del made["required"]
    if "discriminator" in made:
        kept = [member["$ref"] for member in made["oneOf"]]
        mapping = made["discriminator"]["mapping"]
        made["discriminator"] = {
            **made["discriminator"],
            "mapping": {tag: goal for tag, goal in mapping.items() if goal in kept},
        }
    return made


def _called(value: Json, renames: dict[str, str]) -> Json:
    if not isinstance(value, dict):
        return value
    return {renames.get(key, key): each for key, each in value.items()}


def _rewound_below(kind: str, key: str, value: Any, date: str, renames: dict[str, str]) -> Any:
    arrangement, below = slot(kind, key)
    if arrangement is Arrangement.ONE:
        return _rewind(below, value, date, renames)
    if arrangement is Arrangement.LIST:
        return [_rewind(below, each, date, renames) for each in value if _is_at(each, date)]
    if arrangement is Arrangement.MAP:
        return {
            _name_at(name, each, date) if below in ("schema", "header") else name: _rewind(
                below, each, date, renames
            )
            for name, each in value.items()
            if _is_at(each, date)
        }
    return value


def drop_each_gate(contracts: dict[str, Any], way: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield copies of *contracts*, each with one gate removed, and the name of that gate."""
    for path in _gates(contracts[way]["shapes"], ()):
        without = copy_plain(contracts)
        *steps, last = path
        holder = without[way]["shapes"]
        for step in steps:
            holder = holder[step]
        if steps[-1] in ("members", "types"):
            holder[last] = None
        else:
            del holder[last]
        yield pointer(path), without


def _gates(node: Any, path: Steps) -> Iterator[Steps]:
    if isinstance(node, list):
        for at, each in enumerate(node):
            yield from _gates(each, (*path, at))
    elif isinstance(node, dict):
        for key, each in node.items():
            here = (*path, key)
            if key in ("left_out", "values", "convert"):
                yield from ((*here, at) for at in range(len(each)))
            elif key == "names":
                yield from ((*here, name) for name in each)
            elif key in ("items", "extras", "then") and isinstance(each, str):
                yield here
            elif key in ("fields", "members", "types"):
                for name, below in each.items():
                    if isinstance(below, str) or (below and below.get("absent") is True):
                        yield (*here, name)
                    yield from _gates(below, (*here, name))
            elif key not in ("shown_as", "required", "declared"):
                yield from _gates(each, here)
