"""Functions of `math` and `cmath`, and `complex`, on traced numbers: those of NumPy that mean the same.

    math.sin(x)            np.sin(x)                      cmath.sqrt(x)       np.sqrt(x + 0j)
    math.remainder(x, y)   by np.fmod, to the last bit    cmath.rect(r, t)    r * (np.cos(t) + 1j * np.sin(t))

Functions that raise an exception for some numbers are refused where code expects that (`expected_errors.py`).
"""

from __future__ import annotations

import builtins
import cmath
import functools
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, cast

import numpy as np

from mlirad.frontend.constructs.raising_later import refuse_where
from mlirad.frontend.control_flow.kept import KeptList, as_list
from mlirad.frontend.control_flow.one_number import number
from mlirad.frontend.numpy_functions.meanings.special_calls import special
from mlirad.frontend.tracing.expected_errors import OF_MATH, expected
from mlirad.frontend.tracing.operations import contains_traced, xp


def complex_(*args: Any, **options: Any) -> Any:
    """`complex`."""
    if options or not args or not any(map(contains_traced, args)):
        return builtins.complex(*args, **options)
    real, *imaginary = [number(value) for value in args]
    return real + 1j * (imaginary[0] if imaginary else 0.0)


def _log(x: Any, *base: Any) -> Any:
    """The logarithm of a real or complex number, to a base if there is one."""
    found, *bases = [np.log(value) for value in (x, *base)]
    return found / bases[0] if bases else found


# Real numbers ------------------------------------------------------------------------------------


def _remainder(x: Any, y: Any) -> Any:
    """x less the nearest multiple of y, an even one where two are as near: differences of these are exact."""
    size = xp.abs(y)
    left = xp.fmod(x, 2.0 * size)
    nearer = xp.where(xp.abs(left) < 1.5 * size, xp.copysign(size, left), xp.copysign(2.0 * size, left))
    moved = xp.where(left < 0, -(nearer - left), left - nearer)  # a zero has the sign of x
    return xp.where(xp.abs(left) <= 0.5 * size, left, moved)


def _is_close(a: Any, b: Any, *, rel_tol: float = 1e-09, abs_tol: float = 0.0) -> Any:
    """As in `math.isclose`, infinite numbers are close if they are equal."""
    is_near = np.abs(a - b) <= np.maximum(rel_tol * np.maximum(np.abs(a), np.abs(b)), abs_tol)
    is_finite = np.logical_and(np.isfinite(a), np.isfinite(b))
    return np.logical_or(np.equal(a, b), np.logical_and(is_near, is_finite))


def _distance(p: Iterable[Any], q: Iterable[Any]) -> Any:
    sides = [number(a) - number(b) for a, b in zip(p, q, strict=True)]
    return functools.reduce(xp.hypot, sides, 0.0)


def _sum(values: Iterable[Any]) -> Any:
    if isinstance(values, KeptList):
        return values.combined(np.sum(cast("Any", values.chosen())))
    return builtins.sum(number(value) for value in values)


def _listed(values: Any) -> Any:
    """The elements of an iterable, which may be an iterator."""
    found = as_list(values)
    return list(cast("Iterator[Any]", found)) if isinstance(found, Iterator) else found


def _hypot(*sides: Any) -> Any:
    return functools.reduce(xp.hypot, sides)


def _standing(
    own: Callable[..., Any], function: Callable[..., Any], take: Callable[[Any], Any] = number
) -> Callable[..., Any]:
    """A function on numbers that stands for `own`; each argument is converted by `take`."""
    name = f"{own.__module__}.{own.__name__}"

    def standing(*args: Any, **options: Any) -> Any:
        if own in _OF_SEVERAL:
            args = tuple(map(_listed, args))
        if not any(isinstance(value, KeptList) or contains_traced(value) for value in args):
            return own(*args, **options)
        numbers = args if own in _OF_SEVERAL else tuple(map(take, args))
        found = function(*numbers, **options)
        caught = None if name in _TOTAL else expected(OF_MATH)
        if caught is not None:
            what = f"{name} raises an exception where it has no finite value, and `except {caught}`"
            are_finite = functools.reduce(np.logical_and, map(np.isfinite, numbers))
            refuse_where(np.logical_and(are_finite, np.logical_not(np.isfinite(found))), what)
        return found

    return standing


