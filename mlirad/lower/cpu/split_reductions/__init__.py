"""`split-reductions{vector-bytes=64}`: long reductions as parts that threads can compute.

    %s = kernel.nest %x (%k) {space = [], reduction = [1000000], combiners = [add]}

        -->   %p = array.scan (%t) {carries = 0, length = 64} {            parts, of independent iterations
                     kernel.nest %t, %x (%k) {reduction = [15616], ...}    x[15616 t + k]
                   }
              %s = kernel.nest %p (%t) {space = [], reduction = [64], combiners = [add]}

A reduction to few elements has no loop of the output that threads could share, and a sum that strips carry
makes each strip wait for the one before. So a nest is cut along its reduction (`nests.py`), a scatter along a
loop (`scatters.py`), and strips that carry reductions run in groups, which yield a partial result each
(`strips.py`, `totals.py`). The number of parts depends on costs alone, hence on shapes: the order of
additions is the same for any number of threads. Cheap reductions stay whole.

Long sums are cut into blocks. Added one after the other, a million equal 32-bit floats give a sum with two
correct digits, as every addition rounds in the same direction. 64-bit accumulators would halve the number of
lanes; blocks cost one more 32-bit addition. Only prefix sums, and sums in memory, have 64-bit accumulators,
which are touched once per block. One thread computes the same parts: a direct sum would have other bits than
two threads give.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from mlirad.dialects.kernel import NestOp, ScatterOp
from mlirad.dialects.kernel.parallel import why_dependent
from mlirad.dialects.kernel.strips import StripsOp
from mlirad.ir.builder import function_block
from mlirad.ir.call_graph import functions_of
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.cpu.split_reductions.nests import split_nest
from mlirad.lower.cpu.split_reductions.scatters import split_scatter
from mlirad.lower.cpu.split_reductions.strips import in_groups

__all__ = ["SplitReductionsPass", "split_reductions"]

VECTOR_BYTES = 64


@dataclass(frozen=True)
class SplitReductionsPass(ModulePass):
    """Cuts long reductions into parts that threads can compute."""

    name = "split-reductions"

    vector_bytes: int = VECTOR_BYTES

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Cut the reductions of every function of the module."""
        for function in functions_of(op):
            split_reductions(function_block(function), vector_bytes=self.vector_bytes)


def split_reductions(block: Block, *, vector_bytes: int = VECTOR_BYTES) -> None:
    """Cut the long reductions of a block and of the loops and branches in it, except independent loops."""
    for op in list(block.ops):
        if isinstance(op, NestOp):
            split_nest(op, vector_bytes)
        elif isinstance(op, ScatterOp):
            split_scatter(op, vector_bytes)
        elif isinstance(op, StripsOp):
            in_groups(op, vector_bytes)
        elif why_dependent(op) is not None:
            for region in op.regions:
                split_reductions(region.block, vector_bytes=vector_bytes)
