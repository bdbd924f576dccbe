"""Read values of the wrong kind in third-party documents, and publish them again.

A published document may say `description: null`, `maxLength: '255'` or `required: true` on a
property: each has one meaning. Definitions say what it means, and keep what was published under a
key of its own: `x-published-maxLength: '255'` beside `maxLength: 255`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from typing import Any, Final

from dateline.model import EXTENSIBLE, KEYS, Trail
from dateline.oddities.facts import DocumentFacts, list_reached, list_used
from dateline.oddities.meanings import (
    ABSENT,
    CALLED,
    CHOICES,
    CLOSE_TO_OURS,
    PLAIN,
    PREFIX,
    SAME,
    UNDECIDING,
    find_meaning,
    read_choice,
)
from dateline.oddities.tags import list_dangling, mark_dangling
from dateline.openapi import (
    COMPONENTS,
    REFERABLE,
    WEBHOOKS,
    Arrangement,
    ConvertedDocument,
    ResolvedReference,
    find_replaced,
    read_slot,
)
from dateline.schema.references import Resolver

__all__ = [
    "CLOSE_TO_OURS",
    "PREFIX",
    "SAME",
    "UNDECIDING",
    "find_published",
    "keep_oddities",
    "list_dangling",
    "list_reached",
    "list_used",
    "list_wrapped",
    "mark_dangling",
    "read_choice",
    "show_oddities",
    "wrap_schemas",
]

WRAPPED: Final = f"{PREFIX}schema"
"""The key of what was published in place of a component that is a schema, in a list of one."""

# the keys of `enum: [...], x-extensible-enum: true`, which is our list of open-ended values
_OPENED: Final = {"enum": EXTENSIBLE, EXTENSIBLE: PREFIX + EXTENSIBLE}


def keep_oddities(
    document: dict[str, Any],
    is_wanted: Callable[[str, str], bool] | None = None,
    *,
    strict: bool = False,
) -> dict[str, Any]:
    """Return *document* with the meaning of its oddities, and the originals under separate keys.

    A document without any is returned unchanged. ``show_oddities`` restores what was published.
    With *is_wanted*, components, paths and webhooks are read only if it returns True for the
    section and the name. If it is *strict*, raises TypeError for a value that has no meaning, and
    can't be left out.
    """
    facts = DocumentFacts(document, is_strict=strict)
    read = document if is_wanted is None else _select(document, is_wanted)
    kept: dict[str, Any] = _put_back(document, read, _keep(facts, "", "document", read))
    if kept is not document and isinstance(document, ConvertedDocument):
        kept = ConvertedDocument(kept, written=document.written)
    return kept


def wrap_schemas(document: dict[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return *document* with objects in place of the components *names* that are none.

    Only objects have gates. ``show_oddities`` restores what was published.
    """
    components = document.get("components")
    schemas = components.get("schemas") if isinstance(components, dict) else None
    if not isinstance(components, dict) or not isinstance(schemas, dict):
        return document
    wrapped = {
        name: _wrap(schemas[name])
        for name in names
        if name in schemas and not isinstance(schemas[name], dict)
    }
    if not wrapped:
        return document
    return {**document, "components": {**components, "schemas": {**schemas, **wrapped}}}


def _wrap(schema: Any) -> dict[str, Any]:
    # anything but a schema has no meaning
    return {**({"not": {}} if schema is False else {}), WRAPPED: [schema]}


def _is_wrapped(node: dict[str, Any]) -> bool:
    """Return whether `wrap_schemas` created *node*, and it still means what was published."""
    match node.get(WRAPPED):
        case [schema] if not isinstance(schema, dict):
            return node == _wrap(schema)
    return False


def list_wrapped(document: dict[str, Any]) -> set[str]:
    """Return the components of *document* that `wrap_schemas` created, even if edited since."""
    components = document.get("components")
    schemas = components.get("schemas") if isinstance(components, dict) else None
    entries = schemas.items() if isinstance(schemas, dict) else ()
    return {name for name, entry in entries if isinstance(entry, dict) and WRAPPED in entry}


