"""The rewriting of one function: what repeats itself in its blocks, and the loops in its place."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation

from mlirad.dialects.array.control import CONTROL_OPS
from mlirad.dialects.array.custom import CheckpointOp
from mlirad.dialects.array.indexing import BuildOp, YieldOp
from mlirad.dialects.array.structural import ConcatenateOp, StackOp
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import function_block
from mlirad.ir.dead_code import erase_unused
from mlirad.ir.free_values import own_operands
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.function_pass import visit_regions
from mlirad.passes.reroll_loops import costs
from mlirad.passes.reroll_loops.costs import Shape, code_size, loop_shape
from mlirad.passes.reroll_loops.joined_rows import joined_rows
from mlirad.passes.reroll_loops.loops import emit_loop
from mlirad.passes.reroll_loops.matching import Line, Repetitions, find_repetitions
from mlirad.passes.reroll_loops.parts import Parts, is_step
from mlirad.passes.reroll_loops.periods import Stretch, periodic_stretches
from mlirad.passes.reroll_loops.signatures import Signatures

MAX_ROUNDS = 8
"""How deeply loops are nested, and read what others hand out, at most."""

_ENTERED = (*CONTROL_OPS, BuildOp, CheckpointOp)
"""Ops whose regions are looked through; those that are positions, rules or maps stay as they are."""


def rolled_function(function: FuncOp, signatures: Signatures) -> FuncOp:
    """The function with loops for what it repeats; itself if nothing repeats itself often enough."""
    for _ in range(MAX_ROUNDS):
        found = {
            rolled.source.line.ops[rolled.source.start]: rolled
            for block in _blocks(function_block(function))
            for rolled in _found_in(block, signatures)
        }
        if not found:
            break
        function = rebuild_function(function, _Rolling(found).visit)
        erase_unused(function_block(function))
    return function


@dataclass(frozen=True)
class _Rolled:
    """Repetitions that become a loop."""

    source: Repetitions
    shape: Shape


class _Rolling:
    """The rewriting of one function."""

    def __init__(self, found: dict[Operation, _Rolled]):
        self.found = found
        self.repeated = {op for f in found.values() for op in _repeated(f.source)}
        self.around = {op for f in found.values() for op in _ops_around(f.source.line.block)}

    def visit(self, b: ArrayBuilder, op: Operation, env: Environment) -> None:
        """Emit what stands for an op: a loop for the first one of repetitions, nothing for the others."""
        rolled = self.found.get(op)
        if rolled is not None:
            emit_loop(b, rolled.source, rolled.shape, env)
        elif op in self.repeated or self._is_inside(op, env):
            return
        elif op in self.around:
            visit_regions(b, op, env, self.visit)
        else:
            b.rebuild(op, env)
            if isinstance(op, StackOp | ConcatenateOp):
                joined = joined_rows(b, env[op.result])
                if joined is not None:
                    env[op.result] = joined

    def _is_inside(self, op: Operation, env: Environment) -> bool:
        """Whether an op makes a part of something that only repetitions read."""
        if not is_step(op):
            return False
        missing = (o.owner for o in own_operands(op) if o not in env)
        return any(
            isinstance(m, Operation) and (m in self.repeated or self._is_inside(m, env)) for m in missing
        )


def _found_in(block: Block, signatures: Signatures) -> list[_Rolled]:
    """The repetitions of a block that become loops; none of them is in another one."""
    ops = [op for op in block.ops if not isinstance(op, YieldOp | ReturnOp) and not is_step(op)]
    if len(ops) < costs.LEAST_REPETITIONS:
        return []
    before = list(accumulate(map(code_size, ops), initial=0))
    if before[-1] < costs.LEAST_SAVED:
        return []
    line = Line(block, ops, Parts())
    found: list[_Rolled] = []
    taken = [False] * len(ops)
    for stretch in periodic_stretches([signatures(op) for op in ops], costs.LEAST_REPETITIONS):
        start, period, length = stretch
        saved = before[start + length] - before[start + period]
        if saved < costs.LEAST_SAVED or any(taken[start : start + length]):
            continue
        rolled = _rolled(line, stretch)
        if rolled is not None:
            found.append(rolled)
            source = rolled.source
            taken[source.start : source.stop] = [True] * (source.stop - source.start)
    return found


def _rolled(line: Line, stretch: Stretch) -> _Rolled | None:
    """The loop that a stretch becomes, if it repeats code and a loop pays."""
    source = find_repetitions(line, stretch, costs.LEAST_REPETITIONS)
    if source is None:
        return None
    source = source.trimmed(costs.LEAST_REPETITIONS)
    shape = loop_shape(source) if source.hands_out_arrays() else None
    return None if shape is None else _Rolled(source.ending_at(shape.trips * shape.together), shape)


def _repeated(source: Repetitions) -> list[Operation]:
    return source.line.ops[source.start : source.stop]


def _blocks(block: Block) -> Iterator[Block]:
    """A block and those in it whose code may change."""
    yield block
    for op in block.ops:
        if isinstance(op, _ENTERED):
            for region in op.regions:
                for inner in region.blocks:
                    yield from _blocks(inner)


def _ops_around(block: Block) -> Iterator[Operation]:
    op = block.parent_op()
    while op is not None and not isinstance(op, FuncOp):
        yield op
        op = op.parent_op()
