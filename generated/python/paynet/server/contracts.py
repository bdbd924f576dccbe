"""Validate requests and results against the contract data, with messages for callers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property, partial
from itertools import islice
from typing import Any, Final, cast

from jsonschema_rs import Draft202012Validator, ReferencingError, ValidationError

from .runtime.errors import LONGEST_QUOTE, RequestError, quote
from .runtime.media_types import find_declared, is_json
from .runtime.problems import find_component
from .runtime.values import pointer

TYPES: Final = frozenset({"null", "boolean", "object", "array", "number", "integer", "string"})

_WORDS: Final = {
    "null": "null",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "number": "a number",
    "integer": "an integer",
    "string": "a string",
}

_FORMATS: Final = {
    "date": "a date (YYYY-MM-DD)",
    "date-time": "a date-time with seconds and an offset",
    "email": "an email address",
    "time": "a time with seconds and an offset",
    "uuid": "a UUID with hyphens",
}

_PATTERNS: Final = {
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$": f"has to be {_FORMATS['date']}",
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?"
    r"([Zz]|[+-][0-9]{2}:[0-9]{2})$": f"has to be {_FORMATS['date-time']}",
    r"^[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$": (
        f"has to be {_FORMATS['time']}"
    ),
    r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)$": "has to be a decimal number, such as 12.50",
}
"""Messages for patterns that stand for a format."""

_NO_LINE_END: Final = r"[^\n\r\u2028\u2029]"
"""What `.` matches in ECMA-262, as contract data have it"""

# Messages for values that violate a keyword; {} is the keyword's value in the contract.
_BROKEN: Final = {
    "exclusiveMaximum": "has to be less than {}",
    "exclusiveMinimum": "has to be more than {}",
    "maxItems": "has to have at most {} items",
    "maxLength": "has to have at most {} characters",
    "maxProperties": "has to have at most {} fields",
    "maximum": "has to be at most {}",
    "minItems": "has to have at least {} items",
    "minLength": "has to have at least {} characters",
    "minProperties": "has to have at least {} fields",
    "minimum": "has to be at least {}",
    "multipleOf": "has to be a multiple of {}",
}

# How many errors of a value are read, to tell whether it can be converted all the same.
_MOST_ERRORS: Final = 10_000

USUAL: Final[Mapping[str, Any]] = {"style": "simple", "explode": False}
"""The style of headers that the contract data don't name."""

FindComponent = Callable[[str], Any]
"""Returns the component of a name; None if there is none."""


