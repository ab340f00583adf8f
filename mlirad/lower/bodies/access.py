"""Loads and stores of one kernel: how lanes spread over memory, guards, and checked addresses.

    stride 0       every lane the same element      one scalar load
    stride 1       lanes in consecutive elements    one vector load, of any alignment
    stride -1      the same, backwards              a vector load and a shuffle
    other strides  lanes evenly apart               a scalar load per lane
    no stride      an address per lane              a hardware gather or scatter

Scalar loads put together are 1.7 times as fast as a gather (AMD Zen 5, eight doubles per vector), where the
distances are known.

The remainder of a short row is accessed in pieces: a vector of 6 lanes is one of 4 and one of 2. The
lanes beyond repeat the last piece, so nothing is computed there that is not computed in other lanes.

A guarded access touches memory only in lanes where its guard holds; a load gives 0 elsewhere.

With checks on, an access outside its buffer is skipped (a load gives 0) and leaves its number in the fault
cell, which is 0 otherwise. Checks end no basic block: LLVM fuses a product with a sum in one
block only, and checked programs have the bits of others.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from mlirad.lower.bodies.buffers import Buffer
from mlirad.lower.bodies.segments import floor_power
from mlirad.lower.llvm.text import IRBuilder, Kind, Value, constant, lanes, type_text, undefined
from mlirad.lower.llvm.text.value import BYTES

MOST_SCALAR_LANES: Final = 16
"""Up to this many lanes with a stride are loaded or stored one by one."""


class Spread(NamedTuple):
    """The elements that the lanes of one access touch.

    `pointer` is the address of lane 0, with `stride` elements from lane to lane, or a vector of addresses
    (`stride` None). It `is_far` if it may lie far outside of the buffer where no lane is wanted: processors
    take hundreds of cycles to find that a masked load of a page that does not exist is not a fault.
    """

    buffer: Buffer
    base: Value
    pointer: Value
    stride: int | None
    width: int
    is_far: bool = False


class Access:
    """Writes the loads and stores of one function. `fault` is the pointer to the fault cell, if checked."""

    def __init__(self, f: IRBuilder, fault: Value | None = None):
        self.f = f
        self.fault = fault
        self._number = 0

    def load(self, spread: Spread, guard: Value | None = None) -> Value:
        """The elements, a vector unless `stride` is 0 or the width 1; 0 where a guard does not hold."""
        if self.fault is not None:
            guard = self._checked(spread, guard)
        with self.f.checks_itself():
            return self._load(spread, guard)

    def _load(self, spread: Spread, guard: Value | None) -> Value:
        if guard is not None and guard.literal == 1:
            guard = None
        f, kind = self.f, spread.buffer.kind
        if spread.stride == 0 or spread.width == 1:
            return self._load_uniform(spread.pointer, kind, guard)
        match spread.stride:
            case 1:
                return self._load_consecutive(spread, guard)
            case -1:
                mask = None if guard is None else self._reversed(guard)
                return self._reversed(self._load_consecutive(self._lowest(spread), mask))
            case int() if guard is None and spread.width <= MOST_SCALAR_LANES:
                vector = undefined(kind, spread.width)
                for lane, pointer in enumerate(self._lanes_of(spread)):
                    vector = f.insert(vector, f.load(pointer, kind), lane)
                return vector
            case _:
                mask = None if guard is None else f.widen(guard, spread.width)
                return f.gather(self._addresses(spread), kind, mask, None if guard is None else 0)

    def load_first(self, spread: Spread, count: int) -> Value:
        """The first lanes of consecutive elements, and any of them again in the others."""
        return self._load_pieces(spread.pointer, spread.buffer.kind, count, spread.width)

    def _load_pieces(self, pointer: Value, kind: Kind, count: int, width: int) -> Value:
        """The same by halves, which are registers of their own: LLVM has instructions that join these."""
        f, half = self.f, width // 2
        if count == width:
            return f.load(pointer, kind, width)
        if count <= half:
            low = high = self._load_pieces(pointer, kind, count, half)
        else:
            low = f.load(pointer, kind, half)
            high = self._load_pieces(f.gep(pointer, half, kind), kind, count - half, half)
        return f.widen(low, width) if half == 1 else f.shuffle(low, high, list(range(width)))

    def store_first(self, spread: Spread, value: Value, count: int) -> None:
        """Store the first lanes of a value in consecutive elements."""
        f, kind = self.f, spread.buffer.kind
        value = f.widen(value, spread.width)
        for at, size in _pieces(count):
            piece = f.shuffle(value, value, list(range(at, at + size)))
            f.store(piece, f.gep(spread.pointer, at, kind))

    def _lowest(self, spread: Spread) -> Spread:
        """A backward access as the forward one to the same elements."""
        pointer = self.f.gep(spread.pointer, 1 - spread.width, spread.buffer.kind)
        return spread._replace(pointer=pointer, stride=1)

    def _lanes_of(self, spread: Spread) -> list[Value]:
        """The address of each lane of an access with a stride."""
        assert spread.stride is not None
        kind = spread.buffer.kind
        return [self.f.gep(spread.pointer, lane * spread.stride, kind) for lane in range(spread.width)]

    def _addresses(self, spread: Spread) -> Value:
        """The addresses of all lanes as a vector."""
        if spread.stride is None:
            return spread.pointer
        return self.f.gep(spread.pointer, self.f.mul(lanes(spread.width), spread.stride), spread.buffer.kind)

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
        zeros = f.module.table("i8" if kind == "i1" else kind, [0] * width)
        if guard.width == 1:
            return f.load(f.select(guard, spread.pointer, zeros), kind, width)
        if self.fault is not None or f.globals.instructions.mask(BYTES[kind]):
            near = f.select(f.any_lane(guard), spread.pointer, zeros) if spread.is_far else spread.pointer
            return f.masked_load(near, guard, kind)
        # Nearly always all lanes are wanted, or none.
        return f.either(
            f.reduce("and", guard),
            lambda: f.load(spread.pointer, kind, width),
            lambda: f.masked_load(spread.pointer, guard, kind),
        )

    def store(self, spread: Spread, value: Value, guard: Value | None = None) -> None:
        """Store a value in every lane, or where a guard holds."""
        if self.fault is not None:
            guard = self._checked(spread, guard)
        with self.f.checks_itself():
            self._store(spread, value, guard)

    def _store(self, spread: Spread, value: Value, guard: Value | None) -> None:
        if guard is not None and guard.literal == 1:
            guard = None
        f = self.f
        if spread.stride == 0 or spread.width == 1:
            if guard is None:
                f.store(value, spread.pointer)
            else:
                f.masked_store(value, spread.pointer, guard)
            return
        value = f.widen(value, spread.width)
        if spread.stride == -1:
            spread = self._lowest(spread)
            value = self._reversed(value)
            guard = None if guard is None else self._reversed(guard)
        if (
            spread.stride is not None
            and spread.stride != 1
            and guard is None
            and spread.width <= MOST_SCALAR_LANES
        ):
            for lane, pointer in enumerate(self._lanes_of(spread)):
                f.store(f.extract(value, lane), pointer)
        elif spread.stride != 1:
            f.scatter(value, self._addresses(spread), guard)
        elif guard is None:
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
        pointer = spread.pointer
        if spread.width > 1 and spread.stride != 0:
            pointer = self._addresses(spread)
        to = type_text("i64", pointer.width)
        offset = f.sub(f.pure(f"ptrtoint {pointer.typed} to {to}", "i64", pointer.width), start)
        inside = f.icmp("ult", offset, spread.buffer.nbytes)
        wanted = constant("i1", 1) if guard is None else guard
        outside = f.and_(f.not_(inside), wanted)
        with f.checks_itself():
            f.masked_store(constant("i64", self._number), self.fault, f.any_lane(outside))
        return f.and_(inside, wanted)


def _pieces(count: int) -> list[tuple[int, int]]:
    """Return where the pieces of a given number of lanes begin, and their lanes, each a smaller power of two
    than the last.
    """
    pieces: list[tuple[int, int]] = []
    at = 0
    while at < count:
        size = floor_power(count - at)
        pieces.append((at, size))
        at += size
    return pieces
