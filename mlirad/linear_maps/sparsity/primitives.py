"""The effect of each primitive map on patterns: one function per op class, one table.

    rule(m, op, x)        the pattern of the image of x, or a list of patterns where a space is a tuple

The shapes of patterns begin with the batch axes of the scope that the map stands in (`MapContext`), along
which every map acts by itself. Positions and conditions count where they are known; where they are not, the
pattern is the union over all that they could be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
from xdsl.ir import Region

from mlirad.dialects import linear
from mlirad.dialects.array.transforms import number_rank
from mlirad.dialects.shapes import Shape, Value, components_of, shape_of, values_of
from mlirad.ir.builder import yields
from mlirad.lazy_dataclass import dataclass
from mlirad.linear_maps.elements import assembled, components
from mlirad.linear_maps.sparsity.elements import Patterns
from mlirad.linear_maps.sparsity.known_values import Array, Known, Scope, distinct_part
from mlirad.linear_maps.sparsity.patterns import Axes, Block, Pattern, moved, prefixed, union
from mlirad.linear_maps.sparsity.relations import Ints

Rule: TypeAlias = Callable[["MapContext", Any, Any], Patterns]


@dataclass(frozen=True)
class MapContext:
    """The place of a map: the facts known there, and the batch axes along which it is made."""

    known: Known
    scope: Scope

    @property
    def batch(self) -> Shape:
        """The extents of the batch axes."""
        return self.scope.batch

    def value(self, value: Value) -> Array | None:
        """A known value, with the batch axes as leading axes."""
        return self.known.at(value, self.scope)

    def moved(
        self, x: Pattern, shape: Shape, kept: Mapping[int, int], blocks: Sequence[Block] = ()
    ) -> Pattern:
        """`patterns.moved` by the axes that are not of the batch, at each batch position.

        Batch axes that blocks name are axes -1, -2, ..., from the last one on.
        """
        rank = len(self.batch)
        used = {a for b in blocks for a in b.old_axes if a < 0}
        lifted = {a + rank: b + rank for a, b in kept.items()}
        lifted.update({d: d for d in range(rank) if d - rank not in used})
        placed = [
            Block(tuple(a + rank for a in b.old_axes), tuple(a + rank for a in b.new_axes), b.old, b.new)
            for b in blocks
        ]
        return moved(x, (*self.batch, *shape), lifted, placed)

    def union(self, shape: Shape, patterns: Sequence[Pattern]) -> Pattern:
        """The union of patterns of arrays of the given shape, at each batch position."""
        return union((*self.batch, *shape), patterns)


def _all_kept(rank: int) -> dict[int, int]:
    return {d: d for d in range(rank)}


def along(m: MapContext, x: Pattern, shape: Shape, axis: int, new: Ints, old: Ints) -> Pattern:
    """Elements new[k] along an axis of the result are elements old[k] along that of x."""
    kept = _all_kept(len(shape))
    del kept[axis]
    return m.moved(x, shape, kept, [Block((axis,), (axis,), old, new)])


# Maps that keep positions --------------------------------------------------------------------------


def _scale(m: MapContext, op: linear.ScaleOp, x: Pattern) -> Pattern:
    """Known zeros of the coefficient are zeros."""
    factor = m.value(op.coefficient)
    if factor is None or distinct_part(factor).all():
        return x
    return _filtered(m, x, shape_of(op.domain), factor != 0)


def _mask(m: MapContext, op: linear.MaskOp, x: Pattern) -> Pattern:
    condition = m.value(op.condition)
    return x if condition is None else _filtered(m, x, shape_of(op.domain), condition)


def _filtered(m: MapContext, x: Pattern, shape: Shape, kept: Array) -> Pattern:
    """The elements for which `kept`, over the batch axes and all axes or none, holds."""
    if distinct_part(kept).all():
        return x
    return restricted(
        m, x, shape, kept.reshape((*kept.shape, *(1,) * (len(m.batch) + len(shape) - kept.ndim)))
    )


def restricted(m: MapContext, x: Pattern, shape: Shape, kept: Array) -> Pattern:
    """The elements for which `kept` holds, which has an axis for each batch axis and of the shape."""
    rank = len(m.batch)
    axes = [a for a in range(kept.ndim) if (kept != kept[(slice(None),) * a + (slice(0, 1),)]).any()]
    varying = kept[tuple(slice(None) if a in axes else 0 for a in range(kept.ndim))]
    if not axes and varying:
        return x
    where = np.flatnonzero(varying)
    placed = tuple(a - rank for a in axes)
    others = {d: d for d in range(len(shape)) if d not in placed}
    return m.moved(x, shape, others, [Block(placed, placed, where, where)])


# Structure of axes -----------------------------------------------------------------------------------


def _sum(m: MapContext, op: linear.SumOp, x: Pattern) -> Pattern:
    dims = values_of(op.dims)
    left = [d for d in range(len(shape_of(op.domain))) if d not in dims]
    return m.moved(x, shape_of(op.codomain), {d: k for k, d in enumerate(left)})


def _broadcast(m: MapContext, op: linear.BroadcastOp, x: Pattern) -> Pattern:
    return m.moved(x, shape_of(op.codomain), dict(enumerate(values_of(op.dims))))


def _reshape(m: MapContext, op: linear.ReshapeOp, x: Pattern) -> Pattern:
    """Axes are kept as far as they are; others are related in groups of equal size."""
    old, new = shape_of(op.domain), shape_of(op.codomain)
    if not x.terms:
        return Pattern((*m.batch, *new), ())
    kept: dict[int, int] = {}
    blocks: list[Block] = []
    for before, after in matched_axes(old, new):
        if len(before) == len(after) == 1:
            kept[before[0]] = after[0]
        else:
            whole = np.arange(prod(old[a] for a in before))
            blocks.append(Block(before, after, whole, whole))
    return m.moved(x, new, kept, blocks)


def matched_axes(old: Shape, new: Shape) -> list[tuple[Axes, Axes]]:
    """Groups of consecutive axes of equal size, as small as possible; axes of extent 1 are in none."""
    left = [d for d, e in enumerate(old) if e != 1]
    right = [d for d, e in enumerate(new) if e != 1]
    groups: list[tuple[Axes, Axes]] = []
    i = j = 0
    while i < len(left) and j < len(right):
        first, second = i, j
        before, after = old[left[i]], new[right[j]]
        i, j = i + 1, j + 1
        while before != after:
            if before < after:
                before *= old[left[i]]
                i += 1
            else:
                after *= new[right[j]]
                j += 1
        groups.append((tuple(left[first:i]), tuple(right[second:j])))
    return groups


def _reverse(m: MapContext, op: linear.ReverseOp, x: Pattern) -> Pattern:
    shape = shape_of(op.domain)
    for d in values_of(op.dims):
        x = along(m, x, shape, d, np.arange(shape[d]), np.arange(shape[d])[::-1].copy())
    return x


def _resized(m: MapContext, op: linear.SliceOp | linear.PadOp, x: Pattern) -> Pattern:
    """Elements first + step k of a dimension are elements k of the result, or become of those of x."""
    is_pad = isinstance(op, linear.PadOp)
    firsts = values_of(op.low if is_pad else op.starts)
    steps = tuple(i + 1 for i in values_of(op.interior)) if is_pad else values_of(op.strides)
    shape, result = shape_of(op.domain), list(shape_of(op.domain))
    for d, (first, step, extent) in enumerate(zip(firsts, steps, shape_of(op.codomain), strict=True)):
        if extent != shape[d]:
            result[d] = extent
            whole = np.arange(shape[d] if is_pad else extent)
            places = first + step * whole
            x = along(m, x, tuple(result), d, *((places, whole) if is_pad else (whole, places)))
    return x


# Tuples ----------------------------------------------------------------------------------------------


def array_of(x: Patterns, m: MapContext, shape: Shape) -> Pattern:
    """An element of a space of arrays as a pattern."""
    assert not isinstance(x, list)
    return Pattern((*m.batch, *shape), ()) if x is None else x


def _concatenate(m: MapContext, op: linear.ConcatenateOp | linear.SplitOp, x: Patterns) -> Pattern:
    spaces, dim, first = components_of(op.domain), op.dim.value.data, 0
    shape, placed = shape_of(op.codomain), list[Pattern]()
    for part, space in zip(components(x, op.domain), spaces, strict=True):
        extent = shape_of(space)[dim]
        if part is not None:
            old = np.arange(extent)
            placed.append(along(m, array_of(part, m, shape_of(space)), shape, dim, first + old, old))
        first += extent
    return m.union(shape, placed)


def _split(m: MapContext, op: linear.SplitOp, x: Pattern) -> Patterns:
    dim, first = op.dim.value.data, 0
    parts: list[Patterns] = []
    for space in components_of(op.codomain):
        shape = shape_of(space)
        parts.append(along(m, x, shape, dim, np.arange(shape[dim]), first + np.arange(shape[dim])))
        first += shape[dim]
    return assembled(parts, op.codomain)


def _one(k: int) -> Ints:
    return np.array([k], np.int64)


def _stack(m: MapContext, op: linear.StackOp, x: Patterns) -> Pattern:
    spaces, dim = components_of(op.domain), op.dim.value.data
    shape, placed = shape_of(op.codomain), list[Pattern]()
    kept = {d: d + (d >= dim) for d in range(len(shape) - 1)}
    for k, (part, space) in enumerate(zip(components(x, op.domain), spaces, strict=True)):
        if part is not None:
            pattern = array_of(part, m, shape_of(space))
            placed.append(m.moved(pattern, shape, kept, [Block((), (dim,), _one(0), _one(k))]))
    return m.union(shape, placed)


def _unstack(m: MapContext, op: linear.UnstackOp, x: Pattern) -> Patterns:
    dim = op.dim.value.data
    slices: list[Patterns] = [
        taken(m, x, shape_of(space), dim, k) for k, space in enumerate(components_of(op.codomain))
    ]
    return assembled(slices, op.codomain)


def taken(m: MapContext, x: Pattern, shape: Shape, dim: int, k: int) -> Pattern:
    """Slice number k along a dimension."""
    kept = {d + (d >= dim): d for d in range(len(shape))}
    return m.moved(x, shape, kept, [Block((dim,), (), _one(k), _one(0))])


# Positions -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Positions:
    """The positions in an array with the given leading extents that the points of a space go to.

    Those of every indexed axis are an array over the batch axes and the space, of extent 1 where they do not
    vary, or `None` where they are unknown.
    """

    space: Shape
    indexed: Shape
    axes: tuple[Array | None, ...]

    def groups(self, m: MapContext) -> list[tuple[list[int], list[int]]]:
        """The known indexed axes in groups, with the axes (batch and space) that their positions vary along.

        Positions of different groups vary along different axes.
        """
        groups: list[tuple[list[int], list[int]]] = []
        for k, position in enumerate(self.axes):
            if position is None:
                continue
            members, varying = [k], [a for a, e in enumerate(position.shape) if e != 1]
            for other in [g for g in groups if not set(varying).isdisjoint(g[1])]:
                groups.remove(other)
                members, varying = [*other[0], *members], [*other[1], *varying]
            groups.append((members, sorted(set(varying))))
        return groups

    def flat(self, m: MapContext, members: Sequence[int], varying: Sequence[int]) -> tuple[Axes, Ints, Ints]:
        """The batch axes that positions vary along, and for every point its place there and its position.

        They are numbered from the last one on, as in `MapContext.moved`.
        """
        rank = len(m.batch)
        extents = [(*m.batch, *self.space)[a] for a in varying]
        batch = tuple(a - rank for a in varying if a < rank)
        batch_points = prod(m.batch[a] for a in varying if a < rank)
        number: Any = np.zeros(extents, np.int64)
        for k in members:
            position = self.axes[k]
            assert position is not None
            reduced = position[tuple(slice(None) if a in varying else 0 for a in range(position.ndim))]
            number = number * self.indexed[k] + np.clip(reduced, 0, self.indexed[k] - 1)
        points = number.ravel()
        place = np.arange(batch_points).repeat(len(points) // max(batch_points, 1))
        return batch, place, points


def positions_of_region(m: MapContext, region: Region, space: Shape, array: Shape) -> Positions:
    """The positions that a region makes over an index space."""
    arguments: dict[Value, Array | None] = dict(zip(region.block.args, m.scope.indices(space), strict=True))
    scope = m.scope.inner(space, arguments)
    found = yields(region)
    return Positions(space, array[: len(found)], tuple(m.known.at(v, scope) for v in found))


def _positions_of_operands(m: MapContext, positions: Sequence[Value], array: Shape) -> Positions:
    return Positions((), array[: len(positions)], tuple(m.value(p) for p in positions))


def gathered(m: MapContext, x: Pattern, p: Positions) -> Pattern:
    """`out[s..., rest...] = x[positions(s)..., rest...]`."""
    return _between(m, x, p, is_scatter=False)


def scattered(m: MapContext, x: Pattern, p: Positions) -> Pattern:
    """`out[positions(s)..., rest...] += x[s..., rest...]`."""
    return _between(m, x, p, is_scatter=True)


def _between(m: MapContext, x: Pattern, p: Positions, is_scatter: bool) -> Pattern:
    """From the indexed axes to those of the space, or back; axes after them stay."""
    rank = len(m.batch)
    old, new = (p.space, p.indexed) if is_scatter else (p.indexed, p.space)
    rest = x.shape[rank + len(old) :]
    if 0 in p.indexed:
        return Pattern((*m.batch, *new, *rest), ())
    kept = {len(old) + d: len(new) + d for d in range(len(rest))}
    blocks: list[Block] = []
    for members, varying in p.groups(m):
        batch, place, points = p.flat(m, members, varying)
        indexed = (*batch, *members), place * prod(p.indexed[k] for k in members) + points
        space = (*batch, *(a - rank for a in varying if a >= rank)), np.arange(len(points))
        (old_axes, olds), (new_axes, news) = (space, indexed) if is_scatter else (indexed, space)
        blocks.append(Block(old_axes, new_axes, olds, news))
    return m.moved(x, (*new, *rest), kept, blocks)


def _index(m: MapContext, op: linear.IndexOp, x: Pattern) -> Pattern:
    p = _positions_of_operands(m, op.positions, shape_of(op.domain))
    return gathered(m, x, p)


def _one_hot(m: MapContext, op: linear.OneHotOp, x: Pattern) -> Pattern:
    p = _positions_of_operands(m, op.positions, shape_of(op.codomain))
    return scattered(m, x, p)


def _gather(m: MapContext, op: linear.GatherOp, x: Pattern) -> Pattern:
    space = shape_of(op.codomain)[: len(op.body.block.args)]
    p = positions_of_region(m, op.body, space, shape_of(op.domain))
    return gathered(m, x, p)


def _scatter(m: MapContext, op: linear.ScatterOp, x: Pattern) -> Pattern:
    space = shape_of(op.domain)[: len(op.body.block.args)]
    p = positions_of_region(m, op.body, space, shape_of(op.codomain))
    return scattered(m, x, p)


def _update(m: MapContext, op: linear.UpdateOp, x: Patterns) -> Pattern:
    """Return where something is set, what stood there before is gone, and of several writers the last one
    counts.
    """
    shape, written = shape_of(op.codomain), shape_of(op.operand_space)
    given = components(x, op.domain)
    base, operand = array_of(given[0], m, shape), array_of(given[1], m, written)
    space = written[: len(op.body.block.args)]
    p = positions_of_region(m, op.body, space, shape)
    rest = shape[len(p.indexed) :]
    is_set = op.kind.data == "set" and 0 not in p.indexed and 0 not in space
    if not is_set or any(a is None for a in p.axes):
        return m.union(shape, [base, scattered(m, operand, p)])
    rank, count = len(m.batch), len(p.indexed)
    batch_axes = [d for d in range(rank) if any(a is not None and a.shape[d] != 1 for a in p.axes)]
    varying = [*batch_axes, *range(rank, rank + len(space))]
    batch, place, points = p.flat(m, range(count), varying)
    size = prod(p.indexed)
    target = place * size + points
    last, first_from_end = np.unique(target[::-1], return_index=True)
    source = len(target) - 1 - first_from_end
    kept = np.ones(prod(m.batch[d] for d in batch_axes) * size, bool)
    kept[last] = False
    left = kept.reshape(
        [m.batch[d] if d in batch_axes else 1 for d in range(rank)] + [*p.indexed, *(1,) * len(rest)]
    )
    axes = tuple(range(count))
    block = Block((*batch, *range(len(space))), (*batch, *axes), source, last)
    put = m.moved(operand, shape, {len(space) + d: count + d for d in range(len(rest))}, [block])
    return m.union(shape, [restricted(m, base, shape, left) if base.terms else base, put])


# Prefix sums and contractions --------------------------------------------------------------------------


def _prefix(m: MapContext, op: linear.PrefixMapOp, x: Pattern) -> Pattern:
    return prefixed(x, len(m.batch) + op.dim.value.data, op.reverse is not None)


def _dot(m: MapContext, op: linear.DotMapOp, x: Pattern) -> Pattern:
    """Return where the fixed operand is known its zeros count; otherwise it has none."""
    is_left = isinstance(op, linear.DotLeftOp)
    dims = [values_of(d) for d in (op.lhs_batch, op.rhs_batch, op.lhs_contract, op.rhs_contract)]
    (batch, fixed_batch), (contract, fixed_contract) = dims[:2], dims[2:]
    if not is_left:
        batch, fixed_batch, contract, fixed_contract = fixed_batch, batch, fixed_contract, contract
    fixed_shape = shape_of(op.fixed)
    free = [d for d in range(len(shape_of(op.domain))) if d not in (*batch, *contract)]
    fixed_free = [d for d in range(len(fixed_shape)) if d not in (*fixed_batch, *fixed_contract)]
    first = len(batch) + (0 if is_left else len(fixed_free))
    kept = {d: k for k, d in enumerate(batch)}
    kept.update({d: first + k for k, d in enumerate(free)})
    new_free = range(len(batch) + (len(free) if is_left else 0), len(shape_of(op.codomain)))
    fixed_axes = tuple(new_free)[: len(fixed_free)]
    blocks: list[Block] = []
    fixed = m.value(op.fixed)
    if fixed is not None and not any(e != 1 for e in fixed.shape[: len(m.batch)]) and not fixed.all():
        own = fixed.reshape(fixed_shape)
        table = own.transpose((*fixed_batch, *fixed_free, *fixed_contract)) != 0
        counts = [prod(fixed_shape[d] for d in group) for group in (fixed_batch, fixed_free, fixed_contract)]
        b, f, c = np.nonzero(table.reshape(counts))
        for d in batch:
            del kept[d]
        places = tuple(range(len(batch)))
        blocks.append(
            Block((*batch, *contract), (*places, *fixed_axes), b * counts[2] + c, b * counts[1] + f)
        )
    return m.moved(x, shape_of(op.codomain), kept, blocks)


def _triangular_solve(m: MapContext, op: linear.TriangularSolveOp, x: Pattern) -> Pattern:
    """The inverse of a triangle is a triangle."""
    is_upper = (op.upper is None) != (op.transposed is None)
    row = len(shape_of(op.domain)) - (2 if op.complex is None else 3)
    if op.complex is not None:
        x = m.moved(x, shape_of(op.codomain), _all_kept(row + 2))
    return prefixed(x, len(m.batch) + row, is_upper)


def _fft(m: MapContext, op: linear.FftOp, x: Pattern) -> Pattern:
    """Every number of a row depends on every other."""
    axes, kind = op.axes, op.kind.data

    def places(is_signal: bool) -> list[int]:
        """Return where the dimensions of the batch lie in an array."""
        batch = [d for d in range(number_rank(kind, op.domain)) if d != axes.dim]
        return batch if is_signal else [d + (d >= axes.pairs) for d in batch]

    kept = dict(zip(places(kind == "real"), places(kind == "half"), strict=True))
    return m.moved(x, shape_of(op.codomain), kept)


PRIMITIVE_PATTERNS: dict[type[linear.MapOp], Rule] = {
    linear.ScaleOp: _scale,
    linear.MaskOp: _mask,
    linear.ConvertOp: lambda m, op, x: x,
    linear.SumOp: _sum,
    linear.BroadcastOp: _broadcast,
    linear.ReshapeOp: _reshape,
    linear.ReverseOp: _reverse,
    linear.SliceOp: _resized,
    linear.PadOp: _resized,
    linear.ConcatenateOp: _concatenate,
    linear.SplitOp: _split,
    linear.StackOp: _stack,
    linear.UnstackOp: _unstack,
    linear.IndexOp: _index,
    linear.OneHotOp: _one_hot,
    linear.GatherOp: _gather,
    linear.ScatterOp: _scatter,
    linear.UpdateOp: _update,
    linear.CumulativeSumOp: _prefix,
    linear.RecurrenceOp: _prefix,
    linear.TriangularSolveOp: _triangular_solve,
    linear.FftOp: _fft,
    linear.DotLeftOp: _dot,
    linear.DotRightOp: _dot,
}
"""The effect of every primitive map on patterns."""
