"""Compile the shapes of the contract data to functions, for each version.

Shapes are read at start-up only: requests call the functions, and only where something differs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar, cast

from . import conversion, converting, values
from .reliance import relies_at
from .shapes import ACTS, DATED, DatedShape, Shape, find_entry, list_names, list_parts, read_entry
from .values import OMITTED, Change, Fits, Json, identity, omit

T = TypeVar("T")

Judge = Callable[[Any, str | None], Fits]
"""Takes a schema and the version whose components it refers to, None for the canonical ones."""

Converter = Callable[..., Any]
"""Takes a value and, if it takes a second argument, the `Context`; it may have to be awaited."""


class MissingConverterError(LookupError):
    """Converters are missing for values that differ between versions; ``names`` lists all."""

    def __init__(self, names: Iterable[str], way: str) -> None:
        self.names = tuple(sorted(names))
        super().__init__(f"no converter {way} for {', '.join(self.names)}")


class Compiler:
    """Creates functions for the shapes of one way (`down` or `up`) in one environment.

    What two versions have in common is compiled once. *converters* are keyed by the names in the
    contract data; *judge* is needed if a schema decides how a value is converted. Raises ValueError
    for an unknown environment.
    """

    def __init__(
        self,
        contracts: Mapping[str, Any],
        way: str,
        environment: str,
        converters: Mapping[str, Converter],
        judge: Judge | None = None,
        *,
        is_partial: bool = False,
    ) -> None:
        if environment not in contracts["environments"]:
            raise ValueError(f"unknown environment {environment!r}")
        self.way = way
        self._versions = {version: at for at, version in enumerate(contracts["versions"])}
        self._roots = sorted(set(list_names(contracts[way].get("operations"))))
        self._components = contracts[way].get("components", {})
        self._makers: dict[str, _Maker] = {}
        self._known = contracts["converters"]
        self._converters = converters
        self._judge = judge
        self._is_partial = is_partial
        self._environment = environment
        self._shapes = {
            name: [
                read_entry(self._versions[entry["since"]], entry["shape"], DATED[way])
                for entry in entries
                if environment in entry.get("environments", (environment,))
            ]
            for name, entries in contracts[way]["shapes"].items()
        }
        self._cells: dict[Any, _Cell] = {}
        self._wholes: dict[int, Change] = {}
        self._results: list[dict[str, Change]] = []
        self.awaits: dict[str, dict[str, bool]] = {}
        """the roots that need converters, by version, and whether any has to be awaited"""
        self.relying: dict[str, set[str]] = {}
        """the roots whose functions are right for valid values alone, by version"""
        self.missing: dict[str, dict[str, list[str]]] = {}
        """the converters that roots need and that were not given, by version and root"""

    def functions(self, version: str) -> dict[str, Change]:
        """Return a function for each shape that an operation begins with, by its name.

        Versions that do not differ get the same object. Raises ValueError for an unknown version,
        MissingConverterError for a missing converter, unless it is partial.
        """
        maker = self._maker(version)
        missing = maker.list_converters(self._roots) - self._converters.keys()
        if missing and not self._is_partial:
            raise MissingConverterError(missing, self.way)
        self.missing[version] = {
            root: sorted(found)
            for root in (self._roots if missing else ())
            if (found := maker.list_converters([root]) & missing)
        }
        self.awaits[version] = {
            root: self.is_async(found)
            for root in (self._roots if self._known else ())
            if (found := maker.list_converters([root]))
        }
        self.relying[version] = {root for root in self._roots if maker.relies(root)}
        changes = {
            name: values.withheld
            if maker.is_absent(name)
            else self._whole(maker.compile_named(name, keep=True))
            for name in self._roots
        }
        if changes not in self._results:
            self._results.append(changes)
        return self._results[self._results.index(changes)]

    def relies_at(self, version: str, root: str, steps: Sequence[str | int]) -> bool:
        """Return whether the function of *root* relies on the part of a value at *steps*."""
        return self._maker(version).relies_at(root, steps)

    def list_replaced(self, shape: Mapping[str, Any]) -> set[str] | None:
        """Return the fields that the converters of *shape* read and make; None for whole values."""
        known = [self._known[name].get("replaced") for name in shape.get("convert", ())]
        if not known or None in known:
            return None
        return {name for each in known for names in each.values() for name in names}

    def component(self, name: str, version: str) -> Change:
        """Return the function for values of the component *name*.

        Raises ValueError for an unknown version, MissingConverterError for a missing converter. A
        name that is not in the contract data is that of a component that never differs.
        """
        maker = self._maker(version)
        shape = self._components.get(name)
        if shape is None:
            return identity
        missing = maker.list_converters([shape]) - self._converters.keys()
        if missing:
            raise MissingConverterError(missing, self.way)
        if maker.is_absent(shape):
            return values.withheld
        return self._whole(maker.compile_named(shape, keep=True))

    def component_awaits(self, name: str, version: str) -> bool | None:
        """Return whether values of the component *name* need a converter that must be awaited.

        None if they need no converter. Raises ValueError for an unknown version.
        """
        shape = self._components.get(name)
        found = self._maker(version).list_converters([shape]) if shape is not None else ()
        return self.is_async(found) if found else None

    def is_async(self, names: Iterable[str]) -> bool:
        """Return whether one of the converters *names* must be awaited."""
        return any(conversion.is_async(self._find(name)) for name in names)

    def _maker(self, version: str) -> _Maker:
        if version not in self._versions:
            raise ValueError(f"unknown version {version!r}")
        if version not in self._makers:
            at = self._versions[version]
            self._makers[version] = _Maker(
                self,
                version,
                {name: find_entry(entries, at) for name, entries in self._shapes.items()},
            )
        return self._makers[version]

    def each_version(
        self, versions: Iterable[str] | None, make: Callable[[str, dict[str, Change]], T]
    ) -> dict[str, T]:
        """Return what *make* returns for each of *versions* (all if None) and its functions.

        Versions with the same functions share it. Raises as `functions` does.
        """
        by_functions: dict[int, T] = {}
        found: dict[str, T] = {}
        for version in self._versions if versions is None else versions:
            functions = self.functions(version)
            if id(functions) not in by_functions:
                by_functions[id(functions)] = make(version, functions)
            found[version] = by_functions[id(functions)]
        return found

    def names(self, shape: str, version: str) -> Mapping[str, str]:
        """Return the fields of objects of *shape* that are renamed on the way, by name."""
        found = find_entry(self._shapes[shape], self._versions[version]).shape
        return found.get("names", {}) if isinstance(found, Mapping) else {}

    def left_out(self, shape: str, version: str) -> Collection[str]:
        """Return the fields of objects of *shape* that are left out on the way."""
        found = find_entry(self._shapes[shape], self._versions[version]).shape
        return found.get("left_out", ()) if isinstance(found, Mapping) else ()

    def _whole(self, change: Change | None) -> Change:
        if change is None or change is omit:
            return identity if change is None else values.withheld
        if id(change) not in self._wholes:
            self._wholes[id(change)] = values.require_value(change)
        return self._wholes[id(change)]

    def call_converter(self, name: str) -> Change:
        """Return the converter *name*; on the way up, its result must be valid."""
        known = self._known[name]
        change = converting.call_converter(name, self._find(name), passes_null=known["passes_null"])
        if "replaced" in known:
            eras = ("newer", "older") if self.way == "down" else ("older", "newer")
            gone, came = (frozenset(known["replaced"][era]) for era in eras)
            change = converting.replace_fields(name, change, gone, came)
        return self._require_sent(name, change)

    def _find(self, name: str) -> Converter:
        return self._converters.get(name, _refuse_all)

    def _require_sent(self, name: str, change: Change) -> Change:
        if self.way == "down" or "sent" not in self._known[name] or not self.judges:
            return change
        return converting.require_fit([name], change, self.fits(self._known[name]["sent"], None))

    def call_dated_converter(self, name: str, version: str) -> Change:
        """Return the converter *name* for *version*, at which its result must be valid."""
        schema = next(
            each["schema"]
            for each in reversed(self._known[name]["older"])
            if self._versions[each["since"]] <= self._versions[version]
            and self._environment in each.get("environments", (self._environment,))
        )
        # where any value is allowed, it may be one that no schema describes, such as bytes
        change = converting.call_converter(name, self._find(name))
        if self.way == "up" or schema is True:
            return self._require_sent(name, change)
        return converting.require_fit([name], change, self.fits(schema, version), version)

    @property
    def judges(self) -> bool:
        """Whether there is a judge: without one, the results of converters are not validated."""
        return self._judge is not None

    def fits(self, schema: Any, version: str | None) -> Fits:
        """Return a validator for *schema*. Raises ValueError without a judge."""
        if self._judge is None:
            raise ValueError("some values can't be distinguished without a judge of schemas")
        return self._judge(schema, version)

    def cell(self, key: Any) -> _Cell:
        """Return the cell for the function of *key*: a shape as it is at some versions."""
        return self._cells.setdefault(key, _Cell())

    @cached_property
    def reach(self) -> dict[str, list[str]]:
        """For each shape, itself and everything that it refers to, at any version."""
        direct = {
            name: frozenset[str]().union(*(entry.references for entry in entries))
            for name, entries in self._shapes.items()
        }
        by_version = {}
        for name in direct:
            reached: set[str] = set()
            ahead = [name]
            while ahead:
                each = ahead.pop()
                if each not in reached:
                    reached.add(each)
                    ahead += direct[each]
            by_version[name] = sorted(reached)
        return by_version


def _refuse_all(*_: Json) -> Json:
    raise ValueError("there is no converter")


class _Cell:
    """A function that may be referred to before it is compiled: shapes may be recursive."""

    def __init__(self) -> None:
        self.change: Change | None = None
        self.is_begun = False

    def __call__(self, value: Json) -> Json:
        return cast("Change", self.change)(value)


class _Maker:
    """Creates the functions of one version.

    With *keep*, a value can't be left out, and a substitute is shown instead.
    """

    def __init__(self, compiler: Compiler, version: str, entries: dict[str, DatedShape]) -> None:
        self._compiler = compiler
        self._version = version
        self._entries = entries

    @cached_property
    def _live(self) -> set[str]:
        """The names of the shapes that change anything."""
        live = {name for name, entry in self._entries.items() if entry.acts}
        while more := {
            name
            for name, entry in self._entries.items()
            if name not in live and not live.isdisjoint(entry.references)
        }:
            live |= more
        return live

    def is_absent(self, name: str) -> bool:
        """Return whether the version has nothing of the shape *name*."""
        return _is_absent(self._entries[name].shape)

    def list_converters(self, roots: Iterable[str]) -> set[str]:
        """Return the names of the converters that *roots* need."""
        reached = {name for root in roots for name in self._compiler.reach[root]}
        return set[str]().union(*(self._entries[name].converters for name in reached & self._live))

    def relies(self, root: str) -> bool:
        """Return whether the function of *root* is correct for valid values only."""
        live = self._live.intersection(self._compiler.reach[root])
        return any(self._entries[name].relies for name in live)

    def relies_at(self, root: str, steps: Sequence[str | int]) -> bool:
        """Return what `Compiler.relies_at` does."""
        shapes = {name: self._entries[name].shape for name in self._live}
        return relies_at(root, steps, shapes, self._compiler.list_replaced)

    def compile_named(self, name: str, *, keep: bool) -> Change | None:
        """Return the function of the shape *name*; None if it changes nothing."""
        if name not in self._live:
            return None
        reached = [self._entries[each] for each in self._compiler.reach[name]]
        since = tuple(each.since for each in reached)
        version = self._version if any(each.is_dated for each in reached) else None
        cell = self._compiler.cell((name, keep, since, version))
        if not cell.is_begun:
            cell.is_begun = True
            cell.change = self._compile(self._entries[name].shape, keep=keep) or identity
        return cell.change or cell

    def _acts(self, shape: Shape) -> bool:
        return any(
            part in self._live if isinstance(part, str) else not ACTS.isdisjoint(part)
            for part in list_parts(shape)
        )

    def _compile(self, shape: Shape, *, keep: bool, union: Change | None = None) -> Change | None:
        """Return the function of *shape*, None if it changes nothing.

        *union* is the function of its union, if it is a member of one.
        """
        if isinstance(shape, str):
            return self.compile_named(shape, keep=keep)
        if shape is None or not self._acts(shape):
            return None
        if _is_absent(shape):
            if union is not None and keep and "shown_as" in shape:
                # a substitute is written in canonical names, too
                return lambda _: union(shape["shown_as"])
            down = self._compiler.way == "down"
            return omit if down else values.refuse("its tag names nothing of the version")
        if "convert" in shape:
            return self._convert(shape, keep)
        if "retag" in shape:
            tag, texts = shape["retag"]
            return values.change_tag(
                tag, texts, self._compile(shape.get("then"), keep=keep, union=union)
            )
        if "then" in shape:
            return self._withhold_unfit(shape, self._compile(shape["then"], keep=keep, union=union))
        if "demand" in shape:
            if any(self._acts(each) for each in shape["where"]):
                return self._compiler.call_dated_converter(shape["demand"], self._version)
            return self._compile(shape.get("otherwise"), keep=keep)
        if "values" in shape:
            return values.replace_values(
                [(each["value"], _instead(each, keep)) for each in shape["values"]]
            )
        if "items" in shape:
            return self._list(shape)
        if "tag" in shape:
            return self._choose_by_tag(shape, keep, union)
        if "tried" in shape:
            return self._choose_by_schema(shape, keep, union)
        return self._choose_by_type(shape, keep) if "types" in shape else self._object(shape)

    def _convert(self, shape: Mapping[str, Any], keep: bool) -> Change:
        steps = [self._compiler.call_converter(name) for name in shape["convert"]]
        then = self._compile(shape.get("then"), keep=keep)
        if then is not None:
            steps = [then, *steps] if self._compiler.way == "up" else [*steps, then]
        change = converting.apply_all(steps)
        if "fits" not in shape or not self._compiler.judges:
            return change
        fits = self._compiler.fits(shape["fits"], self._version)
        replaced = self._compiler.list_replaced(shape)
        return converting.require_fit(shape["convert"], change, fits, self._version, replaced)

    def _withhold_unfit(self, shape: Mapping[str, Any], change: Change | None) -> Change | None:
        if change is None:
            return None
        return values.withhold_unfit(change, self._compiler.fits(shape["fits"], self._version))

    def _list(self, shape: Mapping[str, Any]) -> Change:
        least = shape.get("least", 0)
        item = self._compile(shape["items"], keep=least > 0) or identity
        change = values.change_items(item, least=least, unique=shape.get("unique", False))
        return change if least else self._filter_items(shape["items"], change)

    def _filter_items(self, items: Shape, otherwise: Change) -> Change:
        """Return a faster function if items are only left out, and not changed."""
        while isinstance(items, str):
            items = self._entries[items].shape
        if items is None or "tag" not in items or "otherwise" in items:
            return otherwise
        gone = {text for text, each in items["members"].items() if _is_absent(each)}
        if any(self._acts(each) for text, each in items["members"].items() if text not in gone):
            return otherwise
        shown = {text: text not in gone for text in items["members"]}
        return values.filter_items(items["tag"], shown, otherwise)

    def _object(self, shape: Mapping[str, Any]) -> Change:
        change = self._fields(shape)
        if self._compiler.way == "up":
            change = self._drop_spellings(shape, change)
        return values.add_defaults(shape["defaults"], change) if "defaults" in shape else change

    def _drop_spellings(self, shape: Mapping[str, Any], change: Change) -> Change:
        """Return *change* without fields that it would change or leave out in another case."""
        changed = {name for name, below in shape.get("fields", {}).items() if self._acts(below)}
        own = {*shape.get("fields", ()), *shape.get("names", ()), *shape.get("declared", ())}
        return values.drop_spellings(change, own, {*changed, *shape.get("left_out", ())})

    def _fields(self, shape: Mapping[str, Any]) -> Change:
        required = frozenset(shape.get("required", ()))
        least = shape.get("least", 0)
        fields = {
            name: change
            for name, below in shape.get("fields", {}).items()
            if (change := self._compile(below, keep=least > 0 or name in required)) is not None
        }
        extras = self._compile(shape.get("extras"), keep=least > 0)
        others: dict[str, Any] = {
            "required": required,
            "least": least,
            "names": dict(shape.get("names", {})),
            "left_out": frozenset(shape.get("left_out", ())),
        }
        if extras is None:
            return values.change_fields(fields, **others)
        return values.change_extras(fields, extras, shape.get("declared", ()), **others)

    def _choose_by_tag(self, shape: Mapping[str, Any], keep: bool, union: Change | None) -> Change:
        members: dict[str, Change | None] = {}
        otherwise = None
        if "otherwise" in shape:
            otherwise = self._compile(shape["otherwise"], keep=keep) or identity
        change = values.choose_by_tag(shape["tag"], members, otherwise)
        for text, below in shape["members"].items():
            members[text] = self._compile(below, keep=keep, union=union or change)
        return change

    def _choose_by_type(self, shape: Mapping[str, Any], keep: bool) -> Change:
        members: dict[str | None, Change | None] = {}
        change = values.choose_by_type(members)
        for name, below in shape["types"].items():
            members[name] = self._compile(below, keep=keep, union=change)
        return change

    def _choose_by_schema(
        self, shape: Mapping[str, Any], keep: bool, union: Change | None
    ) -> Change:
        version = self._version if self._compiler.way == "up" else None
        members: list[tuple[Fits, Change | None]] = []
        change = values.choose_by_schema(members)
        if "fits" in shape:
            change = values.withhold_unfit(
                change, self._compiler.fits(shape["fits"], self._version)
            )
        for each in shape["tried"]:
            fits = self._compiler.fits(each["schema"], version)
            members.append((fits, self._compile(each["then"], keep=keep, union=union or change)))
        return change


def _is_absent(shape: Shape) -> bool:
    return isinstance(shape, Mapping) and shape.get("absent") is True


def _instead(value: Mapping[str, Any], keep: bool) -> Json:
    if "is" in value:
        return value["is"]
    return value["shown_as"] if keep and "shown_as" in value else OMITTED
