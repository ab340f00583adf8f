"""The values that an op reads: its operands, and the outer values that its regions capture.

Captures do not appear among an op's operands, so a pass that asks only for operands misses them and treats
a float that is read inside a region as absent. `free_values` is the one way to ask.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

from xdsl.ir import Operation, Region

from mlirad.dialects.shapes import Value

own_operands: Callable[[Operation], tuple[Value, ...]] = attrgetter("_operands")
"""The operands of an op in its own order, without what its regions capture.

For whoever rebuilds an op, or takes one apart whose class has no region. They are read as they are stored,
without the view that xDSL makes of them for those who replace some.
"""


def replace_operand(op: Operation, k: int, value: Value) -> None:
    """Have an op read another value as operand k."""
    op.operands[k] = value


def free_values(op: Operation) -> list[Value]:
    """Every value that `op` reads from outside itself, without repetition, operands first."""
    found = dict.fromkeys(own_operands(op))
    if op.regions:
        for region in op.regions:
            found.update(dict.fromkeys(captures(region)))
    return list(found)


def captures(region: Region) -> list[Value]:
    """The values that a region reads and does not define, in the order of first use."""
    found: dict[Value, None] = {}
    _collect(region, set(), found)
    return list(found)


def _collect(region: Region, defined: set[Value], found: dict[Value, None]) -> None:
    for block in region.blocks:
        defined.update(block.args)
        for op in block.ops:
            for operand in own_operands(op):
                if operand not in defined:
                    found[operand] = None
            if op.regions:
                for inner in op.regions:
                    _collect(inner, defined, found)
            defined.update(op.results)
