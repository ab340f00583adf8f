"""The rewriting of one function: what repeats itself in its blocks, and the loops in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import TypeAlias

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
from mlirad.passes.reroll_loops.matching import (
    Line,
    Repetitions,
    find_in_halves,
    find_repetitions,
    find_with_lists,
)
from mlirad.passes.reroll_loops.parts import Parts, is_step
from mlirad.passes.reroll_loops.periods import Stretch, periodic_stretches
from mlirad.passes.reroll_loops.signatures import Signatures

MAX_ROUNDS = 8
"""The depth to which loops are nested, and read what others hand out, at most."""

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


_Find: TypeAlias = Callable[[Line, Stretch, int], Repetitions | None]
"""Finds the code that repeats itself in a stretch, at least a given number of times."""


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
        """Return whether an op makes a part of something that only repetitions read."""
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
    search = _Search(Line(block, ops, Parts()), before)
    numbers = [signatures(op) for op in ops]
    for stretch in periodic_stretches(numbers, costs.LEAST_REPETITIONS):
        if search.is_worth(stretch) and not search.finds(stretch, find_repetitions):
            finer = [*search.finer(numbers, stretch)]
            ways = ((finer, find_repetitions), ([stretch], find_with_lists), (finer, find_with_lists))
            if not any(search.finds_some(stretches, find) for stretches, find in ways):
                search.finds(stretch, find_in_halves)
    return search.found


class _Search:
    """The search for loops in one block."""

    def __init__(self, line: Line, before: Sequence[int]):
        self.line = line
        self.found: list[_Rolled] = []
        self._before = before
        self._taken = [False] * len(line.ops)

    def is_worth(self, stretch: Stretch) -> bool:
        """Tell if a stretch is long enough and free."""
        start, period, length = stretch
        saved = self._before[start + length] - self._before[start + period]
        return saved >= costs.LEAST_SAVED and not any(self._taken[start : start + length])

    def finds_some(self, stretches: Sequence[Stretch], find: _Find) -> bool:
        """Take the loops that stretches become; tell if there is one."""
        return sum(self.finds(stretch, find) for stretch in stretches) > 0

    def finds(self, stretch: Stretch, find: _Find) -> bool:
        """Take the loop that a stretch becomes, if it repeats code and a loop pays; tell if it does."""
        source = find(self.line, stretch, costs.LEAST_REPETITIONS) if self.is_worth(stretch) else None
        if source is None:
            return False
        source = source.trimmed(costs.LEAST_REPETITIONS)
        shape = loop_shape(source) if source.hands_out_arrays() else None
        if shape is None:
            return False
        source = source.ending_at(shape.iterations * shape.together)
        self.found.append(_Rolled(source, shape))
        self._taken[source.start : source.stop] = [True] * (source.stop - source.start)
        return True

    def finer(self, numbers: Sequence[int], stretch: Stretch) -> Iterator[Stretch]:
        """The stretches in another one that are periodic in where their operands come from as well.

        The rows of a table are found so, where cells alone seem to repeat themselves: the first cell of a row
        reads constants or another row where the others read the cell before.
        """
        start, _, length = stretch
        places = range(start, start + length)
        known: dict[object, int] = {}
        finer = [known.setdefault((numbers[p], self.line.sources(p)), len(known)) for p in places]
        for found in periodic_stretches(finer, costs.LEAST_REPETITIONS):
            yield Stretch(start + found.start, found.period, found.length)


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