class Contract:
    """The request of one operation at one version, and the schemas that it refers to."""

    def __init__(self, request: Mapping[str, Any], schemas: Mapping[str, Any]) -> None:
        self.request = request
        self.unserved: Final[str] = request.get("unserved", "")
        """why the generated server can't serve the request; empty if it can"""
        self.is_lost: Final[bool] = request.get("lost", False)
        """whether nothing can, because the contract data have no way to its version"""
        self._schemas = schemas

    def validator(self, schema: Any) -> Validator:
        """Return the validator of *schema*, a schema of the request."""
        return Validator(schema, self._schemas.get)

    def parameters(self, place: str) -> dict[str, Mapping[str, Any]]:
        """Return the parameters in *place* of the request, by name."""
        return {each["name"]: each for each in self.request["parameters"] if each["in"] == place}

    def resolve(self, node: Any) -> tuple[Any, dict[str, Any]]:
        """Return *node*, a part of the request, and the schemas that it refers to.

        They are equal where the part means the same.
        """
        return node, _collect_reached(node, self._schemas.get)

    def find_counterpart(self, media_type: str, newest: Contract | None) -> str | None:
        """Return the media type in which *newest* has the request's body of *media_type*.

        It is another one, if both are JSON and their schemas mean the same. None if there is none.
        """
        known = None if newest is None else newest.request["body"]
        if newest is None or known is None:
            return None
        if find_declared(known["content"], media_type) is not None or not is_json(media_type):
            return None
        wanted = self.resolve(self.request["body"]["content"][media_type])
        found = known["content"].items()
        return next(
            (name for name, each in found if is_json(name) and newest.resolve(each) == wanted), None
        )

    def types(self, schema: Any, within: frozenset[str] = frozenset()) -> frozenset[str]:
        """Return the JSON types that values of *schema* may have; all others are invalid."""
        if not isinstance(schema, dict):
            return TYPES if schema is True else frozenset()
        found = TYPES
        name = find_component(schema)
        if name is not None and name not in within:
            found &= self.types(self._schemas.get(name, True), within | {name})
        if "type" in schema:
            type_ = schema["type"]
            listed = {type_} if isinstance(type_, str) else set(type_)
            found &= listed | ({"integer"} if "number" in listed else set())
        for known in (schema.get("enum"), [schema["const"]] if "const" in schema else None):
            if known is not None:
                found &= frozenset[str]().union(*map(_types_of, known))
        for member in schema.get("allOf", ()):
            found &= self.types(member, within)
        for union in ("anyOf", "oneOf"):
            if union in schema:
                members = (self.types(member, within) for member in schema[union])
                found &= frozenset[str]().union(*members)
        return found

    def items(self, schema: Any) -> Any:
        """Return the schema of the items of a list; true if there is none.

        Of alternatives, those that may be lists count.
        """
        return self._below(schema, "array", lambda part: part.get("items", True))

    def fields(self, schema: Any) -> tuple[frozenset[str], bool]:
        """Return the names of the fields that an object may have, and whether it may have others.

        Others count if the schema describes them, or if it names none.
        """
        names: set[str] = set()
        others = self._has_others(schema, names, frozenset())
        return frozenset(names), others or not names

    def _has_others(self, schema: Any, names: set[str], within: frozenset[str]) -> bool:
        """Add the fields of *schema* to *names*; return whether it describes others."""
        if not isinstance(schema, dict):
            return False
        names.update(schema.get("properties", ()))
        goal = find_component(schema)
        found = [bool(schema.get("additionalProperties")), "patternProperties" in schema]
        if goal is not None and goal not in within:
            below = self._schemas.get(goal, True)
            found.append(self._has_others(below, names, within | {goal}))
        for key in ("allOf", "anyOf", "oneOf"):
            found += [self._has_others(member, names, within) for member in schema.get(key, ())]
        return any(found)

    def property(self, schema: Any, name: str) -> Any:
        """Return the schema of the field *name* of an object, as `items` does."""

        def own(part: Mapping[str, Any]) -> Any:
            others = part.get("additionalProperties", True)
            return part.get("properties", {}).get(name, others)

        return self._below(schema, "object", own, lambda each: name in self.fields(each)[0])

    def _below(
        self,
        schema: Any,
        kind: str,
        own: Callable[[Mapping[str, Any]], Any],
        knows: Callable[[Any], bool] = lambda _: True,
    ) -> Any:
        """Return the schema that *own* finds below a value of *kind*.

        Of alternatives, those that the predicate *knows* accepts count, if there are any.
        """
        name = find_component(schema) if isinstance(schema, dict) else None
        if name is not None:
            return self._below(self._schemas.get(name, True), kind, own, knows)
        if not isinstance(schema, dict):
            return True
        found = own(schema)
        parts = [found, *(self._below(each, kind, own, knows) for each in schema.get("allOf", ()))]
        for union in ("anyOf", "oneOf"):
            members = [each for each in schema.get(union, ()) if kind in self.types(each)]
            members = [each for each in members if knows(each)] or members
            if members:
                below = [self._below(each, kind, own, knows) for each in members]
                parts.append(True if True in below else {"anyOf": below})
        saying = [part for part in parts if part is not True]
        return {"allOf": saying} if len(saying) > 1 else next(iter(saying), True)


class MisfitError(Exception):
    """The result of a handler does not match the canonical contract: the server's fault."""


