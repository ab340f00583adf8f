"""Functions of structures in SciPy's solvers: minimisers, least squares, roots, stiff equations."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize

import mlirad as ad

C = np.arange(3.0)
X0 = {"a": np.ones((1, 3)), "b": 1.0}


def bowl(x, c):
    return np.sum((x["a"] - c) ** 2) + (x["b"] + 1) ** 2 + 0.1 * x["b"] ** 4


@pytest.fixture(scope="module")
def problem():
    return ad.scipy.objective(bowl, X0, C)


def test_minimisers(problem):
    for method, more in (
        ("BFGS", {"jac": problem.jac}),
        ("trust-ncg", {"jac": problem.jac, "hess": problem.hess}),
        ("Newton-CG", {"jac": problem.jac, "hessp": problem.hessp}),
    ):
        found = scipy.optimize.minimize(problem.fun, problem.x0, method=method, **more)
        np.testing.assert_allclose(problem.unflatten(found.x)["a"], [C], atol=1e-4)


def test_derivatives_are_those_of_the_function(problem):
    x = np.array([0.5, 1.5, 2.5, -0.3])
    np.testing.assert_allclose(problem.jac(x), scipy.optimize.approx_fprime(x, problem.fun, 1e-7), rtol=1e-5)
    np.testing.assert_allclose(problem.hess(x) @ x, problem.hessp(x, x), rtol=1e-12)
    np.testing.assert_array_equal(problem.flatten(problem.unflatten(x)), x)


def test_value_and_slope_at_a_point_are_computed_together(problem, monkeypatch):
    calls = []

    class Counted:
        captured_key = problem._both.captured_key

        def __call__(self, *args, compute=problem._both):
            calls.append(args)
            return compute(*args)

    monkeypatch.setattr(problem, "_both", Counted())
    x = np.full(4, 0.25)
    value, slope = problem.fun(x), problem.jac(x)
    assert len(calls) == 1
    assert (problem.jac(x) == slope).all() and problem.fun(x) == value
    assert len(calls) == 2
    x[0] = 1.0
    assert problem.jac(x)[0] != slope[0]
    assert len(calls) == 3


def test_what_the_function_reads_may_change_between_value_and_slope():
    scale = {"s": 1.0}
    read = ad.scipy.objective(lambda x: scale["s"] * np.sum(x**2), np.ones(2))
    x = np.array([1.0, 2.0])
    assert read.fun(x) == 5.0
    scale["s"] = 3.0
    np.testing.assert_array_equal(read.jac(x), 6.0 * x)
    assert read.fun(x) == 15.0


def test_least_squares_and_roots():
    line = ad.scipy.objective(
        lambda p, t, y: {"r": p["k"] * t + p["d"] - y}, {"k": 0.0, "d": 0.0}, C, 2 * C + 1
    )
    found = scipy.optimize.least_squares(line.fun, line.x0, jac=line.jac)
    assert line.unflatten(found.x) == {"k": pytest.approx(2.0), "d": pytest.approx(1.0)}
    circle = ad.scipy.objective(lambda x: (x[0] ** 2 + x[1] ** 2 - 1, x[0] - x[1]), np.array([1.0, 0.5]))
    found = scipy.optimize.root(circle.fun, circle.x0, jac=circle.jac)
    np.testing.assert_allclose(found.x, np.sqrt([0.5, 0.5]), rtol=1e-9)


def test_a_stiff_equation():
    def oscillator(y, t, m):
        return {"x": y["v"], "v": m * (1 - y["x"] ** 2) * y["v"] - y["x"]}

    system = ad.scipy.system(oscillator, {"x": 2.0, "v": 0.0}, 100.0)
    found = scipy.integrate.solve_ivp(system.fun, (0, 10), system.y0, jac=system.jac, method="BDF")
    assert found.success
    assert found.nfev < 200
    states = system.unflatten(found.y)
    assert states["x"].shape == found.t.shape
    assert system.unflatten(found.y[:, :0])["x"].shape == (0,)
    assert states["x"][-1] == system.unflatten(found.y[:, -1])["x"]


MISTAKES = {
    "integers": (ad.DtypeError, lambda _: ad.scipy.objective(np.sum, np.arange(3))),
    "no function": (ad.ArgumentError, lambda _: ad.scipy.objective(1.0, C)),
    "a vector": (ad.ShapeError, lambda p: p.fun(np.ones(3))),
    "no vector": (ad.DtypeError, lambda p: p.fun("x")),
    "no scalar": (ad.ShapeError, lambda _: ad.scipy.objective(lambda x: x, C).hess(C)),
    "a trace": (ad.TracingError, lambda _: ad.jit(lambda x: ad.scipy.objective(np.sum, x).fun(x))(C)),
    "another structure": (ad.ShapeError, lambda _: ad.scipy.system(lambda y, t: y[:1], C).fun(0.0, C)),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told_at_the_users_line(name, problem):
    error, call = MISTAKES[name]
    with pytest.raises(error) as caught:
        call(problem)
    assert __file__ in caught.value.location
