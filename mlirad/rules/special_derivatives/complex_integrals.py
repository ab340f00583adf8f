"""Integrals of elementary functions, and solutions of differential equations, of complex numbers.

    "complex_expi": expi' (z) = e^z / z
    "complex_jv": J_v' (z) = (J_(v - 1) (z) - J_(v + 1) (z)) / 2

SciPy computes the functions; derivatives are made of the functions of this table, and of `complex_errors`.
"""

from __future__ import annotations

from math import pi
from math import sqrt as root

from mlirad.ir.formulas import Formula, absolute, cos, cosh, exp, sin, sinh, where
from mlirad.rules.special_derivatives.complex_parts import (
    Complex,
    Function,
    added,
    chosen,
    derivatives,
    known,
    reciprocal,
    scaled,
    times,
)
from mlirad.rules.special_derivatives.parts import Derivatives


def _exponential(x: Formula, y: Formula) -> Complex:
    """e^z, real where z is."""
    size = exp(x)
    return size * cos(y), where(y == 0, 0.0, size * sin(y))


def _sine(x: Formula, y: Formula) -> Complex:
    return sin(x) * cosh(y), cos(x) * sinh(y)


def _cosine(x: Formula, y: Formula) -> Complex:
    return cos(x) * cosh(y), -(sin(x) * sinh(y))


def _square(x: Formula, y: Formula) -> Complex:
    return (x - y) * (x + y), 2 * x * y


def _exp_over(x: Formula, y: Formula) -> Complex:
    """e^z / z, which may be finite where e^z is not."""
    half = _exponential(0.5 * x, 0.5 * y)
    return times(times(half, reciprocal(x, y)), half)


def _log_ndtr(x: Formula, y: Formula) -> Complex:
    """sqrt(2 / pi) / erfcx(u) for u = -z / sqrt(2); by 2 e^(u^2) - erfcx(-u) = erfcx(u) to the right of 0."""
    a, b = x * root(0.5), y * root(0.5)
    is_right = a > absolute(b)
    side = where(is_right, a.like(-1.0), 1.0)
    tail = known("faddeeva", b * side, -a * side)
    square = _square(where(is_right, a, 0.0), where(is_right, b, 0.0))
    gauss = _exponential(-square[0], -square[1])
    real, imag = times(gauss, tail)
    right = times(gauss, reciprocal(2 - real, -imag))
    return scaled(root(2 / pi), chosen(is_right, right, reciprocal(*tail)))


def _omega(x: Formula, y: Formula) -> Complex:
    real, imag = known("complex_wrightomega", x, y)
    return times((real, imag), reciprocal(1 + real, imag))


def _sinc(x: Formula, y: Formula, sign: float) -> Complex:
    """sin(z) / z, or sinh(z) / z for the other sign: an entire function of z^2."""
    return known("complex_hyp0f1", 1.5, *scaled(sign / 4, _square(x, y)))


def _quarter_turns(x: Formula, y: Formula) -> Complex:
    return scaled(pi / 2, _square(x, y))


def _neighbours(name: str, below: float, above: float) -> Function:
    """A multiple of the function of the order below, and one of that above."""

    def slope(v: Formula, x: Formula, y: Formula) -> Complex:
        return added(scaled(below, known(name, v - 1, x, y)), scaled(above, known(name, v + 1, x, y)))

    return slope


DERIVATIVES: Derivatives = {
    **derivatives(
        {
            "complex_expi": _exp_over,
            "complex_exp1": lambda x, y: _exp_over(-x, -y),
            "complex_log_ndtr": _log_ndtr,
            "complex_spence": lambda x, y: scaled(-1.0, known("complex_hyp2f1", 1.0, 1.0, 2.0, 1 - x, -y)),
            "complex_wrightomega": _omega,
            "complex_sici_si": lambda x, y: _sinc(x, y, -1.0),
            "complex_sici_ci": lambda x, y: times(_cosine(x, y), reciprocal(x, y)),
            "complex_shichi_shi": lambda x, y: _sinc(x, y, 1.0),
            "complex_shichi_chi": lambda x, y: times(_cosine(-y, x), reciprocal(x, y)),
            "complex_fresnel_s": lambda x, y: _sine(*_quarter_turns(x, y)),
            "complex_fresnel_c": lambda x, y: _cosine(*_quarter_turns(x, y)),
            "complex_airy_ai": lambda x, y: known("complex_airy_aip", x, y),
            "complex_airy_aip": lambda x, y: times((x, y), known("complex_airy_ai", x, y)),
            "complex_airy_bi": lambda x, y: known("complex_airy_bip", x, y),
            "complex_airy_bip": lambda x, y: times((x, y), known("complex_airy_bi", x, y)),
        }
    ),
    **derivatives(
        {
            "complex_jv": _neighbours("complex_jv", 0.5, -0.5),
            "complex_yv": _neighbours("complex_yv", 0.5, -0.5),
            "complex_hankel1": _neighbours("complex_hankel1", 0.5, -0.5),
            "complex_hankel2": _neighbours("complex_hankel2", 0.5, -0.5),
            "complex_iv": _neighbours("complex_iv", 0.5, 0.5),
            "complex_kv": _neighbours("complex_kv", -0.5, -0.5),
            "complex_hyp0f1": lambda b, x, y: scaled(1 / b, known("complex_hyp0f1", b + 1, x, y)),
        },
        orders=1,
    ),
    **derivatives(
        {
            "complex_hyp2f1": lambda a, b, c, x, y: scaled(
                a * b / c, known("complex_hyp2f1", a + 1, b + 1, c + 1, x, y)
            )
        },
        orders=3,
    ),
}
