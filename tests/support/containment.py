"""An oracle that finds messages that one side of an API may send and the other side refuses.

It shares no code with the differ. Every message of an operation is written as one JSON Schema for
its sender and one for its reader. jsonschema-rs decides whether the reader's schema covers the
sender's; where it can't, instances at the bounds of both are tried.

A client is a tolerant reader: it accepts unknown fields unless the contract closes the object, and
undocumented errors; everything else has to fit the contract that it knows. A server is a strict
reader. A client reads `oneOf` as `anyOf`, as generated types do; a server refuses a value that fits
two members, whatever its tag. A `readOnly` field is ignored in requests and not required there; the
same goes for `writeOnly` in responses.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any, Final, NamedTuple

from support.counterexamples import covers, find_uncovered
from support.inheritance import find_heirs

Schema = dict[str, Any]
Document = dict[str, Any]

_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_STYLES: Final = {"query": "form", "cookie": "form", "path": "simple", "header": "simple"}
_VALUES: Final = (
    *("type", "enum", "const", "required", "minProperties", "maxProperties", "dependentRequired"),
    *("multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"),
    *("maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems"),
    *("minContains", "maxContains", "format"),
)
_POSITIVE: Final = ("items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties")
_EITHER: Final = ("propertyNames", "not", "if", "then", "else", "contains")
_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS: Final = ("properties", "patternProperties", "dependentSchemas")
_INTEGERS: Final = {
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint32": (0, 2**32 - 1),
}
# Keywords that constrain nothing but change the meaning of a value.
_MEANINGS: Final = ("default", "readOnly", "writeOnly", "contentEncoding", "contentMediaType")
_SILENT: Final = (
    *("title", "description", "$comment", "example", "examples", "deprecated", "externalDocs"),
    *("$ref", "discriminator", "nullable"),
)
_KNOWN: Final = frozenset((*_VALUES, *_POSITIVE, *_EITHER, *_LISTS, *_MAPS, *_MEANINGS, *_SILENT))
_NULL: Final[Schema] = {"type": "null"}


class Flow(NamedTuple):
    """A message of an operation: the schema of its sender, and the schema of its reader."""

    by_server: bool
    sent: Schema
    read: Schema
    meanings: frozenset[tuple[str, str, str]]
    call: bool
    within: str


class Contradiction(NamedTuple):
    """What goes wrong for an older client: in which message, and an instance if one is known."""

    flow: str
    what: str
    instance: Any = None


class Answer(NamedTuple):
    """The contradictions that an older client meets; ``proved`` if the list is complete."""

    contradictions: list[Contradiction]
    proved: bool


class Encoder:
    """Writes the messages of one document as JSON Schemas."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._old = document["openapi"].startswith("3.0")
        self._heirs = find_heirs(document)

    def flows(self) -> dict[str, Flow]:
        """Return all messages by name."""
        found: dict[str, Flow] = {}
        for path, item in self._document.get("paths", {}).items():
            found |= self._item(path, item, client=True)
        for name, item in self._document.get("webhooks", {}).items():
            found |= self._item(f"WEBHOOK {name}", item, client=False)
        return found

    def _item(self, name: str, item: Any, *, client: bool, within: str = "") -> dict[str, Flow]:
        found: dict[str, Flow] = {}
        item = self._resolved(item)
        for method in _METHODS:
            if method in item:
                operation = item[method]
                label = f"{method.upper()} {name}"
                for way, message, by_server in (
                    ("request", self._request(item, operation), not client),
                    ("response", self._responses(operation), client),
                ):
                    found[f"{label} {way}"] = self._flow(
                        message, by_server=by_server, call=client, within=within
                    )
                for called, callback in operation.get("callbacks", {}).items():
                    for expression, below in self._resolved(callback).items():
                        where = f"{label} {called} {expression}"
                        found |= self._item(where, below, client=False, within=f"{label} request")
        return found

    def _flow(self, message: _Message, *, by_server: bool, call: bool, within: str) -> Flow:
        return Flow(
            by_server,
            self._closed(message.encoded(self, _Role(sender=True, server=by_server))),
            self._closed(message.encoded(self, _Role(sender=False, server=not by_server))),
            frozenset(self._meanings(message)),
            call,
            within,
        )

    def _resolved(self, node: Any) -> Any:
        while isinstance(node, dict) and str(node.get("$ref", "")).startswith("#/"):
            target: Any = self._document
            for part in node["$ref"][2:].split("/"):
                target = target[part.replace("~1", "/").replace("~0", "~")]
            node = target
        return node

    # Messages

    def _request(self, item: Schema, operation: Schema) -> _Message:
        places: dict[str, dict[str, _Value]] = {place: {} for place in _STYLES}
        for parameter in (*item.get("parameters", []), *operation.get("parameters", [])):
            reported = self._resolved(parameter)
            place, name = reported["in"], reported["name"]
            style = reported.get("style", _STYLES[place])
            explode = reported.get("explode", style == "form")
            places[place][name.lower() if place == "header" else name] = _Value(
                self._schema_of(reported), reported.get("required") is True, f"{style} {explode}"
            )
        body = self._resolved(operation.get("requestBody"))
        security = operation.get("security", self._document.get("security", []))
        return _Message(
            [
                _Case(
                    "",
                    places,
                    self._content(body) if body else None,
                    body is not None and body.get("required") is not True,
                    json.dumps(security, sort_keys=True),
                )
            ]
        )

    def _responses(self, operation: Schema) -> _Message:
        cases = []
        for status, response in operation.get("responses", {}).items():
            if status.startswith("x-"):
                continue
            reported = self._resolved(response)
            headers = {
                name.lower(): _Value(self._schema_of(header), header.get("required") is True, "")
                for name, one in reported.get("headers", {}).items()
                if (header := self._resolved(one)) is not None
            }
            content = self._content(reported) if reported.get("content") else None
            cases.append(_Case(str(status), {"header": headers}, content, False, ""))
        return _Message(cases)

    def _schema_of(self, reported: Schema) -> Any:
        if "schema" in reported:
            return reported["schema"]
        return next(
            (media.get("schema", True) for media in reported.get("content", {}).values()), True
        )

    @staticmethod
    def _content(reported: Schema) -> dict[str, Any]:
        return {
            name: media.get("schema", True) for name, media in reported.get("content", {}).items()
        }

    # Schemas

    def plain(self, schema: Any, role: _Role, *, positive: bool = True) -> Any:
        """Return *schema* of the document as a JSON Schema for *role*.

        Nothing is tolerated below a `not`, where accepting more would mean accepting less.
        """
        if not isinstance(schema, dict):
            return schema
        made: Schema = {key: schema[key] for key in _VALUES if key in schema}
        if "$ref" in schema:
            varies = schema["$ref"] in self._heirs.variants
            if positive and varies and id(schema) not in self._heirs.extending:
                made["$ref"] = f"variants:{schema['$ref']}"
            else:
                made["$ref"] = f"{'' if positive else 'strict:'}{schema['$ref']}"
        for key in (*_POSITIVE, *_EITHER):
            if key in schema:
                made[key] = self.plain(schema[key], role, positive=positive and key not in _EITHER)
        for key in _MAPS:
            if key in schema:
                made[key] = {
                    name: self.plain(child, role, positive=positive)
                    for name, child in schema[key].items()
                }
        for key in _LISTS:
            if key in schema:
                made[key] = [self.plain(child, role, positive=positive) for child in schema[key]]
        if positive:
            self._hide(schema, made, role)
        self._unions(schema, made, role)
        if positive and role.tolerant and "oneOf" in made:
            made.setdefault("allOf", []).append({"anyOf": made.pop("oneOf")})
        return self._old_spelling(schema, made)

    def taken(self, schema: Any, role: _Role) -> Any:
        """Return the schema of a parameter or header; a server reads any number as a string."""
        reported = self._resolved(schema)
        words = {"description", "title", "deprecated", "type", *_MEANINGS}
        bare = (
            isinstance(reported, dict)
            and reported.keys() <= words
            and reported.get("type") == "string"
        )
        if bare and not role.sender and role.server:
            return {"type": ["string", "number", "boolean"]}
        if isinstance(reported, dict) and reported.get("type") == "array" and "items" in reported:
            return {**self.plain(reported, role), "items": self.taken(reported["items"], role)}
        for key in ("anyOf", "oneOf"):
            if isinstance(reported, dict) and reported.keys() == {key} and _NULL in reported[key]:
                return {key: [self.taken(member, role) for member in reported[key]]}
        return self.plain(schema, role)

    def _hide(self, schema: Schema, made: Schema, role: _Role) -> None:
        """Accept any value for fields that don't belong in a message of this direction."""
        keyword = "readOnly" if role.in_request else "writeOnly"
        hidden = [
            name for name, child in schema.get("properties", {}).items() if self._is(child, keyword)
        ]
        for name in hidden:
            made["properties"][name] = True
        if hidden and "required" in made:
            made["required"] = [name for name in made["required"] if name not in hidden]

    def _is(self, child: Any, keyword: str) -> bool:
        if not isinstance(child, dict):
            return False
        if child.get(keyword) is True:
            return True
        parts = [*child.get("allOf", []), *([self._resolved(child)] if "$ref" in child else [])]
        for key in ("anyOf", "oneOf"):
            if _NULL in child.get(key, []):
                parts += [member for member in child[key] if member != _NULL]
        return any(self._is(part, keyword) for part in parts)

    def _variants(self, reference: str) -> Schema:
        """Return the schema for references to a discriminated component: a union of its heirs."""
        reported, names = self._heirs.variants[reference]
        return {
            "anyOf": [
                {"allOf": [{"$ref": name}, self._tagged({"$ref": name}, reported)]}
                for name in names
            ]
        }

    def _unions(self, schema: Schema, made: Schema, role: _Role) -> None:
        reported = schema.get("discriminator")
        for key in ("oneOf", "anyOf"):
            if key not in made:
                continue
            if reported and "propertyName" in reported:
                tagged = [
                    {"allOf": [below, self._tagged(member, reported)]}
                    if "$ref" in member
                    else below
                    for member, below in zip(schema[key], made[key], strict=True)
                ]
                if key == "oneOf" and not role.tolerant:
                    # the tag is only a hint: a value that fits two members is refused nevertheless
                    made.setdefault("allOf", []).append({"anyOf": tagged})
                else:
                    made[key] = tagged

    @staticmethod
    def _tagged(member: Schema, reported: Schema) -> Schema:
        """Return the constraint that a discriminator puts on values of *member*."""
        name = member["$ref"].rsplit("/", 1)[1]
        goals = {member["$ref"], name}
        tags = sorted(tag for tag, goal in reported.get("mapping", {}).items() if goal in goals)
        key = reported["propertyName"]
        return {"required": [key], "properties": {key: {"enum": tags or [name]}}}

    def _old_spelling(self, schema: Schema, made: Schema) -> Schema:
        if made.get("format") in _INTEGERS:
            low, high = _INTEGERS[made.pop("format")]
            made.setdefault("allOf", []).append({"minimum": low, "maximum": high})
        if not self._old:
            return made
        for bound in ("Minimum", "Maximum"):
            flag = made.pop(f"exclusive{bound}", None)
            if flag is True and bound.lower() in made:
                made[f"exclusive{bound}"] = made.pop(bound.lower())
            elif flag not in (True, False, None):
                made[f"exclusive{bound}"] = flag
        return {"anyOf": [made, _NULL]} if schema.get("nullable") is True else made

    def _closed(self, encoded: _Encoded) -> Schema:
        """Return a self-contained schema, which includes every component that it reaches."""
        definitions: Schema = {}

        def relocate(node: Any) -> Any:
            if isinstance(node, list):
                return [relocate(each) for each in node]
            if not isinstance(node, dict):
                return node
            made = {key: relocate(value) for key, value in node.items()}
            reference = made.get("$ref")
            if isinstance(reference, str) and not reference.startswith("#/$defs/"):
                way, _, goal = reference.rpartition(":")
                name = f"{way}.{goal.rsplit('/', 1)[1]}".lstrip(".")
                if name not in definitions:
                    definitions[name] = True
                    definitions[name] = relocate(
                        self._variants(goal)
                        if way == "variants"
                        else self.plain(
                            self._resolved({"$ref": goal}), encoded.role, positive=way != "strict"
                        )
                    )
                made["$ref"] = f"#/$defs/{name.replace('~', '~0').replace('/', '~1')}"
            return made

        schema: Schema = relocate(encoded.schema)
        return {**schema, "$defs": definitions} if definitions else schema

    # Meanings

    def _meanings(self, message: _Message) -> Iterator[tuple[str, str, str]]:
        for case in message.cases:
            for place, values in case.places.items():
                for name, value in values.items():
                    yield from self._said(value.schema, f"{case.status}/{place}/{name}", ())
            for media, schema in (case.content or {}).items():
                yield from self._said(schema, f"{case.status}/{media}", ())

    def _said(
        self, schema: Any, at: str, within: tuple[int, ...]
    ) -> Iterator[tuple[str, str, str]]:
        """Yield (place, keyword, value) for everything that gives values a meaning."""
        if not isinstance(schema, dict) or id(schema) in within or len(within) > 40:
            return
        yield at, "", ""
        within = (*within, id(schema))
        for name in schema.get("properties", {}):
            yield f"{at}.{name}", "field", ""
        for key, value in schema.items():
            # an unknown keyword may mean anything
            known = key in _KNOWN or key.startswith("x-")
            if (not known or key in _MEANINGS) and value is not False:
                yield at, key, json.dumps(value, sort_keys=True)
        if "$ref" in schema:
            yield from self._said(self._resolved({"$ref": schema["$ref"]}), at, within)
            if id(schema) not in self._heirs.extending:
                for name in self._heirs.variants.get(schema["$ref"], ({}, []))[1]:
                    yield from self._said(self._resolved({"$ref": name}), at, within)
        for key in ("allOf", "anyOf", "oneOf"):
            for child in schema.get(key, []):
                yield from self._said(child, at, within)
        for name, child in schema.get("properties", {}).items():
            yield from self._said(child, f"{at}.{name}", within)
        for key in ("items", "additionalProperties"):
            yield from self._said(schema.get(key), f"{at}.[{key}]", within)


