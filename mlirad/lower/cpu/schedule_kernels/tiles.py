"""Width and tile: how many iterations of a nest are in flight at once.

`width` is several vectors along the lane loop, which share what is the same in all lanes; `tile` is several
iterations of another output loop (unroll-and-jam), which share the loads that do not depend on that loop. A
nest without reduction has a tile only over the parts of a stack, all of them, or of as many iterations as it
has lanes, where it stores along that loop. A sum over windows that runs along lanes has a tile over places in
the window, which read the same lines of memory, where what it reads lies beyond the first level of cache.
Both multiply the code to compile, and the accumulators of a reduction have to fit the register file. The
latency of sums is no reason for either: the reduction loop is unrolled for that when code is printed.

For `c[i, j] = sum_k a[i, k] b[k, j]` with lanes along j and vectors of 8: tile 5 of i, width 16.
"""

from __future__ import annotations

from mlirad.dialects.array.elementwise import CompareOp, SelectOp
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.extents import is_static
from mlirad.dialects.kernel import NestOp
from mlirad.dialects.shapes import Value
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.cpu.schedule_kernels.profiles import Layouts, Profile, result_strides
from mlirad.lower.large_sizes import nominal_bytes
from mlirad.lower.machine import cycles_per_byte, load_cost, registers

MAX_TILE = 6
LOOP_OVERHEAD = 1.0
"""Cycles of counting and branching per iteration of a reduction loop."""

CODE_COST = 0.01
"""The saving that one more copy of the body must bring, in cycles per iteration, to be worth compiling."""

REMAINDER_COST = 0.1
"""The saving that the extra code for iterations left over by a tile must bring."""

MAX_CODE = 400
"""The most vector ops that a tiled body may have."""

LIGHT = 8
SHORT_CHAIN = 32
LONG_CHAIN = 120
LONGEST_CHAIN = 400
"""The most vector instructions of a light body, of chains that are short and long, and of any one chain."""

LONG_LOOP = 16
"""The vectors of a loop from which on a last block that overlaps costs little."""

CALLED = 4
"""The vectors of a body that calls a library for all lanes: the call itself costs the same for any number."""

MIN_GAIN = 0.95
"""A tile must bring the cost below this fraction."""


@dataclass(frozen=True)
class Blocking:
    """`width` lanes at a time; `tile` iterations of `tile_dim` at a time, if any."""

    width: int
    tile_dim: int | None = None
    tile: int = 1


def max_vectors(op_count: int, vectors: int) -> int:
    """Return how many vectors of lanes a body may handle at once, of those that a loop has.

    Light bodies gain from fewer iterations. Others are one chain of dependent operations, as an exponential
    is, and several vectors keep the processor busy. In short loops wide blocks overlap at the end, and what
    is stored by two of them takes long to load; there the processor looks ahead to the next block itself,
    unless chains are long. The longest bodies are rows that are written out, many chains side by side, which
    fill the registers.
    """
    if op_count <= LIGHT:
        return 4
    if op_count > LONGEST_CHAIN:
        return 1
    if vectors < LONG_LOOP:
        return 1 if SHORT_CHAIN < op_count <= LONG_CHAIN else 2
    return 4 if op_count <= SHORT_CHAIN else 2


