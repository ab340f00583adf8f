"""Ops that read and write at computed positions.

Reads are `gather` with the dimensions that are indexed in front: of what is read whole behind them nothing is
computed per element. Writes outside of the array are dropped by StableHLO, and clamped by the language.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects.builtin import i1

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Shape, Value, element_of, shape_of
from mlirad.dialects.stablehlo import HloOp
from mlirad.dialects.stablehlo.attributes import GatherDimensions, ScatterDimensions
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.builder import yields
from mlirad.ir.regions import discard
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.convert_stablehlo.converter import Converter, flag, integers, meaning
from mlirad.passes.convert_stablehlo.regions import applied_op, expression


def _fitting(b: ArrayBuilder, start: Value, extent: int, size: int) -> Value:
    """A start moved so that a slice of `size` lies within `extent`."""
    return b.clamp(start, extent - size + 1)


def _leading(shape: Shape, sizes: Sequence[int]) -> int:
    """Return how many dimensions stand in front of those that are taken whole."""
    whole = 0
    while whole < len(shape) and sizes[-1 - whole] == shape[-1 - whole]:
        whole += 1
    return len(shape) - whole


@meaning("stablehlo.dynamic_slice")
def _dynamic_slice(c: Converter, op: HloOp, o: list[Value]) -> Value:
    b, x = c.b, o[0]
    shape, sizes = shape_of(x), integers(op, "slice_sizes", ())
    starts = [_fitting(b, c.position(s), e, n) for s, e, n in zip(o[1:], shape, sizes, strict=True)]
    known = [b.scalar_of(s) for s in starts]
    if all(k is not None for k in known):
        fixed = [int(cast(int, k)) for k in known]
        return b.slice(x, fixed, [k + n for k, n in zip(fixed, sizes, strict=True)], [1] * len(shape))
    leading = _leading(shape, sizes)
    long = [d for d in range(leading) if sizes[d] != 1]

    def positions(*i: Value) -> list[Value]:
        return [b.add(starts[d], i[long.index(d)]) if d in long else starts[d] for d in range(leading)]

    if long:
        read = b.gather(x, [sizes[d] for d in long], positions)
    else:
        read = b.index(x, starts[:leading])
    return b.reshape(read, sizes)


@meaning("stablehlo.dynamic_update_slice")
def _dynamic_update_slice(c: Converter, _: HloOp, o: list[Value]) -> Value:
    b, (base, x, *given) = c.b, o
    shape, sizes = shape_of(base), shape_of(x)
    leading = _leading(shape, sizes)
    if not leading:
        return x
    starts = [_fitting(b, c.position(s), e, n) for s, e, n in zip(given, shape, sizes, strict=True)]
    long = [d for d in range(leading) if sizes[d] != 1]

    def positions(*i: Value) -> list[Value]:
        return [b.add(starts[d], i[long.index(d)]) if d in long else starts[d] for d in range(leading)]

    part = b.reshape(x, (*(sizes[d] for d in long), *sizes[leading:]))
    return b.update("set", base, part, len(long), positions)


@dataclass
class _Window:
    """The places of windows: dimensions of the operand in the order in which `gather` and `update` index
    them.
    """

    order: list[int]
    """Dimensions of the operand: those with positions, then those that are taken whole."""

    leading: int
    """The number of these that have positions."""

    long: list[int]
    """Dimensions with positions along which a window has other than one element."""

    batch: Shape
    """The extents over which there is a window each."""

    starts: Callable[..., list[Value]]
    """From indices into `batch` to the start of the window along the leading dimensions, not clamped."""


def _window(
    c: Converter,
    indices: Value,
    shape: Shape,
    sizes: Sequence[int],
    dims: GatherDimensions | ScatterDimensions,
) -> _Window:
    b = c.b
    scatter = isinstance(dims, ScatterDimensions)
    into = dims.dims("scatter_dims_to_operand_dims" if scatter else "start_index_map")
    batched = dims.dims("input_batching_dims" if scatter else "operand_batching_dims")
    paired = dims.dims("scatter_indices_batching_dims" if scatter else "start_indices_batching_dims")
    vector = dims.index_vector_dim
    extents = shape_of(indices)
    if vector == len(extents):
        indices = b.reshape(indices, (*extents, 1))
    else:
        others = [d for d in range(len(extents)) if d != vector]
        indices = b.transpose(indices, [*others, vector])
    batch = shape_of(indices)[:-1]
    places = [d for d in range(len(extents)) if d != vector]
    positioned = [d for d in range(len(shape)) if d in into or d in batched or sizes[d] != shape[d]]
    whole = [d for d in range(len(shape)) if d not in positioned]
    components = {d: _component(b, indices, into.index(d)) for d in positioned if d in into}

    def starts(*i: Value) -> list[Value]:
        found: list[Value] = []
        for d in positioned:
            if d in batched:
                found.append(i[places.index(paired[batched.index(d)])])
            elif d in into:
                found.append(c.position(b.index(components[d], i)))
            else:
                found.append(b.index_constant(0))
        return found

    long = [d for d in positioned if sizes[d] != 1]
    return _Window([*positioned, *whole], len(positioned), long, batch, starts)


def _component(b: ArrayBuilder, indices: Value, k: int) -> Value:
    """Component k of indices that lie along the last dimension."""
    shape = shape_of(indices)
    rank = len(shape)
    starts = [0] * (rank - 1) + [k]
    part = b.slice(indices, starts, [*shape[:-1], k + 1], [1] * rank)
    return b.reshape(part, shape[:-1])


@meaning("stablehlo.gather")
def _gather(c: Converter, op: HloOp, o: list[Value]) -> Value:
    b, (x, indices) = c.b, o
    dims = cast(GatherDimensions, op.properties["dimension_numbers"])
    shape, sizes = shape_of(x), integers(op, "slice_sizes", ())
    window = _window(c, indices, shape, sizes, dims)
    positioned, count = window.order[: window.leading], len(window.batch)

    def positions(*i: Value) -> list[Value]:
        found: list[Value] = []
        for d, start in zip(positioned, window.starts(*i[:count]), strict=True):
            if sizes[d] != 1:
                start = b.add(_fitting(b, start, shape[d], sizes[d]), i[count + window.long.index(d)])
            found.append(start)
        return found

    x = b.transpose(x, window.order)
    extents = (*window.batch, *(sizes[d] for d in window.long))
    read = b.gather(x, extents, positions) if extents else b.index(x, positions())
    # Of the operand's dimensions, first those of `long`, then the whole ones: back into their order.
    collapsed = {*dims.dims("collapsed_slice_dims"), *dims.dims("operand_batching_dims")}
    present = [d for d in window.order if d in window.long or d not in positioned]
    slices = sorted(present)
    read = b.transpose(read, [*range(count), *(count + present.index(d) for d in slices)])
    offsets = [sizes[d] for d in range(len(shape)) if d not in collapsed]
    read = b.reshape(read, (*window.batch, *offsets))
    offset_dims = dims.dims("offset_dims")
    rank = count + len(offsets)
    batch_dims = [d for d in range(rank) if d not in offset_dims]
    target = [*batch_dims, *offset_dims]
    return b.transpose(read, [target.index(d) for d in range(rank)])


COMBINED: dict[str, type[ew.BinaryOp]] = {
    "stablehlo.multiply": ew.MulOp,
    "stablehlo.maximum": ew.MaxOp,
    "stablehlo.minimum": ew.MinOp,
    "stablehlo.and": ew.AndOp,
    "stablehlo.or": ew.OrOp,
}


@meaning("stablehlo.scatter")
def _scatter(c: Converter, op: HloOp, o: list[Value]) -> list[Value]:
    half = len(o) // 2
    if len(o) != 3:
        raise c.refuse(op, f"scatters {half} arrays at once: scatter one after the other")
    b, (base, indices, updates) = c.b, o
    dims = cast(ScatterDimensions, op.properties["scatter_dimension_numbers"])
    shape, window_dims = shape_of(base), dims.dims("update_window_dims")
    dropped = {*dims.dims("inserted_window_dims"), *dims.dims("input_batching_dims")}
    kept = [d for d in range(len(shape)) if d not in dropped]
    sizes = [1] * len(shape)
    for d, w in zip(kept, window_dims, strict=True):
        sizes[d] = shape_of(updates)[w]
    window = _window(c, indices, shape, sizes, dims)
    count, positioned = len(window.batch), window.order[: window.leading]
    # Updates as batch, then the long dimensions of windows, then the whole ones; those of one element go.
    batch_dims = [d for d in range(len(shape_of(updates))) if d not in window_dims]
    present = [d for d in window.order if d in window.long or d not in positioned]
    order = [*batch_dims, *(window_dims[kept.index(d)] for d in kept if d in present)]
    units = [window_dims[kept.index(d)] for d in kept if d not in present]
    updates = b.transpose(updates, [*order, *units])
    updates = b.reshape(updates, shape_of(updates)[: len(order)])
    ascending = [d for d in kept if d in present]
    updates = b.transpose(updates, [*range(count), *(count + ascending.index(d) for d in present)])
    base = b.transpose(base, window.order)

    def starts(*i: Value) -> tuple[list[Value], Value]:
        """The position of an element, and whether its whole window is inside."""
        first = window.starts(*i[:count])
        fits = [shape[d] - sizes[d] + 1 for d in positioned]
        inside = b.inside(first, fits) if first else b.constant(True, i1)
        for k, d in enumerate(positioned):
            if d in window.long:
                first[k] = b.add(first[k], i[count + window.long.index(d)])
        return first, inside

    written = _written(c, op, base, updates, count + len(window.long), starts)
    inverse = [window.order.index(d) for d in range(len(shape))]
    return [b.transpose(written, inverse)]


def _written(
    c: Converter,
    op: HloOp,
    base: Value,
    updates: Value,
    arguments: int,
    starts: Callable[..., tuple[list[Value], Value]],
) -> Value:
    """The base with updates combined at positions of their leading indices."""
    b, region = c.b, op.regions[0]
    space = shape_of(updates)[:arguments]
    key, name = expression(region), applied_op(region)
    conditions = b.index_region(space, lambda *i: [starts(*i)[1]])
    all_inside = b.scalar_of(yields(conditions)[0]) is True
    if all_inside:
        discard(conditions)
        inside = b.constant(True, i1)
    else:
        inside = b.build_from(space, conditions) if space else starts()[1]

    def positions(*i: Value) -> list[Value]:
        return starts(*i)[0]

    if name == "stablehlo.add":
        if not all_inside:
            updates = b.select(_over(b, inside, updates), updates, b.zeros(updates.type))
        return b.update("add", base, updates, arguments, positions)
    if key == "a1" and (all_inside or _count(space) == 1):
        if not all_inside:
            old = b.gather(base, space, positions) if space else b.index(base, positions())
            updates = b.select(_over(b, inside, updates), updates, old)
        return b.update("set", base, updates, arguments, positions)
    if key == "a1":
        return _set_with_margin(b, base, updates, arguments, starts)
    if flag(op, "unique_indices") and all_inside and name in COMBINED:
        old = b.gather(base, space, positions) if space else b.index(base, positions())
        new = b.binary(COMBINED[name], old, updates)
        return b.update("set", base, new, arguments, positions)
    return _one_by_one(c, op, base, updates, arguments, starts)


def _count(space: Shape) -> int:
    total = 1
    for extent in space:
        total *= extent
    return total


def _over(b: ArrayBuilder, inside: Value, updates: Value) -> Value:
    """A condition per window over all elements of the updates."""
    return b.broadcast(inside, shape_of(updates), range(len(shape_of(inside))))


def _set_with_margin(
    b: ArrayBuilder,
    base: Value,
    updates: Value,
    arguments: int,
    starts: Callable[..., tuple[list[Value], Value]],
) -> Value:
    """Return what is outside is written to a row of its own: a clamped write could meet one that is
    inside.
    """
    shape = shape_of(base)
    rank = len(shape)
    high = [1, *[0] * (rank - 1)]
    wider = b.pad(base, b.zeros(element_of(base)), [0] * rank, high, [0] * rank)

    def positions(*i: Value) -> list[Value]:
        found, inside = starts(*i)
        return [b.select(inside, found[0], b.index_constant(shape[0])), *found[1:]]

    written = b.update("set", wider, updates, arguments, positions)
    return b.slice(written, [0] * rank, shape, [1] * rank)


def _one_by_one(
    c: Converter,
    op: HloOp,
    base: Value,
    updates: Value,
    arguments: int,
    starts: Callable[..., tuple[list[Value], Value]],
) -> Value:
    """A loop over the updates, each combined with what is there."""
    b = c.b
    space, rest = shape_of(updates)[:arguments], shape_of(updates)[arguments:]
    total = _count(space)
    flat = b.reshape(updates, (total, *rest))

    def body(i: Value, carries: list[Value], slices: list[Value]) -> tuple[list[Value], list[Value]]:
        index: list[Value] = []
        left = i
        for extent in reversed(space):
            index.insert(0, b.binary(ew.RemOp, left, b.index_constant(extent)))
            left = b.div(left, b.index_constant(extent))
        position, inside = starts(*index)
        old = b.index(carries[0], position)
        new = c.elementwise(op.regions[0], [old, slices[0]], rest)[0]
        new = b.select(_over(b, inside, new) if rest else inside, new, old)
        return [b.update("set", carries[0], new, 0, lambda: position)], []

    return b.scan([base], [flat], total, body)[0][0]
