"""Twelve programs with functions as values, differentiated by every method: time, memory, work.

    python -m benchmarks.methods                       # python -m benchmarks.methods cpu: by processor time
    python -m benchmarks.methods wall "tree fold"      # some of the programs

The gradient in the first argument is timed, in machine code, on one thread. The memory of a call is
what it works in beside arguments and results: what its plan says, and the records that it writes while it
runs, so all that a method keeps from the values to the cotangents. The work is the operations that the
interpreter counts in the same array code. Memory and work are the same on every machine with vectors of one
size; they are found at the size that is timed and at twice that size, where all methods must find the same
gradient.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

import mlirad as ad
from benchmarks.protocol import Limits, median_seconds, use_threads
from benchmarks.table import head, row
from examples import functions_as_values
from examples.programs import ba, gmm, lstm
from mlirad.compiler import compile_module, transform
from mlirad.frontend.compiling.roomy import Roomy
from mlirad.interpreter import OperationCounter, run_function
from mlirad.jit.call import NativeFunction
from mlirad.pipeline_options import METHODS, SPECIFICATIONS, Options

ALL = (*METHODS, *SPECIFICATIONS)
NUMBER_BYTES = 8
TOLERANCE = 1e-8
RECORDS = ("array.save", "array.while")
"""The ops that write records, by the elements that the interpreter counts for them."""


# The programs ------------------------------------------------------------------------------------


def log_sum_exp(x):
    """Log-sum-exp: a function that captures the maximum, applied to every element."""
    largest = np.max(x)
    shifted = ad.lambda_(lambda e: np.exp(e - largest), 0.0)
    return largest + np.log(np.sum(ad.map(shifted, x)))


def least_squares(x, points):
    """A fit of a polynomial: a function that captures all coefficients, applied to every point."""

    def value(t):
        power, total = ad.fold(lambda carry, c: (carry[0] * t, carry[1] + c * carry[0]), (1.0, 0.0), x)
        return total + 0.0 * power

    fitted = ad.lambda_(value, 0.0)
    return 0.5 * np.sum((np.sign(points) - ad.map(fitted, points)) ** 2)


def network(weights, image, target):
    """Dense layers: each a function that captures its weights, all composed before they are applied."""
    layers = [ad.lambda_(partial(_layer, w, b)) for w, b in weights[:-1]]
    scores = ad.lambda_(lambda h: weights[-1][0] @ h + weights[-1][1])
    composed = ad.lambda_(lambda h: scores(layers[1](layers[0](h))))
    found = composed(image)
    return np.log(np.sum(np.exp(found))) - target @ found


def _layer(w, b, h):
    return 1 / (1 + np.exp(-(w @ h + b)))


Tree = ad.sum_of(0.0, {"value": 0.0, "left": ad.itself, "right": ad.itself})


@ad.function
def grown(low, high, v):
    """A balanced tree of the elements of a vector."""

    def node():
        middle = (low + high) // 2
        return Tree({"value": v[middle], "left": grown(low, middle, v), "right": grown(middle + 1, high, v)})

    return ad.cond(high <= low, lambda: Tree(1.0), node)


@ad.function
def folded(tree):
    """sin(value) + left * right, from the leaves to the root."""
    return ad.case(
        tree,
        lambda leaf: leaf,
        lambda node: np.sin(node["value"]) + folded(node["left"]) * folded(node["right"]),
    )


def tree_fold(v):
    """A tree of all elements, folded by recursion."""
    return folded(grown(0, len(v), v))


def continuations(v):
    """Recursion that wraps its continuation once more for every element, and calls it in the end."""

    @ad.function
    def walked(i, x, k):
        def further():
            return walked(i + 1, x, ad.lambda_(lambda r: k(np.sin(r) * v[i]), 0.0))

        return ad.cond(i >= len(v), lambda: k(x), further)

    return walked(0, 1.3, ad.lambda_(lambda r: r, 0.0))


def composition(v):
    """A loop that composes functions, one per element; the last is applied once."""
    first = ad.lambda_(lambda z: z, 0.0)
    return ad.fold(lambda f, e: ad.lambda_(lambda z: f(np.sin(z) * e), 0.0), first, v)(1.3)


Coefficients = ad.sum_of(None, (0.0, ad.itself))


def horner(v, x):
    """A polynomial by Horner's rule over a list of its coefficients."""

    @ad.function
    def value(rest):
        return ad.case(rest, lambda _: 0.0, lambda cell: cell[0] + x * value(cell[1]))

    return value(ad.fold(lambda rest, c: Coefficients((c, rest)), Coefficients(None), v))


