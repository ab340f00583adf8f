"""Results of the ops of the `kernel` dialect: the arrays, whatever the schedule, layouts and slots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
from xdsl.ir import Operation

from mlirad.dialects import kernel
from mlirad.dialects.array.factorisations import triangle_flags
from mlirad.dialects.array.frames import NoFrameOp
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.kernel.nests import is_element_wise, written_out_shape
from mlirad.dialects.kernel.strips import StripsOp
from mlirad.dialects.shapes import Shape, shape_of, values_of
from mlirad.interpreter import arrays
from mlirad.interpreter.array_ops import callback, report
from mlirad.interpreter.arrays import Array
from mlirad.interpreter.control import no_frame
from mlirad.interpreter.factorisations import parts_of_batch, triangular_solutions
from mlirad.interpreter.machine import Frame, Meaning
from mlirad.interpreter.transforms import transformed


def require_inside(positions: Sequence[Array], extents: Shape) -> None:
    """Raise ValueError when a position lies outside its dimension."""
    for d, (position, extent) in enumerate(zip(positions, extents, strict=True)):
        outside = np.extract((position < 0) | (position >= extent), position)
        if outside.size:
            raise ValueError(f"position {outside[0]} lies outside dimension {d} of extent {extent}")


def load(op: kernel.LoadOp, operands: Sequence[Array]) -> Array:
    """The elements of a buffer at positions of one shape, all of them inside."""
    buffer, *positions = operands
    require_inside(positions, shape_of(op.buffer))
    return buffer[tuple(positions)] if positions else buffer


def load_if(op: kernel.LoadIfOp, operands: Sequence[Array]) -> Array:
    """The elements where the guard holds, 0 elsewhere."""
    guard, buffer, *positions = (np.asarray(o) for o in operands)
    require_inside([np.extract(guard, p) for p in positions], shape_of(op.buffer))
    values = arrays.read(buffer, positions, guard.shape) if positions else buffer
    return np.where(guard, values, buffer.dtype.type(0))


def _load(op: kernel.LoadOp, operands: Sequence[Array], frame: Frame) -> Array:
    return load(op, operands)


def _load_if(op: kernel.LoadIfOp, operands: Sequence[Array], frame: Frame) -> Array:
    return load_if(op, operands)


def _nest(op: kernel.NestOp, operands: Sequence[Array], frame: Frame) -> Any:
    values = iter(frame.region(op.body, op.extents))
    rank = len(values_of(op.space))
    reduced = tuple(range(rank, len(op.extents)))
    kinds = [""] * len(op.roots) if op.combiners is None else [c.data for c in op.combiners.data]
    results: list[Array] = []
    for kind, root in zip(kinds, op.roots, strict=True):
        written_out = written_out_shape(values_of(op.space), shape_of(root))
        elements = [next(values) for _ in range(prod(written_out or ()))]
        if kind.startswith("arg"):
            elements = [arrays.argument_reduction(kind, e, rank) for e in elements]
        elif kind:
            elements = [arrays.REDUCTIONS[kind](e, reduced) for e in elements]
        if is_element_wise(op):
            results += elements
        else:
            results.append(np.stack(elements, axis=-1).reshape(shape_of(root)))
    if op.bounds:
        results = [np.where(_is_within(op), each, each.dtype.type(np.nan)) for each in results]
    return results[0] if len(results) == 1 else tuple(results)


def _is_within(op: kernel.NestOp) -> Array:
    """Return where the elements are that a nest computes."""
    indices = np.indices(values_of(op.space), sparse=True)
    found = np.ones(values_of(op.space), np.bool_)
    for x, y, offset in op.bounds:
        found &= indices[x] <= indices[y] + offset
    return found


def _recurrence(op: kernel.RecurrenceOp, operands: Sequence[Array], frame: Frame) -> Any:
    space = values_of(op.space)
    points = prod(space)
    indices = np.indices(space, np.int64).reshape(len(space), points)
    carries = [np.broadcast_to(x, space).ravel() for x in operands[: op.carry_count]]
    stacked = [np.zeros(shape_of(y), numpy_dtype(y.type)) for y in op.stacked]
    iterations = range(op.iterations) if op.reverse is None else reversed(range(op.iterations))
    for iteration in iterations if points else ():
        made = frame.run_elements(op.body.block, [*indices, np.full(points, iteration), *carries], points)
        carries = made[: op.carry_count]
        for whole, part in zip(stacked, made[op.carry_count :], strict=True):
            whole[iteration] = part.reshape(space)
    results = [*(c.reshape(space) for c in carries), *stacked]
    return results[0] if len(results) == 1 else tuple(results)


def _scatter(op: kernel.ScatterOp, operands: Sequence[Array], frame: Frame) -> Array:
    shape = shape_of(op.result)
    base = np.asarray(operands[0]) if op.from_zero is None else np.zeros(shape, numpy_dtype(op.result.type))
    value, *places = (v.ravel() for v in frame.region(op.body, op.extents))
    if len(places) > len(shape):
        guard = places[len(shape)]
        value, places = value[guard], [p[guard] for p in places[: len(shape)]]
    require_inside(places, shape)
    return arrays.written(base, places, value, value.shape, op.kind.data)


def _dot(op: kernel.DotOp, operands: Sequence[Array], frame: Frame) -> Array:
    return arrays.contraction(np.asarray(operands[0]), np.asarray(operands[1]), op.batch, op.contract)


def _cumulative(op: kernel.CumulativeOp, operands: Sequence[Array], frame: Frame) -> Array:
    return arrays.cumulative(op.kind.data, operands[0], op.dim.value.data, op.reverse is not None)


def _sort(op: kernel.SortOp, operands: Sequence[Array], frame: Frame) -> Any:
    x, dim = operands[0], op.dim.value.data
    order = np.argsort(x, axis=dim, kind="stable")
    first = order if op.positions is not None else np.take_along_axis(x, order, dim)
    return (first, *(np.zeros(shape_of(r), numpy_dtype(r.type)) for r in op.results[1:]))


def _factorisation(op: kernel.FactorisationOp, operands: Sequence[Array], frame: Frame) -> Any:
    empty = [np.zeros(shape_of(r), numpy_dtype(r.type)) for r in op.results]
    for k, part in enumerate(op.parts):
        empty[k] = parts_of_batch(
            op.kind.data, part, np.asarray(operands[0]), empty[k], is_complex=op.complex is not None
        )
    return empty[0] if len(empty) == 1 else tuple(empty)


def _triangular_solve(op: kernel.TriangularSolveOp, operands: Sequence[Array], frame: Frame) -> Array:
    return triangular_solutions(*map(np.asarray, operands), **triangle_flags(op))


def _fft(op: kernel.FftOp, operands: Sequence[Array], frame: Frame) -> Array:
    return transformed(op.kind.data, np.asarray(operands[0]), shape_of(op.result), op.axes)


def _strips(op: StripsOp, operands: Sequence[Array], frame: Frame) -> Any:
    block, count = op.body.block, op.carry_count
    carries: list[Any] = list(operands)
    joined = [np.zeros(shape_of(y), numpy_dtype(y.type)) for y in op.joined]
    stacked = [np.zeros(shape_of(y), numpy_dtype(y.type)) for y in op.stacked]
    for iteration in range(op.iterations):
        start, fresh = op.start_of(iteration)
        frame.bind(block, [np.int64(start), np.int64(fresh), *carries])
        made = frame.run(block)
        carries = list(made[:count])
        for whole, strip in zip(joined, made[count : count + len(joined)], strict=True):
            whole[start : start + op.strip_rows] = strip
        for parts, part in zip(stacked, made[count + len(joined) :], strict=True):
            parts[iteration] = part
    results = [*carries, *joined, *stacked]
    return results[0] if len(results) == 1 else tuple(results)


KERNEL_MEANINGS: dict[type[Operation], Meaning] = {
    kernel.NestOp: _nest,
    kernel.RecurrenceOp: _recurrence,
    kernel.ScatterOp: _scatter,
    kernel.DotOp: _dot,
    kernel.CumulativeOp: _cumulative,
    kernel.SortOp: _sort,
    kernel.FactorisationOp: _factorisation,
    kernel.TriangularSolveOp: _triangular_solve,
    kernel.FftOp: _fft,
    kernel.ReportOp: report,
    kernel.CallbackOp: callback,
    StripsOp: _strips,
    kernel.LoadOp: _load,
    kernel.LoadIfOp: _load_if,
}
"""From the class of an op to its meaning."""

KERNEL_ELEMENT_MEANINGS: dict[type[Operation], Callable[[Any, Sequence[Array]], Array]] = {
    kernel.LoadOp: load,
    kernel.LoadIfOp: load_if,
    NoFrameOp: no_frame,
}
"""The meanings of loads at many positions at once."""
