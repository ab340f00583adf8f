"""Scatters leave loops: values stay, carries get smaller, and what varies with the iteration stays inside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import mlirad as ad
from mlirad.dialects.array.control import ReplayOp, ScanOp
from mlirad.dialects.array.custom import CUSTOM_OPS
from mlirad.dialects.array.indexing import BuildOp, ScatterOp, UpdateOp
from mlirad.dialects.array.structural import PadOp
from mlirad.dialects.shapes import shape_of
from mlirad.interpreter import run_function
from mlirad.ir.verification import verify_module
from mlirad.passes.sink_scatter_adds import SinkScatterAddsPass
from tests.generators.programs import random_program
from tests.lower.loops import function
from tests.lower.test_kernel_passes import arguments


def sunk(f: FuncOp) -> FuncOp:
    result = SinkScatterAddsPass().transform(f, ModuleOp([]))
    verify_module(ModuleOp([result.clone()]))
    return result


def scatters_in_loops(f: FuncOp) -> int:
    loops = [op for op in f.walk() if isinstance(op, ScanOp | ReplayOp)]
    return sum(isinstance(op, UpdateOp | ScatterOp | PadOp) for loop in loops for op in loop.body.walk())


def check(text: str, *args: Any) -> FuncOp:
    f = function(text)
    new = sunk(f)
    for got, want in zip(run_function(new, list(args)), run_function(f, list(args)), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)
    return new


def accumulation(body: str, captured: str = "") -> str:
    """A loop that computes %v [3] and %e and adds to %a [4, 6] by `body`, which makes %n."""
    return f"""
    func.func @f(%g: tensor<4x6xf64>, %xs: tensor<5x3xf64>{captured}) -> (tensor<4x6xf64>, tensor<3xf64>) {{
      %zero = array.constant 0.0 : f64
      %zeros = array.broadcast %zero {{dims = []}} : f64 -> tensor<3xf64>
      %r, %s = array.scan %g, %zeros, %xs (%i, %a: tensor<4x6xf64>, %c: tensor<3xf64>, %x: tensor<3xf64>)
          {{carries = 2, length = 5}}
          : tensor<4x6xf64>, tensor<3xf64>, tensor<5x3xf64> -> (tensor<4x6xf64>, tensor<3xf64>) {{
        %v = array.sin %x : tensor<3xf64>
        %d = array.add %c, %v : tensor<3xf64>
        {body}
        array.yield %n, %d : tensor<4x6xf64>, tensor<3xf64>
      }}
      func.return %r, %s : tensor<4x6xf64>, tensor<3xf64>
    }}
    """


ROW = """
        %low = array.pad %v, %zero {low = [2], high = [1], interior = [0]}
            : tensor<3xf64>, f64 -> tensor<6xf64>
        %one = array.constant 1 : i64
        %m = array.update add %a, %low () : tensor<4x6xf64>, tensor<6xf64> -> tensor<4x6xf64> {
          array.yield %one : i64
        }
        %w = array.exp %x : tensor<3xf64>
        %n = array.update add %m, %w (%k) : tensor<4x6xf64>, tensor<3xf64> -> tensor<4x6xf64> {
          array.yield %one, %k : i64, i64
        }
