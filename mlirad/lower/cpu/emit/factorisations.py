"""`kernel.factorisation` as LLVM functions: loops over the batch around routines of LAPACK, or own code.

LAPACK stores matrices by columns, and here they are stored by rows. A matrix is copied by columns into memory
that the kernel works in, factorised there, and the factors are copied back. Cholesky factors alone need no
copies: the lower triangle of a row-major matrix is the upper one of a column-major one.

    lu          getrf               qr      geqrf, then orgqr        svd     gesdd
    cholesky    potrf               eigh    syevd           eig     geev
                                                                schur   gees

Of complex matrices the routines are `ungqr` and `heevd` instead of `orgqr` and `syevd`. The lower triangle of
a row-major Hermitian matrix is the upper one of its conjugate, whose factor U is L^T: in rows it is L.

LU and Cholesky factors of matrices of a few rows are written out (`small_factorisations.py`), and LU factors
of complex ones (`small_complex_factorisations.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from mlirad.dialects.array.factorisations import matrices_of
from mlirad.dialects.kernel.factorisations import FactorisationOp, memory_of
from mlirad.errors import CompileError
from mlirad.ir.locations import location_of
from mlirad.lower.bodies.buffers import Buffer
from mlirad.lower.cpu.emit.eigenvalues import write_eig, write_schur
from mlirad.lower.cpu.emit.factorised_matrix import (
    Matrix,
    failed,
    fill,
    nan_if,
    new_info,
    place,
    transpose,
)
from mlirad.lower.cpu.emit.kernels import KernelEmitter, begin_kernel
from mlirad.lower.cpu.emit.library_calls import LARGEST, LibraryCalls
from mlirad.lower.cpu.emit.small_complex_factorisations import SMALL_COMPLEX, small_complex_lu
from mlirad.lower.cpu.emit.small_factorisations import SMALL, small_cholesky, small_lu
from mlirad.lower.llvm.text import BYTES, IRBuilder, Value, constant

MULTIPLICATIONS_PER_INSTRUCTION = 2
"""The assumed speed of LAPACK."""


def emit_factorisation(emitter: KernelEmitter, op: FactorisationOp) -> None:
    """Write the function of a factorisation and the call of it.

    Raises `CompileError` for matrices that are larger than LAPACK takes.
    """
    source, outputs = emitter.buffers[op.operand], [emitter.buffers[r] for r in op.results]
    if not source.size:
        return
    kind, is_complex = op.kind.data, op.complex is not None
    *batch, rows, columns = matrices_of(op.operand.type, is_complex=is_complex)
    sizes = memory_of(kind, (rows, columns), values=op.values is not None, is_complex=is_complex)
    if max(rows, columns, sizes.work) > LARGEST:
        raise CompileError(
            f"matrices of {rows} rows and {columns} columns are too large for LAPACK",
            location=location_of(op),
        )
    count = prod(batch)
    work = source.size * min(rows, columns) * WORK[kind] // MULTIPLICATIONS_PER_INSTRUCTION
    kernel = begin_kernel(emitter, op, kind, [source], outputs, work)
    f = kernel.f
    pointers = [kernel.pointers[b.place] for b in outputs]
    nothing = Value("null", "ptr")
    memory = pointers[len(op.parts)] if sizes.floats else nothing
    with f.loop(0, count, name="batch") as loop:
        parts = {
            part: _member(f, pointer, loop.index, buffer, count)
            for part, pointer, buffer in zip(op.parts, pointers, outputs, strict=False)
        }
        matrix = Matrix(
            f,
            source.kind,
            rows,
            columns,
            _member(f, kernel.pointers[source.place], loop.index, source, count),
            parts,
            memory,
            pointers[-1] if sizes.integers else nothing,
            sizes,
            is_complex,
        )
        fits = _fits(matrix, [source, *outputs], pointers[len(op.parts) :], count)
        if fits.literal == 1:
            WRITERS[kind](matrix)
        else:
            with f.conditional(fits):
                WRITERS[kind](matrix)
        f.work += work // max(count, 1)
    f.ret()


def _member(f: IRBuilder, pointer: Value, index: Value, buffer: Buffer, count: int) -> Value:
    """The address of a member of a batch."""
    return f.gep(pointer, f.mul(index, buffer.size // count), buffer.kind)


def _fits(matrix: Matrix, buffers: Sequence[Buffer], memory: Sequence[Value], count: int) -> Value:
    """Return whether all that the routines touch may be touched."""
    f = matrix.f
    members = [matrix.source, *matrix.parts.values()]
    fits = constant("i1", 1)
    for pointer, buffer in zip(members, buffers, strict=False):
        fits = f.and_(fits, f.inside(pointer, buffer.nbytes // count))
    for pointer, buffer in zip(memory, buffers[len(members) :], strict=True):
        fits = f.and_(fits, f.inside(pointer, buffer.nbytes))
    return fits


# Factorisations --------------------------------------------------------------------------------------------


def _lu(m: Matrix) -> None:
    f, n = m.f, m.rows
    if n <= (SMALL_COMPLEX if m.is_complex else SMALL):
        write = small_complex_lu if m.is_complex else small_lu
        write(f, m.kind, n, m.source, (m.parts["factors"], m.parts["pivots"], m.parts["permutation"]))
        return
    calls = LibraryCalls(f, m.kind, is_complex=m.is_complex)
    size = calls.int(n)
    transpose(m, m.source, m.memory, n, n)
    calls.lapack("getrf", [size, size, m.memory, size, m.integers, new_info(f)])
    transpose(m, m.memory, m.parts["factors"], n, n)
    order = m.parts["permutation"]
    with f.loop(0, n, name="row") as loop:
        f.store(f.trunc(loop.index, "i32"), f.gep(order, loop.index, "i32"))
    with f.loop(0, n, name="swap") as loop:
        given = f.sub(f.sext(f.load(f.gep(m.integers, loop.index, "i32"), "i32"), "i64"), 1)
        other = f.intrinsic("smin", f.intrinsic("smax", given, loop.index), constant("i64", n - 1))
        f.store(f.trunc(other, "i32"), f.gep(m.parts["pivots"], loop.index, "i32"))
        here, there = f.gep(order, loop.index, "i32"), f.gep(order, other, "i32")
        mine, its = f.load(here, "i32"), f.load(there, "i32")
        f.store(its, here)
        f.store(mine, there)


def _cholesky(m: Matrix) -> None:
    f, n, factor = m.f, m.rows, m.parts["factor"]
    if n <= SMALL and not m.is_complex:
        small_cholesky(f, m.kind, n, m.source, factor)
        return
    calls = LibraryCalls(f, m.kind, is_complex=m.is_complex)
    size = m.width * n * n
    f.memcpy(factor, m.source, size * BYTES[m.kind])
    info = new_info(f)
    calls.lapack("potrf", [calls.char("U"), calls.int(n), factor, calls.int(n), info])
    # Some libraries go on with a pivot that is NaN, which then reaches the last one.
    last = f.load(f.gep(factor, size - m.width, m.kind), m.kind)
    nan_if(m, f.or_(failed(m, info), f.fcmp("uno", last, last)), {"factor": size})
    with f.loop(0, n, name="row") as loop:
        row = f.mul(loop.index, n)
        first, end = (f.mul(x, m.width) for x in (f.add(f.add(row, loop.index), 1), f.add(row, n)))
        fill(m, factor, first, end, 0.0)


def _qr(m: Matrix) -> None:
    f, rows, columns, least = m.f, m.rows, m.columns, m.least
    calls = LibraryCalls(f, m.kind, is_complex=m.is_complex)
    tau, work = m.at(rows * columns), m.at(rows * columns + least)
    ends = [calls.int(rows), tau, work, calls.int(m.work), new_info(f)]
    transpose(m, m.source, m.memory, rows, columns)
    calls.lapack("geqrf", [calls.int(rows), calls.int(columns), m.memory, *ends])
    triangular = m.parts["triangular"]
    with f.loop(0, least, name="row") as i, f.loop(0, columns, name="column") as j:
        here, there = f.add(f.mul(j.index, rows), i.index), f.add(f.mul(i.index, columns), j.index)
        is_kept = f.icmp("sge", j.index, i.index)
        for part in range(m.width):
            value = f.load(place(m, m.memory, here, part), m.kind)
            f.store(f.select(is_kept, value, 0.0), place(m, triangular, there, part))
    calls.lapack(
        "ungqr" if m.is_complex else "orgqr",
        [calls.int(rows), calls.int(least), calls.int(least), m.memory, *ends],
    )
    transpose(m, m.memory, m.parts["orthogonal"], least, rows)


def _eigh(m: Matrix) -> None:
    f, n = m.f, m.rows
    calls = LibraryCalls(f, m.kind, is_complex=m.is_complex)
    vectors = m.parts.get("vectors")
    transpose(m, m.source, m.memory, n, n)
    info = new_info(f)
    operands = [calls.char("N" if vectors is None else "V"), calls.char("L"), calls.int(n)]
    operands += [m.memory, calls.int(n), m.parts["values"], m.at(n * n), calls.int(m.work)]
    if m.is_complex:
        operands += [m.reals, calls.int(m.sizes.reals)]
    operands += [m.integers, calls.int(m.sizes.integers), info]
    calls.lapack("heevd" if m.is_complex else "syevd", operands)
    if vectors is not None:
        transpose(m, m.memory, vectors, n, n)
    nan_if(m, failed(m, info), {"values": n, "vectors": m.width * n * n})


def _svd(m: Matrix) -> None:
    f, rows, columns, least = m.f, m.rows, m.columns, m.least
    calls = LibraryCalls(f, m.kind, is_complex=m.is_complex)
    left = m.parts.get("left")
    after = rows * columns
    u, vt, work = m.memory, m.memory, m.at(after)
    if left is not None:
        u, vt = m.at(after), m.at(after + rows * least)
        work = m.at(after + least * (rows + columns))
    transpose(m, m.source, m.memory, rows, columns)
    info = new_info(f)
    operands = [calls.char("N" if left is None else "S"), calls.int(rows), calls.int(columns)]
    operands += [m.memory, calls.int(rows), m.parts["values"], u, calls.int(rows), vt, calls.int(least)]
    operands += [work, calls.int(m.work), *([m.reals] if m.is_complex else []), m.integers, info]
    calls.lapack("gesdd", operands)
    if left is not None:
        transpose(m, u, left, least, rows)
        transpose(m, vt, m.parts["right"], columns, least)
    sizes = {"left": m.width * rows * least, "values": least, "right": m.width * least * columns}
    nan_if(m, failed(m, info), sizes)


WRITERS = {
    "lu": _lu,
    "cholesky": _cholesky,
    "qr": _qr,
    "eigh": _eigh,
    "svd": _svd,
    "eig": write_eig,
    "schur": write_schur,
}
"""The functions that write the factorisation of one matrix."""

WORK = {"lu": 1, "cholesky": 1, "qr": 4, "eigh": 9, "svd": 20, "eig": 25, "schur": 25}
"""Multiplications per element of the matrix and column of its factors, roughly."""
