"""Check that discriminators name members and distinguish them, in every version."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from dateline.gates import Timeline, order
from dateline.load.checks.schema_parts import (
    admitted_types,
    collect_properties,
    collect_required,
    resolve_schema,
)
from dateline.load.checks.scope import (
    LinkedTrail,
    Past,
    Scope,
    Site,
    Violation,
    extend,
    list_past,
    on,
    path,
)
from dateline.load.checks.values import find_fault
from dateline.model import EVERYWHERE, SHOWN_AS, WAS, Combination
from dateline.openapi import target
from dateline.schema.dialect import Dialect
from dateline.schema.memo import Memo
from dateline.schema.references import Resolver
from dateline.schema.types import UNIONS, choices
from dateline.schema.variants import other_tags
from dateline.wording import did_you_mean, quote, quote_all


@on("schema.discriminator", finds=("discriminator-property",))
def tag_is_required(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    """Each member requires the tag; without a union, so does each schema that extends this one."""
    tag = site.node[key].get("propertyName")
    variant_name = scope.references.variant_name
    named = [(name, member) for _, member in _list_members(site) if (name := variant_name(member))]
    if not site.node.keys() & set(UNIONS):
        named = [("this schema", site.node)]
    # a value without the tag belongs to the default
    if tag is None or "defaultMapping" in site.node[key]:
        return
    known = {
        name: collect_properties(scope, node) for name, node in named if resolve_schema(scope, node)
    }
    lacking = [name for name in known if tag not in known[name]]
    lax = [
        name
        for name, node in named
        if tag in known.get(name, ()) and tag not in collect_required(scope, node)
    ]
    trail = site.at(key, "propertyName")
    if lacking:
        near_misses = dict.fromkeys(other for name in lacking for other in known[name])
        have = "has" if len(lacking) == 1 else "have"
        message = f"{' and '.join(lacking)} {have} no property {quote(tag)}"
        message += did_you_mean(tag, near_misses)
        yield Violation(trail, "discriminator-property", message, value=True)
    if lax:
        message = f"{quote(tag)} is not required by {' and '.join(lax)}; add it to `required` there"
        yield Violation(trail, "discriminator-property", message, value=True)


@on("schema.discriminator", finds=("discriminator-member",))
def members_have_names(scope: Scope, site: Site, _: str) -> Iterator[Violation]:
    for trail, member in _list_members(site):
        is_named = scope.references.variant_name(member) or _leads_nowhere(scope, member)
        if not is_named and admitted_types(scope, member) != {"null"}:
            message = (
                "an inline member has no name for its tag; make it a component and refer to it"
            )
            yield Violation(trail, "discriminator-member", message)


@on("schema.discriminator", finds=("mapping-dangling", "mapping-outside-union"))
def mapping(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    schemas = scope.list_components("schema")
    variants = [scope.references.variant_name(member) for _, member in _list_members(site)]
    names = [name for name in variants if name is not None]
    for tag, written in site.node[key].get("mapping", {}).items():
        trail = site.at(key, "mapping", tag)
        name = scope.references.mapped_name(written)
        if name is None:
            goal = target(written)
            word = goal[1] if goal is not None else written
            message = (
                f"{quote(written)} is not a schema of this document{did_you_mean(word, schemas)}"
            )
            yield Violation(trail, "mapping-dangling", message, value=True)
        elif names and name not in names:
            message = f"{quote(written)} is not a member of the union{did_you_mean(name, names)}"
            yield Violation(trail, "mapping-outside-union", message, value=True)


@on("schema.discriminator", finds=("discriminator-tag-twice", "discriminator-tag"))
def tags_differ(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    """Tags are unique, and the tag property of each member allows exactly its tags."""
    taken: dict[str, str] = {}
    for trail, name, tags in _list_named(scope, site):
        below = collect_properties(scope, scope.list_components("schema")[name]).get(
            site.node[key].get("propertyName")
        )
        values = choices(resolve_schema(scope, below)) if below is not None else None
        wrong = [tag for tag in tags if values is not None and tag not in values]
        if wrong:
            message = (
                f"the tag of {name} is {quote(wrong[0])}, but its property allows "
                f"{quote_all(values or ())}; make them agree"
            )
            yield Violation(trail, "discriminator-tag", message)
        for tag in tags:
            if taken.setdefault(tag, name) != name:
                message = f"{quote(tag)} is the tag of {taken[tag]} already; give {name} another"
                yield Violation(trail, "discriminator-tag-twice", message)


def _list_named(scope: Scope, site: Site) -> Iterator[tuple[LinkedTrail, str, list[str]]]:
    """Yield each schema that the discriminator of *site* names, and its tags.

    These are the members of its union or, without one, the schemas that extend it.
    """
    schemas = scope.list_components("schema")
    discriminator = site.node["discriminator"]
    variant_name, mapped_name = scope.references.variant_name, scope.references.mapped_name
    members = [(trail, variant_name(member)) for trail, member in _list_members(site)]
    where = path(site.trail)
    if not members and where[:2] == ("components", "schemas") and set(where[3::2]) <= {"allOf"}:
        below = scope.subtypes.get(str(where[2]), frozenset())
        members = [(site.at("discriminator"), name) for name in sorted(below)]
    mapped: dict[str, list[str]] = {}
    for tag, written in discriminator.get("mapping", {}).items():
        mapped.setdefault(mapped_name(written) or "", []).append(tag)
    for trail, name in members:
        if name in schemas and scope.now(schemas[name]) is not None:
            yield trail, name, mapped.get(name, [name])


@on(f"schema.{SHOWN_AS}", finds=("misplaced-annotation", "shown-as-invalid"))
def shown_as_another_variant(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    """The replacement of a schema that extends a discriminated one extends it as well."""
    name = path(site.trail)[-1]
    if site.parent is None or site.parent.kind != "components":
        return
    parents = [parent for parent, below in sorted(scope.subtypes.items()) if name in below]
    if not parents and "allOf" in site.node:
        message = (
            f"`{key}` is allowed only on what extends a schema with a discriminator; "
            "leave it out here"
        )
        yield Violation(site.at(key), "misplaced-annotation", message)
    hidden = scope.timeline.all & ~scope.find_shown(site.node)
    for date, value, replaced in scope.timeline.substituted(site.node, hidden):
        trail = site.at(key) if date is None else site.at(key, date)
        for parent in parents:
            message = _unfit_substitute(scope, parent, value, replaced)
            if message:
                yield Violation(trail, "shown-as-invalid", message, value=True)


def _unfit_substitute(scope: Scope, parent: str, value: Any, hidden: int) -> str:
    """Return why *value* can't replace a variant of *parent* at *hidden*; empty if it can."""
    schema = scope.list_components("schema")[parent]
    wrong = find_fault(scope, value, schema)
    if wrong is not None:
        return f"no {parent}: {wrong.message}"
    if not isinstance(schema.get("discriminator"), dict):
        return ""
    above = Site("schema", schema, (((None, "components"), "schemas"), parent), "", None)
    tag = value.get(schema["discriminator"].get("propertyName"))
    message = ""
    for _, other, tags in _list_named(scope, above):
        lacking = hidden & ~scope.find_shown(scope.list_components("schema")[other])
        if tag in tags and lacking:
            places = scope.timeline.places(lacking)
            message = f"{quote(tag)} is the tag of {other}, which is absent in {places} too"
    return message


