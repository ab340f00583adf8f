"""Thirteen tasks of science: the programs of examples, in mlirad and with JAX in their place.

    python -m benchmarks.thirteen            # python -m benchmarks.thirteen cpu: by the time on a processor

The JAX program is that of the example, as `side_by_side.py` says. Two differ: the steps of the heat equation
are solved by conjugate gradients, as JAX has no sparse factors on traced values, and the Jacobian of the arm
is dense. JAX has no events, so its bounces have no figure. Results without random numbers must agree to 1e-5,
within what the tolerances of solvers allow. Nothing is taken from the disk, so the first call compiles.
"""

from __future__ import annotations

import sys
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.side_by_side import Call, is_jax, print_table

TOLERANCE = 1e-5


def main(clock: str = "wall") -> None:
    """Print a table of first calls and of the medians of later ones."""
    print_table(TASKS, RANDOM, TOLERANCE, clock)


def sampling(ad: Any, programs: Any) -> Call:
    """Hamiltonian Monte Carlo, 1000 throws of 12 leaps."""
    from examples import hamiltonian_monte_carlo as example

    rng = np.random.default_rng(0)
    features, labels = rng.normal(size=(200, 4)), (rng.uniform(size=200) < 0.5).astype(float)
    chain = ad.jit(partial(programs(example).chain, draws=1000))
    return lambda: chain(ad.random.key(0), np.zeros(4), features, labels)


def filtering(ad: Any, programs: Any) -> Call:
    """Extended Kalman filter of 300 sightings: gradient by both noises."""
    from examples import extended_kalman_filter as example

    slope, seen = ad.value_and_grad(programs(example).negative_log_likelihood), example.track(300)[1]
    return lambda: slope(np.zeros(2), seen)


def bouncing(ad: Any, programs: Any) -> Call | None:
    """Three bounces of a ball by events: derivative of the last."""
    if is_jax(ad):
        return None

    def fall(y: Any, _: Any) -> Any:
        return np.stack([y[1], -9.81 - 0.1 * y[1]])

    def bounce(state: Any, _: Any) -> Any:
        hit = ad.odeint(fall, state, [0.0, 9.0], event=lambda y, t: y[0], direction=-1)
        return np.stack([0.0, -0.9 * hit.state[1]]), hit.time

    slope = ad.value_and_grad(lambda h: np.sum(ad.scan(bounce, np.stack([h, 0.0]), None, 3)[1]))
    return lambda: slope(2.0)


def classifying(ad: Any, programs: Any) -> Call:
    """Network with dropout, batch of 128: gradient."""
    from examples import dropout as example

    rng = np.random.default_rng(0)
    x, y = example.spirals(rng, 128)
    sizes = pairwise((2, 48, 48, 3))
    params = [{"w": rng.normal(size=(n, m)), "b": np.zeros(m)} for n, m in sizes]
    slope, key = ad.value_and_grad(programs(example).loss), ad.random.key(0)
    return lambda: slope(params, x, y, key)


def flowing(ad: Any, programs: Any) -> Call:
    """RealNVP of 6 layers, batch of 256: gradient."""
    from examples import normalizing_flow as example

    rng = np.random.default_rng(1)
    params, x, density = example.initial(rng), example.moons(rng, 256), programs(example).log_density
    slope = ad.value_and_grad(lambda params, x: -density(params, x).mean())
    return lambda: slope(params, x)


def pricing(ad: Any, programs: Any) -> Call:
    """Heston's price by the characteristic function: Greeks at 41 strikes."""
    from examples import heston as example

    call, strikes = programs(example).call, np.linspace(80.0, 120.0, 41)
    slope = ad.value_and_grad(lambda p: ad.vmap(lambda k: call(p, k, 1.0))(strikes).sum())
    return lambda: slope(example.CALM)


def simulating(ad: Any, programs: Any) -> Call:
    """Heston's price by 20 000 paths of 60 steps: Greeks."""
    from examples import heston as example

    payoffs, strikes = programs(example).payoffs, np.array([100.0])
    slope = ad.value_and_grad(lambda p, key: payoffs(p, strikes, key, 20000, 60).sum())
    return lambda: slope(example.CALM, ad.random.key(0))


