"""Cached layout of models saves time, and never changes a byte of the output."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.modelling import document, table
from support.pets import PETS
from support.sources import folder

from dateline.cache import Cache
from dateline.generate import Workspace, generate
from dateline.model import Contract
from dateline.models import generate_models
from dateline.models.layout import GenerationError
from dateline.render import builtin_templates
from dateline.templating import TemplateError

PET = "    Pet:\n      type: object\n"

# Generates in a new process, and prints whether the package was imported.
RUN = """
import sys
from pathlib import Path
from dateline.generate import Workspace, generate
generate(Workspace(schemas=Path(sys.argv[1]), output=Path(sys.argv[2])))
print("datamodel_code_generator" in sys.modules)
"""


def is_package_needed(workspace: Workspace) -> bool:
    run = subprocess.run(
        [sys.executable, "-c", RUN, str(workspace.schemas), str(workspace.output)],
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout == "True\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(schemas=folder(tmp_path / "schemas", PETS), output=tmp_path / "out")
    generate(made)
    return made


def edit(workspace: Workspace, before: str, after: str) -> None:
    path = workspace.schemas / "pets.yaml"
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


def cache_of(workspace: Workspace) -> Path:
    return workspace.output.parent / ".out.dateline" / "cache"


def read_cached_layout(workspace: Workspace) -> set[str]:
    """Return the cached layout of the definitions."""
    with closing(sqlite3.connect(cache_of(workspace))) as connection:
        rows = {row[0] for row in connection.execute("SELECT content FROM entries")}
    found = {row.decode(errors="replace") for row in rows}
    # parsed sources, check results and compressed packages are cached as well
    return {text for text in found if text.startswith(("class ", "type ")) or " = " in text}


def python_of(folder: Path) -> dict[str, bytes]:
    found = (folder / "python").rglob("*.py")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def test_only_edited_parts_are_laid_out(workspace: Workspace) -> None:
    before = read_cached_layout(workspace)
    edit(workspace, PET, PET + "      description: An animal.\n")
    assert is_package_needed(workspace)
    after = read_cached_layout(workspace)
    (new,) = after - before
    # descriptions are filled in later
    assert (before - after, new.startswith("class Pet(")) == (set(), True)
    assert any(b"An animal." in text for text in python_of(workspace.output).values())


def test_edit_that_changes_no_definition_does_not_import_the_package(workspace: Workspace) -> None:
    edit(workspace, "summary: List pets", "summary: List all pets")
    assert not is_package_needed(workspace)


def test_output_is_the_same_without_the_cache(workspace: Workspace, tmp_path: Path) -> None:
    edit(workspace, "name: { type: string }", "name: { type: string, description: Its name. }")
    path = cache_of(workspace)
    path.write_bytes(path.read_bytes().replace(b"class Pet", b"class Dog"))
    generate(workspace)
    generate(Workspace(schemas=workspace.schemas, output=tmp_path / "fresh"))
    assert python_of(workspace.output) == python_of(tmp_path / "fresh")


def test_layout_of_other_templates_is_not_reused(tmp_path: Path) -> None:
    made = [Contract(version="2024-01-01", environment="", document=document(SCHEMAS))]
    versions, cache = table(["2024-01-01"], "library"), Cache(None)
    plain = generate_models(made, versions, [builtin_templates()], cache=cache)
    (tmp_path / "datamodel").mkdir()
    template = tmp_path / "datamodel" / "Enum.jinja2"
    template.write_text("# begin {{ definition.key }}\n{{ definition.name }} = str\n# end\n")
    templates = [tmp_path, builtin_templates()]
    other = generate_models(made, versions, templates, cache=cache)
    assert other == generate_models(made, versions, templates)
    assert other != plain
    assert generate_models(made, versions, [builtin_templates()], cache=cache) == plain


SCHEMAS: dict[str, Any] = {
    "State": {"type": "string", "enum": ["a", "b"]},
    "A": {"type": "object", "properties": {"a": {"type": "string"}}},
    "B": {"type": "array", "items": {"type": "string"}},
}


@pytest.mark.parametrize("template", ["", "{{ definition.name }}", "twice"])
def test_template_without_a_layout_is_refused(tmp_path: Path, template: str) -> None:
    (tmp_path / "datamodel").mkdir()
    block = "# begin {{ definition.key }}\nx = 1\n# end\n"
    text = block * 2 if template == "twice" else template
    (tmp_path / "datamodel" / "Enum.jinja2").write_text(text)
    made = [Contract(version="2024-01-01", environment="", document=document(SCHEMAS))]
    with pytest.raises(GenerationError, match=r"not laid out once: State$"):
        generate_models(made, table(["2024-01-01"], "library"), [tmp_path, builtin_templates()])


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("\n{% if %}", "template datamodel/Enum.jinja2:2: Expected an expression"),
        ("{% include 'gone' %}", "template datamodel/Enum.jinja2:1: gone"),
        ("{{ 1 // 0 }}", "template datamodel/Enum.jinja2:1: "),
    ],
)
def test_template_of_models_that_fails_is_named_with_the_line(
    tmp_path: Path, template: str, said: str
) -> None:
    (tmp_path / "datamodel").mkdir()
    (tmp_path / "datamodel" / "Enum.jinja2").write_text(template)
    made = [Contract(version="2024-01-01", environment="", document=document(SCHEMAS))]
    with pytest.raises(TemplateError, match=f"^{said}"):
        generate_models(made, table(["2024-01-01"], "library"), [tmp_path, builtin_templates()])
