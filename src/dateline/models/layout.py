"""Lay out definitions as Python source, with datamodel-code-generator.

It gets one model for each kind of definition (a model, an enum, an alias), and runs the template of
that kind on all definitions of the kind. References, names and order are decided before. No text of
the API's authors passes through it: such text reaches the templates as code, already escaped.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from dateline.cache import Cache, name_release
from dateline.collector import return_memory
from dateline.filters import Code
from dateline.model import DatelineError
from dateline.models.definitions import Definition, Field
from dateline.models.order import Order
from dateline.python.code import Brackets, Text, call, lay_out, literal, quote_ahead
from dateline.python.docstrings import docstring
from dateline.schema.memo import Memo
from dateline.templating import locate_error

_PACKAGE: Final = "datamodel-code-generator"
_BLOCK: Final = re.compile(r"^# begin ([A-Za-z0-9_.]+)\n(.*?)\n# end$", re.MULTILINE | re.DOTALL)

_FOLDER: Final = "datamodel"
"""The folder of these templates among all."""

# The kinds of definitions, each of which has a template.
_KINDS: Final = ("Model", "Enum", "Alias")


_LAID_OUT: Final[dict[bytes, bytes]] = {}
"""The sources of definitions by their digests, for a process that generates many times."""


class _FieldCode(NamedTuple):
    """A field of a model as templates see it; for members of an enum, see `_MemberCode`."""

    name: Code
    annotation: Code
    default: Code


class _MemberCode(NamedTuple):
    name: Code
    value: Code
    docstring: Code | str


class _DefinitionCode(NamedTuple):
    """A definition as templates see it: nothing but code. An alias has a ``note``."""

    name: Code
    docstring: Code | str
    bases: tuple[Code, ...]
    rules: Code | str
    extras: Code | str
    fields: tuple[_FieldCode, ...]
    empty: bool
    members: tuple[_MemberCode, ...]
    note: Code | str
    alias: Code | str = ""
    recursive: Code | str = ""
    key: Code | str = ""


class GenerationError(DatelineError):
    """The templates for the models do not lay out every definition once."""


def lay_out_definitions(
    orders: Mapping[str, Order], templates: Sequence[Path], cache: Cache
) -> dict[str, dict[str, str]]:
    """Return the source of each definition, by version and name.

    *templates* are the folders with `BaseModel.jinja2` and the like, file by file the first one
    first. What earlier runs laid out is taken from the *cache*. Raises GenerationError if the
    templates don't lay out each definition once.
    """
    texts = _read_templates(templates)
    made_with = cache.key("templates", name_release(_PACKAGE), repr(texts))
    keys: dict[tuple[str, str], str] = {}
    # versions share fields
    lay_out_field = Memo(_field)
    blocks: dict[str, bytes] = {}
    names: dict[str, str] = {}

    def list_views(kind: str) -> Iterator[_DefinitionCode]:
        """Yield the definitions of a *kind* to lay out, one at a time."""
        for home, order in orders.items():
            for each in order.definitions:
                if _kind(each) != kind:
                    continue
                view = _view(each, order.ahead[each.name], lay_out_field)
                digest = cache.key("layout", made_with, repr(view))
                key = keys[home, each.name] = digest.hex()
                if (block := cache.get(digest)) is not None:
                    blocks[key] = block
                elif digest in _LAID_OUT:
                    blocks[key] = _LAID_OUT[digest]
                    cache.put(digest, blocks[key])
                elif key not in names:
                    names[key] = each.name
                    yield view._replace(key=Code(key))

    views = {kind: list_views(kind) for kind in _KINDS}
    first = {kind: view for kind, found in views.items() if (view := next(found, None))}
    laid_out = _run({kind: chain([view], views[kind]) for kind, view in first.items()}, texts)
    count = Counter(key for key, _ in laid_out)
    if count != Counter(names.keys()):
        wrong = ", ".join(names.get(key, key) for key in {**names, **count} if count[key] != 1)
        raise GenerationError(f"templates of models: not laid out once: {wrong}")
    for key, text in laid_out:
        digest = bytes.fromhex(key)
        blocks[key] = _LAID_OUT[digest] = text.encode()
        cache.put(digest, blocks[key])
    found: dict[str, dict[str, str]] = {home: {} for home in orders}
    for (home, name), key in keys.items():
        found[home][name] = blocks[key].decode()
    return found


def _read_templates(folders: Sequence[Path]) -> dict[str, str]:
    """Return the text of each template in *folders*, by its path there, in a fixed order."""
    found = {
        path.relative_to(folder).as_posix(): path
        for folder in reversed(folders)
        for path in folder.rglob("*.jinja2")
    }
    return {name: found[name].read_text(encoding="utf-8") for name in sorted(found)}


def _kind(definition: Definition) -> str:
    if definition.members:
        return "Enum"
    return "Model" if definition.alias is None else "Alias"


def _run(
    views: Mapping[str, Iterator[_DefinitionCode]], templates: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Return the key and the source of each definition in *views*, which has them by kind."""
    if not views:
        return []
    with TemporaryDirectory(prefix="dateline-") as folder:
        for name, text in templates.items():
            path = Path(folder, _FOLDER, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            # each template lays out one definition, and is run once for all of its kind
            looped = "{% for definition in definitions %}" + text + "\n{% endfor %}"
            path.write_text(looped, encoding="utf-8")
        try:
            blocks = _BLOCK.findall(_generate(views, Path(folder, _FOLDER)))
        except Exception as error:  # a template is code, and may raise anything
            raise locate_error([folder], _FOLDER, error) from error
    return_memory()
    return blocks


def _generate(views: Mapping[str, Iterator[_DefinitionCode]], templates: Path) -> str:
    # slow to import, and not needed if earlier runs laid out everything; the parser of the package,
    # which its `generate` begins with, takes longer to import than all the rest
    from datamodel_code_generator.model.enum import Enum
    from datamodel_code_generator.model.pydantic_v2 import BaseModel
    from datamodel_code_generator.model.type_alias import TypeAliasTypeBackport
    from datamodel_code_generator.reference import Reference

    models = {"Model": BaseModel, "Enum": Enum, "Alias": TypeAliasTypeBackport}
    return "\n".join(
        models[kind](
            reference=Reference(path=kind, name=kind),
            fields=[],
            custom_template_dir=templates,
            extra_template_data=defaultdict(dict, {kind: {"definitions": found}}),
        ).render()
        for kind, found in views.items()
    )


def _view(
    definition: Definition, ahead: frozenset[str], lay_out_field: Callable[[Field], _FieldCode]
) -> _DefinitionCode:
    """Return the data for the templates."""
    text = definition.description
    code = _DefinitionCode(
        name=Code(definition.name),
        docstring=docstring([text], 4) if text else "",
        bases=tuple(map(Code, definition.bases)),
        rules=lay_out(Brackets("", definition.rules, "()"), 4, 16) if definition.rules else "",
        extras=lay_out(definition.extras) if definition.extras is not None else "",
        fields=tuple(map(lay_out_field, definition.fields)),
        empty=not (text or definition.rules or definition.extras or definition.fields),
        members=tuple(
            _MemberCode(
                Code(member.name),
                Code(literal(member.value)),
                docstring([member.description], 4) if member.description else "",
            )
            for member in definition.members
        ),
        note=docstring([text], 0) if text and definition.alias is not None else "",
    )
    alias, name = definition.alias, definition.name
    if alias is None:
        return code
    # the right-hand sides of an alias: for type checkers and, if it differs, at run time
    if not ahead:
        return code._replace(alias=lay_out(alias, 0, len(f"{name}: TypeAlias = ")))
    forward = quote_ahead(alias, ahead)
    return code._replace(
        alias=lay_out(forward, 4, len(f"    {name}: TypeAlias = ")),
        recursive=lay_out(call("TypeAliasType", Text(name), forward), 4, len(f"    {name} = ")),
    )


def _field(field: Field) -> _FieldCode:
    default = "" if field.default is None else " = " + lay_out(field.default)
    head = f"    {field.name}: "
    # what follows the closing bracket counts only if the line is not broken
    annotation = lay_out(field.annotation, 4, len(head) + len(default))
    return _FieldCode(Code(field.name), annotation, Code(default))
