"""Elements of traced arrays that are known while tracing, as they are computed from constants alone.

    shape = np.ones(2, int); shape[0] = 3       traced, and shape[0] is known to be 3
    x[0] > 0                                    not known, for an argument x

Where Python needs elements, such as in an `if` or for a shape, they are computed by the interpreter.
"""

from __future__ import annotations

from math import prod
from typing import Any, Final

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType
from xdsl.ir import Block, Operation, Region, SSAValue

from mlirad.dialects.array.callbacks import CALLBACK_OPS
from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.array.elementwise.unary import DeviationOp
from mlirad.dialects.array.frames import FRAME_OPS
from mlirad.dialects.array.reporting import REPORTING_OPS
from mlirad.dialects.array.structural import SizeOp
from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import is_array, shape_of
from mlirad.ir.free_values import free_values
from mlirad.ir.structural import scalar_of

_MOST_OPS: Final = 256
_MOST_ELEMENTS: Final = 4096
"""Values computed while tracing are small."""

_DECIDED_LATER: Final = frozenset[type[Operation]](
    (CustomOp, DeviationOp, SizeOp, *FRAME_OPS, *REPORTING_OPS, *CALLBACK_OPS)
)
"""Ops whose results depend on more than their operands."""


def known_value(x: Any) -> Any:
    """The elements of a traced array as an array of NumPy's or a number, `None` if they are not known."""
    if x._twins:
        return None
    value = x._value if x._view is None else x.value
    known = scalar_of(value) if not shape_of(value) else None
    if known is not None:
        return x.dtype.type(known)
    ops = _ops_behind(value)
    return None if ops is None else _computed(value, ops)


def _ops_behind(value: SSAValue) -> list[Operation] | None:
    """The ops that compute a value, in order; `None` if they read more than constants."""
    found: dict[Operation, None] = {}
    waiting = [(value, False)]
    while waiting:
        one, is_done = waiting.pop()
        op = one.owner
        if not isinstance(op, Operation) or not _is_computed(one, op) or len(found) > _MOST_OPS:
            return None
        if is_done:
            found[op] = None
        elif op not in found:
            waiting.append((one, True))
            waiting += [(operand, False) for operand in free_values(op)]
    return list(found)


def _is_computed(value: SSAValue, op: Operation) -> bool:
    """Return whether an op can be run while tracing."""
    if not is_array(value.type) or not all(map(_is_pure, op.walk())):
        return False
    size = prod(shape_of(value))
    return is_static(size) and size <= _MOST_ELEMENTS


def _is_pure(op: Operation) -> bool:
    return op.name.startswith("array.") and type(op) not in _DECIDED_LATER


def _computed(value: SSAValue, ops: list[Operation]) -> Any:
    from mlirad.interpreter import run_function  # which most programs do without

    block = Block()
    mapped: dict[SSAValue, SSAValue] = {}
    for op in ops:
        block.add_op(op.clone(mapped))
    block.add_op(func.ReturnOp(mapped[value]))
    made = func.FuncOp("known", FunctionType.from_lists([], [value.type]), Region(block))
    return run_function(made, [])[0]
