"""Checked memory: in a function that has `bounds`, no load, store or copy touches anything else.

A function may touch the stretches of memory that it was told of, its own stack slots, the constants of the
module and the record of the call. Any other address is compared with the stretches first; an access outside
of them goes to a stack slot instead, or is left out, and is noted in the fault cell. As the writer of every
load and store does it, no emitter can forget it. Emitters that know more, such as lanes that a guard switches
off, do their own checks and say so with `checks_itself`.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Final

from mlirad.lazy_dataclass import dataclass
from mlirad.lower.llvm.text.emission import Operand
from mlirad.lower.llvm.text.memory import Memory
from mlirad.lower.llvm.text.value import BYTES, Kind, Value, constant
from mlirad.lower.native_program import BUFFER_ALIGNMENT

UNKNOWN_ACCESS: Final = -1
"""The value of the fault cell after an access outside that has no number."""


@dataclass(frozen=True)
class Bounds:
    """The stretches of memory that a function may touch, address and bytes each, and its fault cell."""

    fault: Value
    stretches: Sequence[tuple[Value, Operand]]


class Checking(Memory):
    """Writes accesses that are checked where the function has bounds."""

    bounds: Bounds | None = None
    _slots: set[str]

    def own(self, pointer: Value) -> None:
        """Let accesses by a pointer go unchecked: it is to what belongs to the function or to its call."""
        self._owned().add(pointer.text)

    def _owned(self) -> set[str]:
        if "_slots" not in self.__dict__:
            self._slots = set()
        return self._slots

    @contextmanager
    def checks_itself(self) -> Generator[None]:
        """Write accesses that have been checked."""
        bounds, self.bounds = self.bounds, None
        try:
            yield
        finally:
            self.bounds = bounds

    def inside(self, pointer: Value, size: Operand) -> Value:
        """Return whether a given number of bytes may be touched from an address on; what may not is noted as
        a fault.
        """
        if self.bounds is None or self._is_own(pointer):
            return constant("i1", 1)
        wanted = self.value(size, "i64")
        at = self._number(pointer)
        inside = constant("i1", 0)
        for base, extent in self.bounds.stretches:
            room = self.sub(self.value(extent, "i64"), wanted)
            starts = self.icmp("ule", self.sub(at, self._number(base)), room)
            inside = self.or_(inside, self.and_(starts, self.icmp("sge", room, 0)))
        noted = self.select(inside, self.alloca("i64", 1, 8), self.bounds.fault)
        super().store(constant("i64", UNKNOWN_ACCESS), noted)
        return inside

    def _number(self, pointer: Value) -> Value:
        return self.pure(f"ptrtoint ptr {pointer.text} to i64", "i64")

    def _is_own(self, pointer: Value) -> bool:
        return pointer.text.startswith("@") or pointer.text in self._owned()

    def _checked(self, pointer: Value, size: int) -> Value:
        """The address, or that of a slot where it is outside."""
        if self.bounds is None or self._is_own(pointer):
            return pointer
        return self.select(self.inside(pointer, size), pointer, self.alloca("i8", size))

    def alloca(
        self, kind: Kind, count: int = 1, align: int = BUFFER_ALIGNMENT, *, initial: Value | None = None
    ) -> Value:
        slot = super().alloca(kind, count, align, initial=initial)
        self.own(slot)
        return slot

    def gep(self, pointer: Value, index: Operand, kind: Kind, flags: str = "") -> Value:
        address = super().gep(pointer, index, kind, flags)
        if pointer.text in self._owned():
            self.own(address)
        return address

    def load(self, pointer: Value, kind: Kind, width: int = 1, align: int | None = None) -> Value:
        if kind == "i1":  # comes here again as a byte
            return super().load(pointer, kind, width, align)
        return super().load(self._checked(pointer, BYTES[kind] * width), kind, width, align)

    def store(self, value: Value, pointer: Value, align: int | None = None) -> None:
        if value.kind != "i1":
            pointer = self._checked(pointer, BYTES[value.kind] * value.width)
        super().store(value, pointer, align)

    def _block_memory(self, name: str, target: Value, second: Value, size: Operand) -> None:
        inside = self.inside(target, size)
        if second.kind == "ptr":
            inside = self.and_(inside, self.inside(second, size))
        # Nothing is touched by a block of no bytes.
        count = self.select(inside, self.value(size, "i64"), 0)
        super()._block_memory(name, target, second, count)
