"""Compare parameters, bodies, responses, headers and their parts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

from dateline.diff.compare import SchemaComparison
from dateline.diff.documents import DocumentIndex, NodeText
from dateline.diff.graph import CARRIERS, Kinds, NodePair, align, identity
from dateline.diff.keywords import EXTENSION, KEYWORD, LINK, compare_whole, kinds_of
from dateline.diff.media_types import (
    Entries,
    find_range,
    fold_media_type,
    fold_names,
    list_more_types,
)
from dateline.diff.schemas import Schemas
from dateline.diff.spellings import find_wider_types, read_spelling
from dateline.diff.views import SchemaView
from dateline.model import Kind
from dateline.openapi import ADDITIONAL, METHODS, OBJECTS
from dateline.schema.dialect import NOTES, is_old
from dateline.schema.parts import NOTHING, Part, Parts
from dateline.schema.references import Located, escape
from dateline.schema.values import text

# The encodings of body parts that are identified by position rather than by name.
_OF_ITEMS: Final = ("prefixEncoding", "itemEncoding")

# Keys with objects that are compared separately.
_NESTED: Final[dict[str, frozenset[str]]] = {
    "parameter": frozenset({"name", "in", "schema", "content"}),
    "header": frozenset({"schema", "content"}),
    "request-body": frozenset({"content"}),
    "response": frozenset({"headers", "content", "links"}),
    "media-type": frozenset({"schema", "itemSchema", "encoding", *_OF_ITEMS}),
    "encoding": frozenset({"headers", "encoding", *_OF_ITEMS}),
}
# The kinds of changes for an addition, a removal and a rename of each.
_KINDS: Final = {
    "parameter": Kinds(Kind.PARAMETER_ADDED, Kind.PARAMETER_REMOVED, Kind.PARAMETER_RENAMED),
    "request-body": Kinds(Kind.BODY_ADDED, Kind.BODY_REMOVED),
    "media-type": Kinds(Kind.MEDIA_TYPE_ADDED, Kind.MEDIA_TYPE_REMOVED),
    "response": Kinds(Kind.RESPONSE_ADDED, Kind.RESPONSE_REMOVED),
    "header": Kinds(Kind.HEADER_ADDED, Kind.HEADER_REMOVED, Kind.HEADER_RENAMED),
}
_SCALARS: Final = {"string", "integer", "number", "boolean"}
# The types of values without names in them.
_UNNAMED: Final = {*_SCALARS, "array"}
_FLAGS: Final = ("required", "deprecated", "allowEmptyValue", "allowReserved")
# Media types, in a pointer, whose bodies are not plain octets.
_OF_TEXT: Final = re.compile(r"^(text|multipart)~1|json|xml|urlencoded|\*", re.IGNORECASE)
# The default style of a parameter (OpenAPI 3.1.1, section 4.8.12.2).
_STYLES: Final = {"query": "form", "cookie": "form", "path": "simple", "header": "simple"}


class Thing:
    """An object outside schemas, its reference followed; keys beside the reference win."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    @classmethod
    def at(cls, document: DocumentIndex, located: Located) -> Thing:
        """Return the object that *located* is or refers to."""
        return cls(parts_of(document, located))

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
        """Return the entries of the mapping under *key*; none if it is not a mapping."""
        found = self.get(key)
        if found is None or not isinstance(found.value, dict):
            return {}
        return {
            str(name): Located(value, f"{found.pointer}/{escape(str(name))}")
            for name, value in found.value.items()
        }

    def items(self, key: str) -> list[Located]:
        """Return the items of the list under *key*; none if it is not a list."""
        found = self.get(key)
        if found is None or not isinstance(found.value, list):
            return []
        return [Located(value, f"{found.pointer}/{at}") for at, value in enumerate(found.value)]

    def operations(self, *, modern: bool) -> dict[str, Located]:
        """Return the operations of a path item by method, in the order of the specification.

        Those that OpenAPI 3.2 added are operations in a *modern* document only.
        """
        methods = METHODS if modern else [method for method in METHODS if method not in MODERN]
        found = {method: self.get(method) for method in methods}
        known = {method: node for method, node in found.items() if node is not None}
        return known | (self.entries(ADDITIONAL) if modern else {})

    @property
    def content(self) -> dict[str, Any]:
        """The values of all keys."""
        return {key: self.value(key) for key in self.keys()}

    @property
    def node(self) -> Any:
        """The object itself, after all references."""
        return self.parts[-1].node if self.parts else None

    @property
    def pointer(self) -> str:
        return self.parts[-1].pointer if self.parts else ""


MODERN: Final = frozenset({"query", ADDITIONAL})
"""The keys of a path item that hold operations since OpenAPI 3.2."""

_REFERENCE: Final = frozenset({"$ref"})


