"""A plate of 200 x 200 conductivities: 50 implicit steps of the heat equation, and the gradient by them all.

    python -m benchmarks.heat                  # python -m benchmarks.heat cpu: by the time on a processor

The program is `temperatures` of `examples/heat_equation.py`: a sparse matrix made of the conductivities is
factorised, and the factors serve all steps and the transposed solves of the gradient. Beside it are the same
by hand, with SciPy's factors and the adjoint written out, and JAX, which has no sparse factorisation on
processors: conjugate gradients, whose derivative is another such solve, to residuals of 1e-10.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse.linalg import splu

from benchmarks.peers import is_installed, jax_in_double
from benchmarks.protocol import Limits, first_call, median_seconds, use_threads
from benchmarks.table import head, row
from examples.heat_equation import STEP, implicit_step, neighbours, temperatures

SIZE, STEPS = 200, 50
TOLERANCE = 1e-7
"""The distance that gradients may have from that by hand, relative to the largest element."""

Call = Callable[[], tuple[Any, Any]]


def instance(size: int) -> tuple[Any, Any, Any]:
    """Conductivities, temperatures before, and temperatures that were measured after."""
    x = (np.arange(size) + 0.5) / size
    field = 1 + 0.8 * np.exp(-20 * ((x[:, None] - 0.35) ** 2 + (x - 0.6) ** 2))
    before = np.exp(-60 * ((x[:, None] - 0.3) ** 2 + (x - 0.7) ** 2)).ravel()
    return field, before, 0.9 * before


def by_mlirad(field: Any, before: Any, after: Any, steps: int) -> Call:
    """Value and gradient of the misfit by mlirad."""
    import mlirad as ad

    compiled = ad.value_and_grad(
        lambda field: 0.5 * np.sum((temperatures(field, before, steps) - after) ** 2)
    )
    return lambda: compiled(field)


def by_hand(field: Any, before: Any, after: Any, steps: int) -> Call:
    """The same by SciPy's factors, with the adjoint by hand."""
    i, j = neighbours(field.shape[0])

    def call() -> tuple[Any, Any]:
        factors = splu(implicit_step(field))
        states = [before]
        for _ in range(steps):
            states.append(factors.solve(states[-1]))
        difference = states[-1] - after
        by_flow, cotangent = np.zeros(len(i)), difference
        for state in reversed(states[1:]):
            cotangent = factors.solve(cotangent, trans="T")
            by_flow -= (cotangent[i] - cotangent[j]) * (state[i] - state[j])
        half = 0.5 * STEP * field.shape[0] ** 2 * by_flow
        gradient = np.bincount(i, half, field.size) + np.bincount(j, half, field.size)
        return 0.5 * np.sum(difference**2), gradient.reshape(field.shape)

    return call


def by_jax(field: Any, before: Any, after: Any, steps: int) -> Call:
    """The same by JAX, with conjugate gradients."""
    jax = jax_in_double()
    import jax.numpy as jnp
    from jax.scipy.sparse.linalg import cg

    def misfit(field: Any) -> Any:
        def step(u: Any, _: Any) -> Any:
            return cg(partial(implicit_step_in_jax, field), u, u, tol=1e-10)[0], None

        u = jax.lax.scan(step, before, None, length=steps)[0]
        return 0.5 * jnp.sum((u - after) ** 2)

    compiled = jax.jit(jax.value_and_grad(misfit))
    return lambda: jax.block_until_ready(compiled(field))


def implicit_step_in_jax(field: Any, u: Any) -> Any:
    """The product of the matrix of `implicit_step` with temperatures, or with columns of these, by JAX."""
    import jax.numpy as jnp

    columns = u.shape[1:]
    plate = u.reshape(*field.shape, *columns)
    cells = field.reshape(*field.shape, *(1,) * len(columns))
    down = 0.5 * (cells[1:] + cells[:-1]) * jnp.diff(plate, axis=0)
    right = 0.5 * (cells[:, 1:] + cells[:, :-1]) * jnp.diff(plate, axis=1)
    none, edge = (0, 0), (1, 1)
    along = jnp.diff(jnp.pad(down, (edge, none) + (none,) * len(columns)), axis=0)
    across = jnp.diff(jnp.pad(right, (none, edge) + (none,) * len(columns)), axis=1)
    return (plate - STEP * field.shape[0] ** 2 * (along + across)).reshape(u.shape)


def main(clock: str = "wall", size: int = SIZE, steps: int = STEPS) -> None:
    """Print a table of times, after the gradients have been compared.

    Raises `AssertionError` where they differ.
    """
    use_threads(1)
    given = (*instance(size), steps)
    ways = {"mlirad": by_mlirad(*given), "SciPy, adjoint by hand": by_hand(*given)}
    if is_installed("jax"):
        ways["JAX, conjugate gradients"] = by_jax(*given)
    first, found = zip(*(first_call(call, clock) for call in ways.values()), strict=True)
    expected = found[1][1]
    errors = [np.max(np.abs(slope - expected)) / np.max(np.abs(expected)) for _, slope in found]
    assert max(errors) < TOLERANCE, errors
    seconds = median_seconds(list(ways.values()), Limits(min_runs=5, clock=clock))
    print("\n".join(head([f"heat {size} x {size}, {steps} steps", "s", "first call s", "difference"])))
    for name, taken, start, error in zip(ways, seconds, first, errors, strict=True):
        print(row([name, f"{taken:.3g}", f"{start:.2f}", f"{error:.1e}"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
