"""The mode of floating point in which functions of libraries run, for processors whose register is known."""

from __future__ import annotations

import ctypes

import pytest

from mlirad.jit import engine
from mlirad.jit.standard_mode_text import standard_mode_text
from mlirad.jit.target import file_target
from tests.float_modes import in_mode, mode, needs_modes

CALL = """
define void @call(ptr %function) {
  %mode = call i64 @enter_standard()
  call void %function()
  call void @leave_standard(i64 %mode)
  ret void
}
"""

REGISTERS = {
    "x86_64-unknown-linux-gnu": ("ldmxcsr", "fldcw"),
    "aarch64-unknown-linux-gnu": ("FPCR",),
    "arm64-apple-macosx": ("FPCR",),
    "riscv64-unknown-linux-gnu": (),
}


@pytest.mark.parametrize("triple", REGISTERS)
def test_every_known_processor_has_code_for_it(triple: str) -> None:
    text = engine.assembly(standard_mode_text(triple) + CALL, file_target(triple))
    for register in REGISTERS[triple]:
        assert register in text


@needs_modes
@pytest.mark.parametrize("flushes", [False, True])
@pytest.mark.parametrize("rounding", ["nearest", "down", "up", "zero"])
def test_functions_run_in_the_standard_mode_and_callers_in_their_own(rounding: str, flushes: bool) -> None:
    code = engine.load(standard_mode_text() + CALL, symbols=("call",))
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code.addresses["call"])
    found: list[tuple[int, int]] = []
    library = ctypes.CDLL(None)
    function = ctypes.CFUNCTYPE(None)(lambda: found.append((mode(), library.fegetround())))
    with in_mode(rounding, flushes=flushes):
        call(ctypes.cast(function, ctypes.c_void_p))
        own = library.fegetround()
    assert found == [(0x1F80, 0)]  # fegetround asks the older unit of the processor
    assert own == {"nearest": 0, "down": 0x400, "up": 0x800, "zero": 0xC00}[rounding]
