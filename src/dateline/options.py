"""The options that commands share: the project, and its folders."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

import click

from dateline.fresh import OUTPUT, SCHEMAS, VARIABLES
from dateline.model import DatelineError
from dateline.settings import UnknownProjectError, Workspace, find_projects

FOLDER = click.Path(path_type=Path)

Command = Callable[..., None]


class NoProjectError(DatelineError):
    """The working folder belongs to no project."""


def _change_directory(context: click.Context, _: click.Parameter, folder: Path | None) -> None:
    if folder is None:
        return
    try:
        os.chdir(folder)
    except OSError as error:
        if not context.resilient_parsing:  # word completion prints nothing
            raise click.BadParameter(f"{folder}: {error.strerror}.") from error
    # programs started from here are already in the right folder
    os.environ.pop(VARIABLES["directory"], None)


directory = click.option(
    "-C",
    "directory",
    type=FOLDER,
    metavar="DIR",
    envvar=VARIABLES["directory"],
    is_eager=True,
    expose_value=False,
    callback=_change_directory,
    help="Run as if started in DIR.",
)
"""Run a command elsewhere."""

_SCHEMAS = click.option(
    "--schemas",
    type=FOLDER,
    envvar=VARIABLES["schemas"],
    help="Folder of the definitions; by default that of the project.",
)
_OTHERS = (
    click.option(
        "--output",
        type=FOLDER,
        envvar=VARIABLES["output"],
        help="Folder of the outputs; by default that of the project.",
    ),
    click.option(
        "--templates",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        envvar=VARIABLES["templates"],
        help="Folder of templates that override built-in ones, file by file. "
        "Templates are code: use only your own.",
    ),
    click.option(
        "--strict",
        is_flag=True,
        help="Validate adopted documents with openapi-spec-validator, too.",
    ),
)


def _offer_names(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    try:
        return [each.name for each in find_projects() if each.name.startswith(begun)]
    except DatelineError:
        return []  # commands report such problems when they run


def _name_option(*, several: bool) -> Callable[[Command], Command]:
    return click.option(
        "-p",
        "--project",
        "names",
        multiple=True,
        metavar="NAME",
        shell_complete=_offer_names,
        help="Project listed in dateline.toml"
        + ("; repeatable. By default, all." if several else "."),
    )


def schemas_only(command: Command, *, required: bool = True) -> Command:
    """Add the options for a project's definitions to *command*, which receives ``schemas``.

    Without *required*, the command also runs outside of a project.
    """

    @wraps(command)
    def with_schemas(schemas: Path | None, names: tuple[str, ...], **given: Any) -> None:
        (workspace,) = _open(names, several=False, required=required, schemas=schemas)
        command(schemas=workspace.schemas, **given)

    return _SCHEMAS(_name_option(several=False)(directory(with_schemas)))


def one_project(command: Command, *, required: bool = True) -> Command:
    """Add the options for a project's folders to *command*, which receives a ``workspace``.

    Without *required*, the command also runs outside of a project.
    """

    return _with_folders(command, several=False, required=required)


def all_projects(command: Command) -> Command:
    """Add the same options to *command*, which receives a list of all ``workspaces``."""
    return _with_folders(command, several=True, required=True)


def _with_folders(command: Command, *, several: bool, required: bool) -> Command:
    @wraps(command)
    def with_workspaces(names: tuple[str, ...], **given: Any) -> None:
        folders = {key: given.pop(key) for key in ("schemas", "output", "templates", "strict")}
        found = _open(names, several=several, required=required, **folders)
        command(found if several else found[0], **given)

    options: tuple[Callable[[Command], Command], ...]
    options = (*reversed(_OTHERS), directory, _name_option(several=several), _SCHEMAS)
    wrapped: Command = with_workspaces
    for option in options:
        wrapped = option(wrapped)
    return wrapped


def _open(
    names: tuple[str, ...],
    *,
    several: bool,
    schemas: Path | None,
    required: bool = True,
    output: Path | None = None,
    templates: Path | None = None,
    strict: bool = False,
) -> list[Workspace]:
    """Return the selected projects, after finishing what a killed run began in them."""
    from dateline.files import settle
    from dateline.files.sources import recover

    found = find_projects(names)
    if len(found) > 1 and schemas is not None and not names:
        found = []  # another project than those that are listed
    if len(found) > 1 and not several:
        listed = ", ".join(workspace.name for workspace in found)
        raise UnknownProjectError(f"there are several projects: {listed}; name one with -p NAME")
    if len(found) > 1 and (schemas or output):
        raise UnknownProjectError("--schemas and --output are for one project; name it with -p")
    if required and not (found or schemas or Path(SCHEMAS).is_dir()):
        raise NoProjectError(
            "there is no project here or above: run `dateline init` in an empty folder, `dateline "
            "adopt DATE=FILE...` for documents that you have, or name its folder with `-C DIR`"
        )
    opened = []
    for each in found or [Workspace(schemas=Path(SCHEMAS), output=Path(OUTPUT))]:
        workspace = replace(
            each,
            schemas=schemas or each.schemas,
            output=output or each.output,
            templates=templates or each.templates,
            strict=strict or each.strict,
        )
        recover(workspace.schemas)
        settle(workspace.output)
        opened.append(workspace)
    return opened


def find_schemas(context: click.Context) -> Path:
    """Return the folder of the definitions that the arguments in *context* select."""
    if given := context.params.get("schemas"):
        return Path(given)
    try:
        found = find_projects(context.params.get("names") or ())
    except DatelineError:
        found = []
    return found[0].schemas if found else Path(SCHEMAS)
