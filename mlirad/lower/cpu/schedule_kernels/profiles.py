"""The profile of a nest for scheduling: its loads with their strides, and the cost of its scalar ops.

    %a = kernel.load %x[%i, %r]          coefficients ((1, 0), (0, 1)) over the loops (i, r)
         of a row-major 100 x 8 buffer   strides (8, 1)

Everything later passes of this package decide follows from a profile. It is read once per nest, in one walk
over the body.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cache
from math import prod
from typing import TypeAlias

from xdsl.ir import Block, Operation

from mlirad.dialects.array.control import ReplayOp, ScanOp, WhileOp
from mlirad.dialects.array.elementwise import SpecialOp
from mlirad.dialects.array.special_functions import NATIVE
from mlirad.dialects.array.structural import ConstantOp, SizeOp
from mlirad.dialects.extents import nominal
from mlirad.dialects.kernel import LoadIfOp, LoadOp, NestOp, ScatterOp
from mlirad.dialects.kernel.nests import loop_strides
from mlirad.dialects.kernel.strips import StripsOp
from mlirad.dialects.shapes import Shape, Value, element_of, is_float, shape_of, values_of
from mlirad.ir.affine import AffineForms
from mlirad.ir.builder import yields
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.large_sizes import nominal_of, nominal_shape
from mlirad.lower.llvm.text.polling import ASSUMED_ITERATIONS
from mlirad.lower.machine import element_bytes, op_cost

Layouts: TypeAlias = Mapping[Value, Shape]
"""The storage order of the buffers that are not row-major, dimensions from outermost to innermost."""


@cache
def row_major(rank: int) -> Shape:
    """The row-major storage order."""
    return tuple(range(rank))


@cache
def buffer_strides(shape: Shape, layout: Shape) -> Shape:
    """The distance in elements between neighbours along each dimension of a buffer stored in `layout`."""
    strides = [0] * len(shape)
    step = 1
    for d in reversed(layout):
        strides[d] = step
        step *= shape[d]
    return tuple(strides)


def result_strides(op: NestOp, root: Value, layouts: Layouts) -> Shape:
    """Return how far a step of each loop of the output space moves in a result, in elements."""
    shape = nominal_shape(root)
    return loop_strides(
        nominal_of(values_of(op.space)), shape, buffer_strides(shape, layout_of(root, layouts))
    )


def layout_of(buffer: Value, layouts: Layouts) -> Shape:
    """The storage order of a buffer."""
    found = layouts.get(buffer)
    return row_major(len(shape_of(buffer))) if found is None else found


@dataclass(frozen=True, slots=True)
class Position:
    """A position: its coefficient at each loop and, as a bit set, the loops that its opaque part reads."""

    coefficients: Shape
    opaque: int

    def varies(self, loop: int) -> bool:
        """Return whether the position depends on a loop."""
        return self.coefficients[loop] != 0 or bool(self.opaque >> loop & 1)


@dataclass(frozen=True, slots=True)
class Load:
    """A load of a body: from which buffer, where in each dimension.

    As bit sets, `loops` are the loops that the address depends on, `opaque` those of them that enter in no
    affine way.
    """

    op: LoadOp | LoadIfOp
    buffer: Value
    positions: tuple[Position, ...]
    loops: int
    opaque: int

    @staticmethod
    def at(op: LoadOp | LoadIfOp, positions: tuple[Position, ...]) -> Load:
        """The load `op`, whose positions are known."""
        loops = opaque = 0
        for p in positions:
            opaque |= p.opaque
            for x, c in enumerate(p.coefficients):
                if c:
                    loops |= 1 << x
        return Load(op, op.buffer, positions, loops | opaque, opaque)

    def strides(self, layouts: Layouts) -> tuple[int | None, ...]:
        """Per loop, the distance in elements between neighbouring iterations; `None` where it is unknown.

        Empty for a scalar.
        """
        if not self.positions:
            return ()
        steps = buffer_strides(nominal_shape(self.buffer), layout_of(self.buffer, layouts))
        total = [0] * len(self.positions[0].coefficients)
        for p, step in zip(self.positions, steps, strict=True):
            for x, c in enumerate(p.coefficients):
                if c:
                    total[x] += c * step
        if not self.opaque:
            return tuple(total)
        return tuple(None if self.opaque >> x & 1 else s for x, s in enumerate(total))

    def varies(self, loop: int) -> bool:
        """Return whether the address depends on a loop."""
        return bool(self.loops >> loop & 1)

    def dimension(self, loop: int) -> int | None:
        """The one dimension that a loop walks along with step 1 or -1, if there is exactly one."""
        found = [d for d, p in enumerate(self.positions) if p.varies(loop)]
        if len(found) != 1:
            return None
        p = self.positions[found[0]]
        return found[0] if not p.opaque >> loop & 1 and abs(p.coefficients[loop]) == 1 else None


@dataclass(slots=True)
class Profile:
    """The loads and the cost of the body of one nest or scatter.

    `op_costs` gives the cycles of a vector of lanes by the set (as bits) of loops that the ops depend on;
    `scalar_cost` is that of all ops in a single lane. Ops that only compute affine positions cost nothing.
    `finds_position` says that a result is a position (argmax, argmin), `calls_library` that a function of
    SciPy computes all lanes in one call. `writes` are the positions that a scatter writes to, with the loops
    of its guard in `guard`. `times` is how often loops around the nest run it, `repeats` how often while a
    buffer made outside of them stays the same.
    """

    extents: Shape
    rank: int
    lanes: int
    element_bytes: int
    loads: list[Load] = field(default_factory=list[Load])
    op_costs: dict[int, float] = field(default_factory=dict[int, float])
    scalar_cost: float = 0.0
    op_count: int = 0
    finds_position: bool = False
    calls_library: bool = False
    writes: list[Position] = field(default_factory=list[Position])
    guard: int = 0
    times: int = 1
    repeats: dict[Value, int] = field(default_factory=dict[Value, int])

    def runs(self, buffer: Value) -> int:
        """Return how often the body runs while a buffer keeps its content."""
        return self.iterations * self.repeats.get(buffer, 1)

    @property
    def iterations(self) -> int:
        """Return how often the body runs."""
        return prod(self.extents)

    @property
    def reductions(self) -> int:
        """Return how many iterations of the reduction loops make one output element."""
        return prod(self.extents[self.rank :])

    @property
    def reduction_bits(self) -> int:
        """The reduction loops as a bit set."""
        return (1 << len(self.extents)) - (1 << self.rank)

    def per_iteration(self, bits: int) -> float:
        """Return how often code that depends on these loops runs per iteration: hoisted once per output, or
        once.
        """
        if not bits:
            return 1.0 / max(1, self.iterations)
        reduced = self.reduction_bits
        return 1.0 if not reduced or bits & reduced else 1.0 / max(1, self.reductions)


def profile(op: NestOp | ScatterOp, vector_bytes: int) -> Profile:
    """Read the body of a nest or scatter, for vectors of `vector_bytes` bytes."""
    block = op.regions[0].block
    rank = len(op.extents) if isinstance(op, ScatterOp) else len(values_of(op.space))
    results = yields(op.regions[0])
    writes: Sequence[Value] = ()
    guards: Sequence[Value] = ()
    if isinstance(op, ScatterOp):
        count = len(shape_of(op.result))
        results, writes, guards = results[:1], results[1 : 1 + count], results[1 + count :]
    size = _element_bytes(op, results)
    p = Profile(nominal_of(op.extents), rank, max(1, vector_bytes // max(size, 4)), size)
    if isinstance(op, NestOp) and op.combiners is not None:
        p.finds_position = any(c.data.startswith("arg") for c in op.combiners.data)
    _BodyReader(block, p).read(results, writes, guards)
    _count_iterations(op, p)
    return p


def _count_iterations(op: Operation, p: Profile) -> None:
    """Count the iterations of the loops around an op, and of those that an input is made outside of."""
    around = op.parent
    while around is not None:
        for value in op.operands:
            if value.owner is around or (isinstance(value.owner, Operation) and value.owner.parent is around):
                p.repeats[value] = p.times
        loop = around.parent_op()
        if isinstance(loop, ScanOp | StripsOp):
            p.times *= max(1, nominal(loop.iterations))
        elif isinstance(loop, WhileOp | ReplayOp):
            p.times *= ASSUMED_ITERATIONS
        around = None if loop is None else loop.parent


def _element_bytes(op: Operation, results: Iterable[Value]) -> int:
    """The size of the floats a body works on, else of what it yields."""
    inputs = [element_of(v) for v in op.operands]
    results = list(results)
    floats = [element_bytes(e) for e in (*inputs, *map(element_of, results)) if is_float(e)]
    return max(floats or [element_bytes(element_of(v)) for v in results])


class _BodyReader:
    """One walk forward for what values depend on, one backward for what is computed rather than addressed."""

    def __init__(self, block: Block, p: Profile):
        self.p = p
        self.block = block
        self.forms = AffineForms()
        self.loops: dict[Value, int] = {arg: x for x, arg in enumerate(block.args)}
        self.bits: dict[Value, int] = {arg: 1 << x for arg, x in self.loops.items()}

    def read(self, results: Sequence[Value], writes: Sequence[Value], guards: Sequence[Value]) -> None:
        """Fill the profile from what the body yields and the positions it writes to."""
        ops = list(self.block.ops)[:-1]
        for op in ops:
            bits = 0
            for operand in op.operands:
                bits |= self.bits.get(operand, 0)
            self.bits[op.results[0]] = bits
        needed = {*results, *guards}
        self.p.writes = [self._position(w, needed) for w in writes]
        for guard in guards:
            self.p.guard |= self.bits.get(guard, 0)
        for op in reversed(ops):
            if op.results[0] not in needed:
                continue
            if isinstance(op, LoadOp | LoadIfOp):
                if isinstance(op, LoadIfOp):
                    needed.add(op.guard)
                positions = tuple(self._position(v, needed) for v in op.positions)
                self.p.loads.append(Load.at(op, positions))
            else:
                needed.update(op.operands)
                self._count(op)
        self.p.loads.reverse()

    def _count(self, op: Operation) -> None:
        if isinstance(op, ConstantOp | SizeOp):
            return
        p, bits = self.p, self.bits[op.results[0]]
        p.op_costs[bits] = p.op_costs.get(bits, 0.0) + op_cost(op, p.lanes)
        p.scalar_cost += op_cost(op, 1) * p.per_iteration(bits)
        p.op_count += 1
        p.calls_library |= isinstance(op, SpecialOp) and op.function.data not in NATIVE

    def _position(self, value: Value, needed: set[Value]) -> Position:
        """A position read as an affine form; the opaque values in it have to be computed."""
        count = len(self.p.extents)
        loop = self.loops.get(value)
        if loop is not None:
            return _unit(count, loop)
        coefficients = [0] * count
        opaque = 0
        for variable, coefficient in self.forms.of(value).terms:
            loop = self.loops.get(variable)
            if loop is not None:
                coefficients[loop] = coefficient
            else:
                opaque |= self.bits.get(variable, 0)
                needed.add(variable)
        return Position(tuple(coefficients), opaque)


_UNITS: dict[tuple[int, int], Position] = {}


def _unit(count: int, loop: int) -> Position:
    """The position that is one loop index itself. Interned."""
    found = _UNITS.get((count, loop))
    if found is None:
        found = _UNITS[count, loop] = Position(tuple(int(x == loop) for x in range(count)), 0)
    return found
