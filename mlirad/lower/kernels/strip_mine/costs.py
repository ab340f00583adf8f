"""Costs and savings of running a group of kernels in strips, by the length of a strip.

    a = exp x        8 KB a row      plain              every access of a from memory
    s = sum a        1000 rows       strips of 4 rows   from the first level of cache, for 250 times as many
    y = a / s                                           calls of kernels

Counted are the bytes that kernels read and write, priced by the level of cache that holds what is touched
between, and the calls of kernels with the starts of their loops (`lower/machine.py`). A value from outside of
the group, or one that leaves it, moves through memory once either way. A value without rows is read again in
each strip.

A scan whose body works element by element will be one kernel, which keeps its carries in registers
(`form-recurrences`): it moves what it stacks and the slices that it reads, and is called once in a strip.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from math import prod

from xdsl.ir import Operation

from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.extents import is_static, nominal
from mlirad.dialects.kernel import LoadIfOp, LoadOp, NestOp, ScatterOp
from mlirad.dialects.kernel.nests import ScheduledOp
from mlirad.dialects.shapes import Value, element_of, is_array, shape_of
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.kernels.element_loops import ElementLoop
from mlirad.lower.kernels.kernel_groups import around
from mlirad.lower.kernels.strip_mine.group import Group, totals_of
from mlirad.lower.large_sizes import nominal_bytes, nominal_size
from mlirad.lower.machine import (
    CALL,
    HORIZONTAL,
    L2_BYTES,
    LOOP_START,
    TILE_ROWS,
    cycles_per_byte,
    element_bytes,
    stack_cycles_per_byte,
)

LEAST_GAIN = 20_000.0
"""The fewest cycles that strips must save, for each kernel that they add: those take time to compile."""

LEAST_SHARE = 0.2
"""The least part of the cost of memory accesses that strips must save."""

LEAST_TOUCHED = L2_BYTES
"""Blocks whose kernels touch fewer bytes are left alone."""

LONG_LOOP = 16
"""Iterations of a loop other than that over the rows from which vectors run along it."""

MOST_ROWS = 1024

MOST_SIZED_ROWS = 128
"""The most rows of a strip where how many rows there are is a size: the last strip may repeat as many, and
there may be but 256."""

ROWS_MULTIPLE = 8
"""Strips have a multiple of this many rows where vectors run along the rows."""

RECURRENCE_BYTES = 256
"""The bytes of rows that a recurrence keeps in flight: as each iteration waits for the one before, fewer take
as long."""


@dataclass(frozen=True)
class Kernel:
    """A kernel of a group: its runs in a strip, its iterations for one row, its longest other loop.

    `sums` are the elements of totals, and it adds the rows of a strip to each as vectors.
    """

    runs: int
    iterations: int
    longest: int
    sums: int = 0

    @property
    def is_narrow(self) -> bool:
        """Return whether vectors have to run along the rows."""
        return self.longest < LONG_LOOP

    @property
    def start(self) -> float:
        """Cycles that a strip takes whatever its length."""
        loops = LOOP_START * (self.iterations if self.is_narrow else 1)
        sums = self.sums * (HORIZONTAL + LOOP_START / TILE_ROWS)
        return self.runs * (CALL + loops + sums)


@dataclass
class Traffic:
    """The bytes that the kernels of a group move.

    For one row: `moved` are the bytes of all accesses, `passed` those of values that scans carry and pass on
    in registers where they are one kernel, `stacked` those of accesses to what scans stack, `outside` those
    of first reads from outside and of writes that leave the group; `live` are bytes that are live at once,
    `held` those that are stacked. `fixed` are bytes without rows, which each strip reads. `totals` is the
    number of totals that strips carry; a kernel starts each of them, and one adds to it. Strips have a
    `multiple` of rows.
    """

    extent: int
    moved: float = 0.0
    passed: float = 0.0
    stacked: float = 0.0
    outside: float = 0.0
    live: float = 0.0
    held: float = 0.0
    fixed: float = 0.0
    totals: int = 0
    kernels: list[Kernel] = field(default_factory=list[Kernel])
    most_rows: int = MOST_ROWS
    multiple: int = 1

    @property
    def plain(self) -> float:
        """Cycles of memory accesses without strips.

        Scans that stack more than the caches of a core hold are not single kernels.
        """
        passed = self.passed if self.extent * self.held > L2_BYTES else 0.0
        return self.extent * (self.moved + self.stacked + passed + self.outside) * self._far

    @property
    def _far(self) -> float:
        return cycles_per_byte(self.extent * (self.live + self.held) + self.fixed)

    def in_strips(self, rows: int) -> float:
        """Cycles of memory accesses, calls and repeated work in strips of a given number of rows."""
        strips = -(-self.extent // rows)
        near = self.fixed + rows * self.live
        moved = self.moved * cycles_per_byte(near)
        moved += self.stacked * stack_cycles_per_byte(near + rows * self.held)
        moved += self.outside * self._far
        moved += sum(k.runs * k.iterations for k in self.kernels) * (strips * rows / self.extent - 1)
        starts = sum(k.start for k in self.kernels) + self.totals * CALL + self.fixed * cycles_per_byte(near)
        return strips * (rows * moved + starts)

    def best(self) -> tuple[int, float]:
        """The rows of a strip that cost least, and the cycles that they save."""
        is_narrow = any(k.is_narrow and k.iterations > 1 for k in self.kernels)
        step = max(self.multiple, ROWS_MULTIPLE if is_narrow else 1)
        choices = {r for r in range(step, min(self.most_rows, self.extent - 1) + 1, step) if self._suits(r)}
        if not choices:
            return self.extent, 0.0
        cost, rows = min((self.in_strips(r), r) for r in choices)
        return rows, self.plain - cost

    def _suits(self, rows: int) -> bool:
        """Return whether strips of a given number of rows are considered: divisors of the extent, and few
        others.
        """
        return self.extent % rows == 0 or rows & (rows - 1) == 0

    def pays(self, gain: float) -> bool:
        """Return whether saving a given number of cycles is worth strips."""
        return gain >= max(LEAST_GAIN * (1 + 2 * self.totals), LEAST_SHARE * self.plain)


def may_pay(ops: Iterable[Operation]) -> bool:
    """Return whether ops touch enough bytes for strips to pay."""
    touched = {v for op in ops for v in (*op.operands, *op.results) if is_array(v.type)}
    return sum(nominal_bytes(v) for v in touched) > LEAST_TOUCHED


def traffic(group: Group, joined: Sequence[Value]) -> Traffic:
    """Return what the kernels of a group move; `joined` are its values that others read."""
    found = Traffic(
        nominal(group.extent), most_rows=MOST_ROWS if is_static(group.extent) else MOST_SIZED_ROWS
    )
    peak, held = _live_bytes(group)
    found.live, found.held = peak / found.extent, held / found.extent
    found.outside = sum(nominal_bytes(v) for v in joined) / found.extent
    outer: dict[Value, float] = {}
    fixed: dict[Value, float] = {}
    for op in group.members:
        _count(op, group, 1, found, outer, fixed)
    found.outside += sum(outer.values())
    found.moved -= sum(outer.values())
    found.live += sum(outer.values())
    found.fixed = sum(fixed.values())
    found.totals = len(totals_of(group))
    return found


def _count(
    op: Operation, group: Group, runs: int, t: Traffic, outer: dict[Value, float], fixed: dict[Value, float]
) -> None:
    """Count what an op of a group moves in a strip, which runs it a given number of times.

    `outer` and `fixed` are the bytes that are read of arrays from outside, by the row and in all.
    """
    if isinstance(op, ScanOp):
        loop = ElementLoop.of(op)
        if loop is not None and any(v in group.rows for v in op.init):
            _count_recurrence(loop, group, runs, t, outer, fixed)
            return
        for inner in op.body.block.ops:
            _count(inner, group, runs * max(1, nominal(op.iterations)), t, outer, fixed)
        return
    if not isinstance(op, NestOp | ScatterOp):
        return
    x = group.loops.get(op)
    rows = 1 if x is None else t.extent
    iterations = nominal(prod(op.extents)) // rows
    longest = max((nominal(e) for k, e in enumerate(op.extents) if k != x), default=1)
    t.kernels.append(Kernel(runs, iterations, longest, _sums(op, group)))
    _count_buffers(op, x, (*op.operands, *op.results), group, runs, t, outer, fixed)


def _sums(op: NestOp | ScatterOp, group: Group) -> int:
    """Return how many elements of totals a kernel makes of what lies in memory row after row."""
    along = any(len(shape_of(v)) > 1 and group.rows.get(v) == len(shape_of(v)) - 1 for v in op.operands)
    totals = [r for r in op.results if r in group.totals]
    return sum(nominal_size(r) for r in totals) if isinstance(op, NestOp) and along else 0


def _count_recurrence(
    loop: ElementLoop,
    group: Group,
    runs: int,
    t: Traffic,
    outer: dict[Value, float],
    fixed: dict[Value, float],
) -> None:
    """Count what a scan over the rows moves that will be one kernel."""
    op, kernel = loop.op, loop.recurrence()
    by_rows = [v for v in op.init if v in group.rows]
    iterations = nominal(prod(kernel.extents)) // t.extent
    t.kernels.append(Kernel(runs, iterations, iterations))
    t.multiple = max([t.multiple, *(RECURRENCE_BYTES // element_bytes(element_of(v)) for v in by_rows)])
    own = {*loop.carries, *(root for nest in loop.nests for root in nest.roots)}
    passed = [v for nest in loop.nests for v in (*nest.operands, *nest.roots) if v in own and v in group.rows]
    t.passed += sum(nominal_bytes(v) for v in passed) / t.extent * nominal(op.iterations) * runs
    made = [*op.final, *(op.stacked[k] for k in loop.kept)]
    moved = (*kernel.operands, *(v for v in made if v in group.rows))
    _count_buffers(kernel, group.rows[by_rows[0]], moved, group, runs, t, outer, fixed)
    kernel.erase()


def _count_buffers(
    op: ScheduledOp,
    x: int | None,
    buffers: Iterable[Value],
    group: Group,
    runs: int,
    t: Traffic,
    outer: dict[Value, float],
    fixed: dict[Value, float],
) -> None:
    """Count the bytes of buffers that a kernel reads and writes, whose loop x runs over the rows."""
    points = nominal(prod(op.extents))
    iterations = points // (1 if x is None else t.extent)
    varying = set[Value]() if x is None else _read_by_rows(op, x)
    stacked = {v for v in group.rows if isinstance(v.owner, ScanOp) and v in v.owner.stacked}
    for value in dict.fromkeys(buffers):
        size = float(nominal_bytes(value))
        if value in group.rows and value in stacked:
            t.stacked += size / t.extent * runs
        elif value in group.rows:
            t.moved += size / t.extent * runs
        elif value in varying:
            by_row = min(size, bytes_of_elements(value, points)) / t.extent
            t.moved += by_row * runs
            outer[value] = max(outer.get(value, 0.0), by_row)
        else:
            fixed[value] = max(fixed.get(value, 0.0), min(size, bytes_of_elements(value, iterations)))


def bytes_of_elements(value: Value, count: int) -> float:
    """The bytes of a given number of elements of an array."""
    return count * nominal_bytes(value) / max(1, nominal_size(value))


def _read_by_rows(op: ScheduledOp, x: int) -> set[Value]:
    """The buffers that a kernel reads at positions that depend on its loop x."""
    varying: set[Value] = {op.regions[0].block.args[x]}
    found: set[Value] = set()
    for inner in op.regions[0].block.ops:
        if any(o in varying for o in inner.operands):
            varying.update(inner.results)
            if isinstance(inner, LoadOp | LoadIfOp) and any(p in varying for p in inner.positions):
                found.add(inner.buffer)
    return found


def _live_bytes(group: Group) -> tuple[int, int]:
    """The most bytes of values by rows that are live at once, and the bytes of those that scans stack."""
    members = {op: n for n, op in enumerate(group.members)}
    stacked = 0
    change = [0] * (len(members) + 1)
    for op, n in members.items():
        for result in op.results:
            if result not in group.rows:
                continue
            size = nominal_bytes(result)
            if isinstance(op, ScanOp) and result in op.stacked:
                stacked += size
                continue
            change[n] += size
            users = (members.get(around(use.operation, op), n) for use in result.uses)
            change[max(users, default=n) + 1] -= size
        if isinstance(op, ScanOp):
            inner = sum(nominal_bytes(v) for o in op.body.block.ops for v in o.results if v in group.rows)
            change[n] += inner
            change[n + 1] -= inner
    peak = now = 0
    for step in change:
        now += step
        peak = max(peak, now)
    return peak, stacked
