"""The doubt of a result, by those of the operands of an op.

elementwise, sums, moves          the op's own structure: element by element
select, max, min                  of the operand that is chosen
dot                               of all elements that an element of the result is a sum of
factorisations                    of all elements of a matrix
loops, calls, and all others      of all elements
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Final

from xdsl.ir import Attribute, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import indexing
from mlirad.dialects.array.control import IfOp, SwitchOp
from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.array.factorisations import FACTORISATION_OPS
from mlirad.dialects.array.indexing import MOVES
from mlirad.dialects.array.ordering import CumulativeOp, SortOp
from mlirad.dialects.array.reductions import DotOp, ReduceOp, SumOp
from mlirad.dialects.shapes import Value, element_of, is_float, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.free_values import own_operands
from mlirad.passes.spectral_functions.dimension_moves import moves_of

LINEAR: Final = (*MOVES, indexing.ScatterOp, indexing.UpdateOp, SumOp)
"""Ops that are linear in all floats, and move or add elements."""

BY_STRUCTURE: Final = (
    *LINEAR,
    ew.ElementwiseOp,
    DotOp,
    ReduceOp,
    SortOp,
    CumulativeOp,
    CustomOp,
    *FACTORISATION_OPS,
)
"""Ops behind which doubts are those of a part of the elements."""


def is_followed(reader: Operation, op: Operation) -> bool:
    """Tell whether doubts go on through an op that reads a result of another one, or end in it, as in a
    comparison.
    """
    if reader.results and not reader.regions and not any(map(is_float, reader.results)):
        return True
    return reader.parent is op.parent and isinstance(reader, BY_STRUCTURE)


def sum_of(b: ArrayBuilder, doubts: Iterable[Value | None]) -> Value | None:
    """The sum of doubts of one value."""
    return reduce(lambda x, y: x if y is None else y if x is None else b.add(x, y), doubts, None)


def carried(
    b: ArrayBuilder, op: Operation, result: Value, doubts: Mapping[Value, Value], env: Environment
) -> Value | None:
    """The doubt of a result; `doubts` are those of values that the op reads, at least one."""
    match op:
        case IfOp() | SwitchOp():
            # Branches state the doubts of what they yield.
            return None
        case ew.SelectOp():
            found = _chosen(b, op, doubts, env)
        case ew.ElementwiseOp():
            found = sum_of(b, map(doubts.get, own_operands(op)))
        case DotOp():
            found = _contracted(b, op, doubts)
        case ReduceOp():
            found = b.sum(doubts[op.operand], values_of(op.dims))
        case SortOp() | CumulativeOp():
            found = _spread(b, doubts[op.operand], [op.dim.value.data])
        case _ if isinstance(op, LINEAR):
            return _moved(b, op, doubts, env)
        case _ if isinstance(op, FACTORISATION_OPS):
            found = _of_matrices(b, op, result, doubts)
        case _:
            found = _total(b, doubts.values(), shape_of(result), element_of(result))
    return None if found is None else b.convert(found, element_of(result))


def _spread(b: ArrayBuilder, x: Value, dims: Sequence[int]) -> Value:
    """Sums over dimensions, repeated along these."""
    shape = shape_of(x)
    return b.broadcast(b.sum(x, dims), shape, [d for d in range(len(shape)) if d not in dims])


def _total(
    b: ArrayBuilder, doubts: Iterable[Value], shape: Sequence[int], element: Attribute
) -> Value | None:
    """The sum of all elements, for each element of a result."""
    sums = (b.convert(b.sum(x, range(len(shape_of(x)))), element) for x in doubts)
    found = sum_of(b, sums)
    return None if found is None else b.broadcast(found, shape, [])


def _chosen(b: ArrayBuilder, op: ew.SelectOp, doubts: Mapping[Value, Value], env: Environment) -> Value:
    zeros = b.zeros(op.result.type)
    branches = (doubts.get(v, zeros) for v in (op.on_true, op.on_false))
    return b.select(env.get(op.condition, op.condition), *branches)


def _contracted(b: ArrayBuilder, op: DotOp, doubts: Mapping[Value, Value]) -> Value | None:
    parts: list[Value] = []
    for k, operand in enumerate(own_operands(op)):
        if operand in doubts:
            moves = moves_of(op, k)
            assert moves is not None
            inner = b.sum(doubts[operand], op.contract[k])
            parts.append(b.broadcast(inner, shape_of(op.result), [moves.to[d] for d in sorted(moves.to)]))
    return sum_of(b, parts)


def _moved(b: ArrayBuilder, op: Operation, doubts: Mapping[Value, Value], env: Environment) -> Value:
    """The doubts in the places of the elements, with nothing in the places of others."""
    inner = dict(env)
    for operand in own_operands(op):
        if is_float(operand):
            inner[operand] = doubts[operand] if operand in doubts else b.zeros(operand.type)
    b.rebuild(op, inner)
    return inner[op.results[0]]


def _of_matrices(
    b: ArrayBuilder, op: Operation, result: Value, doubts: Mapping[Value, Value]
) -> Value | None:
    parts: list[Value] = []
    for x in doubts.values():
        rank = len(shape_of(x))
        batch = rank - (3 if "complex" in op.properties else 2)
        inner = b.sum(x, range(batch, rank))
        parts.append(b.broadcast(inner, shape_of(result), range(batch)))
    return sum_of(b, parts)
