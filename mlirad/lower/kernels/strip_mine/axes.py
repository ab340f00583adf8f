"""Axes: the loops and dimensions of one extent that are the same rows, or may be.

    %y = nest (i, j): x[i, j]          i, dimension 0 of y, k and dimension 0 of z are one axis,
    %z = nest (k, l): y[k, l] * 2      j, dimension 1 of y, l and dimension 1 of z another

Strips cut one axis. The extent tells it apart from others unless an array is square: then loops and
dimensions are joined through what the ops of a block pass to each other. Arrays from outside of the block
join nothing, as kernels may read them anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from xdsl.ir import BlockArgument, Operation

from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.kernel import LoadIfOp, LoadOp, NestOp, ScatterOp
from mlirad.dialects.kernel.nests import ScheduledOp
from mlirad.dialects.shapes import Value, is_array, shape_of, values_of
from mlirad.ir.builder import yields

MOST_AXES = 8
"""If there are more axes of one extent, they count as one: each is tried as the rows of strips."""

Place: TypeAlias = tuple[Operation | Value, int]
"""A loop of a kernel, or a dimension of a value, by its number."""


class Axis:
    """The loops and dimensions of an extent that may be rows: all of them, or those of one axis."""

    def __init__(self, extent: int, places: set[Place] | None = None):
        self.extent = extent
        self._places = places

    def loops(self, op: ScheduledOp) -> list[int]:
        """The loops of a kernel that are of this axis."""
        return [x for x, e in enumerate(op.extents) if e == self.extent and self._has((op, x))]

    def dims(self, value: Value) -> list[int]:
        """The dimensions of a value that are of this axis."""
        return [d for d, e in enumerate(shape_of(value)) if e == self.extent and self._has((value, d))]

    def _has(self, place: Place) -> bool:
        return self._places is None or place in self._places


def kernels_of(ops: Iterable[Operation]) -> Iterator[NestOp | ScatterOp]:
    """The kernels that may join strips: those of a block, and of its scans."""
    for op in ops:
        if isinstance(op, NestOp | ScatterOp):
            yield op
        elif isinstance(op, ScanOp):
            yield from kernels_of(op.body.block.ops)


def axes(ops: Iterable[Operation], kernels: Sequence[NestOp | ScatterOp], extent: int) -> Iterator[Axis]:
    """The axes of an extent among the ops of a block: one, unless a kernel has several loops of it."""
    if all(op.extents.count(extent) < 2 for op in kernels):
        return iter((Axis(extent),))
    found = _Joined(ops, extent).of_loops(kernels)
    return iter([Axis(extent, places) for places in found] if len(found) <= MOST_AXES else [Axis(extent)])


def _are_shared(places: set[Place]) -> bool:
    """Return whether loops of several kernels are among places, or what a loop carries or takes slices of."""
    kernels = {where for where, _ in places if isinstance(where, Operation)}
    return len(kernels) > 1 or any(isinstance(where, BlockArgument) for where, _ in places)


class _Joined:
    """Sets of places that are joined by what ops pass to each other."""

    def __init__(self, ops: Iterable[Operation], extent: int):
        self._extent = extent
        self._sets: dict[Place, set[Place]] = {}
        self._own: set[Value] = set()
        self._note_own(ops)
        for op in ops:
            self._join_by(op)

    def of_loops(self, kernels: Iterable[ScheduledOp]) -> list[set[Place]]:
        """The sets by which kernels share something, with each other or with another iteration of a loop."""
        found: dict[int, set[Place]] = {}
        for op in kernels:
            for x, e in enumerate(op.extents):
                if e == self._extent:
                    places = self._set((op, x))
                    found[id(places)] = places
        return [places for places in found.values() if _are_shared(places)]

    def _note_own(self, ops: Iterable[Operation]) -> None:
        for op in ops:
            self._own.update(op.results)
            if isinstance(op, ScanOp):
                self._own.update(op.body.block.args)
                self._note_own(op.body.block.ops)

    def _set(self, place: Place) -> set[Place]:
        return self._sets.setdefault(place, {place})

    def _join(self, a: Place, b: Place) -> None:
        first, second = self._set(a), self._set(b)
        if first is second:
            return
        small, large = sorted((first, second), key=len)
        large |= small
        self._sets.update(dict.fromkeys(small, large))

    def _join_dim(self, value: Value, d: int, other: Place) -> None:
        if value in self._own and is_array(value.type) and shape_of(value)[d] == self._extent:
            self._join((value, d), other)

    def _join_dims(self, a: Value, b: Value, shift: int = 0) -> None:
        """Join each dimension of a with that of b which comes a given number later."""
        if is_array(a.type):
            for d in range(len(shape_of(a))):
                self._join_dim(b, d + shift, (a, d))

    def _join_by(self, op: Operation) -> None:
        match op:
            case NestOp():
                self._join_loads(op)
                for root in op.roots:
                    for x in range(min(len(values_of(op.space)), len(shape_of(root)))):
                        self._join_dim(root, x, (op, x))
            case ScatterOp():
                self._join_loads(op)
                if op.from_zero is None:
                    self._join_dims(op.inputs[0], op.result)
                for d, position in enumerate(yields(op.body)[1 : 1 + len(shape_of(op.result))]):
                    if isinstance(position, BlockArgument):
                        self._join_dim(op.result, d, (op, position.index))
            case ScanOp():
                self._join_scan(op)
            case _:
                pass

    def _join_loads(self, op: ScheduledOp) -> None:
        for load in op.regions[0].block.ops:
            if isinstance(load, LoadOp | LoadIfOp):
                for d, position in enumerate(load.positions):
                    if isinstance(position, BlockArgument):
                        self._join_dim(load.buffer, d, (op, position.index))

    def _join_scan(self, op: ScanOp) -> None:
        block, count = op.body.block, op.carry_count
        made = yields(op.body)
        for carry, init, value, final in zip(
            block.args[1 : 1 + count], op.init, made[:count], op.final, strict=True
        ):
            for other in (init, value, final):
                self._join_dims(carry, other)
        for piece, whole in zip(block.args[1 + count :], op.xs, strict=True):
            self._join_dims(piece, whole, 1)
        for value, stacked in zip(made[count:], op.stacked, strict=True):
            self._join_dims(value, stacked, 1)
        for inner in block.ops:
            self._join_by(inner)
