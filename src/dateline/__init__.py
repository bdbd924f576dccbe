"""One canonical set of definitions in, one frozen contract for each dated version out."""

__version__ = "0.1.0"
