"""Recursive functions called inside builds."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from mlirad.errors import UnsupportedError
from mlirad.interpreter import run_function
from mlirad.ir.call_graph import functions_of
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.passes.bulk_operations import BulkOperationsPass, is_bulk_normal_form

POWER = """
func.func @power(%x: f64, %n: i64) -> f64 {
  %zero = array.constant 0 : i64
  %c = array.compare eq %n, %zero : i64, i64 -> i1
  %r = array.if %c : i1 -> f64 {
    %u = array.constant 1.0 : f64
    array.yield %u : f64
  } else {
    %one = array.constant 1 : i64
    %m = array.sub %n, %one : i64
    %p = func.call @power(%x, %m) : (f64, i64) -> f64
    %q = array.mul %x, %p : f64
    array.yield %q : f64
  }
  func.return %r : f64
}
"""

ARGUMENTS = [np.array([1.5, -2.0, np.nan, 0.5]), np.array([3, 0, 5, 1]), 3, 0.7]


def bulk(text: str) -> tuple[ModuleOp, ModuleOp]:
    """The module, and what the pass makes of it."""
    source = parse_module(text)
    module = source.clone()
    BulkOperationsPass().apply(Context(), module)
    verify_module(module)
    assert all(is_bulk_normal_form(f) for f in functions_of(module))
    return source, module


def check(body: str, result: str) -> ModuleOp:
    """A function whose arguments are named x, n, k and y."""
    source, module = bulk(
        f"""{POWER}
        func.func @f(%x: tensor<4xf64>, %n: tensor<4xi64>, %k: i64, %y: f64) -> {result} {{
          {body}
          func.return %r : {result}
        }}"""
    )
    assert not any(op.name == "array.build" for op in module.walk())
    expected = run_function(source, ARGUMENTS, function="f")
    for x, y in zip(run_function(module, ARGUMENTS, function="f"), expected, strict=True):
        np.testing.assert_allclose(x, y)
    return module


@pytest.mark.parametrize("base", ["%u", "%y"])
@pytest.mark.parametrize("exponent", ["%m", "%k"])
def test_a_recursive_function_is_called_on_a_batch(base: str, exponent: str) -> None:
    """As deep as the member that goes deepest."""
    check(
        f"""%r = array.build (%i) : -> tensor<4xf64> {{
            %u = array.index %x[%i] : tensor<4xf64> -> f64
            %m = array.index %n[%i] : tensor<4xi64> -> i64
            %p = func.call @power({base}, {exponent}) : (f64, i64) -> f64
            array.yield %p : f64
          }}""",
        "tensor<4xf64>",
    )


def test_a_pattern_of_batched_arguments_is_made_once() -> None:
    module = check(
        """%r = array.build (%i, %j) : -> tensor<4x4xf64> {
            %u = array.index %x[%i] : tensor<4xf64> -> f64
            %m = array.index %n[%j] : tensor<4xi64> -> i64
            %p = func.call @power(%u, %m) : (f64, i64) -> f64
            %q = func.call @power(%p, %m) : (f64, i64) -> f64
            array.yield %q : f64
          }""",
        "tensor<4x4xf64>",
    )
    assert len(functions_of(module)) == 3


@pytest.mark.parametrize("sign", ["lt", "gt"])
def test_a_call_is_made_if_some_member_makes_it(sign: str) -> None:
    """Below 0 the recursion has no end: no member may start it there."""
    check(
        f"""%zero = array.constant 0 : i64
          %minus = array.constant -1 : i64
          %r = array.build (%i) : -> tensor<4xf64> {{
            %u = array.index %x[%i] : tensor<4xf64> -> f64
            %m = array.index %n[%i] : tensor<4xi64> -> i64
            %l = array.mul %m, %minus : i64
            %t = array.compare {sign} %l, %zero : i64, i64 -> i1
            %p = array.if %t : i1 -> f64 {{
              %w = array.sub %zero, %l : i64
              %p = func.call @power(%u, %w) : (f64, i64) -> f64
              array.yield %p : f64
            }} else {{
              array.yield %u : f64
            }}
            array.yield %p : f64
          }}""",
        "tensor<4xf64>",
    )


def test_recursion_through_builds_ends_with_an_error() -> None:
    with pytest.raises(UnsupportedError, match="inside more and more builds"):
        bulk(
            """func.func @f(%x: f64) -> f64 {
              %r = array.build (%i) : -> tensor<2xf64> {
                %u = array.convert %i : i64 -> f64
                %y = array.add %u, %x : f64
                %p = func.call @f(%y) : (f64) -> f64
                array.yield %p : f64
              }
              %s = array.sum %r {dims = [0]} : tensor<2xf64> -> f64
              func.return %s : f64
            }"""
        )
