"""Mathieu functions, whose slopes SciPy has beside them.

    "mathieu_cem_y": (None, None, lambda m, q, x, r: special("mathieu_cem_yp", m, q, x) * DEGREE)

Derivatives of slopes follow from the differential equations. Those by q are traced, of known orders, by
`mlirad/frontend/numpy_functions/scipy_functions/characteristic_values.py`.
(*NIST Handbook of Mathematical Functions*, 2010, sections 28.2 and 28.20.)
"""

from __future__ import annotations

from math import pi
from typing import Final

from mlirad.ir.formulas import Formula, cos, cosh, special
from mlirad.rules.special_derivatives.parts import Derivatives

DEGREE: Final = pi / 180
"""The angles of periodic Mathieu functions are in degrees."""


def _mathieu() -> Derivatives:
    """Periodic functions by angles in degrees, modified ones by numbers: y'' is ±(a - 2 q wave(2 x)) y."""
    found: Derivatives = {}
    for parity, value in (("cem", "mathieu_a"), ("sem", "mathieu_b")):
        found[value] = (None, None)
        found |= _of_equation(f"mathieu_{parity}", value, DEGREE, -1.0)
        for kind in "12":
            found |= _of_equation(f"mathieu_mod{parity}{kind}", value, 1.0, 1.0)
    return found


def _of_equation(name: str, value: str, scale: float, sign: float) -> Derivatives:
    def slope(m: Formula, q: Formula, x: Formula, r: Formula) -> Formula:
        return special(f"{name}_yp", m, q, x) * scale

    def curvature(m: Formula, q: Formula, x: Formula, r: Formula) -> Formula:
        wave = cosh(x * 2) if sign > 0 else cos(x * (2 * scale))
        return (special(value, m, q) - 2 * q * wave) * special(f"{name}_y", m, q, x) * (sign * scale)

    return {f"{name}_y": (None, None, slope), f"{name}_yp": (None, None, curvature)}


DERIVATIVES: Derivatives = _mathieu()
