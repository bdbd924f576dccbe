"""The one interpretation of schemas for all rooms: dialect, references, parts, types."""
