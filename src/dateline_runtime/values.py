"""A shape in, a function from a plain JSON value to what it becomes at another version out.

Shapes are the contract data that stand in the generated package. They are read once, at start-up;
what runs for a request are the functions, and those only where something differs. A function
returns the same object where nothing in it differs, never changes what it is given, and shares
with its result what stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Mapping
from functools import cached_property
from typing import Any, Final, cast

Json = Any
"""A plain JSON value: dict, list, str, int, float, bool or None."""

Change = Callable[[Json], Json]
Node = Mapping[str, Any] | str | None


class UnfitError(Exception):
    """A value that does not fit the canonical contract where something in it has to change.

    ``place`` is a JSON pointer (RFC 6901) into the value, ``reason`` one sentence that quotes
    nothing of it. The fault is that of whoever made the value, never of the caller.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self._steps: list[str | int] = []

    def within(self, step: str | int) -> None:
        """Say that what held the value so far stands at *step* of something else."""
        self._steps.append(step)

    @property
    def place(self) -> str:
        return "".join(
            "/" + str(step).replace("~", "~0").replace("/", "~1") for step in reversed(self._steps)
        )

    def __str__(self) -> str:
        return f"{self.place or 'the value itself'}: {self.reason}"


class MissingConverterError(LookupError):
    """No converter was given for a type that differs between versions; ``names`` lists all."""

    def __init__(self, names: Iterable[str], way: str) -> None:
        self.names = tuple(sorted(names))
        super().__init__(f"no converter {way} for {', '.join(self.names)}")


def by_media_type(content: Mapping[str, Change], media_type: str) -> Change:
    """Return what *content* has for *media_type*, whose parameters count only to tell two apart.

    Raises UnfitError where it has nothing.
    """
    if media_type in content:
        return content[media_type]
    wanted = _essence(media_type)
    for known, change in content.items():
        if _essence(known) == wanted:
            return change
    raise UnfitError(f"the media type {media_type} is none that the definitions have there")


def _essence(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


def unchanged(value: Json) -> Json:
    """Return *value*."""
    return value


class _Omitted:
    """What becomes of a value that may not be shown."""


_OMITTED: Final = _Omitted()

_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "null": (type(None),),
    "integer": (int,),
    "number": (float,),
}


class Compiler:
    """Makes functions of the shapes of one way, in one environment.

    What two versions have in common is made once.
    """

    def __init__(
        self,
        contracts: Mapping[str, Any],
        way: str,
        environment: str,
        converters: Mapping[str, Change],
    ) -> None:
        if environment not in contracts["environments"]:
            raise ValueError(f"{environment!r} is no environment of these contracts")
        self.way = way
        self._operations: Mapping[str, Any] = contracts[way]["operations"]
        self._versions: list[str] = contracts["versions"]
        self._known = contracts["converters"]
        self._converters = converters
        self._shapes = {
            name: _shown_in(environment, entries)
            for name, entries in contracts[way]["shapes"].items()
        }
        self._made: dict[Any, _Cell] = {}
        self._roots: dict[int, Change] = {}

    def operations(self, version: str) -> dict[str, Any]:
        """Return the operations of the contract data with a function in place of each shape.

        Raises ValueError for a version that the contracts do not have, MissingConverterError
        where a converter is needed that was not given.
        """
        if version not in self._versions:
            raise ValueError(f"{version!r} is no version of these contracts")
        chosen = _Chosen(
            {
                name: max(at for at, (since, _) in enumerate(entries) if self._is(since, version))
                for name, entries in self._shapes.items()
            },
            self._shapes,
        )
        missing = chosen.converters - self._converters.keys()
        if missing:
            raise MissingConverterError(missing, self.way)
        operations: dict[str, Any] = self._functions(_Maker(self, chosen), self._operations)
        return operations

    def _functions(self, maker: _Maker, tree: Any) -> Any:
        if isinstance(tree, Mapping):
            return {key: self._functions(maker, below) for key, below in tree.items()}
        return unchanged if tree is None else maker.root(tree)

    def _is(self, since: str, version: str) -> bool:
        return self._versions.index(since) <= self._versions.index(version)

    def converter(self, name: str) -> Change:
        """Return the converter *name*, whose own errors tell that the value did not fit."""
        convert = self._converters[name]
        passes_null = self._known[name]["passes_null"]

        def change(value: Json) -> Json:
            if value is None and passes_null:
                return None
            try:
                return convert(value)
            except UnfitError:
                raise
            except Exception as error:
                raise UnfitError(f"the converter {name} refuses it") from error

        return change

    @cached_property
    def reach(self) -> dict[str, list[str]]:
        """For each shape, itself and all that it refers to, at any version."""
        direct = {
            name: set[str]().union(*(_references(node) for _, node in entries))
            for name, entries in self._shapes.items()
        }
        made = {}
        for name in direct:
            reached: set[str] = set()
            ahead = [name]
            while ahead:
                each = ahead.pop()
                if each not in reached:
                    reached.add(each)
                    ahead += direct[each]
            made[name] = sorted(reached)
        return made

    def cell(self, key: Any) -> tuple[_Cell, bool]:
        """Return the place of the function of *key*, and whether it is new."""
        known = self._made.get(key)
        if known is not None:
            return known, False
        cell = self._made[key] = _Cell()
        return cell, True

    def rooted(self, change: Change) -> Change:
        """Return *change* for a whole value: nothing can be left out of nothing."""
        if id(change) not in self._roots:
            self._roots[id(change)] = _rooted(change)
        return self._roots[id(change)]


