"""Particles that press on each other, and ensembles of animals that eat each other."""

from __future__ import annotations

from typing import Any

import numpy as np

import mlirad as ad
from benchmarks.side_by_side import Call, given

REACH, STEP = 0.15, 2e-3


def spread_of_drop(velocities: Any, positions: Any, steps: int) -> Any:
    """The mean square distance of smoothed particles [n, 2] from the origin after some steps.

    Densities by the kernel (h^2 - r^2)^3, pressures linear in them, viscosity by the difference of
    velocities: all pairs.
    """

    def step(_: Any, state: Any) -> Any:
        x, v = state
        apart = x[:, None, :] - x[None, :, :]
        square = np.sum(apart**2, axis=-1)
        near = np.maximum(REACH**2 - square, 0.0)
        density = np.sum(near**3, axis=1) * (4 / (np.pi * REACH**8))
        pressure = 0.5 * (density - 400.0)
        push = (pressure[:, None] + pressure[None, :]) / (density[:, None] * density[None, :]) * near**2
        rub = near / (density[:, None] * density[None, :])
        force = np.sum(push[:, :, None] * apart, axis=1) * 20.0
        force = force - 2e3 * np.sum(rub[:, :, None] * (v[:, None, :] - v[None, :, :]), axis=1)
        v = v + STEP * force
        return x + STEP * v, v

    x, _ = ad.fori_loop(0, steps, step, (positions, velocities))
    return np.mean(np.sum(x**2, axis=1))


def drop(system: Any, programs: Any) -> Call:
    """Smoothed particles, 400 of them, 10 steps: gradient by the velocities at the start"""
    rng = np.random.default_rng(0)
    spread = programs(this()).spread_of_drop
    slope = system.value_and_grad(lambda v, x: spread(v, x, 10))
    arguments = given(system, 0.1 * rng.normal(size=(400, 2)), rng.uniform(-0.5, 0.5, size=(400, 2)))
    return lambda: slope(*arguments)


def misfit_of_animals(rates: Any, start: Any, seen: Any) -> Any:
    """Lotka and Volterra's equations for an ensemble by 300 steps of Runge and Kutta.

    rates [4, n], start [2, n]; the mean square misfit of the logarithms at the end.
    """

    def slope(y: Any) -> Any:
        prey, hunters = y
        born, eaten, fed, died = rates
        return np.stack([prey * (born - eaten * hunters), hunters * (fed * prey - died)])

    def step(_: Any, y: Any) -> Any:
        h = 0.02
        a = slope(y)
        b = slope(y + h / 2 * a)
        c = slope(y + h / 2 * b)
        d = slope(y + h * c)
        return y + h / 6 * (a + 2 * b + 2 * c + d)

    return np.mean((np.log(ad.fori_loop(0, 300, step, start)) - seen) ** 2)


def animals(system: Any, programs: Any) -> Call:
    """Predators and prey, an ensemble of 1000, 300 steps of Runge and Kutta: gradient by all rates"""
    rng = np.random.default_rng(1)
    rates = np.array([1.1, 0.4, 0.1, 0.4])[:, None] * rng.uniform(0.8, 1.2, size=(4, 1000))
    slope = system.value_and_grad(programs(this()).misfit_of_animals)
    arguments = given(system, rates, rng.uniform(5.0, 10.0, size=(2, 1000)), rng.normal(size=(2, 1000)))
    return lambda: slope(*arguments)


def this() -> Any:
    """This module."""
    import benchmarks.workloads.particles as module

    return module


TASKS = (drop, animals)

RANDOM = ()
