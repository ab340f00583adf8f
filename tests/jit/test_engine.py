"""IR text becomes code in memory that runs, and goes away with its owner."""

import ctypes
import gc
import math
import os

import pytest

from mlirad.errors import CompileError
from mlirad.jit import engine
from mlirad.jit.glue import load_glue
from mlirad.jit.target import find_target

REMAINDER = """
define double @mlirad_main(double %x) {
  %r = frem double %x, 3.0
  ret double %r
}"""


def unary(address: int):
    return ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(address)


def test_code_runs_and_finds_the_c_library() -> None:
    code = engine.load(REMAINDER)
    assert unary(code.addresses[engine.ENTRY])(7.5) == math.fmod(7.5, 3.0)
    assert code.times.total > 0
    assert min(code.times.parse, code.times.optimise, code.times.emit, code.times.link) > 0


def test_object_code_can_be_loaded_later() -> None:
    code = engine.load_object(engine.object_code(REMAINDER))
    assert unary(code.addresses[engine.ENTRY])(-7.5) == -1.5


def test_glue_runs() -> None:
    code = load_glue(REMAINDER.replace("mlirad_main", "other"), ("other",))
    assert unary(code.addresses["other"])(4.0) == 1.0


def test_externals_belong_to_one_program() -> None:
    text = """
declare double @mlirad_c_it(double)
define double @mlirad_main(double %x) {
  %r = call double @mlirad_c_it(double %x)
  ret double %r
}"""
    prototype = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)
    callbacks = [prototype(lambda x: 2 * x), prototype(lambda x: x + 100)]
    codes = [
        engine.load(text, externals={"mlirad_c_it": ctypes.cast(callback, ctypes.c_void_p).value or 0})
        for callback in callbacks
    ]
    assert [unary(code.addresses[engine.ENTRY])(5.0) for code in codes] == [10.0, 105.0]


def test_llvm_errors_are_compile_errors() -> None:
    with pytest.raises(CompileError, match=r"invalid.*(?s:.)*define void @f\( \{"):
        engine.load("define void @f( {")
    with pytest.raises(CompileError, match="does not dominate"):
        engine.load("define i32 @f() {\n  %a = add i32 %b, 1\n  %b = add i32 1, 1\n  ret i32 %a\n}")
    with pytest.raises(CompileError, match="linked"):
        engine.load("declare void @no_such_function_x()\ndefine void @mlirad_main() {\n"
                    "  call void @no_such_function_x()\n  ret void\n}")  # fmt: skip
    with pytest.raises(CompileError, match="linked"):
        engine.load("define void @other() {\n  ret void\n}")


def test_what_is_printed() -> None:
    assert "frem" in engine.optimised_llvm(REMAINDER)
    assert "mlirad_main" in engine.assembly(REMAINDER, find_target("baseline"))
    assert engine.object_code(REMAINDER) == engine.object_code(REMAINDER)


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="reads Linux's /proc")
def test_code_memory_is_freed() -> None:
    image = engine.object_code(REMAINDER)

    def resident_kilobytes() -> int:
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4

    for _ in range(50):
        engine.load_object(image)
    before = resident_kilobytes()
    for _ in range(300):
        engine.load_object(image)
    assert resident_kilobytes() - before < 1000
