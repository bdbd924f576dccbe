"""What was laid out is kept for the next run: it saves time, and never changes a byte."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from support.modelling import document, table
from support.pets import PETS
from support.sources import folder

from dateline.files import read_kept
from dateline.generate import Workspace, generate
from dateline.model import Contract
from dateline.models import generate_models
from dateline.models.layout import GenerationError, read_layouts, write_layouts
from dateline.render import builtin_templates

PET = "    Pet:\n      type: object\n"

# Generates in a process of its own, and tells whether the package was needed.
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


def edited(workspace: Workspace, before: str, after: str) -> None:
    path = workspace.schemas / "pets.yaml"
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


def kept(workspace: Workspace) -> dict[str, str]:
    return read_layouts(read_kept(workspace.output, "layouts"))


def python_of(folder: Path) -> dict[str, bytes]:
    found = (folder / "python").rglob("*.py")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def test_only_what_an_edit_changes_is_laid_out(workspace: Workspace) -> None:
    before = kept(workspace)
    edited(workspace, PET, PET + "      description: An animal.\n")
    assert is_package_needed(workspace)
    after = kept(workspace)
    (gone,), (new,) = before.keys() - after.keys(), after.keys() - before.keys()
    assert gone != new
    assert (before[gone].split("\n")[0], "An animal." in before[gone]) == (
        after[new].split("\n")[0],
        False,
    )
    assert "An animal." in after[new]


def test_an_edit_that_changes_no_definition_needs_no_package(workspace: Workspace) -> None:
    edited(workspace, "summary: List pets", "summary: List all pets")
    assert not is_package_needed(workspace)


def test_the_outputs_are_the_same_without_what_was_kept(
    workspace: Workspace, tmp_path: Path
) -> None:
    edited(workspace, "name: { type: string }", "name: { type: string, description: Its name. }")
    file = tmp_path / ".out.dateline" / "layouts"
    file.write_text(file.read_text().replace("class Pet", "class Dog"))
    generate(workspace)
    generate(Workspace(schemas=workspace.schemas, output=tmp_path / "fresh"))
    assert python_of(workspace.output) == python_of(tmp_path / "fresh")
    assert kept(workspace) == read_layouts(read_kept(tmp_path / "fresh", "layouts"))


LAYOUTS = {"a": "class Pet: ...\n# é\n", "b": ""}
TEXT = write_layouts(LAYOUTS)


@pytest.mark.parametrize(
    "text",
    [
        "",
        TEXT[:-20],
        TEXT.replace("Pet", "Dog"),
        TEXT.partition("\n")[2],
        write_layouts([1]),  # type: ignore[arg-type]
        write_layouts({"a": 1}),  # type: ignore[dict-item]
        sha256(b"{").hexdigest() + "\n{\n",
        sha256(b"[" * 99999).hexdigest() + "\n" + "[" * 99999 + "\n",
    ],
    ids=["empty", "cut off", "edited", "headless", "a list", "numbers", "no JSON", "deep"],
)
def test_what_is_damaged_is_as_nothing(text: str) -> None:
    assert read_layouts(text) == {}


def test_what_is_kept_is_read_back() -> None:
    assert read_layouts(TEXT) == LAYOUTS


def test_nothing_is_kept_of_other_templates(tmp_path: Path) -> None:
    made = [Contract(version="2024-01-01", environment="", document=document(SCHEMAS))]
    versions, layouts = table(["2024-01-01"], "library"), dict[str, str]()
    plain = generate_models(made, versions, [builtin_templates()], layouts=layouts)
    kept = dict(layouts)
    (tmp_path / "datamodel").mkdir()
    template = tmp_path / "datamodel" / "Enum.jinja2"
    template.write_text("# begin {{ definition.key }}\n{{ definition.name }} = str\n# end\n")
    templates = [tmp_path, builtin_templates()]
    other = generate_models(made, versions, templates, layouts=layouts)
    assert other == generate_models(made, versions, templates)
    assert kept.keys().isdisjoint(layouts)
    assert generate_models(made, versions, [builtin_templates()], layouts=layouts) == plain
    assert layouts == kept


SCHEMAS: dict[str, Any] = {
    "State": {"type": "string", "enum": ["a", "b"]},
    "A": {"type": "object", "properties": {"a": {"type": "string"}}},
    "B": {"type": "array", "items": {"type": "string"}},
}


@pytest.mark.parametrize("template", ["", "{{ definition.name }}", "twice"])
def test_a_template_that_does_not_lay_out_is_refused(tmp_path: Path, template: str) -> None:
    (tmp_path / "datamodel").mkdir()
    block = "# begin {{ definition.key }}\nx = 1\n# end\n"
    text = block * 2 if template == "twice" else template
    (tmp_path / "datamodel" / "Enum.jinja2").write_text(text)
    made = [Contract(version="2024-01-01", environment="", document=document(SCHEMAS))]
    with pytest.raises(GenerationError, match=r"not laid out once: State$"):
        generate_models(
            made, table(["2024-01-01"], "library"), [tmp_path, builtin_templates()], layouts={}
        )
