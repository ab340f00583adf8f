"""Reduction carries of loops: the combiner, read off how the body computes the next value.

    %next = kernel.nest %total, %part ...: total + part - 2      "add"
    %next = kernel.scatter add %total, ...                       "add"
    %next = array.scan %total ... of one of the two              "add"

A total that begins at what its combiner leaves other operands alone with can be computed in parts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Final

from xdsl.dialects.builtin import ArrayAttr, FloatAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, Block, Operation, OpResult

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.kernel import LoadOp, NestOp, ScatterOp
from mlirad.dialects.kernel.nests import is_element_wise
from mlirad.dialects.shapes import Value, array_type, element_of, shape_of, size_of
from mlirad.ir.builder import yields
from mlirad.lower.kernels.strip_mine.totals import COMBINING, identity, plain_nest
from mlirad.lower.machine import element_bytes, parts_cycles

_COMBINERS: Final[Mapping[type[Operation], str]] = {op_class: c for c, op_class in COMBINING.items()}

MOST_BYTES: Final = 16 * 1024 * 1024
"""The memory that the totals of all parts of a reduction may take."""

TOTALS_SHARE: Final = 1 / 40
"""The share of the work that the totals of all parts may cost: a single thread pays for them, too."""


def most_parts(cycles: float, totals: Sequence[Value], limit: int) -> int:
    """The number of parts, at most `limit`, for work of `cycles` cycles that comes to these totals."""
    size = bytes_of(totals)
    counts = range(1, min(limit, MOST_BYTES // max(1, size)) + 1)
    return max(1, bisect_right(counts, TOTALS_SHARE * cycles, key=lambda parts: parts_cycles(parts, size)))


def bytes_of(totals: Sequence[Value]) -> int:
    """The bytes of the totals of one part."""
    return sum(size_of(v) * element_bytes(element_of(v)) for v in totals)


def combined_parts(
    parts: Sequence[Value], combiners: ArrayAttr[StringAttr] | None, like: Operation
) -> NestOp:
    """A nest that combines parts of one shape, stacked along dimension 0, each by its combiner."""
    count, *space = shape_of(parts[0])
    block = Block(arg_types=[i64] * (len(space) + 1))
    *positions, number = block.args
    loads = [LoadOp.create(operands=[v, number, *positions], result_types=[element_of(v)]) for v in parts]
    block.add_ops([*loads, YieldOp.create(operands=[load.result for load in loads])])
    types = [array_type(tuple(space), element_of(v)) for v in parts]
    return plain_nest([count], space, types, block, like, combiners)


def combiner_of(carry: Value, made: Value) -> str | None:
    """The combiner of a carry whose next value is `made`; None if it is anything else than a total."""
    if not isinstance(made, OpResult) or len(list(made.uses)) != 1:
        return None
    op = made.op
    users = {use.operation for use in carry.uses}
    match op:
        case NestOp():
            return _of_nest(op, carry, made.index) if users == {op, *loads_from(op, carry)} else None
        case ScatterOp():
            is_base = op.from_zero is None and op.inputs[0] is carry and list(op.inputs).count(carry) == 1
            return "add" if op.kind.data == "add" and is_base and users == {op} else None
        case ScanOp():
            k = made.index
            if k >= op.carry_count or op.init[k] is not carry or len(list(carry.uses)) != 1:
                return None
            return combiner_of(op.body.block.args[1 + k], yields(op.body)[k])
        case _:
            return None


def _of_nest(nest: NestOp, carry: Value, result: int) -> str | None:
    """The combiner of a nest each of whose elements is that of a carry, combined with other values."""
    loads = loads_from(nest, carry)
    if nest.combiners is not None or not is_element_wise(nest) or len(loads) != 1:
        return None
    if list(loads[0].positions) != list(nest.body.block.args):
        return None
    value: Value = loads[0].result
    combiner: str | None = None
    while (use := value.get_user_of_unique_use()) is not None:
        if isinstance(use, YieldOp):
            return combiner if yields(nest.body)[result] is value else None
        by = "add" if isinstance(use, ew.SubOp) and use.operands[0] is value else _COMBINERS.get(type(use))
        if by is None or combiner not in (None, by):
            return None
        combiner, value = by, use.results[0]
    return None


def loads_from(nest: NestOp, buffer: Value) -> list[LoadOp]:
    """The loads of a nest from a buffer."""
    return [o for o in nest.body.block.ops if isinstance(o, LoadOp) and o.buffer is buffer]


def is_identity(value: Value, combiner: str) -> bool:
    """Return whether an array is made to hold nothing but what a combiner leaves other operands alone
    with.
    """
    op = value.owner
    if not isinstance(op, NestOp) or op.combiners is not None or not isinstance(value, OpResult):
        return False
    constant = yields(op.body)[value.index].owner
    if not isinstance(constant, ConstantOp):
        return False
    return _number(constant.value) == _number(identity(combiner, element_of(value)))


def drop_identities(block: Block) -> None:
    """Drop the nests of a block that do no more than combine arrays with an identity."""
    for nest in list(block.ops):
        if isinstance(nest, NestOp) and nest.combiners is None and is_element_wise(nest):
            alone = [_alone(nest, value) for value in yields(nest.body)]
            arrays = [v for v in alone if v is not None]
            if len(arrays) == len(alone):
                for root, array in zip(nest.roots, arrays, strict=True):
                    root.replace_all_uses_with(array)
                nest.detach()
                nest.erase()


def _alone(nest: NestOp, value: Value) -> Value | None:
    """The array, which nothing else reads, of whose element `value` is the combination with an identity."""
    both = value.owner
    combiner = _COMBINERS.get(type(both)) if isinstance(both, ew.BinaryOp) else None
    if combiner is None or not isinstance(both, ew.BinaryOp):
        return None
    constant, load = both.operands[0].owner, both.operands[1].owner
    if not isinstance(constant, ConstantOp) or not isinstance(load, LoadOp):
        return None
    array = load.buffer
    if not isinstance(array.owner, NestOp) or {use.operation for use in array.uses} != {nest, load}:
        return None
    # As text, in which -0.0 is not 0.0.
    if str(_number(constant.value)) != str(_number(identity(combiner, element_of(value)))):
        return None
    is_here = list(load.positions) == list(nest.body.block.args)
    return array if is_here and array.owner.parent is nest.parent else None


def _number(literal: Attribute) -> float | int:
    assert isinstance(literal, FloatAttr | IntegerAttr)
    return literal.value.data
