"""A forecast of waves from a few gauges: the state at the beginning, by derivatives of a spectral solver.

    python examples/assimilation.py --plot waves.svg

Waves in a shallow channel follow the equation of Korteweg and de Vries, u_t + 6 u u_x + u_xxx = 0.
Derivatives by x are products in Fourier space, and `ad.scan` steps the transform of u. Gauges at few
places record the waves as they pass. The state at the beginning that explains the records best is found
by gradients through all steps, as weather services do (4D-Var), and then forecasts what no gauge has
seen. The formula of a soliton checks the solver.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

import mlirad as ad

LENGTH, POINTS, STEP = 40.0, 96, 0.01
PLACES = LENGTH * np.arange(POINTS) / POINTS
GAUGES = slice(0, POINTS, 8)
NUMBERS = 2 * np.pi / LENGTH * np.arange(POINTS // 2 + 1)
KEPT = np.arange(POINTS // 2 + 1) <= POINTS // 3  # what products of two waves do not alias
TURN = np.exp(0.5j * STEP * NUMBERS**3)  # what u_xxx does in half a step


class Found(NamedTuple):
    """True waves, those found and those guessed [step, place], and how many steps the gauges have seen."""

    true: Any
    found: Any
    guessed: Any
    seen: int


def main(steps: int = 300) -> Found:
    """Find the state at the beginning from records of `steps` steps, and forecast as many."""
    alone = ad.jit(waves, static_argnames="steps")
    error = np.max(
        np.abs(alone(soliton(2.0, 10.0), steps=steps)[-1] - soliton(2.0, 10.0 + 2.0 * steps * STEP))
    )
    print(f"a soliton is {error:.1e} off after {steps} steps")
    assert error < 1e-2

    beginning = soliton(3.0, 8.0) + soliton(1.2, 18.0)
    true = alone(beginning, steps=2 * steps)
    records = true[:steps, GAUGES] + 0.02 * np.random.default_rng(0).normal(size=true[:steps, GAUGES].shape)
    guess = np.full(POINTS, np.mean(records))
    problem = ad.scipy.objective(misfit, guess, records)
    fit = minimize(problem.fun, problem.x0, jac=problem.jac, method="L-BFGS-B", options={"maxiter": 150})
    found, guessed = (alone(start, steps=2 * steps) for start in (problem.unflatten(fit.x), guess))
    analysed, forecast = (rms(found[k] - true[k]) / rms(true[k]) for k in (0, -1))
    print(f"misfit {problem.fun(guess):.4f} -> {fit.fun:.6f} in {fit.nit} iterations")
    print(f"the beginning is {100 * analysed:.1f} % off, the forecast {100 * forecast:.1f} %")
    assert forecast < 0.03
    np.testing.assert_allclose(np.mean(found, axis=1), np.mean(found[0]), rtol=1e-9)  # no water is lost
    return Found(true, found, guessed, steps)


def soliton(speed: float, place: float) -> Any:
    """A wave that keeps its form, with its images in the neighbouring channels."""
    apart = (PLACES - place + LENGTH / 2) % LENGTH - LENGTH / 2
    return 0.5 * speed / np.cosh(0.5 * np.sqrt(speed) * apart) ** 2


def rate(transform: Any) -> Any:
    """The transform of -6 u u_x."""
    u = np.fft.irfft(transform * KEPT, POINTS)
    return -3j * NUMBERS * KEPT * np.fft.rfft(u * u)


def waves(beginning: Any, steps: int) -> Any:
    """The waves after each step, by Runge and Kutta's method between exact solutions of u_t = -u_xxx."""

    def step(transform: Any, _: Any) -> Any:
        half = TURN * transform
        k1 = TURN * rate(transform)
        k2 = rate(half + STEP / 2 * k1)
        k3 = rate(half + STEP / 2 * k2)
        k4 = rate(TURN * (half + STEP * k3))
        transform = TURN * (half + STEP / 6 * (k1 + 2 * k2 + 2 * k3)) + STEP / 6 * k4
        return transform, np.fft.irfft(transform, POINTS)

    return ad.scan(step, np.fft.rfft(beginning), length=steps)[1]


def misfit(beginning: Any, records: Any) -> Any:
    """The mean squared error at the gauges, and a little for rough waves."""
    seen = waves(beginning, len(records))[:, GAUGES]
    return np.mean((seen - records) ** 2) + 1e-3 * np.mean(np.diff(beginning, 2) ** 2)


def rms(values: Any) -> float:
    """The root of the mean square."""
    return float(np.sqrt(np.mean(values**2)))


def draw(figure: Any, found: Found) -> None:
    """The waves in space and time with the gauges, and the last state."""
    left, right = figure.subplots(1, 2)
    end = STEP * len(found.true)
    extent = (0.0, LENGTH, 0.0, end)
    left.imshow(found.found[::6], origin="lower", aspect="auto", extent=extent)
    left.vlines(PLACES[GAUGES], 0.0, STEP * found.seen, color="white", linewidth=0.8, linestyle="dotted")
    left.axhline(STEP * found.seen, color="C3", linewidth=0.8)
    left.set(xlabel="place", ylabel="time", title="waves found, gauges, and the forecast above")
    right.plot(PLACES, found.true[-1], color="C4", linewidth=4, alpha=0.5, label="true")
    right.plot(PLACES, found.found[-1], label="forecast")
    right.set(xlabel="place", title=f"at time {end:.1f}")
    right.legend()


if __name__ == "__main__":
    from plots import run

    run(main, draw)
