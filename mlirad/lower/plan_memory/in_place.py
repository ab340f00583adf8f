"""Which kernels may write their result where an operand lies.

%b = kernel.nest %a ...                each element of %b depends on that element of %a alone: over %a
%c = kernel.scatter add %b, %x ...     adds to elements of %b: where %b lies
"""

from __future__ import annotations

from math import prod

from mlirad.dialects.kernel import LoadIfOp, LoadOp, NestOp, ScatterOp
from mlirad.dialects.kernel.transforms import FftOp
from mlirad.dialects.shapes import Value, element_of, shape_of, size_of, values_of
from mlirad.ir.builder import yields
from mlirad.lower.fourier.plans import factors, is_written_out
from mlirad.lower.plan_memory.storage import is_row_major


def may_overwrite(op: ScatterOp, base: Value) -> bool:
    """Whether a scatter may work on its base: both are row-major, and it loads nothing that it has written.

    That is so if it writes one element, after all loads, or loads each element just before it writes it and
    no other does, as the positions tell all points apart.
    """
    if not (is_row_major(base) and is_row_major(op.result)):
        return False
    loads = [o for o in op.body.block.ops if isinstance(o, LoadOp | LoadIfOp) and o.buffer is base]
    if not loads or prod(op.extents) <= 1:
        return True
    written = list(yields(op.body)[1 : 1 + len(shape_of(op.result))])
    return all(list(o.positions) == written for o in loads) and set(op.body.block.args) <= set(written)


def may_map_in_place(op: NestOp, value: Value, result: Value) -> bool:
    """Whether a nest may write a result where an input lies: each element depends on that element alone.

    The input has a dimension per loop, of which the result may join neighbours.
    """
    if values_of(op.reduction) or element_of(value) != element_of(result):
        return False
    if shape_of(value) != op.extents or size_of(value) != size_of(result):
        return False
    if not (is_row_major(value) and is_row_major(result)):
        return False
    block = op.body.block
    here = list(block.args)
    loads = (use.operation for use in value.uses if use.operation.parent is block)
    return all(isinstance(o, LoadOp) and list(o.positions) == here for o in loads)


def may_transform_in_place(op: FftOp, value: Value, result: Value) -> bool:
    """Whether a transform may write its result where its operand lies: it is compiled, and an item is read by
    the first of several passes, written by the last one, and lies in the same places of both.
    """
    kind = op.kind.data
    if kind not in ("forward", "backward") or value.type != result.type:
        return False
    if not (is_row_major(value) and is_row_major(result)):
        return False
    shape = shape_of(value)
    length = op.axes.complex_shape(shape)[op.axes.dim]
    return is_written_out(kind, op.axes, shape) and len(factors(length) or ()) > 1
