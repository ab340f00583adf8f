"""The calls that make up one transform, of one row or of a block of neighbouring columns.

forward, n = 64, one row      passes: row -> work 0, work 0 -> work 1, work 1 -> result
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Final

from mlirad.lazy_dataclass import dataclass
from mlirad.lower.cpu.fourier.halves import HalfKind, half_function, half_roots
from mlirad.lower.cpu.fourier.passes import PassKind, pass_function
from mlirad.lower.kernels.transform_plans import factors, roots
from mlirad.lower.llvm.text import IRBuilder, Kind, Value, constant

APART: Final = 16
"""Elements between planes in memory, so that equal places of them are in different lines of the cache."""


@dataclass(frozen=True)
class Planes:
    """The addresses of real and imaginary parts, and the distance of numbers of a transform in elements.

    `joined` are those of one row, in turn in one place.
    """

    real: Value
    imag: Value
    step: int
    joined: bool = False

    @property
    def apart(self) -> int:
        """Return how many elements a real part and the next one are apart in a row."""
        return 2 if self.joined else 1

    @property
    def exchanged(self) -> Planes:
        """Return what makes a backward transform of a forward one."""
        return replace(self, real=self.imag, imag=self.real)


@dataclass(frozen=True)
class FourierWriter:
    """Writes transforms of n complex numbers, with vectors of a given number of lanes, of a given number of
    columns at most.
    """

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
        """The memory to work in, twice as much as one transform has numbers."""
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
        """The first pass of a row: lanes lie along it, or all is done one by one where there are too few."""
        lanes = min(self.lanes, r) if r % 2 == 0 else self.lanes
        if not 1 < lanes <= m:
            self._pass(r, x, y, (m, 1), (1, m, r, 1), roots_of=m)
            return
        which = PassKind(self.kind, r, lanes, True, turned=True, joined_in=x.joined)
        name = pass_function(self.f.module, which)
        self._write_call(name, x, y, self._roots(r, m, is_turned=True), (m, m, 1, m, r, 1))

    def _pass(
        self,
        r: int,
        x: Planes,
        y: Planes,
        extents: tuple[int, int],
        steps: tuple[int, int, int, int],
        *,
        roots_of: int,
    ) -> None:
        """A pass with lanes along its columns, or one by one. Its roots are those of r times `roots_of`."""
        lanes = self._lanes_of(extents[1])
        if lanes == 1 and (x.joined or y.joined):
            # No more than one row or one column is joined.
            ip, ik, op, ok = steps if extents[1] == 1 else (1, steps[1], 1, steps[3])
            extents = max(extents), 1
            steps = (ip * x.apart, ik * x.apart, op * y.apart, ok * y.apart)
            x, y = self._parted(x, real=0), self._parted(y, real=1)
        which = PassKind(self.kind, r, lanes, roots_of > 0, joined_in=x.joined, joined_out=y.joined)
        tables = self._roots(r, roots_of)
        self._write_call(pass_function(self.f.module, which), x, y, tables, (*extents, *steps))

    def _parted(self, planes: Planes, *, real: int) -> Planes:
        """Pairs with the real part at number `real`, as planes that use every second element."""
        if not planes.joined:
            return planes
        parts = [self.f.gep(planes.real, place, self.kind) for place in (real, 1 - real)]
        return replace(planes, real=parts[0], imag=parts[1], joined=False)

    def _lanes_of(self, columns: int) -> int:
        return self.lanes if self.lanes <= columns else 1

    def _roots(self, r: int, m: int, *, is_turned: bool = False) -> tuple[Value, Value]:
        """The roots of each number p below m, or of each result of a factor; a zero for the last pass."""

        def made() -> tuple[list[float], list[float]]:
            if not m:
                return [0.0], [0.0]
            if is_turned:
                return roots([p * k for k in range(1, r) for p in range(m)], r * m)
            return roots([p * k for p in range(m) for k in range(1, r)], r * m)

        return self._tables(("roots", r, m, is_turned), made)

    def _half(self, x: Planes, y: Planes, columns: int, *, is_half: bool) -> None:
        of_rows = columns == x.step == y.step == 1
        lanes = self._lanes_of(self.n // 2 if of_rows else columns)
        which = HalfKind(self.kind, lanes, is_half, of_rows)
        tables = self._tables(("half", self.n, is_half), lambda: half_roots(self.n, is_half=is_half))
        name = half_function(self.f.module, which)
        self._write_call(name, x, y, tables, (self.n, columns, x.step, y.step))

    def _tables(
        self, what: Hashable, make: Callable[[], tuple[list[float], list[float]]]
    ) -> tuple[Value, Value]:
        """Pointers to the tables of real and imaginary parts, made once for all transforms of a program."""
        return self.f.module.two_tables((self.kind, what), self.kind, make)

    def _write_call(
        self, name: str, x: Planes, y: Planes, tables: tuple[Value, Value], sizes: tuple[int, ...]
    ) -> None:
        operands = [x.real, x.imag, y.real, y.imag, *tables, *(constant("i64", size) for size in sizes)]
        self.f.call(name, operands)
