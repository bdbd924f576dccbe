"""Fill the error schemas of an API with the details of a refused request."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from http import HTTPStatus
from itertools import islice, product
from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote
from uuid import UUID

from .errors import new_trace_id

MEDIA_TYPE: Final = "application/problem+json"
"""The media type of `problem_details` (RFC 9457, section 3)."""

_SCHEMAS: Final = "#/components/schemas/"

# How many ways a schema may be read, and how deep it is followed.
_WAYS: Final = 32
_DEEPEST: Final = 6

# The number of characters of a text that are an error's message.
_SHORT: Final = 500

# Fields with the kind of an error.
_CODES: Final = ("code", "error_code", "errorCode")

# Common names of fields, without case and punctuation, by the fact that they contain.
_FIELDS: Final = {
    "message": "message msg detail details description reason text error fault errormessage "
    "errormsg errordetail errordescription usermessage",
    "title": "title summary",
    "status": "status statuscode httpstatus httpstatuscode httpcode",
    "code": "code errorcode type errortype kind name error reason",
    "trace_id": "traceid requestid correlationid debugid trackingid errorid id",
    "time": "timestamp time occurredat",
    "path": "instance path",
    "is_error": "error iserror failed",
    "is_success": "success ok",
}
_SAID: Final = {
    name: tuple(fact for fact, names in _FIELDS.items() if name in names.split())
    for name in " ".join(_FIELDS.values()).split()
}

# Fields with an error of their own.
_HOLDERS: Final = frozenset(
    {"error", "errors", "fault", "faults", "problem", "problems", "failure", "exception"}
)

# Values that say only that there is an error.
_WORDS: Final = ("error", "Error", "ERROR", "errors", "fail", "failure", "failed")

# Values that say nothing.
_NOTHING: Final[tuple[Any, ...]] = (None, [])

Fits = Callable[[Any, Any], bool]
"""Takes a schema and a value; returns whether the value is valid."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """What went wrong with a request, as far as its sender may know.

    ``code`` is the kind of the problem in snake_case, ``message`` one sentence for people. A
    ``trace_id`` is in the log. ``members`` are details: why a version was rejected. The defaults of
    code and message are those of the status.
    """

    status: int
    code: str = ""
    message: str = ""
    trace_id: str | None = None
    path: str = ""
    members: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        code = re.sub(r"[^a-z]+", "_", self.title.lower().replace("'", ""))
        object.__setattr__(self, "code", self.code or code)
        object.__setattr__(self, "message", self.message or self.title)

    @property
    def title(self) -> str:
        """The phrase of the status."""
        try:
            return HTTPStatus(self.status).phrase
        except ValueError:
            return "Error"


def problem_details(problem: Problem) -> dict[str, Any]:
    """Return the problem details of RFC 9457; facts without a member become extensions."""
    details = {"title": problem.title, "status": problem.status, "detail": problem.message}
    if problem.trace_id is not None:
        details["trace_id"] = problem.trace_id
    return {**details, **problem.members}


def read_problem(status: int, content: bytes) -> Problem:
    """Return the problem that an error *content* describes: JSON, or else a short text.

    Its fields are members of the problem.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Problem(status=status)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        is_text = text.isprintable() and not any(sign in text for sign in "<{[")
        return Problem(status=status, message=text[:_SHORT] if is_text else "")
    members = value if isinstance(value, dict) else {}
    code = next((each for each in map(members.get, _CODES) if isinstance(each, str)), "")
    message = value if isinstance(value, str) else _find_message(value, _DEEPEST)
    return Problem(status=status, code=code, message=message, members=members)


def is_bare_message(content: bytes) -> bool:
    """Return whether an error *content* is an object of JSON with a message, and nothing else."""
    try:
        found = json.loads(content, object_pairs_hook=tuple)
    except (ValueError, RecursionError):
        return False
    if not isinstance(found, tuple) or len(found) != 1:
        return False
    [(name, value)] = found
    return isinstance(value, str) and "message" in _SAID.get(_normalize(name), ())


def _find_message(value: Any, depth: int) -> str:
    """Return the message in an error of JSON; empty if there is none."""
    if isinstance(value, list):
        return next(filter(None, (_find_message(each, depth - 1) for each in value[:1])), "")
    if not isinstance(value, dict) or not depth:
        return ""
    named = {_normalize(name): each for name, each in value.items()}
    messages = [named[name] for name in _FIELDS["message"].split() if name in named]
    texts = [each for each in messages if isinstance(each, str)]
    below = [*messages, *(named[name] for name in sorted(_HOLDERS & named.keys()))]
    return next(filter(None, [*texts, *(_find_message(each, depth - 1) for each in below)]), "")


