"""The outer arrays to which the sweep of a region may hand a whole cotangent, by the ops that read them.

array.index %a[%i]        a part: it can be added to a sum in place
array.exp %a              a whole
func.call @g(%a)          what @g does with its parameter
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from xdsl.dialects.func import CallOp
from xdsl.ir import Operation, Region, Use

from mlirad.dialects.array import indexing, structural
from mlirad.dialects.shapes import Value, is_array, shape_of

PARTIAL_READS = (indexing.IndexOp, indexing.GatherOp, structural.SliceOp)
"""The ops that read a part of their first operand."""


OfCalls: TypeAlias = Callable[[CallOp, int], bool]
"""True if a call may hand a whole cotangent to the operand of this number."""


def handed_whole(region: Region, value: Value, of_calls: OfCalls) -> bool:
    """Return whether an op in a region, or a function that it calls, reads an array otherwise than by
    parts.
    """
    if not (is_array(value.type) and shape_of(value)):
        return False
    return any(_is_inside(use.operation, region) and not _is_partial(use, of_calls) for use in value.uses)


def _is_partial(use: Use, of_calls: OfCalls) -> bool:
    op = use.operation
    if isinstance(op, CallOp):
        return not of_calls(op, use.index)
    return isinstance(op, PARTIAL_READS) and use.index == 0


def _is_inside(op: Operation, region: Region) -> bool:
    around = op.parent_region()
    while around is not None:
        if around is region:
            return True
        holder = around.parent_op()
        around = None if holder is None else holder.parent_region()
    return False
