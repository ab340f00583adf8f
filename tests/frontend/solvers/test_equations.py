"""`root`, `fixed_point` and `minimize`: values against SciPy and closed forms, derivatives against closed
forms, differences, unrolled iterations and each other."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize

import mlirad as ad

A = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])
B = np.array([1.0, -2.0, 0.5])


def cubic(a):
    """The root of x³ + x = a."""
    return ad.root(lambda x: x**3 + x - a, 1.0)


def orders_of_cubic(x):
    """The first three derivatives of the root x by a, by differentiating x³ + x = a."""
    s = 3 * x**2 + 1
    return 1 / s, -6 * x / s**3, (-6 * s + 108 * x**2) / s**5


def system(p):
    """Two equations in a dictionary, with a parameter that is captured and one that is passed."""
    start = {"x": np.ones(2), "y": 0.5}

    def residual(v, c):
        return {"x": np.tanh(v["x"]) * p["w"] + v["x"] - c, "y": v["y"] - np.sum(v["x"]) * p["s"]}

    found = ad.root(residual, start, p["c"])
    return np.sum(found["x"] ** 2) + found["y"]


P = {"w": np.array([0.3, 0.7]), "s": 0.4, "c": np.array([1.0, 2.0])}


# Roots -------------------------------------------------------------------------------------------


def test_derivatives_of_every_order():
    expected = orders_of_cubic(1.0)
    both = ad.value_and_grad(lambda a: (ad.grad(cubic)(a), cubic(a)), has_aux=True)
    (first, value), second = both(2.0)
    assert value == pytest.approx(1.0, rel=1e-14)
    assert first == pytest.approx(expected[0], rel=1e-12)
    assert second == pytest.approx(expected[1], rel=1e-12)


@pytest.mark.fuzz
def test_third_derivatives_and_mixed_modes():
    assert ad.grad(ad.grad(ad.grad(cubic)))(2.0) == pytest.approx(orders_of_cubic(1.0)[2], rel=1e-11)
    assert ad.jacfwd(ad.jacfwd(cubic))(2.0) == pytest.approx(orders_of_cubic(1.0)[1], rel=1e-12)
    assert ad.jacfwd(ad.grad(cubic))(2.0) == pytest.approx(orders_of_cubic(1.0)[1], rel=1e-12)


@pytest.mark.parametrize("options", [{"method": "jacobian"}, {"method": "chad"}, {"interpret": True}])
def test_methods_agree(options):
    np.testing.assert_allclose(ad.grad(cubic, **options)(2.0), 0.25, rtol=1e-12)


@pytest.mark.fuzz
@pytest.mark.parametrize("options", [{"method": "jacobian"}, {"method": "chad"}, {"interpret": True}])
def test_methods_agree_on_second_derivatives(options):
    second = ad.jit(ad.grad(ad.grad(cubic)), **options)
    np.testing.assert_allclose(second(2.0), orders_of_cubic(1.0)[1], rtol=1e-11)


def test_structures_and_captured_parameters():
    both = ad.value_and_grad(system)
    slope = both(P)[1]
    for key in P:
        h = 1e-6
        moved = [both({**P, key: P[key] + s * h})[0] for s in (-1, 1)]
        assert np.sum(slope[key]) == pytest.approx((moved[1] - moved[0]) / (2 * h), rel=1e-7)


@pytest.mark.fuzz
def test_derivatives_of_structures_pass_the_check():
    ad.check_derivatives(system, P)


def test_batches():
    a = np.array([2.0, 10.0, -30.0])
    x, slope = ad.vmap(ad.value_and_grad(cubic))(a)
    np.testing.assert_allclose(x**3 + x, a, rtol=1e-12)
    np.testing.assert_allclose(slope, 1 / (3 * x**2 + 1), rtol=1e-12)


def test_a_root_far_from_the_start_is_found_by_shorter_steps():
    found = ad.root(np.arctan, 20.0)  # where whole steps diverge
    assert abs(found) < 1e-10


def test_roots_are_those_of_scipy():
    def f(x):
        return np.stack([x[0] + 0.5 * (x[0] - x[1]) ** 3 - 1.0, 0.5 * (x[1] - x[0]) ** 3 + x[1]])

    expected = scipy.optimize.root(f, np.zeros(2)).x
    np.testing.assert_allclose(ad.root(f, np.zeros(2)), expected, rtol=1e-8)


def test_float32_stays():
    root = ad.root(lambda x, a: x * x - a, np.ones(2, np.float32), np.array([2.0, 3.0], np.float32))
    assert root.dtype == np.float32
    np.testing.assert_allclose(root, np.sqrt([2.0, 3.0]), rtol=1e-6)


def test_a_solver_of_ones_own_is_not_differentiated():
    def bisection(f, start):
        def iteration(_, ends):
            middle = 0.5 * (ends[0] + ends[1])
            right = f(middle) > 0
            return np.where(right, ends[0], middle), np.where(right, middle, ends[1])

        return ad.fori_loop(0, 60, iteration, (0.0 * start, 0.0 * start + 10.0))[0]

    root = lambda a: ad.root(lambda x: x**3 + x - a, 1.0, solver=bisection)  # noqa: E731
    assert root(2.0) == pytest.approx(1.0, rel=1e-12)
    assert ad.grad(root)(2.0) == pytest.approx(0.25, rel=1e-12)


@pytest.mark.fuzz
@pytest.mark.parametrize("linear", ["gmres", "lsmr"])
def test_derivatives_without_the_jacobian(linear):
    def solution(c):
        return np.sum(ad.root(lambda x: A @ np.tanh(x) + x - c, np.zeros(3), linear=linear) ** 2)

    direct = lambda c: np.sum(ad.root(lambda x: A @ np.tanh(x) + x - c, np.zeros(3)) ** 2)  # noqa: E731
    np.testing.assert_allclose(ad.grad(solution)(B), ad.grad(direct)(B), rtol=1e-9)
    np.testing.assert_allclose(ad.jacfwd(solution)(B), ad.grad(direct)(B), rtol=1e-9)
    np.testing.assert_allclose(ad.hessian(solution)(B), ad.hessian(direct)(B), rtol=1e-8)


def test_how_it_ended():
    found = ad.root(lambda x: x * x + 1, 1.0, full_output=True, maxiter=7)
    assert not found.converged
    assert found.residual >= 1.0
    found = ad.root(lambda x: x * x - 2, 1.0, full_output=True)
    assert found.converged
    assert 3 < found.steps < 10
    assert found.residual < 1e-12


def test_nothing_unknown():
    assert ad.root(lambda x: x, np.zeros((0, 3))).shape == (0, 3)


# Fixed points ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["anderson", "plain"])
def test_fixed_points(method):
    point = lambda t: ad.fixed_point(lambda x: np.cos(t * x), 0.5, method=method)  # noqa: E731
    x, slope = ad.value_and_grad(point)(1.0)
    assert x == pytest.approx(np.cos(x), rel=1e-10)
    assert slope == pytest.approx(-np.sin(x) * x / (1 + np.sin(x)), rel=1e-8)


def test_anderson_takes_fewer_steps():
    steps = {
        method: ad.fixed_point(lambda x: np.cos(A @ x * 0.2) + B, B, method=method, full_output=True).steps
        for method in ("anderson", "plain")
    }
    assert steps["anderson"] < steps["plain"]


@pytest.mark.fuzz
def test_a_fixed_point_has_the_derivative_of_its_unrolled_iteration():
    g = lambda x, c: np.tanh(0.2 * A @ x + c)  # noqa: E731
    implicit = lambda c: np.sum(ad.fixed_point(g, np.zeros(3), c) ** 2)  # noqa: E731
    unrolled = lambda c: np.sum(ad.fori_loop(0, 200, lambda _, x: g(x, c), np.zeros(3)) ** 2)  # noqa: E731
    np.testing.assert_allclose(ad.grad(implicit)(B), ad.grad(unrolled)(B), rtol=1e-9)
    np.testing.assert_allclose(ad.hessian(implicit)(B), ad.hessian(unrolled)(B), rtol=1e-8)


# Minima ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["lbfgs", "newton"])
def test_the_argmin_of_a_quadratic(method):
    def argmin(b):
        x = ad.minimize(lambda x: 0.5 * x @ A @ x - b @ x, np.zeros(3), method=method)
        return x, x

    slope, x = ad.jacobian(argmin, has_aux=True)(B)
    np.testing.assert_allclose(x, np.linalg.solve(A, B), rtol=1e-8)
    np.testing.assert_allclose(slope, np.linalg.inv(A), rtol=1e-9)


@pytest.mark.parametrize("method", ["lbfgs", "newton"])
def test_minima_are_those_of_scipy(method):
    found = ad.minimize(rosenbrock, np.array([-1.2, 1.0, 0.5]), method=method)
    np.testing.assert_allclose(found, np.ones(3), rtol=1e-6)


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


@pytest.mark.fuzz
def test_hypergradients():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(20, 3)), rng.normal(size=20)

    def weights(penalty):
        return np.linalg.solve(x.T @ x + penalty * np.eye(3), x.T @ y)

    def fitted(penalty):
        loss = lambda w: 0.5 * np.sum((x @ w - y) ** 2) + 0.5 * penalty * w @ w  # noqa: E731
        return np.sum(ad.minimize(loss, np.zeros(3), method="newton") ** 2)

    closed = lambda penalty: np.sum(weights(penalty) ** 2)  # noqa: E731
    for order in (ad.grad, lambda f: ad.grad(ad.grad(f))):
        assert order(fitted)(2.0) == pytest.approx(order(closed)(2.0), rel=1e-9)


# Bad input ---------------------------------------------------------------------------------------


MISTAKES = {
    "no root": (ad.ConvergenceError, lambda: ad.root(lambda x: x * x + 1, 1.0)),
    "no fixed point": (ad.ConvergenceError, lambda: ad.fixed_point(lambda x: x + 1, 1.0, maxiter=20)),
    "no minimum": (ad.ConvergenceError, lambda: ad.minimize(lambda x: -x * x, 1.0, maxiter=20)),
    "NaN": (ad.ConvergenceError, lambda: ad.root(lambda x: x - np.nan, 1.0)),
    "integers": (ad.DtypeError, lambda: ad.root(lambda x: x * x, 1)),
    "another shape": (ad.ShapeError, lambda: ad.root(lambda x: x[:1], B)),
    "another structure": (ad.ShapeError, lambda: ad.fixed_point(lambda x: (x, x), B)),
    "no floats": (ad.DtypeError, lambda: ad.root(lambda x: x > 0, B)),
    "no scalar": (ad.ShapeError, lambda: ad.minimize(lambda x: x, B)),
    "a method": (ad.ArgumentError, lambda: ad.minimize(np.sum, B, method="simplex")),
    "a linear method": (ad.ArgumentError, lambda: ad.root(np.sin, 1.0, linear="qr")),
    "a tolerance": (ad.ArgumentError, lambda: ad.root(np.sin, 1.0, tol=-1.0)),
    "no function": (ad.ArgumentError, lambda: ad.root(1.0, 1.0)),
    "no solver": (ad.ArgumentError, lambda: ad.root(np.sin, 1.0, solver="newton")),
    "singular": (ad.LinearAlgebraError, lambda: ad.grad(flat_root)(2.0)),
    "singular and constant": (ad.LinearAlgebraError, lambda: ad.jacfwd(ad.grad(flat_root))(2.0)),
}


def flat_root(a):
    """A point on a line of roots."""
    return ad.root(lambda x: np.stack([x[0] - x[1] - a] * 2), np.ones(2), solver=lambda f, x: x * a)[0]


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told_at_the_users_line(name):
    error, call = MISTAKES[name]
    with pytest.raises(error) as caught:
        call()
    assert __file__ in caught.value.location
