"""The Voigt profile: a normal and a Cauchy density, convolved.

With z = (x + i gamma) / (sigma sqrt 2) it is the real part of w(z) / (sigma sqrt(2 pi)). Where |z| is large,
w is its asymptotic series (*NIST Handbook of Mathematical Functions*, 2010, 7.12.1), here in powers of
sigma^2 / (x + i gamma)^2: terms of derivatives of w itself cancel there, most of all in those by sigma.
"""

from __future__ import annotations

from math import inf, pi
from typing import Final

from xdsl.dialects.builtin import f64

from mlirad.dialects.shapes import element_of
from mlirad.ir.formulas import Formula, absolute, cos, exp, maximum, special, where
from mlirad.rules.quadratures import fixed
from mlirad.rules.special_derivatives.complex_parts import scaled, times

_FAR: Final = {True: (8.0, 20, 1e-3), False: (4.5, 12, 0.1)}
"""The least |z| at which the series has all digits, its terms, and the imaginary part of z up to which the
normal density is added; in double precision, and in single.
"""

_GAUSSIAN: Final = 0.018
"""Below this sigma over the size of x + i gamma, the normal density is 0."""


def voigt_profile(x: Formula, sigma: Formula, gamma: Formula) -> Formula:
    """The density at x of the sum of a normal and a Cauchy variable, of scales |sigma| and |gamma|."""
    sigma, gamma = absolute(sigma), absolute(gamma)
    size = fixed(maximum(absolute(x), gamma))
    is_infinite = size == inf
    size = where((size == 0) | is_infinite, 1.0, size)
    p, q, r = where(is_infinite, 1.0, x) / size, where(is_infinite, 0.0, gamma) / size, sigma / size
    least, count, height = _FAR[element_of(x.value) == f64]
    modulus = p * p + q * q
    is_far = modulus >= 2 * least * least * r * r
    scale = 0.5**0.5 / where(is_far, 1.0, sigma)
    near = special("faddeeva_real", where(is_far, 0.0, x) * scale, where(is_far, 1.0, gamma) * scale)
    near = near * scale * pi**-0.5
    is_spike = is_far & (modulus == 0)
    far = _far(p, q, where(is_far, r, 0.0), where(is_spike, 1.0, modulus), size, (count, height))
    return where(is_infinite, 0.0, where(is_spike, inf, where(is_far, far, near)))


def _far(
    p: Formula, q: Formula, r: Formula, modulus: Formula, size: Formula, limits: tuple[int, float]
) -> Formula:
    """The series in t = r^2 u^2 with u = 1 / (p + i q); next to the real axis the normal density is added."""
    count, height = limits
    real, imaginary = p / modulus, -q / modulus
    t = scaled(r * r, times((real, imaginary), (real, imaginary)))
    total = p.like(0.0), p.like(0.0)
    for k in range(count, 0, -1):
        total = scaled(2 * k - 1, times(t, (1 + total[0], total[1])))
    cauchy = -(imaginary + imaginary * total[0] + real * total[1]) / (pi * size)
    is_beside = (r > _GAUSSIAN) & (q < 2**0.5 * height * r)
    r = where(is_beside, r, 1.0)
    normal = exp((q * q - p * p) / (2 * r * r)) * cos(p * q / (r * r)) / (size * r * (2 * pi) ** 0.5)
    return where(is_beside, cauchy + normal, cauchy)
