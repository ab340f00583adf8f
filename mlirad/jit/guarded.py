"""Guarded calls: they find programs that read uninitialised memory, or write where they may not.

Every buffer is copied between two stretches of guard bytes, and the program runs twice: with arena
and outputs filled with bytes 0xFF, which are NaN as floats and -1 as integers, and filled with
zeros. Then

- the results of both runs must be the same bits (any NaN equals any NaN);
- the guard bytes of every buffer must be what they were;
- inputs and constants must be what they were.

A failed check is a `CompileError` that names the buffer. Inputs and outputs lie at addresses that are
multiples of their element size and of nothing more, so code that assumes a better alignment stops
the process here rather than at a user's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mlirad.errors import CompileError
from mlirad.jit.arguments import type_of_element
from mlirad.jit.memory import aligned_bytes
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.native_program import BUFFER_ALIGNMENT, ITEM_BYTES, ArraySpec, ProgramInterface

GUARD_BYTES: Final = 4096
GUARD: Final = 0xA5

_HINT: Final = "this is a defect of mlirad, not of your program; please report it"


@dataclass(frozen=True)
class _Guarded:
    """A buffer between guards, and what it held when it was made."""

    name: str
    block: npt.NDArray[np.uint8]
    before: npt.NDArray[np.uint8]
    is_written: bool

    @property
    def content(self) -> npt.NDArray[np.uint8]:
        return self.block[GUARD_BYTES : self.block.size - GUARD_BYTES]

    @property
    def address(self) -> int:
        return self.block.ctypes.data + GUARD_BYTES

    def check(self) -> None:
        """Raise `CompileError` if the program wrote outside the buffer, or to one that is read-only."""
        guard = self.block != GUARD
        if guard[:GUARD_BYTES].any():
            raise CompileError(f"the program writes before the start of {self.name}", hint=_HINT)
        if guard[self.block.size - GUARD_BYTES :].any():
            raise CompileError(f"the program writes past the end of {self.name}", hint=_HINT)
        if not self.is_written and not np.array_equal(self.content, self.before):
            raise CompileError(f"the program writes to {self.name}", hint=_HINT)


def run_guarded(
    program: ProgramInterface,
    run: Callable[[list[int], int], None],
    inputs: Sequence[npt.NDArray[Any]],
    constants: Sequence[npt.NDArray[Any]],
) -> list[npt.NDArray[Any]]:
    """The outputs of `run(addresses of buffers, address of arena)` on these inputs and constants."""
    first = _run_filled(program, run, inputs, constants, 0xFF)
    second = _run_filled(program, run, inputs, constants, 0x00)
    for number, (spec, one, two) in enumerate(zip(program.outputs, first, second, strict=True)):
        differs = one != two
        if spec.dtype.startswith("float"):
            values, others = _typed(spec, one), _typed(spec, two)
            bits = differs.reshape(*spec.shape, values.itemsize).any(-1)
            differs = bits & ~(np.isnan(values) & np.isnan(others))
        if differs.any():
            raise CompileError(
                f"output {number} depends on memory that the program did not write, "
                f"first at element {_first(spec, differs)}",
                hint=_HINT,
            )
    return [_typed(spec, one).copy() for spec, one in zip(program.outputs, first, strict=True)]


def _first(spec: ArraySpec, differs: npt.NDArray[np.bool_]) -> int:
    """The row-major position of the first element that differs; `differs` is per element or per byte."""
    return int(np.argmax(differs)) * spec.size // differs.size


def _run_filled(
    program: ProgramInterface,
    run: Callable[[list[int], int], None],
    inputs: Sequence[npt.NDArray[Any]],
    constants: Sequence[npt.NDArray[Any]],
    fill: int,
) -> list[npt.NDArray[np.uint8]]:
    """The bytes of the outputs of one guarded run whose scratch memory is filled with byte `fill`."""
    buffers = [_copied(f"input {i}", array, array.itemsize) for i, array in enumerate(inputs)]
    outputs = [
        _filled(f"output {i}", spec.nbytes, ITEM_BYTES[spec.dtype], fill)
        for i, spec in enumerate(program.outputs)
    ]
    for k, j in program.updates:
        outputs[k].content[:] = buffers[j].content
        buffers[j] = outputs[k]
    buffers += outputs
    literals = [_copied(f"constant {i}", array, 0) for i, array in enumerate(constants)]
    buffers += literals
    arena = _filled("the arena", program.arena_bytes, 0, fill)
    run([buffer.address for buffer in buffers], arena.address)
    for buffer in (*buffers, arena):
        buffer.check()
    return [output.content for output in outputs]


def _block(size: int, offset: int) -> npt.NDArray[np.uint8]:
    """Guards around `size` bytes that start `offset` bytes after a multiple of `BUFFER_ALIGNMENT`."""
    block = aligned_bytes(size + 2 * GUARD_BYTES + BUFFER_ALIGNMENT)
    block = block[offset : offset + size + 2 * GUARD_BYTES]
    block[:] = GUARD
    return block


def _copied(name: str, array: npt.NDArray[Any], offset: int) -> _Guarded:
    content = np.frombuffer(array.tobytes(), np.uint8)
    guarded = _Guarded(name, _block(content.size, offset), content, is_written=False)
    guarded.content[:] = content
    return guarded


def _filled(name: str, size: int, offset: int, fill: int) -> _Guarded:
    content = np.full(size, fill, np.uint8)
    guarded = _Guarded(name, _block(size, offset), content, is_written=True)
    guarded.content[:] = content
    return guarded


def _typed(spec: ArraySpec, content: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
    dtype = type_of_element[spec.dtype]
    return np.frombuffer(content.tobytes(), dtype).reshape(spec.shape)
