"""The layers of the ground from echoes at its surface: full waveform inversion in one dimension.

    python examples/wave_inversion.py --plot echoes.svg

Waves go down from a source at the surface, and layers of other speed send echoes back, which one geophone
records. `ad.scan` runs the wave equation, a stencil in space and time, over all steps; its gradient by
the speed at every depth is what the adjoint-state method computes. SciPy's L-BFGS changes the speeds
until the echoes fit. The wave in homogeneous ground is known by d'Alembert's formula.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

import mlirad as ad

DEPTH, DURATION, SLOW = 1.0, 2.0, 1.0  # [km], [s], and the speed in the uppermost layer [km/s]


class Found(NamedTuple):
    """Depths, and speeds there: true, at the start and found. Times, and the records there."""

    depths: Any
    true: Any
    start: Any
    speeds: Any
    times: Any
    records: tuple[Any, Any, Any]


def main(cells: int = 100, iterations: int = 400) -> Found:
    """Find the speeds."""
    depths = (np.arange(cells) + 0.5) * DEPTH / cells
    times = np.linspace(0.0, DURATION, int(DURATION / (0.5 * DEPTH / cells)))
    true = np.select([depths < 0.3, depths < 0.45, depths < 0.65], [SLOW, 1.3, 1.15], 1.5)
    start = np.full(cells, SLOW)
    recorded = ad.jit(record)
    assert np.max(np.abs(recorded(start, times) - pulse(times))) < 0.02

    echoes = recorded(true, times)
    problem = ad.scipy.objective(misfit, start, times, echoes)
    bounds = [(0.7, 1.9)] * cells
    fit = minimize(
        problem.fun,
        problem.x0,
        jac=problem.jac,
        bounds=bounds,
        method="L-BFGS-B",
        options={"maxiter": iterations},
    )
    speeds = problem.unflatten(fit.x)
    first, last = (np.mean(np.abs(s - true)) for s in (start, speeds))
    print(f"{cells} speeds from {len(times)} samples, in {fit.nit} iterations")
    print(f"misfit {problem.fun(start):.2e} -> {fit.fun:.2e}")
    print(f"speeds are {first:.3f} km/s off at the start, {last:.3f} in the end")
    assert fit.fun < 2e-3 * problem.fun(start)
    assert last < 0.1 * first

    direction = np.sin(9 * depths)
    ends = (problem.fun(start + h * direction) for h in (1e-4, -1e-4))
    np.testing.assert_allclose(problem.jac(start) @ direction, (next(ends) - next(ends)) / 2e-4, rtol=1e-4)
    return Found(depths, true, start, speeds, times, tuple(recorded(s, times) for s in (true, start, speeds)))


def pulse(t: Any) -> Any:
    """Return how the source moves the surface of homogeneous ground."""
    return np.exp(-(((t - 0.12) / 0.04) ** 2))


def record(speeds: Any, times: Any) -> Any:
    """The displacement of the surface, by central differences; waves leave at the bottom without an echo."""
    step, cell = times[1] - times[0], DEPTH / len(speeds)
    courant = (speeds * step / cell) ** 2
    leaving = speeds[-1] * step / cell

    def move(carry: Any, t: Any) -> Any:
        before, now = carry
        above = np.concatenate([now[:1], now[:-1]])
        below = np.concatenate([now[1:], now[-1:]])
        after = 2 * now - before + courant * (above - 2 * now + below)
        bottom = now[-1] - leaving * (now[-1] - now[-2])
        force = (pulse(t + 0.5 * step) - pulse(t - 0.5 * step)) * cell / (SLOW * step)
        source = courant[0] * force
        after = np.concatenate([after[:1] + source, after[1:-1], bottom[None]])
        return (now, after), after[0]

    still = np.zeros(len(speeds))
    return ad.scan(move, (still, still), times)[1]


def misfit(speeds: Any, times: Any, echoes: Any) -> Any:
    """The mean squared error of the record; and the heights of all jumps, so that there are few layers."""
    jumps = np.sum(np.sqrt(np.diff(speeds) ** 2 + 1e-6))
    return 1e3 * np.mean((record(speeds, times) - echoes) ** 2) + 1e-3 * jumps


def draw(figure: Any, found: Found) -> None:
    """The speeds, and the records."""
    left, right = figure.subplots(1, 2, width_ratios=[1, 1.4])
    for speeds, color, name in (
        (found.true, "black", "true"),
        (found.start, "C4", "start"),
        (found.speeds, "C3", "found"),
    ):
        left.plot(speeds, found.depths, color=color, label=name)
    left.set(xlabel="speed [km/s]", ylabel="depth [km]", title="the ground")
    left.invert_yaxis()
    left.legend()
    echoes = found.times > 0.3
    for data, color, width in zip(found.records, ("black", "C4", "C3"), (3, 1, 1), strict=True):
        right.plot(found.times[echoes], data[echoes], color=color, linewidth=width)
    right.set(xlabel="time [s]", title="the echoes at the surface")


if __name__ == "__main__":
    from plots import run

    run(main, draw)
