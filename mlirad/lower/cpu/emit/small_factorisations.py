"""LU and Cholesky factors, and triangular systems, of matrices of a few rows: straight code in registers.

A call of LAPACK takes several times as long as the arithmetic of a matrix of eight rows.

    3 x 3: 9 loads, the search for each pivot and the exchange of rows by selections, 9 stores
"""

from __future__ import annotations

from math import nan

from mlirad.lower.llvm.text import IRBuilder, Kind, Operand, Value, constant

SMALL = 8
"""The most rows that are written out."""


def small_lu(f: IRBuilder, kind: Kind, n: int, source: Value, parts: tuple[Value, Value, Value]) -> None:
    """The factors, pivots and permutation of one matrix; the pivot is the first of the largest elements."""
    factors, pivots, permutation = parts
    a = _loaded(f, kind, n, source)
    order: list[Value] = [constant("i32", i) for i in range(n)]
    for k in range(n):
        largest, pivot = _magnitude(f, a[k][k]), constant("i32", k)
        for i in range(k + 1, n):
            size = _magnitude(f, a[i][k])
            is_larger = f.fcmp("ogt", size, largest)
            largest = f.select(is_larger, size, largest)
            pivot = f.select(is_larger, constant("i32", i), pivot)
        f.store(pivot, f.gep(pivots, k, "i32"))
        for i in range(k + 1, n):
            is_pivot = f.icmp("eq", pivot, i)
            for j in range(n):
                a[k][j], a[i][j] = _exchanged(f, is_pivot, a[k][j], a[i][j])
            order[k], order[i] = _exchanged(f, is_pivot, order[k], order[i])
        is_zero = f.fcmp("oeq", a[k][k], 0.0)
        for i in range(k + 1, n):
            factor = f.select(is_zero, a[i][k], f.fdiv(a[i][k], a[k][k]))
            a[i][k] = factor
            for j in range(k + 1, n):
                a[i][j] = f.multiply_add(f.fneg(factor), a[k][j], a[i][j])
    for i in range(n):
        f.store(order[i], f.gep(permutation, i, "i32"))
        for j in range(n):
            f.store(a[i][j], f.gep(factors, i * n + j, kind))


def _loaded(f: IRBuilder, kind: Kind, n: int, source: Value) -> list[list[Value]]:
    return [[f.load(f.gep(source, i * n + j, kind), kind) for j in range(n)] for i in range(n)]


def _magnitude(f: IRBuilder, x: Value) -> Value:
    return f.intrinsic("fabs", x)


def _exchanged(f: IRBuilder, condition: Value, x: Value, y: Value) -> tuple[Value, Value]:
    """The two, the other way round where the condition holds."""
    return f.select(condition, y, x), f.select(condition, x, y)


def small_cholesky(f: IRBuilder, kind: Kind, n: int, source: Value, factor: Value) -> None:
    """The lower triangular factor of one matrix, NaN where it is not positive definite."""
    a: dict[tuple[int, int], Value] = {}
    definite = constant("i1", 1)
    for j in range(n):
        for i in range(j, n):
            total = f.load(f.gep(source, i * n + j, kind), kind)
            for k in range(j):
                total = f.multiply_add(f.fneg(a[i, k]), a[j, k], total)
            if i == j:
                definite = f.and_(definite, f.fcmp("ogt", total, 0.0))
                a[j, j] = f.intrinsic("sqrt", total)
            else:
                a[i, j] = f.fdiv(total, a[j, j])
    for i in range(n):
        for j in range(n):
            value = f.select(definite, a[i, j], constant(kind, nan)) if j <= i else constant(kind, 0.0)
            f.store(value, f.gep(factor, i * n + j, kind))


def small_triangular_solve(
    f: IRBuilder,
    kind: Kind,
    system: tuple[int, int],
    pointers: tuple[Value, Value, Value],
    width: int,
    *,
    upper: bool,
    transposed: bool,
    unit: bool,
) -> None:
    """The solutions of a system of a given number of rows and right sides, `width` of these at a time."""
    n, columns = system
    matrix, source, target = pointers

    def element(i: int, j: int) -> Value:
        return f.load(f.gep(matrix, j * n + i if transposed else i * n + j, kind), kind)

    order = range(n) if upper == transposed else range(n - 1, -1, -1)

    def solve(lower: int, end: int, lanes: int) -> None:
        if lower >= end:
            return
        with f.loop(lower, end, lanes, name="column") as loop:
            known: dict[int, Value] = {}
            for i in order:
                at: Operand = f.add(loop.index, i * columns)
                total = f.load(f.gep(source, at, kind), kind, lanes)
                for j, x in known.items():
                    total = f.multiply_add(f.fneg(x), f.widen(element(i, j), lanes), total)
                known[i] = total if unit else f.fdiv(total, f.widen(element(i, i), lanes))
                f.store(known[i], f.gep(target, at, kind))

    full = columns // width * width if width > 1 else 0
    solve(0, full, width)
    solve(full, columns, 1)
