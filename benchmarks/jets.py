"""Derivatives of high order along a line: Taylor mode, nested derivatives and JAX's Taylor mode.

    python -m benchmarks.jets                  # python -m benchmarks.jets cpu: by the time on a processor

Five functions of each of 1000 numbers. All derivatives up to an order are computed by `ad.jet`, by forward
derivatives nested in each other, up to order 8, and by `jax.experimental.jet`, all compiled. `error` is that
of mlirad's, in any order, relative to the derivative by mpmath.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from benchmarks.peers import is_installed, jax_in_double
from benchmarks.protocol import Limits, first_call, median_seconds, use_threads
from benchmarks.table import head, row

POINTS = np.linspace(0.2, 0.45, 1000)
CHECKED = (0, 400, 999)
"""The points at which derivatives are compared."""

ORDERS = (5, 8, 20)
MOST_NESTED = 8
"""The highest order of nested derivatives: one more doubles their program."""


class Function(NamedTuple):
    """The function by a module of arrays and one of special functions, and by mpmath."""

    of: Callable[[Any, Any, Any], Any]
    in_mpmath: Callable[[Any, Any], Any]


FUNCTIONS = {
    "exp(sin x)": Function(lambda xp, sp, x: xp.exp(xp.sin(x)), lambda m, x: m.exp(m.sin(x))),
    "tanh(x) / (1 + x^2)": Function(
        lambda xp, sp, x: xp.tanh(x) / (1 + x * x), lambda m, x: m.tanh(x) / (1 + x * x)
    ),
    "log(1 + exp x)": Function(lambda xp, sp, x: xp.log(1 + xp.exp(x)), lambda m, x: m.log(1 + m.exp(x))),
    "erf(x) sqrt(1 + x)": Function(
        lambda xp, sp, x: sp.erf(x) * xp.sqrt(1 + x), lambda m, x: m.erf(x) * m.sqrt(1 + x)
    ),
    "10 logistic steps": Function(
        lambda xp, sp, x: repeated(lambda y: 1.5 * y * (1 - y), x),
        lambda m, x: repeated(lambda y: 1.5 * y * (1 - y), x),
    ),
}


def repeated(step: Callable[[Any], Any], x: Any) -> Any:
    """The state after 10 steps."""
    for _ in range(10):
        x = step(x)
    return x


def by_jet(function: Function, order: int) -> Callable[[], Any]:
    """All derivatives up to the order, by Taylor mode."""
    import mlirad as ad

    series = ([np.ones_like(POINTS)] + [np.zeros_like(POINTS)] * (order - 1),)
    compiled = ad.jit(lambda x: np.stack(ad.jet(lambda y: function.of(np, special, y), (x,), series)[1]))
    return lambda: compiled(POINTS)


def nested(function: Function, order: int) -> Callable[[], Any]:
    """The same by derivatives of derivatives, each with those below it."""
    import mlirad as ad

    def derivatives(order: int) -> Callable[[Any], list[Any]]:
        if order == 0:
            return lambda x: [function.of(np, special, x)]
        below = derivatives(order - 1)

        def further(x: Any) -> list[Any]:
            values, tangents = ad.jvp(below, (x,), (np.ones_like(POINTS),))
            return [*values, tangents[-1]]

        return further

    all_orders = derivatives(order)
    compiled = ad.jit(lambda x: np.stack(all_orders(x)[1:]))
    return lambda: compiled(POINTS)


def by_jax(function: Function, order: int) -> Callable[[], Any]:
    """The same by JAX's Taylor mode."""
    jax = jax_in_double()
    import jax.numpy as jnp
    from jax.experimental.jet import jet

    series = ([jnp.ones_like(POINTS)] + [jnp.zeros_like(POINTS)] * (order - 1),)
    compiled = jax.jit(
        lambda x: jnp.stack(jet(lambda y: function.of(jnp, jax.scipy.special, y), (x,), series)[1])
    )
    return lambda: np.asarray(compiled(POINTS))


def exact(function: Function, order: int) -> Any:
    """The derivatives by mpmath, of order 1 to `order`, a column for each of the points."""
    import mpmath

    with mpmath.workdps(60):
        at_points = [
            mpmath.taylor(lambda x: function.in_mpmath(mpmath, x), mpmath.mpf(POINTS[k]), order)
            for k in CHECKED
        ]
        factors = [mpmath.factorial(k) for k in range(order + 1)]
        return np.array(
            [[float(c * f) for c, f in zip(found, factors, strict=True)] for found in at_points]
        ).T[1:]


def cells_of(name: str, order: int, clock: str) -> list[str]:
    """A row of the table."""
    function = FUNCTIONS[name]
    ways = {"jet": by_jet(function, order)}
    if order <= MOST_NESTED:
        ways["nested"] = nested(function, order)
    if is_installed("jax"):
        ways["JAX"] = by_jax(function, order)
    expected = exact(function, order)
    first = {key: first_call(call, clock) for key, call in ways.items()}
    taken = dict(zip(ways, median_seconds(list(ways.values()), Limits(clock=clock)), strict=True))
    errors = [
        np.max(np.abs(found[:, CHECKED] / expected - 1)) for key, (_, found) in first.items() if key != "JAX"
    ]
    times = [f"{1e6 * taken[key]:.3g}" if key in taken else "" for key in ("jet", "nested", "JAX")]
    starts = [f"{first[key][0]:.2f}" if key in first else "" for key in ("jet", "nested", "JAX")]
    return [name, str(order), *times, *starts, f"{max(errors):.1e}"]


def main(clock: str = "wall") -> None:
    """Print the table."""
    use_threads(1)
    import mlirad as ad

    warnings.simplefilter("ignore", ad.CaptureWarning)  # each row compiles functions of its own
    titles = ["jet µs", "nested µs", "JAX µs", "first jet s", "first nested s", "first JAX s", "error"]
    print("\n".join(head(["function", "order", *titles])))
    for name in FUNCTIONS:
        for order in ORDERS:
            print(row(cells_of(name, order, clock)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
