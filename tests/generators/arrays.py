"""Makers of random structural, indexing and reduction ops; see `elementwise` for what a maker is."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import f64, i64
from xdsl.ir import Operation

from mlirad.dialects.array import indexing, reductions, structural
from mlirad.dialects.shapes import (
    ELEMENTS,
    FLOATS,
    NUMBERS,
    Shape,
    Value,
    array_type,
    dot_shape,
    element_of,
    integer,
    ints,
    is_float,
    keyword,
    pad_shape,
    reduce_shape,
    shape_of,
    size_of,
    slice_shape,
    stack_shape,
    transpose_shape,
)
from tests.generators.arguments import random_literal
from tests.generators.builder import ProgramBuilder
from tests.generators.elementwise import Maker

MAX_BODY_OPS = 4


def constant(g: ProgramBuilder) -> Value | None:
    element = g.element(ELEMENTS)
    type_ = array_type(g.shape(), element)
    value = random_literal(type_, g.rng, special=g.special)
    return g.emit(structural.ConstantOp, [], type_, {"value": value}, bound=2)


def iota(g: ProgramBuilder) -> Value | None:
    shape = g.shape(least_rank=1)
    dim = {"dim": integer(g.rng.randrange(len(shape)))}
    return g.emit(structural.IotaOp, [], array_type(shape, i64), dim)


def broadcast(g: ProgramBuilder) -> Value | None:
    x = g.some(ELEMENTS)
    shape = shape_of(x)
    rank = max(len(shape), g.rng.choice(g.ranks))
    dims = g.rng.sample(range(rank), len(shape))
    result = [g.extent() for _ in range(rank)]
    for k, d in enumerate(dims):
        result[d] = shape[k]
    if not g.fits(tuple(result)):
        return None
    type_ = array_type(tuple(result), element_of(x))
    return g.emit(structural.BroadcastOp, [x], type_, {"dims": ints(tuple(dims))}, bound=g.bound(x))


def transpose(g: ProgramBuilder) -> Value | None:
    x = g.some(ELEMENTS)
    rank = len(shape_of(x))
    permutation = tuple(g.rng.sample(range(rank), rank))
    type_ = array_type(transpose_shape(shape_of(x), permutation), element_of(x))
    properties = {"permutation": ints(permutation)}
    return g.emit(structural.TransposeOp, [x], type_, properties, bound=g.bound(x))


def reshape(g: ProgramBuilder) -> Value | None:
    x = g.some(ELEMENTS)
    size = size_of(x)
    shapes: list[Shape] = [(size,), (1, size), (size, 1)]
    shapes += [(d, size // d) for d in range(2, size) if size % d == 0]
    shapes += [(2, d, size // (2 * d)) for d in range(1, size) if size % (2 * d) == 0]
    if size == 1:
        shapes += [(), (1, 1, 1)]
    if size == 0:
        shapes += [(0, 3), (2, 0)]
    fitting = [s for s in shapes if g.fits(s)]
    if not fitting:
        return None
    type_ = array_type(g.rng.choice(fitting), element_of(x))
    return g.emit(structural.ReshapeOp, [x], type_, bound=g.bound(x))


def slice_(g: ProgramBuilder) -> Value | None:
    x = g.some(ELEMENTS)
    starts, limits, strides = [], [], []
    for extent in shape_of(x):
        low = g.rng.randint(0, extent)
        starts.append(low)
        limits.append(g.rng.randint(low, extent))
        strides.append(g.rng.choice((1, 1, 2, 3)))
    bounds = tuple(starts), tuple(limits), tuple(strides)
    properties = dict(zip(("starts", "limits", "strides"), map(ints, bounds), strict=True))
    type_ = array_type(slice_shape(shape_of(x), *bounds), element_of(x))
    return g.emit(structural.SliceOp, [x], type_, properties, bound=g.bound(x))


def pad(g: ProgramBuilder) -> Value | None:
    x = g.some(ELEMENTS)
    rank = len(shape_of(x))
    low, high, interior = (tuple(g.rng.choice((0, 0, 1, 2)) for _ in range(rank)) for _ in range(3))
    shape = pad_shape(shape_of(x), low, high, interior)
    if not g.fits(shape):
        return None
    value = g.like(element_of(x))
    properties = {"low": ints(low), "high": ints(high), "interior": ints(interior)}
    type_ = array_type(shape, element_of(x))
    bound = max(g.bound(x), g.bound(value))
    return g.emit(structural.PadOp, [x, value], type_, properties, bound=bound)


def concatenate(g: ProgramBuilder) -> Value | None:
    first = g.some(ELEMENTS, least_rank=1)
    shape = shape_of(first)
    dim = g.rng.randrange(len(shape))
    parts = [first]
    for _ in range(g.rng.randint(0, 2)):
        extent = g.rng.choice((shape[dim], g.extent()))
        parts.append(g.like(array_type((*shape[:dim], extent, *shape[dim + 1 :]), element_of(first))))
    total = sum(shape_of(p)[dim] for p in parts)
    result = (*shape[:dim], total, *shape[dim + 1 :])
    if not g.fits(result):
        return None
    type_ = array_type(result, element_of(first))
    bound = max(g.bound(p) for p in parts)
    return g.emit(structural.ConcatenateOp, parts, type_, {"dim": integer(dim)}, bound=bound)


def reverse(g: ProgramBuilder) -> Value | None:
    x = g.some(ELEMENTS)
    rank = len(shape_of(x))
    dims = tuple(g.rng.sample(range(rank), g.rng.randint(0, rank)))
    return g.emit(structural.ReverseOp, [x], x.type, {"dims": ints(dims)}, bound=g.bound(x))


def stack(g: ProgramBuilder) -> Value | None:
    first = g.some(ELEMENTS)
    parts = [first, *(g.like(first.type) for _ in range(g.rng.randint(0, 2)))]
    dim = g.rng.randint(0, len(shape_of(first)))
    shape = stack_shape([shape_of(p) for p in parts], dim)
    if not g.fits(shape):
        return None
    type_ = array_type(shape, element_of(first))
    bound = max(g.bound(p) for p in parts)
    return g.emit(structural.StackOp, parts, type_, {"dim": integer(dim)}, bound=bound)


def index(g: ProgramBuilder) -> Value | None:
    x = g.some(ELEMENTS, least_rank=g.rng.choice((0, 1, 1, 1)))
    shape = shape_of(x)
    count = g.rng.randint(min(1, len(shape)), len(shape))
    positions = [g.position(depth=2) for _ in range(count)]
    type_ = array_type(shape[count:], element_of(x))
    return g.emit(indexing.IndexOp, [x, *positions], type_, bound=g.bound(x))


def _space(g: ProgramBuilder) -> Shape:
    return tuple(g.extent() for _ in range(g.rng.choice((0, 1, 1, 1, 2, 2))))


def gather(g: ProgramBuilder) -> Value | None:
    x = g.some(ELEMENTS, least_rank=g.rng.choice((0, 1, 1, 1)))
    shape = shape_of(x)
    space, count = _space(g), g.rng.randint(0, len(shape))
    if not g.fits((*space, *shape[count:])):
        return None
    body = g.region(len(space), lambda: [g.position() for _ in range(count)])
    type_ = array_type((*space, *shape[count:]), element_of(x))
    return g.emit(indexing.GatherOp, [x], type_, regions=[body], bound=g.bound(x))


def scatter(g: ProgramBuilder) -> Value | None:
    x = g.some([e for e in NUMBERS if e in g.elements] or NUMBERS)
    shape = shape_of(x)
    arguments = g.rng.randint(0, min(2, len(shape)))
    target = (*_space(g), *shape[arguments:])
    if not g.fits(target):
        return None
    count = len(target) - (len(shape) - arguments)
    body = g.region(arguments, lambda: [g.position() for _ in range(count)])
    bound = g.bound(x) * max(prod(shape[:arguments]), 1)
    type_ = array_type(target, element_of(x))
    return g.emit(indexing.ScatterOp, [x], type_, regions=[body], bound=bound)


def update(g: ProgramBuilder) -> Value | None:
    kind = g.rng.choice([*indexing.UPDATE_KINDS])
    allowed = [e for e in (NUMBERS if kind == "add" else ELEMENTS) if e in g.elements]
    base = g.some(allowed or NUMBERS)
    shape = shape_of(base)
    count = g.rng.randint(0, len(shape))
    space = _space(g)
    if not g.fits((*space, *shape[count:])):
        return None
    x = g.like(array_type((*space, *shape[count:]), element_of(base)))
    body = g.region(len(space), lambda: [g.position() for _ in range(count)])
    bound = g.bound(base) + g.bound(x) * max(prod(space), 1)
    properties = {"kind": keyword(kind)}
    return g.emit(indexing.UpdateOp, [base, x], base.type, properties, [body], bound=bound)


def build(g: ProgramBuilder) -> Value | None:
    if len(g.blocks) > 2:
        return None
    space = _space(g)
    yielded: list[Value] = []

    def body() -> Sequence[Value]:
        for _ in range(g.rng.randint(1, MAX_BODY_OPS)):
            g.grow()
        here = g.scopes[-1]
        fitting = [v for v in here if g.fits((*space, *shape_of(v)))] or g.indices[-1:]
        floats = [v for v in fitting if is_float(v)]
        value = (floats or fitting or [None])[-1]
        yielded.append(g.constant(1, f64) if value is None else value)
        return yielded

    region = g.region(len(space), body)
    shape = (*space, *shape_of(yielded[0]))
    type_ = array_type(shape, element_of(yielded[0]))
    return g.emit(indexing.BuildOp, [], type_, regions=[region], bound=g.bound(yielded[0]))


def _some_dims(g: ProgramBuilder, x: Value) -> Shape:
    rank = len(shape_of(x))
    return tuple(sorted(g.rng.sample(range(rank), g.rng.randint(min(1, rank), rank))))


def sum_(g: ProgramBuilder) -> Value | None:
    x = g.some([e for e in NUMBERS if e in g.elements] or NUMBERS)
    dims = _some_dims(g, x)
    type_ = array_type(reduce_shape(shape_of(x), dims), element_of(x))
    bound = g.bound(x) * max(prod(shape_of(x)[d] for d in dims), 1)
    return g.emit(reductions.SumOp, [x], type_, {"dims": ints(dims)}, bound=bound)


def reduce(g: ProgramBuilder) -> Value | None:
    kind = g.rng.choice([k for k in reductions.REDUCTION_ELEMENTS if not (g.straight and k == "prod")])
    elements = reductions.REDUCTION_ELEMENTS[kind]
    x = g.some([e for e in elements if e in g.elements] or elements)
    dims = _some_dims(g, x)
    if g.smooth and is_float(x) and not all(shape_of(x)[d] for d in dims):
        return None
    type_ = array_type(reduce_shape(shape_of(x), dims), element_of(x))
    properties = {"kind": keyword(kind), "dims": ints(dims)}
    bound = g.bound(x)
    if kind == "prod":
        bound = max(bound, 1) ** prod(shape_of(x)[d] for d in dims)
    return g.emit(reductions.ReduceOp, [x], type_, properties, bound=bound)


def argument_reduction(op_class: type[reductions.ArgReductionOp]) -> Maker:
    def make(g: ProgramBuilder) -> Value | None:
        allowed = [e for e in NUMBERS if e in g.elements and not (g.smooth and e in FLOATS)]
        x = g.some(allowed or [i64], least_rank=1)
        dim = g.rng.randrange(len(shape_of(x)))
        type_ = array_type(reduce_shape(shape_of(x), (dim,)), i64)
        return g.emit(op_class, [x], type_, {"dim": integer(dim)})

    return make


def dot(g: ProgramBuilder) -> Value | None:
    x = g.some([e for e in FLOATS if e in g.elements] or [f64])
    shape = shape_of(x)
    lhs_dims = g.rng.sample(range(len(shape)), len(shape))
    batch = g.rng.randint(0, min(1, len(shape)))
    contract = g.rng.randint(0, min(2, len(shape) - batch))
    free = g.rng.randint(0, 1)
    paired = lhs_dims[: batch + contract]
    rank = batch + contract + free
    places = g.rng.sample(range(rank), rank)
    right = [0] * rank
    for place, d in zip(places, paired, strict=False):
        right[place] = shape[d]
    for place in places[batch + contract :]:
        right[place] = g.extent()
    sides = (
        tuple(paired[:batch]),
        tuple(places[:batch]),
        tuple(paired[batch:]),
        tuple(places[batch : batch + contract]),
    )
    result = dot_shape(shape, tuple(right), *sides)
    if not g.fits(result) or not g.fits(tuple(right)):
        return None
    y = g.like(array_type(tuple(right), element_of(x)))
    names = ("lhs_batch", "rhs_batch", "lhs_contract", "rhs_contract")
    properties = dict(zip(names, map(ints, sides), strict=True))
    bound = g.bound(x) * g.bound(y) * max(prod(shape[d] for d in sides[2]), 1)
    type_ = array_type(result, element_of(x))
    return g.emit(reductions.DotOp, [x, y], type_, properties, bound=bound)


STRUCTURAL_MAKERS: dict[type[Operation], Maker] = {
    structural.ConstantOp: constant,
    structural.IotaOp: iota,
    structural.BroadcastOp: broadcast,
    structural.TransposeOp: transpose,
    structural.ReshapeOp: reshape,
    structural.SliceOp: slice_,
    structural.PadOp: pad,
    structural.ConcatenateOp: concatenate,
    structural.ReverseOp: reverse,
    structural.StackOp: stack,
}

INDEXING_MAKERS: dict[type[Operation], Maker] = {
    indexing.IndexOp: index,
    indexing.GatherOp: gather,
    indexing.ScatterOp: scatter,
    indexing.UpdateOp: update,
    indexing.BuildOp: build,
}

REDUCTION_MAKERS: dict[type[Operation], Maker] = {
    reductions.SumOp: sum_,
    reductions.ReduceOp: reduce,
    reductions.ArgmaxOp: argument_reduction(reductions.ArgmaxOp),
    reductions.ArgminOp: argument_reduction(reductions.ArgminOp),
    reductions.DotOp: dot,
}
