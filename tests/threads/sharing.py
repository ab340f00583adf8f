"""Programs whose loops are shared however little they cost, so that small ones show what large ones do."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from mlirad.jit import pool
from mlirad.jit.call import NativeFunction
from mlirad.lower.cpu.schedule_kernels import contraction_blocks, parallel
from mlirad.lower.cpu.split_reductions import totals
from mlirad.lower.native_program import NativeProgram
from tests.acceptance.same_bits import digest

NUMBERS = (1, 2, 3, 8)
"""Threads that must compute the same."""


@contextmanager
def everything_shared() -> Generator[None]:
    """Let every loop be shared that can be, in tasks as small as there are."""
    with (
        patch.object(parallel, "SHARED_CYCLES", 1.0),
        patch.object(parallel, "TASK_CYCLES", 1.0),
        patch.object(parallel, "DOT_ROWS", 2),
        patch.object(contraction_blocks, "BLOCK_MULTIPLE", 2),
        patch.object(contraction_blocks, "LEAST_EXTENT", 2),
        patch.object(contraction_blocks, "LEAST_BLOCK", 1),
        patch.object(contraction_blocks, "LEAST_ROW_BYTES", 8),
        patch.object(contraction_blocks, "COPIED_SHARE", math.inf),
        patch.object(totals, "TOTALS_SHARE", math.inf),
    ):
        yield


def digests(program: NativeProgram, leaves: list[Any]) -> dict[int, str]:
    """The digests of a program's results, by the number of threads that work on it."""
    return {n: digest(*NativeFunction(program, threads=n)(*leaves)) for n in NUMBERS}


def counted(call: Callable[[], Any]) -> pool.Counts:
    """The counts of parallel work during a call."""
    before = pool.counts()
    call()
    return pool.Counts(*(b - a for a, b in zip(before, pool.counts(), strict=True)))


def is_shared(program: NativeProgram) -> bool:
    """Return whether threads may share any kernel of a program."""
    return any(kernel.is_shared for kernel in program.kernels)
