"""Builds become loops, over single positions or over chunks of them, instead of operations on whole arrays.

    %r = array.build (%i) : -> tensor<4xf64> {t}
    -->
    %r = array.scan (%i) {carries = 0, length = 4, checkpoint = "recompute", kept} : -> tensor<4xf64> {t}

For builds whose bulk form would need more memory than there is, and to test `bulk-operations` against other
rules: such a loop is differentiated as a loop. A value that a loop reads from outside receives its cotangents
in place, position by position.

With `limit` only builds that compute more bytes than that in total become loops, in chunks of as many
positions as compute that much. (Source: dual-numbers paper, section 5.1, which makes no loops and names what
they would cost in memory.)

A build that becomes a loop is a scan without carries, marked as such, so these loops need no rules of their
own in differentiation or lowering. The last indices become batch axes, and each index in front a loop: a
single loop over the flattened space would divide in every iteration, and recompute values that depend on an
outer index alone.
"""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from mlirad.dialects.array.control import CHECKPOINTS, ScanOp
from mlirad.dialects.array.indexing import BuildOp, GatherOp, ScatterOp, UpdateOp, YieldOp
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.shapes import Value, element_of, is_array, size_of
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, Environment, extents_of, rebuild_function
from mlirad.ir.chunked_builds import chunked_build
from mlirad.ir.free_values import own_operands
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import FunctionPass, holds, visit_regions


@dataclass(frozen=True)
class BuildsToLoopsPass(FunctionPass):
    """Turns builds into loops that compute `chunk` positions at a time, or `limit` bytes at a time."""

    name = "builds-to-loops"
    chunk: int = 1
    limit: int | None = None
    checkpoint: str = "recompute"

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """The function with loops for builds."""
        if self.chunk < 1 or (self.limit is not None and self.limit < 1):
            raise UnsupportedError("builds-to-loops needs a positive chunk or limit")
        if self.checkpoint not in CHECKPOINTS:
            raise UnsupportedError(
                f"there is no checkpoint {self.checkpoint!r}", hint=f"there are {', '.join(CHECKPOINTS)}"
            )
        return rebuild_function(function, self._visit) if holds(function, BuildOp) else function

    def _visit(self, b: ArrayBuilder, op: Operation, env: Environment) -> None:
        match op:
            case BuildOp():
                chunk = self._chunk_of(op)
                if chunk is None:
                    visit_regions(b, op, env, self._visit)
                else:
                    self._as_loop(b, op, env, chunk)
            case GatherOp() | ScatterOp() | UpdateOp():
                b.location = op.location
                b.name_hint = op.results[0].name_hint
                b.rebuild_unfolded(op, env)
            case _:
                visit_regions(b, op, env, self._visit)

    def _as_loop(self, b: ArrayBuilder, op: BuildOp, env: Environment, chunk: int) -> None:
        source = op.body.block

        def body(*indices: Value) -> list[Value]:
            inner = dict(env)
            for arg, index in zip(source.args, indices, strict=True):
                inner[arg] = index
                if index.name_hint is None:
                    index.name_hint = arg.name_hint
            for inside in source.ops:
                if isinstance(inside, YieldOp):
                    return [inner.get(v, v) for v in own_operands(inside)]
                self._visit(b, inside, inner)
            raise AssertionError("a region without a terminator")

        b.location = op.location
        b.name_hint = None
        result = chunked_build(b, extents_of(op), body, chunk, self.checkpoint)[0]
        if result.name_hint is None:
            result.name_hint = op.result.name_hint
        env[op.result] = result

    def _chunk_of(self, op: BuildOp) -> int | None:
        """Return how many positions are computed at a time; None for all."""
        if self.limit is None:
            return self.chunk
        each = computed_bytes(op.body.block)
        return None if each * prod(extents_of(op)) <= self.limit else max(self.limit // max(each, 1), 1)


def computed_bytes(block: Block) -> int:
    """The bytes of all values that the ops of a block compute, those of inner builds and loops included.

    Nothing is subtracted for what fusion or dead code saves: an upper bound of what is live at once.
    """
    total = 0
    for op in block.ops:
        total += sum(size_of(r) * numpy_dtype(element_of(r)).itemsize for r in op.results if is_array(r.type))
        match op:
            case BuildOp():
                total += prod(extents_of(op)) * computed_bytes(op.body.block)
            case ScanOp():
                total += op.iterations * computed_bytes(op.body.block)
            case GatherOp() | ScatterOp() | UpdateOp():
                pass
            case _:
                total += sum(computed_bytes(inner) for region in op.regions for inner in region.blocks)
    return total
