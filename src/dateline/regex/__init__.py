"""Regular expressions of ECMA-262: one parser, and what is done with its tree."""
