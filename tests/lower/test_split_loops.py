"""Loops cut in two where their index is divided, and nests whose results have other dimensions than loops."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.dialects.kernel import NestOp
from mlirad.dialects.kernel.nests import loop_dimensions, loop_strides, written_out_shape
from mlirad.dialects.shapes import values_of
from mlirad.interpreter import run_function
from mlirad.ir.verification import verify_module
from mlirad.lower.cpu.schedule_kernels import schedule_function
from mlirad.lower.kernels.form_kernels import form_kernels
from tests.lower.emission import check
from tests.lower.emission import parsed as function


def spaces(f: FuncOp) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return [(values_of(o.space), values_of(o.reduction)) for o in f.body.block.ops if isinstance(o, NestOp)]


HEADS = """
func.func @main(%x: tensor<6x8xf64>, %w: tensor<8x5xf64>) -> (tensor<6x8xf64>, tensor<6x5xf64>) {
  %h = array.reshape %x : tensor<6x8xf64> -> tensor<6x2x4xf64>
  %t = array.transpose %h {permutation = [1, 0, 2]} : tensor<6x2x4xf64> -> tensor<2x6x4xf64>
  %e = array.cumulative sum %t {dim = 1} : tensor<2x6x4xf64>
  %b = array.transpose %e {permutation = [1, 0, 2]} : tensor<2x6x4xf64> -> tensor<6x2x4xf64>
  %m = array.reshape %b : tensor<6x2x4xf64> -> tensor<6x8xf64>
  %y = array.dot %m, %w {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]}
    : tensor<6x8xf64>, tensor<8x5xf64> -> tensor<6x5xf64>
  %n = array.neg %m : tensor<6x8xf64>
  func.return %n, %y : tensor<6x8xf64>, tensor<6x5xf64>
}
"""


@pytest.mark.parametrize("vector_bytes", [16, 32, 64])
def test_heads_are_loops_of_their_own(vector_bytes: int) -> None:
    f = function(HEADS)
    scheduled = schedule_function(form_kernels(f), vector_bytes=vector_bytes)
    verify_module(ModuleOp([scheduled.clone()]))
    assert ((6, 2, 4), ()) in spaces(scheduled)
    assert ((6, 5), (2, 4)) in spaces(scheduled)
    assert not [o for o in scheduled.walk() if o.name in ("array.rem", "array.div")]
    generator = np.random.default_rng(0)
    args = [generator.normal(size=(6, 8)), generator.normal(size=(8, 5))]
    for one, other in zip(run_function(scheduled, args), run_function(f, args), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


def test_a_divided_position_of_an_extremum_stays_one_loop() -> None:
    f = function("""
    func.func @main(%x: tensor<2x4xf64>) -> i64 {
      %r = array.reshape %x : tensor<2x4xf64> -> tensor<8xf64>
      %k = array.argmax %r {dim = 0} : tensor<8xf64> -> i64
      func.return %k : i64
    }
    """)
    assert spaces(schedule_function(form_kernels(f))) == [((), (8,))]


def test_which_loops_move_along_which_dimension() -> None:
    assert loop_dimensions((4, 32, 10), (128, 10)) == (0, 0, 1)
    assert loop_dimensions((4, 1), (4, 1, 3)) == (0, 1)
    assert loop_dimensions((4, 3), (4, 6)) is None
    assert loop_dimensions((8,), (4,)) is None
    assert loop_strides((4, 32, 10), (128, 10), (1, 128)) == (32, 1, 128)
    assert written_out_shape((4, 32), (128, 2, 3)) == (2, 3)
    assert written_out_shape((), (2,)) == (2,)


WRITTEN_OUT = """
func.func @main(%x: tensor<13x4xf64>) -> (tensor<13x2x2xf64>, tensor<13xf64>) {{
  %y, %z = kernel.nest %x (%i{args}) {{{head}}} : tensor<13x4xf64> -> (tensor<13x2x2xf64>, tensor<13xf64>) {{
    %0 = array.constant 0 : i64
    %3 = array.constant 3 : i64
    %a = kernel.load %x[%i, {first}] : tensor<13x4xf64> -> f64
    %b = kernel.load %x[%i, %3] : tensor<13x4xf64> -> f64
    %c = array.mul %a, %b : f64
    %d = array.sub %a, %b : f64
    array.yield %a, %b, %c, %d, %d : f64, f64, f64, f64, f64
  }}
  func.return %y, %z : tensor<13x2x2xf64>, tensor<13xf64>
}}
"""


@pytest.mark.parametrize(
    "schedule",
    ["", ", lane = 0, width = 4", ", lane = 0, width = 8", ", lane = 0, layouts = [[1, 2, 0], [0]]"],
)
def test_results_whose_last_dimensions_are_written_out(schedule: str) -> None:
    x = np.random.default_rng(0).normal(size=(13, 4))
    maps = WRITTEN_OUT.format(args="", first="%0", head=f"space = [13], reduction = []{schedule}")
    sums = WRITTEN_OUT.format(
        args=", %r",
        first="%r",
        head=f"space = [13], reduction = [3], combiners = [add, max]{schedule}",
    )
    for text in (maps, sums):
        if "layouts" not in schedule:
            check(text, x)
    (y, z) = run_function(function(maps), [x])
    a, b = x[:, 0], x[:, 3]
    np.testing.assert_array_equal(y, np.stack([a, b, a * b, a - b], axis=1).reshape(13, 2, 2))
    np.testing.assert_array_equal(z, a - b)
