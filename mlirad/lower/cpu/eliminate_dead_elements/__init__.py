"""`eliminate-dead-elements{vector-bytes=64}`: kernels omit triangles of results that nothing reads.

    %m = kernel.nest ... {space = [64, 64], reduction = [1000], ...}      moments of a symmetric matrix
    %l = kernel.scatter add %m, ... { the elements below the diagonal }

        -->   %m = kernel.nest ... {..., within = [1, 0, 0]}              those with index 1 <= index 0 + 0

The derivative by a triangular matrix is the triangle of a full product. `mlirad/lower/kernels/reads.py` finds
the elements that are read. The loop of one index then begins or ends where the block of the other one says
(`emit/output_loops.py`), so whole blocks of lanes and tiles are omitted. Loops that stay whole cost less to
start, hence the costs. Omitted elements have no value: the interpreter puts NaN there.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from mlirad.dialects.array.elementwise import SelectOp
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.extents import is_static, nominal
from mlirad.dialects.kernel import LoadIfOp, LoadOp, NestOp, ScatterOp
from mlirad.dialects.shapes import ints, shape_of, values_of
from mlirad.ir.builder import function_block, yields
from mlirad.ir.call_graph import functions_of
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.cpu.schedule_kernels.kernel_costs import cycles_of
from mlirad.lower.kernels.moves import considered
from mlirad.lower.kernels.reads import Reads
from mlirad.lower.kernels.triangles import Part
from mlirad.lower.machine import LOOP_START

__all__ = ["EliminateDeadElementsPass", "eliminate_dead_elements"]

VECTOR_BYTES = 64

GAIN = 0.9
"""A kernel that leaves elements out must take at most this part of the cycles of one that does not."""

MOST_EXTENT = 4096
"""The longest loops whose blocks are counted."""


@dataclass(frozen=True)
class EliminateDeadElementsPass(ModulePass):
    """Omit triangles of kernel results that nothing reads; with `always`, whatever that costs."""

    name = "eliminate-dead-elements"

    vector_bytes: int = VECTOR_BYTES
    always: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """State for the kernels of every function what they may leave out."""
        for function in functions_of(op):
            eliminate_dead_elements(function, vector_bytes=self.vector_bytes, always=self.always)


def eliminate_dead_elements(
    function: FuncOp, *, vector_bytes: int = VECTOR_BYTES, always: bool = False
) -> None:
    """State for the kernels of a function what they may leave out."""
    kernels = [op for op in nested_ops(function.body) if isinstance(op, NestOp | ScatterOp)]
    if not any(_chooses(op) for op in kernels):
        return
    reads = Reads(function_block(function))
    for op in kernels:
        if isinstance(op, NestOp) and len(values_of(op.space)) > 1:
            _state(op, reads.of_loops(op), vector_bytes, always=always)


def _chooses(op: NestOp | ScatterOp) -> bool:
    """Return whether a kernel has conditions on which something is read, or reads at positions that it looks
    up.
    """
    if isinstance(op, ScatterOp) and len(yields(op.body)) > 1 + len(shape_of(op.result)):
        return True
    ops = op.body.block.ops
    return any(isinstance(o, SelectOp | LoadIfOp) for o in ops) or any(
        isinstance(o, LoadOp) and isinstance(o.buffer.owner, ConstantOp) for o in ops
    )


def _state(op: NestOp, part: Part, vector_bytes: int, *, always: bool) -> None:
    """State the bounds by which a nest leaves out blocks, if that pays."""
    extents = op.extents
    found: list[int] = []
    shares: list[float] = []
    for (x, y), bound in (part or {}).items():
        if not all(is_static(extents[z]) and extents[z] <= MOST_EXTENT for z in (x, y)):
            continue
        share = _share(_blocks(op, x), _blocks(op, y), bound)
        if share < 1:
            found += [x, y, bound]
            shares.append(share)
    if not found:
        return
    before = cycles_of(op, vector_bytes)
    after = before * max(0.0, 1 - sum(1 - share for share in shares)) + LOOP_START * _starts(op)
    is_done = always or after <= GAIN * before
    considered(op, "only the triangle that is read", before, after, is_done=is_done)
    if is_done:
        op.properties["within"] = ints(tuple(found))


def _blocks(op: NestOp, x: int) -> Sequence[tuple[int, int]]:
    """The first and the last index of each block of a loop."""
    step, extent = op.block_of(x), nominal(op.extents[x])
    return [(start, min(start + step, extent) - 1) for start in range(0, extent, step)]


def _share(xs: Sequence[tuple[int, int]], ys: Sequence[tuple[int, int]], bound: int) -> float:
    """The part of all pairs of blocks in which some index x is at most some index y + bound."""
    first, last = np.array([x for x, _ in xs]), np.array([y for _, y in ys])
    return float(np.mean(first[:, None] <= last[None, :] + bound))


def _starts(op: NestOp) -> int:
    """Return how often loops of the output are begun whose number of iterations is not known beforehand."""
    return prod(len(_blocks(op, x)) for x in range(len(values_of(op.space)) - 1))
