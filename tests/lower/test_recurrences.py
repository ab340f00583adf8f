"""Scans as recurrences: results stay, with the move forced and without, and costs say where it pays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.kernel import NestOp, RecurrenceOp
from mlirad.interpreter import run_function
from mlirad.ir.verification import verify_module
from mlirad.jit.call import NativeFunction
from mlirad.lower.cpu.form_recurrences import form_recurrences
from mlirad.lower.cpu.schedule_kernels import recurrences, schedule_function
from mlirad.lower.kernels.form_kernels import form_kernels
from mlirad.lower.kernels.fuse_kernels import fuse_function
from mlirad.lower.kernels.plan_memory import plan_function
from mlirad.lower.kernels.plan_verification import verify_plan
from mlirad.lower.kernels.strip_mine import strip_mine
from tests.generators.element_loops import random_element_loop
from tests.lower.loops import function
from tests.lower.native import check_kernels, compiled_program


def recurrences_of(f: FuncOp) -> list[RecurrenceOp]:
    return [op for op in f.walk() if isinstance(op, RecurrenceOp)]


def check(f: FuncOp, args: list[Any], rows: int = 0) -> FuncOp:
    """Require that forced recurrences keep the results: interpreted, and compiled with and without checks."""
    kernels = fuse_function(form_kernels(f))
    formed = form_recurrences(strip_mine(kernels, rows=rows) if rows else kernels, always=True)
    check_kernels(formed, args, run_function(f, args), 1e-12)
    return formed


POLYNOMIALS = """
func.func @f(%t: tensor<EXTENTxf64>, %x: tensor<ITERATIONSxf64>, %y: tensor<ITERATIONSxEXTENTxf64>)
    -> (tensor<EXTENTxf64>, tensor<ITERATIONSxEXTENTxf64>, tensor<ITERATIONSxEXTENTxi1>) {
  %one = array.constant 1.0 : f64
  %ones = array.broadcast %one {dims = []} : f64 -> tensor<EXTENTxf64>
  %step = array.constant 0.125 : f64
  %last, %sums, %time, %powers, %less = array.scan %ones, %t, %one, %x, %y
      (%i, %p: tensor<EXTENTxf64>, %s: tensor<EXTENTxf64>, %u: f64, %c: f64, %r: tensor<EXTENTxf64>) {carries
      = 3, length = ITERATIONSDIRECTION} : tensor<EXTENTxf64>, tensor<EXTENTxf64>, f64,
      tensor<ITERATIONSxf64>, tensor<ITERATIONSxEXTENTxf64> -> (tensor<EXTENTxf64>, tensor<EXTENTxf64>, f64,
      tensor<ITERATIONSxEXTENTxf64>, tensor<ITERATIONSxEXTENTxi1>) {
    %k = array.convert %i : i64 -> f64
    %w = array.add %k, %u : f64
    %v = array.add %u, %step : f64
    %f = array.broadcast %w {dims = []} : f64 -> tensor<EXTENTxf64>
    %g = array.broadcast %c {dims = []} : f64 -> tensor<EXTENTxf64>
    %q = array.mul %p, %t : tensor<EXTENTxf64>
    %m = array.mul %g, %p : tensor<EXTENTxf64>
    %n = array.add %s, %m : tensor<EXTENTxf64>
    %o = array.sub %n, %r : tensor<EXTENTxf64>
    %h = array.mul %o, %f : tensor<EXTENTxf64>
    %z = array.tanh %h : tensor<EXTENTxf64>
    %d = array.compare lt %q, %z : tensor<EXTENTxf64>, tensor<EXTENTxf64> -> tensor<EXTENTxi1>
    array.yield %q, %z, %v, %p, %d
        : tensor<EXTENTxf64>, tensor<EXTENTxf64>, f64, tensor<EXTENTxf64>, tensor<EXTENTxi1>
  } func.return %sums, %powers, %less : tensor<EXTENTxf64>, tensor<ITERATIONSxEXTENTxf64>,
  tensor<ITERATIONSxEXTENTxi1>
}
"""


def polynomials(extent: int, iterations: int, direction: str = "") -> FuncOp:
    text = POLYNOMIALS.replace("EXTENT", str(extent)).replace("ITERATIONS", str(iterations))
    return function(text.replace("DIRECTION", direction))


@pytest.mark.parametrize(("extent", "direction"), [(1, ""), (4, ", reverse"), (14, ""), (37, ", reverse")])
def test_loops_of_any_extent(extent: int, direction: str) -> None:
    generator = np.random.default_rng(extent)
    args = [generator.normal(size=s) for s in (extent, 6, (6, extent))]
    formed = check(polynomials(extent, 6, direction), args)
    assert len(recurrences_of(formed)) == 1
    assert not any(isinstance(op, ScanOp) for op in formed.walk())


@pytest.mark.parametrize("iterations", [0, 1])
def test_loops_of_few_iterations(iterations: int) -> None:
    generator = np.random.default_rng(iterations)
    check(polynomials(5, iterations), [generator.normal(size=s) for s in (5, iterations, (iterations, 5))])


def test_loops_in_strips() -> None:
    generator = np.random.default_rng(0)
    args = [generator.normal(size=s) for s in (50, 6, (6, 50))]
    assert recurrences_of(check(polynomials(50, 6), args, rows=16))


MATRICES = """
func.func @f(%a: tensor<3x5xf32>, %k: tensor<4xi64>, %w: tensor<7xf32>)
    -> (tensor<3x5xf32>, tensor<4x3x5xf32>) {
  %last, %all = array.scan %a, %k (%i, %p: tensor<3x5xf32>, %at: i64) {carries = 1, length = 4}
      : tensor<3x5xf32>, tensor<4xi64> -> (tensor<3x5xf32>, tensor<4x3x5xf32>) {
    %u = array.index %w[%at] : tensor<7xf32> -> f32
    %v = array.broadcast %u {dims = []} : f32 -> tensor<3x5xf32>
    %q = array.mul %p, %v : tensor<3x5xf32>
    %n = array.neg %q : tensor<3x5xf32>
    array.yield %n, %q : tensor<3x5xf32>, tensor<3x5xf32>
  }
  func.return %last, %all : tensor<3x5xf32>, tensor<4x3x5xf32>
}
"""


def test_spaces_of_two_dimensions_and_positions_that_are_read() -> None:
    generator = np.random.default_rng(0)
    args: list[Any] = [generator.normal(size=s).astype(np.float32) for s in ((3, 5), 7)]
    formed = check(function(MATRICES), [args[0], np.array([3, 0, 9, -2]), args[1]])
    assert len(recurrences_of(formed)) == 1


def apart(body: str) -> FuncOp:
    """A loop over a vector that is not element by element, as it reads `%b` and stacks nothing."""
    return function(f"""
    func.func @f(%x: tensor<9xf64>) -> tensor<9xf64> {{
      %last = array.scan %x (%i, %a: tensor<9xf64>) {{carries = 1, length = 3}}
          : tensor<9xf64> -> tensor<9xf64> {{
        {body}
        %c = array.sin %b : tensor<9xf64>
        array.yield %c : tensor<9xf64>
      }}
      func.return %last : tensor<9xf64>
    }}
    """)


@pytest.mark.parametrize(
    "body",
    [
        "%b = array.reverse %a {dims = [0]} : tensor<9xf64> -> tensor<9xf64>",
        """%s = array.sum %a {dims = [0]} : tensor<9xf64> -> f64
           %b = array.broadcast %s {dims = []} : f64 -> tensor<9xf64>""",
        "%b = array.cumulative sum %a {dim = 0} : tensor<9xf64>",
    ],
)
def test_what_reads_other_elements_stays_a_scan(body: str) -> None:
    assert not recurrences_of(check(apart(body), [np.linspace(-1, 1, 9)]))


def kernels_of(f: FuncOp) -> list[type[Operation]]:
    formed = form_recurrences(fuse_function(form_kernels(f)))
    return [type(op) for op in formed.walk() if isinstance(op, NestOp | RecurrenceOp)]


def powers(extent: int, iterations: int) -> FuncOp:
    """All powers of a vector."""
    vector, matrix = f"tensor<{extent}xf64>", f"tensor<{iterations}x{extent}xf64>"
    return function(f"""
    func.func @f(%x: {vector}) -> {matrix} {{
      %last, %all = array.scan %x (%i, %a: {vector}) {{carries = 1, length = {iterations}}}
          : {vector} -> ({vector}, {matrix}) {{
        %b = array.mul %a, %x : {vector}
        array.yield %b, %a : {vector}, {vector}
      }}
      func.return %all : {matrix}
    }}
    """)


def test_costs_choose_cheap_iterations_and_leave_long_chains_and_large_stacks() -> None:
    assert RecurrenceOp in kernels_of(powers(14, 8))
    assert RecurrenceOp in kernels_of(powers(64, 100))
    assert RecurrenceOp not in kernels_of(powers(20_000, 1000))
    assert RecurrenceOp not in kernels_of(polynomials(37, 100))


STACKED = """
func.func @f(%t: tensor<EXTENTxf64>, %x: tensor<ITERATIONSxf64>) -> (tensor<ITERATIONSxf64>,
tensor<ITERATIONSxEXTENTxf64>) {
  %one = array.constant 1.0 : f64 %ones = array.broadcast %one {dims = []} : f64 -> tensor<EXTENTxf64> %last,
  %powers = array.scan %ones, %x (%i, %p: tensor<EXTENTxf64>, %c: f64) {carries = 1, length = ITERATIONS}
      : tensor<EXTENTxf64>, tensor<ITERATIONSxf64> -> (tensor<EXTENTxf64>, tensor<ITERATIONSxEXTENTxf64>) {
    %g = array.broadcast %c {dims = []} : f64 -> tensor<EXTENTxf64>
    %q = array.mul %p, %t : tensor<EXTENTxf64>
    %r = array.add %q, %g : tensor<EXTENTxf64>
    array.yield %r, %p : tensor<EXTENTxf64>, tensor<EXTENTxf64>
  }
  %sum = array.sum %powers {dims = [1]} : tensor<ITERATIONSxEXTENTxf64> -> tensor<ITERATIONSxf64>
  %sine = array.sin %powers : tensor<ITERATIONSxEXTENTxf64>
  func.return %sum, %sine : tensor<ITERATIONSxf64>, tensor<ITERATIONSxEXTENTxf64>
}
"""


def test_rows_that_would_conflict_in_the_cache_lie_apart() -> None:
    generator = np.random.default_rng(0)
    for extent, iterations, pitch in ((256, 40, 264), (250, 40, None), (128, 8, None)):
        f = function(STACKED.replace("EXTENT", str(extent)).replace("ITERATIONS", str(iterations)))
        formed = check(f, [generator.uniform(-1, 1, extent), generator.uniform(-1, 1, iterations)])
        (found,) = recurrences_of(schedule_function(formed))
        assert (None if found.pitch is None else found.pitch.value.data) == pitch


@pytest.mark.parametrize("seed", range(30))
def test_random_loops_keep_their_results(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if seed % 4 < 2:  # rows of what is stacked lie apart
        monkeypatch.setattr(recurrences, "CONFLICTING_BYTES", 1)
        monkeypatch.setattr(recurrences, "L1_BYTES", 0)
    text, shapes = random_element_loop(seed)
    f = function(text)
    generator = np.random.default_rng(seed)
    args = [generator.uniform(-1, 1, shape) for shape in shapes]
    want = run_function(f, args)
    kernels = fuse_function(form_kernels(f))
    formed = form_recurrences(strip_mine(kernels, rows=2) if seed % 3 == 0 else kernels, always=True)
    verify_module(ModuleOp([formed.clone()]))
    assert recurrences_of(formed)
    assert not any(isinstance(op, ScanOp) for op in formed.walk())
    planned = plan_function(schedule_function(formed, vector_bytes=16 << seed % 2))
    verify_plan(planned)
    program = compiled_program(ModuleOp([planned]), "f", checks=seed % 2 == 1)
    native: Any = NativeFunction(program, debug=True)
    for results in (run_function(planned, args), native(*args)):
        for got, expected in zip(results, want, strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)
