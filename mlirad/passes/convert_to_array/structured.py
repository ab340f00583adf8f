"""Structured ops of `linalg`: a body at every position of an iteration space, whose operands maps address.

    linalg.generic, add of mul over (m k, k n -> m n)  ->  array.dot
    linalg.generic, any elementwise body               ->  its ops on arrays over the space
    linalg.generic, any other body                     ->  array.build over the space
    a result that lacks dimensions of the space        ->  array.sum or array.reduce, added to what it starts
                                                           from; a loop where the body combines otherwise

Iterator types are not needed: along a dimension that a result has, its elements differ; along one that it
lacks, they are combined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.ir import Block, BlockArgument, Operation
from xdsl.ir.affine import AffineConstantExpr, AffineMap

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Shape, Value, element_of, is_boolean, is_float, shape_of
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.foreign import name_of_op
from mlirad.ir.free_values import own_operands
from mlirad.passes.convert_to_array.affine_maps import (
    AFFINE,
    affine_value,
    dimension_of,
    iteration_space,
    maps_of,
    used_dims,
)
from mlirad.passes.convert_to_array.combiners import COMBINERS
from mlirad.passes.convert_to_array.conversion import Conversion
from mlirad.passes.convert_to_array.conversions import ELEMENTWISE
from mlirad.passes.convert_to_array.named_ops import has_accumulators, input_count, maps_of_named
from mlirad.passes.convert_to_array.source_ops import (
    attribute,
    body_of,
    integer,
    language_type,
    operands,
    refusal,
    segments,
    terminator,
)

_LANE_OPS = frozenset((*ELEMENTWISE, *AFFINE, "linalg.index"))
"""Ops of bodies that are computed for all positions at once."""


def convert_structured(c: Conversion, op: Operation) -> list[Value]:
    """A generic op, or one with a name that is known to be one."""
    name = name_of_op(op).removeprefix("linalg.")
    if name == "generic":
        inputs, outputs = segments(op, 2)
        maps = maps_of(op, attribute(op, "indexing_maps"), len(own_operands(op)))
    else:
        named = maps_of_named(op, name)
        if named is None:
            raise refusal(
                op, "has no form in the array dialect", "run mlir-opt --linalg-generalize-named-ops"
            )
        maps = named
        if len(maps) != len(own_operands(op)):
            raise refusal(op, f"takes {len(maps)} operands, got {len(own_operands(op))}")
        count = input_count(op, name)
        inputs, outputs = list(own_operands(op)[:count]), list(own_operands(op)[count:])
    if len(op.results) != len(outputs):
        raise refusal(op, f"has {len(outputs)} outputs and {len(op.results)} results", "compute on tensors")
    return _Structured(c, op, maps, c.values(inputs), c.values(outputs)).results()


class _Structured:
    """The parts of one op."""

    def __init__(
        self,
        c: Conversion,
        op: Operation,
        maps: Sequence[AffineMap],
        inputs: Sequence[Value],
        outputs: Sequence[Value],
    ):
        self.c, self.op, self.b = c, op, c.b
        self.inputs = list(inputs)
        self.input_maps = list(maps[: len(inputs)])
        self.block = body_of(op)
        self.yielded = own_operands(terminator(op, self.block, "linalg.yield"))
        self.space = iteration_space(op, maps, [shape_of(v) for v in (*inputs, *outputs)])
        self.output_maps = list(maps[len(inputs) :])
        self.accumulated = has_accumulators(op, len(inputs))
        expected = len(inputs) + len(outputs) * self.accumulated
        if len(self.block.args) != expected or len(self.yielded) != len(outputs):
            raise refusal(op, f"its body takes {len(self.block.args)} and yields {len(self.yielded)} values")
        self._check_elements([*inputs, *outputs], outputs)
        self.kept = [self._kept(map_) for map_ in self.output_maps]
        self.starts = [self._start(v, k) for k, v in enumerate(outputs)]
        self.is_elementwise = all(
            name_of_op(inner) in _LANE_OPS for inner in self.block.ops if inner is not self.block.last_op
        )

    def results(self) -> list[Value]:
        """The results, each in the order of dimensions that its map says."""
        made: list[Value | None] = [self._direct(k) for k in range(len(self.yielded))]
        if any(value is None for value in made):
            if any(kept != self.kept[0] for kept in self.kept):
                raise refusal(self.op, "its results depend on each other and have different indexing maps")
            made = list(self._loop())
        return [self._placed(value, k) for k, value in enumerate(made) if value is not None]

    def _check_elements(self, operands: Sequence[Value], outputs: Sequence[Value]) -> None:
        """Require a body on elements of the operands that yields elements of the outputs."""
        given = [element_of(v) for v in operands][: len(self.block.args)]
        taken = [language_type(a.type, self.op) for a in self.block.args]
        made = [language_type(v.type, self.op) for v in self.yielded]
        for stated, found, verb in ((taken, given, "takes"), (made, map(element_of, outputs), "yields")):
            for k, (one, other) in enumerate(zip(stated, found, strict=True)):
                if one != other:
                    raise refusal(self.op, f"its body {verb} {one} in place {k}, the operand holds {other}")

    # Outputs -------------------------------------------------------------------------------------

    def _kept(self, map_: AffineMap) -> list[int]:
        """The dimensions of the space that a result has, in the order of the space."""
        dims = [dimension_of(expression) for expression in map_.results]
        found = [d for d in dims if d is not None]
        zeros = all(
            d is not None or (isinstance(e, AffineConstantExpr) and e.value == 0)
            for d, e in zip(dims, map_.results, strict=True)
        )
        if not zeros or len(set(found)) != len(found):
            raise refusal(self.op, f"the indexing map {map_} of a result is not a projection of dimensions")
        return sorted(found)

    def _order(self, k: int) -> list[int]:
        """Return where each dimension of result k, except those of extent 1, stands among those it keeps."""
        dims = [dimension_of(expression) for expression in self.output_maps[k].results]
        return [self.kept[k].index(d) for d in dims if d is not None]

    def _start(self, output: Value, k: int) -> Value:
        """Return what result k starts from, its dimensions in the order of the space."""
        order = self._order(k)
        shape = tuple(self.space[self.kept[k][p]] for p in order)
        start = self.b.reshape(output, shape)
        return self.b.transpose(start, [order.index(d) for d in range(len(order))])

    def _placed(self, value: Value, k: int) -> Value:
        """A result from one with its dimensions in the order of the space."""
        order = self._order(k)
        return self.b.reshape(self.b.transpose(value, order), shape_of(self.op.results[k].type))

    # Values ----------------------------------------------------------------------------------------

    def _accumulator(self, k: int) -> BlockArgument | None:
        return self.block.args[len(self.inputs) + k] if self.accumulated else None

    def _reads_accumulators(self, value: Value, but: Operation | None) -> bool:
        """Return whether a yielded value depends on what results start from, but by the op that combines."""
        accumulators = {self._accumulator(k) for k in range(len(self.starts))}
        pending, seen = [value], set[Value]()
        while pending:
            current = pending.pop()
            if current in seen:
                continue
            seen.add(current)
            if isinstance(current, BlockArgument):
                if current in accumulators:
                    return True
                continue
            owner = current.owner
            if isinstance(owner, Operation) and owner is not but and _inside(owner, self.block):
                pending += own_operands(owner)
                pending += (v for inner in owner.walk() for v in own_operands(inner))
        return False

    def _direct(self, k: int) -> Value | None:
        """Result k without a loop, if it keeps all dimensions or its elements are combined as is known."""
        value = self.yielded[k]
        missing = [d for d in range(len(self.space)) if d not in self.kept[k]]
        if not missing:
            return self._at_all_positions(value, None)
        combining = value.owner
        accumulator = self._accumulator(k)
        if not isinstance(combining, Operation) or combining.parent is not self.block:
            # The last position wins.
            return None if self._reads_accumulators(value, None) else self._last(value, missing)
        combiner = COMBINERS.get(name_of_op(combining))
        if combiner is None or accumulator is None or accumulator not in own_operands(combining):
            return None
        term = own_operands(combining)[1 if own_operands(combining)[0] is accumulator else 0]
        swapped = own_operands(combining)[0] is not accumulator and not combiner.commutes
        if swapped or self._reads_accumulators(term, None):
            return None
        if is_boolean(self.starts[k]) and name_of_op(combining) not in ("arith.andi", "arith.ori"):
            return None
        every = self._at_all_positions(term, combining)
        reduced = combiner.reduce(self.b, every, missing)
        start = self.starts[k]
        if is_float(start) and combiner.neutral is not None and self.b.scalar_of(start) == combiner.neutral:
            return reduced
        return combiner.combine(self.b, start, reduced)

    def _last(self, value: Value, missing: Sequence[int]) -> Value:
        every = self._at_all_positions(value, None)
        extents = shape_of(every)
        starts = [extents[d] - 1 if d in missing else 0 for d in range(len(extents))]
        return self.b.reshape(
            self.b.slice(every, starts, extents, [1] * len(extents)),
            [extents[d] for d in range(len(extents)) if d not in missing],
        )

    def _at_all_positions(self, value: Value, leave: Operation | None) -> Value:
        """A value of the body at all positions of the space."""
        b, c, outer = self.b, self.c, self.c.positions
        try:
            if self.is_elementwise:
                c.positions = [b.iota(self.space, d) for d in range(len(self.space))] or [b.index_constant(0)]
                arguments = [
                    self._everywhere(x, m) for x, m in zip(self.inputs, self.input_maps, strict=True)
                ]
                if self.accumulated:
                    arguments += [
                        b.broadcast(start, self.space, kept)
                        for start, kept in zip(self.starts, self.kept, strict=True)
                    ]
                c.inline(self.block, arguments, leave)
                (every,) = c.values([value])
                return every if shape_of(every) or not self.space else b.broadcast(every, self.space, ())

            def body(*positions: Value) -> Value:
                return self._at(positions, self.starts, [value], leave)[0]

            return b.build(self.space, body) if self.space else body()
        finally:
            c.positions = outer

    def _everywhere(self, x: Value, map_: AffineMap) -> Value:
        """An input at all positions of the space."""
        dims = [dimension_of(expression) for expression in map_.results]
        known = [d for d in dims if d is not None]
        if len(known) == len(dims) and len(set(known)) == len(known):
            return self.b.broadcast(x, self.space, known)
        used = used_dims(map_)

        def positions(*indices: Value) -> list[Value]:
            at = dict(zip(used, indices, strict=True))
            every = [at.get(d, self.b.index_constant(0)) for d in range(len(self.space))]
            return [affine_value(self.b, expression, every) for expression in map_.results]

        if not used:
            return self.b.broadcast(self.b.index(x, positions()), self.space, ())
        gathered = self.b.gather(x, [self.space[d] for d in used], positions)
        return self.b.broadcast(gathered, self.space, used)

    def _at(
        self,
        positions: Sequence[Value],
        starts: Sequence[Value],
        values: Sequence[Value],
        leave: Operation | None = None,
    ) -> list[Value]:
        """Values of the body at one position of the space."""
        b, c = self.b, self.c
        c.positions = positions
        arguments = [
            b.index(x, [affine_value(b, expression, positions) for expression in map_.results])
            for x, map_ in zip(self.inputs, self.input_maps, strict=True)
        ]
        if self.accumulated:
            arguments += [
                b.index(start, [positions[d] for d in kept])
                for start, kept in zip(starts, self.kept, strict=True)
            ]
        c.inline(self.block, arguments, leave)
        return c.values(values)

    def _loop(self) -> list[Value]:
        """All results by a loop over the positions that they lack."""
        b, c, outer = self.b, self.c, self.c.positions
        kept = self.kept[0]
        missing = [d for d in range(len(self.space)) if d not in kept]
        extents = [self.space[d] for d in missing]

        def iteration(index: Value, carries: list[Value], _: list[Value]) -> tuple[list[Value], list[Value]]:
            looped = dict(zip(missing, unravelled(b, index, extents), strict=True))

            def at(*positions: Value, values: Sequence[Value]) -> list[Value]:
                placed = {**looped, **dict(zip(kept, positions, strict=True))}
                return self._at([placed[d] for d in range(len(self.space))], carries, values)

            def element(value: Value) -> Callable[..., Value]:
                return lambda *positions: at(*positions, values=[value])[0]

            shape = [self.space[d] for d in kept]
            if not shape:
                return at(values=self.yielded), []
            return [b.build(shape, element(value)) for value in self.yielded], []

        try:
            return b.scan(self.starts, [], prod(extents), iteration)[0]
        finally:
            c.positions = outer


def unravelled(b: ArrayBuilder, index: Value, extents: Shape | list[int]) -> list[Value]:
    """The positions along several dimensions of number `index` of all, the last running fastest."""
    positions: list[Value] = []
    for k, extent in reversed(list(enumerate(extents))):
        size = b.index_constant(extent)
        positions.append(b.binary(ew.RemOp, index, size) if k else index)
        index = b.binary(ew.FloorDivOp, index, size) if k else index
    return positions[::-1]


def _inside(op: Operation, block: Block) -> bool:
    around: Block | None = op.parent
    while around is not None and around is not block:
        outer = around.parent_op()
        around = None if outer is None else outer.parent
    return around is block


def convert_index(c: Conversion, op: Operation) -> list[Value]:
    """The position along a dimension of the iteration space."""
    operands(op, 0)
    number = integer(op, "dim")
    if not 0 <= number < len(c.positions):
        raise refusal(op, f"names dimension {number} of {len(c.positions)}")
    return [c.positions[number]]
