"""Random functions of arrays of n rows, and of positions into them, as NumPy computes them for any n.

function = random_function(rng)
function(x, rows, table, at)        a list of arrays: of n elements, n x 4, 12 x 4, and n positions

A function is a chain: each step takes a line of n elements, rows of n x 4 and a table of 12 x 4, and gives
them back changed. So every step meets results of the others, along the dimension of the size and across it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

np_: Any = np
"""NumPy, as functions of traced arrays."""

Step: TypeAlias = Callable[[Any, Any, Any, Any], tuple[Any, Any, Any]]

STEPS: list[Step] = []
"""The steps of a function, one after another."""


def _step(function: Step) -> Step:
    STEPS.append(function)
    return function


@_step
def looked_up(x: Any, rows: Any, table: Any, at: Any) -> tuple[Any, Any, Any]:
    return x, rows + np_.sin(table[at % 12]), table


@_step
def added_to_a_table(x: Any, rows: Any, table: Any, at: Any) -> tuple[Any, Any, Any]:
    sums = table.copy()
    np_.add.at(sums, at % 12, rows)
    return x, rows, np_.tanh(sums)


@_step
def permuted(x: Any, rows: Any, table: Any, at: Any) -> tuple[Any, Any, Any]:
    return np_.cos(x[at]), rows[at], table


@_step
def written(x: Any, rows: Any, table: Any, at: Any) -> tuple[Any, Any, Any]:
    made = rows.copy()
    made[at] = np_.sin(rows) * table[3]
    return x, made, table


@_step
def accumulated(x: Any, rows: Any, table: Any, at: Any) -> tuple[Any, Any, Any]:
    return np_.sin(np_.cumsum(x)), rows, table


@_step
def accumulated_rows(x: Any, rows: Any, table: Any, at: Any) -> tuple[Any, Any, Any]:
    return x, np_.cos(np_.cumsum(rows, axis=0)), table


@_step
def accumulated_columns(x: Any, rows: Any, table: Any, at: Any) -> tuple[Any, Any, Any]:
    return x * np_.maximum.accumulate(x), np_.cumsum(rows, axis=1), table


@_step
def products(x: Any, rows: Any, table: Any, at: Any) -> tuple[Any, Any, Any]:
    return np_.cumprod(1 + 0.01 * np_.tanh(x)), rows, table


@_step
def in_order(x: Any, rows: Any, table: Any, at: Any) -> tuple[Any, Any, Any]:
    return np_.sort(x), rows, table


@_step
def rows_in_order(x: Any, rows: Any, table: Any, at: Any) -> tuple[Any, Any, Any]:
    return x, np_.sort(rows, axis=0) + np_.sort(rows, axis=1), table


@_step
def ranked(x: Any, rows: Any, table: Any, at: Any) -> tuple[Any, Any, Any]:
    return x, rows[np_.argsort(x)], table


@_step
def mixed(x: Any, rows: Any, table: Any, at: Any) -> tuple[Any, Any, Any]:
    return np_.tanh(rows @ table[0]), np_.tanh(rows @ table[:4]), table


@_step
def neighbours(x: Any, rows: Any, table: Any, at: Any) -> tuple[Any, Any, Any]:
    return np_.sin(np_.concatenate([x[1:], x[:1]]) - x), rows * x[:, None], table


@_step
def shifted(x: Any, rows: Any, table: Any, at: Any) -> tuple[Any, Any, Any]:
    weights = np_.exp(rows - np_.max(rows, axis=1, keepdims=True))
    return x + np_.max(rows, axis=1), weights / np_.sum(weights, axis=1, keepdims=True), table


@_step
def greatest(x: Any, rows: Any, table: Any, at: Any) -> tuple[Any, Any, Any]:
    return x - np_.max(x), rows, table * np_.max(rows, axis=0)


def random_function(rng: np.random.Generator, steps: int = 3) -> Callable[..., list[Any]]:
    """A chain of `steps` steps."""
    chosen = [STEPS[int(k)] for k in rng.choice(len(STEPS), steps, replace=False)]

    def function(x: Any, rows: Any, table: Any, at: Any) -> list[Any]:
        for step in chosen:
            x, rows, table = step(x, rows, table, at)
        return [x, rows, table, np_.sum(x), np_.sum(rows, axis=0)]

    return function


def random_arguments(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Arguments of n rows: positions are a permutation, so that writes do not depend on their order."""
    return (
        rng.standard_normal(n),
        rng.standard_normal((n, 4)),
        rng.standard_normal((12, 4)),
        rng.permutation(n),
    )
