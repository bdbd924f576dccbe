"""`dateline migrate` converts code for one version into equivalent code for another."""

from __future__ import annotations

import asyncio
import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest
from support.commands import dateline
from support.launched import launch_folder
from support.migrating import PROGRAMS, SOURCES, VERSIONS, migrate, read_programs, write_programs
from support.seeds import IN_CI
from support.sources import folder

from dateline.generate import Workspace
from dateline.load import load
from dateline.serve.mock import Mock
from dateline.serve.package import open_server

FIRST = VERSIONS[0]


@pytest.fixture(scope="module")
def app(project: Path) -> Iterator[Any]:
    """The mock of the API."""
    api = load(project / "schemas")
    workspace = Workspace(schemas=project / "schemas", output=project / "generated")
    with open_server(workspace, api) as server:
        yield Mock(api, server, "production", 0).app


@pytest.fixture
def library(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The generated package, importable as `library`."""
    monkeypatch.syspath_prepend(str(project / "generated" / "python"))
    # packages of other projects may have the same name
    _forget_library()
    yield
    _forget_library()


def _forget_library() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "library"]:
        del sys.modules[name]


def run(path: Path, version: str, app: Any) -> Any:
    """Return what the program at *path* gets from the API of *version*."""
    module = ModuleType(path.stem)
    exec(compile(path.read_bytes(), path, "exec"), vars(module))
    client = importlib.import_module(f"library.v{version.replace('-', '_')}").AsyncClient

    async def main() -> Any:
        transport = httpx.ASGITransport(app)
        async with client(base_url="http://api", transport=transport) as connected:
            return await module.main(connected)

    return asyncio.run(main())


@pytest.fixture(scope="module")
def migrated(project: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The programs for each version, migrated step by step."""
    root = tmp_path_factory.mktemp("programs")
    folders = {FIRST: write_programs(root / "first", PROGRAMS)}
    for older, newer in pairwise(VERSIONS):
        texts = read_programs(folders[older])
        folders[newer] = write_programs(root / newer, texts)
        assert migrate(project, folders[newer], older, newer)[0] == 0
    return folders


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("program", PROGRAMS)
def test_program_gets_the_same_in_every_version(
    migrated: dict[str, Path], app: Any, program: str
) -> None:
    first, *newer = (run(migrated[version] / f"{program}.py", version, app) for version in VERSIONS)
    assert newer == [first] * 2
    assert first


def test_steps_have_the_same_result_as_a_jump(
    project: Path, migrated: dict[str, Path], tmp_path: Path
) -> None:
    jumped = write_programs(tmp_path, PROGRAMS)
    status, out, _ = migrate(project, jumped, FIRST, VERSIONS[-1])
    assert status == 0
    assert read_programs(jumped) == read_programs(migrated[VERSIONS[-1]])
    assert out.splitlines() == [
        f"changed {jumped / name}.py" for name in sorted(PROGRAMS) if name != "untouched"
    ]


@IN_CI
def test_type_checkers_accept_programs_before_and_after(
    project: Path, migrated: dict[str, Path], tmp_path: Path
) -> None:
    for version, programs in migrated.items():
        name = f"v{version.replace('-', '_')}"
        texts = {f"{program}_{name}": text for program, text in read_programs(programs).items()}
        write_programs(tmp_path, texts)
    # a program for the first version is invalid for the last
    text = PROGRAMS["annotated"].replace("v2025_01_01", "v2026_01_01")
    (tmp_path / "mistaken.py").write_text(text, encoding="utf-8")
    checker = [sys.executable, "-m", "mypy", "--strict", "--python-version", "3.11"]
    done = subprocess.run(
        [*checker, "."],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(project / "generated" / "python")},
        capture_output=True,
        text=True,
        check=False,
    )
    found = [line for line in done.stdout.splitlines() if "error:" in line]
    assert {line.partition(":")[0] for line in found} == {"mistaken.py"}, done.stdout


def test_only_affected_text_is_changed(migrated: dict[str, Path]) -> None:
    assert read_programs(migrated[VERSIONS[-1]])["annotated"] == (
        PROGRAMS["annotated"]
        .replace("v2025_01_01", "v2026_01_01")
        .replace("loan.reader, loan.owner.name", "loan.borrower, loan.owner.full_name")
        .replace("fetch_loan", "get_loan")
    )
    assert read_programs(migrated[VERSIONS[-1]])["untouched"] == PROGRAMS["untouched"]


