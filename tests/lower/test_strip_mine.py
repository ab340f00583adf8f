"""Kernels in strips: results stay, whatever the length of a strip, and only what may join does."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.array.custom import CUSTOM_OPS
from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.kernel import NestOp, ScatterOp
from mlirad.dialects.kernel.strips import StripsOp
from mlirad.interpreter import run_function
from mlirad.ir.verification import verify_module
from mlirad.lower.cpu.schedule_kernels import schedule_function
from mlirad.lower.kernels.form_kernels import form_kernels
from mlirad.lower.kernels.fuse_kernels import fuse_function
from mlirad.lower.kernels.plan_memory import peak_bytes, plan_function
from mlirad.lower.kernels.plan_verification import verify_plan
from mlirad.lower.kernels.strip_mine import strip_mine
from mlirad.lower.kernels.strip_mine.costs import RECURRENCE_BYTES, Kernel, Traffic
from mlirad.lower.machine import L1_BYTES, cycles_per_byte, stack_cycles_per_byte
from tests.generators.programs import random_program
from tests.lower.loops import function
from tests.lower.native import check_kernels
from tests.lower.test_kernel_passes import arguments


def in_strips(f: FuncOp, rows: int, *, fuse: bool = True) -> FuncOp:
    """The kernels of a function, in strips of `rows` rows wherever possible."""
    kernels = form_kernels(f)
    return strip_mine(fuse_function(kernels) if fuse else kernels, rows=rows)


def strips_of(f: FuncOp) -> list[StripsOp]:
    return [op for op in f.walk() if isinstance(op, StripsOp)]


def check(f: FuncOp, args: list[npt.ArrayLike], rows: int, *, rtol: float = 1e-12) -> FuncOp:
    """Require that strips keep the results: interpreted, and compiled with and without checked addresses."""
    want = run_function(f, args)
    formed = in_strips(f, rows)
    check_kernels(formed, args, want, rtol)
    return formed


ROWS_AND_TOTALS = """
func.func @f(%x: tensor<37x3xf64>, %w: tensor<3xf64>) -> (tensor<37xf64>, tensor<3xf64>, f64, f64, f64, i1) {
  %v = array.broadcast %w {dims = [1]} : tensor<3xf64> -> tensor<37x3xf64>
  %p = array.mul %x, %v : tensor<37x3xf64>
  %a = array.sum %p {dims = [1]} : tensor<37x3xf64> -> tensor<37xf64>
  %e = array.exp %a : tensor<37xf64>
  %b = array.broadcast %e {dims = [0]} : tensor<37xf64> -> tensor<37x3xf64>
  %q = array.mul %x, %b : tensor<37x3xf64>
  %t = array.sum %q {dims = [0]} : tensor<37x3xf64> -> tensor<3xf64>
  %hi = array.reduce max %e {dims = [0]} : tensor<37xf64> -> f64
  %lo = array.reduce min %e {dims = [0]} : tensor<37xf64> -> f64
  %all = array.reduce prod %e {dims = [0]} : tensor<37xf64> -> f64
  %d = array.compare lt %a, %e : tensor<37xf64>, tensor<37xf64> -> tensor<37xi1>
  %every = array.reduce and %d {dims = [0]} : tensor<37xi1> -> i1
  func.return %e, %t, %hi, %lo, %all, %every : tensor<37xf64>, tensor<3xf64>, f64, f64, f64, i1
}
"""


@pytest.mark.parametrize("rows", [1, 8, 16, 36, 37])
def test_rows_and_totals(rows: int) -> None:
    generator = np.random.default_rng(rows)
    formed = check(
        function(ROWS_AND_TOTALS), [generator.normal(size=(37, 3)), generator.normal(size=3)], rows
    )
    (strips,) = strips_of(formed) or [None]
    if strips is not None:
        assert strips.carry_count == 5
        assert len(strips.joined) == 1
        outside = [op for op in formed.body.block.ops if isinstance(op, NestOp) and op.operands]
        assert not outside


def test_not_a_number_reaches_every_total_once() -> None:
    x = np.random.default_rng(0).normal(size=(37, 3))
    x[36, 1] = np.nan
    x[5, 0] = np.inf
    check(function(ROWS_AND_TOTALS), [x, np.ones(3)], 16)


SCAN = """
func.func @f(%t: tensor<50xf64>, %x: tensor<6xf64>, %y: tensor<6x50xf64>) -> (tensor<6xf64>, tensor<50xf64>) {
  %one = array.constant 1.0 : f64
  %ones = array.broadcast %one {dims = []} : f64 -> tensor<50xf64>
  %last, %sums, %powers = array.scan %ones, %t, %x, %y
      (%i, %p: tensor<50xf64>, %s: tensor<50xf64>, %c: f64, %r: tensor<50xf64>) {carries = 2, length = 6}
      : tensor<50xf64>, tensor<50xf64>, tensor<6xf64>, tensor<6x50xf64>
      -> (tensor<50xf64>, tensor<50xf64>, tensor<6x50xf64>) {
    %q = array.mul %p, %t : tensor<50xf64>
    %k = array.broadcast %c {dims = []} : f64 -> tensor<50xf64>
    %m = array.mul %k, %p : tensor<50xf64>
    %n = array.add %s, %m : tensor<50xf64>
    %o = array.sub %n, %r : tensor<50xf64>
    array.yield %q, %o, %p : tensor<50xf64>, tensor<50xf64>, tensor<50xf64>
  }
  %back, %slopes = array.scan %sums, %powers
      (%i, %g: tensor<50xf64>, %p: tensor<50xf64>) {carries = 1, length = 6, reverse}
      : tensor<50xf64>, tensor<6x50xf64> -> (tensor<50xf64>, tensor<6xf64>) {
    %h = array.mul %g, %p : tensor<50xf64>
    %d = array.sum %h {dims = [0]} : tensor<50xf64> -> f64
    %z = array.sin %h : tensor<50xf64>
    array.yield %z, %d : tensor<50xf64>, f64
  }
  func.return %slopes, %back : tensor<6xf64>, tensor<50xf64>
}
"""


@pytest.mark.parametrize("rows", [10, 16, 48])
def test_scans_run_all_iterations_in_one_strip(rows: int) -> None:
    generator = np.random.default_rng(rows)
    args = [generator.uniform(-1, 1, 50), generator.normal(size=6), generator.normal(size=(6, 50))]
    formed = check(function(SCAN), args, rows)
    (strips,) = strips_of(formed)
    assert sum(isinstance(op, ScanOp) for op in strips.body.block.ops) == 2
    assert not any(isinstance(op, ScanOp) for op in formed.body.block.ops)


SUMS = """
func.func @f(
    %w: tensor<3xf64>, %x: tensor<50x3xf64>, %to: tensor<50xi64>, %g: tensor<3xf64>, %h: tensor<4xf64>)
    -> (tensor<50x3xf64>, tensor<3xf64>, f64, tensor<4xf64>) {
  %zero = array.constant 0.5 : f64
  %last, %sum, %total, %counts = array.scan %x, %g, %zero, %h
      (%i, %a: tensor<50x3xf64>, %s: tensor<3xf64>, %t: f64, %c: tensor<4xf64>) {carries = 4, length = 6}
      : tensor<50x3xf64>, tensor<3xf64>, f64, tensor<4xf64>
      -> (tensor<50x3xf64>, tensor<3xf64>, f64, tensor<4xf64>) {
    %v = array.broadcast %w {dims = [1]} : tensor<3xf64> -> tensor<50x3xf64>
    %p = array.mul %a, %v : tensor<50x3xf64>
    %b = array.sin %p : tensor<50x3xf64>
    %m = array.sum %b {dims = [0]} : tensor<50x3xf64> -> tensor<3xf64>
    %n = array.add %s, %m : tensor<3xf64>
    %q = array.sum %b {dims = [0, 1]} : tensor<50x3xf64> -> f64
    %two = array.constant 2.0 : f64
    %y = array.mul %q, %two : f64
    %z = array.neg %y : f64
    %l = array.add %t, %z : f64
    %u = array.sub %l, %q : f64
    %r = array.sum %b {dims = [1]} : tensor<50x3xf64> -> tensor<50xf64>
    %d = array.update add %c, %r (%k) : tensor<4xf64>, tensor<50xf64> -> tensor<4xf64> {
      %e = array.index %to[%k] : tensor<50xi64> -> i64
      array.yield %e : i64
    }
    array.yield %b, %n, %u, %d : tensor<50x3xf64>, tensor<3xf64>, f64, tensor<4xf64>
  }
  func.return %last, %sum, %total, %counts : tensor<50x3xf64>, tensor<3xf64>, f64, tensor<4xf64>
}
"""


@pytest.mark.parametrize("rows", [10, 16, 48])
def test_sums_over_iterations_and_rows_go_from_strip_to_strip(rows: int) -> None:
    generator = np.random.default_rng(rows)
    args: list[npt.ArrayLike] = [generator.normal(size=3), generator.normal(size=(50, 3))]
    args += [generator.integers(0, 4, 50), generator.normal(size=3), generator.normal(size=4)]
    formed = check(function(SUMS), args, rows)
    (strips,) = strips_of(formed)
    assert strips.carry_count == 3
    assert not any(isinstance(op, ScanOp) for op in formed.body.block.ops)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("array.add %s, %m", "array.mul %s, %m"),
        ("array.add %s, %m", "array.add %m, %g"),
        (
            "%u = array.sub %l, %q : f64",
            "%o = array.sum %s {dims = [0]} : tensor<3xf64> -> f64\n%u = array.add %t, %o : f64",
        ),
        (
            "%p = array.mul %a, %v",
            "%yy = array.broadcast %s {dims = [1]} : tensor<3xf64> -> tensor<50x3xf64>\n"
            "%p = array.mul %a, %yy",
        ),
    ],
)
def test_what_is_no_sum_keeps_its_loop(old: str, new: str) -> None:
    generator = np.random.default_rng(0)
    args: list[npt.ArrayLike] = [generator.normal(size=3), generator.normal(size=(50, 3))]
    args += [generator.integers(0, 4, 50), generator.normal(size=3), generator.normal(size=4)]
    formed = check(function(SUMS.replace(old, new)), args, 16, rtol=1e-7)
    assert not any(isinstance(op, ScanOp) for strips in strips_of(formed) for op in strips.body.block.ops)


SCATTERS = """
func.func @f(%x: tensor<40x3xf64>, %to: tensor<40xi64>, %base: tensor<7x3xf64>)
    -> (tensor<7x3xf64>, tensor<7x3xf64>, tensor<40x7xf64>) {
  %e = array.exp %x : tensor<40x3xf64>
  %s = array.scatter %e (%i) : tensor<40x3xf64> -> tensor<7x3xf64> {
    %k = array.index %to[%i] : tensor<40xi64> -> i64
    array.yield %k : i64
  }
  %u = array.update set %base, %e (%i) : tensor<7x3xf64>, tensor<40x3xf64> -> tensor<7x3xf64> {
    %k = array.index %to[%i] : tensor<40xi64> -> i64
    array.yield %k : i64
  }
  %r = array.scatter %e (%i, %j) : tensor<40x3xf64> -> tensor<40x7xf64> {
    %k = array.index %to[%i] : tensor<40xi64> -> i64
    %q = array.mul %k, %j : i64
    array.yield %i, %q : i64, i64
  }
  func.return %s, %u, %r : tensor<7x3xf64>, tensor<7x3xf64>, tensor<40x7xf64>
}
"""


@pytest.mark.parametrize("rows", [8, 16, 39])
def test_scatters(rows: int) -> None:
    generator = np.random.default_rng(rows)
    args = [generator.normal(size=(40, 3)), generator.integers(0, 7, 40), generator.normal(size=(7, 3))]
    formed = check(function(SCATTERS), args, rows)
    (strips,) = strips_of(formed)
    assert sum(isinstance(op, ScatterOp) for op in strips.body.block.ops) == 3


def test_what_reads_other_rows_stays_apart() -> None:
    f = function("""
    func.func @f(%x: tensor<64xf64>) -> tensor<64xf64> {
      %e = array.exp %x : tensor<64xf64>
      %r = array.reverse %e {dims = [0]} : tensor<64xf64> -> tensor<64xf64>
      %y = array.mul %e, %r : tensor<64xf64>
      func.return %y : tensor<64xf64>
    }
    """)
    assert not strips_of(in_strips(f, 16, fuse=False))


def test_what_reads_a_total_comes_after() -> None:
    f = function("""
    func.func @f(%x: tensor<64xf64>) -> (tensor<64xf64>, f64) {
      %e = array.exp %x : tensor<64xf64>
      %t = array.sum %e {dims = [0]} : tensor<64xf64> -> f64
      %b = array.broadcast %t {dims = []} : f64 -> tensor<64xf64>
      %y = array.div %e, %b : tensor<64xf64>
      %s = array.sin %y : tensor<64xf64>
      %u = array.sum %s {dims = [0]} : tensor<64xf64> -> f64
      func.return %y, %u : tensor<64xf64>, f64
    }
    """)
    assert len(strips_of(check(f, [np.linspace(-1, 1, 64)], 16))) == 2


@pytest.mark.parametrize("seed", range(30))
def test_random_programs_keep_their_results(seed: int) -> None:
    program = random_program(
        seed, 14, allow=lambda op_class: op_class not in (BuildOp, *CUSTOM_OPS), straight=True
    )
    main = next(op for op in program.body.block.ops if isinstance(op, FuncOp))
    args = arguments(main, seed)
    formed = strip_mine(form_kernels(main), rows=1 + seed % 3)
    planned = plan_function(schedule_function(fuse_function(formed), vector_bytes=16 << seed % 3))
    verify_plan(planned)
    verify_module(ModuleOp([planned]))
    for got, want in zip(run_function(planned, args), run_function(main, args), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)


def row_wise(extent: int, width: int) -> Traffic:
    """Three passes over rows of `width` floats of 64 bits, which one kernel makes of another array."""
    size = 8.0 * width
    kernels = [Kernel(1, width, width) for _ in range(3)]
    return Traffic(extent, moved=4 * size, outside=2 * size, live=2 * size, kernels=kernels)


def test_long_rows_run_few_at_a_time() -> None:
    rows, gain = row_wise(1024, 1000).best()
    assert rows <= 4
    assert row_wise(1024, 1000).pays(gain)


def test_short_rows_run_many_at_a_time() -> None:
    rows, gain = row_wise(10_000, 20).best()
    assert rows >= 40
    assert row_wise(10_000, 20).pays(gain)


def test_what_stays_in_cache_is_left_alone() -> None:
    costs = row_wise(32, 50)
    assert not costs.pays(costs.best()[1])


def test_many_totals_must_be_worth_their_kernels() -> None:
    costs = row_wise(1024, 100)
    gain = costs.best()[1]
    assert costs.pays(gain)
    costs.totals = 128
    assert not costs.pays(costs.best()[1])


def test_vectors_along_the_rows_are_filled() -> None:
    kernels = [Kernel(1, 22 * 16, 4)]
    rows, _ = Traffic(10_000, moved=8.0 * 22 * 4 * 20, live=8.0 * 22 * 4, kernels=kernels).best()
    assert rows % 8 == 0


def powers(rows: int) -> FuncOp:
    """A loop over 128 coefficients that stacks the powers of each row, and each power's sum over the rows."""
    return function(f"""
    func.func @f(%t: tensor<{rows}xf64>, %x: tensor<128xf64>) -> tensor<128xf64> {{
      %one = array.constant 1.0 : f64
      %ones = array.broadcast %one {{dims = []}} : f64 -> tensor<{rows}xf64>
      %last, %total, %powers = array.scan %ones, %t, %x
          (%i, %p: tensor<{rows}xf64>, %s: tensor<{rows}xf64>, %c: f64) {{carries = 2, length = 128}}
          : tensor<{rows}xf64>, tensor<{rows}xf64>, tensor<128xf64>
          -> (tensor<{rows}xf64>, tensor<{rows}xf64>, tensor<128x{rows}xf64>) {{
        %q = array.mul %p, %t : tensor<{rows}xf64>
        %k = array.broadcast %c {{dims = []}} : f64 -> tensor<{rows}xf64>
        %m = array.mul %k, %p : tensor<{rows}xf64>
        %n = array.add %s, %m : tensor<{rows}xf64>
        array.yield %q, %n, %p : tensor<{rows}xf64>, tensor<{rows}xf64>, tensor<{rows}xf64>
      }}
      %b = array.broadcast %total {{dims = [1]}} : tensor<{rows}xf64> -> tensor<128x{rows}xf64>
      %y = array.mul %powers, %b : tensor<128x{rows}xf64>
      %z = array.sum %y {{dims = [1]}} : tensor<128x{rows}xf64> -> tensor<128xf64>
      func.return %z : tensor<128xf64>
    }}""")


