"""Addresses, loads, stores, masks, gathers and block memory.

A load or store of width W touches W consecutive elements and is aligned to one element unless
`align` says more.  Booleans are bytes in
memory: a load of kind `i1` reads `i8` and tests its lowest bit, a store of `i1` writes 0 or 1.
"""

from __future__ import annotations

from mlirad.lower.llvm.text.arithmetic import Arithmetic
from mlirad.lower.llvm.text.emission import Operand
from mlirad.lower.llvm.text.value import BYTES, Kind, Value, constant, mangled, type_text, undefined
from mlirad.lower.native_program import BUFFER_ALIGNMENT


class Memory(Arithmetic):
    """Instructions that read or write memory, in the order they are asked for."""

    def alloca(
        self, kind: Kind, count: int = 1, align: int = BUFFER_ALIGNMENT, *, initial: Value | None = None
    ) -> Value:
        """A stack slot of `count` elements, allocated once on entry wherever it is asked for.

        A literal `initial` is stored in each of them on entry.
        """
        name = self.fresh()
        self._allocas.append(f"  {name} = alloca [{count} x {kind}], align {align}")
        if initial is not None:
            elements = ", ".join([initial.typed] * count)
            self._allocas.append(f"  store [{count} x {kind}] [{elements}], ptr {name}, align {align}")
        return Value(name, "ptr")

    def gep(self, pointer: Value, index: Operand, kind: Kind, flags: str = "") -> Value:
        """The address of element `index`; a vector of indices gives a vector of pointers.

        Without `flags` (`inbounds`, `nuw`) addresses outside the buffer may be formed, though not
        dereferenced: what masked accesses at a buffer's edge need.
        """
        position = self.value(index, "i64")
        if position.literal == 0:
            return self.widen(pointer, position.width) if position.width > 1 else pointer
        memory_kind = "i8" if kind == "i1" else kind
        spelled = f"getelementptr {flags} " if flags else "getelementptr "
        width = max(pointer.width, position.width)
        return self.pure(f"{spelled}{memory_kind}, {pointer.typed}, {position.typed}", "ptr", width)

    def load(self, pointer: Value, kind: Kind, width: int = 1, align: int | None = None) -> Value:
        if kind == "i1":
            return self.trunc(self.load(pointer, "i8", width, align), "i1")
        align = BYTES[kind] if align is None else align
        return self.define(f"load {type_text(kind, width)}, ptr {pointer.text}, align {align}", kind, width)

    def store(self, value: Value, pointer: Value, align: int | None = None) -> None:
        if value.kind == "i1":
            value = self.zext(value, "i8")
        align = BYTES[value.kind] if align is None else align
        self.line(f"store {value.typed}, ptr {pointer.text}, align {align}")

    def masked_load(
        self,
        pointer: Value,
        mask: Value,
        kind: Kind,
        otherwise: Operand | None = None,
        align: int | None = None,
    ) -> Value:
        """Consecutive elements where the mask holds, `otherwise` (default: 0) elsewhere.

        At width 1 the address is replaced by that of a private zero where the mask does not hold,
        so that the access stays branch-free; it is always safe. No select follows where 0 is wanted: LLVM
        would move it behind a product, which is then not fused with a sum.
        """
        if kind == "i1":
            byte = None if otherwise is None else self.zext(self.value(otherwise, "i1"), "i8")
            return self.trunc(self.masked_load(pointer, mask, "i8", byte, align), "i1")
        other = self.value(0 if otherwise is None else otherwise, kind)
        align = BYTES[kind] if align is None else align
        if mask.literal == 1:
            return self.load(pointer, kind, mask.width, align)
        if mask.literal == 0:
            return self.widen(other, mask.width)
        if mask.width == 1:
            safe = self.select(mask, pointer, self.globals.table(kind, [0]))
            element = self.load(safe, kind, 1, align)
            return element if other == self.value(0, kind) else self.select(mask, element, other)
        most = max(1, self.globals.instructions.mask_bytes // BYTES[kind])
        if mask.width > most:
            other = self.widen(other, mask.width)
            return self._load_in_parts(pointer, mask, kind, other, min(align, most * BYTES[kind]), most)
        type_ = type_text(kind, mask.width)
        name = f"llvm.masked.load.{mangled(kind, mask.width)}.p0"
        self.globals.declare(name, type_, ["ptr", mask.type, type_])
        other = self.widen(other, mask.width)
        return self.define(
            f"call {type_} @{name}(ptr align {align} {pointer.text}, {mask.typed}, {other.typed})",
            kind,
            mask.width,
        )

    def _load_in_parts(
        self, pointer: Value, mask: Value, kind: Kind, other: Value, align: int, most: int
    ) -> Value:
        """A masked load of more than `most` lanes, as loads of `most`."""
        parts: list[Value] = []
        for first in range(0, mask.width, most):
            lanes = list(range(first, first + most))
            mask_part, other_part = self.shuffle(mask, mask, lanes), self.shuffle(other, other, lanes)
            parts.append(self.masked_load(self.gep(pointer, first, kind), mask_part, kind, other_part, align))
        while len(parts) > 1:
            pairs = zip(parts[::2], parts[1::2], strict=True)
            parts = [self.shuffle(a, b, list(range(a.width + b.width))) for a, b in pairs]
        return parts[0]

    def masked_store(
        self,
        value: Value,
        pointer: Value,
        mask: Value,
        align: int | None = None,
    ) -> None:
        """Store consecutive elements where the mask holds; at width 1 by a branch-free detour to a
        private slot."""
        if value.kind == "i1":
            value = self.zext(value, "i8")
        width = max(value.width, mask.width)
        value, mask = self.widen(value, width), self.widen(mask, width)
        align = BYTES[value.kind] if align is None else align
        if mask.literal == 1:
            self.store(value, pointer, align)
        elif mask.literal == 0:
            return
        elif width == 1:
            slot = self.alloca(value.kind, 1, max(8, align))
            self.store(value, self.select(mask, pointer, slot), align)
        else:
            name = f"llvm.masked.store.{mangled(value.kind, width)}.p0"
            self.globals.declare(name, "void", [value.type, "ptr", mask.type])
            self.line(f"call void @{name}({value.typed}, ptr align {align} {pointer.text}, {mask.typed})")

    def gather(
        self,
        pointers: Value,
        kind: Kind,
        mask: Value | None = None,
        otherwise: Operand | None = None,
    ) -> Value:
        """Elements at a vector of addresses, where the mask holds; a plain load at width 1."""
        if kind == "i1":
            byte = None if otherwise is None else self.zext(self.value(otherwise, "i1"), "i8")
            return self.trunc(self.gather(pointers, "i8", mask, byte), "i1")
        mask = constant("i1", 1) if mask is None else mask
        width = pointers.width
        if width == 1:
            return self.masked_load(pointers, mask, kind, otherwise)
        other = undefined(kind) if otherwise is None and mask.literal == 1 else otherwise
        other = self.widen(self.value(0 if other is None else other, kind), width)
        mask = self.widen(mask, width)
        name = f"llvm.masked.gather.{mangled(kind, width)}.v{width}p0"
        self.globals.declare(name, other.type, [pointers.type, mask.type, other.type])
        return self.define(
            f"call {other.type} @{name}({type_text('ptr', width)} align {BYTES[kind]} "
            f"{pointers.text}, {mask.typed}, {other.typed})",
            kind,
            width,
        )

    def scatter(self, value: Value, pointers: Value, mask: Value | None = None) -> None:
        """Store to a vector of addresses where the mask holds; of equal addresses the last wins."""
        if value.kind == "i1":
            value = self.zext(value, "i8")
        mask = constant("i1", 1) if mask is None else mask
        width = pointers.width
        if width == 1:
            self.masked_store(value, pointers, mask)
            return
        value, mask = self.widen(value, width), self.widen(mask, width)
        name = f"llvm.masked.scatter.{mangled(value.kind, width)}.v{width}p0"
        self.globals.declare(name, "void", [value.type, pointers.type, mask.type])
        self.line(
            f"call void @{name}({value.typed}, {pointers.type} align {BYTES[value.kind]} "
            f"{pointers.text}, {mask.typed})"
        )

    def memcpy(self, target: Value, source: Value, size: Operand) -> None:
        """Copy `size` bytes between buffers that do not overlap (or are the same)."""
        self._block_memory("llvm.memcpy.p0.p0.i64", target, source, size)

    def memset(self, target: Value, byte: int, size: Operand) -> None:
        """Fill `size` bytes."""
        self._block_memory("llvm.memset.p0.i64", target, constant("i8", byte), size)

    def prefetch(self, pointer: Value, *, writes: bool) -> None:
        """Ask for the line of memory at an address, to read or to write it; there may be none."""
        self.globals.declare("llvm.prefetch.p0", "void", ["ptr", "i32", "i32", "i32"])
        self.line(f"call void @llvm.prefetch.p0({pointer.typed}, i32 {int(writes)}, i32 3, i32 1)")

    def _block_memory(self, name: str, target: Value, second: Value, size: Operand) -> None:
        self.globals.declare(name, "void", ["ptr", second.type, "i64", "i1"])
        count = self.value(size, "i64")
        self.line(f"call void @{name}({target.typed}, {second.typed}, {count.typed}, i1 false)")
