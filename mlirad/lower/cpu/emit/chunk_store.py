"""The memory that a program allocates while it runs: records one after the other, in chunks that never move,
and what a kernel works in.

An empty store is four zeros. A record is its address, which stays valid until the store is released,
so kernels write to it in place. Each chunk is at least twice as large as the one before; chunks stay linked
and are reused after the store was cleared or reset. The tapes of loops and the activation records of calls
are kept in such stores. `mlirad/runtime/chunk_store.c` has the functions that are called.

    store = ChunkStore.new(f)
    record = store.push(f, 24)         # the address of 24 bytes; ends the call when there is no more memory
    ...
    store.release(f)
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Final

from xdsl.ir import Attribute

from mlirad.lazy_dataclass import dataclass
from mlirad.lower.bodies.buffers import MemorySlot, make_buffer
from mlirad.lower.llvm.text import BYTES, IRBuilder, Kind, Value, constant
from mlirad.lower.native_program import BUFFER_ALIGNMENT, OUT_OF_MEMORY

ALLOCATE: Final = "mlirad_rt_malloc"
FREE: Final = "mlirad_rt_free"

STORE_WORDS: Final = 4
MARK_WORDS: Final = 3
CURSOR_WORDS: Final = 2
"""Words of 64 bits that the structures of the store have."""


def allocate(f: IRBuilder, size: int) -> Value:
    """The address of a given number of new bytes, null for 0 bytes."""
    f.module.external(ALLOCATE, "ptr", ["i64"], "nounwind")
    address = f.call(ALLOCATE, [f.value(size, "i64")], "ptr")
    assert address is not None
    return address


def free(f: IRBuilder, address: Value, size: int) -> None:
    """Give back what was allocated at an address, of a given number of bytes."""
    f.module.external(FREE, "void", ["ptr", "i64"], "nounwind")
    f.call(FREE, [address, f.value(size, "i64")])


MOST_STACK_BYTES: Final = 1 << 14
"""The largest workspace on the stack, as threads may have only 32 KiB of it. Larger ones are allocated."""


@contextmanager
def workspace(f: IRBuilder, kind: Kind, elements: int) -> Generator[Value]:
    """Memory for the whole text of a function to work in, except for its return; null for no elements."""
    nothing = Value("null", "ptr")
    nbytes = elements * BYTES[kind]
    if nbytes <= MOST_STACK_BYTES:
        yield f.alloca(kind, elements) if elements else nothing
        return
    size = nbytes + BUFFER_ALIGNMENT
    memory = allocate(f, size)
    f.own(memory)
    f.fail_if(f.icmp("eq", memory, nothing), OUT_OF_MEMORY)
    address = f.define(f"ptrtoint ptr {memory.text} to i64", "i64")
    yield f.gep(memory, f.and_(f.sub(0, address), BUFFER_ALIGNMENT - 1), "i8")
    f.write_stop()
    free(f, memory, size)


def record_layout(types: Sequence[Attribute]) -> tuple[list[int], int]:
    """Return where the values of a record lie, and its size; each begins at a multiple of 8 bytes."""
    offsets: list[int] = []
    size = 0
    for type_ in types:
        offsets.append(size)
        size += -(-make_buffer(type_, MemorySlot("record", 0)).nbytes // 8) * 8
    return offsets, size


@dataclass(frozen=True)
class ChunkStore:
    """A store, by the address of its four words."""

    words: Value

    @staticmethod
    def new(f: IRBuilder) -> ChunkStore:
        """A store on the stack, empty when the function begins."""
        return ChunkStore(f.alloca("i64", STORE_WORDS, 8, initial=constant("i64", 0)))

    def push(self, f: IRBuilder, size: int) -> Value:
        """The address of a new record; ends the call if there is no memory for it."""
        bytes_ = constant("i64", size)
        is_full = _give(f, "is_full", [self.words, bytes_], "i1")
        with f.conditional(is_full, unlikely=True):
            _run(f, "grow", [self.words, bytes_])
            f.fail_if(_give(f, "is_full", [self.words, bytes_], "i1"), OUT_OF_MEMORY)
        return _give(f, "push", [self.words, bytes_], "ptr")

    def holds(self, f: IRBuilder, record: Value, size: int) -> Value:
        """Return whether a given number of bytes from an address on lie in records of one chunk."""
        return _give(f, "holds", [self.words, record, constant("i64", size)], "i1")

    def mark(self, f: IRBuilder) -> Value:
        """The address of a note of what records there are."""
        mark = f.alloca("i64", MARK_WORDS, 8)
        _run(f, "mark", [self.words, mark])
        return mark

    def reset(self, f: IRBuilder, mark: Value) -> None:
        """Forget all records pushed after the mark, and keep their memory."""
        _run(f, "reset", [self.words, mark])

    def clear(self, f: IRBuilder) -> None:
        """Forget all records, and keep their memory."""
        _run(f, "clear", [self.words])

    def release(self, f: IRBuilder) -> None:
        """Give all memory back."""
        _run(f, "release", [self.words])


class Cursor:
    """A walk over the records of a store, all of one size: from the first or, `reverse`, the last."""

    def __init__(self, f: IRBuilder, store: ChunkStore, size: int, *, reverse: bool):
        self._f = f
        self._size = constant("i64", size)
        self._step = "back" if reverse else "next"
        self._words = f.alloca("i64", CURSOR_WORDS, 8)
        _run(f, "last" if reverse else "first", [store.words, self._words])

    def move(self) -> Value:
        """The address of the next record, which must exist."""
        return _give(self._f, self._step, [self._words, self._size], "ptr")


def _run(f: IRBuilder, name: str, operands: Sequence[Value]) -> None:
    f.module.add_runtime("chunk_store")
    f.call(f"mlirad_store_{name}", operands)


def _give(f: IRBuilder, name: str, operands: Sequence[Value], kind: Kind) -> Value:
    f.module.add_runtime("chunk_store")
    result = f.call(f"mlirad_store_{name}", operands, kind)
    assert result is not None
    return result
