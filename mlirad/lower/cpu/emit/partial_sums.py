"""Long sums of 32-bit floats, block by block: the rounding error grows with the additions in a row.

    in registers    sums of 32 in a row, then of 32 such sums, and so on
    in memory       for block: {for i in block: {y[e] += x[i]}; totals += y; y = -0}; y = totals

Added one by one, a million equal numbers give a sum with two correct digits.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Final

from mlirad.dialects.extents import is_static
from mlirad.lower.bodies.buffers import Buffer
from mlirad.lower.cpu.emit.kernels import KernelText
from mlirad.lower.large_sizes import are_static, greatest
from mlirad.lower.llvm.text import CountedLoop, IRBuilder, Operand, Value, constant

LONG: Final = 256
"""The number of additions from which a sum is made block by block."""

RADIX: Final = 32
"""The number of sums of blocks that are added in a row, and how many numbers in the smallest block."""

MOST_BYTES: Final = 32 * 1024
"""The most bytes of totals, which lie on the stack and in the first-level cache."""

_LANES: Final = 4


MOST_ITERATIONS: Final = 1 << 25
"""The iterations that the tree of sums is made for where they depend on sizes: of more its last sum is
longer."""


def most_iterations(iterations: int) -> int:
    """Return how many iterations a loop is taken to make at most."""
    return min(greatest(iterations), MOST_ITERATIONS) if not is_static(iterations) else iterations


def block_of(iterations: int) -> int:
    """The iterations of each of the blocks into which a loop of more than `RADIX` iterations is cut: a power
    of it.
    """
    block = RADIX
    while block * RADIX < iterations:
        block *= RADIX
    return block


@contextmanager
def in_blocks(
    f: IRBuilder, bounds: tuple[Operand, Operand], step: int, name: str, carries: Sequence[Value] = ()
) -> Generator[tuple[CountedLoop, Value]]:
    """A loop over blocks of `step` indices, all nonempty, and the end of a block."""
    lower, upper = bounds
    are_whole = isinstance(lower, int) and isinstance(upper, int) and (upper - lower) % step == 0
    with f.loop(lower, upper, step, carries=carries, name=name) as loop:
        end = f.add(loop.index, step)
        yield loop, end if are_whole else f.intrinsic("smin", end, f.value(upper, "i64"))


class PartialSums:
    """The totals of some buffers, in 64 bits; the buffers themselves hold the sums of a block."""

    def __init__(self, kernel: KernelText, buffers: Sequence[Buffer], *, keep: bool):
        """With `keep` the totals start from what the buffers hold, otherwise from 0."""
        self._kernel = kernel
        self._buffers = buffers
        f = kernel.f
        self._totals = [f.alloca("double", b.size) for b in buffers]
        for buffer, total in zip(buffers, self._totals, strict=True):
            if not keep:
                f.memset(total, 0, 8 * buffer.size)
        if keep:
            self._over_all(lambda own, total: (self._nothing(own), f.fpext(own)))
        else:
            self._over_all(lambda own, total: (self._nothing(own), total))

    @staticmethod
    def fit(buffers: Sequence[Buffer]) -> bool:
        """Return whether these buffers may have totals."""
        if not are_static(b.size for b in buffers):
            return False
        size = sum(8 * b.size for b in buffers)
        return bool(buffers) and size <= MOST_BYTES and all(b.kind == "float" for b in buffers)

    def flush(self) -> None:
        """Add the sums of a block to the totals, and reset them."""
        f = self._kernel.f
        self._over_all(lambda own, total: (self._nothing(own), f.fadd(total, f.fpext(own))))

    def finish(self) -> None:
        """Put the totals in the place of the sums."""
        f = self._kernel.f
        self._over_all(lambda own, total: (f.fptrunc(total), total))

    def _nothing(self, like: Value) -> Value:
        """Return what vanishes from the first addition."""
        return self._kernel.f.widen(constant("float", -0.0), like.width)

    def _over_all(self, change: Callable[[Value, Value], tuple[Value, Value]]) -> None:
        """Replace all sums and their totals."""
        f = self._kernel.f
        for buffer, totals in zip(self._buffers, self._totals, strict=True):
            pointer = self._kernel.pointers[buffer.place]
            full = buffer.size // _LANES * _LANES
            for lower, upper, width in ((0, full, _LANES), (full, buffer.size, 1)):
                if lower >= upper:
                    continue
                with f.loop(lower, upper, width, name="total") as loop:
                    at, there = f.gep(pointer, loop.index, "float"), f.gep(totals, loop.index, "double")
                    own, total = change(f.load(at, "float", width), f.load(there, "double", width))
                    f.store(own, at)
                    f.store(total, there)
