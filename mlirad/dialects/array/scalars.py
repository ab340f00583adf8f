"""The scalar meaning of every elementwise op, written once, as functions of NumPy scalars or arrays.

Constant folding and the interpreter both take it from here; compiled code is tested against it. A function
takes operands in any one shape, of the NumPy dtypes that `mlirad.dialects.array.literals` gives the element
types, and returns the dtype that the dialect gives the result: float32 stays float32, comparisons give
`bool`. A scalar in gives a NumPy scalar out, never an array of rank 0.

    SCALARS["div"](np.int64(-7), np.int64(2))                     -3   truncated, not floored
    SCALARS["div"](np.int64(7), np.int64(0))                       0   no op traps
    SCALARS["compare"](x, y, predicate="lt")                           the properties of an op are keywords
    SCALARS["convert"](np.float64(1e300), dtype=np.dtype("int32"))  2147483647

Every function is total. Floats follow IEEE 754 and no warning is given; integers wrap; the conventions where
machines disagree or trap (division by zero, shifts by the width, conversion out of range) are those of the
docstrings in `mlirad.dialects.array.elementwise`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from mlirad.dialects.array.own_functions import OWN_FUNCTIONS
from mlirad.dialects.array.special_functions import SPECIAL_FUNCTIONS
from mlirad.dialects.array.special_values import special_values
from mlirad.float_modes import silent
from mlirad.packages import scipy_module

Number: TypeAlias = np.generic | NDArray[Any]
"""A NumPy scalar, or an array of them."""

_Array: TypeAlias = NDArray[Any]  # inside this file scalars pass for arrays: they share dtype and ufuncs


def _quiet(function: Callable[..., Any]) -> Callable[..., Number]:
    """`function` without floating-point warnings, its scalar results as NumPy scalars."""

    @wraps(function)
    @silent
    def quiet(*operands: Number, **properties: Any) -> Number:
        return np.asarray(function(*operands, **properties))[()]

    return quiet


def _is_float(x: _Array) -> bool:
    return x.dtype.kind == "f"


def _sign(x: _Array) -> _Array:
    return np.where(x == 0, x, np.sign(x))


def _reciprocal_sqrt(x: _Array) -> _Array:
    return 1 / np.sqrt(x)


def _softplus(x: _Array) -> _Array:
    return np.logaddexp(x, x.dtype.type(0))


def _special(name: str) -> Callable[..., _Array]:
    """A function of `scipy.special`, which is slow to import, imported when it is first needed."""

    def function(*operands: Any) -> _Array:
        return cast(_Array, getattr(scipy_module("special"), name)(*operands))

    return function


def _lgamma(x: _Array) -> _Array:
    # SciPy's value at -inf is -inf; the limit of C's lgamma and of IEEE's advice is +inf
    return np.where(x == -np.inf, x.dtype.type(np.inf), _special("gammaln")(x))


def _deviation(x: _Array) -> _Array:
    return np.full_like(x, -0.0)


def _polygamma(x: _Array, order: int) -> _Array:
    if order == 0:
        return _special("psi")(x)
    # as SciPy has it, except for arguments at which its zeta takes for ever
    zeta = special_values("_zeta", np.asarray(float(order + 1)), x.astype(np.float64))[0]
    return ((-1.0) ** (order + 1) * _special("gamma")(order + 1.0) * zeta).astype(x.dtype)


def _special_function(*operands: _Array, function: str) -> _Array:
    known = SPECIAL_FUNCTIONS[function]
    if not known.ufunc:
        return OWN_FUNCTIONS[function](*operands)
    return special_values(known.loop, *operands)[known.output]


def _absorbing_mul(k: _Array, dx: _Array) -> _Array:
    return np.where((dx == 0) | (k == 0), dx.dtype.type(0), k * dx)


def _nontrivial(y: _Array) -> _Array:
    """The divisor with 0 and -1, on which integer division traps, replaced by 1."""
    return np.where((y == 0) | (y == -1), y.dtype.type(1), y)


def _quotient(floored: _Array, x: _Array, y: _Array) -> _Array:
    """An integer quotient completed at the divisors 0 (gives 0) and -1 (gives -x, wrapping)."""
    return np.where(y == 0, y.dtype.type(0), np.where(y == -1, -x, floored))


def _div(x: _Array, y: _Array) -> _Array:
    if _is_float(x):
        return x / y
    divisor = _nontrivial(y)
    floored = x // divisor
    inexact_negative = (floored * divisor != x) & ((x < 0) != (divisor < 0))
    return _quotient(floored + inexact_negative.astype(x.dtype), x, y)


def _floor_div(x: _Array, y: _Array) -> _Array:
    return x // y if _is_float(x) else _quotient(x // _nontrivial(y), x, y)


def _rem(x: _Array, y: _Array) -> _Array:
    return x % y if _is_float(x) else x % _nontrivial(y)


def _fmod(x: _Array, y: _Array) -> _Array:
    return np.fmod(x, y) if _is_float(x) else np.fmod(x, _nontrivial(y))


def _pow(x: _Array, y: _Array) -> _Array:
    if _is_float(x):
        # NumPy takes square roots for a single exponent 0.5, unlike C's pow at -0 and -inf: give it arrays
        x, y = np.broadcast_arrays(x, y)
        return np.power(np.atleast_1d(x).copy(), np.atleast_1d(y).copy()).reshape(x.shape)
    zero = y.dtype.type(0)
    return np.where(y < 0, zero, np.power(x, np.maximum(y, zero)))


def _shift_left(x: _Array, y: _Array) -> _Array:
    zero = y.dtype.type(0)
    inside = (y >= 0) & (y < 8 * y.dtype.itemsize)
    return np.where(inside, np.left_shift(x, np.where(inside, y, zero)), zero)


def _shift_right(x: _Array, y: _Array) -> _Array:
    most = y.dtype.type(8 * y.dtype.itemsize - 1)
    return np.right_shift(x, np.where((y >= 0) & (y < most), y, most))


def _tanh_slope(x: _Array, y: _Array) -> _Array:
    return (1 / np.cosh(x)) ** 2


def _logistic_slope(x: _Array, y: _Array) -> _Array:
    e = np.exp(-np.abs(x))
    return e / (1 + e) / (1 + e)


_PREDICATES: dict[str, Callable[..., Any]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def _compare(x: _Array, y: _Array, predicate: str) -> _Array:
    return _PREDICATES[predicate](x, y)


def _select(condition: _Array, on_true: _Array, on_false: _Array) -> _Array:
    return np.where(condition, on_true, on_false)


def _convert(x: _Array, dtype: np.dtype[Any]) -> _Array:
    if dtype.kind == "b":
        return x != 0
    if not (_is_float(x) and dtype.kind == "i"):
        return x.astype(dtype)
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    truncated = np.trunc(x)
    # the bounds are powers of two, exact in every float type; the greatest integer itself is not
    low, above = x.dtype.type(least), x.dtype.type(-least)
    inside = (truncated >= low) & (truncated < above)
    converted = np.where(inside, truncated, x.dtype.type(0)).astype(dtype)
    return np.where(
        truncated >= above, dtype.type(most), np.where(truncated < low, dtype.type(least), converted)
    )


SCALARS: dict[str, Callable[..., Number]] = {
    name: _quiet(function)
    for name, function in {
        "neg": np.negative,
        "abs": np.abs,
        "sign": _sign,
        "exp": np.exp,
        "exp2": np.exp2,
        "expm1": np.expm1,
        "log": np.log,
        "log2": np.log2,
        "log1p": np.log1p,
        "sqrt": np.sqrt,
        "rsqrt": _reciprocal_sqrt,
        "cbrt": np.cbrt,
        "sin": np.sin,
        "cos": np.cos,
        "tan": np.tan,
        "asin": np.arcsin,
        "acos": np.arccos,
        "atan": np.arctan,
        "sinh": np.sinh,
        "cosh": np.cosh,
        "tanh": np.tanh,
        "asinh": np.arcsinh,
        "acosh": np.arccosh,
        "atanh": np.arctanh,
        "erf": _special("erf"),
        "erfc": _special("erfc"),
        "erfinv": _special("erfinv"),
        "lgamma": _lgamma,
        "logistic": _special("expit"),
        "softplus": _softplus,
        "tanh_slope": _tanh_slope,
        "logistic_slope": _logistic_slope,
        "floor": np.floor,
        "ceil": np.ceil,
        "round": np.rint,
        "trunc": np.trunc,
        "not": np.invert,
        "stop_gradient": np.positive,
        "deviation": _deviation,
        "polygamma": _polygamma,
        "is_finite": np.isfinite,
        "is_nan": np.isnan,
        "add": np.add,
        "sub": np.subtract,
        "mul": np.multiply,
        "absorbing_mul": _absorbing_mul,
        "div": _div,
        "pow": _pow,
        "atan2": np.arctan2,
        "hypot": np.hypot,
        "max": np.maximum,
        "min": np.minimum,
        "rem": _rem,
        "floor_div": _floor_div,
        "fmod": _fmod,
        "copysign": np.copysign,
        "and": np.bitwise_and,
        "or": np.bitwise_or,
        "xor": np.bitwise_xor,
        "shift_left": _shift_left,
        "shift_right": _shift_right,
        "compare": _compare,
        "select": _select,
        "convert": _convert,
        "special": _special_function,
    }.items()
}
"""From the name of an elementwise op, without its dialect's prefix, to its meaning.

`polygamma` takes the keyword `order` (an int), `compare` takes `predicate`, `convert` takes `dtype`, the
NumPy dtype of the result, and `special` takes `function`.
"""