def chosen_ode(rates, start, times):
    """Runge-Kutta's steps with a right-hand side that data choose: decay, or a pendulum."""
    decay = ad.lambda_(lambda y: -rates * y, np.zeros(2))
    pendulum = ad.lambda_(lambda y: np.stack((y[1], -rates[0] * np.sin(y[0]))), np.zeros(2))
    slope = ad.cond(rates[0] > 1.0, lambda: pendulum, lambda: decay)

    def step(y, h):
        a = slope(y)
        b = slope(y + 0.5 * h * a)
        c = slope(y + 0.5 * h * b)
        return y + h / 6 * (a + 2 * b + 2 * c + slope(y + h * c))

    return np.sum(ad.fold(step, start, np.diff(times)) ** 2)


def bundle(parameters, weights, measured):
    """Bundle adjustment: half the sum of squares of all residuals, each camera with a point of its own."""
    cameras, points = parameters
    return 0.5 * np.sum(ba.reprojection_error(cameras, points, weights, measured) ** 2)


def mixture(parameters, x):
    """A Gaussian mixture: the log-likelihood of points."""
    return gmm.log_likelihood(*parameters, x)


def text_model(parameters, state, sequence):
    """A character LSTM of two layers."""
    return lstm.objective(*parameters, state, sequence)


# Their arguments ---------------------------------------------------------------------------------


