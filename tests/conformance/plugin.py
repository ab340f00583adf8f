"""A plugin of pytest that runs the suite without shrinking what fails, and counts by reasons how it went."""

from __future__ import annotations

import pytest
from hypothesis import Phase, settings


@pytest.hookimpl(trylast=True)
def pytest_configure() -> None:
    """Failures are as they were found: to make them small would take hundreds of programs each."""
    settings.register_profile("conformance", settings(phases=[Phase.explicit, Phase.generate]))
    settings.load_profile("conformance")
