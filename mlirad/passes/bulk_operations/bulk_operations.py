"""Rewrites elementwise code into operations on whole arrays: no `build` remains.

    %r = array.build (%i) : -> tensor<4xf64> {          %c = array.broadcast 1.0
      %x = array.index %a[%i]                     -->   %r = array.add %a, %c
      %y = array.add %x, 1.0
      array.yield %y
    }

The ops of a function are visited once, in order, those inside builds too. A value inside builds becomes a
term (see `terms`): the array of its values for all positions it depends on. So what does not depend on a
position is computed once, before its uses. Linear in the number of ops.

`normal_form` states what the result promises. (Source: dual-numbers paper, section 5, the
"bulk-operation transformation", which rewrites terms from the outside in instead.)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i1
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects.array.control import WhileOp
from mlirad.dialects.array.indexing import BuildOp, GatherOp, IndexOp, ScatterOp, UpdateOp
from mlirad.dialects.extents import nominal
from mlirad.dialects.linear import PullOp, PushOp
from mlirad.dialects.shapes import Shape, Value, array_type, element_of, shape_of, size_of
from mlirad.ir.arrays import ArrayBuilder, Environment, extents_of, new_function, rebuild_function
from mlirad.ir.builder import function_block, yields
from mlirad.ir.dead_code import erase_unused
from mlirad.ir.first_order import require_first_order
from mlirad.ir.free_values import own_operands
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.bulk_operations.build_facts import Survey
from mlirad.passes.bulk_operations.calls import BulkCalls
from mlirad.passes.bulk_operations.computing_readings import COMPUTING_RULES
from mlirad.passes.bulk_operations.paths import Paths
from mlirad.passes.bulk_operations.placing_readings import PLACING_RULES
from mlirad.passes.bulk_operations.reader import BatchReader
from mlirad.passes.bulk_operations.table import BULK_RULES, CONTROL_RULES
from mlirad.passes.bulk_operations.terms import BatchAxis, Term, union
from mlirad.passes.function_pass import FunctionPass, holds, transform_functions

_REWRITTEN = (BuildOp, IndexOp, GatherOp, ScatterOp, UpdateOp, *CONTROL_RULES)
"""The ops that become others outside of builds too."""


@dataclass(frozen=True)
class BulkOperationsPass(FunctionPass):
    """Turn every build into operations on whole arrays.

    Builds with derivatives inside, or with calls that can be inlined, are left as they are until then.
    """

    name = "bulk-operations"

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """As `bulk_function`: calls are left as they are."""
        return bulk_function(function)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Transform the functions in program order, then add the batched ones that they call."""
        require_first_order(op)
        calls = BulkCalls(op)
        transform_functions(op, lambda function: bulk_function(function, calls))
        add_bulk_functions(calls)


def add_bulk_functions(calls: BulkCalls) -> None:
    """Add the batched functions that were asked for to the module."""
    calls.add_functions(partial(_batched_function, calls))


def bulk_function(function: FuncOp, calls: BulkCalls | None = None) -> FuncOp:
    """The function without builds, except for those that hold `linear` ops or calls which `calls` does not
    make.

    It is the function itself, without what nothing reads, if no op of it is rewritten. Whoever gives `calls`
    adds the functions that it was asked for.
    """
    if not holds(function, _REWRITTEN):
        erase_unused(function_block(function))
        return function
    survey = Survey(function, calls)
    vectoriser: _Vectoriser | None = None

    def visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
        nonlocal vectoriser
        if vectoriser is None:
            vectoriser = _Vectoriser(b, env, survey, calls)
        vectoriser.visit(op)

    new = rebuild_function(function, visit)
    erase_unused(function_block(new))
    return new


def _batched_function(
    calls: BulkCalls, function: FuncOp, name: str, shape: Shape, batched: Sequence[bool]
) -> FuncOp:
    """The function over batch axes, leading in `batched` arguments and in results; a mask comes last."""
    source = function_block(function)
    axes = tuple(BatchAxis(k, extent) for k, extent in enumerate(shape))

    def batched_type(value: Value) -> Attribute:
        return array_type((*shape, *shape_of(value)), element_of(value))

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        v = _Vectoriser(b, {}, Survey(function, calls), calls)
        reader = v.reader
        reader.opened = len(axes)
        given = [reader.term(axes if bulk else (), a) for a, bulk in zip(args, batched, strict=False)]
        mask = reader.term(axes, args[-1])
        return [reader.align(t, axes) for t in v.results(source, given, mask)]

    types = [batched_type(a) if bulk else a.type for a, bulk in zip(source.args, batched, strict=True)]
    hints = [*(a.name_hint for a in source.args), "active"]
    new = new_function(name, [*types, array_type(shape, i1)], body, hints=hints)
    new.location = function.location
    erase_unused(function_block(new))
    return new


