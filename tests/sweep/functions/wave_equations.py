"""Mathieu functions as cases, and as mpmath knows them: by their series.

mathieu("a", 2, 1.5, 0.3)        even, of order 2, at an angle

Characteristic values are roots, near those of SciPy, of what a series that ends leaves over."""

# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import scipy.special
from mpmath import mp, mpf

from tests.sweep.case import Case
from tests.sweep.functions.special_calls import HALF_LINE, part

_TERMS = 40
_GUARD = 60
"""Digits that recurrences lose."""

_POWERS = 110

_BITS = 256
"""Series are made in multiples of this many bits, so that few precisions need one."""


def _precise() -> Any:
    """A context of enough bits for the precision that is set."""
    return mp.workprec(-(-(mp.prec + int(_GUARD * 3.33)) // _BITS) * _BITS)


def _polynomial(coefficients: list[Any], x: Any) -> tuple[Any, Any]:
    """A polynomial and its derivative, from the coefficient of the highest power on."""
    total = slope = mpf(0)
    for coefficient in coefficients:
        total, slope = total * x + coefficient, slope * x + total
    return total, slope


def _root(leftover: Callable[[Any], Any], near: float) -> Any:
    start = mpf(near)
    step = max(abs(start), 1) * mpf(10) ** -9
    return mp.findroot(leftover, (start - step, start + step), verify=False, maxsteps=60)


# Mathieu ------------------------------------------------------------------------------------------


def _coefficients(kind: str, m: int, q: Any, a: Any) -> tuple[dict[int, Any], Any]:
    """The Fourier coefficients downwards from an end, and what the first equation leaves over."""
    first = m % 2 if kind == "a" else 2 - m % 2
    last = first + 2 * (m // 2 + _TERMS)
    found = {last + 2: mpf(0), last: mpf(1)}
    for k in range(last, first, -2):
        known = ((a - k * k) * found[k] - q * found[k + 2]) / q
        # The equation of the frequency 2 has twice the mean.
        found[k - 2] = known / 2 if k == 2 and first == 0 else known
    shift = {0: 0, 1: q if kind == "a" else -q, 2: 0}[first]
    left = (a - first * first - shift) * found[first] - q * found[first + 2]
    return found, left / max(map(abs, found.values()))


@cache
def _series(kind: str, m: int, q: Any, _: int) -> tuple[Any, dict[int, Any]]:
    """The value, and coefficients; of the precision that is set."""
    if q == 0:
        return mpf(m * m), {m: mpf(1) if m else mp.sqrt(0.5)}
    near = getattr(scipy.special, f"mathieu_{kind}")(m, float(q))
    a = _root(lambda a: _coefficients(kind, m, q, a)[1], near)
    found, _left = _coefficients(kind, m, q, a)
    size = mp.sqrt(mp.fsum(c * c * (1 if k else 2) for k, c in found.items()))
    grown = mp.fsum(c * (1 if kind == "a" else k) for k, c in found.items())
    scale = size * mp.sign(grown)
    return a, {k: c / scale for k, c in found.items()}


def _solved(kind: str, m: Any, q: Any) -> tuple[Any, dict[int, Any]]:
    with _precise():
        return _series(kind, int(m), mpf(q), mp.prec)


def mathieu_value(kind: str, m: Any, q: Any) -> Any:
    """The characteristic value."""
    return +_solved(kind, m, q)[0]


def mathieu(kind: str, m: Any, q: Any, t: Any, is_slope: bool = False) -> Any:
    """The function of an angle in radians, or its derivative."""
    wave = {
        ("a", False): mp.cos,
        ("a", True): lambda z: -mp.sin(z),
        ("b", False): mp.sin,
        ("b", True): mp.cos,
    }
    f = wave[kind, is_slope]
    return mp.fsum(c * (k if is_slope else 1) * f(k * t) for k, c in _solved(kind, m, q)[1].items())


def mathieu_degrees(kind: str, m: Any, q: Any, x: Any, is_slope: bool = False) -> Any:
    """As SciPy has it."""
    return mathieu(kind, m, q, x * mp.pi / 180, is_slope)


def _second_kind(z: Any) -> tuple[Any, Any]:
    """Y_0(z) by its series, and Y_1(z) by the Wronskian, much sooner than mpmath has them."""
    square, term, harmonic, total = z * z / 4, mpf(1), mpf(0), mpf(0)
    for k in range(1, 400):
        term *= -square / (k * k)
        harmonic += mpf(1) / k
        total -= harmonic * term
    first = mp.besselj(0, z)
    value = 2 / mp.pi * ((mp.log(z / 2) + mp.euler) * first + total)
    return value, (mp.besselj(1, z) * value - 2 / (mp.pi * z)) / first


def _bessel(f: Callable[..., Any], z: Any, count: int, grows: int) -> Callable[[int], tuple[Any, Any]]:
    """Bessel functions of whole orders of z, and what z f'(z) is with the sign `grows`."""
    if f == mp.bessely:
        found = list(_second_kind(z))
        for n in range(1, count):
            found.append(2 * n / z * found[n] - found[n - 1])
    else:
        found = [f(n, z) for n in range(count + 1)]

    def pair(n: int) -> tuple[Any, Any]:
        before = found[n - 1] if n else -found[1]
        return found[n], grows * z * (before - found[n + 1]) / 2

    return pair


def _at_zero(kind: str, second: bool, m: int, q: Any, is_slope: bool) -> Any:
    """The value, or the slope, at 0 of a modified Mathieu function: a sum of products of Bessel functions."""
    coefficients, root = _solved(kind, m, q)[1], mp.sqrt(q)
    first = m % 2 if kind == "a" else 2 - m % 2
    count = m // 2 + 25
    inner, outer = (
        _bessel(mp.besselj, root, count, -1),
        _bessel(mp.bessely if second else mp.besselj, root, count, 1),
    )

    def product(n: int, k: int) -> Any:
        (value, change), (other, slope) = inner(n), outer(k)
        return value * slope + change * other if is_slope else value * other

    total = mpf(0)
    for k, c in coefficients.items():
        if c and k <= first + 2 * (count - 4):
            n = (k - first) // 2
            term = product(n, n + first)
            if first:
                term += product(n + first, n) * (1 if kind == "a" else -1)
            total += (-1) ** n * c * term
    return (-1) ** ((m - first) // 2) * total / coefficients[first]


@cache
def _modified_powers(kind: str, second: bool, m: int, q: Any, _: int) -> list[Any]:
    """The power series of a modified Mathieu function, the highest power first: y'' is (a - 2 q cosh(2 x)) y."""
    a = _solved(kind, m, q)[0]
    growth = [a - 2 * q, *(-2 * q * mpf(4) ** k / mp.factorial(2 * k) for k in range(1, _POWERS))]
    found = [_at_zero(kind, second, m, q, False), _at_zero(kind, second, m, q, True)]
    for k in range(2 * _POWERS):
        total = mp.fsum(growth[j] * found[k - 2 * j] for j in range(k // 2 + 1) if j < _POWERS)
        found.append(total / ((k + 2) * (k + 1)))
    return found[::-1]


def modified(kind: str, second: bool, m: Any, q: Any, x: Any, is_slope: bool = False) -> Any:
    """A modified Mathieu function of the first or second kind."""
    with _precise():
        powers = _modified_powers(kind, second, int(m), mpf(q), mp.prec)
        return _polynomial(powers, mpf(x))[is_slope]


# Cases --------------------------------------------------------------------------------------------

EXACT: dict[str, tuple[Callable[..., Any], str]] = {
    **{f"mathieu_{p}em": (partial(mathieu_degrees, k), "angle") for p, k in (("c", "a"), ("s", "b"))},
    **{
        f"mathieu_mod{p}em{j}": (partial(modified, k, j == "2"), "modified")
        for p, k in (("c", "a"), ("s", "b"))
        for j in "12"
    },
}
"""The functions whose slope SciPy has beside them, with `is_slope` for it, by name, and where they are swept.
"""

_SLOW: dict[str, Any] = {"waves": True, "slow": True, "most": 5}
WHERE: dict[str, dict[str, Any]] = {
    "angle": {"usual": (-180, 180), "reach": (-360.0, 360.0), "exponents": (-8, 2), **_SLOW},
    "modified": {"usual": (0, 2), "domain": HALF_LINE, "reach": (0.0, 2.0), "exponents": (-4, 0), **_SLOW},
}  # fmt: skip
BY_PARAMETER = {"usual": (0, 10), "domain": HALF_LINE, "reach": (0.01, 20.0), "exponents": (-2, 1), **_SLOW}

ORDERS = ((2.0, 1.5), (3.0, 5.0))


def _along(f: Callable[..., Any], is_slope: bool) -> Callable[..., Any]:
    return lambda x, *others: f(*others, x, is_slope=is_slope)


def _by_parameter(
    name: str, exact: Callable[..., Any], orders: tuple[int, ...], k: int | None = None
) -> Case:
    """By q, of orders that are known, which have derivatives."""

    def call(x: Any, *others: Any) -> Any:
        found = getattr(scipy.special, name)(*orders, x, *others)
        return found if k is None else found[k]

    return Case(
        name=f"special.{name}", label=f"of {orders}" + ("" if k is None else f"[{k}]"), argument=len(orders),
        call=call, exact=lambda x, *others: exact(*orders, x, *others),
        others=((),) if k is None else ((30.0,), (-70.0,)), **BY_PARAMETER,
    )  # fmt: skip


CASES: tuple[Case, ...] = (
    *(
        part(
            name,
            k,
            _along(f, bool(k)),
            argument=len(ORDERS[0]),
            others=ORDERS,
            **WHERE[where],
        )
        for name, (f, where) in EXACT.items()
        for k in (0, 1)
    ),
    *(
        _by_parameter(f"mathieu_{kind}", partial(mathieu_value, kind), (m,))
        for kind, m in (("a", 0), ("a", 3), ("b", 2), ("b", 5))
    ),
    *(
        _by_parameter(f"mathieu_{p}em", partial(mathieu_degrees, kind, is_slope=bool(k)), (m,), k)
        for p, kind in (("c", "a"), ("s", "b"))
        for k, m in ((0, 2), (1, 3))
    ),
)
"""Mathieu functions."""
