"""Values that may carry nonzero data, before anything is emitted, and whether any data are lost."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import i1
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.array.frames import SaveOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.shapes import Value, element_of
from mlirad.ir.builder import function_block, yields
from mlirad.ir.free_values import captures, free_values, own_operands
from mlirad.passes.dual_arrays.activity import Kind, active_carries, active_values
from mlirad.passes.sweep.instance import Instance

Callees: TypeAlias = Mapping[str, FuncOp]
"""The functions of a module by name."""


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
    """Tell whether an op reads values that may carry data."""
    return any(v in active for v in free_values(op))


def active_captures(regions: Sequence[Region], active: Collection[Value]) -> list[Value]:
    """The outer values that regions read and that may carry data, each once."""
    return [v for v in dict.fromkeys(v for region in regions for v in captures(region)) if v in active]


def condition_reads(
    instance: Instance, op: control.WhileOp, carries: Sequence[int], active: set[Value]
) -> bool:
    """Tell whether the values that decide a loop carry data."""
    block = op.condition.block
    known = active | {block.args[k] for k in carries}
    return yields(op.condition)[0] in depending(instance, block, known)


def require_no_loss(instance: Instance, block: Block, active: Iterable[Value], functions: Callees) -> None:
    """Raise for an op that makes what carries nothing of what carries data, unless that is a truth value.

    It is found in regions and in functions that are called, too, whose sweep may never be asked for.
    """
    _Losses(instance, functions).block(block, set(active))


RECORDED = "lists, trees and functions that hold functions of their own kind"
"""The values that lie in memory as records."""


class _Losses:
    def __init__(self, instance: Instance, functions: Callees):
        self.instance, self.functions = instance, functions
        self.seen: set[tuple[str, tuple[int, ...]]] = set()

    def block(self, block: Block, active: set[Value]) -> None:
        active = depending(self.instance, block, active)
        for op in block.ops:
            if reads(op, active):
                self._op(op, active)

    def _op(self, op: Operation, active: set[Value]) -> None:
        match op:
            case control.ScanOp() | control.WhileOp():
                first = 1 if isinstance(op, control.ScanOp) else 0
                carries = [first + k for k in carried(self.instance, op, active)]
                if isinstance(op, control.ScanOp):
                    carries += [1 + op.carry_count + k for k, x in enumerate(op.xs) if x in active]
                for region in op.regions:
                    self.block(region.block, active | {region.block.args[k] for k in carries})
            case CheckpointOp() | CustomOp():
                given = zip(op.body.block.args, own_operands(op), strict=True)
                self.block(op.body.block, active | {a for a, v in given if v in active})
            case control.IfOp() | control.SwitchOp():
                for region in op.regions:
                    self.block(region.block, active)
            case CallOp():
                name = op.callee.root_reference.data
                key = name, tuple(k for k, v in enumerate(op.arguments) if v in active)
                if key not in self.seen:
                    self.seen.add(key)
                    body = function_block(self.functions[name])
                    self.block(body, {body.args[k] for k in key[1]})
            case YieldOp() | ReturnOp():
                pass
            case _:
                lost = [r for r in op.results if not self.instance.has(r) and element_of(r.type) != i1]
                if lost:
                    is_record = isinstance(op, SaveOp)
                    made = RECORDED if is_record else f"what {op.name} makes"
                    raise self.instance.refused(op, f"has no data for {made}")
