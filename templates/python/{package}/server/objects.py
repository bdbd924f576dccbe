"""Read parameters as RFC 6570 writes them, and those that are JSON.

In the styles `form` and `cookie`, each field of an object is a parameter of its own unless
`explode` is false; otherwise names and values take turns between separators: `a,1,b,2`. The styles
of paths and headers have `a=1,b=2` where `explode` is true. An item that is a list or an object has
no spelling.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final

from .contracts import TYPES, Contract
from .runtime import bodies, query
from .runtime.errors import RequestError, quote
from .texts import reader

ParameterData = Mapping[str, Any]
"""A parameter as the contract data describe it."""

CONTENT: Final = "content"
"""In place of a style: the parameter is JSON."""

_SEPARATORS: Final = {"spaceDelimited": " ", "pipeDelimited": "|"}

_REPEATED: Final = ("query", "querystring", "cookie")
"""The places in which a list may be a parameter for each item."""


def find_notation(parameter: ParameterData, kind: type) -> tuple[str, str]:
    """Return what precedes a parameter that is one text, and what is between its parts.

    *kind* is the type of its value.
    """
    style, explode = parameter.get("style", ""), parameter.get("explode")
    if style == "label":
        return ".", "." if explode else ","
    if style != "matrix":
        return "", _SEPARATORS.get(style, ",")
    if explode and kind is dict:
        return ";", ";"
    before = f";{parameter['name']}="
    return before, before if explode and kind is list else ","


def is_marked(parameter: ParameterData) -> bool:
    """Return whether the text of the parameter is more than its value or its parts."""
    return bool(find_notation(parameter, str)[0])


def is_spread(parameter: ParameterData, contract: Contract) -> bool:
    """Return whether each field of the parameter is a parameter of its own."""
    return (
        parameter["in"] in _REPEATED
        and parameter["style"] in ("form", "cookie")
        and parameter["explode"]
        and "object" in _types(parameter["schema"], contract)
    )


def parameter_reader(parameter: ParameterData, contract: Contract) -> query.Parameter | None:
    """Return the reader of the parameter from texts of its name; None if there is none."""
    found = _choose_reader(parameter, contract)
    if found is not None and parameter.get("may_be_empty"):
        is_value = contract.validator(parameter["schema"]).fits("")
        return replace(found, ignores_empty=not is_value)
    return found


def is_encoded_cookie(parameter: ParameterData) -> bool:
    """Return whether the parameter is a cookie whose value is percent-encoded."""
    return bool(parameter["in"] == "cookie" and parameter["style"] != "cookie")


def _reader(parameter: ParameterData, types: frozenset[str]) -> query.Reader:
    """Return the reader of one value of *types*, or of one item or field of them."""
    read = reader(types)
    return partial(_read_cookie, read) if is_encoded_cookie(parameter) else read


def _read_cookie(read: query.Reader, text: str) -> Any:
    return read(decode_cookie(text))


def decode_cookie(text: str) -> str:
    """Return *text* decoded; unchanged if it isn't percent-encoded UTF-8."""
    with suppress(RequestError):
        return query.decode(text.encode("latin-1"), plus=False)
    return text


def _choose_reader(parameter: ParameterData, contract: Contract) -> query.Parameter | None:
    if parameter["style"] == CONTENT:
        is_encoded = is_encoded_cookie(parameter)
        return query.Parameter(partial(_read_cookie, _read_json) if is_encoded else _read_json)
    types = _types(parameter["schema"], contract) - {"null"}
    if is_spread(parameter, contract):
        types -= {"object"}
        if not types:
            return None
    if types.isdisjoint({"array", "object"}):
        return query.Parameter(_one(parameter, types))
    if types == {"array"}:
        if _is_repeated(parameter):
            return query.Parameter(_item(parameter, contract), is_repeated=True)
        return query.Parameter(_list(parameter, contract))
    if types == {"object"}:
        return query.Parameter(_Joined(parameter, contract).read)
    # the ambiguity is resolved later
    return query.Parameter(query.text, _is_repeated(parameter))


