"""Legendre functions and spherical harmonics of `scipy.special`, of known degrees and orders.

    legendre_p(n, z), assoc_legendre_p(n, m, z)     P_n(z), P_n^m(z), derivatives first
    sph_legendre_p(n, m, theta)                     P_n^m(cos theta), normalised over the sphere
    sph_harm_y(n, m, theta, phi)                    that times exp(i m phi)

Names that end in `_all` give all degrees up to n and orders from -m to m. Degrees above m follow from m
by the recurrence that is stable upwards (*NIST Handbook of Mathematical Functions*, 2010, 14.10.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import factorial, pi, sqrt
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from mlirad.frontend.numpy_functions.calls.parameters import Flag, Int, Numbers, OperandLike
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.operations import as_array, inexact, xp
from mlirad.frontend.tracing.raising import argument_error
from mlirad.lazy_dataclass import dataclass

Series: TypeAlias = list[Any]
"""A function and its derivatives, from order 0 on."""

Norm = Literal["none", "line", "sphere"]
"""P_n^m as it is, or with squares of integral 1: on [-1, 1], or times exp(i m phi) on the sphere."""

MOST_DERIVATIVES = 2


@dataclass(frozen=True)
class _Family:
    """The functions P_n^m of one argument, with derivatives by it."""

    norm: Norm
    c: Series
    """The cosine."""
    power: Callable[[int], Series]
    """The power m of the sine."""
    sign: float
    """The sign of P_m^m, for odd m."""

    def degrees(self, n: int, m: int) -> list[Series]:
        """The functions of degrees m to n and of order m >= 0: the power of the sine times polynomials."""
        first = self._first(m)
        found: list[Series] = [[first * xp.ones_like(v) if k == 0 else 0 * v for k, v in enumerate(self.c)]]
        before: Series | None = None
        for degree in range(m, n):
            up, down = self._steps(degree, m)
            new = [up * v for v in _product(found[-1], self.c)]
            if before is not None and down:
                new = [v - down * w for v, w in zip(new, before, strict=True)]
            before = found[-1]
            found.append(new)
        power = self.power(m)
        return [_product(power, values) for values in found]

    def _first(self, m: int) -> float:
        """P_m^m over the power of the sine."""
        sign = self.sign if m % 2 else 1.0
        if self.norm == "none":
            return sign * factorial(2 * m) / (2**m * factorial(m))
        square = 1.0
        for k in range(1, m + 1):
            square *= (2 * k + 1) / (2 * k)
        return sign * sqrt(square / (2 if self.norm == "line" else 4 * pi))

    def _steps(self, degree: int, m: int) -> tuple[float, float]:
        """P_(k + 1) is the first times c P_k, less the second times P_(k - 1)."""
        k = degree
        if self.norm == "none":
            return (2 * k + 1) / (k - m + 1), (k + m) / (k - m + 1)
        up = sqrt((4 * (k + 1) ** 2 - 1) / ((k + 1) ** 2 - m * m))
        return up, up * sqrt((k * k - m * m) / (4 * k * k - 1)) if k else 0.0

    def of_order(self, n: int, m: int, values: Series) -> Series:
        """The function of degree n and order m, which may be negative, by that of order |m|."""
        if m >= 0:
            return values
        share = 1.0 if self.norm != "none" else factorial(n + m) / factorial(n - m)
        sign = self.sign if m % 2 else 1.0
        return [sign * share * v for v in values]


def _product(x: Series, y: Series) -> Series:
    """The product of a function, whose derivatives may be infinite, and another one."""
    found = [x[0] * y[0]]
    if len(x) > 1:
        found.append(_leading(x[1] * y[0], x[0] * y[1]))
    if len(x) > 2:
        found.append(_leading(x[2] * y[0], 2 * x[1] * y[1] + x[0] * y[2]))
    return found


def _leading(x: Any, y: Any) -> Any:
    return xp.where(xp.isinf(x), x, x + y)


def _on_line(norm: Norm, z: Array, derivatives: int, branch_cut: int) -> _Family:
    """The functions of z, on [-1, 1] or, with the cut there, from 1 on."""
    sign = 1.0 if branch_cut == 2 else -1.0
    s = xp.sqrt(1 - z) * xp.sqrt(1 + z) if branch_cut == 2 else xp.sqrt(z - 1) * xp.sqrt(z + 1)
    square = [sign * (1 - z) * (1 + z), -2 * sign * z, xp.full_like(z, -2 * sign)]

    def root(power: int) -> Any:
        whole = square[0] ** (abs(power) // 2)
        whole = whole * s if power % 2 else whole
        return whole if power >= 0 else 1 / whole

    def power(m: int) -> Series:
        half = m / 2
        found = [root(m), half * square[1] * root(m - 2) if m else 0 * z]
        second = half * square[2] * root(m - 2) if m else 0 * z
        if m not in (0, 2):
            second = second + half * (half - 1) * square[1] ** 2 * root(m - 4)
        return [*found, second][: derivatives + 1]

    one, zero = xp.ones_like(z), xp.zeros_like(z)
    return _Family(norm, [z, one, zero][: derivatives + 1], power, -1.0 if branch_cut == 2 else 1.0)


def _on_sphere(theta: Array, derivatives: int) -> _Family:
    c, s = xp.cos(theta), xp.sin(theta)
    is_below = xp.less(s, 0.0)
    sine = [xp.where(is_below, -v, v) for v in (s, c, -s)][: derivatives + 1]

    def power(m: int) -> Series:
        found = [xp.ones_like(theta), *(xp.zeros_like(theta) for _ in range(derivatives))]
        for _ in range(m):
            found = _product(found, sine)
        return found

    return _Family("sphere", [c, -s, -c][: derivatives + 1], power, -1.0)


# Known degrees and orders --------------------------------------------------------------------------


def _degree(name: str, n: int) -> int:
    if n < 0:
        raise argument_error(f"{name}: the degree is {n}", "degrees are integers from 0 on")
    return n


def _order_of(name: str, diff_n: int) -> int:
    if not 0 <= diff_n <= MOST_DERIVATIVES:
        raise argument_error(f"{name}: diff_n is {diff_n}", "it is 0, 1 or 2; ad.grad gives others")
    return diff_n


def _whole(name: str, what: str, numbers: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    if numbers.dtype.kind not in "iub":
        raise argument_error(f"{name}: the {what} is {numbers}", f"{what}s are integers")
    return numbers.astype(np.int64)


def _each(
    name: str, family: _Family, n: npt.NDArray[Any], m: npt.NDArray[Any], shape: Sequence[int]
) -> Series:
    """The functions of degrees and orders that are broadcast against the argument."""
    degrees, orders = np.broadcast_arrays(_whole(name, "degree", n), _whole(name, "order", m))
    zero = xp.zeros_like(family.c[0])
    found: Series | None = None
    for degree, order in sorted(set(zip(degrees.flat, orders.flat, strict=True))):
        pair = _degree(name, int(degree)), int(order)
        values = _one(family, *pair, zero)
        is_here = np.broadcast_to((degrees == degree) & (orders == order), shape)
        found = (
            [xp.broadcast_to(v, shape) for v in values]
            if found is None
            else [xp.where(is_here, v, w) for v, w in zip(values, found, strict=True)]
        )
    return [xp.zeros(shape, dtype=zero.dtype) for _ in family.c] if found is None else found


def _one(family: _Family, n: int, m: int, zero: Any) -> Series:
    if abs(m) > n:
        return [zero for _ in family.c]
    return family.of_order(n, m, family.degrees(n, abs(m))[-1])


def _all(family: _Family, n: int, m: int) -> list[Any]:
    """By derivatives: the functions of degrees up to n (first dimension) and of orders 0 to m, -m to -1."""
    zero = xp.zeros_like(family.c[0])
    columns = {order: family.degrees(n, order) if order <= n else [] for order in range(m + 1)}

    def value(degree: int, order: int) -> Series:
        size = abs(order)
        if size > degree:
            return [zero for _ in family.c]
        return family.of_order(degree, order, columns[size][degree - size])

    orders = [*range(m + 1), *range(-m, 0)]
    table = [[value(degree, order) for order in orders] for degree in range(n + 1)]
    return [xp.stack([xp.stack([entry[k] for entry in row]) for row in table]) for k in range(len(family.c))]


# The functions -------------------------------------------------------------------------------------


def _argument(z: Any) -> Array:
    return inexact(as_array(z))


def _broadcast(z: Array, *others: npt.NDArray[Any]) -> tuple[int, ...]:
    return np.broadcast_shapes(z.shape, *(v.shape for v in others))


def legendre_p(n: Numbers, z: OperandLike, *, diff_n: Int = 0) -> Array:
    """`scipy.special.legendre_p`."""
    x = _argument(z)
    family = _on_line("none", x, _order_of("legendre_p", diff_n), 2)
    return xp.stack(_each("legendre_p", family, n, np.zeros_like(n), _broadcast(x, n)))


def legendre_p_all(n: Int, z: OperandLike, *, diff_n: Int = 0) -> Array:
    """`scipy.special.legendre_p_all`."""
    family = _on_line("none", _argument(z), _order_of("legendre_p_all", diff_n), 2)
    degrees = family.degrees(_degree("legendre_p_all", n), 0)
    return xp.stack([xp.stack([values[k] for values in degrees]) for k in range(diff_n + 1)])


def assoc_legendre_p(
    n: Numbers,
    m: Numbers,
    z: OperandLike,
    *,
    branch_cut: Literal[2, 3] = 2,
    norm: Flag = False,
    diff_n: Int = 0,
) -> Array:
    """`scipy.special.assoc_legendre_p`, of real z; NaN across the cut."""
    x = _argument(z)
    family = _on_line("line" if norm else "none", x, _order_of("assoc_legendre_p", diff_n), branch_cut)
    return xp.stack(_each("assoc_legendre_p", family, n, m, _broadcast(x, n, m)))


def assoc_legendre_p_all(
    n: Int, m: Int, z: OperandLike, *, branch_cut: Literal[2, 3] = 2, norm: Flag = False, diff_n: Int = 0
) -> Array:
    """`scipy.special.assoc_legendre_p_all`, of real z."""
    name = "assoc_legendre_p_all"
    family = _on_line("line" if norm else "none", _argument(z), _order_of(name, diff_n), branch_cut)
    return xp.stack(_all(family, _degree(name, n), abs(m)))


def sph_legendre_p(n: Numbers, m: Numbers, theta: OperandLike, *, diff_n: Int = 0) -> Array:
    """`scipy.special.sph_legendre_p`."""
    x = _argument(theta)
    family = _on_sphere(x, _order_of("sph_legendre_p", diff_n))
    return xp.stack(_each("sph_legendre_p", family, n, m, _broadcast(x, n, m)))


def sph_legendre_p_all(n: Int, m: Int, theta: OperandLike, *, diff_n: Int = 0) -> Array:
    """`scipy.special.sph_legendre_p_all`."""
    name = "sph_legendre_p_all"
    family = _on_sphere(_argument(theta), _order_of(name, diff_n))
    return xp.stack(_all(family, _degree(name, n), abs(m)))


def sph_harm_y(n: Numbers, m: Numbers, theta: OperandLike, phi: OperandLike, *, diff_n: Int = 0) -> Any:
    """`scipy.special.sph_harm_y`: the value, with `diff_n` a tuple of it, the gradient and the hessian."""
    x, y = _angles(theta, phi)
    family = _on_sphere(x, _order_of("sph_harm_y", diff_n))
    values = _each("sph_harm_y", family, n, m, _broadcast(x, n, m))
    return _harmonics(values, np.asarray(m, np.float64), y)


def sph_harm_y_all(n: Int, m: Int, theta: OperandLike, phi: OperandLike, *, diff_n: Int = 0) -> Any:
    """`scipy.special.sph_harm_y_all`."""
    name = "sph_harm_y_all"
    x, y = _angles(theta, phi)
    family = _on_sphere(x, _order_of(name, diff_n))
    orders = np.array([*range(abs(m) + 1), *range(-abs(m), 0)], np.float64)
    return _harmonics(_all(family, _degree(name, n), abs(m)), orders.reshape(-1, *[1] * x.ndim), y)


def _angles(theta: Any, phi: Any) -> Iterable[Array]:
    return xp.broadcast_arrays(_argument(theta), _argument(phi))


def _harmonics(values: Sequence[Any], m: npt.NDArray[Any], phi: Array) -> Any:
    """The values times exp(i m phi), with derivatives by both angles in the last dimensions."""
    cosine, sine = xp.cos(m * phi), xp.sin(m * phi)

    def turned(value: Any, times: int) -> ComplexArray:
        """Times exp(i m phi) and (i m)^times."""
        real, imaginary = ((cosine, sine), (-sine, cosine), (-cosine, -sine))[times]
        return ComplexArray(value * m**times * real, value * m**times * imaginary)

    found: list[Any] = [turned(values[0], 0)]
    if len(values) > 1:
        found.append(xp.stack([turned(values[1], 0), turned(values[0], 1)], axis=-1))
    if len(values) > 2:
        mixed = turned(values[1], 1)
        rows = [[turned(values[2], 0), mixed], [mixed, turned(values[0], 2)]]
        found.append(xp.stack([xp.stack(row, axis=-1) for row in rows], axis=-2))
    return found[0] if len(found) == 1 else tuple(found)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "legendre_p": legendre_p, "legendre_p_all": legendre_p_all, "assoc_legendre_p": assoc_legendre_p,
    "assoc_legendre_p_all": assoc_legendre_p_all, "sph_legendre_p": sph_legendre_p,
    "sph_legendre_p_all": sph_legendre_p_all, "sph_harm_y": sph_harm_y, "sph_harm_y_all": sph_harm_y_all,
}  # fmt: skip
"""The functions that trace those of `scipy.special` that are called as objects there, by name."""
