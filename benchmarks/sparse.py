"""Sparse derivatives: the Jacobian of bundle adjustment, and Hessians whose cost has to grow with n.

    ba         all residuals by all cameras, points and weights, in CSR
    chain      the Hessian of Rosenbrock's function in n variables: tridiagonal
    kmeans     the Hessian of the cost by the centroids: diagonal

Each matrix is compared with figures derived by hand before it is timed. `value` is the time of the function
itself; `structure` that of finding the entries, once for all calls. The hand-written times are those of
ADBench's C++ program for the Jacobian (Microsoft, github.com/microsoft/ADBench), measured apart, for
orientation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks.problem import read_golden
from benchmarks.problems import ba as adjustment
from benchmarks.protocol import Limits, median_seconds
from benchmarks.runs import WrongFigures
from benchmarks.table import head, row
from benchmarks.worker import TOLERANCE
from examples.programs import ba, kmeans

TITLES = (
    "matrix", "size", "entries", "value", "matrix time", "ratio", "ns per entry", "hand-written", "structure",
    "first call",
)  # fmt: skip


class Matrix(NamedTuple):
    """A matrix to time: the function, which derivative of it, by which arguments, at which sizes."""

    name: str
    function: Callable[..., Any]
    is_hessian: bool
    argnums: tuple[int, ...]
    sizes: dict[str, Callable[[], tuple[Any, ...]]]
    hand_written: dict[str, float]
    error: Callable[[], float]

    def derivative(self) -> Any:
        """The function that returns the matrix."""
        import mlirad as ad

        make = ad.hessian if self.is_hessian else ad.jacobian
        return make(self.function, argnums=self.argnums, sparse=True)


def chain(x):
    """Rosenbrock's function in n variables."""
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def hessian_of_chain(x) -> Any:
    """The same Hessian by hand, as a dense matrix."""
    diagonal = np.zeros_like(x)
    diagonal[:-1] += 1200 * x[:-1] ** 2 - 400 * x[1:] + 2
    diagonal[1:] += 200
    beside = -400 * x[:-1]
    return np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)


def error_of_adjustment() -> float:
    """Against the golden rows, which list the whole camera, with a 0 where nothing depends on it."""
    golden = adjustment.golden()
    _, output = read_golden("ba_n2_m3_p20")
    figures = output["jacobian"]
    matrix = ADJUSTMENT.derivative()(*golden.arguments)
    columns, values = (np.reshape(figures[key][:30], (2, 15)) for key in ("cols", "vals"))
    found = matrix[[0, 1]].toarray()
    if np.count_nonzero(found) != np.count_nonzero(values):
        return np.inf
    error = np.max(np.abs(np.take_along_axis(found, columns, axis=1) - values)) / np.max(np.abs(values))
    return max(float(error), abs(float(matrix.data[-1]) / figures["vals"][-1] - 1))


def error_of_chain() -> float:
    x = np.random.default_rng(0).normal(size=100)
    expected = hessian_of_chain(x)
    matrix = CHAIN.derivative()(x)
    if matrix.nnz != 3 * len(x) - 2:
        return np.inf
    return float(np.max(np.abs(matrix.toarray() - expected)) / np.max(np.abs(expected)))


def error_of_kmeans() -> float:
    """Against twice the number of points that are nearest to a centroid."""
    points, centroids = kmeans.random_instance(200, 5)
    nearest = np.argmin(np.sum((points[:, None] - centroids) ** 2, axis=2), axis=1)
    counts = np.repeat(2.0 * np.bincount(nearest, minlength=5), centroids.shape[1])
    matrix = KMEANS.derivative()(points, centroids)
    if matrix.nnz != len(counts) or (matrix.tocoo().row != matrix.tocoo().col).any():
        return np.inf
    return float(np.max(np.abs(matrix.data - counts)) / np.max(counts))


ADJUSTMENT = Matrix(
    "ba",
    ba.residuals,
    False,
    (0, 1, 2),
    adjustment.PROBLEM.sizes,
    {"p32k": 5.6e-3, "p226k": 72e-3},
    error_of_adjustment,
)

CHAIN = Matrix(
    "chain",
    chain,
    True,
    (0,),
    {f"n1e{k}": lambda n=10**k: (np.random.default_rng(0).uniform(0.5, 1.5, n),) for k in (3, 4, 5)},
    {},
    error_of_chain,
)

KMEANS = Matrix(
    "kmeans",
    kmeans.cost,
    True,
    (1,),
    {f"k10 n1e{k}": lambda n=10**k: kmeans.random_instance(n, 10) for k in (3, 4, 5)},
    {},
    error_of_kmeans,
)

MATRICES = (ADJUSTMENT, CHAIN, KMEANS)


def sparse_table(limits: Limits) -> Iterator[tuple[str, ...]]:
    """The rows of the table, the titles first."""
    import mlirad as ad

    yield TITLES
    for matrix in MATRICES:
        for size, make in matrix.sizes.items():
            arguments = make()
            derivative, value = matrix.derivative(), ad.jit(matrix.function)
            start = time.perf_counter()
            found = derivative(*arguments)
            first_call = time.perf_counter() - start
            stages = derivative.stats(*arguments).stages
            value_time, matrix_time = median_seconds(
                [lambda v=value, a=arguments: v(*a), lambda d=derivative, a=arguments: d(*a)], limits
            )
            structure = sum(stage.seconds for stage in stages if stage.name == "structure")
            by_hand = matrix.hand_written.get(size)
            yield (
                matrix.name,
                size,
                str(found.nnz),
                f"{1e3 * value_time:.3g} ms",
                f"{1e3 * matrix_time:.3g} ms",
                f"{matrix_time / value_time:.3g}",
                f"{1e9 * matrix_time / found.nnz:.3g}",
                "" if by_hand is None else f"{1e3 * by_hand:.3g} ms",
                f"{1e3 * structure:.3g} ms",
                f"{first_call:.2f} s",
            )


def main(limits: Limits, check_only: bool) -> None:
    """Compare every matrix with figures by hand, and print the table of times unless that is all.

    Raises `WrongFigures`.
    """
    for matrix in MATRICES:
        error = matrix.error()
        print(f"{matrix.name}: within {error:.1e} of the figures by hand")
        if not error <= TOLERANCE["float64"]:
            raise WrongFigures(f"the matrix of {matrix.name} is wrong; nothing is timed")
    if check_only:
        return
    print()
    titles, *rows = sparse_table(limits)
    print("\n".join([*head(list(titles)), *map(row, rows)]))
