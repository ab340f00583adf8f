"""`strip-mine`: kernels that work along one long dimension run together, strip by strip.

    %a = kernel.nest %x (%i) {space = [100000]}        %y = kernel.strips (%start, %done)
    %y = kernel.nest %a (%i, %k) {...}            -->        {carries = 0, extent = 100000, block = 500} {
                                                         %a = kernel.nest %x, %start (%i) {space = [500]}
                                                         ...

What the kernels of a group (`group.py`) pass to each other takes a strip's memory instead of the whole
dimension's, and is still in cache when it is read. A scan whose body works along the dimension runs all its
trips for one strip, with carries and what it stacks in cache, before the next strip begins: its memory
traffic drops from once per trip to once. Sums over the dimension are carried from strip to strip.

Strips cost a call of each kernel per strip, so groups whose values fit in cache anyway are left alone. The
length of a strip depends on shapes alone, so results are reproducible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, OpResult
from xdsl.passes import ModulePass

from mlirad.dialects.array.control import CONTROL_OPS, ScanOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.kernel import NestOp
from mlirad.dialects.shapes import Value
from mlirad.ir.builder import function_block
from mlirad.ir.free_values import free_values
from mlirad.lower.plan_memory.lifetimes import bytes_of
from mlirad.lower.strip_mine.group import Group
from mlirad.lower.strip_mine.rewriting import in_strips, totals_of

__all__ = ["StripMinePass", "strip_mine", "strip_mine_in_place"]

LEAST_BYTES = 1024 * 1024
"""Groups whose values take fewer bytes than this are left alone: they stay in the second level of cache."""

STRIP_BYTES = 40 * 1024
"""What the values that are live at once in a strip may take: the first level of cache."""

MOST_STRIP_BYTES = 128 * 1024
"""Groups that take more than this in the shortest strip are left alone: they would gain too little."""

STACKED_BYTES = 384 * 1024
"""What the trips of scans may stack in a strip: a part of the second level of cache."""

LEAST_ROWS = 32
MOST_ROWS = 1024
"""The rows of a strip: enough to make up for the calls of its kernels."""

LEAST_EXTENT = 4 * LEAST_ROWS
"""Shorter dimensions are not cut into strips."""

ROWS_MULTIPLE = 16
"""Strips have a multiple of this many rows, so that vectors are filled."""


@dataclass(frozen=True)
class StripMinePass(ModulePass):
    """Lets kernels that work along one long dimension run strip by strip.

    Options: the least bytes that the values of a group must take, and the rows of a strip (0: as many as fit
    in cache).
    """

    name = "strip-mine"

    least_bytes: int = LEAST_BYTES
    rows: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Form strips in every function of the module."""
        for function in op.body.block.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                strip_mine_in_place(function, least_bytes=self.least_bytes, rows=self.rows)


def strip_mine(function: FuncOp, *, least_bytes: int = LEAST_BYTES, rows: int = 0) -> FuncOp:
    """The function with groups of kernels in strips."""
    formed = function.clone()
    strip_mine_in_place(formed, least_bytes=least_bytes, rows=rows)
    return formed


def strip_mine_in_place(function: FuncOp, *, least_bytes: int = LEAST_BYTES, rows: int = 0) -> None:
    """Let groups of kernels of this function whose values take so many bytes run in strips.

    A strip has as many rows as fit in cache unless `rows` says how many.
    """
    _form_block(function_block(function), least_bytes, rows)


def _form_block(block: Block, least_bytes: int, rows: int) -> None:
    """Form strips among the ops of a block, then in the loops and branches that remain."""
    while True:
        groups = [_group(block, extent) for extent in _extents(block, rows + 1 if rows else LEAST_EXTENT)]
        found = [g for g in groups if g.members and (rows or _fits(g))]
        best = max(found, key=_bytes_by_rows, default=None)
        if best is None or _bytes_by_rows(best) < least_bytes:
            break
        _replace(block, best, rows or strip_rows(best.extent, *_live_bytes(best)))
    for op in block.ops:
        if isinstance(op, CONTROL_OPS):
            for region in op.regions:
                _form_block(region.block, least_bytes, rows)


