"""The text of YAML and JSON files: read with positions, spliced, and written.

What one half writes the other half reads back, for every string.
"""
