"""Lists, objects and JSON in parameters reach handlers, and applications of the newest version."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl, quote, unquote

import httpx
import pytest
import yaml
from pydantic_core import to_jsonable_python
from support.generated_server import Generated, ask
from support.sources import API, loaded
from support.tables import cases
from support.thing_sources import ADOPTED

from dateline.sample.notations import write_parameter

OLD, NEW = "2024-01-15", "2025-06-01"

DONE = "responses: { '204': { description: done } }"

THINGS = f"""
paths:
  /things:
    get:
      operationId: list_things
      tags: [Loans]
      {DONE}
      parameters:
        - {{ name: where, in: query, schema: {{ $ref: '#/components/schemas/Where' }} }}
        - name: kind
          in: query
          schema:
            type: object
            oneOf:
              - {{ required: [of], properties: {{ of: {{ type: integer }} }} }}
              - {{ required: [like], properties: {{ like: {{ type: string }} }} }}
        - name: box
          in: query
          explode: false
          schema: &box {{ $ref: '#/components/schemas/Box' }}
        - {{ name: pair, in: query, explode: false, style: pipeDelimited, schema: *box }}
        - name: ids
          in: query
          style: pipeDelimited
          explode: false
          schema: &numbers {{ type: array, items: {{ type: integer }} }}
        - name: words
          in: query
          style: spaceDelimited
          explode: false
          schema: {{ type: array, items: {{ type: string }} }}
        - {{ name: many, in: query, style: spaceDelimited, explode: true, schema: *numbers }}
        - name: either
          in: query
          explode: false
          schema:
            anyOf: [{{ type: integer }}, *box, {{ type: array, items: {{ type: boolean }} }}]
        - name: search
          in: query
          content: &search
            application/json: {{ schema: {{ $ref: '#/components/schemas/Search' }} }}
        - {{ name: X-Box, in: header, explode: true, schema: *box }}
        - name: X-Json
          in: header
          content: &list {{ application/json: {{ schema: *numbers }} }}
        - name: X-Either
          in: header
          schema: {{ type: [array, integer], items: {{ type: string }} }}
        - name: crumb
          in: cookie
          content: {{ application/json: {{ schema: {{ type: [integer, array] }} }} }}
        - name: day
          in: cookie
          schema: {{ type: string }}
          x-was: {{ '{NEW}': {{ name: at }} }}
        - name: plain
          in: cookie
          style: cookie
          schema: {{ type: string }}
          x-was: {{ '{NEW}': {{ name: simple }} }}
        - {{ name: flag, in: query, allowEmptyValue: true, schema: {{ type: boolean }} }}
        - {{ name: flags, in: query, allowEmptyValue: true, schema: *numbers }}
        - name: blank
          in: query
          allowEmptyValue: true
          schema: {{ type: string, maxLength: 1 }}
  /needed:
    get:
      operationId: list_needed
      tags: [Loans]
      {DONE}
      parameters:
        - name: page
          in: query
          required: true
          schema: {{ type: object, properties: {{ size: {{ type: integer, default: 20 }} }} }}
        - {{ name: sort, in: query, schema: {{ type: string }} }}
  /open:
    get:
      operationId: list_open
      tags: [Loans]
      {DONE}
      parameters:
        - name: fields
          in: query
          schema: {{ type: object, additionalProperties: {{ type: integer }} }}
        - {{ name: sort, in: query, schema: {{ type: string }} }}
        - {{ name: by, in: query, style: deepObject, schema: {{ type: object }} }}
  /turned:
    get:
      operationId: list_turned
      tags: [Loans]
      {DONE}
      parameters:
        - name: ids
          in: query
          explode: false
          schema: *numbers
          x-was: {{ '{NEW}': {{ explode: true }} }}
        - name: one
          in: query
          style: pipeDelimited
          explode: false
          schema: *numbers
          x-was: {{ '{NEW}': {{ name: two }} }}
        - {{ name: two, in: query, schema: *numbers, x-was: {{ '{NEW}': {{ name: one }} }} }}
  /unlike/{{dots}}:
    get:
      operationId: list_unlike
      tags: [Loans]
      {DONE}
      parameters:
        - name: dots
          in: path
          required: true
          style: label
          explode: true
          schema: &texts {{ type: array, items: {{ type: string }} }}
          x-was: {{ '{NEW}': {{ style: simple, explode: false }} }}
        - name: by
          in: query
          schema: &open {{ type: object, additionalProperties: {{ type: string }} }}
          x-was: {{ '{NEW}': {{ style: deepObject }} }}
        - name: of
          in: query
          explode: false
          schema: *open
          x-was: {{ '{NEW}': {{ style: deepObject, explode: true }} }}
        - name: words
          in: query
          explode: false
          schema: *texts
          x-was: {{ '{NEW}': {{ explode: true }} }}
        - {{ name: later, in: query, schema: {{ type: string }}, x-added: '{NEW}' }}
        - name: plain
          in: cookie
          style: cookie
          schema: {{ type: string }}
          x-was: {{ '{NEW}': {{ style: form }} }}
        - {{ name: secret, in: cookie, schema: {{ type: string }}, x-added: '{NEW}' }}
  /at/{{point}}/{{list}}:
    get:
      operationId: list_at
      tags: [Loans]
      {DONE}
      parameters:
        - {{ name: point, in: path, required: true, schema: *box }}
        - {{ name: list, in: path, required: true, content: *list }}
  /whole:
    get:
      operationId: list_whole
      tags: [Loans]
      {DONE}
      parameters:
        - name: all
          in: querystring
          content:
            application/x-www-form-urlencoded:
              schema: {{ $ref: '#/components/schemas/Where' }}
  /whole-json:
    get:
      operationId: list_whole_json
      tags: [Loans]
      {DONE}
      parameters:
        - {{ name: all, in: querystring, required: true, content: *search }}
