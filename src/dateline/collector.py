"""Switch Python's garbage collector off while large trees are built."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

MUCH = 128 << 20
"""Bytes: below this peak, there is little memory to return"""

_is_frozen = False


@contextmanager
def collection_off() -> Iterator[None]:
    """Switch the garbage collector off: documents that only grow would be scanned repeatedly."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def collection_on() -> Iterator[None]:
    """Switch the garbage collector on for long-running work, whatever the surroundings do."""
    enabled = gc.isenabled()
    gc.enable()
    try:
        yield
    finally:
        if not enabled:
            gc.disable()


@contextmanager
def cycles_freed() -> Iterator[None]:
    """Free reference cycles created within, at the end.

    Templates and libraries leave such cycles. Objects that existed before are not scanned, or,
    within another `cycles_freed`, those that existed before that one.
    """
    global _is_frozen
    is_outermost, _is_frozen = not _is_frozen, True
    if is_outermost:
        gc.freeze()
    try:
        yield
    finally:
        free_cycles()
        if is_outermost:
            _is_frozen = False
            gc.unfreeze()


def free_cycles() -> None:
    """Free reference cycles that were created within the `cycles_freed` around the caller."""
    gc.collect()
    return_memory()


def return_memory() -> None:
    """Return freed memory to the operating system, which the C library would keep.

    Call it between two steps that each need much memory, so that their peaks don't add up.
    """
    if sys.platform != "linux":
        return
    import resource

    # the number of allocated blocks would take a walk over all of them
    if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10 > MUCH:
        import ctypes

        if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
            trim(0)
