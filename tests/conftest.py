"""Settings that every test runs under."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# The same examples in every run, on every machine: a failure seen once is seen again. No clock
# is looked at, since a busy machine is no defect of the code.
settings.register_profile(
    "dateline",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("dateline")
