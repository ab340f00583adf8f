"""One matrix that is being factorised, and what its elements are copied by.

transpose(m, source, target, rows, columns)       from rows to columns, as LAPACK has them, or back
"""

from __future__ import annotations

from math import nan

from mlirad.dialects.kernel.factorisations import Memory
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.llvm.text import IRBuilder, Kind, Operand, Value, constant

SQUARE = 8
"""Rows and columns of the squares that matrices are transposed by: a line of a cache holds as many."""


@dataclass(frozen=True)
class Matrix:
    """One matrix that is being factorised: where it, its parts and the memory to work in lie."""

    f: IRBuilder
    kind: Kind
    rows: int
    columns: int
    source: Value
    parts: dict[str, Value]
    memory: Value
    integers: Value
    sizes: Memory
    is_complex: bool

    @property
    def work(self) -> int:
        """Return how many numbers of the memory LAPACK's routine is given as `work`."""
        return self.sizes.work

    @property
    def width(self) -> int:
        """Return how many floats a number has."""
        return 2 if self.is_complex else 1

    @property
    def least(self) -> int:
        """Return how many columns the factors have."""
        return min(self.rows, self.columns)

    def at(self, number: int) -> Value:
        """The address of a number in the memory."""
        return self.f.gep(self.memory, number * self.width, self.kind)

    @property
    def reals(self) -> Value:
        """The address of the floats that LAPACK's routine is given beside `work`."""
        return self.f.gep(self.memory, self.sizes.floats - self.sizes.reals, self.kind)


def transpose(m: Matrix, source: Value, target: Value, rows: int, columns: int) -> None:
    """Write the transpose of a row-major matrix, square by square."""
    f = m.f
    with f.loop(0, rows, SQUARE, name="rows") as over, f.loop(0, columns, SQUARE, name="columns") as across:
        _transpose_square(m, (source, target), (over.index, across.index), (rows, columns))


def _transpose_square(
    m: Matrix, pointers: tuple[Value, Value], start: tuple[Value, Value], shape: tuple[int, int]
) -> None:
    f, (source, target), (rows, columns) = m.f, pointers, shape
    ends = [_end(f, first, extent) for first, extent in zip(start, shape, strict=True)]
    with (
        f.loop(start[0], ends[0], at_most=SQUARE, at_least=1, name="i") as i,
        f.loop(start[1], ends[1], at_most=SQUARE, at_least=1, name="j") as j,
    ):
        here, there = f.add(f.mul(i.index, columns), j.index), f.add(f.mul(j.index, rows), i.index)
        for part in range(m.width):
            value = f.load(place(m, source, here, part), m.kind)
            f.store(value, place(m, target, there, part))


def place(m: Matrix, pointer: Value, number: Operand, part: int) -> Value:
    """The address of a part of a number."""
    f = m.f
    return f.gep(pointer, f.add(f.mul(number, m.width), part) if m.is_complex else number, m.kind)


def _end(f: IRBuilder, start: Value, extent: int) -> Value:
    """Return where a square that starts here ends."""
    return f.intrinsic("smin", f.add(start, SQUARE), constant("i64", extent))


def fill(m: Matrix, target: Value, first: Operand, end: Operand, number: float) -> None:
    """Write a number into elements from `first` up to `end`."""
    f = m.f
    with f.loop(first, end, name="fill", at_most=m.width * m.rows * m.columns) as loop:
        f.store(constant(m.kind, number), f.gep(target, loop.index, m.kind))


def new_info(f: IRBuilder, initial: Value | None = None) -> Value:
    """Return where a routine says whether it has failed, which it has not to begin with."""
    return f.alloca("i32", 1, 8, initial=constant("i32", 0) if initial is None else initial)


def failed(m: Matrix, info: Value) -> Value:
    """Return whether a routine has failed."""
    return m.f.icmp("ne", m.f.load(info, "i32"), 0)


def nan_if(m: Matrix, condition: Value, sizes: dict[str, int]) -> None:
    """Fill the parts, of a given number of floats, with NaN if a condition holds."""
    with m.f.conditional(condition, unlikely=True):
        for part, size in sizes.items():
            if part in m.parts:
                fill(m, m.parts[part], 0, size, nan)
