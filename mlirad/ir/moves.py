"""The moves of an op applied to other arrays; `MOVES` of `dialects/array/indexing.py` lists these ops.

moved(b, op, [x])                what an op that chooses elements chooses of another array
moved(b, op, [x, y])             two other arrays stacked
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from mlirad.dialects.array.indexing import JOINS
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.free_values import free_values, own_operands


def sources(op: Operation) -> tuple[Value, ...]:
    """The operands of a move that its elements are taken from."""
    return own_operands(op) if isinstance(op, JOINS) else own_operands(op)[:1]


def moved(b: ArrayBuilder, op: Operation, parts: Sequence[Value], env: Environment | None = None) -> Value:
    """The result of a move on other arrays of the shapes of its sources, of any element type.

    `env` knows the values that replace what the move reads beside them.
    """
    inner: Environment = {v: env[v] for v in free_values(op) if v in env} if env else {}
    inner.update(zip(sources(op), parts, strict=True))
    b.rebuild(op, inner)
    return inner[op.results[0]]
