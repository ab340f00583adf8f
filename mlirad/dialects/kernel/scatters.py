"""Scatters: loops that write where their bodies say."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, StringAttr, UnitAttr, i1, i64
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def, region_def, result_def
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.array.elementwise import check_elements
from mlirad.dialects.array.indexing import UPDATE_KINDS
from mlirad.dialects.kernel.layouts import LayoutReader, check_layouts, check_places
from mlirad.dialects.kernel.nests import ScheduledOp
from mlirad.dialects.shapes import element_of, shape_of


@irdl_op_definition
class ScatterOp(ScheduledOp, LayoutReader):
    """A sequential nest over `space` that adds to, or sets, elements of a base array.

    The body yields the value, then one position per dimension of the result, each inside it, then
    optionally an i1 guard: where it does not hold nothing is written. The first operand is the base unless
    `from_zero` is present (the result then starts at 0). With `in_place` the result shares the base's memory.
    With `masked` the guard holds in few iterations, which are looked for many at a time. The body may then
    yield an i64 after its guard: where that is an iteration of the innermost loop that the guard depends on,
    the guard holds in no other iteration of it. `complete-schedules` states the `loops`, that of the lanes
    last.
    """

    name = "kernel.scatter"
    kind = prop_def(StringAttr)
    from_zero = opt_prop_def(UnitAttr)
    in_place = opt_prop_def(UnitAttr)
    masked = opt_prop_def(UnitAttr)
    layouts = opt_prop_def(ArrayAttr)
    body = region_def("single_block")
    result = result_def()
    KEYWORD: ClassVar = "kind"
    BRACED: ClassVar = (
        "space",
        "from_zero",
        "in_place",
        "masked",
        "lane",
        "width",
        "layouts",
        "loops",
        "places",
    )

    def reads_layouts(self, operand: int) -> bool:
        """All but the base, whose memory the result may take over."""
        return operand > 0 or self.from_zero is not None

    def verify_(self) -> None:
        """A known kind; a value and one position per dimension of the result; a base of its type."""
        if self.kind.data not in UPDATE_KINDS:
            raise VerifyException(f"kind '{self.kind.data}' is not one of {', '.join(UPDATE_KINDS)}")
        last = self.check_body()
        rank = len(shape_of(self.result))
        types = list(last.values.types)
        positions = types[1 : 1 + rank]
        guards = (i1,) if self.masked is None else (i1, i64)
        given = tuple(types[1 + rank :])
        if not 0 <= len(given) <= len(guards) or len(positions) < rank or types[0] != element_of(self.result):
            also = "a guard" if self.masked is None else "a guard and its only iteration"
            raise VerifyException(
                f"body must yield a {element_of(self.result)}, {rank} positions and at most {also}"
            )
        if any(t != i64 for t in positions) or given != guards[: len(given)]:
            also = "" if self.masked is None else ", its only iteration i64"
            raise VerifyException(f"positions must be i64, the guard i1{also}")
        check_elements(types[0], UPDATE_KINDS[self.kind.data], f"what is to {self.kind.data}")
        self.check_lanes(len(self.extents))
        if self.loops is not None:
            loops = self.cut_loops
            loops.check_segments(self.extents)
            loops.check_whole_blocks()
            if loops.lane is not None and loops.lane != loops.order[-1]:
                raise VerifyException(f"the loop of the lanes, {loops.lane}, is to be the innermost")
        if self.from_zero is not None and self.in_place is not None:
            raise VerifyException("from_zero and in_place exclude each other")
        check_places(self, self.places)
        check_layouts(self, self.layouts)
        if self.from_zero is None and (not self.inputs or self.inputs[0].type != self.result.type):
            raise VerifyException("the first operand must be the base, of the result's type")
