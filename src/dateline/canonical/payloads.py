"""The payloads of webhooks, as components."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import replace
from functools import reduce
from operator import and_
from typing import Any, NamedTuple

from dateline.gates import Timeline
from dateline.model import Api, copy_items
from dateline.openapi import chain, is_json, operations, target


def with_event_components(api: Api) -> Api:
    """Return *api* with a component for each webhook payload that is not a component yet.

    Only payloads in JSON count. The component is named after the webhook, and is visible where the
    webhook is.
    """
    document = api.document
    schemas = dict(document.get("components", {}).get("schemas", {}))
    webhooks = dict(document.get("webhooks", {}))
    visible = dict(api.visible)
    timeline = Timeline(api.table)
    for name, item in webhooks.items():
        found = _find_payload(document, item)
        if found is None or _find_component(found.media.get("schema")) is not None:
            continue
        component = _name_payload(name, schemas)
        schemas[component] = found.media.get("schema", True)
        masks = [timeline.of(node) for node in found.nodes]
        visible["schemas", component] = reduce(and_, masks, timeline.all)
        media = _with(found.media, "schema", {"$ref": f"#/components/schemas/{component}"})
        content = _with(found.body["content"], found.media_type, media)
        body = _with(found.body, "content", content)
        operation = _with(found.item[found.method], "requestBody", body)
        webhooks[name] = _with(found.item, found.method, operation)
    if len(schemas) == len(document.get("components", {}).get("schemas", {})):
        return api
    components = {**document.get("components", {}), "schemas": schemas}
    document = {**document, "components": components, "webhooks": webhooks}
    return replace(api, document=document, visible=visible)


def list_events(document: dict[str, Any]) -> dict[str, str]:
    """Return the component that is the payload of each webhook of *document*, by its name.

    Payloads that are not references to components are left out.
    """
    found = {
        name: payload and _find_component(payload.media.get("schema"))
        for name, item in document.get("webhooks", {}).items()
        for payload in [_find_payload(document, item)]
    }
    return {name: component for name, component in found.items() if component}


def list_payloads(document: dict[str, Any]) -> list[str]:
    """Return the names of the webhooks of *document* that have a payload in JSON."""
    items = document.get("webhooks", {}).items()
    return [name for name, item in items if _find_payload(document, item) is not None]


class _Payload(NamedTuple):
    """Where a webhook has its payload, and the nodes whose gates decide where it is visible."""

    item: dict[str, Any]
    method: str
    body: dict[str, Any]
    media_type: str
    media: dict[str, Any]
    nodes: list[dict[str, Any]]


def _find_payload(document: dict[str, Any], item: Any) -> _Payload | None:
    """Return the payload of a webhook, or None without one in JSON."""
    items = chain(document, item)
    for method, operation in operations(items[-1]) if items else ():
        bodies = chain(document, operation.get("requestBody"))
        content = bodies[-1].get("content", {}) if bodies else {}
        media_type = next(filter(is_json, content), None)
        if media_type is not None:
            nodes = [*items, operation, *bodies, content[media_type]]
            return _Payload(items[-1], method, bodies[-1], media_type, content[media_type], nodes)
    return None


def _find_component(schema: Any) -> str | None:
    """Return the component that *schema* is, if it is nothing but a reference."""
    if not isinstance(schema, dict) or schema.keys() - {"$ref"}:
        return None
    goal = target(schema["$ref"]) if "$ref" in schema else None
    return goal[1] if goal is not None and goal[0] == "schemas" else None


def _name_payload(event: str, taken: Container[str]) -> str:
    """Return a name for the component of the payload of *event* that is not *taken*."""
    words = [word for word in re.split(r"[^A-Za-z0-9]+", event) if word]
    name = "".join(word[0].upper() + word[1:] for word in words) or "Event"
    for suffix in ("", "Event", "Payload"):
        if name + suffix not in taken and (name + suffix)[0].isalpha():
            return name + suffix
    name = f"EventPayload{name}"
    while name in taken:
        name += "Payload"
    return name


def _with(node: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    return copy_items(node, [(each, value if each == key else kept) for each, kept in node.items()])
