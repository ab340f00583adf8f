"""Printing a kernel body inside its loops: every value at the outermost level where it can be computed.

Loops have levels, 0 the outermost; level -1 is in front of them all. A value belongs to the level of the
innermost loop it depends on and is printed when that loop is opened, so loop-invariant code never stands in a
loop. The lane loop makes what depends on it vectors of `width` lanes.

Two loops may be unrolled: one by `tiles` copies and one by `unrolls`. A value has a copy per unrolled
iteration only if it depends on that loop; others are shared, which is what makes unroll-and-jam pay. In the
innermost loop a copy is printed as a whole when asked for: its values need registers until they are used.

Pointers are carried the same way: the part of an address that an outer loop moves is added when that loop is
opened, constants come last, and loads that differ in a constant share the pointer.
"""

from __future__ import annotations

from collections.abc import Container, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager

from xdsl.ir import Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.frames import NoFrameOp
from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.array.structural import ConstantOp, SizeOp
from mlirad.dialects.kernel import LoadIfOp, LoadOp
from mlirad.dialects.shapes import Value as Ssa
from mlirad.ir.locations import location_of
from mlirad.lower.bodies.access import Access, Spread
from mlirad.lower.bodies.body import Address, Body
from mlirad.lower.bodies.buffers import MemorySlot
from mlirad.lower.bodies.elementwise import emit_elementwise, kind_of, product
from mlirad.lower.bodies.lane_comparisons import compare_lanes, shared_limit
from mlirad.lower.bodies.nan_tests import without_nan_test
from mlirad.lower.llvm.text import IRBuilder, Value, constant, lanes

Part = tuple[int, list[tuple[Ssa | int, int]]]
"""The part of a pointer that one level adds: coefficients of its loop and of values computed there."""


