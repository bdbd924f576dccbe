"""The one reading of schemas: dialect, references, parts, types, for all rooms that need them."""