components:
  schemas:
    Where:
      type: object
      properties:
        since: {{ type: string, format: date }}
        rate: {{ type: number, x-was: {{ '2025-06-01': {{ name: share }} }} }}
        tags: {{ type: array, items: {{ type: string }} }}
        open: {{ type: boolean }}
        later: {{ type: integer, x-added: '2025-06-01' }}
    Box:
      type: object
      additionalProperties: false
      properties: {{ a: {{ type: integer }}, b: {{ type: string }} }}
    Search:
      type: object
      additionalProperties: false
      properties:
        text: {{ type: string, x-was: {{ '2025-06-01': {{ name: term }} }} }}
        deep: {{ $ref: '#/components/schemas/Search' }}
"""


# Everything that paths, headers and cookies may have, in each style, exploded or not.
STYLES = {
    f"/{place}-{style}-{number}": (place, style, bool(number))
    for place, style in (
        *(("path", "simple"), ("path", "label"), ("path", "matrix")),
        *(("header", "simple"), ("cookie", "form"), ("cookie", "cookie")),
    )
    for number in (0, 1)
}

KINDS: dict[str, Any] = {
    "one": {"type": "number"},
    "list": {"type": "array", "items": {"type": "string"}},
    "object": {"$ref": "#/components/schemas/Point"},
    "either": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "boolean"}}]},
}

POINT = """
type: object
properties:
  x: { type: number, x-was: { '2025-06-01': { name: left } } }
  y: { type: string }
"""


def describe_styles() -> dict[str, Any]:
    """Return the paths of operations with the `STYLES`: a parameter for each of the `KINDS`."""
    paths = {}
    for path, (place, style, explode) in STYLES.items():
        said = {"in": place, "style": style, "explode": explode, "required": True}
        parameters = [{"name": name, **said, "schema": each} for name, each in KINDS.items()]
        if place == "header":
            parameters += [
                {
                    **each,
                    "name": f"new-{each['name']}",
                    "x-was": {NEW: {"name": f"old-{each['name']}"}},
                }
                for each in parameters
            ]
        place_of = "".join(f"/{{{name}}}" for name in KINDS) if place == "path" else ""
        paths[path + place_of] = {
            "get": {
                "operationId": f"get_{path[1:].replace('-', '_')}",
                "tags": ["Loans"],
                "responses": {"204": {"description": "done"}},
                "parameters": parameters,
            }
        }
    return paths


class Handlers:
    """Records its arguments."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []

    def __getattr__(self, _: str) -> Any:
        return self.keep

    async def keep(self, _: Any, **arguments: Any) -> None:
        self.calls.append(arguments)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    folder = tmp_path_factory.mktemp("styles")
    # the definitions have no anchors
    things = yaml.safe_load(THINGS)
    things["paths"] |= describe_styles()
    things["components"]["schemas"]["Point"] = yaml.safe_load(POINT)
    text = json.dumps({**yaml.safe_load(API), "openapi": "3.2.0", **things})
    return Generated(folder, loaded(folder, {"versions.yaml": ADOPTED, "api.yaml": text}))


