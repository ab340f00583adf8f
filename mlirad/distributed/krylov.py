"""Least squares by products with a map of rows; this process sees vectors of its arguments alone.

    conjugate_gradients(normal, J.T(b), tol=1e-8, maxiter=100)      x with J.T J x = J.T b
    lsmr(first, further, damp=0.0, tol=1e-8, maxiter=100)           the same, by bidiagonalisation

An iteration takes one product with the map and its transpose together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mlirad.lazy_dataclass import dataclass

Vector: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True)
class Found:
    """A solution, how many iterations it took, and whether its residual is small enough."""

    x: Vector
    iterations: int
    has_converged: bool


def conjugate_gradients(product: Callable[[Vector], Vector], b: Vector, tol: float, maxiter: int) -> Found:
    """The solution of A x = b by products with A, which is positive semidefinite (Hestenes and Stiefel)."""
    x, r = np.zeros_like(b), b.copy()
    p, square = r.copy(), float(r @ r)
    goal = tol**2 * square
    iterations = 0
    while square > goal and iterations < maxiter:
        image = product(p)
        curvature = float(p @ image)
        if curvature <= 0:
            break
        step = square / curvature
        x += step * p
        r -= step * image
        before, square = square, float(r @ r)
        p = r + square / before * p
        iterations += 1
    return Found(x, iterations, square <= goal)


def lsmr(
    first: Callable[[], tuple[float, Vector]],
    further: Callable[[Vector, float, float], tuple[float, Vector]],
    damp: float,
    tol: float,
    maxiter: int,
) -> Found:
    """The x of least |J x - b|² + damp² |x|² (Fong and Saunders, 2011, algorithm LSMR).

    The left vectors u of the bidiagonalisation are elsewhere, without their norms: `first()` gives that of
    b and J.T b; `further(v, kept, dropped)` replaces u by J v - dropped kept u, and gives its norm and J.T u.
    """
    beta, back = first()
    if beta == 0:
        return Found(np.zeros_like(back), 0, has_converged=True)
    v = back / beta
    alpha = float(np.linalg.norm(v))
    x, hbar = np.zeros_like(v), np.zeros_like(v)
    if alpha == 0:
        return Found(x, 0, has_converged=True)
    v = v / alpha
    h = v.copy()
    zetabar, alphabar, rho, rhobar, cbar, sbar = alpha * beta, alpha, 1.0, 1.0, 1.0, 0.0
    goal = tol * abs(zetabar)
    iterations = 0
    while abs(zetabar) > goal and iterations < maxiter:
        norm, back = further(v, 1 / beta, alpha)
        beta = norm
        if beta > 0:
            v = back / beta - beta * v
            alpha = float(np.linalg.norm(v))
            if alpha > 0:
                v = v / alpha
        else:
            alpha = 0.0
        alphahat = float(np.hypot(alphabar, damp))
        before, barred_before = rho, rhobar
        rho = float(np.hypot(alphahat, beta))
        c, s = alphahat / rho, beta / rho
        theta, alphabar = s * alpha, c * alpha
        thetabar, rhotemp = sbar * rho, cbar * rho
        rhobar = float(np.hypot(rhotemp, theta))
        cbar, sbar = rhotemp / rhobar, theta / rhobar
        zeta, zetabar = cbar * zetabar, -sbar * zetabar
        hbar = h - thetabar * rho / (before * barred_before) * hbar
        x = x + zeta / (rho * rhobar) * hbar
        h = v - theta / rho * h
        iterations += 1
    return Found(x, iterations, abs(zetabar) <= goal)
