"""The generated models: what versions share, what models accept, and what they write."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import tomllib
import warnings
from copy import copy, deepcopy
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError
from support.modelling import TEXT, Package, document, files, generate_single, record, ref, table
from support.tables import cases

from dateline.model import Contract, SourceError
from dateline.models import generate_models
from dateline.python.names import field_name
from dateline.render import builtin_templates

ID = "00000000-0000-4000-8000-000000000000"


def member(tag: str) -> dict[str, Any]:
    return record("type", "data", type={"const": tag}, data={"type": "integer"})


def rails(*tags: str) -> dict[str, Any]:
    return {
        **{tag: member(tag) for tag in tags},
        "Rail": {
            "oneOf": [ref(tag) for tag in tags],
            "discriminator": {"propertyName": "type"},
        },
        "Ramp": record("rails", rails={"type": "array", "items": ref("Rail")}),
        "Customer": record("id", id={"type": "string", "format": "uuid"}),
    }


def errors(model: Any, instance: Any) -> list[tuple[tuple[Any, ...], str]]:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(model).validate_json(json.dumps(instance))
    return [(error["loc"], error["type"]) for error in caught.value.errors()]


# Sharing between versions


def test_equal_types_of_two_versions_are_one_class(tmp_path: Path) -> None:
    package = Package(
        tmp_path,
        {
            "2025-03-13": document(rails("Iban", "Swift")),
            "2026-07-01": document(rails("Iban", "Swift", "FedNow")),
            "2026-08-01": document(rails("Iban", "Swift", "FedNow")),
        },
    )
    old, new, last = map(package.version, ("2025-03-13", "2026-07-01", "2026-08-01"))
    shared = {name for name in old.__all__ if getattr(old, name) is getattr(new, name)}
    assert shared == {"Customer", "Iban", "Swift"}
    assert sorted({*new.__all__} - {*old.__all__}) == ["FedNow"]
    assert all(getattr(new, name) is getattr(last, name) for name in [*new.__all__][1:])
    assert [module.API_VERSION for module in (old, new, last)] == [
        "2025-03-13",
        "2026-07-01",
        "2026-08-01",
    ]
    assert sorted(path for path in package.files if "/models/" in path) == [
        f"python/{package.name}/models/{module}.py"
        for module in (
            "__init__",
            "v2025_03_13",
            "v2025_03_13_until_v2026_07_01",
            "v2026_07_01",
        )
    ]


def test_reverted_change_returns_to_the_older_type(tmp_path: Path) -> None:
    package = Package(
        tmp_path,
        {
            "2024-01-01": document({"A": record(b=ref("B")), "B": record(x=TEXT)}),
            "2024-02-01": document({"A": record(b=ref("B")), "B": record(y=TEXT)}),
            "2024-03-01": document({"A": record(b=ref("B")), "B": record(x=TEXT)}),
        },
    )
    first, second, third = (package.version(f"2024-0{month}-01") for month in (1, 2, 3))
    assert first.A is third.A
    assert first.A is not second.A


def test_request_schema_that_becomes_a_response_too_is_another_type(tmp_path: Path) -> None:
    left, right = (record("t", t={"const": tag}) for tag in "lr")
    schemas = {"Left": left, "Right": right, "Thing": {"oneOf": [ref("Left"), ref("Right")]}}

    def using(where: str) -> dict[str, Any]:
        body = {"content": {"application/json": {"schema": ref("Thing")}}}
        response = {"description": "ok", **(body if where == "response" else {})}
        operation = {"requestBody": body, "responses": {"200": response}}
        return document(schemas, paths={"/things": {"post": operation}})

    package = Package(tmp_path, {"2024-01-01": using("request"), "2024-02-01": using("response")})
    older, newer = package.version("2024-01-01"), package.version("2024-02-01")
    assert errors(older.Thing, {"t": "x"}) == [((), "union_tag")]
    read = TypeAdapter(newer.Thing).validate_python({"t": "x"})
    assert isinstance(read, newer.UnknownThing)


def test_distribution_names_its_versions(tmp_path: Path) -> None:
    made = document({"A": record(a=TEXT)})
    texts, _ = files(
        {"2024-01-01": made, "2024-11-01": made, "next": made}, "library", drafts=["next"]
    )
    assert sorted(texts) == [
        "python/README.md",
        "python/library/__init__.py",
        "python/library/models/__init__.py",
        "python/library/models/v2024_01_01.py",
        "python/library/py.typed",
        "python/library/types.py",
        "python/library/v2024_01_01/__init__.py",
        "python/library/v2024_11_01/__init__.py",
        "python/library/vnext/__init__.py",
        "python/pyproject.toml",
    ]
    package = Package(tmp_path, {"2024-01-01": made, "2024-11-01": made})
    root = package.root
    assert (root.VERSIONS, root.DEFAULT, root.LATEST) == (
        ("2024-01-01", "2024-11-01"),
        "2024-01-01",
        "2024-11-01",
    )
    project = tomllib.loads(texts["python/pyproject.toml"])["project"]
    assert (project["name"], project["version"], project["dependencies"]) == (
        "library",
        "2024.11.1",
        ["pydantic>=2.12.5,<3"],
    )


def test_importing_the_distribution_loads_no_models(tmp_path: Path) -> None:
    package = Package(tmp_path, {"2024-01-01": document({"A": record(a=TEXT)})})
    program = f"import sys, {package.name}; print('pydantic' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=package.folder, capture_output=True, check=True
    )
    assert ran.stdout.split() == [b"False"]


# What models accept and write


def test_absent_and_null_are_distinct(tmp_path: Path) -> None:
    thing = record("d", a=TEXT, b={"type": ["string", "null"]}, d={"type": ["string", "null"]})
    package = Package(tmp_path, {"2024-01-01": document({"Thing": thing})})
    model, absent = package.version("2024-01-01").Thing, package.types.ABSENT
    made = model.model_validate({"d": None})
    assert (made.a, made.b, made.d) == (absent, absent, None)
    assert made.model_dump_json() == '{"d":null}'
    assert model.model_validate({"b": None, "d": "x"}).model_dump() == {"b": None, "d": "x"}
    assert errors(model, {"a": None}) == [(("a",), "string_type"), (("d",), "missing")]
    assert model(a=absent, b="x", d="y") == model(b="x", d="y")
    assert repr(model(d="y")) == "Thing(d='y')"
    assert errors(model, {"a": "ABSENT", "d": absent.value, "b": 1}) == [(("b",), "string_type")]


def test_absence_is_false_and_survives_copying(tmp_path: Path) -> None:
    package = Package(tmp_path, {"2024-01-01": document({"Thing": record(a=TEXT)})})
    made = package.version("2024-01-01").Thing()
    assert (made.a or "nothing") == "nothing"
    assert deepcopy(made).a is made.a
    assert pickle.loads(pickle.dumps(made)).a is made.a
    assert made.model_copy(update={"a": "x"}).model_dump() == {"a": "x"}


def test_default_is_read_and_only_written_if_set(tmp_path: Path) -> None:
    schemas = {
        "Order": {"type": "string", "enum": ["asc", "desc"]},
        "Query": record(
            size={"type": "integer", "default": 10},
            ratio={"type": "number", "default": 1},
            order={"allOf": [ref("Order")], "default": "desc"},
            tags={"type": "array", "items": TEXT, "default": []},
            kind={"type": "string", "x-extensible-enum": ["a"], "default": "b"},
            flag={"type": "boolean", "default": False},
            maybe={"type": ["string", "null"], "default": None},
            text={"type": "string", "default": "x"},
        ),
        "Holder": record(query=ref("Query")),
    }
    package = Package(tmp_path, {"2024-01-01": document(schemas)})
    module = package.version("2024-01-01")
    assert package.notes == []
    made = module.Query()
    assert (made.size, made.ratio, made.order, made.tags, made.kind) == (
        10,
        1,
        module.Order.DESC,
        [],
        "b",
    )
    assert (made.flag, made.maybe, made.text) == (False, None, "x")
    assert isinstance(made.kind, package.types.Unrecognized)
    assert made.model_dump() == {}
    given = {"query": {"size": 10, "order": "desc"}}
    assert json.loads(module.Holder.model_validate(given).model_dump_json()) == given
    made.tags.append("y")
    assert module.Query().tags == []
    assert module.Query.model_json_schema(mode="serialization")["properties"]["size"] == {
        "default": 10,
        "title": "Size",
        "type": "integer",
    }


def test_invalid_default_is_reported() -> None:
    _, notes = files(
        {
            "2024-01-01": document(
                {
                    "A": record(
                        a={"type": "integer", "default": "x"},
                        b={"type": "string", "default": None},
                        c={"type": "string", "format": "date", "default": "2024-01-01"},
                    )
                }
            )
        }
    )
    assert notes == [
        f"components.A: models ignore the default of `{name}`: the field is absent by default"
        for name in "abc"
    ]


@cases("default", ["none", 1, True, "longer", None, [1], {"a": 1}])
@cases("kind", ["string", "integer"])
def test_default_that_is_listed_but_invalid_is_dropped(
    kind: str, default: Any, tmp_path: Path
) -> None:
    listed = ["none", "all", "longer", 1, 2, True, [1], {"a": 1}]
    schema = {"type": kind, "maxLength": 4, "enum": listed, "default": default}
    made = generate_single(tmp_path, {"A": record(level=schema)}).A()
    is_value = default == "none" if kind == "string" else default == 1 and default is not True
    assert (made.level == default) is is_value


def test_known_member_of_a_union_is_reported_by_its_tag(tmp_path: Path) -> None:
    module = generate_single(tmp_path, rails("Iban", "Swift"))
    instance = {"rails": [{"type": "Swift", "data": 1}, {"type": "Zelle", "data": [1], "x": {}}]}
    made = module.Ramp.model_validate(instance)
    assert made.rails == [
        module.Swift(type="Swift", data=1),
        module.UnknownRail(type="Zelle", data=[1], x={}),
    ]
    assert json.loads(made.model_dump_json()) == instance
    assert errors(module.Ramp, {"rails": [{"type": "Swift", "data": "x"}]}) == [
        (("rails", 0, "Swift", "data"), "int_type")
    ]
    assert errors(module.Ramp, {"rails": [{"data": 1}, {"type": 1}, 1]}) == [
        (("rails", 0), "union_tag"),
        (("rails", 1), "union_tag"),
        (("rails", 2), "union_tag"),
    ]


def test_request_has_no_unknown_members(tmp_path: Path) -> None:
    body = {"content": {"application/json": {"schema": ref("Ramp")}}}
    module = generate_single(
        tmp_path,
        rails("Iban", "Swift"),
        paths={"/ramps": {"post": {"requestBody": body, "responses": {}}}},
    )
    assert "UnknownRail" not in module.__all__
    assert errors(module.Ramp, {"rails": [{"type": "Zelle"}]}) == [(("rails", 0), "union_tag")]


def test_tag_may_have_a_reserved_name(tmp_path: Path) -> None:
    def tagged(value: str) -> dict[str, Any]:
        return record("class", "Field", **{"class": {"const": value}, "Field": TEXT})

    module = generate_single(
        tmp_path,
        {
            "A": tagged("a"),
            "B": tagged("b"),
            "Either": {
                "oneOf": [ref("A"), ref("B")],
                "discriminator": {"propertyName": "class"},
            },
            "Holder": record("either", either=ref("Either")),
        },
    )
    made = module.Holder.model_validate({"either": {"class": "b", "Field": "x"}})
    assert made == module.Holder(either=module.B(class_="b", Field="x"))
    assert made.model_dump() == {"either": {"class": "b", "Field": "x"}}
    unknown = {"class": "c"}
    assert module.Holder.model_validate({"either": unknown}).either.class_ == "c"
    assert module.Holder(either=module.UnknownEither(class_="c")).model_dump() == {
        "either": unknown
    }


def test_member_without_a_tag_is_selected_if_the_tag_is_optional(tmp_path: Path) -> None:
    schemas = {
        "Card": record("number", type={"enum": ["card", "scheme"]}, number=TEXT),
        "Bank": record("type", type={"const": "bank"}),
        "Method": {"oneOf": [ref("Card"), ref("Bank")], "discriminator": {"propertyName": "type"}},
    }
    module = generate_single(tmp_path, schemas)
    adapter: TypeAdapter[Any] = TypeAdapter(module.Method)
    assert adapter.validate_python({"number": "1"}) == module.Card(number="1")
    assert adapter.validate_python({"type": "scheme", "number": "1"}).type == "scheme"
    assert adapter.validate_python({"type": "bank"}) == module.Bank(type="bank")


def test_mapping_names_members_for_any_tag(tmp_path: Path) -> None:
    schemas = {
        "Cat": record("kind", kind=TEXT),
        "Dog": record("kind", kind=TEXT),
        "Pet": {
            "oneOf": [ref("Cat"), ref("Dog")],
            "discriminator": {
                "propertyName": "kind",
                "mapping": {"cat": "#/components/schemas/Cat", "kitten": "Cat"},
            },
        },
    }
    adapter: TypeAdapter[Any] = TypeAdapter(generate_single(tmp_path, schemas).Pet)
    kinds = ["cat", "kitten", "Dog", "dog"]
    assert [type(adapter.validate_python({"kind": kind})).__name__ for kind in kinds] == [
        "Cat",
        "Cat",
        "Dog",
        "UnknownPet",
    ]


def test_unknown_value_of_an_open_ended_field_is_kept(tmp_path: Path) -> None:
    kind = {"type": "string", "x-extensible-enum": ["Onramp"], "examples": ["Onramp"]}
    package = Package(tmp_path, {"2024-01-01": document({"Ramp": record("kind", kind=kind)})})
    model, unrecognized = package.version("2024-01-01").Ramp, package.types.Unrecognized
    known, unknown = model(kind="Onramp"), model.model_validate({"kind": "Swap"})
    assert (type(known.kind), type(unknown.kind)) == (str, unrecognized)
    assert unknown.kind == "Swap"
    assert unknown.model_dump_json() == '{"kind":"Swap"}'
    assert errors(model, {"kind": 1}) == [(("kind",), "string_type")]


def test_enum_has_the_values_of_the_document_in_order(tmp_path: Path) -> None:
    schemas = {
        "Status": {
            "type": "string",
            "enum": ["UserRequired", "on-hold", "IPO", "1st", ""],
            "x-enum-descriptions": {"IPO": "Goes public."},
        },
        "Sort": {"type": "string", "enum": ["created", "-created"]},
        "Clash": {"type": "string", "enum": ["a b", "a-b"]},
    }
    module = generate_single(tmp_path, schemas)
    assert [(each.name, each.value) for each in module.Status] == [
        ("USER_REQUIRED", "UserRequired"),
        ("ON_HOLD", "on-hold"),
        ("IPO", "IPO"),
        ("VALUE_1ST", "1st"),
        ("EMPTY", ""),
    ]
    assert errors(module.Sort, "updated") == [((), "literal_error")]
    assert TypeAdapter(module.Clash).validate_python("a-b") == "a-b"


def test_non_canonical_text_is_written_as_it_was_read(tmp_path: Path) -> None:
    module = generate_single(
        tmp_path,
        {
            "At": record(
                at={"type": "string", "format": "date-time"},
                id={"type": "string", "format": "uuid"},
            )
        },
    )
    made = module.At(at=datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC), id=UUID(ID))
    assert made.model_dump_json() == f'{{"at":"2024-05-06T07:08:09Z","id":"{ID}"}}'
    assert type(module.At(at="2024-05-06T07:08:09Z").at) is datetime
    text = "2024-05-06t07:08:09.123456789+00:00"
    read = module.At.model_validate({"at": text, "id": ID[:-1] + "A"})
    assert read.at == datetime(2024, 5, 6, 7, 8, 9, 123456, tzinfo=UTC)
    assert read.id == UUID(ID[:-1] + "a")
    written = {"at": text, "id": ID[:-1] + "A"}
    copies = (read, deepcopy(read), copy(read), pickle.loads(pickle.dumps(read)))
    assert [json.loads(each.model_dump_json()) for each in copies] == [written] * 4
    assert (read.at + timedelta(1)).isoformat() == "2024-05-07T07:08:09.123456+00:00"
    assert repr(read) == f"At(at=datetime('{text}'), id=UUID('{written['id']}'))"
    leap = module.At.model_validate({"at": "1990-12-31T23:59:60Z"})
    assert leap.at == datetime(1990, 12, 31, 23, 59, 59, tzinfo=UTC)
    with pytest.raises(ValidationError):
        module.At(at=datetime(2024, 5, 6))


def test_number_keeps_its_digits(tmp_path: Path) -> None:
    numbers = record(
        n={"type": "number", "minimum": 0}, m={"type": "number"}, i={"type": "integer"}
    )
    model = generate_single(tmp_path, {"Numbers": numbers}).Numbers
    text = '{"n":123456789012345678901,"m":0.1,"i":-98765432109876543210}'
    assert model.model_validate_json(text).model_dump_json() == text
    assert errors(model, {"n": -1, "m": True, "i": 0.5}) == [
        (("n",), "greater_than_equal"),
        (("m",), "float_type"),
        (("i",), "int_type"),
    ]
    for number in ("NaN", "1e400", "-Infinity"):
        with pytest.raises(ValidationError):
            model.model_validate_json(f'{{"m":{number}}}')


def test_json_schema_of_a_model_is_that_of_the_document(tmp_path: Path) -> None:
    module = generate_single(
        tmp_path, {"Thing": record("b", a=TEXT, b={"type": "integer", "minimum": 1})}
    )
    for mode in ("validation", "serialization"):
        assert module.Thing.model_json_schema(mode=mode) == {
            "additionalProperties": True,
            "properties": {
                "a": {"title": "A", "type": "string"},
                "b": {"minimum": 1, "title": "B", "type": "integer"},
            },
            "required": ["b"],
            "title": "Thing",
            "type": "object",
        }


def test_reading_a_deprecated_field_does_not_warn(tmp_path: Path) -> None:
    limit = {"type": ["string", "null"], "deprecated": True, "description": "Always null."}
    module = generate_single(tmp_path, {"Customer": record("id", id=TEXT, limit=limit)})
    for instance in ({"id": "a"}, {"id": "a", "limit": None}):
        made = module.Customer.model_validate(instance)
        assert (made.model_dump(), made == made.model_copy()) == (instance, True)
        assert repr(made).startswith("Customer(id='a'")
    with pytest.warns(DeprecationWarning, match="deprecated"):
        assert made.limit is None


def test_field_is_set_by_its_python_name_and_read_by_its_own(tmp_path: Path) -> None:
    module = generate_single(tmp_path, {"Thing": record("class", **{"class": TEXT, "copy": TEXT})})
    made = module.Thing(class_="a", copy_="b")
    assert made.model_dump() == {"class": "a", "copy": "b"}
    assert module.Thing(**{"class": "a", "copy": "b"}) == made
    assert errors(module.Thing, {"class_": "a"}) == [(("class",), "missing")]
    read = module.Thing.model_validate({"class": "a", "class_": 1})
    assert read.model_dump() == {"class": "a", "class_": 1}


def test_field_named_config_is_no_setting_of_pydantic(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        module = generate_single(
            tmp_path, {"Network": record(Config={"type": "array", "items": TEXT})}
        )
    assert module.Network.model_validate({"Config": ["a"]}).Config_ == ["a"]
    assert module.Network(Config_=["a"]).model_dump() == {"Config": ["a"]}


def test_names_in_the_callers_code_do_not_interfere(tmp_path: Path) -> None:
    schemas = {"A": record(b=ref("B"), at={"type": "string", "format": "date-time"})}
    schemas["B"] = record(a=ref("A"), c={"anyOf": [TEXT, {"type": "array", "items": ref("B")}]})
    schemas["Tree"] = {"type": "array", "items": ref("Tree")}
    schemas["Map"] = {**record(a=TEXT), "additionalProperties": ref("Maps")}
    schemas["Maps"] = record(map=ref("Map"))
    module = generate_single(tmp_path, schemas)
    program = (
        "from pydantic import TypeAdapter\n"
        "def use(module):\n"
        "    t = Annotated = A = B = BC = Tree = Map = Maps = None\n"
        "    return [\n"
        "        module.A.model_validate({'b': {'a': {}}}).model_dump(),\n"
        "        TypeAdapter(list[module.B]).validate_python([{'c': [{'c': 'x'}]}])[0].c[0].c,\n"
        "        TypeAdapter(module.Tree).validate_python([[], [[]]]),\n"
        "        module.Map.model_validate({'b': {'map': {'c': {}}}}).b.map.c.model_dump(),\n"
        "    ]\n"
    )
    names: dict[str, Any] = {}
    exec(program, names)
    assert names["use"](module) == [{"b": {"a": {}}}, "x", [[], [[]]], {}]


# Names


def test_inline_types_are_named_by_their_place(tmp_path: Path) -> None:
    inline = record(x=TEXT)
    module = generate_single(
        tmp_path,
        {
            "Order": record(
                ship_to=inline,
                lines={"type": "array", "items": inline},
                prices={"type": "object", "additionalProperties": inline},
                state={"type": "string", "enum": ["open", "closed"]},
                either={"oneOf": [{**inline, "title": "a title"}, {"type": "integer"}]},
            )
        },
    )
    assert [*module.__all__] == [
        "API_VERSION",
        "Order",
        "OrderEither",
        "OrderEitherATitle",
        "OrderLinesItem",
        "OrderPricesValue",
        "OrderShipTo",
        "OrderState",
    ]


def test_component_keeps_its_name_over_an_inline_type(tmp_path: Path) -> None:
    module = generate_single(
        tmp_path, {"Order": record(item=record(x=TEXT)), "OrderItem": record(y={"type": "integer"})}
    )
    assert (
        generate_single(tmp_path, {"Type": record(alias=record(x=TEXT))}).TypeAliasValue(x="a").x
        == "a"
    )
    assert module.OrderItem(y=1).model_dump() == {"y": 1}
    assert module.Order(item=module.OrderItemValue(x="a")).model_dump() == {"item": {"x": "a"}}


def test_unusual_names_become_identifiers(tmp_path: Path) -> None:
    names = ["order line", "payment_method.card", "3ds", "HTTPError", "Annotated", "None", "é"]
    texts = dict.fromkeys(names, record(a=TEXT))
    assert [*generate_single(tmp_path, texts).__all__] == [
        "API_VERSION",
        "Annotated_",
        "HTTPError",
        "Model3ds",
        "None_",
        "OrderLine",
        "PaymentMethodCard",
        "U00e9",
    ]


def test_field_does_not_hide_a_method_of_models() -> None:
    known = {*dir(BaseModel), *dir(type(BaseModel))}
    inherited = [name for name in sorted(known) if not name.startswith("_")]
    assert [name for name in inherited if field_name(name) == name] == []
    assert [field_name(name) for name in ("class", "str", "_links", "@id", "+1", "model")] == [
        "class_",
        "str_",
        "links_",
        "at_id",
        "plus_1",
        "model",
    ]


def test_dotted_name_keeps_its_dot_if_two_components_collide() -> None:
    made = document({"issuing.card": record(a=TEXT), "issuing_card": record(b=TEXT)})
    texts, notes = files({"2024-01-01": made})
    exported = texts["python/example/v2024_01_01/__init__.py"]
    assert '    "IssuingCard",\n    "Issuing_Card",\n' in exported
    assert notes == [
        "components.issuing.card: called Issuing_Card, for another component is IssuingCard"
    ]


def test_equal_names_of_adopted_components_are_distinguished_and_noted() -> None:
    made = document({"_Item": record(a=TEXT), "Item": record(b=TEXT), "item": record(c=TEXT)})
    contract = Contract(version="2024-01-01", environment="", document=made)
    adopted = replace(table(["2024-01-01"], "example"), adopted=True)
    notes = generate_models([contract], adopted, [builtin_templates()]).notes
    assert notes == [
        "components._Item: called Item_, for another component is Item",
        "components.item: called Item__, for another component is Item",
    ]


@pytest.mark.parametrize(
    ("schemas", "message"),
    [
        (
            {"foo_bar": record(a=TEXT), "FooBar": record(a=TEXT)},
            "the components 'foo_bar' and 'FooBar' would both be the model FooBar: rename one",
        ),
        (
            {"A": record(**{"foo-bar": TEXT, "foo bar": TEXT})},
            "A: the properties 'foo-bar' and 'foo bar' would both be the field foo_bar: rename one",
        ),
        (
            {"A": record(b=record(x=TEXT), B=record(y=TEXT), **{"b ": record(z=TEXT)})},
            "components.A.b : its model would be called AB, and so is another: give it a "
            "component of its own, under another name",
        ),
    ],
)
def test_colliding_names_are_refused(schemas: dict[str, Any], message: str) -> None:
    with pytest.raises(SourceError) as caught:
        files({"2024-01-01": document(schemas)})
    assert any(problem.message.startswith(message) for problem in caught.value.problems)


# Notes about unsupported parts


def test_constraint_that_models_do_not_check_is_reported() -> None:
    made = document(
        {
            "A": {**record(a={"type": "string", "not": {"const": "x"}}), "if": {}, "then": False},
            "B": {"type": "array", "contains": TEXT, "prefixItems": [TEXT]},
            "C": {"allOf": [ref("C"), record(a=TEXT)]},
            "D": record(a={"$ref": "#/components/schemas/Nope"}, b=False),
            "E": {"properties": {"a": TEXT}},
            "F": {"type": "string", "pattern": "(?=a)\\p{L}"},
            "G": {"type": "integer", "enum": ["a"]},
            "H": {"oneOf": [TEXT, {"type": "string", "maxLength": 1}]},
        }
    )
    _, notes = files({"2024-01-01": made})
    assert notes == [
        "components.A: models ignore `if`",
        "components.A: models ignore `then`",
        "components.A.a: models ignore `not`",
        "components.B: models ignore `contains`",
        "components.B: models ignore `prefixItems` of a list that may be longer or shorter",
        "components.C: models ignore `allOf`",
        "components.D.a: models ignore `$ref`",
        "components.D.b: no value is valid",
        "components.F: models ignore the `pattern` '(?=a)\\\\p{L}', which needs both look-around "
        "and \\p",
        "components.G: no value is valid",
        "components.H: models ignore that only one member of `oneOf` fits: the best fit is taken",
    ]


@cases(
    ("keyword", "odd"),
    [
        ("properties", 7),
        ("required", "a"),
        ("items", [1]),
        ("minLength", -1),
        ("minimum", "0"),
        ("pattern", 5),
        ("oneOf", []),
        ("prefixItems", {}),
        ("x-extensible-enum", [1]),
        ("unevaluatedProperties", {"type": "string"}),
    ],
)
def test_invalid_keyword_is_ignored_and_reported(keyword: str, odd: Any) -> None:
    _, notes = files({"2024-01-01": document({"A": {keyword: odd}})})
    assert notes == [f"components.A: models ignore `{keyword}`"]


def test_templates_of_the_user_override_the_built_in_ones(tmp_path: Path) -> None:
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "README.md.jinja").write_text("Of {{ table.package | ident }}.\n")
    (tmp_path / "datamodel").mkdir()
    (tmp_path / "datamodel" / "Enum.jinja2").write_text(
        "# begin {{ definition.key }}\nclass {{ definition.name }}(StrEnum): ...\n# end\n"
    )
    made = document({"State": {"type": "string", "enum": ["a", "b"]}, "A": record(a=TEXT)})
    rendered = generate_models(
        [Contract(version="2024-01-01", environment="", document=made)],
        table(["2024-01-01"], "library"),
        [tmp_path, builtin_templates()],
    )
    texts = {artifact.path: artifact.content.decode() for artifact in rendered.artifacts}
    assert texts["python/README.md"] == "Of library.\n"
    module = texts["python/library/models/v2024_01_01.py"]
    assert "class State(StrEnum): ...\n" in module
    assert "class A(t.OpenModel):\n    a: t.Omittable[str] = t.ABSENT\n" in module
