"""Contractions that threads may run at the same time, whose operands stay where they are until all are done.

    %p = kernel.dot %x, %g {parallel = 128, ...}
    %q = kernel.dot %g, %w {parallel = 128, ...}       reads nothing of %p: %x lives until here

Otherwise %q could lie where %x was, and would have to wait for %p. Which kernels run at the same time is
found again from the places when code is written (`mlirad/lower/emit/kernel_calls.py`).
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import Final

from xdsl.dialects.func import CallOp
from xdsl.ir import Operation

from mlirad.dialects.array.frames import RestoreOp, SaveOp
from mlirad.dialects.kernel import DotOp
from mlirad.dialects.kernel.strips import LOWERED_CONTROL
from mlirad.dialects.shapes import Value
from mlirad.ir.free_values import free_values

MOST_TOGETHER: Final = 4
"""How many contractions keep their operands for each other at most: each takes memory for its own."""


def keep_operands(ops: Sequence[Operation], last_read: MutableMapping[Value, int]) -> None:
    """Have operands of contractions count as read until the last of those that run at the same time."""
    for group in _groups(ops):
        for n in group:
            for value in ops[n].operands:
                last_read[value] = max(last_read[value], group[-1])


def _groups(ops: Sequence[Operation]) -> list[list[int]]:
    """The numbers of contractions that may run at the same time: shared ones, of which none reads another,
    and which no loop, branch or call stands between.
    """
    groups: list[list[int]] = []
    group: list[int] = []
    made: set[Value] = set()
    for n, op in enumerate(ops):
        is_barrier = isinstance(op, (CallOp, SaveOp, RestoreOp, *LOWERED_CONTROL))
        if is_barrier or len(group) == MOST_TOGETHER or any(v in made for v in free_values(op)):
            groups.append(group)
            group, made = [], set()
        if isinstance(op, DotOp) and op.parallel is not None:
            group.append(n)
            made.update(op.results)
    return [found for found in (*groups, group) if len(found) > 1]
