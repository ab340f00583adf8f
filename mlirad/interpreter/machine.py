"""The machine: runs the ops of a block in order, each through its line in the table of meanings.

A meaning is a function of the op, the values of its operands and the frame (for the op's regions). It
returns the value of the op's result, or a tuple of values when the op has not exactly one. Regions over an
index space are evaluated position by position; those made of simple element code only are evaluated on
arrays of positions instead, with the same result (floats up to the rounding of NumPy's vector code).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Generator, Sequence
from contextlib import contextmanager
from dataclasses import field
from math import prod
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, CallSiteLoc, FileLineColLoc, FusedLoc, NameLoc
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects.array.callbacks import AnyCallback
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.array.reporting import AnyReport
from mlirad.dialects.shapes import Shape, Value, is_array, shape_of
from mlirad.errors import (
    InterpreterError,
    MliradError,
    OutOfMemoryError,
    TimeLimitError,
    UnsupportedError,
    is_from_signal,
)
from mlirad.interpreter.arrays import Array
from mlirad.interpreter.counting import OperationCounter, cost
from mlirad.lazy_dataclass import dataclass

Meaning: TypeAlias = Callable[[Any, Sequence[Any], "Frame"], Any]

_CALLING = (AnyReport, AnyCallback)
"""The ops that run Python code of users, and may raise what that raises."""

CALL_DEPTH_LIMIT = 1000
"""The depth to which functions may call each other."""

CHUNK = 1 << 16
"""The number of positions of a region that are evaluated at once."""


def location_of(location: Attribute) -> str | None:
    """`file:line` of a source location, where it has one."""
    match location:
        case FileLineColLoc():
            return f"{location.filename.data}:{location.line.data}"
        case CallSiteLoc() | NameLoc() | FusedLoc():
            parts = location.parameters
        case ArrayAttr():
            parts = location.data
        case _:
            return None
    known = (location_of(part) for part in parts)
    return next((text for text in known if text is not None), None)


@dataclass(frozen=True, slots=True)
class Instruction:
    """An op, with what every execution of it needs."""

    op: Operation
    operands: tuple[Value, ...]
    results: tuple[Value, ...]
    meaning: Meaning | None
    types: tuple[tuple[Attribute, Shape, np.dtype[Any]] | None, ...]
    """Type, shape and dtype of each result that is an array or scalar."""
    cost: int


@dataclass
class Machine:
    """The functions of a program, the meanings of its ops, and the counter of what is executed."""

    meanings: dict[type[Operation], Meaning]
    element_meanings: dict[type[Operation], Callable[[Any, Sequence[Array]], Array]]
    functions: dict[str, FuncOp]
    counter: OperationCounter | None = None
    deadline: float | None = None
    """When the program is stopped, by `time.monotonic`."""
    raised_by_python: Exception | None = None
    """The exception of the stream that the program prints to, which is not a defect."""
    depth: int = 0
    frames: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    """The records that the program has saved."""
    element_code: dict[Region, bool] = field(default_factory=dict[Region, bool])
    captured: dict[Operation, Sequence[Value]] = field(default_factory=dict[Operation, Sequence[Value]])
    """The values that regions of the ops met so far read from outside."""
    instructions: dict[Block, list[Instruction]] = field(default_factory=dict[Block, list[Instruction]])

    def instructions_of(self, block: Block) -> list[Instruction]:
        """The instructions of a block, made when it is first run."""
        known = self.instructions.get(block)
        if known is None:
            known = self.instructions[block] = [self.instruction_of(op) for op in block.ops]
        return known

    def instruction_of(self, op: Operation) -> Instruction:
        """The instruction of an op."""
        results = tuple(op.results)
        types = tuple(
            (r.type, shape_of(r), numpy_dtype(r.type)) if is_array(r.type) else None for r in results
        )
        return Instruction(op, tuple(op.operands), results, self.meanings.get(type(op)), types, cost(op))

    def count(self, instruction: Instruction, times: int = 1) -> None:
        """Count `times` executions of an instruction."""
        if self.counter is not None:
            self.counter.count(instruction.op.name, times * instruction.cost)

    def look_at_clock(self) -> None:
        """Raise TimeLimitError if the program has run long enough."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise TimeLimitError

    def count_elements(self, op: Operation, elements: int) -> None:
        """Count elements that an op moves, where their number depends on data."""
        if self.counter is not None:
            self.counter.count(op.name, elements)

    def captures_of(self, op: Operation) -> Sequence[Value]:
        """The outer values that the regions of an op read, found once per op."""
        if op not in self.captured:
            self.captured[op] = tuple(_outer_values(op))
        return self.captured[op]

    def call(self, name: str, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """The results of the named function. Deep recursion raises UnsupportedError."""
        with self.entered(name) as block:
            frame = self.frame({})
            frame.bind(block, arguments)
            return tuple(frame.run(block))

    def frame(self, values: dict[Value, Any]) -> Frame:
        """A new activation, of a function or of code that has captured these values."""
        return Frame(self, values)

    @contextmanager
    def entered(self, name: str) -> Generator[Block]:
        """The body of the named function, while it is called. Deep recursion raises UnsupportedError."""
        function = self.functions.get(name)
        if function is None or not function.body.blocks:
            known = ", ".join("@" + f for f in self.functions) or "none"
            raise UnsupportedError(f"there is no function @{name} with a body; the program has {known}")
        with self.deeper(f"calls of @{name}", function):
            yield function.body.block

    @contextmanager
    def deeper(self, what: str, op: Operation) -> Generator[None]:
        """One call more inside of another. Deep recursion raises UnsupportedError."""
        if self.depth >= CALL_DEPTH_LIMIT:
            raise UnsupportedError(
                f"{what} are nested more than {CALL_DEPTH_LIMIT} deep",
                location=location_of(op.location),
                hint="the recursion has no end, or is too deep for the interpreter",
            )
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1


@dataclass
class Frame:
    """One activation of a function: its values so far."""

    machine: Machine
    values: dict[Value, Any]

    def bind(self, block: Block, arguments: Sequence[Any]) -> None:
        """Give a block its arguments."""
        self.values.update(zip(block.args, arguments, strict=True))

    def captured_by(self, op: Operation) -> dict[Value, Any]:
        """Return what the regions of an op read from outside, to be kept for when they run."""
        return {v: self.values[v] for v in self.machine.captures_of(op)}

    def run(self, block: Block) -> list[Any]:
        """Run the ops of a block; the operands of its terminator."""
        values = self.values
        operands: list[Any] = []
        for instruction in self.machine.instructions_of(block):
            operands = [values[o] for o in instruction.operands]
            for result, value in zip(
                instruction.results, self.run_instruction(instruction, operands), strict=True
            ):
                values[result] = value
        return operands

    def run_instruction(self, instruction: Instruction, operands: list[Any]) -> Sequence[Any]:
        """The values of an op's results, each of its type. Raises UnsupportedError and InterpreterError."""
        op = instruction.op
        if instruction.meaning is None:
            raise UnsupportedError(
                f"the interpreter has no meaning for {op.name}", location=location_of(op.location)
            )
        try:
            self.machine.count(instruction)
            self.machine.look_at_clock()
            computed = instruction.meaning(op, operands, self)
            values = (computed,) if len(instruction.results) == 1 else computed
            return [
                value if type_ is None else self.checked(value, *type_)
                for value, type_ in zip(values, instruction.types, strict=True)
            ]
        except MliradError:
            raise
        except MemoryError as error:
            raise _no_memory(op) from error
        except Exception as error:
            if isinstance(op, _CALLING):
                self.machine.raised_by_python = error
            if error is self.machine.raised_by_python or is_from_signal(error):
                raise
            raise InterpreterError(f"in {op.name}: {error}", location=location_of(op.location)) from error

    def checked(self, value: Any, type_: Attribute, shape: Shape, dtype: np.dtype[Any]) -> Any:
        """`value` as one of a type with this shape and dtype: scalars as NumPy scalars.

        Raises where it does not fit the type.
        """
        array = np.asarray(value)
        if array.shape != shape or array.dtype != dtype:
            raise ValueError(f"{array.dtype} of shape {list(array.shape)} does not have type {type_}")
        return array[()]

    def stacked(self, rows: Sequence[Any], type_: Attribute) -> Any:
        """The array of a type that has the rows along dimension 0."""
        whole = np.zeros(shape_of(type_), numpy_dtype(type_))
        for k, row in enumerate(rows):
            whole[k] = row
        return whole

    def region(self, region: Region, extents: Shape) -> list[Array]:
        """Return what a region over an index space yields, at every position: arrays of shape `(*extents,
        ...)`.
        """
        block = region.block
        yielded = cast(Operation, block.last_op).operands
        positions = np.indices(extents, np.int64).reshape(len(extents), prod(extents))
        if prod(extents) == 0:
            parts: list[list[Array]] = []
        elif self._is_element_code(region):
            cuts = range(0, positions.shape[1], CHUNK)
            chunks = [positions[:, k : k + CHUNK] for k in cuts]
            parts = [self.run_elements(block, chunk, chunk.shape[1]) for chunk in chunks]
        else:
            parts = []
            for k in range(positions.shape[1]):
                self.bind(block, list(positions[:, k]))
                parts.append([np.asarray(v)[np.newaxis] for v in self.run(block)])
        empties = [np.zeros((0, *shape_of(y)), numpy_dtype(y.type)) for y in yielded]
        columns = [np.concatenate(column) for column in zip(empties, *parts, strict=True)]
        return [c.reshape((*extents, *shape_of(y))) for c, y in zip(columns, yielded, strict=True)]

    # Element code on arrays of positions ---------------------------------------------------------

    def _is_element_code(self, region: Region) -> bool:
        known = self.machine.element_code
        if region not in known:
            known[region] = consists_of_element_code(region.block, self.machine.element_meanings)
        return known[region]

    def run_elements(self, block: Block, arguments: Sequence[Array] | Array, count: int) -> list[Array]:
        """The scalars that element code yields for a given number of arguments at once, in arrays."""
        inside: dict[Value, Array] = dict(zip(block.args, arguments, strict=True))

        def value_of(operand: Value) -> Array:
            if operand in inside:
                return inside[operand]
            captured = np.asarray(self.values[operand])
            return captured if captured.ndim else np.broadcast_to(captured, (count,))

        for instruction in self.machine.instructions_of(block):
            op = instruction.op
            operands = [value_of(o) for o in instruction.operands]
            if op is block.last_op:
                return operands
            self.machine.count(instruction, count)
            try:
                result = self.machine.element_meanings[type(op)](op, operands)
            except MemoryError as error:
                raise _no_memory(op) from error
            except Exception as error:
                if is_from_signal(error):
                    raise
                raise InterpreterError(f"in {op.name}: {error}", location=location_of(op.location)) from error
            inside[instruction.results[0]] = np.broadcast_to(result, (count,))
        raise InterpreterError("a region does not end in a terminator")


def consists_of_element_code(block: Block, meanings: Container[type[Operation]]) -> bool:
    """Return whether every op has an element meaning and every result and yielded value is a scalar."""
    *body, terminator = block.ops
    return not any(shape_of(y) for y in terminator.operands) and all(
        type(op) in meanings and not any(shape_of(r) for r in op.results) for op in body
    )


def _outer_values(op: Operation) -> dict[Value, None]:
    """The values that the regions of an op read and do not define, in the order of first use."""
    defined: set[Value] = set()
    read: dict[Value, None] = {}
    pending: list[Region | Operation] = list(reversed(op.regions))
    while pending:
        part = pending.pop()
        if isinstance(part, Region):
            for block in part.blocks:
                defined.update(block.args)
                pending += reversed(list(block.ops))
        else:
            read.update(dict.fromkeys(part.operands))
            defined.update(part.results)
            pending += reversed(part.regions)
    return {v: None for v in read if v not in defined}


def _no_memory(op: Operation) -> OutOfMemoryError:
    return OutOfMemoryError(
        f"there is no memory for the results of {op.name}",
        location=location_of(op.location),
        hint="work on smaller arrays, or raise the limit of the process",
    )