def _shown_in(environment: str, entries: Iterable[Mapping[str, Any]]) -> list[tuple[str, Node]]:
    return [
        (entry["since"], entry["shape"])
        for entry in entries
        if environment in entry.get("environments", (environment,))
    ]


def _rooted(change: Change) -> Change:
    def whole(value: Json) -> Json:
        try:
            after = change(value)
        except RecursionError:
            raise UnfitError("it is nested too deeply") from None
        if after is _OMITTED:
            raise UnfitError("nothing of it may be shown at this version")
        return after

    return whole


class _Cell:
    """A function that may be referred to before it is made: shapes lead back to themselves."""

    def __init__(self) -> None:
        self.change: Change | None = None

    def __call__(self, value: Json) -> Json:
        return cast("Change", self.change)(value)


class _Chosen:
    """The shapes of one version, and which of its entries each of them is."""

    def __init__(self, entries: dict[str, int], shapes: dict[str, list[tuple[str, Node]]]) -> None:
        self.entries = entries
        self.shapes = {name: shapes[name][at][1] for name, at in entries.items()}

    @cached_property
    def live(self) -> frozenset[str]:
        """The names of the shapes that change anything."""
        live: set[str] = set()
        while True:
            more = {
                name for name, node in self.shapes.items() if name not in live and _acts(node, live)
            }
            if not more:
                return frozenset(live)
            live |= more

    @property
    def converters(self) -> set[str]:
        return set[str]().union(*(_converters(self.shapes[name]) for name in self.live))


def _below(node: Mapping[str, Any]) -> Iterable[Node]:
    yield from (node.get(key) for key in ("then", "items", "extras", "otherwise"))
    for key in ("fields", "members", "types"):
        yield from node.get(key, {}).values()


def _references(node: Node) -> set[str]:
    if isinstance(node, str):
        return {node}
    return set() if node is None else set[str]().union(*map(_references, _below(node)))


def _converters(node: Node) -> set[str]:
    if node is None or isinstance(node, str):
        return set()
    return set(node.get("convert", ())).union(*map(_converters, _below(node)))


_ACTS: Final = frozenset({"absent", "convert", "left_out", "names", "values"})


def _acts(node: Node, live: Container[str]) -> bool:
    if isinstance(node, str):
        return node in live
    return node is not None and (
        not _ACTS.isdisjoint(node) or any(_acts(below, live) for below in _below(node))
    )