class Body(NamedTuple):
    """A body that is valid for a schema, and the facts of the problem that it contains."""

    value: Any
    facts: frozenset[str]


def bodies(
    schema: Any, schemas: Mapping[str, Any], problem: Problem, fits: Fits, *, is_logged: bool
) -> list[Body]:
    """Return bodies for *problem* that are valid for *schema*, the one with most facts first.

    Fields are filled by their names and schemas, and left out if no fact is known for them; of a
    closed list, a value is used only if it is the fact itself. *schemas* are the components.
    *problem* must have a trace id, which is used if there is a field for it; without such a field,
    the message names it if *is_logged*.
    """
    found = _bodies(schema, schemas, problem, fits)
    if is_logged and not any("trace_id" in body.facts for body in found):
        # nothing else leads to the log
        message = f"{problem.message} (trace id {problem.trace_id})"
        found = _bodies(schema, schemas, replace(problem, message=message), fits)
    return found


def _bodies(schema: Any, schemas: Mapping[str, Any], problem: Problem, fits: Fits) -> list[Body]:
    filled = _Filler(schemas, problem, fits).fill(schema, "", 0)
    found = [body for body in filled if fits(schema, body.value)]
    return sorted(found, key=lambda body: -len(body.facts))


def add_trace_id(problem: Problem) -> Problem:
    """Return *problem* with a trace id."""
    return problem if problem.trace_id else replace(problem, trace_id=new_trace_id())


def format_as_uuid(trace_id: str | None) -> str | None:
    """Return *trace_id* as the UUID of the same digits."""
    return trace_id and str(UUID(trace_id))


