"""The forward half of a sweep: the code of a block as it is, and for each op a step that goes back.

    %y = array.sin %x           forward: %y = array.sin %x           a step: s[x] += cos x * s[y]

A step applies the map that the derivative table has for the op; it is applied where the step is taken, and
never composed with others. An op without a construct here gets the map that dual arrays make of it alone,
also applied in its step: so are rules of users, and derivatives of functions that call themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Self, TypeAlias

from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation, Region

from mlirad.dialects.array.control import ReplayOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.shapes import Value, is_float, tuple_type
from mlirad.ir.arrays import ArrayBuilder, Environment, Images
from mlirad.ir.builder import function_block, returned
from mlirad.ir.free_values import free_values, own_operands
from mlirad.ir.maps import domain_of
from mlirad.lazy_dataclass import dataclass
from mlirad.linear_maps.apply.evaluator import MapEvaluator
from mlirad.linear_maps.elements import Elements, as_value
from mlirad.passes.chad.sweeps.backward import (
    HANDS_ON_WHOLES,
    ORDINARY,
    Backward,
    BackwardStep,
    Cotangents,
    is_chain,
)
from mlirad.passes.chad.sweeps.whole_cotangents import PARTIAL_READS, OfCalls
from mlirad.passes.dual_arrays import duals
from mlirad.passes.dual_arrays.availability import Level
from mlirad.rules.derivatives import DERIVATIVES, READS_POSITIONS, ZERO, Joint

Construct: TypeAlias = "Callable[[Sweep, Any], None]"
"""Emits an op with regions or a call, and notes its step."""


@dataclass
class Sweep(Images):
    """The state of the forward half: the images of source values, those that depend on the inputs, and the
    steps.

    `constructs` are the ops with a line of their own, `others` the constructs of dual arrays for the rest;
    `wholes_of_calls` says to which operands calls may hand whole cotangents.
    """

    b: ArrayBuilder
    constructs: Mapping[type[Operation], Construct]
    others: Mapping[type[Operation], duals.Construct]
    wholes_of_calls: OfCalls
    env: Environment = field(default_factory=dict[Value, Value])
    active: set[Value] = field(default_factory=set[Value])
    tapes: set[Value] = field(default_factory=set[Value])
    levels: tuple[Level, ...] = ()
    """The blocks around whose steps are taken when their values are gone, outermost first."""
    steps: list[BackwardStep] = field(default_factory=list[BackwardStep])
    scratch: list[Region] = field(default_factory=list[Region])
    """The regions that steps go back through, to be dropped when they are taken."""

    def inner(
        self, arguments: Iterable[tuple[Value, Value]], active: Iterable[Value], level: Level | None = None
    ) -> Self:
        """The forward half in a region, whose source arguments are given what they become."""
        env = dict(self.env)
        env.update(arguments)
        levels = self.levels if level is None else (*self.levels, level)
        return replace(self, env=env, active=set(active), tapes=set(), levels=levels, steps=[], scratch=[])

    def enter(self, step: BackwardStep) -> None:
        """Note a step."""
        self.active.update(step.results)
        self.steps.append(step)

    def transform(self, ops: Iterable[Operation]) -> None:
        """Emit ops and note their steps, up to a terminator."""
        for op in ops:
            if isinstance(op, YieldOp | ReturnOp):
                return
            read = free_values(op)
            construct = self.constructs.get(type(op))
            is_active = any(v in self.active or v in self.tapes for v in read)
            if type(op) in ZERO or not (is_active or isinstance(op, CallOp)):
                self.b.rebuild_unfolded(op, self.env)
            elif construct is not None:
                self.b.location, self.b.name_hint = op.location, None
                construct(self, op)
            elif type(op) in DERIVATIVES:
                self.by_table(op)
            else:
                self.by_map(op)

    def substitute(self, op: Operation, free: Sequence[Value], function: FuncOp) -> None:
        """Transform a function of `free` source values in the place of `op`, whose results it computes."""
        block = function_block(function)
        for source, argument in zip(free, block.args, strict=True):
            argument.replace_all_uses_with(source)
        self.transform(block.ops)
        for result, made in zip(op.results, returned(function), strict=True):
            self.env[result] = self.value(made)
            if made in self.active:
                self.enter(_handing_on(op, result, made))
        function.drop_all_references()

    # Ops without regions of code -----------------------------------------------------------------------

    def by_table(self, source: Operation) -> None:
        """Emit an op of the derivative table, and note how its cotangent goes back to its operands."""
        b = self.b
        op = b.rebuild_unfolded(source, self.env)
        (result,) = source.results
        operands = list(own_operands(source))
        rule = DERIVATIVES[type(op)]
        if not is_float(result):
            return
        b.name_hint = None
        if isinstance(rule, Joint):
            self._jointly(source, rule.rule(b, op))
            return
        if type(op) not in READS_POSITIONS and not any(o in self.active for o in operands[: len(rule)]):
            raise duals.no_rule(op)
        pulled = [
            (operand, self._as_chain_or_spine(partial(b, op)))
            for operand, partial in zip(operands, rule, strict=False)
            if partial is not None and operand in self.active
        ]
        if not pulled:
            return

        def pull(back: Backward, cotangents: Cotangents) -> None:
            for operand, tangent_map in pulled:
                assert cotangents[0] is not None
                back.add_pulled(operand, tangent_map, cotangents[0])

        parts = operands[:1] if isinstance(op, PARTIAL_READS) else ()
        read = dict.fromkeys(operand for operand, _ in pulled)
        self.enter(BackwardStep([result], read, [v for v in read if v not in parts], pull, source.location))

    def _as_chain_or_spine(self, tangent_map: Value) -> Value:
        """A map of the table with sums in it in spine form; others are chains of local maps as they are."""
        if is_chain(tangent_map):
            return tangent_map
        space = domain_of(tangent_map)
        return duals.DualArrays(self.b, space, {}).after(tangent_map, self.b.identity_map(space))

    def _jointly(self, source: Operation, tangent_map: Value) -> None:
        """Note the step of an op with one map from the tuple of the tangents of all operands."""
        operands = list(own_operands(source))
        if any(o in self.active for o in operands):
            self._note(source, source.results, operands, tangent_map)

    def by_map(self, op: Operation) -> None:
        """Emit an op, and note the step that its map by dual arrays makes."""
        loop = op.tape.owner if isinstance(op, ReplayOp) else None
        read = [v for o in (loop, op) if isinstance(o, Operation) for v in free_values(o)]
        active = [v for v in dict.fromkeys(read) if v in self.active]
        b = self.b
        space = tuple_type([v.type for v in active])
        d = duals.DualArrays(b, space, self.others, self.env, tapes=self.tapes, levels=self.levels)
        for k, v in enumerate(active):
            d.maps[v] = b.project(space, k)
        d.transform([op])
        results = [v for v in op.results if v in d.maps]
        if results:
            self._note(op, results, active, b.vcat(space, [d.maps[v] for v in results]))

    def _note(self, op: Operation, results: Sequence[Value], operands: Sequence[Value], map_: Value) -> None:
        """Note the step of a map between the tuples of the tangents of operands and results."""
        b = self.b
        first = {v: k for k, v in reversed(list(enumerate(operands)))}
        is_control = bool(op.regions) and type(op) not in DERIVATIVES

        read = dict.fromkeys(v for v in operands if v in self.active)

        def pull(back: Backward, cotangents: Cotangents) -> None:
            given: Elements = list(cotangents)
            before: Elements = [back.sums.get(v) if first[v] == k else None for k, v in enumerate(operands)]
            found = MapEvaluator(b, op, {}).transposed_onto({}, map_, given, before)
            for k, (v, element) in enumerate(zip(operands, found, strict=True)):
                if element is None or v not in read:
                    continue
                if first[v] == k:
                    back.sums[v] = as_value(element)
                else:
                    back.add(v, as_value(element))

        waits = HANDS_ON_WHOLES if is_control else ORDINARY
        self.enter(BackwardStep(results, read, read, pull, op.location, waits))


def _handing_on(op: Operation, result: Value, made: Value) -> BackwardStep:
    """The step of a value that is another one."""

    def pull(back: Backward, cotangents: Cotangents) -> None:
        assert cotangents[0] is not None
        back.add(made, cotangents[0])

    return BackwardStep([result], [made], [made], pull, op.location)
