"""What every op of the `array` dialect does to NumPy arrays: one function per op, one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from xdsl.ir import Operation

from mlirad.dialects.array import elementwise, indexing, ordering, reductions, structural
from mlirad.dialects.array.literals import literal_array, numpy_dtype
from mlirad.dialects.array.reporting import ReportOp
from mlirad.dialects.array.scalars import SCALARS
from mlirad.dialects.shapes import shape_of, values_of
from mlirad.interpreter import arrays
from mlirad.interpreter.arrays import Array
from mlirad.interpreter.machine import Frame, Meaning
from mlirad.reports import report_lanes


def element(op: elementwise.ElementwiseOp, operands: Sequence[Array]) -> Array:
    """An elementwise op on operands of one shape."""
    properties: dict[str, Any] = {}
    match op:
        case elementwise.PolygammaOp():
            properties["order"] = op.order.value.data
        case elementwise.CompareOp():
            properties["predicate"] = op.predicate.data
        case elementwise.ConvertOp():
            properties["dtype"] = numpy_dtype(op.result.type)
        case _:
            pass
    return cast(Array, SCALARS[op.name.removeprefix("array.")](*operands, **properties))


def _iota(op: structural.IotaOp, operands: Sequence[Array], frame: Frame) -> Array:
    shape, dim = shape_of(op.result), op.dim.value.data
    return arrays.broadcast(np.arange(shape[dim]), (dim,), shape)


def _broadcast(op: structural.BroadcastOp, operands: Sequence[Array], frame: Frame) -> Array:
    return arrays.broadcast(np.asarray(operands[0]), values_of(op.dims), shape_of(op.result))


def _slice(op: structural.SliceOp, operands: Sequence[Array], frame: Frame) -> Array:
    return arrays.sliced(operands[0], values_of(op.starts), values_of(op.limits), values_of(op.strides))


def _pad(op: structural.PadOp, operands: Sequence[Array], frame: Frame) -> Array:
    x, value = operands
    return arrays.padded(x, value, values_of(op.low), values_of(op.high), values_of(op.interior))


def index(op: indexing.IndexOp, operands: Sequence[Array]) -> Array:
    """The elements, or sub-arrays, at positions that all have one shape."""
    x, *positions = operands
    space = positions[0].shape if positions else ()
    return arrays.read(x, positions, space)


def _gather(op: indexing.GatherOp, operands: Sequence[Array], frame: Frame) -> Array:
    space = shape_of(op.result)[: len(op.body.block.args)]
    return arrays.read(np.asarray(operands[0]), frame.region(op.body, space), space)


def _scatter(op: indexing.ScatterOp, operands: Sequence[Array], frame: Frame) -> Array:
    base = np.zeros(shape_of(op.result), numpy_dtype(op.result.type))
    space = shape_of(op.operand)[: len(op.body.block.args)]
    return arrays.written(base, frame.region(op.body, space), operands[0], space, "add")


def _update(op: indexing.UpdateOp, operands: Sequence[Array], frame: Frame) -> Array:
    base, x = operands
    space = shape_of(op.operand)[: len(op.body.block.args)]
    return arrays.written(np.asarray(base), frame.region(op.body, space), x, space, op.kind.data)


def _build(op: indexing.BuildOp, operands: Sequence[Array], frame: Frame) -> Array:
    (result,) = frame.region(op.body, shape_of(op.result)[: len(op.body.block.args)])
    return result


def _cumulative(op: ordering.CumulativeOp, operands: Sequence[Array], frame: Frame) -> Array:
    return arrays.cumulative(op.kind.data, operands[0], op.dim.value.data, op.reverse is not None)


def _dot(op: reductions.DotOp, operands: Sequence[Array], frame: Frame) -> Array:
    return arrays.contraction(np.asarray(operands[0]), np.asarray(operands[1]), op.batch, op.contract)


def _report(op: ReportOp, operands: Sequence[Array], frame: Frame) -> Array:
    source = None if op.source is None else op.source.data
    condition, *values = (np.asarray(o) for o in operands[1:])
    report_lanes(op.kind.data, op.message.data, source, condition, values)
    return operands[0]


ARRAY_MEANINGS: dict[type[Operation], Meaning] = {
    **dict.fromkeys(elementwise.ELEMENTWISE_OPS, lambda op, operands, frame: element(op, operands)),
    structural.ConstantOp: lambda op, operands, frame: literal_array(op),
    structural.IotaOp: _iota,
    structural.BroadcastOp: _broadcast,
    structural.TransposeOp: lambda op, operands, frame: operands[0].transpose(values_of(op.permutation)),
    structural.ReshapeOp: lambda op, operands, frame: operands[0].reshape(shape_of(op.result)),
    structural.SliceOp: _slice,
    structural.PadOp: _pad,
    structural.ConcatenateOp: lambda op, operands, frame: np.concatenate(operands, op.dim.value.data),
    structural.ReverseOp: lambda op, operands, frame: np.flip(operands[0], values_of(op.dims)),
    structural.StackOp: lambda op, operands, frame: np.stack(operands, op.dim.value.data),
    indexing.IndexOp: lambda op, operands, frame: index(op, operands),
    indexing.GatherOp: _gather,
    indexing.ScatterOp: _scatter,
    indexing.UpdateOp: _update,
    indexing.BuildOp: _build,
    indexing.YieldOp: lambda op, operands, frame: (),
    reductions.SumOp: lambda op, operands, frame: arrays.REDUCTIONS["add"](operands[0], values_of(op.dims)),
    reductions.ReduceOp: lambda op, operands, frame: arrays.REDUCTIONS[op.kind.data](
        operands[0], values_of(op.dims)
    ),
    reductions.ArgmaxOp: lambda op, operands, frame: arrays.argument_reduction(
        "argmax", operands[0], op.dim.value.data
    ),
    reductions.ArgminOp: lambda op, operands, frame: arrays.argument_reduction(
        "argmin", operands[0], op.dim.value.data
    ),
    reductions.DotOp: _dot,
    ordering.SortOp: lambda op, operands, frame: np.sort(operands[0], axis=op.dim.value.data, kind="stable"),
    ordering.ArgsortOp: lambda op, operands, frame: np.argsort(
        operands[0], axis=op.dim.value.data, kind="stable"
    ),
    ordering.CumulativeOp: _cumulative,
    ReportOp: _report,
}
"""From the class of an op to its meaning."""

ARRAY_ELEMENT_MEANINGS: dict[type[Operation], Callable[[Any, Sequence[Array]], Array]] = {
    **dict.fromkeys(elementwise.ELEMENTWISE_OPS, element),
    structural.ConstantOp: lambda op, operands: literal_array(op),
    indexing.IndexOp: index,
}
"""The meanings of ops of scalar code on arrays of operands, over many positions at once."""
