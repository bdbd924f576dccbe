"""The one reading of schemas for all rooms: dialect, references, parts, types."""
