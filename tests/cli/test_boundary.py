"""Unusual environments of the inputs are reported in one line, never with a traceback."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import dateline
from support.sources import LIBRARY, LOANS, folder, problems
from support.tables import cases

from dateline import fresh
from dateline.files import EditError
from dateline.files.sources import recover
from dateline.source.reader import read_content

WRONG = {
    "components: 5": "1:13: wrong-type: the number 5",
    "paths: []": "1:8: wrong-type: a list",
    "webhooks: text": "1:11: wrong-type: 'text'",
    "components: { schemas: [] }": "1:24: wrong-type: a list",
    "components: { schemas: null }": "1:24: wrong-type: null",
    "components: { headers: 1 }": "1:24: wrong-type: the number 1",
}


@cases("name", ["aa.yaml", "zz.yaml", "aa.json"])
@cases("text", WRONG)
def test_component_section_of_several_fragments_must_be_a_mapping(
    tmp_path: Path, text: str, name: str
) -> None:
    said = f"{WRONG[text]} where a mapping belongs"
    if name.endswith(".json"):
        key, _, value = text.partition(": ")
        plain = {"[]": [], "5": 5, "text": "text"}
        below = {} if value in plain else {value.split()[1][:-1]: json.loads(value.split()[2])}
        text = json.dumps({key: plain.get(value, below)})
        said = said.partition(": ")[2]
    assert [one for one in problems(tmp_path, {**LIBRARY, name: text}) if said in one] != []


@pytest.mark.parametrize("name", ["a.yml", "sub/deeper/a.json"])
def test_sources_in_subfolders_are_read(built: Path, name: str) -> None:
    loans = built / "schemas" / "loans.yaml"
    text = loans.read_text(encoding="utf-8")
    below = built / "schemas" / name
    below.parent.mkdir(parents=True, exist_ok=True)
    plain = read_content(text.encode(), loans.name, adopted=False, problems=[])
    below.write_text(json.dumps(plain) if name.endswith(".json") else text)
    loans.unlink()
    assert dateline("generate")[:2] == (0, "generated: up to date\n")
    below.write_text(below.read_text().replace("a loan can be paused", "so it is"))
    assert dateline("generate").status == 0
    text = below.read_text()
    below.write_text(text.replace("format", "fromat", 1))
    assert dateline("check").err.startswith(f"schemas/{name}:")
    # commands that edit sources find it as well
    below.write_text(text)
    cut = dateline("cut", "2025-12-01", "--dry-run")
    assert (cut.status, f"+++ b/schemas/{name}" in cut.out) == (0, True)


@cases(
    ("name", "said"),
    [
        (
            "sub/A.YAML",
            "sub/A.YAML:1:1: source-not-read: 'A.YAML' is not read as a source; rename",
        ),
        (
            "A.Yml",
            "A.Yml:1:1: source-not-read: 'A.Yml' is not read as a source; rename it",
        ),
        (
            "sub/a b.yml",
            "sub/a b.yml:1:1: source-not-read: 'a b.yml' is not read as a source",
        ),
        ("a b/a.yaml", "a b:1:1: source-not-read: 'a b' is not read as a source; name the folder"),
        ("link/a.yaml", "link:1:1: source-not-read: 'link' is not read as a source; a link to a"),
    ],
)
def test_sources_with_an_unusual_name_are_not_overlooked(
    tmp_path: Path, name: str, said: str
) -> None:
    path = folder(tmp_path, LIBRARY) / name
    if name.startswith("link"):
        (tmp_path / "elsewhere").mkdir()
        path.parent.symlink_to(tmp_path / "elsewhere")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}")
    assert [one.startswith(f"schemas/{said}") for one in problems(tmp_path, LIBRARY)] == [True]
    path.rename(path.with_name(f"_{path.name}"))
    assert problems(tmp_path, LIBRARY) == []


def test_cyclic_symbolic_links_are_reported(built: Path) -> None:
    (built / "schemas" / "round.yaml").symlink_to("round.yaml")
    said = "schemas/round.yaml:1:1: unreadable-file: the links lead in a circle; make it a file"
    for command in ("check", "generate"):
        outcome = dateline(command)
        assert (outcome.status, outcome.err.startswith(said)) == (3, True)


def test_deleted_working_folder_is_reported(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    commands = ["check", "generate", "diff a b", "cut 2026-01-01", "status"]
    program = (
        "import os, sys; from dateline.entry import command; os.rmdir(os.getcwd())\n"
        f"for words in {commands!r}:\n"
        "    if os.fork() == 0: sys.argv[1:] = words.split(); command()\n"
        "    print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=gone, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["3"] * len(commands)
    assert len(done.stderr.splitlines()) == len(commands), done.stderr


LENGTHS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")


def test_bounds_out_of_range_lead_to_working_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bounds = (2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**300)
    kinds = {"Length": "string", "Items": "array", "Properties": "object"}
    fields = "".join(
        f"        {keyword.lower()}_{at}: {{ type: {kinds[keyword[3:]]}, {keyword}: {bound} }}\n"
        for at, bound in enumerate(bounds)
        for keyword in LENGTHS
    ).replace("type: array", "type: array, items: { type: string }")
    schema = f"components:\n  schemas:\n    Vast:\n      properties:\n{fields}"
    monkeypatch.chdir(tmp_path)
    note = "        note: { type: string }\n"
    loans = LOANS.replace(note, f"{note}        vast: {{ $ref: '#/components/schemas/Vast' }}\n")
    folder(tmp_path, {**LIBRARY, "loans.yaml": loans, "vast.yaml": schema})
    assert dateline("generate").status == 0
    monkeypatch.syspath_prepend(tmp_path / "generated/python")
    for name in [name for name in sys.modules if name.partition(".")[0] == "library"]:
        monkeypatch.delitem(sys.modules, name)
    model = importlib.import_module("library.v2025_06_01").Vast
    values = {"length": "a", "items": ["a"], "properties": {"a": 1}}
    fitting = {name: values[name[3:].partition("_")[0]] for name in model.model_fields}
    kept = {name: value for name, value in fitting.items() if name.startswith("max")}
    assert model.model_validate(kept).model_dump(exclude_unset=True) == kept
    for name in fitting.keys() - kept.keys():
        with pytest.raises(ValueError, match="at least 9223372036854775807"):
            model.model_validate({name: fitting[name]})


@cases(
    "left, command",
    [
        *((left, "generate") for left in ("new", "copy", "draft", ".dateline-edit")),
        *(("new", command) for command in ("check", "status", "generate --check")),
    ],
)
def test_staged_files_of_a_killed_run_are_removed_by_the_next_command(
    built: Path, left: str, command: str
) -> None:
    home = built / ("schemas" if left == fresh.STAGED_EDIT else ".generated.dateline")
    (home / left).mkdir()
    if left in ("new", "copy"):
        shutil.copytree(built / "generated", home / left, dirs_exist_ok=True)
    assert dateline(*command.split()).status == 0
    assert not (home / left).exists()


@cases(
    "journal",
    [
        "",
        "[]",
        "[" * 100_000,
        '{"files": [], "outputs": {}}',
        '{"files": [{"name": "../outside", "before": null, "after": "0"}], "outputs": null}',
        '{"files": [{"name": "/outside", "before": null, "after": "0"}], "outputs": null}',
        '{"files": [{"name": "\\ud800", "before": null, "after": "0"}], "outputs": null}',
        '{"files": [{"name": 5, "before": null, "after": "0"}], "outputs": null}',
    ],
)
def test_journal_that_no_run_wrote_is_refused(tmp_path: Path, journal: str) -> None:
    stage = folder(tmp_path, LIBRARY) / fresh.STAGED_EDIT
    stage.mkdir()
    (stage / "journal").write_text(journal)
    with pytest.raises(EditError, match="edit-interrupted: no run of dateline wrote this"):
        recover(stage.parent)
    assert [path.name for path in tmp_path.iterdir()] == ["schemas"]
