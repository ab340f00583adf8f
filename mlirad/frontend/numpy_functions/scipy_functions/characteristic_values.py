"""Mathieu functions and their characteristic values, by q where orders are known.

    mathieu_value("a", 2, q)        SciPy's value, with the derivatives of an eigenvalue

A characteristic value is an eigenvalue of a symmetric matrix with three diagonals, whose eigenvector has the
coefficients of a Fourier series. Traced orders have values and derivatives by x alone.
(*NIST Handbook of Mathematical Functions*, 2010, section 28.4.)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mlirad.frontend.constructs.build import stop_gradient
from mlirad.frontend.numpy_functions.linear_algebra.spectral import eigh
from mlirad.frontend.numpy_functions.meanings.special_ops import special
from mlirad.frontend.numpy_functions.scipy_functions.distributions.methods import as_float, valued
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import Operand, as_array, common, inexact, operand_of, xp

Floats = npt.NDArray[Any]

_MORE: Final = 40
"""The number of coefficients beyond that of the order."""

_LARGEST_Q: Final = 1e3
"""The largest |q| for which these coefficients suffice."""


def _called(name: str, *operands: Operand) -> Array:
    """A function of the table, of operands that are broadcast."""
    arrays = xp.broadcast_arrays(*map(inexact, common([operand_of(x) for x in operands])))
    return made(special(emitting(), name, *(a.value for a in arrays)))


def _of_known_orders(
    name: str, orders: tuple[Operand, ...], of: Callable[..., Array], *others: Operand
) -> Array:
    """A function of the table, which where orders are known has the derivatives of `of(*orders, *others)`."""
    if any(isinstance(order, Array) for order in orders):
        return _called(name, *orders, *others)
    table = np.broadcast_arrays(*(np.asarray(order, float) for order in orders))
    value = as_float(_called(name, *orders, *(as_array(stop_gradient(x)) for x in others)))
    spread = [xp.broadcast_to(as_float(x), value.shape) for x in others]
    found = xp.full(value.shape, np.nan)
    for chosen in np.unique(np.stack([t.reshape(-1) for t in table], axis=-1), axis=0):
        if (chosen >= 0).all() and (chosen == np.floor(chosen)).all():
            here = np.all([t == c for t, c in zip(table, chosen, strict=True)], axis=0)
            some = of(*map(int, chosen), *spread)
            found = some if here.all() else xp.where(here, some, found)
    return valued(found, value)


def _tridiagonal(x: Array, constant: Floats, slope: Floats, beside: Floats) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors of matrices with diagonal constant + slope x, and beside x next to it."""
    wide = x[..., None, None]
    matrix = np.diag(constant) + wide * (np.diag(slope) + np.diag(beside, 1) + np.diag(beside, -1))
    values, vectors = eigh(matrix)
    return values, vectors


def _series(kind: str, m: int, q: Array) -> tuple[Array, Array, Floats]:
    """The value, the coefficients of the Fourier series, and its frequencies; of sines for b."""
    first = m % 2 if kind == "a" else 2 - m % 2
    place = (m - first) // 2
    frequencies = first + 2.0 * np.arange(place + _MORE)
    slope, beside = np.zeros(frequencies.size), np.ones(frequencies.size - 1)
    if first == 1:
        slope[0] = 1.0 if kind == "a" else -1.0
    elif first == 0:
        beside[0] = 2**0.5
    inner = xp.where(xp.less_equal(xp.abs(q), _LARGEST_Q), q, np.nan)
    is_near = xp.isfinite(inner)
    values, vectors = _tridiagonal(xp.where(is_near, inner, 0.0), frequencies**2, slope, beside)
    found = vectors[..., place]
    # Even functions are positive at 0, odd ones grow there.
    sign = xp.where(xp.less(xp.sum(found * (frequencies if kind == "b" else 1.0), axis=-1), 0.0), -1.0, 1.0)
    weights = np.where(frequencies == 0, 0.5**0.5, 1.0)
    return xp.where(is_near, values[..., place], np.nan), found * sign[..., None] * weights, frequencies


def mathieu_value(kind: str, m: Operand, q: Operand) -> Array:
    """`scipy.special.mathieu_a`, or `mathieu_b`."""

    def of(order: int, x: Array) -> Array:
        return xp.full(x.shape, np.nan) if kind == "b" and order == 0 else _series(kind, order, x)[0]

    return _of_known_orders(f"mathieu_{kind}", (m,), of, q)


def mathieu_function(kind: str, m: Operand, q: Operand, x: Operand) -> tuple[Array, Array]:
    """`scipy.special.mathieu_cem`, or `mathieu_sem`: the function of an angle in degrees, and its slope."""
    names = [f"mathieu_{'cem' if kind == 'a' else 'sem'}_{result}" for result in ("y", "yp")]
    if not isinstance(q, Array):
        return _called(names[0], m, q, x), _called(names[1], m, q, x)

    def of(is_slope: bool, order: int, q: Array, x: Array) -> Array:
        if kind == "b" and order == 0:
            return xp.zeros(x.shape)
        _, coefficients, frequencies = _series(kind, order, q)
        angles = x[..., None] * (np.pi / 180) * frequencies
        if kind == "a":
            waves = xp.sin(angles) * -frequencies if is_slope else xp.cos(angles)
        else:
            waves = xp.cos(angles) * frequencies if is_slope else xp.sin(angles)
        return xp.sum(coefficients * waves, axis=-1)

    function = _of_known_orders(names[0], (m,), partial(of, False), q, x)
    return function, _of_known_orders(names[1], (m,), partial(of, True), q, x)
