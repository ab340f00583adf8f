"""Kernels over short rows as one: results stay, nothing is stored between, and only what may join does."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.dialects.array.custom import CUSTOM_OPS
from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.kernel import NestOp, ScatterOp
from mlirad.interpreter import run_function
from mlirad.ir.verification import verify_module
from mlirad.lower.cpu.schedule_kernels import schedule_function
from mlirad.lower.kernels.form_kernels import form_kernels
from mlirad.lower.kernels.fuse_kernels import fuse_function
from mlirad.lower.kernels.plan_memory import plan_function
from mlirad.lower.kernels.plan_verification import verify_plan
from mlirad.lower.kernels.strip_mine import strip_mine
from mlirad.lower.kernels.unroll_rows import unroll_rows
from tests.generators.programs import random_program
from tests.lower.loops import function
from tests.lower.native import check_kernels
from tests.lower.test_kernel_passes import arguments


def kernels_of(f: FuncOp) -> list[NestOp | ScatterOp]:
    return [op for op in f.walk() if isinstance(op, NestOp | ScatterOp)]


def check(f: FuncOp, args: list[npt.ArrayLike], rows: int = 0) -> FuncOp:
    """Require that writing out keeps the results: interpreted, and compiled with and without checks."""
    want = run_function(f, args)
    written = unroll_rows(fuse_function(form_kernels(f)), 2, 1)
    verify_module(ModuleOp([written.clone()]))
    check_kernels(strip_mine(written, rows=rows) if rows else written, args, want, 1e-12)
    return written


ROTATED = """
func.func @f(%x: tensor<21x3xf64>, %m: tensor<3x3xf64>) -> (tensor<21x5xf64>, tensor<21xf64>) {
  %e = array.exp %x : tensor<21x3xf64>
  %r = array.dot %e, %m {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0]}
    : tensor<21x3xf64>, tensor<3x3xf64> -> tensor<21x3xf64>
  %n = array.reduce max %r {dims = [1]} : tensor<21x3xf64> -> tensor<21xf64>
  %b = array.broadcast %n {dims = [0]} : tensor<21xf64> -> tensor<21x2xf64>
  %s = array.slice %r {starts = [0, 1], limits = [21, 3], strides = [1, 1]}
    : tensor<21x3xf64> -> tensor<21x2xf64>
  %q = array.div %s, %b : tensor<21x2xf64>
  %c = array.concatenate %q, %e {dim = 1} : tensor<21x2xf64>, tensor<21x3xf64> -> tensor<21x5xf64>
  func.return %c, %n : tensor<21x5xf64>, tensor<21xf64>
}
"""


@pytest.mark.parametrize("rows", [0, 8, 20])
def test_short_rows_are_written_out(rows: int) -> None:
    generator = np.random.default_rng(rows)
    written = check(function(ROTATED), [generator.normal(size=(21, 3)), generator.normal(size=(3, 3))], rows)
    (kernel,) = kernels_of(written)
    assert len(kernel.results) == 2
    names = [op.name for op in kernel.walk()]
    assert names.count("array.exp") == 3
    assert "array.select" not in names
    assert "array.compare" not in names


def test_sums_over_rows_and_long_rows_stay() -> None:
    f = function("""
    func.func @f(%x: tensor<21x3xf64>, %y: tensor<21x40xf64>) -> (f64, tensor<21x40xf64>) {
      %e = array.exp %x : tensor<21x3xf64>
      %s = array.sum %e {dims = [1]} : tensor<21x3xf64> -> tensor<21xf64>
      %q = array.sin %s : tensor<21xf64>
      %t = array.sum %q {dims = [0]} : tensor<21xf64> -> f64
      %b = array.broadcast %q {dims = [0]} : tensor<21xf64> -> tensor<21x40xf64>
      %z = array.mul %b, %y : tensor<21x40xf64>
      func.return %t, %z : f64, tensor<21x40xf64>
    }
    """)
    generator = np.random.default_rng(0)
    written = check(f, [generator.normal(size=(21, 3)), generator.normal(size=(21, 40))])
    assert sorted(op.extents for op in kernels_of(written)) == [(21,), (21,), (21, 40)]


def test_scatters_to_literal_positions_join() -> None:
    f = function("""
    func.func @f(%x: tensor<21x2xf64>) -> tensor<21x4xf64> {
      %e = array.exp %x : tensor<21x2xf64>
      %z = array.constant 0.5 : f64
      %b = array.broadcast %z {dims = []} : f64 -> tensor<21x4xf64>
      %s = array.sin %b : tensor<21x4xf64>
      %u = array.update add %s, %e (%i, %k) : tensor<21x4xf64>, tensor<21x2xf64> -> tensor<21x4xf64> {
        %p = array.mul %k, %k : i64
        array.yield %i, %p : i64, i64
      }
      %v = array.update set %u, %x (%i, %k) : tensor<21x4xf64>, tensor<21x2xf64> -> tensor<21x4xf64> {
        %three = array.constant 3 : i64
        array.yield %i, %three : i64, i64
      }
      func.return %v : tensor<21x4xf64>
    }
    """)
    written = check(f, [np.random.default_rng(0).normal(size=(21, 2))])
    assert len(kernels_of(written)) == 1
    assert not [op for op in kernels_of(written) if isinstance(op, ScatterOp)]


def test_what_reads_other_rows_stays_apart() -> None:
    f = function("""
    func.func @f(%x: tensor<21x2xf64>) -> tensor<21x2xf64> {
      %e = array.exp %x : tensor<21x2xf64>
      %s = array.sum %e {dims = [1]} : tensor<21x2xf64> -> tensor<21xf64>
      %r = array.reverse %s {dims = [0]} : tensor<21xf64> -> tensor<21xf64>
      %b = array.broadcast %r {dims = [0]} : tensor<21xf64> -> tensor<21x2xf64>
      %y = array.mul %b, %e : tensor<21x2xf64>
      func.return %y : tensor<21x2xf64>
    }
    """)
    written = check(f, [np.random.default_rng(0).normal(size=(21, 2))])
    assert len(kernels_of(written)) == 2


@pytest.mark.parametrize("seed", range(30))
def test_random_programs_keep_their_results(seed: int) -> None:
    program = random_program(
        seed, 14, allow=lambda op_class: op_class not in (BuildOp, *CUSTOM_OPS), straight=True
    )
    main = next(op for op in program.body.block.ops if isinstance(op, FuncOp))
    args = arguments(main, seed)
    written = unroll_rows(form_kernels(main), 1, 0)
    if seed % 2:
        written = strip_mine(written, rows=1 + seed % 3)
    planned = plan_function(schedule_function(fuse_function(written), vector_bytes=16 << seed % 3))
    verify_plan(planned)
    verify_module(ModuleOp([planned]))
    for got, want in zip(run_function(planned, args), run_function(main, args), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)
