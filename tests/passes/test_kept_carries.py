"""A loop keeps its carries where that is less than what cheap arithmetic makes of them."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from examples.programs import ode
from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.shapes import size_of
from mlirad.ir.parsing import parse_module


def kept_per_iteration(function, *args) -> int:
    """The elements that the gradient's loop stacks in each iteration."""
    module = parse_module(ad.grad(function).ir(*args, after="lower-custom-derivatives"))
    scans = [op for op in module.walk() if isinstance(op, ScanOp)]
    return max(sum(size_of(y) for y in op.stacked) // op.iterations for op in scans)


def test_a_runge_kutta_step_keeps_its_state():
    x = ode.random_instance(6)
    assert kept_per_iteration(lambda x: ode.last_component(x, 5), x) == 6


def test_one_value_is_kept_rather_than_one_carry():
    """x sin'(a x) has one value to keep; the carry would be no less."""
    x = np.ones(6)
    assert (
        kept_per_iteration(lambda x: np.sum(ad.fori_loop(0, 5, lambda _, a: np.sin(a * a + a), x)), x) <= 12
    )


def test_long_arithmetic_is_not_repeated():
    def far(a):
        for k in range(20):
            a = a * 1.01 + k
        return a * a

    x = np.full(3, 0.1)
    assert kept_per_iteration(lambda x: np.sum(ad.fori_loop(0, 2, lambda _, a: far(far(a)), x)), x) == 6


def test_factors_are_kept_rather_than_their_product():
    """The map of `m @ u` has m: as a sum of two outer products it is made again, as one of 16 kept."""
    n = 5
    u, v = np.random.default_rng(0).normal(size=(2, n, 2))

    def f(u, v):
        def step(_, uv):
            u, v = uv
            m = u @ v.T
            return np.sin(m @ u), np.cos(v)

        return np.sum(ad.fori_loop(0, 3, step, (u, v))[0])

    def long(u, w):
        def step(_, u):
            m = np.concatenate([u] * 8, axis=1) @ w
            return np.sin(m @ u)

        return np.sum(ad.fori_loop(0, 3, step, u))

    w = np.ones((16, n))
    assert kept_per_iteration(f, u, v) == 3 * u.size
    assert kept_per_iteration(long, u, w) == 2 * u.size + n * n
    ad.check_derivatives(f, u, v)


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
