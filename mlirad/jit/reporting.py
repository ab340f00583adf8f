"""The function of the host that compiled programs report to.

It gets the address of a description, in JSON, of a table with the addresses of the values, and the number of
a lane: see `mlirad/lower/emit/reports.py`. It takes Python's global lock if the program has released it.
"""

from __future__ import annotations

import ctypes
import json
from functools import cache
from math import prod
from typing import Any

import numpy as np

from mlirad.reports import note, report


def _report(description: int, table: int, lane: int) -> None:
    kind, message, source, types = _described(ctypes.string_at(description))
    values: list[Any] = []
    for k, (dtype, shape) in enumerate(types):
        address = ctypes.c_void_p.from_address(table + 8 * k).value or 0
        nbytes = dtype.itemsize * prod(shape)
        data = ctypes.string_at(address + lane * nbytes, nbytes)
        values.append(np.frombuffer(data, dtype).reshape(shape)[()])
    try:
        report(kind, message, source, values)
    except BaseException as error:  # a stream that fails, an interrupt: machine code cannot hand it on
        note(error)


@cache
def _described(text: bytes) -> tuple[str, str, str | None, list[tuple[np.dtype[Any], tuple[int, ...]]]]:
    description = json.loads(text)
    types = [(np.dtype(name), tuple(shape)) for name, shape in description["values"]]
    return description["kind"], description["message"], description["source"], types


_callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(_report)


def report_address() -> int:
    """The address of the function."""
    address = ctypes.cast(_callback, ctypes.c_void_p).value
    assert address is not None
    return address
