"""A pendulum of three links moves by its Lagrangian alone, and a release is found that brings it to a target.

    python examples/triple_pendulum.py --plot links.svg

The equations of motion are derivatives of kinetic less potential energy: a Hessian by the speeds, a mixed
one, and a gradient. `ad.odeint` solves them, and a further derivative goes through the solution to where the
links begin. The witnesses are the textbook's equations by SciPy's solver, and the energy, which stays.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

import mlirad as ad

LENGTHS, MASSES, GRAVITY = np.array([1.0, 0.7, 0.5]), np.array([1.0, 0.6, 0.4]), 9.81


class Found(NamedTuple):
    """The places of the three masses at all times [n, 3, 2], and the target [2]."""

    places: Any
    target: Any


def main(duration: float = 1.2) -> Found:
    """Find the angles of release after which the last mass is at a target at the end."""
    times, target = np.linspace(0.0, duration, 25), np.array([-1.2, -1.2])

    def miss(start: Any) -> Any:
        angles, speeds = motion(start, times)
        return np.concatenate([places(angles[-1])[-1] - target, 1e-3 * start, 1e-3 * speeds[-1]])

    evaluate, jacobian = ad.jit(miss), ad.jacfwd(miss)
    found = least_squares(evaluate, [1.0, 0.8, 0.6], jac=jacobian)
    angles, speeds = ad.jit(motion)(found.x, times)
    energies = ad.jit(ad.vmap(energy))(angles, speeds)
    off = np.linalg.norm(places(angles[-1])[-1] - target)
    print(f"released at {found.x.round(3)}, the end is {off:.1e} off the target after {found.nfev} trials")
    print(f"the energy changes by {np.ptp(energies):.1e} of {energies[0]:.2f} J")
    assert off < 1e-2
    assert np.ptp(energies) < 1e-5
    np.testing.assert_allclose(angles, by_textbook(found.x, times), rtol=1e-5, atol=1e-5)
    step = 1e-5
    differences = [
        (evaluate(found.x + step * e) - evaluate(found.x - step * e)) / (2 * step) for e in np.eye(3)
    ]
    np.testing.assert_allclose(jacobian(found.x), np.transpose(differences), rtol=1e-4, atol=1e-4)
    return Found(np.array([places(q) for q in angles]), target)


def places(angles: Any) -> Any:
    """Return where the masses are [3, 2]."""
    return np.cumsum(LENGTHS[:, None] * np.stack([np.sin(angles), -np.cos(angles)], axis=1), axis=0)


def lagrangian(angles: Any, speeds: Any) -> Any:
    """Kinetic less potential energy."""
    _, moved = ad.jvp(places, (angles,), (speeds,))
    return 0.5 * np.sum(MASSES[:, None] * moved**2) - GRAVITY * MASSES @ places(angles)[:, 1]


def energy(angles: Any, speeds: Any) -> Any:
    """Kinetic and potential energy, which is a Legendre transform."""
    return ad.grad(lagrangian, 1)(angles, speeds) @ speeds - lagrangian(angles, speeds)


def change(state: Any, t: Any) -> Any:
    """The change of angles and speeds in a second, by the equation of Euler and Lagrange."""
    angles, speeds = state
    inertia = ad.hessian(lagrangian, 1)(angles, speeds)
    mixed = ad.jacobian(ad.grad(lagrangian, 1), 0)(angles, speeds)
    force = ad.grad(lagrangian)(angles, speeds) - mixed @ speeds
    return speeds, np.linalg.solve(inertia, force)


def motion(start: Any, times: Any) -> Any:
    """Angles and speeds at the times [n, 3] after a release at rest."""
    return ad.odeint(change, (start, np.zeros(3)), times, rtol=1e-8, atol=1e-8)


def by_textbook(start: Any, times: Any) -> Any:
    """The angles at the times, by equations derived by hand."""
    carried = np.cumsum(MASSES[::-1])[::-1]
    pair = carried[np.maximum.outer(np.arange(3), np.arange(3))] * np.outer(LENGTHS, LENGTHS)

    def right_side(_: float, state: Any) -> Any:
        q, v = state[:3], state[3:]
        between = q[:, None] - q
        force = -(pair * np.sin(between)) @ v**2 - carried * LENGTHS * GRAVITY * np.sin(q)
        return np.concatenate([v, np.linalg.solve(pair * np.cos(between), force)])

    whole = np.concatenate([start, np.zeros(3)])
    found = solve_ivp(
        right_side, (times[0], times[-1]), whole, t_eval=times, rtol=1e-11, atol=1e-11, method="DOP853"
    )
    return found.y[:3].T


def draw(figure: Any, found: Found) -> None:
    """The links at some times, the path of the last mass, and the target."""
    axes = figure.subplots()
    links = np.concatenate([np.zeros((len(found.places), 1, 2)), found.places], axis=1)
    for k in range(0, len(links), 4):
        axes.plot(*links[k].T, "o-", color="C0", markersize=3, alpha=0.2 + 0.8 * k / len(links))
    axes.plot(*found.places[:, -1].T, color="C1", label="path of the last mass")
    axes.plot(*found.target, "x", color="C3", label="target")
    axes.set(aspect="equal", title="three links from rest")
    axes.legend()


if __name__ == "__main__":
    from plots import run

    run(main, draw)