class BodyCode:
    """Prints the values of one body. `order` is the loops from outermost to innermost, without extents of 1.

    `addresses` are those used outside loads (results), with the level where they are used. `pointers` are the
    function's parameters.
    """

    def __init__(
        self,
        f: IRBuilder,
        access: Access,
        body: Body,
        order: Sequence[int],
        roots: Sequence[Ssa],
        addresses: Sequence[tuple[Address, int]],
        pointers: dict[MemorySlot, Value],
        *,
        lane: int | None = None,
        tile: int | None = None,
        unroll: int | None = None,
    ):
        self.f = f
        self.access = access
        self.body = body
        self.order = order
        self.lane, self.tile, self.unroll = lane, tile, unroll
        self.width = self.tiles = self.unrolls = 1
        self.valid: Value | None = None
        """Lanes of the current block that are inside the loop; None for all of them."""
        self.pieced_lanes: int | None = None
        """The lanes that are loaded and stored in pieces; None elsewhere."""
        self.start: dict[int, Value] = dict.fromkeys(range(len(body.extents)), constant("i64", 0))
        self._truths: Mapping[Ssa, bool] = {}
        self._products: Container[Operation] = ()
        self._untested: dict[Operation, Ssa | None] = {}
        self._pointers = pointers
        self._place = f.place
        self._level = {d: k for k, d in enumerate(order)}
        self._values: dict[tuple[Ssa, int, int], Value] = {}
        self._partial: list[dict[tuple[Address, int, int], Value]] = [{} for _ in range(len(order) + 1)]
        self._ops: list[list[Operation]] = [[] for _ in range(len(order) + 1)]
        self._advanced: list[dict[Address, int]] = [{} for _ in range(len(order) + 1)]
        self._parts: dict[Address, list[Part]] = {}
        self._pointer_loops: dict[Address, frozenset[int]] = {}
        needed = body.needed(roots, [a for a, _ in addresses])
        for op in needed:
            level = self.level_of(body.dependences[op.results[0]])
            self._ops[level + 1].append(op)
            if op in body.addresses:
                self._plan_pointer(body.addresses[op].base, level)
        for address, level in addresses:
            self._plan_pointer(address.base, level)
        self._shared = self._shared_by_lanes(needed)
        self.opened(-1)

    def level_of(self, loops: frozenset[int]) -> int:
        """The level of a value that depends on these loops."""
        return max((self._level[d] for d in loops), default=-1)

    def computed(self, values: Sequence[Ssa]) -> list[Ssa]:
        """Those of the values that are computed in the innermost loop, each once."""
        here = {op.results[0] for op in self._ops[-1]}
        return [value for value in dict.fromkeys(values) if value in here]

    def _plan_pointer(self, base: Address, used: int) -> None:
        parts = self._parts.get(base)
        if parts is None:
            by_level: dict[int, list[tuple[Ssa | int, int]]] = {}
            for d, c in base.loops:
                by_level.setdefault(self._level[d], []).append((d, c))
            for value, c in base.values:
                if not self._is_vector(value):
                    by_level.setdefault(self.level_of(self.body.dependences[value]), []).append((value, c))
            parts = self._parts[base] = sorted(by_level.items())
            loops: frozenset[int] = frozenset()
            for value, _ in base.values:
                loops = loops | self.body.dependences[value]
            self._pointer_loops[base] = loops
        for k, (level, _) in enumerate(parts):
            if level < used:
                self._advanced[level + 1][base] = k

    def _shared_by_lanes(self, needed: Sequence[Operation]) -> list[list[Ssa]]:
        """The values of each level that are the same in all lanes, which ops of inner levels read in all."""
        dependences = self.body.dependences
        computed = {op.results[0] for op in needed}
        shared: list[dict[Ssa, None]] = [{} for _ in self._ops]
        for op in needed:
            if isinstance(op, LoadOp) or not self._is_vector(op.results[0]):
                continue
            inner = self.level_of(dependences[op.results[0]])
            for value in [op.guard] if isinstance(op, LoadIfOp) else op.operands:
                if value in computed and not self._is_vector(value):
                    level = self.level_of(dependences[value])
                    if level < inner:
                        shared[level + 1][value] = None
        return [list(values) for values in shared]

    def _is_vector(self, value: Ssa) -> bool:
        return self.lane is not None and self.lane in self.body.dependences[value]

    def opened(self, level: int) -> None:
        """Print what belongs to a level; call it first thing in the loop, after setting `start`."""
        partial = self._partial[level + 1] = {}
        for op in self._ops[level + 1]:
            for j, u in self.copies(self.body.dependences[op.results[0]]):
                self._values.pop((op.results[0], j, u), None)
        if level < len(self.order) - 1:
            for op in self._ops[level + 1]:
                for j, u in self.copies(self.body.dependences[op.results[0]]):
                    self._print(op, j, u)
            self.f.place = self._place
        for base, k in self._advanced[level + 1].items():
            for j, u in self.copies(self._pointer_loops[base]):
                partial[base, j, u] = self._through(base, k, j, u)
        if self.lane in self.order[: level + 1] and level < len(self.order) - 1:
            self._widen(level)

    def lanes_ahead(self, level: int, width: int) -> None:
        """In front of the loop of a level, if that is the lane loop: make vectors of what its lanes share."""
        if self.order[level] == self.lane:
            self.width = width
            for before in range(-1, level):
                self._widen(before)

    def _widen(self, level: int) -> None:
        """Make vectors of what a level has computed and lanes share, for the loops inside."""
        for value in self._shared[level + 1] if self.width > 1 else ():
            for j, u in self.copies(self.body.dependences[value]):
                self.f.widen(self.get(value, j, u), self.width)

    def _print(self, op: Operation, j: int, u: int) -> None:
        if self.f.globals.shows_places:
            self.f.place = location_of(op)
        self._values[op.results[0], j, u] = self._emit(op, j, u)

    def _print_copy(self, j: int, u: int) -> None:
        """Print what belongs to the innermost level and has not been printed, for one copy."""
        for op in self._ops[-1]:
            result = op.results[0]
            own = self._copy(result, j, u)
            if own not in self._values and result not in self._truths:
                self._print(op, own[1], own[2])
        self.f.place = self._place

    def _copy(self, value: Ssa, j: int, u: int) -> tuple[Ssa, int, int]:
        """The copy of a value that the copies j and u of the unrolled loops read."""
        loops = self.body.dependences[value]
        return value, j if self.tile in loops else 0, u if self.unroll in loops else 0

    def copies(self, loops: frozenset[int]) -> Iterator[tuple[int, int]]:
        """The copies of a value that depends on these loops."""
        for j in range(self.tiles if self.tile in loops else 1):
            for u in range(self.unrolls if self.unroll in loops else 1):
                yield j, u

    def set(self, value: Ssa, known: Value, j: int = 0, u: int = 0) -> None:
        """Say what a carry is in the iteration that is being printed, or what has been found of a value."""
        self._values[self._copy(value, j, u)] = known

    @contextmanager
    def assuming(self, truths: Mapping[Ssa, bool], products: Container[Operation]) -> Generator[None]:
        """Print values of the innermost level where these booleans are known and these absorbing products are
        plain, and forget them afterwards.
        """
        self._truths, self._products = truths, products
        yield
        self._truths, self._products = {}, ()
        for op in self._ops[-1]:
            for j in range(self.tiles):
                for u in range(self.unrolls):
                    self._values.pop(self._copy(op.results[0], j, u), None)

    def get(self, value: Ssa, j: int = 0, u: int = 0) -> Value:
        """A copy of a value of the body; loop indices are made where they are asked for."""
        loop = self.body.loop_of(value)
        if loop is not None:
            return self.index(loop, j, u)
        if value in self._truths:
            return constant("i1", self._truths[value])
        copy = self._copy(value, j, u)
        if copy not in self._values:
            self._print_copy(j, u)
        return self._values[copy]

    def index(self, loop: int, j: int = 0, u: int = 0) -> Value:
        """The index of a loop, a vector for the lane loop."""
        index = self.first(loop, j, u)
        if loop == self.lane and self.width > 1:
            index = self.f.add(index, lanes(self.width))
        return index

    def first(self, loop: int, j: int = 0, u: int = 0) -> Value:
        """The index of a loop in the first lane of a copy."""
        return self.f.add(self.start[loop], self._shift(loop, j, u))

    def block(self, loop: int) -> int:
        """Return how many iterations of a loop are computed at once, all but its unrolled copies."""
        return (self.width if loop == self.lane else 1) * (self.tiles if loop == self.tile else 1)

    def tiles_of(self, value: Ssa) -> int:
        """Return how many copies a value has in a tile."""
        return self.tiles if self.tile in self.body.dependences[value] else 1

    def _shift(self, loop: int, j: int, u: int) -> int:
        """Return how far a copy is from the start of its block of iterations."""
        shift = j if loop == self.tile else 0
        if loop == self.unroll:
            shift += u * (self.width if loop == self.lane else 1)
        return shift

    def _emit(self, op: Operation, j: int, u: int) -> Value:
        match op:
            case LoadOp():
                return self.load(self.body.addresses[op], j, u)
            case LoadIfOp():
                guard = self.get(op.guard, j, u)
                if guard.literal == 0:
                    return constant(kind_of(op.result), 0)
                return self.load(self.body.addresses[op], j, u, guard)
            case ConstantOp():
                return constant(kind_of(op.result), literal_array(op).item())
            case SizeOp():
                return self.f.value(op.extent.data, "i64")
            case NoFrameOp():
                return constant("i64", 0)
            case ew.CompareOp() if self.width > 1 and (limit := shared_limit(self.body, op, self.lane)):
                return self._compare_lanes(*limit, j, u)
            case ew.SelectOp() if (value := self._without_nan_test(op)) is not None:
                return self.get(value, j, u)
            case ew.AbsorbingMulOp() if op in self._products:
                return product(self.f, *(self.get(o, j, u) for o in op.operands))
            case _:
                return emit_elementwise(self.f, op, [self.get(o, j, u) for o in op.operands])

    def _without_nan_test(self, op: ew.SelectOp) -> Ssa | None:
        if op not in self._untested:
            self._untested[op] = without_nan_test(op)
        return self._untested[op]

    def _compare_lanes(self, predicate: str, limit: Ssa, j: int, u: int) -> Value:
        """The index of the lane loop compared with what lanes share."""
        assert self.lane is not None
        first, widest = self.first(self.lane, j, u), self.body.widest(self.lane)
        return compare_lanes(self.f, predicate, first, self.get(limit, j, u), self.width, widest)

    def load(self, address: Address, j: int = 0, u: int = 0, guard: Value | None = None) -> Value:
        """The elements at an address, 0 where a guard does not hold."""
        spread = self.spread(address, j, u)
        if (count := self._pieces(spread, guard)) is not None:
            return self.access.load_first(spread, count)
        return self.access.load(spread, self._guard(spread, guard))

    def store(self, value: Value, address: Address, j: int = 0, guard: Value | None = None) -> None:
        """Store at an address, where a guard holds."""
        spread = self.spread(address, j)
        if (count := self._pieces(spread, guard)) is not None:
            self.access.store_first(spread, value, count)
            return
        self.access.store(spread, value, self._guard(spread, guard))

    def store_square(self, values: Sequence[Value], address: Address) -> None:
        """Store what the copies of a tile have in all lanes, as many copies as lanes, where copies are
        neighbours in memory: the copies of each lane as a vector.
        """
        from mlirad.lower.bodies.transposition import transposed

        first, rows = self.spread(address), [self.f.widen(value, self.width) for value in values]
        assert first.stride is not None
        for lane, column in enumerate(transposed(self.f, rows)):
            pointer = self.f.gep(first.pointer, lane * first.stride, address.buffer.kind)
            self.access.store(first._replace(pointer=pointer, stride=1), column)

    def _pieces(self, spread: Spread, guard: Value | None) -> int | None:
        """Return how many lanes of an access are touched piece by piece; None where all are, or under a
        mask.
        """
        is_in_pieces = spread.stride == 1 and self.width > 1 and guard is None and self.access.fault is None
        return self.pieced_lanes if is_in_pieces else None

    def _guard(self, spread: Spread, guard: Value | None) -> Value | None:
        """The guard narrowed to lanes inside the loop; lanes that share an element need no narrowing."""
        if self.valid is None or spread.stride == 0 or self.width == 1:
            return guard
        return self.valid if guard is None else self.f.and_(guard, self.valid)

    def spread(self, address: Address, j: int = 0, u: int = 0) -> Spread:
        """Return where the lanes of an access at an address lie, for one copy."""
        f, buffer = self.f, address.buffer
        kind = buffer.kind
        constant_part = address.constant
        for loop in {self.tile, self.unroll}:
            if loop is not None:
                constant_part += address.coefficient(loop) * self._shift(loop, j, u)
        step = address.coefficient(self.lane) if self.width > 1 else 0
        vectors = [(v, c) for v, c in address.values if self._is_vector(v)] if self.width > 1 else []
        pointer = self._through(address.base, len(self._parts[address.base]) - 1, j, u)
        base = self._pointers[buffer.place]
        if self.width == 1:
            for value, c in address.values:
                if self._is_vector(value):
                    pointer = f.gep(pointer, f.mul(self.get(value, j, u), c), kind)
        pointer = f.gep(pointer, constant_part, kind)
        if not vectors:
            return Spread(buffer, base, pointer, step, self.width, address.is_far(self.body.extents))
        index = f.mul(lanes(self.width), step)
        for value, c in vectors:
            index = f.add(f.mul(self.get(value, j, u), c), index)
        return Spread(buffer, base, f.gep(pointer, index, kind), None, self.width)

    def _through(self, base: Address, k: int, j: int, u: int) -> Value:
        """The pointer with the parts 0 to k of an address added."""
        if k < 0:
            return self._pointers[base.buffer.place]
        level, terms = self._parts[base][k]
        loops = self._pointer_loops[base]
        copy = (base, j if self.tile in loops else 0, u if self.unroll in loops else 0)
        known = self._partial[level + 1].get(copy)
        if known is not None:
            return known
        f = self.f
        index: Value | int = 0
        for variable, c in terms:
            value = self.start[variable] if isinstance(variable, int) else self.get(variable, j, u)
            index = f.add(f.mul(value, c), index)
        return f.gep(self._through(base, k - 1, j, u), index, base.buffer.kind)
