"""Whole buffers at once: filling with one value, copying between layouts."""

from __future__ import annotations

from mlirad.dialects.extents import at_most
from mlirad.lower.bodies.buffers import Buffer, MemorySlot
from mlirad.lower.cpu.emit.kernels import KernelText
from mlirad.lower.large_sizes import are_static
from mlirad.lower.llvm.text import IRBuilder, Value

FILL_LANES = 4
"""Elements that one iteration of a fill stores."""


def fill(kernel: KernelText, buffer: Buffer, value: Value) -> None:
    """Store a literal in every element."""
    f, pointer = kernel.f, kernel.pointers[buffer.place]
    if value.literal == 0 and not value.text.startswith("0x8"):
        f.memset(pointer, 0, buffer.nbytes)
        return
    full = buffer.size // FILL_LANES * FILL_LANES
    for lower, upper, width in ((0, full, FILL_LANES), (full, buffer.size, 1)):
        if not are_static((lower, upper)) or lower < upper:
            with f.loop(lower, upper, width, name="fill") as loop:
                f.store(f.widen(value, width), f.gep(pointer, loop.index, buffer.kind))


def copy(f: IRBuilder, pointers: dict[MemorySlot, Value], source: Buffer, target: Buffer) -> None:
    """Copy a buffer into another one of the same shape, whatever their layouts."""
    a, b = pointers[source.place], pointers[target.place]
    if at_most(source.size, 0) or source.place == target.place:
        return
    if source.strides == target.strides or (source.is_row_major and target.is_row_major):
        f.memcpy(b, a, source.nbytes)
        return
    _copy_loops(f, a, b, source, target, 0)


def _copy_loops(f: IRBuilder, a: Value, b: Value, source: Buffer, target: Buffer, d: int) -> None:
    if d == len(source.shape):
        f.store(f.load(a, source.kind), b)
        return
    with f.loop(0, source.shape[d], name="copy") as loop:
        from_ = f.gep(a, f.mul(loop.index, source.strides[d]), source.kind)
        to = f.gep(b, f.mul(loop.index, target.strides[d]), target.kind)
        _copy_loops(f, from_, to, source, target, d + 1)
