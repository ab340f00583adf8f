"""Argon atoms in a box: molecular dynamics whose forces are the gradient of an energy.

    python examples/molecules.py --plot argon.svg

Only the energy of Lennard and Jones is written down, for all pairs of atoms in a periodic box; `ad.grad`
makes the forces, inside of an `ad.scan` over steps of Verlet's method. They are checked against the
formula. A derivative of the energy by the size of the box is the pressure, which the virial theorem gives
too. Energy and momentum have to stay what they are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import mlirad as ad

STEP = 0.004  # in units of Lennard and Jones: for argon 1 is 0.34 nm, 2.2 ps, and 120 K
DENSITY, TEMPERATURE = 0.75, 1.2


class Found(NamedTuple):
    """Positions after the last step [n, 2], the box, energies by step [steps, 2], and distances of pairs."""

    positions: Any
    box: float
    energies: Any
    distances: Any


def main(side: int = 10, steps: int = 3000) -> Found:
    """Melt a lattice of `side` x `side` atoms in two dimensions."""
    count = side**2
    box = side / np.sqrt(DENSITY)
    lattice = (np.stack(np.mgrid[:side, :side], axis=-1).reshape(-1, 2) + 0.5) * box / side
    rng = np.random.default_rng(0)
    speeds = np.sqrt(TEMPERATURE) * rng.normal(size=(count, 2))
    speeds -= np.mean(speeds, axis=0)

    positions, speeds, energies, samples = ad.jit(simulated, static_argnames=("steps", "every"))(
        lattice, speeds, box, steps=steps, every=50
    )
    total = np.sum(energies, axis=1)
    drift = np.max(np.abs(total - total[0])) / np.mean(energies[:, 0])
    temperature = np.mean(energies[steps // 3 :, 0]) / count
    pressure = -ad.grad(scaled_energy)(1.0, positions, box) / (2 * box**2)
    print(f"{count} atoms, {steps} steps: the energy stays within {drift:.1e} of the kinetic energy")
    print(f"temperature {temperature:.3f}, virial part of the pressure {pressure:.4f}")
    assert drift < 2e-2
    assert np.max(np.abs(np.sum(speeds, axis=0))) < 1e-9

    by_formula = forces_by_hand(positions, box)
    np.testing.assert_allclose(
        -ad.grad(energy)(positions, box), by_formula, atol=1e-9 * np.max(np.abs(by_formula))
    )
    apart = pairs(positions, box)
    virial = np.sum(24 * (2 * apart**-12 - apart**-6)) / (2 * box**2)
    np.testing.assert_allclose(pressure, virial, rtol=1e-9)
    distances = np.concatenate([pairs(sample, box) for sample in samples[len(samples) // 3 :]])
    return Found(positions % box, box, energies / count, distances)


def energy(positions: Any, box: Any) -> Any:
    """The sum of 4 (r^-12 - r^-6) over all pairs, each with the nearest image of the other atom."""
    apart = positions[:, None] - positions[None]
    apart = apart - box * np.round(apart / box)
    squares = np.sum(apart**2, axis=-1) + np.eye(len(positions))
    inverse = np.where(np.eye(len(positions), dtype=bool), 0.0, squares**-3)
    return 2 * np.sum(inverse**2 - inverse)


def scaled_energy(scale: Any, positions: Any, box: Any) -> Any:
    """The energy of a box that is blown up with all that is in it."""
    return energy(scale * positions, scale * box)


def simulated(positions: Any, speeds: Any, box: Any, steps: int, every: int) -> Any:
    """Positions and speeds in the end, kinetic and potential energy after each step, and some positions."""
    potential = ad.value_and_grad(energy)

    def step(carry: Any, _: Any) -> Any:
        positions, speeds, slope = carry
        speeds = speeds - STEP / 2 * slope
        positions = positions + STEP * speeds
        height, slope = potential(positions, box)
        speeds = speeds - STEP / 2 * slope
        return (positions, speeds, slope), (0.5 * np.sum(speeds**2), height)

    def stretch(carry: Any, _: Any) -> Any:
        carry, energies = ad.scan(step, carry, length=every)
        return carry, (np.stack(energies, axis=1), carry[0])

    carry = positions, speeds, potential(positions, box)[1]
    (positions, speeds, _), (energies, samples) = ad.scan(stretch, carry, length=steps // every)
    return positions, speeds, energies.reshape(-1, 2), samples


def forces_by_hand(positions: Any, box: float) -> Any:
    """The forces by the derivative in books."""
    apart = positions[:, None] - positions[None]
    apart -= box * np.round(apart / box)
    squares = np.sum(apart**2, axis=-1)
    np.fill_diagonal(squares, np.inf)
    return np.sum((48 * squares**-7 - 24 * squares**-4)[:, :, None] * apart, axis=1)


def pairs(positions: Any, box: float) -> Any:
    """The distances of all pairs."""
    first, second = np.triu_indices(len(positions), 1)
    apart = positions[first] - positions[second]
    return np.linalg.norm(apart - box * np.round(apart / box), axis=1)


def draw(figure: Any, found: Found) -> None:
    """The atoms in the end, how often pairs are so far apart, and the energies."""
    left, middle, right = figure.subplots(1, 3, width_ratios=[1.5, 1, 1])
    left.scatter(*found.positions.T, s=60, color="C0", edgecolor="white", linewidth=0.5)
    left.set(
        aspect="equal",
        xlim=(0, found.box),
        ylim=(0, found.box),
        xticks=[],
        yticks=[],
        title="atoms in the end",
    )
    counts, edges = np.histogram(found.distances, bins=80, range=(0.0, found.box / 2))
    rings = np.pi * np.diff(edges**2) / found.box**2
    middle.stairs(counts / (rings * len(found.distances)), edges)
    middle.axhline(1.0, color="C4", linewidth=0.8)
    middle.set(xlabel="distance", title="pairs, relative to a gas")
    times = STEP * np.arange(len(found.energies))[::10]
    for row, name in zip(
        (*found.energies[::10].T, np.sum(found.energies[::10], axis=1)),
        ("kinetic", "potential", "total"),
        strict=True,
    ):
        right.plot(times, row, label=name)
    right.set(xlabel="time", title="energy per atom")
    right.legend()


if __name__ == "__main__":
    from plots import run

    run(main, draw)
