"""`python -m dateline`: the same as the `dateline` script."""

from dateline.entry import command

command()
