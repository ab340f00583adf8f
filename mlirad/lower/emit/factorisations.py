"""`kernel.factorisation` as LLVM functions: loops over the batch around routines of LAPACK, or own code.

LAPACK stores matrices by columns, and here they are stored by rows. A matrix is copied by columns into memory
that the kernel works in, factorised there, and the factors are copied back. Cholesky factors alone need no
copies: the lower triangle of a row-major matrix is the upper one of a column-major one.

    lu          getrf               qr      geqrf, then orgqr        svd     gesdd
    cholesky    potrf               eigh    syevd

LU and Cholesky factors of matrices of a few rows are written out (`small_factorisations.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan, prod

from mlirad.dialects.kernel.factorisations import FactorisationOp, memory_of, work_of
from mlirad.errors import CompileError
from mlirad.ir.locations import location_of
from mlirad.lower.emit.buffers import Buffer
from mlirad.lower.emit.kernels import KernelEmitter, begin_kernel
from mlirad.lower.emit.library_calls import LARGEST, LibraryCalls
from mlirad.lower.emit.small_factorisations import SMALL, small_cholesky, small_lu
from mlirad.lower.llvm_text import BYTES, IRBuilder, Kind, Operand, Value, constant

MULTIPLICATIONS_PER_INSTRUCTION = 2
"""How fast LAPACK is taken to be."""

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
    work: int
    """How many elements of the memory LAPACK's routine is given."""

    @property
    def least(self) -> int:
        """How many columns the factors have."""
        return min(self.rows, self.columns)

    def at(self, element: int) -> Value:
        """The address of an element of the memory."""
        return self.f.gep(self.memory, element, self.kind)


