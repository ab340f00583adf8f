"""Stacked values of a loop as one array of structs: in each iteration, a row of each stacked value after the
other.

    34 results of 4095 rows of 112 bytes   one after the other: every iteration writes in 34 places
    records of 34 rows, 3808 bytes each    every iteration writes, and later reads, one stretch of memory

A processor fetches ahead only in a few places at once, so where a loop stacks many values of short rows,
and they do not stay in the caches of one core, they share records. That is possible where all that reads
them are loops, slice by slice.

Stated as the attribute `kernel.strides` of the loop: per result the bytes from one row to the next.
"""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.concrete_sizes import sizes_in_function
from mlirad.dialects.shapes import Value, element_of, shape_of, size_of
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.machine import L2_BYTES, LINE_BYTES, STREAMS

SHORT_ROW = 8 * LINE_BYTES
"""Rows of more bytes than this are stretches of memory by themselves."""

ELEMENT_ALIGNMENT = 8
"""Rows of records begin at multiples of this number of bytes: as much as the largest elements take."""


@dataclass(frozen=True)
class Records:
    """The results of a loop that share records: the byte of each in a record, the bytes of one, and how
    many.
    """

    starts: dict[Value, int]
    stride: int
    count: int

    @property
    def nbytes(self) -> int:
        """The bytes of all records."""
        return self.stride * self.count

    @staticmethod
    def of(op: Operation) -> Records | None:
        """The records of a loop, None if what it stacks lies apart.

        That is so in programs with sizes, where a place may be rounded up to more than the start of a row.
        """
        if not isinstance(op, ScanOp) or len(op.stacked) <= STREAMS or not op.iterations:
            return None
        if _is_in_program_with_sizes(op):
            return None
        starts: dict[Value, int] = {}
        stride = 0
        for value in op.stacked:
            size = row_bytes(value)
            if 0 < size <= SHORT_ROW and is_read_by_slices(value):
                starts[value] = stride
                stride += -(-size // ELEMENT_ALIGNMENT) * ELEMENT_ALIGNMENT
        found = Records(starts, stride, op.iterations)
        return found if len(starts) > STREAMS and found.nbytes > L2_BYTES else None


def _is_in_program_with_sizes(op: Operation) -> bool:
    """Return whether the function that an op stands in mentions sizes."""
    around: Operation | None = op
    while around is not None and not isinstance(around, FuncOp):
        around = around.parent_op()
    return around is not None and bool(sizes_in_function(around))


def row_bytes(value: Value) -> int:
    """The bytes of one row of a stacked value."""
    iterations = shape_of(value)[0]
    return size_of(value) // iterations * numpy_dtype(element_of(value)).itemsize if iterations else 0


def is_read_by_slices(value: Value) -> bool:
    """Return whether loops read a value, and all that does are loops, slice by slice."""
    uses = list(value.uses)
    return bool(uses) and all(
        isinstance(use.operation, ScanOp) and use.index >= use.operation.carry_count for use in uses
    )
