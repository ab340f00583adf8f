"""The caches of this machine, for whoever shows where the arrays of a kernel lie.

cache_bytes()      {"L1": 32768, "L2": 524288, "L3": 33554432}
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from pathlib import Path
from typing import Final

_FOLDER: Final = Path("/sys/devices/system/cpu/cpu0/cache")
_UNITS: Final = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}

MEMORY: Final = "memory"
"""The level beyond all caches."""


@cache
def cache_bytes() -> dict[str, int]:
    """The bytes of each cache for data that one core can fill, smallest first; empty where none are known."""
    if sys.platform == "darwin":
        found = {f"L{k}": _sysctl(f"hw.l{k}{'d' if k == 1 else ''}cachesize") for k in (1, 2, 3)}
    else:
        found = dict(_described())
    return {name: found[name] for name in sorted(found) if found[name] > 0}


def level_of(size: int) -> str | None:
    """The smallest cache that holds a given number of bytes, or `MEMORY`; None where the caches are not
    known.
    """
    caches = cache_bytes()
    if not caches:
        return None
    return next((name for name, capacity in caches.items() if size <= capacity), MEMORY)


def _described() -> list[tuple[str, int]]:
    """Return what Linux says of each cache of data."""
    found: list[tuple[str, int]] = []
    for folder in _FOLDER.glob("index*"):
        try:
            level, kind, size = ((folder / name).read_text().strip() for name in ("level", "type", "size"))
            if kind != "Instruction":
                found.append((f"L{level}", int(size.rstrip("KMG")) * _UNITS.get(size[-1], 1)))
        except (OSError, ValueError):
            continue
    return found


def _sysctl(name: str) -> int:
    value, size = ctypes.c_int64(), ctypes.c_size_t(8)
    status = ctypes.CDLL(None).sysctlbyname(
        name.encode(), ctypes.byref(value), ctypes.byref(size), None, ctypes.c_size_t(0)
    )
    return 0 if status else value.value
