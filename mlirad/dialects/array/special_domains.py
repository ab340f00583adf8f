"""Arguments at which functions of SciPy take for ever, or end the process, and what is asked of them instead.

    ends, arguments = DOMAINS["yn"](xp, n, x)
    np.where(ends, special.yn(*arguments), nan)

Some functions count up to an argument: `yn` to its order, `hyp1f1` to x. For an order of 1e300 that takes
for ever, and nothing can interrupt it. Where another argument has the same value, as all have beyond an
overflow, that one is asked; elsewhere the value is NaN. `ends` is false where no argument has been found. All
other values are those of SciPy, to the last bit.

A domain is written once, for arrays of NumPy and for vectors of compiled code: in operators and functions of
a namespace. Compiled code may take subnormal numbers for zeros, so no domain tells them apart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol, TypeAlias

Lanes: TypeAlias = Any
"""An array of NumPy, or a vector of compiled code, of floats or of booleans."""


class Namespace(Protocol):
    """The functions that domains are written with, besides operators."""

    def where(self, condition: Lanes, x: Lanes, y: Lanes, /) -> Lanes: ...
    def floor(self, x: Lanes, /) -> Lanes: ...
    def abs(self, x: Lanes, /) -> Lanes: ...
    def smallest_normal(self, x: Lanes, /) -> float: ...


Domain: TypeAlias = Callable[..., tuple[Lanes, tuple[Lanes, ...]]]

MOST_ORDERS: Final = 2.0**20
"""The highest order at which a recurrence of two terms takes a few milliseconds."""

MOST_TERMS: Final = 2.0**17
"""The largest parameters at which a confluent hypergeometric function takes a few milliseconds."""

FAR: Final = 1e8
"""An argument at which e^x overflows, or is 0, with any power of x beside it."""

MOST_COEFFICIENTS: Final = 200.0
LARGEST_Q: Final = 1e5
"""The largest order and q for which SciPy has space for the coefficients of Mathieu functions."""

UNSCALED: Final = 2.0**30
"""From where on Bessel functions by their asymptotic series have no digits, and SciPy takes a recurrence."""


def _is_whole(xp: Namespace, x: Lanes) -> Lanes:
    return xp.floor(x) == x


def _is_zero(xp: Namespace, x: Lanes) -> Lanes:
    return xp.abs(x) < xp.smallest_normal(x)


def _is_pole(xp: Namespace, x: Lanes) -> Lanes:
    """Return whether gamma(x) is infinite."""
    return _is_zero(xp, x) | (x < 0.0) & _is_whole(xp, x)


def _is_number(*arguments: Lanes) -> Lanes:
    first, *others = arguments
    found = first == first
    for x in others:
        found = found & (x == x)
    return found


def _yn(xp: Namespace, n: Lanes, x: Lanes) -> tuple[Lanes, tuple[Lanes, ...]]:
    """Large orders: -inf where x is smaller, as for any other one that is."""
    is_large = xp.abs(n) > MOST_ORDERS
    overflows = (n > MOST_ORDERS) & (x <= n * 0.5)
    ends = ~is_large | overflows
    return ends, (xp.where(is_large, MOST_ORDERS, n), xp.where(is_large & (x > 1.0), 1.0, x))


def _yv(xp: Namespace, v: Lanes, x: Lanes) -> tuple[Lanes, tuple[Lanes, ...]]:
    """As `yn`, except for larger x: there is a series for large orders."""
    is_large = xp.abs(v) > MOST_ORDERS
    overflows = (v > MOST_ORDERS) & (x <= v * 0.5)
    ends = ~is_large | overflows | (x > xp.abs(v) * 0.5) & (x < UNSCALED)
    return ends, (xp.where(overflows, MOST_ORDERS, v), xp.where(overflows & (x > 1.0), 1.0, x))


def _struve(xp: Namespace, v: Lanes, x: Lanes) -> tuple[Lanes, tuple[Lanes, ...]]:
    return (xp.abs(v) <= MOST_ORDERS) | (v > 0.0) & (xp.abs(x) < UNSCALED), (v, x)


def _zeta(xp: Namespace, x: Lanes, q: Lanes) -> tuple[Lanes, tuple[Lanes, ...]]:
    """Terms are added one by one for negative q between the poles."""
    return (q >= -MOST_ORDERS) | _is_whole(xp, q) | ~_is_whole(xp, x) | ~_is_number(x, q), (x, q)


def _hyp1f1(xp: Namespace, a: Lanes, b: Lanes, x: Lanes) -> tuple[Lanes, tuple[Lanes, ...]]:
    """Steps are counted up to x, unless it is a polynomial. SciPy 1.17 overflows its stack at a = 1e-300."""
    ends = (xp.abs(a) <= MOST_TERMS) & (xp.abs(b) <= MOST_TERMS) & _is_number(x)
    near = xp.where((x > FAR) & ~_is_pole(xp, a), FAR, x)
    near = xp.where((near < -FAR) & _is_pole(xp, b - a), -FAR, near)
    apart = xp.where(a == 1e-300, 9.999999999999999e-301, a)
    return ends, (xp.where(_is_zero(xp, a), 0.0, apart), b, near)


def _hyperu(xp: Namespace, a: Lanes, b: Lanes, x: Lanes) -> tuple[Lanes, tuple[Lanes, ...]]:
    return (xp.abs(a) <= MOST_TERMS) & (xp.abs(b) <= MOST_TERMS), (a, b, x)


def _hyp2f1(xp: Namespace, a: Lanes, b: Lanes, c: Lanes, x: Lanes) -> tuple[Lanes, tuple[Lanes, ...]]:
    """At NaN and large parameters it overflows the stack."""
    return _is_number(a, b, c, x), (a, b, c, x)


def _complex_hyp2f1(
    xp: Namespace, a: Lanes, b: Lanes, c: Lanes, x: Lanes, y: Lanes
) -> tuple[Lanes, tuple[Lanes, ...]]:
    """Sums of powers, of as many as the parameters are large."""
    ends = (xp.abs(a) < MOST_TERMS) & (xp.abs(b) < MOST_TERMS) & (xp.abs(c) < MOST_TERMS)
    return ends, (a, b, c, x, y)


def _of_whole_order(xp: Namespace, n: Lanes, *others: Lanes) -> tuple[Lanes, tuple[Lanes, ...]]:
    """A recurrence over whole orders; those that are not whole have no loop."""
    return (xp.abs(n) <= MOST_ORDERS) & _is_whole(xp, n), (n, *others)


def _polynomial(xp: Namespace, n: Lanes, *others: Lanes) -> tuple[Lanes, tuple[Lanes, ...]]:
    """Hypergeometric functions, which overflow the stack at large parameters."""
    ends = xp.abs(n) <= MOST_TERMS
    for parameter in others[:-1]:
        ends = ends & (xp.abs(parameter) <= MOST_TERMS)
    return ends, (n, *others)


def _laguerre(xp: Namespace, n: Lanes, a: Lanes, x: Lanes) -> tuple[Lanes, tuple[Lanes, ...]]:
    """Steps are counted up to x, as in `hyp1f1`."""
    ends, arguments = _polynomial(xp, n, a, x)
    return ends & ((xp.abs(x) <= FAR) | ~_is_number(x)), arguments


def _of_order(xp: Namespace, v: Lanes, x: Lanes) -> tuple[Lanes, tuple[Lanes, ...]]:
    """An array of all orders up to v is made."""
    return xp.abs(v) <= MOST_TERMS, (v, x)


def _associated(xp: Namespace, m: Lanes, v: Lanes, x: Lanes) -> tuple[Lanes, tuple[Lanes, ...]]:
    """Products and sums of as many terms as the order is large, and a recurrence over degrees."""
    return (xp.abs(m) <= MOST_TERMS) & (xp.abs(v) <= MOST_ORDERS), (m, v, x)


def _mathieu_value(xp: Namespace, m: Lanes, q: Lanes) -> tuple[Lanes, tuple[Lanes, ...]]:
    """A matrix of as many rows as the order is large."""
    return xp.abs(m) <= MOST_COEFFICIENTS, (m, q)


def _mathieu(xp: Namespace, m: Lanes, q: Lanes, *x: Lanes) -> tuple[Lanes, tuple[Lanes, ...]]:
    """SciPy holds the coefficients in an array of fixed length; their number grows with the order and q."""
    return (xp.abs(m) <= MOST_COEFFICIENTS) & (xp.abs(q) <= LARGEST_Q), (m, q, *x)


DOMAINS: Final[dict[str, Domain]] = {
    "yn": _yn,
    "yv": _yv,
    "struve": _struve,
    "_zeta": _zeta,
    "hyp1f1": _hyp1f1,
    "hyperu": _hyperu,
    "hyp2f1": _hyp2f1,
    "complex_hyp2f1": _complex_hyp2f1,
    **dict.fromkeys(
        ("eval_legendre", "eval_chebyt", "eval_chebyu", "eval_gegenbauer", "eval_jacobi"), _polynomial
    ),
    "eval_genlaguerre": _laguerre,
    **dict.fromkeys(
        (
            "whole_eval_legendre",
            "whole_eval_chebyt",
            "whole_eval_chebyu",
            "whole_eval_gegenbauer",
            "whole_eval_jacobi",
            "whole_eval_genlaguerre",
            "whole_eval_hermite",
            "whole_eval_hermitenorm",
        ),
        _of_whole_order,
    ),
    "mathieu_a": _mathieu_value,
    "mathieu_b": _mathieu_value,
    **dict.fromkeys(
        (
            "mathieu_cem",
            "mathieu_sem",
            "mathieu_modcem1",
            "mathieu_modcem2",
            "mathieu_modsem1",
            "mathieu_modsem2",
        ),
        _mathieu,
    ),
    "lpmv": _associated,
    "pbdv": _of_order,
    "pbvv": _of_order,
}
"""The arguments at which a ufunc ends, by its name; with `complex_`, for complex numbers by their parts, and
with `whole_`, for integers as first argument.

Those that are not here end at all.
"""

HARMLESS: Final = 1.0
"""An argument at which all of these end, for every parameter."""
