"""Try converters with generated values, down and up, without a server."""

from __future__ import annotations

import asyncio
import copy
import inspect
import json
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dateline.canonical import prepare_serving
from dateline.gates import order
from dateline.model import Api, DatelineError
from dateline.project import Projector
from dateline.sample import Sampler, UnsatisfiedError
from dateline.schema.access import WRITE_ONLY, Hidden, OneWay
from dateline.source.problems import are_same
from dateline.wording import did_you_mean
from dateline_runtime.conversion import ConversionContext, takes_context

if TYPE_CHECKING:
    from dateline.server.converters import Converter

_SHOWN: Final = 3
"""The number of faults of a kind that are shown for each converter."""

_LONGEST: Final = 160

_TYPES: Final = (dict, list, str, int, float, bool, type(None))


class TrialError(DatelineError):
    """Converters can't be tried; the message says why, with a way out."""

    exit_code = 2


@dataclass(frozen=True)
class ConverterFault:
    """A fault of one result: the call, and its result."""

    kind: str
    call: str
    fact: str


@dataclass
class TriedConverter:
    """The trial of one converter: the number of values tried and refused, and the faults."""

    name: str
    before: str
    methods: list[str]
    values: int = 0
    refused: int = 0
    faults: list[ConverterFault] = field(default_factory=list)

    def describe(self) -> dict[str, Any]:
        """Return it as the schemas of `answers` describe it."""
        return {**asdict(self), "before": self.before or None}

    def format_lines(self) -> Iterator[str]:
        """Yield it as lines for people."""
        before = f" before {self.before}" if self.before else ""
        yield f"{self.name}{before}: {', '.join(self.methods)}"
        if not self.faults:
            refused = f", {self.refused} refused" if self.refused else ""
            yield f"  {self.values} values{refused}: all results fit, and all values come back"
        for kind in dict.fromkeys(fault.kind for fault in self.faults):
            found = [fault for fault in self.faults if fault.kind == kind]
            yield f"  {kind}: {len(found)} of {self.values} values" if self.values else f"  {kind}"
            for fault in found[:_SHOWN]:
                yield f"    {fault.call}"
                yield f"      {fault.fact}"


