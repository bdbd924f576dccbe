"""Write Python source: expressions, names and types, for every output that contains some."""
