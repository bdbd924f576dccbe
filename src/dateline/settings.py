"""Find the project that a folder belongs to, and its settings."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from dateline.fresh import OUTPUT, SCHEMAS, SETTINGS, SHARED_SETTINGS
from dateline.model import MANIFEST, DatelineError, Place, Problem, SourceError
from dateline.paths import name_path

_TABLE: Final = "versions.yaml"
_TEXTS: Final = ("name", "schemas", "output", "templates", "rule-pages", "converters")
_KEYS: Final = (*_TEXTS, "strict", "projects")
_ERROR: Final = re.compile(r"(?P<fact>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|.*)\)")


class UnknownProjectError(DatelineError):
    """No project has the name, or several projects are possible."""

    exit_code = 2


@dataclass(frozen=True, kw_only=True)
class Workspace:
    """The folders and settings of one project.

    ``name`` distinguishes it from other projects. ``templates`` overrides the built-in templates
    file by file. With ``strict``, openapi-spec-validator validates adopted documents, too.
    ``rule_pages`` is an address with ``{rule}`` in it, under which a page explains each rule.
    ``converters`` names an object with the methods of the converters, `module:name`.
    """

    schemas: Path
    output: Path
    templates: Path | None = None
    strict: bool = False
    name: str = ""
    rule_pages: str = ""
    converters: str | None = None

    @property
    def protected(self) -> tuple[Path, ...]:
        """The folders that must never be overwritten."""
        return (self.schemas,) if self.templates is None else (self.schemas, self.templates)


def find_projects(names: Sequence[str] = ()) -> list[Workspace]:
    """Return the projects that the working folder belongs to, or those of them with *names*.

    The search goes from the working folder up to the top of the repository, and ends at the nearest
    folder with settings, or with definitions in `schemas/`. If its settings list `projects`, these
    are returned. With *names*, only a folder with such a list, or a project of that name, ends the
    search. The result is empty if there is none. Raises SourceError for invalid settings, and
    UnknownProjectError for an unknown name.
    """
    for folder in _list_folders():
        settings = _Settings.read(folder)
        if settings is not None and "projects" in settings.values:
            members = list(settings.list_members())
            return _choose(members, names) if names else members
        if settings is not None or (folder / SCHEMAS / _TABLE).exists():
            found = (settings or _Settings(folder)).workspace()
            if not names or list(names) == [found.name]:
                return [found]
    if names:
        raise UnknownProjectError(
            f"no `projects` are listed in a {SETTINGS} here or above, so there is no {names[0]!r}"
        )
    return []


def name_definitions() -> Path:
    """Return the folder of the definitions of a project in the working folder, existing or new.

    Raises SourceError for invalid settings, and UnknownProjectError if they list `projects`.
    """
    settings = _Settings.read(Path()) or _Settings(Path())
    if "projects" in settings.values:
        raise UnknownProjectError(
            f"the settings here list `projects`; name the folder for one of them, such as "
            f"--into apis/lending/{SCHEMAS}"
        )
    return settings.workspace().schemas


def list_gone(outputs: Iterable[Path], workspaces: Sequence[Workspace]) -> list[Path]:
    """Return those of *outputs* for which a pattern of `projects` no longer finds a project.

    Empty unless *workspaces* are all projects of the working folder. Outputs that one of them wrote
    before its folder was renamed have a project.
    """
    settings = None
    for above in _list_folders():
        settings = _Settings.read(above)
        if settings is not None or (above / SCHEMAS / _TABLE).exists():
            break
    if settings is None or "projects" not in settings.values:
        return []
    kept = {one.output.resolve() for one in workspaces}
    if kept != {one.output.resolve() for one in settings.list_members()}:
        return []
    found = [folder.resolve() for folder in outputs]
    gone = [folder for folder in found if folder not in kept and settings.has_lost(folder)]
    for workspace in workspaces:
        if workspace.output.resolve() not in found:
            former = list_former(gone, workspace)
            gone = [folder for folder in gone if folder not in former]
    return gone


def list_former(outputs: Iterable[Path], workspace: Workspace) -> list[Path]:
    """Return those of *outputs* that may be what *workspace* wrote before its folder was renamed.

    Those of other projects can't be, and folders beside the definitions come before all others.
    """
    free = [folder for folder in outputs if not _is_output_of_another(folder, workspace.output)]
    home = workspace.schemas.resolve().parent
    return [folder for folder in free if folder.resolve().is_relative_to(home)] or free


def _is_output_of_another(folder: Path, output: Path) -> bool:
    """Return whether *folder* has the outputs of a project other than that of *output*.

    Where settings above it list `projects`, only those count, as no others are checked with them.
    """
    folder = folder.resolve()
    owned = False
    for above in folder.parents:
        try:
            settings = _Settings.read(above)
            if settings is not None and "projects" in settings.values:
                members = settings.list_members()
                return any(_is_owner(one, folder, output) for one in members)
        except SourceError:
            return False
        owned = owned or _is_owner((settings or _Settings(above)).workspace(), folder, output)
        if (above / ".git").exists():
            break
    return owned


def _is_owner(project: Workspace, folder: Path, output: Path) -> bool:
    found = project.output.resolve()
    is_there = (project.schemas / _TABLE).exists()
    return is_there and found == folder and found != output.resolve()


def _list_folders() -> Iterator[Path]:
    """Yield the working folder and its parents, up to the top of the repository if any."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        yield Path(os.path.relpath(folder))
        if (folder / ".git").exists():
            return


