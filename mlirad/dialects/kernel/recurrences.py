"""`kernel.recurrence`: for each element of a space a loop whose carries are scalars, and stay in registers.

    %p, %powers = kernel.recurrence %one, %t (%i, %k, %a: f64) {carries = 1, space = [100], length = 8}
        : tensor<100xf64>, tensor<100xf64> -> (tensor<100xf64>, tensor<8x100xf64>) {
      %x = kernel.load %t[%i] : tensor<100xf64> -> f64
      %b = array.mul %a, %x : f64
      array.yield %b, %a : f64, f64
    }

A scan whose body is a map on elements goes through all of its carries in every iteration. Here a few vectors
of elements make all iterations before the next few begin.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr
from xdsl.irdl import irdl_op_definition, opt_prop_def, var_result_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.extents import at_most, is_static
from mlirad.dialects.kernel.layouts import LayoutReader, check_places, check_readers
from mlirad.dialects.kernel.nests import (
    MAX_POINTS,
    ScheduledOp,
    check_fast_path,
    check_parallel,
)
from mlirad.dialects.kernel.schedules import CutLoops
from mlirad.dialects.loops import CarryingOp
from mlirad.dialects.shapes import (
    EXTENT,
    Shape,
    Value,
    array_type,
    element_of,
    is_array,
    shape_of,
    values_of,
)

MOST_PADDED = 64
"""The most elements of padding between stacked rows: a line of bytes."""


@irdl_op_definition
class RecurrenceOp(ScheduledOp, CarryingOp, LayoutReader):
    """At each element of `space`, `length` iterations: carries begin as elements of the first operands, and
    the body computes the next ones.

    The first `carries` operands have the output space as shape, or are scalars, with which all elements
    begin. The body takes the indices of the element, the iteration and the carries; it yields the next
    carries, then values that are stacked, those of iteration k at index k of dimension 0. With `reverse` the
    iterations run from the last to the first. The results are the last carries, over the output space, then
    the stacked values. Loads of the body may depend on the element, the iteration and the carries.

    Schedule: `lane` the loop of the output space that runs across vector lanes, `width` the number of lanes
    that iterate together; `parallel`: threads may share the outermost loop, in blocks of that many
    iterations; `pitch`: the elements between the starts of two rows of the stacked values, if rows are
    padded.
    `complete-schedules` states the `loops` of the output space, from the outermost to the innermost, and the
    `fast_path` of the body, as of nests. Memory plan: `places`, as of nests.
    """

    name = "kernel.recurrence"
    parallel = opt_prop_def(EXTENT)
    pitch = opt_prop_def(IntegerAttr[I64])
    fast_path = opt_prop_def(StringAttr)
    roots = var_result_def()
    BRACED: ClassVar = (
        "carries",
        "space",
        "length",
        "reverse",
        "lane",
        "width",
        "parallel",
        "pitch",
        "loops",
        "fast_path",
        "places",
    )

    @property
    def extents(self) -> Shape:
        """Output space, then the iterations."""
        return (*values_of(self.space), self.iterations)

    @property
    def carried(self) -> Sequence[Value]:
        """The carries in the body."""
        return self.body.block.args[len(self.extents) :]

    def around_iterations(self, loops: CutLoops) -> CutLoops:
        """The loops of the output space, with that of the iterations inside if there are several."""
        return loops if at_most(self.iterations, 1) else loops.around(len(values_of(self.space)))

    def pitch_of(self, result: Value) -> int | None:
        """The elements from row to row of a stacked result whose rows are padded; None for any other."""
        return self.pitch.value.data if self.pitch is not None and result in self.stacked else None

    def verify_(self) -> None:
        """Carries are elements of the space; results follow from them and the yields; a sound schedule."""
        space, count = values_of(self.space), self.carry_count
        if not 0 <= count <= len(self.operands):
            raise VerifyException(f"{count} carries of {len(self.operands)} operands")
        if self.iterations < 1:
            raise VerifyException(f"length {self.iterations}: a recurrence has at least one iteration")
        for k, init in enumerate(self.init):
            if not is_array(init.type) or shape_of(init) not in ((), space):
                raise VerifyException(
                    f"carry {k} begins as {init.type}, which is not a scalar and does not have the shape of "
                    f"the space {list(space)}"
                )
        elements = [element_of(v) for v in self.init]
        last = self.check_body(elements)
        made = [v.type for v in last.values]
        if made[:count] != elements:
            raise VerifyException("the body does not yield the carries, in their types")
        expected = [array_type(space, e) for e in elements]
        expected += [array_type((self.iterations, *space), t) for t in made[count:]]
        if not expected or list(self.result_types) != expected:
            raise VerifyException(
                f"results are of types ({', '.join(map(str, self.result_types))}), the recurrence makes "
                f"({', '.join(map(str, expected))})"
            )
        if prod(max(e, 1) for e in self.extents if is_static(e)) > MAX_POINTS:
            raise VerifyException(f"loops of extents {list(self.extents)} are too long")
        self.check_lanes(len(space))
        if self.parallel is not None:
            if not space:
                raise VerifyException("parallel needs a loop of the output space")
            check_parallel(self.parallel)
        check_fast_path(self.fast_path)
        if self.loops is not None:
            self.cut_loops.check_segments(space, repeatable=range(len(space)))
        if self.pitch is not None:
            row, pitch = prod(space), self.pitch.value.data
            if not is_static(row) or not row <= pitch <= row + MOST_PADDED:
                raise VerifyException(
                    f"pitch {pitch} of rows of {row} elements: at most {MOST_PADDED} lie between rows"
                )
            for value in self.stacked:
                check_readers(value)
        check_places(self, self.places)
