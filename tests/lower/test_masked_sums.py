"""Sums of few terms: found where a minimum or maximum is differentiated, made by looking for these terms."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.func import FuncOp

from mlirad.dialects.kernel import ScatterOp
from mlirad.interpreter import run_function
from mlirad.lower.form_kernels import form_kernels
from tests.lower.loops import check, function


def nearest(n: int, k: int, d: int, *, kind: str = "min", element: str = "f64") -> str:
    """The gradient of sum_i min_j x[i, j] with a term per (i, j, q), and the weights alone."""
    t = f"tensor<{n}x{k}x{element}>"
    wide, out, row = f"tensor<{n}x{k}x{d}x{element}>", f"tensor<{k}x{d}x{element}>", f"tensor<{n}x{element}>"
    return f"""
    func.func @f(%x: {t}, %y: {wide}) -> ({out}, tensor<{k}x{element}>) {{
      %m = array.reduce {kind} %x {{dims = [1]}} : {t} -> {row}
      %s = array.broadcast %m {{dims = [0]}} : {row} -> {t}
      %c = array.compare eq %x, %s : {t}, {t} -> tensor<{n}x{k}xi1>
      %v = array.convert %c : tensor<{n}x{k}xi1> -> {t}
      %count = array.sum %v {{dims = [1]}} : {t} -> {row}
      %one = array.constant 1.0 : {element}
      %ones = array.broadcast %one {{dims = []}} : {element} -> {row}
      %share = array.div %ones, %count : {row}
      %w = array.broadcast %share {{dims = [0]}} : {row} -> {t}
      %zero = array.constant 0.0 : {element}
      %zeros = array.broadcast %zero {{dims = []}} : {element} -> {t}
      %g = array.select %c, %w, %zeros : tensor<{n}x{k}xi1>, {t}, {t} -> {t}
      %h = array.add %g, %g : {t}
      %b = array.broadcast %h {{dims = [0, 1]}} : {t} -> {wide}
      %p = array.absorbing_mul %y, %b : {wide}
      %r = array.sum %p {{dims = [0]}} : {wide} -> {out}
      %two = array.constant -2.0 : {element}
      %twos = array.broadcast %two {{dims = []}} : {element} -> {t}
      %half = array.constant 0.5 : {element}
      %halves = array.broadcast %half {{dims = []}} : {element} -> {t}
      %more = array.mul %g, %twos : {t}
      %neg = array.mul %halves, %more : {t}
      %u = array.sum %neg {{dims = [0]}} : {t} -> tensor<{k}x{element}>
      func.return %r, %u : {out}, tensor<{k}x{element}>
    }}
    """


def masked_scatters(f: FuncOp) -> list[ScatterOp]:
    return [op for op in f.walk() if isinstance(op, ScatterOp) and op.masked is not None]


@pytest.mark.parametrize(
    ("n", "k", "d"), [(1, 8, 1), (5, 9, 3), (7, 32, 8), (3, 33, 2), (6, 100, 5), (2, 31, 16), (4, 64, 1)]
)
@pytest.mark.parametrize("kind", ["min", "max"])
def test_terms_are_found(n: int, k: int, d: int, kind: str) -> None:
    generator = np.random.default_rng(n * k)
    x = generator.integers(0, 4, (n, k)).astype(np.float64)
    y = generator.normal(size=(n, k, d))
    planned = check(nearest(n, k, d, kind=kind), x, y)
    assert len(masked_scatters(planned)) == 2


def test_ties_share_and_odd_numbers_stay_apart() -> None:
    x = np.random.default_rng(0).normal(size=(6, 40))
    x[0] = 0.0
    x[1] = np.inf
    x[2, 5] = -np.inf
    x[3, 39] = x[3, 0] = x[3].min()
    y = np.ones((6, 40, 3))
    y[0, 1, 2] = np.nan
    y[2, 6] = np.inf
    check(nearest(6, 40, 3), x, y)


def test_single_precision() -> None:
    generator = np.random.default_rng(1)
    x, y = generator.normal(size=(9, 50)), generator.normal(size=(9, 50, 4))
    check(nearest(9, 50, 4, element="f32"), x.astype(np.float32), y.astype(np.float32), rtol=1e-6)


def test_other_sums_stay_nests() -> None:
    assert not masked_scatters(form_kernels(function(nearest(5, 4, 3))))
    plain = """
    func.func @f(%x: tensor<5x40xf64>, %y: tensor<5x40xf64>) -> tensor<40xf64> {
      %c = array.compare eq %x, %y : tensor<5x40xf64>, tensor<5x40xf64> -> tensor<5x40xi1>
      %zero = array.constant 0.0 : f64
      %zeros = array.broadcast %zero {dims = []} : f64 -> tensor<5x40xf64>
      %g = array.select %c, %x, %zeros
          : tensor<5x40xi1>, tensor<5x40xf64>, tensor<5x40xf64> -> tensor<5x40xf64>
      %s = array.sum %g {dims = [0]} : tensor<5x40xf64> -> tensor<40xf64>
      func.return %s : tensor<40xf64>
    }
    """
    assert not masked_scatters(form_kernels(function(plain)))


def test_the_convention_at_ties_holds() -> None:
    x: npt.NDArray[np.float64] = np.zeros((2, 10))
    x[1, 3] = -1.0
    want = np.full(10, -0.1)
    want[3] -= 1.0
    check(nearest(2, 10, 2), x, np.ones((2, 10, 2)))
    _, weights = run_function(function(nearest(2, 10, 2)), [x, np.ones((2, 10, 2))])
    np.testing.assert_allclose(weights, want)
