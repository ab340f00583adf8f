"""`odeint`: values against closed forms and SciPy, both adjoints against each other and differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mlirad as ad
from mlirad.frontend.solvers.dormand_prince import DENSE, ERROR, NODES, STAGES

TIMES = np.linspace(0.0, 2.0, 5)
EXACT = {"rtol": 1e-10, "atol": 1e-12}
WEIGHTS = np.array([1.0, 2.0, 3.0])


def decay(y, t, k):
    return -k * y


def predators(y, t, p):
    """The equations of Lotka and Volterra."""
    u, v = y["u"], y["v"]
    return {"u": p[0] * u - p[1] * u * v, "v": p[2] * u * v - p[3] * v}


P = np.array([1.5, 1.0, 1.0, 3.0])
START = {"u": 1.0, "v": 1.0}


def test_the_tableau_is_consistent():
    for node, weights in zip(NODES, STAGES, strict=True):
        assert sum(weights) == pytest.approx(node, rel=1e-13)
    assert sum(ERROR) == pytest.approx(0, abs=1e-15)
    assert sum(DENSE) == pytest.approx(0, abs=1e-14)


def test_exponential_decay_forward_and_backward_in_time():
    y = ad.odeint(decay, np.array([1.0, 2.0]), TIMES, 2.0, **EXACT)
    np.testing.assert_allclose(y, np.exp(-2 * TIMES)[:, None] * [1, 2], rtol=1e-9)
    back = ad.odeint(decay, y[-1], TIMES[::-1], 2.0, **EXACT)
    np.testing.assert_allclose(back, y[::-1], rtol=1e-8)


def test_solutions_are_those_of_scipy():
    def flat(t, y):
        found = predators({"u": y[0], "v": y[1]}, t, P)
        return [found["u"], found["v"]]

    expected = solve_ivp(flat, (0, 2), [1.0, 1.0], t_eval=TIMES, **EXACT).y
    found = ad.odeint(predators, START, TIMES, P, **EXACT)
    np.testing.assert_allclose(found["u"], expected[0], rtol=1e-7)
    np.testing.assert_allclose(found["v"], expected[1], rtol=1e-7)


@pytest.mark.parametrize("adjoint", ["discrete", "continuous"])
def test_derivatives_of_a_closed_form(adjoint):
    def last(y0, k, end):
        times = np.stack([0.5, end])
        return ad.odeint(lambda y, t: -k * y * t, y0, times, adjoint=adjoint, **EXACT)[-1]

    found = ad.grad(last, argnums=(0, 1, 2))(2.0, 0.7, 1.5)
    y = 2.0 * np.exp(-0.7 * (1.5**2 - 0.5**2) / 2)
    np.testing.assert_allclose(found, [y / 2, -y, -y * 0.7 * 1.5], rtol=1e-7)


@pytest.mark.fuzz
@pytest.mark.parametrize("adjoint", ["discrete", "continuous"])
def test_derivatives_by_the_start_parameters_and_times(adjoint):
    def loss(k, y0, times):
        y = ad.odeint(lambda y, t: -k * y + np.sin(t), y0, times, adjoint=adjoint, **EXACT)
        return np.sum(y**2 * np.array([1.0, 2.0, 3.0]))

    def plain(k, y0, times):
        c = y0 - (k * np.sin(times[0]) - np.cos(times[0])) / (k * k + 1)
        y = c * np.exp(-k * (times - times[0])) + (k * np.sin(times) - np.cos(times)) / (k * k + 1)
        return np.sum(y**2 * np.array([1.0, 2.0, 3.0]))

    point = (0.8, 1.5, np.array([0.2, 0.9, 1.7]))
    found, expected = (ad.grad(f, argnums=(0, 1, 2))(*point) for f in (loss, plain))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


@pytest.mark.fuzz
@pytest.mark.parametrize("options", [{}, {"method": "jacobian"}, {"method": "chad"}, {"interpret": True}])
def test_both_adjoints_agree(options):
    def loss(adjoint):
        return lambda p: np.sum(ad.odeint(predators, START, TIMES, p, adjoint=adjoint, **EXACT)["u"] ** 2)

    discrete, continuous = (ad.grad(loss(a), **options)(P) for a in ("discrete", "continuous"))
    np.testing.assert_allclose(continuous, discrete, rtol=1e-6)
    np.testing.assert_allclose(ad.jacfwd(loss("continuous"))(P), discrete, rtol=1e-6)
    np.testing.assert_allclose(ad.jacfwd(loss("discrete"))(P), discrete, rtol=1e-10)


@pytest.mark.fuzz
def test_discrete_derivatives_pass_the_check_and_have_higher_orders():
    # Exact solutions, as the check sees how the lengths of steps move, and derivatives do not.
    loss = lambda p, times: np.sum(ad.odeint(predators, START, times, p, **EXACT)["u"])  # noqa: E731
    ad.check_derivatives(loss, P, TIMES)
    last = lambda k: ad.odeint(decay, 1.0, np.array([0.0, 1.0]), k, **EXACT)[-1]  # noqa: E731
    assert ad.grad(ad.grad(last))(0.7) == pytest.approx(np.exp(-0.7), rel=1e-7)
    assert ad.jacfwd(ad.grad(last))(0.7) == pytest.approx(np.exp(-0.7), rel=1e-7)


@pytest.mark.fuzz
def test_batches():
    k = np.array([0.5, 2.0])
    last = lambda k: ad.odeint(decay, 1.0, TIMES, k, **EXACT)[-1]  # noqa: E731
    np.testing.assert_allclose(ad.vmap(last)(k), np.exp(-2 * k), rtol=1e-8)
    np.testing.assert_allclose(ad.vmap(ad.grad(last))(k), -2 * np.exp(-2 * k), rtol=1e-7)


def test_few_times_repeated_times_and_float32():
    assert ad.odeint(decay, np.ones(3), np.zeros(0), 1.0).shape == (0, 3)
    np.testing.assert_array_equal(ad.odeint(decay, START["u"], np.zeros(1), 1.0), [1.0])
    y = ad.odeint(decay, np.ones(2, np.float32), np.array([0.0, 0.0, 1.0, 1.0]), np.float32(1.0))
    assert y.dtype == np.float32
    np.testing.assert_allclose(y[:, 0], np.exp([0, 0, -1, -1]), rtol=1e-5)


def test_no_step_goes_beyond_the_last_time():
    y = ad.odeint(lambda y, t: np.where(t > 1.0, np.nan, -y), 1.0, np.array([0.0, 1.0]), **EXACT)
    assert y[-1] == pytest.approx(np.exp(-1), rel=1e-9)


@pytest.mark.fuzz
@pytest.mark.parametrize("adjoint", ["discrete", "continuous"])
@pytest.mark.parametrize("times", [[0.5, 0.5, 1.5], [0.5, 0.5, 0.5], [-0.5, -0.5, -1.5], [1.5, 1.0, 0.5]])
def test_derivatives_by_times_that_are_equal_or_fall(adjoint, times):
    times = np.array(times)

    def loss(times):
        return ad.odeint(lambda y, t: -0.7 * y * t, 2.0, times, adjoint=adjoint, **EXACT) @ WEIGHTS

    def closed(times):
        return 2.0 * np.exp(-0.35 * (times**2 - times[0] ** 2)) @ WEIGHTS

    np.testing.assert_allclose(ad.grad(loss)(times), ad.grad(closed)(times), rtol=1e-7)
    if adjoint == "discrete" and times[0] != times[-1]:
        # A second derivative of a polynomial of order 4 is less exact than its values.
        np.testing.assert_allclose(ad.hessian(loss)(times), ad.hessian(closed)(times), rtol=1e-5, atol=1e-6)


@pytest.mark.fuzz
def test_second_derivatives_by_times_that_are_equal():
    """Derivatives for y' = -y^2 cos(t), which is solved by y = 1 / (1 / y0 + sin(t) - sin(t0))."""

    def last(t):
        return ad.odeint(lambda y, t: -y * y * np.cos(t), 1.5, t, rtol=1e-9, atol=1e-12)[-1]

    found = ad.hessian(last)(np.full(2, 0.3))
    c, s = np.cos(0.3), np.sin(0.3)
    cubed, squared = 2 * 1.5**3 * c * c, 1.5**2 * s
    wanted = [[cubed - squared, -cubed], [-cubed, cubed + squared]]
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_times_that_are_equal_where_the_solution_ends():
    found = ad.odeint(lambda y, t: np.sqrt(1.0 - t) * y, 2.0, np.ones(3))
    np.testing.assert_array_equal(found, [2.0, 2.0, 2.0])


