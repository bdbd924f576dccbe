"""Forms of samples are written as the client writes them."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from paynet.client.parameters import Parameter, write_form
from support.events import EVENTS
from support.sources import loaded
from support.tables import cases

from dateline.python.forms import FormPart
from dateline.sample.notations import write_query
from dateline.site.pairs import write_pairs
from dateline.site.samples import Samples

STYLES = ["", "form", "spaceDelimited", "pipeDelimited", "deepObject", "content"]
VALUES: list[Any] = ["a b&c", 7, True, 1.5, [], ["x y", 2], {}, {"k&": "v w", "n": 3}]
VALUES += [{"a": {"b": ["c", {"d": "e"}]}}, None]


@cases(("style", "explode", "value"), product(STYLES, [None, True, False], VALUES))
def test_form_is_written_as_by_the_client(style: str, explode: bool | None, value: Any) -> None:
    settings = {} if explode is None else {"explode": explode}
    part = FormPart(style={**({"style": style} if style else {}), **settings})
    form = {"first": "1", "a b": value}

    written = "&".join(write_pairs(form, {"a b": part}))

    styles = {"a b": Parameter("a b", "query", style, **settings)}
    assert written.encode() == write_form(form, styles)


@cases(
    ("media_type", "style", "value"),
    product(
        ["application/x-www-form-urlencoded; charset=utf-8", "application/json"],
        ["form", "content"],
        VALUES,
    ),
)
def test_whole_query_is_written_as_by_the_client(media_type: str, style: str, value: Any) -> None:
    if (style == "form") is media_type.startswith("application/json"):
        return
    given = {"first": "1", "a b": value} if style == "form" else value
    parameter = {"name": "all", "in": "querystring", "content": {media_type: {}}}

    written = write_query(parameter, given)

    known = [*Parameter("all", "querystring", style).write_query(given)]
    assert list(map(unquote, written)) == list(map(unquote, "&".join(known).split("&")))


def test_sample_has_a_required_parameter_that_is_the_whole_query(tmp_path: Path) -> None:
    table = loaded(tmp_path, EVENTS).table
    content = {"application/x-www-form-urlencoded": {"example": {"author": "a b", "tags": [1, 2]}}}
    samples = Samples({}, table, table.latest, lambda *_, **__: None)
    for required, query in ((True, "&author=a%20b&tags=1&tags=2"), (False, "")):
        whole = {"name": "all", "in": "querystring", "required": required, "content": content}
        request = samples.request("GET", "/loans?open", {"parameters": [whole]}, None, "https://a")
        assert request.url == f"https://a/loans?open{query}"
