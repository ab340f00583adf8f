"""The primitive linear maps, each with a transpose from first principles.

Nothing here knows the compiler's table of transposes, which is tested against it:

- a primitive that only moves elements (each element of its image is one element of its argument, or 0) is
  transposed by running it on the numbers 1, 2, ..., n and adding each cotangent at the place it came from;
- the others are their own transpose (scale, mask), each other's (sum spreads, scatter reads back), or a
  contraction over the same labels in the other direction (dot).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import cast

import numpy as np
from xdsl.ir import Attribute, Operation

from mlirad.dialects import linear
from mlirad.dialects.array.factorisations import matrices_of, triangle_flags
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.array.scalars import SCALARS
from mlirad.dialects.array.transforms import TRANSPOSED_KINDS, transform_operations
from mlirad.dialects.shapes import components_of, shape_of, values_of
from mlirad.interpreter import arrays
from mlirad.interpreter.arrays import Array
from mlirad.interpreter.factorisations import triangular_solutions
from mlirad.interpreter.linear_maps import Action, LinearMap, counted
from mlirad.interpreter.machine import Frame, Meaning
from mlirad.interpreter.spaces import (
    Element,
    coordinates,
    dimension,
    from_coordinates,
    in_shape_of,
    parts_of,
    product_of,
)
from mlirad.interpreter.transforms import transformed


def _primitive(
    op: linear.MapOp,
    frame: Frame,
    forward: Action,
    backward: Action,
    operations: tuple[int, int] | None = None,
) -> LinearMap:
    """A map from its two actions; they count the elements of their images unless `operations` says more."""
    ahead, back = operations or (dimension(op.codomain), dimension(op.domain))
    return LinearMap(
        op.domain, op.codomain, counted(op, frame, forward, ahead), counted(op, frame, backward, back)
    )


def _movement(op: linear.MapOp, frame: Frame, move: Action, accumulates: bool = False) -> LinearMap:
    """A map whose image consists of elements of the argument and zeros.

    `accumulates` says that the transpose may add several cotangents at one place.
    """

    def backward(ct: Element) -> Element:
        size = dimension(op.domain)
        sources = in_shape_of(op.domain, np.arange(1, size + 1))
        places = coordinates(move(sources)).astype(np.int64)
        dtype = numpy_dtype(components_of(op.domain)[0])
        total = np.zeros(size + 1, arrays.carried(np.empty(0, dtype)))
        np.add.at(total, places, coordinates(ct).astype(dtype))
        return from_coordinates(op.domain, total[1:].astype(dtype))

    ahead, back = dimension(op.codomain), dimension(op.domain)
    return _primitive(op, frame, move, backward, (ahead, back + ahead if accumulates else back))


def _scale(op: linear.ScaleOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    def scale(x: Array) -> Array:
        return cast(Array, SCALARS["absorbing_mul"](operands[0], x))

    return _primitive(op, frame, scale, scale)


def _mask(op: linear.MaskOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    def mask(x: Array) -> Array:
        return np.where(operands[0], x, x.dtype.type(0))

    return _primitive(op, frame, mask, mask)


def _convert(op: linear.ConvertOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    def to(space: Attribute) -> Action:
        return lambda x: SCALARS["convert"](x, dtype=numpy_dtype(space))

    return _primitive(op, frame, to(op.codomain), to(op.domain))


def _sum(op: linear.SumOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    dims, shape = values_of(op.dims), shape_of(op.domain)
    kept = [d for d in range(len(shape)) if d not in dims]
    size = dimension(op.domain)
    return _primitive(
        op,
        frame,
        lambda x: arrays.REDUCTIONS["add"](np.asarray(x), dims),
        lambda ct: arrays.broadcast(np.asarray(ct), kept, shape),
        (max(size, dimension(op.codomain)), size),
    )


def _broadcast(op: linear.BroadcastOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    dims, shape = values_of(op.dims), shape_of(op.codomain)
    return _movement(op, frame, lambda x: arrays.broadcast(np.asarray(x), dims, shape), accumulates=True)


def _reshape(op: linear.ReshapeOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    return _movement(op, frame, lambda x: np.reshape(x, shape_of(op.codomain)))


def _reverse(op: linear.ReverseOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    return _movement(op, frame, lambda x: np.flip(x, values_of(op.dims)))


def _slice(op: linear.SliceOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    bounds = values_of(op.starts), values_of(op.limits), values_of(op.strides)
    return _movement(op, frame, lambda x: arrays.sliced(np.asarray(x), *bounds))


def _pad(op: linear.PadOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    widths = values_of(op.low), values_of(op.high), values_of(op.interior)
    return _movement(op, frame, lambda x: arrays.padded(np.asarray(x), 0, *widths))


def _concatenate(op: linear.ConcatenateOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    return _movement(op, frame, lambda xs: np.concatenate(parts_of(xs), op.dim.value.data))


def _split(op: linear.SplitOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    dim = op.dim.value.data
    cuts = np.cumsum([shape_of(part)[dim] for part in components_of(op.codomain)])[:-1]
    return _movement(op, frame, lambda x: product_of(op.codomain, np.split(x, cuts, dim)))


def _stack(op: linear.StackOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    return _movement(op, frame, lambda xs: np.stack(parts_of(xs), op.dim.value.data))


def _unstack(op: linear.UnstackOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    dim = op.dim.value.data
    return _movement(op, frame, lambda x: product_of(op.codomain, list(np.moveaxis(x, dim, 0))))


def _index(op: linear.IndexOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    positions = [np.asarray(p) for p in operands]
    return _movement(op, frame, lambda x: arrays.read(np.asarray(x), positions, ()))


def _one_hot(op: linear.OneHotOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    positions, shape = [np.asarray(p) for p in operands], shape_of(op.codomain)

    def place(x: Array) -> Array:
        return arrays.written(np.zeros(shape, x.dtype), positions, x, (), "add")

    return _movement(op, frame, place)


def _gather(op: linear.GatherOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    space = shape_of(op.codomain)[: len(op.body.block.args)]
    positions = frame.region(op.body, space)
    return _movement(op, frame, lambda x: arrays.read(np.asarray(x), positions, space), accumulates=True)


def _scatter(op: linear.ScatterOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    space, shape = shape_of(op.domain)[: len(op.body.block.args)], shape_of(op.codomain)
    positions = frame.region(op.body, space)
    inner, outer = dimension(op.domain), dimension(op.codomain)
    return _primitive(
        op,
        frame,
        lambda x: arrays.written(np.zeros(shape, x.dtype), positions, x, space, "add"),
        lambda ct: arrays.read(np.asarray(ct), positions, space),
        (inner + outer, inner),
    )


def _update(op: linear.UpdateOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    space = shape_of(op.operand_space)[: len(op.body.block.args)]
    positions, kind = frame.region(op.body, space), op.kind.data
    size = dimension(op.operand_space)
    spaces = components_of(op.domain)

    def write(x: Element) -> Array:
        return arrays.written(np.asarray(x[0]), positions, np.asarray(x[1]), space, kind)

    def backward(ct: Array) -> Element:
        ct = np.asarray(ct)
        if kind == "add":
            return ct, arrays.read(ct, positions, space)
        # Each element of the result is one element of the base or of the operand.
        base, operand = (in_shape_of(s, np.arange(dimension(s))) for s in spaces)
        offset = dimension(spaces[0])
        sources = write((base, operand + offset)).ravel()
        total = np.zeros(offset + size, ct.dtype)
        np.add.at(total, sources, ct.ravel())
        return in_shape_of(spaces[0], total[:offset]), in_shape_of(spaces[1], total[offset:])

    return _primitive(op, frame, write, backward, (size, size))


def _cumulative_sum(op: linear.CumulativeSumOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    dim, backwards = op.dim.value.data, op.reverse is not None
    return _primitive(
        op,
        frame,
        lambda x: arrays.cumulative("sum", x, dim, backwards),
        lambda ct: arrays.cumulative("sum", ct, dim, not backwards),
    )


def _recurrence(op: linear.RecurrenceOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    dim, backwards = op.dim.value.data, op.reverse is not None
    factors = np.moveaxis(np.asarray(operands[0]), dim, 0)
    order = list(range(len(factors)))
    if backwards:
        order.reverse()

    def forward(x: Array) -> Array:
        d = np.moveaxis(np.array(x), dim, 0)
        for before, i in pairwise(order):
            d[i] += SCALARS["absorbing_mul"](factors[i], d[before])
        return np.moveaxis(d, 0, dim)

    def backward(ct: Array) -> Array:
        c = np.moveaxis(np.array(ct), dim, 0)
        for i, before in pairwise(reversed(order)):
            c[before] += SCALARS["absorbing_mul"](factors[i], c[i])
        return np.moveaxis(c, 0, dim)

    size = 2 * dimension(op.domain)
    return _primitive(op, frame, forward, backward, (size, size))


def _dot(op: linear.DotMapOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    fixed = np.asarray(operands[0])
    vector_left = isinstance(op, linear.DotLeftOp)
    rank = len(shape_of(op.domain))
    ranks = (rank, fixed.ndim) if vector_left else (fixed.ndim, rank)
    left, right, out = arrays.contraction_labels(*ranks, op.batch, op.contract)
    vector, matrix = (left, right) if vector_left else (right, left)
    extents = dict(zip((*vector, *matrix), (*shape_of(op.domain), *fixed.shape), strict=True))
    operations = 2 * int(np.prod(list(extents.values()), dtype=np.int64))

    wide = np.asarray(fixed, arrays.carried(fixed))
    return _primitive(
        op,
        frame,
        lambda x: np.einsum(np.asarray(x, wide.dtype), vector, wide, matrix, out).astype(fixed.dtype),
        lambda ct: np.einsum(np.asarray(ct, wide.dtype), out, wide, matrix, vector).astype(fixed.dtype),
        (operations, operations),
    )


def _triangular_solve(op: linear.TriangularSolveOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    matrix, flags = np.asarray(operands[0]), triangle_flags(op)
    other = {**flags, "transposed": not flags["transposed"]}
    operations = dimension(op.domain) * matrices_of(op.matrix.type, is_complex=flags["complex"])[-1]
    return _primitive(
        op,
        frame,
        lambda x: triangular_solutions(matrix, np.asarray(x), **flags),
        lambda ct: triangular_solutions(matrix, np.asarray(ct), **other),
        (operations, operations),
    )


def _fft(op: linear.FftOp, operands: Sequence[Array], frame: Frame) -> LinearMap:
    kind, other = op.kind.data, TRANSPOSED_KINDS[op.kind.data]
    operations = transform_operations(kind, op.axes, op.domain, op.codomain)
    return _primitive(
        op,
        frame,
        lambda x: transformed(kind, np.asarray(x), shape_of(op.codomain), op.axes),
        lambda ct: transformed(other, np.asarray(ct), shape_of(op.domain), op.axes),
        (operations, operations),
    )


PRIMITIVE_MEANINGS: dict[type[Operation], Meaning] = {
    linear.ScaleOp: _scale,
    linear.MaskOp: _mask,
    linear.ConvertOp: _convert,
    linear.SumOp: _sum,
    linear.BroadcastOp: _broadcast,
    linear.ReshapeOp: _reshape,
    linear.ReverseOp: _reverse,
    linear.SliceOp: _slice,
    linear.PadOp: _pad,
    linear.ConcatenateOp: _concatenate,
    linear.SplitOp: _split,
    linear.StackOp: _stack,
    linear.UnstackOp: _unstack,
    linear.IndexOp: _index,
    linear.OneHotOp: _one_hot,
    linear.GatherOp: _gather,
    linear.ScatterOp: _scatter,
    linear.UpdateOp: _update,
    linear.CumulativeSumOp: _cumulative_sum,
    linear.RecurrenceOp: _recurrence,
    linear.DotLeftOp: _dot,
    linear.DotRightOp: _dot,
    linear.TriangularSolveOp: _triangular_solve,
    linear.FftOp: _fft,
}
"""From the class of a primitive map to its meaning."""
