"""Draws from the gamma distribution and those made of it, differentiable in their parameters.

A draw is accepted or rejected (Marsaglia and Tsang, *A simple method for generating gamma variables*,
2000), which cannot be differentiated. Its derivative follows from the distribution function F(x; a): as x
moves with a so that F(x; a) stays what it is, dx/da = -(dF/da) / (dF/dx). (Figurnov, Mohamed and Mnih,
*Implicit reparameterization gradients*, 2018.) All is done with the logarithm of x, since x underflows for
small a.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mlirad.frontend.interface import asarray, custom_derivative, stop_gradient, while_loop
from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.raising import shape_error
from mlirad.random.continuous import normal
from mlirad.random.drawing import Numbers, broadcast_shape, checked_float, draw, unit
from mlirad.random.keys import fold_in, split

LARGE: Final = 2000.0
"""The parameter from which on the distribution is taken for the cube of a normal one, where derivatives are
concerned: dx/da is then right to 1e-6 of itself, which Wilson and Hilferty's formula leaves out."""

ORDERS: Final = 2
"""The number of times that a draw can be differentiated in its parameter."""


@draw
def loggamma(key: Numbers, a: Numbers, shape: Any = None, dtype: npt.DTypeLike = np.float64) -> Any:
    """The logarithms of draws from the gamma distribution of parameter `a` and scale 1, accurate for small
    `a`.

    `a` broadcasts to `shape`, which is its own where it is not given. -inf for a = 0, NaN below.
    Differentiable in `a`, once and again; third derivatives are NaN.

        >>> ad.random.loggamma(ad.random.key(0), 1e-3, 3).round(2)
        array([ -936.04, -1051.61,  -656.09])
    """
    float_type = checked_float(dtype)
    parameter = asarray(a).astype(float_type)
    parameter = xp.broadcast_to(parameter, broadcast_shape(shape, "parameters", parameter))
    return _moving(ORDERS)(parameter, stop_gradient(_drawn(key, stop_gradient(parameter), float_type)))


@draw
def gamma(key: Numbers, a: Numbers, shape: Any = None, dtype: npt.DTypeLike = np.float64) -> Any:
    """Draws from the gamma distribution of parameter `a` and scale 1; see `loggamma`.

    >>> ad.random.gamma(ad.random.key(0), 2.0, 3).round(4)
    array([0.5278, 1.3052, 2.1925])
    """
    return xp.exp(loggamma(key, a, shape, dtype))


@draw
def beta(key: Numbers, a: Numbers, b: Numbers, shape: Any = None, dtype: npt.DTypeLike = np.float64) -> Any:
    """Draws from the beta distribution: the share of the first of two gamma draws. Differentiable in `a`
    and `b`.

        >>> ad.random.beta(ad.random.key(0), 2.0, 5.0, 4).round(4)
        array([0.3272, 0.4751, 0.5942, 0.0326])
    """
    float_type = checked_float(dtype)
    first, second = asarray(a).astype(float_type), asarray(b).astype(float_type)
    wanted = broadcast_shape(shape, "parameters", first, second)
    keys = split(key)
    difference = loggamma(keys[1], second, wanted, float_type) - loggamma(keys[0], first, wanted, float_type)
    return 1 / (1 + xp.exp(difference))


@draw
def dirichlet(key: Numbers, alpha: Numbers, shape: Any = None, dtype: npt.DTypeLike = np.float64) -> Any:
    """Draws from Dirichlet's distribution along the last dimension of `alpha`: the shares of gamma draws.

    `shape` is that of the draw without this dimension; `alpha` without it broadcasts to it.

        >>> shares = ad.random.dirichlet(ad.random.key(0), np.array([1.0, 2.0, 3.0]))
        >>> shares.round(4), shares.sum().round(9)
        (array([0.0174, 0.2774, 0.7053]), np.float64(1.0))
    """
    float_type = checked_float(dtype)
    parameters = asarray(alpha).astype(float_type)
    if parameters.ndim == 0 or parameters.shape[-1] == 0:
        raise shape_error(
            "dirichlet: alpha has no elements along its last dimension", "give one concentration or more"
        )
    wanted = broadcast_shape(shape, "parameters", parameters[..., 0])
    logs = loggamma(key, parameters, (*wanted, parameters.shape[-1]), float_type)
    shares = xp.exp(logs - xp.max(logs, axis=-1, keepdims=True))
    return shares / xp.sum(shares, axis=-1, keepdims=True)


@draw
def chisquare(key: Numbers, df: Numbers, shape: Any = None, dtype: npt.DTypeLike = np.float64) -> Any:
    """Draws from the chi-square distribution of `df` degrees of freedom. Differentiable in `df`.

    >>> ad.random.chisquare(ad.random.key(0), 3.0, 4).round(4)
    array([0.5547, 1.7379, 3.2292, 7.8221])
    """
    return 2 * gamma(key, asarray(df) / 2, shape, dtype)


@draw
def student_t(key: Numbers, df: Numbers, shape: Any = None, dtype: npt.DTypeLike = np.float64) -> Any:
    """Draws from Student's distribution of `df` degrees of freedom. Differentiable in `df`.

    >>> ad.random.student_t(ad.random.key(0), 3.0, 4).round(4)
    array([-0.7458,  0.0202, -0.5722, -1.2458])
    """
    float_type = checked_float(dtype)
    degrees = asarray(df).astype(float_type)
    wanted = broadcast_shape(shape, "degrees of freedom", degrees)
    keys = split(key)
    spread = loggamma(keys[1], degrees / 2, wanted, float_type)
    return normal(keys[0], wanted, float_type) * xp.exp(0.5 * (xp.log(degrees / 2) - spread))


