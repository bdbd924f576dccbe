"""A `dateline` and a `python` for the path that start as forks of a process with all imports.

To import what they need takes most commands longer than their work. What a fork is given is what a
new process would be given: arguments, folder, environment, standard streams. Python's own
variables but `PYTHONPATH` have no effect, so whatever depends on them needs a real process. A fork
gets the signals of its client, and does not survive it.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import os
import pickle
import runpy
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import traceback
import warnings
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Final

import dateline

TESTS: Final = Path(__file__).parents[1]

_CLIENT: Final = """#!{python} -IS
import os, pickle, signal, socket, struct, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    fork = int.from_bytes(server.recv(4), "little")
    for each in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda number, _: os.kill(fork, number))
    name = os.path.basename(sys.argv[0])
    given = pickle.dumps((name, sys.argv[1:], os.getcwd(), dict(os.environ)))
    socket.send_fds(server, [struct.pack("I", len(given))], [0, 1, 2])
    server.sendall(given)
    status = server.recv(1)
os._exit(status[0] if status else 70)
"""


_given: list[Path] = []


def use_folder(folder: Path) -> None:
    """Let `launch_folder` return that of another process, which ends after this one."""
    _given[:] = [folder]


def launch_folder() -> Path:
    """Return the folder of the two scripts, which works as long as this process."""
    return _given[0] if _given else _start()


@cache
def _start() -> Path:
    kept = tempfile.TemporaryDirectory(prefix="launched-")
    folder = Path(kept.name)
    address = str(folder / "socket")
    for name in ("dateline", "python", "python3"):
        script = folder / name
        script.write_text(_CLIENT.format(python=sys.executable, address=address), "utf-8")
        script.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-m", "support.launched", address],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"listening\n"
    atexit.register(kept.cleanup)
    atexit.register(_end, process)
    return folder


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


# In the helper process

_IMPORTED_LATER: Final = (
    "aiohttp",
    "datamodel_code_generator.model.pydantic_v2",
    "datamodel_code_generator.parser.jsonschema",
    "deepdiff",
    "fastapi",
    "openapi_spec_validator",
    "sqlite3",
    "uvicorn",
)
"""What functions of dateline import."""


def _run(name: str, arguments: list[str]) -> None:
    if name == "dateline":
        from dateline import entry

        sys.argv = [str(Path(sys.executable).with_name("dateline")), *arguments]
        entry.main()
        return
    if arguments[:2] == ["-W", "error"]:
        warnings.simplefilter("error")
        arguments = arguments[2:]
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        return
    sys.argv = arguments
    sys.path[0] = str(Path(arguments[0]).parent.absolute())
    runpy.run_path(arguments[0], run_name="__main__")


def _serve(connection: socket.socket) -> int:
    """Run what one client asks for; return its status."""
    connection.send(os.getpid().to_bytes(4, "little"))
    head, streams, _, _ = socket.recv_fds(connection, 4, 3)
    left = struct.unpack("I", head)[0]
    parts = []
    while left:
        parts.append(connection.recv(left))
        left -= len(parts[-1])
    name, arguments, folder, environment = pickle.loads(b"".join(parts))
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    # from now on, the end of the connection is a signal, by which the process ends
    fcntl.fcntl(connection, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(connection, fcntl.F_SETFL, os.O_ASYNC)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[1:1] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    try:
        _run(name, arguments)
        status: int | str | None = 0
    except SystemExit as ended:
        status = ended.code
    except BaseException:
        traceback.print_exc()
        status = 1
    for number in (signal.SIGIO, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    if isinstance(status, str):
        print(status, file=sys.stderr)
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return status or 0


def main(address: str) -> None:
    """Fork for each connection to *address*, until nobody may connect any more."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        print("listening", flush=True)
        for module in walk_packages(dateline.__path__, "dateline."):
            if not module.name.endswith("__main__"):
                import_module(module.name)
        for name in _IMPORTED_LATER:
            import_module(name)
        gc.collect()
        gc.freeze()
        while True:
            connection, _ = listening.accept()
            if os.fork() == 0:
                connection.send(bytes([_serve(connection)]))
                os._exit(0)
            connection.close()
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


if __name__ == "__main__":
    main(sys.argv[1])
