"""What the host does when a compiled program reports: it reads the values and prints them, or returns the
failure.

It gets the address of a description, in JSON, of a table with the addresses of the values, and the number of
a batch element: see `mlirad/lower/emit/reports.py`. What it raises ends the call.
"""

from __future__ import annotations

import ctypes
import json
from functools import cache
from math import prod
from typing import Any

import numpy as np

from mlirad.reports import perform


def report(description: int, table: int, element: int) -> Exception | None:
    """Print, or give the failure that the call is to end with."""
    kind, message, source, types = _described(ctypes.string_at(description))
    values: list[Any] = []
    for k, (dtype, shape) in enumerate(types):
        address = ctypes.c_void_p.from_address(table + 8 * k).value or 0
        nbytes = dtype.itemsize * prod(shape)
        data = ctypes.string_at(address + element * nbytes, nbytes)
        values.append(np.frombuffer(data, dtype).reshape(shape)[()])
    return perform(kind, message, source, values)


@cache
def _described(text: bytes) -> tuple[str, str, str | None, list[tuple[np.dtype[Any], tuple[int, ...]]]]:
    description = json.loads(text)
    types = [(np.dtype(name), tuple(shape)) for name, shape in description["values"]]
    return description["kind"], description["message"], description["source"], types
