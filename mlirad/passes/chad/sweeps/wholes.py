"""To which captured arrays the sweep of a region may hand a whole cotangent, by the ops that read them.

array.index %a[%i]        a part: it can be added to a sum in place
array.exp %a              a whole
"""

from __future__ import annotations

from xdsl.ir import Operation, Region, Use

from mlirad.dialects.array import indexing, structural
from mlirad.dialects.shapes import Value, is_array, shape_of

PARTIAL_READS = (indexing.IndexOp, indexing.GatherOp, structural.SliceOp)
"""The ops that read a part of their first operand."""


def handed_whole(region: Region, value: Value) -> bool:
    """Whether an op in a region reads a captured array otherwise than by parts."""
    if not (is_array(value.type) and shape_of(value)):
        return False
    return any(_is_inside(use.operation, region) and not _is_partial(use) for use in value.uses)


def _is_partial(use: Use) -> bool:
    return isinstance(use.operation, PARTIAL_READS) and use.index == 0


def _is_inside(op: Operation, region: Region) -> bool:
    around = op.parent_region()
    while around is not None:
        if around is region:
            return True
        holder = around.parent_op()
        around = None if holder is None else holder.parent_region()
    return False
