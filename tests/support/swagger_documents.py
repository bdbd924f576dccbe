"""Documents of Swagger 2.0, each with its equivalent in OpenAPI 3.0."""

from __future__ import annotations

from typing import Any, Final

Document = dict[str, Any]

JSON: Final = "application/json"
XML: Final = "application/xml"
MULTIPART: Final = "multipart/form-data"
URLENCODED: Final = "application/x-www-form-urlencoded"

LIBRARY: Final[Document] = {
    "swagger": "2.0",
    "info": {"title": "Library", "version": "1", "x-team": "loans"},
    "host": "library.example",
    "basePath": "/v1",
    "schemes": ["https", "http"],
    "consumes": [JSON],
    "produces": [JSON, XML],
    "x-root": {"kept": True},
    "tags": [{"name": "loans", "description": "What is lent."}],
    "externalDocs": {"url": "https://library.example/docs"},
    "security": [{"key": []}],
    "paths": {
        "x-paths": 1,
        "/loans/{id}": {
            "x-item": 1,
            "parameters": [
                {"name": "id", "in": "path", "required": True, "type": "string"},
                {"$ref": "#/parameters/Trace"},
            ],
            "get": {
                "operationId": "getLoan",
                "tags": ["loans"],
                "parameters": [
                    {"name": "fields", "in": "query", "type": "array", "items": {"type": "string"}},
                    {
                        "name": "states",
                        "in": "query",
                        "type": "array",
                        "collectionFormat": "multi",
                        "maxItems": 3,
                        "items": {"type": "string", "enum": ["open", "closed"]},
                    },
                    {"$ref": "#/parameters/Page"},
                ],
                "responses": {
                    "200": {
                        "description": "A loan.",
                        "schema": {"$ref": "#/definitions/Loan"},
                        "headers": {
                            "X-Rate": {"type": "integer", "description": "Left.", "minimum": 0},
                            "X-Tags": {"type": "array", "items": {"type": "string"}},
                        },
                        "examples": {JSON: {"id": "1"}},
                    },
                    "404": {"$ref": "#/responses/Missing"},
                    "default": {"description": "Another problem."},
                    "x-responses": 1,
                },
                "x-operation": {"a": [1]},
            },
            "put": {
                "operationId": "putLoan",
                "consumes": [JSON, XML],
                "produces": [JSON],
                "deprecated": True,
                "schemes": ["https"],
                "parameters": [{"$ref": "#/parameters/LoanBody"}],
                "responses": {
                    "200": {"description": "Put.", "schema": {"$ref": "#/definitions/Loan"}},
                    "404": {"$ref": "#/responses/Missing"},
                },
                "security": [{"basic": []}, {"oauth": ["write"]}],
            },
            "patch": {
                "operationId": "patchLoan",
                "parameters": [{"$ref": "#/parameters/LoanBody"}],
                "responses": {"204": {"description": "Patched."}},
            },
        },
        "/covers": {
            "post": {
                "operationId": "addCover",
                "consumes": [MULTIPART],
                "parameters": [
                    {"name": "cover", "in": "formData", "type": "file", "required": True},
                    {"name": "title", "in": "formData", "type": "string", "description": "Its."},
                    {
                        "name": "kinds",
                        "in": "formData",
                        "type": "array",
                        "items": {"type": "string"},
                    },
                    {"$ref": "#/parameters/Size"},
                ],
                "responses": {
                    "201": {"description": "Added.", "schema": {"type": "file"}},
                },
            },
            "get": {
                "operationId": "findCovers",
                "consumes": [URLENCODED],
                "parameters": [
                    {
                        "name": "sizes",
                        "in": "query",
                        "type": "array",
                        "collectionFormat": "ssv",
                        "items": {"type": "integer", "format": "int32"},
                    },
                    {
                        "name": "kinds",
                        "in": "query",
                        "type": "array",
                        "collectionFormat": "pipes",
                        "items": {"type": "string"},
                    },
                    {"name": "empty", "in": "query", "type": "boolean", "allowEmptyValue": True},
                    {"name": "X-Ids", "in": "header", "type": "array", "items": {"type": "string"}},
                ],
                "responses": {
                    "200": {
                        "description": "Covers.",
                        "schema": {"type": "array", "items": {"$ref": "#/definitions/Cover"}},
                    }
                },
            },
            "put": {
                "operationId": "rateCover",
                "consumes": [URLENCODED],
                "parameters": [
                    {"name": "stars", "in": "formData", "type": "integer", "maximum": 5},
                    {
                        "name": "words",
                        "in": "formData",
                        "type": "array",
                        "collectionFormat": "pipes",
                        "items": {"type": "string"},
                    },
                ],
                "responses": {"204": {"description": "Rated."}},
            },
        },
    },
    "parameters": {
        "Trace": {"name": "X-Trace", "in": "header", "type": "string", "format": "uuid"},
        "Page": {
            "name": "page",
            "in": "query",
            "description": "Which.",
            "type": "integer",
            "default": 1,
            "minimum": 1,
            "exclusiveMinimum": False,
            "x-page": 1,
        },
        "LoanBody": {
            "name": "loan",
            "in": "body",
            "description": "The loan.",
            "required": True,
            "schema": {"$ref": "#/definitions/Loan"},
        },
        "Size": {"name": "size", "in": "formData", "type": "integer", "required": True},
    },
    "responses": {
        "Missing": {
            "description": "There is none.",
            "schema": {
                "type": "object",
                "required": ["title"],
                "properties": {"title": {"type": "string"}},
            },
        }
    },
    "definitions": {
        "Loan": {
            "type": "object",
            "discriminator": "kind",
            "required": ["id", "kind"],
            "properties": {
                "id": {"type": "string", "readOnly": True},
                "kind": {"type": "string"},
                "due": {"type": "string", "format": "date", "x-nullable": True},
                "covers": {"type": "array", "items": {"$ref": "#/definitions/Cover"}},
                "owner": {"$ref": "#/definitions/Person/properties/name"},
                "rest": {"type": "object", "additionalProperties": {"type": "string"}},
            },
            "x-loan": "kept",
        },
        "ShortLoan": {
            "allOf": [
                {"$ref": "#/definitions/Loan"},
                {"type": "object", "properties": {"hours": {"type": "integer", "minimum": 0}}},
            ]
        },
        "Cover": {
            "type": "object",
            "properties": {
                "url": {"type": "string", "xml": {"attribute": True}},
                "size": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
            },
            "example": {"url": "a", "size": 1},
        },
        "Person": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 40}}},
    },
    "securityDefinitions": {
        "key": {"type": "apiKey", "name": "X-Key", "in": "header"},
        "basic": {"type": "basic", "description": "Name and password."},
        "oauth": {
            "type": "oauth2",
            "flow": "accessCode",
            "authorizationUrl": "https://library.example/authorize",
            "tokenUrl": "https://library.example/token",
            "scopes": {"write": "Write loans."},
        },
        "service": {
            "type": "oauth2",
            "flow": "application",
            "tokenUrl": "https://library.example/token",
            "scopes": {},
        },
        "implicit": {
            "type": "oauth2",
            "flow": "implicit",
            "authorizationUrl": "https://library.example/authorize",
            "scopes": {"read": "Read."},
        },
        "password": {
            "type": "oauth2",
            "flow": "password",
            "tokenUrl": "https://library.example/token",
            "scopes": {},
        },
    },
}
"""Every construct of Swagger 2.0 that OpenAPI 3.0 can say."""

