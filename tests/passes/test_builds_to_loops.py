"""Builds as loops against bulk ones: values, derivatives of both orders in both modes, and memory."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from mlirad.dialects.array.control import ReplayOp, ScanOp, WhileOp
from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.shapes import is_float, shape_of
from mlirad.errors import UnsupportedError
from mlirad.interpreter import OperationCounter, run_function
from mlirad.ir.chunked_builds import chunk_width
from mlirad.ir.parsing import parse_module
from mlirad.passes.builds_to_loops import computed_bytes
from mlirad.pipelines import expansion
from tests.generators import arguments_for, over_lanes, random_program
from tests.lower.native import compiled_program
from tests.passes.derivatives import check_derivatives, drawn, function_of, run_passes

CHUNKS = (1, 2, 5)
SHAPES = ((3,), (1,), (0,), (2, 3), (3, 1, 2))


def expanded(module: ModuleOp, passes: str, chunk: int | None, checkpoint: str = "recompute") -> ModuleOp:
    """The module after the passes and the expansion, its builds kept where `chunk` says so."""
    kept = () if chunk is None else (f"builds-to-loops{{chunk={chunk} checkpoint={checkpoint}}}",)
    return run_passes(module.clone(), ",".join([passes, *expansion(blocks=kept)]))


def assert_close(actual: Any, expected: Any) -> None:
    assert len(actual) == len(expected)
    for a, e in zip(actual, expected, strict=True):
        assert np.shape(a) == np.shape(e)
        size = max(1.0, float(np.max(np.abs(np.asarray(e, float)), initial=0.0, where=np.isfinite(e))))
        np.testing.assert_allclose(a, e, rtol=1e-9, atol=1e-10 * size)


def smooth_builds(seed: int) -> tuple[ModuleOp, list[Any]]:
    """A random smooth program inside builds, and arguments."""
    rng = random.Random(seed)
    inner = random_program(seed, rng.randint(2, 9), smooth=True, allow=lambda op: op is not ReplayOp)
    module = over_lanes(inner, rng.choice(SHAPES), seed)
    return module, arguments_for(module, random.Random(seed))


@pytest.mark.parametrize("seed", range(24))
def test_first_derivatives_are_those_of_bulk_operations(seed):
    module, arguments = smooth_builds(seed)
    rng = np.random.default_rng(seed)
    type_ = function_of(module, "main").function_type
    floats = [k for k, t in enumerate(type_.inputs.data) if is_float(t)]
    wrt = ",".join(map(str, floats))
    tangents = drawn([type_.inputs.data[k] for k in floats], rng)
    outputs = [t for t in type_.outputs.data if is_float(t)]
    cotangents = [] if [shape_of(t) for t in outputs] == [()] else drawn(outputs, rng)
    for mode, vectors in (("forward", tangents), ("reverse", cotangents)):
        name = "main_jvp" if mode == "forward" else "main_grad"
        derivative = f"differentiate{{function=main wrt={wrt} mode={mode}}}"
        bulk = expanded(module, derivative, None)
        expected = run_function(bulk, [*arguments, *vectors], function=name)
        for checkpoint, chunk in (("store", 1), *(("recompute", n) for n in CHUNKS)):
            kept = expanded(module, derivative, chunk, checkpoint)
            assert not any(isinstance(op, BuildOp) for op in kept.walk())
            assert_close(run_function(kept, [*arguments, *vectors], function=name), expected)


@pytest.mark.parametrize("seed", range(100, 112))
def test_second_derivatives_are_those_of_bulk_operations(seed):
    rng = random.Random(seed)
    inner = random_program(
        seed, rng.randint(2, 6), smooth=True, allow=lambda op: op not in (ReplayOp, WhileOp)
    )
    module = over_lanes(inner, rng.choice(SHAPES), seed)
    arguments = arguments_for(module, random.Random(seed))
    outputs = function_of(module, "main").function_type.outputs.data
    if [shape_of(t) for t in outputs] == [()]:
        pytest.skip("a scalar program")
    numbers = np.random.default_rng(seed)
    cotangents = drawn([t for t in outputs if is_float(t)], numbers)
    given = [
        *arguments,
        *cotangents,
        *drawn([function_of(module, "main").function_type.inputs.data[0]], numbers),
    ]
    passes = (
        "differentiate{function=main wrt=0 mode=reverse},differentiate{function=main_grad wrt=0 mode=forward}"
    )
    expected = run_function(expanded(module, passes, None), given, function="main_grad_jvp")
    for chunk in CHUNKS:
        kept = expanded(module, passes, chunk)
        assert_close(run_function(kept, given, function="main_grad_jvp"), expected)


@pytest.mark.parametrize("seed", range(200, 210))
def test_kept_builds_of_the_whole_language_keep_their_meaning(seed):
    rng = random.Random(seed)
    module = over_lanes(random_program(seed, rng.randint(2, 9)), rng.choice(SHAPES), seed)
    arguments = arguments_for(module, random.Random(seed))
    expected = run_function(module, arguments, function="main")
    for chunk in CHUNKS:
        kept = run_passes(module.clone(), f"builds-to-loops{{chunk={chunk}}}")
        for actual, result in zip(run_function(kept, arguments, function="main"), expected, strict=True):
            np.testing.assert_array_equal(actual, result)


NESTED = """
func.func @f(%x: tensor<4xf64>, %w: tensor<4x5xf64>, %n: i64) -> tensor<4x3xf64> {
  %r = array.build (%i) : -> tensor<4x3xf64> {
    %xi = array.index %x[%i] : tensor<4xf64> -> f64
    %row = array.build (%j) : -> tensor<3xf64> {
      %e = array.index %w[%i, %j] : tensor<4x5xf64> -> f64
      %p = array.mul %e, %xi : f64
      %s = array.sin %p : f64
      %zero = array.constant 0.0 : f64
      %up = array.compare gt %s, %zero : f64, f64 -> i1
      %b = array.if %up : i1 -> f64 {
        %inner = array.build (%k) : -> tensor<5xf64> {
          %wk = array.index %w[%j, %k] : tensor<4x5xf64> -> f64
          %q = array.mul %wk, %s : f64
          array.yield %q : f64
        }
        %t = array.sum %inner {dims = [0]} : tensor<5xf64> -> f64
        array.yield %t : f64
      } else {
        array.yield %p : f64
      }
      %c = array.scan %b (%k, %a: f64) {carries = 1, length = 3} : f64 -> f64 {
        %d = array.mul %a, %xi : f64
        %g = array.cos %d : f64
        array.yield %g : f64
      }
      array.yield %c : f64
    }
    array.yield %row : tensor<3xf64>
  }
  func.return %r : tensor<4x3xf64>
}
"""


@pytest.mark.parametrize("chunk", [1, 2, 3, 6])
def test_nested_builds_scans_and_branches(chunk):
    rng = np.random.default_rng(0)
    arguments = [rng.normal(size=4), rng.normal(size=(4, 5)), np.int64(2)]
    kept = run_passes(parse_module(NESTED), f"builds-to-loops{{chunk={chunk}}},bulk-operations")
    loops = sum(isinstance(op, ScanOp) and op.kept is not None for op in kept.walk())
    assert loops == {1: 3, 2: 3, 3: 1, 6: 0}[chunk]
    assert not any(isinstance(op, BuildOp) for op in kept.walk())
    check_derivatives(kept, arguments, wrt=(0, 1))


READS = """
func.func @f(%x: tensor<NxMxf64>) -> tensor<Nxf64> {
  %r = array.build (%i) : -> tensor<Nxf64> {
    %row = array.index %x[%i] : tensor<NxMxf64> -> tensor<Mxf64>
    %s = array.sort %row {dim = 0} : tensor<Mxf64>
    %t = array.cumulative sum %s {dim = 0} : tensor<Mxf64>
    %u = array.sort %t {dim = 0} : tensor<Mxf64>
    %v = array.mul %u, %s : tensor<Mxf64>
    %y = array.sum %v {dims = [0]} : tensor<Mxf64> -> f64
    array.yield %y : f64
  }
  func.return %r : tensor<Nxf64>
}
"""


def reads(n: int, m: int) -> ModuleOp:
    return parse_module(READS.replace("N", str(n)).replace("M", str(m)))


def arena_bytes(n: int, m: int, chunk: int | None) -> int:
    module = expanded(reads(n, m), "differentiate{function=f wrt=0}", chunk)
    return compiled_program(module, "f_grad").arena_bytes


def test_the_gradient_of_a_kept_build_needs_the_memory_of_one_position():
    one = arena_bytes(64, 100, 1)
    assert arena_bytes(512, 100, 1) <= one + 8 * 2 * 512
    assert arena_bytes(512, 100, None) >= 512 * 100 * 8 * 2
    assert arena_bytes(512, 100, 8) <= 16 * one


def test_the_gradient_of_a_kept_build_costs_the_primal_once_more():
    def operations(n: int) -> int:
        counter = OperationCounter()
        module = expanded(reads(n, 10), "differentiate{function=f wrt=0}", 1)
        run_function(module, [np.ones((n, 10)), np.ones(n)], function="f_grad", counter=counter)
        return counter.total

    assert operations(40) <= 2 * operations(20) + 100


def test_a_limit_cuts_only_builds_that_compute_more():
    module = reads(64, 100)
    body = next(op for op in module.walk() if isinstance(op, BuildOp)).body.block
    each = computed_bytes(body)
    whole = run_passes(module.clone(), f"builds-to-loops{{limit={64 * each}}}")
    assert not any(isinstance(op, ScanOp) for op in whole.walk())
    cut = run_passes(module.clone(), f"builds-to-loops{{limit={16 * each}}}")
    assert next(op for op in cut.walk() if isinstance(op, ScanOp)).iterations == 4


def test_blocks_divide_the_extent_where_that_costs_little():
    assert [chunk_width(12, w) for w in (5, 7, 12)] == [4, 6, 12]
    assert chunk_width(13, 4) == 4


def test_options_are_checked():
    for options in ("chunk=0", "limit=0", "checkpoint=all"):
        with pytest.raises(UnsupportedError, match=r"chunk or limit|no checkpoint"):
            run_passes(reads(2, 2), f"builds-to-loops{{{options}}}")
