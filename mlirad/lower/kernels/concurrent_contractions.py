"""Contractions that threads run at the same time: they stand together, and their operands stay in place.

    %p = kernel.dot %x, %g {parallel = 128, ...}
    %t = kernel.nest %p ...
    %q = kernel.dot %g, %w {parallel = 128, ...}       reads nothing of %p: it is moved behind %p

%x lives until %q is done, too. Otherwise %q could lie where %x was, and would have to wait for %p. Kernels
that run at the same time are found again from the places when code is written
(`mlirad/lower/cpu/emit/kernel_calls.py`).

Contractions are cut into blocks, and BLAS stays on one thread. Its pool cuts by its number of threads, so its
bits depend on it, and it has one setting per process. Blocks copy operands again, which may cost a few
percent, also where one thread computes all of them: a whole product could have other bits. The order of the
program decides which kernels run at the same time. A graph of tasks, each waiting for those that it reads,
would keep more threads busy, and would need its own memory plan, in which nothing is reused while something
may still run.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import Final

from xdsl.dialects.func import CallOp
from xdsl.ir import Block, Operation

from mlirad.dialects.array.frames import NextRowOp, RestoreOp, SaveOp
from mlirad.dialects.kernel import DotOp
from mlirad.dialects.kernel.strips import LOWERED_CONTROL
from mlirad.dialects.shapes import Value
from mlirad.ir.free_values import free_values

BARRIERS: Final = (CallOp, SaveOp, RestoreOp, NextRowOp, *LOWERED_CONTROL)
"""Ops that kernels before them do not run at the same time as kernels behind them."""

MOST_TOGETHER: Final = 4
"""The number of contractions that are brought together, and keep their operands for each other, at most: each
takes memory for its own."""


def bring_together(block: Block) -> None:
    """Move shared contractions behind others that they do not depend on, so that threads can run them at
    the same time.
    """
    group: list[Operation] = []
    made: set[Value] = set()
    for op in list(block.ops):
        depends = any(v in made for v in free_values(op))
        if isinstance(op, BARRIERS):
            group, made = [], set()
        elif _is_shared(op) and (depends or not group or len(group) == MOST_TOGETHER):
            group, made = [op], set()
        elif _is_shared(op):
            if op.prev_op is not group[-1]:
                op.detach()
                block.insert_op_after(op, group[-1])
            group.append(op)
        made.update(op.results)


def keep_operands(ops: Sequence[Operation], last_read: MutableMapping[Value, int]) -> None:
    """Have operands of contractions that nothing reads later count as read until the last of those that run
    at the same time. Operands that are read later may be overwritten where they are read last.
    """
    for group in _groups(ops):
        for n in group:
            for value in ops[n].operands:
                if last_read[value] == n:
                    last_read[value] = group[-1]


def _groups(ops: Sequence[Operation]) -> list[list[int]]:
    """The numbers of contractions that may run at the same time: shared ones, none read before the last of
    them, with no barrier between.
    """
    groups: list[list[int]] = []
    group: list[int] = []
    made: set[Value] = set()
    for n, op in enumerate(ops):
        is_barrier = isinstance(op, BARRIERS)
        if is_barrier or len(group) == MOST_TOGETHER or any(v in made for v in free_values(op)):
            groups.append(group)
            group, made = [], set()
        if _is_shared(op):
            group.append(n)
            made.update(op.results)
    return [found for found in (*groups, group) if len(found) > 1]


def _is_shared(op: Operation) -> bool:
    return isinstance(op, DotOp) and op.parallel is not None
