"""Try converters with generated values, down and up, without a server."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from importlib import import_module
from itertools import chain, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dateline.canonical import prepare_serving
from dateline.canonical.contract_data import choose_entry
from dateline.gates import order
from dateline.model import Api, DatelineError, Trail
from dateline.openapi import value_at
from dateline.project import Projector
from dateline.sample import Sampler, UnsatisfiedError
from dateline.sample.bodies import BodyWriter, find_texts, is_well_formed, is_xml
from dateline.schema.access import READ_ONLY, WRITE_ONLY, Hidden, OneWay
from dateline.source.problems import are_same
from dateline.wording import did_you_mean
from dateline_runtime.conversion import ConversionContext, await_converters
from dateline_runtime.converting import call_converter, replace_fields, unify_numbers
from dateline_runtime.values import Change, ConversionError, UnfitError

if TYPE_CHECKING:
    from dateline.server.converters import Converter

_SHOWN: Final = 3
"""The number of faults of a kind that are shown for each converter."""

_LONGEST: Final = 160


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
    """The trial of one converter: the number of values tried, the refusals, and the faults.

    To refuse values of older versions is a fault only if none of them is accepted.
    """

    name: str
    before: str
    methods: list[str]
    values: int = 0
    refused: list[ConverterFault] = field(default_factory=list)
    faults: list[ConverterFault] = field(default_factory=list)

    def describe(self) -> dict[str, Any]:
        """Return it as the schemas of `answers` describe it."""
        return {**asdict(self), "before": self.before or None, "refused": len(self.refused)}

    def format_lines(self) -> Iterator[str]:
        """Yield it as lines for people."""
        before = f" before {self.before}" if self.before else ""
        yield f"{self.name}{before}: {', '.join(self.methods)}"
        if not self.faults:
            refused = f", {len(self.refused)} refused" if self.refused else ""
            back = ", and all values come back" if self.before else ""
            yield f"  {self.values} values{refused}: all results fit{back}"
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
        self._places = own.places
        self._shapes = {way: own.data[way]["shapes"] for way in ("down", "up")}
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

        A method may be called without `older_` or `newer_`. Raises TrialError if there is none.
        """
        if called is None:
            return list(self._methods)
        known = {name: _list_names(name, ways) for name, ways in self._methods.items()}
        found = [name for name, names in known.items() if called in names]
        if not found:
            names = dict.fromkeys(chain.from_iterable(known.values()))
            raise TrialError(f"no converter {called!r} is demanded{did_you_mean(called, names)}")
        return found

    async def try_converters(self, called: str | None) -> list[TriedConverter]:
        """Try the converters that `find_names` finds, and return the results.

        A missing method is a fault. Converters may keep connections, since one loop awaits all.
        """
        return [await self._try_converter(name) for name in self.find_names(called)]

    async def _try_converter(self, name: str) -> TriedConverter:
        described, ways = self._known[name], self._methods[name]
        methods = [each.method for each in ways.values()]
        tried = TriedConverter(name=name, before=described.get("before", ""), methods=methods)
        for each in ways.values():
            if not callable(getattr(self._converters, each.method, None)):
                fault = ConverterFault("missing", each.signature, "there is no such method")
                tried.faults.append(fault)
        if tried.faults:
            return tried
        if "text" in described:
            await self._try_texts(tried, ways)
        elif "reason" in described:
            await self._try_all_versions(tried, described, ways)
        else:
            await self._try_eras(tried, described, ways)
        return tried

    async def _try_eras(
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
            await self._try_values(tried, self._forms.read_received(newer), down, back, "newer")
        if up is not None:
            await self._try_values(tried, self._forms.read_sent(older), up, down, "older")

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
        change = self._bind(method, passes_null=described["passes_null"])
        if "replaced" in described:
            eras = ("newer", "older") if way == "down" else ("older", "newer")
            gone, came = (frozenset(described["replaced"][era]) for era in eras)
            change = replace_fields(method, change, gone, came)
        return _TriedWay(
            method=method,
            change=change,
            context=self._context(version),
            find_defect=partial(self._sampler.find_defect, goal),
        )

    def _bind(self, method: str, *, passes_null: bool = False) -> Change:
        return call_converter(method, getattr(self._converters, method), passes_null=passes_null)

    def _context(self, version: str) -> ConversionContext:
        return ConversionContext(environment=self._environment, version=version)

    async def _try_values(
        self,
        tried: TriedConverter,
        schema: Any,
        there: _TriedWay,
        back: _TriedWay | None,
        era: str,
    ) -> None:
        refused = len(tried.refused)
        for number in range(self._count):
            name = f"{tried.name} {era} {number}"
            try:
                value = self._sampler.value(schema, name)
            except UnsatisfiedError as error:
                fault = ConverterFault("not tried", f"a value of {tried.name}", str(error))
                tried.faults.append(fault)
                return
            is_varied = number % 2 == 1
            if is_varied:
                value = self._sampler.vary(schema, value, name)
            tried.values += 1
            result = await there.take(value, tried)
            if result is _NOTHING or back is None:
                continue
            again = await back.take(result, tried, f"{there.method}({_show(value)})")
            if again is _NOTHING or _are_equal(again, value):
                continue
            if not (is_varied and _contains(again, value)):
                call = f"{back.method}({there.method}({_show(value)})) -> {_show(again)}"
                tried.faults.append(
                    ConverterFault("does not come back", call, _compare(value, again))
                )
        _report_refusals(tried, refused, self._count)

    async def _try_all_versions(
        self, tried: TriedConverter, described: dict[str, Any], ways: Mapping[str, Converter]
    ) -> None:
        """Try a converter that serves all versions, with values of each."""
        schema = self._forms.read_received(described["newer"])
        for version in (one.date for one in self._api.table.supported):
            document = self._projector.contract(version, self._environment).document
            direction = OneWay(document, WRITE_ONLY, Hidden.ABSENT)
            sampler = Sampler(direction.document(document), self._seed)
            dates = self._api.table.dates
            entry = choose_entry(described["older"], dates, version, self._environment)
            newest, older = (self._sampler, schema), (sampler, entry["schema"])
            for way, each in ways.items():
                (source, given), (judge, goal) = (
                    (newest, older) if way == "down" else (older, newest)
                )
                tried_way = _TriedWay(
                    method=each.method,
                    change=self._bind(each.method),
                    context=self._context(version),
                    find_defect=partial(judge.find_defect, goal),
                )
                values, refused = tried.values, len(tried.refused)
                for number in range(self._count):
                    name = f"{tried.name} {way} {number}"
                    try:
                        value = source.value(given, name)
                    except UnsatisfiedError:
                        break
                    if number % 2:
                        value = source.vary(given, value, name)
                    tried.values += 1
                    await tried_way.take(value, tried)
                _report_refusals(tried, refused, tried.values - values)
        if not tried.values:
            call = next(iter(ways.values())).signature
            tried.faults.append(ConverterFault("not tried", call, "no value of any version fits"))

    async def _try_texts(self, tried: TriedConverter, ways: Mapping[str, Converter]) -> None:
        """Try a converter of bodies that are no JSON, with those of each version that has them."""
        place = self._places[tried.name]
        media_type = str(place[-1])
        newest = self._forms.contract.document
        for version, (way, each) in product(
            (one.date for one in self._api.table.supported), ways.items()
        ):
            environment = self._find_environment(tried.name, way, version)
            if environment is None:
                continue
            document = self._projector.contract(version, environment).document
            sent = OneWay(document, READ_ONLY, Hidden.ABSENT).document(document)
            source = newest if way == "down" else sent
            values, refused = tried.values, len(tried.refused)
            for text in self._make_texts(source, place, f"{tried.name} {way}"):
                tried.values += 1
                tried_way = _TriedWay(
                    method=each.method,
                    change=self._bind(each.method),
                    context=ConversionContext(environment=environment, version=version),
                    find_defect=partial(_find_text_defect, media_type, text),
                )
                await tried_way.take(text, tried)
            _report_refusals(tried, refused, tried.values - values)
        if not tried.values:
            fact = f"{media_type} can't be generated: write an `example` of the body, as text"
            call = next(iter(ways.values())).signature
            tried.faults.append(ConverterFault("not tried", call, fact))

    def _find_environment(self, name: str, way: str, version: str) -> str | None:
        """Return the first environment whose bodies at *version* go through the converter *name*.

        None if there is none.
        """
        table = self._api.table
        for environment in (each.name for each in table.environments):
            for entries in self._shapes[way].values():
                shape = choose_entry(entries, table.dates, version, environment)["shape"]
                if shape and shape.get("demand") == name:
                    return environment
        return None

    def _make_texts(self, document: dict[str, Any], place: Trail, name: str) -> Iterator[str]:
        """Yield bodies of the media type at *place*, or its examples if its format is unknown."""
        media = _find_media(document, place)
        if media is None:
            return
        schema = media.get("schema", {})
        sampler, writer = Sampler(document, self._seed), BodyWriter(document)
        for number in range(self._count):
            called = f"{name} {number}"
            try:
                value = sampler.value(schema, called)
            except UnsatisfiedError:
                break
            if number % 2:
                value = sampler.vary(schema, value, called)
            text = writer.write(str(place[-1]), media, value)
            if text is None:
                break
            yield text
        else:
            return
        yield from find_texts(document, media)


_NOTHING: Final = object()
"""Stands for a result that does not exist."""


@dataclass(frozen=True, kw_only=True)
class _TriedWay:
    """One direction: the method, what it does in a server, and the schema of its results."""

    method: str
    change: Change
    context: ConversionContext
    find_defect: Callable[[Any], str | None]

    async def take(self, value: Any, tried: TriedConverter, called: str = "") -> Any:
        """Return the result for *value*; what is wrong with it is recorded in *tried*."""
        call = f"{self.method}({called or _show(value)})"
        # so that Ctrl-C ends the loop between two values
        await asyncio.sleep(0)
        try:
            result = await await_converters(lambda: self.change(value), self.context)
        except UnfitError as error:
            kind, fact = _classify(error)
            may_refuse = kind == "refused" and not called and self.method.startswith("newer_")
            (tried.refused if may_refuse else tried.faults).append(ConverterFault(kind, call, fact))
            return _NOTHING
        try:
            defect = self.find_defect(result)
        except ValueError as error:
            # a subclass that validators don't know, such as one of str
            defect = str(error)
        if defect is not None:
            fault = ConverterFault("does not fit", f"{call} -> {_show(result)}", defect)
            tried.faults.append(fault)
            return _NOTHING
        return result


def _classify(error: UnfitError) -> tuple[str, str]:
    """Return kind and fact of the fault that *error* reports."""
    if error.__cause__ is None:
        return "does not fit", f"{error.place}: {error.reason}" if error.place else error.reason
    kind = "fails" if isinstance(error, ConversionError) else "refused"
    return kind, _describe(error.__cause__)


def import_object(name: str, *folders: Path) -> Any:
    """Import the object that *name* (`module:name`) means; for a class, return an instance.

    Modules are searched in the working folder, in *folders*, and on Python's path. Raises
    TrialError for what can't be imported.
    """
    module, _, attribute = name.partition(":")
    if not (module and attribute):
        raise TrialError(f"{name!r} names no object; write MODULE:NAME")
    for folder in ("", *map(str, folders)):
        if folder not in sys.path:
            # as `python -m` does: a script has its own folder there
            sys.path.insert(0, folder)
    try:
        found = getattr(import_module(module), attribute)
        return found() if isinstance(found, type) else found
    except (Exception, SystemExit) as error:
        raise TrialError(f"{name!r} can't be imported: {_describe(error)}") from error


def _list_names(name: str, ways: Mapping[str, Converter]) -> list[str]:
    methods = [each.method for each in ways.values()]
    return [name, *(method.partition("_")[2] for method in methods[:1]), *methods]


def _schema(kind: str, node: Any) -> Any:
    """Return the schema of the values of *node*; any value unless there is exactly one."""
    found = node if kind == "schema" else node.get("schema")
    return {} if found is None else found


def _report_refusals(tried: TriedConverter, known: int, count: int) -> None:
    """Make faults of the refusals beyond those *known* if all *count* values were refused."""
    if count and len(tried.refused) - known == count:
        tried.faults += tried.refused[known:]


def _find_media(document: dict[str, Any], place: Trail) -> dict[str, Any] | None:
    """Return the Media Type Object at *place* of *document*; None if it has none there."""
    found = value_at(document, place)
    return found if isinstance(found, dict) else None


def _find_text_defect(media_type: str, given: str, result: Any) -> str | None:
    """Return why *result* is no body of *media_type*, in place of the body *given*; None if so."""
    if not isinstance(result, str):
        return "it is no text"
    if is_xml(media_type) and is_well_formed(given) and not is_well_formed(result):
        return "it is no XML"
    return None


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _show(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace").decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _are_equal(one: Any, other: Any) -> bool:
    """Return whether two values are equal for JSON Schema: 1 is 1.0, but not true."""
    return are_same(unify_numbers(one), unify_numbers(other))


def _contains(again: Any, value: Any) -> bool:
    """Return whether *again* has all that *value* has: absent fields and null may have values."""
    if value is None:
        return True
    if isinstance(value, dict) and isinstance(again, dict):
        return all(_contains(again.get(name), each) for name, each in value.items())
    if isinstance(value, list) and isinstance(again, list) and len(value) == len(again):
        return all(map(_contains, again, value))
    return _are_equal(again, value)


def _compare(value: Any, again: Any) -> str:
    """Return the fields in which *again* differs from *value*."""
    if not isinstance(value, dict) or not isinstance(again, dict):
        return f"it was {_show(value)}"
    names = [
        name
        for name in {**value, **again}
        if name not in value or name not in again or not _are_equal(value[name], again[name])
    ]
    return "; ".join(
        f"{name} was {_show(value[name])}" if name in value else f"{name} was not there"
        for name in names
    )
