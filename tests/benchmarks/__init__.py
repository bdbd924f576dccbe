"""What is measured, and how; run by `tests/bench.py`."""
