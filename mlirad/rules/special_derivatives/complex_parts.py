"""Complex numbers as pairs of formulas, and functions of them as functions of their parts.

times((a, b), (c, d))                   the parts of (a + ib) (c + id)
known("complex_jv", v, x, y)            the parts of J_v(x + iy)
derivatives({"complex_gamma": slope})   of complex_gamma_real and complex_gamma_imag, by x and by y
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias, cast

from mlirad.ir.formulas import Condition, Formula, Operand, absolute, maximum, special, where
from mlirad.rules.special_derivatives.parts import Coefficient, Definition, Derivatives

Complex: TypeAlias = tuple[Formula, Formula]
"""The real and the imaginary part of a number."""

Function: TypeAlias = (
    Callable[[Formula, Formula], Complex]
    | Callable[[Formula, Formula, Formula], Complex]
    | Callable[[Formula, Formula, Formula, Formula, Formula], Complex]
)
"""A function of real numbers and of the parts of a complex one, which come last."""

_Any: TypeAlias = Callable[..., Complex]

_PARTS = ("real", "imag")


def times(z: Complex, w: Complex) -> Complex:
    """The product."""
    (a, b), (c, d) = z, w
    return a * c - b * d, a * d + b * c


def scaled(factor: Operand, z: Complex) -> Complex:
    """A real multiple."""
    return z[0] * factor, z[1] * factor


def added(z: Complex, w: Complex) -> Complex:
    """The sum."""
    return z[0] + w[0], z[1] + w[1]


def chosen(condition: Condition, z: Complex, w: Complex) -> Complex:
    """The number z where the condition holds, else w."""
    return where(condition, z[0], w[0]), where(condition, z[1], w[1])


def reciprocal(x: Formula, y: Formula) -> Complex:
    """The reciprocal of a number, whose parts are scaled by the larger one."""
    large = maximum(absolute(x), absolute(y))
    a, b = x / large, y / large
    scale = 1 / large / (a * a + b * b)
    return a * scale, -(b * scale)


def known(name: str, *operands: Operand) -> Complex:
    """A function of `mlirad.dialects.array.special_functions` that is given by its parts."""
    return special(f"{name}_real", *operands), special(f"{name}_imag", *operands)


def definitions(functions: Mapping[str, Function]) -> dict[str, Definition]:
    """The formulas of the parts of these functions."""
    return {
        f"{name}_{word}": _part(function, k)
        for name, function in functions.items()
        for k, word in enumerate(_PARTS)
    }


def derivatives(slopes: Mapping[str, Function], orders: int = 0) -> Derivatives:
    """The partial derivatives of the parts of functions with these complex derivatives.

    They have no derivatives in their first `orders` parameters, which are real.
    """
    return {
        f"{name}_{word}": (*[None] * orders, *_along(slope, k))
        for name, slope in slopes.items()
        for k, word in enumerate(_PARTS)
    }


def _part(function: Function, part: int) -> Definition:
    def value(*operands: Formula) -> Formula:
        return cast(_Any, function)(*operands)[part]

    return cast(Definition, value)


def _along(slope: Function, part: int) -> tuple[Coefficient, Coefficient]:
    """The derivatives of a part by x and by y, by the equations of Cauchy and Riemann."""

    def by_x(*operands: Formula) -> Formula:
        return cast(_Any, slope)(*operands[:-1])[part]

    def by_y(*operands: Formula) -> Formula:
        found = cast(_Any, slope)(*operands[:-1])
        return found[0] if part else -found[1]

    return cast(Coefficient, by_x), cast(Coefficient, by_y)