def strip_rows(extent: int, size: int, stacked: int) -> int:
    """The rows of a strip, given the bytes of whole values; they divide the extent if such are near.

    `size` are the bytes of values that are live at once, `stacked` those of values that scans stack, which
    are read once each.
    """
    fitting = min(STRIP_BYTES * extent // max(size, 1), STACKED_BYTES * extent // max(stacked, 1))
    most = min(MOST_ROWS, max(LEAST_ROWS, fitting), extent)
    most = max(most // ROWS_MULTIPLE * ROWS_MULTIPLE, min(ROWS_MULTIPLE, extent))
    for rows in range(most, most // 2, -8):
        if extent % rows == 0:
            return rows
    return most


def _extents(block: Block, least: int) -> list[int]:
    """The extents of loops that are long enough to be cut into strips."""
    found: dict[int, None] = {}
    for op in block.ops:
        for inner in op.walk() if isinstance(op, ScanOp) else (op,):
            if isinstance(inner, NestOp):
                found.update(dict.fromkeys(e for e in inner.extents if e >= least))
    return list(found)


def _group(block: Block, extent: int) -> Group:
    """The largest group over an extent, whose values by rows can be joined where others read them."""
    banned: set[Operation] = set()
    while True:
        group = _collected(block, extent, banned)
        wrong = [op for op in group.members if _must_go(op, group)]
        if not wrong:
            return group
        banned.update(wrong)


def _collected(block: Block, extent: int, banned: set[Operation]) -> Group:
    """The ops of a block that join one after the other. What reads a group through others cannot."""
    group = Group(extent)
    after: set[Value] = set()
    for op in block.ops:
        if isinstance(op, ReturnOp | YieldOp):
            continue
        read = free_values(op)
        if op not in banned and not any(v in after for v in read) and group.admit(op):
            continue
        if any(v in after or v in group.rows or v in group.totals for v in read):
            after.update(op.results)
    return group


def _must_go(op: Operation, group: Group) -> bool:
    """Whether an op shares nothing with its group, or has results that cannot be joined."""
    members = set(group.members)
    shares = isinstance(op, ScanOp) or any(v.owner in members for v in free_values(op))
    for result in op.results:
        users = [_member_around(use.operation, op) for use in result.uses]
        shares = shares or any(u in members for u in users)
        if group.rows.get(result, 0) and not all(u in members for u in users):
            return True
    return not shares


def _member_around(op: Operation, sibling: Operation) -> Operation:
    """The op beside `sibling` that an op is or stands in."""
    while op.parent is not sibling.parent:
        around = op.parent_op()
        assert around is not None
        op = around
    return op


def _bytes_by_rows(group: Group) -> int:
    """The bytes of all values by rows that the ops of a group compute."""
    return sum(bytes_of(v) for v in group.rows if isinstance(v, OpResult))


def _live_bytes(group: Group) -> tuple[int, int]:
    """The most bytes of values by rows that are live at once, and the bytes of those that scans stack."""
    members = {op: n for n, op in enumerate(group.members)}
    stacked = 0
    change = [0] * (len(members) + 1)
    for op, n in members.items():
        for result in op.results:
            if result not in group.rows:
                continue
            size = bytes_of(result)
            if isinstance(op, ScanOp) and result in op.stacked:
                stacked += size
                continue
            change[n] += size
            users = (members.get(_member_around(use.operation, op), n) for use in result.uses)
            change[max(users, default=n) + 1] -= size
        if isinstance(op, ScanOp):
            inner = sum(bytes_of(v) for o in op.body.block.ops for v in o.results if v in group.rows)
            change[n] += inner
            change[n + 1] -= inner
    peak = now = 0
    for step in change:
        now += step
        peak = max(peak, now)
    return peak, stacked


def _fits(group: Group) -> bool:
    """Whether a strip of the least rows fits in cache."""
    return _live_bytes(group)[0] * LEAST_ROWS <= MOST_STRIP_BYTES * group.extent


def _joined(group: Group) -> list[Value]:
    """The values by rows that are read outside of the group."""
    members = set(group.members)
    return [
        r
        for op in group.members
        for r in op.results
        if r in group.rows and any(_member_around(use.operation, op) not in members for use in r.uses)
    ]


def _replace(block: Block, group: Group, rows: int) -> None:
    """Put the strips in place of the group, where its last member stands; what reads it goes behind."""
    last = group.members[-1]
    joined = _joined(group)
    results = [*totals_of(group), *joined]
    members = set(group.members)
    behind = _behind(block, group, last)
    new = in_strips(group, rows, joined)
    place = last
    for op in new:
        block.insert_op_after(op, place)
        place = op
    for op in behind:
        op.detach()
        block.insert_op_after(op, place)
        place = op
    for old, value in zip(results, new[-1].results, strict=True):
        old.replace_all_uses_with(value)
    for op in reversed(group.members):
        op.detach()
        op.erase(safe_erase=False)
    assert all(op.parent is None for op in members)


def _behind(block: Block, group: Group, last: Operation) -> Sequence[Operation]:
    """The ops before the last member that read results of the group, directly or not."""
    members = set(group.members)
    computed: set[Value] = set()
    found: list[Operation] = []
    for op in block.ops:
        if op in members:
            computed.update(op.results)
        elif any(v in computed for v in free_values(op)):
            computed.update(op.results)
            found.append(op)
        if op is last:
            return found
    return found
