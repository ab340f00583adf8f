"""The largest and the smallest of two elements, as elementwise ops, which identities know.

max(x) min(x), max(x) - min(x)        with x of two elements: of max(x[0], x[1]) and min(x[0], x[1])
"""

from __future__ import annotations

from math import prod

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.reductions import ReduceOp
from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import Value, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder

_OPPOSITE = {"max": "min", "min": "max"}


def extremum_of_two(b: ArrayBuilder, op: ReduceOp, x: Value) -> Value | None:
    """An extremum over two elements, if the other one of the same elements is read, too."""
    opposite, shape, dims = _OPPOSITE.get(op.kind.data), shape_of(op.operand), values_of(op.dims)
    if opposite is None or not all(map(is_static, shape)) or prod(shape[d] for d in dims) != 2:
        return None
    others = (use.operation for use in op.operand.uses)
    if not any(
        isinstance(o, ReduceOp) and o.kind.data == opposite and values_of(o.dims) == dims for o in others
    ):
        return None
    dim = next(d for d in dims if shape[d] == 2)
    parts: list[Value] = []
    for k in range(2):
        starts = [k if d == dim else 0 for d in range(len(shape))]
        limits = [k + 1 if d == dim else e for d, e in enumerate(shape)]
        part = b.slice(x, starts, limits, [1] * len(shape))
        parts.append(b.reshape(part, shape_of(op.results[0])))
    return b.binary(ew.MaxOp if op.kind.data == "max" else ew.MinOp, *parts)
