"""A loop keeps its carries where that is less than what cheap arithmetic makes of them."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from examples.programs import ode
from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.shapes import size_of
from mlirad.ir.parsing import parse_module


def kept_per_trip(function, *args) -> int:
    """The elements that the gradient's loop stacks in each trip."""
    module = parse_module(ad.grad(function).ir(*args, after="lower-custom-derivatives"))
    scans = [op for op in module.walk() if isinstance(op, ScanOp)]
    return max(sum(size_of(y) for y in op.stacked) // op.trips for op in scans)


def test_a_runge_kutta_step_keeps_its_state():
    x = ode.random_instance(6)
    assert kept_per_trip(lambda x: ode.last_component(x, 5), x) == 6


def test_one_value_is_kept_rather_than_one_carry():
    """x sin'(a x) has one value to keep; the carry would be no less."""
    x = np.ones(6)
    assert kept_per_trip(lambda x: np.sum(ad.fori_loop(0, 5, lambda _, a: np.sin(a * a + a), x)), x) <= 12


def test_long_arithmetic_is_not_repeated():
    def far(a):
        for k in range(20):
            a = a * 1.01 + k
        return a * a

    x = np.full(3, 0.1)
    assert kept_per_trip(lambda x: np.sum(ad.fori_loop(0, 2, lambda _, a: far(far(a)), x)), x) == 6


@pytest.mark.parametrize("interpret", [False, True])
def test_figures_do_not_depend_on_what_is_kept(interpret):
    def solved(checkpoint):
        def f(x):
            def step(_, y):
                k1 = x * y
                k2 = x * (y + 0.1 * k1)
                return y + 0.1 * (k1 * k1 + k2 * k1)

            return np.sum(ad.fori_loop(0, 7, step, x, checkpoint=checkpoint))

        return f

    x = np.random.default_rng(0).uniform(size=5)
    found = ad.grad(solved("store"), interpret=interpret)(x)
    np.testing.assert_allclose(found, ad.grad(solved("recompute"), interpret=interpret)(x), rtol=1e-12)
    ad.check_derivatives(solved(None), x)