def parts_of(document: DocumentIndex, located: Located) -> Parts:
    """Return a node followed by its targets."""
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


@dataclass
class MessageComparison:
    """Compares the parts of messages; the schemas below wait in the graph."""

    schemas: SchemaComparison

    def __post_init__(self) -> None:
        self.graph = self.schemas.graph
        self.survey = self.schemas.survey
        self.before = self.schemas.before.document
        self.after = self.schemas.after.document
        # by kind and text, the one pair for all objects with that text on both sides; None if they
        # reach nothing unequal
        self._alike: dict[tuple[str, NodeText], NodePair | None] = {}

    def pair(self, kind: str, before: Located, after: Located) -> NodePair:
        """Return the pair of two objects of *kind*, references followed."""
        return self.graph.pair(kind, parts_of(self.before, before), parts_of(self.after, after))

    def link(
        self, pair: NodePair, kind: str, before: Located, after: Located, carrier: int = 0
    ) -> None:
        """Compare two objects below *pair*; those with the same text are compared once for all."""
        shared = self.survey.equal(before.value, after.value)
        if shared is None:
            below: NodePair | None = self.pair(kind, before, after)
        elif (kind, shared) in self._alike:
            below = self._alike[kind, shared]
        else:
            below = self.pair(kind, before, after) if self.survey.reaches(shared) else None
            self._alike[kind, shared] = below
        if below is not None:
            pair.reach(below, before, after, carrier)

    def _have_same_examples(self, before: Thing, after: Thing) -> bool:
        """Return whether both have equal examples, wherever these are written."""
        ours, theirs = (
            {name: Thing.at(side, node).content for name, node in thing.entries("examples").items()}
            for side, thing in ((self.before, before), (self.after, after))
        )
        return bool(ours) and text(ours) == text(theirs)

    def compare(self, pair: NodePair) -> None:
        """Add the differences between the objects of *pair*."""
        if len(pair.before) == len(pair.after) == 1 and self.survey.is_settled(
            pair.before[0].node, pair.after[0].node
        ):
            return
        before, after = Thing(pair.before), Thing(pair.after)
        nested = _NESTED[pair.kind]
        if identity(pair.before) != identity(pair.after):
            left_out = {"examples"} if self._have_same_examples(before, after) else set()
            if pair.kind in ("parameter", "header") and self._ignore_explode(before, after):
                left_out.add("explode")
            if pair.kind == "encoding" and _add_types(pair, before, after):
                left_out.add("contentType")
            compare_keys(pair, pair.kind, before, after, nested | left_out)
        for key in sorted({"schema", "itemSchema"} & nested):
            self._schema(pair, key, before.get(key), after.get(key))
        if "content" in nested:
            # the content of a parameter or header is carried where the parameter is
            self._content(pair, before, after, body=pair.kind not in ("parameter", "header"))
        if "headers" in nested:
            self._headers(pair, before, after)
        if "links" in nested:
            self._links(pair, before, after)
        if "encoding" in nested:
            self._encoding(pair, before, after)
            self._encoded_items(pair, before, after)

    def _schema(
        self, pair: NodePair, key: str, before: Located | None, after: Located | None
    ) -> None:
        if pair.kind == "media-type" and self._both_binary(pair, before, after):
            return
        if before and after:
            if self.survey.is_settled(before.value, after.value):
                return
            types = self._find_wider_types(pair) if pair.kind == "parameter" else None
            if types:
                pair.add(KEYWORD, "type", *types, wider=True)
            else:
                self.schemas.link(pair, [before], [after])
        else:
            pair.compare(KEYWORD, key, before, after)

    def _both_binary(self, pair: NodePair, before: Located | None, after: Located | None) -> bool:
        """Return whether 3.0 calls a whole body binary, and 3.1 means the same without saying so.

        Source: OpenAPI Specification 3.1.1, section 4.8.14.2.
        """
        sides = ((before, self.schemas.before, after), (after, self.schemas.after, before))
        for old, schemas, new in sides:
            if old is None or not is_old(schemas.document.root) or (new and new.value):
                continue
            other = self.schemas.after if new is after else self.schemas.before
            view = schemas.read([old])
            formats = [fact.value for fact in view.facts.get("format", ())]
            is_binary = view.types == {"string"} and formats == ["binary"]
            says_more = view.facts.keys() - NOTES - {"format"} or view.below or view.unions
            if is_binary and not says_more and not is_old(other.document.root):
                return _OF_TEXT.search(pair.before[0].pointer.rpartition("/")[2]) is None
        return False

    def _ignore_explode(self, before: Thing, after: Thing) -> bool:
        """Return whether `explode` has no effect on the values of both.

        It has none on values that are neither lists nor objects, and in the style `simple` none on
        lists, whose items are separated by commas anyway (OpenAPI 3.1.1, section 4.8.12).
        """
        sides = ((self.schemas.before, before), (self.schemas.after, after))
        return all(
            (types := schemas.read(_only(one.get("schema"))).types) is not None
            and types <= (_UNNAMED if _find_style(one) == "simple" else _SCALARS) | {"null"}
            for schemas, one in sides
        )

    def _find_wider_types(self, pair: NodePair) -> tuple[Located, Located] | None:
        """Return the types of a parameter if they accept all former values and more, else None."""
        before, after = Thing(pair.before), Thing(pair.after)
        ours, theirs = (
            schemas.read(_only(side.get("schema")))
            for schemas, side in ((self.schemas.before, before), (self.schemas.after, after))
        )
        place, style = str(before.value("in", "")), _find_style(before)
        explode = before.value("explode", style == "form")
        return find_wider_types(ours, theirs, read_spelling(place, style, explode=explode is True))

    def _content(self, pair: NodePair, before: Thing, after: Thing, *, body: bool) -> None:
        carrier = CARRIERS["body"] if body else 0
        known, later = _by_media_type(before), _by_media_type(after)
        for name, ours, theirs in align(known, later):
            # a range describes what has no entry of its own
            first, second = ours or find_range(name, known), theirs or find_range(name, later)
            is_both = (ours and theirs) or (first and second and self._is_kept(name, known, later))
            if not is_both:
                # the first one of a body says which others it may not have
                keyword = "" if known or pair.kind != "request-body" else "content"
                # a body of this type still has one that is accepted
                wider = pair.kind == "request-body" and theirs is None and second is not None
                self.compare_named(
                    pair, "media-type", name, ours, theirs, carrier, keyword, wider=wider
                )
            if first and second:
                self.link(pair, "media-type", first, second, carrier)

    def _is_kept(self, name: str, before: Entries, after: Entries) -> bool:
        """Return whether an entry that one side lacks is implied by a range of both."""
        ranges = find_range(name, before), find_range(name, after)
        entry = before.get(name) or after[name]
        return all(one and self.survey.equal(one.value, entry.value) for one in ranges)

    def _headers(self, pair: NodePair, before: Thing, after: Thing) -> None:
        ours, theirs = (
            {key: (name, entries[name]) for key, name in fold_names(entries, str.lower).items()}
            for entries in (before.entries("headers"), after.entries("headers"))
        )
        renamed = {
            old.lower(): key
            for key, (_, one) in theirs.items()
            if key not in ours
            and (old := self.schemas.renames.get(one.pointer)) is not None
            and old.lower() in ours
        }
        # the headers of a part are written into the body
        carrier = CARRIERS["body" if pair.kind == "encoding" else "header"]
        for key, (name, one) in ours.items():
            new, other = theirs.get(renamed.get(key, key), (name, None))
            if other and key in renamed:
                names = Located(name, one.pointer), Located(new, other.pointer)
                pair.add(_KINDS["header"], "", *names, field=new, carrier=carrier)
            self.compare_named(pair, "header", name, one, other, carrier)
        for key, (name, one) in theirs.items():
            if key not in ours and key not in renamed.values():
                self.compare_named(pair, "header", name, None, one, carrier)

    def compare_named(
        self,
        pair: NodePair,
        kind: str,
        name: str,
        before: Located | None,
        after: Located | None,
        carrier: int = 0,
        keyword: str = "",
        shared: str = "",
        *,
        wider: bool = False,
    ) -> None:
        """Compare two objects of *kind* below *pair*, or report that one was added or removed.

        The keyword of that change is `required` if the object is required, or else *keyword*.
        """
        node = before or after
        if before and after:
            self.link(pair, kind, before, after, carrier)
        elif node:
            thing = Thing.at(self.before if before else self.after, node)
            fact = Located(thing.node, node.pointer)
            called = "required" if thing.value("required") is True else keyword
            sides = (fact, None) if before else (None, fact)
            fields: dict[str, Any] = {"field": name, "carrier": carrier, "shared": shared}
            fields["wider"] = wider
            pair.add(_KINDS[kind], called, *sides, **fields)

    def _links(self, pair: NodePair, before: Thing, after: Thing) -> None:
        for name, ours, theirs in align(before.entries("links"), after.entries("links")):
            first = ours and _resolve(self.before, ours)
            second = theirs and _resolve(self.after, theirs)
            compare_whole(pair, "link", LINK, name, first, second)

    def _encoding(self, pair: NodePair, before: Thing, after: Thing) -> None:
        entries = before.entries("encoding"), after.entries("encoding")
        if not any(entries):
            return
        # the encoding of a field is added and removed with the field
        both = self.schemas.before, self.schemas.after
        fields = [
            schemas.read(_only(side.get("schema"))).properties
            for schemas, side in zip(both, (before, after), strict=True)
        ]
        for name, *found in align(*entries):
            first, second = (
                self._without_defaults(schemas, entry, known.get(name))
                for schemas, entry, known in zip(both, found, fields, strict=True)
            )
            if first and second:
                self.link(pair, "encoding", first, second)
            elif (name in fields[0]) == (name in fields[1]):
                lone = first or second
                says = lone is not None and any(key[:2] != "x-" for key in lone.value)
                pair.compare(KEYWORD if says else EXTENSION, "encoding", first, second)

    def _encoded_items(self, pair: NodePair, before: Thing, after: Thing) -> None:
        """Compare the encodings of unnamed parts."""
        for key in _OF_ITEMS:
            both = (side.items(key) or _only(side.get(key)) for side in (before, after))
            for first, second in zip_longest(*both):
                if first and second:
                    self.link(pair, "encoding", first, second)
                else:
                    pair.compare(KEYWORD, key, first, second)

    def _without_defaults(
        self, schemas: Schemas, entry: Located | None, field: list[Located] | None
    ) -> Located | None:
        """Return the encoding of a field without defaults; None if nothing is left."""
        if entry is None or not isinstance(entry.value, dict) or not field:
            return entry
        value = entry.value
        view = schemas.read(field)
        usual: dict[str, Any] = {"contentType": _content_type(view), "headers": {}}
        if usual["contentType"] == "text/plain":
            # with a style, a value that is not text is no longer JSON (OpenAPI 3.1.1, section
            # 4.8.15.1.2)
            style = value.get("style", "form")
            usual |= {"style": "form", "explode": style == "form", "allowReserved": False}
            if _is_scalar(view) and "explode" in value:
                usual["explode"] = value["explode"]  # without effect
        left = {key: one for key, one in value.items() if key not in usual or one != usual[key]}
        if len(left) == len(value):
            return entry
        return Located(left, entry.pointer) if left else None


