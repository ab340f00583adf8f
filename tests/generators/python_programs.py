"""Random Python functions: loops, branches, tuples, builds and batches, with derivatives inside.

    f = random_function(seed, depth=3)        f((s, v)) -> (s', v')   of a scalar and a vector of length N

Every part maps such a pair to one, is smooth and bounded, and is made of smaller parts: the body of a loop,
the sides of a branch, a function that is differentiated. Decisions (positions, conditions, numbers of
iterations) depend on integers and on lengths only.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

import mlirad as ad

N = 3
"""The length of the vector."""

State = Any
Part = Callable[[State], State]


def random_function(seed: int, depth: int) -> Part:
    """A function of a pair (scalar, vector); equal seeds and depths give equal functions."""
    return part(random.Random(seed), depth)


def part(rng: random.Random, depth: int) -> Part:
    """A sequence of one to three random steps."""
    makers = LEAVES if depth <= 0 else (*LEAVES, *COMPOSITES, *COMPOSITES)
    steps = [rng.choice(makers)(rng, depth - 1) for _ in range(rng.randint(1, 3))]

    def run(state: State) -> State:
        for step in steps:
            state = step(state)
        return state

    return run


def scalar_of(f: Part, weights: tuple[float, float]) -> Callable[..., Any]:
    """A scalar function of a scalar and a vector."""

    def function(s: Any, v: Any) -> Any:
        s, v = f((s, v))
        return weights[0] * np.tanh(s) + weights[1] * np.mean(np.sin(v))

    return function


# Leaves ------------------------------------------------------------------------------------------


def elementwise(rng: random.Random, _: int) -> Part:
    a, b = rng.uniform(0.5, 1.5), rng.uniform(-1, 1)
    return rng.choice(
        (
            lambda t: (np.sin(a * t[0] + b), np.tanh(t[1] * t[0])),
            lambda t: (t[0] * np.exp(-(t[0] ** 2)), a * t[1] / (1 + t[1] ** 2)),
            lambda t: (np.sqrt(1 + t[0] ** 2) - b, np.logaddexp(t[1], b) - 1),
            lambda t: (np.arctan2(t[0], 1.5 + np.cos(t[0])), np.where(np.arange(N) > 1, t[1], t[1] * t[0])),
        )
    )


def mixing(rng: random.Random, _: int) -> Part:
    m = np.random.default_rng(rng.randrange(1000)).uniform(-1, 1, size=(N, N))
    return rng.choice(
        (
            lambda t: (np.mean(t[1]) * 0.5, np.sin(m @ t[1] + t[0])),
            lambda t: (np.tanh(t[1] @ t[1]), np.cumsum(t[1]) / N),
            lambda t: (t[0] + np.prod(np.cos(t[1])), t[1][::-1] * t[0]),
            lambda t: (np.sin(np.linalg.norm(t[1] + 3)), np.einsum("i,ij->j", np.sin(t[1]), m)),
        )
    )


def positions(rng: random.Random, _: int) -> Part:
    k = rng.randint(-1, N)
    return rng.choice(
        (
            lambda t: (t[1][k % N], t[1].at[k % N].set(np.sin(t[0]))),
            lambda t: (t[0], ad.build((N,), lambda i: ad.index(t[1], i + k) * t[0] + t[1][i])),
            lambda t: (np.sum(ad.gather(t[1], (5,), lambda i: i * k - 1)) / 5, t[1]),
            lambda t: (t[0], ad.scatter(np.sin(t[1]), (N,), lambda i: (i * i + k) % N)),
        )
    )


# Loops and branches ------------------------------------------------------------------------------


def scanned(rng: random.Random, depth: int) -> Part:
    body, length = part(rng, depth), rng.choice((0, 1, 2, 4))
    checkpoint, reverse = rng.choice((None, "store", "recompute", "sqrt")), rng.random() < 0.3
    shared, dropped = rng.random() < 0.5, rng.choice(("nothing", "nothing", "carries", "outputs", "mixing"))

    def run(state: State) -> State:
        s, v = state

        def step(carry: State, x: Any) -> tuple[State, Any]:
            t, w = body(carry)
            w = w * v if shared else w
            if dropped == "mixing":  # what iterations make depends on no other iteration
                t, w = carry[0] * 0.2, body((x["x"], v))[1]
            return (np.sin(t + x["x"]), np.tanh(w)), (t, {"w": w})

        xs = {"x": np.linspace(0.1, 1.0, length) * s}
        (t, w), (ts, rows) = ad.scan(step, (s, v), xs, length, reverse, checkpoint)
        if dropped == "carries":
            return s + np.sum(ts) * 0.1, v + np.sum(rows["w"], axis=0) * 0.1
        if dropped == "outputs":
            return t, w
        return t + np.sum(ts) * 0.1, w + np.sum(rows["w"], axis=0) * 0.1

    return run


def repeated(rng: random.Random, depth: int) -> Part:
    body, iterations, by_data = part(rng, depth), rng.choice((0, 1, 3)), rng.random() < 0.5

    def run(state: State) -> State:
        if not by_data:
            return ad.fori_loop(0, iterations, lambda i, c: body((c[0] + 0.1 * i, c[1])), state)
        counted = ad.while_loop(
            lambda c: c[0] < ad.asarray(iterations), lambda c: (c[0] + 1, body(c[1])), (np.int64(0), state)
        )
        return counted[1]

    return run


def branched(rng: random.Random, depth: int) -> Part:
    sides = [part(rng, depth) for _ in range(rng.choice((2, 3)))]
    choice = rng.randrange(len(sides))

    def run(state: State) -> State:
        if len(sides) == 2:
            return ad.cond(ad.asarray(choice) == 0, sides[0], sides[1], state)
        return ad.switch(ad.asarray(choice), sides, state)

    return run


def by_lanes(rng: random.Random, depth: int) -> Part:
    """A part for every element, in a build, a map or a batch; some lanes take another branch."""
    body, other, kind = part(rng, depth), part(rng, depth), rng.choice(("build", "map", "vmap"))

    def run(state: State) -> State:
        s, v = state

        def lane(x: Any, i: Any) -> Any:
            t, w = ad.cond(i > 0, body, other, (s * x, v + x))
            return np.sin(t) + np.sum(w) * 0.2

        if kind == "build":
            return s, ad.build((N,), lambda i: lane(v[i], i))
        if kind == "map":
            return s, ad.map(lane, v, np.arange(N))
        return s, ad.vmap(lane)(v, np.arange(N))

    return run


# Derivatives inside ------------------------------------------------------------------------------


def differentiated(rng: random.Random, depth: int) -> Part:
    """A derivative of a part, at the state, of first or second order; it may capture the state."""
    f = scalar_of(part(rng, depth - 1), (rng.uniform(0.2, 1), rng.uniform(0.2, 1)))
    kind, captures = rng.choice(("grad", "jvp", "vjp", "hvp", "linearize", "jacobian")), rng.random() < 0.5

    def run(state: State) -> State:
        s, v = state
        g = (lambda a, b: f(a, b) * np.cos(s) + a * np.mean(v)) if captures else f
        match kind:
            case "grad":
                ds, dv = ad.grad(g, argnums=(0, 1))(s, v)
            case "jvp":
                ds, dv = ad.jvp(g, (s, v), (1.0, v))[1], v
            case "vjp":
                ds, dv = ad.vjp(g, s, v)[1](np.cos(s))
            case "hvp":
                ds, dv = ad.hvp(g, (s, v), (s, np.ones(N)))
            case "linearize":
                ds, dv = ad.linearize(g, s, v)[1](s, np.sin(v)), v
            case _:
                ds, dv = s, ad.jacobian(g, argnums=1)(s, v)
        return np.tanh(ds), np.tanh(dv)

    return run


def wrapped(rng: random.Random, depth: int) -> Part:
    body = part(rng, depth)
    return rng.choice((ad.checkpoint(body), ad.function(lambda state: body(state)), ad.jit(body)))


def recursive(rng: random.Random, depth: int) -> Part:
    """A function that calls itself, before or after its own part, as often as an integer says."""
    body, iterations, is_last = part(rng, depth - 1), rng.choice((0, 1, 2)), rng.random() < 0.5

    def deeper(state: State, n: Any) -> State:
        return descend(body(state), n - 1) if is_last else body(descend(state, n - 1))

    @ad.function
    def descend(state: State, n: Any) -> State:
        return ad.cond(n < 1, lambda: (np.sin(state[0]), state[1] * 1.0), lambda: deeper(state, n))

    return lambda state: descend(state, ad.asarray(iterations))


LEAVES: tuple[Callable[[random.Random, int], Part], ...] = (elementwise, mixing, positions)
COMPOSITES: tuple[Callable[[random.Random, int], Part], ...] = (
    scanned,
    repeated,
    branched,
    by_lanes,
    differentiated,
    wrapped,
    recursive,
)