class _Maker:
    """Makes the functions of one version.

    *keep* says that the value has to stay where it is: there a substitute is shown.
    """

    def __init__(self, compiler: Compiler, chosen: _Chosen) -> None:
        self._compiler = compiler
        self._chosen = chosen

    def root(self, name: str) -> Change:
        """Return the function of the shape *name* for a whole value."""
        change = self._named(name, keep=True)
        return unchanged if change is None else self._compiler.rooted(change)

    def _named(self, name: str, *, keep: bool) -> Change | None:
        if name not in self._chosen.live:
            return None
        entries = tuple(self._chosen.entries[each] for each in self._compiler.reach[name])
        cell, is_new = self._compiler.cell((name, keep, entries))
        if is_new:
            cell.change = self._make(self._chosen.shapes[name], keep=keep) or unchanged
        return cell.change or cell

    def _make(self, node: Node, *, keep: bool) -> Change | None:
        if node is None:
            return None
        if isinstance(node, str):
            return self._named(node, keep=keep)
        if not _acts(node, self._chosen.live):
            return None
        for key, make in _MAKERS.items():
            if key in node:
                return make(self, node, keep)
        return self._object(node, keep)

    def _convert(self, node: Mapping[str, Any], keep: bool) -> Change:
        steps = [self._compiler.converter(name) for name in node["convert"]]
        then = self._make(node.get("then"), keep=keep)
        if then is not None and self._compiler.way == "up":
            steps = [then, *steps]
        elif then is not None:
            steps = [*steps, then]
        if len(steps) == 1:
            return steps[0]

        def change(value: Json) -> Json:
            for step in steps:
                value = step(value)
            return value

        return change

    # Values

    def _values(self, node: Mapping[str, Any], keep: bool) -> Change:
        shown = {
            _text(each["value"]): each.get("shown_as", _OMITTED) if keep else _OMITTED
            for each in node["values"]
        }
        texts = {
            each["value"]: shown[_text(each["value"])]
            for each in node["values"]
            if isinstance(each["value"], str)
        }
        if len(texts) < len(shown):
            return lambda value: shown.get(_text(value), value)
        return lambda value: texts.get(value, value) if isinstance(value, str) else value

    # Lists

    def _list(self, node: Mapping[str, Any], _: bool) -> Change:
        least: int = node.get("least", 0)
        item = self._make(node["items"], keep=least > 0) or unchanged
        unique: bool = node.get("unique", False)

        def change(value: Json) -> Json:
            if not isinstance(value, list):
                raise UnfitError(f"{_kind(value)} where a list belongs")
            made = []
            same = True
            try:
                for before in value:
                    after = item(before)
                    if after is not before:
                        same = False
                        if after is _OMITTED:
                            continue
                    made.append(after)
            except UnfitError as error:
                error.within(next(at for at, each in enumerate(value) if each is before))
                raise
            if same:
                return value
            if unique:
                made = _distinct(made)
            return made if len(made) >= least else _OMITTED

        shown = None if least else self._filtering(node["items"])
        return change if shown is None else _filter(*shown, change)

    def _filtering(self, node: Node) -> tuple[str, dict[str, bool]] | None:
        """Return the tag, and which of its texts are shown, of items that only come or go."""
        while isinstance(node, str):
            node = self._chosen.shapes[node]
        if node is None or "tag" not in node or "otherwise" in node:
            return None
        shown = {text: self._stays(member) for text, member in node["members"].items()}
        if None in shown.values():
            return None
        return node["tag"], cast("dict[str, bool]", shown)

    def _stays(self, member: Node) -> bool | None:
        """Tell whether a value stays as it is (or goes); None where it changes."""
        if isinstance(member, Mapping) and member.get("absent") is True:
            return False
        return None if _acts(member, self._chosen.live) else True

    # Objects

    def _object(self, node: Mapping[str, Any], _: bool) -> Change:
        required = frozenset(node.get("required", ()))
        least: int = node.get("least", 0)
        fields = {
            name: made
            for name, below in node.get("fields", {}).items()
            if (made := self._make(below, keep=least > 0 or name in required)) is not None
        }
        names: dict[str, str] = dict(node.get("names", {}))
        left_out = frozenset(node.get("left_out", ()))
        extras = self._make(node.get("extras"), keep=least > 0)
        declared = frozenset(node.get("declared", ()))
        in_place = _in_place(fields, required, least)
        moved = left_out | names.keys()
        if not moved and extras is None:
            return in_place

        def change(value: Json) -> Json:
            if not isinstance(value, dict):
                raise UnfitError(f"{_kind(value)} where an object belongs")
            if extras is None and moved.isdisjoint(value):
                return in_place(value)
            made = {}
            same = True
            name = ""
            try:
                for name, before in value.items():
                    if name in left_out:
                        same = False
                        continue
                    field = fields.get(name)
                    if field is None and extras is not None and name not in declared:
                        field = extras
                    after = before if field is None else field(before)
                    if after is _OMITTED:
                        if name in required:
                            return _OMITTED
                        same = False
                        continue
                    called = names.get(name, name)
                    same = same and after is before and called is name
                    made[called] = after
            except UnfitError as error:
                error.within(name)
                raise
            if same:
                return value
            return made if len(made) >= least else _OMITTED

        return change

    # Unions

    def _tagged(self, node: Mapping[str, Any], keep: bool, whole: Change | None = None) -> Change:
        tag: str = node["tag"]
        members: dict[str, Change | None] = {}
        lacking = _STRANGER
        otherwise = self._make(node.get("otherwise"), keep=keep) or unchanged
        if "otherwise" not in node:
            otherwise = _refuse(f"its {tag!r} names no member of the union")

        def change(value: Json) -> Json:
            if not isinstance(value, dict):
                raise UnfitError(f"{_kind(value)} where an object belongs")
            text = value.get(tag)
            member = members.get(text, lacking) if isinstance(text, str) else lacking
            if member is None:
                return value
            return otherwise(value) if member is lacking else member(value)

        for text, below in node["members"].items():
            members[text] = self._member(below, keep, whole or change)
        return change

    def _typed(self, node: Mapping[str, Any], keep: bool) -> Change:
        members: dict[type, Change | None] = {}
        lacking = _STRANGER

        def change(value: Json) -> Json:
            kind = type(value)
            if kind is float and int in members and value.is_integer():
                kind = int
            member = members.get(kind, lacking)
            if member is None:
                return value
            return member(value)

        for name, below in node["types"].items():
            for kind in _TYPES[name]:
                members[kind] = self._member(below, keep, change)
        if "number" in node["types"] and "integer" not in node["types"]:
            members[int] = members[float]
        return change

    def _member(self, node: Node, keep: bool, whole: Change) -> Change | None:
        """Return the function of a member of the union that *whole* is the function of."""
        if not isinstance(node, Mapping):
            return self._make(node, keep=keep)
        if "tag" in node:
            return self._tagged(node, keep, whole) if _acts(node, self._chosen.live) else None
        if node.get("absent") is not True:
            return self._make(node, keep=keep)
        if not keep or "shown_as" not in node:
            return _omit
        # a substitute is written in canonical names, too
        shown_as = node["shown_as"]
        return lambda _: whole(shown_as)


