"""The steps of `action.yml` that need more than one line: `base` and `check`.

Everything comes in as environment variables: those of GitHub Actions, and `DATELINE_…` for the
inputs. No input is pasted into a script, so that the name of a branch can't become a command.
Standard library only.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final, NoReturn

NO_COMMIT: Final = "0" * 40
"""What GitHub calls the commit before the first push to a branch."""

COMMIT: Final = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")

FINDINGS, STALE = 1, 4


def main() -> None:
    """Run the step that the command line names."""
    {"base": write_base, "check": run_check}[sys.argv[1]]()


def write_base() -> None:
    """Set the output `against`, and fetch the commit where the checkout is shallow."""
    given = os.environ.get("DATELINE_AGAINST", "")
    against = given or find_base()
    # whoever adds a folder called like a commit must not decide what is compared with
    is_path = bool(given) and not COMMIT.fullmatch(given) and Path(given).exists()
    if against and not is_path and not find_commit(against):
        against = fetch_commit(against)
    if not given and against and find_commit(against) == find_commit("HEAD"):
        fail(
            "The checkout is the base of the comparison; check out the change that is to be "
            "checked, with `ref` of actions/checkout."
        )
    write_outputs(against=against)


def find_merged_base(pull: dict[str, Any]) -> str:
    """Return what the request is merged into, if its merge is checked out, as by default, or "".

    The event may name an older commit of the base. A shallow clone has the parents' names only.
    """
    command = ["git", "cat-file", "commit", "HEAD"]
    text = subprocess.run(command, check=False, capture_output=True, text=True).stdout
    parents = re.findall("^parent ([0-9a-f]+)$", text.partition("\n\n")[0], re.MULTILINE)
    is_merge = parents[1:] == [pull.get("head", {}).get("sha")]
    return str(parents[0]) if is_merge else ""


def fetch_commit(against: str) -> str:
    """Fetch the revision *against* from `origin`; return its commit.

    One commit, no history: that is all that a comparison needs.
    """
    command = ["git", "fetch", "--quiet", "--no-tags", "--depth=1", "--", "origin", against]
    if subprocess.run(command, check=False).returncode or not (found := find_commit("FETCH_HEAD")):
        fail(f"{against}, the base of the comparison, is neither here nor at `origin`.")
    return found


def find_base() -> str:
    """Return the commit that callers have, or "" where the event names none.

    That is the base of a pull request or a merge group, or what the branch was before a push.
    """
    event: dict[str, Any] = {}
    if path := os.environ.get("GITHUB_EVENT_PATH"):
        event = json.loads(Path(path).read_text(encoding="utf-8"))
    if pull := event.get("pull_request"):
        return find_merged_base(pull) or str(pull["base"]["sha"])
    if group := event.get("merge_group"):
        return str(group["base_sha"])
    before = str(event.get("before") or "")
    return "" if before == NO_COMMIT else before


def find_commit(against: str) -> str:
    """Return the commit that *against* names in this repository, or ""."""
    command = [
        "git",
        "rev-parse",
        "--quiet",
        "--verify",
        "--end-of-options",
        f"{against}^{{commit}}",
    ]
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout.strip()


def run_check() -> None:
    """Run `dateline check`; set the outputs `status`, `failed`, `report` and `sarif`.

    The step itself succeeds, so that the comment is written before the run fails.
    """
    temporary = Path(os.environ["RUNNER_TEMP"]).absolute()
    report = temporary / "dateline.md"
    sarif = Path(os.environ.get("DATELINE_SARIF") or temporary / "dateline.sarif").absolute()
    # the folders of the definitions and outputs are in the environment, where they are given
    dateline = ["dateline", "-C", os.environ.get("DATELINE_PROJECT") or "."]
    command = [*dateline, "check"]
    if against := os.environ.get("DATELINE_AGAINST"):
        is_path = Path(against).exists() and not find_commit(against)
        command.append(f"--against={Path(against).absolute() if is_path else against}")
    formats = ["--format=github", f"--format=markdown={report}", f"--format=sarif={sarif}"]
    status = failed = subprocess.run([*command, *formats], check=False).returncode

    if status in (0, FINDINGS) and os.environ.get("DATELINE_GENERATED") != "false":
        stale = subprocess.run([*dateline, "generate", "--check"], check=False)
        if stale.returncode:
            print("::error title=dateline generate --check::The generated files are stale.")
            failed = failed or stale.returncode
    write_outputs(
        status=str(status),
        failed=str(failed),
        report=str(report) if report.exists() else "",
        sarif=str(sarif) if sarif.exists() else "",
    )


def write_outputs(**values: str) -> None:
    """Set outputs of the step."""
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as outputs:
        for name, value in values.items():
            if "\n" in value:
                fail(f"{name} is of one line.")
            outputs.write(f"{name}={value}\n")


def fail(message: str) -> NoReturn:
    """End the step with an annotation."""
    print(f"::error title=dateline::{message}")
    sys.exit(2)


if __name__ == "__main__":
    main()
