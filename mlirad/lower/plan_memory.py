"""`plan-memory`: where every intermediate result of a function lies.

Shapes are static, so a call needs no allocator: values that are not alive at the same time share bytes of one
arena, whose size is known when compiling. A value is alive from the op that makes it to the last op that
reads it, both included.

- A value that is returned, row-major, is written straight into the result array.
- A scatter onto a base that nobody reads afterwards works on the base's own memory.
- All else gets the smallest free gap of the arena that holds it, aligned to 64 bytes.

Written down as `places` of each kernel (a byte offset, or -1 - k for output k), `in_place` of scatters, and
the function's attribute `kernel.arena_bytes`. Arguments and constants have no place and are never written.

    %a = kernel.nest %x ... {places = [0]}          arena bytes 0 to 800
    %b = kernel.nest %a ... {places = [832]}
    %c = kernel.nest %b ... {places = [-1]}         output 0
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import I64, ArrayAttr, DenseArrayBase, IntegerAttr, ModuleOp, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, OpResult
from xdsl.passes import ModulePass

from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.kernel import DotOp, LoadIfOp, LoadOp, NestOp, ScatterOp
from mlirad.dialects.shapes import FLAG, Value, element_of, ints, shape_of, size_of, values_of
from mlirad.ir.builder import function_block
from mlirad.ir.free_values import free_values

__all__ = ["ARENA_ATTRIBUTE", "PlanMemoryPass", "peak_bytes", "plan_function", "plan_in_place"]

ARENA_ATTRIBUTE = "kernel.arena_bytes"
"""The function attribute that states the size of the arena, in bytes."""

ALIGNMENT = 64
"""The alignment of values in the arena, in bytes: a cache line, and the widest vector."""


@dataclass(frozen=True)
class PlanMemoryPass(ModulePass):
    """Gives every kernel result a place in the arena or in an output."""

    name = "plan-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Plan every function of the module."""
        for function in op.body.block.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                plan_in_place(function)


def plan_function(function: FuncOp) -> FuncOp:
    """The function with places for its kernel results and the size of its arena."""
    planned = function.clone()
    plan_in_place(planned)
    return planned


def bytes_of(what: Value | Attribute) -> int:
    """The bytes of an array in memory; a boolean takes one."""
    return size_of(what) * numpy_dtype(element_of(what)).itemsize


# Liveness ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class Storage:
    """Memory for one value, or for a base and the scatters that work on it, alive from `start` to `end`."""

    start: int
    end: int
    size: int
    output: int | None = None
    place: int = 0


class Lifetimes:
    """When the kernel results of a function are alive, by the number of the op, and which share memory."""

    def __init__(self, function: FuncOp):
        self.ops = list(function_block(function).ops)
        self.last_read: dict[Value, int] = {}
        self.storage: dict[Value, Storage] = {}
        self.in_place: list[ScatterOp] = []
        returned: Sequence[Value] = ()
        for n, op in enumerate(self.ops):
            for value in free_values(op):
                self.last_read[value] = n
            if isinstance(op, ReturnOp):
                returned = op.arguments
        for n, op in enumerate(self.ops):
            if isinstance(op, NestOp | ScatterOp | DotOp):
                for result in op.results:
                    self._add(op, result, n)
        for k, value in enumerate(returned):
            storage = self.storage.get(value)
            if storage is not None and storage.output is None and is_row_major(value):
                storage.output = k

    def _add(self, op: Operation, result: Value, n: int) -> None:
        end = max(n, self.last_read.get(result, n))
        if isinstance(op, ScatterOp) and op.from_zero is None:
            base = op.inputs[0]
            shared = self.storage.get(base)
            if shared is not None and self.last_read[base] == n and _may_overwrite(op, base):
                shared.end = end
                self.storage[result] = shared
                self.in_place.append(op)
                return
        self.storage[result] = Storage(n, end, bytes_of(result))


