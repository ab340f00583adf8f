"""Chains of scalings in loops keep one residual, and mean what they meant."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.shapes import size_of
from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from tests.passes.test_control_differentiation import differentiated


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


def stacked_values(text: str, trips: int) -> int:
    """How many values per trip the gradient keeps."""
    module = differentiated(text, "f", (0,), "reverse")
    scans = [op for op in module.walk() if isinstance(op, ScanOp)]
    return sum(size_of(y) for op in scans for y in op.stacked) // trips


def gradient(text: str, x: float) -> float:
    found = run_function(differentiated(text, "f", (0,), "reverse"), [x], function="f_grad")
    return float(np.ravel(found)[-1])


@pytest.mark.parametrize(("body", "count"), [(CHAIN, 1), (FORK, 2), (SHARED, 4)])
def test_what_is_kept(body, count):
    assert stacked_values(program(body, 9), 9) == count
    text, x, h = program(body, 2), 0.4, 1e-6
    below, above = (np.ravel(run_function(parse_module(text), [x + e], function="f"))[0] for e in (-h, h))
    assert gradient(text, x) == pytest.approx((above - below) / (2 * h), rel=1e-6)


@pytest.mark.parametrize("interpret", [False, True])
def test_a_zero_in_a_chain_absorbs_an_infinite_slope(interpret):
    def f(x):
        return ad.fori_loop(0, 3, lambda _, a: np.sqrt(a * a) * 0.5, x)

    assert ad.grad(f, interpret=interpret)(0.0) == 0.0
    assert ad.grad(f, interpret=interpret)(-2.0) == pytest.approx(-0.125)


@pytest.mark.parametrize("interpret", [False, True])
def test_a_gate_keeps_its_product(interpret):
    rng = np.random.default_rng(0)
    w, e = rng.normal(size=(2, 5))

    def gates(w, e):
        return ad.fori_loop(0, 4, lambda _, cell: cell / (1 + np.exp(-w * cell)), e)

    def unrolled(w, e):
        for _ in range(4):
            e = e / (1 + np.exp(-w * e))
        return e

    found = ad.grad(lambda w, e: np.sum(gates(w, e)), argnums=(0, 1), interpret=interpret)(w, e)
    expected = ad.grad(lambda w, e: np.sum(unrolled(w, e)), argnums=(0, 1), interpret=interpret)(w, e)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    ad.check_derivatives(lambda w, e: np.sum(gates(w, e)), w, e)
