"""The command line for its users: standard output, standard error, and exit status."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, NamedTuple

import pytest
from support.launched import launch_folder
from support.sources import LIBRARY, LOANS, NOTE, folder

from dateline import __version__, entry

CLEAN, FOUND, MISUSE, INVALID, STALE, INTERRUPTED, UNREAD = 0, 1, 2, 3, 4, 130, 141


DIFF = ("diff", "2024-01-15", "2024-09-01")


class Outcome(NamedTuple):
    status: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder(tmp_path, LIBRARY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def dateline(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["dateline", *arguments])
        status = 0
        try:
            entry.main()
        except SystemExit as stopped:
            status = int(stopped.code or 0)
        out, err = capfd.readouterr()
        return Outcome(status, out, err)

    return run


def tree(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        # a cache makes no difference
        if path.is_file() and path.name != "cache"
    }


def test_generate_writes_every_output_and_then_has_nothing_to_do(
    project: Path, dateline: Run
) -> None:
    first = dateline("generate")
    assert (first.status, first.err) == (CLEAN, NOTE)
    lines = first.out.splitlines()
    written = tree(project / "generated")
    numbers = Counter(path.partition("/")[0] for path in written)
    assert lines[:-1] == [
        f"added generated/{name}" + (f"/ ({number} files)" if number > 1 else "")
        for name, number in numbers.items()
    ]
    assert lines[-1] == f"generated: {len(written)} added, 0 changed, 0 removed, 0 unchanged"
    # the plain command takes a shortcut without parsing; with an option, it prints the same
    for arguments in (["generate"], ["generate", "--output", "generated"]):
        assert dateline(*arguments) == Outcome(CLEAN, "generated: up to date\n", "")
    said = "no findings: nothing has changed since the outputs were generated\n"
    for arguments in (["check"], ["check", "--output", "generated"]):
        assert dateline(*arguments) == Outcome(CLEAN, said, "")
    assert tree(project / "generated") == written


def test_edit_of_the_definitions_changes_only_affected_outputs(built: Path, dateline: Run) -> None:
    loans = built / "schemas" / "loans.yaml"
    loans.write_text(LOANS.replace("description: expired", "description: It has expired."))
    outcome = dateline("generate")
    changed = [line for line in outcome.out.splitlines() if line.startswith("changed")]
    assert changed == [
        "changed generated/manifest.json",
        *(
            f"changed generated/python/library/server/documents/sandbox/{name}.json"
            for name in ("2024-01-15", "2024-09-01", "2025-06-01")
        ),
        *(
            f"changed generated/spec/sandbox/{name}.{form}"
            for name in ("2024-01-15", "2024-09-01", "2025-06-01", "latest", "next")
            for form in ("json", "yaml")
        ),
    ]


def test_whole_folders_are_listed_once(built: Path, dateline: Run) -> None:
    removed = sorted((built / "generated/changes").iterdir())
    for path in removed:
        path.unlink()
    first = dateline("generate").out.splitlines()
    assert first[0] == f"added generated/changes/ ({len(removed)} files)"
    for path in removed[1:]:
        path.unlink()
    again = dateline("generate").out.splitlines()
    assert again[:-1] == [f"added {path.relative_to(built)}" for path in removed[1:]]


def test_check_lists_stale_files_and_writes_nothing(built: Path, dateline: Run) -> None:
    assert dateline("generate", "--check") == Outcome(CLEAN, "", "")
    spec = built / "generated" / "spec" / "sandbox"
    (spec / "2024-01-15.json").unlink()
    (spec / "latest.yaml").write_text("edited by hand\n")
    before = tree(built)
    assert dateline("generate", "--check") == Outcome(
        STALE,
        "generated/spec/sandbox/2024-01-15.json: missing\n"
        "generated/spec/sandbox/latest.yaml: edited\n",
        "2 outputs are stale: run `dateline generate`, and commit the result\n",
    )
    assert tree(built) == before
    dateline("generate")
    assert dateline("generate", "--check").status == CLEAN


def test_every_problem_of_the_definitions_is_one_line_and_nothing_is_written(
    project: Path, dateline: Run
) -> None:
    loans = LOANS.replace("x-added: 2024-09-01", "x-aded: 2024-9-1")
    loans = loans.replace("format: uuid", "fromat: uuid")
    (project / "schemas" / "loans.yaml").write_text(loans)
    before = tree(project)
    outcome = dateline("generate")
    assert (outcome.status, outcome.out) == (INVALID, "")
    assert [line.split(" ")[0] for line in outcome.err.splitlines()] == [
        "schemas/loans.yaml:24:29:",
        "schemas/loans.yaml:44:11:",
        "schemas/loans.yaml:45:11:",
    ]
    assert "x-added" in outcome.err
    assert "format" in outcome.err
    assert tree(project) == before


def test_generate_refuses_to_overwrite_a_published_contract(built: Path, dateline: Run) -> None:
    loans = built / "schemas" / "loans.yaml"
    fine = "        fine_cents: { type: integer, x-removed: 2025-06-01 }\n"
    loans.write_text(LOANS.replace(fine, ""))
    before = tree(built)
    outcome = dateline("generate")
    assert (outcome.status, outcome.out) == (FOUND, "")
    assert "gated [response-field-removed] Loan.fine_cents: field removed" in outcome.err
    assert tree(built) == before
    checked = dateline("check")
    assert checked == Outcome(FOUND, outcome.err, "")


def test_check_writes_reports_in_several_formats_at_once(built: Path, dateline: Run) -> None:
    assert dateline("check") == Outcome(
        CLEAN, "no findings: nothing has changed since the outputs were generated\n", ""
    )
    loans = built / "schemas" / "loans.yaml"
    loans.write_text(LOANS.replace("type: integer, x-removed", "type: string, x-removed"))
    outcome = dateline("check", "--format", "github", "--format", "json=found.json")
    assert outcome.status == FOUND
    assert outcome.out.startswith("::error file=schemas/loans.yaml,line=29,")
    (change,) = json.loads((built / "found.json").read_text())["changes"]
    assert (change["rule"], change["schema"], change["field"]) == (
        "type-changed",
        "Loan",
        "fine_cents",
    )


def test_check_without_a_baseline_does_not_report_success(project: Path, dateline: Run) -> None:
    assert project.is_dir()
    outcome = dateline("check")
    assert (outcome.status, outcome.out) == (INVALID, "")
    assert outcome.err.startswith("generated: baseline-empty: there is no published document here")


def test_gate_shows_its_patch_and_then_writes_it(built: Path, dateline: Run) -> None:
    loans = built / "schemas" / "loans.yaml"
    loans.write_text(LOANS.replace("        note: { type: string }\n", ""))
    before = tree(built)
    shown = dateline("gate", "--dry-run")
    assert (shown.status, shown.err) == (CLEAN, "")
    assert "+        note: { type: string, x-removed: next }\n" in shown.out
    assert tree(built) == before
    assert dateline("gate").status == CLEAN
    assert "        note: { type: string, x-removed: next }\n" in loans.read_text()
    assert dateline("check").status == CLEAN
    assert dateline("gate") == Outcome(CLEAN, "", "nothing to gate\n")


def test_finding_can_be_waived_until_a_day(built: Path, dateline: Run) -> None:
    loans = built / "schemas" / "loans.yaml"
    loans.write_text(LOANS.replace("        note: { type: string }\n", ""))
    pointer = "/components/schemas/Loan/properties/note"
    versions = [word for date in ("2024-01-15", "2024-09-01", "2025-06-01") for word in
                ("--version", date)]  # fmt: skip
    given = [pointer, *versions, "--version", "next", "--reason", "Nobody reads it."]
    assert dateline("check").status == FOUND
    misspelt = dateline("waive", "response-field-removd", *given, "--expires", "2999-01-01")
    assert misspelt.status == MISUSE
    assert "Did you mean 'response-field-removed'?" in misspelt.err
    waived = dateline("waive", "response-field-removed", *given, "--expires", "2999-01-01")
    assert waived == Outcome(CLEAN, "wrote a waiver to schemas/waivers.yaml\n", "")
    checked = dateline("check")
    assert (checked.status, checked.out.splitlines()[-1]) == (CLEAN, "no findings; 1 waived")


def test_diff_exits_with_1_only_on_request(project: Path, dateline: Run) -> None:
    assert project.is_dir()
    plain = dateline("diff", "2024-01-15", "2024-09-01")
    assert (plain.status, plain.err) == (CLEAN, "")
    assert plain.out.splitlines()[-1] == "2 gated, 1 additive"
    assert dateline("diff", "2024-01-15", "2024-09-01", "--exit-code").status == FOUND
    assert dateline("diff", "next", "next", "--exit-code").status == CLEAN


def test_rules_are_listed_and_explained(dateline: Run) -> None:
    listed = dateline("rules").out.splitlines()
    assert [line.split()[1] for line in listed if line.startswith("variant-added ")] == ["gated"]
    for line in listed:
        assert dateline("explain", line.split()[0]).out.startswith(line.split()[0])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["genrate"], "'gate', 'generate', 'migrate'?) See `dateline --help`.\n"),
        (["generate", "--chek"], "?) See `dateline generate --help`.\n"),
        (["explain"], "Missing argument 'RULE'. See `dateline explain --help`.\n"),
        (
            ["explain", "variant-aded"],
            "Did you mean 'variant-added'? See `dateline explain --help`.\n",
        ),
        (["generate", "--check", "--watch"], "exclude each other"),
        (["generate", "--output", "schemas"], "schemas"),
        (["generate", "--output", "."], "."),
        (["generate", "--templates", "nowhere"], "nowhere"),
        ([*DIFF, "--format", "json=nowhere/found.json"], "nowhere/found.json can't be written"),
        ([*DIFF, "--format", "json", "--format", "sarif"], "one format goes to standard output"),
        ([*DIFF, "--format", "html="], "html= names no file"),
        ([*DIFF, "--format", "jsn"], "no format 'jsn'; there are "),
        (
            ["check", "--format", "jsn"],
            "no format 'jsn'; there are ",
        ),  # although nothing is published
        (["diff", "2024-01-15", "2024-09-02"], "no version 2024-09-02 in the version table"),
    ],
)
def test_usage_error_is_one_line_with_a_way_out(
    project: Path, dateline: Run, arguments: list[str], said: str
) -> None:
    before = tree(project)
    outcome = dateline(*arguments)
    assert (outcome.status, outcome.out) == (MISUSE, "")
    assert said in outcome.err
    assert "Traceback" not in outcome.err
    assert tree(project) == before


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ("schemas", "there is no project here or above: run `dateline init` in an empty folder, "),
        ("schemas/versions.yaml", "schemas/versions.yaml:1:1: no-definitions: there is no such "),
    ],
)
def test_missing_definitions_are_reported_without_a_traceback(
    project: Path, dateline: Run, missing: str, said: str
) -> None:
    (project / missing).rename(project / "elsewhere")
    outcome = dateline("generate")
    assert (outcome.status, outcome.out) == (INVALID, "")
    assert len(outcome.err.splitlines()) == 1
    assert outcome.err.startswith(said)


def test_status_compares_outputs_without_validating_them(built: Path) -> None:
    (built / "generated" / "spec" / "sandbox" / "latest.json").unlink()
    code = (
        "import sys; from pathlib import Path; from dateline.generate import Workspace; "
        "from dateline.status import read_status; "
        "here = Workspace(schemas=Path('schemas'), output=Path('generated')); "
        "print(read_status(here)['outputs']['stale'], 'openapi_spec_validator' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    said = "[{'path': 'spec/sandbox/latest.json', 'state': 'missing'}] False\n"
    assert (run.stdout, run.stderr) == (said, "")


def test_status_shows_versions_pending_changes_and_stale_outputs(
    built: Path, dateline: Run
) -> None:
    (built / "generated" / "spec" / "sandbox" / "latest.json").unlink()
    assert dateline("status") == Outcome(
        CLEAN,
        """\