def _drawn(key: Numbers, a: Any, float_type: Any) -> Any:
    """The logarithm of a draw: d v for the first v = (1 + z / (3 sqrt d))^3 that is accepted, d = a - 1/3.

    For a below 1 it is a draw of a + 1, times u^(1/a).
    """
    boosted = xp.where(a < 1, a + 1, a)
    d = boosted - float_type.type(1 / 3)
    c = 1 / (3 * xp.sqrt(d))

    def iteration(state: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        number, log_v, accepted = state
        own = fold_in(key, number)
        z, u = normal(own, a.shape, float_type), unit(own, a.shape, float_type, 1)
        t = 1 + c * z
        log_t = 3 * xp.log(xp.maximum(t, float_type.type(1e-30)))
        fits = (t > 0) & (xp.log(u) < 0.5 * z * z + d * (1 - t * t * t + log_t))
        return number + 1, xp.where(accepted, log_v, log_t), accepted | fits

    usable = (a > 0) & xp.isfinite(a)
    start = (asarray(np.int64(0)), xp.zeros_like(a), ~usable)
    log_v = while_loop(lambda state: ~xp.all(state[2]), iteration, start)[1]
    lift = xp.where(a < 1, xp.log(unit(key, a.shape, float_type, 2)) / xp.where(a < 1, a, 1), 0)
    limits = xp.where(a == 0, -np.inf, xp.where(a > 0, np.inf, np.nan)).astype(float_type)
    return xp.where(usable, xp.log(xp.where(usable, d, 1)) + log_v + lift, limits)


@cache
def _moving(orders: int) -> Callable[[Any, Any], Any]:
    """A function `(a, log_x) -> log_x` of a draw that moves with its parameter, to a given number of orders.

    Values that its slope reads of the draw move too, to one order less. With no order left, the slope is NaN.
    """

    @custom_derivative
    def moving(a: Any, log_x: Any) -> Any:
        return log_x

    def rule(a: Any, log_x: Any) -> Any:
        slope = _slope(a, _moving(orders - 1)(a, log_x)) if orders else np.nan
        return partial(_moved, slope)

    moving.rule(rule)
    return moving


def _moved(slope: Any, da: Any, dlog_x: Any) -> Any:
    return slope * da + dlog_x


def _slope(a: Any, log_x: Any) -> Any:
    """d log x / da where F(x; a) stays the same."""
    x = xp.exp(log_x)
    large = ~(a < LARGE)
    below = x < a + 1
    series = _series(a, log_x, x, large | ~below)
    fraction = _continued_fraction(a, log_x, x, large | below)
    return xp.where(large, _of_normal(a, log_x), xp.where(below, series, fraction))


def _series(a: Any, log_x: Any, x: Any, left_out: Any) -> Any:
    """By F = x^a e^-x / Gamma(a + 1) (1 + x/(a + 1) + x^2/((a + 1) (a + 2)) + ...), term by term."""
    epsilon = np.finfo(a.dtype).eps

    def iteration(state: tuple[Any, ...]) -> tuple[Any, ...]:
        n, term, harmonic, total, change, done = state
        term = term * x / (a + n)
        harmonic = harmonic + 1 / (a + n)
        more = term * harmonic
        stop = done | ~(xp.abs(more) > epsilon * xp.abs(change)) & ~(term > epsilon * total)
        return (
            n + 1,
            term,
            harmonic,
            xp.where(done, total, total + term),
            xp.where(done, change, change - more),
            stop,
        )

    one, zero = xp.ones_like(a), xp.zeros_like(a)
    start = (a.dtype.type(1), one, zero, one, zero, left_out)
    _, _, _, total, change, _ = while_loop(lambda state: ~xp.all(state[-1]), iteration, start)
    return -(total * (log_x - special("psi", a + 1)) + change) / a


def _continued_fraction(a: Any, log_x: Any, x: Any, left_out: Any) -> Any:
    """By 1 - F = x^a e^-x / Gamma(a) h, with h a continued fraction (Lentz's method), and dh/da beside it."""
    epsilon = np.finfo(a.dtype).eps

    def iteration(state: tuple[Any, ...]) -> tuple[Any, ...]:
        n, (c, dc), (d, dd), (h, dh), done = state
        factor, dfactor = n * (a - n), n
        b = x + 2 * n + 1 - a
        dc = dfactor / c - factor * dc / (c * c) - 1
        c = b + factor / c
        dd = dfactor * d + factor * dd - 1
        d = 1 / (factor * d + b)
        dd = -d * d * dd
        step, dstep = c * d, dc * d + c * dd
        new, dnew = h * step, dh * step + h * dstep
        close = ~(xp.abs(step - 1) > 2 * epsilon) & ~(
            xp.abs(dnew - dh) > epsilon * (xp.abs(dnew) + xp.abs(new))
        )
        kept = (xp.where(done, h, new), xp.where(done, dh, dnew))
        return n + 1, (c, dc), (d, dd), kept, done | close

    first = 1 / xp.where(left_out, 1, x + 1 - a)
    huge, zero = xp.full_like(a, 1e30), xp.zeros_like(a)
    start = (a.dtype.type(1), (huge, zero), (first, first * first), (first, first * first), left_out)
    _, _, _, (h, dh), _ = while_loop(lambda state: ~xp.all(state[-1]), iteration, start)
    return h * (log_x - special("psi", a)) + dh


def _of_normal(a: Any, log_x: Any) -> Any:
    """By Wilson and Hilferty: (x/a)^(1/3) = 1 - 1/(9 a) + z / (3 sqrt a), where z is normal and stays the
    same."""
    root = xp.exp((log_x - xp.log(a)) / 3)
    z_part = root - 1 + 1 / (9 * a)
    return 1 / a + (1 / (3 * a * a) - 3 * z_part / (2 * a)) / root
