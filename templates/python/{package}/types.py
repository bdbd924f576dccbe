"""What the models of every version stand on: absence, open-ended values, the types of JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, TypeAlias, TypeVar
from typing import get_args as _arguments
from uuid import UUID

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetCoreSchemaHandler,
    Strict,
    WithJsonSchema,
    model_validator,
)
from pydantic import Field as Field
from pydantic import JsonValue as JsonValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema, to_jsonable_python

_T = TypeVar("_T")


class Absent(Enum):
    """The type of ``ABSENT``."""

    ABSENT = "ABSENT"

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent.ABSENT
"""What a field holds that is not there; a field that is null holds ``None``."""


def _is_absent(value: object) -> bool:
    return value is ABSENT


def _without_default(schema: dict[str, Any]) -> None:
    schema.pop("default", None)


class _Omittable:
    """Lets a field be left out, but not be given as anything that stands for absence."""

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        given = [member for member in _arguments(source) if member is not Absent]
        union = given[0]
        for member in given[1:]:
            union |= member
        return handler.generate_schema(union)


Omittable: TypeAlias = Annotated[
    _T | Absent,
    _Omittable,
    Field(exclude_if=_is_absent, json_schema_extra=_without_default),
]
"""A field that may be left out: it then holds ``ABSENT``, and is left out when written."""


class _Model(BaseModel):
    model_config = ConfigDict(
        serialize_by_alias=True,
        # a version is imported for the few types that its user needs
        defer_build=True,
        # `model_...` is a name like any other for a field
        protected_namespaces=(),
    )

    if not TYPE_CHECKING:

        def __init__(self, /, **data: Any) -> None:
            """Take fields by their Python names or by their names in JSON; ABSENT is left out."""
            given = {name: value for name, value in data.items() if value is not ABSENT}
            self.__pydantic_validator__.validate_python(
                given, self_instance=self, by_alias=True, by_name=True
            )

        # data that is read goes by its names in JSON only, so this is not a custom __init__
        __init__.__pydantic_base_init__ = True


class OpenModel(_Model):
    """An object that keeps the fields it does not know, in ``model_extra``."""

    model_config = ConfigDict(extra="allow")


class ClosedModel(_Model):
    """An object that refuses the fields it does not know."""

    model_config = ConfigDict(extra="forbid")


class Unrecognized(str):
    """A value of an open-ended field that was not known when its version was generated."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Unrecognized({super().__repr__()})"

    @classmethod
    def __get_pydantic_core_schema__(
        cls, _source: Any, _handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(cls, core_schema.str_schema())


class OpenEnded:
    """Makes text that is none of the known values ``Unrecognized``."""

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, _handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        known = {
            value
            for member in _arguments(source)
            if member is not Unrecognized
            for value in _arguments(member)
        }

        def recognized(value: str) -> str:
            return str(value) if value in known else Unrecognized(value)

        return core_schema.no_info_after_validator_function(recognized, core_schema.str_schema())


class Tagged:
    """A union whose members are told apart by the text of one field.

    ``members`` gives for each tag the type that it names. Data with another tag becomes
    ``unknown``; without ``unknown`` it is refused. Data without a tag is tried on ``untagged``.
    """

    def __init__(
        self,
        tag: str,
        members: Mapping[str, Any],
        *,
        unknown: type[BaseModel] | None = None,
        untagged: Any = None,
        attribute: str | None = None,
    ) -> None:
        self._tag = tag
        self._members = members
        self._unknown = unknown
        self._untagged = untagged
        self._attribute = tag if attribute is None else attribute

    def __get_pydantic_core_schema__(
        self, _source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        choices: dict[Any, CoreSchema] = {
            value: handler.generate_schema(member) for value, member in self._members.items()
        }
        other, nothing = f"{self._tag}: unknown", f"{self._tag}: absent"
        if self._unknown is not None:
            choices[other] = handler.generate_schema(self._unknown)
        if self._untagged is not None:
            choices[nothing] = handler.generate_schema(self._untagged)

        def tag(value: Any) -> str | None:
            if isinstance(value, dict):
                found: Any = value.get(self._tag, ABSENT)
            else:
                found = getattr(value, "__dict__", {}).get(self._attribute, ABSENT)
            if found is ABSENT:
                return nothing if nothing in choices else None
            if not isinstance(found, str):
                return None
            return str(found) if found in self._members or other not in choices else other

        return core_schema.tagged_union_schema(choices, tag)


def _integral(value: Any) -> Any:
    # JSON Schema, validation section 6.1.1: a number without a fraction is an integer
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


Integer: TypeAlias = Annotated[int, Strict(), BeforeValidator(_integral)]
"""A number without a fraction: ``1`` and ``1.0``, but neither ``"1"`` nor ``true``."""

Boolean: TypeAlias = Annotated[bool, Strict()]
"""``true`` or ``false``, and nothing that looks like it."""


class _Number:
    @classmethod
    def __get_pydantic_core_schema__(
        cls, _source: Any, _handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        # an integer stays one: it may have more digits than a float can hold
        return core_schema.union_schema(
            [
                core_schema.int_schema(strict=True),
                core_schema.float_schema(strict=True, allow_inf_nan=False),
            ],
            mode="left_to_right",
            custom_error_type="number_type",
            custom_error_message="Input should be a number",
        )


Number: TypeAlias = Annotated[float, _Number, WithJsonSchema({"type": "number"})]
"""A number; an integer stays an integer."""


class _DateTimeAsWritten(datetime):
    """A date-time that is written as it was read."""

    text: str = ""

    def __deepcopy__(self, _memo: object) -> _DateTimeAsWritten:
        return self


class _UUIDAsWritten(UUID):
    """A UUID that is written as it was read."""

    __slots__ = ("text",)

    text: str

    def __deepcopy__(self, _memo: object) -> _UUIDAsWritten:
        return self


_DATE: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_FULL_DATE: Final = re.compile(_DATE)
_DATE_TIME: Final = re.compile(
    rf"({_DATE})[Tt]([0-9]{{2}}:[0-9]{{2}}):([0-9]{{2}})(?:\.([0-9]+))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def _no_date_time() -> PydanticCustomError:
    return PydanticCustomError(
        "date_time", "Input should be a date-time of RFC 3339, with an offset"
    )


def _date_time_text(value: datetime) -> str:
    if isinstance(value, _DateTimeAsWritten) and value.text:
        return value.text
    return value.isoformat().removesuffix("+00:00") + "Z" * (value.utcoffset() == timedelta())


def _date_time(value: Any) -> datetime:
    if isinstance(value, datetime) and value.utcoffset() is not None:
        return value
    match = _DATE_TIME.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise _no_date_time()
    day, minutes, seconds, fraction, sign, hours_off, minutes_off = match.groups()
    # RFC 3339 section 5.7: a leap second stands at the end of a day in UTC
    leap = seconds == "60"
    try:
        offset = timedelta()
        if sign is not None:
            shift = time(int(hours_off), int(minutes_off))
            offset = timedelta(hours=shift.hour, minutes=shift.minute) * (1 - 2 * (sign == "-"))
        read = _DateTimeAsWritten.combine(
            date.fromisoformat(day),
            time.fromisoformat(f"{minutes}:{'59' if leap else seconds}"),
            timezone(offset),
        ).replace(microsecond=int((fraction or "").ljust(6, "0")[:6]))
        if leap and read.astimezone(timezone.utc).strftime("%H:%M") != "23:59":
            raise _no_date_time()
    except (ValueError, OverflowError):
        raise _no_date_time() from None
    plain = datetime.combine(read.date(), read.time(), read.tzinfo)
    if _date_time_text(plain) == value:
        return plain
    read.text = value
    return read


def _date(value: Any) -> date:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    if isinstance(value, str) and _FULL_DATE.fullmatch(value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    raise PydanticCustomError("full_date", "Input should be a full-date of RFC 3339")


def _uuid(value: Any) -> UUID:
    if isinstance(value, UUID):
        return value
    if not isinstance(value, str) or not _UUID.fullmatch(value):
        raise PydanticCustomError("uuid", "Input should be a UUID with its hyphens")
    plain = UUID(value)
    if str(plain) == value:
        return plain
    read = _UUIDAsWritten(value)
    object.__setattr__(read, "text", value)
    return read


def _uuid_text(value: UUID) -> str:
    return value.text if isinstance(value, _UUIDAsWritten) else str(value)


@dataclass(frozen=True)
class _Text:
    """A type that is text in JSON: how it is read and how it is written."""

    format: str
    read: Callable[[Any], Any]
    write: Callable[[Any], str]

    def __get_pydantic_core_schema__(
        self, _source: Any, _handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.read,
            json_schema_input_schema=core_schema.str_schema(),
            serialization=core_schema.plain_serializer_function_ser_schema(
                self.write, return_schema=core_schema.str_schema(), when_used="json"
            ),
        )


DateTime: TypeAlias = Annotated[
    datetime,
    _Text("date-time", _date_time, _date_time_text),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""A date-time of RFC 3339 with an offset."""

Date: TypeAlias = Annotated[
    date,
    _Text("date", _date, date.isoformat),
    WithJsonSchema({"type": "string", "format": "date"}),
]
"""A full-date of RFC 3339."""

Uuid: TypeAlias = Annotated[
    UUID,
    _Text("uuid", _uuid, _uuid_text),
    WithJsonSchema({"type": "string", "format": "uuid"}),
]
"""A UUID with its hyphens, in either case."""


def _json_key(value: Any) -> Any:
    """Return what is equal for equal JSON values: ``1`` is ``1.0``, but not ``true``."""
    if isinstance(value, bool):
        return (bool, value)
    if isinstance(value, list):
        return (list, *map(_json_key, value))
    if isinstance(value, dict):
        return frozenset((name, _json_key(item)) for name, item in value.items())
    return value


def _as_json(value: Any) -> Any:
    return _json_key(to_jsonable_python(value, by_alias=True))


def _unique(value: list[Any]) -> list[Any]:
    if len({_as_json(item) for item in value}) < len(value):
        raise PydanticCustomError("unique_items", "Items should be unique")
    return value


UniqueItems: Final = AfterValidator(_unique)
"""No two items of the list are equal."""


class OneOf:
    """The value is one of these JSON values."""

    def __init__(self, *values: JsonValue) -> None:
        self._known = {_json_key(value) for value in values}

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        def known(value: Any) -> Any:
            if _as_json(value) not in self._known:
                raise PydanticCustomError("one_of", "Input should be one of the listed values")
            return value

        return core_schema.no_info_after_validator_function(known, handler(source))


class MultipleOf:
    """The number is a multiple of another, reckoned in decimal."""

    def __init__(self, unit: float) -> None:
        self._unit = Decimal(repr(unit))

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        def multiple(value: float) -> float:
            if Decimal(repr(value)) % self._unit:
                raise PydanticCustomError(
                    "multiple_of", "Input should be a multiple of {unit}", {"unit": self._unit}
                )
            return value

        return core_schema.no_info_after_validator_function(multiple, handler(source))


class Pattern:
    """The text holds a match of a Python regular expression."""

    def __init__(self, expression: str) -> None:
        self._expression = re.compile(expression)

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        def matching(value: str) -> str:
            if not self._expression.search(value):
                raise PydanticCustomError(
                    "string_pattern_mismatch",
                    "String should match pattern '{pattern}'",
                    {"pattern": self._expression.pattern},
                )
            return value

        return core_schema.no_info_after_validator_function(matching, handler(source))