class ConverterTrial:
    """Tries the converters that *api* demands, which are methods of the object *converters*.

    *count* values are tried in each direction; they are the same for the same *seed*. Values of
    *lossy* converters, by name, need not survive the round trip.
    """

    def __init__(
        self,
        api: Api,
        converters: object,
        *,
        count: int = 50,
        seed: int = 0,
        lossy: Collection[str] = (),
    ) -> None:
        # slow to import, and needed here only
        from dateline.contracts import all_contract_data
        from dateline.server.canonical import read_forms
        from dateline.server.converted import ConvertedTypes
        from dateline.server.converters import list_converters

        self._api = prepare_serving(api)
        self._projector = Projector(self._api)
        own, components = all_contract_data(self._api, self._projector)
        self._forms = read_forms(self._api)
        self._known: dict[str, Any] = {
            **components.data["converters"],
            **own.data["converters"],
        }
        self._methods: dict[str, dict[str, Converter]] = {}
        types = ConvertedTypes(self._forms)
        for each in list_converters(self._api, own, components, types):
            if each.is_required or callable(getattr(converters, each.method, None)):
                self._methods.setdefault(each.name, {})[each.way] = each
        self._converters = converters
        self._count = count
        self._seed = seed
        self._lossy = {name for each in lossy for name in self.find_names(each)}
        self._environment = next(iter(api.table.environments)).name

    @cached_property
    def _sampler(self) -> Sampler:
        return Sampler(self._forms.contract.document, self._seed)

    def find_names(self, called: str | None) -> list[str]:
        """Return the names of the converters with the name or method *called*; all for None.

        Raises TrialError if there is none.
        """
        if called is None:
            return list(self._methods)
        names = {
            name: [each.method for each in ways.values()] for name, ways in self._methods.items()
        }
        found = [name for name, methods in names.items() if called in (name, *methods)]
        if not found:
            known = [*names, *(method for methods in names.values() for method in methods)]
            raise TrialError(f"no converter {called!r} is demanded{did_you_mean(called, known)}")
        return found

    def try_converter(self, name: str) -> TriedConverter:
        """Try the converter *name* and return the results. A missing method is a fault."""
        described, ways = self._known[name], self._methods[name]
        methods = [each.method for each in ways.values()]
        tried = TriedConverter(name=name, before=described.get("before", ""), methods=methods)
        for each in ways.values():
            if not callable(getattr(self._converters, each.method, None)):
                fault = ConverterFault("missing", each.signature, "there is no such method")
                tried.faults.append(fault)
        if tried.faults:
            return tried
        if "reason" in described:
            self._try_all_versions(tried, described, ways)
        else:
            self._try_eras(tried, described, ways)
        return tried

    def _try_eras(
        self, tried: TriedConverter, described: dict[str, Any], ways: Mapping[str, Converter]
    ) -> None:
        older, newer = (_schema(described["kind"], described[era]) for era in ("older", "newer"))
        newest_sent = self._forms.read_sent(newer)
        if lacked := described.get("lacked"):
            required = [each for each in newest_sent["required"] if each not in lacked]
            newest_sent = {**newest_sent, "required": required}
        supported = [one.date for one in self._api.table.supported]
        version = next(
            each for each in reversed(supported) if order(each) < order(described["before"])
        )
        down = self._way(ways, "down", described, version, self._forms.read_received(older))
        up = self._way(ways, "up", described, version, newest_sent)
        if down is not None:
            back = None if tried.name in self._lossy else up
            self._try_values(tried, self._forms.read_received(newer), down, back, "newer")
        if up is not None:
            self._try_values(tried, self._forms.read_sent(older), up, down, "older")

    def _way(
        self,
        ways: Mapping[str, Converter],
        way: str,
        described: dict[str, Any],
        version: str,
        goal: Any,
    ) -> _TriedWay | None:
        if way not in ways:
            return None
        method = ways[way].method
        eras = ("newer", "older") if way == "down" else ("older", "newer")
        replaced = (
            tuple(frozenset(described["replaced"][e]) for e in eras)
            if "replaced" in described
            else ()
        )
        return _TriedWay(
            method=method,
            convert=getattr(self._converters, method),
            context=self._context(version),
            passes_null=described["passes_null"],
            replaced=replaced,
            find_defect=partial(self._sampler.find_defect, goal),
        )

    def _context(self, version: str) -> ConversionContext:
        return ConversionContext(environment=self._environment, version=version)

    def _try_values(
        self,
        tried: TriedConverter,
        schema: Any,
        there: _TriedWay,
        back: _TriedWay | None,
        era: str,
    ) -> None:
        for number in range(self._count):
            try:
                value = self._sampler.value(schema, f"{tried.name} {era} {number}")
            except UnsatisfiedError as error:
                fault = ConverterFault("not tried", f"a value of {tried.name}", str(error))
                tried.faults.append(fault)
                return
            tried.values += 1
            result = there.take(value, tried)
            if result is _NOTHING or back is None:
                continue
            again = back.take(result, tried, f"{there.method}({_show(value)})")
            if again is not _NOTHING and not are_same(again, value):
                call = f"{back.method}({there.method}({_show(value)})) -> {_show(again)}"
                tried.faults.append(
                    ConverterFault("does not come back", call, _compare(value, again))
                )

    def _try_all_versions(
        self, tried: TriedConverter, described: dict[str, Any], ways: Mapping[str, Converter]
    ) -> None:
        """Try a converter that serves all versions, with values of each."""
        schema = self._forms.read_received(described["newer"])
        for version in (one.date for one in self._api.table.supported):
            document = self._projector.contract(version, self._environment).document
            direction = OneWay(document, WRITE_ONLY, Hidden.ABSENT)
            sampler = Sampler(direction.document(document), self._seed)
            older = self._find_schema(described["older"], version)
            for way, each in ways.items():
                goal = schema if way == "up" else older
                judge = self._sampler if way == "up" else sampler
                tried_way = _TriedWay(
                    method=each.method,
                    convert=getattr(self._converters, each.method),
                    context=self._context(version),
                    find_defect=partial(judge.find_defect, goal),
                )
                source = (self._sampler, schema) if way == "down" else (sampler, older)
                for number in range(self._count):
                    try:
                        value = source[0].value(source[1], f"{tried.name} {way} {number}")
                    except UnsatisfiedError:
                        break
                    tried.values += 1
                    tried_way.take(value, tried)

    def _find_schema(self, entries: list[dict[str, Any]], version: str) -> Any:
        return next(
            (
                entry["schema"]
                for entry in reversed(entries)
                if order(entry["since"]) <= order(version)
                and self._environment in entry.get("environments", (self._environment,))
            ),
            True,
        )


