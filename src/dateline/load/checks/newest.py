"""Check the additions of OpenAPI 3.2: methods, whole queries, nested tags, unnamed parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from dateline.load.checks.scope import Scope, Site, Violation, on
from dateline.openapi import ADDITIONAL, METHODS, QUERYSTRING, target
from dateline.wording import did_you_mean, quote

# RFC 9110 section 5.6.2
_METHOD: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")

# Keys that repeat each other, or of which one makes the other void.
_NOT_TOGETHER: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "media-type": {"encoding": ("prefixEncoding", "itemEncoding")},
    "encoding": {"encoding": ("prefixEncoding", "itemEncoding")},
    "example": {
        "dataValue": ("value",),
        "serializedValue": ("value", "externalValue"),
    },
    "xml": {"nodeType": ("attribute", "wrapped")},
}


@on(f"path-item.{ADDITIONAL}", finds=("method-name",))
def additional_methods(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    for method in site.node[key]:
        if method.lower() in METHODS:
            message = f"{quote(method)} has a key of its own; write it as `{method.lower()}`"
        elif _METHOD.fullmatch(method) is None:
            message = f"{quote(method)} is not an HTTP method; use letters, digits and hyphens"
        else:
            continue
        yield Violation(site.at(key, method), "method-name", message)


@on("parameter.in", finds=("missing-key", "parameter-content"))
def whole_query(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    if site.node[key] == QUERYSTRING:
        for wrong in ("schema", "style", "explode", "allowReserved"):
            if wrong in site.node:
                message = f"a whole query is described by `content`; leave `{wrong}` out"
                yield Violation(site.at(wrong), "parameter-content", message)
                return


@on("path-item.parameters", "operation.parameters", finds=("parameter-twice",))
def query_described_once(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    around = site.parent.node if site.kind == "operation" and site.parent else {}
    listed = [*around.get("parameters", ()), *site.node[key]]
    places = [
        parameter.get("in")
        for written in listed
        if isinstance(parameter := scope.resolve("parameter", written), dict)
    ]
    wholes = places.count(QUERYSTRING)
    if wholes > 1 or (wholes and "query" in places):
        message = "`in: querystring` is the whole query; leave the other parameters of it out"
        yield Violation(site.at(key), "parameter-twice", message)


@on(
    *(f"{kind}.{key}" for kind, keys in _NOT_TOGETHER.items() for key in keys),
    finds=("keys-together",),
)
def keys_together(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    for other in _NOT_TOGETHER[site.kind][key]:
        if other in site.node:
            message = f"`{key}` and `{other}` can't be together; leave one out"
            yield Violation(site.at(key), "keys-together", message)
            return


@on("discriminator.defaultMapping", finds=("reference-dangling",))
def default_exists(scope: Scope, site: Site, key: str) -> Iterator[Violation]:
    written = site.node[key]
    if scope.references.mapped_name(written) is None:
        goal = target(written) or ("schemas", written)
        message = f"{quote(written)} is not a schema of this document"
        message += did_you_mean(goal[1], list(scope.list_components("schema")))
        yield Violation(site.at(key), "reference-dangling", message, value=True)


@on("document.tags", finds=("undeclared-tag", "tag-circular"))
def tags_within_tags(_: Scope, site: Site, key: str) -> Iterator[Violation]:
    parents = {tag.get("name"): tag.get("parent") for tag in site.node[key]}
    for index, tag in enumerate(site.node[key]):
        if "parent" not in tag:
            continue
        trail = site.at(key, index, "parent")
        if tag["parent"] not in parents:
            message = f"there is no tag {quote(tag['parent'])}"
            message += did_you_mean(tag["parent"], [name for name in parents if name])
            yield Violation(trail, "undeclared-tag", message, value=True)
            continue
        met = {tag.get("name")}
        above = tag["parent"]
        while above is not None and above not in met:
            met.add(above)
            above = parents.get(above)
        if above is not None:
            message = f"the tag {quote(tag.get('name'))} is within itself; take one `parent` out"
            yield Violation(trail, "tag-circular", message, value=True)
