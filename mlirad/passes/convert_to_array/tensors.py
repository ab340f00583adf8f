"""Ops of `tensor`.

    tensor.extract    ->  array.index           tensor.extract_slice  ->  array.slice, index or gather
    tensor.insert     ->  array.update set      tensor.insert_slice   ->  array.update set
    tensor.generate   ->  array.build           tensor.pad            ->  array.pad, or a build
    tensor.gather     ->  array.gather          tensor.scatter        ->  array.update set

Reshapes of any kind are `array.reshape`. Operations that are undefined upstream have a value: `tensor.empty`
is zeros, and positions outside are clamped.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import Operation

from mlirad.dialects.shapes import Shape, Value, element_of, shape_of
from mlirad.ir.free_values import own_operands
from mlirad.passes.convert_to_array.conversion import Conversion, Handler
from mlirad.passes.convert_to_array.source_ops import (
    DYNAMIC,
    body_of,
    integer,
    integers,
    language_type,
    operands,
    refusal,
    segments,
    terminator,
)


def _result_shape(op: Operation) -> Shape:
    return shape_of(language_type(op.results[0].type, op))


def _reshaped(c: Conversion, op: Operation, x: Value, shape: Shape) -> Value:
    """The elements under another shape, which must have as many."""
    if prod(shape) != prod(shape_of(x)):
        raise refusal(op, f"cannot put {prod(shape_of(x))} elements into {prod(shape)}")
    return c.b.reshape(x, shape)


def _same_elements(op: Operation, x: Value, y: Value) -> None:
    if element_of(x) != element_of(y):
        raise refusal(op, f"has elements of {element_of(x)} and of {element_of(y)}")


def _empty(c: Conversion, op: Operation) -> Sequence[Value]:
    operands(op, 0)
    return [c.b.zeros(language_type(op.results[0].type, op))]


def _extract(c: Conversion, op: Operation) -> Sequence[Value]:
    x, *positions = c.values(own_operands(op))
    _check_positions(op, x, positions)
    return [c.b.index(x, positions)]


def _insert(c: Conversion, op: Operation) -> Sequence[Value]:
    value, x, *positions = c.values(own_operands(op))
    _check_positions(op, x, positions)
    _same_elements(op, value, x)
    return [c.b.update("set", x, value, 0, lambda: positions)] if positions else [value]


def _check_positions(op: Operation, x: Value, positions: Sequence[Value]) -> None:
    if len(positions) != len(shape_of(x)):
        raise refusal(op, f"takes {len(shape_of(x))} positions, got {len(positions)}")


def _reshape(c: Conversion, op: Operation) -> Sequence[Value]:
    """A reshape by whatever name: the type of the result says to what."""
    return [_reshaped(c, op, c.value(own_operands(op)[0]), _result_shape(op))]


def _cast(c: Conversion, op: Operation) -> Sequence[Value]:
    return c.values(operands(op, 1))


def _dim(c: Conversion, op: Operation) -> Sequence[Value]:
    x, position = c.values(operands(op, 2))
    shape = shape_of(x)
    known = c.b.scalar_of(position)
    if known is not None:
        return [c.b.index_constant(shape[min(max(int(known), 0), len(shape) - 1)])]
    return [c.b.index(c.b.stack([c.b.index_constant(e) for e in shape], 0), [position])]


def _rank(c: Conversion, op: Operation) -> Sequence[Value]:
    (x,) = c.values(operands(op, 1))
    return [c.b.index_constant(len(shape_of(x)))]


def _splat(c: Conversion, op: Operation) -> Sequence[Value]:
    (x,) = c.values(operands(op, 1))
    return [c.b.broadcast(x, _result_shape(op), ())]


def _from_elements(c: Conversion, op: Operation) -> Sequence[Value]:
    type_ = language_type(op.results[0].type, op)
    if not own_operands(op):
        return [c.b.zeros(type_)]
    return [_reshaped(c, op, c.b.stack(c.values(own_operands(op)), 0), shape_of(type_))]


def _concat(c: Conversion, op: Operation) -> Sequence[Value]:
    return [c.b.concatenate(c.values(own_operands(op)), integer(op, "dim"))]


def _generate(c: Conversion, op: Operation) -> Sequence[Value]:
    operands(op, 0)
    block = body_of(op)
    terminator(op, block, "tensor.yield")
    shape = _result_shape(op)
    if len(block.args) != len(shape):
        raise refusal(op, f"its body takes {len(block.args)} positions of {len(shape)}")
    return [c.b.build(shape, lambda *positions: c.inlined(block, positions)[0])]


def _pad(c: Conversion, op: Operation) -> Sequence[Value]:
    """By one value, or by values that depend on the position."""
    source, low_operands, high_operands = segments(op, 3)
    (x,) = c.values(source)
    low = _known(c, op, "static_low", low_operands)
    high = _known(c, op, "static_high", high_operands)
    block, shape, b = body_of(op), _result_shape(op), c.b
    terminator(op, block, "tensor.yield")
    if len(block.args) != len(shape) or len(low) != len(shape) or len(high) != len(shape):
        raise refusal(op, f"does not state {len(shape)} margins and positions")
    if not any(argument.first_use for argument in block.args):
        # Nothing reads the positions that these stand for.
        (value,) = c.inlined(block, [b.index_constant(0)] * len(shape))
        return [b.pad(x, value, low, high, [0] * len(shape))]

    def element(*positions: Value) -> Value:
        moved = [b.sub(p, b.index_constant(start)) for p, start in zip(positions, low, strict=True)]
        (value,) = c.inlined(block, positions)
        return b.select(b.inside(moved, shape_of(x)), b.index(x, moved), value)

    return [b.build(shape, element)]


def _known(c: Conversion, op: Operation, name: str, given: Sequence[Value]) -> Shape:
    """A list with some entries given by operands; these must be constants."""
    rest = list(given)
    found: list[int] = []
    for entry in integers(op, name):
        if entry == DYNAMIC:
            if not rest:
                raise refusal(op, f"'{name}' leaves more open than there are operands for")
            known = c.known_integer(rest.pop(0))
            if known is None:
                raise refusal(op, f"'{name}' depends on data", "give it as a constant: shapes are static")
            entry = known
        found.append(entry)
    return tuple(found)


# Slices --------------------------------------------------------------------------------------------


class _Slice:
    """The start of a slice in each dimension, the number of its elements there, and their distance."""

    def __init__(self, c: Conversion, op: Operation, groups: Sequence[Sequence[Value]], whole: Shape):
        self.b, self.whole = c.b, whole
        offsets, sizes, strides = groups
        self.sizes = _known(c, op, "static_sizes", sizes)
        self.strides = _known(c, op, "static_strides", strides)
        given = iter(c.values(offsets))
        static = integers(op, "static_offsets")
        try:
            self.offsets = [next(given) if k == DYNAMIC else self.b.index_constant(k) for k in static]
        except StopIteration:
            raise refusal(op, "'static_offsets' leaves more open than there are operands for") from None
        if not len(self.offsets) == len(self.sizes) == len(self.strides) == len(whole):
            raise refusal(op, f"does not state offset, size and stride of {len(whole)} dimensions")
        for d, (size, stride, extent) in enumerate(zip(self.sizes, self.strides, whole, strict=True)):
            start = self.known[d] or 0
            last = start + (size - 1) * stride
            if size < 0 or start < 0 or (size > 0 and not 0 <= last < extent):
                raise refusal(op, f"reaches outside of dimension {d} of extent {extent}")

    @property
    def known(self) -> list[int | None]:
        """The offsets that are known."""
        found = [self.b.scalar_of(offset) for offset in self.offsets]
        return [None if known is None else int(known) for known in found]

    @property
    def leading(self) -> int:
        """Return how many leading dimensions there are before those that are taken whole."""
        count = len(self.whole)
        while count and self.known[count - 1] == 0 and self.sizes[count - 1] == self.whole[count - 1]:
            count -= 1
        return count

    def positions(self, *indices: Value) -> list[Value]:
        """The leading positions of the element at these of the slice."""
        b = self.b
        return [
            b.add(offset, b.mul(index, b.index_constant(stride)))
            for offset, index, stride in zip(self.offsets, indices, self.strides, strict=False)
        ]

    def read(self, x: Value) -> Value:
        """The slice of an array, with all its dimensions."""
        b, known = self.b, self.known
        starts = [k for k in known if k is not None]
        if len(starts) == len(known):
            limits = [
                min(k + (size - 1) * stride + 1 if size else k, extent)
                for k, size, stride, extent in zip(starts, self.sizes, self.strides, self.whole, strict=True)
            ]
            if min(self.strides, default=1) > 0:
                return b.slice(x, starts, limits, self.strides)
        leading = self.leading
        if all(size == 1 for size in self.sizes[:leading]):
            return b.reshape(b.index(x, self.offsets[:leading]), self.sizes)
        return b.gather(x, self.sizes[:leading], self.positions)

    def written(self, base: Value, x: Value) -> Value:
        """An array with the slice replaced by `x`."""
        b, leading = self.b, self.leading
        if 0 in self.sizes:
            return base
        if not leading:
            return x
        if all(size == 1 for size in self.sizes[:leading]):
            part = b.reshape(x, self.sizes[leading:])
            return b.update("set", base, part, 0, lambda: self.offsets[:leading])
        return b.update("set", base, x, leading, self.positions)


def _extract_slice(c: Conversion, op: Operation) -> Sequence[Value]:
    source, *groups = segments(op, 4)
    (x,) = c.values(source)
    return [_reshaped(c, op, _Slice(c, op, groups, shape_of(x)).read(x), _result_shape(op))]


def convert_insert_slice(c: Conversion, op: Operation) -> list[Value]:
    """The destination with a slice replaced; of `parallel_insert_slice` what the loop yields."""
    source, destination, *groups = segments(op, 5)
    (x,), (base,) = c.values(source), c.values(destination)
    _same_elements(op, x, base)
    part = _Slice(c, op, groups, shape_of(base))
    return [part.written(base, _reshaped(c, op, x, part.sizes))]


# Gathers -------------------------------------------------------------------------------------------


def _with_leading(c: Conversion, x: Value, dims: Sequence[int]) -> tuple[Value, list[int]]:
    """The array with these dimensions first, and the permutation that does it."""
    permutation = [*dims, *(d for d in range(len(shape_of(x))) if d not in dims)]
    return c.b.transpose(x, permutation), permutation


def _coordinates(c: Conversion, op: Operation, indices: Value, dims: Sequence[int]) -> Shape:
    """The shape of the coordinates, without the dimension along which one is stated."""
    shape = shape_of(indices)
    if not shape or shape[-1] != len(dims):
        raise refusal(op, f"its indices do not end in a dimension of extent {len(dims)}")
    return shape[:-1]


def _gather(c: Conversion, op: Operation) -> Sequence[Value]:
    x, indices = c.values(operands(op, 2))
    dims = integers(op, "gather_dims")
    batch, b = _coordinates(c, op, indices, dims), c.b
    leading, _ = _with_leading(c, x, dims)
    if not batch:
        found = b.index(leading, _coordinate(c, indices, (), len(dims)))
    else:
        found = b.gather(leading, batch, lambda *at: _coordinate(c, indices, at, len(dims)))
    return [_reshaped(c, op, found, _result_shape(op))]


def _coordinate(c: Conversion, indices: Value, at: Sequence[Value], count: int) -> list[Value]:
    b = c.b
    whole = b.convert(indices, element_of(b.index_constant(0)))
    return [b.index(whole, [*at, b.index_constant(k)]) for k in range(count)]


def _scatter(c: Conversion, op: Operation) -> Sequence[Value]:
    x, base, indices = c.values(operands(op, 3))
    dims = integers(op, "scatter_dims")
    batch, b = _coordinates(c, op, indices, dims), c.b
    leading, permutation = _with_leading(c, base, dims)
    rest = [shape_of(base)[d] for d in permutation[len(dims) :]]
    part = _reshaped(c, op, x, (*batch, *rest))
    _same_elements(op, x, base)
    made = b.update("set", leading, part, len(batch), lambda *at: _coordinate(c, indices, at, len(dims)))
    return [b.transpose(made, [permutation.index(d) for d in range(len(permutation))])]


TENSORS: dict[str, Handler] = {
    "tensor.cast": _cast,
    "tensor.collapse_shape": _reshape,
    "tensor.concat": _concat,
    "tensor.dim": _dim,
    "tensor.empty": _empty,
    "tensor.expand_shape": _reshape,
    "tensor.extract": _extract,
    "tensor.extract_slice": _extract_slice,
    "tensor.from_elements": _from_elements,
    "tensor.gather": _gather,
    "tensor.generate": _generate,
    "tensor.insert": _insert,
    "tensor.insert_slice": convert_insert_slice,
    "tensor.pad": _pad,
    "tensor.rank": _rank,
    "tensor.reshape": _reshape,
    "tensor.scatter": _scatter,
    "tensor.splat": _splat,
}
