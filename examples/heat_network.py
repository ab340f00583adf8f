"""A network that satisfies the heat equation: physics-informed training with derivatives inside of the loss.

    python examples/heat_network.py --plot heat.svg

The temperature u(x, t) of a rod is a small network, times factors that make its ends cold and its
beginning right. The loss is how far it is from u_t = u_xx: a first and a second derivative of the
network, by `ad.grad`, batched by `ad.vmap`, and differentiated once more by the weights. The solution by
Fourier's series is known.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

import mlirad as ad

DIFFUSIVITY, END = 0.1, 1.0


class Found(NamedTuple):
    """The places and times of a grid, the network there [time, place], and the loss of each iteration."""

    x: Any
    t: Any
    network: Any
    losses: list[float]


def main(points: int = 12, steps: int = 300, width: int = 10) -> Found:
    """Train the network, and compare it with the exact solution."""
    rng = np.random.default_rng(0)
    weights = {
        "in": rng.normal(size=(2, width)),
        "bias": 0.5 * rng.normal(size=width),
        "mix": rng.normal(size=(width, width)) / np.sqrt(width),
        "out": 0.1 * rng.normal(size=width),
    }
    x, t = ((np.arange(points) + 0.5) / points * end for end in (1.0, END))
    problem = ad.scipy.objective(loss, weights, *(grid.ravel() for grid in np.meshgrid(x, t)))
    losses = [float(problem.fun(problem.x0))]
    fit = minimize(
        problem.fun,
        problem.x0,
        jac=problem.jac,
        method="BFGS",
        options={"maxiter": steps},
        callback=lambda v: losses.append(float(problem.fun(v))),
    )
    weights = problem.unflatten(fit.x)

    x, t = np.linspace(0.0, 1.0, 41), np.linspace(0.0, END, 31)
    everywhere = ad.jit(lambda w, x, t: ad.vmap(lambda t: ad.vmap(lambda x: temperature(w, x, t))(x))(t))
    network = everywhere(weights, x, t)
    error = np.max(np.abs(network - exact(x, t[:, None])))
    print(f"loss {losses[0]:.3f} -> {losses[-1]:.2e} in {fit.nit} iterations, at most {error:.1e} off")
    assert error < 0.02
    return Found(x, t, network, losses)


def beginning(x: Any) -> Any:
    """The temperature at first: two waves."""
    return np.sin(np.pi * x) + 0.5 * np.sin(3 * np.pi * x)


def exact(x: Any, t: Any) -> Any:
    """The temperature by Fourier's series, which has two terms."""
    decay = np.exp(-DIFFUSIVITY * np.pi**2 * t)
    return decay * np.sin(np.pi * x) + 0.5 * decay**9 * np.sin(3 * np.pi * x)


def temperature(weights: Any, x: Any, t: Any) -> Any:
    """The network: right at the beginning, 0 at both ends."""
    hidden = np.tanh(ad.stack([2 * x - 1, 2 * t - 1]) @ weights["in"] + weights["bias"])
    hidden = np.tanh(hidden @ weights["mix"])
    return beginning(x) + t * x * (1 - x) * 20 * (hidden @ weights["out"])


def residual(weights: Any, x: Any, t: Any) -> Any:
    """Return how far the network is from the heat equation, at one place and time."""
    by_x = ad.grad(temperature, argnums=1)
    by_xx, by_t = ad.grad(by_x, argnums=1), ad.grad(temperature, argnums=2)
    return by_t(weights, x, t) - DIFFUSIVITY * by_xx(weights, x, t)


def loss(weights: Any, x: Any, t: Any) -> Any:
    """The mean squared residual."""
    return np.mean(ad.vmap(residual, in_axes=(None, 0, 0))(weights, x, t) ** 2)


def draw(figure: Any, found: Found) -> None:
    """The temperature, and what it is off."""
    left, right = figure.subplots(1, 2)
    for k in range(0, len(found.t), 6):
        shade = 0.15 + 0.75 * k / len(found.t)
        left.plot(found.x, exact(found.x, found.t[k]), color="C4", linewidth=4, alpha=0.35)
        left.plot(
            found.x,
            found.network[k],
            color=(0.85 * (1 - shade) + 0.1, 0.25, shade),
            label=f"t = {found.t[k]:.1f}",
        )
    left.set(xlabel="x", title="temperature: network (thin), exact (wide)")
    left.legend(loc="lower center", ncols=2)
    right.semilogy(found.losses)
    right.set(xlabel="iteration of BFGS", title="mean squared residual of u_t = 0.1 u_xx")


if __name__ == "__main__":
    from plots import run

    run(main, draw)
