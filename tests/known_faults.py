"""Cases that are known to fail, and why: `conftest.py` expects them to.

A case that is mended leaves the list.
"""

from __future__ import annotations

from typing import Final

KNOWN_FAULTS: Final[dict[str, str]] = {}
"""The known faults, by the name of the case."""
