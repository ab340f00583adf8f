"""Prices of options and their Greeks in Heston's model, by an integral and by simulated paths.

    python examples/heston.py --plot heston.svg

The price is an integral of the characteristic function, in complex arithmetic; one gradient gives the
sensitivities by spot, variance and all parameters, and its derivative gamma. Paths with random numbers from a
key are differentiated as they are. The witnesses are a published price, and paths beside the integral.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import mlirad as ad

NAMES = ("spot", "variance", "reversion", "mean", "volatility", "correlation", "rate")
PUBLISHED, PRICE = np.array([100.0, 0.0175, 1.5768, 0.0398, 0.5751, -0.5711, 0.0]), 5.785155450
"""Parameters, and the price of a call at 100 in a year: Fang, Oosterlee, SIAM J. Sci. Comput. 31 (2008)."""

CALM = np.array([100.0, 0.04, 2.0, 0.04, 0.3, -0.6, 0.02])
"""Parameters whose variance stays away from 0, where the derivatives of paths would scatter without bound."""

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(200)
FREQUENCIES, WEIGHTS = 100 * (POINTS + 1), 100 * WEIGHTS


class Found(NamedTuple):
    """Strikes, and delta, gamma and vega of the integral there; strikes, and derivatives of paths there."""

    strikes: Any
    greeks: Any
    at: Any
    simulated: Any


def main(paths: int = 20000, steps: int = 60) -> Found:
    """Price by both ways, and differentiate."""
    price, slope = ad.value_and_grad(call)(PUBLISHED, 100.0, 1.0)
    print(f"price {float(price):.7f}, published {PRICE:.7f}")
    assert abs(price - PRICE) < 1e-6
    for name, value in zip(NAMES, slope, strict=True):
        print(f"  by {name:<12} {value:9.4f}")

    strikes = np.linspace(80.0, 120.0, 41)
    first = ad.vmap(ad.grad(call), in_axes=(None, 0, None))(CALM, strikes, 1.0)
    gamma = ad.vmap(ad.grad(lambda p, k: ad.grad(call)(p, k, 1.0)[0]), in_axes=(None, 0))(CALM, strikes)[:, 0]
    at = np.array([90.0, 100.0, 110.0])
    simulated = ad.jacobian(payoffs, static_argnames=("paths", "steps"))(
        CALM, at, ad.random.key(1), paths=paths, steps=steps
    )
    exact = ad.vmap(ad.grad(call), in_axes=(None, 0, None))(CALM, at, 1.0)
    for k in (0, 1):
        print(f"by {NAMES[k]} at 90, 100, 110: {exact[:, k].round(3)}, by paths {simulated[:, k].round(3)}")
    np.testing.assert_allclose(simulated[:, 0], exact[:, 0], rtol=0.05)
    np.testing.assert_allclose(simulated[:, 1], exact[:, 1], rtol=0.2)
    return Found(strikes, np.stack([first[:, 0], gamma, first[:, 1]]), at, simulated)


def characteristic(u: Any, p: Any, years: float) -> Any:
    """The characteristic function of the price's logarithm, in the form without jumps of a logarithm."""
    spot, variance, reversion, mean, volatility, correlation, rate = p
    b = reversion - 1j * correlation * volatility * u
    d = np.sqrt(b**2 + volatility**2 * (1j * u + u**2))
    g, decay = (b - d) / (b + d), np.exp(-d * years)
    drift = (b - d) * years - 2 * np.log((1 - g * decay) / (1 - g))
    by_variance = (b - d) / volatility**2 * (1 - decay) / (1 - g * decay)
    by_mean = reversion * mean / volatility**2 * drift
    return np.exp(1j * u * (np.log(spot) + rate * years) + by_mean + by_variance * variance)


def call(p: Any, strike: Any, years: float) -> Any:
    """The price of the right to buy at `strike`, by Lewis's integral."""
    wave = np.exp(-1j * FREQUENCIES * np.log(strike)) * characteristic(FREQUENCIES - 0.5j, p, years)
    integral = np.sum(WEIGHTS * np.real(wave) / (FREQUENCIES**2 + 0.25))
    return p[0] - np.sqrt(strike) * np.exp(-p[6] * years) / np.pi * integral


def payoffs(p: Any, strikes: Any, key: Any, paths: int, steps: int) -> Any:
    """The mean discounted payoffs after a year [k], by Euler's steps; a negative variance counts as 0."""
    spot, variance, reversion, mean, volatility, correlation, rate = p
    h = 1.0 / steps

    def step(state: Any, key: Any) -> Any:
        x, v = state
        z = ad.random.normal(key, (2, paths))
        kept = np.maximum(v, 0.0)
        swing = np.sqrt(kept * h)
        other = correlation * z[0] + np.sqrt(1 - correlation**2) * z[1]
        x = x + (rate - 0.5 * kept) * h + swing * z[0]
        return (x, v + reversion * (mean - kept) * h + volatility * swing * other), None

    start = np.full(paths, np.log(spot)), np.full(paths, variance)
    (x, _), _ = ad.scan(step, start, ad.random.split(key, steps))
    return np.exp(-rate) * np.mean(np.maximum(np.exp(x) - strikes[:, None], 0.0), axis=1)


def draw(figure: Any, found: Found) -> None:
    """Three Greeks by strike, and those of paths."""
    for k, name in enumerate(("delta", "gamma", "by variance")):
        axes = figure.add_subplot(1, 3, k + 1)
        axes.plot(found.strikes, found.greeks[k])
        if k != 1:
            axes.plot(found.at, found.simulated[:, k // 2], "o", markersize=4, label="paths")
            axes.legend()
        axes.set(xlabel="strike", title=name)


if __name__ == "__main__":
    from plots import run

    run(main, draw)
