"""The files that are migrated, and what stays unchanged in them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from support.migrating import VERSIONS, migrate

OLD: Final = "library.v2025_01_01"

API: Final = {
    "shop/__init__.py": "",
    "shop/api.py": """\
from library.v2025_01_01 import Client, Loan, Remainder

client = Client()


def load(id: str) -> Loan:
    return client.fetch_loan(id)
""",
    "shop/parts/__init__.py": "",
    "shop/parts/use.py": """\
from shop.api import (
    Remainder,
    client,
)
from ..api import load

client.list_loans(status=None)
print(load("1").reader)
""",
    "tests/conftest.py": """\
import pytest
from library.v2025_01_01 import Client


@pytest.fixture
def client():
    with Client() as made:
        yield made
""",
    "tests/deep/test_loans.py": """\
def test_loans(client, loan):
    assert client.fetch_loan("1").reader == loan.reader
""",
    "shop/stub.pyi": "from library.v2025_01_01 import Remainder\nx: Remainder\n",
    "face/__init__.py": """\
from library.v2025_01_01 import Loan, LoanState, NewLoan as Wanted, Remainder
from .inner import show
__all__ = ["Loan", "Remainder", "Wanted", "show"]
""",
    "face/inner.py": """\
from . import Loan, Remainder


def show(loan: Loan) -> str:
    return loan.reader
""",
    "face/deep/__init__.py": "from .. import *\n",
    "face/deep/use.py": """\
from ... import face
from ..deep import Loan as Borrowed


def show(loan: Borrowed, rest: face.Remainder) -> object:
    return loan.reader, face.Wanted(reader="x"), face.LoanState.ACTIVE
""",
    "use.py": """\
import face as f
from face import Wanted, show
from face.deep import *


def show(loan: Loan, rest: Remainder) -> object:
    match loan:
        case f.Loan(reader="x") | Loan(reader="y"):
            return Wanted.model_validate({"reader": "x"}), Wanted.model_construct(reader="x")
    return loan.reader, Wanted(reader="x"), f.show(loan), Wanted(**vars(loan))
""",
    "plugins.py": "import mock\nmock.patch('face.inner.show').reader\n",
    # a module with the name of one of the project's
    "far.py": "from other.inner import loan\nimport sys as inner\nloan.reader\n",
    "shop/unconcerned.py": "def show(loan):\n    return loan.reader\n",
    "shop/newer.py": "from library.v2026_01_01 import Loan\n\nprint(Loan.reader)\n",
    "notes.ipynb": '{"cells": [{"source": ["from library.v2025_01_01 import Loan"]}]}\n',
    "other.ipynb": '{"cells": []}\n',
}

MIGRATED: Final = {
    "shop/api.py": """\
from library.v2026_01_01 import Client, Loan, Rest

client = Client()


def load(id: str) -> Loan:
    return client.get_loan(id)
""",
    "shop/parts/use.py": """\
from shop.api import (
    Remainder,
    client,
)
from ..api import load

client.list_loans(state=None)
print(load("1").borrower)
""",
    "tests/conftest.py": API["tests/conftest.py"].replace("v2025", "v2026"),
    "tests/deep/test_loans.py": """\
def test_loans(client, loan):
    assert client.get_loan("1").borrower == loan.reader
