"""The payment API and the synthetic one on Cadwyn, written as its documentation shows.

Run with an interpreter that has Cadwyn. A newer member is removed by a change of a schema and a
converter for each type that contains it, which Cadwyn's users write by hand.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from functools import cache
from itertools import groupby
from typing import Annotated, Any, Final, Union, get_args, get_origin

from cadwyn import (  # type: ignore[import-not-found]
    Cadwyn,
    HeadVersion,
    Version,
    VersionBundle,
    VersionChange,
    VersionedAPIRouter,
    convert_response_to_previous_version_for,
    enum,
    schema,
)
from pydantic import BaseModel, create_model

from benchmarks.synthetic import RESOURCES, dates, edits, members

_Add = Callable[[Any], object]


def payments(add: _Add, models: Any, oldest: Any) -> Any:
    """Return an application with the routes that *add* adds to a router; FedNow came later."""

    def withheld(autoramp: dict[str, Any]) -> None:
        rails = autoramp["deposit_rails"]
        autoramp["deposit_rails"] = [rail for rail in rails if rail["type"] != "FedNow"]

    shape = schema(models.Autoramp).field("deposit_rails").had(type=list[oldest.DepositRail])
    without = _change([shape], withheld, models.Autoramp, models.AutorampList)
    versions = [Version("2026-08-01"), Version("2026-07-01", without), Version("2025-03-13")]
    return _application(add, HeadVersion(), versions)


def synthetic(add: _Add, models: Any, versions: int) -> Any:
    """Return an application with that many versions of the synthetic API."""
    edited = sorted((date, place, name) for (place, name), date in edits(versions).items())
    changes = {
        date: [_EDITS[place](models, name) for _, place, name in these]
        for date, these in groupby(edited, lambda edit: edit[0])
    }
    # handlers may still read what belongs to the head and no longer to the newest version
    removed = [
        schema(plain(getattr(models, f"{name}Input"))).field("priority").didnt_exist
        for _, place, name in edited
        if place == "input"
    ]
    known = [Version(date, *changes.get(date, ())) for date in reversed(dates(versions))]
    return _application(add, HeadVersion(_change(removed)), known)


def _application(add: _Add, head: Any, versions: list[Any]) -> Any:
    app = Cadwyn(
        versions=VersionBundle(head, *versions),
        api_version_default_value=versions[-1].value,
        changelog_url=None,
    )
    router = VersionedAPIRouter()
    add(router)
    app.generate_and_include_versioned_routers(router)
    return app


def _change(
    shapes: Iterable[Any], convert: Callable[[dict[str, Any]], None] | None = None, *held_by: Any
) -> Any:
    """Return a version change; *convert* visits each value of the types *held_by*, or of pages."""

    def down(response: Any) -> None:
        for each in response.body.get("items", [response.body]):
            convert(each)  # type: ignore[misc]

    body: dict[str, Any] = {
        "description": "What callers of the version before don't see.",
        "instructions_to_migrate_to_previous_version": tuple(shapes),
    }
    if convert:
        body["down"] = convert_response_to_previous_version_for(*held_by)(down)
    return type("Change", (VersionChange,), body)


def _line(models: Any, name: str) -> Any:
    def renamed(thing: dict[str, Any]) -> None:
        for line in thing["lines"]:
            line["item_count"] = line.pop("quantity")

    shape = schema(plain(getattr(models, f"{name}Line"))).field("quantity").had(name="item_count")
    return _change([shape], renamed, *_holders(models, name))


def _state(models: Any, name: str) -> Any:
    def shown(thing: dict[str, Any]) -> None:
        if thing["state"] == "paused":
            thing["state"] = "active"

    shape = enum(getattr(models, f"{name}State")).didnt_have("PAUSED")
    return _change([shape], shown, *_holders(models, name))


def _method(models: Any, name: str) -> Any:
    *older, newest = members(name)

    def shown(thing: dict[str, Any]) -> None:
        if thing["method"]["kind"] == newest.lower():
            thing["method"] = {"kind": "card", "label": "x", "digits": "0000"}

    names = [*(f"{name}{member}" for member in older), f"Unknown{name}Method"]
    union: Any = Union[tuple(plain(getattr(models, each)) for each in names)]  # noqa: UP007
    shape = schema(plain(getattr(models, name))).field("method").had(type=union)
    return _change([shape], shown, *_holders(models, name))


def _details(models: Any, name: str) -> Any:
    following = RESOURCES[(RESOURCES.index(name) + 1) % len(RESOURCES)]

    def withheld(thing: dict[str, Any]) -> None:
        # the next resource shows them in the earlier form
        for field in ("details", "previous"):
            thing.get(field, {}).pop("score", None)

    shape = schema(plain(getattr(models, f"{name}Details"))).field("score").didnt_exist
    return _change([shape], withheld, *_holders(models, name), *_holders(models, following))


def _input(models: Any, name: str) -> Any:
    field = schema(plain(getattr(models, f"{name}Input"))).field("priority")
    return _change([field.existed_as(type=int | None)])


_EDITS: Final = {
    "line": _line,
    "state": _state,
    "method": _method,
    "details": _details,
    "input": _input,
}


def _holders(models: Any, name: str) -> tuple[Any, Any]:
    return plain(getattr(models, name)), plain(getattr(models, f"{name}Page"))


def plain(annotation: Any) -> Any:
    """Return *annotation* with models as written by hand, of which there is one each.

    Cadwyn copies each model for each version. Generated models contain their descriptions and how
    to leave fields out, and cost it more than twice as much.
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return plain(arguments[0])
    if origin in (Union, types.UnionType):
        known = [each for each in arguments if getattr(each, "__name__", "") != "Absent"]
        return Union[tuple(map(plain, known))]  # noqa: UP007
    if origin in (list, dict):
        return origin[tuple(map(plain, arguments))]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _model(annotation)
    return annotation


@cache
def _model(generated: type[BaseModel]) -> type[BaseModel]:
    fields: dict[str, Any] = {
        name: (plain(field.annotation), ...)
        if field.is_required()
        else (plain(field.annotation) | None, None)
        for name, field in generated.model_fields.items()
    }
    return create_model(generated.__name__, __module__="plain", **fields)