class Contracts:
    """The constraints of requests in one environment, at any version."""

    def __init__(self, data: Mapping[str, Any], environment: str) -> None:
        self._versions = {version: at for at, version in enumerate(data["versions"])}
        self.newest: Final[str] = data["versions"][-1]
        """the version that the definitions have as they are, a draft if there is one"""
        self._requests = data["requests"]
        self._shapes = data["down"]["shapes"]
        self._statuses = data["statuses"]
        self._notations = data.get("notations", {})
        self.headers: Final = frozenset(
            name.lower()
            for responses in data["headers"].values()
            for headers in responses.values()
            for name in headers
        )
        """the headers of all responses, in lower case"""
        self._schemas = data["schemas"]
        self._shown = {**self._schemas, **data.get("shown", {})}
        self._canonical = data["canonical"]
        self._results = data["results"]
        self._event_data = data.get("event_data", {})
        self._ranges = data.get("ranges", {})
        self._answered = data.get("answered", {"results": {}, "canonical": {}})
        self.environment = environment
        self._known: dict[Any, Contract] = {}
        self._judges: dict[tuple[str, str | None, bool], Validator] = {}

    def find_versions(
        self, operation: str, usual: str, replacing: str | None = None
    ) -> dict[str, set[str]]:
        """Return the versions that have *operation*, by the path of the servers that have it.

        *usual* is that of the newest document. The path *replacing*, if given, is that of all
        operations without servers of their own. If there is no version, the paths are those of
        other environments.
        """

        def place(request: Mapping[str, Any]) -> str:
            own: str | None = request.get("prefix", replacing)
            return request.get("usual", usual) if own is None else own

        entries = [each for each in self._requests[operation] if each["request"] is not None]
        here = [each for each in entries if self._holds(each)]
        found: dict[str, set[str]] = {place(each["request"]): set() for each in here or entries}
        for version in self._versions:
            _, entry = self._entry(self._requests[operation], version)
            if (request := entry["request"]) is not None:
                found[place(request)].add(version)
        return found or {usual if replacing is None else replacing: set()}

    def has(self, operation: str) -> bool:
        """Return whether any version has *operation*."""
        entries = self._requests[operation]
        return any(entry["request"] is not None for entry in entries if self._holds(entry))

    def serves(self, operation: str) -> bool:
        """Return whether *operation* can be served at some version."""
        return any(not contract.unserved for contract in self.each(operation))

    def statuses(self, operation: str, version: str) -> frozenset[str]:
        """Return the keys of the responses that *operation* has at *version*."""
        _, entry = self._entry(self._statuses[operation], version)
        return frozenset(entry["statuses"])

    def notation(self, operation: str, version: str, key: str, header: str) -> Mapping[str, Any]:
        """Return the style in which *version* has a header of the response *key*."""
        if operation not in self._notations:
            return USUAL
        _, entry = self._entry(self._notations[operation], version)
        found: Mapping[str, Any] = entry["notations"].get(key, {}).get(header, USUAL)
        return found

    def shape(self, name: str | None, version: str) -> Any:
        """Return the node of the shape *name* on the way down to *version*, or None."""
        if name is None or name not in self._shapes:
            return None
        _, entry = self._entry(self._shapes[name], version)
        return entry["shape"]

    def fits(self, schema: Any, value: Any) -> bool:
        """Return whether *value* is valid for *schema*, a canonical one."""
        return self.judge(schema, None)(value)

    def answer_schema(self, operation: str, key: str, media_type: str) -> Any:
        """Return the schema of responses of an application of the newest version.

        *key* is that of the response. None for a media type that is not JSON.
        """
        responses = self._answered["results"].get(operation) or self._results[operation]
        schemas = responses.get(key, {})
        declared = find_declared(schemas, media_type)
        return None if declared is None else schemas[declared]

    def answer_validator(self, operation: str, key: str, media_type: str) -> Validator | None:
        """Return the validator of responses of `answer_schema`."""
        schema = self.answer_schema(operation, key, media_type)
        if schema is None:
            return None
        return self._answers.find(schema)

    def result_validator(self, operation: str, key: str, media_type: str) -> Validator | None:
        """Return the validator of canonical results; None for a media type that is not JSON."""
        schema = self._results.get(operation, {}).get(key, {}).get(media_type)
        return None if schema is None else self._handled.find(schema)

    @cached_property
    def _handled(self) -> JointValidators:
        return JointValidators(self._results.values(), self._canonical.get)

    @cached_property
    def _answers(self) -> JointValidators:
        results = {**self._results, **self._answered["results"]}
        components = {**self._canonical, **self._answered["canonical"]}
        return JointValidators(results.values(), components.get)

    def event_data(self, operation: str, key: str, media_type: str) -> Any:
        """Return the form of the items of the event stream that *operation* responds with."""
        found = self._event_data.get(operation, {}).get(key, {})
        declared = find_declared(found, media_type)
        return "json" if declared is None else found[declared]

    def ranges(self, operation: str, key: str) -> Mapping[str, str]:
        """Return the media type that is served in place of each range of a response."""
        found: Mapping[str, str] = self._ranges.get(operation, {}).get(key, {})
        return found

    def at(self, operation: str, version: str) -> Contract | None:
        """Return the request of *operation* at *version*, or None.

        Versions without a difference in it get the same object.
        """
        at, entry = self._entry(self._requests[operation], version)
        if entry["request"] is None:
            return None
        find = partial(self._find_component, self._schemas, version)
        reached = _collect_reached(entry["request"], find)
        # the data live as long as this
        key = operation, at, *((name, id(schema)) for name, schema in sorted(reached.items()))
        if key not in self._known:
            self._known[key] = Contract(entry["request"], reached)
        return self._known[key]

    def judge(self, schema: Any, version: str | None, *, is_sent: bool = False) -> Validator:
        """Return the validator of *schema* at *version*, of the canonical one if it is None.

        It is one of responses or, if it *is_sent*, of requests.
        """
        key = _write(schema), version, is_sent
        if key not in self._judges:
            find = self._canonical.get
            if version is not None:
                schemas = self._schemas if is_sent else self._shown
                find = partial(self._find_component, schemas, version)
            self._judges[key] = Validator(schema, find)
        return self._judges[key]

    def _find_component(self, schemas: Mapping[str, list[Any]], version: str, name: str) -> Any:
        """Return the one of *schemas* that is *name* at *version*; None if there is none."""
        if name not in schemas:
            return None
        _, entry = self._entry(schemas[name], version)
        return entry["schema"]

    def each(self, operation: str) -> Iterator[Contract]:
        """Yield each form that the request of *operation* has had."""
        for entry in self._requests[operation]:
            if self._holds(entry) and entry["request"] is not None:
                found = self.at(operation, entry["since"])
                if found is not None:
                    yield found

    def _entry(self, entries: list[Any], version: str) -> tuple[int, Any]:
        return next(
            (at, entry)
            for at, entry in reversed(list(enumerate(entries)))
            if self._versions[entry["since"]] <= self._versions[version] and self._holds(entry)
        )

    def _holds(self, entry: Mapping[str, Any]) -> bool:
        return self.environment in entry.get("environments", (self.environment,))


