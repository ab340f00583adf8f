"""The functions between the spectrum of real numbers and the complex transform of half the length.

With Z the transform of the pairs x[2j] + i x[2j + 1], n of them, and w = exp(-πi / n), the spectrum of x is

    S[k] = (Z[k] + conj Z[n-k]) / 2  +  w^k (Z[k] - conj Z[n-k]) / 2i

and S[n-k] the conjugate of the difference of the two. `half` is the transpose: from S the Z whose backward
transform gives the pairs. It has the same form, with the conjugate of w^k / i. The first number and the last
one are real.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from mlirad.lower.cpu.fourier.butterflies import Number, minus, plus, times
from mlirad.lower.cpu.fourier.passes import MOST_ITERATIONS, vector_at
from mlirad.lower.kernels.transform_plans import roots
from mlirad.lower.llvm.text import IRBuilder, Kind, ModuleText, Operand, Parameter, Value, constant

POINTERS: Final = ("xr", "xi", "yr", "yi", "rr", "ri")
SIZES: Final = ("n", "C", "ix", "iy")


class HalfKind(NamedTuple):
    """The key of one of these functions: `of_rows` has lanes along the row."""

    kind: Kind
    width: int
    is_half: bool
    of_rows: bool

    @property
    def symbol(self) -> str:
        """The name of the function."""
        way = "half" if self.is_half else "real"
        return f"mlirad_fft_{way}_{self.kind}{self.width}{'_rows' if self.of_rows else ''}"


def half_function(module: ModuleText, which: HalfKind) -> str:
    """The name of the function, which is written when it is first needed.

    It goes from x to y; rows of one column or C neighbours are ix and iy apart in them.
    """
    return module.shared_function(which.symbol, lambda: _write(module, which)).name


def half_roots(n: int, *, is_half: bool) -> tuple[list[float], list[float]]:
    """Return what differences are multiplied by, for k up to n / 2."""
    real, imag = roots(range(n // 2 + 1), 2 * n)
    sign = -0.5 if is_half else 0.5
    return [0.5 * s for s in imag], [-sign * c for c in real]


def _write(module: ModuleText, which: HalfKind) -> IRBuilder:
    parameters = [Parameter(n, "ptr", 1, "noalias readonly" if n[0] in "xr" else "noalias") for n in POINTERS]
    parameters += [Parameter(n, "i64") for n in SIZES]
    f = module.function(which.symbol, parameters, attributes="noinline nounwind")
    xr, xi, yr, yi, rr, ri, n, columns, ix, iy = f.arguments
    x, y = (xr, xi), (yr, yi)
    kind, width = which.kind, which.width

    def pair(k: Value, root: Number, places: Sequence[Value], lanes: int, *, is_reversed: bool) -> None:
        """Compute the numbers at k and at n - k from those that stand there."""
        order = [*range(lanes - 1, -1, -1)]

        def turned(v: Value) -> Value:
            return f.shuffle(v, v, order) if is_reversed and lanes > 1 else v

        first, last, to_first, to_last = places
        a = f.load(f.gep(xr, first, kind), kind, lanes), f.load(f.gep(xi, first, kind), kind, lanes)
        b = f.load(f.gep(xr, last, kind), kind, lanes), f.load(f.gep(xi, last, kind), kind, lanes)
        b = turned(b[0]), f.fneg(turned(b[1]))
        total, difference = plus(f, a, b), times(f, minus(f, a, b), root)
        halved = f.fmul(total[0], 0.5), f.fmul(total[1], 0.5)
        sums, differences = plus(f, halved, difference), minus(f, halved, difference)
        conjugates = turned(differences[0]), turned(f.fneg(differences[1]))
        for number, at in ((sums, to_first), (conjugates, to_last)):
            for part, plane in zip(number, y, strict=True):
                f.store(part, f.gep(plane, at, kind))

    def ends(c: Operand, lanes: int) -> None:
        last = f.add(f.mul(n, ix), c)
        if which.is_half:
            one, two = (f.load(f.gep(xr, place, kind), kind, lanes) for place in (f.value(c, "i64"), last))
        else:
            one, two = (f.load(f.gep(plane, c, kind), kind, lanes) for plane in x)
        total, difference = f.fadd(one, two), f.fsub(one, two)
        zero = f.widen(constant(kind, 0.0), lanes)
        if which.is_half:
            f.store(total, f.gep(yr, c, kind))
            f.store(difference, f.gep(yi, c, kind))
            return
        for number, at in ((total, f.value(c, "i64")), (difference, f.add(f.mul(n, iy), c))):
            f.store(number, f.gep(yr, at, kind))
            f.store(zero, f.gep(yi, at, kind))

    middle = f.add(f.sdiv(n, 2), 1)
    if which.of_rows:
        ends(0, 1)
        # If n is even the last lane is at n / 2 twice, as the only one.
        with f.loop(1, middle, width, at_most=MOST_ITERATIONS, name="k") as loop:
            k = vector_at(f, loop.index, middle, width)
            last = f.sub(n, f.add(k, width - 1))
            root = f.load(f.gep(rr, k, kind), kind, width), f.load(f.gep(ri, k, kind), kind, width)
            pair(k, root, (k, last, k, last), width, is_reversed=True)
    else:
        with f.loop(0, columns, width, at_most=MOST_ITERATIONS, name="c") as loop:
            ends(vector_at(f, loop.index, columns, width), width)
        with f.loop(1, middle, at_most=MOST_ITERATIONS, name="k") as rows:
            k = rows.index
            rest = f.sub(n, k)
            one = f.load(f.gep(rr, k, kind), kind), f.load(f.gep(ri, k, kind), kind)
            root = f.widen(one[0], width), f.widen(one[1], width)
            with f.loop(0, columns, width, at_most=1, name="c") as loop:
                c = vector_at(f, loop.index, columns, width)
                places = [f.add(f.mul(row, step), c) for step in (ix, iy) for row in (k, rest)]
                pair(k, root, places, width, is_reversed=False)
    f.ret()
    return f
