"""Bundle the files of a document, in one file since every step follows references."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from dateline.bundle.addresses import AddressError, is_address, is_local, is_remote
from dateline.bundle.goals import FileSet, Goal, format_local, get_reference
from dateline.bundle.sources import SourceFile
from dateline.gates import is_long
from dateline.model import WAS, Place, Problem, Trail
from dateline.oddities import UNDECIDING, list_used
from dateline.openapi import (
    COMPONENTS,
    OBJECTS,
    SECTIONS,
    Arrangement,
    MadeName,
    Value,
    read_slot,
)
from dateline.source.reader import ADOPTED, MOST_PROBLEMS
from dateline.wording import quote

# Keys whose values belong to the API: a `$ref` there need not be a reference.
_PAYLOAD: Final = frozenset(
    key
    for keys in OBJECTS.values()
    for key, known in keys.items()
    if known.slot.arrangement is Arrangement.DATA and known.value in (Value.ANY, Value.LIST)
)

_UNNAMEABLE: Final = re.compile(r"[^A-Za-z0-9._-]+")


Built = tuple[Any, Goal | None]
"""The new value, and its place if it comes from elsewhere."""


class StopError(Exception):
    """The rest is not worth reading; the reason is in the problems."""


@dataclass(frozen=True)
class Bundle:
    """A document that may have been bundled from several files."""

    document: dict[str, Any]
    main: str
    sources: dict[str, SourceFile]
    origins: dict[tuple[int, str | int], Goal]
    reasons: Mapping[tuple[int, str | int], tuple[Goal, ...]] = field(default_factory=dict)
    notes: tuple[Problem, ...] = ()

    def locate(self, path: Trail, *, value: bool = False) -> Place:
        """Return the place of the key or item at *path*, or of its nearest ancestor in the files.

        With *value*, return the place of its value. What replaces a reference to another file has
        its place in that file.
        """
        goal, is_whole = self.find_goal(path)
        return self.sources[goal.file].locate(goal.path, value=value and is_whole)

    def find_edit(self, path: Trail, other: Bundle | None) -> Goal:
        """Return where *path*, or its nearest ancestor, is written.

        If it depends on several places, return the first whose text differs in the *other* bundle.
        """
        goal, is_whole = self.find_goal(path)
        if other is not None and is_whole and path:
            holder: Any = self.document
            for step in path[:-1]:
                holder = holder[step]
            reasons = self.reasons.get((id(holder), path[-1]), ())
            edited = (one for one in (goal, *reasons) if self._read(one)[0] != other._read(one)[0])
            goal = next(edited, goal)
        return Goal(goal.file, self._read(goal)[1])

    def _read(self, goal: Goal) -> tuple[Any, Trail]:
        """Return the value at *goal*, None if there is none, and how far its path exists.

        The main file may have another name.
        """
        node: Any = (self.sources.get(goal.file) or self.sources[self.main]).root
        for number, step in enumerate(goal.path):
            try:
                node = node[step]
            except (LookupError, TypeError):
                return None, goal.path[:number]
        return node, goal.path

    def find_goal(self, path: Trail) -> tuple[Goal, bool]:
        """Return where *path* is written, as far as it exists, and whether all of it does."""
        goal, rest = self._trace(path)
        return goal, not rest

    def trace(self, path: Trail) -> Goal:
        """Return where the key or item at the end of *path* is written, or would be.

        What has a name that no file has is where it is.
        """
        holder, rest = self._trace(path[:-1])
        key = Goal(holder.file, (*holder.path, *rest, *path[-1:]))
        goal, missing = self._trace(path)
        is_component = not missing and path[:1] == ("components",) and len(path) == 3
        return goal if is_component and self._read(key)[1] != key.path else key

    def _trace(self, path: Trail) -> tuple[Goal, Trail]:
        """Return where *path* is written, as far as it exists, and the rest of it."""
        here: Any = self.document
        goal = Goal(self.main, ())
        for number, step in enumerate(path):
            try:
                below = here[step]
            except (LookupError, TypeError):
                return goal, path[number:]
            goal = self.origins.get((id(here), step)) or goal.below(step)
            here = below
        return goal, ()


class Bundler:
    """Bundles a document: the content of other files becomes components, or is inlined.

    A component that is only a reference to another file becomes its target. What can't be a
    component (path items, operations, whole sections) replaces the reference to it. If the document
    is a union of fragments, these are definitions: the content of `x-was` is read as what it
    replaces.
    """

    def __init__(self, files: FileSet) -> None:
        self._main = files.main
        self._files = files
        self._is_authored = files.fragments is not None
        self._is_published = files.fragments is None or files.fragments.adopted
        self._problems = files.problems
        self._nodes_left = ADOPTED.nodes
        self._origins: dict[tuple[int, str | int], Goal] = {}
        # all objects created: an id is unique only while its object lives
        self._made: list[Any] = []
        # the names of components, by their content
        self._names: dict[tuple[str, Goal], str] = {}
        # what becomes a component, and the addresses that wait for its name
        self._queue: deque[tuple[str, Goal]] = deque()
        self._queued: set[tuple[str, Goal]] = set()
        self._waiting: list[tuple[dict[str, Any], str, tuple[str, Goal], str]] = []
        self._around: list[Goal] = []
        # those that contain themselves, in the value without a kind that is being built
        self._endless: set[Goal] = set()
        # problems in components that the document does not use itself: other files may
        self._passed_over: list[tuple[Trail, list[Problem]]] = []

    def bundle(self) -> Bundle | None:
        """Return the document; None, after reporting problems, if an address can't be read."""
        before = len(self._problems)
        try:
            document = self._document()
        except StopError:
            return None
        if len(self._problems) > before:
            return None
        sources = {
            name: source for name, source in self._files.sources.items() if source is not None
        }
        return Bundle(document, self._main, sources, self._origins)

    def inline_value(self, value: Any, at: Goal) -> Built:
        """Return *value*, an extension or an example, with the content of other files.

        Raises StopError, after reporting the problem, if that is too large.
        """
        self._endless.clear()
        return self._data(value, at, len(at.path), payload=True)

    @property
    def origins(self) -> dict[tuple[int, str | int], Goal]:
        """Where the values come from that replaced references, by the id of an object and a key."""
        return self._origins

    def _document(self) -> dict[str, Any]:
        main = Goal(self._main, ())
        self._name_components(main)
        document, _ = self._object("document", self._files.node(main), main, 0)
        components: dict[tuple[str, Goal], Built] = {}
        while self._queue:
            section, goal = wanted = self._queue.popleft()
            # `components`, the section and the name surround it
            components[wanted] = self._inline(Arrangement.ONE, COMPONENTS[section], goal, goal, 3)
        if components:
            document = self._with_components(document, components)
        for holder, key, wanted, rest in self._waiting:
            holder[key] = format_local(("components", wanted[0], self._names[wanted])) + rest
        complete: dict[str, Any] = document
        used = list_used(complete) if self._passed_over else set()
        for component, problems in self._passed_over:
            self._problems += problems if component in used else ()
        return complete

    # Components

    def _name_components(self, main: Goal) -> None:
        """Record the components of the document, its own and those in other files."""
        aliases: list[tuple[tuple[str, Goal], str]] = []
        for section in COMPONENTS:
            entries = self._files.find_behind(main, ("components", section))
            node = None if entries is None else self._files.node(entries)
            if entries is None or not isinstance(node, dict):
                continue
            for name, below in node.items():
                goal = entries.below(name)
                if get_reference(below) is None:
                    self._names.setdefault((section, goal), name)
                elif (aliased := self._files.find_behind(goal, ())) and aliased.file != main.file:
                    aliases.append(((section, aliased), name))
        for alias, name in aliases:
            self._names.setdefault(alias, name)

    def _with_components(
        self, document: dict[str, Any], built: dict[tuple[str, Goal], Built]
    ) -> dict[str, Any]:
        """Return *document* with the components *built*, under free names."""
        alike: dict[tuple[str, str], list[Goal]] = {}
        for section, goal in built:
            alike.setdefault((section, self._style(name_shortly(goal))), []).append(goal)
        before = document.get("components")
        components = self._copy(before if isinstance(before, dict) else {})
        for section in sorted({section for section, _ in built}):
            before = components.get(section)
            components[section] = self._copy(before if isinstance(before, dict) else {})
        for (section, short), goals in sorted(alike.items()):
            entries = components[section]
            for goal in sorted(goals, key=str):
                is_free = len(goals) == 1 and short not in entries
                name = short if is_free else self._style(name_at_length(goal))
                while name in entries:
                    name += "Also" if self._is_authored else "_"
                self._names[section, goal] = name
                if not self._is_authored:
                    name = MadeName(name, f"{goal.file}{format_local(goal.path)}")
                entries[name], self._origins[id(entries), name] = built[section, goal][0], goal
        complete: dict[str, Any] = self._copy(document)
        complete["components"] = components
        return complete

    def _style(self, name: str) -> str:
        """Return *name* in the style of component names of definitions: `LoanState`."""
        if not self._is_authored:
            return name
        return "".join(word[:1].upper() + word[1:] for word in re.split(r"[^A-Za-z0-9]+", name))

    def _copy(self, node: Any) -> Any:
        """Return a copy of a mapping or list whose values keep their places."""
        copied = dict(node) if isinstance(node, dict) else list(node)
        self._made.append(copied)
        for key in node if isinstance(node, dict) else range(len(node)):
            if (origin := self._origins.get((id(node), key))) is not None:
                self._origins[id(copied), key] = origin
        return copied

    def _refer(
        self, holder: dict[str, Any], key: str, section: str, goal: Goal, rest: str = ""
    ) -> None:
        """Set *key* of *holder* to the address of what is at *goal*, followed by *rest*."""
        if goal.file == self._main:
            holder[key] = format_local(goal.path) + rest
            return
        wanted = section, goal
        if wanted not in self._names and wanted not in self._queued:
            self._queued.add(wanted)
            self._queue.append(wanted)
        self._waiting.append((holder, key, wanted, rest))

    # The new form of each value of a file; the same object if it refers to no other file

    def _build(self, arrangement: Arrangement, kind: str, node: Any, at: Goal, depth: int) -> Built:
        if arrangement is Arrangement.ONE:
            return self._object(kind, node, at, depth)
        if arrangement is Arrangement.DATA:
            return self._data(node, at, depth, payload=False)
        if not isinstance(node, dict | list):
            return node, None
        self._count(node, at, depth)
        if isinstance(node, dict) and (goal := self._follow_alone(node, at)):
            return self._inline(arrangement, kind, goal, at, depth)
        return self._rebuilt(
            node, at, lambda _, below, goal: self._object(kind, below, goal, depth + 1)
        )

    def _object(self, kind: str, node: Any, at: Goal, depth: int) -> Built:
        """Return the new form of *node*, an object of *kind*."""
        if not isinstance(node, dict):
            return node, None
        self._count(node, at, depth)
        goal = self._follow(node, at, kind)
        if goal is None:
            return self._children(kind, node, at, depth)
        section = SECTIONS.get(kind)
        by_address = goal.file == self._main or (section, goal) in self._names
        if section and (kind != "path-item" or by_address):
            result = self._copy(self._children(kind, node, at, depth)[0])
            self._refer(result, "$ref", section, goal)
            return result, None
        inlined, origin = self._inline(Arrangement.ONE, kind, goal, at, depth)
        if len(node) == 1 or not isinstance(inlined, dict):
            return inlined, origin
        return self._overlaid(kind, inlined, goal, node, at, depth), None

    def _overlaid(
        self,
        kind: str,
        inlined: dict[str, Any],
        goal: Goal,
        node: dict[str, Any],
        at: Goal,
        depth: int,
    ) -> dict[str, Any]:
        """Return *inlined* overridden by the siblings of the reference to it."""
        own, _ = self._children(kind, node, at, depth)
        result: dict[str, Any] = self._copy(inlined)
        for key in inlined:
            self._origins.setdefault((id(result), key), goal.below(key))
        for key in own:
            if key != "$ref":
                result[key] = own[key]
                origin = self._origins.get((id(own), key))
                self._origins[id(result), key] = origin or at.below(key)
        return result

    def _inline(
        self, arrangement: Arrangement, kind: str, goal: Goal, at: Goal, depth: int
    ) -> Built:
        """Return what is at *goal*, to be placed at *at*."""
        if goal in self._around:
            self._note(at, "reference-circular", "it leads back to itself; write it out once")
            return None, None
        node = self._files.node(goal)
        expected = _EXPECTED[arrangement]
        if expected and not (
            isinstance(node, expected) or (kind == "schema" and node in (True, False))
        ):
            self._note(at, "reference-kind", f"it leads to no {kind}; refer to one")
            return None, None
        self._around.append(goal)
        built, origin = self._build(arrangement, kind, node, goal, depth)
        self._around.pop()
        return built, origin or goal

    def _children(self, kind: str, node: dict[str, Any], at: Goal, depth: int) -> Built:
        def child(key: str | int, value: Any, goal: Goal) -> Built:
            name = str(key)
            arrangement, below = read_slot(kind, name)
            if arrangement is not Arrangement.DATA:
                if kind == "components" and isinstance(value, dict):
                    return self._section(name, below, value, goal, depth + 1)
                return self._build(arrangement, below, value, goal, depth + 1)
            if name == WAS and self._is_authored and isinstance(value, dict):
                return self._history(kind, value, goal, depth + 1)
            if kind == "discriminator" and name == "mapping" and isinstance(value, dict):
                return self._mapping(value, goal, value), None
            self._endless.clear()
            payload = name in _PAYLOAD or (kind, name) == ("link", "parameters")
            return self._data(value, goal, depth + 1, payload=payload)

        result, _ = self._rebuilt(node, at, child)
        reference = node.get("operationRef")
        if kind == "link" and isinstance(reference, str):
            result = self._link(result, reference, at)
        if kind == "discriminator" and "defaultMapping" in node:
            result = self._mapping(result, at, ("defaultMapping",))
        reference = node.get("$dynamicRef")
        is_elsewhere = isinstance(reference, str) and not is_local(reference)
        if kind == "schema" and is_elsewhere:
            message = "a $dynamicRef to another file is not followed; write $ref"
            refused = at.below("$dynamicRef"), "reference-remote", message
            if self._is_undeciding(kind, at):
                self._passed_over.append((at.path[1:3], [self._describe(*refused)]))
            else:
                self._note(*refused)
        return result, None

    def _history(self, kind: str, was: dict[str, Any], at: Goal, depth: int) -> Built:
        """Return the new form of the `x-was` of an object of *kind*."""

        def entry(_: str | int, value: Any, goal: Goal) -> Built:
            if not isinstance(value, dict):
                return value, None
            if not is_long(value):
                return self._object(kind, value, goal, depth + 1)
            return self._rebuilt(
                value, goal, lambda _, below, inside: self._object(kind, below, inside, depth + 2)
            )

        self._count(was, at, depth)
        return self._rebuilt(was, at, entry)

    def _section(
        self, section: str, kind: str, node: dict[str, Any], at: Goal, depth: int
    ) -> Built:
        """Return a section of components, with each alias of a file replaced by its target."""
        self._count(node, at, depth)
        if goal := self._follow_alone(node, at):
            aliased = self._files.node(goal)
            if not isinstance(aliased, dict):
                return self._inline(Arrangement.MAP, kind, goal, at, depth)
            return self._section(section, kind, aliased, goal, depth)[0], goal

        def entry(name: str | int, below: Any, goal: Goal) -> Built:
            aliased = (
                self._files.find_behind(goal, ()) if get_reference(below) is not None else None
            )
            if (
                aliased is not None
                and aliased.file != self._main
                and self._names.get((section, aliased)) == name
            ):
                return self._inline(Arrangement.ONE, kind, aliased, goal, depth + 1)
            return self._object(kind, below, goal, depth + 1)

        return self._rebuilt(node, at, entry)

    def _rebuilt(
        self, node: Any, at: Goal, child: Callable[[str | int, Any, Goal], Built]
    ) -> Built:
        """Return *node* with *child* applied to each mapping and list in it; itself if all stay."""
        rebuilt: Any = None
        for key, value in list(node.items() if isinstance(node, dict) else enumerate(node)):
            # nothing else refers to anything
            if not isinstance(value, dict | list):
                continue
            built, origin = child(key, value, at.below(key))
            if built is value and origin is None:
                continue
            if rebuilt is None:
                rebuilt = self._copy(node)
            rebuilt[key] = built
            if origin is not None:
                self._origins[id(rebuilt), key] = origin
        return (node if rebuilt is None else rebuilt), None

    def _data(self, value: Any, at: Goal, depth: int, *, payload: bool) -> Built:
        """Return the new form of a value without a kind, such as an extension or an example.

        OpenAPI has no references there, but other tools follow them. In a *payload*, a dangling one
        is taken for data that the API sends; in a published document it is left alone. So is one
        that leads back to itself.
        """
        if not isinstance(value, dict | list):
            return value, None
        self._count(value, at, depth)
        quiet = payload or self._is_published
        if isinstance(value, dict) and (goal := self._follow(value, at, quiet=quiet)):
            if quiet and self._is_endless(goal):
                return value, None
            return self._inline(Arrangement.DATA, "value", goal, at, depth)
        return self._rebuilt(
            value, at, lambda _, below, goal: self._data(below, goal, depth + 1, payload=payload)
        )

    def _is_endless(self, goal: Goal) -> bool:
        """Return whether what is at *goal* contains itself, as far as it was met in one value."""
        if goal in self._around:
            self._endless.update(self._around[self._around.index(goal) :])
        return goal in self._endless

    def _mapping(self, mapping: dict[str, Any], at: Goal, tags: Iterable[str]) -> dict[str, Any]:
        """Return *mapping* with the schemas that *tags* name replaced by those of the document."""
        result = mapping
        for tag in tags:
            value = mapping[tag]
            if not isinstance(value, str) or (at.file == self._main and is_local(value)):
                continue
            named = self._files.find_behind(Goal(at.file, ()), ("components", "schemas", value))
            if named is None and not is_address(value):
                continue
            if named is None or at.file != self._main:
                # a published tag that names nothing has no member
                goal = named or self._resolve(value, at.below(tag), quiet=self._is_published)
                if goal is not None:
                    result = self._copy(mapping) if result is mapping else result
                    self._refer(result, tag, "schemas", goal)
        return result

    def _link(self, node: dict[str, Any], reference: str, at: Goal) -> dict[str, Any]:
        """Return a link to an operation of another file with the operation's new address."""
        if at.file == self._main and is_local(reference):
            return node
        if is_remote(reference):
            return node  # an operation of another API need not be read
        goal = self._resolve(reference, at.below("operationRef"), quiet=self._is_published)
        if goal is None:
            return node
        node = self._copy(node)
        item, method = goal.path[:-1], goal.path[-1:]
        self._refer(
            node, "operationRef", "pathItems", Goal(goal.file, item), format_local(method)[1:]
        )
        return node

    # References

    def _follow(
        self, node: dict[str, Any], at: Goal, kind: str = "", *, quiet: bool = False
    ) -> Goal | None:
        """Return the target of the `$ref` of *node*, if that is not in the document."""
        reference = node.get("$ref")
        if not isinstance(reference, str) or (at.file == self._main and is_local(reference)):
            return None
        return self._resolve(reference, at.below("$ref"), kind, quiet=quiet)

    def _follow_alone(self, node: dict[str, Any], at: Goal) -> Goal | None:
        """Return the target of the `$ref` of *node*, as ``_follow`` does, without any siblings."""
        goal = self._follow(node, at)
        if goal is not None and len(node) > 1:
            message = "`$ref` stands for all names here; move those beside it to that file"
            self._note(at.below("$ref"), "reference-sibling", message)
        return goal

    def _resolve(
        self, reference: str, at: Goal, kind: str = "", *, quiet: bool = False
    ) -> Goal | None:
        """Return the target of *reference*, at *at* in an object of *kind*; None if it is dangling.

        That is reported unless it is *quiet*, or the object doesn't affect any value.
        """
        before = len(self._problems)
        try:
            return self._files.follow(reference, at)
        except AddressError as error:
            message = f"{quote(reference)}: {error.message}"
            if quiet or self._is_undeciding(kind, at):
                found = self._problems[before:]
                del self._problems[before:]
                self._files.forget_unread()
                if not quiet and kind not in UNDECIDING:
                    found += [self._describe(at, error.kind, message)] if error.kind else []
                    self._passed_over.append((at.path[1:3], found))
            elif error.kind:
                self._note(at, error.kind, message)
        return None

    def _is_undeciding(self, kind: str, at: Goal) -> bool:
        """Return whether what is at *at*, of *kind*, is published and doesn't affect any value.

        That is so for components that the document does not use itself, unless other files do.
        """
        if not self._is_published:
            return False
        is_component = at.file == self._main and at.path[:1] == ("components",)
        return kind in UNDECIDING or (is_component and at.path[1:3] not in self._used)

    @cached_property
    def _used(self) -> set[Any]:
        """The components of the document that it uses itself, by section and name."""
        return {*list_used(self._files.node(Goal(self._main, ())))}

    def _count(self, node: dict[str, Any] | list[Any], at: Goal, depth: int) -> None:
        """Count the content of the document: files may multiply each other."""
        self._nodes_left -= 1 + len(node)
        if depth > ADOPTED.depth:
            message = f"more than {ADOPTED.depth} mappings and lists are within each other"
            self._note(at, "too-deep", f"{message}, files put together; use $ref to components")
            raise StopError
        if self._nodes_left < 0:
            message = f"the files put together have more than {ADOPTED.nodes:,} keys and values"
            self._note(at, "too-large", f"{message}; name a smaller document")
            raise StopError

    def _describe(self, at: Goal, kind: str, message: str) -> Problem:
        source = self._files.sources[at.file]
        assert source is not None  # *at* was reached through it
        return Problem(place=source.locate(at.path, value=True), id=kind, message=message)

    def _note(self, at: Goal, kind: str, message: str) -> None:
        self._problems.append(self._describe(at, kind, message))
        if len(self._problems) >= MOST_PROBLEMS:
            raise StopError


_EXPECTED: Final[dict[Arrangement, type | None]] = {
    Arrangement.ONE: dict,
    Arrangement.MAP: dict,
    Arrangement.LIST: list,
    Arrangement.DATA: None,
}


def name_shortly(goal: Goal) -> str:
    """Return a name for a component with its text at *goal*: the last name of the path."""
    names = [step for step in goal.path if isinstance(step, str)]
    return _nameable(names[-1] if names else _stem(goal.file.rpartition("/")[2]))


def name_at_length(goal: Goal) -> str:
    """Return a name for a component with its text at *goal*, made of the whole path."""
    return _nameable("_".join(map(str, (_stem(goal.file), *goal.path))))


def _stem(file: str) -> str:
    return file.rpartition(".")[0]


def _nameable(name: str) -> str:
    """Return *name* in the characters allowed in names of components (OpenAPI 3.1.1, 4.8.7)."""
    return _UNNAMEABLE.sub("_", name) or "_"
