"""Random documents of Swagger 2.0, each with its equivalent in OpenAPI 3.0."""

from __future__ import annotations

import random
from typing import Final

from support.swagger_documents import JSON, MULTIPART, URLENCODED, XML, Document

_VALUES: Final[tuple[Document, ...]] = (
    {"type": "string"},
    {"type": "string", "enum": ["a", "b"], "default": "a"},
    {"type": "string", "format": "date-time"},
    {"type": "integer", "format": "int64", "minimum": 1},
    {"type": "number", "maximum": 2.5, "exclusiveMaximum": True},
    {"type": "boolean"},
    {"type": "string", "pattern": "^a+$", "maxLength": 9},
)
# Collection formats: in a query, in a path or header, in a form.
_LISTS: Final[dict[str, tuple[Document, Document]]] = {
    "": ({"explode": False}, {"style": "form", "explode": False}),
    "csv": ({"explode": False}, {"style": "form", "explode": False}),
    "ssv": ({"style": "spaceDelimited", "explode": False},) * 2,
    "pipes": ({"style": "pipeDelimited", "explode": False},) * 2,
    "multi": ({}, {}),
}
_TYPES: Final = (JSON, XML, "text/csv")
_NAMES: Final = ("Book", "Loan", "Person")


class _Twins:
    """Writes two equivalent documents at once, one of each specification."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def documents(self) -> tuple[Document, Document]:
        self.consumes = self._types()
        self.produces = self._types()
        paths: Document = {}
        make_twins: Document = {}
        for name in self._random.sample(["/a", "/b/{id}", "/c", "/d/{id}/e"], 3):
            paths[name], make_twins[name] = self._item(name)
        definitions = {name: self._schema(2) for name in _NAMES}
        missing = self._schema(1)
        old = {
            "swagger": "2.0",
            "info": {"title": "T", "version": "1"},
            "host": "example.com",
            "schemes": ["https"],
            **({"consumes": list(self.consumes)} if self.consumes != ("*/*",) else {}),
            **({"produces": list(self.produces)} if self.produces != ("*/*",) else {}),
            "paths": paths,
            "definitions": {name: found[0] for name, found in definitions.items()},
            "responses": {"Missing": {"description": "None.", "schema": missing[0]}},
        }
        new = {
            "openapi": "3.0.3",
            "info": {"title": "T", "version": "1"},
            "servers": [{"url": "https://example.com"}],
            "paths": make_twins,
            "components": {
                "schemas": {name: found[1] for name, found in definitions.items()},
                "responses": {
                    "Missing": {
                        "description": "None.",
                        "content": {name: {"schema": missing[1]} for name in self.produces},
                    }
                },
            },
        }
        return old, new

    def _types(self) -> tuple[str, ...]:
        # none: any media type
        if self._random.random() < 0.2:
            return ("*/*",)
        return tuple(self._random.sample(_TYPES, self._random.randint(1, 2)))

    def _schema(self, depth: int) -> tuple[Document, Document]:
        pick = self._random.randrange(6 if depth else 1)
        if pick == 1:
            name = self._random.choice(_NAMES)
            return {"$ref": f"#/definitions/{name}"}, {"$ref": f"#/components/schemas/{name}"}
        if pick == 2:
            old, new = self._schema(depth - 1)
            return {"type": "array", "items": old}, {"type": "array", "items": new}
        if pick == 3:
            parts = [self._schema(depth - 1) for _ in range(2)]
            return {"allOf": [one[0] for one in parts]}, {"allOf": [one[1] for one in parts]}
        if pick == 4:
            value = {**self._random.choice(_VALUES)}
            return {**value, "x-nullable": True}, {**value, "nullable": True}
        if pick == 5:
            fields = {name: self._schema(depth - 1) for name in self._random.sample("abcd", 2)}
            more = {"required": [min(fields)]} if self._random.random() < 0.5 else {}
            sides = (
                {
                    "type": "object",
                    "properties": {name: found[at] for name, found in fields.items()},
                    **more,
                }
                for at in (0, 1)
            )
            old, new = sides
            return old, new
        value = {**self._random.choice(_VALUES)}
        return value, value

    def _item(self, path: str) -> tuple[Document, Document]:
        old: Document = {}
        new: Document = {}
        if "{id}" in path:
            head = {"name": "id", "in": "path", "required": True}
            value = self._random.choice(_VALUES)
            old["parameters"] = [{**head, **value}]
            new["parameters"] = [{**head, "schema": value}]
        for method in self._random.sample(["get", "put", "post", "patch"], 2):
            old[method], new[method] = self._operation(has_body=method != "get")
        return old, new

    def _operation(self, *, has_body: bool) -> tuple[Document, Document]:
        consumes, produces = self.consumes, self.produces
        old: Document = {"responses": {}}
        new: Document = {"responses": {}}
        if self._random.random() < 0.5:
            produces = tuple(self._random.sample(_TYPES, 1))
            old["produces"] = list(produces)
        parameters = [self._parameter(name) for name in self._random.sample("pqrs", 2)]
        old["parameters"] = [one[0] for one in parameters]
        new["parameters"] = [one[1] for one in parameters]
        if has_body and self._random.random() < 0.5:
            schema = self._schema(2)
            needed = {"required": True} if self._random.random() < 0.5 else {}
            old["parameters"].append({"name": "body", "in": "body", "schema": schema[0], **needed})
            content = {name: {"schema": schema[1]} for name in consumes}
            new["requestBody"] = {"content": content, **needed}
        elif has_body:
            form = self._random.choice([MULTIPART, URLENCODED])
            old["consumes"] = [form]
            fields = [self._field(name) for name in "xyz"]
            old["parameters"] += [one[0] for one in fields]
            named = {one[0]["name"]: one for one in fields}
            required = [name for name, one in named.items() if one[0].get("required")]
            encoding = {name: one[2] for name, one in named.items() if one[2]}
            media = {
                "schema": {
                    "type": "object",
                    "properties": {name: one[1] for name, one in named.items()},
                    **({"required": required} if required else {}),
                },
                **({"encoding": encoding} if encoding else {}),
            }
            body = {"content": {form: media}}
            new["requestBody"] = {**body, "required": True} if required else body
        schema = self._schema(2)
        old["responses"]["200"] = {"description": "d", "schema": schema[0]}
        content = {name: {"schema": schema[1]} for name in produces}
        new["responses"]["200"] = {"description": "d", "content": content}
        if produces == self.produces:
            old["responses"]["404"] = {"$ref": "#/responses/Missing"}
            new["responses"]["404"] = {"$ref": "#/components/responses/Missing"}
        return old, new

    def _listing(self, formats: list[str]) -> tuple[Document, Document, tuple[Document, Document]]:
        value = {"type": "array", "items": self._random.choice(_VALUES), "minItems": 1}
        called = self._random.choice(formats)
        written = {**value, **({"collectionFormat": called} if called else {})}
        return written, value, _LISTS[called]

    def _parameter(self, name: str) -> tuple[Document, Document]:
        place = self._random.choice(["query", "header"])
        head: Document = {"name": name, "in": place}
        if self._random.random() < 0.3:
            head["required"] = True
        if self._random.random() < 0.5:
            value = self._random.choice(_VALUES)
            return {**head, **value}, {**head, "schema": value}
        formats = [*_LISTS] if place == "query" else ["", "csv"]
        written, value, (style, _) = self._listing(formats)
        return {**head, **written}, {**head, **(style if place == "query" else {}), "schema": value}

    def _field(self, name: str) -> tuple[Document, Document, Document]:
        head: Document = {"name": name, "in": "formData"}
        if self._random.random() < 0.3:
            head["required"] = True
        if self._random.random() < 0.5:
            value = self._random.choice(_VALUES)
            return {**head, **value}, value, {}
        written, value, (_, style) = self._listing([*_LISTS])
        return {**head, **written}, value, style


def make_twins(seed: int) -> tuple[Document, Document]:
    """Return a random document of Swagger 2.0, and its equivalent in OpenAPI 3.0."""
    return _Twins(seed).documents()