def _choose(members: Sequence[Workspace], names: Sequence[str]) -> list[Workspace]:
    known = {member.name: member for member in members}
    for name in names:
        if name not in known:  # slow to import, and needed for a message only
            from dateline.wording import did_you_mean

            raise UnknownProjectError(f"no project {name!r}{did_you_mean(name, known)}")
    return [known[name] for name in dict.fromkeys(names)]


@dataclass(frozen=True)
class _Settings:
    """The settings of *folder*: ``values`` by key, from the ``text`` of ``file``."""

    folder: Path
    values: Mapping[str, Any] = field(default_factory=dict)
    file: Path = Path()
    text: str = ""

    @classmethod
    def read(cls, folder: Path) -> _Settings | None:
        """Return the settings in *folder*, or None."""
        file = folder / SETTINGS
        shared = not file.is_file()
        if shared:
            file = folder / SHARED_SETTINGS
            if not file.is_file():
                return None
        from tomllib import TOMLDecodeError, loads  # imported only if there are settings

        try:
            text = file.read_text(encoding="utf-8")
            if shared and "dateline" not in text:
                return None
            values = loads(text)
        except TOMLDecodeError as error:
            found = _ERROR.fullmatch(str(error))
            fact = found["fact"] if found else str(error)
            lines = text.split("\n")
            at = (int(found["line"]), int(found["column"])) if found and found["line"] else None
            raise _refuse(file, *(at or (len(lines), len(lines[-1]) + 1)), fact) from error
        except (OSError, ValueError) as error:
            raise _refuse(file, 1, 1, f"it can't be read: {error}") from error
        if shared:
            tools = values.get("tool")
            if not isinstance(tools, dict) or "dateline" not in tools:
                return None
            values = tools["dateline"]
        settings = cls(folder, values, file, text)
        settings._require_valid()
        return settings

    def workspace(self, name: str = "") -> Workspace:
        """Return the project of this folder, called *name* unless the settings name it."""
        templates = self.values.get("templates")
        return Workspace(
            name=self.values.get("name", name),
            schemas=self.folder / self.values.get("schemas", SCHEMAS),
            output=self.folder / self.values.get("output", OUTPUT),
            templates=None if templates is None else self.folder / templates,
            strict=self.values.get("strict", False),
            rule_pages=self.values.get("rule-pages", ""),
            converters=self.values.get("converters"),
        )

    def has_lost(self, output: Path) -> bool:
        """Return whether a pattern of `projects` finds no project any longer above *output*."""
        home = self.folder.resolve()
        inside = [above.relative_to(home) for above in output.parents if home in above.parents]
        return any(
            above.match(pattern)
            and ("**" in pattern or len(above.parts) == len(Path(pattern).parts))
            and self._find_member(self.folder / above) is None
            for above in inside
            for pattern in self.values["projects"]
        )

    def list_members(self) -> Iterator[Workspace]:
        """Yield the projects that `projects` lists, in that order, each once.

        Each has its own name, and its own outputs.
        """
        found: dict[str, Workspace] = {}
        outputs: dict[str, Path] = {}
        for pattern in self.values["projects"]:
            folders = [self.folder / pattern]
            if any(mark in pattern for mark in "*?["):
                folders = [one for one in sorted(self.folder.glob(pattern)) if one.is_dir()]
            members = [member for folder in folders if (member := self._find_member(folder))]
            if not members:
                raise self._refuse_value(pattern, f"there is no project in {pattern!r}")
            for member in members:
                known = found.get(member.name)
                if known is None:
                    found[member.name] = member
                    outputs[member.name] = member.output.resolve()
                    self._require_own_output(member.name, outputs, pattern)
                    yield member
                elif str(known.schemas) != str(member.schemas):
                    fact = (
                        f"{known.schemas} and {member.schemas} are both called {member.name!r}; "
                        f"give one of them a `name` in its {SETTINGS}"
                    )
                    raise self._refuse_value(pattern, fact)

    def _require_own_output(self, name: str, outputs: Mapping[str, Path], pattern: str) -> None:
        """Refuse that *outputs* of others contain those of the project *name*, or the reverse."""
        own = outputs[name]
        for other, folder in outputs.items():
            if other != name and (own.is_relative_to(folder) or folder.is_relative_to(own)):
                outer = own if folder.is_relative_to(own) else folder
                fact = (
                    f"{other!r} and {name!r} both write to {name_path(outer)}; give one of them "
                    f"another `output` in its {SETTINGS}"
                )
                raise self._refuse_value(pattern, fact)

    def _find_member(self, folder: Path) -> Workspace | None:
        if folder.resolve() == self.folder.resolve():
            return self.workspace(self.folder.resolve().name)
        settings = _Settings.read(folder)
        # outputs belong to a project even if its version table is lost
        known = (folder / SCHEMAS / _TABLE, folder / OUTPUT / MANIFEST)
        if settings is None and not any(path.exists() for path in known):
            return None
        return (settings or _Settings(folder)).workspace(folder.name)

    def _require_valid(self) -> None:
        if not isinstance(self.values, dict):
            raise self._refuse_value("dateline", "the settings of dateline are a table")
        for key, value in self.values.items():
            if key not in _KEYS:
                from dateline.wording import did_you_mean  # slow to import

                raise self._refuse_value(key, f"{key!r} is not a setting{did_you_mean(key, _KEYS)}")
            if key in _TEXTS and not (isinstance(value, str) and value):
                raise self._refuse_value(key, f"`{key}` has to be a text")
            if key == "strict" and not isinstance(value, bool):
                raise self._refuse_value(key, "`strict` has to be true or false")
            if key == "projects" and not (
                isinstance(value, list) and value and all(isinstance(one, str) for one in value)
            ):
                raise self._refuse_value(key, "`projects` is a list of folders")
            if key == "projects" and any(one.startswith("/") or ".." in one for one in value):
                raise self._refuse_value(key, "`projects` are folders below this one")
        templates = self.values.get("templates")
        if templates is not None and not (self.folder / templates).is_dir():
            raise self._refuse_value(templates, f"there is no folder {templates!r}")
        pages = self.values.get("rule-pages")
        if pages is not None and not re.fullmatch(r"https?://[^\s{}]*\{rule\}[^\s{}]*", pages):
            fact = "`rule-pages` is an address with {rule} in it: https://docs.example/{rule}.html"
            raise self._refuse_value("rule-pages", fact)

    def _refuse_value(self, word: str, fact: str) -> SourceError:
        """Return the error for the first place where *word* is written."""
        for number, line in enumerate(self.text.split("\n"), 1):
            if (column := line.find(word)) >= 0:
                return _refuse(self.file, number, column + 1, fact)
        return _refuse(self.file, 1, 1, fact)


def _refuse(file: Path, line: int, column: int, fact: str) -> SourceError:
    place = Place(name_path(file), line, column)
    return SourceError([Problem(place=place, id="settings-invalid", message=fact)])
