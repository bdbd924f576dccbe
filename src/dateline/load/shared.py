"""Files of folders that a project shares with others, read when a reference leads to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from dateline.bundle.sources import SourceFile
from dateline.cache import Cache
from dateline.load.kept import Fragment, read_fragment
from dateline.model import Problem, Table
from dateline.paths import find_top, name_file
from dateline.source.reader import Locator


class SharedFiles:
    """The files of the folders that the table of a project lists as shared.

    ``read`` has the files that were read so far, by their names, which are paths relative to the
    *folder* of the project's definitions and begin with `../`. Their problems are appended to
    *problems*.
    """

    def __init__(
        self, folder: Path, table: Table, problems: list[Problem], cache: Cache | None
    ) -> None:
        self.names = table.shared
        self.read: dict[str, Fragment] = {}
        self._folder = folder
        self._table = table
        self._problems = problems
        self._cache = cache
        problems += self._find_problems()

    def find(self, name: str) -> SourceFile | None:
        """Return the file called *name*; None if no shared folder has it.

        Raises AddressError for one that can't be read; the problem is appended.
        """
        around = next((one for one in self.names if name.startswith(f"{one}/")), None)
        if around is None or not (self._folder / name).exists():
            return None
        shown = name_file(self._folder, name)
        if name not in self.read:
            fragment = read_fragment(
                self._folder / name,
                shown,
                adopted=self._table.adopted,
                problems=self._problems,
                cache=self._cache,
                inside=self._folder / around,
            )
            if fragment is None:
                # slow to import, and not needed without errors
                from dateline.bundle.addresses import AddressError

                raise AddressError("", "")
            self.read[name] = fragment
        document = self.read[name].document
        return SourceFile(shown, dict(document), Locator([document]).locate)

    def explain(self, problem: Problem) -> Problem:
        """Return *problem*, with a second possible cause if the file is a shared one."""
        shared = {name_file(self._folder, name) for name in self.read}
        if problem.id != "unknown-version" or problem.place.file not in shared:
            return problem
        message = (
            f"{problem.message}; if another project has cut it in this shared file, "
            "run `dateline cut` with that day here, too"
        )
        return replace(problem, message=message)

    def _find_problems(self) -> Iterator[Problem]:
        """Yield why folders can't be shared: nothing else outside of the definitions is read."""
        here = self._folder.resolve()
        for name in self.names:
            folder = (self._folder / name).resolve()
            if not folder.is_dir():
                message = (
                    f"there is no folder {name_file(self._folder, name)}; create it, or correct "
                    "the name"
                )
            elif here.is_relative_to(folder):
                message = f"{name} contains the definitions themselves; share a folder beside them"
            elif folder != _walk(here, name):
                message = f"a link is on the path to {name}; name the folder that it leads to"
            elif find_top(folder) != find_top(here):
                message = f"{name} is in another repository; share a folder of this one"
            else:
                continue
            yield Problem(place=self._table.place("shared"), id="shared-folder", message=message)


def _walk(folder: Path, name: str) -> Path:
    for step in name.split("/"):
        folder = folder.parent if step == ".." else folder / step
    return folder
