"""Two parameters, bodies, responses or headers in, what of one differs from the other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from dateline.diff.compare import SchemaComparison
from dateline.diff.documents import ChangeSurvey, DocumentIndex
from dateline.diff.graph import CARRIERS, Graph, NodePair, identity
from dateline.diff.keywords import changed, differences, kinds_of
from dateline.diff.schemas import Schemas
from dateline.diff.spellings import ParameterReading, spelling, widened
from dateline.diff.views import SchemaView
from dateline.model import Kind
from dateline.openapi import OBJECTS
from dateline.schema.dialect import NOTES, is_old
from dateline.schema.parts import NOTHING, Part, Parts
from dateline.schema.references import Located, escape

# What stands in an object of its own and is compared there.
_HELD: Final[dict[str, frozenset[str]]] = {
    "parameter": frozenset({"name", "in", "schema", "content"}),
    "header": frozenset({"schema", "content"}),
    "request-body": frozenset({"content"}),
    "response": frozenset({"headers", "content", "links"}),
    "media-type": frozenset({"schema", "encoding"}),
    "encoding": frozenset({"headers"}),
}
_ADDED: Final = frozenset(
    {
        Kind.PARAMETER_ADDED,
        Kind.BODY_ADDED,
        Kind.MEDIA_TYPE_ADDED,
        Kind.RESPONSE_ADDED,
        Kind.HEADER_ADDED,
    }
)
_FLAGS: Final = ("required", "deprecated", "allowEmptyValue", "allowReserved")
# Media types, in a pointer, whose bodies are no plain octets.
_OF_TEXT: Final = re.compile(r"^(text|multipart)~1|json|xml|urlencoded|\*", re.IGNORECASE)
# How a parameter is written where it does not say (OpenAPI 3.1.1, section 4.8.12.2).
_STYLES: Final = {"query": "form", "cookie": "form", "path": "simple", "header": "simple"}


class Thing:
    """An object outside schemas, its reference seen through; what stands beside that wins."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    def get(self, key: str) -> Located | None:
        """Return the value of *key* and where it is declared."""
        for part in self.parts:
            if key in part.node and key not in part.skip:
                return Located(part.node[key], f"{part.pointer}/{escape(key)}")
        return None

    def value(self, key: str, default: Any = None) -> Any:
        found = self.get(key)
        return default if found is None else found.value

    def keys(self) -> set[str]:
        return {key for part in self.parts for key in part.node if key not in part.skip}

    def entries(self, key: str) -> dict[str, Located]:
        """Return the entries of the mapping under *key*; none if it is no mapping."""
        found = self.get(key)
        if found is None or not isinstance(found.value, dict):
            return {}
        return {
            str(name): Located(value, f"{found.pointer}/{escape(str(name))}")
            for name, value in found.value.items()
        }

    @property
    def node(self) -> Any:
        """The object itself, behind all references."""
        return self.parts[-1].node if self.parts else None

    @property
    def pointer(self) -> str:
        return self.parts[-1].pointer if self.parts else ""


_REFERENCE: Final = frozenset({"$ref"})


def parts_of(document: DocumentIndex, located: Located) -> Parts:
    """Return a node and, after it, what it refers to."""
    found: list[Part] = []
    met: set[int] = set()
    goal: Located | None = located
    while goal is not None and isinstance(goal.value, dict) and id(goal.value) not in met:
        node, pointer = goal
        met.add(id(node))
        goal = document.locate(node["$ref"]) if "$ref" in node else None
        if goal is None:
            found.append(Part(node, pointer, NOTHING))
        elif len(node) > 1:
            found.append(Part(node, pointer, _REFERENCE))
    return tuple(found)