def _may_overwrite(op: ScatterOp, base: Value) -> bool:
    """Whether a scatter may work on its base: it does not also load from it, and both are row-major."""
    if any(isinstance(o, LoadOp | LoadIfOp) and o.buffer is base for o in op.body.block.ops):
        return False
    return is_row_major(base) and is_row_major(op.result)


def is_row_major(value: Value) -> bool:
    """Whether the op that makes a value stores it in row-major order."""
    if not isinstance(value, OpResult):
        return True
    layouts = value.op.properties.get("layouts")
    if layouts is None:
        return True
    layout = cast("ArrayAttr[DenseArrayBase[I64]]", layouts).data[value.index]
    return values_of(layout) == tuple(range(len(shape_of(value))))


def peak_bytes(function: FuncOp) -> int:
    """The most bytes of intermediate results that are alive at once: no arena can be smaller."""
    lifetimes = Lifetimes(function)
    change = [0] * (len(lifetimes.ops) + 1)
    for storage in _in_arena(lifetimes):
        change[storage.start] += storage.size
        change[storage.end + 1] -= storage.size
    peak = now = 0
    for step in change:
        now += step
        peak = max(peak, now)
    return peak


def _in_arena(lifetimes: Lifetimes) -> list[Storage]:
    """What the arena has to hold, in the order in which it comes alive."""
    distinct = {id(s): s for s in lifetimes.storage.values()}
    return [s for s in distinct.values() if s.output is None]


# Places ------------------------------------------------------------------------------------------


def plan_in_place(function: FuncOp) -> None:
    """Give the kernel results of this function their places."""
    lifetimes = Lifetimes(function)
    arena = Arena()
    by_end: dict[int, list[Storage]] = {}
    done = 0
    for storage in _in_arena(lifetimes):
        for n in range(done, storage.start):
            for dead in by_end.pop(n, ()):
                arena.release(dead.place, dead.size)
        done = storage.start
        storage.place = arena.take(storage.size)
        by_end.setdefault(storage.end, []).append(storage)
    _state(lifetimes)
    function.attributes[ARENA_ATTRIBUTE] = IntegerAttr(arena.size, i64)


def _state(lifetimes: Lifetimes) -> None:
    for op in lifetimes.ops:
        if isinstance(op, NestOp | ScatterOp | DotOp):
            stored = [lifetimes.storage[r] for r in op.results]
            op.properties["places"] = ints(
                tuple(s.place if s.output is None else -1 - s.output for s in stored)
            )
            op.properties.pop("in_place", None)
    for scatter in lifetimes.in_place:
        scatter.properties["in_place"] = FLAG


class Arena:
    """Free gaps of an arena that grows at its end."""

    def __init__(self) -> None:
        self.size = 0
        self._gaps: list[tuple[int, int]] = []

    def take(self, size: int) -> int:
        """The offset of `size` bytes in the smallest gap that holds them, or at the end."""
        size = _aligned(size)
        if size == 0:
            return 0
        fitting = [(length, start, k) for k, (start, length) in enumerate(self._gaps) if length >= size]
        if fitting:
            length, start, k = min(fitting)
            if length == size:
                del self._gaps[k]
            else:
                self._gaps[k] = (start + size, length - size)
            return start
        start = self.size
        if self._gaps and sum(self._gaps[-1]) == self.size:
            start = self._gaps.pop()[0]
        self.size = start + size
        return start

    def release(self, start: int, size: int) -> None:
        """Give bytes back, joined with the gaps beside them."""
        size = _aligned(size)
        if size == 0:
            return
        k = bisect_left(self._gaps, (start, 0))
        if k < len(self._gaps) and self._gaps[k][0] == start + size:
            size += self._gaps.pop(k)[1]
        if k > 0 and sum(self._gaps[k - 1]) == start:
            start, length = self._gaps.pop(k - 1)
            size += length
        insort(self._gaps, (start, size))


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
