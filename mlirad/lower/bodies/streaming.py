"""Memory that passes: slices of arrays that a loop reads or writes one after another, and no cache holds.

array.scan %kept : tensor<10x512x512xf64> ...   20 MiB, and each iteration reads 2: they pass
array.scan %kept : tensor<10x64x64xf64> ...     320 KiB, which the cache still has
array.scan %kept : tensor<10000x64xf64> ...     slices of half a KiB: 4 KiB ahead is that of another iteration
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.extents import nominal
from mlirad.dialects.shapes import Value
from mlirad.lower.kernels.plan_memory.storage import bytes_of
from mlirad.lower.machine import FETCHED_AHEAD, passes_by


def passing_slices(op: Operation) -> set[Value]:
    """The arguments of a loop's body that are slices of such arrays."""
    if not isinstance(op, ScanOp):
        return set()
    slices = op.body.block.args[1 + op.carry_count :]
    return {piece for whole, piece in zip(op.xs, slices, strict=True) if _passes(whole, op.iterations)}


def passing_results(op: Operation) -> Iterator[int]:
    """Yield which of the values that a loop's body yields are slices of such arrays."""
    if isinstance(op, ScanOp):
        yield from (op.carry_count + k for k, whole in enumerate(op.stacked) if _passes(whole, op.iterations))


def _passes(whole: Value, iterations: int) -> bool:
    """Return whether no cache holds an array of slices, which are so long that what is fetched ahead is in
    the same slice.
    """
    size = nominal(bytes_of(whole))
    return passes_by(size) and size > nominal(iterations) * FETCHED_AHEAD
