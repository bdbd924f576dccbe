"""Detect the defect in each of some documents: `judging.py ours` or `judging.py validator`."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

# the documents, and how the checks are called, belong to the tests
sys.path.insert(0, str(Path(__file__).parents[1]))


def ours() -> Callable[[str], bool]:
    from support.checked import check_document

    return lambda text: bool(check_document(text))


def validator() -> Callable[[str], bool]:
    import yaml
    from openapi_spec_validator import OpenAPIV31SpecValidator

    def refuses(text: str) -> bool:
        try:
            return any(OpenAPIV31SpecValidator(yaml.safe_load(text)).iter_errors())
        except Exception:  # it raises the exceptions of its libraries, of many types
            return True

    return refuses


def main() -> None:
    judge = {"ours": ours, "validator": validator}[sys.argv[1]]()
    spent = {"python and imports": time.process_time()}
    from support.defects import CLEAN, DEFECTS

    missed = [defect.name for defect in DEFECTS if not judge(defect.text)]
    spent["judge"] = time.process_time() - sum(spent.values())
    said = f"{len(DEFECTS) - len(missed)} of {len(DEFECTS)} found"
    if missed:
        said += f"; not: {', '.join(missed)}"
    if judge(CLEAN):
        said += "; and one where there is none"
    print(json.dumps({"phases": spent, "said": said}))


if __name__ == "__main__":
    main()
