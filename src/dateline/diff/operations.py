"""Compare the operations of two documents, their path items and webhooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final, NamedTuple

from dateline.diff.correspondence import VARIABLE, align_names, align_served_paths, align_webhooks
from dateline.diff.documents import DocumentIndex, Key
from dateline.diff.graph import CARRIERS, MODEL, Kinds, NodePair, align
from dateline.diff.keywords import EXTENSION, KEYWORD, LINK, NOTE, compare_whole, kinds_of
from dateline.diff.messages import MODERN, MessageComparison, Thing, compare_keys, parts_of
from dateline.diff.parameters import (
    ListedParameter,
    compare_keys_of_unused,
    find_renamed,
    find_shared,
    list_parameters,
)
from dateline.diff.security import SECURITY, SecurityComparison
from dateline.diff.statuses import Responses, find_covering, find_declaring, list_promises
from dateline.diff.surroundings import (
    SERVERS,
    compare_servers,
    find_moved_path,
    find_self_kinds,
    list_tags,
)
from dateline.model import Kind
from dateline.openapi import ADDITIONAL, COMPONENTS, METHODS, WEBHOOKS, method_name
from dateline.schema.parts import NOTHING, Part, Parts
from dateline.schema.references import Located, component, escape
from dateline.schema.values import text

_OPERATION: Final = frozenset(
    {"parameters", "requestBody", "responses", "callbacks", "security", "servers", "tags"}
)
_PATH_ITEM: Final = frozenset((*METHODS, ADDITIONAL, "parameters", "servers"))
_DOCUMENT: Final = frozenset(
    ("openapi", "$self", "paths", "components", "servers", "security", "tags", "info", *WEBHOOKS)
)


class _OperationScope(NamedTuple):
    """The operation that is compared: its bit, who sends requests to whom, and its place.

    It is *still* if only what surrounds it has changed.
    """

    bit: int
    turned: bool = False
    within: str = ""
    still: bool = False


class _Ends(NamedTuple):
    """The pairs for the differences of an operation: of requests, of responses, of all of it."""

    requests: NodePair
    responses: NodePair
    whole: NodePair


class _BothOperations(NamedTuple):
    """An operation on both sides, and the path items that contain it."""

    before: Thing
    after: Thing
    path_before: Thing
    path_after: Thing


class OperationComparison:
    """Compares operations, and everything else besides messages and schemas."""

    def __init__(
        self,
        messages: MessageComparison,
        versions: tuple[str, str],
    ) -> None:
        self.names: list[str] = []
        """The name of the operation of each bit."""
        self._graph = messages.graph
        self._survey = messages.survey
        self._messages = messages
        self._versions = versions
        self._before = messages.before
        self._after = messages.after
        self.security = SecurityComparison(self._graph, self._before, self._after)
        # whether what was the path of the servers is in the paths now, or the other way round
        self._is_moved = False
        # whether any operation inherits the servers of the document on both sides
        self._inherits_servers = False
        # whether what operations inherit has changed, so that all must be compared
        self._everywhere = any(
            text(self._before.root.get(key)) != text(self._after.root.get(key))
            for key in ("security", "servers")
        ) or any(section == "securitySchemes" for section, _ in self._survey.dirty)

    def compare(self) -> None:
        """Compare operations, webhooks, and what surrounds them."""
        sides = self._before, self._after
        older = [_is_written_in(side, "3.0") for side in sides]
        moved = find_moved_path(self._before.root, self._after.root)
        entries = [side.section("paths") for side in sides]
        paths, self._is_moved = align_served_paths(entries[0], entries[1], moved)
        webhooks = align_webhooks(*map(_list_webhooks, sides), are_moved=older[0] != older[1])
        for old, new in (*paths, *webhooks):
            still = old == new and old not in self._survey.dirty
            if self._everywhere or not still:
                self._path(old, new, still=still)
        self._document()
        self._components()

    # Paths and operations

    def _path(self, old: Key | None, new: Key | None, *, still: bool) -> None:
        section, label = new or old or ("", "")
        renamed: dict[str, str] = {}
        if old is not None and new is not None:
            names = zip(VARIABLE.findall(old[1]), VARIABLE.findall(new[1]), strict=True)
            renamed = {before: after for before, after in names if before != after}
        webhook = section in WEBHOOKS

        def scope_of(method: str) -> _OperationScope:
            self.names.append(f"WEBHOOK {label}" if webhook else f"{method_name(method)} {label}")
            return _OperationScope(1 << (len(self.names) - 1), webhook, still=still)

        self._path_item(
            self._entry(self._before, old),
            self._entry(self._after, new),
            renamed,
            scope_of,
        )

    @staticmethod
    def _entry(document: DocumentIndex, key: Key | None) -> Parts:
        if key is None:
            return ()
        section, name = key
        located = Located(document.section(section)[name], f"/{section}/{escape(name)}")
        return parts_of(document, located)

    def _path_item(
        self,
        before: Parts,
        after: Parts,
        renamed: dict[str, str],
        scope_of: Callable[[str], _OperationScope],
    ) -> None:
        """Compare two path items."""
        ours, theirs = Thing(before), Thing(after)
        # they may refer to something unequal without being unequal themselves
        alike = len(before) == len(after) == 1 and self._survey.are_same(
            before[0].node, after[0].node
        )
        bits = 0
        modern = [_is_written_in(side, "3.2") for side in (self._before, self._after)]
        older = ours.operations(modern=modern[0])
        newer = theirs.operations(modern=modern[1])
        for method in dict.fromkeys((*METHODS, *older, *newer)):
            first, second = older.get(method), newer.get(method)
            if first is None and second is None:
                continue
            scope = scope_of(method)
            bits |= scope.bit
            if first is None or second is None:
                root = self._graph.root(before, after, request=scope.bit, response=scope.bit)
                name = scope.within and f"{scope.within} {method_name(method)}"
                _add_operation(root, first, second, name)
                continue
            both = Thing.at(self._before, first), Thing.at(self._after, second)
            self._operation(scope, _BothOperations(*both, ours, theirs), renamed, alike=alike)
        if before and after and not alike:
            root = self._graph.root(before, after, request=bits, response=bits)
            # only a mapping has operations
            others = [side.get(ADDITIONAL) for side in (ours, theirs)]
            are_maps = all(node is None or isinstance(node.value, dict) for node in others)
            nested = _PATH_ITEM if are_maps else _PATH_ITEM - {ADDITIONAL}
            compare_keys(
                root, "path-item", ours, theirs, nested if any(modern) else nested - MODERN
            )

    def _operation(
        self,
        scope: _OperationScope,
        operations: _BothOperations,
        renamed: dict[str, str],
        *,
        alike: bool,
    ) -> None:
        """Compare an operation; if *alike*, only what it inherits or refers to may differ."""
        before, after, *_ = operations
        ends = self._ends(scope, before.parts, after.parts)
        if self._everywhere or not alike:
            self.security.compare_operation(ends.requests, scope.bit, before, after)
            self._servers(ends, operations)
        if not alike:
            compare_keys(ends.whole, "operation", before, after, _OPERATION)
            _compare_tags(ends.whole, before, after)
        if not scope.still:
            self._parameters(ends.requests, operations, renamed)
            self._body(ends.requests, before, after)
            self._responses(ends.responses, before, after)
        self._callbacks(scope, before, after)

    def _ends(self, scope: _OperationScope, before: Parts, after: Parts) -> _Ends:
        request, response = (0, scope.bit) if scope.turned else (scope.bit, 0)
        root = partial(self._graph.root, before, after)
        return _Ends(
            root(request=request, response=response),
            root(request=response, response=request),
            root(request=scope.bit, response=scope.bit),
        )

    # Parameters

    def _parameters(
        self, requests: NodePair, operations: _BothOperations, renamed: dict[str, str]
    ) -> None:
        ours = list_parameters(self._before, operations.path_before, operations.before)
        theirs = list_parameters(self._after, operations.path_after, operations.after)
        called = {
            ("path", old): ("path", new)
            for old, new in renamed.items()
            if ("path", old) in ours and ("path", new) in theirs
        } | find_renamed(ours, theirs, self._messages.schemas.renames)
        for old, new in renamed.items():
            if ("path", old) not in called:
                # no parameter declares it: only the path shows it
                first, second = operations.path_before.pointer, operations.path_after.pointer
                nodes = Located(old, first), Located(new, second)
                requests.add(_renaming(new, renamed), "", *nodes, carrier=CARRIERS["path"])
        for key, one in ours.items():
            other = theirs.get(called.get(key, key))
            if other and key in called:
                kind = _renaming(other.name, renamed if key[0] == "path" else {})
                nodes = Located(one.name, one.node.pointer), Located(other.name, other.node.pointer)
                shared, carrier = one.find_component(other), CARRIERS.get(key[0], 0)
                requests.add(kind, "", *nodes, field=other.name, carrier=carrier, shared=shared)
            shared = "" if other else find_shared(one, self._before, theirs, self._after)
            self._parameter(requests, one, (one.node, other and other.node), key[0], shared)
        for key, one in theirs.items():
            if key not in ours and key not in called.values():
                shared = find_shared(one, self._after, ours, self._before)
                self._parameter(requests, one, (None, one.node), key[0], shared)

    def _parameter(
        self,
        requests: NodePair,
        one: ListedParameter,
        nodes: tuple[Located | None, Located | None],
        place: str,
        shared: str,
    ) -> None:
        carrier = CARRIERS.get(place, 0)
        self._messages.compare_named(
            requests, "parameter", one.name, *nodes, carrier, shared=shared
        )

    # Bodies, responses, callbacks

    def _body(self, requests: NodePair, before: Thing, after: Thing) -> None:
        both = before.get("requestBody"), after.get("requestBody")
        self._messages.compare_named(requests, "request-body", "", *both, CARRIERS["body"])

    def _responses(self, responses: NodePair, before: Thing, after: Thing) -> None:
        known, later = before.entries("responses"), after.entries("responses")
        for status, ours, theirs in align(known, later):
            if status.startswith("x-"):
                responses.compare(EXTENSION, status, ours, theirs)
                continue
            declared = None if ours and theirs else self._find_declared(status, known, later)
            if declared is not None:
                self._messages.link(responses, "response", *declared)
                continue
            self._messages.compare_named(responses, "response", status, ours, theirs)
            wider = None if ours else find_covering(self._before, status, known)
            if wider and theirs:
                self._messages.link(responses, "response", wider, theirs)

    def _find_declared(
        self, status: str, known: Responses, later: Responses
    ) -> tuple[Located, Located] | None:
        """Return the responses of *status* if both sides declare it with the same contract."""
        key = find_declaring(status, known, later)
        if key is None:
            return None
        ours, theirs = known.get(status, known[key]), later.get(status, later[key])
        promised = (
            list_promises(Thing.at(self._before, ours)),
            list_promises(Thing.at(self._after, theirs)),
        )
        return (ours, theirs) if self._messages.survey.equal(*promised) else None

    def _callbacks(self, scope: _OperationScope, before: Thing, after: Thing) -> None:
        """Compare the server's requests during an operation: there the caller responds."""
        callbacks = before.entries("callbacks"), after.entries("callbacks")
        for name, ours, theirs in align(*callbacks):
            self._expressions(ours, theirs, name, scope)

    def _expressions(
        self, before: Located | None, after: Located | None, name: str, scope: _OperationScope
    ) -> None:
        ours, theirs = _entries(self._before, before), _entries(self._after, after)
        root = self._graph.root((), (), request=scope.bit, response=scope.bit)
        for old, new in align_names(ours, theirs):
            expression = old if new is None else new
            if expression is not None and expression.startswith(("x-", "$ref")):
                # a reference is left only if it is dangling
                sides = ours.get(expression), theirs.get(expression)
                root.compare(kinds_of(expression, ()), expression, *sides)
                continue
            called = f"{name} {expression}"
            below = _OperationScope(scope.bit, not scope.turned, called, scope.still)
            before_parts = () if old is None else parts_of(self._before, ours[old])
            after_parts = () if new is None else parts_of(self._after, theirs[new])
            self._path_item(before_parts, after_parts, {}, partial(_same, below))

    # Servers

    def _servers(self, ends: _Ends, operations: _BothOperations) -> None:
        before, after, path_before, path_after = operations
        ours = before.get("servers") or path_before.get("servers")
        theirs = after.get("servers") or path_after.get("servers")
        if ours is None and theirs is None:
            if self._is_moved:
                return
            self._inherits_servers = True
        ours = ours or self._before.locate("#/servers")
        theirs = theirs or self._after.locate("#/servers")
        compare_servers(ends.requests, ends.whole, ours, theirs)

    # Components and the document itself

    def _components(self) -> None:
        """Compare components for their own sake: consumers may import unused ones."""
        root = self._graph.root(
            *(_document_part(side, "components") for side in (self._before, self._after))
        )
        sides = Thing(root.before), Thing(root.after)
        compare_keys(root, "components", *sides, frozenset(COMPONENTS))
        for section, kind in COMPONENTS.items():
            for before, after in self._same_components(section):
                self._component(root, kind, before, after)
        self.security.compare_undefined()

    def _same_components(self, section: str) -> Iterator[tuple[Located, Located]]:
        """Yield the components of *section* that both sides have and that differ.

        Components with generated names are identified by their addresses, security schemes by their
        new names, and all others by name.
        """
        if not (self._before.section(section) and self._after.section(section)):
            return
        # the targets of a security scheme concern those who use it by its own name
        survey = self._survey
        other = survey.dirty if section == "securitySchemes" else survey.unequal
        renamed = self.security.renamed if section == "securitySchemes" else {}
        found: list[dict[str, Located]] = []
        for side, names in ((self._before, renamed), (self._after, {})):
            at = f"/components/{section}/"
            nodes = (
                (at + escape(names.get(name, name)), Located(value, at + escape(name)))
                for name, value in side.section(section).items()
            )
            found.append({side.made.get(node.pointer, known): node for known, node in nodes})
        ours, theirs = found
        known = [(ours[key], theirs[key]) for key in ours if key in theirs]
        # what got a name of its own, or lost it
        lone = {node.pointer: node for key, node in theirs.items() if key not in ours}
        known += [
            (node, lone[node.pointer])
            for key, node in ours.items()
            if key not in theirs and node.pointer in lone
        ]
        for before, after in sorted(known, key=lambda pair: pair[1].pointer):
            if before.pointer != after.pointer or component(before.pointer) in other:
                yield before, after

    def _component(self, root: NodePair, kind: str, before: Located, after: Located) -> None:
        name = before.pointer.rsplit("/", 1)[1]
        if kind == "schema":
            self._messages.schemas.pair([before], [after]).carried |= MODEL
        elif kind == "security-scheme":
            self.security.compare_schemes(before, after)
        elif kind == "example":
            root.compare(NOTE, "examples", before, after)
        elif kind == "link":
            compare_whole(root, "link", LINK, name, before, after)
        elif kind == "path-item":
            parts = parts_of(self._before, before), parts_of(self._after, after)
            self._path_item(*parts, {}, partial(_same, _OperationScope(0)))
        elif kind == "callback":
            self._expressions(before, after, name, _OperationScope(0))
        else:
            pair = self._messages.pair(kind, before, after)
            pair.carried |= MODEL
            if kind == "parameter":
                compare_keys_of_unused(self._messages, pair, before, after)

    def _document(self) -> None:
        root = self._graph.root(_document_part(self._before), _document_part(self._after))
        ours, theirs = Thing(root.before), Thing(root.after)
        compare_keys(root, "document", ours, theirs, _DOCUMENT)
        root.compare(find_self_kinds(ours, theirs), "$self", ours.get("$self"), theirs.get("$self"))
        old, new = self._versions
        # the patch number of a version is for corrections of the specification
        is_same = old.split(".")[:2] == new.split(".")[:2]
        kinds = NOTE if is_same else Kinds.all(Kind.DIALECT_CHANGED)
        root.compare(kinds, "openapi", Located(old, "/openapi"), Located(new, "/openapi"))
        for section in ("info", "paths"):
            for key, *both in align(ours.entries(section), theirs.entries(section)):
                kinds = EXTENSION if key.startswith("x-") else NOTE
                if section == "info" or kinds is EXTENSION:
                    root.compare(kinds, key, *both)
        for _, *both in align(list_tags(ours), list_tags(theirs)):
            root.compare(NOTE, "tags", *both)
        # operations that inherit these on both sides get the same change, and join it; the others
        # report their own
        security = ours.get("security"), theirs.get("security")
        kinds = SECURITY if self.security.is_inherited else NOTE
        self.security.compare_requirements(root, *security, kinds)
        servers = ours.get("servers"), theirs.get("servers")
        compare_servers(root, root, *servers, SERVERS if self._inherits_servers else NOTE)


