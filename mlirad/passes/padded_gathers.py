"""Gathers from an array that is padded with a constant become gathers from the array, and a select.

    %p = array.concatenate %x, %zero {dim = 0}              %g = array.gather %x (%i) { min(table[i], 9) }
    %g = array.gather %p (%i) { table[i] }          -->     %r = array.select (table < 10), %g, 0

The table is a constant, so the condition is one, too. That is how triangular matrices are made of rows that
hold their elements. The derivative then adds no cotangents of padding, and whoever reads the condition knows
which elements matter.
"""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.dialects.builtin import i1, i64
from xdsl.ir import BlockArgument

from mlirad.dialects.array.indexing import GatherOp, IndexOp
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.array.structural import ConcatenateOp, ConstantOp
from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import Value, shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.builder import yields

MOST_POSITIONS = 2**20
"""Longer tables are left as they are."""


def without_padding(b: ArrayBuilder, op: GatherOp, env: Environment) -> Value | None:
    """Return what stands for a gather that reads padding; None if that is not known."""
    joined, targets = op.operand.owner, yields(op.body)
    if not isinstance(joined, ConcatenateOp) or not is_static(prod(shape_of(joined.result))):
        return None
    dim = joined.dim.value.data
    own = [k for k, part in enumerate(joined.parts) if b.scalar_of(part) is None]
    padding = [s for part in joined.parts if (s := b.scalar_of(part)) is not None]
    if dim >= len(targets) or len(own) != 1 or len(set(map(repr, padding))) != 1:  # 0 and -0 differ
        return None
    table = targets[dim].owner
    if not isinstance(table, IndexOp) or not isinstance(table.operand.owner, ConstantOp):
        return None
    loops = [p.index for p in table.positions if isinstance(p, BlockArgument) and p.block is op.body.block]
    extents = shape_of(op.result)[: len(op.body.block.args)]
    shape = shape_of(table.operand)
    if (
        len({*loops}) < len(shape)
        or shape != tuple(extents[x] for x in loops)
        or prod(shape) > MOST_POSITIONS
    ):
        return None
    part = joined.parts[own[0]]
    start, extent = sum(shape_of(p)[dim] for p in joined.parts[: own[0]]), shape_of(part)[dim]
    positions = np.clip(literal_array(table.operand.owner), 0, shape_of(joined.result)[dim] - 1) - start
    inside = (positions >= 0) & (positions < extent)
    if inside.all() or not extent:
        return None
    places = b.constant(np.clip(positions, 0, extent - 1), i64)

    def read(*args: Value) -> list[Value]:
        found = b.inline_region(op.body, args, env)
        found[dim] = b.index(places, [args[x] for x in loops])
        return found

    result = shape_of(op.result)
    gathered = b.gather(env.get(part, part), extents, read)
    condition = b.broadcast(b.constant(inside, i1), result, loops)
    return b.select(condition, gathered, b.splat(padding[0], op.result.type))
