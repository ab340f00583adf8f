"""The builder of random linear maps, and makers of random primitive ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from math import prod
from typing import TypeAlias

from xdsl.dialects.builtin import f32, f64, i1, i64
from xdsl.ir import Attribute, Block, Region

from mlirad.dialects import linear
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.indexing import UPDATE_KINDS, YieldOp
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.array.transforms import Axes
from mlirad.dialects.linear import MapType
from mlirad.dialects.shapes import (
    FLAG,
    UNIT,
    Shape,
    Value,
    array_type,
    dot_shape,
    element_of,
    integer,
    ints,
    keyword,
    pad_shape,
    product_type,
    reduce_shape,
    shape_of,
    slice_shape,
    tuple_type,
)

LARGEST_SPACE = 60


class MapBuilder:
    """Appends random maps to a function, whose parameters are made as values are captured."""

    def __init__(self, rng: random.Random, block: Block, functions: bool = False):
        self.rng = rng
        self.functions = functions
        self.block = block
        self.parameters = block

    def emit(
        self,
        op_class: type[linear.MapOp],
        operands: Sequence[Value],
        domain: Attribute,
        codomain: Attribute,
        properties: dict[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
    ) -> Value:
        """Append a map op."""
        op = op_class.create(
            operands=operands,
            result_types=[MapType(domain, codomain)],
            properties=properties or {},
            regions=regions,
        )
        self.block.add_op(op)
        return op.results[0]

    def captured(self, type_: Attribute) -> Value:
        """A primal value of the given type: an earlier parameter or a new one."""
        known = [a for a in self.parameters.args if a.type == type_]
        if known and self.rng.random() < 0.5:
            return self.rng.choice(known)
        return self.parameters.insert_arg(type_, len(self.parameters.args))

    def fits(self, shape: Shape) -> bool:
        """Return whether arrays of this shape are small enough."""
        return len(shape) <= 4 and prod(shape) <= LARGEST_SPACE

    def extent(self) -> int:
        """A random extent."""
        return self.rng.choices((0, 1, 2, 3, 4), (1, 2, 6, 5, 2))[0]

    def array(self, element: Attribute | None = None) -> Attribute:
        """A random array space."""
        rng = self.rng
        shape = tuple(self.extent() for _ in range(rng.choice((0, 1, 1, 2, 2, 3))))
        return array_type(shape, element or rng.choice((f64, f64, f64, f32)))

    def space(self) -> Attribute:
        """A random space: an array, or a tuple that may hold units and tuples."""
        if self.rng.random() < 0.6:
            return self.array(f64)
        parts = [self.array(f64) for _ in range(self.rng.randint(2, 3))]
        if self.rng.random() < 0.3:
            parts[self.rng.randrange(len(parts))] = UNIT
        return tuple_type(parts)

    def positions(self, arguments: int, count: int) -> Region:
        """A region of positions that reads region arguments, captures and constants, often out of range."""
        block = Block(arg_types=[i64] * arguments)
        known: list[Value] = list(block.args)
        if not known or self.rng.random() < 0.3:
            known.append(self.captured(i64))
        for _ in range(self.rng.randint(0, 3)):
            number = ConstantOp.create(
                result_types=[i64], properties={"value": integer(self.rng.randint(-1, 3))}
            )
            block.add_op(number)
            known.append(number.results[0])
            op_class = self.rng.choice((ew.AddOp, ew.SubOp, ew.MulOp, ew.FloorDivOp, ew.RemOp))
            operands = [self.rng.choice(known), self.rng.choice(known)]
            op = op_class.create(operands=operands, result_types=[i64])
            block.add_op(op)
            known.append(op.results[0])
        block.add_op(YieldOp.create(operands=[self.rng.choice(known) for _ in range(count)]))
        return Region(block)


Maker: TypeAlias = Callable[[MapBuilder, Attribute], Value | None]
"""Appends a primitive map out of an array space (or a tuple of arrays); returns `None` if there is no such
map.
"""


def _some_dims(b: MapBuilder, rank: int) -> Shape:
    return tuple(sorted(b.rng.sample(range(rank), b.rng.randint(min(1, rank), rank))))


def scale(b: MapBuilder, s: Attribute) -> Value | None:
    coefficient = b.captured(b.rng.choice((s, element_of(s))))
    return b.emit(linear.ScaleOp, [coefficient], s, s)


def mask(b: MapBuilder, s: Attribute) -> Value | None:
    condition = b.captured(array_type(b.rng.choice((shape_of(s), ())), i1))
    return b.emit(linear.MaskOp, [condition], s, s)


def convert(b: MapBuilder, s: Attribute) -> Value | None:
    target = b.rng.choice((f64, f32))
    return b.emit(linear.ConvertOp, [], s, array_type(shape_of(s), target))


def sum_(b: MapBuilder, s: Attribute) -> Value | None:
    dims = _some_dims(b, len(shape_of(s)))
    target = array_type(reduce_shape(shape_of(s), dims), element_of(s))
    return b.emit(linear.SumOp, [], s, target, {"dims": ints(dims)})


def broadcast(b: MapBuilder, s: Attribute) -> Value | None:
    shape = shape_of(s)
    rank = len(shape) + b.rng.randint(0, 2)
    dims = b.rng.sample(range(rank), len(shape))
    target = [b.extent() for _ in range(rank)]
    for k, d in enumerate(dims):
        target[d] = shape[k]
    if not b.fits(tuple(target)):
        return None
    codomain = array_type(tuple(target), element_of(s))
    return b.emit(linear.BroadcastOp, [], s, codomain, {"dims": ints(tuple(dims))})


def reshape(b: MapBuilder, s: Attribute) -> Value | None:
    size = prod(shape_of(s))
    shapes: list[Shape] = [(size,), (1, size), (size, 1), *([()] if size == 1 else [])]
    shapes += [(d, size // d) for d in range(2, size) if size % d == 0]
    return b.emit(linear.ReshapeOp, [], s, array_type(b.rng.choice(shapes), element_of(s)))


def reverse(b: MapBuilder, s: Attribute) -> Value | None:
    return b.emit(linear.ReverseOp, [], s, s, {"dims": ints(_some_dims(b, len(shape_of(s))))})


def slice_(b: MapBuilder, s: Attribute) -> Value | None:
    starts = tuple(b.rng.randint(0, e) for e in shape_of(s))
    limits = tuple(b.rng.randint(lo, e) for lo, e in zip(starts, shape_of(s), strict=True))
    strides = tuple(b.rng.choice((1, 1, 2, 3)) for _ in starts)
    properties = {"starts": ints(starts), "limits": ints(limits), "strides": ints(strides)}
    target = array_type(slice_shape(shape_of(s), starts, limits, strides), element_of(s))
    return b.emit(linear.SliceOp, [], s, target, properties)


def pad(b: MapBuilder, s: Attribute) -> Value | None:
    low, high, interior = (tuple(b.rng.choice((0, 0, 1, 2)) for _ in shape_of(s)) for _ in range(3))
    shape = pad_shape(shape_of(s), low, high, interior)
    if not b.fits(shape):
        return None
    properties = {"low": ints(low), "high": ints(high), "interior": ints(interior)}
    return b.emit(linear.PadOp, [], s, array_type(shape, element_of(s)), properties)


def _split_at(b: MapBuilder, s: Attribute) -> tuple[Attribute, int] | None:
    """An array space cut along a dimension: the tuple of the pieces, and the dimension."""
    shape = shape_of(s)
    if not shape:
        return None
    dim = b.rng.randrange(len(shape))
    first = b.rng.randint(0, shape[dim])
    pieces = [first, shape[dim] - first]
    if b.rng.random() < 0.2:
        pieces = [shape[dim]]
    parts = [array_type((*shape[:dim], e, *shape[dim + 1 :]), element_of(s)) for e in pieces]
    return product_type(parts), dim


def split(b: MapBuilder, s: Attribute) -> Value | None:
    cut = _split_at(b, s)
    return cut and b.emit(linear.SplitOp, [], s, cut[0], {"dim": integer(cut[1])})


def concatenate(b: MapBuilder, s: Attribute) -> Value | None:
    """From an array: its pieces, put together again in another order of fresh pieces."""
    cut = _split_at(b, s)
    if cut is None:
        return None
    pieces = b.emit(linear.SplitOp, [], s, cut[0], {"dim": integer(cut[1])})
    whole = b.emit(linear.ConcatenateOp, [], cut[0], s, {"dim": integer(cut[1])})
    return b.emit(linear.ComposeOp, [whole, pieces], s, s)


def unstack(b: MapBuilder, s: Attribute) -> Value | None:
    shape = shape_of(s)
    usable = [d for d, e in enumerate(shape) if e]
    if not usable:
        return None
    dim = b.rng.choice(usable)
    part = array_type((*shape[:dim], *shape[dim + 1 :]), element_of(s))
    codomain = product_type([part] * shape[dim])
    return b.emit(linear.UnstackOp, [], s, codomain, {"dim": integer(dim)})


def stack(b: MapBuilder, s: Attribute) -> Value | None:
    """A stack of several copies of an array, as a composition with their pairing."""
    count = b.rng.randint(1, 3)
    dim = b.rng.randint(0, len(shape_of(s)))
    shape = (*shape_of(s)[:dim], count, *shape_of(s)[dim:])
    if not b.fits(shape):
        return None
    target = array_type(shape, element_of(s))
    domain = product_type([s] * count)
    together = b.emit(linear.StackOp, [], domain, target, {"dim": integer(dim)})
    if count == 1:
        return together
    one = b.emit(linear.IdentityOp, [], s, s)
    copies = b.emit(linear.VcatOp, [one] * count, s, domain)
    return b.emit(linear.ComposeOp, [together, copies], s, target)


def index(b: MapBuilder, s: Attribute) -> Value | None:
    shape = shape_of(s)
    count = b.rng.randint(min(1, len(shape)), len(shape))
    positions = [b.captured(i64) for _ in range(count)]
    return b.emit(linear.IndexOp, positions, s, array_type(shape[count:], element_of(s)))


def one_hot(b: MapBuilder, s: Attribute) -> Value | None:
    leading = tuple(b.extent() for _ in range(b.rng.randint(0, 2)))
    shape = (*leading, *shape_of(s))
    if not b.fits(shape):
        return None
    positions = [b.captured(i64) for _ in leading]
    return b.emit(linear.OneHotOp, positions, s, array_type(shape, element_of(s)))


def gather(b: MapBuilder, s: Attribute) -> Value | None:
    count = b.rng.randint(0, len(shape_of(s)))
    space = tuple(b.extent() for _ in range(b.rng.randint(0, 2)))
    shape = (*space, *shape_of(s)[count:])
    if not b.fits(shape):
        return None
    body = b.positions(len(space), count)
    return b.emit(linear.GatherOp, [], s, array_type(shape, element_of(s)), regions=[body])


def scatter(b: MapBuilder, s: Attribute) -> Value | None:
    arguments = b.rng.randint(0, len(shape_of(s)))
    leading = tuple(b.extent() for _ in range(b.rng.randint(0, 2)))
    shape = (*leading, *shape_of(s)[arguments:])
    if not b.fits(shape):
        return None
    body = b.positions(arguments, len(leading))
    return b.emit(linear.ScatterOp, [], s, array_type(shape, element_of(s)), regions=[body])


def update(b: MapBuilder, s: Attribute) -> Value | None:
    """An update of an array with itself, gathered or broadcast to what is written."""
    shape = shape_of(s)
    count = b.rng.randint(0, len(shape))
    space = tuple(b.extent() for _ in range(b.rng.randint(0, 2)))
    written = (*space, *shape[count:])
    if not b.fits(written):
        return None
    operand = array_type(written, element_of(s))
    base = b.emit(linear.IdentityOp, [], s, s)
    read = b.emit(linear.GatherOp, [], s, operand, regions=[b.positions(len(space), count)])
    pair = b.emit(linear.VcatOp, [base, read], s, tuple_type((s, operand)))
    kind = {"kind": keyword(b.rng.choice([*UPDATE_KINDS]))}
    onto = b.emit(linear.UpdateOp, [], tuple_type((s, operand)), s, kind, [b.positions(len(space), count)])
    return b.emit(linear.ComposeOp, [onto, pair], s, s)


def prefix(op_class: type[linear.PrefixMapOp]) -> Maker:
    """Recurrences along a dimension."""

    def make(b: MapBuilder, s: Attribute) -> Value | None:
        if not shape_of(s):
            return None
        properties: dict[str, Attribute] = {"dim": integer(b.rng.randrange(len(shape_of(s))))}
        if b.rng.random() < 0.5:
            properties["reverse"] = FLAG
        factors = [b.captured(s)] if op_class is linear.RecurrenceOp else []
        return b.emit(op_class, factors, s, s, properties)

    return make


def dot(op_class: type[linear.DotMapOp]) -> Maker:
    """Contractions on one side or the other."""

    def make(b: MapBuilder, s: Attribute) -> Value | None:
        shape = shape_of(s)
        dims = b.rng.sample(range(len(shape)), len(shape))
        batch = b.rng.randint(0, min(1, len(shape)))
        contract = b.rng.randint(0, min(2, len(shape) - batch))
        rank = batch + contract + b.rng.randint(0, 1)
        places = b.rng.sample(range(rank), rank)
        fixed = [b.extent()] * rank
        for place, d in zip(places, dims[: batch + contract], strict=False):
            fixed[place] = shape[d]
        mine = tuple(dims[:batch]), tuple(dims[batch : batch + contract])
        its = tuple(places[:batch]), tuple(places[batch : batch + contract])
        left, right = (mine, its) if op_class is linear.DotLeftOp else (its, mine)
        shapes = (shape, tuple(fixed)) if op_class is linear.DotLeftOp else (tuple(fixed), shape)
        target = dot_shape(*shapes, left[0], right[0], left[1], right[1])
        if not b.fits(target) or not b.fits(tuple(fixed)):
            return None
        properties = {
            "lhs_batch": ints(left[0]),
            "rhs_batch": ints(right[0]),
            "lhs_contract": ints(left[1]),
            "rhs_contract": ints(right[1]),
        }
        operand = b.captured(array_type(tuple(fixed), element_of(s)))
        return b.emit(op_class, [operand], s, array_type(target, element_of(s)), properties)

    return make


def triangular_solve(b: MapBuilder, s: Attribute) -> Value | None:
    """Solutions of triangular systems; those that are divided by nothing stay small."""
    shape = shape_of(s)
    if len(shape) < 2 or not b.fits((*shape[:-1], shape[-2])):
        return None
    names = [name for name in ("upper", "transposed") if b.rng.random() < 0.5]
    matrix = b.captured(array_type((*shape[:-1], shape[-2]), element_of(s)))
    return b.emit(linear.TriangularSolveOp, [matrix], s, s, dict.fromkeys((*names, "unit"), FLAG))


def fft(b: MapBuilder, s: Attribute) -> Value | None:
    """A transform of any kind that takes this space."""
    shape = shape_of(s)
    found = [("real", Axes(d, b.rng.randint(0, len(shape)))) for d, n in enumerate(shape) if n]
    for pairs in (d for d, n in enumerate(shape) if n == 2):
        numbers = Axes(0, pairs).complex_shape(shape)
        found += [
            (kind, Axes(d, pairs))
            for d, n in enumerate(numbers)
            for kind in ("forward", "backward", "half")
            if n
        ]
    if not found:
        return None
    kind, axes = b.rng.choice(found)
    result = shape
    if kind == "real":
        result = axes.spectrum_shape(shape)
    elif kind == "half":
        numbers = list(axes.complex_shape(shape))
        numbers[axes.dim] = max(1, 2 * numbers[axes.dim] - b.rng.randint(1, 2))
        result = tuple(numbers)
    if not b.fits(result):
        return None
    rank = len(shape) - (kind != "real")
    properties = {"kind": keyword(kind), **axes.properties(rank)}
    return b.emit(linear.FftOp, [], s, array_type(result, element_of(s)), properties)


PRIMITIVE_MAKERS: dict[type[linear.PrimitiveMapOp], Maker] = {
    linear.ScaleOp: scale,
    linear.MaskOp: mask,
    linear.ConvertOp: convert,
    linear.SumOp: sum_,
    linear.BroadcastOp: broadcast,
    linear.ReshapeOp: reshape,
    linear.ReverseOp: reverse,
    linear.SliceOp: slice_,
    linear.PadOp: pad,
    linear.ConcatenateOp: concatenate,
    linear.SplitOp: split,
    linear.StackOp: stack,
    linear.UnstackOp: unstack,
    linear.IndexOp: index,
    linear.OneHotOp: one_hot,
    linear.GatherOp: gather,
    linear.ScatterOp: scatter,
    linear.UpdateOp: update,
    linear.CumulativeSumOp: prefix(linear.CumulativeSumOp),
    linear.RecurrenceOp: prefix(linear.RecurrenceOp),
    linear.DotLeftOp: dot(linear.DotLeftOp),
    linear.DotRightOp: dot(linear.DotRightOp),
    linear.TriangularSolveOp: triangular_solve,
    linear.FftOp: fft,
}
