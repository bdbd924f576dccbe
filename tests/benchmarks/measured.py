"""Run a job on a folder of sources in a separate process; print the cost of each phase.

`documents SCHEMAS OUTPUT [models] [changes] [judged]` generates. `read SCHEMAS OUTPUT` is the
minimum for comparison: the sources are parsed and written back, and nothing is generated.
"""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path


def documents(schemas: Path, output: Path, *options: str) -> Iterator[str]:
    import jinja2  # noqa: F401
    import yaml  # noqa: F401

    from dateline.files import write
    from dateline.load import load
    from dateline.render import render

    yield "imports"
    api = load(schemas)
    yield "load"
    made = render(
        api,
        None,
        models="models" in options,
        changes="changes" in options,
        validate="judged" in options,
    )
    yield "render"
    write(made.artifacts, output)
    yield "write"


def read(schemas: Path, output: Path) -> Iterator[str]:
    import yaml

    yield "imports"
    files = [path for path in sorted(schemas.rglob("*")) if path.is_file()]
    texts = {path.relative_to(schemas).as_posix(): path.read_bytes() for path in files}
    for name, text in texts.items():
        if name.endswith(".json"):
            json.loads(text)
        else:
            for _ in yaml.parse(text, Loader=yaml.CSafeLoader):
                pass
    yield "load"
    output.mkdir()
    for name, text in texts.items():
        (output / name).parent.mkdir(parents=True, exist_ok=True)
        (output / name).write_bytes(text)
    yield "write"


def main() -> None:
    job, schemas, output, *options = sys.argv[1:]
    spent = {"python": time.process_time()}
    for phase in {"documents": documents, "read": read}[job](Path(schemas), Path(output), *options):
        spent[phase] = time.process_time() - sum(spent.values())
    print(json.dumps({"phases": spent}))


if __name__ == "__main__":
    main()