def is_either(parameter: ParameterData, contract: Contract) -> bool:
    """Return whether a parameter may be a list, an object or one value; null can't be written."""
    if parameter["style"] == CONTENT:
        return False
    types = _types(parameter["schema"], contract) - {"null"}
    if is_spread(parameter, contract):
        types -= {"object"}
    return len(types) > 1 and not types.isdisjoint({"array", "object"})


class Either:
    """Reads a parameter of several possible kinds: as the first of them that is valid."""

    def __init__(self, parameter: ParameterData, contract: Contract) -> None:
        self._name = parameter["name"]
        self._validator = contract.validator(parameter["schema"])
        types = _types(parameter["schema"], contract)
        self._reads: list[Callable[[list[str]], Any]] = []
        if plain := types - {"array", "object", "null"}:
            read = _one(parameter, plain)
            self._reads.append(lambda texts: read(_only(texts)))
        if "object" in types and not is_spread(parameter, contract):
            joined = _Joined(parameter, contract)
            self._reads.append(lambda texts: joined.read(_only(texts)))
        if "array" in types:
            if _is_repeated(parameter):
                item = _item(parameter, contract)
                self._reads.append(lambda texts: [item(text) for text in texts])
            else:
                items = _list(parameter, contract)
                self._reads.append(lambda texts: items(_only(texts)))

    def read(self, sent: str | list[str]) -> Any:
        """Return the *sent* value: a text, or one for each item of a list. Raises RequestError."""
        texts = [sent] if isinstance(sent, str) else sent
        *others, last = self._reads
        for read in others:
            with suppress(RequestError):
                value = read(texts)
                if self._validator.fits(value):
                    return value
        try:
            return last(texts)
        except RequestError as error:
            raise RequestError(f"the parameter {quote(self._name)} {error}") from None


