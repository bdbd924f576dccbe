"""Forms of samples are written as the client writes them."""

from __future__ import annotations

from itertools import product
from typing import Any

from paynet.client.parameters import Parameter, write_form
from support.tables import cases

from dateline.python.forms import FormPart
from dateline.site.pairs import write_pairs

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
