"""Patterns of maps of loops and branches, and of maps at every index.

A loop is analysed for all iterations at once, the iterations being a batch axis. Let S be the pairs of a
carry after an iteration and one before it, u(t) what iteration t adds to the carries from elsewhere, and c(t)
the carries before iteration t. Then

    c(t) = S^t c(0)  +  u(t-1) + S u(t-2) + S^2 u(t-3) + ...

Powers of S soon repeat: those of a running sum at once (S^1 = S^0), those of a window over the last k values
after k, when they vanish. From then on the sum is a prefix sum. Loops whose S differs from iteration to
iteration, or whose powers do not repeat, are followed iteration by iteration. A loop that exceeds the limits
below, and every `while`, gets the closure of S: a superset.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from xdsl.ir import Attribute, Region

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value, components_of, shape_of, tuple_type
from mlirad.ir.builder import yields
from mlirad.linear_maps.elements import mapped, parts
from mlirad.linear_maps.sparsity.elements import (
    Patterns,
    coordinates,
    depends_on_nothing,
    dimension,
    everything,
    matrix,
    plus,
    related,
)
from mlirad.linear_maps.sparsity.known_values import Array
from mlirad.linear_maps.sparsity.patterns import Block, Pattern, moved, prefixed
from mlirad.linear_maps.sparsity.primitives import MapContext, along, restricted, taken
from mlirad.linear_maps.sparsity.relations import Relation, composed, united

Image: TypeAlias = Callable[[MapContext, Value, Patterns], Patterns]
"""The patterns of an image under a map expression."""

Elements: TypeAlias = list[Patterns]

MAX_POWERS = 32
"""The number of powers of the dependence of carries on themselves that are tried."""

MAX_PAIRS = 1 << 22
"""The number of pairs that such a power may have."""

MAX_ITERATIONS = 1 << 11
"""Loops of more iterations are not followed iteration by iteration."""


def _at(
    m: MapContext, region: Region, arguments: Sequence[Array | None], iterations: tuple[int, ...]
) -> MapContext:
    """The place inside a region whose arguments are known, or not."""
    return MapContext(
        m.known, m.scope.inner(iterations, dict(zip(region.block.args, arguments, strict=True)))
    )


# Scan ------------------------------------------------------------------------------------------------


def _scan(m: MapContext, op: linear.ScanOp, x: Patterns, image: Image) -> Patterns:
    return _Scan(m, op, x, image).patterns()


class _Scan:
    """One loop: its iterations as a batch axis, the patterns of what it is given, and those of its
    carries.
    """

    def __init__(self, m: MapContext, op: linear.ScanOp, x: Patterns, image: Image):
        self.m, self.op, self.image = m, op, image
        self.n, (self.carries, self.inputs, _) = op.iterations, op.counts
        self.rank = len(m.batch)
        self.spaces = components_of(op.domain)
        self.outputs = len(components_of(op.codomain)) - self.carries
        self.carry_space = tuple_type(self.spaces[: self.carries])
        self.given = parts(x, len(self.spaces))
        self.root = yields(op.body)[0]
        self.residuals = [m.value(r) for r in op.residuals]
        self.all_iterations = _at(m, op.body, [*m.scope.indices((self.n,)), *self.residuals], (self.n,))

    def patterns(self) -> Patterns:
        """The last carries and the stacked values."""
        initial = self.given[: self.carries]
        if self.n == 0:
            return [*initial, *[None] * self.outputs]
        nothing: Elements = [None] * len(self.spaces)
        sources = [*self.given[self.carries : self.carries + self.inputs]]
        captured = [mapped(c, self._in_all_iterations) for c in self.given[self.carries + self.inputs :]]
        added = self._image([*nothing[: self.carries], *sources, *captured])
        own = coordinates(self.all_iterations.batch, self.carry_space)
        passed = self._image([*parts(own, self.carries), *nothing[self.carries :]])
        before, after = added[: self.carries], added[self.carries :]
        step, output = passed[: self.carries], passed[self.carries :]
        if any(p.covers(d) for p in _patterns(step) for d in range(self.rank + 1)):
            if self.n <= MAX_ITERATIONS:
                return self._iteration_by_iteration()
            return self._closed(matrix(self.all_iterations.batch, step, self.carry_space), before, after)
        pairs = matrix(self.all_iterations.batch, step, self.carry_space)
        powers = _powers(pairs, dimension(self.carry_space))
        if powers is None:
            return (
                self._iteration_by_iteration()
                if self.n <= MAX_ITERATIONS
                else self._closed(pairs, before, after)
            )
        last = self._last(powers, before, initial)
        if depends_on_nothing(output):
            return [*last, *after]
        states = self._states(powers, before, initial)
        read = self._image([*states, *nothing[self.carries :]])[self.carries :]
        return [*last, *(plus(a, b) for a, b in zip(after, read, strict=True))]

    def _image(self, x: Elements) -> Elements:
        return parts(self.image(self.all_iterations, self.root, x), self.carries + self.outputs)

    def _in_all_iterations(self, x: Pattern) -> Pattern:
        """Return what a value outside of the loop is in every iteration."""
        return with_batch_axes(x, self.rank, (self.n,))

    def _position(self, iteration: int) -> int:
        """The position of an iteration along the batch axis, counted in the order in which they run."""
        return self.n - 1 - iteration if self.op.reverse is not None else iteration

    def _power(self, pairs: Relation, x: Elements, batch: tuple[int, ...]) -> Elements:
        made = related(batch, list(x), self.carry_space, self.carry_space, pairs)
        return parts(made, self.carries)

    def _during(self, x: Elements, iterations: range) -> Elements:
        """Return what reaches a carry by the iterations of the range."""
        places = np.array([self._position(t) for t in iterations], np.int64)
        rank = self.rank

        def sum_of(p: Pattern) -> Pattern:
            kept = {d: d - (d > rank) for d in range(len(p.shape)) if d != rank}
            block = Block((rank,), (), places, np.zeros(len(places), np.int64))
            return moved(p, (*p.shape[:rank], *p.shape[rank + 1 :]), kept, [block])

        return parts(mapped(list(x), sum_of), self.carries)

    def _last(self, powers: Sequence[Relation], added: Elements, initial: Elements) -> Elements:
        """The carries after the last iteration."""
        n, stable = self.n, len(powers) - 1
        batch = self.m.batch
        total = self._power(powers[min(n, stable)], initial, batch)
        for j in range(min(stable, n)):
            total = _sum(total, self._power(powers[j], self._during(added, range(n - 1 - j, n - j)), batch))
        if n > stable:
            early = self._during(added, range(n - stable))
            total = _sum(total, self._power(powers[stable], early, batch))
        return total

    def _states(self, powers: Sequence[Relation], added: Elements, initial: Elements) -> Elements:
        """The carries before each iteration."""
        n, stable, batch = self.n, len(powers) - 1, self.all_iterations.batch
        start = [mapped(c, self._in_all_iterations) for c in initial]
        total: Elements = [None] * self.carries
        for j in range(min(stable, n)):
            total = _sum(total, self._only(self._power(powers[j], start, batch), range(j, j + 1)))
            total = _sum(total, self._later(self._power(powers[j], added, batch), j + 1))
        if n > stable:
            total = _sum(total, self._only(self._power(powers[stable], start, batch), range(stable, n)))
            rest = self._power(powers[stable], added, batch)
            backwards = self.op.reverse is not None
            summed = mapped(list(rest), lambda p: prefixed(p, self.rank, backwards))
            total = _sum(total, self._later(parts(summed, self.carries), stable + 1))
        return total

    def _only(self, x: Elements, iterations: range) -> Elements:
        places = np.sort(np.array([self._position(t) for t in iterations], np.int64))
        return self._along(x, places, places)

    def _later(self, x: Elements, by: int) -> Elements:
        """Return the value that each iteration reads a given number of iterations later."""
        early = np.arange(self.n - by) if by < self.n else np.zeros(0, np.int64)
        if self.op.reverse is not None:
            return self._along(x, early, early + by)
        return self._along(x, early + by, early)

    def _along(self, x: Elements, new: Array, old: Array) -> Elements:
        place = MapContext(self.m.known, self.m.scope)

        def shift(p: Pattern) -> Pattern:
            return along(place, p, p.shape[self.rank :], 0, new, old)

        return parts(mapped(list(x), shift), self.carries)

    def _closed(self, pairs: Relation, added: Elements, outputs: Elements) -> Patterns:
        """A superset: what reaches a carry in any iteration reaches all that it leads to, in every
        iteration.
        """
        start = _sum(self.given[: self.carries], self._during(added, range(self.n)))
        carries = self._power(closure(pairs, dimension(self.carry_space)), start, self.m.batch)
        states = [mapped(c, self._in_all_iterations) for c in carries]
        read = self._image([*states, *[None] * (len(self.spaces) - self.carries)])[self.carries :]
        return [*carries, *(plus(a, b) for a, b in zip(outputs, read, strict=True))]

    def _iteration_by_iteration(self) -> Patterns:
        carries, first = self.given[: self.carries], self.carries
        captured = self.given[self.carries + self.inputs :]
        stacked: list[Elements] = [[] for _ in range(self.outputs)]
        spaces = components_of(self.op.codomain)[self.carries :]
        for t in range(self.n):
            i = self._position(t)
            at = [(slice(None),) * self.rank + (i,)] * len(self.residuals)
            slices = [None if r is None else r[k] for r, k in zip(self.residuals, at, strict=True)]
            index = np.full((1,) * self.rank, i)
            place = _at(self.m, self.op.body, [index, *slices], ())
            xs = [
                mapped(x, lambda p, i=i: taken(self.m, p, p.shape[self.rank + 1 :], 0, i))
                for x in self.given[first : first + self.inputs]
            ]
            made = parts(
                self.image(place, self.root, [*carries, *xs, *captured]), self.carries + self.outputs
            )
            carries = made[: self.carries]
            for column, part, space in zip(stacked, made[self.carries :], spaces, strict=True):
                column.append(mapped(part, lambda p, i=i, s=space: self._placed(p, s, i)))
        return [*carries, *(_total(self.m, column, s) for column, s in zip(stacked, spaces, strict=True))]

    def _placed(self, x: Pattern, space: Attribute, position: int) -> Pattern:
        shape = shape_of(space)
        kept = {d: d + 1 for d in range(len(shape) - 1)}
        one, here = np.zeros(1, np.int64), np.array([position], np.int64)
        return self.m.moved(x, shape, kept, [Block((), (0,), one, here)])


def _patterns(x: Patterns) -> list[Pattern]:
    if isinstance(x, list):
        return [p for part in x for p in _patterns(part)]
    return [] if x is None else [x]


def _sum(x: Elements, y: Elements) -> Elements:
    return [plus(a, b) for a, b in zip(x, y, strict=True)]


def _total(m: MapContext, given: Elements, space: Attribute) -> Patterns:
    found = [p for part in given for p in _patterns(part)]
    return m.union(shape_of(space), found) if found else None


def _powers(pairs: Relation, size: int) -> list[Relation] | None:
    """S^0, ..., S^k where S^(k+1) = S^k, on a given number of coordinates; `None` where no k in the limits is
    found.
    """
    powers = [Relation(np.arange(size), np.arange(size))]
    while len(powers) <= MAX_POWERS:
        following = composed(pairs, powers[-1])
        if _are_equal(following, powers[-1]):
            return powers
        if len(following) > MAX_PAIRS:
            return None
        powers.append(following)
    return None


def _are_equal(x: Relation, y: Relation) -> bool:
    return np.array_equal(x.rows, y.rows) and np.array_equal(x.offsets, y.offsets)


def closure(pairs: Relation, size: int) -> Relation:
    """The pairs of all powers, the identity on a given number of coordinates among them."""
    reached = united([Relation(np.arange(size), np.arange(size)), pairs])
    while True:
        more = composed(reached, reached)
        if len(more) == len(reached):
            return reached
        reached = more


# While and branches ----------------------------------------------------------------------------------


def _while(m: MapContext, op: linear.WhileOp, x: Patterns, image: Image) -> Patterns:
    """The number of iterations and what they read is unknown: the closure, no iteration included."""
    carries, spaces = op.carries.value.data, components_of(op.domain)
    given, root = parts(x, len(spaces)), yields(op.body)[0]
    inside = _at(m, op.body, [None] * len(op.body.block.args), ())
    nothing: Elements = [None] * len(spaces)
    added = parts(image(inside, root, [*nothing[:carries], *given[carries:]]), carries)
    space = tuple_type(spaces[:carries])
    own = parts(coordinates(m.batch, space), carries)
    step = image(inside, root, [*own, *nothing[carries:]])
    pairs = matrix(m.batch, step, space)
    reached = closure(pairs, dimension(space))
    return related(m.batch, _sum(given[:carries], added), space, space, reached)


def _if(m: MapContext, op: linear.IfOp, x: Patterns, image: Image) -> Patterns:
    condition = m.value(op.condition)
    return _chosen(m, None if condition is None else 1 - condition.astype(np.int64), op.regions, x, image)


def _switch(m: MapContext, op: linear.SwitchOp, x: Patterns, image: Image) -> Patterns:
    index = m.value(op.index)
    number = None if index is None else np.clip(index, 0, len(op.branches) - 1)
    return _chosen(m, number, op.branches, x, image)


def _chosen(
    m: MapContext, number: Array | None, branches: Sequence[Region], x: Patterns, image: Image
) -> Patterns:
    """The image under the branch taken at each batch position; under any of them where that is unknown."""
    total: Patterns = None
    for k, branch in enumerate(branches):
        taken_here = None if number is None else number == k
        if taken_here is not None and not taken_here.any():
            continue
        made = image(m, yields(branch)[0], x)
        if taken_here is not None and not taken_here.all():
            made = mapped(made, lambda p, here=taken_here: _where(m, p, here))
        total = plus(total, made)
    return total


def _where(m: MapContext, x: Pattern, here: Array) -> Pattern:
    shape = x.shape[len(m.batch) :]
    return restricted(m, x, shape, here.reshape((*here.shape, *(1,) * len(shape))))


def _checkpoint(m: MapContext, op: linear.CheckpointOp, x: Patterns, image: Image) -> Patterns:
    return image(m, yields(op.body)[0], x)


# Maps at every position ------------------------------------------------------------------------------


def _build(m: MapContext, op: linear.BuildOp, x: Patterns, image: Image) -> Patterns:
    """The positions are batch axes of the maps, and leading axes of the image."""
    inside = _at(m, op.body, m.scope.indices(op.space), op.space)
    lifted = mapped(x, lambda p: with_batch_axes(p, len(m.batch), op.space))
    return image(inside, yields(op.body)[0], lifted)


def _build_transpose(m: MapContext, op: linear.BuildTransposeOp, x: Patterns, image: Image) -> Patterns:
    """The leading axes of the argument are batch axes of the maps, which are summed over."""
    inside = _at(m, op.body, m.scope.indices(op.space), op.space)
    rank, count = len(m.batch), len(op.space)

    def sum_of(p: Pattern) -> Pattern:
        kept = {d: d - count * (d >= rank) for d in range(len(p.shape)) if not rank <= d < rank + count}
        return moved(p, (*p.shape[:rank], *p.shape[rank + count :]), kept)

    return mapped(image(inside, yields(op.body)[0], x), sum_of)


def with_batch_axes(x: Pattern, rank: int, extents: tuple[int, ...]) -> Pattern:
    """A pattern with `rank` batch axes repeated along further batch axes."""
    shape = x.shape
    kept = {d: d + len(extents) * (d >= rank) for d in range(len(shape))}
    return moved(x, (*shape[:rank], *extents, *shape[rank:]), kept)


def _rule(m: MapContext, op: linear.RuleOp, x: Patterns, image: Image) -> Patterns:
    """Code that need not be linear is applied to one basis vector at a time: everything depends on all."""
    return everything(m.batch, x, op.domain, op.codomain)


CONTROL_PATTERNS: dict[type[linear.MapOp], Callable[[MapContext, Any, Patterns, Image], Patterns]] = {
    linear.ScanOp: _scan,
    linear.WhileOp: _while,
    linear.IfOp: _if,
    linear.SwitchOp: _switch,
    linear.CheckpointOp: _checkpoint,
    linear.BuildOp: _build,
    linear.BuildTransposeOp: _build_transpose,
    linear.RuleOp: _rule,
}
"""The effect on patterns of every map whose regions make maps."""
