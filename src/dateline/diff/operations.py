"""Two documents in, what of their operations and of all around them differs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from dateline.diff.documents import WEBHOOKS, ChangeSurvey, DocumentIndex
from dateline.diff.graph import CARRIERS, MODEL, Graph, NodePair
from dateline.diff.keywords import EXTENSION, NOTE, changed, differences, kinds_of, one_sided
from dateline.diff.leads import Leads
from dateline.diff.messages import MessageComparison, Thing, keys, parts_of
from dateline.diff.parameters import ListedParameter, Parameters, listed, parameter_key
from dateline.diff.surroundings import (
    SECURITY,
    alternatives,
    compare_servers,
    is_same_setting,
    named_tags,
    renamed_schemes,
    scheme_kinds,
    settings,
)
from dateline.model import Kind
from dateline.openapi import COMPONENTS, METHODS
from dateline.schema.dialect import is_old
from dateline.schema.parts import NOTHING, Part, Parts
from dateline.schema.references import Located, component, escape
from dateline.schema.values import text

_VARIABLE: Final = re.compile(r"\{([^{}]*)\}")
_OPERATION: Final = frozenset(
    {"parameters", "requestBody", "responses", "callbacks", "security", "servers", "tags"}
)
_PATH_ITEM: Final = frozenset((*METHODS, "parameters", "servers"))
_DOCUMENT: Final = frozenset(
    ("openapi", "paths", "components", "servers", "security", "tags", "info", *WEBHOOKS)
)


class _Scope(NamedTuple):
    """Whose operation it is that is compared: its bit, who asks whom, and below what."""

    bit: int
    turned: bool = False
    within: str = ""


class _Ends(NamedTuple):
    """What is met at an operation: at what is asked, at what is answered, at all of it."""

    asks: NodePair
    answers: NodePair
    whole: NodePair


class _Operations(NamedTuple):
    """An operation on both sides, and the path items that hold it."""

    before: Thing
    after: Thing
    path_before: Thing
    path_after: Thing


class OperationComparison:
    """Compares operations, and all that is neither a message nor a schema."""

    def __init__(
        self,
        graph: Graph,
        survey: ChangeSurvey,
        messages: MessageComparison,
        renames: Mapping[str, str],
        leads: Leads,
    ) -> None:
        self.names: list[str] = []
        """The name of the operation that each bit stands for."""
        self._graph = graph
        self._survey = survey
        self._messages = messages
        self._before = messages.before
        self._after = messages.after
        self._renames = renames
        self._leads = leads
        self.schemes = renamed_schemes(*self._both("securitySchemes"))
        # which operations may use a security scheme, by its new name
        self._users: dict[str, int] = {}
        self._scopes: dict[str, set[str]] = {}
        # the security schemes that are demanded on both sides, by their new names
        self._demanded: set[str] = set()
        # whether any operation has the security of the document, on either side
        self._inherits = False
        # whether what operations inherit has changed, so that all have to be looked at
        self._everywhere = any(
            text(self._before.root.get(key)) != text(self._after.root.get(key))
            for key in ("security", "servers")
        ) or any(section == "securitySchemes" for section, _ in survey.dirty)
        # whether a reference may lead to a parameter of another name
        self._parameters_differ = any(section == "parameters" for section, _ in survey.unequal)

    def is_word(self, section: str, name: str) -> bool:
        """Tell whether the name of a component is one for people: of a scheme, where no operation
        demands another because of it."""
        demanded = name in self._users and name not in self.schemes
        return section == "securitySchemes" and not demanded

    def compare(self) -> None:
        """Compare operations, webhooks, and what stands around them."""
        sections = [("paths", aligned_paths(*self._both("paths")))]
        sections += [(section, _aligned_names(*self._both(section))) for section in WEBHOOKS]
        for section, aligned in sections:
            for old, new in aligned:
                still = old == new and (section, str(old)) not in self._survey.dirty
                if self._everywhere or not still:
                    self._path(section, old, new, still=still)
        self._document()
        self._components()

    def _both(self, section: str) -> tuple[dict[str, Any], dict[str, Any]]:
        return self._before.section(section), self._after.section(section)

    # Paths and operations

    def _path(self, section: str, old: str | None, new: str | None, *, still: bool) -> None:
        label = new if new is not None else old
        renamed: dict[str, str] = {}
        if old is not None and new is not None:
            names = zip(_VARIABLE.findall(old), _VARIABLE.findall(new), strict=True)
            renamed = {before: after for before, after in names if before != after}
        webhook = section in WEBHOOKS

        def scope_of(method: str) -> _Scope:
            self.names.append(f"WEBHOOK {label}" if webhook else f"{method.upper()} {label}")
            return _Scope(1 << (len(self.names) - 1), webhook)

        self._item(
            self._entry(self._before, section, old),
            self._entry(self._after, section, new),
            renamed,
            scope_of,
            still=still,
        )

    @staticmethod
    def _entry(document: DocumentIndex, section: str, name: str | None) -> Parts:
        if name is None:
            return ()
        located = Located(document.section(section)[name], f"/{section}/{escape(name)}")
        return parts_of(document, located)

    def _item(
        self,
        before: Parts,
        after: Parts,
        renamed: dict[str, str],
        scope_of: Callable[[str], _Scope],
        *,
        still: bool = False,
    ) -> None:
        """Compare two path items; *still* if only what surrounds them has changed."""
        if not (self._everywhere or self._parameters_differ) and _is_shared(before, after):
            self._shared_item(before[0], scope_of)
            return
        ours, theirs = Thing(before), Thing(after)
        # they may refer to what differs, but differ in nothing themselves
        alike = (
            len(before) == len(after) == 1
            and self._survey.equal(before[0].node, after[0].node) is not None
        )
        bits = 0
        for method in METHODS:
            first, second = ours.get(method), theirs.get(method)
            if first is None and second is None:
                continue
            scope = scope_of(method)
            bits |= scope.bit
            if first is None or second is None:
                root = self._graph.root(before, after, request=scope.bit, response=scope.bit)
                _lone(root, first, second, scope.within and f"{scope.within} {method.upper()}")
                continue
            operations = _Operations(
                Thing(parts_of(self._before, first)),
                Thing(parts_of(self._after, second)),
                ours,
                theirs,
            )
            ends = self._ends(scope, operations.before.parts, operations.after.parts)
            if self._everywhere or not alike:
                self._security(ends.asks, scope.bit, operations)
                self._servers(ends, operations)
            if not alike:
                keys(ends.whole, "operation", operations.before, operations.after, _OPERATION)
                _tags(ends.whole, operations.before, operations.after)
            if not still:
                self._messages_of(ends, scope, operations, renamed)
        if before and after and not alike:
            root = self._graph.root(before, after, request=bits, response=bits)
            keys(root, "path-item", ours, theirs, _PATH_ITEM)

    def _shared_item(self, item: Part, scope_of: Callable[[str], _Scope]) -> None:
        """Compare what the operations of a path item lead to that both documents share."""
        for method, operation, leads in self._leads.of(self._before, item):
            scope = scope_of(method)
            reached = [lead for lead in leads if self._survey.reaches(lead.text)]
            if reached:
                ends = self._ends(scope, operation.parts, operation.parts)
            for lead in reached:
                end = ends.asks if lead.asks else ends.answers
                if lead.kind == "schema":
                    self._messages.schemas.link(end, [lead.node], [lead.node], lead.carrier)
                else:
                    self._messages.link(end, lead.kind, lead.node, lead.node, lead.carrier)
            if operation.get("callbacks"):
                self._callbacks(scope, operation, operation)

    def _ends(self, scope: _Scope, before: Parts, after: Parts) -> _Ends:
        asked, answered = (0, scope.bit) if scope.turned else (scope.bit, 0)
        root = partial(self._graph.root, before, after)
        return _Ends(
            root(request=asked, response=answered),
            root(request=answered, response=asked),
            root(request=scope.bit, response=scope.bit),
        )

    def _messages_of(
        self, ends: _Ends, scope: _Scope, operations: _Operations, renamed: dict[str, str]
    ) -> None:
        before, after = operations.before, operations.after
        self._parameters(ends.asks, operations, renamed)
        self._body(ends.asks, before, after)
        self._responses(ends.answers, before, after)
        self._callbacks(scope, before, after)

    # Parameters

    def _parameters(self, asks: NodePair, operations: _Operations, renamed: dict[str, str]) -> None:
        ours = listed(self._before, operations.path_before, operations.before)
        theirs = listed(self._after, operations.path_after, operations.after)
        called = {
            ("path", old): ("path", new)
            for old, new in renamed.items()
            if ("path", old) in ours and ("path", new) in theirs
        } | self._annotated(ours, theirs)
        for old, new in renamed.items():
            if ("path", old) not in called:
                # no parameter declares it: the path alone tells
                first, second = operations.path_before.pointer, operations.path_after.pointer
                nodes = Located(old, first), Located(new, second)
                changed(asks, _renaming(new, renamed), "", *nodes, carrier=CARRIERS["path"])
        for key, one in ours.items():
            other = theirs.get(called.get(key, key))
            if other is None:
                self._lone_parameter(asks, Kind.PARAMETER_REMOVED, key, one)
                continue
            carrier = CARRIERS.get(key[0], 0)
            if key in called:
                asks.add(
                    _renaming(other.name, renamed if key[0] == "path" else {}),
                    before_pointer=one.node.pointer,
                    after_pointer=other.node.pointer,
                    before=one.name,
                    after=other.name,
                    field=other.name,
                    carrier=carrier,
                )
            self._messages.link(asks, "parameter", one.node, other.node, carrier)
        for key, one in theirs.items():
            if key not in ours and key not in called.values():
                self._lone_parameter(asks, Kind.PARAMETER_ADDED, key, one)

    def _lone_parameter(
        self, asks: NodePair, kind: Kind, key: tuple[str, str], one: ListedParameter
    ) -> None:
        self._messages.lone(asks, kind, one.name, one.node, CARRIERS.get(key[0], 0))

    def _annotated(
        self, before: Parameters, after: Parameters
    ) -> dict[tuple[str, str], tuple[str, str]]:
        """Return the new keys of the parameters that the sources say were renamed."""
        found = {}
        for key, one in after.items():
            for pointer in (one.node.pointer, one.thing.pointer):
                old = parameter_key(key[0], self._renames.get(pointer, ""))
                if key not in before and old in before:
                    found[old] = key
        return found

    # Bodies, responses, callbacks

    def _body(self, asks: NodePair, before: Thing, after: Thing) -> None:
        ours, theirs = before.get("requestBody"), after.get("requestBody")
        carrier = CARRIERS["body"]
        if ours and theirs:
            self._messages.link(asks, "request-body", ours, theirs, carrier)
        elif theirs:
            self._messages.lone(asks, Kind.BODY_ADDED, "", theirs, carrier)
        elif ours:
            self._messages.lone(asks, Kind.BODY_REMOVED, "", ours, carrier)

    def _responses(self, answers: NodePair, before: Thing, after: Thing) -> None:
        ours, theirs = before.entries("responses"), after.entries("responses")
        for status in sorted(ours.keys() | theirs.keys()):
            if status.startswith("x-"):
                first, second = ours.get(status), theirs.get(status)
                differences(answers, status, [first], [second], EXTENSION)
            elif status in ours and status in theirs:
                self._messages.link(answers, "response", ours[status], theirs[status])
            elif status in theirs:
                self._messages.lone(answers, Kind.RESPONSE_ADDED, status, theirs[status])
                told = self._told_before(status, ours)
                if told is not None:
                    self._messages.link(answers, "response", told, theirs[status])
            else:
                self._messages.lone(answers, Kind.RESPONSE_REMOVED, status, ours[status])

    def _told_before(self, status: str, responses: dict[str, Located]) -> Located | None:
        """Return the response that spoke of *status* until it got its own, if of a content.

        A range of statuses comes before `default` (OpenAPI 3.1.1, section 4.8.16).
        """
        for wider in (f"{status[:1]}XX", "default"):
            found = responses.get(wider)
            if found is not None:
                has_content = Thing(parts_of(self._before, found)).entries("content")
                return found if has_content else None
        return None

    def _callbacks(self, scope: _Scope, before: Thing, after: Thing) -> None:
        """Compare what the server sends while it answers: there it asks, and the reader answers."""
        ours, theirs = before.entries("callbacks"), after.entries("callbacks")
        for name in sorted(ours.keys() | theirs.keys()):
            self._expressions(ours.get(name), theirs.get(name), name, scope)

    def _expressions(
        self, before: Located | None, after: Located | None, name: str, scope: _Scope
    ) -> None:
        ours, theirs = _entries(self._before, before), _entries(self._after, after)
        root = self._graph.root((), (), request=scope.bit, response=scope.bit)
        for old, new in _aligned_names(ours, theirs):
            expression = old if new is None else new
            if expression is not None and expression.startswith(("x-", "$ref")):
                # a reference is left only where it leads nowhere
                first, second = ours.get(expression), theirs.get(expression)
                differences(root, expression, [first], [second], kinds_of(expression, ()))
                continue
            below = _Scope(scope.bit, not scope.turned, f"{name} {expression}")
            self._item(
                parts_of(self._before, ours[old]) if old is not None else (),
                parts_of(self._after, theirs[new]) if new is not None else (),
                {},
                partial(_same, below),
            )

    # Security and servers

    def _security(self, asks: NodePair, bit: int, operations: _Operations) -> None:
        ours, theirs = operations.before.get("security"), operations.after.get("security")
        self._inherits |= ours is None or theirs is None
        ours = ours or _inherited(self._before, "security")
        theirs = theirs or _inherited(self._after, "security")
        for name, scopes in self._alternatives_of(asks, ours, theirs):
            self._users[name] = self._users.get(name, 0) | bit
            self._scopes.setdefault(name, set()).update(scopes)

    def _servers(self, ends: _Ends, operations: _Operations) -> None:
        ours, theirs = (
            thing.get("servers") or item.get("servers") or _inherited(document, "servers")
            for document, item, thing in (
                (self._before, operations.path_before, operations.before),
                (self._after, operations.path_after, operations.after),
            )
        )
        compare_servers(ends.asks, ends.whole, ours, theirs)

    # Components and the document itself

    def _components(self) -> None:
        """Compare components for their own sake: consumers may import what no operation uses."""
        root = self._graph.root(
            *(_held(side, "components") for side in (self._before, self._after))
        )
        keys(root, "components", Thing(root.before), Thing(root.after), frozenset(COMPONENTS))
        for section, kind in COMPONENTS.items():
            for before, after in self._same_components(section):
                self._component(root, kind, before, after)
        self._undefined_schemes()

    def _same_components(self, section: str) -> Iterator[tuple[Located, Located]]:
        """Yield the components of *section* that are one thing on both sides, and not the same.

        What nobody named is what has the same address; all else, what has the same name.
        """
        # what a security scheme refers to concerns those who use it by its own name
        survey = self._survey
        other = survey.dirty if section == "securitySchemes" else survey.unequal
        found: list[dict[str, Located]] = []
        for side in (self._before, self._after):
            nodes = (
                Located(value, f"/components/{section}/{escape(name)}")
                for name, value in side.section(section).items()
            )
            found.append({side.made.get(node.pointer, node.pointer): node for node in nodes})
        ours, theirs = found
        known = [(ours[key], theirs[key]) for key in ours if key in theirs]
        # what came to have a name of its own, or lost it
        lone = {node.pointer: node for key, node in theirs.items() if key not in ours}
        known += [
            (node, lone[node.pointer])
            for key, node in ours.items()
            if key not in theirs and node.pointer in lone
        ]
        for before, after in sorted(known, key=lambda pair: pair[1].pointer):
            if before.pointer != after.pointer or component(before.pointer) in other:
                yield before, after

    def _undefined_schemes(self) -> None:
        """Note the security schemes that are demanded on both sides, and defined on one only."""
        ours, theirs = self._both("securitySchemes")
        known = {self.schemes.get(name, name): name for name in ours}
        for name in sorted(self._demanded & (known.keys() ^ theirs.keys())):
            root = self._graph.root((), (), request=self._users.get(name, 0))
            at = f"/components/securitySchemes/{escape(known.get(name, name))}"
            before = Located(ours[known[name]], at) if name in known else None
            differences(
                root,
                name,
                [before],
                [Located(theirs[name], at) if name in theirs else None],
                SECURITY,
            )

    def _component(self, root: NodePair, kind: str, before: Located, after: Located) -> None:
        name = before.pointer.rsplit("/", 1)[1]
        if kind == "schema":
            self._messages.schemas.pair([before], [after]).carried |= MODEL
        elif kind == "security-scheme":
            self._scheme(before, after)
        elif kind == "example":
            differences(root, "examples", [before], [after], NOTE)
        elif kind == "link":
            differences(root, name, [before], [after], (Kind.LINK_CHANGED,) * 3)
        elif kind == "path-item":
            parts = parts_of(self._before, before), parts_of(self._after, after)
            self._item(*parts, {}, partial(_same, _Scope(0)))
        elif kind == "callback":
            self._expressions(before, after, name, _Scope(0))
        else:
            self._messages.pair(kind, before, after).carried |= MODEL

    def _scheme(self, before: Located, after: Located) -> None:
        """Compare two security schemes; what differs concerns all operations that may use it."""
        name = after.pointer.rsplit("/", 1)[1]
        parts = parts_of(self._before, before), parts_of(self._after, after)
        root = self._graph.root(*parts, request=self._users.get(name, 0))
        ours, theirs = (
            {path: node for part in side for path, node in settings(part.node, part.pointer)}
            for side in parts
        )
        old, new = (side[-1].node if side else {} for side in parts)
        for path in sorted(ours.keys() | theirs.keys()):
            first, second = ours.get(path), theirs.get(path)
            if not is_same_setting(path, (old, first), (new, second)):
                known = self._scopes.get(name, set())
                kinds = scheme_kinds(path, both=bool(first and second), scopes=known)
                differences(root, path, [first], [second], kinds)

    def _document(self) -> None:
        root = self._graph.root(_held(self._before), _held(self._after))
        ours, theirs = Thing(root.before), Thing(root.after)
        keys(root, "document", ours, theirs, _DOCUMENT)
        kinds = NOTE
        if is_old(self._before.root) != is_old(self._after.root):
            kinds = (Kind.DIALECT_CHANGED,) * 3
        differences(root, "openapi", [ours.get("openapi")], [theirs.get("openapi")], kinds)
        for section in ("info", "paths"):
            first, second = ours.entries(section), theirs.entries(section)
            for key in sorted(first.keys() | second.keys()):
                kinds = EXTENSION if key.startswith("x-") else NOTE
                if section == "info" or kinds is EXTENSION:
                    differences(root, key, [first.get(key)], [second.get(key)], kinds)
        named, called = named_tags(ours), named_tags(theirs)
        for name in sorted(named.keys() | called.keys()):
            differences(root, "tags", [named.get(name)], [called.get(name)], NOTE)
        # operations that inherit these meet the same change, and join it; what nobody inherits
        # demands nothing
        kinds = SECURITY if self._inherits else NOTE
        self._alternatives_of(root, ours.get("security"), theirs.get("security"), kinds)
        compare_servers(root, root, ours.get("servers"), theirs.get("servers"))

    def _alternatives_of(
        self,
        pair: NodePair,
        before: Located | None,
        after: Located | None,
        kinds: tuple[Kind, Kind, Kind] = SECURITY,
    ) -> set[tuple[str, frozenset[str]]]:
        """Compare two security requirements; return the schemes that are named, with scopes."""
        old, new = alternatives(before, self.schemes), alternatives(after, {})
        if old != new:
            differences(pair, "security", [before], [after], kinds)
        asked, asks = ({demand for found in side for demand in found} for side in (old, new))
        self._demanded |= {name for name, _ in asked} & {name for name, _ in asks}
        return asked | asks


def aligned_paths(
    before: Iterable[str], after: Iterable[str]
) -> list[tuple[str | None, str | None]]:
    """Return which path is which: the names of its parameters do not count.

    Where several paths differ in those names only, each is what it is called.
    """
    ours = [path for path in before if not path.startswith("x-")]
    theirs = [path for path in after if not path.startswith("x-")]
    known = set(theirs) & set(ours)
    forms = [Counter(_VARIABLE.sub("{}", path) for path in side) for side in (ours, theirs)]
    left = {_VARIABLE.sub("{}", path): path for path in theirs if path not in known}
    found: list[tuple[str | None, str | None]] = []
    for path in ours:
        form = _VARIABLE.sub("{}", path)
        if path in known:
            found.append((path, path))
        elif form in left and forms[0][form] == forms[1][form] == 1:
            found.append((path, left.pop(form)))
        else:
            found.append((path, None))
    matched = {new for _, new in found}
    return [*found, *((None, path) for path in theirs if path not in matched)]


def _aligned_names(
    before: Iterable[str], after: Iterable[str]
) -> list[tuple[str | None, str | None]]:
    ours, theirs = list(before), list(after)
    return [
        (name if name in ours else None, name if name in theirs else None)
        for name in dict.fromkeys((*ours, *theirs))
    ]


def _renaming(name: str, renamed: Mapping[str, str]) -> Kind:
    """Return what it is called that a parameter has *name* now: another one may have had it."""
    return Kind.PARAMETER_MOVED if name in renamed else Kind.PARAMETER_RENAMED


def _is_shared(before: Parts, after: Parts) -> bool:
    """Tell whether two path items are one object at one place."""
    return (
        len(before) == len(after) == 1
        and before[0].node is after[0].node
        and before[0].pointer == after[0].pointer
    )


def _same(scope: _Scope, _method: str) -> _Scope:
    return scope


def _lone(root: NodePair, before: Located | None, after: Located | None, field: str) -> None:
    """Note an operation that stands on one side only; a callback's is told by *field*."""
    for kind, node, added in (
        (Kind.OPERATION_REMOVED, before, False),
        (Kind.OPERATION_ADDED, after, True),
    ):
        if node:
            told = node.value.get("operationId") if isinstance(node.value, dict) else None
            one_sided(root, kind, "", Located(told, node.pointer), added=added, field=field)


def _tags(whole: NodePair, before: Thing, after: Thing) -> None:
    """Compare the tags of an operation as a set."""
    ours, theirs = before.get("tags"), after.get("tags")
    if _sorted(ours) != _sorted(theirs):
        differences(whole, "tags", [ours], [theirs], kinds_of("tags", ("tags",)))


def _sorted(node: Located | None) -> list[str]:
    return sorted(map(text, node.value)) if node and isinstance(node.value, list) else []


def _entries(document: DocumentIndex, node: Located | None) -> dict[str, Located]:
    """Return the entries of an object whose reference is seen through."""
    if node is None:
        return {}
    return {
        str(key): Located(value, f"{part.pointer}/{escape(str(key))}")
        for part in parts_of(document, node)
        for key, value in part.node.items()
        if key not in part.skip
    }


def _inherited(document: DocumentIndex, key: str) -> Located | None:
    return Located(document.root[key], f"/{key}") if key in document.root else None


def _held(document: DocumentIndex, *path: str) -> Parts:
    node = document.root
    for key in path:
        node = node.get(key, {})
    return (Part(node, "".join(f"/{key}" for key in path), NOTHING),)