def find_published(document: dict[str, Any], path: Iterable[str | int]) -> Trail:
    """Return the original place of *path* of ``keep_oddities(document)`` in *document*.

    The path ends early if the original is shorter.
    """
    found: list[str | int] = []
    resolver = Resolver(document)
    kind, node = "document", document
    steps = iter(path)
    for step in steps:
        key = str(step)
        if key == EXTENSIBLE and isinstance(node, dict) and node.get(key) is True:
            key = "enum"
        names = (key, key.removeprefix(PREFIX), *(odd for odd in CALLED if CALLED[odd] == key))
        name = next((each for each in names if isinstance(node, dict) and each in node), None)
        if name is None:
            break
        found.append(name)
        within, value = kind, node[name]
        arrangement, kind = read_slot(within, name)
        node = value
        if arrangement is Arrangement.DATA:
            return (*found, *_follow_data(node, steps))
        if arrangement is Arrangement.ONE:
            continue
        entry = next(steps, None)
        if arrangement is Arrangement.LIST and isinstance(node, dict):
            continue  # one object in place of a list of it
        if arrangement is Arrangement.LIST:
            meaning = find_meaning(within, name, value, resolver)
            entry = _find_index(value, value if meaning is SAME else meaning, entry)
        elif not isinstance(node, dict) or entry not in node:
            entry = None
        if entry is None:
            break
        found.append(entry)
        node = node[entry]
    return tuple(found)


def _follow_data(value: Any, steps: Iterable[str | int]) -> Iterator[str | int]:
    """Yield those of *steps* that lead somewhere in *value*."""
    for step in steps:
        is_known = step in value if isinstance(value, dict) else isinstance(value, list)
        if not is_known or (isinstance(value, list) and step not in range(len(value))):
            return
        yield step
        value = value[step]


def _find_index(published: Any, meaning: Any, index: Any) -> int | None:
    """Return which of the *published* objects is the one at *index* of *meaning*."""
    if (
        not isinstance(published, list)
        or not isinstance(meaning, list)
        or index not in range(len(meaning))
    ):
        return None
    return next((at for at, one in enumerate(published) if one is meaning[index]), None)


def show_oddities(document: dict[str, Any]) -> dict[str, Any]:
    """Return *document* as it was published, with oddities in place of their meaning."""
    shown: dict[str, Any] = _show(Resolver(document), "", "document", document)
    return shown


def _select(document: dict[str, Any], is_wanted: Callable[[str, str], bool]) -> dict[str, Any]:
    """Return *document* without the components, paths and webhooks that are not wanted."""

    def select(section: str, entries: Any) -> Any:
        if not isinstance(entries, dict):
            return entries
        return {
            name: entry
            for name, entry in entries.items()
            if not isinstance(entry, dict) or is_wanted(section, str(name))
        }

    selected = {
        key: select(key, value) if key in ("paths", *WEBHOOKS) else value
        for key, value in document.items()
    }
    components = document.get("components")
    if isinstance(components, dict):
        selected["components"] = {
            section: select(section, entries) if section in COMPONENTS else entries
            for section, entries in components.items()
        }
    return selected


def _put_back(whole: Any, selected: Any, kept: Any) -> Any:
    """Return *whole* with the part of it that was *selected* replaced by its new form."""
    if kept is selected:
        return whole
    if whole is selected or not isinstance(kept, dict):
        return kept
    merged = {
        key: _put_back(value, selected[key], kept[key]) if key in selected else value
        for key, value in whole.items()
        if key in kept or key not in selected
    }
    return {**kept, **merged}


