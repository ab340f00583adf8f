"""Loads and stores of one kernel: how lanes spread over memory, guards, and checked addresses.

    stride 0      every lane the same element      one scalar load
    stride 1      lanes in consecutive elements    one vector load, of any alignment
    stride -1     the same, backwards              a vector load and a shuffle
    otherwise     an address per lane              a hardware gather or scatter, or as many scalar accesses

A guarded access touches memory only in lanes where its guard holds; a load gives 0 elsewhere.

With checks on, an access outside its buffer is not made (a load gives 0) and leaves its number in the fault
cell, which is 0 as long as there is none.
"""

from __future__ import annotations

from typing import NamedTuple

from mlirad.lower.emit.buffers import Buffer
from mlirad.lower.llvm_text import BYTES, FunctionText, Kind, Value, constant, lanes


class Spread(NamedTuple):
    """The elements that the lanes of one access touch.

    `pointer` is the lowest address of consecutive elements, or a vector of addresses (`stride` None).
    """

    buffer: Buffer
    base: Value
    pointer: Value
    stride: int | None
    width: int


class Access:
    """Writes the loads and stores of one function. `fault` is the pointer to the fault cell, if checked."""

    def __init__(self, f: FunctionText, fault: Value | None = None):
        self.f = f
        self.fault = fault
        self._number = 0

    def load(self, spread: Spread, guard: Value | None = None) -> Value:
        """The elements, a vector unless `stride` is 0 or the width 1; 0 where a guard does not hold."""
        if self.fault is not None:
            guard = self._checked(spread, guard)
        if guard is not None and guard.literal == 1:
            guard = None
        f, kind = self.f, spread.buffer.kind
        if spread.stride is None:
            mask = None if guard is None else f.widen(guard, spread.width)
            return f.gather(spread.pointer, kind, mask, None if guard is None else 0)
        if spread.stride == 0 or spread.width == 1:
            return self._load_uniform(spread.pointer, kind, guard)
        if spread.stride == -1:
            mask = None if guard is None else self._reversed(guard)
            return self._reversed(self._load_consecutive(spread, mask))
        return self._load_consecutive(spread, guard)

    def _load_uniform(self, pointer: Value, kind: Kind, guard: Value | None) -> Value:
        f = self.f
        if guard is None:
            return f.load(pointer, kind)
        if guard.width == 1:
            return f.masked_load(pointer, guard, kind)
        element = f.masked_load(pointer, f.any_lane(guard), kind)
        return f.select(guard, element, 0)

    def _load_consecutive(self, spread: Spread, guard: Value | None) -> Value:
        f, kind, width = self.f, spread.buffer.kind, spread.width
        if guard is None:
            return f.load(spread.pointer, kind, width)
        if guard.width > 1:
            return f.masked_load(spread.pointer, guard, kind)
        zeros = f.module.table("i8" if kind == "i1" else kind, [0] * width)
        return f.load(f.select(guard, spread.pointer, zeros), kind, width)

    def store(self, spread: Spread, value: Value, guard: Value | None = None) -> None:
        """Store a value in every lane, or where a guard holds."""
        if self.fault is not None:
            guard = self._checked(spread, guard)
        if guard is not None and guard.literal == 1:
            guard = None
        f = self.f
        if spread.stride is None:
            f.scatter(f.widen(value, spread.width), spread.pointer, guard)
            return
        if spread.stride == 0 or spread.width == 1:
            if guard is None:
                f.store(value, spread.pointer)
            else:
                f.masked_store(value, spread.pointer, guard)
            return
        value = f.widen(value, spread.width)
        if spread.stride == -1:
            value = self._reversed(value)
            guard = None if guard is None else self._reversed(guard)
        if guard is None:
            f.store(value, spread.pointer)
        else:
            f.masked_store(value, spread.pointer, f.widen(guard, spread.width))

    def _reversed(self, value: Value) -> Value:
        if value.width == 1:
            return value
        return self.f.shuffle(value, value, list(reversed(range(value.width))))

    def _checked(self, spread: Spread, guard: Value | None) -> Value:
        """The guard narrowed to the lanes inside the buffer; others are recorded as a fault."""
        f = self.f
        assert self.fault is not None
        self._number += 1
        start = f.pure(f"ptrtoint ptr {spread.base.text} to i64", "i64")
        pointer_type = spread.pointer.type
        width = spread.pointer.width
        to = "i64" if width == 1 else f"<{width} x i64>"
        offset = f.sub(f.pure(f"ptrtoint {pointer_type} {spread.pointer.text} to {to}", "i64", width), start)
        if spread.stride in (1, -1) and spread.width > 1:
            step = f.mul(lanes(spread.width), BYTES[spread.buffer.kind])
            offset = f.add(offset, step)
        inside = f.icmp("ult", offset, spread.buffer.nbytes)
        wanted = constant("i1", 1) if guard is None else guard
        if spread.stride == -1:
            inside = self._reversed(inside)
        outside = f.and_(f.not_(inside), wanted)
        with f.conditional(f.any_lane(outside), rare=True):
            f.store(constant("i64", self._number), self.fault)
        return f.and_(inside, wanted)
