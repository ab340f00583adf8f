"""Blocks of kernels; loops and branches are the same ops, whose regions hold kernels instead of array ops.

Region arguments are buffers. Every value that a region yields is a result of its own kernel in that region,
so that lowering can let the kernel write it where it has to be: to the next carry, to its slice of the
stacked result, to the result of the branch. Values that are yielded without being computed (an argument, a
value from outside, a value that is yielded twice) are copied by a kernel.

    array.yield %b, %a                  -->    %b1 = kernel.nest %b {...}   %a1 = kernel.nest %a {...}
                                               array.yield %b1, %a1
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.func import CallOp
from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array import control, structural
from mlirad.dialects.array.frames import NextRowOp, RestoreOp, SaveOp
from mlirad.dialects.array.indexing import UpdateOp
from mlirad.dialects.kernel import KERNEL_RESULT_OPS
from mlirad.dialects.shapes import Value, shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.builder import yields
from mlirad.ir.free_values import free_values
from mlirad.lower.kernels.form_kernels.kernel_builder import KernelBuilder
from mlirad.lower.kernels.form_kernels.masked_sums import masked_sums, read_by_terms
from mlirad.lower.kernels.form_kernels.materialise import materialised
from mlirad.lower.kernels.form_kernels.regions import Bodies

MAKERS = (*KERNEL_RESULT_OPS, *control.CONTROL_OPS, CallOp, SaveOp, NextRowOp)
"""The ops that can write a result where a region's yield has to be."""


class BlockBuilder:
    """Builds blocks of kernels: of a function, and of the regions of its loops and branches."""

    def __init__(self, b: ArrayBuilder, buffers: Environment, bodies: Bodies):
        self._b = b
        self.buffers = buffers
        self._bodies = bodies
        self._kernels = KernelBuilder(b, buffers)

    def form(self, ops: Sequence[Operation], results: Sequence[Value]) -> None:
        """Form what must be stored of the values that these ops compute, given that `results` must."""
        b, kernels = self._b, self._kernels
        sums = masked_sums(b, ops)
        kernels.masked_sums.update(sums)
        stored = materialised(
            ops, results, self._bodies.captured(ops), lambda wanted: read_by_terms(ops, sums, wanted)
        )
        wanted: set[Value] = set(results)
        for op in reversed(ops):
            if any(r in wanted for r in op.results):
                wanted.update(self._bodies.reads(op))
        wanted &= stored
        for op in ops:
            b.location = op.location
            b.name_hint = None
            if isinstance(op, structural.ConstantOp) and shape_of(op.result):
                b.rebuild_unfolded(op, self.buffers)
            elif isinstance(op, control.CONTROL_OPS):
                if any(r in wanted for r in op.results):
                    self._form_control(op)
            elif isinstance(op, CallOp | SaveOp | RestoreOp | NextRowOp):
                if any(r in wanted for r in op.results):
                    b.rebuild_unfolded(op, self.buffers)
            elif any(r in wanted for r in op.results):
                kernels.form(op)

    def _form_control(self, op: Operation) -> None:
        """Form a loop or branch with kernels in its regions."""
        iterations = (op.iterations,) if isinstance(op, control.ScanOp) else ()
        new = self._b.insert(
            type(op),
            [self.buffers[o] for o in op.operands],
            op.result_types,
            op.properties,
            [
                self._form_region(region, iterations, copies_last=isinstance(op, control.BranchOp))
                for region in op.regions
            ],
        )
        for old, result in zip(op.results, new.results, strict=True):
            self.buffers[old] = result
            if result.name_hint is None:
                result.name_hint = old.name_hint

    def _form_region(self, region: Region, extents: Sequence[int], *, copies_last: bool) -> Region:
        """The region with kernels.

        Values that it yields unchanged are copied first, before the original is updated. With `copies_last`,
        for branches, what is not updated is copied last: then nobody reads the original any more, and the
        copy may lie where that does.
        """

        def body(*args: Value) -> list[Value]:
            for old, arg in zip(region.block.args, args, strict=True):
                self.buffers[old] = arg
                arg.name_hint = old.name_hint
            made = yields(region)
            ops = self._bodies.of(region)
            local = {r for op in ops for r in op.results}
            handed_on = {k: v for k, v in enumerate(made) if v not in local}
            last = handed_on.keys() if copies_last else ()
            last = {k for k in last if not any(_may_update(op, handed_on[k]) for op in ops)}
            copies = {k: self._kernels.copied(v) for k, v in handed_on.items() if k not in last}
            self.form(ops, made)
            copies.update((k, self._kernels.copied(handed_on[k])) for k in sorted(last))
            values: dict[Value, None] = {}
            for k, value in enumerate(made):
                new = copies[k] if k in copies else self.buffers[value]
                if k not in copies and (new in values or not _is_made_here(new, self._b.block)):
                    new = self._kernels.copied(value)
                values[new] = None
            return list(values)

        return self._b.region_over(extents, region.block.arg_types, body)


def _may_update(op: Operation, value: Value) -> bool:
    """Return whether an op may write its result over a value."""
    if isinstance(op, UpdateOp):
        return op.base is value
    makes_such = any(r.type == value.type for r in op.results)
    return makes_such and isinstance(op, (*control.CONTROL_OPS, CallOp)) and value in free_values(op)


def _is_made_here(value: Value, block: Block) -> bool:
    """Return whether a kernel or loop of this block computes a value."""
    owner = value.owner
    return isinstance(owner, MAKERS) and owner.parent is block
