"""What the `dateline` script calls: the command line, with errors told in plain lines."""

from __future__ import annotations

import sys

INTERRUPTED = 130


def main() -> None:
    """Run the command line and exit with its status."""
    if sys.argv[1:] in (["--help"], ["-h"]):
        # parsing needs click, which costs more than python itself takes to start
        from pathlib import Path

        sys.stdout.write((Path(__file__).parent / "help.txt").read_text(encoding="utf-8"))
        return
    sys.exit(_run())


def _run() -> int:
    import click

    from dateline.cli import main as command
    from dateline.model import DatelineError

    try:
        status = command.main(prog_name="dateline", standalone_mode=False)
        sys.stdout.flush()
    except DatelineError as error:
        click.echo(str(error), err=True)
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        # whoever read our output has gone; python would complain once more at exit
        sys.stdout = None  # type: ignore[assignment]
        return 0
    return status if isinstance(status, int) else 0
