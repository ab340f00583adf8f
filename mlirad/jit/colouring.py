"""Greedy colouring of sparse patterns in native code: linear in what it reads, with no step in Python.

    greedy_colours("columns", ...)      columns that meet in a row differ
    greedy_colours("star", ...)         neighbours differ, and every path of four vertices has three colours

Each vertex in the given order takes the smallest colour that no earlier one forbids. Column colouring reads,
for each column, the rows it is in (a partial distance-2 colouring of the bipartite graph); star colouring is
algorithm 4.1 of Gebremedhin, Manne and Pothen, "What color is your Jacobian?", 2005, section 4.

Greedy colouring is a loop over vertices that no array operation expresses and that Python is too slow for.
Written once through the IR writer, it is compiled in 50 ms on first use.
"""

from __future__ import annotations

import ctypes
from collections.abc import Generator
from contextlib import contextmanager
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from mlirad.jit.engine import LoadedCode, load
from mlirad.jit.host import host_address, runner
from mlirad.jit.once import once
from mlirad.lower.llvm.text import IRBuilder, ModuleText, Parameter, Value
from mlirad.lower.native_program import POLL

Ints: TypeAlias = npt.NDArray[np.int64]

NAMES = ("columns", "star")


def greedy_colours(
    name: Literal["columns", "star"], count: int, order: Ints, graph: tuple[Ints, ...], taken: int
) -> Ints:
    """A colour for each of `count` vertices that is in `order`, -1 for the others; they begin at `taken`.

    The graph is given by where the neighbours of each vertex start, and by these: of the columns of a matrix
    their rows, and then of the rows their columns.
    """
    colours = np.full(count, -1, np.int64)
    marks = np.full(count + 1, -1, np.int64)
    counts = np.array([len(order)])
    arrays = [np.ascontiguousarray(a, np.int64) for a in (counts, order, *graph)]
    pointers = (ctypes.c_void_p * 8)(*[a.ctypes.data for a in (*arrays, colours, marks)])
    runner()(_code().addresses[name], ctypes.addressof(pointers), 0, True, 0, 1, 0, 0)
    return np.where(colours < 0, colours, colours + taken) if taken else colours


@once
def _code() -> LoadedCode:
    module = ModuleText(polls=True)
    _write_columns(module)
    _write_star(module)
    return load(module.text(), symbols=NAMES, externals={POLL: host_address(POLL)})


class _Writer:
    """The writer of both colourings: a graph in memory, and the marks of colours that are forbidden."""

    def __init__(self, module: ModuleText, name: str):
        parameters = [Parameter("buffers", "ptr"), Parameter("arena", "ptr")]
        self.f: IRBuilder = module.function(name, parameters, linkage="")
        table = self.f.arguments[0]
        counts, *rest = [self.f.load(self.f.gep(table, k, "ptr"), "ptr") for k in range(8)]
        self.count = self.f.load(counts, "i64")
        self.order, self.starts, self.ends, self.back_starts, self.back_ends, *rest = rest
        self.colours, self.marks = rest

    def at(self, array: Value, index: Value) -> Value:
        """An element of an array of integers."""
        return self.f.load(self.f.gep(array, index, "i64"), "i64")

    @contextmanager
    def neighbours(self, starts: Value, ends: Value, vertex: Value) -> Generator[Value]:
        """A loop over the neighbours of a vertex."""
        f = self.f
        first, last = self.at(starts, vertex), self.at(starts, f.add(vertex, f.value(1, "i64")))
        with f.loop(first, last) as loop:
            yield self.at(ends, loop.index)

    def forbid(self, colour: Value, vertex: Value) -> None:
        """Mark a colour, or none (-1), as forbidden to a vertex."""
        f = self.f
        f.store(vertex, f.gep(self.marks, f.add(colour, f.value(1, "i64")), "i64"))

    def choose(self, vertex: Value) -> None:
        """Give a vertex the smallest colour that is not forbidden."""
        f = self.f
        slot = f.alloca("i64")
        f.store(f.value(1, "i64"), slot)
        with f.repeat(lambda: f.icmp("eq", self.at(self.marks, f.load(slot, "i64")), vertex)):
            f.store(f.add(f.load(slot, "i64"), f.value(1, "i64")), slot)
        colour = f.sub(f.load(slot, "i64"), f.value(1, "i64"))
        f.store(colour, f.gep(self.colours, vertex, "i64"))


def _write_columns(module: ModuleText) -> None:
    w = _Writer(module, "columns")
    with w.f.loop(0, w.count) as loop:
        vertex = w.at(w.order, loop.index)
        with (
            w.neighbours(w.starts, w.ends, vertex) as row,
            w.neighbours(w.back_starts, w.back_ends, row) as column,
        ):
            w.forbid(w.at(w.colours, column), vertex)
        w.choose(vertex)
    w.f.ret()


def _write_star(module: ModuleText) -> None:
    w = _Writer(module, "star")
    f = w.f
    minus_one = f.value(-1, "i64")
    with f.loop(0, w.count) as loop:
        v = w.at(w.order, loop.index)
        with w.neighbours(w.starts, w.ends, v) as neighbour:
            colour = w.at(w.colours, neighbour)
            w.forbid(colour, v)
            with w.neighbours(w.starts, w.ends, neighbour) as second:
                other = w.at(w.colours, second)
                with f.conditional(f.icmp("ne", second, v)):
                    with f.conditional(f.icmp("eq", colour, minus_one)):
                        w.forbid(other, v)
                    with (
                        f.conditional(f.icmp("ne", colour, minus_one)),
                        w.neighbours(w.starts, w.ends, second) as third,
                    ):
                        is_other = f.icmp("ne", third, neighbour)
                        is_alike = f.icmp("eq", w.at(w.colours, third), colour)
                        with f.conditional(f.and_(is_other, is_alike)):
                            w.forbid(other, v)
        w.choose(v)
    f.ret()
