"""Tables of small cases that run as one test, since reporting each takes longer than running it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest
from _pytest.mark import ParameterSet

Test = Callable[..., None]


def cases(
    names: str | Sequence[str],
    table: Iterable[Any],
    *,
    ids: Callable[[Any], object] | Iterable[str] | None = None,
) -> Callable[[Test], Test]:
    """Run a test for each row of *table*; the arguments are those of `pytest.mark.parametrize`.

    Rows may be `pytest.param` with an id.

    All cases run, and the test fails with the error and the name of each failing case. Use it for
    cases that take a few milliseconds and need no fixture of their own, except for *tmp_path*,
    which is another folder for each. Several decorators run all combinations. A case can't skip
    itself.
    """
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
    given = list(table)
    if all(isinstance(row, ParameterSet) for row in given):
        rows, ids = [[*row.values] for row in given], [str(row.id) for row in given]
    else:
        rows = [list(row) if len(arguments) > 1 else [row] for row in given]
    if ids is None or callable(ids):
        called = [", ".join(str(_name(each, ids)) for each in row) for row in rows]
    else:
        called = list(ids)
    assert given, "a table without cases tests nothing"
    called = [f"{name} ({number})" for number, name in enumerate(called, 1)]
    assert len(called) == len(rows)

    def decorate(test: Test) -> Test:
        @wraps(test)
        def run_all(**fixtures: Any) -> None:
            failed: dict[str, Exception] = {}
            root = fixtures.get("tmp_path")
            for number, (name, row) in enumerate(zip(called, rows, strict=True)):
                if root is not None:
                    fixtures["tmp_path"] = root / f"case-{number}"
                    fixtures["tmp_path"].mkdir()
                try:
                    test(**fixtures, **dict(zip(arguments, row, strict=True)))
                except pytest.fail.Exception as error:
                    failed[name] = AssertionError(str(error))
                except pytest.skip.Exception as error:
                    raise TypeError(f"the case {name} of a table can't skip itself") from error
                except Exception as error:
                    failed[name] = error
            for name, failure in failed.items():
                failure.add_note(f"in the case {name}")
            if failed:
                # a traceback shows only some errors of a group
                said = f"{len(failed)} of {len(rows)} cases failed: {'; '.join(failed)}"
                raise ExceptionGroup(said, list(failed.values()))

        signature = inspect.signature(test)
        left = [each for name, each in signature.parameters.items() if name not in arguments]
        assert len(left) + len(arguments) == len(signature.parameters)
        run_all.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return run_all

    return decorate


def _name(value: Any, ids: Callable[[Any], object] | None) -> object:
    named = ids(value) if ids else None
    return f"{value!r:.80}" if named is None else named