def _renaming(name: str, renamed: Mapping[str, str]) -> Kind:
    """Return the kind of the rename to *name*, which another parameter may have had."""
    return Kind.PARAMETER_MOVED if name in renamed else Kind.PARAMETER_RENAMED


def _list_webhooks(document: DocumentIndex) -> list[Key]:
    return [(section, name) for section in WEBHOOKS for name in document.section(section)]


def _same(scope: _OperationScope, _method: str) -> _OperationScope:
    return scope


def _is_written_in(document: DocumentIndex, release: str) -> bool:
    """Return whether *document* is written in *release* of OpenAPI, such as `3.2`."""
    version = document.locate("#/openapi")
    return version is not None and str(version.value).startswith(release)


def _add_operation(
    root: NodePair, before: Located | None, after: Located | None, name: str
) -> None:
    """Report an operation that was added or removed; a callback's has a *name* of its own."""
    kinds = Kinds(Kind.OPERATION_ADDED, Kind.OPERATION_REMOVED)
    ours, theirs = (
        side and Located(side.value.get("operationId"), side.pointer) for side in (before, after)
    )
    root.add(kinds, "", ours, theirs, field=name)


def _compare_tags(whole: NodePair, before: Thing, after: Thing) -> None:
    """Compare the tags of an operation as a set."""
    ours, theirs = before.get("tags"), after.get("tags")
    if _sort_texts(ours) != _sort_texts(theirs):
        whole.compare(KEYWORD, "tags", ours, theirs)


def _sort_texts(node: Located | None) -> list[str]:
    return sorted(map(text, node.value)) if node and isinstance(node.value, list) else []


def _entries(document: DocumentIndex, node: Located | None) -> dict[str, Located]:
    """Return the entries of an object, its reference followed."""
    if node is None:
        return {}
    return {
        str(key): Located(value, f"{part.pointer}/{escape(str(key))}")
        for part in parts_of(document, node)
        for key, value in part.node.items()
        if key not in part.skip
    }


def _document_part(document: DocumentIndex, *path: str) -> Parts:
    node = document.root
    for key in path:
        node = node.get(key, {})
    return (Part(node, "".join(f"/{key}" for key in path), NOTHING),)
