"""Functions that end by calling themselves become loops, so that they may do so any number of times.

    func.func @power(%a, %x, %n) {                      func.func @power(%a, %x, %n) {
      %p = array.compare gt %n, %zero                     %b, %m = array.while %a, %n (%b, %m) {
      %r = array.if %p {                                    %p = array.compare gt %m, %zero
        %b = array.mul %a, %x                               array.yield %p
        %m = array.sub %n, %one              -->          } do (%b, %m) {
        %r = func.call @power(%b, %x, %m)                   %c = array.mul %b, %x
        array.yield %r                                      %k = array.sub %m, %one
      } else {array.yield %a}                               array.yield %c, %k
      func.return %r                                      }
    }                                                     func.return %b

A call is a *tail call* if the results of the function are those of the call, through branches. Functions all
of whose calls of themselves are tail calls are rewritten. Where one branch decides, and what it decides by is
cheap or not needed otherwise, that is the condition of the loop, as above. Else the loop also carries whether
it goes on, and the results.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from xdsl.dialects.builtin import ModuleOp, i1
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.array.elementwise import ElementwiseOp
from mlirad.dialects.array.frames import RestoreOp
from mlirad.dialects.array.indexing import IndexOp
from mlirad.dialects.array.structural import ConstantOp, SizeOp
from mlirad.dialects.shapes import Value, shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function
from mlirad.ir.builder import function_block
from mlirad.ir.call_graph import callee_name, references_of
from mlirad.ir.free_values import free_values, own_operands
from mlirad.ir.regions import nested_ops
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.function_pass import transform_functions


def tail_calls_to_loops(module: ModuleOp) -> None:
    """Rewrite the functions of a module all of whose calls of themselves are tail calls."""
    transform_functions(module, _as_loop)


def calls_itself(function: FuncOp) -> bool:
    """Tell whether a function has a call of itself."""
    return any(_is_call_of(op, function) for op in nested_ops(function.body))


def _is_call_of(op: Operation, function: FuncOp) -> bool:
    return isinstance(op, CallOp) and callee_name(op) == function.sym_name.data


def _as_loop(function: FuncOp) -> FuncOp:
    if not calls_itself(function):
        return function
    name, block = function.sym_name.data, function_block(function)
    tails = set(_tail_calls(function, block))
    if any(named == name and op not in tails for named, op in references_of(function)):
        return function
    loop = _Loop(function, tails)
    visibility = function.sym_visibility
    new = new_function(
        name,
        list(block.arg_types),
        loop.body,
        None if visibility is None else visibility.data,
        [a.name_hint for a in block.args],
    )
    new.location = function.location
    new.attributes.update(function.attributes)
    new.properties.update(function.properties)
    return eliminate_dead_code(new)


def _last(block: Block) -> Operation | None:
    """The op whose results, all and in order, are what a block hands over."""
    end = block.last_op
    assert end is not None
    op = end.prev_op
    return op if op is not None and op.results and [*op.results] == list(own_operands(end)) else None


def _tail_calls(function: FuncOp, block: Block) -> Iterable[Operation]:
    op = _last(block)
    if op is not None and _is_call_of(op, function):
        yield op
    elif isinstance(op, control.IfOp | control.SwitchOp):
        for region in op.regions:
            yield from _tail_calls(function, region.block)


class _Loop:
    """The loop that a function becomes; its carries are the parameters."""

    def __init__(self, function: FuncOp, tails: set[Operation]):
        self._block, self._tails = function_block(function), tails
        self._results = list(function.function_type.outputs.data)

    def body(self, b: ArrayBuilder, *args: Value) -> Sequence[Value]:
        """Emit the function; its results."""
        b.location = next(iter(self._tails)).location
        choice = _last(self._block)
        if isinstance(choice, control.IfOp):
            again = [_last(region.block) in self._tails for region in choice.regions]
            ends = [not self._calls(region) for region in choice.regions]
            if again == [not end for end in ends] and again[0] != again[1] and self._decides_cheaply(choice):
                return self._while_chosen(b, choice, args, again[0])
        return self._while_going(b, args)

    def _calls(self, region: Region) -> bool:
        return any(op in self._tails for op in nested_ops(region))

    def _named(self, values: Sequence[Value], sources: Sequence[Value]) -> Environment:
        for value, source in zip(values, sources, strict=True):
            if value.name_hint is None and isinstance(value.owner, Block):
                value.name_hint = source.name_hint
        return dict(zip(sources, values, strict=True))

    def _emit(self, b: ArrayBuilder, ops: Iterable[Operation], env: Environment) -> None:
        for op in ops:
            b.location = op.location
            b.name_hint = op.results[0].name_hint if op.results else None
            b.rebuild(op, env)

    # By what a branch decides ------------------------------------------------------------------------

    def _decides_cheaply(self, choice: control.IfOp) -> bool:
        """Tell whether what decides is cheap, or nothing else needs it: the condition computes it again."""
        deciding = self._needed([choice.condition])
        others = self._needed(
            [v for region in choice.regions for op in region.block.ops for v in free_values(op)]
        )
        return all(map(_is_cheap, deciding & others))

    def _needed(self, values: Iterable[Value]) -> set[Operation]:
        """The ops of the function's block that compute values."""
        found: set[Operation] = set()
        pending = list(values)
        while pending:
            owner = pending.pop().owner
            if isinstance(owner, Operation) and owner.parent is self._block and owner not in found:
                found.add(owner)
                pending += free_values(owner)
        return found

    def _while_chosen(
        self, b: ArrayBuilder, choice: control.IfOp, args: Sequence[Value], goes_on: bool
    ) -> Sequence[Value]:
        then, otherwise = (region.block for region in choice.regions)
        step, end = (then, otherwise) if goes_on else (otherwise, then)
        prefix = [op for op in self._block.ops if op is not choice and not isinstance(op, ReturnOp)]
        deciding = self._needed([choice.condition])

        def condition(*carries: Value) -> Value:
            env = self._named(carries, self._block.args)
            self._emit(b, (op for op in prefix if op in deciding), env)
            going = env.get(choice.condition, choice.condition)
            return going if goes_on else b.logical_not(going)

        def body(*carries: Value) -> list[Value]:
            env = self._named(carries, self._block.args)
            self._emit(b, prefix, env)
            self._emit(b, _before(step, 2), env)
            return [env.get(v, v) for v in own_operands(cast(Operation, _last(step)))]

        env = self._named(b.while_(args, condition, body), self._block.args)
        self._emit(b, prefix, env)
        self._emit(b, _before(end, 1), env)
        last = end.last_op
        assert last is not None
        return [env.get(v, v) for v in own_operands(last)]

    # By a flag ---------------------------------------------------------------------------------------

    def _while_going(self, b: ArrayBuilder, args: Sequence[Value]) -> Sequence[Value]:
        count = len(args)
        init = [*args, *map(b.zeros, self._results), b.splat(True, i1)]
        final = b.while_(
            init,
            lambda *carries: carries[-1],
            lambda *carries: self._step(
                b, self._block, self._named(carries[:count], self._block.args), carries
            ),
        )
        return final[count:-1]

    def _step(self, b: ArrayBuilder, block: Block, env: Environment, carries: Sequence[Value]) -> list[Value]:
        """Emit a block; the carries behind it."""
        count = len(self._block.args)
        last = _last(block)
        if last in self._tails:
            self._emit(b, _before(block, 2), env)
            return [*(env.get(v, v) for v in own_operands(cast(CallOp, last))), *carries[count:]]
        if isinstance(last, control.IfOp | control.SwitchOp) and any(map(self._calls, last.regions)):
            self._emit(b, _before(block, 2), env)
            choice = own_operands(last)[0]
            return b.choose(
                env.get(choice, choice),
                [
                    lambda region=region: self._step(b, region.block, dict(env), carries)
                    for region in last.regions
                ],
            )
        self._emit(b, _before(block, 1), env)
        end = block.last_op
        assert end is not None
        return [*carries[:count], *(env.get(v, v) for v in own_operands(end)), b.splat(False, i1)]


def _before(block: Block, count: int) -> list[Operation]:
    """The ops of a block without the last ones."""
    return list(block.ops)[:-count]


def _is_cheap(op: Operation) -> bool:
    return isinstance(op, ConstantOp | IndexOp | RestoreOp | SizeOp) or (
        isinstance(op, ElementwiseOp) and not shape_of(op.results[0])
    )