class _Role(NamedTuple):
    sender: bool
    server: bool

    @property
    def tolerant(self) -> bool:
        return not self.sender and not self.server

    @property
    def in_request(self) -> bool:
        return self.sender is not self.server


class _Value(NamedTuple):
    schema: Any
    required: bool
    style: str


class _Encoded(NamedTuple):
    schema: Schema
    role: _Role


class _Case(NamedTuple):
    """One form of a message: a request has one, a response one for each status."""

    status: str
    places: dict[str, dict[str, _Value]]
    content: dict[str, Any] | None
    may_lack_body: bool
    security: str


class _Message(NamedTuple):
    cases: list[_Case]

    def encoded(self, encoder: Encoder, role: _Role) -> _Encoded:
        known = [case.status for case in self.cases]
        forms = []
        for case in self.cases:
            status: Schema = {"const": case.status}
            if role.tolerant and _covers_more(case.status):
                # an error without an entry of its own is read by the entry for all errors
                status = {
                    "type": "string",
                    "pattern": _pattern(case.status),
                    "not": {"enum": [each for each in known if each != case.status]},
                }
            forms.append(_form(case, status, encoder, role))
        if role.tolerant and "default" not in known:
            ranges = [_pattern(each) for each in known if _covers_more(each)]
            others: Schema = {
                "type": "string",
                "pattern": _pattern("default"),
                "not": {"anyOf": [{"enum": known}, *({"pattern": each} for each in ranges)]},
            }
            forms.append({"type": "object", "properties": {"status": others}})
        return _Encoded({"anyOf": forms} if len(forms) != 1 else forms[0], role)


