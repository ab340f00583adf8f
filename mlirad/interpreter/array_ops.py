"""The meaning of every op of the `array` dialect on NumPy arrays: one function per op, one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from xdsl.ir import Operation

from mlirad.callbacks import Call, results
from mlirad.dialects.array import elementwise, indexing, ordering, reductions, structural
from mlirad.dialects.array.callbacks import AnyCallback, CallbackOp
from mlirad.dialects.array.literals import literal_array, numpy_dtype
from mlirad.dialects.array.reporting import AnyReport, ReportOp
from mlirad.dialects.array.scalars import SCALARS
from mlirad.dialects.shapes import shape_of, values_of
from mlirad.errors import UnsupportedError
from mlirad.interpreter import arrays
from mlirad.interpreter.arrays import Array
from mlirad.interpreter.machine import Frame, Meaning, location_of
from mlirad.reports import report_lanes

_PROPERTIES: dict[type[Operation], Callable[[Any], dict[str, Any]]] = {
    elementwise.PolygammaOp: lambda op: {"order": op.order.value.data},
    elementwise.CompareOp: lambda op: {"predicate": op.predicate.data},
    elementwise.SpecialOp: lambda op: {"function": op.function.data},
    elementwise.ConvertOp: lambda op: {"dtype": numpy_dtype(op.result.type)},
}
"""The further arguments of the scalar functions of some elementwise ops."""


def element(op: elementwise.ElementwiseOp, operands: Sequence[Array]) -> Array:
    """An elementwise op on operands of one shape."""
    function = SCALARS[op.name.removeprefix("array.")]
    properties = _PROPERTIES.get(type(op))
    return cast(Array, function(*operands) if properties is None else function(*operands, **properties(op)))


def _elementwise(op: elementwise.ElementwiseOp, operands: Sequence[Array], frame: Frame) -> Array:
    return element(op, operands)


def constant(op: structural.ConstantOp, operands: Sequence[Array]) -> Array:
    """The literal of a constant."""
    return literal_array(op)


def _constant(op: structural.ConstantOp, operands: Sequence[Array], frame: Frame) -> Array:
    return literal_array(op)


def _iota(op: structural.IotaOp, operands: Sequence[Array], frame: Frame) -> Array:
    shape, dim = shape_of(op.result), op.dim.value.data
    return arrays.broadcast(np.arange(shape[dim]), (dim,), shape)


def _size(op: structural.SizeOp, operands: Sequence[Array], frame: Frame) -> Array:
    raise UnsupportedError(
        f"{op.extent.data} is not known: the function that runs does not state its sizes",
        location=location_of(op.location),
    )


def _broadcast(op: structural.BroadcastOp, operands: Sequence[Array], frame: Frame) -> Array:
    return arrays.broadcast(np.asarray(operands[0]), values_of(op.dims), shape_of(op.result))


def _transpose(op: structural.TransposeOp, operands: Sequence[Array], frame: Frame) -> Array:
    return operands[0].transpose(values_of(op.permutation))


def _reshape(op: structural.ReshapeOp, operands: Sequence[Array], frame: Frame) -> Array:
    return operands[0].reshape(shape_of(op.result))


def _slice(op: structural.SliceOp, operands: Sequence[Array], frame: Frame) -> Array:
    return arrays.sliced(operands[0], values_of(op.starts), values_of(op.limits), values_of(op.strides))


def _pad(op: structural.PadOp, operands: Sequence[Array], frame: Frame) -> Array:
    x, value = operands
    return arrays.padded(x, value, values_of(op.low), values_of(op.high), values_of(op.interior))


def _concatenate(op: structural.ConcatenateOp, operands: Sequence[Array], frame: Frame) -> Array:
    return np.concatenate(operands, op.dim.value.data)


def _reverse(op: structural.ReverseOp, operands: Sequence[Array], frame: Frame) -> Array:
    return np.flip(operands[0], values_of(op.dims))


def _stack(op: structural.StackOp, operands: Sequence[Array], frame: Frame) -> Array:
    return np.stack(operands, op.dim.value.data)


def index(op: indexing.IndexOp, operands: Sequence[Array]) -> Array:
    """The elements, or sub-arrays, at positions that all have one shape."""
    x, *positions = operands
    space = positions[0].shape if positions else ()
    return arrays.read(x, positions, space)


def _index(op: indexing.IndexOp, operands: Sequence[Array], frame: Frame) -> Array:
    return index(op, operands)


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


def _sum(op: reductions.SumOp, operands: Sequence[Array], frame: Frame) -> Array:
    return arrays.REDUCTIONS["add"](operands[0], values_of(op.dims))


def _reduce(op: reductions.ReduceOp, operands: Sequence[Array], frame: Frame) -> Array:
    return arrays.REDUCTIONS[op.kind.data](operands[0], values_of(op.dims))


def _argmax(op: reductions.ArgmaxOp, operands: Sequence[Array], frame: Frame) -> Array:
    return arrays.argument_reduction("argmax", operands[0], op.dim.value.data)


def _argmin(op: reductions.ArgminOp, operands: Sequence[Array], frame: Frame) -> Array:
    return arrays.argument_reduction("argmin", operands[0], op.dim.value.data)


def _sort(op: ordering.SortOp, operands: Sequence[Array], frame: Frame) -> Array:
    return np.sort(operands[0], axis=op.dim.value.data, kind="stable")


def _argsort(op: ordering.ArgsortOp, operands: Sequence[Array], frame: Frame) -> Array:
    return np.argsort(operands[0], axis=op.dim.value.data, kind="stable")


def _cumulative(op: ordering.CumulativeOp, operands: Sequence[Array], frame: Frame) -> Array:
    return arrays.cumulative(op.kind.data, operands[0], op.dim.value.data, op.reverse is not None)


def _dot(op: reductions.DotOp, operands: Sequence[Array], frame: Frame) -> Array:
    return arrays.contraction(np.asarray(operands[0]), np.asarray(operands[1]), op.batch, op.contract)


def report(op: AnyReport, operands: Sequence[Array], frame: Frame) -> Array:
    """The token, after what is reported."""
    source = None if op.source is None else op.source.data
    condition, *values = (np.asarray(o) for o in operands[1:])
    report_lanes(op.kind.data, op.message.data, source, condition, values)
    return operands[0]


def callback(op: AnyCallback, operands: Sequence[Array], frame: Frame) -> Any:
    """The results of a Python function: of several a tuple."""
    condition, *values = (np.asarray(o) for o in operands)
    rank = op.batch_rank.value.data
    types = tuple((numpy_dtype(r.type), shape_of(r)[rank:]) for r in op.outputs)
    source = None if op.source is None else op.source.data
    call = Call(types, op.vectorized is not None, source)
    found = results(op.function.data, call, condition, [np.array(v) for v in values])
    return found[0] if len(found) == 1 else tuple(found)


ARRAY_MEANINGS: dict[type[Operation], Meaning] = {
    **dict.fromkeys(elementwise.ELEMENTWISE_OPS, _elementwise),
    structural.ConstantOp: _constant,
    structural.IotaOp: _iota,
    structural.SizeOp: _size,
    structural.BroadcastOp: _broadcast,
    structural.TransposeOp: _transpose,
    structural.ReshapeOp: _reshape,
    structural.SliceOp: _slice,
    structural.PadOp: _pad,
    structural.ConcatenateOp: _concatenate,
    structural.ReverseOp: _reverse,
    structural.StackOp: _stack,
    indexing.IndexOp: _index,
    indexing.GatherOp: _gather,
    indexing.ScatterOp: _scatter,
    indexing.UpdateOp: _update,
    indexing.BuildOp: _build,
    indexing.YieldOp: lambda op, operands, frame: (),
    reductions.SumOp: _sum,
    reductions.ReduceOp: _reduce,
    reductions.ArgmaxOp: _argmax,
    reductions.ArgminOp: _argmin,
    reductions.DotOp: _dot,
    ordering.SortOp: _sort,
    ordering.ArgsortOp: _argsort,
    ordering.CumulativeOp: _cumulative,
    ReportOp: report,
    CallbackOp: callback,
}
"""From the class of an op to its meaning."""

ARRAY_ELEMENT_MEANINGS: dict[type[Operation], Callable[[Any, Sequence[Array]], Array]] = {
    **dict.fromkeys(elementwise.ELEMENTWISE_OPS, element),
    structural.ConstantOp: constant,
    indexing.IndexOp: index,
}
"""The meanings of ops of scalar code on arrays of operands, over many positions at once."""
