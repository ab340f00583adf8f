"""What a run ran on, in a line."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def described() -> str:
    """The processor, how many of it, and its widest vectors."""
    cores = os.cpu_count() or 1
    plural = "" if cores == 1 else "s"
    parts = [_name(), f"{cores} core{plural}", *_vectors()]
    return ", ".join(parts)


def _name() -> str:
    return _field("model name") or platform.processor() or platform.machine()


def _vectors() -> list[str]:
    flags = _field("flags").split()
    names = (("avx512f", "AVX-512"), ("avx2", "AVX2"), ("avx", "AVX"))
    return [next((name for flag, name in names if flag in flags), "")] if flags else []


def _field(name: str) -> str:
    """What Linux says of the first processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), "")
