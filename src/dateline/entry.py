"""The entry point of the `dateline` script: runs the command line, with errors as plain lines."""

from __future__ import annotations

import gc
import os
import sys

INTERRUPTED = 130
# What a shell reports for a program that a closed pipe ended.
UNREAD = 141
_NAME = "dateline"

# Packages that only some commands need, and the extra of the distribution that brings them.
_EXTRAS = {
    "datamodel_code_generator": "generate",
    "jsonschema_rs": "generate",
    "markdown_it": "generate",
    "openapi_spec_validator": "generate",
    "pydantic": "generate",
    "jedi": "migrate",
    "libcst": "migrate",
}
_COMPLETION = "_DATELINE_COMPLETE"  # set by the completion scripts of bash, zsh and fish


def main() -> None:
    """Run the command line and exit with its status."""
    if sys.argv[1:] in (["--help"], ["-h"], []) and _COMPLETION not in os.environ:
        # parsing needs click, whose import takes longer than python takes to start
        from pathlib import Path

        sys.stdout.write((Path(__file__).parent / "help.txt").read_text(encoding="utf-8"))
        sys.exit(0 if sys.argv[1:] else 2)
    try:
        if answer := _answer_without_parsing(sys.argv[1:]):
            print(answer)
            return
        status = _run()
    except KeyboardInterrupt:
        sys.stderr.write(f"{_NAME}: interrupted; what was not finished is as it was before\n")
        status = INTERRUPTED
    sys.exit(status)


def command() -> None:
    """Run the command line as `main` does, and exit without freeing objects one by one.

    For large definitions, freeing them takes longer than many commands; so does looking for cycles
    among them. Servers switch the garbage collector on while they run.
    """
    gc.disable()
    status: int | str | None = 0
    try:
        main()
    except SystemExit as ended:
        status = ended.code or 0
    try:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    except (OSError, ValueError):  # nobody reads them any more
        sys.exit(status)
    if isinstance(status, int) and not _has_threads():
        os._exit(status)
    sys.exit(status)


def _has_threads() -> bool:
    """Return whether other threads are running, which python would wait for."""
    threading = sys.modules.get("threading")
    return threading is not None and threading.active_count() > 1


def _answer_without_parsing(arguments: list[str]) -> str | None:
    """Return the output of a plain `generate` or `check` if nothing has changed, or None."""
    if arguments not in (["generate"], ["check"]):
        return None
    from dateline import fresh

    try:
        if fresh.has_settings() or not fresh.is_up_to_date(fresh.SCHEMAS, fresh.OUTPUT):
            return None
    except OSError:  # whoever reads the files will report what is wrong with them
        return None
    if arguments == ["check"]:
        return fresh.phrase_no_findings([fresh.OUTPUT])
    return fresh.UP_TO_DATE.format(fresh.OUTPUT)


def _run() -> int:
    from dateline.collector import collection_off

    with collection_off():
        import click

        from dateline.cli import main as commands
        from dateline.model import DatelineError

    try:
        if instruction := os.environ.get(_COMPLETION):
            from click.shell_completion import shell_complete

            return shell_complete(commands, {}, _NAME, _COMPLETION, instruction)
        # not commands.main(): it would turn a closed pipe into exit 1, which means findings
        with collection_off(), commands.make_context(_NAME, sys.argv[1:]) as context:
            commands.invoke(context)
        print(end="", flush=True)
    except DatelineError as error:
        click.echo(str(error), err=True)
        return error.exit_code
    except click.ClickException as error:
        message = error.format_message()
        end = "" if message.endswith((".", "?", "…", ")")) else "."
        failed = error.ctx if isinstance(error, click.UsageError) else None
        command = failed.command_path if failed else _NAME
        click.echo(f"{_NAME}: {message}{end} See `{command} --help`.", err=True)
        return error.exit_code
    except click.exceptions.Exit as asked:
        return asked.exit_code
    except click.Abort:
        return INTERRUPTED
    except ModuleNotFoundError as error:
        if (extra := _EXTRAS.get((error.name or "").partition(".")[0])) is None:
            raise
        click.echo(
            f"{_NAME}: this needs {error.name}: run `pip install '{_NAME}[{extra}]'`", err=True
        )
        return 2
    except OSError as error:
        # python would complain again at exit, when it flushes
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # whoever read our output has gone
            return UNREAD
        if not _has_folder():
            click.echo(f"{_NAME}: the working folder is gone; change to one", err=True)
            return 3
        click.echo(f"{_NAME}: {error}", err=True)
        return 2
    except RecursionError:
        click.echo(
            f"{_NAME}: too-deep: the definitions or documents are nested, or refer to each other, "
            "too deeply to be followed; split them",
            err=True,
        )
        return 3
    return 0


def _has_folder() -> bool:
    from pathlib import Path

    try:
        Path.cwd()
    except OSError:
        return False
    return True