def test_dry_run_shows_the_patch_and_writes_nothing(project: Path, tmp_path: Path) -> None:
    programs = write_programs(tmp_path, {"annotated": PROGRAMS["annotated"]})
    status, out, _ = migrate(project, programs, FIRST, VERSIONS[1], "--dry-run")
    assert status == 0
    assert read_programs(programs) == {"annotated": PROGRAMS["annotated"]}
    changed = [
        line for line in out.splitlines() if line[:1] in "+-" and line[:3] not in ("---", "+++")
    ]
    assert changed == [
        "-from library.v2025_01_01 import AsyncClient, Loan",
        "+from library.v2025_06_01 import AsyncClient, Loan",
        "-    return loan.reader, loan.owner.name",
        "+    return loan.borrower, loan.owner.name",
    ]


def test_command_has_the_same_result_in_a_fresh_process(project: Path, tmp_path: Path) -> None:
    programs = write_programs(tmp_path, {"annotated": PROGRAMS["annotated"]})
    more = ("migrate", str(programs), "--from", FIRST, "--to", VERSIONS[1], "--dry-run")
    command = [str(launch_folder() / "dateline"), *more]
    ran = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    copied = migrate(project, programs, FIRST, VERSIONS[1], "--dry-run")
    assert (ran.returncode, ran.stdout, ran.stderr) == copied


GONE = """\
from library.v2025_06_01 import Client, Kind, Loan


def fine(loan: Loan) -> object:
    if loan.id:
        return loan.fine_cents
    return None


def is_tape(client: Client) -> bool:
    print(client); return client.fetch_loan("7").kind is Kind.TAPE
"""


def find_place(text: str, name: str) -> str:
    """Return the line and column of *name* in *text*."""
    before = text[: text.index(name)]
    return f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


def test_removed_name_is_marked_with_its_reason_once(project: Path, tmp_path: Path) -> None:
    programs = write_programs(tmp_path, {"gone": GONE})
    _, _, dry = migrate(project, programs, "2025-06-01", "2026-01-01", "--dry-run")
    status, _, err = migrate(project, programs, "2025-06-01", "2026-01-01")
    assert status == 1
    fine = "Loan.fine_cents: field removed: Fines are gone."
    sold = "Kind: value tape removed: Tapes are sold."
    text = read_programs(programs)["gone"]
    assert text == GONE.replace("v2025_06_01", "v2026_01_01").replace(
        "        return loan.fine", f"        # dateline: {fine}\n        return loan.fine"
    ).replace("fetch_", "get_").replace(
        "    print(client)", f"    # dateline: {sold}\n    print(client)"
    )
    # a place is that in the text that is there
    for listed, shown in ((dry, GONE), (err, text)):
        places = [find_place(shown, name) for name in ("fine_cents\n", "TAPE")]
        assert listed.splitlines() == [
            "marked in the code:",
            f"  {programs}/gone.py:{places[0]}: {fine}",
            f"  {programs}/gone.py:{places[1]}: {sold}",
        ]
    # nothing uses the older version any more
    again = migrate(project, programs, "2025-06-01", "2026-01-01")
    assert again == (0, "", "nothing uses 2025-06-01\n")
    assert read_programs(programs)["gone"] == text


CASED = """\
from library.v2025_06_01 import Client, LoanState


def is_active(client: Client) -> bool:
    return client.fetch_loan("7").state is LoanState.ACTIVE
"""