class MessageComparison:
    """Compares what messages are made of; the schemas below wait in the graph."""

    def __init__(
        self,
        graph: Graph,
        survey: ChangeSurvey,
        schemas: SchemaComparison,
        renames: Mapping[str, str],
    ) -> None:
        self.graph = graph
        self.survey = survey
        self.schemas = schemas
        self.before = schemas.before.document
        self.after = schemas.after.document
        self.renames = renames
        # by kind and text, what stands for all objects with that text on both sides; None if
        # they reach nothing unequal
        self._alike: dict[tuple[str, str], NodePair | None] = {}

    def pair(self, kind: str, before: Located, after: Located) -> NodePair:
        """Return the pair of two objects of *kind*, references seen through."""
        return self.graph.pair(kind, parts_of(self.before, before), parts_of(self.after, after))

    def link(
        self, pair: NodePair, kind: str, before: Located, after: Located, carrier: int = 0
    ) -> None:
        """Compare two objects below *pair*; those of one text are compared once for all."""
        shared = self.survey.equal(before.value, after.value)
        if shared is None:
            below: NodePair | None = self.pair(kind, before, after)
        elif (kind, shared.written) in self._alike:
            below = self._alike[kind, shared.written]
        else:
            below = self.pair(kind, before, after) if self.survey.reaches(shared) else None
            self._alike[kind, shared.written] = below
        if below is not None:
            pair.reach(below, before, after, carrier)

    def compare(self, pair: NodePair) -> None:
        """Note in *pair* how its objects differ."""
        if len(pair.before) == len(pair.after) == 1 and self.survey.settled(
            pair.before[0].node, pair.after[0].node
        ):
            return
        before, after = Thing(pair.before), Thing(pair.after)
        held = _HELD[pair.kind]
        if identity(pair.before) != identity(pair.after):
            keys(pair, pair.kind, before, after, held)
        if "schema" in held:
            self._schema(pair, before, after)
        if "content" in held:
            # a parameter's or header's content is carried where the parameter is
            self._content(pair, before, after, body=pair.kind not in ("parameter", "header"))
        if "headers" in held:
            self._headers(pair, before, after)
        if "links" in held:
            self._links(pair, before, after)
        if "encoding" in held:
            self._encoding(pair, before, after)

    def _schema(self, pair: NodePair, before: Thing, after: Thing) -> None:
        ours, theirs = before.get("schema"), after.get("schema")
        if pair.kind == "media-type" and self._both_binary(pair, ours, theirs):
            return
        if ours and theirs:
            if self.survey.settled(ours.value, theirs.value):
                return
            types = self._widened(before, after) if pair.kind == "parameter" else None
            if types:
                changed(pair, Kind.KEYWORD_CHANGED, "type", *types, wider=True)
            else:
                self.schemas.link(pair, [ours], [theirs])
        else:
            differences(pair, "schema", [ours], [theirs], kinds_of("schema", ("schema",)))

    def _both_binary(self, pair: NodePair, before: Located | None, after: Located | None) -> bool:
        """Tell whether 3.0 calls a whole body binary, and 3.1 says the same by saying nothing.

        Source: OpenAPI Specification 3.1.1, section 4.8.14.2.
        """
        sides = ((before, self.schemas.before, after), (after, self.schemas.after, before))
        for old, schemas, new in sides:
            if old is None or not is_old(schemas.document.root) or (new and new.value):
                continue
            other = self.schemas.after if new is after else self.schemas.before
            view = schemas.view(schemas.parts([old]))
            formats = [fact.value for fact in view.facts.get("format", ())]
            is_binary = view.types == {"string"} and formats == ["binary"]
            says_more = view.facts.keys() - NOTES - {"format"} or view.below or view.unions
            if is_binary and not says_more and not is_old(other.document.root):
                return _OF_TEXT.search(pair.before[0].pointer.rpartition("/")[2]) is None
        return False

    def _widened(self, before: Thing, after: Thing) -> tuple[Located, Located] | None:
        """Return the types of a parameter that takes all it took, and more; None if not so."""
        ours, theirs = (
            ParameterReading(schemas, schemas.view(schemas.parts(_only(side.get("schema")))))
            for schemas, side in ((self.schemas.before, before), (self.schemas.after, after))
        )
        place = str(before.value("in", ""))
        style = before.value("style", _STYLES.get(place, ""))
        explode = before.value("explode", style == "form")
        return widened(ours, theirs, spelling(place, style, explode=explode is True))

    def _content(self, pair: NodePair, before: Thing, after: Thing, *, body: bool) -> None:
        ours, theirs = (by_media_type(side) for side in (before, after))
        carrier = CARRIERS["body"] if body else 0
        for name in sorted(ours.keys() | theirs.keys()):
            if name in ours and name in theirs:
                self.link(pair, "media-type", ours[name], theirs[name], carrier)
            elif name in theirs:
                self.lone(pair, Kind.MEDIA_TYPE_ADDED, name, theirs[name], carrier)
            else:
                self.lone(pair, Kind.MEDIA_TYPE_REMOVED, name, ours[name], carrier)

    def _headers(self, pair: NodePair, before: Thing, after: Thing) -> None:
        ours, theirs = (
            {name.lower(): (name, one) for name, one in side.entries("headers").items()}
            for side in (before, after)
        )
        renamed = {
            old.lower(): key
            for key, (_, one) in theirs.items()
            if key not in ours
            and (old := self.renames.get(one.pointer)) is not None
            and old.lower() in ours
        }
        carrier = CARRIERS["header"]
        for key, (name, one) in ours.items():
            called = renamed.get(key, key)
            if called not in theirs:
                self.lone(pair, Kind.HEADER_REMOVED, name, one, carrier)
                continue
            new, other = theirs[called]
            if called != key:
                pair.add(
                    Kind.HEADER_RENAMED,
                    before_pointer=one.pointer,
                    after_pointer=other.pointer,
                    before=name,
                    after=new,
                    field=new,
                    carrier=carrier,
                )
            self.link(pair, "header", one, other, carrier)
        for key, (name, one) in theirs.items():
            if key not in ours and key not in renamed.values():
                self.lone(pair, Kind.HEADER_ADDED, name, one, carrier)

    def lone(self, pair: NodePair, kind: Kind, name: str, node: Located, carrier: int = 0) -> None:
        """Note that a named thing came or went; the keyword says if it is required."""
        added = kind in _ADDED
        thing = Thing(parts_of(self.after if added else self.before, node))
        pair.add(
            kind,
            "required" if thing.value("required") is True else "",
            before_pointer=None if added else node.pointer,
            after_pointer=node.pointer if added else None,
            before=None if added else thing.node,
            after=thing.node if added else None,
            field=name,
            carrier=carrier,
        )

    def _links(self, pair: NodePair, before: Thing, after: Thing) -> None:
        ours, theirs = before.entries("links"), after.entries("links")
        for name in sorted(ours.keys() | theirs.keys()):
            first, second = (
                _resolved(document, side[name]) if name in side else None
                for document, side in ((self.before, ours), (self.after, theirs))
            )
            differences(pair, name, [first], [second], (Kind.LINK_CHANGED,) * 3)

    def _encoding(self, pair: NodePair, before: Thing, after: Thing) -> None:
        ours, theirs = before.entries("encoding"), after.entries("encoding")
        if not (ours or theirs):
            return
        # how a field is encoded comes and goes with the field
        named = [
            view.properties
            for view in (
                self.schemas.before.view(self.schemas.before.parts(_only(before.get("schema")))),
                self.schemas.after.view(self.schemas.after.parts(_only(after.get("schema")))),
            )
        ]
        for name in sorted(ours.keys() | theirs.keys()):
            first, second = (
                self._encoded(schemas, entries.get(name), fields.get(name))
                for schemas, entries, fields in (
                    (self.schemas.before, ours, named[0]),
                    (self.schemas.after, theirs, named[1]),
                )
            )
            if first and second:
                self.link(pair, "encoding", first, second)
            elif (name in named[0]) == (name in named[1]):
                kinds = kinds_of("encoding", ("encoding",))
                differences(pair, "encoding", [first], [second], kinds)

    def _encoded(
        self, schemas: Schemas, entry: Located | None, field: list[Located] | None
    ) -> Located | None:
        """Return how a field is encoded, without what holds anyway; None if nothing is left."""
        if entry is None or not isinstance(entry.value, dict) or not field:
            return entry
        value = entry.value
        view = schemas.view(schemas.parts(field))
        usual: dict[str, Any] = {"contentType": _content_type(schemas, view), "headers": {}}
        if usual["contentType"] == "text/plain":
            # with a style, what is no text is no JSON any more (OpenAPI 3.1.1, section 4.8.15.1.2)
            style = value.get("style", "form")
            usual |= {"style": "form", "explode": style == "form", "allowReserved": False}
        left = {key: told for key, told in value.items() if key not in usual or told != usual[key]}
        if len(left) == len(value):
            return entry
        return Located(left, entry.pointer) if left else None


