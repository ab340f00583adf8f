"""What scalar ops and memory accesses cost in one vector of lanes, in cycles: rough figures for comparison.

A vector instruction costs half a cycle (two issue ports); an elementary function as many of them as its table
states; what has no vector form costs once per lane. A gather is taken to cost a cycle per lane, which is why
strided lanes are worth a copy.
"""

from __future__ import annotations

from functools import cache

from xdsl.ir import Attribute, Operation

from mlirad.dialects.array.elementwise import ConvertOp
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.shapes import is_float
from mlirad.lower.elementary import ELEMENTARY

INSTRUCTION = 0.5
"""One vector instruction."""

DIVISION = 8.0
"""One vector division of floats."""

SCALAR_DIVISION = 12.0
"""One division of integers, for which there are no vector instructions."""

UNIFORM_LOAD = 0.2
CONTIGUOUS_LOAD = 0.5
REVERSED_LOAD = 1.0
CONTIGUOUS_STORE = 1.0

_FLOAT_COSTS = {"div": DIVISION, "rem": 3 * DIVISION, "floor_div": 3 * DIVISION, "fmod": 3 * DIVISION}
_INTEGER_DIVISIONS = ("div", "rem", "floor_div", "fmod", "pow")


@cache
def _cost(name: str, lanes: int, *, is_float_op: bool) -> float:
    if not is_float_op and name in _INTEGER_DIVISIONS:
        return SCALAR_DIVISION * lanes
    known = ELEMENTARY.get(name)
    if known is not None:
        return known.flops * INSTRUCTION * (lanes if known.calls else 1)
    return _FLOAT_COSTS.get(name, INSTRUCTION)


def op_cost(op: Operation, lanes: int) -> float:
    """Cycles of one scalar op in a vector of `lanes` lanes, or in a single lane."""
    if isinstance(op, ConstantOp):
        return 0.0
    is_float_op = is_float(op.results[0]) and not isinstance(op, ConvertOp)
    return _cost(op.name.removeprefix("array."), lanes, is_float_op=is_float_op)


def load_cost(stride: int | None, lanes: int) -> float:
    """Cycles to load a vector whose lanes lie `stride` elements apart; `None` is an arbitrary distance."""
    match stride:
        case 0:
            return UNIFORM_LOAD
        case 1:
            return CONTIGUOUS_LOAD
        case -1:
            return REVERSED_LOAD
        case _:
            return float(lanes)


def store_cost(stride: int | None, lanes: int) -> float:
    """Cycles to store a vector whose lanes lie `stride` elements apart."""
    return CONTIGUOUS_STORE if stride == 1 else float(lanes)


def element_bytes(element: Attribute) -> int:
    """Bytes of one element in memory; a boolean takes one."""
    return numpy_dtype(element).itemsize
