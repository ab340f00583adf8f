"""Derivatives of loops whose number of iterations depends on data, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad

both_evaluators = pytest.mark.parametrize("interpret", [False, True], ids=["compiled", "interpreted"])


def root(a, x):
    """The square root of a by Newton's method from x, to convergence."""

    def goes_on(state):
        before, x = state
        return np.abs(x - before) > 1e-15 * x

    def step(state):
        _, x = state
        return x, (x + a / x) / 2

    return ad.while_loop(goes_on, step, (0.0, x))[1]


@both_evaluators
@pytest.mark.parametrize("a", [2.0, 0.01, 1e6])
def test_newtons_method(a, interpret):
    value, (by_a, by_start) = ad.value_and_grad(root, argnums=(0, 1), interpret=interpret)(a, 1.0)
    assert value == pytest.approx(np.sqrt(a), rel=1e-14)
    assert by_a == pytest.approx(0.5 / np.sqrt(a), rel=1e-9)
    assert abs(by_start) < 1e-9
    _, forward = ad.jvp(lambda a: root(a, 1.0), (a,), (1.0,), interpret=interpret)
    assert forward == pytest.approx(0.5 / np.sqrt(a), rel=1e-9)


def decay(rate, start, tolerance=1e-10):
    """y(1) of y' = -rate y, y(0) = start, by steps of Heun's method that adapt to their error."""

    def goes_on(state):
        t, _, _ = state
        return t < 1.0

    def step(state):
        t, h, y = state
        h = np.minimum(h, 1.0 - t)
        k1 = -rate * y
        k2 = -rate * (y + h * k1)
        k3 = -rate * (y + h / 4 * (k1 + k2))
        third = y + h / 6 * (k1 + k2 + 4 * k3)
        error = np.abs(third - (y + h / 2 * (k1 + k2))) + 1e-300
        factor = np.clip(0.9 * (tolerance / error) ** (1 / 3), 0.2, 5.0)
        accepted = error <= tolerance
        return (
            np.where(accepted, t + h, t),
            ad.stop_gradient(h * factor),
            np.where(accepted, third, y),
        )

    return ad.while_loop(goes_on, step, (0.0, 0.1, start))[2]


@both_evaluators
@pytest.mark.parametrize("rate", [0.5, 3.0])
def test_an_adaptive_solver(rate, interpret):
    value, (by_rate, by_start) = ad.value_and_grad(decay, argnums=(0, 1), interpret=interpret)(rate, 2.0)
    exact = 2.0 * np.exp(-rate)
    assert value == pytest.approx(exact, rel=1e-6)
    assert by_rate == pytest.approx(-exact, rel=1e-5)
    assert by_start == pytest.approx(exact / 2, rel=1e-6)


@both_evaluators
@pytest.mark.parametrize("rate", [0.5, 3.0])
def test_second_derivatives_of_an_adaptive_solver(rate, interpret):
    exact = 2.0 * np.exp(-rate)
    along = lambda f: lambda r: ad.jvp(f, (r,), (1.0,))[1]  # noqa: E731
    coarse = 1e-8  # a fifth of the steps
    at = lambda r: decay(r, 2.0, coarse)  # noqa: E731
    for derivative in (ad.grad(ad.grad(at)), along(ad.grad(at)), ad.grad(along(at)), along(along(at))):
        assert ad.jit(derivative, interpret=interpret)(rate) == pytest.approx(exact, rel=1e-4)
    by_both = ad.grad(ad.grad(lambda r, start: decay(r, start, coarse), 0), 1, interpret=interpret)
    mixed = by_both(rate, 2.0)
    assert mixed == pytest.approx(-exact / 2, rel=1e-5)


@both_evaluators
def test_higher_derivatives_of_newtons_method(interpret):
    roots = lambda a: root(a, 1.0)  # noqa: E731
    third = ad.grad(ad.grad(ad.grad(roots)), interpret=interpret)(2.0)
    assert third == pytest.approx(3 / 8 * 2.0**-2.5, rel=1e-8)

    def total(a):
        return np.sum(ad.vmap(roots)(a)) * a[0]

    a = np.array([2.0, 3.0])
    second = -0.25 * a**-1.5
    expected = np.diag(second * a[0]) + np.outer([1, 0], 0.5 * a**-0.5) + np.outer(0.5 * a**-0.5, [1, 0])
    for hessian in (
        ad.hessian(total, interpret=interpret),
        ad.jacrev(ad.grad(total), interpret=interpret),
        ad.jacfwd(ad.grad(total), interpret=interpret),
    ):
        np.testing.assert_allclose(hessian(a), expected, rtol=1e-8)


@both_evaluators
def test_second_derivatives_of_loops_inside_loops_and_branches(interpret):
    def nested(x):
        def step(c, t):
            return ad.cond(t > 0, lambda: root(c + t, 1.0), lambda: c * x)

        return ad.fold(step, x, np.array([1.0, -1.0, 2.0]))

    def closed(x):
        return np.sqrt(np.sqrt(x + 1) * x + 2)

    first, second = ad.grad(closed)(1.3), ad.grad(ad.grad(closed))(1.3)
    assert ad.grad(nested, interpret=interpret)(1.3) == pytest.approx(first, rel=1e-9)
    assert ad.grad(ad.grad(nested), interpret=interpret)(1.3) == pytest.approx(second, rel=1e-8)
