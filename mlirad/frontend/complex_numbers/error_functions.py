"""SciPy's error functions of complex numbers, which programs compute by the parts of these.

scipy.special.erf(z)       array.special complex_erf_real and complex_erf_imag
scipy.special.wofz(x)      complex for real x, too
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any, Final

import numpy as np

from mlirad.frontend.numpy_functions.meanings.special import special
from mlirad.frontend.numpy_functions.meanings.ufuncs import name_in_special
from mlirad.frontend.tracing.array import made
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.complex_pairs import paired
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import as_array


def complex_meaning(ufunc: np.ufunc) -> Callable[[Any, Any], Any] | None:
    """A ufunc of `scipy.special` as a function of the parts of its operand, if it is one of those here."""
    name = name_in_special(ufunc)
    return None if name is None else _MEANINGS.get(name)


def _by_parts(name: str) -> Callable[[Any, Any], ComplexArray]:
    def value(a: Any, b: Any) -> ComplexArray:
        parts = as_array(a).value, as_array(b).value
        real, imag = (made(special(emitting(), f"{name}_{part}", *parts)) for part in ("real", "imag"))
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
"""By the names of the ufuncs."""
