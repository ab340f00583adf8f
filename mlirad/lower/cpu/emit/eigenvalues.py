"""Eigenvalues, eigenvectors and Schur factors of one matrix that need not be symmetric.

A real matrix has pairs of complex eigenvalues, w and conj(w) in neighbouring columns. `geev` gives their
eigenvectors as x and y in these columns: they are x + iy and x - iy. In `gees` a block of two rows is a pair.

The routines may not return if an element is not finite, so they are not called then.
"""

from __future__ import annotations

from mlirad.lower.cpu.emit.factorised_matrix import Matrix, failed, nan_if, new_info, transpose
from mlirad.lower.cpu.emit.library_calls import LibraryCalls
from mlirad.lower.llvm.text import Value, constant


def write_eig(m: Matrix) -> None:
    """Eigenvalues, and eigenvectors where they are a part."""
    f, n = m.f, m.rows
    values, vectors = m.parts["values"], m.parts.get("vectors")
    calls, info = LibraryCalls(f, m.kind, is_complex=m.is_complex), new_info(f, constant("i32", 1))
    size = calls.int(n)
    found = m.at(n * n)
    work = found if vectors is None else m.at(2 * n * n)
    transpose(m, m.source, m.memory, n, n)
    with f.conditional(_is_finite(m)):
        operands = [calls.char("N"), calls.char("N" if vectors is None else "V"), size, m.memory, size]
        operands += [values] if m.is_complex else [m.reals, f.gep(m.reals, n, m.kind)]
        operands += [found, size, found, size, work, calls.int(m.work)]
        calls.lapack("geev", [*operands, *([m.reals] if m.is_complex else []), info])
    if m.is_complex:
        if vectors is not None:
            transpose(m, found, vectors, n, n)
    else:
        _pair(m, found)
    nan_if(m, failed(m, info), {"values": 2 * n, "vectors": 2 * n * n})


def write_schur(m: Matrix) -> None:
    """The factors Z and T of the Schur factorisation, in LAPACK's order of the eigenvalues."""
    f, n = m.f, m.rows
    calls, info = LibraryCalls(f, m.kind, is_complex=m.is_complex), new_info(f, constant("i32", 1))
    size, nothing, unsorted = calls.int(n), Value("null", "ptr"), new_info(f)
    z = m.at(n * n)
    values = [m.at(2 * n * n)] if m.is_complex else [m.reals, f.gep(m.reals, n, m.kind)]
    work = m.at(2 * n * n + (n if m.is_complex else 0))
    transpose(m, m.source, m.memory, n, n)
    with f.conditional(_is_finite(m)):
        operands = [calls.char("V"), calls.char("N"), nothing, size, m.memory, size, unsorted, *values]
        operands += [z, size, work, calls.int(m.work), *([m.reals] if m.is_complex else [])]
        calls.lapack("gees", [*operands, nothing, info])
    transpose(m, z, m.parts["orthogonal"], n, n)
    transpose(m, m.memory, m.parts["triangular"], n, n)
    count = m.width * n * n
    nan_if(m, failed(m, info), {"orthogonal": count, "triangular": count})


def _pair(m: Matrix, found: Value) -> None:
    """Write eigenvalues and eigenvectors of a real matrix as complex numbers."""
    f, n, vectors = m.f, m.rows, m.parts.get("vectors")
    with f.loop(0, n, name="column") as j:
        real, imag = (f.load(f.gep(m.reals, f.add(j.index, k * n), m.kind), m.kind) for k in range(2))
        target = f.mul(j.index, 2)
        f.store(real, f.gep(m.parts["values"], target, m.kind))
        f.store(imag, f.gep(m.parts["values"], f.add(target, 1), m.kind))
        if vectors is None:
            return
        is_first, is_second = (f.fcmp(how, imag, 0.0) for how in ("ogt", "olt"))
        last = constant("i64", n - 1)
        before = f.intrinsic("smax", f.sub(j.index, 1), constant("i64", 0))
        after = f.intrinsic("smin", f.add(j.index, 1), last)
        x = f.select(is_second, before, j.index)
        y = f.select(is_first, after, j.index)
        sign = f.select(is_first, constant(m.kind, 1.0), f.select(is_second, constant(m.kind, -1.0), 0.0))
        with f.loop(0, n, name="row") as i:
            own, other = (f.load(f.gep(found, f.add(f.mul(c, n), i.index), m.kind), m.kind) for c in (x, y))
            place_ = f.mul(f.add(f.mul(i.index, n), j.index), 2)
            f.store(own, f.gep(vectors, place_, m.kind))
            f.store(f.fmul(other, sign), f.gep(vectors, f.add(place_, 1), m.kind))


def _is_finite(m: Matrix) -> Value:
    """Return whether all elements of a matrix are finite: whether the sum of their multiples by 0 is 0."""
    f = m.f
    total = f.alloca(m.kind, 1, 8, initial=constant(m.kind, 0.0))
    with f.loop(0, m.width * m.rows * m.columns, name="element") as loop:
        x = f.load(f.gep(m.source, loop.index, m.kind), m.kind)
        f.store(f.multiply_add(x, constant(m.kind, 0.0), f.load(total, m.kind)), total)
    return f.fcmp("oeq", f.load(total, m.kind), 0.0)
