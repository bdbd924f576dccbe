"""Find the unequal parts of two documents, and the parts that reach them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import cache, cached_property, partial
from typing import Any, Final

from dateline.openapi import COMPONENTS, WEBHOOKS, MadeName
from dateline.schema.memo import Memo, closure
from dateline.schema.references import ANCHORS, Resolver, escape, unescape
from dateline.schema.values import write_compactly, write_slowly
from dateline.schema.variants import subtypes
from dateline.schema.words import differ_in_words_alone

Key = tuple[str, str]
"""The parts of a document that can differ: (section of components, name), (`paths`, path) and the
like, or (key of the root, nothing)."""

SECTIONS: Final = frozenset({"components", "paths", *WEBHOOKS})
"""The sections that are compared entry by entry; anything else at the root is one whole."""

# Any text that may be a local reference: `$ref`, a discriminator's mapping, a link's operation.
# A text too many costs time, a text too few would hide a change.
_REFERENCE: Final = re.compile(rb'"(#[^"\\]*(?:\\.[^"\\]*)*)"')
_MAPPING: Final = re.compile(rb'"mapping":\{((?:[^{}"]++|"(?:[^"\\]++|\\.)*+")*+)\}')
_DEFAULT: Final = re.compile(rb'"defaultMapping":"([^"\\]*)"')
_MAPPED: Final = re.compile(rb':"([^"\\]*)"')
_ANCHORS: Final = tuple(f'"{key}":'.encode() for key in ANCHORS)

# The number of entries from which on a faster encoder is worth importing.
_MANY: Final = 300


class NodeText:
    """The text of a node as compact JSON, and what it refers to."""

    def __init__(self, written: bytes) -> None:
        self.written = written

    @cached_property
    def goals(self) -> tuple[Key, ...]:
        """What it refers to by pointers or names, in order and without repetition."""
        return tuple(_goals(self.written, _owners))

    @cached_property
    def has_anchor(self) -> bool:
        """Whether a reference may lead to an anchor in it."""
        return any(key in self.written for key in _ANCHORS)


class Texts:
    """The texts of nodes that several documents or comparisons share, each created once."""

    def __init__(self, root: dict[str, Any]) -> None:
        """Prepare for documents of about the size of *root*."""
        self._by_text: dict[bytes, NodeText] = {}
        self._write = _find_writer(root)
        self.of = Memo(Texts._read, owner=self)
        """Returns the text of a node; equal texts are one object."""

    def _read(self, node: Any) -> NodeText:
        return self._share(self._write(node))

    def _share(self, written: bytes) -> NodeText:
        return self._by_text.get(written) or self._by_text.setdefault(written, NodeText(written))

    def find_shared(self, before: Any, after: Any) -> NodeText | None:
        """Return the text that both nodes have, or None if they differ.

        It distinguishes `1` from `true` and from `1.0`, where `==` does not.
        """
        if before is after:
            return self.of(before)
        if before != after:
            return None
        # most nodes are compared once, so their texts are not cached by identity
        written = self._write(before)
        return self._share(written) if written == self._write(after) else None


def _find_writer(root: dict[str, Any]) -> Callable[[Any], bytes]:
    """Return a function that writes a node as compact JSON, faster for large documents."""
    components = root.get("components")
    sections = [root.get("paths"), *(components.values() if isinstance(components, dict) else ())]
    if sum(len(section) for section in sections if isinstance(section, dict)) < _MANY:
        return write_slowly
    return write_compactly


class DocumentIndex(Resolver):
    """A plain OpenAPI document, with an index of the parts that can differ from another one."""

    def __init__(self, root: dict[str, Any], texts: Texts) -> None:
        super().__init__(root)
        self.texts = texts

    @cached_property
    def entries(self) -> dict[Key, Any]:
        """Everything that may differ, by its key."""
        found = {
            (section, str(name)): node
            for section in (*COMPONENTS, "paths", *WEBHOOKS)
            for name, node in self.section(section).items()
        }
        # a reference may lead anywhere, even into an extension
        components = self.root.get("components")
        for key, node in components.items() if isinstance(components, dict) else ():
            if key not in COMPONENTS:
                found["components", str(key)] = node
        for key, node in self.root.items():
            if key not in SECTIONS and isinstance(node, dict | list):
                found[str(key), ""] = node
        return found

    @cached_property
    def made(self) -> dict[str, str]:
        """Section and address of the components with generated names, by their pointers."""
        return {
            f"/components/{section}/{escape(name)}": f"{section} {name.address}"
            for section in COMPONENTS
            for name in self.section(section)
            if isinstance(name, MadeName)
        }

    @cached_property
    def subtypes(self) -> dict[str, frozenset[str]]:
        """The schemas that extend a discriminated schema, and may be used wherever it is."""
        return subtypes(self.section("schemas"))

    @cached_property
    def anchored(self) -> bool:
        """Whether a reference may lead to an anchor."""
        return any(self.texts.of(node).has_anchor for node in self.entries.values())

    def refers_to(self, anchor: Any) -> bool:
        """Return whether something may refer to *anchor*, in this document or another one."""
        if not isinstance(anchor, str) or not anchor.isascii():
            return True
        reference = f'#{anchor}"'.encode()
        return any(reference in self.texts.of(node).written for node in self.entries.values())

    @cached_property
    def closes(self) -> bool:
        """Whether any schema depends on which fields or items another keyword has evaluated."""
        return any(b'"unevaluated' in self.texts.of(node).written for node in self.entries.values())

    @cached_property
    def referrers(self) -> dict[Key, list[Key]]:
        """What refers to each entry by a pointer, its name, or a discriminator."""
        return self.referring(lambda found: found.goals)

    def referring(self, goals: Callable[[NodeText], Iterable[Key]]) -> dict[Key, list[Key]]:
        """Return what refers to each entry; *goals* finds the targets in a text."""
        found: dict[Key, list[Key]] = {}
        for name, extending in self.subtypes.items():
            for subtype in sorted(extending):
                found.setdefault(("schemas", subtype), []).append(("schemas", name))
        for key, node in self.entries.items():
            for goal in goals(self.texts.of(node)):
                found.setdefault(goal, []).append(key)
        return found


class ChangeSurvey:
    """Which components and paths are unequal, and which of the others reach one of those.

    This runs at the speed of the JSON encoder: entries that are equal as text and reach nothing
    unequal are never walked.
    """

    def __init__(self, before: DocumentIndex, after: DocumentIndex, *, words: bool = True) -> None:
        """Compare all entries; without *words*, those that differ only in words are equal."""
        self._documents = (before, after)
        self._texts = before.texts
        ours, theirs = before.entries, after.entries
        self.unequal: set[Key] = ours.keys() ^ theirs.keys()
        self.unequal |= {
            key
            for key in ours.keys() & theirs.keys()
            if not self.are_same(ours[key], theirs[key])
            and (words or not _are_reworded(key, ours[key], theirs[key]))
        }
        self._anchored = bool(self.unequal) and (before.anchored or after.anchored)
        self.dirty = self._reaching() if self.unequal else set[Key]()

    def _reaching(self) -> set[Key]:
        """Return what is unequal, and what refers to it, directly or in turn."""
        referrers = [
            side.referring(self._goals) if self._anchored else side.referrers
            for side in self._documents
        ]
        return set(
            closure(
                self.unequal,
                lambda goal: [one for known in referrers for one in known.get(goal, ())],
            )
        )

    def list_relevant(self) -> set[Key]:
        """Return what is unequal, what reaches that, and all targets of these.

        Nothing else of the two documents affects the differences between them.
        """
        found: set[Key] = set()
        for side in self._documents:
            found |= {key for key in side.entries if key[0] == "securitySchemes"}
            found.update(closure(self.dirty, partial(self._list_goals, side)))
        return found

    def _list_goals(self, side: DocumentIndex, key: Key) -> list[Key]:
        """Return the targets of the entry *key* of *side*, and what may replace them."""
        section, name = key
        extending = side.subtypes.get(name, ()) if section == "schemas" else ()
        goals = self._goals(self._texts.of(side.entries[key])) if key in side.entries else ()
        return [*goals, *(("schemas", each) for each in extending)]

    def are_same(self, before: Any, after: Any) -> bool:
        """Return whether two entries, which are compared several times, have one text."""
        return before is after or (
            before == after and self._texts.of(before) is self._texts.of(after)
        )

    def equal(self, before: Any, after: Any) -> NodeText | None:
        """Return the text that both nodes have, or None if they differ."""
        return self._texts.find_shared(before, after)

    def is_settled(self, before: Any, after: Any) -> bool:
        """Return whether two nodes are equal and reach nothing unequal."""
        shared = self.equal(before, after)
        return shared is not None and not self.reaches(shared)

    def reaches(self, shared: NodeText) -> bool:
        """Return whether the text of a node names something unequal, or reaches it."""
        return not self.dirty.isdisjoint(self._goals(shared))

    def list_reached(self, shared: NodeText) -> list[Key]:
        """Return what the text of a node names that is unequal or reaches something unequal."""
        return [goal for goal in self._goals(shared) if goal in self.dirty]

    def _goals(self, found: NodeText) -> Iterable[Key]:
        # most texts that begin with `#` are colours: documents are walked only if necessary
        return _goals(found.written, self._find_owners) if self._anchored else found.goals

    def _find_owners(self, reference: str) -> Iterable[Key]:
        """Return the entries with the targets of *reference*, which may name an anchor.

        A dynamic reference may lead to every schema with its anchor.
        """
        if reference.startswith("#/"):
            return _owners(reference)
        goals = (goal for document in self._documents for goal in document.list_anchored(reference))
        return [key for goal in goals for key in _owners("#" + goal.pointer)]


def _are_reworded(key: Key, before: Any, after: Any) -> bool:
    """Return whether two entries with the same *key* differ only in words."""
    section, name = key
    if section in COMPONENTS:
        alone = ({"components": {section: {name: node}}} for node in (before, after))
    else:
        alone = ({section: {name: node} if name else node} for node in (before, after))
    return differ_in_words_alone("document", *alone)


def _goals(found: bytes, owners: Callable[[str], Iterable[Key]]) -> Iterable[Key]:
    """Return what a text refers to, in order and without repetition."""
    names = map(_unquote, dict.fromkeys(_REFERENCE.findall(found)))
    goals = dict.fromkeys(key for name in names for key in owners(name))
    if b'"mapping":{' in found:
        # a mapping may give the bare name of a schema (OpenAPI 3.1.1, section 4.8.25)
        for entries in _MAPPING.findall(found):
            tags = (name.decode("utf-8", "surrogatepass") for name in _MAPPED.findall(entries))
            goals.update(dict.fromkeys(("schemas", name) for name in tags))
    if b'"defaultMapping":"' in found:
        named = (name.decode("utf-8", "surrogatepass") for name in _DEFAULT.findall(found))
        goals.update(dict.fromkeys(("schemas", name) for name in named))
    return goals


def _unquote(quoted: bytes) -> str:
    text = quoted.decode("utf-8", "surrogatepass")
    return str(json.loads(f'"{text}"')) if "\\" in text else text


@cache
def _owners(reference: str) -> tuple[Key, ...]:
    """Return the entry with the target of a pointer; nothing for any other reference."""
    if not reference.startswith("#/"):
        return ()
    tokens = [unescape(token) for token in reference.split("/")[1:]]
    if tokens[0] not in SECTIONS:
        return ((tokens[0], ""),)
    if tokens[0] == "components" and len(tokens) > 1 and tokens[1] in COMPONENTS:
        tokens = tokens[1:]
    return ((tokens[0], tokens[1]),) if len(tokens) > 1 else ()
