"""Memory of a value: how much it is, in which order, and for how long.

Storage(start=2, end=5, size=800)       made by op 2 of its block, read by op 5 last
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import I64, ArrayAttr, DenseArrayBase
from xdsl.ir import Attribute, OpResult

from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.kernel import RecurrenceOp
from mlirad.dialects.shapes import Value, element_of, shape_of, size_of, values_of
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.kernels.plan_memory.records import Records


@dataclass(slots=True)
class Storage:
    """Memory for one value, or for a base and what works on it in place, live from `start` to `end`.

    With `output` it is not in the arena but where the block hands over its value of that number.
    """

    start: int
    end: int
    size: int
    output: int | None = None
    place: int = 0
    records: Records | None = None
    """The records that it consists of, if several values share it row by row."""


def bytes_of(what: Value | Attribute) -> int:
    """The bytes of an array in memory; a boolean takes one."""
    if isinstance(what, OpResult) and isinstance(what.op, RecurrenceOp):
        pitch = what.op.pitch_of(what)
        if pitch is not None:
            return what.op.iterations * pitch * numpy_dtype(element_of(what)).itemsize
    return size_of(what) * numpy_dtype(element_of(what)).itemsize


def is_row_major(value: Value) -> bool:
    """Return whether the op that makes a value stores it in row-major order, and its rows one after the
    other.
    """
    if not isinstance(value, OpResult):
        return True
    if isinstance(value.op, RecurrenceOp):
        return value.op.pitch_of(value) is None
    layouts = value.op.properties.get("layouts")
    if layouts is None:
        return True
    layout = cast("ArrayAttr[DenseArrayBase[I64]]", layouts).data[value.index]
    return values_of(layout) == tuple(range(len(shape_of(value))))