def emit_factorisation(emitter: KernelEmitter, op: FactorisationOp) -> None:
    """Write the function of a factorisation and the call of it.

    Raises `CompileError` for matrices that are larger than LAPACK takes.
    """
    source, outputs = emitter.buffers[op.operand], [emitter.buffers[r] for r in op.results]
    if not source.size:
        return
    kind, values = op.kind.data, op.values is not None
    *batch, rows, columns = source.shape
    if max(rows, columns, work_of(kind, op.operand.type, values=values)) > LARGEST:
        raise CompileError(
            f"matrices of {rows} rows and {columns} columns are too large for LAPACK",
            location=location_of(op),
        )
    count = prod(batch)
    work = source.size * min(rows, columns) * WORK[kind] // MULTIPLICATIONS_PER_INSTRUCTION
    kernel = begin_kernel(emitter, op, kind, [source], outputs, work)
    f = kernel.f
    pointers = [kernel.pointers[b.place] for b in outputs]
    numbers, integers = memory_of(kind, op.operand.type, values=values)
    nothing = Value("null", "ptr")
    memory = pointers[len(op.parts)] if numbers else nothing
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
            pointers[-1] if integers else nothing,
            work_of(kind, op.operand.type, values=values),
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
    """Whether all that the routines touch may be touched."""
    f = matrix.f
    members = [matrix.source, *matrix.parts.values()]
    fits = constant("i1", 1)
    for pointer, buffer in zip(members, buffers, strict=False):
        fits = f.and_(fits, f.inside(pointer, buffer.nbytes // count))
    for pointer, buffer in zip(memory, buffers[len(members) :], strict=True):
        fits = f.and_(fits, f.inside(pointer, buffer.nbytes))
    return fits


# Matrices ------------------------------------------------------------------------------------------------


def _transpose(m: Matrix, source: Value, target: Value, rows: int, columns: int) -> None:
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
        value = f.load(f.gep(source, f.add(f.mul(i.index, columns), j.index), m.kind), m.kind)
        f.store(value, f.gep(target, f.add(f.mul(j.index, rows), i.index), m.kind))


def _end(f: IRBuilder, start: Value, extent: int) -> Value:
    """Where a square that starts here ends."""
    return f.intrinsic("smin", f.add(start, SQUARE), constant("i64", extent))


def _fill(m: Matrix, target: Value, first: Operand, end: Operand, number: float) -> None:
    """Write a number into elements from `first` up to `end`."""
    f = m.f
    with f.loop(first, end, name="fill", at_most=m.rows * m.columns) as loop:
        f.store(constant(m.kind, number), f.gep(target, loop.index, m.kind))


def _info(f: IRBuilder) -> Value:
    """Where a routine says whether it has failed."""
    return f.alloca("i32", 1, 8, initial=constant("i32", 0))


def _failed(m: Matrix, info: Value) -> Value:
    return m.f.icmp("ne", m.f.load(info, "i32"), 0)


def _nan_if(m: Matrix, failed: Value, sizes: dict[str, int]) -> None:
    """Fill the parts with NaN if a routine has failed."""
    with m.f.conditional(failed, unlikely=True):
        for part, size in sizes.items():
            if part in m.parts:
                _fill(m, m.parts[part], 0, size, nan)


# Factorisations --------------------------------------------------------------------------------------------


def _lu(m: Matrix) -> None:
    f, n = m.f, m.rows
    if n <= SMALL:
        small_lu(f, m.kind, n, m.source, (m.parts["factors"], m.parts["pivots"], m.parts["permutation"]))
        return
    calls = LibraryCalls(f, m.kind)
    size = calls.int(n)
    _transpose(m, m.source, m.memory, n, n)
    calls.lapack("getrf", [size, size, m.memory, size, m.integers, _info(f)])
    _transpose(m, m.memory, m.parts["factors"], n, n)
    order = m.parts["permutation"]
    with f.loop(0, n, name="row") as loop:
        f.store(loop.index, f.gep(order, loop.index, "i64"))
    with f.loop(0, n, name="swap") as loop:
        given = f.sub(f.sext(f.load(f.gep(m.integers, loop.index, "i32"), "i32"), "i64"), 1)
        other = f.intrinsic("smin", f.intrinsic("smax", given, loop.index), constant("i64", n - 1))
        f.store(other, f.gep(m.parts["pivots"], loop.index, "i64"))
        here, there = f.gep(order, loop.index, "i64"), f.gep(order, other, "i64")
        mine, its = f.load(here, "i64"), f.load(there, "i64")
        f.store(its, here)
        f.store(mine, there)


def _cholesky(m: Matrix) -> None:
    f, n, factor = m.f, m.rows, m.parts["factor"]
    if n <= SMALL:
        small_cholesky(f, m.kind, n, m.source, factor)
        return
    calls = LibraryCalls(f, m.kind)
    f.memcpy(factor, m.source, n * n * BYTES[m.kind])
    info = _info(f)
    calls.lapack("potrf", [calls.char("U"), calls.int(n), factor, calls.int(n), info])
    # Some libraries go on with a pivot that is NaN, which then reaches the last one.
    last = f.load(f.gep(factor, n * n - 1, m.kind), m.kind)
    _nan_if(m, f.or_(_failed(m, info), f.fcmp("uno", last, last)), {"factor": n * n})
    with f.loop(0, n, name="row") as loop:
        row = f.mul(loop.index, n)
        _fill(m, factor, f.add(f.add(row, loop.index), 1), f.add(row, n), 0.0)


def _qr(m: Matrix) -> None:
    f, rows, columns, least = m.f, m.rows, m.columns, m.least
    calls = LibraryCalls(f, m.kind)
    tau, work = m.at(rows * columns), m.at(rows * columns + least)
    ends = [calls.int(rows), tau, work, calls.int(m.work), _info(f)]
    _transpose(m, m.source, m.memory, rows, columns)
    calls.lapack("geqrf", [calls.int(rows), calls.int(columns), m.memory, *ends])
    triangular = m.parts["triangular"]
    with f.loop(0, least, name="row") as i, f.loop(0, columns, name="column") as j:
        value = f.load(f.gep(m.memory, f.add(f.mul(j.index, rows), i.index), m.kind), m.kind)
        kept = f.select(f.icmp("sge", j.index, i.index), value, 0.0)
        f.store(kept, f.gep(triangular, f.add(f.mul(i.index, columns), j.index), m.kind))
    calls.lapack("orgqr", [calls.int(rows), calls.int(least), calls.int(least), m.memory, *ends])
    _transpose(m, m.memory, m.parts["orthogonal"], least, rows)


def _eigh(m: Matrix) -> None:
    f, n = m.f, m.rows
    calls = LibraryCalls(f, m.kind)
    vectors = m.parts.get("vectors")
    _transpose(m, m.source, m.memory, n, n)
    info = _info(f)
    operands = [calls.char("N" if vectors is None else "V"), calls.char("L"), calls.int(n)]
    operands += [m.memory, calls.int(n), m.parts["values"], m.at(n * n), calls.int(m.work)]
    operands += [m.integers, calls.int(1 if vectors is None else 3 + 5 * n), info]
    calls.lapack("syevd", operands)
    if vectors is not None:
        _transpose(m, m.memory, vectors, n, n)
    _nan_if(m, _failed(m, info), {"values": n, "vectors": n * n})


def _svd(m: Matrix) -> None:
    f, rows, columns, least = m.f, m.rows, m.columns, m.least
    calls = LibraryCalls(f, m.kind)
    left = m.parts.get("left")
    after = rows * columns
    u, vt, work = m.memory, m.memory, m.at(after)
    if left is not None:
        u, vt = m.at(after), m.at(after + rows * least)
        work = m.at(after + least * (rows + columns))
    _transpose(m, m.source, m.memory, rows, columns)
    info = _info(f)
    operands = [calls.char("N" if left is None else "S"), calls.int(rows), calls.int(columns)]
    operands += [m.memory, calls.int(rows), m.parts["values"], u, calls.int(rows), vt, calls.int(least)]
    operands += [work, calls.int(m.work), m.integers, info]
    calls.lapack("gesdd", operands)
    if left is not None:
        _transpose(m, u, left, least, rows)
        _transpose(m, vt, m.parts["right"], columns, least)
    _nan_if(m, _failed(m, info), {"left": rows * least, "values": least, "right": least * columns})


WRITERS = {"lu": _lu, "cholesky": _cholesky, "qr": _qr, "eigh": _eigh, "svd": _svd}
"""What writes the factorisation of one matrix."""

WORK = {"lu": 1, "cholesky": 1, "qr": 4, "eigh": 9, "svd": 20}
"""Multiplications per element of the matrix and column of its factors, roughly."""
