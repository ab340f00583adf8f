"""Random functions that read triangles and bands of matrices, and their gradients, as array code.

    m = x.T @ y + z;  sum(where(j <= i, sin(m), 0) * z) + sum(m.diagonal())

Matrices are made by products, loops and maps, and read under masks: constants, comparisons of indices, and
tables of packed positions.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import mlirad as ad
from mlirad.ir.parsing import parse_module
from mlirad.pipelines import expansion


def random_triangles(seed: int) -> ModuleOp:
    """A module whose function `main` is such a function, or its gradient, as array code."""
    rng = random.Random(seed)
    n, rows, columns = (rng.randint(1, 21) for _ in range(3))
    numbers = np.random.default_rng(seed)
    arguments = [numbers.normal(size=s) for s in ((n, rows), (n, columns), (rows, columns))]
    function = _function(rng, rows, columns)
    made = ad.grad(function, argnums=(0, 1, 2)) if rng.random() < 0.5 else ad.jit(function)
    return parse_module(made.lower(*arguments).ir(expansion()[-1]), "triangles.mlir")


def _function(rng: random.Random, rows: int, columns: int) -> Callable[..., Any]:
    """A sum of what is read of a matrix in one or two ways, or these parts themselves."""
    kind, iterations = rng.choice(("product", "product", "map", "loop")), rng.randint(1, 4)
    readers = [_reader(rng, rows, columns) for _ in range(rng.randint(1, 2))]
    steep = rng.random() < 0.3

    def function(x: Any, y: Any, z: Any) -> Any:
        if kind == "map":
            m = x[0][:, None] * y[0] + z
        elif kind == "product":
            m = x.T @ y
        else:
            m = ad.fori_loop(0, iterations, lambda k, m: m + (x * (k + 1.0)).T @ y, z)
        m = np.sin(m) * z if steep else m
        return sum(np.sum(np.cos(read(m))) for read in readers)

    return function


def _reader(rng: random.Random, rows: int, columns: int) -> Callable[[Any], Any]:
    """A function that reads some elements of a matrix: under a mask, by comparing indices, or in packed
    order.
    """
    offset = rng.randint(-4, 4)
    mask = np.tri(rows, columns, offset, dtype=bool)
    how = rng.choice(("lower", "upper", "band", "compared", "packed", "square"))
    match how:
        case "lower":
            return lambda m: np.where(mask, m, 0.0)
        case "upper":
            return lambda m: np.where(mask, 0.5, m)
        case "band":
            return lambda m: np.where(mask & ~np.tri(rows, columns, offset - 2, dtype=bool), m, 1.0)
        case "compared":

            def above(m: Any) -> Any:
                def element(i: Any, j: Any) -> Any:
                    return np.where(i + offset < j, m[i, j], 1.0)

                return ad.build((rows, columns), element)

            return above
        case "packed" if mask.any():
            i, j = np.nonzero(mask)
            return lambda m: m[i, j]
        case _:
            positions = np.where(mask, np.cumsum(mask).reshape(mask.shape) - 1, int(mask.sum()))
            return lambda m: np.concatenate((np.ravel(m)[: int(mask.sum())], np.zeros(1)))[positions] * m
