"""Measure how many faults in the code the tests notice: random mutants, killed or survived.

`mutants.py FOLDER` records in FOLDER which test runs which line, once for each state of the code,
then draws mutants and runs for each the tests that run its line, fastest first, until one fails.
Nothing is changed in place: everything runs in a copy of the repository in FOLDER, and a mutant is
compiled in the memory of its own process. `equivalents.yaml` lists mutants that no test can
distinguish from the code, with the reason.

Of the maintained tools, cosmic-ray rewrites the sources in place and runs one command for all
mutants; mutmut selects tests by function, and neither mutates constants of a module nor draws by a
seed.
"""

from __future__ import annotations

import argparse
import ast
import functools
import hashlib
import importlib.abc
import importlib.machinery
import json
import os
import random
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import yaml

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.mutating import KINDS, mutations

if TYPE_CHECKING:
    import coverage
    import pytest

_REPOSITORY: Final = Path(__file__).parents[2]
EQUIVALENTS: Final = Path(__file__).with_name("equivalents.yaml")
_COPIED: Final = ("src", "tests", "schemas", "templates", "generated")
TARGETS: Final = (
    "src/dateline/diff/*.py",
    "src/dateline/rules/**/*.py",
    "src/dateline/gates.py",
    "src/dateline/project/*.py",
    "src/dateline/load/availability.py",
    "src/dateline/check/*.py",
    "src/dateline/contracts/builder.py",
    "src/dateline/source/text.py",
    "src/dateline_runtime/values.py",
    "src/dateline_runtime/compiling.py",
)
# these start processes, which run the unmodified code, or take minutes
_TESTS_LEFT_OUT: Final = ("tests/sandbox/*", "tests/house/*")
_ALL: Final = "*"  # stands for every test of a file: what a shared fixture runs

_SECONDS_OF_TESTS: Final = 60.0
_SECONDS_AT_LEAST: Final = 60.0
_TIMES_SLOWER: Final = 10.0
KILLED, SURVIVED = "killed", "survived"


class Mutant(NamedTuple):
    """A fault at a place: which of the mutations of *file* it is, and what it changes."""

    file: str
    function: str
    line: int
    last_line: int
    kind: str
    at: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.function}: {self.kind}: {self.text}"

    @property
    def key(self) -> str:
        """Its key in `equivalents.yaml`, which stays the same when it moves within its file."""
        return f"{self.file}: {self.function}: {self.kind}: {self.text}"


class Recorded(NamedTuple):
    """The duration of a test, and the lines of each file that it ran, as bits of a number."""

    id: str
    seconds: float
    lines: Mapping[str, int]

    @property
    def file(self) -> str:
        return self.id.partition("::")[0]


def draw(root: Path, targets: Iterable[str], count: int, seed: int) -> list[Mutant]:
    """Return *count* mutants, with equal numbers of each kind where possible."""
    files = sorted({path for target in targets for path in root.glob(target)})
    found: dict[str, list[tuple[str, int]]] = {kind: [] for kind in KINDS}
    for path in files:
        name = path.relative_to(root).as_posix()
        for at, mutation in enumerate(mutations(ast.parse(path.read_bytes()))):
            found[mutation.kind].append((name, at))
    dice = random.Random(seed)
    chosen: list[tuple[str, int]] = []
    for left, candidates in zip(range(len(found), 0, -1), found.values(), strict=True):
        share = (count - len(chosen)) // left
        chosen += dice.sample(candidates, min(share, len(candidates)))
    return [_mutant(root, *each) for each in sorted(chosen)]


def _mutant(root: Path, file: str, at: int) -> Mutant:
    kind, function, node, apply = mutations(ast.parse((root / file).read_bytes()))[at]
    before = ast.unparse(node)
    apply()
    # a `not` that is removed leaves its own operand unchanged
    after = ast.unparse(node) if ast.unparse(node) != before else before.removeprefix("not ")
    text = f"{before} -> {'pass' if kind == 'removed statement' else after}"
    last = node.end_lineno or node.lineno
    return Mutant(file, function, node.lineno, last, kind, at, _shorten(text))


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else f"{line[:78]} ... {line[-77:]}"


