"""Build the contract that a server implements: everything that any version shows.

Fields that callers of older versions leave out are not required in requests. A component of both
requests and responses that differs because of this exists twice: the form for requests is named
``...Sent``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from dateline.canonical import canonical, canonical_document
from dateline.model import EVERYWHERE, Api, Contract
from dateline.openapi import target
from dateline.python.names import CANONICAL
from dateline.schema.access import READ_ONLY, WRITE_ONLY, AccessUse, Hidden, OneWay
from dateline.schema.memo import closure
from dateline.schema.references import Resolver
from dateline.schema.usage import Ways, find_component, find_name, list_references, schemas

_PREFIX: Final = "#/components/schemas/"
_SENT: Final = "Sent"


@dataclass(frozen=True, kw_only=True)
class Forms:
    """The canonical contract, the components of requests only, and the names of second forms.

    ``document`` is that of canonical values, from which the contract is made. ``sent`` maps a
    component with two forms to the name of its form for requests; ``directions`` read schemas as
    received and as sent.
    """

    document: dict[str, Any]
    contract: Contract
    strict: frozenset[str]
    sent: Mapping[str, str]
    adopted: bool
    directions: tuple[OneWay, OneWay]

    def read_received(self, schema: Any) -> Any:
        """Return a schema of the definitions as callers may receive it."""
        return self.directions[0].of(canonical("schema", schema, adopted=self.adopted))

    def read_sent(self, schema: Any) -> Any:
        """Return a schema of the definitions as callers of any version may send it."""
        resolve = self._resolver.resolve
        result = canonical("schema", schema, sent=True, adopted=self.adopted, resolve=resolve)
        return _rename(self.directions[1].of(result), self.sent)

    @cached_property
    def _resolver(self) -> Resolver:
        return Resolver(self.document)


def read_forms(api: Api) -> Forms:
    """Return the canonical contract of *api*."""
    made_of = document = canonical_document(api)
    use = AccessUse()
    shown = OneWay(document, WRITE_ONLY, Hidden.ABSENT, use)
    written_document = canonical_document(api, sent=True)
    sent = OneWay(written_document, READ_ONLY, Hidden.ABSENT, use)
    document = shown.document(document)
    contract = Contract(version=CANONICAL, environment=EVERYWHERE, document=document)
    taken, received = Ways().both(contract)
    known = schemas(contract)
    written = sent.document(written_document).get("components", {}).get("schemas", {})
    apart = _apart({name: known[name] for name in sorted(taken) if name in known}, written)
    names = _names([name for name in known if name in apart & received], known)
    forms = dict(known)
    for name in known:
        if name in apart:
            forms[names.get(name, name)] = _rename(written[name], names)
    components = {**document.get("components", {}), "schemas": forms}
    return Forms(
        document=made_of,
        contract=Contract(
            version=CANONICAL,
            environment=EVERYWHERE,
            document={**document, "components": components},
        ),
        strict=frozenset(taken - received) | frozenset(names.values()),
        sent=names,
        adopted=api.table.adopted,
        directions=(shown, sent),
    )


def _apart(known: Mapping[str, Any], written: Mapping[str, Any]) -> frozenset[str]:
    """Return the components that are sent and received in different forms, or refer to such."""
    apart = {name for name in known if known[name] != written[name]}
    users: dict[str, list[str]] = {}
    resolver = Resolver({"components": {"schemas": known}})
    for name in known if apart else ():
        for other in list_references(known[name]):
            users.setdefault(find_name(other, resolver), []).append(name)
    return frozenset(closure(sorted(apart), lambda name: users.get(name, ())))


def _names(components: list[str], known: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of the forms that are sent, which no other component has."""
    names: dict[str, str] = {}
    for name in components:
        called = name + _SENT
        while called in known:
            called += _SENT
        names[name] = called
    return names


def _rename(node: Any, names: Mapping[str, str]) -> Any:
    """Return a schema with its references to components replaced by those in *names*."""
    if not names:
        return node
    if isinstance(node, list):
        return [_rename(each, names) for each in node]
    if not isinstance(node, dict):
        return node
    renamed = {key: _rename(value, names) for key, value in node.items()}
    if isinstance(node.get("$ref"), str):
        renamed["$ref"] = _reference(node["$ref"], names)
    discriminator = node.get("discriminator")
    if isinstance(discriminator, dict):
        renamed["discriminator"] = {
            **discriminator,
            "mapping": _mapping(node, discriminator, names),
        }
        if (default := discriminator.get("defaultMapping")) is not None:
            renamed["discriminator"]["defaultMapping"] = names.get(default) or _reference(
                default, names
            )
    return renamed


def _reference(reference: str, names: Mapping[str, str]) -> str:
    goal = find_component(reference)
    if goal is None or goal[1] not in names:
        return reference
    # a part of a component is a part of its other form, too
    return "/".join([_PREFIX + names[goal[1]], *reference.split("/")[4:]])


def _mapping(
    schema: dict[str, Any], discriminator: dict[str, Any], names: Mapping[str, str]
) -> dict[str, str]:
    """Return the tags of a union; a renamed member keeps its former name as a tag."""
    mapping = {
        tag: names[goal] if goal in names else _reference(goal, names)
        for tag, goal in discriminator.get("mapping", {}).items()
    }
    for member in (*schema.get("oneOf", ()), *schema.get("anyOf", ())):
        goal = target(member["$ref"]) if isinstance(member, dict) and "$ref" in member else None
        if goal is not None and goal[1] in names:
            reference = _PREFIX + names[goal[1]]
            if reference not in mapping.values() and names[goal[1]] not in mapping.values():
                mapping[goal[1]] = reference
    return mapping
