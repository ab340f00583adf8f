"""Instructions that only some processors have, and the code that replaces them elsewhere."""

from __future__ import annotations

from typing import Final

from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Instructions:
    """`fuses`: multiply-adds that round once. `masks`: loads and stores of some lanes of a vector. `extrema`:
    minima and maxima of floats that are NaN if either operand is; those of x86 give the second operand then.
    `low_first`: numbers lie in memory with their lowest byte first. `mask_bytes`: the longest vector that one
    instruction can load by some lanes. LLVM selects wrong instructions for longer ones on AVX, where the mask
    is a condition that all lanes share and a constant mask.
    """

    fuses: bool = True
    masks: bool = True
    extrema: bool = True
    low_first: bool = True
    mask_bytes: int = 64

    def mask(self, element_bytes: int) -> bool:
        """Return whether some lanes of a vector of such elements are loaded by one instruction.

        AVX has them for elements of four bytes and more. Others are loaded lane by lane, by a branch each.
        """
        return self.masks and element_bytes >= 4


ALL_INSTRUCTIONS: Final = Instructions()
"""The instructions of a processor that has them all."""
