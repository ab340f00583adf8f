"""`unroll-rows`: kernels that compute a few elements per row become one kernel that computes them all.

    %q = nest (%i, %k) {space = [1000, 3]}           %y = nest (%i) {space = [1000]} : -> tensor<1000x2xf64> {
    %s = nest (%i, %r) sum over 3: q[i, r]    -->      q0 = ...   q1 = ...   q2 = ...   s = q0 + q1 + q2
    %y = nest (%i, %j) {space = [1000, 2]}             yield q0 / s, q1 / s

The loops over the elements of a row are unrolled (`elements.py`). So indices of these elements are literals:
the part of a concatenation that an element belongs to is known, and unread elements are not computed. Values
that kernels passed to each other through memory stay in registers, and vectors run along the rows.

A kernel joins if its first loop runs over the rows, its others make few iterations, and it reads the group's
results at its own row and at literal indices. Long bodies compile slowly, so groups are bounded.
"""

from __future__ import annotations

from collections import Counter
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from mlirad.dialects.array.control import CONTROL_OPS
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.kernel import NestOp, ScatterOp
from mlirad.dialects.shapes import Value
from mlirad.ir.builder import function_block
from mlirad.ir.free_values import free_values
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.kernels.kernel_groups import replace_group
from mlirad.lower.kernels.moves import considered
from mlirad.lower.kernels.unroll_rows.elements import MOST_ELEMENTS, Elements

__all__ = ["UnrollRowsPass", "unroll_rows", "write_out_in_place"]

LEAST_ROWS = 64
"""Fewer rows are not worth a body of their own."""

LEAST_KERNELS = 3
"""The fewest kernels with a loop that are joined by unrolling it: two of them pass little to each other."""


@dataclass(frozen=True)
class UnrollRowsPass(ModulePass):
    """Unroll loops over the few elements of a row, and join the kernels that compute them.

    Of groups of fewer than `least_kernels` with loops to unroll nothing is made, nor of fewer rows than
    `least_rows`.
    """

    name = "unroll-rows"

    least_rows: int = LEAST_ROWS
    least_kernels: int = LEAST_KERNELS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Write rows out in every function of the module."""
        for function in op.body.block.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                write_out_in_place(function, self.least_rows, self.least_kernels)


def unroll_rows(function: FuncOp, least_rows: int = LEAST_ROWS, least_kernels: int = LEAST_KERNELS) -> FuncOp:
    """The function with groups of kernels that compute short rows as one."""
    written = function.clone()
    write_out_in_place(written, least_rows, least_kernels)
    return written


def write_out_in_place(
    function: FuncOp, least_rows: int = LEAST_ROWS, least_kernels: int = LEAST_KERNELS
) -> None:
    """Make one kernel of those that work on short rows, where enough of these follow one another."""
    _write_out_block(function_block(function), least_rows, least_kernels)


def _write_out_block(block: Block, least_rows: int, least_kernels: int) -> None:
    for op in list(block.ops):
        if isinstance(op, CONTROL_OPS):
            for region in op.regions:
                _write_out_block(region.block, least_rows, least_kernels)
    counts = Counter(
        op.extents[0]
        for op in block.ops
        if isinstance(op, NestOp | ScatterOp) and 1 <= prod(op.extents[1:]) <= MOST_ELEMENTS and op.extents
        if least_kernels == 0 or prod(op.extents[1:]) > 1
    )
    for rows, count in counts.items():
        if rows >= least_rows and count >= least_kernels:
            _write_out_groups(block, rows, least_kernels)


def _write_out_groups(block: Block, rows: int, least_kernels: int) -> None:
    """Form one group after the other, each from the kernels that the ones before have left."""
    tried: set[Operation] = set()
    while True:
        group = _collected(block, rows, tried)
        if not group.members:
            group.discard()
            return
        tried.update(group.members)
        is_done = group.unrolled >= least_kernels and bool(group.results())
        what = f"one kernel for {rows} rows, {group.unrolled} loops over a row unrolled"
        considered(group.members[0], what, len(group.members), 1, unit="kernels", is_done=is_done)
        if is_done:
            tried.add(_replace(block, group))
        else:
            group.discard()


def _collected(block: Block, rows: int, tried: set[Operation]) -> Elements:
    """The kernels that join one after the other. A kernel that reads a group through others cannot."""
    group = Elements(rows)
    after: set[Value] = set()
    inputs: set[Value] = set()
    for op in block.ops:
        if isinstance(op, ReturnOp | YieldOp):
            continue
        read = free_values(op)
        is_free = op not in tried and not any(v in after for v in read)
        if isinstance(op, NestOp | ScatterOp) and is_free and group.admit(op):
            inputs.update(read)
            continue
        if any(v in after or v in group.values for v in read):
            after.update(op.results)
        if any(v in inputs for v in _updated(op)):
            break
    return group


def _updated(op: Operation) -> list[Value]:
    """Return what an op may overwrite, if nobody reads it afterwards."""
    if isinstance(op, ScatterOp):
        return [] if op.from_zero is not None else [op.inputs[0]]
    return list(op.operands) if isinstance(op, CONTROL_OPS) else []


def _replace(block: Block, group: Elements) -> Operation:
    """Put the one kernel in place of the members."""
    nest = group.nest()
    results = dict(zip(group.results(), nest.results, strict=True))
    for old, new in results.items():
        new.name_hint = old.name_hint
    replace_group(block, group.members, [nest], results)
    return nest
