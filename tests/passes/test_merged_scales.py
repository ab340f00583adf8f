"""Chains of scalings in loops keep one residual, and mean what they meant."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import mlirad as ad
from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.shapes import size_of
from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from mlirad.pipelines import expansion
from tests.passes.derivatives import run_passes


def program(body: str, n: int) -> str:
    return f"""
func.func @f(%x: f64) -> f64 {{
  %c = array.scan %x (%i, %a : f64) {{carries = 1, length = {n}}} : f64 -> f64 {{
    {body}
  }}
  func.return %c : f64
}}"""


CHAIN = """
    %b = array.sin %a : f64
    %d = array.exp %b : f64
    %e = array.tanh %d : f64
    array.yield %e : f64"""
"""Nothing between sine and tanh is read twice by the maps: the product of three slopes is kept."""

FORK = """
    %b = array.sin %a : f64
    %d = array.exp %b : f64
    %e = array.mul %d, %b : f64
    array.yield %e : f64"""
"""The tangent map of d is read twice, which ends the chain from there: kept are d cos a and b."""

SHARED = """
    %b = array.sin %a : f64
    %d = array.mul %b, %a : f64
    %e = array.exp %d : f64
    %g = array.mul %e, %a : f64
    array.yield %g : f64"""
"""Both slopes of the chain that ends in g, a and e, are read by other maps as well: nothing to gain there."""


def differentiated(text: str, method: str) -> ModuleOp:
    """The module with @f_grad, by a method."""
    return run_passes(parse_module(text), f"differentiate,{','.join(expansion(method))}")


def stacked_values(text: str, iterations: int, method: str) -> int:
    """The number of values per iteration that the gradient keeps."""
    module = differentiated(text, method)
    scans = [op for op in module.walk() if isinstance(op, ScanOp)]
    return sum(size_of(y) for op in scans for y in op.stacked) // iterations


def gradient(text: str, x: float, method: str) -> float:
    found = run_function(differentiated(text, method), [x], function="f_grad")
    return float(np.ravel(found)[-1])


@pytest.mark.parametrize(
    ("body", "method", "count"),
    [
        (CHAIN, "dual-arrays", 1),
        (CHAIN, "chad", 1),
        (FORK, "dual-arrays", 2),
        (SHARED, "dual-arrays", 4),
    ],
)
def test_what_is_kept(body, method, count):
    assert stacked_values(program(body, 9), 9, method) == count
    text, x, h = program(body, 2), 0.4, 1e-6
    below, above = (np.ravel(run_function(parse_module(text), [x + e], function="f"))[0] for e in (-h, h))
    assert gradient(text, x, method) == pytest.approx((above - below) / (2 * h), rel=1e-6)


@pytest.mark.parametrize("evaluator", [{}, {"interpret": True}, {"method": "chad", "interpret": True}])
def test_a_zero_in_a_chain_absorbs_an_infinite_slope(evaluator):
    def f(x):
        return ad.fori_loop(0, 3, lambda _, a: np.sqrt(a * a) * 0.5, x)

    assert ad.grad(f, **evaluator)(0.0) == 0.0
    assert ad.grad(f, **evaluator)(-2.0) == pytest.approx(-0.125)


@pytest.mark.parametrize("evaluator", [{}, {"interpret": True}, {"method": "chad", "interpret": True}])
def test_a_gate_keeps_its_product(evaluator):
    rng = np.random.default_rng(0)
    w, e = rng.normal(size=(2, 5))

    def gates(w, e):
        return ad.fori_loop(0, 4, lambda _, cell: cell / (1 + np.exp(-w * cell)), e)

    def unrolled(w, e):
        for _ in range(4):
            e = e / (1 + np.exp(-w * e))
        return e

    found = ad.grad(lambda w, e: np.sum(gates(w, e)), argnums=(0, 1), **evaluator)(w, e)
    expected = ad.grad(lambda w, e: np.sum(unrolled(w, e)), argnums=(0, 1), **evaluator)(w, e)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    ad.check_derivatives(lambda w, e: np.sum(gates(w, e)), w, e)


@pytest.mark.parametrize("method", ["dual-arrays", "jacobian", "chad"])
def test_a_merged_scaling_overflows_where_the_cotangent_does(method):
    """Factors whose product leaves the range of floats, though no product with the cotangent does."""
    far = lambda x, a, b, c: ((x * a) * b) * c  # noqa: E731
    assert ad.grad(far, method=method)(0.5, 1e200, 1e200, 1e-300) == pytest.approx(1e100)
    assert ad.grad(lambda x: ((x * 1e200) * 1e200) * 1e-300, method=method)(0.5) == pytest.approx(1e100)
    assert ad.grad(lambda x: ((x / 1e200) / 1e200) * 1e300, method=method)(0.5) == pytest.approx(1e-100)


def test_the_cotangent_of_ldexp_meets_one_factor_after_the_other():
    for x, exponent, cotangent in [(0.5, 1024, 2.0**-10), (1e10, -1060, 2.0**50), (0.5, 1060, 2.0**-200)]:
        (found,) = ad.vjp(lambda x, e=exponent: np.ldexp(x, e), x)[1](cotangent)
        assert found == np.ldexp(cotangent, exponent)
        tangent = ad.jvp(lambda x, e=exponent: np.ldexp(x, e), (x,), (cotangent,))[1]
        assert tangent == np.ldexp(cotangent, exponent)
    small = np.float32(2.0**-20)
    (found,) = ad.vjp(lambda x: np.ldexp(x, 140), np.float32(0.5))[1](small)
    assert found == np.ldexp(small, 140)
