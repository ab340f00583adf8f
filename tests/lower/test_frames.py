"""Native frames of calls, and results of calls that take over the memory of an argument."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.func import CallOp, FuncOp

import mlirad as ad
from mlirad.dialects.kernel.plans import stated_updates
from mlirad.dialects.shapes import shape_of
from mlirad.errors import CompileError, InterpreterError, UnsupportedError
from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.jit.call import NativeFunction
from mlirad.lower.kernels.plan_verification import verify_plan
from mlirad.lower.native_program import NativeProgram
from mlirad.pipelines import pipeline_passes, run_passes
from tests.lower.native import compiled_program
from tests.lower.test_loops import Allocations
from tests.runtime.sources import FIRST_CHUNK_BYTES


def reads(w: Any, x: Any) -> Any:
    """Sixty calls that read one element of an array each."""

    @ad.function
    def rec(k: Any, y: Any) -> Any:
        return ad.cond(k == 0, lambda: y, lambda: np.sin(rec(k - 1, y * w[k])))

    return rec(60, x)


def program(function: Any, *args: Any) -> NativeProgram:
    module = ad.trace(function, *args)
    run_passes(module, pipeline_passes("expand"))
    return compiled_program(module, "main", vector_bytes=16)


def lowered(function: Any, *args: Any) -> list[FuncOp]:
    module = ad.trace(function, *args)
    run_passes(module, pipeline_passes("compile"))
    return [op for op in module.body.ops if isinstance(op, FuncOp)]


W, X = np.linspace(0.9, 1.0, 61), 0.3


def repeated(w: Any, x: Any) -> Any:
    """Gradients in a loop: the frames of one are the memory of the next."""
    return ad.fold(lambda c, _: c + ad.grad(reads, 1)(w, x), 0.0, np.arange(200.0))


@pytest.mark.parametrize("function", [ad.grad(reads), repeated], ids=["once", "repeated"])
def test_frames_are_given_back(function: Any) -> None:
    allocations = Allocations(100_000)
    native = NativeFunction(program(function, W, X), externals=allocations.externals)
    (found,) = native(W, X)
    expected = ad.jit(function)(W, X)
    np.testing.assert_array_equal(found, expected)
    assert allocations.used == 0


def chunks(function: Any) -> int:
    """The number of allocations of the size of a chunk of frames that a call makes."""
    allocations = Allocations(1_000_000)
    NativeFunction(program(function, W, X), externals=allocations.externals)(W, X)
    return sum(size >= FIRST_CHUNK_BYTES for size in allocations.sizes)


def test_frames_of_one_gradient_are_the_memory_of_the_next() -> None:
    assert chunks(repeated) == chunks(ad.grad(reads))


@pytest.mark.parametrize("most", [0, 1, 5, 60])
def test_without_memory_a_call_raises_and_gives_back_what_it_took(most: int) -> None:
    allocations = Allocations(most)
    native = NativeFunction(program(ad.grad(reads), W, X), externals=allocations.externals)
    with pytest.raises(MemoryError):
        native(W, X)
    assert allocations.used == 0


def test_a_frame_larger_than_a_chunk() -> None:
    w = np.linspace(0.9, 1.1, 5000)

    @ad.function
    def rec(x: Any, k: Any) -> Any:
        return ad.cond(k == 0, lambda: np.sum(x), lambda: np.exp(-rec(x * np.sin(x), k - 1) / 5000))

    found = ad.grad(rec)(w, 3)
    np.testing.assert_allclose(found, ad.grad(rec, interpret=True)(w, 3), rtol=1e-10)


def test_sums_of_cotangents_go_through_calls_in_place() -> None:
    functions = {f.sym_name.data: f for f in lowered(ad.grad(reads), W, X)}
    (reverse,) = [f for name, f in functions.items() if name.endswith("_reverse")]
    inputs, outputs = reverse.function_type.inputs.data, reverse.function_type.outputs.data
    arrays = [k for k, type_ in enumerate(outputs) if shape_of(type_)]
    assert stated_updates(reverse) == {k: len(inputs) - len(outputs) + k for k in arrays}
    calls = [op for op in reverse.walk() if isinstance(op, CallOp)]
    assert calls
    assert all(stated_updates(op) == stated_updates(reverse) for op in calls)
    assert not any(op.name == "kernel.scatter" and "in_place" not in op.properties for op in reverse.walk())
    for function in functions.values():
        verify_plan(function)


def test_an_argument_that_is_read_later_is_not_overwritten() -> None:
    @ad.function
    def rec(k: Any, y: Any) -> Any:
        return ad.cond(k == 0, lambda: y, lambda: rec(k - 1, y.at[k].add(1.0)) * y)

    x = np.linspace(0.5, 1.0, 5)
    expected = ad.jit(rec, interpret=True)(3, x)
    np.testing.assert_allclose(ad.jit(rec)(3, x), expected)
    np.testing.assert_allclose(ad.jit(lambda x: rec(3, x) + x)(x), expected + x)


# Frames in text ------------------------------------------------------------------------------------


FRAMES = """
!F = !array.frame<pair>
func.func private @keep(%x: f64, %w: tensor<3xf64>) -> !F {
  %h = array.save %x, %w : f64, tensor<3xf64> -> !F
  func.return %h : !F
}
func.func private @last(%hs: tensor<4x!F>, %k: i64) -> (f64, tensor<3xf64>) {
  %h = array.index %hs[%k] : tensor<4x!F> -> !F
  %a, %b = array.restore %h : !F -> (f64, tensor<3xf64>)
  func.return %a, %b : f64, tensor<3xf64>
}
func.func @f(%x: f64, %w: tensor<3xf64>, %k: i64) -> (f64, tensor<3xf64>, f64) {
  %hs = array.scan %w (%i, %c : tensor<3xf64>) {carries = 1, length = 4}
      : tensor<3xf64> -> (tensor<3xf64>, tensor<4x!F>) {
    %t = array.convert %i : i64 -> f64
    %y = array.add %x, %t : f64
    %two = array.constant 2 : i64
    %p = array.compare eq %i, %two : i64, i64 -> i1
    %h = array.if %p : i1 -> !F {
      %n = array.no_frame : -> !F
      array.yield %n : !F
    } else {
      %s = func.call @keep(%y, %c) : (f64, tensor<3xf64>) -> !F
      array.yield %s : !F
    }
    %e = array.sin %c : tensor<3xf64>
    array.yield %e, %h : tensor<3xf64>, !F
  }
  %own = array.save %x : f64 -> !array.frame<own>
  %z = array.restore %own : !array.frame<own> -> f64
  %a, %b = func.call @last(%hs#1, %k) : (tensor<4x!F>, i64) -> (f64, tensor<3xf64>)
  func.return %a, %b, %z : f64, tensor<3xf64>, f64
}""".replace("%hs = array.scan", "%last, %stack = array.scan").replace("%hs#1", "%stack")


def native_of(text: str, checks: bool = False, allocations: Allocations | None = None) -> NativeFunction:
    module = parse_module(text)
    verify_module(module)
    run_passes(module, pipeline_passes("expand"))
    compiled = compiled_program(module, "f", checks=checks)
    return NativeFunction(
        compiled, externals=None if allocations is None else allocations.externals, debug=checks
    )


@pytest.mark.parametrize("checks", [False, True], ids=["plain", "checked"])
def test_frames_written_by_hand(checks: bool) -> None:
    allocations = Allocations(100)
    native = native_of(FRAMES, checks, allocations)
    w = np.array([0.1, 0.2, 0.3])
    for k in (0, 1, 3, 7):
        found = native(0.5, w, k)
        expected = run_function(parse_module(FRAMES), [0.5, w, k], function="f")
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-15)
    assert allocations.used == 0


@pytest.mark.parametrize("checks", [False, True], ids=["plain", "checked"])
def test_what_nothing_has_saved_is_not_restored(checks: bool) -> None:
    allocations = Allocations(100)
    native = native_of(FRAMES, checks, allocations)
    w = np.array([0.1, 0.2, 0.3])
    for _ in range(3):
        with pytest.raises(InterpreterError, match="nothing has saved"):
            native(0.5, w, 2)
        assert allocations.used == 0
        assert native(0.5, w, 1)[0] == 1.5
    with pytest.raises(InterpreterError, match="nothing has saved"):
        run_function(parse_module(FRAMES), [0.5, w, 2], function="f")


NO_FRAME = """
func.func @f(%x: tensor<4xf64>, %n: i64) -> tensor<4xf64> {
  %h = array.no_frame : -> !array.frame<f>
  %y = array.while %x (%c : tensor<4xf64>) : tensor<4xf64> -> tensor<4xf64> {
    %i = array.constant 0 : i64
    %e = array.index %c[%i] : tensor<4xf64> -> f64
    %z = array.constant 9.0 : f64
    %p = array.compare lt %e, %z : f64, f64 -> i1
    array.yield %p : i1
  } do (%c : tensor<4xf64>) {
    %s = array.save %c, %n : tensor<4xf64>, i64 -> !array.frame<f>
    %p = array.compare eq %n, %n : i64, i64 -> i1
    %k = array.select %p, %h, %s : i1, !array.frame<f>, !array.frame<f> -> !array.frame<f>
    %v, %m = array.restore %k : !array.frame<f> -> (tensor<4xf64>, i64)
    array.yield %v : tensor<4xf64>
  }
  func.return %y : tensor<4xf64>
}"""


@pytest.mark.parametrize("checks", [False, True], ids=["plain", "checked"])
def test_a_failure_ends_the_loops_around_it(checks: bool) -> None:
    allocations = Allocations(100)
    with pytest.raises(InterpreterError, match="nothing has saved"):
        native_of(NO_FRAME, checks, allocations)(W[:4].copy(), 3)
    assert allocations.used == 0


def test_frames_cannot_be_given_from_outside() -> None:
    module = parse_module(FRAMES)
    with pytest.raises(CompileError, match="takes or returns frames"):
        compiled_program(module, "keep", vector_bytes=16)
    with pytest.raises(UnsupportedError, match=r"argument 0 has type tensor<4x!array\.frame<pair>>"):
        run_function(module, [np.ones(4, np.int64), 0], function="last")
