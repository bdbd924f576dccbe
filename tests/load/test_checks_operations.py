"""Paths, parameters, operations, security, servers and the version header."""

from __future__ import annotations

import pytest
from support.checked import check_fragment
from support.tables import cases


@cases(
    ("text", "said"),
    [
        pytest.param(
            """
paths:
  loans: {}
  "/x'+code+'": {}
  "/a\\nb": {}
  /a{: {}
  "/a}": {}
  /a/{}: {}
  /a//b: {}
  /a/../b: {}
  /a/.: {}
  /straße: {}
  /a?b=c: {}
  /a#b: {}
  /a%2e: {}
  /a b: {}
  "": {}
""",
            [
                "2:3: path-grammar: 'loans' is not a path; write segments of letters, digits, "
                "hyphens and {parameters}, each after a `/`",
                "3:3: path-grammar: \"/x'+code+'\" is not a path; write segments of letters, "
                "digits, hyphens and {parameters}, each after a `/`",
                "4:3: path-grammar: '/a\\nb' is not a path; write segments of letters, digits, "
                "hyphens and {parameters}, each after a `/`",
                "5:3: path-grammar: '/a{' is not a path; write segments of letters, digits, "
                "hyphens and {parameters}, each after a `/`",
                "6:3: path-grammar: '/a}' is not a path; write segments of letters, digits, "
                "hyphens and {parameters}, each after a `/`",
                "7:3: path-grammar: '/a/{}' is not a path; write segments of letters, digits, "
                "hyphens and {parameters}, each after a `/`",
                "8:3: path-grammar: '/a//b' is not a path; write segments of letters, digits, "
                "hyphens and {parameters}, each after a `/`",
                "9:3: path-grammar: '/a/../b' is not a path; write segments of letters, digits, "
                "hyphens and {parameters}, each after a `/`",
                "10:3: path-grammar: '/a/.' is not a path; write segments of letters, digits, "
                "hyphens and {parameters}, each after a `/`",
                "11:3: path-grammar: '/straße' is not a path; write segments of letters, "
                "digits, hyphens and {parameters}, each after a `/`",
                "12:3: path-grammar: '/a?b=c' is not a path; write segments of letters, digits, "
                "hyphens and {parameters}, each after a `/`",
                "13:3: path-grammar: '/a#b' is not a path; write segments of letters, digits, "
                "hyphens and {parameters}, each after a `/`",
                "14:3: path-grammar: '/a%2e' is not a path; write segments of letters, digits, "
                "hyphens and {parameters}, each after a `/`",
                "15:3: path-grammar: '/a b' is not a path; write segments of letters, digits, "
                "hyphens and {parameters}, each after a `/`",
                "16:3: path-grammar: '' is not a path; write segments of letters, digits, "
                "hyphens and {parameters}, each after a `/`",
            ],
            id="unsupported by routers",
        ),
        pytest.param(
            """
paths:
  /loans/{id}{copy}: {}
  /loans/{id}.{copy}: {}
  /loans/x{id}{copy}y/{no}: {}
""",
            [
                "2:3: path-grammar: nothing separates {id} from {copy}; write a text between",
                "4:3: path-grammar: nothing separates {id} from {copy}; write a text between",
            ],
            id="adjacent parameters",
        ),
        pytest.param(
            """
paths:
  /: {}
  /loans/: {}
  /v1.0/loans:return: {}
  /.well-known/a_b~c: {}
  x-note: nothing
""",
            [],
            id="supported by routers",
        ),
        pytest.param(
            """
paths:
  /loans/{id}: {}
  /loans/{loan}: {}
  /loans/{id}/books: {}
""",
            [
                "3:3: path-twice: '/loans/{loan}' is the path '/loans/{id}' with other "
                "names; put their operations together"
            ],
            id="equal except for names",
        ),
    ],
)
def test_paths_follow_their_grammar(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            """
paths:
  /loans/{id}/{part}:
    parameters: [{ name: part, in: path, required: true, schema: {} }]
    get: { operationId: getLoan, parameters: [{ name: di, in: path, required: true,
        schema: {} }], responses: { '200': { description: a } } }
""",
            [
                "4:5: path-parameter-undeclared: {id} of the path is not a parameter of this "
                "operation; declare it with `in: path`",
                "4:47: path-parameter-unknown: the path '/loans/{id}/{part}' has no {di}; "
                "known: id, part",
            ],
            id="undeclared",
        ),
        pytest.param(
            """
paths:
  /loans/{id}:
    get: { operationId: getLoan, parameters: [{ name: id, in: query, schema: {} }],
        responses: { '200': { description: a } } }
""",
            [
                "3:5: path-parameter-undeclared: {id} of the path is not a parameter of this "
                "operation; declare it with `in: path`"
            ],
            id="in another place",
        ),
        pytest.param(
            """
paths:
  /loans:
    parameters: [{ name: id, in: path, required: true, schema: {} }]
    get: { operationId: getLoan, responses: { '200': { description: a } } }
""",
            ["3:18: path-parameter-unknown: the path '/loans' has no {id}"],
            id="of the path item, but not in the path",
        ),
        pytest.param(
            """
components: { parameters: { Id: { name: id, in: path, required: true, schema: {} } } }
paths:
  /loans/{id}:
    get: { operationId: getLoan, parameters: [{ $ref: '#/components/parameters/Id' }],
        responses: { '200': { description: a } } }
""",
            [],
            id="by reference",
        ),
        pytest.param(
            """
components:
  parameters:
    A: { name: id, in: path, schema: {} }
    B: { name: id, in: path, required: false, schema: {} }
""",
            [
                "3:5: path-parameter-optional: a path parameter is always there; write "
                "`required: true`",
                "4:5: path-parameter-optional: a path parameter is always there; write "
                "`required: true`",
            ],
            id="optional",
        ),
        pytest.param(
            """
paths:
  /loans/{id}/books/{id}:
    get: { operationId: getLoan, parameters: [{ name: id, in: path, required: true,
        schema: {} }], responses: { '200': { description: a } } }
""",
            ["2:3: path-parameter-twice: {id} is in the path twice; give each place its own name"],
            id="twice in the path",
        ),
    ],
)
def test_path_parameters_match_the_path(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "components: { parameters: { A: { name: a, in: body, schema: {} }, B: { name: "
            "a, in: heder, schema: {} } } }",
            [
                "1:47: parameter-location: 'body' is no place of a parameter; known: path, "
                "query, header, cookie",
                "1:85: parameter-location: 'heder' is no place of a parameter; did you mean "
                "'header'?",
            ],
            id="without a place",
        ),
        pytest.param(
            """
paths:
  /loans:
    get:
      operationId: listLoans
      parameters:
        - { name: page, in: query, schema: {} }
        - { name: page, in: query, schema: {} }
        - { name: page, in: cookie, schema: {} }
        - { name: X-Trace, in: header, schema: {} }
        - { name: x-trace, in: header, schema: {} }
        - { name: Page, in: query, schema: {} }
      responses: { '200': { description: a } }
""",
            [
                "7:11: parameter-twice: there is a query parameter 'page' in the list "
                "already; leave one out",
                "10:11: parameter-twice: there is a header parameter 'X-Trace' in the list "
                "already; leave one out",
            ],
            id="twice",
        ),
        pytest.param(
            """
paths:
  /loans:
    parameters: [{ name: page, in: query, schema: {} }]
    get:
      operationId: listLoans
      parameters: [{ name: page, in: query, schema: { type: integer } }]
      responses: { '200': { description: a } }
""",
            [],
            id="overridden by the operation",
        ),
        pytest.param(
            "components: { parameters: { A: { name: a, in: query, style: simple, schema: "
            "{} }, B: { name: b, in: query, style: deepObject, schema: {} } } }",
            [
                "1:61: parameter-style: 'simple' is not a style of a query parameter; known: "
                "form, spaceDelimited, pipeDelimited, deepObject"
            ],
            id="in a style for another place",
        ),
        pytest.param(
            """
components:
  parameters:
    A: { name: a, in: query }
    B: { name: b, in: query, schema: {}, content: { application/json: {} } }
    C: { name: c, in: query, content: {} }
    D: { name: d, in: query, content: { application/json: {} } }
  headers:
    E: { description: nothing }
""",
            [
                "3:5: missing-key: a parameter needs `schema` or `content`; write one of them",
                "4:42: parameter-content: `schema` and `content` both describe the value; leave "
                "one out",
                "5:30: parameter-content: `content` of a parameter has exactly one media "
                "type; write one",
                "8:5: missing-key: a header needs `schema` or `content`; write one of them",
            ],
            id="with two schemas or none",
        ),
    ],
)
def test_parameters_declare_place_and_style(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "paths: { /a: { get: { operationId: getA, responses: {} } } }",
            ["1:42: no-response: no response is listed; list what callers can get"],
            id="no response",
        ),
        pytest.param(
            """
tags: [{ name: Loans }]
paths:
  /a: { get: { operationId: getA, tags: [Loans, Lones, Loans, Books],
      responses: { '200': { description: a } } } }
""",
            [
                "3:49: undeclared-tag: 'Lones' is not among the `tags` of the document; did "
                "you mean 'Loans'?",
                "3:56: item-twice: 'Loans' is in the list already; leave one out",
                "3:63: undeclared-tag: 'Books' is not among the `tags` of the document; "
                "known: Loans",
            ],
            id="tags",
        ),
        pytest.param(
            "paths: { /a: { get: { operationId: getA, tags: [Loans], responses: { '200': { "
            "description: a } } } } }",
            [
                "1:49: undeclared-tag: 'Loans' is not among the `tags` of the document; "
                "declare it there"
            ],
            id="tags without any declared",
        ),
        pytest.param(
            "paths: { /a: { get: { operationId: getA, requestBody: { content: { "
            "application/json: {} } }, responses: { '200': { description: a } } } } }",
            [],
            id="a body on a GET is accepted",
        ),
    ],
)
def test_operations_declare_their_responses(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            """
security: [{ Kee: [] }]
paths:
  /a: { get: { operationId: getA, security: [{}, { Key: [], Token: [] }],
      responses: { '200': { description: a } } } }
components: { securitySchemes: { Key: { type: apiKey, name: X-API-Key, in: header } } }
""",
            [
                "1:14: undefined-security-scheme: there is no security scheme 'Kee'; did you "
                "mean 'Key'?",
                "3:61: undefined-security-scheme: there is no security scheme 'Token'; known: Key",
            ],
            id="undefined",
        ),
        pytest.param(
            """
security: [{ Key: read }]
components: { securitySchemes: { Key: { type: apiKey, name: X-API-Key, in: header } } }
""",
            ["1:19: wrong-type: 'read' where a list of scopes belongs; write []"],
            id="scopes that are no list",
        ),
        pytest.param(
            """
components:
  securitySchemes:
    A: { type: apikey }
    B: { type: apiKey }
    C: { type: http }
    D: { type: oauth2 }
    E: { type: openIdConnect }
    F: { type: mutualTLS }
    G: { type: apiKey, name: X-API-Key, in: body }
    H: { type: oauth2, flows: { implicit: { scopes: {} },
        authorizationCode: { scopes: {}, tokenUrl: /token } } }
""",
            [
                "3:16: security-type: 'apikey' is no type of a security scheme; did you mean "
                "'apiKey'?",
                "4:5: missing-key: a security scheme of type 'apiKey' needs `in`; write it",
                "4:5: missing-key: a security scheme of type 'apiKey' needs `name`; write it",
                "5:5: missing-key: a security scheme of type 'http' needs `scheme`; write it",
                "6:5: missing-key: a security scheme of type 'oauth2' needs `flows`; write it",
                "7:5: missing-key: a security scheme of type 'openIdConnect' needs "
                "`openIdConnectUrl`; write it",
                "9:45: parameter-location: 'body' is no place of a key; known: query, "
                "header, cookie",
                "10:33: missing-key: the flow 'implicit' needs `authorizationUrl`; write it",
                "11:9: missing-key: the flow 'authorizationCode' needs `authorizationUrl`; "
                "write it",
            ],
            id="of a type",
        ),
    ],
)
def test_security_schemes_are_defined(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            """
servers:
  - url: javascript:alert(1)
  - url: ftp://x.example
  - url: "https://x.example/a\\nb"
  - url: https://x.example/a"b
  - url: https://x.example/?a=b
  - url: ''
""",
            [
                "2:10: server-url: 'javascript:alert(1)' is not an address to serve from; "
                "write http://..., https://... or a path from /, without a query or a "
                "fragment",
                "3:10: server-url: 'ftp://x.example' is not an address to serve from; write "
                "http://..., https://... or a path from /, without a query or a fragment",
                "4:10: server-url: 'https://x.example/a\\nb' is not an address to serve "
                "from; write http://..., https://... or a path from /, without a query or a "
                "fragment",
                "5:10: server-url: 'https://x.example/a\"b' is not an address to serve "
                "from; write http://..., https://... or a path from /, without a query or a "
                "fragment",
                "6:10: server-url: 'https://x.example/?a=b' is not an address to serve from; "
                "write http://..., https://... or a path from /, without a query or a "
                "fragment",
                "7:10: server-url: '' is not an address to serve from; write http://..., "
                "https://... or a path from /, without a query or a fragment",
            ],
            id="without an address",
        ),
        pytest.param(
            """
servers:
  - url: https://x.example
  - url: http://localhost:8000/api
  - url: /api
  - url: '{scheme}://{name}.x.example'
    variables: { scheme: { default: https, enum: [https] }, name: { default: a } }
""",
            [],
            id="addresses",
        ),
        pytest.param(
            """
servers:
  - url: 'https://{name}.x.example/{base}'
    variables: { nmae: { default: a }, base: { default: v3, enum: [v1, v2] } }
""",
            [
                "2:10: server-variable-missing: {name} is not among the server's variables; "
                "did you mean 'nmae'?",
                "3:57: server-variable-default: 'v3' is not in the variable's `enum`; known: "
                "v1, v2",
            ],
            id="variables",
        ),
    ],
)
def test_servers_have_addresses(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            """
tags: [{ name: Loans }, { name: Prices }]
paths:
  /loans:
    get: { operationId: listLoans, tags: [Loans],
        parameters: [{ $ref: '#/components/parameters/Version' }],
            responses: { '200': { description: a } } }
    post: { operationId: addLoan, tags: [Loans], responses: { '200': { description: a } } }
components:
  parameters:
    Version: { name: X-API-Version, in: header, schema: { type: string } }
""",
            [
                "7:5: version-header-missing: this operation does not declare the header "
                "X-API-Version; add the parameter"
            ],
            id="required on versioned operations",
        ),
        pytest.param(
            """
tags: [{ name: Loans }, { name: Prices }]
paths:
  /loans:
    parameters: [{ name: x-api-version, in: header, schema: { type: string } }]
    get: { operationId: listLoans, tags: [Loans], responses: { '200': { description: a } } }
  /prices:
    get: { operationId: listPrices, tags: [Prices],
        parameters: [{ $ref: '#/components/parameters/Version' }],
            responses: { '200': { description: a } } }
    put: { operationId: putPrices, tags: [Prices],
        responses: { '200': { description: a } } }
components:
  parameters:
    Version: { name: X-API-Version, in: header, schema: { type: string } }
""",
            [
                "8:22: version-header-ignored: operations under 'Prices' ignore "
                "X-API-Version; leave it out here"
            ],
            id="refused on operations that ignore it",
        ),
        pytest.param(
            """
tags: [{ name: Loans }, { name: Prices }]
paths:
  /loans:
    get: { operationId: listLoans, tags: [Loans],
        parameters: [{ $ref: '#/components/parameters/Version' }],
            responses: { '200': { description: a } } }
  /spec:
    servers: [{ url: / }]
    get: { operationId: getSpec, tags: [Loans], responses: { '200': { description: a } } }
  /spec/versions:
    get: { operationId: getVersions, tags: [Loans], servers: [{ url: / }],
        responses: { '200': { description: a } } }
components:
  parameters:
    Version: { name: X-API-Version, in: header, schema: { type: string } }
""",
            [],
            id="other headers are ignored",
        ),
        pytest.param(
            """
tags: [{ name: Loans }, { name: Prices }]
paths:
  /loans:
    get: { operationId: listLoans, tags: [Loans], responses: { '200': { description: a } } }
components:
  parameters:
    Version: { name: X-API-Version, in: header, schema: { type: string } }
""",
            [],
            id="not needed without operations",
        ),
    ],
)
def test_operations_declare_the_version_header(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "components: { parameters: { Version: { name: X-API-Version, in: header, "
            "schema: { type: string } } } }",
            [
                "1:81: version-header-default: the version table's `annotation` is "
                "2025-06-01; write `default: 2025-06-01`"
            ],
            id="none",
        ),
        pytest.param(
            "components: { parameters: { Version: { name: X-API-Version, in: header, "
            "schema: { type: string, default: 2024-01-15 } } } }",
            [
                "1:106: version-header-default: '2024-01-15' is not 2025-06-01, the version "
                "table's `annotation`"
            ],
            id="another",
        ),
        pytest.param(
            "components: { parameters: { Version: { name: X-API-Version, in: header, "
            "schema: { type: string, default: 2025-06-01 } } } }",
            [],
            id="the same",
        ),
        pytest.param(
            "components: { parameters: { Version: { name: X-API-Version, in: header, "
            "required: true, schema: { type: string, default: 2025-06-01 } } } }",
            [
                "1:73: version-header-required: X-API-Version is never required: 2024-01-15 "
                "is served without it"
            ],
            id="required",
        ),
        pytest.param(
            "components: { parameters: { Version: { name: X-Version, in: header, schema: { "
            "type: string } } } }",
            [],
            id="of another header",
        ),
    ],
)
def test_version_header_has_the_default_of_the_table(text: str, said: list[str]) -> None:
    assert check_fragment(text, annotation="2025-06-01") == said


@cases(
    ("text", "said"),
    [
        pytest.param(
            "components: { parameters: { Version: { name: X-API-Version, in: header, "
            "schema: { type: string, default: 2024-01-15 } } } }",
            [
                "1:106: version-header-default: a default of '2024-01-15', but the version "
                "table has no `annotation`; write it there, or leave it out here"
            ],
            id="one",
        )
    ],
)
def test_version_header_has_no_default_unless_the_table_has_one(text: str, said: list[str]) -> None:
    assert check_fragment(text) == said