_NUMPY: Final = {
    "sqrt": "sqrt", "exp": "exp", "expm1": "expm1", "log1p": "log1p", "log2": "log2",
    "log10": "log10", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "arcsin", "acos": "arccos",
    "atan": "arctan", "atan2": "arctan2", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "arcsinh",
    "acosh": "arccosh", "atanh": "arctanh", "fabs": "fabs", "pow": "power",
    "copysign": "copysign", "isnan": "isnan", "isinf": "isinf", "isfinite": "isfinite", "degrees": "degrees",
    "radians": "radians", "fmod": "fmod", "ldexp": "ldexp", "cbrt": "cbrt", "exp2": "exp2", "modf": "modf",
}  # fmt: skip
"""Functions of `math` that are ufuncs of NumPy, on scalars that are traced."""

_SPECIAL: Final = {"gamma": "gamma", "lgamma": "gammaln", "erf": "erf", "erfc": "erfc"}
"""Functions of `math` that `scipy.special` has."""

_TOTAL: Final = frozenset((
    *(f"math.{name}" for name in (
        "sin", "cos", "tan", "atan", "atan2", "tanh", "asinh", "hypot", "fabs", "copysign", "isnan", "isinf",
        "isfinite", "degrees", "radians", "cbrt", "erf", "erfc", "dist", "fsum", "isclose", "modf",
    )),
    *(f"cmath.{name}" for name in ("sqrt", "phase", "polar", "isnan", "isinf", "isfinite", "isclose")),
))  # fmt: skip
"""Functions that raise no exception for finite numbers."""

_OF_SEVERAL: Final = (math.fsum, math.dist)
"""Functions that take numbers in sequences."""


# Complex numbers ---------------------------------------------------------------------------------


def _phase(z: Any) -> Any:
    return xp.arctan2(z.imag, z.real)


def _polar(z: Any) -> Any:
    return np.abs(z), _phase(z)


def _rect(r: Any, phi: Any) -> Any:
    return r.real * np.cos(phi.real) + 1j * (r.real * np.sin(phi.real))


_COMPLEX: Final[dict[str, Callable[..., Any]]] = {
    **{
        name: getattr(np, _NUMPY[name])
        for name in (
            "sqrt", "exp", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
            "asinh", "acosh", "atanh", "isnan", "isinf", "isfinite",
        )
    },
    "log": _log,
    "phase": _phase,
    "polar": _polar,
    "rect": _rect,
}  # fmt: skip
"""Functions of `cmath`, on complex scalars."""


MATHEMATICS: Final[dict[Any, Callable[..., Any]]] = {
    **{getattr(math, name): _standing(getattr(math, name), getattr(np, n)) for name, n in _NUMPY.items()},
    **{
        getattr(math, name): _standing(getattr(math, name), functools.partial(special, n))
        for name, n in _SPECIAL.items()
    },
    math.hypot: _standing(math.hypot, _hypot),
    math.log: _standing(math.log, _log),
    math.remainder: _standing(math.remainder, _remainder),
    math.isclose: _standing(math.isclose, _is_close),
    math.fsum: _standing(math.fsum, _sum),
    math.dist: _standing(math.dist, _distance),
    **{
        getattr(cmath, name): _standing(getattr(cmath, name), function, complex_)
        for name, function in _COMPLEX.items()
    },
    cmath.isclose: _standing(cmath.isclose, _is_close),
}
"""Functions that stand for those of `math` and `cmath`."""
