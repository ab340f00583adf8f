"""Random Python functions of rows: chains of steps over parameters, lines, rows, a table and positions.

    function = random_row_function(random.Random(7), 5)
    function(w, x, rows, table, at)      w of 4, x of n, rows of n x 4, table of 5 x 4, n positions: a number

Steps sum over rows, and later ones read what earlier ones summed, so functions take several rounds.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

import mlirad as ad

State: TypeAlias = tuple[Any, Any, Any, Any]
Step: TypeAlias = Callable[[Any, Any, Any, Any, Any], State]

np_: Any = np


def centred(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    return w, x - np_.mean(x), rows - np_.mean(rows, axis=0), table


def normalised(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    m = np_.mean(rows, axis=0)
    v = np_.mean((rows - m) ** 2, axis=0)
    return w, x, (rows - m) / np_.sqrt(v + 0.1), table


def softmax(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    e = np_.exp(x - np_.max(x))
    return w, x + e / np_.sum(e), rows, table


def softmax_of_columns(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    e = np_.exp(rows - np_.max(rows, axis=0))
    return w + np_.sum(e * x[:, None], axis=0) / np_.sum(e, axis=0), x, rows, table


def projected(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    return w, np_.tanh(rows @ w) + x, rows, table


def fitted(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    return np_.tanh(rows.T @ x / x.shape[0]), x, rows, table


def looked_up(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    return w, x, rows + np_.sin(table[at]), table


def gathered(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    sums = table.copy()
    np_.add.at(sums, at, rows)
    return w, x, rows, np_.tanh(0.1 * sums)


def spread(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    return w / (0.5 + np_.std(x)), x, rows, table


def measured(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    return w + 0.1, x / (1 + np_.linalg.norm(x)), rows, table


def clipped(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    return w, np_.where(x > np_.mean(x), x, 0.5 * x), rows, table


def extreme(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    return w * np_.max(x), x, rows - np_.min(rows, axis=0), table


def numbered(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    return w, x * np_.cos(ad.numpy.arange(x.shape[0])), rows, table


def drawn(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    return w, x + ad.random.normal(ad.random.key(3), x.shape), rows, table


def of_some_rows(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    return w + rows[0] * x[-1], x - 0.5 * x[1], rows, table + rows[-2] * x[table_rows(at)][:, None]


def table_rows(at: Any) -> Any:
    """Five numbers of rows that are computed, some of them equal."""
    return np_.sum(at) % at.shape[0] * np.array([0, 1, 1, 1, 0])


def of_the_best_row(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    rows = np_.where(x[:, None] > 0, rows, rows[np_.argmin(rows[:, 0])])
    return w * x[np_.argmax(x)], x, rows, table


def with_a_row_written(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    rows, x = rows.copy(), x.copy()
    rows[np_.argmax(x)] = w
    x[-1] += table[0, 0]
    np_.add.at(x, np_.array([0, -1, 0]), table[:3, 1])
    return w, x, rows, table


def cumulated(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    return w, np_.tanh(np_.cumsum(x) / 5), rows + 0.1 * np_.cumsum(np_.sin(rows), axis=0), table


def around_the_median(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    rows = rows - np_.median(rows, axis=0)
    return w + np_.quantile(rows, 0.3, axis=0), x / (0.5 + np_.median(np_.abs(x))), rows, table


def ranked(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    largest = np_.sort(rows @ w)[-2:]
    return w * np_.tanh(largest[0]), x + largest[1], rows, table + np_.sort(x)[0]


def looped(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    def step(state: Any, t: Any) -> Any:
        line, total = state
        line = np_.tanh(w[0] * line + t * rows[:, 1])
        return (line, total + np_.sum(line)), None

    (line, total), _ = ad.scan(step, (x, w[1]), np_.linspace(0.0, 1.0, 3))
    return w + 0.01 * total, line, rows, table


def each_until(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    def shrunk(v: Any) -> Any:
        return ad.while_loop(lambda c: np_.abs(c[0]) > 0.5, lambda c: (c[0] * 0.7, c[1] + 1.0), (v, 0.0))[0]

    return w, ad.vmap(shrunk)(x), rows, table


def chosen(w: Any, x: Any, rows: Any, table: Any, at: Any) -> State:
    return w, ad.cond(np_.sum(w) > 0, lambda: x * np_.mean(x), lambda: x + np_.sum(rows @ w)), rows, table


STEPS: Final[tuple[Step, ...]] = (
    centred,
    normalised,
    softmax,
    softmax_of_columns,
    projected,
    fitted,
    looked_up,
    gathered,
    spread,
    measured,
    clipped,
    extreme,
    numbered,
    drawn,
    of_some_rows,
    of_the_best_row,
    with_a_row_written,
    cumulated,
    around_the_median,
    ranked,
    looped,
    each_until,
    chosen,
)


def random_row_function(rng: random.Random, size: int) -> Callable[..., Any]:
    """A chain of `size` steps, and the sum of what it leaves."""
    steps = [rng.choice(STEPS) for _ in range(size)]

    def function(w: Any, x: Any, rows: Any, table: Any, at: Any) -> Any:
        state: State = w, x, rows, table
        for step in steps:
            state = step(*state, at)
        w, x, rows, table = state
        total = np_.sum(np_.sin(x)) + np_.sum(np_.cos(rows) * x[:, None]) + np_.sum(w) + np_.sum(table**2)
        return total / x.shape[0]

    function.__name__ = "_".join(step.__name__ for step in steps) or "nothing"
    return function
