"""Kernels that may overwrite an operand with their result.

%b = kernel.nest %a ...                each element of %b depends on that element of %a alone: over %a
%c = kernel.scatter add %b, %x ...     adds to elements of %b: where %b lies
%d = kernel.triangular_solve %t, %c    reads an element of %c before it writes that of %d: where %c lies
"""

from __future__ import annotations

from math import prod
from typing import Final

from mlirad.dialects.extents import at_most
from mlirad.dialects.kernel import LoadIfOp, LoadOp, NestOp, ScatterOp
from mlirad.dialects.kernel.factorisations import TriangularSolveOp
from mlirad.dialects.kernel.transforms import FftOp
from mlirad.dialects.shapes import Value, element_of, shape_of, size_of, values_of
from mlirad.ir.builder import yields
from mlirad.lower.kernels.plan_memory.storage import is_row_major
from mlirad.lower.kernels.transform_plans import factors, is_written_out

OVERWRITING: Final = (NestOp, FftOp, TriangularSolveOp)
"""Kernels that may write a result over an operand that they read."""


def may_write_over(op: NestOp | FftOp | TriangularSolveOp, value: Value, result: Value) -> bool:
    """Return whether one of these kernels may write a result where an operand lies."""
    match op:
        case NestOp():
            return may_map_in_place(op, value, result)
        case FftOp():
            return may_transform_in_place(op, value, result)
        case TriangularSolveOp():
            return may_solve_in_place(op, value, result)


def may_overwrite(op: ScatterOp, base: Value) -> bool:
    """Return whether a scatter may work on its base: both are row-major, and it loads nothing that it has
    written.

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
    """Return whether a nest may write a result where an input lies: each element depends on that element
    alone.

    The input has a dimension per loop, and the result may join neighbours. Where all parts of a stack
    are computed before they are stored, they may depend on one another.
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
    tile = _whole_tile(op)
    return all(
        isinstance(o, LoadOp)
        and all(p is h for d, (p, h) in enumerate(zip(o.positions, here, strict=True)) if d != tile)
        for o in loads
    )


def _whole_tile(op: NestOp) -> int | None:
    """The loop whose iterations are all in one tile, if there is one."""
    if op.tile_dim is None or op.lane == op.tile_dim:
        return None
    dim = op.tile_dim.value.data
    if op.loops is not None:
        segments = op.cut_loops.segments.get(dim, ())
        return dim if [s.copies for s in segments] == [op.extents[dim]] else None
    if op.tile is None:
        return None
    return dim if at_most(op.extents[dim], op.tile.value.data) else None


def may_solve_in_place(op: TriangularSolveOp, value: Value, result: Value) -> bool:
    """Return whether a triangular system may write its solutions where the right sides lie: each element is
    read just before it is written.
    """
    return value is op.operand and value is not op.matrix and is_row_major(value) and is_row_major(result)


def may_transform_in_place(op: FftOp, value: Value, result: Value) -> bool:
    """Return whether a transform may write its result where its operand lies: it is compiled, and an item is
    read by the first of several passes, written by the last one, and lies in the same places of both.
    """
    kind = op.kind.data
    if kind not in ("forward", "backward") or value.type != result.type:
        return False
    if not (is_row_major(value) and is_row_major(result)):
        return False
    shape = shape_of(value)
    length = op.axes.complex_shape(shape)[op.axes.dim]
    return is_written_out(kind, op.axes, shape) and len(factors(length) or ()) > 1
