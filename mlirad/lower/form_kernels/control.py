"""Loops and branches of kernels: the same ops, whose regions hold kernels instead of array ops.

Region arguments are buffers. Every value that a region yields is a result of its own kernel in that region,
so that lowering can let the kernel write it where it has to be: to the next carry, to its slice of the
stacked result, to the result of the branch. What is yielded without being computed (an argument, a value from
outside, a value that is yielded twice) is copied by a kernel.

    array.yield %b, %a                  -->    %b1 = kernel.nest %b {...}   %a1 = kernel.nest %a {...}
                                               array.yield %b1, %a1
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.func import CallOp
from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.array.frames import SaveOp
from mlirad.dialects.array.indexing import UpdateOp
from mlirad.dialects.kernel import KERNEL_RESULT_OPS
from mlirad.dialects.shapes import Value
from mlirad.ir.builder import yields
from mlirad.ir.free_values import free_values

if TYPE_CHECKING:
    from mlirad.lower.form_kernels.kernel_builder import KernelBuilder

MAKERS = (*KERNEL_RESULT_OPS, *control.CONTROL_OPS, CallOp, SaveOp)
"""The ops that can write a result where a region's yield has to be."""


def form_control(former: KernelBuilder, op: Operation) -> None:
    """Form a loop or branch with kernels in its regions."""
    trips = (op.trips,) if isinstance(op, control.ScanOp) else ()
    new = former.b.insert(
        type(op),
        [former.buffers[o] for o in op.operands],
        op.result_types,
        op.properties,
        [_form_region(former, region, trips, isinstance(op, control.BranchOp)) for region in op.regions],
    )
    for old, result in zip(op.results, new.results, strict=True):
        former.buffers[old] = result
        if result.name_hint is None:
            result.name_hint = old.name_hint


def _form_region(former: KernelBuilder, region: Region, extents: Sequence[int], is_branch: bool) -> Region:
    """The region with kernels.

    What it hands on as it is gets copied first, before the original is updated. A branch that does not update
    it copies it last: then nobody reads the original any more, and the copy may lie where that does.
    """

    def body(*args: Value) -> list[Value]:
        for old, arg in zip(region.block.args, args, strict=True):
            former.buffers[old] = arg
            arg.name_hint = old.name_hint
        made = yields(region)
        ops = former.bodies.of(region)
        local = {r for op in ops for r in op.results}
        handed_on = {k: v for k, v in enumerate(made) if v not in local}
        last = handed_on.keys() if is_branch else ()
        last = {k for k in last if not any(_may_update(op, handed_on[k]) for op in ops)}
        copies = {k: former.copied(v) for k, v in handed_on.items() if k not in last}
        former.form_ops(ops, made)
        copies.update((k, former.copied(handed_on[k])) for k in sorted(last))
        values: dict[Value, None] = {}
        for k, value in enumerate(made):
            new = copies[k] if k in copies else former.buffers[value]
            if k not in copies and (new in values or not _is_made_here(new, former.b.block)):
                new = former.copied(value)
            values[new] = None
        return list(values)

    return former.b.region_over(extents, region.block.arg_types, body)


def _may_update(op: Operation, value: Value) -> bool:
    """Whether an op may write its result over a value."""
    if isinstance(op, UpdateOp):
        return op.base is value
    makes_such = any(r.type == value.type for r in op.results)
    return makes_such and isinstance(op, (*control.CONTROL_OPS, CallOp)) and value in free_values(op)


def _is_made_here(value: Value, block: Block) -> bool:
    """Whether a kernel or loop of this block computes a value."""
    owner = value.owner
    return isinstance(owner, MAKERS) and owner.parent is block