class _Vectoriser:
    """The values met so far: `whole` those that depend on no batch axis, `terms` the others."""

    def __init__(self, b: ArrayBuilder, whole: Environment, survey: Survey, calls: BulkCalls | None):
        self.b = b
        self.whole = whole
        self.terms: dict[Value, Term] = {}
        self.survey = survey
        self.calls = calls
        self.reader = BatchReader(b, self.evaluate, PLACING_RULES, COMPUTING_RULES)
        self.paths = Paths(self.reader, self._term)
        self._lasting: set[Value] = set()
        self._postponed: dict[Value, tuple[BuildOp, int]] = {}

    def visit(self, op: Operation) -> None:
        """Enter the result of an op of the source."""
        b = self.b
        b.location = op.location
        b.name_hint = op.results[0].name_hint if len(op.results) == 1 else None
        match op:
            case BuildOp() if op in self.survey.waiting:
                b.rebuild_unfolded(op, self.whole)
                return
            case BuildOp() if op in self.survey.indexed:
                self._postponed[op.result] = (op, self.reader.opened)
                return
            case IndexOp() if op.operand in self._postponed:
                term = self._index_of_build(op, *self._postponed.pop(op.operand))
            case BuildOp() | IndexOp() | GatherOp() | ScatterOp() | UpdateOp():
                term = self._by_rule(op)
            case _ if type(op) in CONTROL_RULES and op not in self.survey.waiting:
                self._enter_all(op.results, CONTROL_RULES[type(op)](self.paths, op))
                if isinstance(op, WhileOp) and op.tape is not None:
                    self._enter_tape(op.tape)
                return
            case CallOp() if self._is_batched(op) and self.calls is not None:
                self._enter_all(op.results, self.calls.call(self.paths, op))
                return
            case PushOp() | PullOp() if self._is_batched(op) and self.calls is not None:
                self._enter_all(op.results, self.calls.derived(self.paths, op))
                return
            case _ if any(o in self.terms for o in own_operands(op)):
                term = self._by_rule(op)
            case _:
                b.rebuild(op, self.whole)
                for result in op.results:
                    self.terms.pop(result, None)
                    self._note(result, self.whole[result])
                return
        self._enter(op.results[0], term)

    def _is_batched(self, op: Operation) -> bool:
        """Return whether a call differs between batch members, or is not made for all of them."""
        return self.paths.mask is not None or any(o in self.terms for o in own_operands(op))

    def results(self, block: Block, args: Sequence[Term], mask: Term) -> list[Term]:
        """Return what the block of a function returns when its arguments are these terms."""
        for arg, term in zip(block.args, args, strict=True):
            self._enter(arg, term)
        self.paths.mask = self.paths.taken = mask
        for op in block.ops:
            if isinstance(op, ReturnOp):
                return [self._term(v) for v in own_operands(op)]
            self.visit(op)
        raise AssertionError("a function without a terminator")

    def evaluate(self, region: Region, args: Sequence[Term]) -> list[Term]:
        """Return what a region yields when its arguments are these terms."""
        for arg, term in zip(region.block.args, args, strict=True):
            self._enter(arg, term)
        location, hint = self.b.location, self.b.name_hint
        for op in region.block.ops:
            if op is not region.block.last_op:
                self.visit(op)
        self.b.location, self.b.name_hint = location, hint
        return [self._term(v) for v in yields(region)]

    def _by_rule(self, op: Operation) -> Term:
        operands = [self._term(o) for o in own_operands(op)]
        return BULK_RULES[type(op)](self.reader, op, self.paths.protected(op, operands))

    def _term(self, value: Value) -> Term:
        term = self.terms.get(value)
        return self.reader.whole(self.whole.get(value, value)) if term is None else term

    def _enter(self, value: Value, term: Term) -> None:
        if term.axes:
            self.terms[value] = term
            self.whole.pop(value, None)
        else:
            self.whole[value] = self.reader.value(term)
            self.terms.pop(value, None)
        if term.value is not None:
            self._note(value, term.value)

    def _enter_all(self, results: Sequence[Value], terms: Sequence[Term]) -> None:
        """Enter the results of a loop or branch; a tape, which is the last one, is not a term."""
        for result, term in zip(results, terms, strict=False):
            self._enter(result, term)
            if term.value is not None and term.value.name_hint is None:
                term.value.name_hint = result.name_hint

    def _enter_tape(self, source: Value) -> None:
        """Enter a tape for ops that are left as they stand, which only read those without batch axes."""
        tape = self.paths.tapes[source]
        if not any((*tape.columns, tape.mask)):
            self.whole[source] = tape.value

    def _note(self, source: Value, value: Value) -> None:
        """Equal code is shared: what stands for any value that is not single-use lasts."""
        if source not in self.survey.single_use:
            self._lasting.add(value)
            self.reader.single_use.discard(value)
        elif value not in self._lasting:
            self.reader.single_use.add(value)

    def _index_of_build(self, op: IndexOp, build: BuildOp, opened: int) -> Term:
        """`index (build n (i. t)) [p] = t[clamp p / i]`, unless more is read than the build has.

        `opened` counts the batch axes opened before the build: along these both are evaluated anyway.
        """
        reader = self.reader
        positions = [self._term(p) for p in op.positions]
        shape = extents_of(build)
        reads = prod(axis.extent for axis in union(positions) if axis.number >= opened)
        if 0 in shape or nominal(reads * size_of(op.result)) > nominal(size_of(build.result)):
            return reader.index(self._build_now(build), positions)
        count = min(len(shape), len(positions))
        own = reader.open(shape[count:], build.body.block.args[count:])
        args = [reader.clamp(p, e) for p, e in zip(positions[:count], shape[:count], strict=True)]
        body = self.evaluate(build.body, [*args, *reader.positions(own)])[0]
        return reader.index(reader.close(body, own), positions[count:])

    def _build_now(self, build: BuildOp) -> Term:
        location, hint = self.b.location, self.b.name_hint
        self.b.location, self.b.name_hint = build.location, build.result.name_hint
        term = self._by_rule(build)
        self.b.location, self.b.name_hint = location, hint
        return term
