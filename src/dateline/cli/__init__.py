"""The command line: parse, call one room, print, set the exit status."""

from dateline.cli import (
    checking,
    converting,
    editing,
    looking_up,
    serving,
    starting,
)
from dateline.cli.group import main

__all__ = ["checking", "converting", "editing", "looking_up", "main", "serving", "starting"]
