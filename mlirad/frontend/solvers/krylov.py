"""Iterative solvers of linear systems, by products with the map alone.

cg(a, b)         a symmetric and positive definite: conjugate gradients (Hestenes and Stiefel, 1952)
gmres(a, b)      any regular map: the least residual in a Krylov space, restarted (Saad and Schultz, 1986)
lsmr(a, at, b)   least squares, by bidiagonalisation with a and its transpose (Fong and Saunders, 2011)

All start at 0, and have converged when the residual is below the tolerance, relative to the right side.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlirad.frontend.constructs.loops import fori_loop, while_loop
from mlirad.frontend.solvers.convergence import Limits, Progress, finite, largest, power_of_two
from mlirad.frontend.tracing.operations import as_array, xp

RESTART = 30
"""The number of products after which GMRES begins again."""

Map = Callable[[Any], Any]


def norm(x: Any) -> Any:
    """The Euclidean length, also of a vector whose squares overflow or vanish."""
    unit = power_of_two(largest(x))
    x = x / unit
    return unit * xp.sqrt(x @ x)


def _over(x: Any, length: Any) -> Any:
    """x divided by a length, 0 where that is 0."""
    return xp.where(length > 0, x / xp.where(length > 0, length, 1), 0)


def cg(a: Map, b: Any, limits: Limits) -> Progress:
    """x with a(x) = b, for a symmetric and positive definite."""
    goal = (limits.tolerance(b.dtype, 0.75) * norm(b)) ** 2

    def iteration(state: tuple[Any, ...]) -> tuple[Any, ...]:
        x, r, p, size, steps = state
        image = a(p)
        step = size / (p @ image)
        r = r - step * image
        smaller = r @ r
        return x + step * p, r, r + smaller / size * p, smaller, steps + 1

    start = (xp.zeros_like(b), b, b, b @ b, as_array(0))
    x, _, _, size, steps = while_loop(lambda s: (s[3] > goal) & (s[4] < limits.maxiter), iteration, start)
    return Progress(x, steps, size <= goal)


def gmres(a: Map, b: Any, limits: Limits, goal: Any = None) -> Progress:
    """x with a(x) = b; `goal` is how long the residual may be, if it is not the limits that say so."""
    width = min(RESTART, b.size)
    goal = limits.tolerance(b.dtype, 0.75) * norm(b) if goal is None else goal

    def cycle(state: tuple[Any, ...]) -> tuple[Any, ...]:
        x, r, _, steps = state
        length = norm(r)
        basis = as_array(np.zeros((width + 1, b.size), b.dtype)).at[0].set(_over(r, length))
        products = as_array(np.zeros((width, width + 1), b.dtype))

        def product(k: Any, spaces: tuple[Any, Any]) -> tuple[Any, Any]:
            basis, products = spaces
            image = a(basis[k])
            before = norm(image)
            parts = basis @ image
            image = image - parts @ basis
            again = basis @ image
            image = image - again @ basis
            rest = norm(image)
            rest = xp.where(rest > 10 * np.finfo(b.dtype).eps * before, rest, 0)
            row = (parts + again).at[k + 1].set(rest)
            return basis.at[k + 1].set(_over(image, rest)), products.at[k].set(row)

        basis, products = fori_loop(0, width, product, (basis, products))
        wanted = as_array(np.zeros(width + 1, b.dtype)).at[0].set(length)
        weights = xp.linalg.lstsq(products.T, wanted)[0]
        x = x + weights @ basis[:width]
        r = b - a(x)
        return x, r, norm(r), steps + width

    start = (xp.zeros_like(b), b, norm(b), as_array(0))
    x, _, size, steps = while_loop(lambda s: (s[2] > goal) & (s[3] < limits.maxiter), cycle, start)
    return Progress(x, steps, size <= goal)


def lsmr(a: Map, transposed: Map, b: Any, limits: Limits) -> Progress:
    """x for which |a(x) - b| is least, and of those the one of least length.

    The residual of the normal equations is compared with the tolerance.
    """
    beta = norm(b)
    u = _over(b, beta)
    v = transposed(u)
    alpha = norm(v)
    v = _over(v, alpha)
    one, zero = as_array(1.0, b.dtype), as_array(0.0, b.dtype)
    goal = limits.tolerance(b.dtype, 0.75) * alpha * beta

    def iteration(state: tuple[Any, ...]) -> tuple[Any, ...]:
        (x, h, hbar), (u, v, alpha), (alphabar, zetabar, rho, rhobar, cbar, sbar), steps = state
        u = a(v) - alpha * u
        beta = norm(u)
        u = _over(u, beta)
        v = transposed(u) - beta * v
        alpha = norm(v)
        v = _over(v, alpha)
        before, barred_before = rho, rhobar
        c, s, rho = _rotation(alphabar, beta)
        theta, alphabar = s * alpha, c * alpha
        thetabar = sbar * rho
        cbar, sbar, rhobar = _rotation(cbar * rho, theta)
        zeta, zetabar = cbar * zetabar, -sbar * zetabar
        hbar = h - _over(thetabar, before) * _over(rho, barred_before) * hbar
        x = x + _over(_over(zeta, rho), rhobar) * hbar
        h = v - _over(theta, rho) * h
        return (x, h, hbar), (u, v, alpha), (alphabar, zetabar, rho, rhobar, cbar, sbar), steps + 1

    def goes_on(state: tuple[Any, ...]) -> Any:
        size = xp.abs(state[2][1])
        return (size > goal) & (state[3] < limits.maxiter) & finite(size)

    nothing = xp.zeros_like(v)
    start = ((nothing, v, nothing), (u, v, alpha), (alpha, alpha * beta, one, one, one, zero), as_array(0))
    (x, _, _), _, (_, size, *_), steps = while_loop(goes_on, iteration, start)
    return Progress(x, steps, xp.abs(size) <= goal)


def _rotation(a: Any, b: Any) -> tuple[Any, Any, Any]:
    """Cosine, sine and length of (a, b), the first two such that they turn it onto the axis of the first."""
    length = xp.hypot(a, b)
    return xp.where(length > 0, _over(a, length), 1), _over(b, length), length
