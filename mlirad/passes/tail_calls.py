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

A function that reports, by prints or checks, returns `select (token = -1), 0, %r`, as
`frontend/tracing/tokens.py` says. So a result may be 0 where a flag holds that does not depend on the call,
or, if it is a record, another one in a branch: the loop carries whether the flag held in any iteration.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import takewhile
from math import copysign
from typing import cast

from xdsl.dialects.builtin import ModuleOp, i1
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation, OpResult, Region

from mlirad.dialects.array import control
from mlirad.dialects.array.elementwise import ElementwiseOp, OrOp, SelectOp
from mlirad.dialects.array.frames import RestoreOp
from mlirad.dialects.array.indexing import IndexOp
from mlirad.dialects.array.reporting import ReportOp
from mlirad.dialects.array.structural import BroadcastOp, ConstantOp, SizeOp
from mlirad.dialects.shapes import Value, shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment, with_body
from mlirad.ir.builder import function_block, yields
from mlirad.ir.call_graph import callee_name, references_of
from mlirad.ir.free_values import captures, free_values, own_operands
from mlirad.ir.regions import nested_ops
from mlirad.ir.structural import scalar_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.function_pass import transform_functions


def tail_calls_to_loops(module: ModuleOp) -> None:
    """Rewrite the functions of a module all of whose calls of themselves are tail calls."""
    transform_functions(module, _as_loop)


def _is_call_of(op: Operation, function: FuncOp) -> bool:
    return isinstance(op, CallOp) and callee_name(op) == function.sym_name.data


def _as_loop(function: FuncOp) -> FuncOp:
    name = function.sym_name.data
    end = _end_of(function)
    tails = {} if end is None else dict.fromkeys(_tail_calls(function, end.last))
    if (
        end is None
        or not tails
        or any(named == name and op not in tails for named, op in references_of(function))
    ):
        return function
    return eliminate_dead_code(with_body(function, _Loop(function, end, tails).body))


# The end of a function ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _End:
    """The op whose first results a function returns, unless a flag replaces them; `behind` computes flags.

    By the op that replaces results there are its flag, and their numbers in the function and among its own.
    """

    last: Operation
    flags: Mapping[Operation, Value]
    places: Mapping[Operation, Sequence[tuple[int, int]]]
    behind: Sequence[Operation]


def _end_of(function: FuncOp) -> _End | None:
    end = function_block(function).last_op
    assert end is not None
    values, flags = list(own_operands(end)), dict[Operation, Value]()
    places: dict[Operation, list[tuple[int, int]]] = {}
    for k, value in enumerate(values):
        found = _replaced(value)
        if found is not None:
            op, flags[op], values[k], number = found
            places.setdefault(op, []).append((k, number))
    last = values[0].owner if values else None
    if not isinstance(last, Operation) or [*last.results[: len(values)]] != values:
        return None
    behind: list[Operation] = []
    op = last.next_op
    while op is not None and op is not end:
        if op not in flags:
            if not (_is_cheap(op) or isinstance(op, BroadcastOp)) or any(
                v in values for v in own_operands(op)
            ):
                return None
            behind.append(op)
        op = op.next_op
    return _End(last, flags, places, behind)


def _replaced(value: Value) -> tuple[Operation, Value, Value, int] | None:
    """The op that replaces a value where a flag holds, the flag, the value, and the number of the result."""
    op = value.owner
    if isinstance(op, SelectOp) and _is_zero(scalar_of(op.on_true)):
        flag = op.condition.owner.operand if isinstance(op.condition.owner, BroadcastOp) else op.condition
        return None if shape_of(flag) else (op, flag, op.on_false, 0)
    if not isinstance(op, control.IfOp) or not isinstance(value, OpResult):
        return None
    number, read, kept = op.results.index(value), captures(op.then), yields(op.otherwise)
    is_kept = op.otherwise.block.first_op is op.otherwise.block.last_op
    is_apart = all(isinstance(v.owner, ConstantOp) for v in read) and not _may_report(op)
    return (op, op.condition, kept[number], number) if is_kept and is_apart else None


