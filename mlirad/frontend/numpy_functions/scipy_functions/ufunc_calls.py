"""Ufuncs of `scipy.special` that are calls of other functions of arrays: of distributions, and complex ones.

BY_CALLS["chndtr"](x, df, nc)        ncx2.cdf(x, df, nc)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import Any, Final

from mlirad.frontend.numpy_functions.meanings.special_calls import special, wofz
from mlirad.frontend.numpy_functions.scipy_functions.stats import METHODS
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.operations import Operand, as_array, inexact, xp


def hankel(sign: int, scaled: bool, v: Operand, x: Operand) -> ComplexArray:
    """`scipy.special.hankel1`, with sign 1, or `hankel2` of numbers from 0 on; scaled by e^(-sign i x)."""
    real, imag = special("jv", v, x), sign * special("yv", v, x)
    if not scaled:
        return ComplexArray(real, imag)
    angle = inexact(as_array(x))
    cosine, sine = xp.cos(angle), sign * xp.sin(angle)
    return ComplexArray(real * cosine + imag * sine, imag * cosine - real * sine)


def _by_distribution(owner: str, method: str, order: tuple[int, ...]) -> Callable[..., Array]:
    """A method of a distribution, whose arguments are those of the ufunc in another order."""

    def called(*operands: Any) -> Array:
        found = METHODS[owner][method]
        given = signature(found).bind(*(as_array(operands[k]) for k in order))
        given.apply_defaults()
        return found(**given.arguments)

    return called


BY_CALLS: Final[dict[str, Callable[..., Any]]] = {
    "wofz": wofz,
    "hankel1": partial(hankel, 1, False),
    "hankel1e": partial(hankel, 1, True),
    "hankel2": partial(hankel, -1, False),
    "hankel2e": partial(hankel, -1, True),
    "kolmogorov": _by_distribution("kstwobign", "sf", (0,)),
    "kolmogi": _by_distribution("kstwobign", "isf", (0,)),
    "chndtr": _by_distribution("ncx2", "cdf", (0, 1, 2)),
    "chndtrix": _by_distribution("ncx2", "ppf", (0, 1, 2)),
    "ncfdtr": _by_distribution("ncf", "cdf", (3, 0, 1, 2)),
    "ncfdtri": _by_distribution("ncf", "ppf", (3, 0, 1, 2)),
    "nctdtr": _by_distribution("nct", "cdf", (2, 0, 1)),
    "nctdtrit": _by_distribution("nct", "ppf", (2, 0, 1)),
}
"""By the names of ufuncs what stands for them, of operands as they are; results are float64, or complex."""