def _keep(facts: DocumentFacts, _: str, kind: str, node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    if "$ref" in node and (kind in REFERABLE or kind == "schema"):
        if facts.says_nothing(kind, node):
            rest = {key: value for key, value in node.items() if key != "$ref"}
            return {**rest, f"{PREFIX}$ref": node["$ref"]}
        if kind != "schema":
            return node
    plain = PLAIN[kind]
    others = [key for key, value in node.items() if type(value) not in plain.get(key, ())]
    if not others:
        return node  # nor is there an object below it
    node = _keep_values(kind, node, others, facts)
    return _replace(kind, node, partial(_keep, facts))


def _keep_values(
    kind: str, node: dict[str, Any], others: list[str], facts: DocumentFacts
) -> dict[str, Any]:
    """Return an object of *kind* with the meaning of its own keys; *node* itself if unchanged.

    All but *others* are plain.
    """
    type_ = _find_type(node)
    if kind == "schema" and node.get(EXTENSIBLE) is True and _lists_texts(node.get("enum"), type_):
        node = {_OPENED.get(key, key): value for key, value in node.items()}
        others = [key for key in others if key not in _OPENED]
    replaced: dict[str, tuple[str, Any]] = {}
    for key in others:
        value = node[key]
        if key in KEYS:
            meaning = SAME if _is_open_ended(kind, key, value, node) else ABSENT
        else:
            meaning = find_meaning(
                kind, key, value, facts.resolver, type_, is_strict=facts.is_strict
            )
        name = key
        if isinstance(value, ResolvedReference):
            meaning = str(value)
        is_called = kind == "schema" and isinstance(value, str) and facts.is_certain(key, value)
        if is_called and CALLED[key] not in node:
            name, meaning = CALLED[key], str(value)
        if meaning is not SAME:
            replaced[key] = name, meaning
    if not replaced:
        return node
    if kind == "schema" and type_ == "string" and "format" in node:
        listed = [node[key] for key in CHOICES if key in replaced]
        if not all(map(_is_text, listed)):
            # numbers that mean texts do not have the format
            replaced.setdefault("format", ("format", ABSENT))
    found: dict[str, Any] = {}
    for key, value in node.items():
        name, meaning = replaced.get(key, (key, value))
        if meaning is not ABSENT:
            found[name] = meaning
        if key in replaced:
            is_resolved = isinstance(value, ResolvedReference)
            found[PREFIX + key] = value.written if is_resolved else value
    return found


def _show(resolver: Resolver, _: str, kind: str, node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    if kind == "schema" and _is_wrapped(node):
        return node[WRAPPED][0]
    if node.get(PREFIX + EXTENSIBLE) is True and EXTENSIBLE in node and "enum" not in node:
        written = {name: key for key, name in _OPENED.items()}
        node = {written.get(key, key): value for key, value in node.items()}
    below = _replace(kind, node, partial(_show, resolver))
    if not any(key.startswith(PREFIX) for key in node):
        return below
    kept = ((key.removeprefix(PREFIX), below[key]) for key in below if key.startswith(PREFIX))
    published = {key: value for key, value in kept if _is_meant(kind, key, value, below, resolver)}
    shown: dict[str, Any] = {}
    replaced = {
        CALLED[key] for key in published.keys() & CALLED.keys() if isinstance(published[key], str)
    }
    for key, value in below.items():
        name = key.removeprefix(PREFIX)
        if name in published:
            shown[name] = published[name]
        elif name == key and name not in replaced:
            shown[key] = value
    return shown


def _is_meant(kind: str, key: str, value: Any, node: dict[str, Any], resolver: Resolver) -> bool:
    if key.startswith(PREFIX):
        return True
    if key == "$ref" and isinstance(value, str):
        return True
    if kind == "schema" and key in CALLED and isinstance(value, str):
        return CALLED[key] in node
    if kind == "schema" and key == "format" and isinstance(value, str):
        return key not in node and any(f"{PREFIX}{choice}" in node for choice in CHOICES)
    if key in KEYS:
        return key not in node and not _is_open_ended(kind, key, value, node)
    meaning = find_meaning(kind, key, value, resolver, _find_type(node))
    return bool(meaning is not SAME and meaning == node.get(key, ABSENT))


def _is_open_ended(kind: str, key: str, value: Any, node: dict[str, Any]) -> bool:
    """Return whether *value* of *key*, one of ours, of *node* lists values of an open-ended field.

    No other of our keys has a meaning in published documents.
    """
    is_closed = not node.keys().isdisjoint(("enum", "const", "$ref"))
    is_ours = kind == "schema" and key == EXTENSIBLE and not is_closed
    return is_ours and _lists_texts(value, _find_type(node))


def _lists_texts(value: Any, type_: Any) -> bool:
    return type_ == "string" and isinstance(value, list) and value != [] and _is_text(value)


def _is_text(value: Any) -> bool:
    """Return whether *value* is a text, or a list of texts."""
    return isinstance(value, str) or (isinstance(value, list) and all(map(_is_text, value)))


def _find_type(node: dict[str, Any]) -> Any:
    """Return the only type that a schema declares, beside null; None if there are others."""
    type_ = node.get("type")
    types = [one for one in type_ if one not in ("null", None)] if isinstance(type_, list) else []
    return types[0] if len(types) == 1 else type_


def _replace(
    kind: str, node: dict[str, Any], replace: Callable[[str, str, Any], Any]
) -> dict[str, Any]:
    found = find_replaced(kind, node, replace)
    return {**node, **found} if found else node
