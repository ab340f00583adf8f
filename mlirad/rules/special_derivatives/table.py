"""Derivatives of the special functions: formulas, of functions that are differentiated by the same table.

    "gammainc": (None, lambda a, x, r: exp(xlogy(a - 1, x) - x - lgamma(a)))

A coefficient is a function of the arguments and of the result r. `None` stands for a derivative that has no
formula in functions of the table, such as that of a Bessel function in its order: to ask for it is an error,
never a zero. All others are formulas in functions of the table, so there are derivatives of any order.

Formulas hold in the whole domain of the function, its boundary included. Where a formula is a difference of
nearly equal numbers, another one that is equal takes its place there; both are identities, so derivatives of
either are right. At a pole the derivative is infinite, or NaN where it has no limit. `tests/sweep` compares
derivatives of orders 1 and 2 over all exponents.

Functions that SciPy computes have formulas in double precision, whatever the precision asked for: in single
precision their differences would have few digits, and SciPy computes in double precision, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from xdsl.dialects.builtin import f64

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value, element_of
from mlirad.errors import DifferentiationError
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.formulas import Formula, special
from mlirad.ir.locations import location_of
from mlirad.rules.special_derivatives import (
    bessel,
    complex_errors,
    complex_gammas,
    complex_integrals,
    distributions,
    elliptic,
    entropies,
    errors,
    exponentials,
    gammas,
    kelvin,
    lambert_w,
    polynomials,
    sines,
    wave_equations,
    zetas,
)
from mlirad.rules.special_derivatives.parts import Definition, Derivatives

_FAMILIES = (
    bessel,
    complex_errors,
    complex_gammas,
    complex_integrals,
    distributions,
    elliptic,
    entropies,
    errors,
    exponentials,
    gammas,
    kelvin,
    lambert_w,
    polynomials,
    sines,
    wave_equations,
    zetas,
)

SPECIAL_DERIVATIVES: Derivatives = {name: d for family in _FAMILIES for name, d in family.DERIVATIVES.items()}
"""The partial derivatives of a function, one per parameter, by its name."""

DEFINITIONS: dict[str, Definition] = {
    **complex_errors.DEFINITIONS,
    **complex_gammas.DEFINITIONS,
    **distributions.DEFINITIONS,
    **elliptic.DEFINITIONS,
    **entropies.DEFINITIONS,
    **exponentials.DEFINITIONS,
    **lambert_w.DEFINITIONS,
    **sines.DEFINITIONS,
}
"""The formula that programs compute for a function, by its name; SciPy computes the others."""


def special_coefficient(k: int) -> Callable[[ArrayBuilder, ew.SpecialOp], Value]:
    """Return what the tangent of argument k of a special function is scaled by.

    The function raises `DifferentiationError` where there is no formula.
    """

    def coefficient(b: ArrayBuilder, op: ew.SpecialOp) -> Value:
        name = op.function.data
        formula = cast("Callable[..., Formula] | None", SPECIAL_DERIVATIVES[name][k])
        if formula is None:
            known, parameter = op.meaning, op.meaning.parameters[k]
            listed = f"{name}({', '.join(known.parameters)})"
            raise DifferentiationError(
                f"{listed} has no derivative in {parameter} that could be computed",
                location=location_of(op),
                hint=f"keep {parameter} constant: ad.stop_gradient({parameter})",
            )
        element = element_of(op.result)
        if element == f64 or name in DEFINITIONS:
            return formula(*(Formula(b, v) for v in (*op.arguments, op.result))).value
        arguments = [Formula(b, b.convert(v, f64)) for v in op.arguments]
        return b.convert(formula(*arguments, _Result(name, arguments)).value, element)

    return coefficient


class _Result(Formula):
    """The function in double precision, which is computed again where a formula reads it."""

    def __init__(self, name: str, arguments: list[Formula]):
        self.b = arguments[0].b
        self._name = name
        self._arguments = arguments
        self._value: Value | None = None

    @property
    def value(self) -> Value:  # pyright: ignore[reportIncompatibleVariableOverride]
        if self._value is None:
            self._value = special(self._name, *self._arguments).value
        return self._value
