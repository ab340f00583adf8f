"""Records become rows of arrays that are threaded as values, where a program is differentiated.

    %r = array.save %t, %x, %c : i64, f64, !array.frame<k> -> !array.frame<k>
  -->
    %r = array.next_row %n {record = 0, room = 64} : i64 -> i64            the number of a record is its row
    %ts1 = array.update set %ts, %t () ... {array.yield %r}                an array for each slot
    %xs1 = array.update set %xs, %x () ... {array.yield %r}
    %cs1 = array.update set %cs, %c () ... {array.yield %r}
    %n1 = array.add %r, %one

`restore` is an `index` per slot. A record has no derivative, and its rows need none of their own: updates and
indices have one, of every order, by every method.

The state of a type of records is the number of its rows and an array for each slot, of `room` rows: boxes are
few and wide, and have a room of their own. Private functions take the state of the records that they reach,
and return that of those that they save, also where they return no record: the caller's arrays would be copied
otherwise. Where no record leaves a function, or the iterations of a loop, the number goes back to its former
value, and the rows are used again.

A function that is differentiated, or is there for others, has rows of its own; one that is differentiated and
takes records gets the state as operands that are none of `wrt`. A build that saves is a scan.

A derivative of records would need cells or a heap for cotangents, rules in three methods and two modes, and
could not stand in a build. Rows are arrays, so all of this follows from updates and indices; counted, a
gradient by rows takes about three times that by a heap. Room is bounded, since arrays are: a save beyond it
ends the call at once, because indices are clamped, and links would become cycles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.array.frames import FRAME_OPS, NextRowOp, NoFrameOp, RestoreOp, SaveOp
from mlirad.dialects.array.indexing import BuildOp, YieldOp
from mlirad.dialects.frame_type import FrameType
from mlirad.dialects.linear import DifferentiationOp
from mlirad.dialects.shapes import Value, array_type, element_of, integer, shape_of
from mlirad.ir.arrays import ArrayBuilder, Environment, extents_of, new_function
from mlirad.ir.builder import function_block, returned
from mlirad.ir.call_graph import (
    CallGraph,
    callee_name,
    differentiations,
    functions_by_name,
    is_private,
    references_of,
)
from mlirad.ir.free_values import own_operands
from mlirad.ir.regions import nested_ops
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.function_pass import replace_function

ROOM = 64
"""The records of a type that there may be at a time, unless the pass is told."""

BOXES = 4
"""The number of those that hold arrays."""

State: TypeAlias = Mapping[FrameType, Sequence[Value]]
"""For each type of records the number of rows, and the arrays of their slots."""


class Rows:
    """The functions of a module on rows in the place of records."""

    def __init__(self, module: ModuleOp, rooms: Sequence[int]):
        self._functions = functions_by_name(module)
        self._types: dict[FrameType, list[Attribute]] = {}
        for op in module.walk():
            if isinstance(op, SaveOp | RestoreOp) and isinstance(op.frame.type, FrameType):
                held = own_operands(op) if isinstance(op, SaveOp) else op.results
                if op.frame.type not in self._types:
                    number = len(self._types)
                    room = rooms[number] if number < len(rooms) else usual_room(held)
                    self._types[op.frame.type] = _state_types(room, held)
        derived = {op.callee_name for f in self._functions.values() for op in differentiations(f)}
        self._derived = derived
        self._starting = {
            name
            for name, f in self._functions.items()
            if not is_private(f) or (name in derived and not _holds_frames(_signature(f)))
        }
        graph = CallGraph(self._functions, references_of)
        reached = {name: graph.reachable([name]) for name in self._functions}
        self._reached = {n: self._of_types(fs, (SaveOp, RestoreOp)) for n, fs in reached.items()}
        self._saved = {n: self._of_types(fs, (SaveOp,)) for n, fs in reached.items()}

    def run(self) -> None:
        """Replace all functions that records reach."""
        for name, function in list(self._functions.items()):
            is_concerned = self._reached[name] or _holds_frames(_signature(function))
            if is_concerned or any(_concerns(op) for op in nested_ops(function.body)):
                replace_function(function, self._function(name, function))

    # Parameters and results -----------------------------------------------------------------------

    def _of_types(
        self, names: Sequence[str] | Mapping[str, None], classes: tuple[type[Operation], ...]
    ) -> list[FrameType]:
        """The types of records that ops of some functions save or restore."""
        found = {
            op.frame.type
            for name in names
            for op in nested_ops(self._functions[name].body)
            if isinstance(op, SaveOp | RestoreOp) and isinstance(op, classes)
        }
        return [type_ for type_ in self._types if type_ in found]

    def taken(self, name: str) -> list[FrameType]:
        """The records whose state a function takes."""
        return [] if name in self._starting else self._reached[name]

    def given(self, name: str) -> list[FrameType]:
        """The records whose state a function returns."""
        return [] if name in self._starting or name in self._derived else self._saved[name]

    def _function(self, name: str, function: FuncOp) -> FuncOp:
        block = function_block(function)
        types = [_row_type(a.type) for a in block.args]
        further = [t for type_ in self.taken(name) for t in self._types[type_]]

        def body(b: ArrayBuilder, *args: Value) -> list[Value]:
            env: Environment = dict(zip(block.args, args, strict=False))
            start: State = self._split(self.taken(name), args[len(types) :])
            if name in self._starting:
                start = {k: [b.zeros(t) for t in self._types[k]] for k in self._reached[name]}
            values, state = self._block(b, block, env, start)
            if not _holds_frames([v.type for v in returned(function)]):
                state = _counted_from(state, start)
            return [*values, *(v for type_ in self.given(name) for v in state[type_])]

        visibility = function.sym_visibility
        hints = [*(a.name_hint for a in block.args), *([None] * len(further))]
        new = new_function(
            name, [*types, *further], body, None if visibility is None else visibility.data, hints
        )
        new.location = function.location
        new.attributes.update(function.attributes)
        if new.function_type == function.function_type:
            new.properties.update(function.properties)
        return eliminate_dead_code(new)

    # Blocks --------------------------------------------------------------------------------------

    def _split(self, types: Sequence[FrameType], values: Sequence[Value]) -> dict[FrameType, list[Value]]:
        """The state of types of records from its values, one after the other."""
        state: dict[FrameType, list[Value]] = {}
        start = 0
        for type_ in types:
            end = start + len(self._types[type_])
            state[type_] = list(values[start:end])
            start = end
        return state

    def _saves(self, op: Operation) -> list[FrameType]:
        """The records that an op or what is in its regions saves in the state around it."""
        found: set[Attribute] = set()
        for inner in op.walk():
            if isinstance(inner, SaveOp):
                found.add(inner.frame.type)
            elif isinstance(inner, CallOp):
                found.update(self.given(callee_name(inner)))
        return [type_ for type_ in self._types if type_ in found]

    def _block(
        self, b: ArrayBuilder, block: Block, env: Environment, state: State
    ) -> tuple[list[Value], State]:
        """Emit the ops of a block; what it hands over, and the state then."""
        for op in block.ops:
            if isinstance(op, YieldOp | ReturnOp):
                return [env.get(v, v) for v in own_operands(op)], state
            b.location = op.location
            b.name_hint = op.results[0].name_hint if op.results else None
            made = self._op(b, op, env, state)
            if made is None:
                b.rebuild(op, env)
                continue
            values, state = made
            env.update(zip(op.results, values, strict=True))
        raise AssertionError("a block without a terminator")

    def _op(
        self, b: ArrayBuilder, op: Operation, env: Environment, state: State
    ) -> tuple[Sequence[Value], State] | None:
        """The results of an op on rows, and the state behind it; None for an op on arrays alone."""
        operands = [env.get(o, o) for o in own_operands(op)]
        match op:
            case SaveOp():
                return self._save(b, op, operands, state)
            case RestoreOp():
                _, *arrays = state[_frame(op)]
                return [b.index(array, operands) for array in arrays], state
            case NoFrameOp():
                return [b.index_constant(0)], state
            case CallOp():
                name = callee_name(op)
                given = self.given(name)
                further = [v for type_ in self.taken(name) for v in state[type_]]
                types = [_row_type(t) for t in op.result_types]
                count = len(types)
                types += [t for type_ in given for t in self._types[type_]]
                made = b.call(name, [*operands, *further], types)
                return made[:count], {**state, **self._split(given, made[count:])}
            case DifferentiationOp():
                further = [v for type_ in self.taken(op.callee_name) for v in state[type_]]
                at = len(op.given)
                operands[at:at] = further
                return b.insert(type(op), operands, op.result_types, op.properties).results, state
            case _ if op.regions and any(
                _concerns(inner) or self._calls_records(inner) for inner in op.walk()
            ):
                return self._with_regions(b, op, operands, env, state)
            case _:
                return None

    def _calls_records(self, op: Operation) -> bool:
        """Tell whether an op names a function that takes state."""
        if isinstance(op, DifferentiationOp):
            return bool(self.taken(op.callee_name))
        return isinstance(op, CallOp) and bool(self.taken(callee_name(op)))

    def _save(
        self, b: ArrayBuilder, op: SaveOp, operands: Sequence[Value], state: State
    ) -> tuple[Sequence[Value], State]:
        type_ = _frame(op)
        count, *arrays = state[type_]
        row = count
        if arrays:
            properties: dict[str, Attribute] = {
                "record": integer(list(self._types).index(type_)),
                "room": integer(shape_of(arrays[0])[0]),
            }
            row = b.emit(NextRowOp, (count,), i64, properties)
        held = [
            b.update("set", array, value, 0, lambda: [row])
            for array, value in zip(arrays, operands, strict=True)
        ]
        after = b.add(row, b.index_constant(1))
        return [row], {**state, type_: [after, *held]}

    # Ops with regions ----------------------------------------------------------------------------

    def _with_regions(
        self, b: ArrayBuilder, op: Operation, operands: Sequence[Value], env: Environment, state: State
    ) -> tuple[Sequence[Value], State]:
        saved = self._saves(op)
        flat = [v for type_ in saved for v in state[type_]]
        returns = _holds_frames(op.result_types)

        def region(
            source: Region, arguments: Sequence[Value], carried: Sequence[Value] | None = None
        ) -> tuple[list[Value], list[Value]]:
            """The results of a region, and the state of the records that the op saves, which may be given."""
            inner = dict(env)
            inner.update(zip(source.block.args, arguments, strict=True))
            before: State = state if carried is None else {**state, **self._split(saved, carried)}
            values, after = self._block(b, source.block, inner, before)
            if not returns:
                after = _counted_from(after, before)
            return values, [v for type_ in saved for v in after[type_]]

        def joined(source: Region) -> list[Value]:
            values, after = region(source, ())
            return [*values, *after]

        count = len(op.results)
        match op:
            case control.IfOp() | control.SwitchOp() | CheckpointOp():
                choice = operands[0] if operands else None
                made = b.choose(choice, [partial(joined, source) for source in op.regions])
            case control.ScanOp():
                carries = len(op.init)

                def step(i: Value, carried: list[Value], xs: list[Value]) -> tuple[list[Value], list[Value]]:
                    values, after = region(op.body, [i, *carried[:carries], *xs], carried[carries:])
                    return [*values[:carries], *after], values[carries:]

                init, xs = operands[:carries], operands[carries:]
                final, stacked = b.scan_like(op, [*init, *flat], xs, step)
                made = [*final[:carries], *stacked, *final[carries:]]
            case control.WhileOp():
                carries = len(op.init)

                def goes_on(*carried: Value) -> Value:
                    return region(op.condition, carried[:carries], carried[carries:])[0][0]

                def again(*carried: Value) -> list[Value]:
                    values, after = region(op.body, carried[:carries], carried[carries:])
                    return [*values, *after]

                record = None if op.record is None else op.record.value.data
                made = b.while_([*operands, *flat], goes_on, again, record)
            case BuildOp() if saved:
                extents = shape_of(op.result)[: len(op.body.block.args)]

                def element(at: list[Value], carried: list[Value]) -> tuple[list[Value], list[Value]]:
                    values, after = region(op.body, at, carried)
                    return after, values

                after, built = b.scan_over(extents, flat, element)
                made = [*built, *after]
            case _:
                return self._other(b, op, operands, env, state), state
        return made[:count], {**state, **self._split(saved, made[count:])}

    def _other(
        self, b: ArrayBuilder, op: Operation, operands: Sequence[Value], env: Environment, state: State
    ) -> Sequence[Value]:
        """An op that hands no records over: its regions read the state around it, or have their own."""
        isolated = isinstance(op, CustomOp)

        def body(source: Region, *args: Value) -> list[Value]:
            inner: Environment = {} if isolated else dict(env)
            inner.update(zip(source.block.args, args, strict=True))
            own = {k: [b.zeros(t) for t in types] for k, types in self._types.items()} if isolated else state
            return self._block(b, source.block, inner, own)[0]

        regions = [
            b.region_over(
                extents_of(op), [_row_type(t) for t in source.block.arg_types], partial(body, source)
            )
            for source in op.regions
        ]
        types = [_row_type(t) for t in op.result_types]
        return b.insert(type(op), operands, types, op.properties, regions).results


def usual_room(held: Sequence[Value]) -> int:
    """Return how many records of these values there may be at a time, unless the pass is told."""
    return BOXES if any(shape_of(v) for v in held) else ROOM


def _state_types(room: int, held: Sequence[Value]) -> list[Attribute]:
    """The types of the number of rows, and of an array of as many rows as there is room for each value."""
    return [i64, *(array_type((room, *shape_of(v)), element_of(_row_type(v.type))) for v in held)]


def _counted_from(state: State, before: State) -> State:
    """The state with the numbers of rows that there were before."""
    return {k: [before[k][0], *values[1:]] for k, values in state.items()}


def _concerns(op: Operation) -> bool:
    """Tell whether an op makes, takes or yields records, or has some as arguments of its regions."""
    arguments = (a for region in op.regions for block in region.blocks for a in block.args)
    return isinstance(op, FRAME_OPS) or _holds_frames(
        [v.type for v in (*own_operands(op), *op.results, *arguments)]
    )


def _holds_frames(types: Sequence[Attribute]) -> bool:
    return any(_is_frames(t) for t in types)


def _is_frames(type_: Attribute) -> bool:
    return isinstance(element_of(type_), FrameType)


def _row_type(type_: Attribute) -> Attribute:
    """The type of what stands for a value: of records, the numbers of their rows."""
    return array_type(shape_of(type_), i64) if _is_frames(type_) else type_


def _frame(op: SaveOp | RestoreOp) -> FrameType:
    assert isinstance(op.frame.type, FrameType)
    return op.frame.type


def _signature(function: FuncOp) -> Sequence[Attribute]:
    return (*function.function_type.inputs.data, *function.function_type.outputs.data)
