"""Checks of a running program: positions outside their arrays, and operations that make NaN.

    ad.jit(f, check_bounds=True)       x[i] with i = 7 of 3 elements raises a PositionError at the user's line
    ad.jit(f, check_nans=True)         np.log(x) with x = -1 raises a NotANumberError there
    ad.jit(lambda x, n: x + n)         an int32 array plus the integer 2**40 raises an IntegerOverflowError

All are reports (see `reports`), made where the function is traced; the first one that applies is raised when
the call ends.

Integers are checked where they are narrowed. A Python integer passed as an argument has 64 bits in the
program. Where it meets an int32 array it is either known to fit, or the program checks it and reports.
Promoting the array would give dtypes other than NumPy's, and wrapping would give other values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, Operation, Region

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.ordering import CumulativeOp
from mlirad.dialects.array.reductions import DotOp, ReduceOp, SumOp
from mlirad.dialects.shapes import Value, array_type, is_float, shape_of
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.frames import FrameBuilder, current_frame, emitting
from mlirad.frontend.tracing.tokens import ReportsNeeded, checks, has_reports, report
from mlirad.ir.arrays import ArrayBuilder

T = TypeVar("T")

BOUNDS = "bounds"

ABSORBED = "absorbed"

_COMPUTING = (ew.ElementwiseOp, SumOp, ReduceOp, DotOp, CumulativeOp)


def from_start(b: ArrayBuilder, positions: Value, extent: int) -> Value:
    """Positions, negative ones counted from the end, as positions that count from the start."""
    negative = b.compare("lt", positions, b.splat(0, positions.type))
    return b.select(negative, b.add(positions, b.splat(extent, positions.type)), positions)


def check_position(position: Value, extent: int, *, counts_from_end: bool) -> None:
    """Report each of these positions that lies outside of the extent, if bounds are checked."""
    if not checks(BOUNDS):
        return
    b = emitting()
    counted = from_start(b, position, extent) if counts_from_end else position
    outside = b.logical_not(b.inside([counted], [extent]))
    message = f"position {{}} is outside of a dimension of extent {extent}"
    report("position", outside, [position], message)


def unchecked(make: Callable[[], T]) -> T:
    """The result of a function that means positions outside, so they are not reported."""
    functions = current_frame().functions
    checked = functions.checks
    try:
        functions.checks = checked - {BOUNDS}
        return make()
    finally:
        functions.checks = checked


def check_fits(value: Value, dtype: np.dtype[Any]) -> None:
    """Report a Python integer that an array of a narrower dtype meets and that this does not hold.

    Its value is known when the program runs, like that of an array, and NumPy raises.
    """
    half = 1 << 8 * dtype.itemsize - 1
    b = emitting()
    low, high = b.ranges.bounds(value)
    if low is not None and high is not None and -half <= low and high < half:
        return
    if not has_reports():
        raise ReportsNeeded
    shifted = b.add(value, b.splat(half, value.type))
    outside = b.logical_not(b.inside([shifted], [2 * half]))
    if shape_of(outside):
        outside = b.reduce("or", outside, range(len(shape_of(outside))))
        report("overflow", outside, [], f"a Python integer is out of bounds for {dtype}")
    else:
        report("overflow", outside, [value], f"the Python integer {{}} is out of bounds for {dtype}")


def check_exponent(exponent: Value) -> None:
    """Report negative exponents of integers, for which NumPy raises a `ValueError`."""
    b = emitting()
    low, _ = b.ranges.bounds(exponent)
    if low is not None and low >= 0:
        return
    if not has_reports():
        raise ReportsNeeded
    negative = b.compare("lt", exponent, b.splat(0, exponent.type))
    if shape_of(negative):
        negative = b.reduce("or", negative, range(len(shape_of(negative))))
    report(
        "argument",
        negative,
        [],
        "an integer to a negative power is not an integer: convert the base to floats",
    )


def check_span(low: Value, high: Value) -> None:
    """Report limits, integers of 64 bits, if the second is 2**63 or more above the first."""
    b = emitting()
    (least, _), (_, most) = b.ranges.bounds(low), b.ranges.bounds(high)
    if least is not None and most is not None and most - least < 1 << 63:
        return
    if not has_reports():
        raise ReportsNeeded
    wraps = b.logical_and(b.compare("gt", high, low), b.compare("lt", b.sub(high, low), b.splat(0, low.type)))
    if shape_of(wraps):
        wraps = b.reduce("or", wraps, range(len(shape_of(wraps))))
    report("overflow", wraps, [], "limits of integers are 2**63 or more apart")


def marked_still(vectors: Sequence[Array]) -> list[Array]:
    """Vectors that a derivative is applied to, whose zeros say that nothing moves where that is checked."""
    if not checks(ABSORBED):
        return list(vectors)
    b = emitting()
    values = [v.value for v in vectors]
    zeros = [b.zeros(v.type) for v in values]
    return [made(b.select(b.compare("eq", v, z), z, v)) for v, z in zip(values, zeros, strict=True)]


class NanCheckingBuilder(FrameBuilder):
    """The builder of a traced function that reports each op which makes NaN of operands without NaN.

    Ops in regions that tokens do not go through are not checked: those of functions of positions.
    """

    _is_checking = False

    def insert(
        self,
        op_class: type[Operation],
        operands: Sequence[Value] = (),
        result_types: Sequence[Attribute] = (),
        properties: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
    ) -> Operation:
        """As of every builder; a new op is followed by its check."""
        before = self.block.last_op
        op = super().insert(op_class, operands, result_types, properties, regions)
        is_new = self.block.last_op is op and op is not before
        if is_new and issubclass(op_class, _COMPUTING) and is_float(op.results[0]):
            self._check(op)
        return op

    def _check(self, op: Operation) -> None:
        if self._is_checking or self.frame.token_block is not self.block:
            return
        self._is_checking = True
        name = op.name.removeprefix("array.")
        wrong = self._any_nan(op.results[0])
        for operand in op.operands:
            if is_float(operand):
                wrong = self.logical_and(wrong, self.logical_not(self._any_nan(operand)))
        report("nan", wrong, [], f"{name} makes NaN of operands without NaN")
        self._is_checking = False

    def _any_nan(self, x: Value) -> Value:
        found = self.emit(ew.IsNanOp, (x,), array_type(shape_of(x), i1))
        return self.reduce("or", found, range(len(shape_of(x)))) if shape_of(x) else found
