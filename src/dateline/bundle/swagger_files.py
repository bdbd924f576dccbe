"""Join the files of a Swagger 2.0 document: the content of others is added to the first one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from dateline.bundle.addresses import AddressError, is_local
from dateline.bundle.bundler import Bundler, StopError, name_at_length, name_shortly
from dateline.bundle.goals import FileSet, Goal, format_local
from dateline.bundle.sources import SourceFile
from dateline.model import Place, Problem, Trail
from dateline.openapi import ANY, METHODS, Arrangement, MadeName
from dateline.wording import quote

_SECTIONS: Final = {"schema": "definitions", "parameter": "parameters", "response": "responses"}
"""The objects that a reference may lead to (Swagger 2.0, Swagger Object)."""

_Held = dict[str, tuple[Arrangement, str]]

# The keys of each object whose content may have references, by its title in Swagger 2.0.
_HOLDS: Final[dict[str, _Held]] = {
    "swagger": {
        "paths": (Arrangement.ONE, "paths"),
        **{section: (Arrangement.MAP, kind) for kind, section in _SECTIONS.items()},
    },
    "paths": {ANY: (Arrangement.ONE, "path-item")},
    "path-item": {
        **dict.fromkeys(METHODS, (Arrangement.ONE, "operation")),
        "parameters": (Arrangement.LIST, "parameter"),
    },
    "operation": {
        "parameters": (Arrangement.LIST, "parameter"),
        "responses": (Arrangement.ONE, "responses"),
    },
    "responses": {ANY: (Arrangement.ONE, "response")},
    "parameter": {"schema": (Arrangement.ONE, "schema"), "items": (Arrangement.ONE, "items")},
    "response": {"schema": (Arrangement.ONE, "schema"), "headers": (Arrangement.MAP, "header")},
    "header": {"items": (Arrangement.ONE, "items")},
    "items": {"items": (Arrangement.ONE, "items")},
    "schema": {
        **dict.fromkeys(("items", "additionalProperties", "not"), (Arrangement.ONE, "schema")),
        **dict.fromkeys(("allOf", "anyOf", "oneOf"), (Arrangement.LIST, "schema")),
        "properties": (Arrangement.MAP, "schema"),
    },
}

PassedOver = tuple[Trail, list[Problem]]
"""The section and the name of an entry, and what is wrong in it."""

_Wanted = tuple[str, Goal]
"""The content of another file: the section to which it is added, and its place."""


@dataclass(frozen=True)
class JoinedSwagger:
    """One source in place of all, the original sources, and the place of each path.

    ``values`` has where values without a kind come from, as ``Bundle.origins`` does.
    ``passed_over`` has the problems in entries of sections, which may be unused.
    """

    source: SourceFile
    sources: dict[str, SourceFile]
    trace: Callable[[Trail], Goal]
    values: dict[tuple[int, str | int], Goal]
    passed_over: list[PassedOver]


def join_files(
    main: SourceFile, file: str, files: FileSet, problems: list[Problem]
) -> JoinedSwagger | None:
    """Return *main*, called *file*, with the content of other *files* that it refers to.

    None, after appending to *problems*, if an address can't be read that is not in an entry of a
    section.
    """
    before = len(problems)
    try:
        joined = _SwaggerJoiner(main, file, files, problems).join()
    except StopError:
        return None
    return joined if len(problems) == before else None


class _SwaggerJoiner:
    """Objects with a section become entries of it; others replace the reference."""

    def __init__(
        self, main: SourceFile, file: str, files: FileSet, problems: list[Problem]
    ) -> None:
        self._main = main
        self._file = file
        self._files = files
        self._problems = problems
        self._bundler = Bundler(files)
        self._names: dict[_Wanted, str] = {}
        self._queue: deque[_Wanted] = deque()
        self._met: dict[_Wanted, None] = {}
        self._origins: dict[Trail, Goal] = {}
        self._around: list[Goal] = []
        self._passed_over: list[PassedOver] = []

    def join(self) -> JoinedSwagger:
        top = Goal(self._file, ())
        for wanted, name in self._list_aliases():
            self._names.setdefault(wanted, name)
        self._build(Arrangement.ONE, "swagger", self._main.root, top, ())
        while self._queue:
            section, goal = self._queue.popleft()
            self._build_entry(section, goal, "")
        added = self._choose_names()
        # again, since all names are known now
        self._origins.clear()
        self._passed_over.clear()
        root = self._build(Arrangement.ONE, "swagger", self._main.root, top, ())
        for (section, goal), name in added.items():
            entries = root[section] = {**(root.get(section) or {})}
            entries[name] = self._build_entry(section, goal, name)
        sources = {name: source for name, source in self._files.sources.items() if source}
        return JoinedSwagger(
            replace(self._main, root=root, locate=self._locate, text=None),
            sources,
            self._trace,
            self._bundler.origins,
            self._passed_over,
        )

    def _list_aliases(self) -> Iterator[tuple[_Wanted, str]]:
        """Yield the references of entries of the document to other files, and their names."""
        for section in _SECTIONS.values():
            entries = self._main.root.get(section)
            for name, node in entries.items() if isinstance(entries, dict) else ():
                at = Goal(self._file, (section, name))
                goal = self._files.find_behind(at, ())
                if isinstance(node, dict) and "$ref" in node and goal and goal.file != self._file:
                    yield (section, goal), name

    def _choose_names(self) -> dict[_Wanted, str]:
        """Return the names of entries that other files have and the document does not."""
        new = [wanted for wanted in self._met if wanted not in self._names]
        short = [(section, name_shortly(goal)) for section, goal in new]
        added: dict[_Wanted, str] = {}
        taken = {
            (section, name)
            for section in _SECTIONS.values()
            for name in (self._main.root.get(section) or ())
        }
        for wanted, (section, name) in sorted(zip(new, short, strict=True), key=str):
            goal = wanted[1]
            if short.count((section, name)) > 1 or (section, name) in taken:
                name = name_at_length(goal)
            while (section, name) in taken:
                name += "_"
            taken.add((section, name))
            self._names[wanted] = name
            added[wanted] = MadeName(name, f"{goal.file}{format_local(goal.path)}")
        return added

    def _build_entry(self, section: str, goal: Goal, name: str) -> Any:
        kind = next(kind for kind, known in _SECTIONS.items() if known == section)
        path = (section, name)
        self._origins[path] = goal
        return self._build(Arrangement.ONE, kind, self._files.node(goal), goal, path)

    def _build(self, arrangement: Arrangement, kind: str, node: Any, at: Goal, path: Trail) -> Any:
        """Return the new form of *node*, written at *at*, for *path* of the document."""
        if isinstance(node, dict) and isinstance(node.get("$ref"), str):
            return self._refer(arrangement, kind, node, at, path)
        if arrangement is Arrangement.LIST or isinstance(node, list):
            pairs: Any = enumerate(node) if isinstance(node, list) else ()
            children = [
                self._build(Arrangement.ONE, kind, each, at.below(index), (*path, index))
                for index, each in pairs
            ]
            return children if isinstance(node, list) else node
        if not isinstance(node, dict):
            return node
        slots = {ANY: (Arrangement.ONE, kind)} if arrangement is Arrangement.MAP else _HOLDS[kind]
        found = {}
        for key, value in node.items():
            known = slots.get(key) or (None if key.startswith("x-") else slots.get(ANY))
            below, goal = (*path, key), at.below(key)
            if known is not None:
                found[key] = self._build(*known, value, goal, below)
            else:
                found[key], origin = self._bundler.inline_value(value, goal)
                self._origins |= {below: origin} if origin else {}
        return found

    def _refer(self, arrangement: Arrangement, kind: str, node: Any, at: Goal, path: Trail) -> Any:
        reference = node["$ref"]
        if at.file == self._file and is_local(reference):
            return node
        before = len(self._problems)
        try:
            goal = self._files.follow(reference, at)
            if goal.file == self._file:
                return {**node, "$ref": format_local(goal.path)}
            section = _SECTIONS.get(kind) if arrangement is Arrangement.ONE else None
            if section is not None and (section, self._names.get((section, goal))) != path:
                return {**node, "$ref": self._name((section, goal))}
            if goal in self._around:
                raise AddressError("reference-circular", "it leads back to itself; fix one of them")
        except AddressError as error:
            found = self._problems[before:]
            del self._problems[before:]
            found += self._describe(error, reference, at)
            if path[:1] in {(section,) for section in _SECTIONS.values()}:
                # nothing may use the entry
                self._passed_over.append((path[:2], found))
                self._files.forget_unread()
            else:
                self._problems += [each for each in found if each not in self._problems]
            return node
        self._origins[path] = goal
        self._around.append(goal)
        built = self._build(arrangement, kind, self._files.node(goal), goal, path)
        self._around.pop()
        if section is not None or len(node) == 1 or not isinstance(built, dict):
            return built
        own = {key: value for key, value in node.items() if key != "$ref"}
        self._origins |= {(*path, key): at.below(key) for key in own}
        return {**built, **self._build(arrangement, kind, own, at, path)}

    def _name(self, wanted: _Wanted) -> str:
        if wanted not in self._met:
            self._met[wanted] = None
            if wanted not in self._names:
                self._queue.append(wanted)
        return format_local((wanted[0], self._names.get(wanted, "")))

    def _describe(self, error: AddressError, reference: str, at: Goal) -> list[Problem]:
        source = self._files.sources[at.file]
        if not error.kind or source is None:
            return []  # reported when the file was read
        place = source.locate((*at.path, "$ref"), value=True)
        message = f"{quote(reference)}: {error.message}"
        return [Problem(place=place, id=error.kind, message=message)]

    # Where it is written

    def _trace(self, path: Trail) -> Goal:
        """Return where what is at *path* of the document is written."""
        for length in range(len(path), 0, -1):
            goal = self._origins.get(path[:length])
            if goal is not None:
                return Goal(goal.file, (*goal.path, *path[length:]))
        return Goal(self._file, path)

    def _locate(self, path: Trail, *, value: bool = False) -> Place:
        goal = self._trace(path)
        source = self._main if goal.file == self._file else self._files.sources[goal.file]
        assert source is not None
        place: Place = source.locate(goal.path, value=value)
        return place
