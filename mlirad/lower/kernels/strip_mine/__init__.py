"""`strip-mine`: kernels that work along one long dimension run together, strip by strip.

    %a = kernel.nest %x (%i) {space = [100000]}        %y = kernel.strips (%start, %done)
    %y = kernel.nest %a (%i, %k) {...}            -->        {carries = 0, extent = 100000, block = 500} {
                                                         %a = kernel.nest %x, %start (%i) {space = [500]}
                                                         ...

Values that the kernels of a group (`group.py`) pass to each other take a strip's memory instead of the whole
dimension's, and are still in cache when they are read. A scan whose body works along the dimension runs all
its iterations for one strip, with carries and stacked values in cache, before the next strip begins: its
memory traffic drops from once per iteration to once. Sums over the dimension are carried from strip to strip.

A strip may be a single row: a softmax of a matrix row runs while the row is in cache. Costs decide which
groups are formed, and how long their strips are (`costs.py`); they depend on shapes alone, so that results
are reproducible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, OpResult
from xdsl.passes import ModulePass

from mlirad.dialects.array.control import CONTROL_OPS, ScanOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.extents import at_most, is_static
from mlirad.dialects.kernel import NestOp, ScatterOp
from mlirad.dialects.shapes import Value
from mlirad.ir.builder import function_block
from mlirad.ir.free_values import free_values
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.kernels.kernel_groups import around, replace_group
from mlirad.lower.kernels.moves import considered
from mlirad.lower.kernels.plan_memory.storage import bytes_of
from mlirad.lower.kernels.strip_mine.axes import Axis, axes, kernels_of
from mlirad.lower.kernels.strip_mine.costs import MOST_SIZED_ROWS, may_pay, traffic
from mlirad.lower.kernels.strip_mine.group import Group, totals_of
from mlirad.lower.kernels.strip_mine.rewriting import in_strips

__all__ = ["StripMinePass", "strip_mine", "strip_mine_in_place"]

LEAST_EXTENT = 2
"""Shorter dimensions are not cut into strips."""


@dataclass(frozen=True)
class StripMinePass(ModulePass):
    """Lets kernels that work along one dimension run strip by strip.

    With `rows`, every group of kernels that can, in strips of a given number of rows; 0 lets costs decide.
    """

    name = "strip-mine"

    rows: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Form strips in every function of the module."""
        for function in op.body.block.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                strip_mine_in_place(function, rows=self.rows)


def strip_mine(function: FuncOp, *, rows: int = 0) -> FuncOp:
    """The function with groups of kernels in strips."""
    formed = function.clone()
    strip_mine_in_place(formed, rows=rows)
    return formed


def strip_mine_in_place(function: FuncOp, *, rows: int = 0) -> None:
    """Let groups of kernels of this function run in strips: of as many rows as cost least, or of `rows`."""
    _form_block(function_block(function), rows)


def _form_block(block: Block, rows: int) -> None:
    """Form strips among the ops of a block, then in the loops and branches that remain.

    Of all groups the one that saves most is formed first.
    """
    while rows or may_pay(block.ops):
        reads = {op: free_values(op) for op in block.ops}
        kernels = list(kernels_of(reads))
        found = [
            plan
            for extent in _extents(kernels, rows + 1 if rows else LEAST_EXTENT)
            for axis in axes(reads, kernels, extent)
            for group in _groups(reads, axis)
            if (plan := _plan(group, rows))
        ]
        best = max(found, key=lambda plan: plan.gain, default=None)
        if best is None:
            break
        _replace(block, best)
    for op in block.ops:
        if isinstance(op, CONTROL_OPS):
            for region in op.regions:
                _form_block(region.block, rows)


@dataclass(frozen=True)
class Plan:
    """A group that is to run in strips of a given number of rows; `joined` are its values that others
    read.
    """

    group: Group
    rows: int
    gain: float
    joined: Sequence[Value]


Reads: TypeAlias = Mapping[Operation, Sequence[Value]]
"""The ops of a block, in order, and what each reads from outside itself."""


def _plan(group: Group, rows: int) -> Plan | None:
    """The strips of a group, if there are kernels that gain by them."""
    if not group.members:
        return None
    joined = _joined(group)
    if rows:
        return Plan(group, rows, float(_bytes_by_rows(group)), joined)
    costs = traffic(group, joined)
    best, gain = costs.best()
    pays = costs.pays(gain)
    what = f"strips of {best} of {group.extent} rows, {len(group.members)} kernels"
    considered(group.members[0], what, costs.plain, costs.plain - gain, is_done=pays)
    return Plan(group, best, gain, joined) if pays else None


def _extents(kernels: Iterable[NestOp | ScatterOp], least: int) -> list[int]:
    """The extents of loops that are long enough to be cut into strips."""
    found: dict[int, None] = {}
    for op in kernels:
        if isinstance(op, NestOp):
            found.update(dict.fromkeys(e for e in op.extents if _is_long(e, least)))
    return list(found)


def _is_long(extent: int, least: int) -> bool:
    """Return whether an extent is `least` at least; one with sizes in it, as long as the longest strip of
    it.
    """
    return at_most(least if is_static(extent) else max(least, MOST_SIZED_ROWS), extent)


def _groups(reads: Reads, axis: Axis) -> Iterator[Group]:
    """The groups over an axis: one, or that of the first loops and that of the last."""
    group = _group(reads, axis, last=False)
    yield group
    if group.is_square:
        yield _group(reads, axis, last=True)


def _group(reads: Reads, axis: Axis, *, last: bool) -> Group:
    """The largest group over an axis, whose values by rows can be joined where others read them."""
    banned: set[Operation] = set()
    group = Group(axis, last)
    while True:
        group = _collected(reads, Group(axis, last, group.is_square), banned)
        members = set(group.members)
        wrong = [op for op in group.members if _must_go(op, group, members, reads[op])]
        if not wrong:
            return group
        banned.update(wrong)


def _collected(reads: Reads, group: Group, banned: set[Operation]) -> Group:
    """The group with the ops of a block, which join in order. Ops that read it through others cannot."""
    after: set[Value] = set()
    for op, read in reads.items():
        if isinstance(op, ReturnOp | YieldOp):
            continue
        if op not in banned and not any(v in after for v in read) and group.admit(op):
            continue
        if any(v in after or v in group.rows or v in group.totals for v in read):
            after.update(op.results)
    return group


def _must_go(op: Operation, group: Group, members: set[Operation], read: Sequence[Value]) -> bool:
    """Return whether an op shares nothing with its group, or has results that cannot be joined."""
    shares = isinstance(op, ScanOp) or any(v.owner in members for v in read)
    for result in op.results:
        users = [around(use.operation, op) for use in result.uses]
        shares = shares or any(u in members for u in users)
        if group.rows.get(result, 0) and not all(u in members for u in users):
            return True
    return not shares


def _bytes_by_rows(group: Group) -> int:
    """The bytes of all values by rows that the ops of a group compute."""
    return sum(bytes_of(v) for v in group.rows if isinstance(v, OpResult))


def _joined(group: Group) -> list[Value]:
    """The values by rows that are read outside of the group."""
    members = set(group.members)
    return [
        r
        for op in group.members
        for r in op.results
        if r in group.rows and any(around(use.operation, op) not in members for use in r.uses)
    ]


def _replace(block: Block, plan: Plan) -> None:
    """Put the strips in place of the group."""
    results = [*totals_of(plan.group), *plan.joined]
    new = in_strips(plan.group, plan.rows, plan.joined)
    replace_group(block, plan.group.members, new, dict(zip(results, new[-1].results, strict=True)))
