"""The chunk store of tapes and activation records: growth, marks, cursors, what it gives back."""

from __future__ import annotations

import ctypes

import numpy as np
import numpy.typing as npt
import pytest

from mlirad.jit import engine
from mlirad.lower.cpu.emit.chunk_store import ChunkStore, Cursor
from mlirad.lower.llvm.text import IRBuilder, ModuleText, Parameter, Value
from mlirad.lower.native_program import CONTEXT_WORDS, OUT_OF_MEMORY, STATUS_WORD
from tests.lower.test_loops import Allocations
from tests.runtime.sources import FIRST_CHUNK_BYTES


class Program:
    """A function of a table of integers and a number, with a store."""

    def __init__(self) -> None:
        self._module = ModuleText()
        parameters = [Parameter("out", "ptr"), Parameter("n", "i64")]
        self.f: IRBuilder = self._module.function("test", parameters, linkage="")
        self.out, self.n = self.f.arguments
        self.store = ChunkStore.new(self.f)
        self._count = 0

    def note(self, value: Value) -> None:
        """Put an integer or a condition in the next place of the table."""
        wide = self.f.zext(value, "i64") if value.kind == "i1" else value
        self.f.store(wide, self.f.gep(self.out, self._count, "i64"))
        self._count += 1

    def run(self, allocations: Allocations, n: int, size: int = 0) -> tuple[npt.NDArray[np.int64], int]:
        """The table, and the status with which the call ends; all memory must have come back."""
        f = self.f
        context = f.context
        assert context.text == "%context"
        f.write_stop()
        self.store.release(f)
        f.ret()
        code = engine.load(self._module.text(), symbols=("test",), externals=allocations.externals)
        out, record = np.zeros(size or self._count, np.int64), np.zeros(CONTEXT_WORDS, np.int64)
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
        function(code.addresses["test"])(out.ctypes.data, n, record.ctypes.data)
        assert allocations.used == 0
        return out, int(record[STATUS_WORD])


@pytest.mark.parametrize("n", [0, 1, 169, 170, 5000])
def test_records_are_read_forwards_and_backwards(n: int) -> None:
    p = Program()
    f = p.f
    with f.loop(0, p.n) as loop:
        f.store(loop.index, p.store.push(f, 24))
    for reverse in (False, True):
        cursor = Cursor(f, p.store, 24, reverse=reverse)
        with f.loop(0, p.n) as loop:
            at = f.add(loop.index, p.n) if reverse else loop.index
            f.store(f.load(cursor.move(), "i64"), f.gep(p.out, at, "i64"))
    allocations = Allocations(20)
    out, status = p.run(allocations, n, size=2 * n + 1)
    assert status == 0
    assert out[:n].tolist() == list(range(n))
    assert out[n : 2 * n].tolist() == list(reversed(range(n)))
    sizes = allocations.sizes
    assert sizes == [FIRST_CHUNK_BYTES << k for k in range(len(sizes))]
    assert sum(sizes) <= max(FIRST_CHUNK_BYTES, 4 * 24 * n)


@pytest.mark.parametrize("most", [0, 1, 3])
def test_without_memory_the_call_ends(most: int) -> None:
    p = Program()
    with p.f.loop(0, p.n):
        p.store.push(p.f, 64)
    _, status = p.run(Allocations(most), 5000, size=1)
    assert status == OUT_OF_MEMORY


def test_marks_and_large_records() -> None:
    p = Program()
    f, store = p.f, p.store
    start = store.mark(f)
    first = store.push(f, 8)
    p.note(store.holds(f, first, 8))
    p.note(store.holds(f, first, 16))
    middle = store.mark(f)
    large = store.push(f, 3 * FIRST_CHUNK_BYTES)
    p.note(store.holds(f, large, 3 * FIRST_CHUNK_BYTES))
    p.note(store.holds(f, f.gep(large, 8, "i8"), 3 * FIRST_CHUNK_BYTES))
    store.reset(f, middle)
    p.note(store.holds(f, large, 8))
    p.note(store.holds(f, first, 8))
    # There is room for one more in the chunk after the first one, and for this one only in a new chunk.
    p.note(f.icmp("eq", store.push(f, 3 * FIRST_CHUNK_BYTES), large))
    store.reset(f, middle)
    p.note(store.holds(f, store.push(f, 30 * FIRST_CHUNK_BYTES), 30 * FIRST_CHUNK_BYTES))
    p.note(store.holds(f, first, 8))
    store.reset(f, start)
    p.note(store.holds(f, first, 8))
    p.note(f.icmp("eq", store.push(f, 8), first))
    store.clear(f)
    p.note(f.icmp("eq", store.push(f, 8), first))
    allocations = Allocations(20)
    out, status = p.run(allocations, 0)
    assert status == 0
    assert out.tolist() == [1, 0, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1]
    assert len(allocations.sizes) == 3
