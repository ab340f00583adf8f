"""RealNVP: a normalizing flow learns the density of two moons.

    python examples/normalizing_flow.py --plot moons.svg

Each layer scales and shifts one coordinate by a network of the other one, so the flow has an inverse, and a
Jacobian whose determinant is a product. The witness is the determinant of the whole Jacobian by
`ad.jacobian`, and the mass of the density on a grid.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import mlirad as ad

OPTIMIZER = ad.optimize.adam(ad.optimize.cosine_decay(5e-3, steps=1000))


class Found(NamedTuple):
    """Points of data [n, 2], draws from the flow [n, 2], and the density on a grid of the plane."""

    data: Any
    draws: Any
    density: Any


def main(steps: int = 1000) -> Found:
    """Train a flow on moons, and check its determinants, its inverse and its mass."""
    rng = np.random.default_rng(6)
    params = initial(rng)
    state, losses = OPTIMIZER.init(params), []
    for _ in range(steps):
        params, state, value = step(params, state, moons(rng, 256))
        losses.append(float(value))
    print(f"negative log likelihood {losses[0]:.3f} -> {np.mean(losses[-50:]):.3f}")

    x = moons(rng, 200)
    z, volume = ad.jit(forward)(params, x)
    whole = ad.vmap(ad.jacobian(lambda x: forward(params, x)[0]))(x)
    np.testing.assert_allclose(np.linalg.slogdet(whole)[1], volume, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ad.jit(inverse)(params, z), x, rtol=1e-8, atol=1e-8)
    side = np.linspace(-3.0, 4.0, 281)
    plane = np.stack(np.meshgrid(side, side), axis=-1)
    density = np.exp(ad.jit(log_density)(params, plane))
    mass = np.sum(density) * (side[1] - side[0]) ** 2
    print(f"mass of the density on a grid {mass:.4f}")
    assert abs(mass - 1) < 0.03
    assert np.mean(losses[-50:]) < 0.7 * losses[0]
    drawn = ad.jit(lambda key: inverse(params, ad.random.normal(key, (200, 2))))(ad.random.key(0))
    return Found(x, drawn, density[40:200:2, 40:240:2])


def moons(rng: Any, count: int) -> Any:
    """Points of two half rings [count, 2]."""
    angle, upper = np.pi * rng.uniform(size=count), rng.integers(2, size=count)
    first = np.column_stack([np.cos(angle), np.sin(angle)])
    second = np.column_stack([1 - np.cos(angle), 0.5 - np.sin(angle)])
    return np.where(upper[:, None], first, second) + 0.08 * rng.normal(size=(count, 2))


def initial(rng: Any, layers: int = 6, hidden: int = 32) -> Any:
    """The networks of the layers, which leave points nearly where they are."""
    return [
        {
            "w": rng.normal(size=(1, hidden)), "b": rng.normal(size=hidden),
            "v": rng.normal(size=(hidden, hidden)) / np.sqrt(hidden), "c": np.zeros(hidden),
            "out": 0.01 * rng.normal(size=(hidden, 2)),
        }
        for _ in range(layers)
    ]  # fmt: skip


def coupling(layer: Any, x: Any) -> Any:
    """The logarithm of the scale and the shift of one coordinate, from the other one [..., 1]."""
    hidden = np.tanh(np.tanh(x @ layer["w"] + layer["b"]) @ layer["v"] + layer["c"])
    scale, shift = np.split(hidden @ layer["out"], 2, axis=-1)
    return 2 * np.tanh(scale), shift


def forward(params: Any, x: Any) -> Any:
    """Return where points [..., 2] go, and the logarithms of how much that widens space around them [...]."""
    volume = np.zeros(x.shape[:-1])
    for layer in params:
        kept, changed = x[..., :1], x[..., 1:]
        scale, shift = coupling(layer, kept)
        x = np.concatenate([changed * np.exp(scale) + shift, kept], axis=-1)
        volume = volume + scale[..., 0]
    return x, volume


def inverse(params: Any, z: Any) -> Any:
    """Return where points [..., 2] come from."""
    for layer in reversed(params):
        changed, kept = z[..., :1], z[..., 1:]
        scale, shift = coupling(layer, kept)
        z = np.concatenate([kept, (changed - shift) * np.exp(-scale)], axis=-1)
    return z


def log_density(params: Any, x: Any) -> Any:
    """The logarithms of the densities of points [..., 2]."""
    z, volume = forward(params, x)
    return volume - 0.5 * np.sum(z**2, axis=-1) - np.log(2 * np.pi)


@ad.jit
def step(params: Any, state: Any, x: Any) -> Any:
    """Parameters and state after a step, and the negative log likelihood before."""
    value, gradient = ad.value_and_grad(lambda params: -np.mean(log_density(params, x)))(params)
    updates, state = OPTIMIZER.update(gradient, state, params)
    return ad.optimize.apply_updates(params, updates), state, value


def draw(figure: Any, found: Found) -> None:
    """The density, and points of data and of the flow."""
    left, right = figure.subplots(1, 2)
    left.imshow(found.density, origin="lower", extent=(-2, 3, -2, 2))
    left.set(title="the density")
    left.set_axis_off()
    right.plot(*found.data.T, ".", markersize=3, label="data")
    right.plot(*found.draws.T, ".", markersize=3, label="drawn from the flow")
    right.legend()


if __name__ == "__main__":
    from plots import run

    run(main, draw)
