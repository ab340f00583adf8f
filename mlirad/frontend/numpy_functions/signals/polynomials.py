"""Polynomials by their coefficients, the highest power first."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlirad.frontend.numpy_functions.calls.parameters import ArrayLike, Flag, Int, Number, OperandLike
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.numpy_functions.signals.windows import convolve
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import F64
from mlirad.frontend.tracing.operations import as_array, common, converted, inexact, xp
from mlirad.frontend.tracing.raising import argument_error, shape_error


def polyval(p: ArrayLike, x: ArrayLike) -> Array:
    """`np.polyval`, by Horner's rule."""
    if not p.ndim:
        raise shape_error("polyval needs a vector of coefficients", "np.array([c])")
    total = xp.zeros_like(x)
    for k in range(len(p)):
        total = xp.add(xp.multiply(total, x), p[k])
    return as_array(total)


def _vector(a: Any, what: str) -> Array:
    x = as_array(a)
    if x.ndim > 1:
        raise shape_error(f"{what} needs vectors of coefficients, got shape {x.shape}", "np.ravel")
    return xp.reshape(x, (x.size,))


def _aligned(a1: Any, a2: Any, what: str) -> list[Array]:
    x, y = _vector(a1, what), _vector(a2, what)
    size = max(x.size, y.size)
    return [xp.pad(v, (size - v.size, 0)) for v in common([x, y])]


def polyadd(a1: OperandLike, a2: OperandLike) -> Array:
    """`np.polyadd`."""
    return xp.add(*_aligned(a1, a2, "polyadd"))


def polysub(a1: OperandLike, a2: OperandLike) -> Array:
    """`np.polysub`."""
    return xp.subtract(*_aligned(a1, a2, "polysub"))


def polymul(a1: OperandLike, a2: OperandLike) -> Array:
    """`np.polymul`."""
    return convolve(_vector(a1, "polymul"), _vector(a2, "polymul"))


def _checked_order(m: int, what: str) -> None:
    if m < 0:
        raise argument_error(f"{what} of order {m}", "the order is 0 or more")


def _require_coefficients(p: Array, what: str) -> None:
    if p.ndim != 1:
        raise shape_error(f"{what} needs a vector of coefficients, got shape {p.shape}", "np.ravel")


def polyder(p: ArrayLike, m: Int = 1) -> Array:
    """`np.polyder`."""
    _require_coefficients(p, "polyder")
    _checked_order(m, "polyder")
    x = p
    for _ in range(m):
        x = xp.multiply(x[:-1], np.arange(max(x.size - 1, 0), 0, -1))
    return x


def polyint(p: ArrayLike, m: Int = 1, k: OperandLike | None = None) -> Array:
    """`np.polyint`."""
    _checked_order(m, "polyint")
    _require_coefficients(p, "polyint")
    constants = as_array(0.0 if k is None else k)
    if constants.ndim > 1:
        raise shape_error(f"constants of shape {constants.shape}", "give a number, or a vector of them")
    constants = xp.ravel(constants)
    if constants.size == 1 and m > 1:
        constants = xp.broadcast_to(constants, (m,))
    if constants.size < m:
        raise shape_error(f"{constants.size} constants for {m} integrals", "give one for each, or one")
    x = inexact(p)
    for n in range(m):
        x = xp.concatenate([xp.divide(x, np.arange(x.size, 0, -1)), constants[n : n + 1]])
    return x


def poly(seq_of_zeros: ArrayLike) -> Array:
    """`np.poly`: the coefficients of the polynomial with given zeros."""
    if seq_of_zeros.ndim != 1:
        raise shape_error(
            f"np.poly is traced for a vector of zeros, got shape {seq_of_zeros.shape}",
            "the characteristic polynomial of a matrix needs its eigenvalues, which cannot be traced",
        )
    zeros = inexact(seq_of_zeros)
    found: Any = np.ones(1, zeros.dtype)
    for k in range(zeros.size):
        lower = -zeros[k] * found
        found = xp.concatenate([found[:1], found[1:] + lower[:-1], lower[-1:]])
    return as_array(found)


def vander(x: ArrayLike, N: Int | None = None, increasing: Flag = False) -> Array:
    """`np.vander`."""
    if x.ndim != 1 or (N is not None and N < 0):
        raise shape_error(
            f"vander needs a vector, got shape {x.shape}, and a number of columns from 0 on", "np.ravel"
        )
    count = x.size if N is None else N
    base = converted(x, np.promote_types(x.dtype, np.int64))
    if not count:
        return xp.zeros((x.size, 0), base.dtype)
    columns = [xp.ones_like(base)]
    for _ in range(count - 1):
        columns.append(xp.multiply(columns[-1], base))
    return xp.stack(columns if increasing else columns[::-1], axis=1)


def polyfit(
    x: ArrayLike, y: ArrayLike, deg: Int, rcond: Number | None = None, *, w: ArrayLike | None = None
) -> Array:
    """`np.polyfit`: the coefficients alone, by least squares on columns of norm 1."""
    if deg < 0:
        raise argument_error(f"np.polyfit: a degree of {deg}", "it is 0 at least")
    if x.ndim != 1 or y.ndim not in (1, 2) or not x.size or len(x) != len(y):
        raise shape_error(
            f"np.polyfit: points of shape {x.shape} and values of shape {y.shape}",
            "a vector, and a vector or the columns of a matrix, of one length",
        )
    points, values = (converted(v, np.result_type(x.dtype, y.dtype, F64)) for v in (x, y))
    columns = xp.vander(points, deg + 1)
    if w is not None:
        if w.shape != x.shape:
            raise shape_error(f"np.polyfit: weights of shape {w.shape} for {x.size} points", "one for each")
        columns = columns * w[:, None]
        values = xp.transpose(xp.transpose(values) * w)
    lengths = xp.sqrt(xp.sum(columns * columns, axis=0))
    limit = len(x) * np.finfo(points.dtype).eps if rcond is None else rcond
    found = xp.linalg.lstsq(columns / lengths, values, limit)[0]
    return xp.transpose(xp.transpose(found) / lengths)


FUNCTIONS = tracings(polyfit, polyval, polyadd, polysub, polymul, polyder, polyint, poly, vander)
"""The functions that this file traces."""
