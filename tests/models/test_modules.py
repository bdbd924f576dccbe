"""Modules of models: types that the same versions share are in one module."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from support.modelling import TEXT, Package, document, record, ref


def test_importing_a_version_defines_no_types_of_other_versions(tmp_path: Path) -> None:
    package = Package(
        tmp_path,
        {
            "2024-01-01": document({"A": record(b=ref("B")), "B": record(x=TEXT)}),
            "2024-02-01": document({"A": record(b=ref("B")), "B": record(y=TEXT)}),
            "2024-03-01": document({"A": record(b=ref("B")), "B": record(y=TEXT), "C": TEXT}),
        },
    )
    program = (
        f"import sys, {package.name}.v2024_0{{}}_01\n"
        "print(*sorted(name.split('.')[2] for name in sys.modules if '.models.v' in name))"
    )
    expected = {
        1: b"v2024_01_01_until_v2024_02_01",
        2: b"v2024_02_01",
        3: b"v2024_02_01 v2024_03_01",
    }
    for month, modules in expected.items():
        ran = subprocess.run(
            [sys.executable, "-c", program.format(month)],
            cwd=package.folder,
            capture_output=True,
            check=True,
        )
        assert ran.stdout.strip() == modules


def test_type_of_scattered_versions_is_in_a_module_with_a_bounded_name(tmp_path: Path) -> None:
    days = [f"2024-01-{day:02}" for day in range(1, 25)]
    either = ({"A": record(x=TEXT)}, {"A": record(y=TEXT)})
    package = Package(tmp_path, {day: document(either[at % 2]) for at, day in enumerate(days)})
    names = [Path(path).name for path in package.files if "/models/" in path]
    assert (len(names), max(map(len, names)) < 128) == (3, True)
    assert package.version(days[0]).A is package.version(days[-2]).A
