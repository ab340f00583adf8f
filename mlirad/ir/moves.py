"""Ops whose result has elements of their operands in other places, and nothing else.

moved(b, op, [x])                what an op that chooses elements chooses of another array
moved(b, op, [x, y])             two other arrays stacked
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xdsl.ir import Operation

from mlirad.dialects.array.indexing import GatherOp, IndexOp
from mlirad.dialects.array.structural import (
    BroadcastOp,
    ConcatenateOp,
    PadOp,
    ReshapeOp,
    ReverseOp,
    SliceOp,
    StackOp,
    TransposeOp,
)
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.free_values import free_values, own_operands

CHOICES: Final = (BroadcastOp, TransposeOp, ReshapeOp, ReverseOp, SliceOp, IndexOp, GatherOp)
"""Those that take their elements from one array, the first operand."""

JOINS: Final = (ConcatenateOp, StackOp, PadOp)
"""Those that take them from all of their operands."""

MOVES: Final = (*CHOICES, *JOINS)


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
