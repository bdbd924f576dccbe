"""Generate a frozen contract for each dated version from one canonical set of definitions."""

__version__ = "0.1.0"
