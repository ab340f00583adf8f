"""The Python side of reports and callbacks: it reads the values that a compiled program passes, and prints
them, returns the failure, or calls a function and writes its results.

It gets the address of a description, in JSON, of a table with the addresses of the values, and the number of
a batch element: see `reports.py` and `callbacks.py` in `mlirad/lower/cpu/emit/`. An exception that it raises
ends the call.
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Sequence
from functools import cache
from math import prod
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mlirad.callbacks import Call, write_results
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.native_program import CALLBACK
from mlirad.reports import perform

ArrayType: TypeAlias = "tuple[np.dtype[Any], tuple[int, ...]]"


@dataclass(frozen=True)
class _Description:
    """A report or a callback. A report has no `call`, and its types are those of a batch element."""

    kind: str
    message: str
    source: str | None
    types: tuple[ArrayType, ...]
    call: Call | None


def report(description: int, table: int, element: int) -> Exception | None:
    """Print, call a function, or give the failure that the call is to end with."""
    asked = _described(ctypes.string_at(description))
    if asked.call is not None:
        _call_back(asked, asked.call, table)
        return None
    values = [_read(table, k, type_, element)[()] for k, type_ in enumerate(asked.types)]
    return perform(asked.kind, asked.message, asked.source, values)


def _call_back(asked: _Description, call: Call, table: int) -> None:
    """Call a Python function on the operands, which follow the condition, and write what it returns."""
    condition, *values = (_lying(table, k, type_).copy() for k, type_ in enumerate(asked.types))
    stated = enumerate(call.results, len(asked.types))
    made = [_lying(table, k, (dtype, (*condition.shape, *shape))) for k, (dtype, shape) in stated]
    write_results(made, asked.message, call, condition, values)


def _read(table: int, k: int, type_: ArrayType, element: int) -> npt.NDArray[Any]:
    """A value of a batch element, as a copy that cannot be written."""
    dtype, shape = type_
    nbytes = dtype.itemsize * prod(shape)
    data = ctypes.string_at(_address(table, k) + element * nbytes, nbytes)
    return np.frombuffer(data, dtype).reshape(shape)


def _lying(table: int, k: int, type_: ArrayType) -> npt.NDArray[Any]:
    """An array of the program, where it lies."""
    dtype, shape = type_
    nbytes = dtype.itemsize * prod(shape)
    place = (ctypes.c_char * nbytes).from_address(_address(table, k)) if nbytes else bytearray()
    return np.frombuffer(cast("bytearray", place), dtype).reshape(shape)


def _address(table: int, k: int) -> int:
    return ctypes.c_void_p.from_address(table + 8 * k).value or 0


@cache
def _described(text: bytes) -> _Description:
    stated = json.loads(text)
    kind, source, call = stated["kind"], stated["source"], None
    if kind == CALLBACK:
        rank = stated["batch_rank"]
        elements = tuple((dtype, shape[rank:]) for dtype, shape in _types(stated["results"]))
        call = Call(elements, stated["vectorized"], source)
    return _Description(kind, stated["message"], source, _types(stated["values"]), call)


def _types(stated: Sequence[Any]) -> tuple[ArrayType, ...]:
    return tuple((np.dtype(name), tuple(shape)) for name, shape in stated)
