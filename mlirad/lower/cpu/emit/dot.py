"""`kernel.dot` as loops around tiles, or calls of BLAS: loops over the batch around one product.

Operands are matrices (`mlirad/lower/bodies/matrices.py`). `product.py` writes the products that the op states
tiles for; of a result that lies by columns, C' = B' A'. BLAS computes the others. It stores matrices by
columns, so a matrix with consecutive elements along its first dimension is passed as it is and one with
consecutive elements along its second is passed as its transpose.

    one row and one column      dot
    one row, or one column      gemv
    otherwise                   gemm
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Final

from mlirad.dialects.extents import at_most, is_static, nominal, size
from mlirad.dialects.kernel import DotOp
from mlirad.dialects.shapes import integer_of, values_of
from mlirad.errors import CompileError
from mlirad.ir.locations import location_of
from mlirad.lower.bodies.matrices import Matrices, Matrix, block_of, matrices_of, parts
from mlirad.lower.cpu.emit.chunk_store import workspace
from mlirad.lower.cpu.emit.fills import fill
from mlirad.lower.cpu.emit.kernels import KernelEmitter, begin_kernel
from mlirad.lower.cpu.emit.library_calls import LARGEST, LibraryCalls
from mlirad.lower.cpu.emit.parallel import Tasks
from mlirad.lower.cpu.emit.product import ProductWriter
from mlirad.lower.large_sizes import are_static, greatest
from mlirad.lower.llvm.text import BYTES, IRBuilder, Kind, Value, constant

MULTIPLICATIONS_PER_INSTRUCTION = 4
"""The speed of BLAS in estimates."""

_TASK_ROWS: Final = "rows of a task"
_TASK_COLUMNS: Final = "columns of a task"
"""The names of sizes that tasks have: how many rows and columns of the result they compute."""


def emit_dot(emitter: KernelEmitter, op: DotOp) -> None:
    """Write the function of a contraction and the call of it.

    Raises `CompileError` for element types and layouts that BLAS does not take.
    """
    lhs, rhs, out = emitter.buffers[op.lhs], emitter.buffers[op.rhs], emitter.buffers[op.result]
    if not out.size:
        return
    location = location_of(op)
    if out.kind not in ("double", "float"):
        raise CompileError(f"BLAS has no contraction of {out.kind}", location=location)
    matrices = matrices_of(op, lhs, rhs, out)
    extents = [] if matrices is None else [*matrices[0].extents, *matrices[1].extents]
    if matrices is None or max(map(greatest, extents)) > LARGEST:
        raise CompileError(
            "the operands of a contraction are not laid out as matrices",
            location=location,
            hint="leave its operands row-major, contracted dimensions side by side",
        )
    a, b, c = matrices
    block = None if op.parallel is None or not a.extents[1] else integer_of(op.parallel)
    wide = None if block is None or op.columns is None else integer_of(op.columns)
    tasks = None if block is None else _tasks(op.shared_extent, block, op.column_extent, wide)
    work = 2 * nominal(out.size) * max(1, nominal(a.extents[1]))
    kernel = begin_kernel(emitter, op, "dot", [lhs, rhs], [out], work, tasks)
    f = kernel.f
    if not a.extents[1]:
        fill(kernel, out, constant(out.kind, 0))
        f.ret()
        return
    pointers = [kernel.pointers[buffer.place] for buffer in (lhs, rhs, out)]
    steps = [
        (out.shape[k], (lhs.strides[i], rhs.strides[j], out.strides[k]))
        for k, (i, j) in enumerate(zip(values_of(op.lhs_batch), values_of(op.rhs_batch), strict=True))
    ]
    own = ProductWriter(f, out.kind, op, matrices)
    with workspace(f, out.kind, own.memory_elements) as memory:
        products = _Products(f, out.kind, own, memory)
        if kernel.task is None or block is None:
            _batched(f, products, pointers, steps, (a, b, c), location)
        elif steps:
            first = f.mul(kernel.task, block)
            end = f.intrinsic("smin", f.add(first, block), steps[0][0])
            _batched(f, products, pointers, steps, (a, b, c), location, (first, end, block))
        else:
            columns = c.extents[1] if wide is None else wide
            _block(f, products, pointers, (a, b, c), kernel.task, (block, columns), location)
    f.ret()


def _tasks(rows: int, block: int, columns: int, wide: int | None) -> Tasks | None:
    """The tasks of a contraction: blocks of rows, or of elements of the batch, and of columns."""
    if wide is None or at_most(columns, wide):
        return Tasks.of(rows, block)
    return Tasks.of(_blocks(rows, block) * _blocks(columns, wide), 1)


def _blocks(extent: int, block: int) -> int:
    """Return how many blocks an extent has; the last may be shorter."""
    return -(-extent // block)


def _block(
    f: IRBuilder,
    products: _Products,
    pointers: Sequence[Value],
    matrices: Matrices,
    task: Value,
    block: tuple[int, int],
    location: str | None,
) -> None:
    """The product for a block of `block` rows and columns; the last ones have what is left."""
    a, b, c = matrices
    rows, columns = c.extents
    across = _blocks(columns, block[1])
    down = task if at_most(across, 1) else f.sdiv(task, across)
    first_row = f.mul(down, block[0])
    first_column = f.mul(f.sub(task, f.mul(down, across)), block[1])
    moved = [
        f.gep(pointers[0], f.mul(first_row, a.strides[0]), products.kind),
        f.gep(pointers[1], f.mul(first_column, b.strides[1]), products.kind),
        f.gep(
            pointers[2],
            f.add(f.mul(first_row, c.strides[0]), f.mul(first_column, c.strides[1])),
            products.kind,
        ),
    ]

    def write(m: int, n: int) -> None:
        products.multiply(moved, block_of(matrices, m, n), location)

    starts = (first_row, first_column)
    if not are_static((*c.extents, *block)):
        # Within the task, its remaining rows and columns are sizes like any other.
        sizes = {
            name: f.intrinsic("smin", f.value(size, "i64"), f.sub(f.value(extent, "i64"), start))
            for name, size, extent, start in zip(
                (_TASK_ROWS, _TASK_COLUMNS), block, c.extents, starts, strict=True
            )
        }
        f.sizes = {**f.sizes, **sizes}
        write(size(_TASK_ROWS), size(_TASK_COLUMNS) if not at_most(across, 1) else columns)
        return
    _either(
        f,
        (rows, block[0], first_row),
        lambda m: _either(f, (columns, block[1], first_column), lambda n: write(m, n)),
    )


def _either(f: IRBuilder, part: tuple[int, int, Value], write: Callable[[int], None]) -> None:
    """Write code for a block of an extent, and for the last one, which may be shorter: `part` has the extent,
    that of a block, and the start of the block.
    """
    extent, block, start = part
    most, *shorter = parts(extent, block)
    if not shorter:
        write(most)
        return
    is_last = f.icmp("sgt", f.add(start, most), extent)
    f.run_either(is_last, lambda: write(shorter[0]), lambda: write(most))


def _batched(
    f: IRBuilder,
    products: _Products,
    pointers: Sequence[Value],
    steps: Sequence[tuple[int, tuple[int, int, int]]],
    matrices: Matrices,
    location: str | None,
    part: tuple[Value, Value, int] | None = None,
) -> None:
    """Loops over the batch dimensions around one call; `part` gives the first and the last element of the
    outermost one, and the most elements between them.
    """
    if not steps:
        products.multiply(pointers, matrices, location)
        return
    (extent, strides), *inner = steps
    lower, upper, most = part or (0, extent, extent)
    with f.loop(lower, upper, name="batch", at_most=most if is_static(most) else None) as loop:
        moved = [
            f.gep(p, f.mul(loop.index, s), products.kind) for p, s in zip(pointers, strides, strict=True)
        ]
        _batched(f, products, moved, inner, matrices, location)


class _Products:
    """Products by code of our own, or by BLAS, all of whose arguments are passed by address."""

    def __init__(self, f: IRBuilder, kind: Kind, own: ProductWriter, memory: Value):
        self._f = f
        self.kind: Kind = kind
        self._own = own
        self._memory = memory
        self._calls = LibraryCalls(f, kind)

    def multiply(self, pointers: Sequence[Value], matrices: Matrices, location: str | None) -> None:
        """C = A B."""
        f = self._f
        inside = [f.inside(p, m.elements * BYTES[self.kind]) for p, m in zip(pointers, matrices, strict=True)]
        fits = f.and_(f.and_(inside[0], inside[1]), inside[2])
        if fits.literal == 1:
            self._multiply(pointers, matrices, location)
            return
        with f.conditional(fits):
            self._multiply(pointers, matrices, location)

    def _multiply(self, pointers: Sequence[Value], matrices: Matrices, location: str | None) -> None:
        a, b, c = matrices
        pa, pb, pc = pointers
        if self._own.takes(matrices):
            self._own.write(pointers, matrices, self._memory)
            return
        self._f.work += nominal(prod(c.extents) * a.extents[1]) // MULTIPLICATIONS_PER_INSTRUCTION
        if c.extents == (1, 1):
            self._dot(pa, a, pb, b, pc)
        elif c.extents[1] == 1 and a.column_major() is not None:
            self._gemv(pa, a, (pb, b.strides[0]), (pc, c.strides[0]), "N")
        elif c.extents[1] == 1 and a.transposed.column_major() is not None:
            self._gemv(pa, a.transposed, (pb, b.strides[0]), (pc, c.strides[0]), "T")
        elif c.extents[0] == 1 and b.column_major() is not None:
            self._gemv(pb, b, (pa, a.strides[1]), (pc, c.strides[1]), "T")
        elif c.extents[0] == 1 and b.transposed.column_major() is not None:
            self._gemv(pb, b.transposed, (pa, a.strides[1]), (pc, c.strides[1]), "N")
        elif c.column_major() is not None:
            self._gemm(pa, a, pb, b, pc, c, location)
        else:
            self._gemm(pb, b.transposed, pa, a.transposed, pc, c.transposed, location)

    def _dot(self, pa: Value, a: Matrix, pb: Value, b: Matrix, pc: Value) -> None:
        calls = self._calls
        operands = [calls.int(a.extents[1]), pa, calls.int(a.strides[1]), pb, calls.int(b.strides[0])]
        result = calls.blas("dot", operands, self.kind)
        assert result is not None
        self._f.store(result, pc)

    def _gemv(self, p: Value, m: Matrix, x: tuple[Value, int], y: tuple[Value, int], how: str) -> None:
        """y = M x, or M' x, of a column-major matrix."""
        calls, leading = self._calls, m.column_major()
        assert leading is not None
        operands = [
            *(calls.char(how), calls.int(m.extents[0]), calls.int(m.extents[1]), calls.number(1.0)),
            *(p, calls.int(leading), x[0], calls.int(x[1]), calls.number(0.0), y[0], calls.int(y[1])),
        ]
        calls.blas("gemv", operands)

    def _gemm(
        self, pa: Value, a: Matrix, pb: Value, b: Matrix, pc: Value, c: Matrix, location: str | None
    ) -> None:
        """C = A B for a column-major C."""
        how_a, leading_a = _passed(a)
        how_b, leading_b = _passed(b)
        leading_c = c.column_major()
        if leading_a is None or leading_b is None or leading_c is None:
            raise CompileError(
                "a matrix of a contraction has no consecutive rows or columns",
                location=location,
                hint="leave the operands of the contraction row-major",
            )
        calls = self._calls
        operands = [
            *(calls.char(how_a), calls.char(how_b)),
            *(calls.int(c.extents[0]), calls.int(c.extents[1]), calls.int(a.extents[1])),
            *(calls.number(1.0), pa, calls.int(leading_a), pb, calls.int(leading_b)),
            *(calls.number(0.0), pc, calls.int(leading_c)),
        ]
        calls.blas("gemm", operands)


def _passed(matrix: Matrix) -> tuple[str, int | None]:
    """Return how BLAS takes a matrix: as it is (N) or transposed (T), and its leading dimension."""
    leading = matrix.column_major()
    if leading is not None:
        return "N", leading
    return "T", matrix.transposed.column_major()
