"""The peaks of this machine, measured once per user and kept in the folder of compiled programs.

kept_peaks()     from the file, if it is of this processor; else measured, and written there
"""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any, Final

from mlirad.disk_cache.files import trusted_content, write_whole
from mlirad.disk_cache.folder import find_folder, objection
from mlirad.jit.caches import cache_bytes
from mlirad.jit.peaks import Peaks, measured
from mlirad.jit.target import find_target

FILE: Final = "peaks.json"


@cache
def kept_peaks() -> Peaks:
    """Return what one core of this machine can do at most."""
    folder = find_folder()
    if folder is None or objection(folder) is not None:
        return measured()
    path = os.path.join(folder.path, FILE)
    found = _read(path)
    if found is None:
        found = measured()
        _write(path, found)
    return found


def _machine() -> list[Any]:
    """Return what the peaks belong to: a home may be shared by several machines."""
    return [find_target().cpu, find_target().features, cache_bytes()]


def _read(path: str) -> Peaks | None:
    """Read the peaks of this machine from a file; None if it is missing or damaged."""
    found = trusted_content(path)
    if found is None:
        return None
    try:
        content = json.loads(found[0])
        if content["machine"] != _machine():
            return None
        bandwidth = {str(name): float(rate) for name, rate in content["bandwidth"].items()}
        return Peaks(bandwidth, float(content["operations"]))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None


def _write(path: str, peaks: Peaks) -> None:
    """Keep the peaks, if that is possible."""
    content = {"machine": _machine(), "bandwidth": peaks.bandwidth, "operations": peaks.operations}
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    except OSError:
        return
    write_whole(path, json.dumps(content).encode())
