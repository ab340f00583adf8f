"""`kernel.fft`: transforms that are compiled, a row or a block of columns at a time, and calls of a library.

shape (2, 512, 257), pairs 0, dim 0      for each of 17 blocks of columns: passes over 16 of them, or one
"""

from __future__ import annotations

from mlirad.dialects.array.transforms import number_rank, transform_operations
from mlirad.dialects.kernel.schedules import lanes_of
from mlirad.dialects.kernel.transforms import FftOp
from mlirad.errors import CompileError
from mlirad.ir.locations import location_of
from mlirad.lower.bodies.buffers import Buffer
from mlirad.lower.cpu.emit.chunk_store import workspace
from mlirad.lower.cpu.emit.kernels import KernelEmitter, KernelText, begin_kernel
from mlirad.lower.cpu.emit.library_transforms import call_library
from mlirad.lower.cpu.emit.parallel import Tasks
from mlirad.lower.cpu.fourier.driver import FourierWriter, Planes
from mlirad.lower.cpu.fourier.items import Items
from mlirad.lower.kernels.transform_plans import complex_length
from mlirad.lower.llvm.text import Value

OPERATIONS_PER_INSTRUCTION = 2
"""The speed of transforms in estimates."""


def emit_fft(emitter: KernelEmitter, op: FftOp) -> None:
    """Write the function of a transform and the call of it.

    Raises `CompileError` for a transform that is neither compiled nor laid out for the library.
    """
    source, output = emitter.buffers[op.operand], emitter.buffers[op.result]
    if not output.size:
        return
    what, axes = op.kind.data, op.axes
    items = Items.of_op(op)
    if items is None and axes.properties(number_rank(what, op.operand.type)):
        raise CompileError(
            "a transform of this length is of rows of pairs",
            location=location_of(op),
            hint="run `assign-fft-layouts` before kernels are formed",
        )
    work = 1 + transform_operations(what, axes, op.operand.type, op.result.type) // OPERATIONS_PER_INSTRUCTION
    block = None if op.parallel is None or items is None else op.parallel.value.data
    tasks = None if block is None or items is None else Tasks.of(items.count, block)
    kernel = begin_kernel(emitter, op, f"fft_{what}", [source], [output], work, tasks)
    f, read, written = kernel.f, kernel.pointers[source.place], kernel.pointers[output.place]
    fits = f.and_(f.inside(read, source.nbytes), f.inside(written, output.nbytes))

    def write(memory: Value) -> None:
        if items is None:
            call_library(f, what, source, output, (read, written))
            f.work += work
        else:
            width = lanes_of(op.width)
            _write_items(kernel, items, what, (source, output), memory, width, block)

    with workspace(f, output.kind, 0 if items is None else _work_elements(items)) as memory:
        if fits.literal == 1:
            write(memory)
        else:
            with f.checks_itself(), f.conditional(fits):
                write(memory)
    f.ret()


def _work_elements(items: Items) -> int:
    """Return how many elements an item is worked on in: twice those of its planes."""
    return 4 * FourierWriter.plane(complex_length(items.kind, items.n), items.block)


def _write_items(
    kernel: KernelText,
    items: Items,
    what: str,
    buffers: tuple[Buffer, Buffer],
    workspace: Value,
    lanes: int,
    block: int | None,
) -> None:
    """Loop over all items, or over those of one task."""
    f, kind = kernel.f, buffers[0].kind
    work = workspace, f.gep(workspace, _work_elements(items) // 2, kind)
    writer = FourierWriter(f, kind, lanes, complex_length(what, items.n), work)
    lower, upper, most = f.value(0, "i64"), f.value(items.count, "i64"), items.count
    if kernel.task is not None and block is not None:
        lower = f.mul(kernel.task, block)
        upper, most = f.intrinsic("smin", f.add(lower, block), upper), block

    with f.loop(lower, upper, at_most=most, name="item") as loop:
        row = f.sdiv(loop.index, items.blocks) if items.blocks > 1 else loop.index
        number = f.srem(loop.index, items.blocks) if items.blocks > 1 else f.value(0, "i64")
        first = f.mul(number, items.block)

        def write(columns: int) -> None:
            ends = [
                _planes(kernel, items, pointer_of, row, first, is_signal=is_signal)
                for pointer_of, is_signal in zip(buffers, (what == "real", what == "half"), strict=True)
            ]
            writer.transform(what, ends[0], ends[1], columns)

        if items.last_block == items.block:
            write(items.block)
        else:
            is_last = f.icmp("eq", number, items.blocks - 1)
            f.run_either(is_last, lambda: write(items.last_block), lambda: write(items.block))


def _planes(
    kernel: KernelText, items: Items, buffer: Buffer, row: Value, first: Value, *, is_signal: bool
) -> Planes:
    """Return where an item begins in an array."""
    f, kind, columns = kernel.f, buffer.kind, items.columns
    base = kernel.pointers[buffer.place]
    if is_signal:
        start = f.gep(base, f.add(f.mul(row, items.n * columns), first), kind)
        if columns == 1:
            return Planes(start, start, 1, joined=True)
        return Planes(start, f.gep(start, columns, kind), 2 * columns)
    length = items.n if items.kind in ("forward", "backward") else items.n // 2 + 1
    plane = items.between * length * columns
    before, between = f.sdiv(row, items.between), f.srem(row, items.between)
    at = f.add(f.add(f.mul(before, 2 * plane), f.mul(between, length * columns)), first)
    start = f.gep(base, at, kind)
    return Planes(start, f.gep(start, plane, kind), columns)
