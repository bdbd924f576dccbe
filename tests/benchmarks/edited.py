"""Run a command after an edit: `edited.py [--word FILE] [--without PATH]... COMMAND...`.

One word of the first description in FILE becomes another, each time; PATH is deleted. The command
takes the place of this process, so that what it costs is what is measured.
"""

import os
import re
import shutil
import sys
from pathlib import Path


def main() -> None:
    arguments = sys.argv[1:]
    while arguments[0].startswith("--"):
        option, path, *arguments = arguments
        if option == "--word":
            edit(path)
        else:
            shutil.rmtree(path, ignore_errors=True)
    os.execv(arguments[0], arguments)


def edit(path: str) -> None:
    source = Path(path)
    text = source.read_text("utf-8")
    word = f"edited{os.getpid()}"
    pattern = r"(\n *(?:- )?description: )(?:edited\d+ )?(?=[A-Za-z])"
    edited, count = re.subn(pattern, rf"\g<1>{word} ", text, count=1)
    if not count:
        sys.exit(f"{path}: no description to edit")
    source.write_text(edited, "utf-8")


if __name__ == "__main__":
    main()
