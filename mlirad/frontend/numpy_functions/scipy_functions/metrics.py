"""Metrics of `scipy.spatial.distance` by name, of arrays of vectors along the last dimension.

    METRICS["cityblock"].compute(u, v, w=None)      sum over k of w[k] |u[k] - v[k]|

All are computed of differences, so the distance of a vector from itself is 0 and not what rounding leaves.
There distances that have a kink have the derivative 0, as `np.linalg.norm` has. Metrics of booleans
count, and are sums of products elsewhere: `cdist` converts points to booleans, so derivatives are 0 there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.tracing.dtypes import F64
from mlirad.frontend.tracing.operations import converted, xp
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Metric:
    """A metric: its formula, its options, and its other names in SciPy."""

    compute: Callable[..., Any]
    options: tuple[str, ...] = ("w",)
    aliases: tuple[str, ...] = ()
    of_truths: bool = False
    """True if `cdist` converts points to booleans first."""


def _weighted(x: Any, w: Any) -> Any:
    return x if w is None else w * x


def _total(x: Any, w: Any) -> Any:
    return xp.sum(_weighted(x, w), axis=-1)


def _rooted(total: Any, power: float) -> Any:
    """A power of sums that are 0 at a kink, where the derivative is 0."""
    is_zero = xp.equal(total, 0)
    return xp.where(is_zero, 0.0, xp.where(is_zero, 1.0, total) ** power)


def _squared(u: Any, v: Any, w: Any = None) -> Any:
    return _total((u - v) ** 2, w)


def _city_block(u: Any, v: Any, w: Any = None) -> Any:
    return _total(xp.abs(u - v), w)


def _chebyshev(u: Any, v: Any, w: Any = None) -> Any:
    d = xp.abs(u - v)
    return xp.max(d if w is None else xp.where(xp.greater(w, 0), d, 0.0), axis=-1, initial=0.0)


def _minkowski(u: Any, v: Any, w: Any = None, p: float = 2.0) -> Any:
    if p == np.inf:
        return _chebyshev(u, v, w)
    if w is None:
        return xp.linalg.norm(u - v, ord=p, axis=-1)
    return _rooted(_total(xp.abs(u - v) ** p, w), 1 / p)


def _standardised(u: Any, v: Any, V: Any) -> Any:
    return _minkowski(u, v, 1.0 / V)


def _cosine(u: Any, v: Any, w: Any = None) -> Any:
    if w is None:
        return 1.0 - xp.sum(u * v, axis=-1) / (xp.linalg.norm(u, axis=-1) * xp.linalg.norm(v, axis=-1))
    return 1.0 - _total(u * v, w) / xp.sqrt(_total(u * u, w) * _total(v * v, w))


def _correlation(u: Any, v: Any, w: Any = None, centered: bool = True) -> Any:
    if centered:
        whole = u.shape[-1] if w is None else xp.sum(w)
        u, v = (x - _total(x, w)[..., None] / whole for x in (u, v))
    return _cosine(u, v, w)


def _canberra(u: Any, v: Any, w: Any = None) -> Any:
    below = xp.abs(u) + xp.abs(v)
    empty = xp.equal(below, 0)
    return _total(xp.where(empty, 0.0, xp.abs(u - v) / xp.where(empty, 1.0, below)), w)


def _bray_curtis(u: Any, v: Any, w: Any = None) -> Any:
    return _total(xp.abs(u - v), w) / _total(xp.abs(u + v), w)


def _mahalanobis(u: Any, v: Any, VI: Any) -> Any:
    d = u - v
    return _rooted(xp.sum((d @ VI) * d, axis=-1), 0.5)


def _jensen_shannon(u: Any, v: Any, base: float | None = None) -> Any:
    p, q = (x / xp.sum(x, axis=-1, keepdims=True) for x in (u, v))
    mean = (p + q) / 2
    total = xp.sum(special("rel_entr", p, mean) + special("rel_entr", q, mean), axis=-1)
    if base is not None:
        total = total / np.log(base)
    # Rounding may leave less than nothing of equal rows.
    return _rooted(xp.where(xp.less(total, 0), 0.0, total) / 2, 0.5)


# Of booleans --------------------------------------------------------------------------------------


def _hamming(u: Any, v: Any, w: Any = None) -> Any:
    differs = _truth(xp.not_equal(u, v))
    return xp.mean(differs, axis=-1) if w is None else _total(differs, w) / xp.sum(w)


def _truth(x: Any) -> Any:
    return converted(x, F64)


def _counts(u: Any, v: Any, w: Any) -> tuple[Any, Any, Any, Any]:
    """The numbers of pairs (true, true), (true, false), (false, true) and (false, false)."""
    return _total(u * v, w), _total(u * (1 - v), w), _total((1 - u) * v, w), _total((1 - u) * (1 - v), w)


def _quotient(above: Any, below: Any) -> Any:
    """A quotient; nothing by nothing is 0."""
    empty = xp.equal(below, 0)
    return xp.where(empty, 0.0, above / xp.where(empty, 1.0, below))


def _jaccard(u: Any, v: Any, w: Any = None) -> Any:
    a, b = xp.not_equal(u, 0), xp.not_equal(v, 0)
    return _quotient(_total(_truth(xp.not_equal(a, b)), w), _total(_truth(xp.logical_or(a, b)), w))


def _dice(u: Any, v: Any, w: Any = None) -> Any:
    tt, tf, ft, _ = _counts(u, v, w)
    return (tf + ft) / (2 * tt + tf + ft)


def _rogers_tanimoto(u: Any, v: Any, w: Any = None) -> Any:
    tt, tf, ft, ff = _counts(u, v, w)
    return 2 * (tf + ft) / (tt + ff + 2 * (tf + ft))


def _russell_rao(u: Any, v: Any, w: Any = None) -> Any:
    tt, tf, ft, ff = _counts(u, v, w)
    return (tf + ft + ff) / (tt + tf + ft + ff)


def _sokal_sneath(u: Any, v: Any, w: Any = None) -> Any:
    tt, tf, ft, _ = _counts(u, v, w)
    return 2 * (tf + ft) / (tt + 2 * (tf + ft))


def _yule(u: Any, v: Any, w: Any = None) -> Any:
    tt, tf, ft, ff = _counts(u, v, w)
    return _quotient(2 * tf * ft, tt * ff + tf * ft)


METRICS: Final[dict[str, Metric]] = {
    "euclidean": Metric(_minkowski, aliases=("euclid", "eu", "e")),
    "sqeuclidean": Metric(_squared, aliases=("sqe", "sqeuclid")),
    "seuclidean": Metric(_standardised, ("V",), ("se", "s")),
    "cityblock": Metric(_city_block, aliases=("cblock", "cb", "c")),
    "chebyshev": Metric(_chebyshev, aliases=("chebychev", "cheby", "cheb", "ch")),
    "minkowski": Metric(_minkowski, ("w", "p"), ("mi", "m", "pnorm")),
    "cosine": Metric(_cosine, aliases=("cos",)),
    "correlation": Metric(_correlation, ("w", "centered"), ("co",)),
    "canberra": Metric(_canberra),
    "braycurtis": Metric(_bray_curtis),
    "mahalanobis": Metric(_mahalanobis, ("VI",), ("mahal", "mah")),
    "jensenshannon": Metric(_jensen_shannon, (), ("js",)),
    "hamming": Metric(_hamming, aliases=("matching", "hamm", "ha", "h")),
    "jaccard": Metric(_jaccard, aliases=("jacc", "ja", "j")),
    "dice": Metric(_dice),
    "rogerstanimoto": Metric(_rogers_tanimoto, of_truths=True),
    "russellrao": Metric(_russell_rao, of_truths=True),
    "sokalsneath": Metric(_sokal_sneath, of_truths=True),
    "yule": Metric(_yule, of_truths=True),
}
"""The metrics, by name."""

CANONICAL: Final[dict[str, str]] = {
    name: own for own, metric in METRICS.items() for name in (own, *metric.aliases)
}
"""By each name of a metric the one that it has here."""