class JointValidators:
    """The validators of responses, by operation, key and media type, which are compiled together.

    They share what they refer to: alone, each would compile every component that it leads to.
    """

    def __init__(
        self, responses: Iterable[Mapping[str, Mapping[str, Any]]], find: FindComponent
    ) -> None:
        schemas = [each for keys in responses for types in keys.values() for each in types.values()]
        self._names: dict[str, str] = {}
        self._schemas: dict[str, Any] = {}
        for schema in schemas:
            if any(_references(schema)):
                name = self._names.setdefault(_write(schema), str(len(self._names)))
                self._schemas[name] = schema
        self._find = find
        self._known: dict[str, Validator] = {}

    def find(self, schema: Any) -> Validator:
        """Return the validator of *schema*, the same for equal ones."""
        written = _write(schema)
        if written not in self._known:
            name = self._names.get(written)
            joint = None if name is None else (self, name)
            self._known[written] = Validator(schema, self._find, joint)
        return self._known[written]

    @cached_property
    def compiled(self) -> Draft202012Validator | None:
        """The validator of an object with a value for each schema; None if one of them is bad."""
        with suppress(ValidationError, ReferencingError):
            return _compile({"properties": self._schemas}, self._find)
        return None


class Validator:
    """Validates values against a schema, formats included; *find* returns components by name.

    With *joint*, the schema is compiled together with others, where it has that name.
    """

    def __init__(
        self, schema: Any, find: FindComponent, joint: tuple[JointValidators, str] | None = None
    ) -> None:
        self._schema = schema
        self._find = find
        self._joint = joint

    @cached_property
    def _compiled(self) -> tuple[Draft202012Validator, list[str]]:
        """The validator, and the steps that lead to the value in what it validates."""
        # built at the first use: many are never used
        if self._joint is not None and (joint := self._joint[0].compiled) is not None:
            return joint, [self._joint[1]]
        return _compile({"allOf": [self._schema]}, self._find), []

    def fits(self, value: Any) -> bool:
        """Return whether *value* is valid."""
        validator, steps = self._compiled
        return bool(validator.is_valid({steps[0]: value} if steps else value))

    __call__ = fits

    def misfit(self, value: Any) -> str | None:
        """Return what is invalid, quoting no value; None for a valid value."""
        found = self.find_misfit(value)
        if found is None:
            return None
        place, reason = found
        return f"{pointer(place) or 'the value itself'} {reason}"

    def find_misfit(self, value: Any) -> tuple[list[str | int], str] | None:
        """Return the steps to the invalid part, and its constraint; None if *value* is valid."""
        try:
            error = self._first_error(value)
        except UnicodeEncodeError:
            return [], "has half of a surrogate pair"
        if error is None:
            return None
        place, reason = _describe(error, quotes=False)
        return place[len(self._compiled[1]) :], reason

    def list_misfits(self, value: Any) -> list[tuple[list[str | int], str]]:
        """Return the steps to each invalid part, or to a missing field, and what is wrong there.

        The value as a whole is one if there are too many.
        """
        validator, steps = self._compiled
        whole = {steps[0]: value} if steps else value
        try:
            found = [*islice(validator.iter_errors(whole), _MOST_ERRORS)]
        except UnicodeEncodeError:
            return [([], "has half of a surrogate pair")]
        if len(found) == _MOST_ERRORS:
            return [([], "has very many faults")]
        meant = (each for error in found for each in _list_meant(error))
        return [(place[len(steps) :], reason) for place, reason in map(_locate, meant)]

    def check(self, value: Any, what: str, *, depth: int = 0, within: int = 0) -> None:
        """Raise RequestError for an invalid value, saying what must change.

        *what* is the name of the value, or of what is *within* steps below it; the names of the
        first *depth* steps to a place in that follow it, the others form a JSON pointer.
        """
        error = self._first_error(value)
        if error is None:
            return
        place, reason = _describe(error, quotes=True)
        place = place[len(self._compiled[1]) + within :]
        called = " ".join([what, *(quote(str(step)) for step in place[:depth])])
        raise RequestError(f"{name_place(called, pointer(place[depth:]))} {reason}")

    def _first_error(self, value: Any) -> ValidationError | None:
        validator, steps = self._compiled
        whole = {steps[0]: value} if steps else value
        if validator.is_valid(whole):
            return None
        try:
            # stops there: a hostile value may have very many errors
            validator.validate(whole)
        except ValidationError as error:
            return error
        return None


