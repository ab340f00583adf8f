"""LLVM IR that runs functions of libraries in the mode of floating point that they are written for.

    %mode = call i64 @enter_standard()
    call void %function(...)                    rounds to nearest, and has subnormal numbers
    call void @leave_standard(i64 %mode)

A program may take subnormal numbers for zeros, and its caller may have changed the mode in any way. Values of
the functions that SciPy, NumPy and LAPACK have must not depend on either. On x86-64 some of them compute with
the floats of 80 bits of an older unit, which has a register of its own that says how to round.
"""

from __future__ import annotations

from mlirad.jit.target import find_target
from mlirad.lower.llvm.float_control import STANDARD, float_control
from mlirad.runtime import runtime_module


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
    definitions, declarations = runtime_module("standard_mode")
    intrinsics = [line for name, line in declarations.items() if name.startswith("llvm.")]
    standard = f"define internal i64 @{STANDARD}() alwaysinline {{\n  ret i64 {control.standard}\n}}\n"
    return "\n".join(["" if control.text in beside else control.text, standard, definitions, *intrinsics, ""])