def _content_type(view: SchemaView) -> str | None:
    """Return the default media type of a form field, or None if it has no plain type.

    Source: OpenAPI 3.1.1, section 4.8.15.1.1.
    """
    types = (view.types or set()) - {"null"}
    if types == {"array"} and "items" in view.below:
        return _content_type(view.under("items"))
    if types == {"object"}:
        return "application/json"
    is_plain = view.facts.keys().isdisjoint({"contentEncoding", "contentMediaType", "format"})
    return "text/plain" if types and types <= _SCALARS and is_plain else None


def _is_scalar(view: SchemaView) -> bool:
    return view.types is not None and view.types <= {*_SCALARS, "null"}


def _only(node: Located | None) -> list[Located]:
    return [node] if node else []


def _resolve(document: DocumentIndex, located: Located) -> Located:
    """Return an object with what is beside the references that lead to it."""
    thing = Thing.at(document, located)
    merged = {key: thing.value(key) for key in sorted(thing.keys())}
    return Located(merged if thing.parts else located.value, located.pointer)


def _by_media_type(thing: Thing) -> dict[str, Located]:
    """Return the content by media type, whose case and blanks are folded."""
    entries = thing.entries("content")
    names = fold_names(entries, fold_media_type)
    return {key: entries[name] for key, name in names.items()}


