"""Comparisons of the index of the lane loop with an integer that all lanes share.

    index == label        <0, 1, 2, 3> == splat(label - start)

The lane numbers are constants, and the difference is a scalar. In kernels of short elements the lanes are
compared as short integers, as many to a vector as elements: the mask of 64-bit comparisons would be packed
from several vectors.
"""

from __future__ import annotations

from typing import Final

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value as Ssa
from mlirad.lower.bodies.body import Body
from mlirad.lower.llvm.text import BYTES, IRBuilder, Kind, Value, lanes

_MIRRORED: Final = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_PREDICATES: Final = {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}


def shared_limit(body: Body, op: ew.CompareOp, lane: int | None) -> tuple[str, Ssa] | None:
    """The predicate and the integer that lanes share, if the index of the lane loop is compared with one."""
    for index, limit, predicates in ((op.lhs, op.rhs, None), (op.rhs, op.lhs, _MIRRORED)):
        if lane is not None and body.loop_of(index) == lane and lane not in body.dependences[limit]:
            predicate = op.predicate.data
            return predicates[predicate] if predicates else predicate, limit
    return None


def compare_lanes(
    f: IRBuilder, predicate: str, first: Value, limit: Value, width: int, element_bytes: int
) -> Value:
    """The mask of the lanes of a block that starts at `first`, whose index compares so with a limit.

    `element_bytes` is of the widest elements that differ between lanes.
    """
    # All negative limits compare alike, and no difference wraps.
    ahead = f.sub(f.intrinsic("smax", limit, -1), first)
    kind: Kind = "i64"
    if element_bytes <= BYTES["i32"]:
        kind = "i32"
        ahead = f.trunc(f.intrinsic("smin", f.intrinsic("smax", ahead, -1), width), kind)
    return f.icmp(_PREDICATES[predicate], lanes(width, kind), ahead)