def ask_for(
    package: Generated, url: str, version: str = NEW, headers: dict[str, str] | None = None
) -> tuple[int, Any]:
    """Return the status, and the handler's arguments or else the answer."""
    server = package.module("server")
    handlers = Handlers()
    app = server.create_app(server.Handlers(loans=handlers), environment="production")
    answer = ask(app, "GET", f"/api{url}", headers={"X-API-Version": version, **(headers or {})})
    if not handlers.calls:
        return answer.status_code, answer.json()["detail"]
    plain = to_jsonable_python(handlers.calls[0], by_alias=True)
    return answer.status_code, {name: value for name, value in plain.items() if value is not None}


TERM, BLANK, AND = (quote(f'{{"term": "{text}"}}', safe="") for text in ("x", "x y", "x&y"))
JSON = quote('{"text": "a b", "deep": {"text": "c+d"}}', safe="")
SEARCH = {"text": "a b", "deep": {"text": "c+d"}}

READ: dict[str, tuple[str, dict[str, Any]]] = {
    "nothing": ("/things", {}),
    "fields of an object": (
        "/things?since=2024-02-29&rate=0.5&tags=a&tags=b&open=true",
        {"where": {"since": "2024-02-29", "rate": 0.5, "tags": ["a", "b"], "open": True}},
    ),
    "a list of one in an object": ("/things?tags=a", {"where": {"tags": ["a"]}}),
    "fields of one of several objects": ("/things?like=7", {"kind": {"like": "7"}}),
    "a number in one of several objects": ("/things?of=7", {"kind": {"of": 7}}),
    "names and values in turn": ("/things?box=a,1,b,x", {"box": {"a": 1, "b": "x"}}),
    "names and values between bars": ("/things?pair=a%7C1|b|x", {"pair": {"a": 1, "b": "x"}}),
    "an empty object": ("/things?box=", {"box": {}}),
    "items between bars": ("/things?ids=1|2%7C3", {"ids": [1, 2, 3]}),
    "items between spaces": ("/things?words=a%20b+c", {"words": ["a", "b", "c"]}),
    "items one by one": ("/things?many=1&many=2", {"many": [1, 2]}),
    "one of an integer, an object and a list": ("/things?either=7", {"either": 7}),
    "an object of these": ("/things?either=a,7", {"either": {"a": 7}}),
    "a list of these": ("/things?either=true,false", {"either": [True, False]}),
    "JSON": (f"/things?search={JSON}", {"search": SEARCH}),
    "what may be empty, and is not": (
        "/things?flag=true&flags=1&blank=a",
        {"flag": True, "flags": [1], "blank": "a"},
    ),
    "what is empty": ("/things?flag=&flags=&flags&blank=", {"blank": ""}),
    "what has no value": ("/things?flag&blank", {"blank": ""}),
    "missing required fields": ("/needed?sort=a", {"page": {}, "sort": "a"}),
    "required fields": ("/needed?size=7", {"page": {"size": 7}}),
    "fields of any name": (
        "/open?a=1&b=2&sort=c&by[x]=3",
        {"fields": {"a": 1, "b": 2}, "sort": "c", "by": {"x": "3"}},
    ),
    "an object and JSON in a path": (
        f"/at/a,1,b,x/{quote('[1, 2]')}",
        {"point": {"a": 1, "b": "x"}, "list": [1, 2]},
    ),
    "a whole query": (
        "/whole?open=false&tags=a+b&other=1",
        {"all": {"open": False, "tags": ["a b"]}},
    ),
    "a whole query in JSON": (f"/whole-json?{JSON}", {"all": SEARCH}),
}


@cases(
    "method, value, query",
    [
        ("list_whole", {"tags": ["a b", "c"], "open": True}, "tags=a%20b&tags=c&open=true"),
        ("list_whole", {}, ""),
        ("list_whole", None, ""),
        ("list_whole_json", SEARCH, JSON),
    ],
)
def test_client_writes_a_whole_query(
    package: Generated, method: str, value: dict[str, Any] | None, query: str
) -> None:
    requests: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(204, headers={"X-API-Version": NEW})

    client = package.module(f"v{NEW.replace('-', '_')}").Client(
        transport=httpx.MockTransport(answer)
    )
    getattr(client, method)(all=value)
    assert requests[0].url.query.decode() == query


