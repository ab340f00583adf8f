"""Native frames of calls, and results of calls that take over the memory of an argument."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.func import CallOp, FuncOp

import mlirad as ad
from mlirad.dialects.kernel_plans import stated_updates
from mlirad.dialects.shapes import shape_of
from mlirad.jit.call import NativeFunction
from mlirad.lower.compile import compile_module
from mlirad.lower.compiled_text import NativeProgram
from mlirad.lower.emit.frames import FIRST_CHUNK_BYTES
from mlirad.lower.plan_verification import verify_plan
from mlirad.pipelines import pipeline_passes, run_passes
from tests.lower.test_loops import Allocations


def reads(w: Any, x: Any) -> Any:
    """Sixty calls that read one element of an array each."""

    @ad.function
    def rec(k: Any, y: Any) -> Any:
        return ad.cond(k == 0, lambda: y, lambda: np.sin(rec(k - 1, y * w[k])))

    return rec(60, x)


def program(function: Any, *args: Any) -> NativeProgram:
    module = ad.trace(function, *args)
    run_passes(module, pipeline_passes("expand"))
    return compile_module(module, "main", vector_bytes=16)


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
    """How many allocations of the size of a chunk of frames a call makes."""
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
