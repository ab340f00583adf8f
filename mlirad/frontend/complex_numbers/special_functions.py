"""SciPy's functions of complex numbers, which programs compute by the parts of these.

scipy.special.erf(z)       array.special complex_erf_real and complex_erf_imag
scipy.special.jv(v, z)     array.special complex_jv_real and complex_jv_imag, for real v
scipy.special.wofz(x)      complex for real x, too
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import sqrt
from typing import Any, Final

import numpy as np

from mlirad.dialects.array.special_functions import FUNCTIONS_OF_COMPLEX
from mlirad.frontend.numpy_functions.meanings.special import special
from mlirad.frontend.numpy_functions.meanings.ufuncs import name_in_special
from mlirad.frontend.tracing.array import made
from mlirad.frontend.tracing.complex_array import ComplexArray, holds_complex
from mlirad.frontend.tracing.complex_pairs import as_complex, paired
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import common, inexact, operand_of, xp
from mlirad.frontend.tracing.raising import argument_error


def complex_meaning(ufunc: np.ufunc) -> Callable[..., Any] | None:
    """A ufunc of `scipy.special` as a function of its operands, if it is one of those here."""
    name = name_in_special(ufunc)
    if name is None:
        return None
    if name in _MEANINGS:
        return partial(_applied, _MEANINGS[name])
    if name not in FUNCTIONS_OF_COMPLEX:
        return None
    orders, functions = FUNCTIONS_OF_COMPLEX[name]
    return partial(_of_orders, name, orders, functions)


def _applied(function: Callable[[Any, Any], Any], operand: Any) -> Any:
    z = as_complex(operand)
    return function(z.real, z.imag)


def _of_orders(name: str, orders: tuple[str, ...], functions: tuple[str, ...], *operands: Any) -> Any:
    """The function of this name, of real numbers called `orders` and of a complex one."""
    for order, operand in zip(orders, operands, strict=False):
        if holds_complex((operand,)):
            raise argument_error(f"scipy.special.{name}: `{order}` must be real", f"write {order}.real")
    z = as_complex(operands[-1])
    found = tuple(_by_parts(function)(*operands[:-1], z.real, z.imag) for function in functions)
    return found[0] if len(found) == 1 else found


def _by_parts(name: str) -> Callable[..., ComplexArray]:
    def value(*operands: Any) -> ComplexArray:
        floats = [inexact(x) for x in common([operand_of(x) for x in operands])]
        values = [x.value for x in xp.broadcast_arrays(*floats)]
        real, imag = (made(special(emitting(), f"{name}_{part}", *values)) for part in ("real", "imag"))
        return paired(real, imag)

    return value


_erf, _erfc, _faddeeva = _by_parts("complex_erf"), _by_parts("complex_erfc"), _by_parts("faddeeva")


def _erfi(a: Any, b: Any) -> ComplexArray:
    """-i erf(iz)."""
    found = _erf(-b, a)
    return paired(found.imag, -found.real)


def _ndtr(a: Any, b: Any) -> ComplexArray:
    return 0.5 * _erfc(a * -sqrt(0.5), b * -sqrt(0.5))


_MEANINGS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "wofz": _faddeeva,
    "erf": _erf,
    "erfc": _erfc,
    "erfcx": lambda a, b: _faddeeva(-b, a),
    "erfi": _erfi,
    "dawsn": _by_parts("complex_dawson"),
    "ndtr": _ndtr,
    "expm1": lambda a, b: np.expm1(paired(a, b)),
    "log1p": lambda a, b: np.log1p(paired(a, b)),
}
"""The functions of parts that programs compute by formulas, by the names of the ufuncs."""
