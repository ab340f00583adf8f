"""Reductions, and windows that slide over arrays."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

import numpy as np
from xdsl.dialects.builtin import i1, i32
from xdsl.ir import Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import FLOATS, Shape, Value, element_of, shape_of
from mlirad.dialects.stablehlo import HloOp
from mlirad.ir.arrays import ArrayBuilder
from mlirad.passes.convert_stablehlo.converter import Converter, integers, meaning, pairs
from mlirad.passes.convert_stablehlo.regions import applied_op, expression, expressions
from mlirad.passes.convert_stablehlo.structural import padded
from mlirad.passes.convert_stablehlo.types import language_type

KINDS = {
    "stablehlo.add": "sum",
    "stablehlo.maximum": "max",
    "stablehlo.minimum": "min",
    "stablehlo.multiply": "prod",
    "stablehlo.and": "and",
    "stablehlo.or": "or",
}
"""The reduction that an op is the step of."""

STEPS: dict[str, type[ew.BinaryOp]] = {
    "sum": ew.AddOp,
    "max": ew.MaxOp,
    "min": ew.MinOp,
    "prod": ew.MulOp,
    "and": ew.AndOp,
    "or": ew.OrOp,
}

_BOOLEAN = {"sum": "or", "max": "or", "min": "and", "prod": "and"}

MOST_SHIFTS = 32
"""Windows of at most this number of elements are taken as as many shifted arrays, which fuse with their
reader."""


def _arg_reducer(direction: str) -> tuple[str, str]:
    """Return what JAX reduces values and positions by, for the first largest or smallest of them."""
    better = f"stablehlo.compare<{direction}>(a0,a2)"
    first = "stablehlo.and(stablehlo.compare<EQ>(a0,a2),stablehlo.compare<LT>(a1,a3))"
    wins = f"stablehlo.or({better},stablehlo.compare<NE>(a0,a0))"
    value = f"stablehlo.select({wins},a0,a2)"
    return value, f"stablehlo.select(stablehlo.or({wins},{first}),a1,a3)"


_ARG_REDUCERS = {_arg_reducer("GT"): True, _arg_reducer("LT"): False}


def kind_of(region: Region, x: Value) -> str | None:
    """The reduction that a region is the step of, on elements of this type."""
    name = applied_op(region)
    kind = None if name is None else KINDS.get(name)
    return _BOOLEAN.get(kind, kind) if kind is not None and element_of(x) == i1 else kind


def is_identity(b: ArrayBuilder, kind: str, value: Value) -> bool:
    """Return whether a scalar changes nothing that it is combined with."""
    known, element = b.scalar_of(value), element_of(value)
    if known is None:
        return False
    if element == i1:
        least, greatest = 0.0, 1.0
    elif element in FLOATS:
        least, greatest = -np.inf, np.inf
    else:
        bound = 2 ** (31 if element == i32 else 63)
        least, greatest = -bound, bound - 1
    ones = 1 if element == i1 else -1
    identities: dict[str, float] = {"sum": 0, "prod": 1, "max": least, "min": greatest, "or": 0, "and": ones}
    return known == identities[kind]


def reduced(b: ArrayBuilder, kind: str, x: Value, dims: Sequence[int]) -> Value:
    """The reduction of that kind."""
    return b.sum(x, dims) if kind == "sum" else b.reduce(kind, x, dims)


@meaning("stablehlo.reduce")
def _reduce(c: Converter, op: HloOp, o: list[Value]) -> list[Value]:
    b, count, dims = c.b, len(o) // 2, integers(op, "dimensions", ())
    xs, initial = o[:count], o[count:]
    if count == 1:
        kind = kind_of(op.regions[0], xs[0])
        if kind is not None:
            made = reduced(b, kind, xs[0], dims)
            if not is_identity(b, kind, initial[0]):
                made = b.binary(STEPS[kind], made, b.broadcast(initial[0], shape_of(made), ()))
            return [made]
    if count == 2 and len(dims) == 1:
        largest = _ARG_REDUCERS.get(tuple(expressions(op.regions[0])))  # pyright: ignore[reportArgumentType]
        counted = b.iota(shape_of(xs[1]), dims[0])
        if largest is not None and c.position(xs[1]) is counted and b.scalar_of(initial[1]) == 0:
            position = b.argmax(xs[0], dims[0]) if largest else b.argmin(xs[0], dims[0])
            extreme = b.reduce("max" if largest else "min", xs[0], dims)
            return [extreme, b.convert(position, element_of(xs[1]))]
    return _folded(c, op, xs, initial, dims)


def _folded(
    c: Converter, op: HloOp, xs: list[Value], initial: list[Value], dims: Sequence[int]
) -> list[Value]:
    """A loop over the reduced elements, whose iterations combine all of the kept ones."""
    b, shape = c.b, shape_of(xs[0])
    kept = [d for d in range(len(shape)) if d not in dims]
    rest, total = tuple(shape[d] for d in kept), prod(shape[d] for d in dims)
    flat = [b.reshape(b.transpose(x, [*dims, *kept]), (total, *rest)) for x in xs]
    start = [b.broadcast(v, rest, ()) for v in initial]

    def body(_: Value, carries: list[Value], slices: list[Value]) -> tuple[list[Value], list[Value]]:
        return c.elementwise(op.regions[0], [*carries, *slices], rest), []

    return b.scan(start, flat, total, body)[0]


@meaning("stablehlo.map")
def _map(c: Converter, op: HloOp, o: list[Value]) -> list[Value]:
    return c.elementwise(op.regions[0], o, shape_of(o[0]))


def _window_properties(
    op: HloOp, rank: int
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...], list[tuple[int, int]]]:
    """Sizes, strides, dilations of the base and of the window, and padding."""
    ones = [1] * rank
    return (
        integers(op, "window_dimensions", ones),
        integers(op, "window_strides", ones),
        integers(op, "base_dilations", ones),
        integers(op, "window_dilations", ones),
        pairs(op, "padding", rank),
    )


@meaning("stablehlo.reduce_window")
def _reduce_window(c: Converter, op: HloOp, o: list[Value]) -> list[Value]:
    b, count = c.b, len(o) // 2
    xs, initial = o[:count], o[count:]
    shape = shape_of(xs[0])
    declared = [language_type(result.type) for result in op.results]
    out = shape_of(declared[0])
    if 0 in out:
        return list(map(b.zeros, declared))
    sizes, strides, base, dilations, padding = _window_properties(op, len(shape))
    kind = kind_of(op.regions[0], xs[0]) if count == 1 else None
    prefix = _prefix_dim(shape, sizes, strides, base, dilations, padding)
    if kind is not None and is_identity(b, kind, initial[0]):
        if prefix is not None and kind in ("sum", "prod", "max", "min"):
            dim, reverse = prefix
            return [b.cumulative(kind, xs[0], dim, reverse)]
        if sizes == strides and not any(map(any, padding)) and {*base, *dilations} == {1}:
            return [_blocks(b, kind, xs[0], sizes)]
    if prefix is not None:
        return _prefixes(c, op, xs, initial, *prefix)
    wide = [
        padded(
            b, x, v, tuple(p[0] for p in padding), tuple(p[1] for p in padding), tuple(n - 1 for n in base)
        )
        for x, v in zip(xs, initial, strict=True)
    ]
    if prod(sizes) <= MOST_SHIFTS:
        # Identities are left out; other initial values come first.
        start = (
            None if kind and is_identity(b, kind, initial[0]) else [b.broadcast(v, out, ()) for v in initial]
        )
        for offset in product(*map(range, sizes)):
            part = [shifted(b, x, offset, out, strides, dilations) for x in wide]
            start = part if start is None else c.elementwise(op.regions[0], [*start, *part], out)
        assert start is not None
        return start
    patches = [_patches(b, x, out, sizes, strides, dilations) for x in wide]
    if kind is not None:
        made = reduced(b, kind, patches[0], [len(out)])
        if not is_identity(b, kind, initial[0]):
            made = b.binary(STEPS[kind], made, b.broadcast(initial[0], out, ()))
        return [made]
    return _folded(c, op, patches, initial, [len(out)])


def _prefix_dim(
    shape: Shape,
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    base: tuple[int, ...],
    dilations: tuple[int, ...],
    padding: list[tuple[int, int]],
) -> tuple[int, bool] | None:
    """The dimension along which windows are all elements up to one, and whether from the end on."""
    long = [d for d, n in enumerate(sizes) if n != 1]
    if len(long) != 1 or {*strides, *base, *dilations} != {1}:
        return None
    dim = long[0]
    if sizes[dim] != shape[dim] or any(any(p) for d, p in enumerate(padding) if d != dim):
        return None
    ends = {(sizes[dim] - 1, 0): False, (0, sizes[dim] - 1): True}
    found = ends.get(padding[dim])
    return None if found is None else (dim, found)


def _prefixes(
    c: Converter, op: HloOp, xs: list[Value], initial: list[Value], dim: int, reverse: bool
) -> list[Value]:
    """Prefix reductions by any region: a loop that keeps every carry."""
    b, shape = c.b, shape_of(xs[0])
    order = [dim, *(d for d in range(len(shape)) if d != dim)]
    rest = tuple(shape[d] for d in order[1:])
    slices = [b.transpose(x, order) for x in xs]

    def body(_: Value, carries: list[Value], parts: list[Value]) -> tuple[list[Value], list[Value]]:
        made = c.elementwise(op.regions[0], [*carries, *parts], rest)
        return made, made

    start = [b.broadcast(v, rest, ()) for v in initial]
    stacked = b.scan(start, slices, shape[dim], body, reverse=reverse)[1]
    return [b.transpose(y, [order.index(d) for d in range(len(shape))]) for y in stacked]


def _blocks(b: ArrayBuilder, kind: str, x: Value, sizes: tuple[int, ...]) -> Value:
    """Windows side by side: every dimension is cut into blocks, and these are reduced."""
    shape = shape_of(x)
    whole = [e // n * n for e, n in zip(shape, sizes, strict=True)]
    x = b.slice(x, [0] * len(shape), whole, [1] * len(shape))
    split: list[int] = []
    dims: list[int] = []
    for extent, size in zip(whole, sizes, strict=True):
        split.append(extent // size)
        if size != 1:
            dims.append(len(split))
            split.append(size)
    return reduced(b, kind, b.reshape(x, split), dims)


def shifted(
    b: ArrayBuilder,
    x: Value,
    offset: Sequence[int],
    out: Shape,
    strides: Sequence[int],
    dilations: Sequence[int],
) -> Value:
    """The element number `offset` of every window of a padded array."""
    starts = [k * d for k, d in zip(offset, dilations, strict=True)]
    limits = [s + (n - 1) * by + 1 if n else s for s, n, by in zip(starts, out, strides, strict=True)]
    return b.slice(x, starts, limits, list(strides))


def _patches(
    b: ArrayBuilder,
    x: Value,
    out: Shape,
    sizes: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> Value:
    """All elements of every window along one more dimension."""
    rank = len(out)
    long = [d for d in range(rank) if sizes[d] != 1]

    def positions(*i: Value) -> list[Value]:
        found: list[Value] = []
        for d in range(rank):
            at = b.mul(i[d], b.index_constant(strides[d]))
            if d in long:
                inner = i[rank + long.index(d)]
                at = b.add(at, b.mul(inner, b.index_constant(dilations[d])))
            found.append(at)
        return found

    read = b.gather(x, (*out, *(sizes[d] for d in long)), positions)
    return b.reshape(read, (*out, prod(sizes)))


@meaning("stablehlo.select_and_scatter")
def _select_and_scatter(c: Converter, op: HloOp, o: list[Value]) -> Value:
    """The position of the selected element of each window, at which its value is added."""
    b, (x, source, initial) = c.b, o
    shape, out = shape_of(x), shape_of(source)
    sizes, strides, _, _, padding = _window_properties(op, len(shape))
    selects = {"stablehlo.compare<GE>(a0,a1)": True, "stablehlo.compare<LE>(a0,a1)": False}
    largest = selects.get(expression(op.regions[0]))
    if largest is None or kind_of(op.regions[1], x) != "sum" or element_of(x) not in FLOATS:
        raise c.refuse(op, "selects by something else than GE or LE, or adds by something else than add")
    low, high = tuple(p[0] for p in padding), tuple(p[1] for p in padding)
    edge = b.constant(-np.inf if largest else np.inf, element_of(x))
    wide = padded(b, x, edge, low, high, (0,) * len(shape))
    patches = _patches(b, wide, out, sizes, strides, (1,) * len(shape))
    chosen = (b.argmax if largest else b.argmin)(patches, len(out))

    def positions(*i: Value) -> list[Value]:
        left = b.index(chosen, i)
        found: list[Value] = []
        for d in reversed(range(len(out))):
            inner = b.binary(ew.RemOp, left, b.index_constant(sizes[d]))
            left = b.div(left, b.index_constant(sizes[d]))
            found.insert(0, b.add(b.mul(i[d], b.index_constant(strides[d])), inner))
        return found

    summed = b.scatter(source, len(out), shape_of(wide), positions)
    cut = padded(
        b, summed, b.zeros(element_of(x)), tuple(-n for n in low), tuple(-n for n in high), (0,) * len(shape)
    )
    return cut if b.scalar_of(initial) == 0 else b.add(cut, b.broadcast(initial, shape, ()))
