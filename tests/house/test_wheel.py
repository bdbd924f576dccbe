"""The wheel holds all that is needed: elsewhere it sets up a project and generates the same."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from dateline.edit import init
from dateline.generate import Workspace, render_outputs

ROOT = Path(__file__).parents[2]


def run(*command: str | Path, folder: Path) -> str:
    """Run *command* in *folder*, as far from this checkout as can be; return what it printed."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    ran = subprocess.run(command, cwd=folder, env=kept, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of scripts of a fresh environment into which the wheel was installed."""
    folder = tmp_path_factory.mktemp("wheel")
    run_python = [sys.executable, "-m"]
    build = ["build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run([*run_python, *build], capture_output=True, check=True)
    [wheel] = folder.glob("*.whl")
    environment = folder / "environment"
    venv.create(environment)
    places = {"base": str(environment), "platbase": str(environment)}
    # The packages that dateline needs are lent by the environment of this test: nothing is
    # downloaded. A plain path in a .pth file brings them in without the .pth file, next to
    # them, that makes this checkout importable.
    lent = Path(sysconfig.get_path("purelib", vars=places), "lent.pth")
    lenders = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    lent.write_text("\n".join(lenders), encoding="utf-8")
    install = ["install", "--quiet", "--no-index", "--no-deps", str(wheel)]
    command = [*run_python, "pip", "--python", str(environment), *install]
    subprocess.run(command, capture_output=True, check=True)
    return Path(sysconfig.get_path("scripts", vars=places))


def test_an_installed_wheel_sets_up_a_project_and_generates_what_this_checkout_does(
    scripts: Path, tmp_path: Path
) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    where = "import dateline; print(dateline.__file__)"
    assert run(scripts / "python", "-c", where, folder=there).startswith(str(scripts.parent))

    run(scripts / "dateline", "init", folder=there)
    run(scripts / "dateline", "generate", folder=there)
    assert run(scripts / "dateline", "generate", "--check", folder=there) == ""

    init(here)
    artifacts, _ = render_outputs(Workspace(schemas=here / "schemas", output=here / "generated"))
    generated = there / "generated"
    assert {artifact.path: artifact.content for artifact in artifacts} == {
        path.relative_to(generated).as_posix(): path.read_bytes()
        for path in generated.rglob("*")
        if path.is_file() and path.name != "manifest.json"
    }
