"""Give the path parameters of a document the names that they have in another one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from dateline.diff.correspondence import VARIABLE
from dateline.openapi import METHODS, children, replace_children

Document = dict[str, Any]

_HOLDERS: Final = ("path-item", "operation")


def rename_paths(document: Document, known: Document) -> tuple[Document, dict[str, str]]:
    """Return *document* with paths of *known*, and these by the paths that they replace.

    Replaced are paths that only *document* has, and that differ from one of *known* in nothing but
    the names of parameters, which no request shows. Parameters that are components stay.
    """
    ours, theirs = (each.get("paths", {}) for each in (document, known))
    forms = Counter(map(_read_form, theirs))
    own = {form: path for path in theirs if forms[form := _read_form(path)] == 1}
    paths, names = dict(ours), dict[str, str]()
    for path, item in ours.items():
        name = own.get(_read_form(path), path)
        if path in theirs or name == path or not _is_movable(item, paths.get(name, {})):
            continue
        variables = zip(VARIABLE.findall(path), VARIABLE.findall(name), strict=True)
        former = {each.get("name"): each for each in _list_parameters("path-item", theirs[name])}
        parameters = {new: {**former.get(old, {}), "name": old} for new, old in variables}
        del paths[path]
        paths[name] = {**paths.get(name, {}), **_rename_parameters("path-item", item, parameters)}
        names[path] = name
    return ({**document, "paths": paths} if names else document), names


def _read_form(path: str) -> str:
    return VARIABLE.sub("{}", path)


def _is_movable(item: Any, there: Document) -> bool:
    """Return whether *item* can be at another path, beside the methods that are *there*."""
    return (
        isinstance(item, dict)
        and (not there or item.keys() <= {*METHODS} - there.keys())
        and not any("$ref" in each for each in (item, *_list_parameters("path-item", item)))
    )


def _list_parameters(kind: str, node: Any) -> Iterator[Document]:
    """Yield the path parameters and references to parameters of a path item or an operation."""
    for _, below, child in children(kind, node):
        if below == "parameter" and ("$ref" in child or child.get("in") == "path"):
            yield child
        elif below in _HOLDERS:
            yield from _list_parameters(below, child)


def _rename_parameters(kind: str, node: Any, known: Mapping[str, Document]) -> Any:
    """Return *node*, of a path item, with the names and titles of *known* path parameters."""
    if kind in _HOLDERS:
        return replace_children(
            kind, node, lambda below, child: _rename_parameters(below, child, known)
        )
    if kind != "parameter" or node.get("in") != "path" or node.get("name") not in known:
        return node
    former = known[node["name"]]
    schema, own = node.get("schema"), former.get("schema")
    renamed = {**node, "name": former["name"]}
    if isinstance(schema, dict) and isinstance(own, dict) and "title" in schema.keys() & own:
        renamed["schema"] = {**schema, "title": own["title"]}
    return renamed
