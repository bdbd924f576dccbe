"""The Jinja environment, in which values reach a template only through a filter."""

from __future__ import annotations

import keyword
import marshal
import traceback
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from pathlib import Path
from types import CodeType
from typing import Any, Final

import jinja2

from dateline.cache import read_own, write_own
from dateline.filters import ESCAPES, Code, create_filter, trim
from dateline.model import DatelineError
from dateline.source.scalars import quote_json
from dateline.source.text import json_key, json_text, yaml_key, yaml_text

SUFFIX: Final = ".jinja"
"""The end of the names of templates; other files are copied."""

_FINISHED: Final = (Code, jinja2.runtime.Macro)


class _Compiled(jinja2.BytecodeCache):
    """The compiled templates of this process and of earlier ones.

    They are kept as Python keeps compiled modules, in the user's own cache folder, whole and
    authenticated: nothing in it comes from a project.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], CodeType] = {}
        self._kept: dict[tuple[str, str], CodeType] | None = None

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        if self._kept is None:
            self._kept = self._read()
        at = (bucket.key, bucket.checksum)
        bucket.code = self._known.get(at) or self._kept.get(at)

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        if bucket.code is not None:
            self._known[bucket.key, bucket.checksum] = bucket.code

    def _read(self) -> dict[tuple[str, str], CodeType]:
        content = read_own(_COMPILED_IN, jinja2.__version__)
        return {} if content is None else marshal.loads(content)

    def keep(self) -> None:
        """Store what this process compiled, at most `_MOST_KEPT` templates."""
        if self._known.keys() <= (self._kept or {}).keys():
            return
        new = {**(self._kept or {}), **self._known}
        self._kept = dict([*new.items()][-_MOST_KEPT:])
        write_own(_COMPILED_IN, jinja2.__version__, marshal.dumps(self._kept))


# Enough for all templates of dateline, and some of a user's own.
_MOST_KEPT: Final = 200
_COMPILED_IN: Final = "templates"
_COMPILED: Final = _Compiled()


def keep_compiled() -> None:
    """Store the compiled templates of this process for later ones."""
    _COMPILED.keep()


class TemplateError(DatelineError):
    """A template is missing, malformed, or lets a raw value through."""


def environment(folders: list[Path]) -> jinja2.Environment:
    """Return the environment that finds templates in *folders*, in this order.

    A raw ``{{ x }}`` raises TypeError; so does every undefined name (UndefinedError).
    """
    result = jinja2.Environment(
        loader=jinja2.FileSystemLoader([str(folder) for folder in folders]),
        bytecode_cache=_COMPILED,
        undefined=jinja2.StrictUndefined,
        finalize=_must_be_code,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # an environment is made for each generation; checking again costs one stat for each row
        auto_reload=False,
        # filters lay out source text, never as HTML
        autoescape=False,
    )
    result.filters.update(
        each=_layout_filter(result),
        json=_memoized(json_text),
        members=_lay_out_members,
        yaml=_memoized(yaml_text),
        yamlkey=cache(lambda key, indent=0: Code(yaml_key(key, indent))),
        ident=_ident,
        pystr=lambda text: Code(ascii(str(text))),
        **{name: create_filter(name) for name in ESCAPES},
    )
    return result


def render_file(environment: jinja2.Environment, name: str, /, **context: Any) -> bytes:
    """Return the file that *name* generates: verbatim, unless it is a template.

    Raises TemplateError for a template that can't be rendered.
    """
    assert environment.loader is not None
    if not name.endswith(SUFFIX):
        _, path, _ = environment.loader.get_source(environment, name)
        return Path(str(path)).read_bytes()
    try:
        return environment.get_template(name).render(**context).encode()
    except Exception as error:  # a template is code, and may raise anything
        raise locate_error(list_folders(environment), name, error) from error


def list_folders(environment: jinja2.Environment) -> list[str]:
    """Return the folders in which *environment* finds templates."""
    assert isinstance(environment.loader, jinja2.FileSystemLoader)
    return environment.loader.searchpath


def locate_error(folders: Iterable[str], name: str, error: Exception) -> TemplateError:
    """Return the error for what the template *name* raised, with the file and line of the cause.

    That may be in another template of *folders*, which this one includes or imports.
    """
    frames = [
        (frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        # jinja2 gives frames of templates the places in their sources
        if "__jinja_exception__" in frame.f_globals
    ]
    place = name
    if frames:
        file, line = frames[-1]
        within = (Path(file).relative_to(one) for one in folders if Path(file).is_relative_to(one))
        place = f"{next(within, Path(name)).as_posix()}:{line}"
    return TemplateError(f"template {place}: {error}")


def _must_be_code(value: object) -> object:
    if isinstance(value, _FINISHED) or value == "":
        return value
    raise TypeError(
        f"{value!r:.60} reaches the template without a filter: write `| json` or the like"
    )


def _ident(name: str) -> Code:
    """Return *name* if it is a Python identifier; TypeError otherwise."""
    if not name.isidentifier() or not name.isascii() or keyword.iskeyword(name):
        raise TypeError(f"{name!r:.60} is not an identifier")
    return Code(name)


def _layout_filter(environment: jinja2.Environment) -> Callable[..., Code]:
    """Return a filter that lays out objects on several pages once, with their own template."""
    # the object is stored with its text: an id is unique only while its object lives
    known: dict[tuple[Any, ...], tuple[Any, str]] = {}

    def laid_out(items: Iterable[Any], name: str, template: str, **context: Any) -> Code:
        """Return the lines of *template*, laid out for each of *items* as the variable *name*."""
        found = environment.get_template(template)
        others = (name, template, *context.items())
        given: dict[str, Any] = {}
        texts = []
        for item in items:
            key = (id(item), *others)
            if key not in known:
                # `render` would copy the globals each time, slowly
                given = given or {**found.globals, **context}
                shared = found.new_context({**given, name: item}, shared=True)
                text = environment.concat(found.root_render_func(shared))
                known[key] = item, trim(text)
            texts.append(known[key][1])
        return Code("\n".join(texts))

    return laid_out


def _lay_out_members(value: dict[str, Any], indent: int) -> Code:
    """Return *value*, one of many similar objects, as JSON; equal texts and lists are shared."""
    inner = " " * (indent + 2)
    lines = [
        f"{inner}{json_key(key)}: {_lay_out_member(member, indent + 2)}"
        for key, member in value.items()
    ]
    return Code("{\n" + ",\n".join(lines) + "\n" + " " * indent + "}")


def _lay_out_member(value: Any, indent: int) -> str:
    if isinstance(value, str):
        return _quote(value)
    if not (isinstance(value, list) and value):
        return json_text(value, indent)
    try:
        "".join(value)
    except TypeError:
        # equal values of other types may be written differently: 1, 1.0, true
        return json_text(value, indent)
    return _lay_out_texts(tuple(value), indent)


_quote: Final = lru_cache(maxsize=1 << 14)(quote_json)


@lru_cache(maxsize=1 << 14)
def _lay_out_texts(texts: tuple[str, ...], indent: int) -> str:
    return json_text([*texts], indent)


def _memoized(text: Callable[[Any, int], str]) -> Callable[..., Code]:
    """Lay out nodes that several documents share only once."""
    # the node is stored with its text: an id is unique only while its object lives
    known: dict[tuple[int, int], tuple[Any, Code]] = {}

    def laid_out(value: Any, indent: int = 0) -> Code:
        remembered = known.get((id(value), indent))
        if remembered is not None:
            return remembered[1]
        if isinstance(value, jinja2.Undefined):
            str(value)  # raises the error that names it
        code = Code(text(value, indent))
        if indent:
            # what begins a line is a document, which is laid out once, or short
            known[id(value), indent] = value, code
        return code

    return laid_out