_MAKERS: Final[dict[str, Callable[[_Maker, Mapping[str, Any], bool], Change]]] = {
    "convert": _Maker._convert,
    "absent": lambda *_: _omit,
    "values": _Maker._values,
    "items": _Maker._list,
    "tag": _Maker._tagged,
    "types": _Maker._typed,
}


def _omit(_: Json) -> Json:
    return _OMITTED


def _refuse(reason: str) -> Change:
    def change(_: Json) -> Json:
        raise UnfitError(reason)

    return change


_STRANGER: Final = _refuse("it is of a type that does not belong here")


def _in_place(fields: dict[str, Change], required: frozenset[str], least: int) -> Change:
    """Return what changes *fields* of an object and nothing else."""
    steps = [(name, field, name in required) for name, field in fields.items()]

    def change(value: Json) -> Json:
        if not isinstance(value, dict):
            raise UnfitError(f"{_kind(value)} where an object belongs")
        made = value
        name = ""
        try:
            for name, field, stays in steps:
                if name in value:
                    before = value[name]
                    after = field(before)
                    if after is before:
                        continue
                    if made is value:
                        made = dict(value)
                    if after is not _OMITTED:
                        made[name] = after
                    elif stays:
                        return _OMITTED
                    else:
                        del made[name]
        except UnfitError as error:
            error.within(name)
            raise
        return made if made is value or len(made) >= least else _OMITTED

    return change


def _filter(tag: str, shown: dict[str, bool], otherwise: Change) -> Change:
    """Return what leaves items out by their *tag*; *otherwise* tells what is wrong with a list."""

    def change(value: Json) -> Json:
        if not isinstance(value, list):
            return otherwise(value)
        try:
            made = [item for item in value if shown[item[tag]]]
        except (KeyError, TypeError):
            return otherwise(value)
        return value if len(made) == len(value) else made

    return change


def _text(value: Json) -> str:
    """Return *value* as text that is equal for equal JSON values: 1 is 1.0, but not true."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        return json.dumps(value, sort_keys=True)
    except (TypeError, ValueError):
        raise UnfitError("it is no JSON value") from None


def _distinct(values: list[Json]) -> list[Json]:
    """Return *values* without those that equal one before, which they may do once narrowed."""
    return list({_text(value): value for value in reversed(values)}.values())[::-1]


def _kind(value: Json) -> str:
    """Return the JSON type of *value* in words."""
    return _KINDS.get(type(value), "something that is no JSON value")


_KINDS: Final[dict[type, str]] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "null",
}
