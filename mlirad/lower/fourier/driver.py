"""The calls that make up one transform, of one row or of a block of neighbouring columns.

forward, n = 64, one row      passes: row -> work 0, work 0 -> work 1, work 1 -> result
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from mlirad.lower.fourier.halves import HalfKind, half_function, half_roots
from mlirad.lower.fourier.passes import PassKind, pass_function
from mlirad.lower.fourier.plans import factors, roots
from mlirad.lower.llvm_text import IRBuilder, Kind, Value, constant

APART: Final = 16
"""Elements between planes in memory, so that equal places of them are in different lines of the cache."""


@dataclass(frozen=True)
class Planes:
    """Where real and imaginary parts lie, and how many elements numbers of a transform are apart.

    `joined` are those of one row, in turn in one place.
    """

    real: Value
    imag: Value
    step: int
    joined: bool = False

    @property
    def exchanged(self) -> Planes:
        """What makes a backward transform of a forward one."""
        return replace(self, real=self.imag, imag=self.real)


@dataclass(frozen=True)
class FourierWriter:
    """Writes transforms of n complex numbers, with vectors of so many lanes, of so many columns at most."""

    f: IRBuilder
    kind: Kind
    lanes: int
    n: int
    work: tuple[Value, Value]

    @staticmethod
    def plane(n: int, columns: int) -> int:
        """The elements of a plane that transforms work in."""
        return n * columns + APART

    def planes(self, which: int, columns: int) -> Planes:
        """The memory to work in, of which there is twice as much as one transform has numbers."""
        pointer = self.work[which]
        return Planes(pointer, self.f.gep(pointer, self.plane(self.n, columns), self.kind), columns)

    def transform(self, kind: str, source: Planes, target: Planes, columns: int) -> None:
        """A transform; signals of real numbers are planes of what stands at even and at odd places."""
        passes = len(factors(self.n) or ())
        match kind:
            case "forward":
                self._complex(source, target, columns)
            case "backward":
                self._complex(source.exchanged, target.exchanged, columns)
            case "real":
                found = self.planes((passes - 1) % 2, columns)
                self._complex(source, found, columns)
                self._half(found, target, columns, is_half=False)
            case _:
                made = self.planes(1, columns)
                self._half(source, made, columns, is_half=True)
                self._complex(made.exchanged, target.exchanged, columns)

    def _complex(self, source: Planes, target: Planes, columns: int) -> None:
        """The passes: s numbers are neighbours that are treated alike, m results of one factor are left."""
        found = factors(self.n) or ()
        s, m = 1, self.n
        for k, r in enumerate(found):
            m //= r
            is_first, is_last = k == 0, k == len(found) - 1
            x = source if is_first else self.planes((k + 1) % 2, columns)
            y = target if is_last else self.planes(k % 2, columns)
            if is_first and not is_last and columns == x.step == 1:
                self._turned(r, m, x, y)
            elif is_last and y.step != columns:
                self._pass(r, x, y, (s, columns), (x.step, s * x.step, y.step, s * y.step), roots_of=0)
            else:
                steps = (s * x.step, s * m * x.step, r * s * y.step, s * y.step)
                self._pass(r, x, y, (m, s * columns), steps, roots_of=0 if is_last else m)
            s *= r

    def _turned(self, r: int, m: int, x: Planes, y: Planes) -> None:
        """The first pass of a row: lanes lie along it, and what is left of them is done one by one."""
        lanes = min(self.lanes, r) if r % 2 == 0 else self.lanes
        whole = m // lanes * lanes if lanes > 1 else 0
        if whole:
            table = roots([p * k for k in range(1, r) for p in range(m)], r * m)
            which = PassKind(self.kind, r, lanes, True, turned=True, joined_in=x.joined)
            self._call(which, x, y, table, (whole, m, 1, m, r, 1))
        if whole < m:
            self._pass(r, x, y, (m - whole, 1), (1, m, r, 1), roots_of=m, first=whole)

    def _pass(
        self,
        r: int,
        x: Planes,
        y: Planes,
        extents: tuple[int, int],
        steps: tuple[int, int, int, int],
        *,
        roots_of: int,
        first: int = 0,
    ) -> None:
        """A pass with lanes along its columns, and one by one along what is left of them.

        Its roots are those of r times `roots_of`, from number `first` on.
        """
        count, columns = extents
        table = ([0.0], [0.0])
        if roots_of:
            exponents = [p * k for p in range(first, first + count) for k in range(1, r)]
            table = roots(exponents, r * roots_of)
        whole = columns // self.lanes * self.lanes if self.lanes > 1 else 0
        for start, end, lanes in ((0, whole, self.lanes), (whole, columns, 1)):
            if start < end:
                which = PassKind(self.kind, r, lanes, roots_of > 0, joined_in=x.joined, joined_out=y.joined)
                moved = self._moved(x, first * steps[0] + start), self._moved(y, first * steps[2] + start)
                self._call(which, *moved, table, (count, end - start, *steps))

    def _moved(self, planes: Planes, elements: int) -> Planes:
        if planes.joined:
            elements *= 2
        moved = [self.f.gep(p, elements, self.kind) for p in (planes.real, planes.imag)]
        return replace(planes, real=moved[0], imag=moved[1])

    def _call(
        self,
        which: PassKind,
        x: Planes,
        y: Planes,
        table: tuple[list[float], list[float]],
        sizes: tuple[int, ...],
    ) -> None:
        name = pass_function(self.f.module, which)
        self._write_call(name, x, y, table, sizes)

    def _half(self, x: Planes, y: Planes, columns: int, *, is_half: bool) -> None:
        table = half_roots(self.n, is_half=is_half)
        module = self.f.module
        if columns == x.step == y.step == 1:
            name = half_function(module, HalfKind(self.kind, self.lanes, is_half, True))
            self._write_call(name, x, y, table, (self.n, 1, x.step, y.step))
            return
        whole = columns // self.lanes * self.lanes if self.lanes > 1 else 0
        for start, end, lanes in ((0, whole, self.lanes), (whole, columns, 1)):
            if start < end:
                name = half_function(module, HalfKind(self.kind, lanes, is_half, False))
                moved = self._moved(x, start), self._moved(y, start)
                self._write_call(name, *moved, table, (self.n, end - start, x.step, y.step))

    def _write_call(
        self, name: str, x: Planes, y: Planes, table: tuple[list[float], list[float]], sizes: tuple[int, ...]
    ) -> None:
        tables = [self.f.module.table(self.kind, numbers) for numbers in table]
        operands = [x.real, x.imag, y.real, y.imag, *tables, *(constant("i64", size) for size in sizes)]
        self.f.call(name, operands)
