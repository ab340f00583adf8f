"""Squares of lanes, transposed in registers.

<a0 a1> <b0 b1>      -->  <a0 b0> <a1 b1>
"""

from __future__ import annotations

from collections.abc import Sequence

from mlirad.lower.llvm.text import IRBuilder, Value


def transposed(f: IRBuilder, rows: Sequence[Value]) -> list[Value]:
    """The columns of a square of lanes: off its diagonal, ever larger blocks change places."""
    found, width, block = list(rows), len(rows), 1
    while block < width:
        low = [k if not k & block else width + k - block for k in range(width)]
        high = [k + block if not k & block else width + k for k in range(width)]
        for k in range(width):
            if not k & block:
                a, b = found[k], found[k + block]
                found[k], found[k + block] = f.shuffle(a, b, low), f.shuffle(a, b, high)
        block *= 2
    return found