def _code(root: Path, mutant: Mutant) -> CodeType:
    """Return the code of the module with the fault."""
    tree = ast.parse((root / mutant.file).read_bytes())
    mutations(tree)[mutant.at].apply()
    return compile(ast.fix_missing_locations(tree), str(root / mutant.file), "exec")


class _Importer(importlib.abc.MetaPathFinder):
    """Imports the mutated module in place of the original."""

    def __init__(self, file: Path, code: CodeType) -> None:
        self._file = str(file)
        self._code = code

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin != self._file:
            return None
        code = self._code

        class Loader(importlib.machinery.SourceFileLoader):
            def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002
                return code

        spec.loader = Loader(name, self._file)
        return spec


class _Recorder:
    """A pytest plugin that records which lines each test runs, and how long it takes.

    What fixtures and caches keep for later tests counts as run by every test of the file.
    """

    def __init__(self, measuring: coverage.Coverage) -> None:
        self._measuring = measuring
        self._context = ""
        self.seconds: dict[str, float] = {}

    @contextmanager
    def _in_context(self, name: str) -> Iterator[None]:
        before = self._context
        self._switch(name)
        try:
            yield
        finally:
            self._switch(before)

    def _switch(self, name: str) -> None:
        if name != self._context:
            self._context = name
            self._measuring.switch_context(name)

    def watch_caches(self) -> None:
        """Make every cache created from now on report when it calls its function."""
        original: Any = functools.lru_cache

        def lru_cache(maxsize: Any = 128, typed: bool = False) -> Any:
            if callable(maxsize):
                return lru_cache()(maxsize)
            return lambda function: original(maxsize, typed)(self._shared(function))

        functools.lru_cache = lru_cache

    def _shared(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            with self._in_context(_ALL):
                return function(*arguments, **named)

        return call

    def hooks(self) -> object:
        import pytest

        recorder, seconds = self, self.seconds

        class Hooks:
            @pytest.hookimpl(hookwrapper=True)
            def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
                with recorder._in_context(item.nodeid):
                    yield

            @pytest.hookimpl(hookwrapper=True)
            def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
                of_one = fixturedef.scope == "function"
                with recorder._in_context(recorder._context if of_one else _ALL):
                    yield

            def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
                if not report.failed:
                    seconds[report.nodeid] = seconds.get(report.nodeid, 0.0) + report.duration

        return Hooks()


class _Chosen:
    """A pytest plugin that runs only the chosen tests, in their order."""

    def __init__(self, tests: Sequence[Recorded]) -> None:
        self._order = {test.id: at for at, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        known = [item for item in items if item.nodeid in self._order]
        items[:] = sorted(known, key=lambda item: self._order[item.nodeid])


class Bench:
    """A copy of the repository in which tests run, each in its own process."""

    def __init__(self, folder: Path, left_out: Iterable[str] = _TESTS_LEFT_OUT) -> None:
        self._folder = folder
        self.root = folder / "copy"
        self._left_out = left_out

    def prepare(self) -> None:
        """Copy the repository as it is; records of the same tests and code stay valid."""
        if self.root.exists():
            shutil.rmtree(self.root)
        caches = shutil.ignore_patterns("__pycache__")
        for name in _COPIED:
            shutil.copytree(_REPOSITORY / name, self.root / name, ignore=caches, symlinks=True)
        for path in _REPOSITORY.iterdir():
            if path.is_file():
                shutil.copy(path, self.root / path.name)
        os.chdir(self.root)
        # the package of this copy takes precedence over the installed one
        sys.path.insert(0, str(self.root / "src"))
        for name in ("click", "jinja2", "jsonschema_rs", "openapi_spec_validator", "pydantic"):
            # imports of all tests are done once, and without anything that is mutated
            __import__(name)

    @functools.cached_property
    def _state(self) -> str:
        """A digest of everything that records depend on."""
        total = hashlib.sha256()
        for folder in ("src", "tests"):
            for path in sorted((self.root / folder).rglob("*.*")):
                if path.is_file():
                    total.update(path.read_bytes())
        return total.hexdigest()[:16]

    def tests(self, patterns: Iterable[str], jobs: int) -> list[Recorded]:
        """Return the records of the tests in matching files; record the missing ones."""
        files = sorted({path for pattern in patterns for path in self.root.glob(pattern)})
        names = [path.relative_to(self.root).as_posix() for path in files]
        names = [
            name for name in names if not any(Path(name).match(each) for each in self._left_out)
        ]
        homes = {name: self._record(name) for name in names}
        todo = {name: home for name, home in homes.items() if not home.exists()}
        work = {name: _bound(self._recorded, name, home) for name, home in todo.items()}
        for name, status in _run_all(work, dict.fromkeys(work, 1800.0), jobs):
            print(f"recorded {name}" if status == 0 else f"not recorded: {name}", file=sys.stderr)
        return [
            Recorded(
                each["id"], each["seconds"], {file: int(bits, 16) for file, bits in each["lines"]}
            )
            for home in homes.values()
            if home.exists()
            for each in json.loads(home.read_bytes())
        ]

    def _record(self, test_file: str) -> Path:
        folder = self._folder / f"records-{self._state}"
        folder.mkdir(exist_ok=True)
        return folder / f"{test_file.replace('/', '.')}.json"

    def _recorded(self, test_file: str, home: Path) -> int:
        """Run the tests of a file, and write what each ran."""
        import coverage

        measuring = coverage.Coverage(
            data_file=None, config_file=False, include=[str(self.root / each) for each in TARGETS]
        )
        recorder = _Recorder(measuring)
        recorder.watch_caches()
        measuring.start()
        recorder._switch(_ALL)
        self._pytest([test_file], recorder.hooks())
        measuring.stop()
        lines: dict[str, dict[str, int]] = {}
        data = measuring.get_data()
        for file in data.measured_files():
            name = Path(file).relative_to(self.root).as_posix()
            for line, contexts in data.contexts_by_lineno(file).items():
                for context in contexts:
                    ran = lines.setdefault(context, {})
                    ran[name] = ran.get(name, 0) | 1 << line
        shared = lines.get(_ALL, {})
        rows = []
        for test, seconds in recorder.seconds.items():
            own = lines.get(test, {})
            bits = [
                (name, hex(own.get(name, 0) | shared.get(name, 0)))
                for name in sorted(own.keys() | shared.keys())
            ]
            rows.append({"id": test, "seconds": round(seconds, 4), "lines": bits})
        partly = home.with_suffix(".new")
        partly.write_text(json.dumps(rows))
        partly.rename(home)
        return 0

    def verdicts(
        self, mutants: Sequence[Mutant], tests: Sequence[Recorded], jobs: int
    ) -> Iterator[tuple[Mutant, str, int]]:
        """Yield for each mutant whether it was killed, and how many tests ran its line."""
        chosen = {mutant: select_tests(mutant, tests) for mutant in mutants}
        work = {mutant: _bound(self._tried, mutant, its) for mutant, its in chosen.items()}
        limits = {
            mutant: _SECONDS_AT_LEAST + _TIMES_SLOWER * sum(test.seconds for test in its)
            for mutant, its in chosen.items()
        }
        for mutant, status in _run_all(work, limits, jobs):
            yield mutant, SURVIVED if status == 0 else KILLED, len(chosen[mutant])

    def _tried(self, mutant: Mutant, tests: Sequence[Recorded]) -> int:
        """Return 1 if a test fails with the mutant in place of its module, 0 if none does."""
        sys.meta_path.insert(0, _Importer(self.root / mutant.file, _code(self.root, mutant)))
        by_file: dict[str, list[Recorded]] = {}
        for test in tests:
            by_file.setdefault(test.file, []).append(test)
        for file in sorted(by_file, key=lambda name: sum(test.seconds for test in by_file[name])):
            if self._pytest([file, "--exitfirst"], _Chosen(by_file[file])) != 0:
                return 1
        return 0

    def _pytest(self, arguments: list[str], plugin: object) -> int:
        import pytest

        temporary = self._folder / f"tmp-{os.getpid()}"
        options = ["-p", "no:cacheprovider", "-p", "no:xdist", f"--basetemp={temporary}"]
        try:
            return int(pytest.main([*arguments, *options, "--quiet"], plugins=[plugin]))
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def select_tests(mutant: Mutant, tests: Sequence[Recorded]) -> list[Recorded]:
    """Return the tests that run the lines of *mutant*, fastest first, up to a time limit.

    Code that runs on import is tried with all tests that use the module.
    """
    lines = sum(1 << line for line in range(mutant.line, mutant.last_line + 1))
    found = [test for test in tests if mutant.file in test.lines]
    if mutant.function:
        found = [test for test in found if test.lines[mutant.file] & lines]
    spent = 0.0
    chosen: list[Recorded] = []
    for test in sorted(found, key=lambda test: (test.seconds, test.id)):
        spent += test.seconds
        if spent > _SECONDS_OF_TESTS and chosen:
            break
        chosen.append(test)
    return chosen


def _bound(function: Callable[..., int], *given: object) -> Callable[[], int]:
    return lambda: function(*given)


def _run_all(
    work: Mapping[Any, Callable[[], int]], limits: Mapping[Any, float], jobs: int
) -> Iterator[tuple[Any, int]]:
    """Run each piece of *work* in its own process; yield its name and status when it ends.

    One that exceeds its time limit is stopped with all its children, and has status 1.
    """
    waiting = list(work)
    running: dict[int, tuple[Any, float]] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            name = waiting.pop(0)
            running[_fork(work[name])] = name, time.monotonic() + limits[name]
        time.sleep(0.02)
        for process, (name, until) in list(running.items()):
            ended, status = os.waitpid(process, os.WNOHANG)
            if not ended and time.monotonic() < until:
                continue
            os.killpg(process, signal.SIGKILL) if not ended else None
            if not ended:
                os.waitpid(process, 0)
            del running[process]
            yield name, os.waitstatus_to_exitcode(status) if ended else 1


def _fork(function: Callable[[], int]) -> int:
    """Run *function* in a new process with its own process group; return its id."""
    sys.stdout.flush()
    sys.stderr.flush()
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        os.setsid()
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silent, stream)
        status = function()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def equivalents() -> dict[str, str]:
    """Return the mutants that no test can distinguish from the code, by key, with the reason."""
    text = EQUIVALENTS.read_text("utf-8")
    return {row["mutant"]: row["reason"] for row in yaml.safe_load(text) or []}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", action="append", metavar="GLOB", help="these files alone")
    parser.add_argument("--tests", action="append", metavar="GLOB", help="these tests alone")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--goal", type=float, default=90.0, help="per cent killed (90)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    bench = Bench(options.folder.resolve())
    bench.prepare()
    tests = bench.tests(options.tests or ["tests/**/test_*.py"], options.jobs)
    mutants = draw(bench.root, options.target or TARGETS, options.count, options.seed)
    known = equivalents()
    killed, survived, equivalent = 0, [], 0
    for mutant, verdict, ran in bench.verdicts(mutants, tests, options.jobs):
        killed += verdict == KILLED
        if verdict == SURVIVED and mutant.key in known:
            equivalent += 1
        elif verdict == SURVIVED:
            survived.append(mutant)
            print(f"survived {ran} tests: {mutant}", file=sys.stderr, flush=True)
    counted = len(mutants) - equivalent
    share = 100 * killed / counted if counted else 100.0
    said = (
        f"{len(mutants)} mutants: {killed} killed ({share:.1f} %), {len(survived)} survived, "
        f"{equivalent} equivalent"
    )
    lines = [str(mutant) for mutant in sorted(survived)]
    print(
        json.dumps({"phases": {}, "said": "; ".join([said, *lines])})
        if options.json
        else "\n".join([said, *lines])
    )
    if share < options.goal:
        sys.exit("\n".join([said, *lines]))


if __name__ == "__main__":
    main()
