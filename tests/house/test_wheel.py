"""The wheel is complete: installed elsewhere, it sets up a project and generates the same."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from support.seeds import IN_CI

from dateline.edit import init
from dateline.generate import Workspace, render_outputs

ROOT = Path(__file__).parents[2]


def run(*command: str | Path, folder: Path) -> str:
    """Run *command* in *folder*, isolated from this checkout; return its output."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    ran = subprocess.run(command, cwd=folder, env=kept, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of scripts of a new environment with the wheel installed."""
    folder = tmp_path_factory.mktemp("wheel")
    run_python = [sys.executable, "-m"]
    build = ["hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run([*run_python, *build], cwd=ROOT, capture_output=True, check=True)
    [wheel] = folder.glob("*.whl")
    environment = folder / "environment"
    venv.create(environment)
    places = {"base": str(environment), "platbase": str(environment)}
    # Dependencies of dateline come from the environment of this test, so that nothing is
    # downloaded: a plain path in a .pth file adds them without the .pth file next to them, which
    # makes this checkout importable.
    lent = Path(sysconfig.get_path("purelib", vars=places), "lent.pth")
    lenders = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    lent.write_text("\n".join(lenders), encoding="utf-8")
    install = ["install", "--quiet", "--no-index", "--no-deps", "--no-compile", str(wheel)]
    command = [*run_python, "pip", "--python", str(environment), *install]
    subprocess.run(command, capture_output=True, check=True)
    return Path(sysconfig.get_path("scripts", vars=places))


@IN_CI
def test_installed_wheel_sets_up_a_project_and_generates_the_same_as_this_checkout(
    scripts: Path, tmp_path: Path
) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    where = "import dateline; print(dateline.__file__)"
    assert run(scripts / "python", "-c", where, folder=there).startswith(str(scripts.parent))

    run(scripts / "dateline", "init", folder=there)
    run(scripts / "dateline", "generate", folder=there)

    init(here)
    artifacts, _ = render_outputs(Workspace(schemas=here / "schemas", output=here / "generated"))
    generated = there / "generated"
    assert {artifact.path: artifact.content for artifact in artifacts} == {
        path.relative_to(generated).as_posix(): path.read_bytes()
        for path in generated.rglob("*")
        if path.is_file() and path.name != "manifest.json"
    }
