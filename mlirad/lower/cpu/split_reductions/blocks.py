"""The body of a kernel for a block of one of its loops: a given number of rows, from a first one on.

%a = kernel.load %x[%i]      -->      %r = array.add %i, %first
                                      %a = kernel.load %x[%r]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from xdsl.dialects.builtin import i64
from xdsl.ir import Block

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.literals import literal
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.kernel import LoadOp
from mlirad.dialects.shapes import Value

MULTIPLE: Final = 16
"""Blocks of more iterations than four times this have a multiple of it, so that vectors are filled."""


def even_rows(extent: int, blocks: int) -> int:
    """Return the rows of each of a given number of blocks; some rows may be left over."""
    rows = extent // blocks
    return rows // MULTIPLE * MULTIPLE if rows > 4 * MULTIPLE else rows


def block_body(old: Block, d: int, first: Callable[[Block], Value]) -> Block:
    """The body over iterations of loop d from the one on that `first` writes the number of."""
    body = Block(arg_types=[i64] * len(old.args))
    number = ew.AddOp.create(operands=[body.args[d], first(body)], result_types=[i64])
    body.add_op(number)
    env: dict[Value, Value] = dict(zip(old.args, body.args, strict=True))
    env[old.args[d]] = number.results[0]
    for inner in old.ops:
        body.add_op(inner.clone(env))
    return body


def first_row(body: Block, iteration: Value, rows: int) -> Value:
    """The number of the first row of an iteration."""
    number = LoadOp.create(operands=[iteration], result_types=[i64])
    body.add_op(number)
    scaled = ew.MulOp.create(operands=[number.result, literal_row(body, rows)], result_types=[i64])
    body.add_op(scaled)
    return scaled.results[0]


def literal_row(body: Block, number: int) -> Value:
    """A row whose number is known."""
    constant = ConstantOp.create(result_types=[i64], properties={"value": literal(number, i64)})
    body.add_op(constant)
    return constant.result
