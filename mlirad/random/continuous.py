"""Draws from continuous distributions by the inverse of their distribution function, of one uniform number
each.

With u above 0 and below 1 no draw is infinite or NaN, and each is a differentiable function of its
parameters.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from mlirad.frontend.interface import asarray
from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.raising import shape_error
from mlirad.random.drawing import (
    Numbers,
    broadcast_shape,
    checked_float,
    checked_shape,
    draw,
    fraction,
    unit,
)


@draw
def uniform(
    key: Numbers,
    shape: Any = (),
    dtype: npt.DTypeLike = np.float64,
    minval: Numbers = 0.0,
    maxval: Numbers = 1.0,
) -> Any:
    """Floats from `minval` on and below `maxval`, which broadcast to `shape`: minval + (maxval - minval) u,
    with u a multiple of 2**-53 (of 2**-24 in float32). Rounding may give `maxval` where the limits are not
    0 and 1.

        >>> ad.random.uniform(ad.random.key(0), 3).round(4)
        array([0.4185, 0.2163, 0.9653])
        >>> ad.random.uniform(ad.random.key(0), 3, minval=-1.0, maxval=1.0).round(4)
        array([-0.1631, -0.5674,  0.9306])
    """
    float_type = checked_float(dtype)
    low, high = asarray(minval).astype(float_type), asarray(maxval).astype(float_type)
    u = fraction(key, broadcast_shape(shape, "limits", low, high), float_type)
    return low + (high - low) * u


@draw
def normal(key: Numbers, shape: Any = (), dtype: npt.DTypeLike = np.float64) -> Any:
    """Draws from the normal distribution of mean 0 and variance 1: sqrt(2) erfinv(2 u - 1).

    `mean + deviation * ad.random.normal(key, shape)` has the derivatives of the reparametrisation.

        >>> key = ad.random.key(0)
        >>> ad.random.normal(key, 3).round(4)
        array([-0.2058, -0.7848,  1.8161])
        >>> ad.grad(lambda deviation: 1.0 + deviation * ad.random.normal(key))(2.0).round(4)
        np.float64(-0.2058)
    """
    float_type = checked_float(dtype)
    return _normal(unit(key, checked_shape(shape), float_type), float_type)


def _normal(u: Any, float_type: Any) -> Any:
    return special("erfinv", 2 * u - 1) * float_type.type(math.sqrt(2))


@draw
def truncated_normal(
    key: Numbers, lower: Numbers, upper: Numbers, shape: Any = None, dtype: npt.DTypeLike = np.float64
) -> Any:
    """Draws from the normal distribution between `lower` and `upper`, which broadcast to `shape`.

    Without a shape the draw has theirs. Between limits beyond about 8 on one side, where the distribution
    function is 0 or 1 in float64 (5 in float32), draws are at a limit.

        >>> ad.random.truncated_normal(ad.random.key(0), 1.0, 1.5, 4).round(4)
        array([1.1739, 1.0858, 1.4758, 1.2487])
    """
    float_type = checked_float(dtype)
    low, high = asarray(lower).astype(float_type), asarray(upper).astype(float_type)
    root = float_type.type(math.sqrt(2))
    first, last = special("erf", low / root), special("erf", high / root)
    u = unit(key, broadcast_shape(shape, "limits", low, high), float_type)
    return xp.clip(root * special("erfinv", first + (last - first) * u), low, high)


@draw
def exponential(key: Numbers, shape: Any = (), dtype: npt.DTypeLike = np.float64) -> Any:
    """Draws from the exponential distribution of rate 1: -log(u).

    >>> ad.random.exponential(ad.random.key(0), 4).round(4)
    array([0.8712, 1.5311, 0.0353, 0.5543])
    """
    return -xp.log(unit(key, checked_shape(shape), checked_float(dtype)))


@draw
def gumbel(key: Numbers, shape: Any = (), dtype: npt.DTypeLike = np.float64) -> Any:
    """Draws from the Gumbel distribution, of location 0 and scale 1: -log(-log(u)).

    >>> ad.random.gumbel(ad.random.key(0), 4).round(4)
    array([ 0.1379, -0.426 ,  3.344 ,  0.5901])
    """
    return -xp.log(-xp.log(unit(key, checked_shape(shape), checked_float(dtype))))


@draw
def logistic(key: Numbers, shape: Any = (), dtype: npt.DTypeLike = np.float64) -> Any:
    """Draws from the logistic distribution, of location 0 and scale 1: log(u / (1 - u)).

    >>> ad.random.logistic(ad.random.key(0), 4).round(4)
    array([-0.3291, -1.2874,  3.3263,  0.3002])
    """
    u = unit(key, checked_shape(shape), checked_float(dtype))
    return xp.log(u) - xp.log1p(-u)


@draw
def laplace(key: Numbers, shape: Any = (), dtype: npt.DTypeLike = np.float64) -> Any:
    """Draws from Laplace's distribution, of location 0 and scale 1: the sign and the logarithm of 2 u - 1.

    >>> ad.random.laplace(ad.random.key(0), 4).round(4)
    array([-0.178 , -0.838 ,  2.6685,  0.1613])
    """
    u = unit(key, checked_shape(shape), checked_float(dtype))
    tail = xp.minimum(u, 1 - u)
    return xp.sign(u - 0.5) * -xp.log(2 * tail)


@draw
def cauchy(key: Numbers, shape: Any = (), dtype: npt.DTypeLike = np.float64) -> Any:
    """Draws from Cauchy's distribution, of location 0 and scale 1: tan(pi (u - 1/2)).

    >>> ad.random.cauchy(ad.random.key(0), 4).round(4)
    array([-0.2619, -1.2378,  9.1425,  0.2384])
    """
    float_type = checked_float(dtype)
    u = unit(key, checked_shape(shape), float_type)
    return xp.tan(float_type.type(math.pi) * (u - float_type.type(0.5)))


@draw
def lognormal(
    key: Numbers,
    mean: Numbers = 0.0,
    sigma: Numbers = 1.0,
    shape: Any = None,
    dtype: npt.DTypeLike = np.float64,
) -> Any:
    """Draws whose logarithms are normal, of the given mean and deviation, which broadcast to `shape`.

    Differentiable in both.

        >>> key = ad.random.key(0)
        >>> ad.random.lognormal(key, 1.0, 0.5, 3).round(4)
        array([2.4524, 1.8361, 6.7399])
        >>> ad.grad(lambda sigma: ad.random.lognormal(key, 1.0, sigma))(0.5).round(4)
        np.float64(-0.5048)
    """
    float_type = checked_float(dtype)
    m, s = asarray(mean).astype(float_type), asarray(sigma).astype(float_type)
    return xp.exp(
        m + s * _normal(unit(key, broadcast_shape(shape, "parameters", m, s), float_type), float_type)
    )


@draw
def rayleigh(key: Numbers, shape: Any = (), dtype: npt.DTypeLike = np.float64) -> Any:
    """Draws from Rayleigh's distribution of scale 1: sqrt(-2 log(u)).

    >>> ad.random.rayleigh(ad.random.key(0), 4).round(4)
    array([1.32  , 1.7499, 0.2657, 1.0529])
    """
    return xp.sqrt(-2 * xp.log(unit(key, checked_shape(shape), checked_float(dtype))))


@draw
def weibull(key: Numbers, a: Numbers, shape: Any = None, dtype: npt.DTypeLike = np.float64) -> Any:
    """Draws from Weibull's distribution of parameter `a` and scale 1: (-log(u))^(1/a).

    `a` broadcasts to `shape`. Differentiable in `a`.

        >>> key = ad.random.key(0)
        >>> ad.random.weibull(key, 2.0, 3).round(4)
        array([0.9334, 1.2374, 0.1879])
        >>> ad.grad(lambda a: ad.random.weibull(key, a))(2.0).round(4)
        np.float64(0.0322)
    """
    parameter = asarray(a).astype(checked_float(dtype))
    u = unit(key, broadcast_shape(shape, "parameters", parameter), parameter.dtype)
    return xp.power(-xp.log(u), 1 / parameter)


@draw
def pareto(key: Numbers, a: Numbers, shape: Any = None, dtype: npt.DTypeLike = np.float64) -> Any:
    """Draws from the distribution that NumPy calls Pareto's, also Lomax's, of parameter `a`: u^(-1/a) - 1.

    With 1 added they have Pareto's classical distribution, of scale 1. `a` broadcasts to `shape`.
    Differentiable in `a`.

        >>> ad.random.pareto(ad.random.key(0), 3.0, 4).round(4)
        array([0.337 , 0.6659, 0.0118, 0.2029])
    """
    parameter = asarray(a).astype(checked_float(dtype))
    u = unit(key, broadcast_shape(shape, "parameters", parameter), parameter.dtype)
    return xp.expm1(-xp.log(u) / parameter)


@draw
def triangular(
    key: Numbers,
    left: Numbers,
    mode: Numbers,
    right: Numbers,
    shape: Any = None,
    dtype: npt.DTypeLike = np.float64,
) -> Any:
    """Draws between `left` and `right` with a density that rises to `mode` and then falls, by straight lines.

    All three broadcast to `shape`. Differentiable in them.

        >>> ad.random.triangular(ad.random.key(0), 0.0, 1.0, 4.0, 4).round(4)
        array([1.3583, 0.9302, 3.3549, 1.7404])
    """
    float_type = checked_float(dtype)
    low, top, high = (asarray(limit).astype(float_type) for limit in (left, mode, right))
    u = unit(key, broadcast_shape(shape, "limits", low, top, high), float_type)
    width, rise, fall = high - low, top - low, high - top
    rises = u * width < rise
    root = xp.sqrt(width * xp.where(rises, u * rise, (1 - u) * fall))
    return xp.where(rises, low + root, high - root)


@draw
def multivariate_normal(
    key: Numbers, mean: Numbers, cov: Numbers, shape: Any = (), dtype: npt.DTypeLike = np.float64
) -> Any:
    """Draws from the normal distribution of a mean of shape (..., d) and a covariance of shape (..., d, d).

    The result has the shape `(*shape, ..., d)`: mean + L z, with L the Cholesky factor of `cov` and z
    normal, so that it is differentiable in both. Of `cov` the lower triangle counts; it must be positive
    definite.

        >>> cov = np.array([[1.0, 0.9], [0.9, 1.0]])
        >>> ad.random.multivariate_normal(ad.random.key(0), np.zeros(2), cov, 3).round(3)
        array([[-0.206, -0.527],
               [ 1.816,  1.716],
               [ 0.081, -0.089]])
    """
    float_type = checked_float(dtype)
    m, c = asarray(mean).astype(float_type), asarray(cov).astype(float_type)
    if m.ndim < 1 or c.shape[-2:] != (m.shape[-1], m.shape[-1]):
        raise shape_error(
            f"multivariate_normal: a mean of shape {list(m.shape)} and a covariance of shape {list(c.shape)}",
            "give a vector of d elements and a matrix of d x d",
        )
    batch = broadcast_shape(None, "a mean and covariances", m[..., 0], c[..., 0, 0])
    z = _normal(unit(key, (*checked_shape(shape), *batch, m.shape[-1]), float_type), float_type)
    return m + xp.einsum("...ij,...j->...i", xp.linalg.cholesky(c), z)