# In older versions


@dataclass(frozen=True)
class _OlderScope(Scope):
    """The document of a scope as it is at one combination, given by its number in the timeline."""

    newest: Scope
    at: int

    @classmethod
    def of(cls, scope: Scope, at: int) -> _OlderScope:
        """Return the document of *scope* at a combination, the same each time."""
        then = scope.then.get(at)
        if not isinstance(then, _OlderScope):
            then = scope.then[at] = cls(scope.document, scope.table, scope.authored, scope, at)
        return then

    @cached_property
    def timeline(self) -> Timeline:
        return self.newest.timeline

    @cached_property
    def references(self) -> Resolver:
        return self.newest.references

    @cached_property
    def dialect(self) -> Dialect:
        return self.newest.dialect

    @cached_property
    def read(self) -> dict[int, dict[str, Any]]:
        """The schemas that were read, as they are written; whoever is interested empties it."""
        return {}

    @cached_property
    def _known(self) -> Memo[Any]:
        return Memo(_OlderScope._read, owner=self)

    def now(self, schema: Any) -> Any:
        """Return *schema* as it is at the combination; None if it is not visible there."""
        if not isinstance(schema, dict):
            return schema
        self.read[id(schema)] = schema
        return self._known(schema)

    def list_masks(self) -> frozenset[int]:
        """Return the combinations of everything that the schemas in ``read`` depend on.

        In two combinations that are in the same of them, these schemas are the same.
        """
        return frozenset(mask for node in self.read.values() for mask in self._find_masks(node))

    def _find_masks(self, node: dict[str, Any]) -> Iterator[int]:
        yield self.find_shown(node)
        for mask, era in self.timeline.eras("schema", node):
            yield mask
            for name, child in era.get("properties", {}).items():
                yield self.find_shown(child)
                yield from (each for each, _ in self.timeline.names("schema", name, child))
            for key in ("allOf", *UNIONS):
                yield from map(self.find_shown, era.get(key, ()))
            if isinstance(discriminator := era.get("discriminator"), dict):
                yield from map(self.find_shown, self._list_mapped(discriminator))

    def _list_mapped(self, discriminator: dict[str, Any]) -> Iterator[Any]:
        """Yield the schemas that a discriminator names."""
        schemas = self.list_components("schema")
        written = [*discriminator.get("mapping", {}).values(), discriminator.get("defaultMapping")]
        for each in written:
            name = None if each is None else self.references.mapped_name(each)
            if name is not None:
                yield schemas[name]

    def _read(self, schema: dict[str, Any]) -> Any:
        return self._schema(schema) if self._shows(schema) else None

    def _shows(self, node: Any) -> bool:
        return bool(self.find_shown(node) >> self.at & 1)

    def _schema(self, node: dict[str, Any]) -> dict[str, Any]:
        result = dict(self.timeline.era("schema", node, self.at))
        called = {
            name: self.timeline.name("schema", name, child, self.at)
            for name, child in result.get("properties", {}).items()
            if self._shows(child)
        }
        hidden = result.get("properties", {}).keys() - called.keys()
        if "properties" in result:
            result["properties"] = {now: result["properties"][name] for name, now in called.items()}
        if "required" in result:
            result["required"] = [
                called.get(name, name) for name in result["required"] if name not in hidden
            ]
        members = [member for key in UNIONS for member in result.get(key, ())]
        for key in ("allOf", *UNIONS):
            if key in result:
                result[key] = [child for child in result[key] if self._shows(child)]
        if isinstance(result.get("discriminator"), dict):
            result["discriminator"] = self._discriminator(result["discriminator"], members)
        return result

    def _discriminator(self, node: dict[str, Any], members: list[Any]) -> dict[str, Any]:
        """Return *node* without the tags of schemas that are not visible."""
        schemas = self.list_components("schema")
        hidden = [each for each in members if not self._shows(each)]
        gone = {self.references.variant_name(each) for each in hidden}

        def is_shown(written: str) -> bool:
            name = self.references.mapped_name(written)
            return name is None or (name not in gone and self._shows(schemas[name]))

        left = {
            key: value for key, value in node.items() if key != "defaultMapping" or is_shown(value)
        }
        kept = {tag: named for tag, named in node.get("mapping", {}).items() if is_shown(named)}
        return {**left, "mapping": kept} if "mapping" in node else left