def _add_types(pair: NodePair, before: Thing, after: Thing) -> bool:
    """Report the media types that a part may have, too; return whether it may have all it had."""
    ours, theirs = before.get("contentType"), after.get("contentType")
    if not (ours and theirs and list_more_types(ours.value, theirs.value)):
        return False
    if ours.value != theirs.value:
        pair.add(KEYWORD, "contentType", ours, theirs, wider=True)
    return True


def compare_keys(
    pair: NodePair, kind: str, before: Thing, after: Thing, nested: frozenset[str]
) -> None:
    """Compare the plain values of two objects of *kind*, without those in *nested*."""
    for key in sorted((before.keys() | after.keys()) - nested):
        ours, theirs = (_find_explicit(kind, key, side) for side in (before, after))
        pair.compare(kinds_of(key, OBJECTS[kind]), key, ours, theirs)


def _find_explicit(kind: str, key: str, thing: Thing) -> Located | None:
    """Return the value of *key* if it means more than its absence would."""
    found = thing.get(key)
    return None if found is None or found.value == _default(kind, key, thing) else found


def _default(kind: str, key: str, thing: Thing) -> Any:
    if key in _FLAGS:
        return False
    if kind not in ("parameter", "header"):
        return None
    if key == "style":
        return _STYLES.get(thing.value("in", "header"))
    return _find_style(thing) == "form" if key == "explode" else None


def _find_style(parameter: Thing) -> Any:
    """Return the style of a parameter or header, the default one if it names none."""
    return parameter.value("style", _STYLES.get(parameter.value("in", "header")))
