"""Folding constructors of structural ops.

Canonical forms they keep: a transposition is a `broadcast` without new dimensions; a reshape that only adds
dimensions of extent 1 is a `broadcast`; a uniform literal is a `broadcast` of a scalar constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final, cast

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute

from mlirad.dialects.array.elementwise import ConvertOp
from mlirad.dialects.array.frames import NoFrameOp
from mlirad.dialects.array.indexing import IndexOp
from mlirad.dialects.array.literals import literal, literal_array, literal_number, numpy_dtype
from mlirad.dialects.array.structural import (
    BroadcastOp,
    ConcatenateOp,
    ConstantOp,
    IotaOp,
    PadOp,
    ReshapeOp,
    ReverseOp,
    SizeOp,
    SliceOp,
    StackOp,
)
from mlirad.dialects.extents import Extent, at_most, is_static
from mlirad.dialects.frame_type import FrameType
from mlirad.dialects.shapes import (
    MAX_RANK,
    Value,
    array_type,
    concatenate_shape,
    element_of,
    int_lists,
    integer,
    pad_shape,
    shape_of,
    slice_shape,
    stack_shape,
    transpose_shape,
    values_of,
)
from mlirad.ir.builder import Builder

MAX_FOLDED_ELEMENTS = 4096
"""Literals larger than this are not computed with at compile time."""


_NUMBERS: Final = frozenset((int, float, bool))


def scalar_of(value: Value) -> int | float | bool | None:
    """The Python scalar that every element equals, if `value` is a scalar constant or a broadcast one."""
    owner = value.owner
    while type(owner) is BroadcastOp:
        value = owner.operands[0]
        owner = value.owner
    if type(owner) is ConstantOp and not shape_of(value):
        return literal_number(owner)
    return None


class StructuralBuilder(Builder):
    """Constructors of constants and structural ops."""

    def constant(self, value: npt.ArrayLike, element: Attribute) -> Value:
        """A literal with the given element type; what is uniform or counts from 0 needs no memory.

        An extent with sizes is a scalar that is computed when the program runs.
        """
        if isinstance(value, Extent):
            number = self.emit(SizeOp, (), i64, {"extent": integer(cast(int, value))})
            return number if element == i64 else self.emit(ConvertOp, (number,), element)
        if type(value) in _NUMBERS:
            return self.emit(ConstantOp, (), element, {"value": literal(value, element)})
        numbers = np.asarray(value)
        if numbers.ndim and numbers.size:
            first = numbers[(0,) * numbers.ndim]
            if (numbers == first).all() and not (first == 0 and np.signbit(numbers).any()):
                return self.splat(first, array_type(numbers.shape, element))
            if element == i64 and numbers.ndim == 1 and not first and (np.diff(numbers) == 1).all():
                return self.iota(numbers.shape, 0)
        type_ = array_type(numbers.shape, element)
        return self.emit(ConstantOp, (), type_, {"value": literal(numbers, element)})

    def splat(self, value: npt.ArrayLike, type_: Attribute) -> Value:
        """A value of the given type with every element equal to the scalar `value`."""
        return self.broadcast(self.constant(value, element_of(type_)), shape_of(type_), ())

    def zeros(self, type_: Attribute) -> Value:
        """The zero of the given type; for frames the empty one."""
        element = element_of(type_)
        if isinstance(element, FrameType):
            return self.broadcast(self.emit(NoFrameOp, (), element), shape_of(type_), ())
        return self.splat(0, type_)

    def index_constant(self, value: int) -> Value:
        """A position."""
        return self.constant(value, i64)

    def scalar_of(self, value: Value) -> int | float | bool | None:
        """The Python scalar that every element equals, if `value` is a scalar constant or a broadcast one."""
        return scalar_of(value)

    def literal_of(self, value: Value) -> npt.NDArray[np.generic] | None:
        """The elements of `value` when it is a literal (broadcast or dense) of moderate size."""
        owner = value.owner
        if type(owner) is not ConstantOp and type(owner) is not BroadcastOp:
            return None
        shape = shape_of(value)
        if not is_static(prod(shape)) or prod(shape) > MAX_FOLDED_ELEMENTS or len(shape) > MAX_RANK:
            return None
        if isinstance(owner, ConstantOp):
            return literal_array(owner)
        scalar = self.scalar_of(value)
        return None if scalar is None else np.full(shape, scalar, numpy_dtype(value.type))

    def iota(self, shape: Sequence[int], dim: int) -> Value:
        """The index along `dim`. Along one dimension it is computed once and broadcast to the others."""
        extent = shape[dim]
        line = self.emit(IotaOp, (), array_type((extent,), i64), {"dim": integer(0)})
        if extent == 1:
            return self.splat(0, array_type(tuple(shape), i64))
        return self.broadcast(line, shape, (dim,))

    def broadcast(self, x: Value, shape: Sequence[int], dims: Sequence[int]) -> Value:
        """`broadcast(broadcast(x)) -> broadcast(x)`; the identity disappears."""
        shape, dims = tuple(shape), tuple(dims)
        owner = x.owner
        if isinstance(owner, BroadcastOp):
            inner = values_of(owner.dims)
            return self.broadcast(owner.operand, shape, [dims[d] for d in inner])
        if shape == shape_of(x) and dims == tuple(range(len(shape))):
            return x
        type_ = array_type(shape, element_of(x))
        return self.emit(BroadcastOp, (x,), type_, int_lists(dims=dims))

    def transpose(self, x: Value, permutation: Sequence[int]) -> Value:
        """Result dimension k is operand dimension `permutation[k]`; emitted as a broadcast."""
        shape = transpose_shape(shape_of(x), permutation)
        inverse = [0] * len(shape)
        for k, p in enumerate(permutation):
            inverse[p] = k
        return self.broadcast(x, shape, inverse)

    def reshape(self, x: Value, shape: Sequence[int]) -> Value:
        """`reshape(reshape(x)) -> reshape(x)`; added dimensions of extent 1 are broadcast."""
        shape, old = tuple(shape), shape_of(x)
        if shape == old:
            return x
        scalar = self.scalar_of(x)
        if scalar is not None and shape:
            return self.splat(scalar, array_type(shape, element_of(x)))
        owner = x.owner
        adds_units = tuple(e for e in shape if e != 1) == old
        if isinstance(owner, ReshapeOp) and (not adds_units or shape_of(owner.operand) == shape):
            return self.reshape(owner.operand, shape)
        if isinstance(owner, BroadcastOp):
            dims = values_of(owner.dims)
            new_units = [d for d, e in enumerate(old) if e == 1 and d not in dims]
            if new_units:
                kept = [d for d in range(len(old)) if d not in new_units]
                small = self.broadcast(owner.operand, [old[d] for d in kept], [kept.index(d) for d in dims])
                return self.reshape(small, shape)
        if adds_units:
            return self.broadcast(x, shape, [d for d, e in enumerate(shape) if e != 1])
        core = tuple(e for e in shape if e != 1)
        if core != shape and core != old:
            return self.reshape(self.reshape(x, core), shape)
        return self.emit(ReshapeOp, (x,), array_type(shape, element_of(x)))

    def slice(self, x: Value, starts: Sequence[int], limits: Sequence[int], strides: Sequence[int]) -> Value:
        """Elements `start, start + stride, ...` below `limit`; the whole of `x` is `x`."""
        old = shape_of(x)
        shape = slice_shape(old, starts, limits, strides)
        if shape == old:
            return x
        scalar = self.scalar_of(x)
        if scalar is not None:
            return self.splat(scalar, array_type(shape, element_of(x)))
        owner = x.owner
        if isinstance(owner, BroadcastOp):
            dims = values_of(owner.dims)
            small = self.slice(
                owner.operand,
                [starts[d] for d in dims],
                [limits[d] for d in dims],
                [strides[d] for d in dims],
            )
            return self.broadcast(small, shape, dims)
        properties = int_lists(starts=starts, limits=limits, strides=strides)
        return self.emit(SliceOp, (x,), array_type(shape, element_of(x)), properties)

    def pad(
        self,
        x: Value,
        value: Value,
        low: Sequence[int],
        high: Sequence[int],
        interior: Sequence[int],
    ) -> Value:
        """`x` surrounded by copies of the scalar `value`."""
        shape = pad_shape(shape_of(x), low, high, interior)
        if shape == shape_of(x):
            return x
        properties = int_lists(low=low, high=high, interior=interior)
        return self.emit(PadOp, (x, value), array_type(shape, element_of(x)), properties)

    def concatenate(self, parts: Sequence[Value], dim: int) -> Value:
        """The parts one after the other along `dim`; one part is itself."""
        if len(parts) == 1:
            return parts[0]
        shape = concatenate_shape([shape_of(p) for p in parts], dim)
        type_ = array_type(shape, element_of(parts[0]))
        return self.emit(ConcatenateOp, parts, type_, {"dim": integer(dim)})

    def reverse(self, x: Value, dims: Sequence[int]) -> Value:
        """`x` read backwards along `dims`; dimensions of extent at most 1 do not count."""
        shape = shape_of(x)
        dims = sorted(d for d in dims if not at_most(shape[d], 1))
        if not dims or self.scalar_of(x) is not None:
            return x
        owner = x.owner
        if isinstance(owner, ReverseOp):
            inner = values_of(owner.dims)
            return self.reverse(owner.operand, sorted(set(dims) ^ set(inner)))
        return self.emit(ReverseOp, (x,), x.type, int_lists(dims=dims))

    def stack(self, parts: Sequence[Value], dim: int) -> Value:
        """The parts as slices along a new dimension `dim`.

        Equal parts are a broadcast, and all slices of an array are that array.
        """
        shape = stack_shape([shape_of(p) for p in parts], dim)
        whole = _array_of_slices(parts) if dim == 0 else None
        if whole is not None:
            return whole
        if all(p is parts[0] for p in parts):
            return self.broadcast(parts[0], shape, [d for d in range(len(shape)) if d != dim])
        type_ = array_type(shape, element_of(parts[0]))
        return self.emit(StackOp, parts, type_, {"dim": integer(dim)})


def _array_of_slices(parts: Sequence[Value]) -> Value | None:
    """The array whose slices, from the first to the last, the parts are."""
    owner = parts[0].owner
    if not isinstance(owner, IndexOp) or shape_of(owner.operand)[:1] != (len(parts),):
        return None
    for k, part in enumerate(parts):
        op = part.owner
        if not isinstance(op, IndexOp) or op.operand is not owner.operand or len(op.positions) != 1:
            return None
        if scalar_of(op.positions[0]) != k:
            return None
    return owner.operand


def untransposed(
    x: Value, batch: Sequence[int], contract: Sequence[int]
) -> tuple[Value, Sequence[int], Sequence[int]]:
    """An operand of a contraction as it was before it was transposed, and where its groups of dimensions are.

    One whose free dimensions have changed their order stays.
    """
    owner = x.owner
    if not isinstance(owner, BroadcastOp) or len(shape_of(owner.operand)) != len(shape_of(x)):
        return x, batch, contract
    places = values_of(owner.dims)
    free = [places.index(d) for d in range(len(places)) if d not in (*batch, *contract)]
    if free != sorted(free):
        return x, batch, contract
    return owner.operand, [places.index(d) for d in batch], [places.index(d) for d in contract]