def _covers_more(status: str) -> bool:
    return status == "default" or status.endswith("XX")


def _pattern(status: str) -> str:
    return "^(default|[45].*)$" if status == "default" else f"^{status[0]}.*$"


def _form(case: _Case, status: Schema, encoder: Encoder, role: _Role) -> Schema:
    properties: Schema = {"status": status, "security": {"const": case.security}}
    required = ["status", "security", *case.places]
    for place, values in case.places.items():
        properties[place] = {
            "type": "object",
            "required": [name for name, value in values.items() if value.required],
            "properties": {
                name: {
                    "type": "object",
                    "required": ["value", "style"],
                    "properties": {
                        "value": encoder.taken(value.schema, role),
                        "style": {"const": value.style},
                    },
                }
                for name, value in values.items()
            },
        }
        if place != "header" or not case.status:
            # requests contain only documented headers; responses may contain others
            properties[place]["additionalProperties"] = False
    if case.content is None:
        properties["body"] = {"const": "none"} if not case.status else True
    else:
        medias = [
            {
                "type": "object",
                "required": ["media", "value"],
                "properties": {
                    "media": {"const": _media(media)},
                    "value": encoder.plain(schema, role),
                },
            }
            for media, schema in case.content.items()
        ]
        if case.may_lack_body:
            medias.append({"const": "none"})
        properties["body"] = {"anyOf": medias} if len(medias) != 1 else medias[0]
    return {"type": "object", "required": [*required, "body"], "properties": properties}


