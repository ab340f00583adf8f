"""Folding constructors of ops that read or write at computed positions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, Region

from mlirad.dialects.array.indexing import BuildOp, GatherOp, IndexOp, ScatterOp, UpdateOp
from mlirad.dialects.array.structural import BroadcastOp, IotaOp, StackOp
from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import Shape, Value, array_type, element_of, keyword, shape_of, values_of
from mlirad.ir.builder import yields
from mlirad.ir.elementwise import ElementwiseBuilder
from mlirad.ir.regions import discard

Positions = Callable[..., Iterable[Value]]


class IndexingBuilder(ElementwiseBuilder):
    """Constructors of `index`, `gather`, `scatter`, `update` and `build`."""

    def index(self, x: Value, positions: Sequence[Value]) -> Value:
        """The sub-array at leading positions, each clamped to its dimension."""
        if not positions:
            return x
        shape = shape_of(x)
        rest = array_type(shape[len(positions) :], element_of(x))
        owner = x.owner
        if 0 in shape[: len(positions)]:
            return self.zeros(rest)
        scalar = self.scalar_of(x)
        if scalar is not None:
            return self.splat(scalar, rest)
        if isinstance(owner, IndexOp):
            return self.index(owner.operand, [*owner.positions, *positions])
        if isinstance(owner, IotaOp):
            return self.clamp(positions[0], shape[0])
        if isinstance(owner, BroadcastOp):
            folded = self._index_of_broadcast(owner, positions)
            if folded is not None:
                return folded
        constants = [self.scalar_of(p) for p in positions]
        if isinstance(owner, StackOp) and owner.dim.value.data == 0 and constants[0] is not None:
            part = owner.parts[min(max(int(constants[0]), 0), shape[0] - 1)]
            return self.index(part, positions[1:])
        literal = self.literal_of(x)
        if literal is not None and all(c is not None for c in constants):
            clamped = [
                min(max(int(c), 0), e - 1) for c, e in zip(constants, shape, strict=False) if c is not None
            ]
            return self.constant(literal[tuple(clamped)], element_of(x))
        return self.emit(IndexOp, (x, *positions), rest)

    def _index_of_broadcast(self, owner: BroadcastOp, positions: Sequence[Value]) -> Value | None:
        """`index(broadcast x)[p] -> broadcast(index x [those of p that x has])`, when these lead in x."""
        dims, count = values_of(owner.dims), len(positions)
        taken = [d for d in dims if d < count]
        if any(d < count for d in dims[len(taken) :]):
            return None
        inner = self.index(owner.operand, [positions[d] for d in taken])
        shape = shape_of(owner.result)[count:]
        return self.broadcast(inner, shape, [d - count for d in dims[len(taken) :]])

    def gather(self, x: Value, extents: Sequence[int], positions: Positions | Region) -> Value:
        """`out[i..., rest...] = x[positions(i...)..., rest...]` over the given leading extents."""
        extents = tuple(extents)
        region = self._positions(extents, positions)
        targets = yields(region)
        rest = shape_of(x)[len(targets) :]
        scalar = self.scalar_of(x)
        type_ = array_type((*extents, *rest), element_of(x))
        if scalar is not None and 0 not in shape_of(x):
            discard(region)
            return self.splat(scalar, type_)
        dims = self._selected_arguments(region, extents, shape_of(x))
        if dims is not None:
            discard(region)
            rank = len(extents)
            return self.broadcast(x, (*extents, *rest), [*dims, *range(rank, rank + len(rest))])
        return self.emit(GatherOp, (x,), type_, None, (region,))

    def scatter(
        self, x: Value, arguments: int, extents: Sequence[int], positions: Positions | Region
    ) -> Value:
        """Zeros with `x[i..., rest...]` added at `positions(i...)`.

        The positions are functions of the `arguments` leading indices of x; `extents` are the leading extents
        of the result, one per position.
        """
        space, rest = shape_of(x)[:arguments], shape_of(x)[arguments:]
        region = self._positions(space, positions)
        shape = (*extents, *rest)
        if shape == shape_of(x) and yields(region) == list(region.block.args):
            discard(region)
            return x
        return self.emit(ScatterOp, (x,), array_type(shape, element_of(x)), None, (region,))

    def update(
        self, kind: str, base: Value, x: Value, arguments: int, positions: Positions | Region
    ) -> Value:
        """`base` with x added, or set, at positions that are functions of the leading indices of x."""
        region = self._positions(shape_of(x)[:arguments], positions)
        properties = {"kind": keyword(kind)}
        return self.emit(UpdateOp, (base, x), base.type, properties, (region,))

    def build(self, extents: Sequence[int], body: Callable[..., Value]) -> Value:
        """`out[i..., rest...] = body(i...)[rest...]`."""
        extents = tuple(extents)
        region = self.index_region(extents, lambda *i: [body(*i)])
        return self.build_from(extents, region)

    def build_from(self, extents: Shape, region: Region) -> Value:
        """A build with a finished region."""
        value = yields(region)[0]
        type_ = array_type((*extents, *shape_of(value)), element_of(value))
        return self.emit(BuildOp, (), type_, None, (region,))

    def guarded_index(self, x: Value, positions: Sequence[Value]) -> Value:
        """The interface's read: 0 where a position lies outside the array."""
        inside = self.inside(positions, shape_of(x))
        value = self.index(x, positions)
        return self.select(inside, value, self.zeros(value.type))

    def inside(self, positions: Sequence[Value], shape: Sequence[int]) -> Value:
        """Return whether all positions lie inside their dimensions; decided where intervals allow it."""
        result = self.splat(True, _boolean_like(positions[0]))
        for position, extent in zip(positions, shape, strict=False):
            known = self.scalar_of(position)
            if known is not None and is_static(extent) and 0 <= known < extent:
                continue
            low = self.compare("ge", position, self.splat(0, position.type))
            high = self.compare("lt", position, self.splat(extent, position.type))
            result = self.logical_and(result, self.logical_and(low, high))
        return result

    # Regions of positions ------------------------------------------------------------------------

    def _positions(self, extents: Shape, positions: Positions | Region) -> Region:
        if isinstance(positions, Region):
            return positions
        return self.index_region(extents, positions)

    def _selected_arguments(self, region: Region, extents: Shape, operand: Shape) -> list[int] | None:
        """For each position the region argument it is, if all are distinct arguments of equal extent."""
        arguments: list[Value] = list(region.block.args)
        dims: list[int] = []
        for k, target in enumerate(yields(region)):
            if target not in arguments:
                return None
            d = arguments.index(target)
            if d in dims or extents[d] != operand[k]:
                return None
            dims.append(d)
        return dims


def _boolean_like(position: Value) -> Attribute:
    return array_type(shape_of(position), i1)