_LOAN: Final = {"$ref": "#/components/schemas/Loan"}
_MISSING: Final = {
    "type": "object",
    "required": ["title"],
    "properties": {"title": {"type": "string"}},
}
_BINARY: Final = {"type": "string", "format": "binary"}

LIBRARY_3: Final[Document] = {
    "openapi": "3.0.4",
    "info": {"title": "Library", "version": "1", "x-team": "loans"},
    "x-root": {"kept": True},
    "tags": [{"name": "loans", "description": "What is lent."}],
    "externalDocs": {"url": "https://library.example/docs"},
    "security": [{"key": []}],
    "paths": {
        "x-paths": 1,
        "/loans/{id}": {
            "x-item": 1,
            "parameters": [
                {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
                {"$ref": "#/components/parameters/Trace"},
            ],
            "get": {
                "operationId": "getLoan",
                "tags": ["loans"],
                "parameters": [
                    {
                        "name": "fields",
                        "in": "query",
                        "explode": False,
                        "schema": {"type": "array", "items": {"type": "string"}},
                    },
                    {
                        "name": "states",
                        "in": "query",
                        "explode": True,
                        "schema": {
                            "type": "array",
                            "maxItems": 3,
                            "items": {"type": "string", "enum": ["open", "closed"]},
                        },
                    },
                    {"$ref": "#/components/parameters/Page"},
                ],
                "responses": {
                    "200": {
                        "description": "A loan.",
                        "headers": {
                            "X-Rate": {
                                "description": "Left.",
                                "schema": {"type": "integer", "minimum": 0},
                            },
                            "X-Tags": {"schema": {"type": "array", "items": {"type": "string"}}},
                        },
                        "content": {
                            JSON: {"schema": _LOAN, "example": {"id": "1"}},
                            XML: {"schema": _LOAN},
                        },
                    },
                    "404": {"$ref": "#/components/responses/Missing"},
                    "default": {"description": "Another problem."},
                    "x-responses": 1,
                },
                "x-operation": {"a": [1]},
            },
            "put": {
                "operationId": "putLoan",
                "deprecated": True,
                "servers": [{"url": "https://library.example/v1"}],
                "requestBody": {
                    "description": "The loan.",
                    "required": True,
                    "content": {JSON: {"schema": _LOAN}, XML: {"schema": _LOAN}},
                },
                "responses": {
                    "200": {"description": "Put.", "content": {JSON: {"schema": _LOAN}}},
                    "404": {
                        "description": "There is none.",
                        "content": {JSON: {"schema": _MISSING}},
                    },
                },
                "security": [{"basic": []}, {"oauth": ["write"]}],
            },
            "patch": {
                "operationId": "patchLoan",
                "requestBody": {"$ref": "#/components/requestBodies/LoanBody"},
                "responses": {"204": {"description": "Patched."}},
            },
        },
        "/covers": {
            "post": {
                "operationId": "addCover",
                "requestBody": {
                    "required": True,
                    "content": {
                        MULTIPART: {
                            "schema": {
                                "type": "object",
                                "required": ["cover", "size"],
                                "properties": {
                                    "cover": _BINARY,
                                    "title": {"type": "string", "description": "Its."},
                                    "kinds": {"type": "array", "items": {"type": "string"}},
                                    "size": {"type": "integer"},
                                },
                            },
                            "encoding": {"kinds": {"style": "form", "explode": False}},
                        }
                    },
                },
                "responses": {
                    "201": {
                        "description": "Added.",
                        "content": {JSON: {"schema": _BINARY}, XML: {"schema": _BINARY}},
                    },
                },
            },
            "get": {
                "operationId": "findCovers",
                "parameters": [
                    {
                        "name": "sizes",
                        "in": "query",
                        "style": "spaceDelimited",
                        "explode": False,
                        "schema": {
                            "type": "array",
                            "items": {"type": "integer", "format": "int32"},
                        },
                    },
                    {
                        "name": "kinds",
                        "in": "query",
                        "style": "pipeDelimited",
                        "explode": False,
                        "schema": {"type": "array", "items": {"type": "string"}},
                    },
                    {
                        "name": "empty",
                        "in": "query",
                        "allowEmptyValue": True,
                        "schema": {"type": "boolean"},
                    },
                    {
                        "name": "X-Ids",
                        "in": "header",
                        "schema": {"type": "array", "items": {"type": "string"}},
                    },
                ],
                "responses": {
                    "200": {
                        "description": "Covers.",
                        "content": {
                            name: {
                                "schema": {
                                    "type": "array",
                                    "items": {"$ref": "#/components/schemas/Cover"},
                                }
                            }
                            for name in (JSON, XML)
                        },
                    }
                },
            },
            "put": {
                "operationId": "rateCover",
                "requestBody": {
                    "content": {
                        URLENCODED: {
                            "schema": {
                                "type": "object",
                                "properties": {
                                    "stars": {"type": "integer", "maximum": 5},
                                    "words": {"type": "array", "items": {"type": "string"}},
                                },
                            },
                            "encoding": {"words": {"style": "pipeDelimited", "explode": False}},
                        }
                    },
                },
                "responses": {"204": {"description": "Rated."}},
            },
        },
    },
    "servers": [{"url": "https://library.example/v1"}, {"url": "http://library.example/v1"}],
    "components": {
        "schemas": {
            "Loan": {
                "type": "object",
                "discriminator": {"propertyName": "kind"},
                "required": ["id", "kind"],
                "properties": {
                    "id": {"type": "string", "readOnly": True},
                    "kind": {"type": "string"},
                    "due": {"type": "string", "format": "date", "nullable": True},
                    "covers": {"type": "array", "items": {"$ref": "#/components/schemas/Cover"}},
                    "owner": {"$ref": "#/components/schemas/Person/properties/name"},
                    "rest": {"type": "object", "additionalProperties": {"type": "string"}},
                },
                "x-loan": "kept",
            },
            "ShortLoan": {
                "allOf": [
                    _LOAN,
                    {"type": "object", "properties": {"hours": {"type": "integer", "minimum": 0}}},
                ]
            },
            "Cover": {
                "type": "object",
                "properties": {
                    "url": {"type": "string", "xml": {"attribute": True}},
                    "size": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
                },
                "example": {"url": "a", "size": 1},
            },
            "Person": {
                "type": "object",
                "properties": {"name": {"type": "string", "maxLength": 40}},
            },
        },
        "responses": {
            "Missing": {
                "description": "There is none.",
                "content": {JSON: {"schema": _MISSING}, XML: {"schema": _MISSING}},
            }
        },
        "requestBodies": {
            "LoanBody": {
                "description": "The loan.",
                "required": True,
                "content": {JSON: {"schema": _LOAN}},
            }
        },
        "parameters": {
            "Trace": {
                "name": "X-Trace",
                "in": "header",
                "schema": {"type": "string", "format": "uuid"},
            },
            "Page": {
                "name": "page",
                "in": "query",
                "description": "Which.",
                "x-page": 1,
                "schema": {
                    "type": "integer",
                    "default": 1,
                    "minimum": 1,
                    "exclusiveMinimum": False,
                },
            },
        },
        "securitySchemes": {
            "key": {"type": "apiKey", "name": "X-Key", "in": "header"},
            "basic": {"type": "http", "scheme": "basic", "description": "Name and password."},
            "oauth": {
                "type": "oauth2",
                "flows": {
                    "authorizationCode": {
                        "authorizationUrl": "https://library.example/authorize",
                        "tokenUrl": "https://library.example/token",
                        "scopes": {"write": "Write loans."},
                    }
                },
            },
            "service": {
                "type": "oauth2",
                "flows": {
                    "clientCredentials": {
                        "tokenUrl": "https://library.example/token",
                        "scopes": {},
                    }
                },
            },
            "implicit": {
                "type": "oauth2",
                "flows": {
                    "implicit": {
                        "authorizationUrl": "https://library.example/authorize",
                        "scopes": {"read": "Read."},
                    }
                },
            },
            "password": {
                "type": "oauth2",
                "flows": {"password": {"tokenUrl": "https://library.example/token", "scopes": {}}},
            },
        },
    },
}
"""`LIBRARY` as a person writes it in OpenAPI 3.0."""