def _had_discriminator(node: dict[str, Any]) -> bool:
    return any("discriminator" in then for then in node[WAS].values() if isinstance(then, dict))


_CHECKS: Final = (tag_is_required, members_have_names, mapping, tags_differ)


@on(
    "schema.discriminator",
    f"schema.{WAS}",
    finds=(
        *("discriminator-property", "discriminator-member", "discriminator-tag"),
        *("discriminator-tag-twice", "mapping-dangling", "mapping-outside-union"),
        "tag-without-way",
    ),
)
def history_of_discriminator(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    """The discriminator of an older version matches the schemas of that version."""
    if key == WAS and ("discriminator" in site.node or not _had_discriminator(site.node)):
        return
    if not scope.ranks.keys() >= site.node.get(WAS, {}).keys():
        return
    newer = site.node if key != WAS else None
    known = {
        found.message
        for check in _CHECKS
        for found in (check(scope, site, "discriminator") if newer else ())
    }
    now = dict(_list_tags(scope, site)) if newer else {}
    met: set[tuple[frozenset[int], frozenset[int]]] = set()
    for version in reversed(scope.table.dates):
        at = scope.timeline.combinations.index(Combination(version, EVERYWHERE))
        if any(_restrict(masks, at) == applying for masks, applying in met):
            continue  # all that was read at a newer version is the same here
        then = _OlderScope.of(scope, at)
        then.read.clear()
        yield from _check_version(then, site, version, known, now)
        masks = then.list_masks()
        met.add((masks, _restrict(masks, at)))


def _restrict(masks: frozenset[int], at: int) -> frozenset[int]:
    return frozenset(mask for mask in masks if mask >> at & 1)


def _check_version(
    then: Scope, site: Site, version: str, known: set[str], now: dict[str, list[str]]
) -> Iterator[Violation]:
    """Find what is wrong in *version*, beside what is *known*; *now* are the newest tags."""
    node = then.now(site.node)
    if node is None or not isinstance(node.get("discriminator"), dict):
        return
    here = site._replace(node=node)
    past = _find_past(site, version)
    for check in _CHECKS:
        for found in check(then, here, "discriminator"):
            if found.message not in known:
                known.add(found.message)
                message = f"in {version}, {found.message}"
                if past is None and found.id == "discriminator-property":
                    message += (
                        "; where it was another one, write "
                        "`x-was: {DATE: {discriminator: {propertyName: …}}}`"
                    )
                yield found._replace(
                    trail=_move_to_history(site, past, found.trail), message=message
                )
    tags = dict(_list_tags(then, here))
    for name in now.keys() & tags.keys():
        for before, after in ((now[name], tags[name]), (tags[name], now[name])):
            if other_tags(before, after) is None and f"{name} {before}" not in known:
                known.add(f"{name} {before}")
                message = (
                    f"the tags of {name} are {quote_all(tags[name])} in {version} and "
                    f"{quote_all(now[name])} in the newest version, so which of them "
                    f"{quote_all(before)} become is unclear; change one tag at a time"
                )
                trail = _move_to_history(site, past, site.at("discriminator"))
                yield Violation(trail, "tag-without-way", message)


def _list_tags(scope: Scope, site: Site) -> Iterator[tuple[str, list[str]]]:
    return ((name, tags) for _, name, tags in _list_named(scope, site))


def _find_past(site: Site, version: str) -> Past | None:
    """Return the date of the history that sets the discriminator of *site* in *version*.

    None if it is the same as in the newest version.
    """
    later = [
        past
        for past in list_past(site)
        if order(past.date) > order(version) and "discriminator" in past.setting
    ]
    return later[-1] if later else None


def _move_to_history(site: Site, past: Past | None, trail: LinkedTrail) -> LinkedTrail:
    """Return where *past* writes the former value at *trail*."""
    steps = path(trail)[len(path(site.trail)) :]
    if past is None or steps[:1] != ("discriminator",):
        return trail
    return extend(past.set_at, *steps)


def _list_members(site: Site) -> Iterator[tuple[Any, Any]]:
    for key in UNIONS:
        for index, member in enumerate(site.node.get(key, ())):
            yield site.at(key, index), member


def _leads_nowhere(scope: Scope, member: Any) -> bool:
    """Return whether *member* is a dangling reference, which another check reports."""
    return (
        isinstance(member, dict)
        and "$ref" in member
        and scope.references.locate(member["$ref"]) is None
    )