def _compile(schema: dict[str, Any], find: FindComponent) -> Draft202012Validator:
    """Return a validator of *schema* with the components that it refers to."""
    components = {"schemas": _collect_reached(schema, find)}
    return Draft202012Validator({**schema, "components": components}, validate_formats=True)


def _write(schema: Any) -> str:
    return json.dumps(schema, sort_keys=True)


def name_place(what: str, place: str) -> str:
    """Return a phrase for *place*, a JSON pointer into *what*, which may be long."""
    return f"{what} at {_cut(place)}" if place else what


def _describe(error: ValidationError, *, quotes: bool) -> tuple[list[str | int], str]:
    """Return the place of an error and the end of a sentence that describes it."""
    kind = error.kind.name
    if kind in ("anyOf", "oneOf"):
        return _alternatives(error, quotes=quotes)
    details = error.kind.as_dict()
    place = [*error.instance_path]
    if kind == "required":
        return place, f"lacks the field {quote(details['property'])}"
    if kind in ("additionalProperties", "unevaluatedProperties"):
        return place, f"has a field that is not known, {quote(details['unexpected'][0])}"
    return place, f"{_demand(kind, details)}{_quote(error.instance) if quotes else ''}"


def _demand(kind: str, details: Mapping[str, Any]) -> str:
    if kind == "type":
        return f"has to be {' or '.join(_WORDS[name] for name in details['types'])}"
    if kind == "format":
        name = details["format"]
        return f"has to be {_FORMATS.get(name, f'of the format {name}')}"
    if kind == "const":
        return f"has to be {_text(details['expected_value'])}"
    if kind == "enum":
        return f"has to be one of {', '.join(map(_text, details['options']))}"
    if kind == "uniqueItems":
        return "has to have items that all differ"
    if kind == "pattern":
        pattern = details["pattern"].replace(_NO_LINE_END, ".")
        return _PATTERNS.get(pattern, f"has to match {pattern}")
    if kind in _BROKEN:
        return _BROKEN[kind].format(next(iter(details.values())))
    return f"does not fit the contract ({kind})"


