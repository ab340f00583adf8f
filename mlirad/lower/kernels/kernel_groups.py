"""Groups of kernels that become other ops: where an op stands beside them, and the exchange."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Block, Operation

from mlirad.dialects.shapes import Value
from mlirad.ir.free_values import free_values


def around(op: Operation, sibling: Operation) -> Operation:
    """The op beside `sibling` that an op is or stands in."""
    while op.parent is not sibling.parent:
        outer = op.parent_op()
        assert outer is not None
        op = outer
    return op


def replace_group(
    block: Block, members: Sequence[Operation], new: Sequence[Operation], results: Mapping[Value, Value]
) -> None:
    """Put `new` in place of the members, where the last of them stands; what reads a member goes behind.

    `results` has what stands for each result of a member that others read.
    """
    behind = _readers_before(block, members)
    for op in behind:
        op.detach()
    place = members[-1]
    for op in (*new, *behind):
        block.insert_op_after(op, place)
        place = op
    for old, value in results.items():
        old.replace_all_uses_with(value)
    for op in reversed(members):
        op.detach()
        op.erase(safe_erase=False)


def _readers_before(block: Block, members: Sequence[Operation]) -> list[Operation]:
    """The ops before the last member that read results of members, directly or not."""
    group = set(members)
    computed: set[Value] = set()
    found: list[Operation] = []
    for op in block.ops:
        if op in group:
            computed.update(op.results)
        elif any(v in computed for v in free_values(op)):
            computed.update(op.results)
            found.append(op)
        if op is members[-1]:
            break
    return found
