"""Python's garbage collector, off while documents grow: in commands that end, to their end."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

# Below this many objects, there is not much to give back.
_MANY: Final = 500_000


@contextmanager
def collection_off() -> Iterator[None]:
    """Keep the collector from walking, over and over, documents that only grow."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def collection_on() -> Iterator[None]:
    """Have the collector at work in what goes on for long, whatever is around it."""
    enabled = gc.isenabled()
    gc.enable()
    try:
        yield
    finally:
        if not enabled:
            gc.disable()


@contextmanager
def cycles_freed() -> Iterator[None]:
    """Free at the end what refers to itself, of all that was made in between.

    Templates and libraries leave such. What was there before is not walked.
    """
    gc.freeze()
    try:
        yield
    finally:
        gc.collect()
        gc.unfreeze()
        return_memory()


def return_memory() -> None:
    """Give memory that is free again back to the system, where the C library would keep it.

    Between two steps that each take much, so that they don't add up.
    """
    if sys.platform == "linux" and sys.getallocatedblocks() > _MANY:
        import ctypes

        if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
            trim(0)
