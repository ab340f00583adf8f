"""A step of gradient descent compiled by `jax.jit`, with one function from mlirad; and the other way.

    python examples/jax_step.py                       needs jax

`ad.to_jax` makes the energy of a chain, a function of NumPy arrays, an operation of JAX with derivatives in
both modes. `ad.from_jax` takes a loss that is written for JAX the other way, by way of StableHLO.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import mlirad as ad


def energy(x: NDArray[np.float64], stiffness: NDArray[np.float64]) -> NDArray[np.float64]:
    """The energy of a chain of points, each tied to its neighbours and repelled by all others."""
    stretch = np.sum(stiffness * (np.sum((x[1:] - x[:-1]) ** 2, axis=-1) - 1.0) ** 2)
    squares = np.sum((x[:, None] - x[None]) ** 2, axis=-1) + np.eye(len(x))
    return stretch + 0.05 * np.sum((1.0 - np.eye(len(x))) / squares)


def main() -> None:
    """Relax the chain in JAX, and differentiate a JAX function in mlirad."""
    try:
        import jax
    except ImportError:
        print("this example needs JAX: pip install jax")
        return
    energies, difference = relaxed(jax, steps=60)
    for step, value in energies:
        print(f"step {step:>3}  energy {value:.6f}")
    assert energies[-1][1] < energies[0][1] and difference < 1e-12
    print(f"a JAX loss, differentiated by mlirad and by JAX: the gradients differ by {difference:.1e}")


def relaxed(jax: Any, steps: int) -> tuple[list[tuple[int, float]], float]:
    """Some of the energies on the way, and the difference between two gradients of a function of JAX."""
    jnp = jax.numpy
    with jax.enable_x64(True):
        of_mlirad = ad.to_jax(energy)

        @jax.jit
        def step(x: Any, stiffness: Any) -> Any:
            value, slope = jax.value_and_grad(of_mlirad)(x, stiffness)
            return x - 0.01 * slope, value

        x, stiffness = np.random.default_rng(3).normal(size=(8, 2)), np.ones(7)
        energies: list[tuple[int, float]] = []
        for k in range(steps + 1):
            x, value = step(x, stiffness)
            if k % max(steps // 5, 1) == 0:
                energies.append((k, float(value)))

        def loss(w: Any, data: Any) -> Any:
            return jnp.mean(jax.nn.softplus(data @ w) ** 2)

        w, data = np.linspace(-1.0, 1.0, 4), np.random.default_rng(4).normal(size=(10, 4))
        ours = ad.grad(ad.from_jax(loss, w, data))(w, data)
        return energies, float(np.max(np.abs(ours - jax.grad(loss)(w, data))))


if __name__ == "__main__":
    main()