def heating(ad: Any, programs: Any) -> Call:
    """Heat equation of 24 x 24 cells, 10 implicit steps: gradient by the conductivities."""
    from examples import heat_equation as example

    size, steps = 24, 10
    rng = np.random.default_rng(2)
    before, field = rng.uniform(size=(size * size, 4)), rng.uniform(0.5, 1.5, size=(size, size))
    after = 0.5 * before
    if not is_jax(ad):
        slope = ad.value_and_grad(lambda field: example.misfit(field, before, after, steps))
        return lambda: slope(field)
    import jax
    import jax.numpy as jnp

    from benchmarks.heat import implicit_step_in_jax

    def misfit(field: Any) -> Any:
        def step(_: Any, u: Any) -> Any:
            return jax.scipy.sparse.linalg.cg(partial(implicit_step_in_jax, field), u, x0=u, tol=1e-9)[0]

        difference = jax.lax.fori_loop(0, steps, step, before) - after
        roughness = jnp.sum(jnp.diff(field, axis=0) ** 2) + jnp.sum(jnp.diff(field, axis=1) ** 2)
        return 0.5 * jnp.sum(difference**2) + 1e-7 * roughness

    slope = ad.value_and_grad(misfit)
    return lambda: slope(field)


def reaching(ad: Any, programs: Any) -> Call:
    """Robot arm, 360 angles: sparse Jacobian."""
    from examples import robot_arm as example

    turn = np.linspace(0.0, 2 * np.pi, 120)
    curve = np.stack([1.5 + 0.4 * np.cos(turn), 0.6 + 0.5 * np.sin(2 * turn)], axis=1)
    angles = np.tile([-0.3, 0.9, 0.6], (120, 1))
    if is_jax(ad):
        import jax

        dense = ad.jit(jax.jacfwd(programs(example).residuals))
        return lambda: dense(angles, curve).reshape(-1, angles.size)
    sparse = ad.jacobian(example.residuals, sparse=True)
    return lambda: sparse(angles, curve)


def spreading(ad: Any, programs: Any) -> Call:
    """Epidemic of 60 days: Hessian of the likelihood through the equation."""
    from examples import epidemic as example

    times = np.arange(61.0)
    counts, likelihood = (
        np.round(example.by_scipy(example.TRUE, times)),
        programs(example).negative_log_likelihood,
    )
    if is_jax(ad):
        import jax

        hessian = ad.jit(jax.jacrev(jax.jacrev(likelihood)))
    else:
        hessian = ad.hessian(likelihood)
    return lambda: hessian(example.TRUE, times, counts)


def sharpening(ad: Any, programs: Any) -> Call:
    """Deblurring of 256 x 256 pixels: gradient through transforms and total variation."""
    from examples import deblurring as example

    image, spectrum = example.phantom(256), example.gaussian_spectrum(256, 4.0)
    slope = ad.value_and_grad(programs(example).loss)
    return lambda: slope(image, 0.9 * image, spectrum, 2e-4)


def naming(ad: Any, programs: Any) -> Call:
    """Graph network with attention, 300 nodes: gradient."""
    from examples import graph_network as example

    rng = np.random.default_rng(3)
    groups, senders, receivers = example.acquaintances(rng, 300)
    params, features = example.initial(rng, (5, 16, 4)), rng.normal(size=(300, 5))
    slope, asked = ad.value_and_grad(programs(example).loss), np.arange(300) < 60
    return lambda: slope(params, (features, senders, receivers), groups, asked)


def hiding(ad: Any, programs: Any) -> Call:
    """Hidden Markov model of 1000 steps: gradient of the likelihood."""
    from examples import hidden_markov as example

    made = programs(example)
    params = {"moves": 2 * np.eye(3), "first": np.zeros(3), "means": np.arange(3.0), "logs": np.zeros(3)}
    slope = ad.value_and_grad(lambda p, y: made.log_likelihood(p, made.emissions(p, y)))
    emitted = example.sample(1000)[1]
    return lambda: slope(params, emitted)


def swinging(ad: Any, programs: Any) -> Call:
    """Three links by their Lagrangian for 1.2 s: gradient through the equation."""
    from examples import triple_pendulum as example

    motion, times = programs(example).motion, np.linspace(0.0, 1.2, 25)
    slope = ad.value_and_grad(lambda start: (motion(start, times)[0][-1] ** 2).sum())
    return lambda: slope(np.array([1.0, 0.8, 0.6]))


TASKS = (
    sampling, filtering, bouncing, classifying, flowing, pricing, simulating, heating, reaching, spreading,
    sharpening, naming, hiding, swinging,
)  # fmt: skip

RANDOM = (sampling, classifying, simulating, reaching)
"""Tasks whose results are not compared: random numbers differ, and so do dense and sparse matrices."""


if __name__ == "__main__":
    main(*sys.argv[1:])
