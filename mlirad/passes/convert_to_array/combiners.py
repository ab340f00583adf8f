"""The ops of bodies by which reductions are known.

COMBINERS["arith.maximumf"]      array.reduce max, and array.max with what the result starts from
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Combiner:
    """The way a result takes in another element: the op of the body, the reduction, and its identity."""

    reduce: Callable[[ArrayBuilder, Value, Sequence[int]], Value]
    combine: Callable[[ArrayBuilder, Value, Value], Value]
    neutral: float | None
    commutes: bool = True


def _kind(kind: str, op_class: type[ew.BinaryOp], neutral: float | None = None) -> Combiner:
    return Combiner(
        lambda b, x, dims: b.reduce(kind, x, dims), lambda b, x, y: b.binary(op_class, x, y), neutral
    )


def _sum(b: ArrayBuilder, x: Value, dims: Sequence[int]) -> Value:
    return b.sum(x, dims)


_SUM = Combiner(_sum, lambda b, x, y: b.add(x, y), 0.0)

COMBINERS: dict[str, Combiner] = {
    "arith.addf": _SUM,
    "arith.addi": _SUM,
    "arith.subf": Combiner(_sum, lambda b, x, y: b.sub(x, y), None, commutes=False),
    "arith.subi": Combiner(_sum, lambda b, x, y: b.sub(x, y), None, commutes=False),
    "arith.mulf": _kind("prod", ew.MulOp, 1.0),
    "arith.muli": _kind("prod", ew.MulOp, 1.0),
    "arith.maximumf": _kind("max", ew.MaxOp, -inf),
    "arith.maxsi": _kind("max", ew.MaxOp),
    "arith.minimumf": _kind("min", ew.MinOp, inf),
    "arith.minsi": _kind("min", ew.MinOp),
    "arith.andi": _kind("and", ew.AndOp),
    "arith.ori": _kind("or", ew.OrOp),
}
"""The ops of bodies by which reductions are known."""
