"""Lattices: a model of magnets at random, and a flow by colliding and streaming populations."""

from __future__ import annotations

from typing import Any

import numpy as np

import mlirad as ad
from benchmarks.side_by_side import Call, given

STEPS = 40


def surrogate_energy(coldness: Any, spins: Any, key: Any) -> Any:
    """The energy after sweeps of Metropolis's rule, with the score function as its derivative in coldness."""
    size = len(spins)
    black = (np.arange(size)[:, None] + np.arange(size)) % 2 == 0

    def half(state: Any, key: Any, colour: Any) -> Any:
        spins, score = state
        change = 2.0 * spins * around(spins)
        odds = np.minimum(-coldness * change, 0.0)
        drawn = ad.random.uniform(key, spins.shape)
        flipped = colour & (drawn < np.exp(odds))
        refused = colour & ~flipped
        risky = np.where(odds < 0.0, odds, -1.0)
        log_chance = np.where(odds < 0.0, np.where(flipped, odds, np.log1p(-np.exp(risky))), 0.0)
        score = score + np.sum(np.where(flipped | refused, log_chance, 0.0))
        return np.where(flipped, -spins, spins), score

    def sweep(state: Any, key: Any) -> Any:
        first, second = ad.random.split(key)
        return half(half(state, first, black), second, ~black), None

    (spins, score), _ = ad.scan(sweep, (spins, 0.0), ad.random.split(key, STEPS))
    energy = -np.mean(spins * around(spins)) / 2
    return energy + ad.stop_gradient(energy) * (score - ad.stop_gradient(score))


def around(spins: Any) -> Any:
    """The sum of the four neighbours on a torus."""
    return sum(np.roll(spins, by, axis) for by in (1, -1) for axis in (0, 1))


def ising(system: Any, programs: Any) -> Call:
    """Ising's model, 64 x 64 spins, 40 sweeps by Metropolis's rule: score function"""
    rng = np.random.default_rng(0)
    slope = system.value_and_grad(programs(this()).surrogate_energy)
    (spins,) = given(system, rng.choice([-1.0, 1.0], size=(64, 64)))
    key = system.random.key(0)
    return lambda: slope(0.4, spins, key)


DIRECTIONS = np.array([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)])

SHARES = np.array([4 / 9] + 4 * [1 / 9] + 4 * [1 / 36])


def flow_misfit(rate: Any, populations: Any, target: Any) -> Any:
    """The mean square misfit of the velocities of a lattice Boltzmann flow (D2Q9) after `STEPS` steps.

    rate is the relaxation of each cell [n, n], populations are [9, n, n].
    """

    def step(_: Any, f: Any) -> Any:
        density = np.sum(f, axis=0)
        velocity = np.tensordot(DIRECTIONS.T, f, 1) / density
        along = np.tensordot(DIRECTIONS, velocity, 1)
        square = np.sum(velocity**2, axis=0)
        rest = SHARES[:, None, None] * density * (1 + 3 * along + 4.5 * along**2 - 1.5 * square)
        f = f + rate * (rest - f)
        return np.stack([np.roll(f[k], tuple(d), (0, 1)) for k, d in enumerate(DIRECTIONS.tolist())])

    f = ad.fori_loop(0, STEPS, step, populations)
    return np.mean((np.tensordot(DIRECTIONS.T, f, 1) / np.sum(f, axis=0) - target) ** 2)


def boltzmann(system: Any, programs: Any) -> Call:
    """Lattice Boltzmann flow of 64 x 64 cells, 40 steps: gradient by the viscosity of each cell"""
    rng = np.random.default_rng(1)
    density = 1 + 0.05 * rng.uniform(size=(9, 64, 64))
    slope = system.value_and_grad(programs(this()).flow_misfit)
    arguments = given(
        system, np.full((64, 64), 1.2), SHARES[:, None, None] * density, 0.01 * rng.normal(size=(2, 64, 64))
    )
    return lambda: slope(*arguments)


def this() -> Any:
    """This module."""
    import benchmarks.workloads.lattices as module

    return module


TASKS = (ising, boltzmann)

RANDOM = (ising,)
