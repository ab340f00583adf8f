"""A plugin of pytest that runs the suite as programs need it: they are compiled while examples are drawn."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, settings


@pytest.hookimpl(trylast=True)
def pytest_configure() -> None:
    """Examples take the time they take, and are not made smaller, which would take hundreds of programs."""
    phases = [Phase.explicit, Phase.generate]
    known = settings(phases=phases, suppress_health_check=[*HealthCheck])
    settings.register_profile("conformance", known)
    settings.load_profile("conformance")
