"""Run a command after edits: `edited.py [--word FILE] [--field FILE] [--without PATH] COMMAND`.

One word of the first description in FILE becomes another, each time; the first component with
fields in FILE gets another optional one; PATH is deleted. The command replaces this process, so
that only its cost is measured.
"""

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Final

FIELDS: Final = r"(\n      properties:\n)"
"""Where the fields of a component begin."""

_NEW: Final = f"edited{os.getpid()}"
_EDITS: Final = {
    "--word": (r"(\n *(?:- )?description: )(?:edited\d+ )?(?=[A-Za-z])", rf"\g<1>{_NEW} "),
    # documents published by an earlier run stay
    "--field": (FIELDS, rf"\g<1>        {_NEW}: {{type: string}}\n"),
}


def main() -> None:
    arguments = sys.argv[1:]
    while arguments[0].startswith("--"):
        option, path, *arguments = arguments
        if option == "--without":
            shutil.rmtree(path, ignore_errors=True)
        else:
            edit(Path(path), *_EDITS[option])
    os.execv(arguments[0], arguments)


def edit(source: Path, pattern: str, replacement: str) -> None:
    edited, count = re.subn(pattern, replacement, source.read_text("utf-8"), count=1)
    if not count:
        sys.exit(f"{source}: nothing to edit")
    source.write_text(edited, "utf-8")


if __name__ == "__main__":
    main()
