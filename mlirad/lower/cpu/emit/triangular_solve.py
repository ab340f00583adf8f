"""`kernel.triangular_solve` as loops over the batch around `trsm`, `trsv` or own code for a few rows.

BLAS stores matrices by columns. So it is given T as T^T with the triangles exchanged, and T X = B, of several
right sides, as X^T T^T = B^T. T^H X = B is X^T conj(T) = B^T, which `trsm` solves for one right side, too.
"""

from __future__ import annotations

from math import prod

from mlirad.dialects.array.factorisations import matrices_of, triangle_flags
from mlirad.dialects.kernel.factorisations import TriangularSolveOp
from mlirad.dialects.kernel.schedules import lanes_of
from mlirad.errors import CompileError
from mlirad.ir.locations import location_of
from mlirad.lower.cpu.emit.kernels import KernelEmitter, begin_kernel
from mlirad.lower.cpu.emit.library_calls import LARGEST, LibraryCalls
from mlirad.lower.cpu.emit.small_complex_factorisations import (
    SMALL_COMPLEX,
    small_complex_triangular_solve,
)
from mlirad.lower.cpu.emit.small_factorisations import SMALL, small_triangular_solve
from mlirad.lower.llvm.text import BYTES, Value

MULTIPLICATIONS_PER_INSTRUCTION = 4
"""The speed of BLAS in estimates."""


def emit_triangular_solve(emitter: KernelEmitter, op: TriangularSolveOp) -> None:
    """Write the function of triangular systems and the call of it.

    Raises `CompileError` for systems that are larger than BLAS takes.
    """
    matrix, source = emitter.buffers[op.matrix], emitter.buffers[op.operand]
    output = emitter.buffers[op.result]
    if not output.size:
        return
    flags = triangle_flags(op)
    is_complex = flags.pop("complex")
    *batch, rows, columns = matrices_of(op.operand.type, is_complex=is_complex)
    if max(rows, columns) > LARGEST:
        raise CompileError(f"a system of {rows} rows is too large for BLAS", location=location_of(op))
    work = output.size * rows // MULTIPLICATIONS_PER_INSTRUCTION
    kernel = begin_kernel(emitter, op, "triangular_solve", [matrix, source], [output], work)
    f, kind, count = kernel.f, output.kind, prod(batch)
    width = 2 if is_complex else 1
    lanes = lanes_of(op.width)
    pointers = [kernel.pointers[b.place] for b in (matrix, source, output)]
    with f.loop(0, count, name="batch") as loop:
        sizes = (width * rows * rows, width * rows * columns, width * rows * columns)
        t, b, x = (f.gep(p, f.mul(loop.index, size), kind) for p, size in zip(pointers, sizes, strict=True))
        if is_complex and rows <= SMALL_COMPLEX:
            small_complex_triangular_solve(f, kind, (rows, columns), (t, b, x), **flags)
        elif rows <= SMALL and not is_complex:
            small_triangular_solve(f, kind, (rows, columns), (t, b, x), lanes, **flags)
        else:
            calls = LibraryCalls(f, kind, is_complex=is_complex)
            fits = f.and_(f.inside(t, sizes[0] * BYTES[kind]), f.inside(x, sizes[2] * BYTES[kind]))
            if source.place != output.place:
                f.memcpy(x, b, sizes[2] * BYTES[kind])
            how = "C" if is_complex else "T"
            if fits.literal == 1:
                _solve(calls, t, x, (rows, columns), flags, how)
            else:
                with f.conditional(fits):
                    _solve(calls, t, x, (rows, columns), flags, how)
        f.work += work // count
    f.ret()


def _solve(
    calls: LibraryCalls,
    matrix: Value,
    x: Value,
    system: tuple[int, int],
    flags: dict[str, bool],
    adjoint: str,
) -> None:
    """Solve a system in the memory of its right sides; `adjoint` is what BLAS calls the other matrix."""
    rows, columns = system
    triangle = calls.char("L" if flags["upper"] else "U")
    diagonal = calls.char("U" if flags["unit"] else "N")
    size = calls.int(rows)
    if columns == 1 and adjoint == "T":
        how = calls.char("N" if flags["transposed"] else "T")
        calls.blas("trsv", [triangle, how, diagonal, size, matrix, size, x, calls.int(1)])
        return
    how, width = calls.char(adjoint if flags["transposed"] else "N"), calls.int(columns)
    operands = [calls.char("R"), triangle, how, diagonal, width, size, calls.number(1.0), matrix, size]
    calls.blas("trsm", [*operands, x, width])
