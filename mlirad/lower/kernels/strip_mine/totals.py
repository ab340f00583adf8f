"""The kernels around those of a group: what totals start at, how parts of them combine, copies of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr, i64
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import reductions
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.array.literals import literal
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.kernel import LoadIfOp, LoadOp, NestOp, ScatterOp
from mlirad.dialects.shapes import Value, array_type, element_of, ints, is_float, shape_of

COMBINING: Mapping[str, type[ew.BinaryOp]] = {
    "add": ew.AddOp,
    "prod": ew.MulOp,
    "max": ew.MaxOp,
    "min": ew.MinOp,
    "and": ew.AndOp,
    "or": ew.OrOp,
}
"""The op that combines two results of a combiner."""


def identity(combiner: str, element: Attribute) -> Attribute:
    """The literal that a combiner leaves other operands alone with: of sums of floats -0, which keeps -0."""
    is_sum = combiner == "add" and is_float(element)
    return literal(-0.0 if is_sum else reductions.identity(combiner, element), element)


def initial_total(total: Value, combiner: str) -> NestOp:
    """A nest that makes what a total starts at: 0 for a scatter, the identity of its combiner for a nest."""
    element = element_of(total)
    value = literal(0, element) if isinstance(total.owner, ScatterOp) else identity(combiner, element)
    body = Block(arg_types=[i64] * len(shape_of(total)))
    constant = ConstantOp.create(result_types=[element], properties={"value": value})
    body.add_ops([constant, YieldOp.create(operands=[constant.result])])
    return plain_nest((), shape_of(total), [total.type], body, total.owner)


def combined(pairs: Sequence[tuple[Value, Value, str]], like: Operation) -> NestOp:
    """A nest that combines pairs of arrays of one shape, each by its combiner."""
    shape = shape_of(pairs[0][0])
    block = Block(arg_types=[i64] * len(shape))
    values: list[Value] = []
    for before, new, combiner in pairs:
        element = element_of(new)
        loads = [LoadOp.create(operands=[v, *block.args], result_types=[element]) for v in (before, new)]
        both = COMBINING[combiner].create(operands=[load.result for load in loads], result_types=[element])
        block.add_ops([*loads, both])
        values.append(both.results[0])
    block.add_op(YieldOp.create(operands=values))
    return plain_nest((), shape, [new.type for _, new, _ in pairs], block, like)


def copied_strip(value: Value, d: int, rows: int, start: Value, like: Operation) -> NestOp:
    """A nest that copies a strip of an array: `rows` rows along dimension d, from `start` on."""
    shape = tuple(rows if k == d else e for k, e in enumerate(shape_of(value)))
    block = Block(arg_types=[i64] * len(shape))
    first = LoadOp.create(operands=[start], result_types=[i64])
    number = ew.AddOp.create(operands=[block.args[d], first.result], result_types=[i64])
    position = [number.results[0] if k == d else a for k, a in enumerate(block.args)]
    load = LoadOp.create(operands=[value, *position], result_types=[element_of(value)])
    block.add_ops([first, number, load, YieldOp.create(operands=[load.result])])
    return plain_nest((), shape, [array_type(shape, element_of(value))], block, like)


def loaded(block: Block) -> list[Value]:
    """The buffers that a body loads from."""
    return list(dict.fromkeys(o.buffer for o in block.ops if isinstance(o, LoadOp | LoadIfOp)))


def plain_nest(
    reduction: Sequence[int],
    space: Sequence[int],
    types: Sequence[Attribute],
    block: Block,
    like: object,
    combiners: ArrayAttr[StringAttr] | None = None,
) -> NestOp:
    """A nest with a given body, located as another op."""
    properties: dict[str, Attribute] = {"space": ints(tuple(space)), "reduction": ints(tuple(reduction))}
    if combiners is not None:
        properties["combiners"] = combiners
    return NestOp.create(
        operands=loaded(block),
        result_types=types,
        properties=properties,
        regions=[Region(block)],
        location=like.location if isinstance(like, Operation) else None,
    )
