"""Stiff chemistry: solutions, and gradients by the rates of reactions, beside diffrax and SciPy.

    python -m benchmarks.stiff                  # python -m benchmarks.stiff cpu: by the time on a processor

Two problems of the Test Set for Initial Value Problem Solvers (Mazzia and Magherini, release 2.4, 2008):
Robertson's reaction of 3 species from 0 to 4000, and the 20 species and 25 reactions of polluted air from 0
to 60 minutes. A solution is the states at 20 times; a gradient is that of a weighted sum of the last state,
by the logarithms of all rates. Tolerances are 1e-6 relative and 1e-10 absolute for every solver.

`error` is the largest difference from mlirad's solution with tolerances of 1e-11: of the last state, relative
to each species or 1e-6, whichever is larger, or of the gradient, relative to its largest element. diffrax's
gradient is by its recursive checkpoints; its `BacksolveAdjoint` takes more than 100 000 steps of Robertson.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks.peers import is_installed, jax_in_double
from benchmarks.protocol import Limits, first_call, median_seconds, use_threads
from benchmarks.table import head, row

RELATIVE, ABSOLUTE = 1e-6, 1e-10
EXACT = {"rtol": 1e-11, "atol": 1e-15}
SMALL = 1e-6
"""The least size of a species that errors are relative to."""

REACTIONS = (
    (0.350, (1,), (2, 3)), (26.6, (2, 4), (1,)), (12.3e3, (5, 2), (1, 6)), (8.60e-4, (7,), (5, 5, 8)),
    (8.20e-4, (7,), (8,)), (15.0e3, (7, 6), (5, 8)), (1.30e-4, (9,), (5, 8, 10)), (24.0e3, (9, 6), (11,)),
    (16.5e3, (11, 2), (1, 10, 12)), (9.00e3, (11, 1), (13,)), (0.022, (13,), (1, 11)),
    (12.0e3, (10, 2), (1, 14)), (1.88, (14,), (5, 7)), (16.3e3, (1, 6), (15,)), (4.80e6, (3,), (4,)),
    (3.50e-4, (4,), (16,)), (0.0175, (4,), (3,)), (1.00e8, (16,), (6, 6)), (4.44e11, (16,), (3,)),
    (1.24e3, (17, 6), (5, 18)), (2.10, (19,), (2,)), (5.78, (19,), (1, 3)), (0.0474, (1, 4), (19,)),
    (1.78e3, (19, 1), (20,)), (3.12, (20,), (1, 19)),
)  # fmt: skip
"""The rate of each reaction of polluted air, the species that it takes and those that it makes, from 1 on."""

SPECIES = 20
NOTHING = SPECIES
"""The position of the factor 1, after the species, of reactions that take one of them."""

FIRST = np.array([taken[0] - 1 for _, taken, _ in REACTIONS])
SECOND = np.array([taken[1] - 1 if len(taken) == 2 else NOTHING for _, taken, _ in REACTIONS])
BALANCE = np.array(
    [[made.count(k) - taken.count(k) for _, taken, made in REACTIONS] for k in range(1, SPECIES + 1)], float
)


class Problem(NamedTuple):
    """The right side by a module of arrays, the rates, the state at the start, and the times."""

    slope: Callable[[Any, Any, Any], Any]
    rates: Any
    start: Any
    times: Any


def robertson(xp: Any, y: Any, rates: Any) -> Any:
    """dy/dt of Robertson's three species."""
    decay, loop, pair = rates[0] * y[0], rates[1] * y[1] * y[2], rates[2] * y[1] * y[1]
    return xp.stack([loop - decay, decay - loop - pair, pair])


def pollution(xp: Any, y: Any, rates: Any) -> Any:
    """dy/dt of the 20 species of polluted air."""
    factors = xp.concatenate([y, xp.ones(1)])
    return xp.asarray(BALANCE) @ (rates * y[FIRST] * factors[SECOND])


PROBLEMS = {
    "Robertson": Problem(
        robertson,
        np.array([0.04, 1e4, 3e7]),
        np.array([1.0, 0.0, 0.0]),
        np.concatenate([[0.0], np.geomspace(1e-3, 4e3, 19)]),
    ),
    "air pollution": Problem(
        pollution,
        np.array([rate for rate, _, _ in REACTIONS]),
        np.array([{2: 0.2, 4: 0.04, 7: 0.1, 8: 0.3, 9: 0.01, 17: 0.007}.get(k, 0.0) for k in range(1, 21)]),
        np.linspace(0.0, 60.0, 20),
    ),
}  # fmt: skip


