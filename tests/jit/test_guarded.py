"""Runs under guard name the buffer that a wrong program breaks."""

import numpy as np
import pytest

from mlirad.errors import CompileError
from mlirad.jit.call import NativeFunction
from mlirad.lower.native_program import ArraySpec, NativeProgram

BUFFERS = """
  %x = load ptr, ptr %buffers
  %at.y = getelementptr ptr, ptr %buffers, i64 1
  %y = load ptr, ptr %at.y
  %at.c = getelementptr ptr, ptr %buffers, i64 2
  %c = load ptr, ptr %at.c"""

COPY = """
  %v = load <4 x double>, ptr %x, align 8
  store <4 x double> %v, ptr %y, align 8"""


def run(body: str, dtype: str = "float64") -> np.ndarray:
    """A program of one input and output of four elements, four doubles as constant, an arena of 32 bytes."""
    text = f"define void @mlirad_main(ptr %buffers, ptr %arena, ptr %call) {{{BUFFERS}{body}\n  ret void\n}}"
    spec = ArraySpec(dtype, (4,))
    program = NativeProgram((spec,), (spec,), (np.arange(4.0),), 32, llvm=text)
    return NativeFunction(program, debug=True).entry(np.ones(4, dtype))


def store(pointer: str, index: int, value: str = "7.0") -> str:
    return f"""
  %q = getelementptr double, ptr %{pointer}, i64 {index}
  store double {value}, ptr %q, align 8"""


def test_a_right_program_passes() -> None:
    np.testing.assert_array_equal(run(COPY), 1.0)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (store("y", 4), "past the end of output 0"),
        (store("y", -1), "before the start of output 0"),
        (store("arena", 4), "past the end of the arena"),
        (store("arena", -3), "before the start of the arena"),
        (store("x", 4), "past the end of input 0"),
        (store("c", -1), "before the start of constant 0"),
        (store("x", 2), "writes to input 0"),
        (store("c", 2), "writes to constant 0"),
    ],
)
def test_writes_to_the_wrong_place(body: str, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        run(COPY + body)


def test_an_output_not_fully_written() -> None:
    body = """
  %v = load <2 x double>, ptr %x, align 8
  store <2 x double> %v, ptr %y, align 8"""
    with pytest.raises(CompileError, match=r"output 0 depends on memory .* first at element 2"):
        run(body)


def test_a_read_of_the_arena_before_it_is_written() -> None:
    body = """
  %p = getelementptr double, ptr %arena, i64 3
  %u = load double, ptr %p
  %v = load <4 x double>, ptr %x, align 8
  %w = insertelement <4 x double> %v, double %u, i64 1
  store <4 x double> %w, ptr %y, align 8"""
    with pytest.raises(CompileError, match=r"output 0 depends on memory .* first at element 1"):
        run(body)
    halves = """
  %h = load <2 x i64>, ptr %x, align 8
  store <2 x i64> %h, ptr %y, align 8"""
    with pytest.raises(CompileError, match="first at element 2"):
        run(halves, "int64")


def test_nan_results_are_equal_whatever_their_bits() -> None:
    body = """
  %p = load i64, ptr %arena
  %b = and i64 %p, 1
  %n = or i64 %b, 9221120237041090560
  %u = bitcast i64 %n to double
  %v = load <4 x double>, ptr %x, align 8
  %w = insertelement <4 x double> %v, double %u, i64 0
  store <4 x double> %w, ptr %y, align 8"""
    np.testing.assert_array_equal(run(body), [np.nan, 1.0, 1.0, 1.0])


def test_empty_arrays_and_scalars() -> None:
    empty = "define void @mlirad_main(ptr %b, ptr %a, ptr %c) {\n  ret void\n}"
    spec = ArraySpec("float64", (0, 3))
    assert NativeFunction(NativeProgram((spec,), (spec,), llvm=empty), debug=True).entry(
        np.ones((0, 3))
    ).shape == (0, 3)
    scalar = ArraySpec("float64", ())
    with pytest.raises(CompileError, match=r"output 0 depends on memory .* first at element 0"):
        NativeFunction(NativeProgram((scalar,), (scalar,), llvm=empty), debug=True).entry(1.0)