versions
  2024-01-15  default              Initial version
  2024-09-01                       Audio books
  2025-06-01  latest               Author names in one field
  next        draft                Loans can be paused
environments
  production  https://api.library.example/api
  sandbox     https://sandbox.library.example/api
pending for next
  a loan can be paused
    LoanState: value paused added
added to all versions since the outputs were generated
  nothing
outputs
  generated/spec/sandbox/latest.json: missing
""",
        "",
    )


def test_init_creates_a_project_that_generates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dateline: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    assert dateline("init") == Outcome(
        CLEAN,
        "added schemas/api.yaml\nadded schemas/loans.yaml\nadded schemas/versions.yaml\n"
        "now run: dateline generate\n",
        "",
    )
    assert dateline("generate").status == CLEAN
    assert (tmp_path / "generated" / "python" / "library" / "v2025_09_01").is_dir()
    before = tree(tmp_path)
    again = dateline("init")
    assert (again.status, again.out) == (MISUSE, "")
    assert again.err == ". contains 'generated'; use an empty folder\n"
    assert tree(tmp_path) == before


def test_init_writes_first_handlers_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dateline: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    assert dateline("init", "--server", "new") == Outcome(
        CLEAN,
        "added new/schemas/api.yaml\nadded new/schemas/loans.yaml\n"
        "added new/schemas/versions.yaml\nadded new/server.py\n"
        "now run: cd new; dateline generate; uvicorn server:app\n",
        "",
    )
    first = tree(tmp_path)
    assert dateline("init", "--server", "new") == Outcome(
        MISUSE, "", "new/server.py exists already, and is yours: it is never overwritten\n"
    )
    assert tree(tmp_path) == first
    Path("new/server.py").unlink()
    monkeypatch.chdir("new")
    assert dateline("init", "--server") == Outcome(
        CLEAN, "added server.py\nnow run: dateline generate; uvicorn server:app\n", ""
    )
    assert tree(tmp_path) == first


@pytest.mark.parametrize("which", ["source", "versions", "report"])
def test_schema_prints_a_json_schema(project: Path, dateline: Run, which: str) -> None:
    outcome = dateline("schema", which)
    assert outcome.status == CLEAN
    schema = json.loads(outcome.out)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert project.is_dir()
    if which == "source":
        assert "2024-09-01" in outcome.out


def test_help_describes_the_command_line(monkeypatch: pytest.MonkeyPatch, dateline: Run) -> None:
    from click.testing import CliRunner

    from dateline.cli import main

    monkeypatch.setenv("COLUMNS", "80")
    rendered = CliRunner().invoke(main, ["--help"], prog_name="dateline", terminal_width=80)
    assert dateline("--help") == Outcome(CLEAN, rendered.output, "")
    assert dateline() == Outcome(MISUSE, rendered.output, "")
    assert dateline("--version").out == f"dateline {__version__}\n"


def start(project: Path, *arguments: str) -> subprocess.Popen[str]:
    # a shell makes background processes ignore interrupts, and children inherit that
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(
            [sys.executable, "-m", "dateline", *arguments],
            cwd=project,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
    finally:
        signal.signal(signal.SIGINT, before)


def lines(stream: IO[str] | None) -> Iterator[str]:
    """Yield the lines of *stream* as they come; fail if none comes for a minute."""
    assert stream is not None
    arrived: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read() -> None:
        for line in stream:
            arrived.put(line)

    threading.Thread(target=read, daemon=True).start()
    while True:
        yield arrived.get(timeout=60)


def test_watch_regenerates_survives_mistakes_and_ends_when_interrupted(
    project: Path,
) -> None:
    loans = project / "schemas" / "loans.yaml"
    with start(project, "generate", "--watch") as watching, contextlib.ExitStack() as stack:
        # a failure below must not wait for a process that never ends
        stack.callback(watching.kill)
        out, err = lines(watching.stdout), lines(watching.stderr)
        assert any("unchanged" in line for line in out)
        loans.write_text(LOANS.replace("format: uuid", "fromat: uuid"))
        assert any("fromat" in line for line in err)
        loans.write_text(f"{LOANS}# a comment changes nothing\n")
        assert any("up to date" in line for line in out)
        watching.send_signal(signal.SIGINT)
        assert watching.wait(timeout=60) == INTERRUPTED


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_unwritable_output_is_reported(project: Path) -> None:
    with Path("/dev/full").open("w") as full:
        reported = subprocess.run(
            [sys.executable, "-m", "dateline", "rules"],
            cwd=project,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert reported.returncode == MISUSE
    assert reported.stderr == "dateline: [Errno 28] No space left on device\n"


def test_closed_pipe_is_no_success(project: Path) -> None:
    """With `pipefail`, findings must not pass because `head` has read enough."""
    with start(project, "status") as printing:
        assert printing.stdout is not None
        assert printing.stderr is not None
        printing.stdout.close()
        assert printing.stderr.read() == ""
        assert printing.wait(timeout=60) == UNREAD


def test_outputs_do_not_depend_on_the_environment(project: Path, dateline: Run) -> None:
    loans = LOANS.replace("a loan can be paused", "ein Darlehen für später · 日本")
    (project / "schemas" / "loans.yaml").write_text(loans, encoding="utf-8")
    dateline("generate")
    expected = tree(project / "generated")
    surroundings = {"LC_ALL": "C", "PYTHONUTF8": "0", "TZ": "Pacific/Apia", "PYTHONHASHSEED": "1"}
    subprocess.run(
        [sys.executable, "-m", "dateline", "generate", "--output", "elsewhere"],
        cwd=project,
        env={**os.environ, **surroundings, "HOME": "/nonexistent"},
        check=True,
        capture_output=True,
    )
    assert tree(project / "elsewhere") == expected


def test_concurrent_runs_leave_one_complete_tree(project: Path) -> None:
    command = [str(launch_folder() / "dateline"), "generate"]
    runs = [
        subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    outcomes = {run.wait(timeout=120): run.communicate() for run in runs}
    assert set(outcomes) <= {CLEAN, INVALID}
    assert CLEAN in outcomes
    assert "Traceback" not in str(outcomes)
