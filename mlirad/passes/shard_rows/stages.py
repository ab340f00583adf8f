"""Cutting the code of a chunk into the programs of stages.

A value has a level, the number of rounds that come before it. Stage s computes what has level s: the partial
results that level s + 1 reads, and rows that are results. A later stage computes values of an earlier one
again from the chunk, or the chunk keeps them (`Residuals`).

    program of stage 1:  %x (argument), %mean (combined)  ->  partial sum of (x - mean)**2
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, BlockArgument, Operation, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import factorisations as fact
from mlirad.dialects.array.control import ReplayOp, ScanOp, TapeType, WhileOp
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.array.ordering import ArgsortOp, SortOp
from mlirad.dialects.array.reductions import DotOp
from mlirad.dialects.array.structural import BroadcastOp, ConstantOp
from mlirad.dialects.array.transforms import FftOp
from mlirad.dialects.concrete_sizes import SIZES, sizes_attribute, sizes_in_function
from mlirad.dialects.shapes import Value, shape_of, values_of
from mlirad.distributed.plan import (
    Argument,
    Before,
    Beside,
    Combination,
    Combined,
    Plan,
    Program,
    Ranks,
    Residual,
    Rows,
    Source,
    Stage,
    Whole,
)
from mlirad.ir.call_graph import CallGraph, functions_by_name
from mlirad.ir.free_values import free_values, own_operands
from mlirad.ir.locations import location_of
from mlirad.ir.printing import text_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.shard_rows import states as s
from mlirad.passes.shard_rows.flow import CUT, FIRST, GROUP, LOCAL, PREFIX, RANKS, Flow
from mlirad.passes.shard_rows.shortcuts import without_rows

Residuals: TypeAlias = Literal["cost", "keep", "again"]
"""The rows that a later stage reads of an earlier one are kept, computed again, or either by their cost."""

POLICIES: Final[Mapping[str, Residuals]] = {"cost": "cost", "keep": "keep", "again": "again"}
"""The choices by name."""

FINAL: Final = 1 << 30
"""The level of the program that makes results without rows."""

HEAVY: Final = (
    ScanOp,
    WhileOp,
    ReplayOp,
    SortOp,
    ArgsortOp,
    FftOp,
    fact.LuOp,
    fact.CholeskyOp,
    fact.QrOp,
    fact.EighOp,
    fact.SvdOp,
    fact.EigOp,
    fact.SchurOp,
    fact.TriangularSolveOp,
    fact.SolveOp,
)
"""Ops whose results are kept rather than computed again."""

LONG: Final = 32
"""The least number of products in an element of a contraction that is kept, not computed again."""


@dataclass(frozen=True)
class _Cut:
    """The ops of a program, and the values that it takes from outside."""

    ops: set[Operation]
    inputs: set[Value]


class Cutting:
    """The programs of a function whose states are known and whose code is that of a chunk."""

    def __init__(
        self, function: FuncOp, flow: Flow, sources: dict[BlockArgument, Source], residuals: Residuals
    ):
        self.function = function
        self.flow = flow
        self.sources = sources
        self.residuals = residuals
        self.block = function.body.block
        last = self.block.last_op
        assert last is not None
        self.results = list(own_operands(last))
        cut = last.attributes.get(CUT)
        self.left_out = [0] * len(self.results) if cut is None else list(values_of(cut))
        self._places = {op: k for k, op in enumerate(self.block.ops)}
        self.split = tuple(
            None if (rows := flow.rows(a, function)) is None else rows.dim
            for a, source in sources.items()
            if isinstance(source, Argument)
        )

    def plan(self) -> Plan:
        """The plan."""
        flow = self.flow
        whole = [v for v in self.results if not self._is_rows(v)]
        final = self._cut(whole, FINAL)
        ranks = [own_operands(v.owner)[0] for v in flow.searched if isinstance(v.owner, Operation)]
        by_stage: dict[int, list[Value]] = {}
        for value in self._live_partials():
            by_stage.setdefault(flow.levels[value] - 1, []).append(value)
        self._enter_alike(final, by_stage)
        self._enter_alike(self._cut(ranks, FINAL), by_stage)
        rows = [v for v in self.results if self._is_rows(v) and not isinstance(v, BlockArgument)]
        rows = list(dict.fromkeys(rows))
        count = max([*by_stage, *(flow.levels[v] for v in rows), -1]) + 1
        kept: dict[int, list[Value]] = {stage: [] for stage in range(count)}
        cuts: dict[int, _Cut] = {}
        for stage in reversed(range(count)):
            kept[stage] += [v for v in rows if flow.levels[v] == stage and v not in kept[stage]]
            cuts[stage] = self._cut([*by_stage.get(stage, ()), *kept[stage]], stage)
            self._enter_alike(cuts[stage], by_stage)
            for value in cuts[stage].inputs:
                if self._is_rows(value) and not isinstance(value, BlockArgument):
                    home = kept[flow.levels[value]]
                    if value not in home:
                        home.append(value)
        combined = [self._combinations(by_stage.get(stage, [])) for stage in range(count)]
        partials = [v for found in combined for _, values in found for v in values]
        self.numbers = {v: k for k, v in enumerate(partials)}
        for value, pivots in flow.searched.items():
            assert isinstance(value.owner, Operation)
            if (number := self.numbers.get(own_operands(value.owner)[1])) is not None:
                self.numbers[value] = number
                self.sources[pivots] = Combined(-1 - number)
        self.slots = {v: Residual(stage, k) for stage, found in kept.items() for k, v in enumerate(found)}
        stages = tuple(self._stage(cuts[stage], combined[stage], kept[stage]) for stage in range(count))
        results: list[Whole | Rows] = []
        for value, left_out in zip(self.results, self.left_out, strict=True):
            found = flow.rows(value, self.function)
            if found is None:
                results.append(Whole(sum(isinstance(r, Whole) for r in results)))
            elif isinstance(value, BlockArgument):
                source = self.sources[value]
                assert isinstance(source, Argument)
                results.append(Rows(source, found.dim, left_out))
            else:
                results.append(Rows(self.slots[value], found.dim, left_out))
        last = self._program(final, whole) if whole else None
        return Plan(flow.name, self.split, stages, last, tuple(results))

    def _enter_alike(self, cut: _Cut, by_stage: dict[int, list[Value]]) -> None:
        """Have stages return what is alike in all chunks and a later program reads."""
        for value in sorted(cut.inputs & self.flow.alike, key=self._position):
            found = by_stage.setdefault(self.flow.levels[value], [])
            if value not in found:
                found.append(value)

    # Values ---------------------------------------------------------------------------------------

    def _is_rows(self, value: Value) -> bool:
        return isinstance(self.flow.states.get(value), s.Rows)

    def _live_partials(self) -> list[Value]:
        """The partial results that the results of the function need, in program order."""
        seen: set[Value] = set()
        pending = list(self.results)
        while pending:
            value = pending.pop()
            if value in seen or isinstance(value, BlockArgument):
                continue
            seen.add(value)
            assert isinstance(value.owner, Operation)
            pending += free_values(value.owner)
        for group in self.flow.groups.values():
            if not seen.isdisjoint(group):
                seen.update(group)
        found = self.flow.partials.keys() - self.flow.searched.keys()
        return [r for op in self.block.ops for r in op.results if r in seen and r in found]

    def _combinations(self, partials: Sequence[Value]) -> list[tuple[str, list[Value]]]:
        """The kinds of the combinations of partial results, and what each combines."""
        grouped = {v: mark for mark, group in self.flow.groups.items() for v in group}
        made: dict[object, tuple[str, list[Value]]] = {}
        for value in partials:
            mark = grouped.get(value)
            if mark is None:
                kind = self.flow.partials.get(value, FIRST)
                made[value] = "list" if " " in kind else kind, [value]
            else:
                made[mark] = mark.split()[0], self.flow.groups[mark]
        return list(made.values())

    def _cut(self, wanted: Sequence[Value], stage: int) -> _Cut:
        """The part of the code that computes values in a stage."""
        flow = self.flow
        own = set(wanted)
        ops: set[Operation] = set()
        inputs: set[Value] = set()
        seen: set[Value] = set()
        pending = list(wanted)
        while pending:
            value = pending.pop()
            if value in seen:
                continue
            seen.add(value)
            if isinstance(value, BlockArgument):
                inputs.add(value)
                continue
            if value not in flow.levels:
                is_given = False
            elif value in flow.partials:
                is_given = value not in own or flow.levels[value] != stage + 1
            else:
                is_given = flow.levels[value] < stage and (value in flow.alike or self._is_kept(value))
            if is_given:
                inputs.add(value)
                continue
            assert isinstance(value.owner, Operation)
            ops.add(value.owner)
            pending += free_values(value.owner)
        return _Cut(ops, inputs)

    def _is_kept(self, value: Value) -> bool:
        """Tell whether rows of an earlier stage are a residual; else they are computed again."""
        if not self._is_rows(value) or isinstance(value.type, TapeType) or self.residuals == "again":
            return False
        op = value.owner
        if isinstance(op, ConstantOp | BroadcastOp) and not any(self._is_rows(v) for v in own_operands(op)):
            return False
        if self.residuals == "keep":
            return True
        if isinstance(op, DotOp):
            length = 1
            for d in op.contract[0]:
                length *= shape_of(op.lhs)[d]
            return length >= LONG
        return isinstance(op, HEAVY)

    def _position(self, value: Value) -> tuple[int, int, int]:
        """Arguments, then values in program order."""
        if isinstance(value, BlockArgument):
            return 0, value.index, 0
        assert isinstance(value.owner, Operation)
        return 1, self._places[value.owner], [r is value for r in value.owner.results].index(True)

    # Programs -------------------------------------------------------------------------------------

    def _stage(self, cut: _Cut, combined: Sequence[tuple[str, list[Value]]], kept: Sequence[Value]) -> Stage:
        partials = [v for _, values in combined for v in values]
        combinations = tuple(Combination(k, tuple(self.numbers[v] for v in vs)) for k, vs in combined)
        lines = dict.fromkeys(
            place for v in partials if isinstance(v.owner, Operation) and (place := location_of(v.owner))
        )
        program = self._program(cut, [*partials, *kept])
        shortcut = None if kept else self._shortcut(partials)
        return Stage(program, combinations, len(kept), tuple(lines), shortcut, self._ranks(combined))

    def _ranks(self, combined: Sequence[tuple[str, list[Value]]]) -> Ranks | None:
        """The ranks that a stage searches for."""
        firsts = [values[0] for kind, values in combined if kind == RANKS]
        owners = [v.owner for first in firsts for v in self.flow.searched if self._is_of(v, first)]
        if not owners:
            return None
        ranks = [own_operands(op)[0] for op in owners if isinstance(op, Operation)]
        dtypes = [numpy_dtype(op.results[0].type).str for op in owners if isinstance(op, Operation)]
        return Ranks(self._program(self._cut(ranks, FINAL), ranks), tuple(dtypes))

    def _is_of(self, found: Value, first: Value) -> bool:
        """Tell whether elements are those of a search with this first partial result."""
        assert isinstance(found.owner, Operation)
        return own_operands(found.owner)[1] is first

    def _shortcut(self, partials: Sequence[Value]) -> Program | None:
        """The program in place of a round, all of whose partials are of branches that may be without rows."""
        branches = [without_rows(self.flow, v) for v in partials]
        if not branches or None in branches:
            return None
        found = [b for b in branches if b is not None]
        needs = [v for b in found for v in (b.condition, *b.captured)]
        cut = self._cut(needs, FINAL)
        if not cut.inputs.isdisjoint(self.flow.alike):
            return None
        inputs = sorted(cut.inputs, key=self._position)
        block, mapped = self._block(cut, inputs)
        flags = list(dict.fromkeys(b.flag(block, mapped) for b in found))
        needed = flags[0]
        for flag in flags[1:]:
            either = ew.OrOp.create(operands=[needed, flag], result_types=[flag.type])
            block.add_op(either)
            needed = either.results[0]
        returned = [needed, *(b.value(block, mapped) for b in found)]
        return Program(self._text(block, returned), tuple(self._source(v) for v in inputs))

    def _source(self, value: Value) -> Source:
        if value in self.numbers:
            place, _, kind = self.flow.partials.get(value, "").partition(" ")
            if place == "rows":
                side, dim = kind.split()
                return Beside(self.numbers[value], int(dim), side == "after")
            if kind:
                return Before(self.numbers[value], kind, place == "after")
            return Combined(self.numbers[value])
        if isinstance(value, BlockArgument):
            return self.sources[value]
        return self.slots[value]

    def _program(self, cut: _Cut, results: Sequence[Value]) -> Program:
        inputs = sorted(cut.inputs, key=self._position)
        function = self._function(cut, inputs, results)
        found = [self.flow.rows(v, function) for v in inputs]
        if self.flow.name in sizes_in_function(function) and not any(r and r.each == 1 for r in found):
            # The number of rows is read from an argument.
            inputs.append(next(a for a in self.block.args if self._is_rows(a)))
            function = self._function(cut, inputs, results)
        names = sizes_in_function(function)
        if names:
            function.attributes[SIZES] = sizes_attribute(sorted(names))
        return Program(self._module(function), tuple(self._source(v) for v in inputs))

    def _text(self, block: Block, returned: Sequence[Value]) -> str:
        """The text of a program without rows."""
        return self._module(_returning(block, returned))

    def _module(self, function: FuncOp) -> str:
        eliminate_dead_code(function)
        return text_of(ModuleOp([function, *self._callees(function)]))

    def _function(self, cut: _Cut, inputs: Sequence[Value], results: Sequence[Value]) -> FuncOp:
        block, mapped = self._block(cut, inputs)
        return _returning(block, [mapped[v] for v in results])

    def _block(self, cut: _Cut, inputs: Sequence[Value]) -> tuple[Block, dict[Value, Value]]:
        """A block with the ops of a program, and what stands for each value in it."""
        block = Block(arg_types=[v.type for v in inputs])
        given: dict[Value, Value] = dict(zip(inputs, block.args, strict=True))
        mapped = dict(given)
        for value, argument in zip(inputs, block.args, strict=True):
            argument.name_hint = value.name_hint
        for op in self.block.ops:
            if op in cut.ops:
                block.add_op(op.clone(mapped))  # pyright: ignore[reportArgumentType]
                # Of a loop that runs again, results that were combined are those that are given.
                mapped.update((r, given[r]) for r in op.results if r in given)
        for op in block.ops:
            for mark in (LOCAL, GROUP, PREFIX):
                op.attributes.pop(mark, None)
        return block, mapped

    def _callees(self, function: FuncOp) -> list[FuncOp]:
        """Copies of the functions that a program calls."""
        module = self.function.parent_op()
        assert isinstance(module, ModuleOp)
        functions = {**functions_by_name(module), "main": function}
        names = CallGraph(functions).reachable(["main"])
        return [functions[name].clone() for name in names if name != "main"]


def _returning(block: Block, returned: Sequence[Value]) -> FuncOp:
    """The function of a block that returns these values."""
    block.add_op(ReturnOp(*returned))
    types = FunctionType.from_lists([a.type for a in block.args], [v.type for v in returned])
    return FuncOp("main", types, Region(block))
