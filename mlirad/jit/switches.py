"""Words by which environment variables switch something on or off.

MLIRAD_CACHE=0        as MLIRAD_CACHE=off, in capitals too
"""

from __future__ import annotations

from typing import Final

OFF: Final = frozenset(("", "0", "off", "no", "none", "false"))
ON: Final = frozenset(("1", "on", "yes", "true"))


def is_off(value: str) -> bool:
    """Tell whether the value of an environment variable switches something off."""
    return value.strip().lower() in OFF


def is_on(value: str) -> bool:
    """Tell whether the value of an environment variable switches something on."""
    return value.strip().lower() in ON
