"""Orthogonal polynomials: the derivative of each is one of an order less, of its family or of Gegenbauer's.

    "eval_genlaguerre": (None, None, lambda n, a, x, r: -special("eval_genlaguerre", n - 1, a + 1, x))

Those of whole orders have a recurrence of their own, so their derivatives are of whole orders too.
(*NIST Handbook of Mathematical Functions*, 2010, sections 18.9 and 18.17.)
"""

from __future__ import annotations

from mlirad.dialects.array.special_functions import OF_WHOLE
from mlirad.ir.formulas import Formula, special, sqrt, where
from mlirad.rules.special_derivatives.parts import Derivatives


def _legendre(prefix: str, n: Formula, x: Formula) -> Formula:
    """Those of -n - 1 and n are the same."""
    order = where(n < -0.5, -1 - n, n)
    return where(order == 0, 0.0, special(f"{prefix}eval_gegenbauer", order - 1, 1.5, x))


def _chebyt(prefix: str, n: Formula, x: Formula) -> Formula:
    return where(n == 0, 0.0, n * special(f"{prefix}eval_chebyu", n - 1, x))


def _chebyu(prefix: str, n: Formula, x: Formula) -> Formula:
    """That of -n - 2 is minus that of n."""
    order = where(n < -1, -2 - n, n)
    found = special(f"{prefix}eval_gegenbauer", order - 1, 2.0, x)
    return where((n == 0) | (n == -1) | (n == -2), 0.0, where(n < -1, -2 * found, 2 * found))


def _gegenbauer(prefix: str, n: Formula, a: Formula, x: Formula) -> Formula:
    return where(n == 0, 0.0, 2 * a * special(f"{prefix}eval_gegenbauer", n - 1, a + 1, x))


def _jacobi(prefix: str, n: Formula, a: Formula, b: Formula, x: Formula) -> Formula:
    found = special(f"{prefix}eval_jacobi", n - 1, a + 1, b + 1, x)
    return where(n == 0, 0.0, (n + a + b + 1) * 0.5 * found)


def _laguerre(prefix: str, n: Formula, a: Formula, x: Formula) -> Formula:
    return where(n == 0, 0.0, -special(f"{prefix}eval_genlaguerre", n - 1, a + 1, x))


def _hermite(name: str, factor: float, n: Formula, x: Formula) -> Formula:
    return where(n == 0, 0.0, factor * n * special(name, n - 1, x))


def _family(prefix: str) -> Derivatives:
    return {
        f"{prefix}eval_legendre": (None, lambda n, x, r: _legendre(prefix, n, x)),
        f"{prefix}eval_chebyt": (None, lambda n, x, r: _chebyt(prefix, n, x)),
        f"{prefix}eval_chebyu": (None, lambda n, x, r: _chebyu(prefix, n, x)),
        f"{prefix}eval_gegenbauer": (None, None, lambda n, a, x, r: _gegenbauer(prefix, n, a, x)),
        f"{prefix}eval_jacobi": (None, None, None, lambda n, a, b, x, r: _jacobi(prefix, n, a, b, x)),
        f"{prefix}eval_genlaguerre": (None, None, lambda n, a, x, r: _laguerre(prefix, n, a, x)),
    }


def _associated(m: Formula, v: Formula, x: Formula, r: Formula) -> Formula:
    """By x, of order m: that of order m + 1 has no other term near the ends than what there is of it.

    (*NIST Handbook of Mathematical Functions*, 2010, 14.10.2 and 14.10.4.) At the ends it is NaN.
    """
    rest = (1 - x) * (1 + x)
    return -special("lpmv", m + 1, v, x) / sqrt(rest) - m * x * r / rest


DERIVATIVES: Derivatives = {
    "lpmv": (None, None, _associated),
    **_family(""),
    **_family(OF_WHOLE),
    "whole_eval_hermite": (None, lambda n, x, r: _hermite("whole_eval_hermite", 2.0, n, x)),
    "whole_eval_hermitenorm": (None, lambda n, x, r: _hermite("whole_eval_hermitenorm", 1.0, n, x)),
}