""",
    "shop/stub.pyi": "from library.v2026_01_01 import Rest\nx: Rest\n",
    "face/__init__.py": API["face/__init__.py"]
    .replace("v2025", "v2026")
    .replace("Wanted, Remainder", "Wanted, Rest"),
    "face/inner.py": API["face/inner.py"].replace("loan.reader", "loan.borrower"),
    "face/deep/use.py": API["face/deep/use.py"].replace("reader", "borrower"),
    "use.py": API["use.py"].replace("reader", "borrower"),
}


def test_files_that_use_others_of_the_project_are_migrated(project: Path, tmp_path: Path) -> None:
    for name, text in API.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    status, _, err = migrate(project, tmp_path, VERSIONS[0], VERSIONS[-1])
    found = {name: (tmp_path / name).read_text(encoding="utf-8") for name in API}
    assert found == {**API, **MIGRATED}
    places = re.findall(rf"^  {re.escape(str(tmp_path))}/(\S+):(\d+:\d+): ", err, re.M)
    assert status == 1
    assert sorted(places) == [
        *(("face/__init__.py", "3:20"), ("face/deep/use.py", "5:37"), ("face/inner.py", "1:21")),
        ("notes.ipynb", "1:1"),
        ("plugins.py", "2:31"),
        ("shop/parts/use.py", "2:5"),
        ("tests/deep/test_loans.py", "2:50"),
        *(("use.py", "10:70"), ("use.py", "6:28")),
    ]
    assert "notes.ipynb:1:1: a notebook, which is not read: export it as Python" in err


def test_files_keep_their_encodings_and_line_ends(project: Path, tmp_path: Path) -> None:
    text = f"from {OLD} import Loan\n\n\ndef f(loan: Loan):\n    return loan.reader, 'é'\n"
    contents = {
        "latin": f"# -*- coding: latin-1 -*-\n{text}".encode("latin-1"),
        "mark": text.encode("utf-8-sig"),
        "returns": text.replace("\n", "\r\n").encode(),
        "endless": text.rstrip().encode(),
    }
    for name, content in contents.items():
        (tmp_path / f"{name}.py").write_bytes(content)
    assert migrate(project, tmp_path, VERSIONS[0], VERSIONS[-1])[0] == 0
    for name, content in contents.items():
        expected = content.replace(b"v2025", b"v2026").replace(b"loan.reader", b"loan.borrower")
        assert (tmp_path / f"{name}.py").read_bytes() == expected


@pytest.mark.parametrize(
    "content",
    [b"x = '\xe9'  # library.v2025_01_01\n", b"# coding: none-such\nlibrary.v2025_01_01\n"],
)
def test_file_with_a_wrong_encoding_declaration_is_refused(
    project: Path, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "wrong.py").write_bytes(content)
    (tmp_path / "right.py").write_text("import library.v2025_01_01\n")
    status, out, err = migrate(project, tmp_path, VERSIONS[0], VERSIONS[-1])
    assert (status, out) == (3, "")
    assert err.startswith(
        f"{tmp_path}/wrong.py:1:1: python-unreadable: this is not valid Python: its "
    )
    assert (tmp_path / "right.py").read_text() == "import library.v2025_01_01\n"


def test_unrelated_code_is_ignored(project: Path, tmp_path: Path) -> None:
    contents = {
        "latin.py": b"x = '\xe9'\n",
        "other.py": b"# coding: none-such\n",
        "old.py": b"print 1",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "nowhere.py").symlink_to("nothing.py")
    (tmp_path / "right.py").write_text("import library.v2025_01_01\n")
    assert migrate(project, tmp_path, VERSIONS[0], VERSIONS[-1])[0] == 0
    assert (tmp_path / "right.py").read_text() == "import library.v2026_01_01\n"
    assert {name: (tmp_path / name).read_bytes() for name in contents} == contents


CLASS = "class Own(Loan):\n    x = 'é'\n"


@pytest.mark.parametrize(
    ("head", "text", "encoding", "is_python"),
    [
        ("# coding: latin-1\n", CLASS, "latin-1", True),
        ("", CLASS.replace("\n", "\r\n"), "utf-8-sig", True),
        ("", CLASS, "latin-1", False),
        ("# coding: none-such\n", CLASS, "utf-8", False),
        ("", f"{CLASS}print 1\n", "utf-8", False),
    ],
)
def test_inherited_classes_are_read_in_the_encoding_of_their_files(
    project: Path,
    tmp_path: Path,
    head: str,
    text: str,
    encoding: str,
    is_python: bool,
) -> None:
    base = f"{head}from library.v2025_01_01 import Loan\n{text}"
    (tmp_path / "own.py").write_bytes(base.encode(encoding))
    (tmp_path / "use.py").write_text(
        "import library.v2025_01_01\nfrom own import Own\n\n\nclass Mine(Own):\n    reader = 1\n"
    )
    status, _, err = migrate(project, tmp_path, VERSIONS[0], VERSIONS[-1])
    if is_python:
        assert f"{tmp_path}/use.py:6:5: " in err
    else:
        assert (status, err.count("\n")) == (3, 1)
        assert re.match(rf"{tmp_path}/own.py:\d+:\d+: python-unreadable: ", err)
