"""Functions that call themselves on a record that theirs holds become loops: down the records, and back up.

    func.func @f(%r, %x) {                           func.func @f(%r, %x) {
      %a, %p, %next = array.restore %r                 ..., %t = array.while %true, %r, %x {
      %y = array.if %p {                                 %a, %p, %next = array.restore %r
        %z = array.mul %a, %x                            %z = array.mul %a, %x
        %w = func.call @f(%next, %z)                     array.yield %p, %next, %z, and for the tape %r
        array.yield %w                      -->        }
      } else {array.yield %x}                          %y = array.replay %t, %zero (%r, %w) {reverse} {
      %s = array.add %y, %a                              %a, %p, %next = array.restore %r
      func.return %s                                     %v = array.if %p {%w} else {the last %x}
    }                                                    array.yield %v + %a
                                                       }
                                                       func.return %y

Calls may be 4000 deep, loops go on as long as there is memory. Records hold each other in no cycle, so the
first loop ends where the function does. Its tape has what is read behind the calls, of what records hold the
records; the second loop does what is done there, in the same order. A function is rewritten if it makes one
call of itself at most, however branches choose, and none in a loop. `tail-calls-to-loops` runs before, which
needs no tape. Where a program makes few records, calls are not deep, and cost less than the tape: they stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import inf

from xdsl.dialects.builtin import ModuleOp, i1
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation, OpResult, Region

from mlirad.dialects.array import control
from mlirad.dialects.array.frames import RestoreOp, SaveOp
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.frame_type import FrameType
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder, Environment, with_body
from mlirad.ir.builder import function_block, yields
from mlirad.ir.call_graph import CallGraph, callee_name, functions_by_name, references_of
from mlirad.ir.free_values import free_values, own_operands
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.function_pass import transform_functions


def record_walks_to_loops(module: ModuleOp, depth: int) -> None:
    """Rewrite functions that call themselves on what their records hold, if more than `depth` may be made."""
    if _Records(functions_by_name(module)).most > depth:
        transform_functions(module, _as_loops)


class _Records:
    """The number of records that functions make, `inf` where loops or recursion make any number.

    Recursion that takes records, and loops down them, are as deep as there are others: what these make counts
    once.
    """

    def __init__(self, functions: Mapping[str, FuncOp]):
        self._functions, self._made = functions, dict[str, float]()
        self._graph = CallGraph(functions, references_of)

    @property
    def most(self) -> float:
        """Return how many a call of a function of the module makes."""
        return max(map(self._by, self._functions), default=0)

    def _by(self, name: str) -> float:
        if name not in self._made:
            self._made[name], function = 0, self._functions[name]
            found = self._in(function.body)
            takes_records = any(isinstance(v.type, FrameType) for v in function_block(function).args)
            is_recursive = name in self._graph.reachable(self._graph.callees(name))
            self._made[name] = inf if found and is_recursive and not takes_records else found
        return self._made[name]

    def _in(self, region: Region) -> float:
        return sum(self._of(op) for block in region.blocks for op in block.ops)

    def _of(self, op: Operation) -> float:
        if isinstance(op, SaveOp):
            return 1
        if isinstance(op, CallOp):
            return self._by(callee_name(op))
        made = sum(map(self._in, op.regions))
        if isinstance(op, control.ScanOp):
            return made * op.iterations if op.iterations else 0
        return inf if made and isinstance(op, control.LoopOp) and not _goes_down(op) else made


def _goes_down(loop: Operation) -> bool:
    """Tell whether a loop carries a record for which the next iteration gets one that it holds."""
    if not isinstance(loop, control.WhileOp):
        return False
    pairs = zip(loop.body.block.args, yields(loop.body), strict=False)
    return any(isinstance(v.type, FrameType) and _is_held(made, v) for v, made in pairs)


def _is_held(value: Value, record: Value) -> bool:
    op = value.owner
    if isinstance(op, control.IfOp | control.SwitchOp) and isinstance(value, OpResult):
        return any(_is_held(yields(region)[value.index], record) for region in op.regions)
    return isinstance(op, RestoreOp) and op.frame is record


def _as_loops(function: FuncOp) -> FuncOp:
    name, block = function.sym_name.data, function_block(function)
    calls = [op for named, op in references_of(function) if named == name]
    level = _level(block, set(calls)) if calls else None
    if level is None or not _descends(block, calls):
        return function
    return eliminate_dead_code(with_body(function, _Walk(block, level, calls).body))


def _descends(block: Block, calls: Iterable[Operation]) -> bool:
    """Tell whether every call passes, for one parameter, a record that the parameter holds."""
    return any(
        isinstance(parameter.type, FrameType)
        and all(
            isinstance(held := own_operands(call)[k].owner, RestoreOp) and held.frame is parameter
            for call in calls
        )
        for k, parameter in enumerate(block.args)
    )


@dataclass(frozen=True)
class _Level:
    """A block in which there is one call at most: the op that is or has it, the ops before it and behind.

    Of a choice, `arms` are the levels of the regions, None where there is no call.
    """

    before: Sequence[Operation]
    spot: Operation
    behind: Sequence[Operation]
    arms: Sequence[_Level | None]
    yielded: Sequence[Value]
    block: Block


def _level(block: Block, calls: set[Operation]) -> _Level | None:
    """The level of a block with calls; None where more than one may be made, or one in a loop."""
    ops = list(block.ops)
    places = [k for k, op in enumerate(ops) if not calls.isdisjoint(op.walk())]
    if len(places) != 1:
        return None
    (at,) = places
    spot, arms = ops[at], list[_Level | None]()
    if isinstance(spot, control.IfOp | control.SwitchOp):
        for region in spot.regions:
            has_calls = not calls.isdisjoint(region.walk())
            arms.append(_level(region.block, calls) if has_calls else None)
            if has_calls and arms[-1] is None:
                return None
    elif not isinstance(spot, CallOp):
        return None
    return _Level(ops[:at], spot, ops[at + 1 : -1], arms, own_operands(ops[-1]), block)


class _Walk:
    """The loops that a function becomes."""

    def __init__(self, block: Block, level: _Level, calls: Sequence[Operation]):
        self._level, self._parameters = level, block.args
        self._varying = [
            k for k, p in enumerate(block.args) if any(own_operands(call)[k] is not p for call in calls)
        ]
        self._exits = list(_exits(level))
        fixed = {p for k, p in enumerate(block.args) if k not in self._varying}
        self._again, taped, pending = set[Operation](), dict[Value, None](), list(_read_behind(level))
        while pending:
            value = pending.pop(0)
            if isinstance(value.owner, ConstantOp | RestoreOp):
                if value.owner not in self._again:
                    self._again.add(value.owner)
                    pending += own_operands(value.owner)
            elif value not in fixed:
                taped[value] = None
        self._taped = list(taped)

    def body(self, b: ArrayBuilder, *args: Value) -> Sequence[Value]:
        """Emit both loops; the results."""
        given, count = dict(zip(self._parameters, args, strict=True)), len(self._varying)
        types = [value.type for _, values in self._exits for value in values]

        def down(_: Value, *carries: Value) -> list[Value]:
            env = {**given, **self._named(carries[:count])}
            return self._down(b, self._level, env, list(carries))

        first = [b.splat(True, i1), *(args[k] for k in self._varying), *map(b.zeros, types)]
        *final, tape = b.while_(first, _going, down, record=len(self._taped))
        ends = iter(final[1 + count :])
        ended = {block: [next(ends) for _ in values] for block, values in self._exits}

        def up(entry: list[Value], results: list[Value]) -> list[Value]:
            env: Environment = {**given, **dict(zip(self._taped, entry, strict=True))}
            return self._up(b, self._level, env, results, ended)

        return b.replay(tape, [b.zeros(v.type) for v in self._level.yielded], up, reverse=True)

    def _named(self, values: Sequence[Value]) -> Environment:
        """Return the values of the parameters that vary, by parameter."""
        sources = [self._parameters[k] for k in self._varying]
        for value, source in zip(values, sources, strict=True):
            value.name_hint = source.name_hint
        return dict(zip(sources, values, strict=True))

    def _down(self, b: ArrayBuilder, level: _Level, env: Environment, carries: list[Value]) -> list[Value]:
        """Emit what is done before a call: whether there is one, the carries, and what the tape gets."""
        _emit(b, level.before, env)
        if not level.arms:
            given = own_operands(level.spot)
            again = [env.get(given[k], given[k]) for k in self._varying]
            return [b.splat(True, i1), *again, *carries[len(again) :], *self._tape(b, env)]

        def branch(arm: _Level | None, block: Block) -> list[Value]:
            inner = dict(env)
            if arm is not None:
                return self._down(b, arm, inner, carries)
            _emit(b, list(block.ops)[:-1], inner)
            ended = list(carries[: len(self._varying)])
            position = len(ended)
            for other, values in self._exits:
                made = [inner.get(v, v) for v in values] if other is block else carries[position:]
                ended += made[: len(values)]
                position += len(values)
            return [b.splat(False, i1), *ended, *self._tape(b, inner)]

        choice = own_operands(level.spot)[0]
        branches = [partial(branch, a, r.block) for a, r in zip(level.arms, level.spot.regions, strict=True)]
        return b.choose(env.get(choice, choice), branches)

    def _tape(self, b: ArrayBuilder, env: Environment) -> list[Value]:
        """Return what the tape gets: zeros in place of what is computed on another way."""
        return [env[v] if v in env else b.zeros(v.type) for v in self._taped]

    def _up(
        self,
        b: ArrayBuilder,
        level: _Level,
        env: Environment,
        results: list[Value],
        ended: dict[Block, list[Value]],
    ) -> list[Value]:
        """Emit what is done behind a call that had these results, or behind what had none; what it yields."""
        made = results
        _emit(b, [op for op in level.before if op in self._again], env)
        if level.arms:

            def branch(arm: _Level | None, block: Block) -> list[Value]:
                return ended[block] if arm is None else self._up(b, arm, dict(env), results, ended)

            choice = own_operands(level.spot)[0]
            regions = level.spot.regions
            branches = [partial(branch, a, r.block) for a, r in zip(level.arms, regions, strict=True)]
            made = b.choose(env.get(choice, choice), branches)
        env.update(zip(level.spot.results, made, strict=True))
        _emit(b, level.behind, env)
        return [env.get(v, v) for v in level.yielded]


def _going(going: Value, *_: Value) -> Value:
    return going


def _exits(level: _Level) -> Iterator[tuple[Block, Sequence[Value]]]:
    """The blocks of branches without a call, with what they yield."""
    for arm, region in zip(level.arms, level.spot.regions, strict=False):
        if arm is None:
            last = region.block.last_op
            assert last is not None
            yield region.block, own_operands(last)
        else:
            yield from _exits(arm)


def _read_behind(level: _Level) -> Iterator[Value]:
    """The values from before a call that are read behind it, or choose what is."""
    own = {*level.spot.results, *(r for op in level.behind for r in op.results)}
    read = [v for op in level.behind for v in free_values(op)]
    if level.arms:
        read.append(own_operands(level.spot)[0])
    yield from (v for v in (*read, *level.yielded) if v not in own)
    for arm in level.arms:
        if arm is not None:
            yield from _read_behind(arm)


def _emit(b: ArrayBuilder, ops: Iterable[Operation], env: Environment) -> None:
    for op in ops:
        b.location = op.location
        b.name_hint = op.results[0].name_hint if op.results else None
        b.rebuild(op, env)
    b.name_hint = None
