"""Maps over index spaces and of linear code: what they cost applied, in both directions, and their edges."""

from __future__ import annotations

import numpy as np
import pytest

from mlirad.interpreter import OperationCounter, run_function
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from tests.passes.derivatives import run_passes

READS = """
func.func @main(%k: tensor<{n}xi64>, %x: tensor<{n}xf64>, %ct: tensor<{n}xf64>) -> tensor<{n}xf64> {{
  %m = linear.build (%i) {{extents = [{n}]}} : -> !linear.map<tensor<{n}xf64>, tensor<{n}xf64>> {{
    %j = array.index %k[%i] : tensor<{n}xi64> -> i64
    %a = linear.index [%j] : -> !linear.map<tensor<{n}xf64>, f64>
    %b = linear.index [%i] : -> !linear.map<tensor<{n}xf64>, f64>
    %s = linear.add %a, %b : !linear.map<tensor<{n}xf64>, f64>
    array.yield %s : !linear.map<tensor<{n}xf64>, f64>
  }}
  %y = linear.{apply} %m, %ct : {m}, tensor<{n}xf64> -> tensor<{n}xf64>
  func.return %y : tensor<{n}xf64>
}}
"""

WRITES = """
func.func @main(%k: tensor<{n}xi64>, %x: tensor<{n}xf64>, %ct: tensor<{n}xf64>) -> tensor<{n}xf64> {{
  %m = linear.build_transpose (%i) {{extents = [{n}]}} : -> !linear.map<tensor<{n}xf64>, tensor<{n}xf64>> {{
    %j = array.index %k[%i] : tensor<{n}xi64> -> i64
    %c = array.index %x[%i] : tensor<{n}xf64> -> f64
    %a = linear.one_hot [%j] : -> !linear.map<f64, tensor<{n}xf64>>
    %b = linear.one_hot [%i] : -> !linear.map<f64, tensor<{n}xf64>>
    %t = linear.scale %c : f64 -> !linear.map<f64, f64>
    %d = linear.compose %b, %t : !linear.map<f64, tensor<{n}xf64>>, !linear.map<f64, f64> -> !linear.map<f64, tensor<{n}xf64>>
    %s = linear.add %a, %d : !linear.map<f64, tensor<{n}xf64>>
    array.yield %s : !linear.map<f64, tensor<{n}xf64>>
  }}
  %y = linear.{apply} %m, %ct : {m}, tensor<{n}xf64> -> tensor<{n}xf64>
  func.return %y : tensor<{n}xf64>
}}
"""  # noqa: E501

LAMBDA = """
func.func @main(%k: tensor<{n}xi64>, %x: tensor<{n}xf64>, %ct: tensor<{n}xf64>) -> tensor<{n}xf64> {{
  %m = linear.lambda (%dx : tensor<{n}xf64>) : -> !linear.map<tensor<{n}xf64>, tensor<{n}xf64>> {{
    %y = array.build (%i) : -> tensor<{n}xf64> {{
      %j = array.index %k[%i] : tensor<{n}xi64> -> i64
      %a = array.index %dx[%j] : tensor<{n}xf64> -> f64
      %c = array.index %x[%i] : tensor<{n}xf64> -> f64
      %p = array.mul %a, %c : f64
      array.yield %p : f64
    }}
    array.yield %y : tensor<{n}xf64>
  }}
  %y = linear.{apply} %m, %ct : {m}, tensor<{n}xf64> -> tensor<{n}xf64>
  func.return %y : tensor<{n}xf64>
}}
"""


@pytest.mark.parametrize("text", [READS, WRITES, LAMBDA], ids=["build", "build_transpose", "lambda"])
@pytest.mark.parametrize("apply", ["apply", "apply_transpose"])
def test_n_elements_of_an_array_cost_order_n(text, apply) -> None:
    work: list[int] = []
    for n in (40, 80):
        array = f"tensor<{n}xf64>"
        module = parse_module(text.format(n=n, apply=apply, m=f"!linear.map<{array}, {array}>"))
        verify_module(module)
        rng = np.random.default_rng(n)
        arguments = [rng.integers(0, n, n), rng.normal(size=n), rng.normal(size=n)]
        expected = run_function(module, arguments)[0]
        applied = run_passes(module.clone(), "apply-linear-maps,mlirad-canonicalize,mlirad-dce")
        assert not any(op.name.startswith("linear.") for op in applied.walk())
        # A value that is updated in place is not copied; the counter counts what is moved.
        counter = OperationCounter()
        np.testing.assert_allclose(run_function(applied, arguments, counter=counter)[0], expected)
        work.append(counter.total)
    assert work[1] <= 2.2 * work[0]


SCALARS = """
func.func @main(%a: tensor<4xf64>, %ct: tensor<4xf64>) -> f64 {
  %m = linear.build (%i) {extents = [4]} : -> !linear.map<f64, tensor<4xf64>> {
    %k = array.index %a[%i] : tensor<4xf64> -> f64
    %s = linear.scale %k : f64 -> !linear.map<f64, f64>
    array.yield %s : !linear.map<f64, f64>
  }
  %y = linear.apply_transpose %m, %ct : !linear.map<f64, tensor<4xf64>>, tensor<4xf64> -> f64
  func.return %y : f64
}
"""


def test_sums_of_scalars_become_bulk() -> None:
    applied = run_passes(parse_module(SCALARS), "apply-linear-maps,bulk-operations")
    names = {op.name for op in applied.walk() if op.name.startswith("array.")}
    assert names == {"array.absorbing_mul", "array.sum"}
