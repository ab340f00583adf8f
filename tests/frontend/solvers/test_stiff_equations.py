"""`odeint` of stiff equations: Robertson's reaction and 20 species, against SciPy and differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mlirad as ad
from mlirad.errors import ConvergenceError
from mlirad.frontend.solvers.rosenbrock import COUPLINGS, DIAGONAL, DRIFTS, NODES, WEIGHTS

STIFF = {"method": "rodas5p", "rtol": 1e-8, "atol": 1e-12}

RATES = np.array([0.04, 3e7, 1e4])
TIMES = np.array([0.0, 0.4, 40.0, 4000.0])


def robertson(y: Any, t: Any, k: Any) -> Any:
    r = np.stack([k[0] * y[0], k[1] * y[1] * y[1], k[2] * y[1] * y[2]])
    return np.stack([r[2] - r[0], r[0] - r[1] - r[2], r[1]])


POLLUTION_RATES = np.array([
    0.35, 26.6, 1.2e4, 8.6e-4, 8.2e-4, 1.5e4, 1.3e-4, 2.4e4, 1.65e4, 9e3, 0.022, 1.2e4, 1.88, 1.63e4, 4.8e6,
    3.5e-4, 0.0175, 1e8, 4.44e11, 1240.0, 2.1, 5.78, 0.0474, 1780.0, 3.12,
])  # fmt: skip
REACTIONS = [  # what reacts and what it forms, by numbers of species from 1
    ((1,), (2, 3)), ((2, 4), (1,)), ((5, 2), (1, 6)), ((7,), (5, 5, 8)), ((7,), (8,)), ((7, 6), (5, 8)),
    ((9,), (5, 8, 10)), ((9, 6), (11,)), ((11, 2), (1, 10, 12)), ((11, 1), (13,)), ((13,), (11, 1)),
    ((10, 2), (1, 14)), ((14,), (5, 7)), ((1, 6), (15,)), ((3,), (4,)), ((4,), (16,)), ((4,), (3,)),
    ((16,), (6, 6)), ((16,), (3,)), ((17, 6), (5, 18)), ((19,), (2,)), ((19,), (1, 3)), ((1, 4), (19,)),
    ((19, 1), (20,)), ((20,), (19, 1)),
]  # fmt: skip
"""The pollution problem of Verwer (1994): 20 species, 25 reactions."""


def stoichiometry() -> Any:
    found = np.zeros((20, 25))
    for k, (taken, formed) in enumerate(REACTIONS):
        np.add.at(found[:, k], [s - 1 for s in formed], 1.0)
        np.add.at(found[:, k], [s - 1 for s in taken], -1.0)
    return found


MATRIX = stoichiometry()
FIRST = np.array([taken[0] - 1 for taken, _ in REACTIONS])
SECOND = np.array([taken[1] - 1 if len(taken) == 2 else 20 for taken, _ in REACTIONS])
START = np.zeros(20)
START[[1, 3, 6, 7, 8, 16]] = [0.2, 0.04, 0.1, 0.3, 0.01, 0.007]


def pollution(y: Any, t: Any, k: Any) -> Any:
    whole = np.concatenate([y, np.ones(1)])
    return MATRIX @ (k * whole[FIRST] * whole[SECOND])


def by_radau(f: Any, y0: Any, times: Any, k: Any) -> Any:
    found = solve_ivp(
        lambda t, y: f(y, t, k),
        (times[0], times[-1]),
        y0,
        method="Radau",
        t_eval=times,
        rtol=1e-10,
        atol=1e-15,
    )
    return found.y.T


def test_the_tableau_is_consistent() -> None:
    assert DRIFTS[0] == DIAGONAL
    assert NODES[1] == pytest.approx(WEIGHTS[1][0] * DIAGONAL, rel=1e-14)
    assert [len(row) for row in COUPLINGS] == list(range(8))


def test_the_order_of_one_step() -> None:
    """Steps of one length on y' = y cos t, whose error falls by 2^5 as they are halved."""
    from mlirad.frontend.solvers.rosenbrock import between, step

    def f(y: Any, t: Any) -> Any:
        return y * np.cos(t)

    def run(count: int) -> tuple[float, float]:
        h = 1.0 / count

        def iteration(y: Any, k: Any) -> tuple[Any, Any]:
            t = k * h
            new, _, _, polynomial = step(f, y, f(y, t), t, np.float64(h))
            return new, between(polynomial, 0.4)[0]

        y, middles = ad.jit(lambda y: ad.scan(iteration, y, np.arange(count) * 1.0))(np.ones(1))
        exact = np.exp(np.sin((np.arange(count) + 0.4) * h))
        return abs(y[0] - np.exp(np.sin(1.0))), np.max(np.abs(middles - exact))

    coarse, fine = run(8), run(16)
    assert 4.6 < np.log2(coarse[0] / fine[0]) < 6.5
    assert 3.6 < np.log2(coarse[1] / fine[1]) < 6.0


