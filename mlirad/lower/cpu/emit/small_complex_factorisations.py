"""LU factors and triangular systems of complex matrices of a few rows: straight code on pairs in registers.

    2 x 2: 8 loads, |re| + |im| of two pivots compared, the reciprocal of one, 8 stores

As in LAPACK, the pivot has the largest |re| + |im|.
"""

from __future__ import annotations

from typing import TypeAlias

from mlirad.lower.llvm.text import IRBuilder, Kind, Value, constant

SMALL_COMPLEX = 4
"""The most rows that are written out: they take four times the code of real ones."""

Number: TypeAlias = tuple[Value, Value]
"""The real and the imaginary part."""


def small_complex_lu(
    f: IRBuilder, kind: Kind, n: int, source: Value, parts: tuple[Value, Value, Value]
) -> None:
    """The factors, pivots and permutation of one matrix."""
    factors, pivots, permutation = parts
    a = [[_load(f, kind, source, i * n + j) for j in range(n)] for i in range(n)]
    order: list[Value] = [constant("i32", i) for i in range(n)]
    for k in range(n):
        largest, pivot = _size(f, a[k][k]), constant("i32", k)
        for i in range(k + 1, n):
            size = _size(f, a[i][k])
            is_larger = f.fcmp("ogt", size, largest)
            largest = f.select(is_larger, size, largest)
            pivot = f.select(is_larger, constant("i32", i), pivot)
        f.store(pivot, f.gep(pivots, k, "i32"))
        for i in range(k + 1, n):
            is_pivot = f.icmp("eq", pivot, i)
            for j in range(n):
                x, y = a[k][j], a[i][j]
                a[k][j], a[i][j] = _select(f, is_pivot, y, x), _select(f, is_pivot, x, y)
            x, y = order[k], order[i]
            order[k], order[i] = f.select(is_pivot, y, x), f.select(is_pivot, x, y)
        is_zero = f.fcmp("oeq", largest, 0.0)
        inverse = _reciprocal(f, kind, a[k][k])
        for i in range(k + 1, n):
            factor = _select(f, is_zero, a[i][k], _product(f, a[i][k], inverse))
            a[i][k] = factor
            for j in range(k + 1, n):
                a[i][j] = _without(f, a[i][j], factor, a[k][j])
    for i in range(n):
        f.store(order[i], f.gep(permutation, i, "i32"))
        for j in range(n):
            _store(f, kind, a[i][j], factors, i * n + j)


def small_complex_triangular_solve(
    f: IRBuilder,
    kind: Kind,
    system: tuple[int, int],
    pointers: tuple[Value, Value, Value],
    *,
    upper: bool,
    transposed: bool,
    unit: bool,
) -> None:
    """The solutions of a system of a given number of rows and right sides, one after the other."""
    n, columns = system
    matrix, source, target = pointers

    def element(i: int, j: int) -> Number:
        re, im = _load(f, kind, matrix, j * n + i if transposed else i * n + j)
        return re, f.fneg(im) if transposed else im

    order = range(n) if upper == transposed else range(n - 1, -1, -1)
    inverses = {} if unit else {i: _reciprocal(f, kind, element(i, i)) for i in order}
    with f.loop(0, columns, name="column") as loop:
        known: dict[int, Number] = {}
        for i in order:
            at = f.add(loop.index, i * columns)
            total = _load(f, kind, source, at)
            for j, x in known.items():
                total = _without(f, total, element(i, j), x)
            known[i] = total if unit else _product(f, total, inverses[i])
            _store(f, kind, known[i], target, at)


# Numbers --------------------------------------------------------------------------------------------


def _load(f: IRBuilder, kind: Kind, pointer: Value, number: Value | int) -> Number:
    re, im = (f.load(place, kind) for place in _places(f, kind, pointer, number))
    return re, im


def _store(f: IRBuilder, kind: Kind, x: Number, pointer: Value, number: Value | int) -> None:
    for part, place in zip(x, _places(f, kind, pointer, number), strict=True):
        f.store(part, place)


def _places(f: IRBuilder, kind: Kind, pointer: Value, number: Value | int) -> list[Value]:
    """The addresses of the parts of a number."""
    if isinstance(number, Value):
        first = f.mul(number, 2)
        return [f.gep(pointer, first, kind), f.gep(pointer, f.add(first, 1), kind)]
    return [f.gep(pointer, 2 * number + part, kind) for part in range(2)]


def _size(f: IRBuilder, x: Number) -> Value:
    """|re| + |im|."""
    return f.fadd(f.intrinsic("fabs", x[0]), f.intrinsic("fabs", x[1]))


def _select(f: IRBuilder, condition: Value, x: Number, y: Number) -> Number:
    return f.select(condition, x[0], y[0]), f.select(condition, x[1], y[1])


def _product(f: IRBuilder, x: Number, y: Number) -> Number:
    return (
        f.multiply_add(x[0], y[0], f.fneg(f.fmul(x[1], y[1]))),
        f.multiply_add(x[0], y[1], f.fmul(x[1], y[0])),
    )


def _without(f: IRBuilder, x: Number, y: Number, z: Number) -> Number:
    """x - y z."""
    real = f.multiply_add(f.fneg(y[0]), z[0], f.multiply_add(y[1], z[1], x[0]))
    imag = f.multiply_add(f.fneg(y[0]), z[1], f.multiply_add(f.fneg(y[1]), z[0], x[1]))
    return real, imag


def _reciprocal(f: IRBuilder, kind: Kind, x: Number) -> Number:
    """1 / x, by the ratio of the smaller part to the larger one, so no square overflows (Smith, 1962)."""
    re, im = x
    is_real = f.fcmp("oge", f.intrinsic("fabs", re), f.intrinsic("fabs", im))
    large, small = f.select(is_real, re, im), f.select(is_real, im, re)
    ratio = f.fdiv(small, large)
    inverse = f.fdiv(constant(kind, 1.0), f.multiply_add(small, ratio, large))
    other = f.fmul(ratio, inverse)
    return f.select(is_real, inverse, other), f.fneg(f.select(is_real, other, inverse))
