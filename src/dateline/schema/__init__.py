"""One reading of a schema: its dialect and types, for everything that asks what a schema says."""
