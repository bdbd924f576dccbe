"""Lay out definitions as Python source, with datamodel-code-generator.

It is given one schema for each kind of definition (a model, an enum, an alias), and runs the
template of that kind on all definitions of the kind. What refers to what, what is called how, and
in which order, is settled before. No text of the API's authors passes through it: that reaches
the templates as code, already escaped.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from dateline.cache import Cache
from dateline.model import DatelineError
from dateline.models.definitions import Definition, Field
from dateline.models.order import Order
from dateline.python.code import Brackets, Text, call, lay_out, literal, quote_ahead
from dateline.python.docstrings import docstring
from dateline.templating import Code

_PACKAGE: Final = "datamodel-code-generator"
_PREFIX: Final = "#/components/schemas/"
_BLOCK: Final = re.compile(r"^# begin ([A-Za-z0-9_.]+)\n(.*?)\n# end$", re.MULTILINE | re.DOTALL)

# A schema for which the package runs the template of each kind.
_SKELETONS: Final[dict[str, dict[str, Any]]] = {
    "Model": {"type": "object", "properties": {}},
    "Enum": {"type": "string", "enum": ["member"]},
    "Alias": {},
}


_LAID_OUT: Final[dict[bytes, str]] = {}
"""The sources of definitions by their digests, for a process that generates many times."""


class GenerationError(DatelineError):
    """The templates for the models do not lay out every definition once."""


def lay_out_definitions(
    orders: Mapping[str, Order], templates: Sequence[Path], cache: Cache
) -> dict[str, dict[str, str]]:
    """Return the source of each definition, by version and name.

    *templates* are the folders that hold `BaseModel.jinja2` and its like, file by file the first
    one first. What earlier runs laid out is taken from the *cache*. Raises GenerationError where
    the templates don't lay out each definition once.
    """
    texts = _read_templates(templates)
    made_with = cache.key("templates", version(_PACKAGE), repr(texts))
    keys: dict[tuple[str, str], str] = {}
    blocks: dict[str, str] = {}
    views: defaultdict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for home, order in orders.items():
        for each in order.definitions:
            view = _view(each, order.ahead[each.name])
            digest = cache.key("layout", made_with, repr(view))
            key = keys[home, each.name] = digest.hex()
            if (block := cache.get(digest)) is not None:
                blocks[key] = block.decode()
            elif digest in _LAID_OUT:
                blocks[key] = _LAID_OUT[digest]
                cache.put(digest, blocks[key].encode())
            else:
                views[_kind(each)][key] = {"key": Code(key), **view}
    for key, text in _run({kind: [*found.values()] for kind, found in views.items()}, texts):
        digest = bytes.fromhex(key)
        blocks[key] = _LAID_OUT[digest] = text
        cache.put(digest, text.encode())
    found: dict[str, dict[str, str]] = {home: {} for home in orders}
    for (home, name), key in keys.items():
        found[home][name] = blocks[key]
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
    views: Mapping[str, list[dict[str, Any]]], templates: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Return the key and the source of each definition in *views*, which has them by kind."""
    if not views:
        return []
    with TemporaryDirectory(prefix="dateline-") as folder:
        for name, text in templates.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            # each template lays out one definition, and is run once for all of its kind
            looped = "{% for definition in definitions %}" + text + "\n{% endfor %}"
            path.write_text(looped, encoding="utf-8")
        text = _generate(views, Path(folder))
    found = _BLOCK.findall(text)
    count = Counter(key for key, _ in found)
    names = {view["key"]: view["name"] for each in views.values() for view in each}
    if count != Counter(names.keys()):
        wrong = ", ".join(names.get(key, key) for key in {**names, **count} if count[key] != 1)
        raise GenerationError(f"templates of models: not laid out once: {wrong}")
    return found


def _generate(views: Mapping[str, list[dict[str, Any]]], templates: Path) -> str:
    # what follows is heavy: not needed where earlier runs laid out everything
    from datamodel_code_generator import InputFileType, PythonVersion, generate
    from datamodel_code_generator.enums import DataModelType

    document = {
        "openapi": "3.1.0",
        "info": {"title": "models", "version": "1"},
        "paths": {},
        "components": {"schemas": {kind: _SKELETONS[kind] for kind in views}},
    }
    made = generate(
        document,
        output=None,
        input_file_type=InputFileType.OpenAPI,
        output_model_type=DataModelType.PydanticV2BaseModel,
        target_python_version=PythonVersion.PY_311,
        custom_template_dir=templates,
        extra_template_data=defaultdict(
            dict, {_PREFIX + kind: {"definitions": found} for kind, found in views.items()}
        ),
        use_exact_imports=True,
        use_type_alias=True,
        keep_model_order=True,
        allow_remote_refs=False,
        strict_refs=True,
        disable_timestamp=True,
        formatters=[],
    )
    assert isinstance(made, str)
    return made


def _view(definition: Definition, ahead: frozenset[str]) -> dict[str, Any]:
    """Return what the templates lay out: nothing but code."""
    text = definition.description
    return {
        "name": Code(definition.name),
        "docstring": docstring([text], 4) if text else "",
        "bases": [Code(base) for base in definition.bases],
        "rules": lay_out(Brackets("", definition.rules, "()"), 4, 16) if definition.rules else "",
        "extras": lay_out(definition.extras) if definition.extras is not None else "",
        "fields": [_field(each) for each in definition.fields],
        "empty": not (text or definition.rules or definition.extras or definition.fields),
        "members": [
            {
                "name": Code(member.name),
                "value": Code(literal(member.value)),
                "docstring": docstring([member.description], 4) if member.description else "",
            }
            for member in definition.members
        ],
        **_alias(definition, ahead),
        "note": docstring([text], 0) if text and definition.alias is not None else "",
    }


def _alias(definition: Definition, ahead: frozenset[str]) -> dict[str, Code]:
    """Return the right-hand sides of an alias: for checkers and, where it differs, at run time."""
    alias, name = definition.alias, definition.name
    if alias is None:
        return {}
    if not ahead:
        return {"alias": lay_out(alias, 0, len(f"{name}: TypeAlias = ")), "recursive": Code("")}
    forward = quote_ahead(alias, ahead)
    made = call("TypeAliasType", Text(name), forward)
    return {
        "alias": lay_out(forward, 4, len(f"    {name}: TypeAlias = ")),
        "recursive": lay_out(made, 4, len(f"    {name} = ")),
    }


def _field(field: Field) -> dict[str, Code]:
    default = "" if field.default is None else " = " + lay_out(field.default)
    head = f"    {field.name}: "
    # what follows the closing bracket counts only where the line is not broken
    annotation = lay_out(field.annotation, 4, len(head) + len(default))
    return {"name": Code(field.name), "annotation": annotation, "default": Code(default)}