def _media(name: str) -> str:
    return name.lower().replace(" ", "")


# Comparing


Flows = dict[str, Flow]


def flows(document: Document) -> Flows:
    """Return all messages of *document* by name."""
    return Encoder(document).flows()


def find_contradictions(ours: Flows, theirs: Flows, random: Random) -> Answer:
    """Return what a client with one document meets when the other is served."""
    found: list[Contradiction] = []
    proved = True
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in theirs:
            if ours[name].call:
                found.append(Contradiction(name, "gone"))
        elif name not in ours:
            # whoever calls a new operation expects its callbacks
            if not theirs[name].call and theirs[name].within in ("", *ours):
                found.append(Contradiction(name, "nobody listens"))
        else:
            between = _between(name, ours[name], theirs[name], random)
            found += between.contradictions
            proved = proved and between.proved
    return Answer(found, proved)


def _between(name: str, before: Flow, after: Flow, random: Random) -> Answer:
    changed = _changed_meaning(before, after)
    found = [Contradiction(name, f"another meaning: {changed}")] if changed else []
    if (before.sent, before.read) == (after.sent, after.read):
        return Answer(found, True)
    sent, read = (after.sent, before.read) if after.by_server else (before.sent, after.read)
    verdict = covers(json.dumps(read), json.dumps(sent))
    if verdict == "yes":
        return Answer(found, True)
    if verdict == "no":
        return Answer([*found, Contradiction(name, "not covered")], True)
    witness = find_uncovered(sent, read, random)
    if witness is not None:
        found.append(Contradiction(name, "refused", witness))
    return Answer(found, False)


def _changed_meaning(before: Flow, after: Flow) -> str:
    ours, theirs = (
        {place for place, key, _ in side.meanings if key == "field"} for side in (before, after)
    )
    if not after.by_server and ours - theirs:
        return f"no longer read: {min(ours - theirs)}"
    both = {place for place, key, _ in before.meanings & after.meanings if not key}
    differing = sorted(
        said
        for said in before.meanings ^ after.meanings
        if said[0] in both and said[1] not in ("", "field")
    )
    return f"{differing[0][1]} at {differing[0][0]}" if differing else ""