"""


def test_sums_of_parts_are_carried() -> None:
    generator = np.random.default_rng(0)
    new = check(accumulation(ROW), generator.normal(size=(4, 6)), generator.normal(size=(5, 3)))
    assert scatters_in_loops(new) == 0
    (loop,) = (op for op in new.walk() if isinstance(op, ScanOp))
    assert [shape_of(v) for v in loop.init] == [(3,), (3,), (3,)]


def test_positions_that_vary_stay() -> None:
    body = """
        %n = array.update add %a, %v (%k) : tensor<4x6xf64>, tensor<3xf64> -> tensor<4x6xf64> {
          array.yield %i, %k : i64, i64
        }
    """
    new = check(accumulation(body), np.ones((4, 6)), np.ones((5, 3)))
    assert scatters_in_loops(new) == 1


def test_positions_from_outside_leave() -> None:
    body = """
        %n = array.update add %a, %v (%k) : tensor<4x6xf64>, tensor<3xf64> -> tensor<4x6xf64> {
          %q = array.index %p[%k] : tensor<3xi64> -> i64
          array.yield %q, %k : i64, i64
        }
    """
    text = accumulation(body, ", %p: tensor<3xi64>")
    assert scatters_in_loops(check(text, np.ones((4, 6)), np.ones((5, 3)), np.array([2, 0, 9]))) == 0


@pytest.mark.parametrize(
    "body",
    [
        # the carry is read elsewhere
        ROW.replace("%n =", "%o =") + "%q = array.mul %a, %o : tensor<4x6xf64>\n"
        "%n = array.add %o, %q : tensor<4x6xf64>",
        # it is scaled
        ROW.replace("%n =", "%o =") + "%n = array.mul %o, %o : tensor<4x6xf64>",
        # it is overwritten
        ROW.replace("update add %a", "update set %a"),
    ],
)
def test_what_is_no_sum_stays(body: str) -> None:
    generator = np.random.default_rng(0)
    new = check(accumulation(body), generator.normal(size=(4, 6)), generator.normal(size=(5, 3)))
    assert scatters_in_loops(new) > 0


def test_nested_loops_hand_the_scatter_outwards() -> None:
    text = """
    func.func @f(%g: tensor<4x6xf64>, %ys: tensor<2x5x3xf64>) -> tensor<4x6xf64> {
      %zero = array.constant 0.0 : f64
      %r = array.scan %g, %ys (%j, %b: tensor<4x6xf64>, %xs: tensor<5x3xf64>) {carries = 1, length = 2}
          : tensor<4x6xf64>, tensor<2x5x3xf64> -> tensor<4x6xf64> {
        %q = array.scan %b, %xs (%i, %a: tensor<4x6xf64>, %x: tensor<3xf64>) {carries = 1, length = 5}
            : tensor<4x6xf64>, tensor<5x3xf64> -> tensor<4x6xf64> {
          %v = array.sin %x : tensor<3xf64>
          BODY
          array.yield %n : tensor<4x6xf64>
        }
        array.yield %q : tensor<4x6xf64>
      }
      func.return %r : tensor<4x6xf64>
    }
    """
    generator = np.random.default_rng(0)
    args = generator.normal(size=(4, 6)), generator.normal(size=(2, 5, 3))
    assert scatters_in_loops(check(text.replace("BODY", ROW), *args)) == 0


def test_the_gradient_of_a_network_adds_vectors_in_its_loop() -> None:
    def step(weights: Any) -> Callable[..., Any]:
        def apply(carry: Any, x: Any) -> Any:
            h, total = carry
            a, b = np.split(weights[0], 2)
            h = np.tanh(a * h + b * x + weights[1, :4])
            return h, total + np.sum(h)

        return apply

    def loss(weights: Any, xs: Any) -> Any:
        h, total = ad.fold(step(weights), (np.zeros(4), 0.0), xs)
        return np.sum(h**2) + total

    generator = np.random.default_rng(0)
    weights, xs = generator.normal(size=(3, 8)), generator.normal(size=(10, 4))
    gradient = ad.grad(loss)(weights, xs)
    value = ad.jit(loss)
    step_size = 1e-6
    for place in [(0, 0), (0, 7), (1, 3), (1, 5), (2, 2)]:
        shift = np.zeros_like(weights)
        shift[place] = step_size
        slope = (value(weights + shift, xs) - value(weights - shift, xs)) / (2 * step_size)
        np.testing.assert_allclose(gradient[place], slope, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("seed", range(25))
def test_random_programs_keep_their_results(seed: int) -> None:
    program = random_program(seed, 14, allow=lambda op_class: op_class not in (BuildOp, *CUSTOM_OPS))
    main = next(op for op in program.body.block.ops if isinstance(op, FuncOp))
    args = arguments(main, seed)
    for got, want in zip(run_function(sunk(main), args), run_function(main, args), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)
