"""Definitions in, the source of each out: one run of datamodel-code-generator for all versions.

What it is given is a document of names only, each with the kind of its definition: what refers
to what is known already, and so is the order. No text of the API's authors passes through it:
that reaches our templates as code, already escaped.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import Any, Final

from dateline.model import DatelineError
from dateline.models.definitions import Definition, Field
from dateline.models.order import Order
from dateline.python.code import (
    Group,
    Text,
    call,
    docstring,
    lay_out,
    literal,
    quoted,
)
from dateline.python.names import package_name
from dateline.templating import Code

_MODULE: Final = "models"
_PREFIX: Final = "#/components/schemas/"
_BLOCK: Final = re.compile(r"^# begin ([A-Za-z0-9_.]+)\n(.*?)\n# end$", re.MULTILINE | re.DOTALL)


class GenerationError(DatelineError):
    """The templates for the models do not lay out every definition once."""


def sources(orders: Mapping[str, Order], templates: Sequence[Path]) -> dict[str, dict[str, str]]:
    """Return the source of each definition, by version and name.

    *templates* are the folders that hold `BaseModel.jinja2` and its like, file by file the first
    one first. Raises GenerationError where they don't lay out each definition once.
    """
    expected = {
        _key(version, each.name): (version, each)
        for version, order in orders.items()
        for each in order.definitions
    }
    schemas: dict[str, Any] = {}
    views: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for key, (version, each) in expected.items():
        ahead = orders[version].ahead[each.name]
        schemas[key] = _skeleton(each)
        views[_PREFIX + key] = {"definition": _view(key, each, ahead)}
    with _one_folder(templates) as folder:
        texts = _run(schemas, views, folder)
    blocks = [block for text in texts for block in _BLOCK.findall(text)]
    count = Counter(key for key, _ in blocks)
    if count != Counter(expected.keys()):
        wrong = ", ".join(key for key in {**expected, **count} if count[key] != 1)
        raise GenerationError(f"templates of models: not laid out once: {wrong}")
    found: dict[str, dict[str, str]] = {version: {} for version in orders}
    for key, block in blocks:
        version, each = expected[key]
        found[version][each.name] = block
    return found


@contextmanager
def _one_folder(folders: Sequence[Path]) -> Iterator[Path]:
    """Give the only one of *folders* that exists, or a folder for a while with the files of all."""
    there = [folder for folder in folders if folder.is_dir()]
    if len(there) == 1:
        yield there[0]
        return
    with TemporaryDirectory(prefix="dateline-") as made:
        for folder in reversed(there):
            copytree(folder, made, dirs_exist_ok=True)
        yield Path(made)


def _key(version: str, name: str) -> str:
    """Return the name of a schema; what stands before the last dot is its module."""
    return f"{package_name(version)}.{_MODULE}.{name}"


def _run(
    schemas: dict[str, Any], views: defaultdict[str, dict[str, Any]], templates: Path
) -> list[str]:
    if not schemas:
        return []
    from datamodel_code_generator import InputFileType, PythonVersion, generate
    from datamodel_code_generator.enums import DataModelType

    document = {
        "openapi": "3.1.0",
        "info": {"title": "models", "version": "1"},
        "paths": {},
        "components": {"schemas": schemas},
    }
    made = generate(
        document,
        output=None,
        input_file_type=InputFileType.OpenAPI,
        output_model_type=DataModelType.PydanticV2BaseModel,
        target_python_version=PythonVersion.PY_311,
        custom_template_dir=templates,
        extra_template_data=views,
        custom_class_name_generator=_unchanged,
        treat_dot_as_module=True,
        strict_dotted_module_names=True,
        use_exact_imports=True,
        use_type_alias=True,
        keep_model_order=True,
        allow_remote_refs=False,
        strict_refs=True,
        disable_timestamp=True,
        formatters=[],
    )
    if isinstance(made, str):
        return [made]
    return list(made.values()) if made else []


def _unchanged(name: str) -> str:
    return name


def _skeleton(definition: Definition) -> dict[str, Any]:
    """Return *definition* as a schema that is laid out by the template for its kind."""
    if definition.members:
        # which members there are makes no difference: each costs time
        return {"type": "string", "enum": ["member"]}
    return {} if definition.alias is not None else {"type": "object", "properties": {}}


def _view(key: str, definition: Definition, ahead: frozenset[str]) -> dict[str, Any]:
    """Return what the templates lay out: nothing but code."""
    text = definition.description
    return {
        "key": Code(key),
        "name": Code(definition.name),
        "docstring": docstring(text, 4) if text else "",
        "bases": [Code(base) for base in definition.bases],
        "rules": lay_out(Group("", definition.rules, "()"), 4, 16) if definition.rules else "",
        "extras": lay_out(definition.extras) if definition.extras is not None else "",
        "fields": [_field(each) for each in definition.fields],
        "empty": not (text or definition.rules or definition.extras or definition.fields),
        "members": [
            {
                "name": Code(member.name),
                "value": Code(literal(member.value)),
                "docstring": docstring(member.description, 4) if member.description else "",
            }
            for member in definition.members
        ],
        **_alias(definition, ahead),
        "note": docstring(text, 0) if text and definition.alias is not None else "",
    }


def _alias(definition: Definition, ahead: frozenset[str]) -> dict[str, Code]:
    """Return the right-hand sides of an alias: for checkers and, where it differs, at run time."""
    alias, name = definition.alias, definition.name
    if alias is None:
        return {}
    if not ahead:
        return {"alias": lay_out(alias, 0, len(f"{name}: TypeAlias = ")), "recursive": Code("")}
    spoken = quoted(alias, ahead)
    made = call("TypeAliasType", Text(name), spoken)
    return {
        "alias": lay_out(spoken, 4, len(f"    {name}: TypeAlias = ")),
        "recursive": lay_out(made, 4, len(f"    {name} = ")),
    }


def _field(field: Field) -> dict[str, Code]:
    default = "" if field.default is None else " = " + lay_out(field.default)
    head = f"    {field.name}: "
    # what stands behind the closing bracket counts only where the line is not broken
    annotation = lay_out(field.annotation, 4, len(head) + len(default))
    return {"name": Code(field.name), "annotation": annotation, "default": Code(default)}
