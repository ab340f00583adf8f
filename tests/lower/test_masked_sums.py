"""Sums of few terms: found where a minimum or maximum is differentiated, made by looking for these terms."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.func import FuncOp

from mlirad.dialects.kernel import ScatterOp
from mlirad.interpreter import run_function
from mlirad.ir.builder import yields
from mlirad.lower.kernels.form_kernels import form_kernels
from mlirad.lower.kernels.form_kernels.masked_sums import LEAST_EXTENT
from tests.lower.emission import run
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


@pytest.mark.parametrize(("dims", "searched"), [([1], True), ([0], False), ([0, 1], False)])
@pytest.mark.parametrize("n", [1, 9, 40])
def test_a_minimum_that_is_attained_once_is_not_searched_for(
    n: int, dims: list[int], *, searched: bool
) -> None:
    """The sums over the dimension along which terms are looked for tell where they are."""
    shape, least = (n, 24), [e for d, e in enumerate((n, 24)) if d not in dims]
    if np.prod([shape[d] for d in dims]) < LEAST_EXTENT:
        pytest.skip("the minimum of few elements")
    t, m = f"tensor<{n}x24xf64>", f"tensor<{'x'.join(map(str, least))}xf64>" if least else "f64"
    kept = [d for d in range(2) if d not in dims]
    text = f"""
    func.func @f(%x: {t}, %y: tensor<3x{n}x24xf64>) -> {t} {{
      %m = array.reduce min %x {{dims = {dims}}} : {t} -> {m}
      %s = array.broadcast %m {{dims = {kept}}} : {m} -> {t}
      %c = array.compare eq %x, %s : {t}, {t} -> tensor<{n}x24xi1>
      %zero = array.constant 0.0 : f64
      %zeros = array.broadcast %zero {{dims = []}} : f64 -> {t}
      %g = array.select %c, %x, %zeros : tensor<{n}x24xi1>, {t}, {t} -> {t}
      %b = array.broadcast %g {{dims = [1, 2]}} : {t} -> tensor<3x{n}x24xf64>
      %p = array.absorbing_mul %y, %b : tensor<3x{n}x24xf64>
      %r = array.sum %p {{dims = [0]}} : tensor<3x{n}x24xf64> -> {t}
      func.return %r : {t}
    }}
    """
    generator = np.random.default_rng(n)
    x, y = generator.integers(0, 30, shape).astype(np.float64), generator.normal(size=(3, *shape))
    x[0, 5] = np.nan
    (scatter,) = masked_scatters(check(text, x, y))
    assert (len(yields(scatter.body)) == 5) == searched


def test_a_wrong_only_iteration_reads_nothing_outside() -> None:
    """Kernels in files may state anything: what is found obeys the guard, inside of the loop."""
    text = """
    func.func @main(%x: tensor<9xf64>, %k: tensor<4xi64>) -> tensor<9xf64> {
      %y = kernel.scatter add %x, %k (%i, %j) {space = [4, 9], from_zero, masked}
        : tensor<9xf64>, tensor<4xi64> -> tensor<9xf64> {
        %a = kernel.load %x[%j] : tensor<9xf64> -> f64
        %p = kernel.load %k[%i] : tensor<4xi64> -> i64
        %z = array.constant 0.0 : f64
        %g = array.compare gt %a, %z : f64, f64 -> i1
        array.yield %a, %j, %g, %p : f64, i64, i1, i64
      }
      func.return %y : tensor<9xf64>
    }"""
    x = np.array([0.0, -1, 2, -3, 0, -5, 0, 0, 0])
    (y,) = run(text, x, np.array([2, -1, 9, 2**62]), checks=True)
    np.testing.assert_array_equal(y, np.where(x > 0, 4 * x, 0))


def test_loops_that_read_one_condition() -> None:
    """The values that tell where it holds are made in each loop: neither sees those of the other."""
    t, wide = "tensor<4x9xf64>", "tensor<2x4x9xf64>"
    row = "tensor<9xf64>"
    loop = f"""
      %{{0}}, %{{0}}s = array.scan %start, %y (%{{0}}i, %{{0}}c: {row}, %{{0}}e: {t})
          {{{{carries = 1, length = 2}}}} : {row}, {wide} -> ({row}, tensor<2x9xf64>) {{{{
        %{{0}}g = array.select %c, %{{0}}e, %zeros : tensor<4x9xi1>, {t}, {t} -> {t}
        %{{0}}r = array.sum %{{0}}g {{{{dims = [0]}}}} : {t} -> {row}
        %{{0}}h = array.reduce {{1}} %{{0}}e {{{{dims = [0]}}}} : {t} -> {row}
        %{{0}}t = array.add %{{0}}h, %{{0}}r : {row}
        array.yield %{{0}}t, %{{0}}r : {row}, {row}
      }}}}"""
    text = f"""
    func.func @f(%x: {t}, %y: {wide}, %start: tensor<9xf64>) -> (tensor<9xf64>, tensor<9xf64>) {{
      %m = array.reduce min %x {{dims = [1]}} : {t} -> tensor<4xf64>
      %s = array.broadcast %m {{dims = [0]}} : tensor<4xf64> -> {t}
      %c = array.compare eq %x, %s : {t}, {t} -> tensor<4x9xi1>
      %zero = array.constant 0.0 : f64
      %zeros = array.broadcast %zero {{dims = []}} : f64 -> {t}
      {loop.format("a", "max")}
      {loop.format("b", "min")}
      func.return %a, %b : tensor<9xf64>, tensor<9xf64>
    }}"""
    generator = np.random.default_rng(3)
    x, y = generator.normal(size=(4, 9)), generator.normal(size=(2, 4, 9))
    assert len(masked_scatters(check(text, x, y, np.ones(9)))) == 2