def test_what_a_loop_stacks_stays_near_if_the_loop_is_one_kernel() -> None:
    (strips,) = strips_of(in_strips(powers(4096), 0))
    assert strips.strip_rows * 128 * 8 <= L1_BYTES
    assert strips.strip_rows * 8 >= RECURRENCE_BYTES


def test_a_stack_costs_what_each_cache_holds_of_it() -> None:
    assert stack_cycles_per_byte(L1_BYTES) == cycles_per_byte(L1_BYTES)
    near, far = cycles_per_byte(L1_BYTES), cycles_per_byte(2 * L1_BYTES)
    assert stack_cycles_per_byte(2 * L1_BYTES) == pytest.approx((near + far) / 2)
    sizes = [2.0**k for k in range(10, 32)]
    costs = [stack_cycles_per_byte(size) for size in sizes]
    assert costs == sorted(costs)
    assert all(s <= cycles_per_byte(size) for s, size in zip(costs, sizes, strict=True))


def test_a_softmax_runs_by_rows() -> None:
    f = function("""
    func.func @f(%x: tensor<512x300xf64>) -> tensor<512x300xf64> {
      %m = array.reduce max %x {dims = [1]} : tensor<512x300xf64> -> tensor<512xf64>
      %n = array.broadcast %m {dims = [0]} : tensor<512xf64> -> tensor<512x300xf64>
      %z = array.sub %x, %n : tensor<512x300xf64>
      %e = array.exp %z : tensor<512x300xf64>
      %s = array.sum %e {dims = [1]} : tensor<512x300xf64> -> tensor<512xf64>
      %b = array.broadcast %s {dims = [0]} : tensor<512xf64> -> tensor<512x300xf64>
      %y = array.div %e, %b : tensor<512x300xf64>
      func.return %y : tensor<512x300xf64>
    }
    """)
    kernels = fuse_function(form_kernels(f))
    (strips,) = strips_of(strip_mine(kernels))
    assert strips.strip_rows < 32
    assert len(strips.joined) == 1
    assert peak_bytes(strip_mine(kernels)) < 8 * 32 * 300


def test_distances_take_the_memory_of_a_strip() -> None:
    f = function("""
    func.func @f(%points: tensor<9000x4xf64>, %centres: tensor<20x4xf64>) -> f64 {
      %p = array.broadcast %points {dims = [0, 2]} : tensor<9000x4xf64> -> tensor<9000x20x4xf64>
      %c = array.broadcast %centres {dims = [1, 2]} : tensor<20x4xf64> -> tensor<9000x20x4xf64>
      %d = array.sub %p, %c : tensor<9000x20x4xf64>
      %q = array.mul %d, %d : tensor<9000x20x4xf64>
      %s = array.sum %q {dims = [2]} : tensor<9000x20x4xf64> -> tensor<9000x20xf64>
      %m = array.reduce min %s {dims = [1]} : tensor<9000x20xf64> -> tensor<9000xf64>
      %t = array.sum %m {dims = [0]} : tensor<9000xf64> -> f64
      func.return %t : f64
    }
    """)
    kernels = fuse_function(form_kernels(f))
    assert peak_bytes(kernels) > 1_400_000
    assert peak_bytes(strip_mine(kernels)) < 200_000