class _Filler:
    def __init__(self, schemas: Mapping[str, Any], problem: Problem, fits: Fits) -> None:
        self._schemas = schemas
        self._problem = problem
        self._fits = fits
        code = problem.code
        words = [word.capitalize() for word in code.split("_")]
        spelt = [code, code.upper(), code.replace("_", "-"), "".join(words), " ".join(words)]
        spelt.append(spelt[3][:1].lower() + spelt[3][1:])
        self._values: dict[str, list[Any]] = {
            "message": [problem.message],
            "title": [problem.title],
            "status": [problem.status, str(problem.status), *_WORDS],
            "code": [*dict.fromkeys(spelt), problem.status, str(problem.status)],
            "trace_id": [problem.trace_id, format_as_uuid(problem.trace_id)],
            "type": ["about:blank"],
            "time": [datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")],
            "path": [problem.path] if problem.path else [],
            "is_error": [True],
            "is_success": [False],
        }

    def fill(self, schema: Any, name: str, depth: int) -> Iterator[Body]:
        """Yield values for the field *name*, or whole bodies if it is empty."""
        for parts in islice(self._ways(schema, frozenset()), _WAYS):
            types = _types(parts)
            if "object" in types:
                yield from self._object(parts, name, depth)
            if "array" in types:
                yield from self._array(parts, name, depth)
            if types & {"string", "integer", "number", "boolean"}:
                yield from self._scalar(schema, parts, name)

    def _ways(self, schema: Any, within: frozenset[str]) -> Iterator[list[dict[str, Any]]]:
        """Yield each combination of alternatives as the schemas that apply at once."""
        if not isinstance(schema, dict):
            if schema is True:
                yield [{}]
            return
        choices = [[[schema]]]
        name = find_component(schema)
        if name is not None:
            if name in within:
                return
            choices.append(list(self._ways(self._schemas.get(name, True), within | {name})))
        choices += [list(self._ways(each, within)) for each in schema.get("allOf", ())]
        for union in ("anyOf", "oneOf"):
            if union in schema:
                members = (way for each in schema[union] for way in self._ways(each, within))
                choices.append(list(islice(members, _WAYS)))
        for chosen in product(*choices):
            yield [part for way in chosen for part in way]

    def _object(self, parts: list[dict[str, Any]], name: str, depth: int) -> Iterator[Body]:
        properties: dict[str, list[Any]] = {}
        for part in parts:
            for name, schema in part.get("properties", {}).items():
                properties.setdefault(name, []).append(schema)
        required = {name for part in parts for name in part.get("required", ())}
        if not properties and not required:
            # nothing is declared about its fields
            if not name or _may_hold(name):
                yield self._open()
            if name:
                yield Body({}, frozenset())
            return
        filled: dict[str, Any] = {}
        facts = frozenset[str]()
        for field_name in [*properties, *sorted(required - properties.keys())]:
            schemas = properties.get(field_name, [True])
            schema = schemas[0] if len(schemas) == 1 else {"allOf": schemas}
            body = self._field(field_name, schema, field_name in required, properties, depth)
            if body is not None:
                filled[field_name] = body.value
                facts |= body.facts
            elif field_name in required:
                return
        yield Body(filled, facts)

    def _open(self) -> Body:
        """Return the body of an object that may contain anything."""
        problem = self._problem
        if problem.status < HTTPStatus.INTERNAL_SERVER_ERROR:
            problem = replace(problem, trace_id=None)
        details = problem_details(problem)
        return Body(
            details, frozenset({"message", *({"trace_id"} & details.keys()), *problem.members})
        )

    def _field(
        self, name: str, schema: Any, required: bool, beside: Mapping[str, Any], depth: int
    ) -> Body | None:
        called = _normalize(name)
        if name in self._problem.members and self._fits(schema, self._problem.members[name]):
            return Body(self._problem.members[name], frozenset({name}))
        for fact in self._facts(called, beside):
            for value in self._values[fact]:
                shown = self._cut(schema, value) if fact == "message" else value
                if self._fits(schema, shown):
                    return Body(shown, frozenset({fact}))
        nothing = next(
            (Body(each, frozenset()) for each in _NOTHING if self._fits(schema, each)), None
        )
        if required and nothing is not None and not _may_hold(called):
            return nothing
        if depth < _DEEPEST and (required or _may_hold(called)):
            found = [
                body
                for body in self.fill(schema, called, depth + 1)
                if not isinstance(body.value, str | int) and self._fits(schema, body.value)
            ]
            if found:
                return max(found, key=lambda body: len(body.facts))
        return nothing if required else None

    def _facts(self, called: str, beside: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the facts that a field may contain: `error` is a code beside a message."""
        facts = _SAID.get(called, ())
        if called == "type" and "title" in map(_normalize, beside):
            # as in RFC 9457, section 3.1.1
            return ("type",)
        if called in ("error", "reason"):
            others = {_normalize(name) for name in beside} - {called}
            has_message = any("message" in _SAID.get(each, ()) for each in others)
            facts = tuple(fact for fact in facts if fact != ("message" if has_message else "code"))
        return facts

    def _array(self, parts: list[dict[str, Any]], name: str, depth: int) -> Iterator[Body]:
        items = [part["items"] for part in parts if "items" in part] or [True]
        schema = items[0] if len(items) == 1 else {"allOf": items}
        if depth < _DEEPEST:
            for body in self.fill(schema, name, depth + 1):
                if self._fits(schema, body.value):
                    yield Body([body.value], body.facts)

    def _scalar(self, schema: Any, parts: list[dict[str, Any]], name: str) -> Iterator[Body]:
        """Yield the message, no longer than the schema permits, if the field may hold one."""
        if name and not _may_hold(name):
            return
        if any(key in part for part in parts for key in ("enum", "const")):
            return
        yield Body(self._cut(schema, self._problem.message), frozenset({"message"}))

    def _cut(self, schema: Any, text: str) -> str:
        for parts in islice(self._ways(schema, frozenset()), _WAYS):
            longest = [part["maxLength"] for part in parts if "maxLength" in part]
            if longest:
                return text[: int(min(longest))]
        return text


def _may_hold(called: str) -> bool:
    """Return whether a field may contain an error of its own, or a list of them, by its name."""
    return called in _HOLDERS or "message" in _SAID.get(called, ())


def _types(parts: list[dict[str, Any]]) -> set[str]:
    """Return the possible types of values of all of *parts*, as far as is worth trying."""
    types = {"object", "array", "string", "integer", "number", "boolean"}
    for part in parts:
        type_ = part.get("type")
        if type_ is not None:
            types &= {type_} if isinstance(type_, str) else set(type_)
    has_fields = any("properties" in part or "required" in part for part in parts)
    if not any("type" in part for part in parts):
        if has_fields:
            return {"object"}
        return {"array"} if any("items" in part for part in parts) else {"object"}
    return types


def _normalize(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def find_component(schema: Mapping[str, Any]) -> str | None:
    """Return the name of the component that *schema* refers to, if it refers to one."""
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith(_SCHEMAS):
        return None
    name = unquote(reference.removeprefix(_SCHEMAS))
    return name.replace("~1", "/").replace("~0", "~")


def encode_path(path: str) -> str:
    """Return *path*, decoded, in the form of a reference (RFC 3986, section 3.3)."""
    return quote(path, safe="/:@!$&'()*+,;=-._~", errors="replace")
