"""Which values may carry data that are not zero, before anything is emitted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.shapes import Value
from mlirad.ir.builder import yields
from mlirad.ir.free_values import captures, free_values
from mlirad.passes.dual_arrays.activity import Kind, active_carries, active_values
from mlirad.passes.sweep.instance import Instance


def depending(instance: Instance, block: Block, active: Iterable[Value]) -> set[Value]:
    """The values of a block that depend on active ones, and these."""
    return active_values(block, active, Kind(instance.has))


def carried(instance: Instance, op: control.ScanOp | control.WhileOp, active: Collection[Value]) -> list[int]:
    """The places of the carries of a loop that may carry data."""
    block, made = op.body.block, yields(op.body)
    count = len(op.init)
    if instance.reads_control:
        return [k for k in range(count) if instance.has(op.init[k])] if reads(op, active) else []
    first = 1 if isinstance(op, control.ScanOp) else 0
    arguments = block.args[first : first + count]
    others = set(active)
    if isinstance(op, control.ScanOp):
        slices = block.args[first + count :]
        others |= {s for s, x in zip(slices, op.xs, strict=True) if x in active}
    starts = [v in active for v in op.init]
    found, _ = active_carries(block, arguments, made[:count], starts, others, Kind(instance.has))
    return [k for k in range(count) if found[k] and instance.has(op.init[k])]


def reads(op: Operation, active: Collection[Value]) -> bool:
    """Whether an op reads what may carry data."""
    return any(v in active for v in free_values(op))


def active_captures(regions: Sequence[Region], active: Collection[Value]) -> list[Value]:
    """What regions read from around them that may carry data, each once."""
    return [v for v in dict.fromkeys(v for region in regions for v in captures(region)) if v in active]


def condition_reads(
    instance: Instance, op: control.WhileOp, carries: Sequence[int], active: set[Value]
) -> bool:
    """Whether what decides a loop carries data."""
    block = op.condition.block
    known = active | {block.args[k] for k in carries}
    return yields(op.condition)[0] in depending(instance, block, known)
