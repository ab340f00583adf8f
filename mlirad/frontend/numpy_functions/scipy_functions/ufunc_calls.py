"""Ufuncs of `scipy.special` that are calls of other functions of arrays: of distributions, and complex ones.

BY_CALLS["chndtr"](x, df, nc)        ncx2.cdf(x, df, nc)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import signature
from math import pi, sqrt
from typing import Any, Final

from mlirad.frontend.numpy_functions.meanings.special_calls import special, wofz
from mlirad.frontend.numpy_functions.meanings.special_ops import special as special_op
from mlirad.frontend.numpy_functions.scipy_functions.characteristic_values import (
    mathieu_function,
    mathieu_value,
)
from mlirad.frontend.numpy_functions.scipy_functions.stats import METHODS
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.dtypes import F64
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import Operand, as_array, converted, inexact, xp


def hankel(sign: int, scaled: bool, v: Operand, x: Operand) -> ComplexArray:
    """`scipy.special.hankel1`, with sign 1, or `hankel2` of numbers from 0 on; scaled by e^(-sign i x)."""
    real, imag = special("jv", v, x), sign * special("yv", v, x)
    if not scaled:
        return ComplexArray(real, imag)
    angle = inexact(as_array(x))
    cosine, sine = xp.cos(angle), sign * xp.sin(angle)
    return ComplexArray(real * cosine + imag * sine, imag * cosine - real * sine)


def kelvin(x: Operand) -> tuple[ComplexArray, ...]:
    """`scipy.special.kelvin`: Be, Ke and their derivatives."""
    names = (("ber", "bei"), ("ker", "kei"), ("berp", "beip"), ("kerp", "keip"))
    return tuple(ComplexArray(special(real, x), special(imag, x)) for real, imag in names)


def modified_fresnel(sign: int, x: Operand) -> tuple[ComplexArray, ...]:
    """`scipy.special.modfresnelp`, with sign 1, or `modfresnelm`, which is its conjugate.

    They are the integral of e^(i t^2) from x on, and w(e^(i pi / 4) x) / 2, where w is Faddeeva's function.
    """
    given = inexact(as_array(x))
    own = converted(given, F64)
    z = own * sqrt(0.5)
    real, imag = (
        made(special_op(emitting(), f"faddeeva_{part}", z.value, z.value)) / 2 for part in ("real", "imag")
    )
    square, root = own * own, sqrt(pi / 2)
    cosine, sine = xp.cos(square), xp.sin(square)
    # e^(i (x^2 + pi / 4)) is (1 + i) e^(i x^2) / sqrt(2).
    turned_real, turned_imag = (cosine - sine) * root, (cosine + sine) * root
    integral = turned_real * real - turned_imag * imag, turned_real * imag + turned_imag * real
    return tuple(
        ComplexArray(converted(a, given.dtype), converted(sign * b, given.dtype))
        for a, b in (integral, (real, imag))
    )


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
    "kelvin": kelvin,
    "modfresnelp": partial(modified_fresnel, 1),
    "modfresnelm": partial(modified_fresnel, -1),
    "mathieu_a": partial(mathieu_value, "a"),
    "mathieu_b": partial(mathieu_value, "b"),
    "mathieu_cem": partial(mathieu_function, "a"),
    "mathieu_sem": partial(mathieu_function, "b"),
    "kolmogorov": _by_distribution("kstwobign", "sf", (0,)),
    "kolmogi": _by_distribution("kstwobign", "isf", (0,)),
    "chndtr": _by_distribution("ncx2", "cdf", (0, 1, 2)),
    "chndtrix": _by_distribution("ncx2", "ppf", (0, 1, 2)),
    "ncfdtr": _by_distribution("ncf", "cdf", (3, 0, 1, 2)),
    "ncfdtri": _by_distribution("ncf", "ppf", (3, 0, 1, 2)),
    "nctdtr": _by_distribution("nct", "cdf", (2, 0, 1)),
    "nctdtrit": _by_distribution("nct", "ppf", (2, 0, 1)),
}
"""The functions that stand for ufuncs, by name, on operands as they are; results are float64, or complex."""