def _alternatives(error: ValidationError, *, quotes: bool) -> tuple[list[str | int], str]:
    """Describe an error by the one alternative that the caller meant, if there is one."""
    place = [*error.instance_path]
    meant = next(_list_meant(error))
    if meant is not error:
        return _describe(meant, quotes=quotes)
    context = getattr(error.kind, "context", [])
    if context and not any(context):
        return place, "fits more than one of the alternatives"
    return place, f"fits none of the alternatives{_quote(error.instance) if quotes else ''}"


def _locate(error: ValidationError) -> tuple[list[str | int], str]:
    """Return the steps to the part that is invalid, or to the field that is missing, and why."""
    if error.kind.name == "required":
        return [*error.instance_path, error.kind.as_dict()["property"]], "is missing"
    return _describe(error, quotes=False)


def _list_meant(error: ValidationError) -> Iterator[ValidationError]:
    """Yield the errors of the one alternative that was meant; *error* if there is none."""
    place = [*error.instance_path]
    context = getattr(error.kind, "context", [])
    relevant = [errors for errors in context if not any(_is_other(each, place) for each in errors)]
    if len(relevant) != 1 or not relevant[0]:
        yield error
        return
    for each in relevant[0]:
        yield from _list_meant(each)


def _is_other(error: ValidationError, place: list[str | int]) -> bool:
    """Return whether *error* shows that another alternative is meant: another type or tag."""
    steps = len(error.instance_path) - len(place)
    kind = error.kind.name
    return (kind == "type" and steps == 0) or (kind in ("const", "enum") and steps == 1)


def _quote(value: Any) -> str:
    return "" if isinstance(value, dict | list) else f", not {_text(value)}"


def _text(value: Any) -> str:
    return quote(value) if isinstance(value, str) else _cut(json.dumps(value))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE] + "..."


def _types_of(value: Any) -> set[str]:
    if isinstance(value, bool):
        return {"boolean"}
    if isinstance(value, int | float):
        return {"number", "integer"} if value == int(value) else {"number"}
    names = {str: "string", list: "array", dict: "object", type(None): "null"}
    return {names[type(value)]}


def _collect_reached(schema: Any, find: FindComponent) -> dict[str, Any]:
    """Return the components that *schema* refers to, directly or indirectly."""
    found: dict[str, Any] = {}
    ahead = [*_references(schema)]
    while ahead:
        name = ahead.pop()
        if name not in found and (component := find(name)) is not None:
            found[name] = component
            ahead += _references(component)
    return found


def _references(node: Any) -> Iterator[str]:
    """Yield the components that are referred to, at any depth.

    Text that only looks like a reference, in an `enum` say, costs an additional schema and nothing
    else.
    """
    if isinstance(node, dict):
        name = find_component(node)
        if name is not None:
            yield name
        for below in cast("dict[str, Any]", node).values():
            yield from _references(below)
    elif isinstance(node, list):
        for below in node:
            yield from _references(below)