def _network_arguments(n: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(0)
    sizes = (n, n, n, 10)
    weights = [(rng.normal(size=(b, a)) / np.sqrt(a), rng.normal(size=b)) for a, b in pairwise(sizes)]
    return weights, rng.uniform(size=n), np.eye(10)[3]


def _recurrent_arguments(n: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(0)
    parameters = {"w": 0.4 * rng.normal(size=(4, 4)), "u": rng.normal(size=(4, 3)), "b": np.zeros(4)}
    return parameters, rng.normal(size=(n, 3)), np.linspace(-0.5, 0.5, 4)


def _mixture_arguments(n: int) -> tuple[Any, ...]:
    given = gmm.random_instance(4, 5, n)
    return (given.alpha, given.mu, given.q, given.l), given.x


def _bundle_arguments(n: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(0)
    camera = np.array([0.1, -0.2, 0.05, 0.3, -0.1, 0.2, 1.7, 0.02, 0.03, 0.01, -0.02])
    cameras = camera + 0.01 * rng.normal(size=(n, 11))
    points = np.array([0.4, 0.9, 2.5]) + 0.01 * rng.normal(size=(n, 3))
    return (cameras, points), rng.uniform(size=n), rng.normal(size=(n, 2))


def _lstm_arguments(n: int) -> tuple[Any, ...]:
    given = lstm.random_instance(2, n)
    return (given.main_params, given.extra_params), given.state, given.sequence


def _elements(n: int) -> tuple[Any, ...]:
    return (np.linspace(0.7, 1.3, n),)


class Case(NamedTuple):
    """A program, its arguments by a size, and the size that is timed."""

    program: Callable[..., Any]
    arguments: Callable[[int], tuple[Any, ...]]
    size: int


CASES = {
    "log-sum-exp": Case(log_sum_exp, _elements, 1000),
    "least squares": Case(least_squares, lambda n: (_elements(8)[0], np.linspace(-1, 1, n)), 100),
    "network": Case(network, _network_arguments, 32),
    "recurrent network": Case(functions_as_values.recurrent_loss, _recurrent_arguments, 50),
    "mixture": Case(mixture, _mixture_arguments, 50),
    "tree fold": Case(tree_fold, _elements, 100),
    "continuations": Case(continuations, _elements, 100),
    "composition": Case(composition, _elements, 100),
    "Horner's rule": Case(horner, lambda n: (*_elements(n), 0.9), 100),
    "chosen ODE": Case(
        chosen_ode, lambda n: (np.array([1.4, 0.3]), np.array([0.5, 0.0]), np.linspace(0, 1, n + 1)), 50
    ),
    "bundle adjustment": Case(bundle, _bundle_arguments, 200),
    "LSTM": Case(text_model, _lstm_arguments, 16),
}
"""All of them, by the names that the tables have."""


# Measurements -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Found:
    """A gradient by one method: how it is called, what memory a call takes, and how many operations."""

    call: Callable[[], Sequence[Any]]
    memory: int
    operations: int


def gradient(case: Case, size: int, method: str) -> Found:
    """The gradient of a program by a method."""
    given = case.arguments(size)
    source = ad.trace(ad.grad(case.program), *given)
    flat = [np.asarray(leaf) for leaf in ad.tree.leaves(given)]

    def made(rooms: tuple[int, ...]) -> NativeFunction:
        return NativeFunction(compile_module(source.clone(), Options(method=method, rooms=rooms)).program)

    first = made(())
    call = Roomy(made, first, first.program.rooms)
    call(*flat)
    counter, code = OperationCounter(), source.clone()
    transform(code, Options(method=method, end="arrays", rooms=call.rooms))
    run_function(code, flat, function="main", counter=counter)
    records = NUMBER_BYTES * sum(counter.by_op[name] for name in RECORDS)
    planned = made(call.rooms).program.arena_bytes
    return Found(lambda: call(*flat), planned + records, counter.total)


def measured(case: Case, size: int) -> dict[str, Found]:
    """The gradient by every method; all find the same."""
    found = {method: gradient(case, size, method) for method in ALL}
    first, *others = found.values()
    for other in others:
        for a, b in zip(first.call(), other.call(), strict=True):
            np.testing.assert_allclose(b, a, rtol=TOLERANCE, atol=TOLERANCE)
    return found


def tables(cases: Mapping[str, Case], limits: Limits) -> Iterator[str]:
    """The lines of three tables, times, bytes and operations, the last two with their growth."""
    results = {name: (measured(c, c.size), measured(c, 2 * c.size)) for name, c in cases.items()}
    yield "Milliseconds of a gradient:"
    yield ""
    yield from head(["program", "size", *ALL])
    for name, (found, _) in results.items():
        times = median_seconds([f.call for f in found.values()], limits)
        yield row([name, str(cases[name].size), *(f"{1e3 * t:.3g}" for t in times)])
    for title, shown, figure in (
        ("KiB that a call works in", lambda n: f"{n / 1024:.3g}", lambda f: f.memory),
        ("Thousands of operations", lambda n: f"{n / 1000:.3g}", lambda f: f.operations),
    ):
        yield ""
        yield f"{title}, and how many times as many at twice the size:"
        yield ""
        yield from head(["program", *ALL])
        for name, (found, twice) in results.items():
            yield row([name, *(_grown(found[m], twice[m], shown, figure) for m in ALL)])


def _grown(one: Found, other: Found, shown: Callable[[int], str], figure: Callable[[Found], int]) -> str:
    growth = figure(other) / figure(one) if figure(one) else 1.0
    return f"{shown(figure(one))} × {growth:.2g}"


def main(clock: str = "wall", *names: str) -> None:
    """Print the tables."""
    use_threads(1)
    cases = {name: CASES[name] for name in names or CASES}
    for line in tables(cases, Limits(clock=clock, max_seconds=2.0)):
        print(line, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