def width_choices(p: Profile, lane: int) -> list[int]:
    """The widths that a lane loop may have, in lanes: powers of two, no wider than its extent."""
    extent, work = p.extents[lane], work_per_vector(p)
    vectors = CALLED if p.calls_library else max_vectors(work, p.extents[lane] // p.lanes)
    widest = p.lanes * vectors
    if extent <= p.lanes:
        return [1 << (extent.bit_length() - 1)]
    choices = [p.lanes]
    while choices[-1] * 2 <= min(extent, widest):
        choices.append(choices[-1] * 2)
    return choices


def work_per_vector(p: Profile) -> int:
    """The vector instructions of a body."""
    return int(2 * sum(p.op_costs.values()))


def choose_blocking(
    op: NestOp, p: Profile, lane: int, layouts: Layouts, vector_bytes: int, *, tiled: bool = True
) -> Blocking:
    """Width and tile of a nest with a lane loop; without tile unless `tiled`."""
    widths = width_choices(p, lane)
    if not p.reduction_bits:
        if _goes_lane_by_lane(op, p, lane, layouts):
            squares = _loop_of_squares(op, p, lane, layouts)
            if squares is not None:
                return Blocking(p.lanes, squares, p.lanes)
            return Blocking(_best_filled(widths[:1], p.extents[lane]))
        width = _best_filled(widths, p.extents[lane])
        parts = _loop_over_parts(op, p, lane)
        if parts is None or p.extents[parts] * width // p.lanes * p.op_count > MAX_CODE:
            return Blocking(width)
        return Blocking(width, parts, p.extents[parts])
    cost = _CostOfBlocking(op, p, lane, layouts)
    budget = registers(vector_bytes)
    allowed = [w for w in widths if cost.live(1, w, None) <= budget] or widths[:1]
    best = min((cost(w, None, 1), w) for w in allowed)
    chosen, least = Blocking(best[1]), best[0] * MIN_GAIN
    if not tiled or p.finds_position:
        return chosen
    for x in range(p.rank):
        if x == lane or not cost.shares(x):
            continue
        for t in range(2, min(MAX_TILE, p.extents[x]) + 1):
            for w in widths:
                if cost.live(t, w, x) > budget or t * w // p.lanes * p.op_count > MAX_CODE:
                    continue
                now = cost(w, x, t)
                if now < least:
                    chosen, least = Blocking(w, x, t), now
    return chosen


def _loop_over_parts(op: NestOp, p: Profile, lane: int) -> int | None:
    """The loop over the parts of a stack, such as the two planes of complex numbers, if there is one.

    Its index alone says what is selected, so an iteration for all parts selects nothing, and what the parts
    read in common is loaded once. Another loop has to be left that threads can share.
    """
    for x in range(p.rank):
        others = [d for d in range(p.rank) if d not in (x, lane) and p.extents[d] > 1]
        if x == lane or not others or not 1 < p.extents[x] <= MAX_TILE or not is_static(op.extents[x]):
            continue
        index = op.body.block.args[x]
        selects = [o for o in op.body.block.ops if isinstance(o, SelectOp)]
        if any(_tells_part(o.condition, index) for o in selects) and any(
            bits >> lane & 1 and not bits >> x & 1
            for bits in (*p.op_costs, *(load.loops for load in p.loads))
        ):
            return x
    return None


def _tells_part(condition: Value, index: Value) -> bool:
    """Return whether a condition compares a loop index with a constant."""
    made = condition.owner
    if not isinstance(made, CompareOp):
        return False
    return any(
        a is index and isinstance(b.owner, ConstantOp) for a, b in (made.operands, made.operands[::-1])
    )


def _loop_of_squares(op: NestOp, p: Profile, lane: int, layouts: Layouts) -> int | None:
    """The loop along which a nest stores neighbours, if lanes go along another one, with loads that lanes
    share or that lie one after the other: squares of lanes are transposed in registers then.
    """
    if p.extents[lane] < p.lanes or p.lanes * work_per_vector(p) > MAX_CODE:
        return None
    if any(s[lane] not in (0, 1, -1) for load in p.loads if (s := load.strides(layouts))):
        return None
    steps = [result_strides(op, root, layouts) for root in op.roots]
    found = [x for x in range(p.rank) if x != lane and all(s[x] == 1 for s in steps)]
    return next((x for x in found if p.extents[x] >= p.lanes and is_static(op.extents[x])), None)


def _goes_lane_by_lane(op: NestOp, p: Profile, lane: int, layouts: Layouts) -> bool:
    """Return whether a vector is stored or loaded lane by lane, which keeps the processor busy and is much
    code.
    """
    strides = [s for load in p.loads if (s := load.strides(layouts)) and load.loops >> lane & 1]
    steps = [s[lane] for s in strides] + [result_strides(op, root, layouts)[lane] for root in op.roots]
    return any(step not in (None, 0, 1, -1) for step in steps)


def _best_filled(widths: list[int], extent: int) -> int:
    """The widest choice that wastes no more lanes on the remainder than the narrowest one."""
    padded = [-(-extent // w) * w for w in widths]
    return max(w for w, n in zip(widths, padded, strict=True) if n <= padded[0] * 1.05)


class _CostOfBlocking:
    """Cycles per vector of a reducing nest when blocked by some width and tile."""

    def __init__(self, op: NestOp, p: Profile, lane: int, layouts: Layouts):
        self.p, self.lane, self.roots = p, lane, len(op.roots)
        reduced = p.reduction_bits
        self.ops = [(bits, c) for bits, c in p.op_costs.items() if bits & reduced]
        self.loads: list[tuple[int, float]] = []
        for load in p.loads:
            bits = load.loops
            if bits & reduced or bits >> lane & 1:
                strides = load.strides(layouts)
                cost = load_cost(strides[lane] if strides else 0, p.lanes)
                self.loads.append((bits, cost * p.per_iteration(bits)))
        self.lines = self._lines(layouts) if lane >= p.rank else []

    def _lines(self, layouts: Layouts) -> list[tuple[int, float]]:
        """The cycles to move what loads read, with the loops whose iterations read other lines; none of
        nests without windows.

        Places in a window read the same lines, as they add to the index that a reduction runs along.
        """
        p, windows, found = self.p, False, list[tuple[int, float]]()
        touched = sum(nominal_bytes(v) for v in {load.buffer for load in p.loads})
        cycles = p.lanes * p.element_bytes * (cycles_per_byte(touched) - cycles_per_byte(0))
        for load in p.loads:
            strides = load.strides(layouts)
            if not strides or strides[self.lane] != 1:
                continue
            along = {s for s in strides[p.rank :] if s}
            shared = sum(1 << x for x in range(p.rank) if strides[x] in along)
            windows = windows or shared != 0
            found.append((load.loops & ~shared, cycles))
        return found if windows else []

    def live(self, tile: int, width: int, dim: int | None) -> int:
        """Registers for accumulators and for vectors that iterations of the tile share."""
        vectors = max(1, width // self.p.lanes)
        shared = [b for b, _ in self.loads if b >> self.lane & 1 and not (dim is not None and b >> dim & 1)]
        return self.roots * tile * vectors + vectors * min(len(shared), 2) + 1

    def shares(self, dim: int) -> bool:
        """Return whether iterations of a loop would share a load or a computation that varies inside of
        it.
        """
        return any(not bits >> dim & 1 for bits, _ in (*self.ops, *self.loads))

    def __call__(self, width: int, dim: int | None, tile: int) -> float:
        p = self.p
        vectors = max(1, width // p.lanes)
        extent = 1 if dim is None else p.extents[dim]
        steps = extent // tile + extent % tile
        shared = steps / extent if dim is not None else 1.0
        total = 0.0
        for bits, cost in (*self.ops, *self.loads):
            if dim is not None and not bits >> dim & 1:
                cost *= shared
            if not bits >> self.lane & 1:
                cost /= vectors
            total += cost
        total += sum(c * shared if dim is not None and not b >> dim & 1 else c for b, c in self.lines)
        total += LOOP_OVERHEAD / (tile * vectors)
        filled = -(-p.extents[self.lane] // width) * width / p.extents[self.lane]
        return (
            total * filled
            + CODE_COST * tile * vectors
            + (REMAINDER_COST if dim is not None and extent % tile else 0.0)
        )
