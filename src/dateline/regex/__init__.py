"""Regular expressions of ECMA-262: one parser, and visitors of its tree."""
