"""Distances of `scipy.spatial.distance`, of two vectors and between the rows of matrices, on traced arrays.

    cdist(x, y, "cityblock")[i, j]      sum over k of |x[i, k] - y[j, k]|
    pdist(x)                            those of all pairs of different rows of x, as a vector

All are computed of differences, so the distance of a row from itself is 0 and not what rounding leaves. There
a Euclidean distance has the derivative 0, as `np.linalg.norm` has. Results are float64.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from mlirad.frontend.numpy_functions.calls.parameters import ArrayLike, Number, Static
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import F64
from mlirad.frontend.tracing.operations import converted, xp
from mlirad.frontend.tracing.raising import shape_error, unsupported_error

Distance = Callable[..., Any]
"""Of two arrays of vectors, along the last dimension."""


def _euclidean(u: Any, v: Any) -> Any:
    return xp.linalg.norm(u - v, axis=-1)


def _squared(u: Any, v: Any) -> Any:
    return xp.sum((u - v) ** 2, axis=-1)


def _city_block(u: Any, v: Any) -> Any:
    return xp.sum(xp.abs(u - v), axis=-1)


def _chebyshev(u: Any, v: Any) -> Any:
    return xp.max(xp.abs(u - v), axis=-1, initial=0.0)


def _minkowski(u: Any, v: Any, p: float = 2.0) -> Any:
    if p == np.inf:
        return _chebyshev(u, v)
    return xp.linalg.norm(u - v, ord=p, axis=-1)


def _cosine(u: Any, v: Any) -> Any:
    return 1.0 - xp.sum(u * v, axis=-1) / (xp.linalg.norm(u, axis=-1) * xp.linalg.norm(v, axis=-1))


def _correlation(u: Any, v: Any) -> Any:
    return _cosine(u - xp.mean(u, axis=-1, keepdims=True), v - xp.mean(v, axis=-1, keepdims=True))


def _canberra(u: Any, v: Any) -> Any:
    below = xp.abs(u) + xp.abs(v)
    empty = xp.equal(below, 0)
    return xp.sum(xp.where(empty, 0.0, xp.abs(u - v) / xp.where(empty, 1.0, below)), axis=-1)


def _bray_curtis(u: Any, v: Any) -> Any:
    return xp.sum(xp.abs(u - v), axis=-1) / xp.sum(xp.abs(u + v), axis=-1)


def _mahalanobis(u: Any, v: Any, VI: Any) -> Any:
    d = u - v
    return xp.sqrt(xp.sum((d @ VI) * d, axis=-1))


_METRICS: Final[dict[str, Distance]] = {
    "euclidean": _euclidean, "sqeuclidean": _squared, "cityblock": _city_block, "chebyshev": _chebyshev,
    "minkowski": _minkowski, "cosine": _cosine, "correlation": _correlation, "canberra": _canberra,
    "braycurtis": _bray_curtis, "mahalanobis": _mahalanobis,
}  # fmt: skip
"""By the name of a metric how it is computed."""


def _metric(name: object, called: str, p: float, VI: Any) -> Distance:
    if not isinstance(name, str) or name not in _METRICS:
        raise unsupported_error(
            f"{called} cannot be traced with the metric {name!r}", f"it knows {', '.join(_METRICS)}"
        )
    if name == "minkowski":
        return partial(_minkowski, p=p)
    if name == "mahalanobis":
        if VI is None:
            raise unsupported_error(
                f"{called} is traced with the metric 'mahalanobis' only if VI is given",
                "write VI=np.linalg.inv(np.cov(x.T))",
            )
        return partial(_mahalanobis, VI=VI)
    return _METRICS[name]


def _matrix(x: Array, name: str) -> Array:
    if x.ndim != 2:
        raise shape_error(f"{name}: an array of shape {x.shape} is not a matrix", "its rows are the points")
    return converted(x, F64)


def cdist(
    XA: ArrayLike,
    XB: ArrayLike,
    metric: Static = "euclidean",
    *,
    p: Number = 2.0,
    VI: ArrayLike | None = None,
) -> Any:
    """`scipy.spatial.distance.cdist`."""
    a, b = _matrix(XA, "cdist"), _matrix(XB, "cdist")
    if a.shape[1] != b.shape[1]:
        raise shape_error(
            f"cdist: points of shapes {a.shape} and {b.shape} differ in size",
            "their last dimensions are equal",
        )
    return _metric(metric, "cdist", p, VI)(a[:, None, :], b[None, :, :])


def pdist(X: ArrayLike, metric: Static = "euclidean", *, p: Number = 2.0, VI: ArrayLike | None = None) -> Any:
    """`scipy.spatial.distance.pdist`."""
    x = _matrix(X, "pdist")
    one, other = np.triu_indices(x.shape[0], 1)
    return _metric(metric, "pdist", p, VI)(x[one], x[other])


def _of_vectors(name: str, compute: Distance) -> Distance:
    def distance(u: ArrayLike, v: ArrayLike) -> Any:
        if u.ndim != 1 or v.ndim != 1 or u.shape != v.shape:
            raise shape_error(f"{name}: shapes {u.shape} and {v.shape}", "both are vectors of one size")
        return compute(converted(u, F64), converted(v, F64))

    return distance


def _minkowski_distance(u: ArrayLike, v: ArrayLike, p: Number = 2.0) -> Any:
    return _of_vectors("minkowski", partial(_minkowski, p=p))(u, v)


def _mahalanobis_distance(u: ArrayLike, v: ArrayLike, VI: ArrayLike) -> Any:
    return _of_vectors("mahalanobis", partial(_mahalanobis, VI=VI))(u, v)


FUNCTIONS: Final[dict[str, Distance]] = {
    "cdist": cdist,
    "pdist": pdist,
    **{
        name: _of_vectors(name, compute)
        for name, compute in _METRICS.items()
        if name not in ("minkowski", "mahalanobis")
    },
    "minkowski": _minkowski_distance,
    "mahalanobis": _mahalanobis_distance,
}
"""By its name in `scipy.spatial.distance` what traces a function."""