def _is_zero(number: float | None) -> bool:
    """Tell zero from others, and from -0."""
    return number is not None and number == 0 and copysign(1, number) > 0


def _last(block: Block, count: int) -> Operation | None:
    """The op in front of the terminator, if its first results are the first values that a block yields."""
    end = block.last_op
    assert end is not None
    op = end.prev_op
    return op if op is not None and [*op.results[:count]] == _yielded(block)[:count] else None


def _yielded(block: Block) -> list[Value]:
    end = block.last_op
    assert end is not None
    return list(own_operands(end))


def _tail_calls(
    function: FuncOp, last: Operation | None, further: Sequence[Value] = ()
) -> Iterable[Operation]:
    """The tail calls in an op at the end of a block that yields further values besides its results."""
    count = len(function.function_type.outputs.data)
    if last is None:
        return
    if _is_call_of(last, function):
        if not any(v in last.results for v in further):
            yield last
    elif isinstance(last, control.IfOp | control.SwitchOp):
        for region in last.regions:
            yield from _tail_calls(function, _last(region.block, count), _yielded(region.block)[count:])


class _Loop:
    """The loop that a function becomes; its carries are the parameters, and the flags of its results."""

    def __init__(self, function: FuncOp, end: _End, tails: Mapping[Operation, None]):
        self._block, self._end, self._tails = function_block(function), end, tails
        self._results = list(function.function_type.outputs.data)
        self._prefix = list(takewhile(lambda op: op is not end.last, self._block.ops))

    def body(self, b: ArrayBuilder, *args: Value) -> Sequence[Value]:
        """Emit the function; its results."""
        b.location = next(iter(self._tails)).location
        choice = self._end.last
        if isinstance(choice, control.IfOp):
            again = [self._last(region.block) in self._tails for region in choice.regions]
            ends = [not self._calls(region) for region in choice.regions]
            if again == [not end for end in ends] and again[0] != again[1] and self._decides_cheaply(choice):
                return self._while_chosen(b, choice, args, again[0])
        return self._while_going(b, args)

    def _last(self, block: Block) -> Operation | None:
        return _last(block, len(self._results))

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

    def _flags(
        self,
        b: ArrayBuilder,
        path: Sequence[tuple[Operation, Block]],
        env: Environment,
        before: Sequence[Value],
    ) -> list[Value]:
        """The flags at the end of the innermost block of a path of branches, or those before."""
        if not self._end.flags:
            return []
        env, count = dict(env), len(self._results)
        for choice, block in reversed(path):
            further = [env.get(v, v) for v in _yielded(block)[count:]]
            env.update(zip(choice.results[count:], further, strict=True))
        self._emit(b, self._end.behind, env)
        b.name_hint = None
        flags = [env.get(flag, flag) for flag in self._end.flags.values()]
        return [b.binary(OrOp, *pair) for pair in zip(before, flags, strict=True)]

    def _returned(self, b: ArrayBuilder, values: Sequence[Value], flags: Sequence[Value]) -> list[Value]:
        """The results of the function."""
        returned = list(values)
        for (op, places), flag in zip(self._end.places.items(), flags, strict=True):
            if isinstance(op, control.IfOp):
                made = b.choose(
                    flag, [partial(self._replacing, b, op, places), partial(_picked, values, places)]
                )
                for (k, _), value in zip(places, made, strict=True):
                    returned[k] = value
            else:
                ((k, _),) = places
                zero = b.zeros(returned[k].type)
                returned[k] = b.select(b.broadcast(flag, shape_of(zero), ()), zero, returned[k])
        return returned

    def _replacing(self, b: ArrayBuilder, op: control.IfOp, places: Sequence[tuple[int, int]]) -> list[Value]:
        """Return what an op has instead of results of the function."""
        env: Environment = {}
        self._emit(b, [cast(Operation, v.owner) for v in captures(op.then)], env)
        self._emit(b, _before(op.then.block, 1), env)
        made = yields(op.then)
        return [env.get(made[number], made[number]) for _, number in places]

    # By what a branch decides ------------------------------------------------------------------------

    def _decides_cheaply(self, choice: control.IfOp) -> bool:
        """Tell whether what decides is cheap, or nothing else needs it and it does not report.

        The condition of the loop computes it again, and in front of what else an iteration does.
        """
        deciding = self._needed([choice.condition])
        inside = [op for region in choice.regions for op in region.block.ops]
        others = self._needed([v for op in (*inside, *self._end.behind) for v in free_values(op)])
        others |= self._needed(self._end.flags.values())
        return all(_is_cheap(op) or (op not in others and not _may_report(op)) for op in deciding)

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
        deciding, count = self._needed([choice.condition]), len(args)

        def condition(*carries: Value) -> Value:
            env = self._named(carries[:count], self._block.args)
            self._emit(b, (op for op in self._prefix if op in deciding), env)
            going = env.get(choice.condition, choice.condition)
            return going if goes_on else b.logical_not(going)

        def body(*carries: Value) -> list[Value]:
            env = self._named(carries[:count], self._block.args)
            self._emit(b, self._prefix, env)
            self._emit(b, _before(step, 2), env)
            given = [env.get(v, v) for v in own_operands(cast(Operation, self._last(step)))]
            return [*given, *self._flags(b, [(choice, step)], env, carries[count:])]

        none = [b.splat(False, i1) for _ in self._end.flags]
        final = b.while_([*args, *none], condition, body)
        env = self._named(final[:count], self._block.args)
        self._emit(b, self._prefix, env)
        self._emit(b, _before(end, 1), env)
        values = [env.get(v, v) for v in _yielded(end)[: len(self._results)]]
        return self._returned(b, values, self._flags(b, [(choice, end)], env, final[count:]))

    # By a flag ---------------------------------------------------------------------------------------

    def _while_going(self, b: ArrayBuilder, args: Sequence[Value]) -> Sequence[Value]:
        count, results = len(args), len(self._results)
        none = [b.splat(False, i1) for _ in self._end.flags]

        def body(*carries: Value) -> list[Value]:
            env = self._named(carries[:count], self._block.args)
            self._emit(b, self._prefix, env)
            return self._step(b, self._end.last, [], env, carries[count:])

        init = [*args, *map(b.zeros, self._results), *none, b.splat(True, i1)]
        final = b.while_(init, lambda *carries: carries[-1], body)
        return self._returned(b, final[count : count + results], final[count + results : -1])

    def _step(
        self,
        b: ArrayBuilder,
        last: Operation,
        path: Sequence[tuple[Operation, Block]],
        env: Environment,
        carried: Sequence[Value],
    ) -> list[Value]:
        """Emit a tail call, or a choice with tail calls inside; the carries behind it.

        `carried` are those behind the parameters.
        """
        results = carried[: len(self._results)]
        flags = carried[len(results) : -1]
        if last in self._tails:
            given = [env.get(v, v) for v in own_operands(last)]
            return [*given, *results, *self._flags(b, path, env, flags), carried[-1]]

        def branch(region: Region) -> list[Value]:
            block, inner = region.block, dict(env)
            deeper = [*path, (last, block)]
            if self._calls(region):
                self._emit(b, _before(block, 2), inner)
                return self._step(b, cast(Operation, self._last(block)), deeper, inner, carried)
            self._emit(b, _before(block, 1), inner)
            values = [inner.get(v, v) for v in _yielded(block)[: len(results)]]
            args = [env.get(a, a) for a in self._block.args]
            return [*args, *values, *self._flags(b, deeper, inner, flags), b.splat(False, i1)]

        choice = own_operands(last)[0]
        return b.choose(env.get(choice, choice), [partial(branch, region) for region in last.regions])


def _picked(values: Sequence[Value], places: Sequence[tuple[int, int]]) -> list[Value]:
    return [values[k] for k, _ in places]


def _before(block: Block, count: int) -> list[Operation]:
    """The ops of a block without the last ones."""
    return list(block.ops)[:-count]


def _may_report(op: Operation) -> bool:
    return any(isinstance(inner, ReportOp | CallOp) for inner in op.walk())


def _is_cheap(op: Operation) -> bool:
    return isinstance(op, ConstantOp | IndexOp | RestoreOp | SizeOp) or (
        isinstance(op, ElementwiseOp) and not shape_of(op.results[0])
    )
