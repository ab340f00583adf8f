"""Masked sums, with few nonzero terms: a minimum or maximum depends only on where it is attained.

    %m = reduce min %x over j                 c = (x[i, j] == m[i]) holds for one j of each i, or few that tie
    %s = sum over i: select(c, w, 0) * y

Such a sum is a scatter: for the few (i, j) where c holds the term is computed and added to its element. The
conditions are compared many at a time, so the sum costs about as much as reading x, however costly its terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, prod

from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import reductions, structural
from mlirad.dialects.extents import nominal
from mlirad.dialects.shapes import Value, is_float, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.free_values import free_values
from mlirad.lazy_dataclass import dataclass

LEAST_EXTENT = 8
"""The least extent of a dimension for its mask to count as selecting few elements."""

DEPTH = 16
"""The number of ops over which a term is followed to its condition."""


@dataclass(frozen=True)
class Condition:
    """The elements at which a value is not 0; dimension k of the condition is dimension `dims[k]` of the
    value.

    It holds for few positions along the dimensions `few` of the value.
    """

    value: Value
    dims: tuple[int, ...]
    few: tuple[int, ...]

    @property
    def searched(self) -> int | None:
        """The dimension of the condition along which a scatter looks for where it holds, if that is few."""
        innermost = max(self.dims)
        return self.dims.index(innermost) if self.few == (innermost,) else None


def masked_sums(b: ArrayBuilder, ops: Sequence[Operation]) -> dict[Operation, Condition]:
    """The sums among `ops` that are better made of the terms that a mask selects."""
    found: dict[Operation, Condition] = {}
    if not any(isinstance(op, reductions.ReduceOp) for op in ops):
        return found
    for op in ops:
        if isinstance(op, reductions.SumOp) and is_float(op.operand) and shape_of(op.result):
            condition = _condition(b, op.operand, DEPTH)
            if condition is not None and not set(condition.few) & set(values_of(op.dims)):
                found[op] = condition
    return found


def read_by_terms(
    ops: Sequence[Operation], sums: dict[Operation, Condition], elsewhere: set[Value]
) -> set[Value]:
    """The values that nothing but the terms of such sums read, and that are not wanted elsewhere."""
    if not sums:
        return set()
    read_otherwise = set(elsewhere)
    for op in reversed(ops):
        is_term = isinstance(op, _TERMS) and not any(r in read_otherwise for r in op.results)
        if op not in sums and not is_term:
            read_otherwise.update(free_values(op))
    return {r for op in ops if isinstance(op, _TERMS) for r in op.results if r not in read_otherwise}


_TERMS = (ew.ElementwiseOp, structural.BroadcastOp, structural.TransposeOp)


def _condition(b: ArrayBuilder, value: Value, depth: int) -> Condition | None:
    """A condition that holds for few positions, without which a value is 0, if its ops tell."""
    op = value.owner
    if depth == 0:
        return None
    match op:
        case ew.SelectOp() if b.scalar_of(op.on_false) == 0:
            few = _one_of_many(op.condition)
            return Condition(op.condition, tuple(range(len(shape_of(value)))), few) if few else None
        case ew.AbsorbingMulOp():
            return _condition(b, op.operands[0], depth - 1) or _condition(b, op.operands[1], depth - 1)
        case ew.MulOp() if _is_finite(b, op.operands[1]):
            return _condition(b, op.operands[0], depth - 1)
        case ew.MulOp() if _is_finite(b, op.operands[0]):
            return _condition(b, op.operands[1], depth - 1)
        case ew.NegOp():
            return _condition(b, op.operands[0], depth - 1)
        case ew.AddOp() if op.operands[0] is op.operands[1]:
            return _condition(b, op.operands[0], depth - 1)
        case structural.BroadcastOp() if shape_of(op.operand):
            return _moved(_condition(b, op.operand, depth - 1), values_of(op.dims))
        case structural.TransposeOp():
            permutation = values_of(op.permutation)
            places = tuple(permutation.index(d) for d in range(len(permutation)))
            return _moved(_condition(b, op.operand, depth - 1), places)
        case _:
            return None


def _is_finite(b: ArrayBuilder, value: Value) -> bool:
    """Return whether a value is one finite number: 0 times it is 0."""
    number = b.scalar_of(value)
    return number is not None and isfinite(number)


def _moved(condition: Condition | None, places: Sequence[int]) -> Condition | None:
    """The condition for an array that has dimension d of another one at `places[d]`."""
    if condition is None:
        return None
    dims = tuple(places[d] for d in condition.dims)
    return Condition(condition.value, dims, tuple(places[d] for d in condition.few))


def _one_of_many(condition: Value) -> tuple[int, ...]:
    """The dimensions along which a condition says where the extremum is; none if it says something else."""
    op = condition.owner
    if not isinstance(op, ew.CompareOp) or op.predicate.data != "eq":
        return ()
    for x, extremum in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        spread = extremum.owner
        if not isinstance(spread, structural.BroadcastOp):
            continue
        reduced = spread.operand.owner
        if not isinstance(reduced, reductions.ReduceOp) or reduced.operand is not x:
            continue
        dims = values_of(reduced.dims)
        kept = tuple(d for d in range(len(shape_of(x))) if d not in dims)
        is_extremum = reduced.kind.data in ("min", "max") and values_of(spread.dims) == kept
        if is_extremum and nominal(prod(shape_of(x)[d] for d in dims)) >= LEAST_EXTENT:
            return dims
    return ()
