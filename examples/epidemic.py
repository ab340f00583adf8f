"""An epidemic is fitted to daily counts of cases, and the Hessian says how sure its parameters are.

    python examples/epidemic.py --plot epidemic.svg

Susceptible, infected and recovered people follow a differential equation. The counts are drawn by Poisson's
law, so the likelihood is a sum over days. `ad.hessian` differentiates the solution of the equation twice, and
its inverse is the covariance of the estimates. The witnesses are SciPy's solution, and differences of the
gradient.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import minimize
from scipy.special import gammaln

import mlirad as ad

PEOPLE = 10_000.0
NAMES = ("infections a day", "recoveries a day", "infected at first")
TRUE = np.log([0.45, 0.2, 8.0])


class Found(NamedTuple):
    """Counts of the days, the fitted curve, curves of likely parameters [k, n], and reproduction numbers."""

    counts: Any
    fitted: Any
    likely: Any
    numbers: Any


def main(days: int = 60) -> Found:
    """Fit three parameters to the counts of some days."""
    times = np.arange(days + 1.0)
    rng = np.random.default_rng(8)
    counts = rng.poisson(ad.jit(cases)(TRUE, times))
    problem = ad.scipy.objective(negative_log_likelihood, np.log([0.6, 0.3, 3.0]), times, counts)
    fit = minimize(problem.fun, problem.x0, jac=problem.jac, hess=problem.hess, method="trust-exact")
    covariance = np.linalg.inv(problem.hess(fit.x))
    uncertainty = np.sqrt(np.diag(covariance))
    for name, true, found, error in zip(NAMES, np.exp(TRUE), np.exp(fit.x), uncertainty, strict=True):
        print(f"{name}: {found:.4f} +- {found * error:.4f}, true {true:.4f}")
    assert np.all(np.abs(fit.x - TRUE) < 3.5 * uncertainty)

    np.testing.assert_allclose(ad.jit(cases)(fit.x, times), by_scipy(fit.x, times), rtol=1e-5)
    step = 1e-4
    ends = [[problem.jac(fit.x + s * e) for e in np.eye(3)] for s in (step, -step)]
    differences = (np.array(ends[0]) - np.array(ends[1])) / (2 * step)
    np.testing.assert_allclose(problem.hess(fit.x), differences, rtol=1e-3, atol=1e-4 * np.max(differences))

    drawn = rng.multivariate_normal(fit.x, covariance, size=30)
    numbers = np.exp(drawn[:, 0] - drawn[:, 1])
    print(f"one infects {np.exp(fit.x[0] - fit.x[1]):.2f} +- {numbers.std():.2f}, true {0.45 / 0.2:.2f}")
    likely = ad.jit(ad.vmap(cases, in_axes=(0, None)))(drawn, times)
    return Found(counts, ad.jit(cases)(fit.x, times), likely, numbers)


def flow(y: Any, t: Any, infections: Any, recoveries: Any) -> Any:
    """The change of susceptible, infected and recovered people in a day."""
    new, cured = infections * y[0] * y[1] / PEOPLE, recoveries * y[1]
    return np.stack([-new, new - cured, cured])


def cases(logarithms: Any, times: Any) -> Any:
    """The infections between the times [n]."""
    infections, recoveries, first = np.exp(logarithms)
    start = np.stack([PEOPLE - first, first, 0.0])
    states = ad.odeint(flow, start, times, infections, recoveries, rtol=1e-8, atol=1e-8)
    return -np.diff(states[:, 0])


def negative_log_likelihood(logarithms: Any, times: Any, counts: Any) -> Any:
    """Minus the logarithm of the chance of the counts."""
    expected = cases(logarithms, times)
    return np.sum(expected - counts * np.log(expected) + gammaln(counts + 1.0))


def by_scipy(logarithms: Any, times: Any) -> Any:
    """The infections between the times, by SciPy's solver."""
    infections, recoveries, first = np.exp(logarithms)
    found = solve_ivp(
        lambda t, y: flow(y, t, infections, recoveries), (times[0], times[-1]), [PEOPLE - first, first, 0.0],
        t_eval=times, rtol=1e-10, atol=1e-10, method="DOP853",
    )  # fmt: skip
    return -np.diff(found.y[0])


def draw(figure: Any, found: Found) -> None:
    """Counts and curves, and the reproduction numbers of likely parameters."""
    left, right = figure.subplots(1, 2, width_ratios=(3, 1))
    left.plot(found.likely[:12].T, color="C1", linewidth=0.5, alpha=0.5)
    left.plot(found.counts, ".", color="C4", label="counted")
    left.plot(found.fitted, label="fitted")
    left.set(xlabel="day", ylabel="cases", title="12 likely epidemics")
    left.legend()
    right.hist(found.numbers, bins=8)
    right.set(title="infected by one")


if __name__ == "__main__":
    from plots import run

    run(main, draw)
