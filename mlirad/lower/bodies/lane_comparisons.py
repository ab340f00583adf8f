"""Comparisons of the index of the lane loop with an integer that all lanes share.

    index == label        <0, 1, 2, 3> == splat(label - start)

The lane numbers are constants, and the difference is a scalar. In kernels of short elements the lanes are
compared as short integers, of which a vector has as many as of the elements: the mask of 64-bit comparisons
would be packed from several vectors.
"""

from __future__ import annotations

from typing import Final

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value as Ssa
from mlirad.lower.bodies.body import Body
from mlirad.lower.llvm.text import BYTES, IRBuilder, Kind, Value, constant, lanes

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

    `element_bytes` is of the widest elements that differ between lanes. A limit that is a number is hidden:
    see `hidden_number`.
    """
    if limit.literal is not None:
        limit = hidden_number(f, limit)
    # All negative limits compare alike, and no difference wraps.
    ahead = f.sub(f.intrinsic("smax", limit, -1), first)
    kind: Kind = "i64"
    if element_bytes <= BYTES["i32"]:
        kind = "i32"
        ahead = f.trunc(f.intrinsic("smin", f.intrinsic("smax", ahead, -1), width), kind)
    return f.icmp(_PREDICATES[predicate], lanes(width, kind), ahead)


def hidden_number(f: IRBuilder, number: Value) -> Value:
    """An i64 that LLVM does not know.

    LLVM selects wrong instructions for a masked load whose mask is a condition and a constant mask: where the
    constant is false, lanes are loaded if the condition holds not. So masks may not be known to it.
    """
    return f.pure(f'call i64 asm "", "=r,0"({number.typed})', "i64")


def under_condition(f: IRBuilder, condition: Value, mask: Value) -> Value:
    """A mask of lanes where a condition holds; hidden if the condition is the same in all lanes."""
    if condition.width == 1 and condition.literal is None:
        shift = f.widen(hidden_number(f, constant("i64", 0)), mask.width)
        mask = f.icmp("ne", f.add(f.zext(mask, "i64"), shift), 0)
    return f.and_(condition, mask)