@pytest.mark.fuzz
def test_an_adjoint_that_cannot_be_solved_is_an_error():
    def last(y0, adjoint):
        return ad.odeint(decay, y0, np.array([0.0, 3.0]), 300.0, adjoint=adjoint, max_steps=1500)[-1]

    assert abs(ad.grad(lambda y: last(y, "discrete"))(1.0)) < 1e-8
    with pytest.raises(ad.ConvergenceError, match=r"discrete"):
        ad.grad(lambda y: last(y, "continuous"))(1.0)


MISTAKES = {
    "singular": (ad.ConvergenceError, lambda: ad.odeint(lambda y, t: y * y, 1.0, np.array([0.0, 2.0]))),
    "stiff": (
        ad.ConvergenceError,
        lambda: ad.odeint(lambda y, t: -1e9 * (y - np.cos(t)), 0.0, TIMES, max_steps=300),
    ),
    "NaN": (ad.ConvergenceError, lambda: ad.odeint(lambda y, t: y * np.nan, 1.0, TIMES)),
    "order": (ad.ConvergenceError, lambda: ad.odeint(decay, 1.0, np.array([0.0, 2.0, 1.0]), 1.0)),
    "an infinite time": (ad.ConvergenceError, lambda: ad.odeint(decay, 1.0, np.array([0.0, np.inf]), 1.0)),
    "integers": (ad.DtypeError, lambda: ad.odeint(decay, 1, TIMES, 1.0)),
    "shapes": (ad.ShapeError, lambda: ad.odeint(lambda y, t: np.ones(2), np.ones(3), TIMES)),
    "times": (ad.ShapeError, lambda: ad.odeint(decay, 1.0, 2.0, 1.0)),
    "an adjoint": (ad.ArgumentError, lambda: ad.odeint(decay, 1.0, TIMES, 1.0, adjoint="exact")),
    "a tolerance": (ad.ArgumentError, lambda: ad.odeint(decay, 1.0, TIMES, 1.0, rtol=0.0)),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told_at_the_users_line(name):
    error, call = MISTAKES[name]
    with pytest.raises(error) as caught:
        call()
    assert __file__ in caught.value.location
    if name == "order":
        assert "sort them" in str(caught.value)
