"""The residuals of a region's maps.

The maps of a region read some of its values. The residuals are the values of each iteration from which these,
and what they read, are rematerialised:

    outer values, the index of the iteration              read where they are
    slices of the loop's inputs                           kept; they take no memory
    what is the same in every iteration                   recomputed
    constants, iotas, index code, structural ops and
      cheap arithmetic on recomputed values               recomputed
    a broadcast, reshape, negation ... of a value         the value is kept, the op recomputed
    an outer product, or a contraction of few terms,
      that is larger than its operands                    these are kept, the op recomputed
    tapes, which cannot be stacked                        the loop is recomputed
    what is made from an outer array that enclosing
      levels would have to keep, if it is smaller         kept
    all else                                              kept

With `recompute` everything is recomputed from the carries at the start of the iteration. Without it, the
carries are kept instead of what cheap arithmetic makes from them, if that keeps fewer elements and the
arithmetic is short: a Runge-Kutta step keeps its y and not its four stages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import prod

from xdsl.ir import Block, Operation, Region

from mlirad.dialects import linear
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.control import TapeType
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.array.reductions import DotOp
from mlirad.dialects.extents import nominal
from mlirad.dialects.shapes import Value, shape_of, values_of
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.builder import yields
from mlirad.ir.free_values import free_values, own_operands
from mlirad.passes.dual_arrays.availability import SMALLER_OPERAND, Level, elements, is_inside

ARITHMETIC_PER_VALUE = 8
"""Elementwise ops, or terms of a sum, that may be recomputed per value not kept: about what storing and
loading it costs."""


class Residuals:
    """The plan of a block: which values are kept, and which ops are recomputed to make the maps.

    `free` are arguments of the block that are available without being kept, `stacked` those that are kept at
    no cost. With `recompute` every argument counts as such and every op is recomputed. `repeats` says that
    the block is the body of a loop, of a given number of iterations. `around` are the levels that enclose the
    block.
    """

    def __init__(
        self,
        block: Block,
        maps: Sequence[Value],
        free: Sequence[Value] = (),
        stacked: Sequence[Value] = (),
        recompute: bool = False,
        repeats: bool = True,
        around: Sequence[Level] = (),
        iterations: int = 1,
    ):
        self.block = block
        self.free = frozenset(free)
        self.stacked = frozenset(stacked)
        self.around = around
        self.iterations = iterations
        self.recompute = recompute
        self.repeats = repeats
        self.kept: dict[Value, None] = {}
        self.recomputed: set[Operation] = set()
        self._plan(maps, from_arguments=recompute)
        if not recompute and repeats:
            self._keep_arguments_instead(maps)

    def _plan(self, maps: Sequence[Value], *, from_arguments: bool) -> None:
        free = {*self.free, *self.stacked, *(self.block.args if from_arguments else ())}
        whole: set[Value] = set()
        while True:
            self.kept, self.recomputed = {}, set()
            self._level = Level(
                self.block,
                self.around,
                free,
                recompute=self.recompute,
                repeats=self.repeats,
                iterations=self.iterations,
                whole=whole,
            )
            self._demand(maps)
            better_whole = self._better_whole()
            if not better_whole:
                return
            whole |= better_whole

    def _better_whole(self) -> set[Value]:
        """The outer arrays that are kept whole although parts of them would do: they are read anyway, or have
        no more elements.
        """
        parts: Counter[Value] = Counter()
        for value in self.kept:
            array = self._level.part_of(value)
            if array is not None:
                parts[array] += elements(value) * self.iterations
        if not parts:
            return set()
        read = {v for op in self.recomputed for v in free_values(op)}
        return {v for v, count in parts.items() if v in read or count >= self._level.cost_of_outer(v)}

    def _keep_arguments_instead(self, maps: Sequence[Value]) -> None:
        """Keep carries for values that are cheap to make of them, if that is less."""
        kept, recomputed, level = self.kept, self.recomputed, self._level
        if len(kept) < 2:
            return
        self._plan(maps, from_arguments=True)
        saved = len(kept) - len(self.kept)
        arithmetic = _arithmetic(self.recomputed) - _arithmetic(recomputed)
        less = nominal(sum(map(elements, self.kept))) < nominal(sum(map(elements, kept)))
        if not less or arithmetic > ARITHMETIC_PER_VALUE * saved:
            self.kept, self.recomputed, self._level = kept, recomputed, level

    def recomputed_ops(self) -> list[Operation]:
        """The ops that make the maps from what is kept, in the order of the block."""
        return [op for op in self.block.ops if op in self.recomputed]

    def _demand(self, maps: Sequence[Value]) -> None:
        pending = list(maps)
        seen: set[Value] = set()
        while pending:
            value = pending.pop()
            if value in seen or not is_inside(value, self.block):
                continue
            seen.add(value)
            owner = value.owner
            if isinstance(owner, Block):
                if value not in self.free:
                    self.kept[value] = None
            elif self._is_recomputed(value, owner):
                self.recomputed.add(owner)
                pending += free_values(owner)
            else:
                self.kept[value] = None

    def _is_recomputed(self, value: Value, owner: Operation) -> bool:
        return (
            isinstance(owner, (linear.MapOp, *SMALLER_OPERAND))
            or self._level.recomputes(value)
            or isinstance(value.type, TapeType)
            or (self.repeats and self._is_expansion(owner))
        )

    def _is_expansion(self, op: Operation) -> bool:
        """Return whether an op is a contraction of few terms that makes more elements than would be kept for
        it.
        """
        if not isinstance(op, DotOp):
            return False
        shape = shape_of(op.lhs)
        terms = prod(shape[d] for d in values_of(op.lhs_contract))
        needed = [v for v in own_operands(op) if is_inside(v, self.block) and v not in self.free]
        less = nominal(sum(map(elements, needed))) < nominal(elements(op.result))
        return less and nominal(terms) <= ARITHMETIC_PER_VALUE


def emit_with_residuals(
    b: ArrayBuilder, region: Region, arguments: Sequence[Value], kept: Sequence[Value]
) -> tuple[list[Value], list[Value]]:
    """Emit the code of a region without its maps; returns what it yields and the values that are kept."""
    env: Environment = dict(zip(region.block.args, arguments, strict=True))
    for op in region.block.ops:
        if not isinstance(op, linear.MapOp | YieldOp):
            b.rebuild(op, env)
    return [env.get(v, v) for v in yields(region)], [env.get(v, v) for v in kept]


def _arithmetic(ops: Iterable[Operation]) -> int:
    """The number of elementwise ops."""
    return sum(isinstance(op, ew.ElementwiseOp) for op in ops)
