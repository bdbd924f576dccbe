"""How Python source is written: expressions, names and types, for every output that has some."""
