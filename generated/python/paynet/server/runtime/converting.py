"""Functions that apply converters to values, and validate what they return."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Final

from .conversion import WAITING, UncallableError, bind_context, find_version, is_waiting
from .values import OMITTED, Change, ConversionError, Fits, Json, UnfitError

_PLAIN: Final = (dict, list, tuple, str, int, float, type(None))


def call_converter(name: str, convert: Callable[..., Json], *, passes_null: bool = False) -> Change:
    """Return *convert*, with UnfitError in place of ValueError.

    *convert* gets numbers without a fraction as integers, as JSON Schema counts them: 1.0 is 1. The
    returned function raises ConversionError for anything else that *convert* raises, and for a
    result that is no JSON value, such as one with a Decimal.
    """
    call = bind_context(name, convert)

    def change(value: Json) -> Json:
        if value is None and passes_null:
            return None
        try:
            result = call(unify_numbers(value))
        except ValueError as error:
            raise UnfitError(f"the converter {name} refuses it{_version()}") from error
        except UncallableError as error:
            raise ConversionError(f"the converter {name} can't be called: {error}") from None
        except Exception as error:
            raise ConversionError(f"the converter {name} failed{_version()}") from error
        foreign = None if result is WAITING else _find_foreign(result)
        if foreign is not None:
            steps, kind = foreign
            raise ConversionError(
                f"the converter {name} makes a value of the type {kind}{_version()}, "
                "which JSON does not have",
                steps,
            )
        return result

    return change


def _find_foreign(value: object) -> tuple[list[str | int], str] | None:
    """Return place and type of a part of *value* that JSON does not have; None without one.

    Libraries validate such parts like numbers or texts, and write them in another form.
    """
    if not isinstance(value, _PLAIN):
        return [], type(value).__name__
    parts: Iterable[tuple[str | int, object]] = ()
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list | tuple):
        parts = enumerate(value)
    for step, each in parts:
        if (found := _find_foreign(each)) is not None:
            return [step, *found[0]], found[1]
    return None


def unify_numbers(value: Json) -> Json:
    """Return a copy of *value* with an integer in place of each number without a fraction."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, dict):
        return {name: unify_numbers(each) for name, each in value.items()}
    if isinstance(value, list):
        return [unify_numbers(each) for each in value]
    return value


def _version() -> str:
    """Return a phrase with the version of the call, if it is known."""
    version = find_version()
    return "" if version is None else f" for callers of {version}"


def replace_fields(
    name: str, convert: Change, gone: Container[str], came: Container[str]
) -> Change:
    """Return a function that replaces the fields *gone* of an object by those of *convert*.

    *came* are the fields it may return; *name* is its name. An object with none of the fields is
    unchanged. The returned function raises ConversionError for any other result.
    """

    def change(value: Json) -> Json:
        if not isinstance(value, dict) or not any(field in gone for field in value):
            return value
        result = convert(value)
        if result is WAITING:
            return result
        if not isinstance(result, dict):
            raise ConversionError(f"the converter {name} makes no object{_version()}")
        for field in result:
            if field not in came:
                raise ConversionError(
                    f"the converter {name} makes {field!r}{_version()}, which is none of its fields"
                )
        return {**{field: each for field, each in value.items() if field not in gone}, **result}

    return change


def require_fit(
    names: Sequence[str],
    change: Change,
    fits: Fits,
    version: str = "",
    replaced: Container[str] | None = None,
) -> Change:
    """Return *change*, which uses the converters *names*, with validation of its result.

    The returned function raises UnfitError if a result for *version* is not valid, ConversionError
    if it is for handlers. If the converters read and make no fields but those *replaced*, what
    stays as it is in other fields may be invalid.
    """
    makers = f"the converters {', '.join(names)} make"
    if len(names) == 1:
        makers = f"the converter {names[0]} makes"
    list_misfits: Callable[[Json], list[tuple[list[str | int], str]]] | None
    list_misfits = getattr(fits, "list_misfits", None)

    def apply(value: Json) -> Json:
        after = change(value)
        if is_waiting():
            return after
        found = None
        try:
            is_fit = after is OMITTED or fits(after)
            if not is_fit and list_misfits is not None:
                made = (
                    (steps, reason)
                    for steps, reason in list_misfits(after)
                    if replaced is None
                    or not steps
                    or steps[0] in replaced
                    or not _is_kept(steps, value, after)
                )
                found = next(made, None)
                is_fit = found is None
        except ValueError:
            # not a JSON value at all
            is_fit = False
        if not is_fit:
            whom = f" for callers of {version}" if version else _version()
            steps, detail = found or ([], "")
            reason = f"what {makers} of it{whom} does not fit{detail and ': it '}{detail}"
            raise (UnfitError if version else ConversionError)(reason, steps)
        return after

    return apply


def _is_kept(steps: Sequence[str | int], before: Json, after: Json) -> bool:
    """Return whether *steps* lead to a part of *after*, or into one, that is that of *before*."""
    for step in steps:
        try:
            before, after = before[step], after[step]
        except (LookupError, TypeError):
            return False
        if before is after:
            return True
    return False


def apply_all(changes: list[Change]) -> Change:
    """Return a function that applies *changes* one after the other."""
    if len(changes) == 1:
        return changes[0]

    def change(value: Json) -> Json:
        for each in changes:
            value = each(value)
            if value is WAITING:
                break
        return value

    return change