def _content_type(schemas: Schemas, view: SchemaView) -> str | None:
    """Return the media type of a field of a form that names none; None where it is not plain.

    Source: OpenAPI 3.1.1, section 4.8.15.1.1.
    """
    types = (view.types or set()) - {"null"}
    if types == {"array"} and "items" in view.below:
        return _content_type(schemas, schemas.view(schemas.parts(view.below["items"])))
    if types == {"object"}:
        return "application/json"
    is_plain = view.facts.keys().isdisjoint({"contentEncoding", "contentMediaType", "format"})
    scalars = {"string", "integer", "number", "boolean"}
    return "text/plain" if types and types <= scalars and is_plain else None


def _only(node: Located | None) -> list[Located]:
    return [node] if node else []


def _resolved(document: DocumentIndex, located: Located) -> Located:
    parts = parts_of(document, located)
    return Located(parts[-1].node if parts else located.value, located.pointer)


def by_media_type(thing: Thing) -> dict[str, Located]:
    """Return the content by media type; case and blanks do not count (RFC 9110, section 8.3.1)."""
    return {name.lower().replace(" ", ""): one for name, one in thing.entries("content").items()}


def keys(pair: NodePair, kind: str, before: Thing, after: Thing, held: frozenset[str]) -> None:
    """Compare the keys of two objects that hold plain values."""
    for key in sorted((before.keys() | after.keys()) - held):
        ours, theirs = (_stated(kind, key, side) for side in (before, after))
        differences(pair, key, [ours], [theirs], kinds_of(key, OBJECTS[kind]))


def _stated(kind: str, key: str, thing: Thing) -> Located | None:
    """Return the value of *key*, if it says more than its absence would."""
    found = thing.get(key)
    return None if found is None or found.value == _default(kind, key, thing) else found


def _default(kind: str, key: str, thing: Thing) -> Any:
    if key in _FLAGS:
        return False
    if kind not in ("parameter", "header"):
        return None
    style = _STYLES.get(thing.value("in", "header"))
    if key == "style":
        return style
    if key == "explode":
        return thing.value("style", style) == "form"
    return None