def mlirad_states(problem: Problem, logarithms: Any, adjoint: str = "discrete", **tolerances: float) -> Any:
    """The states at all times, by mlirad."""
    import mlirad as ad

    chosen = {"rtol": RELATIVE, "atol": ABSOLUTE} | tolerances
    return ad.odeint(
        lambda y, t, rates: problem.slope(np, y, rates), problem.start, problem.times, np.exp(logarithms),
        method="rodas5p", adjoint=adjoint, **chosen,
    )  # fmt: skip


def diffrax_states(problem: Problem, logarithms: Any) -> Any:
    """The states at all times, by diffrax's implicit method of order 5."""
    import diffrax
    import jax.numpy as jnp

    term = diffrax.ODETerm(lambda t, y, rates: problem.slope(jnp, y, rates))
    control = diffrax.PIDController(rtol=RELATIVE, atol=ABSOLUTE)
    return diffrax.diffeqsolve(
        term, diffrax.Kvaerno5(), problem.times[0], problem.times[-1], 1e-6, jnp.asarray(problem.start),
        args=jnp.exp(logarithms), saveat=diffrax.SaveAt(ts=problem.times), stepsize_controller=control,
        max_steps=100_000,
    ).ys  # fmt: skip


class Candidate(NamedTuple):
    """A way to a solution or a gradient: its name, and the call."""

    name: str
    call: Callable[[], Any]


def solutions(problem: Problem) -> Iterator[Candidate]:
    """The ways to the states."""
    import mlirad as ad

    logarithms = np.log(problem.rates)
    compiled = ad.jit(lambda logs: mlirad_states(problem, logs))
    yield Candidate("mlirad rodas5p", lambda: compiled(logarithms))
    if is_installed("diffrax"):
        jax = jax_in_double()
        jitted = jax.jit(lambda logs: diffrax_states(problem, logs))
        yield Candidate("diffrax Kvaerno5", lambda: np.asarray(jitted(logarithms)))
    for method in ("Radau", "BDF", "LSODA"):
        yield Candidate(f"SciPy {method}", lambda method=method: by_scipy(problem, method))


def by_scipy(problem: Problem, method: str) -> Any:
    """The states at all times, by SciPy."""
    from scipy.integrate import solve_ivp

    return solve_ivp(
        lambda t, y: problem.slope(np, y, problem.rates), problem.times[[0, -1]], problem.start, method,
        problem.times, rtol=RELATIVE, atol=ABSOLUTE,
    ).y.T  # fmt: skip


def gradients(problem: Problem, weights: Any) -> Iterator[Candidate]:
    """The ways to the gradient of the last state, weighted."""
    import mlirad as ad

    logarithms = np.log(problem.rates)
    for adjoint in ("discrete", "continuous"):
        slope = ad.grad(lambda logs, adjoint=adjoint: mlirad_states(problem, logs, adjoint)[-1] @ weights)
        yield Candidate(f"mlirad {adjoint}", lambda slope=slope: slope(logarithms))
    if is_installed("diffrax"):
        jax = jax_in_double()
        other = jax.jit(jax.grad(lambda logs: diffrax_states(problem, logs)[-1] @ weights))
        yield Candidate("diffrax", lambda: np.asarray(other(logarithms)))


def rows(name: str, clock: str) -> Iterator[tuple[str, ...]]:
    """The rows of the table of a problem."""
    import mlirad as ad

    problem = PROBLEMS[name]
    logarithms = np.log(problem.rates)
    exact = ad.jit(lambda logs: mlirad_states(problem, logs, **EXACT))(logarithms)[-1]
    sizes = np.maximum(np.abs(exact), SMALL)
    weights = 1 / sizes
    slope = ad.grad(lambda logs: mlirad_states(problem, logs, **EXACT)[-1] @ weights)(logarithms)
    limits = Limits(max_seconds=5.0, clock=clock)

    def table(
        kind: str, ways: Iterator[Candidate], error: Callable[[Any], float]
    ) -> Iterator[tuple[str, ...]]:
        started = [(way, first_call(way.call, clock)[0]) for way in ways]
        seconds = median_seconds([way.call for way, _ in started], limits)
        for (way, first), taken in zip(started, seconds, strict=True):
            yield name, kind, way.name, f"{1e3 * taken:.3g}", f"{first:.2f}", f"{error(way.call()):.1e}"

    yield from table("solution", solutions(problem), lambda y: np.max(np.abs(y[-1] - exact) / sizes))
    yield from table(
        "gradient", gradients(problem, weights), lambda g: np.max(np.abs(g - slope)) / np.max(np.abs(slope))
    )


def main(clock: str = "wall") -> None:
    """Print the tables."""
    use_threads(1)
    print("\n".join(head(["problem", "", "by", "ms", "first call s", "error"])))
    for name in PROBLEMS:
        for cells in rows(name, clock):
            print(row(cells), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
