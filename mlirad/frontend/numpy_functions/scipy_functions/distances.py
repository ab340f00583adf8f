"""Distances of `scipy.spatial.distance`, of two vectors and between the rows of matrices, on traced arrays.

    cdist(x, y, "cityblock")[i, j]      sum over k of |x[i, k] - y[j, k]|
    pdist(x)                            those of all pairs of different rows of x, as a vector

Results are float64. A metric is a name of SciPy's, one of its functions, or a function of two vectors, which
is traced once for all pairs.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Final

import numpy as np

from mlirad.frontend.constructs.build import build
from mlirad.frontend.numpy_functions.calls.parameters import (
    Anything,
    ArrayLike,
    Axis,
    Flag,
    Number,
    Static,
    kind,
    static,
)
from mlirad.frontend.numpy_functions.scipy_functions.metrics import CANONICAL, METRICS
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.dtypes import F64
from mlirad.frontend.tracing.operations import as_array, converted, xp
from mlirad.frontend.tracing.raising import argument_error, shape_error, unsupported_error
from mlirad.frontend.tracing.shapes import one_axis

Distance = Callable[..., Any]
"""A distance of two arrays of vectors, along the last dimension."""


def _metric_name(value: Any) -> Any:
    """A name, or a function, which is the name of a metric if it is SciPy's."""
    if not callable(value):
        return static(value)
    theirs = vars(sys.modules["scipy.spatial.distance"])
    return next((name for name in METRICS if theirs.get(name) is value), value)


MetricLike = Annotated[Any, kind("the name of a metric, or a function of two vectors", _metric_name)]
"""A metric."""


def _computed(metric: Any, points: list[Array], options: dict[str, Any], called: str) -> Distance:
    """The distance by a metric with its options, of arrays of vectors that broadcast."""
    if callable(metric):
        return _of_pairs(metric, options)
    if metric not in CANONICAL:
        raise unsupported_error(
            f"{called} cannot be traced with the metric {metric!r}",
            f"it knows {', '.join(METRICS)}, and functions of two vectors",
        )
    name = CANONICAL[metric]
    known = METRICS[name].options
    for option in options:
        if option not in known:
            takes = ", ".join(known) or "none"
            raise argument_error(
                f"{called}: the metric {name!r} has no option {option!r}", f"its options are: {takes}"
            )
    given = {
        key: value if key in ("p", "centered") else converted(as_array(value), F64)
        for key, value in options.items()
        if value is not None
    }
    for key in ("w", "V"):
        if key in given and given[key].shape != points[0].shape[-1:]:
            raise shape_error(
                f"{called}: `{key}` has shape {given[key].shape}, and points have "
                f"{points[0].shape[-1]} coordinates",
                "give one number for each coordinate",
            )
    if name == "seuclidean" and "V" not in given:
        given["V"] = xp.var(xp.concatenate(points), axis=0, ddof=1)
    if name == "mahalanobis" and "VI" not in given:
        every = xp.concatenate(points)
        if every.shape[0] <= every.shape[1]:
            raise shape_error(
                f"{called}: the covariance of {every.shape[0]} points of {every.shape[1]} coordinates "
                "is singular",
                "pass more points, or VI=VI",
            )
        given["VI"] = xp.linalg.inv(xp.atleast_2d(xp.cov(every.T)))
    compute = METRICS[name].compute
    return partial(compute, **given)


def _of_pairs(metric: Callable[..., Any], options: dict[str, Any]) -> Distance:
    """A user's metric, of arrays of vectors that broadcast."""

    def distance(u: Any, v: Any) -> Any:
        shape = np.broadcast_shapes(u.shape[:-1], v.shape[:-1])
        one, other = (xp.broadcast_to(x, (*shape, x.shape[-1])) for x in (u, v))

        def element(*at: Any) -> Any:
            found = as_array(metric(one[at], other[at], **options))
            if found.shape:
                raise shape_error(
                    f"the metric returns an array of shape {found.shape}, and a distance is a number",
                    "sum it: np.sum((u - v) ** 2)",
                )
            return converted(found, F64)

        return build(shape, element)

    return distance


def _matrix(x: Array, name: str) -> Array:
    if x.ndim != 2:
        raise shape_error(f"{name}: an array of shape {x.shape} is not a matrix", "its rows are the points")
    return converted(x, F64)


def _as_counted(metric: Any, points: list[Array]) -> list[Array]:
    """The points, converted to booleans for a metric that counts these."""
    name = CANONICAL.get(metric) if isinstance(metric, str) else None
    if name is None or not METRICS[name].of_truths:
        return points
    return [converted(xp.not_equal(x, 0), F64) for x in points]