@pytest.mark.long
def test_robertson_as_scipy() -> None:
    found = ad.odeint(robertson, np.array([1.0, 0.0, 0.0]), TIMES, RATES, **STIFF)
    np.testing.assert_allclose(
        found, by_radau(robertson, [1.0, 0.0, 0.0], TIMES, RATES), rtol=1e-6, atol=1e-11
    )
    np.testing.assert_allclose(found.sum(1), 1.0, rtol=1e-10)


def test_an_explicit_method_says_what_to_take() -> None:
    with pytest.raises(ConvergenceError, match=r"300 steps .* take method=\"rodas5p\" for a stiff equation"):
        ad.odeint(robertson, np.array([1.0, 0.0, 0.0]), TIMES, RATES, max_steps=300)


@pytest.mark.long
def test_too_many_steps_and_a_singular_solution() -> None:
    with pytest.raises(ConvergenceError, match=r"3 steps lead to t = .* end before that time"):
        ad.odeint(robertson, np.array([1.0, 0.0, 0.0]), TIMES, RATES, max_steps=3, **STIFF)
    with pytest.raises(ConvergenceError, match="steps become as small as rounding"):
        ad.odeint(lambda y, t: y * y, 1.0, np.array([0.0, 2.0]), **STIFF)


@pytest.mark.fuzz
def test_derivatives_of_robertson_by_both_adjoints_and_forward() -> None:
    weights = np.array([1.0, 1e4, 2.0])

    def loss(adjoint: str) -> Any:
        def of_logarithms(p: Any) -> Any:
            y = ad.odeint(
                robertson, np.array([1.0, 0.0, 0.0]), TIMES[:3], RATES * np.exp(p), adjoint=adjoint, **STIFF
            )
            return y[-1] @ weights

        return of_logarithms

    point = np.zeros(3)
    discrete = ad.grad(loss("discrete"))(point)
    np.testing.assert_allclose(ad.jacfwd(loss("discrete"))(point), discrete, rtol=1e-8)
    np.testing.assert_allclose(ad.grad(loss("continuous"))(point), discrete, rtol=1e-5)
    np.testing.assert_allclose(ad.jacfwd(loss("continuous"))(point), discrete, rtol=1e-5)
    step = 1e-4
    for k, e in enumerate(np.eye(3)):
        ends = [by_radau(robertson, [1.0, 0.0, 0.0], TIMES[:3], RATES * np.exp(s * e))[-1] @ weights
                for s in (step, -step)]  # fmt: skip
        assert discrete[k] == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-4)


@pytest.mark.fuzz
def test_20_species_and_their_gradient() -> None:
    times = np.array([0.0, 60.0])
    found = ad.odeint(pollution, START, times, POLLUTION_RATES, **STIFF)[-1]
    np.testing.assert_allclose(
        found, by_radau(pollution, START, times, POLLUTION_RATES)[-1], rtol=1e-6, atol=1e-13
    )

    def loss(adjoint: str) -> Any:
        def of_logarithms(p: Any) -> Any:
            rates = POLLUTION_RATES * np.exp(p)
            y = ad.odeint(pollution, START, times, rates, adjoint=adjoint, **STIFF)[-1]
            return np.sum(y[:4])

        return of_logarithms

    point = np.zeros(25)
    discrete, continuous = (ad.grad(loss(a))(point) for a in ("discrete", "continuous"))
    np.testing.assert_allclose(continuous, discrete, rtol=1e-4, atol=1e-8)
    direction = np.sin(np.arange(25.0))
    step = 1e-4
    ends = [np.sum(by_radau(pollution, START, times, POLLUTION_RATES * np.exp(s * direction))[-1][:4])
            for s in (step, -step)]  # fmt: skip
    assert discrete @ direction == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-5)


@pytest.mark.fuzz
def test_batches_and_second_derivatives() -> None:
    def last(rate: Any) -> Any:
        y = ad.odeint(lambda y, t: -rate * (y - np.cos(t)), 0.0, np.array([0.0, 1.0]), **STIFF)
        return y[-1]

    def exact(k: Any) -> Any:
        return k * (k * np.cos(1.0) + np.sin(1.0) - k * np.exp(-k)) / (1 + k * k)

    rates = np.array([1.0, 40.0])
    np.testing.assert_allclose(ad.vmap(last)(rates), exact(rates), rtol=1e-7)
    np.testing.assert_allclose(ad.vmap(ad.grad(last))(rates), ad.vmap(ad.grad(exact))(rates), rtol=1e-5)
    assert ad.jacfwd(ad.grad(last))(2.0) == pytest.approx(float(ad.grad(ad.grad(exact))(2.0)), rel=1e-5)


def test_a_structure_in_single_precision() -> None:
    found = ad.odeint(
        lambda y, t: {"a": -1000 * (y["a"] - y["b"]), "b": -y["b"]},
        {"a": np.float32(0.0), "b": np.float32(1.0)}, np.array([0.0, 1.0]),
        method="rodas5p", rtol=1e-4, atol=1e-6,
    )  # fmt: skip
    assert found["a"].dtype == np.float32
    assert found["b"][-1] == pytest.approx(np.exp(-1.0), rel=1e-3)
    assert found["a"][-1] == pytest.approx(np.exp(-1.0) / 0.999, rel=1e-3)
