"""Give the components of a document the names that they have in another one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from dateline.adopt.interning import pair_items
from dateline.adopt.members import drop_words
from dateline.openapi import COMPONENTS, escape, target, walk
from dateline.schema.dialect import UNIONS
from dateline.schema.references import Resolver
from dateline.schema.variants import subtypes

Component = tuple[str, str]

_MAPPED: Final = ("mapping", "defaultMapping")


def find_known_names(document: dict[str, Any], known: dict[str, Any]) -> dict[Component, str]:
    """Return the names in *known* of components that only have another name in *document*.

    A component is the same if references to it are where *known* refers to one that *document*
    lacks, and much of its content is alike. A schema whose name is a tag in messages has no other
    name. Several are the same one if they differ in no more than fields that are `readOnly`, as
    where FastAPI divides a model with computed fields into `Item-Input` and `Item-Output`.
    Otherwise it is the one with the most references.
    """
    search = _Search(document, known)
    search.compare(document, known)
    names: dict[Component, str] = {}
    for (goal, name), _ in search.places.most_common():
        names.setdefault(goal, name)
    while dropped := search.find_others(names):
        names = {goal: name for goal, name in names.items() if goal not in dropped}
    return names


def rename_components(
    document: dict[str, Any], known: dict[str, Any], names: Mapping[Component, str]
) -> dict[str, Any]:
    """Return *document* with its components called as in *names*, and titled as in *known*.

    Of those with one name, it has the one with the most fields.
    """
    renamed = {key: _rename_references(below, names) for key, below in document.items()}
    for section, nodes in renamed.get("components", {}).items():
        if section not in COMPONENTS:
            continue
        found: dict[str, Any] = {}
        for each, node in nodes.items():
            name = names.get((section, each), each)
            found[name] = max(found.get(name, node), node, key=_count_fields)
            if name != each and "title" in node:
                own = known["components"][section][name]
                found[name] |= {"title": own.get("title", node["title"])}
        renamed["components"][section] = found
    return renamed


def _rename_references(value: Any, names: Mapping[Component, str], *, mapped: bool = False) -> Any:
    """Return *value* with new references; if it is *mapped* from tags, names are some, too."""
    if isinstance(value, list):
        return [_rename_references(item, names) for item in value]
    if isinstance(value, dict):
        is_discriminator = "propertyName" in value
        return {
            key: _rename_references(
                below, names, mapped=mapped or (is_discriminator and key in _MAPPED)
            )
            for key, below in value.items()
        }
    if not isinstance(value, str):
        return value
    if mapped and ("schemas", value) in names:
        return names["schemas", value]
    steps = value.split("/")
    goal = target("/".join(steps[:4]))
    if goal is None or goal not in names:
        return value
    return "/".join((*steps[:3], escape(names[goal]), *steps[4:]))


class _Search:
    """Counts the ``places`` where a component of *document* replaces one of *known*.

    Neither has a component with the other's name.
    """

    def __init__(self, document: dict[str, Any], known: dict[str, Any]) -> None:
        self.places: Counter[tuple[Component, str]] = Counter()
        self._new, self._known = map(_list_components, (document, known))
        self._tags = _list_tags(document) | _list_tags(known)

    def compare(self, new: Any, known: Any) -> None:
        """Count the places in *new* and *known*, which are at one place themselves."""
        if isinstance(new, dict) and isinstance(known, dict):
            self._compare_references(new.get("$ref"), known.get("$ref"))
            for key in (key for key in new if key in known):
                self.compare(new[key], known[key])
        elif isinstance(new, list) and isinstance(known, list):
            for item, other in pair_items(new, known):
                self.compare(item, other)

    def _compare_references(self, new: Any, known: Any) -> None:
        goal, former = (target(each) if isinstance(each, str) else None for each in (new, known))
        if goal is None or former is None or goal in self._known or former in self._new:
            return
        ours, theirs = self._new.get(goal), self._known.get(former)
        if not self._tags.isdisjoint((goal, former)):
            return
        if ours and theirs and goal[0] == former[0] and _are_alike(ours, theirs):
            self.places[goal, former[1]] += 1
            if self.places[goal, former[1]] == 1:
                self.compare(ours, theirs)

    def find_others(self, names: Mapping[Component, str]) -> set[Component]:
        """Return the components that are not the one that has their name in *names*."""
        groups: dict[Component, list[Component]] = {}
        for goal, name in names.items():
            groups.setdefault((goal[0], name), []).append(goal)
        others: set[Component] = set()
        for (section, name), goals in groups.items():
            first, *rest = (
                _read_written(_rename_references(self._new[each], names)) for each in goals
            )
            if any(each != first for each in rest):
                own = _read_written(self._known[section, name])
                same = dict(zip(goals, (each == own for each in (first, *rest)), strict=True))
                best = max(goals, key=lambda goal: (self.places[goal, name], same[goal]))
                others |= {*goals} - {best}
        return others


def _list_components(document: dict[str, Any]) -> dict[Component, dict[str, Any]]:
    return {
        (section, name): node
        for section, nodes in document.get("components", {}).items()
        if section in COMPONENTS
        for name, node in nodes.items()
        if isinstance(node, dict)
    }


def _list_tags(document: dict[str, Any]) -> set[Component]:
    """Return the schemas whose names are the tags of a discriminator that maps none to them.

    See OpenAPI 3.1.1, section 4.8.25.
    """
    resolver = Resolver(document)
    extended = subtypes(resolver.section("schemas"))
    found = {name for root, below in extended.items() for name in (root, *below)}
    for _, kind, node in walk("document", document):
        discriminator = node.get("discriminator")
        if kind == "schema" and isinstance(discriminator, dict):
            mapped = {
                resolver.mapped_name(tag) for tag in discriminator.get("mapping", {}).values()
            }
            members = [each for key in UNIONS for each in node.get(key, ())]
            named = {resolver.variant_name(each) for each in members} - mapped
            found |= {name for name in named if name is not None}
    return {("schemas", name) for name in found}


def _are_alike(new: dict[str, Any], known: dict[str, Any]) -> bool:
    """Return whether one of two components has at least half of the other's fields or values."""
    for key in ("properties", "enum"):
        if key in new and key in known:
            ours, theirs = ({str(each) for each in node[key]} for node in (new, known))
            return 2 * len(ours & theirs) >= min(len(ours), len(theirs))
    return drop_words(new).keys() == drop_words(known).keys()


def _read_written(node: dict[str, Any]) -> dict[str, Any]:
    """Return what *node* says about values that callers send."""
    fields = node.get("properties", {})
    hidden = {
        name for name, each in fields.items() if isinstance(each, dict) and each.get("readOnly")
    }
    return drop_words(node) | {
        "properties": {name: each for name, each in fields.items() if name not in hidden},
        "required": [name for name in node.get("required", ()) if name not in hidden],
    }


def _count_fields(node: Any) -> int:
    return len(node.get("properties", ())) if isinstance(node, dict) else 0