@cases("name", READ)
def test_parameter_is_parsed_by_its_style(package: Generated, name: str) -> None:
    url, given = READ[name]
    assert ask_for(package, url) == (204, given)


def test_headers_and_cookies_may_be_objects_and_json(package: Generated) -> None:
    headers = {"X-Box": "a=1, b=x", "X-Json": "[1, 2]", "X-Either": "a, b", "Cookie": "crumb=7"}
    assert ask_for(package, "/things", headers=headers) == (
        204,
        {"x_box": {"a": 1, "b": "x"}, "x_json": [1, 2], "x_either": ["a", "b"], "crumb": 7},
    )
    assert ask_for(package, "/things", headers={"X-Either": "7"}) == (204, {"x_either": 7})


@cases(
    ("sent", "day"),
    [
        ("2024-02-29T01:02:03+01:00", "2024-02-29T01:02:03+01:00"),
        ("2024-02-29T01%3A02%3a03%2B01%3A00", "2024-02-29T01:02:03+01:00"),
        ("a%2Cb%3Bc%20%22d%22%25", 'a,b;c "d"%'),
        ("caf%C3%A9", "café"),
        # not percent-encoded UTF-8: as it is
        *((each, each) for each in ("50%", "%zz", "%E9", "a%00", "")),
    ],
)
def test_cookies_are_decoded_unless_their_style_forbids_it(
    package: Generated, sent: str, day: str
) -> None:
    headers = {"Cookie": f"day={sent}; plain={sent}; crumb=%5B7%2C%208%5D"}
    found = {"day": day, "plain": sent, "crumb": [7, 8]}
    assert ask_for(package, "/things", headers=headers) == (204, found)


@cases(
    ("url", "said"),
    [
        ("/things?rate=x", 'the parameter "rate" has to be a number'),
        ("/things?flag=&flag=true", 'the parameter "flag" is given more than once'),
        (
            "/things?flags=&flags=1",
            'the parameter "flags" has to be an integer in plain decimal digits',
        ),
        ("/things?rate=1&rate=2", 'the parameter "rate" is given more than once'),
        (
            "/things?since=2024",
            'the parameter "where" at /since has to be a date (YYYY-MM-DD), not "2024"',
        ),
        ("/things?of=x", 'the parameter "of" has to be an integer in plain decimal digits'),
        (
            "/things?box=a",
            'the parameter "box" has to be names and values in turn, with "," between them',
        ),
        (
            "/things?box=a,x",
            'the parameter "box" has a field "a" that has to be an integer in plain decimal digits',
        ),
        ("/things?box=a,1,a,2", 'the parameter "box" has the field "a" twice'),
        ("/things?box=c,1", 'the parameter "box" has a field that is not known, "c"'),
        ("/things?box=a,1&box=a,2", 'the parameter "box" is given more than once'),
        ("/things?either=x", 'the parameter "either" has to be true or false'),
        (
            "/things?search={",
            'the parameter "search" can\'t be read: it is not JSON: line 1, column 2: '
            "Expecting property name enclosed in double quotes",
        ),
        (
            f"/things?search={TERM}",
            'the parameter "search" has a field that is not known, "term"',
        ),
        ("/open?a=x", 'the parameter "a" has to be an integer in plain decimal digits'),
        (
            "/at/a/1",
            'the parameter "point" has to be names and values in turn, with "," between them',
        ),
        ("/whole-json", 'the querystring parameter "all" is missing'),
        ("/whole-json?%ff", "the query string is not UTF-8"),
        ("/whole-json?[]", 'the parameter "all" has to be an object'),
    ],
)
def test_parameter_is_parsed_strictly(package: Generated, url: str, said: str) -> None:
    assert ask_for(package, url) == (400, said)


OLDER: dict[str, tuple[str, dict[str, Any]]] = {
    "fields": ("/things?share=0.5&later=1", {"where": {"rate": 0.5}}),
    "JSON": (f"/things?search={TERM}", {"search": {"text": "x"}}),
    "a whole query": ("/whole?share=0.5&later=1", {"all": {"rate": 0.5}}),
    "a whole query in JSON": (f"/whole-json?{TERM}", {"all": {"text": "x"}}),
}


@pytest.mark.parametrize("name", OLDER)
def test_values_in_parameters_differ_between_versions(package: Generated, name: str) -> None:
    url, given = OLDER[name]
    assert ask_for(package, url, OLD) == (204, given)


