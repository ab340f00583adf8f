"""Random programs on an array of cells: every iteration of a loop reads some cells and updates some.

    f = random_cells(seed, depth=1)   f(v, positions) -> scalar     of n cells, in len(positions) iterations

Reads and updates stand in the iteration itself, in branches, inner loops, checkpoints, derivatives and
functions that are called, in any order, nested. Whatever n is, an iteration takes the same time, and so must
its derivative.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

import mlirad as ad

Cells = tuple[Any, Any]
"""The array and a scalar."""

Step = Callable[[Cells, Any], Cells]
"""A step at a position."""


def random_cells(seed: int, depth: int = 1) -> Callable[[Any, Any], Any]:
    """A function of the cells and of the positions at which its iterations work; the same for the same
    seed.
    """
    rng = random.Random(seed)
    step, outer = _steps(rng, depth), rng.choice((_scanned, _counted, _by_recursion))

    def function(v: Any, positions: Any) -> Any:
        v, s = outer(step, (v, 0.5), positions)
        return s + np.mean(np.sin(v))

    return function


def _steps(rng: random.Random, depth: int) -> Step:
    makers = _LEAVES if depth <= 0 else (*_LEAVES, *_COMPOSITES)
    steps = [rng.choice(makers)(rng, depth - 1) for _ in range(rng.randint(1, 2))]

    def run(state: Cells, p: Any) -> Cells:
        for step in steps:
            state = step(state, p)
        return state

    return run


def _at(rng: random.Random) -> Callable[[Any, Any], Any]:
    """A cell: near the position, at a fixed place, or the position itself."""
    k = rng.choice((-2, -1, 0, 0, 1))
    return rng.choice((lambda v, p: (p + k) % len(v), lambda v, p: p, lambda v, p: abs(k)))


# Steps -------------------------------------------------------------------------------------------


def _reads(rng: random.Random, _: int) -> Step:
    i, j = _at(rng), _at(rng)
    return rng.choice(
        (
            lambda t, p: (t[0], np.sin(t[1] + t[0][i(t[0], p)])),
            lambda t, p: (t[0], 0.5 * t[1] + np.cos(t[0][i(t[0], p)]) * t[0][j(t[0], p)]),
        )
    )


def _updates(rng: random.Random, _: int) -> Step:
    i, j = _at(rng), _at(rng)

    def both(t: Cells, p: Any) -> Cells:
        v, s = t
        return v.at[i(v, p)].set(np.sin(s) * v[j(v, p)]), s + 0.5 * v[i(v, p)]

    return rng.choice(
        (
            lambda t, p: (t[0].at[i(t[0], p)].set(np.sin(t[1])), t[1]),
            lambda t, p: (t[0].at[i(t[0], p)].add(0.1 * t[0][j(t[0], p)]), t[1]),
            lambda t, p: (t[0].at[i(t[0], p)].multiply(np.cos(t[1])), np.tanh(t[1])),
            both,
        )
    )


def _branched(rng: random.Random, depth: int) -> Step:
    m = rng.choice((2, 3))
    sides = [_steps(rng, depth) if rng.random() < 0.7 else (lambda t, p: t) for _ in range(m)]

    def run(t: Cells, p: Any) -> Cells:
        if m == 2:
            return ad.cond(p % 2 == 0, lambda: sides[0](t, p), lambda: sides[1](t, p))
        return ad.switch(p % 3, [lambda side=side: side(t, p) for side in sides])

    return run


def _looped(rng: random.Random, depth: int) -> Step:
    iterations, carried = rng.choice((1, 2, 3)), rng.random() < 0.6
    # A loop that updates an array which it does not pass on copies it in every iteration.
    step = _steps(rng, depth) if carried else _reads(rng, depth)

    def run(t: Cells, p: Any) -> Cells:
        if carried:
            return ad.fori_loop(0, iterations, lambda i, t: step(t, (p + i) % len(t[0])), t)
        v, s = t
        return v, ad.fori_loop(0, iterations, lambda i, s: step((v, s), (p + i) % len(v))[1], s)

    return run


def _called(rng: random.Random, depth: int) -> Step:
    step, twice = _steps(rng, depth), rng.random() < 0.5
    called = ad.function(lambda v, s, p: step((v, s), p))

    def run(t: Cells, p: Any) -> Cells:
        v, s = called(*t, p)
        return called(v, s, 0 * p) if twice else (v, s)

    return run


def _checkpointed(rng: random.Random, depth: int) -> Step:
    step = _steps(rng, depth)
    return lambda t, p: ad.checkpoint(lambda t: step(t, p))(t)


def _differentiated(rng: random.Random, depth: int) -> Step:
    i, a = _at(rng), rng.uniform(0.5, 1.5)
    return lambda t, p: (t[0], ad.grad(lambda s: np.sin(a * s) * t[0][i(t[0], p)])(t[1]))


# Loops -------------------------------------------------------------------------------------------


def _scanned(step: Step, state: Cells, positions: Any) -> Cells:
    return ad.scan(lambda t, p: (step(t, p), None), state, positions)[0]


def _counted(step: Step, state: Cells, positions: Any) -> Cells:
    count = ad.asarray(len(positions))

    def iteration(c: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        i, v, s = c
        return (i + 1, *step((v, s), positions[i]))

    return ad.while_loop(lambda c: c[0] < count, iteration, (0, *state))[1:]


def _by_recursion(step: Step, state: Cells, positions: Any) -> Cells:
    @ad.function
    def run(v: Any, s: Any, positions: Any, i: Any) -> Any:
        def again() -> Any:
            return run(*step((v, s), positions[i]), positions, i - 1)

        return ad.cond(i < 0, lambda: (v, s), again)

    return run(*state, positions, ad.asarray(len(positions) - 1))


_LEAVES: tuple[Callable[[random.Random, int], Step], ...] = (_reads, _updates, _updates)
_COMPOSITES: tuple[Callable[[random.Random, int], Step], ...] = (
    _branched,
    _branched,
    _looped,
    _called,
    _checkpointed,
    _differentiated,
)
