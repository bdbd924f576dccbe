"""Definitions whose texts would act on a page that does not escape them."""

from __future__ import annotations

import json
from typing import Final

EVIL: Final = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "[a](javascript:alert(1)) ![b](https://elsewhere.example/b.png) <https://elsewhere.example>",
    "</code></pre><iframe src=https://elsewhere.example></iframe>",
    "# Head\n\n<style>*{display:none}</style>\n\n| a |\n|---|\n| <b onclick=x> |",
    "[*r*](#gone) [s](/gone 'w') [t][u] [v](<gone.html>) [x](//gone)\n\n[u]: ../gone\n",
)

HOSTILE: Final = {
    "versions.yaml": f"""\
header: X-API-Version
default: 2024-01-15
versions:
  - {{ date: 2024-01-15, title: {json.dumps(EVIL[0])} }}
  - {{ date: 2025-06-01, title: {json.dumps(EVIL[1])} }}
environments:
  production: {{ servers: [{{ url: 'https://api.example' }}] }}
site: true
lint: adopted
""",
    "api.yaml": json.dumps(
        {
            "openapi": "3.1.0",
            "info": {"title": EVIL[0], "version": "canonical", "description": EVIL[4]},
            "tags": [{"name": EVIL[1], "description": EVIL[2]}],
            "paths": {
                "/gone": {
                    "x-removed": "2025-06-01",
                    "get": {"responses": {"200": {"description": EVIL[5]}}},
                },
                "/a": {
                    "get": {
                        "summary": EVIL[3],
                        "description": EVIL[4],
                        "tags": [EVIL[1]],
                        "parameters": [
                            {"name": EVIL[1], "in": "query", "schema": {"enum": [*EVIL]}}
                        ],
                        "responses": {
                            "200": {
                                "description": EVIL[2],
                                "headers": {"X-A": {"schema": {"type": "string"}}},
                                "content": {
                                    "application/json": {
                                        "schema": {"$ref": "#/components/schemas/A"},
                                        "example": {"a": EVIL[3]},
                                    }
                                },
                            },
                            "410": {
                                "x-removed": "2025-06-01",
                                "description": "removed with its schema",
                                "content": {
                                    "application/json": {
                                        "schema": {"$ref": "#/components/schemas/Gone"}
                                    }
                                },
                            },
                        },
                    }
                },
            },
            "webhooks": {
                EVIL[1]: {
                    "post": {
                        "summary": EVIL[0],
                        "requestBody": {
                            "description": EVIL[2],
                            "content": {
                                "application/json": {"schema": {"$ref": "#/components/schemas/A"}}
                            },
                        },
                        "responses": {"204": {"description": EVIL[4]}},
                    }
                }
            },
            "components": {
                "schemas": {
                    "Gone": {"x-removed": "2025-06-01", "type": "object", "properties": {"d": {}}},
                    "A": {
                        "type": "object",
                        "description": EVIL[5],
                        "properties": {
                            "gone": {
                                "x-removed": "2025-06-01",
                                "type": "object",
                                "description": EVIL[2],
                                "properties": {
                                    "a": {"type": "object", "properties": {"b": {}}},
                                    "c": {"$ref": "#/components/schemas/Gone"},
                                },
                            },
                            EVIL[0]: {"type": "string", "pattern": ".|<b>|`", "default": EVIL[1]},
                            "b": {
                                "type": "string",
                                "x-added": "2025-06-01",
                                "x-why": EVIL[1],
                            },
                        },
                    },
                }
            },
        }
    ),
}
