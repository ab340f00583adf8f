"""Functions of `scipy.special` that are not ufuncs, on traced arrays, by their names there.

The ufuncs are in `meanings/special.py`. How functions are reached is said in
`mlirad.frontend.tracing.library_calls`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial, log, pi
from typing import Annotated, Any, Literal

import numpy as np

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import integer
from mlirad.frontend.constructs.own_derivatives import with_derivative
from mlirad.frontend.numpy_functions.calls.parameters import (
    ArrayLike,
    Axes,
    Flag,
    Int,
    OperandLike,
    kind,
)
from mlirad.frontend.numpy_functions.meanings.special import special
from mlirad.frontend.numpy_functions.reductions import exponentials
from mlirad.frontend.numpy_functions.scipy_functions import legendre
from mlirad.frontend.numpy_functions.scipy_functions.lambert_w import lambertw
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.dtypes import F64, result_type
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import as_array, common, converted, inexact, kind_of, operand_of, xp
from mlirad.frontend.tracing.raising import argument_error, unsupported_error


def _call(function: str, *operands: Any) -> Array:
    """A special function of operands that are broadcast, in the dtype of the inexact ones."""
    floats = [inexact(as_array(o)) if isinstance(o, Array) else o for o in operands]
    arrays = xp.broadcast_arrays(*map(inexact, common([operand_of(x) for x in floats])))
    return made(special(emitting(), function, *(a.value for a in arrays)))


# Sums of exponentials -----------------------------------------------------------------------------


def _dimensions(x: Array, axis: int | tuple[int, ...] | None) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(x.ndim))
    return tuple(np.atleast_1d(axis).tolist())


def logsumexp(
    a: ArrayLike,
    axis: Axes | None = None,
    b: OperandLike | None = None,
    keepdims: Flag = False,
    return_sign: Flag = False,
) -> Any:
    """`scipy.special.logsumexp`. A term with a factor `b` of 0 counts in the derivative by b alone."""
    x = inexact(a)
    axes = _dimensions(x, axis)
    if b is None:
        found = exponentials.logsumexp(x, axes)
        sign = xp.where(xp.equal(found, -np.inf), 0.0, xp.where(xp.isnan(found), found, 1.0))
    else:
        factors, x = xp.broadcast_arrays(*map(inexact, common([operand_of(b), x])))
        axes = _dimensions(x, axis)
        found, sign = exponentials.weighted_logsumexp(x, factors, axes)
        if not return_sign:
            found = xp.where(xp.less(sign, 0), np.nan, found)
    if not keepdims:
        found, sign = xp.squeeze(found, axes), xp.squeeze(sign, axes)
    return (found, sign) if return_sign else found


def softmax(x: ArrayLike, axis: Axes | None = None) -> Array:
    """`scipy.special.softmax`."""
    own = inexact(x)
    return exponentials.softmax(own, _dimensions(own, axis))


def log_softmax(x: ArrayLike, axis: Axes | None = None) -> Array:
    """`scipy.special.log_softmax`."""
    own = inexact(x)
    return exponentials.log_softmax(own, _dimensions(own, axis))


# Gamma and zeta -----------------------------------------------------------------------------------


def _orders(value: Any) -> np.ndarray[Any, Any]:
    orders = np.asarray(value)
    if orders.dtype.kind not in "iu" or (orders < 0).any():
        raise TypeError
    return orders


Orders = Annotated[Any, kind("integers from 0 on, which are not traced", _orders)]


def polygamma(n: Orders, x: ArrayLike) -> Array:
    """`scipy.special.polygamma`, of orders that are known, in double precision."""
    own = converted(as_array(x), F64)
    highest = ew.PolygammaOp.HIGHEST_ORDER
    if n.size and n.max() > highest:
        raise unsupported_error(
            f"polygamma of order {n.max()} is beyond what floats hold", f"orders go up to {highest}"
        )
    shape = np.broadcast_shapes(n.shape, own.shape)
    wide, orders = xp.broadcast_to(own, shape), np.broadcast_to(n, shape)
    b = emitting()
    found = xp.zeros(shape, own.dtype)
    for order in np.unique(n).tolist():
        value = b.apply_elementwise(ew.PolygammaOp, (wide.value,), {"order": integer(order)})
        found = made(value) if n.size == 1 else xp.where(orders == order, made(value), found)
    return found


def multigammaln(a: ArrayLike, d: Int) -> Array:
    """`scipy.special.multigammaln`, in double precision."""
    if d < 1:
        raise argument_error(f"multigammaln: the dimension d is {d}", "it is a positive integer")
    own = converted(as_array(a), F64)
    b = emitting()
    terms = [made(b.unary(ew.LgammaOp, (own - 0.5 * j).value)) for j in range(d)]
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total + d * (d - 1) / 4 * log(pi)


def zeta(x: OperandLike, q: OperandLike | None = None) -> Array:
    """`scipy.special.zeta`: Riemann's, or Hurwitz's of x and q, which has derivatives in q."""
    if q is None:
        return _call("riemann_zeta", x)
    operands = [operand_of(x), operand_of(q)]
    dtype = result_type([kind_of(o) for o in operands])
    dtype = dtype if dtype.kind == "f" else F64
    return _call("zeta", *(converted(as_array(o), dtype) for o in operands))


# Combinatorics ------------------------------------------------------------------------------------


def _counted(function: str, total: Any, chosen: Any, *operands: Any) -> Array:
    """A count, 0 where more are chosen than there are, or fewer than none."""
    n, k = (inexact(x) for x in common([operand_of(total), operand_of(chosen)]))
    known = xp.logical_and(
        xp.less_equal(k, n), xp.logical_and(xp.greater_equal(n, 0.0), xp.greater_equal(k, 0.0))
    )
    return xp.where(known, _call(function, *operands), 0.0)


def comb(N: OperandLike, k: OperandLike, *, exact: Literal[False] = False, repetition: Flag = False) -> Array:
    """`scipy.special.comb`, in floats."""
    if not repetition:
        return _counted("binom", N, k, N, k)
    n, k = (inexact(as_array(v)) for v in (N, k))
    nothing = xp.logical_and(xp.equal(n, 0), xp.equal(k, 0))  # chosen of nothing, in one way
    return xp.where(nothing, 1.0, _call("binom", n + k - 1, k))


def perm(N: OperandLike, k: OperandLike, exact: Literal[False] = False) -> Array:
    """`scipy.special.perm`, in floats."""
    n, chosen = (x if isinstance(x, Array) else np.asarray(x) for x in (N, k))
    return _counted("poch", n, chosen, n - chosen + 1, chosen)


def factorial_of(n: OperandLike, exact: Literal[False] = False, extend: Literal["zero"] = "zero") -> Array:
    """`scipy.special.factorial`, in floats; those of arrays are in double precision."""
    x = as_array(n)
    x = converted(x, F64) if x.ndim else inexact(x)
    return xp.where(xp.less(x, 0.0), 0.0, _call("gamma", x + 1.0))


def diric(x: OperandLike, n: Int) -> Array:
    """`scipy.special.diric`: sin(n x / 2) / (n sin(x / 2)), as a quotient of sincs, which has no 0 / 0."""
    half = inexact(as_array(x)) / 2
    if n <= 0:
        return xp.full_like(half, np.nan)
    turns = xp.round(half / pi)
    rest = (half - turns * pi) / pi
    sign = 1.0 if n % 2 else 1 - 2 * xp.mod(turns, 2.0)
    return sign * xp.sinc(n * rest) / xp.sinc(rest)


# Spherical Bessel functions -----------------------------------------------------------------------


def _spherical(kind_: str, n: int, x: Array) -> Array:
    """sqrt(pi / 2x) times the Bessel function of order n + 1/2."""
    if kind_ in ("yn", "kn"):
        return _singular(kind_, n, x)
    size = xp.abs(x)
    negative = xp.less(x, 0.0)
    # x^n / (2n + 1)!! 0F1(n + 3/2; -+x^2 / 4), where the other form divides by 0
    double = factorial(2 * n + 1) // (2**n * factorial(n))
    is_near = xp.less(size, 1.0)
    inner = xp.where(is_near, x, 0.0)
    series = _call("hyp0f1", n + 1.5, inner * inner * (-0.25 if kind_ == "jn" else 0.25))
    near = xp.power(inner, n) / float(double) * series
    safe = xp.where(is_near, 1.0, size)
    far = xp.sqrt(pi / 2 / safe) * _call("jv" if kind_ == "jn" else "iv", n + 0.5, safe)
    if kind_ == "jn":
        far = xp.where(xp.isinf(x), 0.0, far)
    else:  # infinite as the exponential function is, with all derivatives
        far = xp.where(xp.isinf(x) | xp.isinf(far), xp.exp(size), far)
    far = xp.where(negative, -far, far) if n % 2 else far
    return xp.where(is_near, near, far)


def _singular(kind_: str, n: int, x: Array) -> Array:
    """Those with a pole at 0."""

    def value(x: Array) -> Array:
        return _of_half_order(kind_, n, x)

    def derivative(x: Array, found: Array, dx: Array) -> Array:
        return _singular_slope(kind_, n, x, found) * dx

    return with_derivative(value, derivative, x)


def _of_half_order(kind_: str, n: int, x: Array) -> Array:
    if kind_ == "kn":
        return xp.sqrt(pi / 2 / x) * _call("kv", n + 0.5, x)
    size = xp.abs(x)
    found = xp.where(xp.isinf(x), 0.0, xp.sqrt(pi / 2 / size) * _call("yv", n + 0.5, size))
    return found if n % 2 else xp.where(xp.less(x, 0.0), -found, found)


def _singular_slope(kind_: str, n: int, x: Array, function: Array) -> Array:
    """The derivative, +-f_(n - 1) - (n + 1) f_n / x, and its own by the differential equation.

    Near the pole what has the other sign is negligible. It is left out there, as both may overflow.
    """
    sign = 1.0 if kind_ == "yn" else -1.0

    def value(x: Array, function: Array) -> Array:
        if n == 0:
            return -_of_half_order(kind_, 1, x)
        below = sign * _of_half_order(kind_, n - 1, x)
        is_near = xp.less(xp.abs(x), 1e-9) | xp.isinf(function)
        return xp.where(is_near, 0.0, below) - (n + 1) * function / x

    def derivative(x: Array, function: Array, slope: Array, dx: Array, _: Array) -> Array:
        terms = -2.0 * slope + (n * (n + 1) * function / x if n else 0.0)
        return (terms / x - xp.where(xp.isinf(function), 0.0, sign * function)) * dx

    return with_derivative(value, derivative, x, function)


def _spherical_slope(kind_: str, n: int, x: Array) -> Array:
    """(n f_(n - 1) -+ (n + 1) f_(n + 1)) / (2n + 1)."""
    if kind_ in ("yn", "kn"):
        return _singular_slope(kind_, n, x, _singular(kind_, n, x))
    above = (n + 1) * _spherical(kind_, n + 1, x)
    below = n * _spherical(kind_, n - 1, x) if n else xp.zeros_like(above)
    return (below - above if kind_ == "jn" else below + above) / (2 * n + 1)


def _spherical_function(kind_: str) -> Callable[..., Array]:
    def spherical(n: Int, z: OperandLike, derivative: Flag = False) -> Array:
        """In float64, as all but `spherical_kn` are in SciPy: factors overflow where the result does not."""
        if n < 0:
            raise argument_error(f"spherical_{kind_}: the order is {n}", "orders are integers from 0 on")
        given = inexact(as_array(z))
        x = converted(given, F64)
        found = _spherical_slope(kind_, n, x) if derivative else _spherical(kind_, n, x)
        return converted(found, given.dtype) if kind_ == "kn" else found

    return spherical


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "logsumexp": logsumexp, "softmax": softmax, "log_softmax": log_softmax, "polygamma": polygamma,
    "multigammaln": multigammaln, "zeta": zeta, "comb": comb, "perm": perm, "factorial": factorial_of,
    "lambertw": lambertw, "diric": diric,
    **{f"spherical_{kind_}": _spherical_function(kind_) for kind_ in ("jn", "yn", "in", "kn")},
    **legendre.FUNCTIONS,
}  # fmt: skip
"""The functions that trace those of `scipy.special`, by their names there."""