class Spread:
    """Reads those objects among the *parameters* whose fields are separate parameters."""

    def __init__(self, parameters: Iterable[ParameterData], contract: Contract) -> None:
        listed = [*parameters]
        self._contract = contract
        self._parameters = {each["name"]: each for each in listed if is_spread(each, contract)}
        self._fields = {
            name: contract.fields(each["schema"]) for name, each in self._parameters.items()
        }
        self._others = {each["name"] for each in listed} - self._parameters.keys()

    @property
    def names(self) -> frozenset[str]:
        """The names of the fields that the schemas have."""
        return frozenset[str]().union(*(names for names, _ in self._fields.values()))

    @property
    def objects(self) -> Collection[str]:
        """The names of the parameters."""
        return self._parameters.keys()

    def read(self, given: Mapping[str, Sequence[str]], values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the objects that were sent and are not among *values*. Raises RequestError.

        *given* are the texts of all parameters of their place.
        """
        result: dict[str, Any] = {}
        for name, parameter in self._parameters.items():
            if name in values:
                continue
            read = _reader(parameter, _TEXT)
            found = {
                key: _field(self._contract, parameter, key, texts)
                for sent, texts in given.items()
                if self.has(name, key := read(sent))
            }
            # an object without fields is written as nothing
            if found or parameter["required"]:
                result[name] = found
        return result

    def select(self, name: str, value: Any) -> Any:
        """Return *value*, of the object *name*, without what would be another parameter."""
        if not isinstance(value, dict):
            return value
        return {key: below for key, below in value.items() if self.has(name, key)}

    def has(self, name: str, key: str) -> bool:
        """Return whether a parameter called *key* is a field of the object *name*."""
        names, others = self._fields[name]
        # the other cookies of a request are no fields
        others = others and self._parameters[name]["in"] != "cookie"
        return key in names or (others and key.partition("[")[0] not in self._others)


def _one(parameter: ParameterData, types: frozenset[str]) -> query.Reader:
    """Return a function that reads a parameter of *types*, which have neither items nor fields."""
    read = _reader(parameter, types)
    before, _ = find_notation(parameter, str)
    return (lambda text: read(_cut(before, text))) if before else read


def _list(parameter: ParameterData, contract: Contract) -> query.Reader:
    """Return a function that reads a list from one text."""
    item = _item(parameter, contract)
    return lambda text: [item(part) for part in _split(parameter, list, text)]


def _cut(before: str, text: str) -> str:
    if not f"{text}=".startswith(before):
        raise RequestError(f"has to begin with {quote(before)}")
    # an empty value needs no `=` (RFC 6570, section 3.2.7)
    return text[len(before) :]


def _split(parameter: ParameterData, kind: type, text: str) -> list[str]:
    """Return the texts between the separators, in a header without the blanks around them."""
    before, separator = find_notation(parameter, kind)
    parts = _cut(before, text).split(separator)
    return [part.strip(" \t") for part in parts] if parameter["in"] == "header" else parts


class _Joined:
    """Reads an object from one text."""

    def __init__(self, parameter: ParameterData, contract: Contract) -> None:
        self._parameter = parameter
        self._contract = contract
        self._name = _reader(parameter, _TEXT)
        self._is_paired = parameter["explode"] and parameter["in"] in ("path", "header")

    def read(self, text: str) -> dict[str, Any]:
        parts = _split(self._parameter, dict, text)
        parts = [] if parts == [""] else parts
        found: dict[str, Any] = {}
        for sent, value in self._pairs(parts):
            name = self._name(sent)
            if name in found:
                raise RequestError(f"has the field {quote(name)} twice")
            found[name] = self._value(name, value)
        return found

    def _pairs(self, parts: Sequence[str]) -> Iterator[tuple[str, str]]:
        if self._is_paired:
            for part in parts:
                name, equals, value = part.partition("=")
                if not equals:
                    raise RequestError(
                        f"has to be fields: name=value, with {self._sign} between them"
                    )
                yield name, value
        elif len(parts) % 2:
            raise RequestError(
                f"has to be names and values in turn, with {self._sign} between them"
            )
        else:
            yield from zip(parts[::2], parts[1::2], strict=True)

    @property
    def _sign(self) -> str:
        return quote(find_notation(self._parameter, dict)[1])

    def _value(self, name: str, text: str) -> Any:
        types = self._contract.types(self._contract.property(self._parameter["schema"], name))
        try:
            return _reader(self._parameter, types)(text)
        except RequestError as error:
            raise RequestError(f"has a field {quote(name)} that {error}") from None


def _field(contract: Contract, parameter: ParameterData, name: str, texts: Sequence[str]) -> Any:
    """Return the field *name* of an object, sent as *texts*. Raises RequestError."""
    below = contract.property(parameter["schema"], name)
    types = _types(below, contract)
    try:
        if "array" in types and (len(texts) > 1 or not types - _LISTS):
            read = _reader(parameter, contract.types(contract.items(below)))
            return [read(text) for text in texts]
        return _reader(parameter, types)(_only(texts))
    except RequestError as error:
        raise RequestError(f"the parameter {quote(name)} {error}") from None


_LISTS: Final = frozenset({"array", "null"})
_TEXT: Final = frozenset({"string"})


def _types(schema: Any, contract: Contract) -> frozenset[str]:
    """Return the types that values of *schema* are read as.

    If every type is allowed, these are texts and what the schema describes: lists, objects.
    """
    types = contract.types(schema)
    if types != TYPES:
        return types
    described = {"string"}
    if contract.items(schema) is not True:
        described.add("array")
    if contract.fields(schema)[0]:
        described.add("object")
    return frozenset(described)


def _is_repeated(parameter: ParameterData) -> bool:
    return bool(parameter["in"] in _REPEATED and parameter["explode"])


def _item(parameter: ParameterData, contract: Contract) -> query.Reader:
    return _reader(parameter, contract.types(contract.items(parameter["schema"])))


def _only(texts: Sequence[str]) -> str:
    if len(texts) > 1:
        raise RequestError("is given more than once")
    return texts[0]


def _read_json(text: str) -> Any:
    try:
        return bodies.read(text.encode())
    except RequestError as error:
        message = str(error).removeprefix("the body ")
        raise RequestError(f"can't be read: it {message}") from None
