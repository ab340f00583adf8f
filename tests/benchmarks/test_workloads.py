"""Workloads: their gradients against differences, in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlirad as ad
from benchmarks.side_by_side import Task, direct
from benchmarks.workloads import lattices
from benchmarks.workloads.__main__ import MODULES, main

TASKS = {task.__name__: task for module in MODULES for task in module.TASKS}


class Recorder:
    """mlirad, with a record of what is differentiated, and of the arguments."""

    def __getattr__(self, name: str) -> Any:
        return getattr(ad, name)

    def value_and_grad(self, function: Any, argnums: Any = 0) -> Any:
        self.function, self.argnums = function, argnums

        def call(*arguments: Any) -> Any:
            self.arguments = arguments

        return call


def doubled(tree: Any) -> Any:
    return ad.tree.map(lambda x: x.astype(float) if getattr(x, "dtype", None) == np.float32 else x, tree)


def recorded(task: Task) -> Recorder:
    recorder = Recorder()
    call = task(recorder, direct)
    assert call is not None
    call()
    return recorder


@pytest.mark.parametrize("name", [name for name in TASKS if name != lattices.ising.__name__])
def test_gradients_are_those_of_differences(name: str) -> None:
    """Along the gradient itself, where it is largest."""
    made = recorded(TASKS[name])
    arguments = list(doubled(made.arguments))
    _, slopes = ad.value_and_grad(made.function, made.argnums)(*arguments)
    places = made.argnums if isinstance(made.argnums, tuple) else (made.argnums,)
    slopes = slopes if isinstance(made.argnums, tuple) else (slopes,)
    squares = sum(np.sum(s**2) for s in ad.tree.leaves(slopes))
    value = ad.jit(made.function)

    def at(step: float) -> Any:
        moved = list(arguments)
        for k, slope in zip(places, slopes, strict=True):
            moved[k] = ad.tree.map(lambda x, s: x + step * s, arguments[k], slope)
        return value(*moved)

    step = 1e-7 / np.sqrt(squares)
    np.testing.assert_allclose((at(step) - at(-step)) / (2 * step), squares, rtol=1e-4)


def test_the_score_of_a_lattice_is_that_of_its_choices() -> None:
    """The derivative is the energy times that of the choices' log-probability, whose mean is 0."""
    keys = ad.random.split(ad.random.key(3), 200)
    spins = np.random.default_rng(0).choice([-1.0, 1.0], size=(4, 4))
    _, slope = ad.vmap(ad.value_and_grad(lattices.surrogate_energy), (None, None, 0))(0.3, spins, keys)
    value = ad.vmap(lattices.surrogate_energy, (None, None, 0))
    energies = [np.mean(value(c, spins, keys)) for c in (0.25, 0.35)]
    difference = (energies[1] - energies[0]) / 0.1
    assert abs(np.mean(slope) - difference) < 4 * np.std(slope) / np.sqrt(len(keys))


def test_an_unknown_workload_is_named() -> None:
    with pytest.raises(SystemExit, match="there is no workload isin; there are transformer, "):
        main("cpu", "isin")
