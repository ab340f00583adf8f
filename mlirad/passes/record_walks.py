"""Functions that call themselves on a record that theirs holds become loops: down the records, and back up.

    func.func @f(%r, %x) {                           func.func @f(%r, %x) {
      %a, %p, %next = array.restore %r                 ..., %t = array.while %true, %r, %x {
      %y = array.if %p {                                 %a, %p, %next = array.restore %r
        %z = array.mul %a, %x                            %z = array.mul %a, %x
        %w = func.call @f(%next, %z)                     array.yield %p, %next, %z, and for the tape %a, %p
        array.yield %w                      -->        }
      } else {array.yield %x}                          %y = array.replay %t, %zero (%a, %p, %w) {reverse} {
      %s = array.add %y, %a                              %v = array.if %p {%w} else {the last %x}
      func.return %s                                     array.yield %v + %a
    }                                                  }
                                                       func.return %y

Calls may be 4000 deep, loops go on as long as there is memory. Records hold each other in no cycle, so the
first loop ends where the function does. Its tape has what is read behind the calls; the second loop does what
is done there, in the same order. A function is rewritten if it makes one call of itself at most, however
branches choose, and none in a loop. `tail-calls-to-loops` runs before, which needs no tape.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import cast

from xdsl.dialects.builtin import ModuleOp, i1
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation

from mlirad.dialects.array import control
from mlirad.dialects.array.frames import RestoreOp
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.frame_type import FrameType
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function
from mlirad.ir.builder import function_block
from mlirad.ir.call_graph import references_of
from mlirad.ir.free_values import free_values, own_operands
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.function_pass import transform_functions


def record_walks_to_loops(module: ModuleOp) -> None:
    """Rewrite the functions of a module that call themselves on what their records hold."""
    transform_functions(module, _as_loops)


def _as_loops(function: FuncOp) -> FuncOp:
    name, block = function.sym_name.data, function_block(function)
    calls = [op for named, op in references_of(function) if named == name]
    level = _level(block, set(calls)) if calls else None
    if level is None or not _descends(block, calls):
        return function
    visibility = function.sym_visibility
    new = new_function(
        name,
        list(block.arg_types),
        _Walk(block, level, calls).body,
        None if visibility is None else visibility.data,
        [a.name_hint for a in block.args],
    )
    new.location = function.location
    new.attributes.update(function.attributes)
    new.properties.update(function.properties)
    return eliminate_dead_code(new)


def _descends(block: Block, calls: Iterable[Operation]) -> bool:
    """Tell whether some parameter is a record of which every call gets one that it holds."""
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
        read = list(dict.fromkeys(_read_behind(level)))
        self._constants = [cast(Operation, v.owner) for v in read if isinstance(v.owner, ConstantOp)]
        fixed = [p for k, p in enumerate(block.args) if k not in self._varying]
        self._taped = [v for v in read if not isinstance(v.owner, ConstantOp) and v not in fixed]

    def body(self, b: ArrayBuilder, *args: Value) -> Sequence[Value]:
        """Emit both loops; the results."""
        given, count = dict(zip(self._parameters, args, strict=True)), len(self._varying)
        types = [value.type for _, values in self._exits for value in values]

        def down(_: Value, *carries: Value) -> list[Value]:
            env = {**given, **self._named(carries[:count])}
            return self._down(b, self._level, env, list(carries))

        first = [b.splat(True, i1), *(args[k] for k in self._varying), *map(b.zeros, types)]
        *final, tape = b.while_(first, lambda going, *_: going, down, record=len(self._taped))
        ends = iter(final[1 + count :])
        ended = {block: [next(ends) for _ in values] for block, values in self._exits}

        def up(entry: list[Value], results: list[Value]) -> list[Value]:
            env: Environment = {**given, **dict(zip(self._taped, entry, strict=True))}
            _emit(b, self._constants, env)
            return self._up(b, self._level, env, results, ended)

        return b.replay(tape, [b.zeros(v.type) for v in self._level.yielded], up, reverse=True)

    def _named(self, values: Sequence[Value]) -> Environment:
        """What stands for the parameters that vary."""
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
        """What the tape gets: zeros in place of what is computed on another way."""
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
    choice = own_operands(level.spot)[:1] if level.arms else []
    yield from (v for v in (*choice, *read, *level.yielded) if v not in own)
    for arm in level.arms:
        if arm is not None:
            yield from _read_behind(arm)


def _emit(b: ArrayBuilder, ops: Iterable[Operation], env: Environment) -> None:
    for op in ops:
        b.location = op.location
        b.name_hint = op.results[0].name_hint if op.results else None
        b.rebuild(op, env)
    b.name_hint = None
