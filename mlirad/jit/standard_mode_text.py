"""LLVM IR that runs functions of libraries in the mode of floating point that they are written for.

    %mode = call i64 @enter_standard()
    call void %function(...)                    rounds to nearest, and has subnormal numbers
    call void @leave_standard(i64 %mode)

A program may take subnormal numbers for zeros, and its caller may have changed the mode in any way. Values of
the functions that SciPy, NumPy and LAPACK have must not depend on either. On x86-64 some of them compute with
the floats of 80 bits of an older unit, which has a register of its own that says how to round.
"""

from __future__ import annotations

from typing import Final

from mlirad.jit.target import find_target
from mlirad.lower.llvm.float_control import GET, SET, float_control


def standard_mode_text(triple: str | None = None, beside: str = "") -> str:
    """The definitions of both functions for an LLVM triple, or the host's, with those of what they call
    unless the text `beside` has these. They do nothing on a processor whose register is not known.
    """
    control = float_control(triple or find_target("native").triple)
    if control is None:
        return """
define internal i64 @enter_standard() alwaysinline {
  ret i64 0
}

define internal void @leave_standard(i64 %mode) alwaysinline {
  ret void
}
"""
    return f"""{"" if control.text in beside else control.text}
declare i32 @llvm.get.rounding()
declare void @llvm.set.rounding(i32)

; The mode has 32 bits; above them stands how the older unit rounds.
define internal i64 @enter_standard() {{
  %mode = call i64 @{GET}()
  %way = call i32 @llvm.get.rounding()
  %wide = zext i32 %way to i64
  %above = shl i64 %wide, 32
  %both = or i64 %mode, %above
  %is_nearest = icmp eq i32 %way, {_NEAREST}
  br i1 %is_nearest, label %set, label %round

round:
  call void @llvm.set.rounding(i32 {_NEAREST})
  br label %set

set:
  call void @{SET}(i64 {control.standard})
  ret i64 %both
}}

define internal void @leave_standard(i64 %both) {{
  %above = lshr i64 %both, 32
  %way = trunc i64 %above to i32
  %is_nearest = icmp eq i32 %way, {_NEAREST}
  br i1 %is_nearest, label %set, label %round

round:
  call void @llvm.set.rounding(i32 %way)
  br label %set

set:
  %mode = and i64 %both, 4294967295
  call void @{SET}(i64 %mode)
  ret void
}}
"""


_NEAREST: Final = 1
"""How LLVM numbers this way to round."""
