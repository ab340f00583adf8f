"""The record of a loop: entries of one size in chunks of memory, each twice as large as the one before.

    chunk    address of the chunk before, of the one after, entries it can hold; from byte 64 on, entries

Chunks never move, so entries are written in place by the kernels of a trip. The chunks of a tape belong to
the loop that fills it: a loop inside another one finds them when it runs again, and the end of the call gives
them back. When there is no more memory the call ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from xdsl.ir import Attribute

from mlirad.lower.emit.buffers import Place, make_buffer
from mlirad.lower.llvm_text import IRBuilder, ModuleText, Parameter, Value, constant
from mlirad.lower.native_program import OUT_OF_MEMORY

if TYPE_CHECKING:
    from mlirad.lower.emit.main import FunctionEmitter

ALLOCATE: Final = "mlirad_rt_malloc"
FREE: Final = "mlirad_rt_free"

HEADER_BYTES = 64
FIRST_CHUNK_BYTES = 4096
MOST_CHUNKS = 64
"""Each is twice as large as the one before."""

LEAST_ENTRIES = 8

_NEXT, _CAPACITY = 8, 16


def _round_up(size: int) -> int:
    return -(-size // 8) * 8


@dataclass(frozen=True)
class Tape:
    """Where a tape is: stack slots for its first and its last chunk, the entries in that one, and in all."""

    entry_bytes: int
    offsets: tuple[int, ...]
    first: Value
    chunk: Value
    filled: Value
    capacity: Value
    count: Value

    @staticmethod
    def of(f: IRBuilder, types: tuple[Attribute, ...]) -> Tape:
        """A new tape, empty when the function begins."""
        offsets: list[int] = []
        size = 0
        for type_ in types:
            offsets.append(size)
            size += _round_up(make_buffer(type_, Place("entry", 0)).nbytes)
        null, zero = Value("null", "ptr"), constant("i64", 0)
        slots = [f.alloca(v.kind, 1, 8, initial=v) for v in (null, null, zero, zero, zero)]
        return Tape(size, tuple(offsets), *slots)

    def clear(self, f: IRBuilder) -> None:
        """Forget all entries, and keep the memory."""
        f.store(Value("null", "ptr"), self.chunk)
        for slot in (self.filled, self.capacity, self.count):
            f.store(constant("i64", 0), slot)

    def push(self, main: FunctionEmitter) -> Value:
        """The address of a new entry at the end."""
        f = main.f
        f.store(f.add(f.load(self.count, "i64"), 1), self.count)
        if not self.entry_bytes:
            return f.load(self.chunk, "ptr")
        is_full = f.icmp("eq", f.load(self.filled, "i64"), f.load(self.capacity, "i64"))
        with f.conditional(is_full, unlikely=True):
            _define_grow(f.module)
            first, chunk = f.load(self.first, "ptr"), f.load(self.chunk, "ptr")
            grown = f.call("mlirad_tape_grow", [first, chunk, constant("i64", self.entry_bytes)], "ptr")
            assert grown is not None
            main.fail_if(f.icmp("eq", grown, Value("null", "ptr")), OUT_OF_MEMORY)
            is_first = f.icmp("eq", first, Value("null", "ptr"))
            f.store(f.select(is_first, grown, first), self.first)
            f.store(grown, self.chunk)
            f.store(constant("i64", 0), self.filled)
            f.store(f.load(f.gep(grown, _CAPACITY, "i8"), "i64"), self.capacity)
        chunk, filled = f.load(self.chunk, "ptr"), f.load(self.filled, "i64")
        f.store(f.add(filled, 1), self.filled)
        return self.entry(f, chunk, filled)

    def entry(self, f: IRBuilder, chunk: Value, number: Value) -> Value:
        """The address of an entry of a chunk."""
        return f.gep(chunk, f.add(f.mul(number, self.entry_bytes), HEADER_BYTES), "i8")

    def pieces(self, f: IRBuilder, entry: Value) -> list[Value]:
        """The addresses of the values of an entry."""
        return [f.gep(entry, offset, "i8") for offset in self.offsets]

    def free(self, f: IRBuilder) -> None:
        """Give the memory back."""
        if not self.entry_bytes:
            return
        f.module.external(FREE, "void", ["ptr"], "nounwind")
        has_more = lambda: f.icmp("ne", f.load(self.first, "ptr"), Value("null", "ptr"))  # noqa: E731
        with f.repeat(has_more, at_most=MOST_CHUNKS):
            chunk = f.load(self.first, "ptr")
            f.store(f.load(f.gep(chunk, _NEXT, "i8"), "ptr"), self.first)
            f.call(FREE, [chunk])


class Reading:
    """A walk over the entries of a tape, from the first or, with `reverse`, from the last."""

    def __init__(self, f: IRBuilder, tape: Tape, *, reverse: bool):
        self.f = f
        self.tape = tape
        self.reverse = reverse
        self._left, self._at = f.alloca("i64", 1, 8), f.alloca("i64", 1, 8)
        self._chunk = f.alloca("ptr", 1, 8)
        f.store(f.load(tape.count, "i64"), self._left)
        f.store(f.load(tape.chunk if reverse else tape.first, "ptr"), self._chunk)
        f.store(f.load(tape.filled, "i64") if reverse else constant("i64", 0), self._at)

    def has_more(self) -> Value:
        """Whether there is another entry."""
        return self.f.icmp("ne", self.f.load(self._left, "i64"), 0)

    def entry(self) -> Value:
        """The address of the next entry; the walk moves on."""
        f = self.f
        f.store(f.sub(f.load(self._left, "i64"), 1), self._left)
        if not self.tape.entry_bytes:
            return f.load(self._chunk, "ptr")
        at, chunk = f.load(self._at, "i64"), f.load(self._chunk, "ptr")
        capacity = f.gep(chunk, _CAPACITY, "i8")
        ends = f.icmp("eq", at, 0 if self.reverse else f.load(capacity, "i64"))
        with f.conditional(ends, unlikely=True):
            following = f.load(f.gep(chunk, 0 if self.reverse else _NEXT, "i8"), "ptr")
            f.store(following, self._chunk)
            start = f.load(f.gep(following, _CAPACITY, "i8"), "i64") if self.reverse else constant("i64", 0)
            f.store(start, self._at)
        at, chunk = f.load(self._at, "i64"), f.load(self._chunk, "ptr")
        number = f.sub(at, 1) if self.reverse else at
        f.store(number if self.reverse else f.add(at, 1), self._at)
        return self.tape.entry(f, chunk, number)


def _define_grow(module: ModuleText) -> None:
    """Define the function that gives the chunk after a full one, new where there is none, or null."""
    module.shared_function("mlirad_tape_grow", lambda: _write_grow(module))


def _write_grow(module: ModuleText) -> IRBuilder:
    parameters = [Parameter("first", "ptr"), Parameter("chunk", "ptr"), Parameter("entry_bytes", "i64")]
    f = module.function("mlirad_tape_grow", parameters, "ptr", attributes="noinline nounwind")
    module.external(ALLOCATE, "ptr", ["i64"], "nounwind")
    first, chunk, entry_bytes = f.arguments
    null = Value("null", "ptr")
    is_start = f.icmp("eq", chunk, null)
    least = f.intrinsic("umax", f.udiv(FIRST_CHUNK_BYTES, entry_bytes), LEAST_ENTRIES)
    with f.conditional(is_start, [null, least]) as start:
        start.give(first, least)
    with f.conditional(f.not_(is_start), start.results) as after:
        known = f.load(f.gep(chunk, _NEXT, "i8"), "ptr")
        after.give(known, f.shl(f.load(f.gep(chunk, _CAPACITY, "i8"), "i64"), 1))
    known, capacity = after.results
    with f.conditional(f.icmp("ne", known, null)):
        f.ret(known)
        f.label(f.fresh_label("unreached"))
    size = f.add(f.mul(capacity, entry_bytes), HEADER_BYTES)
    new = f.call(ALLOCATE, [size], "ptr")
    assert new is not None
    with f.conditional(f.icmp("ne", new, null)):
        f.store(chunk, new)
        f.store(null, f.gep(new, _NEXT, "i8"))
        f.store(capacity, f.gep(new, _CAPACITY, "i8"))
        with f.conditional(f.not_(is_start)):
            f.store(new, f.gep(chunk, _NEXT, "i8"))
    f.ret(new)
    return f