class Recorder:
    """An application of the newest version that records what it is sent."""

    path: str = ""
    query: str = ""
    cookies: str = ""
    headers: dict[str, str]

    async def __call__(self, scope: Any, _: Any, send: Any) -> None:
        named = [(name.decode(), value.decode()) for name, value in scope["headers"]]
        self.headers = {name: value for name, value in named if name.split("-")[-1] in KINDS}
        assert len(self.headers) == len([name for name, _ in named if name in self.headers])
        self.path = scope["raw_path"].decode()
        self.query = scope["query_string"].decode()
        self.cookies = dict(scope["headers"]).get(b"cookie", b"").decode()
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})


AROUND: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "fields": (
        "/things?share=0.5&later=1&tags=a&tags=b&sort=c",
        [("sort", "c"), ("rate", "0.5"), ("tags", "a"), ("tags", "b")],
    ),
    "fields that are the same": ("/things?open=true&later=1", [("open", "true")]),
    "JSON": (f"/things?search={BLANK}", [("search", '{"text":"x y"}')]),
    "values in another style": (
        "/turned?ids=1&ids=2&two=3|4&one=3&one=4",
        [("ids", "1,2"), ("one", "3|4"), ("two", "3"), ("two", "4")],
    ),
    "what each style can write": (
        "/unlike/a?by[a]=1,b&of[b]=2;3&words=c&words=d%26later%3D1",
        [("words", "c,d&later=1"), ("a", "1,b"), ("of", "b,2;3")],
    ),
    "fields that would be other parameters": (
        "/unlike/a?by[later]=1&by[of]=2&by[words]=3&by[a]=4&later=5",
        [("a", "4")],
    ),
    "a whole query": ("/whole?share=0.5&open=true", [("rate", "0.5"), ("open", "true")]),
    "a whole query in JSON": (f"/whole-json?{AND}", [('{"text":"x&y"}', "")]),
}


@pytest.mark.parametrize("name", AROUND)
def test_application_gets_the_parameters_of_the_newest_version(
    package: Generated, name: str
) -> None:
    url, sent = AROUND[name]
    recorder = Recorder()
    app = package.module("server").versioned(recorder, environment="production")
    answer = ask(app, "GET", f"/api{url}", headers={"X-API-Version": OLD})
    assert (answer.status_code, parse_qsl(recorder.query, keep_blank_values=True)) == (204, sent)


@cases(
    ("url", "cookie", "name", "text"),
    [
        ("/a.b", "", "dots", "a.b"),
        ("/a?of[a,1,later]=2", "", "of", "a,1,later"),
        ("/a?of[a]=1,later,2", "", "of", "1,later,2"),
        ("/a?words=a,b&words=c", "", "words", "a,b"),
        ("/a", "a; secret=1", "plain", "a; secret=1"),
        ("/a", "a, secret=1", "plain", "a, secret=1"),
        ("/a", " a", "plain", " a"),
        ("/a", "\u20ac", "plain", "\u20ac"),
        ("/a", "a\r\nX-Secret: 1", "plain", "a\r\nX-Secret: 1"),
    ],
)
def test_text_that_the_newest_style_would_split_is_refused(
    package: Generated, url: str, cookie: str, name: str, text: str
) -> None:
    app = package.module("server").versioned(Recorder(), environment="production")
    headers = {"X-API-Version": OLD, **({"Cookie": f"plain={quote(cookie)}"} if cookie else {})}
    answer = ask(app, "GET", f"/api/unlike{url}", headers=headers)
    detail = f"the parameter {json.dumps(name)} can't be converted with {json.dumps(text)}"
    assert (answer.status_code, answer.json()["detail"]) == (400, detail)


@cases("value", ["2024-02-29T01:02:03+01:00", 'a,b;c "d"%', "café", "50%25", ""])
def test_cookies_of_older_callers_are_encoded_again(package: Generated, value: str) -> None:
    recorder = Recorder()
    app = package.module("server").versioned(recorder, environment="production")
    headers = {"X-API-Version": OLD, "Cookie": f"at={quote(value)}; simple=%25x; other=%20"}
    assert ask(app, "GET", "/api/things", headers=headers).status_code == 204
    other, day, plain = recorder.cookies.split("; ")
    assert (other, plain) == ("other=%20", "plain=%25x")
    assert ask_for(package, "/things", headers={"Cookie": day}) == (204, {"day": value})


