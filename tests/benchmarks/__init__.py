"""What is measured, and how; `tests/bench.py` is the door."""