_NOTHING: Final = object()
"""Stands for a result that does not exist."""


@dataclass(frozen=True, kw_only=True)
class _TriedWay:
    """One direction: the method, and the schema of its results."""

    method: str
    convert: Callable[..., Any]
    context: ConversionContext
    find_defect: Callable[[Any], str | None]
    passes_null: bool = False
    replaced: tuple[frozenset[str], ...] = ()

    def take(self, value: Any, tried: TriedConverter, called: str = "") -> Any:
        """Return the result for *value*; what is wrong with it is recorded in *tried*."""
        if value is None and self.passes_null:
            return None
        if self.replaced and (not isinstance(value, dict) or self.replaced[0].isdisjoint(value)):
            return value
        call = f"{self.method}({called or _show(value)})"
        try:
            result = self._call(copy.deepcopy(value))
        except ValueError as error:
            if not called and self.method.startswith("newer_"):
                tried.refused += 1
            else:
                tried.faults.append(ConverterFault("refused", call, _describe(error)))
            return _NOTHING
        except Exception as error:
            tried.faults.append(ConverterFault("fails", call, _describe(error)))
            return _NOTHING
        if self.replaced:
            gone, came = self.replaced
            if not isinstance(result, dict) or result.keys() - came:
                fact = f"makes other fields than {', '.join(sorted(came))}"
                tried.faults.append(
                    ConverterFault("does not fit", f"{call} -> {_show(result)}", fact)
                )
                return _NOTHING
            result = {**{key: each for key, each in value.items() if key not in gone}, **result}
        if not isinstance(result, _TYPES):
            fact = f"{type(result).__name__} is no JSON value"
            tried.faults.append(ConverterFault("does not fit", call, fact))
            return _NOTHING
        defect = self.find_defect(result)
        if defect is not None:
            tried.faults.append(
                ConverterFault("does not fit", f"{call} -> {_show(result)}", defect)
            )
            return _NOTHING
        return result

    def _call(self, value: Any) -> Any:
        takes = (value, self.context) if takes_context(self.convert) else (value,)
        result = self.convert(*takes)
        return asyncio.run(_await(result)) if inspect.isawaitable(result) else result


async def _await(awaitable: Any) -> Any:
    return await awaitable


def import_object(name: str, *folders: Path) -> Any:
    """Import the object that *name* (`module:name`) means; for a class, return an instance.

    Modules are searched in the working folder, in *folders*, and on Python's path. Raises
    TrialError for what can't be imported.
    """
    module, _, attribute = name.partition(":")
    for folder in ("", *map(str, folders)):
        if folder not in sys.path:
            # as `python -m` does: a script has its own folder there
            sys.path.insert(0, folder)
    try:
        found = getattr(import_module(module), attribute)
        return found() if isinstance(found, type) else found
    except Exception as error:
        raise TrialError(f"{name!r} can't be imported: {_describe(error)}") from error


def _schema(kind: str, node: Any) -> Any:
    """Return the schema of the values of *node*; any value unless there is exactly one."""
    found = node if kind == "schema" else node.get("schema")
    return {} if found is None else found


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _show(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _compare(value: Any, again: Any) -> str:
    """Return the fields in which *again* differs from *value*."""
    if not isinstance(value, dict) or not isinstance(again, dict):
        return f"it was {_show(value)}"
    names = [
        name
        for name in {**value, **again}
        if name not in value or name not in again or not are_same(value[name], again[name])
    ]
    return "; ".join(
        f"{name} was {_show(value[name])}" if name in value else f"{name} was not there"
        for name in names
    )