def write_all(
    package: Generated, path: str, values: dict[str, Any], version: str = NEW
) -> tuple[str, dict[str, str]]:
    """Return the path and the headers by which a client of *version* sends *values*."""
    place, style, explode = STYLES[path]
    parameters: Any = package.module("client.parameters")
    written = {name: parameters.Parameter(name, place, style, explode=explode) for name in values}
    if place == "cookie":
        pairs = [written[name].write_cookie(values[name]) for name in values]
        return path, {"Cookie": "; ".join(pairs)}
    if place == "header":
        texts = {name: written[name].write_header(values[name]) for name in values}
        other = "old-" if version == OLD else "new-"
        return path, {**texts, **{other + name: text for name, text in texts.items()}}
    return "/".join([path, *(written[name].write_path(values[name]) for name in values)]), {}


def sample(path: str, field: str) -> dict[str, Any]:
    """Return a value of each of the `KINDS`, whose object has the number *field*."""
    place, style, _ = STYLES[path]
    texts = ["a,b", "c;d=\u00fc"] if (place, style) == ("cookie", "form") else ["a", "b"]
    return {
        "one": 1.5,
        "list": texts,
        "object": {field: 2, "y": texts[1]},
        "either": [True, False],
    }


@cases("path", STYLES)
def test_servers_read_what_clients_write(package: Generated, path: str) -> None:
    for version, field in ((OLD, "left"), (NEW, "x")):
        for more in ({}, {"either": 7}):
            url, headers = write_all(package, path, {**sample(path, field), **more}, version)
            if "Cookie" in headers:
                headers["Cookie"] = f"y2=a; {headers['Cookie']}"
            given = {**sample(path, "x"), **more}
            renamed = {f"new_{name}": value for name, value in given.items() if "header" in path}
            assert ask_for(package, url, version, headers) == (204, {**given, **renamed})


@cases("path", STYLES)
def test_sampled_requests_have_what_clients_write(package: Generated, path: str) -> None:
    place, style, explode = STYLES[path]
    said = {"in": place, "style": style, "explode": explode}
    values = sample(path, "x")
    written = {
        name: write_parameter({**said, "name": name}, value) for name, value in values.items()
    }
    url, headers = write_all(package, path, values)
    if place == "header":
        assert {name: text for name, [(_, text)] in written.items()} | headers == headers
    elif place == "path":
        assert "/".join([path, *(text for [(_, text)] in written.values())]) == url
    else:
        pairs = ["=".join(pair) for each in written.values() for pair in each]
        assert unquote("; ".join(pairs)) == unquote(headers["Cookie"])


@cases("path", STYLES)
def test_applications_get_what_clients_of_the_newest_version_write(
    package: Generated, path: str
) -> None:
    recorder = Recorder()
    app = package.module("server").versioned(recorder, environment="production")
    url, headers = write_all(package, path, sample(path, "left"), OLD)
    headers = {"X-API-Version": OLD, **headers}
    assert ask(app, "GET", f"/api{url}", headers=headers).status_code == 204
    url, headers = write_all(package, path, sample(path, "x"))
    change = unquote if "simple" in path else str
    assert change(recorder.path) == f"/api{url}"
    cookies = headers.pop("Cookie", "")
    assert sorted(recorder.cookies.split("; ")) == sorted(cookies.split("; "))
    assert recorder.headers == headers


@cases(
    ("url", "said"),
    [
        ("/path-label-0/1.5/.a/.x,1/.7", 'the parameter "one" has to begin with "."'),
        ("/path-label-0/.1.5/.a/x,1/.7", 'the parameter "object" has to begin with "."'),
        (
            "/path-label-1/.1/.a/.x,1/.7",
            'the parameter "object" has to be fields: name=value, with "." between them',
        ),
        ("/path-label-1/.1/.a/.y=a/7", 'the parameter "either" has to begin with "."'),
        (
            "/path-matrix-0/;two=1/;list=a/;object=/;either=7",
            'the parameter "one" has to begin with ";one="',
        ),
        (
            "/path-matrix-1/;one=1/;list=a/y=b/;either=7",
            'the parameter "object" has to begin with ";"',
        ),
        ("/path-matrix-1/;one=/;list=a/;y=b/;either=7", 'the parameter "one" has to be a number'),
        ("/path-matrix-1/;one/;list=a/;y=b/;either=7", 'the parameter "one" has to be a number'),
    ],
)
def test_styles_of_paths_are_parsed_strictly(package: Generated, url: str, said: str) -> None:
    assert ask_for(package, url) == (400, said)
