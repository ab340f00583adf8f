"""Covariances and correlations."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlirad.frontend.constructs.own_derivatives import with_derivative
from mlirad.frontend.numpy_functions.calls.parameters import ArrayLike, DtypeLike, Flag, Int
from mlirad.frontend.numpy_functions.calls.tracings import tracings
from mlirad.frontend.numpy_functions.reductions.norms import unit_vectors
from mlirad.frontend.numpy_functions.reductions.reductions import centred
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import F64, Dtype
from mlirad.frontend.tracing.operations import as_array, converted, xp
from mlirad.frontend.tracing.raising import dtype_error, shape_error


def cov(
    m: ArrayLike, y: ArrayLike | None = None, rowvar: Flag = True, bias: Flag = False,
    ddof: Int | None = None, fweights: ArrayLike | None = None, aweights: ArrayLike | None = None, *,
    dtype: DtypeLike | None = None,
) -> Array:  # fmt: skip
    """`np.cov`."""
    x = _variables(m, y, rowvar, dtype)
    if not x.shape[0]:
        return xp.zeros((0, 0), F64)
    less = (0 if bias else 1) if ddof is None else ddof
    if fweights is not None or aweights is not None:
        return _weighted_covariance(x, less, fweights, aweights)
    freedom = max(x.shape[1] - less, 0)
    rows = centred(x, [1])
    scaled = xp.matmul(rows, xp.transpose(rows)) * (
        x.dtype.type(1) / converted(as_array(freedom), x.dtype) if freedom else np.inf
    )
    return xp.squeeze(scaled)


def _variables(m: Array, y: Array | None, rowvar: bool, dtype: Dtype | None) -> Array:
    """A row of observations for each variable."""
    if m.ndim > 2 or (y is not None and y.ndim > 2):
        raise shape_error("cov takes at most two dimensions", "np.reshape")
    if dtype is not None and dtype.kind != "f":
        raise dtype_error(f"covariances are not computed in {dtype}", "leave dtype= out")
    target = F64 if dtype is None else dtype
    x = converted(xp.atleast_2d(m), target)
    if not rowvar and m.ndim != 1:
        x = xp.transpose(x)
    if y is None or not x.shape[0]:
        return x
    other = converted(xp.atleast_2d(y), target)
    if not rowvar and other.shape[0] != 1:
        other = xp.transpose(other)
    return xp.concatenate([x, other], axis=0)


def _weighted_covariance(x: Array, less: int, repeats: Array | None, importance: Array | None) -> Array:
    """The covariance of observations that are repeated, and of some importance."""
    for given in (repeats, importance):
        if given is not None and given.shape != x.shape[1:]:
            raise shape_error(
                f"np.cov: weights of shape {given.shape} for {x.shape[1]} observations", "one for each"
            )
    weights: Any = x.dtype.type(1)
    for given in (repeats, importance):
        weights = weights if given is None else weights * converted(given, x.dtype)
    total = xp.sum(weights)
    if importance is None or less == 0:
        freedom = total - less
    else:
        freedom = total - less * xp.sum(weights * converted(importance, x.dtype)) / total
    rows = x - xp.sum(x * weights, axis=1, keepdims=True) / total
    return xp.squeeze(xp.matmul(rows, xp.transpose(rows * weights)) / xp.maximum(freedom, 0.0))


def corrcoef(
    x: ArrayLike, y: ArrayLike | None = None, rowvar: Flag = True, *, dtype: DtypeLike | None = None
) -> Array:
    """`np.corrcoef`."""
    rows = _variables(x, y, rowvar, dtype)
    if not rows.shape[0]:
        return xp.zeros((0, 0), F64)
    unit = unit_vectors(centred(rows, [1]), (1,))
    return xp.squeeze(_within_one(xp.matmul(unit, xp.transpose(unit))))


def _within_one(c: Array) -> Array:
    """Return what rounding brought beyond -1 or 1 is brought back, without a derivative that ends there."""

    def derivative(_: Array, __: Array, dc: Array) -> Array:
        return dc

    return with_derivative(_clipped, derivative, c)


def _clipped(c: Array) -> Array:
    return xp.clip(c, -1, 1)


FUNCTIONS = tracings(cov, corrcoef)
"""The functions that this file traces."""