def test_enum_member_with_another_value_is_marked(tmp_path: Path) -> None:
    cased = "enum: [ACTIVE, returned]\n      x-was: { 2026-01-01: { enum: [active, returned] } }"
    texts = {
        name: each.replace("enum: [active, returned]", cased) for name, each in SOURCES.items()
    }
    root = tmp_path / "library"
    folder(root, texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        outcome = dateline("generate")
        assert outcome.status == 0, outcome.err
    programs = write_programs(tmp_path / "programs", {"cased": CASED})
    status, _, err = migrate(root, programs, "2025-06-01", "2026-01-01")
    assert (status, err.splitlines()) == (
        1,
        [
            *(
                "marked in the code:",
                f"  {programs}/cased.py:6:52: LoanState: value active removed",
            ),
            *("other changes, without names to rewrite:", "  LoanState: value ACTIVE added"),
        ],
    )


# The same addresses under other paths: the first has other names, the second the same elsewhere.
SHELVES = {
    "versions.yaml": f"{SOURCES['versions.yaml']}lint: adopted\npolicy: dated-contract\n",
    "api.yaml": """\
openapi: 3.1.0
info: { title: Library, version: canonical }
paths:
  /shelves/{shelf_id}:
    x-removed: 2026-01-01
    get:
      operationId: readShelf
      parameters:
        - { name: shelf_id, in: path, required: true, schema: { type: string } }
        - { name: order, in: query, schema: { type: string } }
      responses:
        '200':
          description: a shelf
          content: { application/json: { schema: { $ref: '#/components/schemas/OldShelf' } } }
  /shelves/{id}:
    x-added: 2026-01-01
    get:
      operationId: getShelf
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses:
        '200':
          description: a shelf
          content: { application/json: { schema: { $ref: '#/components/schemas/Shelf' } } }
  /books/{shelf}/{book}:
    x-removed: 2026-01-01
    put: PUT
  /books/{book}/{shelf}:
    x-added: 2026-01-01
    put: PUT
components:
  schemas:
    OldShelf:
      type: object
      x-removed: 2026-01-01
      properties: { label: { type: string }, kind: { type: string } }
    Shelf:
      type: object
      x-added: 2026-01-01
      properties: { label: { type: string }, kind: { type: string, enum: [open, closed] } }
""".replace(
        "PUT",
        """
      operationId: putBook
      parameters:
        - { name: shelf, in: path, required: true, schema: { type: string } }
        - { name: book, in: path, required: true, schema: { type: string } }
      responses: { '204': { description: put there } }""",
    ),
}
SHELVED = """\
from library.v2025_06_01 import Client, OldShelf


def read(client: Client) -> list[OldShelf]:
    client.put_book("a", "b")
    client.put_book(book="b", shelf="a")
    return [
        client.read_shelf("a"),
        client.read_shelf(shelf_id="a"),
        client.read_shelf("a", order="up"),
    ]
"""


def test_arguments_of_paths_are_matched_by_their_places(tmp_path: Path) -> None:
    root = tmp_path / "library"
    folder(root, SHELVES)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        outcome = dateline("generate")
        assert outcome.status == 0, outcome.err
    programs = write_programs(tmp_path / "programs", {"shelved": SHELVED})
    status, _, err = migrate(root, programs, "2025-06-01", "2026-01-01")
    swapped = "PUT /books/{book}/{shelf}: path parameters swapped ('shelf' -> 'book')"
    removed = "GET /shelves/{id}: parameter order removed"
    assert (status, err.splitlines()) == (
        1,
        [
            "marked in the code:",
            f"  {programs}/shelved.py:6:12: {swapped}",
            f"  {programs}/shelved.py:8:12: {swapped}",
            f"  {programs}/shelved.py:13:31: {removed}",
            "other changes, without names to rewrite:",
            # the class of its values is one that the older version lacks
            '  Shelf.kind: enum added (["open", "closed"])',
        ],
    )
    expected = SHELVED
    for old, new in (
        ("v2025_06_01", "v2026_01_01"),
        ("OldShelf", "Shelf"),
        ("read_shelf", "get_shelf"),
        ("shelf_id=", "id="),
        ("    client.put", f"    # dateline: {swapped}\n    client.put"),
        ("    return", f"    # dateline: {removed}\n    return"),
    ):
        expected = expected.replace(old, new)
    assert read_programs(programs)["shelved"] == expected


ALIASED = """\
from library.v2025_06_01 import Client, GetFeesResponseEntriesItem, Kind


def read(text: str) -> object:
    return Kind(text)


def note(entry: GetFeesResponseEntriesItem, kind: object) -> object:
    return isinstance(kind, Kind) and entry.note
"""


def test_class_that_became_a_type_alias_is_marked_where_it_is_called(
    project: Path, tmp_path: Path
) -> None:
    programs = write_programs(tmp_path, {"aliased": ALIASED})
    status, _, err = migrate(project, programs, "2025-06-01", "2026-01-01")
    assert status == 1
    alias = "library.v2026_01_01.Kind is not a class but a type alias"
    assert err.splitlines() == [
        "marked in the code:",
        f"  {programs}/aliased.py:6:12: {alias}",
        f"  {programs}/aliased.py:12:29: {alias}",
        f"  {programs}/aliased.py:12:45: GET /fees, entries[].note: field removed: Nobody read it.",
    ]


QUOTED = """\
import library.v2025_06_01 as api
from library.v2025_06_01 import Remainder
from typing import Annotated, Literal, cast


def first(rest: "Remainder", more: "list[Remainder]", word: Literal["Remainder"]) -> None: ...


def second(rest: Annotated["Remainder", "Remainder"], other: "api.Remainder") -> object:
    return cast("Remainder", rest) or "Remainders"


def third(rest: "Remainder | Literal['Remainder']", more: "list[\\x52emainder]") -> None: ...
"""


def test_quoted_types_are_rewritten_and_other_texts_listed(project: Path, tmp_path: Path) -> None:
    programs = write_programs(tmp_path, {"quoted": QUOTED})
    status, _, err = migrate(project, programs, "2025-06-01", "2026-01-01")
    assert status == 1
    assert read_programs(programs)["quoted"] == (
        QUOTED.replace("v2025_06_01", "v2026_01_01")
        .replace("import Remainder", "import Rest")
        .replace('rest: "Remainder", more: "list[Remainder]"', 'rest: "Rest", more: "list[Rest]"')
    )
    name = "Remainder"
    listed = [
        *((6, 59, name), (9, 28, name), (9, 41, name), (9, 62, "api.Remainder"), (10, 17, name)),
        *((13, 17, "Remainder | Literal['Remainder']"), (13, 59, "list[Remainder]")),
    ]
    assert err.splitlines() == [
        "not certain, and left as it is:",
        *(
            f"  {programs}/quoted.py:{line}:{column}: "
            f"the text {text!r} may name a class that changed"
            for line, column, text in listed
        ),
    ]


INLINE = """\
from library.v2025_01_01 import Client, RestBody, RestBodyPayer


def pay(client: Client) -> int:
    body = RestBody.model_validate({"amount": 1, "payer": {"name": "Ann"}})
    return client.pay_fees(body=body).amount


def choose(client: Client, payer: RestBodyPayer | None) -> object:
    return payer and (payer.name, client.get_fees().entries[0].amount)
"""


def test_inline_schemas_are_found_through_the_methods_of_the_client(
    project: Path, tmp_path: Path
) -> None:
    programs = write_programs(tmp_path, {"inline": INLINE})
    status, _, err = migrate(project, programs, "2025-01-01", "2026-01-01")
    assert read_programs(programs)["inline"] == (
        INLINE.replace("v2025_01_01", "v2026_01_01")
        .replace('"amount"', '"cents"')
        .replace('"name"', '"full_name"')
        .replace("payer.name", "payer.full_name")
        .replace("entries[0].amount", "entries[0].cents")
    )
    assert (status, err) == (0, "")


UNCERTAIN = """\
from library.v2025_01_01 import Loan

VERSION = "2025-01-01"


def show(loan, other: Loan | str) -> None:
    print(loan.reader, getattr(other, "reader"))


def make(more: dict[str, str]) -> Loan:
    return Loan(**more)
"""


def test_uncertain_uses_are_listed_and_unchanged(project: Path, tmp_path: Path) -> None:
    programs = write_programs(tmp_path, {"uncertain": UNCERTAIN})
    status, _, err = migrate(project, programs, "2025-01-01", "2025-06-01")
    assert status == 1
    assert read_programs(programs)["uncertain"] == UNCERTAIN.replace("v2025_01", "v2025_06")
    assert err.splitlines() == [
        "not certain, and left as it is:",
        f"  {programs}/uncertain.py:3:11: the text '2025-01-01' may name the version",
        f"  {programs}/uncertain.py:7:16: `reader` may be one of the API: "
        "Loan.reader is borrower now; NewLoan.reader is borrower now",
        f"  {programs}/uncertain.py:7:39: the text 'reader' may name a field that changed",
        f"  {programs}/uncertain.py:11:17: this may have a name of Loan that changed: "
        "reader is borrower now",
    ]


def test_invalid_python_is_refused_and_nothing_is_written(project: Path, tmp_path: Path) -> None:
    texts = {"annotated": PROGRAMS["annotated"], "broken": "import library.v2025_01_01\ndef (:\n"}
    programs = write_programs(tmp_path, texts)
    status, out, err = migrate(project, programs, FIRST, VERSIONS[1])
    assert (status, out) == (3, "")
    assert err.startswith(f"{programs}/broken.py:2:1: python-unreadable: ")
    assert read_programs(programs) == texts


@pytest.mark.parametrize(
    ("older", "newer", "said"),
    [
        ("2024-01-01", "2025-06-01", "has no version 2024-01-01"),
        ("2025-01-01", "2027-01-01", "has no version 2027-01-01"),
        ("2025-06-01", "2025-01-01", "2025-06-01...2025-01-01.json is missing"),
    ],
)
def test_unknown_versions_are_refused(
    project: Path, tmp_path: Path, older: str, newer: str, said: str
) -> None:
    programs = write_programs(tmp_path, PROGRAMS)
    status, out, err = migrate(project, programs, older, newer)
    assert (status, out) == (3, "")
    assert said in err
    assert read_programs(programs) == PROGRAMS
