"""Random arguments of NumPy's linear algebra: well-conditioned matrices of distinct singular values.

    MATRIX_ARGUMENTS["solve"](draw)       positional arguments and options of np.linalg.solve

So results are functions of the arguments that rounding changes little, and can be compared with NumPy's. Some
calls get any array instead, of a shape or of a kind that there is an error for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Drawn = tuple[tuple[Any, ...], dict[str, Any]]


def _rotation(d: Any, batch: tuple[int, ...], n: int) -> Any:
    return np.linalg.qr(d.numbers.normal(size=(*batch, n, n)))[0]


def _matrices(d: Any, rows: int, columns: int, kind: str) -> Any:
    """Matrices with singular values from 1 on: any ones, symmetric or positive definite ones."""
    batch = d.choice((), (), (), (2,), (2, 1))
    least = min(rows, columns)
    values = (1 + np.arange(least) + d.numbers.uniform(0, 0.5, least))[:, None]
    left, right = _rotation(d, batch, rows), _rotation(d, batch, columns)
    if kind != "any":
        signs = 1 if kind == "positive" else d.numbers.choice([-1, 1], (least, 1))
        found = left @ (signs * values * np.swapaxes(left, -1, -2))
        found = (found + np.swapaxes(found, -1, -2)) / 2
    else:
        found = left[..., :least] @ (values * right[..., :least, :])
    return found.astype(d.choice(np.float64, np.float64, np.float32))


def _square(kind: str = "any", **options: Callable[[Any], Any]) -> Callable[[Any], Drawn]:
    def draw(d: Any) -> Drawn:
        if d.chance(0.2):
            return (d.array(),), {}
        n = d.choice(0, 1, 2, 3, 4)
        return (d.given(_matrices(d, n, n, kind)),), _some(d, options)

    return draw


def _rectangular(**options: Callable[[Any], Any]) -> Callable[[Any], Drawn]:
    def draw(d: Any) -> Drawn:
        if d.chance(0.2):
            return (d.array(),), {}
        rows, columns = d.choice((1, 1), (2, 3), (3, 2), (4, 4), (3, 1), (5, 2))
        return (d.given(_matrices(d, rows, columns, "any")),), _some(d, options)

    return draw


def _some(d: Any, options: dict[str, Callable[[Any], Any]]) -> dict[str, Any]:
    return {name: make(d) for name, make in options.items() if d.chance(0.4)}


def _solve(d: Any) -> Drawn:
    n = d.choice(1, 2, 3, 4)
    matrices = _matrices(d, n, n, "any")
    shape = d.choice((n,), (n, 2), (*matrices.shape[:-1], 3), (n + 1,))
    return (d.given(matrices), d.floats(shape)), {}


def _least_squares(d: Any) -> Drawn:
    rows, columns = d.choice((3, 3), (4, 2), (2, 3))
    matrix = _matrices(d, rows, columns, "any")
    matrix = matrix.reshape(-1, rows, columns)[0]
    return (d.given(matrix), d.floats(d.choice((rows,), (rows, 2)))), _some(d, {"rcond": _cutoff})


def _tensor(d: Any) -> Any:
    """A matrix of four rows as a tensor of rank four, or three."""
    matrix = _matrices(d, 4, 4, "any")
    return matrix.reshape(-1, 4, 4)[0].reshape(d.choice((2, 2, 2, 2), (2, 2, 4), (4, 2, 2)))


def _tensorsolve(d: Any) -> Drawn:
    tensor = _tensor(d)
    rows = next(k for k in (1, 2) if np.prod(tensor.shape[:k]) == 4)
    return (d.given(tensor), d.floats(tensor.shape[:rows])), {}


def _tensorinv(d: Any) -> Drawn:
    return (d.given(_tensor(d)),), {"ind": d.choice(1, 2, 2)}


def _cutoff(d: Any) -> Any:
    return d.choice(None, 1e-10, 0.3)


MATRIX_ARGUMENTS: dict[str, Callable[[Any], Drawn]] = {
    "inv": _square(), "det": _square(), "slogdet": _square(), "solve": _solve,
    "cholesky": _square("positive", upper=lambda d: d.flag()),
    "eigh": _square("symmetric", UPLO=lambda d: d.choice("L", "U", "l")),
    "eigvalsh": _square("symmetric", UPLO=lambda d: d.choice("L", "U", "l")),
    "svd": _rectangular(full_matrices=lambda d: d.flag(), compute_uv=lambda d: d.flag()),
    "svdvals": _rectangular(), "matrix_rank": _rectangular(tol=_cutoff),
    "qr": _rectangular(mode=lambda d: d.choice("reduced", "complete", "r", "raw")),
    "cond": _square(p=lambda d: d.choice(None, 1, 2, -2, np.inf, "fro")),
    "pinv": _rectangular(rcond=_cutoff), "lstsq": _least_squares,
    "tensorsolve": _tensorsolve, "tensorinv": _tensorinv,
}  # fmt: skip
"""The positional arguments of functions by name, and options that belong to them."""
