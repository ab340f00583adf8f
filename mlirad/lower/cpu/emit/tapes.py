"""The tapes of loops: an entry for every iteration, in a chunk store of the function that the loop is in.

An inner loop reuses the memory of its tape each time it runs; the memory is freed when the call ends.
"""

from __future__ import annotations

from xdsl.ir import Attribute

from mlirad.lazy_dataclass import dataclass
from mlirad.lower.cpu.emit.chunk_store import ChunkStore, Cursor, record_layout
from mlirad.lower.llvm.text import IRBuilder, Value, constant


@dataclass(frozen=True)
class Tape:
    """The entries of a tape, and the stack slot that counts them."""

    entry_bytes: int
    offsets: list[int]
    store: ChunkStore
    count: Value

    @staticmethod
    def of(f: IRBuilder, types: tuple[Attribute, ...]) -> Tape:
        """A new tape, empty when the function begins."""
        offsets, size = record_layout(types)
        return Tape(size, offsets, ChunkStore.new(f), f.alloca("i64", 1, 8, initial=constant("i64", 0)))

    def clear(self, f: IRBuilder) -> None:
        """Forget all entries, and keep the memory."""
        self.store.clear(f)
        f.store(constant("i64", 0), self.count)

    def push(self, f: IRBuilder) -> list[Value]:
        """The addresses of the values of a new entry at the end."""
        f.store(f.add(f.load(self.count, "i64"), 1), self.count)
        return self.values(f, self.store.push(f, self.entry_bytes) if self.entry_bytes else self.store.words)

    def values(self, f: IRBuilder, entry: Value) -> list[Value]:
        """The addresses of the values of an entry."""
        return [f.gep(entry, offset, "i8") for offset in self.offsets]

    def release(self, f: IRBuilder) -> None:
        """Give the memory back."""
        if self.entry_bytes:
            self.store.release(f)


class Reading:
    """A walk over the entries of a tape, from the first or, with `reverse`, from the last."""

    def __init__(self, f: IRBuilder, tape: Tape, *, reverse: bool):
        self._f = f
        self._tape = tape
        self._left = f.alloca("i64", 1, 8)
        f.store(f.load(tape.count, "i64"), self._left)
        self._cursor = Cursor(f, tape.store, tape.entry_bytes, reverse=reverse) if tape.entry_bytes else None

    def has_more(self) -> Value:
        """Return whether there is another entry."""
        return self._f.icmp("ne", self._f.load(self._left, "i64"), 0)

    def entry(self) -> list[Value]:
        """The addresses of the values of the next entry; the walk moves on."""
        f, tape = self._f, self._tape
        f.store(f.sub(f.load(self._left, "i64"), 1), self._left)
        return tape.values(f, tape.store.words if self._cursor is None else self._cursor.move())