def cdist(XA: ArrayLike, XB: ArrayLike, metric: MetricLike = "euclidean", **options: Anything) -> Any:
    """`scipy.spatial.distance.cdist`."""
    a, b = _matrix(XA, "cdist"), _matrix(XB, "cdist")
    if a.shape[1] != b.shape[1]:
        raise shape_error(
            f"cdist: points of shapes {a.shape} and {b.shape} differ in size",
            "their last dimensions are equal",
        )
    a, b = _as_counted(metric, [a, b])
    return _computed(metric, [a, b], options, "cdist")(a[:, None, :], b[None, :, :])


def pdist(X: ArrayLike, metric: MetricLike = "euclidean", **options: Anything) -> Any:
    """`scipy.spatial.distance.pdist`."""
    (x,) = _as_counted(metric, [_matrix(X, "pdist")])
    one, other = np.triu_indices(x.shape[0], 1)
    return _computed(metric, [x], options, "pdist")(x[one], x[other])


def squareform(X: ArrayLike, force: Static = "no", checks: Static = True) -> Any:
    """`scipy.spatial.distance.squareform`; that a matrix is symmetric is not checked."""
    if X.ndim == 1 and force in ("no", "tomatrix"):
        return _square(X)
    if X.ndim == 2 and X.shape[0] == X.shape[1] and force in ("no", "tovector"):
        return X[np.triu_indices(X.shape[0], 1)]
    raise shape_error(
        f"squareform: an array of shape {X.shape} is not turned into another form by force={force!r}",
        "it takes a vector of distances, or a square matrix of them",
    )


def _square(x: Array) -> Any:
    """The symmetric matrix of the distances of pairs, with zeros between."""
    size = round((1 + math.sqrt(1 + 8 * x.shape[0])) / 2)
    if size * (size - 1) != 2 * x.shape[0]:
        raise shape_error(
            f"squareform: {x.shape[0]} distances are not those of all pairs of some points",
            "n points have n * (n - 1) / 2 of them",
        )
    places = np.full((size, size), x.shape[0])
    places[np.triu_indices(size, 1)] = np.arange(x.shape[0])
    return xp.concatenate([x, xp.zeros(1, x.dtype)])[np.minimum(places, places.T)]


def _between(name: str, u: Array, v: Array, **options: Any) -> Any:
    """The distance of two vectors by a metric."""
    if u.ndim != 1 or v.ndim != 1 or u.shape != v.shape:
        raise shape_error(f"{name}: shapes {u.shape} and {v.shape}", "both are vectors of one size")
    vectors = [converted(u, F64), converted(v, F64)]
    return _computed(name, vectors, options, name)(*vectors)


def _of_vectors(name: str) -> Distance:
    def distance(u: ArrayLike, v: ArrayLike, w: ArrayLike | None = None) -> Any:
        return _between(name, u, v, w=w)

    return distance


def minkowski(u: ArrayLike, v: ArrayLike, p: Number = 2.0, w: ArrayLike | None = None) -> Any:
    """`scipy.spatial.distance.minkowski`."""
    return _between("minkowski", u, v, p=p, w=w)


def correlation(u: ArrayLike, v: ArrayLike, w: ArrayLike | None = None, centered: Flag = True) -> Any:
    """`scipy.spatial.distance.correlation`."""
    return _between("correlation", u, v, w=w, centered=centered)


def seuclidean(u: ArrayLike, v: ArrayLike, V: ArrayLike) -> Any:
    """`scipy.spatial.distance.seuclidean`."""
    return _between("seuclidean", u, v, V=V)


def mahalanobis(u: ArrayLike, v: ArrayLike, VI: ArrayLike) -> Any:
    """`scipy.spatial.distance.mahalanobis`."""
    return _between("mahalanobis", u, v, VI=VI)


def jensenshannon(
    p: ArrayLike, q: ArrayLike, base: Number | None = None, *, axis: Axis = 0, keepdims: Flag = False
) -> Any:
    """`scipy.spatial.distance.jensenshannon`, along an axis of arrays that broadcast."""
    one, other = xp.broadcast_arrays(converted(p, F64), converted(q, F64))
    if not one.ndim:
        raise shape_error("jensenshannon of two numbers", "both are vectors of probabilities")
    at = one_axis(axis, one.ndim)
    rows = (xp.moveaxis(x, at, -1) for x in (one, other))
    found = METRICS["jensenshannon"].compute(*rows, base=base)
    return xp.expand_dims(found, at) if keepdims else found


FUNCTIONS: Final[dict[str, Distance]] = {
    **{name: _of_vectors(name) for name in METRICS},
    "cdist": cdist, "pdist": pdist, "squareform": squareform, "minkowski": minkowski,
    "correlation": correlation, "seuclidean": seuclidean, "mahalanobis": mahalanobis,
    "jensenshannon": jensenshannon,
}  # fmt: skip
"""The functions that trace those of `scipy.spatial.distance`, by their names there."""
